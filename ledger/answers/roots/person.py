"""What goes to the person: their words shaped, a block reported, a question asked.

What a docstring or a `description` says here is what the model reads in its schema.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from t2c.ledger.answers.roots.base import Answer

__all__ = ["Assumption", "Blocked", "BlockedKind", "Question", "Shaped"]


class Assumption(Answer):
    """Where the person's words came from, and the question that settles it."""

    words: str = Field(description="The words assumed.")
    from_: str = Field(alias="from", description="What they were assumed from.")
    question: str = Field(description="The question that would settle them.")


class Shaped(Answer):
    """The person's words shaped into the spec's language."""

    proposal: str = Field(description="The text proposed for the field.")
    assumptions: tuple[Assumption, ...] = Field(description="What was assumed.")
    questions: tuple[str, ...] = Field(description="What to ask the person.")
    language: str = Field(description="The language written in.")
    back_translation: str = Field(description="The proposal back in the person's own words.")


class BlockedKind(StrEnum):
    """Why an attempt cannot go on, as its evidence shows.

    - `refused`: a call it needs was refused.
    - `spec_conflict`: the spec contradicts itself or the code.
    - `wrong_test`: a frozen test contradicts the spec.
    - `needs_information`: only the person can say.
    """

    REFUSED = "refused"
    SPEC_CONFLICT = "spec_conflict"
    WRONG_TEST = "wrong_test"
    NEEDS_INFORMATION = "needs_information"


class Blocked(Answer):
    """A `report_blocked` call: the honest exit, checked against its evidence."""

    kind: BlockedKind = Field(description="Why it cannot go on.")
    evidence: str = Field(description="What shows it: the spec text, the test, the refused call.")
    reason: str = Field(description="The reason, for the person.")


class Question(Answer):
    """An `ask_person` call."""

    question: str = Field(description="One question.")
