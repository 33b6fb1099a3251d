"""Files of the user changed all together or not at all: locked, looked at, announced, written, receipted.

The permitted order is: lock every target, look at all of them, announce, keep both contents, write every temporary,
put each at its place, receipt. Whatever fails after the announcement is taken back and recorded as failed; what a
crash leaves is decided by `recovery` from the same contents.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path

import msgspec

from t2c.ledger.apply.base import Applied, Mandate, Wanted
from t2c.ledger.apply.carrying import Run
from t2c.ledger.apply.files import told
from t2c.ledger.apply.history import event_of, history
from t2c.ledger.apply.locking import Holder, locked
from t2c.ledger.apply.outcomes import fail, receipt
from t2c.ledger.apply.places import Tree, cannot
from t2c.ledger.apply.preflight import Work, inspect, places_of
from t2c.ledger.apply.sound import check_chain
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, T2cError
from t2c.ledger.events.changes import ApplyAnnounced
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.append import Receipt
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.shown import NEEDS_APPROVAL

__all__ = ["apply", "carry_out"]

Progress = Callable[[str, int, int | None], object]


def _silent(stage: str, done: int, total: int | None) -> None:
    pass


class _Approved(msgspec.Struct):
    subject: str
    digest: str


def apply(
    ledger: Ledger,
    root: Path,
    wanted: Sequence[Wanted],
    mandate: Mandate,
    *,
    in_place: bool = False,
    progress: Progress = _silent,
) -> Applied:
    """Make files as they are wanted, all of them or none, and record it.

    Where all are so already, nothing is written: the receipt that says so is given, or a new one of `found`. With
    `in_place` a file that cannot be replaced in one step is written over where it is, which the receipt marks.

    Raises Refused for what may not be written or lacks its approval, Conflict for a file that is not as `before` says
    or is being written by another, Environment for the disk, and after an error every file is as it was; where that
    could not be, the error says so and the announcement stays open (see `recovery`).
    """
    _check_mandate(ledger, mandate)
    places = places_of(wanted)
    holder = Holder(mandate.purpose, mandate.requested_by, mandate.subject)
    paths = [place.path for place in places]
    try:
        with locked(ledger.workspace, root, paths, holder) as locks, Tree(root) as tree:
            _check_open(ledger, paths)
            progress("preflight", 0, len(wanted))
            works = inspect(ledger, tree, wanted, places, in_place)
            found = all(work.found for work in works)
            if found and (known := _known(ledger, mandate, works)) is not None:
                return known
            announced = _announce(ledger, mandate, works)
            if found:
                return receipt(ledger, announced.id, [work.told for work in works], "found", run=mandate.run)
            locks.say(holder._replace(announced=announced.id))
            return Run(ledger, tree, works, announced.id, in_place, mandate.run, progress).go()
    except OSError as error:  # of the journal, while it is read
        raise cannot(str(error.filename or ledger.journal.path), error, "the files") from error


def carry_out(
    ledger: Ledger, root: Path, wanted: Sequence[Wanted], announced: Receipt, purpose: str
) -> Applied:
    """Do what was announced together with other events, for purposes that need no approval. Raises what `apply` raises;
    that it did not come about is recorded then."""
    if purpose in NEEDS_APPROVAL:
        raise Refused(f"{purpose} needs an approval", safe="nothing was written")
    with ExitStack() as stack:
        try:
            places = places_of(wanted)
            holder = Holder(purpose, None, None, announced.id)
            stack.enter_context(locked(ledger.workspace, root, [one.path for one in places], holder))
            tree = stack.enter_context(Tree(root))
            works = inspect(ledger, tree, wanted, places, False)
        except (T2cError, OSError) as error:
            reason = error.what if isinstance(error, T2cError) else str(error)
            fail(ledger, announced.id, "nothing", reason, tuple(map(told, wanted)))
            raise
        if all(work.found for work in works):
            return receipt(ledger, announced.id, [work.told for work in works], "found")
        return Run(ledger, tree, works, announced.id, False, None, _silent).go()


def _check_mandate(ledger: Ledger, mandate: Mandate) -> None:
    if mandate.approval is None:
        if mandate.purpose in NEEDS_APPROVAL:
            raise Refused(
                f"{mandate.subject} is not approved",
                safe="nothing was written",
                remedy="let somebody look at it and approve it: t2c approve",
            )
        return
    check_chain(ledger)
    entry = event_of(ledger, mandate.approval)
    if entry is None or not _approves(ledger, entry, mandate):
        raise Refused(
            f"{mandate.approval} is no approval of exactly what is to be applied",
            where=mandate.approval,
            safe="nothing was written",
            remedy="let somebody look at it and approve it: t2c approve",
        )


def _approves(ledger: Ledger, entry: Entry, mandate: Mandate) -> bool:
    """True if a person approved exactly this for this ledger; if that still holds was asked before."""
    if entry.type != "approval.granted" or entry.actor.kind != "human" or not entry.is_ours(str(ledger.id())):
        return False
    try:
        told = msgspec.json.decode(entry.data, type=_Approved)
    except msgspec.DecodeError:
        return False
    return (told.subject, told.digest) == (mandate.subject, mandate.digest)


def _check_open(ledger: Ledger, paths: Sequence[str]) -> None:
    """Whoever holds the locks of a file finds no other apply of it under way, but may find one that nobody ended."""
    touched = frozenset(paths)
    for one in history(ledger).open.values():
        both = sorted(touched.intersection(one.after))
        if both:
            raise Conflict(
                f"an earlier apply of {both[0]} has no outcome yet: {one.id}, seq {one.seq}",
                where=both[0],
                safe="nothing was written",
                remedy="see how it stands and decide it: t2c change recover",
                announced=one.id,
                requested_by=one.requested_by,
            )


def _known(ledger: Ledger, mandate: Mandate, works: Sequence[Work]) -> Applied | None:
    """The receipt of the same thing, if it made the same files and is the last one of each: none took it back."""
    known = history(ledger)
    outcome = known.receipt_of(mandate.purpose, mandate.subject, mandate.digest)
    files = {one.path: one.after for one in (work.told for work in works)}
    if outcome is None or outcome.announced.after != files:
        return None
    if any(known.writer_of(path, after) != outcome for path, after in files.items()):
        return None
    paths = tuple(work.place.path for work in works)
    return Applied(outcome.announced.id, outcome.event, outcome.seq, "found", paths)


def _announce(ledger: Ledger, mandate: Mandate, works: Sequence[Work]) -> Receipt:
    payload = ApplyAnnounced(
        purpose=mandate.purpose,
        files=tuple(work.told for work in works),
        subject=mandate.subject,
        digest=mandate.digest,
        approval=mandate.approval,
        requested_by=mandate.requested_by,
        reverts=mandate.reverts,
    )
    named = (mandate.approval, mandate.reverts, *mandate.cause)
    cause = tuple(dict.fromkeys(one for one in named if one is not None))
    (announced,) = ledger.append([draft(payload, cause=cause, run=mandate.run)])
    ledger.sync()
    return announced
