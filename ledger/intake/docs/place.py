"""Where in a document its reader stands: the headings around, and what they make of the text."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.docs.blocks import Text
from t2c.ledger.intake.docs.decisions import decides
from t2c.ledger.intake.docs.openspec import delta_of
from t2c.ledger.intake.docs.requirements import Named, named
from t2c.ledger.intake.docs.sections import Section, recurs, section_of
from t2c.ledger.intake.text import fold

__all__ = ["Above", "Place"]

_LEAD: Final = 200
"""Characters of the sentence before a list, from its end."""


class Above(NamedTuple):
    """A heading around the place that is being read."""

    level: int
    text: str
    line: int


class Place(Struct):
    """The place that is being read.

    `accepted`: the document records a decision in force, `deciding`: this is the section that tells it. `under` is
    the requirement that a heading around names, `detail` says that no nearer heading plans, `delta` is the OpenSpec section, `done` says that things done are listed.
    """

    accepted: bool
    above: list[Above] = field(default_factory=list)
    trail: tuple[str, ...] = ()
    section: Section | None = None
    done: bool = False
    under: Named | None = None
    detail: bool = False
    delta: str | None = None
    deciding: bool = False
    _lead: str = ""

    @property
    def innermost(self) -> Above | None:
        """The nearest heading."""
        return self.above[-1] if self.above else None

    def leave(self, level: int) -> tuple[str, ...]:
        """Leave every section that a heading of this level ends; the trail that remains."""
        while self.above and self.above[-1].level >= level:
            self.above.pop()
        return tuple(above.text for above in self.above)

    def enter(self, heading: Above, *, in_plan: bool) -> None:
        """Enter the section of a heading. The innermost heading that says anything decides what the text is."""
        self._lead = ""
        self.above.append(heading)
        self.trail = tuple(above.text for above in self.above)
        self.section, self.done, self.delta, self.under = None, False, None, None
        self.detail = False
        for above in reversed(self.above):
            if self.under is None and (sign := named(above.text)) and not sign.scenario:
                self.under = sign
                self.detail = self.section is None
            self.delta = self.delta or delta_of(above.text)
            section = section_of(above.text)
            if section == "done":
                self.done = self.done or self.section is None
            elif section is not None and self.section is None:
                self.section = section
        if self.section == "closed" or (self.done and self.section is None and not in_plan):
            self.section, self.done = None, False
        elif self.done and self.section is None:
            self.section = "strong"
        self.deciding = self.accepted and decides(fold(heading.text))

    def follow(self, block: Text) -> None:
        """Keep a sentence that ends in a colon: it says what the list below it is."""
        if block.kind == "paragraph" and not block.depth:
            self._lead = block.text[-_LEAD:] if block.text.rstrip("*_ ").endswith(":") else ""

    def recurs(self, *, in_guide: bool) -> bool:
        """Whether the list that is being read is gone through again each time."""
        return any(recurs(above.text, in_guide=in_guide) for above in self.above) or (
            self._lead != "" and recurs(self._lead, in_guide=in_guide)
        )
