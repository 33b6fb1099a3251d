"""A record as the rules see it: the parts of `t2c.intent/v1` that linking needs, decoded once.

Free-form metadata is read as it comes; a value of another type counts as absent, since records may be imported from
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

import msgspec

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.citations import Mention

__all__ = ["Record", "decoded"]


class _Target(msgspec.Struct, gc=False):
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    tickets: tuple[str, ...]
    versions: tuple[str, ...] = ()


class _Words(msgspec.Struct, gc=False):
    kind: str
    action: str
    target: _Target
    polarity: str
    text: str
    modality: str = "unknown"


class _Source(msgspec.Struct, gc=False):
    kind: str
    path: str | None
    revision: str | None
    symbol: str | None
    rawExcerpt: str | None


class _Epistemic(msgspec.Struct, gc=False, rename={"cls": "class"}):
    cls: str
    basis: tuple[str, ...] = ()


class _Metadata(msgspec.Struct, gc=False, omit_defaults=True):
    docOnly: Any = None
    anchor: Any = None
    package: Any = None
    commit: Any = None
    diff: Any = None
    parents: Any = None
    committedAt: Any = None
    changedFiles: Any = None
    merge: Any = None
    reverts: Any = None
    version: Any = None
    releaseDate: Any = None
    category: Any = None
    calls: Any = None
    imports: Any = None
    names: Any = None
    relative: Any = None
    docstring: Any = None
    language: Any = None
    symbolKind: Any = None
    nativeKind: Any = None
    public: Any = None
    test: Any = None
    capabilities: Any = None
    explicitId: Any = None
    headingPath: Any = None
    participant: Any = None
    participantRole: Any = None
    ticket: Any = None
    artifactType: Any = None
    brokenLinks: Any = None
    checked: Any = None
    constraint: Any = None
    covers: Any = None
    decisionId: Any = None
    dependencies: Any = None
    blockedBy: Any = None
    blocks: Any = None
    documentationOrigin: Any = None
    form: Any = None
    enclosing: Any = None
    links: Any = None
    level: Any = None
    messageType: Any = None
    parent: Any = None
    parentTask: Any = None
    relations: Any = None
    requirement: Any = None
    requirementId: Any = None
    sample: Any = None
    supersededBy: Any = None
    supersedes: Any = None
    suspect: Any = None
    tag: Any = None
    title: Any = None
    ecosystem: Any = None
    group: Any = None
    key: Any = None
    name: Any = None
    resolvedPath: Any = None
    scope: Any = None
    trailers: Any = None
    pathsOmitted: Any = None
    lines: Any = None


class _Lifecycle(msgspec.Struct, gc=False):
    status: str


class Record(msgspec.Struct, gc=False, omit_defaults=True):
    """The parts of a `t2c.intent/v1` record that linking needs; all else is skipped unread."""

    id: RecordId
    statement: _Words
    source: _Source
    epistemic: _Epistemic
    observedAt: str | None
    metadata: _Metadata
    mentions: tuple[Mention, ...] | None = None
    """The numbers that it cites, once somebody asked; no member of a record."""
    lifecycle: _Lifecycle | None = None

    @property
    def text(self) -> str:
        """The source text as far as it is kept."""
        return self.statement.text if self.source.rawExcerpt is None else self.source.rawExcerpt

    @property
    def takes_back(self) -> tuple[str, ...]:
        """The revisions, as written, that a commit says it reverts."""
        named = self.metadata.reverts
        return tuple(one for one in named if isinstance(one, str)) if isinstance(named, list) else ()


def decoded(bodies: Iterable[bytes]) -> tuple[list[Record], int]:
    """All records, and the number of bodies that are none."""
    decode = msgspec.json.Decoder(Record).decode
    # Of rivals the smaller digest stands: bodies are not kept, they would be most of the memory of a scan.
    found: dict[RecordId, tuple[bytes, Record]] = {}
    unreadable = 0
    for body in bodies:
        try:
            record = decode(body)
        except msgspec.DecodeError:
            unreadable += 1
            continue
        digest = sha256(body).digest()
        rival = found.get(record.id)
        if rival is None or digest < rival[0]:
            found[record.id] = (digest, record)
    return [record for _, record in found.values()], unreadable
