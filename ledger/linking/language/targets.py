"""What a statement may locate: modules and declarations of the product, found by the words of their names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import log
from statistics import median
from typing import Final

from msgspec import Struct

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.features import Record
from t2c.ledger.linking.language.words import english, parts
from t2c.ledger.linking.symbols import COMMON_NAMES, Declaration

__all__ = ["PRIOR", "Target", "Targets", "own_words"]

MAX_POSTINGS: Final = 120
"""Targets that one word may propose; a commoner one only speaks for what others propose."""
PRIOR: Final = 20.0
"""Files that are assumed beside those of the repository, so that a rare word in a small one is no certainty."""
_COMMON_SHARE: Final = 0.25
"""The part of those files that a word like `get` or `value` is assumed in."""
_KINDS: Final = frozenset({"function", "method", "type"})
_SHELLS: Final = frozenset({"__init__", "__main__", "index", "main", "mod", "lib", "init"})
"""File names that leave the name of what they hold to their folder."""
_LAYOUT: Final = frozenset(
    {"src", "lib", "app", "apps", "main", "java", "python", "packages", "pkg", "internal", "com"}
)
"""Folders that say nothing of what is in them."""
_TESTS: Final = frozenset({"__mocks__", "__tests__", "e2e", "spec", "specs", "testdata"})
"""Folders that hold tests and what these need, beside those whose declarations are throw-away names everywhere."""
_LAYERS: Final = frozenset(
    word
    for line in (
        "adapter base builder component container controller core engine factory helper impl manager page processor",
        "provider repository router service util utils view",
    )
    for word in line.split()
)
"""Words for the part that code plays, which tell nothing of its subject."""
_EMPTY: Final = frozenset({"the", "of", "to", "and", "by", "for", "in", "on", "is"})


class Target(Struct, frozen=True, gc=False):
    """A module or declaration. `name` are the keys of its own name, `place` those of what it stands in.

    `file` is the path of its file, `label` what it is called.
    """

    id: RecordId
    label: str
    file: str
    name: tuple[str, ...]
    place: tuple[str, ...]
    is_module: bool


class Targets(Struct, frozen=True):
    """All targets, by each key of a name, and how much a key tells."""

    all: Sequence[Target]
    by_name: Mapping[str, Sequence[int]]
    weights: Mapping[str, float]
    words: frozenset[str]
    """The words that names and places are made of, in lower case."""
    needed: float
    """What the matched words must tell together so that hardly a name of a repository of this size fits by chance."""
    usual: float
    """What a word usually tells."""
    declared: frozenset[str]
    """The last parts of all declared names."""

    @classmethod
    def of(cls, records: Iterable[Record]) -> Targets:
        """The targets among records of code. Tests, examples and documentation are none."""
        found: list[Target] = []
        words: set[str] = set()
        declared: set[str] = set()
        spread: dict[str, set[str]] = {}
        for record in records:
            path, symbol = record.source.path, record.source.symbol
            if path is None or record.statement.action != "declare" or not symbol:
                continue
            is_module = record.statement.kind == "module_fact"
            if not is_module:
                declared.add(symbol.rpartition(".")[2])
            if not _is_located(record, is_module, path, symbol):
                continue
            name, place = _name_and_place(path, symbol, is_module)
            keys = tuple(dict.fromkeys(map(english, name)))
            around = frozenset(map(english, place))
            for key in (*keys, *around):
                spread.setdefault(key, set()).add(path)
            words.update(name, place)
            if keys:
                label = path if is_module else symbol
                found.append(
                    Target(record.id, label, path, keys, tuple(sorted(around.difference(keys))), is_module)
                )
        by_name: dict[str, list[int]] = {}
        for at, target in enumerate(found):
            for key in target.name:
                by_name.setdefault(key, []).append(at)
        files = len({target.file for target in found})
        common = {english(word) for word in COMMON_NAMES | _LAYERS}
        weights = {
            key: log(
                (files + 1 + PRIOR) / (len(paths) + 0.5 + (_COMMON_SHARE * PRIOR if key in common else 0.0))
            )
            for key, paths in spread.items()
        }
        usual = median(weights.values()) if weights else 0.0
        return cls(found, by_name, weights, frozenset(words), log(files + PRIOR), usual, frozenset(declared))

    def is_common(self, key: str) -> bool:
        """Whether too many names have this key for it to propose them."""
        return len(self.by_name.get(key, ())) > MAX_POSTINGS

    def proposed(self, weights: Mapping[str, float]) -> Mapping[int, float]:
        """The targets that bear one of these keys in their name, with the sum of the weights of those they bear."""
        sums: dict[int, float] = {}
        common: list[str] = []
        for key in weights:
            if self.is_common(key):
                common.append(key)
                continue
            for at in self.by_name.get(key, ()):
                sums[at] = sums.get(at, 0.0) + weights[key]
        if common:
            for at in sums:
                sums[at] += sum(weights[key] for key in common if key in self.all[at].name)
        return sums


def own_words(path: str, symbol: str, is_module: bool) -> list[str]:
    """The words of a target's own name, in lower case."""
    return _name_and_place(path, symbol, is_module)[0]


def _is_located(record: Record, is_module: bool, path: str, symbol: str) -> bool:
    kind = record.metadata.symbolKind
    if record.metadata.test is True or not (is_module or (isinstance(kind, str) and kind in _KINDS)):
        return False
    return Declaration(record.id, path, symbol, symbol, 0).is_product and _TESTS.isdisjoint(path.split("/"))


def _name_and_place(path: str, symbol: str, is_module: bool) -> tuple[list[str], list[str]]:
    *folders, file = path.split("/")
    stem = file.partition(".")[0] or file
    above = [folder for folder in folders if folder.lower() not in _LAYOUT]
    if is_module:
        if stem.lower() in _SHELLS and above:
            stem = above.pop()
        name, place = [stem], above
    else:
        *outer, last = symbol.split(".")
        name, place = [last], [*outer, stem, *above]
    own = [word for part in name for word in parts(part) if word not in _EMPTY]
    return own, [word for part in place for word in parts(part) if word not in _EMPTY and word not in _LAYOUT]
