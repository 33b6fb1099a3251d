"""What a scan costs: against parsing and reading history alone, and for 30,000 records.

    python tests/bench/scan.py [--records N] [--rounds N] [REPOSITORY]

Prints CPU seconds of whole processes (user + system, children included) and their ratio, contenders alternating,
the median of the rounds. Works on clones below `.bench/`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / ".bench"

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


# Compiled modules are kept, as they are for anybody who runs a command twice.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
ENVIRONMENT["PYTHONPYCACHEPREFIX"] = str(BENCH / "pycache")


def cpu(command: list[str]) -> tuple[float, int]:
    """CPU seconds of a process and its children, and its peak memory in MB."""
    pid = os.posix_spawn(
        command[0], command, ENVIRONMENT, file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    )
    _, status, used = os.wait4(pid, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return used.ru_utime + used.ru_stime, used.ru_maxrss // 1024


def t2c(root: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "t2c.cli", "--root", str(root), *arguments]


def clone(source: Path, name: str) -> Path:
    target = BENCH / name
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", str(source), str(target)], check=True)
    return target


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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("repository", nargs="?", type=Path, default=ROOT)
    options.add_argument("--records", type=int, default=30_000)
    options.add_argument("--rounds", type=int, default=5)
    chosen = options.parse_args()
    BENCH.mkdir(exist_ok=True)
    repository = clone(chosen.repository, "repository")
    cpu(t2c(repository, "scan"))  # compiles the modules
    floor, first, again = [], [], []
    for _ in range(chosen.rounds):
        shutil.rmtree(repository / ".t2c", ignore_errors=True)
        floor.append(cpu([sys.executable, "-c", FLOOR, str(repository)])[0])
        first.append(cpu(t2c(repository, "scan"))[0])
        again.append(cpu(t2c(repository, "scan"))[0])
    base, scan, rescan = (statistics.median(values) for values in (floor, first, again))
    print(f"repository        {chosen.repository.name}")
    print(f"read+ast+git log  {base:7.2f} s CPU")
    print(f"first scan        {scan:7.2f} s CPU   {scan / base:5.2f} x (must be at most 3)")
    print(f"second scan       {rescan:7.2f} s CPU   {rescan / scan:5.2f} x of the first")
    made = synthetic(chosen.records)
    used, peak = cpu(t2c(made, "scan"))
    journal = made / ".t2c" / "journal.ndjson"
    with journal.open("rb") as stream:
        found = sum(b'"type":"record.observed"' in line for line in stream)
    print(f"synthetic         {found:,} records, journal {journal.stat().st_size / 1e6:.0f} MB")
    print(f"scan and project  {used:7.2f} s CPU   {peak} MB peak (must be under 8 s and 200 MB)")
    used, peak = cpu(t2c(made, "scan"))
    print(f"second scan       {used:7.2f} s CPU   {peak} MB peak")
    print(f"durability commit, load {os.getloadavg()[0]:.1f}, Python {sys.version.split()[0]}")


if __name__ == "__main__":
    main()
