"""What is related and found stands on content: blank lines and the order of what is said change nothing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.linker import link

ROOT = Path(__file__).parents[2]
SHIFTED = (".md", ".py", ".yml", ".rst", ".txt")


def t2c(root: Path, *arguments: str) -> bytes:
    command = [sys.executable, "-m", "t2c.cli", "--root", str(root), *arguments]
    return subprocess.run(command, check=True, capture_output=True).stdout


def seen(root: Path) -> dict[str, Any]:
    """Relations, findings and topics, without moments and places."""
    graph = json.loads(t2c(root, "graph", "--json"))
    found = json.loads(t2c(root, "diagnose", "--format", "diagnostics"))
    reality = json.loads(t2c(root, "reality", "--json"))
    return {
        "relations": graph["relations"],
        "findings": sorted((one["id"], one["severity"], *one["recordIds"]) for one in found["diagnostics"]),
        "topics": [(row["key"], row["status"], row["recordIds"]) for row in reality["rows"]],
    }


@pytest.mark.parametrize("blank", [1, 7])
def test_blank_lines_change_no_relation_no_finding_and_no_topic(tmp_path: Path, blank: int) -> None:
    root = tmp_path / "shop"
    subprocess.run(
        [sys.executable, ROOT / "docs/examples/evidence.py", root], check=True, capture_output=True
    )
    t2c(root, "scan", "--task", str(root / "ticket.md"))
    before = seen(root)
    assert before["relations"] and before["findings"] and before["topics"]
    moved = 0
    for path in sorted(root.rglob("*")):
        if path.suffix not in SHIFTED or {".git", ".t2c"} & set(path.parts) or not path.is_file():
            continue
        text = path.read_text()
        # The first line of some formats says what the file is.
        head, _, rest = text.partition("\n")
        path.write_text(
            f"{head}\n" + "\n" * blank + rest if head.startswith(("---", "<")) else "\n" * blank + text
        )
        moved += 1
    assert moved > 10
    t2c(root, "scan", "--task", str(root / "ticket.md"))
    assert b'"record.moved"' in t2c(root, "ledger", "log", "--json", "--type", "record.moved")
    assert seen(root) == before


WORDS = st.lists(
    st.sampled_from(["lock", "write", "count", "accounts", "passwords", "log", "mail", "session"]),
    min_size=4,
    max_size=7,
    unique=True,
)


def requirement(text: str, path: str, *, denies: bool) -> bytes:
    draft = Draft(
        kind="requirement", text=text, object=text, action="unknown", cls="plan", status="proposed", confidence=0.9,
        basis=("made",), symbols=("login.lock",), polarity="negative" if denies else "positive",
        modality="required", metadata={"constraint": denies},
    )  # fmt: skip
    (found,) = materialise(Reading(Scope("document", path), "t2c/made@1", (draft,)))
    return found.body


@given(words=WORDS, other=WORDS)
@settings(max_examples=100, deadline=None)
def test_contradictions_are_symmetric(words: list[str], other: list[str]) -> None:
    said, denied = f"`login.lock` must {' '.join(words)}", f"`login.lock` must not {' '.join(other)}"
    here = [requirement(said, "docs/a.md", denies=False), requirement(denied, "docs/b.md", denies=True)]
    there = [requirement(denied, "docs/a.md", denies=True), requirement(said, "docs/b.md", denies=False)]
    found, mirrored = (
        [one for one in link(bodies).relations if one.type == "contradicts"] for bodies in (here, there)
    )
    assert len(found) == len(mirrored) <= 1
    if words == other:
        assert found, "the plain denial of a statement contradicts it"
    for one, twin in zip(found, mirrored, strict=True):
        assert (one.confidence, one.rule) == (twin.confidence, twin.rule)
        assert one.source == min(msgspec.json.decode(body)["id"] for body in here)
        assert twin.source == min(msgspec.json.decode(body)["id"] for body in there)
