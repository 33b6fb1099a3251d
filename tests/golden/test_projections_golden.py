"""Artifacts of a stored journal, to the byte: any change of them is a change that somebody decided on."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.ledger.journal.read import JournalFile
from t2c.projections.fold import Folded, fold
from t2c.projections.registry import ALL

GOLDEN = Path(__file__).parent / "projections"


@pytest.fixture(scope="module")
def folded() -> Folded:
    return fold(JournalFile(GOLDEN / "journal.ndjson"), ALL, ALL)


def test_every_event_of_the_stored_journal_can_be_used(folded: Folded) -> None:
    assert not any(folded.faults.values())
    assert folded.unknown == {"future.thing v1": 1}
    assert folded.withheld == {"observation.noted": 1}


@pytest.mark.parametrize(
    "file",
    ["graph/graph.json", "records/records.jsonl", "records/lineage.json", "runs/runs.json", "summary/summary.json",
     "summary/summary.md"],
)  # fmt: skip
def test_an_artifact_is_what_it_was(folded: Folded, file: str, tmp_path: Path) -> None:
    name, _, artifact = file.partition("/")
    content = folded.artifacts(name)[artifact]
    actual = content if isinstance(content, bytes) else b"".join(content)
    made = tmp_path / artifact
    made.write_bytes(actual)
    assert actual == (GOLDEN / artifact).read_bytes(), (
        f"compare {made}, and copy it over if the change is meant"
    )


def test_every_artifact_has_a_stored_form(folded: Folded) -> None:
    made = {file for name in ("graph", "records", "runs", "summary") for file in folded.artifacts(name)}
    assert made == {path.name for path in GOLDEN.iterdir()} - {"journal.ndjson"}
