"""A budget is asked before and told after, and cannot be passed by many at once."""

from __future__ import annotations

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.llm.budget import Budget, Exhausted, Price, Reservation


def held(budget: Budget, body: int = 30, tokens: int = 90) -> Reservation:
    found = budget.reserve(body, tokens)
    assert isinstance(found, Reservation)
    return found


def missing(budget: Budget, body: int = 30, tokens: int = 90) -> Exhausted:
    found = budget.reserve(body, tokens)
    assert isinstance(found, Exhausted)
    return found


def test_without_limits_everything_is_counted_and_nothing_refused() -> None:
    budget = Budget()
    budget.settle(held(budget), 40, 7)
    budget.settle(held(budget), None, None)
    assert {**budget.spent, "seconds": 0} == {"requests": 2, "tokens": 140, "micros": 7 + 18, "seconds": 0}
    assert budget.seconds_left is None


def test_a_reservation_is_a_third_of_the_bytes_rounded_up_and_the_whole_answer() -> None:
    assert held(Budget(), 31, 90).tokens == 11 + 90


def test_requests_run_out_by_number() -> None:
    budget = Budget(requests=1)
    held(budget)
    assert missing(budget) == Exhausted("requests", 1, 0, 1, 1)


def test_what_is_under_way_counts_until_it_is_settled() -> None:
    budget = Budget(tokens=250)
    first, second = held(budget), held(budget)
    assert missing(budget) == Exhausted("tokens", 0, 200, 100, 250)
    budget.settle(first, 10, None)
    budget.release(second)
    assert missing(budget, 30, 231) == Exhausted("tokens", 10, 0, 241, 250)
    held(budget, 30, 230)
    assert "the budget of 250 tokens is used up: 10 spent and 240 held" in missing(budget).detail


def test_money_is_held_back_by_price() -> None:
    """A million tokens of a prompt for 3 dollars, of an answer for 15."""
    budget = Budget(micros=3000, price=Price(3_000_000, 15_000_000))
    assert held(budget).micros == 10 * 3 + 90 * 15
    assert missing(budget, 30, 150) == Exhausted("micros", 0, 1380, 2280, 3000)


def test_money_without_a_price_is_expected_as_it_was_so_far_and_ends_when_it_is_spent() -> None:
    budget = Budget(micros=1000)
    first = held(budget)
    assert first.micros == 0
    budget.settle(first, 50, 333)
    assert held(budget).micros == 666
    assert missing(budget).limit == "micros"
    unknown = Budget(micros=1000)
    unknown.settle(held(unknown), None, 1000)
    assert missing(unknown) == Exhausted("micros", 1000, 0, 0, 1000)


def test_an_answer_may_take_more_than_was_held_and_that_counts() -> None:
    budget = Budget(tokens=150)
    budget.settle(held(budget), 500, None)
    assert missing(budget).spent == 500


def test_time_runs_from_the_first_request() -> None:
    now = [100.0]
    budget = Budget(seconds=5, clock=lambda: now[0])
    now[0] = 200.0
    assert budget.seconds_left == 5.0
    held(budget)
    now[0] = 204.0
    assert budget.seconds_left == 1.0
    held(budget)
    now[0] = 205.0
    assert missing(budget) == Exhausted("seconds", 5, 0, 0, 5)
    assert budget.seconds_left == 0.0


@settings(max_examples=50)
@given(
    st.integers(0, 2000),
    st.lists(
        st.tuples(st.integers(0, 300), st.integers(1, 300), st.none() | st.integers(0, 300)), max_size=20
    ),
)
def test_nothing_is_begun_that_might_pass_the_limit(
    limit: int, asked: list[tuple[int, int, int | None]]
) -> None:
    """The most that was held and spent together never passes it while nobody takes more than was held."""
    budget = Budget(tokens=limit)
    spent, under_way = 0, []
    for body, tokens, took in asked:
        found = budget.reserve(body, tokens)
        wanted = -(-body // 3) + tokens
        assert isinstance(found, Exhausted) == (spent + sum(one.tokens for one in under_way) + wanted > limit)
        if isinstance(found, Reservation):
            under_way.append(found)
            if took is not None:
                one = under_way.pop(0)
                budget.settle(one, min(took, one.tokens), None)
                spent += min(took, one.tokens)
        assert budget.spent["tokens"] == spent <= limit


@pytest.mark.parametrize("threads", [8])
def test_threads_together_get_no_more_than_one_alone(threads: int) -> None:
    budget = Budget(requests=50, tokens=100_000)
    got: list[Reservation] = []

    def take() -> None:
        while isinstance(found := budget.reserve(3, 9), Reservation):
            got.append(found)
            budget.settle(found, 10, 1)

    workers = [threading.Thread(target=take) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(got) == 50
    assert {**budget.spent, "seconds": 0} == {"requests": 50, "tokens": 500, "micros": 50, "seconds": 0}
