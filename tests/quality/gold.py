"""Labelled cases: which relations and findings are right, and how many of them the product draws.

    python tests/quality/gold.py [--json FILE] [--case ID] [--no-ablation]

A linking case holds a few records as extractors make them, and says which relations between them are right
(`expected`), which pairs must not be related (`forbidden`, in either direction, of a type or of any) and which may be
either way (`allowed`). Whatever else is drawn counts as wrong. A diagnostics case says which finding is right or
forbidden for which record, `graph` for one about no record. Cases that are failed with a reason (`knownGap`) are
scored apart.

Cases are made of public repositories and are written before it is looked at what is drawn; prose in them is our own,
after a situation in the repository that `origin` names. `split` goes by repository: rules may be tuned on `tuning` and never on `held-out`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quality import stamp
from quality.cases import (
    TYPES,
    DiagnosticsCase,
    Edge,
    LinkingCase,
    bodies,
    diagnostics_cases,
    drawn_between,
    found_in,
    linking_cases,
)
from t2c.ledger.linking import linker
from t2c.ledger.linking.registry import BOOKS
from t2c.projections.diagnostics.model import CODES

BINS: Final = 10
SPLITS: Final = ("tuning", "held-out")


class Tally(msgspec.Struct):
    """What was drawn and right, drawn and wrong, right and not drawn."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    @property
    def precision(self) -> float:
        return self.right / (self.right + self.wrong) if self.right + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


class Outcome(msgspec.Struct):
    """How one linking case went: what was drawn with its confidence and whether it is right, and what was not."""

    case: LinkingCase
    drawn: tuple[tuple[Edge, float, bool], ...]
    missed: tuple[Edge, ...]
    violated: tuple[Edge, ...]

    @property
    def is_right(self) -> bool:
        return not self.missed and not self.violated and all(right for _, _, right in self.drawn)


def judged(case: LinkingCase) -> Outcome:
    """Link the records of a case and compare."""
    expected = {edge.key: edge for edge in case.expected}
    drawn = drawn_between(bodies(case.records))
    told = tuple(
        (edge, float(draft.confidence), edge.key in expected)
        for edge, draft in drawn
        if edge.key in expected or not any(one.is_between(*edge_ends(edge)) for one in case.allowed)
    )
    reached = {edge.key for edge, _ in drawn}
    return Outcome(
        case,
        told,
        tuple(edge for key, edge in expected.items() if key not in reached),
        tuple(one for one in case.forbidden if any(one.is_between(*edge_ends(edge)) for edge, _ in drawn)),
    )


def edge_ends(edge: Edge) -> tuple[str, str, str]:
    """The ends and the type of what was drawn."""
    return edge.source, edge.to, edge.type or ""


def tallied(outcomes: Iterable[Outcome]) -> dict[str, Tally]:
    """Counts by type of relation."""
    found: dict[str, Tally] = {kind: Tally() for kind in TYPES}
    for outcome in outcomes:
        for edge, _, is_right in outcome.drawn:
            tally = found[edge.type or ""]
            tally.right += is_right
            tally.wrong += not is_right
        for edge in outcome.missed:
            found[edge.type or ""].missed += 1
    return found


def summed(tallies: Iterable[Tally]) -> Tally:
    """One for all."""
    total = Tally()
    for one in tallies:
        total.right += one.right
        total.wrong += one.wrong
        total.missed += one.missed
    return total


def calibration_error(outcomes: Iterable[Outcome]) -> float:
    """How far confidences lie from the share that is right, the mean over relations, containment left out, of BINS bins."""
    bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for outcome in outcomes:
        for edge, confidence, is_right in outcome.drawn:
            if edge.type == "declares":
                continue
            bins[min(BINS - 1, int(confidence * BINS))].append((confidence, is_right))
    count = sum(map(len, bins.values()))
    apart = (abs(sum(sure for sure, _ in one) - sum(right for _, right in one)) for one in bins.values())
    return sum(apart) / count if count else 0.0


def without(book: str, cases: Sequence[LinkingCase]) -> Tally:
    """The same with one rule book taken away."""
    kept = linker.BOOKS
    linker.BOOKS = tuple(one for one in kept if one.name != book)  # type: ignore[misc]
    try:
        return summed(tallied(map(judged, cases)).values())
    finally:
        linker.BOOKS = kept  # type: ignore[misc]


def findings_tally(cases: Iterable[DiagnosticsCase]) -> dict[str, Tally]:
    """Counts by code: what was expected and found, expected and not found, forbidden and found."""
    found = {code: Tally() for code in CODES}
    for case in cases:
        said = found_in(case)
        for one in case.expected:
            is_there = (one.record, one.code) in said
            found[one.code].right += is_there
            found[one.code].missed += not is_there
        for one in case.forbidden:
            found[one.code].wrong += (one.record, one.code) in said
    return found


def report(*, ablate: bool = True) -> dict[str, Any]:
    """All figures: of the cases that count, and with those that are known to fail."""
    cases, findings = linking_cases(), diagnostics_cases()
    outcomes = [judged(case) for case in cases]
    counted = [one for one in outcomes if one.case.knownGap is None]
    gaps = [one for one in outcomes if one.case.knownGap is not None]
    told = [case for case in findings if case.knownGap is None]
    return {
        "linking": {
            "cases": len(cases),
            "positive": sum(bool(case.expected) for case in cases),
            "expected": sum(len(case.expected) for case in cases),
            "forbidden": sum(len(case.forbidden) for case in cases),
            "counted": len(counted),
            "violated": sum(len(one.violated) for one in counted),
            "violated_in_gaps": sum(len(one.violated) for one in gaps),
            "types": {
                kind: {"counted": figures(tally), "all": figures(whole)}
                for (kind, tally), whole in zip(
                    tallied(counted).items(), tallied(outcomes).values(), strict=True
                )
            },
            "total": both(counted, outcomes),
            "total_without_declares": both(counted, outcomes, frozenset({"declares"})),
            "splits": {
                name: both(
                    [one for one in counted if one.case.split == name],
                    [one for one in outcomes if one.case.split == name],
                )
                for name in SPLITS
            },
            "calibration_error": round(calibration_error(outcomes), 4),
            "decided": decided(outcomes),
            "gaps": [
                {"id": one.case.id, "why": one.case.knownGap, "right": one.is_right, "violated": len(one.violated)}
                for one in gaps
            ],
        },
        "without": {
            book: figures(without(book, [one.case for one in counted]))
            for book in sorted({one.name for one in BOOKS})
        } if ablate else {},
        "diagnostics": {
            "cases": len(findings),
            "counted": len(told),
            "expected": sum(len(case.expected) for case in findings),
            "forbidden": sum(len(case.forbidden) for case in findings),
            "codes": {
                code: {"counted": figures(tally), "all": figures(whole)}
                for (code, tally), whole in zip(
                    findings_tally(told).items(), findings_tally(findings).values(), strict=True
                )
            },
            "gaps": [
                {"id": case.id, "why": case.knownGap, "right": is_met(case)}
                for case in findings if case.knownGap is not None
            ],
        },
    }  # fmt: skip


def both(
    counted: Sequence[Outcome], outcomes: Sequence[Outcome], left_out: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Sums over types, of the cases that count and of all."""
    return {
        name: figures(summed(tally for kind, tally in tallied(of).items() if kind not in left_out))
        for name, of in (("counted", counted), ("all", outcomes))
    }


def decided(outcomes: Iterable[Outcome]) -> float:
    """The share of expected relations, containment left out, that something is drawn for: not abstained from."""
    expected = drawn = 0
    for outcome in outcomes:
        reached = {(edge.source, edge.type) for edge, _, _ in outcome.drawn}
        for edge in outcome.case.expected:
            if edge.type != "declares":
                expected += 1
                drawn += (edge.source, edge.type) in reached
    return round(drawn / expected, 4) if expected else 0.0


def is_met(case: DiagnosticsCase) -> bool:
    """Whether all that is expected is found and nothing that is forbidden."""
    said = found_in(case)
    return all((one.record, one.code) in said for one in case.expected) and not any(
        (one.record, one.code) in said for one in case.forbidden
    )


def figures(tally: Tally) -> dict[str, Any]:
    """A tally as JSON."""
    return {
        "right": tally.right, "wrong": tally.wrong, "missed": tally.missed,
        "precision": round(tally.precision, 4), "recall": round(tally.recall, 4),
    }  # fmt: skip


def shown(case: LinkingCase) -> str:
    """A case and how it went, for whoever looks into it."""
    outcome = judged(case)
    lines = [f"{case.id} ({case.origin}): {'right' if outcome.is_right else 'WRONG'}"]
    for edge, sure, is_right in outcome.drawn:
        lines.append(f"  {'+' if is_right else '!'} {edge.source} {edge.type} {edge.to} ({sure})")
    lines += [f"  - missed: {edge.source} {edge.type} {edge.to}" for edge in outcome.missed]
    lines += [f"  - forbidden: {edge.source} {edge.type or 'any'} {edge.to}" for edge in outcome.violated]
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 where a forbidden pair is related."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--json", type=Path)
    parser.add_argument("--case", help="show one case, or with `wrong` all that fail")
    parser.add_argument("--no-ablation", action="store_true")
    given = parser.parse_args(arguments)
    if given.case:
        for case in linking_cases():
            if case.id == given.case or (given.case == "wrong" and not judged(case).is_right):
                print(shown(case) + (f"  gap: {case.knownGap}" if case.knownGap else ""))
        for finding in diagnostics_cases():
            if finding.id == given.case or (given.case == "wrong" and not is_met(finding)):
                print(finding.id, sorted(found_in(finding)), finding.knownGap or "")
        return 0
    found = report(ablate=not given.no_ablation)
    if given.json:
        stamped = {"made": stamp("python tests/quality/gold.py --json FILE"), **found}
        given.json.write_text(json.dumps(stamped, indent=1) + "\n")
    linking = found["linking"]
    print(
        f"{linking['counted']} of {linking['cases']} linking cases count, {len(linking['gaps'])} are known gaps"
    )
    print(
        f"{linking['violated']} of {linking['forbidden']} forbidden pairs related, {linking['violated_in_gaps']} more in gaps"
    )
    for kind, row in (*linking["types"].items(), ("all", linking["total"])):
        print(f"  {kind}: {told(row['counted'])}; with gaps {told(row['all'])}")
    print(f"  calibration error {linking['calibration_error']}, decided {linking['decided']}")
    for code, row in found["diagnostics"]["codes"].items():
        print(f"  {code}: {told(row['counted'])}; with gaps {told(row['all'])}")
    return int(linking["violated"] > 0)


def told(row: dict[str, Any]) -> str:
    """A tally in words."""
    return f"{row['right']} right, {row['wrong']} wrong, {row['missed']} missed"


if __name__ == "__main__":
    sys.exit(main())
