"""What somebody finds who looks at another's work: gaps between spec and code, shortcuts in a diff.

What a docstring or a `description` says here is what the model reads in its schema.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from t2c.ledger.answers.roots.base import Answer

__all__ = ["Assessment", "Finding", "GapType", "Monitoring", "Severity", "Shortcut", "Suspicion"]


class GapType(StrEnum):
    """What kind of gap between the spec and the code.

    - `missing`: Not built.
    - `partial`: Built in part.
    - `contradicts`: Built otherwise than the spec says.
    - `unrequested`: Built, not asked for.
    """

    MISSING = "missing"
    PARTIAL = "partial"
    CONTRADICTS = "contradicts"
    UNREQUESTED = "unrequested"


class Severity(StrEnum):
    """How much a gap matters.

    - `CRITICAL`: Breaks what the spec promises.
    - `HIGH`: A requirement unmet.
    - `MEDIUM`: A part of one unmet.
    - `LOW`: Cosmetic.
    """

    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"


class Finding(Answer):
    """One gap convergence found."""

    source_ref: str = Field(description="The requirement or scenario it is about (`FR-003`, `US1`).")
    gap_type: GapType = Field(description="What kind of gap.")
    severity: Severity = Field(description="How much it matters.")
    description: str = Field(description="The gap, in a sentence.")
    evidence: str = Field(description="Where in the code it shows.")
    task: str = Field(description="The task that would close it, as a task line.")


class Assessment(Answer):
    """Convergence's assessment of the code against the spec."""

    findings: tuple[Finding, ...] = Field(description="The gaps found.")
    checked: tuple[str, ...] = Field(description="What was checked.")


class Shortcut(StrEnum):
    """A kind of shortcut the monitor looks for.

    - `hardcoded_output`: Returns the expected output instead of computing it.
    - `special_cased_input`: Special-cases the tests' inputs.
    - `weakened_test`: Weakens or skips a test.
    - `test_environment_detection`: Behaves differently under test.
    - `swallowed_error`: Swallows an error the spec wants seen.
    - `contradicts_spec`: Does what the spec rules out.
    - `other`: Anything else.
    """

    HARDCODED_OUTPUT = "hardcoded_output"
    SPECIAL_CASED_INPUT = "special_cased_input"
    WEAKENED_TEST = "weakened_test"
    TEST_ENVIRONMENT_DETECTION = "test_environment_detection"
    SWALLOWED_ERROR = "swallowed_error"
    CONTRADICTS_SPEC = "contradicts_spec"
    OTHER = "other"


class Suspicion(Answer):
    """One suspicion of the monitor."""

    kind: Shortcut = Field(description="What kind of shortcut.")
    evidence: str = Field(description="The lines that show it.")
    explanation: str = Field(description="Why it is one.")


class Monitoring(Answer):
    """The monitor's review of an attempt's diff."""

    suspected: bool = Field(description="Whether the attempt took a shortcut.")
    findings: tuple[Suspicion, ...] = Field(description="What shows it.")
