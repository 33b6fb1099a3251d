"""Test cases and runs, whatever told of them, and the records they become.

A case is told by its suite and its qualified name. What differs from run to run (messages, counts, durations) is
metadata or left out, so that a case that fails in another way is the same record (better-than §1.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal

from msgspec import Struct, field

from t2c.ledger.events.record import Polarity, Status
from t2c.ledger.intake.base import Draft, shortened
from t2c.ledger.intake.lines import Notes

__all__ = [
    "COMMIT_UNKNOWN",
    "MAX_CASES",
    "Case",
    "Outcome",
    "Report",
    "Run",
    "drafts_of",
    "instant",
    "plain_message",
]

Outcome = Literal["passed", "failed", "error", "skipped", "todo"]

MAX_CASES: Final = 20_000
"""Test cases that one report gives as records; what failed comes first."""
MAX_MESSAGE: Final = 500
COMMIT_UNKNOWN: Final = "commit_unknown"
"""Basis of what a report does not bind to a commit."""

_STATUS: Final[Mapping[Outcome, Status]] = {
    "passed": "verified", "failed": "blocked", "error": "blocked", "skipped": "unknown", "todo": "unknown",
}  # fmt: skip
_RANK: Final = {"failed": 0, "error": 0, "passed": 1, "skipped": 2, "todo": 2}
_ADDRESS: Final = re.compile(r"\b0x[0-9a-fA-F]{6,16}\b")
_ANSI: Final = re.compile(r"\x1b\[[0-9;?]*+[A-Za-z]")
_INSTANT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(\.\d{1,9})?\d*\s?(Z|[+-]\d\d:?\d\d)\Z", re.ASCII
)
_DURATION: Final = re.compile(r"\d{1,12}(?:\.\d{1,9})?", re.ASCII)
_NAME: Final = 400
_PARAMETERS: Final = re.compile(r"[\[({].*\Z", re.DOTALL)
_TELLING: Final = re.compile(r"_|[a-z0-9][A-Z]")
_GO_TEST: Final = re.compile(r"(?:\A|/)([\w-]+\.(?:Test|Benchmark|Example|Fuzz)\w*)(?:/|\Z)", re.ASCII)
_SYMBOL: Final = re.compile(r"[A-Za-z_$][\w$]*+(?:\.[A-Za-z_$][\w$]*+)*+\Z", re.ASCII)


class Case(Struct, gc=False):
    """One test case as its report tells of it. `name` is qualified; `file` is as written, `paths` as the tree knows it."""

    name: str
    outcome: Outcome
    suites: tuple[str, ...] = ()
    line: int = 1
    end: int = 1
    message: str | None = None
    paths: tuple[str, ...] = ()
    symbol: str | None = None
    observed_at: str | None = None
    flaky: bool = False


class Run(Struct):
    """One run of tests: what it counted, and when. `named` is False if its output does not name every case."""

    name: str
    line: int = 1
    end: int = 1
    counts: dict[Outcome, int] = field(default_factory=dict)
    duration: str | None = None
    observed_at: str | None = None
    extra: dict[str, Any] = field(default_factory=dict)


class Report(Struct):
    """All that one report tells: runs, cases, and the commit it names."""

    framework: str
    runs: list[Run] = field(default_factory=list)
    cases: list[Case] = field(default_factory=list)
    commit: str | None = None
    counts: dict[Outcome, int] = field(default_factory=dict)
    left: int = 0

    def add(self, case: Case) -> None:
        """Count a case, and keep it if not so many of its outcome are kept already."""
        before = self.counts.get(case.outcome, 0)
        self.counts[case.outcome] = before + 1
        if before < MAX_CASES:
            self.cases.append(case)
        else:
            self.left += 1


def instant(text: str | None) -> str | None:
    """A time of a report in RFC 3339; None without an offset, since then nobody knows when it was."""
    match = _INSTANT.match((text or "").strip())
    if match is None:
        return None
    offset = match[4] if match[4] == "Z" or ":" in match[4] else f"{match[4][:3]}:{match[4][3:]}"
    return f"{match[1]}T{match[2]}{match[3] or ''}{offset}"


def seconds(text: str | None) -> str | None:
    """A duration as decimal text."""
    match = _DURATION.match((text or "").strip().replace(",", ""))
    return match[0] if match else None


def plain_message(text: str | None) -> str | None:
    """A message without colours, bounded."""
    if not text:
        return None
    bare = _ANSI.sub("", text[: 4 * MAX_MESSAGE]).strip()
    return shortened(bare, MAX_MESSAGE) or None


def stable_name(name: str) -> str:
    """A test name in one line, bounded, without addresses of memory, which differ from run to run."""
    name = " ".join(_ANSI.sub("", name).split())
    return shortened(_ADDRESS.sub("0x…", name), _NAME) if name else ""


def symbol_of(name: str) -> str | None:
    """The function of a qualified test name without its parameters; None if the name is a sentence or a plain word.

    Of a Go test, whose package is a path, it is the package's own name and the function: `cart.TestRound`.
    """
    bare = _PARAMETERS.sub("", name)
    if "/" in bare:
        of_go = _GO_TEST.search(bare)
        bare = of_go[1] if of_go else bare
    return bare if _SYMBOL.match(bare) and ("." in bare or _TELLING.search(bare)) else None


def drafts_of(report: Report, notes: Notes) -> tuple[Draft, ...]:
    """The runs of a report, then its cases by name."""
    basis = (f"{report.framework}_report", *(() if report.commit else (COMMIT_UNKNOWN,)))
    cases = [case for case in report.cases if case.name]
    if len(cases) < len(report.cases):
        notes.add("test_case_unnamed", "a test case without a name", count=len(report.cases) - len(cases))
    left = report.left + max(0, len(cases) - MAX_CASES)
    if left:
        what = f"a report gives {MAX_CASES} test cases at most, those that failed first"
        notes.add("test_cases_capped", what, count=left)
        cases = sorted(cases, key=lambda case: _RANK[case.outcome])[:MAX_CASES]
    cases.sort(key=lambda case: (case.suites, case.name, case.line))
    runs = [_run(run, report, basis) for run in report.runs]
    return (*runs, *(_case(case, report, basis) for case in cases))


def _run(run: Run, report: Report, basis: tuple[str, ...]) -> Draft:
    counts: dict[str, int] = {outcome: run.counts.get(outcome, 0) for outcome in _STATUS}
    bad = counts["failed"] + counts["error"]
    judged = bad + counts["passed"]
    status: Status = "blocked" if bad else "verified" if judged else "unknown"
    metadata: dict[str, Any] = {
        "framework": report.framework,
        "commit": report.commit,
        "total": sum(counts.values()),
        **counts,
        "passRate": {"numerator": counts["passed"], "denominator": judged},
        "duration": run.duration,
        **run.extra,
    }
    return _draft("test_run", f"test run {run.name}", run.name, status, "negative" if bad else "positive", basis,
                  (run.line, run.end), metadata, observed_at=run.observed_at)  # fmt: skip


def _case(case: Case, report: Report, basis: tuple[str, ...]) -> Draft:
    metadata: dict[str, Any] = {
        "framework": report.framework,
        "outcome": case.outcome,
        "commit": report.commit,
        "message": plain_message(case.message),
    }
    if case.flaky:
        metadata["flaky"] = True
    return _draft(
        "test_result",
        f"test {case.name}",
        case.name,
        _STATUS[case.outcome],
        "negative" if case.outcome in ("failed", "error") else "positive",
        basis,
        (case.line, max(case.line, case.end)),
        metadata,
        trail=case.suites,
        paths=case.paths,
        symbols=(case.symbol,) if case.symbol else (),
        observed_at=case.observed_at,
    )


def _draft(
    kind: str,
    text: str,
    about: str,
    status: Status,
    polarity: Polarity,
    basis: tuple[str, ...],
    lines: tuple[int, int],
    metadata: dict[str, Any],
    *,
    trail: tuple[str, ...] = (),
    paths: tuple[str, ...] = (),
    symbols: Iterable[str] = (),
    observed_at: str | None = None,
) -> Draft:
    return Draft(
        kind=kind,
        text=text,
        object=about,
        action="test",
        cls="fact",
        status=status,
        confidence=0.98,
        basis=basis,
        trail=trail,
        lines=lines,
        modality="observed",
        polarity=polarity,
        paths=paths,
        symbols=tuple(symbols),
        observed_at=observed_at,
        metadata=metadata,
    )
