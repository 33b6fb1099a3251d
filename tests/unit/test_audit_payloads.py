"""Claims: each payload behind a hash is right, withheld by an event, or a fault with a name of its own.

Mutations seen to fail: a redaction of an unknown event accepted; a missing payload not told; a payload that is there not
checked against its type.
"""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.audit.payloads import PayloadAudit
from t2c.ledger.audit.schema import SchemaAudit
from t2c.ledger.errors import Corrupt, Environment
from t2c.ledger.events.catalogue import CATALOGUE

HASH, OTHER = "a" * 64, "b" * 64
ORIGIN = {"ledger": "1" * 32, "seq": 9, "hash": "c" * 64, "prev": "d" * 64, "id": "EVT-" + "9" * 20,
          "ts": "2026-01-05T10:00:00.000Z"}  # fmt: skip


def event(seq: int, **members: Any) -> dict[str, Any]:
    return {
        "seq": seq,
        "prev": "0" * 64,
        "type": "observation.noted",
        "v": 1,
        "id": f"EVT-{seq:020d}",
        "ts": "2026-01-05T10:00:00.000Z",
        "actor": {"kind": "helper", "id": "t2c"},
        "trust": "asserted",
        **members,
    }


def redaction(seq: int, target: str, data_hash: str = HASH) -> dict[str, Any]:
    data = {"event": target, "data_hash": data_hash, "reason": "r", "requested_by": "human:ada"}
    return event(seq, type="payload.redacted", trust="observed", data=data)


def audited(
    payload: bytes | Exception | None, *events: dict[str, Any]
) -> tuple[list[tuple[int, str]], list[str]]:
    def read(digest: str) -> bytes | None:
        if isinstance(payload, Exception):
            raise payload
        return payload

    payloads = PayloadAudit(read)
    schema, domain = SchemaAudit(CATALOGUE), DomainAudit(lambda digest: True, payloads=payloads)
    for item in events:
        stored = payloads.open(item["seq"], item)
        if stored is not None and (data := payloads.parsed(item["seq"], stored)) is not None:
            schema.payload(item["seq"], item, data, stored)
            item["data"] = data
        domain.visit(item["seq"], item)
    said = domain.finish()
    faults = [*schema.faults, *domain.faults, *payloads.faults]
    return sorted((fault.seq, fault.kind) for fault in faults), said


RIGHT = CATALOGUE.payload("observation.noted").model_validate({"statement": "s"}).encode()


def test_a_payload_that_is_there_and_right() -> None:
    assert audited(RIGHT, event(1, data_hash=HASH)) == ([], [])


@pytest.mark.parametrize(
    ("payload", "kind"),
    [
        (b'{"statement":1}', "schema"),
        (b"[]", "schema"),
        (b"{", "schema"),
        (RIGHT.replace(b":", b": ", 1), "not_canonical"),
        (Corrupt("x"), "object_damaged"),
        (Environment("x"), "object_unreadable"),
        (None, "payload_missing"),
    ],
)
def test_each_fault_has_its_name(payload: Any, kind: str) -> None:
    faults, _ = audited(payload, event(1, data_hash=HASH))
    assert faults[0] == (1, kind)


def test_a_redaction_explains_a_missing_payload() -> None:
    faults, said = audited(None, event(1, data_hash=HASH), redaction(2, "EVT-" + f"{1:020d}"))
    assert faults == []
    assert said == ["1 payload is withheld by redaction events"]


def test_a_redaction_whose_object_is_still_there() -> None:
    faults, _ = audited(RIGHT, event(1, data_hash=HASH), redaction(2, f"EVT-{1:020d}"))
    assert faults == [(2, "redaction_unfinished")]


@pytest.mark.parametrize(
    ("target", "data_hash"),
    [("EVT-" + "f" * 20, HASH), (f"EVT-{1:020d}", OTHER), (f"EVT-{2:020d}", OTHER)],
    ids=["unknown event", "another hash", "an event with its payload in the line"],
)
def test_a_redaction_of_nothing_is_a_fault(target: str, data_hash: str) -> None:
    plain = event(2, data={"statement": "s", "subject": None, "about": [], "objects": [], "metadata": {}})
    faults, _ = audited(RIGHT, event(1, data_hash=HASH), plain, redaction(3, target, data_hash))
    assert (3, "redaction_unknown") in faults


def test_an_event_of_elsewhere_may_come_without_its_payload() -> None:
    faults, said = audited(None, event(1, data_hash=HASH, origin=ORIGIN))
    assert [fault for fault in faults if fault[1] == "payload_missing"] == []
    assert "1 payload was not sent along with events that were taken in" in said


def test_a_redaction_finds_its_event_by_the_id_it_had_elsewhere() -> None:
    faults, _ = audited(None, event(1, data_hash=HASH, origin=ORIGIN), redaction(2, ORIGIN["id"]))
    assert "redaction_unknown" not in [kind for _, kind in faults]
