"""`t2c.semantic-candidate-set/v1` and `t2c.semantic-rerank/v1`: which pairs a model is asked about, and what it says.

Ids and hashes are of the published artifact form (decisions A4); a document whose ids, hashes or ranks are not those
of its content is refused. They are in no index, help or interface (decisions D6).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from typing import Annotated, Any, ClassVar, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from t2c.ledger.events.base import Hex64, RecordRef, Text, Timestamp, Value
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.digests import short

__all__ = [
    "GENERATOR", "GENERATOR_VERSION", "MOST", "MOST_PER_DECLARATION", "SUPPORTS", "Candidate", "CandidateSet",
    "Decision", "Generation", "Quote", "ReasonCode", "Rerank", "Retrieval", "candidate_set", "rerank_of",
]  # fmt: skip

MOST: Final = 100
"""Candidates that a model is asked about at once."""
MOST_PER_DECLARATION: Final = 5
GENERATOR: Final = "t2c/cross-language-reranker"
GENERATOR_VERSION: Final = "1"
SUPPORTS: Final = "repository_evidence_supports_match"
"""The reason of every acceptance, and of nothing else."""
ReasonCode = Literal[
    "repository_evidence_supports_match", "wrong_target", "contradicted", "insufficient_evidence", "ambiguous",
    "multi_module",
]  # fmt: skip
_PLACES: Final = 6


def _six_places(value: float) -> float:
    if round(value, _PLACES) != value:
        raise ValueError("has more than six decimals")
    return value


class Retrieval(Value):
    """How candidates were found: nothing here decides. `inputHash` is of the graph and the sorted pairs."""

    provider: Text
    model: Text
    revision: Text
    metric: Text
    inputHash: Hex64


class Candidate(Value):
    """A pair, how near it is by the metric, and its place among those of its declaration, from 1."""

    id: Annotated[str, Field(pattern=r"^SCAND-[0-9a-f]{20}$")]
    declarationRecordId: RecordRef
    moduleRecordId: RecordRef
    score: Annotated[float, Field(ge=-1, le=1), AfterValidator(_six_places)]
    rank: Annotated[int, Field(ge=1)]


class CandidateSet(Value):
    """All pairs of one question, those of one declaration by rank."""

    schemaVersion: ClassVar[str] = "t2c.semantic-candidate-set/v1"
    generatedAt: Timestamp
    graphFingerprint: Hex64
    maxCandidatesPerDeclaration: Annotated[int, Field(ge=1, le=10)]
    retrieval: Retrieval
    candidates: Annotated[tuple[Candidate, ...], Field(max_length=MOST)]
    candidateSetHash: Hex64

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        pairs = [(one.declarationRecordId, one.moduleRecordId) for one in self.candidates]
        if len(set(pairs)) < len(pairs):
            raise ValueError("a pair stands twice")
        if self.retrieval.inputHash != _input_hash(self.graphFingerprint, pairs):
            raise ValueError("retrieval.inputHash is not that of the graph and the pairs")
        by_declaration: dict[str, list[Candidate]] = {}
        for one in self.candidates:
            by_declaration.setdefault(one.declarationRecordId, []).append(one)
            if one.id != _candidate_id(self.graphFingerprint, self.retrieval, one):
                raise ValueError(f"{one.id} is not the id of its content")
        for declaration, ranked in by_declaration.items():
            ranked.sort(key=lambda one: one.rank)
            if [one.rank for one in ranked] != list(range(1, len(ranked) + 1)):
                raise ValueError(f"the ranks of {declaration} are not 1 to {len(ranked)}")
            if len(ranked) > self.maxCandidatesPerDeclaration:
                raise ValueError(f"{declaration} has more than {self.maxCandidatesPerDeclaration} candidates")
            if any(after.score > before.score for before, after in pairwise(ranked)):
                raise ValueError(f"a score of {declaration} is above that of a better rank")
        if self.candidateSetHash != _hash(_set_seed(self)):
            raise ValueError("candidateSetHash is not that of the content")
        return self

    def document(self) -> bytes:
        """The artifact, `semantic-candidates.json`."""
        return _document(self.schemaVersion, self)


class Quote(Value):
    """Words of a record, as they stand."""

    recordId: RecordRef
    quote: Annotated[str, Field(pattern=r"\S")]


class Decision(Value):
    """What a model says of one candidate."""

    id: Annotated[str, Field(pattern=r"^SDEC-[0-9a-f]{20}$")]
    candidateId: Annotated[str, Field(pattern=r"^SCAND-[0-9a-f]{20}$")]
    verdict: Literal["accept", "reject", "abstain"]
    confidence: Annotated[float, Field(ge=0, le=1)]
    reasonCode: ReasonCode
    rationale: Annotated[str, Field(pattern=r"\S")]
    citedRecordIds: Annotated[tuple[RecordRef, ...], Field(min_length=2, max_length=2)]
    evidence: Annotated[tuple[Quote, ...], Field(min_length=2)]

    @model_validator(mode="after")
    def _agrees(self) -> Self:
        if (self.verdict == "accept") != (self.reasonCode == SUPPORTS):
            raise ValueError(f"accept and the reason {SUPPORTS} go together, each never without the other")
        return self


class Generation(Value):
    """Who judged; owned by the runtime, never by a model."""

    generator: Literal["t2c/cross-language-reranker"]
    generatorVersion: Literal["1"]
    runtimeVersion: Text
    provider: Text
    requestedModel: Text
    model: Text
    modelRevision: Text
    responseId: str | None
    promptHash: Hex64


class Rerank(Value):
    """The decisions about one candidate set, every candidate decided once."""

    schemaVersion: ClassVar[str] = "t2c.semantic-rerank/v1"
    generatedAt: Timestamp
    graphFingerprint: Hex64
    candidateSetHash: Hex64
    generation: Generation
    decisions: Annotated[tuple[Decision, ...], Field(max_length=MOST)]
    resultHash: Hex64

    @model_validator(mode="after")
    def _is_whole(self) -> Self:
        decided = [one.candidateId for one in self.decisions]
        if len(set(decided)) < len(decided):
            raise ValueError("a candidate is decided twice")
        for one in self.decisions:
            if one.id != _decision_id(self.candidateSetHash, one.model_dump(mode="json")):
                raise ValueError(f"{one.id} is not the id of its content")
        if self.resultHash != _hash(_rerank_seed(self)):
            raise ValueError("resultHash is not that of the content")
        return self

    def document(self) -> bytes:
        """The artifact, `semantic-rerank.json`."""
        return _document(self.schemaVersion, self)


def candidate_set(
    ranked: Sequence[tuple[str, str, float]],
    *,
    graph_fingerprint: str,
    generated_at: str,
    provider: str,
    model: str,
    revision: str,
    metric: str,
    most_per_declaration: int = MOST_PER_DECLARATION,
) -> CandidateSet:
    """The set of (declaration, module, score), the best of each declaration first; scores have six decimals.

    Raises pydantic.ValidationError for what is no candidate set.
    """
    retrieval = Retrieval(
        provider=provider,
        model=model,
        revision=revision,
        metric=metric,
        inputHash=_input_hash(graph_fingerprint, [(one, other) for one, other, _ in ranked]),
    )
    ranks: dict[str, int] = {}
    found: list[Candidate] = []
    for declaration, module, score in ranked:
        ranks[declaration] = rank = ranks.get(declaration, 0) + 1
        bare = Candidate.model_construct(
            id="", declarationRecordId=declaration, moduleRecordId=module, score=score, rank=rank
        )
        named = {**bare.model_dump(), "id": _candidate_id(graph_fingerprint, retrieval, bare)}
        found.append(Candidate.model_validate(named))
    members: dict[str, Any] = {
        "generatedAt": generated_at,
        "graphFingerprint": graph_fingerprint,
        "maxCandidatesPerDeclaration": most_per_declaration,
        "retrieval": retrieval,
        "candidates": tuple(found),
    }
    seed = _set_seed(CandidateSet.model_construct(candidateSetHash="", **members))
    return CandidateSet(candidateSetHash=_hash(seed), **members)


def rerank_of(
    asked: CandidateSet, decisions: Iterable[Mapping[str, Any]], generation: Generation, generated_at: str
) -> Rerank:
    """The rerank of a set, of decisions without their ids. Raises pydantic.ValidationError for what is none."""
    found = tuple(
        Decision.model_validate_json(
            artifact({**decision, "id": _decision_id(asked.candidateSetHash, decision)})
        )
        for decision in decisions
    )
    members: dict[str, Any] = {
        "generatedAt": generated_at,
        "graphFingerprint": asked.graphFingerprint,
        "candidateSetHash": asked.candidateSetHash,
        "generation": generation,
        "decisions": found,
    }
    return Rerank(resultHash=_hash(_rerank_seed(Rerank.model_construct(resultHash="", **members))), **members)


def _candidate_id(graph_fingerprint: str, retrieval: Retrieval, one: Candidate) -> str:
    seed = {
        "graphFingerprint": graph_fingerprint,
        "retrieval": retrieval.model_dump(mode="json"),
        "declarationRecordId": one.declarationRecordId,
        "moduleRecordId": one.moduleRecordId,
        "score": one.score,
        "rank": one.rank,
    }
    return "SCAND-" + short(artifact(seed))


def _decision_id(candidate_set_hash: str, decision: Mapping[str, Any]) -> str:
    bare = {name: value for name, value in decision.items() if name != "id"}
    return "SDEC-" + short(artifact({**bare, "candidateSetHash": candidate_set_hash}))


def _input_hash(graph_fingerprint: str, pairs: Iterable[tuple[str, str]]) -> str:
    return _hash({"graphFingerprint": graph_fingerprint, "pairs": sorted([list(pair) for pair in pairs])})


def _set_seed(found: CandidateSet) -> dict[str, Any]:
    document = found.model_dump(mode="json", exclude={"generatedAt", "candidateSetHash"})
    return {
        "graphFingerprint": document["graphFingerprint"],
        "max": document["maxCandidatesPerDeclaration"],
        "retrieval": document["retrieval"],
        "candidates": document["candidates"],
    }


def _rerank_seed(found: Rerank) -> dict[str, Any]:
    return found.model_dump(mode="json", exclude={"generatedAt", "resultHash"})


def _hash(seed: object) -> str:
    return sha256(artifact(seed)).hexdigest()


def _document(schema: str, found: Value) -> bytes:
    return artifact({"schemaVersion": schema, **found.model_dump(mode="json")})
