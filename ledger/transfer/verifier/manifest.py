"""The manifest of a bundle and the proof beside it: read within bounds, every member of the kind that it must be."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from t2c.ledger.transfer.verifier.citing import FROM_THE_START
from t2c.ledger.transfer.verifier.findings import joined

__all__ = [
    "BUNDLE_SCHEMA",
    "MOST_MANIFEST",
    "MOST_PROOF",
    "Onward",
    "read_manifest",
    "read_nodes",
    "read_onward",
]

BUNDLE_SCHEMA = "t2c.bundle/v1"
MOST_MANIFEST = 64 << 20
MOST_PROOF = 1 << 20
_MOST_VALUES = 1_000_000
"""Values in a manifest: what it takes in memory follows from their number more than from its bytes."""
_MOST_PLAIN = 8 << 20
"""Bytes of a manifest that is not plain ASCII, of which each may take four in memory."""
_MOST_NODES = 200


class Onward(NamedTuple):
    """The proof that the bundle's events begin the `size` events of a checkpoint (RFC 6962 §2.1.2)."""

    size: int
    path: list[bytes]


def read_manifest(content: bytes) -> dict[str, Any]:
    """The manifest. Raises ValueError, with the reason, if it cannot be used."""
    try:
        manifest: dict[str, Any] = _parsed(content)
        if manifest["schema"] != BUNDLE_SCHEMA:
            raise ValueError(f"its schema is not {BUNDLE_SCHEMA}")
        first, last = manifest["first"], manifest["last"]
        if type(first) is not int or type(last) is not int or not 1 <= first <= last < 1 << 53:
            raise ValueError("first and last are no range of events")
        for member in ("ledger", "head", "root"):
            if type(manifest[member]) is not str:
                raise ValueError(f"{member} is no text")
        if type(manifest.setdefault("partial", False)) is not bool:
            raise ValueError("partial is neither true nor false")
        for name, said in manifest["files"].items():
            if (type(said["sha256"]), type(said["bytes"])) != (str, int):
                raise ValueError(f"it does not say what {name} is")
        for item in manifest["withheld"]:
            if (
                any(type(seq) is not int for run in item["seqs"] for seq in run)
                or joined(item["seqs"]) is None
            ):
                raise ValueError("the withheld lines are no runs of seqs")
        for item in manifest["missing"]:
            bytes.fromhex(item["object"])
        citing = manifest.setdefault("citing", sorted(FROM_THE_START))
        if type(citing) is not list or any(type(kind) is not str for kind in citing):
            raise ValueError("citing is no list of types")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        why = str(error) if type(error) is ValueError else "a member is missing or of another kind"
        raise ValueError(why) from None
    return manifest


def read_nodes(content: bytes, count: int) -> list[bytes]:
    """The roots of the `count` subtrees before a range. Raises ValueError if the proof does not hold them."""
    nodes = _nodes(content, None)
    if len(nodes) != count:
        raise ValueError
    return nodes


def read_onward(content: bytes) -> Onward | None:
    """The way on to a later checkpoint, None if the proof holds none. Raises ValueError if it is of another form."""
    try:
        said = _parsed(content).get("consistency")
        if said is None:
            return None
        if type(said["size"]) is not int:
            raise ValueError
        return Onward(said["size"], _nodes(content, "consistency"))
    except (LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError from None


def _nodes(content: bytes, member: str | None) -> list[bytes]:
    try:
        document = _parsed(content)
        found = (document if member is None else document[member])["nodes"]
        if type(found) is not list or len(found) > _MOST_NODES:
            raise ValueError
        nodes = [bytes.fromhex(node) for node in found]
    except (LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError from None
    if any(len(node) != 32 for node in nodes):
        raise ValueError
    return nodes


def _parsed(content: bytes) -> Any:
    if content.count(b",") + content.count(b"[") + content.count(b"{") > _MOST_VALUES:
        raise ValueError(f"it holds more than {_MOST_VALUES:,} values")
    if len(content) > _MOST_PLAIN and not content.isascii():
        raise ValueError(f"it is longer than {_MOST_PLAIN:,} bytes and not plain ASCII")
    return json.loads(content.decode(), object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("it holds a key twice")
    return found
