"""The RFC 6962 tree over the leaves of the chain: the root that `verify` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from struct import Struct
from typing import Final, NamedTuple

from t2c.ledger.kernel.digests import node_hash, node_state

__all__ = ["Frontier", "Subtree", "root_of", "root_over"]

_BLOCK: Final = 4096
_pairs: Final = Struct("64s").iter_unpack


class Subtree(NamedTuple):
    """The root `node` of the perfect subtree over leaves `at << level` and the 2^level − 1 after it."""

    level: int
    at: int
    node: bytes


class Frontier:
    """The perfect subtrees that cover the leaves from `start` on: memory grows with the logarithm of the size.

    A frontier that starts inside a tree is one stretch of it: its subtrees can be added to the one before it.
    """

    def __init__(self, start: int = 0) -> None:
        self.size = start
        self._subtrees: list[Subtree] = []

    def extend(self, leaves: bytes) -> None:
        """Add leaf hashes: 32 bytes each, one behind the other."""
        at, count = 0, len(leaves) // 32
        while at < count:
            # The largest perfect subtree that may begin here: hashed level by level, it is several times cheaper
            # than leaf by leaf.
            aligned = self.size & -self.size or _BLOCK
            width = min(aligned, _BLOCK, 1 << ((count - at).bit_length() - 1))
            self.add(width.bit_length() - 1, _perfect_root(leaves[at * 32 : (at + width) * 32]))
            at += width

    def add(self, level: int, node: bytes) -> None:
        """Add the root of the perfect subtree over the next 2^level leaves, which may begin one of that size."""
        index = self.size >> level
        self.size += 1 << level
        subtrees = self._subtrees
        while index & 1 and subtrees and subtrees[-1][:2] == (level, index - 1):
            node = node_hash(subtrees.pop().node, node)
            level, index = level + 1, index >> 1
        subtrees.append(Subtree(level, index, node))

    def with_added(self, subtrees: Iterable[Subtree]) -> Frontier:
        """A copy to which the subtrees of the next stretch are added."""
        copy = Frontier(self.size)
        copy._subtrees = list(self._subtrees)
        for subtree in subtrees:
            copy.add(subtree.level, subtree.node)
        return copy

    def subtrees(self) -> list[Subtree]:
        """The subtrees that cover what was added, from left to right."""
        return list(self._subtrees)

    def root(self) -> bytes:
        """The root over all leaves so far; of no leaves, SHA-256 of nothing (RFC 6962 §2.1)."""
        return root_over(self._subtrees)


def root_over(subtrees: Sequence[Subtree]) -> bytes:
    """The root over subtrees that cover all leaves from the first one on."""
    found: bytes | None = None
    for subtree in reversed(subtrees):
        found = subtree.node if found is None else node_hash(subtree.node, found)
    return sha256().digest() if found is None else found


def _perfect_root(leaves: bytes) -> bytes:
    level = leaves
    while len(level) > 32:
        nodes: list[bytes] = []
        for (pair,) in _pairs(level):
            node = node_state()
            node.update(pair)
            nodes.append(node.digest())
        level = b"".join(nodes)
    return level


def root_of(leaves: list[bytes]) -> bytes:
    """The root over a list of leaf hashes."""
    frontier = Frontier()
    frontier.extend(b"".join(leaves))
    return frontier.root()
