"""What stands on each side of a topic, and the status that follows (intent-evidence §5.1, better-than-todo2code §1).

A status is the first that fits. It is said only where something shows it: a plan that nothing evidences is not aligned
because a file of that name exists, a claim that no diagnostic doubts is not called empty, and prose that asks for
nothing is no plan.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Final

from msgspec import Struct

from t2c.projections.diagnostics.predicates import is_pending, is_put_aside, is_sample
from t2c.projections.evidence import Grade, Graded, stance
from t2c.projections.facts import DECLARED, Fact
from t2c.projections.reality.model import LANES
from t2c.projections.topics import is_prohibition, shows

__all__ = ["Sides", "evidence_of", "is_done", "is_plan", "sides", "status"]

_UNDONE: Final = frozenset({"PLANNED_NOT_IMPLEMENTED", "FALSE_COMPLETION", "REGRESSION_DETECTED"})
"""Codes that say of a plan that it is not, or no longer, implemented."""
_DONE: Final = frozenset({"implemented", "verified", "released", "completed"})


class Sides(Struct, frozen=True):
    """`lanes` counts by kind of source; `plans` ask for something. `shown_plans` have evidence that counts; `open_plans`
    have none and are to be carried out."""

    lanes: Mapping[str, int]
    plans: tuple[Fact, ...]
    shown_plans: int
    open_plans: int
    prohibitions: int
    declared: int
    observed: int


def is_plan(fact: Fact) -> bool:
    """Whether a record asks for something to be there."""
    return fact.source.kind in DECLARED and fact.statement.polarity == "positive" and stance(fact) == "plan"


def is_done(fact: Fact) -> bool:
    """Whether a plan says of itself that it is done."""
    return fact.lifecycle.status in _DONE


def sides(
    facts: Iterable[Fact],
    members: Collection[str],
    graded: Mapping[str, Graded],
    undone: frozenset[str],
    there: Collection[str] | None = None,
) -> Sides:
    """Sort the records of a topic. Guests count in the lanes; only its own members are its plans.

    `there` is given for a topic whose file is missing: of its commits and guests these alone show anything.
    """
    everything = list(facts)
    of_documentation = _is_of_documentation(everything)
    lanes: dict[str, int] = dict.fromkeys(LANES, 0)
    plans: list[Fact] = []
    prohibitions = declared = observed = 0
    for fact in everything:
        kind = fact.source.kind
        if kind in DECLARED:
            declared += 1
            lanes[kind] += 1
            prohibitions += is_prohibition(fact)
            if is_plan(fact) and fact.id in members:
                plans.append(fact)
        elif kind == "changelog":
            lanes[kind] += 1
        elif there is not None and fact.id not in there and (kind == "git" or fact.id not in members):
            continue  # it tells of another file, or of what was there once
        elif shows(fact, undone, documentation=of_documentation):
            observed += 1
            lanes[kind] += 1
    shown = {plan.id for plan in plans if plan.id in graded and graded[plan.id].grade > Grade.none}
    waiting = [plan for plan in plans if plan.id not in shown and _waits(plan)]
    tasks = [plan for plan in plans if isinstance(plan.metadata.explicitId, str)]
    if tasks and all(is_done(task) and task.id in shown for task in tasks):
        waiting = []  # nobody went on ticking the criteria of a task that is done and shown
    return Sides(lanes, tuple(plans), len(shown), len(waiting), prohibitions, declared, observed)


def _waits(plan: Fact) -> bool:
    """Whether somebody means to carry it out: it is open, and stands in no sample and no archive."""
    path = plan.source.path
    return is_pending(plan) and not is_sample(path) and not is_put_aside(path)


def _is_of_documentation(facts: Iterable[Fact]) -> bool:
    """Whether all that is said is about documentation: then a commit that changed nothing else is what shows it."""
    said = [fact for fact in facts if fact.source.kind in (*DECLARED, "changelog")]
    return bool(said) and all(
        fact.statement.action == "document" or str(fact.metadata.category).lower().startswith("doc")
        for fact in said
    )


def status(side: Sides, codes: Collection[str], *, fails: bool = False) -> str:
    """The status of a topic from its sides and the codes of the diagnostics that cite its own records.

    `fails` says that a test of what is there passed and fails now: what is wanted or described is not shown any more.
    """
    if "CONFLICTING_INTENT" in codes:
        return "conflicting"
    if side.plans and not _UNDONE.isdisjoint(codes):
        return "planned_not_implemented"
    if side.observed == 0:
        return _unseen(side, codes)
    if side.declared == 0:
        return "implemented_not_planned"
    if side.open_plans or fails:
        return "planned_not_implemented"
    if side.plans and not side.shown_plans:
        return "unlinked"  # all are said to be done, and what is there only locates them
    written = side.lanes["document"] or side.lanes["changelog"]
    if "IMPLEMENTED_NOT_DOCUMENTED" in codes and not written:
        return "implemented_not_documented"
    return "aligned"


def _unseen(side: Sides, codes: Collection[str]) -> str:
    """Nothing is there that shows anything."""
    if "CHANGELOG_WITHOUT_IMPLEMENTATION" in codes and side.lanes["changelog"]:
        return "changelog_without_implementation"
    if side.open_plans:
        return "planned_not_implemented"
    if side.prohibitions and side.prohibitions == side.declared:
        return "aligned"  # what must not be there is not there
    return "unlinked"


def evidence_of(lanes: Mapping[str, int]) -> str:
    """`code` if code, a commit or a test shows it, else `configuration`, else `none`."""
    if lanes["ast"] or lanes["git"] or lanes["test"]:
        return "code"
    return "configuration" if lanes["system"] else "none"
