"""The question about candidates and what an answer is held to: all rules or nothing, and no second attempt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from t2c import __version__
from t2c.ledger.events.evidence import Relation, RelationLinked
from t2c.ledger.events.interpretation import ACCEPTED, ACCEPTED_CAP
from t2c.ledger.kernel.canon import canonical, decimal3
from t2c.ledger.kernel.ids import relation_id
from t2c.ledger.llm.ask import Asking, Rejected
from t2c.ledger.llm.base import Brief, Shown
from t2c.ledger.llm.responses import rerank
from t2c.ledger.llm.semantic.contracts import (
    GENERATOR,
    GENERATOR_VERSION,
    SUPPORTS,
    CandidateSet,
    Generation,
    Rerank,
    rerank_of,
)
from t2c.ledger.llm.stages.prompts import Prompt
from t2c.ledger.llm.stages.reading import UNNAMED, parsed

if TYPE_CHECKING:
    from t2c.ledger.events.llm import Story

__all__ = ["FLOOR", "PROMPT", "TOKENS", "Subject", "asking", "relations", "reranked", "subject"]

FLOOR: Final = 0.05
"""The least confidence of a relation (intent-evidence §1.2)."""
TOKENS: Final = 240
"""Tokens that one decision takes at most, about."""

PROMPT: Final = Prompt(
    "semantic",
    1,
    "candidates, and the records that they pair",
    "You judge whether a statement means a module of code. The span of data holds one JSON object a line: first the "
    "records, then the candidates, each a pair of a declaration and a module. The order and number of candidates tell "
    "nothing. Return exactly one decision for every candidateId and none for any other. "
    "verdict is accept only where the words of both records show that the module is what the statement means; reject "
    "where they show that it is not; abstain where they show neither. Accept at most one module for a declaration. "
    f"reasonCode is {SUPPORTS} with every accept and with nothing else; for all others wrong_target (it means another "
    "thing), contradicted (the records contradict each other), insufficient_evidence, ambiguous (several modules fit as "
    "well) or multi_module (several modules together are meant). "
    "citedRecordIds are the two records of the candidate. evidence holds at least one quote of each of the two: words "
    "that stand in its text, object, paths, symbols or capabilities, copied exactly. "
    "confidence says how sure you are of the verdict. rationale says why, in a sentence.",
)


class Subject(NamedTuple):
    """What a model is shown of a record, and what it may quote."""

    id: str
    is_module: bool
    kind: str
    text: str
    object: str
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    capabilities: tuple[str, ...]

    def says(self, quote: str) -> bool:
        """True if the quote occurs in what may be quoted, whatever its case."""
        wanted = quote.casefold()
        fields = (self.text, self.object, *self.paths, *self.symbols, *self.capabilities)
        return any(wanted in one.casefold() for one in fields)

    def line(self) -> str:
        return orjson.dumps(
            {
                "recordId": self.id,
                "is": "module" if self.is_module else "declaration",
                "kind": self.kind,
                "text": self.text,
                "object": self.object,
                "paths": self.paths,
                "symbols": self.symbols,
                "capabilities": self.capabilities,
            }
        ).decode()


def subject(record: Mapping[str, Any]) -> Subject:
    """What is shown of a canonical `t2c.intent/v1` record, as it was found."""
    statement, named = record["statement"], record["metadata"].get("capabilities")
    target = statement["target"]
    return Subject(
        id=record["id"],
        is_module=record["source"]["kind"] == "ast" and statement["kind"] == "module_fact",
        kind=statement["kind"],
        text=statement["text"],
        object=statement["object"],
        paths=tuple(target["paths"]),
        symbols=tuple(target["symbols"]),
        capabilities=tuple(one for one in named if isinstance(one, str)) if isinstance(named, list) else (),
    )


def asking(
    asked: CandidateSet, subjects: Mapping[str, Subject], model: str, max_tokens: int, cut: int = 0
) -> Asking[tuple[dict[str, Any], ...]]:
    """The question about all candidates; its value are the decisions, without their ids.

    Raises ValueError for a pair that is not a statement and a module of code, of `subjects`.
    """
    for one in asked.candidates:
        if subjects[one.declarationRecordId].kind == "module_fact":
            raise ValueError(f"{one.declarationRecordId} is a module_fact and no declaration")
        if not subjects[one.moduleRecordId].is_module:
            raise ValueError(f"{one.moduleRecordId} is no module_fact of code")
    named = dict.fromkeys(
        [one.declarationRecordId for one in asked.candidates]
        + [one.moduleRecordId for one in asked.candidates]
    )
    lines = {identity: subjects[identity].line() for identity in named}
    pairs = {
        one.id: orjson.dumps(
            {"candidateId": one.id, "declaration": one.declarationRecordId, "module": one.moduleRecordId}
        ).decode()
        for one in asked.candidates
    }
    shown = {**lines, **pairs}
    text = "\n".join(shown.values())
    items = tuple(Shown(name, sha256(line.encode()).hexdigest()) for name, line in shown.items())
    return Asking(
        stage=PROMPT.stage,
        role="reranker",
        model=model,
        messages=PROMPT.messages(text),
        shape=rerank().shape,
        brief=Brief("semantic-candidates", text, items, {"candidates_capped": cut} if cut else {}),
        check=lambda content: _checked(content, asked, subjects),
        max_tokens=max_tokens,
        corrections=0,
    )


def _checked(
    content: bytes, asked: CandidateSet, subjects: Mapping[str, Subject]
) -> tuple[dict[str, Any], ...]:
    """The decisions of an answer. Raises Rejected for the first rule that one of them breaks (decisions D1)."""
    known = {one.id: one for one in asked.candidates}
    decided: set[str] = set()
    accepted: dict[str, str] = {}
    found: tuple[dict[str, Any], ...] = tuple(parsed(rerank(), content)["decisions"])
    for number, item in enumerate(found):
        place = f"response.decisions[{number}]"
        identity = item["candidateId"]
        candidate = known.get(identity)
        if candidate is None:
            raise Rejected(f"{place}.candidateId {identity} is not one of the candidates that were shown")
        if identity in decided:
            raise Rejected(f"{place}.candidateId {identity} is decided already")
        decided.add(identity)
        declaration = candidate.declarationRecordId
        _check_cited(place, item, (subjects[declaration], subjects[candidate.moduleRecordId]))
        if (item["verdict"] == "accept") != (item["reasonCode"] == SUPPORTS):
            raise Rejected(f"{place}.reasonCode {item['reasonCode']} does not go with {item['verdict']}")
        if item["verdict"] == "accept":
            if declaration in accepted:
                raise Rejected(
                    f"{place} accepts a second module for {declaration}, after {accepted[declaration]}"
                )
            accepted[declaration] = identity
    for identity in known:
        if identity not in decided:
            raise Rejected(f"response.decisions has none for {identity}")
    return found


def _check_cited(place: str, item: Mapping[str, Any], pair: Sequence[Subject]) -> None:
    ends = {one.id: one for one in pair}
    if set(item["citedRecordIds"]) != ends.keys():
        raise Rejected(f"{place}.citedRecordIds are not the two records of the candidate")
    quoted: set[str] = set()
    for number, evidence in enumerate(item["evidence"]):
        where = f"{place}.evidence[{number}]"
        about = ends.get(evidence["recordId"])
        if about is None:
            raise Rejected(
                f"{where}.recordId {evidence['recordId']} is not one of the candidate's two records"
            )
        if not about.says(evidence["quote"]):
            raise Rejected(f"{where}.quote does not occur in {about.id}")
        quoted.add(about.id)
    if quoted != ends.keys():
        raise Rejected(f"{place}.evidence quotes only one of the candidate's two records")


def reranked(
    asked: CandidateSet,
    decisions: Sequence[Mapping[str, Any]],
    *,
    question: Asking[Any],
    story: Story,
    model_revision: str,
    generated_at: str,
) -> Rerank:
    """The contract of an answer that kept all rules, with the provenance that the runtime owns."""
    generation = Generation(
        generator=GENERATOR,
        generatorVersion=GENERATOR_VERSION,
        runtimeVersion=__version__,
        provider=(story.provider or "").strip() or UNNAMED,
        requestedModel=story.requested,
        model=story.served or story.requested,
        modelRevision=model_revision,
        responseId=story.response_id,
        promptHash=sha256(canonical([list(message) for message in question.messages])).hexdigest(),
    )
    return rerank_of(asked, decisions, generation, generated_at)


def relations(asked: CandidateSet, result: Rerank) -> list[RelationLinked]:
    """What was accepted, as relations: a statement is evidenced by a module, at most 0.95 sure."""
    known = {one.id: one for one in asked.candidates}
    retrieval, made = asked.retrieval, result.generation
    found: list[RelationLinked] = []
    for decision in result.decisions:
        if decision.verdict != "accept":
            continue
        one = known[decision.candidateId]
        basis = {
            ACCEPTED,
            f"candidate:{one.id}",
            f"decision:{decision.id}",
            f"retrieval:{retrieval.provider}/{retrieval.model}@{retrieval.revision}",
            f"score:{one.score:.6f}",
            f"reranker:{made.model}@{made.modelRevision}",
            *(f"citation:{identity}" for identity in decision.citedRecordIds),
        }
        ends = one.declarationRecordId, one.moduleRecordId
        relation = {
            "id": relation_id(*ends, "evidenced_by"),
            "from": ends[0],
            "to": ends[1],
            "type": "evidenced_by",
            "confidence": decimal3(max(FLOOR, min(ACCEPTED_CAP, decision.confidence))),
            "basis": sorted(basis),
        }
        found.append(
            RelationLinked(
                relation=Relation.model_validate_json(canonical(relation)), rule=ACCEPTED, signals=()
            )
        )
    return found
