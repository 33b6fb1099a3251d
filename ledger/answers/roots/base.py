"""What every answer type is made of: frozen, closed, never coerced (answers §3.5).

Rules of meaning stand in no schema: they are checks of their own, each with its own event (answers §6).
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

__all__ = ["Answer"]


class Answer(BaseModel):
    """An answer or a part of one. Every member is required, none has a default, lists may be empty."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, defer_build=True)
