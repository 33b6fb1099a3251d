"""The record contract: what a target may hold, how it is spelt, and what a model may not say."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from t2c.ledger.events.record import Record
from t2c.ledger.events.targets import (
    is_host,
    is_outside,
    normalised_paths,
    normalised_symbols,
    normalised_tickets,
    normalised_versions,
)
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.canon import canonical, loads


def record(**changes: Any) -> dict[str, Any]:
    """A right record; a change is named `part.member` with `__` for the dot."""
    made = Draft(
        kind="todo_item", text="Add it", object="it", action="add", cls="plan", status="planned",
        confidence=0.9, basis=("box",), lines=(3, 4), paths=("src/a.py",), symbols=("app.run",),
    )  # fmt: skip
    found: Any = loads(next(iter(materialise(Reading(Scope("todo", "TODO.md"), "t2c/todo@1", (made,))))).body)
    for place, value in changes.items():
        *path, last = place.split("__")
        at = found
        for name in path:
            at = at[name]
        at[last] = value
    return found  # type: ignore[no-any-return]


def problem(body: dict[str, Any]) -> str | None:
    """What the type objects to first, None if nothing."""
    try:
        Record.model_validate_json(canonical(body))
    except ValidationError as error:
        return error.errors()[0]["msg"]
    return None


# spelling


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["src/a.py"], ["src/a.py"]),
        ([" `src\\a.py` "], ["src/a.py"]),
        (["./src//a/"], ["src/a"]),
        (["././x"], ["x"]),
        ([".github/w.yml", "[id]/(g)/x.tsx", "a b.md"], [".github/w.yml", "[id]/(g)/x.tsx", "a b.md"]),
        (["b", "a", "b", " a "], ["a", "b"]),
        (["", "  ", "``", "./"], []),
        (["zażółć/ą.md", "B", "a"], ["B", "a", "zażółć/ą.md"]),
        (["/api/users", "GET /x", "https://h/x", "C:\\x", "\\\\srv\\x", "~/x", "$HOME/x", "a/../b", "..", "a\0"], []),
        (["..a", "a..b", "a/..b/c", "$lib/x"], ["$lib/x", "..a", "a..b", "a/..b/c"]),
    ],
)  # fmt: skip
def test_paths_are_spelt_one_way_and_stay_inside(given: list[str], kept: list[str]) -> None:
    assert normalised_paths(given) == kept
    assert normalised_paths(kept) == kept


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (["app.core.run"], ["app.core.run"]),
        (["`Foo::bar#baz(x, y)`"], ["Foo.bar.baz"]),
        (["List<T>.of()", "..x..y.."], ["List.of", "x.y"]),
        (["api.example.com", "10.0.0.1", "www.h.example.io"], []),
        (["pandas.io", "user.name", "Api.com", "1.2.3"], ["1.2.3", "Api.com", "pandas.io", "user.name"]),
        (["", "()", "<T>", "."], []),
    ],
)
def test_symbols_are_spelt_one_way_and_are_no_hosts(given: list[str], kept: list[str]) -> None:
    assert normalised_symbols(given) == kept
    assert normalised_symbols(kept) == kept


def test_what_a_parser_found_may_be_called_as_a_host_is() -> None:
    assert normalised_symbols(["serial.com"], of_code=True) == ["serial.com"]
    assert normalised_symbols(["serial.com"]) == []


def test_tickets_and_versions() -> None:
    assert normalised_tickets(["acme-7", "ticket  12", "ACME-7", " ", "#3"]) == ["#3", "ACME-7", "TICKET-12"]
    assert normalised_versions([" 1.2.0 ", "1.2.0", "", "v2"]) == ["1.2.0", "v2"]


def test_no_list_gives_no_list() -> None:
    for normalised in (normalised_paths, normalised_symbols, normalised_tickets, normalised_versions):
        assert normalised(()) == []


# refusals


@pytest.mark.parametrize("path", ["/api/users", "GET /x", "https://h.example", "/var/run/x", "C:\\x", "D:/x",
    "\\\\server\\x", "~/x", "$HOME/x", "${HOME}/x", "a/../b", "..", "a\\..", "a\0b", "~"])  # fmt: skip
def test_no_route_and_no_path_of_a_host_is_a_path(path: str) -> None:
    assert is_outside(path)
    assert "is not a path inside the repository" in str(problem(record(statement__target__paths=[path])))
    # The source's own path is a locator, and reading confines it.
    assert problem(record(statement__target__paths=["a/b.py"])) is None


def test_hosts_are_no_symbols() -> None:
    for host in ("api.example.com", "192.168.0.1"):
        assert is_host(host)
        assert "is the name of a host" in str(problem(record(statement__target__symbols=[host])))


def test_the_excerpt_is_what_the_hash_says() -> None:
    assert "contentHash" in str(problem(record(source__rawExcerpt="something else")))
    assert problem(record(source__rawExcerpt=None)) is None


def test_lines_are_ordered() -> None:
    assert "lines end before" in str(problem(record(source__lines={"start": 5, "end": 4})))
    assert problem(record(source__lines={"start": 5, "end": 5})) is None


def test_the_id_says_which_source_it_is_of() -> None:
    assert "begins with INT-DOC-" in str(problem(record(source__kind="document")))


def test_generation_has_ten_keys_and_names_the_extractor() -> None:
    generation = record()["metadata"]["generation"]
    assert len(generation) == 10
    for key in generation:
        less = {name: value for name, value in generation.items() if name != key}
        assert problem(record(metadata__generation=less)) is not None, key
    assert problem(record(metadata__generation={**generation, "more": None})) is not None
    assert "does not name" in str(problem(record(source__extractor="t2c/other@1")))
    for wrong in (None, [], "x", 1):
        assert problem(record(metadata__generation=wrong)) is not None
    # A remembered generation vouches for no other extractor, and not for a number in place of a truth value.
    assert problem(record()) is None
    assert "does not name" in str(problem(record(source__extractor="t2c/todo@2")))
    assert problem(record()) is None
    assert problem(record(metadata__generation={**generation, "degraded": 0})) is not None


def test_metadata_keeps_the_limits_of_canonical_form() -> None:
    generation = record()["metadata"]["generation"]
    assert "more than three decimals" in str(
        problem(record(metadata={"generation": generation, "x": 0.12345}))
    )
    assert problem(record(metadata={"generation": generation, "x": [0.5, {"y": None}]})) is None


def test_what_a_model_says_is_bounded() -> None:
    generation = {
        **record()["metadata"]["generation"], "requested": "llm", "used": "llm", "provider": "p", "model": "m",
    }  # fmt: skip
    by_model = {"metadata__generation": generation}
    assert problem(record(**by_model)) is None
    assert "at most 0.94 sure" in str(problem(record(**by_model, epistemic__confidence=0.95)))
    assert "a fact is a deterministic observation" in str(
        problem(record(**by_model, epistemic__class="fact"))
    )
    spoken = {**by_model, "id": "INT-NL-" + "0" * 20, "source__kind": "nl"}
    assert "lifecycle proposed" in str(problem(record(**spoken)))
    assert problem(record(**spoken, lifecycle__status="proposed")) is None
    assert "needs used=llm" in str(problem(record(epistemic__class="llm_inference")))
