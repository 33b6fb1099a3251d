"""Claims: an object is kept whole under the hash of its bytes, and never taken for other bytes.

Mutations seen to fail: bytes not checked when read; one temporary name for all threads; a damaged object left as it is
when its content is put again.
"""

from __future__ import annotations

import hashlib
import itertools
import os
import stat
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal import files
from t2c.ledger.journal.files import make_folder, write_atomically
from t2c.ledger.journal.objects import Objects


@pytest.fixture
def objects(tmp_path: Path) -> Objects:
    return Objects(tmp_path / ".t2c" / "objects")


def digest_of(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.name.endswith(".tmp")]


@pytest.mark.parametrize("content", [b"", b"x", b"\0\n\xff" * 1000, b"y" * 3_000_000])
def test_what_was_put_comes_back(content: bytes, objects: Objects) -> None:
    digest = objects.put(content)
    assert digest == digest_of(content)
    assert objects.get(digest) == content
    assert objects.has(digest)
    path = objects.path(digest)
    assert (path.parent.name, path.name) == (digest[:2], digest[2:])
    assert not stat.S_IMODE(path.stat().st_mode) & 0o222


def test_putting_twice_keeps_one_and_touches_nothing(objects: Objects) -> None:
    digest = objects.put(b"same")
    before = objects.path(digest).stat()
    assert objects.put(b"same") == digest
    assert objects.path(digest).stat() == before
    assert list(objects.digests()) == [digest]


@pytest.mark.parametrize("damage", [b"", b"other", b"sam", b"samE"])
def test_damage_is_found_and_putting_again_heals_it(damage: bytes, objects: Objects) -> None:
    digest = objects.put(b"same")
    objects.path(digest).chmod(0o644)
    objects.path(digest).write_bytes(damage)
    with pytest.raises(Corrupt, match="does not hold the bytes"):
        objects.get(digest)
    assert objects.put(b"same") == digest
    assert objects.get(digest) == b"same"


def test_a_missing_object_is_named(objects: Objects) -> None:
    digest = digest_of(b"nobody put this")
    assert not objects.has(digest)
    with pytest.raises(Usage, match=f"there is no object {digest}"):
        objects.get(digest)


@pytest.mark.parametrize("name", ["", "abc", "A" * 64, "g" * 64, "../" + "a" * 61, "a" * 64 + "\n", "a" * 65])
def test_only_a_digest_names_an_object(name: str, objects: Objects) -> None:
    for ask in (objects.path, objects.get, objects.has):
        with pytest.raises(Usage, match="is not a SHA-256 digest"):
            ask(name)


def test_a_folder_in_an_objects_place_is_an_error_of_the_environment(objects: Objects) -> None:
    digest = digest_of(b"x")
    objects.path(digest).mkdir(parents=True)
    assert not objects.has(digest)
    with pytest.raises(Environment, match="cannot be read"):
        objects.get(digest)
    with pytest.raises(Environment, match="could not be kept"):
        objects.put(b"x")


def test_a_file_in_the_stores_place_is_an_error_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "objects").write_bytes(b"")
    objects = Objects(tmp_path / "objects")
    with pytest.raises(Environment, match="could not be kept"):
        objects.put(b"x")
    with pytest.raises(Usage, match="there is no object"):
        objects.get(digest_of(b"x"))


def test_strange_files_in_the_store_are_no_objects(objects: Objects, tmp_path: Path) -> None:
    found = sorted([objects.put(b"one"), objects.put(b"two")])
    store = tmp_path / ".t2c" / "objects"
    (store / "README").write_bytes(b"")
    (store / found[0][:2] / ".x.tmp").write_bytes(b"")
    assert list(objects.digests()) == found


PUT = """
import sys
from pathlib import Path
from t2c.ledger.journal.objects import Objects
objects = Objects(Path(sys.argv[1]))
for number in range(14):
    objects.put(b"shared %d" % (number % 7) + b"." * 50_000)
"""


def test_many_may_put_the_same_at_once(objects: Objects, tmp_path: Path, spawn: Callable[..., Any]) -> None:
    """Readers see each object whole or not at all."""
    store, broken, done = tmp_path / ".t2c" / "objects", [], threading.Event()

    def read() -> None:
        while not done.is_set():
            for digest in objects.digests():
                try:
                    objects.get(digest)
                except Corrupt as damage:
                    broken.append(damage)

    reader = threading.Thread(target=read)
    reader.start()
    others = [spawn(PUT, store) for _ in range(2)]

    def put() -> None:
        for number in range(14):
            objects.put(b"shared %d" % (number % 7) + b"." * 50_000)

    writers = [threading.Thread(target=put) for _ in range(6)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [other.wait() for other in others] == [0, 0]
    done.set()
    reader.join()
    assert broken == []
    assert len(list(objects.digests())) == 7
    assert leftovers(tmp_path) == []


class TestWholeFiles:
    def test_a_file_that_cannot_be_put_in_place_leaves_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "target").mkdir()
        (tmp_path / "target" / "x").write_bytes(b"")
        with pytest.raises(OSError, match="directory"):
            write_atomically(tmp_path / "target", b"content")
        assert leftovers(tmp_path) == []

    def test_the_leftover_of_a_killed_process_is_stepped_over(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(files, "_turns", itertools.count())
        for number in range(3):
            (tmp_path / f".target.{os.getpid()}-{number}.tmp").write_bytes(b"left")
        write_atomically(tmp_path / "target", b"content")
        assert (tmp_path / "target").read_bytes() == b"content"

    def test_a_folder_is_made_with_its_parents_and_synced_into_them(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A folder whose name was not synced is gone after a power failure, with all that it holds."""
        synced: list[int] = []
        fsync = os.fsync
        monkeypatch.setattr(os, "fsync", lambda fd: (synced.append(os.fstat(fd).st_ino), fsync(fd))[1])
        make_folder(tmp_path / "a" / "b" / "c")
        expected = [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
        assert synced == [folder.stat().st_ino for folder in expected]
        make_folder(tmp_path / "a" / "b" / "c")
        assert len(synced) == 3

    def test_a_file_where_a_folder_belongs_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "a").write_bytes(b"")
        for folder in (tmp_path / "a", tmp_path / "a" / "b"):
            with pytest.raises(OSError):
                make_folder(folder)


def test_intact_is_a_plain_file_of_the_bytes_of_its_name(tmp_path: Path) -> None:
    objects = Objects(tmp_path / "objects")
    name = objects.put(b"evidence")
    salted = objects.put_payload(b"s" * 32, b"payload")
    assert objects.intact(name) and objects.intact(salted)
    assert not objects.intact("0" * 64)
    for damage in (lambda file: file.write_bytes(b"evidenz"), lambda file: file.symlink_to("/etc/passwd")):
        file = objects.path(name)
        file.unlink()
        damage(file)
        assert not objects.intact(name)
