"""Level `schema`: each event keeps its type's rules and stands in canonical form (journal-engine §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from t2c.ledger.events.catalogue import Catalogue
from t2c.ledger.events.envelope import Envelope
from t2c.ledger.journal.verify import Fault
from t2c.ledger.kernel import canon

__all__ = ["SchemaAudit", "first_problem"]


class SchemaAudit:
    """Checks one event after the other; unknown types and newer versions are counted, not faulted."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self.faults: list[Fault] = []
        self.unknown: Counter[str] = Counter()

    def visit(self, seq: int, line: bytes, event: Mapping[str, Any]) -> None:
        """Check one event: `line` as stored, `event` the same line parsed."""
        if canon.canonical(event) != line:
            self._fault(
                seq, "not_canonical", "the line is not in canonical form (key order, spacing, doubles)"
            )
        try:
            Envelope.model_validate_json(line)
        except ValidationError as error:
            self._fault(seq, "envelope", first_problem(error))
            return
        if "data" in event:
            self._payload(seq, event["type"], event["v"], event["data"])

    def payload(self, seq: int, event: Mapping[str, Any], data: dict[str, Any], stored: bytes) -> None:
        """Check the payload of an event that is kept apart from its line: `stored` as it lies in its object."""
        if canon.canonical(data) != stored:
            self._fault(seq, "not_canonical", "the payload is not in canonical form")
        self._payload(seq, event["type"], event["v"], data)

    def _payload(self, seq: int, name: str, version: int, data: dict[str, Any]) -> None:
        if not self._catalogue.knows(name, version):
            self.unknown[f"{name} v{version}"] += 1
            try:
                canon.check(data)
            except canon.NotCanonical as error:
                self._fault(seq, "not_canonical", str(error))
            return
        payload = self._catalogue.payload(name)
        current = self._catalogue.lift(name, version, data)
        stored = canon.canonical(current)
        try:
            encoded = payload.decode(stored).encode()
        except ValidationError as error:
            self._fault(seq, "schema", f"{name}: {first_problem(error)}")
            return
        if encoded != stored:
            self._fault(seq, "not_canonical", f"{name}: the payload is not written as its type writes it")

    def _fault(self, seq: int, kind: str, detail: str) -> None:
        self.faults.append(Fault(seq, kind, detail))


def first_problem(error: ValidationError) -> str:
    """The first problem of a validation in one line: `path: what`, and how many more there are."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    first = problems[0]
    place = ".".join(str(step) for step in first["loc"]) or "the whole"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{place}: {first['msg'].removeprefix('Value error, ')}{more}"
