"""Claims: a line is canonical, links to the bytes before it, and is checked with `openssl` and `sed` alone.

Mutations seen to fail: the domain byte of a leaf, of an id; `key` before `id`; `cause` written when empty; a payload
encoded without its null members; the id hashed with its member in; the limit of a line off by one.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
import pytest
from pydantic import ValidationError

from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import MAX_KEY, MAX_RUN, EventDraft, draft
from t2c.ledger.events.envelope import Envelope
from t2c.ledger.journal.chain import MAX_LINE, own_id_fits, seal
from t2c.ledger.journal.entry import decode_entry
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.digests import ZERO

Note = Callable[..., EventDraft]
Noted = CATALOGUE.payload("observation.noted")

FULL = [
    "actor",
    "batch",
    "cause",
    "data",
    "id",
    "key",
    "origin",
    "prev",
    "run",
    "seq",
    "trust",
    "ts",
    "type",
    "v",
]


def test_every_rule_of_the_format_holds_for_what_is_written(ledger: Ledger, note: Note, oracle: Any) -> None:
    first = ledger.append([note("one", key="k1"), note("zażółć “gęślą” \U0001f600 \u2028\x7f", cause=(0,))])
    ledger.append([note("three", run="20260101T000000Z-abcdef01", cause=(first[0].id, first[1].id))])
    ledger.append([note("four"), note("five", cause=(0,), key='quote " and \\')], atomic=True)
    events = oracle.check(ledger.journal.path)
    assert [event["type"] for event in events] == ["journal.opened"] + ["observation.noted"] * 5
    assert events[2]["cause"] == [events[1]["id"]]
    assert events[5]["cause"] == [events[4]["id"]]
    assert [event.get("batch") for event in events[4:]] == [[1, 2], [2, 2]]


def test_openssl_and_sed_are_enough_to_check_a_link(ledger: Ledger, note: Note) -> None:
    ledger.append([note("one"), note("dwa żółte")])
    path = ledger.journal.path
    command = f"(printf '\\0'; sed -n 2p '{path}' | tr -d '\\n') | openssl dgst -sha256"
    said = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout
    assert said.split()[-1] == orjson.loads(path.read_bytes().split(b"\n")[2])["prev"]


def test_members_stand_in_sorted_order_and_a_full_line_has_them_all(note: Note) -> None:
    item = EventDraft(
        "observation.noted", 1, b"{}", Actor("agent", "a"), "asserted", (), "run", "key", b'{"ledger":"x"}'
    )
    sealed = seal(
        item, seq=7, prev=ZERO, ts="2026-01-05T10:00:00.000Z", cause=["EVT-" + "0" * 20], batch=(1, 2)
    )
    assert list(orjson.loads(sealed.line)) == FULL
    assert own_id_fits(sealed.line)


def test_null_and_empty_envelope_members_are_left_out_and_data_members_are_not(note: Note) -> None:
    sealed = seal(note("x"), seq=1, prev=ZERO, ts="2026-01-05T10:00:00.000Z", cause=(), batch=None)
    event = orjson.loads(sealed.line)
    assert sorted(event) == ["actor", "data", "id", "prev", "seq", "trust", "ts", "type", "v"]
    assert event["data"] == {"about": [], "metadata": {}, "objects": [], "statement": "x", "subject": None}
    Envelope.model_validate_json(sealed.line)


@pytest.mark.parametrize("text", ['","id":"EVT-' + "0" * 20 + '","prev":"', "\x00\x1f\x7f", "\\u001f"])
def test_an_id_is_cut_out_of_the_envelope_whatever_the_payload_holds(
    text: str, note: Note, oracle: Any
) -> None:
    inside = Noted(statement=text, metadata={"id": "EVT-" + "0" * 20, "prev": "x", "key": "y"})
    sealed = seal(draft(inside), seq=3, prev=ZERO, ts="2026-01-05T10:00:00.000Z", cause=(), batch=None)
    assert own_id_fits(sealed.line)
    assert orjson.loads(sealed.line)["id"] == oracle.identity(orjson.loads(sealed.line))
    changed = sealed.line.replace(b'"seq":3', b'"seq":4')
    assert not own_id_fits(changed)
    # Other bytes that mean the same are another line.
    assert not own_id_fits(sealed.line.replace(b'"kind"', b'"\\u006bind"'))


def test_an_id_is_looked_for_in_linear_time() -> None:
    member = b',"id":"EVT-' + b"0" * 20 + b'"'
    line = b'{"data":{"a":1' + member * 25_000 + b'},"id":"EVT-' + b"0" * 20 + b'"}'
    assert not own_id_fits(line)


def test_a_line_may_hold_a_mebibyte_with_its_end_and_no_byte_more() -> None:
    def sealed(length: int) -> bytes:
        item = EventDraft(
            "observation.noted", 1, b'"' + b"x" * length + b'"', Actor("agent", "a"), "asserted"
        )
        return seal(item, seq=1, prev=ZERO, ts="2026-01-05T10:00:00.000Z", cause=(), batch=None).line

    spare = MAX_LINE - 1 - len(sealed(0))
    assert len(sealed(spare)) + len(b"\n") == 1 << 20
    with pytest.raises(Usage, match="longer than a line may be"):
        sealed(spare + 1)


def test_only_t2c_and_host_adapters_observe() -> None:
    payload = Noted(statement="x")
    for kind in ("human", "agent"):
        with pytest.raises(Refused, match="cannot say 'observed'"):
            draft(payload, actor=Actor(kind, "a"), trust="observed")  # type: ignore[arg-type]
    assert draft(payload, actor=Actor("host_adapter", "a"), trust="observed").trust == "observed"


@pytest.mark.parametrize(("member", "longest"), [("run", MAX_RUN), ("key", MAX_KEY)])
def test_run_and_key_are_short_unicode_text(member: str, longest: int, note: Note) -> None:
    for good in ("x", "ż" * longest):
        note("x", **{member: good})
    for bad in ("", "x" * (longest + 1), "a\udc80b", "\ud800"):
        with pytest.raises(Usage, match=f"the {member} of an event"):
            note("x", **{member: bad})


def test_an_envelope_refuses_what_the_writer_never_writes(note: Note) -> None:
    sealed = seal(note("x"), seq=1, prev=ZERO, ts="2026-01-05T10:00:00.000Z", cause=(), batch=None)
    event = orjson.loads(sealed.line)
    wrong: list[dict[str, Any]] = [
        {"seq": 0},
        {"prev": "0"},
        {"id": "EVT-1"},
        {"ts": "2026-01-05T10:00:00Z"},
        {"type": "Noted"},
        {"batch": [3, 2]},
        {"actor": {"kind": "human", "id": "a"}, "trust": "observed"},
        {"actor": {"kind": "human", "id": "a\n"}},
        {"data_hash": "0" * 64},
        {"data": None},
        {"extra": 1},
        {"key": ""},
    ]
    for change in wrong:
        with pytest.raises(ValidationError):
            Envelope.model_validate_json(orjson.dumps({**event, **change}))


def test_an_entry_keeps_what_it_does_not_know(tmp_path: Path) -> None:
    line = (
        b'{"actor":{"id":"a","kind":"oracle"},"data":{"n":1.50},"future":[1],"id":"x","prev":"y","seq":9,'
        b'"trust":"guessed","ts":"z","type":"some.day","v":99}'
    )
    entry = decode_entry(line)
    assert (entry.seq, entry.type, entry.v, bytes(entry.data)) == (9, "some.day", 99, b'{"n":1.50}')
