"""`t2c approve`, `t2c withdraw`, `t2c approvals`: exactly what was shown, who approved it, and whether that still holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import to_come, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.approvals import granting
from t2c.ledger.approvals.base import Approval, ApprovalState, Policy, Thing
from t2c.ledger.approvals.granting import Sign, as_read, grant
from t2c.ledger.approvals.history import Recorded, history
from t2c.ledger.approvals.standing import judged, waiting
from t2c.ledger.approvals.things import Brief, entry_named, find
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.paths import repo_path

if TYPE_CHECKING:
    from t2c.cli.actions.answers_ask import CheckRow
    from t2c.ledger.events.decisions import ApprovalGranted, Signature

__all__ = [
    "ApprovalRow",
    "Approvals",
    "ApprovedThing",
    "Asked",
    "Signing",
    "WaitingRow",
    "WithdrawnApproval",
    "approve",
    "listed",
    "policy_of",
    "show",
    "withdraw",
]


class Signing(NamedTuple):
    """With what an approval is signed: a key of the ledger whose private half lies below `state`, the newest unless
    `key` names one; or by ssh-keygen with the file `ssh`, which may ask only where there is a `terminal`."""

    state: Path | None
    key: str | None
    ssh: Path | None
    environ: Mapping[str, str]
    terminal: bool


class Asked(NamedTuple):
    """What is to be approved: by its `name`, or a `file` as the caller wrote it; with a name the file of an answer.

    `sha256` is what the caller was shown, `expires` a time to come.
    """

    name: str | None
    file: str | None = None
    sha256: str | None = None
    statement: str = ""
    expires: str | None = None
    signing: Signing | None = None


@dataclass(frozen=True, slots=True)
class ApprovedThing:
    """What was shown, and that a person approved exactly that; without an `event` it was only shown.

    `shown` is the SHA-256 of `text` as it is kept, in which secrets are masked: `masked` counts them by kind. `repeated`
    says that the approval stood before. `overtaken` is the seq of a later rendering of the same subject.
    """

    schema: ClassVar[str] = "t2c.approval/v1"
    subject: str
    digest: str
    shown: str
    text: str
    proposed_by: Sequence[str]
    by: str
    event: str | None = None
    seq: int | None = None
    expires: str | None = None
    signed_by: str | None = None
    repeated: bool = False
    masked: Mapping[str, int] | None = None
    overtaken: int | None = None
    checks: Sequence[CheckRow] = ()


@dataclass(frozen=True, slots=True)
class WithdrawnApproval:
    """That an approval was taken back; what was applied under it stays applied."""

    schema: ClassVar[str] = "t2c.approval-withdrawn/v1"
    approval: str
    approved_seq: int
    approved_by: str
    subject: str
    digest: str
    by: str
    reason: str
    event: str
    seq: int


@dataclass(frozen=True, slots=True)
class WaitingRow:
    """What was rendered or planned and waits for a person; `next` is what to type."""

    subject: str
    kind: str
    digest: str
    event: str
    seq: int
    ts: str
    proposed_by: Sequence[str]
    next: str


@dataclass(frozen=True, slots=True)
class ApprovalRow:
    """An approval and whether it holds; `why` says why not, `next` what to type, null where nothing is to be done."""

    event: str
    seq: int
    ts: str
    by: str
    subject: str
    digest: str
    statement: str
    state: ApprovalState
    why: str
    expires: str | None
    signed_by: str | None
    used_by: Sequence[str]
    next: str | None


@dataclass(frozen=True, slots=True)
class Approvals:
    """What waits for an approval, and the approvals there are, each in the order of the journal, as of event `seq`."""

    schema: ClassVar[str] = "t2c.approvals/v1"
    seq: int
    ts: str
    waiting: Sequence[WaitingRow]
    approvals: Sequence[ApprovalRow]
    left_out: int


def policy_of(context: Context) -> Policy:
    """What the settings ask of approvals."""
    asked = context.settings.approval
    return Policy(asked.separation, asked.signature, asked.days)


def show(context: Context, asked: Asked) -> ApprovedThing:
    """What would be approved. Nothing is recorded. Raises as `find` does."""
    with open_ledger(context) as ledger:
        if (answer := _answer(ledger, asked)) is not None:
            return _of_answer(context, answer, asked, show=True)
        return _shown(context, ledger, _found(context, ledger, asked))


def approve(context: Context, asked: Asked) -> ApprovedThing:
    """Approve exactly what there is, if it is still what was shown.

    Raises Conflict if it is not, Refused for whoever may not approve it, Usage for a name that means nothing.
    """
    actor = Actor.parse(context.settings.actor)
    now = context.clock.now()
    with open_ledger(context) as ledger:
        if (answer := _answer(ledger, asked)) is not None:
            return _of_answer(context, answer, asked, show=False)
        thing = _found(context, ledger, asked)
        expires = (
            None
            if asked.expires is None
            else to_come(asked.expires, now, option="--expires", safe="nothing was approved")
        )
        seen = _shown(context, ledger, thing)
        told = grant(
            ledger,
            thing,
            actor,
            policy=policy_of(context),
            now=now,
            statement=asked.statement,
            expires=expires,
            expected=asked.sha256,
            sign=None if asked.signing is None else _signer(context, ledger, asked.signing, actor, now),
        )
    return ApprovedThing(
        seen.subject, seen.digest, told.shown, seen.text, seen.proposed_by, str(actor), told.event, told.seq,
        told.expires, told.signed_by, told.repeated, told.masked, seen.overtaken,
    )  # fmt: skip


def _signer(context: Context, ledger: Ledger, signing: Signing, actor: Actor, now: datetime) -> Sign:
    """Signs, and looks for the key only then: who may not approve is told that first."""

    def sign(approval: ApprovalGranted) -> Signature:
        from t2c.ledger.anchors.keyring import Keyring
        from t2c.ledger.approvals.signatures import sign_with_own_key, sign_with_ssh

        if signing.ssh is not None:
            file = context.cwd / signing.ssh
            signer = sign_with_ssh(ledger, file, str(actor), now, signing.environ, terminal=signing.terminal)
        else:
            assert signing.state is not None
            keyring = Keyring(signing.state, ledger.id())
            signer = sign_with_own_key(ledger, keyring, signing.key, str(actor), now)
        return signer(approval)

    return sign


def _answer(ledger: Ledger, asked: Asked) -> str | None:
    """The event of the answer that is named; None where it is no answer's."""
    if asked.name is None:
        return None
    entry = entry_named(ledger, asked.name.removeprefix("answer:"))
    return entry.id if entry is not None and entry.type == "answer.recorded" else None


def _of_answer(context: Context, answer: str, asked: Asked, *, show: bool) -> ApprovedThing:
    if asked.expires is not None or asked.signing is not None:
        raise Usage(
            "an approval of an answer settles it when it is given: it has no end and is not signed",
            safe="nothing was approved",
            remedy="leave out --expires and --sign",
        )
    from t2c.cli.actions.answers_people import approved as answer_approved

    found = answer_approved(
        context, answer, asked.file, digest=asked.sha256, statement=asked.statement, show=show
    )
    return ApprovedThing(
        found.subject, found.digest, found.digest, found.text, (), found.by, found.event, found.seq,
        checks=found.checks,
    )  # fmt: skip


def _found(context: Context, ledger: Ledger, asked: Asked) -> Thing:
    if asked.name is None:
        path = repo_path(context.root, context.path(asked.file or "."))
        return find(ledger, context.root, f"file:{path}")
    if asked.file is not None:
        raise Usage(
            f"{asked.name} is no answer, so it has no files of its own",
            safe="nothing was approved",
            remedy="leave out --file, or give --file alone for a file of the tree",
        )
    return find(ledger, context.root, asked.name, brief=_brief())


def _brief() -> Brief:
    from t2c.projections.changeplans.review import plan_brief

    return plan_brief


def _shown(context: Context, ledger: Ledger, thing: Thing) -> ApprovedThing:
    from hashlib import sha256

    text = as_read(ledger, thing)
    later = None
    if thing.event is not None:
        known = history(ledger).recorded
        series = next(one.series for one in known if one.event == thing.event)
        newest = [one for one in known if one.series == series][-1]
        later = None if newest.digest == thing.digest else newest.seq
    return ApprovedThing(
        thing.subject,
        thing.digest,
        sha256(text).hexdigest(),
        text.decode("utf-8", "backslashreplace"),
        thing.proposed_by,
        context.settings.asker,
        masked=ledger.funnel.mask_bytes(thing.shown).findings,
        overtaken=later,
    )


def withdraw(context: Context, name: str, reason: str) -> WithdrawnApproval:
    """Take an approval back. Raises Refused for whoever is no person, Conflict where it was done already."""
    actor = Actor.parse(context.settings.actor)
    with open_ledger(context) as ledger:
        taken = granting.withdraw(ledger, name, actor, reason)
    was = taken.approval
    return WithdrawnApproval(
        was.event, was.seq, was.actor, was.subject, was.digest, str(actor), reason, taken.event, taken.seq
    )


Wanted = Literal["open", "waiting", "stale", "used", "all"]


def listed(context: Context, wanted: Wanted = "open") -> Approvals:
    """What waits and the approvals that stand or went stale or over (`open`), or those of one kind, or all."""
    now = context.clock.now()
    with open_ledger(context) as ledger:
        head = with_events(ledger)
        known = history(ledger)
        found = judged(ledger, known, now, policy_of(context), root=context.root)
    rows = [_row(one.approval) for one in found]
    shown = {
        "open": ("standing", "stale", "expired", "refused"),
        "waiting": (),
        "stale": ("stale", "expired"),
        "used": ("used",),
        "all": ("standing", "stale", "expired", "refused", "withdrawn", "used"),
    }[wanted]
    kept = [row for row in rows if row.state in shown]
    waits = [_waits(one) for one in waiting(known, found)] if wanted in ("open", "waiting", "all") else []
    return Approvals(head.seq, rfc3339(now), waits, kept, len(rows) - len(kept))


def _waits(one: Recorded) -> WaitingRow:
    return WaitingRow(
        one.subject, one.kind, one.digest, one.event, one.seq, one.ts, one.proposed_by,
        f"t2c approve {one.digest} --show",
    )  # fmt: skip


def _row(one: Approval) -> ApprovalRow:
    return ApprovalRow(
        one.event, one.seq, one.ts, one.actor, one.subject, one.digest, one.statement, one.state, one.why, one.expires,
        one.signed_by, one.used_by, _next(one),
    )  # fmt: skip


def _next(one: Approval) -> str | None:
    kind, _, rest = one.subject.partition(":")
    if kind == "file":
        again = f"t2c approve --file {quote(rest)} --show"
    elif one.state == "stale":
        again = f"t2c approve {one.subject} --show"
    else:
        again = f"t2c approve {one.digest} --show"
    if one.state in ("stale", "expired", "refused"):
        return again
    if one.state != "standing":
        return None
    if one.subject == "patch:todo":
        return f"t2c todo apply {one.digest}"
    if kind == "patch" and one.subject != "patch:review":
        return f"t2c change apply {one.digest}"
    if kind == "revert":
        return f"t2c change revert {rest}"
    return None
