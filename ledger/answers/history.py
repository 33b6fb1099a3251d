"""What a ledger holds about answers: the events of some types in order, and one answer read back with its type."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from t2c.ledger.answers.base import Claim
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Refused, Usage
from t2c.ledger.journal.entry import Entry

__all__ = ["LATEST", "RECORDED", "SEALED", "answer", "content_of", "decoded", "event_named", "events"]

RECORDED: Final = "answer.recorded"
SEALED: Final = "held_out"
"""The root whose answers the ledger holds only commitments to."""
LATEST: Final = "latest"
"""Stands for the last event of the types that are asked for."""
_NO_FILES: Final = b'{"files":[],"notes":[]}'
_EVENT: Final = re.compile(r"EVT-[0-9a-f]{20}")
_SEQ: Final = re.compile(r"[0-9]{1,18}")


class _Recorded(msgspec.Struct):
    root: str
    about: str | None
    content: str


_recorded = msgspec.json.Decoder(_Recorded).decode


def events(ledger: Ledger, *types: str, after: int = 0) -> Iterator[Entry]:
    """The events of these types that were recorded in this ledger, in order, after seq `after`.

    What came from another ledger speaks of another repository, and what is withheld says nothing: both are left out.
    """
    wanted, own = frozenset(types), None
    for entry in ledger.entries():
        if entry.type not in wanted or entry.seq <= after or entry.data_hash is not None:
            continue
        if entry.origin is not None:
            own = own or str(ledger.id())
            if not entry.is_ours(own):
                continue
        yield entry


def decoded(entry: Entry) -> dict[str, Any]:
    """The payload of an event as plain values."""
    found: dict[str, Any] = msgspec.json.decode(entry.data)
    return found


def event_named(ledger: Ledger, name: str, *types: str) -> Entry:
    """The event of one of these types with this seq or id, or the `latest`. Raises Usage where there is none."""
    kinds = " or ".join(types)
    if name == LATEST:
        found = deque(events(ledger, *types), maxlen=1)
        if found:
            return found[0]
    if _SEQ.fullmatch(name) is None and _EVENT.fullmatch(name) is None:
        raise Usage(
            f"{name!r} is neither a seq nor an event",
            safe="nothing was recorded",
            remedy="write a number or EVT-…, as `t2c answers show` prints them, or latest",
        )
    entry = _at(ledger, name)
    if entry is None:
        raise Usage(
            f"there is no event {name}", safe="nothing was recorded", remedy="`t2c answers show` lists them"
        )
    if entry.type not in types:
        raise Usage(
            f"event {name} is {entry.type}, and not {kinds}",
            where=f"seq {entry.seq}",
            safe="nothing was recorded",
            remedy="`t2c answers show` lists the answers and questions",
        )
    # What a model said to the very same request says the same here; all else is said of another repository.
    ours = entry.origin is None or entry.type == "llm.answered" or entry.is_ours(str(ledger.id()))
    if entry.data_hash is not None or not ours:
        raise Refused(
            f"event {name} was not recorded here, or its payload is withheld",
            where=f"seq {entry.seq}",
            safe="nothing was recorded",
        )
    return entry


def _at(ledger: Ledger, name: str) -> Entry | None:
    if not name.startswith("EVT-"):
        seq = int(name)
        before = ledger.journal.position(seq - 1) if seq > 1 else None
        if seq < 1 or (seq > 1 and before is None):
            return None
        return next(iter(ledger.entries(before, seq)), None)
    offset = ledger.index.offset(name)
    return None if offset is None else next(iter(ledger.journal.many([offset])), None)


def content_of(ledger: Ledger, entry: Entry) -> bytes:
    """The exact bytes of a recorded answer. Raises Usage if its object is gone, Corrupt if it is damaged."""
    return ledger.objects.get(_recorded(entry.data).content)


def answer(ledger: Ledger, name: str) -> Claim:
    """The answer with this seq or event id, as its root's type.

    Raises Usage where there is none, Corrupt if what is recorded is no answer of its root any more.
    """
    entry = event_named(ledger, name, RECORDED)
    return claim_of(ledger, entry)


def claim_of(ledger: Ledger, entry: Entry) -> Claim:
    """A recorded answer as its root's type; of sealed tests one without files. Raises as `answer` does."""
    from t2c.ledger.answers.roots import ROOTS
    from t2c.ledger.llm.parsing import parse_answer

    recorded = _recorded(entry.data)
    root = ROOTS.get(recorded.root)
    if root is None:
        raise Usage(
            f"answers of the root {recorded.root} are not known here",
            where=f"seq {entry.seq}",
            remedy="use the version of t2c that recorded it",
        )
    content = _NO_FILES if recorded.root == SEALED else ledger.objects.get(recorded.content)
    try:
        value = parse_answer(root, content)
    except ValueError as error:
        raise Corrupt(
            f"the answer is no {recorded.root}: {error}",
            where=f"seq {entry.seq}",
            safe="the journal, which holds its digest",
            remedy="run `t2c ledger verify --level schema`",
        ) from None
    return Claim(entry.id, entry.seq, recorded.root, recorded.about, value, entry.ts)
