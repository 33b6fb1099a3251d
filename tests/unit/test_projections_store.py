"""The store: whole files or none, and nothing that t2c did not make is touched."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.errors import Environment, Internal, Refused
from t2c.projections import store
from t2c.projections.base import Artifacts, Provenance

HEAD = "a" * 64


def provenance(seq: int = 7, version: int = 1, head: str = HEAD, name: str = "view") -> Provenance:
    return Provenance(name, version, seq, head, {"records": 1})


def put(workspace: Path, artifacts: Artifacts, **options: Any) -> store.Written:
    return store.write(workspace, provenance(**options), artifacts)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def leftovers(workspace: Path) -> list[str]:
    return [path.name for path in (workspace / "projections").iterdir() if path.name.startswith(".")]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "projections" / "view"


def test_files_are_written_with_a_manifest_that_names_their_fold(tmp_path: Path, folder: Path) -> None:
    written = put(tmp_path, {"b.txt": b"bee", "a.txt": iter([b"a", b"", b"y"])})
    assert written == store.Written(folder, ("a.txt", "b.txt"), ())
    found = contents(folder)
    assert found.pop("a.txt") == b"ay"
    assert found.pop("b.txt") == b"bee"
    assert list(found) == ["projection.json"]
    assert orjson.loads(found["projection.json"]) == {
        "name": "view",
        "version": 1,
        "seq": 7,
        "head": HEAD,
        "inputs": {"records": 1},
        "files": {"a.txt": sha256(b"ay").hexdigest(), "b.txt": sha256(b"bee").hexdigest()},
    }
    assert leftovers(tmp_path) == []
    held = store.manifest(tmp_path, "view")
    assert held is not None
    assert (held.seq, held.files["b.txt"]) == (7, sha256(b"bee").hexdigest())


def test_an_equal_file_is_left_alone_and_the_manifest_follows_the_fold(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"same", "b.txt": b"old"})
    before = {name: (folder / name).stat() for name in ("a.txt", "b.txt")}
    written = put(tmp_path, {"a.txt": b"same", "b.txt": b"new"}, seq=8)
    assert written.files == ("b.txt",)
    assert (folder / "a.txt").stat().st_ino == before["a.txt"].st_ino
    assert (folder / "a.txt").stat().st_mtime_ns == before["a.txt"].st_mtime_ns
    assert (folder / "b.txt").stat().st_ino != before["b.txt"].st_ino
    held = store.manifest(tmp_path, "view")
    assert held is not None
    assert held.seq == 8


def test_the_same_fold_again_changes_nothing_at_all(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"same"})
    before = (folder / "projection.json").stat().st_ino
    assert put(tmp_path, {"a.txt": b"same"}) == store.Written(folder, (), ())
    assert (folder / "projection.json").stat().st_ino == before


def test_a_file_that_was_changed_or_deleted_by_hand_is_made_again(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"same", "b.txt": b"bee"})
    (folder / "a.txt").write_bytes(b"mine")  # of the same length
    (folder / "b.txt").unlink()
    assert put(tmp_path, {"a.txt": b"same", "b.txt": b"bee"}).files == ("a.txt", "b.txt")
    assert contents(folder)["a.txt"] == b"same"


def test_a_file_that_is_no_longer_made_is_removed(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"a", "b.txt": b"b"})
    assert put(tmp_path, {"b.txt": b"b"}, version=2).removed == ("a.txt",)
    assert set(contents(folder)) == {"b.txt", "projection.json"}


def made_by_hand(folder: Path) -> None:
    folder.mkdir(parents=True)
    (folder / "notes.txt").write_text("mine")


def of_another_projection(folder: Path) -> None:
    store.write(folder.parent.parent, provenance(name="other"), {"x.txt": b"x"})
    (folder.parent / "other").rename(folder)


def unlisted_file(folder: Path) -> None:
    put(folder.parent.parent, {"a.txt": b"a"})
    (folder / "notes.txt").write_text("mine")


def listed_link(folder: Path) -> None:
    put(folder.parent.parent, {"a.txt": b"a"})
    target = folder.parent.parent / "target.txt"
    target.write_text("mine")
    (folder / "a.txt").unlink()
    (folder / "a.txt").symlink_to(target)


def linked_folder(folder: Path) -> None:
    target = folder.parent.parent / "elsewhere"
    target.mkdir()
    folder.parent.mkdir()
    folder.symlink_to(target)


def linked_parent(folder: Path) -> None:
    target = folder.parent.parent / "elsewhere"
    target.mkdir()
    folder.parent.symlink_to(target)


def linked_staging(folder: Path) -> None:
    target = folder.parent.parent / "elsewhere"
    target.mkdir()
    (target / "precious.txt").write_text("mine")
    folder.parent.mkdir()
    (folder.parent / ".view.staging").symlink_to(target)


def subfolder(folder: Path) -> None:
    put(folder.parent.parent, {"a.txt": b"a"})
    (folder / "deeper").mkdir()


def a_file_in_its_place(folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("mine")


def manifest_that_leads_out(folder: Path) -> None:
    put(folder.parent.parent, {"a.txt": b"a"})
    (folder.parent.parent / "precious.txt").write_text("mine")
    path = folder / "projection.json"
    body = orjson.loads(path.read_bytes())
    body["files"]["../../precious.txt"] = sha256(b"mine").hexdigest()
    path.write_bytes(orjson.dumps(body))


def broken_manifest(folder: Path) -> None:
    put(folder.parent.parent, {"a.txt": b"a"})
    (folder / "projection.json").write_bytes(b"{")


def snapshot_of(root: Path) -> dict[str, object]:
    return {
        str(path.relative_to(root)): path.readlink()
        if path.is_symlink()
        else path.is_file() and path.read_bytes()
        for path in sorted(root.rglob("*"))
    }


@pytest.mark.parametrize(
    "foreign",
    [
        made_by_hand,
        of_another_projection,
        unlisted_file,
        listed_link,
        linked_folder,
        linked_parent,
        linked_staging,
        subfolder,
        a_file_in_its_place,
        manifest_that_leads_out,
        broken_manifest,
    ],
)
def test_what_t2c_did_not_make_is_refused_by_name_and_left_alone(
    tmp_path: Path, folder: Path, foreign: Callable[[Path], None]
) -> None:
    foreign(folder)
    before = snapshot_of(tmp_path)
    with pytest.raises(Refused, match="did not make it") as raised:
        put(tmp_path, {"a.txt": b"new"}, seq=9)
    assert raised.value.where is not None
    assert raised.value.where.startswith(str(tmp_path))
    assert raised.value.remedy is not None
    assert snapshot_of(tmp_path) == before


def test_an_empty_folder_is_nobodys(tmp_path: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    assert put(tmp_path, {"a.txt": b"a"}).files == ("a.txt",)


@pytest.mark.parametrize("name", ["projection.json", "../a", "a/b", ".hidden", "", "a\n"])
def test_a_name_that_is_no_flat_name_is_a_fault_of_ours(tmp_path: Path, name: str) -> None:
    with pytest.raises(Internal):
        put(tmp_path, {name: b""})


def test_content_that_fails_half_way_leaves_the_former_files(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"old"})
    before = contents(folder)

    def failing() -> Iterator[bytes]:
        yield b"new"
        raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        put(tmp_path, {"a.txt": failing()}, seq=8)
    assert contents(folder) == before
    assert leftovers(tmp_path) == []


class Killed(BaseException):
    """Stands for the end of the process."""


@pytest.mark.parametrize("first", [True, False], ids=["first write", "later write"])
@pytest.mark.parametrize("stop", range(18))
def test_a_write_that_is_killed_anywhere_is_in_nobodys_way(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, first: bool, stop: int
) -> None:
    calls = 0

    def counted(name: str) -> None:
        original = getattr(os, name)

        def dying(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls > stop:
                raise Killed
            return original(*args, **kwargs)

        monkeypatch.setattr(os, name, dying)

    old = {"a.txt": b"old", "gone.txt": b"gone"}
    new = {"a.txt": b"new", "b.txt": b"added", "c.txt": b"added"}
    if not first:
        put(tmp_path, old)
    for name in ("mkdir", "replace", "unlink", "fsync", "rmdir"):
        counted(name)
    try:
        put(tmp_path, new, seq=8)
    except Killed:
        whole = {**old} if not first else {}
        found = contents(folder) if folder.exists() else {}
        assert all(
            body in (new.get(name), whole.get(name)) for name, body in found.items() if name != store.MANIFEST
        )
    monkeypatch.undo()
    put(tmp_path, {"a.txt": b"newer", "d.txt": b"d"}, seq=9)
    assert set(contents(folder)) == {"a.txt", "d.txt", "projection.json"}
    assert contents(folder)["a.txt"] == b"newer"
    assert store.check(tmp_path, provenance(seq=9), {"a.txt": b"newer", "d.txt": b"d"}) == []
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("call", ["replace", "fsync", "unlink", "mkdir"])
@pytest.mark.parametrize("turn", range(1, 6))
def test_a_write_that_fails_once_anywhere_is_in_nobodys_way(
    tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch, call: str, turn: int
) -> None:
    original = getattr(os, call)
    calls = 0

    def failing(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == turn:
            raise OSError(5, "Input/output error")
        return original(*args, **kwargs)

    monkeypatch.setattr(os, call, failing)
    try:
        put(tmp_path, {"a.txt": b"new", "b.txt": b"added"}, seq=8)
    except Environment as error:
        assert "Input/output error" in error.what
    else:
        assert calls < turn
    monkeypatch.undo()
    put(tmp_path, {"a.txt": b"newer"}, seq=9)
    assert set(contents(folder)) == {"a.txt", "projection.json"}
    assert leftovers(tmp_path) == []


def test_writers_at_the_same_time_leave_one_whole_view(tmp_path: Path, folder: Path) -> None:
    bodies = [str(number).encode() * 100_000 for number in range(4)]

    def repeat(number: int) -> None:
        for _ in range(10):
            put(tmp_path, {"a.txt": bodies[number], "b.txt": bodies[number]}, seq=number + 1)

    threads = [threading.Thread(target=repeat, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = store.manifest(tmp_path, "view")
    assert held is not None
    body = bodies[held.seq - 1]
    assert store.check(tmp_path, provenance(seq=held.seq), {"a.txt": body, "b.txt": body}) == []


def test_a_disk_that_does_not_let_it_is_an_environment_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(Environment, match="No space left"):
        put(tmp_path, {"a.txt": b"a"})
    monkeypatch.undo()
    assert put(tmp_path, {"a.txt": b"a"}).files == ("a.txt",)


# Comparing with a fold


def kinds(mismatches: list[store.Mismatch]) -> list[tuple[str, str]]:
    return [(mismatch.kind, mismatch.path) for mismatch in mismatches]


def test_an_untouched_folder_is_equal_to_its_fold(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"a", "b.txt": b"b"})
    assert store.check(tmp_path, provenance(), {"a.txt": iter([b"", b"a"]), "b.txt": b"b"}) == []


def test_every_difference_is_named(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"a", "b.txt": b"b", "c.txt": b"c", "d.txt": b"d"})
    (folder / "a.txt").write_bytes(b"x")
    (folder / "b.txt").unlink()
    (folder / "c.txt").unlink()
    (folder / "c.txt").symlink_to(tmp_path / "projections" / "view" / "d.txt")
    (folder / "z.txt").write_bytes(b"mine")
    before = snapshot_of(tmp_path)
    found = store.check(tmp_path, provenance(), {"a.txt": b"a", "b.txt": b"b", "c.txt": b"c", "d.txt": b"d"})
    assert kinds(found) == [
        ("differs", "projections/view/a.txt"),
        ("missing", "projections/view/b.txt"),
        ("missing", "projections/view/c.txt"),
        ("foreign", "projections/view/z.txt"),
    ]
    assert snapshot_of(tmp_path) == before


def test_a_manifest_that_lies_about_a_file_is_named(tmp_path: Path, folder: Path) -> None:
    put(tmp_path, {"a.txt": b"a"})
    path = folder / "projection.json"
    path.write_bytes(path.read_bytes().replace(sha256(b"a").hexdigest().encode(), b"0" * 64))
    assert kinds(store.check(tmp_path, provenance(), {"a.txt": b"a"})) == [
        ("manifest", "projections/view/projection.json")
    ]


def test_a_folder_of_another_history_is_named(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"a"})
    found = store.check(tmp_path, provenance(head="b" * 64), {"a.txt": b"a"})
    assert kinds(found) == [("manifest", "projections/view/projection.json")]


def test_a_folder_of_another_version_is_stale(tmp_path: Path) -> None:
    put(tmp_path, {"a.txt": b"a"})
    assert kinds(store.check(tmp_path, provenance(version=2), {"a.txt": b"b"})) == [
        ("stale", "projections/view")
    ]


@pytest.mark.parametrize("foreign", [made_by_hand, broken_manifest, of_another_projection, linked_folder])
def test_a_folder_that_t2c_did_not_make_is_not_equal(
    tmp_path: Path, folder: Path, foreign: Callable[[Path], None]
) -> None:
    foreign(folder)
    assert store.check(tmp_path, provenance(), {"a.txt": b"a"}) != []


def test_a_folder_that_is_not_there_has_no_manifest(tmp_path: Path) -> None:
    assert store.manifest(tmp_path, "view") is None
    assert kinds(store.check(tmp_path, provenance(), {})) == [
        ("manifest", "projections/view/projection.json")
    ]
