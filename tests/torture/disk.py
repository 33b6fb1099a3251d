"""A model of a disk under a file system: what a power failure may leave of the calls that a process made.

Bytes of a file last once the file was synced; names last once their folder was. Of what was not synced, any prefix of
a file's writes and of a folder's changes may be there, and the write after that prefix in part: cut at some byte, or
at its full length with zeros from some byte on. Files and folders are independent of one another.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

__all__ = ["Disk", "File", "Tree", "Write", "lay_out", "taken_from"]

_BLOCK = 4096

Tree = dict[str, bytes | None]
"""Path → content of a file, or None for a folder."""


class Write(NamedTuple):
    """Bytes at an offset; without bytes, the file is cut (or grown) to `offset`."""

    offset: int
    data: bytes | None

    def on(self, content: bytes) -> bytes:
        if self.data is None:
            return content[: self.offset].ljust(self.offset, b"\0")
        content = content.ljust(self.offset, b"\0")
        return content[: self.offset] + self.data + content[self.offset + len(self.data) :]

    def parts(self) -> Iterator[Write]:
        """What a failure in the middle may leave of it, but for nothing and all."""
        if self.data is None or not self.data:
            return
        size = len(self.data)
        lines = [at + 1 for at, byte in enumerate(self.data[:-1]) if byte == 10]
        cuts = {1, size // 2, size - 1, *lines[:1], *lines[-1:]} - {0, size}
        for cut in sorted(cuts):
            yield Write(self.offset, self.data[:cut])
        for cut in (0, size // 2):
            yield Write(self.offset, self.data[:cut].ljust(size, b"\0"))

    def holed(self) -> Write | None:
        """The write with its later half on the disk and its earlier one not; None if it is of one block."""
        if self.data is None or len(self.data) <= _BLOCK:
            return None
        middle = len(self.data) // 2 // _BLOCK * _BLOCK or _BLOCK
        return Write(self.offset, bytes(middle) + self.data[middle:])


@dataclass(eq=False)
class File:
    """`lasting` is what is on the disk for sure, `owed` what was written since."""

    lasting: bytes = b""
    owed: list[Write] = field(default_factory=list)

    def now(self) -> bytes:
        content = self.lasting
        for write in self.owed:
            content = write.on(content)
        return content

    def left(self) -> list[bytes]:
        """What a failure may leave."""
        found, content = [self.lasting], self.lasting
        for write in self.owed:
            found += [part.on(content) for part in write.parts()]
            content = write.on(content)
            found.append(content)
        return list(dict.fromkeys(found))


class Change(NamedTuple):
    """One step of a folder: names that come to stand for something, or (None) for nothing."""

    number: int
    names: tuple[tuple[str, File | str | None], ...]


class Disk:
    """What was called so far, and what is left of it if the power fails now."""

    def __init__(self, root: str, tree: Tree) -> None:
        """`root` is above all of the tree, and lasts."""
        self._root = PurePosixPath(root)
        self.names: dict[str, File | str] = {
            path: "folder" if content is None else File(content) for path, content in tree.items()
        }
        self._lasting = dict(self.names)
        self._owed: dict[str, list[Change]] = {}
        self._number = 0

    def _change(self, *names: tuple[str, File | str | None]) -> None:
        self._number += 1
        change = Change(self._number, names)
        for folder in {str(PurePosixPath(name).parent) for name, _ in names}:
            self._owed.setdefault(folder, []).append(change)
        _apply(self.names, change)

    def create(self, path: str) -> File:
        made = File()
        self._change((path, made))
        return made

    def make_folder(self, path: str) -> None:
        self._change((path, "folder"))

    def rename(self, old: str, new: str) -> None:
        self._change((new, self.names[old]), (old, None))

    def link(self, old: str, new: str) -> None:
        self._change((new, self.names[old]))

    def unlink(self, path: str) -> None:
        self._change((path, None))

    def sync_file(self, file: File, upto: int | None = None) -> None:
        """All writes of a file last now, or the first `upto` of them."""
        upto = len(file.owed) if upto is None else upto
        for write in file.owed[:upto]:
            file.lasting = write.on(file.lasting)
        del file.owed[:upto]

    def sync_folder(self, path: str) -> None:
        done = {change.number: change for change in self._owed.pop(path, [])}
        for number in sorted(done):
            _apply(self._lasting, done[number])
        # A step of two folders is one: synced with either.
        for folder, owed in self._owed.items():
            self._owed[folder] = [change for change in owed if change.number not in done]

    def left(self, dice: random.Random, most: int) -> Iterator[Tree]:
        """At most so many of the trees that a failure may leave now; the extremes always."""
        files = [file for file in dict.fromkeys(self.names.values()) if isinstance(file, File)]
        files += [file for file in self._lasting.values() if isinstance(file, File) and file not in files]
        unsettled = [file for file in files if file.owed]
        folders = [folder for folder, owed in self._owed.items() if owed]
        choices: list[list[Any]] = [file.left() for file in unsettled]
        choices += [list(range(len(self._owed[folder]) + 1)) for folder in folders]
        count = 1
        for choice in choices:
            count *= len(choice)
        if count <= most:
            picked = list(itertools.product(*choices))
        else:
            picked = [tuple(choice[0] for choice in choices), tuple(choice[-1] for choice in choices)]
            # Each alone, with all others wholly there, and wholly not.
            for at, choice in enumerate(choices):
                for base in picked[:2]:
                    picked += [(*base[:at], one, *base[at + 1 :]) for one in choice]
            dice.shuffle(rest := picked[2:])
            picked = picked[:2] + rest[: most // 2]
            while len(picked) < most:
                picked.append(tuple(dice.choice(choice) for choice in choices))
        for pick in dict.fromkeys(picked):
            content = dict(zip(unsettled, pick, strict=False))
            yield self._tree(content, dict(zip(folders, pick[len(unsettled) :], strict=True)))

    def holes(self) -> Iterator[Tree]:
        """The trees in which one file's last write has a hole and all else lasted."""
        for file in [file for file in self.names.values() if isinstance(file, File) and file.owed]:
            holed = file.owed[-1].holed()
            if holed is None:
                continue
            content: dict[File, bytes | int] = {
                other: other.now() for other in self.names.values() if isinstance(other, File)
            }
            before = file.lasting
            for write in file.owed[:-1]:
                before = write.on(before)
            yield self._tree({**content, file: holed.on(before)}, {f: len(o) for f, o in self._owed.items()})

    def _tree(self, content: dict[File, bytes | int], upto: dict[str, int]) -> Tree:
        names = dict(self._lasting)
        done = {change.number: change for folder, n in upto.items() for change in self._owed[folder][:n]}
        for number in sorted(done):
            _apply(names, done[number])
        tree: Tree = {}
        for path, thing in sorted(names.items()):
            if not all(str(above) in names for above in self._above(path)):
                continue  # its folder did not last
            if isinstance(thing, str):
                tree[path] = None
            else:
                left = content.get(thing, thing.lasting)
                assert isinstance(left, bytes)
                tree[path] = left
        return tree

    def _above(self, path: str) -> list[PurePosixPath]:
        parents = list(PurePosixPath(path).parents)
        return parents[: parents.index(self._root)]


def _apply(names: dict[str, File | str], change: Change) -> None:
    for name, thing in change.names:
        if thing is None:
            names.pop(name, None)
        else:
            names[name] = thing


def lay_out(tree: Tree, folder: Path) -> None:
    """Put a tree of relative paths into a folder."""
    for path, content in sorted(tree.items()):
        if content is None:
            (folder / path).mkdir(exist_ok=True)
        else:
            (folder / path).write_bytes(content)


def taken_from(folder: Path) -> Tree:
    """The tree below `folder`, its paths relative to it."""
    return {
        str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes()
        for path in sorted(folder.rglob("*"))
    }
