"""One way to a conclusion and to a proposal, and one fixed part of what is asked (decisions D9)."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest

from t2c.ledger.llm.base import Brief
from t2c.ledger.llm.outgoing import RULES
from t2c.ledger.llm.synthesis.questions import summary_question, task_question
from t2c.ledger.llm.synthesis.summary import Citable

ROOT = Path(__file__).parents[2]
CALLERS = {
    "ConclusionDrawn": {"ledger/llm/synthesis/drawing.py": 1},
    "ProposalRaised": {"ledger/llm/synthesis/drawing.py": 1},
    "conclusion": {"ledger/llm/synthesis/drawing.py": 1, "projections/conclusions/__init__.py": 1},
    "proposal": {"ledger/llm/synthesis/drawing.py": 1},
    "synthesise": {"cli/actions/synthesis.py": 1},
    "summary_question": {},
    "task_question": {},
}
"""Function → the modules that call it by name, and how often."""


def calls() -> dict[str, Counter[str]]:
    found: dict[str, Counter[str]] = {name: Counter() for name in CALLERS}
    for folder in ("ledger", "projections", "cli"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            if not any(f"{name}(" in text for name in CALLERS):
                continue
            for node in ast.walk(ast.parse(text)):
                if isinstance(node, ast.Call):
                    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
                    if name in found:
                        found[name][str(path.relative_to(ROOT))] += 1
    return found


def test_conclusions_and_proposals_are_made_in_one_place_each() -> None:
    assert {name: dict(count) for name, count in calls().items()} == CALLERS


@pytest.mark.parametrize("ask", [summary_question, task_question])
def test_the_fixed_part_is_the_same_bytes_whatever_is_shown(ask: object) -> None:
    assert callable(ask)
    shown = [Brief("b", text, (), {}) for text in ("one", "two {x} %s")]
    asked = [ask(brief, Citable({}, frozenset()), "m", "en", 10) for brief in shown]
    heads = {one.messages[0] for one in asked}
    assert len(heads) == 1 and next(iter(heads)).content.startswith(RULES)
    assert [one.messages[1].content for one in asked] == ["one", "two {x} %s"]
    assert asked[0].shape.schema == asked[1].shape.schema
