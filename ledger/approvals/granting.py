"""Approving exactly what was shown, and taking an approval back. Only people do either (case 91).

What is forbidden is recorded as a refusal before it is said. An approval that says nothing new is not written twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from t2c.ledger.approvals.base import Policy, Thing, is_own
from t2c.ledger.approvals.history import Granted, History, history, recorded
from t2c.ledger.approvals.standing import SignatureCheck, judged, note_refusal, proposers
from t2c.ledger.approvals.things import SHORTEST, matching
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import rfc3339

if TYPE_CHECKING:
    from t2c.ledger.events.decisions import ApprovalGranted, Signature

__all__ = ["Grant", "Sign", "Taken", "as_read", "grant", "withdraw"]

Sign = Callable[["ApprovalGranted"], "Signature"]
"""Signs an approval that is about to be recorded; it is given without a signature."""


class Grant(NamedTuple):
    """What was recorded. `repeated` is true where the same person's approval stood already and nothing was written.

    `masked` counts the secrets that were masked in the text, by kind: then `shown` is the object of the masked text.
    """

    event: str
    seq: int
    digest: str
    shown: str
    expires: str | None
    signed_by: str | None
    repeated: bool
    masked: Mapping[str, int]


class Taken(NamedTuple):
    """A withdrawal, and the approval that it takes back."""

    event: str
    seq: int
    approval: Granted


def as_read(ledger: Ledger, thing: Thing) -> bytes:
    """The bytes that a person is shown: those of the thing without secrets."""
    return ledger.funnel.mask_bytes(thing.shown).content


def grant(
    ledger: Ledger,
    thing: Thing,
    actor: Actor,
    *,
    policy: Policy,
    now: datetime,
    statement: str = "",
    expires: str | None = None,
    expected: str | None = None,
    sign: Sign | None = None,
    check: SignatureCheck | None = None,
) -> Grant:
    """Record that `actor` approves exactly this, until `expires` or for as long as the policy has it.

    `expected` is the SHA-256 of what was shown to them (or its first digits): of the thing or of its text. Raises
    Conflict if that is not what is there now, Refused for whoever is no person or proposed it and for an approval that
    must be signed and is not; each after the refusal was recorded.
    """
    from t2c.ledger.events.decisions import ApprovalGranted

    text = ledger.funnel.mask_bytes(thing.shown)
    shown = sha256(text.content).hexdigest()
    if actor.kind != "human":
        _refuse(
            ledger,
            thing,
            actor,
            "APPROVER_IS_NO_PERSON",
            f"{actor} is no person",
            "ask a person to approve it",
        )
    if expected is not None and not any(
        name.startswith(expected.lower()) for name in (thing.digest, shown, sha256(thing.shown).hexdigest())
    ):
        why = "what is there now is not what was shown"
        note_refusal(ledger, thing.subject, "APPROVAL_STALE", why, str(actor), thing.digest)
        raise Conflict(
            f"{why}: the approval would be stale",
            where=thing.subject,
            safe="nothing was approved; the refusal is recorded",
            remedy="look at it again with --show, and approve its new SHA-256",
            shown=expected,
            now=thing.digest,
        )
    known = history(ledger)
    made_by = proposers(known).get(thing.digest, set()).union(thing.proposed_by)
    if policy.separation and is_own(str(actor), made_by):
        _refuse(
            ledger, thing, actor, "APPROVER_PROPOSED_IT", f"{actor} proposed it, and nobody approves their own work",
            "let somebody else approve it; the setting approval.separation says so",
        )  # fmt: skip
    if policy.signature and sign is None:
        _refuse(
            ledger, thing, actor, "APPROVAL_SIGNATURE_REQUIRED", "the setting approval.signature asks for a signature",
            "add --sign, or --ssh-key FILE",
        )  # fmt: skip
    statement = ledger.funnel.mask(statement).text  # what is signed is what will be recorded
    again = _again(
        ledger, known, thing, actor, policy, now, shown, statement, expires, sign is not None, check
    )
    if again is not None:
        return again._replace(masked=text.findings)
    if expires is None and policy.days:
        expires = rfc3339(now + timedelta(days=policy.days))
    payload = ApprovalGranted(
        subject=thing.subject,
        digest=thing.digest,
        statement=statement,
        shown=shown,
        normalised=thing.normalised,
        proposed_by=thing.proposed_by,
        expires=expires,
    )
    if sign is not None:
        try:
            payload = payload.model_copy(update={"signature": sign(payload)})
        except Refused as error:
            note_refusal(
                ledger, thing.subject, "APPROVAL_SIGNATURE_BAD", error.what, str(actor), thing.digest
            )
            raise
    ledger.objects.put(text.content)
    cause = () if thing.event is None else (thing.event,)
    (receipt,) = ledger.append([draft(payload, actor=actor, trust="asserted", cause=cause)])
    key = None if payload.signature is None else payload.signature.key
    return Grant(receipt.id, receipt.seq, thing.digest, shown, expires, key, False, text.findings)


def _again(
    ledger: Ledger,
    known: History,
    thing: Thing,
    actor: Actor,
    policy: Policy,
    now: datetime,
    shown: str,
    statement: str,
    expires: str | None,
    signs: bool,
    check: SignatureCheck | None,
) -> Grant | None:
    """The approval of the same person that says all of this already, if it holds."""
    for one in reversed(judged(ledger, known, now, policy, check=check)):
        held, approval = one.granted, one.approval
        if (
            not one.code
            and (held.actor, held.subject, held.digest, held.shown)
            == (str(actor), thing.subject, thing.digest, shown)
            and statement in ("", held.statement)
            and expires in (None, held.expires)
            and not (signs and held.signed_by is None)
        ):
            return Grant(held.event, held.seq, held.digest, shown, approval.expires, held.signed_by, True, {})
    return None


def _refuse(ledger: Ledger, thing: Thing, actor: Actor, code: str, why: str, remedy: str) -> NoReturn:
    note_refusal(ledger, thing.subject, code, why, str(actor), thing.digest)
    raise Refused(
        f"{thing.subject} is not approved: {why}",
        where=thing.subject,
        safe="nothing was recorded but this refusal",
        remedy=remedy,
        code=code,
    )


def withdraw(ledger: Ledger, name: str, actor: Actor, reason: str) -> Taken:
    """Take an approval back: by its seq or event, or by the hash, id or subject of what it is of.

    Raises Refused for whoever is no person, Conflict where it was withdrawn already, Usage for a name that means no
    approval or several, and for the approval of an answer, which settled it when it was given.
    """
    from t2c.ledger.events.decisions import ApprovalWithdrawn

    if actor.kind != "human":
        why = f"{actor} is no person"
        note_refusal(ledger, name, "WITHDRAWER_IS_NO_PERSON", why, str(actor), None)
        raise Refused(
            f"no approval is withdrawn: {why}",
            safe="nothing was recorded but this refusal",
            remedy="ask a person to withdraw it",
        )
    known = history(ledger)
    meant = _meant(ledger, known.granted, name)
    standing = [one for one in meant if one.event not in known.withdrawn]
    if meant and not standing:
        taken = known.withdrawn[meant[-1].event]
        raise Conflict(
            f"it was withdrawn already, by {taken.actor}",
            where=f"seq {taken.seq}",
            safe="nothing was recorded",
            remedy="`t2c approvals --all` shows it",
        )
    if len(standing) != 1:
        seqs = ", ".join(f"seq {one.seq} by {one.actor}" for one in standing)
        raise Usage(
            f"{name!r} means {len(standing)} approvals" if standing else f"there is no approval {name!r}",
            safe="nothing was recorded",
            remedy=f"name one of them: {seqs}" if standing else "`t2c approvals` lists them",
        )
    (approval,) = standing
    if approval.subject.startswith("answer:"):
        raise Usage(
            "an approval of an answer is not withdrawn: it settled the answer when it was given",
            where=f"seq {approval.seq}",
            safe="nothing was recorded",
            remedy="approve the text that shall take its place: `t2c answers approve`",
        )
    payload = ApprovalWithdrawn(approval=approval.event, reason=reason)
    (receipt,) = ledger.append([draft(payload, actor=actor, cause=(approval.event,))])
    return Taken(receipt.id, receipt.seq, approval)


def _meant(ledger: Ledger, granted: list[Granted], name: str) -> list[Granted]:
    found = [one for one in granted if name in (one.event, str(one.seq), one.subject)]
    if found:
        return found
    if len(name) >= SHORTEST and all(char in "0123456789abcdef" for char in name):
        return [one for one in granted if one.digest.startswith(name)]
    digests = {(one.subject, one.digest) for one in matching(recorded(ledger), name)}
    return [one for one in granted if (one.subject, one.digest) in digests]
