"""Claims: a kill while checkpoints are signed leaves whole ones or none, and a tree that nobody is misled by.

Mutation seen to fail: the file of a checkpoint written in place.
"""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import orjson

from t2c.ledger.anchors.files import beside, local
from t2c.ledger.audit.domain import DomainAudit
from t2c.ledger.engine import Ledger
from t2c.ledger.journal.tree import Tree
from t2c.ledger.journal.verify import verify_chain

WORKERS = """
import os, sys
from datetime import datetime, UTC
from pathlib import Path
import cryptography.hazmat.primitives.asymmetric.ed25519
from t2c.ledger.anchors import files, signing
from t2c.ledger.anchors.keyring import Keyring
from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import draft
from t2c.ledger.events.catalogue import CATALOGUE
Noted = CATALOGUE.payload("observation.noted")
workspace, state = Path(sys.argv[1]), Path(sys.argv[2])

def work():
    with Ledger(workspace) as ledger:
        keyring = Keyring(state, ledger.id())
        turn = 0
        while True:
            ledger.append([draft(Noted(statement=f"{turn} {n}")) for n in range(turn % 7)])
            with signing.open_tree(ledger) as tree:
                made = signing.sign_head(ledger, tree, keyring, datetime(2026, 1, 1, tzinfo=UTC))
            files.keep_beside(workspace / "checkpoints", made.note)
            files.keep_local(state, made.note, ledger.workspace)
            turn += 1

with Ledger(workspace) as ledger:
    signing.register(ledger, Keyring(state, ledger.id()))
for _ in sys.stdin:
    child = os.fork()
    if child == 0:
        work()
    os.write(1, b"%d\\n" % child)
    os.waitpid(child, 0)
    os.write(1, b"gone\\n")
"""


def test_a_kill_leaves_whole_checkpoints_or_none(
    workspace: Path, tmp_path: Path, spawn: Callable[..., Any], oracle: Any
) -> None:
    dice = random.Random(20260105)
    state = tmp_path / "state"
    workers = spawn(WORKERS, workspace, state)
    kept = 0
    for _ in range(25):
        workers.stdin.write("go\n")
        workers.stdin.flush()
        worker = int(workers.stdout.readline())
        time.sleep(dice.random() * 0.08)
        os.kill(worker, signal.SIGKILL)
        assert workers.stdout.readline() == "gone\n"
        with Ledger(workspace) as ledger:
            found = beside(workspace / "checkpoints", ledger.id())
            assert found.remarks == ()
            last = local(state, ledger.id(), ledger.workspace).anchors
            anchors = [*found.anchors, *last]
            audit = DomainAudit(lambda digest: True)
            report = verify_chain(
                ledger.journal,
                visit=lambda seq, line, audit=audit: audit.visit(seq, orjson.loads(line)),  # type: ignore[misc]
                sizes=[anchor.checkpoint.size for anchor in anchors],
            )
            assert [fault for fault in report.faults if fault.kind != "torn_tail"] == []
            for anchor in anchors:
                assert report.roots[anchor.checkpoint.size] == anchor.checkpoint.root

            def roots(sizes: Collection[int]) -> Mapping[int, bytes]:
                return verify_chain(ledger.journal, sizes=sizes).roots

            assert audit.finish(roots) == []
            assert audit.faults == []
            stored = Tree.stored(ledger.cache / "tree", ledger.journal)
            if stored is not None:
                with stored:
                    whole = verify_chain(ledger.journal, sizes=[stored.size]).roots[stored.size]
                    assert stored.disagreement(whole, whole=True) is None
            with Tree.open(ledger.cache / "tree", ledger.journal) as tree:
                lines = (workspace / "journal.ndjson").read_bytes().split(b"\n")[: tree.size]
                assert tree.root(tree.size) == oracle.root(
                    [bytes.fromhex(oracle.leaf(line)) for line in lines]
                )
        kept = len(found.anchors)
    assert kept > 10
