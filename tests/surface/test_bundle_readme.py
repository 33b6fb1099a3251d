"""The page in a bundle: its recipes, run by a plain shell with openssl and sed, hold and notice what was changed."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.export import export


def recipes(page: str) -> Iterator[tuple[str, str]]:
    """(the line before it, commands) of each indented block below the heading on openssl and sed."""
    _, _, rest = page.partition("## With openssl and sed\n")
    block: list[str] = []
    title = said = ""
    for line in rest.split("\n"):
        if line.startswith("    "):
            title = title or said
            block.append(line[4:])
        elif line and block:
            yield title, "\n".join(block)
            block, title, said = [], "", line
        elif line:
            said = line
    if block:
        yield title, "\n".join(block)


def run(commands: str, folder: Path) -> tuple[int, list[str]]:
    """Run by a POSIX shell with nothing else in the environment."""
    done = subprocess.run(
        ["/bin/sh", "-eu", "-c", commands],
        check=False,
        cwd=folder,
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stdout.splitlines()


def verdicts(folder: Path) -> dict[str, bool]:
    """What each recipe says: title → alike, or the signature fits."""
    found = {}
    for title, commands in recipes((folder / "README.md").read_text()):
        code, lines = run(commands, folder)
        if "pkeyutl" in commands:
            found[title] = code == 0 and lines == ["Signature Verified Successfully"]
        else:
            found[title] = code == 0 and len(lines) == 2 and lines[0] == lines[1] and len(lines[0]) > 40
    return found


@pytest.fixture
def bundle(evidence: Any, tmp_path: Path) -> Path:
    with Ledger(evidence.workspace) as ledger:
        return export(ledger, tmp_path / "bundle").path


def test_every_recipe_holds_on_a_sound_bundle(bundle: Path) -> None:
    found = verdicts(bundle)
    assert len(found) == 6
    assert set(found.values()) == {True}, found


def test_the_recipes_notice_what_was_changed(bundle: Path, evidence: Any) -> None:
    journal = bundle / "journal.ndjson"
    before = journal.read_bytes()
    lines = before.splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:-2], lines[-2].replace(b'"v":1', b'"v":2'), lines[-1]]))
    found = verdicts(bundle)
    assert [title.split(" ", 2)[1] for title, good in found.items() if not good] == ["file", "line", "Merkle"]
    journal.write_bytes(before)
    for digest in (evidence.object, evidence.payload):
        path = bundle / "objects" / digest[:2] / digest[2:]
        path.chmod(0o644)
        path.write_bytes(path.read_bytes() + b"!")
    note = (bundle / "checkpoint.txt").read_text()
    (bundle / "checkpoint.txt").write_text(note.replace("\n10\n", "\n11\n"))
    found = verdicts(bundle)
    assert list(found.values()) == [True, True, True, False, False, False]


@pytest.mark.parametrize("size", [1, 2, 3, 7, 8, 9])
def test_the_root_by_hand_is_right_at_every_shape_of_the_tree(
    evidence: Any, tmp_path: Path, size: int
) -> None:
    with Ledger(evidence.workspace) as ledger:
        made = export(ledger, tmp_path / "bundle", last=size)
    found = verdicts(made.path)
    assert set(found.values()) == {True}
    assert any(title.startswith("The Merkle root") for title in found)


def test_a_range_with_withheld_lines_has_the_recipes_that_can_hold(evidence: Any, tmp_path: Path) -> None:
    with Ledger(evidence.workspace) as ledger:
        made = export(ledger, tmp_path / "bundle", first=5, withhold=("observation.noted", "record.observed"))
        page = (made.path / "README.md").read_text()
        assert set(verdicts(made.path).values()) == {True}
        assert "Merkle root, as" not in page
        assert "events before 5" in page.lower()
        assert "1 line of the type record.observed, withheld" in page
        none = export(
            ledger,
            tmp_path / "none",
            first=5,
            withhold=("record.*", "observation.*", "payload.redacted", "checkpoint.signed"),
        )
    assert set(verdicts(none.path).values()) == {True}
    assert "prev" not in (none.path / "README.md").read_text()
