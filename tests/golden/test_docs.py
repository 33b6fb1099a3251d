"""The pages made from the code say what the code says."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from t2c.cli.sections import ScanSettings
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.communication.names import MessageType
from t2c.ledger.intake.registry import file_extractors

ROOT = Path(__file__).parents[2]
SOURCES = (ROOT / "docs" / "sources.md").read_text(encoding="utf-8")


def test_generated_pages_are_what_the_code_makes() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def _kinds_in_the_code() -> Iterator[str]:
    """Every text that an extractor gives to a draft as its kind, by keyword or as the first argument of its maker."""
    for path in sorted((ROOT / "ledger" / "intake").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [item.value for item in node.keywords if item.arg == "kind" and name == "Draft"]
            given += node.args[:1] if name in ("_draft", "draft") else []
            for value in given:
                if isinstance(value, ast.Constant) and re.fullmatch(r"[a-z]+(?:_[a-z]+)*", str(value.value)):
                    yield str(value.value)
                elif isinstance(value, ast.JoinedStr):
                    assert ast.unparse(value) == "f'communication_{said.type}'", "a kind that nobody can list"
                    yield from (f"communication_{kind}" for kind in get_args(MessageType))


def test_every_kind_of_record_is_in_the_table() -> None:
    """The table is what a repository of examples gives; a kind that is missing needs an example there."""
    listed = set(re.findall(r"^\| \w+ \| \w+ \| `(\w+)` \|", SOURCES, re.MULTILINE))
    kinds = set(_kinds_in_the_code())
    assert len(kinds) > 30
    assert listed == kinds


def test_every_stage_and_every_language_is_in_the_tables() -> None:
    stages = set(re.findall(r"^\| (\w+) \| \w+ \| `\w+` \|", SOURCES, re.MULTILINE))
    assert stages == {*file_extractors(ScanSettings()), "git"}
    told = set(re.findall(r"`(t2c/tree-sitter-[\w-]+@\d+)`", SOURCES))
    assert told == {language.extractor for language in LANGUAGES.values()}
    for language in LANGUAGES.values():
        assert all(f"`.{ending}`" in SOURCES for ending in language.endings)
