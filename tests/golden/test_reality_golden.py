"""Reality, timeline and truth map of one small history, to the byte: any change is a change that somebody decided on."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs, pretty
from t2c.projections.fold import fold
from t2c.projections.reality import surveyed
from t2c.projections.registry import ALL
from t2c.projections.render.reality_html import reality_html
from t2c.projections.render.reality_markdown import reality_markdown
from t2c.projections.render.reality_svg import reality_svg

GOLDEN = Path(__file__).parent / "reality"
FILES = (
    "reality-grades.json", "reality.html", "reality.json", "reality.md", "reality.svg", "timeline.json",
    "truth-map.json",
)  # fmt: skip


class Found(NamedTuple):
    code: str
    severity: str
    records: tuple[str, ...]


def told(kind: str, cls: str, text: str, **members: Any) -> Draft:
    shared: dict[str, Any] = {
        "kind": kind, "cls": cls, "text": text, "object": text, "action": "add", "status": "planned",
        "confidence": 0.9, "basis": ("golden",), "lines": (1, 1),
    }  # fmt: skip
    return Draft(**{**shared, **members})


def history(chain: Any) -> list[Found]:
    """A done plan that was taken back, an open one, a task with a criterion, prose, a claim, and code nobody asked for."""
    reverted, waiting = chain.observe(
        "todo", "TODO.md",
        told("todo_item", "plan", "Retry <b>requests</b> “ąę”", tickets=("AB-1",)),
        told("todo_item", "plan", "Cache answers", tickets=("AB-2",), lines=(2, 2)),
    )  # fmt: skip
    task = chain.observe(
        "todo", "tasks/t-7.md",
        told("todo_item", "plan", "Limit the rate", status="completed", metadata={"explicitId": "T-7"}),
        told("todo_item", "plan", "it waits", status="planned", lines=(9, 9)),
    )[0]  # fmt: skip
    prose = chain.observe(
        "document", "README.md",
        told("documentation_statement", "declaration", "`app.limit` limits", symbols=("app.limit",), status="proposed"),
        told("documentation_statement", "declaration", "must not log secrets", tickets=("AB-3",), polarity="negative",
             status="proposed", lines=(4, 4)),
    )[0]  # fmt: skip
    limit, surplus = (chain.symbol(f"app.{name}", path=f"src/{name}.py") for name in ("limit", "surplus"))
    done = chain.commit("a" * 40, "AB-1 retry", at="2026-01-02T10:00:00Z", author="Ada")
    back = chain.commit("b" * 40, 'Revert "AB-1 retry"', at="2026-01-03T10:00:00Z", author="Bob")
    limited = chain.commit("c" * 40, "T-7 limit", at="2026-01-04T10:00:00Z", author="Cleo")
    entry = chain.entry("Limit the rate (#12)", version="1.0.0")
    for source, target, kind in (
        (done, reverted, "implements"), (back, done, "supersedes"), (limited, task, "implements"),
        (limited, limit, "modifies"), (entry, limited, "releases"), (prose, limit, "documents"),
    ):  # fmt: skip
        chain.link(source, target, kind)
    chain.add("record.retracted", {"id": surplus, "why": "absent", "superseded_by": None})
    chain.symbol("app.surplus", path="src/surplus.py")
    return [
        Found("PLANNED_NOT_IMPLEMENTED", "warning", (waiting,)),
        Found("REGRESSION_DETECTED", "review_required", (reverted,)),
    ]


@pytest.fixture(scope="module")
def made(new_journal: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    chain = new_journal(tmp_path_factory.mktemp("golden") / "journal.ndjson")
    findings = history(chain)
    folded = fold(chain.journal, ALL, ["timeline", "truth-map"])
    assert not any(folded.faults.values())
    reality, grades = surveyed(Inputs(folded.ts or "", folded.states, folded.made), findings)
    return {
        "reality.json": pretty(msgspec.to_builtins(reality)),
        "reality-grades.json": pretty(msgspec.to_builtins(grades)),
        "reality.md": reality_markdown(reality, grades),
        "reality.svg": reality_svg(reality, grades),
        "reality.html": reality_html(reality, grades),
        **{
            file: content if isinstance(content, bytes) else b"".join(content)
            for name in ("timeline", "truth-map")
            for file, content in folded.artifacts(name).items()
        },
    }


@pytest.mark.parametrize("file", FILES)
def test_an_artifact_is_what_it_was(made: dict[str, bytes], file: str, tmp_path: Path) -> None:
    (tmp_path / file).write_bytes(made[file])
    assert made[file] == (GOLDEN / file).read_bytes(), (
        f"compare {tmp_path / file}, and copy it over if the change is meant"
    )


def test_nothing_is_stored_that_is_not_made(made: dict[str, bytes]) -> None:
    assert sorted(made) == sorted(FILES) == sorted(path.name for path in GOLDEN.iterdir())
