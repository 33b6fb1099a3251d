"""How well a statement is evidenced, by grade: named < declared < called < tested < run green after the last edit.

Presence only locates. For a plan counts what is dated after it, and what a commit that
implements it touched, whatever its date; a change of a file that it names shows nothing, and where it names symbols
shows only a change of these. For a claim only what it names as its commits, tags and results; for a
description of what is there, what is there. A commit that changed documentation alone, or was reverted, is a claim and
shows nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import IntEnum
from typing import Final, Literal, NamedTuple

from t2c.projections.base import Inputs
from t2c.projections.evidence.code import Code, leaf
from t2c.projections.evidence.naming import changes, names_in
from t2c.projections.facts import DECLARED, Fact, Facts
from t2c.projections.graph import Link
from t2c.projections.records.commits import instant

__all__ = [
    "CLAIMING",
    "Dated",
    "Grade",
    "Graded",
    "Item",
    "Stance",
    "code_of",
    "graded",
    "graded_of",
    "stance",
]

Dated = Literal["after", "before", "undated"]
Stance = Literal["plan", "claim", "description"]

CLAIMING: Final = ("changelog",)
"""Kinds of sources, beside the declared ones, whose records say that something was done."""


class Grade(IntEnum):
    """How strong one piece of evidence is; each grade says more than the one below it."""

    none = 0
    """It shows nothing: a claim, a documentation-only commit, a reverted one."""
    named = 1
    """Something names it: a document, the text of a commit, a setting."""
    declared = 2
    """It resolves to a symbol or a module that is declared."""
    called = 3
    """Other code, tests left out, uses it."""
    tested = 4
    """A test exercises it."""
    green = 5
    """A test that exercises it passed in a run after the last change of either."""


class Item(NamedTuple):
    """One piece of evidence; `relation` is None for what a commit touched. `at` is when it last changed or ran."""

    record: str
    relation: str | None
    grade: Grade
    at: str | None
    dated: Dated


class Graded(NamedTuple):
    """`grade` is that of what counts, `located` that of all, whatever its date. `items` has the strongest first;
    `showing` are those of them that count."""

    grade: Grade
    located: Grade
    planned_at: str | None
    items: tuple[Item, ...]
    showing: tuple[Item, ...] = ()


class _Found(NamedTuple):
    item: Item
    counts: bool


_CARRIES: Final = frozenset({"implements", "releases", "evidenced_by"})
"""Relations that bind what a statement says to what carries it out."""
_WRITES: Final = frozenset({"declares", "claimed_by", "contradicts", "supersedes", "depends_on", "blocks"})
"""Relations that are no evidence of anything done."""
_SAME: Final = frozenset({"plans", "same_as"})
"""Relations through which the evidence of one statement is that of another; of `plans`, from the task upwards."""
_WEAK: Final = frozenset({"documentation_only", "reverted"})


def stance(fact: Fact) -> Stance:
    """Whether a record wants something, says that it is done, or describes what is there.

    Prose in a document describes; it plans only as a requirement or a decision.
    """
    if fact.epistemic.cls == "plan":
        return "plan"
    if fact.epistemic.cls == "claim":
        return "claim"
    if fact.source.kind == "document" and fact.statement.kind.startswith("documentation_"):
        return "description"
    return "plan"


def graded(facts: Facts, first: Mapping[str, str]) -> Mapping[str, Graded]:
    """The evidence of each record that declares or claims, commits left out, by id.

    `first` says when the ledger first saw a record, for those without a date of their own. The result depends on no
    order and on no line; taking evidence away raises no grade.
    """
    return _Grader(facts, first, Code(facts)).all()


def graded_of(inputs: Inputs) -> Mapping[str, Graded]:
    """`graded` of the folded states, made once for all views; without the state of `timeline` nothing is first seen."""
    found = inputs.made.get("evidence")
    if not isinstance(found, dict):
        seen = getattr(inputs.states.get("timeline"), "first", None)
        found = _Grader(Facts.of(inputs), seen if isinstance(seen, Mapping) else {}, code_of(inputs)).all()
        inputs.made["evidence"] = found
    return found


def code_of(inputs: Inputs) -> Code:
    """What the graph says of code, made once for all views."""
    found = inputs.made.get("code")
    if not isinstance(found, Code):
        found = inputs.made["code"] = Code(Facts.of(inputs))
    return found


class _Grader:
    def __init__(self, facts: Facts, first: Mapping[str, str], code: Code) -> None:
        self._facts = facts
        self._first = first
        self._code = code
        self._planned: dict[str, str | None] = {}

    def all(self) -> dict[str, Graded]:
        wanted = list(self._facts.of_kind(*DECLARED, *CLAIMING))
        direct = {fact.id: self._direct(fact) for fact in wanted}
        return {
            fact.id: self._summed(fact, (*direct[fact.id], *self._inherited(fact, direct))) for fact in wanted
        }

    def _summed(self, fact: Fact, found: Iterable[_Found]) -> Graded:
        best: dict[str, _Found] = {}
        for one in found:
            known = best.get(one.item.record)
            if known is None or _strength(one) > _strength(known):
                best[one.item.record] = one
        ordered = sorted(best.values(), key=_order)
        showing = tuple(one.item for one in ordered if one.counts and one.item.grade is not Grade.none)
        return Graded(
            grade=max((item.grade for item in showing), default=Grade.none),
            located=max((one.item.grade for one in ordered), default=Grade.none),
            planned_at=self._planned_at(fact),
            items=tuple(one.item for one in ordered),
            showing=showing,
        )

    def _inherited(self, fact: Fact, direct: Mapping[str, list[_Found]]) -> Iterator[_Found]:
        """What the tasks that are meant to fulfil it, and records of the same thing, have for evidence."""
        for link, other in self._facts.neighbours(fact.id):
            if link.relation.type in _SAME and other.id in direct:
                upwards = link.relation.type == "same_as" or link.relation.to == fact.id
                if upwards:
                    yield from direct[other.id]

    def _direct(self, fact: Fact) -> list[_Found]:
        around = self._facts.around(fact.id)
        if not around:
            return []
        wants, planned = stance(fact), instant(self._planned_at(fact))
        found: list[_Found] = []
        for link, other in self._facts.neighbours(fact.id):
            if link.relation.type in _WRITES or other.id == fact.id:
                continue
            for one in self._from(fact, link, other, wants, planned):
                # As long as a comment asks for something, that the code around it changed shows nothing done.
                carried = link.relation.type in _CARRIES or fact.statement.kind != "comment_marker"
                found.append(one if carried else one._replace(counts=False))
        return found

    def _from(
        self, fact: Fact, link: Link, other: Fact, wants: Stance, planned: datetime | None
    ) -> Iterator[_Found]:
        relation = link.relation
        match other.source.kind:
            case "git":
                yield from self._of_commit(fact, link, other, wants, planned)
            case "ast" if wants == "plan":
                yield from self._of_named(fact, link, other, planned)
            case "ast":
                at = self._code.changed_at(other.id)
                item = Item(other.id, relation.id, self._of_code(other), at, _dated(at, planned))
                yield _Found(item, wants == "description")
            case "test":
                at = self._code.ran_at(other)
                dated = _dated(at, planned)
                grade = self._of_result(other)
                carries = relation.type in _CARRIES
                counts = carries if wants == "claim" else dated == "after" or wants == "description"
                yield _Found(Item(other.id, relation.id, grade, at, dated), counts)
            case "system":
                at = other.observedAt
                dated = _dated(at, planned)
                counts = wants == "description" or (wants == "plan" and dated == "after")
                yield _Found(Item(other.id, relation.id, Grade.named, at, dated), counts)
            case _ if other.statement.kind == "trace_tag" and relation.type in _CARRIES:
                yield self._of_tag(link, other, planned)
            case _ if stance(other) != "claim":
                # What somebody else wrote names the same thing; no statement shows another one done.
                yield _Found(Item(other.id, relation.id, Grade.named, other.observedAt, "undated"), False)
            case _:
                yield _Found(Item(other.id, relation.id, Grade.none, other.observedAt, "undated"), False)

    def _of_named(self, fact: Fact, link: Link, other: Fact, planned: datetime | None) -> Iterator[_Found]:
        """Code that a plan names: what was meant to change, not the file in which it stands."""
        named = names_in(fact)
        if other.statement.kind != "module_fact":
            meant = not named or leaf(other.source.symbol or "") in {leaf(name) for name in named}
            yield self._changed(other, link, planned, meant=meant)
            return
        yield self._changed(other, link, planned, meant=False)
        for name in sorted(named):
            for place in self._code.meant_in(other.source.path or "", name):
                yield self._changed(self._facts.records[place], link, planned, meant=True)

    def _changed(self, code: Fact, link: Link, planned: datetime | None, *, meant: bool) -> _Found:
        at = self._code.changed_within(code)
        dated = _dated(at, planned)
        item = Item(code.id, link.relation.id, self._of_code(code), at, dated)
        return _Found(item, meant and dated == "after")

    def _of_commit(
        self, fact: Fact, link: Link, commit: Fact, wants: Stance, planned: datetime | None
    ) -> Iterator[_Found]:
        at = self._code.committed_at(commit)
        dated = _dated(at, planned)
        relation = link.relation
        if commit.statement.kind == "git_tag_fact":
            yield _Found(
                Item(commit.id, relation.id, Grade.named, at, dated), relation.type == "evidenced_by"
            )
            return
        if (
            commit.metadata.docOnly is True
            or commit.id in self._code.reverted
            or not _WEAK.isdisjoint(relation.basis)
        ):
            yield _Found(Item(commit.id, relation.id, Grade.none, at, dated), False)
            return
        carries = relation.type in _CARRIES
        counts = carries or (wants == "plan" and dated == "after" and changes(commit, names_in(fact)))
        yield _Found(Item(commit.id, relation.id, Grade.named, at, dated), counts)
        if carries:
            for touched in self._code.touched(commit):
                grade = self._of_code(self._facts.records[touched])
                yield _Found(Item(touched, None, grade, at, dated), True)

    def _of_tag(self, link: Link, tag: Fact, planned: datetime | None) -> _Found:
        """A tag in the code that says which requirement the code around it covers."""
        path = tag.source.path or ""
        places = [
            place for name in tag.statement.target.symbols for place in self._code.declared_in(path, name)
        ]
        at = max(filter(None, map(self._code.changed_at, places)), key=instant, default=None)  # type: ignore[arg-type]
        if tag.statement.action == "test":
            grade = Grade.tested
        elif places:
            grade = max(self._of_code(self._facts.records[place]) for place in places)
        else:
            grade = Grade.declared if path in self._code.modules else Grade.named
        return _Found(Item(tag.id, link.relation.id, grade, at, _dated(at, planned)), True)

    def _of_result(self, result: Fact) -> Grade:
        if result.lifecycle.status != "verified":
            return Grade.none
        if result.statement.kind != "test_result":
            return Grade.named
        return Grade.green if self._code.is_fresh(result) else Grade.tested

    def _of_code(self, fact: Fact) -> Grade:
        if fact.statement.action != "declare":
            return Grade.named
        if self._code.is_green(fact.id):
            return Grade.green
        if self._code.is_tested(fact.id):
            return Grade.tested
        return Grade.called if self._code.is_called(fact) else Grade.declared

    def _planned_at(self, fact: Fact) -> str | None:
        """When a statement was made: by the commit that wrote it, else by itself, or when the ledger saw it first, if that
        was earlier: a task may be committed only with what carries it out."""
        if fact.id not in self._planned:
            told, seen = self._written_at(fact) or fact.observedAt, self._first.get(fact.id)
            at, first = instant(told), instant(seen)
            earlier = told is None or (at is not None and first is not None and first < at)
            self._planned[fact.id] = seen if earlier else told
        return self._planned[fact.id]

    def _written_at(self, fact: Fact) -> str | None:
        written = [
            at
            for link, other in self._facts.neighbours(fact.id)
            if link.relation.type == "declares"
            and link.relation.to == fact.id
            and other.source.kind == "git"
            and (at := self._code.committed_at(other)) is not None
        ]
        return min(
            written, key=lambda at: (instant(at) is None, instant(at) or datetime.max, at), default=None
        )


def _dated(at: str | None, planned: datetime | None) -> Dated:
    when = instant(at)
    if when is None or planned is None:
        return "undated"
    return "after" if when > planned else "before"


def _strength(found: _Found) -> tuple[bool, int, str]:
    return found.counts, found.item.grade, found.item.relation or ""


def _order(found: _Found) -> tuple[int, bool, str]:
    return -found.item.grade, not found.counts, found.item.record
