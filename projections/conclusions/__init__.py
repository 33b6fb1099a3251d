"""Conclusions: what follows from the findings, each with the findings and records that it rests on.

Those that t2c draws without a model are a pure fold of the findings, and no events: an event would repeat what the
journal says already, and go on saying it when the finding is gone (decisions A6). What a model concluded is an event,
since nothing else could say it again. Shown is the latest synthesis of each kind, as far as what it cites still
stands; where no model drew a summary that stands, the conclusions of the findings are shown instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from t2c.ledger.journal.entry import Entry
from t2c.ledger.llm.synthesis.contract import SUMMARY, Generation, Mode, conclusion, dated, fingerprint
from t2c.ledger.llm.synthesis.standing import HANDLES, Syntheses, apply
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.conclusions.model import Report
from t2c.projections.conclusions.report import report
from t2c.projections.diagnostics.messages import Language
from t2c.projections.diagnostics.model import severe
from t2c.projections.facts import Facts
from t2c.projections.findings.grounded import grounded, upheld

__all__ = ["MOST", "ConclusionsProjection", "deterministic", "report_of", "shown"]

MOST: Final = 100
"""Findings, the gravest first, from which something is concluded (intent-evidence §7.1)."""


class ConclusionsProjection:
    """`conclusions.json`, an array of `t2c.conclusion/v1`, and `team-summary.md`, a report for people."""

    name = "conclusions"
    version = 1
    inputs: tuple[str, ...] = ("communication", "diagnostics", "findings", "graph", "records", "timeline")
    handles = HANDLES
    state_type = Syntheses

    def __init__(self, page: Callable[[Report], bytes]) -> None:
        self._page = page

    def start(self) -> Syntheses:
        return Syntheses()

    def step(self, state: Syntheses, entry: Entry) -> None:
        apply(state, entry)

    def finish(self, state: Syntheses, inputs: Inputs) -> Artifacts:
        made = [dated(one, inputs.ts) for one in shown(state, inputs)]
        return {"conclusions.json": pretty(made), "team-summary.md": self._page(report_of(state, inputs))}


def report_of(state: Syntheses, inputs: Inputs, language: Language = "en") -> Report:
    """The report, with what a model concluded as far as it stands."""
    summary = state.latest.get("summary")
    if summary is None:
        return report(inputs, language)
    return report(
        inputs, language, [*upheld(summary.conclusions, inputs)], summary.counts.get("abstained", 0)
    )


def shown(state: Syntheses, inputs: Inputs) -> Sequence[dict[str, Any]]:
    """Each conclusion once, the more severe first, then by id (intent-evidence §7.1)."""
    drawn = {kind: [*upheld(made.conclusions, inputs)] for kind, made in state.latest.items()}
    found = [*(drawn.get("summary") or deterministic(inputs)), *drawn.get("tasks", ())]
    once = {one["id"]: one for one in reversed(found)}
    return sorted(once.values(), key=lambda one: (-severe(one["severity"]), one["id"]))


def deterministic(
    inputs: Inputs, requested: Mode = "deterministic", reason: str | None = None
) -> list[dict[str, Any]]:
    """One conclusion for each finding with records, minted in English whatever the language (decisions D7).

    `requested` and `reason` say that a model was preferred and why none answered.
    """
    configuration = fingerprint({"generator": SUMMARY.name, "generatorVersion": SUMMARY.version})
    generation = Generation(SUMMARY, requested, configuration, reason=reason)
    known = Facts.of(inputs).records
    return [
        conclusion(
            kind="risk" if severe(one.severity) >= severe("review_required") else "finding",
            title=one.title,
            detail=f"{one.detail} Next: {one.action}",
            severity=one.severity,
            diagnostics=(one.id,),
            records=cited,
            confidence=1,
            generation=generation,
        )
        for one in grounded(inputs)[:MOST]
        if (cited := [identity for identity in one.recordIds if identity in known])
    ]
