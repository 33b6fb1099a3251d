"""The modules of a repository: what each file of code declares at its top, and what it takes from others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.features import Corpus, Record

__all__ = ["Code", "Module", "Symbol", "Taken", "declared", "texts"]

_FAMILIES: Final = {
    **dict.fromkeys(("java", "kotlin", "scala"), "jvm"),
    **dict.fromkeys(("javascript", "typescript", "tsx"), "js"),
    **dict.fromkeys(("c", "cpp"), "c"),
}
_BY_PACKAGE: Final = frozenset({"go", "jvm", "csharp", "php", "swift"})
"""Families whose files see each other's names without an import where they are of one package."""


class Symbol(NamedTuple):
    """A declared symbol. `parent` is the place of what holds it in the same file, None at the top of a module."""

    id: RecordId
    path: str
    name: str
    leaf: str
    kind: str
    native: str
    is_test: bool
    parent: str | None
    calls: tuple[str, ...]
    is_inner: bool
    """Declared inside of a function, where nobody else can name it."""
    is_of_tests: bool
    """A test, or what stands beside tests in a part of a product's file that is for tests (Rust)."""

    @property
    def is_exported(self) -> bool:
        """True for what other modules may speak of by its bare name: no member, and no title of a test."""
        return self.kind != "method" and self.native != "test"


class Taken(NamedTuple):
    """One import as resolved: of one module, or of a package that is several. Without `names` it is taken whole."""

    paths: tuple[str, ...]
    names: tuple[str, ...]
    package: str | None = None


class Module(Struct):
    """A file of code: what it declares at its top, and what it takes from others.

    `declared` maps a bare name to its declaration, `symbols` the whole name. `bound` maps each name that an import
    takes to the modules that it is taken from; `wholes` and `packages` are those whose names are at hand
    altogether, `stars` those of them that it also passes on.
    """

    id: RecordId
    path: str
    name: str
    language: str
    family: str
    package: str | None
    is_test: bool
    calls: tuple[str, ...]
    symbols: dict[str, Symbol] = field(default_factory=dict)
    declared: dict[str, Symbol] = field(default_factory=dict)
    taken: list[Taken] = field(default_factory=list)
    external: list[str] = field(default_factory=list)
    bound: dict[str, list[str]] = field(default_factory=dict)
    wholes: set[str] = field(default_factory=set)
    packages: set[str] = field(default_factory=set)
    stars: list[str] = field(default_factory=list)


class Code(Struct):
    """All modules by path, the files of each package (`family:name`), and imports that may mean several."""

    modules: dict[str, Module]
    packages: dict[str, list[str]]
    ambiguous: list[str]

    @property
    def symbols(self) -> Iterator[Symbol]:
        """All symbols, by file and then as their names sort."""
        return (symbol for module in self.modules.values() for symbol in module.symbols.values())


def declared(corpus: Corpus) -> Code:
    """The modules in the order of their paths with what they declare; their imports are not resolved."""
    modules: dict[str, Module] = {}
    symbols: list[Record] = []
    for record in corpus.of("ast"):
        path = record.source.path
        if path is not None and record.statement.kind == "module_fact":
            modules[path] = _module(record, path)
        elif record.statement.kind == "symbol_fact":
            symbols.append(record)
    modules = {path: modules[path] for path in sorted(modules)}
    _declare(modules, symbols)
    packages: dict[str, list[str]] = {}
    for module in modules.values():
        if module.package is not None:
            packages.setdefault(module.package, []).append(module.path)
    return Code(modules, packages, [])


def _module(record: Record, path: str) -> Module:
    metadata = record.metadata
    language = metadata.language if isinstance(metadata.language, str) else ""
    kind = _FAMILIES.get(language, language)
    return Module(
        record.id,
        path,
        record.source.symbol or "",
        language,
        kind,
        _package(kind, path, metadata.package),
        metadata.test is True,
        texts(metadata.calls),
    )


def _package(kind: str, path: str, declared: object) -> str | None:
    """The package of a file, as `family:name`: what it declares; in Go with its folder, in Swift its target."""
    if kind not in _BY_PACKAGE:
        return None
    folders = path.split("/")[:-1]
    if kind == "swift":
        inside = [at for at, name in enumerate(folders[:-1]) if name in ("Sources", "Tests")]
        return f"swift:{folders[inside[0] + 1]}" if inside else None
    if not isinstance(declared, str) or not declared:
        return None
    return f"go:{'/'.join(folders)}:{declared}" if kind == "go" else f"{kind}:{declared}"


def texts(value: object) -> tuple[str, ...]:
    """The texts in a list of free-form metadata."""
    return tuple(one for one in value if isinstance(one, str)) if isinstance(value, list) else ()


def _declare(modules: Mapping[str, Module], records: Iterable[Record]) -> None:
    found: dict[str, dict[str, Record]] = {}
    for record in records:
        path, name = record.source.path, record.source.symbol
        if path is not None and path in modules and name:
            found.setdefault(path, {}).setdefault(name, record)
    for path, named in found.items():
        module = modules[path]
        for_tests = _test_scopes(named) if module.family == "rust" else frozenset[str]()
        for name in sorted(named):
            record = named[name]
            metadata = record.metadata
            native = metadata.nativeKind if isinstance(metadata.nativeKind, str) else ""
            parent, leaf = _split(name, named, is_title=native == "test")
            holder = None if parent is None else module.symbols[parent]
            symbol = Symbol(
                record.id,
                path,
                name,
                leaf,
                metadata.symbolKind if isinstance(metadata.symbolKind, str) else "",
                native,
                metadata.test is True,
                parent,
                texts(metadata.calls),
                holder is not None and (holder.is_inner or holder.kind in ("function", "method")),
                metadata.test is True or any(name.startswith(scope) for scope in for_tests),
            )
            module.symbols[name] = symbol
            if symbol.is_exported and (parent is None or named[parent].metadata.nativeKind == "module"):
                module.declared[leaf] = symbol


def _test_scopes(named: Mapping[str, Record]) -> frozenset[str]:
    """The modules inside of a file that hold tests, with the sign that follows their names."""
    return frozenset(
        name[: -len(leaf)]
        for name, record in named.items()
        if record.metadata.test is True and (leaf := name.rpartition(".")[2]) != name
    )


def _split(name: str, named: Mapping[str, object], *, is_title: bool) -> tuple[str | None, str]:
    """The nearest of the named that holds this one, and the last part of the name; titles are joined by ` > `."""
    signs = (" > ", ".") if " > " in name else (".",)
    leaf = name.rpartition(" > ")[2] if is_title and " > " in name else name.rpartition(".")[2] or name
    end = len(name)
    while end > 0:
        end = max(name.rfind(sign, 0, end) for sign in signs)
        if end > 0 and name[:end] in named:
            return name[:end], leaf
    return None, leaf
