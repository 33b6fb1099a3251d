"""What code is made of: what holds what, which module needs which, which test exercises what (decisions B5).

Nothing else is said between two facts of code. Who calls whom is no relation of its own; `called_by` answers it from
the same look-up, and `depends_on` names what is used.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.base import Abstention, Hit, Prior, RuleBook
from t2c.ledger.linking.bindings import Bindings
from t2c.ledger.linking.dependencies import Dependencies
from t2c.ledger.linking.exercising import exercising
from t2c.ledger.linking.features import Corpus
from t2c.ledger.linking.modules import Code, Module, Symbol
from t2c.ledger.linking.resolution import resolved

__all__ = ["BOOK", "Called", "Use", "called_by", "structure"]

MAX_USES: Final = 8
"""Names that a dependency tells of what it uses."""


class Called(NamedTuple):
    """Whether code that is no test uses it, and which tests exercise it."""

    is_called: bool
    tests: tuple[RecordId, ...]


class Use(Struct):
    """What one module takes from another: how many imports and calls, and by which names."""

    imports: int = 0
    calls: int = 0
    names: set[str] = field(default_factory=set)


def structure(corpus: Corpus) -> Iterator[Hit | Abstention]:
    """What holds each symbol, what each module depends on, what each test exercises.

    * `declares`: from the nearest symbol that holds it, else from its module; a member whose type is declared in
      another file of its package (Go) from that type, if one alone is so called.
    * `depends_on`: from a module to each other module that an import of it resolves to, or that declares what it
      calls; and to the declared dependency that an import is of.
    * `tests`: see `exercising`.
    """
    code = resolved(corpus)
    bindings = Bindings(code)
    yield from _declares(code, bindings)
    uses = _uses(code, bindings)
    yield from _depends(code, uses)
    yield from Dependencies(corpus).hits(code)
    yield from exercising(code, bindings)
    for case in code.ambiguous:
        yield Abstention("ambiguous_import", case)


def _declares(code: Code, bindings: Bindings) -> Iterator[Hit]:
    for module in code.modules.values():
        for symbol in module.symbols.values():
            if symbol.parent is not None:
                holder = module.symbols[symbol.parent].id
            else:
                holder = _elsewhere(symbol, module, bindings) or module.id
            yield Hit(holder, symbol.id, "declares", "structure", ("contains",), ())


def _elsewhere(symbol: Symbol, module: Module, bindings: Bindings) -> RecordId | None:
    """The type of a member that is declared in another file of the package."""
    owner = symbol.name.rpartition(".")[0]
    if not owner or module.family != "go" or module.package is None or symbol.kind != "method":
        return None
    found = bindings.by_package[module.package].get(owner, ())
    return found[0].id if len(found) == 1 and found[0].kind == "type" else None


def _uses(code: Code, bindings: Bindings) -> Mapping[tuple[str, str], Use]:
    """For each pair of modules what the first takes from the second."""
    uses: dict[tuple[str, str], Use] = {}
    for module in code.modules.values():
        called: Counter[tuple[str, str]] = Counter()
        for names, holder in _callers(module):
            for name, call in bindings.calls(module, names, holder):
                if call.symbol.path != module.path:
                    called[call.symbol.path, name] += 1
        for taken in module.taken:
            if taken.package is None:
                for path in taken.paths:
                    if path != module.path:
                        use = uses.setdefault((module.path, path), Use())
                        use.imports += 1
                        use.names.update(name for name in taken.names if name != "*")
        for (path, name), count in called.items():
            use = uses.setdefault((module.path, path), Use())
            use.calls += count
            use.names.add(name)
    return uses


def _callers(module: Module) -> Iterator[tuple[Sequence[str], Symbol | None]]:
    yield module.calls, None
    for symbol in module.symbols.values():
        yield symbol.calls, symbol


def _depends(code: Code, uses: Mapping[tuple[str, str], Use]) -> Iterator[Hit | Abstention]:
    spread = Counter((target, name) for (_, target), use in uses.items() for name in use.names)
    for (source, target), use in uses.items():
        # What fewest others take comes first: together the modules name the most of what is used.
        names = sorted(use.names, key=lambda name: (spread[target, name], name))[:MAX_USES]
        basis = tuple(name for name, count in (("imports", use.imports), ("calls", use.calls)) if count)
        counts = tuple(
            (name, str(count)) for name, count in (("imported", use.imports), ("called", use.calls)) if count
        )
        yield Hit(
            code.modules[source].id,
            code.modules[target].id,
            "depends_on",
            "structure",
            basis,
            (*counts, *(("uses", name) for name in names)),
        )
    for module in code.modules.values():
        for taken in module.taken:
            if taken.package is None or any((module.path, path) in uses for path in taken.paths):
                continue
            face = _face(taken.paths)
            if face is None:
                yield Abstention("import_of_package", f"{taken.package} in {module.path}")
            elif face != module.path:
                signals = (("imported", "1"), ("package", taken.package.partition(":")[2].partition(":")[0]))
                yield Hit(module.id, code.modules[face].id, "depends_on", "structure", ("imports",), signals)


def _face(paths: Sequence[str]) -> str | None:
    """The file that stands for a package: its only one, the one that bears its folder's name, its `doc.go`."""
    if len(paths) == 1:
        return paths[0]
    for path in paths:
        if path.split("/")[-2:-1] == [path.rpartition("/")[2].partition(".")[0]]:
            return path
    return next((path for path in paths if path.endswith("/doc.go")), None)


def called_by(corpus: Corpus) -> Mapping[RecordId, Called]:
    """For each symbol that anything calls, imports or exercises: whether code that is no test does, and which tests do.

    What the graph alone tells of it is the same, but for names beyond those that a dependency tells.
    """
    code = resolved(corpus)
    bindings = Bindings(code)
    called: set[RecordId] = set()
    for module in code.modules.values():
        if module.is_test:
            continue
        for names, holder in _callers(module):
            if holder is None or not holder.is_of_tests:
                mine = None if holder is None else holder.id
                found = (call.symbol.id for _, call in bindings.calls(module, names, holder))
                called.update(identity for identity in found if identity != mine)
        for name, paths in module.bound.items():
            taken = (bindings.exported(path, name) for path in paths)
            called.update(symbol.id for symbol in taken if symbol is not None)
    tests: dict[RecordId, list[RecordId]] = {}
    for hit in exercising(code, bindings):
        if isinstance(hit, Hit):
            tests.setdefault(hit.target, []).append(hit.source)
    return {
        identity: Called(identity in called, tuple(sorted(tests.get(identity, ()))))
        for identity in sorted(called | tests.keys())
    }


BOOK: Final = RuleBook(
    "structure",
    structure,
    {
        "contains": Prior(1, "The source holds the one inside of the other."),
        "imports": Prior(1, "An import resolves to one file by the rules of the language."),
        "calls": Prior(
            0.9, "A called name has one declaration among those at hand; the receiver is not known."
        ),
        "declared_dependency": Prior(
            0.95, "The import starts with the name of a dependency that the nearest manifest declares."
        ),
        "called_and_named": Prior(0.97, "The test calls it and is named after it."),
        "called_taken": Prior(0.95, "The test calls a name that its file imports or declares."),
        "called_at_hand": Prior(
            0.88, "The test calls a telling name that one declaration among those at hand bears."
        ),
        "called_member": Prior(0.85, "The test calls a telling name that one type at hand has as a member."),
        "named_after": Prior(0.8, "The test is named after it and has it at hand."),
        "imported_for_test": Prior(0.7, "The test's file imports it, and no call tells more."),
        "file_named_after": Prior(0.9, "The test's file imports it and is named after it."),
    },
    {
        "ambiguous_import": "imports that several modules may be meant by",
        "import_of_package": "imports of a package of which no called name tells the file",
        "exercises_unsure": "files of tests that import too many modules to say which one they test",
        "exercises_capped": "symbols that a test exercises beyond those told",
    },
    {
        "imported": "imports it {}×",
        "called": "calls into it {}×",
        "package": "by the package `{}` that it stands for",
        "uses": "uses `{}`",
        "dependency": "imports `{}`",
        "imports": "by import",
        "calls": "by call",
        "call": "calls `{}`",
        "name": "is named after `{}`",
        "import": "imports `{}`",
        "contains": "holds it",
    },
    is_structure=True,
)
