"""`t2c change recover`: applies that have no outcome, how their files stand, and what a person decides of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.apply.history import history
from t2c.ledger.apply.recovery import Decision, Recovered, recover
from t2c.ledger.approvals.standing import note_refusal
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.kernel.actor import Actor

__all__ = ["FileStand", "FoundUnfinished", "RecoverResult", "recovered", "settle"]

_SAFE: Final = "nothing was changed"
_LONGEST: Final = 1000
"""Characters of the subject of an observation."""
_LONGEST_REASON: Final = 10_000


@dataclass(frozen=True, slots=True)
class FileStand:
    """A file of such an apply: `before`, `after` or `other`."""

    path: str
    stands: str


@dataclass(frozen=True, slots=True)
class FoundUnfinished:
    """An apply that had no outcome and what became of it: `recovered`, `nothing`, `undone`, `left`, or still
    `undecided` or `running`; `event` is what recorded it."""

    announced: str
    seq: int
    purpose: str
    subject: str | None
    requested_by: str | None
    outcome: str
    event: str | None
    why: str
    files: Sequence[FileStand]


@dataclass(frozen=True, slots=True)
class RecoverResult:
    """All that were open. `open` is how many still are."""

    schema: ClassVar[str] = "t2c.change-recovered/v1"
    open: int
    applies: Sequence[FoundUnfinished]


def recovered(context: Context, announced: str | None, decide: Decision | None, reason: str) -> RecoverResult:
    """Settle what hashes settle, and what a person decides, which is recorded before it is carried out.

    Raises Refused for a decision of whoever is no person.
    """
    if decide is not None and announced is None:
        raise Usage("say which apply is decided", safe=_SAFE, remedy="name its EVT-…")
    if decide is not None and not reason.strip():
        raise Usage("a reason is missing", safe=_SAFE, remedy='add --reason "…"')
    if len(reason) > _LONGEST_REASON:
        raise Usage(
            "the reason is too long",
            where="--reason",
            safe=_SAFE,
            remedy=f"at most {_LONGEST_REASON:,} characters",
        )
    with open_ledger(context) as ledger:
        if decide is not None:
            actor = Actor.parse(context.settings.actor)
            if actor.kind != "human":
                raise _no_person(ledger, actor, announced or "")
            reason = f"{actor}: {reason.strip()}"
            _note_decision(ledger, actor, announced or "", decide, reason)
        found = recover(ledger, context.root, announced=announced, decide=decide, reason=reason)
    rows = [_row(one) for one in found]
    return RecoverResult(sum(row.event is None for row in rows), rows)


def _no_person(ledger: Ledger, actor: Actor, announced: str) -> Refused:
    told = f"{actor} cannot decide what becomes of the files"
    note_refusal(ledger, "change.recover", "DECIDED_BY_NO_PERSON", told, str(actor), announced)
    return Refused(
        told, safe=f"{_SAFE}; the refusal is recorded", remedy="let a person decide it: T2C_ACTOR=human:NAME"
    )


def _note_decision(ledger: Ledger, actor: Actor, announced: str, decide: Decision, reason: str) -> None:
    """Say who decided it and why: the receipt of what is written then has no place for that. An apply that is not open
    is left to `recover` to refuse."""
    one = history(ledger).open.get(announced)
    if one is None:
        return
    noted = ObservationNoted(
        statement=f"the interrupted apply of seq {one.seq} is decided: {decide}; {reason}",
        subject=(one.subject or one.purpose)[:_LONGEST],
        about=(announced,),
    )
    ledger.append([draft(noted, actor=actor, cause=(announced,))])


def settle(context: Context, ledger: Ledger) -> list[FoundUnfinished]:
    """Settle what hashes settle, before something else is applied."""
    return [_row(one) for one in recover(ledger, context.root)]


def _row(one: Recovered) -> FoundUnfinished:
    return FoundUnfinished(
        one.announced,
        one.seq,
        one.purpose,
        one.subject,
        one.requested_by,
        one.outcome,
        one.event,
        one.why,
        [FileStand(path, stands) for path, stands in one.files],
    )
