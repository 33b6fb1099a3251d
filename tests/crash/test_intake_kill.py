"""Claims: intake that is killed at any step loses no message, writes no part of a file, and is mended by sending the
same command again or by RebuildProjection.

Mutations seen to fail: the file written before its event; the file written in place; a repeated command that mends
nothing; what a killed writer left beside the file kept.
"""

from __future__ import annotations

import json
import shutil
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.cli.actions.context import Context
from t2c.cli.actions.intake import command
from t2c.cli.actions.intake_query import query
from t2c.cli.actions.verify import verify
from t2c.cli.settings import load
from t2c.ledger.commands.intake_contract import hash_of
from t2c.ledger.intake.governed.files import managed_of
from t2c.ledger.kernel.clock import SystemClock

FILE = "project/ticket-004/manager-ada.md"
KILLED = """
import os, signal, sys
from pathlib import Path
from t2c.cli.actions.context import Context
from t2c.cli.actions.intake import command
from t2c.cli.settings import load
from t2c.ledger.kernel.clock import SystemClock

root, left, after = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "after"
calls = 0
def watched(real):
    def call(*arguments, **options):
        global calls
        calls += 1
        if calls == left and not after:
            os.kill(os.getpid(), signal.SIGKILL)
        mine = calls
        try:
            return real(*arguments, **options)
        finally:
            if mine == left:
                os.kill(os.getpid(), signal.SIGKILL)
    return call

context = Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)
content = (root.parent / "message.json").read_bytes()
for name in ("write", "fdatasync", "fsync", "unlink", "replace", "rename", "mkdir"):
    setattr(os, name, watched(getattr(os, name)))
result = command(context, content)
assert result.accepted and result.diagnostic is None, result
print(calls)
"""


def sealed(kind: str, payload: dict[str, Any], key: str) -> bytes:
    payload = {"schemaVersion": f"t2c.intake-{kind}/v1", **payload}
    return json.dumps(
        {
            "schemaVersion": "t2c.intake-envelope/v1", "messageId": key, "correlationId": "c", "causationId": None,
            "idempotencyKey": key, "authenticatedPrincipal": "github:ada", "expectedVersion": None,
            "timestamp": "2026-01-05T10:00:00Z", "payloadHash": hash_of(payload), "payload": payload,
        }
    ).encode()  # fmt: skip


ADA = {
    "id": "human:ada", "kind": "human", "displayName": "Ada", "governanceRole": "manager",
    "capabilities": ["assign_participant", "capture_own_message", "rebuild_projection"],
    "principals": [{"provider": "github", "subject": "ada", "verifiedAt": "2026-01-05T09:00:00Z"}],
    "ticketIds": ["ticket-004"],
}  # fmt: skip
FIRST, SECOND = (
    sealed(
        "command",
        {
            "type": "CaptureMessage", "participantId": "human:ada", "governanceRole": "manager",
            "ticketId": "ticket-004", "message": message,
        },
        message,
    )
    for message in ("First", "Second")
)  # fmt: skip
PLACE = {"participantId": "human:ada", "ticketId": "ticket-004"}
REBUILD = sealed("command", {"type": "RebuildProjection", **PLACE}, "rebuild")
VALIDATE = sealed("query", {"type": "ValidateProjection", **PLACE}, "q")
CONVERSATION = sealed("query", {"type": "GetTicketConversation", "ticketId": "ticket-004"}, "q")


def context_of(root: Path) -> Context:
    return Context(root, root, load(root, {}), SystemClock(), lambda stage, done, total: None)


def asked(root: Path, content: bytes) -> Any:
    return query(context_of(root), content).data


@pytest.mark.parametrize("after", ["before", "after"])
def test_a_capture_that_is_killed_anywhere_is_mended(
    spawn: Callable[..., Any], tmp_path: Path, after: str
) -> None:
    model = tmp_path / "model"
    model.mkdir()
    for content in (sealed("command", {"type": "RegisterParticipant", "participant": ADA}, "reg"), FIRST):
        assert command(context_of(model), content).exit == 0
    (tmp_path / "message.json").write_bytes(SECOND)
    owed = 0
    # Killed after a call is killed before the next: every second call, before and after, is every instant.
    for left in range(1, 80, 2):
        root = tmp_path / f"{after}-{left}"
        shutil.copytree(model, root)
        child = spawn(KILLED, root, left, after)
        child.communicate(timeout=60)
        if child.returncode == 0:
            break
        assert child.returncode == -signal.SIGKILL
        assert verify(context_of(root), "domain").faults == []
        assert managed_of((root / FILE).read_bytes(), "human:ada")
        said = [one["message"] for one in asked(root, CONVERSATION)]
        assert said in (["First"], ["First", "Second"])
        recorded = len(said) == 2
        owed += recorded and not asked(root, VALIDATE)["valid"]
        assert recorded or "Second" not in (root / FILE).read_text()
        again = tmp_path / "again"
        shutil.copytree(root, again)
        assert command(context_of(again), SECOND).exit == 0
        if recorded:
            assert command(context_of(root), REBUILD).exit == 0
        for place in (root, again) if recorded else (again,):
            assert asked(place, VALIDATE)["valid"] is True
            assert [one["message"] for one in asked(place, CONVERSATION)] == ["First", "Second"]
            assert (place / FILE).read_text().count("## Message") == 2
            assert [path.name for path in (place / FILE).parent.iterdir()] == ["manager-ada.md"]
        shutil.rmtree(again)
        shutil.rmtree(root)
    else:
        raise AssertionError("it never came to its end")
    assert owed > 0, "no kill fell between the journal and the file"
