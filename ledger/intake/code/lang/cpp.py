"""C++: C with classes, sections, namespaces, templates, operators, and names that qualify themselves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.ledger.intake.code.lang.c import CFamilyTraits
from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, plain_name, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_MAX_FIELD: Final = 4000
_OPERATOR: Final = re.compile(rb"(?:^|::|\s)operator(?!\w)\s*")
_WORD: Final = re.compile(rb"\w{1,60}")
_SCOPE: Final = re.compile(rb"\s*::\s*(?:template\s)?\s*")
_BASE_WORDS: Final = re.compile(r"\b(?:public|protected|private|virtual)\b|^\s*:")
_CLOSED: Final = frozenset({"private", "protected"})


class CppTraits(CFamilyTraits):
    """C++ sources and headers."""

    natives: ClassVar[Mapping[str, str]] = {
        **CFamilyTraits.natives,
        "alias_declaration": "alias",
        "concept_definition": "concept",
    }
    ignored_calls = CFamilyTraits.ignored_calls | {
        "static_cast",
        "dynamic_cast",
        "const_cast",
        "reinterpret_cast",
    }
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:template[ \t]*<[^\n]{0,200}>[ \t]*)?(?P<kind>class|struct|union|enum(?:[ \t]+(?:class|struct))?)"
                rb"[ \t]+(?:[A-Z][A-Z0-9_]+[ \t]+)?(?P<n>[A-Za-z_]\w*)(?:[ \t]+final)?[ \t]*(?:\{[^\n]*|:(?!:)[^\n;]*)?$",
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?!(?:return|else|typedef|if|while|for|switch|case|goto|do|new|delete|throw|using|co_await)\b)"
                rb"(?:[A-Za-z_][\w:]*(?:<[^\n<>;(]{0,100}>)?[ \t*&]+){1,6}(?P<n>~?[A-Za-z_][\w:]*)[ \t]*\((?![ \t]*\*)[^;\n]*\{[^\n;]*$",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """For a constructor, where its initialisers start: they call."""
        if node.type == "function_definition" and node.child_by_field_name("type") is None:
            for child in node.named_children[:10]:
                if child.type == "field_initializer_list":
                    return child
        return super().body(node)

    def name(self, found: Found) -> str:
        """The name; a template starts where its parameters do."""
        if templates := found.captures.get("_template"):
            found.start = start = templates[0].start_byte
            line = found.text.rfind(b"\n", max(0, start - MAX_NAME), start) + 1
            before = found.text[line:start].strip()
            found.lead = start if not _WORD.fullmatch(before) else found.text.index(before, line)
        return super().name(found)

    def spelled(self, written: bytes) -> str:
        """Without arguments of templates; operators with their sign."""
        if len(written) > 2 * MAX_NAME:
            return ""
        operator = _OPERATOR.search(written)
        if operator is None:
            return _dotted(written)
        owner = _dotted(written[: operator.start()])
        sign = " ".join(written[operator.end() :].decode("utf-8", "replace").split())
        if sign[:1].isalpha() or sign[:1] == "_":
            sign = f" {sign.partition('(')[0].strip()}"  # a conversion: `operator bool() const`
        return f"{owner}.operator{sign}" if owner else f"operator{sign}"

    def kind(self, found: Found) -> SymbolKind:
        """A function that names its owner is a method."""
        kind = super().kind(found)
        return (
            "method"
            if kind == "function" and b"::" in found.written and not self.is_test_macro(found)
            else kind
        )

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`class` also if a macro before its name hides it from the grammar."""
        node = found.node
        if kind == "type" and node is not None and node.type == "function_definition":
            made_of = node.child_by_field_name("type")
            return "class" if made_of is None else made_of.type.removesuffix("_specifier")
        return super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Of what a class holds, static members; no other name for a type inside of a function."""
        node, parent = found.node, found.parent
        if node is None or parent is None:
            return super().is_wanted(found)
        if found.role == "type" and node.type == "alias_declaration":
            return not parent.is_callable
        if found.role == "const" and parent.kind == "type" and parent.is_record and node.type != "enumerator":
            return node.type == "field_declaration" or bool(found.words & {b"static", b"constexpr"})
        return super().is_wanted(found)

    def is_public(self, found: Found) -> bool:
        """In a class what its section says, outside what is neither `static` nor in a namespace without a name."""
        parent = found.parent
        if parent is not None and parent.is_record and parent.kind == "type":
            return found.section not in _CLOSED if found.section else parent.native != "class"
        if parent is not None and not parent.is_record and not parent.public:
            return False
        return found.section != "namespace" and super().is_public(found)

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The types after the colon."""
        for child in node.named_children[:8]:
            if child.type == "base_class_clause":
                text = found.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
                for base in separated(text[:2000]):
                    yield _BASE_WORDS.sub("", base).strip().removeprefix("::")

    def value(self, node: Node) -> Node | None:
        """What a member starts with, of several the first that may be a secret."""
        if node.type == "field_declaration":
            if node.end_byte - node.start_byte > _MAX_FIELD:
                return node.child_by_field_name("default_value")
            values = node.children_by_field_name("default_value")
            telling = (value for value in values if value.type not in self.plain_values)
            return next(telling, values[0] if values else None)
        return super().value(node)

    def callee(self, window: bytes) -> str:
        """The name before the arguments of a template."""
        return super().callee(_bare(window) if window.endswith(b">") else window)

    def is_signature(self, definition: Definition) -> bool:
        """True for what is declared only, also by `= default` and `= 0`."""
        return not definition.has_body


def _dotted(written: bytes) -> str:
    """A name with dots; empty for what the grammar took for one when it was at a loss."""
    name = _SCOPE.sub(b".", _bare(written)).strip(b". \t\r\n")
    return "" if b":" in name else plain_name(name)


def _bare(written: bytes) -> bytes:
    """Without what stands in angle brackets; `->` is none."""
    if b"<" not in written:
        return written
    kept, depth = bytearray(), 0
    for at, sign in enumerate(written):
        if sign == 0x3C:
            depth += 1
        elif sign == 0x3E and written[at - 1 : at] != b"-":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(sign)
    return bytes(kept)


TRAITS = CppTraits
