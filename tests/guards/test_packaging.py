"""The checkout and the import root are the same files, and the checkers really see them."""

from pathlib import Path

import pytest

import t2c.ledger.engine

ROOT = Path(__file__).parents[2]
FOLDERS = ("ledger", "projections", "schemas", "cli")


@pytest.mark.parametrize("name", FOLDERS)
def test_the_import_root_links_to_the_folder(name: str) -> None:
    link = ROOT / ".src" / "t2c" / name
    assert link.resolve() == ROOT / name


def test_what_is_imported_is_the_checkout() -> None:
    assert Path(t2c.ledger.engine.__file__).resolve() == ROOT / "ledger" / "engine.py"


def test_there_is_something_to_check() -> None:
    assert len(list((ROOT / "ledger").rglob("*.py"))) > 20
