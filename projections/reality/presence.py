"""Topics that are filed under a path where nothing is: nobody wrote the file yet, or it was deleted or renamed.

What relates to other files does not stand there, and a commit alone shows nothing of a file that is gone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from t2c.projections.evidence import Grade, Graded
from t2c.projections.facts import Fact
from t2c.projections.reality.status import is_plan
from t2c.projections.topics import Topic, Topics

__all__ = ["carried_out", "missing"]

_PATTERN: Final = frozenset("*?<{[")
"""Marks of a path that stands for several files."""


class _Changed(msgspec.Struct, frozen=True, gc=False):
    path: str
    status: str
    previousPath: str | None = None


class _Changes(msgspec.Struct, frozen=True, gc=False):
    changedFiles: tuple[_Changed, ...] = ()


class _Commit(msgspec.Struct, frozen=True, gc=False):
    metadata: _Changes


_decode = msgspec.json.Decoder(_Commit).decode


def missing(topics: Topics) -> frozenset[str]:
    """The keys of topics whose path is no file and no folder: the newest commit that speaks of it took it away, or none does."""
    folders: set[str] = set()
    for path in topics.files:
        folders.update(_above(path))
    wanted = {
        path
        for path in (key.removeprefix("path:") for key in topics.by_key if key.startswith("path:"))
        if path not in topics.files and path.rstrip("/") not in folders and _PATTERN.isdisjoint(path)
    }
    there = _kept(topics, wanted) if wanted else set()
    return frozenset(f"path:{path}" for path in wanted - there)


def carried_out(topic: Topic, topics: Topics, graded: Mapping[str, Graded]) -> frozenset[str]:
    """What shows the plans of a topic done wherever it stands now: the code that was written for them, and its commits.

    A plan to take something away is shown by its commits alone.
    """
    found: set[str] = set()
    for one in topic.members:
        fact = topics.facts.records[one]
        if one not in graded or graded[one].grade is Grade.none or not is_plan(fact):
            continue
        items = [item for item in graded[one].items if item.grade > Grade.none]
        touched = {item.record for item in items if item.relation is None}
        if touched or fact.statement.action == "remove":
            commits = (item.record for item in items if _is_commit(topics.facts.records[item.record]))
            found.update(touched, commits)
    return frozenset(found)


def _kept(topics: Topics, wanted: set[str]) -> set[str]:
    """Of these paths those that the newest commit that speaks of them left there, as a file or as a folder."""
    kept: set[str] = set()
    settled: set[str] = set()
    commits = [fact for fact in topics.facts.of_kind("git") if _is_commit(fact)]
    for commit in sorted(commits, key=lambda one: (one.source.commitIndex or 0, one.id)):
        for path, stays in _touched(commit, topics.raw.get(commit.id)):
            if path not in settled:
                settled.add(path)
                if stays:
                    kept.update(one for one in (path, *_above(path), *_above(path, "/")) if one in wanted)
    return kept


def _touched(commit: Fact, raw: bytes | None) -> Iterator[tuple[str, bool]]:
    """Each path that a commit speaks of, and whether it left something there."""
    try:
        changed = () if raw is None else _decode(raw).metadata.changedFiles
    except msgspec.DecodeError:
        changed = ()
    if not changed:
        yield from ((path, True) for path in commit.statement.target.paths)
    for one in changed:
        yield one.path, not one.status.startswith("D")
    for one in changed:
        if one.previousPath is not None and one.status.startswith("R"):
            yield one.previousPath, False


def _above(path: str, end: str = "") -> Iterator[str]:
    """The folders that a file is in, the innermost first."""
    folder = path.rpartition("/")[0]
    while folder:
        yield folder + end
        folder = folder.rpartition("/")[0]


def _is_commit(fact: Fact) -> bool:
    return fact.source.kind == "git" and fact.statement.kind == "commit_intent_claim"
