"""The Merkle tree kept beside the journal, so that a proof reads some twenty nodes (journal-engine §5).

It is a cache: trusted only for the event that its place names, if the journal holds that event and the files are
long enough, and remade from the journal otherwise. No node is believed by itself: whatever is given out was found to
lead to the root that the place names, so a flipped bit costs a rebuild and not a wrong proof.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal import proofs
from t2c.ledger.journal.files import make_folder
from t2c.ledger.journal.levels import Growth, forget_place, level_file, parents, read_place, write_place
from t2c.ledger.journal.merkle import Subtree
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import damaged
from t2c.ledger.kernel.digests import leaf_state

__all__ = ["Tree"]

_AT_ONCE: Final = 1 << 14
"""Leaves that are held in memory at a time."""

Progress = Callable[[int], object]
_T = TypeVar("_T")


class Tree:
    """The tree over the first `size` events of a journal. Close it after use."""

    def __init__(self, folder: Path, journal: JournalFile) -> None:
        """An empty tree; see `open` and `stored`."""
        self._folder = folder
        self._journal = journal
        self._maps: dict[int, mmap.mmap] = {}
        self._writes = False
        self._root = proofs.EMPTY_ROOT
        self.position = START

    @classmethod
    def open(cls, folder: Path, journal: JournalFile, progress: Progress | None = None) -> Tree:
        """The tree over all events: what is kept in `folder` is extended, or remade if it does not fit.

        `progress` is called with the number of events done. Raises Corrupt if a line that it reads breaks the
        chain, Environment if the folder cannot be written.
        """
        tree = cls.stored(folder, journal) or cls(folder, journal)
        tree._writes = True
        try:
            tree._extend(progress)
        except BaseException:
            tree.close()
            raise
        return tree

    @classmethod
    def stored(cls, folder: Path, journal: JournalFile) -> Tree | None:
        """The tree as it is kept, which may cover less than the journal; None if there is none that fits it.

        Nothing is ever written through it.
        """
        place = read_place(folder)
        if place is None:
            return None
        tree = cls(folder, journal)
        tree.position, tree._root = place.position, bytes.fromhex(place.root)
        try:
            if journal.holds(tree.position) and tree._fits():
                return tree
        except OSError:
            pass
        tree.close()
        return None

    @property
    def size(self) -> int:
        """The number of events that it covers."""
        return self.position.seq

    def node(self, level: int, index: int) -> bytes:
        """The root of the perfect subtree over leaves index·2^level …, as it is stored: by itself it proves nothing."""
        found = self._maps.get(level)
        if found is None:
            found = self._map(level)
        return found[index * 32 : index * 32 + 32]

    def leaf(self, index: int) -> bytes:
        """The leaf hash of event `index` + 1."""
        self.inclusion(index, self.size)
        return self.node(0, index)

    def root(self, size: int) -> bytes:
        """The root over the first `size` events."""
        self._within(size)
        return self._sure(lambda: self._root_at(size))

    def subtrees(self, size: int) -> list[Subtree]:
        """The perfect subtrees that cover the first `size` events, from left to right."""
        self.root(size)
        found, end = [], 0
        for level in range(size.bit_length() - 1, -1, -1):
            if size >> level & 1:
                found.append(Subtree(level, end >> level, self.node(level, end >> level)))
                end += 1 << level
        return found

    def inclusion(self, index: int, size: int) -> list[bytes]:
        """The proof that event `index` + 1 is among the first `size`; see `proofs.inclusion`."""
        self._within(size)
        return self._sure(lambda: self._inclusion(index, size))

    def consistency(self, old: int, new: int) -> list[bytes]:
        """The proof that the tree of `old` events begins that of `new`; see `proofs.consistency`."""
        self._within(new)
        return self._sure(lambda: self._consistency(old, new))

    def disagreement(self, root: bytes, *, whole: bool = False) -> str | None:
        """How it differs from the journal, whose root over the same events is `root`; None if it does not.

        `whole` looks at every node instead of the few that lead to the root.
        """
        if root != self._root:
            return "its root is not the journal's"
        if not self._sound():
            return "its nodes do not lead to its root"
        for level in range(1, self.size.bit_length() if whole else 0):
            for at in range(0, self.size >> level, _AT_ONCE):
                upto = min(at + _AT_ONCE, self.size >> level)
                if (
                    parents(self._map(level - 1)[64 * at : 64 * upto])
                    != self._map(level)[32 * at : 32 * upto]
                ):
                    return f"a node of level {level} is not that of the nodes below it"
        return None

    def close(self) -> None:
        """Let go of the files."""
        for found in self._maps.values():
            found.close()
        self._maps.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _within(self, size: int) -> None:
        if not 0 < size <= self.size:
            raise Usage(f"the ledger has {self.size} events, so there is no tree of {size}")

    def _root_at(self, size: int) -> bytes | None:
        root = proofs.root(self.node, size)
        if size == self.size:
            return root if root == self._root else None
        path = proofs.consistency(self.node, size, self.size)
        return root if proofs.extends(size, root, self.size, self._root, path) else None

    def _inclusion(self, index: int, size: int) -> list[bytes] | None:
        path = proofs.inclusion(self.node, index, size)
        root = self._root if size == self.size else self._root_at(size)
        fits = root is not None and proofs.includes(self.node(0, index), index, size, path, root)
        return path if fits else None

    def _consistency(self, old: int, new: int) -> list[bytes] | None:
        path = proofs.consistency(self.node, old, new)
        before, after = self._root_at(old), self._root_at(new)
        fits = before is not None and after is not None and proofs.extends(old, before, new, after, path)
        return path if fits else None

    def _sure(self, read: Callable[[], _T | None]) -> _T:
        """What `read` gives if the nodes it took lead to the root; the tree is remade once if they do not."""
        for _ in range(2):
            try:
                found = read()
            except (OSError, ValueError):
                # The files went away, or became empty, under it.
                found = None
            if found is not None:
                return found
            if not self._writes:
                break
            self._start_anew()
            self._extend(None)
        raise Corrupt(
            "the nodes of the tree do not lead to its root",
            where=str(self._folder),
            safe="the journal, from which the tree can be made again",
            remedy="delete the folder and run the command again",
        )

    def _sound(self) -> bool:
        try:
            return proofs.root(self.node, self.size) == self._root
        except (OSError, ValueError):
            return False

    def _start_anew(self) -> None:
        self.close()
        forget_place(self._folder)
        self.position, self._root = START, proofs.EMPTY_ROOT

    def _extend(self, progress: Progress | None) -> None:
        try:
            make_folder(self._folder)
            # New nodes are made of those that lead to the root.
            if not self.size or not self._sound():
                self._start_anew()
            before = self.position
            with Growth(self._folder, self.size) as growth:
                for position, leaves in _leaves(self._journal, self.position):
                    growth.add(leaves)
                    self.position = position
                    if progress is not None:
                        progress(position.seq)
            if self.position != before:
                self.close()
                self._root = proofs.root(self.node, self.size)
                write_place(self._folder, self.position, self._root)
        except OSError as error:
            raise Environment(
                f"the tree of the ledger cannot be kept: {error.strerror}",
                where=str(error.filename or self._folder),
                safe="the journal, of which it is made",
                remedy="make room, or the folder writable",
            ) from error

    def _map(self, level: int) -> mmap.mmap:
        found = self._maps.get(level)
        if found is None:
            with level_file(self._folder, level).open("rb") as stream:
                found = self._maps[level] = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        return found

    def _fits(self) -> bool:
        return all(
            level_file(self._folder, level).stat().st_size >= (self.size >> level) * 32
            for level in range(self.size.bit_length())
        )


def _leaves(journal: JournalFile, after: Position) -> Iterator[tuple[Position, bytes]]:
    """The leaf hashes of the events after a position, some at a time, and the position after each part."""
    leaves, last = bytearray(), after
    for offset, line, entry in journal.lines(after):
        if entry.prev != last.hash:
            what = f"seq {entry.seq} says that it follows another line than seq {last.seq}"
            raise damaged(what, f"seq {last.seq}")
        state = leaf_state()
        state.update(line[:-1])
        leaves += state.digest()
        last = Position(entry.seq, state.hexdigest(), offset + len(line))
        if len(leaves) == 32 * _AT_ONCE:
            yield last, bytes(leaves)
            leaves.clear()
    if leaves:
        yield last, bytes(leaves)
