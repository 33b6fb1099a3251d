"""What is different from language to language, each question with the answer that most languages give.

A language subclasses `Traits` in `lang/<language>.py` and overrides what its query alone cannot say. No hook
walks the tree: it sees one node, its fields, and the bytes around it (code-facts §2, §4).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

from t2c.ledger.intake.code.languages import Language
from t2c.ledger.intake.code.outline import Definition, Found, Role, SymbolKind, Syntax

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = [
    "MAX_NAME",
    "LinePattern",
    "Traits",
    "dotted_path",
    "joined_path",
    "plain_name",
    "separated",
    "traits_of",
]

MAX_NAME: Final = 160
"""Bytes of the longest name that is read."""

_TEST_FILE: Final = re.compile(
    r"(?:^|/)(?:tests?|__tests__|specs?|e2e)/|(?:^|[/._-])(?:tests?|specs?)(?:[._-][^/]*)?\.[^/.]+$"
    r"|(?:^|/)[^/]*(?:Tests?|Spec|TestCase)\.[a-z]+$"
)
_REVERSED_NAME: Final = re.compile(rb"\s*([!?]?[\w$\x80-\xff]+)")
_NOT_A_NAME: Final = re.compile(rb"[^\w$.\x80-\xff!?#@*:+<>=\[\]/%&|^~-]")
_CONSTANT: Final = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
_KIND_SUFFIX: Final = re.compile(
    r"_(?:definition|declaration|declarator|item|statement|specifier|spec|expression)\Z"
)


class LinePattern(NamedTuple):
    """A pattern for definitions where the grammar fails. Its group `n` is the name; it matches in one line.

    `native` is the language's word; without one the group `kind` is.
    """

    pattern: re.Pattern[bytes]
    role: Role
    native: str = ""


class Traits:
    """The answers for one language.

    `body_fields` are the node's fields that hold a body. `plain_values` are node types of values that are no
    secret. `natives` maps node types to the language's words. `comment_marks` start and end comments.
    `ignored_calls` are callees that say nothing; without `calls_in_header` calls before a body say nothing. `line_patterns` find definitions in text that does not parse.
    """

    body_fields: ClassVar[tuple[str, ...]] = ("body",)
    plain_values: ClassVar[frozenset[str]] = frozenset()
    natives: ClassVar[Mapping[str, str]] = {}
    ignored_calls: ClassVar[frozenset[str]] = frozenset()
    calls_in_header: ClassVar[bool] = True
    line_patterns: ClassVar[tuple[LinePattern, ...]] = ()
    comment_marks: ClassVar[re.Pattern[str]] = re.compile(r"^[\s/*!<#;%-]+|[\s*/>-]+$")
    directives: ClassVar[re.Pattern[str]] = re.compile(
        r"@|go:|[cv]8 |eslint|biome|tslint|js[hl]int|globals? |exported |prettier|istanbul|webpack|ts-|noqa|type:"
        r"|pylint|nolint|\+build|SPDX|Copyright|clang-format|<",
        re.IGNORECASE,
    )
    """What a line of a comment that says nothing to people starts with."""

    def __init__(self, language: Language) -> None:
        self.language = language

    # names and kinds

    def body(self, node: Node) -> Node | None:
        """The node of what a definition holds; the header ends where it starts."""
        for field in self.body_fields:
            if (body := node.child_by_field_name(field)) is not None:
                return body
        return None

    def name(self, found: Found) -> str:
        """The name, dotted if it qualifies itself; empty if it is none and the definition is left out."""
        return plain_name(found.written)

    def name_node(self, node: Node) -> Node | None:
        """The node of the name where the query captured none as `n`."""
        return node.child_by_field_name("name")

    def qualifier(self, found: Found) -> str:
        """What else stands before the name, for example the type of a receiver; empty without."""
        return ""

    def joint(self, found: Found) -> str:
        """What joins the name to that of what holds it; titles of tests are no members and take another sign."""
        return "."

    def kind(self, found: Found) -> SymbolKind:
        """A function is a method inside of a type, of a scope that opens one, of an object, or if qualified."""
        if found.role == "type":
            return "type"
        if found.role == "const":
            return "constant"
        parent = found.parent
        inside = parent is not None and (parent.role == "scope" or parent.kind in ("type", "constant"))
        return "method" if inside and parent is not None and parent.role != "module" else "function"

    def native(self, found: Found, kind: SymbolKind) -> str:
        """The language's own word: class, struct, trait …; for functions and constants our word."""
        if kind != "type" or found.node is None:
            return kind
        node_type = found.node.type
        return self.natives.get(node_type) or _KIND_SUFFIX.sub("", node_type).replace("_", " ")

    def is_wanted(self, found: Found) -> bool:
        """False leaves a definition out. Constants are UPPER_CASE; those inside functions are never asked for."""
        return found.role != "const" or _CONSTANT.match(found.name) is not None

    # what is said of them

    def is_public(self, found: Found) -> bool:
        """Whether the definition itself is open to others; what holds it is asked for apart."""
        return True

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """`definition.public` in the light of the names that the file exports (None: it does not say)."""
        return definition.public

    def is_test_file(self, path: str) -> bool:
        """Whether the path is that of tests."""
        return _TEST_FILE.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """Whether the definition is a test or a group of tests."""
        return in_test_file and definition.name.lower().startswith("test")

    def is_signature(self, definition: Definition) -> bool:
        """True for a declaration that another of the same name carries out."""
        return not definition.has_body

    def is_async(self, found: Found) -> bool:
        """Whether it runs apart from its caller."""
        return b"async" in found.words

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """The first line of what documents it; `comment` is that of the comment right above."""
        return comment

    def docstring_node(self, body: Node) -> Node | None:
        """The string in a body, or at the top of a file, that documents it."""
        return None

    def decorator(self, text: str) -> str:
        """The name of a decorator, annotation or attribute without its arguments."""
        return text.strip("@#[]! \t\r\n").partition("(")[0].strip()

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The types that a type extends."""
        return ()

    def value(self, node: Node) -> Node | None:
        """The value of a constant."""
        return node.child_by_field_name("value")

    def section(self, text: str) -> str:
        """What a `section` capture opens, for example `private`."""
        return text.strip(" \t\r\n:")

    # calls and imports

    def takes_call(self, owner: Definition, start: int) -> bool:
        """False for a call that only words the definition itself, such as the `def` of Elixir; it is left out."""
        return self.calls_in_header or start >= owner.header_end

    def callee(self, window: bytes) -> str:
        """The name that a callee ends in; empty if it is not a name. `window` is the end of its source."""
        matched = _REVERSED_NAME.match(window[::-1])
        name = "" if matched is None else matched.group(1)[::-1].decode("utf-8", "replace")
        return "" if name[:1].isdigit() else name

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The modules that an import statement names, each with the names taken from it."""
        return ()

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """The names that an `exp` capture, `text` in the source, exports."""
        return ()

    def is_dependency(self, name: str) -> bool:
        """False for imports that load nothing."""
        return True

    def is_relative(self, module: str) -> bool:
        """Whether an import, as written, is of this repository by its form."""
        return module.startswith(".")

    def resolve(self, module: str, path: str) -> str:
        """The name of an imported module from the root of the repository, or as written."""
        return module

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """Files of the repository that an import, as written in the file at `path`, may mean, the likeliest first."""
        return ()

    # the file

    def module_name(self, path: str, package: str | None) -> str:
        """The dotted name that stands before the names of this file."""
        return package or dotted_path(path)

    def is_entry_point(self, syntax: Syntax) -> bool:
        """Whether the file can be started."""
        return any(item.name == "main" and item.parent is None for item in syntax.definitions)

    def recode(self, content: bytes) -> bytes:
        """The content in UTF-8, if the language has a way to declare another encoding."""
        return content

    def for_grammar(self, text: bytes) -> bytes:
        """The text as the grammar gets it: of the same length, with blanks for what it is known to fail on."""
        return text

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """Further metadata of the module."""
        return {}


@cache
def traits_of(language: Language) -> Traits:
    """The traits of a language: the one subclass of `Traits` named in its module as `TRAITS`."""
    module = import_module(f"t2c.ledger.intake.code.lang.{language.traits or language.name}")
    traits: type[Traits] = module.TRAITS
    return traits(language)


def plain_name(written: bytes) -> str:
    """A name as it stands, with `::` and `#` as dots; empty if it is too long or holds what no name holds."""
    raw = written.strip()
    if len(raw) > MAX_NAME or _NOT_A_NAME.search(raw):
        return ""
    return raw.decode("utf-8", "replace").replace("::", ".").strip(".")


def dotted_path(path: str) -> str:
    """The path as a dotted name: what follows the last folder `src`, without the ending."""
    *folders, name = path.split("/")
    if "src" in folders:
        folders = folders[len(folders) - folders[::-1].index("src") :]
    stem = name.rpartition(".")[0] or name
    return ".".join([*folders, stem])


def joined_path(written: str, path: str) -> str:
    """The path that `./x` or `../x`, written in the file at `path`, means; as written above the root."""
    folders = path.split("/")[:-1]
    for step in written.split("/"):
        if step == "..":
            if not folders:
                return written
            folders.pop()
        elif step not in ("", "."):
            folders.append(step)
    return "/".join(folders) or "."


def separated(text: str) -> list[str]:
    """The parts of a list between commas, those inside of brackets not counted; `=>` and `->` close nothing."""
    parts, depth, start = [], 0, 0
    for at, sign in enumerate(text):
        if sign in "([{<":
            depth += 1
        elif sign in ")]}" or (sign == ">" and text[at - 1 : at] not in ("=", "-")):
            depth -= 1
        elif sign == "," and depth <= 0:
            parts.append(text[start:at])
            start = at + 1
    parts.append(text[start:])
    return [part for part in map(str.strip, parts) if part]
