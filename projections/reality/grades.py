"""Both directions of reality: plans → evidence by grade, and what is there → whether anybody asked for it.

What needs no plan (tests, examples, configuration, what is internal) is a class of its own and no gap.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from t2c.projections.evidence import Grade, Graded, Item
from t2c.projections.facts import DECLARED, Fact, Facts
from t2c.projections.reality.model import (
    GRADES_SCHEMA,
    Backward,
    ByGrade,
    Forward,
    Grades,
    Ratio,
    Seen,
    Shown,
    TopicGrade,
)
from t2c.projections.reality.status import is_done, is_plan
from t2c.projections.reality.survey import Placed, Survey
from t2c.projections.topics import shortened

__all__ = ["EXCEPTIONS", "grades_of"]

EXCEPTIONS: Final[Mapping[str, str]] = {
    "test": "tests are asked for by what they test",
    "example": "examples and documentation are there to be read",
    "tooling": "scripts serve the work on the repository",
    "configuration": "configuration serves the whole repository",
    "internal": "nothing of it can be used from outside",
    "claimed": "a changelog says that it was released",
}
"""Why something that nobody planned need not be planned."""

_FOLDERS: Final[Mapping[str, frozenset[str]]] = {
    "test": frozenset(("test", "tests", "__tests__", "spec", "specs", "testing", "testdata", "fixtures")),
    "example": frozenset(("example", "examples", "sample", "samples", "demo", "demos", "doc", "docs")),
    "tooling": frozenset(("scripts", "tools", "hack", "ci", ".github", "bench", "benches", "benchmarks")),
}
"""Folders whose code nobody else uses."""
_WITNESSES: Final = 5
_SHOWN: Final = 8
_TEXT: Final = 160


def grades_of(made: Survey, facts: Facts, graded: Mapping[str, Graded], generated_at: str) -> Grades:
    """What the rows of a survey rest on, in their order."""
    forward = tuple(_forward(made.placed, facts, graded))
    backward = tuple(
        _backward(one, facts) for one in made.placed if one.row.observed and not one.row.declared
    )
    excused = Counter(one.exception for one in backward if one.exception is not None)
    topics = tuple(_topic(one, facts, graded) for one in made.placed if one.row.declared or one.row.claimed)
    return Grades(
        schema=GRADES_SCHEMA,
        generatedAt=generated_at,
        realityFingerprint=made.fingerprint,
        ratios=_ratios(made),
        byGrade=_by_grade(forward, made, graded),
        forward=forward,
        backward=tuple(sorted(backward, key=_apart)),
        exceptions={name: excused[name] for name in EXCEPTIONS},
        topics=topics,
        commitsApart=made.commits_apart,
    )


def _ratios(made: Survey) -> dict[str, Ratio]:
    totals = made.totals
    documented = sum(one.row.lanes["document"] > 0 and one.row.observed > 0 for one in made.placed)
    return {
        "implementationCoverage": Ratio(totals.implementationAlignedTopics, totals.declaredTopics),
        "plannedCodeCoverage": Ratio(totals.implementationAlignedTopics, totals.observedTopics),
        "documentedCodeCoverage": Ratio(documented, totals.observedTopics),
    }


def _by_grade(forward: Iterable[Forward], made: Survey, graded: Mapping[str, Graded]) -> ByGrade:
    open_plans, done_plans, aligned = (dict.fromkeys(Grade.__members__, 0) for _ in range(3))
    for plan in forward:
        (done_plans if plan.status in _DONE else open_plans)[plan.grade] += 1
    for one in made.placed:
        if one.row.status == "aligned" and one.sides.plans:
            aligned[_weakest(one, graded).name] += 1
    return ByGrade(open_plans, done_plans, aligned)


_DONE: Final = frozenset({"implemented", "verified", "released", "completed"})


def _weakest(one: Placed, graded: Mapping[str, Graded]) -> Grade:
    """The grade of the least evidenced plan of a topic; where tasks have ids of their own, of those."""
    tasks = [plan for plan in one.sides.plans if isinstance(plan.metadata.explicitId, str)]
    return min(
        graded[plan.id].grade if plan.id in graded else Grade.none for plan in tasks or one.sides.plans
    )


def _forward(placed: Iterable[Placed], facts: Facts, graded: Mapping[str, Graded]) -> Iterator[Forward]:
    for one in placed:
        for identity in one.topic.members:
            fact = facts.records[identity]
            if is_plan(fact):
                found = graded.get(identity)
                yield Forward(
                    record=identity,
                    key=one.row.key,
                    text=shortened(fact.statement.text, _TEXT),
                    where=fact.where,
                    status=fact.lifecycle.status,
                    grade=(found.grade if found else Grade.none).name,
                    located=(found.located if found else Grade.none).name,
                    plannedAt=found.planned_at if found else None,
                    evidence=tuple(_seen(item, facts) for item in found.items[:_WITNESSES]) if found else (),
                )


def _seen(item: Item, facts: Facts) -> Seen:
    return Seen(item.record, facts.records[item.record].where, item.grade.name, item.at, item.dated)


def _backward(one: Placed, facts: Facts) -> Backward:
    own = [facts.records[identity] for identity in one.topic.members]
    public = sum(
        fact.source.kind == "ast" and fact.metadata.public is True and fact.metadata.test is not True
        for fact in own
    )
    return Backward(one.row.key, _exception(one, own, public), public, len(one.row.recordIds))


def _exception(one: Placed, own: Iterable[Fact], public: int) -> str | None:
    if one.row.claimed:
        return "claimed"
    code = [fact for fact in own if fact.source.kind == "ast"]
    modules = [fact for fact in code if fact.statement.kind == "module_fact"]
    if any(fact.metadata.test is True for fact in modules or code):
        return "test"
    folders = one.row.key.partition(":")[2].lower().split("/")[:-1]
    for name, known in _FOLDERS.items():
        if not known.isdisjoint(folders):
            return name
    if not code:
        return "configuration" if one.row.lanes["system"] else None
    return None if public else "internal"


def _apart(one: Backward) -> tuple[bool, int, str]:
    return one.exception is not None, -one.publicSymbols, one.key


def _topic(one: Placed, facts: Facts, graded: Mapping[str, Graded]) -> TopicGrade:
    ordered = sorted(
        (facts.records[identity] for identity in one.row.recordIds),
        key=lambda fact: (_weight(fact, graded), fact.where, fact.id),
    )
    return TopicGrade(
        key=one.row.key,
        grade=_weakest(one, graded).name if one.sides.plans else None,
        plans=len(one.sides.plans),
        plansShown=one.sides.shown_plans,
        plansOpen=one.sides.open_plans,
        plansDone=sum(is_done(plan) for plan in one.sides.plans),
        releases=_releases(ordered),
        members=len(one.topic.members),
        guests=len(one.row.recordIds) - len(one.topic.members),
        ambiguous=one.topic.ambiguous,
        others=one.topic.others,
        shown=tuple(_shown(fact, graded) for fact in _mixed(ordered)),
        hidden=max(0, len(ordered) - _SHOWN),
    )


def _releases(facts: Iterable[Fact]) -> tuple[str, ...]:
    """Versions in which claims of a topic say that it was released."""
    claims = (fact for fact in facts if fact.source.kind == "changelog")
    return tuple(sorted({version for fact in claims for version in fact.statement.target.versions}))


def _weight(fact: Fact, graded: Mapping[str, Graded]) -> int:
    """What a reader wants to see first: the task, plans without evidence, other plans, then claims and facts."""
    if is_plan(fact):
        if isinstance(fact.metadata.explicitId, str):
            return -1
        found = graded.get(fact.id)
        return 0 if not is_done(fact) and (found is None or found.grade == Grade.none) else 1
    return 2 if fact.source.kind in DECLARED else 3 if fact.source.kind == "changelog" else 4


def _mixed(ordered: list[Fact]) -> list[Fact]:
    """The first few of both sides: at most two thirds of them say something while others show something."""
    said = [fact for fact in ordered if fact.source.kind in (*DECLARED, "changelog")]
    there = [fact for fact in ordered if fact.source.kind not in (*DECLARED, "changelog")]
    kept = max(_SHOWN - len(there), 2 * _SHOWN // 3)
    chosen = said[:kept]
    return [*chosen, *there[: _SHOWN - len(chosen)]]


def _shown(fact: Fact, graded: Mapping[str, Graded]) -> Shown:
    note = None
    if is_plan(fact):
        found = graded.get(fact.id)
        state = fact.lifecycle.status.replace("_", " ")
        note = f"{state}, evidence {(found.grade if found else Grade.none).name}"
    return Shown(fact.id, fact.source.kind, fact.where, shortened(fact.statement.text, _TEXT), note)
