"""Statements that contradict or repeat each other: CONFLICTING_INTENT, DUPLICATED_INTENT."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding
from t2c.projections.diagnostics.predicates import (
    is_prohibition,
    is_reported,
    is_sample,
    shortened,
)
from t2c.projections.diagnostics.view import View
from t2c.projections.facts import Fact

__all__ = ["SURE", "conflicting", "duplicated"]

SURE: Final = 0.75
"""The confidence of a contradiction below which it asks for a look and blocks nothing."""
_WORD: Final = re.compile(r"\w+")


def conflicting(view: View) -> Iterator[Finding]:
    """Two statements of which one forbids what the other wants, or code that does what a statement forbids."""
    for link in view.facts.relations:
        if link.relation.type != "contradicts":
            continue
        one, other = (view.facts.records[end] for end in sorted((link.relation.source, link.relation.to)))
        if any(
            is_sample(end.source.path) or is_reported(end.statement.text) or view.is_dropped(end)
            for end in (one, other)
        ):
            continue
        if other.source.kind == "ast" or (is_prohibition(other) and one.source.kind != "ast"):
            one, other = other, one
        message = "conflict.code" if one.source.kind == "ast" else "conflict.statements"
        said = {
            "one": shortened(other.statement.text), "one_at": other.where,
            "other": shortened(one.statement.text), "other_at": one.where,
        }  # fmt: skip
        records = tuple(sorted((one.id, other.id)))
        yield Finding(
            "CONFLICTING_INTENT",
            "|".join(records),
            "blocking" if link.relation.confidence >= SURE else "review_required",
            message,
            said,
            records,
            f"conflict:{other.id}",
            90,
            link.relation.confidence,
        )


def duplicated(view: View) -> Iterator[Finding]:
    """Open plans that say the same in several files, or word for word under the same headings: one finding for each group.

    What one file says again under another heading is how it is built: a step of each phase, a list of what was told.
    """
    root: dict[str, str] = {}
    for link in view.facts.relations:
        if link.relation.type == "duplicates":
            ends = (view.facts.records[link.relation.source], view.facts.records[link.relation.to])
            if all(_counts(view, end) for end in ends) and not _is_structure(*ends):
                first, second = sorted((_root(root, ends[0].id), _root(root, ends[1].id)))
                root[second] = first
                root.setdefault(first, first)
    groups: dict[str, list[str]] = {}
    for member in sorted(root):
        groups.setdefault(_root(root, member), []).append(member)
    for records in groups.values():
        texts = view.facts.records[records[0]]
        said = {
            "text": shortened(texts.statement.text), "count": f"{len(records):,}",
            "places": ", ".join(view.facts.records[one].where for one in records[:4]),
        }  # fmt: skip
        yield Finding(
            "DUPLICATED_INTENT",
            f"duplicates:{records[0]}",
            "info",
            "duplicated",
            said,
            tuple(records[:MAX_RECORDS]),
            f"duplicates:{records[0]}",
            15,
            0.8,
        )


def _is_structure(one: Fact, other: Fact) -> bool:
    return one.source.path == other.source.path and (
        _words(one) != _words(other) or _trail(one) != _trail(other)
    )


def _words(fact: Fact) -> list[str]:
    return _WORD.findall(fact.statement.text.casefold())


def _trail(fact: Fact) -> object:
    """The headings and the items around a statement."""
    anchor = fact.metadata.anchor
    return anchor.get("trail") if isinstance(anchor, dict) else None


def _counts(view: View, fact: Fact) -> bool:
    return (
        view.is_pending(fact)
        and not is_reported(fact.statement.text)
        and fact.statement.kind != "comment_marker"
        and not is_sample(fact.source.path)
        and view.details(fact).sample is not True
    )


def _root(root: dict[str, str], one: str) -> str:
    """The smallest known member of a group, with the way to it made short."""
    trail = []
    while root.get(one, one) != one:
        trail.append(one)
        one = root[one]
    root.update(dict.fromkeys(trail, one))
    return one
