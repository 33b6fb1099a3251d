"""The audit of a stage that may ask a model: what was asked for, what was done, why, and what it cost (§6.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from t2c import __version__
from t2c.ledger.llm.synthesis.contract import Mode

if TYPE_CHECKING:  # whoever only reads needs no pydantic
    from t2c.ledger.events.llm import Story

__all__ = ["Status", "audit", "published", "responses"]

Status = Literal["succeeded", "partial", "fallback", "failed", "skipped"]


def responses(stories: Sequence[Story]) -> list[dict[str, Any]]:
    """The story of each request as it can stand in an event: numbers are integers, money millionths."""
    return [
        {
            "responseId": story.response_id,
            "model": story.served or story.requested,
            "provider": story.provider,
            "promptTokens": story.usage.prompt_tokens,
            "completionTokens": story.usage.completion_tokens,
            "totalTokens": story.usage.total_tokens,
            "costMicros": story.usage.cost_micros,
            "durationMs": sum(attempt.waited_ms + attempt.took_ms for attempt in story.attempts),
        }
        for story in stories
    ]


def audit(
    *,
    status: Status,
    requested: Mode,
    configuration: Mapping[str, Any],
    told: Sequence[Mapping[str, Any]],
    records: int,
    warnings: int,
    reason: tuple[str, str] | None,
) -> dict[str, Any]:
    """The published audit (intent-evidence §6.4); `told` are the stories as `responses` has them, `reason` code and text.

    Of a request without an answer it tells as much as the provider did: its tokens count all the same.
    """
    by_model = status in ("succeeded", "partial") and requested != "deterministic"
    effective = "llm" if by_model else "none" if status in ("failed", "skipped") else "deterministic"
    return {
        "runtimeVersion": __version__,
        "configuration": dict(configuration),
        "status": status,
        "requestedMode": "deterministic" if requested == "deterministic" else "llm",
        "effectiveMode": effective,
        "degraded": status == "fallback",
        "recordCount": records,
        "warningCount": warnings,
        "model": told[-1]["model"] if by_model and told else None,
        "durationMs": sum(one["durationMs"] for one in told),
        "reason": None if reason is None else {"code": reason[0], "message": reason[1]},
        "responses": [_published(one) for one in told],
    }


def published(stories: Sequence[Story]) -> list[dict[str, Any]]:
    """The story of each request as an audit tells it: cost in US dollars."""
    return [_published(one) for one in responses(stories)]


def _published(one: Mapping[str, Any]) -> dict[str, Any]:
    micros, tokens = one["costMicros"], ("promptTokens", "completionTokens", "totalTokens")
    usage = {name: one[name] for name in tokens} | {"cost": None if micros is None else micros / 1_000_000}
    metered = any(value is not None for value in usage.values())
    return {
        "responseId": one["responseId"],
        "model": one["model"],
        "provider": one["provider"],
        "usage": usage if metered else None,
    }
