"""Ruby: modules that are types, visibility by sections and by name, attributes, tests with and without names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, dotted_path, joined_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_IMPORT: Final = re.compile(
    r"(require|require_relative|load|autoload)\b[\s(]*(?::(\w+)\s*,\s*)?"
    r"(?:(File\s*\.\s*expand_path[\s(]*)|(File\s*\.\s*join[\s(]*__dir__\s*,\s*))?([\"'])([^\"'#\n]{1,300})\5"
    r"(?(3)\s*,\s*(?:(__FILE__)|__dir__|File\s*\.\s*dirname[\s(]*__FILE__)|)[\s)]*\Z"
)
_ENTRY_POINT: Final = re.compile(rb"\b__FILE__[ \t]*==[ \t]*\$(?:0|PROGRAM_NAME)\b")
_SHEBANG: Final = re.compile(rb"#![^\r\n]*")
_TEST_CLASS: Final = re.compile(r"Test[A-Z].*\Z|.*(?:Tests?|TestCase|Spec)\Z")
_MIXIN: Final = re.compile(r"(?:include|prepend)[\s(]+")
_LEGAL: Final = re.compile(r"copyright|licen[sc]e|\(c\)", re.IGNORECASE)
_FOLDERS: Final = frozenset({"app", "bin", "exe", "features", "lib", "spec", "test"})
_PRIVATE: Final = frozenset({"private", "protected"})
_PRIVATE_WORDS: Final = frozenset({b"private", b"protected", b"private_class_method"})
_NAMED_BY_ITSELF: Final = frozenset({"simple_symbol", "string", "constant"})
_TITLES: Final = frozenset({"_t", "_g"})
_MAX_PARTS: Final = 20


class RubyTraits(Traits):
    """Ruby files. Methods of a class (`def self.x`) and of its objects are named alike."""

    plain_values = frozenset({"integer", "float", "true", "false", "nil", "unary"})
    natives: ClassVar[Mapping[str, str]] = {
        "alias": "alias",
        "assignment": "class",
        "singleton_class": "singleton class",
    }
    ignored_calls = frozenset(
        (
            *("alias_method", "attr_accessor", "attr_reader", "attr_writer", "autoload", "cattr_accessor"),
            *("class_attribute", "context", "define_method", "define_singleton_method", "describe", "extend"),
            *("include", "it", "mattr_accessor", "module_function", "new", "prepend", "private", "protected"),
            *("private_class_method", "private_constant", "public", "require", "require_relative", "should"),
            *("specify", "super", "test"),
        )
    )
    directives = re.compile(
        Traits.directives.pattern
        + r"|frozen[_-]string[_-]literal|(?:en)?coding:|-\*-|rubocop|standard:|typed:|warn_indent|:[a-z-]+:|=+$",
        re.IGNORECASE,
    )
    comment_marks = re.compile(r"^(?:=begin|=end)|^[\s#*=-]+|\s+$")
    line_patterns = (
        LinePattern(
            re.compile(rb"^[ \t]*(?P<kind>class|module)[ \t]+(?P<n>[A-Z][\w:\x80-\xff]*)", re.MULTILINE),
            "type",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:(?:private|protected|public|module_function)[ \t]+)?def[ \t]+(?:self\.)?"
                rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*[?!=]?)",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """Of calls their block, of `X = Struct.new do` that of the value; comments before the first line count too."""
        if node.type == "assignment":
            value = node.child_by_field_name("right")
            return None if value is None else value.child_by_field_name("block")
        if node.type == "call":
            return node.child_by_field_name("block")
        parts = node.named_children[:_MAX_PARTS]
        return next((part for part in parts if part.type == "comment"), node.child_by_field_name("body"))

    def name_node(self, node: Node) -> Node | None:
        """Attributes and some constants are their own name."""
        return node if node.type in _NAMED_BY_ITSELF else node.child_by_field_name("name")

    def name(self, found: Found) -> str:
        """A title for tests and groups; attributes without their colon or quotes."""
        parent, node = found.parent, found.node
        if parent is not None and parent.native == "singleton class" and parent.name == "self":
            # What stands in `class << self` is named as with `def self.x`.
            parent.name, parent.qualified = "", "" if parent.parent is None else parent.parent.qualified
        if node is not None and node.type == "singleton_class":
            return "self"
        written = found.written
        if _TITLES & found.captures.keys():
            title = written[1:-1] if written[:1] in (b'"', b"'") else written.lstrip(b":")
            return " ".join(title[:MAX_NAME].decode("utf-8", "ignore").split())
        name = plain_name(written.strip(b":\"'"))
        return f"{name}=" if found.captured("_attribute") == "attr_writer" else name

    def qualifier(self, found: Found) -> str:
        """What a method is defined on, unless that is the class that it stands in."""
        receiver = plain_name(found.captured("recv")[:MAX_NAME].encode())
        parent = found.parent
        return "" if receiver == "self" or (parent is not None and parent.name == receiver) else receiver

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if _TITLES & found.captures.keys() else "."

    def kind(self, found: Found) -> SymbolKind:
        """What stands in a class or module is a method; tests with titles and what stands beside them are functions."""
        if found.role != "func":
            return super().kind(found)
        if "_t" in found.captures:
            return "function"
        parent = found.parent
        if parent is not None and parent.native == "group":
            return "function"
        return "method" if parent is not None or "recv" in found.captures else "function"

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`test` and `group` for what a test runner calls, `attribute` and `alias` for methods without a body."""
        if "_t" in found.captures:
            return "test"
        if "_g" in found.captures:
            return "group"
        if "_attribute" in found.captures:
            return "attribute"
        if "_alias" in found.captures:
            return "alias"
        if found.node is None or kind == "constant":
            return kind
        return self.natives.get(found.node.type) or super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Every constant, whatever its case."""
        return True

    def for_grammar(self, text: bytes) -> bytes:
        """The first line is no comment if it names an interpreter."""
        shebang = _SHEBANG.match(text)
        return text if shebang is None else b" " * shebang.end() + text[shebang.end() :]

    def is_public(self, found: Found) -> bool:
        """By the word before it or the last section, which is not for methods of the class; not beside tests."""
        in_group = found.parent is not None and found.parent.native == "group"
        if in_group or "_t" in found.captures or found.words & _PRIVATE_WORDS:
            return False
        if found.role != "func" or "recv" in found.captures:
            return True
        return found.section not in _PRIVATE

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """A name that the file keeps to itself."""
        yield text.strip(":\"'")

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """Not what `private :x` and its kin name."""
        return definition.public and definition.name not in (exports or ())

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """Titled tests, `test_…` methods, and classes of tests; all in test files."""
        if not in_test_file or definition.kind == "constant":
            return False
        if definition.kind == "type":
            return definition.native == "class" and _TEST_CLASS.match(definition.name) is not None
        return definition.native == "test" or definition.name.startswith("test_")

    def takes_call(self, owner: Definition, start: int) -> bool:
        """Not the words that make a definition, such as the name behind `def self.`."""
        return owner.kind == "constant" or start >= owner.header_end

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The class that it extends, and the modules that it includes first of all."""
        above = node.child_by_field_name("superclass")
        if above is not None:
            yield (
                found.text[above.start_byte : above.end_byte][:300].decode("utf-8", "replace").lstrip("< \t")
            )
        body = None if node.type == "assignment" else node.child_by_field_name("body")
        for part in () if body is None else body.named_children[:_MAX_PARTS]:
            if part.type == "call":
                text = found.text[part.start_byte : min(part.end_byte, part.start_byte + 300)]
                mixin = _MIXIN.match(written := text.decode("utf-8", "replace"))
                if mixin is not None:
                    names = written[mixin.end() :].rstrip(") \t\r\n").split(",")
                    yield from (name for name in map(str.strip, names) if name[:1].isupper())

    def value(self, node: Node) -> Node | None:
        """The right side of an assignment."""
        return node.child_by_field_name("right")

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The path that is required; relative to the file with a dot before it."""
        matched = _IMPORT.match(text)
        if matched is None:
            return
        word, constant, expanded, joined, _, written, itself = matched.groups()
        if word == "require_relative" or expanded or joined:
            if itself:
                written = written.removeprefix("../") if written.startswith("../") else f"../{written}"
            written = written if written.startswith(".") else f"./{written.lstrip('/')}"
        yield written, (constant,) if constant else ()

    def resolve(self, module: str, path: str) -> str:
        """Relative files from the root of the repository, without the ending."""
        return joined_path(module, path).removesuffix(".rb") if module.startswith(".") else module

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """The file, relative or below `lib` and the folders of tests beside it."""
        name = module.removesuffix(".rb")
        if module.startswith("."):
            place = joined_path(name, path)
            yield from (f"{place}.rb", joined_path(module, path))
            return
        folders = path.split("/")[:-1]
        start = next((at for at in range(len(folders) - 1, -1, -1) if folders[at] in _FOLDERS), 0)
        root = "".join(f"{folder}/" for folder in folders[:start])
        for place in dict.fromkeys((root, "")):
            yield from (f"{place}{folder}/{name}.rb" for folder in ("lib", "spec", "test"))

    def module_name(self, path: str, package: str | None) -> str:
        """The dotted path that stands behind the last folder `lib`."""
        _, inside, rest = f"/{path}".rpartition("/lib/")
        return dotted_path(rest if inside else path)

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A script that names its interpreter, or asks whether it is started."""
        return syntax.text.startswith(b"#!") or _ENTRY_POINT.search(syntax.text) is not None

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """What a comment at the top says, unless it is of the definition right below, or legal."""
        text, end = syntax.text, 0
        first = syntax.definitions[0].start if syntax.definitions else len(text)
        block: list[str] = []
        for comment in syntax.comments[:200]:
            gap = text[end : comment.start] if comment.start - end < MAX_NAME else b"x"
            if any(not self.directives.match(line) for line in block) and (
                gap.count(b"\n") > 1 or gap.strip()
            ):
                break
            if comment.start > first or (gap.strip() and not gap.startswith(b"#!")):
                return {}
            lines = text[comment.start : comment.end][:2000].decode("utf-8", "replace").splitlines()
            block += [line for line in (self.comment_marks.sub("", line) for line in lines) if line]
            end = comment.end
        below = text[end:first]
        said = [line for line in block if not self.directives.match(line)]
        if not said or (first < len(text) and not below.strip() and below.count(b"\n") <= 1):
            return {}
        return {} if any(map(_LEGAL.search, block)) else {"docstring": said[0][:200]}


TRAITS = RubyTraits
