"""Signatures that OpenSSH makes, and the public keys that check them (PROTOCOL.sshsig, RFC 4253, RFC 5656, RFC 8332).

Checked offline and without OpenSSH. Ed25519, ECDSA on the three NIST curves, and RSA of at least 2048 bits with SHA-2;
keys of security devices and DSA are refused by name.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from hashlib import sha256
from typing import Final, NamedTuple

from t2c.ledger.errors import Usage
from t2c.ledger.transfer.verifier.approving import NAMESPACE, ssh_fields, ssh_signature

__all__ = ["NAMESPACE", "SshKey", "parse_ssh_key", "signer_of", "ssh_problem"]

_LINE: Final = re.compile(r"([a-z0-9@.-]{1,64}) ([A-Za-z0-9+/]{1,6000}={0,2})(?: [^\r\n]{0,1000})?\Z")
_FEWEST_BITS: Final = 2048
_MOST_BITS: Final = 16384
_CURVES: Final = ("ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521")
_RSA: Final = "ssh-rsa"
_KINDS: Final = ("ssh-ed25519", *_CURVES, _RSA)


class SshKey(NamedTuple):
    """A public key. `kind` is its name in SSH, `blob` its bytes there."""

    kind: str
    blob: bytes

    @property
    def id(self) -> str:
        """Its fingerprint as `ssh-keygen -l` prints it."""
        return fingerprint(self.blob)

    def text(self) -> str:
        """Its line as a `.pub` file has it, without the comment."""
        return f"{self.kind} {b64encode(self.blob).decode()}"


def fingerprint(blob: bytes) -> str:
    """SHA256:… of a public key."""
    return "SHA256:" + b64encode(sha256(blob).digest()).decode().rstrip("=")


def parse_ssh_key(text: str, where: str | None = None) -> SshKey:
    """Read the line of a `.pub` file. Raises Usage if it is no key that approvals may be signed with, saying why."""
    try:
        return _key(text.strip())
    except ValueError as error:
        raise Usage(
            f"this is no SSH key that approvals can be signed with: {error}",
            where=where,
            safe="no key was registered",
            remedy="give the .pub file of an Ed25519, ECDSA or RSA key; `ssh-keygen -t ed25519` makes one",
        ) from None


def signer_of(value: str) -> str:
    """The fingerprint of the key that an armoured signature names. Raises ValueError if it is none."""
    return fingerprint(ssh_signature(value).public)


def ssh_problem(public: str, value: str, signed: bytes) -> str | None:
    """What is wrong with an armoured signature of `signed` by the key of a `.pub` line; None if it is good."""
    from cryptography.exceptions import InvalidSignature

    try:
        key, found = _key(public), ssh_signature(value)
        if found.public != key.blob:
            return "it was made with another key than it names"
        _verify(key, found.kind.decode("ascii", "replace"), found.content, found.covers(signed))
    except InvalidSignature:
        return "the signature is not one of this text by this key"
    except ValueError as error:
        return str(error)
    return None


def _key(line: str) -> SshKey:
    found = _LINE.match(line)
    if found is None:
        raise ValueError("it is not of the form KIND BASE64 COMMENT, on one line")
    kind, packed = found[1], found[2]
    if kind not in _KINDS:
        raise ValueError(f"its kind is {kind}, and not one of {', '.join(_KINDS)}")
    try:
        blob = b64decode(packed, validate=True)
    except ValueError:
        raise ValueError("it is not base64") from None
    key = SshKey(kind, blob)
    if b64encode(blob).decode() != packed or blob[4 : 4 + len(kind)] != kind.encode():
        raise ValueError("its bytes are not those of its kind")
    if kind == "ssh-ed25519" and len(ssh_fields(blob, 2)[1]) != 32:
        raise ValueError("it has not the length of its kind")
    if kind == _RSA:
        size = int.from_bytes(ssh_fields(blob, 3)[2]).bit_length()
        if not _FEWEST_BITS <= size <= _MOST_BITS:
            raise ValueError(f"it has {size} bits, and RSA needs {_FEWEST_BITS} to {_MOST_BITS}")
    _loaded(key)
    return key


def _loaded(key: SshKey) -> object:
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.serialization import load_ssh_public_key

    try:
        return load_ssh_public_key(key.text().encode())
    except (ValueError, UnsupportedAlgorithm, OverflowError):
        raise ValueError("its bytes are no key of its kind") from None


def _verify(key: SshKey, kind: str, content: bytes, covered: bytes) -> None:
    """Raises InvalidSignature if it does not fit, ValueError if it is of a form that is not taken."""
    from cryptography.hazmat.primitives import hashes
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils

    public = _loaded(key)
    if isinstance(public, rsa.RSAPublicKey):
        known = {"rsa-sha2-256": hashes.SHA256(), "rsa-sha2-512": hashes.SHA512()}
        if kind not in known:
            raise ValueError(f"an RSA key signs with SHA-2, and not with {kind[:40]}")
        public.verify(content, covered, padding.PKCS1v15(), known[kind])
    elif kind != key.kind:
        raise ValueError(f"a key of the kind {key.kind} makes no signature {kind[:40]}")
    elif isinstance(public, ed25519.Ed25519PublicKey):
        public.verify(content, covered)
    elif isinstance(public, ec.EllipticCurvePublicKey):
        r, s = (_positive(part) for part in ssh_fields(content, 2))
        by_curve = {256: hashes.SHA256(), 384: hashes.SHA384(), 521: hashes.SHA512()}
        algorithm = ec.ECDSA(by_curve[public.curve.key_size])
        public.verify(utils.encode_dss_signature(r, s), covered, algorithm)
    else:
        raise ValueError("its key is of no kind that is taken")


def _positive(packed: bytes) -> int:
    """A number as SSH writes it: shortest, and not below 0."""
    if not packed or packed[0] & 0x80 or (packed[0] == 0 and (len(packed) < 2 or not packed[1] & 0x80)):
        raise ValueError("a number in it is not written as it must be")
    return int.from_bytes(packed)
