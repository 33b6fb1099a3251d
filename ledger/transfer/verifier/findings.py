"""What a check has found: faults, what is proven, what is not."""

from __future__ import annotations

from typing import Any, NamedTuple

__all__ = ["Fault", "Findings", "Verdict", "joined"]

_MOST_NAMED = 100
"""Faults of one kind that are named one by one; the others are counted."""


class Fault(NamedTuple):
    """One thing that is wrong: a word for machines, the seq or file, a sentence."""

    kind: str
    where: str
    detail: str


class Verdict(NamedTuple):
    """`verdict` is sound, faulty, truncated or forked; the last two are proven by what the auditor holds.

    `sha256` is that of the manifest, which names every other file by its digest: the identity of the bundle.
    `partial` is True if the sender says that the ledger went on after `last`. `against` is what comparing it with
    another bundle found: how many events are the `same`, `upto` which seq, the first that `differs`, the `last` of
    this one and `its_last` of the other, and whether that `goes_on` further.
    """

    verdict: str
    faults: list[Fault]
    proven: list[str]
    unproven: list[str]
    ledger: str
    first: int
    last: int
    root: str
    head: str
    sha256: str
    withheld: int
    missing: int
    partial: bool
    against: dict[str, Any] | None = None

    @property
    def code(self) -> int:
        """The exit code: 0 sound, 1 faults, 5 truncated or forked."""
        return {"sound": 0, "faulty": 1}.get(self.verdict, 5)


class Findings:
    """Faults in the order in which they were met. `first_line` is the lowest seq of a faulty line."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self._counts: dict[str, int] = {}
        self.diverging = ""
        self.first_line: int | None = None

    def add(self, kind: str, where: str, detail: str) -> None:
        """Add a fault."""
        count = self._counts[kind] = self._counts.get(kind, 0) + 1
        if count <= _MOST_NAMED:
            self.faults.append(Fault(kind, where, detail))

    def line(self, kind: str, seq: int, detail: str) -> None:
        """Add a fault of a line."""
        if self.first_line is None or seq < self.first_line:
            self.first_line = seq
        self.add(kind, f"seq {seq}", detail)

    def diverge(self, verdict: str, where: str, detail: str) -> None:
        """Add what an anchor proves; `forked` outweighs `truncated`."""
        self.add(verdict, where, detail)
        if self.diverging != "forked":
            self.diverging = verdict

    def listed(self) -> list[Fault]:
        """All of them, and how many more there are of a kind that is named no further."""
        rest = {kind: count - _MOST_NAMED for kind, count in self._counts.items() if count > _MOST_NAMED}
        return self.faults + [
            Fault(kind, "", f"and {count:,} more of this kind") for kind, count in rest.items()
        ]


def joined(runs: list[list[int]]) -> list[list[int]] | None:
    """Runs [first, last] in order, neighbours joined; None if two overlap or one ends before it begins."""
    found: list[list[int]] = []
    for first, last in sorted(runs):
        if last < first or (found and first <= found[-1][1]):
            return None
        if found and first == found[-1][1] + 1:
            found[-1][1] = last
        else:
            found.append([first, last])
    return found
