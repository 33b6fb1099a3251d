"""Who acts in a statement, and what it leaves open (intent-evidence §2.1)."""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.events.record import Action

__all__ = ["actor_of", "missing_fields"]

_ACTORS: Final[tuple[tuple[str, re.Pattern[str]], ...]] = tuple(
    (actor, re.compile(rf"\b(?:{forms})\b", re.IGNORECASE))
    for actor, forms in (
        (
            "agent",
            r"agents?|agent(?:a|owi|em|ci|ów|om|ami)|sta[żz]y(?:sta|sty|ście|stę|stą|ści|stów|stom)|interns?",
        ),
        ("system", r"systems?|system(?:u|owi|em|y|ów|om|ami)|aplikacj(?:a|i|ę|ą|e|om|ami)|runtimes?"),
        ("team", r"teams?|zesp(?:ół|ol|ołu|ołowi|ołem|oły|ołów|ołom)"),
        ("user", r"users?|u[żz]ytkowni(?:k|ka|kowi|kiem|cy|ków|kom|kami)"),
    )
)
_VALIDATES: Final = re.compile(r"validat|walid|sprawd[źzn]", re.IGNORECASE)
_TRIGGER: Final = re.compile(r"\b(?:before|after|when|on|przed|po|gdy|kiedy|podczas)\b", re.IGNORECASE)
_FAILURE: Final = re.compile(
    r"error|fail|reject|return|błęd|błąd|blad|odrzu[cć]|zwró[cć]|zwrac", re.IGNORECASE
)
_ACCEPTANCE: Final = re.compile(r"test|acceptance|kryteri|dowód|dowod|evidence|result|wynik", re.IGNORECASE)
_ACCEPTED_LENGTH: Final = 45
_OBJECT_LENGTH: Final = 3


def actor_of(text: str) -> str | None:
    """`agent`, `system`, `team` or `user`: the first of these that a statement names in any form."""
    return next((actor for actor, pattern in _ACTORS if pattern.search(text)), None)


def missing_fields(text: str, action: Action, about: str) -> list[str]:
    """What a statement should say and does not, in byte order."""
    missing: list[str] = []
    if len(text) < _ACCEPTED_LENGTH and not _ACCEPTANCE.search(text):
        missing.append("acceptance_evidence")
    if action == "unknown":
        missing.append("action")
    validates = _VALIDATES.search(text)
    if validates and not _FAILURE.search(text):
        missing.append("failure_behavior")
    if len(about) < _OBJECT_LENGTH or about == "unspecified":
        missing.append("object")
    if validates and not _TRIGGER.search(text):
        missing.append("trigger")
    return missing
