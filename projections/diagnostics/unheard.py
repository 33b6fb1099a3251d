"""Entries of changelogs of which nothing in a small history was ever heard.

Where all commits can be compared with an entry, none need be exempt for want of others: not the first release, not one of
few entries, not an entry that cites a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.diagnostics.model import Finding
from t2c.projections.diagnostics.predicates import VAGUE, shortened, telling
from t2c.projections.diagnostics.releases import Ranges
from t2c.projections.diagnostics.seen import NUMBER, SeenCommits
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf, strings
from t2c.projections.facts import Fact

__all__ = ["SMALL", "unheard"]

SMALL: Final = 100
"""Commits of a whole history up to which a word that only few of them bear may be there by accident."""
_SHARED: Final = 2
_CARRIES: Final = frozenset({"releases", "implements", "evidenced_by", "modifies", "tests"})
_REVISION: Final = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b")
_NAME: Final = re.compile(r"\b\w+_\w+\b|\b\w+(?=\(\))")
"""A name of code: with an underscore, or with parentheses behind it."""
_UNCHANGED: Final = re.compile(r"\W*(?:there (?:are|were) )?no (?:\w+ ){0,2}changes?\b", re.IGNORECASE)
"""The beginning of an entry that tells of what was not done."""
_LINKS: Final = re.compile(r"\[([^\[\]]{1,200})\]\([^()\s]{1,300}\)")
_LAYOUT: Final = telling("src lib libs test tests app apps pkg cmd doc docs")
"""Words of paths that tell no change from another."""


def unheard(
    view: View, entries: Mapping[str, Sequence[Fact]], ranges: Ranges, seen: SeenCommits
) -> Iterator[Finding]:
    """One finding for each entry of a release with a known range with which no commit of the history and nothing in the
    code shares a number, a name, a path or two telling words."""
    sought = [
        (release, entry)
        for release, told in sorted(entries.items())
        if ranges.of(release, first=True)
        for entry in told
        if entry.statement.action != "document"
    ]
    if not sought or any(_is_partial(commit) for commit in view.commits):
        return
    heard = _Heard(view, seen, frozenset(entry.source.path or "" for _, entry in sought))
    for release, entry in sought:
        if not heard.of(entry):
            yield _finding(view, entry, release)


class _Heard:
    """Everything that could explain an entry: each commit that did more than write changelogs, and each declaration."""

    def __init__(self, view: View, seen: SeenCommits, changelogs: frozenset[str]) -> None:
        self._view = view
        commits = [
            seen.of(commit.source.revision)
            for commit in view.commits
            if commit.source.revision and not changelogs.issuperset(commit.statement.target.paths or ("",))
        ]
        code = list(view.of_kind("ast", "system"))
        self._numbers = frozenset(number for one in commits for number in one.numbers)
        self._paths = frozenset(path for one in commits for path in one.paths) | {
            fact.source.path for fact in code
        }
        self._names = frozenset(name for one in commits for name in one.names) | {
            leaf(fact.source.symbol or "") for fact in code
        }
        self._words = {one.own for one in commits}
        self._words |= {
            telling(f"{fact.source.path} {fact.source.symbol} {fact.statement.object}") for fact in code
        }

    def of(self, entry: Fact) -> bool:
        """Whether anything shares enough with an entry, or it has too little of its own to be looked for."""
        text, target = _LINKS.sub(r"\1", entry.statement.text), entry.statement.target
        numbers = {*NUMBER.findall(text), *(ticket.lstrip("#") for ticket in target.tickets)}
        names = {leaf(name) for name in (*target.symbols, *_NAME.findall(text))}
        words = telling(text) - VAGUE - _LAYOUT - numbers
        if "://" in text or _UNCHANGED.match(text) or _REVISION.search(text) or len(words) < _SHARED:
            return True
        return (
            not numbers.isdisjoint(self._numbers)
            or not self._paths.isdisjoint(target.paths)
            or not names.isdisjoint(self._names)
            or any(len(words & one) >= _SHARED for one in self._words)
            or self._is_bound(entry, named=bool(names or target.paths))
        )

    def _is_bound(self, entry: Fact, *, named: bool) -> bool:
        """Whether a relation binds it to what was done. The commit that wrote it is what it tells of if it changed code,
        unless the entry names what that commit does not."""
        for link, other in self._view.facts.neighbours(entry.id):
            if link.relation.type in _CARRIES and other.source.kind in ("git", "ast", "test"):
                return True
            if (
                link.relation.type == "declares"
                and other.source.kind == "git"
                and not named
                and self._works(other)
            ):
                return True
        return False

    def _works(self, commit: Fact) -> bool:
        """Whether a commit changed code by more than the number of a version."""
        endings = {path.rpartition(".")[2] for path in self._view.code.modules}
        if not any(path.rpartition(".")[2] in endings for path in commit.statement.target.paths):
            return False
        diff = commit.metadata.diff if isinstance(commit.metadata.diff, Mapping) else {}
        names = (*strings(diff.get("names")), *strings(diff.get("symbols")), *strings(diff.get("tests")))
        return not names or not all("version" in name.lower() for name in names)


def _is_partial(commit: Fact) -> bool:
    """Whether it names no more than some of what it changed."""
    diff = commit.metadata.diff
    return isinstance(diff, Mapping) and not diff.keys().isdisjoint(
        ("partial", "symbolsOmitted", "linesOmitted")
    )


def _finding(view: View, entry: Fact, release: str) -> Finding:
    version = entry.metadata.version if isinstance(entry.metadata.version, str) else "?"
    said = {
        "text": shortened(entry.statement.text), "at": entry.where, "version": version,
        "commits": f"{len(view.commits):,}",
    }  # fmt: skip
    return Finding(
        "CHANGELOG_WITHOUT_IMPLEMENTATION", entry.id, "review_required", "changelog.unheard", said, (entry.id,),
        f"release:{release}", 55, 0.7,
    )  # fmt: skip
