"""Batches in halves: everything is asked for, nothing for ever, and what fails is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.llm.ask import Answered, Unanswered
from t2c.ledger.llm.receipts import nothing_yet
from t2c.ledger.llm.stages.batches import Failure, enriched
from t2c.ledger.llm.stages.markdown import Enriched
from t2c.ledger.llm.stages.reading import Readable, Said

STORY = nothing_yet("m")


def records(count: int) -> list[Readable]:
    return [Readable(f"INT-TODO-{number:020d}", "0" * 32, {}) for number in range(count)]


class Provider:
    """Answers batches: rejects those with a poisoned record, leaves out dropped ones; counts what it was asked."""

    def __init__(self, poisoned: set[str], dropped: set[str], reason: Any = "rule_violation") -> None:
        self.poisoned = poisoned
        self.dropped = dropped
        self.reason = reason
        self.asked: list[int] = []
        self.read: list[str] = []

    def ask_many(self, batches: Sequence[Any]) -> list[Any]:
        return [self._one(batch) for batch in batches]

    def _one(self, batch: Sequence[Readable]) -> Any:
        self.asked.append(len(batch))
        if any(one.id in self.poisoned for one in batch):
            return Unanswered("LLM_RESPONSE_INVALID", self.reason, "no", [STORY])
        said = tuple(Said(one.id, {}) for one in batch if one.id not in self.dropped)
        missing = tuple(one for one in batch if one.id in self.dropped)
        return Answered(Enriched(said, missing), "EVT-" + "0" * 20, 1, STORY, False)

    def run(self, wanted: Sequence[Readable], size: int = 32) -> Failure | None:
        def took(answer: Any) -> None:
            self.read += [said.id for said in answer.value.readings]

        return enriched(wanted, lambda batch: batch, self.ask_many, took, at_once=4, size=size)  # type: ignore[arg-type,return-value]


def test_whole_batches_are_asked_once() -> None:
    provider = Provider(set(), set())
    assert provider.run(records(70)) is None
    assert provider.asked == [32, 32, 6]
    assert provider.read == [one.id for one in records(70)]


def test_a_poisoned_record_is_found_by_halving_and_costs_no_other() -> None:
    wanted = records(32)
    provider = Provider({wanted[5].id}, set())
    failure = provider.run(wanted)
    assert failure == Failure("LLM_RESPONSE_INVALID", f"{wanted[5].id}: no")
    assert sorted(provider.read) == sorted(one.id for one in wanted if one.id != wanted[5].id)
    assert provider.asked == [32, 16, 16, 8, 8, 4, 4, 2, 2, 1, 1]


def test_what_is_missing_is_asked_about_alone() -> None:
    wanted = records(8)
    provider = Provider(set(), {wanted[2].id})
    failure = provider.run(wanted)
    assert failure is not None
    assert failure.message == f"{wanted[2].id} is missing from the answer"
    assert provider.asked == [8, 1]


def test_a_provider_that_cannot_be_had_ends_the_work_at_once() -> None:
    wanted = records(320)
    provider = Provider({one.id for one in wanted}, set(), "unavailable")
    assert provider.run(wanted) == Failure("LLM_RESPONSE_INVALID", "no")
    assert provider.asked == [32] * 4


def test_a_model_that_answers_nothing_usable_is_not_asked_about_every_record() -> None:
    wanted = records(1000)
    provider = Provider({one.id for one in wanted}, set())
    assert provider.run(wanted) is not None
    assert len(provider.asked) < 60


@settings(max_examples=50, deadline=None)
@given(
    st.integers(0, 40),
    st.sets(st.integers(0, 39), max_size=2),
    st.sets(st.integers(0, 39), max_size=2),
    st.integers(1, 9),
)
def test_every_record_is_read_or_is_why_the_stage_failed(
    count: int, poisoned: set[int], dropped: set[int], size: int
) -> None:
    wanted = records(count)
    bad = {wanted[number].id for number in poisoned if number < count}
    gone = {wanted[number].id for number in dropped if number < count} - bad
    provider = Provider(bad, gone)
    failure = provider.run(wanted, size)
    assert (failure is None) == (not bad and not gone)
    assert len(provider.read) == len(set(provider.read))
    if len(bad | gone) < 3:
        assert set(provider.read) == {one.id for one in wanted} - bad - gone
