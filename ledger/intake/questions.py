"""What an extractor asked of the other files, kept so that its reading is used again only while the answers stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from t2c.ledger.intake.base import Tree

__all__ = ["Question", "Watched", "digest_of", "stand"]

_YES: Final = b"\1"
_NO: Final = b""
_SIZE: Final = 16


class Question(NamedTuple):
    """One question and a digest of its answer; `kind` is the method of `Tree` that was called."""

    kind: Literal["holds", "named", "content"]
    argument: str
    answer: bytes


def digest_of(content: bytes) -> bytes:
    """16 bytes that stand for a content."""
    return sha256(content).digest()[:_SIZE]


class Watched:
    """A `Tree` that remembers what it was asked."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._asked: dict[tuple[Literal["holds", "named", "content"], str], bytes] = {}

    def __contains__(self, path: str) -> bool:
        found = path in self._tree
        self._asked["holds", path] = _YES if found else _NO
        return found

    def named(self, name: str) -> tuple[str, ...]:
        """Paths of all files with this base name, in byte order."""
        found = self._tree.named(name)
        self._asked["named", name] = _of_paths(found)
        return found

    def content(self, path: str) -> bytes | None:
        """The content of another file."""
        found = self._tree.content(path)
        self._asked["content", path] = _NO if found is None else digest_of(found)
        return found

    def questions(self) -> list[Question]:
        """Every question once, in the order in which each was first asked."""
        return [Question(kind, argument, answer) for (kind, argument), answer in self._asked.items()]


def _of_paths(paths: Sequence[str]) -> bytes:
    return digest_of("\0".join(paths).encode("utf-8", "surrogateescape")) if paths else _NO


def stand(
    questions: Sequence[Question],
    tree: Tree,
    contents: dict[str, bytes],
    *,
    same_paths: bool,
    unread: Mapping[str, object],
) -> bool:
    """True if the tree answers every question as it did.

    With `same_paths` the names of all files are known to be what they were. `contents` keeps digests between
    calls; a file in `unread` is known to hold what it held.
    """
    for kind, argument, answer in questions:
        match kind:
            case "content":
                if argument in unread and argument in tree:
                    continue
                if argument not in contents:
                    found = tree.content(argument)
                    contents[argument] = _NO if found is None else digest_of(found)
                if contents[argument] != answer:
                    return False
            case _ if same_paths:
                continue
            case "holds":
                if (argument in tree) != (answer == _YES):
                    return False
            case "named":
                if _of_paths(tree.named(argument)) != answer:
                    return False
    return True
