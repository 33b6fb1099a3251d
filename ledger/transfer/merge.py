"""Taking in what another chain has that this one has not: no conflict, no lost event, both origins provable.

The events go behind the head, in commits, the closing event with the last of them. A merge that was killed is
completed by running it again: what is here already is known by its hash (docs/adr/0006).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

import orjson

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import JournalMerged
from t2c.ledger.events.runs import DegradationNoted
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.journal.files import make_folder
from t2c.ledger.journal.lock import OneShotLock
from t2c.ledger.journal.origin import taken_in
from t2c.ledger.kernel.digests import payload_hash
from t2c.ledger.transfer.plan import ALONE, CLOSINGS, TAKEN, Plan
from t2c.ledger.transfer.source import Progress, Source

__all__ = ["Closing", "Merged", "carry_out", "merged", "taking_turns"]

_COMMIT: Final = 1_000
_ALIASES: Final = 10_000
"""Aliases in one closing event, whose line they keep below 600 KB."""
_SALT: Final = 32

Closing = Callable[[tuple[tuple[str, str], ...]], EventDraft]
"""Makes the closing event with these aliases."""


class Merged(NamedTuple):
    """The seqs here of what was appended, `first` to `last`; both 0 if nothing was.

    `objects` were copied, `missing` are those cited that the other side does not hold either. `left` are payloads
    that the other side redacted and that are still here.
    """

    first: int
    last: int
    objects: int
    missing: list[str]
    left: list[str]


@contextmanager
def taking_turns(ledger: Ledger) -> Iterator[None]:
    """Entered while no scan and no other merge of this ledger runs: each bases what it appends on what stands."""
    folder = ledger.workspace / "locks"
    try:
        make_folder(folder)
    except OSError as error:
        raise Environment(
            f"the folder of locks cannot be made: {error.strerror}",
            where=str(folder),
            safe="nothing was written",
            remedy=f"move {folder} away, or make its folder writable",
        ) from error
    with OneShotLock(folder / "scan", timeout=600).held():
        yield


def merged(source: Source, plan: Plan) -> Closing:
    """What closes the merge of a chain."""

    def closing(aliases: tuple[tuple[str, str], ...]) -> EventDraft:
        return draft(
            JournalMerged(
                ledger=source.ledger,
                common_seq=plan.common,
                seq=source.last,
                hash=source.hash,
                root=source.root,
                events=plan.events,
                known=plan.known,
                aliases=aliases,
            )
        )

    return closing


def carry_out(
    ledger: Ledger,
    source: Source,
    plan: Plan,
    closing: Closing,
    progress: Progress,
    also: tuple[EventDraft, ...] = (),
) -> Merged:
    """Append what the plan says, copying cited objects first; call it under `taking_turns`.

    `also` stands before the closing event. Raises Conflict if the other side is no longer what was planned with.
    """
    objects, missing = _copy_objects(ledger, source, plan)
    end: list[EventDraft] = []
    if plan.closing:
        parts = [plan.aliases[at : at + _ALIASES] for at in range(0, len(plan.aliases), _ALIASES)] or [[]]
        end = [*also, *(closing(tuple(part)) for part in parts)]
    first = last = done = 0
    for commit in _commits(source, plan, [*_interruption(ledger, plan)], end):
        receipts = ledger.append(commit)
        first, last = first or receipts[0].seq, receipts[-1].seq
        done += len(commit)
        progress("merge", done, plan.events + len(end))
    left = sorted(digest for digest in plan.redacted if ledger.objects.has(digest))
    return Merged(first, last, objects, missing, left)


def _commits(
    source: Source, plan: Plan, start: list[EventDraft], end: list[EventDraft]
) -> Iterator[list[EventDraft]]:
    """The drafts, commit by commit; each atomic batch in one."""
    drafts = start
    before = source.hash_at(plan.after)
    lines = source.lines(plan.after)
    for fate, item in zip(plan.fates, lines, strict=True):
        if item.entry is not None and item.entry.prev != before:
            raise _changed(source)
        before = item.hash
        if item.entry is None or fate not in (TAKEN, ALONE):
            continue
        alone = fate == ALONE
        batch = None if alone else item.entry.batch
        if len(drafts) >= _COMMIT and (batch is None or batch[0] == 1):
            yield drafts
            drafts = []
        drafts.append(taken_in(item.entry, item.hash, source.ledger, lowered=plan.lowered, alone=alone))
    if before != source.hash and plan.fates:
        raise _changed(source)
    if drafts or end:
        yield [*drafts, *end]


def _changed(source: Source) -> Conflict:
    return Conflict(
        "the other side changed while it was read",
        where=source.name,
        safe="what was taken in is sound; nothing of it is lost or doubled by running the merge again",
        remedy="run the merge again",
    )


def _interruption(ledger: Ledger, plan: Plan) -> Iterator[EventDraft]:
    """If a merge of something else stopped half-way, say so: its events end here."""
    tail = ledger.journal.tail()
    entry = decode_entry(tail.line)
    origin = entry.origin
    if origin is None or entry.type in CLOSINGS or plan.unclosed or not plan.closing:
        return
    yield draft(
        DegradationNoted(
            stage="merge",
            asked=f"take in the events of ledger {origin.ledger} as a whole",
            done=f"taken in up to its seq {origin.seq}",
            reason="the merge was interrupted",
        )
    )


def _copy_objects(ledger: Ledger, source: Source, plan: Plan) -> tuple[int, list[str]]:
    """Copy what is cited and not here, unless an event here deleted it; returns how many, and those not found."""
    wanted = set(plan.wanted)
    if wanted:
        wanted -= _redacted(ledger) | plan.redacted
    left = set(wanted)
    for digest, content in source.objects(wanted):
        if payload_hash(content) == digest:
            ledger.objects.put_payload(content[:_SALT], content[_SALT:])
        else:
            ledger.objects.put(content)
        left.discard(digest)
    return len(wanted) - len(left), sorted(left - plan.offered)


def _redacted(ledger: Ledger) -> set[str]:
    """Payloads that were deleted on purpose: a merge must not bring them back."""
    found, own = set(), ledger.journal.ledger()
    for _, line, entry in ledger.journal.lines():
        if entry.type == "payload.redacted" and entry.is_ours(own):
            data = orjson.loads(line).get("data") or {}
            if isinstance(data.get("data_hash"), str):
                found.add(data["data_hash"])
    return found
