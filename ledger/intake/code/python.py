"""Facts of a Python file: its module, functions, classes, methods, constants and imports.

Symbols are records, calls are attributes of the symbol that makes them. What a file yields depends on its path
and content alone, so that reading one file again gives what reading all files would give.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from t2c.ledger.events.record import Action, SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree, Warning
from t2c.ledger.intake.code.guards import PARSE_SECONDS, normalise_line_ends, refusal
from t2c.ledger.intake.code.python_syntax import Constant, Definition, Import, Module, read_module

__all__ = ["PythonCode", "module_name", "resolved"]

SOURCE: Final[SourceKind] = "ast"
_MAX_LISTED: Final = 50
_MAX_CAPABILITIES: Final = 24
_MAX_LINES: Final = 20
_ENTRY_POINT: Final = re.compile(rb"^if[ \t(]+__name__[ \t]*==", re.MULTILINE)
_CODING: Final = re.compile(rb"^[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_TEST_FILE: Final = re.compile(r"(^|/)(tests?/|test_[^/]*$|[^/]*_test\.pyi?$|conftest\.py$)")


class PythonCode:
    """The extractor of `.py` and `.pyi` files (intent-evidence §2.3)."""

    name: str = "t2c/tree-sitter-python@1"
    source: SourceKind = SOURCE

    def wants(self, path: str) -> bool:
        """True for Python modules and stubs."""
        return path.endswith((".py", ".pyi"))

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """All facts of one file in its order. A file that is skipped or partly read is not complete."""
        content = normalise_line_ends(_as_utf8(content))
        scope = Scope(SOURCE, path)
        objection = refusal(SOURCE, path, content)
        if objection is not None:
            return Reading(scope, self.name, (), (objection,), complete=False)
        module = read_module(content)
        if module is None:
            late = Warning(
                SOURCE,
                path,
                "parse_timeout",
                f"parsing took more than {PARSE_SECONDS:g} seconds of processor time",
            )
            return Reading(scope, self.name, (), (late,), complete=False)
        warnings = tuple(_warnings(path, content, module))
        facts = _Facts(path, module, bool(_ENTRY_POINT.search(content)))
        return Reading(scope, self.name, tuple(facts), warnings, complete=not module.error_lines)


def _as_utf8(content: bytes) -> bytes:
    """The text in UTF-8 if its first two lines declare another encoding (PEP 263), else as it is."""
    head = b"\n".join(content.split(b"\n", 2)[:2])
    declared = _CODING.search(head)
    if declared is None or content.isascii():
        return content
    try:
        codec = codecs.lookup(declared.group(1).decode("ascii", "replace")).name
        return content if codec == "utf-8" else content.decode(codec).encode()
    except (LookupError, ValueError):
        return content


def _warnings(path: str, content: bytes, module: Module) -> Iterator[Warning]:
    if lines := module.error_lines:
        detail = "not Python as the grammar knows it; facts around these lines may be missing"
        yield Warning(SOURCE, path, "syntax_errors", detail, len(lines), lines[:_MAX_LINES])
    try:
        content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        yield Warning(SOURCE, path, "undecodable_bytes", "bytes that are not UTF-8 were replaced", 1, (line,))


def module_name(path: str) -> str:
    """The dotted name of the module at this path: what follows the last `src` folder, `__init__` left out."""
    *folders, name = path.removesuffix(".pyi").removesuffix(".py").split("/")
    if "src" in folders:
        folders = folders[len(folders) - folders[::-1].index("src") :]
    return ".".join(folders if name == "__init__" and folders else [*folders, name])


def resolved(imported: Import, path: str) -> str:
    """The absolute dotted name of an imported module; with its dots as written if it leads above the root."""
    if imported.level == 0:
        return imported.module
    package = module_name(path).split(".")
    if not path.removesuffix(".pyi").removesuffix(".py").endswith("__init__"):
        package.pop()
    up = imported.level - 1
    if up >= len(package):
        return "." * imported.level + imported.module
    steps = package[: len(package) - up]
    return ".".join([*steps, imported.module] if imported.module else steps)


class _Facts:
    """The drafts of one file, in its order."""

    def __init__(self, path: str, module: Module, entry_point: bool) -> None:
        self.path = path
        self.module = module
        self.entry_point = entry_point
        self.test_file = _TEST_FILE.search(path) is not None
        self.basis = (
            ("tree_sitter_python", "partial_parse") if module.error_lines else ("tree_sitter_python",)
        )

    def __iter__(self) -> Iterator[Draft]:
        imports = self._imports()
        placed = [(definition.start, self._definition(definition)) for definition in self.module.definitions]
        placed += [(constant.start, self._constant(constant)) for constant in self.module.constants]
        placed += imports
        placed.sort(key=lambda pair: pair[0])
        yield self._module([draft.object for _, draft in imports], len(placed))
        for _, draft in placed:
            yield draft

    def _draft(
        self,
        kind: str,
        action: Action,
        what: str,
        symbol: str,
        *,
        excerpt: str | None = None,
        lines: tuple[int, int] | None = None,
        symbols: tuple[str, ...] = (),
        name: str | None = None,
        metadata: Mapping[str, Any],
    ) -> Draft:
        named = symbol if name is None else name
        return Draft(
            kind=kind,
            text=f"{what} {named}",
            object=named,
            action=action,
            cls="fact",
            status="implemented",
            confidence=1,
            basis=self.basis,
            lines=lines,
            symbol=symbol,
            modality="observed",
            paths=() if self.path.startswith("~") else (self.path,),
            symbols=symbols,
            excerpt=excerpt,
            metadata={"language": "python", **metadata},
        )

    def _module(self, imports: list[str], count: int) -> Draft:
        module = self.module
        names = {item.qualified for item in module.definitions if item.parent is None}
        names |= {item.qualified for item in module.constants if "." not in item.qualified}
        future = sorted(
            {name for item in module.imports if item.module == "__future__" for name in item.names}
        )
        metadata: dict[str, Any] = {
            "aggregate": "module",
            "factGranularity": "file",
            "factCount": count,
            "calls": module.calls,
            "docstring": module.docstring,
            "entryPoint": self.entry_point,
            "test": self.test_file,
            **_listed("capabilities", names, _MAX_CAPABILITIES),
            **_listed("imports", imports, 2 * _MAX_LISTED),
        }
        if future:
            metadata["future"] = future
        symbol = module_name(self.path)
        return self._draft("module_fact", "declare", "module", symbol, name=self.path, metadata=metadata)

    def _imports(self) -> list[tuple[int, Draft]]:
        grouped: dict[str, list[Import]] = {}
        for item in self.module.imports:
            if item.module != "__future__" or item.level:
                grouped.setdefault(resolved(item, self.path), []).append(item)
        found = []
        for name, items in grouped.items():
            if not name:
                continue
            first = items[0]
            names = {imported for item in items for imported in item.names}
            metadata = {"relative": any(item.level for item in items), **_listed("names", names, _MAX_LISTED)}
            draft = self._draft(
                "python_import_fact",
                "depend_on",
                "import",
                name,
                excerpt=first.raw,
                lines=first.lines,
                symbols=(name,),
                metadata=metadata,
            )
            found.append((first.start, draft))
        return found

    def _constant(self, item: Constant) -> Draft:
        return self._draft(
            "python_constant_fact",
            "declare",
            "constant",
            item.qualified,
            excerpt=item.header,
            lines=item.lines,
            symbols=(item.qualified,),
            metadata={
                "symbolKind": "constant",
                "valueKind": item.value_kind,
                "public": self._public(item.qualified),
            },
        )

    def _definition(self, item: Definition) -> Draft:
        kind = (
            "method" if item.kind == "function" and item.parent and item.parent.kind == "class" else item.kind
        )
        metadata: dict[str, Any] = {
            "symbolKind": kind,
            "public": self._public(item.qualified) and not _inside_function(item),
            "async": item.is_async,
            "decorators": list(item.decorators),
            "docstring": item.docstring,
            "test": self.test_file and _is_test(item),
            **_listed("calls", item.calls, _MAX_LISTED),
        }
        if kind == "class":
            metadata["bases"] = list(item.bases)
        return self._draft(
            "python_symbol_fact",
            "declare",
            kind,
            item.qualified,
            excerpt=item.header,
            lines=item.lines,
            symbols=(item.qualified,),
            metadata=metadata,
        )

    def _public(self, qualified: str) -> bool:
        first, *below = qualified.split(".")
        exports = self.module.exports
        outer = not _is_private(first) if exports is None else first in exports
        return outer and not any(map(_is_private, below))


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _inside_function(item: Definition) -> bool:
    scope = item.parent
    while scope is not None:
        if scope.kind == "function":
            return True
        scope = scope.parent
    return False


def _is_test(item: Definition) -> bool:
    return item.name.startswith("test") if item.kind == "function" else item.name.startswith("Test")


def _listed(key: str, names: Collection[str], most: int) -> dict[str, Any]:
    """The first names in byte order, and how many more there are."""
    ordered = sorted(set(names))
    return {key: ordered[:most], **({f"{key}Omitted": len(ordered) - most} if len(ordered) > most else {})}
