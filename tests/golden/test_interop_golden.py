"""The stored journal in the shape of other systems, to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.ledger.interop.event_log import parse
from t2c.ledger.journal.read import JournalFile
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

GOLDEN = Path(__file__).parent


def artifacts() -> dict[str, bytes]:
    folded = fold(JournalFile(GOLDEN / "projections" / "journal.ndjson"), ALL, ["event-log"])
    assert not any(folded.faults.values())
    made = folded.artifacts("event-log")
    return {name: body if isinstance(body, bytes) else b"".join(body) for name, body in made.items()}


@pytest.mark.parametrize("file", ["logs.dsl.txt", "event-log.json"])
def test_the_event_log_is_what_it_was(file: str, tmp_path: Path) -> None:
    made = tmp_path / file
    made.write_bytes(artifacts()[file])
    assert made.read_bytes() == (GOLDEN / "interop" / file).read_bytes(), (
        f"compare {made}, and copy it over if the change is meant"
    )


def test_every_file_of_the_event_log_is_stored() -> None:
    assert artifacts().keys() == {path.name for path in (GOLDEN / "interop").iterdir()}
    assert parse(artifacts()["logs.dsl.txt"]).events
