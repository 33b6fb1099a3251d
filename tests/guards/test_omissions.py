"""Whatever is left out is told on one page: each reason of the code with when and remedy, and no other."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from t2c.ledger.intake.base import MAX_EXCERPT, REMARKS
from t2c.ledger.intake.docs.extractor import MAX_DOCUMENT
from t2c.ledger.intake.markup import MAX_STATEMENT

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "omissions.md").read_text(encoding="utf-8")

GIVERS: Final = {
    "Warning": 2, "LinkWarning": 0, "Abstention": 0, "GitUnusable": 0, "Fault": 3, "XmlFault": 3, "_Refused": 1,
    "OmissionNoted": 3, "_warn": 0, "_total": 0, "warning": 0, "_warning": 1, "_nothing": 2, "add": 0,
}  # fmt: skip
"""What takes a reason, and at which place of its arguments."""
MADE: Final = {
    "f'unclosed_{what}'": {"unclosed_fence", "unclosed_comment"},
    "f'{rule}_too_common'": {"number_too_common", "ticket_too_common"},
}
"""Reasons that are put together."""
WITHIN: Final = {"xml_unparsed"}
"""Names that never leave the code: others stand for them in what is told."""
_NAME: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_PASSED_ON: Final = re.compile(r"reason|\w+\.reason|omitted\[reason\]|commit|registry\.path")


def modules() -> Iterator[Path]:
    for folder in ("ledger/intake", "ledger/linking", "ledger/transfer", "cli/actions"):
        yield from sorted((ROOT / folder).rglob("*.py"))


class _Reasons(ast.NodeVisitor):
    """The reasons that one module gives."""

    def __init__(self, path: Path) -> None:
        self.found: set[str] = set()
        self.path = path
        tree = ast.parse(path.read_text(encoding="utf-8"))
        self.constants = {
            target.id: node.value.value
            for node in tree.body
            if isinstance(node, ast.Assign | ast.AnnAssign) and isinstance(node.value, ast.Constant)
            for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
            if isinstance(target, ast.Name)
        }
        self.visit(tree)

    def visit_Call(self, node: ast.Call) -> None:
        self.generic_visit(node)
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        place = GIVERS.get(name)
        if place is None or (name == "add" and not ast.unparse(node.func).endswith("notes.add")):
            return
        given = [keyword.value for keyword in node.keywords if keyword.arg == "reason"]
        given += node.args[place : place + 1]
        for value in given:
            self.found |= self.texts(value)

    def visit_Yield(self, node: ast.Yield) -> None:
        """Objections to a file are pairs of a reason and a detail."""
        self.generic_visit(node)
        if self.path.name == "guards.py" and isinstance(node.value, ast.Tuple):
            self.found |= self.texts(node.value.elts[0])

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """What linking counts is a table of reasons."""
        self.generic_visit(node)
        if isinstance(node.value, ast.Dict) and ast.unparse(node.target) == "_OMITTED":
            self.found |= {text for key in node.value.keys if key for text in self.texts(key)}

    def texts(self, value: ast.expr) -> set[str]:
        """The reasons that an expression may stand for; none if another place gives it."""
        written = ast.unparse(value)
        match value:
            case ast.Constant(value=str(text)):
                return {text} if _NAME.fullmatch(text) else set()
            case ast.IfExp():
                return self.texts(value.body) | self.texts(value.orelse)
            case ast.Name(id=name) if name in self.constants:
                return {str(self.constants[name])}
            case ast.JoinedStr():
                assert written in MADE, f"{self.path}:{value.lineno}: {written} cannot be listed"
                return MADE[written]
        assert _PASSED_ON.fullmatch(written), f"{self.path}:{value.lineno}: {written} cannot be listed"
        return set()


def given() -> set[str]:
    return {reason for path in modules() for reason in _Reasons(path).found} - WITHIN


def told() -> Counter[str]:
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| (.*?) \|$", PAGE, re.MULTILINE)
    assert all(when and remedy for _, when, remedy in rows)
    return Counter(reason for names, _, _ in rows for reason in re.findall(r"`(\w+)`", names))


def test_every_reason_of_the_code_is_on_the_page_and_no_other() -> None:
    reasons = given()
    assert len(reasons) > 100
    assert sorted(reasons - set(told())) == [], "reasons that the page does not tell"
    assert sorted(set(told()) - reasons) == [], "reasons that nothing gives"


def test_every_reason_is_told_once() -> None:
    assert [reason for reason, count in told().items() if count > 1] == []


def test_the_remarks_are_those_that_strict_does_not_count() -> None:
    part = PAGE.partition("## Remarks")[2].partition("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)`", part, re.MULTILINE)) == REMARKS


def test_the_limits_that_are_told_are_those_of_the_code() -> None:
    assert f"longer than {MAX_STATEMENT:,} characters" in PAGE
    assert f"longer than {MAX_EXCERPT:,} characters" in PAGE
    assert f"a document above {MAX_DOCUMENT >> 20} MiB" in PAGE


def test_the_guard_would_notice(tmp_path: Path) -> None:
    module = tmp_path / "new.py"
    module.write_text(
        'WHY: Final = "by_constant"\nnotes.add("by_note", "")\nself.notes.add(WHY, "")\n'
        'Warning("todo", None, "by_warning" if x else "by_other", "")\nnamed.add("no_reason")\n'
    )
    assert _Reasons(module).found == {"by_constant", "by_note", "by_warning", "by_other"}
