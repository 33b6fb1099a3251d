"""The command line of the verifier: bundle in, verdict out."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from t2c.ledger.transfer.verifier.against import compared
from t2c.ledger.transfer.verifier.container import MOST_BYTES
from t2c.ledger.transfer.verifier.findings import Verdict
from t2c.ledger.transfer.verifier.notes import (
    MOST_NOTE,
    MOST_TOGETHER,
    Key,
    Note,
    NoteError,
    parse_key,
    read_note,
)
from t2c.ledger.transfer.verifier.verdict import check

__all__ = ["main"]

SCHEMA = "t2c.bundle-verdict/v1"
_EPILOG = "Exit code: 0 sound, 1 faults, 2 wrong usage, 5 truncated or forked, as proven by what you hold."


def main(arguments: Sequence[str] | None = None) -> int:
    """Check a bundle and print what is proven, what is wrong and what is not proven."""
    try:
        return _run(arguments)
    except (Exception, KeyboardInterrupt) as error:  # noqa: BLE001 - a traceback is no answer to an auditor
        # Whatever went wrong, it is no verdict: neither on the bundle nor for it.
        what = str(error).splitlines()[:1] or [""]
        print(
            f"verify.py: could not be checked: {type(error).__name__} {_plain(what[0][:200])}",
            file=sys.stderr,
        )
        return 2


def _run(arguments: Sequence[str] | None) -> int:
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
        keys = [key for text in given.key for key in _keys(text)]
        anchors = [(str(path), _anchor(path)) for path in given.checkpoint]
        found = check(bundle, keys, anchors, given.most_bytes)
        if given.against is not None:
            found = compared(found, bundle, given.against, given.most_bytes)
    except (NoteError, OSError) as error:
        print(f"verify.py: {_plain(str(error))}", file=sys.stderr)
        return 2
    print(json.dumps(_document(found), indent=2, sort_keys=True) if given.json else _text(found))
    return found.code


def _keys(text: str) -> list[Key]:
    """The key that was given, or those of a file, one a line; lines that begin with # are comments."""
    content = text
    try:
        path = Path(text)
        if path.is_file():
            with path.open("rb") as stream:
                content = stream.read(MOST_TOGETHER + 1)[:MOST_TOGETHER].decode("utf-8", "replace")
    except (OSError, ValueError):
        pass  # a key is no name of a file
    try:
        lines = [line for line in content.splitlines() if line.strip() and not line.startswith("#")]
        if not lines or "-----BEGIN" in content:
            raise NoteError("no key of the form <name>+<8 hex>+<base64>; a PEM does not say whose it is")
        return [parse_key(line) for line in lines]
    except NoteError as error:
        raise NoteError(f"--key {text[:200]}: {error}") from None


def _anchor(path: Path) -> Note:
    with path.open("rb") as stream:
        content = stream.read(MOST_NOTE + 1)
    try:
        if len(content) > MOST_NOTE:
            raise NoteError(f"longer than {MOST_NOTE:,} bytes")
        return read_note(content)
    except NoteError as error:
        raise NoteError(f"--checkpoint {path}: no checkpoint: {error}") from None


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
    return "\n".join(map(_plain, lines))


def _plain(line: str) -> str:
    """Names and texts of a foreign bundle must not steer the terminal."""
    return "".join(char if char.isprintable() else "?" for char in line)
