"""A budget is asked before and told after, and cannot be passed by many at once."""

from __future__ import annotations

import threading
import time

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


def test_money_without_a_price_is_expected_as_the_dearest_tokens_so_far_and_ends_when_it_is_spent() -> None:
    budget = Budget(micros=1000)
    first = held(budget)
    assert first.micros == 0
    budget.settle(first, 50, 233)
    budget.settle(held(budget), 100, 10)
    assert held(budget).micros == 466
    assert missing(budget).limit == "micros"
    without_tokens = Budget(micros=1000)
    without_tokens.settle(held(without_tokens), None, 600)
    assert missing(without_tokens) == Exhausted("micros", 600, 0, 600, 1000)


@pytest.mark.parametrize("tokens", [None, 200])
def test_where_nobody_says_what_it_cost_the_first_is_the_last(tokens: int | None) -> None:
    budget = Budget(micros=10_000)
    budget.settle(held(budget), tokens, None, answered=True)
    refused = missing(budget)
    assert (refused.limit, refused.unpriced) == ("micros", True)
    assert "of 0.01 USD is not known: the provider does not say what it costs" in refused.detail
    assert "set llm.price_prompt and llm.price_completion" in refused.detail
    free = Budget(micros=10_000, price=Price(0, 0))
    for _ in range(3):
        free.settle(held(free), tokens, None, answered=True)
    unlimited = Budget(tokens=10_000)
    unlimited.settle(held(unlimited), tokens, None, answered=True)
    held(unlimited)


def test_what_broke_off_counts_as_held_once_the_cost_of_tokens_is_known() -> None:
    budget = Budget(micros=10_000)
    budget.settle(held(budget), 100, 100)
    budget.settle(held(budget), None, None)
    assert budget.spent["micros"] == 200
    budget.settle(held(budget), None, None, answered=True)
    assert missing(budget).unpriced
    first = Budget(micros=10_000)
    first.release(held(first))
    first.settle(held(first), None, None)
    assert missing(first).unpriced


def test_what_was_refused_teaches_nothing_of_what_it_costs() -> None:
    budget = Budget(micros=10_000, price=Price(0, 0))
    budget.release(held(budget))
    first = held(budget)
    assert waits(budget)
    budget.settle(first, 100, None)


def waits(budget: Budget) -> bool:
    """True if another attempt waits for what is under way; it ends with the next that is settled."""
    got: list[object] = []
    thread = threading.Thread(target=lambda: got.append(budget.reserve(30, 90)), daemon=True)
    thread.start()
    thread.join(0.1)
    return not got


@pytest.mark.parametrize("price", [None, Price(0, 0), Price(1, 1)])
@pytest.mark.parametrize("cost", [3000, 10_000])
def test_many_at_once_pass_the_limit_by_one_attempt_at_most(price: Price | None, cost: int) -> None:
    """Whatever an attempt really takes: a price that is far too low holds no more than none."""
    budget = Budget(micros=25_000, price=price)
    barrier = threading.Barrier(12)
    spent: list[int] = []
    under_way: list[int] = []
    most: list[int] = []

    def take() -> None:
        barrier.wait()
        while isinstance(found := budget.reserve(30, 90), Reservation):
            under_way.append(1)
            most.append(len(under_way))
            spent.append(cost)
            time.sleep(0.001)
            under_way.pop()
            budget.settle(found, 100, cost, answered=True)

    workers = [threading.Thread(target=take) for _ in range(12)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert max(most) == 1 and sum(spent) <= 25_000 + cost
    assert budget.spent["micros"] == sum(spent)


def test_once_a_price_has_held_many_go_at_once() -> None:
    budget = Budget(micros=25_000, price=Price(10_000_000, 10_000_000))
    budget.settle(held(budget), 100, 900, answered=True)
    first, second = held(budget), held(budget)
    budget.settle(first, 100, 1001, answered=True)
    assert waits(budget)
    budget.settle(second, 100, 900, answered=True)


def test_a_free_answer_does_not_make_the_next_free() -> None:
    budget = Budget(micros=10_000)
    budget.settle(held(budget), 100, 0)
    first = held(budget)
    assert waits(budget)
    budget.settle(first, 100, 30_000)
    assert missing(budget).limit == "micros"


def test_who_waits_for_another_attempt_ends_with_the_time() -> None:
    budget = Budget(micros=10_000, seconds=0.15)
    held(budget)
    assert missing(budget).limit == "seconds"


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
