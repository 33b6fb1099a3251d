"""The Merkle tree kept beside the journal, so that a proof reads some twenty nodes (journal-engine §5).

It is a cache, and nothing in it is believed: what it says of itself neither. The root comes from a walk of the journal,
or from a checkpoint that proofs are to lead to. Nodes that do not lead there are made anew from the journal, and each
proof is tried with the root, and with the leaf of the line that it is about, before it is given out.
"""

from __future__ import annotations

import mmap
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final, Self, TypeVar

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal import proofs
from t2c.ledger.journal.files import make_folder
from t2c.ledger.journal.levels import Growth, held, level_file, parents, read_place, start_anew, write_place
from t2c.ledger.journal.merkle import Subtree
from t2c.ledger.journal.position import START, Position
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.tail import damaged
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.kernel.digests import leaf_state

__all__ = ["Tree", "walked"]

_AT_ONCE: Final = 1 << 14
"""Leaves that are held in memory at a time."""

_UNFINISHED: Final = frozenset({"torn_tail", "incomplete_batch"})
"""Kinds of faults that the next append clears away: no event stands there."""

Progress = Callable[[int], object]
_T = TypeVar("_T")


def walked(
    journal: JournalFile, progress: Callable[[int, int], None] | None = None, *, processes: int = 2
) -> tuple[Position, bytes]:
    """The end of the journal and the root over all events, as every line of it gives them: no cache is asked.

    `progress` is called with (bytes done, bytes in all). Raises Corrupt if the journal has faults.
    """
    report = verify_chain(journal, progress=progress, processes=processes)
    faults = [fault for fault in report.faults if fault.kind not in _UNFINISHED]
    if faults:
        first = min(faults)
        raise Corrupt(
            f"the journal has faults, the first: {first.kind}: {first.detail}",
            where=f"seq {first.seq}",
            safe="the journal is as it was",
            remedy="run `t2c ledger verify`, which lists them; restore the journal from Git, a backup or a bundle",
        )
    return report.position, bytes.fromhex(report.root)


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
    def open(
        cls,
        folder: Path,
        journal: JournalFile,
        progress: Progress | None = None,
        *,
        known: tuple[Position, bytes] | None = None,
    ) -> Tree:
        """The tree up to a position of which the root is `known`; without, up to the end, which is walked for it.

        The nodes in `folder` are extended, and made anew if they do not lead to the root. `progress` is called with
        the number of events done. Raises Corrupt if the journal has not that root or a line that is read breaks the
        chain, Environment if the folder cannot be written.
        """
        tree = cls(folder, journal)
        if known is None:
            known = walked(journal)
        tree.position, tree._root = known
        tree._writes = True
        try:
            tree._fill(progress)
        except BaseException:
            tree.close()
            raise
        return tree

    @classmethod
    def stored(cls, folder: Path, journal: JournalFile) -> Tree | None:
        """The tree as it is kept, which may cover less than the journal; None if there is none that fits it.

        Its root is what the folder says: `disagreement` compares it. Nothing is ever written through it.
        """
        place = read_place(folder)
        if place is None:
            return None
        tree = cls(folder, journal)
        tree.position, tree._root = place.position, bytes.fromhex(place.root)
        try:
            if journal.holds(tree.position) and tree._fits(tree.size):
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

    def inclusion(self, index: int, size: int, leaf: bytes) -> list[bytes]:
        """The proof that event `index` + 1, whose line has the hash `leaf`, is among the first `size`.

        See `proofs.inclusion`. Raises Corrupt if the root is of another line.
        """
        self._within(size)
        return self._sure(lambda: self._inclusion(index, size, leaf))

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

    def _inclusion(self, index: int, size: int, leaf: bytes) -> list[bytes] | None:
        path = proofs.inclusion(self.node, index, size)
        root = self._root if size == self.size else self._root_at(size)
        fits = root is not None and proofs.includes(leaf, index, size, path, root)
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
            self._fill(None, anew=True)
        raise self._elsewhere()

    def _elsewhere(self) -> Corrupt:
        return Corrupt(
            f"the nodes of the tree of {self.size} events do not lead to its root",
            where=str(self._folder),
            safe="the journal, from which the tree can be made again",
            remedy="run `t2c ledger verify`; if it finds nothing, delete the folder and run the command again",
        )

    def _sound(self) -> bool:
        try:
            return proofs.root(self.node, self.size) == self._root
        except (OSError, ValueError):
            return False

    def _fill(self, progress: Progress | None, *, anew: bool = False) -> None:
        try:
            make_folder(self._folder)
            for kept in (START,) if anew else (self._kept(), START):
                if kept.seq < self.size:
                    self._extend(kept, progress)
                # A remake replaces nodes of which a wrong one leads to the right root all the same.
                if self._sound():
                    if kept.seq < self.size:
                        write_place(self._folder, self.position, self._root)
                    return
            raise self._elsewhere()
        except OSError as error:
            raise Environment(
                f"the tree of the ledger cannot be kept: {error.strerror}",
                where=str(error.filename or self._folder),
                safe="the journal, of which it is made",
                remedy="make room, or the folder writable",
            ) from error

    def _kept(self) -> Position:
        """Up to where nodes are said to be there."""
        place = read_place(self._folder)
        try:
            if place is not None and self._journal.holds(place.position) and self._fits(place.seq):
                return place.position
        except FileNotFoundError:
            pass
        return START

    def _extend(self, kept: Position, progress: Progress | None) -> None:
        """Write the nodes of the events after `kept`; until they are found to be right, nothing says so."""
        self.close()
        if kept == START:
            start_anew(self._folder)
        last = kept
        with Growth(self._folder, kept.seq) as growth:
            for last, leaves in _leaves(self._journal, kept, self.size):
                growth.add(leaves)
                if progress is not None:
                    progress(last.seq)
        if last != self.position:
            raise damaged("the journal is not what it was a moment ago", f"seq {last.seq}")

    def _map(self, level: int) -> mmap.mmap:
        found = self._maps.get(level)
        if found is None:
            file = os.open(
                level_file(self._folder, level), os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            )
            try:
                found = self._maps[level] = mmap.mmap(file, 0, access=mmap.ACCESS_READ)
            finally:
                os.close(file)
        return found

    def _fits(self, size: int) -> bool:
        return all(held(self._folder, level) >= size >> level for level in range(size.bit_length()))


def _leaves(journal: JournalFile, after: Position, until: int) -> Iterator[tuple[Position, bytes]]:
    """The leaf hashes of the events after a position, some at a time, and the position after each part."""
    leaves, last = bytearray(), after
    for offset, line, entry in journal.lines(after, until):
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
