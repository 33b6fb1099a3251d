"""Which new record took the place of one that is gone: moved elsewhere, or said in other words.

A guess that is not clear is not made: the retraction then names no successor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Any, Final, NamedTuple

from t2c.ledger.kernel.ids import normalised

__all__ = ["Successor", "lineage"]

_ALIKE: Final = 0.6
"""Share of matching text above which two statements of one place count as one reworded."""
_PAIRS: Final = 2_500
"""Comparisons of text at most in one place; beyond it nothing is guessed there."""
_COMPARED: Final = 400
"""Characters of a statement that are compared."""


class Successor(NamedTuple):
    id: str
    why: str


def lineage(removed: Iterable[dict[str, Any]], added: Iterable[dict[str, Any]]) -> dict[str, Successor]:
    """For each removed record (in full) the added one that took its place, where that is clear.

    In this order: the same explicit id; the same statement or symbol in another place; in the same place the
    statement most alike, if each is the other's best.
    """
    gone = {record["id"]: record for record in removed}
    new = {record["id"]: record for record in added}
    found: dict[str, Successor] = {}
    for key_of, why in ((_explicit, "reworded"), (_statement, "relocated")):
        for old, successor in _unique_pairs(gone.values(), new.values(), key_of):
            found[old] = Successor(successor, why)
            del gone[old], new[successor]
    for old, successor in _alike(gone.values(), new.values()):
        found[old] = Successor(successor, "reworded")
    return found


def _explicit(record: dict[str, Any]) -> tuple[str, ...] | None:
    explicit = record["metadata"].get("explicitId")
    return None if not explicit else (record["source"]["kind"], str(explicit))


def _statement(record: dict[str, Any]) -> tuple[str, ...] | None:
    source = record["source"]
    if source["revision"] is not None:
        return None
    says = source["symbol"] or normalised(record["statement"]["text"])
    return (source["kind"], record["statement"]["kind"], says)


def _unique_pairs(
    gone: Iterable[dict[str, Any]], new: Iterable[dict[str, Any]], key_of: Any
) -> list[tuple[str, str]]:
    sides: dict[tuple[str, ...], tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    for side, records in enumerate((gone, new)):
        for record in records:
            key = key_of(record)
            if key is not None:
                sides[key][side].append(record["id"])
    return [(before[0], after[0]) for before, after in sides.values() if len(before) == 1 and len(after) == 1]


def _alike(gone: Iterable[dict[str, Any]], new: Iterable[dict[str, Any]]) -> list[tuple[str, str]]:
    places: dict[tuple[str, ...], tuple[list[dict[str, Any]], list[dict[str, Any]]]] = defaultdict(
        lambda: ([], [])
    )
    for side, records in enumerate((gone, new)):
        for record in records:
            source = record["source"]
            if source["symbol"] is None and source["revision"] is None:
                place = (source["kind"], source["path"] or "", *record["metadata"]["anchor"]["trail"])
                places[place][side].append(record)
    found: list[tuple[str, str]] = []
    for before, after in places.values():
        if before and after and len(before) * len(after) <= _PAIRS:
            found += _best_pairs(before, after)
    return found


def _best_pairs(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[str, str]]:
    scored: list[tuple[float, str, str]] = []
    matcher = SequenceMatcher(autojunk=False)
    olds = [(old["id"], _compared(old)) for old in before]
    for new in after:
        matcher.set_seq2(_compared(new))
        for old_id, text in olds:
            matcher.set_seq1(text)
            if matcher.real_quick_ratio() >= _ALIKE and matcher.quick_ratio() >= _ALIKE:
                ratio = matcher.ratio()
                if ratio >= _ALIKE:
                    scored.append((-ratio, old_id, new["id"]))
    used: set[str] = set()
    pairs: list[tuple[str, str]] = []
    for _, old_id, new_id in sorted(scored):
        if old_id not in used and new_id not in used:
            used |= {old_id, new_id}
            pairs.append((old_id, new_id))
    return pairs


def _compared(record: dict[str, Any]) -> str:
    return normalised(record["statement"]["text"])[:_COMPARED]
