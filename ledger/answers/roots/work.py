"""How work went or would go: an attempt's report, a proposal, a hosted skill's report, approaches to choose from.

What a docstring or a `description` says here is what the model reads in its schema.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from t2c.ledger.answers.roots.base import Answer

__all__ = ["Approach", "AttemptReport", "Explored", "Hosted", "Proposal", "Status"]


class Status(StrEnum):
    """Whether an attempt or a hosted skill finished its work.

    - `done`: The work is finished.
    - `incomplete`: Part of it is left undone.
    """

    DONE = "done"
    INCOMPLETE = "incomplete"


class AttemptReport(Answer):
    """An attempt's closing report: the model's claim, never its verdict."""

    summary: str = Field(description="What was done, in a sentence or two.")
    status: Status = Field(
        description="done: this task's work is finished — even while tests that later tasks make pass still fail."
        " incomplete: part of this task is left undone."
    )
    files_changed: tuple[str, ...] = Field(description="The files changed.")
    checks_run: tuple[str, ...] = Field(description="The checks run, as commands.")
    notes: tuple[str, ...] = Field(description="Anything the reviewer should know.")


class Proposal(Answer):
    """How a task would be done; recorded, never executed."""

    summary: str = Field(description="The approach in a sentence or two.")
    steps: tuple[str, ...] = Field(description="The steps, in order.")
    files: tuple[str, ...] = Field(description="The files expected to change.")
    checks: tuple[str, ...] = Field(description="The checks that would show it works.")
    risks: tuple[str, ...] = Field(description="What is unclear or risky.")


class Hosted(Answer):
    """A hosted planning skill's closing report."""

    summary: str = Field(description="What was written, in a sentence or two.")
    status: Status = Field(description="Whether the skill finished.")
    files_written: tuple[str, ...] = Field(description="The files written.")
    questions: tuple[str, ...] = Field(description="What is left to ask the person.")


class Approach(Answer):
    """One way to build an idea."""

    title: str = Field(description="Its name.")
    summary: str = Field(description="What it is.")
    tradeoffs: tuple[str, ...] = Field(description="What it gives and costs.")
    risks: tuple[str, ...] = Field(description="What could go wrong.")


class Explored(Answer):
    """An exploration's closing report: approaches for the person to choose."""

    summary: str = Field(description="The idea, as understood.")
    status: Status = Field(description="Whether exploring finished.")
    approaches: tuple[Approach, ...] = Field(description="Approaches that differ in kind, not degree.")
    constraints: tuple[str, ...] = Field(description="What any approach must respect.")
    open_questions: tuple[str, ...] = Field(description="What is still open.")
