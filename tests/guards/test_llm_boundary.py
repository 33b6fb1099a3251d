"""One module speaks to a provider of models, and every other one that speaks HTTP is known by name (decisions D9)."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

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


class Module(NamedTuple):
    """What a module imports, anywhere in it and also for types alone, and what it calls how often, by bare name."""

    imports: frozenset[str]
    calls: Counter[str]


@cache
def modules() -> dict[str, Module]:
    found = {}
    for top in ("ledger", "projections", "schemas", "cli"):
        for path in (ROOT / top).rglob("*.py"):
            imports: set[str] = set()
            calls: Counter[str] = Counter()
            for node in ast.walk(ast.parse(path.read_bytes())):
                if isinstance(node, ast.Import):
                    imports |= {name.name for name in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                    imports |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
                elif isinstance(node, ast.Call):
                    calls[str(getattr(node.func, "id", getattr(node.func, "attr", "")))] += 1
            found[str(path.relative_to(ROOT))] = Module(frozenset(imports), calls)
    assert len(found) > 200
    return found


def test_only_known_modules_speak_http() -> None:
    speakers = {
        path
        for path, module in modules().items()
        if any(name == one or name.startswith(f"{one}.") for name in module.imports for one in LIBRARIES)
    }
    assert speakers == {CLIENT, *OTHERS}


def test_only_the_command_line_makes_a_client() -> None:
    """Everything else is handed a model: so a replay, which is handed none, reaches no network."""
    makers = {path for path, module in modules().items() if "t2c.ledger.llm.openrouter" in module.imports}
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


@pytest.mark.parametrize(
    ("made", "makers"),
    [
        # Only what derives a schema from a type gives a request its shape.
        ("Shape", {"ledger/llm/strict.py": 1, "ledger/llm/bounded.py": 1}),
        # One place says that a model was asked, that it answered, and that it did not.
        ("LlmAsked", {"ledger/llm/receipts.py": 1}),
        ("LlmAnswered", {"ledger/llm/receipts.py": 1}),
        ("LlmUnusable", {"ledger/llm/receipts.py": 1}),
        # One function makes conclusions, and one proposals; one place draws what they made.
        ("ConclusionDrawn", {"ledger/llm/synthesis/drawing.py": 1}),
        ("ProposalRaised", {"ledger/llm/synthesis/drawing.py": 1}),
        ("conclusion", {"ledger/llm/synthesis/drawing.py": 1, "projections/conclusions/__init__.py": 1}),
        ("proposal", {"ledger/llm/synthesis/drawing.py": 1}),
    ],
)
def test_each_of_these_is_made_in_one_place(made: str, makers: dict[str, int]) -> None:
    assert {path: module.calls[made] for path, module in modules().items() if module.calls[made]} == makers


_FIXED = """
import hashlib, json
from t2c.ledger.answers.asking import answer_brief, asking_of
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.llm import responses
from t2c.ledger.llm.outgoing import RULES
from t2c.ledger.llm.stages import prompts
found = {}
for root in ROOTS:
    pair = [asking_of(root, answer_brief(root, about, (), left), model="m") for about, left in ((None, {}), ("x", {"y": 1}))]
    heads = {asking.messages[0].content for asking in pair}
    assert len(heads) == 1 and heads.pop().startswith(RULES)
    assert pair[0].messages[1] != pair[1].messages[1] and pair[0].shape == pair[1].shape
    found[root] = pair[0].messages[0].content + pair[0].shape.schema.decode()
for prompt in (prompts.NATURAL_LANGUAGE, prompts.MARKDOWN, prompts.DOCUMENTS, prompts.COMMUNICATION):
    heads = {prompt.messages(shown)[0] for shown in ("a", "b")}
    assert len(heads) == 1 and heads.copy().pop().content.startswith(RULES)
    found[prompt.name] = heads.pop().content
for response in (
    responses.natural_language_intent(), responses.markdown_enrichment(32), responses.document_intent(9),
    responses.communication_enrichment(), responses.grounded_summary(), responses.grounded_task_synthesis(),
    responses.rerank(),
):
    found[response.shape.name] = response.shape.schema.decode()
print(len(found), hashlib.sha256(json.dumps(found).encode()).hexdigest())
"""


def test_the_fixed_part_of_a_prompt_is_the_same_bytes_in_every_process() -> None:
    """Rules, task and schema depend on nothing that is shown, and on no order that a process draws."""
    said = [
        subprocess.run(
            [sys.executable, "-c", _FIXED],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert int(said[0].split()[0]) == 15 + 4 + 7
