"""Claims: for any tree and any event a right proof is accepted, and one in which anything is changed is not."""

from __future__ import annotations

import hashlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.journal import proofs

MOST = 5000
LEVELS = [[hashlib.sha256(b"\x00%d" % number).digest() for number in range(MOST)]]
while len(LEVELS[-1]) > 1:
    LEVELS.append(
        [
            hashlib.sha256(b"\x01" + left + right).digest()
            for left, right in zip(LEVELS[-1][::2], LEVELS[-1][1::2], strict=False)
        ]
    )


def node(level: int, index: int) -> bytes:
    return LEVELS[level][index]


@st.composite
def two(draw: Any) -> tuple[int, int]:
    """Two sizes, the smaller first."""
    greater = draw(st.integers(1, MOST))
    return draw(st.integers(1, greater)), greater


def changed(draw: Any, values: list[bytes]) -> list[bytes]:
    """The values with one of them changed, missing, doubled or exchanged with its neighbour."""
    at = draw(st.integers(0, len(values) - 1))
    other = bytearray(values[at])
    other[draw(st.integers(0, 31))] ^= 1 << draw(st.integers(0, 7))
    ways = [
        [*values[:at], bytes(other), *values[at + 1 :]],
        [*values[:at], *values[at + 1 :]],
        [*values[: at + 1], *values[at:]],
    ]
    if at:
        ways.append([*values[: at - 1], values[at], values[at - 1], *values[at + 1 :]])
    found: list[bytes] = draw(st.sampled_from(ways))
    return found


@given(two(), st.data())
def test_inclusion(sizes: tuple[int, int], data: Any) -> None:
    seq, size = sizes
    index, root = seq - 1, proofs.root(node, size)
    path = proofs.inclusion(node, index, size)
    assert proofs.includes(node(0, index), index, size, path, root)
    assert not proofs.includes(node(0, (index + 1) % MOST), index, size, path, root)
    wrong = data.draw(st.integers(0, size - 1))
    assert proofs.includes(node(0, index), wrong, size, path, root) == (wrong == index)
    if path:
        assert not proofs.includes(node(0, index), index, size, changed(data.draw, path), root)


@given(two(), st.data())
def test_consistency(sizes: tuple[int, int], data: Any) -> None:
    old, new = sizes
    roots = proofs.root(node, old), proofs.root(node, new)
    path = proofs.consistency(node, old, new)
    assert proofs.extends(old, roots[0], new, roots[1], path)
    other = data.draw(st.integers(1, MOST))
    fits = other == old
    assert proofs.extends(old, proofs.root(node, other), new, roots[1], path) == fits
    if path:
        assert not proofs.extends(old, roots[0], new, roots[1], changed(data.draw, path))
