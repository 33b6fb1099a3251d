"""`t2c intake`: what goes in, what comes out, what stands in the ledger and in the project folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import pytest

from t2c.ledger.commands.intake_answer import Result
from t2c.ledger.commands.intake_contract import hash_of
from t2c.ledger.engine import Ledger
from t2c.ledger.events.draft import EventDraft
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.actor import Actor

ALL = [
    "assign_participant",
    "assign_role",
    "capture_own_message",
    "rebuild_projection",
    "verify_event_stream",
]
FILE = "project/ticket-004/manager-ada.md"
REGISTRY = "project/participants.v2.json"


class Ran(Protocol):
    code: int
    stdout: bytes

    @property
    def err(self) -> str: ...
    @property
    def document(self) -> Any: ...


class CommandLine(Protocol):
    root: Path

    def __call__(self, *arguments: str | Path, input: bytes | None = None) -> Ran: ...


Send = Callable[..., Any]


def person(name: str = "ada", **changes: Any) -> dict[str, Any]:
    return {
        "id": f"human:{name}", "kind": "human", "displayName": name.title(), "governanceRole": "manager",
        "capabilities": ALL,
        "principals": [{"provider": "github", "subject": name, "verifiedAt": "2026-01-05T09:00:00Z"}],
        "ticketIds": ["ticket-004"],
    } | changes  # fmt: skip


def capture(message: str, **changes: Any) -> dict[str, Any]:
    return {
        "type": "CaptureMessage", "participantId": "human:ada", "governanceRole": "manager",
        "ticketId": "ticket-004", "message": message,
    } | changes  # fmt: skip


REBUILD = {"type": "RebuildProjection", "participantId": "human:ada", "ticketId": "ticket-004"}
VALIDATE = {"type": "ValidateProjection", "participantId": "human:ada", "ticketId": "ticket-004"}


def sealed(kind: str, payload: dict[str, Any], key: str, by: str, version: int | None) -> bytes:
    payload = {"schemaVersion": f"t2c.intake-{kind}/v1", **payload}
    return json.dumps(
        {
            "schemaVersion": "t2c.intake-envelope/v1", "messageId": f"m-{key}", "correlationId": "c",
            "causationId": None, "idempotencyKey": key, "authenticatedPrincipal": by, "expectedVersion": version,
            "timestamp": "2026-01-05T10:00:00Z", "payloadHash": hash_of(payload), "payload": payload,
        }
    ).encode()  # fmt: skip


@pytest.fixture
def send(t2c: CommandLine) -> Send:
    """Send a command and give (exit code, result)."""

    def command(
        payload: dict[str, Any], key: str, by: str = "github:ada", version: int | None = None
    ) -> tuple[int, Any]:
        ran = t2c("intake", "command", "-", input=sealed("command", payload, key, by, version))
        Result.model_validate_json(ran.stdout)
        return ran.code, ran.document

    return command


@pytest.fixture
def ask(t2c: CommandLine) -> Send:
    """Ask a query and give its data."""

    def query(payload: dict[str, Any]) -> Any:
        ran = t2c("intake", "query", input=sealed("query", payload, "q", "github:ada", None))
        Result.model_validate_json(ran.stdout)
        assert ran.code == 0, ran.err
        assert ran.document["accepted"] is True
        return ran.document["data"]

    return query


@pytest.fixture
def begun(send: Send, t2c: CommandLine) -> CommandLine:
    code, result = send({"type": "RegisterParticipant", "participant": person()}, "k1")
    assert (code, result["diagnostic"]) == (0, None)
    return t2c


def events(t2c: CommandLine) -> list[tuple[str, str, str]]:
    journal = JournalFile(t2c.root / ".t2c/journal.ndjson")
    return [(entry.type, str(entry.actor), entry.trust) for entry in journal.entries()]


def test_a_message_from_the_command_to_the_file_and_the_records(
    begun: CommandLine, send: Send, ask: Send
) -> None:
    root = begun.root
    code, result = send(
        capture("Add the cache to `src/a.py`.\n\n## Decision\n\nKeep the old one."), "k2", version=1
    )
    assert code == 0
    assert result == {
        "schemaVersion": "t2c.intake-result/v1", "accepted": True, "messageId": "m-k2", "correlationId": "c",
        "causationId": None, "authenticatedPrincipal": "github:ada", "aggregateId": "intake", "expectedVersion": 1,
        "actualVersion": 2, "idempotencyKey": "k2", "timestamp": "2026-01-05T10:00:00Z",
        "payloadHash": result["payloadHash"], "diagnostic": None, "data": result["data"],
    }  # fmt: skip
    assert result["data"]["event"] | {"id": ""} == {
        "version": 2,
        "type": "message.captured",
        "id": "",
        "seq": 5,
    }
    assert [file["path"] for file in result["data"]["files"]] == [FILE]
    assert events(begun)[1:] == [
        ("participant.admitted", "human:ada", "asserted"), ("apply.announced", "helper:t2c", "observed"),
        ("apply.receipted", "helper:t2c", "observed"), ("message.captured", "human:ada", "asserted"),
        ("apply.announced", "helper:t2c", "observed"), ("apply.receipted", "helper:t2c", "observed"),
    ]  # fmt: skip
    assert not (root / "project/.intake").exists()
    assert ask(VALIDATE)["valid"] is True
    assert ask({"type": "ResolveParticipant", "principal": "github:ada"})["id"] == "human:ada"
    assert ask({"type": "ResolveParticipant", "principal": "github:eve"}) is None
    assert ask({"type": "GetRole", "participantId": "human:ada"})["governanceRole"] == "manager"
    assert ask({"type": "GetCommandStatus", "idempotencyKey": "k2"})["status"] == "accepted"
    assert ask({"type": "GetCommandStatus", "idempotencyKey": "never"}) is None
    (said,) = ask({"type": "GetTicketConversation", "ticketId": "ticket-004"})
    assert said["message"].startswith("Add the cache")

    assert begun("scan").code == 0
    observed = [
        json.loads(bytes(entry.data))["record"]
        for entry in JournalFile(root / ".t2c/journal.ndjson").entries()
        if entry.type == "record.observed"
    ]
    told = [record for record in observed if record["source"]["kind"] == "agent_log"]
    assert {(record["statement"]["kind"], record["statement"]["text"]) for record in told} == {
        ("communication_message", "Add the cache to `src/a.py`."), ("communication_decision", "Keep the old one."),
    }  # fmt: skip
    for record in told:
        assert record["metadata"]["participantId"] == "human:ada"
        assert record["metadata"]["identityResolved"] is True
        assert record["metadata"]["identitySource"] == "registry"
        assert record["epistemic"]["class"] == "declaration"
    ran = begun("ledger", "verify", "--level", "domain", "--json")
    assert (ran.code, ran.document["faults"]) == (0, [])


def test_what_a_rule_forbids_ends_with_3_and_is_recorded(begun: CommandLine, send: Send, ask: Send) -> None:
    code, result = send(capture("x", governanceRole="dev"), "k2")
    assert (code, result["accepted"]) == (3, False)
    assert result["diagnostic"]["code"] == "T2C-INTAKE-ROLE-MISMATCH"
    assert result["diagnostic"].keys() == {"schemaVersion", "code", "message", "remediation", "retryable"}
    assert events(begun)[-1] == ("refusal.noted", "helper:t2c", "observed")
    assert ask({"type": "GetCommandStatus", "idempotencyKey": "k2"}) == {
        "status": "rejected", "code": "T2C-INTAKE-ROLE-MISMATCH",
    }  # fmt: skip
    assert send(capture("x"), "k3", by="github:eve")[1]["diagnostic"]["code"] == "T2C-INTAKE-UNKNOWN-ACTOR"


def test_conflicts_end_with_4_and_record_nothing(begun: CommandLine, send: Send) -> None:
    before = events(begun)
    code, result = send(capture("x"), "k2", version=7)
    assert (code, result["diagnostic"]["code"], result["actualVersion"]) == (
        4,
        "T2C-INTAKE-VERSION-CONFLICT",
        1,
    )
    assert result["diagnostic"]["retryable"] is True
    code, result = send(capture("x"), "k1")
    assert (code, result["diagnostic"]["code"]) == (4, "T2C-INTAKE-DUPLICATE")
    assert events(begun) == before


def test_the_same_command_again_is_accepted_and_changes_nothing(begun: CommandLine, send: Send) -> None:
    first = send(capture("Hello"), "k2")[1]
    before = events(begun)
    code, again = send(capture("Hello"), "k2", version=0)
    assert (code, again["accepted"], again["actualVersion"]) == (0, True, 2)
    assert again["data"]["duplicate"] is True
    assert again["data"]["event"] == first["data"]["event"]
    assert events(begun) == before


def test_bad_input_ends_with_2_as_one_document(t2c: CommandLine) -> None:
    for verb in ("command", "query"):
        for content in (b"", b"nonsense", b"[]", b"{}", b"\xff\x00", b'{"payload": {}}'):
            ran = t2c("intake", verb, "-", input=content)
            assert ran.code == 2, content
            Result.model_validate_json(ran.stdout)
            assert ran.document["accepted"] is False
            assert ran.document["diagnostic"]["code"] in (
                "T2C-INTAKE-INVALID-WIRE",
                "T2C-INTAKE-INVALID-SCHEMA",
            )
            assert "Traceback" not in ran.err
        ran = t2c("intake", verb, "nothing.json")
        assert (ran.code, ran.document["error"]["class"]) == (2, "Usage")
        assert t2c("intake", verb, "-", "--project-dir", "../x", input=b"{}").code == 2
    assert not (t2c.root / ".t2c").exists()


def test_a_command_of_nobody_makes_no_ledger(t2c: CommandLine, send: Send) -> None:
    assert send(capture("x"), "k")[0] == 3
    assert send({"type": "RegisterParticipant", "participant": person()}, "k", by="github:eve")[0] == 3
    assert not (t2c.root / ".t2c").exists()


def test_a_secret_is_rejected_and_stands_nowhere(begun: CommandLine, send: Send) -> None:
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    code, result = send(capture(f"use {secret} for it"), "k2")
    assert (code, result["diagnostic"]["code"]) == (3, "T2C-INTAKE-SECRET-INPUT")
    assert secret not in json.dumps(result)
    for path in begun.root.rglob("*"):
        assert not path.is_file() or secret.encode() not in path.read_bytes()


def test_a_changed_file_is_never_overwritten(begun: CommandLine, send: Send, ask: Send) -> None:
    send(capture("One"), "k2")
    path = begun.root / FILE
    for content in (path.read_text() + "More\n", "# My own notes\n"):
        path.write_text(content)
        for payload in (capture("Two"), REBUILD):
            code, result = send(payload, "k3")
            assert (code, result["diagnostic"]["code"]) == (4, "T2C-INTAKE-PROJECTION-DRIFT")
        assert path.read_text() == content
        assert ask(VALIDATE)["reason"] == "changed"
    path.unlink()
    assert ask(VALIDATE)["reason"] == "missing"
    assert send(REBUILD, "k4")[0] == 0
    assert ask(VALIDATE)["valid"] is True
    registry = begun.root / REGISTRY
    registry.write_text(registry.read_text().replace("Ada", "Eve"))
    new = {"type": "RegisterParticipant", "participant": person("bob")}
    assert send(new, "k5")[1]["diagnostic"]["code"] == "T2C-INTAKE-PROJECTION-DRIFT"
    registry.unlink()
    assert send(new, "k5")[0] == 0
    assert [one["id"] for one in json.loads(registry.read_text())["participants"]] == [
        "human:ada",
        "human:bob",
    ]


def test_a_file_of_another_role_is_not_guessed_away(begun: CommandLine, send: Send, ask: Send) -> None:
    other = begun.root / "project/ticket-004/user-ada.md"
    other.parent.mkdir()
    other.write_text("# Ada's own\n")
    code, result = send(capture("One"), "k2")
    assert (code, result["diagnostic"]["code"]) == (3, "T2C-INTAKE-FILENAME-MISMATCH")
    other.unlink()
    send(capture("One"), "k2")
    role = {
        "type": "AssignRole", "participantId": "human:ada", "governanceRole": "dev", "ticketIds": ["ticket-004"],
        "capabilities": ALL,
    }  # fmt: skip
    assert send(role, "k3")[0] == 0
    assert ask(VALIDATE)["reason"] == "other-role-file"
    assert send(capture("Two", governanceRole="dev"), "k4")[0] == 0
    assert not (begun.root / FILE).exists()
    assert "Two" in (begun.root / "project/ticket-004/dev-ada.md").read_text()
    assert ask(VALIDATE)["valid"] is True


@pytest.mark.parametrize("link", ["project/ticket-004", FILE])
def test_links_are_refused(begun: CommandLine, send: Send, tmp_path: Path, link: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    place = begun.root / link
    place.parent.mkdir(exist_ok=True)
    place.symlink_to(outside)
    code, result = send(capture("One"), "k2")
    assert (code, result["diagnostic"]["code"]) == (3, "T2C-INTAKE-UNSAFE-PATH")
    assert list(outside.iterdir()) == []
    assert [kind for kind, _, _ in events(begun)][-1] == "refusal.noted"


def test_the_disk_that_does_not_take_it_ends_with_6_and_can_be_mended(
    begun: CommandLine, send: Send, ask: Send
) -> None:
    folder = begun.root / "project/ticket-004"
    folder.write_text("a file where the folder should be")
    code, result = send(capture("One"), "k2")
    assert (code, result["accepted"], result["actualVersion"]) == (6, True, 2)
    assert result["diagnostic"]["code"] == "T2C-INTAKE-STORAGE-FAILURE"
    assert events(begun)[-1][0] == "apply.failed"
    folder.unlink()
    assert send(capture("One"), "k2")[0] == 0
    assert ask(VALIDATE)["valid"] is True
    assert events(begun)[-1][0] == "apply.receipted"


def test_verifying_records_what_was_proven_and_damage_ends_with_5(begun: CommandLine, send: Send) -> None:
    code, result = send({"type": "VerifyEventStream"}, "k2")
    assert (code, result["data"]["event"]["type"], result["actualVersion"]) == (0, "stream.verified", 2)
    assert events(begun)[-1] == ("stream.verified", "helper:t2c", "observed")
    journal = begun.root / ".t2c/journal.ndjson"
    journal.write_bytes(journal.read_bytes().replace(b'"displayName":"Ada"', b'"displayName":"Eve"'))
    code, result = send({"type": "VerifyEventStream"}, "k3")
    assert (code, result["diagnostic"]["code"]) == (5, "T2C-INTAKE-BROKEN-CHAIN")


def test_an_event_that_does_not_fit_its_command_is_found(begun: CommandLine, send: Send) -> None:
    send(capture("Yes"), "k2")
    with Ledger(begun.root / ".t2c") as ledger:
        (captured,) = (entry for entry in ledger.entries() if entry.type == "message.captured")
        forged = bytes(captured.data).replace(b"Yes", b"No").replace(b'"k2"', b'"k9"')
        ledger.append([EventDraft("message.captured", 1, forged, Actor("human", "ada"), "asserted")])
    code, result = send({"type": "VerifyEventStream"}, "k3")
    assert (code, result["diagnostic"]["code"]) == (5, "T2C-INTAKE-BROKEN-CHAIN")
    assert "seq 8" in result["diagnostic"]["message"]


def test_hands_cannot_make_what_intake_decides(begun: CommandLine) -> None:
    for kind in (
        "participant.admitted",
        "role.assigned",
        "identity.bound",
        "message.captured",
        "refusal.noted",
    ):
        ran = begun("ledger", "append", "-", "--json", input=json.dumps({"type": kind, "data": {}}).encode())
        assert ran.code == 3, kind


def test_another_project_folder(t2c: CommandLine) -> None:
    content = sealed(
        "command", {"type": "RegisterParticipant", "participant": person()}, "k", "github:ada", None
    )
    (t2c.root / "reg.json").write_bytes(content)
    assert t2c("intake", "command", "reg.json", "--project-dir", "docs/work", "--json").code == 0
    assert (t2c.root / "docs/work/participants.v2.json").exists()
    (t2c.root / "t2c.toml").write_text('[scan]\ncommunication = "team"\n')
    assert t2c("intake", "command", "reg.json").code == 0
    assert (t2c.root / "team/participants.v2.json").exists()


def test_commands_at_the_same_time_take_turns(begun: CommandLine, send: Send, ask: Send) -> None:
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda number: send(capture(f"Message of {number}"), f"p{number}"), range(4)))
    assert [code for code, _ in answers] == [0, 0, 0, 0]
    assert sorted(result["actualVersion"] for _, result in answers) == [2, 3, 4, 5]
    assert ask(VALIDATE)["valid"] is True
    assert (begun.root / FILE).read_text().count("Message of") == 4
    assert begun("ledger", "verify", "--level", "domain").code == 0


def test_what_two_branches_took_in_is_one_conversation(
    begun: CommandLine, send: Send, ask: Send, tmp_path: Path
) -> None:
    branch, there = begun.root / ".t2c", tmp_path / "there"
    shutil.copytree(branch, there)
    send(capture("From here"), "k2")
    shutil.move(branch, tmp_path / "here")
    shutil.move(there, branch)
    (begun.root / FILE).unlink()
    send(capture("From there"), "k3")
    assert begun("ledger", "merge", tmp_path / "here").code == 0
    said = ask({"type": "GetTicketConversation", "ticketId": "ticket-004"})
    assert [(one["version"], one["message"]) for one in said] == [(2, "From there"), (3, "From here")]
    assert ask(VALIDATE)["reason"] == "outdated"
    assert send(REBUILD, "k4", version=3)[0] == 0
    assert ask(VALIDATE)["valid"] is True


def test_a_stream_is_the_same_without_its_snapshot(begun: CommandLine, send: Send, ask: Send) -> None:
    send(capture("One"), "k2")
    asked = {"type": "GetTicketConversation", "ticketId": "ticket-004"}
    before = ask(asked)
    for path in (begun.root / ".t2c/cache/states").iterdir():
        path.write_bytes(b"nonsense")
    assert ask(asked) == before
