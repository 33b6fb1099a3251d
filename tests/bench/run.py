"""Every comparison that this project holds itself to, in one table.

    python tests/bench/run.py [--quick] [--rows GLOB] [--million] [--write docs/benchmarks.md]

Runs the scripts of this folder one after another, each in a process of its own, prints their rows with the verdict
against what they must and should reach, and with `--write` keeps them and makes the page. Exits with 1 if a row misses
its must. `make bench` runs it; the part with a million events is `make bench-million`.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from page import Row, machine, store, table

HERE = Path(__file__).resolve().parent
SCRIPTS = {
    "standard": (
        "verify.py", "append.py", "replay.py", "refresh.py", "proofs.py", "command.py", "transfer.py", "redaction.py",
        "scan.py", "history.py", "links.py",
    ),
    "million": ("million.py", "monorepo.py"),
}  # fmt: skip


def taken(script: str, options: list[str], failed: list[str]) -> list[Row]:
    """The rows of one script, printed as they come; its name goes to `failed` if it does not end well."""
    command = [sys.executable, str(HERE / script), "--json", *options]
    found: list[Row] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
        assert running.stdout is not None
        for line in running.stdout:
            row = Row(**json.loads(line))._replace(load=round(os.getloadavg()[0], 2))
            print(table([row]), flush=True)
            found.append(row)
    if running.returncode:
        print(f"{script} failed", flush=True)
        failed.append(script)
    return found


def main() -> int:
    """Run what was asked for; 1 if a must was missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="a tenth of the sizes and three rounds")
    parser.add_argument("--rounds", type=int, help="how often contenders take turns")
    parser.add_argument("--rows", metavar="GLOB", help="only these rows, for example 'append-*'")
    parser.add_argument("--million", action="store_true", help="the part with a million events alone")
    parser.add_argument(
        "--write", metavar="PAGE", type=Path, help="keep the figures and make this page of them"
    )
    given = parser.parse_args()
    if given.write is not None and given.rows is not None:
        parser.error("a page holds all rows of a part: --write goes without --rows")
    options = ["--quick"] if given.quick else []
    options += ["--rounds", str(given.rounds)] if given.rounds else []
    options += ["--rows", given.rows] if given.rows else []
    part = "million" if given.million else "standard"
    started = time.perf_counter()
    print(*machine().values(), sep="; ", flush=True)
    failed: list[str] = []
    found = {script: taken(script, options, failed) for script in SCRIPTS[part]}
    every = [row for rows in found.values() for row in rows]
    missed = [row.name for row in every if row.missed]
    print(f"\n{len(every)} rows in {time.perf_counter() - started:.0f} s; ", end="")
    print(f"missed: {', '.join(missed)}" if missed else "every must is met")
    print(machine()["load"])
    if failed:
        print(f"failed: {', '.join(failed)}; no page is written")
    elif given.write is not None:
        asked = [*(["--million"] if given.million else []), *options]
        store(given.write, part, {script: rows for script, rows in found.items() if rows}, asked)
        print(f"written: {given.write} and {given.write.with_suffix('.json')}")
    return 1 if missed or failed else 0


if __name__ == "__main__":
    sys.exit(main())
