"""The event log: one text for one log, and each code of the format for what it is about."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest

from t2c.ledger.errors import Usage
from t2c.ledger.interop.event_fact import OUTCOMES, TRUST_CLASSES, TYPES, Fact, objection
from t2c.ledger.interop.event_log import (
    GENESIS,
    MAX_EVENTS,
    EventLog,
    chained,
    digest_of,
    parse,
    render,
    written,
)

FACT = Fact(
    event_id="e-1",
    type="analysis.completed",
    trust_class="SYSTEM_FACT",
    occurred_at="2026-01-05T10:00:00Z",
    recorded_at="2026-01-05T10:00:01.5+01:00",
    actor_id='bot:ż "q" \\',
    subject_id="run:1",
    source="ci",
    outcome="PASSED",
    repository="owner/name",
    ticket_id=None,
    correlation_id="c",
    base_sha=None,
    head_sha="a" * 40,
    evidence_kind="manifest",
    evidence_ref="artifact:manifest.json#x",
    evidence_digest=digest_of(b"hello"),
)
AT = "2026-01-05T11:00:00Z"


def fact(number: int = 1, **changes: object) -> Fact:
    return msgspec.structs.replace(FACT, **{"event_id": f"e-{number}", **changes})  # type: ignore[arg-type]


def log(*facts: Fact) -> EventLog:
    return chained(facts, "stream", AT)


def refusal(content: bytes) -> tuple[str, str]:
    """Code and place of a refusal."""
    with pytest.raises(Usage) as caught:
        parse(content, "x.dsl.txt")
    assert caught.value.what.startswith(f"{caught.value.details['log_code']}: ")
    return str(caught.value.details["log_code"]), str(caught.value.where)


def test_an_empty_log_is_its_header() -> None:
    text = render(log()).decode()
    zeros = "0" * 64
    assert text == (
        'DOCUMENT "T2C_EVENT_LOG"\nVERSION 1\nSCHEMA "t2c.event-log/v1"\nSTREAM_ID "stream"\n'
        f'GENERATED_AT "{AT}"\nEVENT_COUNT 0\nGENESIS_DIGEST "sha256:{zeros}"\nSTREAM_DIGEST "sha256:{zeros}"\n'
    )
    assert parse(text.encode()) == log()


def test_an_event_is_twenty_two_lines_and_hashes_to_its_digest() -> None:
    made = log(fact(2), fact(1, ticket_id="ACME-7"))
    lines = render(made).decode().splitlines()
    assert len(lines) == 8 + 2 * 22
    assert [line.split()[0] for line in lines[8:30]] == [
        "EVENT",
        "SEQUENCE",
        "EVENT_ID",
        "TYPE",
        "TRUST_CLASS",
        "OCCURRED_AT",
        "RECORDED_AT",
        "ACTOR_ID",
        "SUBJECT_ID",
        "SOURCE",
        "OUTCOME",
        "REPOSITORY",
        "TICKET_ID",
        "CORRELATION_ID",
        "BASE_SHA",
        "HEAD_SHA",
        "EVIDENCE_KIND",
        "EVIDENCE_REF",
        "EVIDENCE_DIGEST",
        "PREVIOUS_DIGEST",
        "EVENT_DIGEST",
        "END_EVENT",
    ]
    payload = "".join(line + "\n" for line in lines[9:28]).encode()
    assert lines[28] == f'EVENT_DIGEST "sha256:{sha256(payload).hexdigest()}"'
    assert lines[27] == f'PREVIOUS_DIGEST "{GENESIS}"'
    assert lines[28].split()[1] == lines[49].split()[1]
    assert [event.fact.event_id for event in made.events] == ["e-1", "e-2"]
    assert 'ACTOR_ID "bot:ż \\"q\\" \\\\"' in lines


def test_what_is_written_is_read_and_written_again() -> None:
    made = log(*(fact(number) for number in range(9)))
    content = render(made)
    assert parse(content) == made
    assert written([fact(number) for number in range(9)], "stream", AT) == (content, made.stream_digest)


Change = Callable[[bytes], bytes]


@pytest.mark.parametrize(
    ("change", "code", "line"),
    [
        (lambda text: b"\xef\xbb\xbf" + text, "LOG-STRUCTURE-001", 1),
        (lambda text: text.replace(b"\n", b"\r\n"), "LOG-STRUCTURE-001", 1),
        (lambda text: text[:-1], "LOG-STRUCTURE-001", 52),
        (lambda text: text.replace(b"VERSION 1\n", b"VERSION 1\n\n"), "LOG-STRUCTURE-001", 3),
        (lambda text: text.replace(b"VERSION 1", b"VERSION 2"), "LOG-STRUCTURE-001", 2),
        (lambda text: text.replace(b"event-log/v1", b"event-log/v2"), "LOG-STRUCTURE-001", 3),
        (lambda text: text.replace(b"EVENT_COUNT 2", b"EVENT_COUNT 1"), "LOG-STRUCTURE-001", 31),
        (lambda text: text.replace(b"EVENT_COUNT 2", b"EVENT_COUNT 3"), "LOG-STRUCTURE-001", 53),
        (lambda text: text.replace(b"EVENT_COUNT 2", b"EVENT_COUNT 02"), "LOG-VALUE-002", 6),
        (lambda text: text.replace(b"EVENT_COUNT 2", b"EVENT_COUNT 10001"), "LOG-VALUE-002", 6),
        (lambda text: text.replace(b"EVENT_COUNT 2", b"EVENT_COUNT -1"), "LOG-VALUE-002", 6),
        (lambda text: text + b"more\n", "LOG-STRUCTURE-001", 53),
        (lambda text: text.replace(b'"e-1"', b"e-1"), "LOG-STRUCTURE-001", 11),
        (lambda text: text.replace(b'"e-1"', b"null"), "LOG-VALUE-002", 11),
        (lambda text: text.replace(b'"e-1"', b"7"), "LOG-VALUE-002", 11),
        (lambda text: text.replace(b'SOURCE "ci"', b'ORIGIN "ci"'), "LOG-STRUCTURE-001", 18),
        (lambda text: text.replace(b"PASSED", b"DONE", 1), "LOG-VALUE-002", 9),
        (lambda text: text.replace(b'"run:1"', b'"run:2"', 1), "LOG-DIGEST-004", 9),
        (lambda text: text.replace(b'"run:1"', b'"run:\\u0031"', 1), "LOG-STRUCTURE-001", 1),
        (lambda text: text.replace(b"SEQUENCE 2", b"SEQUENCE 3"), "LOG-SEQUENCE-003", 31),
        (lambda text: text.replace(b'"e-2"', b'"e-1"'), "LOG-SEQUENCE-003", 31),
        (lambda text: text.replace(b"GENESIS_DIGEST \"sha256:0", b"GENESIS_DIGEST \"sha256:1"), "LOG-DIGEST-004", 7),
        (lambda text: text.replace(b"STREAM_ID \"stream\"", b"STREAM_ID \"\""), "LOG-VALUE-002", 4),
        (lambda text: text.replace(AT.encode(), b"2026-02-30T10:00:00Z"), "LOG-VALUE-002", 5),
        (lambda text: text.replace(b'"c"', b'"\\ud800"', 1), "LOG-STRUCTURE-001", 22),
    ],
)  # fmt: skip
def test_each_fault_has_its_code_and_its_line(change: Change, code: str, line: int) -> None:
    content = render(log(fact(1), fact(2)))
    broken = change(content)
    assert broken != content
    assert refusal(broken) == (code, f"x.dsl.txt:{line}")


def test_the_stream_digest_is_the_last_events() -> None:
    made = log(fact(1))
    content = render(made).replace(
        f'STREAM_DIGEST "{made.stream_digest}"'.encode(), f'STREAM_DIGEST "{GENESIS}"'.encode()
    )
    assert refusal(content) == ("LOG-DIGEST-004", "x.dsl.txt:8")


def test_what_is_not_utf8_is_no_log() -> None:
    assert refusal(b"\xff\n") == ("LOG-STRUCTURE-001", "x.dsl.txt")
    assert refusal(b"")[0] == "LOG-STRUCTURE-001"


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"type": "made.up"}, "LOG-VALUE-002"),
        ({"trust_class": "FACT"}, "LOG-VALUE-002"),
        ({"outcome": "passed"}, "LOG-VALUE-002"),
        ({"type": "approval.attested", "trust_class": "ADVISORY_INFERENCE"}, "LOG-VALUE-002"),
        ({"occurred_at": "2026-01-05"}, "LOG-VALUE-002"),
        ({"recorded_at": "2026-13-05T10:00:00Z"}, "LOG-VALUE-002"),
        ({"head_sha": "A" * 40}, "LOG-VALUE-002"),
        ({"base_sha": "a" * 39}, "LOG-VALUE-002"),
        ({"repository": "name"}, "LOG-VALUE-002"),
        ({"repository": "a/..b"}, "LOG-VALUE-002"),
        ({"subject_id": "x" * 257}, "LOG-VALUE-002"),
        ({"subject_id": "a\tb"}, "LOG-VALUE-002"),
        ({"subject_id": "\ud800"}, "LOG-VALUE-002"),
        ({"evidence_ref": "x" * 2049}, "LOG-VALUE-002"),
        ({"evidence_digest": "sha256:0"}, "LOG-DIGEST-004"),
        ({"actor_id": "Bearer abcdefgh12"}, "LOG-SECRET-005"),
        ({"source": "ghp_0123456789abcdef01"}, "LOG-SECRET-005"),
        ({"ticket_id": "api_key=x"}, "LOG-SECRET-005"),
        *(
            ({"evidence_ref": ref}, "LOG-SECRET-005")
            for ref in ("/etc/x", "C:\\x", "file:x", "a?b=c", "a/../b", "..", "a\\..\\b", "\\\\host\\x")
        ),
    ],
)
def test_a_value_that_a_log_cannot_hold_is_refused_on_both_ways(changes: dict[str, str], code: str) -> None:
    wrong = fact(**changes)
    found = objection(wrong)
    assert found is not None and found.code == code
    with pytest.raises(Usage) as caught:
        log(wrong)
    assert caught.value.details["log_code"] == code


def test_what_is_allowed_is_allowed() -> None:
    for name in TYPES - {"approval.attested"}:
        assert objection(fact(type=name, trust_class="ADVISORY_INFERENCE")) is None
    assert (len(TYPES), len(TRUST_CLASSES), len(OUTCOMES)) == (18, 4, 13)
    assert (
        objection(fact(subject_id="x" * 256, evidence_ref="y" * 2048, base_sha=None, head_sha=None)) is None
    )
    assert objection(fact(subject_id="a password is asked for, and an api key too")) is None


def test_order_is_by_bytes_and_another_writers_collation_is_understood() -> None:
    """The other writer sorts by the root collation, in which `a` stands before `B`; both orders are read."""
    ours = log(fact(event_id="B"), fact(event_id="a"))
    assert [event.fact.event_id for event in ours.events] == ["B", "a"]
    theirs = Path(__file__).parent / "interop_fixtures" / "collated.dsl.txt"
    read = parse(theirs.read_bytes())
    assert [event.fact.event_id for event in read.events] == ["e-1", "b_2", "B-2", "E-10", "e-2"]
    assert render(read) == theirs.read_bytes()


def resealed(content: bytes) -> bytes:
    """The same text with every digest made right again."""
    lines = content.decode().split("\n")
    previous = GENESIS
    for at in range(8, len(lines) - 1, 22):
        lines[at + 19] = f'PREVIOUS_DIGEST "{previous}"'
        previous = digest_of("".join(line + "\n" for line in lines[at + 1 : at + 20]).encode())
        lines[at + 20] = f'EVENT_DIGEST "{previous}"'
    lines[7] = f'STREAM_DIGEST "{previous}"'
    return "\n".join(lines).encode()


def test_events_stand_in_the_order_in_which_they_were_recorded() -> None:
    content = render(log(fact(1), fact(2), fact(3)))
    assert resealed(content) == content
    later = resealed(content.replace(b'RECORDED_AT "2026-01-05', b'RECORDED_AT "2026-01-06', 1))
    assert refusal(later) == ("LOG-SEQUENCE-003", "x.dsl.txt:31")
    # An order that is neither by bytes throughout nor by the other collation throughout is none.
    mixed = log(fact(event_id="B"), fact(event_id="a"), fact(event_id="c"))
    swapped = resealed(
        render(mixed).replace(b'"c"', b'"A"').replace(b'CORRELATION_ID "A"', b'CORRELATION_ID "c"')
    )
    assert refusal(swapped) == ("LOG-SEQUENCE-003", "x.dsl.txt:53")


def test_a_log_holds_ten_thousand_events_and_no_more() -> None:
    facts = [fact(number) for number in range(MAX_EVENTS)]
    assert len(parse(render(log(*facts))).events) == MAX_EVENTS
    with pytest.raises(Usage, match=r"LOG-VALUE-002"):
        log(*facts, fact(MAX_EVENTS))
