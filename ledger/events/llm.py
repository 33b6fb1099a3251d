"""Family llm: what a model was asked, what it answered, and what came back that was no answer."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from t2c.ledger.events.base import Count, EventRef, FreeForm, Hex64, Name, Payload, Text, Value
from t2c.ledger.kernel.actor import Trust

__all__ = [
    "AskMode",
    "Attempt",
    "LlmAnswered",
    "LlmAsked",
    "LlmUnusable",
    "Replayed",
    "Story",
    "Unusable",
    "Usage",
]

AskMode = Literal["json_schema", "forced_tool", "json_object"]
Unusable = Literal[
    "refused", "truncated", "reasoning_used_the_budget", "not_json", "duplicate_key", "schema_violation",
    "rule_violation", "empty", "stream_error", "rate_limited", "timeout", "unavailable", "invalid_model",
    "rejected_request", "budget_exhausted", "interrupted", "not_configured",
]  # fmt: skip
"""Why what came back is no answer. All from `rate_limited` on say something of the provider and not of the model."""


class Attempt(Value):
    """One request on the wire. `outcome` is `answered` or why it was not; times are in milliseconds."""

    number: Annotated[int, Field(ge=1)]
    status: Annotated[int, Field(ge=100, le=599)] | None
    outcome: Name
    waited_ms: Count
    took_ms: Count
    retry_after_ms: Count | None
    detail: str


class Usage(Value):
    """What was metered, null where the provider does not say. Money is in millionths of `currency`."""

    prompt_tokens: Count | None
    completion_tokens: Count | None
    reasoning_tokens: Count | None
    total_tokens: Count | None
    cost_micros: Count | None
    currency: Name


class Story(Value):
    """How one request went, from the first attempt to the last (decisions D4).

    `served` is the model that answered; null where the provider names none. `usage` adds up all attempts.
    """

    requested: Text
    served: str | None
    provider: str | None
    response_id: str | None
    finish_reason: str | None
    attempts: tuple[Attempt, ...]
    usage: Usage


class Replayed(Value):
    """Where an answer was taken from that was not asked for here: another ledger, and its event there."""

    ledger: Text
    event: EventRef


class LlmAsked(Payload):
    """A model is about to be asked. `request` is the SHA-256 of the bytes sent, which are kept as an object.

    `brief` names what is shown, `brief_digest` is the SHA-256 of its text and `manifest` the object that lists the
    ids and digests of everything in it. Without an `llm.answered` or `llm.unusable` that cites it, nobody knows how it
    went (decisions A11). Where `sealed` is true, what comes back is kept outside of the workspace: `content` and `raw` of
    its outcome are commitments then, and no objects.
    """

    type: ClassVar[str] = "llm.asked"
    request: Hex64
    role: Name
    stage: Name
    model: Text
    mode: AskMode
    endpoint: Text
    schema_name: Name
    schema_digest: Hex64
    brief: Name
    brief_digest: Hex64
    manifest: Hex64
    items: Count
    body_bytes: Count
    masked: dict[Name, Count]
    corrects: EventRef | None
    instead_of: EventRef | None
    sealed: bool = False


class LlmAnswered(Payload):
    """What a model said, valid by the schema that was sent and by the rules of the stage. A claim, never a verdict.

    `content` is the object of the exact text, `value` its parsed form where it can stand in a line (decisions D3),
    `raw` the object of the whole response. `guarantee` says what held the model to the schema.
    """

    type: ClassVar[str] = "llm.answered"
    trust: ClassVar[Trust] = "asserted"
    asked: EventRef
    request: Hex64
    content: Hex64
    raw: Hex64
    value: FreeForm | None
    guarantee: Literal["enforced", "requested", "checked_here_only"]
    story: Story
    replayed: Replayed | None


class LlmUnusable(Payload):
    """What came back is no answer: `reason` says why, `where` is the place in the answer. It is metered all the same.

    `content` and `raw` are the objects of what had arrived, null where nothing had.
    """

    type: ClassVar[str] = "llm.unusable"
    asked: EventRef
    request: Hex64
    reason: Unusable
    where: str | None
    detail: Text
    content: Hex64 | None
    raw: Hex64 | None
    story: Story
    replayed: Replayed | None
