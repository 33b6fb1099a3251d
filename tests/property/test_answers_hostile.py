"""Whatever a valid answer says, checking it ends in findings that are recorded, and the work tree stays as it is."""

from __future__ import annotations

import subprocess
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, get_args

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from t2c.ledger.answers.base import Bench
from t2c.ledger.answers.history import answer, decoded, events
from t2c.ledger.answers.recording import record
from t2c.ledger.answers.registry import verify
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.intake.base import no_progress

MINE = (
    "attempt_report",
    "proposal",
    "assessment",
    "monitoring",
    "shaped",
    "hosted",
    "explored",
    "blocked",
    "question",
)
HOSTILE = st.sampled_from(
    [
        "", " ", "\0", "../../etc/passwd", "/etc/passwd", "src/a.py", "src/a.py:1", "src/a.py:999999", "C:\\x", "a" * 5000,
        "--output=/tmp/x", "HEAD", "$(id)", "`id`", '"FR-001"', '"A door closes." and "FR-001"', "FR-001", "\u202e", "-",
        "> quote\n> more", "+x = 1\n-y\n@@ -1 +1 @@", "src", ".git/config", ".t2c/journal.ndjson", "ż/ó.py", "'''" * 50,
        "All 12 tests pass, wrote weekly.csv", "\ud7ff\uffff", "src/loop", "x.py:0", "[x](y) " * 200, "." * 3000,
    ]
)  # fmt: skip
TEXT = HOSTILE | st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


@cache
def documents(annotation: Any) -> st.SearchStrategy[Any]:
    """JSON values of a type."""
    if annotation is str:
        return TEXT
    if annotation is bool:
        return st.booleans()
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return st.sampled_from([member.value for member in annotation])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        members = annotation.model_fields.items()
        return st.fixed_dictionaries({one.alias or name: documents(one.annotation) for name, one in members})
    return st.lists(documents(get_args(annotation)[0]), max_size=3)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small repository with a change, a link that leads to itself, and a specification."""
    root: Path = tmp_path_factory.mktemp("hostile")

    def git(*arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@b.c")
        subprocess.run(["git", *who, *arguments], cwd=root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (root / "src").mkdir()
    (root / "src/a.py").write_text("x = 1\n")
    (root / "src/loop").symlink_to("loop")
    (root / "spec.md").write_text("FR-001: A door closes.\n")
    git("add", "-A")
    git("commit", "-qm", "first")
    (root / "src/a.py").write_text("x = 2\n")
    create(root / ".t2c")
    with Ledger(root / ".t2c", durability="none") as ledger:
        yield Bench(ledger, root, no_progress, spec=(root / "spec.md",))


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_every_check_of_every_answer_ends_in_recorded_findings(bench: Bench, data: st.DataObject) -> None:
    root = data.draw(st.sampled_from(MINE))
    value = data.draw(documents(ROOTS[root]))
    before = sorted(path.as_posix() for path in bench.tree.rglob("*") if ".t2c" not in path.parts)
    made = record(bench.ledger, root, orjson.dumps(value), about=data.draw(st.sampled_from([None, "T1"])))
    found = list(verify(answer(bench.ledger, made.event), bench))
    recorded = {entry.id: decoded(entry) for entry in events(bench.ledger, "answer.verified", after=made.seq)}
    assert {one.event for one in found} <= recorded.keys()
    assert all(one["answer"] == made.event for one in recorded.values())
    assert recorded and (found or root == "question")
    assert sorted(path.as_posix() for path in bench.tree.rglob("*") if ".t2c" not in path.parts) == before


def test_the_ledger_of_all_of_them_is_sound(bench: Bench) -> None:
    """Runs after the others, on what they left."""
    ledger = bench.ledger
    audit = DomainAudit(ledger.objects.has)
    for seq, line in enumerate((ledger.workspace / JOURNAL).read_bytes().splitlines(), 1):
        audit.visit(seq, orjson.loads(line))
    audit.finish()
    assert audit.faults == []
