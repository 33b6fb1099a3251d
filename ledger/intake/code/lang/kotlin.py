"""Kotlin: receivers of extensions, companions, anonymous objects, tests with titles; visibility by modifiers."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, plain_name, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_WINDOW: Final = 240
"""Bytes before a name in which its modifiers and its receiver stand."""
_MAX_CHILDREN: Final = 16

_TEXTS: Final = re.compile(rb'"[^"\n]*"|\([^()\n]*\)|//[^\n]*|/\*[^*]*\*/')
_KEYWORD: Final = re.compile(rb"\b(?:companion|constructor)\b")
_TYPE_WORD: Final = re.compile(rb"\b(class|interface|object|typealias)\b")
_GENERICS: Final = re.compile(rb"\bfun\s*<([^<>]*(?:<[^<>]*>[^<>]*){0,4})>")
_PARAMETER: Final = re.compile(rb"(?:^|,)\s*(?:reified\s+)?(\w+)")
_PATH: Final = re.compile(rb"[A-Za-z_\x80-\xff][\w.\x80-\xff]*\Z")
_CONSTANT: Final = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
_BASE: Final = re.compile(r"(?:@\w+\s+)*([\w.`]+\s*(?:<.*?>(?=\s*(?:\(|\bby\b|$)))?)", re.DOTALL)
_COMMENT: Final = re.compile(r"//[^\n]*|/\*[^*]{0,1000}\*/")
_IMPORT: Final = re.compile(r"import\s+([^\s;]+)")
_LICENCE: Final = re.compile(
    r"licen[cs]ed?\b|copyright|\(c\)|all rights|this file is part|use of this source|permission is",
    re.IGNORECASE,
)
_TEST_FILE: Final = re.compile(r"(?:^|/)(?:[a-z]\w*Test|testFixtures|testFunctional|testIntegration)/")
_TEST_TYPE: Final = re.compile(r".*(?:Tests?|TestCase|Spec|IT)\Z|Test[A-Z]")
_TESTS: Final = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory"}
)
_HIDDEN: Final = frozenset({b"private", b"internal", b"protected"})
_BODIES: Final = frozenset(
    {"class_body", "enum_class_body", "function_body", "block", "annotated_lambda", "lambda_literal"}
)
_ANONYMOUS: Final = "anonymous object"
_VALUES: Final = frozenset({"property_delegate", "getter"})

_MODIFIERS: Final = (
    rb"^[ \t]*(?:(?:@[\w.:]{1,80}(?:\([^()\n]{0,120}\))?|abstract|actual|annotation|companion|const|data|enum|expect"
    rb"|external|final|fun(?=[ \t]+interface\b)|infix|inline|inner|internal|open|operator|override|private|protected"
    rb"|public|sealed|suspend|tailrec|value)[ \t]+){0,10}"
)
_NAME: Final = rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*|`[^`\n]{1,160}`)"


_WORDS_AS_NAMES: Final = re.compile(
    rb"^[ \t]*(?:(?:in|as|by|else|where)(?=[\d_])|[gs]et(?=[ \t]*(?:[-+*/%]?=|[.\[])|\([^()\n]*,))"
    rb"|\b(?:abstract|external|final|infix|inline|internal|lateinit|open|override|private|protected|public|sealed"
    rb"|tailrec)(?=[ \t]*(?:[-+*/%]?=|[(.\[{}]|\?[.:]|\+\+|--|->))"
    rb"|\bsuspend(?=[ \t]*[{:=,)])",
    re.MULTILINE,
)
"""Names that start like an operator or an accessor at the head of a line, and modifiers that are names."""
_ONE_LINE_BODY: Final = re.compile(
    rb"^[^\n]*\b(?:class|interface|object)\b[^\n]*\{[^\n]*[ \t]\}[^\n]*$", re.MULTILINE
)
_BODY_END: Final = re.compile(rb"(?<=[^\s{;,])([ \t]*)[ \t](?=\})")
_CONSTRUCTOR_BELOW: Final = re.compile(
    rb"\bclass[ \t]+\w+(?:<[^<>\n]*>)?[ \t]*\r?\n(?:[ \t]*@[\w.]+(?:\([^()\n]*\))?[ \t]*(?:\r?\n)?){1,4}"
    rb"(?=[ \t]*(?:\w+[ \t]+)?constructor\b)"
)
_ACCESSOR: Final = re.compile(rb"^[ \t]+(?:@[\w.]+(?:\([^()\n]*\))?[ \t]+){1,4}(?=[gs]et\()", re.MULTILINE)


class KotlinTraits(Traits):
    """Kotlin source files and scripts. An extension is named as a method of the type that it extends."""

    # `true` and `null` are read as names, and a name is no secret.
    plain_values = frozenset({"number_literal", "unary_expression", "identifier"})
    ignored_calls = frozenset({
        "also", "apply", "arrayOf", "check", "checkNotNull", "context", "describe", "error", "it", "lazy", "let",
        "listOf", "mapOf", "print", "println", "repeat", "require", "requireNotNull", "run", "setOf", "takeIf",
        "test", "to", "with",
    })  # fmt: skip
    line_patterns = (
        LinePattern(
            re.compile(_MODIFIERS + rb"(?P<kind>enum|annotation)[ \t]+class[ \t]+" + _NAME, re.MULTILINE),
            "type",
        ),
        LinePattern(
            re.compile(
                _MODIFIERS + rb"(?P<kind>class|interface|object|typealias)[ \t]+" + _NAME,
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                _MODIFIERS + rb"(?<=companion )(?P<n>object)\b(?![ \t]+[\w`])",
                re.MULTILINE,
            ),
            "type",
            "companion object",
        ),
        LinePattern(
            re.compile(
                _MODIFIERS
                + rb"fun[ \t]+(?:<[^\n()]{0,120}>[ \t]+)?(?:[\w<>?,*. \t]{1,120}\.)?"
                + _NAME
                + rb"[ \t]*\(",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def for_grammar(self, text: bytes) -> bytes:
        """The text with other names for those that the grammar takes for keywords, an end of the last member of a
        body in one line, and without breaks and annotations that it does not know or never comes back from."""
        text = _WORDS_AS_NAMES.sub(_in_capitals, text)
        text = _ONE_LINE_BODY.sub(_with_ended_members, text)
        text = _CONSTRUCTOR_BELOW.sub(_in_one_line, text)
        return _without_open_end(_ACCESSOR.sub(_blank, text))

    def body(self, node: Node) -> Node | None:
        """What stands last, if that is a body; of `class A : Spec({ … })` the block that the base type gets."""
        count = node.child_count
        if not count:
            return None
        last = node.child(count - 1)
        if last.type == "call_expression" and node.type == "infix_expression":
            last = last.child(last.child_count - 1)  # a class that is taken for an infix call
        if last.type in _BODIES:
            return last
        for step in (
            "delegation_specifiers",
            "delegation_specifier",
            "constructor_invocation",
            "value_arguments",
        ):
            if last.type != step or not last.named_child_count:
                return None
            last = last.named_child(last.named_child_count - 1)
        held = last.named_child(0) if last.named_child_count else None
        return held if held is not None and held.type == "lambda_literal" else None

    def name(self, found: Found) -> str:
        """Without backticks; titles of tests; `Companion` and `constructor` for what has no name."""
        written = found.written
        if "_t" in found.captures or "_g" in found.captures:
            return " ".join(written[1:-1][:MAX_NAME].decode("utf-8", "ignore").split())
        if written.startswith(b"`"):
            raw = written.strip(b"`")
            return " ".join(raw.decode("utf-8", "replace").split()) if len(raw) <= MAX_NAME else ""
        if found.node is None:
            return "Companion" if written == b"object" else plain_name(written)
        if not written:
            return _UNNAMED.get(found.node.type, "")
        return plain_name(written)

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if {"_t", "_g"} & found.captures.keys() else "."

    def qualifier(self, found: Found) -> str:
        """The type that a function extends, without arguments; nothing if that is a parameter of its own."""
        if found.role != "func" or {"_t", "_g"} & found.captures.keys():
            return ""
        before = found.text[max(found.start, found.name_start - _WINDOW) : found.name_start].rstrip()
        if not before.endswith(b"."):
            return ""
        name = _receiver(before[:-1])
        generics = _GENERICS.search(before)
        if generics is not None and name in _PARAMETER.findall(generics[1]):
            return ""
        return name.decode("utf-8", "replace")

    def kind(self, found: Found) -> SymbolKind:
        """Extensions are methods of what they extend, tests are functions wherever they stand."""
        if "_t" in found.captures or (found.parent is not None and found.parent.native == "group"):
            return {"type": "type", "const": "constant"}.get(found.role, "function")  # type: ignore[return-value]
        return "method" if self.qualifier(found) else super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`enum`, `annotation`, `interface` …; a function whose name is a sentence is a test."""
        if "_g" in found.captures:
            return "group"
        if "_t" in found.captures or (found.role == "func" and " " in found.name):
            return "test"
        if found.role == "scope":
            outer = found.parent
            is_local = outer is not None and (outer.is_callable or outer.native == _ANONYMOUS)
            return "object" if "n" in found.captures and not is_local else _ANONYMOUS
        if kind != "type":
            return (
                "constructor"
                if found.node is not None and found.node.type == "secondary_constructor"
                else kind
            )
        if found.node is not None and found.node.type == "companion_object":
            return "companion object"
        words = self._modifiers(found)
        for word in (b"enum", b"annotation"):
            if word in words:
                return word.decode()
        word_before = _TYPE_WORD.findall(
            found.text, max(found.lead, found.name_start - _WINDOW), found.name_start
        )
        word_found = word_before[-1].decode() if word_before else "class"
        return "type alias" if word_found == "typealias" else word_found

    def is_wanted(self, found: Found) -> bool:
        """`const val` and values in capitals; nothing of an anonymous object that no property holds."""
        parent = found.parent
        if found.role == "scope":
            same = parent is not None and (parent.role, parent.start, parent.end) == (
                "scope",
                found.start,
                found.end,
            )
            return not same
        if parent is not None and parent.native == _ANONYMOUS:
            return False
        if found.role != "const":
            return True
        words = self._modifiers(found)
        return b"const" in words or (b"val" in words and _CONSTANT.match(found.name) is not None)

    def is_public(self, found: Found) -> bool:
        """What is not said to be private, internal or protected."""
        if "_t" in found.captures:
            return False
        parent = found.parent
        if parent is not None and parent.role == "scope" and not parent.public:
            return False
        return not self._modifiers(found) & _HIDDEN

    def is_async(self, found: Found) -> bool:
        """`suspend` functions."""
        return b"suspend" in self._modifiers(found)

    def is_test_file(self, path: str) -> bool:
        """Source sets and names of tests."""
        return _TEST_FILE.search(path) is not None or super().is_test_file(path)

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What JUnit, kotlin.test or TestNG are told to run; in files of tests their classes and titled blocks."""
        if any(name.rpartition(".")[2] in _TESTS for name in definition.decorators):
            return True
        if not in_test_file or definition.kind == "constant":
            return False
        if definition.kind == "type":
            return _TEST_TYPE.match(definition.name) is not None
        return definition.native == "test" or definition.name.startswith("test")

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """Not the licence that stands above a package."""
        return None if found.role == "module" and comment and _LICENCE.search(comment) else comment

    def decorator(self, text: str) -> str:
        """The name without the target before it (`@file:`, `@get:`)."""
        return super().decorator(text).rpartition(":")[2].strip()

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The types behind the colon, without arguments and delegates."""
        for index in range(min(node.named_child_count, _MAX_CHILDREN)):
            child = node.named_child(index)
            if child.type == "delegation_specifiers":
                text = found.text[child.start_byte : child.end_byte][:2000].decode("utf-8", "replace")
                for part in separated(_COMMENT.sub(" ", text)):
                    if (matched := _BASE.match(part)) is not None:
                        yield matched[1].strip()

    def value(self, node: Node) -> Node | None:
        """What follows `=`, or what else gives the value."""
        for index in range(min(node.child_count, _MAX_CHILDREN)):
            child = node.child(index)
            if child.type == "=":
                return node.child(index + 1) if index + 1 < node.child_count else child
            if child.type in _VALUES:
                return child
        return None

    def takes_call(self, owner: Definition, start: int) -> bool:
        """Not the words of a test itself."""
        return owner.native != "test" or start >= owner.header_end

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The package, and the name taken from it, which starts at the first type: `a.b`, `Outer.inner`."""
        matched = _IMPORT.match(text)
        if matched is None:
            return
        *package, name = matched[1].replace("`", "").split(".")
        first = next((at for at, part in enumerate(package) if part[:1].isupper()), len(package))
        name = ".".join([*package[first:], name])
        yield (".".join(package[:first]), (name,)) if first else (name, ())

    def _modifiers(self, found: Found) -> frozenset[bytes]:
        """The words before the name, or before the keyword of what has none; text in quotes left out."""
        if not found.written and found.node is not None:
            header = found.header[:_WINDOW]
            keyword = _KEYWORD.search(header)
            before = header if keyword is None else header[: keyword.start()]
        else:
            start = max(found.lead, found.name_start - _WINDOW)
            if start >= found.name_start:  # the name stands before: that of a property which holds an object
                start = found.text.rfind(b"\n", max(0, found.name_start - _WINDOW), found.name_start) + 1
            before = found.text[start : found.name_start]
        return frozenset(_TEXTS.sub(b" ", before).split())


_UNNAMED: Final = {
    "companion_object": "Companion",
    "secondary_constructor": "constructor",
    "object_literal": "object",
}


def _in_capitals(found: re.Match[bytes]) -> bytes:
    return found[0].upper()


def _with_ended_members(found: re.Match[bytes]) -> bytes:
    return found[0] if b"${" in found[0] else _BODY_END.sub(rb"\1;", found[0])


def _in_one_line(found: re.Match[bytes]) -> bytes:
    return found[0].replace(b"\r", b" ").replace(b"\n", b" ")


def _blank(found: re.Match[bytes]) -> bytes:
    return b" " * len(found[0])


def _without_open_end(text: bytes) -> bytes:
    """Without annotations at the very end of a text: there the scanner of grammar 1.1.0 looks for their end for ever.

    No limit of time stops it. It ends at white space, or in parentheses at a line feed: so it is done here too.
    """
    start = text.rfind(b"\n") + 1
    line = text[start:]
    at = len(line) - len(line.lstrip())
    while line[at : at + 1] == b"@":
        in_parentheses = False
        while at < len(line) and (in_parentheses or not line[at : at + 1].isspace()):
            at += 1
            sign = line[at : at + 1]
            in_parentheses = sign == b"(" or (in_parentheses and sign != b")")
        if at == len(line):
            return text[:start] + b" " * len(line)
        while line[at : at + 1].isspace():
            at += 1
    return text


def _receiver(before: bytes) -> bytes:
    """The name of a type at the end of a text, without package, arguments and `?`; empty if it has none."""
    before = before.rstrip(b"? \t\r\n")
    if before.endswith(b">"):
        depth, at = 0, len(before)
        while at:
            at -= 1
            depth += {62: 1, 60: -1}.get(before[at], 0)
            if not depth:
                break
        before = before[:at].rstrip()
    matched = _PATH.search(before)
    if matched is None or matched[0] == b"fun":
        return b""
    parts = matched[0].split(b".")
    first = next((at for at, part in enumerate(parts) if not part[:1].islower()), len(parts) - 1)
    return b".".join(parts[first:])


TRAITS = KotlinTraits
