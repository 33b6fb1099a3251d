"""Checkpoints and their signatures: C2SP tlog-checkpoint in a C2SP signed note."""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import NamedTuple

__all__ = [
    "MOST_KEY", "MOST_NOTE", "MOST_NOTES", "MOST_TOGETHER", "Key", "Note", "NoteError", "Signature", "parse_key",
    "read_note",
]  # fmt: skip

MOST_NOTE = 64 << 10
MOST_KEY = 4 << 10
MOST_NOTES = 10_000
"""Checkpoints that a bundle may hold, and keys."""
MOST_TOGETHER = 16 << 20
"""Bytes of all of them."""

_SIZE = re.compile(r"(?:0|[1-9][0-9]{0,15})\Z")
_KEY = re.compile(r"([^\s+]{1,300})\+([0-9a-f]{8})\+([A-Za-z0-9+/=]{1,200})\Z")
_DASH = "\u2014 "
_ED25519 = b"\x01"


class NoteError(ValueError):
    """A text that is no checkpoint or no key."""


class Signature(NamedTuple):
    """One signature line: key name, key id (8 hex) and what follows it."""

    name: str
    key: str
    content: bytes


class Note(NamedTuple):
    """A checkpoint: the first `size` lines of the log `origin` have the root `root`. `text` is what is signed."""

    origin: str
    size: int
    root: bytes
    text: bytes
    signatures: tuple[Signature, ...]


class Key(NamedTuple):
    """A public Ed25519 key with its name and id, as `<name>+<id>+<base64>` says it."""

    name: str
    id: str
    public: bytes


def parse_key(text: str) -> Key:
    """Read a verifier key. Raises NoteError if it is none."""
    found = _KEY.match(text.strip())
    packed = None if found is None else _decoded(found.group(3))
    if found is None or packed is None or len(packed) != 33 or packed[:1] != _ED25519:
        raise NoteError("no Ed25519 key of the form <name>+<8 hex>+<base64>")
    name = found.group(1)
    if sha256(name.encode() + b"\n" + packed).hexdigest()[:8] != found.group(2):
        raise NoteError("the key's id is not that of its name and bytes")
    return Key(name, found.group(2), packed[1:])


def read_note(content: bytes) -> Note:
    """Read a checkpoint, signed or not. Raises NoteError if it is none."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise NoteError("not UTF-8") from None
    body, blank, rest = text.rpartition("\n\n")
    signatures = []
    if blank:
        body += "\n"
        lines = rest.split("\n")
        if lines.pop() or not lines:
            raise NoteError("the signatures do not end in a line feed")
        signatures = [_signature(line) for line in lines]
    else:
        body = text
    parts = body.split("\n")
    if len(parts) < 4 or parts.pop() or "" in parts:
        raise NoteError("not an origin, a size and a root, each on its line")
    origin, size, root = parts[:3]
    digest = _decoded(root)
    if not _SIZE.match(size) or digest is None or len(digest) != 32:
        raise NoteError("the size or the root is none")
    return Note(origin, int(size), digest, body.encode(), tuple(signatures))


def _signature(line: str) -> Signature:
    name, _, packed = line[len(_DASH) :].partition(" ")
    content = _decoded(packed)
    if not line.startswith(_DASH) or not name or content is None or len(content) < 5:
        raise NoteError("a signature line is not of the form of a note")
    return Signature(name, content[:4].hex(), content[4:])


def _decoded(text: str) -> bytes | None:
    try:
        content = b64decode(text, validate=True)
    except ValueError:
        return None
    return content if b64encode(content).decode() == text else None
