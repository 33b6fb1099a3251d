"""In what state a task is: the sign in its box, or the word of its state."""

from __future__ import annotations

from typing import Final, NamedTuple

from t2c.ledger.events.record import Status
from t2c.ledger.intake.vocabulary import words

__all__ = ["DONE", "MARKS", "State", "state_of"]


class State(NamedTuple):
    """The lifecycle status, and the finer state that the file names, if any."""

    status: Status
    name: str | None = None


MARKS: Final[dict[str, State]] = {
    " ": State("planned"),
    "x": State("completed"),
    "X": State("completed"),
    "/": State("in_progress", "half done"),
    ">": State("planned", "deferred"),
    "!": State("planned", "important"),
    "-": State("unknown", "cancelled"),
}
"""What a box holds: `[-]` is dropped in some tools and half done in others, so its status is not known."""
DONE: Final = words(
    "done completed complete finished closed x ✓ ✔ ✅ ☑ [x] yes zrobione gotowe ukończone wykonane zakończone tak"
)
_WORDS: Final[tuple[tuple[Status, frozenset[str]], ...]] = (
    ("completed", DONE | words("merged approved accepted resolved fixed shipped released zrobiony")),
    (
        "in_progress",
        words(
            "in-progress inprogress doing started active wip ongoing review in-review for-review claimed w-toku"
        ),
    ),
    ("blocked", words("blocked waiting stuck zablokowane czeka")),
    ("proposed", words("proposed draft idea propozycja szkic")),
    (
        "planned",
        words(
            "to-do todo pending open planned new ready backlog next someday deferred postponed on-hold hold do-zrobienia"
            " otwarte nowe planowane"
        ),
    ),
)


def state_of(word: str) -> State:
    """The state that a word names in any spelling (`In Progress`, `in_progress`); `unknown` for another word."""
    name = " ".join(word.split()).strip(" .:").lower()
    if not name:
        return State("planned")
    plain = name.replace(" ", "-").replace("_", "-").replace("'", "").replace("’", "")
    for status, known in _WORDS:
        if plain in known:
            return State(status, name)
    return State("unknown", name)
