"""Sources that could not be read, and ledgers that hold too little for a verdict: SOURCE_UNAVAILABLE,
INSUFFICIENT_EVIDENCE, LLM_NOT_CONFIGURED.

Nothing of nothing is no data, and never a verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from t2c.projections.diagnostics.model import Finding
from t2c.projections.diagnostics.plans import Plan
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade
from t2c.projections.facts import DECLARED, OBSERVED

__all__ = ["insufficient", "not_configured", "unavailable"]

_WHOLE_SOURCES: Final = frozenset(
    {"git_missing", "git_failed", "shallow_history", "older_commits", "invalid_registry", "unreadable_folder"}
)
"""Reasons of omissions by which a source, or an unknown part of one, is missing."""


def unavailable(view: View) -> Iterator[Finding]:
    """A stage that failed when it last ran, or a source that could not be read as a whole."""
    for name in sorted(view.state.stages):
        stage = view.state.stages[name]
        if stage.status == "failed":
            said = {"stage": name, "why": stage.detail or "–"}
            yield Finding(
                "SOURCE_UNAVAILABLE",
                f"stage:{name}",
                "review_required",
                "source.stage",
                said,
                (),
                f"stage:{name}",
                70,
                1.0,
            )
    for key in sorted(view.state.omissions):
        omission = view.state.omissions[key]
        if omission.reason in _WHOLE_SOURCES:
            subject = f"source:{omission.source}:{omission.path or ''}:{omission.reason}"
            said = {
                "source": omission.path or omission.source,
                "reason": omission.reason,
                "count": f"{omission.count:,}",
            }
            yield Finding(
                "SOURCE_UNAVAILABLE",
                subject,
                "warning",
                "source.omitted",
                said,
                (),
                f"omission:{omission.reason}",
                50,
                1.0,
            )


def insufficient(view: View, known: Sequence[Plan]) -> Iterator[Finding]:
    """No record that says what is wanted, none that shows what is there, or nothing that binds the two."""
    declared = sum(1 for _ in view.of_kind(*DECLARED))
    observed = sum(1 for _ in view.of_kind(*OBSERVED))
    said = {"declared": f"{declared:,}", "observed": f"{observed:,}", "plans": f"{len(known):,}"}
    if declared and observed:
        claims = view.of_kind("changelog", "agent_log")
        stated = [member for plan in known for member in plan.members] if known else list(claims)
        if any(view.grades[fact.id].grade > Grade.none for fact in stated):
            return
        message = "insufficient.plans" if known else "insufficient.bound"
    elif observed:
        message = "insufficient.declared"
    else:
        message = "insufficient.observed" if declared else _nothing(view)
        said["left"] = _left_out(view)
    yield Finding("INSUFFICIENT_EVIDENCE", "ledger", "warning", message, said, (), "ledger", 60, 1.0)


def _nothing(view: View) -> str:
    """Whether a scan was made and found nothing, or none was made."""
    return "insufficient.empty" if view.state.stages else "insufficient.both"


def _left_out(view: View) -> str:
    """The reasons of all omissions with how much each left out; 0 without any."""
    counts: Counter[str] = Counter()
    for omission in view.state.omissions.values():
        counts[omission.reason] += omission.count
    return ", ".join(f"`{reason}` {counts[reason]:,}" for reason in sorted(counts)) or "0"


def not_configured(view: View) -> Iterator[Finding]:
    """A model was asked for in the last run of its kind, and none was configured."""
    for stage in sorted(view.state.degraded):
        if "LLM_NOT_CONFIGURED" in view.state.degraded[stage][1]:
            yield Finding(
                "LLM_NOT_CONFIGURED",
                f"stage:{stage}",
                "warning",
                "model.missing",
                {"stage": stage},
                (),
                "model",
                20,
                1.0,
            )
