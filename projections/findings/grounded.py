"""Findings that something may be concluded from: each rests on records, and nobody asked not to be told."""

from __future__ import annotations

from collections.abc import Sequence

from t2c.projections.base import Inputs
from t2c.projections.diagnostics.messages import Language
from t2c.projections.diagnostics.model import severe
from t2c.projections.findings import read
from t2c.projections.findings.model import Shown

__all__ = ["grounded"]


def grounded(inputs: Inputs, language: Language = "en") -> Sequence[Shown]:
    """The findings with records, but for those that are suppressed, the gravest first; ALIGNED finds nothing.

    Reads the folded states of diagnostics, findings, graph, records and timeline.
    """
    found = [
        one
        for one in read(inputs.states["findings"], inputs, language)
        if one.suppressed is None and one.recordIds and one.code != "ALIGNED"
    ]
    return sorted(found, key=lambda one: (-severe(one.severity), -one.weight, one.id))
