"""Code-change plans: drawn from what is planned and not there, and held against what is there afterwards.

`code-change-plans.json` is the published set of the plans that stand and are of the newest graph that plans were drawn
from, since a set is of one graph; `changes.json` is every plan with all that became of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from t2c.ledger.changes.contract import dated, plan_set
from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.changeplans.drawing import candidates
from t2c.projections.changeplans.model import HANDLES, STATES, Changes, Planned, apply
from t2c.projections.graph import fingerprint

__all__ = ["SCHEMA", "ChangePlansProjection", "document", "graph_of", "published", "standing"]

SCHEMA: Final = "t2c.changes/v1"


class ChangePlansProjection:
    """`code-change-plans.json` and `changes.json`."""

    name = "changeplans"
    version = 3
    inputs: tuple[str, ...] = ("diagnostics", "findings", "graph", "records", "timeline")
    handles = HANDLES
    state_type = Changes

    def start(self) -> Changes:
        return Changes()

    def step(self, state: Changes, entry: Entry) -> None:
        apply(state, entry)

    def finish(self, state: Changes, inputs: Inputs) -> Artifacts:
        graph = graph_of(state) or fingerprint(inputs)
        plans = [published(one) for one in standing(state, graph)]
        found = dated(plan_set(plans, graph, len(candidates(inputs))), inputs.ts)
        return {"code-change-plans.json": pretty(found), "changes.json": pretty(document(state, inputs.ts))}


def graph_of(state: Changes) -> str | None:
    """The graph that the newest plan that stands was drawn from."""
    for one in sorted(state.plans.values(), key=lambda one: -one.seq):
        if one.pending:
            return str(one.plan["evidence"]["graphFingerprint"])
    return None


def standing(state: Changes, graph: str | None = None) -> Sequence[Planned]:
    """The plans about which something is still to be done, the most urgent first; of one graph where it is given."""
    found = [
        one
        for one in state.plans.values()
        if one.pending and graph in (None, one.plan["evidence"]["graphFingerprint"])
    ]
    return sorted(found, key=lambda one: (str(one.plan["priority"]), one.id))


def published(planned: Planned) -> dict[str, Any]:
    """A plan with its times: those of its event."""
    return dated(planned.plan, planned.ts)


def document(state: Changes, ts: str) -> dict[str, Any]:
    """`t2c.changes/v1`: every plan in the order of events, where it stands and how it came there."""
    counts = Counter(one.state for one in state.plans.values())
    return {
        "schema": SCHEMA,
        "generatedAt": ts,
        "counts": {name: counts[name] for name in STATES if counts[name]},
        "plans": [
            {
                "id": one.id,
                "planHash": one.hash,
                "title": one.plan["title"],
                "priority": one.plan["priority"],
                "state": one.state,
                "seq": one.seq,
                "event": one.event,
                "proposedBy": list(one.proposed_by),
                "supersededBy": one.superseded,
                "diagnosticIds": one.plan["evidence"]["diagnosticIds"],
                "paths": [change["path"] for change in one.plan["changes"]],
                "steps": [msgspec.to_builtins(step) for step in one.steps],
            }
            for one in state.plans.values()
        ],
    }
