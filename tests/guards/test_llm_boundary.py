"""One module speaks to a provider of models, and every other one that speaks HTTP is known by name (decisions D9)."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
CLIENT = "ledger/llm/openrouter.py"
OTHERS = {
    "ledger/anchors/rfc3161.py": "asks an authority for a time stamp",
}
"""Every other importer of httpx, and why it is one."""
LIBRARIES = {
    "httpx",
    "httpcore",
    "requests",
    "aiohttp",
    "urllib3",
    "openai",
    "websockets",
    "urllib.request",
    "http.client",
}


def imported(path: Path) -> set[str]:
    """Every module that a file imports, anywhere in it, also for types alone."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            found |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    return found


def speakers() -> set[str]:
    paths = [
        path for top in ("ledger", "projections", "schemas", "cli") for path in (ROOT / top).rglob("*.py")
    ]
    assert len(paths) > 200
    return {
        str(path.relative_to(ROOT))
        for path in paths
        if any(
            name == library or name.startswith(f"{library}.")
            for name in imported(path)
            for library in LIBRARIES
        )
    }


def test_only_known_modules_speak_http() -> None:
    assert speakers() == {CLIENT, *OTHERS}


def test_only_the_command_line_makes_a_client() -> None:
    """Everything else is handed a model: so a replay, which is handed none, reaches no network."""
    makers = {
        str(path.relative_to(ROOT))
        for top in ("ledger", "projections", "cli")
        for path in (ROOT / top).rglob("*.py")
        if "t2c.ledger.llm.openrouter" in imported(path)
    }
    assert {path for path in makers if not path.startswith("cli/actions/")} == set()


def test_the_boundary_is_there_without_a_library_of_http() -> None:
    """Budgets, readings of what arrived and rules of waiting need none; a replay loads none."""
    modules = ("ask", "base", "budget", "exchange", "outcome", "waiting", "wire")
    program = "import sys;" + ";".join(f"import t2c.ledger.llm.{name}" for name in modules)
    program += ";print(sorted({'httpx', 'httpcore', 'ssl', 'email.message'} & set(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "'httpx'" not in done.stdout and "'httpcore'" not in done.stdout
