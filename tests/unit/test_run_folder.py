"""The folder of a run: ids that other readers work out, and files that are there as a whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.cli.actions.run_folder import prepared, publish, stage_folder, write_latest
from t2c.ledger.errors import Environment, Usage
from t2c.projections.graph import Graph
from t2c.projections.interop.run_folder import reminted

OTHERS = (
    {
        "id": "REL-09cc843605714996cea0",
        "from": "INT-GIT-df7831c8b25268ffc82f",
        "to": "INT-TODO-58d6fbc8f1b7dd4a5627",
        "type": "implements",
        "confidence": 0.99,
        "basis": ["same_action", "shared_path", "shared_ticket", "text_similarity:0.333"],
    },
    {
        "id": "REL-49de7368d72c27794308",
        "from": "INT-TODO-58d6fbc8f1b7dd4a5627",
        "to": "INT-NL-0fc6ce175f3e0dc90086",
        "type": "plans",
        "confidence": 0.99,
        "basis": ["same_action", "shared_path", "shared_ticket", "text_similarity:0.200"],
    },
)
"""Relations as the reference implementation wrote them, with its ids."""


def linked(relation: dict[str, Any]) -> bytes:
    return orjson.dumps({"relation": relation, "rule": "any", "signals": []})


@pytest.mark.parametrize("theirs", OTHERS, ids=lambda one: one["type"])
def test_relations_get_the_ids_that_other_readers_work_out(theirs: dict[str, Any]) -> None:
    ours = {**theirs, "id": "REL-" + "0" * 20}
    made = reminted(Graph({ours["id"]: linked(ours)}))
    assert list(made.links) == [theirs["id"]]
    assert json.loads(made.links[theirs["id"]])["relation"] == theirs


@pytest.mark.parametrize("number", ["1.0", "1", "0.5", "0.875"])
def test_numbers_have_their_shortest_form_in_what_an_id_is_made_of(number: str) -> None:
    text = '{"basis":["x"],"confidence":%s,"from":"INT-A-1","to":"INT-B-2","type":"plans"}'
    shortest = "1" if number.startswith("1") else number
    expected = "REL-" + hashlib.sha256((text % shortest).encode()).hexdigest()[:20]
    data = b'{"relation":{"id":"REL-0",' + (text % number).encode()[1:] + b',"rule":"r","signals":[]}'
    assert list(reminted(Graph({"REL-0": data})).links) == [expected]


def test_a_folder_appears_as_a_whole(tmp_path: Path) -> None:
    runs = tmp_path / "out" / "runs"
    staged = stage_folder(runs, "one", {"a": b"1", "b": iter([b"2", b"3"])})
    assert not (runs / "one").exists()
    assert staged.parent == runs
    publish(staged, runs / "one")
    assert {path.name: path.read_bytes() for path in (runs / "one").iterdir()} == {"a": b"1", "b": b"23"}
    assert os.listdir(runs) == ["one"]


def test_nothing_is_left_of_a_folder_that_could_not_be_made(tmp_path: Path) -> None:
    def breaking() -> Any:
        yield b"something"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        stage_folder(tmp_path, "one", {"a": b"1", "b": breaking()})
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_there_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    staged = stage_folder(tmp_path, "one", {"a": b"1"})
    with pytest.raises(Usage, match="there already"):
        publish(staged, tmp_path / "one")
    assert os.listdir(tmp_path) == ["one"]
    assert not list((tmp_path / "one").iterdir())


def test_a_link_that_leads_nowhere_is_something_too(tmp_path: Path) -> None:
    (tmp_path / "one").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Usage, match="there already"):
        publish(stage_folder(tmp_path, "one", {"a": b"1"}), tmp_path / "one")
    assert not (tmp_path / "elsewhere").exists()


def test_what_killed_runs_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    (tmp_path / ".20260105T100000Z-0123abcd.7.tmp").mkdir()
    (tmp_path / "20260105T100000Z-0123abcd").mkdir()
    (tmp_path / "notes.tmp").write_text("mine")
    (tmp_path / ".linked.tmp").symlink_to(tmp_path / "notes.tmp")
    prepared(tmp_path)
    assert sorted(os.listdir(tmp_path)) == [
        ".gitignore", ".linked.tmp", "20260105T100000Z-0123abcd", "notes.tmp",
    ]  # fmt: skip


def test_no_room_is_an_error_of_the_surroundings(tmp_path: Path) -> None:
    (tmp_path / "runs").write_text("a file")
    for attempt in (
        lambda: prepared(tmp_path / "runs"),
        lambda: stage_folder(tmp_path / "runs", "one", {}),
        lambda: write_latest(tmp_path / "runs", b"{}"),
    ):
        with pytest.raises(Environment, match="cannot be written"):
            attempt()
