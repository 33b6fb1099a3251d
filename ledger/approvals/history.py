"""What a journal holds about approvals, read in one pass: what was rendered, who approved, what was applied under it.

What came from another ledger speaks of another repository and is left out, and so is what is not of the shape of its
type: `t2c ledger verify` names it, here it only leaves less standing.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import msgspec

from t2c.ledger.approvals.names import Names
from t2c.ledger.approvals.normalising import normalised_plan
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.entry import Entry

__all__ = ["Granted", "History", "Recorded", "Under", "Withdrawn", "history", "recorded"]


class _Patch(msgspec.Struct):
    kind: str
    hash: str
    shown: str
    artifact: msgspec.Raw
    plans: tuple[str, ...]
    proposed_by: tuple[str, ...]


class _Plan(msgspec.Struct):
    id: str
    hash: str
    plan: dict[str, Any]
    proposed_by: tuple[str, ...]


class _Signature(msgspec.Struct):
    key: str


class _Granted(msgspec.Struct):
    subject: str
    digest: str
    statement: str
    shown: str | None = None
    normalised: str | None = None
    proposed_by: tuple[str, ...] = ()
    expires: str | None = None
    signature: _Signature | None = None


class _Withdrawn(msgspec.Struct):
    approval: str
    reason: str


class _Announced(msgspec.Struct):
    purpose: str
    subject: str | None = None
    digest: str | None = None
    approval: str | None = None
    reverts: str | None = None


class _Outcome(msgspec.Struct):
    announced: str


class _Reverted(msgspec.Struct):
    receipt: str


class _Closed(msgspec.Struct):
    plans: tuple[str, ...]


class Recorded(NamedTuple):
    """A plan or a patch as its event tells of it; nothing of it is proven yet.

    `kind` is `plan`, or the kind of the patch. `series` is shared by what takes the place of one another, `shown` the
    object of the text (None for plans, whose text is made when it is shown). `whole` is false for a patch that only
    says what to do: nothing of it can be applied.
    """

    event: str
    seq: int
    ts: str
    kind: str
    subject: str
    series: tuple[str, ...]
    digest: str
    shown: str | None
    normalised: str | None
    plans: tuple[str, ...]
    proposed_by: tuple[str, ...]
    whole: bool = True

    @classmethod
    def of(cls, entry: Entry) -> Recorded | None:
        """What an event of the types `patch.rendered` and `change.planned` tells; None if it has another shape."""
        try:
            if entry.type == "change.planned":
                return cls._plan(entry, _plan(entry.data))
            return cls._patch(entry, _patch(entry.data))
        except (msgspec.MsgspecError, KeyError, TypeError, AttributeError, ValueError):
            return None

    @classmethod
    def _plan(cls, entry: Entry, data: _Plan) -> Recorded:
        series = ("plan", *sorted(set(data.plan["evidence"]["diagnosticIds"])))
        return cls(
            entry.id, entry.seq, entry.ts, "plan", f"plan:{data.id}", series, data.hash, None,
            normalised_plan(data.plan), (data.id,), data.proposed_by,
        )  # fmt: skip

    @classmethod
    def _patch(cls, entry: Entry, data: _Patch) -> Recorded:
        if data.kind == "source":
            subject = "patch:" + ",".join(data.plans)
        elif data.kind == "revert":
            subject = f"revert:{msgspec.json.decode(data.artifact, type=_Reverted).receipt}"
        else:
            subject = f"patch:{data.kind}"
        return cls(
            entry.id, entry.seq, entry.ts, data.kind, subject, (subject,), data.hash, data.shown, None, data.plans,
            data.proposed_by, _NO_DIFF not in bytes(data.artifact),
        )  # fmt: skip


class Granted(NamedTuple):
    """An approval as its event tells of it."""

    event: str
    seq: int
    ts: str
    actor: str
    is_person: bool
    subject: str
    digest: str
    shown: str | None
    normalised: str | None
    proposed_by: tuple[str, ...]
    expires: str | None
    signed_by: str | None
    statement: str
    entry: Entry


class Withdrawn(NamedTuple):
    """That somebody took an approval back."""

    event: str
    seq: int
    actor: str
    reason: str


class Under(NamedTuple):
    """An apply that was announced under an approval. `receipt` is None until there is one; `reverted` where it was
    taken back since."""

    announced: str
    seq: int
    approval: str | None
    subject: str | None
    digest: str | None
    receipt: str | None
    reverted: bool


class History(NamedTuple):
    """Everything in the order of the journal, each event by its id here; `closed` are plans that are done.

    `reverted` are the receipts that were taken back and still are, each with the receipt that did it.
    """

    recorded: list[Recorded]
    granted: list[Granted]
    withdrawn: dict[str, Withdrawn]
    under: list[Under]
    closed: frozenset[str]
    reverted: dict[str, str]


_patch = msgspec.json.Decoder(_Patch).decode
_plan = msgspec.json.Decoder(_Plan).decode
_granted = msgspec.json.Decoder(_Granted).decode
_withdrawn = msgspec.json.Decoder(_Withdrawn).decode
_announced = msgspec.json.Decoder(_Announced).decode
_outcome = msgspec.json.Decoder(_Outcome).decode
_closed = msgspec.json.Decoder(_Closed).decode
_NO_DIFF: Final = b'"unifiedDiff":null'
"""In canonical JSON no text can hold these bytes."""
_RENDERED: Final = frozenset({"patch.rendered", "change.planned"})
_TYPES: Final = _RENDERED | {
    "approval.granted", "approval.withdrawn", "apply.announced", "apply.receipted", "change.closed", "journal.merged",
}  # fmt: skip


def recorded(ledger: Ledger) -> list[Recorded]:
    """What was rendered or planned, in order."""
    return [one for entry in _entries(ledger, _RENDERED) if (one := Recorded.of(entry)) is not None]


def history(ledger: Ledger) -> History:
    """Everything that approvals depend on, in one pass."""
    made: list[Recorded] = []
    granted: list[Granted] = []
    withdrawals: list[tuple[str, Withdrawn]] = []
    announced: dict[str, tuple[Entry, _Announced]] = {}
    receipts: list[tuple[str, Entry]] = []
    closed: set[str] = set()
    names = Names()
    for entry in _entries(ledger, _TYPES):
        names.take(entry)
        if entry.type in _RENDERED:
            if (one := Recorded.of(entry)) is not None:
                made.append(one)
            continue
        try:
            match entry.type:
                case "approval.granted":
                    granted.append(_approval(entry, _granted(entry.data)))
                case "approval.withdrawn":
                    taken = _withdrawn(entry.data)
                    if entry.actor.kind == "human":
                        by = Withdrawn(entry.id, entry.seq, str(entry.actor), taken.reason)
                        withdrawals.append((taken.approval, by))
                case "apply.announced":
                    announced[entry.id] = entry, _announced(entry.data)
                case "apply.receipted":
                    receipts.append((_outcome(entry.data).announced, entry))
                case "change.closed":
                    closed.update(_closed(entry.data).plans)
        except msgspec.MsgspecError:
            continue
    # A merge says last what the ids in its events stand for.
    withdrawn: dict[str, Withdrawn] = {}
    for approval, by in withdrawals:
        withdrawn.setdefault(names.of(approval), by)
    under, reverted = _applied(announced, receipts, names)
    return History(made, granted, withdrawn, under, frozenset(closed), reverted)


def _applied(
    announced: dict[str, tuple[Entry, _Announced]], receipts: list[tuple[str, Entry]], names: Names
) -> tuple[list[Under], dict[str, str]]:
    """What was applied under which approval, and what took back what."""
    done: dict[str, str] = {}
    for told_of, entry in receipts:
        event = names.of(told_of)
        if event in announced and (entry.origin is None or announced[event][0].origin is not None):
            done.setdefault(event, entry.id)  # files here are changed by no event that came from elsewhere
    reverted: dict[str, str] = {}
    under: list[Under] = []
    for event, (entry, told) in reversed(announced.items()):  # what takes something back comes after it
        receipt = done.get(event)
        back = receipt is not None and receipt in reverted
        if receipt is not None and not back and told.reverts is not None:
            reverted.setdefault(names.of(told.reverts), receipt)
        approval = None if told.approval is None else names.of(told.approval)
        under.append(Under(event, entry.seq, approval, told.subject, told.digest, receipt, back))
    under.reverse()
    return under, reverted


def _approval(entry: Entry, data: _Granted) -> Granted:
    return Granted(
        entry.id, entry.seq, entry.ts, str(entry.actor), entry.actor.kind == "human", data.subject, data.digest,
        data.shown, data.normalised, data.proposed_by, data.expires,
        None if data.signature is None else data.signature.key, data.statement, entry,
    )  # fmt: skip


def _entries(ledger: Ledger, wanted: frozenset[str]) -> list[Entry]:
    own: str | None = None
    found = []
    for entry in ledger.entries():
        if entry.type not in wanted or entry.data_hash is not None:
            continue
        if entry.origin is not None:
            own = own or str(ledger.id())
            if not entry.is_ours(own):
                continue
        found.append(entry)
    return found
