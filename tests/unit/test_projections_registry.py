"""What every projection promises, for each one in the registry."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.kernel.actor import Actor
from t2c.projections import store
from t2c.projections.base import Artifacts
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

EVERY = pytest.mark.parametrize("name", ALL)


@pytest.fixture
def rich(chain: Any) -> Any:
    """A journal in which every projection finds something."""
    started = {
        "verb": "scan",
        "requested_by": "human:local",
        "tool": "t2c 0",
        "revision": None,
        "branch": None,
    }
    chain.add("run.started", started, run="r1")
    todo, moved = chain.todo("write it", line=4), chain.todo("move it", line=5)
    entry, commit = chain.entry("Fix it"), chain.commit("a" * 40, "Fix it (#12)")
    chain.symbol("app.fix")
    chain.link(entry, commit)
    moves = [{"id": moved, "lines": {"start": 8, "end": 8}}]
    chain.add("record.moved", {"source": "todo", "path": "TODO.md", "moves": moves})
    chain.add("record.retracted", {"id": todo, "why": "reworded", "superseded_by": moved})
    omission = {"source": "ast", "path": "x.js", "reason": "too_large", "count": 1, "lines": [], "detail": ""}
    chain.add("omission.noted", omission)
    chain.add("observation.noted", {"statement": "checked", "subject": None})
    names = {name: name for name in ("role", "stage", "model", "mode", "endpoint", "schema_name", "brief")}
    objects = dict.fromkeys(("request", "schema_digest", "brief_digest", "manifest"), "0" * 64)
    none = {"items": 0, "body_bytes": 0, "masked": {}, "corrects": None, "instead_of": None}
    chain.add("llm.asked", {**names, **objects, **none}, run="r1")
    answer = {
        "root": "question",
        "about": None,
        "answered": None,
        "content": "0" * 64,
        "value": {"question": "Why?"},
    }
    chain.add(
        "answer.recorded", {**answer, "schema_digest": "0" * 64}, actor=Actor("agent", "m"), trust="asserted"
    )
    chain.add("run.finished", {"status": "succeeded", "detail": None}, run="r1")
    return chain


def whole(artifacts: Artifacts) -> dict[str, bytes]:
    return {name: body if isinstance(body, bytes) else b"".join(body) for name, body in artifacts.items()}


def test_projections_stand_in_byte_order_under_their_own_names() -> None:
    assert list(ALL) == sorted(ALL)
    assert {name: projection.name for name, projection in ALL.items()} == {name: name for name in ALL}
    assert set(ALL) >= {"graph", "records", "runs", "summary"}


@EVERY
def test_inputs_are_projections_and_form_no_circle(name: str) -> None:
    waiting, seen = list(ALL[name].inputs), set()
    while waiting:
        step = waiting.pop()
        assert step in ALL
        assert step != name
        if step not in seen:
            seen.add(step)
            waiting += ALL[step].inputs


@EVERY
def test_a_deleted_folder_is_made_again_to_the_byte(rich: Any, name: str) -> None:
    workspace = Path(rich.path).parent
    folder = workspace / "projections" / name

    def make() -> dict[str, bytes]:
        folded = fold(rich.journal, ALL, [name])
        store.write(workspace, folded.provenance(name), folded.artifacts(name))
        return {path.name: path.read_bytes() for path in folder.iterdir()}

    first = make()
    shutil.rmtree(folder)
    assert make() == first
    assert make() == first
    assert len(first) > 1


@EVERY
def test_the_same_state_finishes_to_the_same_bytes(rich: Any, name: str) -> None:
    folded = fold(rich.journal, ALL, [name])
    assert whole(folded.artifacts(name)) == whole(folded.artifacts(name))


@EVERY
def test_what_is_asked_for_beside_it_changes_no_byte(rich: Any, name: str) -> None:
    alone, together = fold(rich.journal, ALL, [name]), fold(rich.journal, ALL, list(ALL))
    assert whole(alone.artifacts(name)) == whole(together.artifacts(name))


@EVERY
def test_files_end_in_a_line_feed_and_json_names_its_schema(rich: Any, name: str) -> None:
    for file, content in whole(fold(rich.journal, ALL, [name]).artifacts(name)).items():
        assert content.endswith(b"\n")
        if file.endswith(".json"):
            body = orjson.loads(content)
            assert body, "an empty array would name nothing"
            for one in body if isinstance(body, list) else [body]:
                assert "schema" in one or "schemaVersion" in one


@EVERY
def test_something_is_found_in_a_rich_journal(rich: Any, name: str) -> None:
    folded = fold(rich.journal, ALL, [name])
    assert not any(folded.faults.values())
    empty = fold(rich.journal, ALL, [name], until=1)
    assert whole(folded.artifacts(name)) != whole(empty.artifacts(name))
