"""A file diff is one that can be carried out, whatever the texts are, and costs no quadratic time."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.projections.diffs import lines as comparing
from t2c.projections.diffs.file_diff import FileDiff, file_diff
from t2c.projections.diffs.lines import normal_lines
from t2c.projections.diffs.unified import unified

few = st.lists(st.sampled_from(["", "a", "b", "c", "dd"]), max_size=40)
texts = few.map(lambda lines: "".join(f"{line}\n" for line in lines))
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


@given(texts, texts, contexts, st.sampled_from([4000, 0]))
def test_the_hunks_turn_before_into_after(before: str, after: str, context: int, most: int) -> None:
    diff = file_diff(before, after, "f", "f", context=context, most=most)
    assert applied(normal_lines(before), diff) == normal_lines(after)


@given(texts, texts)
def test_the_summary_adds_up_and_is_the_least(before: str, after: str) -> None:
    found, back = file_diff(before, after, "f", "f").summary, file_diff(after, before, "f", "f").summary
    old, new = normal_lines(before), normal_lines(after)
    assert (found.removed + found.unchanged, found.added + found.unchanged) == (len(old), len(new))
    assert (found.added, found.removed) == (back.removed, back.added)
    assert found.unchanged == common(old, new)


@given(texts, texts)
def test_when_edits_are_too_many_the_anchors_still_give_a_true_diff(before: str, after: str) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(comparing, "_MOST_EDITS", 1)
        diff = file_diff(before, after, "f", "f")
        back = file_diff(after, before, "f", "f").summary
    assert applied(normal_lines(before), diff) == normal_lines(after)
    assert not diff.truncated
    assert (diff.summary.added, diff.summary.removed) == (back.removed, back.added)


@given(texts, texts, st.integers(1, 3))
def test_git_applies_the_unified_form(before: str, after: str, context: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "a b.txt")
        path.write_text(before, newline="")
        diff = file_diff(before, after, "a b.txt", "a b.txt", context=context)
        if diff.hunks:
            command = ["git", "apply", "--unidiff-zero", "-"]
            subprocess.run(command, cwd=folder, input=unified(diff).encode(), check=True)
        assert path.read_text() == after


@given(texts, texts, st.sampled_from(["\n", "\r\n", "\r"]))
def test_line_endings_and_a_final_newline_make_no_difference(before: str, after: str, ending: str) -> None:
    plain = file_diff(before, after, "f", "f")
    other = file_diff(before.replace("\n", ending), after, "f", "f")
    assert other == plain
    if before.endswith("\n") and not before.endswith("\n\n") and before != "\n":
        assert file_diff(before[:-1], after, "f", "f") == plain


@pytest.mark.parametrize("shape", ["reversed", "shuffled", "two lines", "nothing shared"])
def test_no_input_costs_quadratic_time(shape: str) -> None:
    """The largest middle that is compared; unbounded, each of these takes minutes or some 10 seconds."""
    size, chance = 1990, Random(7)
    before = [f"line {number}" for number in range(size)]
    match shape:
        case "reversed":
            after = before[::-1]
        case "shuffled":
            after = chance.sample(before, size)
        case "two lines":
            before = [chance.choice("ab") for _ in range(size)]
            after = [chance.choice("ab") for _ in range(size)]
        case _:
            after = [f"other {number}" for number in range(size)]
    began = time.process_time()
    diff = file_diff("\n".join(before), "\n".join(after), "f", "f")
    assert time.process_time() - began < 3
    assert applied(before, diff) == after
    assert not diff.truncated


def test_a_longer_middle_is_replaced_as_a_whole_and_says_so() -> None:
    before = "same\n" + "".join(f"{number}\n" for number in range(50_000)) + "end\n"
    after = "same\n" + "".join(f"{number}\n" for number in range(50_000, 0, -1)) + "end\n"
    diff = file_diff(before, after, "f", "f")
    assert diff.truncated
    assert (diff.summary.added, diff.summary.removed, diff.summary.unchanged) == (50_000, 50_000, 2)
    small = [f"{number}\n" for number in range(32)]
    ends = "".join(small), "".join(reversed(small))
    assert not file_diff(*ends, "f", "f", most=0).truncated, "64 lines are always compared"
