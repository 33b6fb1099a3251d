"""C#: modifiers, properties, attributes, XML comments, and namespaces that name the file's package either way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.code.lang.branches import without_cut_branches
from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import LinePattern, Traits, plain_name, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_NEAR: Final = 400
_MAX_CHILDREN: Final = 24
"""Attribute lists, modifiers and other parts of a head that are looked at."""
_MAX_COMMENT_LINES: Final = 60
_MAX_DOCSTRING: Final = 200

_MODIFIERS: Final = (
    rb"(?:(?:public|private|protected|internal|static|abstract|sealed|partial|readonly|ref|unsafe|file|virtual|override"
    rb"|async|extern)[ \t]+)"
)
_OPERATOR: Final = re.compile(r"\boperator\s+(?:checked\s+)?([^\s(]+|[\w.<>?\[\], ]+?)\s*\(")
_USING: Final = re.compile(
    r"(?:global\s+)?using\s+(?:(static)\s+)?(?:unsafe\s+)?(?:@?(\w+)\s*=\s*)?([^;]+?)\s*;?\s*\Z"
)
_ARGUMENTS: Final = re.compile(r"<.*", re.DOTALL)
_SUMMARY: Final = re.compile(r"<summary>(.*?)(?:</summary>|\Z)", re.DOTALL)
_REFERENCE: Final = re.compile(r"<(?:see|paramref|typeparamref|seealso)\b[^<>]*?\"([^\"<>]*)\"[^<>]*>")
_TAG: Final = re.compile(r"</?\w[^<>]*>")
_TEST_PATH: Final = re.compile(r"(?:^|/)[^/]*(?:Tests?|Specs?|TestSuite)/")
_TEST_ATTRIBUTES: Final = frozenset(
    [
        "Fact",
        "Theory",
        "Test",
        "TestCase",
        "TestCaseSource",
        "TestMethod",
        "DataTestMethod",
        "TestFixture",
        "TestClass",
    ]
)
_CLOSED: Final = frozenset({b"private", b"protected", b"internal", b"file"})
_NATIVES_OF_MEMBERS: Final[Mapping[str, str]] = {
    "property_declaration": "property",
    "indexer_declaration": "indexer",
    "event_declaration": "event",
    "event_field_declaration": "event",
}


class CSharpTraits(Traits):
    """C# sources and scripts."""

    plain_values = frozenset(
        {"integer_literal", "real_literal", "boolean_literal", "null_literal", "prefix_unary_expression"}
    )
    ignored_calls = frozenset({"nameof"})
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*"
                + _MODIFIERS
                + rb"{0,8}(?P<kind>class|struct|interface|enum|record)[ \t]+(?P<n>@?[A-Za-z_\x80-\xff][\w\x80-\xff]*)",
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*"
                + _MODIFIERS
                + rb"{1,8}(?:[\w.<>\[\],? \x80-\xff]{1,120}[ \t]+)?(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)"
                rb"[ \t]*(?:<[^<>()\n]{1,80}>)?[ \t]*\(",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """What stands in braces or after an arrow. A namespace has none: with braces or without it names the package."""
        if node.type in ("namespace_declaration", "event_field_declaration"):
            return None
        for field in ("body", "accessors", "value"):
            if (body := node.child_by_field_name(field)) is not None:
                return body
        return None

    def name(self, found: Found) -> str:
        """The name; its head starts after its attributes."""
        node = found.node
        if node is None:
            return plain_name(found.written).lstrip("@")
        head = self._head(found, node)
        if head is not None:
            name_start = max(head, found.name_start if found.written else found.header_end)
            found.lead = head
            found.words = frozenset(found.text[head : min(name_start, head + _NEAR)].split())
        match node.type:
            case "destructor_declaration":
                return f"~{plain_name(found.written)}"
            case "indexer_declaration":
                return "this"
            case "operator_declaration" | "conversion_operator_declaration":
                return self._operator(found)
            case "method_declaration" | "property_declaration" | "event_declaration":
                return self._explicit(found, node) + plain_name(found.written).lstrip("@")
        return plain_name(found.written).lstrip("@")

    def _head(self, found: Found, node: Node) -> int | None:
        """Where the modifiers start; None for what shares them with what stands before it."""
        if found.role == "const":
            fields = found.captures.get("_field")
            if fields is None:
                return None
            node = fields[0]
        for index in range(min(node.child_count, _MAX_CHILDREN)):
            child = node.child(index)
            if child.type not in ("attribute_list", "comment"):
                return child.start_byte
        return None

    def _operator(self, found: Found) -> str:
        matched = _OPERATOR.search(found.header[:_NEAR].decode("utf-8", "replace"))
        if matched is None:
            return ""
        sign = " ".join(matched[1].split())
        return f"operator {sign}" if sign[0].isalpha() else f"operator{sign}"

    def _explicit(self, found: Found, node: Node) -> str:
        """The interface whose member this is, with its dot."""
        for index in range(min(node.named_child_count, _MAX_CHILDREN)):
            child = node.named_child(index)
            if child.type == "explicit_interface_specifier":
                written = found.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
                return f"{plain_name(_ARGUMENTS.sub('', written).rstrip('.').encode())}."
        return ""

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`class`, `record`, `property`, `event` …"""
        node_type = "" if found.node is None else found.node.type
        return _NATIVES_OF_MEMBERS.get(node_type) or super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Of the fields those that never change."""
        if found.role != "const":
            return True
        words = self._words(found)
        return b"const" in words or {b"static", b"readonly"} <= words

    def _words(self, found: Found) -> frozenset[bytes]:
        fields = found.captures.get("_field") or found.captures.get("_later")
        if not fields:
            return found.words
        start = fields[0].start_byte
        return frozenset(found.text[start : min(start + 2 * _NEAR, found.start)].split())

    def is_public(self, found: Found) -> bool:
        """What is said to be, and members of interfaces that are not said to be otherwise."""
        words = self._words(found)
        if found.parent is not None and found.parent.native == "interface":
            return not words & _CLOSED
        return b"public" in words

    def is_test_file(self, path: str) -> bool:
        """The usual paths, and projects that are named as tests."""
        return super().is_test_file(path) or _TEST_PATH.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What an attribute of xUnit, NUnit or MSTest marks as one."""
        names = (name.rpartition(".")[2].removesuffix("Attribute") for name in definition.decorators)
        return definition.kind != "constant" and any(name in _TEST_ATTRIBUTES for name in names)

    def is_signature(self, definition: Definition) -> bool:
        """True for a partial method that another part carries out."""
        return not definition.has_body

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """The first line of the summary in the XML comment above the attributes, or of another comment."""
        lines = _comment_above(found.text, found.start if found.role != "const" else self._start(found))
        if not lines:
            return comment
        said = _SUMMARY.search("\n".join(lines))
        for line in (said[1] if said else "\n".join(lines)).splitlines():
            line = _TAG.sub("", _REFERENCE.sub(r"\1", line)).strip(" \t*/-=")
            if line and not self.directives.match(line):
                return line[:_MAX_DOCSTRING]
        return None

    def _start(self, found: Found) -> int:
        fields = found.captures.get("_field")
        return fields[0].start_byte if fields else found.start

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """What stands after the colon, without arguments for a constructor."""
        for index in range(min(node.named_child_count, _MAX_CHILDREN)):
            child = node.named_child(index)
            if child.type == "base_list":
                text = found.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
                for base in separated(text[:2000].lstrip(": ")):
                    yield base.partition("(")[0].strip()

    def value(self, node: Node) -> Node | None:
        """What a field starts with."""
        return node.named_children[-1] if node.named_child_count > 1 else None

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The namespace or type; of a static import all members."""
        matched = _USING.match(text)
        if matched is not None:
            name = "".join(_ARGUMENTS.sub("", matched[3]).replace("::", ".").split())
            yield name.removeprefix("global."), ("*",) if matched[1] else ()

    def callee(self, window: bytes) -> str:
        """The name before type arguments."""
        if window.endswith(b">"):
            depth = 0
            for at in range(len(window) - 1, -1, -1):
                sign = window[at : at + 1]
                depth += (sign == b">") - (sign == b"<")
                if not depth:
                    return super().callee(window[:at])
        return super().callee(window)

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A method Main, or statements outside of every type."""
        return any(item.name == "Main" and item.kind == "method" for item in syntax.definitions) or (
            bool(syntax.calls) and not syntax.error_lines
        )

    def for_grammar(self, text: bytes) -> bytes:
        """Without branches of conditional compilation that hold half of something."""
        return without_cut_branches(text)


def _comment_above(text: bytes, start: int) -> list[str]:
    """The lines of the line comments that end right above a place, without their marks."""
    lines: list[str] = []
    end = text.rfind(b"\n", max(0, start - _NEAR), start)
    if end < 0 or text[end + 1 : start].strip():
        return lines
    while len(lines) < _MAX_COMMENT_LINES and end > 0:
        begin = text.rfind(b"\n", max(0, end - 2 * _NEAR), end) + 1
        line = text[begin:end].strip()
        if not line.startswith(b"//"):
            break
        lines.append(line.lstrip(b"/").decode("utf-8", "replace").strip())
        end = begin - 1
    return lines[::-1]


TRAITS = CSharpTraits
