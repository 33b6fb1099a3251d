"""Which kind of statement stands under a heading of a participant's own file, in English and Polish.

(intent-evidence §2.10)
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from t2c.ledger.intake.communication.names import MessageType, Role
from t2c.ledger.intake.text import fold

__all__ = ["excludes", "section_type"]

_HUMAN: Final[tuple[tuple[str, MessageType], ...]] = (
    (r"decisions?|decyzj\w*|approvals?|zatwierdz\w*", "decision"),
    (
        r"instructions?|requests?|requirements?|goals?|scope|polece\w*|wymaga\w*|zakres\w*|cel|cele|celu|celow",
        "request",
    ),
)
_AGENT: Final[tuple[tuple[str, MessageType], ...]] = (
    (r"actual changes?|wprowadzone zmiany|wykonane \w+", "report"),
    (r"plan|plans|planned|planowan\w*", "plan"),
    (
        r"results?|reports?|unfinished|blockers?|wykonan\w*|zmian\w*|wynik\w*|raport\w*|blokad\w*|bloker\w*",
        "report",
    ),
    (
        r"understanding|scope|guardrails?|risks?|hypothes[ei]s|code locations?|z?rozumien\w*|zakres\w*|ryzyk\w*",
        "plan",
    ),
    (r"approvals?|zatwierdz\w*", "claim"),
)
"""A plan before a report: „Plan wykonania” and „Planowane zmiany” announce, though their second word reports."""


def _compiled(rows: Sequence[tuple[str, MessageType]]) -> tuple[tuple[re.Pattern[str], MessageType], ...]:
    return tuple((re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])"), kind) for words, kind in rows)


_TABLES: Final = {"human": _compiled(_HUMAN), "agent": _compiled(_AGENT)}


@lru_cache(maxsize=1024)
def section_type(heading: str, role: Role) -> MessageType | None:
    """The kind of what stands under a heading in a file of such a participant; None if the heading does not say."""
    words = fold(heading[:200])
    return next((kind for pattern, kind in _TABLES.get(role, ()) if pattern.search(words)), None)


_EXCLUDED: Final = re.compile(
    r"(?<![a-z0-9])(?:exclud\w*|out of scope|not in scope|non.?goals?|poza zakresem|wyklucz\w*|nie obejmuje)(?![a-z0-9])"
)


@lru_cache(maxsize=1024)
def excludes(heading: str) -> bool:
    """True if what stands under a heading is named in order to be left alone."""
    return _EXCLUDED.search(fold(heading[:200])) is not None
