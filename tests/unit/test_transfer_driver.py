"""Claims: two versions of a journal file merge into one that holds both, with the sealed segments of the work tree; a
version that rests on segments which are not there is refused by name; ours stays as it was whenever anything is wrong.

Mutations seen to fail: segments of the other side not looked for; the result written before it was proven; what origins
and aliases promise not proven.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Corrupt, Internal, Refused, T2cError
from t2c.ledger.events.draft import EventDraft, draft
from t2c.ledger.events.journal import JournalMerged
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.segments import SealRule, listed
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.transfer.driver import merge_versions

Note = Callable[..., EventDraft]
OFTEN = SealRule(bytes=1, events=8)


def append(workspace: Path, note: Note, *texts: str, rule: SealRule = OFTEN) -> None:
    with Ledger(workspace, rule=rule) as ledger:
        for text in texts:
            ledger.append([note(text)])


@pytest.fixture
def branches(tmp_path: Path, note: Note) -> tuple[Path, Path]:
    """Two work trees that share one sealed segment and two events behind it."""
    first, second = tmp_path / "a" / ".t2c", tmp_path / "b" / ".t2c"
    first.parent.mkdir()
    create(first)
    append(first, note, *(f"shared {number}" for number in range(9)))
    assert [segment.last for segment in listed(first / "segments")] == [8]
    shutil.copytree(first, second)
    return first, second


def versions(tmp_path: Path, ours: Path, theirs: Path) -> tuple[Path, Path]:
    """The two files as Git hands them over."""
    files = tmp_path / ".merge_file_ours", tmp_path / ".merge_file_theirs"
    for workspace, file in zip((ours, theirs), files, strict=True):
        shutil.copyfile(workspace / "journal.ndjson", file)
    return files


def test_the_segments_of_the_work_tree_come_before_both(
    tmp_path: Path, branches: tuple[Path, Path], note: Note
) -> None:
    ours, theirs = branches
    append(ours, note, "ours 1")
    append(theirs, note, "theirs 1", "theirs 2")
    files = versions(tmp_path, ours, theirs)
    done = merge_versions(*files, ours)
    assert (done.plan.common, done.plan.events, done.seq) == (10, 2, 14)
    shutil.copyfile(files[0], ours / "journal.ndjson")
    report = verify_chain(JournalFile(ours / "journal.ndjson"))
    assert report.faults == []
    assert report.position.hash == done.hash
    assert not list(tmp_path.glob(".merge_file*.tmp"))


def test_ours_may_have_sealed_more(tmp_path: Path, branches: tuple[Path, Path], note: Note) -> None:
    ours, theirs = branches
    append(ours, note, *(f"ours {number}" for number in range(8)))
    assert [segment.last for segment in listed(ours / "segments")] == [8, 16]
    append(theirs, note, "theirs 1")
    files = versions(tmp_path, ours, theirs)
    done = merge_versions(*files, ours)
    assert (done.plan.common, done.plan.events) == (10, 1)


def test_the_result_of_both_orders_holds_the_same_statements(
    tmp_path: Path, branches: tuple[Path, Path], note: Note
) -> None:
    ours, theirs = branches
    append(ours, note, "ours 1", rule=SealRule())
    append(theirs, note, "theirs 1", rule=SealRule())
    first = merge_versions(*versions(tmp_path, ours, theirs), ours)
    again = merge_versions(*versions(tmp_path, ours, theirs), ours)
    other = merge_versions(*versions(tmp_path, theirs, ours), ours)
    assert first.hash == again.hash != other.hash
    assert first.seq == other.seq


def test_nothing_new_leaves_the_file_alone(tmp_path: Path, branches: tuple[Path, Path], note: Note) -> None:
    ours, theirs = branches
    append(ours, note, "ours 1")
    files = versions(tmp_path, ours, theirs)
    before = files[0].stat().st_ino
    assert merge_versions(*files, ours).plan.events == 0
    assert files[0].stat().st_ino == before


class TestRefusals:
    def refused(self, files: tuple[Path, Path], workspace: Path, error: type[T2cError], words: str) -> None:
        before = files[0].read_bytes()
        with pytest.raises(error) as caught:
            merge_versions(*files, workspace)
        assert words in caught.value.what
        assert files[0].read_bytes() == before

    def test_the_other_side_sealed_more(
        self, tmp_path: Path, branches: tuple[Path, Path], note: Note
    ) -> None:
        ours, theirs = branches
        append(ours, note, "ours 1")
        append(theirs, note, *(f"theirs {number}" for number in range(8)))
        self.refused(
            versions(tmp_path, ours, theirs),
            ours,
            Refused,
            "of the other side begins at seq 17, and the segment",
        )

    def test_the_other_side_sealed_everything(
        self, tmp_path: Path, branches: tuple[Path, Path], note: Note
    ) -> None:
        ours, theirs = branches
        files = versions(tmp_path, ours, theirs)
        files[1].write_bytes(b"")
        self.refused(files, ours, Refused, "of the other side holds no event")

    @pytest.mark.parametrize("side", [0, 1], ids=["ours", "theirs"])
    def test_a_torn_end(self, tmp_path: Path, branches: tuple[Path, Path], note: Note, side: int) -> None:
        """Cutting it is for the work tree that it belongs to, where the saved fragment stays."""
        ours, theirs = branches
        append(ours, note, "ours 1")
        append(theirs, note, "theirs 1")
        files = versions(tmp_path, ours, theirs)
        files[side].write_bytes(files[side].read_bytes() + b'{"actor"')
        self.refused(files, ours, Corrupt, "torn_tail")

    def test_another_ledger(self, tmp_path: Path) -> None:
        sides = [tmp_path / name / ".t2c" for name in "cd"]
        for workspace in sides:
            workspace.parent.mkdir()
            create(workspace)
        self.refused(versions(tmp_path, *sides), sides[0], Refused, "different ledgers")

    def test_a_result_in_which_two_events_claim_an_id(
        self, tmp_path: Path, branches: tuple[Path, Path], note: Note
    ) -> None:
        """Their closing event calls one event by the name of another: no line is wrong, the two together are."""
        ours, theirs = branches
        append(ours, note, "ours 1")
        append(theirs, note, "theirs 1")
        with Ledger(theirs) as ledger:
            first, *_, last = ledger.entries()
            names = ((first.id, last.id),)
            said = JournalMerged(
                ledger=ledger.id(),
                common_seq=1,
                seq=1,
                hash="0" * 64,
                root="0" * 64,
                events=0,
                known=0,
                aliases=names,
            )
            ledger.append([draft(said)])
        self.refused(versions(tmp_path, ours, theirs), ours, Internal, "id_taken")
