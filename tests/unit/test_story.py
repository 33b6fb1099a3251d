"""The story: a chapter a run and a day, with what nobody should miss."""

from __future__ import annotations

from typing import Any

from t2c.cli.actions.story import MOST, Chapter, Story


def told(chain: Any) -> list[Chapter]:
    story = Story()
    for entry in chain.journal.entries():
        story.add(entry)
    return story.chapters()


def test_interleaved_runs_are_chapters_of_their_own(chain: Any) -> None:
    for number in range(6):
        chain.add("observation.noted", {"statement": "x"}, run="ab"[number % 2])
    chapters = told(chain)
    assert [chapter.run for chapter in chapters] == [None, "a", "b"]
    assert [(chapter.first, chapter.last, chapter.events) for chapter in chapters[1:]] == [
        (2, 6, 3),
        (3, 7, 3),
    ]


def test_what_should_not_be_missed_is_told_in_words(chain: Any) -> None:
    sentences = {
        "journal.repaired": ({"offset": 9, "length": 6, "sha256": "0", "cause": "torn_line", "saved_as": "x"}, "6 bytes"),
        "journal.merged": ({"ledger": "ab" * 16, "events": 4, "known": 1}, "4 events of ledger abababab"),
        "checkpoint.signed": ({"size": 7, "root": "", "key": "k", "note": ""}, "7 events"),
        "payload.redacted": ({"event": "EVT-1", "data_hash": "", "reason": "a name"}, "a name"),
        "degradation.noted": (
            {"stage": "link", "asked": "all", "done": "some", "reason": "time"}, "all asked, some done: time",
        ),
        "refusal.noted": ({"reason": "no approval"}, "no approval"),
        "stage.finished": ({"stage": "git", "status": "failed", "counts": {}, "detail": "no git"}, "git failed: no git"),
        "run.finished": ({"status": "partial", "appended": {}, "detail": None}, "partial"),
    }  # fmt: skip
    for name, (data, _) in sentences.items():
        chain.add(name, data, run="r")
    chain.add(
        "stage.finished", {"stage": "git", "status": "succeeded", "counts": {}, "detail": None}, run="r"
    )
    (run,) = [chapter for chapter in told(chain) if chapter.run == "r"]
    assert [notable.type for notable in run.notable] == list(sentences)
    for notable in run.notable:
        assert sentences[notable.type][1] in notable.what
    assert run.status == "partial"


def test_what_is_not_told_one_by_one_is_counted(chain: Any) -> None:
    for _ in range(MOST + 7):
        chain.add("payload.redacted", {"event": "EVT-1", "data_hash": "", "reason": "r"}, run="r")
        chain.add("record.retracted", {"id": "x", "why": "absent", "superseded_by": None}, run="r")
    (run,) = [chapter for chapter in told(chain) if chapter.run == "r"]
    assert (len(run.notable), run.more) == (MOST, 7)
    assert run.retracted == {"absent": MOST + 7}


def test_payloads_of_any_shape_are_told(chain: Any) -> None:
    """No payload stops the story: level `schema` is for that."""
    for name in ("run.started", "run.finished", "stage.finished", "record.retracted", "journal.merged"):
        for data in (b"[]", b"null", b"5", b'{"status":[1],"why":{"a":1},"verb":7}'):
            chain.add(name, data, run="r")
        chain.withheld(name, run="r")
    (run,) = [chapter for chapter in told(chain) if chapter.run == "r"]
    assert run.events == 25
    assert (run.verb, run.status) == (None, None)
