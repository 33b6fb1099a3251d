"""JavaScript: exports of modules and CommonJS, functions that are values, tests that are calls."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind
from t2c.ledger.intake.code.traits import (
    MAX_NAME,
    LinePattern,
    Traits,
    dotted_path,
    joined_path,
    plain_name,
    separated,
)

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS", "EcmaTraits"]

_MODULE: Final = re.compile(
    r"(?:\bfrom|\bimport|\brequire\s*\(|\bimport\s*\()\s*([\"'`])([^\"'`\n]{1,300})\1"
)
_COMMENT: Final = re.compile(r"/\*[^*]{0,1000}\*/|(?<![:\"'`\w/])//[^\n]*")
_CLAUSE: Final = re.compile(r"\{([^{}]*)\}")
_DEFAULT: Final = re.compile(r"^import\s+(?:type\s+)?(?!type\b|from\b)([^\W\d][\w$]*)\s*(?:,|from\b)")
_ALL: Final = re.compile(r"^(?:import|export)\s+(?:type\s+)?(?:[\w$]+\s*,\s*)?\*")
_ENDING: Final = re.compile(r"\.(?:[cm]?[jt]sx?|d\.[cm]?ts)$")
_EXPORTS: Final = re.compile(r"(?:module\s*\.\s*)?exports\s*\.\s*|(?:this|self)\s*\.\s*")
_ASYNC: Final = re.compile(rb"(?:^|[\s=(:,])async\b")
_UPPER: Final = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
_FUNCTIONS: Final = frozenset({"arrow_function", "function_expression", "generator_function", "class"})
_VALUE_FIELDS: Final = ("body", "value", "right", "arguments")
_ENDINGS: Final = (".ts", ".tsx", ".js", ".jsx", ".mjs", ".cjs", ".mts", ".cts", ".d.ts")
_MAX_MEMBERS: Final = 1000
"""Members of one exported object that are looked at."""
_EXPORTED: Final = re.compile(rb"(?:module\s*\.\s*)?exports\s*\.\s*[\w$\x80-\xff]+\Z")
"""`exports.x`, which is to others what `export const x` is."""
_NAMED_ELSEWHERE: Final = frozenset({"identifier", "assignment_expression", "undefined"})
_IN_OBJECTS: Final = frozenset({"method_definition", "pair"})
_AMBIENT: Final = re.compile(r"\bdeclare\b")
_NAME: Final = rb"(?P<n>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)"


class EcmaTraits(Traits):
    """JavaScript and what grew from it."""

    plain_values = frozenset({"number", "true", "false", "null", "undefined", "unary_expression"})
    natives: ClassVar[Mapping[str, str]] = {
        "abstract_class_declaration": "class",
        "assignment_expression": "class",
        "field_definition": "class",
        "public_field_definition": "class",
        "variable_declarator": "class",
        "type_alias_declaration": "type",
    }
    ignored_calls = frozenset({"require", "describe", "it", "test", "suite", "specify", "context", "super"})
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?function\b[ \t*]*" + _NAME,
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:export[ \t]+)?(?:default[ \t]+)?(?:declare[ \t]+)?(?:abstract[ \t]+)?"
                rb"(?P<kind>class|interface|enum)[ \t]+" + _NAME,
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:export[ \t]+)?(?:const|let|var)[ \t]+"
                + _NAME
                + rb"[ \t]*=[ \t]*(?:async[ \t]*)?(?:function\b|\([^()\n]{0,200}\)[ \t]*=>|[\w$]+[ \t]*=>)",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """That of the function or class, which may be the value of a name, a key or an argument of a test."""
        for field in _VALUE_FIELDS:
            held = node.child_by_field_name(field)
            if held is None:
                continue
            if field == "body":
                return held
            if field == "arguments":
                count = held.named_child_count
                held = held.named_child(count - 1) if count else None
            if held is None or held.type == "object":
                return held
            return held.child_by_field_name("body") if held.type in _FUNCTIONS else None
        return None

    def name(self, found: Found) -> str:
        """A title for tests; `exports.x` is x, `A.prototype.x` is A.x; what is exported unnamed is `default`."""
        if "_t" in found.captures or "_g" in found.captures:
            return " ".join(found.written[1:-1][:MAX_NAME].decode("utf-8", "ignore").split())
        if not found.written:
            return "default"
        name = plain_name(found.written)
        if "." not in name:
            return name
        name = _EXPORTS.sub("", name.replace(".prototype", ""))
        if name != "module.exports":
            return name
        return "" if found.role == "scope" else self._own_name(found) or "default"

    def _own_name(self, found: Found) -> str:
        value = None if found.node is None else found.node.child_by_field_name("right")
        name = None if value is None else value.child_by_field_name("name")
        return "" if name is None else plain_name(found.text[name.start_byte : name.end_byte])

    def kind(self, found: Found) -> SymbolKind:
        """A function that is put into an object is a method of it."""
        if found.written.startswith((b"this.", b"self.")):
            return "type" if found.role == "type" else "method"
        if found.role == "func" and "." in found.name and "_t" not in found.captures:
            return "method"
        if "_t" in found.captures or (found.parent is not None and found.parent.native == "group"):
            return "type" if found.role == "type" else "constant" if found.role == "const" else "function"
        return super().kind(found)

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if {"_t", "_g"} & found.captures.keys() else "."

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`test` for what a test runner calls, `group` for what holds such."""
        if "_t" in found.captures:
            return "test"
        return "group" if "_g" in found.captures else super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Constants in capitals, or exported where they stand; other objects only qualify what they hold.

        What a function puts into an object that it makes is a part of that function.
        """
        says_export = b"export" in found.words or _EXPORTED.match(found.written) is not None
        if found.role == "scope":
            return "_g" in found.captures or not (says_export or _UPPER.match(found.name))
        if found.role != "const":
            return not _is_passing(found)
        if found.node is not None and found.node.type == "assignment_expression":
            value = self.value(found.node)
            return says_export and value is not None and value.type not in _NAMED_ELSEWHERE
        return says_export or _UPPER.match(found.name) is not None

    def is_public(self, found: Found) -> bool:
        """Exported, or a member that is not said to be private."""
        name = found.name.rpartition(".")[2]
        if "_t" in found.captures or name.startswith(("_", "#")):
            return False
        if found.parent is not None and found.parent.is_record:
            return not found.words & {b"private", b"protected"}
        if found.words & {b"export", b"declare"}:
            return True
        if found.node is not None and found.node.type in _IN_OBJECTS:
            return found.parent is None or (found.parent.role == "scope" and found.parent.public)
        if (
            found.parent is not None
            and found.parent.role == "module"
            and _AMBIENT.search(found.parent.header)
        ):
            return True
        return found.written.startswith((b"exports.", b"module.exports")) or not found.written

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """Those that the file exports by name, and what is put into them."""
        if definition.public or exports is None or definition.native == "test":
            return definition.public
        parent = definition.parent
        if parent is not None and parent.is_record:
            return False
        name = definition.name
        return definition.qualified.partition(".")[0] in exports and not name.startswith(("_", "#"))

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What a test runner calls."""
        return in_test_file and definition.native == "test"

    def is_async(self, found: Found) -> bool:
        """`async` before the function or before the arrow that is its value."""
        return _ASYNC.search(found.header[:300]) is not None

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """What stands after `extends` and `implements`."""
        for index in range(min(node.named_child_count, 8)):
            child = node.named_child(index)
            if child.type in ("class_heritage", "extends_type_clause"):
                text = found.text[child.start_byte : child.end_byte].decode("utf-8", "replace")
                for clause in re.split(r"\b(?:extends|implements)\b", text[:2000]):
                    yield from separated(clause)

    def value(self, node: Node) -> Node | None:
        """What a name or a field is set to."""
        return node.child_by_field_name("right" if node.type == "assignment_expression" else "value")

    def takes_call(self, owner: Definition, start: int) -> bool:
        """Not `it.only` and `test.each` of a test itself."""
        return owner.native != "test" or start >= owner.header_end

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """`import`, `export … from`, `require` and `import()`, each with the names taken."""
        text = _COMMENT.sub(" ", text)
        matched = _MODULE.search(text)
        if matched is None:
            return
        names = [
            _taken(item) for clause in _CLAUSE.findall(text[: matched.start()]) for item in clause.split(",")
        ]
        if _DEFAULT.match(text):
            names.append("default")
        if _ALL.match(text):
            names.append("*")
        yield matched[2], tuple(filter(None, names))

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """One name, or the names that an object holds."""
        if node.type != "object":
            yield text
            return
        raw, at = node.text or b"", node.start_byte
        for member in node.named_children[:_MAX_MEMBERS]:
            value = member.child_by_field_name("value") if member.type == "pair" else member
            if value is not None and value.type in ("identifier", "shorthand_property_identifier"):
                yield raw[value.start_byte - at : value.end_byte - at].decode("utf-8", "replace")

    def resolve(self, module: str, path: str) -> str:
        """The path from the root without the ending of a source file; packages as written."""
        return _ENDING.sub("", joined_path(module, path)) if module.startswith(".") else module

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """For relative imports: as written, with an ending, the source of what is built, a folder's index."""
        if not module.startswith("."):
            return
        place = joined_path(module, path)
        if place.startswith(".."):
            return
        folder = "" if place == "." else place + "/"
        if folder:
            yield place
            stem = _ENDING.sub("", place)
            for ending in _ENDINGS:
                yield stem + ending
        for ending in _ENDINGS:
            yield f"{folder}index{ending}"

    def module_name(self, path: str, package: str | None) -> str:
        """The dotted path, `index` left out."""
        return dotted_path(path).removesuffix(".index")


def _is_passing(found: Found) -> bool:
    """True for a function put into an object that no name holds, or inside of another function; not for `this`."""
    kind = "" if found.node is None else found.node.type
    if found.parent is None:
        return kind in _IN_OBJECTS and "_whole" not in found.captures
    if not found.parent.is_callable:
        return kind in _IN_OBJECTS and found.parent.native == "group"
    return kind in _IN_OBJECTS or (
        kind == "assignment_expression" and not found.written.startswith((b"this.", b"self."))
    )


def _taken(item: str) -> str:
    words = item.split()
    return "" if not words else words[1] if words[0] == "type" and len(words) > 1 else words[0]


TRAITS = EcmaTraits
