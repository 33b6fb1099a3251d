"""Public cases of groups I and L that a patch meets: 70, 72, 74, 91, 93.

Seen to fail: with any approval taken for the one that is needed, without the look at frozen tests, without the look for
what took a receipt back, and with the hash of a patch believed.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from t2c.ledger.approvals.base import Policy
from t2c.ledger.approvals.granting import grant
from t2c.ledger.approvals.things import find
from t2c.ledger.changes.applying import apply_patch
from t2c.ledger.changes.contract import Change, Risk, plan_document
from t2c.ledger.changes.known import Patch, Plan, patch_named, plan_named
from t2c.ledger.changes.patching import render_source
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict, Corrupt, Environment, Refused
from t2c.ledger.events.changes import ChangePlanned, PatchRendered
from t2c.ledger.events.draft import draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import Target

CODER, ADA = Actor.parse("agent:coder"), Actor.parse("human:ada")
CRLF = """\
--- a/crlf.txt
+++ b/crlf.txt
@@ -19,3 +19,3 @@
 line 19
-line 20
+line twenty
 line 21
"""
NOW = datetime(2026, 1, 6, tzinfo=UTC)


class Bench:
    """A folder with a ledger, and the steps from a plan to an applied patch."""

    def __init__(self, root: Path) -> None:
        self.root = root
        create(root / ".t2c")
        self.ledger = Ledger(root / ".t2c")

    def plan(self, path: str, title: str = "Change it") -> Plan:
        made = plan_document(
            title=title,
            description="It should change.",
            priority="P2",
            target=Target(paths=(path,), symbols=(), tickets=(), versions=()),
            criteria=("it changed",),
            changes=[Change(path, "modify", (), "it should")],
            risk=Risk("low", ("small",)),
            rollback="take it back",
            graph="a" * 64,
            records=("INT-TODO-" + "1" * 20,),
            diagnostics=("DIAG-" + "2" * 20,),
            confidence=0.8,
        )
        payload = ChangePlanned(id=made["id"], hash=made["planHash"], plan=made, proposed_by=("helper:t2c",))
        self.ledger.append([draft(payload)])
        return plan_named(self.ledger, made["id"])

    def patch(self, plan: Plan, diff: str) -> Patch:
        return render_source(self.ledger, self.root, plan, diff, "diff", by=CODER).patch

    def approve(self, name: str) -> None:
        grant(self.ledger, find(self.ledger, self.root, name), ADA, policy=Policy(), now=NOW)

    def apply(self, patch: Patch, *, in_place: bool = False) -> tuple[str, ...]:
        done = apply_patch(self.ledger, self.root, patch, Policy(), by=CODER, now=NOW, in_place=in_place)
        return done.applied.in_place

    def types(self) -> list[str]:
        return [entry.type for entry in self.ledger.entries()]


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    (tmp_path / "repo").mkdir()
    return Bench(tmp_path / "repo")


def diff_of(path: str, number: int, old: str, new: str) -> str:
    return f"--- a/{path}\n+++ b/{path}\n@@ -{number} +{number} @@\n-{old}\n+{new}\n"


def test_case_74_lines_that_a_patch_does_not_touch_keep_their_ends(bench: Bench) -> None:
    lines = [b"line %d\r\n" % number for number in range(1, 41)]
    (bench.root / "crlf.txt").write_bytes(b"".join(lines))
    patch = bench.patch(bench.plan("crlf.txt"), CRLF)
    bench.approve(patch.hash)
    bench.apply(patch)
    after = (bench.root / "crlf.txt").read_bytes().splitlines(keepends=True)
    assert after[:19] + after[20:] == lines[:19] + lines[20:], "39 lines byte for byte"
    assert after[19] == b"line twenty\r\n", "the new one in the file's style"


def test_case_74_what_is_not_utf8_is_refused_for_that_reason(bench: Bench) -> None:
    content = "wähle\n".encode("latin-1")
    (bench.root / "latin.txt").write_bytes(content)
    with pytest.raises(Refused, match="not UTF-8"):
        bench.patch(bench.plan("latin.txt"), diff_of("latin.txt", 1, "wähle", "nimm"))
    assert (bench.root / "latin.txt").read_bytes() == content and "patch.rendered" not in bench.types()


@pytest.mark.skipif(os.geteuid() != 0, reason="a file is mounted, which only root can do")
def test_case_70_a_mounted_file_is_written_over_only_if_that_is_asked_for(
    bench: Bench, tmp_path: Path
) -> None:
    (tmp_path / "outside.txt").write_text("old\n")
    target = bench.root / "mounted.txt"
    target.write_text("")
    mount: Callable[..., int] = lambda *words: (
        subprocess.run(words, check=False, capture_output=True).returncode
    )
    if mount("mount", "--bind", str(tmp_path / "outside.txt"), str(target)) != 0:
        pytest.skip("nothing can be mounted here")
    try:
        patch = bench.patch(bench.plan("mounted.txt"), diff_of("mounted.txt", 1, "old", "new"))
        bench.approve(patch.hash)
        with pytest.raises(Environment) as caught:
            bench.apply(patch)
        assert "mount the folder" in (caught.value.remedy or "")
        assert target.read_text() == "old\n"
        assert bench.apply(patch, in_place=True) == ("mounted.txt",), "the receipt says so"
        assert (tmp_path / "outside.txt").read_text() == "new\n"
    finally:
        mount("umount", str(target))


def test_case_72_whoever_reads_meanwhile_sees_a_whole_file(bench: Bench) -> None:
    """Other systems than Windows rename over a file that is being read, so nobody waits."""
    target = bench.root / "read.txt"
    target.write_text("old\n")
    patch = bench.patch(bench.plan("read.txt"), diff_of("read.txt", 1, "old", "new"))
    bench.approve(patch.hash)
    with target.open() as reader:
        bench.apply(patch)
        assert reader.read() == "old\n"
    assert target.read_text() == "new\n"


def test_case_91_an_approval_of_a_patch_is_of_no_later_one(bench: Bench) -> None:
    (bench.root / "door.py").write_text("closed\n")
    plan = bench.plan("door.py")
    first = bench.patch(plan, diff_of("door.py", 1, "closed", "open"))
    bench.approve(first.hash)
    second = bench.patch(plan, diff_of("door.py", 1, "closed", "ajar"))
    for one in (second, first):
        with pytest.raises(Refused):
            bench.apply(one)
        assert bench.types()[-1] == "refusal.noted"
    assert (bench.root / "door.py").read_text() == "closed\n"
    bench.approve(second.hash)
    bench.apply(second)
    assert (bench.root / "door.py").read_text() == "ajar\n"


def test_case_91_the_text_that_was_approved_is_the_one_that_is_applied(bench: Bench) -> None:
    """Line ends do not count in the hash that the contract gives a patch, so its text has one of its own."""
    (bench.root / "door.py").write_text("closed\n")
    plan = bench.plan("door.py")
    plain = bench.patch(plan, diff_of("door.py", 1, "closed", "open"))
    bench.approve(plain.event)
    (bench.root / "door.py").write_text("closed\r\n")
    other = bench.patch(plan, diff_of("door.py", 1, "closed\r", "open\r"))
    assert other.hash == plain.hash and other.digest != plain.digest
    with pytest.raises(Refused):
        bench.apply(other)
    assert (bench.root / "door.py").read_bytes() == b"closed\r\n"


@pytest.mark.parametrize("what", ["edit", "hash", "id", "text"])
def test_case_93_a_hash_is_worked_out_anew_whenever_it_is_read(bench: Bench, what: str) -> None:
    (bench.root / "door.py").write_text("closed\n")
    patch = bench.patch(bench.plan("door.py"), diff_of("door.py", 1, "closed", "open"))
    artifact = {**patch.artifact}
    hash, shown = patch.hash, patch.digest
    if what == "edit":
        (edit,) = artifact["edits"]
        artifact["edits"] = [{**edit, "unifiedDiff": edit["unifiedDiff"].replace("+open", "+evil")}]
    elif what == "hash":
        hash = artifact["patchHash"] = "b" * 64
    elif what == "id":
        artifact["id"] = "SPATCH-" + "b" * 20
    else:
        bench.ledger.objects.path(shown).write_bytes(b"another text\n")
    if what != "text":
        payload = PatchRendered(
            kind="source",
            hash=hash,
            shown=shown,
            artifact=artifact,
            plans=patch.plans,
            proposed_by=("agent:coder",),
        )
        bench.ledger.append([draft(payload, actor=CODER)])
    with pytest.raises(Corrupt):
        patch_named(bench.ledger, hash)
    with pytest.raises(Corrupt):
        find(bench.ledger, bench.root, str(bench.ledger.head().seq) if what != "text" else patch.event)
    assert (bench.root / "door.py").read_text() == "closed\n"


def test_what_is_not_seen_is_named_and_no_fence_is_ended_from_inside(bench: Bench) -> None:
    (bench.root / "door.md").write_text("closed\n")
    diff = diff_of("door.md", 1, "closed", "```` op\u202een\u200b")
    text = bench.patch(bench.plan("door.md"), diff).shown.decode()
    assert "U+202E RIGHT-TO-LEFT OVERRIDE" in text and "U+200B ZERO WIDTH SPACE" in text
    assert f"`````diff\n{diff}`````\n" in text


def test_nothing_behind_a_link_or_outside_is_written(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "door.py").write_text("closed\n")
    (bench.root / "in").mkdir()
    (bench.root / "in" / "door.py").write_text("closed\n")
    patch = bench.patch(bench.plan("in/door.py"), diff_of("in/door.py", 1, "closed", "open"))
    bench.approve(patch.hash)
    (bench.root / "in" / "door.py").unlink()
    (bench.root / "in").rmdir()
    (bench.root / "in").symlink_to(tmp_path / "outside")
    with pytest.raises((Refused, Conflict)):
        bench.apply(patch)
    assert (tmp_path / "outside" / "door.py").read_text() == "closed\n"


def test_a_frozen_test_is_not_changed_by_a_program(bench: Bench) -> None:
    from t2c.ledger.answers.checks.freezing import freeze

    (bench.root / "test_door.py").write_text("assert True\n")
    opened = next(iter(bench.ledger.entries())).id
    freeze(bench.ledger, opened, None, {"test_door.py": b"assert True\n"}, (), ())
    patch = bench.patch(bench.plan("test_door.py"), diff_of("test_door.py", 1, "assert True", "assert 1"))
    bench.approve(patch.hash)
    with pytest.raises(Refused, match="frozen"):
        bench.apply(patch)
    assert (bench.root / "test_door.py").read_text() == "assert True\n" and bench.types()[
        -1
    ] == "refusal.noted"
    apply_patch(bench.ledger, bench.root, patch, Policy(), by=ADA, now=NOW)
    assert (bench.root / "test_door.py").read_text() == "assert 1\n"


def test_what_was_taken_back_is_applied_again_under_a_new_word(bench: Bench) -> None:
    from t2c.ledger.changes.reverting import prepare, receipt_named, render_revert, revert

    (bench.root / "door.py").write_text("closed\n")
    patch = bench.patch(bench.plan("door.py"), diff_of("door.py", 1, "closed", "open"))
    bench.approve(patch.hash)
    bench.apply(patch)
    back = prepare(bench.ledger, bench.root, receipt_named(bench.ledger, patch.id))
    rendered, _ = render_revert(bench.ledger, back, CODER)
    with pytest.raises(Refused):
        revert(bench.ledger, bench.root, back, rendered, Policy(), by=CODER, now=NOW)
    bench.approve(back.digest)
    revert(bench.ledger, bench.root, back, rendered, Policy(), by=CODER, now=NOW)
    assert (bench.root / "door.py").read_text() == "closed\n"
    with pytest.raises(Refused, match="taken back"):
        bench.apply(patch)
    bench.approve(patch.hash)
    bench.apply(patch)
    assert (bench.root / "door.py").read_text() == "open\n"


def test_a_change_of_permissions_is_told_applied_and_taken_back(bench: Bench) -> None:
    from t2c.ledger.changes.reverting import prepare, receipt_named, render_revert, revert

    script = bench.root / "run.sh"
    script.write_text("echo hi\n")
    script.chmod(0o644)
    patch = bench.patch(
        bench.plan("run.sh"), "diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n"
    )
    assert "from 0644 to 0755" in patch.shown.decode()
    bench.approve(patch.hash)
    bench.apply(patch)
    assert script.stat().st_mode & 0o777 == 0o755
    receipt = receipt_named(bench.ledger, patch.id)
    script.chmod(0o644)
    with pytest.raises(Conflict, match=r"run\.sh"):
        prepare(bench.ledger, bench.root, receipt)
    script.chmod(0o755)
    back = prepare(bench.ledger, bench.root, receipt)
    assert "from 0755 to 0644" in back.shown.decode()
    rendered, _ = render_revert(bench.ledger, back, CODER)
    bench.approve(back.digest)
    revert(bench.ledger, bench.root, back, rendered, Policy(), by=CODER, now=NOW)
    assert script.stat().st_mode & 0o777 == 0o644
