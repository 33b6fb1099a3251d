"""What a task touches counts byte for byte, ignored or not, and nothing outside of the root is read.

Mutations seen to fail: links followed; what lies outside read; folders' names left out of the sum.
"""

from __future__ import annotations

import os
from hashlib import sha256
from pathlib import Path

import pytest

from t2c.ledger.errors import Environment
from t2c.ledger.execution.surface import OUTSIDE, surface


@pytest.fixture
def root(tmp_path: Path) -> Path:
    tree = tmp_path / "tree [1]"
    (tree / "src" / "deep").mkdir(parents=True)
    (tree / "src" / "a.py").write_text("a")
    (tree / "src" / "deep" / "b.py").write_text("b")
    (tree / "src" / "c.txt").write_text("c")
    (tree / "link").symlink_to("src/a.py")
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.py").write_text("x")
    return tree


def digest(root: Path, entry: str) -> str | None:
    return surface(root, [entry])[entry]


def test_a_file_is_its_content_and_nothing_is_none(root: Path) -> None:
    a = sha256(b"a").hexdigest()
    assert surface(root, ["src/a.py", "none", "none/deeper", "*.none", str(root / "src" / "a.py")]) == {
        "src/a.py": a, "none": None, "none/deeper": None, "*.none": None, str(root / "src" / "a.py"): a,
    }  # fmt: skip


@pytest.mark.parametrize("entry", ["src", "src/", "./src", "src/**", "src/**/*.py", "src/deep/*"])
def test_any_byte_below_shows(root: Path, entry: str) -> None:
    seen = [digest(root, entry)]
    (root / "src" / "deep" / "b.py").write_text("B")
    seen.append(digest(root, entry))
    (root / "src" / "deep" / "new.py").write_text("")
    seen.append(digest(root, entry))
    (root / "src" / "deep" / "new.py").rename(root / "src" / "deep" / "other.py")
    seen.append(digest(root, entry))
    assert None not in seen and len(set(seen)) == 4
    (root / "src" / "deep" / "other.py").unlink()
    (root / "src" / "deep" / "b.py").write_text("b")
    for name in (".git", "__pycache__", ".t2c"):
        (root / "src" / "deep" / name).mkdir()
        (root / "src" / "deep" / name / "x.py").write_text("x")
    assert digest(root, entry) == seen[0]


def test_links_are_named_and_not_followed(root: Path) -> None:
    (root / "src" / "in").symlink_to("../link")
    (root / "src" / "out").symlink_to(root.parent / "outside")
    before = surface(root, ["src", "link", "src/*", "src/**/*.py"])
    (root.parent / "outside" / "x.py").write_text("changed")
    assert surface(root, before) == before
    (root / "src" / "out").unlink()
    (root / "src" / "out").symlink_to(root.parent / "elsewhere")
    after = surface(root, before)
    assert after["src"] != before["src"] and after["src/*"] == before["src/*"], "a glob matches files alone"


@pytest.mark.parametrize(
    "entry", ["..", "../outside", "/etc/passwd", "/etc/*", "out", "out/x.py", "out/*.py", "/"]
)
def test_what_lies_outside_is_never_read(root: Path, entry: str) -> None:
    (root / "out").symlink_to(root.parent / "outside")
    (root.parent / "outside" / "x.py").chmod(0)
    assert digest(root, entry) == OUTSIDE


def test_where_the_root_lies_makes_no_difference(root: Path, tmp_path: Path) -> None:
    entries = ["src", "src/**", "*", "link"]
    before = surface(root, entries)
    moved = tmp_path / "moved"
    root.rename(moved)
    assert surface(moved, entries) == before


def test_what_is_no_file_is_not_read_and_what_cannot_be_is_told(root: Path) -> None:
    os.mkfifo(root / "pipe")
    assert digest(root, "pipe") == "special"
    with pytest.raises(Environment):
        surface(root, ["\0"])
