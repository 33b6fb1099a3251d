"""Nothing is run, written or tried because of an answer that is only to be read (answers §7.24)."""

from __future__ import annotations

import ast
from pathlib import Path

from t2c.ledger.answers.registry import CHECKS, WITH_GATES
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.audit.answers import ACTS, INERT
from t2c.ledger.events.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]
DOES = {"run_gate", "run_gates", "run_command", "scratch_copy", "write_atomically", "subprocess"}


def names(path: Path) -> set[str]:
    """Every name that a module imports or uses."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
    return found


def test_the_checks_of_what_is_only_read_run_and_write_nothing() -> None:
    modules = {row.partition(":")[0] for root in INERT for row in CHECKS[root]}
    assert len(modules) == len(INERT) == 2
    for module in modules:
        path = ROOT / f"{module.removeprefix('t2c.').replace('.', '/')}.py"
        assert names(path) & DOES == set(), path
    assert "run_gates" in names(ROOT / "ledger/answers/checks/attempt.py"), "it finds what does"
    assert INERT.isdisjoint(WITH_GATES)


def test_every_kind_of_answer_has_checks_and_every_event_that_announces_is_known_to_act() -> None:
    assert set(CHECKS) == set(ROOTS) >= INERT
    announces = {name for name in CATALOGUE.types() if name.endswith(".announced")}
    assert announces and announces <= ACTS
