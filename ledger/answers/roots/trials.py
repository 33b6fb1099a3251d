"""Tests and what tests are tried on: variants of the code, acceptance tests, reproductions, held-out tests, a review.

What a docstring or a `description` says here is what the model reads in its schema.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar, Final

from pydantic import Field

from t2c.ledger.answers.roots.base import Answer

__all__ = [
    "Acceptance", "Expectation", "File", "HeldOut", "HeldOutFile", "NearMissKind", "NearMissVariant",
    "NearMissVariants", "Reproduction", "Reproductions", "Review", "ReviewFile", "SpecialCaseKind",
    "SpecialCaseVariant", "SpecialCaseVariants", "TestFile", "Untestable",
]  # fmt: skip

_PATH: Final = "Project-relative path."
_CONTENT: Final = "The whole content."
_SCENARIOS: Final = "The scenarios it checks."
_ARGV: Final = "The command that runs it."
_NOTES: Final = "Anything the reviewer should know."


class NearMissKind(StrEnum):
    """A near-miss variant is a wrong implementation the tests must fail, or a permitted one they must pass.

    - `wrong`: Wrong: the tests must fail on it.
    - `permitted`: Permitted by the spec: the tests must pass on it.
    """

    WRONG = "wrong"
    PERMITTED = "permitted"


class SpecialCaseKind(StrEnum):
    """A variant that special-cases the tests' inputs.

    - `special_case`: Passes the tests' inputs only.
    """

    SPECIAL_CASE = "special_case"


class File(Answer):
    """A file as written."""

    path: str = Field(description=_PATH)
    content: str = Field(description=_CONTENT)


class NearMissVariant(Answer):
    """One variant of the code under test."""

    kind: NearMissKind = Field(description="What kind of variant.")
    scenario: str = Field(description="The scenario it is about.")
    rationale: str = Field(description="Why it is wrong, or permitted.")
    files: tuple[File, ...] = Field(description="The files it replaces.")


class NearMissVariants(Answer):
    """Variants of the code that measure what the tests tell apart."""

    variants: tuple[NearMissVariant, ...] = Field(description="The variants.")
    notes: tuple[str, ...] = Field(description=_NOTES)


class SpecialCaseVariant(Answer):
    """One variant of the code under test."""

    kind: SpecialCaseKind = Field(description="What kind of variant.")
    scenario: str = Field(description="The scenario it is about.")
    rationale: str = Field(description="Why it is wrong, or permitted.")
    files: tuple[File, ...] = Field(description="The files it replaces.")


class SpecialCaseVariants(Answer):
    """Variants of the code that measure what the tests tell apart."""

    variants: tuple[SpecialCaseVariant, ...] = Field(description="The variants.")
    notes: tuple[str, ...] = Field(description=_NOTES)


class TestFile(Answer):
    """An acceptance test file and the scenarios it checks."""

    __test__: ClassVar[bool] = False  # its name makes pytest look at it

    path: str = Field(description=_PATH)
    content: str = Field(description=_CONTENT)
    scenarios: tuple[str, ...] = Field(description=_SCENARIOS)


class Acceptance(Answer):
    """The acceptance tests written before the code."""

    files: tuple[TestFile, ...] = Field(description="The test files.")
    argv: tuple[str, ...] = Field(description="The command that runs them.")
    notes: tuple[str, ...] = Field(description=_NOTES)


class Reproduction(Answer):
    """A reproduction of one statement of a bug."""

    path: str = Field(description=_PATH)
    content: str = Field(description=_CONTENT)
    statement: str = Field(description="The statement it reproduces (`E1`) or guards (`U1`).")
    test: str = Field(description="The test's name.")
    argv: tuple[str, ...] = Field(description=_ARGV)


class Reproductions(Answer):
    """A bug's reproductions."""

    files: tuple[Reproduction, ...] = Field(description="One file per statement.")
    notes: tuple[str, ...] = Field(description=_NOTES)


class HeldOutFile(Answer):
    """A held-out test file, never shown to the implementer."""

    path: str = Field(description=_PATH)
    content: str = Field(description=_CONTENT)
    scenarios: tuple[str, ...] = Field(description=_SCENARIOS)
    argv: tuple[str, ...] = Field(description=_ARGV)
    composition: bool = Field(description="Whether it checks the story's scenarios together.")


class HeldOut(Answer):
    """The held-out tests."""

    files: tuple[HeldOutFile, ...] = Field(description="The test files.")
    notes: tuple[str, ...] = Field(description=_NOTES)


class ReviewFile(Answer):
    """A test file the person reviews before any code."""

    path: str = Field(description=_PATH)
    content: str = Field(description=_CONTENT)
    scenarios: tuple[str, ...] = Field(description=_SCENARIOS)
    argv: tuple[str, ...] = Field(description=_ARGV)


class Expectation(Answer):
    """What a scenario's test expects, in the person's words."""

    scenario: str = Field(description="The scenario.")
    given: str = Field(description="The situation.")
    expect: str = Field(description="What must hold.")


class Untestable(Answer):
    """A scenario no test can check, and why."""

    scenario: str = Field(description="The scenario.")
    why: str = Field(description="Why no test can check it.")


class Review(Answer):
    """The tests for the person's review, with what each expects."""

    files: tuple[ReviewFile, ...] = Field(description="The test files.")
    argv: tuple[str, ...] = Field(description="The command that runs them.")
    notes: tuple[str, ...] = Field(description=_NOTES)
    expectations: tuple[Expectation, ...] = Field(description="What each scenario's test expects.")
    untestable: tuple[Untestable, ...] = Field(description="Scenarios no test can check.")
