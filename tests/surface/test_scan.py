"""`t2c scan` as a user types it: only the difference is recorded, whatever the repository looks like."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

TODO = """\
# Plans

## Now

- [ ] Add retry backoff to `export_metrics` (#7)
- [x] Write the guide
- [ ] Drop Windows support
"""
CHANGELOG = """\
# Changelog

## [1.1.0] - 2026-02-01

### Fixed

- Metrics no longer lose the last sample (#9)
"""
CODE = '''\
"""Metrics."""

LIMIT = 5


def export_metrics(sample: str) -> int:
    """Export one sample."""
    return len(sample)
'''


def git(root: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ada Test", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, env=environ, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def commit(root: Path, message: str) -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "--allow-empty", "-m", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def repo(t2c: Any) -> Path:
    root: Path = t2c.root
    git(root, "init", "-q", "-b", "main")
    (root / "TODO.md").write_text(TODO)
    (root / "CHANGELOG.md").write_text(CHANGELOG)
    (root / "src").mkdir()
    (root / "src" / "metrics.py").write_text(CODE)
    commit(root, "fix: keep the last sample (#9)")
    return root


def events(t2c: Any) -> list[dict[str, Any]]:
    log = t2c("ledger", "log", "--jsonl")
    assert log.code == 0, log.err
    return log.lines  # type: ignore[no-any-return]


def ids(t2c: Any, source: str) -> set[str]:
    standing: dict[str, str] = {}
    for event in events(t2c):
        if event["type"] == "record.observed":
            standing[event["data"]["record"]["id"]] = event["data"]["record"]["source"]["kind"]
        elif event["type"] == "record.retracted":
            del standing[event["data"]["id"]]
    return {identity for identity, kind in standing.items() if kind == source}


def scan(t2c: Any, *more: str) -> dict[str, Any]:
    ran = t2c("scan", "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document  # type: ignore[no-any-return]


def sound(t2c: Any) -> None:
    ran = t2c("ledger", "verify", "--level", "domain", "--json")
    assert ran.code == 0, ran.out


def files(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_first_scan_records_links_and_projects(t2c: Any, repo: Path) -> None:
    first = scan(t2c)
    assert first["made"] is True
    assert set(first) >= {"run", "appended", "records", "omissions", "relations"}
    assert first["records"] == {"ast": 3, "changelog": 2, "git": 1, "todo": 3}
    assert first["relations"] >= 2
    types = Counter(event["type"] for event in events(t2c))
    assert types["run.started"] == types["run.finished"] == 1
    assert first["appended"] == {name: number for name, number in types.items() if name != "journal.opened"}
    linked = [event["data"] for event in events(t2c) if event["type"] == "relation.linked"]
    assert ("releases", "number") in {(item["relation"]["type"], item["rule"]) for item in linked}
    assert all(event["trust"] == "observed" and event["actor"]["kind"] == "helper" for event in events(t2c))
    for name in ("records/records.jsonl", "graph/graph.json", "runs/runs.json", "summary/summary.md"):
        assert (repo / ".t2c" / "projections" / name).stat().st_size > 0
    sound(t2c)


def test_a_second_scan_of_an_unchanged_tree_appends_nothing_and_says_so(t2c: Any, repo: Path) -> None:
    first = scan(t2c)
    before = (repo / ".t2c" / "journal.ndjson").read_bytes()
    second = scan(t2c)
    assert second["run"] is None
    assert second["appended"] == {}
    assert second["records"] == first["records"]
    assert second["omissions"] == first["omissions"]
    assert second["relations"] == first["relations"]
    assert (repo / ".t2c" / "journal.ndjson").read_bytes() == before
    assert "nothing was appended" in t2c("scan").out


def test_the_history_counts_its_records_once_when_it_is_read_anew(t2c: Any, repo: Path) -> None:
    git(repo, "tag", "v1.0.0")
    first = scan(t2c)
    shutil.rmtree(repo / ".t2c" / "cache")
    again = scan(t2c)
    for found in (first, again):
        (row,) = [row for row in found["table"] if row["name"] == "git"]
        assert row["records"] == found["records"]["git"] == 2


def test_a_file_of_all_tasks_may_be_as_large_as_a_changelog(t2c: Any, repo: Path) -> None:
    tasks = ", ".join(f'{{"id": {number}, "title": "Add part {number}"}}' for number in range(9))
    folder = repo / ".taskmaster" / "tasks"
    folder.mkdir(parents=True)
    (folder / "tasks.json").write_text(f'{{"master": {{"tasks": [{tasks}]}}}}')
    (repo / "TODO.md").write_text("- [ ] Add it\n" * 50)
    t2c.environ["T2C_SCAN_MAX_FILE_BYTES"] = "200"
    assert scan(t2c)["records"]["todo"] == 9, (
        "the list in Markdown is too large, the file of all tasks is not"
    )
    t2c.environ["T2C_SCAN_MAX_CHANGELOG_BYTES"] = "300"
    scan(t2c)
    notes = [event["data"] for event in events(t2c) if event["type"] == "omission.noted"]
    assert {"too_large"} <= {note["reason"] for note in notes if (note["path"] or "").endswith("tasks.json")}


def test_a_blank_line_above_an_item_changes_no_id(t2c: Any, repo: Path) -> None:
    scan(t2c)
    before = ids(t2c, "todo")
    (repo / "TODO.md").write_text(TODO.replace("- [ ] Add", "\n- [ ] Add"))
    second = scan(t2c)
    assert ids(t2c, "todo") == before
    assert {name for name in second["appended"] if name.startswith("record.")} == {"record.moved"}
    assert second["appended"]["record.moved"] == 1
    assert scan(t2c)["run"] is None
    sound(t2c)


def test_a_changed_item_is_one_observation_and_one_retraction_with_its_successor(
    t2c: Any, repo: Path
) -> None:
    scan(t2c)
    before = ids(t2c, "todo")
    (repo / "TODO.md").write_text(TODO.replace("Drop Windows support", "Drop Windows 10 support"))
    changed = scan(t2c)["appended"]
    assert (changed["record.observed"], changed["record.retracted"]) == (1, 1)
    retraction = next(event["data"] for event in events(t2c) if event["type"] == "record.retracted")
    new = ids(t2c, "todo") - before
    assert retraction["why"] == "reworded"
    assert {retraction["superseded_by"]} == new
    sound(t2c)


def test_a_ticked_box_keeps_its_id(t2c: Any, repo: Path) -> None:
    scan(t2c)
    before = ids(t2c, "todo")
    (repo / "TODO.md").write_text(TODO.replace("- [ ] Drop", "- [x] Drop"))
    changed = scan(t2c)["appended"]
    assert changed["record.observed"] == 1
    assert "record.retracted" not in changed
    assert ids(t2c, "todo") == before


def test_a_deleted_file_retracts_what_stood_in_it_and_its_links(t2c: Any, repo: Path) -> None:
    scan(t2c)
    (repo / "src" / "metrics.py").unlink()
    changed = scan(t2c)
    assert "ast" not in changed["records"]
    why = {event["data"]["why"] for event in events(t2c) if event["type"] == "record.retracted"}
    assert why == {"file_gone"}
    unlinked = [event["data"] for event in events(t2c) if event["type"] == "relation.unlinked"]
    assert unlinked and {item["why"] for item in unlinked} == {"endpoint_retracted"}
    sound(t2c)


def test_a_file_that_a_rule_leaves_out_is_not_said_to_be_gone(t2c: Any, repo: Path) -> None:
    scan(t2c)
    (repo / ".gitignore").write_text("src\n")
    scan(t2c)
    why = [event["data"]["why"] for event in events(t2c) if event["type"] == "record.retracted"]
    assert set(why) == {"left_out"}
    sound(t2c)


def test_a_run_without_an_end_is_closed_by_the_next_scan(t2c: Any, repo: Path) -> None:
    scan(t2c)
    journal = repo / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    assert b'"run.finished"' in lines[-1]
    journal.write_bytes(b"".join(lines[:-1]))
    closed = scan(t2c)
    assert (closed["run"], closed["appended"]) == (None, {"run.finished": 1})
    assert events(t2c)[-1]["data"]["status"] == "failed"
    assert scan(t2c)["appended"] == {}
    sound(t2c)


def test_views_that_cannot_be_written_do_not_hide_what_was_recorded(t2c: Any, repo: Path) -> None:
    (repo / ".t2c").mkdir()
    (repo / ".t2c" / "projections").write_text("in the way")
    ran = t2c("scan", "--json")
    assert ran.code == 3
    assert ran.document["appended"]["record.observed"] == 9
    assert "in the journal, up to seq" in t2c("scan").err


def test_one_root_and_a_real_one(t2c: Any, repo: Path, tmp_path: Path) -> None:
    assert t2c("scan", "--root", repo, "--json", cwd=tmp_path).code == 0
    other = tmp_path / "other"
    other.mkdir()
    assert t2c("scan", "--root", repo, other, "--json").code == 2
    assert t2c("scan", "", "--json").code == 2
    assert t2c("scan", repo / ".git", "--json").code == 2
    assert not (repo / ".git" / ".t2c").exists()


def test_a_moved_file_names_the_successors(t2c: Any, repo: Path) -> None:
    scan(t2c)
    (repo / "src" / "metrics.py").rename(repo / "src" / "measures.py")
    scan(t2c)
    retracted = [event["data"] for event in events(t2c) if event["type"] == "record.retracted"]
    moved = [item for item in retracted if item["why"] == "relocated"]
    assert len(moved) == 2  # the function and the constant; the module itself has another name
    assert all(item["superseded_by"] for item in moved)
    sound(t2c)


def test_a_file_that_cannot_be_read_now_retracts_nothing(t2c: Any, repo: Path) -> None:
    scan(t2c)
    before = ids(t2c, "ast")
    (repo / "src" / "metrics.py").write_bytes(b"x = 1\n" * 300_000)
    second = scan(t2c)
    assert second["omissions"] == {"not_seen_again": 3, "too_large": 1}
    assert scan(t2c)["run"] is None
    assert second["stages"]["code"] == "partial"
    assert ids(t2c, "ast") == before
    (repo / "src" / "metrics.py").write_text(CODE)
    third = scan(t2c)
    assert third["omissions"] == {}
    assert third["appended"]["omission.cleared"] == 2
    assert ids(t2c, "ast") == before
    sound(t2c)


def test_what_a_broken_file_no_longer_shows_stands_and_is_told(t2c: Any, repo: Path) -> None:
    scan(t2c)
    (repo / "src" / "metrics.py").write_text("LIMIT = 5\n\n\ndef broken(\n")
    broken = scan(t2c)
    assert broken["omissions"]["not_seen_again"] == 1
    assert "not_seen_again" in (repo / ".t2c" / "projections" / "summary" / "summary.md").read_text()
    (repo / "src" / "metrics.py").write_text("LIMIT = 5\n")
    assert scan(t2c)["omissions"] == {}
    assert [e["data"]["why"] for e in events(t2c) if e["type"] == "record.retracted"].count("absent") >= 1
    sound(t2c)


def test_new_commits_are_added_and_rewritten_ones_retracted(t2c: Any, repo: Path) -> None:
    scan(t2c)
    commit(repo, "feat: one more")
    added = scan(t2c)
    assert added["records"]["git"] == 2
    git(repo, "commit", "-q", "--amend", "--allow-empty", "-m", "feat: said otherwise")
    amended = scan(t2c)
    assert amended["records"]["git"] == 2
    assert [e["data"]["why"] for e in events(t2c) if e["type"] == "record.retracted"] == ["unreachable"]
    sound(t2c)


def test_older_commits_are_a_counted_omission(t2c: Any, repo: Path) -> None:
    for number in range(4):
        commit(repo, f"feat: number {number}")
    first = scan(t2c, "--commits", "2")
    assert first["records"]["git"] == 2
    assert first["omissions"]["older_commits"] == 3
    assert scan(t2c, "--commits", "2")["run"] is None


def test_any_number_of_commits_may_be_asked_for(t2c: Any, repo: Path) -> None:
    assert scan(t2c, "--commits", "9" * 30)["records"]["git"] == 1


def test_a_tracked_file_that_a_rule_hides_is_counted(t2c: Any, repo: Path) -> None:
    (repo / ".gitignore").write_text("src\n")
    commit(repo, "chore: ignore what is tracked")
    assert scan(t2c)["omissions"] == {"tracked_but_ignored": 1}
    assert scan(t2c)["run"] is None


def test_what_the_ledger_keeps_is_not_observed(t2c: Any, repo: Path) -> None:
    scan(t2c)
    git(repo, "add", "-f", ".t2c/journal.ndjson")
    git(repo, "commit", "-q", "-m", "chore: keep the ledger")
    second = scan(t2c)
    assert second["records"]["git"] == 1
    assert not any(".t2c" in path for event in events(t2c) for path in _paths(event))


def _paths(event: dict[str, Any]) -> list[str]:
    record = event["data"].get("record")
    return record["statement"]["target"]["paths"] if record else []


def test_views_can_be_deleted_and_come_back_byte_for_byte(t2c: Any, repo: Path) -> None:
    scan(t2c)
    folder = repo / ".t2c" / "projections"
    left = files(folder)
    assert t2c("ledger", "project").code == 0
    before = files(folder)
    assert left.items() <= before.items(), "what a scan leaves behind is what a fold makes"
    shutil.rmtree(folder)
    shutil.rmtree(repo / ".t2c" / "cache")
    assert t2c("ledger", "project").code == 0
    assert files(folder) == before


def test_a_scan_that_changes_nothing_makes_missing_views_again_and_leaves_the_others(
    t2c: Any, repo: Path
) -> None:
    scan(t2c)
    folder = repo / ".t2c" / "projections"
    before, stamp = files(folder), (folder / "graph" / "graph.json").stat().st_mtime_ns
    (folder / "summary" / "summary.md").unlink()
    shutil.rmtree(folder / "runs")
    assert scan(t2c)["run"] is None
    assert files(folder) == before
    assert (folder / "graph" / "graph.json").stat().st_mtime_ns == stamp


def test_views_as_of_an_earlier_event(t2c: Any, repo: Path) -> None:
    scan(t2c)
    folder = repo / ".t2c" / "projections"
    assert t2c("ledger", "project").code == 0
    before, seq = files(folder), t2c("ledger", "head", "--json").document["seq"]
    (repo / "TODO.md").write_text(TODO + "- [ ] One more\n")
    scan(t2c)
    assert t2c("ledger", "project").code == 0
    after = files(folder)
    assert t2c("ledger", "project", "--at", str(seq)).code == 0
    assert files(folder) == before
    sound(t2c)
    assert t2c("ledger", "project").code == 0
    assert files(folder) == after


def test_an_empty_folder(t2c: Any) -> None:
    shutil.rmtree(t2c.root / ".git")
    first = scan(t2c)
    assert first["records"] == {}
    assert first["omissions"] == {"not_a_repository": 1}
    assert scan(t2c)["run"] is None
    assert "no data" in (t2c.root / ".t2c" / "projections" / "summary" / "summary.md").read_text()


def test_a_folder_without_git_is_read_all_the_same(t2c: Any) -> None:
    shutil.rmtree(t2c.root / ".git")
    (t2c.root / "TODO.md").write_text(TODO)
    first = scan(t2c)
    assert first["records"] == {"todo": 3}
    assert first["stages"]["git"] == "partial"


def test_a_repository_without_commits(t2c: Any) -> None:
    git(t2c.root, "init", "-q")
    (t2c.root / "TODO.md").write_text(TODO)
    first = scan(t2c)
    assert first["records"] == {"todo": 3}
    assert "no_commits" in first["omissions"]
    assert scan(t2c)["run"] is None


def test_a_file_that_is_not_utf8(t2c: Any, repo: Path) -> None:
    (repo / "TODO.md").write_bytes(b"# Plans\n\n- [ ] caf\xe9 au lait\n- [ ] plain\n")
    first = scan(t2c)
    assert first["records"]["todo"] == 2
    assert first["omissions"]["not_utf8"] >= 1
    sound(t2c)


def test_a_changelog_of_fifty_megabytes_is_read_from_its_top_and_the_rest_is_counted(t2c: Any) -> None:
    shutil.rmtree(t2c.root / ".git")
    entries = "".join(
        f"- Fixed the case of {n} wheels in a row, so that lines are real\n" for n in range(800)
    )
    with (t2c.root / "CHANGELOG.md").open("w") as stream:
        for minor in range(1000, 0, -1):
            stream.write(f"## [1.{minor}.0] - 2026-01-01\n\n### Fixed\n\n{entries}\n")
    assert (t2c.root / "CHANGELOG.md").stat().st_size > 50_000_000
    ran = t2c("scan", "--json", env={"T2C_SCAN_MAX_CHANGELOG_BYTES": "200000"})
    assert ran.code == 0, ran.err
    assert ran.document["omissions"]["read_in_part"] == 1
    assert 2000 < ran.document["records"]["changelog"] < 4000
    newest = t2c("ledger", "log", "--type", "record.observed", "--jsonl").lines[0]["data"]["record"]
    assert newest["metadata"]["version"] == "1.1000.0"
    sound(t2c)


def test_a_workspace_that_cannot_be_made(t2c: Any) -> None:
    (t2c.root / ".t2c").write_text("in the way")
    ran = t2c("scan", "--json")
    assert ran.code == 6
    assert ran.document["error"]["remedy"]
    assert "Traceback" not in ran.err
    assert (t2c.root / ".t2c").read_text() == "in the way"


def test_a_torn_end_is_repaired_even_if_nothing_else_changed(t2c: Any, repo: Path) -> None:
    scan(t2c)
    journal = repo / ".t2c" / "journal.ndjson"
    with journal.open("ab") as stream:
        stream.write(b'{"actor":{"id":"t2c"')
    second = scan(t2c)
    assert second["run"] is None
    assert events(t2c)[-1]["type"] == "journal.repaired"
    sound(t2c)


def test_a_damaged_journal_stops_the_scan_and_nothing_is_written(t2c: Any, repo: Path) -> None:
    scan(t2c)
    journal = repo / ".t2c" / "journal.ndjson"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-1]) + b"{ broken\n")
    before = journal.read_bytes()
    ran = t2c("scan", "--json")
    assert ran.code == 5
    assert journal.read_bytes() == before


def test_two_scans_at_once_record_everything_once(t2c: Any, repo: Path) -> None:
    started = [t2c.start("scan", "--json", stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(3)]
    assert [process.wait(120) for process in started] == [0, 0, 0]
    for process in started:
        process.communicate()
    assert Counter(event["type"] for event in events(t2c))["run.started"] == 1
    sound(t2c)


def test_a_killed_scan_is_completed_by_the_next(t2c: Any, repo: Path) -> None:
    for number in range(120):
        (repo / f"module_{number}.py").write_text(CODE * 3)
    for delay in (0.3, 0.5, 0.7, 0.9):
        process = t2c.start("scan", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
    scan(t2c)
    assert scan(t2c)["run"] is None
    open_runs = Counter(event["type"] for event in events(t2c))
    assert open_runs["run.started"] == open_runs["run.finished"]
    sound(t2c)


def test_strict_makes_omissions_a_finding(t2c: Any, repo: Path) -> None:
    assert t2c("scan", "--strict").code == 0
    (repo / "TODO.md").write_bytes(TODO.replace("\n", "\r\n").encode())
    ran = t2c("scan", "--strict", "--json")
    assert (ran.code, ran.document["omissions"]) == (0, {"line_endings": 1})
    (repo / "TODO.md").write_text(TODO)
    (repo / "link").symlink_to("TODO.md")
    ran = t2c("scan", "--strict", "--json")
    assert ran.code == 1
    assert ran.document["omissions"] == {"symlink_not_followed": 1}


def test_the_root_may_be_named(t2c: Any, repo: Path, tmp_path: Path) -> None:
    ran = t2c("scan", repo, "--json", cwd=tmp_path)
    assert ran.code == 0
    assert (repo / ".t2c" / "journal.ndjson").exists()
    assert not (tmp_path / ".t2c").exists()


def test_hostile_names_and_texts_reach_no_terminal(t2c: Any, repo: Path) -> None:
    (repo / "TODO.md").write_text("- [ ] clear \x1b[2J the <script>alert(1)</script> `screen` \u202eback\n")
    scan(t2c)
    for command in (("ledger", "log"), ("scan",)):
        shown = t2c(*command).out
        assert "\x1b[2J" not in shown and "\u202e" not in shown
    assert "\x1b" not in (repo / ".t2c" / "projections" / "summary" / "summary.md").read_text()


@pytest.mark.parametrize("kind", ["nosuch", "git", "all"])
def test_a_text_of_no_kind_that_is_read_from_text_is_refused(t2c: Any, kind: str) -> None:
    ran = t2c("extract", kind, "-", "--json", input=b"Add a cache\n")
    assert ran.code == 2
    assert ran.document["error"]["class"] == "Usage"
