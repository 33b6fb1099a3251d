"""Evidence by content: `objects/ab/cdef…` named by SHA-256. Written once, never changed (journal-engine §6).

A redactable payload is an object too: salt ‖ payload, named by its `data_hash`, SHA-256(0x03 ‖ object). It is the
only kind that may be removed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

from t2c.ledger.errors import Corrupt, Environment, Usage
from t2c.ledger.journal.files import make_folder, sync_folder, write_atomically
from t2c.ledger.kernel.digests import payload_hash, payload_state
from t2c.ledger.kernel.ids import SALT_BYTES

__all__ = ["Objects"]

_HEX64 = re.compile(r"[0-9a-f]{64}\Z")
_BLOCK = 1 << 18


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
        self._keep(self.path(digest), content)
        return digest

    def put_payload(self, salt: bytes, payload: bytes) -> str:
        """Keep a redactable payload behind its salt and return its `data_hash`; lasting as `put` is.

        Raises Usage for a salt of another length, Environment if it cannot be kept.
        """
        if len(salt) != SALT_BYTES:
            raise Usage(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
        digest = payload_hash(salt + payload)
        self._keep(self.path(digest), salt + payload)
        return digest

    def _keep(self, target: Path, content: bytes) -> None:
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

    def has(self, digest: str) -> bool:
        """True if the object is there (its bytes are not checked)."""
        return self.path(digest).is_file()

    def intact(self, digest: str) -> bool:
        """True if the object is a plain file of the bytes that its name promises; read in blocks, never through a link."""
        summed, salted = sha256(), payload_state()
        try:
            descriptor = os.open(
                self.path(digest), os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
            )
            with os.fdopen(descriptor, "rb") as stream:
                if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                    return False
                while block := stream.read(_BLOCK):
                    summed.update(block)
                    salted.update(block)
        except OSError:
            return False
        return digest in (summed.hexdigest(), salted.hexdigest())

    def get(self, digest: str) -> bytes:
        """The object's bytes, checked against its name: a digest of the content or a `data_hash`.

        Raises Usage if it is missing, Corrupt if its bytes are not its name's, Environment if it cannot be read.
        """
        content = self._read(digest)
        if content is None:
            raise Usage(f"there is no object {digest}", where=str(self.path(digest)))
        if digest not in (sha256(content).hexdigest(), payload_hash(content)):
            raise self._damaged(digest)
        return content

    def payload(self, data_hash: str) -> bytes | None:
        """The canonical payload behind a `data_hash`, None if its object is not there.

        Raises Corrupt if the object does not fit the hash, Environment if it cannot be read.
        """
        content = self._read(data_hash)
        if content is None:
            return None
        if payload_hash(content) != data_hash or len(content) < SALT_BYTES:
            raise self._damaged(data_hash)
        return content[SALT_BYTES:]

    def remove(self, data_hash: str) -> bool:
        """Delete the object of a redactable payload, whatever bytes it holds; True if anything was there.

        What a killed writer left of it goes too; it stays deleted after a power failure. The caller has announced
        it by an event. Raises Environment if it cannot be deleted.
        """
        target = self.path(data_hash)
        try:
            leftovers = list(target.parent.glob(f".{target.name}.*.tmp"))
            found = [item for item in (target, *leftovers) if item.is_symlink() or item.exists()]
            for item in found:
                item.unlink(missing_ok=True)
            if target.parent.is_dir():
                sync_folder(target.parent)
        except OSError as error:
            raise Environment(
                f"an object could not be deleted: {error.strerror}",
                where=str(target),
                safe="the journal; the object is still there",
                remedy="make the folder writable, then run the command again",
            ) from error
        return bool(found)

    def _read(self, digest: str) -> bytes | None:
        target = self.path(digest)
        try:
            return target.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise Environment(
                f"an object cannot be read: {error.strerror}",
                where=str(target),
                remedy="check its permissions, and that it is a file",
            ) from error

    def _damaged(self, digest: str) -> Corrupt:
        return Corrupt(
            f"object {digest} does not hold the bytes that its name promises",
            where=str(self.path(digest)),
            safe="the journal, which holds only the digest",
            remedy="restore the file from a backup or a bundle",
        )

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
