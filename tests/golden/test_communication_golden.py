"""The analysis of one small conversation, to the byte, and in both languages."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.projections.base import Inputs
from t2c.projections.communication import issues_of
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

GOLDEN = Path(__file__).parent / "communication"
FILES = ("communication.json", "communication.md", "communication.pl.txt")
SAID = {
    "project/t-1/user-ada.md": "# Ada\n\n## Request\n\n- Store the password <b>plain</b>.\n- Drukuj fakturę “ąę”.\n",
    "project/t-1/user-bob.md": "# Bob\n\n## Request\n\nDo not store the password plain.\n",
    "project/t-1/ai-codex.md": "# Codex\n\n## Plan\n\nStore the password plain.\n\n## Results\n\n- Naprawiono pompę.\n"
    "- Added `src/pump.py`.\n- All 12 tests pass, wrote weekly.csv.\n- The owner approved the plan.\n",
    "project/t-1/ai-grok.md": "# Grok\n\n## Plan\n\nDo not store the password plain.\n",
    "project/t-2/ai-codex.md": "# Codex\n\n## Plan\n\nRemove the newsletter.\n",
    "project/t-2/note.md": "---\nticket: t-2\n---\nAdd a retry.\n",
}  # fmt: skip


class Tree:
    """No file stands beside the messages."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


@pytest.fixture(scope="module")
def made(new_journal: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    chain = new_journal(tmp_path_factory.mktemp("golden") / "journal.ndjson")
    for path, text in SAID.items():
        chain.observe("agent_log", path, *CommunicationExtractor().read(path, text.encode(), Tree()).records)
    metadata = {
        "author": "Ada", "committer": "codex", "coAuthors": ["Codex"], "agents": [], "docOnly": False,
        "changedFiles": [{"status": "A", "path": "src/pump.py"}], "committedAt": "2026-01-03T12:00:00+01:00", "parents": [],
    }  # fmt: skip
    draft = Draft(
        kind="commit_intent_claim", text="Add the pump", object="pump", action="add", cls="claim", status="implemented",
        confidence=0.86, basis=("commit_message",), revision="a" * 40, metadata=metadata, paths=("src/pump.py",),
    )  # fmt: skip
    chain.observe("git", None, draft)
    folded = fold(chain.journal, ALL, ["communication"])
    assert not any(folded.faults.values())
    content = {
        file: body if isinstance(body, bytes) else b"".join(body)
        for file, body in folded.artifacts("communication").items()
    }
    polish = [
        f"{one.id} {one.code}\n  {one.detail}\n  → {one.suggestedAction}\n"
        for one in issues_of(Inputs(folded.ts or "", folded.states, folded.made), "pl")
    ]
    return {**content, "communication.pl.txt": "".join(polish).encode()}


@pytest.mark.parametrize("file", FILES)
def test_the_analysis_is_what_it_was(made: dict[str, bytes], file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(made[file])
    assert made[file] == (GOLDEN / file).read_bytes(), (
        f"compare {tmp_path / file}, and copy it over if the change is meant"
    )


def test_nothing_is_stored_that_is_not_made(made: dict[str, bytes]) -> None:
    assert sorted(made) == sorted(FILES) == sorted(path.name for path in GOLDEN.iterdir())
