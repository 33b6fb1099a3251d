"""What a scan costs: against parsing and reading history alone, and for 30,000 records.

    python tests/bench/scan.py [--quick] [--rounds N] [--rows GLOB]

CPU seconds of whole processes, children included, contenders taking turns. Works on clones below `.bench/`.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from common import BENCH, Asked, Row, alone, files, process, t2c

ROOT = Path(__file__).resolve().parents[2]
RECORDS = 30_000

FLOOR = """
import ast, subprocess, sys
from pathlib import Path
root = Path(sys.argv[1])
for path in sorted(root.rglob("*.py")):
    if path.is_file() and not path.is_symlink():
        try:
            ast.parse(path.read_bytes())
        except (SyntaxError, ValueError):
            pass
subprocess.run(["git", "-C", str(root), "log", "--raw", "--numstat"], stdout=subprocess.DEVNULL, check=True)
"""


def of_this_repository(asked: Asked) -> Iterator[Row]:
    """The first scan of a clone of this repository, and a second one that finds nothing new."""
    repository = BENCH / "repository"
    shutil.rmtree(repository, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(repository)], check=True)
    process(t2c(repository, "scan"))  # compiles the modules
    floor, first, again = [], [], []
    for _ in range(max(3, asked.rounds // 2)):
        shutil.rmtree(repository / ".t2c", ignore_errors=True)
        floor.append(process([sys.executable, "-c", FLOOR, str(repository)]).cpu)
        first.append(process(t2c(repository, "scan")).cpu)
        again.append(process(t2c(repository, "scan")).cpu)
    base, scan, rescan = (statistics.median(values) for values in (floor, first, again))
    yield Row(
        "scan-first",
        "t2c scan of a clone of this repository, CPU",
        "ast.parse of its modules and git log --raw --numstat",
        scan / base,
        must="<= 3",
        ours=f"{scan:.2f} s CPU",
        theirs=f"{base:.2f} s CPU",
        durability="commit",
    )
    yield Row(
        "scan-again",
        "t2c scan where nothing changed, CPU",
        "the first scan",
        rescan / scan,
        ours=f"{rescan:.2f} s CPU",
        theirs=f"{scan:.2f} s CPU",
        durability="commit",
    )


def of_many_records(asked: Asked) -> Iterator[Row]:
    """A made-up repository of tasks, changelog entries and functions."""
    made = synthetic(asked.size(RECORDS))
    spent = process(t2c(made, "scan"))
    found = 0
    for path in files(made / ".t2c"):
        with open(path, "rb") as stream:
            found += sum(b'"type":"record.observed"' in line for line in stream)
    what = f"t2c scan of a repository with {found:,} records"
    detail = f"{spent.wall:.2f} s, {spent.cpu:.2f} s CPU, {spent.peak:.0f} MB at most"
    limit = "" if asked.quick else "<= 8"
    yield Row(
        "scan-records", what, value=spent.cpu, unit="s CPU", must=limit, ours=detail, durability="commit"
    )
    yield Row(
        "scan-memory", what, value=spent.peak, unit="MB", must="<= 200", ours=detail, durability="commit"
    )


def synthetic(records: int) -> Path:
    """A repository whose scan finds about `records` records: tasks, changelog entries, functions."""
    target = BENCH / "synthetic"
    shutil.rmtree(target, ignore_errors=True)
    (target / "src").mkdir(parents=True)
    third = records // 3
    with (target / "TODO.md").open("w") as todo:
        for number in range(third):
            if number % 50 == 0:
                todo.write(f"\n## Part {number // 50}\n\n")
            todo.write(f"- [ ] Add the handling of case {number} to `function_{number}` (#{number})\n")
    with (target / "CHANGELOG.md").open("w") as changelog:
        for number in range(third):
            if number % 50 == 0:
                changelog.write(f"\n## [1.{third // 50 - number // 50}.0] - 2026-01-01\n\n### Fixed\n\n")
            changelog.write(f"- Fixed the case {number} of the exporter (#{number})\n")
    for module in range(third // 50):
        with (target / "src" / f"module_{module}.py").open("w") as code:
            for number in range(module * 50, module * 50 + 50):
                code.write(
                    f'def function_{number}(a: int) -> int:\n    """Case {number}."""\n    return a\n\n\n'
                )
    return target


MEASURES = {"scan-repository": of_this_repository, "scan-records": of_many_records}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
