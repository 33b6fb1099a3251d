"""The published JSON Schemas as a second opinion: each event against the files that others check with.

Slower by far than the types themselves, and independent of them: what the files and the types disagree about shows
here.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from jsonschema import Draft202012Validator

from t2c import schemas
from t2c.ledger.journal.verify import Fault

__all__ = ["PublishedAudit"]


@cache
def _validator(file: str) -> Draft202012Validator | None:
    try:
        return Draft202012Validator(schemas.load(file))
    except FileNotFoundError:
        return None


class PublishedAudit:
    """Checks one event after the other; types and versions without a published schema are left to others."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []

    def visit(self, seq: int, event: Mapping[str, Any]) -> None:
        """Check the envelope, and the payload where it stands in the line."""
        self._check(seq, "envelope", event, "events/envelope.v1.schema.json")
        if "data" in event:
            name, version = event.get("type"), event.get("v")
            self._check(seq, str(name), event["data"], f"events/{name}.v{version}.schema.json")

    def _check(self, seq: int, what: str, value: Any, file: str) -> None:
        validator = _validator(file)
        if validator is None:
            return
        for error in validator.iter_errors(value):
            place = ".".join(str(step) for step in error.absolute_path) or "the whole"
            self.faults.append(Fault(seq, "published", f"{what}: {place}: {error.message[:200]}"))
            return
