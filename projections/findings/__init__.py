"""Findings that a person can use: what diagnostics say, grouped by cause, ranked, and less what is suppressed.

`findings.json` is the whole, `findings.md` the first page of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from t2c.ledger.journal.entry import Entry
from t2c.projections.base import Artifacts, Inputs, pretty
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.messages import Language
from t2c.projections.facts import SEVERITIES, Facts
from t2c.projections.findings.model import SCHEMA, Group, Shown, Suppression, grouped, shown

__all__ = ["Decided", "FindingsProjection", "document", "read", "suppressions_of"]


class _Granted(msgspec.Struct, frozen=True):
    finding: str | None
    cause: str | None
    reason: str
    expires: str | None


class _Withdrawn(msgspec.Struct, frozen=True):
    suppression: str


class Decided(msgspec.Struct):
    """`suppressions`: id of the event that granted one → what it says; withdrawn ones are gone."""

    suppressions: dict[str, Suppression] = {}


_granted = msgspec.json.Decoder(_Granted).decode
_withdrawn = msgspec.json.Decoder(_Withdrawn).decode


Page = Callable[[Sequence[Group], Mapping[str, int]], str]
"""Groups and counts → a page for people."""


class FindingsProjection:
    """`findings.json` and `findings.md`."""

    def __init__(self, page: Page) -> None:
        self._page: Final = page

    name = "findings"
    version = 1
    inputs: tuple[str, ...] = ("diagnostics", "graph", "records", "timeline")
    handles = frozenset({"suppression.granted", "suppression.withdrawn"})
    state_type = Decided

    def start(self) -> Decided:
        return Decided()

    def step(self, state: Decided, entry: Entry) -> None:
        if entry.type == "suppression.withdrawn":
            state.suppressions.pop(_withdrawn(entry.data).suppression, None)
            return
        granted = _granted(entry.data)
        state.suppressions[entry.id] = Suppression(
            event=entry.id,
            seq=entry.seq,
            ts=entry.ts,
            by=str(entry.actor),
            finding=granted.finding,
            cause=granted.cause,
            reason=granted.reason,
            expires=granted.expires,
        )

    def finish(self, state: Decided, inputs: Inputs) -> Artifacts:
        found = read(state, inputs)
        groups = grouped(one for one in found if one.suppressed is None)
        whole = document(found, groups, inputs.ts)
        return {"findings.json": pretty(whole), "findings.md": self._page(groups, whole["counts"]).encode()}


def suppressions_of(state: Decided) -> Sequence[Suppression]:
    """Those that were granted and not withdrawn, the oldest first."""
    return sorted(state.suppressions.values(), key=lambda one: one.seq)


def read(state: Decided, inputs: Inputs, language: Language = "en") -> list[Shown]:
    """Every finding in words, those that are suppressed marked."""
    return shown(findings_of(inputs), Facts.of(inputs), suppressions_of(state), inputs.ts, language)


def document(found: Sequence[Shown], groups: Sequence[Group], ts: str) -> dict[str, Any]:
    """`t2c.findings/v1`: groups of what is told, what is suppressed apart, and the counts of both."""
    told = Counter(one.severity for one in found if one.suppressed is None)
    return {
        "schema": SCHEMA,
        "generatedAt": ts,
        "counts": {
            **{severity: told[severity] for severity in SEVERITIES},
            "groups": len(groups),
            "suppressed": sum(one.suppressed is not None for one in found),
        },
        "groups": [msgspec.to_builtins(group) for group in groups],
        "suppressed": [msgspec.to_builtins(one) for one in found if one.suppressed is not None],
    }
