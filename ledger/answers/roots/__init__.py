"""The fifteen answers that a model gives, one type each; the schema that it is held to comes from the type (answers §2).

An answer is a claim and never a verdict: it is `asserted`, and no member of it closes, completes or approves anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from t2c.ledger.answers.roots.base import Answer
from t2c.ledger.answers.roots.judging import Assessment, Monitoring
from t2c.ledger.answers.roots.person import Blocked, Question, Shaped
from t2c.ledger.answers.roots.trials import (
    Acceptance,
    HeldOut,
    NearMissVariants,
    Reproductions,
    Review,
    SpecialCaseVariants,
)
from t2c.ledger.answers.roots.work import AttemptReport, Explored, Hosted, Proposal

__all__ = ["FOLLOWS", "ROOTS", "TOOLS", "Answer"]

ROOTS: Final[Mapping[str, type[Answer]]] = MappingProxyType(
    {
        "attempt_report": AttemptReport,
        "proposal": Proposal,
        "assessment": Assessment,
        "monitoring": Monitoring,
        "shaped": Shaped,
        "near_miss_variants": NearMissVariants,
        "special_case_variants": SpecialCaseVariants,
        "hosted": Hosted,
        "explored": Explored,
        "acceptance": Acceptance,
        "reproductions": Reproductions,
        "held_out": HeldOut,
        "review": Review,
        "blocked": Blocked,
        "question": Question,
    }
)
"""The type of each answer by its name, in the order of the contract."""

TOOLS: Final[Mapping[str, str]] = MappingProxyType({"blocked": "report_blocked", "question": "ask_person"})
"""The answers that a model gives by calling a tool, each with the tool's name. All others close a conversation."""

FOLLOWS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "attempt_report": "the real diff beside the files named, both ways; the task's own gates, run by t2c",
        "proposal": "nothing runs; the files named are compared with the real ones afterwards",
        "assessment": "each finding: its reference is in the spec, its evidence in the tree, its task is a task line; tasks of "
        "those that hold are proposed by `t2c answers show`, and none becomes a task by itself",
        "monitoring": "the lines quoted are in the diff; a check that tells a shortcut apart, or a person, decides",
        "shaped": "a person approves the exact text; every assumption and question is answered or waived",
        "near_miss_variants": "each variant is run in a copy: the tests fail on a wrong one, pass on a permitted one",
        "special_case_variants": "each variant is run in a copy: visible tests pass on it, held-out tests fail",
        "hosted": "the files exist inside the allowed paths; what else was written is found by the diff",
        "explored": "nothing runs; a person chooses one approach, or none",
        "acceptance": "the tests fail before the work and pass after it; then they are frozen by hash",
        "reproductions": "on the buggy base `E` fails and `U` passes, and the test named is the one that ran",
        "held_out": "sealed away from the implementer; every prompt is looked at for leaks; run on the finished work",
        "review": "each scenario is expected or untestable; a person signs each file by its hash, then it is frozen",
        "blocked": "the evidence is looked up: the recorded refusal, the spec's text, the frozen test",
        "question": "it stays open until a person answers it or waives it",
    }
)
"""What must be checked before an answer counts for anything (answers §5)."""
