"""Claims: an export that is killed at any point, or meets a full disk, leaves nothing at its destination, and the next
one clears what it left beside it.

Mutations seen to fail: files written at the destination itself; the staging folder kept from the last time.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

# Every call of the file system announces itself to the audit hook: the n-th one kills the process for good.
KILLED = """
import os, signal, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.transfer.export import export

CALLS = ("open", "os.mkdir", "os.rename", "os.link", "os.remove", "os.rmdir", "os.scandir", "fcntl.flock")
workspace, destination = Path(sys.argv[1]), Path(sys.argv[2])

def work(kill_at):
    made = 0
    def count(event, arguments):
        nonlocal made
        if event in CALLS:
            made += 1
            if made == kill_at:
                os.kill(os.getpid(), signal.SIGKILL)
    sys.addaudithook(count)
    with Ledger(workspace) as ledger:
        export(ledger, destination)
    os._exit(0)

with Ledger(workspace) as ledger:
    export(ledger, destination.with_name("warm"))  # whatever is loaded late is loaded now
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        work(int(line))
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""

FULL = """
import resource, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment
from t2c.ledger.transfer.export import export

with Ledger(Path(sys.argv[1])) as ledger:
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]),) * 2)
    try:
        export(ledger, Path(sys.argv[2]))
    except Environment as error:
        print(error.what, "|", error.safe)
"""


@pytest.mark.parametrize("name", ["bundle", "bundle.tar.gz"])
def test_a_kill_at_any_call_leaves_nothing_at_the_destination(
    evidence: Any, tmp_path: Path, spawn: Callable[..., Any], name: str
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    destination, left = place / name, f".{name}.t2c-staging"
    worker = spawn(KILLED, evidence.workspace, destination)
    kills = done = 0
    before: set[str] = set()
    for number in range(1, 400):
        worker.stdin.write(f"{number}\n")
        worker.stdin.flush()
        code = int(worker.stdout.readline())
        found = {path.name for path in place.iterdir()} - {"warm"}
        if code == 0:
            done = number
            break
        assert code == -9
        kills += 1
        whole = destination.exists()
        assert found <= ({name, left} if whole else {left}), f"killed at call {number}"
        before |= found
        if whole:
            # The last steps come after the bundle is there: it is the whole of it, and the way is free again.
            assert _sound(destination)
            destination.unlink() if destination.is_file() else _clear(destination)
    assert kills > 30
    assert left in before, "some kill came in the middle"
    assert done, "the export came to its end at last"
    assert found == {name}, "what the killed ones left is gone"
    assert _sound(destination)


def _sound(bundle: Path) -> bool:
    from t2c.ledger.transfer.layout import check, open_bundle

    return check(open_bundle(bundle)).verdict == "sound"


def _clear(folder: Path) -> None:
    import shutil

    shutil.rmtree(folder)


@pytest.mark.parametrize("name", ["bundle", "bundle.tar.gz"])
@pytest.mark.parametrize("room", [0, 100, 3000, 20_000])
def test_a_full_disk_leaves_nothing_and_says_so(
    evidence: Any, tmp_path: Path, spawn: Callable[..., Any], name: str, room: int
) -> None:
    place = tmp_path / "out"
    place.mkdir()
    said, _ = spawn(FULL, evidence.workspace, place / name, room).communicate(timeout=60)
    assert said.startswith("the bundle cannot be written: ")
    assert "nothing was written to the destination" in said
    assert list(place.iterdir()) == []


def test_a_destination_that_takes_no_folder_is_named(evidence: Any) -> None:
    from t2c.ledger.engine import Ledger
    from t2c.ledger.errors import Environment
    from t2c.ledger.transfer.export import export

    with Ledger(evidence.workspace) as ledger, pytest.raises(Environment) as caught:
        export(ledger, Path("/proc/bundle"))
    assert caught.value.safe is not None
    assert "/proc" in str(caught.value.where)
    assert json.dumps(caught.value.details) == "{}"
