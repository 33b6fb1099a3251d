"""Java: packages, modifiers, annotations, Javadoc, anonymous classes, constants of interfaces and enums."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import LinePattern, Traits, plain_name, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_CONSTANT: Final = re.compile(r"[A-Z_][A-Z0-9_]*\Z")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*[^*]{0,1000}\*/")
_IMPORT: Final = re.compile(r"import\s+(static\s+|module\s+)?([\w.\s]+?)(\.\s*\*)?\s*;")
_REQUIRES: Final = re.compile(r"requires\s+(?:transitive\s+|static\s+){0,2}([\w.\s]+?)\s*;")
_HERITAGE: Final = re.compile(r"(?:extends|implements)\s+")
_TEST_FILE: Final = re.compile(
    r"(?:^|/)(?:tests?|androidTest|testFixtures|integration-?[tT]ests?)/"
    r"|(?:^|/)(?:Test[A-Z][^/]*|[^/]*(?:Tests?|TestCase|IT))\.java\Z"
)
_TEST_CLASS: Final = re.compile(r"Test[A-Z].*\Z|.*(?:Tests?|TestCase|IT)\Z")
_TEST_NAME: Final = re.compile(r"test(?![a-z])")
_TESTS: Final = frozenset(
    {"Test", "ParameterizedTest", "RepeatedTest", "TestFactory", "TestTemplate", "Theory", "Property"}
)
_MAIN: Final = re.compile(r"\bstatic\b[^=({]*\bvoid\s+main\s*\(")
_PARTS: Final = frozenset({"superclass", "super_interfaces", "extends_interfaces"})
_OPEN: Final = frozenset({"interface", "annotation"})
_SOURCES: Final = frozenset({"java", "src", "generated"})
_MAX_PARTS: Final = 20
"""Modifiers, annotations and other parts of a head that are looked at."""


class JavaTraits(Traits):
    """Java source files. All functions are methods; constructors are named `<init>`, as in class files."""

    plain_values = frozenset(
        (
            *("decimal_integer_literal", "hex_integer_literal", "octal_integer_literal", "true", "false"),
            *("binary_integer_literal", "decimal_floating_point_literal", "hex_floating_point_literal"),
            *("null_literal", "unary_expression"),
        )
    )
    natives: ClassVar[Mapping[str, str]] = {
        "annotation_type_declaration": "annotation",
        "constructor_declaration": "constructor",
        "compact_constructor_declaration": "constructor",
        "enum_constant": "enum constant",
    }
    directives = re.compile(Traits.directives.pattern + r"|\{@inheritDoc\}|[Ll]icensed under", re.IGNORECASE)
    comment_marks = re.compile(r"^[\s/*!-]+|[\s*/-]+$")
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:(?:public|protected|private|static|final|abstract|sealed|non-sealed|strictfp)[ \t]+){0,6}"
                rb"(?P<kind>class|interface|enum|record)[ \t]+(?P<n>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)",
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:(?:public|protected|private|static|final|abstract|synchronized|default|native)[ \t]+){1,6}"
                rb"(?:<[^<>()\n]{1,80}>[ \t]+)?(?:[\w.$]+(?:<[^()\n=;]{0,80}>)?(?:\[\])*[ \t]+)?"
                rb"(?P<n>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)[ \t]*\(",
                re.MULTILINE,
            ),
            "func",
            "method",
        ),
    )

    def name(self, found: Found) -> str:
        """`<init>` for constructors."""
        if found.node is not None and found.node.type.endswith("constructor_declaration"):
            return "<init>"
        return plain_name(found.written)

    def kind(self, found: Found) -> SymbolKind:
        """A method, unless it stands in a file without a class."""
        if found.role == "func":
            return "function" if found.parent is None else "method"
        return super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`constructor` and `enum constant` too."""
        word = None if found.node is None else self.natives.get(found.node.type)
        return word or super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Constants are `static final` and in capitals, or of an enum or an interface.

        A variable qualifies the members of an anonymous class that is its value.
        """
        node, parent = found.node, found.parent
        if node is None or found.role not in ("const", "scope"):
            return True
        if found.role == "scope":
            is_class = found.text[found.end - 1 : found.end] == b"}"
            return is_class and not (
                parent is not None and parent.role == "const" and parent.name == found.name
            )
        if node.type != "field_declaration":
            return True
        return _CONSTANT.match(found.name) is not None and {"static", "final"} <= _modifiers(node)

    def is_public(self, found: Found) -> bool:
        """`public`, or a member of an interface or a constant of an enum; never of an anonymous class."""
        parent = found.parent
        if found.node is None:
            return b"public" in found.words
        words = _modifiers(found.node)
        if parent is not None and parent.native in _OPEN:
            return "private" not in words
        if parent is not None and parent.role in ("scope", "const"):
            return False
        return "public" in words or found.node.type in ("enum_constant", "package_declaration")

    def is_test_file(self, path: str) -> bool:
        """What build tools compile for tests, and classes named as test runners want them; not under `src/main`."""
        return _TEST_FILE.search(path) is not None and "src/main/" not in path

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What carries `@Test` or its kin wherever it stands; in test files also `test…` and classes of tests."""
        if definition.kind == "method":
            marked = any(name.rpartition(".")[2] in _TESTS for name in definition.decorators)
            return marked or (in_test_file and _TEST_NAME.match(definition.name) is not None)
        return (
            in_test_file and definition.native == "class" and _TEST_CLASS.match(definition.name) is not None
        )

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """What stands after `extends` and `implements`."""
        for index in range(min(node.named_child_count, _MAX_PARTS)):
            part = node.named_child(index)
            if part.type in _PARTS:
                text = found.text[part.start_byte : part.end_byte][:2000].decode("utf-8", "replace")
                yield from separated(_HERITAGE.sub("", text, count=1))

    def value(self, node: Node) -> Node | None:
        """The value of the one variable; of several the first variable, of an enum's constant its arguments."""
        if node.type == "enum_constant":
            return node.child_by_field_name("arguments") or node.child_by_field_name("body")
        variables = node.children_by_field_name("declarator")
        if len(variables) != 1:
            return variables[0] if variables else None
        return variables[0].child_by_field_name("value")

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The full name of the class; `*` and static members are names taken from what is before them."""
        text = " ".join(_COMMENT.sub(" ", text).split())
        matched = _IMPORT.match(text)
        if matched is None:
            required = _REQUIRES.match(text)
            if required is not None:
                yield "".join(required[1].split()), ()
            return
        name = "".join(matched[2].split())
        if matched[3]:
            yield name, ("*",)
        elif (matched[1] or "").startswith("static"):
            yield name.rpartition(".")[0], (name.rpartition(".")[2],)
        else:
            yield name, ()

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """The file of the class below the folder where this file's packages start; for tests also in `src/main`."""
        first, *rest = module.split(".")
        folders = path.split("/")[:-1]
        if not rest or first not in folders:
            return
        start = next(
            (at for at, name in enumerate(folders) if name == first and at and folders[at - 1] in _SOURCES),
            folders.index(first),
        )
        root = "".join(f"{folder}/" for folder in folders[:start])
        for place in dict.fromkeys((root, root.replace("src/test/", "src/main/"))):
            for count in range(len(rest), 0, -1):
                if count == len(rest) or rest[count][:1].isupper():
                    yield f"{place}{first}/{'/'.join(rest[:count])}.java"

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A class with `static void main`, or `main` without a class."""
        return any(
            item.name == "main"
            and item.kind in ("method", "function")
            and (item.parent is None or _MAIN.search(item.header) is not None)
            for item in syntax.definitions
        )

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """What stands above a package documents it only in a file that holds nothing else."""
        return {"docstring": None} if syntax.definitions else {}


def _modifiers(node: Node) -> frozenset[str]:
    """The words before a declaration; each is a node that is named like itself."""
    first = node.child(0) if node.child_count else None
    if first is None or first.type != "modifiers":
        return frozenset()
    return frozenset(part.type for part in first.children[:_MAX_PARTS])


TRAITS = JavaTraits
