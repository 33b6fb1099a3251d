"""Which declaration a written name means: exactly one, or none is chosen.

A name is looked up in falling order of what was written: its whole qualified name, its last two parts, its
last part. A foreign name (`json.dumps`) must not find our own `dumps`, so a qualified name may lose its front
only if that front names one of this repository's packages. Tests, documentation and examples declare
throw-away names like `Model` or `User`, so there a name counts only where it is whole or a path points at it.
A file that only declares what another one holds, and a former version of a package that the package still brings
along, give way to the one declaration besides them.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, Literal, NamedTuple

from msgspec import Struct

from t2c.ledger.kernel.ids import RecordId

__all__ = ["COMMON_NAMES", "MIN_LEAF", "Declaration", "Grade", "Names", "Resolution"]

Grade = Literal["qualified", "tail", "leaf", "narrowed"]
"""How a name was resolved, strongest first; `narrowed` when paths had to choose among several."""

MIN_LEAF: Final = 4
"""Characters of the shortest name that may stand for a declaration without its front."""
MAX_DECLARATIONS: Final = 50
"""A name declared more often than this names nothing in particular and is not even narrowed."""

COMMON_NAMES: Final = frozenset(
    word
    for line in (
        "args array bool build byte bytes call char check class close command config context copy create data",
        "date debug decimal default delete dict else enum error exec execute false file files filter float",
        "format from function generic handle handler hash help import info init install json kwargs keys list",
        "literal load lock logger main method mode model module name none null number object open option options",
        "optional package parse path paths platform print property python read remove repr reset result return",
        "root save schema search self send sequence setup source start state status stop string super test tests",
        "text time token true tuple type types union update user utils validate value values version write",
    )
    for word in line.split()
)
"""Words, in any case, that name something of the language or the subject more often than a declaration."""

_THROW_AWAY: Final = frozenset(
    (
        *(
            "__fixtures__",
            "__mocks__",
            "__tests__",
            "benchmark",
            "benchmarks",
            "demo",
            "demos",
            "doc",
            "docs",
            "e2e",
        ),
        *(
            "example",
            "examples",
            "fixtures",
            "node_modules",
            "sample",
            "samples",
            "scripts",
            "spec",
            "specs",
            "test",
        ),
        *("testdata", "testing", "tests", "third_party", "vendor", "_vendor"),
    )
)
_TEST_FILE: Final = re.compile(
    r"(?:conftest|test_[^/]*|[^/]*_(?:test|spec)|[^/]*[.-](?:test|spec|e2e|cy))\.\w+\Z|[^/]*[a-z](?:Tests?|Spec)\.[a-z]+\Z"
)
_DECLARES_ONLY: Final = (".d.ts", ".d.mts", ".d.cts", ".pyi")
_VERSION: Final = re.compile(r"_?v\d+(?:_\d+)*\Z")
_FEWEST_TWINS: Final = 3
_SELF: Final = frozenset({"self", "cls", "this"})


class Declaration(NamedTuple):
    """A declared symbol: its name below its module, and that name with its module's in front if known."""

    id: RecordId
    path: str
    name: str
    dotted: str
    ordinal: int

    @property
    def is_product(self) -> bool:
        """Declared neither in tests nor in documentation, examples or the project's own tooling."""
        return _is_product(self.path)


@lru_cache(maxsize=4096)
def _is_product(path: str) -> bool:
    *folders, file = path.split("/")
    in_throw_away = any(folder in _THROW_AWAY or folder.startswith(".") for folder in folders)
    return not in_throw_away and _TEST_FILE.match(file) is None


class Resolution(NamedTuple):
    """The one declaration that is meant and the grade, or no declaration and how many are possible."""

    declaration: Declaration | None
    grade: Grade
    candidates: int


_NOTHING: Final = Resolution(None, "leaf", 0)


class Names(Struct, frozen=True):
    """Declarations by whole name, last two parts and last part, where some statement mentions the last part.

    `packages` are the first parts of all module names, `copies` the packages that are former versions of the one
    around them, each with a dot behind it.
    """

    declared: Mapping[str, Sequence[Declaration]]
    packages: frozenset[str]
    copies: tuple[str, ...] = ()

    @classmethod
    def of(
        cls, mentioned: Iterable[str], declarations: Iterable[Declaration], modules: Iterable[str]
    ) -> Names:
        """Index what is declared, keeping of several equal names in one file the last definition."""
        leaves = {_tail(name, 1) for name in mentioned}
        last: dict[tuple[str, str], Declaration] = {}
        for declaration in declarations:
            if _tail(declaration.name, 1) in leaves:
                place = (declaration.path, declaration.name)
                rival = last.get(place)
                if rival is None or (declaration.ordinal, declaration.id) > (rival.ordinal, rival.id):
                    last[place] = declaration
        declared: dict[str, list[Declaration]] = {}
        for place in sorted(last):
            declaration = last[place]
            name, dotted = declaration.name, declaration.dotted
            for key in {name, dotted, _tail(dotted, 2), _tail(dotted, 1)}:
                declared.setdefault(key, []).append(declaration)
        known = frozenset(modules)
        return cls(declared, frozenset(module.partition(".")[0] for module in known), _copies(known))

    def resolve(self, name: str, paths: Collection[str], *, called: bool, within: bool) -> Resolution:
        """The declaration that `name` means; `paths`, named or changed, choose among several.

        `called` says that it was written as a call. With `within` a declaration outside `paths` is never
        meant, because the commit did not change it.
        """
        if name.partition(".")[0] in _SELF:
            name = name.partition(".")[2]
        leaf = _tail(name, 1)
        for grade, key in self._ways(name):
            found = self.declared.get(key, ())
            if len(found) > MAX_DECLARATIONS:
                return Resolution(None, grade, len(found))
            pool = [
                one
                for one in found
                if _means(one, name, grade)
                and (grade != "leaf" or called or not _is_weak(one, pointed=one.path in paths))
            ]
            if leaf != name and name.partition(".")[0] in self.packages:
                pool = [one for one in pool if self._agrees(one, name)]
            pool = [one for one in pool if one.is_product or one.dotted == name] or [
                one for one in pool if one.path in paths
            ]
            if len(pool) > 1 and sum(one.path in paths for one in pool) != 1:
                first = [one for one in pool if self._is_first_hand(one)]
                pool = first if len(first) == 1 else pool
            if pool:
                return _choose(pool, grade, paths, within=within)
        return _NOTHING

    def _copy_of(self, dotted: str) -> str:
        """The former version of a package that a name lies in, or nothing."""
        return next((copy for copy in self.copies if dotted.startswith(copy)), "")

    def _is_first_hand(self, declaration: Declaration) -> bool:
        """Whether a declaration is the product's own, stands in its present version, and does what it declares."""
        only_declares = declaration.path.endswith(_DECLARES_ONLY)
        return declaration.is_product and not only_declares and not self._copy_of(declaration.dotted)

    def _agrees(self, declaration: Declaration, name: str) -> bool:
        """Whether a name of our packages and a declaration are of the same version: `pkg.a` is none of `pkg.v1`."""
        copy = self._copy_of(declaration.dotted)
        return copy == self._copy_of(name) or name in (declaration.name, declaration.dotted)

    def _ways(self, name: str) -> Iterator[tuple[Grade, str]]:
        """Each grade at which `name` may be looked up, and under which key."""
        leaf = _tail(name, 1)
        if leaf != name:
            yield "qualified", name
            is_ours = name.partition(".")[0] in self.packages
            if is_ours or name.count(".") == 1:
                yield "tail", _tail(name, 2)
            if not is_ours:
                return
        is_protocol = leaf.startswith("__") and leaf.endswith("__")
        if len(leaf) >= MIN_LEAF and leaf.lower() not in COMMON_NAMES and not is_protocol:
            yield "leaf", leaf


def _copies(modules: Iterable[str]) -> tuple[str, ...]:
    """Packages named by a version, most of whose modules the package around them has too, under the same names."""
    inside: dict[str, set[str]] = {}
    for module in modules:
        package, _, name = module.rpartition(".")
        inside.setdefault(package, set()).add(name)
    found: list[str] = []
    for package, held in inside.items():
        around, _, name = package.rpartition(".")
        if around and _VERSION.match(name):
            twins = len(held & inside.get(around, set()))
            if twins >= _FEWEST_TWINS and 2 * twins >= len(held):
                found.append(f"{package}.")
    return tuple(sorted(found))


def _means(declaration: Declaration, name: str, grade: Grade) -> bool:
    if grade == "qualified":
        return name in (declaration.name, declaration.dotted)
    if grade == "tail" and name.count(".") == 1:
        return declaration.dotted.endswith("." + name)
    return True


def _is_weak(declaration: Declaration, *, pointed: bool) -> bool:
    """Whether the bare last part is as likely something else: an option, a command, a field, a word.

    A member without its class is (`exclude_none`), and so is a plain word (`publish`); where a path points at
    the declaration only what is both.
    """
    leaf = _tail(declaration.name, 1)
    is_member, is_word = leaf != declaration.name, leaf.isalpha() and leaf.islower()
    return (is_member and is_word) if pointed else (is_member or is_word)


def _choose(pool: Sequence[Declaration], grade: Grade, paths: Collection[str], *, within: bool) -> Resolution:
    pointed = [one for one in pool if one.path in paths]
    if len(pool) == 1 and (pointed or not within):
        return Resolution(pool[0], grade, 1)
    if len(pointed) == 1:
        return Resolution(pointed[0], "narrowed", len(pool))
    if within and not pointed:
        return _NOTHING
    return Resolution(None, grade, len(pool))


def _tail(name: str, parts: int) -> str:
    """The last `parts` parts of a dotted name."""
    return ".".join(name.rsplit(".", parts)[-parts:])
