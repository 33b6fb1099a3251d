"""The command line of the verifier: bundle in, verdict out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from t2c.ledger.transfer.verifier.container import MOST_BYTES, Unreadable, files, pieces
from t2c.ledger.transfer.verifier.findings import Fault, Verdict
from t2c.ledger.transfer.verifier.lines import journal_lines, withheld_leaf
from t2c.ledger.transfer.verifier.notes import Key, Note, NoteError, parse_key, read_note
from t2c.ledger.transfer.verifier.tree import leaf_of
from t2c.ledger.transfer.verifier.verdict import JOURNAL, MANIFEST, check

__all__ = ["main"]

SCHEMA = "t2c.bundle-verdict/v1"
_EPILOG = "Exit code: 0 sound, 1 faults, 2 wrong usage, 5 truncated or forked, as proven by what you hold."


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a bundle and print what is proven, what is wrong and what is not proven."""
    parser = argparse.ArgumentParser(
        prog="verify.py", description="Check a bundle without trusting its sender.", epilog=_EPILOG
    )
    parser.add_argument(
        "bundle", nargs="?", type=Path, help="a folder or a .tar.gz (default: the folder of this file)"
    )
    parser.add_argument(
        "--key", action="append", default=[], metavar="KEY|FILE",
        help="a public key <name>+<id>+<base64> that you have from elsewhere; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--checkpoint", action="append", default=[], metavar="FILE", type=Path,
        help="a checkpoint that you kept elsewhere; may be given again",
    )  # fmt: skip
    parser.add_argument(
        "--against",
        metavar="BUNDLE",
        type=Path,
        help="another bundle of the same ledger: find where they part",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--most-bytes", type=int, default=MOST_BYTES, metavar="N", help="what an archive may unpack to"
    )
    given = parser.parse_args(arguments)
    bundle = given.bundle or Path(__file__).resolve().parent
    try:
        keys = [_key(text) for text in given.key]
        anchors = [(str(path), _anchor(path)) for path in given.checkpoint]
        found = check(bundle, keys, anchors, given.most_bytes)
        if given.against is not None:
            found = _compared(found, bundle, given.against, given.most_bytes)
    except (NoteError, OSError) as error:
        print(f"verify.py: {error}", file=sys.stderr)
        return 2
    print(json.dumps(_document(found), indent=2, sort_keys=True) if given.json else _text(found))
    return found.code


def _key(text: str) -> Key:
    path = Path(text)
    try:
        content = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else text
    except OSError:
        content = text
    try:
        return parse_key(content)
    except NoteError as error:
        raise NoteError(f"--key {text}: {error}") from None


def _anchor(path: Path) -> Note:
    with path.open("rb") as stream:
        content = stream.read(1 << 20)
    try:
        return read_note(content)
    except NoteError as error:
        raise NoteError(f"--checkpoint {path}: no checkpoint: {error}") from None


def _compared(found: Verdict, bundle: Path, other: Path, most: int) -> Verdict:
    """The verdict with what a second bundle of the same ledger adds to it."""
    one, two = _leaves(bundle, most), _leaves(other, most)
    try:
        (ledger, first), (its_ledger, its_first) = next(one), next(two)
        if ledger != its_ledger:
            raise NoteError(f"--against {other}: a bundle of another ledger says nothing about this one")
        common = _first_common(one, first, two, its_first)
        split, same, ended = 0, 0, 0
        for seq, (leaf, its_leaf) in enumerate(common, max(int(first), int(its_first))):
            if leaf is None or its_leaf is None:
                ended = seq - 1
                break
            if leaf != its_leaf:
                split = seq
                break
            same, ended = same + 1, seq
    except Unreadable as error:
        return found._replace(
            verdict="faulty" if found.verdict == "sound" else found.verdict,
            faults=[*found.faults, Fault("unreadable", str(other), f"cannot be compared: {error}")],
        )
    if split:
        detail = f"two histories of one ledger: seq {split} is the first event that differs"
        return found._replace(verdict="forked", faults=[*found.faults, Fault("forked", str(other), detail)])
    if not same:
        said = f"that {other} belongs to the same history: no event is in both bundles"
        return found._replace(unproven=[*found.unproven, said])
    said = f"{same:,} events up to seq {ended:,} are the same in {other}"
    return found._replace(proven=[*found.proven, said])


def _first_common(
    one: Iterator[Any], first: int, two: Iterator[Any], its_first: int
) -> Iterator[tuple[bytes | None, bytes | None]]:
    """Pairs of leaves from the first seq that both may hold; None where a bundle has ended."""
    for _ in range(its_first - first):
        if next(one, None) is None:
            break
    for _ in range(first - its_first):
        if next(two, None) is None:
            break
    while True:
        pair = next(one, None), next(two, None)
        if pair == (None, None):
            return
        yield pair


def _leaves(bundle: Path, most: int) -> Iterator[Any]:
    """First (ledger, first seq), then the leaf of each line."""
    said: Any = None
    for name, _, reader in files(bundle, most):
        if name == MANIFEST:
            try:
                said = json.loads(b"".join(pieces(reader)).decode())
                yield str(said["ledger"]), int(said["first"])
            except (ValueError, LookupError, TypeError, RecursionError):
                raise Unreadable("its manifest cannot be used") from None
            break
    if said is None:
        raise Unreadable(f"there is no {MANIFEST} in it")
    for name, _, reader in files(bundle, most):
        if name == JOURNAL:
            for line in journal_lines(pieces(reader)):
                yield withheld_leaf(line) or leaf_of(line)


def _document(found: Verdict) -> dict[str, Any]:
    return {**found._asdict(), "schema": SCHEMA, "faults": [fault._asdict() for fault in found.faults]}


def _text(found: Verdict) -> str:
    lines = [
        f"{found.verdict}: events {found.first} to {found.last} of ledger {found.ledger or 'unknown'}",
        f"  root    {found.root}",
        f"  head    {found.head}",
        f"  bundle  {found.sha256}",
    ]
    lines += [f"  fault   {fault.kind}  {fault.where}  {fault.detail}" for fault in found.faults]
    lines += [f"  proven: {sentence}" for sentence in found.proven]
    lines += [f"  not proven: {sentence}" for sentence in found.unproven]
    # Names and texts of a foreign bundle must not steer the terminal.
    return "\n".join("".join(char if char.isprintable() else "?" for char in line) for line in lines)
