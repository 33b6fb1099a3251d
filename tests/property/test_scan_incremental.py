"""A scan that reads only what changed ends where a scan that reads everything ends, in however many processes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2c.cli.actions import reading
from t2c.cli.actions import scan as scanning
from t2c.cli.actions.context import Context
from t2c.cli.actions.given import given_files
from t2c.cli.actions.opening import open_ledger
from t2c.cli.sections import ScanSettings
from t2c.cli.settings import Settings
from t2c.ledger.intake.base import no_progress
from t2c.ledger.standing import load

Comparable = Callable[[Mapping[str, bytes | Iterable[bytes]]], dict[str, bytes]]


class StandingClock:
    """A clock that does not go on."""

    def now(self) -> datetime:
        return datetime(2026, 1, 5, 10, tzinfo=UTC)


# None is read in part only: of such a file nothing is retracted (decisions B2), which a cold scan knows nothing of.
TEXTS: dict[str, list[str]] = {
    "TODO.md": [
        "# Plan\n\n- [ ] Add retry to `src/a.py`\n- [x] Fix helper (#3)\n",
        "# Plan\n\n\n- [x] Fix helper (#3)\n- [ ] Add retry to `src/a.py`\n",
        "- [ ] Drop `b.ts`\n",
        "",
    ],
    "CHANGELOG.md": [
        "# Changelog\n\n## [1.0.0] - 2026-01-01\n\n### Fixed\n\n- Fix helper (#3)\n",
        "# Changelog\n\n## [Unreleased]\n\n- Add retry to the exporter of reports\n\n## [1.0.0] - 2026-01-01\n\n### Fixed\n\n- Fix helper (#3)\n",
    ],
    "docs/guide.md": [
        "# Guide\n\nSee `src/a.py` and `b.ts` for the details of it.\n",
        "# Guide\n\n## Requirements\n\n- The exporter MUST retry (see `src/b.ts`).\n",
    ],
    "src/a.py": [
        'def helper(x):\n    """Help."""\n    # TODO: handle errors\n    return x\n',
        "import os\n\n\nclass A:\n    def run(self):\n        return helper(1)\n",
    ],
    "tests/test_a.py": [
        "from src.a import helper\n\n\ndef test_helper():\n    assert helper(1) == 1\n",
        "import src.a\n\n\ndef test_run():\n    assert src.a.A().run() == 1\n",
    ],
    "src/b.ts": ["export function retry(n: number) { return n }\n", "// FIXME: slow\nexport const b = () => 1\n"],
    "other/b.ts": ["export const other = 1\n"],
    "package.json": ['{"name": "x", "dependencies": {"left": "1.0"}}', "{}"],
    "project/participants.json": ['{"schemaVersion": "t2c.participant-registry/v1", "participants": []}'],
    "project/T-1/human.tom.request.001.md": [
        "---\nparticipant: tom\nrole: human\n---\nPlease add a retry to the exporter.\n", "Please stop.\n",
    ],
}  # fmt: skip
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(sorted(TEXTS)), st.integers(0, 3)),
        st.tuples(st.just("delete"), st.sampled_from(sorted(TEXTS)), st.just(0)),
        st.tuples(st.just("touch"), st.sampled_from(sorted(TEXTS)), st.just(0)),
        st.tuples(st.just("commit"), st.just(""), st.integers(0, 3)),
        st.tuples(st.just("tag"), st.sampled_from(["v0.9.0", "v1.0.0"]), st.just(0)),
    ),
    min_size=1,
    max_size=6,
)


def context(root: Path, processes: int = 2) -> Context:
    chosen = Settings(scan=ScanSettings(processes=processes), durability="none")
    return Context(root, root, chosen, StandingClock(), no_progress)


def git(root: Path, *arguments: str) -> None:
    who = {f"GIT_{role}_{what}": value for role in ("AUTHOR", "COMMITTER") for what, value in (
        ("NAME", "Ada"), ("EMAIL", "a@example.org"), ("DATE", "2026-01-02T03:04:05Z"))}  # fmt: skip
    environ = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "-C", str(root), *arguments], check=True, capture_output=True, env=environ)


def take(root: Path, step: tuple[str, str, int]) -> None:
    kind, name, number = step
    path = root / name
    if kind == "write":
        path.parent.mkdir(parents=True, exist_ok=True)
        texts = TEXTS[name]
        path.write_text(texts[number % len(texts)])
    elif kind == "delete":
        path.unlink(missing_ok=True)
    elif kind == "touch" and path.exists():
        os.utime(path, ns=(number, number))
    elif kind == "commit":
        git(root, "add", "-A", "--", ".", ":!.t2c")
        git(
            root,
            "commit",
            "-q",
            "--allow-empty",
            "-m",
            ["Fix it (#3)", "Add retry to the exporter of reports", "docs: x", "wip"][number],
        )
    elif kind == "tag":
        with contextlib.suppress(subprocess.CalledProcessError):  # there is no commit yet
            git(root, "tag", "-f", name)


def stands(root: Path, comparable: Comparable) -> tuple[dict[str, bytes], dict[str, Any]]:
    views = root / ".t2c" / "projections"
    files = {"records.jsonl": "records", "graph.json": "graph"}
    artifacts = comparable({name: (views / folder / name).read_bytes() for name, folder in files.items()})
    with open_ledger(context(root)) as ledger:
        state = load(ledger).state
    assert not any("reader_failed" in key for key in state.omissions), (
        "a fault of ours was taken for an omission"
    )
    return artifacts, {key: live.count for key, live in state.omissions.items()}


def age(root: Path) -> None:
    """Make all files old, so that nothing is read again because it changed a moment ago."""
    for path in root.rglob("*"):
        if ".git" not in path.parts and ".t2c" not in path.parts and path.is_file():
            os.utime(path, ns=(10**18, path.stat().st_mtime_ns))


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_step_by_step_ends_where_all_at_once_ends(
    comparable: Comparable, steps: list[tuple[str, str, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve() / "step"
        root.mkdir()
        git(root, "init", "-q")
        for name in ("TODO.md", "src/a.py", "docs/guide.md"):
            take(root, ("write", name, 0))
        scanning.scan(context(root))
        for step in steps:
            take(root, step)
            scanned = scanning.scan(context(root))
            assert scanned.failure is None
        again = scanning.scan(context(root)).result
        assert again.run is None, "a scan of what was just scanned appended something"
        cold = root.with_name("cold")
        shutil.copytree(root, cold, ignore=lambda _, names: {".t2c"} & set(names))
        scanning.scan(context(cold))
        assert stands(root, comparable) == stands(cold, comparable)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    root.mkdir()
    git(root, "init", "-q")
    for name in TEXTS:
        take(root, ("write", name, 0))
    for number in range(60):
        path = root / f"src/m{number}.py"
        path.write_text(
            f"# TODO: part {number}\ndef f{number}():\n    return {number}\n" * (1 + number % 7 * 40)
        )
    take(root, ("commit", "", 0))
    return root


def told(root: Path) -> list[tuple[str, bytes]]:
    with open_ledger(context(root)) as ledger:
        return [
            (entry.type, bytes(entry.data))
            for entry in ledger.journal.entries()
            if entry.type != "journal.opened"
        ]


def test_the_number_of_processes_changes_nothing(tree: Path) -> None:
    found = []
    for processes in (1, 2, 5):
        scanning.scan(context(tree, processes))
        found.append(told(tree))
        shutil.rmtree(tree / ".t2c")
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 300


def test_what_did_not_change_is_not_read_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scanning.scan(context(tree))
    assert sum(row.unchanged for row in scanning.scan(context(tree)).result.table) > 100
    (tree / "src/m1.py").write_text("def changed():\n    pass\n")
    table = {row.name: row for row in scanning.scan(context(tree)).result.table}
    assert table["code"].files - table["code"].unchanged == 1
    assert table["git"].records > 0


def test_a_lost_cache_costs_time_and_nothing_else(tree: Path) -> None:
    scanning.scan(context(tree))
    shutil.rmtree(tree / ".t2c" / "cache")
    result = scanning.scan(context(tree)).result
    assert (result.run, result.appended) == (None, {})
    assert sum(row.unchanged for row in result.table) == 0


def test_a_journal_that_went_back_is_not_taken_for_the_one_that_was_kept(
    tree: Path, comparable: Comparable
) -> None:
    journal = tree / ".t2c" / "journal.ndjson"
    scanning.scan(context(tree))
    before = journal.read_bytes()
    (tree / "src/m2.py").write_text("def later():\n    pass\n")
    scanning.scan(context(tree))
    after = stands(tree, comparable)
    journal.write_bytes(before)
    scanning.scan(context(tree))
    assert stands(tree, comparable) == after


def test_settings_that_decide_what_is_read_are_asked_again(tree: Path) -> None:
    scanning.scan(context(tree))
    chosen = Settings(scan=ScanSettings(markers=("PERF",)), durability="none")
    changed = Context(tree, tree, chosen, StandingClock(), no_progress)
    result = scanning.scan(changed).result
    assert result.appended["record.retracted"] > 60


REPORT = '<testsuite name="s" tests="1"><testcase classname="a" name="{}"/></testsuite>'


def records_of(root: Path, source: str) -> set[str]:
    with open_ledger(context(root)) as ledger:
        return {identity for identity, live in load(ledger).state.records.items() if live.source == source}


def test_a_warning_about_another_file_stands_while_nothing_changes(tree: Path) -> None:
    (tree / "project/participants.json").write_text("{")
    first = scanning.scan(context(tree)).result
    assert first.omissions["invalid_registry"] == 1
    second = scanning.scan(context(tree)).result
    assert (second.run, second.omissions["invalid_registry"]) == (None, 1)
    (tree / "project/participants.json").unlink()
    assert "invalid_registry" not in scanning.scan(context(tree)).result.omissions


def test_a_report_that_a_scan_finds_goes_with_its_file(tree: Path) -> None:
    (tree / "junit.xml").write_text(REPORT.format("one"))
    scanning.scan(context(tree))
    assert len(records_of(tree, "test")) == 2
    (tree / "junit.xml").rename(tree / "TEST-moved.xml")
    scanning.scan(context(tree))
    assert len(records_of(tree, "test")) == 2
    (tree / "TEST-moved.xml").unlink()
    scanning.scan(context(tree))
    assert records_of(tree, "test") == set()


@pytest.mark.parametrize("name", ["junit.xml", "out.txt", "ignored/junit.xml"])
def test_a_report_that_a_caller_names_stands_until_it_is_named_again(tree: Path, name: str) -> None:
    (tree / ".gitignore").write_text("ignored/\n")
    report = tree / name
    report.parent.mkdir(exist_ok=True)
    report.write_text(REPORT.format("one"))

    def named() -> scanning.ScanResult:
        given = given_files(context(tree), "tests", [str(report)], "a" * 40)
        return scanning.scan(context(tree), given).result

    named()
    held = records_of(tree, "test")
    assert len(held) == 2
    assert scanning.scan(context(tree)).result.run is None, "the commit that was given is forgotten"
    shutil.rmtree(tree / ".t2c" / "cache")
    assert scanning.scan(context(tree)).result.run is None
    report.write_text(REPORT.format("two"))
    scanning.scan(context(tree))
    assert records_of(tree, "test") == held
    assert named().appended["record.retracted"] == 1
    report.unlink()
    scanning.scan(context(tree))
    assert len(records_of(tree, "test")) == 2


def test_a_task_that_a_caller_names_goes_with_its_file(tree: Path) -> None:
    task = tree / "task.txt"
    task.write_text("Add retry with backoff to the exporter.\n")
    scanning.scan(context(tree), given_files(context(tree), "nl", [str(task)]))
    assert len(records_of(tree, "nl")) == 1
    scanning.scan(context(tree))
    assert len(records_of(tree, "nl")) == 1
    task.unlink()
    scanning.scan(context(tree))
    assert records_of(tree, "nl") == set()


@pytest.mark.parametrize("name", ["extraction.v*.msgpack", "states/evidence.v*.msgpack"])
def test_a_cache_that_is_no_file_keeps_nobody_waiting(tree: Path, name: str) -> None:
    scanning.scan(context(tree))
    (found,) = (tree / ".t2c" / "cache").glob(name)
    found.unlink()
    os.mkfifo(found)
    assert scanning.scan(context(tree)).result.run is None


def test_no_order_of_files_or_of_extractors_changes_what_stands(
    tree: Path, comparable: Comparable, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanning.scan(context(tree))
    usual = stands(tree, comparable)
    extractors, plan = reading.file_extractors, reading.plan_jobs

    def turned(*arguments: Any, **options: Any) -> Any:
        found = plan(*arguments, **options)
        found.jobs.reverse()
        return found

    monkeypatch.setattr(reading, "file_extractors", lambda chosen: dict(reversed(extractors(chosen).items())))
    monkeypatch.setattr(reading, "plan_jobs", turned)
    shutil.rmtree(tree / ".t2c")
    scanning.scan(context(tree))
    assert stands(tree, comparable) == usual
