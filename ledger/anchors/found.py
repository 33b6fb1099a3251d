"""What a place outside the journal holds of one ledger: its anchors, and what was left aside."""

from __future__ import annotations

from typing import NamedTuple

from t2c.ledger.anchors.base import Anchor

__all__ = ["Found", "Remark"]


class Remark(NamedTuple):
    """Something that was found and not compared: why, how many there are, and the first of them in words."""

    reason: str
    number: int
    detail: str

    @property
    def said(self) -> str:
        """The remark as a sentence."""
        return self.detail if self.number == 1 else f"{self.detail} (1 of {self.number:,})"


class Found(NamedTuple):
    """The anchors of one ledger and remarks on all else, at most one for each reason from Git.

    `others` are the origins of the anchors of other ledgers, one for each; `elsewhere` are anchors of this one in
    notes on commits outside the history of HEAD. `doubts` are sentences on what the anchors do not show.
    """

    anchors: tuple[Anchor, ...]
    remarks: tuple[Remark, ...]
    others: tuple[str, ...] = ()
    elsewhere: tuple[Anchor, ...] = ()
    doubts: tuple[str, ...] = ()
