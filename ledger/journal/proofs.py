"""Inclusion and consistency proofs of the RFC 6962 tree, made from stored nodes and checked from plain values.

Node (level, index) is the root of the perfect subtree over leaves index·2^level … (index+1)·2^level − 1; level 0
holds the leaves. Only perfect subtrees are asked for, so nodes never change once they are there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Final

from t2c.ledger.errors import Usage

__all__ = ["EMPTY_ROOT", "Node", "consistency", "extends", "included_root", "includes", "inclusion", "root"]

Node = Callable[[int, int], bytes]
"""Gives the node at (level, index), 32 bytes."""

EMPTY_ROOT: Final = sha256().digest()


def root(node: Node, size: int) -> bytes:
    """The root over the first `size` leaves."""
    return EMPTY_ROOT if size == 0 else _stretch(node, 0, size)


def inclusion(node: Node, index: int, size: int) -> list[bytes]:
    """The proof that leaf `index` (from 0) is in the tree of `size` leaves (RFC 6962 §2.1.1).

    Raises Usage if there is no such leaf in it.
    """
    if not 0 <= index < size:
        raise Usage(f"a tree of {size} events holds no event {index + 1}", remedy="name one that it holds")
    return _path(node, 0, index, size)


def consistency(node: Node, old: int, new: int) -> list[bytes]:
    """The proof that the tree of `old` leaves is the beginning of the tree of `new` leaves (RFC 6962 §2.1.2).

    Empty if the sizes are equal. Raises Usage if `old` is the greater one or holds nothing.
    """
    if not 0 < old <= new:
        raise Usage(
            f"a tree of {old} events is no beginning of one of {new}", remedy="give the smaller size first"
        )
    if old == new:
        return []
    # The largest perfect subtree that ends where the old tree ends: the verifier knows it if it is all of it.
    level = (old & -old).bit_length() - 1
    index = (old - 1) >> level
    path = _path(node, level, index, new)
    return [node(level, index), *path] if index else path


def included_root(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """The root that the proof leads to from a leaf hash; None if the proof has not the form of one."""
    if not 0 <= index < size or len(leaf) != 32 or not _hashes(path):
        return None
    last = size - 1
    found = leaf
    for sibling in path:
        if not last:
            return None
        if index & 1 or index == last:
            found = sha256(b"\x01" + sibling + found).digest()
            while not index & 1 and index:
                index >>= 1
                last >>= 1
        else:
            found = sha256(b"\x01" + found + sibling).digest()
        index >>= 1
        last >>= 1
    return None if last else found


def includes(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """True if the proof shows that the tree of `size` leaves under `root` has this leaf hash at `index`."""
    return included_root(leaf, index, size, path) == root


def extends(old: int, old_root: bytes, new: int, new_root: bytes, path: Sequence[bytes]) -> bool:
    """True if the proof shows that the tree of `new` leaves begins with the tree of `old` leaves."""
    if not 0 < old <= new or not _hashes((old_root, new_root, *path)):
        return False
    if old == new:
        return not path and old_root == new_root
    steps = iter([old_root, *path] if old & (old - 1) == 0 else path)
    first = next(steps, None)
    if first is None:
        return False
    index, last = old - 1, new - 1
    while index & 1:
        index >>= 1
        last >>= 1
    found_old = found_new = first
    for sibling in steps:
        if not last:
            return False
        if index & 1 or index == last:
            found_old = sha256(b"\x01" + sibling + found_old).digest()
            found_new = sha256(b"\x01" + sibling + found_new).digest()
            while not index & 1 and index:
                index >>= 1
                last >>= 1
        else:
            found_new = sha256(b"\x01" + found_new + sibling).digest()
        index >>= 1
        last >>= 1
    return not last and found_old == old_root and found_new == new_root


def _hashes(values: Sequence[bytes]) -> bool:
    # Of any other lengths, two could be joined to what two others give.
    return set(map(len, values)) <= {32}


def _path(node: Node, level: int, index: int, size: int) -> list[bytes]:
    """The siblings on the way from a node up to the root of the tree of `size` leaves."""
    path: list[bytes] = []
    while (1 << level) < size:
        sibling = index ^ 1
        start = sibling << level
        if start + (1 << level) <= size:
            path.append(node(level, sibling))
        elif start < size:
            path.append(_stretch(node, start, size))
        level += 1
        index >>= 1
    return path


def _stretch(node: Node, start: int, end: int) -> bytes:
    """The root over the leaves from `start` to `end`, where no subtree of theirs begins before `start`."""
    left = end - start
    found: bytes | None = None
    while left:
        width = left & -left
        level = width.bit_length() - 1
        end -= width
        left -= width
        subtree = node(level, end >> level)
        found = subtree if found is None else sha256(b"\x01" + subtree + found).digest()
    assert found is not None
    return found
