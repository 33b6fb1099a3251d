"""Files that Git calls unchanged though their bytes are not the commit's, since it converts the ends of their lines.

Once such a file was added, Git compares only what it would store: whether a script ends its lines as the commit has
them, or in a way that no shell reads, is the same to it, and not to a gate.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from typing import Final

from t2c.ledger.intake.git_command import Repository

__all__ = ["converted"]

_LISTED: Final = (
    "-c", "core.excludesFile=/dev/null", "-c", "core.untrackedCache=false", "ls-files", "-z", "--cached", "--others",
    "--exclude-standard", "--", ":(top,glob)**/.gitattributes",
)  # fmt: skip


def converted(git: Repository, revision: str) -> Iterator[bytes]:
    """Names, relative to the root, of tracked files that are longer or shorter than in the commit.

    A conversion of line ends always shows in the length. Among them are files that really changed, which Git tells
    itself. Costs a list of all files of the commit, and that only where anything can be converted at all.
    """
    if not _converts(git):
        return
    root = os.fsencode(git.root)
    with git.output("ls-tree", "-r", "-l", "-z", revision, "--", ".") as out:
        for row in out.read().split(b"\0"):
            about, _, name = row.partition(b"\t")
            fields = about.split()
            if len(fields) != 4 or fields[0] not in (b"100644", b"100755"):
                continue
            try:
                found = os.lstat(root + b"/" + name)
            except (FileNotFoundError, NotADirectoryError):
                continue
            if stat.S_ISREG(found.st_mode) and found.st_size != int(fields[3]):
                yield name


def _converts(git: Repository) -> bool:
    """True if a setting or a file of attributes may make Git convert line ends."""
    with git.output("config", "-z", "--list") as out:
        for item in out.read().split(b"\0"):
            key, _, value = item.partition(b"\n")
            if key == b"core.autocrlf" and value.lower() not in (b"", b"false", b"no", b"off", b"0"):
                return True
    if (git.common_dir / "info" / "attributes").exists():
        return True
    with git.output(*_LISTED) as out:
        return out.read(1) != b""
