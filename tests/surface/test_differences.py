"""`t2c diff graph`, `files` and `git` as people use them."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from t2c.projections.diffs.contracts import file_diff_model


def run_git(root: Path, *arguments: str) -> str:
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    return subprocess.run(
        ["git", *who, *arguments], cwd=root, check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repo(t2c: Any) -> Any:
    """The command in a repository with one commit."""
    (t2c.root / ".git").rmdir()
    run_git(t2c.root, "init", "-q", "-b", "main")
    (t2c.root / "TODO.md").write_text("# Tasks\n\n- [ ] #12 write the manual\n- [ ] paint the fence\n")
    (t2c.root / "app.py").write_text(
        "def run():\n    return 1\n" + "\n".join(f"# {n}" for n in range(40)) + "\n"
    )
    (t2c.root / "old name.txt").write_text("".join(f"line {number}\n" for number in range(30)))
    run_git(t2c.root, "add", "-A")
    run_git(t2c.root, "commit", "-qm", "first")
    return t2c


# graphs


@pytest.fixture
def scanned(repo: Any) -> tuple[Any, str]:
    """Scanned twice; the head after the first time."""
    assert repo("scan").code == 0
    first = str(repo("ledger", "head", "--json").document["seq"])
    (repo.root / "old.json").write_bytes((repo.root / ".t2c/projections/graph/graph.json").read_bytes())
    (repo.root / "TODO.md").write_text(
        "# Tasks\n\n\n- [x] #12 write the manual\n- [ ] mow the lawn at home\n"
    )
    assert repo("scan").code == 0
    return repo, first


def test_moments_and_documents_of_the_same_graphs_say_the_same(scanned: tuple[Any, str]) -> None:
    t2c, first = scanned
    by_moment = t2c("diff", "graph", first, "now", "--json").document
    by_file = t2c("diff", "graph", "old.json", ".t2c/projections/graph/graph.json", "--json").document
    assert by_moment == by_file
    assert by_moment["schemaVersion"] == "t2c.diff/v1"
    assert by_moment == t2c("diff", "graph", first, "--json").document
    texts = {
        one["after"]["statement"]["text"]: one["changedFields"] for one in by_moment["records"]["changed"]
    }
    assert texts["#12 write the manual"][0] == "lifecycle.status"
    assert (t2c.root / "other").mkdir() is None
    subprocess.run(["cp", "-r", ".t2c", "other/.t2c"], cwd=t2c.root, check=True)
    assert t2c("diff", "graph", "old.json", "other", "--json").document == by_moment


def test_the_text_marks_what_changed_and_says_what_it_leaves_out(scanned: tuple[Any, str]) -> None:
    t2c, first = scanned
    shown = t2c("diff", "graph", first).out
    assert "~ todo: #12 write the manual  TODO.md:4  lifecycle.status" in shown
    assert "paint the fence → " in shown
    assert "… and " in t2c("diff", "graph", first, "--limit", "0").out


def test_artefacts_are_written_where_asked(scanned: tuple[Any, str]) -> None:
    t2c, first = scanned
    ran = t2c("diff", "graph", first, "--svg", "out/d.svg", "--md", "d.md", "--out", "d.json", "--json")
    assert json.loads((t2c.root / "d.json").read_text()) == ran.document
    root = ET.fromstring((t2c.root / "out" / "d.svg").read_text())
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "lifecycle.status" in (t2c.root / "d.md").read_text()


@pytest.mark.parametrize("option", ["--out", "--svg", "--md"])
def test_a_file_of_somebody_else_is_kept(scanned: tuple[Any, str], option: str) -> None:
    t2c, first = scanned
    (t2c.root / "README.md").write_text("mine\n")
    assert t2c("diff", "graph", first, option, "README.md", "--json").code == 3
    assert t2c("diff", "graph", "old.json", "now", option, "old.json").code == 3
    assert (t2c.root / "README.md").read_text() == "mine\n"
    for _ in range(2):
        assert t2c("diff", "graph", first, option, "made").code == 0
    assert t2c("diff", "graph", first, "--svg", "x", "--md", "x").code == 2


def test_filters_narrow_and_an_unknown_severity_is_refused(scanned: tuple[Any, str]) -> None:
    t2c, first = scanned
    found = t2c("diff", "graph", first, "--ticket", "#12", "--json").document
    assert found["summary"]["recordsChanged"] == 1
    assert t2c("diff", "graph", first, "--ticket", "#99", "--json").document["summary"]["recordsChanged"] == 0
    assert t2c("diff", "graph", first, "--severity", "loud").code == 2


def test_a_severity_shows_what_findings_of_it_cite(scanned: tuple[Any, str]) -> None:
    t2c, first = scanned
    whole = t2c("diff", "graph", first, "--json").document["summary"]
    least = t2c("diff", "graph", first, "--severity", "info", "--json").document["summary"]
    most = t2c("diff", "graph", first, "--severity", "blocking", "--json").document["summary"]
    assert most["recordsUnchanged"] <= least["recordsUnchanged"] <= whole["recordsUnchanged"]
    change = t2c("diff", "graph", first, "--json").document["records"]["changed"][0]
    finding = {"severity": "review_required", "recordIds": [change["before"]["id"]]}
    graph = t2c.root / ".t2c" / "projections" / "graph" / "graph.json"
    (t2c.root / "new").mkdir()
    (t2c.root / "new" / "graph.json").write_bytes(graph.read_bytes())
    assert t2c("diff", "graph", "old.json", "new/graph.json", "--severity", "info").code == 2
    for folder in (t2c.root, t2c.root / "new"):
        (folder / "diagnostics.json").write_text(json.dumps({"diagnostics": [finding]}))
    for severity, shown in (("warning", 1), ("review_required", 1), ("blocking", 0)):
        found = t2c("diff", "graph", "old.json", "new/graph.json", "--severity", severity, "--json").document
        assert len(found["records"]["changed"]) == shown


@pytest.mark.parametrize(
    "sides", [("nothing.json",), ("99999",), ("app.py",), (".",) * 2, ("../outside.json", "now")]
)
def test_what_is_neither_graph_nor_moment_is_refused(
    scanned: tuple[Any, str], sides: tuple[str, ...]
) -> None:
    t2c, _ = scanned
    (t2c.root.parent / "outside.json").write_text("{}")
    (t2c.root / "bad.json").write_text('{"schemaVersion": "t2c.graph/v1"}')
    if sides == (".",) * 2:
        assert t2c("diff", "graph", *sides).code == 0, "the folder of this ledger is one with a ledger"
        sides = ("bad.json",)
    ran = t2c("diff", "graph", *sides)
    assert ran.code == 2 and "Traceback" not in ran.err


@pytest.mark.parametrize("place", ["../out.svg", ".git/config", ".t2c/journal.ndjson", "."])
def test_artefacts_go_nowhere_else(scanned: tuple[Any, str], place: str) -> None:
    t2c, first = scanned
    journal = (t2c.root / ".t2c" / "journal.ndjson").read_bytes()
    config = (t2c.root / ".git" / "config").read_bytes()
    assert t2c("diff", "graph", first, "--svg", place).code == 2
    assert (t2c.root / ".t2c" / "journal.ndjson").read_bytes() == journal
    assert (t2c.root / ".git" / "config").read_bytes() == config


# files


def test_two_files_are_one_document_and_a_patch_that_applies(repo: Any) -> None:
    (repo.root / "TODO.new").write_text(
        "# Tasks\n\n- [x] #12 write the manual\n- [ ] paint the fence\nmore\n"
    )
    found = repo("diff", "files", "TODO.md", "TODO.new", "--json", "--patch", "p.diff").document
    assert found["schemaVersion"] == "t2c.filediff/v1"
    file_diff_model().model_validate_json(json.dumps(found))
    assert set(found) == {"schemaVersion", "path", "beforePath", "afterPath", "hunks", "summary", "truncated"}
    assert found["summary"] == {"added": 2, "removed": 1, "unchanged": 3}
    patch = (repo.root / "p.diff").read_text()
    assert patch.startswith("# t2c: From TODO.md to TODO.new\n")
    hunks = "@@" + repo("diff", "files", "TODO.md", "TODO.new").out.partition("@@")[2]
    assert patch.endswith(hunks)
    done = subprocess.run(
        ["patch", "TODO.md"], input=patch, cwd=repo.root, text=True, capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (repo.root / "TODO.md").read_text() == (repo.root / "TODO.new").read_text()
    assert "hold the same lines" in repo("diff", "files", "TODO.md", "TODO.new").out


def test_a_long_file_is_compared_line_by_line_as_far_as_asked(repo: Any) -> None:
    lines = [f"{number}\n" for number in range(4000)]
    (repo.root / "a").write_text("".join(["old\n", *lines, "old\n"]))
    (repo.root / "b").write_text("".join(["new\n", *lines, "new\n"]))
    found = repo("diff", "files", "a", "b", "--json").document
    assert (found["truncated"], found["summary"]) == (False, {"added": 2, "removed": 2, "unchanged": 4000})
    cut = repo("diff", "files", "a", "b", "--max-lines", "4000", "--json").document
    assert (cut["truncated"], cut["summary"]["unchanged"]) == (True, 0)
    assert "too long to compare" in repo("diff", "files", "a", "b", "--max-lines", "4000").out


@pytest.mark.parametrize("name", ["nothing", ".", "../x", "bin", "fifo"])
def test_what_is_no_text_below_the_root_is_refused(repo: Any, name: str) -> None:
    import os

    (repo.root.parent / "x").write_text("x")
    (repo.root / "bin").write_bytes(b"a\0b")
    os.mkfifo(repo.root / "fifo")
    ran = repo("diff", "files", "TODO.md", name)
    assert ran.code in (2, 6) and "Traceback" not in ran.err and ran.out == ""


def test_bytes_that_are_not_utf8_reach_the_patch_as_they_are(repo: Any) -> None:
    (repo.root / "a").write_bytes(b"caf\xe9\nsame\n")
    (repo.root / "b").write_bytes(b"caf\xe8\nsame\n")
    ran = repo("diff", "files", "a", "b", "--patch", "p", "--svg", "s.svg", "--html", "h.html", "--json")
    assert ran.code == 0
    assert b"-caf\xe9\n+caf\xe8\n" in (repo.root / "p").read_bytes()
    ET.fromstring((repo.root / "s.svg").read_bytes())


@pytest.mark.parametrize("option", ["--out", "--patch", "--svg", "--html"])
def test_a_file_of_somebody_else_is_kept_and_one_of_ours_is_made_again(repo: Any, option: str) -> None:
    (repo.root / "b").write_text("# Tasks\n")
    mine = repo.root / "mine"
    for held in (
        b"a t2c.filediff/v1 document\n",
        b'{"schema": "other/v1"}',
        b"<svg><desc>x</desc></svg>",
        b"\0",
    ):
        mine.write_bytes(held)
        ran = repo("diff", "files", "TODO.md", "b", option, "mine")
        assert ran.code == 3 and "mine is there already" in ran.err
        assert repo("diff", "git", option, "mine").code == 3
        assert mine.read_bytes() == held
    mine.write_bytes(b"")
    for _ in range(2):
        assert repo("diff", "files", "TODO.md", "b", option, "mine").code == 0
        assert mine.stat().st_size
    assert repo("diff", "git", option, "mine").code == 0
    assert repo("diff", "files", "TODO.md", "b", "--out", "b").code == 3
    assert (repo.root / "b").read_text() == "# Tasks\n"


def test_two_artefacts_of_one_name_are_refused(repo: Any) -> None:
    for one, other in (("--out", "--patch"), ("--svg", "--html")):
        ran = repo("diff", "files", "TODO.md", "app.py", one, "x", other, "./x")
        assert ran.code == 2 and "name the same file" in ran.err
        assert not (repo.root / "x").exists()


# Git


@pytest.fixture
def changed(repo: Any) -> Any:
    """One of everything since the first commit."""
    root = repo.root
    (root / "TODO.md").write_text("# Tasks\n\n- [x] #12 write the manual\n- [ ] paint the fence\n")
    run_git(root, "mv", "old name.txt", "new name.txt")
    (root / "new name.txt").write_text("".join(f"line {number}\n" for number in range(29)) + "last\n")
    (root / "staged.txt").write_text("staged\n")
    (root / "data.bin").write_bytes(b"\0\1")
    run_git(root, "add", "staged.txt", "data.bin")
    (root / "app.py").unlink()
    (root / "untracked.txt").write_text("x")
    return repo


def test_every_kind_of_change_is_told(changed: Any) -> None:
    ran = changed("diff", "git", "--json")
    found = {item["path"]: item for item in ran.document["files"]}
    assert set(found) == {"TODO.md", "new name.txt", "staged.txt", "app.py"}
    assert (found["staged.txt"]["beforePath"], found["app.py"]["afterPath"]) == ("/dev/null", "/dev/null")
    assert found["new name.txt"]["beforePath"] == "old name.txt"
    assert found["new name.txt"]["summary"] == {"added": 1, "removed": 1, "unchanged": 29}
    assert [warning["reason"] for warning in ran.document["warnings"]] == ["binary_file"]
    assert ran.document["files_differing"] == 5
    assert "data.bin: binary_file" in ran.err


def test_staged_and_capped(changed: Any) -> None:
    staged = {
        item["path"]: item["hunks"] for item in changed("diff", "git", "--staged", "--json").document["files"]
    }
    assert set(staged) == {"new name.txt", "staged.txt"}
    assert staged["new name.txt"] == [], "its lines were changed after it was staged"
    capped = changed("diff", "git", "--max-files", "1", "--json").document
    assert len(capped["files"]) == 1
    assert [(item["reason"], item["count"]) for item in capped["warnings"]] == [("files_capped", 4)]
    assert (
        changed("diff", "git", "--max-files", "0").code
        == changed("diff", "git", "--max-files", "501").code
        == 2
    )


def test_the_patch_makes_the_work_tree_of_the_revision(changed: Any, tmp_path: Path) -> None:
    run_git(changed.root, "rm", "-q", "--cached", "data.bin")
    assert changed("diff", "git", "HEAD", "--patch", "p.diff").code == 0
    run_git(tmp_path, "clone", "-q", str(changed.root), "clone")
    clone = tmp_path / "clone"
    run_git(clone, "apply", str(changed.root / "p.diff"))
    for name in ("TODO.md", "new name.txt", "staged.txt"):
        assert (clone / name).read_bytes() == (changed.root / name).read_bytes()
    assert not (clone / "app.py").exists()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a\nb\n", b"a\nb"), (b"a\nb", b"a\nc\n"), (b"a\nb", b"a\nc"), (b"a\r\nb\r\n", b"a\r\nc\r\n"),
        (b"a\nb\n", b"a\r\nb\r\n"), (b"a\rb\n", b"a\rc"), (b"", b"a"), (b"a\n", b""), (b"caf\xe9\x0c\n", b"\xe8"),
    ],
)  # fmt: skip
def test_patches_make_the_one_side_of_the_other_byte_for_byte(repo: Any, before: bytes, after: bytes) -> None:
    root = repo.root
    run_git(root, "config", "core.autocrlf", "false")
    (root / "a b.txt.old").write_bytes(before)
    (root / "a b.txt").write_bytes(after)
    assert repo("diff", "files", "a b.txt.old", "a b.txt", "--patch", "p.diff").code == 0
    run_git(root, "apply", "--whitespace=nowarn", "p.diff")
    assert (root / "a b.txt.old").read_bytes() == after
    (root / "a b.txt").write_bytes(before)
    run_git(root, "add", "a b.txt")
    run_git(root, "commit", "-qm", "second")
    (root / "a b.txt").write_bytes(after)
    assert repo("diff", "git", "--patch", "q.diff").code == 0
    run_git(root, "checkout", "-q", "a b.txt")
    if before.replace(b"\r\n", b"\n") != after.replace(b"\r\n", b"\n"):  # else Git may have changed them
        run_git(root, "apply", "--whitespace=nowarn", "q.diff")
        assert (root / "a b.txt").read_bytes() == after


def test_files_links_rights_and_names_are_in_the_patch(repo: Any, tmp_path: Path) -> None:
    root = repo.root
    for name in ("gone.txt", "link", "linked", "run.sh", 'q"t\tn', "empty", "żółw x"):
        (root / name).write_text("one\n")
    (root / "to").symlink_to("TODO.md")
    run_git(root, "add", "-A")
    run_git(root, "commit", "-qm", "second")
    run_git(root, "branch", "base")
    for name in ("gone.txt", "linked", "empty", "to"):
        (root / name).unlink()
    (root / "linked").symlink_to("TODO.md")
    (root / "to").symlink_to("app.py")
    (root / "run.sh").chmod(0o755)
    for name in ('q"t\tn', "żółw x"):
        (root / name).write_text("two")
    (root / "new file").write_text("")
    run_git(root, "mv", "app.py", "app two.py")
    run_git(root, "add", "-A")
    assert repo("diff", "git", "--staged", "--patch", "p.diff").code == 0
    run_git(root, "commit", "-qm", "third")
    run_git(tmp_path, "clone", "-q", "-b", "base", str(root), "clone")
    run_git(tmp_path / "clone", "apply", "--index", str(root / "p.diff"))
    trees = [run_git(place, "ls-files", "-s").splitlines() for place in (root, tmp_path / "clone")]
    assert trees[0] == trees[1]


def test_a_submodule_that_is_not_as_committed_is_told(repo: Any, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "inner")
    (tmp_path / "inner" / "x").write_text("x\n")
    run_git(tmp_path / "inner", "add", "x")
    run_git(tmp_path / "inner", "commit", "-qm", "x")
    run_git(
        repo.root,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(tmp_path / "inner"),
        "sub",
    )
    run_git(repo.root, "commit", "-qm", "sub")
    assert "nothing differs" in repo("diff", "git").out
    (repo.root / "sub" / "x").write_text("y\n")
    ran = repo("diff", "git")
    assert "sub: submodule_dirty" in ran.err and "nothing differs" not in ran.out
    found = repo("diff", "git", "--json").document
    assert (found["files_differing"], found["warnings"][0]["reason"]) == (1, "submodule_dirty")
    run_git(repo.root / "sub", "commit", "-qam", "y")
    moved = repo("diff", "git", "--patch", "p.diff")
    assert "Subproject commit" in moved.out and "submodule_not_in_patch" in moved.err
    assert "Subproject" not in (repo.root / "p.diff").read_text()


def test_nothing_is_written_and_no_tool_of_the_users_runs(changed: Any, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    for name in ("diff.external", "filter.x.clean", "diff.x.textconv"):
        run_git(changed.root, "config", name, f"sh -c 'touch {ran}; cat'")
    (changed.root / ".gitattributes").write_text("*.md filter=x diff=x\n")
    index = (changed.root / ".git" / "index").read_bytes()
    assert changed("diff", "git").code == 0
    assert not ran.exists()
    assert (changed.root / ".git" / "index").read_bytes() == index
    assert not (changed.root / ".t2c").exists()


def test_a_file_that_git_only_thinks_changed_is_none(repo: Any) -> None:
    import os

    os.utime(repo.root / "TODO.md", (1, 1))
    found = repo("diff", "git", "--json").document
    assert (found["files"], found["files_differing"]) == ([], 0)
    assert "nothing differs" in repo("diff", "git").out
    (repo.root / "TODO.md").chmod(0o755)
    assert "other rights" in repo("diff", "git").out


@pytest.mark.parametrize("revision", ["nothing", "--output=x", "HEAD:TODO.md"])
def test_what_names_no_commit_is_refused(repo: Any, revision: str) -> None:
    ran = repo("diff", "git", "--", revision)
    assert ran.code == 2 and not (repo.root / "x").exists()


def test_without_a_repository_it_says_so(t2c: Any) -> None:
    (t2c.root / ".git").rmdir()
    ran = t2c("diff", "git")
    assert ran.code == 6 and "Traceback" not in ran.err


# pictures and pages


class Strict(HTMLParser):
    """Notes every element and whatever would load something."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: set[str] = set()
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.add(tag)
        self.loads += [f"{tag} {name}" for name, _ in attrs if name in ("src", "href", "onload", "onclick")]
        if tag not in ("meta", "col"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


HOSTILE = "<script>alert(1)</script> ]]> &amp; \"'\x1b[2J\x00\u202e\ufffe\tx\n"


def test_hostile_text_acts_in_no_picture_and_no_page(repo: Any) -> None:
    (repo.root / "a").write_text("x\n")
    (repo.root / "b").write_text(("x\n" + HOSTILE.replace("\0", "\1")) * 3, newline="")
    assert repo("diff", "files", "a", "b", "--html", "p.html", "--svg", "p.svg").code == 0
    page, picture = ((repo.root / name).read_text() for name in ("p.html", "p.svg"))
    parser = Strict()
    parser.feed(page)
    assert parser.open == [] and parser.loads == []
    assert parser.seen <= {"html", "head", "meta", "title", "style", "body", "h1", "table", "colgroup", "col", "tr",
                           "th", "td", "p"}  # fmt: skip
    assert "prefers-color-scheme" in page and "prefers-color-scheme" in picture
    tree = ET.fromstring(picture)
    assert {element.tag.partition("}")[2] for element in tree.iter()} == {
        "svg",
        "title",
        "desc",
        "style",
        "rect",
        "text",
    }
    for text in (page, picture):
        assert not set(text) & {"\x1b", "\0", "\u202e", "\ufffe"}


def test_rows_that_are_not_drawn_are_counted(repo: Any) -> None:
    (repo.root / "a").write_text("")
    (repo.root / "b").write_text("".join(f"{number}\n" for number in range(500)))
    assert (
        repo("diff", "files", "a", "b", "--svg", "p.svg", "--html", "p.html", "--max-rows", "100").code == 0
    )
    drawn = ET.fromstring((repo.root / "p.svg").read_text())
    texts = [element.text for element in drawn.iter() if element.tag.endswith("text")]
    assert texts[-1] == "… 402 more rows", "the names of the file and of the hunk are rows, too"
    assert "402 more rows" in (repo.root / "p.html").read_text()
    for rows, code in (("4001", 2), ("0", 2), ("4000", 0)):
        assert repo("diff", "files", "a", "b", "--svg", "p.svg", "--max-rows", rows).code == code
