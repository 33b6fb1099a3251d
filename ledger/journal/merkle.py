"""The RFC 6962 tree over the leaves of the chain: the root that `verify` prints."""

from __future__ import annotations

from hashlib import sha256
from struct import Struct
from typing import Final

from t2c.ledger.kernel.digests import node_hash, node_state

__all__ = ["Frontier", "root_of"]

_BLOCK: Final = 4096
_pairs: Final = Struct("64s").iter_unpack


class Frontier:
    """The roots of the perfect subtrees so far: memory grows with the logarithm of the size."""

    def __init__(self) -> None:
        self._levels: list[bytes | None] = []
        self.size = 0

    def extend(self, leaves: bytes) -> None:
        """Add leaf hashes: 32 bytes each, one behind the other."""
        at, count = 0, len(leaves) // 32
        while at < count:
            # The largest perfect subtree that may begin here: hashed level by level, it is several times cheaper
            # than leaf by leaf.
            aligned = self.size & -self.size or _BLOCK
            width = min(aligned, _BLOCK, 1 << ((count - at).bit_length() - 1))
            self._carry(_perfect_root(leaves[at * 32 : (at + width) * 32]), width.bit_length() - 1)
            self.size += width
            at += width

    def _carry(self, node: bytes, level: int) -> None:
        levels = self._levels
        levels += [None] * (level + 1 - len(levels))
        while level < len(levels) and (left := levels[level]) is not None:
            node, levels[level] = node_hash(left, node), None
            level += 1
        if level == len(levels):
            levels.append(node)
        else:
            levels[level] = node

    def root(self) -> bytes:
        """The root over all leaves so far; of no leaves, SHA-256 of nothing (RFC 6962 §2.1)."""
        found: bytes | None = None
        for node in self._levels:
            if node is not None:
                found = node if found is None else node_hash(node, found)
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
