"""Where sealed bytes lie until they are revealed: in the user's state folder, never in the workspace (decisions D8).

<state>/sealed/<ledger id>/ab/cdef…    salt ‖ bytes, named by the commitment; folder 0700, file 0600
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.anchors.keyring import private_folder
from t2c.ledger.answers.commitments import Kind, commitment, fits
from t2c.ledger.errors import Corrupt, Environment, Refused
from t2c.ledger.journal.files import write_atomically
from t2c.ledger.kernel.ids import SALT_BYTES, fresh_salt

__all__ = ["Opened", "SealedStore"]

_OTHERS: Final = 0o077


class Opened(NamedTuple):
    """What lies behind a commitment."""

    salt: bytes
    content: bytes


class SealedStore:
    """The sealed bytes of one ledger. `folder` is the user's state folder, `workspace` the ledger's `.t2c`."""

    def __init__(self, folder: Path, ledger: str, workspace: Path) -> None:
        self._folder = folder / "sealed" / ledger
        self._root = workspace.parent

    def put(self, kind: Kind, content: bytes, salt: bytes | None = None) -> str:
        """Keep bytes behind a salt, a fresh one by default; returns the commitment to them.

        Raises Refused where the state folder lies in the tree that others read, Environment if it cannot be written.
        """
        drawn = fresh_salt() if salt is None else salt
        digest = commitment(drawn, kind, content)
        target = self._path(digest)
        self.private(target.parent.name)
        try:
            write_atomically(target, drawn + content, mode=0o600)
        except OSError as error:
            raise self._unwritable(target, error) from error
        return digest

    def private(self, name: str) -> Path:
        """A folder of this name in the store, which only its user may enter. Raises as `put` does."""
        self._outside()
        target = self._folder / name
        try:
            private_folder(target)
            for folder in (self._folder.parent, self._folder, target):
                if folder.stat().st_mode & _OTHERS:
                    folder.chmod(0o700)
        except OSError as error:
            raise self._unwritable(target, error) from error
        return target

    def get(self, digest: str, kind: Kind) -> Opened:
        """What lies behind a commitment, proven to be that.

        Raises Environment if it is not here, Refused if others may read it, Corrupt if it is something else.
        """
        target = self._path(digest)
        try:
            with target.open("rb") as stream:
                if os.fstat(stream.fileno()).st_mode & _OTHERS:
                    raise Refused(
                        "what was sealed can be read by others, so it is sealed no longer",
                        where=str(target),
                        remedy="seal new tests; or, if nobody read it, chmod 600",
                    )
                whole = stream.read()
        except OSError as error:
            raise Environment(
                f"what was sealed is not here: {error.strerror}",
                where=str(target),
                safe="the ledger, which holds only the commitment to it",
                remedy="go to the machine and user that sealed it, or set XDG_STATE_HOME to the folder it lies in",
            ) from error
        found = Opened(whole[:SALT_BYTES], whole[SALT_BYTES:])
        if not fits(digest, found.salt, kind, found.content):
            raise Corrupt(
                "what lies in the state folder is not what was sealed",
                where=str(target),
                safe="the ledger, which holds the commitment to what was sealed",
                remedy="restore the file from a backup, or seal new tests",
            )
        return found

    def _path(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]

    @staticmethod
    def _unwritable(target: Path, error: OSError) -> Environment:
        return Environment(
            f"what is to be sealed cannot be kept: {error.strerror}",
            where=str(error.filename or target),
            safe="the ledger, in which nothing was recorded",
            remedy="make the folder yours and writable, or set XDG_STATE_HOME",
        )

    def _outside(self) -> None:
        real, root = self._folder.resolve(), self._root.resolve()
        if real == root or root in real.parents:
            raise Refused(
                "the state folder lies inside the workspace, where everybody who works on it could read what is sealed",
                where=str(real),
                safe="nothing was written",
                remedy="set XDG_STATE_HOME to a folder outside of it",
            )
