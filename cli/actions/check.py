"""One thing that `t2c doctor` looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Check", "Status"]

Status = Literal["ok", "note", "fault"]


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at. `note` asks for attention, `fault` stops work; both say what to do."""

    name: str
    status: Status
    detail: str
    remedy: str | None = None
