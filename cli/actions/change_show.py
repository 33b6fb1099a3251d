"""`t2c change list|show|review`: the plans as they stand, all that became of one, and the brief that a person reads."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, ClassVar, Final

import msgspec

from t2c.cli.actions.artefacts import json_document, markdown_page, places_of_artefacts, write_artefact
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.ledger.changes.contract import REVIEW, dated, review_document
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Usage
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.projections.base import pretty
from t2c.projections.changeplans import document, graph_of, published, standing
from t2c.projections.changeplans.model import STATES, Changes, Planned
from t2c.projections.changeplans.review import brief
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

__all__ = ["ChangeList", "ChangeReview", "ChangeShown", "listed", "review", "show"]

_HEX: Final = re.compile(r"(?:CPLAN-)?([0-9a-f]{6,64})")
_FILES: Final = ("CODE_CHANGE.review.md", "CODE_CHANGE.review.json")


@dataclass(frozen=True, slots=True)
class ChangeList:
    """The plans in the order of events as of `seq`; `counts` are of all by state, `hidden` are not among `plans`."""

    schema: ClassVar[str] = "t2c.changes/v1"
    seq: int
    counts: Mapping[str, int]
    hidden: int
    plans: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class ChangeShown:
    """One plan as published, where it stands and every step that brought it there."""

    schema: ClassVar[str] = "t2c.change/v1"
    seq: int
    state: str
    meaning: str
    event: str
    planned_seq: int
    proposed_by: Sequence[str]
    superseded_by: str | None
    steps: Sequence[Mapping[str, Any]]
    plan: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ChangeReview:
    """A brief as it was recorded: `review` is the published shape, `markdown` exactly the text that is hashed.

    `others` counts plans that stand and are of another graph, so that they are not in it.
    """

    schema: ClassVar[str] = "t2c.change-review/v1"
    seq: int
    new: bool
    others: int
    files: Sequence[str]
    review: Mapping[str, Any]
    markdown: str


def listed(context: Context, at: str | None = None, *, all: bool = False) -> ChangeList:
    """The plans that are open, with `all` those too that are closed or whose place a later one took."""
    with open_ledger(context) as ledger:
        folded = _folded(context, ledger, at)
    state: Changes = folded.states["changeplans"]
    whole = document(state, folded.ts or "")
    wanted = [one for one in whole["plans"] if all or state.plans[one["id"]].pending]
    return ChangeList(folded.position.seq, whole["counts"], len(whole["plans"]) - len(wanted), wanted)


def show(context: Context, name: str, at: str | None = None) -> ChangeShown:
    """One plan by its id, hash, the first digits of them, its event or seq. Raises Usage for what is none."""
    with open_ledger(context) as ledger:
        folded = _folded(context, ledger, at)
    found = _named(folded.states["changeplans"], name)
    return ChangeShown(
        folded.position.seq,
        found.state,
        STATES[found.state],
        found.event,
        found.seq,
        found.proposed_by,
        found.superseded,
        [msgspec.to_builtins(step) for step in found.steps],
        published(found),
    )


def review(context: Context, names: Sequence[str] = (), out: str | None = None) -> ChangeReview:
    """Render the brief of these plans, or of all that stand, and record it where it is new.

    Raises Usage for a name that is no plan and where no plan stands, Conflict for plans that were drawn from two graphs:
    a brief is of one. With `out` both files are written into that folder; Refused for files of somebody else there.
    """
    places = _places(context, out)
    with open_ledger(context) as ledger:
        folded = _folded(context, ledger, None)
        state: Changes = folded.states["changeplans"]
        chosen = [_named(state, name) for name in dict.fromkeys(names)] or list(
            standing(state, graph_of(state))
        )
        if not chosen:
            raise Usage("no plan stands", safe="nothing was recorded", remedy="t2c change plan draws plans")
        graphs = sorted({str(one.plan["evidence"]["graphFingerprint"]) for one in chosen})
        if len(graphs) > 1:
            raise Conflict(
                f"these plans were drawn from {len(graphs)} graphs, and a brief is of one",
                safe="nothing was recorded",
                remedy="review them one by one, or draw them again: t2c change plan",
            )
        distinct = {one.id: one for one in chosen}
        markdown = brief((one.plan for one in distinct.values()), graphs[0])
        made = review_document((one.plan for one in distinct.values()), graphs[0], markdown)
        hash = made["renderedPatchHash"]
        seq, ts, new = folded.position.seq, state.reviews.get(hash), False
        if ts is None:
            seq, ts, new = *_record(context, ledger, made, markdown, tuple(distinct.values())), True
    result = dated(made, ts)
    for file, content in ((_FILES[0], markdown), (_FILES[1], pretty(result))):
        if file in places:
            write_artefact(places[file], content)
    others = 0 if names else sum(one.pending for one in state.plans.values()) - len(distinct)
    files = [place.relative_to(context.root).as_posix() for place in places.values()]
    return ChangeReview(seq, new, others, files, result, markdown.decode())


def _record(
    context: Context, ledger: Ledger, made: Mapping[str, Any], markdown: bytes, plans: Sequence[Planned]
) -> tuple[int, str]:
    from t2c.ledger.events.changes import PatchRendered

    proposed = sorted({who for one in plans for who in one.proposed_by})
    payload = PatchRendered(
        kind="review",
        hash=made["renderedPatchHash"],
        shown=ledger.objects.put(markdown),
        artifact=dict(made),
        plans=tuple(made["planIds"]),
        proposed_by=tuple(proposed),
    )
    cause = tuple(one.event for one in plans)
    receipt = ledger.append([draft(payload, actor=Actor.parse(context.settings.actor), cause=cause)])[0]
    entry = next(ledger.entries(until=receipt.seq, after=ledger.journal.position(receipt.seq - 1)))
    return receipt.seq, entry.ts


def _places(context: Context, out: str | None) -> dict[str, Path]:
    if out is None:
        return {}
    markdown, json = _FILES
    return places_of_artefacts(
        context,
        {
            markdown: (f"{out.rstrip('/') or '.'}/{markdown}", markdown_page(REVIEW)),
            json: (f"{out.rstrip('/') or '.'}/{json}", json_document(REVIEW)),
        },
    )


def _folded(context: Context, ledger: Ledger, at: str | None) -> Folded:
    with_events(ledger)
    until = None if at is None else resolve(context, ledger, at).seq
    return fold(ledger.journal, ALL, ["changeplans"], until=until, cache=ledger.cache / "folds")


def _named(state: Changes, name: str) -> Planned:
    """The plan that is meant."""
    exact = [one for one in state.plans.values() if name in (one.id, one.hash, one.event, str(one.seq))]
    if exact:
        return exact[0]
    digits = _HEX.fullmatch(name)
    begins = [one for one in state.plans.values() if digits and one.hash.startswith(digits[1])]
    if len(begins) == 1:
        return begins[0]
    near = [one.id for one in begins[:3]] or get_close_matches(name, state.plans, 2)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    raise Usage(
        f"several plans begin with {name}" if begins else f"there is no plan {name!r}",
        safe="nothing was changed",
        remedy=f"{hint}`t2c change list --all` lists them",
    )
