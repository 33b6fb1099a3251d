"""The one interface of extractors: scopes read, record drafts, warnings as values.

An extractor never raises for bad input of the user's and never drops anything silently: each cap, skip or
unreadable file is a Warning, which the scan records as `omission.noted`. Only a scope read completely may
have records retracted later (decisions B2).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import Any, Final, NamedTuple, Protocol

import msgspec
from msgspec import Struct

from t2c import __version__
from t2c.ledger.events.identity import digest_of_bare
from t2c.ledger.events.record import SPOKEN, Action, EpistemicClass, Modality, Polarity, SourceKind, Status
from t2c.ledger.events.targets import (
    normalised_paths,
    normalised_symbols,
    normalised_tickets,
    normalised_versions,
)
from t2c.ledger.kernel.canon import canonical, decimal3
from t2c.ledger.kernel.ids import RecordId, normalised, record_id

__all__ = [
    "MAX_EXCERPT",
    "REMARKS",
    "Draft",
    "FileExtractor",
    "Found",
    "Progress",
    "Reading",
    "Scope",
    "Tree",
    "Warning",
    "materialise",
    "no_progress",
    "shortened",
]

MAX_EXCERPT = 2000
"""Characters of source text kept in a record."""

Progress = Callable[[str, int, int | None], None]
"""Called with (stage, done, total or None when unknown)."""


def no_progress(stage: str, done: int, total: int | None) -> None:
    """A Progress that tells nobody."""


REMARKS: Final = frozenset(
    {"line_endings", "recoded", "replace_refs", "grafts", "no_commits", "not_a_repository", "brief_limit"}
)
"""Reasons of warnings that leave nothing out: how a file was read, that there is no history, what no model was shown."""


class Scope(NamedTuple):
    """The unit that is read as a whole: one file of one source, or (source, None) for Git's history."""

    source: str
    path: str | None


class Warning(Struct, frozen=True):
    """Something left out or read in a lesser way, counted and placed; keyed (source, path, reason)."""

    source: str
    path: str | None
    reason: str
    detail: str
    count: int = 1
    lines: tuple[int, ...] = ()


class Draft(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What an extractor says of one statement; `materialise` gives it identity and shape.

    `trail` is the structure above it (heading texts, or enclosing symbols), `symbol` the qualified name of a
    code fact; with a `symbol` or a `revision` identity rests on that, else on the normalised `text`.
    Confidence is 0..1. `paths`, `symbols`, `tickets` and `versions` are what the statement is about.
    """

    kind: str
    text: str
    object: str
    action: Action
    cls: EpistemicClass
    status: Status
    confidence: float
    basis: tuple[str, ...]
    trail: tuple[str, ...] = ()
    lines: tuple[int, int] | None = None
    symbol: str | None = None
    revision: str | None = None
    actor: str | None = None
    subject: str | None = None
    modality: Modality = "unknown"
    polarity: Polarity = "positive"
    paths: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    tickets: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()
    excerpt: str | None = None
    observed_at: str | None = None
    metadata: Mapping[str, Any] = msgspec.field(default_factory=dict)


class Reading(Struct, frozen=True):
    """What one extractor read of one scope. `complete` is False if any part could not be read."""

    scope: Scope
    extractor: str
    records: tuple[Draft, ...]
    warnings: tuple[Warning, ...] = ()
    complete: bool = True


class Tree(Protocol):
    """The files of one inventory, for resolving what a statement names."""

    def __contains__(self, path: str) -> bool:
        """True if the repository holds a file of exactly this path."""
        ...

    def named(self, name: str) -> tuple[str, ...]:
        """Paths of all files with this base name, in byte order."""
        ...

    def content(self, path: str) -> bytes | None:
        """The content of another file of the repository; None if there is none that can be read."""
        ...


class FileExtractor(Protocol):
    """Reads one kind of file. `name` is `t2c/<what>@<version>`; a new version means new reading rules."""

    name: str
    source: SourceKind

    def wants(self, path: str) -> bool:
        """True if this extractor reads files of this repository path."""
        ...

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All statements of one file, in the order of the file. Never raises for what the file holds."""
        ...


_RECORD_AT: Final = len(b'{"record":')
_AFTER_LINES: Final = b',"path":'
_NO_LINES: Final = b',"lines":null' + _AFTER_LINES
_NO_VERSION: Final = b'"runtimeVersion":null,'
_VERSION: Final = b'"runtimeVersion":%b,' % canonical(__version__)


class Found(NamedTuple):
    """A record with identity: its id, the digest that decides re-observation, its locator and its bytes.

    `payload` is the canonical payload of the `record.observed` event that would tell of it.
    """

    id: RecordId
    digest: bytes
    lines: tuple[int, int] | None
    payload: bytes

    @property
    def body(self) -> bytes:
        """The canonical `t2c.intent/v1` record alone."""
        return self.payload[_RECORD_AT:-1]


def shortened(text: str, most: int) -> str:
    """At most so many characters, cut at a space where there is one near: half a word may be the front of a secret."""
    if len(text) <= most:
        return text
    at = max(text.rfind(" ", most // 2, most + 1), text.rfind("\n", most // 2, most + 1))
    return text[:most] if at < 0 else text[:at]


def materialise(reading: Reading) -> Iterator[Found]:
    """Give each draft its ordinal among equals, its id, its digest and its canonical bytes."""
    source, path = reading.scope
    name, _, version = reading.extractor.rpartition("@")
    generation = {
        "generator": name,
        "generatorVersion": version,
        "runtimeVersion": None,
        "requested": "deterministic",
        "used": "deterministic",
        "degraded": False,
        "fallbackReason": None,
        "provider": None,
        "model": None,
        "responseId": None,
    }
    seen: dict[tuple[str, tuple[str, ...], str], int] = {}
    for draft in reading.records:
        key = draft.revision or draft.symbol or normalised(draft.text)
        place = (draft.kind, tuple(normalised(step) for step in draft.trail), key)
        ordinal = seen[place] = seen.get(place, 0) + 1
        identity = record_id(source, path, draft.kind, draft.trail, key, ordinal)
        record = _record(draft, reading, identity, source, path, ordinal, generation)  # type: ignore[arg-type]
        bare = canonical(record)
        yield Found(identity, digest_of_bare(bare), draft.lines, _placed(bare, draft.lines))


def _placed(bare: bytes, lines: tuple[int, int] | None) -> bytes:
    """The payload of a record whose locators and runtime version were null: put in without encoding again.

    The last place where the neighbours of these members stand is the record's own, since what follows it has
    no members of these names and a text cannot hold a bare quote.
    """
    at = bare.rfind(_NO_LINES)
    version = bare.rfind(_NO_VERSION, 0, at)
    places = b"null" if lines is None else b'{"end":%d,"start":%d}' % (lines[1], lines[0])
    return b"".join(
        (
            b'{"record":',
            bare[:version],
            _VERSION,
            bare[version + len(_NO_VERSION) : at],
            b',"lines":',
            places,
            bare[at + len(_NO_LINES) - len(_AFTER_LINES) :],
            b"}",
        )
    )


def _record(
    draft: Draft,
    reading: Reading,
    identity: RecordId,
    source: SourceKind,
    path: str | None,
    ordinal: int,
    generation: Mapping[str, object],
) -> dict[str, Any]:
    excerpt = shortened(draft.text if draft.excerpt is None else draft.excerpt, MAX_EXCERPT)
    anchor = {"trail": list(draft.trail), "ordinal": ordinal}
    return {
        "schemaVersion": "t2c.intent/v1",
        "id": identity,
        "statement": {
            "kind": draft.kind,
            "actor": draft.actor,
            "action": draft.action,
            "subject": draft.subject,
            "object": draft.object,
            "target": {
                "paths": normalised_paths(draft.paths),
                "symbols": normalised_symbols(draft.symbols, of_code=source not in SPOKEN),
                "tickets": normalised_tickets(draft.tickets),
                "versions": normalised_versions(draft.versions),
            },
            "modality": draft.modality,
            "polarity": draft.polarity,
            "text": draft.text,
        },
        "lifecycle": {"status": draft.status},
        "source": {
            "kind": source,
            "path": path,
            "lines": None,
            "revision": draft.revision,
            "symbol": draft.symbol,
            "commitIndex": None,
            "extractor": reading.extractor,
            "contentHash": sha256(excerpt.encode()).hexdigest(),
            "rawExcerpt": excerpt,
        },
        "epistemic": {
            "class": draft.cls,
            "confidence": decimal3(draft.confidence),
            "basis": _ordered(draft.basis),
        },
        "observedAt": draft.observed_at,
        "metadata": {**draft.metadata, "anchor": anchor, "generation": generation},
    }


def _ordered(values: Iterable[str]) -> list[str]:
    """Unique and in the order of UTF-8 bytes, which is the order of code points."""
    return sorted(set(values))
