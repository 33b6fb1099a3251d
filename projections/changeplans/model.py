"""What became of each plan, folded from events: every step with its event, and where the plan stands.

A step says what was recorded, never more: an applied plan is not done, and one that was closed and does not hold any
more is open again (decisions B2).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, Final, Literal

import msgspec

from t2c.ledger.journal.entry import Entry

__all__ = ["HANDLES", "STATES", "Changes", "Planned", "State", "Step", "apply"]

State = Literal[
    "planned", "patched", "approved", "withdrawn", "tried", "applying", "applied", "failed", "evaluated", "not accepted",
    "closed", "reopened", "reverted", "superseded",
]  # fmt: skip
STATES: Final[Mapping[State, str]] = {
    "planned": "drawn, and nothing came of it yet",
    "patched": "there is a patch of it",
    "approved": "somebody approved it or a patch of it",
    "withdrawn": "an approval was withdrawn",
    "tried": "a patch was tried beside the files",
    "applying": "an apply was announced, and how it ended is not known",
    "applied": "a patch was applied",
    "failed": "an apply did not come about",
    "evaluated": "its findings were judged settled",
    "not accepted": "its findings were judged not settled",
    "closed": "closed as settled",
    "reopened": "closed, and judged not settled since",
    "reverted": "what was applied was taken back",
    "superseded": "a later plan of the same finding took its place",
}
HANDLES: Final = frozenset(
    {
        "change.planned", "patch.rendered", "approval.granted", "approval.withdrawn", "change.tried", "apply.announced",
        "apply.receipted", "apply.failed", "change.evaluated", "change.closed",
    }
)  # fmt: skip


_REVERT: Final = "revert:"
"""How the subject of an approval begins that is of taking something back."""


class Step(msgspec.Struct, frozen=True):
    """What an event did to a plan; `by` is who did it or had it done, `detail` a hash, an id or a few words."""

    state: State
    seq: int
    event: str
    ts: str
    by: str
    detail: str = ""


class Planned(msgspec.Struct):
    """A plan as recorded, without its times, and all its steps. `by` are the later plans that took its place."""

    id: str
    hash: str
    seq: int
    event: str
    ts: str
    by: str
    plan: dict[str, Any]
    proposed_by: tuple[str, ...]
    steps: list[Step] = []
    superseded: str | None = None

    @property
    def state(self) -> State:
        """Where it stands: by its last step; an evaluation of one that was closed says if that still holds."""
        if self.superseded is not None:
            return "superseded"
        found: State = "planned"
        for step in self.steps:
            if step.detail.startswith(_REVERT):
                continue  # that it may be taken back does not take it back
            # An approval that is withdrawn undoes nothing that was done under it.
            if step.state != "withdrawn" or found in ("patched", "approved", "tried"):
                found = step.state
        return found

    @property
    def untouched(self) -> bool:
        """True where nothing but reviews came of it, so that a later plan may take its place."""
        return not self.steps

    def about(self, diagnostics: Collection[str]) -> bool:
        """True where it is a plan of any of these findings."""
        return not frozenset(self.plan["evidence"]["diagnosticIds"]).isdisjoint(diagnostics)

    @property
    def pending(self) -> bool:
        """True where something is still to be done about it."""
        return self.state not in ("superseded", "closed")


class Changes(msgspec.Struct):
    """`plans` by id in the order of events, `reviews` by hash with their time; the others lead to plans.

    `announced` has purpose, plans, who asked for it and whether that was here. An event that was taken in is known by
    the ids that it had elsewhere too, since payloads keep them.
    """

    plans: dict[str, Planned] = {}
    reviews: dict[str, str] = {}
    hashes: dict[str, tuple[str, ...]] = {}
    patches: dict[str, str] = {}
    approvals: dict[str, tuple[str, ...]] = {}
    announced: dict[str, tuple[str, tuple[str, ...], str, bool]] = {}
    receipts: dict[str, tuple[str, ...]] = {}


class _Planned(msgspec.Struct, frozen=True):
    id: str
    hash: str
    plan: dict[str, Any]
    proposed_by: tuple[str, ...]


class _File(msgspec.Struct, frozen=True):
    path: str


class _Evidence(msgspec.Struct, frozen=True):
    graphFingerprint: str
    diagnosticIds: tuple[str, ...]


class _Shape(msgspec.Struct, frozen=True):
    """What is read of a plan; a payload without it is none."""

    title: str
    priority: str
    changes: tuple[_File, ...]
    evidence: _Evidence


class _Rendered(msgspec.Struct, frozen=True):
    kind: str
    hash: str
    plans: tuple[str, ...]
    artifact: dict[str, Any]


class _Granted(msgspec.Struct, frozen=True):
    subject: str
    digest: str


class _Withdrawn(msgspec.Struct, frozen=True):
    approval: str


class _Tried(msgspec.Struct, frozen=True):
    patch: str
    plans: tuple[str, ...]
    passed: bool


class _Announced(msgspec.Struct, frozen=True):
    purpose: str
    subject: str | None = None
    digest: str | None = None
    requested_by: str | None = None
    reverts: str | None = None


class _Outcome(msgspec.Struct, frozen=True):
    announced: str
    outcome: str = ""


class _Evaluated(msgspec.Struct, frozen=True):
    plan: str
    accepted: bool


class _Closed(msgspec.Struct, frozen=True):
    plans: tuple[str, ...]


_TYPES: Final[Mapping[str, type[Any]]] = {
    "change.planned": _Planned,
    "patch.rendered": _Rendered,
    "approval.granted": _Granted,
    "approval.withdrawn": _Withdrawn,
    "change.tried": _Tried,
    "apply.announced": _Announced,
    "apply.receipted": _Outcome,
    "apply.failed": _Outcome,
    "change.evaluated": _Evaluated,
    "change.closed": _Closed,
}
_decoders: Final = {name: msgspec.json.Decoder(type).decode for name, type in _TYPES.items()}


def apply(state: Changes, entry: Entry) -> None:
    """Apply one event. Raises msgspec.DecodeError, before anything is changed, for a payload of another shape."""
    found = _decoders[entry.type](entry.data)
    if isinstance(found, _Planned):
        _plan(state, entry, found)
        return
    by = _by(state, entry, found)
    for step, identity, detail in _steps(state, entry, found):
        known = state.plans.get(identity)
        if known is not None:
            known.steps.append(Step(step, entry.seq, entry.id, entry.ts, by, detail))


def _by(state: Changes, entry: Entry, found: Any) -> str:
    """Who asked for it: the helper that writes files does so for somebody."""
    match found:
        case _Announced() if found.requested_by:
            return found.requested_by
        case _Outcome() if found.announced in state.announced:
            return state.announced[found.announced][2]
    return str(entry.actor)


def _plan(state: Changes, entry: Entry, found: _Planned) -> None:
    diagnostics = frozenset(msgspec.convert(found.plan, _Shape).evidence.diagnosticIds)
    for other in state.plans.values():
        if other.superseded is None and other.untouched and other.id != found.id and other.about(diagnostics):
            other.superseded = found.id
    known = state.plans.get(found.id)
    if known is not None:
        known.superseded = None
        return
    state.plans[found.id] = Planned(
        found.id,
        found.hash,
        entry.seq,
        entry.id,
        entry.ts,
        str(entry.actor),
        found.plan,
        found.proposed_by,
    )
    state.hashes[found.hash] = (found.id,)


def _steps(state: Changes, entry: Entry, found: Any) -> Iterator[tuple[State, str, str]]:
    """(step, plan, detail) of every plan that an event is about."""
    match found:
        case _Rendered():
            plans = found.plans or state.receipts.get(str(found.artifact.get("receipt")), ())
            state.hashes[found.hash] = plans
            if found.kind == "review":
                state.reviews.setdefault(found.hash, entry.ts)
            elif found.kind == "source":
                name = found.artifact.get("id")
                state.patches[found.hash] = name if isinstance(name, str) else found.hash
                yield from _each("patched", plans, state.patches[found.hash])
        case _Granted():
            plans = state.hashes.get(found.digest, ())
            state.approvals.update(dict.fromkeys(_names(entry), plans))
            yield from _each("approved", plans, found.subject)
        case _Withdrawn():
            yield from _each("withdrawn", state.approvals.get(found.approval, ()), found.approval)
        case _Tried():
            told = "passed" if found.passed else "did not pass"
            yield from _each("tried", found.plans, told)
        case _Announced():
            plans = state.receipts.get(found.reverts or "", ()) or state.hashes.get(found.digest or "", ())
            if plans:
                asked = found.purpose, plans, _by(state, entry, found), entry.origin is None
                state.announced.update(dict.fromkeys(_names(entry), asked))
                yield from _each("applying", plans, found.purpose)
        case _Outcome():
            yield from _outcome(state, entry, found)
        case _Evaluated():
            closed = found.plan in state.plans and any(
                one.state == "closed" for one in state.plans[found.plan].steps
            )
            if found.accepted:
                yield "closed" if closed else "evaluated", found.plan, "accepted"
            else:
                yield "reopened" if closed else "not accepted", found.plan, "not accepted"
        case _Closed():
            yield from _each("closed", found.plans, "")


def _each(step: State, plans: Iterable[str], detail: str) -> Iterator[tuple[State, str, str]]:
    """One step of each plan."""
    for plan in plans:
        yield step, plan, detail


def _names(entry: Entry) -> tuple[str, ...]:
    """Every id that an event has or had."""
    places = () if entry.origin is None else entry.origin.places
    return (entry.id, *(place.id for place in places))


def _outcome(state: Changes, entry: Entry, found: _Outcome) -> Iterator[tuple[State, str, str]]:
    purpose, plans, _, here = state.announced.get(found.announced, ("", (), "", False))
    if here and entry.origin is not None:
        return  # what happened elsewhere changed no file here
    state.announced.pop(found.announced, None)
    if entry.type == "apply.failed":
        yield from _each("failed", plans, found.outcome)
        return
    if plans:
        state.receipts.update(dict.fromkeys(_names(entry), plans))
    step: State = "reverted" if purpose == "change.revert" else "applied"
    yield from _each(step, plans, entry.id)
