"""What goes into a brief and what does not: the same choice for the same fold, the gravest and least code first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import chain, islice
from typing import Final, NamedTuple

from t2c.projections.diagnostics.predicates import is_public
from t2c.projections.facts import Fact, Facts
from t2c.projections.findings.model import Shown as Finding
from t2c.projections.graph import Link

__all__ = ["Limits", "chosen_diagnostics", "chosen_relations", "summary_records", "task_records"]

_ORDER: Final = ("nl", "agent_log", "todo", "changelog", "document", "test", "system", "git")
"""Kinds of sources that are no code, those first of which there are few and which say most."""
_GROUNDS: Final = 2
"""Records by which each diagnostic is certain to be shown, so that it can be cited."""


class Limits(NamedTuple):
    """How much of each a brief holds at most; `todos` of the records are items of TODO lists that nothing cites."""

    records: int
    relations: int
    diagnostics: int
    todos: int = 0


def summary_records(facts: Facts, diagnostics: Sequence[Finding], limits: Limits) -> list[Fact]:
    """What the diagnostics rest on, then what is no code, then modules, then code that is related or public."""
    code = list(facts.of_kind("ast"))
    modules = [fact for fact in code if fact.statement.kind == "module_fact"]
    others = (fact for fact in code if is_public(fact) or facts.around(fact.id))
    return _first(limits.records, _grounds(facts, diagnostics), _without_code(facts), modules, others)


def task_records(facts: Facts, diagnostics: Sequence[Finding], limits: Limits) -> list[Fact]:
    """What the diagnostics rest on, the open items of TODO lists, and all else that the diagnostics cite."""
    todos = sorted(facts.of_kind("todo"), key=_place)
    cited = (
        facts.records[identity]
        for one in diagnostics
        for identity in one.recordIds
        if identity in facts.records
    )
    return _first(limits.records, _grounds(facts, diagnostics), todos[: limits.todos], cited)


def chosen_diagnostics(
    diagnostics: Sequence[Finding], shown: AbstractSet[str]
) -> list[tuple[Finding, tuple[str, ...]]]:
    """The diagnostics with those of their records that are shown; one without any could not be cited."""
    found = [(one, tuple(identity for identity in one.recordIds if identity in shown)) for one in diagnostics]
    return [(one, records) for one, records in found if records]


def chosen_relations(facts: Facts, shown: AbstractSet[str], limits: Limits) -> list[Link]:
    """Relations between what is shown, the surest first."""
    found = [link for link in facts.relations if link.relation.source in shown and link.relation.to in shown]
    found.sort(key=lambda link: (-link.relation.confidence, link.relation.id))
    return found[: limits.relations]


def _grounds(facts: Facts, diagnostics: Iterable[Finding]) -> Iterator[Fact]:
    for one in diagnostics:
        places = [place.record for place in one.places[:_GROUNDS]] or list(one.recordIds[:_GROUNDS])
        for identity in places:
            if identity in facts.records:
                yield facts.records[identity]


def _without_code(facts: Facts) -> Iterator[Fact]:
    for kind in _ORDER:
        yield from sorted(facts.of_kind(kind), key=_place)


def _place(fact: Fact) -> tuple[int, str, int, str]:
    """Commits from the newest, all else in the order of reading."""
    lines = fact.source.lines
    return fact.source.commitIndex or 0, fact.source.path or "", 0 if lines is None else lines.start, fact.id


def _first(most: int, *tiers: Iterable[Fact]) -> list[Fact]:
    """The first records of the tiers, each once."""
    once = {fact.id: fact for fact in islice(_fresh(chain.from_iterable(tiers)), most)}
    return list(once.values())


def _fresh(found: Iterable[Fact]) -> Iterator[Fact]:
    seen: set[str] = set()
    for fact in found:
        if fact.id not in seen:
            seen.add(fact.id)
            yield fact
