"""`t2c change evaluate` and `close`: plans held against what the last scan saw. Nothing is done or ticked by it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from t2c.cli.actions.changed_since import Looked, check_scanned, differing, looked
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import place_of, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.changes.contract import close_document, dated
from t2c.ledger.changes.known import Plan, plan_named
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.entry import Entry
from t2c.ledger.kernel.change_ids import plan_hash, plan_id
from t2c.projections.base import Inputs
from t2c.projections.changeplans.acceptance import (
    Evaluated,
    Evaluation,
    Stance,
    Standing,
    evaluated,
    standing,
)
from t2c.projections.changeplans.model import HANDLES, Changes, apply
from t2c.projections.changeplans.subjects import Before, Judged, Now, before_of, now_of
from t2c.projections.findings import read
from t2c.projections.fold import fold, fold_at
from t2c.projections.registry import ALL

__all__ = ["ClosingResult", "EvaluationResult", "SubjectRow", "close", "evaluate"]


@dataclass(frozen=True, slots=True)
class SubjectRow:
    """What became of one finding of a plan. `records` stand for its subject now; `code` is empty for an unknown finding."""

    diagnostic: str
    code: str
    state: str
    records: Sequence[str]
    reason: str


@dataclass(frozen=True, slots=True)
class EvaluationResult:
    """A plan held against what is there as of event `seq`, recorded as `event`.

    `again` is true where the last evaluation found the same on the same evidence: then nothing was recorded. `stance`
    is open, closed or reopened; `closed` is the event that closed the plan, `since` the one since which it is so. `acceptance` is the published document,
    `notices` what a person should know of it.
    """

    schema: ClassVar[str] = "t2c.change-evaluation/v1"
    plan: str
    title: str
    accepted: bool
    stance: Stance
    closed: int | None
    since: int | None
    subjects: Sequence[SubjectRow]
    acceptance: Mapping[str, Any]
    event: str
    seq: int
    again: bool
    notices: Sequence[str]


@dataclass(frozen=True, slots=True)
class ClosingResult:
    """Plans that were closed together: all of `evaluations`, or none. `already` were closed before and are left alone.

    `result` is the published document of those evaluated; `event` is null where nothing was closed.
    """

    schema: ClassVar[str] = "t2c.change-closing/v1"
    closed: bool
    already: Sequence[str]
    evaluations: Sequence[EvaluationResult]
    result: Mapping[str, Any] | None
    event: str | None
    seq: int | None


class _Past(NamedTuple):
    """What was recorded of a plan: its evaluations in order, and the event that closed it last."""

    evaluations: Sequence[Entry]
    closed: int | None

    @property
    def standing(self) -> Standing:
        return standing(self.closed, map(_evaluation, self.evaluations))


class _Held(NamedTuple):
    """A plan that was evaluated, and the event that says so."""

    plan: Plan
    found: Evaluated
    before: Before
    event: str
    seq: int
    ts: str
    again: bool


def evaluate(context: Context, name: str) -> EvaluationResult:
    """Judge the conditions of a plan again, and record what was found unless that stands already.

    Raises Usage where there is no such plan, Conflict where a patch of it was applied and no scan came after.
    """
    with open_ledger(context) as ledger:
        with_events(ledger)
        plan = _all(ledger)[plan_named(ledger, name).id]
        scanned = looked(ledger)
        check_scanned(scanned, [plan.id])
        past = _past(ledger)
        (held,) = _evaluated(context, ledger, [plan], scanned, past)
        notices = differing(context, scanned, _files(plan))
        return _result(held, _past(ledger)[plan.id], notices)


def close(context: Context, names: Sequence[str], *, every: bool = False) -> ClosingResult:
    """Evaluate plans and close them if all are accepted. Those that are closed already stay as they are.

    `every` stands for all plans that are open. Raises as `evaluate` does, and Usage where no plan is meant.
    """
    with open_ledger(context) as ledger:
        with_events(ledger)
        past = _past(ledger)
        plans = _current(ledger) if every else _meant(ledger, names)
        if not plans:
            raise Usage(
                "there is no plan to close",
                safe="nothing was recorded",
                remedy="`t2c change plan` makes plans; name one, or give --all",
            )
        already = sorted(one for one in plans if one in past and past[one].standing.stance == "closed")
        wanted = [plan for name, plan in sorted(plans.items()) if name not in already]
        if not wanted:
            return ClosingResult(True, already, (), None, None, None)
        scanned = looked(ledger)
        check_scanned(scanned, [plan.id for plan in wanted])
        held = _evaluated(context, ledger, wanted, scanned, past)
        documents = [dated(one.found.document, one.ts) for one in held]
        before = min(held, key=lambda one: one.before.seq).before.fingerprint
        result = close_document(
            documents, before=before, after=held[0].found.document["afterGraphFingerprint"]
        )
        event, seq, ts = None, None, max(one.ts for one in held)
        if result["allAccepted"]:
            event, seq, ts = _close(ledger, held, result)
        past = _past(ledger)
        results = [
            _result(one, past[one.plan.id], differing(context, scanned, _files(one.plan))) for one in held
        ]
        return ClosingResult(event is not None, already, results, dated(result, ts), event, seq)


def _close(ledger: Ledger, held: Sequence[_Held], result: Mapping[str, Any]) -> tuple[str, int, str]:
    """Record that plans are closed. The acceptances stand in the events that are named, so they are not told again."""
    from t2c.ledger.events.changes import ChangeClosed

    told = {key: value for key, value in result.items() if key != "acceptances"}
    evaluations = tuple(one.event for one in held)
    payload = ChangeClosed(plans=tuple(one.plan.id for one in held), evaluations=evaluations, result=told)
    made = draft(payload, cause=evaluations, key=f"change.close:{','.join(evaluations)}"[:500])
    receipt = ledger.append([made])[0]
    return receipt.id, receipt.seq, _time_of(ledger, receipt.seq)


def _evaluated(
    context: Context, ledger: Ledger, plans: Sequence[Plan], scanned: Looked, past: Mapping[str, _Past]
) -> list[_Held]:
    """Evaluate plans in their order, each against what stood at its own event; record what is not recorded yet."""
    befores = _befores(context, ledger, plans)
    context.progress("fold", 0, None)
    folded = fold(ledger.journal, ALL, ["findings"], cache=ledger.cache / "folds")
    inputs = Inputs(folded.ts or "", folded.states, folded.made)
    hidden = [one.id for one in read(folded.states["findings"], inputs) if one.suppressed is not None]
    now = now_of(inputs, folded.position.seq, scanned.seq, hidden)
    return [_recorded(ledger, plan, befores[plan.id], now, past.get(plan.id)) for plan in plans]


def _befores(context: Context, ledger: Ledger, plans: Sequence[Plan]) -> dict[str, Before]:
    by_seq: dict[int, list[Plan]] = {}
    for plan in plans:
        by_seq.setdefault(plan.seq, []).append(plan)
    context.progress("fold", 0, None)
    found: dict[str, Before] = {}
    if len(by_seq) == 1:
        (seq,) = by_seq
        moments = iter([fold(ledger.journal, ALL, ["findings"], until=seq, cache=ledger.cache / "folds")])
    else:
        moments = fold_at(ledger.journal, ALL, ["findings"], by_seq)
    for folded in moments:
        inputs = Inputs(folded.ts or "", folded.states, {})
        for plan in by_seq[folded.position.seq]:
            cited = plan.document["evidence"]["diagnosticIds"]
            found[plan.id] = before_of(inputs, folded.position.seq, cited)
    return found


def _recorded(ledger: Ledger, plan: Plan, before: Before, now: Now, past: _Past | None) -> _Held:
    from t2c.ledger.events.changes import ChangeEvaluated, SubjectVerdict

    found = evaluated(plan.document, before, now)
    payload = ChangeEvaluated(
        plan=plan.id,
        hash=plan.hash,
        accepted=found.accepted,
        subjects=tuple(
            SubjectVerdict(diagnostic=one.diagnostic, state=one.state, records=one.records, reason=one.reason)
            for one in found.subjects
        ),
        acceptance=found.document,
    )
    last = past.evaluations[-1] if past is not None and past.evaluations else None
    made = draft(payload, cause=(plan.event,))
    if last is not None and bytes(last.data) == made.data:
        return _Held(plan, found, before, last.id, last.seq, last.ts, True)
    receipt = ledger.append([made])[0]
    return _Held(plan, found, before, receipt.id, receipt.seq, _time_of(ledger, receipt.seq), False)


def _time_of(ledger: Ledger, seq: int) -> str:
    """When an event was recorded that was just appended."""
    return next(iter(ledger.entries(place_of(ledger, seq - 1), seq))).ts


def _past(ledger: Ledger) -> dict[str, _Past]:
    """What was recorded of each plan, by its id."""
    evaluations: dict[str, list[Entry]] = {}
    closed: dict[str, int] = {}
    for entry in events(ledger, "change.evaluated", "change.closed"):
        data = decoded(entry)
        if entry.type == "change.evaluated":
            evaluations.setdefault(data["plan"], []).append(entry)
        else:
            closed.update(dict.fromkeys(data["plans"], entry.seq))
    return {
        plan: _Past(evaluations.get(plan, ()), closed.get(plan))
        for plan in evaluations.keys() | closed.keys()
    }


def _evaluation(entry: Entry) -> Evaluation:
    return Evaluation(entry.seq, decoded(entry)["accepted"])


def _result(held: _Held, past: _Past, notices: Iterable[str]) -> EvaluationResult:
    findings = held.before.findings
    return EvaluationResult(
        plan=held.plan.id,
        title=str(held.plan.document["title"]),
        accepted=held.found.accepted,
        stance=past.standing.stance,
        closed=past.closed,
        since=past.standing.since,
        subjects=[
            _row(one, findings[one.diagnostic].code if one.diagnostic in findings else "")
            for one in held.found.subjects
        ],
        acceptance=dated(held.found.document, held.ts),
        event=held.event,
        seq=held.seq,
        again=held.again,
        notices=tuple(notices),
    )


def _row(one: Judged, code: str) -> SubjectRow:
    return SubjectRow(one.diagnostic, code, one.state, one.records, one.reason)


def _meant(ledger: Ledger, names: Sequence[str]) -> dict[str, Plan]:
    known = _all(ledger)
    return {one: known[one] for one in sorted({plan_named(ledger, name).id for name in names})}


def _all(ledger: Ledger) -> dict[str, Plan]:
    """Every plan by its id, as it was recorded first: what stood then is what it is held against.

    Raises Corrupt for one whose content is not what its hash says.
    """
    found: dict[str, Plan] = {}
    for entry in events(ledger, "change.planned"):
        data = decoded(entry)
        document, name = data["plan"], data["id"]
        if name in found:
            continue
        if plan_hash(document) != data["hash"] or plan_id(data["hash"]) != name:
            raise Corrupt(
                f"plan {name} does not have the hash that it says",
                where=f"seq {entry.seq}",
                safe="nothing was recorded",
                remedy="run `t2c ledger verify --level domain`, and draw it again",
            )
        proposed = tuple(data["proposed_by"])
        found[name] = Plan(entry.id, entry.seq, entry.ts, name, data["hash"], document, proposed)
    return found


def _current(ledger: Ledger) -> dict[str, Plan]:
    """All plans but those whose place a later one took."""
    changes = Changes()
    for entry in events(ledger, *HANDLES):
        apply(changes, entry)
    replaced = {one.id for one in changes.plans.values() if one.superseded is not None}
    return {name: plan for name, plan in _all(ledger).items() if name not in replaced}


def _files(plan: Plan) -> frozenset[str]:
    return frozenset((*(one["path"] for one in plan.document["changes"]), *plan.document["target"]["paths"]))
