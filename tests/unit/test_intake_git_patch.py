"""What the patch of a commit says: names, definitions and notes, counted lines, and what no setting may change."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.traits import traits_of
from t2c.ledger.intake.git import History, read_history
from t2c.ledger.intake.git_changes import Changes, Known, read_changes
from t2c.ledger.intake.git_holder import Holder, Judgement, Pattern, holder_of
from t2c.ledger.intake.git_patch import MAX_LINE, MAX_LINES, Patch
from t2c.ledger.intake.masking import masked
from t2c.ledger.redaction.funnel import Funnel

DATE = "2026-01-05T10:00:00+00:00"


class Repo:
    """A real repository whose commits have fixed people and times."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> bytes:
        people = {
            "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org", "GIT_AUTHOR_DATE": DATE,
            "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org", "GIT_COMMITTER_DATE": DATE,
        }  # fmt: skip
        done = subprocess.run(
            ["git", *arguments], cwd=self.path, env={**os.environ, **people}, capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout

    def commit(self, files: dict[str, str | bytes | None]) -> None:
        """A commit that gives these files these contents; None takes a file away."""
        for path, content in files.items():
            target = self.path / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if content is None:
                target.unlink()
            else:
                target.write_bytes(content if isinstance(content, bytes) else content.encode())
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    def numstat(self) -> tuple[int, int, int]:
        """What Git itself counts in HEAD: lines added and deleted, and files of which it counts none."""
        out = self.git(
            "diff-tree",
            "-r",
            "--root",
            "--no-commit-id",
            "--numstat",
            "-U0",
            "-M",
            "-z",
            "--ignore-submodules=all",
            "HEAD",
        )
        added = deleted = uncounted = 0
        for token in out.partition(b"\0\0")[0].split(b"\0"):
            if token.count(b"\t") >= 2:
                more, less, _ = token.split(b"\t", 2)
                if more == b"-":
                    uncounted += 1
                else:
                    added, deleted = added + int(more), deleted + int(less)
        return added, deleted, uncounted


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, so that no setting of the machine is read."""
    home = tmp_path / "home"
    home.mkdir()
    for name in [name for name in os.environ if name.startswith("GIT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "xdg"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    return home


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return Repo(tmp_path / "repo")


def metadata(history: History) -> dict[str, Any]:
    """Of the newest commit, whose record has to be a valid one."""
    found = next(iter(materialise(history.reading)))
    assert Record.model_validate_json(found.body).metadata is not None
    return dict(history.reading.records[0].metadata)


def diff(repo: Repo, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = metadata(read_history(repo.path, **options)).get("diff", {})
    return found


def counts(repo: Repo) -> tuple[int, int, int]:
    found = metadata(read_history(repo.path))
    return found["additions"], found["deletions"], found.get("filesUncounted", 0)


def warned(history: History) -> list[tuple[str, int]]:
    return [(item.reason, item.count) for item in history.reading.warnings]


SESSION = """import os


class Session:
    def send(self, request):
        return self.adapter.send(request)

    def close(self):
        self.adapter.close()


def parse_url(text):
    return text.split("://")
"""


def test_a_change_is_told_by_names_definitions_and_notes(repo: Repo) -> None:
    repo.commit({"src/session.py": SESSION, "CHANGES.md": "# Changes\n\n## 1.0\n\n- First.\n"})
    assert metadata(read_history(repo.path))["diff"]["symbols"] == [
        "src/session.py::Session", "src/session.py::close", "src/session.py::parse_url", "src/session.py::send",
    ]  # fmt: skip
    repo.commit(
        {
            "src/session.py": SESSION.replace(
                "send(request)\n", "send(request, retry_after=self.retry_after)\n", 1
            ),
            "tests/test_session.py": "def test_send_waits():\n    assert Session().retry_after == 3\n",
            "CHANGES.md": "# Changes\n\n## Unreleased\n\n- **Fixed** `send` waits (#12)\n\n## 1.0\n\n- First.\n",
            "newsfragments/12.bugfix.rst": "Sending waits as it is told to.\n",
            "README.md": "Nothing of this is a note: `retry_after`.\n",
            "poetry.lock": "content-hash = 1\n",
        }
    )
    assert diff(repo) == {
        "names": ["retry_after", "adapter", "request", "send"],
        "tests": ["test_send_waits", "retry_after", "Session"],
        "symbols": ["src/session.py::send"],
        "notes": [
            {"path": "CHANGES.md", "lines": ["Unreleased", "**Fixed** `send` waits (#12)"]},
            {"path": "newsfragments/12.bugfix.rst", "lines": ["Sending waits as it is told to."]},
        ],
    }


def test_what_changed_in_number_comes_first_and_plain_words_last(repo: Repo) -> None:
    repo.commit({"a.js": "setTimeout(handler, waiting);\nconst old_value = 1;\n"})
    repo.commit({"a.js": "setTimeout(handler, waiting, signal);\nconst newValue = 1;\n"})
    assert diff(repo)["names"] == ["old_value", "newValue", "setTimeout", "signal", "handler", "waiting"]


def test_a_new_definition_does_not_touch_the_one_above_it(repo: Repo) -> None:
    repo.commit({"src/session.py": SESSION})
    method = "    @cached\n    def open(self):\n        pass\n\n    def close(self):\n"
    repo.commit({"src/session.py": SESSION.replace("    def close(self):\n", method)})
    assert diff(repo)["symbols"] == ["src/session.py::open"]
    repo.commit({"src/session.py": SESSION.replace("    def close(self):\n", method) + "\n\nLIMIT = 3\n"})
    assert "symbols" not in diff(repo)
    repo.commit({"src/session.py": SESSION.replace("class Session:\n", "class Session:\n    limit = 3\n\n")})
    assert "src/session.py::Session" in diff(repo)["symbols"]


TWO = {
    "a.py": "class A:\n    def first(self):\n        return 1\n{}\n    def second(self):\n        return 2\n",
    "a.rb": "class A\n  def first\n    1\n  end\n{}\n  def second\n    2\n  end\nend\n",
    "A.java": "class A {{\n  int first() {{\n    return 1;\n  }}\n{}\n  int second() {{\n    return 2;\n  }}\n}}\n",
    "a.js": "function first() {{\n  return 1;\n}}\n{}\nfunction second() {{\n  return 2;\n}}\n",
}


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a.py", "    # One.", "    # Two."),
        ("a.py", "", "    # What it is for."),
        ("a.py", "", "    @cached"),
        ("a.py", "    limit = 1", "    limit = 2"),
        ("a.rb", "  # One.", "  # Two."),
        ("A.java", "  // One.", "  // Two."),
        ("A.java", "  /**\n   * One.\n   */", "  /**\n   * Two.\n   */"),
        ("A.java", "", "  @Override"),
        ("a.js", "// One.", "// Two."),
        ("a.js", "/** One. */", "/** Two. */"),
    ],
)
def test_what_is_said_above_a_definition_is_no_change_of_the_one_before(
    repo: Repo, path: str, before: str, after: str
) -> None:
    repo.commit({path: TWO[path].format(before)})
    repo.commit({path: TWO[path].format(after)})
    assert "symbols" not in diff(repo)


@pytest.mark.parametrize("path", ["a.py", "a.rb", "a.js"])
def test_a_comment_further_in_than_a_definition_is_in_it(repo: Repo, path: str) -> None:
    mark = "    // why\n" if path == "a.js" else "        # why\n"
    first, head, rest = TWO[path].format("").partition("first")
    line, _, body = rest.partition("\n")
    text = f"{first}{head}{line}\n{mark}{body}"
    repo.commit({path: text})
    repo.commit({path: text.replace("why", "why not")})
    assert diff(repo)["symbols"] == [f"{path}::first"]


def test_a_definition_that_is_added_with_a_comment_leaves_the_one_before_alone(repo: Repo) -> None:
    repo.commit({"a.py": TWO["a.py"].format("")})
    repo.commit({"a.py": TWO["a.py"].format("\n    # New.\n    def third(self):\n        return 3\n")})
    assert diff(repo)["symbols"] == ["a.py::third"]


def test_a_hunk_in_pieces_lies_where_the_whole_lies() -> None:
    patterns = tuple(map(Pattern.of, traits_of(LANGUAGES["python"]).line_patterns))
    holder = holder_of(patterns, b"    def first(self):", is_indented=True)
    assert holder is not None
    assert holder == Holder("first", False, 4)
    for body, expected in (
        (b"-    # One.\n+    # Two.\n", False),
        (b"-        # One.\n+        # Two.\n", True),
        (b"+\n+    # New.\n+    x = 1\n", False),
        (b"+        # New.\n+        x = 1\n", True),
        (b"+    ):\n+        x = 1\n", True),
    ):
        lines = body.splitlines(keepends=True)
        for parts in ([body], lines, [b"", *lines]):
            judgement = Judgement("a.py", holder, patterns)
            for part in parts:
                judgement.read(part)
            assert judgement.lies_in() is expected, body


@pytest.mark.parametrize(
    ("path", "before", "after", "symbol"),
    [
        ("a.rb", "class A\n  def close\n    1\n  end\nend\n", "class A\n  def close\n    2\n  end\nend\n", "close"),
        ("A.java", "class A {\n  public int close() {\n    return 1;\n  }\n}\n", "class A {\n  public int close() {\n    return 2;\n  }\n}\n", "close"),
        ("a.rs", "impl A {\n    pub fn close(&self) {\n        1\n    }\n}\n", "impl A {\n    pub fn close(&self) {\n        2\n    }\n}\n", "close"),
        ("a.go", "package a\n\nfunc (a *A) Close() {\n\treturn 1\n}\n", "package a\n\nfunc (a *A) Close() {\n\treturn 2\n}\n", "Close"),
        ("a.ts", "export function close() {\n  return 1;\n}\n", "export function close() {\n  return 2;\n}\n", "close"),
        ("a.php", "<?php\nclass A {\n    public function close() {\n        return 1;\n    }\n}\n", "<?php\nclass A {\n    public function close() {\n        return 2;\n    }\n}\n", "close"),
    ],
)  # fmt: skip
def test_the_definition_around_a_change_in_each_language(
    repo: Repo, path: str, before: str, after: str, symbol: str
) -> None:
    repo.commit({path: before})
    repo.commit({path: after})
    assert diff(repo) == {"symbols": [f"{path}::{symbol}"]}


def test_every_pattern_of_a_language_begins_at_a_line() -> None:
    """They are found by the newline before them, which is the same only then."""
    text = b"\n".join(
        (
            b"class A:", b"  def b(c):", b"pub fn d(", b"func e(", b"int f(x) {", b"function g() {", b"struct H {",
            b"  private function i() {", b"const j = () => 1", b"def k(", b"trait L {", b"xclass Y", b"defmodule M do",
            b"@test n {", b"local function o()", b"public void p() {", b"object Q {", b"fun r(", b"extension S {",
        )
    )  # fmt: skip
    for language in LANGUAGES.values():
        for line in traits_of(language).line_patterns:
            assert line.pattern.pattern.startswith(b"^"), language.name
            pattern = Pattern.of(line)
            plain = [match["n"] for match in line.pattern.finditer(text)]
            assert [match["n"] for match in pattern.in_text.finditer(b"\n" + text)] == plain, language.name


def strange(repo: Repo) -> None:
    """Two commits that hold whatever a patch can."""
    (repo.path / "inner").mkdir()
    repo.git("-C", "inner", "init", "-q")
    repo.git("-C", "inner", "commit", "-q", "--allow-empty", "-m", "one")
    names = [
        "with space.py",
        'quo"te.py',
        "ta\tb.py",
        "new\nline.py",
        "zażółć.py",
        "back\\slash.py",
        " and b.py",
    ]
    repo.commit(
        {
            **dict.fromkeys(names, "first_name = 1\nstays = 2\n"),
            "moved/from here.py": "".join(f"line_{number} = {number}\n" for number in range(20)),
            "picture.png": b"\x89PNG\0\1\2\3",
            "gone.py": "gone_name = 1\n",
            "mode.sh": "echo mode\n",
            "crlf.py": b"one_name = 1\r\ntwo_name = 2\r\n",
            "tail.py": b"no_newline = 1",
            "empty.py": "",
            "becomes_link.py": "was_a_file = 1\n",
            "becomes_module.py": "was_a_file_too = 1\n",
            "nul.py": b"a_name = 1\n" + b"x" * 9000 + b"\n",
        }
    )
    (repo.path / "mode.sh").chmod(0o755)
    (repo.path / "becomes_link.py").unlink()
    (repo.path / "becomes_link.py").symlink_to("crlf.py")
    repo.git("-C", "inner", "commit", "-q", "--allow-empty", "-m", "two")
    (repo.path / "moved" / "from here.py").rename(repo.path / "moved" / "to there, renamed.py")
    sha = b"0123456789" * 4
    repo.commit(
        {
            **dict.fromkeys(names, "second_name = 1\nstays = 2\n"),
            "moved/to there, renamed.py": "".join(f"line_{number} = {number}\n" for number in range(19))
            + "new_end = 1\n",
            "picture.png": b"\x89PNG\0\1\2\4",
            "gone.py": None,
            "crlf.py": b"one_name = 1\r\nthree_name = 3\r\n",
            "tail.py": b"newline_no = 1",
            "added.py": "added_name = 1",
            "nul.py": b"a_name = 1\n"
            + b"x" * 9000
            + b"\nb_name\n"
            + sha
            + b"\0:100644 \0\0\n"
            + b"y" * 39
            + b"\0odd @@ -1,5 +1,5 @@ odd\n"
            + sha
            + b"\0c_name\n",
        }
    )


def test_whatever_a_patch_holds_it_is_read_whole(repo: Repo) -> None:
    strange(repo)
    history = read_history(repo.path)
    found = metadata(history)
    assert set(found["diff"]["names"]) == {
        "first_name", "second_name", "line_19", "new_end", "gone_name", "two_name", "three_name", "no_newline",
        "newline_no", "added_name", "b_name", "c_name", "was_a_file", "crlf", "odd", "y" * 39,
    }  # fmt: skip
    assert "symbols" not in found["diff"]
    assert counts(repo)[2] == repo.numstat()[2] == 1
    assert warned(history) == [("long_patch", 1)]  # the long line of the first commit
    assert found["submodules"][0]["path"] == "inner"


def test_a_patch_may_be_given_in_any_parts_of_whole_lines(repo: Repo) -> None:
    strange(repo)
    text = repo.git("diff-tree", "-r", "-p", "-U0", "-M", "HEAD").partition(b"\n")[2]
    places = Known.of(Funnel()).places

    def read(*parts: bytes) -> dict[str, Any]:
        patch = Patch(places)
        rest = b""
        for part in parts:
            rest = patch.take(rest + part, False)
        patch.take(rest, True)
        words = Counter(b"".join((*patch.kept["source"].added, *patch.kept["source"].removed)).split())
        return {**vars(patch), "kept": words, "_now": None}

    whole = read(text)
    assert whole["additions"] > 10
    for at in [at for at, byte in enumerate(text, 1) if byte == 10]:
        assert read(text[:at], text[at:]) == whole, text[:at][-80:]
    assert read(*text.splitlines(keepends=True)) == whole


def test_a_definition_with_its_comment_is_seen_as_one_whatever_the_settings(repo: Repo) -> None:
    parts = [f"/**\n * Says {name}.\n */\nfunction {name}() {{\n  return {name};\n}}\n" for name in "abc"]
    repo.git("config", "--global", "diff.indentHeuristic", "false")
    repo.commit({"x.js": "\n".join((parts[0], parts[2]))})
    repo.commit({"x.js": "\n".join(parts)})
    assert diff(repo)["symbols"] == ["x.js::b"]


def test_lines_are_counted_as_git_counts_them(repo: Repo) -> None:
    strange(repo)
    (repo.path / "becomes_link.py").unlink()  # a file that becomes a link is two files to a patch
    repo.commit({"becomes_link.py": "a_file = 1\n"})
    repo.git("reset", "-q", "--soft", "HEAD~1")
    repo.git("commit", "-q", "--amend", "-m", "all")
    assert counts(repo) == repo.numstat()


def settings(repo: Repo, home: Path) -> None:
    """Whatever a user may have told Git about showing changes."""
    script = home / "shown"
    script.write_text("#!/bin/sh\necho shown\n")
    script.chmod(0o755)
    for name, value in {
        "diff.noprefix": "true", "diff.mnemonicPrefix": "true", "diff.external": str(script), "color.ui": "always",
        "diff.algorithm": "patience", "core.quotepath": "false", "diff.context": "7", "diff.interHunkContext": "9",
        "diff.renames": "false", "diff.submodule": "log", "diff.ignoreSubmodules": "all", "diff.wordRegex": ".",
        "diff.suppressBlankEmpty": "true", "diff.indentHeuristic": "false", "diff.orderFile": str(home / "order"),
        "diff.own.textconv": str(script), "diff.own.command": str(script), "core.attributesFile": str(home / "attributes"),
        "diff.relative": "true", "diff.colorMoved": "zebra", "diff.srcPrefix": "x/", "diff.dstPrefix": "y/",
        "diff.t2c-python.xfuncname": "^(never)$", "core.pager": "false",
    }.items():  # fmt: skip
        repo.git("config", "--global", name, value)
    (home / "attributes").write_text("*.py diff=own\n")
    (home / "order").write_text("z*\n")


def test_no_setting_of_the_user_changes_what_is_read(repo: Repo, home: Path) -> None:
    strange(repo)
    plain = read_history(repo.path).reading
    settings(repo, home)
    assert repo.git("diff", "HEAD~1", "HEAD", "--", "tail.py") != b""
    assert read_history(repo.path).reading == plain


def test_a_stream_may_arrive_in_any_pieces(repo: Repo) -> None:
    strange(repo)
    repo.commit({"big.py": "".join(f"value_{number} = {number}\n" for number in range(30_000))})
    shas = repo.git("rev-list", "HEAD")
    options = ["--stdin", "-r", "--root", "-z", "--always", "--raw", "-p", "-U0", "-M"]
    stream = subprocess.run(
        ["git", "diff-tree", *options], cwd=repo.path, input=shas, capture_output=True, check=True
    ).stdout

    class Slow(io.BytesIO):
        size = 1 << 20

        def read1(self, size: int | None = -1, /) -> bytes:
            return super().read1(self.size)

    def read(size: int) -> list[tuple[str, Changes]]:
        slow = Slow(stream)
        slow.size = size
        return list(read_changes(slow, 200, counted=True, known=Known.of(Funnel())))

    whole = read(1 << 20)
    assert [sha for sha, _ in whole] == shas.decode().split()
    assert whole[0][1].additions == 30_000
    for size in (4096, 997, 65_536):
        assert read(size) == whole


def test_beyond_the_limits_lines_are_counted_and_not_read(repo: Repo) -> None:
    lines = [f"{'abcdefghij'[number % 10]}{'klmnopqrst'[number // 10 % 10]}_{number // 100}_value = 1" for number in range(5_000)]  # fmt: skip
    repo.commit({"a.py": "\n".join(lines) + "\n", "z.py": "z_name = 1\n", "README.md": "read\n" * 9000})
    history = read_history(repo.path)
    found = metadata(history)
    assert found["additions"] == 5_000 + 1 + 9_000
    assert (len(found["diff"]["names"]), found["diff"]["partial"]) == (40, True)
    assert "z_name" not in found["diff"]["names"]
    assert warned(history) == [("long_patch", 5_001 - MAX_LINES), ("many_names", MAX_LINES - 40)]
    repo.commit({"b.py": f"short_name = 1\nlong_name = '{'x ' * MAX_LINE}'\nlast_name = 2\n"})
    history = read_history(repo.path)
    assert set(metadata(history)["diff"]["names"]) == {"short_name", "last_name"}
    assert warned(history)[0] == ("long_patch", 1)


def test_definitions_beyond_those_kept_are_counted(repo: Repo) -> None:
    names = [f"f{letter}{other}" for letter in "abcdefghij" for other in "abcdefg"]
    several = "".join(f"def {name}(): pass\n" for name in names)
    repo.commit({"a.py": several})
    history = read_history(repo.path)
    assert metadata(history)["diff"]["symbols"] == [f"a.py::{name}" for name in names[:64]]
    assert metadata(history)["diff"]["symbolsOmitted"] == 6
    assert warned(history) == [("many_names", 6 + 70 + len({"pass"}) - 40)]
    exact = "".join(f"def {name}(): pass\n" for name in names[:64])
    repo.commit({"z.py": "def zz():\n    return 1\n", "a.py": None})
    repo.commit({"z.py": "def zz():\n    return 2\n", "b.py": exact})
    assert diff(repo)["symbolsOmitted"] == 1
    assert "z.py::zz" not in diff(repo)["symbols"]
    repo.commit({"b.py": exact.replace("pass", "1")})
    assert len(diff(repo)["symbols"]) == 64
    assert "symbolsOmitted" not in diff(repo)


def test_lines_of_source_that_were_not_read_are_counted_apart(repo: Repo) -> None:
    line = "a_value = 1\n"
    repo.commit(
        {"a.py": line * (MAX_LINES + 7), "b.py": line * 5, "tests/test_a.py": line, "README.md": line}
    )
    assert (diff(repo)["linesOmitted"], diff(repo)["linesOmittedFrom"]) == (12, "a.py")
    repo.commit({"c.py": line * MAX_LINES + f"long = '{'x ' * MAX_LINE}'\n"})
    assert (diff(repo)["linesOmitted"], diff(repo)["linesOmittedFrom"]) == (1, "c.py")
    repo.commit({"d.py": line, "CHANGES.md": line * (MAX_LINES + 1)})
    assert diff(repo)["names"] == ["a_value"]
    assert not {"linesOmitted", "linesOmittedFrom"} & diff(repo).keys()
    assert diff(repo)["partial"] is True


NOTES = [
    "CHANGELOG.md",
    "docs/HISTORY.rst",
    "TODO.md",
    "changelog.d/1.fix.md",
    "CHANGES/7.bugfix.rst",
    ".changeset/x.md",
]


@pytest.mark.parametrize("path", NOTES)
def test_what_is_added_to_notes_is_kept_as_text(repo: Repo, path: str) -> None:
    repo.commit({path: "Old entry\n"})
    text = (
        "Head\n====\n\n* A  thing\r\n  - [x] `done` here \\\n1. #12 third\n\n***\n"
        + "long " * 100
        + "\nOld entry\n"
    )
    repo.commit({path: text})
    (note,) = diff(repo)["notes"]
    assert note["path"] == path
    assert note["lines"][:-1] == ["Head", "A  thing", "`done` here", "#12 third"]
    assert 290 < len(note["lines"][-1]) <= 300
    assert diff(repo).keys() == {"notes"}


TASK = """---
id: task-12
title: 'Fix sorting: dotted ids'
status: To Do
labels: []
---

## Description

The list sorts by the suffix.

## Acceptance Criteria
- [ ] #1 Sorting is hierarchical
- a remark
"""


@pytest.mark.parametrize(
    ("path", "text", "lines"),
    [
        (
            "backlog/tasks/task-12 - Fix-sorting.md",
            TASK,
            ["'Fix sorting: dotted ids'", "Sorting is hierarchical"],
        ),
        (
            "kitty-specs/a/tasks/WP01-x.md",
            "---\ntitle: >-\n  Create the\n  manager\n---\n### Subtask T001 – Create it\n",
            ["Create the", "T001 – Create it"],
        ),
        (
            ".taskmaster/tasks/tasks.json",
            '{"master": {"tasks": [\n{\n"id": 1,\n"title": "Add the parser",\n"details": "Long words"\n}\n]}}\n',
            ['"Add the parser",'],
        ),
    ],
)
def test_of_the_file_of_a_task_what_is_read_as_a_task_is_a_note(
    repo: Repo, path: str, text: str, lines: list[str]
) -> None:
    repo.commit({path: text})
    assert diff(repo)["notes"] == [{"path": path, "lines": lines}]


def test_lines_that_only_moved_are_no_notes(repo: Repo) -> None:
    repo.commit({"CHANGES.md": "- Adds a thing\n- Mends another\n", "news/1.feature.md": "Speeds it up\n"})
    repo.commit(
        {"CHANGES.md": "- Mends another\n- Speeds it up\n- Adds a thing\n", "news/1.feature.md": None}
    )
    assert diff(repo) == {}


def test_notes_beyond_those_kept_are_counted(repo: Repo) -> None:
    repo.commit(
        {"CHANGES.md": "".join(f"- Entry of words {number}\n" for number in range(50)), "TODO.md": "- more\n"}
    )
    history = read_history(repo.path)
    found = metadata(history)["diff"]
    assert [len(note["lines"]) for note in found["notes"]] == [40]
    assert found["partial"] is True
    assert warned(history) == [("many_notes", 11)]


TOKEN = "ghp_" + "Zx8Kq2Lw9Vb4Nm6Ty1Rp3Sd5Fg7Hj0Ka4Bc2"
DRAWN = "q8Zk2LwVb4Nm6TyRp3SdFg"


def test_nothing_of_a_secret_is_a_name(repo: Repo) -> None:
    address = "postgres://admin:correcthorse@db.example/x"
    repo.commit(
        {"a.py": f'token = "{TOKEN}"\nurl_of_it = "{address}"\nxs = "{DRAWN}" + "deadbee1"\nkept_name = 1\n'}
    )
    names = diff(repo)["names"]
    assert {"kept_name", "url_of_it", "postgres", "token"} <= set(names)
    assert not {TOKEN, DRAWN, "correcthorse", "deadbee1", "redacted", "github_token"} & set(names)
    repo.commit({"a.py": "kept_name = 1\n"})
    assert not {TOKEN, DRAWN, "correcthorse", "deadbee1"} & set(diff(repo)["names"])


def test_known_secrets_are_kept_out_of_names(repo: Repo) -> None:
    repo.commit({"a.py": 'told = ask("staple-battery-horse")\n'})
    assert "battery" in diff(repo)["names"]
    assert set(diff(repo, funnel=Funnel(["staple-battery-horse"]))["names"]) == {"told", "ask"}


def test_a_secret_in_a_note_is_masked_even_if_it_has_several_lines(repo: Repo) -> None:
    key = "\n".join(("-----BEGIN PRIVATE KEY-----", *(DRAWN * 2,) * 3, "-----END PRIVATE KEY-----"))
    repo.commit({"CHANGES.md": f"- Uses {TOKEN} no more\n\n{key}\n\n- Asks staple-battery-horse\n"})
    (note,) = diff(repo)["notes"]
    assert note["lines"] == [
        "Uses [redacted:github_token] no more", "[redacted:private_key]", "Asks staple-battery-horse",
    ]  # fmt: skip
    reading = masked(read_history(repo.path).reading, Funnel(["staple-battery-horse"]))
    assert reading.records[0].metadata["diff"]["notes"][0]["lines"][-1] == "Asks [redacted:known_secret]"


OTHER: list[tuple[str, Callable[[dict[str, Any]], bool]]] = [
    ("docs/conf.py", lambda found: found == {}),
    ("node_modules/x/index.js", lambda found: found == {}),
    ("fixtures/a.py", lambda found: found == {}),
    ("data.json", lambda found: found == {}),
    ("pkg/a_test.go", lambda found: found.keys() == {"tests"}),
    ("src/a.go", lambda found: found.keys() == {"names"}),
]


@pytest.mark.parametrize(("path", "right"), OTHER, ids=[path for path, _ in OTHER])
def test_only_source_and_its_tests_give_names(
    repo: Repo, path: str, right: Callable[[dict[str, Any]], bool]
) -> None:
    repo.commit({path: "some_name = other_name\n"})
    assert right(diff(repo)), diff(repo)


def test_a_merge_and_an_empty_commit_have_no_diff(repo: Repo) -> None:
    repo.commit({"a.py": "a_name = 1\n"})
    repo.git("checkout", "-q", "-b", "side")
    repo.commit({"b.py": "b_name = 1\n"})
    repo.git("checkout", "-q", "main")
    repo.commit({"c.py": "c_name = 1\n"})
    repo.git("merge", "-q", "--no-ff", "-m", "Merge", "side")
    assert diff(repo) == {}
    repo.git("commit", "-q", "--allow-empty", "-m", "nothing")
    assert diff(repo) == {}


def test_paths_are_those_below_the_root_and_nothing_outside_is_read(repo: Repo) -> None:
    repo.commit({"part/a.py": "def inside():\n    pass\n", "b.py": "def outside():\n    pass\n"})
    found = metadata(read_history(repo.path / "part"))
    assert found["diff"] == {"names": ["inside", "pass"], "symbols": ["a.py::inside"]}
    repo.commit({"part/.t2c/x.py": "def hidden():\n    pass\n", "part/a.py": "def other():\n    pass\n"})
    found = metadata(read_history(repo.path / "part"))
    assert (found["diff"]["symbols"], found["additions"]) == (["a.py::inside", "a.py::other"], 1)


def test_boxes_that_a_commit_ticks_are_noted_and_those_ticked_before_are_not(repo: Repo) -> None:
    repo.commit({"TODO.md": "- [ ] Write the manual\n- [x] Paint the fence\n- [ ] Mow the lawn\n"})
    assert diff(repo)["notes"][0]["ticked"] == ["Paint the fence"]
    repo.commit(
        {
            "TODO.md": "- [x] Paint the fence\n- [X] Write the manual\n- [ ] Mow the lawn\n- [x] Call the smith\n"
        }
    )
    assert diff(repo)["notes"] == [
        {"path": "TODO.md", "lines": ["Call the smith"], "ticked": ["Write the manual", "Call the smith"]}
    ]


INTERRUPTED = """
import gc
from t2c.ledger.intake.git_changes import _attributes
opened = _attributes()
opened.__enter__()
circle = [opened]
circle.append(circle)
del opened, circle
gc.freeze()
raise KeyboardInterrupt
"""


def test_nothing_stays_of_a_run_that_was_interrupted(tmp_path: Path) -> None:
    environ = {"PATH": os.environ["PATH"], "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED], env=environ, capture_output=True, check=False, timeout=60
    )
    assert done.returncode != 0 and b"KeyboardInterrupt" in done.stderr
    assert list(tmp_path.glob("*.attributes")) == []
