"""`t2c ledger export` as people type it."""

from __future__ import annotations

import gzip
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger, create


@pytest.fixture
def filled(t2c: Any, note: Callable[..., Any]) -> Any:
    """A ledger with three events."""
    create(t2c.root / ".t2c")
    with Ledger(t2c.root / ".t2c") as ledger:
        ledger.append([note("one"), note("two")])
    return t2c


def test_a_bundle_is_made_and_told_of(filled: Any, tmp_path: Path) -> None:
    ran = filled("ledger", "export", "--dest", "../bundle")
    assert ran.code == 0, ran.err
    assert ran.out.startswith("events 1 to 3 of ledger ")
    assert str(tmp_path / "bundle") in ran.out
    assert (tmp_path / "bundle" / "verify.py").is_file()
    head = filled("ledger", "head", "--json").document
    found = filled("ledger", "export", "--dest", tmp_path / "x.tar.gz", "--json").document
    assert (found["schema"], found["first"], found["last"], found["head"]) == (
        "t2c.export/v1",
        1,
        3,
        head["hash"],
    )
    assert found["recorded"] is None
    assert filled("ledger", "head", "--json").document == head, "nothing is appended"


def test_nothing_is_recorded_unless_asked(filled: Any) -> None:
    found = filled("ledger", "export", "--dest", "bundle", "--record", "--redact", "run.*", "--json").document
    assert found["recorded"] == 4
    event = filled("ledger", "show", "4").document
    assert (event["type"], event["trust"]) == ("bundle.exported", "observed")
    assert event["data"] == {"first": 1, "last": 3, "sha256": found["sha256"], "redacted": ["run.*"]}
    assert filled("ledger", "verify", "--level", "domain").code == 0


@pytest.mark.parametrize(
    ("options", "first", "last"),
    [
        (["--range", "2..3"], 2, 3), (["--range", "2.."], 2, 3), (["--range", "..2"], 1, 2), (["--range", ".."], 1, 3),
        (["--at", "2"], 1, 2), (["--range", "2..", "--at", "2"], 2, 2), (["--at", "now"], 1, 3),
    ],
)  # fmt: skip
def test_a_range_is_what_was_asked_for(filled: Any, options: list[str], first: int, last: int) -> None:
    found = filled("ledger", "export", "--dest", "bundle", "--json", *options).document
    assert (found["first"], found["last"]) == (first, last)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 2), (["--dest", ""], 2), (["--dest", "."], 3), (["--dest", ".."], 2), (["--dest", "/"], 2),
        (["--dest", "nowhere/bundle"], 2), (["--dest", "b", "--range", "2"], 2), (["--dest", "b", "--range", "3..2"], 2),
        (["--dest", "b", "--range", "1..4"], 2), (["--dest", "b", "--range", "1..2", "--at", "2"], 2),
        (["--dest", "b", "--at", "99"], 2), (["--dest", "b", "--redact", "observation.notd"], 2),
        (["--dest", "b", "--redact", ""], 2), (["--dest", ".t2c/journal"], 3), (["--dest", ".t2c/objects"], 3),
        (["--dest", "b.tgz"], 2), (["--dest", "b.zip"], 2), (["--dest", "b.TAR"], 2), (["--dest", "b.tar.xz"], 2),
        (["--dest", ".git"], 0), (["--dest", "full"], 3), (["--dest", "full/file"], 3), (["--dest", "/proc/x"], 6),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_and_writes_nothing(
    filled: Any, options: list[str], code: int
) -> None:
    (filled.root / "full").mkdir()
    (filled.root / "full" / "file").touch()
    before = sorted(str(path) for path in filled.root.rglob("*"))
    ran = filled("ledger", "export", *options)
    assert ran.code == code, ran.err
    assert "Traceback" not in ran.err
    if code:
        assert ran.err.startswith(("error:", "Usage"))
        assert sorted(str(path) for path in filled.root.rglob("*")) == before


def test_the_ledgers_own_folder_of_bundles_takes_them(filled: Any) -> None:
    assert filled("ledger", "export", "--dest", ".t2c/bundles/one").code == 0


def test_the_time_in_an_archive_is_the_last_events_or_as_told(filled: Any, tmp_path: Path) -> None:
    def times(name: str, **env: str) -> set[float]:
        assert filled("ledger", "export", "--dest", f"../{name}.tar.gz", env=env).code == 0
        with tarfile.open(tmp_path / f"{name}.tar.gz") as archive:
            return {member.mtime for member in archive.getmembers()}

    (own,) = times("a")
    assert own > 1_700_000_000
    assert times("b", SOURCE_DATE_EPOCH="86400") == {86_400}
    assert times("c", SOURCE_DATE_EPOCH="") == {own}
    assert (tmp_path / "a.tar.gz").read_bytes() == (tmp_path / "c.tar.gz").read_bytes()
    ran = filled("ledger", "export", "--dest", "../d.tar.gz", env={"SOURCE_DATE_EPOCH": "yesterday"})
    assert ran.code == 2
    assert "SOURCE_DATE_EPOCH" in ran.err


def test_nothing_of_the_place_it_was_made_in_is_in_a_bundle(filled: Any, tmp_path: Path) -> None:
    assert filled("ledger", "export", "--dest", "../x.tar.gz").code == 0
    content = gzip.decompress((tmp_path / "x.tar.gz").read_bytes())
    assert str(tmp_path).encode() not in content
    assert filled.home.name.encode() + b"/" not in content


def test_what_is_not_in_it_is_said(filled: Any) -> None:
    kept = filled.root / ".t2c" / "checkpoints"
    kept.mkdir()
    (kept / "broken.txt").write_text("no checkpoint")
    ran = filled("ledger", "export", "--dest", "bundle")
    assert ran.code == 0
    assert "not in the bundle: checkpoints/broken.txt" in ran.err
    ran = filled("ledger", "export", "--dest", "other", "--redact", "observation.*")
    assert "withheld  2 of observation.noted" in ran.out


def test_a_damaged_journal_is_not_handed_over(filled: Any) -> None:
    path = filled.root / ".t2c" / "journal.ndjson"
    path.write_bytes(path.read_bytes().replace(b'"one"', b'"eno"'))
    ran = filled("ledger", "export", "--dest", "bundle", "--json")
    assert ran.code == 5
    assert json.loads(ran.out)["error"]["where"] == "seq 3"
    assert not (filled.root / "bundle").exists()


def test_a_signed_ledger_is_handed_over_with_its_key(filled: Any, tmp_path: Path) -> None:
    """The commands of the guide's last section, then the auditor's."""
    import subprocess
    import sys

    assert filled("ledger", "key", "new").code == 0
    assert filled("ledger", "checkpoint", "--sign").code == 0
    key = filled("ledger", "key", "export").out.strip()
    assert filled("ledger", "export", "--dest", "../bundle").code == 0
    done = subprocess.run(
        [sys.executable, "-I", "-S", "verify.py", "--key", key, "--json"],
        check=True, cwd=tmp_path / "bundle", env={}, capture_output=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["proven"] == ["events 1 to 4 are those that the given key signed"]


def test_a_part_that_no_signature_covers_is_warned_of(filled: Any) -> None:
    ran = filled("ledger", "export", "--dest", "part", "--range", "1..2")
    assert ran.code == 0
    assert "no signed checkpoint covers events 1 to 2" in ran.err
    assert "checkpoint --sign" in ran.err
    assert "no signed checkpoint" not in filled("ledger", "export", "--dest", "all").err
    assert filled("ledger", "key", "new").code == filled("ledger", "checkpoint", "--sign").code == 0
    ran = filled("ledger", "export", "--dest", "covered", "--range", "1..2", "--json")
    assert "no signed checkpoint" not in ran.err
    assert (ran.document["partial"], ran.document["covered"]) == (True, 2)
    ran = filled("ledger", "export", "--dest", "end", "--range", "2..5")
    assert "no signed checkpoint covers event 5:" in ran.err
