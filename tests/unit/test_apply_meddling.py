"""Claims: what somebody saves while files are put or taken back is never written over; a file written over where it is
is taken back there; what a decision writes over is kept; and no link leads t2c's own folders elsewhere.

Each of these was seen to fail before the engine looked again right before it put a file, kept notes of what it writes
over, and opened its folders without following links.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.apply import carrying, recovery
from t2c.ledger.apply.base import Mandate, Wanted
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.recovery import Recovered, recover, unfinished
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Environment, Refused, T2cError
from t2c.ledger.events.changes import ApplyFailed, ApplyReceipted

FREE = Mandate("a test", "three files", "a" * 64, None, "human:ada")
THREE = (Wanted("a", b"a\n", b"A\n"), Wanted("b", b"b\n", b"B\n"), Wanted("d/n", None, b"N\n"))
Tear = Callable[..., str]


class Dead(BaseException):
    """What a process that is killed does: nothing any more."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "a").write_bytes(b"a\n")
    (tmp_path / "b").write_bytes(b"b\n")
    return tmp_path


@pytest.fixture
def torn(ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch) -> Tear:
    """torn(n, wanted): an apply that dies before its file n; gives its announcement."""

    def tear(at: int, wanted: tuple[Wanted, ...] = THREE, *, in_place: bool = False) -> str:
        put = carrying.Run._put_one

        def some(run: carrying.Run, number: int, work: Any) -> None:
            if number == at:
                raise Dead
            put(run, number, work)

        def die(*given: object, **named: object) -> None:
            raise Dead

        with monkeypatch.context() as patched:
            patched.setattr(carrying.Run, "_put_one", some)
            patched.setattr(carrying.Run, "_end_badly", die)
            if at == len(wanted):
                patched.setattr(carrying, "receipt", die)
            with pytest.raises(Dead):
                apply(ledger, root, wanted, FREE, in_place=in_place)
        (found,) = unfinished(ledger, root)
        return found.announced

    return tear


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".t2c" not in path.relative_to(root).parts
    }


def only(results: list[Recovered]) -> Recovered:
    (result,) = results
    return result


def last(ledger: Ledger) -> Any:
    return list(ledger.entries())[-1]


def test_a_hard_link_is_taken_back_where_it_is(ledger: Ledger, root: Path, torn: Tear) -> None:
    (root / "twin").hardlink_to(root / "a")
    torn(1, in_place=True)
    assert (root / "twin").read_bytes() == b"A\n"
    assert only(recover(ledger, root)).outcome == "undone"
    assert (root / "twin").read_bytes() == b"a\n" and (root / "a").samefile(root / "twin")


def test_a_receipt_after_a_crash_tells_what_was_written_in_place(
    ledger: Ledger, root: Path, torn: Tear
) -> None:
    (root / "twin").hardlink_to(root / "a")
    torn(3, in_place=True)
    assert only(recover(ledger, root)).outcome == "recovered"
    assert ApplyReceipted.decode(bytes(last(ledger).data)).in_place == ("a",)


def test_a_mount_is_taken_back_where_it_is(ledger: Ledger, root: Path, torn: Tear) -> None:
    (root / "real").write_bytes(b"a\n")
    done = subprocess.run(["mount", "--bind", root / "real", root / "a"], capture_output=True, check=False)
    if done.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        torn(1, in_place=True)
        assert (root / "real").read_bytes() == b"A\n"
        assert only(recover(ledger, root)).outcome == "undone"
        assert (root / "real").read_bytes() == b"a\n" and list(root.glob(".t2c-*")) == []
        with pytest.raises(Environment) as caught:
            apply(ledger, root, THREE, FREE)
        assert caught.value.where == "a" and caught.value.what.startswith("a cannot be")
    finally:
        subprocess.run(["umount", root / "a"], check=True)


@pytest.mark.parametrize("name", ["applies", "locks"])
@pytest.mark.parametrize("dangling", [False, True])
def test_no_folder_of_ours_is_a_link(
    ledger: Ledger, root: Path, tmp_path_factory: pytest.TempPathFactory, name: str, dangling: bool
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    outside.chmod(0o755)
    (root / ".t2c" / name).symlink_to(outside / "none" if dangling else outside)
    head = ledger.head()
    with pytest.raises(Refused, match=rf"\.t2c/{name} is a symbolic link"):
        apply(ledger, root, THREE, FREE)
    assert recover(ledger, root) == []
    assert ledger.head() == head and list(outside.iterdir()) == []
    assert outside.stat().st_mode & 0o777 == 0o755
    assert files(root) == {"a": b"a\n", "b": b"b\n"}


def test_what_is_kept_is_not_removed_through_a_link(
    ledger: Ledger, root: Path, torn: Tear, tmp_path_factory: pytest.TempPathFactory
) -> None:
    announced = torn(1)
    outside = tmp_path_factory.mktemp("outside")
    (root / ".t2c/applies").rename(outside / "applies")
    (root / ".t2c/applies").symlink_to(outside / "applies")
    assert only(recover(ledger, root)).outcome == "undecided"
    for decide in ("back", "forward"):
        with pytest.raises(T2cError):
            recover(ledger, root, announced=announced, decide=decide, reason="try")  # type: ignore[arg-type]
    assert (outside / "applies" / announced / "before/0").read_bytes() == b"a\n"
    assert files(root) == {"a": b"A\n", "b": b"b\n"}


@pytest.mark.parametrize(("path", "wanted"), [("a", THREE), ("d/n", (THREE[2], *THREE[:2]))])
def test_what_is_saved_while_it_is_taken_back_stays(
    ledger: Ledger,
    root: Path,
    torn: Tear,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    wanted: tuple[Wanted, ...],
) -> None:
    torn(1, wanted)
    back = recovery._Case._back

    def late(case: Any, reason: str) -> Recovered:
        (root / path).write_bytes(b"theirs\n")
        return back(case, reason)

    monkeypatch.setattr(recovery._Case, "_back", late)
    result = only(recover(ledger, root))
    assert (result.outcome, dict(result.files)[path]) == ("undecided", "other")
    assert (root / path).read_bytes() == b"theirs\n" and len(unfinished(ledger, root)) == 1


@pytest.mark.parametrize(
    ("path", "act"),
    [("a", "write"), ("a", "replace"), ("a", "delete"), ("d/n", "write"), ("x", "create"), ("twin", "write")],
)
def test_what_is_saved_before_a_failure_stays_and_the_apply_stays_open(
    ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch, path: str, act: str
) -> None:
    (root / "x").write_bytes(b"x\n")
    (root / "twin").write_bytes(b"t\n")
    (root / "t2").hardlink_to(root / "twin")
    wanted = [*THREE, Wanted("x", b"x\n", None), Wanted("twin", b"t\n", b"T\n"), Wanted("z", None, b"z")]
    put = carrying.Run._put_one

    def some(run: carrying.Run, number: int, work: Any) -> None:
        if number == 5:
            if act in ("replace", "delete"):
                (root / path).unlink()
            if act != "delete":
                (root / path).write_bytes(b"theirs, which is longer\n")
            raise OSError(28, "no space")
        put(run, number, work)

    monkeypatch.setattr(carrying.Run, "_put_one", some)
    with pytest.raises(Environment, match=rf"nor all be taken back: {path} was changed") as caught:
        apply(ledger, root, wanted, FREE, in_place=True)
    assert caught.value.where == "z" and "every file is as it was" not in str(caught.value.safe)
    there = files(root)
    assert there.pop(path, None) == (None if act == "delete" else b"theirs, which is longer\n")
    before = {"a": b"a\n", "b": b"b\n", "x": b"x\n", "twin": b"t\n"}
    assert {name: held for name, held in there.items() if name != "t2"} == {
        name: held for name, held in before.items() if name != path
    }
    (found,) = unfinished(ledger, root)
    assert found.verdict == "undecided"


@pytest.mark.parametrize("decide", ["forward", "back"])
def test_what_a_decision_writes_over_is_kept(ledger: Ledger, root: Path, torn: Tear, decide: str) -> None:
    announced = torn(1)
    (root / "b").write_bytes(b"theirs\n")
    result = only(
        recover(ledger, root, announced=announced, decide=decide, reason="I looked")  # type: ignore[arg-type]
    )
    kept = root / ".t2c/applies" / announced / "other/1"
    assert kept.read_bytes() == b"theirs\n" and str(kept) in result.why
    assert (root / "b").read_bytes() == {"forward": b"B\n", "back": b"b\n"}[decide]
    assert recover(ledger, root) == [] and kept.exists()


def test_a_recovery_that_died_before_its_event_does_not_say_that_nothing_was_touched(
    ledger: Ledger, root: Path, torn: Tear, monkeypatch: pytest.MonkeyPatch
) -> None:
    torn(1)

    def die(*given: object) -> None:
        raise Dead

    with monkeypatch.context() as patched, pytest.raises(Dead):
        patched.setattr(recovery._Case, "_fail", die)
        recover(ledger, root)
    assert only(recover(ledger, root)).outcome == "undone"
    failed = ApplyFailed.decode(bytes(last(ledger).data))
    assert (failed.outcome, "before any" in failed.reason) == ("undone", False)
    assert [path.name for path in (root / ".t2c/applies").iterdir()] == [".gitignore"]


def test_a_receipt_after_a_crash_tells_the_permissions_that_are_there(
    ledger: Ledger, root: Path, torn: Tear
) -> None:
    torn(1, (Wanted("a", b"a\n", b"A\n", 0o755),))
    (root / "a").chmod(0o600)
    assert only(recover(ledger, root)).outcome == "recovered"
    (told,) = json.loads(bytes(last(ledger).data))["files"]
    assert told["after_mode"] == "0600"


@pytest.mark.parametrize(
    "path", [".git::$INDEX_ALLOCATION/x", ".t2c:s", "a\nb", "a\x1b[2J", "a\u2028b", "d/\x7f"]
)
def test_streams_and_control_characters_are_refused(ledger: Ledger, root: Path, path: str) -> None:
    with pytest.raises(Refused):
        apply(ledger, root, [Wanted(path, None, b"x")], FREE)
    assert files(root) == {"a": b"a\n", "b": b"b\n"}
