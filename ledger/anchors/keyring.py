"""Private keys of this user, one file for each ledger and key, never in the ledger's own folder (decisions A14).

<state>/keys/<ledger id>/<key id>.pem    PKCS #8, which `openssl pkey` reads; folder 0700, file 0600
"""

from __future__ import annotations

import os
import re
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Corrupt, Environment, Refused
from t2c.ledger.journal.files import sync_folder, write_atomically
from t2c.ledger.journal.note import origin_of
from t2c.ledger.journal.signature import VerifierKey, public_of
from t2c.ledger.kernel.ids import fresh_seed

__all__ = ["Keyring", "private_folder"]

_PKCS8: Final = bytes.fromhex("302e020100300506032b657004220420")
_PEM: Final = re.compile(
    rb"-----BEGIN PRIVATE KEY-----\n([A-Za-z0-9+/=]{64})\n-----END PRIVATE KEY-----\n?\Z"
)
_OTHERS: Final = 0o077


def private_folder(folder: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone. Raises OSError."""
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        if not folder.is_dir():
            raise
    except FileNotFoundError:
        private_folder(folder.parent)
        private_folder(folder)
    else:
        sync_folder(folder.parent)


class Keyring:
    """The private keys for one ledger. `folder` is the user's state folder."""

    def __init__(self, folder: Path, ledger: str) -> None:
        self._ledger = ledger
        self._folder = folder / "keys" / ledger

    def make(self) -> VerifierKey:
        """Draw a new key and keep its private half; returns the public half.

        Raises Environment if it cannot be kept.
        """
        seed = fresh_seed()
        key = VerifierKey(origin_of(self._ledger), public_of(seed))
        try:
            private_folder(self._folder)
            for folder in (self._folder.parent, self._folder):
                if folder.stat().st_mode & _OTHERS:
                    folder.chmod(0o700)
            write_atomically(self._file(key), _pem(seed), mode=0o600)
        except OSError as error:
            raise Environment(
                f"the private key cannot be kept: {error.strerror}",
                where=str(error.filename or self._folder),
                safe="the ledger, in which nothing was registered",
                remedy="make the folder yours and writable, or set XDG_STATE_HOME",
            ) from error
        return key

    def forget(self, key: VerifierKey) -> None:
        """Drop the private half of a key that was never registered."""
        self._file(key).unlink(missing_ok=True)

    def holds(self, key: VerifierKey) -> bool:
        """True if the private half is here (it is not read)."""
        return key.name == origin_of(self._ledger) and self._file(key).is_file()

    def ids(self) -> Iterator[str]:
        """The ids of all keys that are here, in byte order."""
        if self._folder.is_dir():
            yield from sorted(file.stem for file in self._folder.glob("????????.pem"))

    def seed(self, key: VerifierKey) -> bytes:
        """The private half, as the seed that `signature.sign` takes.

        Raises Refused if others may read it, Environment if it is not here, Corrupt if it is not that of the key.
        """
        file = self._file(key)
        try:
            with file.open("rb") as stream:
                if os.fstat(stream.fileno()).st_mode & _OTHERS:
                    raise Refused(
                        f"the private key {key.id} can be read by others, so it is nobody's signature any more",
                        where=str(file),
                        remedy="make a new key with `t2c ledger key new`; or, if nobody read it, chmod 600",
                    )
                content = stream.read(1024)
        except OSError as error:
            raise Environment(
                f"the private key {key.id} is not here: {error.strerror}",
                where=str(file),
                remedy="make a key with `t2c ledger key new`",
            ) from error
        found = _PEM.match(content)
        packed = b64decode(found[1]) if found else b""
        if not packed.startswith(_PKCS8) or public_of(packed[len(_PKCS8) :]) != key.public:
            raise Corrupt(
                f"the file of the private key {key.id} does not hold it",
                where=str(file),
                safe="the ledger",
                remedy="restore the file, or make a new key with `t2c ledger key new`",
            )
        return packed[len(_PKCS8) :]

    def _file(self, key: VerifierKey) -> Path:
        return self._folder / f"{key.id}.pem"


def _pem(seed: bytes) -> bytes:
    packed = b64encode(_PKCS8 + seed)
    return b"-----BEGIN PRIVATE KEY-----\n" + packed + b"\n-----END PRIVATE KEY-----\n"
