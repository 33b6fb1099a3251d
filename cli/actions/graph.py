"""`t2c graph`: the graph, or what stands around a record, a file, a ticket, a commit or a name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, ClassVar, Final, NamedTuple

import msgspec

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.errors import Usage
from t2c.ledger.linking.wording import sentence
from t2c.projections.base import Inputs
from t2c.projections.facts import Fact, Facts
from t2c.projections.fold import Folded, fold
from t2c.projections.graph import Link, document
from t2c.projections.registry import ALL
from t2c.projections.topics import shortened

__all__ = ["MOST_RECORDS", "GraphResult", "GraphView", "Near", "document_of", "graph"]

MOST_RECORDS: Final = 500
"""Records of a neighbourhood; beyond them it is cut, and says so."""
_SHORTEST_REVISION: Final = 7
_NEAR: Final = 3


@dataclass(frozen=True, slots=True)
class Near:
    """A record of the neighbourhood; `distance` is how many relations away it stands, `title` how it is called."""

    id: str
    kind: str
    where: str
    title: str
    distance: int


@dataclass(frozen=True, slots=True)
class GraphResult:
    """What stands around `asked`: records by distance, and each relation with the rule, its signals and its words.

    `cut` counts relations that lead to records beyond MOST_RECORDS.
    """

    schema: ClassVar[str] = "t2c.graph-neighbourhood/v1"
    asked: str
    depth: int
    seq: int
    records: Sequence[Near]
    relations: Sequence[Mapping[str, Any]]
    cut: int


class GraphView(NamedTuple):
    """`counts` are of the whole graph: relations by type, and one sentence of each type as an example."""

    seq: int
    facts: Facts
    neighbourhood: GraphResult | None
    folded: Folded

    @property
    def counts(self) -> list[tuple[str, int, str]]:
        by_type = Counter(link.relation.type for link in self.facts.relations)
        best: dict[str, Link] = {}
        for link in self.facts.relations:
            known = best.get(link.relation.type)
            if known is None or link.relation.confidence > known.relation.confidence:
                best[link.relation.type] = link
        return [
            (
                name,
                count,
                f"{called(self.facts.records[best[name].relation.source])} {told(best[name], self.facts)}",
            )
            for name, count in sorted(by_type.items(), key=lambda item: (-item[1], item[0]))
        ]


def graph(context: Context, asked: str | None = None, depth: int = 1, at: str | None = None) -> GraphView:
    """The graph as of a moment. Raises Usage for what names no record that stands then."""
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if at is None else resolve(context, ledger, at).seq
        context.progress("fold", 0, None)
        folded = fold(ledger.journal, ALL, ["graph"], until=until, cache=ledger.cache / "folds")
    facts = Facts.shown(Inputs(folded.ts or "", folded.states, folded.made))
    around = None if asked is None else _around(asked, depth, facts, folded.position.seq)
    return GraphView(folded.position.seq, facts, around, folded)


def document_of(found: GraphView, *, interpreted: bool = True) -> bytes:
    """`t2c.graph/v1`, as the artifact has it; with records as they were found, where not `interpreted`."""
    folded = found.folded
    return b"".join(document(Inputs(folded.ts or "", folded.states, folded.made), interpreted=interpreted))


def called(fact: Fact) -> str:
    """A record in a few words: where it stands and what it says."""
    if fact.source.kind == "ast":
        return f"{fact.source.symbol or fact.source.path} ({fact.where})"
    return f"{fact.where} “{shortened(fact.statement.text, 70)}”"


def told(link: Link, facts: Facts, *, reverse: bool = False) -> str:
    """A relation as its source tells it, or with `reverse` as its target does."""
    relation = link.relation
    other = facts.records[relation.source if reverse else relation.to]
    signals = [(signal.name, signal.value) for signal in link.signals]
    return sentence(relation.type, called(other), link.rule, relation.basis, signals, reverse=reverse)


def _around(asked: str, depth: int, facts: Facts, seq: int) -> GraphResult:
    starts = _named(asked, facts)
    distance = {fact.id: 0 for fact in starts[:MOST_RECORDS]}
    frontier, cut = list(distance), 0
    kept: dict[str, Link] = {}
    for step in range(1, depth + 1):
        following: list[str] = []
        for identity in frontier:
            for link, other in facts.neighbours(identity):
                if other.id not in distance:
                    if len(distance) >= MOST_RECORDS:
                        cut += 1
                        continue
                    distance[other.id] = step
                    following.append(other.id)
                kept[link.relation.id] = link
        frontier = following
    records = [
        Near(one, facts.records[one].source.kind, facts.records[one].where, called(facts.records[one]), far)
        for one, far in distance.items()
    ]
    relations = [_relation(kept[identity], facts) for identity in sorted(kept)]
    return GraphResult(asked, depth, seq, records, relations, cut)


def _relation(link: Link, facts: Facts) -> dict[str, Any]:
    return {
        **msgspec.to_builtins(link.relation),
        "rule": link.rule,
        "signals": [[signal.name, signal.value] for signal in link.signals],
        "forward": told(link, facts),
        "reverse": told(link, facts, reverse=True),
    }


def _named(asked: str, facts: Facts) -> list[Fact]:
    """The records that a text names: by id, file, ticket, commit or name; of a file those with relations to others."""
    if asked in facts.records:
        return [facts.records[asked]]
    ways: tuple[Iterable[Fact], ...] = (
        (fact for fact in facts.records.values() if fact.source.path == asked),
        (
            fact
            for fact in facts.records.values()
            if asked in fact.statement.target.tickets or fact.metadata.explicitId == asked
        ),
        (fact for fact in facts.records.values() if _is_commit(fact, asked)),
        (fact for fact in facts.records.values() if _bears(fact, asked)),
    )
    for way in ways:
        found = list(way)
        if found:
            return sorted(found, key=lambda fact: _first(fact, asked))
    names = sorted({fact.source.path for fact in facts.records.values() if fact.source.path is not None})
    near = get_close_matches(asked, names, _NEAR)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"no record is called {asked!r}",
        remedy=f"{hint}give an INT-… id, a path, a ticket, the first digits of a commit, or a name in the code",
        near=near,
    )


def _first(fact: Fact, asked: str) -> tuple[bool, str, str]:
    """The module of a file and the task of an id come before what else bears the name."""
    return fact.statement.kind != "module_fact" and fact.metadata.explicitId != asked, fact.where, fact.id


def _is_commit(fact: Fact, asked: str) -> bool:
    revision = fact.source.revision
    return (
        fact.source.kind == "git"
        and revision is not None
        and len(asked) >= _SHORTEST_REVISION
        and revision.startswith(asked)
    )


def _bears(fact: Fact, asked: str) -> bool:
    name = fact.source.symbol
    return name is not None and (name == asked or name.endswith(f".{asked}"))
