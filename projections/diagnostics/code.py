"""Code that no plan asked for and no document tells of: IMPLEMENTED_NOT_PLANNED, IMPLEMENTED_NOT_DOCUMENTED.

Both speak of public symbols of any language, one finding for a folder, and only where plans or documents are a custom.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Final

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding
from t2c.projections.diagnostics.plans import Plan
from t2c.projections.diagnostics.predicates import folder, is_apart, is_public, is_sample
from t2c.projections.diagnostics.reach import Reach
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf
from t2c.projections.facts import Fact
from t2c.projections.records.commits import instant

__all__ = ["not_documented", "not_planned"]

CUSTOM: Final = 5
"""Plans, or symbols named by documents, below which neither is a custom of the repository."""
MIN_SYMBOLS: Final = 3
"""Symbols of a folder below which it is counted with the others."""
DOCUMENTED: Final = 0.6
"""The share of a folder's symbols that must be documented before one that is not stands out."""
_VALUES: Final = ("constant", "variable", "field", "property")
MIN_NAME: Final = 3
"""Letters of a name below which it is one for the moment, as that of a type variable."""
MIN_REST: Final = 10
"""Symbols of all other folders together below which they are not worth a line."""
MAX_FOLDERS: Final = 6
"""Folders that are told one by one, those with the most symbols."""


def not_planned(view: View, known: Sequence[Plan]) -> Iterator[Finding]:
    """Public symbols that changed since plans are written here, in files that no plan reaches and by commits that none
    is bound to; only where most of the work on public symbols is planned by task."""
    reached: set[str] = set()
    planning: list[datetime] = []
    for plan in known:
        paths = {path for member in plan.members for path in _paths(view, member)}
        if paths:
            reached |= paths
            at = instant(view.grades[plan.head.id].planned_at)
            if at is not None:
                planning.append(at)
    if len(planning) < CUSTOM:
        return
    since = min(planning)
    changed: dict[str, list[Fact]] = {}
    worked: dict[str, Fact] = {}
    reach = Reach(view)
    for fact in _symbols(view):
        if is_apart(fact.source.path) or reach.hides(fact):
            continue
        commits = [commit for commit in _commits(view, fact) if _is_after(view, commit, since)]
        if commits:
            changed[fact.id] = commits
            worked.update((commit.id, commit) for commit in commits)
    listed = _Planned(view, "todo", "nl")
    if 2 * sum(map(listed.covers, worked.values())) < len(worked):
        return
    planned = _Planned(view, "todo", "nl", "document")
    found = [
        view.facts.records[identity]
        for identity, commits in changed.items()
        if view.facts.records[identity].source.path not in reached and not any(map(planned.covers, commits))
    ]
    yield from _told(view, "IMPLEMENTED_NOT_PLANNED", "unplanned", found, 20)


class _Planned:
    """Commits that the plans of some kinds of source are bound to, and those that changed a file of such plans."""

    def __init__(self, view: View, *sources: str) -> None:
        self._bound: set[str] = set()
        self._files: set[tuple[str, str]] = set()
        for fact in view.of_kind(*sources):
            is_plan = fact.epistemic.cls == "plan" or fact.source.kind == "nl"
            if not is_plan or fact.statement.kind == "comment_marker" or is_sample(fact.source.path):
                continue
            if fact.source.path is not None:
                self._files.add(_ends(fact.source.path))
            self._bound.update(
                other.id for _, other in view.facts.neighbours(fact.id) if other.source.kind == "git"
            )

    def covers(self, commit: Fact) -> bool:
        """Whether a plan is bound to a commit, by a relation or by its file; done plans move to archives."""
        return commit.id in self._bound or any(
            _ends(path) in self._files for path in commit.statement.target.paths
        )


def _ends(path: str) -> tuple[str, str]:
    return path.partition("/")[0], path.rpartition("/")[2]


def _commits(view: View, fact: Fact) -> Iterator[Fact]:
    """The commits that changed a symbol."""
    for link, other in view.facts.neighbours(fact.id):
        if link.relation.type == "modifies" and other.source.kind == "git":
            yield other


def _is_after(view: View, commit: Fact, since: datetime) -> bool:
    at = instant(view.code.committed_at(commit))
    return at is not None and at > since


def not_documented(view: View) -> Iterator[Finding]:
    """Public symbols of the top level without a text of their own that no document and no changelog names, in folders
    whose other symbols are documented."""
    named = {
        leaf(name)
        for fact in view.of_kind("document", "changelog", "nl", "todo")
        if fact.statement.kind != "trace_tag"
        for name in fact.statement.target.symbols
    }
    there: dict[str, list[Fact]] = {}
    reach = Reach(view)
    for fact in _symbols(view):
        if (
            "." not in (fact.source.symbol or ".")
            and len(fact.source.symbol or "") >= MIN_NAME
            and fact.metadata.symbolKind not in _VALUES
            and fact.source.symbol != "default"
            and not is_apart(fact.source.path)
            and not reach.hides(fact)
        ):
            there.setdefault(folder(fact.source.path), []).append(fact)
    found: list[Fact] = []
    for facts in there.values():
        silent = [fact for fact in facts if not fact.metadata.docstring and not _is_named(view, fact, named)]
        if len(facts) - len(silent) >= max(CUSTOM, DOCUMENTED * len(facts)):
            found += silent
    yield from _told(view, "IMPLEMENTED_NOT_DOCUMENTED", "undocumented", found, 10)


def _is_named(view: View, fact: Fact, named: AbstractSet[str]) -> bool:
    return fact.source.symbol in named or any(
        other.source.kind in ("document", "changelog", "todo") for _, other in view.facts.neighbours(fact.id)
    )


def _symbols(view: View) -> Iterator[Fact]:
    return (fact for fact in view.of_kind("ast") if is_public(fact) and not view.code.is_test(fact))


def _paths(view: View, fact: Fact) -> Iterator[str]:
    for item in view.grades[fact.id].items:
        other = view.facts.records[item.record]
        if other.source.kind == "ast" and other.source.path is not None:
            yield other.source.path


def _told(view: View, code: str, message: str, found: Iterable[Fact], risk: int) -> Iterator[Finding]:
    totals: dict[str, int] = {}
    for fact in _symbols(view):
        totals[folder(fact.source.path)] = totals.get(folder(fact.source.path), 0) + 1
    groups: dict[str, list[Fact]] = {}
    for fact in found:
        groups.setdefault(folder(fact.source.path), []).append(fact)
    order = sorted(groups, key=lambda place: (-len(groups[place]), place))
    told = [place for place in order if len(groups[place]) >= MIN_SYMBOLS][:MAX_FOLDERS]
    for place in told:
        yield _finding(
            code,
            message,
            f"folder:{place}",
            groups[place],
            {"place": place, "of": f"{totals[place]:,}"},
            risk,
        )
    rest = [fact for place in order if place not in told for fact in groups[place]]
    if len(rest) >= MIN_REST:
        folders = len({folder(fact.source.path) for fact in rest})
        yield _finding(code, message + ".rest", "elsewhere", rest, {"folders": f"{folders:,}"}, risk - 5)


def _finding(
    code: str, message: str, subject: str, facts: Sequence[Fact], said: Mapping[str, str], risk: int
) -> Finding:
    first = sorted(facts, key=lambda fact: (fact.source.path or "", fact.source.symbol or "", fact.id))
    more = {"count": f"{len(facts):,}", "first": ", ".join(f"`{fact.source.symbol}`" for fact in first[:5])}
    records = tuple(sorted(fact.id for fact in first[:MAX_RECORDS]))
    return Finding(
        code, subject, "info", message, {**said, **more}, records, message.partition(".")[0], risk, 0.5
    )
