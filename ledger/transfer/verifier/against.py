"""Two bundles of one ledger side by side: where they part, and which of them goes on further."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from t2c.ledger.transfer.verifier.container import Unreadable, files, pieces, whole
from t2c.ledger.transfer.verifier.findings import Fault, Verdict
from t2c.ledger.transfer.verifier.lines import journal_lines, withheld_leaf
from t2c.ledger.transfer.verifier.manifest import MOST_MANIFEST, read_manifest
from t2c.ledger.transfer.verifier.notes import NoteError
from t2c.ledger.transfer.verifier.tree import leaf_of
from t2c.ledger.transfer.verifier.verdict import JOURNAL, MANIFEST

__all__ = ["compared"]


def compared(found: Verdict, bundle: Path, other: Path, most: int) -> Verdict:
    """The verdict with what a second bundle of the same ledger adds to it.

    Raises NoteError for a bundle of another ledger.
    """
    try:
        (ledger, first, one), (its_ledger, its_first, two) = _leaves(bundle, most), _leaves(other, most)
        if ledger != its_ledger:
            raise NoteError(f"--against {other}: a bundle of another ledger says nothing about this one")
        ends = [first - 1, its_first - 1]
        same = upto = split = 0
        for seq, leaf, its_leaf in _pairs(one, first, two, its_first):
            if leaf is not None:
                ends[0] = seq
            if its_leaf is not None:
                ends[1] = seq
            if leaf is not None and its_leaf is not None and not split:
                if leaf != its_leaf:
                    split = seq
                    break
                same, upto = same + 1, seq
    except Unreadable as error:
        return found._replace(
            verdict="faulty" if found.verdict == "sound" else found.verdict,
            faults=[*found.faults, Fault("unreadable", str(other), f"cannot be compared: {error}")],
        )
    said: dict[str, Any] = {"bundle": str(other), "same": same, "upto": upto, "differs": split or None}
    if split:
        detail = f"two histories of one ledger: seq {split} is the first event that differs"
        return found._replace(
            verdict="forked", faults=[*found.faults, Fault("forked", str(other), detail)], against=said
        )
    said.update(last=ends[0], its_last=ends[1], goes_on=ends[1] > ends[0])
    proven, unproven = list(found.proven), list(found.unproven)
    if same:
        proven.append(f"{same:,} events up to seq {upto:,} are the same in {other}")
    else:
        unproven.append(f"that {other} belongs to the same history: no event is in both bundles")
    if ends[1] > ends[0]:
        unproven.append(
            f"that nothing was cut off its end: the other bundle goes on to event {ends[1]:,}; this one ends at {ends[0]:,}"
        )
    return found._replace(proven=proven, unproven=unproven, against=said)


def _pairs(
    one: Iterator[bytes], first: int, two: Iterator[bytes], its_first: int
) -> Iterator[tuple[int, bytes | None, bytes | None]]:
    """Each seq from the lower first one on with the leaves there, None where a bundle has no line."""
    seq = min(first, its_first)
    leaf: bytes | None = None
    its_leaf: bytes | None = None
    while True:
        leaf = next(one, None) if seq >= first else None
        its_leaf = next(two, None) if seq >= its_first else None
        if leaf is None and its_leaf is None:
            if seq >= max(first, its_first):
                return
            seq = max(first, its_first)
            continue
        yield seq, leaf, its_leaf
        seq += 1


def _leaves(bundle: Path, most: int) -> tuple[str, int, Iterator[bytes]]:
    """The ledger, the first seq, and the leaf of each line."""
    for name, size, reader in files(bundle, most):
        if name == MANIFEST:
            content = whole(reader, size, MOST_MANIFEST)
            try:
                said = read_manifest(b"" if content is None else content)
            except ValueError:
                raise Unreadable("its manifest cannot be used") from None
            return said["ledger"], said["first"], _leaves_of(bundle, most)
    raise Unreadable(f"there is no {MANIFEST} in it")


def _leaves_of(bundle: Path, most: int) -> Iterator[bytes]:
    for name, _, reader in files(bundle, most):
        if name == JOURNAL:
            for line in journal_lines(pieces(reader)):
                yield withheld_leaf(line) or leaf_of(line)
