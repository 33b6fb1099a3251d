"""JUnit XML as pytest, surefire, jest-junit, gotestsum and Node write it: streamed, suites of any nesting."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.reports.places import Places
from t2c.ledger.intake.reports.results import (
    Case,
    Outcome,
    Report,
    Run,
    instant,
    seconds,
    stable_name,
    symbol_of,
)
from t2c.ledger.intake.reports.xml_stream import Element, XmlFault, read_xml

__all__ = ["COMMIT_NAMES", "read_junit"]

COMMIT_NAMES: Final = frozenset({
    "commit", "commit.sha", "commit_sha", "git.sha", "git.commit", "git.commit.id", "git_commit", "git_sha",
    "ci_commit_sha", "github_sha", "build_sourceversion", "circle_sha1", "revision", "vcs.revision",
})  # fmt: skip
"""Names of properties, in lower case, whose value is the commit that was tested."""
_SHA: Final = re.compile(r"[0-9a-f]{7,64}\Z")
_OUTCOMES: Final[Mapping[str, Outcome]] = {"failure": "failed", "error": "error", "skipped": "skipped"}
_NO_CLASSES: Final = frozenset({"test", "suite"})
"""What Node writes in place of a class."""
_FLAKY: Final = frozenset({"flakyFailure", "flakyError", "rerunFailure", "rerunError"})
_DECLARED: Final[tuple[tuple[str, str], ...]] = (
    ("tests", "tests"),
    ("failures", "failed"),
    ("errors", "error"),
)


class _Suite:
    __slots__ = ("attributes", "cases", "name", "observed_at")

    def __init__(self, name: str, attributes: Mapping[str, str], observed_at: str | None) -> None:
        self.name = name
        self.attributes = attributes
        self.observed_at = observed_at
        self.cases: dict[str, int] = {"tests": 0, "failed": 0, "error": 0}


class _Junit:
    """One document while it is read."""

    def __init__(self, places: Places, notes: Notes) -> None:
        self.report = Report("junit")
        self.places = places
        self.notes = notes
        self.suites: list[_Suite] = []
        self.case: Case | None = None
        self.attributes: Mapping[str, str] = {}
        self.top: Mapping[str, str] = {}
        self.instants: set[str] = set()
        self.durations: list[str | None] = []
        self.last = 1
        self.flaky = 0

    def opened(self, tag: str, attributes: Mapping[str, str], line: int) -> None:
        if tag in ("testsuite", "testsuites"):
            if not self.suites:
                self.top = attributes
            around = self.suites[-1].observed_at if self.suites else None
            at = instant(attributes.get("timestamp")) or around
            if at:
                self.instants.add(at)
            name = stable_name(attributes.get("name", "")) if tag == "testsuite" else ""
            self.suites.append(_Suite(name, attributes, at))
        elif tag == "testcase":
            self.case = Case("", "passed", line=line)
            self.attributes = attributes

    def closed(self, element: Element) -> None:
        tag = element.tag
        if self.case is not None and tag in _OUTCOMES:
            outcome = _OUTCOMES[tag]
            if self.case.outcome in ("passed", "skipped"):
                kind = element.attributes.get("type", "")
                self.case.outcome = "todo" if outcome == "skipped" and kind == "todo" else outcome
                self.case.message = element.attributes.get("message") or element.text
        elif self.case is not None and tag in _FLAKY:
            self.case.flaky = tag.startswith("flaky") or self.case.flaky
        elif tag == "testcase":
            self._case(element)
        elif tag == "testsuite" or tag == "testsuites":
            self._suite(element)
        elif tag == "property":
            self._property(element)

    def _case(self, element: Element) -> None:
        case, attributes = self.case, self.attributes
        self.case = None
        if case is None:
            return
        names = tuple(suite.name for suite in self.suites if suite.name)
        classname, name = attributes.get("classname", "").strip(), attributes.get("name", "").strip()
        case.end = element.end
        case.observed_at = self.suites[-1].observed_at if self.suites else None
        located = self.places.of_class(classname) if classname else None
        file = attributes.get("file")
        path = (self.places.file(file) if file else None) or (located[0] if located else None)
        case.paths = (path,) if path and not path.startswith("~") else ()
        if names and classname.startswith("/"):  # a linter, whose suites and classes are files of its machine
            linted = self.places.file(names[-1])
            case.paths = (linted,) if linted else ()
            names = (*names[:-1], linted or names[-1])
            classname = ""
        qualified = name
        if classname and classname not in _NO_CLASSES and not name.startswith(classname):
            qualified = (
                f"{classname}.{name}" if "." in classname or " " not in classname else f"{classname} {name}"
            )
        case.name = stable_name(qualified)
        case.symbol = symbol_of(case.name)
        if names and names[-1] in (classname, qualified):
            names = names[:-1]
        case.suites = names
        self.report.add(case)
        self.flaky += case.flaky
        for suite in self.suites:
            suite.cases["tests"] += 1
            if case.outcome in suite.cases:
                suite.cases[case.outcome] += 1

    def _suite(self, element: Element) -> None:
        suite = self.suites.pop()
        if element.tag == "testsuite" and not any(
            around.name or around.attributes.get("time") for around in self.suites
        ):
            self.durations.append(seconds(suite.attributes.get("time")))
        self.last = max(self.last, element.end)
        for attribute, counted in _DECLARED:
            declared = suite.attributes.get(attribute, "")
            if (
                declared.isascii()
                and declared.isdigit()
                and len(declared) < 10
                and int(declared) != suite.cases[counted]
            ):
                what = f"a suite says {attribute}={declared} and holds {suite.cases[counted]}"
                self.notes.add("report_totals_differ", what, element.start)

    def _property(self, element: Element) -> None:
        value = element.attributes.get("value", element.text).strip().lower()
        if element.attributes.get("name", "").lower() in COMMIT_NAMES and _SHA.match(value):
            if self.report.commit not in (None, value):
                self.notes.add(
                    "commits_differ",
                    "properties that name different commits; the first stands",
                    element.start,
                )
            else:
                self.report.commit = value


def read_junit(content: bytes, places: Places, notes: Notes) -> Report | XmlFault:
    """All suites and cases of a document; nothing of one that is not well-formed."""
    read = _Junit(places, notes)
    fault = read_xml(content, read.opened, read.closed)
    if fault is not None:
        return fault
    at = min(read.instants) if len(read.instants) == 1 else instant(read.top.get("timestamp"))
    name = stable_name(read.top.get("name", "")) or "junit"
    extra = {"flaky": read.flaky} if read.flaky else {}
    duration = seconds(read.top.get("time")) or (read.durations[0] if len(read.durations) == 1 else None)
    read.report.runs.append(Run(name, 1, read.last, read.report.counts, duration, at, extra))
    return read.report
