"""Which commits no longer stand because another commit took them back.

A revert names what it undoes by revision, whole or abbreviated (`This reverts commit …`), or by its subject
(`Revert "…"`), which must then be the subject of one commit alone. Of several revisions in a message, which were
steps on the way where commits were squashed, the one is meant whose subject is quoted, if one is. A revert that is
itself reverted undoes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

__all__ = ["Commit", "How", "Revisions", "Takeback", "takebacks", "undone"]

How = Literal["by_revision", "by_subject"]

_BY_REVISION: Final = re.compile(r"\b[Tt]his reverts commit ([0-9a-f]{40,64})\b")
_BY_SUBJECT: Final = re.compile(r'(?:\w{1,30}: )?[Rr]evert "(.+)"(?:\s*\([^()\s]{1,100}\))?\s*\Z')
_SHORTEST: Final = 7
"""Digits of the shortest abbreviation of a revision."""


class Commit(NamedTuple):
    """`named` are revisions that it says it takes back, as its reader found them in the whole message."""

    revision: str
    subject: str
    text: str
    named: tuple[str, ...] = ()


class Takeback(NamedTuple):
    """`revert`, which stands, takes `target` back."""

    revert: str
    target: str
    how: How


class Revisions:
    """Known revisions, which may be written abbreviated."""

    def __init__(self, known: Iterable[str]) -> None:
        self._all = sorted(known)

    def whole(self, written: str) -> str | None:
        """The one revision that starts so."""
        at = bisect_left(self._all, written)
        found = [one for one in self._all[at : at + 2] if one.startswith(written)]
        return found[0] if len(found) == 1 and len(written) >= _SHORTEST else None


def undone(commits: Iterable[Commit]) -> frozenset[str]:
    """Revisions of the commits that a standing revert undoes.

    Reverts that name each other in a circle, which Git cannot make, are taken to stand.
    """
    return frozenset(found.target for found in takebacks(commits))


def takebacks(commits: Iterable[Commit]) -> Sequence[Takeback]:
    """What each revert that stands takes back, in the order of revisions."""
    known = {commit.revision: commit for commit in commits}
    taken_back = _taken_back(known)
    pending = Counter(target for targets in taken_back.values() for target in targets)
    standing = [revert for revert in taken_back if revert not in pending]
    fallen: set[str] = set()
    found: list[Takeback] = []
    while standing:
        revert = standing.pop()
        for target, how in taken_back.get(revert, {}).items():
            found.append(Takeback(revert, target, how))
            if target in fallen:
                continue
            fallen.add(target)
            for released in taken_back.get(target, ()):
                pending[released] -= 1
                if not pending[released] and released not in fallen:
                    standing.append(released)
    return sorted(found)


def _taken_back(known: Mapping[str, Commit]) -> dict[str, Mapping[str, How]]:
    """The revisions that each revert names, as far as they are known."""
    found: dict[str, Mapping[str, How]] = {}
    by_subject: dict[str, list[str]] = {}
    revisions = Revisions(known)
    for commit in known.values():
        by_subject.setdefault(commit.subject, []).append(commit.revision)
    for commit in known.values():
        targets: dict[str, How] = {}
        quoted = None
        for written in commit.named:
            if (whole := revisions.whole(written)) is not None:
                targets[whole] = "by_revision"
        if "evert" in commit.text or "evert" in commit.subject:
            for written in _BY_REVISION.findall(commit.text):
                if written in known:
                    targets[written] = "by_revision"
            quoted = _BY_SUBJECT.match(commit.subject)
            if not targets and quoted and len(same := by_subject.get(quoted[1], [])) == 1:
                targets[same[0]] = "by_subject"
        if len(targets) > 1 and quoted:
            meant: dict[str, How] = {
                name: how for name, how in targets.items() if known[name].subject.startswith(quoted[1])
            }
            targets = meant or targets
        if targets:
            found[commit.revision] = targets
    return found
