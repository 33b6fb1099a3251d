"""Proposals: tasks that a model proposed from findings, in the order in which they can be done, and what is there already.

Without a model's answer there are none: then the findings' own actions stand beside empty lists, and nothing pretends
to be a synthesis (decisions D10). A proposal is shown as long as all that it cites stands; what it waited for and
stands no more it waits for no longer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from msgspec import Struct

from t2c.ledger.journal.entry import Entry
from t2c.ledger.llm.synthesis.audit import audit
from t2c.ledger.llm.synthesis.contract import Target, dated
from t2c.ledger.llm.synthesis.duplicates import Duplicate, Existing, Proposed, duplicates
from t2c.ledger.llm.synthesis.order import Cycle, Waiting, ordered
from t2c.ledger.llm.synthesis.standing import Made, Syntheses
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.facts import Fact, Facts
from t2c.projections.findings.grounded import grounded, upheld

__all__ = ["SCHEMA", "ProposalsProjection", "envelope", "validation"]

SCHEMA: Final = "t2c.task-synthesis/v1"
VALIDATION: Final = "t2c.todo-validation/v1"
_PROPOSAL: Final = re.compile(r"\bTPROP-[0-9a-f]{20}\b")


class Nothing(Struct):
    """Proposals keep no state of their own: conclusions fold the syntheses of both kinds."""


class ProposalsProjection:
    """`task-synthesis.json`, the whole, and `todo-validation.json`, its order and duplicates."""

    name = "proposals"
    version = 1
    inputs: tuple[str, ...] = (
        "communication", "conclusions", "diagnostics", "findings", "graph", "records", "timeline",
    )  # fmt: skip
    handles: frozenset[str] = frozenset()
    state_type = Nothing

    def start(self) -> Nothing:
        return Nothing()

    def step(self, state: Nothing, entry: Entry) -> None:
        """Nothing is handled."""

    def finish(self, state: Nothing, inputs: Inputs) -> Artifacts:
        syntheses: Syntheses = inputs.states["conclusions"]
        found = envelope(syntheses.latest.get("tasks"), inputs)
        checked = {"schema": VALIDATION, **found["validation"]}
        return {"task-synthesis.json": pretty(found), "todo-validation.json": pretty(checked)}


def envelope(made: Made | None, inputs: Inputs) -> dict[str, Any]:
    """`t2c.task-synthesis/v1` of the latest synthesis of tasks, None where there was none (intent-evidence §7.2)."""
    conclusions = [dated(one, inputs.ts) for one in upheld([] if made is None else made.conclusions, inputs)]
    proposals = [dated(one, inputs.ts) for one in _proposals(made, conclusions)]
    warnings = list(_warnings(made, conclusions, proposals))
    return {
        "schemaVersion": SCHEMA,
        "conclusions": conclusions,
        "proposals": proposals,
        "validation": validation(proposals, Facts.of(inputs)),
        "rawDiagnosticActions": [] if made is not None and made.status == "succeeded" else _actions(inputs),
        "warnings": warnings,
        "audit": _audit(made, len(proposals), len(warnings)),
    }


def _proposals(made: Made | None, conclusions: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    known = {one["id"] for one in conclusions}
    kept = {
        one["id"]: one
        for one in (() if made is None else made.proposals)
        if known.issuperset(one["conclusionIds"])
    }
    found = [
        {**one, "dependencies": [other for other in one["dependencies"] if other in kept]}
        for _, one in sorted(kept.items())
    ]
    try:
        _ordered(found)
    except Cycle as cycle:
        # No check let these pass: whoever wrote them, they can never be done.
        found = [one for one in found if one["id"] not in cycle.ids]
    yield from found


def _ordered(proposals: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    return ordered([Waiting(one["id"], one["priority"], tuple(one["dependencies"])) for one in proposals])


def validation(proposals: Sequence[Mapping[str, Any]], facts: Facts) -> dict[str, Any]:
    """The order in which tasks can be done, those that a TODO list has already, and the new ones in that order."""
    order = _ordered(proposals)
    existing = [
        Existing(fact.id, f"{fact.statement.object} {fact.statement.text}", Target(*_target(fact)))
        for fact in facts.of_kind("todo")
    ]
    applied = dict(_applied(proposals, facts))
    found = sorted(
        [
            *applied.values(),
            *duplicates(
                (
                    Proposed(
                        one["id"], f"{one['title']} {one['description']}", Target(**_lists(one["target"]))
                    )
                    for one in proposals
                    if one["id"] not in applied
                ),
                existing,
            ),
        ]
    )
    known = {one.proposal for one in found}
    return {
        "orderedProposalIds": list(order),
        "newProposalIds": [one for one in order if one not in known],
        "duplicateProposalIds": [one for one in order if one in known],
        "duplicates": [
            {"proposalId": one.proposal, "existingRecordIds": list(one.records), "basis": one.basis}
            for one in found
        ],
    }


def _applied(proposals: Sequence[Mapping[str, Any]], facts: Facts) -> Iterator[tuple[str, Duplicate]]:
    """Proposals whose own id stands in a task, as `t2c todo apply` writes it."""
    named: dict[str, list[str]] = {}
    for fact in facts.of_kind("todo"):
        for identity in _PROPOSAL.findall(fact.statement.text):
            named.setdefault(identity, []).append(fact.id)
    for one in proposals:
        if one["id"] in named:
            yield one["id"], Duplicate(one["id"], tuple(sorted(named[one["id"]])), "proposal_id")


def _target(fact: Fact) -> tuple[tuple[str, ...], ...]:
    target = fact.statement.target
    return target.paths, target.symbols, target.tickets, target.versions


def _lists(target: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    return {name: tuple(values) for name, values in target.items()}


def _actions(inputs: Inputs) -> list[dict[str, Any]]:
    """What the findings themselves ask for."""
    return [
        {"diagnosticId": one.id, "recordIds": list(one.recordIds), "suggestedAction": one.action}
        for one in grounded(inputs)
    ]


def _warnings(
    made: Made | None, conclusions: Sequence[Mapping[str, Any]], proposals: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    if made is None:
        return
    if made.detail is not None:
        yield f"task-synthesis used deterministic fallback ({made.detail.partition(':')[0]}): {made.detail.partition(': ')[2]}"
    for left in made.asked.get("abstained", ()):
        yield f"left out “{left['title']}”: {left['why']}"
    gone = len(made.conclusions) + len(made.proposals) - len(conclusions) - len(proposals)
    if gone:
        yield f"{gone} that cite what stands no more are not shown"


def _audit(made: Made | None, records: int, warnings: int) -> dict[str, Any]:
    if made is None:
        skipped = ("STAGE_SKIPPED", "no tasks were asked for: t2c todo propose")
        return audit(
            status="skipped",
            requested="deterministic",
            configuration={},
            told=(),
            records=0,
            warnings=0,
            reason=skipped,
        )
    code, _, text = (made.detail or "").partition(": ")
    return audit(
        status="fallback" if made.status == "fallback" else "succeeded",
        requested=made.asked["mode"],
        configuration=made.asked["configuration"],
        told=made.asked["responses"],
        records=records,
        warnings=warnings,
        reason=None if made.detail is None else (code, text),
    )
