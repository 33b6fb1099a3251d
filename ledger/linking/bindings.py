"""Which declaration a called name means, seen from the file that calls it.

A call is known by the last part of its name alone: `helpers.get(x)` and `row.get(x)` are both `get`. So a name
counts where an import takes it by name; and where only the module or package that declares it is at hand, it counts
if it is telling, if nothing else at hand bears it, no type has a member so called, and most of the files that call it
have that module at hand too, since a name that files call that cannot see it is another's as well.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from t2c.ledger.linking.modules import Code, Module, Symbol
from t2c.ledger.linking.symbols import COMMON_NAMES

__all__ = ["Bindings", "Call", "How"]

How = Literal["taken", "own", "package", "whole", "member"]
"""How a called name was found: taken by an import, of the same file, of the same package, of a module taken as a
whole, or as the only member so called of the types at hand."""

_PASSES_ON: Final = frozenset({"python", "js", "rust"})
"""Families in which a module offers what it imports."""
_MAX_STEPS: Final = 6
"""Modules that a name may be passed on through."""
_SHARE: Final = 0.75
"""Of the files that call a name, how many must have its module at hand."""
_SHORT: Final = 6
"""Letters of a plain word that is too short to be telling."""


class Call(NamedTuple):
    """What a called name means and how that was found."""

    symbol: Symbol
    how: How


class Bindings:
    """Resolves called names; made once for all code of a repository."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.modules = code.modules
        self.members: dict[str, list[Symbol]] = {}
        self._holders: dict[str, set[str]] = {}
        for symbol in code.symbols:
            is_constructor = symbol.parent and symbol.leaf == symbol.parent.rpartition(".")[2]
            if symbol.kind == "method" and not is_constructor:
                self._holders.setdefault(symbol.leaf, set()).add(symbol.path)
                is_for_tests = symbol.is_of_tests or self.modules[symbol.path].is_test
                if not (symbol.is_inner or is_for_tests):
                    self.members.setdefault(symbol.leaf, []).append(symbol)
        self.by_package = {
            package: _exports(self.modules[path] for path in paths)
            for package, paths in code.packages.items()
        }
        self.c = _exports(module for module in self.modules.values() if module.language == "c")
        self._exported: dict[tuple[str, str], Symbol | None] = {}
        self._reach: dict[str, frozenset[str]] = {}
        # What one file of Ruby loads is there for all.
        self._ruby = frozenset(
            module.path for module in self.modules.values() if module.family == "ruby" and not module.is_test
        )
        self._callers = _callers(self.modules.values())
        self._calling = {name: {module.path for module in found} for name, found in self._callers.items()}
        self._members: dict[tuple[str, str], bool] = {}
        self._trusted = self._told()

    def calls(
        self, module: Module, names: Sequence[str], holder: Symbol | None
    ) -> Iterator[tuple[str, Call]]:
        """What each of the called names means that can be told; `holder` is the symbol that calls."""
        for name in names:
            found = self._found(module, name, holder)
            if found is not None and (
                found.how in ("taken", "own")
                or (found.symbol.id, name) in self._trusted
                or _is_private(name, module)
            ):
                yield name, found

    def exported(self, path: str, name: str) -> Symbol | None:
        """What a module offers under a name: its own, or what it takes from another and passes on."""
        key = (path, name)
        if key not in self._exported:
            self._exported[key] = self._pass(path, name, {path}, _MAX_STEPS)
        return self._exported[key]

    def reach(self, module: Module) -> frozenset[str]:
        """The files whose declarations a module has at hand: imported, of its packages, and what those pass on."""
        if module.family == "ruby":
            return self._ruby
        if module.path not in self._reach:
            near = set(module.wholes) | set(module.stars)
            for package in {*module.packages, *([module.package] if module.package else ())}:
                near.update(self.code.packages[package])
            for name, paths in module.bound.items():
                near.update(paths)
                near.update(
                    symbol.path for path in paths if (symbol := self.exported(path, name)) is not None
                )
            for path in tuple(near):
                further = self.modules[path]
                if further.family in _PASSES_ON and not further.is_test:
                    near.update(place for taken in further.taken for place in taken.paths)
            self._reach[module.path] = frozenset(near - {module.path})
        return self._reach[module.path]

    def member(self, module: Module, name: str) -> Symbol | None:
        """The member that a called name means, if of all that is at hand one type alone has one so called.

        Where types elsewhere have one too, the file must also speak of the type by its name.
        """
        found = self.members.get(name)
        if found is None or not _is_compound(name) or name in module.bound or name in module.declared:
            return None
        reach = self.reach(module)
        near = [symbol for symbol in found if symbol.path in reach or symbol.path == module.path]
        if len(near) != 1 or self._is_exported_near(name, reach):
            return None
        symbol = near[0]
        if symbol.path != module.path and module.path in self._holders[name]:
            return None
        if len(found) > 1 and symbol.path != module.path:
            owner = (symbol.parent or symbol.name.rpartition(".")[0]).rpartition(".")[2]
            if owner not in module.bound and module.path not in self._calling.get(owner, ()):
                return None
        return symbol if self._is_trusted_member(name, symbol) else None

    def _is_member_near(self, module: Module, name: str) -> bool:
        found = self.members.get(name)
        if found is None:
            return False
        reach = self.reach(module)
        return any(symbol.path == module.path or symbol.path in reach for symbol in found)

    def _is_exported_near(self, name: str, reach: frozenset[str]) -> bool:
        return any(name in self.modules[path].declared for path in reach)

    def _is_trusted_member(self, name: str, symbol: Symbol) -> bool:
        key = (symbol.id, name)
        if key not in self._members:
            callers = self._callers[name]
            seeing = sum(symbol.path == one.path or symbol.path in self.reach(one) for one in callers)
            self._members[key] = seeing >= _SHARE * len(callers)
        return self._members[key]

    def _pass(self, path: str, name: str, seen: set[str], steps: int) -> Symbol | None:
        module = self.modules[path]
        if (own := module.declared.get(name)) is not None:
            return own
        if not steps or module.family not in _PASSES_ON:
            return None
        found: dict[str, Symbol] = {}
        for further in (*module.bound.get(name, ()), *module.stars):
            if further not in seen:
                seen.add(further)
                symbol = self._pass(further, name, seen, steps - 1)
                if symbol is not None:
                    found[symbol.id] = symbol
        return next(iter(found.values())) if len(found) == 1 else None

    def _found(self, module: Module, name: str, holder: Symbol | None) -> Call | None:
        if holder is not None and f"{holder.name}.{name}" in module.symbols:
            return None  # its own inner one
        taken = {
            symbol.id: symbol
            for path in module.bound.get(name, ())
            if (symbol := self.exported(path, name)) is not None
        }
        if taken:
            if len(taken) > 1 or self._is_member_near(module, name):
                return None
            return Call(next(iter(taken.values())), "taken")
        if name in module.bound:
            return None
        at_hand = self._at_hand(module, name)
        own = module.declared.get(name)
        if own is not None:
            is_plain = at_hand or name in self._holders
            return None if is_plain and not _is_telling(name, module) else Call(own, "own")
        if len(at_hand) != 1 or not _is_telling(name, module):
            return None
        return None if name in self._holders else next(iter(at_hand.values()))

    def _at_hand(self, module: Module, name: str) -> dict[str, Call]:
        """What bears the name in the same package, and in modules and packages that are taken as a whole."""
        found: dict[str, Call] = {}
        if module.package is not None:
            for symbol in self.by_package[module.package].get(name, ()):
                if symbol.path != module.path:
                    found[symbol.id] = Call(symbol, "package")
        for package in module.packages:
            for symbol in self.by_package[package].get(name, ()):
                found.setdefault(symbol.id, Call(symbol, "whole"))
        for path in module.wholes:
            exported = self.exported(path, name)
            if exported is not None and exported.path != module.path:
                found.setdefault(exported.id, Call(exported, "whole"))
        for path in module.stars:
            exported = self.exported(path, name)
            if exported is not None:
                found.setdefault(exported.id, Call(exported, "whole"))
        if module.family == "c" and module.language == "c" and not found:
            for symbol in self.c.get(name, ()):
                if symbol.path != module.path:
                    found[symbol.id] = Call(symbol, "package")
        return found

    def _told(self) -> frozenset[tuple[str, str]]:
        """The names of declarations that most files that call them have at hand."""
        seers: Counter[tuple[str, str]] = Counter()
        for name, callers in self._callers.items():
            for module in callers:
                found = self._found(module, name, None)
                if found is not None:
                    seers[found.symbol.id, name] += 1
        return frozenset(key for key, count in seers.items() if count >= _SHARE * len(self._callers[key[1]]))


def _callers(modules: Iterable[Module]) -> Mapping[str, list[Module]]:
    """Each called name with the files that call it."""
    found: dict[str, list[Module]] = {}
    for module in modules:
        called = set(module.calls)
        for symbol in module.symbols.values():
            called.update(symbol.calls)
        for name in called:
            found.setdefault(name, []).append(module)
    return found


def _exports(modules: Iterator[Module]) -> Mapping[str, list[Symbol]]:
    found: dict[str, list[Symbol]] = {}
    for module in modules:
        if not module.is_test:
            for leaf, symbol in module.declared.items():
                if not symbol.is_of_tests:
                    found.setdefault(leaf, []).append(symbol)
    return found


def _is_telling(name: str, module: Module) -> bool:
    """Whether a bare name is hardly another's: no common word, and of several words or long."""
    if name.lower() in COMMON_NAMES:
        return False
    return _is_private(name, module) or len(name) > _SHORT or _is_compound(name)


def _is_private(name: str, module: Module) -> bool:
    """In Go what starts with a small letter is never of another package."""
    return module.family == "go" and name[:1].islower()


def _is_compound(name: str) -> bool:
    """Whether a name is of several words: a plain word is likely another type's member too."""
    if name.lower() in COMMON_NAMES:
        return False
    inner = name[1:].rstrip("_")
    return (
        "_" in inner or any(map(str.isdigit, inner)) or (any(map(str.isupper, inner)) and not name.isupper())
    )
