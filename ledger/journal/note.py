"""Checkpoints as text: C2SP tlog-checkpoint in a C2SP signed note (journal-engine §5).

    t2c/<ledger id>            origin
    1041                       size: the number of events
    <base64>                   Merkle root over them
    <further lines>            extensions, kept as they are
                               (blank)
    — <name> <base64(key id ‖ signature)>

The blank line and the signatures are missing in a checkpoint that nobody signed. Signatures of unknown keys are
kept. What a signature is worth is for `signature` to say: nothing is checked here but the form.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple

from t2c.ledger.errors import Usage
from t2c.ledger.kernel.canon import MAX_INT

__all__ = [
    "MAX_NOTE",
    "MAX_SIGNATURES",
    "ORIGIN",
    "Checkpoint",
    "NoteSignature",
    "SignedNote",
    "ledger_of",
    "origin_of",
    "parse_checkpoint",
    "parse_note",
]

MAX_NOTE: Final = 1 << 18
"""Bytes of a whole note: 16 post-quantum signatures, which a reader has to take, need some 110,000."""
MAX_SIGNATURES: Final = 100
ORIGIN: Final = "t2c/"

_NAME: Final = re.compile(r"[^\s+]{1,300}\Z")
_CONTROL: Final = re.compile(r"[\x00-\x09\x0b-\x1f]")
_SIZE: Final = re.compile(r"(?:0|[1-9][0-9]{0,15})\Z")
_LEDGER: Final = re.compile(r"t2c/([0-9a-f]{32})\Z")
_DASH: Final = "— "


class Checkpoint(NamedTuple):
    """The first `size` events of the log `origin` have the Merkle root `root` (32 bytes)."""

    origin: str
    size: int
    root: bytes
    extension: tuple[str, ...] = ()

    @property
    def ledger(self) -> str | None:
        """The id of the ledger that it speaks of; None if the origin is no ledger of t2c's."""
        return ledger_of(self.origin)

    def body(self) -> str:
        """The text that is signed, final LF included."""
        lines = (self.origin, str(self.size), b64encode(self.root).decode(), *self.extension)
        return "".join(f"{line}\n" for line in lines)


class NoteSignature(NamedTuple):
    """One signature line: the key's name, its id (8 hex) and the signature's bytes, whatever their kind."""

    name: str
    key: str
    signature: bytes

    def line(self) -> str:
        """The line, LF included."""
        packed = b64encode(bytes.fromhex(self.key) + self.signature).decode()
        return f"{_DASH}{self.name} {packed}\n"


class SignedNote(NamedTuple):
    """A checkpoint with its signatures, none if nobody signed. `text` is what they sign, final LF included."""

    text: str
    checkpoint: Checkpoint
    signatures: tuple[NoteSignature, ...] = ()

    @classmethod
    def of(cls, checkpoint: Checkpoint, signatures: Sequence[NoteSignature] = ()) -> SignedNote:
        """The note of a checkpoint."""
        return cls(checkpoint.body(), checkpoint, tuple(signatures))

    @property
    def note(self) -> str:
        """The whole note as it is written to a file: the bytes that it was read from."""
        if not self.signatures:
            return self.text
        return self.text + "\n" + "".join(signature.line() for signature in self.signatures)


def origin_of(ledger: str) -> str:
    """The origin line of a ledger's checkpoints, which is also the name of the keys that sign them."""
    return ORIGIN + ledger


def ledger_of(origin: str) -> str | None:
    """The id of the ledger that an origin, or the name of a key, is of; None if it is no ledger of t2c's."""
    found = _LEDGER.match(origin)
    return None if found is None else found[1]


def parse_note(note: str | bytes, where: str | None = None) -> tuple[str, tuple[NoteSignature, ...]]:
    """The signed text and the signatures of a C2SP signed note; no signatures if it is text alone.

    Raises Usage, with `where` as its place, for anything that the format does not allow.
    """
    content = _text(note, where)
    body, blank, rest = content.rpartition("\n\n")
    if not blank:
        return content, ()
    lines = rest.split("\n")
    if lines.pop() or not lines:
        raise _wrong("its signatures do not end in a line feed", where)
    if len(lines) > MAX_SIGNATURES:
        raise _wrong(f"it has more than {MAX_SIGNATURES} signatures", where)
    return body + "\n", tuple(_signature(line, where) for line in lines)


def parse_checkpoint(note: str | bytes, where: str | None = None) -> SignedNote:
    """Read a checkpoint, signed or not. Raises Usage, with `where` as its place, if it is none."""
    text, signatures = parse_note(note, where)
    origin, *rest = text[:-1].split("\n")
    if not origin or len(rest) < 2:
        raise _wrong("it does not hold an origin, a size and a root, each on its line", where)
    size, root, *extension = rest
    if not _SIZE.match(size) or int(size) > MAX_INT:
        raise _wrong(f"its size is {size[:40]!r}, which is no number of events", where)
    digest = _decoded(root)
    if digest is None or len(digest) != 32:
        raise _wrong("its third line is no SHA-256 root in base64", where)
    if "" in extension:
        raise _wrong("it holds an empty line before its signatures", where)
    return SignedNote(text, Checkpoint(origin, int(size), digest, tuple(extension)), signatures)


def _text(note: str | bytes, where: str | None) -> str:
    if len(note) > MAX_NOTE:
        raise _wrong(f"it is longer than {MAX_NOTE:,} bytes", where)
    try:
        content = note.decode() if isinstance(note, bytes) else note
        if not isinstance(note, bytes):
            note.encode()
    except UnicodeError:
        raise _wrong("it is not UTF-8", where) from None
    if (found := _CONTROL.search(content)) is not None:
        raise _wrong(f"it holds the control character U+{ord(found[0]):04X}", where)
    if not content.endswith("\n"):
        raise _wrong("it does not end in a line feed" if content else "it is empty", where)
    return content


def _signature(line: str, where: str | None) -> NoteSignature:
    name, _, packed = line.removeprefix(_DASH).partition(" ")
    content = _decoded(packed)
    if not line.startswith(_DASH) or not _NAME.match(name) or content is None or len(content) < 5:
        raise _wrong(f"a signature line is not `{_DASH}NAME BASE64`", where)
    return NoteSignature(name, content[:4].hex(), content[4:])


def _decoded(text: str) -> bytes | None:
    """Base64 in its one spelling; None for any other text."""
    try:
        content = b64decode(text, validate=True)
    except ValueError:
        return None
    return content if b64encode(content).decode() == text else None


def _wrong(why: str, where: str | None) -> Usage:
    return Usage(
        f"this is no checkpoint: {why}",
        where=where,
        remedy="give the text that `t2c ledger checkpoint` prints, unchanged to its last line feed",
    )
