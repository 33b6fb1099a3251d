"""A run that is killed: nothing half made is believed, the next that records something says that it ended."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.opening import open_ledger, turn_of
from t2c.cli.actions.run import RunRequest, run
from t2c.cli.actions.run_folder import runs_told
from t2c.cli.actions.runs import RunsAsked, listed
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.interop.run_manifest import RunManifest
from t2c.ledger.kernel.clock import SystemClock

MORTAL = """
import os, signal, sys
from pathlib import Path

from t2c.cli.actions.context import Context
from t2c.cli.actions.run import RunRequest, run
from t2c.cli.settings import load
from t2c.ledger.kernel.clock import SystemClock

root, moment, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
seen = 0


def audit(event, arguments):
    # Before the given number of calls of that kind, as the interpreter tells of them.
    global seen
    mine = str(root / ".t2c")
    if event == moment and any(mine in str(one) for one in arguments):
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(audit)
context = Context(root, root, load(root, {}), SystemClock(), lambda *_: None)
run(context, RunRequest(), root.parent / "state")
print("whole", flush=True)
"""
Spawn = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "repo"
    root.mkdir()
    (root / "TODO.md").write_text("# TODO\n- [ ] Add export in `src/m.py` for ACME-7\n")
    return root


def context(root: Path) -> Context:
    return Context(root, root, load(root, {}), SystemClock(), lambda *_: None)


def do(root: Path) -> Any:
    return run(context(root), RunRequest(), root.parent / "state")


def entries(root: Path) -> list[Any]:
    with Ledger(root / ".t2c") as ledger:
        return list(ledger.entries())


def killed(spawn: Spawn, root: Path, moment: str, number: int) -> bool:
    """Run it, and kill it before the nth such call; False if it came to its end first."""
    process = spawn(MORTAL, str(root), moment, str(number))
    out, err = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGKILL), err
    return "whole" not in out


def latest(root: Path) -> str | None:
    try:
        return str(json.loads((root / ".t2c" / "latest.json").read_bytes())["runId"])
    except FileNotFoundError:
        return None


def whole(root: Path) -> Iterator[tuple[str, Any]]:
    for folder in (root / ".t2c" / "runs").glob("2*"):
        manifest = json.loads((folder / "manifest.json").read_bytes())
        RunManifest.model_validate_json(json.dumps(manifest))
        if manifest["status"] != "failed":
            yield folder.name, manifest


@pytest.mark.parametrize("moment", ["os.rename", "os.mkdir", "open"])
def test_wherever_it_is_killed_latest_names_a_whole_run_and_the_next_one_goes_on(
    spawn: Spawn, root: Path, tmp_path: Path, moment: str
) -> None:
    first = do(root)
    shutil.copytree(root, tmp_path / "kept")
    died = 0
    numbers = {"os.rename": (1, 2, 3), "os.mkdir": (1, 2), "open": (60, 100, 130)}[moment]
    for number in numbers:
        shutil.rmtree(root)
        shutil.copytree(tmp_path / "kept", root)
        died += killed(spawn, root, moment, number)
        named = latest(root)
        folders = dict(whole(root))
        assert named in folders
        for name, manifest in folders.items():
            files = set(os.listdir(root / ".t2c" / "runs" / name))
            assert files == {Path(path).name for path in manifest["files"].values()} | {"manifest.json"}
        with Ledger(root / ".t2c") as ledger:
            told = runs_told(ledger)
        assert told[str(named)].status in ("succeeded", "partial")
        found = do(root)
        with Ledger(root / ".t2c") as ledger:
            told = runs_told(ledger)
        assert all(one.status is not None for one in told.values())
        assert latest(root) == found.run != first.run
        assert not [name for name in os.listdir(root / ".t2c" / "runs") if name.endswith(".tmp")]
        for identity, one in told.items():
            if one.status == "failed":
                manifest = json.loads((root / ".t2c" / "runs" / identity / "manifest.json").read_bytes())
                assert manifest["status"] == "failed"
    assert died >= 2, "the calls were counted out of reach"


def stop_in_the_middle(spawn: Spawn, root: Path) -> str:
    """Kill a run after it began; the id of it."""
    do(root)
    before = len(entries(root))
    for number in range(20, 140, 6):
        if killed(spawn, root, "open", number):
            new = entries(root)[before:]
            if new and new[-1].type != "run.finished":
                assert new[0].type == "run.started"
                return str(new[0].run)
    raise AssertionError("no run was killed after it began")


def test_reading_shows_a_killed_run_failed_and_records_nothing(spawn: Spawn, root: Path) -> None:
    identity = stop_in_the_middle(spawn, root)
    before = (root / ".t2c" / "journal.ndjson").read_bytes()
    row = listed(context(root), RunsAsked()).runs[0]
    assert (row.run, row.status) == (identity, "failed")
    assert (root / ".t2c" / "journal.ndjson").read_bytes() == before


def test_whoever_records_next_says_that_it_ended(spawn: Spawn, root: Path, note: Any) -> None:
    identity = stop_in_the_middle(spawn, root)
    with open_ledger(context(root)) as ledger:
        ledger.append([note("something else")])
    added = entries(root)[-2:]
    assert [entry.type for entry in added] == ["observation.noted", "run.finished"]
    assert added[1].run == identity
    assert json.loads(bytes(added[1].data))["status"] == "failed"
    with open_ledger(context(root)) as ledger:
        ledger.append([note("and more")])
    assert entries(root)[-1].type == "observation.noted"


def test_a_run_that_is_under_way_is_nobodys_to_end(root: Path, note: Any) -> None:
    do(root)
    from t2c.ledger.events.draft import draft
    from t2c.ledger.events.runs import RunStarted

    started = RunStarted(
        verb="run", requested_by="human:ada", tool="t2c 1", revision=None, branch=None, options={}
    )
    with turn_of(context(root)):
        with open_ledger(context(root)) as ledger:
            ledger.append([draft(started, run="20260105T100000Z-0123abcd")])
        with open_ledger(context(root)) as ledger:
            ledger.append([note("meanwhile")])
        assert entries(root)[-1].type == "observation.noted"
        mine = [entry.type for entry in entries(root) if entry.run == "20260105T100000Z-0123abcd"]
        assert mine == ["run.started"]


def test_ctrl_c_leaves_a_failed_run_and_130(spawn: Spawn, root: Path) -> None:
    first = do(root)
    script = MORTAL[: MORTAL.index("context = ")].replace("SIGKILL", "SIGINT")
    script = script.replace('str(root / ".t2c")', '".tmp/team-summary.md"')
    script += (
        "sys.argv = ['t2c', '--root', str(root), 'run']\nfrom t2c.cli.app import main\nsys.exit(main())\n"
    )
    process = spawn(script, str(root), "open", "1")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    last = entries(root)[-1]
    assert last.type == "run.finished"
    assert json.loads(bytes(last.data))["status"] == "failed"
    manifest = json.loads((root / ".t2c" / "runs" / last.run / "manifest.json").read_bytes())
    assert manifest["failure"]["code"] == "PIPELINE_INTERRUPTED"
    assert manifest["failure"]["stage"] == "persistence"
    assert latest(root) == first.run
