"""The diagnostics of the stored journal, to the byte, and in both languages."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.ledger.journal.read import JournalFile
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.messages import told
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

GOLDEN = Path(__file__).parent


def made() -> dict[str, bytes]:
    folded = fold(JournalFile(GOLDEN / "projections" / "journal.ndjson"), ALL, ["diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    content = folded.artifacts("diagnostics")["diagnostics.json"]
    assert isinstance(content, bytes)
    found = findings_of(Inputs(folded.ts, folded.states, folded.made))
    polish = [
        f"{one.id} {one.title}\n  {one.detail}\n  → {one.suggestedAction}\n"
        for one in (told(finding, "pl") for finding in found)
    ]
    return {"diagnostics.json": content, "diagnostics.pl.txt": "".join(polish).encode()}


@pytest.mark.parametrize("file", ["diagnostics.json", "diagnostics.pl.txt"])
def test_diagnostics_are_what_they_were(file: str, tmp_path: Path) -> None:
    actual = tmp_path / file
    actual.write_bytes(made()[file])
    assert actual.read_bytes() == (GOLDEN / "diagnostics" / file).read_bytes(), (
        f"compare {actual}, and copy it over if the change is meant"
    )
