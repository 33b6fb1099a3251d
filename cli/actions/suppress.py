"""`t2c suppress`: which findings somebody decided not to be told of, with the reason and until when."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.actions.diagnose import DiagnosisRequest, diagnose
from t2c.cli.actions.moment import to_come, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.projections.findings import suppressions_of
from t2c.projections.findings.model import Suppression
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

__all__ = ["SuppressionList", "SuppressionRow", "listed", "suppress", "withdraw"]


@dataclass(frozen=True, slots=True)
class SuppressionRow:
    """One suppression: of a finding or of all of one cause; `holds` says if it is in force as of the last event."""

    schema: ClassVar[str] = "t2c.suppression/v1"
    event: str
    seq: int
    by: str
    finding: str | None
    cause: str | None
    reason: str
    expires: str | None
    holds: bool


@dataclass(frozen=True, slots=True)
class SuppressionList:
    """All that were granted and not withdrawn, the oldest first, as of event `seq` at `ts`."""

    schema: ClassVar[str] = "t2c.suppressions/v1"
    seq: int
    ts: str
    suppressions: Sequence[SuppressionRow]


def suppress(context: Context, target: str, reason: str, until: str | None) -> SuppressionRow:
    """Record that the actor does not want to be told of a finding, or of the causes of its group.

    `target` is the id of a finding, or the cause of a group. Raises Usage for what is neither, Conflict where it is
    suppressed already.
    """
    from t2c.ledger.events.decisions import SuppressionGranted

    finding, cause = _meant(context, target)
    expires = (
        None
        if until is None
        else to_come(until, context.clock.now(), option="--until", safe="nothing was recorded")
    )
    payload = SuppressionGranted(finding=finding, cause=cause, reason=reason, expires=expires)
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        receipt = ledger.append([draft(payload, actor=actor)])[0]
    return SuppressionRow(receipt.id, receipt.seq, str(actor), finding, cause, reason, expires, holds=True)


def withdraw(context: Context, event: str, reason: str) -> SuppressionRow:
    """Record that a suppression no longer holds; what it was. Raises Usage where there is none of that event."""
    from t2c.ledger.events.decisions import SuppressionWithdrawn

    known = {row.event: row for row in listed(context).suppressions}
    row = known.get(event)
    if row is None:
        near = get_close_matches(event, known, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise Usage(
            f"no suppression {event!r} stands",
            safe="nothing was recorded",
            remedy=f"{hint}`t2c suppress --list` shows them",
        )
    payload = SuppressionWithdrawn(suppression=event, reason=reason)
    with open_ledger(context) as ledger:
        ledger.append([draft(payload, actor=Actor.parse(context.settings.actor))])
    return replace(row, holds=False)


def listed(context: Context) -> SuppressionList:
    """The suppressions that were granted and not withdrawn."""
    with open_ledger(context) as ledger:
        with_events(ledger)
        folded = fold(ledger.journal, ALL, ["findings"], cache=ledger.cache / "folds")
    now = folded.ts or ""
    found = suppressions_of(folded.states["findings"])
    return SuppressionList(folded.position.seq, now, [_row(one, now) for one in found])


def _row(one: Suppression, now: str) -> SuppressionRow:
    return SuppressionRow(
        one.event, one.seq, one.by, one.finding, one.cause, one.reason, one.expires, one.holds(now)
    )


def _meant(context: Context, target: str) -> tuple[str | None, str | None]:
    """The finding or the cause that is meant."""
    found = diagnose(context, DiagnosisRequest())
    told = [finding for group in found.groups for finding in group.findings]
    causes = {finding.cause for finding in (*told, *found.suppressed)}
    if target in causes:
        for finding in found.suppressed:
            if finding.suppressed is not None and finding.suppressed.cause == target:
                raise _already(target, finding.suppressed)
        return None, target
    known = {finding.id: finding.suppressed for finding in (*told, *found.suppressed)}
    begins = sorted(
        identity for identity in known if len(target) > len("DIAG-") and identity.startswith(target)
    )
    if len(begins) == 1:
        granted = known[begins[0]]
        if granted is not None:
            raise _already(begins[0], granted)
        return begins[0], None
    near = begins[:3] or get_close_matches(target, [*known, *sorted(causes)], 3)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"several findings begin with {target}" if begins else f"there is no finding {target!r}",
        safe="nothing was recorded",
        remedy=f"{hint}`t2c diagnose` shows them with their ids",
    )


def _already(target: str, granted: Suppression) -> Conflict:
    return Conflict(
        f"{target} is suppressed already, by {granted.event}",
        safe="nothing was recorded",
        remedy="withdraw that one first to give another reason or end",
    )
