"""What an inclusion proof costs in a tree of a million leaves, to make and to check.

    python tests/bench/proofs.py [--quick] [--rounds N] [--rows GLOB]

The nodes of the tree lie in memory, level by level, as the kept tree has them in its files. Each figure is the mean over
one round's proofs of leaves all over the tree; the median of the rounds is shown.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from hashlib import sha256
from struct import iter_unpack

from common import Asked, NotHere, Row, alone, cost

LEAVES = 1_000_000
PROOFS = 5_000


def levels(leaves: int) -> list[bytes]:
    """All perfect subtrees over numbered leaves: for each level its nodes, 32 bytes each."""
    found = [b"".join(sha256(b"\x00%d" % number).digest() for number in range(leaves))]
    while len(found[-1]) >= 64:
        whole = len(found[-1]) // 64 * 64
        found.append(
            b"".join(sha256(b"\x01" + pair).digest() for (pair,) in iter_unpack("64s", found[-1][:whole]))
        )
    return found


def inclusion(asked: Asked) -> Iterator[Row]:
    """Make and check."""
    try:
        from t2c.ledger.journal import proofs
    except ImportError:
        raise NotHere("there are no proofs yet") from None
    leaves, count = asked.size(LEAVES), asked.size(PROOFS)
    kept = levels(leaves)

    def node(level: int, index: int) -> bytes:
        return kept[level][index * 32 : index * 32 + 32]

    # A step that shares no factor with the size visits leaves all over the tree.
    asked_for = [number * 7_919 % leaves for number in range(count)]
    root = proofs.root(node, leaves)
    made = [proofs.inclusion(node, index, leaves) for index in asked_for]
    leaf = [node(0, index) for index in asked_for]
    rounds: tuple[list[float], list[float]] = ([], [])
    for _ in range(asked.rounds):
        rounds[0].append(cost(lambda: [proofs.inclusion(node, index, leaves) for index in asked_for]).cpu)

        def check() -> None:
            for one, index, path in zip(leaf, asked_for, made, strict=True):
                assert proofs.includes(one, index, leaves, path, root)

        rounds[1].append(cost(check).cpu)
    for name, what, spent, must, aim in (
        ("proof-generate", "made", rounds[0], 100, 50),
        ("proof-verify", "checked", rounds[1], 50, 30),
    ):
        yield Row(
            name,
            f"inclusion proof {what}, tree of {leaves:,} leaves",
            value=statistics.median(spent) / count * 1e6,
            unit="us CPU",
            must=f"<= {must}",
            aim=f"<= {aim}",
        )


MEASURES = {"proof-inclusion": inclusion}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
