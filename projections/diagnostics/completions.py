"""Plans that are said to be done and that nothing shows done: FALSE_COMPLETION.

Said where what is bound to a plan does not stand, where this ledger saw it open and nothing came since that could be the
work, and where it names what never was.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cached_property
from typing import Final

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding, Severity
from t2c.projections.diagnostics.plans import Plan, causes, grade, places
from t2c.projections.diagnostics.predicates import (
    OPEN,
    VAGUE,
    folder,
    is_done,
    is_put_aside,
    shortened,
    telling,
)
from t2c.projections.diagnostics.seen import SeenCommits
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade, Item
from t2c.projections.facts import Fact
from t2c.projections.timeline.state import Timeline

__all__ = ["falsely_done"]

_SHARED: Final = 2
"""Telling words that a plan and what shows it have in common by no accident; of a plan of one word, that one."""
_DOCUMENTING: Final = ("document", "release")
_MAKING: Final = ("add", "create", "implement", "introduce", "test")
"""Actions after which what a plan names must be there, or have been."""
_CODE_NAME: Final = re.compile(r"\b(?:[a-z][a-z0-9]{1,40}(?:_[a-z0-9]{1,40}){1,8})\b")
"""A name that no prose has: words in small letters that underscores join."""


def falsely_done(view: View, known: Sequence[Plan], history: Timeline) -> Iterator[Finding]:
    """Plans that are said to be done while nothing shows it.

    * Every commit bound to it was reverted, or changed documentation alone and it does not ask for documentation.
    * This ledger saw it open, and nothing that came since carries it out, shares telling words with it or changed code
      together with its list.
    * It was done when it was first seen, and names what is not there and never was in a history that was read whole.
    """
    books, groups = {folder(plan.head.source.path) for plan in known}, causes(known)
    work = _Work(view, history)
    for plan in known:
        head = plan.head
        if not is_done(head) or grade(view, plan.members) is not Grade.none:
            continue
        bound = [item for member in plan.members for item in _bound(view, member, books)]
        cause = groups[head.source.path or ""]
        if bound:
            yield from _weakly_done(view, plan, cause, bound)
        elif head.statement.action not in _DOCUMENTING and not is_put_aside(head.source.path):
            if (opened := work.opened(head)) is not None:
                yield from _ticked(view, plan, cause, work, opened)
            else:
                yield from _never_there(view, plan, cause, work)


def _weakly_done(view: View, plan: Plan, cause: str, bound: Sequence[Item]) -> Iterator[Finding]:
    weak = [view.facts.records[item.record] for item in bound]
    severity: Severity
    if any(commit.id in view.code.reverted for commit in weak) or not all(
        commit.metadata.docOnly is True for commit in weak
    ):
        message, severity, risk = "done.reverted", "blocking", 90
    elif plan.head.statement.action in _DOCUMENTING:
        return
    else:
        message, severity, risk = "done.documentation", "review_required", 70
    yield _false(plan, cause, severity, message, {"found": places(weak)}, risk, 0.85)


def _ticked(view: View, plan: Plan, cause: str, work: _Work, opened: int) -> Iterator[Finding]:
    since = work.commits_since(opened)
    if not view.commits or work.may_show(plan, opened):
        return
    lists = {member.source.path for member in plan.members}
    committed = any(not lists.isdisjoint(commit.statement.target.paths) for commit in since)
    severity: Severity = "review_required" if view.has_whole_history and committed else "warning"
    names = any(
        view.facts.records[item.record].source.kind == "ast"
        for member in plan.members
        for item in view.grades[member.id].items
    )
    said = {"since": work.day(opened), "commits": f"{len(since):,}"}
    yield _false(plan, cause, severity, "done.nothing" if names else "done.ticked", said, 65, 0.7)


def _never_there(view: View, plan: Plan, cause: str, work: _Work) -> Iterator[Finding]:
    if not view.has_whole_history or plan.head.statement.action not in _MAKING:
        return
    names = sorted(_named(plan.head, work))
    if names and not any(work.is_known(name) for name in names) and not work.may_show(plan, None):
        said = {"names": ", ".join(f"`{name}`" for name in names[:4])}
        yield _false(plan, cause, "review_required", "done.absent", said, 65, 0.7)


def _named(head: Fact, work: _Work) -> Iterator[str]:
    """The names and paths of code that a plan speaks of, as far as no prose has such."""
    for path in head.statement.target.paths:
        if path.rpartition(".")[2] in work.endings and path.partition("/")[0] in work.folders:
            yield path
    text = head.statement.text
    for path in head.statement.target.paths:
        text = text.replace(path, " ")
    yield from _CODE_NAME.findall(text)


def _false(
    plan: Plan, cause: str, severity: Severity, message: str, more: Mapping[str, str], risk: int, sure: float
) -> Finding:
    head = plan.head
    said = {"text": shortened(head.statement.text), "at": head.where, **more}
    records = tuple(sorted(member.id for member in plan.members)[:MAX_RECORDS])
    return Finding("FALSE_COMPLETION", head.id, severity, message, said, records, cause, risk, sure)


def _bound(view: View, fact: Fact, books: AbstractSet[str]) -> Iterator[Item]:
    """The commits that relations of carrying out bind to a statement; those that only keep the books of plans do not
    say that anything was done."""
    for item in view.grades[fact.id].items:
        commit = view.facts.records[item.record]
        if (
            item.relation is None
            or commit.statement.kind != "commit_intent_claim"
            or item.grade is not Grade.none
        ):
            continue
        paths = commit.statement.target.paths
        if commit.id in view.code.reverted or not all(folder(path) in books for path in paths):
            yield item


class _Work:
    """What came when, as this ledger saw it, and what of it may be the work of a plan. Read when first asked for."""

    def __init__(self, view: View, history: Timeline) -> None:
        self._view = view
        self._history = history
        self._seen = SeenCommits(view)
        self._since: dict[int, tuple[Fact, ...]] = {}

    def opened(self, plan: Fact) -> int | None:
        """The moment at which a plan was last seen to come open; None if it never was open here."""
        told = self._history.told.get(plan.id)
        found = self._history.seen.get(plan.id) if told is not None and told.began in OPEN else None
        for change in self._history.changes.get(plan.id, ()):
            if change.what == "status" and change.value in OPEN:
                found = change.at
        return found

    def day(self, moment: int) -> str:
        return self._history.moments[moment].ts[:10]

    def commits_since(self, moment: int) -> tuple[Fact, ...]:
        """The commits that were first seen after the run of a moment."""
        found = self._since.get(moment)
        if found is None:
            found = self._since[moment] = tuple(
                commit for commit in self._view.commits if self._is_later(commit.id, moment)
            )
        return found

    def _is_later(self, identity: str, moment: int) -> bool:
        at = self._history.seen.get(identity)
        if at is None or at <= moment:
            return False
        run = self._history.moments[moment].run
        return run is None or self._history.moments[at].run != run

    def may_show(self, plan: Plan, opened: int | None) -> bool:
        """Whether anything may be its work: a commit since it was opened that changed code with its list, one since it was
        written that shares telling words with it, or code that was first seen since and does."""
        wanted = telling(" ".join(member.statement.text for member in plan.members)) - VAGUE
        enough = min(_SHARED, len(wanted))
        if not enough:
            return True
        lists = {member.source.path for member in plan.members}
        since = self._view.commits if opened is None else self.commits_since(opened)
        works = [commit for commit in since if commit.metadata.docOnly is not True]
        if opened is not None and any(
            not lists.isdisjoint(commit.statement.target.paths) for commit in works
        ):
            return True
        works += self._written_since(plan.head)
        if any(len(wanted & self._seen.of(one.source.revision or "").own) >= enough for one in works):
            return True
        if opened is None:
            return False
        return any(
            len(wanted & telling(f"{fact.source.path} {fact.source.symbol}")) >= enough
            for fact in self._view.of_kind("ast")
            if self._is_later(fact.id, opened)
        )

    def _written_since(self, plan: Fact) -> list[Fact]:
        """The commits that are no older than the one that wrote a plan, documentation left out."""
        written = [
            other.source.commitIndex
            for link, other in self._view.facts.neighbours(plan.id)
            if link.relation.type == "declares" and link.relation.to == plan.id and other.source.commitIndex
        ]
        if not written:
            return []
        return [
            commit
            for commit in self._view.commits
            if (commit.source.commitIndex or 0) <= max(written) and commit.metadata.docOnly is not True
        ]

    @cached_property
    def endings(self) -> frozenset[str]:
        """Those of the files of code."""
        return frozenset(path.rpartition(".")[2] for path in self._view.code.modules)

    @cached_property
    def folders(self) -> frozenset[str]:
        """The folders of the top that hold code."""
        return frozenset(path.partition("/")[0] for path in self._view.code.modules if "/" in path)

    def is_known(self, name: str) -> bool:
        """Whether anything bears a name or path or did, as far as code, settings, tests, texts and commits tell."""
        if not self._view.code.modules or name in self._once or self._is_partial:
            return True
        sought = name.encode()
        return any(
            sought in self._view.raw.get(fact.id, b"")
            for fact in self._view.of_kind("ast", "system", "test", "document")
        )

    @cached_property
    def _is_partial(self) -> bool:
        """Whether a commit names no more than some of what it changed."""
        return any(
            isinstance(commit.metadata.diff, Mapping)
            and not commit.metadata.diff.keys().isdisjoint(("partial", "symbolsOmitted", "linesOmitted"))
            for commit in self._view.commits
        )

    @cached_property
    def _once(self) -> frozenset[str]:
        found: set[str] = set()
        for commit in self._view.commits:
            if commit.metadata.docOnly is not True:
                seen = self._seen.of(commit.source.revision or "")
                found |= seen.names
                found |= seen.paths
        return frozenset(found)
