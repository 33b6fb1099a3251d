"""The record contract `t2c.intent/v1`: one statement found in one source (intent-evidence §1).

Shapes follow the published contract; identity and digest follow architecture §4.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, JsonValue, model_validator

from t2c.ledger.events.base import Hex64, Portion, RecordRef, Span, Text, Timestamp, Value
from t2c.ledger.events.targets import is_host, is_outside
from t2c.ledger.kernel import canon
from t2c.ledger.kernel.ids import RECORD_PREFIX

__all__ = [
    "MODEL_CAP",
    "MODEL_CAPS",
    "SPOKEN",
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

MODEL_CAPS: Final = {"nl": 0.9, "todo": 0.94, "changelog": 0.94, "agent_log": 0.85, "document": 0.85}
"""How sure of a statement a model may make a record, by `source.kind` (intent-evidence §1.2)."""
MODEL_CAP: Final = 0.85
"""The same for the other kinds of sources, for which no model is meant: the lowest."""
SPOKEN: Final = frozenset({"nl", "git", "todo", "changelog", "document", "agent_log"})
"""Kinds of sources that are prose: what looks like a host in them is no symbol."""


def _unique(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(values) > 1 and len(set(values)) != len(values):
        raise ValueError("must not repeat a value")
    return values


def _repo_paths(values: tuple[str, ...]) -> tuple[str, ...]:
    for value in values:
        if is_outside(value):
            raise ValueError(f"{value!r} is not a path inside the repository")
    return _unique(values)


def _metadata(value: dict[str, JsonValue]) -> dict[str, JsonValue]:
    if "generation" not in value:
        raise ValueError("metadata.generation is missing")
    # The type of a generation keeps the limits by itself, and all records of one reading have the same.
    canon.check({**value, "generation": None})
    return value


Strings = Annotated[tuple[Text, ...], AfterValidator(_unique)]
RepoPaths = Annotated[tuple[Text, ...], AfterValidator(_repo_paths)]
Metadata = Annotated[dict[str, JsonValue], AfterValidator(_metadata)]


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


class Epistemic(Value):
    """How it is known. `class` is never changed by a model (seed, Reguły provenance)."""

    cls: Annotated[EpistemicClass, Field(alias="class")]
    confidence: Portion
    basis: Strings


class Generation(Value):
    """How a record was made; owned by the runtime, never by a model (intent-evidence §1.1)."""

    generator: Text
    generatorVersion: Text
    runtimeVersion: Annotated[
        str, Field(pattern=r"^[0-9]+\.[0-9]+\.[0-9]+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$")
    ]
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


_Known = tuple[dict[str, JsonValue], str, str]
_last: list[_Known] = [({}, "", "")]


def _used(given: JsonValue, extractor: str) -> str:
    """What `metadata.generation` says was used, once it is known to be right and to name the extractor.

    All records of one reading name the same, so the one found right last is kept; what is equal to it is right too.
    """
    known, name, used = _last[0]
    # A number is equal to a truth value, and no generation holds one.
    if isinstance(given, dict) and name == extractor and known == given and type(given["degraded"]) is bool:
        return used
    used = _judged(given, extractor)
    assert isinstance(given, dict)
    _last[0] = (dict(given), extractor, used)
    return used


def _judged(given: object, extractor: str) -> str:
    generation = Generation.model_validate(given)
    name, _, version = extractor.rpartition("@")
    named = (name, version) if name else (extractor, generation.runtimeVersion)
    if (generation.generator, generation.generatorVersion) != named:
        raise ValueError("metadata.generation does not name source.extractor")
    return generation.used


class Record(Value):
    """One statement, who made it, where it stands and how far it is known."""

    schemaVersion: Literal["t2c.intent/v1"]
    id: RecordRef
    statement: Statement
    lifecycle: Lifecycle
    source: Source
    epistemic: Epistemic
    observedAt: Timestamp | None
    metadata: Metadata

    @model_validator(mode="after")
    def _provenance(self) -> Self:
        source = self.source
        kind = source.kind
        if self.id[:-21] != RECORD_PREFIX[kind]:
            raise ValueError(f"the id of a record of source.kind {kind} begins with {RECORD_PREFIX[kind]}-")
        if (lines := source.lines) is not None and lines.end < lines.start:
            raise ValueError("lines end before they start")
        excerpt = source.rawExcerpt
        if excerpt is not None and sha256(excerpt.encode()).hexdigest() != source.contentHash:
            raise ValueError("contentHash is not the SHA-256 of rawExcerpt")
        if _used(self.metadata["generation"], source.extractor) == "llm":
            self._made_by_a_model()
        elif self.epistemic.cls == "llm_inference":
            raise ValueError("llm_inference needs used=llm")
        if (symbols := self.statement.target.symbols) and kind in SPOKEN:
            for symbol in symbols:
                if is_host(symbol):
                    raise ValueError(f"{symbol!r} is the name of a host and no symbol")
        return self

    def _made_by_a_model(self) -> None:
        kind, epistemic = self.source.kind, self.epistemic
        if epistemic.cls == "fact":
            raise ValueError("a fact is a deterministic observation; used=llm cannot make one")
        most = MODEL_CAPS.get(kind, MODEL_CAP)
        if epistemic.confidence > most:
            raise ValueError(f"a model is at most {most} sure of what it reads in source.kind {kind}")
        if kind == "nl" and self.lifecycle.status != "proposed":
            raise ValueError("what a model reads in natural language is lifecycle proposed")
