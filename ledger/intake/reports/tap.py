"""TAP 13 and 14: test points, subtests, directives, diagnostics; a plan that does not fit is noted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.results import Case, Outcome, Report, Run, stable_name

__all__ = ["read_tap"]

_POINT: Final = re.compile(r"(not )?ok\b(?:\s+(\d{1,9}))?(?:\s*-)?\s*(.*)\Z")
_DIRECTIVE: Final = re.compile(r"(?<!\\)#\s*(skip|todo)\S*\s*(.*)\Z", re.IGNORECASE)
_PLAN: Final = re.compile(r"1\.\.(\d{1,9})\s*(?:#\s*(.*))?\Z")
_SUBTEST: Final = re.compile(r"#\s*Subtest(?::\s*(.*))?\Z")
_BAIL: Final = re.compile(r"Bail out!\s*(.*)\Z")
_MOST: Final = 4000
_MAX_DEPTH: Final = 100
_MESSAGE_LINES: Final = 12


class _Level(Struct):
    """One stream of test points: the document or a subtest."""

    name: str
    planned: int | None = None
    planned_at: int = 0
    seen: int = 0


class _Tap:
    def __init__(self, notes: Notes) -> None:
        self.notes = notes
        self.cases: list[Case] = []
        self.counts: dict[Outcome, int] = {}
        self.levels: list[_Level] = [_Level("")]
        self.pending: dict[int, str] = {}
        self.leaf = True
        self.bailed: str | None = None

    def line(self, line: str, number: int) -> None:
        bare = line.lstrip(" ")
        depth = (len(line) - len(bare)) // 4
        if depth > _MAX_DEPTH:
            self.notes.add("report_too_deep", f"subtests nested deeper than {_MAX_DEPTH}", number)
            return
        point = _POINT.match(bare) if bare.startswith(("ok", "not ok")) else None
        if point is not None:
            self._settle(depth, number)
            self._point(point, depth, number)
            return
        plan = _PLAN.match(bare)
        if plan is not None:
            self._settle(depth, number)
            self.levels[depth].planned, self.levels[depth].planned_at = int(plan[1]), number
            return
        subtest = _SUBTEST.match(bare)
        if subtest is not None:
            # The comment stands at the margin of the parent (TAP 13) or of the child (TAP 14).
            self.pending[depth] = stable_name(subtest[1] or "")
            return
        bail = _BAIL.match(bare)
        if bail is not None:
            self.bailed = bail[1]

    def _settle(self, depth: int, number: int) -> None:
        """Open levels down to a margin, close those beyond it."""
        self.leaf = len(self.levels) <= depth + 1
        while len(self.levels) > depth + 1:
            self._close(self.levels.pop())
        while len(self.levels) < depth + 1:
            at = len(self.levels)
            name = self.pending.pop(at - 1, "") or self.pending.pop(at, "")
            self.levels.append(_Level(name))

    def _close(self, level: _Level) -> None:
        if level.planned is not None and level.planned != level.seen:
            what = f"a plan of {level.planned} and {level.seen} test points"
            self.notes.add("plan_mismatch", what, level.planned_at)

    def _point(self, point: re.Match[str], depth: int, number: int) -> None:
        self.levels[depth].seen += 1
        self.pending.pop(depth, None)
        directive = _DIRECTIVE.search(point[3])
        told = point[3][: directive.start()] if directive else point[3]
        outcome: Outcome = "failed" if point[1] else "passed"
        message = None
        if directive is not None:
            outcome = "todo" if directive[1].lower() == "todo" else "skipped"
            message = directive[2]
        name = stable_name(told.replace("\\#", "#").replace("\\\\", "\\"))
        if not name:
            name = f"test {point[2]}" if point[2] else "test"
        suites = tuple(level.name for level in self.levels[1 : depth + 1] if level.name)
        self.cases.append(Case(name, outcome, suites, number, number, message or None))
        if self.leaf:
            self.counts[outcome] = self.counts.get(outcome, 0) + 1

    def end(self) -> None:
        while self.levels:
            self._close(self.levels.pop())


def read_tap(lines: Iterator[str], places: Places, notes: Notes) -> Report:
    """All test points, those of subtests under their names; a subtest's own result is a point as well."""
    tap = _Tap(notes)
    block: str | None = None
    told: list[str] = []
    number = 0
    for number, raw in enumerate(lines, 1):
        line = raw[:_MOST]
        bare = line.strip()
        if block is not None:
            if bare == "...":
                _diagnose(tap, told, number)
                block = None
            elif len(told) < _MESSAGE_LINES and not bare.startswith("duration_ms:"):
                told.append(bare)
            continue
        if bare == "---" and line.startswith(" "):
            block, told = line, []
            continue
        if bare:
            tap.line(line, number)
    if block is not None:
        notes.add("report_truncated", "a block of diagnostics that never ends", number)
    tap.end()
    if tap.bailed is not None:
        notes.add("run_bailed_out", "the run was given up before its end")
    extra = {"bailedOut": True} if tap.bailed is not None else {}
    return Report("tap", [Run("tap", 1, max(1, number), tap.counts, None, None, extra)], tap.cases)


def _diagnose(tap: _Tap, told: list[str], number: int) -> None:
    if tap.cases and tap.cases[-1].outcome in ("failed", "error"):
        tap.cases[-1].message = "\n".join(told) or tap.cases[-1].message
        tap.cases[-1].end = number
