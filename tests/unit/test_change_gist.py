"""Claim: `t2c ledger log` tells in one line what each event of plans, patches, approvals and applies says.

Seen to fail: for approvals, whose statement alone was told, which is often empty.
"""

from __future__ import annotations

import pytest

from t2c.cli.commands.change_gist import TOLD
from t2c.cli.commands.history import _gist
from t2c.ledger.events.base import Payload
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.changes import (
    ApplyAnnounced,
    ApplyFailed,
    ApplyReceipted,
    ChangeClosed,
    ChangeEvaluated,
    ChangePlanned,
    ChangeTried,
    FileChange,
    PatchRendered,
    SubjectVerdict,
)
from t2c.ledger.events.decisions import ApprovalGranted, ApprovalWithdrawn
from t2c.ledger.events.journal import KeyRevoked

A, EVENT, PLAN = "a" * 64, "EVT-" + "1" * 20, "CPLAN-" + "2" * 20
FILES = tuple(FileChange(path=path, before=None, after=A) for path in ("a.py", "b.py", "c.py", "d.py"))
TOLD_AS: tuple[tuple[Payload, str], ...] = (
    (
        ChangePlanned(id=PLAN, hash=A, plan={"title": "Open the\n door"}, proposed_by=()),
        f"{PLAN} Open the door",
    ),
    (
        PatchRendered(kind="source", hash=A, shown=A, artifact={"id": "SPATCH-x"}, plans=(PLAN,), proposed_by=()),
        f"source SPATCH-x of {PLAN}",
    ),
    (
        PatchRendered(kind="todo", hash=A, shown=A, artifact={}, plans=(), proposed_by=()),
        f"todo {'a' * 20}",
    ),
    (ApprovalGranted(subject="patch:todo", digest=A, statement=""), f"patch:todo {'a' * 20}"),
    (ApprovalGranted(subject="file:x", digest=A, statement="good"), f"file:x {'a' * 20} good"),
    (ApprovalWithdrawn(approval=EVENT, reason="wrong"), f"{EVENT} wrong"),
    (KeyRevoked(key="SHA256:x", reason="lost"), "key=SHA256:x reason=lost"),
    (
        ChangeTried(patch=A, plans=(PLAN,), revision="c" * 40, dirty=False, applied=True, gates=(), passed=True,
            detail=""),
        f"passed at {'c' * 12}, 0 gates",
    ),
    (
        ApplyAnnounced(purpose="change.apply", files=FILES, subject="patch:x", approval=EVENT),
        f"change.apply patch:x: a.py, b.py, c.py and 1 more under {EVENT}",
    ),
    (ApplyReceipted(announced=EVENT, files=FILES[:1]), f"done {EVENT}: a.py"),
    (
        ApplyFailed(announced=EVENT, outcome="undone", reason="no space", files=FILES[:1]),
        f"undone {EVENT}: no space",
    ),
    (
        ChangeEvaluated(plan=PLAN, hash=A, accepted=False, acceptance={}, subjects=(
            SubjectVerdict.model_construct(diagnostic="DIAG-x", state="open"),
        )),
        f"{PLAN} not accepted: DIAG-x open",
    ),
    (ChangeClosed(plans=(PLAN,), evaluations=(EVENT,), result={}), PLAN),
)  # fmt: skip


@pytest.mark.parametrize(("payload", "line"), TOLD_AS, ids=lambda one: getattr(one, "type", ""))
def test_an_event_is_told_in_one_line(payload: Payload, line: str) -> None:
    data = payload.model_dump(mode="json", by_alias=True)
    assert _gist(payload.type, data) == line


def test_every_type_of_these_families_is_told() -> None:
    families = ("change.", "patch.", "approval.", "apply.")
    assert set(TOLD) == {name for name in CATALOGUE.types() if name.startswith(families)}
    assert {payload.type for payload, _ in TOLD_AS} == {*TOLD, "key.revoked"}
