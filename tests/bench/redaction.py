"""What the search for secrets costs what holds none: the records of a reading, and events on their way into the log.

    python tests/bench/redaction.py [--quick] [--rounds N] [--rows GLOB]

With the funnel as a command makes it, and with five known values of the environment to look for.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator

from common import Asked, Row, alone, cost, note

from t2c.ledger.intake.base import Draft, Reading, Scope
from t2c.ledger.intake.masking import masked
from t2c.ledger.redaction.drafts import mask_draft
from t2c.ledger.redaction.funnel import Funnel

COUNT = 2_000
KNOWN = tuple(f"correct-horse-battery-{number}" for number in range(5))


def reading(records: int) -> Reading:
    """What a reader of task lists makes of as many tasks; each becomes a record of about 1.2 KB."""
    drafts = []
    for number in range(records):
        text = f"Add the handling of case {number} to `function_{number}` and say in the guide what it does"
        drafts.append(
            Draft(
                kind="todo_item",
                text=text,
                object=f"the handling of case {number} to `function_{number}`",
                action="add",
                cls="plan",
                status="planned",
                confidence=0.9,
                basis=("heading_context", "markdown_checkbox"),
                trail=(f"Part {number // 50}",),
                lines=(number + 4, number + 4),
                symbols=(f"function_{number}",),
                excerpt=f"- [ ] {text}",
                metadata={"checked": False, "explicitId": None, "headingPath": [f"Part {number // 50}"]},
            )
        )
    return Reading(Scope("todo", "TODO.md"), "t2c/markdown-todo@1", tuple(drafts))


def row(name: str, what: str, count: int, rounds: int, call: Callable[[], object], must: str = "") -> Row:
    """Microseconds of CPU for each of what a call looks through."""
    call()
    spent = statistics.median(cost(call).cpu for _ in range(rounds))
    return Row(name, what, value=spent / count * 1e6, unit="us CPU", must=must)


def clean(asked: Asked) -> Iterator[Row]:
    """Nothing is found, so nothing is made anew."""
    count = asked.size(COUNT)
    read = reading(count)
    events = [note(number) for number in range(count)]
    for suffix, words, funnel in (("", "", Funnel()), ("-known", ", five known values", Funnel(KNOWN))):
        assert masked(read, funnel) is read
        assert all(mask_draft(item, funnel)[0] is item for item in events)
        yield row(
            f"redaction-record{suffix}",
            f"search of a record before it is made{words}",
            count,
            asked.rounds,
            lambda funnel=funnel: masked(read, funnel),  # type: ignore[misc]
            must="" if suffix else "<= 3",
        )
        yield row(
            f"redaction-event{suffix}",
            f"search of an event of 700 bytes before it is appended{words}",
            count,
            asked.rounds,
            lambda funnel=funnel: [mask_draft(item, funnel) for item in events],  # type: ignore[misc]
        )


MEASURES = {"redaction-clean": clean}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
