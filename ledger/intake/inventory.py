"""The files of a repository, found in one walk with one ignore matcher.

Files that no ignore rule excludes are listed in byte order. What is passed over for another reason is a warning.
Rules come from inside the root and its own Git folder only: neither a parent folder's nor a user's global
ignore file changes what is found (decisions A7, intent-evidence §0.4, §9.6).
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.errors import Usage
from t2c.ledger.intake.base import Progress, Warning, no_progress
from t2c.ledger.intake.ignore import Level, Rule, as_bytes_text, decide, parse_rules
from t2c.ledger.kernel.paths import INVISIBLE

__all__ = ["IGNORE_FILES", "PRUNED", "FileEntry", "Inventory", "repository_name", "take_inventory"]

SOURCE: Final = "inventory"

PRUNED: Final = frozenset(
    {
        "node_modules", "__pycache__", ".venv", "venv", "site-packages", ".tox",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".intent",
    }
)  # fmt: skip
"""Folders that hold other people's or derived files; left out even where no rule ignores them."""

_HIDDEN: Final = INVISIBLE | {".git"}
IGNORE_FILES: Final = (".gitignore", ".dockerignore", ".intentignore")
_MAX_IGNORE_FILE: Final = 4 * 1024 * 1024
MAX_ASKED: Final = 1 << 20
"""Bytes of a file that `Inventory.content` gives whole."""
_REMEMBERED: Final = 1 << 16
_REMEMBERED_FILES: Final = 64
_NAMED_IN_DETAIL: Final = 5
_PROGRESS_STEP: Final = 2000


class FileEntry(NamedTuple):
    """One file: repository path (POSIX, relative) and size in bytes.

    `stamp` differs whenever the system says that the file was written, replaced or given other rights; `changed`
    is when it last was, in nanoseconds.
    """

    path: str
    size: int
    stamp: int = 0
    changed: int = 0


class Inventory(Struct, frozen=True, dict=True):
    """The files of one root in byte order; implements `Tree`."""

    files: tuple[FileEntry, ...]
    warnings: tuple[Warning, ...] = ()
    disk_names: Mapping[str, str] = field(default_factory=dict)
    """For paths whose bytes are not UTF-8: the name that opens the file, relative to the root."""
    root: Path | None = None
    """Where the files are; None for an inventory that is only names."""

    @cached_property
    def _read(self) -> dict[str, bytes]:
        """Small contents that were asked for, since every file of a kind asks for the same ones."""
        return {}

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(entry.path for entry in self.files)

    @cached_property
    def _by_name(self) -> Mapping[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for entry in self.files:
            found.setdefault(entry.path.rpartition("/")[2], []).append(entry.path)
        return {name: tuple(paths) for name, paths in found.items()}

    def __contains__(self, path: object) -> bool:
        return path in self._paths

    def __iter__(self) -> Iterator[FileEntry]:
        return iter(self.files)

    def __len__(self) -> int:
        return len(self.files)

    def named(self, name: str) -> tuple[str, ...]:
        """Paths of all files with this base name, in byte order."""
        return self._by_name.get(name, ())

    def content(self, path: str) -> bytes | None:
        """The content of a file of the inventory; None if it is not in it, is too large or cannot be read."""
        if path not in self or self.root is None:
            return None
        if (known := self._read.get(path)) is not None:
            return known
        try:
            with (self.root / self.on_disk(path)).open("rb") as stream:
                content = stream.read(MAX_ASKED + 1)
        except OSError:
            return None
        if len(content) > MAX_ASKED:
            return None
        if len(content) <= _REMEMBERED and len(self._read) < _REMEMBERED_FILES:
            self._read[path] = content
        return content

    def on_disk(self, path: str) -> str:
        """The file's name relative to the root, fit for opening it."""
        return self.disk_names.get(path, path)


_C_ESCAPES: Final = {
    7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\",
}  # fmt: skip


def repository_name(raw: bytes) -> str:
    """A path as records write it: its text, or quoted in C style as Git does if the bytes are not UTF-8."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        quoted = (
            _C_ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}") for byte in raw
        )
        return '"' + "".join(quoted) + '"'


def take_inventory(root: Path, *, exclude: Sequence[str] = (), progress: Progress = no_progress) -> Inventory:
    """Walk `root` once and list its files.

    `exclude` are further patterns as in an ignore file of the root; no ignore file takes them back. Symbolic links are not followed and nested repositories not entered. `.git`, `.t2c` and `.dwp` are never
    seen, at any depth. Raises Usage if `root` is no folder that can be read.
    """
    top = root.resolve()
    try:
        with os.scandir(top):
            pass
    except OSError as error:
        raise Usage(
            f"{root} cannot be read: {error.strerror}", remedy="give --root an existing folder"
        ) from None
    extra = parse_rules("\n".join(exclude).encode("utf-8", "surrogateescape"), "exclude")
    walk = _Walk(str(top), Level(extra, ""), progress)
    walk.run(_private_rules(top))
    return walk.inventory()


class _Folder(NamedTuple):
    """A folder that is still to be read. Prefixes are empty or end in a slash."""

    prefix: str
    match_prefix: str
    levels: tuple[Level, ...]


class _Walk:
    def __init__(self, top: str, excluded: Level, progress: Progress) -> None:
        self.top = top
        self.excluded = excluded
        self.progress = progress
        self.files: list[FileEntry] = []
        self.disk_names: dict[str, str] = {}
        self.warnings: list[Warning] = []
        self.links: list[str] = []
        self.undecodable: list[str] = []
        self.docker_only: list[str] = []

    def inventory(self) -> Inventory:
        self._total("symlink_not_followed", self.links, "symbolic links are not followed")
        self._total(
            "undecodable_name",
            self.undecodable,
            "files whose names are not UTF-8 are listed, quoted as Git does, and not read",
        )
        self._total(
            "hidden_by_dockerignore", self.docker_only, "left out by a .dockerignore and by nothing else"
        )
        self.files.sort()
        self.progress(SOURCE, len(self.files), len(self.files))
        ordered = sorted(self.warnings, key=lambda warning: (warning.reason, warning.path or ""))
        return Inventory(tuple(self.files), tuple(ordered), self.disk_names, Path(self.top))

    def run(self, levels: tuple[Level, ...]) -> None:
        folders = [_Folder("", "", levels)]
        while folders:
            folders.extend(self._read(folders.pop()))

    def _read(self, folder: _Folder) -> list[_Folder]:
        prefix, match_prefix, levels = folder
        try:
            with os.scandir(f"{self.top}/{prefix}") as found:
                entries = list(found)
        except OSError as error:
            self._warn("unreadable_folder", prefix[:-1], f"the folder cannot be read: {error.strerror}")
            return []
        names = {entry.name for entry in entries}
        if prefix and ".git" in names:
            self._warn("nested_repository", prefix[:-1], "a repository of its own is not entered")
            return []
        if not names.isdisjoint(IGNORE_FILES):
            levels = self._with_rules(folder, entries)
        below: list[_Folder] = []
        for entry in entries:
            name = entry.name
            match_name = as_bytes_text(name)
            is_folder = entry.is_dir(follow_symlinks=False)
            if (is_folder and name in _HIDDEN) or name == ".git":
                continue
            match_path = match_prefix + match_name
            if decide((self.excluded,), match_name, match_path, is_folder):
                continue
            if levels and (rule := decide(levels, match_name, match_path, is_folder)):
                if rule.origin == ".dockerignore":
                    self.docker_only.append(prefix + name)
            elif is_folder:
                if name in PRUNED:
                    self._warn("pruned_folder", prefix + name, "folders of this name are always left out")
                else:
                    below.append(_Folder(f"{prefix}{name}/", f"{match_prefix}{match_name}/", levels))
            else:
                self._file(prefix, entry)
        return below

    def _file(self, prefix: str, entry: os.DirEntry[str]) -> None:
        name = prefix + entry.name
        if entry.is_symlink():
            self.links.append(name)
            return
        try:
            status = entry.stat(follow_symlinks=False)
        except FileNotFoundError:
            return  # gone since the folder was read
        except OSError as error:
            self._warn("unreadable_file", name, f"its size cannot be read: {error.strerror}")
            return
        if not stat.S_ISREG(status.st_mode):
            self._warn("special_file", name, "neither a file nor a folder")
            return
        path = name
        if not name.isascii():
            path = repository_name(os.fsencode(name))
            if path != name:
                self.disk_names[path] = name
                self.undecodable.append(name)
        written, changed = status.st_mtime_ns, status.st_ctime_ns
        stamp = hash(
            (written, changed, status.st_ino)
        )  # of integers alone, so it is the same in every process
        self.files.append(FileEntry(path, status.st_size, stamp, max(written, changed)))
        if len(self.files) % _PROGRESS_STEP == 0:
            self.progress(SOURCE, len(self.files), None)

    def _with_rules(self, folder: _Folder, entries: list[os.DirEntry[str]]) -> tuple[Level, ...]:
        kept = {entry.name for entry in entries if entry.is_file(follow_symlinks=False)}
        rules: list[Rule] = []
        for name in IGNORE_FILES:  # a later file's rules win, as later lines do
            if name in kept:
                content = self._content(folder.prefix + name)
                rules.extend(parse_rules(content, name))
        return (Level(rules, folder.match_prefix), *folder.levels) if rules else folder.levels

    def _content(self, name: str) -> bytes:
        try:
            with open(f"{self.top}/{name}", "rb") as file:  # noqa: PTH123 - a plain name, in the walk's hot path
                content = file.read(_MAX_IGNORE_FILE + 1)
        except OSError as error:
            self._warn("unreadable_ignore_file", name, f"its rules are not applied: {error.strerror}")
            return b""
        if len(content) > _MAX_IGNORE_FILE:
            self._warn(
                "oversized_ignore_file", name, f"above {_MAX_IGNORE_FILE} bytes; its rules are not applied"
            )
            return b""
        return content

    def _warn(self, reason: str, name: str, detail: str) -> None:
        self.warnings.append(Warning(SOURCE, repository_name(os.fsencode(name)) or None, reason, detail))

    def _total(self, reason: str, names: list[str], what: str) -> None:
        if names:
            first = sorted(repository_name(os.fsencode(name)) for name in names)[:_NAMED_IN_DETAIL]
            more = ", …" if len(names) > len(first) else ""
            self.warnings.append(
                Warning(SOURCE, None, reason, f"{what}: {', '.join(first)}{more}", len(names))
            )


def _private_rules(top: Path) -> tuple[Level, ...]:
    """The rules of `info/exclude`, which stands in the common Git folder of all worktrees."""
    git = top / ".git"
    try:
        if git.is_file():
            pointer = os.fsdecode(git.read_bytes()).strip()
            if not pointer.startswith("gitdir: "):
                return ()
            git = top / pointer.removeprefix("gitdir: ")
            common = git / "commondir"
            if common.is_file():
                git = git / os.fsdecode(common.read_bytes()).strip()
        exclude = git / "info" / "exclude"
        if not exclude.is_file() or exclude.stat().st_size > _MAX_IGNORE_FILE:
            return ()
        rules = parse_rules(exclude.read_bytes(), "info/exclude")
    except (OSError, ValueError):
        return ()
    return (Level(rules, ""),) if rules else ()
