"""Claims: proofs are those of RFC 6962, whatever the size, and one that is wrong anywhere is refused.

Mutations seen to fail: a ragged right sibling left out; the first node of a consistency proof always given; lengths
of hashes not looked at; the last bits of the index not compared.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from t2c.ledger.errors import Usage
from t2c.ledger.journal import proofs

# What implementations of RFC 6962 test themselves with: leaves, proofs and roots of Certificate Transparency.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
INCLUSION = [
    (0, 1, []),
    (
        0,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        5,
        8,
        [
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (2, 3, ["fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"]),
    (
        1,
        5,
        [
            "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
]
CONSISTENCY = [
    (1, 1, []),
    (
        1,
        8,
        [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ],
    ),
    (
        6,
        8,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
    (
        2,
        5,
        [
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
        ],
    ),
    (
        6,
        7,
        [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "b08693ec2e721597130641e8211e7eedccb4c26413963eee6c1e2ed16ffb1a5f",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ],
    ),
]


class Nodes:
    """All perfect subtrees of a list of leaves. Asking for any other is an error."""

    def __init__(self, leaves: list[bytes]) -> None:
        self.levels = [leaves]
        while len(self.levels[-1]) > 1:
            below = self.levels[-1]
            pairs = zip(below[::2], below[1::2], strict=False)
            self.levels.append([hashlib.sha256(b"\x01" + left + right).digest() for left, right in pairs])

    def __call__(self, level: int, index: int) -> bytes:
        assert index >= 0
        return self.levels[level][index]


KNOWN = Nodes([hashlib.sha256(b"\x00" + bytes.fromhex(text)).digest() for text in INPUTS])
LEAVES = [hashlib.sha256(b"\x00%d" % number).digest() for number in range(64)]


@pytest.mark.parametrize(("index", "size", "path"), INCLUSION)
def test_the_known_inclusion_proofs(index: int, size: int, path: list[str]) -> None:
    found = proofs.inclusion(KNOWN, index, size)
    assert [node.hex() for node in found] == path
    assert proofs.includes(KNOWN(0, index), index, size, found, proofs.root(KNOWN, size))


@pytest.mark.parametrize(("old", "new", "path"), CONSISTENCY)
def test_the_known_consistency_proofs(old: int, new: int, path: list[str]) -> None:
    found = proofs.consistency(KNOWN, old, new)
    assert [node.hex() for node in found] == path
    assert proofs.extends(old, proofs.root(KNOWN, old), new, proofs.root(KNOWN, new), found)


def split(size: int) -> int:
    return 1 << ((size - 1).bit_length() - 1)


def path_of(oracle: Any, index: int, leaves: list[bytes]) -> list[bytes]:
    """RFC 6962 §2.1.1, word for word."""
    if len(leaves) == 1:
        return []
    k = split(len(leaves))
    if index < k:
        return [*path_of(oracle, index, leaves[:k]), oracle.root(leaves[k:])]
    return [*path_of(oracle, index - k, leaves[k:]), oracle.root(leaves[:k])]


def subproof(oracle: Any, m: int, leaves: list[bytes], whole: bool) -> list[bytes]:
    """RFC 6962 §2.1.2, word for word."""
    if m == len(leaves):
        return [] if whole else [oracle.root(leaves)]
    k = split(len(leaves))
    if m <= k:
        return [*subproof(oracle, m, leaves[:k], whole), oracle.root(leaves[k:])]
    return [*subproof(oracle, m - k, leaves[k:], False), oracle.root(leaves[:k])]


@pytest.mark.parametrize("size", range(1, 65))
def test_every_inclusion_proof_of_sizes_1_to_64_agrees_with_the_definition(size: int, oracle: Any) -> None:
    leaves = LEAVES[:size]
    node, root = Nodes(leaves), oracle.root(leaves)
    assert proofs.root(node, size) == root
    for index in range(size):
        path = proofs.inclusion(node, index, size)
        assert path == path_of(oracle, index, leaves)
        assert proofs.includes(leaves[index], index, size, path, root)
        for other in range(size):
            assert proofs.includes(leaves[index], other, size, path, root) == (other == index)


@pytest.mark.parametrize("new", range(1, 65))
def test_every_consistency_proof_of_sizes_1_to_64_agrees_with_the_definition(new: int, oracle: Any) -> None:
    node, root = Nodes(LEAVES[:new]), oracle.root(LEAVES[:new])
    for old in range(1, new + 1):
        path = proofs.consistency(node, old, new)
        assert path == subproof(oracle, old, LEAVES[:new], True)
        assert proofs.extends(old, oracle.root(LEAVES[:old]), new, root, path)


@pytest.mark.parametrize("size", [*range(1, 18), 31, 32, 33])
def test_a_proof_that_is_wrong_anywhere_is_refused(size: int, oracle: Any) -> None:
    node, root = Nodes(LEAVES[:size]), oracle.root(LEAVES[:size])
    for index in range(size):
        leaf, path = LEAVES[index], proofs.inclusion(node, index, size)
        assert not proofs.includes(leaf, index, size, path, flipped(root))
        assert not proofs.includes(flipped(leaf), index, size, path, root)
        for wrong in mutations(path):
            assert not proofs.includes(leaf, index, size, wrong, root)
    for old in range(1, size + 1):
        before, path = oracle.root(LEAVES[:old]), proofs.consistency(node, old, size)
        assert not proofs.extends(old, flipped(before), size, root, path)
        assert not proofs.extends(old, before, size, flipped(root), path)
        for wrong in mutations(path):
            assert not proofs.extends(old, before, size, root, wrong)


def mutations(path: list[bytes]) -> list[list[bytes]]:
    """The same proof with one hash changed, missing, added, cut short or moved."""
    found = [[*path, bytes(32)], [bytes(32), *path]]
    for at in range(len(path)):
        found.append([*path[:at], flipped(path[at]), *path[at + 1 :]])
        found.append([*path[:at], *path[at + 1 :]])
        found.append([*path[:at], path[at][:-1], *path[at + 1 :]])
    if len(path) > 1:
        found.append(path[::-1])
    return found


def flipped(digest: bytes) -> bytes:
    return bytes([digest[0] ^ 1]) + digest[1:]


def test_a_longer_hash_that_borrows_a_byte_of_its_neighbour_is_refused() -> None:
    leaf, sibling = LEAVES[0], LEAVES[1]
    root = hashlib.sha256(b"\x01" + leaf + sibling).digest()
    joined = leaf + sibling
    assert proofs.includes(joined[:32], 0, 2, [joined[32:]], root)
    assert not proofs.includes(joined[:33], 0, 2, [joined[33:]], root)


def test_what_is_no_hash_has_no_part_in_a_proof() -> None:
    root = hashlib.sha256(b"\x01" + LEAVES[0] + b"short").digest()
    assert not proofs.includes(LEAVES[0], 0, 2, [b"short"], root)
    assert not proofs.extends(1, LEAVES[0], 2, root, [b"short"])
    assert not proofs.extends(1, b"short", 1, b"short", [])


def test_nothing_is_proven_of_an_empty_tree_or_beyond_the_end() -> None:
    assert proofs.root(KNOWN, 0) == hashlib.sha256(b"").digest()
    for index, size in ((0, 0), (8, 8), (-1, 8)):
        with pytest.raises(Usage):
            proofs.inclusion(KNOWN, index, size)
        assert not proofs.includes(LEAVES[0], index, size, [], LEAVES[0])
    for old, new in ((0, 8), (8, 7), (-1, 2)):
        with pytest.raises(Usage):
            proofs.consistency(KNOWN, old, new)
        assert not proofs.extends(old, proofs.EMPTY_ROOT, new, proofs.EMPTY_ROOT, [])
