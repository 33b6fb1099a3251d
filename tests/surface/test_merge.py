"""Claims: `merge` and `import` say whose events are whose, take in nothing of what is not sound, write nothing with
--dry-run or the second time, and count what a bundle withholds.

Mutations seen to fail: --dry-run appending; the omission left out; a range believed without its beginning.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import orjson
import pytest


def note(t2c: Any, text: str, *more: str, cwd: Path | None = None) -> None:
    done = t2c("ledger", "append", "--statement", text, *more, cwd=cwd)
    assert done.code == 0, done.err


def events(t2c: Any, cwd: Path | None = None) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = t2c("ledger", "log", "--json", cwd=cwd).document["events"]
    return found


@pytest.fixture
def branch(t2c: Any, tmp_path: Path) -> Path:
    """Another work tree of the same ledger, with two events of its own."""
    note(t2c, "shared")
    other = tmp_path / "other"
    shutil.copytree(t2c.root, other)
    note(t2c, "here")
    note(t2c, "there", "--actor", "human:bea", cwd=other)
    note(t2c, "there too", "--actor", "agent:reviewer", cwd=other)
    return other


@pytest.fixture
def foreign(t2c: Any, tmp_path: Path) -> Path:
    """Another ledger, which scanned a repository of its own."""
    other = tmp_path / "foreign"
    (other / ".git").mkdir(parents=True)
    (other / "TODO.md").write_text("# Plan\n\n- [ ] something else\n")
    assert t2c("scan", cwd=other).code == 0
    note(t2c, "said elsewhere", "--actor", "human:cy", cwd=other)
    return other


@pytest.mark.parametrize("form", ["root", "folder", "journal"])
def test_a_branch_is_taken_in_with_its_trust(t2c: Any, branch: Path, form: str) -> None:
    other = {"root": branch, "folder": branch / ".t2c", "journal": branch / ".t2c" / "journal.ndjson"}[form]
    before = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    planned = t2c("ledger", "merge", other, "--dry-run", "--json").document
    assert planned["by_actor"] == {"agent:reviewer": 1, "human:bea": 1}
    assert planned["branch"] is True
    assert planned["common_seq"] == 2
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == before

    done = t2c("ledger", "merge", other)
    assert done.code == 0
    assert "a branch of this ledger from seq 2 on" in done.out
    assert "1  by human:bea" in done.out
    assert "appended as seq 4 to 6" in done.out
    again = t2c("ledger", "merge", other, "--json").document
    assert (again["events"], again["known"], again["last"]) == (0, 2, 0)
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    shown = t2c("ledger", "log").out
    assert "#3) there" in shown


def test_another_ledger_is_imported(t2c: Any, foreign: Path) -> None:
    note(t2c, "here")
    done = t2c("ledger", "merge", foreign)
    assert "another ledger" in done.out
    assert "what the other ledger observed is imported here" in done.out
    taken = [event for event in events(t2c) if "origin" in event]
    assert {event["trust"] for event in taken} == {"imported", "asserted"}
    assert all(event["origin"].get("trust") == "observed" for event in taken if event["trust"] == "imported")
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    assert t2c("scan").code == 0
    assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_what_is_not_sound_is_not_taken_in(t2c: Any, branch: Path) -> None:
    journal = branch / ".t2c" / "journal.ndjson"
    journal.write_bytes(journal.read_bytes().replace(b'"there"', b'"therE"'))
    before = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    failed = t2c("ledger", "merge", branch, "--json")
    assert failed.code == 5
    error = failed.document["error"]
    assert error["details"]["faults"][0]["kind"] == "edited"
    assert error["safe"] == "nothing of it was taken in"
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == before


def test_payloads_that_the_other_side_redacted_are_named(t2c: Any, branch: Path) -> None:
    note(t2c, "secret", "--redactable", cwd=branch)
    assert t2c("ledger", "merge", branch).code == 0
    assert t2c("ledger", "redact", "5", "--reason", "asked for", cwd=branch).code == 0
    done = t2c("ledger", "merge", branch)
    assert "still here: 1 payload that the other side redacted" in done.err
    assert t2c("ledger", "verify", "--level", "domain").code == 1
    seq = next(event["seq"] for event in events(t2c) if "data_hash" in event)
    assert t2c("ledger", "redact", str(seq), "--reason", "the other side did").code == 0
    assert t2c("ledger", "verify", "--level", "domain").code == 0
    # The other one is not asked to bring it back, nor is this one.
    assert t2c("ledger", "merge", t2c.root, cwd=branch).code == 0
    assert t2c("ledger", "verify", "--level", "domain", cwd=branch).code == 0


def test_it_is_not_merged_with_itself(t2c: Any, branch: Path) -> None:
    assert t2c("ledger", "merge", ".").code == 2
    assert t2c("ledger", "merge", "no-such-place").code == 2
    assert t2c("ledger", "merge", "git:main").code == 6


class TestBundles:
    @pytest.mark.parametrize("form", ["bundle", "bundle.tar.gz"])
    def test_a_bundle_of_another_ledger(self, t2c: Any, foreign: Path, tmp_path: Path, form: str) -> None:
        note(t2c, "here")
        bundle = tmp_path / form
        assert t2c("ledger", "export", "--dest", bundle, cwd=foreign).code == 0
        planned = t2c("ledger", "import", bundle, "--dry-run", "--json").document
        done = t2c("ledger", "import", bundle, "--json").document
        assert planned["events"] == done["events"] == len(events(t2c, foreign)) - 1
        closing = events(t2c)[-1]
        assert closing["type"] == "bundle.imported"
        assert closing["data"]["events"] == done["events"]
        assert closing["data"]["sha256"]
        again = t2c("ledger", "import", bundle, "--json").document
        assert (again["events"], again["last"]) == (0, 0)
        assert t2c("ledger", "verify", "--level", "domain").code == 0

    def test_what_was_withheld_is_counted(self, t2c: Any, foreign: Path, tmp_path: Path) -> None:
        note(t2c, "here")
        bundle = tmp_path / "bundle"
        made = t2c("ledger", "export", "--dest", bundle, "--redact", "record.*", cwd=foreign)
        assert made.code == 0, made.err
        done = t2c("ledger", "import", bundle)
        assert "withheld by whoever sent them" in done.out
        omission = next(
            event for event in events(t2c) if event["type"] == "omission.noted" and "origin" not in event
        )
        hidden = sum(event["type"].startswith("record.") for event in events(t2c, foreign))
        assert omission["data"]["count"] == hidden > 0
        assert t2c("ledger", "verify", "--level", "domain").code == 0
        assert t2c("scan").code == 0
        cleared = [event["data"] for event in events(t2c) if event["type"] == "omission.cleared"]
        assert omission["data"]["source"] not in {data["source"] for data in cleared}

    def test_a_range_of_a_branch_begins_with_what_is_here(
        self, t2c: Any, branch: Path, tmp_path: Path
    ) -> None:
        near, far = tmp_path / "near.tar.gz", tmp_path / "far.tar.gz"
        assert t2c("ledger", "export", "--dest", near, "--range", "3..", cwd=branch).code == 0
        assert t2c("ledger", "export", "--dest", far, "--range", "4..", cwd=branch).code == 0
        refused = t2c("ledger", "import", far)
        assert refused.code == 3
        assert "export it again from an earlier seq" in refused.err
        done = t2c("ledger", "import", near, "--json").document
        assert (done["branch"], done["events"], done["common_seq"]) == (True, 2, 2)
        assert t2c("ledger", "verify", "--level", "domain").code == 0

    def test_an_unsound_bundle(self, t2c: Any, foreign: Path, tmp_path: Path) -> None:
        note(t2c, "here")
        bundle = tmp_path / "bundle"
        t2c("ledger", "export", "--dest", bundle, cwd=foreign)
        lines = (bundle / "journal.ndjson").read_bytes()
        (bundle / "journal.ndjson").write_bytes(lines.replace(b"something else", b"something elsE"))
        failed = t2c("ledger", "import", bundle, "--json")
        assert failed.code == 5
        assert failed.document["error"]["details"]["faults"]
        assert [event["type"] for event in events(t2c)] == ["journal.opened", "observation.noted"]
        assert t2c("ledger", "import", tmp_path).code == 2

    def test_a_batch_that_was_withheld_in_part_comes_in_alone(
        self, t2c: Any, foreign: Path, tmp_path: Path
    ) -> None:
        bodies = [
            {"type": "observation.noted", "data": {"statement": "one"}},
            {"type": "participant.registered", "data": {"participant": "dee", "kind": "human"}},
            {"type": "observation.noted", "data": {"statement": "two"}},
        ]
        given = b"".join(orjson.dumps(body) + b"\n" for body in bodies)
        assert t2c("ledger", "append", "-", "--jsonl", "--atomic", cwd=foreign, input=given).code == 0
        bundle = tmp_path / "bundle"
        t2c("ledger", "export", "--dest", bundle, "--redact", "participant.registered", cwd=foreign)
        note(t2c, "here")
        assert t2c("ledger", "import", bundle).code == 0
        taken = [event for event in events(t2c) if event.get("origin", {}).get("batch")]
        assert [event["origin"]["batch"] for event in taken] == [[1, 3], [3, 3]]
        assert all("batch" not in event for event in taken)
        assert t2c("ledger", "verify", "--level", "domain").code == 0


def test_a_ledger_that_merged_replays(t2c: Any, branch: Path) -> None:
    assert t2c("ledger", "merge", branch).code == 0
    ran = t2c("ledger", "replay", "--check")
    assert ran.code == 0, ran.err


def test_what_another_ledger_recorded_stands_in_no_view_and_is_left_alone(t2c: Any, foreign: Path) -> None:
    (t2c.root / "TODO.md").write_text("# Plan\n\n- [ ] ours\n")
    assert t2c("scan").code == 0
    assert t2c("ledger", "merge", foreign).code == 0
    made = t2c("ledger", "project", "--full", "--json").document
    assert sum(made["foreign"].values()) > 3
    records = (t2c.root / ".t2c" / "projections" / "records" / "records.jsonl").read_text()
    assert "ours" in records
    assert "something else" not in records
    assert "nothing was appended" in t2c("scan").out
    assert t2c("ledger", "replay", "--check").code == 0
    assert t2c("ledger", "verify", "--level", "domain").code == 0
