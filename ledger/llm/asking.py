"""One question to a model and what may come of it, as values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final, Generic, Literal, NamedTuple, Protocol, TypeVar

from t2c.ledger.events.llm import Story, Unusable
from t2c.ledger.llm.base import CORRECTED, Brief, Message, Shape

__all__ = ["CODES", "Answered", "Asking", "Guard", "Mode", "Rejected", "Unanswered", "Vault"]

V = TypeVar("V")
Mode = Literal["off", "replay", "record", "live"]

CODES: Final[dict[Unusable, str]] = {
    "not_configured": "LLM_NOT_CONFIGURED",
    "invalid_model": "LLM_INVALID_MODEL",
    "timeout": "LLM_TIMEOUT",
    "rate_limited": "LLM_RATE_LIMITED",
    "unavailable": "LLM_UNAVAILABLE",
    "rejected_request": "LLM_UNAVAILABLE",
    "stream_error": "LLM_UNAVAILABLE",
    "budget_exhausted": "LLM_UNAVAILABLE",
    "interrupted": "LLM_UNAVAILABLE",
}
"""Reason → published code (intent-evidence §6.4); every other reason is LLM_RESPONSE_INVALID."""


class Rejected(ValueError):
    """An answer that is valid by its schema breaks a rule of its stage; the text says which and where, exactly."""


class Vault(Protocol):
    """Where what a model says is kept that must not stand in the ledger; it gives names of 64 hex, which may."""

    def put(self, content: bytes) -> str:
        """Keep bytes and name them."""
        ...

    def get(self, name: str) -> bytes:
        """What was kept under a name. Raises T2cError if it is not here or not what was kept."""
        ...

    def spool(self, digest: str) -> Path:
        """Where the bytes that answer a request are put as they come."""
        ...


class Asking(NamedTuple, Generic[V]):
    """One question to a model, whole.

    `check` makes the value of a valid answer's JSON text and raises Rejected where a rule is broken; `messages` are
    the fixed part, the brief's text included. `quote_schema` puts the whole schema into a correction. What is said to a
    question with a `vault` is kept there, and is not sent back to be corrected: a request stands in the ledger.
    """

    stage: str
    role: str
    model: str
    messages: tuple[Message, ...]
    shape: Shape
    brief: Brief
    check: Callable[[bytes], V]
    max_tokens: int = 6000
    corrections: int = CORRECTED
    quote_schema: bool = False
    vault: Vault | None = None


class Answered(NamedTuple, Generic[V]):
    """A value and the `llm.answered` event it came from. `replayed` is true where nobody was asked now."""

    value: V
    event: str
    seq: int
    story: Story
    replayed: bool


class Unanswered(Exception):
    """No usable answer was to be had; `code` is the published code (intent-evidence §6.4), `reason` ours."""

    def __init__(self, code: str, reason: Unusable, detail: str, stories: Sequence[Story] = ()) -> None:
        super().__init__(detail)
        self.code = code
        self.reason = reason
        self.detail = detail
        self.stories = tuple(stories)


Guard = Callable[[Asking[Any], bytes], None]
"""Looks at what is about to be sent and raises Refused if it must not be."""
