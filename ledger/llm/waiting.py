"""How long a request may take, and how long to wait before the next attempt (intent-evidence §6.5). Pure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

from t2c.ledger.llm.base import Request

__all__ = ["LONGEST", "backoff", "time_for", "told_to_wait"]

LONGEST: Final = 600.0
"""Seconds that any request may take."""
_FIRST: Final = 0.3
_MOST_STEPS: Final = 8
_BODY: Final = 8000
_TOKENS: Final = 6000
_PARTS: Final = 4


def time_for(request: Request, body_characters: int, base: float) -> float:
    """Seconds that one attempt may take: `base`, doubled up to three times for what is long, at most ten minutes."""
    strict = 2 if request.mode != "json_object" else 0
    size = max(
        1.0,
        body_characters / _BODY,
        request.max_tokens / _TOKENS,
        (len(request.messages) + strict) / _PARTS,
    )
    return min(LONGEST, base * min(8.0, 2.0 ** math.ceil(math.log2(size))))


def backoff(digest: str, attempt: int) -> float:
    """Seconds before the attempt after this one (counted from 1): 300 ms doubled each time, spread by a quarter.

    The spread comes from the digest of the request, so that it is the same again while no two requests keep step.
    """
    drawn = int(digest[(attempt - 1) % 8 * 8 :][:8] or "0", 16) / 0xFFFF_FFFF
    return _FIRST * 2.0 ** min(attempt - 1, _MOST_STEPS) * (0.75 + drawn / 2)


def told_to_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds that `Retry-After` asks for, as a number or as a date; None where it says nothing that can be read.

    A date is compared with the `Date` of the same response, whose clock it is by, else with `now`.
    """
    said = headers.get("retry-after", "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:12])
    until = _date(said)
    if until is None:
        return None
    return max(0.0, (until - (_date(headers.get("date", "")) or now)).total_seconds())


def _date(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text.strip())
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
