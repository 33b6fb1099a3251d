"""The records that stand and what relates them, read once for every view that judges them.

Records become light structures here and not in the projections that only copy bytes. What is free-form is read as it
comes: a value of another type than expected counts as absent.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

import msgspec

from t2c.ledger.events.interpretation import ACCEPTED
from t2c.projections.base import Inputs
from t2c.projections.graph import Link, links
from t2c.projections.records import StandingRecords

__all__ = [
    "DECLARED",
    "OBSERVED",
    "SEVERITIES",
    "Fact",
    "Facts",
    "Lines",
    "Metadata",
    "Place",
    "Said",
    "Target",
]

DECLARED: Final = ("nl", "todo", "document", "agent_log")
"""Kinds of source that say what is wanted, in the order of the lanes (intent-evidence §5.1)."""
OBSERVED: Final = ("git", "ast", "system", "test")
"""Kinds of source that show what is there (decisions C3)."""
SEVERITIES: Final = ("info", "warning", "review_required", "blocking")
"""From the least to the most severe."""


class Lines(msgspec.Struct, frozen=True, gc=False):
    start: int
    end: int


class Target(msgspec.Struct, frozen=True, gc=False):
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    tickets: tuple[str, ...]
    versions: tuple[str, ...]


class Said(msgspec.Struct, frozen=True, gc=False):
    """`statement` of a record."""

    kind: str
    actor: str | None
    action: str
    subject: str | None
    object: str
    target: Target
    modality: str
    polarity: str
    text: str


class Place(msgspec.Struct, frozen=True, gc=False):
    """`source` of a record, its excerpt and digest left out."""

    kind: str
    path: str | None
    lines: Lines | None
    revision: str | None
    symbol: str | None
    commitIndex: int | None
    extractor: str


class _Lifecycle(msgspec.Struct, frozen=True, gc=False):
    status: str


class _Epistemic(msgspec.Struct, frozen=True, gc=False, rename={"cls": "class"}):
    cls: str
    confidence: float
    basis: tuple[str, ...]


class Metadata(msgspec.Struct, frozen=True):
    """Members of `metadata` that some view reads; the rest is skipped unread."""

    anchor: Any = None
    aggregate: Any = None
    author: Any = None
    calls: Any = None
    capabilities: Any = None
    category: Any = None
    commit: Any = None
    commitType: Any = None
    committedAt: Any = None
    diff: Any = None
    displayName: Any = None
    docOnly: Any = None
    docstring: Any = None
    documentationOrigin: Any = None
    explicitId: Any = None
    gitAuthors: Any = None
    headingPath: Any = None
    identityResolved: Any = None
    language: Any = None
    merge: Any = None
    messageType: Any = None
    missingFields: Any = None
    outcome: Any = None
    parents: Any = None
    participant: Any = None
    participantId: Any = None
    participantRole: Any = None
    public: Any = None
    recipient: Any = None
    releaseDate: Any = None
    symbolKind: Any = None
    test: Any = None
    ticket: Any = None
    version: Any = None


class Fact(msgspec.Struct, frozen=True, gc=False):
    """One record that stands."""

    id: str
    statement: Said
    lifecycle: _Lifecycle
    source: Place
    epistemic: _Epistemic
    observedAt: str | None
    metadata: Metadata

    @property
    def where(self) -> str:
        """`path:line`, the first twelve digits of a commit, or the id."""
        if self.source.path is not None and self.source.kind != "git":
            lines = self.source.lines
            return self.source.path if lines is None else f"{self.source.path}:{lines.start}"
        return self.source.revision[:12] if self.source.revision is not None else self.id


_decode = msgspec.json.Decoder(Fact).decode


class Facts:
    """`records` by id in the order of ids; `relations` in the order of theirs; both ends of each stand."""

    def __init__(self, records: Mapping[str, Fact], relations: Sequence[Link]) -> None:
        self.records = records
        self.relations = relations
        self._around: dict[str, list[Link]] = {}
        for link in relations:
            self._around.setdefault(link.relation.source, []).append(link)
            self._around.setdefault(link.relation.to, []).append(link)

    @classmethod
    def of(cls, inputs: Inputs) -> Facts:
        """Those of the folded states of `records` and `graph`, made once for all views that read them.

        What a model accepted is no relation here: it is a claim, and no evidence of anything.
        """
        found = inputs.made.get("facts")
        if not isinstance(found, Facts):
            whole = cls.shown(inputs)
            found = whole
            if any(link.rule == ACCEPTED for link in whole.relations):
                found = cls(whole.records, tuple(link for link in whole.relations if link.rule != ACCEPTED))
            inputs.made["facts"] = found
        return found

    @classmethod
    def shown(cls, inputs: Inputs) -> Facts:
        """The same with what a model accepted, for views that show relations and judge nothing by them."""
        found = inputs.made.get("facts.shown")
        if not isinstance(found, Facts):
            standing = StandingRecords.of(inputs)
            records: dict[str, Fact] = {}
            for identity, raw in standing:
                with suppress(
                    msgspec.DecodeError
                ):  # no record of the contract; the audit of schemas names it
                    records[identity] = _decode(raw)
            related = links(inputs.states["graph"], standing)
            shown = (
                link for link in related if link.relation.source in records and link.relation.to in records
            )
            found = cls(records, tuple(shown))
            inputs.made["facts.shown"] = found
        return found

    def around(self, identity: str) -> Sequence[Link]:
        """The relations that a record is an end of, by id."""
        return self._around.get(identity, ())

    def neighbours(self, identity: str) -> Iterator[tuple[Link, Fact]]:
        """Each relation of a record with the record at its other end."""
        for link in self.around(identity):
            other = link.relation.to if link.relation.source == identity else link.relation.source
            yield link, self.records[other]

    def of_kind(self, *sources: str) -> Iterator[Fact]:
        """The records of these kinds of source, in the order of ids."""
        return (fact for fact in self.records.values() if fact.source.kind in sources)
