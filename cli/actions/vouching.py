"""What vouches for a journal from outside it: gathered, compared with the journal's roots, and put into words.

Which anchors there are is asked of `anchors`; what they show together is for `judge` to say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.notes import read_checkpoint, read_keys
from t2c.ledger.anchors.base import Anchor, Judgement, judge
from t2c.ledger.anchors.files import beside, local
from t2c.ledger.anchors.signing import quiet_since
from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import origin_of, parse_note
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.signature import VerifierKey, check
from t2c.ledger.journal.verify import ChainReport

if TYPE_CHECKING:
    from t2c.ledger.anchors.found import Found

__all__ = [
    "KINDS",
    "AnchorKind",
    "Given",
    "Vouchers",
    "Vouching",
    "anchor_kinds",
    "faultless",
    "gather",
    "weigh",
]

AnchorKind = Literal["git", "local", "rfc3161"]
KINDS: Final[tuple[AnchorKind, ...]] = ("git", "local", "rfc3161")

_NO_ANCHOR: Final = (
    "no checkpoint or anchor was given: truncation of the tail and a chain made anew cannot be detected"
)
_ONLY_BESIDE: Final = "all checkpoints lie beside the journal, where whoever changes it can change them: they show accidents only"
_LAST: Final = "the last event is vouched for by its own id only, which a forger can make anew"

_AT_THE_END: Final = frozenset({"torn_tail", "incomplete_batch", "empty", "shrank"})
"""Kinds of faults beyond the last event: what an anchor vouches for there is missing."""
_HARMLESS: Final = frozenset({"crlf"})
"""Kinds of faults that change no event's hash."""


@dataclass(frozen=True, slots=True)
class Given:
    """What the caller gave to verify with: checkpoint files, keys (text or file) and kinds of anchors.

    `state` is the user's state folder, needed for `local`. `since` trusts the events before the greatest of the
    checkpoints, `full` reads everything and believes no cache.
    """

    checkpoints: Sequence[str] = ()
    keys: Sequence[str] = ()
    kinds: Sequence[AnchorKind] = ()
    state: Path | None = None
    since: bool = False
    full: bool = False


class Vouchers(NamedTuple):
    """The anchors to compare and the keys that check them; `notices` tell of what was left aside."""

    anchors: tuple[Anchor, ...]
    keys: tuple[VerifierKey, ...]
    notices: tuple[str, ...]


class Vouching(NamedTuple):
    """The judgement, the anchors as values for machines, and what they leave unproven."""

    judgement: Judgement
    anchors: tuple[Mapping[str, object], ...]
    unproven: tuple[str, ...]


def anchor_kinds(given: Sequence[str]) -> tuple[AnchorKind, ...]:
    """Kinds of anchors as a caller names them. Raises Usage for one that does not exist."""
    found: list[AnchorKind] = []
    for name in given:
        kind = next((kind for kind in KINDS if kind == name), None)
        if kind is None:
            raise Usage(
                f"{name[:40]!r} is no kind of anchor",
                where="--anchor",
                remedy=f"give one of {', '.join(KINDS)}",
            )
        found.append(kind)
    return tuple(found)


def gather(context: Context, ledger: str | None, given: Given) -> Vouchers:
    """All anchors of a ledger: those beside the journal, and what was given.

    Without a ledger, whose first event cannot be read, it is the one that the first given checkpoint names. Raises
    Usage for a checkpoint that is none, is of another ledger or holds a wrong signature of a given key, and what
    reading anchors raises.
    """
    keys = tuple(read_keys(context.cwd, given.keys))
    anchors: list[Anchor] = []
    notices: list[str] = []
    for name in given.checkpoints:
        note = read_checkpoint(context.cwd, name)
        ledger = ledger or note.checkpoint.ledger
        if note.checkpoint.ledger is None or note.checkpoint.ledger != ledger:
            raise Usage(
                f"the checkpoint is of another ledger, {note.checkpoint.origin}, and was not compared",
                where=name,
                remedy=f"this one is {origin_of(ledger or '?')}",
            )
        if check(note.text, note.signatures, keys).bad:
            raise Usage(
                "the checkpoint holds a wrong signature of a given key, so it is worth nothing",
                where=name,
                remedy="get the checkpoint again; somebody changed it",
            )
        anchors.append(Anchor(name, note.checkpoint, note.note, "given"))
    if ledger is None:
        if given.kinds:
            notices.append("the id of the ledger cannot be read, so no anchor was looked for")
        return Vouchers(tuple(anchors), keys, tuple(notices))
    found = [beside(context.workspace / "checkpoints", ledger)]
    found += [_found(context, kind, ledger, given) for kind in dict.fromkeys(given.kinds)]
    for item in found:
        notices += [remark.said for remark in item.remarks]
        for anchor in item.anchors:
            if check(*parse_note(anchor.note), keys).bad:
                notices.append(f"{anchor.source} holds a wrong signature of a given key and was not compared")
            else:
                anchors.append(anchor)
    return Vouchers(tuple(anchors), keys, tuple(notices))


def _found(context: Context, kind: AnchorKind, ledger: str, given: Given) -> Found:
    if kind == "local":
        assert given.state is not None
        return local(given.state, ledger)
    from t2c.cli.actions.anchor import anchors_from

    return anchors_from(context, kind, ledger)


def faultless(report: ChainReport) -> int:
    """How many events from the first on have no fault that could change a root."""
    first = min(
        (fault.seq for fault in report.faults if fault.kind not in _AT_THE_END | _HARMLESS), default=None
    )
    return report.position.seq if first is None else min(first - 1, report.position.seq)


def weigh(
    vouchers: Vouchers,
    report: ChainReport,
    roots: Callable[[Collection[int]], Mapping[int, bytes]],
    journal: JournalFile | None,
) -> Vouching:
    """Compare the anchors with what was read of `journal`; `roots` gives its roots at sizes without faults."""
    size, sound = report.position.seq, faultless(report)
    damaged_end = any(
        fault.seq > size and fault.kind not in _AT_THE_END | _HARMLESS for fault in report.faults
    )
    known = roots(
        {anchor.checkpoint.size for anchor in vouchers.anchors if 0 < anchor.checkpoint.size <= sound}
    )
    beyond = any(anchor.checkpoint.size > size for anchor in vouchers.anchors)
    end = quiet_since(journal, size) if beyond and journal is not None and not report.faults else size
    judgement = judge(
        vouchers.anchors, size, known.__getitem__, faultless=sound, damaged_end=damaged_end, end=end
    )
    signers = {anchor: check(*parse_note(anchor.note), vouchers.keys).valid for anchor in vouchers.anchors}
    states = dict.fromkeys(judgement.fitting, "fits") | dict.fromkeys(judgement.unjudged, "unjudged")
    rows = tuple(
        {
            "source": anchor.source,
            "size": anchor.checkpoint.size,
            "strength": anchor.strength,
            "state": states.get(anchor, "missing" if anchor.checkpoint.size > size else "differs"),
            "signed_by": [key.id for key in signers[anchor]],
        }
        for anchor in sorted(vouchers.anchors, key=lambda anchor: (anchor.checkpoint.size, anchor.source))
    )
    unsigned = [anchor.source for anchor in vouchers.anchors if not signers[anchor]]
    return Vouching(judgement, rows, tuple(_unproven(vouchers, judgement, size, unsigned)))


def _unproven(vouchers: Vouchers, judgement: Judgement, size: int, unsigned: Sequence[str]) -> Iterator[str]:
    if judgement.unjudged:
        many = _many(len(judgement.unjudged), "checkpoint")
        yield f"{many} could not be compared because of faults before their end"
    outside = [anchor for anchor in judgement.fitting if anchor.strength != "beside"]
    reach = max((anchor.checkpoint.size for anchor in outside or judgement.fitting), default=0)
    if not vouchers.anchors:
        yield _NO_ANCHOR
    elif not any(anchor.strength != "beside" for anchor in vouchers.anchors):
        yield _ONLY_BESIDE
    if vouchers.anchors and judgement.verdict == "sound" and reach < size:
        after = "the last event" if size - reach == 1 else f"the last {size - reach:,} events"
        ends = f"the newest checkpoint that fits ends at seq {reach:,}" if reach else "no checkpoint fits"
        yield f"nothing vouches for {after}: {ends}"
    if reach < size:
        yield _LAST
    if not vouchers.keys:
        signed = sum(1 for anchor in vouchers.anchors if parse_note(anchor.note)[1])
        if signed:
            yield f"signatures of {_many(signed, 'checkpoint')} were not checked: no key was given (--key)"
    elif unsigned:
        more = f" and {len(unsigned) - 1:,} more" if len(unsigned) > 1 else ""
        yield f"{unsigned[0]}{more}: not signed by a given key, so whoever could write it could have made it"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
