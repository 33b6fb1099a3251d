"""The shapes of `t2c.reality/v1`, field by field as published, and of our own `t2c.reality-grades/v1` beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from t2c.projections.facts import DECLARED, OBSERVED

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = [
    "GRADES_SCHEMA",
    "LANES",
    "SCHEMA",
    "STATUSES",
    "Backward",
    "ByGrade",
    "Forward",
    "Grades",
    "Ratio",
    "Reality",
    "Row",
    "Seen",
    "Shown",
    "TopicGrade",
    "Totals",
    "reality_model",
]

_Status = Literal[
    "conflicting",
    "planned_not_implemented",
    "changelog_without_implementation",
    "implemented_not_planned",
    "implemented_not_documented",
    "unlinked",
    "aligned",
]

SCHEMA: Final = "t2c.reality/v1"
GRADES_SCHEMA: Final = "t2c.reality-grades/v1"

LANES: Final = (*DECLARED, *OBSERVED, "changelog")
"""Kinds of sources in the order of the lanes: what is wanted, what is there, what is claimed."""

STATUSES: Final = (
    "conflicting",
    "planned_not_implemented",
    "changelog_without_implementation",
    "implemented_not_planned",
    "implemented_not_documented",
    "unlinked",
    "aligned",
)


class Row(msgspec.Struct, frozen=True):
    """One topic. `lanes` counts records that show or say something, by kind of source; a claim counts in no observed
    lane. `evidence` is `code`, `configuration` or `none`."""

    key: str
    label: str
    lanes: dict[str, int]
    status: str
    severity: str
    recordIds: tuple[str, ...]
    diagnosticCodes: tuple[str, ...]
    evidence: str

    @property
    def declared(self) -> int:
        return sum(self.lanes[kind] for kind in DECLARED)

    @property
    def observed(self) -> int:
        return sum(self.lanes[kind] for kind in OBSERVED)

    @property
    def claimed(self) -> int:
        return self.lanes["changelog"]


class Totals(msgspec.Struct, frozen=True):
    """Ratios have four decimals; where there is nothing to divide by they are null, never 1 (better §1.3)."""

    topics: int
    aligned: int
    gaps: int
    alignedByEvidence: dict[str, int]
    byStatus: dict[str, int]
    declaredRecords: int
    observedRecords: int
    declaredTopics: int
    observedTopics: int
    implementationAlignedTopics: int
    implementationCoverage: int | float | None
    plannedCodeCoverage: int | float | None
    documentedCodeCoverage: int | float | None
    documentationMeasured: bool


class Reality(msgspec.Struct, frozen=True):
    schemaVersion: str
    generatedAt: str
    graphFingerprint: str
    fingerprint: str
    rows: tuple[Row, ...]
    totals: Totals


class Ratio(msgspec.Struct, frozen=True):
    """A part of a whole, never reduced to one number."""

    numerator: int
    denominator: int


class Seen(msgspec.Struct, frozen=True):
    """One piece of evidence: `at` is when it last changed or ran, `dated` whether that is after the plan."""

    record: str
    where: str
    grade: str
    at: str | None
    dated: str


class Forward(msgspec.Struct, frozen=True):
    """A plan and how well it is evidenced. `grade` is of what counts, `located` of everything that names the same."""

    record: str
    key: str
    text: str
    where: str
    status: str
    grade: str
    located: str
    plannedAt: str | None
    evidence: tuple[Seen, ...]


class Backward(msgspec.Struct, frozen=True):
    """What is there and nobody asked for. `exception` says why it need not be planned, null if it should be."""

    key: str
    exception: str | None
    publicSymbols: int
    records: int


class Shown(msgspec.Struct, frozen=True):
    """A record of a topic as people see it."""

    record: str
    kind: str
    where: str
    text: str
    note: str | None


class TopicGrade(msgspec.Struct, frozen=True):
    """Beside a row: the weakest grade of its plans, null without any; who takes part; how sure its key is.

    `plansShown` are those of the `plans` with evidence that counts, `plansOpen` those without that are to be carried
    out, `plansDone` those that are said to be done.

    `shown` are the records that a reader wants to see first, `hidden` counts the others.
    """

    key: str
    grade: str | None
    plans: int
    plansShown: int
    plansOpen: int
    plansDone: int
    releases: tuple[str, ...]
    members: int
    guests: int
    ambiguous: int
    others: tuple[str, ...]
    shown: tuple[Shown, ...]
    hidden: int


class ByGrade(msgspec.Struct, frozen=True):
    """Counts by the grade of evidence, from `none` to `green`."""

    openPlans: dict[str, int]
    donePlans: dict[str, int]
    alignedTopics: dict[str, int]


class Grades(msgspec.Struct, frozen=True):
    """What reality rests on. `ratios` are those of the totals as parts of a whole; `commitsApart` are commits that no
    statement relates to, which make no topic."""

    schema: str
    generatedAt: str
    realityFingerprint: str
    ratios: dict[str, Ratio]
    byGrade: ByGrade
    forward: tuple[Forward, ...]
    backward: tuple[Backward, ...]
    exceptions: dict[str, int]
    topics: tuple[TopicGrade, ...]
    commitsApart: int


def reality_model() -> type[BaseModel]:
    """The contract of `reality.json` as a pydantic model, from which its JSON Schema is made."""
    from typing import Annotated

    from pydantic import Field

    from t2c.ledger.events.base import Count, Hex64, RecordRef, Timestamp, Value
    from t2c.ledger.events.record import SourceKind

    class ByEvidence(Value):
        code: Count
        configuration: Count
        none: Count

    class Totals(Value):
        """Ratios are null where there is nothing to divide by."""

        topics: Count
        aligned: Count
        gaps: Count
        alignedByEvidence: ByEvidence
        byStatus: dict[_Status, Count]
        declaredRecords: Count
        observedRecords: Count
        declaredTopics: Count
        observedTopics: Count
        implementationAlignedTopics: Count
        implementationCoverage: Annotated[float, Field(ge=0, le=1)] | None
        plannedCodeCoverage: Annotated[float, Field(ge=0, le=1)] | None
        documentedCodeCoverage: Annotated[float, Field(ge=0, le=1)] | None
        documentationMeasured: bool

    class Row(Value):
        """One topic: what is wanted, what is there, what is claimed."""

        key: str
        label: str
        lanes: dict[SourceKind, Count]
        status: _Status
        severity: Literal["info", "warning", "review_required", "blocking"]
        recordIds: tuple[RecordRef, ...]
        diagnosticCodes: tuple[str, ...]
        evidence: Literal["code", "configuration", "none"]

    class Reality(Value):
        """What is wanted beside what is there, topic by topic."""

        schemaVersion: Literal["t2c.reality/v1"]
        generatedAt: Timestamp
        graphFingerprint: Hex64
        fingerprint: Hex64
        rows: tuple[Row, ...]
        totals: Totals

    Reality.model_rebuild(_types_namespace={**globals(), **locals()})
    return Reality
