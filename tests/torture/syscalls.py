"""Every system call with which a command touches its ledger, failed or killed in turn, on the real command line.

`strace` records which calls those are, then injects one fault a run: EIO, ENOSPC where that may happen, or SIGKILL at
exactly that call. Each run has a copy of its own; afterwards the journal must be sound but for its end, everything
that a receipt promised must be there, the error must be one of ours, and the next append must work.

    python tests/torture/syscalls.py [--seconds N] [--only NAME] [--every N] [--offset N]
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ground import (
    Acknowledged,
    Tally,
    conclude,
    environment,
    fresh_copy,
    goes_on,
    lines_of,
    python,
    scratch,
    survey,
)
from scenarios import SCENARIOS, Scenario

from t2c.ledger.errors import T2cError

CALLS = (
    "openat,write,pwrite64,pread64,fdatasync,fsync,ftruncate,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,"
    "link,linkat,copy_file_range"
)
_FULL = frozenset({"write", "pwrite64", "fsync", "fdatasync", "rename", "mkdir", "link", "copy_file_range"})
_LINE = re.compile(r"(\d+) +([a-z0-9_]+)\((.*)")
KILL = "signal=KILL"
_OURS = re.compile(r'[/"]\.t2c[/">]|/_+(?:trace|run\d)/(?:home|out|\.out\.)')
_READ = re.compile(r"\d+<([^>]*)>")
_TABLE = frozenset({0, 1, 2, 3, 4, 5, 6, 7})
_SHIFTED = "the fault was not injected where it was meant:"
_MOST_SHIFTED = 0.05
"""A command does not make the same calls each time. What a fault hit instead is judged all the same; if it is not what
was meant too often, the numbers are worth nothing."""
_KILLED = -9
_READS = 4
"""How many reads of one file are failed."""


@dataclass(frozen=True)
class Call:
    """One call of the command's own process: its name, its number among those of that name, what strace showed."""

    name: str
    number: int
    shown: str

    def faults(self) -> Iterator[str]:
        yield "error=EIO"
        if self.name in _FULL or "O_CREAT" in self.shown:
            yield "error=ENOSPC"
        if self.name not in ("pread64", "openat") or "O_CREAT" in self.shown or "O_TRUNC" in self.shown:
            yield KILL  # one at a call that changes nothing is one at the next that does


class Bench:
    """One scenario: its template, what it does undisturbed, and the calls that it makes."""

    def __init__(self, scenario: Scenario, folder: Path) -> None:
        self.scenario = scenario
        self.folder = folder
        self.environ = environment(folder)
        self.template = folder / scenario.name / "template"
        (self.template / "repo").mkdir(parents=True)
        (self.template / "home").mkdir()
        scenario.prepare(self.template / "repo", self.run)
        self.before = lines_of(self.template / "repo" / ".t2c")
        for _ in range(2):  # the first run fills the cache of compiled modules
            dry = self.attempt("dry")
            if dry.code != scenario.code:
                raise RuntimeError(f"{scenario.name} ends in {dry.code} undisturbed: {dry.err}")
        self.clean = scenario.outcome(self.place("dry") / "repo", self.run)
        self.calls = list(self._recorded())

    def place(self, name: str) -> Path:
        # Paths of one length: the number of reads in a call may depend on it.
        return self.folder / self.scenario.name / name.rjust(8, "_")

    def run(self, root: Path, *arguments: str, input: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        """The command line, undisturbed."""
        command = (python(), "-m", "t2c.cli", *arguments)
        environ = {**self.environ, "HOME": str(root.parent / "home")}
        return subprocess.run(command, cwd=root, env=environ, input=input, capture_output=True, check=False)

    def attempt(self, name: str, *tracer: str) -> Ran:
        """The scenario's command on a copy of its own, under a tracer or not."""
        place = self.place(name)
        fresh_copy(self.template, place)
        done = subprocess.run(
            (*tracer, python(), *self.scenario.command),
            cwd=place / "repo",
            env={**self.environ, "HOME": str(place / "home")},
            input=self.scenario.input,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr.decode(errors="replace"))

    def _recorded(self) -> Iterator[Call]:
        log = self.folder / self.scenario.name / "record"
        tracer = ("strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-o", str(log), "-e", f"trace={CALLS}")
        ran = self.attempt("trace", *tracer)
        if ran.code != self.scenario.code:
            raise RuntimeError(f"{self.scenario.name} cannot be traced: {ran.err.strip()[-300:]}")
        place = self.place("trace")
        touched = re.compile(
            "|".join(re.escape(str(place / part)) for part in ("repo/.t2c", "home", "out", ".out."))
        )
        main, seen, reads = "", dict[str, int](), dict[str, int]()
        for line in log.read_text(errors="replace").splitlines():
            found = _LINE.match(line)
            if found is None:
                continue
            pid, name, rest = found.groups()
            main = main or pid
            if pid != main:
                continue
            seen[name] = seen.get(name, 0) + 1
            if name == "pread64" and (read := _READ.match(rest)) is not None:
                # A database reads its pages by the dozen, and one that cannot be read is like the next.
                reads[read[1]] = reads.get(read[1], 0) + 1
                if reads[read[1]] > _READS:
                    continue
            if touched.search(rest) is not None or (name == "write" and rest.startswith("1<")):
                yield Call(name, seen[name], rest)

    def trial(self, call: Call, fault: str, worker: int) -> tuple[Acknowledged, list[str]]:
        """One run with one fault; gives what was acknowledged and what is wrong."""
        name = f"run{worker}"
        log = self.folder / self.scenario.name / f"log{worker}"
        log.unlink(missing_ok=True)
        inject = f"inject={call.name}:{fault}:when={call.number}"
        # strace injects no signal at calls that it lets a filter pick out, so a kill takes the slow way.
        quick = () if fault == KILL else ("--seccomp-bpf",)
        tracer = ("strace", "-f", *quick, "-y", "-s", "0", "-o", str(log))
        ran = self.attempt(name, *tracer, "-e", f"trace={call.name}", "-e", inject)
        repo = self.place(name) / "repo"
        workspace = repo / ".t2c"
        found = self._missed(log, call, fault, ran)
        acknowledged = self.scenario.acknowledged(ran.stdout)
        found += ran.problems(killed=fault == KILL, clean=self.scenario.code)
        if "nothing was written" in ran.err and lines_of(workspace) != self.before:
            found.append("the error says that nothing was written, but the journal is another")
        found += survey(workspace, self.before, acknowledged)
        found += self.scenario.never(repo)
        if ran.code == self.scenario.code and not self.scenario.reads_back:
            short = self.scenario.outcome(repo, self.run) != self.clean
            found += ["it ended well, but did not do what it does undisturbed"] if short else []
        found += goes_on(workspace, self.before, acknowledged)
        if not found and self.scenario.reads_back:
            again = self.run(repo, *self.scenario.command[2:], input=self.scenario.input)
            if again.returncode != self.scenario.code:
                found.append(f"the command does not work afterwards: {again.stderr.decode()[-300:]}")
            elif self.scenario.outcome(repo, self.run) != self.clean:
                found.append("run again, it does not come to what it comes to undisturbed")
        return acknowledged, found

    def _missed(self, log: Path, call: Call, fault: str, ran: Ran) -> list[str]:
        """The fault must have hit the call that was meant: a count that shifted would torture something else."""
        if fault == KILL:
            return [] if ran.code == _KILLED else [f"not killed, but ended in {ran.code}: {ran.err[-200:]}"]
        hits = [line for line in log.read_text(errors="replace").splitlines() if "(INJECTED)" in line]
        meant = _OURS.search(call.shown) is not None
        if any((_OURS.search(line) is not None) == meant for line in hits):
            return []
        return [f"{_SHIFTED} {hits[:1]}"]


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it said."""

    code: int
    stdout: bytes
    err: str

    def problems(self, *, killed: bool, clean: int) -> list[str]:
        """What is wrong with the way it ended: a traceback, a code outside the table, an error in no form of ours."""
        if killed:
            return []
        found = []
        if "Traceback" in self.err:
            found.append(f"a traceback: {self.err[-400:]}")
        if self.code not in _TABLE:
            found.append(f"exit code {self.code}: {self.err[-300:]}")
        elif self.code != clean and self.code != 0 and not self._told():
            found.append(f"exit code {self.code} without an error in our form: {self.err[-300:]!r}")
        return found

    def _told(self) -> bool:
        # A command whose standard output fails cannot be asked to say so there.
        return "error:" in self.err or b"t2c.error/v1" in self.stdout or not self.stdout


def torture(seconds: float, only: str | None = None, every: int = 1, offset: int = 0) -> Tally:
    """All scenarios, each call and fault once, as far as the time goes; says what was left out."""
    tally = Tally("system calls")
    if shutil.which("strace") is None:
        tally.could_not_run = "strace is not installed"
        return tally
    probe = subprocess.run(("strace", "-o", "/dev/null", "true"), capture_output=True, check=False)
    if probe.returncode:
        tally.could_not_run = f"strace may not trace here: {probe.stderr.decode().strip()[:200]}"
        return tally
    ends = time.monotonic() + seconds
    with scratch() as folder, ThreadPoolExecutor(2) as pool:
        chosen = [each for each in SCENARIOS if only in (None, each.name)]
        benches = list(pool.map(lambda scenario: Bench(scenario, folder), chosen))
        trials = [
            (bench, call, fault) for bench in benches for call in bench.calls for fault in call.faults()
        ]
        # Scattered over all scenarios, so that a short run sees some of each.
        part = trials[offset::every]
        step = next(prime for prime in (7919, 7907) if len(part) % prime)
        order = [part[number * step % len(part)] for number in range(len(part))]
        left = shifted = 0
        workers = list(range(2))

        def one(trial: tuple[Bench, Call, str]) -> Any:
            if time.monotonic() > ends:
                return None
            worker = workers.pop()
            try:
                return (*trial, *trial[0].trial(*trial[1:], worker))
            except (T2cError, OSError, ValueError, LookupError) as error:
                return (*trial, {}, [f"what it left cannot be looked at: {type(error).__name__}: {error}"])
            finally:
                workers.append(worker)

        for done in pool.map(one, order):
            if done is None:
                left += 1
                continue
            bench, call, fault, acknowledged, found = done
            tally.kills += fault == KILL
            tally.faults += fault != KILL
            tally.acknowledged += len(acknowledged)
            shifted += any(problem.startswith(_SHIFTED) for problem in found)
            found = [problem for problem in found if not problem.startswith(_SHIFTED)]
            tally.add(found, f"{bench.scenario.name}: {fault} at {call.name} {call.number} {_brief(call)}")
        for bench in benches:
            tally.notes.append(f"{bench.scenario.name}: {len(bench.calls)} calls touch the ledger")
        if shifted:
            tally.notes.append(f"{shifted:,} faults hit another call than was meant")
        if shifted > max(2, _MOST_SHIFTED * (tally.faults + tally.kills)):
            tally.problems.append(f"{shifted:,} faults hit another call than was meant: too many")
        if left:
            tally.notes.append(f"{left:,} of {len(order):,} trials left out: the time was up")
    return tally


def _brief(call: Call) -> str:
    return re.sub(r"/[^ <>\"]*/repo/", "", call.shown)[:120]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--seconds", type=float, default=240)
    parser.add_argument("--only", choices=[scenario.name for scenario in SCENARIOS])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--offset", type=int, default=0)
    given = parser.parse_args()
    return conclude(torture(given.seconds, given.only, given.every, given.offset))


if __name__ == "__main__":
    sys.exit(main())
