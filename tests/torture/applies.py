"""Every system call of an apply of three files, failed or killed in turn: afterwards the tree is wholly as before or
wholly as wanted, and the ledger says which.

`strace` records which calls of the process touch the tree or its ledger, then injects one fault a run: EIO, ENOSPC where
that may happen, or SIGKILL at exactly that call. Each run has a tree of its own, one file of which is modified, one made
in new folders, one deleted.

    python tests/torture/applies.py [--seconds N] [--every N] [--offset N]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from ground import Tally, conclude, environment, fresh_copy, python, scratch

from t2c.ledger.apply.recovery import recover, unfinished
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.verify import verify_chain

CALLS = (
    "openat,close,read,pread64,write,pwrite64,fsync,fdatasync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,"
    "mkdirat,rmdir,link,linkat,fchmod,fchown,chmod,flock,newfstatat,getdents64,flistxattr,fgetxattr,fsetxattr,statfs,"
    "faccessat,faccessat2"
)
_FULL = frozenset({
    "write", "pwrite64", "fsync", "fdatasync", "rename", "renameat", "mkdir", "mkdirat", "link", "linkat", "fsetxattr",
})  # fmt: skip
_CHANGES = _FULL | {"ftruncate", "unlink", "unlinkat", "rmdir", "fchmod", "fchown", "chmod"}
_LINE = re.compile(r"(\d+) +([a-z0-9_]+)\((.*)")
_STANDS_IN = re.compile(r"AT_FDCWD<[^>]*>")
_KILL = "signal=KILL"
_KILLED = -9
_WORK = """
import sys
from pathlib import Path
from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError

wanted = [
    Wanted("src/one.py", b"one\\r\\n", b"ONE, but longer\\r\\nand no newline at the end"),
    Wanted("new/deep/two.py", None, b"two\\n", 0o755),
    Wanted("old.py", b"old\\n", None),
]
root = Path.cwd()
def work(ledger):
    try:
        apply(ledger, root, wanted, Mandate("a test", "three files", "a" * 64, None, "human:ada"))
    except T2cError as error:
        print(f"error: {error.what}", f"safe: {error.safe}", sep="\\n", file=sys.stderr)
        sys.exit(error.code)
    except OSError as error:
        print("Traceback:", error, file=sys.stderr)
        sys.exit(70)


try:
    with Ledger(root / ".t2c") as ledger:
        work(ledger)
except OSError:  # what opening and closing a ledger raises is told by the command line
    sys.exit(6)
"""
Files = dict[str, bytes | None]


@dataclass(frozen=True)
class Call:
    """One call of the process: its name, its number among those of that name, what strace showed."""

    name: str
    number: int
    shown: str

    def faults(self) -> Iterator[str]:
        yield "error=EIO"
        if self.name in _FULL or "O_CREAT" in self.shown:
            yield "error=ENOSPC"
        if self.name in _CHANGES or "O_CREAT" in self.shown:
            yield _KILL  # one at a call that changes nothing is one at the next that does


def files(root: Path) -> Files:
    """Every file and folder but the ledger's own."""
    return {
        path.relative_to(root).as_posix(): None if path.is_dir() else path.read_bytes()
        for path in sorted(root.rglob("*"))
        if ".t2c" not in path.relative_to(root).parts
    }


@dataclass
class Bench:
    """The template, what comes of it undisturbed, and the calls that it takes."""

    folder: Path
    environ: dict[str, str]
    template: Path
    seen: Counter[str] = field(default_factory=Counter)

    def prepare(self) -> list[Call]:
        (self.template / "src").mkdir(parents=True)
        (self.template / "src/one.py").write_bytes(b"one\r\n")
        (self.template / "old.py").write_bytes(b"old\n")
        create(self.template / ".t2c")
        self.before = files(self.template)
        for _ in range(2):  # the first run fills the cache of compiled modules
            dry = self.run("dry")
            if dry.returncode:
                raise RuntimeError(dry.stderr.decode())
        self.after = files(self.place("dry"))
        log = self.folder / "record"
        done = self.run("trace", "strace", "-f", "-y", "-s", "0", "-o", str(log), "-e", f"trace={CALLS}")
        if done.returncode:
            raise RuntimeError(done.stderr.decode())
        return list(self._recorded(log.read_text(errors="replace"), str(self.place("trace"))))

    def _recorded(self, log: str, root: str) -> Iterator[Call]:
        counts, main = Counter[str](), ""
        for line in log.splitlines():
            found = _LINE.match(line)
            if found is None:
                continue
            pid, name, rest = found.groups()
            main = main or pid
            if pid == main:
                counts[name] += 1
                if root in _STANDS_IN.sub("", rest):
                    yield Call(name, counts[name], rest)

    def place(self, name: str) -> Path:
        # Paths of one length: the number of reads in a call may depend on it.
        return self.folder / name.rjust(8, "_")

    def run(self, name: str, *tracer: str) -> subprocess.CompletedProcess[bytes]:
        place = self.place(name)
        fresh_copy(self.template, place)
        command = (*tracer, python(), "-c", _WORK)
        return subprocess.run(
            command, cwd=place, env=self.environ, capture_output=True, timeout=120, check=False
        )

    def trial(self, call: Call, fault: str, worker: int) -> list[str]:
        """One run with one fault; gives what is wrong afterwards."""
        name = f"run{worker}"
        inject = f"inject={call.name}:{fault}:when={call.number}"
        tracer = ("strace", "-f", "-o", "/dev/null", "-e", f"trace={call.name}", "-e", inject)
        done = self.run(name, *tracer)
        root, found = self.place(name), list[str]()
        said = done.stderr.decode(errors="replace")
        if fault == _KILL:
            found += [] if done.returncode == _KILLED else [f"not killed, but ended in {done.returncode}"]
        elif "Traceback" in said:
            found.append(f"a traceback: {said[-300:]}")
        elif done.returncode == 0 and files(root) != self.after:
            found.append("it ended well, but the files are not as wanted")
        elif "every file is as it was" in said and files(root) != self.before:
            found.append("it said that every file is as it was, and they are not")
        return found + self._afterwards(root)

    def _afterwards(self, root: Path) -> list[str]:
        try:
            with Ledger(root / ".t2c", durability="none") as ledger:
                results = recover(ledger, root)
                ledger.append([])
                left = unfinished(ledger, root)
                told = [entry.type for entry in ledger.entries() if entry.type.startswith("apply.")]
        except T2cError as error:
            return [f"it cannot be recovered: {error.what}"]
        stands = files(root)
        kind = {"before": stands == self.before, "after": stands == self.after}
        if not any(kind.values()):
            return [f"neither before nor after: {stands}"]
        state = "after" if kind["after"] else "before"
        self.seen[f"{state} ({results[0].outcome if results else 'at once'})"] += 1
        found = [f"left open: {one}" for one in left]
        said = "after" if told and told[-1] == "apply.receipted" else "before"
        found += [f"the files are as {state}, and the ledger says {said}"] if said != state else []
        faults = verify_chain(root / ".t2c/journal.ndjson").faults
        return found + [f"seq {fault.seq}: {fault.kind}" for fault in faults]


def torture(seconds: float, every: int = 1, offset: int = 0) -> Tally:
    """Each call and fault once, as far as the time goes; says what was left out."""
    tally = Tally("applies")
    if shutil.which("strace") is None:
        tally.could_not_run = "strace is not installed"
        return tally
    ends = time.monotonic() + seconds
    with scratch() as folder, ThreadPoolExecutor(2) as pool:
        bench = Bench(folder, environment(folder), folder / "template")
        calls = bench.prepare()
        trials = [(call, fault) for call in calls for fault in call.faults()][offset::every]
        workers, left = [0, 1], 0

        def one(trial: tuple[Call, str]) -> tuple[Call, str, list[str]] | None:
            if time.monotonic() > ends:
                return None
            worker = workers.pop()
            try:
                return (*trial, bench.trial(*trial, worker))
            finally:
                workers.append(worker)

        for done in pool.map(one, trials):
            if done is None:
                left += 1
                continue
            call, fault, found = done
            tally.kills += fault == _KILL
            tally.faults += fault != _KILL
            tally.states += 1
            shown = call.shown.replace(str(folder), "")[:100]
            tally.add(found, f"{fault} at {call.name} {call.number} {shown}")
        tally.notes.append(f"{len(calls)} calls touch the tree or its ledger")
        tally.notes += [f"{kind}: {count}" for kind, count in sorted(bench.seen.items())]
        if left:
            tally.notes.append(f"{left:,} of {len(trials):,} trials left out: the time was up")
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    given = parser.parse_args()
    return conclude(torture(given.seconds, given.every, given.offset))


if __name__ == "__main__":
    sys.exit(main())
