"""Go: receivers qualify methods, an upper-case first letter makes a name public."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import LinePattern, Traits

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_RECEIVER: Final = re.compile(r"(?:^|[\s(*])([^\W\d]\w*)\s*(?:\[[^\]]*\])?\s*\)?\s*$")
_IMPORT: Final = re.compile(r'"([^"\n]*)"|`([^`\n]*)`')
_TYPE_ARGUMENTS: Final = re.compile(
    rb"\[\s*[*\[\]]*(?:(?:\w+\.)?[A-Z]\w*|any|bool|byte|comparable|complex(?:64|128)|error|float(?:32|64)|rune|string"
    rb"|u?int(?:8|16|32|64)?|uintptr|map\[|func\(|struct\{|interface\{)[^\]]{0,100}\]*\]$"
)
_TEST: Final = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?:$|[^a-z])")


class GoTraits(Traits):
    """Go source files."""

    plain_values = frozenset({"int_literal", "float_literal", "true", "false", "nil", "unary_expression"})
    natives: ClassVar[Mapping[str, str]] = {"type_alias": "alias"}
    ignored_calls = frozenset(
        {"append", "cap", "close", "copy", "delete", "len", "make", "new", "panic", "print", "println"}
    )
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^func[ \t]+(?:\([^()\n]{0,200}\)[ \t]*)?(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]*[(\[]",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(
                rb"^type[ \t]+(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]+(?P<kind>struct|interface)\b",
                re.MULTILINE,
            ),
            "type",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """That of a function, or what stands in the braces of a struct or interface."""
        made_of = node.child_by_field_name("type")
        if made_of is None or made_of.type not in ("struct_type", "interface_type"):
            return super().body(node)
        return made_of.child(1)

    def qualifier(self, found: Found) -> str:
        """The type of the receiver without `*` and type arguments."""
        receiver = _RECEIVER.search(found.captured("recv")[-400:])
        return "" if receiver is None else receiver[1]

    def kind(self, found: Found) -> SymbolKind:
        """What has a receiver is a method."""
        return "method" if "recv" in found.captures else super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`struct`, `interface`, or `type` for one made from another."""
        node = found.node
        if kind == "constant" and node is not None:
            return "variable" if node.type == "var_spec" else kind
        if kind != "type" or node is None:
            return kind
        made_of = node.child_by_field_name("type")
        word = "" if made_of is None else made_of.type.removesuffix("_type")
        return word if word in ("struct", "interface") else self.natives.get(node.type, "type")

    def is_wanted(self, found: Found) -> bool:
        """Constants and variables of the package, whatever their case."""
        return found.role != "const" or (found.parent is None and found.name != "_")

    def is_public(self, found: Found) -> bool:
        """An upper-case first letter."""
        return found.name.rpartition(".")[2][:1].isupper()

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """What belongs to a type of lower case is its package's own."""
        return all(part[:1].isupper() for part in definition.qualified.split("."))

    def is_test_file(self, path: str) -> bool:
        """The files that `go test` compiles."""
        return path.endswith("_test.go")

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What `go test` runs."""
        return in_test_file and definition.kind == "function" and _TEST.match(definition.name) is not None

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The path of the one package that an import names."""
        for quoted, raw in _IMPORT.findall(text):
            yield quoted or raw, ()

    def callee(self, window: bytes) -> str:
        """The name before type arguments; what stands in other brackets is an index, and its value has no name."""
        if not window.endswith(b"]"):
            return super().callee(window)
        arguments = _TYPE_ARGUMENTS.search(window)
        return "" if arguments is None else super().callee(window[: arguments.start()])

    def value(self, node: Node) -> Node | None:
        """The one value, or the list of several."""
        values = node.child_by_field_name("value")
        return values.named_child(0) if values is not None and values.named_child_count == 1 else values

    def module_name(self, path: str, package: str | None) -> str:
        """The name of the package, by which other files speak of it."""
        return package or path.rpartition("/")[0].rpartition("/")[2] or path.removesuffix(".go")

    def is_entry_point(self, syntax: Syntax) -> bool:
        """Function main of package main."""
        return syntax.package == "main" and super().is_entry_point(syntax)


TRAITS = GoTraits
