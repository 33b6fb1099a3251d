"""Passages: what is shown of a text, how it is cut, and whose statement a model speaks of."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.stages import documents, natural_language
from t2c.ledger.llm.stages.passages import LONGEST, MOST, Passage, matched, passages, tokens_of
from t2c.ledger.llm.stages.reading import Readable


def statements(
    *given: tuple[str, int, tuple[str, ...]], path: str = "ticket.md", kind: str = "nl"
) -> list[Readable]:
    drafts = [
        Draft(
            kind="declared_intent",
            text=text,
            object=text,
            action="add",
            cls="declaration",
            status="proposed",
            confidence=0.7,
            basis=("made",),
            modality="recommended",
            lines=(line, line + text.count("\n")),
            trail=trail,
            metadata={"headingPath": list(trail)},
        )
        for text, line, trail in given
    ]
    import orjson

    found = materialise(Reading(Scope(kind, path), "t2c/made@1", tuple(drafts)))
    return [Readable(one.id, one.digest.hex(), orjson.loads(one.body)) for one in found]


def item(start: int, end: int, text: str, **other: Any) -> dict[str, Any]:
    return {
        "kind": "declared_intent",
        "actor": None,
        "action": "fix",
        "subject": None,
        "object": "the lock",
        "modality": "required",
        "polarity": "positive",
        "lifecycle": "verified",
        "confidence": 0.8,
        "basis": [],
        "target": {"paths": [], "symbols": [], "tickets": [], "versions": []},
        "sourceLines": {"start": start, "end": end},
        "text": text,
        **other,
    }


def one(passage: Passage, *items: dict[str, Any]) -> list[tuple[str, str]]:
    found = matched(passage, items, natural_language.GENERATOR)
    texts = {record.id: record.statement["text"] for record in passage.records}
    return [(texts[said.id], said.data["object"]) for said in found.readings]


def test_lines_are_numbered_from_1_and_moving_a_text_changes_no_byte() -> None:
    (passage,) = passages(statements(("Lock it", 3, ("A",)), ("Twice\nand again", 7, ("A", "B"))))
    assert passage.text == "path: ticket.md\n# A\n1\tLock it\n# A > B\n2\tTwice\n3\tand again"
    assert (passage.spans, passage.lines) == (((1, 1), (2, 3)), 3)
    (moved,) = passages(statements(("Lock it", 30, ("A",)), ("Twice\nand again", 70, ("A", "B"))))
    assert moved.text == passage.text


def test_an_item_is_of_the_record_on_its_lines_or_of_its_words() -> None:
    (passage,) = passages(statements(("Lock it", 3, ()), ("Open it", 5, ()), ("Close it", 7, ())))
    assert one(passage, item(2, 2, "other words")) == [("Open it", "the lock")]
    assert one(passage, item(1, 2, "  CLOSE   it. ")) == [("Close it", "the lock")]
    found = matched(
        passage, [item(1, 3, "All of it"), item(2, 2, ""), item(2, 2, "")], natural_language.GENERATOR
    )
    assert (len(found.readings), found.others, found.at) == (1, 2, (3, 5))


def test_words_that_stand_twice_are_nobodys_unless_the_lines_say_whose() -> None:
    (passage,) = passages(statements(("Lock it", 3, ("A",)), ("Lock it", 5, ("B",))))
    assert one(passage, item(1, 2, "Lock it")) == []
    assert one(passage, item(2, 2, "Lock it")) == [("Lock it", "the lock")]


@pytest.mark.parametrize(("start", "end"), [(1, 4), (3, 2), (4, 4)])
def test_lines_that_are_not_there_reject_the_answer(start: int, end: int) -> None:
    (passage,) = passages(statements(("Lock it", 3, ()), ("Open it", 5, ()), ("Close it", 7, ())))
    with pytest.raises(Rejected, match=r"response\.records\[1\]\.sourceLines must lie within 1 and 3"):
        one(passage, item(1, 1, ""), item(start, end, ""))


def test_by_what_a_model_does_not_know_what_was_found_stays() -> None:
    (passage,) = passages(statements(("Lock it", 3, ())))
    answer = item(1, 1, "", object="Nieznany", action="unknown", modality="unknown")
    (said,) = matched(passage, [answer], natural_language.GENERATOR).readings
    assert (said.data["object"], said.data["action"], said.data["modality"]) == (
        "Lock it",
        "add",
        "recommended",
    )
    assert said.data["basis"] == [
        "openrouter_structured_extraction",
        "runtime_action_backfill",
        "runtime_modality_backfill",
        "runtime_object_backfill",
    ]


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.text(st.characters(codec="utf-8", categories=("L", "Zs")), min_size=1, max_size=3000),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_every_statement_is_in_exactly_one_passage_that_is_no_longer_than_it_may_be(
    given_texts: list[tuple[str, int]],
) -> None:
    texts = [
        (f"{number} {text}", number * 10 + 1, (str(section),))
        for number, (text, section) in enumerate(given_texts)
    ]
    records = statements(*texts)
    made = passages(records)
    assert sorted(record.id for passage in made for record in passage.records) == sorted(
        one.id for one in records
    )
    for passage in made:
        held = sum(len(record.statement["text"][:2000]) for record in passage.records)
        assert held <= LONGEST or len(passage.records) == 1


def test_the_weightiest_passages_are_chosen_and_keep_their_order() -> None:
    texts = {
        "b.md": "nothing",
        "README.md": "nothing",
        "a.md": "see src/x.py and AB-1",
        "c.md": "see src/x.py",
    }
    made = passages(
        [one for path, text in texts.items() for one in statements((text, 1, ()), path=path, kind="document")]
    )
    hints = frozenset({"src/x.py", "AB-1"})
    assert [one.path for one in documents.chosen(made, hints, 3).passages] == ["README.md", "a.md", "c.md"]
    assert documents.chosen(made, hints, 2).left_out == {"README.md": 1, "b.md": 1}
    assert documents.chosen(made, hints, 0).passages == ()


def test_a_reading_of_a_passage_is_canonical() -> None:
    (passage,) = passages(statements(("Lock it", 3, ())))
    (said,) = matched(passage, [item(1, 1, "", confidence=0.123456)], natural_language.GENERATOR).readings
    assert said.data["confidence"] == 0.123
    canonical(dict(said.data))


@pytest.mark.parametrize("sections", [1, 9])
def test_a_passage_never_holds_more_than_an_answer_may(sections: int) -> None:
    short = [(f"Word {n}", n + 1, ("Guide", f"S{n % sections}")) for n in range(178)]
    cut = passages(statements(*sorted(short, key=lambda one: one[2]), path="docs/a.md", kind="document"))
    assert sum(len(one.records) for one in cut) == 178
    assert max(len(one.records) for one in cut) <= MOST <= documents.MOST_RECORDS // 2


def test_the_answer_to_a_dense_passage_may_be_as_long_as_it_must_be() -> None:
    (thin,) = passages(statements(("Lock the account", 1, ())))
    assert documents.asking(thin, "m", 6000).max_tokens == 6000
    words = (
        "Lock the account after five failed logins in the time that is set, and tell whoever owns it by mail"
    )
    dense = passages(statements(*((f"{words} {n}", n + 1, ()) for n in range(60)), path="docs/a.md"))[0]
    assert documents.asking(dense, "m", 6000).max_tokens == tokens_of(dense, 6000) > 130 * 60
    assert natural_language.asking(dense, "m", 99_999).max_tokens == 99_999


def test_a_heading_is_no_statement_that_is_asked_about() -> None:
    (one,) = statements(("Guide", 1, ("Guide",)), path="docs/a.md", kind="document")
    assert documents.wanted(one.record)
    heading = {**one.record, "metadata": {**one.record["metadata"], "documentationOrigin": "heading"}}
    assert not documents.wanted(heading)
