"""A reading is used again only while every answer that it rests on stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from t2c.ledger.intake.inventory import take_inventory
from t2c.ledger.intake.questions import Names, Watched, stand


def write(root: Path, path: str, text: str = "") -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, "src/a.py", "a = 1\n")
    write(tmp_path, "registry.json", "{}")
    return tmp_path


def asked(root: Path) -> Watched:
    watched = Watched(take_inventory(root))
    assert "src/a.py" in watched
    assert "src/b.py" not in watched
    assert watched.named("a.py") == ("src/a.py",)
    assert watched.content("registry.json") == b"{}"
    assert watched.content("no.json") is None
    return watched


def stands(root: Path, watched: Watched, *, same_paths: bool = False) -> bool:
    tree = take_inventory(root)
    names = Names([entry.path for entry in tree.files])
    return stand(watched.questions(), tree, names, {}, same_paths=same_paths, unread={})


def test_answers_stand_while_nothing_changes(root: Path) -> None:
    watched = asked(root)
    write(root, "unasked.txt", "more")
    (root / "src/a.py").write_text("a = 2\n")
    assert stands(root, watched)


@pytest.mark.parametrize(
    ("path", "text"),
    [("src/b.py", ""), ("other/a.py", ""), ("registry.json", "{ }"), ("no.json", "{}")],
)
def test_each_answer_that_changes_counts(root: Path, path: str, text: str) -> None:
    watched = asked(root)
    write(root, path, text)
    assert not stands(root, watched)


@pytest.mark.parametrize("path", ["src/a.py", "registry.json"])
def test_each_file_that_goes_counts(root: Path, path: str) -> None:
    watched = asked(root)
    (root / path).unlink()
    assert not stands(root, watched)


def test_the_names_need_no_asking_where_all_are_the_same_but_contents_do(root: Path) -> None:
    watched = asked(root)
    write(root, "registry.json", "[]")
    assert not stands(root, watched, same_paths=True)


def test_a_question_is_kept_once(root: Path) -> None:
    watched = asked(root)
    before = len(watched.questions())
    assert "src/a.py" in watched
    assert len(watched.questions()) == before == 5


def test_what_names_no_file_is_kept_as_a_digest(root: Path) -> None:
    watched = Watched(take_inventory(root))
    assert "hunter2-secret/value" not in watched
    assert watched.named("hunter2-secret") == ()
    assert watched.content("hunter2-secret.json") is None
    assert "hunter2" not in repr(watched.questions())
    assert stands(root, watched)
    write(root, "deep/hunter2-secret")
    assert not stands(root, watched)
