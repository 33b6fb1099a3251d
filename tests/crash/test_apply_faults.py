"""Claims: whatever system call of an apply fails, and wherever the process dies, after the next start the tree is
wholly as before or wholly as wanted, and the ledger says which.

Each call of an apply of three files (one modified, one made in new folders, one deleted) is failed in turn. Mutations
seen to fail: nothing taken back after an error; the folders that were made forgotten; temporaries left beside their
targets; contents kept after the first rename instead of before; a receipt before the last rename.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.recovery import recover, unfinished
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.verify import verify_chain

CALLS = (
    "open", "write", "pwrite", "read", "fsync", "fdatasync", "ftruncate", "rename", "replace", "link", "unlink", "mkdir",
    "rmdir", "fchmod", "fchown", "listxattr",
)  # fmt: skip
WANTED = (
    Wanted("src/one.py", b"one\r\n", b"ONE, but longer\r\nand no newline at the end"),
    Wanted("new/deep/two.py", None, b"two\n", 0o755),
    Wanted("old.py", b"old\n", None),
)
MANDATE = Mandate("a test", "three files", "a" * 64, None, "human:ada")
Tree = dict[str, tuple[bytes, int] | None]


class Killed(BaseException):
    """The process is gone: no call of it has any effect from here on."""


class Kernel:
    """Counts the system calls of `os` and fails one of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.made: list[str] = []
        self.fail_at = -1
        self.how = ""
        self.dead = False
        for name in CALLS:
            # A process that dies loses nothing that it wrote, so the disk need not be waited for.
            call = (lambda descriptor: None) if name in ("fsync", "fdatasync") else getattr(os, name)
            monkeypatch.setattr(os, name, self._wrap(name, call))

    def reset(self, fail_at: int = -1, how: str = "") -> None:
        self.made, self.fail_at, self.how, self.dead = [], fail_at, how, False

    def _wrap(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            if self.dead:
                raise Killed
            self.made.append(name)
            if len(self.made) - 1 != self.fail_at:
                return call(*args, **options)
            if self.how in ("interrupt", "kill after"):
                result = call(*args, **options)
                if self.how == "interrupt":
                    if name == "open":
                        os.close(result)
                    raise KeyboardInterrupt
                self.dead = True
                raise Killed
            if self.how == "kill":
                if name == "write":
                    call(args[0], bytes(args[1])[: len(args[1]) // 2])
                self.dead = True
                raise Killed
            if name == "write" and self.how == "ENOSPC":
                call(args[0], bytes(args[1])[: len(args[1]) // 3])
            number = getattr(errno, self.how)
            raise OSError(number, os.strerror(number))

        return made


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    yield Kernel(monkeypatch)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A tree with its ledger."""
    root = tmp_path / "model"
    (root / "src").mkdir(parents=True)
    (root / "src/one.py").write_bytes(b"one\r\n")
    (root / "src/one.py").chmod(0o750)
    (root / "old.py").write_bytes(b"old\n")
    create(root / ".t2c")
    with Ledger(root / ".t2c", durability="none") as ledger:
        ledger.index.offset("EVT-" + "0" * 20)
    return root


def tree(root: Path) -> Tree:
    """Every file and folder but the ledger's own, with contents and permissions."""
    found: Tree = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if not name.startswith(".t2c/") and name != ".t2c":
            found[name] = None if path.is_dir() else (path.read_bytes(), path.stat().st_mode & 0o7777)
    return found


def work(root: Path) -> None:
    with Ledger(root / ".t2c") as ledger:
        apply(ledger, root, WANTED, MANDATE)


def outcome(root: Path) -> str:
    """What the ledger says in the end; `nothing` also where nothing was ever announced."""
    with Ledger(root / ".t2c") as ledger:
        told = [entry for entry in ledger.entries() if entry.type.startswith("apply.")]
    if not told:
        return "before"
    assert [entry.type for entry in told].count("apply.announced") * 2 == len(told)
    return "after" if told[-1].type == "apply.receipted" else "before"


@pytest.mark.parametrize("how", ["EIO", "ENOSPC", "kill", "kill after", "interrupt"])
def test_whatever_call_fails_all_files_are_as_before_or_all_as_wanted(
    how: str, model: Path, tmp_path: Path, kernel: Kernel
) -> None:
    before = tree(model)
    shutil.copytree(model, tmp_path / "dry")
    kernel.reset()
    work(tmp_path / "dry")
    calls = list(kernel.made)
    after = tree(tmp_path / "dry")
    assert after == {
        "new": None, "new/deep": None, "new/deep/two.py": (b"two\n", 0o755), "src": None,
        "src/one.py": (WANTED[0].after, 0o750),
    }  # fmt: skip
    assert {"rename", "link", "unlink", "mkdir", "fsync", "fchmod"} <= set(calls)
    seen = set()
    for number, call in enumerate(calls):
        if how == "ENOSPC" and call not in ("open", "write", "fsync", "mkdir", "link", "rename", "fdatasync"):
            continue
        root = tmp_path / "trial"
        kernel.reset()
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(model, root)
        kernel.reset(number, how)
        try:
            work(root)
            at_once = "after"
        except T2cError as error:
            at_once = "before" if error.safe and "every file is as it was" in error.safe else ""
            assert error.safe is not None and how != "kill"
        except (KeyboardInterrupt, Killed):
            at_once = ""
        kernel.reset()
        where = (number, call, how)
        if at_once:
            assert tree(root) == {"before": before, "after": after}[at_once], where
        with Ledger(root / ".t2c", durability="none") as ledger:
            recover(ledger, root)
            assert unfinished(ledger, root) == [], where
        stands = tree(root)
        assert stands in (before, after), where
        assert outcome(root) == ("after" if stands == after else "before"), where
        seen.add(stands == after)
        faults = verify_chain(root / ".t2c/journal.ndjson").faults
        assert {fault.kind for fault in faults} <= {"torn_tail"}, where
        kept = sorted(path.name for path in (root / ".t2c").glob("applies/*/*"))
        assert kept == (["before"] if stands == after else []), where
    assert seen == ({True, False} if how != "ENOSPC" else seen)


def test_a_recovery_that_dies_is_recovered(model: Path, tmp_path: Path, kernel: Kernel) -> None:
    """Some files are replaced, then the process dies; so does the one that takes them back, at each of its calls."""
    before = tree(model)
    shutil.copytree(model, tmp_path / "dry")
    kernel.reset()
    work(tmp_path / "dry")
    renamed = [number for number, call in enumerate(kernel.made) if call == "link"][-1]
    half = tmp_path / "half"
    shutil.copytree(model, half)
    kernel.reset(renamed, "kill after")
    with pytest.raises(Killed):
        work(half)
    kernel.reset()
    assert tree(half) != before
    with Ledger(half / ".t2c") as ledger:
        assert [one.verdict for one in unfinished(ledger, half)] == ["mixed"]
    number = 0
    for number in range(400):
        root = tmp_path / "trial"
        kernel.reset()
        shutil.rmtree(root, ignore_errors=True)
        shutil.copytree(half, root)
        kernel.reset(number, "kill")
        try:
            with Ledger(root / ".t2c") as ledger:
                recover(ledger, root)
            break
        except Killed:
            kernel.reset()
        with Ledger(root / ".t2c") as ledger:
            recover(ledger, root)
        assert tree(root) == before, number
        assert outcome(root) == "before"
    assert number > 20
