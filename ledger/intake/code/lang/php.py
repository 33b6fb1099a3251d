"""PHP: namespaces, traits, attributes, three kinds of imports, constants in two ways, tests with and without names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, joined_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_COMMENT: Final = re.compile(r"(?<![:'\"])//[^\n]*|#[^\n]*|/\*[^*]{0,1000}\*/")
_USE: Final = re.compile(r"use\s+(?:(function|const)\s+)?", re.IGNORECASE)
_KIND: Final = re.compile(r"(?:function|const)\s+", re.IGNORECASE)
_ALIAS: Final = re.compile(r"\s+as\s", re.IGNORECASE)
_FILE: Final = re.compile(
    r"(?:require|include)(?:_once)?[\s(]+(?:((?:\\?dirname\s*\(\s*)*)(?:__DIR__|(__FILE__))[\s)]*\.\s*)?"
    r"([\"'])([^\"'$\n]{1,300})\3[\s);]*\Z",
    re.IGNORECASE,
)
_HERITAGE: Final = re.compile(r"(?:extends|implements|use)\s+", re.IGNORECASE)
_MODIFIERS: Final = re.compile(rb"\b(?:private|protected)\b", re.IGNORECASE)
_STATEMENT_END: Final = re.compile(rb"[;{}]")
_TEST_NAME: Final = re.compile(r"test(?![a-z])")
_TEST_CLASS: Final = re.compile(r".*(?:Tests?|TestCase|Spec|Cest)\Z")
_TEST_ATTRIBUTES: Final = frozenset({"Test", "TestDox", "DataProvider"})
_OF_SYMBOL: Final = re.compile(
    rb"\s*(?:#\[|(?:(?:abstract|final|readonly)\s+){0,3}(?:class|interface|trait|enum|function|const)\b)"
)
_LEGAL: Final = re.compile(rb"licen[sc]e|copyright|\(c\)|@package_version", re.IGNORECASE)
_SOURCES: Final = frozenset({"app", "lib", "src"})
_MAX_PARTS: Final = 20
_MAX_GAP: Final = 2000


class PhpTraits(Traits):
    """PHP files, with and without HTML around."""

    plain_values = frozenset({"integer", "float", "boolean", "null", "unary_op_expression"})
    natives: ClassVar[Mapping[str, str]] = {"enum_case": "enum case", "anonymous_class": "class"}
    ignored_calls = frozenset(
        {
            "define",
            "describe",
            "die",
            "empty",
            "exit",
            "isset",
            "it",
            "parent",
            "self",
            "static",
            "test",
            "unset",
        }
    )
    directives = re.compile(Traits.directives.pattern + r"|\{@inheritDoc\}", re.IGNORECASE)
    comment_marks = re.compile(r"^[\s/*!#-]+|[\s*/-]+$")
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:(?:abstract|final|readonly)[ \t]+){0,3}(?P<kind>class|interface|trait|enum)[ \t]+"
                rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)",
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:(?:public|protected|private|static|final|abstract)[ \t]+){0,4}function[ \t]+&?[ \t]*"
                rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)[ \t]*\(",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """Of a test with a title its arguments."""
        if node.type == "function_call_expression":
            return node.child_by_field_name("arguments")
        return node.child_by_field_name("body")

    def name(self, found: Found) -> str:
        """A title for tests; a namespace with dots; what has no name as PHP calls it."""
        if {"_t", "_g"} & found.captures.keys():
            return " ".join(found.written[1:-1][:MAX_NAME].decode("utf-8", "ignore").split())
        if found.node is not None and found.node.type == "anonymous_class":
            return "class@anonymous"
        written = found.written[1:-1] if "_define" in found.captures else found.written
        return plain_name(written.strip(b"\\").replace(b"\\", b"."))

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if {"_t", "_g"} & found.captures.keys() else "."

    def kind(self, found: Found) -> SymbolKind:
        """What stands in a class is a method; tests with titles are functions."""
        if found.role == "func" and found.node is not None:
            return "method" if found.node.type == "method_declaration" else "function"
        return super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`test` and `group` for what a test runner calls."""
        if "_t" in found.captures:
            return "test"
        if "_g" in found.captures:
            return "group"
        word = None if found.node is None else self.natives.get(found.node.type)
        return word or super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Every constant, whatever its case."""
        return True

    def is_public(self, found: Found) -> bool:
        """What is neither private nor protected, and of no class without a name."""
        parent = found.parent
        if "_t" in found.captures or (parent is not None and parent.name == "class@anonymous"):
            return False
        before = found.text[max(0, found.name_start - 200) : found.name_start]
        if found.role != "const":
            before = before[max(found.lead - found.name_start, -80) :]
        return _MODIFIERS.search(_STATEMENT_END.split(before)[-1]) is None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """Titled tests, `test…` methods, `#[Test]`, and classes of tests; all in test files."""
        if not in_test_file:
            return False
        if definition.kind == "type":
            return definition.native == "class" and _TEST_CLASS.match(definition.name) is not None
        if definition.kind == "constant":
            return False
        marked = any(name.rpartition("\\")[2] in _TEST_ATTRIBUTES for name in definition.decorators)
        return marked or definition.native == "test" or _TEST_NAME.match(definition.name) is not None

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """What a type extends and implements, and the traits that it uses first of all."""
        parts = node.named_children[:_MAX_PARTS]
        body = node.child_by_field_name("body")
        parts += () if body is None else body.named_children[:_MAX_PARTS]
        for part in parts:
            if part.type in ("base_clause", "class_interface_clause", "use_declaration"):
                text = found.text[part.start_byte : part.end_byte][:_MAX_GAP].decode("utf-8", "replace")
                names = _HERITAGE.sub("", text, count=1).partition("{")[0]
                yield from (name for item in names.split(",") if (name := item.strip(" \t\r\n;\\")))

    def value(self, node: Node) -> Node | None:
        """What stands behind the name."""
        if node.type == "function_call_expression":
            arguments = node.child_by_field_name("arguments")
            given = () if arguments is None else arguments.named_children[1:2]
            return next((value for part in given for value in part.named_children[-1:]), None)
        if node.type == "const_element":
            return next(iter(node.named_children[1:2]), None)
        return node.child_by_field_name("value")

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The full name of a class; functions and constants are taken from their namespace; files by path."""
        file = _FILE.match(text)
        if file is not None:
            yield from _included(file)
            return
        text = " ".join(_COMMENT.sub(" ", text).split())
        matched = _USE.match(text)
        if matched is None:
            return
        front, brace, rest = text[matched.end() :].partition("{")
        prefix = "".join(front.split()) if brace else ""
        for item in (rest if brace else front).rstrip(" \t\r\n;}").split(","):
            written = _ALIAS.split(item.strip(), maxsplit=1)[0].strip()
            name = _KIND.sub("", written, count=1)
            full = f"{prefix}{''.join(name.split())}".strip("\\")
            if name and (matched[1] or name != written):
                yield full.rpartition("\\")[0] or full, (full.rpartition("\\")[2],)
            elif name:
                yield full, ()

    def resolve(self, module: str, path: str) -> str:
        """Files from the root of the repository, names with dots."""
        if module.startswith("."):
            return joined_path(module, path)
        return module if "/" in module else module.replace("\\", ".")

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """The file as written, or that of the class by PSR-4: below its namespace's folder or a source folder."""
        if module.startswith("."):
            yield joined_path(module, path)
        elif "\\" not in module:
            if "." in module:
                yield from (joined_path(module, path), module)
        else:
            yield from _places(module.split("\\"), path.split("/")[:-1])

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A script that names its interpreter."""
        return syntax.text.startswith(b"#!")

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """What the first documenting comment says, unless it is of the symbol below it, or legal."""
        text = syntax.text
        for comment in syntax.comments[:3]:
            raw = text[comment.start : min(comment.end, comment.start + _MAX_GAP)]
            if syntax.definitions and comment.start > syntax.definitions[0].start:
                break
            if raw.startswith(b"/**") and not _LEGAL.search(raw):
                if _OF_SYMBOL.match(text, comment.end):
                    break
                for line in raw.decode("utf-8", "replace").splitlines():
                    if (said := self.comment_marks.sub("", line)) and not self.directives.match(said):
                        return {"docstring": said[:200]}
        return {"docstring": None}


def _included(file: re.Match[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """The path of an included file, relative to the file that includes it if it says so."""
    above, itself, written = file[1], file[2], file[4]
    if above is None:
        yield written, ()
    else:
        steps = above.lower().count("dirname") - (1 if itself else 0)
        yield f"{'../' * steps or './'}{written.lstrip('/')}", ()


def _places(parts: list[str], folders: list[str]) -> Iterator[str]:
    """Where a class may be: `src/Vendor/Package/Class.php`, or without the parts that a source folder stands for."""
    if parts[0] in folders:
        root = folders[: folders.index(parts[0])]
        yield "/".join([*root, *parts]) + ".php"
    if "Tests" in parts[:-1]:
        yield "/".join(["tests", *parts[parts.index("Tests") + 1 :]]) + ".php"
    starts = [at for at, folder in enumerate(folders) if folder in _SOURCES]
    roots = [folders[: at + 1] for at in starts] or [["src"]]
    for root in roots:
        for left in range(min(3, len(parts))):
            if left < 2 or len(parts) - left > 1:
                yield "/".join([*root, *parts[left:]]) + ".php"


TRAITS = PhpTraits
