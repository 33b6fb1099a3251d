"""What stood at two moments of one journal, followed for those records, relations and omissions alone that changed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import msgspec

from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.identity import content_digest
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.canon import canonical

__all__ = ["Gone", "RecordAt", "Stood", "Touched", "differences", "same_content", "usable"]

HANDLED: Final = frozenset(
    {
        "record.observed", "record.moved", "record.retracted", "relation.linked", "relation.unlinked",
        "omission.noted", "omission.cleared",
    }
)  # fmt: skip


class RecordAt(NamedTuple):
    """A record that stands: the byte at which its last `record.observed` starts, and the lines where it is now."""

    offset: int
    lines: tuple[int, int] | None


class Gone(NamedTuple):
    """How a record or relation went: in which event, why, and what took its place."""

    seq: int
    why: str
    superseded_by: str | None = None


class _Lines(msgspec.Struct):
    start: int
    end: int


class _Source(msgspec.Struct):
    lines: _Lines | None


class _Record(msgspec.Struct):
    id: str
    source: _Source


class _Observed(msgspec.Struct):
    record: _Record


class _Move(msgspec.Struct):
    id: str
    lines: _Lines


class _Moved(msgspec.Struct):
    moves: list[_Move]


class _Ended(msgspec.Struct):
    id: str
    why: str
    superseded_by: str | None = None


class _Relation(msgspec.Struct):
    id: str


class _Linked(msgspec.Struct):
    relation: _Relation


class _Omission(msgspec.Struct):
    source: str
    path: str | None
    reason: str

    @property
    def key(self) -> str:
        return canonical([self.source, self.path, self.reason]).decode()


_KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    "record.observed": _Observed,
    "record.moved": _Moved,
    "record.retracted": _Ended,
    "relation.linked": _Linked,
    "relation.unlinked": _Ended,
    "omission.noted": _Omission,
    "omission.cleared": _Omission,
}
_decoders: Final = {name: msgspec.json.Decoder(kind).decode for name, kind in _KINDS.items()}
_UNUSABLE: Final = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)


def usable(entry: Entry) -> msgspec.Struct | None:
    """What of a payload counts here; None if the event is of another type, or of a version that is not known.

    Raises ValueError for a payload of another shape than its type's, which makes nothing stand (decisions A13).
    """
    if entry.type not in HANDLED or (entry.v != 1 and not CATALOGUE.knows(entry.type, entry.v)):
        return None
    try:
        return _decoders[entry.type](entry.data)
    except _UNUSABLE as error:
        raise ValueError(str(error)) from None


class Touched:
    """The ids and keys that some events speak of."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def add(self, payload: msgspec.Struct) -> None:
        """Take note of what a payload is about."""
        self.names.update(_about(payload))


def _about(payload: msgspec.Struct) -> Iterator[str]:
    match payload:
        case _Observed():
            yield payload.record.id
        case _Moved():
            yield from (move.id for move in payload.moves)
        case _Linked():
            yield payload.relation.id
        case _Omission():
            yield payload.key
        case _Ended():
            yield payload.id


class Stood:
    """What stands of some names, event by event.

    `records`, `relations` and `omissions` are those that stand, the latter two as the byte of their last event;
    `gone` says how each of them that stood went last.
    """

    def __init__(self, names: set[str]) -> None:
        self._names = names
        self.records: dict[str, RecordAt] = {}
        self.relations: dict[str, int] = {}
        self.omissions: dict[str, int] = {}
        self.gone: dict[str, Gone] = {}

    def copy(self) -> Stood:
        """The same, unmoved by later events."""
        found = Stood(self._names)
        found.records, found.relations = dict(self.records), dict(self.relations)
        found.omissions, found.gone = dict(self.omissions), dict(self.gone)
        return found

    def step(self, entry: Entry, offset: int, payload: msgspec.Struct) -> None:
        """Take one event in, whose line starts at `offset`."""
        match payload:
            case _Moved():
                for move in payload.moves:
                    if (record := self.records.get(move.id)) is not None:
                        self.records[move.id] = record._replace(lines=(move.lines.start, move.lines.end))
            case _Observed() if payload.record.id in self._names:
                lines = payload.record.source.lines
                self.records[payload.record.id] = RecordAt(
                    offset, None if lines is None else (lines.start, lines.end)
                )
            case _Linked() if payload.relation.id in self._names:
                self.relations[payload.relation.id] = offset
            case _Omission() if (key := payload.key) in self._names:
                if entry.type == "omission.noted":
                    self.omissions[key] = offset
                else:
                    self.omissions.pop(key, None)
            case _Ended() if payload.id in self._names:
                self.records.pop(payload.id, None)
                self.relations.pop(payload.id, None)
                self.gone[payload.id] = Gone(entry.seq, payload.why, payload.superseded_by)


def same_content(before: dict[str, Any], after: dict[str, Any]) -> bool:
    """True if two observations of a record differ at most in locators and the runtime's version (decisions B1)."""
    try:
        return content_digest(before) == content_digest(after)
    except (KeyError, TypeError, AttributeError, ValueError):
        return before == after


_LOCATORS: Final = frozenset({"source.lines", "source.commitIndex"})


def differences(before: dict[str, Any], after: dict[str, Any]) -> list[dict[str, Any]]:
    """{field, before, after} of each member that two observations of a record have differently, locators aside.

    Fields are named by their path, at most two steps deep, in byte order.
    """
    old, new = _flat(before), _flat(after)
    return [
        {"field": name, "before": old.get(name), "after": new.get(name)}
        for name in sorted(old.keys() | new.keys())
        if old.get(name) != new.get(name) and name not in _LOCATORS
    ]


def _flat(record: dict[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            flat |= {f"{name}.{inner}": item for inner, item in value.items()}
        else:
            flat[name] = value
    return flat
