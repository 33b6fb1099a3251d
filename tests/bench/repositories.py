"""What scans of other people's repositories find and cost, beside a peer that reads the same trees.

    python tests/bench/repositories.py [--peer FOLDER] [--write docs/benchmarks.md] CHECKOUT...

For each checkout: files, records by source, omissions by reason; CPU seconds and peak memory of the first scan, of a
second one and of one after a change in one file, as ratios against the peer's run and our own first. `--peer` is a built
copy of todo2code. Works on clones below `.bench/`; the checkouts stay as they are.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from common import BENCH, compiled, t2c
from page import Row, machine, store, table

PATIENCE = 180
"""Seconds after which a run of the peer is given up."""
LONG = 20.0
"""CPU seconds of a first scan from which a later one is measured against it."""
NEW_CODE = {
    "py": "\n\ndef added_by_the_benchmark(number):\n    return number + 1\n",
    "js": "\nfunction addedByTheBenchmark(number) { return number + 1; }\n",
    "ts": "\nexport function addedByTheBenchmark(value: number): number { return value + 1; }\n",
    "go": "\nfunc addedByTheBenchmark(number int) int { return number + 1 }\n",
    "rs": "\npub fn added_by_the_benchmark(number: u32) -> u32 { number + 1 }\n",
    "java": "\nclass AddedByTheBenchmark { int next(int number) { return number + 1; } }\n",
    "php": "\nfunction added_by_the_benchmark($number) { return $number + 1; }\n",
    "rb": "\ndef added_by_the_benchmark(number)\n  number + 1\nend\n",
    "kt": "\nfun addedByTheBenchmark(number: Int) = number + 1\n",
    "c": "\nint added_by_the_benchmark(int number) { return number + 1; }\n",
    "cs": "\nclass AddedByTheBenchmark { int Next(int number) { return number + 1; } }\n",
    "swift": "\nfunc addedByTheBenchmark(number: Int) -> Int { number + 1 }\n",
    "scala": "\nobject AddedByTheBenchmark { def next(number: Int): Int = number + 1 }\n",
    "lua": "\nlocal function added_by_the_benchmark(number) return number + 1 end\n",
    "ex": "\ndefmodule AddedByTheBenchmark do\n  def next(number), do: number + 1\nend\n",
    "sh": "\nadded_by_the_benchmark() { echo 1; }\n",
}


class Spent(NamedTuple):
    """What a command took with all processes below it: clock and CPU seconds, the most memory at once in MB.

    `records` are those that the peer found, by source.
    """

    wall: float
    cpu: float
    peak: float
    code: int
    output: bytes
    records: Mapping[str, int] = MappingProxyType({})

    @property
    def saw_code(self) -> bool:
        """False where the peer ended well and found nothing in the code: then nothing can be compared."""
        return self.records.get("ast", 0) > 0


def run(command: list[str], environment: Mapping[str, str] | None = None, cwd: Path | None = None) -> Spent:
    """Run a command to its end, or to the end of patience, which counts as code -9."""
    started = time.perf_counter()
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environment or compiled()),
        cwd=cwd,
    ) as running:
        peak = [0.0]
        watcher = threading.Thread(target=_watch, args=(running.pid, peak), daemon=True)
        watcher.start()
        timer = threading.Timer(PATIENCE, running.kill)
        timer.start()
        before = os.times()
        assert running.stdout is not None
        output = running.stdout.read()
        running.wait()
        after = os.times()
        timer.cancel()
    watcher.join()
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return Spent(time.perf_counter() - started, used, peak[0], running.returncode, output)


def _watch(pid: int, peak: list[float]) -> None:
    while True:
        held = sum(_proportional(process) for process in _family(pid))
        if held == 0:
            return
        peak[0] = max(peak[0], held / 1024)
        time.sleep(0.05)


def _family(pid: int) -> Iterator[int]:
    waiting = [pid]
    while waiting:
        process = waiting.pop()
        yield process
        try:
            for task in Path(f"/proc/{process}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
        except OSError:
            pass


def _proportional(pid: int) -> int:
    """Kilobytes of a process, each shared page divided by those who share it."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", "rb") as file:
            return next((int(line.split()[1]) for line in file if line.startswith(b"Pss:")), 0)
    except (OSError, ValueError):
        return 0


def of_repository(checkout: Path, peer: Path | None) -> Iterator[Row]:
    """The rows of one checkout."""
    name = checkout.name.rpartition("+")[2]
    clone = BENCH / "repositories" / name
    shutil.rmtree(clone, ignore_errors=True)
    clone.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["git", "clone", "--quiet", str(checkout), str(clone)], check=True)
    commit = _git(clone, "rev-parse", "--short=12", "HEAD")
    commits = int(_git(clone, "rev-list", "--count", "HEAD"))
    theirs = None if peer is None else _peer(clone, peer)
    run(t2c(BENCH, "--version"))  # compiles the modules
    first = run(t2c(clone, "scan", "--json"))
    found = json.loads(first.output)
    if first.code or "error" in found:
        yield Row(f"{name}-cpu", f"t2c scan of {name}", note=f"failed: {first.output[:300].decode()}")
        return
    verified = run(t2c(clone, "ledger", "verify", "--json"))
    again = run(t2c(clone, "scan", "--json"))
    changed = _change(clone)
    later = run(t2c(clone, "scan", "--json"))
    files = next(row["files"] for row in found["table"] if row["name"] == "inventory")
    what = f"t2c scan of {name} at {commit}: {files:,} files, {commits:,} commits"
    yield _against(name, what, first, theirs)
    if theirs is not None and theirs.code == 0 and theirs.saw_code:
        yield Row(
            f"{name}-memory",
            f"peak memory of a first scan of {name}",
            "the peer",
            first.peak / theirs.peak,
            must="<= 0.6",
            aim="<= 0.3",
            ours=f"{first.peak:,.0f} MB",
            theirs=f"{theirs.peak:,.0f} MB",
        )
    else:
        yield Row(f"{name}-memory", f"peak memory of a first scan of {name}", value=first.peak, unit="MB")
    yield Row(
        f"{name}-again",
        "a second scan, nothing changed",
        value=again.cpu,
        unit="s CPU",
        ours=f"{again.wall:.2f} s, {again.peak:,.0f} MB; {sum(json.loads(again.output)['appended'].values())} events",
    )
    added = sum(json.loads(later.output)["appended"].values())
    detail = f"{later.cpu:.2f} s CPU, {later.wall:.2f} s, {later.peak:,.0f} MB; {added} events"
    if first.cpu >= LONG:
        yield Row(
            f"{name}-changed", f"a scan after one function was added to {changed}", "the first scan",
            later.cpu / first.cpu, must="<= 0.1", aim="<= 0.03", ours=detail, theirs=f"{first.cpu:.2f} s CPU",
        )  # fmt: skip
    else:
        yield Row(
            f"{name}-changed", f"a scan after one function was added to {changed}",
            value=later.cpu, unit="s CPU", must="<= 0.5", ours=detail,
        )  # fmt: skip
    stated = "verified" if verified.code == 0 else f"verify ended with {verified.code}"
    yield Row(
        f"{name}-records",
        "records by source, relations",
        value=float(sum(found["records"].values())),
        unit="records",
        ours=f"{_counts(found['records'])}; {found['relations']:,} relations; {stated}",
    )
    yield Row(
        f"{name}-omissions",
        "left out, by reason",
        value=float(sum(found["omissions"].values())),
        unit="things",
        ours=_counts(found["omissions"]) or "nothing",
    )
    shutil.rmtree(clone, ignore_errors=True)


def _against(name: str, what: str, first: Spent, theirs: Spent | None) -> Row:
    ours = f"{first.cpu:.2f} s CPU, {first.wall:.2f} s, {first.peak:,.0f} MB"
    if theirs is None:
        return Row(f"{name}-cpu", what, value=first.cpu, unit="s CPU", ours=ours, note="no peer was given")
    told = f"{theirs.cpu:.2f} s CPU, {theirs.wall:.2f} s, {theirs.peak:,.0f} MB; {_summary(theirs)}"
    if theirs.code != 0:
        return Row(f"{name}-cpu", what, "the peer, which failed", first.cpu, "s CPU", ours=ours, theirs=told)
    if not theirs.saw_code:
        return Row(
            f"{name}-cpu", what, "the peer, which saw no code", first.cpu, "s CPU", ours=ours, theirs=told
        )
    return Row(
        f"{name}-cpu", what, "the peer", first.cpu / theirs.cpu,
        must="<= 0.5", aim="<= 0.2", ours=ours, theirs=told,
    )  # fmt: skip


def _summary(theirs: Spent) -> str:
    """How the peer ended and what it found, in its own numbers."""
    if theirs.code:
        return f"given up after {PATIENCE} s" if theirs.code < 0 else f"ended with {theirs.code}"
    return _counts(theirs.records) or "no record"


def _found(copy: Path) -> dict[str, int]:
    """The records of the peer's last run, by source."""
    counts: dict[str, int] = {}
    for path in copy.glob(".intent-bench/runs/*/intent.graph.json"):
        with path.open("rb") as file:
            counts = json.load(file)["stats"]["bySource"]
    return counts


def _peer(clone: Path, peer: Path) -> Spent:
    copy = clone.with_name(f"{clone.name}.peer")
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(clone, copy, symlinks=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("T2C", "OPENROUTER"))
    }
    command = [
        "node", str(peer / "dist/src/cli.js"), "pipeline", str(copy),
        "--nl-mode", "deterministic", "--markdown-mode", "deterministic",
        "--no-docs-llm", "--no-summary-llm", "--out", ".intent-bench",
    ]  # fmt: skip
    spent = run(command, {**environment, "T2C_COMMUNICATION_MODE": "deterministic"}, cwd=copy)
    spent = spent._replace(records=_found(copy))
    shutil.rmtree(copy, ignore_errors=True)
    return spent


def _change(clone: Path) -> str:
    """Add a function to the largest file of the language that most files are in; returns its path."""
    by_ending: dict[str, list[tuple[int, str]]] = {}
    for path in _git(clone, "ls-files").splitlines():
        ending = path.rpartition(".")[2]
        file = clone / path
        if ending in NEW_CODE and file.is_file() and file.stat().st_size < 200_000:
            by_ending.setdefault(ending, []).append((file.stat().st_size, path))
    ending = max(by_ending, key=lambda name: (len(by_ending[name]), name))
    _, path = max(by_ending[ending])
    with (clone / path).open("a") as file:
        file.write(NEW_CODE[ending])
    return path


def _git(clone: Path, *arguments: str) -> str:
    command = ["git", "-C", str(clone), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in sorted(counts.items()))


def main() -> int:
    """Measure what was asked for; 1 if a must was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", nargs="+", metavar="CHECKOUT", type=Path)
    parser.add_argument("--peer", type=Path, metavar="FOLDER", help="a built copy of todo2code")
    parser.add_argument(
        "--write", metavar="PAGE", type=Path, help="keep the figures and make this page of them"
    )
    given = parser.parse_args()
    print(*machine().values(), sep="; ", flush=True)
    found: list[Row] = []
    for checkout in given.checkouts:
        for row in of_repository(checkout.resolve(), given.peer):
            row = row._replace(load=round(os.getloadavg()[0], 2))
            print(table([row]), flush=True)
            found.append(row)
    missed = [row.name for row in found if row.missed]
    print(f"missed: {', '.join(missed)}" if missed else "every must is met")
    if given.write is not None:
        names = [checkout.name.rpartition("+")[2] for checkout in given.checkouts]
        store(given.write, "repositories", {"repositories.py": found}, names, "repositories.py")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
