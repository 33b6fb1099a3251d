"""`t2c change revert`: what an apply did, taken back: shown first, approved, then written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from t2c.cli.actions.approvals import policy_of
from t2c.cli.actions.change_apply import FileToWrite
from t2c.cli.actions.change_recover import FoundUnfinished, settle
from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.refusals import recording_refusals
from t2c.ledger.apply.base import digest
from t2c.ledger.approvals.standing import approvals
from t2c.ledger.changes.reverting import (
    Receipt,
    Reverting,
    prepare,
    receipt_named,
    render_revert,
    revert,
    state_of,
)
from t2c.ledger.kernel.actor import Actor

__all__ = ["Reverted", "reverted"]


@dataclass(frozen=True, slots=True)
class Reverted:
    """A receipt and how far it is taken back. `state`: `shown` (recorded, and to be approved under `hash`), `preview`
    (nothing was recorded), `reverted` by `event` under `approval`, or `before` where that was done earlier.

    `stands` says how its files are where it was done earlier.
    """

    schema: ClassVar[str] = "t2c.change-reverted/v1"
    receipt: str
    subject: str
    state: str
    hash: str | None
    text: str
    files: Sequence[FileToWrite]
    rendered: str | None
    event: str | None
    seq: int | None
    approval: str | None
    stands: str
    recovered: Sequence[FoundUnfinished]


def reverted(context: Context, name: str, *, dry_run: bool, in_place: bool) -> Reverted:
    """Take a receipt back where that is approved, else record what is to be approved.

    Raises Conflict where its files changed since, Refused where an approval was given and does not hold, which is recorded.
    """
    actor, policy = Actor.parse(context.settings.actor), policy_of(context)
    now = context.clock.now()
    with open_ledger(context) as ledger:
        recovered = [] if dry_run else settle(context, ledger)
        receipt = receipt_named(ledger, name)
        if receipt.reverted is not None:
            return _done(receipt, state_of(context.root, receipt), recovered)
        subject = f"revert:{receipt.event}"
        if dry_run:
            found = prepare(ledger, context.root, receipt)
            return _result(found, "preview", None, None, None, None, recovered)
        with recording_refusals(ledger, subject, actor, receipt.event):
            found = prepare(ledger, context.root, receipt)
            rendered, _ = render_revert(ledger, found, actor)
            given = [
                one
                for one in approvals(ledger, context.root, now, policy)
                if one.digest == found.digest and one.subject == subject
            ]
            if not given:
                return _result(found, "shown", rendered, None, None, None, recovered)
            applied, approval = revert(
                ledger,
                context.root,
                found,
                rendered,
                policy,
                by=actor,
                now=now,
                in_place=in_place,
                progress=context.progress,
            )
    return _result(found, "reverted", rendered, applied.event, applied.seq, approval, recovered)


def _result(
    found: Reverting,
    state: str,
    rendered: str | None,
    event: str | None,
    seq: int | None,
    approval: str | None,
    recovered: Sequence[FoundUnfinished],
) -> Reverted:
    return Reverted(
        found.receipt.event,
        found.receipt.subject,
        state,
        found.digest,
        found.shown.decode(),
        [FileToWrite(one.path, digest(one.before), digest(one.after)) for one in found.wanted],
        rendered,
        event,
        seq,
        approval,
        "",
        recovered,
    )


def _done(receipt: Receipt, stands: str, recovered: Sequence[FoundUnfinished]) -> Reverted:
    files = [FileToWrite(path, after, before) for path, before, after, _, _ in receipt.files]
    return Reverted(
        receipt.event,
        receipt.subject,
        "before",
        None,
        "",
        files,
        None,
        receipt.reverted,
        None,
        None,
        stands,
        recovered,
    )
