"""`t2c change plan`: plans for what is wanted and not there, recorded where they are new."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Final

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.changes.contract import ACTIONS, Action, dated
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Refused, Usage
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.journal.append import Expected
from t2c.ledger.kernel.actor import SCANNER, Actor
from t2c.ledger.kernel.clock import rfc3339
from t2c.ledger.kernel.ids import run_id
from t2c.projections.base import Inputs
from t2c.projections.changeplans.drawing import LARGEST, MOST, Drawn, Given, Left, Wish, candidates, draw
from t2c.projections.changeplans.model import Changes
from t2c.projections.changeplans.useful import unusable
from t2c.projections.conclusions import shown
from t2c.projections.findings.model import Shown
from t2c.projections.fold import Folded, fold
from t2c.projections.proposals import envelope
from t2c.projections.registry import ALL

__all__ = ["STAGE", "PlanRow", "PlansResult", "given_paths", "plan"]

STAGE: Final = "code-change-planning"
_ATTEMPTS: Final = 20
_SAFE: Final = "nothing was recorded"


@dataclass(frozen=True, slots=True)
class PlanRow:
    """A plan as published, and whether it was recorded just now."""

    plan: Mapping[str, Any]
    new: bool


@dataclass(frozen=True, slots=True)
class PlansResult:
    """The plans of the findings that were asked for, as of event `seq`.

    `considered` findings can give plans; `left` are those that gave none, each with its reason, and `reasons` counts
    them. `kept` are plans that are being carried out already, so that none was drawn in their place.
    """

    schema: ClassVar[str] = "t2c.change-plans/v1"
    seq: int
    graph: str
    considered: int
    appended: int
    plans: Sequence[PlanRow]
    kept: Sequence[str]
    reasons: Mapping[str, int]
    left: Sequence[Mapping[str, str]]


def given_paths(texts: Sequence[str]) -> tuple[Given, ...]:
    """`PATH` or `PATH:create|modify|delete`, each. Raises Usage for a path that no plan can name, or one named twice."""
    found: dict[str, Given] = {}
    for text in texts:
        path, colon, last = text.rpartition(":")
        action: Action | None = next((one for one in ACTIONS if colon and one == last), None)
        path = path if action else text
        path = path.removeprefix("./")
        why = unusable(path)
        if why is not None:
            raise Usage(
                f"--path {text!r}: {why}",
                safe=_SAFE,
                remedy=f"name a file of the repository, as in src/app.py, and if need be :{' :'.join(ACTIONS)}",
            )
        if path in found:
            raise Usage(f"--path {path} is given twice", safe=_SAFE, remedy="name it once")
        found[path] = Given(path, action)
    return tuple(found.values())


def plan(
    context: Context,
    findings: Sequence[str] = (),
    *,
    most: int = MOST,
    paths: Sequence[Given] = (),
    title: str | None = None,
    criteria: Sequence[str] = (),
) -> PlansResult:
    """Draw plans and record those that are new.

    A plan that nothing came of yet makes room for a new one of the same finding; one that is being carried out stays,
    unless a person draws another by hand. Raises Usage for a name that is no such finding, for a file that is not there
    or is where it must not be, and for what belongs to one finding where several are meant.
    """
    if not 1 <= most <= LARGEST:
        raise Usage(f"--max {most} is not from 1 to {LARGEST}", safe=_SAFE, remedy=f"give 1 to {LARGEST}")
    exists = _probe(context.root)
    _check_given(paths, exists)
    _check_words(title, criteria)
    with open_ledger(context) as ledger:
        with_events(ledger)
        # What is masked after the hash was taken would have another hash.
        if any(ledger.funnel.mask(text).removed for text in (title or "", *criteria)):
            raise Refused("a secret stands in --title or --criterion", safe=_SAFE, remedy="leave it out")
        for _ in range(_ATTEMPTS):
            folded = _folded(ledger)
            inputs = Inputs(folded.ts or "", folded.states, folded.made)
            wish = Wish(_named(candidates(inputs), findings), most, tuple(paths), title, tuple(criteria))
            if wish.by_hand and len(wish.findings) != 1:
                raise Usage(
                    "--path, --title and --criterion are of one finding",
                    safe=_SAFE,
                    remedy="name it: t2c change plan DIAG-… --path src/app.py",
                )
            state: Changes = folded.states["changeplans"]
            held = {} if wish.by_hand else _held(state)
            drawn = _drawn(inputs, wish, exists, held)
            drafts = _drafts(context, folded, state, drawn, wish)
            try:
                receipts = (
                    ledger.append(
                        drafts, expected=Expected(folded.position.seq, folded.position.hash), atomic=True
                    )
                    if drafts
                    else []
                )
            except Conflict as conflict:
                if "hash" not in conflict.details:
                    raise
                continue
            after = _folded(ledger) if receipts else folded
            return _result(after, state, drawn, wish, held, len(receipts))
    raise Conflict(
        "other writers kept changing the ledger while plans were drawn",
        safe=_SAFE,
        remedy="run the command again",
    )


def _folded(ledger: Ledger) -> Folded:
    return fold(ledger.journal, ALL, ["changeplans", "proposals"], cache=ledger.cache / "folds")


def _drawn(inputs: Inputs, wish: Wish, exists: Callable[[str], bool], held: Mapping[str, str]) -> Drawn:
    syntheses = inputs.states["conclusions"]
    concluded = [one for one in shown(syntheses, inputs) if one["generation"]["effectiveMode"] == "llm"]
    proposed = envelope(syntheses.latest.get("tasks"), inputs)["proposals"]
    return draw(inputs, wish, exists, conclusions=concluded, proposals=proposed, kept=held)


def _held(state: Changes) -> dict[str, str]:
    """Finding → the plan of it that is being carried out."""
    return {
        finding: one.id
        for one in state.plans.values()
        if one.pending and not one.untouched
        for finding in one.plan["evidence"]["diagnosticIds"]
    }


def _drafts(context: Context, folded: Folded, state: Changes, drawn: Drawn, wish: Wish) -> list[EventDraft]:
    """The events of the plans that are new, as a run; none where none is."""
    from t2c import __version__
    from t2c.cli.actions.revision import standing_at
    from t2c.ledger.events.changes import ChangePlanned
    from t2c.ledger.events.runs import RunFinished, RunStarted, StageFinished

    new = [one for one in drawn.plans if not _stands(state, one["id"])]
    if not new:
        return []
    actor = Actor.parse(context.settings.actor)
    by_hand = wish.by_hand or actor.kind == "agent"
    run = run_id(folded.position.hash, rfc3339(context.clock.now()))
    revision, branch = standing_at(context.root)
    started = RunStarted(
        verb="change plan",
        requested_by=context.settings.actor,
        tool=f"t2c {__version__}",
        revision=revision,
        branch=branch,
        options={"graph": drawn.graph, "findings": list(wish.findings), "max": wish.most},
    )
    models = _models(folded)
    found = [draft(started, run=run)]
    for one in new:
        drawn_by = [
            str(SCANNER),
            *(models[name] for name in one["evidence"]["proposalIds"] if name in models),
        ]
        by: list[str] = [*drawn_by, *([str(actor)] if by_hand else [])]
        proposed = tuple(dict.fromkeys(by))
        payload = ChangePlanned(id=one["id"], hash=one["planHash"], plan=one, proposed_by=proposed)
        found.append(draft(payload, actor=actor if by_hand else SCANNER, run=run))
    counts = {"plans": len(drawn.plans), "new": len(new), "considered": drawn.considered}
    counts |= Counter(one.reason for one in drawn.left)
    found.append(draft(StageFinished(stage=STAGE, status="succeeded", counts=counts, detail=None), run=run))
    appended = dict(Counter(one.type for one in found))
    found.append(draft(RunFinished(status="succeeded", appended=appended, detail=None), run=run))
    return found


def _models(folded: Folded) -> Mapping[str, str]:
    """Proposal → who proposed it."""
    made = folded.states["conclusions"].latest.get("tasks")
    found = {} if made is None else {one["id"]: one["generation"]["model"] for one in made.proposals}
    return {name: f"agent:{model}" for name, model in found.items() if model}


def _stands(state: Changes, identity: str) -> bool:
    known = state.plans.get(identity)
    return known is not None and known.superseded is None


def _result(
    folded: Folded, before: Changes, drawn: Drawn, wish: Wish, held: Mapping[str, str], appended: int
) -> PlansResult:
    after: Changes = folded.states["changeplans"]
    rows = [
        PlanRow(dated(after.plans[one["id"]].plan, after.plans[one["id"]].ts), not _stands(before, one["id"]))
        for one in drawn.plans
    ]
    kept = {name for finding, name in held.items() if not wish.findings or finding in wish.findings}
    return PlansResult(
        folded.position.seq,
        drawn.graph,
        drawn.considered,
        appended,
        rows,
        sorted(kept),
        dict(sorted(Counter(one.reason for one in drawn.left).items())),
        [_told(one) for one in drawn.left],
    )


def _told(left: Left) -> dict[str, str]:
    return left._asdict()


def _named(found: Sequence[Shown], names: Sequence[str]) -> tuple[str, ...]:
    """The ids of the findings that are meant, by id or its first digits."""
    known = [one.id for one in found]
    chosen: dict[str, None] = {}
    for name in names:
        begins = [one for one in known if len(name) > len("DIAG-") and one.startswith(name)]
        if len(begins) == 1:
            chosen[begins[0]] = None
            continue
        near = begins[:3] or get_close_matches(name, known, 2)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Usage(
            f"several findings begin with {name}"
            if begins
            else f"there is no finding {name!r} that a plan can be drawn from",
            safe=_SAFE,
            remedy=f"{hint}`t2c diagnose --code PLANNED_NOT_IMPLEMENTED --code CHANGELOG_WITHOUT_IMPLEMENTATION` "
            "shows them with their ids",
        )
    return tuple(chosen)


def _check_given(paths: Sequence[Given], exists: Callable[[str], bool]) -> None:
    for one in paths:
        if one.action == "create" and exists(one.path):
            raise Usage(f"{one.path} is there already", safe=_SAFE, remedy=f"give --path {one.path}:modify")
        if one.action in ("modify", "delete") and not exists(one.path):
            raise Usage(f"there is no file {one.path}", safe=_SAFE, remedy=f"give --path {one.path}:create")


def _check_words(title: str | None, criteria: Sequence[str]) -> None:
    for option, text in (("--title", title), *(("--criterion", one) for one in criteria)):
        if text is not None and not (text.strip() and text.isprintable()):
            raise Usage(
                f"{option} is blank, or no line of text", safe=_SAFE, remedy=f'give {option} "…" in one line'
            )


def _probe(root: Path) -> Callable[[str], bool]:
    """Whether the repository has something at a path. What leads outside counts as there: nothing is to be created so."""

    def exists(path: str) -> bool:
        place = root / path
        try:
            inside = place.resolve().is_relative_to(root)
        except (OSError, RuntimeError):
            return True
        return not inside or place.exists() or place.is_symlink()

    return exists
