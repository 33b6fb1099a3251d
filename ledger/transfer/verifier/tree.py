"""The Merkle tree of RFC 6962 over the lines of a journal, in memory that grows with the logarithm of their number."""

from __future__ import annotations

from hashlib import sha256

__all__ = ["Tree", "extends", "leaf_of", "widths_before"]

_LEAF = sha256(b"\x00")
_NODE = sha256(b"\x01")
_MOST = 4096


def leaf_of(line: bytes) -> bytes:
    """SHA-256(0x00 ‖ line without its line feed): the leaf, and what the next line's `prev` holds in hex."""
    state = _LEAF.copy()
    state.update(line)
    return state.digest()


def widths_before(first: int) -> list[int]:
    """The numbers of leaves of the perfect subtrees that cover the leaves before leaf `first` (from 1), left to right."""
    count = first - 1
    return [1 << bit for bit in range(count.bit_length() - 1, -1, -1) if count >> bit & 1]


class Tree:
    """The roots of the perfect subtrees over what was added, from left to right."""

    def __init__(self) -> None:
        self.size = 0
        self._subtrees: list[tuple[int, bytes]] = []

    def add(self, width: int, node: bytes) -> None:
        """Add the root of a perfect subtree over the next `width` leaves. Raises ValueError if none can begin here."""
        if self.size % width:
            raise ValueError(f"no subtree of {width} leaves begins after leaf {self.size}")
        self.size += width
        while self._subtrees and self._subtrees[-1][0] == width:
            node = _node(self._subtrees.pop()[1], node)
            width *= 2
        self._subtrees.append((width, node))

    def extend(self, leaves: list[bytes]) -> None:
        """Add leaves: several times cheaper than one by one."""
        at, count = 0, len(leaves)
        while at < count:
            width = min(self.size & -self.size or _MOST, _MOST, 1 << ((count - at).bit_length() - 1))
            level = leaves[at : at + width]
            while len(level) > 1:
                level = [_node(level[i], level[i + 1]) for i in range(0, len(level), 2)]
            self.add(width, level[0])
            at += width

    def root(self) -> bytes:
        """The root over all leaves so far; of no leaves, SHA-256 of nothing."""
        if not self._subtrees:
            return sha256().digest()
        found = self._subtrees[-1][1]
        for _, node in reversed(self._subtrees[:-1]):
            found = _node(node, found)
        return found


def _node(left: bytes, right: bytes) -> bytes:
    state = _NODE.copy()
    state.update(left)
    state.update(right)
    return state.digest()


def extends(old: int, old_root: bytes, new: int, new_root: bytes, path: list[bytes]) -> bool:
    """True if `path` shows that the tree of `new` leaves begins with that of `old` leaves (RFC 6962 §2.1.2)."""
    if not 0 < old < new or any(len(node) != 32 for node in path):
        return False
    steps = iter(([] if old & (old - 1) else [old_root]) + path)
    first = next(steps, None)
    if first is None:
        return False
    at, last = old - 1, new - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    one = two = first
    for node in steps:
        if not last:
            return False
        if at & 1 or at == last:
            one, two = _node(node, one), _node(node, two)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            two = _node(two, node)
        at, last = at >> 1, last >> 1
    return not last and one == old_root and two == new_root
