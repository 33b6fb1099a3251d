"""Whatever a log holds, its text is read back to it; whatever bytes are given, they are read or refused by code."""

from __future__ import annotations

from datetime import datetime

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.errors import Usage
from t2c.ledger.interop.event_fact import OUTCOMES, TRUST_CLASSES, TYPES, Fact, objection
from t2c.ledger.interop.event_log import chained, parse, render, written

texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12)
times = st.datetimes(min_value=datetime(1970, 1, 1)).map(lambda at: at.isoformat() + "Z")
shas = st.none() | st.text("0123456789abcdef", min_size=40, max_size=40)
facts = st.builds(
    Fact,
    event_id=texts,
    type=st.sampled_from(sorted(TYPES)),
    trust_class=st.sampled_from(sorted(TRUST_CLASSES)),
    occurred_at=times,
    recorded_at=times,
    actor_id=texts,
    subject_id=texts,
    source=texts,
    outcome=st.sampled_from(sorted(OUTCOMES)),
    repository=st.just("a/b"),
    ticket_id=st.none() | texts,
    correlation_id=texts,
    base_sha=shas,
    head_sha=shas,
    evidence_kind=texts,
    evidence_ref=texts,
    evidence_digest=st.text("0123456789abcdef", min_size=64, max_size=64).map("sha256:".__add__),
).filter(lambda fact: objection(fact) is None)
AT = "2026-01-05T11:00:00Z"


@given(st.lists(facts, max_size=4, unique_by=lambda fact: fact.event_id), texts)
def test_a_log_comes_back(given_facts: list[Fact], stream: str) -> None:
    log = chained(given_facts, stream, AT)
    content = render(log)
    assert parse(content) == log
    assert render(parse(content)) == content
    assert chained(given_facts[::-1], stream, AT) == log
    assert written(given_facts, stream, AT) == (content, log.stream_digest)


BASE = render(
    chained(
        [
            Fact("e", "ticket.created", "SYSTEM_FACT", AT, AT, "a", "s", "x", "CREATED", "a/b", None, "c", None, None,
                 "k", "r", "sha256:" + "0" * 64)
        ],
        "stream",
        AT,
    )
)  # fmt: skip


@settings(max_examples=300)
@given(st.integers(0, len(BASE)), st.integers(0, 3), st.binary(max_size=4))
def test_a_log_that_was_changed_anywhere_is_refused(at: int, less: int, more: bytes) -> None:
    changed = BASE[:at] + more + BASE[at + less :]
    try:
        parse(changed)
    except Usage as error:
        assert str(error.details["log_code"]).startswith("LOG-")
        assert changed != BASE
    else:
        # The header names the stream and the time, which no digest is over.
        header = len(BASE.partition(b"EVENT_COUNT")[0])
        assert changed[len(changed) - (len(BASE) - header) :] == BASE[header:]


@given(st.binary(max_size=80) | st.text(max_size=80).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_read_or_refused(content: bytes) -> None:
    try:
        parse(content)
    except Usage as error:
        assert str(error.details["log_code"]).startswith("LOG-")
