"""`t2c todo propose` and `t2c todo proposals`: tasks that a model proposes from findings, and those that stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import with_events
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.synthesis import Preview, chosen_mode, folded_for, parsed, preview, synthesis_of
from t2c.cli.actions.viewing import view
from t2c.ledger.errors import Usage

__all__ = ["Proposals", "preview_of", "proposals", "propose"]


class Proposals(NamedTuple):
    """The envelope `t2c.task-synthesis/v1` as of event `seq`; `appended` counts the events that were recorded now.

    `places` says of each record that a proposal rests on what it says and where.
    """

    seq: int
    document: Mapping[str, Any]
    appended: int = 0
    notices: tuple[str, ...] = ()
    omitted: Mapping[str, int] = {}

    @property
    def ordered(self) -> Sequence[Mapping[str, Any]]:
        """The proposals in the order in which they can be done."""
        by_id = {one["id"]: one for one in self.document["proposals"]}
        return [by_id[identity] for identity in self.document["validation"]["orderedProposalIds"]]


def propose(context: Context, mode: str | None, language: str, state: Path) -> Proposals:
    """Ask a model for tasks and record them; without an answer the findings' own actions, and that none was had.

    Raises Usage for an unknown language or a mode without a model, Model (exit 7) with the failed audit where an answer
    was required.
    """
    if language not in ("en", "pl"):
        raise Usage(f"there is no language {language!r}", remedy="there are en, pl")
    chosen = chosen_mode(mode, context.settings.llm.tasks, "live")
    if chosen == "deterministic":
        raise Usage(
            "without a model no tasks are proposed: what findings ask for is no synthesis",
            remedy="give --mode prefer-llm or require-llm; `t2c diagnose` shows what findings ask for",
        )
    with open_ledger(context) as ledger:
        with_events(ledger)
        outcome = synthesis_of(context, ledger, state, "tasks", chosen, language)
        context.progress("fold", 0, None)
        folded = folded_for(ledger, "proposals")
        document = parsed(folded.artifacts("proposals")["task-synthesis.json"])
    return Proposals(
        folded.position.seq,
        document,
        outcome.appended,
        _notices(outcome.audit, document),
        outcome.omitted,
    )


def _notices(audit: Mapping[str, Any], document: Mapping[str, Any]) -> tuple[str, ...]:
    if audit["status"] == "skipped":
        return (f"no model was asked: {audit['reason']['message']}",)
    return tuple(document["warnings"])


def preview_of(context: Context, language: str, state: Path) -> Preview:
    """What a model would be sent for tasks; nothing is recorded or sent."""
    with open_ledger(context) as ledger:
        with_events(ledger)
        return preview(context, ledger, state, "tasks", language)


def proposals(context: Context, at: str | None = None) -> Proposals:
    """The proposals that stand, as of the head or a moment; nothing is recorded."""
    found = view(context, "proposals", at)
    return Proposals(found.seq, parsed(found.artifacts["task-synthesis.json"]))
