"""Which declaration a test exercises, and which module a file of tests is of.

A called name and the test's own name are two kinds of evidence: each is enough where one declaration alone is meant,
and both together are surer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from t2c.ledger.linking.base import Abstention, Hit
from t2c.ledger.linking.bindings import Bindings
from t2c.ledger.linking.modules import Code, Module, Symbol

__all__ = ["MAX_EXERCISED", "exercising"]

MAX_EXERCISED: Final = 8
"""Declarations that are told of one test, the strongest first."""
MAX_IMPORTED: Final = 3
"""Modules that a file of tests may import for each of them to be what it tests."""
_COMMON: Final = 20
_SHARE: Final = 0.1
"""What more tests than both exercise is set up by them, and told only of tests that exercise nothing else."""
_HELPING: Final = re.compile(
    r"(?:^|/)(?:[^/]*[-_])?(?:bench|benches|benchmarks?|fixtures?|mocks?|tests?|testing|test[-_]?(?:case|cases|helpers?|support|utils?))/"
    r"|[^/]tests?(?:fixtures|helpers?|support|utilities|utils?)/|(?:^|/)(?:conftest|[^/]*test[-_]?(?:case|helpers?|support|utils?))\.[^/.]+$",
    re.IGNORECASE,
)
"""Paths of what helps tests and is no product."""
_AFFIX: Final = re.compile(
    r"^(?:tests?|bench(?:mark)?|fuzz|example|spec|it|should)(?=[_\-.A-Z0-9]|$)[_\-.]*"
    r"|[_\-.]*(?:tests?|spec|specs|test_?case|suite|it)$",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+|[^\W\dA-Za-z_]+")
_NAME: Final = re.compile(r"[A-Za-z_$][\w$]*")
_SIGNS: Final = re.compile(r"[\W_]+")
_MIN_LETTERS: Final = 5
"""Letters of the shortest name that a test may be named after; a type may be shorter by one."""
_STEMS: Final = frozenset({"__init__", "index", "lib", "main", "mod"})


class _Target(NamedTuple):
    symbol: Symbol
    grade: str
    signals: tuple[tuple[str, str], ...]


_ORDER: Final = ("called_and_named", "called_taken", "called_at_hand", "called_member", "named_after")


def exercising(code: Code, bindings: Bindings) -> Iterator[Hit | Abstention]:
    """From each test to what it exercises.

    * A declaration that the test calls, if its name means that one alone (see `bindings`).
    * A declaration at hand after which the test is named: `test_parse_url`, `TestParseUrl`, `parseUrl() …` for
      `parse_url`; a name that goes on (`test_parse_url_without_host`) only if the test also calls what is so called.
    * Never a test, nor what helps tests.
    * What many tests call is what they are set up with; it is told of a test only where nothing else is.
    * From a file of tests to the module that it is named after, else to the few that it imports where none of its
      tests told more.
    """
    found: dict[str, list[_Target]] = {}
    tests: dict[str, Symbol] = {}
    names = _Names(code)
    for module in code.modules.values():
        asked = [symbol for symbol in module.symbols.values() if symbol.is_test]
        if asked:
            named = _Named(names, bindings.reach(module) | {module.path})
            for test in asked:
                targets = list(_targets(test, module, bindings, named, code))
                if targets:
                    found[test.id], tests[test.id] = targets, test
    spread = Counter(target.symbol.id for targets in found.values() for target in targets)
    common = max(_COMMON, _SHARE * len(found))
    told: dict[str, set[str]] = {}
    for identity, targets in found.items():
        kept = [one for one in targets if spread[one.symbol.id] <= common or "named" in one.grade] or targets
        kept.sort(key=lambda one: (_ORDER.index(one.grade), spread[one.symbol.id], one.symbol.id))
        test = tests[identity]
        for _ in kept[MAX_EXERCISED:]:
            yield Abstention("exercises_capped", f"{test.name} in {test.path}")
        for target in kept[:MAX_EXERCISED]:
            told.setdefault(test.path, set()).add(target.symbol.path)
            yield Hit(test.id, target.symbol.id, "tests", "structure", (target.grade,), target.signals)
    yield from _of_files(code, bindings, told)


def _targets(
    test: Symbol, module: Module, bindings: Bindings, named: _Named, code: Code
) -> Iterator[_Target]:
    called: dict[str, _Target] = {}
    for name, call in bindings.calls(module, test.calls, test):
        if _is_product(call.symbol, code):
            grade = "called_taken" if call.how in ("taken", "own") else "called_at_hand"
            called[call.symbol.id] = _Target(call.symbol, grade, (("call", name),))
    for name in test.calls:
        member = bindings.member(module, name)
        if member is not None and member.id not in called and _is_product(member, code):
            called[member.id] = _Target(member, "called_member", (("call", name),))
    words = _words(test)
    for identity, target in called.items():
        if words and _begins(words, _WORD.findall(target.symbol.leaf)):
            signals = (*target.signals, ("name", target.symbol.name))
            called[identity] = _Target(target.symbol, "called_and_named", signals)
    for symbol, is_whole in named.after(test):
        if symbol.leaf in test.calls:
            signals = (("call", symbol.leaf), ("name", symbol.name))
            called[symbol.id] = _Target(symbol, "called_and_named", signals)
        elif is_whole and symbol.id not in called:
            called[symbol.id] = _Target(symbol, "named_after", (("name", symbol.name),))
    yield from called.values()


def _words(test: Symbol) -> list[str]:
    """The words of a test's name without what says that it is one; none of a sentence."""
    return [] if test.native == "test" and " " in test.name else _WORD.findall(_AFFIX.sub("", test.leaf))


def _begins(words: list[str], start: list[str]) -> bool:
    """Whether a name begins with another: with all of its words, and with one only if it has no other."""
    count = len(start)
    is_told = count > 1 or (count == len(words) and sum(map(len, start)) >= _MIN_LETTERS)
    return is_told and [word.lower() for word in words[:count]] == [word.lower() for word in start]


def _is_product(symbol: Symbol, code: Code) -> bool:
    return not symbol.is_of_tests and _is_product_file(code.modules[symbol.path])


def _is_product_file(module: Module) -> bool:
    return not module.is_test and _HELPING.search(module.path) is None


class _Names:
    """What tests may be named after, by its letters and by its name, and in which file it is."""

    def __init__(self, code: Code) -> None:
        self.by_letters: dict[str, dict[str, set[Symbol]]] = {}
        self.by_name: dict[str, dict[str, set[Symbol]]] = {}
        for module in code.modules.values():
            if not _is_product_file(module):
                continue
            for symbol in module.symbols.values():
                if symbol.is_of_tests or symbol.is_inner or symbol.kind == "constant":
                    continue
                self.by_name.setdefault(symbol.leaf, {}).setdefault(module.path, set()).add(symbol)
                for name in {symbol.leaf, ".".join(symbol.name.rsplit(".", 2)[-2:])}:
                    least = _MIN_LETTERS - (symbol.kind == "type")
                    if len(letters := _letters(name)) >= least and (
                        name != symbol.leaf or symbol.is_exported
                    ):
                        self.by_letters.setdefault(letters, {}).setdefault(module.path, set()).add(symbol)


class _Named(NamedTuple):
    """The names that the tests of one file may have been given: those in the `paths` that it has at hand."""

    names: _Names
    paths: frozenset[str]

    def _near(self, found: Mapping[str, set[Symbol]]) -> list[Symbol]:
        fewer = found if len(found) < len(self.paths) else self.paths
        return [symbol for path in fewer if path in self.paths for symbol in found.get(path, ())]

    def after(self, test: Symbol) -> Iterator[tuple[Symbol, bool]]:
        """The declarations that the test is named after, and whether by its whole name; of several so called none."""
        if test.native == "test" and " " in test.name:
            for symbol in self._in_title(test.name):
                yield symbol, True
            return
        words = _words(test)
        for count in range(len(words), 0, -1):
            if count == 1 < len(words):
                return
            known = self.names.by_letters.get("".join(words[:count]).lower())
            if known and (found := self._near(known)):
                if len(found) == 1 and (test.kind != "type" or found[0].kind == "type"):
                    yield found[0], count == len(words)
                return

    def _in_title(self, title: str) -> Iterator[Symbol]:
        seen: set[str] = set()
        for part in title.split(" > "):
            for match in _NAME.finditer(part):
                name = match[0]
                is_alone = name == part.strip(" .#()")
                is_call = part[match.end() : match.end() + 1] == "("
                is_written = is_call or "_" in name.strip("_") or any(map(str.isupper, name[1:]))
                if name in seen or len(name) < _MIN_LETTERS or not (is_alone or is_written):
                    continue
                seen.add(name)
                found = self._near(self.names.by_name.get(name, {}))
                if len(found) == 1:
                    yield found[0]


def _of_files(code: Code, bindings: Bindings, told: Mapping[str, set[str]]) -> Iterator[Hit | Abstention]:
    for module in code.modules.values():
        stem = _stem(module.path)
        bare = _AFFIX.sub("", stem)
        if not module.is_test:
            continue
        is_of_tests = bare != stem or any(symbol.is_test for symbol in module.symbols.values())
        near = sorted(
            path
            for path in bindings.reach(module)
            if path != module.path and _is_product_file(code.modules[path])
        )
        named = [path for path in near if _letters(_stem(path)) == _letters(bare)] if _letters(bare) else []
        if len(named) == 1:
            yield _of_file(module, code.modules[named[0]], "file_named_after", "name")
        elif is_of_tests and not named and module.path not in told:
            taken = sorted({path for one in module.taken if one.package is None for path in one.paths})
            taken = [path for path in taken if _is_product_file(code.modules[path])]
            if len(taken) > MAX_IMPORTED:
                yield Abstention("exercises_unsure", module.path)
                continue
            for path in taken:
                yield _of_file(module, code.modules[path], "imported_for_test", "import")


def _of_file(module: Module, target: Module, grade: str, signal: str) -> Hit:
    return Hit(module.id, target.id, "tests", "structure", (grade,), ((signal, target.path),))


def _stem(path: str) -> str:
    """The name of a file without its ending, or of its folder where the file stands for that."""
    *folders, file = path.split("/")
    stem = file.partition(".")[0]
    return folders[-1] if stem in _STEMS and folders and folders[-1] != "src" else stem


def _letters(name: str) -> str:
    return _SIGNS.sub("", name).lower()
