"""Claims: nothing is written without its approval, over what somebody changed, outside the root, or in part; what was
written is receipted once, and says who, what and under which approval.

Mutations seen to fail: the approval's digest not compared; the check just before the rename left out; the folders not
looked at again; permissions not set; extended attributes not copied; a hard link or a read-only file replaced; the
receipt of before not found; the lock left out; the contents from before removed with those from after.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from t2c.ledger.apply import carrying, engine
from t2c.ledger.apply.base import Mandate, Wanted, digest
from t2c.ledger.apply.engine import apply
from t2c.ledger.apply.locking import Holder, locked
from t2c.ledger.apply.places import Tree
from t2c.ledger.apply.staging import kept_before
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Conflict, Environment, Refused, T2cError, Usage
from t2c.ledger.events.changes import ApplyAnnounced, ApplyFailed, ApplyReceipted
from t2c.ledger.events.decisions import ApprovalGranted
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.entry import ActorPart, Entry, Origin
from t2c.ledger.kernel.actor import Actor

FREE = Mandate("a test", "some files", "a" * 64, None, "human:ada")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A tree beside the ledger's folder."""
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_bytes(b"a\r\nb")
    (tmp_path / "b.md").write_bytes(b"b\n")
    return tmp_path


def types(ledger: Ledger) -> list[str]:
    return [entry.type for entry in ledger.entries()][1:]


def approve(ledger: Ledger, digest: str) -> str:
    granted = ApprovalGranted(subject="patch:todo", digest=digest, statement="yes")
    (told,) = ledger.append([draft(granted, actor=Actor("human", "ada"))])
    return told.id


def beside(root: Path) -> list[str]:
    return sorted(path.name for path in root.rglob(".t2c-*"))


def test_what_is_applied_is_announced_and_receipted_with_all_that_matters(ledger: Ledger, root: Path) -> None:
    approval = approve(ledger, "d" * 64)
    mandate = Mandate("change.apply", "patch:todo", "d" * 64, approval, "human:ada", run="r1")
    (root / "src/a.py").chmod(0o640)
    wanted = [
        Wanted("src/a.py", b"a\r\nb", b"A\r\nb"),
        Wanted("new/c.sh", None, b"", 0o755),
        Wanted("b.md", b"b\n", None),
    ]
    stages = []
    done = apply(ledger, root, wanted, mandate, progress=lambda *told: stages.append(told[0]))
    assert (done.how, done.paths, done.in_place) == ("done", ("src/a.py", "new/c.sh", "b.md"), ())
    assert (root / "src/a.py").read_bytes() == b"A\r\nb"
    assert (root / "src/a.py").stat().st_mode & 0o7777 == 0o640
    assert (root / "new/c.sh").read_bytes() == b""
    assert (root / "new/c.sh").stat().st_mode & 0o7777 == 0o755
    assert not (root / "b.md").exists()
    _, announcing, receipting = list(ledger.entries())[-3:]
    announced = ApplyAnnounced.decode(bytes(announcing.data))
    received = ApplyReceipted.decode(bytes(receipting.data))
    assert (announcing.id, receipting.id, receipting.seq) == (done.announced, done.event, done.seq)
    assert (announced.purpose, announced.subject, announced.digest) == (
        "change.apply",
        "patch:todo",
        "d" * 64,
    )
    assert (announced.approval, announced.requested_by) == (approval, "human:ada")
    assert announcing.cause == (approval,) and receipting.cause == (announcing.id,)
    assert {announcing.run, receipting.run} == {"r1"}
    assert announced.files == received.files
    first, second, third = received.files
    assert (first.before, first.after) == (digest(b"a\r\nb"), digest(b"A\r\nb"))
    assert (first.before_mode, first.after_mode) == ("0640", "0640")
    assert (second.before, second.after, second.before_mode, second.after_mode) == (
        None, digest(b""), None, "0755",
    )  # fmt: skip
    assert (third.after, third.after_mode) == (None, None)
    assert beside(root) == [] and {"preflight", "write"} <= set(stages)
    assert list((root / ".t2c/locks").iterdir()) == []


def test_what_was_there_before_is_kept_for_whoever_takes_it_back(ledger: Ledger, root: Path) -> None:
    wanted = [Wanted("src/a.py", b"a\r\nb", b"A"), Wanted("c", None, b"c"), Wanted("b.md", b"b\n", None)]
    done = apply(ledger, root, wanted, FREE)
    folder = root / ".t2c/applies"
    assert kept_before(ledger, done.announced, "src/a.py") == b"a\r\nb"
    assert kept_before(ledger, done.announced, "b.md") == b"b\n"
    assert kept_before(ledger, done.announced, "c") is None
    assert kept_before(ledger, done.event, "src/a.py") is None
    assert kept_before(ledger, "EVT-../../..", "src/a.py") is None
    assert folder.stat().st_mode & 0o777 == (folder / done.announced).stat().st_mode & 0o777 == 0o700
    assert [path.name for path in (folder / done.announced).iterdir()] == ["before"]
    assert "*" in (folder / ".gitignore").read_text().splitlines()
    (folder / done.announced / "before/0").write_bytes(b"other")
    assert kept_before(ledger, done.announced, "src/a.py") is None


def test_applying_again_gives_the_receipt_of_before_and_writes_nothing(ledger: Ledger, root: Path) -> None:
    wanted = [Wanted("src/a.py", b"a\r\nb", b"A"), Wanted("b.md", b"b\n", None)]
    first = apply(ledger, root, wanted, FREE)
    seen = (root / "src/a.py").stat()
    again = apply(ledger, root, wanted, FREE)
    assert (again.how, again.event, again.seq) == ("found", first.event, first.seq)
    assert types(ledger) == ["apply.announced", "apply.receipted"]
    assert (root / "src/a.py").stat().st_ino == seen.st_ino
    other = apply(ledger, root, wanted, FREE._replace(subject="other"))
    assert other.how == "found" and other.event != first.event
    told = ApplyReceipted.decode(bytes(list(ledger.entries())[-1].data))
    assert told.how == "found"


@pytest.mark.parametrize("purpose", ["todo.apply", "change.apply", "change.revert"])
def test_nothing_is_written_without_an_approval_of_exactly_that(
    ledger: Ledger, root: Path, purpose: str
) -> None:
    wanted = [Wanted("b.md", b"b\n", b"B")]
    approval = approve(ledger, "d" * 64)
    before = types(ledger)
    for named in (None, approval, "EVT-" + "0" * 20, next(ledger.entries()).id):
        with pytest.raises(Refused, match="approv"):
            apply(ledger, root, wanted, Mandate(purpose, "patch:todo", "e" * 64, named, "human:ada"))
    with pytest.raises(Refused, match="approv"):
        apply(ledger, root, wanted, Mandate(purpose, "patch:other", "d" * 64, approval, "human:ada"))
    assert types(ledger) == before and (root / "b.md").read_bytes() == b"b\n"
    mandate = Mandate(purpose, "patch:todo", "d" * 64, approval, "human:ada")
    assert apply(ledger, root, wanted, mandate).how == "done"


def test_an_approval_of_a_program_or_of_another_ledger_is_none(ledger: Ledger, root: Path) -> None:
    granted = ApprovalGranted(subject="patch:todo", digest="d" * 64, statement="yes")
    ada = ActorPart("human", "ada")
    event = "EVT-" + "1" * 20
    entry = Entry(2, "0" * 64, granted.type, 2, event, "2026-03-01T00:00:00.000Z", ada, "asserted")
    entry = msgspec.structs.replace(entry, data=msgspec.Raw(granted.model_dump_json().encode()))
    mandate = Mandate("todo.apply", "patch:todo", "d" * 64, event, "human:ada")

    def taken(ledger_id: str) -> Entry:
        place = Origin(ledger_id, 2, "0" * 64, "0" * 64, event, entry.ts)
        return msgspec.structs.replace(entry, origin=place)

    assert engine._approves(ledger, entry, mandate)
    assert engine._approves(ledger, taken(str(ledger.id())), mandate), "a branch is of this ledger"
    assert not engine._approves(ledger, taken("0" * 32), mandate)
    assert not engine._approves(
        ledger, msgspec.structs.replace(entry, actor=ActorPart("agent", "bot")), mandate
    )


def test_a_receipt_that_was_taken_back_answers_no_apply(ledger: Ledger, root: Path) -> None:
    wanted = [Wanted("b.md", b"b\n", b"B")]
    first = apply(ledger, root, wanted, FREE)
    apply(ledger, root, [Wanted("b.md", b"B", b"b\n")], FREE._replace(digest="b" * 64, reverts=first.event))
    (root / "b.md").write_bytes(b"B")
    again = apply(ledger, root, wanted, FREE)
    assert again.how == "found" and again.event != first.event
    assert apply(ledger, root, wanted, FREE).event == again.event


def test_a_conflict_names_whose_work_it_meets(ledger: Ledger, root: Path) -> None:
    first = apply(ledger, root, [Wanted("b.md", b"b\n", b"B")], FREE)
    with pytest.raises(Conflict, match=f"human:ada .*{first.event}") as caught:
        apply(ledger, root, [Wanted("src/a.py", b"a\r\nb", b"x"), Wanted("b.md", b"b\n", b"C")], FREE)
    assert caught.value.details["winner"] == first.event
    (root / "b.md").write_bytes(b"by hand")
    with pytest.raises(Conflict, match="somebody else"):
        apply(ledger, root, [Wanted("b.md", b"B", b"C")], FREE)
    assert (root / "src/a.py").read_bytes() == b"a\r\nb"
    assert types(ledger) == ["apply.announced", "apply.receipted"]


def test_who_holds_a_file_is_named(ledger: Ledger, root: Path) -> None:
    holder = Holder("todo.apply", "human:eve", "patch:todo", "EVT-" + "1" * 20)
    with (
        locked(ledger.workspace, root, ["src/../b.md", "b.md"], holder),
        pytest.raises(Conflict, match=r"B\.md is being written by human:eve \(todo\.apply") as caught,
        locked(ledger.workspace, root, ["B.md"], holder, patience=0),
    ):
        raise AssertionError("it was locked twice")
    assert caught.value.details["holder"] == {
        "pid": os.getpid(), "purpose": "todo.apply", "requested_by": "human:eve", "subject": "patch:todo",
        "announced": "EVT-" + "1" * 20,
    }  # fmt: skip
    assert list((root / ".t2c/locks").iterdir()) == []
    assert apply(ledger, root, [Wanted("b.md", b"b\n", b"B")], FREE).how == "done"


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        (["../x"], "no path inside"), (["/etc/x"], "no path inside"), (["a//b"], "no path inside"), ([""], "no path"),
        (["a/\0"], "no path inside"), ([".git/config"], "never written"), (["sub/.GIT/hooks/x"], "never written"),
        ([".git."], "never written"), (["a/.g\u200bit/x"], "never written"), (["GIT~1/x"], "never written"),
        ([".t2c/journal.ndjson"], "never written"), (["a/.DWP/x"], "never written"), (["x" * 256], "256 bytes"),
        (["b.md", "b.md"], "twice"), (["n", "n/x"], "as a file and as a folder"), (["\ud800"], "not Unicode"),
        (["pipe"], "no plain file"), (["src"], "no plain file"), (["link"], "symbolic link"),
        (["inside/x"], "symbolic link"), (["nowhere"], "symbolic link"), (["hard"], "hard links"),
        (["read-only"], "read-only"),
    ],
)  # fmt: skip
def test_what_may_not_be_written_is_refused_by_name(
    ledger: Ledger, root: Path, paths: list[str], said: str
) -> None:
    os.mkfifo(root / "pipe")
    (root / "link").symlink_to("b.md")
    (root / "inside").symlink_to("src")
    (root / "nowhere").symlink_to("/nowhere")
    (root / "src/a.py").write_bytes(b"x")
    (root / "hard").hardlink_to(root / "src/a.py")
    (root / "read-only").write_bytes(b"x")
    (root / "read-only").chmod(0o444)
    with pytest.raises(Refused, match=said) as caught:
        apply(ledger, root, [Wanted(path, b"x", b"y") for path in paths], FREE)
    assert caught.value.safe == "nothing was written"
    assert types(ledger) == [] and not (root / ".t2c/applies").exists()


def test_a_name_that_the_disk_spells_otherwise_is_refused(
    ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a file system does it that takes letter case for the same."""
    real_open, real_stat = os.open, os.stat

    def folded(path: Any) -> Any:
        known = {"b.md": "b.md", "src": "src"}
        return known.get(path.casefold(), path) if isinstance(path, str) else path

    monkeypatch.setattr(os, "open", lambda path, *rest, **named: real_open(folded(path), *rest, **named))
    monkeypatch.setattr(os, "stat", lambda path, **named: real_stat(folded(path), **named))
    for path, spelled in (("B.md", "b.md"), ("SRC/a.py", "src")):
        with pytest.raises(Refused, match=f"spelled '{spelled}' on disk"):
            apply(ledger, root, [Wanted(path, b"b\n", b"B")], FREE)
    assert apply(ledger, root, [Wanted("b.md", b"b\n", b"B")], FREE).how == "done"


def test_a_file_in_the_way_and_too_many_files_are_told(ledger: Ledger, root: Path) -> None:
    with pytest.raises(Environment, match=r"b\.md is a file"):
        apply(ledger, root, [Wanted("b.md/x", None, b"x")], FREE)
    for wanted in ([], [Wanted(str(number), None, b"") for number in range(1001)]):
        with pytest.raises(Usage):
            apply(ledger, root, wanted, FREE)
    assert types(ledger) == []


def test_a_disk_without_room_is_told_before_anything_is_written(
    ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.statvfs
    monkeypatch.setattr(os, "statvfs", lambda spot: os.statvfs_result((*real(spot)[:4], 0, *real(spot)[5:])))
    with pytest.raises(Environment, match="room for 0 bytes"):
        apply(ledger, root, [Wanted("b.md", b"b\n", b"B")], FREE)
    assert types(ledger) == []


class Meddler:
    """Does something right before a step of the engine."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, step: str, act: Callable[[], object]) -> None:
        self.done = False
        real = getattr(carrying, step)

        def first(*given: Any) -> Any:
            if not self.done:
                self.done = True
                act()
            return real(*given)

        monkeypatch.setattr(carrying, step, first)


THREE = [Wanted("src/a.py", b"a\r\nb", b"A"), Wanted("c/d", None, b"c"), Wanted("b.md", b"b\n", None)]


@pytest.mark.parametrize(
    ("step", "path", "content"),
    [("replace", "src/a.py", b"theirs"), ("replace", "c/d", b"c"), ("remove", "b.md", b"b\n2"), ("remove", "b.md", None)],
)  # fmt: skip
def test_what_changes_at_the_last_moment_is_kept_and_the_rest_taken_back(
    ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch, step: str, path: str, content: bytes | None
) -> None:
    def act() -> None:
        if content is None:
            (root / path).unlink()
        else:
            (root / path).write_bytes(content)

    Meddler(monkeypatch, step, act)
    with pytest.raises(Conflict, match=path):
        apply(ledger, root, THREE, FREE)
    expected = {"src/a.py": b"a\r\nb", "b.md": b"b\n"}
    there = {one.path: (root / one.path).read_bytes() for one in THREE if (root / one.path).exists()}
    assert there == {name: held for name, held in {**expected, path: content}.items() if held is not None}
    assert types(ledger) == ["apply.announced", "apply.failed"]
    assert beside(root) == [] and (content is not None or not (root / "c").exists())


def test_a_folder_that_is_swapped_for_a_link_leads_nowhere(
    ledger: Ledger, root: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path_factory.mktemp("outside")
    (outside / "a.py").write_bytes(b"a\r\nb")

    def act() -> None:
        (root / "src").rename(root / "moved")
        (root / "src").symlink_to(outside)

    Meddler(monkeypatch, "replace", act)
    with pytest.raises(Conflict, match="folder src was moved"):
        apply(ledger, root, THREE, FREE)
    assert (outside / "a.py").read_bytes() == (root / "moved/a.py").read_bytes() == b"a\r\nb"
    assert [path.name for path in outside.iterdir()] == ["a.py"]
    assert types(ledger)[-1] == "apply.failed" and not (root / "c").exists()
    failed = ApplyFailed.decode(bytes(list(ledger.entries())[-1].data))
    assert (failed.outcome, "moved" in failed.reason) == ("undone", True)


def test_owner_permissions_and_attributes_stay(ledger: Ledger, root: Path) -> None:
    path = root / "src/a.py"
    path.chmod(0o4751)
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    if os.geteuid() == 0:
        os.chown(path, 12345, 54321)
        path.chmod(0o4751)
    seen = path.stat()
    apply(ledger, root, [Wanted("src/a.py", b"a\r\nb", b"A")], FREE)
    now = path.stat()
    assert (now.st_mode, now.st_uid, now.st_gid) == (seen.st_mode, seen.st_uid, seen.st_gid)
    assert os.getxattr(path, "user.note") == b"kept" and now.st_ino != seen.st_ino


def test_permissions_alone_can_be_changed(ledger: Ledger, root: Path) -> None:
    wanted = [Wanted("b.md", b"b\n", b"b\n", 0o755)]
    assert apply(ledger, root, wanted, FREE).how == "done"
    assert (root / "b.md").stat().st_mode & 0o7777 == 0o755
    assert apply(ledger, root, wanted, FREE).how == "found"


def test_a_hard_link_is_written_over_where_that_is_asked_for_and_the_receipt_says_so(
    ledger: Ledger, root: Path
) -> None:
    (root / "twin").hardlink_to(root / "b.md")
    wanted = [Wanted("b.md", b"b\n", b"longer than it was\n"), Wanted("src/a.py", b"a\r\nb", b"")]
    done = apply(ledger, root, wanted, FREE, in_place=True)
    assert (root / "twin").read_bytes() == (root / "b.md").read_bytes() == b"longer than it was\n"
    assert done.in_place == ("b.md",)
    assert ApplyReceipted.decode(bytes(list(ledger.entries())[-1].data)).in_place == ("b.md",)
    shorter = [Wanted("b.md", b"longer than it was\n", b"s"), Wanted("x", b"gone", None)]
    with pytest.raises(Conflict):
        apply(ledger, root, shorter, FREE, in_place=True)
    assert (root / "twin").read_bytes() == b"longer than it was\n"


def test_a_file_that_is_a_mount_names_the_cause_and_is_written_over_only_when_asked(
    ledger: Ledger, root: Path
) -> None:
    (root / "real").write_bytes(b"b\n")
    mounted = subprocess.run(
        ["mount", "--bind", root / "real", root / "b.md"], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("mounting is not allowed here")
    wanted = [Wanted("src/a.py", b"a\r\nb", b"A"), Wanted("b.md", b"b\n", b"B")]
    try:
        with pytest.raises(Environment) as caught:
            apply(ledger, root, wanted, FREE)
        assert "mount the folder" in str(caught.value.remedy)
        assert (root / "src/a.py").read_bytes() == b"a\r\nb" and beside(root) == []
        done = apply(ledger, root, wanted, FREE, in_place=True)
        assert done.in_place == ("b.md",) and (root / "real").read_bytes() == b"B"
        assert beside(root) == []
        with pytest.raises(Environment):
            apply(ledger, root, [Wanted("b.md", b"B", None)], FREE, in_place=True)
    finally:
        subprocess.run(["umount", root / "b.md"], check=True)


def test_a_receipt_that_cannot_be_recorded_leaves_the_files_as_wanted(
    ledger: Ledger, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no(*given: object) -> object:
        raise Environment("the disk is full")

    monkeypatch.setattr(carrying, "receipt", no)
    with pytest.raises(Environment) as caught:
        apply(ledger, root, THREE, FREE)
    assert "as they were wanted" in str(caught.value.safe)
    assert (root / "src/a.py").read_bytes() == b"A"
    monkeypatch.undo()
    with pytest.raises(Conflict, match="no outcome yet"):
        apply(ledger, root, [Wanted("b.md", None, b"again")], FREE)


def test_folders_are_held_once(root: Path) -> None:
    with Tree(root) as tree:
        assert tree.folder(("src",)) == tree.folder(("src",))
        assert tree.folder(("none", "such")) is None
        tree.check_unmoved()
        (root / "src").rename(root / "other")
        with pytest.raises(T2cError):
            tree.check_unmoved()
