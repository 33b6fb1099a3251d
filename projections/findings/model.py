"""Findings as people read them: in words, with their places, grouped by what explains them, the gravest first."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from msgspec import Struct

from t2c.projections.diagnostics.messages import Language, told
from t2c.projections.diagnostics.model import Finding, Severity, severe
from t2c.projections.facts import Fact, Facts

__all__ = ["MOST_PLACES", "SCHEMA", "Group", "Place", "Shown", "Suppression", "grouped", "shown"]

SCHEMA: Final = "t2c.findings/v1"
MOST_PLACES: Final = 5
"""Places that a finding shows; its records are named whole."""


class Place(Struct, frozen=True):
    """Where a record stands: a file and its lines, or a commit. `text` is what it says, shortened."""

    record: str
    path: str | None
    line: int | None
    end: int | None
    commit: str | None
    text: str

    def __str__(self) -> str:
        if self.path is None:
            return self.record if self.commit is None else self.commit[:12]
        return self.path if self.line is None else f"{self.path}:{self.line}"


class Suppression(Struct, frozen=True):
    """That somebody does not want to be told: `by` is the actor of event `event`, at `ts`."""

    event: str
    seq: int
    ts: str
    by: str
    finding: str | None
    cause: str | None
    reason: str
    expires: str | None

    def holds(self, now: str) -> bool:
        """Whether it is still in force at an RFC 3339 time in UTC."""
        return self.expires is None or now < self.expires


class Shown(Struct, frozen=True):
    """A finding in words. `risk` is 0–100, `confidence` in thousandths; `places` are the first of its records."""

    id: str
    code: str
    severity: Severity
    title: str
    detail: str
    action: str
    cause: str
    risk: int
    confidence: int
    places: tuple[Place, ...]
    recordIds: tuple[str, ...]
    suppressed: Suppression | None

    @property
    def weight(self) -> int:
        """Risk times confidence."""
        return self.risk * self.confidence


class Group(Struct, frozen=True):
    """Findings of one code and cause, the gravest first, those that weigh the same in the order of reading."""

    code: str
    cause: str
    severity: Severity
    weight: int
    findings: tuple[Shown, ...]


def shown(
    findings: Iterable[Finding],
    facts: Facts,
    suppressions: Sequence[Suppression],
    now: str,
    language: Language = "en",
) -> list[Shown]:
    """The findings in words, with the suppression that holds for each, the oldest of several."""
    by_finding: dict[str, Suppression] = {}
    by_cause: dict[str, Suppression] = {}
    for suppression in suppressions:
        if suppression.holds(now):
            if suppression.finding is not None:
                by_finding.setdefault(suppression.finding, suppression)
            elif suppression.cause is not None:
                by_cause.setdefault(suppression.cause, suppression)
    return [
        _shown(finding, facts, by_finding.get(finding.id) or by_cause.get(cause_of(finding)), language)
        for finding in findings
    ]


def cause_of(finding: Finding) -> str:
    """What a group is called by: the code and what explains its findings."""
    return f"{finding.code}:{finding.cause}"


def grouped(findings: Iterable[Shown]) -> tuple[Group, ...]:
    """Findings of one cause together; by severity, then by weight, then by cause."""
    groups: dict[str, list[Shown]] = {}
    for finding in findings:
        groups.setdefault(finding.cause, []).append(finding)
    made = [_group(cause, members) for cause, members in groups.items()]
    return tuple(sorted(made, key=lambda group: (-severe(group.severity), -group.weight, group.cause)))


def _group(cause: str, members: Sequence[Shown]) -> Group:
    ordered = sorted(
        members, key=lambda one: (-severe(one.severity), -one.weight, *_reading_order(one), one.id)
    )
    return Group(
        ordered[0].code,
        cause,
        ordered[0].severity,
        max(one.weight for one in ordered),
        tuple(ordered),
    )


def _reading_order(finding: Shown) -> tuple[str, int]:
    place = finding.places[0] if finding.places else None
    return ("", 0) if place is None else (place.path or "", place.line or 0)


def _shown(finding: Finding, facts: Facts, suppressed: Suppression | None, language: Language) -> Shown:
    words = told(finding, language)
    return Shown(
        id=finding.id,
        code=finding.code,
        severity=finding.severity,
        title=words.title,
        detail=words.detail,
        action=words.suggestedAction,
        cause=cause_of(finding),
        risk=finding.risk,
        confidence=round(finding.confidence * 1000),
        places=tuple(_places(finding, facts))[:MOST_PLACES],
        recordIds=words.recordIds,
        suppressed=suppressed,
    )


def _places(finding: Finding, facts: Facts) -> Iterable[Place]:
    """Where its records stand: what it is about first, then those in files in the order of reading, then commits."""
    found = [facts.records[identity] for identity in finding.records if identity in facts.records]
    found.sort(key=lambda fact: _place_of(fact, finding.subject))
    for fact in found:
        source, lines = fact.source, fact.source.lines
        in_file = source.path if source.kind != "git" else None
        yield Place(
            record=fact.id,
            path=in_file,
            line=None if lines is None or in_file is None else lines.start,
            end=None if lines is None or in_file is None else lines.end,
            commit=source.revision if source.kind == "git" else None,
            text=shortened(fact.statement.text),
        )


def _place_of(fact: Fact, subject: str) -> tuple[bool, bool, str, int, str]:
    source = fact.source
    line = 0 if source.lines is None else source.lines.start
    return fact.id != subject, source.kind == "git", source.path or "", line, fact.id


def shortened(text: str, most: int = 120) -> str:
    """One line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
