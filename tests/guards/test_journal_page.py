"""docs/journal.md names every kind of fault that an audit finds, and the members that name objects."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from t2c.ledger.transfer.verifier.citing import CITING

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "journal.md").read_text()
TELLING = {"_fault", "fault", "_missing"}


def kinds() -> set[str]:
    """The words for faults in the calls that tell them."""
    found = set()
    for path in (ROOT / "ledger" / "audit").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in TELLING:
                words = [one.value for one in node.args[:3] if isinstance(one, ast.Constant)]
                found |= {word for word in words if isinstance(word, str) and re.fullmatch("[a-z_]+", word)}
    return found


def test_every_kind_of_fault_is_on_the_page() -> None:
    found = kinds()
    assert len(found) > 35 and {"call_unknown", "variant_unknown", "object_missing"} <= found
    assert {kind for kind in found if f"`{kind}`" not in PAGE} == set()


def test_the_table_of_objects_is_the_one_that_is_followed() -> None:
    section = PAGE.partition("## Objects")[2].partition("\n## ")[0]
    listed: dict[str, set[str]] = {}
    for row in re.findall(r"^\| (`.*) \| (.*) \|$", section, re.MULTILINE):
        members = re.findall("`([a-z_]+)`", row[1])
        for name in re.findall("`([a-z.]+)`", row[0]):
            listed[name] = {"files"} if "files" in members else set(members)
    assert listed == {name: set(members) for name, members in CITING.items()}
