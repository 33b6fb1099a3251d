"""The guide to models: every command in it runs, in its order, against a server that answers."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

from t2c.ledger.events.llm import Unusable

PAGE = (Path(__file__).parents[2] / "docs" / "guide" / "models.md").read_text()


def test_every_command_of_the_guide_runs(t2c: Any, provider: Any, shell: Any) -> None:
    blocks = re.findall(r"^```sh\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 6
    provider.on("t2c_markdown_intent_enrichment", _read)
    provider.on("t2c_grounded_summary", lambda body: {"conclusions": [_conclusion(body)]})
    provider.on("t2c_grounded_task_synthesis", _proposed)
    shell.environ |= {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_MODEL": "local/example"}
    said = []
    for block in blocks:
        done = shell(block)
        said.append(done.stdout)
    assert len(provider.requests) == 3
    assert "2 of 2 records, read by local/example" in said[2]
    assert "in the words of local/example" in said[3]
    assert "2 of 2 records" in said[-1]


def _ids(body: Any, pattern: str) -> list[str]:
    return list(dict.fromkeys(re.findall(pattern, body["messages"][-1]["content"])))


def _read(body: Any) -> Any:
    nothing: dict[str, list[str]] = {"paths": [], "symbols": [], "tickets": [], "versions": []}
    return {
        "enrichments": [
            {
                "recordId": identity,
                "actor": None,
                "action": "add",
                "object": "account lock",
                "polarity": "positive",
                "confidence": 0.9,
                "basis": ["its verb"],
                "target": nothing,
                "acceptanceEvidence": [],
            }
            for identity in _ids(body, "INT-[A-Z]+-[0-9a-f]{20}")
        ]
    }


def _conclusion(body: Any) -> Any:
    return {
        "kind": "risk",
        "title": "Plans are open",
        "detail": "Nothing shows them done.",
        "severity": "warning",
        "diagnosticIds": _ids(body, "DIAG-[0-9a-f]{20}")[:1],
        "recordIds": _ids(body, "INT-[A-Z]+-[0-9a-f]{20}")[:1],
        "confidence": 0.8,
    }


def _proposed(body: Any) -> Any:
    concluded = _conclusion(body)
    proposal = {
        "key": "p1",
        "title": "Write the lock",
        "description": "Refuse the sixth login.",
        "priority": "P1",
        "target": {"paths": ["src/login.py"], "symbols": [], "tickets": [], "versions": []},
        "acceptanceCriteria": ["The sixth login is refused."],
        "dependencyKeys": [],
        "conclusionKeys": ["c1"],
        "diagnosticIds": concluded["diagnosticIds"],
        "recordIds": concluded["recordIds"],
        "confidence": 0.7,
    }
    return {"conclusions": [{"key": "c1", **concluded}], "proposals": [proposal]}


def test_the_guide_names_every_reason_and_mode() -> None:
    named = set(re.findall(r"`([a-z_]+)`", PAGE))
    assert {*get_args(Unusable), "off", "replay", "record", "live"} <= named
