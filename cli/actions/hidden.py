"""Tracked files that an ignore rule hides, asked of Git again only when something that decides it has changed."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

from t2c.ledger.intake.inventory import IGNORE_FILES, Inventory
from t2c.ledger.intake.kept import Hidden, Kept

__all__ = ["hidden_files"]


def hidden_files(root: Path, inventory: Inventory, names: bytes, kept: Kept | None) -> Hidden:
    """What Git tracks and the inventory does not show. `names` is the digest of all paths of the inventory."""
    mark = _mark(root, inventory, names)
    # Files that were found hidden may be gone since, which the mark does not tell.
    if kept is not None and mark is not None and kept.hidden.mark == mark and not kept.hidden.warnings:
        return kept.hidden
    from t2c.ledger.intake.tracked import tracked_but_ignored

    return Hidden(mark or b"", tracked_but_ignored(root, inventory))


def _mark(root: Path, inventory: Inventory, names: bytes) -> bytes | None:
    """A digest of what decides it: the index, the rules, the files. None where the index cannot be looked at."""
    parts = [names]
    for place in (root / ".git" / "index", root / ".git" / "info" / "exclude"):
        try:
            found = place.stat()
        except FileNotFoundError:
            if place.name == "index":
                return None
            continue
        except OSError:
            return None
        parts.append(b"%d %d %d %d" % (found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino))
    parts += [
        b"%d %d" % (entry.size, entry.stamp)
        for entry in inventory.files
        if entry.path[entry.path.rfind("/") + 1 :] in IGNORE_FILES
    ]
    return sha256(b"\0".join(parts)).digest()[:16]
