"""The record contract `t2c.intent/v1`: one statement found in one source (intent-evidence §1).

Shapes follow the published contract; identity and digest follow architecture §4.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from t2c.ledger.events.base import FreeForm, Hex64, Portion, RecordRef, Span, Text, Timestamp, Value

__all__ = [
    "Action",
    "Epistemic",
    "EpistemicClass",
    "Generation",
    "Lifecycle",
    "Modality",
    "Polarity",
    "Record",
    "RelationType",
    "Source",
    "SourceKind",
    "Statement",
    "Status",
    "Target",
]

Action = Literal[
    "add", "fix", "remove", "refactor", "test", "document", "configure", "analyze", "validate", "call",
    "depend_on", "declare", "release", "change", "preserve", "block", "approve", "unknown",
]  # fmt: skip
Modality = Literal["required", "recommended", "optional", "observed", "claimed", "unknown"]
Polarity = Literal["positive", "negative"]
Status = Literal[
    "proposed", "planned", "in_progress", "implemented", "verified", "released", "completed", "blocked", "unknown"
]  # fmt: skip
SourceKind = Literal["nl", "git", "ast", "todo", "changelog", "document", "agent_log", "test", "system"]
EpistemicClass = Literal["declaration", "plan", "claim", "fact", "inference", "llm_inference"]
RelationType = Literal[
    "plans", "implements", "evidenced_by", "releases", "documents", "contradicts", "duplicates", "same_as",
    "related_to", "tests", "depends_on", "modifies", "blocks", "supersedes", "claimed_by", "declares",
]  # fmt: skip


def _unique(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(values) > 1 and len(set(values)) != len(values):
        raise ValueError("must not repeat a value")
    return values


def _repo_paths(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if value.startswith(("/", "~/")) or "://" in value or ".." in value.split("/"):
            raise ValueError(f"{value!r} is not a path inside the repository")
    return _unique(values)


Strings = Annotated[tuple[Text, ...], AfterValidator(_unique)]
RepoPaths = Annotated[tuple[Text, ...], AfterValidator(_repo_paths)]


class Target(Value):
    """What a statement is about, each list sorted by UTF-8 bytes."""

    paths: RepoPaths
    symbols: Strings
    tickets: Strings
    versions: Strings


class Statement(Value):
    kind: Text
    actor: str | None
    action: Action
    subject: str | None
    object: Text
    target: Target
    modality: Modality
    polarity: Polarity
    text: str


class Lifecycle(Value):
    status: Status


class Source(Value):
    """Where it was found. `lines` and `commitIndex` are locators: they change without a new observation."""

    kind: SourceKind
    path: str | None
    lines: Span | None
    revision: str | None
    symbol: str | None
    commitIndex: Annotated[int, Field(ge=1)] | None
    extractor: Text
    contentHash: Hex64
    rawExcerpt: str | None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.lines is not None and self.lines.end < self.lines.start:
            raise ValueError("lines end before they start")
        return self


class Epistemic(Value):
    """How it is known. `class` is never changed by a model (seed, Reguły provenance)."""

    cls: Annotated[EpistemicClass, Field(alias="class")]
    confidence: Portion
    basis: Strings


class Generation(Value):
    """How a record was made; owned by the runtime, never by a model (intent-evidence §1.1)."""

    generator: Text
    generatorVersion: Text
    runtimeVersion: Text
    requested: Literal["deterministic", "llm"]
    used: Literal["deterministic", "llm"]
    degraded: bool
    fallbackReason: str | None
    provider: str | None
    model: str | None
    responseId: str | None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        if self.used == "llm":
            if not (self.provider and self.provider.strip() and self.model and self.model.strip()):
                raise ValueError("used=llm needs a provider and a model")
        elif self.provider is not None or self.model is not None or self.responseId is not None:
            raise ValueError("used=deterministic leaves provider, model and responseId null")
        if self.degraded:
            fell_back = self.requested == "llm" and self.used == "deterministic"
            if not (fell_back and self.fallbackReason and self.fallbackReason.strip()):
                raise ValueError("degraded needs requested=llm, used=deterministic and a fallbackReason")
        elif self.fallbackReason is not None:
            raise ValueError("fallbackReason without degraded")
        return self


def _generation(given: object) -> Generation:
    """The generation that a record names. All records of one reading name the same, so it is checked once."""
    if not isinstance(given, dict):
        raise ValueError("metadata.generation is missing")  # noqa: TRY004 - pydantic turns only ValueError into its own
    try:
        return _checked(tuple(given.items()))
    except TypeError:
        return Generation.model_validate(given)


@lru_cache(maxsize=64)
def _checked(members: tuple[tuple[str, object], ...]) -> Generation:
    return Generation.model_validate(dict(members))


class Record(Value):
    """One statement, who made it, where it stands and how far it is known."""

    schemaVersion: Literal["t2c.intent/v1"]
    id: RecordRef
    statement: Statement
    lifecycle: Lifecycle
    source: Source
    epistemic: Epistemic
    observedAt: Timestamp | None
    metadata: FreeForm

    @model_validator(mode="after")
    def _provenance(self) -> Self:
        generation = _generation(self.metadata.get("generation"))
        name, _, version = self.source.extractor.rpartition("@")
        generator = (generation.generator, generation.generatorVersion)
        if generator != ((name, version) if name else (self.source.extractor, generation.runtimeVersion)):
            raise ValueError("metadata.generation does not name source.extractor")
        if self.epistemic.cls == "llm_inference" and generation.used != "llm":
            raise ValueError("llm_inference needs used=llm")
        if self.epistemic.cls == "fact" and generation.used == "llm":
            raise ValueError("a fact is a deterministic observation; used=llm cannot make one")
        return self
