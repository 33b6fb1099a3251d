"""Which module of the repository an import means, by each language's own rules of names.

What the reader of code resolved by itself (`metadata.resolvedPath`) is taken as it is. The rest is looked up by the
name that a language gives to its modules: dotted from a folder that is no package (Python), below the name in `go.mod`
(Go), package and type (Java, Kotlin, Scala, C#, PHP), the end of a path (C, C++), the target's folder (Swift).
A name that several modules may bear names none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from t2c.ledger.linking.features import Corpus, Record
from t2c.ledger.linking.modules import Code, Module, Taken, declared, texts

__all__ = ["resolved"]

_SOURCES: Final = frozenset({"lib", "python", "src"})
"""Folders that hold packages and are none."""


def resolved(corpus: Corpus) -> Code:
    """The modules with what they declare, and each import resolved."""
    code = declared(corpus)
    imports: list[Record] = []
    roots: list[tuple[str, str]] = []
    for record in corpus.of("ast", "system"):
        kind, path = record.statement.kind, record.source.path
        if kind == "module_dependency_fact":
            imports.append(record)
        elif kind == "configuration_declaration" and path and path.rpartition("/")[2] == "go.mod":
            named = record.metadata.constraint
            if record.metadata.key == "module" and isinstance(named, str):
                roots.append((named, path[: -len("go.mod")]))
    _Resolver(code, roots).resolve(imports)
    return code


class _Resolver:
    """Looks up imports; every index is made once and only where a language needs it."""

    def __init__(self, code: Code, roots: Iterable[tuple[str, str]]) -> None:
        self.code = code
        self.modules = code.modules
        self.roots = sorted(roots, key=lambda root: (-len(root[0]), root))
        self.python: dict[str, list[tuple[str, str]]] = {}
        self.ends: dict[str, list[str]] = {}
        self.folders: dict[str, list[str]] = {}
        self.qualified: dict[str, list[str]] = {}
        for path, module in self.modules.items():
            if module.family == "python":
                self._add_python(path)
            elif module.family == "c":
                self.ends.setdefault(path.rpartition("/")[2], []).append(path)
            elif module.family == "go" and not path.endswith("_test.go"):
                self.folders.setdefault(path.rpartition("/")[0], []).append(path)
            elif module.family in ("jvm", "csharp", "php") and module.package:
                for leaf in module.declared:
                    self.qualified.setdefault(f"{module.package}.{leaf}", []).append(path)
            elif module.family == "elixir":
                for name in module.declared.values():
                    self.qualified.setdefault(f"elixir:{name.name}", []).append(path)

    def _add_python(self, path: str) -> None:
        parts = path.rpartition(".")[0].split("/")
        if parts[-1] == "__init__":
            parts.pop()
        for at in range(len(parts)):
            root = "".join(f"{part}/" for part in parts[:at])
            self.python.setdefault(".".join(parts[at:]), []).append((root, path))

    def resolve(self, imports: Iterable[Record]) -> None:
        for record in imports:
            module = self.modules.get(record.source.path or "")
            if module is None:
                continue
            found = list(self._meant(record, module))
            for taken in found:
                self._take(module, taken, is_global=record.text.startswith("global using"))
            if not found:
                module.external.append(record.source.symbol or "")

    def _take(self, module: Module, taken: Taken, *, is_global: bool) -> None:
        module.taken.append(taken)
        takers = [module]
        if is_global:  # C#: for every file of the project
            folder = module.path.rpartition("/")[0] + "/"
            takers = [one for path, one in self.modules.items() if path.startswith(folder)]
        names = [name for name in taken.names if name != "*"]
        for taker in takers:
            if taken.package is not None:
                taker.packages.add(taken.package)
                continue
            for name in names:
                taker.bound.setdefault(name, []).extend(taken.paths)
            if "*" in taken.names:
                taker.stars.extend(taken.paths)
            if not names:
                taker.wholes.update(taken.paths)

    def _meant(self, record: Record, module: Module) -> Iterator[Taken]:
        names, imported = texts(record.metadata.names), record.source.symbol or ""
        given = record.metadata.resolvedPath
        path = given if isinstance(given, str) and given in self.modules else None
        if module.family == "python":
            yield from self._python(imported, names, path, module)
        elif module.family == "rust":
            if path is not None:
                yield Taken((path,), names or _rust_name(imported, path))
        elif module.family == "go":
            yield from self._go(imported)
        elif path is not None:
            leaf = imported.rpartition(".")[2]
            by_type = module.family in ("jvm", "php") and leaf in self.modules[path].declared
            yield Taken((path,), (leaf,) if by_type and (not names or "*" in names) else names)
        elif module.family in ("jvm", "csharp", "php", "elixir"):
            yield from self._by_package(imported, names, module)
        elif module.family == "swift":
            if f"swift:{imported}" in self.code.packages:
                yield self._of_package(f"swift:{imported}")
        elif module.family == "c":
            yield from self._included(imported, module, is_own=record.metadata.relative is True)

    def _of_package(self, package: str) -> Taken:
        return Taken(tuple(self.code.packages[package]), (), package)

    def _python(
        self, imported: str, names: Sequence[str], path: str | None, module: Module
    ) -> Iterator[Taken]:
        """A name taken from a package may be a module in it, unless the package itself has that name."""
        path = path or self._python_path(imported, module)
        if path is None:
            return
        folder, _, file = path.rpartition("/")
        if not file.startswith("__init__."):
            yield Taken((path,), tuple(names))
            return
        inside = {
            name: place
            for name in names
            if name not in self.modules[path].declared
            for place in (f"{folder}/{name}.py", f"{folder}/{name}/__init__.py", f"{folder}/{name}.pyi")
            if place in self.modules
        }
        own = tuple(name for name in names if name not in inside)
        if (own or not names) and path != module.path:
            yield Taken((path,), own)
        for name in sorted(inside):
            if inside[name] != module.path:
                yield Taken((inside[name],), ())

    def _python_path(self, imported: str, module: Module) -> str | None:
        """A file below a folder that is no package, and from which this file can import."""
        top = imported.partition(".")[0]
        found: dict[str, str] = {}
        for root, path in self.python.get(imported, ()):
            if f"{root}__init__.py" in self.modules:
                continue
            is_near = not root or module.path.startswith(root) or root.split("/")[-2] in _SOURCES
            is_package = f"{root}{top}/__init__.py" in self.modules
            if (is_near or is_package) and (root not in found or path.endswith(".py")):
                found[root] = path
        if len(found) > 1:  # the innermost folder that this file is in comes first on its path
            around = [root for root in found if root and module.path.startswith(root)]
            if not around:
                self._several(imported, found.values())
                return None
            return found[max(around, key=len)]
        return next(iter(found.values()), None)

    def _go(self, imported: str) -> Iterator[Taken]:
        for name, folder in self.roots:
            if imported == name or imported.startswith(name + "/"):
                place = (folder + imported[len(name) + 1 :]).rstrip("/")
                if paths := self.folders.get(place):
                    yield Taken(tuple(paths), (), self.modules[paths[0]].package)
                return

    def _by_package(self, imported: str, names: Sequence[str], module: Module) -> Iterator[Taken]:
        """A type by its full name, names taken from a package, or a package altogether."""
        whole = f"{module.family}:{imported}"
        if whole in self.code.packages and (not names or "*" in names):
            yield self._of_package(whole)
            return
        asked = [f"{whole}.{name}" for name in names if name != "*"] or [whole]
        for name in asked:
            front = name
            while "." in front and front not in self.qualified:
                front = front.rpartition(".")[0]
            paths = self.qualified.get(front, ())
            if len(paths) == 1:
                yield Taken((paths[0],), (front.rpartition(".")[2].rpartition(":")[2],))
            elif paths:
                self._several(front.partition(":")[2], paths)

    def _included(self, imported: str, module: Module, *, is_own: bool) -> Iterator[Taken]:
        """A header that is not where the compiler looks first: by the end of its path, if one has it."""
        if not is_own and "/" not in imported:
            return
        tail = imported.removeprefix("./")
        while tail.startswith("../"):
            tail = tail[3:]
        ends = self.ends.get(tail.rpartition("/")[2], ())
        paths = [path for path in ends if path.endswith("/" + tail) and path != module.path]
        if len(paths) == 1:
            yield Taken((paths[0],), ())
        elif paths and is_own:
            self._several(imported, paths)

    def _several(self, imported: str, paths: Iterable[str]) -> None:
        self.code.ambiguous.append(f"{imported} as {', '.join(sorted(paths)[:3])}")


def _rust_name(imported: str, path: str) -> tuple[str, ...]:
    """`use a::b::item` where `b` is the file takes `item`; where the last part is the file it takes all of it."""
    last = imported.rpartition(".")[2]
    *folders, file = path.split("/")
    stem = file.removesuffix(".rs")
    if stem in ("mod", "lib", "main"):
        folders = folders[:-1] if stem != "mod" and folders[-1:] == ["src"] else folders
        stem = folders[-1] if folders else ""
    return () if last in (stem, stem.replace("-", "_"), "crate") or "." not in imported else (last,)
