"""Salted commitments: what fixes some bytes without showing them, and later proves that they are those (decisions D8).

A commitment is SHA-256(0x05 ‖ salt ‖ kind ‖ bytes), with a salt of 32 random bytes: without the salt nobody can try out
what the bytes might be. No kind begins another, so what is fixed as one can never be opened as another.
"""

from __future__ import annotations

from hashlib import sha256
from hmac import compare_digest
from typing import Final, Literal

from t2c.ledger.errors import Usage
from t2c.ledger.kernel.ids import SALT_BYTES

__all__ = ["Kind", "commitment", "fits"]

Kind = Literal["answer", "argv", "content", "exchange", "path"]
"""What is fixed: a whole answer, or of one sealed test its command, body or path; or what a model was told or said."""

_DOMAIN: Final = b"\x05"


def commitment(salt: bytes, kind: Kind, content: bytes) -> str:
    """The commitment to `content`, as 64 hex. Raises Usage for a salt of another length."""
    if len(salt) != SALT_BYTES:
        raise Usage(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return sha256(b"".join((_DOMAIN, salt, kind.encode(), content))).hexdigest()


def fits(digest: str, salt: bytes, kind: Kind, content: bytes) -> bool:
    """True if `content` is what was fixed. A salt of another length fits nothing."""
    return len(salt) == SALT_BYTES and compare_digest(digest, commitment(salt, kind, content))
