"""Which approvals hold now, what waits for one, and the one door that an apply goes through (case 91).

An approval holds for one subject and one digest. It is judged anew each time, from the events and the clock that is
given; when it does not hold, the refusal is recorded and says what to do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.approvals.base import Approval, ApprovalState, Policy, Thing, is_own
from t2c.ledger.approvals.history import Granted, History, Recorded, Under, history
from t2c.ledger.approvals.things import file_thing
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, T2cError
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import SCANNER
from t2c.ledger.kernel.clock import rfc3339

__all__ = [
    "Judged",
    "SignatureCheck",
    "approvals",
    "fits",
    "judged",
    "mandate_for",
    "note_refusal",
    "proposers",
    "waiting",
]

SignatureCheck = Callable[[Ledger, Granted], str]
"""What is wrong with the signature of an approval; empty if it is good."""

_CODES: Final[dict[ApprovalState, str]] = {
    "withdrawn": "APPROVAL_WITHDRAWN",
    "expired": "APPROVAL_EXPIRED",
    "stale": "APPROVAL_STALE",
    "used": "APPROVAL_USED",
}
_ANSWER: Final = "answer:"
_LONGEST_SUBJECT: Final = 200


class Judged(NamedTuple):
    """An approval and, where nothing may be applied under it, the code of the refusal; empty where it may."""

    approval: Approval
    granted: Granted
    code: str


def approvals(
    ledger: Ledger, root: Path, now: datetime, policy: Policy, *, check: SignatureCheck | None = None
) -> list[Approval]:
    """Every approval in the order of the journal, with the state that it has at `now`; files are looked at in `root`.

    `check` looks at signatures; by default with the keys that the ledger registered.
    """
    return [one.approval for one in judged(ledger, history(ledger), now, policy, root=root, check=check)]


def judged(
    ledger: Ledger,
    known: History,
    now: datetime,
    policy: Policy,
    *,
    root: Path | None = None,
    check: SignatureCheck | None = None,
) -> list[Judged]:
    """Every approval with its state. Without a `root` files are not looked at."""
    return [*_Judge(ledger, known, now, policy, root, check).all()]


def proposers(known: History) -> dict[str, set[str]]:
    """Everybody who proposed it, by digest: several may have rendered the same."""
    found: dict[str, set[str]] = {}
    for one in known.recorded:
        found.setdefault(one.digest, set()).update(one.proposed_by)
    return found


def _newest(known: History) -> dict[tuple[str, ...], Recorded]:
    """What was recorded last of each series. Instructions alone, which nobody can apply, take the place of nothing."""
    return {one.series: one for one in known.recorded if one.whole}


_Verdict = tuple[ApprovalState, str, str]
_HOLDS: Final[_Verdict] = ("standing", "", "")


class _Judge:
    """What every approval of a journal is held against."""

    def __init__(
        self,
        ledger: Ledger,
        known: History,
        now: datetime,
        policy: Policy,
        root: Path | None,
        check: SignatureCheck | None,
    ) -> None:
        self.ledger, self.known, self.now, self.policy, self.root = ledger, known, now, policy, root
        self.check = check
        self.newest = _newest(known)
        self.series = {one.subject: one.series for one in known.recorded}
        self.proposers = proposers(known)
        self.under: dict[str | None, list[Under]] = {}
        for apply in known.under:
            self.under.setdefault(apply.approval, []).append(apply)

    def all(self) -> Iterator[Judged]:
        for one in self.known.granted:
            used, expires = self.under.get(one.event, []), _expires(one, self.policy)
            state, why, code = next(
                (verdict for verdict in self.verdicts(one, used, expires) if verdict[0] != "standing"), _HOLDS
            )
            if state == "used" and not code:
                # What was done stays done; doing it again needs a new word.
                for _, since, barred in (_over(expires, self.now), self.stale(one)):
                    if barred:
                        code, why = barred, f"{why}, and {since}"
                        break
            approval = Approval(
                one.event, one.seq, one.ts, one.actor, one.subject, one.digest, one.shown, one.normalised,
                one.proposed_by, expires, one.signed_by, state, why, one.statement,
                tuple(apply.announced for apply in used),
            )  # fmt: skip
            yield Judged(approval, one, code)

    def verdicts(self, one: Granted, used: list[Under], expires: str | None) -> Iterator[_Verdict]:
        """What may stand against an approval, the gravest first."""
        yield self.forbidden(one)
        yield _withdrawn(one, self.known)
        yield _used(used)
        yield _over(expires, self.now)
        yield self.stale(one)

    def stale(self, one: Granted) -> _Verdict:
        if one.subject.startswith("file:"):
            return _HOLDS if self.root is None else _stale_file(self.ledger, one, self.root)
        return _stale(one, self.newest.get(self.series.get(one.subject, ())))

    def forbidden(self, one: Granted) -> _Verdict:
        if not one.is_person:
            return "refused", f"{one.actor} is no person", "APPROVER_IS_NO_PERSON"
        if one.subject.startswith(_ANSWER):
            return _HOLDS
        made_by = self.proposers.get(one.digest, set()).union(one.proposed_by)
        if self.policy.separation and is_own(one.actor, made_by):
            return "refused", f"{one.actor} proposed it", "APPROVER_PROPOSED_IT"
        if one.signed_by is None:
            asked = "it is not signed, which approval.signature asks for"
            return ("refused", asked, "APPROVAL_SIGNATURE_REQUIRED") if self.policy.signature else _HOLDS
        if self.check is None:
            from t2c.ledger.approvals.signatures import checking

            self.check = checking()
        if problem := self.check(self.ledger, one):
            return "refused", f"its signature is not good: {problem}", "APPROVAL_SIGNATURE_BAD"
        return _HOLDS


def _withdrawn(granted: Granted, known: History) -> _Verdict:
    taken = known.withdrawn.get(granted.event)
    if taken is None:
        return _HOLDS
    return "withdrawn", f"{taken.actor} withdrew it, seq {taken.seq}: {taken.reason}", _CODES["withdrawn"]


def _used(used: list[Under]) -> _Verdict:
    done = [one for one in used if one.receipt is not None]
    if not done:
        return _HOLDS
    if back := [one for one in done if one.reverted]:
        return "used", f"it was applied, seq {back[-1].seq}, and taken back since", _CODES["used"]
    return "used", f"it was applied, seq {done[-1].seq}", ""


def _over(expires: str | None, now: datetime) -> _Verdict:
    if expires is None:
        return _HOLDS
    try:
        until = datetime.fromisoformat(expires)
        over = (until if until.tzinfo is not None else until.replace(tzinfo=UTC)) <= now
    except ValueError:
        over = True
    return ("expired", f"it held until {expires}", _CODES["expired"]) if over else _HOLDS


def _expires(granted: Granted, policy: Policy) -> str | None:
    """Until when it holds: as it says itself, else as the policy has it."""
    if granted.expires is not None or not policy.days or granted.subject.startswith(_ANSWER):
        return granted.expires
    try:
        return rfc3339(datetime.fromisoformat(granted.ts) + timedelta(days=policy.days))
    except OverflowError:
        return None


def _stale(granted: Granted, later: Recorded | None) -> _Verdict:
    """What is recorded later in the place of what was approved makes the approval stale; what was there before, which
    the approver could see, does not."""
    if (
        later is None
        or later.seq < granted.seq
        or _same(granted, later.digest, later.shown, later.normalised)
    ):
        return _HOLDS
    return "stale", f"another text took its place, seq {later.seq}", _CODES["stale"]


def _stale_file(ledger: Ledger, granted: Granted, root: Path) -> _Verdict:
    try:
        here = file_thing(root, granted.subject.removeprefix("file:"))
    except T2cError as error:
        return "stale", error.what, _CODES["stale"]
    if fits(ledger, granted, here):
        return _HOLDS
    return "stale", "the file holds another text now", _CODES["stale"]


def _same(granted: Granted, digest: str, shown: str | None, normalised: str | None) -> bool:
    if granted.normalised is not None and normalised is not None:
        return granted.normalised == normalised
    return granted.digest == digest and (granted.shown is None or shown is None or granted.shown == shown)


def fits(ledger: Ledger, granted: Granted, thing: Thing) -> bool:
    """True if this was approved: the same subject, and the same text but for progress.

    Two plans that say the same are one subject, since every scan gives them another id.
    """
    plans = granted.subject.startswith("plan:") and thing.subject.startswith("plan:")
    if granted.subject != thing.subject and not plans:
        return False
    if granted.normalised is not None and thing.normalised is not None:
        return granted.normalised == thing.normalised
    if granted.digest != thing.digest or granted.subject != thing.subject:
        return False
    if granted.shown is None or granted.shown == sha256(thing.shown).hexdigest():
        return True
    return granted.shown == sha256(ledger.funnel.mask_bytes(thing.shown).content).hexdigest()


def waiting(known: History, found: list[Judged]) -> list[Recorded]:
    """What was rendered or planned last and is neither approved nor applied; a plan only until a patch of it was made.

    Nothing of it is proven yet: `find` does that when it is shown.
    """
    newest = _newest(known)
    applied = {(one.subject, one.digest) for one in known.under if one.receipt is not None}
    patched = {plan for one in known.recorded if one.kind == "source" and one.whole for plan in one.plans}
    undone = {
        plan
        for one in newest.values()
        if one.kind == "plan"
        for plan in one.plans
        if plan not in patched and plan not in known.closed
    }
    holding = [one.granted for one in found if not one.code]
    rows = []
    for one in known.recorded:
        if newest.get(one.series) is not one or (one.subject, one.digest) in applied:
            continue
        if one.kind in ("plan", "review") and undone.isdisjoint(one.plans):
            continue
        if not any(_speaks_of(held, one) for held in holding):
            rows.append(one)
    return rows


def _speaks_of(granted: Granted, one: Recorded) -> bool:
    plans = granted.subject.startswith("plan:") and one.kind == "plan"
    same_subject = granted.subject == one.subject or (plans and granted.normalised is not None)
    return same_subject and _same(granted, one.digest, one.shown, one.normalised)


def mandate_for(
    ledger: Ledger,
    thing: Thing,
    policy: Policy,
    now: datetime,
    requested_by: str,
    *,
    check: SignatureCheck | None = None,
) -> str:
    """The event of the approval under which exactly this may be applied now.

    Raises Refused, after the refusal was recorded, where there is none: never approved, approved by who proposed it,
    withdrawn, expired, not signed as asked, or of another text.
    """
    found = judged(ledger, history(ledger), now, policy, check=check)
    own = [one for one in found if fits(ledger, one.granted, thing)]
    made_by = thing.proposed_by if policy.separation else ()
    holding = [one for one in own if not one.code and not is_own(one.approval.actor, made_by)]
    if holding:
        return holding[-1].approval.event
    code, why = _nearest(own, found, thing)
    note_refusal(ledger, thing.subject, code, why, requested_by, thing.digest)
    raise Refused(
        f"{thing.subject} may not be applied: {why}",
        where=thing.subject,
        safe="no file was touched; the refusal is recorded",
        remedy=f"let somebody who did not propose it approve exactly this: t2c approve {thing.digest}",
        code=code,
        digest=thing.digest,
    )


def _nearest(own: list[Judged], found: list[Judged], thing: Thing) -> tuple[str, str]:
    """Why none of the approvals holds, by the one that comes closest."""
    if own:
        last = own[-1]
        code = last.code or "APPROVER_PROPOSED_IT"
        why = last.approval.why if last.code else f"{last.approval.actor} proposed it"
        return code, f"the approval of seq {last.approval.seq} does not hold: {why}"
    others = [one.approval for one in found if one.approval.subject == thing.subject]
    if others:
        return (
            "APPROVAL_STALE",
            f"seq {others[-1].seq} approved another text of it, {others[-1].digest[:12]}…",
        )
    return "APPROVAL_MISSING", "nobody approved it"


def note_refusal(
    ledger: Ledger, subject: str, code: str, reason: str, requested_by: str, reference: str | None
) -> None:
    """Record that a rule forbade what somebody asked for."""
    from t2c.ledger.events.decisions import RefusalNoted

    told = RefusalNoted(
        subject=subject[:_LONGEST_SUBJECT],
        code=code,
        reason=reason,
        requested_by=requested_by,
        reference=reference,
    )
    ledger.append([draft(told, actor=SCANNER)])
