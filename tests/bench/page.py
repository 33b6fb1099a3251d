"""What a row of a benchmark is, its verdict, and the page that is made of all of them.

The page docs/benchmarks.md is written from docs/benchmarks.json and holds nothing else, so that a test can make it
again. Only the standard library is used here.
"""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "benchmarks.md"
FAILED = "failed: "


class Row(NamedTuple):
    """One comparison. `value` is what `must` and `aim` are about, in `unit`; x is ours against theirs.

    `ours` and `theirs` say what each contender did, with its own unit. Limits are text: "<= 7", ">= 0.85", or empty.
    """

    name: str
    what: str = ""
    against: str = ""
    value: float | None = None
    unit: str = "x"
    must: str = ""
    aim: str = ""
    ours: str = ""
    theirs: str = ""
    durability: str = ""
    note: str = ""
    load: float | None = None

    def verdict(self) -> str:
        """`met`, `aim met`, `missed by …`, `failed`, or nothing for a figure without a limit."""
        if self.note.startswith(FAILED):
            return "failed"
        if self.value is None or not (self.must or self.aim):
            return ""
        if self.aim and _within(self.value, self.aim):
            return "aim met"
        if self.must and _within(self.value, self.must):
            return "met"
        if not self.must:
            return f"aim missed by {_short_of(self.value, self.aim):.0f} %"
        return f"missed by {_short_of(self.value, self.must):.0f} %"

    @property
    def missed(self) -> bool:
        """True if the must is not kept."""
        return self.verdict().startswith(("missed", "failed"))


def _limit(text: str) -> tuple[bool, float]:
    sign, number = text.split()
    return sign == "<=", float(number)


def _within(value: float, limit: str) -> bool:
    most, bound = _limit(limit)
    return value <= bound if most else value >= bound


def _short_of(value: float, limit: str) -> float:
    most, bound = _limit(limit)
    return abs(value / bound - 1) * 100 if most else abs(1 - value / bound) * 100


def _shown(value: float | None, unit: str) -> str:
    if value is None:
        return ""
    number = f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"
    return f"{number} {unit}".replace(" x", " ×")


def _words(limit: str, unit: str) -> str:
    sign, _, number = limit.partition(" ")
    return f"{'≤' if sign == '<=' else '≥'} {float(number):g} {unit}".replace(" x", " ×") if limit else ""


COLUMNS = (
    "row",
    "what",
    "against",
    "result",
    "must",
    "aim",
    "verdict",
    "ours",
    "theirs",
    "durability",
    "load",
    "note",
)


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.name, row.what, row.against, _shown(row.value, row.unit), _words(row.must, row.unit),
        _words(row.aim, row.unit), row.verdict(), row.ours, row.theirs, row.durability,
        "" if row.load is None else f"{row.load:.2f}", row.note,
    )  # fmt: skip


def table(found: Iterable[Row]) -> str:
    """Rows for a terminal: one line each with the verdict, and below it what each contender did."""
    lines = []
    for row in found:
        limits = ", ".join(
            f"{name} {_words(limit, row.unit)}"
            for name, limit in (("must", row.must), ("aim", row.aim))
            if limit
        )
        result = _shown(row.value, row.unit)
        lines.append(f"{row.name:<26} {result:>12}  {row.verdict():<16} {limits}")
        detail = [": ".join(filter(None, pair)) for pair in ((row.what, row.ours), (row.against, row.theirs))]
        detail += [row.durability and f"durability {row.durability}", row.note]
        lines.append("    " + "; ".join(part for part in detail if part))
    return "\n".join(lines)


def _markdown(columns: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rows = [columns, ["---"] * len(columns), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows)


def _said(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""


def machine() -> dict[str, str]:
    """When, on what and with what the figures were taken."""
    model = ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [
            line.partition(":")[2].strip()
            for line in cpuinfo.read_text().splitlines()
            if "model name" in line
        ]
        model = names[0] if names else ""
    changed = "with changes" if _said(["git", "status", "--porcelain", "--untracked-files=no"]) else ""
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": " ".join(
            part for part in (_said(["git", "rev-parse", "--short=12", "HEAD"]), changed) if part
        ),
        "system": f"{platform.system()} {platform.release()}, {os.cpu_count()} CPUs, {model or platform.machine()}",
        "python": f"{platform.python_implementation()} {sys.version.split()[0]}",
        "openssl": " ".join(_said(["openssl", "version"]).split()[:2]),
        "load": "load average " + " ".join(f"{value:.2f}" for value in os.getloadavg()),
    }


_INTRODUCTION = """# Benchmarks

Made by `python tests/bench/run.py` from `benchmarks.json`; every figure is one that a script of `tests/bench/` printed.
Contenders take turns in one run and the medians of their turns are compared. "must" and "aim" are this project's own
limits; a row whose must was missed says by how much. Each script also runs alone and takes `--quick`, `--rounds` and
`--rows GLOB`. What an answer from the disk costs depends on the disk, so durable rates are given against contenders on
the same file system, commit about.
"""

_PARTS = {
    "standard": ("The comparisons", "make bench", "Each row is made by the script named before it."),
    "million": (
        "A million events",
        "make bench-million",
        "Each line is one process, started as a user would; the memory is the most it held at once.",
    ),
    "repositories": (
        "Other people's repositories",
        "python tests/bench/repositories.py --peer TODO2CODE CHECKOUT...",
        (
            "Each checkout is cloned anew and scanned as a user would: the journal is written and the views are made. CPU is that "
            "of all processes; memory is the most that all of them held at once, shared pages counted once, looked at twenty "
            "times a second. The peer is todo2code at 72a6bd1 in its deterministic mode, run on the same tree in the same hour; "
            "where it did not finish within three minutes, or saw no code because the toolchain of the language is not installed, the row says so and no ratio is given. The peer reads the ten newest commits, t2c the whole history."
        ),
    ),
}


def render(stored: Mapping[str, Any]) -> str:
    """The page of what is stored: for each part when and where it was taken, and its rows."""
    parts = [_INTRODUCTION]
    for name, (title, command, words) in _PARTS.items():
        part = stored.get(name)
        if part is None:
            continue
        parts.append(f"## {title}\n\n`{command}`. {words}\n")
        parts.append("\n".join(f"- {key}: {value}" for key, value in part["machine"].items()) + "\n")
        for script, rows in part["rows"].items():
            found = [_cells(Row(**row)) for row in rows]
            used = [at for at in range(len(COLUMNS)) if any(cells[at] for cells in found)]
            parts.append(f"### `python tests/bench/{script}`\n")
            parts.append(
                _markdown([COLUMNS[at] for at in used], [[cells[at] for at in used] for cells in found])
                + "\n"
            )
    return "\n".join(parts)


def store(
    page: Path,
    part: str,
    rows: Mapping[str, Sequence[Row]],
    options: Sequence[str] = (),
    script: str = "run.py",
) -> None:
    """Put one part of the figures in place of the former and write the page anew.

    `options` are those that the run was given, so that a short run is not taken for a whole one.
    """
    kept = page.with_suffix(".json")
    stored = json.loads(kept.read_text()) if kept.exists() else {}
    stored[part] = {
        "machine": {"run": " ".join([f"python tests/bench/{script}", *options]), **machine()},
        "rows": {script: [_given(row) for row in found] for script, found in rows.items()},
    }
    kept.write_text(json.dumps(stored, indent=1, sort_keys=True, ensure_ascii=False) + "\n")
    page.write_text(render(json.loads(kept.read_text())))


def _given(row: Row) -> dict[str, Any]:
    """The members that say something; a value as far as it is shown."""
    held = {name: value for name, value in row._asdict().items() if value not in ("", None)}
    return {name: round(value, 4) if isinstance(value, float) else value for name, value in held.items()}
