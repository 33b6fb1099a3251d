"""Candidates and their rerank: contracts that hold together, retrieval that decides nothing, answers all or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.commands.evidence import EvidenceState, LiveRecord, evolve
from t2c.ledger.commands.relations import decide_accepted, decide_relations
from t2c.ledger.events.evidence import RelationLinked
from t2c.ledger.events.llm import Story
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.linking.wording import sentence
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.receipts import nothing_yet
from t2c.ledger.llm.semantic.contracts import Candidate, CandidateSet, Rerank, candidate_set
from t2c.ledger.llm.semantic.rerank import Subject, asking, relations, reranked

GRAPH = "ab" * 32
AT = "2026-11-01T00:00:00Z"
AGENT = Actor("agent", "acme/one")
ANSWER = "EVT-" + "5" * 20
REASON = "repository_evidence_supports_match"
TODOS = [f"INT-TODO-{number:020x}" for number in range(9)]
MODULES = [f"INT-AST-{number:020x}" for number in range(9)]


def subjects() -> dict[str, Subject]:
    todos = [
        Subject(one, False, "todo_item", f"Sesje wygasają {one[-1]}", "sesje", (), (), ()) for one in TODOS
    ]
    modules = [
        Subject(one, True, "module_fact", "module a.py", "a.py", ("src/expiry.py",), (), ("expire",))
        for one in MODULES
    ]
    return {one.id: one for one in (*todos, *modules)}


def made(*pairs: tuple[str, str, float]) -> CandidateSet:
    given = pairs or ((TODOS[0], MODULES[0], 0.5), (TODOS[0], MODULES[1], 0.25), (TODOS[1], MODULES[0], 0.4))
    return candidate_set(
        given,
        graph_fingerprint=GRAPH,
        generated_at=AT,
        provider="t2c",
        model="words",
        revision="1",
        metric="cosine",
    )


def decision(one: Candidate, verdict: str = "reject", **more: Any) -> dict[str, Any]:
    ends = [one.declarationRecordId, one.moduleRecordId]
    return {
        "candidateId": one.id,
        "verdict": verdict,
        "confidence": 0.99,
        "reasonCode": REASON if verdict == "accept" else "wrong_target",
        "rationale": "because",
        "citedRecordIds": ends,
        "evidence": [
            {"recordId": ends[0], "quote": "SESJE"},
            {"recordId": ends[1], "quote": "src/Expiry.py"},
        ],
        **more,
    }


def checked(asked: CandidateSet, decisions: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    return asking(asked, subjects(), "m", 6000).check(json.dumps({"decisions": decisions}).encode())


def result(asked: CandidateSet, decisions: Sequence[Mapping[str, Any]]) -> Rerank:
    story: Story = nothing_yet("acme/one")
    return reranked(
        asked,
        checked(asked, decisions),
        question=asking(asked, subjects(), "m", 6000),
        story=story,
        model_revision="7",
        generated_at=AT,
    )


def test_ids_and_hashes_are_those_of_the_content_whenever_it_was_made() -> None:
    asked = made()
    later = candidate_set(
        [(one.declarationRecordId, one.moduleRecordId, one.score) for one in asked.candidates],
        graph_fingerprint=GRAPH,
        generated_at="2027-01-01T00:00:00Z",
        **asked.retrieval.model_dump(exclude={"inputHash"}),
    )
    assert later.candidateSetHash == asked.candidateSetHash
    assert [one.rank for one in asked.candidates] == [1, 2, 1]
    said = result(asked, [decision(one) for one in asked.candidates])
    document = orjson.loads(said.document())
    assert document.pop("schemaVersion") == "t2c.semantic-rerank/v1"
    assert Rerank.model_validate_json(orjson.dumps(document)) == said
    assert said.generation.model_dump() | {"promptHash": "", "runtimeVersion": ""} == {
        "generator": "t2c/cross-language-reranker",
        "generatorVersion": "1",
        "runtimeVersion": "",
        "provider": "unnamed",
        "requestedModel": "acme/one",
        "model": "acme/one",
        "modelRevision": "7",
        "responseId": None,
        "promptHash": "",
    }


def changed(path: str, value: Any) -> Callable[[dict[str, Any]], None]:
    def change(document: dict[str, Any]) -> None:
        *outer, last = path.split(".")
        found: Any = document
        for step in outer:
            found = found[int(step) if step.isdigit() else step]
        found[last] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        changed("graphFingerprint", "cd" * 32),
        changed("retrieval.inputHash", "cd" * 32),
        changed("retrieval.revision", "2"),
        changed("candidateSetHash", "cd" * 32),
        changed("candidates.0.score", 0.6),
        changed("candidates.0.score", 0.1234567),
        changed("candidates.0.score", 1.5),
        changed("candidates.1.rank", 3),
        changed("candidates.1.moduleRecordId", MODULES[0]),
        changed("candidates.0.moduleRecordId", MODULES[5]),
        changed("candidates.0.id", "SCAND-" + "0" * 20),
        changed("maxCandidatesPerDeclaration", 1),
        changed("maxCandidatesPerDeclaration", 11),
        changed("more", 1),
    ],
)
def test_a_candidate_set_that_was_changed_is_none(change: Callable[[dict[str, Any]], None]) -> None:
    document = orjson.loads(made().document())
    assert document.pop("schemaVersion") == "t2c.semantic-candidate-set/v1"
    CandidateSet.model_validate_json(orjson.dumps(document))
    change(document)
    with pytest.raises(ValidationError):
        CandidateSet.model_validate_json(orjson.dumps(document))


@pytest.mark.parametrize(
    "pairs",
    [
        [(TODOS[0], MODULES[0], 0.2), (TODOS[0], MODULES[1], 0.3)],
        [(TODOS[0], MODULES[0], 0.3), (TODOS[0], MODULES[0], 0.2)],
        [(TODOS[0], MODULES[at], 0.3) for at in range(6)],
        [(f"INT-TODO-{at // 5:020x}", f"INT-AST-{at:020x}", 0.3) for at in range(105)],
    ],
    ids=["rising score", "a pair twice", "six of one", "more than a hundred"],
)
def test_what_is_no_candidate_set_is_not_made(pairs: list[tuple[str, str, float]]) -> None:
    with pytest.raises(ValidationError):
        made(*pairs)


@pytest.mark.parametrize(
    "change",
    [
        changed("decisions.0.verdict", "abstain"),
        changed("decisions.0.confidence", 0.5),
        changed("decisions.0.reasonCode", REASON),
        changed("decisions.1.candidateId", made().candidates[0].id),
        changed("candidateSetHash", "cd" * 32),
        changed("generation.modelRevision", "8"),
        changed("generation.generator", "t2c/other"),
        changed("resultHash", "cd" * 32),
    ],
)
def test_a_rerank_that_was_changed_is_none(change: Callable[[dict[str, Any]], None]) -> None:
    asked = made()
    document = orjson.loads(result(asked, [decision(one) for one in asked.candidates]).document())
    del document["schemaVersion"]
    change(document)
    with pytest.raises(ValidationError):
        Rerank.model_validate_json(orjson.dumps(document))


def test_only_a_statement_and_a_module_of_code_are_asked_about() -> None:
    asked = made((TODOS[0], MODULES[0], 0.5))
    for identity, kind in ((MODULES[0], {"is_module": False}), (TODOS[0], {"kind": "module_fact"})):
        known = subjects()
        known[identity] = known[identity]._replace(**kind)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="module_fact"):
            asking(asked, known, "m", 6000)


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda rows: rows[0].update(candidateId="SCAND-" + "0" * 20), "not one of the candidates"),
        (lambda rows: rows.append(dict(rows[0])), "decided already"),
        (lambda rows: rows.pop(), "has none for"),
        (lambda rows: rows[0].update(citedRecordIds=[TODOS[0], MODULES[5]]), "not the two records"),
        (lambda rows: rows[0]["evidence"][0].update(recordId=TODOS[5]), "not one of the candidate's two"),
        (lambda rows: rows[0]["evidence"][1].update(quote="never written"), "quote does not occur"),
        (lambda rows: rows[0]["evidence"][1].update(rows[0]["evidence"][0]), "quotes only one"),
        (lambda rows: rows[0].update(reasonCode="ambiguous", verdict="accept"), "does not go with accept"),
        (lambda rows: rows[0].update(reasonCode=REASON), "does not go with reject"),
        (
            lambda rows: [row.update(verdict="accept", reasonCode=REASON) for row in rows],
            "accepts a second module",
        ),
    ],
)
def test_one_broken_rule_rejects_the_whole_answer(
    break_it: Callable[[list[dict[str, Any]]], object], said: str
) -> None:
    asked = made()
    rows = [decision(one) for one in asked.candidates]
    assert len(checked(asked, rows)) == 3
    break_it(rows)
    with pytest.raises(Rejected, match=said):
        checked(asked, rows)
    assert asking(asked, subjects(), "m", 6000).corrections == 0


def test_the_score_is_not_shown_to_the_model() -> None:
    question = asking(made(), subjects(), "m", 6000)
    assert "score" not in question.brief.text and "rank" not in question.brief.text
    assert "0.5" not in question.messages[1].content


def test_what_is_accepted_is_evidenced_by_the_module_and_says_from_where() -> None:
    asked = made()
    rows = [decision(one, "accept" if one.rank == 1 else "reject") for one in asked.candidates]
    said = result(asked, rows)
    found = relations(asked, said)
    assert [(one.relation.source, one.relation.to) for one in found] == [
        (TODOS[0], MODULES[0]),
        (TODOS[1], MODULES[0]),
    ]
    first = found[0]
    assert (first.rule, first.relation.type, first.relation.confidence) == (
        "cross_language_reranker", "evidenced_by", 0.95,
    )  # fmt: skip
    assert first.relation.basis == (
        f"candidate:{asked.candidates[0].id}",
        f"citation:{MODULES[0]}",
        f"citation:{TODOS[0]}",
        "cross_language_reranker",
        f"decision:{said.decisions[0].id}",
        "reranker:acme/one@7",
        "retrieval:t2c/words@1",
        "score:0.500000",
    )
    words = sentence("evidenced_by", "x", first.rule, first.relation.basis, ())
    assert words == "is evidenced by x: as acme/one@7 says, which shows nothing"


# --- what stands --------------------------------------------------------------------------------------------


def state() -> EvidenceState:
    found = EvidenceState()
    for number, identity in enumerate((*TODOS, *MODULES)):
        kind = "todo" if identity in TODOS else "ast"
        found.records[identity] = LiveRecord(bytes([number]) * 16, None, 0, kind, "a", None, "t2c/made@1")
    return found


def accepted_now() -> list[RelationLinked]:
    asked = made()
    rows = [decision(one, "accept" if one.rank == 1 else "reject") for one in asked.candidates]
    return relations(asked, result(asked, rows))


def taken(found: EvidenceState, drafts: Sequence[Any]) -> EvidenceState:
    for one in drafts:
        evolve(found, one.type, one.data, 0, None)
    return found


PAIRS = {(one.declarationRecordId, one.moduleRecordId) for one in made().candidates}


def test_what_a_model_accepted_stands_until_its_records_change_or_somebody_calls_it_wrong() -> None:
    first = decide_accepted(state(), accepted_now(), PAIRS, actor=AGENT, answered=ANSWER)
    assert {(one.actor, one.trust, one.cause) for one in first} == {(AGENT, "asserted", (ANSWER,))}
    found = taken(state(), first)
    ids = sorted(found.relations)
    everything = found.records.keys()

    def unlinked(**more: Any) -> dict[str, str]:
        given = {"linked": frozenset(), "payloads": {}, "standing": everything, "run": "r", **more}
        return {
            (one := orjson.loads(item.data))["id"]: one["why"] for item in decide_relations(found, **given)
        }

    assert unlinked() == {}
    assert unlinked(changed={MODULES[0]}) == dict.fromkeys(ids, "signal_gone")
    assert set(unlinked(changed={TODOS[1]}).values()) == {"signal_gone"}
    assert len(unlinked(changed={TODOS[1]})) == 1
    assert unlinked(standing=everything - {MODULES[0]}) == dict.fromkeys(ids, "endpoint_retracted")
    found.verdicts[ids[0]] = "wrong"
    assert unlinked() == {ids[0]: "judged_wrong"}
    del found.verdicts[ids[0]]
    found.records[TODOS[0]].digest = b"other"
    assert len(unlinked()) == 1
    # Without the rule it is the linker's, and gone as soon as that finds it no more.
    plain = taken(state(), [type(one)(one.type, 1, one.data.replace(b"cross_language_reranker", b"path"), AGENT, "asserted") for one in first])  # fmt: skip
    assert set(plain.relations) == set(ids)
    assert len(decide_relations(plain, frozenset(), {}, everything, "r")) == 2


def test_the_last_answer_stands_in_place_of_the_one_before() -> None:
    first = accepted_now()
    found = taken(state(), decide_accepted(state(), first, PAIRS, actor=AGENT, answered=ANSWER))
    assert decide_accepted(found, first, PAIRS, actor=AGENT, answered=ANSWER) == []
    gone = decide_accepted(found, [], PAIRS, actor=AGENT, answered=ANSWER)
    assert [one.type for one in gone] == ["relation.unlinked"] * 2
    assert decide_accepted(found, [], {(TODOS[7], MODULES[7])}, actor=AGENT, answered=ANSWER) == []
    other = made((TODOS[0], MODULES[3], 0.3))
    instead = relations(other, result(other, [decision(other.candidates[0], "accept")]))
    drafts = decide_accepted(found, instead, {(TODOS[0], MODULES[3])}, actor=AGENT, answered=ANSWER)
    assert [one.type for one in drafts] == ["relation.unlinked", "relation.linked"]
    after = taken(found, drafts)
    assert sum(one.source == TODOS[0] for one in after.relations.values()) == 1


def test_a_model_takes_nothing_from_the_linker_or_from_a_person() -> None:
    first = accepted_now()
    found = state()
    found.verdicts[first[0].relation.id] = "wrong"
    drafts = decide_accepted(found, first, PAIRS, actor=AGENT, answered=ANSWER)
    assert [orjson.loads(one.data)["relation"]["id"] for one in drafts] == [first[1].relation.id]
    own = first[1].model_copy(update={"rule": "path"})
    evolve(found, "relation.linked", own.encode(), 0, None)
    assert decide_accepted(found, first, PAIRS, actor=AGENT, answered=ANSWER) == []
    assert decide_accepted(found, [], PAIRS, actor=AGENT, answered=ANSWER) == []


# --- verification -------------------------------------------------------------------------------------------


def faults(cause: Sequence[str] = (ANSWER,), trust: str = "asserted", **more: Any) -> set[str]:
    audit = DomainAudit(lambda digest: True)
    said = orjson.loads(accepted_now()[0].encode())
    said["relation"].update(more.pop("relation", {}))
    actor = {"kind": "agent", "id": "acme/one"}
    common = {"v": 1, "ts": AT, "hash": "", "prev": ""}
    audit._readings.answered({"id": ANSWER, "actor": actor})
    event = {**common, "id": "EVT-" + "6" * 20, "type": "relation.linked", "actor": more.pop("actor", actor)}
    audit._readings.linked(7, {**said, **more}, {**event, "trust": trust, "cause": list(cause)})
    return {fault.kind for fault in audit.faults}


def test_a_relation_of_a_model_rests_on_its_answer_and_passes_for_no_other() -> None:
    assert faults() == set()
    assert faults(cause=()) == {"answer_unknown"}
    assert faults(cause=("EVT-" + "9" * 20,)) == {"answer_unknown"}
    assert faults(trust="observed") == {"trust"}
    assert faults(actor={"kind": "helper", "id": "scanner"}) == {"trust"}
    assert faults(actor={"kind": "agent", "id": "acme/two"}) == {"trust"}
    assert faults(rule="path") == {"trust"}
    assert faults(relation={"confidence": 0.96}) == {"accepted_too_much"}
    assert faults(relation={"type": "implements"}) == {"accepted_too_much"}
