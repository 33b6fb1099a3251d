"""The head of the journal in Git: as a note on a commit, or as a trailer of its message (journal-engine §5).

Whoever fetches the repository holds a copy, so the journal cannot be cut or made anew behind the back of the
remote. Anchors are read along the first parents of HEAD only: a branch that was merged had a chain of its own,
whose sizes and roots are not those of this one.

The note of a commit holds one checkpoint or more, with an empty line between them; whatever else somebody wrote
there is left as it is.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.anchors.base import Anchor
from t2c.ledger.anchors.found import Found, Remark
from t2c.ledger.anchors.git_repository import Repository, open_repository
from t2c.ledger.errors import Conflict, Environment, Usage
from t2c.ledger.journal.note import MAX_NOTE, ORIGIN, Checkpoint, parse_checkpoint

__all__ = ["NOTES_REF", "TRAILER", "Kept", "checkpoints_in", "read", "trailer", "write_note"]

NOTES_REF: Final = "refs/notes/t2c"
TRAILER: Final = "T2c-Checkpoint"
_TRIES: Final = 5
_TRAILER_LINE: Final = re.compile(rb"^T2c-Checkpoint:[ \t]*(.*)$", re.MULTILINE)
_NOBODY: Final = b"t2c <t2c@localhost>"
_SIGNATURE: Final = re.compile(r"— \S+ [A-Za-z0-9+/=]+")


class Kept(NamedTuple):
    """The commit that carries the note; `new` is False if it held this checkpoint already."""

    commit: str
    new: bool


def trailer(checkpoint: Checkpoint) -> str:
    """`T2c-Checkpoint: t2c/<ledger id> <size> <base64 root>`: a line for the message of the next commit."""
    return f"{TRAILER}: {checkpoint.origin} {checkpoint.size} {b64encode(checkpoint.root).decode()}"


def write_note(root: Path, checkpoint_text: str) -> Kept:
    """Put a checkpoint into the note of HEAD's commit in `refs/notes/t2c`, after those that are there.

    Writing the same again changes nothing. Two that write at once both succeed. Raises Usage if the text is no
    checkpoint, Environment if there is no repository or no commit, Conflict if the notes change all the time.
    """
    parse_checkpoint(checkpoint_text)
    repository = open_repository(root)
    head = repository.head
    if head is None:
        raise Environment(
            "the repository has no commit yet, so nothing can carry a note",
            where=str(root),
            safe="nothing was written",
            remedy="make the first commit, then anchor again",
        )
    for _ in range(_TRIES):
        tip = _tip(repository)
        there = _note_of(repository, head) if tip else b""
        if any(text == checkpoint_text for text in checkpoints_in(there)):
            return Kept(head, False)
        if there and not there.endswith(b"\n"):
            there += b"\n"
        content = there + (b"\n" if there else b"") + checkpoint_text.encode()
        # Unlike `git notes`, fast-import writes the bytes as they are and moves the reference only from the tip
        # that was read, so that a note that somebody else writes meanwhile is not lost.
        given = _commands(repository, head, tip, content)
        try:
            repository.output("fast-import", "--quiet", "--date-format=now", given=given)
            return Kept(head, True)
        except Environment as error:
            if _tip(repository) == tip:
                error.where, error.safe = NOTES_REF, "the notes that were there"
                raise
    raise Conflict(
        f"{NOTES_REF} was changed by others during each of {_TRIES} tries",
        safe="the notes that were there",
        remedy="run the command again",
    )


def _tip(repository: Repository) -> str | None:
    """The commit of the notes, None if there are none. Raises Environment if the name stands for something else."""
    found = repository.answer("rev-parse", "--verify", "--quiet", NOTES_REF)
    if found is None:
        return None
    tip = found.decode("ascii").strip()
    if repository.output("cat-file", "-t", tip).strip() != b"commit":
        raise Environment(
            f"{NOTES_REF} does not hold notes",
            safe="nothing was written",
            remedy=f"see what it is with `git show {NOTES_REF}`, and move or delete it",
        )
    return tip


def _note_of(repository: Repository, commit: str) -> bytes:
    blob = repository.answer("notes", f"--ref={NOTES_REF}", "list", commit)
    return b"" if blob is None else repository.output("cat-file", "blob", blob.decode("ascii").strip())


def _commands(repository: Repository, head: str, tip: str | None, content: bytes) -> bytes:
    message = b"Notes added by t2c\n"
    return b"".join(
        (
            f"commit {NOTES_REF}\n".encode(),
            b"committer " + _committer(repository) + b" now\n",
            b"data %d\n" % len(message) + message,
            b"" if tip is None else f"from {tip}\n".encode(),
            f"N inline {head}\n".encode(),
            b"data %d\n" % len(content) + content + b"\n",
        )
    )


def _committer(repository: Repository) -> bytes:
    """Name and address as Git knows them; where it knows none, as on a build machine, t2c's own."""
    told = repository.answer("var", "GIT_COMMITTER_IDENT")
    return _NOBODY if told is None else told[: told.rindex(b">") + 1]


def read(root: Path, ledger: str) -> Found:
    """All anchors of a ledger on the first parents of HEAD, from notes and from trailers, oldest commit first.

    What is of another ledger, on another line of history or unreadable is counted in remarks. Raises Environment
    if there is no repository that Git can use.
    """
    repository = open_repository(root)
    if repository.head is None:
        return Found((), (Remark("no_commits", 1, "the repository has no commit yet"),))
    line = {
        commit: at
        for at, commit in enumerate(repository.words("rev-list", "--first-parent", repository.head))
    }
    reader = _Reader(repository, ledger, line)
    if repository.shallow.intersection(line):
        reader.remark("shallow", "the clone is shallow: anchors of commits before it were not read")
    reader.notes()
    reader.trailers()
    return reader.found()


class _Reader:
    """Reads the texts of commits and sorts them into anchors and remarks."""

    def __init__(self, repository: Repository, ledger: str, line: dict[str, int]) -> None:
        self._repository = repository
        self._ledger = ledger
        self._line = line
        self._anchors: list[tuple[int, Anchor]] = []
        self._remarks: dict[str, Remark] = {}
        self._others: list[str] = []
        self._elsewhere: list[Anchor] = []

    def remark(self, reason: str, detail: str) -> None:
        first = self._remarks.get(reason, Remark(reason, 0, detail))
        self._remarks[reason] = first._replace(number=first.number + 1)

    def found(self) -> Found:
        self._anchors.sort(key=lambda place: (-place[0], place[1].checkpoint.size, place[1].source))
        return Found(
            tuple(anchor for _, anchor in self._anchors),
            tuple(self._remarks[reason] for reason in sorted(self._remarks)),
            tuple(self._others),
            tuple(self._elsewhere),
        )

    def notes(self) -> None:
        """Notes on commits of the line; those elsewhere are counted if they speak of this ledger."""
        if _tip(self._repository) is None:
            return
        listed = self._repository.words("notes", f"--ref={NOTES_REF}", "list")
        blobs, commits = listed[::2], listed[1::2]
        reachable: frozenset[str] | None = None
        for commit, (_, content) in zip(commits, self._repository.objects(blobs), strict=True):
            source = f"git note on {commit[:12]}"
            if content is None:
                self.remark("too_large", f"{source} is missing or larger than 1 MiB")
                continue
            for text in checkpoints_in(content):
                checkpoint = self._parsed(text, source)
                if checkpoint is None:
                    continue
                if commit in self._line:
                    self._anchors.append((self._line[commit], Anchor(source, checkpoint, text, "git")))
                    continue
                if reachable is None:
                    reachable = frozenset(self._repository.words("rev-list", str(self._repository.head)))
                if commit not in reachable:
                    self._elsewhere.append(Anchor(source, checkpoint, text, "git"))
                self._aside(commit in reachable, source)

    def trailers(self) -> None:
        """Trailers of commits of the line; those of merged branches are counted if they speak of this ledger."""
        head = str(self._repository.head)
        named = self._repository.words("rev-list", f"--grep=^{TRAILER}:", head)
        for commit, content in self._repository.objects(named):
            source = f"git trailer of {commit[:12]}"
            if content is None:
                self.remark("too_large", f"{source} is missing or larger than 1 MiB")
                continue
            message = content.partition(b"\n\n")[2].replace(b"\r\n", b"\n").rstrip()
            last = message.rfind(b"\n\n") + 1
            for found in _TRAILER_LINE.finditer(message):
                if found.start() < last:
                    self.remark(
                        "not_a_trailer",
                        f"a line {TRAILER} inside the message of {commit[:12]}, not in its last paragraph",
                    )
                    continue
                words = found[1].decode("utf-8", "replace").split()
                text = "".join(f"{word}\n" for word in words[:3])
                checkpoint = self._parsed(text if len(words) == 3 else "", source)
                if checkpoint is None:
                    continue
                if commit in self._line:
                    self._anchors.append((self._line[commit], Anchor(source, checkpoint, text, "git")))
                else:
                    self._aside(True, source)

    def _aside(self, merged: bool, source: str) -> None:
        if merged:
            self.remark("merged_branch", f"{source}, a commit of a merged branch, which had its own chain")
        else:
            self.remark("elsewhere", f"{source}, a commit that is not in the history of HEAD")

    def _parsed(self, text: str, source: str) -> Checkpoint | None:
        """The checkpoint if it is one of this ledger."""
        try:
            checkpoint = parse_checkpoint(text).checkpoint
        except Usage as error:
            self.remark("unreadable", f"{source}: {error.what}")
            return None
        if checkpoint.ledger != self._ledger:
            self._others.append(checkpoint.origin)
            self.remark("other_ledger", f"{source} vouches for {checkpoint.origin}")
            return None
        return checkpoint


def checkpoints_in(content: bytes) -> Iterator[str]:
    """The texts in a note that begin as checkpoints of t2c do, whether they are whole or not."""
    lines = content.decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    starts = [at for at, line in enumerate(lines) if line.startswith(ORIGIN)]
    for start, stop in pairwise([*starts, len(lines)]):
        body = lines[start:stop]
        blank = body.index("") if "" in body else len(body)
        end = blank + 1
        while end < len(body) and _SIGNATURE.fullmatch(body[end]):
            end += 1
        kept = body[:end] if end > blank + 1 else body[:blank]
        yield "".join(f"{line}\n" for line in kept)[: MAX_NOTE + 1]
