"""Several pieces of work at a time, in threads that nobody has to wait for once they are abandoned."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["in_parallel"]

T = TypeVar("T")
R = TypeVar("R")


def in_parallel(
    work: Callable[[T], R],
    items: Sequence[T],
    concurrency: int,
    *,
    done: Callable[[int], None],
    abandon: Callable[[], None],
) -> list[R]:
    """What `work` makes of each item, in their order; `done` is called here with how many are.

    If one piece raises, no further one is begun, those begun are waited for, and the first error in the order of the
    items is raised. If the waiting itself is interrupted, `abandon` is called and nothing is waited for.
    """
    if concurrency <= 1 or len(items) <= 1:
        return [_one(work, item, done, number) for number, item in enumerate(items, 1)]
    waiting = deque(enumerate(items))
    results: dict[int, R] = {}
    errors: dict[int, BaseException] = {}
    changed = threading.Condition()

    def serve() -> None:
        while True:
            with changed:
                if not waiting or errors:
                    return
                place, item = waiting.popleft()
            try:
                result = work(item)
            except BaseException as error:  # noqa: BLE001 - raised by the caller, in order
                with changed:
                    errors[place] = error
                    changed.notify()
            else:
                with changed:
                    results[place] = result
                    changed.notify()

    threads = [
        threading.Thread(target=serve, name=f"t2c-ask-{number}", daemon=True)
        for number in range(min(concurrency, len(items)))
    ]
    try:
        for thread in threads:
            thread.start()
        told = 0
        with changed:
            while len(results) < len(items) and not errors:
                changed.wait()
                if len(results) > told:
                    told = len(results)
                    done(told)
        for thread in threads:
            thread.join()
    except BaseException:
        with changed:
            waiting.clear()
        abandon()
        raise
    if errors:
        raise errors[min(errors)]
    return [results[place] for place in range(len(items))]


def _one(work: Callable[[T], R], item: T, done: Callable[[int], None], number: int) -> R:
    result = work(item)
    done(number)
    return result
