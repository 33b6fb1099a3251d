"""What a model is shown of a graph and its diagnostics: bounded, in one order, and what is left out is counted.

A brief is a pure view: of one fold it has the same bytes in every process (decisions D9). It holds no raw excerpt, and
everything in it that a repository says stands in a marked span.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from t2c.ledger.llm.base import Brief, Shown
from t2c.ledger.llm.outgoing import untrusted
from t2c.ledger.llm.support import Ground, ground_of
from t2c.ledger.llm.synthesis.summary import Citable
from t2c.projections.base import Inputs
from t2c.projections.briefs.choice import (
    Limits,
    chosen_diagnostics,
    chosen_relations,
    summary_records,
    task_records,
)
from t2c.projections.briefs.lines import Lines
from t2c.projections.facts import Fact, Facts
from t2c.projections.findings.grounded import grounded
from t2c.projections.findings.model import Shown as Finding

__all__ = ["SUMMARY", "TASKS", "Briefing", "summary_brief", "task_brief"]

SUMMARY: Final = Limits(records=400, relations=800, diagnostics=250)
"""What a summary is made of at most (intent-evidence §6.5)."""
TASKS: Final = Limits(records=500, relations=800, diagnostics=200, todos=100)
"""What tasks are made of at most (intent-evidence §6.5)."""


class Briefing(NamedTuple):
    """A brief, what an answer to it may cite, by id what its words must have their ground in, and how grave the
    diagnostics are."""

    brief: Brief
    citable: Citable
    grounds: Mapping[str, Ground]
    severities: Mapping[str, str]


def summary_brief(inputs: Inputs) -> Briefing:
    """What a summary is to be made of: what is not code first, then modules, then code that is cited, related or public.

    Reads the folded states of diagnostics, findings, graph, records and timeline.
    """
    facts, findings = Facts.of(inputs), grounded(inputs)
    diagnostics = findings[: SUMMARY.diagnostics]
    return _briefing(
        "summary", facts, findings, diagnostics, summary_records(facts, diagnostics, SUMMARY), SUMMARY
    )


def task_brief(inputs: Inputs) -> Briefing:
    """What tasks are to be made of: diagnostics, the records that they cite, and the TODO list to repeat nothing of."""
    facts, findings = Facts.of(inputs), grounded(inputs)
    diagnostics = findings[: TASKS.diagnostics]
    return _briefing("tasks", facts, findings, diagnostics, task_records(facts, diagnostics, TASKS), TASKS)


def _briefing(
    name: str,
    facts: Facts,
    findings: Sequence[Finding],
    diagnostics: Sequence[Finding],
    records: Sequence[Fact],
    limits: Limits,
) -> Briefing:
    shown = {fact.id for fact in records}
    kept = chosen_diagnostics(diagnostics, shown)
    relations = chosen_relations(facts, shown, limits)
    lines = Lines()
    spans = (
        ("diagnostics", [(one.id, lines.diagnostic(one, records_of)) for one, records_of in kept]),
        ("records", [(fact.id, lines.record(fact)) for fact in records]),
        ("relations", [(link.relation.id, lines.relation(link)) for link in relations]),
    )
    omitted = {
        "diagnostics": len(findings) - len(kept),
        "records": len(facts.records) - len(records),
        "relations": len(facts.relations) - len(relations),
        "texts_shortened": lines.shortened,
    }
    brief = Brief(
        name,
        "\n\n".join(untrusted(f"{label}, one JSON object a line", _joined(found)) for label, found in spans),
        tuple(
            Shown(identity, sha256(line.encode()).hexdigest())
            for _, found in spans
            for identity, line in found
        ),
        {what: count for what, count in omitted.items() if count},
    )
    citable = Citable({one.id: of for one, of in kept}, frozenset(shown))
    grounds = {fact.id: ground_of(fact) for fact in records}
    grounds |= {one.id: Ground(one.id, (one.code, one.title, one.detail, one.action)) for one, _ in kept}
    return Briefing(brief, citable, grounds, {one.id: one.severity for one, _ in kept})


def _joined(found: Iterable[tuple[str, str]]) -> str:
    return "\n".join(line for _, line in found) or "(nothing)"
