"""The files of a tree: 32-byte nodes level by level, and `place.json`, which says how far they go."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from struct import Struct
from types import TracebackType
from typing import Annotated, Final, Self

import msgspec

from t2c.ledger.journal.files import read_regular, write_atomically
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.digests import node_state

__all__ = ["Growth", "Place", "held", "level_file", "parents", "read_place", "start_anew", "write_place"]

_FORMAT: Final = 1
_PLACE: Final = "place.json"
_MOST: Final = 4096
_pairs: Final = Struct("64s").iter_unpack

_Hex = Annotated[str, msgspec.Meta(pattern=r"^[0-9a-f]{64}$")]


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The nodes cover the events up to this one; `root` is the root over them."""

    format: int
    seq: Annotated[int, msgspec.Meta(ge=1)]
    hash: _Hex
    offset: Annotated[int, msgspec.Meta(ge=1)]
    root: _Hex

    @property
    def position(self) -> Position:
        return Position(self.seq, self.hash, self.offset)


_decode: Final = msgspec.json.Decoder(Place).decode


def read_place(folder: Path) -> Place | None:
    """How far the nodes in `folder` go, by its own word; None if that is not said."""
    try:
        place = _decode(read_regular(folder / _PLACE, _MOST))
    except (OSError, ValueError):
        return None
    return place if place.format == _FORMAT else None


def write_place(folder: Path, position: Position, root: bytes) -> None:
    """Say that the nodes up to `position` are there. Raises OSError."""
    place = Place(_FORMAT, position.seq, position.hash, position.offset, root.hex())
    # Not forced to the disk: after a power failure the nodes do not lead to the root, and are made again.
    write_atomically(folder / _PLACE, msgspec.json.encode(place), durable=False)


def start_anew(folder: Path) -> None:
    """Say nothing of the nodes any more, and take away what is no file of nodes. Raises OSError."""
    (folder / _PLACE).unlink(missing_ok=True)
    for file in folder.glob("level-*"):
        # Through a link, nodes would be written to where somebody else wants them.
        if file.is_symlink() or not file.is_file():
            file.unlink()


def held(folder: Path, level: int) -> int:
    """The number of whole nodes in the file of a level, 0 if it is no plain file. Raises OSError."""
    status = level_file(folder, level).lstat()
    return status.st_size // 32 if stat.S_ISREG(status.st_mode) else 0


def level_file(folder: Path, level: int) -> Path:
    """The file of the nodes of a level; level 0 holds the leaves."""
    return folder / f"level-{level:02d}"


def parents(nodes: bytes) -> bytes:
    """The nodes of the level above, for an even number of nodes."""
    found: list[bytes] = []
    for (pair,) in _pairs(nodes):
        state = node_state()
        state.update(pair)
        found.append(state.digest())
    return b"".join(found)


class Growth:
    """Adds leaves to a tree of `size` leaves and every node that they complete.

    A node has one place in one file and one value for one history, so processes that do the same at the same time
    write the same bytes.
    """

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
        self._folder = folder
        self._files: list[int] = []
        self._single: list[bytes] = []
        """For each level the last node, if it has no sibling yet."""

    def add(self, leaves: bytes) -> None:
        """Write leaf hashes, 32 bytes each, and the nodes above them. Raises OSError."""
        nodes, level, added = leaves, 0, len(leaves) // 32
        while nodes:
            at = self.size >> level
            file = self._file(level)
            view, offset = memoryview(nodes), at * 32
            while view:
                written = os.pwrite(file, view, offset)
                view, offset = view[written:], offset + written
            if at & 1:
                nodes = self._single[level] + nodes
            paired = len(nodes) & ~63
            self._single[level] = nodes[paired:]
            nodes = parents(nodes[:paired])
            level += 1
        self.size += added

    def _file(self, level: int) -> int:
        while level >= len(self._files):
            above = len(self._files)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
            self._files.append(os.open(level_file(self._folder, above), flags, 0o644))
            count = self.size >> above
            self._single.append(os.pread(self._files[above], 32, (count - 1) * 32) if count & 1 else b"")
        return self._files[level]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for file in self._files:
            os.close(file)
        self._files.clear()
