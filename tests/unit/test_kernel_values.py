"""Claims: actors are plain names, paths stay inside the root, ids come from content, digests keep their kinds apart.

Mutations seen to fail: an actor id with a line end; a dangling link that leads out; `.t2cx` taken for `.t2c`.
"""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path

import pytest

from t2c.ledger.errors import Usage
from t2c.ledger.kernel import digests
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.kernel.clock import FixedClock, SystemClock, rfc3339
from t2c.ledger.kernel.ids import fresh_ledger_id, normalised, record_id, relation_id, run_id
from t2c.ledger.kernel.paths import confine, is_invisible, repo_path


class TestActor:
    @pytest.mark.parametrize(
        "text", ["human:local", "agent:reviewer-2", "helper:t2c", "host_adapter:a@b/c+d.e_f"]
    )
    def test_kind_and_id_are_read_back(self, text: str) -> None:
        assert str(Actor.parse(text)) == text

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "human",
            "human:",
            "robot:x",
            "Human:x",
            "human:-x",
            "human:a b",
            "human:x\n",
            "human:ż",
            "human:" + "x" * 129,
        ],
    )
    def test_anything_else_is_refused(self, text: str) -> None:
        with pytest.raises(Usage, match="is not an actor"):
            Actor.parse(text)


class TestPaths:
    @pytest.mark.parametrize("given", ["a/b.txt", "./a", "a/../b", "new/dir/file", ".", "", "link/x"])
    def test_paths_inside_are_given_back_absolute(self, given: str, tmp_path: Path) -> None:
        (tmp_path / "a").mkdir()
        (tmp_path / "link").symlink_to("a")
        found = confine(tmp_path, given)
        assert found.is_absolute()
        assert ".." not in found.parts
        assert found == tmp_path.resolve() or tmp_path.resolve() in found.parents

    @pytest.mark.parametrize(
        "given",
        [
            "..",
            "../x",
            "a/../../x",
            "/etc/passwd",
            "out/x",
            "out",
            "dangling",
            "dangling/x",
            "deep/dangling",
            "loop",
            "a\0b",
            "x" * 5000,
        ],
    )
    def test_paths_that_lead_out_are_refused(self, given: str, tmp_path: Path) -> None:
        root = tmp_path / "root"
        (root / "deep").mkdir(parents=True)
        (tmp_path / "elsewhere").mkdir()
        (root / "out").symlink_to(tmp_path / "elsewhere")
        (root / "dangling").symlink_to(tmp_path / "elsewhere" / "not-yet")
        (root / "deep" / "dangling").symlink_to("../../not-yet")
        (root / "loop").symlink_to("loop")
        with pytest.raises(Usage):
            confine(root, given)

    def test_a_sibling_that_begins_alike_is_outside(self, tmp_path: Path) -> None:
        (tmp_path / "root").mkdir()
        (tmp_path / "rooted").mkdir()
        with pytest.raises(Usage, match="leads outside"):
            confine(tmp_path / "root", tmp_path / "rooted" / "x")

    def test_the_root_may_be_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        (tmp_path / "root").symlink_to("real")
        assert confine(tmp_path / "root", "x") == tmp_path.resolve() / "real" / "x"

    def test_our_own_folders_are_invisible_and_nothing_else(self) -> None:
        assert all(map(is_invisible, (".t2c", ".t2c/journal.ndjson", ".dwp/plan", "a/.t2c/x")))
        assert not any(map(is_invisible, (".t2cx", "a/.t2cx/x", "t2c", ".dwp2/x", "")))

    def test_repository_paths_have_forward_slashes(self, tmp_path: Path) -> None:
        assert repo_path(tmp_path, tmp_path / "a" / "b.txt") == "a/b.txt"


class TestIds:
    def test_a_record_is_what_it_says_where_it_stands(self) -> None:
        first = record_id("todo", "TODO.md", "todo_item", ["Soon"], "fix login", 1)
        assert first == record_id("todo", "TODO.md", "todo_item", (" soon. ",), "fix login", 1)
        others = {
            record_id("changelog", "TODO.md", "todo_item", ["Soon"], "fix login", 1),
            record_id("todo", "TODO2.md", "todo_item", ["Soon"], "fix login", 1),
            record_id("todo", None, "todo_item", ["Soon"], "fix login", 1),
            record_id("todo", "TODO.md", "todo_item", ["Later"], "fix login", 1),
            record_id("todo", "TODO.md", "todo_item", ["Soon"], "fix logout", 1),
            record_id("todo", "TODO.md", "todo_item", ["Soon"], "fix login", 2),
        }
        assert len(others) == 6
        assert first not in others
        assert (
            first
            == "INT-TODO-"
            + hashlib.sha256(b'["todo","TODO.md","todo_item",["soon"],"fix login",1]').hexdigest()[:20]
        )

    def test_a_relation_is_its_ends_and_type(self) -> None:
        assert relation_id("a", "b", "tests") != relation_id("b", "a", "tests")
        assert (
            relation_id("a", "b", "tests") == "REL-" + hashlib.sha256(b'["a","b","tests"]').hexdigest()[:20]
        )

    def test_a_run_is_named_by_its_moment_and_head(self) -> None:
        ts = "2026-01-05T10:00:00.123Z"
        tail = hashlib.sha256(("f" * 64 + ts).encode()).hexdigest()[:8]
        assert run_id("f" * 64, ts) == f"20260105T100000Z-{tail}"

    def test_ledger_ids_are_128_random_bits(self) -> None:
        found = {fresh_ledger_id() for _ in range(100)}
        assert len(found) == 100
        assert all(len(bytes.fromhex(each)) == 16 for each in found)

    def test_statements_differ_only_by_what_is_said(self) -> None:
        assert normalised("  Fix\tthe\n LOGIN. ") == normalised("fix the login")
        assert normalised("cafe\u0301") == normalised("café")
        assert normalised("fix login!") != normalised("fix login")


class TestDigests:
    def test_each_kind_of_digest_has_a_byte_of_its_own(self) -> None:
        def sha(content: bytes) -> str:
            return hashlib.sha256(content).hexdigest()

        assert digests.leaf_hash(b"x") == sha(b"\x00x")
        assert digests.node_hash(b"l" * 32, b"r" * 32).hex() == sha(b"\x01" + b"l" * 32 + b"r" * 32)
        assert digests.event_id(b"x") == "EVT-" + sha(b"\x02x")[:20]
        assert digests.payload_hash(b"x") == sha(b"\x03x")
        assert digests.short(b"x") == sha(b"x")[:20]


class TestClock:
    def test_a_fixed_clock_stands_still(self) -> None:
        moment = datetime(2026, 1, 5, 10, tzinfo=UTC)
        clock = FixedClock(moment)
        assert clock.now() == clock.now() == moment
        assert rfc3339(clock.now()) == "2026-01-05T10:00:00.000Z"

    def test_the_system_clock_is_in_utc_and_its_text_sorts(self) -> None:
        clock = SystemClock()
        first, second = clock.now(), clock.now()
        assert first.utcoffset() is not None
        assert rfc3339(first) <= rfc3339(second)
        assert len(rfc3339(first)) == 24
