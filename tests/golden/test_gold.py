"""Claims: each labelled case that counts is right in all that it says, and no figure falls below what was recorded.

Mutations seen to fail: the rule book of structure taken out; a forbidden pair added to a case; a case without a split;
a recorded figure raised by one.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
sys.path.insert(0, str(TESTS))

from quality.cases import TYPES, diagnostics_cases, found_in, linking_cases
from quality.gold import findings_tally, is_met, judged, shown, summed, tallied

from t2c.projections.diagnostics.model import CODES

LINKING, DIAGNOSTICS = linking_cases(), diagnostics_cases()
RECORDED = json.loads((TESTS / "data" / "quality" / "gold.json").read_text())


@pytest.mark.parametrize("case", [one for one in LINKING if one.knownGap is None], ids=lambda one: one.id)
def test_relations_of_a_case_are_right(case) -> None:  # type: ignore[no-untyped-def]
    assert judged(case).is_right, shown(case)


@pytest.mark.parametrize("case", [one for one in DIAGNOSTICS if one.knownGap is None], ids=lambda one: one.id)
def test_findings_of_a_case_are_right(case) -> None:  # type: ignore[no-untyped-def]
    assert is_met(case), sorted(found_in(case))


def test_no_type_of_relation_falls_below_what_was_recorded() -> None:
    tallies = tallied(map(judged, LINKING))
    for kind, row in RECORDED["linking"]["types"].items():
        assert tallies[kind].right >= row["all"]["right"], kind
        assert tallies[kind].wrong <= row["all"]["wrong"], kind
    total, before = summed(tallies.values()), RECORDED["linking"]["total"]["all"]
    assert (total.precision, total.recall) >= (before["precision"] - 1e-4, before["recall"] - 1e-4)


def test_no_code_of_findings_falls_below_what_was_recorded() -> None:
    tallies = findings_tally(DIAGNOSTICS)
    for code, row in RECORDED["diagnostics"]["codes"].items():
        assert tallies[code].right >= row["all"]["right"], code
        assert tallies[code].wrong <= row["all"]["wrong"], code


def test_there_are_cases_for_and_against_each_type_of_relation() -> None:
    wanted = Counter(edge.type for case in LINKING for edge in case.expected)
    refused = Counter(kind for case in LINKING if case.forbidden for kind in [case.id.partition("/")[0]])
    assert {kind: (wanted[kind] >= 3, refused[kind] >= 2) for kind in TYPES} == dict.fromkeys(
        TYPES, (True, True)
    )
    assert sum(bool(case.expected) for case in LINKING) >= 250
    assert sum(len(case.forbidden) for case in LINKING) >= 150


def test_there_are_cases_for_and_against_each_code() -> None:
    wanted = Counter(one.code for case in DIAGNOSTICS for one in case.expected)
    assert set(wanted) == set(CODES)
    refused = Counter(one.code for case in DIAGNOSTICS for one in case.forbidden)
    assert len(set(refused)) >= 17
    assert len(DIAGNOSTICS) >= 60


def test_labels_are_those_of_records_and_edges_have_types() -> None:
    for case in LINKING:
        labels = [row["label"] for row in case.records]
        assert len(set(labels)) == len(labels), case.id
        assert all({edge.source, edge.to} <= set(labels) for edge in (*case.expected, *case.forbidden)), (
            case.id
        )
        assert all(edge.type in TYPES for edge in case.expected), case.id
        assert case.expected or case.forbidden, case.id
    for finding in DIAGNOSTICS:
        known = {row["label"] for row in (*finding.records, *finding.before)} | {"graph"}
        assert {one.record for one in (*finding.expected, *finding.forbidden)} <= known, finding.id


def test_each_repository_is_for_tuning_or_held_out_and_ids_are_unique() -> None:
    cases = (*LINKING, *DIAGNOSTICS)
    assert len({case.id for case in cases}) == len(cases)
    splits: dict[str, set[str]] = {}
    for case in cases:
        splits.setdefault(case.origin.partition(" ")[0], set()).add(case.split)
    assert all(len(found) == 1 for found in splits.values()), splits
    assert set().union(*splits.values()) == {"tuning", "held-out"}
    assert all(case.knownGap is None or len(case.knownGap) > 20 for case in cases)
