"""A number-free copy of a repository, for a linker to read: same trees, tags and dates, stripped messages and changelogs.

Objects are borrowed from the mirror, so a copy is small; only what changed is written.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import zlib
from collections.abc import Iterable
from hashlib import sha1
from pathlib import Path
from typing import Self

from linkbench.labels import Repository, git, lines_of
from linkbench.references import without_references

__all__ = ["rewrite"]

_FOLDERS = frozenset({"changelog", "newsfragments", "changes", "news", "changelog.d"})
_NUMBERED = re.compile(r"^\+?\d{2,6}(?=\.|-|_)")
_Entry = tuple[bytes, str, str]


def rewrite(of: Repository, mirrors: Path, data: Path) -> Path:
    """Make `data/repo` and `data/shamap.json` (original → copy); give back the work tree."""
    target = data / "repo"
    shutil.rmtree(target, ignore_errors=True)
    subprocess.run(["git", "init", "-q", "-b", "main", str(target)], check=True)
    source = of.mirror(mirrors).resolve()
    (target / ".git/objects/info/alternates").write_text(f"{source / 'objects'}\n")
    commits = {commit["sha"]: commit for commit in lines_of(data / "commits.jsonl")}
    with _Objects(source, target / ".git/objects") as objects:
        copies = _Copy(objects, of, commits).all()
    (data / "shamap.json").write_text(json.dumps(copies))

    def run(*arguments: str) -> None:
        subprocess.run(["git", "-C", str(target), *arguments], check=True, capture_output=True)

    run("update-ref", "refs/heads/main", copies[of.head])
    run("reset", "-q", "--hard")
    shape = "%(refname:strip=2) %(objectname) %(*objectname)"
    updates = ""
    for line in git(source, "for-each-ref", f"--format={shape}", "refs/tags").split("\n"):
        tag = line.split()
        if len(tag) >= 2 and tag[-1] in copies:
            updates += f"update refs/tags/{tag[0]} {copies[tag[-1]]}\n"
    subprocess.run(["git", "-C", str(target), "update-ref", "--stdin"], input=updates.encode(), check=True)
    return target


class _Objects:
    """Objects read from one store and written, loose, to another."""

    def __init__(self, source: Path, store: Path) -> None:
        self._store = store
        self._running = subprocess.Popen(
            ["git", f"--git-dir={source}", "cat-file", "--batch"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._running.stdin is not None
        self._running.stdin.close()
        self._running.wait()

    def read(self, sha: str) -> bytes:
        assert self._running.stdin is not None
        assert self._running.stdout is not None
        self._running.stdin.write(sha.encode() + b"\n")
        self._running.stdin.flush()
        head = self._running.stdout.readline().split()
        if len(head) < 3:
            return b""
        body = self._running.stdout.read(int(head[2]))
        self._running.stdout.read(1)
        return body

    def write(self, kind: bytes, body: bytes) -> str:
        whole = kind + b" " + str(len(body)).encode() + b"\0" + body
        sha = sha1(whole, usedforsecurity=False).hexdigest()
        path = self._store / sha[:2] / sha[2:]
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zlib.compress(whole, 1))
        return sha


class _Copy:
    def __init__(self, objects: _Objects, of: Repository, commits: dict[str, dict[str, str]]) -> None:
        self.objects, self.commits = objects, commits
        self.changelog = of.changelog.split("/")
        self.salt = sha1(of.slug.encode(), usedforsecurity=False).hexdigest()
        self.blobs: dict[str, str] = {}
        self.trees: dict[tuple[str, tuple[str, ...]], str] = {}
        self.copies: dict[str, str] = {}

    def all(self) -> dict[str, str]:
        """Copy every commit, parents first; parents beyond the oldest are cut off."""
        for newest in reversed(self.commits):
            stack = [newest]
            while stack:
                sha = stack[-1]
                if sha in self.copies:
                    stack.pop()
                    continue
                head = self.objects.read(sha).partition(b"\n\n")[0].split(b"\n")
                parents = [line[7:].decode() for line in head if line.startswith(b"parent ")]
                missing = [one for one in parents if one in self.commits and one not in self.copies]
                if missing:
                    stack += missing
                    continue
                self.copies[sha] = self._commit(sha, head, parents)
                stack.pop()
        return self.copies

    def _commit(self, sha: str, head: list[bytes], parents: list[str]) -> str:
        said = self.commits[sha]
        message = said["subject"] + (f"\n\n{said['body']}" if said["body"] else "") + "\n"
        lines = [b"tree " + self._tree(head[0][5:].decode(), ()).encode()]
        lines += [b"parent " + self.copies[one].encode() for one in parents if one in self.copies]
        lines += [line for line in head if line.startswith((b"author ", b"committer "))]
        return self.objects.write(b"commit", b"\n".join(lines) + b"\n\n" + message.encode())

    def _tree(self, sha: str, path: tuple[str, ...]) -> str:
        if (sha, path) not in self.trees:
            entries = list(_entries(self.objects.read(sha)))
            copied = {
                name: (mode, name, one) for mode, name, one in (self._entry(each, path) for each in entries)
            }
            changed = list(copied.values()) != entries
            self.trees[sha, path] = self.objects.write(b"tree", _bytes(copied.values())) if changed else sha
        return self.trees[sha, path]

    def _entry(self, entry: _Entry, path: tuple[str, ...]) -> _Entry:
        mode, name, sha = entry
        here = (*path, name)
        if mode == b"40000":
            leads = list(here) == self.changelog[: len(here)]
            if leads or (len(here) <= 2 and name.lower() in _FOLDERS):
                return mode, name, self._tree(sha, here)
        elif list(here) == self.changelog:
            return mode, name, self._blob(sha)
        elif path and len(path) <= 2 and path[-1].lower() in _FOLDERS and _NUMBERED.match(name):
            return mode, _NUMBERED.sub(self._hidden, name), self._blob(sha)
        return entry

    def _hidden(self, found: re.Match[str]) -> str:
        return "n" + sha1((self.salt + found[0]).encode(), usedforsecurity=False).hexdigest()[:8]

    def _blob(self, sha: str) -> str:
        if sha not in self.blobs:
            try:
                text = self.objects.read(sha).decode().replace("\r\n", "\n")
            except UnicodeDecodeError:
                self.blobs[sha] = sha
            else:
                self.blobs[sha] = self.objects.write(b"blob", without_references(text).encode())
        return self.blobs[sha]


def _entries(tree: bytes) -> list[_Entry]:
    found: list[_Entry] = []
    at = 0
    while at < len(tree):
        space = tree.index(b" ", at)
        end = tree.index(b"\0", space)
        name = tree[space + 1 : end].decode("utf8", "surrogateescape")
        found.append((tree[at:space], name, tree[end + 1 : end + 21].hex()))
        at = end + 21
    return found


def _bytes(entries: Iterable[_Entry]) -> bytes:
    def order(entry: _Entry) -> bytes:
        return (entry[1] + ("/" if entry[0] == b"40000" else "")).encode("utf8", "surrogateescape")

    listed = sorted(entries, key=order)
    return b"".join(
        mode + b" " + name.encode("utf8", "surrogateescape") + b"\0" + bytes.fromhex(sha)
        for mode, name, sha in listed
    )
