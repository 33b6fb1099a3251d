"""The commits of a release, and which of them are one change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha1

import pytest

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.features import Record, read
from t2c.ledger.linking.ranges import History, version_key


def sha(name: str) -> str:
    return sha1(name.encode()).hexdigest()


def commit(name: str, parents: Sequence[str], hour: int = 0, subject: str | None = None) -> bytes:
    text = subject or f"Change {name}"
    draft = Draft(
        kind="commit_intent_claim", text=text, object=text, cls="claim", modality="claimed", action="change",
        status="implemented", confidence=0.9, basis=("made",), revision=sha(name),
        observed_at="2024-01-01T00:00:00+00:00",
        metadata={
            "parents": [sha(parent) for parent in parents],
            "committedAt": f"2024-01-{1 + hour // 24:02}T{hour % 24:02}:00:00+00:00",
        },
    )  # fmt: skip
    (found,) = materialise(Reading(Scope("git", None), "t2c/made@1", (draft,)))
    return found.body


def history(edges: Mapping[str, Sequence[str]], subjects: Mapping[str, str] | None = None) -> History:
    """A history in which commits were made in the order that they are listed."""
    told = subjects or {}
    bodies = [commit(name, parents, at, told.get(name)) for at, (name, parents) in enumerate(edges.items())]
    return History.of(read(reversed(bodies)).history)


def names(found: History, places: Sequence[int] | None) -> str:
    by_sha = {sha(letter): letter for letter in "abcdefghijklmnop"}
    assert places is not None
    return "".join(by_sha[str(found.commits[place].source.revision)] for place in places)


def at(found: History, name: str) -> int:
    return found.positions[sha(name)]


def test_a_range_holds_what_one_tag_has_and_the_other_has_not() -> None:
    line = history({"a": "", "b": "a", "c": "b", "d": "c"})
    assert names(line, line.between([at(line, "c")], [at(line, "a")])) == "bc"
    assert names(line, line.between([at(line, "d")], [])) == "abcd"
    assert line.between([at(line, "b")], [at(line, "d")]) == []


def test_commits_of_a_maintenance_branch_are_in_no_later_range_of_the_main_line() -> None:
    # a - b - d - f (2.0)      c, e: 1.1 on a branch of a
    #  \- c - e
    forked = history({"a": "", "b": "a", "c": "a", "d": "b", "e": "c", "f": "d"})
    assert names(forked, forked.between([at(forked, "f")], [at(forked, "e")])) == "bdf"
    assert names(forked, forked.between([at(forked, "e")], [at(forked, "a")])) == "ce"


def test_a_merged_pull_request_is_one_change_with_the_merge_first() -> None:
    #  a - b ----- e - f      c, d: a pull request merged by e
    #   \- c - d -/
    edges = {"a": "", "b": "a", "c": "a", "d": "c", "e": "bd", "f": "e"}
    merged = history(edges, {"e": "Merge pull request #1 from me/topic"})
    units = merged.units(merged.between([at(merged, "f")], [at(merged, "a")]) or [])
    assert [names(merged, unit) for unit in units] == ["b", "ecd", "f"]


def test_a_merged_branch_brings_its_changes_one_by_one() -> None:
    edges = {"a": "", "b": "a", "c": "a", "d": "c", "e": "bd", "f": "e"}
    merged = history(edges, {"e": "Merge branch '1.x'"})
    units = merged.units(merged.between([at(merged, "f")], [at(merged, "a")]) or [])
    assert [names(merged, unit) for unit in units] == ["b", "c", "d", "e", "f"]


def test_a_pull_request_merged_on_a_branch_stays_one_change() -> None:
    #  a - b ------------ g     d, e: a pull request merged by f into the branch that g merges
    #   \- c - d - - f --/
    #       \- e ---/
    edges = {"a": "", "b": "a", "c": "a", "d": "c", "e": "c", "f": "de", "g": "bf"}
    merged = history(edges, {"f": "Merge pull request #1 from me/topic", "g": "Merge branch '1.x'"})
    units = merged.units(merged.between([at(merged, "g")], [at(merged, "a")]) or [])
    assert [names(merged, unit) for unit in units] == ["b", "c", "d", "fe", "g"]


def test_what_the_main_line_brought_into_a_pull_request_is_not_part_of_it() -> None:
    #  a - b ----- e     d merges b of the main line into the request, e merges the request
    #   \- c - d -/
    merged = history(
        {"a": "", "b": "a", "c": "a", "d": "cb", "e": "bd"}, {"e": "Merge pull request #1 from me/x"}
    )
    units = merged.units(merged.between([at(merged, "e")], [at(merged, "a")]) or [])
    assert [names(merged, unit) for unit in units] == ["b", "ecd"]


def test_parents_come_first_whatever_the_clocks_say() -> None:
    bodies = [commit("a", "", 40), commit("b", "a", 3), commit("c", "b", 1)]
    assert names(History.of(read(bodies).history), [0, 1, 2]) == "abc"


def test_unknown_parents_and_odd_metadata_are_passed_over() -> None:
    found: list[Record] = list(read([commit("a", ["zzz"]), commit("b", "a", 1)]).history)
    found[0].metadata.committedAt = 12
    found[1].metadata.parents = {"a": 1}
    assert len(History.of(found).commits) == 2


@pytest.mark.parametrize(
    "order",
    [
        (
            "1.0.dev1",
            "1.0a1",
            "1.0b2",
            "1.0rc1",
            "1.0",
            "1.0.1",
            "1.2",
            "1.10",
            "2.0.0-beta.3",
            "2.0.0-rc.1",
            "2.0",
        ),
        ("2023.1.1", "2023.10.0", "2024.2.0"),
    ],
)
def test_versions_are_in_their_order(order: tuple[str, ...]) -> None:
    mixed = [*order[1::2], *order[::2]]
    assert sorted(mixed, key=version_key) == list(order)


def test_trailing_zeros_change_no_version() -> None:
    assert version_key("2.0") == version_key("2.0.0")
    assert version_key("1.0+build5") == version_key("1.0")
