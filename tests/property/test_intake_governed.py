"""For any bytes intake answers with a result, and for any message its file is one line of truth."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from t2c.ledger.commands.intake_contract import CODES, Rejection, command_of, hash_of, query_of, value_of
from t2c.ledger.events.participants import ParticipantV2
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.ledger.intake.governed.files import Message, managed_of, role_file

PAYLOAD = {
    "schemaVersion": "t2c.intake-command/v1", "type": "CaptureMessage", "participantId": "human:ada",
    "governanceRole": "dev", "ticketId": "ticket-004", "message": "Add it",
}  # fmt: skip
ENVELOPE: dict[str, Any] = {
    "schemaVersion": "t2c.intake-envelope/v1", "messageId": "m", "correlationId": "c", "causationId": None,
    "idempotencyKey": "k", "authenticatedPrincipal": "github:ada", "expectedVersion": None,
    "timestamp": "2026-01-05T10:00:00Z", "payloadHash": hash_of(PAYLOAD), "payload": PAYLOAD,
}  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=6,
)
LINES = st.lists(
    st.sampled_from(
        (
            "---",
            "## Message 9",
            "key: value",
            "- Add it",
            "```",
            "",
            "\r",
            "\u2028",
            "ż",
            "projection-hash: 0",
        )
    ),
    max_size=12,
).map("\n".join)


@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_bytes_are_taken_or_rejected_by_a_code(content: bytes) -> None:
    for check in (command_of, query_of):
        with pytest.raises(Rejection) as caught:
            check(value_of(content))
        assert caught.value.code in CODES
        assert caught.value.message


@given(st.sampled_from(sorted(ENVELOPE)), st.sampled_from(sorted(PAYLOAD)), JSON)
@settings(max_examples=300)
def test_any_member_of_any_value_is_taken_or_rejected_by_a_code(outer: str, inner: str, value: Any) -> None:
    payload = {**PAYLOAD, inner: value}
    for changed in ({**ENVELOPE, outer: value}, {**ENVELOPE, "payload": payload}):
        try:
            command_of(value_of(json.dumps(changed).encode()))
        except Rejection as rejection:
            assert rejection.code in CODES


@given(
    st.lists(st.tuples(st.integers(1, 9), st.text(max_size=40) | LINES), min_size=1, max_size=4),
    st.sampled_from(("dev", "user")),
)
@settings(max_examples=300)
def test_the_file_of_any_messages_is_known_again_and_reads_without_doubt(
    said: list[tuple[int, str]], role: str
) -> None:
    messages = [Message(version, text.encode("utf-8", "replace").decode()) for version, text in said]
    content = role_file("human:ada", "Ada L.", role, "ticket-004", messages)
    assert managed_of(content, "human:ada")
    assert managed_of(content.replace(b"\n", b"\r\n"), "human:ada")
    assert not managed_of(content, "human:eve")
    reading = CommunicationExtractor().read(f"project/ticket-004/{role}-ada.md", content, NoFiles())
    assert "projection_drift" not in {warning.reason for warning in reading.warnings}
    for draft in reading.records:
        assert draft.actor == "human:ada"
        assert draft.metadata["participantRole"] == "human"


class NoFiles:
    """A tree without a file."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


@pytest.mark.parametrize(
    "name", ["Ada\nrole: dev", "Ada\rL", "Ada\x85L", "Ada\u2028L", " Ada", "Ada ", "", "\t", "a\x00b"]
)
def test_a_name_is_one_line(name: str) -> None:
    one = {
        "id": "human:ada", "kind": "human", "displayName": name, "governanceRole": "dev", "capabilities": [],
        "principals": [], "ticketIds": [],
    }  # fmt: skip
    with pytest.raises(ValidationError):
        ParticipantV2.model_validate_json(json.dumps(one))
    assert ParticipantV2.model_validate_json(json.dumps({**one, "displayName": "Ada „Lo” Żak, III."}))
