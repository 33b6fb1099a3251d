"""`t2c ledger replay`: the story, and what on disk is not what the journal makes of it."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.commands.evidence import STATE_VERSION, LiveRecord
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.tree import Tree
from t2c.ledger.standing import keep, kept
from t2c.projections.fold import fold
from t2c.projections.fold.snapshot import load, path_of, save
from t2c.projections.registry import ALL


def files(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Everything below a folder: when it was changed and what it holds."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mtime_ns,
            path.read_bytes() if path.is_file() else b"",
        )
        for path in sorted(folder.rglob("*"))
    }


@pytest.fixture
def scanned(t2c: Any) -> Any:
    """A ledger with everything beside its journal that there can be."""
    (t2c.root / ".git").rmdir()
    subprocess.run(["git", "init", "-q", str(t2c.root)], check=True)
    (t2c.root / "TODO.md").write_text("- [ ] write the manual\n- [ ] paint the fence\n")
    assert t2c("scan").code == 0
    (t2c.root / "TODO.md").write_text("- [ ] write the manual\n")
    assert t2c("scan").code == 0
    assert t2c("ledger", "project").code == 0
    workspace = t2c.root / ".t2c"
    with Ledger(workspace) as ledger:
        fold(ledger.journal, ALL, ALL, cache=ledger.cache / "folds", snapshot_after=1)
        Tree.open(ledger.cache / "tree", ledger.journal).close()
        assert ledger.index.offset(next(ledger.entries()).id) is not None
        ledger.index.close()
    return t2c


def compared(t2c: Any, *options: str) -> dict[str, tuple[str, int | None, str]]:
    ran = t2c("ledger", "replay", "--json", *options)
    assert ran.code == 0, ran.err
    return {row["file"]: (row["status"], row["seq"], row["detail"]) for row in ran.document["compared"]}


EVERYTHING = {
    *(f".t2c/projections/{name}" for name in ALL),
    *(f".t2c/cache/folds/{name}.v{projection.version}.msgpack" for name, projection in ALL.items()),
    f".t2c/cache/states/evidence.v{STATE_VERSION}.msgpack",
    ".t2c/cache/index.sqlite",
    ".t2c/cache/tree",
}


def test_all_there_is_beside_the_journal_is_compared_and_equal(scanned: Any) -> None:
    head = scanned("ledger", "head", "--json").document["seq"]
    found = compared(scanned)
    assert set(found) == EVERYTHING
    assert {(status, seq) for status, seq, _ in found.values()} == {("equal", head)}
    assert scanned("ledger", "replay", "--check").code == 0


def test_it_writes_nothing_at_all(scanned: Any) -> None:
    event = scanned("ledger", "log", "--jsonl").lines[4]["id"]
    workspace = scanned.root / ".t2c"
    (workspace / "projections" / "runs" / "runs.json").write_text("{}")
    before = files(workspace)
    for options in ((), ("--check",), ("--json",), ("--to", "5"), ("--to", event), ("--to", "nonsense")):
        scanned("ledger", "replay", *options)
        assert files(workspace) == before


def test_what_is_older_than_the_head_is_compared_where_it_stands(scanned: Any) -> None:
    head = scanned("ledger", "head", "--json").document["seq"]
    scanned("ledger", "append", "--statement", "and on")
    scanned("ledger", "project", "runs", "--at", "5")
    found = compared(scanned)
    assert found[".t2c/projections/runs"] == ("equal", 5, "")
    for name in EVERYTHING - {".t2c/projections/runs", ".t2c/cache/index.sqlite"}:
        assert found[name] == ("equal", head, "")


def test_an_earlier_end_skips_what_came_after_it(scanned: Any) -> None:
    found = compared(scanned, "--to", "5")
    assert {status for status, _, _ in found.values()} == {"skipped"}


def change_view(workspace: Path) -> str:
    (workspace / "projections" / "summary" / "summary.md").write_text("all is well")
    return ".t2c/projections/summary/summary.md"


def change_fold(workspace: Path) -> str:
    with Ledger(workspace) as ledger:
        states = fold(ledger.journal, ALL, ["records"], until=2).states  # an older state under a newer name
        cache = ledger.cache / "folds"
        found = load(cache, ALL["records"], lambda _: True)
        assert found is not None
        save(cache, ALL["records"], found[0], states["records"])
    return f".t2c/cache/folds/{path_of(cache, ALL['records']).name}"


def change_decided(workspace: Path) -> str:
    with Ledger(workspace) as ledger:
        standing = kept(ledger)
        assert standing is not None
        first = min(standing.state.records)
        record: LiveRecord = standing.state.records[first]
        record.digest = bytes(16)
        keep(ledger, standing)
    return f".t2c/cache/states/evidence.v{STATE_VERSION}.msgpack"


def change_index(workspace: Path) -> str:
    with sqlite3.connect(workspace / "cache" / "index.sqlite") as database:
        database.execute("UPDATE ids SET offset = 7 WHERE id = (SELECT min(id) FROM ids)")
    database.close()
    return ".t2c/cache/index.sqlite"


def change_tree(workspace: Path) -> str:
    path = workspace / "cache" / "tree" / "level-00"
    content = bytearray(path.read_bytes())
    content[40] ^= 1
    path.write_bytes(content)
    return ".t2c/cache/tree"


@pytest.mark.parametrize("change", [change_view, change_fold, change_decided, change_index, change_tree])
def test_whatever_was_changed_is_named_and_fails_the_check(
    scanned: Any, change: Callable[[Path], str]
) -> None:
    name = change(scanned.root / ".t2c")
    found = compared(scanned)
    assert found[name][0] in ("differs", "stale"), found
    differing = {file for file, (status, _, _) in found.items() if status == "differs"}
    if change is change_tree:  # what does not lead to its own root is believed by nobody
        assert differing <= {name}
        return
    assert differing == {name}
    ran = scanned("ledger", "replay", "--check")
    assert ran.code == 1
    assert " difference" in ran.out and name in ran.out
    assert scanned("ledger", "replay").code == 0
    assert scanned("ledger", "replay", "--check", "--json").document["ok"] is False


def test_a_cache_that_is_no_cache_is_named(scanned: Any) -> None:
    cache = scanned.root / ".t2c" / "cache"
    for path in (*cache.glob("folds/*"), *cache.glob("states/*"), *cache.glob("index.sqlite*")):
        path.write_bytes(b"junk")
    (cache / "folds" / "records.v0.msgpack").write_bytes(b"junk")
    found = compared(scanned)
    assert found[".t2c/cache/folds/records.v0.msgpack"][0] == "stale"
    for name in EVERYTHING - {".t2c/cache/tree", ".t2c/cache/folds/records.v0.msgpack"}:
        if "/cache/" in name:
            assert found[name][0] == "differs", name


def test_no_cache_is_believed(scanned: Any) -> None:
    """The story, the root and the comparison of views come out the same without and with false caches."""

    def told(document: dict[str, Any]) -> Any:
        return (
            document["story"],
            document["root"],
            [row for row in document["compared"] if "/projections/" in row["file"]],
        )

    before = told(scanned("ledger", "replay", "--json").document)
    for change in (change_fold, change_decided, change_index):
        change(scanned.root / ".t2c")
        assert told(scanned("ledger", "replay", "--json").document) == before
    assert before[1] == scanned("ledger", "verify", "--json").document["root"]


def test_what_another_history_left_is_stale(scanned: Any) -> None:
    workspace = scanned.root / ".t2c"
    journal = workspace / "journal.ndjson"
    kept_lines = journal.read_bytes().splitlines(keepends=True)[:4]
    journal.write_bytes(b"".join(kept_lines))
    for _ in range(40):
        scanned("ledger", "append", "--statement", "another way")
    found = compared(scanned)
    assert {status for name, (status, _, _) in found.items() if name != ".t2c/cache/index.sqlite"} == {
        "stale"
    }
    assert scanned("ledger", "replay", "--check").code == 0


def test_a_chain_that_breaks_is_damage_at_its_place(scanned: Any) -> None:
    journal = scanned.root / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if b"write the manual" in line)
    lines[at] = lines[at].replace(b"write the manual", b"write the MANUAL")
    journal.write_bytes(b"".join(lines))
    ran = scanned("ledger", "replay")
    assert ran.code == 5
    assert f"seq {at + 1}" in ran.err


def test_the_story_tells_who_did_what_run_by_run(scanned: Any) -> None:
    scanned("ledger", "append", "--statement", "x", "--actor", "agent:ada")
    body = {"type": "participant.registered", "data": {"participant": "ada", "kind": "agent"}}
    scanned("ledger", "append", input=json.dumps(body).encode())
    story = scanned("ledger", "replay", "--json").document["story"]
    assert [chapter["verb"] for chapter in story] == [None, "scan", "scan"]
    assert story[0]["actors"]["agent:ada"] == {"observation.noted": 1}
    assert [notable["type"] for notable in story[0]["notable"]] == [
        "journal.opened",
        "participant.registered",
    ]
    assert story[1]["requested_by"] == "human:local"
    assert story[2]["retracted"] == {"absent": 1}
    events = scanned("ledger", "head", "--json").document["events"]
    assert sum(chapter["events"] for chapter in story) == events
    shown = scanned("ledger", "replay").out
    assert "gone: 1 absent" in shown
    assert "agent:ada: 1 observation.noted" in shown


def test_the_story_tells_of_repairs_and_of_an_unfinished_end(t2c: Any) -> None:
    t2c("ledger", "append", "--statement", "x")
    with (t2c.root / ".t2c" / "journal.ndjson").open("ab") as stream:
        stream.write(b'{"half')
    assert "unfinished" in t2c("ledger", "replay").out
    t2c("ledger", "append", "--statement", "y")
    assert (
        "journal.repaired: an unfinished end was set aside (torn_line, 6 bytes)"
        in t2c("ledger", "replay").out
    )


def test_events_that_no_view_can_use_are_told(t2c: Any, new_journal: Any) -> None:
    chain = new_journal(t2c.root / ".t2c" / "journal.ndjson")
    chain.add("weather.changed", {"x": 1})
    chain.add("record.observed", {"record": {"id": 5}})
    chain.withheld("observation.noted")
    found = t2c("ledger", "replay", "--json").document
    assert found["unknown"] == {"weather.changed v1": 1}
    assert found["withheld"] == {"observation.noted": 1}
    assert {fault["seq"] for fault in found["faults"]} == {3}


@pytest.mark.parametrize("to", ["0", "99", "soon"])
def test_an_end_that_is_no_moment_is_refused(t2c: Any, to: str) -> None:
    t2c("ledger", "append", "--statement", "x")
    assert t2c("ledger", "replay", "--to", to).code == 2


def test_an_empty_comparison_says_so(t2c: Any) -> None:
    t2c("ledger", "append", "--statement", "x")
    for folder in ("cache", "projections"):
        subprocess.run(["rm", "-rf", str(t2c.root / ".t2c" / folder)], check=True)
    assert "nothing beside the journal" in t2c("ledger", "replay").out


def test_views_from_a_false_snapshot_are_made_right_from_the_first_event(t2c: Any) -> None:
    (t2c.root / "TODO.md").write_text("- [ ] Add the parser\n")
    assert t2c("scan").code == 0
    folder = t2c.root / ".t2c"
    right = (folder / "projections" / "records" / "records.jsonl").read_bytes()
    with Ledger(folder) as ledger:
        cache = ledger.cache / "folds"
        fold(ledger.journal, ALL, ALL, cache=cache, snapshot_after=1)
        name = path_of(cache, ALL["records"])
        header, _ = load(cache, ALL["records"], lambda position: True) or (None, None)
        assert header is not None
        save(cache, ALL["records"], header, ALL["records"].start())
    for path in (folder / "projections" / "records").iterdir():
        path.unlink()
    assert name.exists()
    assert t2c("ledger", "project", "records").code == 0
    assert (folder / "projections" / "records" / "records.jsonl").read_bytes() != right
    assert t2c("ledger", "replay", "--check").code == 1
    assert t2c("ledger", "project", "--full").code == 0
    assert (folder / "projections" / "records" / "records.jsonl").read_bytes() == right
    assert t2c("ledger", "replay", "--check").code == 0


def test_a_ledger_that_took_in_a_branch_and_another_ledger_is_replayed(scanned: Any, t2c: Any) -> None:
    """The reading goes through the journal once, though it has to know whose each event is."""
    workspace = scanned.root / ".t2c"
    for name in ("branch", "other"):
        (scanned.root / name).mkdir()
    shutil.copytree(workspace, scanned.root / "branch" / ".t2c")
    for name in ("branch", "other"):
        for arguments in (("init",), ("ledger", "append", "--statement", f"said on {name}")):
            assert t2c("--root", scanned.root / name, *arguments).code == 0
    assert t2c("ledger", "append", "--statement", "said here").code == 0
    for name in ("branch", "other"):
        assert t2c("ledger", "merge", scanned.root / name).code == 0
    assert t2c("ledger", "project").code == 0
    ran = t2c("ledger", "replay", "--check", "--json")
    assert ran.code == 0, ran.err
    assert [row for row in ran.document["compared"] if row["status"] == "differs"] == []
