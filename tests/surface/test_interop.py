"""`t2c import`: foreign facts in, marked as such, once; and the journal as an event log."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from t2c import schemas
from t2c.ledger.interop.event_log import parse

RUN = Path(__file__).parents[1] / "unit" / "interop_fixtures" / "run"


@pytest.fixture
def run(t2c: Any) -> Path:
    """A run folder beside the ledger, outside of its root."""
    return Path(shutil.copytree(RUN, t2c.root.parent / "run"))


def test_a_run_is_taken_in_once(t2c: Any, run: Path) -> None:
    ran = t2c("import", "../run", "--json")
    assert ran.code == 0, ran.err
    found = ran.document
    assert found["schema"] == "t2c.import/v1"
    assert (found["records"], found["relations"], found["log_events"], found["refused_count"]) == (
        12,
        22,
        2,
        0,
    )
    assert (found["events"], found["known"], found["first"]) == (45, 0, 2)
    assert found["tool"] == "other-tool 0.5.0"
    assert found["not_read"] == ["diagnostics.json", "team-summary.md"]
    journal = t2c.root / ".t2c" / "journal.ndjson"
    before = journal.read_bytes()
    again = t2c("import", run, "--json").document
    assert (again["events"], again["known"], again["last"]) == (0, 45, 0)
    assert journal.read_bytes() == before
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    assert t2c("ledger", "verify", "--published").code == 0


def test_every_event_names_its_origin_and_is_trusted_no_further_than_it_may(t2c: Any, run: Path) -> None:
    found = t2c("import", "../run", "--json").document
    events = [json.loads(line) for line in (t2c.root / ".t2c" / "journal.ndjson").read_text().splitlines()]
    foreign = [event for event in events if "origin" in event]
    assert len(foreign) == 45
    assert {event["origin"]["ledger"] for event in foreign} == {found["ledger"]}
    assert {event["trust"] for event in foreign} == {"imported", "asserted"}
    said = [event for event in foreign if event["trust"] == "asserted"]
    assert len(said) == found["asserted"] == 2
    assert {event["data"]["record"]["epistemic"]["class"] for event in said} == {"claim"}
    closing = events[-1]
    assert (closing["type"], closing["data"]["ledger"], closing["data"]["events"]) == (
        "journal.merged",
        found["ledger"],
        45,
    )


def repository(t2c: Any) -> None:
    shutil.rmtree(t2c.root / ".git")
    (t2c.root / "TODO.md").write_text("# TODO\n\n- [ ] Add it\n")
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=t2c.root, check=True)


def test_no_scan_retracts_what_was_imported_and_no_view_counts_it(t2c: Any, run: Path) -> None:
    repository(t2c)
    assert t2c("scan").code == 0
    records = t2c.root / ".t2c" / "projections" / "records" / "records.jsonl"
    before = records.read_bytes()
    assert t2c("import", "../run").code == 0
    journal = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    ran = t2c("scan")
    assert "nothing changed" in ran.out + ran.err
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == journal
    assert t2c("ledger", "project").code == 0
    assert records.read_bytes() == before
    log = t2c.root / ".t2c" / "projections" / "event-log"
    assert json.loads((log / "event-log.json").read_bytes())["otherLedgers"] == 45
    assert parse((log / "logs.dsl.txt").read_bytes()).events


def test_a_bad_item_stops_all_unless_the_rest_is_asked_for(t2c: Any, run: Path) -> None:
    lines = (run / "todo.intent.jsonl").read_text().splitlines()
    (run / "todo.intent.jsonl").write_text(lines[0].replace('"positive"', '"maybe"') + "\n" + lines[1] + "\n")
    ran = t2c("import", "../run", "--json")
    assert ran.code == 2
    error = ran.document["error"]
    assert error["where"] == "todo.intent.jsonl:1"
    assert "statement.polarity" in error["message"]
    assert not (t2c.root / ".t2c").exists()
    ran = t2c("import", "../run", "--partial", "--json")
    assert ran.code == 0
    assert (ran.document["refused_count"], ran.document["records"]) == (1, 12)
    assert "1 item was not taken: todo.intent.jsonl:1: statement.polarity" in ran.err
    noted = [
        json.loads(line)["data"]
        for line in (t2c.root / ".t2c" / "journal.ndjson").read_text().splitlines()
        if json.loads(line)["type"] == "omission.noted"
    ]
    assert [(item["path"], item["reason"], item["count"], item["lines"]) for item in noted] == [
        ("todo.intent.jsonl", "refused", 1, [1])
    ]
    assert t2c("import", "../run", "--partial", "--json").document["events"] == 0
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_a_dry_run_writes_nothing(t2c: Any, run: Path) -> None:
    found = t2c("import", "../run", "--dry-run", "--json").document
    assert (found["events"], found["dry_run"], found["last"]) == (45, True, 0)
    assert not (t2c.root / ".t2c").exists()
    assert t2c("init").code == 0
    before = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    assert t2c("import", "../run", "--dry-run", "--json").document["events"] == 45
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == before


def test_one_file_is_taken_in_by_itself(t2c: Any, run: Path) -> None:
    for name, events in (("todo.intent.jsonl", 4), ("intent.graph.json", 36), ("logs.dsl.txt", 4)):
        ran = t2c("import", run / name, "--json")
        assert (ran.code, ran.document["events"]) == (0, events), ran.err
    assert t2c("ledger", "verify", "--level", "domain").code == 0


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("nothing", "nothing"),
        ("x.txt", "no file whose facts"),
        ("empty", "holds neither"),
        ("x.jsonl", "there is no"),
        ("bad.dsl.txt", "LOG-STRUCTURE-001"),
        ("bad.json", "not JSON"),
        ("blank.jsonl", "holds no facts"),
    ],
)
def test_what_is_no_run_is_said_and_not_taken(t2c: Any, given: str, said: str) -> None:
    (t2c.root / "empty").mkdir()
    (t2c.root / "x.txt").write_text("x")
    (t2c.root / "bad.dsl.txt").write_bytes(b"\xff")
    (t2c.root / "bad.json").write_text("{")
    (t2c.root / "blank.jsonl").write_text("\n\n")
    ran = t2c("import", given)
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert "Traceback" not in ran.err
    assert not (t2c.root / ".t2c").exists()


def test_a_pipe_is_not_waited_for(t2c: Any) -> None:
    import os

    os.mkfifo(t2c.root / "x.jsonl")
    ran = t2c("import", "x.jsonl")
    assert ran.code == 2
    assert "no plain file" in ran.err


def test_the_text_says_what_happened(t2c: Any, run: Path) -> None:
    ran = t2c("import", "../run")
    assert ran.out.startswith("45 events of ../run taken in, 0 known\n")
    assert "made ledger in" in ran.err
    assert "2 claims or made by a model" in ran.out
    assert "recorded   seq 2 to 47" in ran.out


# names under which contracts were published before


@pytest.mark.parametrize(
    ("old", "file"),
    [
        ("intent.schema.json", "artifacts/intent.v1.schema.json"),
        ("intent-record.schema.json", "artifacts/intent.v1.schema.json"),
        ("intent-graph.schema.json", "artifacts/graph.v1.schema.json"),
        ("graph.schema.json", "artifacts/graph.v1.schema.json"),
        ("intent-graph", "artifacts/graph.v1.schema.json"),
        ("t2c.graph/v1", "artifacts/graph.v1.schema.json"),
        ("t2c.run/v1", "artifacts/run.v1.schema.json"),
        ("run", "artifacts/run.v1.schema.json"),
    ],
)
def test_an_old_name_leads_to_our_schema(t2c: Any, old: str, file: str) -> None:
    ran = t2c("schemas", "show", old)
    assert (ran.code, ran.err) == (0, "")
    assert ran.stdout == (Path(schemas.__file__).parent / file).read_bytes()


def test_the_index_has_only_names_that_lead_somewhere() -> None:
    index: Any = schemas.load("index.json")
    assert len(index["aliases"]) >= 8
    assert list(index["aliases"]) == sorted(index["aliases"])
    assert set(index["aliases"].values()) <= index["schemas"].keys()


@pytest.mark.parametrize("name", ["t2c.a2a-task-store/v1", "gold-dataset.schema.json", "operation-plan"])
def test_a_published_name_without_a_schema_is_said_to_have_none_yet(t2c: Any, name: str) -> None:
    ran = t2c("schemas", "show", name)
    assert (ran.code, ran.out) == (2, "")
    assert f"{name} is a published name, and this t2c has no schema for it yet" in ran.err


def test_names_that_nobody_published_are_unknown(t2c: Any) -> None:
    for name in ("semantic-rerank.schema.json", "t2c.semantic-candidate-set/v1", "made-up.schema.json"):
        assert f"no schema is called {name}" in t2c("schemas", "show", name).err
