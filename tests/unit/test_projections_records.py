"""The records projection: what stands, where it stands, and what became of what is gone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.errors import Corrupt
from t2c.ledger.kernel.canon import canonical
from t2c.projections.fold import Folded, fold
from t2c.projections.records import resolved
from t2c.projections.records.commits import Commit, commit_order
from t2c.projections.registry import ALL


def folded(chain: Any) -> Folded:
    return fold(chain.journal, ALL, ["records"])


def file(chain: Any, name: str) -> bytes:
    content = folded(chain).artifacts("records")[name]
    return content if isinstance(content, bytes) else b"".join(content)


def records(chain: Any) -> dict[str, Any]:
    return {record["id"]: record for record in map(orjson.loads, file(chain, "records.jsonl").splitlines())}


def lineage(chain: Any) -> Any:
    return orjson.loads(file(chain, "lineage.json"))


def move(chain: Any, identity: str, start: int, end: int) -> None:
    moves = [{"id": identity, "lines": {"start": start, "end": end}}]
    chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})


def retract(chain: Any, identity: str, successor: str | None = None) -> None:
    chain.add("record.retracted", {"id": identity, "why": "reworded", "superseded_by": successor})


def test_nothing_observed_is_an_empty_file(chain: Any) -> None:
    assert file(chain, "records.jsonl") == b""
    assert lineage(chain) == {"schema": "t2c.lineage/v1", "successors": {}, "unresolved": []}


def test_lines_are_canonical_and_in_the_order_of_ids(chain: Any) -> None:
    for number in range(20):
        chain.todo(f"item {number}", line=number + 1)
    chain.commit("a" * 40, "zażółć \u2028 \x7f gęślą")
    lines = file(chain, "records.jsonl").splitlines(keepends=True)
    assert len(lines) == 21
    ids = [orjson.loads(line)["id"] for line in lines]
    assert ids == sorted(ids)
    assert all(line == canonical(orjson.loads(line)) + b"\n" for line in lines)


def test_a_record_observed_again_replaces_the_former(chain: Any) -> None:
    identity = chain.todo("write it", done=False)
    assert chain.todo("write it", done=True) == identity
    assert [record["lifecycle"]["status"] for record in records(chain).values()] == ["completed"]


def test_a_moved_record_differs_in_its_lines_alone(chain: Any) -> None:
    identity = chain.todo("write it", line=3)
    before = records(chain)[identity]
    move(chain, identity, 7, 9)
    after = records(chain)[identity]
    assert after["source"]["lines"] == {"start": 7, "end": 9}
    assert after == {**before, "source": {**before["source"], "lines": {"start": 7, "end": 9}}}


def test_a_new_observation_ends_a_move(chain: Any) -> None:
    identity = chain.todo("write it", line=3)
    move(chain, identity, 7, 7)
    chain.todo("write it", line=5)
    assert records(chain)[identity]["source"]["lines"] == {"start": 5, "end": 5}


def test_a_move_of_what_does_not_stand_does_not_make_it_stand(chain: Any) -> None:
    move(chain, "INT-TODO-" + "0" * 20, 7, 7)
    identity = chain.todo("write it", line=3)
    retract(chain, identity)
    move(chain, identity, 8, 8)
    assert records(chain) == {}
    assert folded(chain).states["records"].lines == {}
    chain.todo("write it", line=3)
    assert records(chain)[identity]["source"]["lines"]["start"] == 3


def test_nothing_of_a_retracted_record_is_kept_but_its_successor(chain: Any) -> None:
    identity = chain.todo("write it")
    move(chain, identity, 7, 7)
    retract(chain, identity)
    state = folded(chain).states["records"]
    assert (state.live, state.lines, state.successors) == ({}, {}, {})


def test_a_retracted_record_is_gone_and_resolves_to_the_end_of_its_chain(chain: Any) -> None:
    first, second, third = (chain.todo(text) for text in ("one", "two", "three"))
    retract(chain, first, second)
    retract(chain, second, third)
    assert list(records(chain)) == [third]
    assert lineage(chain)["successors"] == {first: third, second: third}


def test_an_id_that_stands_again_has_no_successor(chain: Any) -> None:
    first, second = chain.todo("one"), chain.todo("two")
    retract(chain, first, second)
    chain.todo("one")
    assert lineage(chain)["successors"] == {}


def test_a_circle_of_successors_is_named_and_not_followed() -> None:
    ends, unresolved = resolved({"a": "b", "b": "c", "c": "b", "x": "y"})
    assert ends == {"x": "y"}
    assert unresolved == ["a", "b", "c"]


def test_a_long_chain_of_successors_is_resolved() -> None:
    chain = {f"{number:05}": f"{number + 1:05}" for number in range(20_000)}
    ends, unresolved = resolved(chain)
    assert set(ends.values()) == {"20000"}
    assert unresolved == []


def test_commits_are_numbered_from_the_newest(chain: Any) -> None:
    old = chain.commit("a" * 40, "old", at="2026-01-01T12:00:00Z")
    new = chain.commit("b" * 40, "new", at="2026-01-02T12:00:00Z", parents=("a" * 40,))
    todo = chain.todo("no commit")
    found = records(chain)
    assert [found[identity]["source"]["commitIndex"] for identity in (new, old, todo)] == [1, 2, None]


def test_commit_times_are_compared_as_instants_and_then_by_revision() -> None:
    order = commit_order(
        {
            "east": Commit((), "2026-01-01T12:00:00+10:00"),  # 02:00 UTC
            "utc": Commit((), "2026-01-01T03:00:00Z"),
            "b": Commit((), "2026-01-01T00:00:00Z"),
            "a": Commit((), "2026-01-01T00:00:00Z"),
            "unknown": Commit((), None),
            "broken": Commit((), "yesterday"),
        }
    )
    assert sorted(order, key=lambda revision: order[revision]) == [
        "utc",
        "east",
        "a",
        "b",
        "broken",
        "unknown",
    ]


def test_a_commit_never_comes_before_its_children() -> None:
    order = commit_order(
        {
            "parent": Commit(("gone",), "2030-01-01T00:00:00Z"),
            "child": Commit(("parent", "parent"), "2026-01-01T00:00:00Z"),
            "other": Commit((), "2028-01-01T00:00:00Z"),
        }
    )
    assert sorted(order, key=lambda revision: order[revision]) == ["other", "child", "parent"]


def test_a_circle_of_parents_still_gives_every_commit_a_place() -> None:
    order = commit_order({"a": Commit(("b",), None), "b": Commit(("a",), None), "c": Commit((), None)})
    assert order == {"c": 1, "a": 2, "b": 3}


@pytest.mark.parametrize("metadata", [{"parents": 5}, {"parents": ["x", 1]}, {"committedAt": []}, {}])
def test_commits_with_odd_metadata_are_numbered_last(chain: Any, metadata: dict[str, Any]) -> None:
    identity = chain.commit("a" * 40, "odd")
    record = records(chain)[identity]
    del record["metadata"]["parents"], record["metadata"]["committedAt"]
    record["metadata"] |= metadata
    chain.add("record.observed", {"record": record})
    newer = chain.commit("b" * 40, "newer")
    found = records(chain)
    assert found[identity]["source"]["commitIndex"] == 2
    assert found[newer]["source"]["commitIndex"] == 1


def tampered(chain: Any, old: bytes, new: bytes) -> bytes:
    """The payload of a sound observation with some bytes replaced."""
    chain.todo("sound one")
    line = Path(chain.path).read_bytes().splitlines()[-1]
    data = orjson.dumps({"record": orjson.loads(line)["data"]["record"]}, option=orjson.OPT_SORT_KEYS)
    assert data.count(old) >= 1
    return data.replace(old, new).replace(b"INT-TODO-", b"INT-NL-")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"metadata":{', b'"metadata":{"deep":' + b"[" * 600 + b"1" + b"]" * 600 + b","),
        (b'"metadata":{', b'"extra":1,"metadata":{'),
        (b'"status":"planned"', b'"status":5'),
        (b'"symbol":null', b'"symbols":null'),
    ],
    ids=["too deep", "unknown key", "wrong type", "missing key"],
)
def test_a_record_that_cannot_be_taken_over_is_a_fault_and_the_others_stand(
    chain: Any, old: bytes, new: bytes
) -> None:
    seq = chain.add("record.observed", tampered(chain, old, new))
    chain.todo("another")
    assert [fault.seq for fault in folded(chain).faults["records"]] == [seq]
    assert [record["statement"]["text"] for record in records(chain).values()].count("another") == 1
    assert len(records(chain)) == 2


def test_damaged_bytes_stop_the_fold(chain: Any) -> None:
    seq = chain.add("record.observed", tampered(chain, b"sound one", b"broken \xff one"))
    with pytest.raises(Corrupt) as caught:
        folded(chain)
    assert str(seq) in (caught.value.where or "")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"metadata":{', b'"metadata":{"many":[' + b"{}," * 600 + b"{}],"),
        (b"sound one", b"[{" * 600),
        (b'"metadata":{', b'"metadata":{"number":1e400,'),
        (b'{"record":{', b'{ "record" : {'),
        (b'"metadata":{', b'"metadata":{"like":{"x":1},"record":{"y":2},'),
    ],
    ids=["wide", "brackets in text", "number beyond doubles", "white space", "a key named record"],
)
def test_a_record_written_in_an_odd_way_is_taken_over(chain: Any, old: bytes, new: bytes) -> None:
    chain.add("record.observed", tampered(chain, old, new))
    chain.todo("another")
    assert folded(chain).faults["records"] == ()
    lines = file(chain, "records.jsonl").splitlines()
    assert len(lines) == 3
    assert all(line.startswith(b'{"epistemic"') and line.endswith(b"}}") for line in lines)
    assert sum(line.count(b"INT-NL-") for line in lines) == 1


def test_a_payload_that_repeats_its_record_gives_one_whole_record(chain: Any) -> None:
    body = tampered(chain, b"sound one", b"sound two")
    chain.add("record.observed", body[:-1] + b"," + body[1:])
    assert len(records(chain)) == 2


@pytest.mark.parametrize("lines", [{"start": 0, "end": 1}, {"start": 5, "end": 4}])
def test_a_move_to_impossible_lines_is_a_fault_and_moves_nothing(chain: Any, lines: dict[str, int]) -> None:
    first, second = chain.todo("one", line=1), chain.todo("two", line=2)
    moves = [{"id": first, "lines": {"start": 9, "end": 9}}, {"id": second, "lines": lines}]
    seq = chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})
    assert [fault.seq for fault in folded(chain).faults["records"]] == [seq]
    assert records(chain)[first]["source"]["lines"] == {"start": 1, "end": 1}


@pytest.mark.parametrize("other", [{"generation": "m"}, {"commitments": 1}, {"recordIds": None}, {}])
def test_a_synthesis_of_another_shape_is_none(chain: Any, other: dict[str, Any]) -> None:
    whole = {
        "participant": "ada",
        "role": "human",
        "tickets": [],
        "summary": "s",
        "commitments": [],
        "risks": [],
        "recordIds": [],
        "generation": {},
    }
    data = {"id": "COMM-SYN-1", "participant": "ada", "role": "human", "of": "0" * 32}
    chain.add("synthesis.drawn", {**data, "synthesis": {**whole, **other}})
    assert len(folded(chain).states["records"].syntheses) == (not other)
