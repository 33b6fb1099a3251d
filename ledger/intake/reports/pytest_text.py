"""What pytest prints: the last line with its totals, the lines of `-v` and `-rA`, the short summary."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.results import Case, Outcome, Report, Run, stable_name, symbol_of

__all__ = ["SUMMARY", "read_pytest"]

SUMMARY: Final = re.compile(
    r"(?:=+ )?(\d{1,9} (?:failed|passed|skipped|xfailed|xpassed|errors?|deselected|warnings?|rerun)\b[^=\n]{0,200}?|no tests ran)"
    r" in (\d{1,9}(?:\.\d{1,6})?)s?\b"
)
_COUNT: Final = re.compile(r"(\d{1,9}) (failed|passed|skipped|xfailed|xpassed|errors?)\b")
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*+[A-Za-z]")
_WORD: Final[dict[str, Outcome]] = {
    "PASSED": "passed", "FAILED": "failed", "ERROR": "error", "XFAIL": "skipped", "XPASS": "passed", "SKIPPED": "skipped",
    "XPASS(strict)": "failed", "RERUN": "skipped",
}  # fmt: skip
_COUNTED: Final[dict[str, Outcome]] = {
    "failed": "failed", "passed": "passed", "skipped": "skipped", "xfailed": "skipped", "xpassed": "passed",
    "error": "error", "errors": "error",
}  # fmt: skip
_SHORT: Final = re.compile(r"(PASSED|FAILED|ERROR|XFAIL|XPASS) (\S+?\.py(?:::.*)?)\Z")
_OUTCOME: Final = re.compile(r"\s(PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED)\b")
_WORKER: Final = re.compile(
    r"\[gw\d+\] \[ *\d+%\] (PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED) (\S+?\.py::.+)\Z"
)
_MOST: Final = 4000
"""Characters of a line that are looked at."""


class _Text:
    def __init__(self, places: Places) -> None:
        self.places = places
        self.report = Report("pytest")
        self.cases: dict[str, Case] = {}
        self.named: dict[Outcome, int] = {}

    def line(self, line: str, number: int) -> None:
        worker = _WORKER.match(line)
        if worker is not None:
            self._case(worker[2], _WORD[worker[1]], None, number)
            return
        if line.startswith(("PASSED", "FAILED", "ERROR", "XFAIL", "XPASS")):
            node, _, message = line.partition(" - ")
            short = _SHORT.match(node.rstrip())
            if short is not None:
                self._case(short[2], _WORD[short[1]], message or None, number)
            return
        if ".py::" in line:
            long = _OUTCOME.search(line, line.index(".py::"))
            node = line[: long.start()].rstrip() if long else ""
            if long is not None and " " not in node.partition("::")[0]:
                reason = line[long.end() :].rpartition("[")[0].strip(" ()") if long[1] == "SKIPPED" else None
                self._case(node, _WORD[long[1]], reason, number)

    def _case(self, node: str, outcome: Outcome, message: str | None, number: int) -> None:
        """A case that is told of twice is one; what went wrong stands."""
        known = self.cases.get(node)
        if known is not None:
            if known.outcome not in ("failed", "error"):
                known.outcome = outcome
            known.message = message or known.message
            return
        file, _, rest = node.partition("::")
        path = self.places.file(file)
        module = (path or file).removesuffix(".py").replace("\\", "/").strip("/.").replace("/", ".")
        name = ".".join([module, *rest.split("::")]) if rest else module
        paths = (path,) if path and not path.startswith("~") else ()
        case = Case(stable_name(name), outcome, (), number, number, message, paths, symbol_of(name))
        self.cases[node] = case

    def summary(self, counted: str, duration: str, number: int) -> None:
        counts: dict[Outcome, int] = {}
        for number_of, word in _COUNT.findall(counted):
            outcome = _COUNTED[word]
            counts[outcome] = counts.get(outcome, 0) + int(number_of)
        self.report.runs.append(Run("pytest", number, number, counts, duration))


def read_pytest(lines: Iterator[str], places: Places, notes: Notes) -> Report:
    """Totals and named cases of one or more runs; cases that are counted and not named are noted."""
    text = _Text(places)
    for number, raw in enumerate(lines, 1):
        if len(raw) > _MOST:
            notes.add(
                "line_too_long", f"a line above {_MOST} characters, of which no more was looked at", number
            )
            raw = raw[:_MOST]
        line = _ANSI.sub("", raw) if "\x1b" in raw else raw
        if " in " in line:
            found = SUMMARY.match(line)
            if found is not None:
                text.summary(found[1], found[2], number)
                continue
        text.line(line, number)
    text.report.cases = list(text.cases.values())
    total = sum(sum(run.counts.values()) for run in text.report.runs)
    if total > len(text.report.cases):
        what = "test cases that the output counts and does not name; `-rA` names them"
        notes.add("test_cases_unnamed", what, count=total - len(text.report.cases))
    if not text.report.runs:
        notes.add("report_totals_missing", "no last line with totals: the run may have been cut off")
    return text.report
