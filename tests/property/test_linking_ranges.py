"""Ranges of any history are what sets of ancestors say they are, and each commit is in one change."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.linking.ranges import History

GRAPHS = st.lists(st.lists(st.integers(0, 1_000), max_size=3), min_size=1, max_size=24).map(
    lambda rows: [tuple(sorted({number % at for number in row})) if at else () for at, row in enumerate(rows)]
)


class _Said:
    def __init__(self, text: str) -> None:
        self.text = text


class _Commit:
    """As much of a record as the graph looks at."""

    def __init__(self, text: str) -> None:
        self.statement = _Said(text)


def graph(parents: list[tuple[int, ...]], merges: str) -> History:
    commits = [_Commit(merges if len(one) > 1 else "Change") for one in parents]
    heads = tuple(set(range(len(parents))) - {parent for one in parents for parent in one})
    return History(commits, parents, [0] * len(parents), {}, tuple(sorted(heads)))  # type: ignore[arg-type]


def ancestors(parents: list[tuple[int, ...]], place: int) -> set[int]:
    found, stack = set(), [place]
    while stack:
        one = stack.pop()
        if one not in found:
            found.add(one)
            stack += parents[one]
    return found


@given(GRAPHS, st.integers(0, 1_000), st.integers(0, 1_000))
def test_a_range_is_a_difference_of_ancestors(parents: list[tuple[int, ...]], end: int, begin: int) -> None:
    end, begin = end % len(parents), begin % len(parents)
    found = graph(parents, "Merge").between([end], [begin])
    assert found == sorted(ancestors(parents, end) - ancestors(parents, begin))


@given(GRAPHS, st.sampled_from(["Merge pull request #1 from a/b", "Merge branch 'x'"]), st.integers(0, 1_000))
def test_each_commit_of_a_range_is_in_one_change(
    parents: list[tuple[int, ...]], merges: str, end: int
) -> None:
    history = graph(parents, merges)
    places = history.between([end % len(parents)], []) or []
    units = history.units(places)
    assert sorted(place for unit in units for place in unit) == places
    assert [unit[0] for unit in units] == sorted(unit[0] for unit in units)
