"""Diagnostics: what does not fit together, as facts with what to do next, never as guilt.

`findings` makes them for whoever groups, ranks or translates; `diagnostics.json` tells them in English with exactly the
keys of the contract.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from msgspec import to_builtins

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.communication import issues_of
from t2c.projections.diagnostics import (
    changelogs,
    code,
    completions,
    conflicts,
    documents,
    loose,
    plans,
    regressions,
    sources,
)
from t2c.projections.diagnostics.communication import from_issues
from t2c.projections.diagnostics.messages import LANGUAGES, told
from t2c.projections.diagnostics.model import SCHEMA, Finding, ordered, severe
from t2c.projections.diagnostics.predicates import is_claim
from t2c.projections.diagnostics.state import HANDLES, Diagnosed, apply
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade
from t2c.projections.facts import SEVERITIES
from t2c.projections.graph import fingerprint
from t2c.projections.timeline.state import Timeline

__all__ = ["SCHEMA", "DiagnosticsProjection", "document", "findings", "findings_of"]

_REVIEW: Final = "review_required"


class DiagnosticsProjection:
    """`diagnostics.json`."""

    name = "diagnostics"
    version = 3
    inputs: tuple[str, ...] = ("communication", "graph", "records", "timeline")
    handles = HANDLES
    state_type = Diagnosed

    def start(self) -> Diagnosed:
        return Diagnosed()

    def step(self, state: Diagnosed, entry: Entry) -> None:
        apply(state, entry)

    def finish(self, state: Diagnosed, inputs: Inputs) -> Artifacts:
        return {"diagnostics.json": pretty(document(findings(state, inputs), inputs))}


def findings(state: Diagnosed, inputs: Inputs) -> Sequence[Finding]:
    """All findings, the more severe first, then by id; made once for all views that read them."""
    found = inputs.made.get("findings")
    if not isinstance(found, tuple):
        issues = from_issues(
            {language: map(to_builtins, issues_of(inputs, language)) for language in LANGUAGES}
        )
        found = inputs.made["findings"] = tuple(
            ordered(_found(View.of(inputs, state), inputs.states["timeline"], issues))
        )
    return found


def findings_of(inputs: Inputs) -> Sequence[Finding]:
    """`findings` for a view that names `diagnostics` among its inputs."""
    return findings(inputs.states["diagnostics"], inputs)


def document(found: Sequence[Finding], inputs: Inputs) -> dict[str, object]:
    """`t2c.diagnostics/v1` of some findings, in English."""
    counts = Counter(finding.severity for finding in found)
    return {
        "schemaVersion": SCHEMA,
        "generatedAt": inputs.ts,
        "graphFingerprint": fingerprint(inputs),
        "diagnostics": [to_builtins(told(finding)) for finding in found],
        "counts": {severity: counts[severity] for severity in SEVERITIES},
    }


def _found(view: View, history: Timeline, issues: Iterable[Finding]) -> Iterator[Finding]:
    known = plans.plans(view)
    found = [*_rules(view, known, history), *issues]
    yield from found
    if not any(
        severe(one.severity) >= severe(_REVIEW) or one.code == "INSUFFICIENT_EVIDENCE" for one in found
    ):
        yield from _aligned(view, known)


def _rules(view: View, known: Sequence[plans.Plan], history: Timeline) -> Iterator[Finding]:
    yield from sources.unavailable(view)
    yield from sources.insufficient(view, known)
    yield from sources.not_configured(view)
    yield from conflicts.conflicting(view)
    yield from conflicts.duplicated(view)
    yield from completions.falsely_done(view, known, history)
    yield from plans.not_implemented(view, known)
    yield from plans.drifting(view, known)
    yield from changelogs.without_implementation(view)
    yield from regressions.regressed(view)
    yield from documents.stale(view)
    yield from code.not_planned(view, known)
    yield from code.not_documented(view)
    yield from loose.ambiguous(view)
    yield from loose.uncertain(view)
    yield from loose.unlinked(view, known)


def _aligned(view: View, known: Sequence[plans.Plan]) -> Iterator[Finding]:
    """Nothing asks for a review, and most plans and most claims have evidence; it is told with its numbers."""
    shown = sum(any(view.grades[one.id].grade > Grade.none for one in plan.members) for plan in known)
    claims = [view.grades[fact.id] for fact in view.of_kind("changelog") if is_claim(fact)]
    borne = sum(graded.grade > Grade.none for graded in claims)
    if (known or claims) and 2 * shown >= len(known) and 2 * borne >= len(claims):
        said = {
            "shown": f"{shown:,}",
            "plans": f"{len(known):,}",
            "borne": f"{borne:,}",
            "claims": f"{len(claims):,}",
        }
        yield Finding("ALIGNED", "ledger", "info", "aligned", said, (), "ledger", 0, 0.5)
