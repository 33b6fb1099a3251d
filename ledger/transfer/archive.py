"""A folder as a .tar.gz of which every byte follows from its files: sorted, without owners, names and times of its own."""

from __future__ import annotations

import gzip
import tarfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from t2c.ledger.errors import Usage

__all__ = ["MOST_IN_ARCHIVE", "pack"]

MOST_IN_ARCHIVE: Final = 8 << 30
"""Bytes of one file beyond which the archive's plain form cannot hold it."""
_LEVEL: Final = 6


def pack(folder: Path, names: Sequence[str], target: Path, moment: int, executable: str) -> None:
    """Write the files `names` of `folder` to `target`; `moment` is the time of each, in seconds since 1970.

    Raises Usage for a file of 8 GiB or more, OSError from the disk.
    """
    with (
        target.open("xb") as out,
        gzip.GzipFile(filename="", mode="wb", compresslevel=_LEVEL, fileobj=out, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive,
    ):
        for name in sorted(names):
            path = folder / name
            member = tarfile.TarInfo(name)
            member.size = path.stat().st_size
            member.mtime = moment
            member.mode = 0o755 if name == executable else 0o644
            if member.size >= MOST_IN_ARCHIVE:
                raise Usage(
                    f"{name} is too long for an archive ({member.size:,} bytes)",
                    safe="nothing was written",
                    remedy="export to a folder, or a shorter --range",
                )
            with path.open("rb") as content:
                archive.addfile(member, content)
