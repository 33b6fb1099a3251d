"""From an answer that keeps every rule to what is recorded: the one way to a conclusion or proposal of a model.

Nothing that the answer says sets an id, a status, a provenance or an order; those are made here (decisions D9). A
synthesis is recorded whole or not at all, and one that draws exactly what its latest forerunner drew is not recorded
again: a repeated question is no new evidence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple

from t2c import __version__
from t2c.ledger.events.decisions import ConclusionDrawn, ProposalRaised
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.llm import Story
from t2c.ledger.events.runs import DegradationNoted, RunFinished, RunStarted, StageFinished
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.canon import artifact
from t2c.ledger.kernel.digests import short
from t2c.ledger.llm.synthesis.audit import responses
from t2c.ledger.llm.synthesis.contract import (
    SUMMARY,
    TASKS,
    Generation,
    Mode,
    conclusion,
    fingerprint,
    proposal,
)
from t2c.ledger.llm.synthesis.standing import STAGES, VERBS, Made
from t2c.ledger.llm.synthesis.summary import Concluded
from t2c.ledger.llm.synthesis.tasks import Raised

__all__ = ["Source", "Synthesis", "Voice", "drafts", "synthesise"]

_TOLD: Final = 200
"""Characters of a title that was left out, and of the reason."""
_RESTS: Final = "it rests on what was left out, or waits for it"


class Voice(NamedTuple):
    """Who answered: the `llm.answered` event, the actor who says it, and how the request went."""

    event: str
    actor: Actor
    story: Story
    provider: str


class Source(NamedTuple):
    """What a synthesis is made of and how. `brief` and `graph` are digests; `configuration` holds no secret."""

    kind: Literal["summary", "tasks"]
    mode: Mode
    language: str
    brief: str
    graph: str
    configuration: Mapping[str, Any]
    records: int

    @property
    def id(self) -> str:
        """The name of the synthesis: kind and digest of all that went in."""
        seed = {
            "brief": self.brief,
            "configuration": fingerprint(self.configuration),
            "graph": self.graph,
            "language": self.language,
            "mode": self.mode,
        }
        return f"{self.kind}-{short(artifact(seed))}"


class Synthesis(NamedTuple):
    """What was drawn; `abstained` tells of conclusions and proposals that were left out, each with its reason.

    `failure` is the code and text of why no model answered.
    """

    source: Source
    conclusions: tuple[dict[str, Any], ...] = ()
    proposals: tuple[dict[str, Any], ...] = ()
    abstained: tuple[tuple[str, str], ...] = ()
    stories: tuple[Story, ...] = ()
    voice: Voice | None = None
    failure: tuple[str, str] | None = None

    @property
    def status(self) -> Literal["succeeded", "fallback"]:
        return "fallback" if self.failure is not None else "succeeded"


def synthesise(
    source: Source,
    voice: Voice,
    concluded: Sequence[Concluded],
    raised: Sequence[Raised] = (),
    unsupported: Mapping[int, str] | None = None,
    unsupported_tasks: Mapping[int, str] | None = None,
) -> Synthesis:
    """The conclusions and proposals of an answer that breaks no rule.

    `unsupported` names, by place, conclusions that say something without ground, `unsupported_tasks` proposals: these are
    left out, and with them every proposal that rests on or waits for one of them.
    """
    story = voice.story
    generation = Generation(
        SUMMARY if source.kind == "summary" else TASKS,
        source.mode,
        fingerprint(source.configuration),
        model=story.served or story.requested,
        provider=voice.provider,
        response=story.response_id,
    )
    abstained = [(concluded[place].said.title, why) for place, why in sorted((unsupported or {}).items())]
    kept = {
        one.said.key or str(place): conclusion(
            kind=one.said.kind,
            title=one.said.title,
            detail=one.said.detail,
            severity=one.said.severity,
            diagnostics=one.said.diagnostic_ids,
            records=one.records,
            confidence=one.said.confidence,
            generation=generation,
        )
        for place, one in enumerate(concluded)
        if place not in (unsupported or {})
    }
    left = {raised[place].task.key: why for place, why in (unsupported_tasks or {}).items()}
    standing, fallen = _resting(raised, kept.keys(), left.keys())
    abstained += [(one.task.title, left.get(one.task.key, _RESTS)) for one in fallen]
    return Synthesis(
        source,
        tuple(kept.values()),
        tuple(_proposals(standing, kept, generation)),
        tuple(abstained),
        (story,),
        voice,
    )


def _resting(raised: Sequence[Raised], kept: Any, left: Iterable[str]) -> tuple[list[Raised], list[Raised]]:
    """The proposals that stand: not `left` out, all of whose conclusions were kept, waiting for such alone; the others."""
    gone = set(left)
    while True:
        more = {
            one.task.key
            for one in raised
            if one.task.key not in gone
            and (not kept >= set(one.task.conclusion_keys) or gone.intersection(one.task.dependency_keys))
        }
        if not more:
            break
        gone |= more
    return [one for one in raised if one.task.key not in gone], [
        one for one in raised if one.task.key in gone
    ]


def _proposals(
    raised: Sequence[Raised], concluded: Mapping[str, Mapping[str, Any]], generation: Generation
) -> Iterator[dict[str, Any]]:
    """Proposals with their ids; each waits for others by theirs and inherits the evidence of its conclusions."""
    ids: dict[str, str] = {}
    for binding in (False, True):
        for one in raised:
            task = one.task
            rests = [concluded[key] for key in task.conclusion_keys]
            made = proposal(
                title=task.title,
                description=task.description,
                priority=task.priority,
                target=one.target,
                criteria=task.acceptance_criteria,
                dependencies=[ids[key] for key in task.dependency_keys] if binding else (),
                conclusions=[found["id"] for found in rests],
                diagnostics=[identity for found in rests for identity in found["diagnosticIds"]],
                records=[identity for found in rests for identity in found["recordIds"]],
                confidence=task.confidence,
                generation=generation,
            )
            ids[task.key] = made["id"]
            if binding:
                yield made


def drafts(
    made: Synthesis, latest: Made | None, *, run: str, requested_by: str, revision: str | None
) -> list[EventDraft]:
    """The events of a synthesis, one run; none where the latest of its kind says the same."""
    source = made.source
    drawn = tuple(sorted(one["id"] for one in (*made.conclusions, *made.proposals)))
    detail = None if made.failure is None else f"{made.failure[0]}: {made.failure[1]}"
    if latest is not None and (latest.id, latest.status, latest.drawn) == (source.id, made.status, drawn):
        same_reason = (latest.detail or "").partition(":")[0] == (detail or "").partition(":")[0]
        if same_reason:
            return []
    verb = next(verb for verb, kind in VERBS.items() if kind == source.kind)
    options: dict[str, Any] = {
        "synthesis": source.id,
        "mode": source.mode,
        "language": source.language,
        "brief": source.brief,
        "graph": source.graph,
        "configuration": dict(source.configuration),
        "records": source.records,
        "responses": responses(made.stories),
        "abstained": [{"title": _told(title), "why": _told(why)} for title, why in made.abstained],
    }
    started = RunStarted(
        verb=verb,
        requested_by=requested_by,
        tool=f"t2c {__version__}",
        revision=revision,
        branch=None,
        options=options,
    )
    stage = STAGES[source.kind]
    counts = {
        "conclusions": len(made.conclusions),
        "proposals": len(made.proposals),
        "abstained": len(made.abstained),
    }
    found = [draft(started, run=run)]
    if made.failure is not None:
        noted = DegradationNoted(stage=stage, asked="llm", done="deterministic", reason=detail or "unknown")
        found.append(draft(noted, run=run))
    found += _said(made, run)
    finished = StageFinished(stage=stage, status=made.status, counts=counts, detail=detail)
    found.append(draft(finished, run=run))
    appended: dict[str, int] = {}
    for one in found:
        appended[one.type] = appended.get(one.type, 0) + 1
    found.append(draft(RunFinished(status="succeeded", appended=appended, detail=None), run=run))
    return found


def _told(text: str) -> str:
    """A text of what was left out, cut: all of these stand in one event."""
    return text if len(text) <= _TOLD else text[: _TOLD - 1] + "…"


def _said(made: Synthesis, run: str) -> Iterator[EventDraft]:
    if made.voice is None:
        return
    by, who, synthesis = made.voice.event, made.voice.actor, made.source.id
    for one in made.conclusions:
        drawn = ConclusionDrawn(id=one["id"], synthesis=synthesis, conclusion=one, by=by)
        yield draft(drawn, actor=who, cause=(by,), run=run)
    for one in made.proposals:
        raised = ProposalRaised(id=one["id"], synthesis=synthesis, proposal=one, by=by)
        yield draft(raised, actor=who, cause=(by,), run=run)
