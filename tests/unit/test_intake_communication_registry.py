"""The registry of participants: whom an exact id stands for, and what a registry that is not valid stops."""

from __future__ import annotations

import json
from typing import Any

import pytest

from t2c.ledger.intake.base import Reading
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.communication.registry import InvalidRegistry, Person, Registry, read_registry

V1, V2 = "project/participants.json", "project/participants.v2.json"
ADA: dict[str, Any] = {
    "id": "human:ada", "role": "human", "displayName": "Ada L.", "gitAuthors": ["Ada Git"], "a2aAgentIds": [],
    "humanAliases": ["ada@example.test"],
}  # fmt: skip
CODEX: dict[str, Any] = {
    "id": "agent:codex", "role": "agent", "displayName": "Codex", "gitAuthors": [],
    "a2aAgentIds": ["agent://codex"], "humanAliases": [],
}  # fmt: skip
MANAGER: dict[str, Any] = {
    "id": "human:ada", "kind": "human", "displayName": "Ada L.", "governanceRole": "manager", "capabilities": [],
    "principals": [
        {"provider": "git", "subject": "Ada Git", "verifiedAt": "2026-01-05T10:00:00Z"},
        {"provider": "github", "subject": "ada", "verifiedAt": "2026-01-05T10:00:00Z"},
    ],
    "ticketIds": ["ticket-004"],
}  # fmt: skip
ROBOT: dict[str, Any] = {
    "id": "agent:codex", "kind": "agent", "displayName": "Codex", "governanceRole": None,
    "capabilities": ["rebuild_projection"],
    "principals": [{"provider": "a2a", "subject": "agent://codex", "verifiedAt": "2026-01-05T10:00:00Z"}],
    "ticketIds": [],
}  # fmt: skip


class Files:
    """A tree that is a mapping of paths to contents; None cannot be read."""

    def __init__(self, held: dict[str, str | None]) -> None:
        self.held = held

    def __contains__(self, path: str) -> bool:
        return path in self.held

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        text = self.held.get(path)
        return None if text is None else text.encode()


def v1(*people: dict[str, Any]) -> str:
    return json.dumps({"schemaVersion": "t2c.participant-registry/v1", "participants": people}, indent=2)


def v2(*people: dict[str, Any], version: int = 3) -> str:
    document = {"schemaVersion": "t2c.participant-registry/v2", "version": version, "participants": people}
    return json.dumps(document, indent=2)


def invalid(text: str, path: str = V1) -> InvalidRegistry:
    found = read_registry("project", Files({path: text}))
    assert isinstance(found, InvalidRegistry)
    return found


def read(envelope: str, registry: str = "", path: str = "project/ACME-1/human.tom.request.md") -> Reading:
    tree = Files({V1: registry or v1(ADA, CODEX)})
    return CommunicationExtractor().read(path, f"---\n{envelope}\n---\nAdd the cache.\n".encode(), tree)


def noted(reading: Reading) -> dict[str, tuple[int, ...]]:
    return {warning.reason: warning.lines for warning in reading.warnings}


def test_without_a_registry_there_is_none() -> None:
    assert read_registry("project", Files({})) is None


def test_both_registries_say_the_same_of_a_participant() -> None:
    first, second = (
        read_registry("project", Files({V1: v1(ADA, CODEX)})),
        read_registry("project", Files({V2: v2(MANAGER, ROBOT)})),
    )
    assert isinstance(first, Registry)
    assert isinstance(second, Registry)
    codex = Person("agent:codex", "agent", "Codex", (), ("agent://codex",), ())
    assert first.people == {
        "human:ada": Person("human:ada", "human", "Ada L.", ("Ada Git",), (), ("ada@example.test",)),
        "agent:codex": codex,
    }
    assert second.people == {
        "human:ada": Person("human:ada", "human", "Ada L.", ("Ada Git",), (), ("ada",)),
        "agent:codex": codex,
    }


def test_the_second_registry_is_preferred() -> None:
    found = read_registry("project", Files({V1: "broken", V2: v2(ROBOT)}))
    assert isinstance(found, Registry)
    assert found.path == V2


def test_only_an_exact_id_stands_for_somebody() -> None:
    reading = read("participant: Somebody\nparticipant-id: human:ada\nrole: human\ntype: request")
    (draft,) = reading.records
    assert reading.warnings == ()
    assert draft.actor == "human:ada"
    assert draft.confidence == 0.88
    shown = {key: draft.metadata[key] for key in (
        "participant", "participantId", "displayName", "participantRole", "gitAuthors", "humanAliases",
        "identityResolved", "identitySource", "participantRegistry",
    )}  # fmt: skip
    assert shown == {
        "participant": "human:ada", "participantId": "human:ada", "displayName": "Ada L.", "participantRole": "human",
        "gitAuthors": ["Ada Git"], "humanAliases": ["ada@example.test"], "identityResolved": True,
        "identitySource": "registry", "participantRegistry": V1,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["Ada L.", "ada", "ada@example.test", "Ada Git", "human:ADA", "human:ada2"])
def test_likeness_stands_for_nobody(name: str) -> None:
    for key in ("participant", "participant-id"):
        reading = read(f"{key}: {name}\nrole: human\ntype: request")
        (draft,) = reading.records
        assert draft.metadata["participantId"] is None
        assert draft.metadata["identityResolved"] is False
        assert draft.metadata["identitySource"] == "unresolved"
        assert draft.confidence == 0.55
        expected = (
            {"participant_id_missing": (1,)} if key == "participant" else {"participant_id_unknown": (2,)}
        )
        assert noted(reading) == expected


def test_the_registry_overrides_what_a_file_says() -> None:
    reading = read(
        "participant-id: agent:codex\nrole: human\ntype: report\ngit-author: Me\na2a-agent-id: agent://other"
    )
    (draft,) = reading.records
    assert draft.metadata["participantRole"] == "agent"
    assert draft.metadata["gitAuthors"] == []
    assert draft.metadata["a2aAgentIds"] == ["agent://codex"]
    assert noted(reading) == {
        "a2a_agent_id_unassigned": (6,),
        "role_conflict": (3,),
        "git_authors_ignored": (5,),
    }
    quiet = read(
        "participant-id: agent:codex\nrole: agent\na2a-agent-id: agent://codex",
        path="project/ACME-1/agent.x.plan.md",
    )
    assert quiet.warnings == ()


def test_a_registry_makes_every_signed_file_of_the_folder_a_message() -> None:
    (draft,) = read("participant-id: human:ada", path="project/anywhere/x.md").records
    assert draft.metadata["identityResolved"] is True


@pytest.mark.parametrize(
    ("registry", "line", "says"),
    [
        ("{\n  \"schemaVersion\": 1,,\n}", 2, "not JSON"),
        (v1(ADA, CODEX).replace('"agent:codex"', '"agent:Codex"'), 16, "participants.1.id"),
        (v1(ADA, CODEX).replace('"gitAuthors"', '"gitauthors"'), 4, "participants.0"),
        (v1(ADA, ADA), 16, "listed twice"),
        (v1({**ADA, "role": "agent", "humanAliases": []}), 4, "does not begin with agent:"),
        (v1({**ADA, "a2aAgentIds": ["x"]}), 4, "a human has no a2aAgentIds"),
        (v1(ADA, {**CODEX, "humanAliases": ["x"]}), 16, "an agent has no humanAliases"),
        (v1(ADA, {**ADA, "id": "human:bob", "gitAuthors": ["ADA GIT"], "humanAliases": []}), 16, "belongs to human:ada"),
        (v1(ADA).replace("registry/v1", "registry/v3"), 1, "schemaVersion"),
        ("[]", 1, ""), ("", 1, "not JSON"), ("[" * 100_000, 1, "nested"), ('{"a": NaN}', 1, "NaN"),
    ],
)  # fmt: skip
def test_an_invalid_registry_says_where_and_what(registry: str, line: int, says: str) -> None:
    found = invalid(registry)
    assert (found.path, found.line) == (V1, line)
    assert says in found.what


@pytest.mark.parametrize(
    ("people", "says"),
    [
        (({**MANAGER, "governanceRole": None},), "a human has a governanceRole"),
        (({**ROBOT, "governanceRole": "dev"},), "is null"),
        (({**ROBOT, "capabilities": ["capture_own_message"]},), "cannot have capture_own_message"),
        (({**MANAGER, "ticketIds": ["ticket-004", "ticket-004"]},), "repeats"),
        (({**MANAGER, "ticketIds": ["../x"]},), "ticketIds"),
        ((MANAGER, {**MANAGER, "id": "human:bob"}), "belongs to human:ada"),
    ],
)
def test_what_the_second_registry_refuses(people: tuple[dict[str, Any], ...], says: str) -> None:
    assert says in invalid(v2(*people), V2).what


def test_an_invalid_registry_stops_every_message_of_the_folder() -> None:
    tree = Files({V1: v1(ADA, ADA)})
    for path in ("project/ACME-1/human.tom.request.md", "project/ACME-1/user-tom.md", "project/x/y.md"):
        content = b"---\nrole: human\nparticipant: Tom\ntype: request\n---\nAdd the cache.\n"
        reading = CommunicationExtractor().read(path, content, tree)
        assert (reading.records, reading.complete) == ((), False)
        (warning,) = reading.warnings
        assert (warning.path, warning.reason, warning.lines) == (V1, "invalid_registry", (16,))
        assert "mended" in warning.detail
        assert "human:ada is listed twice" in warning.detail


def test_a_registry_that_cannot_be_read_is_not_valid() -> None:
    found = read_registry("project", Files({V2: None}))
    assert isinstance(found, InvalidRegistry)
