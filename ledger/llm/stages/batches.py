"""Asking about many records: batch after batch, what is rejected or missing again in halves (intent-evidence §6.3)."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

from t2c.ledger.events.llm import Unusable
from t2c.ledger.llm.ask import Answered, Asking, Unanswered
from t2c.ledger.llm.stages.markdown import BATCH, Enriched
from t2c.ledger.llm.stages.reading import Readable

__all__ = ["SPLIT", "Failure", "batches", "enriched"]

SPLIT: Final[frozenset[Unusable]] = frozenset(
    {
        "refused", "truncated", "reasoning_used_the_budget", "not_json", "duplicate_key", "schema_violation",
        "rule_violation", "empty",
    }
)  # fmt: skip
"""What says something of the batch and not of the provider: fewer records may be answered."""
_MOST_FAILED: Final = 3
"""Single records without a usable answer after which nothing more is asked: the stage has failed already."""

AskMany = Callable[[Sequence[Asking[Enriched]]], Sequence[Answered[Enriched] | Unanswered]]
Took = Callable[[Answered[Enriched]], None]


class Failure(NamedTuple):
    """Why a stage has not all that it asked for: the published code and what happened."""

    code: str
    message: str


def enriched(
    records: Sequence[Readable],
    ask: Callable[[Sequence[Readable]], Asking[Enriched]],
    ask_many: AskMany,
    took: Took,
    *,
    at_once: int,
    size: int = BATCH,
) -> Failure | None:
    """Ask about all records; `took` gets each usable answer, in order. The first failure, or None.

    A provider that cannot be had ends the work at once, and so do _MOST_FAILED records that are answered by nothing.
    """
    waiting = deque(batches(records, size))
    failures: list[Failure] = []
    while waiting:
        wave = [waiting.popleft() for _ in range(min(at_once, len(waiting)))]
        again: list[Sequence[Readable]] = []
        stopped: Failure | None = None
        for batch, outcome in zip(wave, ask_many([ask(batch) for batch in wave]), strict=True):
            if isinstance(outcome, Unanswered):
                if outcome.reason not in SPLIT:
                    stopped = stopped or Failure(outcome.code, outcome.detail)
                elif len(batch) == 1:
                    failures.append(Failure(outcome.code, f"{batch[0].id}: {outcome.detail}"))
                else:
                    again += _halves(batch)
                continue
            took(outcome)
            missing = outcome.value.missing
            if missing and len(batch) == 1:
                failures.append(
                    Failure("LLM_RESPONSE_INVALID", f"{missing[0].id} is missing from the answer")
                )
            elif missing:
                again += _halves(missing)
        if stopped is not None:
            return stopped
        if len(failures) >= _MOST_FAILED:
            break
        waiting.extendleft(reversed(again))
    return failures[0] if failures else None


def batches(records: Sequence[Readable], size: int = BATCH) -> Iterable[Sequence[Readable]]:
    """The records in their order, so many at a time."""
    return (records[first : first + size] for first in range(0, len(records), size))


def _halves(batch: Sequence[Readable]) -> list[Sequence[Readable]]:
    middle = (len(batch) + 1) // 2
    return [part for part in (batch[:middle], batch[middle:]) if part]
