"""The rules of this repository that no linter knows."""

from __future__ import annotations

import ast
import re
import subprocess
from pathlib import Path

import pytest

from t2c.ledger.events.catalogue import CATALOGUE, RESERVED
from t2c.ledger.journal.faults import KINDS

ROOT = Path(__file__).parents[2]
TOP = {
    "ledger", "projections", "schemas", "cli", "tests", "docs", "pyproject.toml", "README.md", "LICENSE",
    "CHANGELOG.md", "CONTRIBUTING.md", "Makefile", ".ci", ".src", ".gitignore",
}  # fmt: skip
PACKAGES = ("ledger", "projections", "schemas", "cli")


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
    return [ROOT / name for name in listed.decode().split("\0") if name]


def modules() -> list[Path]:
    return [path for folder in PACKAGES for path in sorted((ROOT / folder).rglob("*.py"))]


def test_the_top_level_is_fixed() -> None:
    assert {path.relative_to(ROOT).parts[0] for path in tracked()} <= TOP


def test_no_module_does_too_much() -> None:
    lengths = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in modules()}
    assert len(lengths) > 40
    assert {name: length for name, length in lengths.items() if length > 400} == {}


def test_every_module_says_what_it_is_for() -> None:
    silent = [str(path) for path in modules() if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_time_and_chance_have_one_place_each() -> None:
    """A second net below the linter: the words themselves, outside the modules that may hold them."""
    allowed = {
        "ledger/kernel/clock.py",
        "ledger/kernel/ids.py",
        "cli/settings.py",
        "ledger/intake/git_command.py",  # looks at variables of an outer Git only to keep them away
    }
    banned = re.compile(
        r"datetime\.now|time\.time\(|\buuid\b|import random|import secrets|os\.environ|getenv"
    )
    found = {
        str(path.relative_to(ROOT))
        for path in modules()
        if banned.search(path.read_text()) and str(path.relative_to(ROOT)) not in allowed
    }
    assert found == set()


def test_projections_touch_nothing_outside() -> None:
    """Only fold and store may do I/O (architecture, projections)."""
    allowed = {"fold", "store.py"}
    banned = re.compile(
        r"^\s*(import|from) (os|pathlib|subprocess|socket|shutil|tempfile|time)\b|open\(", re.MULTILINE
    )
    found = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "projections").rglob("*.py")
        if path.relative_to(ROOT / "projections").parts[0] not in allowed and banned.search(path.read_text())
    }
    assert found == set()


@pytest.mark.parametrize("page", [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md"], ids=str)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text())
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_journal_page_names_every_fault_of_the_chain() -> None:
    said = (ROOT / "docs" / "journal.md").read_text()
    assert len(KINDS) >= 10
    assert {kind for kind in KINDS if f"`{kind}`" not in said} == set()


def test_reserved_types_are_those_that_nothing_writes() -> None:
    written = "".join(
        path.read_text()
        for path in modules()
        if path.relative_to(ROOT).parts[:2] != ("ledger", "events") and path.name != "domain.py"
    )
    unused = {
        name
        for name, (_, class_name) in CATALOGUE.locations.items()
        if class_name not in written and not CATALOGUE.payload(name).by_hand
    }
    assert unused == RESERVED
