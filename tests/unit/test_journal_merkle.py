"""Claims: the root is that of RFC 6962, whatever the size and however the leaves come.

Mutations seen to fail: nodes joined in the wrong order; an odd leaf doubled; the block's level off by one.
"""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.journal.merkle import Frontier, root_of
from t2c.ledger.kernel.digests import leaf_hash

# Inputs and roots that implementations of RFC 6962 test themselves with.
INPUTS = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def leaf(number: int) -> bytes:
    return hashlib.sha256(b"\x00%d" % number).digest()


@pytest.mark.parametrize("size", range(9))
def test_the_known_vectors_of_rfc_6962(size: int) -> None:
    leaves = [bytes.fromhex(leaf_hash(bytes.fromhex(text))) for text in INPUTS[:size]]
    assert root_of(leaves).hex() == ROOTS[size]


def test_every_small_size_agrees_with_the_definition(oracle: Any) -> None:
    leaves = [leaf(number) for number in range(201)]
    for size in range(201):
        assert root_of(leaves[:size]) == oracle.root(leaves[:size])


@pytest.mark.parametrize("size", [4095, 4096, 4097, 8191, 8192, 8193, 12_289, 20_000])
def test_sizes_around_a_block_agree_with_the_definition(size: int, oracle: Any) -> None:
    leaves = [leaf(number) for number in range(size)]
    assert root_of(leaves) == oracle.root(leaves)


LEAVES = b"".join(leaf(number) for number in range(6 * 3000))


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3000), max_size=6))
def test_it_does_not_matter_how_the_leaves_come(parts: list[int]) -> None:
    total = sum(parts)
    leaves = LEAVES[: total * 32]
    frontier, at = Frontier(), 0
    for part in parts:
        frontier.extend(leaves[at * 32 : (at + part) * 32])
        at += part
        frontier.root()
    assert frontier.size == total
    whole = Frontier()
    whole.extend(leaves)
    assert frontier.root() == whole.root()
