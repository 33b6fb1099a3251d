"""What an extractor asked of the other files, kept so that its reading is used again only while the answers stand."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from functools import cached_property
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from t2c.ledger.intake.base import Tree

__all__ = ["Names", "Question", "Watched", "digest_of", "stand"]

_YES: Final = b"\1"
_NO: Final = b""
_SIZE: Final = 16


class Question(NamedTuple):
    """One question and what answers it.

    `holds` and `named` are questions that were answered by files; `lacks` and `nameless` the same ones that no file
    answered, of which a digest is kept and not the words: what names no file may be anything, a secret too.
    `content` is a digest of what a file held, nothing if it could not be read.
    """

    kind: Literal["holds", "lacks", "named", "nameless", "content"]
    argument: str
    answer: bytes


def digest_of(content: bytes) -> bytes:
    """16 bytes that stand for a content."""
    return sha256(content).digest()[:_SIZE]


def _hidden(text: str) -> str:
    return digest_of(text.encode("utf-8", "surrogateescape")).hex()


class Watched:
    """A `Tree` that remembers what it was asked."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._asked: dict[tuple[str, str], Question] = {}

    def __contains__(self, path: str) -> bool:
        found = path in self._tree
        if ("holds", path) not in self._asked:
            question = Question("holds", path, _YES) if found else Question("lacks", _hidden(path), _NO)
            self._asked["holds", path] = question
        return found

    def named(self, name: str) -> tuple[str, ...]:
        """Paths of all files with this base name, in byte order."""
        found = self._tree.named(name)
        if ("named", name) not in self._asked:
            told = (
                Question("named", name, _of_paths(found))
                if found
                else Question("nameless", _hidden(name), _NO)
            )
            self._asked["named", name] = told
        return found

    def content(self, path: str) -> bytes | None:
        """The content of another file."""
        found = self._tree.content(path)
        if found is None and path not in self:
            return None
        answer = _NO if found is None else digest_of(found)
        self._asked["content", path] = Question("content", path, answer)
        return found

    def questions(self) -> list[Question]:
        """Every question once, in the order in which each was first asked."""
        return list(self._asked.values())


def _of_paths(paths: Sequence[str]) -> bytes:
    return digest_of("\0".join(paths).encode("utf-8", "surrogateescape"))


class Names:
    """Digests of the paths and base names of a tree, made when they are first asked for."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._given = paths

    @cached_property
    def paths(self) -> frozenset[str]:
        return frozenset(map(_hidden, self._given))

    @cached_property
    def names(self) -> frozenset[str]:
        return frozenset(_hidden(path[path.rfind("/") + 1 :]) for path in self._given)


def stand(
    questions: Sequence[Question],
    tree: Tree,
    names: Names,
    contents: dict[str, bytes],
    *,
    same_paths: bool,
    unread: Container[str],
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
                changed = contents[argument] != answer
            case _ if same_paths:
                continue
            case "holds":
                changed = argument not in tree
            case "lacks":
                changed = argument in names.paths
            case "named":
                changed = _of_paths(tree.named(argument)) != answer
            case "nameless":
                changed = argument in names.names
        if changed:
            return False
    return True
