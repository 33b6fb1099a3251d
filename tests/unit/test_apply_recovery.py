"""Claims: an apply without an outcome gets the one that hashes prove; where they prove none, nothing is touched until a
person says forward, back or leave; and an apply that is under way is left alone.

Mutations seen to fail: locks not looked at; some of each taken for all as wanted; a file that is neither taken for one from before; `leave` telling what was
wanted in the place of what is there; contents from before used though they are not as announced; announcements of
another tree recovered.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.ledger.apply import carrying
from t2c.ledger.apply.base import Mandate, Wanted, digest
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.history import history
from t2c.ledger.apply.locking import Holder, locked
from t2c.ledger.apply.recovery import Recovered, kept_before, recover, unfinished
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Environment, T2cError, Usage
from t2c.ledger.events.changes import ApplyFailed, ApplyReceipted

THREE = [
    Wanted("src/a.py", b"a", b"A", 0o755),
    Wanted("new/c", None, b"c"),
    Wanted("b.md", b"b", None),
]
MANDATE = Mandate("a test", "three files", "a" * 64, None, "human:ada")
Torn = Callable[[int], str]


class Dead(BaseException):
    """What a process that is killed does: nothing any more."""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_bytes(b"a")
    (tmp_path / "b.md").write_bytes(b"b")
    return tmp_path


@pytest.fixture
def torn(ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch) -> Torn:
    """torn(n): an apply that is killed after n of its three files; gives its announcement."""

    def tear(files: int) -> str:
        put, taken = carrying.Run._put_one, carrying.Run._end_badly

        def some(run: carrying.Run, number: int, work: object) -> None:
            if number == files:
                raise Dead
            put(run, number, work)  # type: ignore[arg-type]
            if files == 3 and number == 2:
                raise Dead

        def die(run: carrying.Run, error: BaseException, missing: object) -> None:
            raise error

        monkeypatch.setattr(carrying.Run, "_put_one", some)
        monkeypatch.setattr(carrying.Run, "_end_badly", die)
        with pytest.raises(Dead):
            apply(ledger, root, THREE, MANDATE)
        monkeypatch.setattr(carrying.Run, "_put_one", put)
        monkeypatch.setattr(carrying.Run, "_end_badly", taken)
        (announced,) = unfinished(ledger, root)
        return announced.announced

    return tear


def files(root: Path) -> dict[str, bytes]:
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".t2c" not in path.relative_to(root).parts
    }


BEFORE = {"b.md": b"b", "src/a.py": b"a"}
AFTER = {"new/c": b"c", "src/a.py": b"A"}


def only(results: list[Recovered]) -> Recovered:
    (result,) = results
    return result


def test_hashes_decide(ledger: Ledger, root: Path, torn: Torn) -> None:
    for count, verdict, outcome in ((0, "before", "undone"), (1, "mixed", "undone"), (2, "mixed", "undone")):
        announced = torn(count)
        (found,) = unfinished(ledger, root)
        assert (found.verdict, found.requested_by, found.subject) == (verdict, "human:ada", "three files")
        assert [stand for _, stand in found.files] == ["after"] * count + ["before"] * (3 - count)
        result = only(recover(ledger, root))
        assert (result.announced, result.outcome, result.requested_by) == (announced, outcome, "human:ada")
        assert files(root) == BEFORE and not (root / "new").exists()
        told = list(ledger.entries())[-1]
        failed = ApplyFailed.decode(bytes(told.data))
        assert (told.id, failed.announced, failed.outcome) == (result.event, announced, outcome)
        assert (root / "src/a.py").stat().st_mode & 0o777 == 0o644
        assert not (root / ".t2c/applies" / announced).exists()
    announced = torn(3)
    assert only(recover(ledger, root)).outcome == "recovered"
    assert files(root) == AFTER and (root / "src/a.py").stat().st_mode & 0o777 == 0o755
    assert ApplyReceipted.decode(bytes(list(ledger.entries())[-1].data)).how == "recovered"
    assert kept_before(ledger, announced, "b.md") == b"b"
    assert unfinished(ledger, root) == recover(ledger, root) == []


def test_what_is_neither_waits_for_a_person(ledger: Ledger, root: Path, torn: Torn) -> None:
    announced = torn(1)
    (root / "src/a.py").write_bytes(b"by hand")
    head = ledger.head()
    result = only(recover(ledger, root))
    assert (result.outcome, result.event, dict(result.files)["src/a.py"]) == ("undecided", None, "other")
    assert "src/a.py" in result.why and ledger.head() == head
    assert files(root) == {**BEFORE, "src/a.py": b"by hand"}
    for given in ({"decide": "back"}, {"announced": announced, "decide": "back", "reason": " "}):
        with pytest.raises(Usage):
            recover(ledger, root, **given)  # type: ignore[arg-type]
    with pytest.raises(Usage, match="no apply without an outcome"):
        recover(ledger, root, announced="EVT-" + "0" * 20)


@pytest.mark.parametrize(
    ("decide", "outcome", "then"),
    [("forward", "recovered", AFTER), ("back", "undone", BEFORE), ("leave", "left", {**BEFORE, "src/a.py": b"by hand"})],
)  # fmt: skip
def test_a_person_decides(
    ledger: Ledger, root: Path, torn: Torn, decide: str, outcome: str, then: dict[str, bytes]
) -> None:
    announced = torn(1)
    (root / "src/a.py").write_bytes(b"by hand")
    result = only(
        recover(ledger, root, announced=announced, decide=decide, reason="I looked")  # type: ignore[arg-type]
    )
    assert result.outcome == outcome and files(root) == then
    assert [path.name for path in root.rglob(".t2c-*")] == []
    told = list(ledger.entries())[-1]
    assert told.id == result.event
    if decide == "leave":
        failed = ApplyFailed.decode(bytes(told.data))
        assert (failed.outcome, failed.reason) == ("left", "I looked")
        assert [file.after for file in failed.files] == [digest(b"by hand"), None, digest(b"b")]
    if decide == "back":
        assert ApplyFailed.decode(bytes(told.data)).reason == "I looked"
    assert unfinished(ledger, root) == []


def test_what_is_not_kept_is_not_made_up(ledger: Ledger, root: Path, torn: Torn) -> None:
    announced = torn(1)
    (root / ".t2c/applies" / announced / "before/0").write_bytes(b"forged")
    result = only(recover(ledger, root))
    assert result.outcome == "undecided" and "not kept" in result.why
    with pytest.raises(Environment, match="not kept"):
        recover(ledger, root, announced=announced, decide="back", reason="try")
    assert files(root) == {"b.md": b"b", "src/a.py": b"A"}
    assert (
        only(recover(ledger, root, announced=announced, decide="forward", reason="go")).outcome == "recovered"
    )
    assert files(root) == AFTER


def test_an_apply_that_is_under_way_is_left_alone(ledger: Ledger, root: Path, torn: Torn) -> None:
    torn(1)
    with locked(ledger.workspace, root, ["b.md"], Holder("a test", None, None)):
        assert unfinished(ledger, root) == []
        result = only(recover(ledger, root))
        assert (result.outcome, result.event) == ("running", None)
        assert files(root)["src/a.py"] == b"A"
    assert only(recover(ledger, root)).outcome == "undone"


def test_a_link_in_the_way_is_followed_by_nobody(
    ledger: Ledger, root: Path, torn: Torn, tmp_path_factory: pytest.TempPathFactory
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.py").write_bytes(b"A")
    announced = torn(1)
    (root / "src").rename(root / "moved")
    (root / "src").symlink_to(outside)
    assert only(recover(ledger, root)).outcome == "undecided"
    for decide in ("forward", "back"):
        with pytest.raises(T2cError):
            recover(ledger, root, announced=announced, decide=decide, reason="try")  # type: ignore[arg-type]
    assert [(path.name, path.read_bytes()) for path in outside.iterdir()] == [("a.py", b"A")]


def test_the_history_is_the_same_with_and_without_its_snapshot(
    ledger: Ledger, root: Path, torn: Torn
) -> None:
    torn(1)
    snapshot = next((root / ".t2c/cache/states").glob("applies.*"))
    kept = history(ledger).open
    assert next(iter(kept.values())).files[0].after_mode == "0755"
    for content in (None, b"", b"\xff" * 40):
        if content is None:
            snapshot.unlink()
        else:
            snapshot.write_bytes(content)
        assert history(ledger).open == kept


def test_an_announcement_of_another_tree_is_none_of_ours(
    ledger: Ledger, root: Path, torn: Torn, tmp_path: Path
) -> None:
    from t2c.ledger.apply.history import History, _State
    from t2c.ledger.journal.entry import Origin
    from t2c.ledger.journal.position import START

    torn(1)
    taken = History(START, _State())
    for entry in ledger.entries():
        if entry.type == "apply.announced":
            import msgspec

            foreign = Origin("0" * 32, 1, "0" * 64, "0" * 64, entry.id, entry.ts)
            assert not taken.take(msgspec.structs.replace(entry, origin=foreign))
            assert taken.take(entry)
    assert len(taken.open) == 1


def test_nothing_is_recovered_where_nothing_was_applied(tmp_path: Path) -> None:
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c") as ledger:
        assert recover(ledger, tmp_path) == unfinished(ledger, tmp_path) == []
        assert ledger.head().seq == 1
