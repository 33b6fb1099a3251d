"""`t2c scan --llm`: recorded once, replayed with the network cut, and the same again in another ledger."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import orjson

FILES = {
    "TODO.md": "# Plans\n\n- [ ] Add retry to the exporter\n- [x] Write the manual\n",
    "CHANGELOG.md": "# Changelog\n\n## [1.0.0] - 2026-01-05\n\n### Fixed\n\n- Lock the account after five failed logins\n",
    "README.md": "# Shop\n\nThe lock is in `src/login.py`, which counts failed logins.\n\n## Roadmap\n\n- Support passkeys\n",
    "src/login.py": "def lock():\n    return 1\n",
    "project/ticket-004/user-ada.md": "# Ada\n\n## Request\n\nLock the account.\n",
}
DATA = re.compile(r"<<<DATA (\S+) .*?\n(.*)\n\1 DATA>>>", re.DOTALL)
VIEWS = ("records/records.jsonl", "records/uninterpreted.jsonl", "graph/graph.json")


def lines(body: Mapping[str, Any]) -> list[str]:
    found = DATA.search(body["messages"][1]["content"])
    assert found is not None
    return found[2].splitlines()


def read(words: str, /, **more: Any) -> dict[str, Any]:
    target = {"paths": [], "symbols": [], "versions": []}
    said = {
        "action": "fix",
        "object": f"read: {words}",
        "polarity": "positive",
        "confidence": 0.8,
        "basis": [],
    }
    return {**said, "target": target, **more}


def enriched(body: dict[str, Any]) -> dict[str, Any]:
    target = {"paths": [], "symbols": [], "tickets": [], "versions": []}
    rows = map(orjson.loads, lines(body))
    return {
        "enrichments": [
            read(row["text"], recordId=row["recordId"], actor=None, target=target, acceptanceEvidence=[])
            for row in rows
        ]
    }


def prose(body: dict[str, Any]) -> dict[str, Any]:
    numbered = [line.split("\t", 1) for line in lines(body) if "\t" in line]
    target = {"paths": [], "symbols": [], "tickets": [], "versions": []}
    common = {
        "kind": "declared_intent",
        "actor": None,
        "subject": None,
        "modality": "required",
        "lifecycle": "proposed",
    }
    return {
        "records": [
            read(text, **common, target=target, sourceLines={"start": int(at), "end": int(at)}, text=text)
            for at, text in numbered
        ]
    }


def spoken(body: dict[str, Any]) -> dict[str, Any]:
    rows = [orjson.loads(line) for line in lines(body)]
    return {
        "enrichments": [
            read(row["text"], recordId=row["recordId"], topics=["login"]) for row in rows if "recordId" in row
        ],
        "participantSyntheses": [
            {
                "participantKey": row["participantKey"],
                "summary": f"{row['participant']} asks for a lock.",
                "commitments": [],
                "risks": [],
                "recordIds": row["recordIds"],
                "confidence": 0.7,
            }
            for row in rows
            if "recordIds" in row
        ],
    }


def project(root: Path) -> None:
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)


def views(root: Path) -> dict[str, bytes]:
    return {name: (root / ".t2c" / "projections" / name).read_bytes() for name in VIEWS}


def undated(found: dict[str, bytes]) -> dict[str, bytes]:
    return {name: re.sub(rb'"generatedAt": "[^"]*"', b"", content) for name, content in found.items()}


def test_recorded_answers_give_the_same_views_without_a_network_and_in_another_ledger(
    t2c: Any, provider: Any
) -> None:
    project(t2c.root)
    provider.on("t2c_markdown_intent_enrichment", enriched)
    provider.on("t2c_document_intent", prose)
    provider.on("t2c_natural_language_intent", prose)
    provider.on("t2c_communication_enrichment", spoken)
    (t2c.root / "ticket.md").write_text("# Lock\n\nLock the account after five failed logins.\n")
    near = {"T2C_LLM_BASE_URL": provider.url}

    first = t2c("scan", "--llm", "record", "--task", "ticket.md", "--json", env=near)
    assert first.code == 0, first.err
    audits = {audit["stage"]: audit for audit in first.document["interpretation"]}
    assert {name: audit["status"] for name, audit in audits.items()} == dict.fromkeys(
        ("natural_language", "markdown", "documents", "communication"), "succeeded"
    )
    assert {audit["effectiveMode"] for audit in audits.values()} == {"llm"}
    assert all(audit["responses"][0]["usage"]["totalTokens"] for audit in audits.values())
    made = views(t2c.root)
    assert b'"object":"read: Add retry to the exporter"' in made["records/records.jsonl"]
    assert b"read: " not in made["records/uninterpreted.jsonl"]
    journal = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    asked = len(provider.requests)

    again = t2c("scan", "--llm", "record", "--task", "ticket.md", "--json", env=near)
    assert again.code == 0, again.err
    assert len(provider.requests) == asked
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == journal
    assert [audit["recorded"] for audit in again.document["interpretation"]] == [0, 0, 0, 0]

    provider.stop()
    shutil.rmtree(t2c.root / ".t2c" / "projections")
    shutil.rmtree(t2c.root / ".t2c" / "cache")
    replayed = t2c("scan", "--llm", "replay", "--task", "ticket.md", env=near)
    assert replayed.code == 0, replayed.err
    assert views(t2c.root) == made
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == journal

    other = t2c.root.parent / "other"
    other.mkdir()
    (other / ".git").mkdir()
    project(other)
    (other / "ticket.md").write_text((t2c.root / "ticket.md").read_text())
    shutil.copytree(t2c.root / ".t2c", other / ".t2c" / "recorded")
    elsewhere = t2c(
        *("scan", "--llm", "replay", "--task", "ticket.md"),
        cwd=other,
        env={**near, "T2C_LLM_RECORDINGS": ".t2c/recorded"},
    )
    assert elsewhere.code == 0, elsewhere.err
    assert undated(views(other)) == undated(made)
    shown = t2c("communication", cwd=other)
    assert "ada asks for a lock." in shown.out
    verified = t2c("ledger", "verify", "--level", "domain", cwd=other)
    assert verified.code == 0, verified.out + verified.err


def test_the_graph_as_it_was_found(t2c: Any, provider: Any) -> None:
    project(t2c.root)
    provider.on("t2c_markdown_intent_enrichment", enriched)
    provider.on("t2c_document_intent", prose)
    provider.on("t2c_communication_enrichment", spoken)
    assert t2c("scan", "--llm", "record", env={"T2C_LLM_BASE_URL": provider.url}).code == 0
    shown, found = t2c("graph", "--json"), t2c("graph", "--json", "--uninterpreted")
    assert "read: Add retry to the exporter" in shown.out
    assert "read: " not in found.out
    assert shown.document["fingerprint"] != found.document["fingerprint"]
    assert [one["id"] for one in shown.document["records"]] == [
        one["id"] for one in found.document["records"]
    ]
    assert shown.document["relations"] == found.document["relations"]


def test_a_stage_that_needs_a_model_ends_with_7_and_the_failed_audit(t2c: Any, provider: Any) -> None:
    project(t2c.root)
    (t2c.root / "t2c.toml").write_text('[llm]\nmarkdown = "require-llm"\n')
    provider.on("t2c_markdown_intent_enrichment", "this is no JSON")
    done = t2c("scan", "--llm", "record", "--json", env={"T2C_LLM_BASE_URL": provider.url})
    assert done.code == 7
    assert "LLM_RESPONSE_INVALID" in done.err
    error = done.document["error"]
    assert 'llm.markdown = "prefer-llm"' in error["remedy"]
    assert error["details"]["audit"]["status"] == "failed"
    assert error["details"]["audit"]["reason"]["code"] == "LLM_RESPONSE_INVALID"
    assert error["details"]["scan"]["appended"]["record.observed"] > 0
    lines = (t2c.root / ".t2c" / "journal.ndjson").read_text().splitlines()
    types = [json.loads(line)["type"] for line in lines]
    assert types.index("llm.asked") > types.index("run.started", types.index("run.started") + 1)
    assert b"Add retry" in (t2c.root / ".t2c/projections/records/records.jsonl").read_bytes()


def test_what_would_be_sent_is_printed_byte_for_byte_and_nothing_is_sent(t2c: Any, provider: Any) -> None:
    project(t2c.root)
    (t2c.root / "TODO.md").write_text(f"# Plans\n\n- [ ] Replace the key sk-or-v1-{'0a1b' * 16}\n")
    provider.on("t2c_markdown_intent_enrichment", enriched)
    provider.on("t2c_document_intent", lambda body: {"records": prose(body)["records"][:1]})
    provider.on("t2c_communication_enrichment", spoken)
    near = {"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_CONCURRENCY": "1"}
    assert t2c("scan").code == 0
    journal = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()

    seen = t2c("scan", "--llm", "record", "--dry-run", env=near)
    assert seen.code == 0, seen.err
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == journal
    assert provider.requests == []
    assert "markdown: 1 requests" in seen.err and seen.err.endswith("nothing was sent or recorded\n")
    assert "Replace the key" in seen.out and "0a1b0a1b" not in seen.out

    assert t2c("scan", "--llm", "record", env=near).code == 0
    bodies = [request.raw for request in provider.requests]
    assert seen.stdout == b"".join(body + b"\n" for body in bodies) and len(bodies) == 3

    (t2c.root / "TODO.md").write_text("# Plans\n\n- [ ] Add retry to the importer\n")
    assert t2c("scan").code == 0
    after = t2c("scan", "--llm", "record", "--dry-run", "--json", env=near).document
    assert [one["stage"] for one in after["requests"]] == ["markdown"]
    known = {one["stage"]: (one["requests"], one["known"]) for one in after["stages"]}
    assert known["documents"] == (0, 1), "it is asked about whole again, and answered from the record"
    off = t2c("scan", "--dry-run", "--json")
    assert off.code == 2 and off.document["error"]["remedy"] == "add --llm record"


def test_what_asking_a_model_appends_is_counted_and_wrong_recordings_stop_before_anything_is_recorded(
    t2c: Any, provider: Any
) -> None:
    project(t2c.root)
    outside = t2c(
        "scan", "--llm", "record", env={"T2C_LLM_BASE_URL": provider.url, "T2C_LLM_RECORDINGS": "docs"}
    )
    assert outside.code == 2
    assert not (t2c.root / ".t2c").exists()

    t2c("scan")
    before = len((t2c.root / ".t2c" / "journal.ndjson").read_bytes().splitlines())
    ran = t2c("scan", "--llm", "record", env={"T2C_LLM_BASE_URL": provider.url})
    lines = (t2c.root / ".t2c" / "journal.ndjson").read_bytes().splitlines()
    types = Counter(orjson.loads(line)["type"] for line in lines[before:])
    assert types["llm.asked"] > 0
    assert "nothing was appended" not in ran.out
    assert f"{sum(types.values()):,} events appended" in ran.out
    assert "a model was asked about the records" in ran.out
