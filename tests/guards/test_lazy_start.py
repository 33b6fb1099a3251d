"""A command loads what it needs and nothing else: help lists all commands without importing one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from t2c.cli.app import TREE

HEAVY = {
    "pydantic", "pydantic_core", "rich", "click", "pygments", "msgspec", "filelock", "jsonschema", "git",
    "pathspec", "markdown_it", "tree_sitter", "tree_sitter_python", "httpx", "cryptography", "asyncio", "importlib.metadata",
}  # fmt: skip
"""What costs more to import than a short command takes."""

SCRIPT = """
import json, sys
from t2c.cli import app
sys.argv = ["t2c", *sys.argv[1:]]
code = app.main()
sys.stdout.flush()
print("\\n" + json.dumps([code, sorted(sys.modules)]))
"""


def loaded(cwd: Path, *arguments: str) -> set[str]:
    """The modules in a process after it ran a command."""
    environ = {"PATH": os.environ["PATH"], "HOME": str(cwd)}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *arguments], cwd=cwd, env=environ, capture_output=True, check=True
    )
    code, modules = json.loads(done.stdout.splitlines()[-1])
    assert code == 0, done.stderr
    assert "t2c.cli.commands.tree" in modules
    return set(modules)


def commands(modules: set[str]) -> set[str]:
    """The modules of the table that were imported."""
    return {entry.target.partition(":")[0] for entry in TREE.entries} & modules


@pytest.mark.parametrize("arguments", [("--version",), ("--help",), ("--show-completion", "bash")])
def test_nothing_heavy_and_no_command_is_loaded_to_say_what_there_is(
    tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    modules = loaded(tmp_path, *arguments)
    assert modules & HEAVY == set()
    assert commands(modules) == set()
    assert {name for name in modules if name.startswith("t2c.ledger.")} <= {"t2c.ledger.errors", "t2c.ledger.kernel",
        "t2c.ledger.kernel.clock"}  # fmt: skip


def test_a_command_that_reads_settings_loads_no_other_command(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "config", "show")
    assert modules & (HEAVY | {"tomllib"}) == set()
    assert commands(modules) == {"t2c.cli.commands.config"}


def test_help_of_a_group_loads_no_command_of_another(tmp_path: Path) -> None:
    modules = loaded(tmp_path, "schemas", "--help")
    assert modules & HEAVY == set()
    assert commands(modules) == {"t2c.cli.commands.schemas"}


def test_an_append_loads_what_validates_and_nothing_around_it(tmp_path: Path) -> None:
    """The search for pydantic's plugins would import the readers of packages, mail and archives."""
    modules = loaded(tmp_path, "ledger", "append", "--statement", "checked")
    assert "pydantic" in modules
    assert (
        modules & {"importlib.metadata", "email", "zipfile", "sqlite3", "jsonschema", "git", "httpx"} == set()
    )


def test_pydantic_finds_the_rest_of_the_module_that_stands_aside(tmp_path: Path) -> None:
    """A version that wants more of it gets the real one."""
    code = (
        "from t2c.cli.present.process import leave_out_plugins; "
        "leave_out_plugins({'PYDANTIC_DISABLE_PLUGINS': '__all__'}); "
        "from pydantic.plugin._loader import get_plugins; assert get_plugins() == (); "
        "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP as group; assert group == 'pydantic'"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)


def test_the_guard_would_notice(tmp_path: Path) -> None:
    """Deriving schemas needs pydantic, so a process that did it shows it."""
    assert "pydantic" in loaded(tmp_path, "schemas", "check")


def test_every_row_of_the_table_names_what_exists() -> None:
    """A wrong target would show only when its command is used."""
    from importlib import import_module

    for entry in TREE.entries:
        module, _, attribute = entry.target.partition(":")
        assert hasattr(import_module(module), attribute), entry
