"""The contracts of differences as pydantic models, from which their JSON Schemas are made (intent-evidence §5.2–5.4).

Nothing that compares or renders uses them, so they are built only when asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

if TYPE_CHECKING:
    from pydantic import BaseModel

__all__ = ["comparison_model", "file_diff_model", "graph_diff_model"]


def graph_diff_model() -> type[BaseModel]:
    """`t2c.diff/v1`."""
    from t2c.ledger.events.base import Count, Hex64, Timestamp, Value
    from t2c.ledger.events.evidence import Relation
    from t2c.ledger.events.record import Record

    class Change(Value):
        """A record on both sides that says something else; `identity` is what it is paired by where ids do not tell."""

        identity: str
        before: Record
        after: Record
        changedFields: tuple[str, ...]

    class Records(Value):
        """Records that only one side has, that changed, and how many did not."""

        added: tuple[Record, ...]
        removed: tuple[Record, ...]
        changed: tuple[Change, ...]
        unchanged: Count

    class Relations(Value):
        """Relations by from, to, type, confidence and basis: one that is held otherwise is removed and added."""

        added: tuple[Relation, ...]
        removed: tuple[Relation, ...]
        unchanged: Count

    class Summary(Value):
        """How many there are of each."""

        recordsAdded: Count
        recordsRemoved: Count
        recordsChanged: Count
        recordsUnchanged: Count
        relationsAdded: Count
        relationsRemoved: Count
        relationsUnchanged: Count

    class GraphDiff(Value):
        """What two graphs say otherwise."""

        schemaVersion: Literal["t2c.diff/v1"]
        generatedAt: Timestamp
        fingerprint: Hex64
        beforeFingerprint: Hex64
        afterFingerprint: Hex64
        records: Records
        relations: Relations
        summary: Summary

    GraphDiff.model_rebuild(_types_namespace=locals())
    return GraphDiff


def file_diff_model() -> type[BaseModel]:
    """`t2c.filediff/v1`."""
    from pydantic import Field

    from t2c.ledger.events.base import Count, Value

    class DiffLine(Value):
        """One line and its number on each side, null where it does not stand."""

        type: Literal["equal", "insert", "delete"]
        beforeLine: Annotated[int, Field(ge=1)] | None
        afterLine: Annotated[int, Field(ge=1)] | None
        text: str

    class Hunk(Value):
        """Changes that stand together, with what stands around them."""

        beforeStart: Count
        beforeCount: Count
        afterStart: Count
        afterCount: Count
        lines: tuple[DiffLine, ...]

    class Summary(Value):
        """Lines of the whole files."""

        added: Count
        removed: Count
        unchanged: Count

    class FileDiff(Value):
        """What differs between two texts; `truncated` if a part was too long to compare and is replaced as a whole."""

        schemaVersion: Literal["t2c.filediff/v1"]
        path: str
        beforePath: str
        afterPath: str
        hunks: tuple[Hunk, ...]
        summary: Summary
        truncated: bool

    FileDiff.model_rebuild(_types_namespace=locals())
    return FileDiff


def comparison_model() -> type[BaseModel]:
    """`t2c.workspace-comparison/v1`. Ratios are null where there is nothing to divide by (better §1.3)."""
    from pydantic import Field

    from t2c.ledger.events.base import Count, Hex64, Timestamp, Value

    GraphDiff = graph_diff_model()

    class Coverage(Value):
        """The totals of a reality, its alignment, and its findings by severity."""

        topics: Count
        aligned: Count
        gaps: Count
        alignmentRate: Annotated[float, Field(ge=0, le=1)] | None
        alignedByEvidence: dict[str, Count]
        byStatus: dict[str, Count]
        declaredRecords: Count
        observedRecords: Count
        declaredTopics: Count
        observedTopics: Count
        implementationAlignedTopics: Count
        implementationCoverage: Annotated[float, Field(ge=0, le=1)] | None
        plannedCodeCoverage: Annotated[float, Field(ge=0, le=1)] | None
        documentedCodeCoverage: Annotated[float, Field(ge=0, le=1)] | None
        documentationMeasured: bool
        diagnostics: dict[Literal["info", "warning", "review_required", "blocking"], Count]

    class Base(Value):
        """The commit that is compared with."""

        ref: str
        commit: Annotated[str, Field(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
        graphFingerprint: Hex64
        coverage: Coverage

    class Workspace(Value):
        """The files as they are. `changedFiles` are those that were not as committed before anything was done."""

        headCommit: Annotated[str, Field(pattern="^[0-9a-f]{40}([0-9a-f]{24})?$")]
        dirty: bool
        changedFiles: tuple[str, ...]
        ahead: Count
        behind: Count
        graphFingerprint: Hex64
        coverage: Coverage

    class Trend(Value):
        """The workspace less its base; null where a side has no number."""

        direction: Literal["improved", "regressed", "mixed", "unchanged"]
        alignmentRateDelta: Annotated[float, Field(ge=-1, le=1)] | None
        implementationCoverageDelta: Annotated[float, Field(ge=-1, le=1)] | None
        plannedCodeCoverageDelta: Annotated[float, Field(ge=-1, le=1)] | None
        documentedCodeCoverageDelta: Annotated[float, Field(ge=-1, le=1)] | None
        alignedDelta: int
        gapsDelta: int
        diagnosticsDelta: dict[Literal["info", "warning", "review_required", "blocking"], int]

    class WorkspaceComparison(Value):
        """The files as they are beside a commit. `artifacts` are files that were written, by name."""

        schemaVersion: Literal["t2c.workspace-comparison/v1"]
        generatedAt: Timestamp
        base: Base
        workspace: Workspace
        trend: Trend
        diff: GraphDiff  # type: ignore[valid-type]  # pyright: ignore[reportInvalidTypeForm]
        artifacts: dict[str, str]

    WorkspaceComparison.model_rebuild(_types_namespace={**globals(), **locals()})
    return WorkspaceComparison
