"""What approvals are of, and what a ledger's policy asks of them: values that everybody else speaks in."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

__all__ = ["Approval", "ApprovalState", "Policy", "Thing", "is_own"]

ApprovalState = Literal["standing", "stale", "expired", "withdrawn", "used", "refused"]
"""`stale`: what it is of is not what was shown any more. `used`: something was applied under it. `refused`: it never
held, because its approver may not approve it or its signature is not good."""


def is_own(actor: str, proposed_by: Iterable[str]) -> bool:
    """True if an actor is among those whose work something is, however their names are spelt in capitals."""
    return actor.casefold() in {one.casefold() for one in proposed_by}


class Policy(NamedTuple):
    """What the settings ask of approvals.

    `separation`: nobody approves what they proposed. `signature`: an approval must be signed. `days`: for how long one
    holds that does not say so itself; 0 is for good.
    """

    separation: bool = True
    signature: bool = False
    days: int = 0


class Thing(NamedTuple):
    """What can be approved. `digest` is the hash under which it is approved; `shown` the exact bytes that are shown.

    `subject` says what it is: `patch:todo`, `patch:CPLAN-…`, `plan:CPLAN-…`, `file:PATH`, `answer:EVT-…`. `proposed_by`
    are the actors whose work it is. `normalised` is the SHA-256 of what is shown without what progress changes; None
    where any change counts. `event` is the one that recorded it, None for a file of the work tree.
    """

    subject: str
    digest: str
    shown: bytes
    proposed_by: tuple[str, ...] = ()
    normalised: str | None = None
    event: str | None = None


class Approval(NamedTuple):
    """An approval as the journal holds it, and whether it holds now. `seq` and `ts` are those of its event.

    `why` says in words why it is not `standing`, empty where it is. `used_by` are the announcements under it.
    """

    event: str
    seq: int
    ts: str
    actor: str
    subject: str
    digest: str
    shown: str | None
    normalised: str | None
    proposed_by: tuple[str, ...]
    expires: str | None
    signed_by: str | None
    state: ApprovalState
    why: str
    statement: str
    used_by: tuple[str, ...] = ()
