"""Entries of changelogs that no commit of their release explains: CHANGELOG_WITHOUT_IMPLEMENTATION.

That no relation was drawn is not enough. It is said only where the whole history was read, the release has a tag with a
known range of commits, the changelog follows the commits of that range, and no commit there shares a number, a name, a
path, a rare word or two telling ones with the entry. A small history is compared as a whole instead: `unheard`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.projections.diagnostics.model import Finding
from t2c.projections.diagnostics.predicates import VAGUE, is_claimable, is_sample, shortened, telling
from t2c.projections.diagnostics.releases import Ranges, package
from t2c.projections.diagnostics.seen import NUMBER, SeenCommits
from t2c.projections.diagnostics.unheard import SMALL, unheard
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence.code import leaf
from t2c.projections.facts import Fact

__all__ = ["without_implementation"]

MIN_WORDS: Final = 3
"""Telling words that an entry must have: a shorter one cannot be looked for."""
MIN_MATCHED: Final = 0.7
"""The share of a release's entries that its commits must explain before one that they do not stands out."""
MIN_ENTRIES: Final = 4
"""Entries of a release below which that share says nothing."""
_SHARED: Final = 2
"""Telling words that an entry and a commit have in common by no accident."""
_RARE: Final = 3
"""Commits of a range that bear a word up to which sharing that word alone is no accident either."""
_CARRIES: Final = frozenset({"releases", "implements", "evidenced_by"})
_REVISION: Final = re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{6,40}\b")
_CREDITS: Final = re.compile(
    r"\s*(?:\([^()]*\)|by @\S+|thanks? to .*|\[[^\]]*\]\([^)]*\))\W*$", re.IGNORECASE
)
"""What stands at the end of an entry and tells who made it, or where to read more."""


def without_implementation(view: View) -> Iterator[Finding]:
    """One finding for each such entry."""
    if not view.has_whole_history:
        return
    entries = _entries(view)
    if not entries:
        return
    ranges = Ranges(view)
    seen = SeenCommits(view)
    if len(view.commits) <= SMALL:
        yield from unheard(view, entries, ranges, seen)
        return
    found: list[tuple[str, int, Fact]] = []
    for release, told in sorted(entries.items()):
        loose = [entry for entry in told if _can_be_sought(view, entry)]
        if not loose or len(told) < MIN_ENTRIES or not (commits := ranges.of(release)):
            continue
        inverted = _inverted(seen, commits)
        unexplained = [entry for entry in loose if not _is_explained(entry, seen, inverted, commits)]
        if not unexplained or len(told) - len(unexplained) < MIN_MATCHED * len(told):
            continue
        found += [(release, len(commits), entry) for entry in unexplained]
    elsewhere = _explained_elsewhere(view, [entry for _, _, entry in found])
    for release, count, entry in found:
        if entry.id not in elsewhere:
            yield _finding(view, entry, release, count)


def _entries(view: View) -> dict[str, list[Fact]]:
    """The id of each tagged release → its entries that claim a change; sub-entries go with what they belong to."""
    by_place: dict[tuple[str | None, str, str | None], str] = {}
    for fact in view.of_kind("changelog"):
        if fact.statement.kind == "changelog_release" and isinstance(fact.metadata.version, str):
            by_place.setdefault((fact.source.path, fact.metadata.version, package(view, fact)), fact.id)
    found: dict[str, list[Fact]] = {}
    for fact in view.of_kind("changelog"):
        if (
            fact.statement.kind == "changelog_entry"
            and fact.epistemic.cls == "claim"
            and fact.lifecycle.status == "released"
            and isinstance(fact.metadata.version, str)
            and view.details(fact).parent is None
            and not is_sample(fact.source.path)
            and is_claimable(fact)
        ):
            place = (fact.source.path, fact.metadata.version, package(view, fact))
            release = by_place.get(place) or by_place.get((*place[:2], None))
            if release is not None:
                found.setdefault(release, []).append(fact)
    return found


def _inverted(seen: SeenCommits, commits: Sequence[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for revision in commits:
        for word in seen.of(revision).words:
            found.setdefault(word, []).append(revision)
    return found


def _is_bound(view: View, entry: Fact) -> bool:
    """Whether a relation of carrying out binds it to anything of the history."""
    return any(
        link.relation.type in _CARRIES and other.source.kind == "git"
        for link, other in view.facts.neighbours(entry.id)
    )


def _is_explained(
    entry: Fact, seen: SeenCommits, inverted: Mapping[str, list[str]], commits: Sequence[str]
) -> bool:
    target = entry.statement.target
    found = [seen.of(revision) for revision in commits]
    if target.paths and any(not one.paths.isdisjoint(target.paths) for one in found):
        return True
    symbols = {leaf(symbol) for symbol in target.symbols}
    if symbols and any(not one.names.isdisjoint(symbols) for one in found):
        return True
    shared: dict[str, int] = {}
    for word in _words(entry):
        bearing = inverted.get(word, ())
        if 0 < len(bearing) <= _RARE:
            return True
        for revision in bearing:
            shared[revision] = shared.get(revision, 0) + 1
            if shared[revision] >= _SHARED:
                return True
    return False


def _explained_elsewhere(view: View, entries: Sequence[Fact]) -> frozenset[str]:
    """Entries with which the subject of any commit of the history shares two telling words or a rare one: a branch of maintenance,
    or a change that was picked over, may have brought them in outside of the range."""
    wanted: dict[str, list[str]] = {}
    for entry in entries:
        for word in _words(entry):
            wanted.setdefault(word, []).append(entry.id)
    explained: set[str] = set()
    bearing: dict[str, int] = {}
    for commit in view.commits if wanted else ():
        shared: dict[str, int] = {}
        for word in telling(commit.statement.text) & wanted.keys():
            bearing[word] = bearing.get(word, 0) + 1
            for entry_id in wanted[word]:
                shared[entry_id] = shared.get(entry_id, 0) + 1
                if shared[entry_id] >= _SHARED:
                    explained.add(entry_id)
    explained.update(
        entry_id for word, count in bearing.items() if count <= _RARE for entry_id in wanted[word]
    )
    return frozenset(explained)


def _writer_changed_code(view: View, entry: Fact) -> bool:
    """Whether the commit that wrote the entry changed more than documentation: then it is what the entry tells of."""
    return any(
        link.relation.type == "declares" and other.source.kind == "git" and other.metadata.docOnly is not True
        for link, other in view.facts.neighbours(entry.id)
    )


def _can_be_sought(view: View, entry: Fact) -> bool:
    """Whether an entry without a commit has enough of its own to be looked for in what commits say.

    One that cites a number or a revision has not: if the number is not in the history it may be that of another
    repository, or of an issue that no commit names.
    """
    text = entry.statement.text
    return not (
        entry.statement.target.tickets
        or NUMBER.search(text)
        or "http" in text
        or _REVISION.search(text)
        or _is_bound(view, entry)
        or _writer_changed_code(view, entry)
        or len(_words(entry) - VAGUE) < MIN_WORDS
    )


def _words(entry: Fact) -> frozenset[str]:
    return telling(_CREDITS.sub("", entry.statement.text))


def _finding(view: View, entry: Fact, release: str, commits: int) -> Finding:
    version = entry.metadata.version if isinstance(entry.metadata.version, str) else "?"
    said = {
        "text": shortened(entry.statement.text),
        "at": entry.where,
        "version": version,
        "commits": f"{commits:,}",
    }
    return Finding(
        "CHANGELOG_WITHOUT_IMPLEMENTATION",
        entry.id,
        "review_required",
        "changelog.unexplained",
        said,
        (entry.id,),
        f"release:{release}",
        55,
        0.7,
    )
