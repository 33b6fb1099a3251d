"""Any text is a moment or a named refusal; a time finds the same event by bisection as by reading on."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from t2c.cli.actions.context import Context
from t2c.cli.actions.moment import resolve, since
from t2c.cli.settings import load
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import T2cError
from t2c.ledger.kernel.clock import FixedClock, rfc3339

START = datetime(2026, 1, 5, tzinfo=UTC)


def made(root: Path, steps: list[int], note: Any) -> tuple[Context, list[str]]:
    """A ledger whose events are so many milliseconds apart, and their times."""
    clock = FixedClock(START)
    create(root / ".t2c", clock=clock)
    with Ledger(root / ".t2c", clock=clock, hold=True, durability="none") as ledger:
        for step in steps:
            clock.instant += timedelta(milliseconds=step)
            ledger.append([note("x" * (1 + step % 977))])
        times = [entry.ts for entry in ledger.entries()]
    return Context(root, root, load(root, {}), clock, lambda *_: None), times


@given(st.lists(st.sampled_from((0, 0, 0, 1, 2, 1000, 60_000)), max_size=40), st.data())
@settings(max_examples=40)
def test_a_time_finds_what_a_linear_scan_finds(note: Any, steps: list[int], data: Any) -> None:
    with TemporaryDirectory() as folder:
        context, times = made(Path(folder), steps, note)
        with Ledger(context.workspace) as ledger:
            for _ in range(8):
                near = data.draw(st.sampled_from(times))
                shift = data.draw(st.sampled_from((-1000, -1, 0, 1, 1000)))
                ts = rfc3339(datetime.fromisoformat(near) + timedelta(milliseconds=shift))
                up_to = sum(1 for time in times if time <= ts)
                before = sum(1 for time in times if time < ts)
                assert ledger.journal.at_time(ts).seq == up_to
                assert resolve(context, ledger, ts, start=True).seq == up_to
                assert since(context, ledger, ts).seq == before
                assert ledger.journal.at_time(ts) == ledger.journal.position(up_to)


@pytest.fixture(scope="module")
def still(tmp_path_factory: pytest.TempPathFactory, note: Any) -> tuple[Context, Ledger]:
    context, _ = made(tmp_path_factory.mktemp("still"), [5, 5, 5], note)
    return context, Ledger(context.workspace)


WORDS = st.one_of(
    st.text(max_size=40),
    st.text("0123456789-:TZ+. ", max_size=30),
    st.from_regex(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9:.]{0,12}([+-][0-9:]{0,5})?)?", fullmatch=True),
    st.from_regex(r"[0-9]{1,10}[smhdw]", fullmatch=True),
    st.from_regex(r"(checkpoint:|EVT-)[0-9a-f]{0,21}", fullmatch=True),
    st.binary(max_size=20).map(lambda raw: raw.decode("utf-8", "surrogateescape")),
)


@given(WORDS)
@example("../../../../../../etc/passwd")
@example("/proc/self/mem")
@example(".t2c/journal.ndjson")
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_is_a_moment_or_a_named_refusal(still: tuple[Context, Ledger], text: str) -> None:
    context, ledger = still
    for ask in (resolve, since):
        with contextlib.suppress(T2cError):
            ask(context, ledger, text)
    with contextlib.suppress(T2cError):
        moment = resolve(context, ledger, text, start=True, cached=False)
        assert 0 <= moment.seq <= 4
        assert (moment.ts is None) == (moment.seq == 0)
        assert moment.how
