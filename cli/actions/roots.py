"""The journal's roots at sizes that somebody asks for, without a walk for each of them.

The tree that is kept gives a root at any size, and proves it to begin the one at its own size, which the walk
computed from the journal: so a cache is asked, and nothing is believed that it says.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from t2c.cli.actions.vouching import faultless
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.levels import read_place
from t2c.ledger.journal.note import Checkpoint
from t2c.ledger.journal.tree import Tree
from t2c.ledger.journal.verify import ChainReport, Prefix, verify_chain

__all__ = ["TREE", "Roots"]

TREE = "cache/tree"


class Roots:
    """Ask `sizes_for` what a walk is to compute, tell it by `learn` what came of it, then call it for roots."""

    def __init__(self, ledger: Ledger, *, cached: bool) -> None:
        """With `cached` the tree is used that is kept with the ledger, if it fits the journal."""
        self._journal = ledger.journal
        folder = ledger.workspace / TREE
        self._tree: Tree | None = None
        self._known: dict[int, bytes] = {}
        self._limit = 0
        self._agrees = False
        self.disagreement: str | None = None
        """How the tree that is kept differs from the journal."""
        if cached:
            try:
                self._tree = Tree.stored(folder, ledger.journal)
            except T2cError:
                return
            if self._tree is None and read_place(folder) is not None:
                self.disagreement = "it is of another history, or torn"

    def close(self) -> None:
        if self._tree is not None:
            self._tree.close()

    def sizes_for(self, wanted: Iterable[int]) -> set[int]:
        """The sizes at which the walk has to compute the root so that those at `wanted` can be told."""
        if self._tree is None:
            return set(wanted)
        return {self._tree.size, *(size for size in wanted if size > self._tree.size)}

    def prefix(self, checkpoint: Checkpoint) -> Prefix | None:
        """What a checkpoint vouches for, so that a walk may begin after it; None if the tree does not show it.

        The nodes lead to the root of the checkpoint, and the last line before its end hashes to the last of them.
        """
        size, tree = checkpoint.size, self._tree
        if tree is None or not 0 < size <= tree.size:
            return None
        try:
            if tree.root(size) != checkpoint.root:
                return None
            position = self._journal.position(size)
            if position is None:
                return None
            tree.inclusion(size - 1, size, bytes.fromhex(position.hash))
            self._known[size] = checkpoint.root
            return Prefix(position, tree.subtrees(size))
        except T2cError:
            return None

    def learn(self, report: ChainReport, *, whole: bool) -> None:
        """Take what the walk computed; `whole` looks at every node of the tree, not only those that are used."""
        self._limit = faultless(report)
        self._known.update(report.roots)
        tree = self._tree
        if tree is None or tree.size > self._limit or (root := self._known.get(tree.size)) is None:
            return
        try:
            self.disagreement = tree.disagreement(root, whole=whole)
        except (OSError, ValueError):
            self.disagreement = "it cannot be read"
        self._agrees = self.disagreement is None

    def __call__(self, sizes: Collection[int]) -> Mapping[int, bytes]:
        """The roots at these sizes, as far as there are so many events without faults."""
        wanted = {size for size in sizes if 0 < size <= self._limit}
        unknown = wanted.difference(self._known)
        if unknown and self._agrees and self._tree is not None:
            try:
                self._known.update(
                    {size: self._tree.root(size) for size in sorted(unknown) if size <= self._tree.size}
                )
            except T2cError as error:
                self._agrees, self.disagreement = False, error.what
            unknown = wanted.difference(self._known)
        if unknown:
            self._known.update(verify_chain(self._journal, sizes=unknown).roots)
        return {size: self._known[size] for size in wanted if size in self._known}
