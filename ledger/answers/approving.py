"""What a person approves of an answer: the exact bytes that were shown, named by their SHA-256 (decisions E1, case 91)."""

from __future__ import annotations

from hashlib import sha256
from typing import Any, NamedTuple

from t2c.ledger.answers.base import Claim
from t2c.ledger.answers.history import decoded, events
from t2c.ledger.answers.paths import named_paths
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import Usage
from t2c.ledger.journal.entry import Entry

__all__ = ["Approvable", "approvable", "approvals_of", "file_of", "subject"]


class Approvable(NamedTuple):
    """What would be approved: `text` are the bytes, `subject` what the approval says that it is of."""

    subject: str
    text: bytes

    @property
    def digest(self) -> str:
        return sha256(self.text).hexdigest()


def subject(answer: str, path: str | None = None) -> str:
    """What an approval of an answer, or of one file of it, names as its subject."""
    return f"answer:{answer}" if path is None else f"answer:{answer}#{path}"


def file_of(subject: str) -> tuple[str, str] | None:
    """The answer and the path that an approval of one file names as its subject; None for every other subject."""
    answer, mark, path = subject.removeprefix("answer:").partition("#")
    return (answer, path) if mark and subject.startswith("answer:") else None


def approvable(claim: Claim, content: bytes, path: str | None = None) -> Approvable:
    """What there is to approve: a file of the answer, the text of shaped words, else the whole answer as it came.

    Raises Usage where the answer holds no such file.
    """
    value: Any = claim.value
    if path is not None:
        for named in named_paths(claim.value):
            if named.path == path and named.content is not None:
                return Approvable(subject(claim.event, path), named.content.encode())
        raise Usage(
            f"the answer holds no file {path}",
            where=f"seq {claim.seq}",
            safe="nothing was approved",
            remedy=f"`t2c answers show {claim.seq}` lists its files",
        )
    if claim.root == "shaped":
        return Approvable(subject(claim.event), value.proposal.encode())
    return Approvable(subject(claim.event), content)


def approvals_of(ledger: Ledger, answer: str, path: str | None = None) -> list[tuple[Entry, str]]:
    """The approvals that people granted to an answer or a file of it, in order, each with its digest."""
    wanted = subject(answer, path)
    found = []
    for entry in events(ledger, "approval.granted"):
        data = decoded(entry)
        if data["subject"] == wanted and entry.actor.kind == "human":
            found.append((entry, data["digest"]))
    return found
