"""The stages that read records, over a real socket: what is asked, what of it counts, and what never does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.interpreting import STAGES, StageAudit, interpret
from t2c.cli.actions.model import asker_of
from t2c.cli.actions.opening import open_ledger
from t2c.cli.actions.scan import scan
from t2c.cli.settings import load
from t2c.ledger.errors import Model
from t2c.ledger.events.record import Record
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.kernel.clock import SystemClock
from t2c.projections.base import Inputs
from t2c.projections.facts import Facts
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

FILES = {
    "TODO.md": "# Plans\n\n- [ ] Add retry to the exporter\n- [x] Write the manual\n",
    "CHANGELOG.md": "# Changelog\n\n## [1.0.0] - 2026-01-05\n\n### Fixed\n\n- Lock the account after five failed logins\n",
    "README.md": "# Shop\n\nThe lock is in `src/login.py`, which counts failed logins.\n\n## Roadmap\n\n- Support passkeys\n",
    "src/login.py": "def lock():\n    return 1\n",
    "project/ticket-004/user-ada.md": "# Ada\n\n## Request\n\nLock the account.\n",
    "project/ticket-004/ai-codex.md": "# Codex\n\n## Plan\n\nCount the failed logins.\n\n## Actual changes\n\nThe account is locked now.\n",
}
DATA = re.compile(r"<<<DATA (\S+) .*?\n(.*)\n\1 DATA>>>", re.DOTALL)


def shown(body: Mapping[str, Any]) -> str:
    found = DATA.search(body["messages"][1]["content"])
    assert found is not None
    return found[2]


def rows(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [orjson.loads(line) for line in shown(body).splitlines()]


def enrichment(row: Mapping[str, Any], **other: Any) -> dict[str, Any]:
    return {
        "recordId": row["recordId"],
        "actor": "team",
        "action": "fix",
        "object": f"read: {row['text']}",
        "polarity": "positive",
        "confidence": 0.9,
        "basis": ["it says so"],
        "target": {"paths": ["src/export.py"], "symbols": ["lock"], "tickets": ["ab-1"], "versions": []},
        "acceptanceEvidence": ["a test passes"],
        **other,
    }


def markdown(**other: Any) -> Callable[[dict[str, Any]], Any]:
    return lambda body: {"enrichments": [enrichment(row, **other) for row in rows(body)]}


def prose(body: dict[str, Any], **other: Any) -> dict[str, Any]:
    """One record for each numbered line, and one that is nobody's."""
    numbered = [line.split("\t", 1) for line in shown(body).splitlines() if re.match(r"[0-9]+\t", line)]
    records = [
        {
            "kind": "declared_intent",
            "actor": None,
            "action": "add",
            "subject": None,
            "object": f"read: {text}",
            "modality": "required",
            "polarity": "positive",
            "lifecycle": "verified",
            "confidence": 0.8,
            "basis": ["line"],
            "target": {"paths": [], "symbols": [], "tickets": [], "versions": []},
            "sourceLines": {"start": int(number), "end": int(number)},
            "text": text,
            **other,
        }
        for number, text in numbered
    ]
    if len(numbered) > 1:
        beside = {"sourceLines": {"start": 1, "end": len(numbered)}, "text": "Everything must be approved"}
        records.append({**records[0], **beside})
    return {"records": records}


def spoken(body: dict[str, Any], **other: Any) -> dict[str, Any]:
    lines = rows(body)
    return {
        "enrichments": [
            {
                "recordId": row["recordId"],
                "action": "fix",
                "object": f"read: {row['text']}",
                "polarity": "positive",
                "confidence": 0.8,
                "basis": [],
                "target": {"paths": [], "symbols": [], "versions": []},
                "topics": ["login"],
                **other,
            }
            for row in lines
            if "recordId" in row
        ],
        "participantSyntheses": [
            {
                "participantKey": row["participantKey"],
                "summary": f"{row['participant']} spoke.",
                "commitments": ["count"],
                "risks": [],
                "recordIds": row["recordIds"],
                "confidence": 0.7,
            }
            for row in lines
            if "recordIds" in row
        ],
    }


class Project:
    """A repository that was scanned, and a model at hand to read it."""

    def __init__(self, root: Path, url: str) -> None:
        self.root = root
        self.url = url
        self.state = root.parent / "state"
        for name, text in FILES.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)

    def context(self, **options: Any) -> Context:
        environ = {"T2C_LLM_BASE_URL": self.url, "T2C_LLM_ATTEMPTS": "1"}
        given = {"llm.mode": "record", **{f"llm.{name}": value for name, value in options.items()}}
        return Context(self.root, self.root, load(self.root, environ, given), SystemClock(), lambda *_: None)

    def scan(self) -> None:
        scan(self.context(mode="off"))

    def read(self, *stages: str, mode: str = "prefer-llm", **options: Any) -> dict[str, StageAudit]:
        context = self.context(**options)
        modes: Any = dict.fromkeys(stages or STAGES, mode)
        with open_ledger(context) as ledger, asker_of(context, ledger, self.state) as asker:
            return {audit.stage: audit for audit in interpret(context, ledger, asker, modes)}

    def folded(self, *names: str) -> Any:
        with open_ledger(self.context()) as ledger:
            return fold(ledger.journal, ALL, names or ["records"])

    def records(self, name: str = "records.jsonl") -> dict[str, Any]:
        content = b"".join(self.folded().artifacts("records")[name])
        found = {record["id"]: record for record in map(orjson.loads, content.splitlines())}
        for record in found.values():
            Record.model_validate_json(canonical(record))
        return found

    def events(self, *types: str) -> list[Any]:
        lines = (self.root / ".t2c" / "journal.ndjson").read_bytes().splitlines()
        return [event for event in map(orjson.loads, lines) if not types or event["type"] in types]

    def by_text(self, text: str) -> Any:
        (found,) = [one for one in self.records().values() if one["statement"]["text"] == text]
        return found


@pytest.fixture
def project(tmp_path: Path, provider: Any) -> Iterator[Project]:
    root = tmp_path / "repo"
    root.mkdir()
    made = Project(root, provider.url)
    made.scan()
    yield made


def answers(provider: Any) -> None:
    provider.on("t2c_markdown_intent_enrichment", markdown())
    provider.on("t2c_natural_language_intent", prose)
    provider.on("t2c_document_intent", prose)
    provider.on("t2c_communication_enrichment", spoken)


def test_each_stage_reads_its_records_and_the_second_time_nothing_is_asked_or_recorded(
    project: Project, provider: Any
) -> None:
    answers(provider)
    before = project.records()
    audits = project.read()
    assert {name: audit.status for name, audit in audits.items()} == {
        "natural_language": "skipped",
        "markdown": "succeeded",
        "documents": "succeeded",
        "communication": "succeeded",
    }
    after = project.records()
    assert after.keys() == before.keys()
    read = {identity for identity in after if after[identity] != before[identity]}
    kinds = {after[identity]["source"]["kind"] for identity in read}
    assert kinds == {"todo", "changelog", "document", "agent_log"}
    for identity in read:
        one, was = after[identity], before[identity]
        assert one["metadata"]["generation"]["used"] == "llm"
        assert one["epistemic"]["class"] == was["epistemic"]["class"]
        assert one["lifecycle"] == was["lifecycle"]
        assert one["statement"]["object"].startswith("read: ")
        assert one["source"]["contentHash"] == was["source"]["contentHash"]
    asked, recorded = len(provider.requests), project.events()
    again = project.read()
    assert (len(provider.requests), project.events()) == (asked, recorded)
    assert [audit.recorded for audit in again.values()] == [0, 0, 0, 0]
    assert again["markdown"].interpreted == audits["markdown"].interpreted == 3
