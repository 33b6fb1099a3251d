"""Claims: a redactable payload stands outside its line, behind a salted hash, and lasts before the line does; a retry is
compared by what it says, never by its salt; nothing is kept that no event cites.

Mutations seen to fail: no salt; the salt behind the payload; the payload left in the line as well; the salted object used
for the idempotency key; an object kept though its event was refused; a removed object that leaves its temporary file.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Corrupt, Environment, Refused, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import KeyRegistered
from t2c.ledger.journal.chain import own_id_fits
from t2c.ledger.kernel.actor import Actor

Noted = CATALOGUE.payload("observation.noted")
ADA = Actor("human", "ada")
SAID = "Ada was ill in March"


def said(text: str = SAID, **members: Any) -> EventDraft:
    return draft(Noted(statement=text), actor=ADA, redactable=True, **members)


def objects_of(ledger: Ledger) -> list[str]:
    return list(ledger.objects.digests())


def everything(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())


def test_the_line_holds_the_hash_and_the_object_salt_and_payload(ledger: Ledger, oracle: Any) -> None:
    (receipt,) = ledger.append([said()])
    event = oracle.check(ledger.journal.path)[-1]
    assert "data" not in event
    (digest,) = objects_of(ledger)
    assert event["data_hash"] == digest
    content = ledger.objects.path(digest).read_bytes()
    assert hashlib.sha256(b"\x03" + content).hexdigest() == digest
    assert content[32:] == Noted(statement=SAID).encode()
    assert ledger.objects.payload(digest) == content[32:]
    assert ledger.objects.get(digest) == content
    assert SAID.encode() not in ledger.journal.path.read_bytes()
    line = ledger.journal.line_at(receipt.offset)
    assert own_id_fits(line)
    assert not own_id_fits(line.replace(digest.encode(), b"0" * 64))


def test_the_same_words_twice_have_two_hashes(ledger: Ledger) -> None:
    ledger.append([said(), said()])
    first, second = objects_of(ledger)
    assert ledger.objects.payload(first) == ledger.objects.payload(second)


def test_members_keep_their_order_around_a_hash(ledger: Ledger, oracle: Any) -> None:
    (first,) = ledger.append([said("before")])
    ledger.append([said(key="k", run="r", cause=(first.id,))], atomic=True)
    ledger.append([said("a", key="k1"), said("b", key="k2")], atomic=True)
    events = oracle.check(ledger.journal.path)
    assert [event["batch"] for event in events if "batch" in event] == [[1, 2], [2, 2]]
    assert all(own_id_fits(oracle.line(event)) for event in events)


class TestIdempotency:
    def test_a_retry_gets_the_first_receipt_and_leaves_no_second_object(self, ledger: Ledger) -> None:
        (first,) = ledger.append([said(key="k")])
        (again,) = ledger.append([said(key="k")])
        assert (again.seq, again.id, again.repeated) == (first.seq, first.id, True)
        assert len(objects_of(ledger)) == 1

    def test_a_retry_in_the_same_append_and_from_another_process(self, ledger: Ledger) -> None:
        first, again = ledger.append([said(key="k"), said(key="k")])
        assert again.repeated and again.id == first.id
        with Ledger(ledger.workspace) as other:
            (third,) = other.append([said(key="k")])
        assert third.repeated and third.id == first.id
        assert len(objects_of(ledger)) == 1

    def test_other_words_with_the_key_conflict(self, ledger: Ledger) -> None:
        ledger.append([said(key="k")])
        with pytest.raises(Conflict, match="other content"):
            ledger.append([said("something else", key="k")])
        assert len(objects_of(ledger)) == 1

    def test_after_the_object_is_gone_the_key_conflicts_and_records_nothing(self, ledger: Ledger) -> None:
        ledger.append([said(key="k")])
        (digest,) = objects_of(ledger)
        assert ledger.objects.remove(digest)
        with pytest.raises(Conflict, match="redacted"):
            ledger.append([said(key="k")])
        assert objects_of(ledger) == []
        assert ledger.head().seq == 2


class TestNothingIsKeptThatNoEventCites:
    def test_a_refused_draft_takes_the_objects_of_its_request_along(self, ledger: Ledger) -> None:
        with pytest.raises(Usage, match="no event of this ledger"):
            ledger.append([said("fine"), said("bad", cause=("EVT-" + "0" * 20,))])
        assert objects_of(ledger) == []
        assert ledger.head().seq == 1

    def test_a_stale_head_files_nothing(self, ledger: Ledger) -> None:
        from t2c.ledger.journal.append import Expected

        with pytest.raises(Conflict):
            ledger.append([said()], expected=Expected(seq=7))
        assert objects_of(ledger) == []

    def test_a_failed_write_takes_them_back(self, ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
        ledger.append([said("before")])
        real = os.write

        def full(fd: int, block: bytes) -> int:
            if b'"data_hash"' in block:
                raise OSError(28, "No space left on device")
            return real(fd, block)

        monkeypatch.setattr(os, "write", full)
        with pytest.raises(Environment, match="No space"):
            ledger.append([said("after")])
        monkeypatch.undo()
        assert len(objects_of(ledger)) == 1
        assert b"after" not in everything(ledger.workspace)


def test_only_marked_types_can_be_redactable() -> None:
    key = KeyRegistered(key="k", algorithm="ssh", public="p", participant=None, expires=None)
    with pytest.raises(Refused, match=r"key\.registered"):
        draft(key, redactable=True)
    assert sorted(name for name in CATALOGUE.types() if CATALOGUE.payload(name).redactable) == [
        "observation.noted",
        "participant.registered",
    ]


class TestObjects:
    def test_a_changed_payload_object_is_corrupt_and_a_missing_one_is_none(self, ledger: Ledger) -> None:
        digest = ledger.objects.put_payload(b"s" * 32, b"{}")
        assert ledger.objects.payload("0" * 64) is None
        path = ledger.objects.path(digest)
        path.chmod(0o644)
        path.write_bytes(b"s" * 32 + b"[]")
        with pytest.raises(Corrupt):
            ledger.objects.payload(digest)
        with pytest.raises(Corrupt):
            ledger.objects.get(digest)

    def test_an_object_by_content_is_no_payload(self, ledger: Ledger) -> None:
        digest = ledger.objects.put(b"x" * 64)
        with pytest.raises(Corrupt):
            ledger.objects.payload(digest)

    @pytest.mark.parametrize("salt", [b"", b"s" * 31, b"s" * 33])
    def test_a_salt_has_32_bytes(self, ledger: Ledger, salt: bytes) -> None:
        with pytest.raises(Usage):
            ledger.objects.put_payload(salt, b"{}")

    def test_removing_takes_what_a_killed_writer_left(self, ledger: Ledger) -> None:
        digest = ledger.objects.put_payload(b"s" * 32, b'"secret"')
        path = ledger.objects.path(digest)
        (path.parent / f".{path.name}.1-0.tmp").write_bytes(path.read_bytes())
        assert ledger.objects.remove(digest)
        assert not ledger.objects.remove(digest)
        assert list(path.parent.iterdir()) == []

    def test_removing_where_nothing_ever_was(self, ledger: Ledger) -> None:
        assert not ledger.objects.remove("0" * 64)


def test_the_hash_can_be_checked_by_hand(ledger: Ledger) -> None:
    import subprocess

    ledger.append([said()])
    (digest,) = objects_of(ledger)
    command = f"(printf '\\3'; cat '{ledger.objects.path(digest)}') | openssl dgst -sha256"
    shown = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert shown.split()[-1] == digest


def test_payloads_of_lines_and_of_objects_with_one_key_are_the_same_content(ledger: Ledger) -> None:
    (first,) = ledger.append([draft(Noted(statement=SAID), actor=ADA, key="k")])
    (again,) = ledger.append([said(key="k")])
    assert again.id == first.id
    assert orjson.loads(ledger.journal.line_at(first.offset))["data"]["statement"] == SAID
