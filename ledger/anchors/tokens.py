"""Time-stamp tokens as they are kept: `<size>.tsr` and, beside it, what it stamps as `<size>.stamped` (12 digits).

So `openssl` alone can check them:

    openssl ts -verify -data <size>.stamped -in <size>.tsr -CAfile ca.pem
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.found import Found, Remark
from t2c.ledger.anchors.rfc3161 import LARGEST, trusted, verify
from t2c.ledger.errors import Conflict, Corrupt, Environment, Usage
from t2c.ledger.journal.files import make_folder, read_regular, write_atomically
from t2c.ledger.journal.note import MAX_NOTE, Checkpoint, parse_checkpoint

__all__ = ["Token", "keep", "kept", "read"]

_OWN: Final = (
    "that an authority stamped anything: the certificates are this repository's own (anchor.rfc3161_ca), and whoever"
    " can write there can put an authority of theirs in its place (--ca FILE)"
)
_NAME: Final = re.compile(r"([0-9]{12,16})\.tsr\Z")


class Token(NamedTuple):
    """A token that is kept: its file, its bytes and the text that it is for."""

    path: Path
    content: bytes
    text: str


def kept(folder: Path, checkpoint: Checkpoint) -> Token | None:
    """The token that is kept for a checkpoint, None if there is none.

    Raises Conflict if one for another checkpoint of the same size is: the journal is not what it was then.
    """
    path, beside = _files(folder, checkpoint.size)
    token = _token(path, beside)
    if token is None:
        return None
    if token.text != checkpoint.body():
        raise Conflict(
            f"a token for another checkpoint of {checkpoint.size:,} events is kept: the journal is not the one of then",
            where=str(path),
            safe="the token that is kept",
            remedy="run `t2c ledger verify --anchor rfc3161`",
        )
    return token


def keep(folder: Path, checkpoint: Checkpoint, token: bytes) -> Path:
    """Keep a token and what it stamps as `<size>.tsr` and `<size>.stamped` (12 digits); returns the token's file.

    Raises Environment if they cannot be written.
    """
    path, beside = _files(folder, checkpoint.size)
    try:
        make_folder(folder)
        write_atomically(beside, checkpoint.body().encode())
        write_atomically(path, token)
    except OSError as error:
        raise Environment(
            f"the token could not be kept: {error.strerror}",
            where=str(path),
            safe="the journal and its checkpoints",
            remedy="make room or the folder writable, then anchor again",
        ) from error
    return path


def read(folder: Path, ledger: str, ca: Path | None = None, *, own: bool = False) -> Found:
    """The anchors of a ledger among the tokens in a folder, the smallest first.

    Without `ca`, or with certificates that are the ledger's `own`, a token is worth what a file beside the journal
    is: whoever changes the one could change the other. One that proves nothing is named in remarks.
    """
    anchors: list[Anchor] = []
    remarks: list[Remark] = []
    others: list[str] = []
    trusted(ca)
    for token in _tokens(folder, remarks):
        try:
            checkpoint = parse_checkpoint(token.text).checkpoint
            stamp = verify(token.content, checkpoint, ca)
        except (Usage, Corrupt) as error:
            remarks.append(Remark("unproven_token", 1, f"{token.path.name}: {error.what}"))
            continue
        if checkpoint.ledger != ledger:
            others.append(checkpoint.origin)
            continue
        source = f"time stamp of {stamp.time} ({token.path.name})"
        strength = "witness" if stamp.proven and not own else "beside"
        anchors.append(Anchor(source, checkpoint, token.text, strength, str(token.path)))
    if others:
        remarks.append(Remark("other_ledger", len(others), "a time stamp of another ledger's checkpoint"))
    if anchors and ca is None:
        remarks.append(
            Remark(
                "authority_unknown",
                len(anchors),
                "who signed a time stamp was not checked: no certificate was given (--ca)",
            )
        )
    doubts = (_OWN,) if anchors and ca is not None and own else ()
    anchors.sort(key=lambda anchor: anchor.checkpoint.size)
    return Found(tuple(anchors), tuple(remarks), tuple(others), doubts=doubts)


def _files(folder: Path, size: int) -> tuple[Path, Path]:
    return folder / f"{size:012d}.tsr", folder / f"{size:012d}.stamped"


def _token(path: Path, beside: Path) -> Token | None:
    try:
        content = read_regular(path, LARGEST + 1)
        text = read_regular(beside, MAX_NOTE + 1).decode("utf-8", "replace")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise Environment(f"a token cannot be read: {error.strerror}", where=str(error.filename)) from error
    return Token(path, content, text)


def _tokens(folder: Path, remarks: list[Remark]) -> Iterator[Token]:
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        if _NAME.match(path.name):
            token = _token(path, path.with_suffix(".stamped"))
            if token is None:
                remarks.append(Remark("unproven_token", 1, f"{path.name}: what it stamps is not beside it"))
            else:
                yield token
