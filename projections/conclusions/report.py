"""The report of a fold: who asks for what, what is really there, what came since the last release, what does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, Final

from t2c.projections.base import Inputs
from t2c.projections.conclusions.model import (
    SCHEMA,
    Asked,
    Change,
    Changes,
    Concluded,
    Differing,
    Portion,
    Report,
    Said,
    There,
)
from t2c.projections.diagnostics.messages import Language
from t2c.projections.diagnostics.plans import Plan, causes, plans
from t2c.projections.diagnostics.predicates import (
    folder,
    is_apart,
    is_claim,
    is_done,
    is_generated,
    is_public,
    shortened,
)
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade
from t2c.projections.facts import SEVERITIES, Fact
from t2c.projections.findings import read
from t2c.projections.findings.model import Group, Shown, grouped
from t2c.projections.records.commits import instant

__all__ = ["KINDS", "report"]

KINDS: Final = 6
"""Ways in which something does not fit that a report tells whole."""
_ASKED: Final = 7
_FIRST: Final = 3
_OTHERS: Final = 2
_GROUNDS: Final = 3
_WEEKS: Final = 4
_ACTIONS: Final = 5
_NEWEST: Final = 2
_FOLDERS: Final = 4
_TEXT: Final = 100
_FEW: Final = 5
"""Commits since a release below which what the release before it brought is told instead of nearly nothing."""
_ORDER: Final = ("person", "given", "place", "agent", "comments")
"""Who asks, those first whom a plan is owed to."""


def report(
    inputs: Inputs,
    language: Language = "en",
    made: Sequence[Mapping[str, Any]] = (),
    abstained: int = 0,
) -> Report:
    """Reads the folded states of diagnostics, findings, graph, records and timeline.

    `made` are the conclusions of a model that stand, `abstained` counts what it said without ground.
    """
    view = View.of(inputs, inputs.states["diagnostics"])
    found = read(inputs.states["findings"], inputs, language)
    told = [one for one in found if one.suppressed is None and one.code != "ALIGNED"]
    differing = list(_differing(told))
    by_severity = Counter(one.severity for one in told)
    tasks = list(plans(view))
    asked = list(_asked(view, tasks))
    newest = next(iter(view.commits), None)
    over = [task for task in tasks if is_done(task.head)]
    return Report(
        schema=SCHEMA,
        generatedAt=inputs.ts,
        revision=None if newest is None else newest.source.revision,
        records=len(view.facts.records),
        asked=tuple(asked[:_ASKED]),
        asked_left=len(asked) - len(asked[:_ASKED]),
        open=sum(one.open for one in asked if one.by in ("given", "place")),
        done=Portion(sum(_is_shown(view, task) for task in over), len(over)),
        by=next((one["generation"]["model"] for one in made), None),
        concluded=tuple(_concluded(view, one) for one in made),
        abstained=abstained if made else 0,
        there=_there(view, tasks),
        changes=_changes(view),
        differing=tuple(differing[:KINDS]),
        left=len(differing) - len(differing[:KINDS]),
        counts={severity: by_severity[severity] for severity in SEVERITIES},
        suppressed=sum(one.suppressed is not None for one in found),
    )


def _concluded(view: View, one: Mapping[str, Any]) -> Concluded:
    grounds = (view.facts.records[identity] for identity in one["recordIds"][:_GROUNDS])
    places = tuple(_said(fact) for fact in grounds)
    return Concluded(one["id"], one["kind"], one["severity"], one["title"], one["detail"], places)


def _differing(told: Sequence[Shown]) -> Iterator[Differing]:
    """Findings by code, the gravest first: a hundred of one kind are one thing to know."""
    by_code: dict[str, list[Group]] = {}
    for group in grouped(told):
        by_code.setdefault(group.code, []).append(group)
    for groups in by_code.values():
        lead = groups[0].findings[0]
        others = [group.findings[0] for group in groups[1 : 1 + _OTHERS]] or groups[0].findings[
            1 : 1 + _OTHERS
        ]
        yield Differing(
            lead=lead,
            findings=sum(len(group.findings) for group in groups),
            causes=len(groups),
            others=tuple(Said(one.title, str(one.places[0]) if one.places else one.id) for one in others),
        )


def _asked(view: View, tasks: Sequence[Plan]) -> Iterator[Asked]:
    """Who asks for what: people, then places with most that is open first, then what agents plan, then comments."""
    pending = {fact.id for fact in view.open_plans}
    cause = causes(tasks)
    opened: dict[tuple[str, str], list[Fact]] = {}
    done: dict[tuple[str, str], list[Plan]] = {}
    for task in tasks:
        head = task.head
        asker = ("given", head.source.path or "?")
        if head.source.kind != "nl":
            asker = ("place", cause[head.source.path or ""].removeprefix("plan:") or "?")
        if is_done(head):
            done.setdefault(asker, []).append(task)
        elif head.id in pending:
            opened.setdefault(asker, []).append(head)
    for fact in view.of_kind("todo"):
        if fact.statement.kind == "comment_marker" and fact.id in pending:
            opened.setdefault(("comments", "code"), []).append(fact)
    for fact in view.of_kind("agent_log"):
        asked = {"human": "request", "agent": "plan"}.get(str(fact.metadata.participantRole))
        if asked is not None and fact.metadata.messageType == asked:
            who = fact.metadata.displayName or fact.metadata.participant
            by = "person" if asked == "request" else "agent"
            opened.setdefault((by, who if isinstance(who, str) and who else "?"), []).append(fact)
    order = sorted(
        opened.keys() | done.keys(),
        key=lambda one: (not opened.get(one), _ORDER.index(one[0]), -len(opened.get(one, ())), one),
    )
    for by, name in order:
        left = sorted(opened.get((by, name), ()), key=_reading)
        over = done.get((by, name), ())
        yield Asked(
            by=by,
            name=name,
            open=len(left),
            done=len(over),
            shown=sum(_is_shown(view, task) for task in over),
            first=tuple(_said(fact) for fact in left[:_FIRST]),
        )


def _is_shown(view: View, task: Plan) -> bool:
    """Whether anything of a task has evidence that counts."""
    return any(view.grades[member.id].grade > Grade.none for member in task.members)


def _reading(fact: Fact) -> tuple[str, int, str]:
    lines = fact.source.lines
    return fact.source.path or "", 0 if lines is None else lines.start, fact.id


def _said(fact: Fact) -> Said:
    return Said(shortened(fact.statement.text, _TEXT), fact.where)


def _there(view: View, tasks: Sequence[Plan]) -> There:
    files: dict[str, int] = {}
    test_files: set[str] = set()
    public = tests = 0
    for fact in view.of_kind("ast"):
        path = fact.source.path
        if path is None or is_generated(path):
            continue
        if view.code.is_test(fact):
            test_files.add(path)
            tests += fact.metadata.test is True and fact.statement.kind != "module_fact"
        else:
            files[path] = files.get(path, 0)
            if is_public(fact) and not is_apart(path):
                public += 1
                files[path] += 1
    folders: Counter[str] = Counter()
    for path, count in files.items():
        folders[folder(path)] += count
    results = [fact for fact in view.of_kind("test") if fact.statement.kind == "test_result"]
    pending = {fact.id for fact in view.open_plans}
    meant = [task for task in tasks if is_done(task.head) or task.head.id in pending]
    claims = [fact for fact in view.of_kind("changelog") if is_claim(fact)]
    return There(
        files=len(files.keys() - test_files),
        test_files=len(test_files),
        public=public,
        tests=tests,
        results=Portion(sum(fact.lifecycle.status == "verified" for fact in results), len(results)),
        plans=Portion(sum(_is_shown(view, task) for task in meant), len(meant)),
        claims=Portion(sum(view.grades[fact.id].grade > Grade.none for fact in claims), len(claims)),
        largest=_most(folders, _FOLDERS),
    )


def _most(counts: Mapping[str, int], most: int) -> tuple[tuple[str, int], ...]:
    order = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], name))
    return tuple((name, counts[name]) for name in order[:most])


def _changes(view: View) -> Changes | None:
    """What came since the newest release, or since the one before it if hardly anything came since."""
    commits = [commit for commit in view.commits if commit.source.revision is not None]
    if not commits:
        return None
    releases = list(islice(_releases(view, commits), 2))
    if not releases:
        first, recent = _lately(commits)
        return _told(view, recent, first, None, None)
    name, day, reached = releases[0]
    after = [commit for commit in commits if commit.source.revision not in reached]
    if len(after) < _FEW and len(releases) > 1:
        before, day, reached = releases[1]
        after = [commit for commit in commits if commit.source.revision not in reached]
        return _told(view, after, before, day, name)
    return _told(view, after, name, day, None)


def _releases(view: View, commits: Sequence[Fact]) -> Iterator[tuple[str, str | None, frozenset[str]]]:
    """Releases that tags name, each with its day and all commits that it reaches; the newest first."""
    place = {commit.source.revision: at for at, commit in enumerate(commits)}
    tags = [
        (place[tag.metadata.commit], tag.statement.text)
        for tag in view.of_kind("git")
        if tag.statement.kind == "git_tag_fact"
        and tag.lifecycle.status == "released"
        and tag.metadata.commit in place
    ]
    parents = {commit.source.revision: commit.metadata.parents for commit in commits}
    seen: set[int] = set()
    for at, name in sorted(tags):
        if at not in seen:
            seen.add(at)
            when = instant(_time(commits[at]))
            day = None if when is None else when.date().isoformat()
            yield name, day, frozenset(_reached(parents, commits[at].source.revision))


def _reached(parents: Mapping[str | None, object], start: str | None) -> Iterator[str]:
    waiting, seen = [start], {start}
    while waiting:
        one = waiting.pop()
        if one is None or one not in parents:
            continue
        yield one
        above = parents[one]
        for parent in above if isinstance(above, list | tuple) else ():
            if isinstance(parent, str) and parent not in seen:
                seen.add(parent)
                waiting.append(parent)


def _lately(commits: Sequence[Fact]) -> tuple[str | None, list[Fact]]:
    """The commits of the last weeks before the newest one, which is the only clock that a view has."""
    times = {commit.id: instant(_time(commit)) for commit in commits}
    newest = max((time for time in times.values() if time is not None), default=None)
    if newest is None:
        return None, list(commits)
    first = newest - timedelta(weeks=_WEEKS)
    recent = [commit for commit in commits if (time := times[commit.id]) is not None and time >= first]
    return first.date().isoformat(), recent


def _time(commit: Fact) -> str | None:
    committed = commit.metadata.committedAt
    return committed if isinstance(committed, str) else commit.observedAt


def _told(view: View, span: Sequence[Fact], since: str | None, day: str | None, until: str | None) -> Changes:
    own = [commit for commit in span if commit.metadata.merge is not True]
    actions: dict[str, list[Fact]] = {}
    folders: Counter[str] = Counter()
    for commit in own:
        actions.setdefault(commit.statement.action, []).append(commit)
        folders.update({folder(path) for path in commit.statement.target.paths})
    order = sorted(actions, key=lambda name: (name == "unknown", -len(actions[name]), name))
    return Changes(
        since=since,
        day=day,
        until=until,
        commits=len(own),
        authors=len({commit.statement.actor for commit in own if commit.statement.actor}),
        bound=sum(any(_states(other) for _, other in view.facts.neighbours(commit.id)) for commit in own),
        by_action=tuple(
            Change(name, len(actions[name]), tuple(map(_said, actions[name][:_NEWEST])))
            for name in order[:_ACTIONS]
        ),
        folders=_most(folders, _FOLDERS),
        unreleased=sum(
            fact.lifecycle.status == "proposed" and fact.statement.kind != "changelog_release"
            for fact in view.of_kind("changelog")
        ),
    )


def _states(fact: Fact) -> bool:
    return fact.source.kind in ("nl", "todo", "changelog", "document", "agent_log")
