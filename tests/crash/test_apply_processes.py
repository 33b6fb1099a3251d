"""Claims, with real processes: one that is killed leaves all or nothing after the next start; of two at once one wins
and the other is told whose work it met; whoever swaps folders for links while files are written gets nothing outside.

Mutations seen to fail: the lock left out; folders opened through links.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.verify import verify
from t2c.cli.settings import load
from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.recovery import recover, unfinished
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.kernel.clock import SystemClock

KILLED = """
import os, signal, sys
from pathlib import Path
from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.engine import Ledger

root, left = Path(sys.argv[1]), int(sys.argv[2])
calls = 0
def watched(real):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls == left:
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*arguments, **options)
    return call

for name in ("write", "fdatasync", "fsync", "unlink", "replace", "rename", "mkdir", "link", "fchmod"):
    setattr(os, name, watched(getattr(os, name)))
wanted = [
    Wanted("src/one.py", b"one", b"ONE"), Wanted("new/two.py", None, b"two"), Wanted("old.py", b"old", None),
]
with Ledger(root / ".t2c") as ledger:
    apply(ledger, root, wanted, Mandate("a test", "x", "a" * 64, None, "human:ada"))
print(calls)
"""
BEFORE = {"src/one.py": b"one", "old.py": b"old"}
AFTER = {"src/one.py": b"ONE", "new/two.py": b"two"}


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".t2c" not in path.relative_to(root).parts
    }


@pytest.fixture
def model(tmp_path: Path) -> Path:
    root = tmp_path / "model"
    (root / "src").mkdir(parents=True)
    for path, content in BEFORE.items():
        (root / path).write_bytes(content)
    create(root / ".t2c")
    return root


def test_a_process_that_is_killed_leaves_all_or_nothing(
    spawn: Callable[..., Any], model: Path, tmp_path: Path
) -> None:
    shutil.copytree(model, tmp_path / "dry")
    child = spawn(KILLED, tmp_path / "dry", 0)
    calls = int(child.communicate(timeout=60)[0])
    seen = []
    for left in sorted({1 + calls * part // 14 for part in range(14)} | {calls - 3}):
        root = tmp_path / f"killed-{left}"
        shutil.copytree(model, root)
        child = spawn(KILLED, root, left)
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        with Ledger(root / ".t2c") as ledger:
            recover(ledger, root)
            assert unfinished(ledger, root) == []
        stands = files(root)
        assert stands in (BEFORE, AFTER), left
        seen.append(stands == AFTER)
        context = Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)
        assert verify(context, "domain").faults == []
    assert True in seen and False in seen


RACE = """
import json, sys
from pathlib import Path
from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict

root, me = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
wanted = [Wanted(f"f{n}", b"before", me.encode()) for n in range(20)]
with Ledger(root / ".t2c") as ledger:
    try:
        done = apply(ledger, root, wanted, Mandate("a test", me, None, None, f"human:{me}"))
        print(json.dumps({"done": done.event}))
    except Conflict as conflict:
        print(json.dumps({"said": conflict.what, "details": conflict.details}))
"""


def test_of_two_at_once_one_wins_and_the_other_is_told(spawn: Callable[..., Any], tmp_path: Path) -> None:
    create(tmp_path / ".t2c")
    for number in range(20):
        (tmp_path / f"f{number}").write_bytes(b"before")
    children = {name: spawn(RACE, tmp_path, name) for name in ("ada", "eve")}
    for child in children.values():
        assert child.stdout.readline() == "ready\n"
    for child in children.values():
        child.stdin.write("go\n")
        child.stdin.flush()
    said = {name: json.loads(child.communicate(timeout=60)[0]) for name, child in children.items()}
    (winner,) = (name for name, told in said.items() if "done" in told)
    (loser,) = set(said) - {winner}
    assert f"human:{winner}" in said[loser]["said"]
    assert set(files(tmp_path).values()) == {winner.encode()}
    with Ledger(tmp_path / ".t2c") as ledger:
        types = [entry.type for entry in ledger.entries()]
    assert types.count("apply.receipted") == 1 and unfinished_types(types) == 0


def unfinished_types(types: list[str]) -> int:
    outcomes = types.count("apply.receipted") + types.count("apply.failed")
    return types.count("apply.announced") - outcomes


SWAP = """
import os, sys, threading
there, aside, outside = sys.argv[1:]
stop = threading.Event()
threading.Thread(target=lambda: (sys.stdin.readline(), stop.set())).start()
print("ready", flush=True)
while not stop.wait(0.0002):
    os.rename(there, aside)
    os.symlink(outside, there)
    stop.wait(0.0001)
    os.unlink(there)
    os.rename(aside, there)
"""


def test_folders_that_are_swapped_for_links_lead_nowhere(
    spawn: Callable[..., Any], model: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "one.py").write_bytes(b"one")
    (outside / "other.py").write_bytes(b"other")
    there = model / "src"
    (model / "src/other.py").write_bytes(b"other")
    untouched = outside.stat().st_mtime_ns
    folder = os.open(there, os.O_RDONLY | os.O_DIRECTORY)
    swapper = spawn(SWAP, there, model / "aside", outside)
    assert swapper.stdout.readline() == "ready\n"
    outcomes = Counter[str]()
    try:
        with Ledger(model / ".t2c", durability="none") as ledger:
            content = b"one"
            for number in range(120):
                wanted = [
                    Wanted("src/one.py", content, b"%d" % number),
                    Wanted("src/other.py", b"other", None),
                    Wanted(f"src/new{number}", None, b"new"),
                ]
                try:
                    apply(ledger, model, wanted, Mandate("a test", "x", None, None, "human:ada"))
                except T2cError as error:
                    outcomes[type(error).__name__] += 1
                else:
                    outcomes["done"] += 1
                    content = b"%d" % number
                    again = os.open("other.py", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=folder)
                    os.write(again, b"other")
                    os.close(again)
                assert outside.stat().st_mtime_ns == untouched, (
                    "something was made there, if only for a while"
                )
                assert {path.name: path.read_bytes() for path in outside.iterdir()} == {
                    "one.py": b"one", "other.py": b"other",
                }  # fmt: skip
    finally:
        os.close(folder)
        swapper.communicate("stop\n", timeout=60)
    assert {"Refused", "Conflict"} & set(outcomes), outcomes
    with Ledger(model / ".t2c") as ledger:
        assert recover(ledger, model) == [], "an apply had no outcome"
    assert (there / "one.py").read_bytes() == content
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == {
        "one.py": b"one", "other.py": b"other",
    }  # fmt: skip
    assert list(model.rglob(".t2c-*")) == []
