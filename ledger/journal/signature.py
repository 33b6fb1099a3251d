"""Ed25519 signatures of notes, and the text form of the keys that check them (C2SP signed-note).

A key is known by its name and its id, the first 4 bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ public key); its text is
`<name>+<id>+<base64(0x01 ‖ public key)>`.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Iterable
from hashlib import sha256
from typing import Final, NamedTuple

from t2c.ledger.errors import Usage
from t2c.ledger.journal.note import NoteSignature, SignedNote

__all__ = ["Checked", "VerifierKey", "check", "parse_key", "public_of", "sign", "vouched"]

_ED25519: Final = b"\x01"
_SPKI: Final = bytes.fromhex("302a300506032b6570032100")
_TEXT: Final = re.compile(r"([^\s+]{1,300})\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})\Z")


class VerifierKey(NamedTuple):
    """The public half of a key: `public` is 32 bytes."""

    name: str
    public: bytes

    @property
    def id(self) -> str:
        """8 hex."""
        return sha256(self.name.encode() + b"\n" + _ED25519 + self.public).hexdigest()[:8]

    def text(self) -> str:
        """The key as `parse_key` reads it."""
        return f"{self.name}+{self.id}+{b64encode(_ED25519 + self.public).decode()}"

    def pem(self) -> str:
        """The key as SubjectPublicKeyInfo, which `openssl pkeyutl -verify -rawin` takes."""
        packed = b64encode(_SPKI + self.public).decode()
        return f"-----BEGIN PUBLIC KEY-----\n{packed}\n-----END PUBLIC KEY-----\n"


class Checked(NamedTuple):
    """What the known keys say of a note: `valid` signed it, `bad` are lines in their name that do not verify."""

    valid: tuple[VerifierKey, ...]
    bad: tuple[NoteSignature, ...]

    @property
    def good(self) -> bool:
        """True if a known key signed and none of them is misused: one bad signature spoils the note."""
        return bool(self.valid) and not self.bad


def parse_key(text: str, where: str | None = None) -> VerifierKey:
    """Read a public key. Raises Usage if it is none, or its id is not that of its bytes."""
    found = _TEXT.match(text)
    content = b"" if found is None else b64decode(found[3])
    if found is None or content[:1] != _ED25519:
        raise Usage(
            "this is no public key",
            where=where,
            remedy="give NAME+ID+BASE64 with an Ed25519 key, as `t2c ledger key export` prints it",
        )
    key = VerifierKey(found[1], content[1:])
    if key.text() != text:
        raise Usage(
            "the public key does not fit its own id", where=where, remedy="ask for it again; it was changed"
        )
    return key


def public_of(seed: bytes) -> bytes:
    """The public half (32 bytes) of a private key, given as its seed (32 bytes)."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()


def sign(seed: bytes, name: str, text: str) -> NoteSignature:
    """Sign the text of a note, final LF included, with the private key of this seed and name."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private = Ed25519PrivateKey.from_private_bytes(seed)
    key = VerifierKey(name, private.public_key().public_bytes_raw())
    return NoteSignature(name, key.id, private.sign(text.encode()))


def check(text: str, signatures: Iterable[NoteSignature], keys: Iterable[VerifierKey]) -> Checked:
    """Check what known keys signed of a note's text; signatures of others say nothing, and are not looked at."""
    signed = text.encode()
    known = {(key.name, key.id): key for key in keys}
    valid: dict[VerifierKey, None] = {}
    bad: list[NoteSignature] = []
    for signature in signatures:
        key = known.get((signature.name, signature.key))
        if key is None:
            continue
        if _verifies(key.public, signature.signature, signed):
            valid[key] = None
        else:
            bad.append(signature)
    return Checked(tuple(valid), tuple(bad))


def vouched(note: SignedNote, keys: Iterable[VerifierKey]) -> Checked:
    """`check` of a checkpoint, for which only keys count that are named as its log: a key speaks for no other."""
    origin = note.checkpoint.origin
    return check(note.text, note.signatures, [key for key in keys if key.name == origin])


def _verifies(public: bytes, signature: bytes, signed: bytes) -> bool:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, signed)
    except (InvalidSignature, ValueError):
        return False
    return True
