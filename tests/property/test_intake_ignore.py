"""Ignore rules agree with Git itself, never raise, and cannot be made slow."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.ignore import Level, decide, parse_rules
from t2c.ledger.intake.inventory import take_inventory

NAMES = ("a", "b", "ab", "ba", "aab", "a.b", "-", "a]", "a[", "foo", "b b", " a")
PIECES = (
    "a", "b", "ab", "foo", ".", " ", "*", "**", "?", "/", "**/", "/**", "!", "-", "]", "\\",
    "[", "[a", "[]", "[!a]", "[^b]", "[a-b]", "[b-a]", "[[:alpha:]]", "[[:punct:]", "[\\]a]",
)  # fmt: skip
PATTERN = st.builds(
    "{}{}".format,
    st.sampled_from(["", "", "", "!"]),
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5).map("".join),
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("ignored")
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    subprocess.run(["git", "init", "-q"], cwd=root, env=environment, check=True)
    for first in NAMES:
        for second in NAMES:
            (root / first / second).mkdir(parents=True)
            for third in ("a", "ab", "foo"):
                (root / first / second / third).touch()
    yield root


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(PATTERN, max_size=4),
    st.lists(PATTERN, max_size=2),
    st.lists(PATTERN, max_size=2),
)
def test_what_is_listed_is_what_git_lists(
    tree: Path, upper: list[str], lower: list[str], private: list[str]
) -> None:
    (tree / ".gitignore").write_text("".join(f"{line}\n" for line in upper))
    (tree / "ab" / ".gitignore").write_text("".join(f"{line}\n" for line in lower))
    (tree / ".git/info/exclude").write_text("".join(f"{line}\n" for line in private))
    listed = subprocess.run(
        ["git", "-c", "core.excludesFile=", "ls-files", "-o", "-z", "--exclude-standard"],
        cwd=tree,
        check=True,
        capture_output=True,
    )
    expected = sorted(name.decode() for name in listed.stdout.split(b"\0") if name)
    assert [entry.path for entry in take_inventory(tree).files] == expected


@given(st.binary(max_size=60), st.text("ab/*[]", min_size=1, max_size=8))
def test_no_ignore_file_can_raise(content: bytes, path: str) -> None:
    level = Level(parse_rules(content, ".gitignore"), "")
    decide([level], path.rpartition("/")[2], path, True)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        (b"*a" * 40 + b"*b", "a" * 250),
        (b"/x/" + b"**/a/" * 30 + b"b", "x/" + "a/" * 500 + "c"),
        (b"/" + b"*a" * 40 + b"*/q", "a" * 250 + "/r"),
        (b"[a]*" * 40 + b"b", "a" * 250),
        (b"?*" * 60 + b"b", "a" * 250),
    ],
)
def test_hostile_patterns_are_not_slow(pattern: bytes, path: str) -> None:
    """With naive backtracking each of these would run for longer than anybody waits."""
    level = Level(parse_rules(pattern, ".gitignore"), "")
    assert decide([level], path.rpartition("/")[2] or path, path, False) is None
