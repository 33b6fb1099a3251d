"""The only source of the present moment. Everything else takes a Clock."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Protocol

__all__ = ["Clock", "FixedClock", "SystemClock", "rfc3339"]


class Clock(Protocol):
    """Tells the present moment, in UTC."""

    def now(self) -> datetime: ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        return datetime.now(UTC)


class FixedClock:
    """A clock that stands still until its `instant` is moved."""

    def __init__(self, instant: datetime) -> None:
        self.instant = instant

    def now(self) -> datetime:
        return self.instant


def rfc3339(instant: datetime) -> str:
    """RFC 3339 in UTC with milliseconds, `2026-01-05T10:00:00.000Z`: sorts as text."""
    return instant.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
