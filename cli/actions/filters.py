"""Which events are asked for: by type, actor, trust, run and subject. Payloads are decoded only where they may fit."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final, get_args

import msgspec
import orjson

from t2c.cli.actions.change_story import NAMES, Story
from t2c.cli.actions.context import Context
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.entry import Entry, decode_entry
from t2c.ledger.kernel.actor import Actor, ActorKind, Trust
from t2c.ledger.kernel.paths import repo_path

__all__ = ["Asked", "Filter", "near_runs", "payload"]

_ID: Final = re.compile(r"(INT-[A-Z]+|REL|EVT)-[0-9a-f]{20}")
_TYPE: Final = re.compile(r"[a-z]+(\.[a-z]+)*(\.\*)?")
_PLACES: Final = frozenset({"path", "paths", "subject"})
_PEOPLE: Final = frozenset({"participant", "requested_by", "actor"})
_ABOUT_RECORDS: Final = frozenset({"record.retracted", "record.interpreted"})


@dataclass(frozen=True, slots=True)
class Asked:
    """What an event must fit, all of it: None and () ask for nothing. `subject` is what it must be about."""

    types: tuple[str, ...] = ()
    actor: str | None = None
    trust: Trust | None = None
    run: str | None = None
    subject: str | None = None


class _Named(msgspec.Struct):
    id: str


class _RecordOf(msgspec.Struct):
    record: _Named


class Filter:
    """A test of events, to be given all of them in order from the first one on if `from_start` says so.

    Raises Usage for what is no actor, no type that anything here knows, or no path inside the root.
    """

    def __init__(self, context: Context, ledger: Ledger, asked: Asked) -> None:
        if asked.actor is not None:
            Actor.parse(asked.actor)
        self._asked = asked
        self._type = _types(ledger, asked.types)
        self._subject: Callable[[bytes, Entry], bool] | None = None
        self.takes_all = asked == Asked()
        self.from_start = False
        """A path's later events are known by the records that were observed in it before."""
        if asked.subject is not None:
            self._subject = self._about(context, ledger, asked.subject)

    def fits(self, line: bytes, entry: Entry) -> bool:
        """True if an event is asked for."""
        asked = self._asked
        fits = (
            (self._type is None or self._type(entry.type))
            and asked.actor in (None, str(entry.actor))
            and asked.trust in (None, entry.trust)
            and asked.run in (None, entry.run)
        )
        if self._subject is None or not (fits or self.from_start):
            return fits
        return self._subject(line, entry) and fits

    def _about(self, context: Context, ledger: Ledger, subject: str) -> Callable[[bytes, Entry], bool]:
        if NAMES.fullmatch(subject):
            self.from_start = True
            return Story(subject, lambda entry: payload(ledger, entry)).fits
        if _ID.fullmatch(subject):
            return _cites(ledger, subject)
        if not subject:
            raise Usage(
                "the subject is empty", remedy="give an id, a path of the repository or a participant"
            )
        kind, colon, _ = subject.partition(":")
        if colon and kind in get_args(ActorKind):
            return _Mentions(ledger, "", str(Actor.parse(subject))).fits
        self.from_start = True
        path = repo_path(context.root, context.path(subject))
        return _Mentions(ledger, path, subject).fits


class _Mentions:
    """Events about a path of the repository or by, for or about a participant, whichever the name is."""

    def __init__(self, ledger: Ledger, path: str, participant: str) -> None:
        self._ledger = ledger
        self._path = path
        self._participant = participant
        self._needles = tuple({orjson.dumps(name) for name in (path, participant) if name})
        self._records: set[str] = set()

    def fits(self, line: bytes, entry: Entry) -> bool:
        if self._participant in (entry.actor.id, str(entry.actor)):
            return True
        body = line
        if entry.data_hash is not None:
            body = payload(self._ledger, entry) or b""
        if entry.type in _ABOUT_RECORDS and self._records:
            named = _decoded(entry, _Named)
            if named is not None and named.id in self._records:
                return True
        if not any(needle in body for needle in self._needles):
            return False
        data = payload(self._ledger, entry)
        try:
            value = None if data is None else orjson.loads(data)
        except orjson.JSONDecodeError:
            return False
        if not any(self._is(key, text) for key, text in _texts(value)):
            return False
        if entry.type == "record.observed" and (observed := _decoded(entry, _RecordOf)) is not None:
            self._records.add(observed.record.id)
        return True

    def _is(self, key: str, text: str) -> bool:
        return (key in _PLACES and text == self._path) or (key in _PEOPLE and text == self._participant)


def _decoded(entry: Entry, kind: type[Any]) -> Any:
    try:
        return msgspec.json.decode(entry.data, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _texts(value: object) -> Iterator[tuple[str, str]]:
    """(name of the member, text) of every text in a payload; texts of a list stand under the list's name."""
    waiting: list[tuple[str, object]] = [("", value)]
    while waiting:
        key, found = waiting.pop()
        if isinstance(found, str):
            yield key, found
        elif isinstance(found, dict):
            waiting += found.items()
        elif isinstance(found, list):
            waiting += [(key, item) for item in found]


def _cites(ledger: Ledger, ref: str) -> Callable[[bytes, Entry], bool]:
    """Events whose payload, cause or origin names an id, and the event of that id itself."""
    names = [ref.encode()]
    offset = ledger.index.offset(ref)  # None for ids of records and relations
    if offset is not None:
        # After a merge an event has several ids, and any may be cited (journal-engine §1).
        entry = decode_entry(ledger.journal.line_at(offset))
        former = () if entry.origin is None else entry.origin.places
        names = sorted({ref.encode(), entry.id.encode(), *(place.id.encode() for place in former)})

    def fits(line: bytes, entry: Entry) -> bool:
        if any(name in line for name in names):
            return True
        hidden = None if entry.data_hash is None else payload(ledger, entry)
        return hidden is not None and any(name in hidden for name in names)

    return fits


def payload(ledger: Ledger, entry: Entry) -> bytes | None:
    """The payload of an event, from its line or from its object; None if it is withheld.

    Raises Corrupt for an object that is not what its name promises.
    """
    return bytes(entry.data) if entry.data_hash is None else ledger.objects.payload(entry.data_hash)


def near_runs(ledger: Ledger, run: str) -> list[str] | None:
    """None if some event belongs to `run`, else the runs of the ledger whose names come nearest."""
    runs = dict.fromkeys(entry.run for entry in ledger.entries() if entry.run is not None)
    return None if run in runs else get_close_matches(run, runs, 3, 0.5)


def _types(ledger: Ledger, types: tuple[str, ...]) -> Callable[[str], bool] | None:
    """Whether a type is asked for; None if all are. A type may end in `.*` for a whole family."""
    if not types:
        return None
    for name in types:
        if not _TYPE.fullmatch(name):
            raise Usage(f"{name!r} is not an event type", remedy="`t2c ledger types` lists them")
    known: Collection[str] = CATALOGUE.types()
    if not all(_among(name, known) for name in types):
        # A ledger may hold events of types that only a newer version knows.
        known = sorted({*known, *(entry.type for entry in ledger.journal.entries())})
    for name in types:
        if not _among(name, known):
            raise Usage(f"there is no event type {name!r}", remedy=_near(name, known))
    exact = {name for name in types if not name.endswith(".*")}
    prefixes = tuple(name[:-1] for name in types if name.endswith(".*"))
    return lambda name: name in exact or name.startswith(prefixes or "\0")


def _among(name: str, known: Collection[str]) -> bool:
    if name.endswith(".*"):
        return any(one.startswith(name[:-1]) for one in known)
    return name in known


def _near(name: str, known: Collection[str]) -> str:
    close = [f"{name}.*"] if _among(f"{name}.*", known) else get_close_matches(name, known, 1)
    return (f"did you mean {close[0]}? " if close else "") + "`t2c ledger types` lists them"
