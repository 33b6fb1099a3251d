"""Claims: a redaction or a redactable append that is killed at any step is told by `verify` or `doctor` and finished by
the same command; no line ever cites a payload that is not there.

Mutations seen to fail: the object deleted before the announcement; the line written before the object.
"""

from __future__ import annotations

import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.leftovers import leftovers
from t2c.cli.actions.redact import redact
from t2c.cli.actions.verify import verify
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger, create
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import SystemClock

Noted = CATALOGUE.payload("observation.noted")
SAID = "Ada was ill in March"

KILLED = """
import os, pathlib, signal, sys
from pathlib import Path
from t2c.cli.actions.context import Context
from t2c.cli.actions.redact import redact
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import SystemClock

root, verb, left, after = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "after"
calls = 0
def watched(real):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls == left and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        result = real(*arguments, **options)
        if calls == left:
            os.kill(os.getpid(), signal.SIGKILL)
        return result
    return call

context = Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)
ledger = Ledger(root / ".t2c")
ledger.head()
for name in ("write", "fdatasync", "fsync", "unlink", "replace", "rename"):
    setattr(os, name, watched(getattr(os, name)))
if verb == "redact":
    redact(context, "2", "asked for")
else:
    noted = CATALOGUE.payload("observation.noted")(statement="Ada was ill in March")
    ledger.append([draft(noted, actor=Actor("human", "ada"), redactable=True, key="k")])
print(calls)
"""


def context_of(root: Path) -> Context:
    return Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)


def found(root: Path) -> list[str]:
    return [str(fault["kind"]) for fault in verify(context_of(root), "domain").faults]


def killed_everywhere(
    spawn: Callable[..., Any], tmp_path: Path, verb: str, after: str, prepare: Callable[[Path], None]
) -> list[Path]:
    """A root for every call at which the command was killed."""
    roots = []
    for left in range(1, 60):
        root = tmp_path / f"{verb}-{after}-{left}"
        root.mkdir()
        prepare(root)
        child = spawn(KILLED, root, verb, left, after)
        said = child.communicate(timeout=60)[0]
        if child.returncode == 0:
            assert int(said) == left - 1
            shutil.rmtree(root)
            return roots
        assert child.returncode == -signal.SIGKILL
        roots.append(root)
    raise AssertionError("it never came to its end")


def kept(root: Path) -> None:
    create(root / ".t2c")
    with Ledger(root / ".t2c") as ledger:
        ledger.append([draft(Noted(statement=SAID), actor=Actor("human", "ada"), redactable=True, key="k")])


@pytest.mark.parametrize("after", ["before", "after"])
def test_a_killed_redaction_is_told_and_finished(
    spawn: Callable[..., Any], tmp_path: Path, after: str
) -> None:
    roots = killed_everywhere(spawn, tmp_path, "redact", after, kept)
    assert len(roots) >= 4
    states = set()
    for root in roots:
        with Ledger(root / ".t2c") as ledger:
            announced = any(entry.type == "payload.redacted" for entry in ledger.entries())
            there = list(ledger.objects.digests())
            assert announced or there, "nothing is deleted that was not announced"
            assert leftovers(ledger).redacted == ((2,) if announced and there else ())
        assert set(found(root)) - {"torn_tail"} == (
            {"redaction_unfinished"} if announced and there else set()
        )
        states.add((announced, bool(there)))
        result = redact(context_of(root), "2", "asked for")
        assert result.repeated == announced
        with Ledger(root / ".t2c") as ledger:
            assert list(ledger.objects.digests()) == []
            assert sum(entry.type == "payload.redacted" for entry in ledger.entries()) == 1
        assert found(root) == []
        assert not any(SAID.encode() in path.read_bytes() for path in root.rglob("*") if path.is_file())
    assert states == {(True, True), (True, False)} | ({(False, True)} if after == "before" else set())


@pytest.mark.parametrize("after", ["before", "after"])
def test_a_killed_append_never_cites_what_is_not_there(
    spawn: Callable[..., Any], tmp_path: Path, after: str
) -> None:
    roots = killed_everywhere(spawn, tmp_path, "append", after, lambda root: create(root / ".t2c") and None)
    assert len(roots) >= 4
    orphans = 0
    for root in roots:
        assert "payload_missing" not in found(root)
        with Ledger(root / ".t2c") as ledger:
            orphans += len(leftovers(ledger).uncited)
            again = draft(Noted(statement=SAID), actor=Actor("human", "ada"), redactable=True, key="k")
            ledger.append([again])
            assert sum(entry.data_hash is not None for entry in ledger.entries()) == 1
        assert found(root) == []
    assert orphans > 0, "some were killed between the object and its line, and are told"
