"""What vouches for a journal from outside it: compared with the journal's roots, and put into words.

Which anchors there are is for `gathering` to say; what they show together is for `judge`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final, NamedTuple

from t2c.cli.actions.gathering import Vouchers
from t2c.ledger.anchors.base import Anchor, Judgement, judge
from t2c.ledger.anchors.branches import of_merged_branches
from t2c.ledger.anchors.signing import quiet_since
from t2c.ledger.errors import Corrupt
from t2c.ledger.journal.note import parse_note
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import ChainReport

__all__ = ["Vouching", "faultless", "weigh"]

_NO_ANCHOR: Final = (
    "no checkpoint or anchor was compared: truncation of the tail and a chain made anew cannot be detected"
)
_ONLY_BESIDE: Final = "all checkpoints lie beside the journal, where whoever changes it can change them: they show accidents only"
_LAST: Final = "the last event is vouched for by its own id only, which a forger can make anew"

_AT_THE_END: Final = frozenset({"torn_tail", "incomplete_batch", "empty", "shrank"})
"""Kinds of faults beyond the last event: what an anchor vouches for there is missing."""
_HARMLESS: Final = frozenset({"crlf"})
"""Kinds of faults that change no event's hash."""


class Vouching(NamedTuple):
    """The judgement, the anchors as values for machines, and what they leave unproven."""

    judgement: Judgement
    anchors: tuple[Mapping[str, object], ...]
    unproven: tuple[str, ...]


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
    quiet = size
    if journal is not None and not report.faults:
        # A line that is right for the chain may still be no event; the higher levels name it.
        with suppress(Corrupt):
            quiet = quiet_since(journal, size)

    def judged(anchors: Iterable[Anchor]) -> Judgement:
        return judge(anchors, size, known.__getitem__, faultless=sound, damaged_end=damaged_end, end=quiet)

    judgement, merged = judged(vouchers.anchors), frozenset[Anchor]()
    if judgement.verdict != "sound" and journal is not None and not report.faults:
        apart = set(vouchers.anchors) - set(judgement.fitting)
        with suppress(Corrupt):
            merged = of_merged_branches(journal, apart, accidents_only=not vouchers.keys)
        judgement = judged(anchor for anchor in vouchers.anchors if anchor not in merged)
    states = dict.fromkeys(judgement.fitting, "fits") | dict.fromkeys(judgement.unjudged, "unjudged")
    states |= dict.fromkeys(merged, "merged")
    rows = tuple(
        {
            "source": anchor.source,
            "size": anchor.checkpoint.size,
            "strength": anchor.strength,
            "state": states.get(anchor, "missing" if anchor.checkpoint.size > size else "differs"),
            "signed_by": [key.id for key in vouchers.signers(anchor)],
        }
        for anchor in sorted(vouchers.anchors, key=lambda anchor: (anchor.checkpoint.size, anchor.source))
    )
    unproven = list(_unproven(vouchers, judgement, size, quiet))
    if merged:
        unproven.append(
            f"{_many(len(merged), 'checkpoint')} vouch for branches that were merged: for the old lines of their events,"
            " not for this chain"
        )
    return Vouching(judgement, rows, tuple(unproven))


def _unproven(vouchers: Vouchers, judgement: Judgement, size: int, quiet: int) -> Iterator[str]:
    if judgement.unjudged:
        many = _many(len(judgement.unjudged), "checkpoint")
        yield f"{many} could not be compared because of faults before their end"
    outside = [anchor for anchor in judgement.fitting if anchor.strength != "beside"]
    reach = max((anchor.checkpoint.size for anchor in outside or judgement.fitting), default=0)
    if not vouchers.anchors:
        yield _NO_ANCHOR
    elif not any(anchor.strength != "beside" for anchor in vouchers.anchors):
        yield _ONLY_BESIDE
    yield from vouchers.doubts
    for anchor in vouchers.elsewhere:
        if (more := anchor.checkpoint.size - size) > 0:
            yield (
                f"{anchor.source}, signed by a given key, vouches for {anchor.checkpoint.size:,} events, {more:,} more"
                " than there are, but the commit is not in the history of HEAD: another branch recorded them, or"
                " this one was set back"
            )
    if vouchers.anchors and judgement.verdict == "sound" and reach < size:
        after = "the last event" if size - reach == 1 else f"the last {size - reach:,} events"
        if reach >= max(quiet, 1):
            after += ", which the checkpoint itself left behind"
        ends = f"the newest checkpoint that fits ends at seq {reach:,}" if reach else "no checkpoint fits"
        yield f"nothing vouches for {after}: {ends}"
    if reach < size:
        yield _LAST
    if not vouchers.keys:
        signed = sum(1 for anchor in vouchers.anchors if parse_note(anchor.note)[1])
        if signed:
            yield f"signatures of {_many(signed, 'checkpoint')} were not checked: no key was given (--key)"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}" + ("" if count == 1 else "s")
