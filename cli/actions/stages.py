"""One stage that reads records with a model: what it is asked to do, how it went, and what is kept of that."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Literal, TypeVar

from t2c import __version__
from t2c.cli.actions.context import Context
from t2c.cli.actions.readings import Interpreter, Stood
from t2c.cli.sections import StageMode
from t2c.ledger.events.llm import Story
from t2c.ledger.llm.ask import Answered, Asker, Asking, Unanswered
from t2c.ledger.llm.stages.batches import Failure
from t2c.ledger.llm.stages.prompts import Prompt
from t2c.ledger.llm.stages.reading import Generator, Readable, Said, event_of
from t2c.ledger.llm.synthesis.audit import published

__all__ = ["WAVES", "Requested", "Stage", "StageAudit", "Status"]

V = TypeVar("V")
Status = Literal["succeeded", "partial", "fallback", "failed", "skipped"]
Requested = Literal["deterministic", "llm", "disabled"]

WAVES: Final = 4
"""How many times the concurrency is asked before what was answered is recorded."""


@dataclass(frozen=True, slots=True)
class StageAudit:
    """How one stage went (intent-evidence §6.4).

    `recordCount` counts the records of the stage, `interpreted` those that have a reading of what they say now,
    `recorded` the events that this call recorded of what was read. `durationMs` is 0 where nobody was asked, `cost` of a
    response is in US dollars.
    """

    schema: ClassVar[str] = "t2c.stage-audit/v1"
    stage: str
    runtimeVersion: str
    configuration: Mapping[str, Any]
    status: Status
    requestedMode: Requested
    effectiveMode: Literal["deterministic", "llm", "none"]
    degraded: bool
    recordCount: int
    interpreted: int
    recorded: int
    warningCount: int
    warnings: Sequence[str]
    model: str | None
    durationMs: int
    reason: Mapping[str, str] | None
    responses: Sequence[Mapping[str, Any]]


class Stage:
    """One stage of one call. A kind of stage says which records it reads, and how."""

    name: ClassVar[str]
    prompt: ClassVar[Prompt]
    sources: ClassVar[tuple[str, ...]]
    """The kinds of source whose records it reads."""
    own_model: ClassVar[str]
    """The setting that names a model for this stage alone."""
    empty: ClassVar[Failure]
    """Why it is skipped where no record of its kind stands."""

    def __init__(
        self, context: Context, asker: Asker, interpreter: Interpreter, now: Stood, mode: StageMode
    ) -> None:
        self.settings = context.settings.llm
        self.now = now
        self.interpreter = interpreter
        self.model: str = getattr(self.settings, self.own_model) or self.settings.model
        self.answered = 0
        self.anew = asker.mode == "live"
        """True where what was read before is asked about again, by another model perhaps."""
        self.notices: list[str] = []
        """What was left out by a limit, told as a warning."""
        self._context = context
        self._asker = asker
        self._mode = mode
        self._stories: list[Story] = []
        self._withheld = 0

    def wanted(self, record: Mapping[str, Any]) -> bool:
        """True for a record that the stage reads."""
        raise NotImplementedError

    def questions_about(self, records: Sequence[Readable]) -> Sequence[Asking[Any]]:
        """The questions about those of the records that have no reading of what they say now."""
        raise NotImplementedError

    def read(self, records: Sequence[Readable]) -> Failure | None:
        """Ask about the records and record what is said of them; why that was not all, or None."""
        raise NotImplementedError

    def when_failed(self) -> Status:
        """What a failure leaves where a model is preferred and not required."""
        return "fallback"

    def is_read(self, one: Readable) -> bool:
        """True for a record whose reading stands and is good enough."""
        return not self.anew and self.now.is_read(one, self.prompt.name)

    def questions(self) -> Sequence[Asking[Any]]:
        """What is asked first if the stage is done now; nothing is asked."""
        if self._mode == "deterministic":
            return ()
        return self.questions_about(self.now.of(self.sources, self.wanted))

    def run(self) -> StageAudit:
        """Do the stage, as far as it is asked for and there is anything to read."""
        if self._asker.mode == "off":
            return self._audit("skipped", "disabled", Failure("LLM_DISABLED", "asking a model is off"))
        if self._mode == "deterministic":
            return self._audit("succeeded", "deterministic", None)
        records = self.now.of(self.sources, self.wanted)
        if not records:
            self.read(())  # what was left out of texts that are gone is left out no more
            return self._audit("skipped", "llm", self.empty)
        began, mark = self._context.clock.now(), self.interpreter.begin()
        failure = self.read(records)
        if failure is None and self._withheld:
            told = f"{self._withheld:,} readings hold a secret where it cannot be masked"
            failure = Failure("LLM_RESPONSE_INVALID", told)
        spent = self._context.clock.now() - began
        status: Status = "succeeded"
        if failure is not None:
            status = "failed" if self._mode == "require-llm" else self.when_failed()
        covered = sum(self.now.is_read(one, self.prompt.name) for one in records)
        counts = {"records": len(records), "interpreted": covered}
        recorded = self.interpreter.end(mark, self.name, status, failure, counts)
        milliseconds = max(0, round(spent.total_seconds() * 1000)) if self._stories else 0
        return self._audit(
            status, "llm", failure, counts=(len(records), covered, recorded), milliseconds=milliseconds
        )

    def ask_many(self, askings: Sequence[Asking[V]]) -> list[Answered[V] | Unanswered]:
        """Ask, and keep for the audit how it went."""
        outcomes = self._asker.ask_many(askings, self.settings.concurrency)
        for outcome in outcomes:
            if isinstance(outcome, Unanswered):
                self._stories += outcome.stories
            else:
                self.answered += 1
                self._stories.append(outcome.story)
        return outcomes

    def take(
        self,
        answer: Answered[Any],
        readings: Sequence[Said],
        about: Mapping[str, Readable],
        maker: Callable[[Readable], Generator],
    ) -> None:
        """Record the readings that an answer gives of some of the records, by id."""
        events = [
            event_of(
                about[one.id],
                one,
                stage=self.name,
                prompt=self.prompt.name,
                generator=maker(about[one.id]),
                story=answer.story,
                answered=answer.event,
            )
            for one in readings
        ]
        self._withheld += self.interpreter.readings(events, answer.story)

    def _audit(
        self,
        status: Status,
        requested: Requested,
        failure: Failure | None,
        *,
        counts: tuple[int, int, int] = (0, 0, 0),
        milliseconds: int = 0,
    ) -> StageAudit:
        degraded = status in ("partial", "fallback")
        effective: Literal["deterministic", "llm", "none"] = "none"
        if status == "fallback" or requested == "deterministic":
            effective = "deterministic"
        elif status in ("succeeded", "partial"):
            effective = "llm"
        warnings = [*self.notices]
        if failure is not None and degraded:
            warnings.append(_told(self.name, status, failure))
        served = [story.served for story in self._stories if story.served]
        return StageAudit(
            stage=self.name,
            runtimeVersion=__version__,
            configuration=self._configuration(),
            status=status,
            requestedMode=requested,
            effectiveMode=effective,
            degraded=degraded,
            recordCount=counts[0],
            interpreted=counts[1],
            recorded=counts[2],
            warningCount=len(warnings),
            warnings=warnings,
            model=(served[-1] if served else self.model) if requested == "llm" else None,
            durationMs=milliseconds,
            reason=None if failure is None else failure._asdict(),
            responses=published(self._stories),
        )

    def _configuration(self) -> dict[str, Any]:
        """What the stage was configured with; a key is no part of it."""
        asked = self._asker.model
        return {
            "model": self.model,
            "baseUrl": self.settings.base_url if asked is None else asked.endpoint,
            "mode": self._asker.mode,
            "stageMode": self._mode,
            "prompt": self.prompt.name,
            "timeoutMs": self.settings.timeout_ms,
            "maxTokens": self.settings.max_tokens,
            "temperature": self.settings.temperature,
            "concurrency": self.settings.concurrency,
            "requireStructuredOutput": self.settings.require_parameters,
            "responseHealing": False,
        }


def _told(stage: str, status: Status, failure: Failure) -> str:
    if status == "partial":
        return f"{stage} was read in part (DOCUMENT_EXTRACTION_PARTIAL): {failure.code}: {failure.message}"
    return f"{stage} used deterministic fallback ({failure.code}): {failure.message}"
