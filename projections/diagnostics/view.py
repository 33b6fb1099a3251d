"""What every rule looks at, made once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import Final

from t2c.projections.base import Inputs
from t2c.projections.diagnostics.aside import Aside, is_put_over
from t2c.projections.diagnostics.predicates import Details, details, is_dropped, is_pending, is_sample
from t2c.projections.diagnostics.state import Diagnosed
from t2c.projections.evidence import Graded, code_of, graded_of
from t2c.projections.evidence.code import Code
from t2c.projections.facts import Fact, Facts

__all__ = ["View"]

_PARTIAL_HISTORY: Final = frozenset(
    {"older_commits", "shallow_history", "git_missing", "git_failed", "partial_clone"}
)


class View:
    """Records, relations, grades, the raw bytes of records, and what is remembered of the past."""

    def __init__(
        self,
        facts: Facts,
        grades: Mapping[str, Graded],
        code: Code,
        raw: Mapping[str, bytes],
        state: Diagnosed,
    ) -> None:
        self.facts = facts
        self.code = code
        self.grades = grades
        self.state = state
        self.raw = raw
        self._details: dict[str, Details] = {}

    @classmethod
    def of(cls, inputs: Inputs, state: Diagnosed) -> View:
        """That of the folded states."""
        return cls(Facts.of(inputs), graded_of(inputs), code_of(inputs), inputs.states["records"].live, state)

    @cached_property
    def _by_kind(self) -> Mapping[str, Sequence[Fact]]:
        found: dict[str, list[Fact]] = {}
        for fact in self.facts.records.values():
            found.setdefault(fact.source.kind, []).append(fact)
        return found

    def of_kind(self, *sources: str) -> Iterator[Fact]:
        """The records of these kinds of source, one kind after another, each in the order of ids."""
        return chain.from_iterable(self._by_kind.get(source, ()) for source in sources)

    @cached_property
    def commits(self) -> tuple[Fact, ...]:
        """All commits, the newest first."""
        found = (fact for fact in self.of_kind("git") if fact.statement.kind == "commit_intent_claim")
        return tuple(sorted(found, key=lambda commit: (commit.source.commitIndex or 0, commit.id)))

    @cached_property
    def has_whole_history(self) -> bool:
        """Whether every commit was read, so that what is not among them is nowhere."""
        reasons = {omission.reason for omission in self.state.omissions.values()}
        return bool(self.commits) and reasons.isdisjoint(_PARTIAL_HISTORY)

    @cached_property
    def open_plans(self) -> tuple[Fact, ...]:
        """Plans to be carried out, samples and templates left out, in the order of ids."""
        return tuple(
            fact
            for fact in self.of_kind("nl", "todo", "document")
            if self.is_pending(fact)
            and not is_sample(fact.source.path)
            and self.details(fact).sample is not True
        )

    def is_pending(self, fact: Fact) -> bool:
        """A plan that somebody means to carry out and that is neither done nor dropped."""
        return is_pending(fact) and not self.is_dropped(fact)

    def is_dropped(self, fact: Fact) -> bool:
        """A plan that is marked as dropped, or put aside or closed by what is written over it."""
        return is_dropped(fact, self.details(fact)) or (
            is_put_over(fact) and self._aside.holds(fact.source.path)
        )

    @cached_property
    def _aside(self) -> Aside:
        return Aside.of(self.of_kind("document"), self.of_kind("todo", "document"))

    def details(self, fact: Fact) -> Details:
        """What is read of a record beyond what all views read."""
        found = self._details.get(fact.id)
        if found is None:
            found = self._details[fact.id] = details(self.raw.get(fact.id))
        return found
