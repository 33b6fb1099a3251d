"""One look at every record that stands: what is planned, claimed and found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from datetime import datetime
from itertools import groupby
from typing import Any, Final

import msgspec

from t2c.projections.records import StandingRecords
from t2c.projections.records.commits import instant
from t2c.projections.summary.model import (
    Changelog,
    Code,
    Commits,
    Plans,
    RecordRef,
    Records,
    Release,
    Share,
    TodoGroup,
    TodoItem,
)

__all__ = ["MAX_TEXT", "Survey", "shortened"]

MAX_TEXT: Final = 300
"""Characters of a statement that a summary keeps."""
_OPEN_SHOWN: Final = 12
_RELEASES_SHOWN: Final = 5
_DONE: Final = frozenset({"implemented", "verified", "released", "completed"})
_REVISION: Final = 12
_APART: Final = frozenset({"changelog_release", "git_tag_fact", "git_identity_declaration"})


class _Lines(msgspec.Struct, gc=False):
    start: int


class _Source(msgspec.Struct, gc=False):
    kind: str
    path: str | None
    lines: _Lines | None
    revision: str | None
    symbol: str | None


class _Statement(msgspec.Struct, gc=False):
    kind: str
    action: str
    actor: str | None
    subject: str | None
    text: str


class _Lifecycle(msgspec.Struct, gc=False):
    status: str


class _Epistemic(msgspec.Struct, gc=False, rename={"cls": "class"}):
    cls: str


class _Metadata(msgspec.Struct):
    """Free-form: whatever stands there, a value of another type than expected counts as absent."""

    anchor: Any = None
    version: Any = None
    releaseDate: Any = None
    committedAt: Any = None
    headingPath: Any = None
    public: Any = None
    symbolKind: Any = None
    test: Any = None


class _Record(msgspec.Struct, gc=False):
    epistemic: _Epistemic
    lifecycle: _Lifecycle
    metadata: _Metadata
    observedAt: str | None
    source: _Source
    statement: _Statement

    @property
    def line(self) -> int | None:
        return self.source.lines.start if self.source.lines else None


_record = msgspec.json.Decoder(_Record).decode


def shortened(text: str, limit: int = MAX_TEXT) -> str:
    """The first `limit` characters, the last of them an ellipsis if there were more."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Survey:
    """Counts taken in one pass over the records; `linked` are the ids of records that a relation touches.

    `named` holds the records asked for by id, as a person would name them.
    """

    def __init__(self, standing: StandingRecords, linked: Collection[str], wanted: Collection[str]) -> None:
        self.named: dict[str, RecordRef] = {}
        self.linked: Counter[str] = Counter()
        self._by_source: Counter[str] = Counter()
        self._by_family: Counter[str] = Counter()
        self._unreadable = 0
        self._total = len(standing)
        self._open: list[tuple[str, int, tuple[str, ...], str]] = []
        self._done = 0
        self._plans_elsewhere = 0
        self._entries: Counter[str] = Counter()
        self._released: dict[str, str | None] = {}
        self._unreleased = 0
        self._authors: set[str] = set()
        self._first: datetime | None = None
        self._last: datetime | None = None
        self._files: set[str | None] = set()
        self._test_files: set[str | None] = set()
        self._facts: Counter[str] = Counter()
        self._declared: Counter[str | None] = Counter()
        self._judged: Counter[str | None] = Counter()
        self._public: Counter[str | None] = Counter()
        self._tests = 0
        for identity, raw in standing:
            try:
                record = _record(raw)
            except msgspec.DecodeError:
                self._unreadable += 1
                continue
            self._take(record)
            self.linked[_family(record)] += identity in linked
            if identity in wanted:
                self.named[identity] = _named(record)

    def _take(self, record: _Record) -> None:
        kind = record.source.kind
        self._by_source[kind] += 1
        self._by_family[_family(record)] += 1
        if kind == "ast":
            self._take_code(record)
        elif kind == "todo":
            self._take_todo(record)
        elif record.epistemic.cls == "plan":
            self._plans_elsewhere += 1
        if kind == "changelog":
            self._take_entry(record)
        elif kind == "git" and _family(record) == "git":
            self._take_commit(record)
        elif kind == "test":
            self._tests += 1

    def _take_code(self, record: _Record) -> None:
        metadata, path = record.metadata, record.source.path
        self._files.add(path)
        self._facts[_fact(record)] += 1
        if record.statement.kind == "module_fact":
            if metadata.test is True:
                self._test_files.add(path)
        elif record.statement.action == "declare":
            self._declared[path] += 1
            self._judged[path] += isinstance(metadata.public, bool)
            self._public[path] += metadata.public is True
            self._tests += metadata.test is True

    def _take_todo(self, record: _Record) -> None:
        if record.lifecycle.status in _DONE:
            self._done += 1
        else:
            place = (record.source.path or "", record.line or 0)
            self._open.append((*place, _trail(record.metadata), shortened(record.statement.text)))

    def _take_entry(self, record: _Record) -> None:
        metadata = record.metadata
        version = metadata.version
        if not isinstance(version, str):
            version = (record.statement.subject or "").removeprefix("release:")
        if record.lifecycle.status == "proposed" or version.casefold() in ("", "unreleased"):
            self._unreleased += record.statement.kind != "changelog_release"
            return
        self._entries[version] += record.statement.kind != "changelog_release"
        date = metadata.releaseDate if isinstance(metadata.releaseDate, str) else None
        self._released[version] = self._released.get(version) or date

    def _take_commit(self, record: _Record) -> None:
        if record.statement.actor:
            self._authors.add(record.statement.actor)
        committed = record.metadata.committedAt
        time = instant(committed if isinstance(committed, str) else record.observedAt)
        if time is not None:
            self._first = time if self._first is None else min(self._first, time)
            self._last = time if self._last is None else max(self._last, time)

    @property
    def records(self) -> Records:
        return Records(self._total, self._by_source, self._unreadable)

    @property
    def plans(self) -> Plans:
        shown = sorted(self._open)[:_OPEN_SHOWN]
        groups = tuple(
            TodoGroup(
                path or None, trail, tuple(TodoItem(item[3], path or None, item[1] or None) for item in items)
            )
            for (path, trail), items in groupby(shown, key=lambda item: (item[0], item[2]))
        )
        total = self._done + len(self._open)
        return Plans(
            done=Share("TODO items that are done", self._done, total),
            open=len(self._open),
            open_first=groups,
            open_not_shown=len(self._open) - len(shown),
            elsewhere=self._plans_elsewhere,
        )

    @property
    def changelog(self) -> Changelog:
        by_date = sorted(self._released, reverse=True)
        by_date.sort(key=lambda version: self._released[version] or "", reverse=True)
        latest = tuple(
            Release(version, self._released[version], self._entries[version])
            for version in by_date[:_RELEASES_SHOWN]
        )
        entries = sum(self._entries.values()) + self._unreleased
        return Changelog(entries, self._unreleased, len(self._released), latest)

    @property
    def commits(self) -> Commits:
        return Commits(self._by_family["git"], len(self._authors), _day(self._first), _day(self._last))

    @property
    def code(self) -> Code:
        product = [path for path in self._declared if path not in self._test_files]
        public, judged = (sum(found[path] for path in product) for found in (self._public, self._judged))
        return Code(
            files=len(self._files - {None}),
            test_files=len(self._test_files - {None}),
            symbols=sum(self._declared.values()),
            public=Share("symbols declared outside test files that are public", public, judged),
            tests=self._tests,
            facts_by_kind=self._facts,
        )

    def touched(self, kind: str, what: str) -> Share:
        """How many records of one family a relation touches."""
        return Share(what, self.linked[kind], self._by_family[kind])


def _day(time: datetime | None) -> str | None:
    return None if time is None else time.date().isoformat()


def _family(record: _Record) -> str:
    """What a record is counted with: its kind of source, releases and tags apart from entries and commits."""
    kind = record.statement.kind
    return kind if kind in _APART else record.source.kind


def _trail(metadata: _Metadata) -> tuple[str, ...]:
    """The headings above a statement."""
    trail = metadata.headingPath
    if not isinstance(trail, list) and isinstance(metadata.anchor, dict):
        trail = metadata.anchor.get("trail")
    return tuple(step for step in trail if isinstance(step, str)) if isinstance(trail, list) else ()


def _fact(record: _Record) -> str:
    """What kind of thing a code fact is about, for example `method`."""
    kind = record.metadata.symbolKind
    if isinstance(kind, str) and kind:
        return kind
    return record.statement.kind.removesuffix("_fact").replace("_", " ")


def _named(record: _Record) -> RecordRef:
    source, statement = record.source, record.statement
    path, line = source.path, record.line
    match source.kind:
        case "git" if statement.kind == "git_tag_fact":
            return RecordRef("tag", shortened(statement.text), None, None)
        case "git":
            return RecordRef(
                f"commit {(source.revision or '')[:_REVISION]}".rstrip(),
                shortened(statement.text),
                None,
                None,
            )
        case "todo":
            return RecordRef("TODO item", shortened(statement.text), path, line)
        case "changelog" if statement.kind == "changelog_release":
            return RecordRef("release", shortened(statement.text), path, line)
        case "changelog":
            return RecordRef("changelog entry", shortened(statement.text), path, line)
        case "ast":
            what = statement.kind.removesuffix("_fact").replace("_", " ")
            return RecordRef(shortened(what), shortened(source.symbol or path or statement.text), path, line)
        case other:
            return RecordRef(
                shortened(other.replace("_", " ")) + " statement", shortened(statement.text), path, line
            )
