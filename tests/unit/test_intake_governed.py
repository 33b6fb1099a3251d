"""Governed intake, decided purely: who may do what, what is a duplicate, and how the stream counts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from t2c.ledger.commands.intake import decide, repeated
from t2c.ledger.commands.intake_contract import (
    CODES,
    MAX_INPUT,
    CommandEnvelope,
    Rejection,
    command_of,
    hash_of,
    query_of,
    value_of,
)
from t2c.ledger.commands.intake_stream import IntakeState, evolve, fits_its_hash, of_person, resolve
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.journal.append import Receipt
from t2c.ledger.kernel.digests import ZERO

ALL = [
    "assign_participant",
    "assign_role",
    "capture_own_message",
    "rebuild_projection",
    "verify_event_stream",
]


def person(identity: str = "human:ada", **changes: Any) -> dict[str, Any]:
    name = identity.partition(":")[2]
    return {
        "id": identity, "kind": "human", "displayName": name.title(), "governanceRole": "manager",
        "capabilities": ALL, "principals": [account(name)], "ticketIds": ["ticket-004"],
    } | changes  # fmt: skip


def account(subject: str, provider: str = "github") -> dict[str, str]:
    return {"provider": provider, "subject": subject, "verifiedAt": "2026-01-05T09:00:00Z"}


def robot(identity: str = "agent:codex", **changes: Any) -> dict[str, Any]:
    own = {"kind": "agent", "governanceRole": None, "capabilities": ["rebuild_projection"]}
    return person(identity, **own, **changes)


def capture(message: str = "Add the cache", identity: str = "human:ada", **changes: Any) -> dict[str, Any]:
    return {
        "type": "CaptureMessage", "participantId": identity, "governanceRole": "manager", "ticketId": "ticket-004",
        "message": message,
    } | changes  # fmt: skip


def raw(
    payload: dict[str, Any], key: str = "k", by: str = "github:ada", kind: str = "command", **changes: Any
) -> dict[str, Any]:
    payload = {"schemaVersion": f"t2c.intake-{kind}/v1", **payload}
    return {
        "schemaVersion": "t2c.intake-envelope/v1", "messageId": f"m-{key}", "correlationId": "c", "causationId": None,
        "idempotencyKey": key, "authenticatedPrincipal": by, "expectedVersion": None,
        "timestamp": "2026-01-05T10:00:00Z", "payloadHash": hash_of(payload), "payload": payload,
    } | changes  # fmt: skip


def envelope(payload: dict[str, Any], **changes: Any) -> CommandEnvelope:
    return command_of(raw(payload, **changes))


def done(state: IntakeState, payload: dict[str, Any], **changes: Any) -> IntakeState:
    """The state after a command that is accepted."""
    decision = decide(state, envelope(payload, **changes), ZERO)
    place = Receipt(state.version + 1, f"EVT-{state.version:020x}", ZERO, True)
    evolve(state, decision.draft.type, decision.draft.data, place, 100 * state.version)
    return state


def code(state: IntakeState, payload: dict[str, Any], **changes: Any) -> str:
    with pytest.raises(Rejection) as caught:
        decide(state, envelope(payload, **changes), ZERO)
    assert caught.value.message
    assert caught.value.remedy
    return caught.value.code.removeprefix("T2C-INTAKE-")


def begun(*others: dict[str, Any]) -> IntakeState:
    state = done(IntakeState(), {"type": "RegisterParticipant", "participant": person()}, key="k0")
    for number, other in enumerate(others):
        done(state, {"type": "RegisterParticipant", "participant": other}, key=f"o{number}")
    return state


def register(new: dict[str, Any]) -> dict[str, Any]:
    return {"type": "RegisterParticipant", "participant": new}


def bind(identity: str, new: dict[str, Any]) -> dict[str, Any]:
    return {"type": "BindExternalIdentity", "participantId": identity, "principal": new}


def assign(
    identity: str,
    role: str = "dev",
    tickets: tuple[str, ...] = ("ticket-005",),
    capabilities: tuple[str, ...] = (),
) -> dict[str, Any]:
    return {
        "type": "AssignRole", "participantId": identity, "governanceRole": role, "ticketIds": list(tickets),
        "capabilities": list(capabilities),
    }  # fmt: skip


def test_the_first_participant_registers_itself() -> None:
    state = begun()
    assert (state.version, state.registry) == (1, 1)
    assert resolve(state, "GitHub:ada") is state.members["human:ada"]
    assert resolve(state, "github:ADA") is None


@pytest.mark.parametrize(
    ("first", "by", "expected"),
    [
        (person(), "github:eve", "UNAUTHORIZED"),
        (person(governanceRole="dev"), "github:ada", "UNAUTHORIZED"),
        (person(capabilities=["assign_role"]), "github:ada", "UNAUTHORIZED"),
        (robot("agent:ada"), "github:ada", "UNAUTHORIZED"),
        (person(governanceRole=None), "github:ada", "INVALID-SCHEMA"),
        (person(kind="agent"), "github:ada", "INVALID-SCHEMA"),
        (person(capabilities=["assign_role"] * 2), "github:ada", "INVALID-SCHEMA"),
    ],
)
def test_who_cannot_be_the_first(first: dict[str, Any], by: str, expected: str) -> None:
    assert code(IntakeState(), register(first), by=by) == expected


def test_only_a_manager_registers_others() -> None:
    state = begun(person("human:bob", governanceRole="dev"), person("human:eve", capabilities=[]), robot())
    assert code(state, register(person("human:new")), by="github:nobody") == "UNKNOWN-ACTOR"
    assert code(state, register(person("human:new")), by="github:bob") == "UNAUTHORIZED"
    assert code(state, register(person("human:new")), by="github:eve") == "UNAUTHORIZED"
    assert code(state, register(person("human:new")), by="github:codex") == "UNAUTHORIZED"
    assert code(state, register(person("human:bob", principals=[]))) == "DUPLICATE"
    assert code(state, register(person("human:new", principals=[account("bob")]))) == "UNVERIFIED-ACTOR"
    assert done(state, register(person("human:new"))).version == 5


def test_a_principal_belongs_to_one_participant() -> None:
    state = begun(robot())
    assert code(state, bind("agent:codex", account("ada"))) == "UNVERIFIED-ACTOR"
    assert code(state, bind("agent:codex", account("codex"))) == "DUPLICATE"
    assert code(state, bind("agent:codex", account("ada", "GitHub"))) == "UNVERIFIED-ACTOR"
    assert code(state, bind("agent:other", account("x"))) == "UNKNOWN-ACTOR"
    assert code(state, bind("agent:codex", account("x")), by="github:codex") == "UNAUTHORIZED"
    done(state, bind("agent:codex", account("agent://codex", "a2a")))
    found = resolve(state, "a2a:agent://codex")
    assert found is not None
    assert found.id == "agent:codex"
    assert state.registry == state.version == 3


def test_roles_are_assigned_to_people_by_those_who_may() -> None:
    state = begun(person("human:bob", governanceRole="dev", capabilities=[]), robot())
    assert code(state, assign("human:bob"), by="github:bob") == "UNAUTHORIZED"
    assert code(state, assign("agent:codex")) == "UNAUTHORIZED"
    assert code(state, assign("human:nobody")) == "UNKNOWN-ACTOR"
    assert code(state, assign("human:bob", tickets=("ticket-005", "ticket-005"))) == "INVALID-SCHEMA"
    done(state, assign("human:bob", "user", ("ticket-005",), ("capture_own_message",)))
    bob = state.members["human:bob"]
    assert (bob.governanceRole, bob.ticketIds, bob.capabilities) == (
        "user",
        ["ticket-005"],
        ["capture_own_message"],
    )


def test_only_oneself_is_captured_in_the_assigned_role_and_ticket() -> None:
    state = begun(person("human:bob", governanceRole="dev"), robot(), person("human:eve", capabilities=[]))
    assert code(state, capture(), by="github:bob") == "UNAUTHORIZED"
    assert code(state, capture(), by="github:codex") == "UNAUTHORIZED"
    assert code(state, capture(), by="github:nobody") == "UNKNOWN-ACTOR"
    assert code(state, capture(identity="human:eve"), by="github:eve") == "UNAUTHORIZED"
    assert code(state, capture(identity="human:bob"), by="github:bob") == "ROLE-MISMATCH"
    assert code(state, capture(ticketId="ticket-009")) == "UNAUTHORIZED"
    decision = decide(state, envelope(capture("Hello")), ZERO)
    assert (str(decision.draft.actor), decision.draft.trust) == ("human:ada", "asserted")
    assert decision.changes == ("human:ada", "ticket-004")
    done(state, capture("Hello"))
    (said,) = of_person(state, "human:ada", "ticket-004")
    assert (said.version, said.offset) == (5, 400)


def test_a_file_is_rebuilt_for_people_by_those_who_may() -> None:
    state = begun(robot(), person("human:bob", capabilities=[]))
    asked = {"type": "RebuildProjection", "participantId": "human:ada", "ticketId": "ticket-004"}
    assert code(state, asked, by="github:bob") == "UNAUTHORIZED"
    assert code(state, {**asked, "participantId": "agent:codex"}) == "UNAUTHORIZED"
    assert code(state, {**asked, "ticketId": "ticket-009"}) == "UNAUTHORIZED"
    decision = decide(state, envelope(asked, by="github:codex"), ZERO)
    assert (str(decision.draft.actor), decision.draft.trust) == ("helper:t2c", "observed")


def test_verifying_needs_the_right() -> None:
    state = begun(robot())
    assert code(state, {"type": "VerifyEventStream"}, by="github:codex") == "UNAUTHORIZED"
    decision = decide(state, envelope({"type": "VerifyEventStream"}), "a" * 64)
    assert json.loads(decision.draft.data)["payload"] == {"verifiedVersion": 2, "verifiedHash": "a" * 64}


def test_the_expected_version_is_that_of_the_stream() -> None:
    state = begun()
    assert code(state, capture(), expectedVersion=0) == "VERSION-CONFLICT"
    assert code(state, capture(), expectedVersion=2) == "VERSION-CONFLICT"
    assert CODES["T2C-INTAKE-VERSION-CONFLICT"].retryable
    assert done(state, capture(), expectedVersion=1).version == 2


def test_a_key_stands_for_one_payload() -> None:
    state = done(begun(), capture("Hello"), key="once")
    again = repeated(state, envelope(capture("Hello"), key="once", messageId="another"))
    assert again is not None
    assert (again.version, again.type) == (2, "message.captured")
    assert repeated(state, envelope(capture("Hello"), key="new")) is None
    with pytest.raises(Rejection) as caught:
        repeated(state, envelope(capture("Bye"), key="once"))
    assert caught.value.code == "T2C-INTAKE-DUPLICATE"


def test_a_refusal_is_forgotten_once_the_command_is_accepted() -> None:
    state = begun()
    noted = b'{"subject":"intake.CaptureMessage","code":"T2C-INTAKE-ROLE-MISMATCH","reference":"k9"}'
    evolve(state, "refusal.noted", noted, Receipt(9, "EVT-9", ZERO, True), 0)
    assert state.refused == {"k9": "T2C-INTAKE-ROLE-MISMATCH"}
    assert state.version == 1
    assert done(state, capture(), key="k9").refused == {}


def test_every_event_of_the_stream_is_a_published_type() -> None:
    state = begun()
    for payload in (capture(), bind("human:ada", account("x")), assign("human:ada", "dev")):
        drafted = decide(state, envelope(payload), ZERO).draft
        model = CATALOGUE.payload(drafted.type)
        assert model.decode(drafted.data).encode() == drafted.data
        assert not model.by_hand


def test_an_event_can_be_held_to_the_command_that_it_came_from() -> None:
    state = begun(robot())
    asked = {"type": "RebuildProjection", "participantId": "human:ada", "ticketId": "ticket-004"}
    new = register(person("human:bob"))
    for payload in (
        capture(),
        bind("human:ada", account("x")),
        assign("human:ada"),
        asked,
        new,
        {"type": "VerifyEventStream"},
    ):
        drafted = decide(state, envelope(payload), ZERO).draft
        assert fits_its_hash(drafted.type, drafted.data), drafted.type
    drafted = decide(state, envelope(capture("Yes")), ZERO).draft
    assert not fits_its_hash(drafted.type, drafted.data.replace(b"Yes", b"No"))
    assert not fits_its_hash(drafted.type, b"{}")


def test_there_are_fourteen_codes_and_each_says_what_to_do() -> None:
    assert len(CODES) == 14
    for rule in CODES.values():
        assert rule.remedy
        assert rule.exit in (2, 3, 4, 5, 6)


# --- the wire -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"\xff", b'{"a":1,"a":2}', b'{"a":NaN}', b"x" * (MAX_INPUT + 1), b"[" * 9999],
)
def test_what_is_no_json_object_is_invalid_wire(content: bytes) -> None:
    with pytest.raises(Rejection) as caught:
        value_of(content)
    assert caught.value.code == "T2C-INTAKE-INVALID-WIRE"


@pytest.mark.parametrize(
    "changes",
    [
        {"schemaVersion": "t2c.intake-envelope/v2"}, {"messageId": ""}, {"causationId": 1}, {"idempotencyKey": None},
        {"authenticatedPrincipal": "ada"}, {"authenticatedPrincipal": ":ada"}, {"expectedVersion": -1},
        {"expectedVersion": "1"}, {"timestamp": "today"}, {"payloadHash": "0" * 64}, {"payloadHash": "x"},
        {"extra": 1}, {"payload": None}, {"payload": {"type": "Other"}}, {"unknownFields": "x"},
    ],
)  # fmt: skip
def test_a_wrong_envelope_is_invalid_schema(changes: dict[str, Any]) -> None:
    value = raw(capture()) | changes
    with pytest.raises(Rejection) as caught:
        command_of(value)
    assert caught.value.code == "T2C-INTAKE-INVALID-SCHEMA"


@pytest.mark.parametrize(
    "changes",
    [
        {"message": ""}, {"message": " \n"}, {"message": "x" * (256 * 1024 + 1)}, {"message": "ż" * (128 * 1024 + 1)},
        {"message": "a\x00b"}, {"message": "a\x1b[1m"}, {"ticketId": "../x"}, {"ticketId": "ticket-1"},
        {"ticketId": "ticket-004/.."}, {"participantId": "ada"}, {"participantId": "human:../x"},
        {"governanceRole": "boss"}, {"other": 1},
    ],
)  # fmt: skip
def test_a_wrong_message_is_invalid_schema(changes: dict[str, Any]) -> None:
    with pytest.raises(Rejection) as caught:
        command_of(raw(capture(**changes)))
    assert caught.value.code == "T2C-INTAKE-INVALID-SCHEMA"


def test_the_longest_message_is_taken() -> None:
    assert command_of(raw(capture('"' * (256 * 1024))))
    assert command_of(raw(capture("a\tb\r\nc"), unknownFields=["AAE="]))


def test_a_query_is_no_command() -> None:
    asked = raw({"type": "GetRole", "participantId": "human:ada"}, kind="query")
    assert query_of(asked).payload.type == "GetRole"
    with pytest.raises(Rejection):
        command_of(asked)
    with pytest.raises(Rejection):
        query_of(raw(capture()))


def test_the_hash_is_that_of_the_published_form() -> None:
    from hashlib import sha256

    payload = {"b": "ż", "a": [1, None, True]}
    assert hash_of(payload) == sha256('{"a":[1,null,true],"b":"ż"}'.encode()).hexdigest()
