"""Claims: whatever path is asked for, nothing outside the root and nothing of Git's or t2c's own is read or written,
and an apply of any set of changes is the whole of them or none.

Mutations seen to fail: `..` let through; a reserved name compared as it is spelled.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.files import look
from t2c.ledger.apply.places import Tree, place_of, refuse_reserved
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Refused, T2cError

PARTS = st.sampled_from(
    ["..", ".", "", "a", "b", "link", "out", "up", ".git", ".GIT", ".t2c", "secret", "a\0", "\u200b.git", "x" * 300]
) | st.text(max_size=6)  # fmt: skip
PATHS = st.lists(PARTS, min_size=1, max_size=5).map("/".join)
MANDATE = Mandate("a test", "x", None, None, "human:ada")


@pytest.fixture(scope="module")
def ground() -> Path:
    """A root full of links that lead out of it."""
    place = Path(tempfile.mkdtemp())
    root = place / "root"
    (root / "a/b").mkdir(parents=True)
    (root / ".git").mkdir()
    (root / ".git/secret").write_bytes(b"secret")
    (place / "secret").write_bytes(b"secret")
    (root / "out").symlink_to(place)
    (root / "a/up").symlink_to("../..")
    (root / "link").symlink_to(place / "secret")
    create(root / ".t2c")
    yield root
    shutil.rmtree(place)


def outside(root: Path) -> list[tuple[str, bytes]]:
    hidden = [root.parent / "secret", *(root / ".git").rglob("*")]
    names = [(path.name, b"") for path in sorted(root.parent.iterdir())]
    return names + [(str(path), path.read_bytes()) for path in hidden]


@settings(max_examples=50, deadline=None)
@given(path=PATHS)
@example("../b")
@example("a/../../b")
@example("out/b")
@example("a/up/b")
def test_no_path_leads_out(ground: Path, path: str) -> None:
    before = outside(ground)
    with Ledger(ground / ".t2c", durability="none") as ledger:
        journal = ledger.journal.path.stat().st_ino
        try:
            apply(ledger, ground, [Wanted(path, None, b"mine")], MANDATE)
        except T2cError:
            pass
        else:
            written = ground / path
            assert os.path.realpath(written).startswith(f"{ground.resolve()}{os.sep}")
            assert written.read_bytes() == b"mine"
            apply(ledger, ground, [Wanted(path, b"mine", None)], MANDATE)
        with contextlib.suppress(T2cError):
            assert look(ground, path) != b"secret" or ".git" in path.split("/")
        assert ledger.journal.path.stat().st_ino == journal
    assert outside(ground) == before


@settings(max_examples=50, deadline=None)
@given(
    name=st.sampled_from([".git", ".t2c", ".dwp"]),
    upper=st.lists(st.booleans(), min_size=4, max_size=4),
    end=st.sampled_from(["", ".", " ", "\u200c", " . ."]),
    above=st.lists(st.sampled_from(["a", "b"]), max_size=3),
)
def test_no_spelling_of_a_reserved_name_is_let_through(
    name: str, upper: list[bool], end: str, above: list[str]
) -> None:
    spelled = "".join(char.upper() if up else char for char, up in zip(name, upper, strict=True)) + end
    for path in ("/".join([*above, spelled]), "/".join([*above, spelled, "x"])):
        with pytest.raises(Refused):
            refuse_reserved(place_of(path))


@settings(max_examples=25, deadline=None)
@given(
    contents=st.dictionaries(
        st.sampled_from(["a", "b", "c/d", "c/e/f", "g"]),
        st.tuples(st.none() | st.binary(max_size=9), st.none() | st.binary(max_size=9)),
        min_size=1,
    ),
    wrong=st.booleans(),
)
def test_a_set_of_changes_is_done_as_a_whole(
    contents: dict[str, tuple[bytes | None, bytes | None]], wrong: bool
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        create(root / ".t2c")
        for path, (before, _) in contents.items():
            if before is not None:
                (root / path).parent.mkdir(parents=True, exist_ok=True)
                (root / path).write_bytes(before)
        wanted = [Wanted(path, before, after) for path, (before, after) in contents.items()]
        if wrong:
            wanted.append(Wanted("z", b"what is not there", b""))
        with Ledger(root / ".t2c", durability="none") as ledger, Tree(root) as tree:
            try:
                apply(ledger, root, wanted, MANDATE)
                done = 1
            except T2cError:
                done = 0
            assert done != wrong
            for path, states in contents.items():
                seen = tree.look(place_of(path))
                assert (None if seen is None else seen.content) == states[done]
