"""What an approval is signed over, and whether the signatures in a bundle are those of the keys that it registers."""

from __future__ import annotations

import struct
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import datetime
from hashlib import sha256, sha512
from typing import Any, NamedTuple

from t2c.ledger.transfer.verifier.ed25519 import signature_fits
from t2c.ledger.transfer.verifier.findings import Findings
from t2c.ledger.transfer.verifier.notes import NoteError, parse_key

__all__ = [
    "APPROVING",
    "NAMESPACE",
    "Approving",
    "SshSignature",
    "approval_bytes",
    "ssh_fields",
    "ssh_signature",
]

APPROVING = frozenset({"approval.granted", "key.registered", "key.revoked"})
"""The types of events that this needs to hear of."""
NAMESPACE = b"t2c-approval"
_MOST_CHECKED = 2000
_MOST_KEYS = 10_000
_MOST_NAMED_SIGNERS = 20
_MOST_SSH = 16 << 10
_BEGIN, _END = "-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----"
_ED25519_SSH = b"ssh-ed25519"


class SshSignature(NamedTuple):
    """A signature as OpenSSH writes it: who signed, the name of the signature's algorithm, it itself, what it covers."""

    public: bytes
    kind: bytes
    content: bytes
    covers: Callable[[bytes], bytes]


def approval_bytes(
    ledger: str, subject: str, digest: str, shown: str | None, actor: str, expires: str | None, statement: str
) -> bytes:
    """The text that is signed: one line for each of these. Raises ValueError for a value that would break the lines."""
    values = (
        ("ledger", ledger), ("subject", subject), ("digest", digest), ("shown", shown or "-"), ("actor", actor),
        ("expires", expires or "-"), ("statement", sha256(statement.encode()).hexdigest()),
    )  # fmt: skip
    for name, value in values:
        if not value or not value.isprintable():
            raise ValueError(f"the {name} is empty or holds characters that are no text")
    return ("t2c approval v1\n" + "".join(f"{name} {value}\n" for name, value in values)).encode()


def ssh_fields(packed: bytes, count: int) -> list[bytes]:
    """The strings, each behind its length, that make up all of these bytes. Raises ValueError if they do not."""
    found = []
    at = 0
    for _ in range(count):
        if len(packed) - at < 4:
            raise ValueError("it is cut off")
        (size,) = struct.unpack_from(">I", packed, at)
        if size > len(packed) - at - 4:
            raise ValueError("it is cut off")
        found.append(packed[at + 4 : at + 4 + size])
        at += 4 + size
    if at != len(packed):
        raise ValueError("something stands after its end")
    return found


def ssh_signature(text: str) -> SshSignature:
    """Read an armoured signature of an approval. Raises ValueError, with the reason, if it is none."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if len(text) > _MOST_SSH or len(lines) < 3 or (lines[0], lines[-1]) != (_BEGIN, _END):
        raise ValueError("it is no armoured SSH signature")
    body = "".join(lines[1:-1])
    try:
        packed = b64decode(body, validate=True)
    except ValueError:
        raise ValueError("its armour is not base64") from None
    if b64encode(packed).decode() != body:
        raise ValueError("its armour is not base64 as it must be written")
    if packed[:10] != b"SSHSIG\x00\x00\x00\x01":
        raise ValueError("it is no SSH signature of version 1")
    public, namespace, reserved, hashed, signature = ssh_fields(packed[10:], 5)
    if namespace != NAMESPACE:
        raise ValueError(f"it was made for {namespace[:40]!r} and not for {NAMESPACE.decode()}")
    if hashed not in (b"sha256", b"sha512"):
        raise ValueError(f"its hash is {hashed[:40]!r}")
    kind, content = ssh_fields(signature, 2)

    def covers(message: bytes) -> bytes:
        digest = (sha256 if hashed == b"sha256" else sha512)(message).digest()
        parts = (namespace, reserved, hashed, digest)
        return b"SSHSIG" + b"".join(struct.pack(">I", len(part)) + part for part in parts)

    return SshSignature(public, kind, content, covers)


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text[:-1] + "+00:00" if text.endswith("Z") else text)


class _Registered(NamedTuple):
    seq: int
    algorithm: str
    public: str
    participant: str
    expires: str


class Approving:
    """Follows keys and approvals through a bundle. What is of another ledger is left out, and counted."""

    def __init__(self, ledger: str, found: Findings) -> None:
        self._ledger = ledger
        self._found = found
        self._keys: dict[str, _Registered] = {}
        self._revoked: dict[str, int] = {}
        self._good: list[str] = []
        self._counts = {
            "foreign": 0,
            "unknown": 0,
            "other": 0,
            "many": 0,
            "unsigned": 0,
            "unreadable": 0,
            "order": 0,
        }
        self._checked = 0

    def hear(self, seq: int, event: dict[str, Any]) -> None:
        """Take one event of a type in APPROVING; one of another shape is counted."""
        try:
            self._hear(seq, event)
        except (LookupError, TypeError, AttributeError, ValueError):
            self._counts["unreadable"] += event.get("type") == "approval.granted"

    def _hear(self, seq: int, event: dict[str, Any]) -> None:
        kind, data, origin = event["type"], event["data"], event.get("origin")
        if origin is not None and origin["ledger"] != self._ledger:
            self._counts["foreign"] += kind == "approval.granted" and data.get("signature") is not None
        elif kind == "key.registered":
            if len(self._keys) < _MOST_KEYS:
                key = _Registered(
                    seq, str(data["algorithm"]), str(data["public"]), str(data["participant"] or ""),
                    str(data["expires"] or ""),
                )  # fmt: skip
                self._keys.setdefault(str(data["key"]), key)
        elif kind == "key.revoked":
            if str(data["key"]) in self._keys:
                self._revoked.setdefault(str(data["key"]), seq)
        elif data.get("signature") is None:
            self._counts["unsigned"] += 1
        else:
            self._approval(seq, event, data)

    def _approval(self, seq: int, event: dict[str, Any], data: dict[str, Any]) -> None:
        signature, actor = data["signature"], f"{event['actor']['kind']}:{event['actor']['id']}"
        identity = str(signature["key"])
        key = self._keys.get(identity)
        if key is None:
            self._counts["unknown"] += 1
            return
        if self._checked >= _MOST_CHECKED:
            self._counts["many"] += 1
            return
        self._checked += 1
        why = self._wrong(key, identity, actor, event, data)
        if why == "" and identity in self._revoked:
            self._counts["order"] += 1
            return
        if why is None:
            self._counts["other"] += 1
        elif why:
            self._found.add("approval_signature", f"seq {seq}", f"the approval by {actor[:60]}: {why}")
        else:
            self._good.append(
                f"seq {seq} by {actor[:60]} with key {identity[:60]}, registered for {key.participant[:60]} at seq {key.seq}"
            )

    def _wrong(
        self, key: _Registered, identity: str, actor: str, event: dict[str, Any], data: dict[str, Any]
    ) -> str | None:
        """What is wrong with a signature; empty if nothing is, None if it cannot be told here."""
        if key.participant not in (actor, actor.partition(":")[2]):
            return f"key {identity[:60]} is registered for {key.participant[:60] or 'nobody'}"
        origin = event.get("origin")
        if identity in self._revoked and origin is None:
            return f"key {identity[:60]} was revoked before, at seq {self._revoked[identity]}"
        first = event if origin is None else (origin, *origin.get("former", ()))[-1]
        if key.expires and _moment(key.expires) <= _moment(first["ts"]):  # signed where it was recorded first
            return f"key {identity[:60]} had expired at {key.expires[:40]}"
        try:
            text = approval_bytes(
                self._ledger, data["subject"], data["digest"], data.get("shown"), actor, data.get("expires"),
                data["statement"],
            )  # fmt: skip
            return self._checks(key, data["signature"]["value"], text)
        except ValueError as error:
            return str(error)

    def _checks(self, key: _Registered, value: str, text: bytes) -> str | None:
        if key.algorithm == "ed25519":
            try:
                known = parse_key(key.public)
            except NoteError as error:
                return str(error)
            if known.name != "t2c/" + self._ledger:
                return "its key is one of another ledger"
            fits = signature_fits(known.public, text, b64decode(value, validate=True))
        else:
            signature = ssh_signature(value)
            blob = b64decode(key.public.split(" ")[1], validate=True)
            if signature.public != blob:
                return "it was made with another key than it names"
            if signature.kind != _ED25519_SSH:
                return None
            kind, public = ssh_fields(blob, 2)
            if kind != _ED25519_SSH:
                return "its algorithm is not that of its key"
            fits = signature_fits(public, signature.covers(text), signature.content)
        return "" if fits else f"the signature is not one of this by {key.participant[:60]}"

    def conclude(self, proven: list[str], unproven: list[str]) -> None:
        """Say of each signed approval whether its signature is good, and what was not checked."""
        for told in self._good[:_MOST_NAMED_SIGNERS]:
            proven.append(f"the signature of the approval {told}, is good")
        if len(self._good) > _MOST_NAMED_SIGNERS:
            proven.append(
                f"the signatures of {len(self._good) - _MOST_NAMED_SIGNERS:,} more approvals are good"
            )
        counts = self._counts
        for name, why in (
            ("unsigned", "bear no signature: that a person gave them is the word of who wrote the lines"),
            ("unknown", "are signed with keys whose registration is not among these events"),
            ("other", "are signed with SSH keys that are not Ed25519, not checked here: use t2c"),
            ("many", "are signed beyond those that were checked"),
            ("unreadable", "are not of the shape that approvals have"),
            ("order", "are signed, in a branch, with keys that were revoked before that or after it"),
            ("foreign", "are signed and of other ledgers"),
        ):
            if counts[name]:
                unproven.append(f"who gave approvals ({counts[name]:,}) that {why}")
