"""Asking a model for a synthesis and recording what it draws: what `summarize` and `todo propose` have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple
from urllib.parse import urlsplit

import orjson

from t2c.cli.actions.context import Context
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Model, Usage
from t2c.projections.base import Inputs
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

if TYPE_CHECKING:
    from t2c.ledger.events.draft import EventDraft
    from t2c.ledger.llm.ask import Asker
    from t2c.ledger.llm.asking import Answered, Unanswered
    from t2c.ledger.llm.synthesis.contract import Mode
    from t2c.ledger.llm.synthesis.drawing import Source, Synthesis
    from t2c.projections.briefs import Briefing

__all__ = ["Kind", "Outcome", "Preview", "chosen_mode", "folded_for", "inputs_of", "preview", "synthesis_of"]

Kind = Literal["summary", "tasks"]
_PURPOSES: Mapping[Kind, str] = {"summary": "summary", "tasks": "task"}
_ATTEMPTS = 5


@dataclass(frozen=True, slots=True)
class Preview:
    """What a model would be shown and sent, were it asked now: `request` is the SHA-256 of `bytes` bytes.

    `shown` counts what the brief holds, `omitted` what it leaves out by its limits.
    """

    schema: ClassVar[str] = "t2c.synthesis-preview/v1"
    stage: str
    model: str
    request: str
    bytes: int
    brief: str
    shown: int
    omitted: Mapping[str, int]
    text: str


class Outcome(NamedTuple):
    """A synthesis, its audit, how many events were recorded of it, and where it was taken from."""

    synthesis: Synthesis
    audit: Mapping[str, Any]
    appended: int
    replayed: bool
    omitted: Mapping[str, int]


def chosen_mode(given: str | None, setting: Mode, llm: str) -> Mode:
    """What is done: as given, else without a model where none is to be asked, else as the settings say.

    Raises Usage for a mode that is none.
    """
    modes: tuple[Mode, ...] = ("deterministic", "prefer-llm", "require-llm")
    for mode in modes:
        if given == mode:
            return mode
    if given is not None:
        raise Usage(f"there is no mode {given!r}", remedy=f"there are {', '.join(modes)}")
    return "deterministic" if llm == "off" else setting


def folded_for(ledger: Ledger, name: str, until: int | None = None) -> Folded:
    """The folded states of a view and of all that it reads."""
    return fold(ledger.journal, ALL, [name], until=until, cache=ledger.cache / "folds")


def inputs_of(folded: Folded) -> Inputs:
    """What views read of a fold."""
    return Inputs(folded.ts or "", folded.states, folded.made)


def preview(context: Context, ledger: Ledger, state: Path, kind: Kind, language: str) -> Preview:
    """What would be sent; nothing is recorded or sent."""
    from hashlib import sha256

    from t2c.cli.actions.model import asker_of, model_name

    briefing = _briefing(inputs_of(folded_for(ledger, "proposals")), kind)
    with asker_of(context, ledger, state, mode="off") as asker:
        question = _question(context, briefing, kind, language)
        body = asker.preview(question)
    return Preview(
        question.stage,
        model_name(context, _PURPOSES[kind]),
        sha256(body).hexdigest(),
        len(body),
        briefing.brief.digest,
        len(briefing.brief.items),
        dict(briefing.brief.omitted),
        body.decode(),
    )


def synthesis_of(
    context: Context, ledger: Ledger, state: Path, kind: Kind, mode: Mode, language: str
) -> Outcome:
    """Ask a model and record what it draws, or that it could not be had. Of no finding nobody is asked anything.

    Raises Model (exit 7) with the failed audit where an answer was required, and what asking raises (decisions D10).
    """
    from t2c.cli.actions.model import asker_of
    from t2c.ledger.llm.asking import Unanswered

    inputs = inputs_of(folded_for(ledger, "proposals"))
    briefing = _briefing(inputs, kind)
    source = _source(context, briefing, inputs, kind, mode, language)
    if not briefing.citable.diagnostics:
        return _nothing_to_say(source, briefing)
    replayed = False
    with asker_of(context, ledger, state) as asker:
        context.progress("ask", 0, None)
        try:
            made, replayed = _asked(context, asker, briefing, source)
        except Unanswered as error:
            if mode == "require-llm":
                raise _required(source, error) from None
            made = _fallen(source, error)
    appended = _record(context, ledger, made, briefing)
    return Outcome(made, _audit(made), appended, replayed, dict(briefing.brief.omitted))


def _briefing(inputs: Inputs, kind: Kind) -> Briefing:
    from t2c.projections.briefs import summary_brief, task_brief

    return summary_brief(inputs) if kind == "summary" else task_brief(inputs)


def _question(context: Context, briefing: Briefing, kind: Kind, language: str) -> Any:
    from t2c.cli.actions.model import model_name
    from t2c.ledger.llm.synthesis.questions import summary_question, task_question

    ask = summary_question if kind == "summary" else task_question
    model, tokens = model_name(context, _PURPOSES[kind]), context.settings.llm.max_tokens
    return ask(briefing.brief, briefing.citable, model, language, tokens)


def _source(
    context: Context, briefing: Briefing, inputs: Inputs, kind: Kind, mode: Mode, language: str
) -> Source:
    from t2c.cli.actions.model import model_name
    from t2c.ledger.llm.synthesis.drawing import Source
    from t2c.projections.graph import fingerprint

    llm = context.settings.llm
    configuration = {
        "model": model_name(context, _PURPOSES[kind]),
        "baseUrl": llm.base_url,
        "timeoutMs": llm.timeout_ms,
        "maxTokens": llm.max_tokens,
        "temperature": llm.temperature,
        "requireStructuredOutput": llm.schema != "json_object",
        "responseHealing": False,
    }
    shown = len(briefing.citable.records)
    return Source(kind, mode, language, briefing.brief.digest, fingerprint(inputs), configuration, shown)


def _asked(context: Context, asker: Asker, briefing: Briefing, source: Source) -> tuple[Synthesis, bool]:
    from t2c.ledger.llm.receipts import agent
    from t2c.ledger.llm.synthesis.drawing import Voice, synthesise
    from t2c.ledger.llm.synthesis.grounding import unsupported, unsupported_tasks

    answered: Answered[Any] = asker.ask(_question(context, briefing, source.kind, source.language))
    story = answered.story
    provider = story.provider or urlsplit(context.settings.llm.base_url).hostname or "unnamed"
    voice = Voice(answered.event, agent(story, asker.ledger.funnel), story, provider)
    concluded = answered.value if source.kind == "summary" else answered.value.conclusions
    raised = () if source.kind == "summary" else answered.value.proposals
    left = unsupported(concluded, briefing.grounds, briefing.severities)
    tasks = unsupported_tasks(raised, concluded, briefing.citable, briefing.grounds)
    return synthesise(source, voice, concluded, raised, left, tasks), answered.replayed


def _nothing_to_say(source: Source, briefing: Briefing) -> Outcome:
    from t2c.ledger.llm.synthesis.audit import audit
    from t2c.ledger.llm.synthesis.drawing import Synthesis

    skipped = audit(
        status="skipped",
        requested=source.mode,
        configuration=source.configuration,
        told=(),
        records=0,
        warnings=0,
        reason=("NO_FINDINGS", "nothing was found from which something could be concluded"),
    )
    return Outcome(Synthesis(source), skipped, 0, False, dict(briefing.brief.omitted))


def _fallen(source: Source, error: Unanswered) -> Synthesis:
    from t2c.ledger.llm.synthesis.drawing import Synthesis

    return Synthesis(source, stories=error.stories, failure=(error.code, error.detail))


def _required(source: Source, error: Unanswered) -> Model:
    from t2c.ledger.llm.synthesis.audit import audit, responses

    failed = audit(
        status="failed",
        requested=source.mode,
        configuration=source.configuration,
        told=responses(error.stories),
        records=0,
        warnings=0,
        reason=(error.code, error.detail),
    )
    return Model(
        f"a model's answer was required, and there is none: {error.detail}",
        safe="what was asked and what came back is recorded; nothing was concluded from it",
        remedy="`t2c llm log` shows what happened; --mode prefer-llm goes on without a model",
        code=error.code,
        audit=failed,
    )


def _audit(made: Synthesis) -> Mapping[str, Any]:
    from t2c.ledger.llm.synthesis.audit import audit, responses

    return audit(
        status=made.status,
        requested=made.source.mode,
        configuration=made.source.configuration,
        told=responses(made.stories),
        records=len(made.conclusions) + len(made.proposals),
        warnings=len(made.abstained) + (made.failure is not None),
        reason=made.failure,
    )


def _record(context: Context, ledger: Ledger, made: Synthesis, briefing: Briefing) -> int:
    """Append the synthesis and what its brief left out, as far as that is new; how many events these were."""
    from t2c.ledger.journal.append import Expected
    from t2c.ledger.kernel.clock import rfc3339
    from t2c.ledger.kernel.ids import run_id
    from t2c.ledger.llm.synthesis.drawing import drafts

    for _ in range(_ATTEMPTS):
        folded = folded_for(ledger, "proposals")
        head = folded.position
        run = run_id(head.hash, rfc3339(context.clock.now()))
        latest = folded.states["conclusions"].latest.get(made.source.kind)
        revision = _revision(inputs_of(folded))
        found = [
            *_omissions(folded.states["diagnostics"].omissions, made, briefing),
            *drafts(made, latest, run=run, requested_by=context.settings.actor, revision=revision),
        ]
        if not found:
            return 0
        try:
            return len(ledger.append(found, expected=Expected(head.seq, head.hash), atomic=True))
        except Conflict as conflict:
            if "hash" not in conflict.details:
                raise
    raise Conflict(
        "other writers kept changing the ledger while a synthesis was recorded",
        safe="the answer is recorded, and nothing was concluded from it yet",
        remedy="run the command again; the answer is taken from the record",
    )


def _omissions(noted: Mapping[str, Any], made: Synthesis, briefing: Briefing) -> Sequence[EventDraft]:
    """What a brief leaves out is live evidence: noted where it changed, cleared where it is no more (decisions B2)."""
    from t2c.ledger.events.draft import draft
    from t2c.ledger.events.runs import OmissionCleared, OmissionNoted
    from t2c.ledger.llm.synthesis.standing import STAGES

    stage, reason = STAGES[made.source.kind], "brief_limit"
    left = {what: count for what, count in briefing.brief.omitted.items() if what != "texts_shortened"}
    former = next((one for one in noted.values() if (one.source, one.reason) == (stage, reason)), None)
    detail = ", ".join(f"{what} {count:,}" for what, count in sorted(left.items()))
    if left and (former is None or former.detail != detail):
        payload = OmissionNoted(
            source=stage, path=None, reason="brief_limit", count=sum(left.values()), lines=(), detail=detail
        )
        return [draft(payload)]
    if former is not None and not left:
        return [draft(OmissionCleared(source=stage, path=None, reason="brief_limit"))]
    return []


def _revision(inputs: Inputs) -> str | None:
    """The commit that the records are of."""
    from t2c.projections.facts import Facts

    newest = (fact for fact in Facts.of(inputs).of_kind("git") if fact.source.commitIndex == 1)
    return next((fact.source.revision for fact in newest if fact.source.revision), None)


def parsed(content: Any) -> Any:
    """The document of an artifact."""
    return orjson.loads(content if isinstance(content, bytes) else b"".join(content))
