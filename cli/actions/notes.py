"""Checkpoints and public keys that a caller gives: from files anywhere, since they are kept away from the ledger."""

from __future__ import annotations

import errno
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.journal.note import MAX_NOTE, SignedNote, parse_checkpoint
from t2c.ledger.journal.signature import VerifierKey, parse_key

__all__ = ["read_checkpoint", "read_file", "read_keys"]

_KEYS: Final = 1 << 16


def read_checkpoint(cwd: Path, name: str) -> SignedNote:
    """The checkpoint in a file. Raises Usage if there is none or it is no checkpoint, Environment if unreadable."""
    return parse_checkpoint(read_file(cwd, name, MAX_NOTE), name)


def read_keys(cwd: Path, given: Sequence[str]) -> list[VerifierKey]:
    """Public keys, each given as its text or as a file with one a line. Raises Usage and Environment."""
    found: list[VerifierKey] = []
    for item in given:
        try:
            found.append(parse_key(item, "--key"))
            continue
        except Usage as error:
            no_key = error
        try:
            text = read_file(cwd, item, _KEYS).decode("utf-8", "replace")
        except (Usage, Environment):
            if item.count("+") >= 2:
                raise no_key from None
            raise
        if text.lstrip().startswith("-----BEGIN "):
            raise Usage(
                "this file holds a key without the name and id by which signatures claim it",
                where=item,
                remedy="give what `t2c ledger key export` prints without --pem",
            )
        keys = [parse_key(line.strip(), item) for line in text.splitlines() if line.strip()]
        if not keys:
            raise Usage(
                "the file holds no public key", where=item, remedy="`t2c ledger key export` prints one"
            )
        found += keys
    return list(dict.fromkeys(found))


def read_file(cwd: Path, name: str, most: int) -> bytes:
    """The bytes of a file, at most `most`. Raises Usage if it is longer or not there, Environment if unreadable."""
    path = cwd / name
    try:
        with path.open("rb") as stream:
            content = stream.read(most + 1)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, ValueError):
        raise _no_file(name) from None
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise _no_file(name) from None
        raise Environment(f"the file cannot be read: {error.strerror}", where=name) from error
    if len(content) > most:
        raise Usage(f"the file is longer than {most:,} bytes", where=name)
    return content


def _no_file(name: str) -> Usage:
    return Usage(f"there is no file {name[:200]!r}", where=name[:200], remedy="name a file that exists")
