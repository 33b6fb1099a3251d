"""Claims: nothing is applied under an approval of a journal that was edited, wherever the edit stands.

Seen to fail: where only the end of the journal was looked at, one approval was turned into one of another patch.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Corrupt
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.events.statements import ObservationNoted
from t2c.ledger.kernel.actor import Actor

ADA = Actor("human", "ada")


@pytest.mark.parametrize("torn", [False, True])
def test_an_approval_that_was_turned_into_another_applies_nothing(t2c: Any, torn: bool) -> None:
    assert t2c("init").code == 0
    root, journal = Path(t2c.root), Path(t2c.root) / ".t2c" / "journal.ndjson"
    good, other = "a" * 64, "b" * 64
    with Ledger(root / ".t2c") as ledger:
        payload = ApprovalGranted(subject="patch:todo", digest=good, statement="")
        approval = ledger.append([draft(payload, actor=ADA)])[0].id
        for said in ("one", "two"):
            note = ObservationNoted(statement=said, objects=())
            ledger.append([draft(note, actor=ADA, trust="asserted")])

    def applied(digest: str) -> None:
        mandate = Mandate("todo.apply", "patch:todo", digest, approval, "human:bob")
        with Ledger(root / ".t2c") as ledger:
            apply(ledger, root, [Wanted("TODO.md", None, b"- [ ] new\n")], mandate)

    journal.write_bytes(journal.read_bytes().replace(good.encode(), other.encode()))
    if torn:
        with journal.open("ab") as stream:
            stream.write(b'{"actor":')
    with pytest.raises(Corrupt, match="was changed after it was written"):
        applied(other)
    assert not (root / "TODO.md").exists()
    journal.write_bytes(journal.read_bytes().replace(other.encode(), good.encode()))
    applied(good)
    assert (root / "TODO.md").read_bytes() == b"- [ ] new\n"
