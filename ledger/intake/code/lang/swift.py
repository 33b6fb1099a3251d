"""Swift: extensions qualify, `public` and `open` open, `let` of a file or a type is a constant, tests by XCTest,
Swift Testing and Quick."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, dotted_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_WINDOW: Final = 240
"""Bytes before a name in which its modifiers stand."""
_MAX_CHILDREN: Final = 16

_TEXTS: Final = re.compile(rb'"[^"\n]*"|\([^()\n]*\)|//[^\n]*|/\*[^*]*\*/')
_TYPE_WORD: Final = re.compile(rb"\b(class|struct|enum|actor|extension|protocol|typealias|associatedtype)\b")
_KEYWORD: Final = re.compile(rb"\b(?:init|deinit|subscript)\b")
_ASYNC: Final = re.compile(rb"\)\s*async\b")
_TITLE: Final = re.compile(rb'@(?:Test|Suite)\s*\(\s*"([^"\n]{1,200})"')
_TYPE_PATH: Final = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
_TYPE_ARGUMENTS: Final = re.compile(rb"<[^<>]*(?:<[^<>]*>[^<>]*){0,8}>\Z")
_IMPORT: Final = re.compile(
    r"\bimport\s+(?:(?P<kind>class|struct|enum|protocol|typealias|func|let|var|actor)\s+)?(?P<path>[\w.`]+)"
)
_TARGET: Final = re.compile(r"(?:^|/)(?:Sources|Tests|Plugins)/([^/]+)/")
_TEST_FILE: Final = re.compile(
    r"(?:^|/)(?:[Tt]ests?|Specs?|\w*(?:Tests|UITests|Specs))/|(?:^|/)[^/]*(?:Tests?|Spec|TestCase)\.swift\Z"
)
_TEST_TYPE: Final = re.compile(r".*(?:Tests?|TestCase|Spec)\Z")
_BODIES: Final = frozenset({"computed_property", "function_body"})
_OPEN: Final = frozenset({b"public", b"open"})
_CLOSED: Final = frozenset({b"private", b"fileprivate", b"internal", b"package"})
_UNNAMED: Final = {
    "init_declaration": "init",
    "deinit_declaration": "deinit",
    "subscript_declaration": "subscript",
}

_NO_MEMBER: Final = re.compile(rb"^[ \t]*#(?:warning|error)[ \t]*\([^\n]*\)[ \t\r]*$", re.MULTILINE)
_APART: Final = re.compile(rb"[ \t]+;")
_NOTHING: Final = re.compile(rb"(?:(?<=\()|(?<=\breturn ))\(\)(?=[,)]|[ \t\r]*(?:$|\}))", re.MULTILINE)
_IN_TRY: Final = re.compile(rb"\bfor\b[^\n{;]{1,200}?\bin[ \t]+try\b")

_MODIFIERS: Final = (
    rb"^[ \t]*(?:(?:@[\w.]{1,80}(?:\([^()\n]{0,120}\))?|class(?=[ \t]+func\b)|convenience|distributed|dynamic"
    rb"|fileprivate|final|indirect|infix|internal|isolated|mutating|nonisolated|nonmutating|open|optional|override"
    rb"|package|postfix|prefix|private|public|required|static)[ \t]+){0,10}"
)
_NAME: Final = rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*|`[^`\n]{1,160}`)"


class SwiftTraits(Traits):
    """Swift source files. What is not said to be public or open is the module's own."""

    plain_values = frozenset({"integer_literal", "real_literal", "boolean_literal", "nil_literal"})
    ignored_calls = frozenset({
        "assert", "assertionFailure", "context", "describe", "expect", "fatalError", "init", "it", "precondition",
        "preconditionFailure", "print", "require",
    })  # fmt: skip
    directives = re.compile(
        Traits.directives.pattern + r"|MARK\b|swiftlint|swiftformat|sourcery|periphery", re.IGNORECASE
    )
    line_patterns = (
        LinePattern(
            re.compile(
                _MODIFIERS + rb"(?P<kind>class|struct|enum|actor|protocol|typealias)[ \t]+" + _NAME,
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                _MODIFIERS + rb"extension[ \t]+(?P<n>[A-Za-z_\x80-\xff][\w.\x80-\xff]*)", re.MULTILINE
            ),
            "scope",
            "extension",
        ),
        LinePattern(
            re.compile(_MODIFIERS + rb"func[ \t]+" + _NAME + rb"[ \t]*[(<]", re.MULTILINE),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(_MODIFIERS + rb"(?P<n>init|subscript)[?!]?[ \t]*[(<][^\n]*\{[ \t\r]*$", re.MULTILINE),
            "func",
            "function",
        ),
    )

    def for_grammar(self, text: bytes) -> bytes:
        """The text without `#warning(…)` among members, `;` right behind what it ends, no `try` in a `for`, and a
        name for the value `()`."""
        text = _NO_MEMBER.sub(lambda found: b" " * len(found[0]), text)
        text = _APART.sub(lambda found: b";" + found[0][:-1], text)
        text = _NOTHING.sub(b"_0", text)
        return _IN_TRY.sub(lambda found: found[0][:-3] + b"   ", text)

    def body(self, node: Node) -> Node | None:
        """The field, or the accessors of a subscript; of a titled test what follows its title."""
        body = super().body(node)
        if body is not None or not node.child_count:
            return body
        last = node.child(node.child_count - 1)
        if last.type == "call_suffix" and last.child_count:
            last = last.child(last.child_count - 1)
            return last if last.type == "lambda_literal" else None
        return last if last.type in _BODIES else None

    def name_node(self, node: Node) -> Node | None:
        """None where the first field `name` is a type."""
        return None if node.type in _UNNAMED else super().name_node(node)

    def name(self, found: Found) -> str:
        """Without backticks; titles of tests; of an extension the type without arguments."""
        written = found.written
        if "_t" in found.captures or "_g" in found.captures:
            return " ".join(written[1:-1][:MAX_NAME].decode("utf-8", "ignore").split())
        if not written:
            return "" if found.node is None else _UNNAMED.get(found.node.type, "")
        if written.startswith(b"`"):
            raw = written.strip(b"`")
            return " ".join(raw.decode("utf-8", "replace").split()) if len(raw) <= MAX_NAME else ""
        if found.role != "scope":
            return plain_name(written)
        if written.startswith(b"["):
            return "Dictionary" if b":" in written else "Array"
        path = _TYPE_PATH.match(written[:MAX_NAME].decode("utf-8", "replace"))
        return "" if path is None else path[0]

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if {"_t", "_g"} & found.captures.keys() else "."

    def kind(self, found: Found) -> SymbolKind:
        """Tests are functions wherever they stand."""
        return "function" if "_t" in found.captures else super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`struct`, `actor`, `protocol` …; `initializer`, `subscript`; a name that is a sentence is a test."""
        if "_g" in found.captures:
            return "group"
        if "_t" in found.captures or (found.role == "func" and " " in found.name):
            return "test"
        if found.role == "scope":
            return "extension"
        node_type = "" if found.node is None else found.node.type
        if kind != "type":
            return _NATIVES.get(node_type, kind)
        words = _TYPE_WORD.findall(found.text, max(found.lead, found.name_start - _WINDOW), found.name_start)
        word: bytes = words[-1] if words else b"class"
        return _TYPE_NATIVES.get(word, word.decode())

    def is_wanted(self, found: Found) -> bool:
        """A `let` of the file, a `static let` of a type: an instance's own are none."""
        if found.role != "const":
            return True
        parent = found.parent
        if parent is not None and parent.role == "const":
            return False
        words = self._modifiers(found)
        return b"let" in words and (parent is None or parent.role == "module" or b"static" in words)

    def is_public(self, found: Found) -> bool:
        """Public or open itself, or by its protocol or its extension, if it says nothing else."""
        if "_t" in found.captures:
            return False
        words = self._modifiers(found)
        if words & _CLOSED:
            return False
        if words & _OPEN:
            return True
        parent = found.parent
        if parent is None:
            return False
        return parent.public and (parent.native == "protocol" or parent.role == "scope")

    def is_async(self, found: Found) -> bool:
        """`async` behind the parameters."""
        return _ASYNC.search(found.header[:2000]) is not None

    def is_test_file(self, path: str) -> bool:
        """Folders of targets of tests, and names of such files."""
        return _TEST_FILE.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """`@Test` and `@Suite` anywhere; in files of tests the classes and methods of XCTest, and titled blocks."""
        if any(name.rpartition(".")[2] in ("Test", "Suite") for name in definition.decorators):
            return True
        if not in_test_file or definition.kind == "constant":
            return False
        if definition.kind == "type":
            return definition.native == "class" and _TEST_TYPE.match(definition.name) is not None
        return definition.native == "test" or (
            definition.kind == "method" and definition.name.startswith("test")
        )

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """The comment, else the title that `@Test` or `@Suite` gives."""
        if comment is not None or b"@" not in found.header[:1]:
            return comment
        title = _TITLE.search(found.header[:2000])
        return None if title is None else title[1].decode("utf-8", "replace")

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """Superclass and protocols."""
        for index in range(min(node.named_child_count, _MAX_CHILDREN)):
            child = node.named_child(index)
            if child.type == "inheritance_specifier":
                base = child.child_by_field_name("inherits_from") or child
                yield found.text[base.start_byte : base.end_byte].decode("utf-8", "replace")

    def value(self, node: Node) -> Node | None:
        """The value, of several the first that is not plain; accessors if there is none."""
        values = node.children_by_field_name("value")
        if not values:
            return node.child_by_field_name("computed_value")
        return next((value for value in values if value.type not in self.plain_values), values[0])

    def callee(self, window: bytes) -> str:
        """The name before type arguments and before `!`."""
        window = window.rstrip(b"!?")
        arguments = _TYPE_ARGUMENTS.search(window) if window.endswith(b">") else None
        return super().callee(window if arguments is None else window[: arguments.start()])

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """A module, or one declaration of it: `import struct Module.Name`."""
        matched = _IMPORT.search(text)
        if matched is None:
            return
        path = matched["path"].replace("`", "").strip(".")
        module, _, name = path.rpartition(".")
        yield (module, (name,)) if matched["kind"] and module else (path, ())

    def module_name(self, path: str, package: str | None) -> str:
        """The target, by which other modules import it."""
        target = _TARGET.search(path)
        return dotted_path(path) if target is None else target[1]

    def _modifiers(self, found: Found) -> frozenset[bytes]:
        """The words before the name, or before the keyword of what has none; text in quotes left out."""
        if not found.written and found.node is not None:
            header = found.header[:_WINDOW]
            keyword = _KEYWORD.search(header)
            before = header if keyword is None else header[: keyword.start()]
        else:
            before = found.text[max(found.lead, found.name_start - _WINDOW) : found.name_start]
        return frozenset(_TEXTS.sub(b" ", before).split())


_NATIVES: Final = {
    "init_declaration": "initializer",
    "deinit_declaration": "deinitializer",
    "subscript_declaration": "subscript",
    "macro_declaration": "macro",
}
_TYPE_NATIVES: Final[dict[bytes, str]] = {b"typealias": "type alias", b"associatedtype": "associated type"}


TRAITS = SwiftTraits
