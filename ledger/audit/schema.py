"""Level `schema`: each event keeps its type's rules and stands in canonical form (journal-engine §4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from pydantic import ValidationError

from t2c.ledger.events.catalogue import Catalogue
from t2c.ledger.events.envelope import Envelope
from t2c.ledger.journal.chain import own_id_fits
from t2c.ledger.journal.verify import Fault
from t2c.ledger.kernel import canon

__all__ = ["SchemaAudit", "first_problem"]

_LEFT_OUT: Final = ("batch", "cause", "run", "key", "origin", "data", "data_hash")


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
        if not own_id_fits(line):
            self._fault(seq, "event_id", f"{event['id']} is not the id of its content")
        for problem in _beyond_the_shape(event):
            self._fault(seq, "envelope", problem)
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


def _beyond_the_shape(event: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with an envelope whose members are each of the right type."""
    for name in _LEFT_OUT:
        if event.get(name, True) in (None, [], ()):
            yield f"{name} is empty, and members that are empty are left out"
    if (batch := event.get("batch")) and batch[1] < 2:
        yield "a batch of one is no batch"
    try:
        datetime.fromisoformat(event["ts"])
    except ValueError:
        yield f"there is no time {event['ts']}"


def first_problem(error: ValidationError) -> str:
    """The first problem of a validation in one line: `path: what`, and how many more there are."""
    problems = error.errors(include_url=False, include_context=False, include_input=False)
    first = problems[0]
    place = ".".join(str(step) for step in first["loc"]) or "the whole"
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{place}: {first['msg'].removeprefix('Value error, ')}{more}"
