"""The ledger as a commit of this repository holds it, read out with plumbing; nothing is checked out."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import IO, Final

from t2c.ledger.errors import Environment, Usage
from t2c.ledger.intake.git_command import GitUnusable, Repository, open_repository
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.kernel.digests import payload_hash
from t2c.ledger.transfer.source import JournalSource, Progress

__all__ = ["revision_source"]

_PIECE: Final = 1 << 20


@contextmanager
def revision_source(root: Path, revision: str, workspace: str, progress: Progress) -> Iterator[JournalSource]:
    """The chain in the folder `workspace` (relative to `root`) as the commit `revision` has it, proven.

    Raises Usage if there is no such commit or it tracks no journal, Corrupt if its chain is not sound, Environment
    if Git cannot be used.
    """
    name = f"git:{revision}"
    try:
        with open_repository(root) as repository, tempfile.TemporaryDirectory(prefix="t2c-merge-") as made:
            folder = Path(made)
            commit = _commit(repository, revision)
            _read_out(repository, commit, workspace, folder)
            journal = JournalFile(folder / "journal.ndjson")
            if not journal.path.exists():
                raise Usage(
                    f"the commit {revision} holds no ledger",
                    where=f"{commit[:12]}:{workspace}/journal.ndjson",
                    safe="nothing was written",
                    remedy="only a tracked ledger can be merged from Git: t2c init --track",
                )

            def objects(wanted: Collection[str]) -> Iterator[tuple[str, bytes]]:
                return _objects(repository, commit, workspace, wanted)

            yield JournalSource(journal, name, objects=objects, progress=progress)
    except GitUnusable as unusable:
        raise Environment(
            f"the commit {revision} cannot be read: {unusable.detail}",
            safe="nothing was written",
            remedy="run it in the repository that tracks the ledger; `t2c doctor` looks at Git",
        ) from None


def _commit(repository: Repository, revision: str) -> str:
    try:
        with repository.output(
            "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
        ) as out:
            found = out.read().decode("ascii", "replace").strip()
    except GitUnusable:
        found = ""
    if not found:
        raise Usage(
            f"there is no commit {revision!r} in this repository",
            safe="nothing was written",
            remedy="`git log --all --oneline` lists commits",
        )
    return found


def _read_out(repository: Repository, commit: str, workspace: str, folder: Path) -> None:
    """Write the journal and its sealed segments of a commit to a folder."""
    with repository.output("ls-tree", "-r", "-z", commit, "--", f"{workspace}/") as out:
        listed = out.read().split(b"\0")
    blobs: list[tuple[str, str]] = []
    for row in listed:
        about, _, path = row.partition(b"\t")
        inside = path.decode("utf-8", "surrogateescape").removeprefix(f"{workspace}/")
        kept = inside == "journal.ndjson" or (inside.startswith("segments/") and inside.count("/") == 1)
        if about.split(b" ")[1:2] == [b"blob"] and not about.startswith(b"120000") and kept:
            blobs.append((about.split(b" ")[2].decode(), inside))
    with repository.output("cat-file", "--batch", lines=[blob for blob, _ in blobs]) as out:
        for _, inside in blobs:
            target = folder / inside
            target.parent.mkdir(exist_ok=True)
            with target.open("wb") as written:
                for piece in _content(out):
                    written.write(piece)


def _objects(
    repository: Repository, commit: str, workspace: str, wanted: Collection[str]
) -> Iterator[tuple[str, bytes]]:
    names = [f"{commit}:./{workspace}/objects/{digest[:2]}/{digest[2:]}" for digest in wanted]
    if not names:
        return
    with repository.output("cat-file", "--batch", lines=names) as out:
        for digest in wanted:
            content = b"".join(_content(out))
            if digest in (sha256(content).hexdigest(), payload_hash(content)):
                yield digest, content


def _content(out: IO[bytes]) -> Iterator[bytes]:
    """The next object of `cat-file --batch`; nothing for a missing one."""
    header = out.readline().rstrip(b"\n")
    if not header or header.endswith(b" missing"):
        return
    left = int(header.rsplit(b" ", 1)[1])
    while left:
        piece = out.read(min(left, _PIECE))
        if not piece:
            return
        left -= len(piece)
        yield piece
    out.read(1)
