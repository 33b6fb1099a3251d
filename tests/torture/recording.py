"""One workload under strace: its calls that touch the ledger, applied one by one to the model of the disk."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from disk import Disk, File, Write, taken_from
from ground import (
    Acknowledged,
    environment,
    lines_of,
    note,
    python,
    torn_end,
)

from t2c.ledger.engine import Ledger, create

__all__ = ["EVIDENCE", "TORN", "WORKLOADS", "Recording"]

_MEMORY = "-shm"
"""Files that are memory with a name: they are written without calls, and made anew by whoever comes first."""
TORN = b'{"actor":{"id":"t2c","kind":"hel'
KEYED = ("k1", "keyed")
EVIDENCE = b"evidence" * 700
_CALLS = (
    "openat,close,write,pwrite64,fdatasync,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,"
    "link,linkat,copy_file_range,lseek,dup,dup2"
)

_WORK = """
import json, os
from pathlib import Path
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.segments import SealRule
Noted = CATALOGUE.payload("observation.noted")

def say(receipts):
    for receipt in receipts:
        os.write(1, json.dumps([receipt.seq, receipt.id]).encode() + b"\\n")

def note(text, key=None):
    return draft(Noted(statement=text), key=key)

workspace = Path(".t2c")
"""

WORKLOADS = {
    "appends": """
with Ledger(workspace, hold=True) as ledger:
    say(ledger.append([note("one")]))
    say(ledger.append([note("two"), note("three"), note("x" * 9000)]))
    say(ledger.append([note("a"), note("b" * 3000), note("c")], atomic=True))
    say(ledger.append([note("last")]))
""",
    "keys": """
with Ledger(workspace, hold=True) as ledger:
    say(ledger.append([note("keyed", "k1")]))
    say(ledger.append([note("other", "k2")]))
    say(ledger.append([note("keyed", "k1")]))
with Ledger(workspace) as ledger:
    say(ledger.append([note("third", "k3")]))
""",
    "objects": """
with Ledger(workspace) as ledger:
    digest = ledger.objects.put(b"evidence" * 700)
    say(ledger.append([note(digest)]))
    digest = ledger.objects.put(b"evidence" * 700)
    say(ledger.append([note(digest)]))
""",
    "seal": """
with Ledger(workspace, hold=True, rule=SealRule(bytes=1000, events=8)) as ledger:
    for turn in range(3):
        say(ledger.append([note(f"turn {turn} {n}" + "x" * 90) for n in range(7)]))
""",
    "seal-all": """
with Ledger(workspace, hold=True, rule=SealRule(bytes=1000, events=8)) as ledger:
    for turn in range(18):
        say(ledger.append([note(f"turn {turn}" + "x" * 90)]))
""",
    "stream": """
with Ledger(workspace, hold=True) as ledger:
    ledger.append_all([[note(f"{turn} {n}") for n in range(3)] for turn in range(4)], say)
""",
    "first": """
create(workspace)
with Ledger(workspace) as ledger:
    os.write(1, json.dumps([1, next(ledger.entries()).id]).encode() + b"\\n")
    say(ledger.append([note("one")]))
""",
    "batched": """
with Ledger(workspace, hold=True, durability="batch") as ledger:
    held = ledger.append([note("one")]) + ledger.append([note("two")])
    ledger.sync()
    say(held)
    held = ledger.append([note("three")])
say(held)
""",
}


@dataclass(frozen=True)
class Step:
    """One call: its name, its arguments as strace shows them, its result."""

    name: str
    args: str
    result: str


_LINE = re.compile(r"\d+ +([a-z0-9_]+)\((.*)\) += (-?\d+)(.*)$", re.DOTALL)
_RESUMED = re.compile(r"<\.\.\. [a-z0-9_]+ resumed>(.*)$", re.DOTALL)
_STRING = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
_FD = re.compile(r"^(-?\d+|AT_FDCWD)(?:<([^>]*)>)?")


def _text(escaped: str) -> bytes:
    return bytes.fromhex(escaped.replace("\\x", ""))


class Recording:
    """The calls of one workload that touch its ledger, applied one by one to the model of the disk."""

    def __init__(self, workload: str, folder: Path, dice: random.Random) -> None:
        self.name = workload
        self.root = folder / workload
        self.root.mkdir()
        self._prepare(self.root / ".t2c", workload)
        self.before = lines_of(self.root / ".t2c")
        self.disk = Disk(
            str(self.root),
            {str(self.root / path): content for path, content in taken_from(self.root).items()},
        )
        self.acknowledged: Acknowledged = {}
        self._open: dict[int, tuple[File | str, int, bool]] = {}
        log = folder / f"{workload}.log"
        script = _WORK + WORKLOADS[workload]
        tracer = ("strace", "-f", "--seccomp-bpf", "-y", "-xx", "-s", "2000000", "-o", str(log))
        done = subprocess.run(
            (*tracer, "-e", f"trace={_CALLS}", python(), "-c", script),
            cwd=self.root,
            env=environment(folder),
            capture_output=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"the workload {workload} failed: {done.stderr.decode()[-2000:]}")
        self._log = log.read_text()
        there = taken_from(self.root)
        self.end = {path: content for path, content in there.items() if not path.endswith(_MEMORY)}

    def _prepare(self, workspace: Path, workload: str) -> None:
        if workload == "first":
            return
        create(workspace)
        with Ledger(workspace) as ledger:
            ledger.append([note("before")])
        if workload != "batched":
            torn_end(workspace, TORN)

    def steps(self) -> Iterator[str]:
        """Apply the next call that changes or syncs anything; gives what it was."""
        waiting: dict[str, tuple[str, tuple[File, int] | None]] = {}
        for line in self._log.splitlines():
            pid, _, rest = line.partition(" ")
            rest, begun = rest.lstrip(), None
            if rest.endswith("<unfinished ...>"):
                # A thread waits in this call while others go on: a sync lasts for what was written before it.
                started = rest.removesuffix("<unfinished ...>").rstrip()
                waiting[pid] = started, self._syncing(started)
                continue
            if (resumed := _RESUMED.match(rest)) is not None:
                started, begun = waiting.pop(pid)
                rest = started + resumed[1]
            found = _LINE.match(f"{pid} {rest}")
            if found is None or int(found[3]) < 0:
                continue
            if begun is not None:
                self.disk.sync_file(*begun)
                yield found[1]
            elif self._take(Step(found[1], found[2], found[3])):
                yield found[1]
        now = {
            str(Path(path).relative_to(self.root)): thing.now() if isinstance(thing, File) else None
            for path, thing in self.disk.names.items()
            if not path.endswith(_MEMORY)
        }
        if now != self.end:
            wrong = sorted(
                path for path in now.keys() | self.end.keys() if now.get(path, 0) != self.end.get(path, 0)
            )
            raise RuntimeError(f"the model of the disk differs from the disk: {wrong}")

    def _syncing(self, started: str) -> tuple[File, int] | None:
        """The file that a call begins to sync, and how many writes it is owed then."""
        name, _, args = started.partition("(")
        if name not in ("fsync", "fdatasync"):
            return None
        thing = self._thing(Step(name, args, "0"))
        return None if thing is None or isinstance(thing, str) else (thing, len(thing.owed))

    def _thing(self, step: Step) -> File | str | None:
        """What a descriptor stands for; one that was doubled is known by the path that strace shows beside it."""
        there = self._open.get(_number(step))
        if there is not None:
            return there[0]
        shown = _FD.match(step.args)
        path = "" if shown is None or not shown[2] else _text(shown[2]).decode()
        found = self.disk.names.get(path)
        return path if found == "folder" else found

    def _path(self, step: Step, number: int = 0) -> str:
        base = _FD.match(step.args)
        strings = _STRING.findall(step.args)
        path = Path(_text(strings[number][0]).decode())
        if not path.is_absolute():
            at = _text(base[2]).decode() if base is not None and base[2] else str(self.root)
            path = Path(at) / path
        return str(path)

    def _ours(self, path: str) -> bool:
        return path == str(self.root) or path.startswith(str(self.root / ".t2c"))

    def _take(self, step: Step) -> bool:
        match step.name:
            case "openat":
                return self._opened(step)
            case "close":
                self._open.pop(_number(step), None)
                return False
            case "lseek":
                if (there := self._open.get(_number(step))) is not None:
                    self._open[_number(step)] = (there[0], int(step.result), there[2])
                return False
            case "dup" | "dup2" | "copy_file_range":
                if _number(step) in self._open:
                    raise RuntimeError(f"the model does not know {step.name}")
                return False
            case "write" if _number(step) == 1:
                said = _text(_STRING.findall(step.args)[0][0])
                seq, name = json.loads(said)
                self.acknowledged[seq] = name
                return True
            case "write" | "pwrite64" | "ftruncate" | "fsync" | "fdatasync":
                return self._bytes(step)
            case _:
                return self._names(step)

    def _opened(self, step: Step) -> bool:
        path, fd = self._path(step), int(step.result)
        if not self._ours(path):
            self._open.pop(fd, None)
            return False
        there = self.disk.names.get(path)
        if there == "folder" or path == str(self.root):
            self._open[fd] = (path, 0, False)
            return False
        made = there is None
        file = self.disk.create(path) if there is None else there
        assert isinstance(file, File)
        if "O_TRUNC" in step.args and not made and file.now():
            file.owed.append(Write(0, None))
            made = True
        self._open[fd] = (file, 0, "O_APPEND" in step.args)
        return made

    def _bytes(self, step: Step) -> bool:
        fd = _number(step)
        if step.name in ("fsync", "fdatasync") and fd not in self._open:
            doubled = self._thing(step)
            if isinstance(doubled, File):
                self.disk.sync_file(doubled)
            return isinstance(doubled, File)
        if fd not in self._open:
            return False
        thing, offset, appends = self._open[fd]
        if isinstance(thing, str):
            self.disk.sync_folder(thing)
            return True
        if step.name in ("fsync", "fdatasync"):
            self.disk.sync_file(thing)
        elif step.name == "ftruncate":
            thing.owed.append(Write(int(step.args.rsplit(",", 1)[1]), None))
        else:
            data = _text(_STRING.findall(step.args)[0][0])[: int(step.result)]
            if step.name == "pwrite64":
                thing.owed.append(Write(int(step.args.rsplit(",", 1)[1]), data))
            else:
                at = len(thing.now()) if appends else offset
                thing.owed.append(Write(at, data))
                self._open[fd] = (thing, at + len(data), appends)
        return True

    def _names(self, step: Step) -> bool:
        path = self._path(step)
        if not self._ours(path):
            return False
        if step.name.startswith("mkdir"):
            self.disk.make_folder(path)
        elif step.name.startswith("unlink"):
            self.disk.unlink(path)
        elif step.name.startswith("rename"):
            self.disk.rename(path, self._path(step, 1))
        else:
            self.disk.link(path, self._path(step, 1))
        return True


def _number(step: Step) -> int:
    found = _FD.match(step.args)
    return -1 if found is None or found[1] == "AT_FDCWD" else int(found[1])
