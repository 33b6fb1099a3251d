"""What calls took: tokens, money and time, with what nobody knows counted apart."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import msgspec

from t2c.projections.calls.state import Call

__all__ = ["BY", "Totals", "grouped", "totals"]

_NOT_SENT: Final = frozenset({"budget_exhausted", "not_configured"})


class Totals(msgspec.Struct):
    """Sums over calls. `replayed` ones took nothing here; `open` ones have no outcome.

    `cost_micros` is by currency, in millionths; `cost_unknown` and `tokens_unknown` count the calls that are not in
    the sums because nobody said what they took. `milliseconds` are those of all attempts, waits between them included.
    """

    calls: int = 0
    answered: int = 0
    unusable: int = 0
    open: int = 0
    replayed: int = 0
    attempts: int = 0
    milliseconds: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reasoning_tokens: int = 0
    tokens_unknown: int = 0
    cost_micros: dict[str, int] = {}
    cost_unknown: int = 0


def totals(calls: Iterable[Call]) -> Totals:
    """The sums over these calls."""
    found = Totals()
    for call in calls:
        _add(found, call)
    return found


def _add(found: Totals, call: Call) -> None:
    found.calls += 1
    outcome = call.outcome
    if outcome is None:
        found.open += 1
        found.tokens_unknown += 1
        found.cost_unknown += 1
        return
    if outcome.reason is None:
        found.answered += 1
    else:
        found.unusable += 1
    if outcome.replayed is not None:
        found.replayed += 1
        return
    story, usage = outcome.story, outcome.story.usage
    found.attempts += len(story.attempts)
    found.milliseconds += sum(attempt.took_ms + attempt.waited_ms for attempt in story.attempts)
    # Where every attempt was refused by its status, nothing was generated that could cost.
    refused = all(attempt.status is not None and attempt.status >= 400 for attempt in story.attempts)
    free = refused and (bool(story.attempts) or outcome.reason in _NOT_SENT)
    if usage.prompt_tokens is None and usage.completion_tokens is None:
        found.tokens_unknown += not free
    found.prompt_tokens += usage.prompt_tokens or 0
    found.completion_tokens += usage.completion_tokens or 0
    found.reasoning_tokens += usage.reasoning_tokens or 0
    if usage.cost_micros is None:
        found.cost_unknown += not free
    else:
        found.cost_micros[usage.currency] = found.cost_micros.get(usage.currency, 0) + usage.cost_micros


def _model(call: Call) -> str:
    served = None if call.outcome is None else call.outcome.story.served
    return served or call.model


BY: Final[dict[str, Callable[[Call], str]]] = {
    "model": _model,
    "stage": lambda call: call.stage,
    "run": lambda call: call.run or "",
    "day": lambda call: call.ts[:10],
}
"""What calls can be put together by. The model is the one that answered, where that is known."""


def grouped(calls: Iterable[Call], by: str) -> dict[str, Totals]:
    """The sums over the calls of each model, stage, run or day, in byte order."""
    key = BY[by]
    groups: dict[str, list[Call]] = {}
    for call in calls:
        groups.setdefault(key(call), []).append(call)
    return {name: totals(groups[name]) for name in sorted(groups)}
