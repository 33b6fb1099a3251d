"""Candidates judged by a model in a scan: only what it accepts is related, as its claim; nothing public names it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson
import pytest

ROOT = Path(__file__).parents[2]
RERANK = "t2c_cross_language_rerank_v1"
REASON = "repository_evidence_supports_match"
DATA = re.compile(r"<<<DATA (\S+) .*?\n(.*)\n\1 DATA>>>", re.DOTALL)
FILES = {
    "src/session_expiry.py": '"""Ends idle sessions after a while."""\n\ndef expire_sessions(limit):\n    return limit\n',
    "src/invoice.py": '"""Writes invoices on paper."""\n\ndef render_invoice(order):\n    return order\n',
    "src/login.py": '"""Login."""\n\ndef lock():\n    return 1\n',
    "README.md": "# Shop\n\n## How idle sessions come to an end\n\nAn invoice goes out on paper.\n",
    "TODO.md": "# Plans\n\n- [ ] Invoices on paper for all orders\n- [ ] Let idle people see sessions ended\n",
    # Only this stage asks: every other one reads nothing.
    "t2c.toml": '[llm]\nnatural_language = "deterministic"\nmarkdown = "deterministic"\n'
    'documents = "deterministic"\ncommunication = "deterministic"\n',
}


def git(root: Path, *arguments: str) -> None:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    subprocess.run(["git", "-C", str(root), *who, *arguments], check=True, capture_output=True)


def project(root: Path) -> None:
    (root / ".git").rmdir()
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    git(root, "init", "-q")
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", "Start")


def near(provider: Any) -> dict[str, str]:
    return {
        "T2C_LLM_BASE_URL": provider.url,
        "T2C_LLM_SEMANTIC": "yes",
        "T2C_LLM_SEMANTIC_MODEL_REVISION": "2026-11-01",
    }


def shown(body: Mapping[str, Any]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    found = DATA.search(body["messages"][1]["content"])
    assert found is not None
    rows = [json.loads(line) for line in found[2].splitlines()]
    return {row["recordId"]: row for row in rows if "recordId" in row}, [
        row for row in rows if "candidateId" in row
    ]


def answer(body: Mapping[str, Any], verdict: str = "accept") -> list[dict[str, Any]]:
    """Accept the first candidate of each statement, or say the same of all."""
    records, candidates = shown(body)
    said: list[dict[str, Any]] = []
    met: set[str] = set()
    for one in candidates:
        ends = [one["declaration"], one["module"]]
        takes = verdict if ends[0] not in met else "reject"
        met.add(ends[0])
        said.append(
            {
                "candidateId": one["candidateId"],
                "verdict": takes,
                "confidence": 1,
                "reasonCode": REASON if takes == "accept" else "insufficient_evidence",
                "rationale": "so it seems",
                "citedRecordIds": ends,
                "evidence": [
                    {"recordId": ends[0], "quote": records[ends[0]]["text"].upper()},
                    {"recordId": ends[1], "quote": records[ends[1]]["paths"][0]},
                ],
            }
        )
    return said


def events(root: Path, *types: str) -> list[dict[str, Any]]:
    lines = (root / ".t2c" / "journal.ndjson").read_bytes().splitlines()
    return [event for event in map(orjson.loads, lines) if event["type"] in types]


def accepted(t2c: Any, root: Path | None = None) -> list[dict[str, Any]]:
    rows = t2c("link", "list", "--json", cwd=root).document["links"]
    return [row for row in rows if row["rule"] == "cross_language_reranker"]


def judging(t2c: Any) -> list[str]:
    """What is real, what does not fit and what came to stand, without the times and fingerprints that they name."""
    asked = (("reality", "--grades"), ("diagnose",), ("timeline", "TODO.md"))
    said = [t2c(*arguments, "--json") for arguments in asked]
    assert [one.code for one in said] == [0] * len(asked), [one.err for one in said]
    return [re.sub(r'"(generatedAt|seq|head|\w*[fF]ingerprint)": ("[^"]*"|\d+)', "", one.out) for one in said]


def test_what_a_model_accepts_is_related_as_its_claim_and_nothing_rests_on_it(
    t2c: Any, provider: Any
) -> None:
    project(t2c.root)
    provider.on(RERANK, lambda body: {"decisions": answer(body)})
    assert t2c("scan").code == 0
    before = judging(t2c)
    first = t2c("scan", "--llm", "record", "--json", env=near(provider))
    assert first.code == 0, first.err
    audit = first.document["interpretation"][-1]
    assert (audit["stage"], audit["status"], audit["interpreted"]) == ("semantic", "succeeded", 3)
    rows = accepted(t2c)
    assert sorted(row["to"].partition(" ")[0] for row in rows) == [
        "invoice",
        "session_expiry",
        "session_expiry",
    ]
    assert {(row["type"], row["confidence"]) for row in rows} == {("evidenced_by", 0.95)}
    assert all("as mistralai/codestral-2508@2026-11-01 says" in row["sentence"] for row in rows)
    linked = [
        event
        for event in events(t2c.root, "relation.linked")
        if event["data"]["rule"] == "cross_language_reranker"
    ]
    (answered,) = events(t2c.root, "llm.answered")
    assert {(event["actor"]["kind"], event["trust"], *event["cause"]) for event in linked} == {
        ("agent", "asserted", answered["id"])
    }
    (noted,) = events(t2c.root, "observation.noted")
    for digest, schema in zip(
        noted["data"]["objects"], ("semantic-candidate-set", "semantic-rerank"), strict=True
    ):
        content = orjson.loads((t2c.root / ".t2c/objects" / digest[:2] / digest[2:]).read_bytes())
        assert content["schemaVersion"] == f"t2c.{schema}/v1"

    # It judges nothing: every view that does is as it was, but for when and of which graph it says so.
    assert judging(t2c) == before

    journal = (t2c.root / ".t2c/journal.ndjson").read_bytes()
    for arguments in ((), ("--llm", "record"), ("--llm", "replay")):
        again = t2c("scan", *arguments, env=near(provider))
        assert again.code == 0, again.err
        assert (t2c.root / ".t2c/journal.ndjson").read_bytes() == journal, arguments
    assert len(provider.requests) == 1
    verified = t2c("ledger", "verify", "--level", "domain")
    assert verified.code == 0, verified.out + verified.err

    # Whoever has the revision and the record of the answers comes to the same, without a network.
    other = t2c.root.parent / "other"
    git(t2c.root.parent, "clone", "-q", str(t2c.root), str(other))
    shutil.copytree(t2c.root / ".t2c", other / ".t2c" / "recorded")
    elsewhere = {**near(provider), "T2C_LLM_BASE_URL": "http://127.0.0.1:9/v1"}
    replayed = t2c(
        "scan", "--llm", "replay", cwd=other, env={**elsewhere, "T2C_LLM_RECORDINGS": ".t2c/recorded"}
    )
    assert replayed.code == 0, replayed.err
    assert accepted(t2c, other) == rows

    # A person's word counts more, and nobody is asked about that pair again.
    wrong = next(row for row in rows if row["to"].startswith("invoice"))
    assert t2c("link", "reject", wrong["id"], "--reason", "no").code == 0
    assert t2c("scan", "--llm", "record", env=near(provider)).code == 0
    (gone,) = events(t2c.root, "relation.unlinked")
    assert gone["data"] == {"id": wrong["id"], "why": "judged_wrong"}
    _, candidates = shown(provider.requests[-1].body)
    assert {wrong["from_record"]} & {one["declaration"] for one in candidates} == set()

    # A module that says something else is not what was accepted.
    (t2c.root / "src/session_expiry.py").write_text(
        "def expire_sessions(limit):\n    return None\n\n\ndef more():\n    pass\n"
    )
    assert t2c("scan").code == 0
    assert accepted(t2c) == []
    assert [event["data"]["why"] for event in events(t2c.root, "relation.unlinked")][-1] == "signal_gone"
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def rejected_all(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    return answer(body, "reject")


def foreign(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = answer(body)
    said[-1]["citedRecordIds"] = [said[-1]["citedRecordIds"][0], "INT-AST-" + "0" * 20]
    return said


def unquoted(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = answer(body)
    said[-1]["evidence"][-1]["quote"] = "nobody wrote this"
    return said


def twice(body: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = answer(body)
    return [*said, said[0]]


@pytest.mark.parametrize(
    ("judges", "reason"),
    [
        (rejected_all, None),
        (foreign, "citedRecordIds are not the two records"),
        (unquoted, "quote does not occur"),
        (twice, "is decided already"),
    ],
)
def test_without_an_answer_that_keeps_every_rule_no_score_relates_anything(
    t2c: Any, provider: Any, judges: Callable[[Mapping[str, Any]], list[dict[str, Any]]], reason: str | None
) -> None:
    project(t2c.root)
    provider.on(RERANK, lambda body: {"decisions": judges(body)})
    done = t2c("scan", "--llm", "record", "--json", env=near(provider))
    assert done.code == 0, done.err
    assert len(shown(provider.requests[0].body)[1]) >= 2
    assert len(provider.requests) == 1, "a second attempt"
    rules = [event["data"]["rule"] for event in events(t2c.root, "relation.linked")]
    assert rules and "cross_language_reranker" not in rules
    audit = done.document["interpretation"][-1]
    if reason is None:
        assert audit["status"] == "succeeded"
        return
    assert (audit["status"], audit["reason"]["code"]) == ("fallback", "LLM_RESPONSE_INVALID")
    assert reason in audit["reason"]["message"]
    (unusable,) = events(t2c.root, "llm.unusable")
    assert unusable["data"]["reason"] == "rule_violation"
    assert events(t2c.root, "observation.noted") == []


def test_only_a_clean_snapshot_of_the_scanned_revision_is_asked_about(t2c: Any, provider: Any) -> None:
    project(t2c.root)
    env = near(provider)

    def refused(said: str, **more: str) -> None:
        done = t2c("scan", "--llm", "record", "--json", env={**env, **more})
        assert done.code == 0, done.err
        audit = done.document["interpretation"][-1]
        assert (audit["status"], audit["reason"]["code"]) == ("skipped", "STAGE_SKIPPED")
        assert said in audit["reason"]["message"]
        assert said in done.err
        assert said in events(t2c.root, "degradation.noted")[-1]["data"]["reason"]

    refused("does not name the model's revision", T2C_LLM_SEMANTIC_MODEL_REVISION=" ")
    (t2c.root / "new.md").write_text("# New\n")
    refused("the work tree is not as HEAD has it: new.md")
    number = len(events(t2c.root, "degradation.noted"))
    refused("the work tree is not as HEAD has it: new.md")
    assert len(events(t2c.root, "degradation.noted")) == number, "nothing new happened"
    (t2c.root / "new.md").unlink()
    # What Git ignores and t2c is told to read is in no snapshot.
    (t2c.root / ".gitignore").write_text("docs/\n")
    (t2c.root / ".intentignore").write_text("!docs/\n")
    git(t2c.root, "add", "-A")
    git(t2c.root, "commit", "-q", "-m", "Read the documents")
    (t2c.root / "docs").mkdir()
    (t2c.root / "docs/TODO.md").write_text("# Plans\n\n- [ ] Sessions of idle people are ended\n")
    refused("Git does not track what would be shown: docs/TODO.md")
    assert provider.requests == []


def test_outside_git_nothing_is_asked(t2c: Any, provider: Any) -> None:
    for name, text in FILES.items():
        (t2c.root / name).parent.mkdir(parents=True, exist_ok=True)
        (t2c.root / name).write_text(text)
    done = t2c("scan", "--llm", "record", env=near(provider))
    assert "no revision of Git was scanned" in done.err
    assert provider.requests == []


def test_what_one_answer_cannot_hold_is_counted(t2c: Any, provider: Any) -> None:
    project(t2c.root)
    provider.on(RERANK, lambda body: {"decisions": answer(body)})
    env = {**near(provider), "T2C_LLM_MAX_TOKENS": "300"}
    assert t2c("scan", "--llm", "record", env=env).code == 0
    assert len(shown(provider.requests[0].body)[1]) == 1
    (noted,) = [
        event["data"]
        for event in events(t2c.root, "omission.noted")
        if event["data"]["source"] == "llm.semantic"
    ]
    assert (noted["reason"], noted["count"] >= 1) == ("candidates_capped", True)
    assert t2c("scan", "--llm", "record", env=near(provider)).code == 0
    assert [event["data"]["reason"] for event in events(t2c.root, "omission.cleared")] == [
        "candidates_capped"
    ]


def test_nothing_public_names_it(t2c: Any) -> None:
    for arguments in (("--help",), ("scan", "--help"), ("config", "show"), ("config", "show", "--json"), ("schemas", "list", "--json")):  # fmt: skip
        done = t2c(*arguments)
        assert done.code == 0, done.err
        assert "semantic" not in done.out.lower(), arguments
    for name in ("docs/cli.md", "schemas/index.json", "docs/omissions.md"):
        assert "semantic" not in (ROOT / name).read_text(encoding="utf-8").lower(), name
    assert [path.name for path in (ROOT / "schemas").rglob("*semantic*")] == []
    plain = t2c("scan", "--json")
    assert plain.code == 0 and "semantic" not in plain.out
