"""What the graph says of code: when it changed, who uses it, which tests exercise it, whether they passed since.

Read once from the relations, for every view that grades evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Final

from t2c.projections.facts import Fact, Facts
from t2c.projections.records.commits import instant

__all__ = ["MAX_TOUCHED", "Code", "leaf", "strings"]

MAX_TOUCHED: Final = 24
"""Modules that one commit is taken to touch where its definitions are unknown; a larger one says nothing of each."""


def leaf(name: str) -> str:
    """The last part of a qualified name."""
    return name.rpartition(".")[2]


def strings(value: object) -> tuple[str, ...]:
    """The texts of a free-form list; none of anything else."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


class Code:
    """Indexes over one graph. A symbol, a module and a test are named by the id of their record."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self.modules: dict[str, str] = {}
        """File → its module."""
        self.test_paths: set[str] = set()
        self.reverted: set[str] = set()
        """Commits that a later one took back."""
        self._in_file: dict[str, dict[str, list[str]]] = {}
        self._revisions: dict[str, str] = {}
        self._changed: dict[str, str] = {}
        self._uses: dict[str, set[str]] = {}
        self._imported: set[str] = set()
        self._tests: dict[str, list[str]] = {}
        self._results: dict[str, list[Fact]] = {}
        self._called_inside: dict[str, dict[str, set[str]]] = {}
        self._green: dict[str, bool] = {}
        self._files: dict[str, set[str]] = {}
        self._members: dict[tuple[str, str], set[str]] | None = None
        self._written: dict[str, str] | None = None
        self._read_records()
        self._read_relations()

    def _read_records(self) -> None:
        for fact in self._facts.records.values():
            kind, path = fact.source.kind, fact.source.path
            if kind == "ast" and path is not None and fact.statement.action == "declare":
                if fact.statement.kind == "module_fact":
                    self.modules[path] = fact.id
                    if fact.metadata.test is True:
                        self.test_paths.add(path)
                elif fact.source.symbol is not None:
                    names = self._in_file.setdefault(path, {})
                    for name in {fact.source.symbol, leaf(fact.source.symbol)}:
                        names.setdefault(name, []).append(fact.id)
                    for called in strings(fact.metadata.calls):
                        users = self._called_inside.setdefault(path, {}).setdefault(leaf(called), set())
                        users.add(fact.id)
            elif kind == "git" and fact.source.revision is not None:
                self._revisions.setdefault(fact.source.revision, fact.id)

    def _read_relations(self) -> None:
        for link in self._facts.relations:
            relation = link.relation
            source, target = self._facts.records[relation.source], self._facts.records[relation.to]
            match relation.type:
                case "modifies" if source.source.kind == "git":
                    self._note_change(target.id, self.committed_at(source))
                case "supersedes" if source.source.kind == target.source.kind == "git":
                    self.reverted.add(target.id)
                case "depends_on" if source.source.kind == target.source.kind == "ast":
                    if not self.is_test(source):
                        self._imported.add(target.id)
                        uses = self._uses.setdefault(target.source.path or "", set())
                        for signal in link.signals:
                            if signal.name == "uses":
                                uses.update(leaf(name) for name in signal.value.replace(",", " ").split())
                case "tests" if source.source.kind == "ast":
                    self._tests.setdefault(target.id, []).append(source.id)
                case "tests" | "evidenced_by" if source.source.kind == "test":
                    if source.statement.kind == "test_result":
                        self._results.setdefault(target.id, []).append(source)

    def _note_change(self, identity: str, at: str | None) -> None:
        when = instant(at)
        known = self._changed.get(identity)
        if at is not None and when is not None and (known is None or when > (instant(known) or when)):
            self._changed[identity] = at

    def is_test(self, fact: Fact) -> bool:
        """A test, or anything else in a file of tests."""
        return fact.metadata.test is True or fact.source.path in self.test_paths

    def committed_at(self, commit: Fact) -> str | None:
        """When a commit was made; for a tag, when it was set."""
        at = commit.metadata.committedAt
        return at if isinstance(at, str) else commit.observedAt

    def changed_at(self, identity: str) -> str | None:
        """When the last known commit changed a symbol or a module."""
        return self._changed.get(identity)

    def changed_within(self, fact: Fact) -> str | None:
        """When the last known commit changed a symbol or a member of it; a module, as a whole."""
        symbol, path = fact.source.symbol, fact.source.path
        if self._members is None:
            self._members = {}
            for place, names in self._in_file.items():
                for name, identities in names.items():
                    if "." in name:
                        self._members.setdefault((place, name.rpartition(".")[0]), set()).update(identities)
        found = {fact.id}
        if symbol is not None and fact.statement.kind != "module_fact":
            found |= self._members.get((path or "", symbol), set())
        changes = [
            (when, at) for one in found if (when := instant(at := self._changed.get(one))) is not None and at
        ]
        return max(changes)[1] if changes else None

    def meant_in(self, path: str, name: str) -> Iterable[str]:
        """The symbols of a file that a written name means: the whole of it, or without the modules it begins with."""
        parts = name.split(".")
        names = self._in_file.get(path, {})
        for start in range(max(1, len(parts) - 1)):
            if (found := names.get(".".join(parts[start:]))) is not None:
                return found
        stem = path.rpartition("/")[2].partition(".")[0]
        return names.get(parts[-1], ()) if len(parts) > 1 and parts[-2] == stem else ()

    def ran_at(self, result: Fact) -> str | None:
        """When a test ran: as the report says, else when the commit that it names was made."""
        if result.observedAt is not None:
            return result.observedAt
        revision = result.metadata.commit
        commit = self._revisions.get(revision) if isinstance(revision, str) else None
        return None if commit is None else self.committed_at(self._facts.records[commit])

    def touched(self, commit: Fact) -> Iterator[str]:
        """Symbols and modules, tests left out, that a commit changed and that are still there."""
        found: set[str] = {
            link.relation.to
            for link in self._facts.around(commit.id)
            if link.relation.type == "modifies" and link.relation.source == commit.id
        }
        diff = commit.metadata.diff
        definitions = strings(diff.get("symbols") if isinstance(diff, Mapping) else None)
        for definition in definitions:
            path, _, name = definition.partition("::")
            found.update(self.declared_in(path, name.replace("::", ".")))
        paths = commit.statement.target.paths
        if not definitions and len(paths) <= MAX_TOUCHED:
            found.update(self.modules[path] for path in paths if path in self.modules)
        return (identity for identity in sorted(found) if not self.is_test(self._facts.records[identity]))

    def declared_in(self, path: str, name: str) -> Iterable[str]:
        """The symbols of a file that bear a name, qualified or not."""
        return self._in_file.get(path, {}).get(name, ())

    def files_declaring(self, name: str) -> frozenset[str]:
        """The files that declare a name, qualified or not."""
        if not self._files:
            for path, names in self._in_file.items():
                for one in names:
                    self._files.setdefault(one, set()).add(path)
        return frozenset(self._files.get(name, ()))

    def is_called(self, fact: Fact) -> bool:
        """Whether code that is no test uses it: another module, or another symbol of its own."""
        if fact.statement.kind == "module_fact":
            return fact.id in self._imported
        path, name = fact.source.path or "", leaf(fact.source.symbol or "")
        if name in self._uses.get(path, ()):
            return True
        if path in self.test_paths:
            return False
        users = self._called_inside.get(path, {}).get(name, set())
        return any(user != fact.id and not self.is_test(self._facts.records[user]) for user in users)

    def is_tested(self, identity: str) -> bool:
        """Whether a test exercises it."""
        return bool(self._tests.get(identity))

    def tests_of(self, identity: str) -> Iterable[str]:
        """The tests that exercise it."""
        return self._tests.get(identity, ())

    def is_green(self, identity: str) -> bool:
        """Whether a test of it passed in a run after the last change of both, and has not failed since."""
        found = self._green.get(identity)
        if found is None:
            found = self._green[identity] = any(
                self._passed_since(test, identity) for test in self.tests_of(identity)
            )
        return found

    def is_fresh(self, result: Fact) -> bool:
        """Whether a passing result is of a known test that has not changed since it ran."""
        at = instant(self.ran_at(result))
        edits = [
            instant(self._edited_at(link.relation.to))
            for link in self._facts.around(result.id)
            if link.relation.type in ("tests", "evidenced_by") and link.relation.source == result.id
        ]
        return at is not None and any(edit is not None and at >= edit for edit in edits)

    def last_pass(self, test: str) -> datetime | None:
        """The last run in which a test passed."""
        return max((at for at, passed in self._ran(test) if passed), default=None)

    def _edited_at(self, identity: str) -> str | None:
        """When it last changed, at the latest: of what is in a file of tests only the changes of the file are known."""
        known = self._changed.get(identity)
        if known is not None:
            return known
        if self._written is None:
            self._written = self._edits()
        return self._written.get(self._facts.records[identity].source.path or "")

    def _edits(self) -> dict[str, str]:
        """File → the last known commit that changed it."""
        found: dict[str, tuple[datetime, str]] = {}
        for commit in self._facts.of_kind("git"):
            at = self.committed_at(commit)
            when = instant(at)
            if at is None or when is None or commit.statement.kind == "git_tag_fact":
                continue
            for path in commit.statement.target.paths:
                found[path] = max(found.get(path, (when, at)), (when, at))
        return {path: at for path, (_, at) in found.items()}

    def _passed_since(self, test: str, identity: str) -> bool:
        edits = (instant(self._edited_at(identity)), instant(self._edited_at(test)))
        last = self.last_pass(test)
        if last is None or any(edit is None or last < edit for edit in edits):
            return False
        return not any(at >= last for at, passed in self._ran(test) if not passed)

    def _ran(self, test: str) -> Iterator[tuple[datetime, bool]]:
        for result in self._results.get(test, ()):
            at = instant(self.ran_at(result))
            if at is not None and result.lifecycle.status in ("verified", "blocked"):
                yield at, result.lifecycle.status == "verified"
