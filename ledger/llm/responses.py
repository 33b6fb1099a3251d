"""The seven responses that the stages ask a model for, one type each (intent-evidence §6.2).

A response names only what a model may say. Ids, provenance, class, lifecycle and approval stand in none of them: those
are t2c's own. What a `description` says here is what the model reads in its schema.
"""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Final, Generic, Literal, NamedTuple, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, create_model

from t2c.ledger.events.record import MODEL_CAPS, Action, Modality, Polarity, Status
from t2c.ledger.llm.base import Shape
from t2c.ledger.llm.bounded import bounded_shape, parse_answer

__all__ = [
    "CommunicationEnrichment", "CommunicationResponse", "ConclusionItem", "DocumentIntent", "DocumentResponse",
    "Enrichment", "KeyedConclusion", "MarkdownResponse", "NaturalLanguageResponse", "ParticipantSynthesis",
    "ProposalItem", "RerankDecision", "RerankResponse", "Response", "SourceLines", "StatedIntent", "SummaryResponse",
    "TargetItem", "TaskResponse", "UniqueTarget", "communication_enrichment", "document_intent", "grounded_summary",
    "grounded_task_synthesis", "markdown_enrichment", "natural_language_intent", "rerank",
]  # fmt: skip

M = TypeVar("M", bound=BaseModel)


class Response(NamedTuple, Generic[M]):
    """One response: the name its schema is sent under, and its type."""

    name: str
    type: type[M]

    @property
    def shape(self) -> Shape:
        """What an answer is held to: the bounded schema of the type."""
        return bounded_shape(self.name, self.type)

    def parse(self, text: bytes) -> M:
        """The response that the bytes are. Raises Malformed (a ValueError) naming the exact places."""
        return parse_answer(self.type, text)


def _once(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(values)) < len(values):
        raise ValueError("must not hold an item twice")
    return values


MOST: Final = 100
"""So many conclusions, proposals or decisions at most."""
_UNIQUE: Final[dict[str, Any]] = {"uniqueItems": True}

Said = Annotated[str, Field(min_length=1)]
NonBlank = Annotated[str, Field(pattern=r"\S")]
Unique = Annotated[tuple[str, ...], AfterValidator(_once), Field(json_schema_extra=_UNIQUE)]
Intents = Annotated[
    tuple[Annotated[str, Field(pattern=r"^INT-[A-Z]+-[0-9a-f]{20}$")], ...],
    AfterValidator(_once),
    Field(json_schema_extra=_UNIQUE),
]
Diagnostics = Annotated[
    tuple[Annotated[str, Field(pattern=r"^DIAG-[0-9a-f]{20}$")], ...],
    AfterValidator(_once),
    Field(json_schema_extra=_UNIQUE),
]
Line = Annotated[int, Field(ge=1)]
Sure = Annotated[float, Field(ge=0, le=1, description="How sure, from 0 to 1.")]


def _sure(cap: float) -> Any:
    return Field(ge=0, le=cap, description=f"How sure, from 0 to {cap}.")


class _Part(BaseModel):
    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        regex_engine="python-re",
        defer_build=True,
    )


class TargetItem(_Part):
    """What a statement is about, as its text names it."""

    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    tickets: tuple[str, ...]
    versions: tuple[str, ...]


class UniqueTarget(_Part):
    """What a statement is about, as its text names it, each once."""

    paths: Unique
    symbols: Unique
    tickets: Unique
    versions: Unique


class SourceLines(_Part):
    """Lines of the text shown, both ends counted, from 1."""

    start: Line
    end: Line


class StatedIntent(_Part):
    """One intent that the text states."""

    kind: str = Field(description="What kind of statement.")
    actor: str | None = Field(description="Who is to act, null if the text does not say.")
    action: Action
    subject: str | None = Field(description="What acts, null if the text does not say.")
    object: Said = Field(description="What is acted on.")
    modality: Modality
    polarity: Polarity = Field(description="negative where the text forbids or denies.")
    lifecycle: Status
    confidence: float = _sure(MODEL_CAPS["nl"])
    basis: tuple[str, ...] = Field(description="What in the text shows it.")
    target: TargetItem
    sourceLines: SourceLines
    text: str = Field(description="The words of the text, as they stand.")


class NaturalLanguageResponse(_Part):
    """The intents that a text in natural language states."""

    records: tuple[StatedIntent, ...]


class Enrichment(_Part):
    """What one record says, read again. Every record shown is answered once, by its id."""

    recordId: str = Field(description="The id of a record shown.")
    actor: str | None = Field(description="Who is to act, null if the text does not say.")
    action: Action
    object: Said = Field(description="What is acted on.")
    polarity: Polarity = Field(description="negative where the text forbids or denies.")
    confidence: float = _sure(MODEL_CAPS["todo"])
    basis: tuple[str, ...] = Field(description="What in the record shows it.")
    target: TargetItem
    acceptanceEvidence: tuple[str, ...] = Field(
        description="What would show that it is done, as the text says."
    )


class MarkdownResponse(_Part):
    """The records shown, each read again."""

    enrichments: tuple[Enrichment, ...]


class DocumentIntent(_Part):
    """One intent that the document states."""

    kind: Said = Field(description="What kind of statement.")
    actor: str | None = Field(description="Who is to act, null if the text does not say.")
    action: Action
    subject: str | None = Field(description="What acts, null if the text does not say.")
    object: Said = Field(description="What is acted on.")
    modality: Modality
    polarity: Polarity = Field(description="negative where the text forbids or denies.")
    lifecycle: Status
    confidence: float = _sure(MODEL_CAPS["document"])
    basis: Unique = Field(description="What in the text shows it.")
    target: UniqueTarget
    sourceLines: SourceLines
    text: str = Field(description="The words of the text, as they stand.")


class DocumentResponse(_Part):
    """The intents that a document states."""

    records: tuple[DocumentIntent, ...]


class SpokenTarget(_Part):
    """What a message is about, as its text names it. Tickets are known already."""

    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    versions: tuple[str, ...]


class CommunicationEnrichment(_Part):
    """What one message says, read again. Every record shown is answered once, by its id."""

    recordId: str = Field(description="The id of a record shown.")
    action: Action
    object: Said = Field(description="What is acted on.")
    polarity: Polarity = Field(description="negative where the text forbids or denies.")
    confidence: float = _sure(MODEL_CAPS["agent_log"])
    basis: tuple[str, ...] = Field(description="What in the record shows it.")
    target: SpokenTarget
    topics: tuple[str, ...] = Field(description="What it is about, in a word or two each.")


class ParticipantSynthesis(_Part):
    """What one participant in one role said, in sum, resting on records of that participant only."""

    participantKey: str = Field(description="The key of a participant shown.")
    summary: NonBlank = Field(description="What was said, in a sentence or two.")
    commitments: tuple[str, ...] = Field(description="What the participant undertook to do.")
    risks: tuple[str, ...] = Field(description="What the participant warned of.")
    recordIds: tuple[str, ...] = Field(description="The ids of the records that it rests on.")
    confidence: float = _sure(MODEL_CAPS["agent_log"])


class CommunicationResponse(_Part):
    """The messages shown, each read again, and one synthesis for each participant."""

    enrichments: tuple[CommunicationEnrichment, ...]
    participantSyntheses: tuple[ParticipantSynthesis, ...]


class ConclusionItem(_Part):
    """One conclusion, resting on what is shown and on nothing else."""

    kind: Literal["finding", "risk", "decision", "recommendation"]
    title: NonBlank
    detail: NonBlank = Field(
        description="What follows, in a few sentences that name only what the evidence names."
    )
    severity: Literal["info", "warning", "review_required", "blocking"]
    diagnosticIds: Diagnostics = Field(min_length=1, description="The diagnostics that it rests on.")
    recordIds: Intents = Field(min_length=1, description="The records that it rests on.")
    confidence: Sure


class SummaryResponse(_Part):
    """What follows from the evidence shown."""

    conclusions: tuple[ConclusionItem, ...] = Field(max_length=MOST)


class KeyedConclusion(ConclusionItem):
    """One conclusion, resting on what is shown and on nothing else; proposals name it by its key."""

    key: NonBlank = Field(description="A name of your own, used once.")


class ProposalItem(_Part):
    """One task that would close what the conclusions it names tell of."""

    key: NonBlank = Field(description="A name of your own, used once.")
    title: NonBlank
    description: NonBlank
    priority: Literal["P0", "P1", "P2", "P3"]
    target: UniqueTarget
    acceptanceCriteria: tuple[NonBlank, ...] = Field(
        min_length=1, description="What must hold when it is done, so that it can be checked."
    )
    dependencyKeys: tuple[NonBlank, ...] = Field(
        description="The keys of proposals that must be done before."
    )
    conclusionKeys: tuple[NonBlank, ...] = Field(
        min_length=1, description="The keys of the conclusions it answers."
    )
    diagnosticIds: Diagnostics = Field(description="The diagnostics that it rests on.")
    recordIds: Intents = Field(description="The records that it rests on.")
    confidence: Sure


class TaskResponse(_Part):
    """What follows from the evidence shown, and the tasks that would close it."""

    conclusions: tuple[KeyedConclusion, ...] = Field(max_length=MOST)
    proposals: tuple[ProposalItem, ...] = Field(max_length=MOST)


class Quoted(_Part):
    """Words of a record, as they stand."""

    recordId: str
    quote: NonBlank


class RerankDecision(_Part):
    """Whether the module of one candidate is what its declaration means."""

    candidateId: Annotated[str, Field(pattern=r"^SCAND-[0-9a-f]{20}$")]
    verdict: Literal["accept", "reject", "abstain"]
    confidence: Sure
    reasonCode: Literal[
        "repository_evidence_supports_match", "wrong_target", "contradicted", "insufficient_evidence", "ambiguous",
        "multi_module",
    ]  # fmt: skip
    rationale: NonBlank
    citedRecordIds: Unique = Field(min_length=2, max_length=2, description="The declaration and the module.")
    evidence: tuple[Quoted, ...] = Field(min_length=2)


class RerankResponse(_Part):
    """A decision for every candidate shown."""

    decisions: tuple[RerankDecision, ...] = Field(max_length=MOST)


def natural_language_intent() -> Response[NaturalLanguageResponse]:
    """What texts in natural language state."""
    return Response("t2c_natural_language_intent", NaturalLanguageResponse)


def markdown_enrichment(batch: int) -> Response[MarkdownResponse]:
    """Records of task lists and changelogs read again, `batch` at most and at least one."""
    return Response("t2c_markdown_intent_enrichment", _limited(MarkdownResponse, "enrichments", 1, batch))


def document_intent(most: int) -> Response[DocumentResponse]:
    """What a piece of a document states, `most` intents at most."""
    return Response("t2c_document_intent", _limited(DocumentResponse, "records", 0, most))


def communication_enrichment() -> Response[CommunicationResponse]:
    """Messages read again, and what each participant said in sum."""
    return Response("t2c_communication_enrichment", CommunicationResponse)


def grounded_summary() -> Response[SummaryResponse]:
    """Conclusions from records and diagnostics."""
    return Response("t2c_grounded_summary", SummaryResponse)


def grounded_task_synthesis() -> Response[TaskResponse]:
    """Conclusions from records and diagnostics, and tasks that would close them."""
    return Response("t2c_grounded_task_synthesis", TaskResponse)


def rerank() -> Response[RerankResponse]:
    """Which module a declaration in another language means."""
    return Response("t2c_cross_language_rerank_v1", RerankResponse)


@cache
def _limited(kind: type[M], member: str, least: int, most: int) -> type[M]:
    """A type whose list has so many items."""
    field = kind.model_fields[member]
    bounds = Field(min_length=least, max_length=most) if least else Field(max_length=most)
    fields: dict[str, Any] = {member: (field.annotation, bounds)}
    make: Any = create_model
    limited: type[M] = make(kind.__name__, __base__=kind, __doc__=kind.__doc__, __module__=__name__, **fields)
    return limited
