"""What a scan keeps of its reading and linking for the next one, and when that may be believed."""

from __future__ import annotations

import contextlib
from hashlib import sha256
from pathlib import Path
from typing import Final

import msgspec

from t2c.ledger import linking
from t2c.ledger.engine import Ledger
from t2c.ledger.intake.kept import VERSION, Kept
from t2c.ledger.journal.files import read_regular, write_atomically
from t2c.ledger.journal.position import Position
from t2c.ledger.kernel.collector import collector_paused
from t2c.ledger.linking.kept import STAMP, KeptLinks
from t2c.ledger.standing import Standing

__all__ = ["keep_links", "keep_read", "kept_links_of", "kept_of"]

_MOST: Final = 1 << 30
"""Bytes that such a file could have."""


def kept_of(ledger: Ledger, standing: Standing) -> Kept | None:
    """What the last scan kept, if since then nobody else told what stands; None otherwise.

    Then what stands is what that scan read, so that a file which has not changed needs no reading.
    """
    try:
        kept = msgspec.msgpack.decode(read_regular(_file(ledger), _MOST), type=Kept)
    except (OSError, msgspec.DecodeError):
        return None
    position = Position(*kept.position)
    if standing.state.changed > position.seq or not ledger.journal.holds(position):
        return None
    return kept


def keep_read(ledger: Ledger, standing: Standing, kept: Kept) -> None:
    """Keep it for the next scan; a cache that cannot be written is none."""
    position = standing.position
    kept.position = (position.seq, position.hash, position.offset)
    target = _file(ledger)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, msgspec.msgpack.encode(kept), durable=False)


def kept_links_of(ledger: Ledger, standing: Standing) -> KeptLinks | None:
    """What linking kept, if since then nobody else told what stands; None otherwise."""
    try:
        with collector_paused():
            kept = msgspec.msgpack.decode(read_regular(_links(ledger), _MOST), type=KeptLinks)
    except (OSError, msgspec.DecodeError):
        return None
    position = Position(*kept.position)
    if kept.stamp != _stamp() or standing.state.changed > position.seq or not ledger.journal.holds(position):
        return None
    return kept


def keep_links(ledger: Ledger, standing: Standing, kept: KeptLinks) -> None:
    """Keep it for the next scan; a cache that cannot be written is none."""
    position = standing.position
    kept.position = (position.seq, position.hash, position.offset)
    kept.stamp = _stamp()
    target = _links(ledger)
    with contextlib.suppress(OSError):
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, msgspec.msgpack.encode(kept), durable=False)


def _stamp() -> str:
    """Of the rules that are installed: another version, or files of it that somebody changed, may link otherwise."""
    folder = Path(linking.__file__).parent
    files = sorted(path for path in folder.rglob("*") if path.suffix in (".py", ".json", ".txt"))
    looks = [(path.name, (found := path.stat()).st_size, found.st_mtime_ns) for path in files]
    return sha256(repr((STAMP, looks)).encode()).hexdigest()[:16]


def _links(ledger: Ledger) -> Path:
    return ledger.cache / "links.msgpack"


def _file(ledger: Ledger) -> Path:
    return ledger.cache / f"extraction.v{VERSION}.msgpack"
