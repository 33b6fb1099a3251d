"""The RFC 6962 tree over the leaves of the chain: the root that `verify` prints."""

from __future__ import annotations

from hashlib import sha256

from t2c.ledger.kernel.digests import node_hash

__all__ = ["Frontier", "root_of"]


class Frontier:
    """The roots of the perfect subtrees so far, largest first: memory grows with the logarithm of the size."""

    def __init__(self) -> None:
        self._levels: list[bytes | None] = []
        self.size = 0

    def add(self, leaf: bytes) -> None:
        """Add the next leaf hash (32 bytes)."""
        self._carry(leaf, 0)
        self.size += 1

    def extend(self, leaves: bytes) -> None:
        """Add many leaf hashes at once: 32 bytes each, one behind the other."""
        at = 0
        # Whole blocks are hashed level by level from 64-byte slices, several times cheaper than one by one.
        while len(leaves) - at >= _BLOCK * 32 and self.size % _BLOCK == 0:
            node = _block_root(leaves[at : at + _BLOCK * 32])
            self._carry(node, _BLOCK_LEVEL)
            self.size += _BLOCK
            at += _BLOCK * 32
        for start in range(at, len(leaves), 32):
            self.add(leaves[start : start + 32])

    def _carry(self, node: bytes, level: int) -> None:
        levels = self._levels
        while len(levels) <= level:
            levels.append(None)
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


_BLOCK_LEVEL = 12
_BLOCK = 1 << _BLOCK_LEVEL


def _block_root(leaves: bytes) -> bytes:
    level = leaves
    while len(level) > 32:
        level = b"".join([sha256(b"\x01" + level[at : at + 64]).digest() for at in range(0, len(level), 64)])
    return level


def root_of(leaves: list[bytes]) -> bytes:
    """The root over a list of leaf hashes."""
    frontier = Frontier()
    frontier.extend(b"".join(leaves))
    return frontier.root()
