"""For the baselines: names on changed lines of each commit, and the text that it added to changelogs."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

from linkbench.labels import MAX_COMMITS, Repository, lines_of, write_lines
from linkbench.references import without_references
from linkbench.words import SOURCES, is_source

__all__ = ["read"]

_FRAGMENTS = (
    "changelog/*", "newsfragments/*", "changes/*", "news/*", "changelog.d/*", "CHANGES/*", "*/newsfragments/*",
    "docs/changelog/*",
)  # fmt: skip
_FRAGMENT = re.compile(
    r"(^|/)(changelog|newsfragments|changes|news|changelog\.d)/[^/]+\.(rst|md|txt|breaking|feature|bugfix|doc|misc)$",
    re.IGNORECASE,
)
_NAME = re.compile(rb"[A-Za-z_][A-Za-z0-9_]{2,60}")
_MAX_LINES = 4000


def read(of: Repository, mirrors: Path, target: Path) -> None:
    """Write `diffs.jsonl` for the commits of a labelled folder."""
    known = {commit["sha"] for commit in lines_of(target / "commits.jsonl")}
    command = [
        "git", f"--git-dir={of.mirror(mirrors)}", "log", of.head, f"-n{MAX_COMMITS}", "--date-order",
        "--full-history", "--diff-merges=first-parent", "--no-renames", "-p", "-U0", "--no-color", "--no-ext-diff",
        "--format=%x1e%H", "--", *("*" + end for end in sorted(SOURCES)), of.changelog, *_FRAGMENTS,
    ]  # fmt: skip
    rows: list[dict[str, Any]] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE) as running:
        assert running.stdout is not None
        commit = _Commit("")
        for line in running.stdout:
            if line[:1] == b"\x1e":
                rows += commit.row(known)
                commit = _Commit(line[1:41].decode())
            else:
                commit.line(line, of.changelog)
        rows += commit.row(known)
    write_lines(target / "diffs.jsonl", rows)


class _Commit:
    def __init__(self, sha: str) -> None:
        self.sha = sha
        self.mode: str | None = None
        self.names: Counter[str] = Counter()
        self.tests: Counter[str] = Counter()
        self.context: set[str] = set()
        self.added: list[str] = []
        self.seen = 0

    def line(self, line: bytes, changelog: str) -> None:
        if line.startswith(b"diff --git "):
            self.mode = None
        elif line.startswith(b"+++ ") or (line.startswith(b"--- ") and self.mode is None):
            if line[4:13] != b"/dev/null":
                path = line[6:].strip().decode("utf8", "replace")
                is_note = path == changelog or _FRAGMENT.search(path)
                self.mode = "note" if is_note else "source" if is_source(path) else "other"
        elif self.mode is not None and line.startswith(b"@@"):
            if self.mode == "source":
                self.context.update(name.decode() for name in _NAME.findall(line.split(b"@@", 2)[-1][:200]))
        elif self.mode is not None and len(line) <= 2000:
            self._changed(line)

    def _changed(self, line: bytes) -> None:
        if self.mode == "note":
            if line[:1] == b"+":
                self.added.append(without_references(line[1:].decode("utf8", "replace")).strip())
            return
        self.seen += 1
        if self.seen <= _MAX_LINES:
            names = self.names if self.mode == "source" else self.tests
            names.update(name.decode() for name in _NAME.findall(line[1:]))

    def row(self, known: set[str]) -> list[dict[str, Any]]:
        if self.sha not in known:
            return []
        return [
            {
                "sha": self.sha, "idents": dict(self.names.most_common(250)), "ctx": sorted(self.context)[:60],
                "tests": dict(self.tests.most_common(150)), "clog": " ".join(self.added)[:6000],
            }
        ]  # fmt: skip
