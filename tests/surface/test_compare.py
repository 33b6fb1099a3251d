"""`t2c compare`: the files as they are beside a commit, and nothing of them touched."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import xml.etree.ElementTree as ET
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.interop.run_manifest import RunManifest
from t2c.projections.diffs.contracts import comparison_model

KEYS = {"schemaVersion", "generatedAt", "base", "workspace", "trend", "diff", "artifacts"}


def run_git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(
        ["git", *who, *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repo(t2c: Any, tmp_path: Path) -> Any:
    """The command in a repository of two commits, with changes that nobody committed; a temporary place of its own."""
    (t2c.root / ".git").rmdir()
    root = t2c.root
    (tmp_path / "tmp").mkdir()
    t2c.environ["TMPDIR"] = str(tmp_path / "tmp")
    run_git(root, "init", "-q", "-b", "main")
    (root / ".gitignore").write_text("*.log\n")
    (root / "TODO.md").write_text(
        "# Tasks\n\n- [ ] write the manual in `manual.py` (#4)\n- [ ] paint the fence\n"
    )
    (root / "app").mkdir()
    (root / "app" / "manual.py").write_text("def manual():\n    return 1\n")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "first")
    run_git(root, "tag", "v1")
    (root / "app" / "other.py").write_text("def other():\n    return 2\n")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "Add the other")
    (root / "TODO.md").write_text(
        "# Tasks\n\n- [x] write the manual in `manual.py` (#4)\n- [ ] paint the fence\n"
    )
    (root / "new.py").write_text("def new():\n    return 3\n")
    (root / "noise.log").write_text("ignored")
    return t2c


def tree(root: Path) -> dict[str, tuple[int, int, str]]:
    """Every name below a folder, `.git` too, with mode, time of writing and content."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        written = 0 if path.is_dir() else status.st_mtime_ns
        found[str(path.relative_to(root))] = (status.st_mode, written, sha256(content).hexdigest())
    return found


def test_the_document_is_that_of_the_contract(repo: Any) -> None:
    ran = repo("compare", "v1", "--json")
    found = ran.document
    comparison_model().model_validate_json(ran.out)
    assert set(found) == KEYS
    assert found["schemaVersion"] == "t2c.workspace-comparison/v1"
    assert set(found["base"]) == {"ref", "commit", "graphFingerprint", "coverage"}
    assert (found["base"]["ref"], found["base"]["commit"]) == (
        "v1",
        run_git(repo.root, "rev-parse", "v1^{commit}").strip(),
    )
    workspace = found["workspace"]
    assert set(workspace) == {
        "headCommit",
        "dirty",
        "changedFiles",
        "ahead",
        "behind",
        "graphFingerprint",
        "coverage",
    }
    assert workspace["headCommit"] == run_git(repo.root, "rev-parse", "HEAD").strip()
    assert (workspace["dirty"], workspace["changedFiles"]) == (True, ["TODO.md", "new.py"])
    assert (workspace["ahead"], workspace["behind"]) == (1, 0)
    assert set(found["trend"]) == {
        "direction", "alignmentRateDelta", "implementationCoverageDelta", "plannedCodeCoverageDelta",
        "documentedCodeCoverageDelta", "alignedDelta", "gapsDelta", "diagnosticsDelta",
    }  # fmt: skip
    assert found["artifacts"] == {}
    assert {"topics", "aligned", "gaps", "alignmentRate", "diagnostics"} <= set(workspace["coverage"])
    assert found["diff"]["beforeFingerprint"] == found["base"]["graphFingerprint"]
    symbols = {record["source"]["symbol"] for record in found["diff"]["records"]["added"]}
    assert {"other", "new"} <= symbols and "manual" not in symbols
    done = [
        one["changedFields"]
        for one in found["diff"]["records"]["changed"]
        if "manual" in str(one["identity"])
    ]
    assert all("source.lines" not in fields for fields in done)


def test_nothing_is_written_below_the_root_and_nothing_is_left(repo: Any, tmp_path: Path) -> None:
    before = tree(repo.root)
    assert repo("compare", "v1").code == 0
    assert tree(repo.root) == before
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not list(Path(repo.home).rglob("*"))


def test_a_ledger_that_is_there_is_neither_read_nor_written(repo: Any) -> None:
    assert repo("scan").code == 0
    before = tree(repo.root)
    found = repo("compare", "HEAD", "--json").document
    assert tree(repo.root) == before
    assert ".t2c" not in str(found["workspace"]["changedFiles"])


def test_a_clean_workspace_beside_its_own_commit_differs_in_nothing(repo: Any) -> None:
    run_git(repo.root, "add", "-A")
    run_git(repo.root, "commit", "-qm", "all")
    found = repo("compare", "HEAD", "--json").document
    summary = found["diff"]["summary"]
    assert {name for name, count in summary.items() if count} <= {"recordsUnchanged", "relationsUnchanged"}
    assert found["trend"]["direction"] == "unchanged"
    assert found["workspace"]["dirty"] is False
    assert found["base"]["graphFingerprint"] == found["workspace"]["graphFingerprint"]


def test_without_a_base_it_takes_the_upstream_then_origin_then_main(repo: Any, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(repo.root), "clone")
    clone = tmp_path / "clone"
    (clone / "more.py").write_text("def more(): ...\n")
    run_git(clone, "add", "-A")
    run_git(clone, "commit", "-qm", "more")
    found = repo("compare", "--json", cwd=clone).document
    assert (found["base"]["ref"], found["workspace"]["ahead"]) == ("origin/main", 1)
    run_git(clone, "switch", "-q", "-c", "topic", "--no-track")
    assert repo("compare", "--json", cwd=clone).document["base"]["ref"] == "origin/main"
    assert repo("compare", "--json").document["base"]["ref"] == "main"
    run_git(repo.root, "branch", "-m", "main", "trunk")
    ran = repo("compare")
    assert ran.code == 2 and "t2c compare BRANCH" in ran.err


def test_the_text_says_how_it_stands(repo: Any) -> None:
    shown = repo("compare", "v1").out
    assert "base       v1 (" in shown
    assert "1 ahead, 0 behind, 2 files not as committed" in shown
    assert "trend      " in shown and "gaps" in shown


def test_artefacts_go_where_asked_and_are_read_by_no_later_scan(repo: Any) -> None:
    first = repo("compare", "v1", "--out", "out", "--json").document
    files = {key: repo.root / path for key, path in first["artifacts"].items()}
    assert {"comparison", "baseGraph", "workspaceGraph", "baseManifest", "workspaceManifest", "diffSvg", "trendMarkdown",
            "baseRealityMarkdown", "workspaceRealityMarkdown", "workspaceRealitySvg"} == set(files)  # fmt: skip
    import json

    assert json.loads(files["comparison"].read_text()) == first
    assert json.loads(files["baseGraph"].read_text())["fingerprint"] == first["base"]["graphFingerprint"]
    for key in ("baseManifest", "workspaceManifest"):
        RunManifest.model_validate_json(files[key].read_text())
    for key in ("diffSvg", "workspaceRealitySvg"):
        ET.fromstring(files[key].read_text())
    assert str(repo.root.parent) not in files["comparison"].read_text()
    again = repo("compare", "v1", "--out", "out", "--json").document
    assert again["workspace"]["changedFiles"] == ["TODO.md", "new.py"]
    assert again["diff"]["fingerprint"] == first["diff"]["fingerprint"]
    assert repo("compare", "v1", "--json").document["diff"]["fingerprint"] == first["diff"]["fingerprint"]
    assert repo("compare", "v1", "--out", "../elsewhere").code == 2
    assert repo("compare", "v1", "--out", ".git").code == 2


@pytest.mark.parametrize("base", ["nothing", "--hard", "HEAD:TODO.md", ""])
def test_what_names_no_commit_is_refused(repo: Any, base: str, tmp_path: Path) -> None:
    before = tree(repo.root)
    ran = repo("compare", "--", base)
    assert ran.code == 2 and "Traceback" not in ran.err
    assert tree(repo.root) == before


def test_a_folder_is_compared_with_the_same_folder(repo: Any) -> None:
    found = repo("--root", "app", "compare", "v1", "--json").document
    assert found["workspace"]["changedFiles"] == []
    assert {
        record["source"]["path"] for record in found["diff"]["records"]["added"] if record["source"]["path"]
    } == {"other.py"}
    (repo.root / "fresh").mkdir()
    ran = repo("--root", "fresh", "compare", "v1")
    assert ran.code == 2 and "has no folder fresh" in ran.err


def test_where_there_is_nothing_to_compare_it_says_so(t2c: Any) -> None:
    (t2c.root / ".git").rmdir()
    assert t2c("compare").code == 6
    run_git(t2c.root, "init", "-q")
    ran = t2c("compare", "HEAD")
    assert ran.code == 2 and "no commit yet" in ran.err


def test_what_a_killed_comparison_left_goes_with_the_next(repo: Any, tmp_path: Path) -> None:
    before = tree(repo.root)
    process = repo.start("compare", "v1", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    place = tmp_path / "tmp"
    for _ in range(1000):
        if len(list(place.glob("t2c-private-*"))) == 2:
            break
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert list(place.iterdir())
    time.sleep(0.5)  # children of the scan that was killed end by themselves
    assert repo("compare", "v1").code == 0
    assert list(place.glob("t2c-private-*")) == []
    assert tree(repo.root) == before
    assert "worktree" not in run_git(repo.root, "worktree", "list").replace(str(repo.root), "")


def test_settings_count_on_both_sides(repo: Any) -> None:
    (repo.root / "t2c.toml").write_text('[scan]\nexclude = ["*.py"]\n')
    found = repo("compare", "v1", "--json").document
    sources = {
        record["source"]["kind"] for kind in ("added", "removed") for record in found["diff"]["records"][kind]
    }
    assert "ast" not in sources
