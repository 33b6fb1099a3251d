"""Reality from topics, graded evidence and diagnostics: one row a topic, and the totals over all of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Final, Protocol

from msgspec import Struct

from t2c.ledger.kernel.canon import artifact
from t2c.projections.evidence import Grade, Graded
from t2c.projections.facts import DECLARED, SEVERITIES, Facts
from t2c.projections.reality.model import SCHEMA, STATUSES, Reality, Row, Totals
from t2c.projections.reality.presence import carried_out, missing
from t2c.projections.reality.status import Sides, evidence_of, sides, status
from t2c.projections.topics import Topic, Topics, shows, undone

__all__ = ["Cited", "Placed", "Survey", "four_places", "survey"]

_WITNESSES: Final = 5
"""Pieces of evidence of one statement that take part in its topic, the strongest first."""
_RANK: Final = {severity: rank for rank, severity in enumerate(SEVERITIES)}
_NO_TOPIC: Final = frozenset({"git"})
"""Kinds of sources whose records make no topic by themselves: they take part in what they relate to."""


class Cited(Protocol):
    """What a diagnostic says, as far as reality looks at it."""

    @property
    def code(self) -> str: ...

    @property
    def severity(self) -> str: ...

    @property
    def records(self) -> Sequence[str]: ...


class Placed(Struct, frozen=True):
    """A row with what it was made of."""

    row: Row
    topic: Topic
    sides: Sides


class Survey(Struct, frozen=True):
    """All rows in the published order, the totals, and the commits that no row holds."""

    placed: tuple[Placed, ...]
    totals: Totals
    fingerprint: str
    commits_apart: int

    def reality(self, generated_at: str, graph_fingerprint: str) -> Reality:
        rows = tuple(one.row for one in self.placed)
        return Reality(SCHEMA, generated_at, graph_fingerprint, self.fingerprint, rows, self.totals)


def survey(topics: Topics, graded: Mapping[str, Graded], findings: Iterable[Cited]) -> Survey:
    """Judge every topic. Deterministic in the set of records, relations and findings, whatever their order."""
    facts = topics.facts
    taken_back = undone(facts)
    cited: dict[str, list[Cited]] = {}
    for finding in findings:
        for identity in finding.records:
            cited.setdefault(identity, []).append(finding)
    modules = {
        fact.source.path: fact.id for fact in facts.of_kind("ast") if fact.statement.kind == "module_fact"
    }
    failing = _failing(cited, facts)
    nowhere = missing(topics)
    placed: list[Placed] = []
    held: set[str] = set()
    for topic in topics.by_key.values():
        if all(facts.records[one].source.kind in _NO_TOPIC for one in topic.members):
            continue
        there = carried_out(topic, topics, graded) if topic.key in nowhere else None
        one = _placed(topic, facts, graded, taken_back, there, cited, failing, modules)
        placed.append(one)
        held.update(one.row.recordIds)
    placed.sort(key=lambda one: _order(one.row))
    rows = [one.row for one in placed]
    return Survey(
        tuple(placed),
        _totals(rows, facts, taken_back),
        sha256(artifact([[row.key, row.status, list(row.recordIds)] for row in rows])).hexdigest(),
        sum(fact.id not in held for fact in facts.of_kind("git")),
    )


def _placed(
    topic: Topic,
    facts: Facts,
    graded: Mapping[str, Graded],
    taken_back: frozenset[str],
    there: frozenset[str] | None,
    cited: Mapping[str, Sequence[Cited]],
    failing: Mapping[str, Sequence[Cited]],
    modules: Mapping[str | None, str],
) -> Placed:
    identities = {*topic.members, *topic.guests}
    exercised = set(topic.members)
    for one in topic.members:
        found = graded.get(one)
        if found is not None and found.grade > Grade.none:
            counted = [item for item in found.items if item.grade > Grade.none and item.dated != "before"]
            exercised.update(item.record for item in counted)
            identities.update(item.record for item, _ in zip(counted, range(_WITNESSES), strict=False))
    identities.update(_tagged(identities - set(topic.members), facts, modules))
    ordered = tuple(sorted(identities))
    present = (facts.records[one] for one in ordered if one in facts.records)
    side = sides(present, frozenset(topic.members), graded, taken_back, there)
    failed = [finding for one in sorted(exercised & failing.keys()) for finding in failing[one]]
    about = [*(finding for one in topic.members for finding in cited.get(one, ())), *failed]
    codes = tuple(sorted({finding.code for finding in about}))
    state = status(side, codes, fails=bool(failed))
    worst = max((_RANK.get(finding.severity, 0) for finding in about), default=0)
    row = Row(
        key=topic.key,
        label=topic.label,
        lanes=dict(side.lanes),
        status=state,
        severity=SEVERITIES[0 if state == "aligned" else worst],
        recordIds=ordered,
        diagnosticCodes=codes,
        evidence=evidence_of(side.lanes),
    )
    return Placed(row, topic, side)


def _failing(cited: Mapping[str, Sequence[Cited]], facts: Facts) -> dict[str, list[Cited]]:
    """Code → the findings that a test which exercises it, and passed before, fails."""
    found: dict[str, list[Cited]] = {}
    for identity, findings in cited.items():
        result = facts.records.get(identity)
        broken = [finding for finding in findings if finding.code == "REGRESSION_DETECTED"]
        if (
            not broken
            or result is None
            or result.source.kind != "test"
            or result.lifecycle.status != "blocked"
        ):
            continue
        for test in (identity, *_tested_by(identity, facts)):
            for code in _tested_by(test, facts):
                found.setdefault(code, []).extend(broken)
    return found


def _tested_by(test: str, facts: Facts) -> Iterator[str]:
    """What a test exercises; of a result, the test that ran or what it exercised."""
    for link in facts.around(test):
        if link.relation.type == "tests" and link.relation.source == test:
            yield link.relation.to


def _tagged(identities: Iterable[str], facts: Facts, modules: Mapping[str | None, str]) -> Iterator[str]:
    """The modules in whose code the tags among some records stand: it is the code that shows something."""
    for one in identities:
        fact = facts.records[one]
        if fact.statement.kind == "trace_tag" and fact.source.path in modules:
            yield modules[fact.source.path]


def _order(row: Row) -> tuple[int, bool, int, str]:
    return -_RANK[row.severity], row.status == "aligned", -len(row.recordIds), row.key


def _totals(rows: Sequence[Row], facts: Facts, taken_back: frozenset[str]) -> Totals:
    aligned = [row for row in rows if row.status == "aligned"]
    declared, observed = sum(row.declared > 0 for row in rows), sum(row.observed > 0 for row in rows)
    both = sum(row.declared > 0 and row.observed > 0 for row in aligned)
    documented = sum(row.lanes["document"] > 0 and row.observed > 0 for row in rows)
    return Totals(
        topics=len(rows),
        aligned=len(aligned),
        gaps=len(rows) - len(aligned),
        alignedByEvidence={
            kind: sum(row.evidence == kind for row in aligned) for kind in ("code", "configuration", "none")
        },
        byStatus={name: sum(row.status == name for row in rows) for name in STATUSES},
        declaredRecords=sum(1 for _ in facts.of_kind(*DECLARED)),
        observedRecords=sum(shows(fact, taken_back) for fact in facts.records.values()),
        declaredTopics=declared,
        observedTopics=observed,
        implementationAlignedTopics=both,
        implementationCoverage=four_places(both, declared),
        plannedCodeCoverage=four_places(both, observed),
        documentedCodeCoverage=four_places(documented, observed),
        documentationMeasured=any(True for _ in facts.of_kind("document")),
    )


def four_places(numerator: int, denominator: int) -> int | float | None:
    """A ratio with four decimals, rounded half up in whole numbers; None of nothing, and whole where it is whole."""
    if denominator == 0:
        return None
    places = (20_000 * numerator + denominator) // (2 * denominator)
    return places // 10_000 if places % 10_000 == 0 else places / 10_000
