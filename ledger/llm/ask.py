"""Asking: announce, send or take from the record, check, record, correct once. The one way to a model's answer.

Stub of the interface; the implementation replaces this docstring.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, NamedTuple, TypeVar

from t2c.ledger.events.llm import Story, Unusable
from t2c.ledger.llm.base import CORRECTED, Brief, Message, Shape

__all__ = ["Answered", "Asker", "Asking", "Rejected", "Unanswered"]

V = TypeVar("V")


class Rejected(ValueError):
    """An answer that is valid by its schema breaks a rule of its stage; the text says which and where, exactly."""


class Asking(NamedTuple, Generic[V]):
    """One question to a model, whole.

    `check` makes the value of a valid answer's JSON text and raises Rejected where a rule is broken; `messages` are the
    fixed part, the brief's text included; `known_tokens` nothing.
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


class Asker:
    """The boundary: everything that is asked goes through `ask`."""

    def ask(self, asking: Asking[V]) -> Answered[V]:
        """Raises Unanswered; Model (exit 7) for a request that a replay does not know."""
        raise NotImplementedError
