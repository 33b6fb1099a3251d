"""What asking may cost: a budget that is asked before each attempt on the wire and told afterwards what it took.

An attempt reserves the most that it may take, and settles with what was metered; where nobody says what it took, the
reservation counts as spent. So attempts that are under way at once cannot spend together what each alone might.

Under a limit of money an attempt is made only if what it may cost is known: by a price, or by the dearest token so far.
What tokens cost so far is no promise, so without a price one attempt goes at a time, and so does the first with one; if
nobody says what it cost, it stays the only one. So money is passed by the cost of one attempt at the most.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final, Literal, NamedTuple

__all__ = ["Budget", "Exhausted", "Limit", "Price", "Reservation"]

Limit = Literal["requests", "tokens", "micros", "seconds"]

_BYTES_PER_TOKEN: Final = 3
"""Of a prompt, taken low: text in most languages has more bytes to a token."""
_MILLION: Final = 1_000_000
_AGAIN: Final = 0.05
"""Seconds after which whoever waits for another attempt looks whether the time has run out."""


class Price(NamedTuple):
    """What a million tokens cost, in millionths of the currency."""

    prompt: int
    completion: int


class Exhausted(NamedTuple):
    """Why an attempt is not made: of what the budget has no more. `wanted` is what the attempt might take.

    `unpriced` is true where there may be money left, and nobody says what an attempt takes of it.
    """

    limit: Limit
    spent: int
    reserved: int
    wanted: int
    most: int
    unpriced: bool = False

    @property
    def detail(self) -> str:
        """In words."""
        unit = "USD" if self.limit == "micros" else self.limit
        most = f"{self._told(self.most)} {unit}"
        if self.unpriced:
            return (
                f"what is left of the budget of {most} is not known: the provider does not say what it costs; set "
                "llm.price_prompt and llm.price_completion (those that a repository's files set do not count)"
            )
        held = f" and {self._told(self.reserved)} held for requests under way" if self.reserved else ""
        return (
            f"the budget of {most} is used up: {self._told(self.spent)} spent{held}, "
            f"and this request may take {self._told(self.wanted)}"
        )

    def _told(self, count: int) -> str:
        if self.limit != "micros":
            return str(count)
        whole, rest = divmod(count, _MILLION)
        return f"{whole}.{rest:06}".rstrip("0").rstrip(".")


class Reservation(NamedTuple):
    """The most that one attempt may take, held back until it is settled."""

    tokens: int
    micros: int


class Budget:
    """Limits on requests, tokens, money (in millionths) and wall time (in seconds); None: no limit.

    Every attempt counts as a request. Time runs from the first reservation on `clock`, which tells seconds. Without a
    `price` an attempt is expected to cost what the dearest tokens have cost so far. May be shared by threads.
    """

    def __init__(
        self,
        *,
        requests: int | None = None,
        tokens: int | None = None,
        micros: int | None = None,
        seconds: float | None = None,
        price: Price | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._most: dict[Limit, float | None] = {
            "requests": requests, "tokens": tokens, "micros": micros, "seconds": seconds,
        }  # fmt: skip
        self._price = price
        self._clock = clock
        self._lock = threading.Condition()
        self._began: float | None = None
        self._requests = self._tokens = self._micros = 0
        self._rate = (0, 1)
        """The dearest so far: millionths for so many tokens."""
        self._dearest = 0
        self._settled = False
        self._silent = False
        self._surprised = False
        self._held: list[Reservation] = []

    @property
    def spent(self) -> dict[Limit, int]:
        """What was spent of each, reservations aside."""
        with self._lock:
            return {
                "requests": self._requests,
                "tokens": self._tokens,
                "micros": self._micros,
                "seconds": int(self._elapsed()),
            }

    @property
    def seconds_left(self) -> float | None:
        """How long may still be asked; None: without limit."""
        with self._lock:
            most = self._most["seconds"]
            return None if most is None else max(0.0, most - self._elapsed())

    def reserve(self, body_bytes: int, max_tokens: int) -> Reservation | Exhausted:
        """Hold back what an attempt may take, or say what there is too little of.

        Waits for what is under way where nobody can be sure what that costs.
        """
        prompt = -(-body_bytes // _BYTES_PER_TOKEN)
        with self._lock:
            while True:
                wanted = Reservation(prompt + max_tokens, self._cost(prompt, max_tokens))
                missing = self._missing(wanted)
                if missing is not None:
                    return missing
                if not (self._held and self._goes_alone()):
                    break
                self._lock.wait(None if self._most["seconds"] is None else _AGAIN)
            if self._began is None:
                self._began = self._clock()
            self._requests += 1
            self._held.append(wanted)
            return wanted

    def settle(
        self, held: Reservation, tokens: int | None, micros: int | None, *, answered: bool = False
    ) -> None:
        """Count what an attempt took; None where nobody says, so that what was held counts.

        `answered` is true where a provider came to say what it took, or could have.
        """
        with self._lock:
            self._held.remove(held)
            self._tokens += held.tokens if tokens is None else tokens
            self._micros += held.micros if micros is None else micros
            if micros is None:
                self._settled = True
                self._silent |= self._price is None and (answered or self._dearest == 0)
            elif tokens or micros:
                self._learn(held, tokens, micros)
            self._lock.notify_all()

    def release(self, held: Reservation) -> None:
        """Give back what was held for an attempt that was refused before anything was generated."""
        self.settle(held, 0, 0)

    def _elapsed(self) -> float:
        return 0.0 if self._began is None else self._clock() - self._began

    def _learn(self, held: Reservation, tokens: int | None, micros: int) -> None:
        if tokens and micros * self._rate[1] > self._rate[0] * tokens:
            self._rate = (micros, tokens)
        self._surprised |= micros > held.micros
        self._dearest = max(self._dearest, micros)
        self._settled = True

    def _goes_alone(self) -> bool:
        """True while what an attempt costs is not known well enough to have two under way under a limit of money."""
        if self._most["micros"] is None:
            return False
        return self._price is None or self._surprised or not self._settled

    def _cost(self, prompt: int, completion: int) -> int:
        """The most that an attempt may cost, as far as anybody knows; 0 where nobody does."""
        if self._price is not None:
            return -(-(prompt * self._price.prompt + completion * self._price.completion) // _MILLION)
        micros, tokens = self._rate
        return -(-(prompt + completion) * micros // tokens) if micros else self._dearest

    def _missing(self, wanted: Reservation) -> Exhausted | None:
        held_tokens = sum(one.tokens for one in self._held)
        held_micros = sum(one.micros for one in self._held)
        states: tuple[tuple[Limit, int, int, int], ...] = (
            ("requests", self._requests, 0, 1),
            ("tokens", self._tokens, held_tokens, wanted.tokens),
            ("micros", self._micros, held_micros, wanted.micros),
        )
        for limit, spent, held, asked in states:
            most = self._most[limit]
            # Where the cost of a token is unknown, nothing may be asked once the money is spent.
            if most is not None and (spent + held + asked > most or (limit == "micros" and spent >= most)):
                return Exhausted(limit, spent, held, asked, int(most))
        most = self._most["micros"]
        if most is not None and self._silent:
            return Exhausted("micros", self._micros, held_micros, wanted.micros, int(most), unpriced=True)
        most = self._most["seconds"]
        if most is not None and self._elapsed() >= most:
            return Exhausted("seconds", int(self._elapsed()), 0, 0, int(most))
        return None
