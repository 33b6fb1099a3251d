"""Claims: at level domain a signed checkpoint inside the chain is the journal's own state, signed by a key it knew.

Mutations seen to fail: roots not compared; the key not looked for among those registered before; an expired key let
through; a checkpoint that was taken in from another chain compared with this one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from hashlib import sha256
from typing import Any

import orjson
import pytest

from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.journal.note import Checkpoint, SignedNote, origin_of
from t2c.ledger.journal.signature import VerifierKey, public_of, sign

LEDGER = "0" * 32
SEED = sha256(b"seed").digest()
KEY = VerifierKey(origin_of(LEDGER), public_of(SEED))


class Chain:
    """A chain that registers a key at seq 2 and signs its first two events at seq 3."""

    def __init__(self, chain: Any, oracle: Any) -> None:
        self.chain = chain
        self.oracle = oracle
        self.came_from: dict[int, dict[str, Any]] = {}

    def root(self, size: int) -> bytes:
        lines = self.chain.path.read_bytes().splitlines()[:size]
        found: bytes = self.oracle.root([bytes.fromhex(self.oracle.leaf(line)) for line in lines])
        return found

    def register(self, expires: str | None = None, key: VerifierKey = KEY, came_from: str = "") -> None:
        data = {"key": key.id, "algorithm": "ed25519", "public": key.text(), "participant": None}
        place = {"ledger": came_from, "seq": 2, "hash": "1" * 64, "prev": "2" * 64, "id": f"EVT-{'1' * 20}"}
        self.chain.add("key.registered", {**data, "expires": expires})
        if came_from:
            self.came_from[self.chain.seq] = {**place, "ts": "2026-01-01T00:00:00.000Z"}

    def sign(
        self,
        size: int = 2,
        *,
        seed: bytes = SEED,
        origin: str = KEY.name,
        root: bytes | None = None,
        **data: Any,
    ) -> None:
        checkpoint = Checkpoint(origin, size, self.root(size) if root is None else root)
        note = SignedNote.of(checkpoint, [sign(seed, origin, checkpoint.body())])
        said = {"size": size, "root": checkpoint.root.hex(), "key": note.signatures[0].key, "note": note.note}
        self.chain.add("checkpoint.signed", {**said, **data})

    def faults(self, change: Callable[[dict[str, Any]], None] | None = None) -> list[tuple[int, str]]:
        audit = DomainAudit(lambda digest: True)
        for seq, line in enumerate(self.chain.path.read_bytes().splitlines(), 1):
            event = orjson.loads(line)
            if change is not None:
                change(event)
            if seq in self.came_from:
                event["origin"] = self.came_from[seq]
            audit.visit(seq, event)

        def roots(sizes: Collection[int]) -> Mapping[int, bytes]:
            return {size: self.root(size) for size in sizes}

        assert audit.finish(roots) == []
        found = [fault for fault in audit.faults if fault.kind not in ("origin", "trust")]
        assert {fault.kind for fault in found} <= {"checkpoint"}
        return [(fault.seq, fault.detail) for fault in found]


@pytest.fixture
def signed(chain: Any, oracle: Any) -> Chain:
    return Chain(chain, oracle)


def test_a_right_checkpoint_is_no_fault(signed: Chain) -> None:
    signed.register()
    signed.sign()
    signed.sign(1)
    assert signed.faults() == []


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"root": bytes(32)}, "its root is not the journal's after 2 events"),
        ({"origin": origin_of("1" * 32)}, "another ledger"),
        ({"size": 3, "root": bytes(32)}, "of which it is one itself"),
        ({"size": 0, "root": bytes(32)}, "of which it is one itself"),
        ({"seed": bytes(32)}, "not signed by key"),
        ({"key": "00000000"}, "not signed by key 00000000"),
        ({"note": "nothing"}, "this is no checkpoint"),
    ],
)
def test_what_does_not_hold_is_named(signed: Chain, wrong: dict[str, Any], why: str) -> None:
    signed.register()
    signed.sign(**wrong)
    faults = signed.faults()
    assert [seq for seq, _ in faults] == [3]
    assert why in faults[0][1]


def test_the_event_says_what_its_text_says(signed: Chain) -> None:
    signed.register()

    def change(event: dict[str, Any]) -> None:
        if event["type"] == "checkpoint.signed":
            event["data"]["size"] = 1

    signed.sign()
    assert "names another size or root" in signed.faults(change)[0][1]


def test_a_signature_that_is_wrong_is_named(signed: Chain) -> None:
    signed.register()
    checkpoint = Checkpoint(KEY.name, 2, signed.root(2))
    other = sign(SEED, KEY.name, "other\n")
    signed.sign(note=SignedNote.of(checkpoint, [other]).note)
    assert "is not that key's" in signed.faults()[0][1]


def test_a_key_signs_after_it_is_registered_and_until_it_expires(signed: Chain) -> None:
    signed.sign(1)
    signed.register(expires="2026-01-05T10:00:03.500Z")
    signed.sign(1)
    signed.sign(1)
    assert [(seq, "expired" in why) for seq, why in signed.faults()] == [(2, False), (5, True)]


def test_a_key_of_another_ledger_signs_nothing_here(signed: Chain) -> None:
    other = VerifierKey(origin_of("1" * 32), public_of(SEED))
    signed.register(key=other)
    checkpoint = Checkpoint(KEY.name, 2, signed.root(2))
    theirs = SignedNote.of(checkpoint, [sign(SEED, other.name, checkpoint.body())])
    signed.sign(note=theirs.note, key=other.id)
    assert "not signed by key" in signed.faults()[0][1]


def test_what_another_chain_signed_is_not_compared(signed: Chain) -> None:
    signed.register()
    signed.sign(root=bytes(32))
    place = {"ledger": LEDGER, "seq": 3, "hash": "0" * 64, "prev": "0" * 64, "id": "EVT-" + "0" * 20}

    def change(event: dict[str, Any]) -> None:
        if event["type"] == "checkpoint.signed":
            event["origin"] = {**place, "ts": event["ts"]}

    audit = DomainAudit(lambda digest: True)
    for seq, line in enumerate(signed.chain.path.read_bytes().splitlines(), 1):
        event = orjson.loads(line)
        change(event)
        audit.visit(seq, event)
    audit.finish(lambda sizes: {size: signed.root(size) for size in sizes})
    assert not [fault for fault in audit.faults if fault.kind == "checkpoint"]


def test_without_roots_it_is_said_that_they_were_not_compared(signed: Chain) -> None:
    signed.register()
    signed.sign()
    audit = DomainAudit(lambda digest: True)
    for seq, line in enumerate(signed.chain.path.read_bytes().splitlines(), 1):
        audit.visit(seq, orjson.loads(line))
    assert audit.finish() == ["the root of 1 signed checkpoint was not compared with the journal"]


def test_a_key_that_another_ledger_registered_signs_nothing_here(signed: Chain) -> None:
    """Whoever is merged in may register a key under any name, this ledger's too."""
    signed.register(came_from="1" * 32)
    signed.sign()
    ((seq, detail),) = signed.faults()
    assert seq == 3
    assert "registered before it" in detail
    signed.came_from[2]["ledger"] = LEDGER
    assert signed.faults() == []
