"""What each participant said in sum, as a model drew it, as long as it is of what they say now (decisions B3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final

import orjson

from t2c.ledger.events.identity import content_digest
from t2c.ledger.events.interpretation import can_be_read, group_digest, speaker
from t2c.ledger.kernel.canon import NotCanonical
from t2c.ledger.kernel.ids import RECORD_PREFIX
from t2c.projections.base import Inputs
from t2c.projections.records import StandingRecords
from t2c.projections.records.interpreted import drawn

__all__ = ["syntheses"]

_OF_SPEECH: Final = RECORD_PREFIX["agent_log"] + "-"
_OTHER_SHAPE: Final = (LookupError, TypeError, ValueError, AttributeError, NotCanonical)


def syntheses(inputs: Inputs) -> tuple[dict[str, Any], ...]:
    """The syntheses that hold, by participant and role. A model's words: they raise no issue and settle none."""
    recorded = inputs.states["records"].syntheses
    if not recorded:
        return ()
    digests = _digests(inputs)
    return tuple(
        found.synthesis
        for found in sorted(map(drawn, recorded.values()), key=lambda one: (one.participant, one.role))
        if found.of == digests.get(f"{found.role}|{found.participant}")
    )


def _digests(inputs: Inputs) -> dict[str, str]:
    """Role and participant → the digest of what was said, as it reads now."""
    groups: dict[str, list[tuple[str, str]]] = {}
    for identity, raw in _speech(inputs):
        with suppress(*_OTHER_SHAPE):  # no record of the contract; the audit of schemas names it
            record = orjson.loads(raw)
            if can_be_read(record):
                role, participant = speaker(record)
                key = f"{role}|{participant}"
                groups.setdefault(key, []).append((identity, content_digest(record).hex()))
    return {key: group_digest(records) for key, records in groups.items()}


def _speech(inputs: Inputs) -> Iterator[tuple[str, bytes]]:
    return (
        (identity, raw) for identity, raw in StandingRecords.of(inputs) if identity.startswith(_OF_SPEECH)
    )
