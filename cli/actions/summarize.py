"""`t2c summarize`: a report of what is asked, there and different, and with a model what follows from it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import msgspec

from t2c.cli.actions import artefacts
from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, with_events
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.synthesis import (
    Outcome,
    Preview,
    chosen_mode,
    folded_for,
    inputs_of,
    preview,
    synthesis_of,
)
from t2c.ledger.errors import Usage
from t2c.projections.conclusions import deterministic, report_of, shown
from t2c.projections.conclusions.model import Report
from t2c.projections.diagnostics.messages import LANGUAGES, Language
from t2c.projections.render.report import MARK

__all__ = ["Summarized", "SummaryRequest", "SummaryResult", "keep", "place", "preview_of", "summarize"]


class SummaryRequest(NamedTuple):
    """`mode` None is what the settings say, and without a model what stands; deterministic leaves out its words."""

    mode: str | None = None
    language: str = "en"
    at: str | None = None


@dataclass(frozen=True, slots=True)
class SummaryResult:
    """Conclusions `t2c.conclusion/v1` and the report as of event `seq`.

    `abstained` tells of conclusions of the model that were left out, `audit` how it was asked, null where it was not;
    `appended` counts the events that were recorded now.
    """

    schema: ClassVar[str] = "t2c.summarized/v1"
    seq: int
    mode: str
    conclusions: Sequence[Mapping[str, Any]]
    abstained: Sequence[Mapping[str, str]]
    audit: Mapping[str, Any] | None
    appended: int
    omitted: Mapping[str, int]
    report: Mapping[str, Any]


class Summarized(NamedTuple):
    """The result, the report in the language asked for, and what a caller should be told beside it."""

    result: SummaryResult
    report: Report
    language: str
    notices: tuple[str, ...]


def summarize(context: Context, request: SummaryRequest, state: Path) -> Summarized:
    """The report; with a model also what it concludes, which is recorded.

    Raises Usage for an unknown mode, language or moment, and for a model that is asked about the past; Model (exit 7)
    with the failed audit where an answer was required.
    """
    language = _language(request.language)
    settings = context.settings.llm
    mode = chosen_mode(request.mode, settings.summary, settings.mode)
    if request.at is not None and mode != "deterministic":
        if request.mode is not None:
            raise Usage(
                "a model is asked about what stands now, not about the past",
                remedy="leave out --at, or give --mode deterministic",
            )
        mode = "deterministic"
    with open_ledger(context) as ledger:
        with_events(ledger)
        until = None if request.at is None else resolve(context, ledger, request.at).seq
        outcome = None
        if mode != "deterministic":
            outcome = synthesis_of(context, ledger, state, "summary", mode, language)
        context.progress("fold", 0, None)
        folded = folded_for(ledger, "conclusions", until)
        inputs, syntheses = inputs_of(folded), folded.states["conclusions"]
        told = report_of(syntheses, inputs, language)
        conclusions = [_dated(one, inputs.ts) for one in shown(syntheses, inputs)]
        failure = None if outcome is None else outcome.synthesis.failure
        if failure is not None or request.mode == "deterministic":
            made = (
                deterministic(inputs) if failure is None else deterministic(inputs, "prefer-llm", failure[0])
            )
            conclusions = [_dated(one, inputs.ts) for one in made]
            told = msgspec.structs.replace(told, concluded=(), by=None, abstained=0)
    return Summarized(
        _result(folded.position.seq, mode, conclusions, outcome, told),
        told,
        language,
        tuple(_notices(outcome)),
    )


def preview_of(context: Context, request: SummaryRequest, state: Path) -> Preview:
    """What a model would be sent for a summary; nothing is recorded or sent."""
    language = _language(request.language)
    with open_ledger(context) as ledger:
        with_events(ledger)
        return preview(context, ledger, state, "summary", language)


def place(context: Context, out: str, format: str) -> Path:
    """Where a summary in this format may be written. Raises Usage, and Refused for a file of somebody else."""
    kind = artefacts.markdown_page(MARK)
    if format == "json":
        kind = artefacts.json_document(SummaryResult.schema)
    return artefacts.places_of_artefacts(context, {"--out": (out, kind)})["--out"]


def keep(context: Context, path: Path, content: bytes) -> str:
    """Write a summary to a file inside the root; its path there. Raises Environment."""
    artefacts.write_artefact(path, content)
    return path.relative_to(context.root).as_posix()


def _language(given: str) -> Language:
    for language in LANGUAGES:
        if given == language:
            return language
    raise Usage(f"there is no language {given!r}", remedy=f"there are {', '.join(LANGUAGES)}")


def _dated(one: Mapping[str, Any], ts: str) -> Mapping[str, Any]:
    from t2c.ledger.llm.synthesis.contract import dated

    return dated(one, ts)


def _result(
    seq: int, mode: str, conclusions: Sequence[Mapping[str, Any]], outcome: Outcome | None, told: Report
) -> SummaryResult:
    abstained = () if outcome is None else outcome.synthesis.abstained
    return SummaryResult(
        seq,
        mode,
        conclusions,
        [{"title": title, "why": why} for title, why in abstained],
        None if outcome is None else outcome.audit,
        0 if outcome is None else outcome.appended,
        {} if outcome is None else outcome.omitted,
        msgspec.to_builtins(told),
    )


def _notices(outcome: Outcome | None) -> Sequence[str]:
    if outcome is None:
        return []
    found = [f"left out “{title}”: {why}" for title, why in outcome.synthesis.abstained]
    failure = outcome.synthesis.failure
    if outcome.audit["status"] == "skipped":
        found.append(f"no model was asked: {outcome.audit['reason']['message']}")
    if failure is not None:
        found.append(f"summary used deterministic fallback ({failure[0]}): {failure[1]}")
    return found
