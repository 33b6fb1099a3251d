"""What came to be there since a plan was recorded: only that can show that the plan was carried out.

A commit is new where no record of it stood before and it is no rewritten form of one that stood; one that changed no
code shows nothing. Code is new where a new commit changed it, whatever became of the line that it stands on. A stub
declares what is elsewhere and shows nothing done, unless stubs are all that is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final

import msgspec

from t2c.projections.diagnostics.predicates import telling
from t2c.projections.diagnostics.seen import SeenCommits
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Item
from t2c.projections.evidence.code import leaf, strings
from t2c.projections.evidence.naming import names_in
from t2c.projections.facts import Fact

__all__ = ["Since"]

_decode = msgspec.json.Decoder(Fact).decode
_plain = msgspec.json.Decoder(dict[str, Any]).decode
_encode = msgspec.json.Encoder(order="deterministic").encode
_STUB: Final = ".pyi"
_SHARED: Final = 2
"""Telling words that an entry and a commit have in common by no accident."""
_SHOWN: Final = 3
"""Pieces of evidence that are named, the strongest."""


class Since:
    """What is new in `view`, where `former` are the records that stood before, by id."""

    def __init__(self, view: View, former: Mapping[str, bytes]) -> None:
        self.view = view
        self._former = former

    @cached_property
    def commits(self) -> Mapping[str, Fact]:
        """The new commits that changed more than documentation and were not taken back, by id."""
        former = [commit for raw in self._gone_commits() if (commit := _read(raw)) is not None]
        rewritten = {_change(commit) for commit in former}
        return {
            commit.id: commit
            for commit in self.view.commits
            if commit.id not in self._former
            and commit.metadata.docOnly is not True
            and commit.id not in self.view.code.reverted
            and _change(commit) not in rewritten
        }

    def _gone_commits(self) -> Iterator[bytes]:
        """The commits that stood and do not now, as after a rebase."""
        standing = self.view.facts.records
        for identity, raw in self._former.items():
            if identity.startswith("INT-GIT-") and identity not in standing:
                yield raw

    @cached_property
    def _changed(self) -> frozenset[str]:
        """The code that a new commit changed."""
        found: set[str] = set()
        for commit in self.commits.values():
            found.update(self.view.code.touched(commit))
            for link, other in self.view.facts.neighbours(commit.id):
                if link.relation.type == "modifies" and other.source.kind == "ast":
                    found.add(other.id)
        return frozenset(found)

    @cached_property
    def _members(self) -> frozenset[tuple[str, str]]:
        """File and name of everything of which a new commit changed a part."""
        found: set[tuple[str, str]] = set()
        for identity in self._changed:
            source = self.view.facts.records[identity].source
            above = source.symbol or ""
            while above := above.rpartition(".")[0]:
                found.add((source.path or "", above))
        return frozenset(found)

    @cached_property
    def _changes_of(self) -> Mapping[str, Collection[str]]:
        """Code → the new commits that changed it, or a part of it."""
        found: dict[str, set[str]] = {}
        for commit in self.commits.values():
            changed = set(self.view.code.touched(commit))
            changed.update(
                other.id
                for link, other in self.view.facts.neighbours(commit.id)
                if link.relation.type == "modifies"
            )
            for identity in changed:
                found.setdefault(identity, set()).add(commit.id)
        return found

    def shows(self, item: Item, files: Collection[str]) -> bool:
        """Whether a piece of evidence is new. A commit that only says so must have changed code, or one of `files`."""
        fact = self.view.facts.records[item.record]
        if fact.statement.kind == "commit_intent_claim":
            return self.is_work(fact, files)
        if fact.source.kind == "git":
            return False  # a tag marks what is there already
        if fact.source.kind == "ast" and fact.statement.kind != "trace_tag":
            return (
                fact.id in self._changed
                or (fact.source.path or "", fact.source.symbol or "") in self._members
            )
        return self._former.get(fact.id) != self.view.raw.get(fact.id)

    def is_work(self, commit: Fact, files: Collection[str]) -> bool:
        """Whether a commit is new and changed code, or one of `files`."""
        return commit.id in self.commits and any(
            path in self.view.code.modules or path in files for path in commit.statement.target.paths
        )

    def is_stub(self, item: Item) -> bool:
        """Whether it is a declaration without what it declares."""
        return (self.view.facts.records[item.record].source.path or "").endswith(_STUB)

    def is_within(self, item: Item, files: Collection[str]) -> bool:
        """Whether it stands in one of `files`, or is or comes from a new commit that changed one of them."""
        fact = self.view.facts.records[item.record]
        if fact.source.path in files and fact.source.kind != "git":
            return not self.is_stub(item) or all(path.endswith(_STUB) for path in files)
        if self.is_stub(item):
            return False
        commits = (fact.id,) if fact.source.kind == "git" else self._changes_of.get(fact.id, ())
        return any(
            path in files
            for one in commits
            if one in self.commits
            for path in self.commits[one].statement.target.paths
        )

    def uncommitted(self, fact: Fact, items: Iterable[Item]) -> list[Fact]:
        """The code that a statement names which came or was changed since and which no commit holds so, by place."""
        names = {leaf(name) for name in names_in(fact)}
        found = [
            code
            for item in items
            if (code := self.view.facts.records[item.record]).source.kind == "ast"
            and code.statement.kind not in ("module_fact", "trace_tag")
            and leaf(code.source.symbol or "") in names
            and code.id not in self._changed
            and (code.source.path or "", code.source.symbol or "") not in self._members
            and code.source.path not in self._coarsely
            and self._is_edited(code)
        ]
        return sorted({code.id: code for code in found}.values(), key=lambda code: (code.where, code.id))

    def _is_edited(self, code: Fact) -> bool:
        """Whether code is not as it was before, wherever it stood then; new code, only where no commit holds it."""
        former = self._former.get(code.id)
        if former is None:
            return self.view.code.changed_within(code) is None
        return _form(former) != _form(self.view.raw[code.id])

    @cached_property
    def _coarsely(self) -> frozenset[str]:
        """The files of new commits of which it is not known what they changed in them."""
        return frozenset(
            path
            for commit in self.commits.values()
            if not (
                isinstance(commit.metadata.diff, Mapping) and strings(commit.metadata.diff.get("symbols"))
            )
            for path in commit.statement.target.paths
        )

    def explaining(self, fact: Fact, files: Collection[str]) -> list[Fact]:
        """The new commits that share a name, a path or telling words with an entry of a changelog, by place."""
        target = fact.statement.target
        words, names = telling(fact.statement.text), {leaf(name) for name in names_in(fact)}
        found = []
        for commit in self.commits.values():
            read = self._seen.of(commit.source.revision or "")
            if self.is_work(commit, files) and (
                not read.paths.isdisjoint(target.paths)
                or not read.names.isdisjoint(names)
                or len(read.own & words) >= _SHARED
            ):
                found.append(commit)
        return sorted(found, key=lambda commit: (commit.where, commit.id))

    @cached_property
    def _seen(self) -> SeenCommits:
        return SeenCommits(self.view)

    def told(self, items: Iterable[Item]) -> str:
        """Where new evidence stands, the strongest first, each with its grade."""
        found: dict[str, str] = {}
        for item in items:
            fact = self.view.facts.records[item.record]
            name = f"commit {fact.where}" if fact.source.kind == "git" else fact.where
            if fact.source.kind == "ast" and fact.source.symbol:
                name += f" {fact.source.symbol}"
            found.setdefault(name, item.grade.name)
        named = [f"{name} ({grade})" for name, grade in list(found.items())[:_SHOWN]]
        more = len(found) - len(named)
        return ", ".join(named) + (f" and {more} more" if more else "")


def _read(raw: bytes) -> Fact | None:
    try:
        return _decode(raw)
    except msgspec.DecodeError:
        return None


def _form(raw: bytes) -> object:
    """What is recorded of code but where it stands and who read it."""
    record = _plain(raw)
    source, metadata = record["source"], dict(record["metadata"])
    for name in ("anchor", "generation"):
        metadata.pop(name, None)
    lines = source["lines"]
    return source["rawExcerpt"], metadata, lines and lines["end"] - lines["start"]


def _change(commit: Fact) -> bytes:
    """What a commit says and changes, which a rebase does not change."""
    diff = commit.metadata.diff if isinstance(commit.metadata.diff, Mapping) else None
    return _encode([commit.statement.text, sorted(commit.statement.target.paths), diff])
