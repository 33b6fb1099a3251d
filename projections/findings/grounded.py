"""Findings that something may be concluded from: each rests on records, and nobody asked not to be told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from t2c.projections.base import Inputs
from t2c.projections.diagnostics.messages import Language
from t2c.projections.diagnostics.model import severe
from t2c.projections.facts import Facts
from t2c.projections.findings import read
from t2c.projections.findings.model import Shown

__all__ = ["grounded", "upheld"]


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


def upheld(conclusions: Sequence[dict[str, Any]], inputs: Inputs) -> Iterator[dict[str, Any]]:
    """Those conclusions that cite only findings and records that there still are, the more severe first, then by id."""
    if not conclusions:
        return
    records = Facts.of(inputs).records
    findings = {one.id for one in grounded(inputs)}
    for one in sorted(conclusions, key=_weight):
        if findings.issuperset(one["diagnosticIds"]) and records.keys() >= set(one["recordIds"]):
            yield one


def _weight(one: Mapping[str, Any]) -> tuple[int, str]:
    return -severe(one["severity"]), one["id"]
