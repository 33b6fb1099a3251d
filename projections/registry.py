"""Every projection by name. A new one is added here and is then folded, stored, verified and tested."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from t2c.projections.answers import AnswersProjection
from t2c.projections.base import Projection
from t2c.projections.calls import CallsProjection
from t2c.projections.changeplans import ChangePlansProjection
from t2c.projections.communication import CommunicationProjection
from t2c.projections.conclusions import ConclusionsProjection
from t2c.projections.diagnostics import DiagnosticsProjection, findings_of
from t2c.projections.findings import FindingsProjection
from t2c.projections.graph import GraphProjection
from t2c.projections.interop.event_log import LogProjection
from t2c.projections.proposals import ProposalsProjection
from t2c.projections.reality import RealityProjection
from t2c.projections.records import RecordsProjection
from t2c.projections.render import findings_markdown, markdown
from t2c.projections.render.communication_markdown import communication_markdown
from t2c.projections.render.reality_markdown import reality_markdown
from t2c.projections.render.report import report_markdown
from t2c.projections.runs import RunsProjection
from t2c.projections.summary import SummaryProjection
from t2c.projections.timeline import TimelineProjection
from t2c.projections.truthmap import TruthMapProjection

__all__ = ["AFTER_SCAN", "ALL"]

_PROJECTIONS: Final[tuple[Projection[Any], ...]] = (
    AnswersProjection(),
    CallsProjection(),
    ChangePlansProjection(),
    CommunicationProjection(communication_markdown),
    ConclusionsProjection(report_markdown),
    DiagnosticsProjection(),
    FindingsProjection(findings_markdown.page),
    GraphProjection(),
    LogProjection(),
    ProposalsProjection(),
    RealityProjection(reality_markdown, findings_of),
    RecordsProjection(),
    RunsProjection(),
    SummaryProjection(markdown.summary),
    TimelineProjection(),
    TruthMapProjection(),
)

ALL: Final[Mapping[str, Projection[Any]]] = MappingProxyType(
    {projection.name: projection for projection in sorted(_PROJECTIONS, key=lambda one: one.name)}
)
"""Name → projection, in byte order."""

AFTER_SCAN: Final = ("event-log", "graph", "records", "runs", "summary")
"""The views that a scan leaves behind; the others are made when they are asked for."""
