"""Statements that take more than one block: scenarios, and the specification items of OpenFastTrace."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from msgspec import Struct, field

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.docs.blocks import Text

__all__ = ["Scenario", "Specified"]

_ATTRIBUTE: Final = re.compile(
    r"\W{0,3}(needs|covers|tags|status|depends|rationale|comment)\W{0,2}:\W{0,3}(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_IDS: Final = re.compile(r"\b[a-z]{2,12}~[\w.-]{1,100}(?:~\d{1,6})?")
_LISTED: Final = re.compile(r"[\w-]{1,40}")


class Scenario(Struct):
    """A scenario whose steps are being read."""

    name: str
    block: Text
    steps: list[Text] = field(default_factory=list)

    def block_of(self) -> Text:
        """Its steps as one block; that of its heading if it has none."""
        if not self.steps:
            return Text("paragraph", (self.name,), self.block.start, self.block.end, raw=self.block.raw)
        lines = tuple(line for step in self.steps for line in step.lines)
        raw = "\n".join(step.raw for step in self.steps)
        return Text("paragraph", lines, self.steps[0].start, self.steps[-1].end, raw=raw)


class Specified(Struct):
    """A specification item: its id, and the attributes that follow its statement.

    These go into the draft after it was made, which is safe as long as the file is being read: nobody has it yet.
    """

    identifier: str
    title: str
    block: Text
    metadata: dict[str, Any] = field(default_factory=dict)
    draft: Draft | None = None
    covering: bool = False

    def take(self, block: Text) -> bool:
        """True if a block is an attribute of the item, which is then kept."""
        match = _ATTRIBUTE.match(block.text)
        if match is None:
            if self.covering and (covered := _IDS.findall(block.text)):
                self._keep("covers", covered)
                return True
            self.covering = False
            return False
        name = match[1].lower()
        self.covering = name in ("covers", "depends")
        if name in ("covers", "depends"):
            self._keep("covers", _IDS.findall(match[2]))
        elif name == "status":
            self._put("itemStatus", match[2].strip().lower()[:40])
        elif name in ("needs", "tags"):
            self._keep(name, _LISTED.findall(match[2]))
        return name not in ("rationale", "comment")

    def settle(self, draft: Draft) -> None:
        """The statement was found; attributes that follow still belong to it."""
        self.draft = draft

    def _keep(self, name: str, values: list[str]) -> None:
        held = [*self.metadata.get(name, ()), *values]
        self._put(name, held)

    def _put(self, name: str, value: Any) -> None:
        self.metadata[name] = value
        if self.draft is not None:
            cast("dict[str, Any]", self.draft.metadata)[name] = value
