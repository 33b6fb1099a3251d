"""C, and what C++ shares with it: names under declarators, macros, typedefs, `static` as what is a file's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.ledger.intake.code.lang.branches import without_cut_branches
from t2c.ledger.intake.code.lang.macros import without_macros
from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind
from t2c.ledger.intake.code.traits import LinePattern, Traits, joined_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS", "CFamilyTraits", "declared"]

_MAX_LEVELS: Final = 32
"""Declarators inside of declarators that are looked through for a name."""

_NEAR: Final = 100
_SPECIFIERS: Final = frozenset({"struct_specifier", "union_specifier", "enum_specifier", "class_specifier"})
_RESERVED: Final = frozenset(
    b"__attribute__ __declspec auto bool break case catch char class const constexpr continue default delete do double"
    b" else enum explicit extern float for friend goto if inline int long namespace new noexcept operator private"
    b" protected public register return short signed sizeof static static_assert struct switch template this throw"
    b" try typedef typename union unsigned using virtual void volatile while".split()
)
_IN_BRACKETS: Final = re.compile(rb"[ \t]*\([ \t]*(\*?)[ \t]*([A-Za-z_]\w*)[ \t]*\)[ \t]*\(")
_PLAIN_MACRO: Final = re.compile(rb"[-+(~\s]*(?:0[xX][0-9a-fA-F]+|\d[\d.]*)[a-zA-Z]{0,3}[)\s]*\Z")
_INCLUDED: Final = re.compile(r"#\s*include(?:_next)?\s*(<[^>\n]+>|\"[^\"\n]+\"|\w+)")
_TEST_PATH: Final = re.compile(r"(?:^|/)(?:unit_?tests?|testing|t)/|unit_?tests?[^/]*$", re.IGNORECASE)
_TEST_NAME: Final = re.compile(r"test(?:$|[^a-z])|.*(?:_test|[a-z0-9]Test)\Z")
_TEST_MACRO: Final = re.compile(
    rb"(?:(?:[A-Z][A-Z_]*_)?TEST(?:_[FPEI]|_CASE|_METHOD|_CASE_METHOD)?|UTEST(?:_[FI])?|(?:Parameterized)?Test"
    rb"|SCENARIO)\Z"
)
_TITLE: Final = re.compile(rb"\"([^\"\n]{1,160})\"")
_ARGUMENTS: Final = re.compile(rb"\(([^()\"]{1,300})")


class CFamilyTraits(Traits):
    """What holds for C and C++."""

    plain_values = frozenset({"number_literal", "true", "false", "null", "unary_expression"})
    ignored_calls = frozenset(
        {"Test", "TEST", "TEST_F", "TEST_P", "TEST_CASE", "SCENARIO", "UTEST", "START_TEST"}
    )
    natives: ClassVar[Mapping[str, str]] = {"type_definition": "typedef"}
    comment_marks = re.compile(
        r"^[\s/*!<#;%=-]+(?:[@\\](?:brief|short)\s+)?|^[@\\](?:brief|short)\s+|[\s*/>=-]+$"
    )
    directives = re.compile(rf"{Traits.directives.pattern}|\\[a-z]+|-\*-|vim?:", re.IGNORECASE)

    def body(self, node: Node) -> Node | None:
        """That of a function or type, of what a typedef names, or the text of a macro."""
        if node.type == "type_definition":
            made_of = node.child_by_field_name("type")
            return None if made_of is None else made_of.child_by_field_name("body")
        return node.child_by_field_name("value" if node.type == "preproc_function_def" else "body")

    def name_node(self, node: Node) -> Node | None:
        """The name of what is declared, under all its declarators."""
        return declared(node)

    def name(self, found: Found) -> str:
        """The name under the declarators; for the macro of a test framework what it makes a test of."""
        if self.is_test_macro(found):
            return self._test_name(found)
        written, end = found.written, found.name_start + len(found.written)
        if found.role == "const" and found.node is not None:
            names = found.captures.get("n")
            node = declared(names[0] if names else found.node)
            if node is None:
                return ""
            end = node.end_byte
            written = found.text[node.start_byte : end]
        after = _IN_BRACKETS.match(found.text, end, end + 200)
        if after is not None and (after[1] or written in _RESERVED):
            # `API int (*f)(void)`: an unknown word before the type makes the type look like the name.
            return plain_name(after[2]) if (found.role == "const") == bool(after[1]) else ""
        return "" if written in _RESERVED else self.spelled(written)

    def spelled(self, written: bytes) -> str:
        """The name as records give it."""
        return plain_name(written)

    def is_test_macro(self, found: Found) -> bool:
        """True for `TEST(Suite, name) { … }`, which is read as a function that returns nothing, or as a call."""
        node = found.node
        if node is None or found.role != "func":
            return False
        if "_test" in found.captures:
            return True
        if node.type != "function_definition":
            return False
        made_of = node.child_by_field_name("type")
        if made_of is None:
            return _TEST_MACRO.match(found.written) is not None
        word = found.text[made_of.start_byte : made_of.end_byte]
        declarator = node.child_by_field_name("declarator")
        if declarator is not None and declarator.type == "parenthesized_declarator":
            return _TEST_MACRO.match(word) is not None
        return word == b"END_TEST" and _TEST_MACRO.match(found.written) is not None

    def _test_name(self, found: Found) -> str:
        """What stands in its brackets. If the grammar took the block for one of its own, the test is both."""
        if calls := found.captures.get("_test"):
            found.header_end = found.start
            found.start = found.lead = calls[0].start_byte
        header = found.header[: 4 * _NEAR]
        if (title := _TITLE.search(header)) is not None:
            return " ".join(title[1].decode("utf-8", "ignore").split())
        if (arguments := _ARGUMENTS.search(header)) is None:
            return ""
        parts = (plain_name(part) for part in arguments[1].split(b",")[:2])
        return ".".join(part for part in parts if part)

    def kind(self, found: Found) -> SymbolKind:
        """A test that a macro makes is a function."""
        return "function" if self.is_test_macro(found) else super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`macro`, `test`, `variable`; struct, union and enum also for those that only a typedef names."""
        node = found.node
        if node is None:
            return "variable" if kind == "constant" else kind
        if node.type in ("preproc_def", "preproc_function_def"):
            return "macro"
        if self.is_test_macro(found):
            return "test"
        if kind == "type":
            if "_typedef" in found.captures:
                return "typedef"
            made_of = node.child_by_field_name("type") if found.body is not None else None
            return _word(made_of.type) if made_of is not None else super().native(found, kind)
        if kind == "constant" and node.type != "enumerator":
            return "constant" if _is_constant(found) else "variable"
        return kind

    def is_wanted(self, found: Found) -> bool:
        """All macros, and what stands outside of functions; a typedef as a whole or by each of its names."""
        node, parent = found.node, found.parent
        if node is None:
            return True
        inside = parent is not None and parent.is_callable
        if found.role == "type":
            typedefs = found.captures.get("_typedef")
            whole = typedefs[0] if typedefs else node
            if whole.type != "type_definition":
                return True
            return not inside and _names_apart(whole, found.text) is bool(typedefs)
        if found.role == "func":
            return not inside or node.type == "preproc_function_def"
        if node.type == "preproc_def" and node.child_by_field_name("value") is None:
            before = found.text[max(0, found.start - _NEAR) : found.start]
            return not before.rstrip().endswith(
                b"#ifndef " + found.written
            )  # a guard against a second reading
        if node.type == "enumerator":
            return parent is None or parent.native != "enum"
        return node.type != "declaration" or not (_makes_type(node) or _is_one_of_several(found))

    def is_public(self, found: Found) -> bool:
        """What is `static` belongs to its file."""
        return b"static" not in _words(found) and not self.is_test_macro(found)

    def is_test_file(self, path: str) -> bool:
        """The usual paths, and those of unit tests."""
        return super().is_test_file(path) or _TEST_PATH.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What the macro of a framework makes, and functions of test files that are named so."""
        if definition.native == "test":
            return True
        named = definition.kind in ("function", "method") and _TEST_NAME.match(definition.name)
        return in_test_file and bool(named) and definition.has_body and definition.native != "macro"

    def takes_call(self, owner: Definition, start: int) -> bool:
        """Not the attributes before a body, nor a type that looks like a function."""
        return start >= owner.header_end or (owner.role == "const" and start > owner.start)

    def is_async(self, found: Found) -> bool:
        """Nothing is."""
        return False

    def value(self, node: Node) -> Node | None:
        """What a variable starts with; None for a macro that is only a number."""
        if node.type == "declaration":
            declarator = node.child_by_field_name("declarator")
            return None if declarator is None else declarator.child_by_field_name("value")
        if node.type == "expression_statement":
            held = node.named_children[0]
            return held.child_by_field_name("right") if held.type == "assignment_expression" else None
        value = node.child_by_field_name("value")
        if node.type == "preproc_def" and value is not None and _PLAIN_MACRO.match(value.text or b""):
            return None
        return value

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The file as written, with its quotes."""
        included = _INCLUDED.match(text)
        if included is not None:
            yield included[1], ()

    def is_relative(self, module: str) -> bool:
        """Quotes look beside the file first."""
        return module.startswith('"')

    def resolve(self, module: str, path: str) -> str:
        """The file's path as written; from the root if it starts with dots."""
        name = module.strip('<>"')
        return joined_path(name, path) if name.startswith(".") else name

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """For a name in quotes: beside the file, from the root, among the public headers."""
        if module.startswith('"'):
            name = module.strip('"')
            yield joined_path(name, path)
            yield name
            yield f"include/{name}"

    def for_grammar(self, text: bytes) -> bytes:
        """Without macros, and branches of the preprocessor, that the grammar would lose its way at."""
        return without_macros(without_cut_branches(text))

    def module_name(self, path: str, package: str | None) -> str:
        """The path: it is what an `#include` names, and a header is not its source."""
        return path


def declared(node: Node) -> Node | None:
    """The node of the name that a declaration or declarator gives; itself if it is that."""
    for _ in range(_MAX_LEVELS):
        if node.type == "operator_cast":
            return node
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in (
            "parenthesized_declarator",
            "attributed_declarator",
            "reference_declarator",
        ):
            index = 0 if node.type == "attributed_declarator" else max(0, node.named_child_count - 1)
            inner = node.named_child(index)
        if inner is None:
            return node
        node = inner
    return None


def _words(found: Found) -> frozenset[bytes]:
    """The words before the name, also those before a type that is written out between."""
    whole = found.captures.get("_whole")
    if not whole:
        return found.words
    start = whole[0].start_byte
    return frozenset(found.text[start : min(start + _NEAR, found.start)].partition(b"{")[0].split())


def _is_constant(found: Found) -> bool:
    """True if the variable itself does not change; `const char *x` does."""
    words = _words(found)
    if b"constexpr" in words:
        return True
    pointer = found.written.startswith((b"*", b"("))
    return b"const" in (
        found.written[:_NEAR].partition(b")")[0].replace(b"*", b" ").split() if pointer else words
    )


def _names_apart(typedef: Node, text: bytes) -> bool:
    """True if a typedef's names are not the one name of the whole: its type has its own, or there are several."""
    made_of, first = typedef.child_by_field_name("type"), typedef.child_by_field_name("declarator")
    if made_of is None or first is None:
        return False
    named = made_of.type in _SPECIFIERS and made_of.child_by_field_name("name") is not None
    return (named and made_of.child_by_field_name("body") is not None) or _goes_on(text, first.end_byte)


def _makes_type(node: Node) -> bool:
    """True for `struct x { … } y`: y does not hold x."""
    made_of = node.child_by_field_name("type")
    return (
        made_of is not None
        and made_of.type in _SPECIFIERS
        and made_of.child_by_field_name("body") is not None
    )


def _is_one_of_several(found: Found) -> bool:
    """True for each name of `int a, *b;`: told by the commas beside it, since there may be very many."""
    names = found.captures.get("n")
    if not names:
        return False
    start = names[0].start_byte
    before = found.text[max(found.start, start - _NEAR) : start].rstrip()
    return before.endswith(b",") or _goes_on(found.text, names[0].end_byte)


def _goes_on(text: bytes, end: int) -> bool:
    return text[end : end + _NEAR].lstrip().startswith(b",")


def _word(specifier: str) -> str:
    return specifier.removesuffix("_specifier")


class CTraits(CFamilyTraits):
    """C sources, and headers that hold nothing of C++."""

    line_patterns = (
        LinePattern(
            re.compile(
                rb"^(?!(?:return|else|typedef|if|while|for|switch|case|goto|do|sizeof)\b)"
                rb"(?:[A-Za-z_]\w*[ \t*]+){1,6}(?P<n>[A-Za-z_]\w*)[ \t]*\((?![ \t]*\*)[^;\n]*$",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(
                rb"^(?:[A-Za-z_]\w*[ \t*]+){1,6}\([ \t]*\*[ \t]*(?P<n>[A-Za-z_]\w*)[ \t]*\)[ \t]*\(",
                re.MULTILINE,
            ),
            "const",
        ),
        LinePattern(
            re.compile(
                rb"^(?:typedef[ \t]+)?(?P<kind>struct|union|enum)[ \t]+(?P<n>[A-Za-z_]\w*)[ \t]*\{?[ \t]*$",
                re.MULTILINE,
            ),
            "type",
        ),
    )


TRAITS = CTraits
