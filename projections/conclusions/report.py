"""The report of a fold: who asks for what, what is really there, what came since the last release, what does not fit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Final

from t2c.projections.base import Inputs
from t2c.projections.conclusions.model import (
    SCHEMA,
    Asked,
    Change,
    Changes,
    Portion,
    Report,
    Said,
    There,
)
from t2c.projections.diagnostics.messages import Language
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
from t2c.projections.findings.model import grouped
from t2c.projections.records.commits import instant

__all__ = ["GROUPS", "report"]

GROUPS: Final = 6
"""Groups of findings that a report tells whole."""
_ASKED: Final = 6
_FIRST: Final = 3
_WEEKS: Final = 4
_ACTIONS: Final = 5
_FOLDERS: Final = 4
_TEXT: Final = 100
_FEW: Final = 5
"""Commits since a release below which what the release before it brought is told instead of nearly nothing."""


def report(inputs: Inputs, language: Language = "en") -> Report:
    """Reads the folded states of diagnostics, findings, graph, records and timeline."""
    view = View.of(inputs, inputs.states["diagnostics"])
    found = read(inputs.states["findings"], inputs, language)
    told = [one for one in found if one.suppressed is None and one.code != "ALIGNED"]
    groups = grouped(told)
    by_severity = Counter(one.severity for one in told)
    asked = list(_asked(view))
    newest = next(iter(view.commits), None)
    return Report(
        schema=SCHEMA,
        generatedAt=inputs.ts,
        revision=None if newest is None else newest.source.revision,
        records=len(view.facts.records),
        asked=tuple(asked[:_ASKED]),
        asked_left=len(asked) - len(asked[:_ASKED]),
        there=_there(view),
        changes=_changes(view),
        groups=groups[:GROUPS],
        left=len(groups) - len(groups[:GROUPS]),
        counts={severity: by_severity[severity] for severity in SEVERITIES},
        suppressed=len(found) - sum(one.suppressed is None for one in found),
    )


def _asked(view: View) -> Iterator[Asked]:
    """Who asks for what, those with most that is open first."""
    opened: dict[tuple[str, str], list[Fact]] = {}
    done: dict[tuple[str, str], list[Fact]] = {}
    for fact in view.open_plans:
        opened.setdefault(_asker(fact), []).append(fact)
    for fact in view.of_kind("nl", "todo", "document"):
        if is_done(fact):
            done.setdefault(_asker(fact), []).append(fact)
    for fact in view.of_kind("agent_log"):
        if fact.metadata.messageType in ("request", "plan"):
            opened.setdefault(_asker(fact), []).append(fact)
    order = sorted(
        opened.keys() | done.keys(),
        key=lambda one: (not opened.get(one), one[0] == "comments", -len(opened.get(one, ())), one),
    )
    for by, name in order:
        left = sorted(opened.get((by, name), ()), key=_reading)
        over = done.get((by, name), ())
        yield Asked(
            by=by,
            name=name,
            open=len(left),
            done=len(over),
            shown=sum(view.grades[fact.id].grade > Grade.none for fact in over),
            first=tuple(_said(fact) for fact in left[:_FIRST]),
        )


def _asker(fact: Fact) -> tuple[str, str]:
    if fact.source.kind == "agent_log":
        who = fact.metadata.displayName or fact.metadata.participant
        return "participant", who if isinstance(who, str) and who else "?"
    if fact.statement.kind == "comment_marker":
        return "comments", "code"
    if fact.source.kind == "nl":
        return "given", fact.source.path or fact.statement.actor or "?"
    return "file", fact.source.path or "?"


def _reading(fact: Fact) -> tuple[str, int, str]:
    lines = fact.source.lines
    return fact.source.path or "", 0 if lines is None else lines.start, fact.id


def _said(fact: Fact) -> Said:
    return Said(shortened(fact.statement.text, _TEXT), fact.where)


def _there(view: View) -> There:
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
    plans = [*view.open_plans, *(fact for fact in view.of_kind("nl", "todo", "document") if is_done(fact))]
    plans = [fact for fact in plans if fact.statement.kind != "comment_marker"]
    claims = [fact for fact in view.of_kind("changelog") if is_claim(fact)]
    return There(
        files=len(files.keys() - test_files),
        test_files=len(test_files),
        public=public,
        tests=tests,
        results=Portion(sum(fact.lifecycle.status == "verified" for fact in results), len(results)),
        plans=_evidenced(view, plans),
        claims=_evidenced(view, claims),
        largest=_most(folders, _FOLDERS),
    )


def _evidenced(view: View, facts: Sequence[Fact]) -> Portion:
    return Portion(sum(view.grades[fact.id].grade > Grade.none for fact in facts), len(facts))


def _most(counts: Mapping[str, int], most: int) -> tuple[tuple[str, int], ...]:
    order = sorted((name for name in counts if counts[name]), key=lambda name: (-counts[name], name))
    return tuple((name, counts[name]) for name in order[:most])


def _changes(view: View) -> Changes | None:
    """What came since the newest release, or since the one before it if hardly anything came since."""
    commits = [commit for commit in view.commits if commit.source.revision is not None]
    if not commits:
        return None
    releases = list(_releases(view, commits))
    since, span, until = None, commits, None
    for place, (name, reached) in enumerate(releases[:2]):
        after = [commit for commit in commits if commit.source.revision not in reached]
        if place and since is not None and len(after) - len(span) < _FEW:
            break
        since, span, until = name, after, since
        if len(span) >= _FEW:
            break
    if since is None:
        since, span = _lately(commits)
    return _told(view, span, since, bool(releases), until)


def _releases(view: View, commits: Sequence[Fact]) -> Iterator[tuple[str, frozenset[str]]]:
    """The newest releases that tags name, each with all commits that it reaches; the newest first."""
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
            yield name, frozenset(_reached(parents, commits[at].source.revision))


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


def _told(view: View, span: Sequence[Fact], since: str | None, release: bool, until: str | None) -> Changes:
    own = [commit for commit in span if commit.metadata.merge is not True]
    actions: dict[str, list[Fact]] = {}
    folders: Counter[str] = Counter()
    for commit in own:
        actions.setdefault(commit.statement.action, []).append(commit)
        folders.update({folder(path) for path in commit.statement.target.paths})
    order = sorted(actions, key=lambda name: (name == "unknown", -len(actions[name]), name))
    return Changes(
        since=since,
        release=release,
        until=until,
        commits=len(own),
        authors=len({commit.statement.actor for commit in own if commit.statement.actor}),
        bound=sum(any(_states(other) for _, other in view.facts.neighbours(commit.id)) for commit in own),
        by_action=tuple(
            Change(name, len(actions[name]), tuple(map(_said, _plain(actions[name]))))
            for name in order[:_ACTIONS]
        ),
        folders=_most(folders, _FOLDERS),
        unreleased=sum(
            fact.lifecycle.status == "proposed" and fact.statement.kind != "changelog_release"
            for fact in view.of_kind("changelog")
        ),
    )


def _plain(commits: Iterable[Fact]) -> list[Fact]:
    return list(commits)[:2]


def _states(fact: Fact) -> bool:
    return fact.source.kind in ("nl", "todo", "changelog", "document", "agent_log")
