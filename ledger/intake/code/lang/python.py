"""Python: docstrings, `__all__`, UPPER_CASE constants, dotted modules (PEP 8, PEP 257, PEP 263)."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, Syntax
from t2c.ledger.intake.code.traits import LinePattern, Traits, dotted_path

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_CODING: Final = re.compile(rb"^[ \t\f]*#[^\n]*?coding[:=][ \t]*([-\w.]+)", re.MULTILINE)
_COMMENT: Final = re.compile(r"#[^\n]*")
_IMPORT: Final = re.compile(r"\bimport\b")
_ALIAS: Final = re.compile(r"\sas\s")
_EXPORTS: Final = re.compile(r"__all__\b")
_EXPORTED: Final = re.compile(r"[\"']([^\W\d]\w*)[\"']")
_ENTRY_POINT: Final = re.compile(rb"^if[ \t(]+__name__[ \t]*==", re.MULTILINE)
_TEST_FILE: Final = re.compile(r"(^|/)(tests?/|test_[^/]*$|[^/]*_test\.pyi?$|conftest\.py$)")
_ENUMS: Final = frozenset(
    {"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum", "TextChoices", "IntegerChoices"}
)
_MAX_COMMENTS: Final = 100
"""Comments before a docstring that are looked over."""


class PythonTraits(Traits):
    """Python modules and stubs."""

    plain_values = frozenset({"integer", "float", "true", "false", "none", "unary_operator"})
    natives: ClassVar[Mapping[str, str]] = {"class_definition": "class"}
    line_patterns = (
        LinePattern(
            re.compile(rb"^[ \t]*(?P<kind>class)[ \t]+(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)", re.MULTILINE),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:async[ \t]+)?def[ \t]+(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]*\(",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def is_wanted(self, found: Found) -> bool:
        """Constants in capitals; the members of an enumeration, however they are written."""
        parent = found.parent
        if found.role != "const" or parent is None or parent.kind != "type" or found.name.startswith("_"):
            return super().is_wanted(found)
        is_enum = any(base.rpartition(".")[2] in _ENUMS for base in parent.bases)
        is_member = is_enum and found.node is not None and self.value(found.node) is not None
        return is_member or super().is_wanted(found)

    def is_public(self, found: Found) -> bool:
        """One underscore in front means private; `__dunder__` names are a protocol."""
        return not _is_private(found.name)

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """`__all__` decides over the names of the module."""
        if exports is None or definition.parent is not None:
            return definition.public
        return definition.name in exports

    def is_test_file(self, path: str) -> bool:
        """The files that pytest collects, and those beside them."""
        return _TEST_FILE.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """`test…` functions and `Test…` classes of test files."""
        start = "Test" if definition.kind == "type" else "test"
        return in_test_file and definition.kind != "constant" and definition.name.startswith(start)

    def is_signature(self, definition: Definition) -> bool:
        """`@overload` declares what the last definition carries out."""
        return any(name.rpartition(".")[2] == "overload" for name in definition.decorators)

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """Comments above document nothing in Python."""
        return None

    def docstring_node(self, body: Node) -> Node | None:
        """The string that stands first."""
        for index in range(min(body.named_child_count, _MAX_COMMENTS)):
            first = body.named_child(index)
            if first.type == "comment":
                continue
            if first.type != "expression_statement" or first.named_child_count != 1:
                return None
            value = first.named_child(0)
            return value if value.type == "string" else None
        return None

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The arguments of the class that are no keywords."""
        arguments = node.child_by_field_name("superclasses")
        for base in () if arguments is None else arguments.named_children:
            if base.type not in ("keyword_argument", "comment", "ERROR"):
                yield found.text[base.start_byte : base.end_byte].decode("utf-8", "replace")

    def value(self, node: Node) -> Node | None:
        """The right side of an assignment."""
        return node.child_by_field_name("right")

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """`import a, b` names two modules; `from m import x` one and its names."""
        parts = _IMPORT.split(_COMMENT.sub("", text).replace("\\", " "), maxsplit=1)
        if len(parts) < 2:
            return
        items = (_ALIAS.split(item, maxsplit=1)[0] for item in parts[1].strip(" \t\r\n()").split(","))
        names = [name for item in items if (name := "".join(item.split()))]
        if parts[0].startswith("from"):
            yield "".join(parts[0].removeprefix("from").split()), tuple(names)
        else:
            for name in names:
                yield name, ()

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """The names in an assignment to `__all__`."""
        return _EXPORTED.findall(text) if _EXPORTS.match(text) else ()

    def is_dependency(self, name: str) -> bool:
        """Features of the language are no module."""
        return name != "__future__"

    def resolve(self, module: str, path: str) -> str:
        """The absolute dotted name; with its dots as written if it leads above the root."""
        name = module.lstrip(".")
        level = len(module) - len(name)
        if not level:
            return module
        package = self.module_name(path, None).split(".")
        if not _stem(path).endswith("__init__"):
            package.pop()
        if level > len(package):
            return module
        steps = package[: len(package) - level + 1]
        return ".".join([*steps, name] if name else steps)

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """Module, stub or package, for relative imports and those of the file's own package."""
        name, own = self.resolve(module, path), self.module_name(path, None)
        if name.startswith(".") or name.partition(".")[0] != own.partition(".")[0]:
            return
        root = _stem(path).removesuffix("/__init__").removesuffix(own.replace(".", "/"))
        place = root + name.replace(".", "/")
        for ending in (".py", "/__init__.py", ".pyi", "/__init__.pyi"):
            yield place + ending

    def module_name(self, path: str, package: str | None) -> str:
        """What follows the last `src` folder, `__init__` left out."""
        name = dotted_path(path)
        return name.removesuffix(".__init__")

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A file that asks whether it is started."""
        return _ENTRY_POINT.search(syntax.text) is not None

    def recode(self, content: bytes) -> bytes:
        """The text in UTF-8 if its first two lines declare another encoding (PEP 263), else as it is."""
        declared = _CODING.search(b"\n".join(content.split(b"\n", 2)[:2]))
        if declared is None or content.isascii():
            return content
        try:
            codec = codecs.lookup(declared.group(1).decode("ascii", "replace")).name
            return content if codec == "utf-8" else content.decode(codec).encode()
        except (LookupError, ValueError):
            return content

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """The features of the language that the file turns on."""
        features = {name for item in syntax.imports if item.module == "__future__" for name in item.names}
        return {"future": sorted(features)} if features else {}


def _is_private(name: str) -> bool:
    return name.startswith("_") and not (name.startswith("__") and name.endswith("__"))


def _stem(path: str) -> str:
    return path.rpartition(".")[0]


TRAITS = PythonTraits
