"""Which commits no longer stand because another commit took them back.

A revert names what it undoes by revision (`This reverts commit …`) or by its subject (`Revert "…"`), which must
then be the subject of one commit alone. A revert that is itself reverted undoes nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

__all__ = ["Commit", "undone"]

_BY_REVISION: Final = re.compile(r"\b[Tt]his reverts commit ([0-9a-f]{40,64})\b")
_BY_SUBJECT: Final = re.compile(r'(?:\w{1,30}: )?[Rr]evert "(.+)"(?:\s*\([^()\s]{1,100}\))?\s*\Z')


class Commit(NamedTuple):
    revision: str
    subject: str
    text: str


def undone(commits: Iterable[Commit]) -> frozenset[str]:
    """Revisions of the commits that a standing revert undoes.

    Reverts that name each other in a circle, which Git cannot make, are taken to stand.
    """
    known = {commit.revision: commit for commit in commits}
    taken_back = _taken_back(known)
    pending = Counter(target for targets in taken_back.values() for target in targets)
    standing = [revert for revert in taken_back if revert not in pending]
    fallen: set[str] = set()
    while standing:
        revert = standing.pop()
        for target in taken_back.get(revert, ()):
            if target in fallen:
                continue
            fallen.add(target)
            for released in taken_back.get(target, ()):
                pending[released] -= 1
                if not pending[released] and released not in fallen:
                    standing.append(released)
    return frozenset(fallen)


def _taken_back(known: Mapping[str, Commit]) -> dict[str, frozenset[str]]:
    """The revisions that each revert names, as far as they are known."""
    found: dict[str, frozenset[str]] = {}
    by_subject: dict[str, list[str]] = {}
    for commit in known.values():
        by_subject.setdefault(commit.subject, []).append(commit.revision)
    for commit in known.values():
        if "evert" not in commit.text and "evert" not in commit.subject:
            continue
        targets = set(_BY_REVISION.findall(commit.text)) & known.keys()
        quoted = _BY_SUBJECT.match(commit.subject)
        if not targets and quoted and len(same := by_subject.get(quoted[1], ())) == 1:
            targets.update(same)
        if targets:
            found[commit.revision] = frozenset(targets)
    return found
