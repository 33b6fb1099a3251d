"""The provider of models that tests ask: what it answers by itself is valid, and it can be tried by hand."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from t2c.ledger.llm.base import FORCED_TOOL, Message, Request, Shape
from t2c.ledger.llm.openrouter import OpenRouter

SCHEMAS: list[dict[str, Any]] = [
    {"type": "object", "properties": {"a": {"type": ["string", "null"]}}, "required": ["a"], "additionalProperties": False},
    {"type": "array", "minItems": 3, "uniqueItems": True, "items": {"type": "string", "pattern": "^INT-[A-Z]+-[0-9a-f]{20}$"}},
    {"type": "array", "minItems": 2, "uniqueItems": True, "items": {"enum": ["x", "y"]}},
    {"type": "array", "minItems": 2, "items": {"$ref": "#/$defs/n"}, "$defs": {"n": {"type": "integer", "minimum": 1, "maximum": 1}}},
    {"anyOf": [{"type": "number", "minimum": 0.05, "maximum": 0.9}, {"type": "null"}]},
    {"type": "string", "minLength": 3, "maxLength": 3},
    {"type": "string", "pattern": r"^(E|U)\d+ ?[^a]?$"},
]  # fmt: skip


@pytest.mark.parametrize("schema", SCHEMAS, ids=json.dumps)
@pytest.mark.parametrize("mode", ["json_schema", "forced_tool"])
def test_an_answer_that_nobody_scripted_is_valid(provider: Any, schema: dict[str, Any], mode: Any) -> None:
    request = Request("m", (Message("user", "?"),), Shape("s", json.dumps(schema).encode()), mode)
    with OpenRouter(provider.url, None) as model:
        reply = model.send(request)
    assert reply.failure is None
    Draft202012Validator(schema).validate(json.loads(reply.content or ""))
    assert (FORCED_TOOL.encode() in (reply.raw or b"")) == (mode == "forced_tool")


def test_it_can_be_tried_by_hand(tmp_path: Path) -> None:
    script = tmp_path / "answers.json"
    script.write_text(json.dumps({"answers": {"s": {"a": "scripted"}}, "queue": [{"status": 400}]}))
    server = Path(__file__).parent / "server.py"
    command = [sys.executable, str(server), "--script", str(script)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        url = process.stdout.readline().strip()
        request = Request("m", (Message("user", "?"),), Shape("s", json.dumps(SCHEMAS[0]).encode()))
        with OpenRouter(url, None) as model:
            assert model.send(request).failure == "rejected_request"
            assert model.send(request).content == '{"a": "scripted"}'
        process.terminate()
