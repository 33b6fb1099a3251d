"""A file diff is one that can be carried out, whatever the texts are, and costs no quadratic time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.projections.diffs import lines as comparing
from t2c.projections.diffs.file_diff import FileDiff, file_diff
from t2c.projections.diffs.lines import normal_lines
from t2c.projections.diffs.unified import unified

line = st.sampled_from(["", "a", "b", "c", "dd"])
parts = st.lists(
    st.tuples(st.lists(line, max_size=12), st.one_of(st.none(), st.lists(line, max_size=4))), max_size=8
)
"""Stretches of a text, each with what stands there after; None for the same."""


def _texts(stretches: list[tuple[list[str], list[str] | None]]) -> tuple[str, str]:
    before = [line for old, _ in stretches for line in old]
    after = [line for old, new in stretches for line in (old if new is None else new)]
    return "".join(f"{line}\n" for line in before), "".join(f"{line}\n" for line in after)


texts = parts.map(_texts)
contexts = st.integers(0, 5)


def applied(before: list[str], diff: FileDiff) -> list[str]:
    """What the hunks make of the lines before; every line that they name must be the one that is there."""
    after: list[str] = []
    at = 0
    for hunk in diff.hunks:
        start = hunk.beforeStart - bool(hunk.beforeCount)
        after += before[at:start]
        assert len(after) == hunk.afterStart - bool(hunk.afterCount)
        at = start
        for line in hunk.lines:
            if line.type != "insert":
                assert before[at] == line.text
                at += 1
                assert line.beforeLine == at
            if line.type != "delete":
                after.append(line.text)
                assert line.afterLine == len(after)
        assert at - start == hunk.beforeCount
    return after + before[at:]


def common(a: list[str], b: list[str]) -> int:
    """The length of the longest common subsequence, by the textbook."""
    row = [0] * (len(b) + 1)
    for item in a:
        former, row = row, [0]
        for j, other in enumerate(b):
            row.append(former[j] + 1 if item == other else max(former[j + 1], row[j]))
    return row[-1]


@settings(max_examples=500)
@given(texts, contexts, st.sampled_from([4000, 0]))
def test_the_hunks_turn_before_into_after(sides: tuple[str, str], context: int, most: int) -> None:
    before, after = sides
    diff = file_diff(before, after, "f", "f", context=context, most=most)
    assert applied(normal_lines(before), diff) == normal_lines(after)


@settings(max_examples=500)
@given(texts)
def test_the_summary_adds_up_and_is_the_least(sides: tuple[str, str]) -> None:
    before, after = sides
    found, back = file_diff(before, after, "f", "f").summary, file_diff(after, before, "f", "f").summary
    old, new = normal_lines(before), normal_lines(after)
    assert (found.removed + found.unchanged, found.added + found.unchanged) == (len(old), len(new))
    assert (found.added, found.removed) == (back.removed, back.added)
    assert found.unchanged == common(old, new)


@settings(max_examples=500)
@given(texts, st.sampled_from([1, 4, 200]))
def test_when_edits_are_too_many_the_anchors_still_give_a_true_diff(
    sides: tuple[str, str], between: int
) -> None:
    before, after = sides
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "_MOST_EDITS", 1)
        diff = file_diff(before, after, "f", "f")
        back = file_diff(after, before, "f", "f").summary
    assert applied(normal_lines(before), diff) == normal_lines(after)
    assert not diff.truncated
    assert (diff.summary.added, diff.summary.removed) == (back.removed, back.added)


@given(texts, st.integers(0, 3))
def test_git_applies_the_unified_form(sides: tuple[str, str], context: int) -> None:
    import tempfile

    before, after = sides
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a b.txt")
        path.write_text(before, newline="")
        diff = file_diff(before, after, "a b.txt", "a b.txt", context=context)
        if diff.hunks:
            command = ["git", "apply", "--unidiff-zero", "-"]
            subprocess.run(command, cwd=folder, input=unified(diff).encode(), check=True)
        assert path.read_text() == after


@given(texts, st.sampled_from(["\n", "\r\n", "\r"]))
def test_line_endings_and_a_final_newline_make_no_difference(sides: tuple[str, str], ending: str) -> None:
    before, after = sides
    plain = file_diff(before, after, "f", "f")
    other = file_diff(before.replace("\n", ending), after, "f", "f")
    assert other == plain
    if before.endswith("\n") and not before.endswith("\n\n") and before != "\n":
        assert file_diff(before[:-1], after, "f", "f") == plain


@given(texts, st.integers(0, 5))
def test_hunks_stand_apart_and_hold_the_context_asked_for(sides: tuple[str, str], context: int) -> None:
    """What is equal at an end of a hunk is as long as asked for, unless the file ends; within, at most twice that."""
    diff = file_diff(*sides, "f", "f", context=context)
    size = len(normal_lines(sides[0]))
    ends = 0
    for hunk in diff.hunks:
        kinds = "".join("=" if line.type == "equal" else "x" for line in hunk.lines)
        start = hunk.beforeStart - bool(hunk.beforeCount)
        assert len(kinds) - len(kinds.lstrip("=")) == min(
            context, start + len(kinds) - len(kinds.lstrip("="))
        )
        after = len(kinds) - len(kinds.rstrip("="))
        assert after == context or start + hunk.beforeCount == size
        assert max(map(len, kinds.strip("=").split("x")), default=0) <= 2 * context
        assert start > ends or hunk is diff.hunks[0], "what touches is one hunk"
        ends = start + hunk.beforeCount


@pytest.mark.parametrize(
    "shape", ["reversed", "shuffled", "two lines", "nothing shared", "halves swapped", "scattered"]
)
def test_no_input_costs_quadratic_time(shape: str) -> None:
    """With so many lines allowed, what bounds the work is the number of edits: unbounded, it takes minutes."""
    size, chance = 19_900, Random(7)
    before = [f"line {number}" for number in range(size)]
    match shape:
        case "reversed":
            after = before[::-1]
        case "shuffled":
            after = chance.sample(before, size)
        case "scattered":
            after = [f"{line}!" if number % 7 == 0 else line for number, line in enumerate(before)]
        case "halves swapped":
            after = [*before[size // 2 :], *before[: size // 2]]
        case "two lines":
            before = [chance.choice("ab") for _ in range(size)]
            after = [chance.choice("ab") for _ in range(size)]
        case _:
            after = [f"other {number}" for number in range(size)]
    began = time.process_time()
    diff = file_diff("\n".join(before), "\n".join(after), "f", "f", most=40_000)
    assert time.process_time() - began < 5
    assert applied(before, diff) == after
    assert not diff.truncated


def test_anchors_keep_what_touches_them() -> None:
    assert comparing._anchored([5, 1, 2, 1, 6], [1, 2, 1, 7]) == [(1, 0), (2, 1), (3, 2)]
    assert comparing._anchored([1, 2, 3], [3, 1, 2]) == [(0, 1), (1, 2)]
    assert comparing._anchored([1, 1], [1, 1, 1]) == [(0, 0), (1, 1)]


def test_many_edits_without_an_anchor_still_leave_most_lines_alone() -> None:
    """Every tenth or eleventh of two kinds of lines: a thousand edits and more, and nothing that stands once."""
    before, after = ["x"] * 9 + ["y"], ["x"] * 10 + ["y"]
    diff = file_diff("\n".join(before * 1990), "\n".join(after * 1800), "f", "f", most=40_000)
    assert diff.summary.unchanged > 17_000


def test_a_longer_middle_is_replaced_as_a_whole_and_says_so() -> None:
    before = "same\n" + "".join(f"{number}\n" for number in range(50_000)) + "end\n"
    after = "same\n" + "".join(f"{number}\n" for number in range(50_000, 0, -1)) + "end\n"
    diff = file_diff(before, after, "f", "f")
    assert diff.truncated
    assert (diff.summary.added, diff.summary.removed, diff.summary.unchanged) == (50_000, 50_000, 2)
    small = [f"{number}\n" for number in range(32)]
    ends = "".join(small), "".join(reversed(small))
    assert not file_diff(*ends, "f", "f", most=0).truncated, "64 lines are always compared"
