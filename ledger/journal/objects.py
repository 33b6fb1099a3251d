"""Evidence by content: `objects/ab/cdef…` named by SHA-256. Written once, never changed (journal-engine §6)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.files import make_folder, sync_folder, write_atomically

__all__ = ["Objects"]

_HEX64 = re.compile(r"[0-9a-f]{64}\Z")


class Objects:
    """The object store of one ledger."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, digest: str) -> Path:
        """Where the object of this digest is or would be. Raises Usage if it is no SHA-256 in hex."""
        if not _HEX64.match(digest):
            raise Usage(f"{digest!r} is not a SHA-256 digest in hex")
        return self._folder / digest[:2] / digest[2:]

    def put(self, content: bytes) -> str:
        """Keep `content` and return its digest; the object lasts before an event that cites it is written.

        An object whose bytes had been damaged is made whole again. Raises Environment if it cannot be kept.
        """
        digest = sha256(content).hexdigest()
        target = self.path(digest)
        try:
            if _holds(target, content):
                # Whoever put it may not have come to this point.
                sync_folder(target.parent)
            else:
                make_folder(target.parent)
                write_atomically(target, content, mode=0o444)
        except OSError as error:
            raise Environment(
                f"an object could not be kept: {error.strerror}",
                where=str(target),
                safe="every event and object before it",
                remedy="make room or the folder writable, then run the command again",
            ) from error
        return digest

    def has(self, digest: str) -> bool:
        """True if the object is there (its bytes are not checked)."""
        return self.path(digest).is_file()

    def get(self, digest: str) -> bytes:
        """The object's bytes, checked.

        Raises Usage if it is missing, Corrupt if its bytes are not its name's, Environment if it cannot be read.
        """
        target = self.path(digest)
        try:
            content = target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            raise Usage(f"there is no object {digest}", where=str(target)) from None
        except OSError as error:
            raise Environment(
                f"an object cannot be read: {error.strerror}",
                where=str(target),
                remedy="check its permissions, and that it is a file",
            ) from error
        if sha256(content).hexdigest() != digest:
            raise Corrupt(
                f"object {digest} does not hold the bytes that its name promises",
                where=str(target),
                safe="the journal, which holds only the digest",
                remedy="restore the file from a backup or a bundle",
            )
        return content

    def digests(self) -> Iterator[str]:
        """All digests, in byte order."""
        if not self._folder.is_dir():
            return
        for shelf in sorted(self._folder.iterdir()):
            for item in sorted(shelf.iterdir()) if shelf.is_dir() else ():
                if _HEX64.match(shelf.name + item.name):
                    yield shelf.name + item.name


def _holds(target: Path, content: bytes) -> bool:
    try:
        return target.stat().st_size == len(content) and target.read_bytes() == content
    except FileNotFoundError:
        return False
