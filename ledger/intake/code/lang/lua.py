"""Lua: functions are values of names and fields, a file's module is the table that it returns."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.lang.lua_tables import DOTTED, tables_of
from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, dotted_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_KEY: Final = re.compile(rb"\[[ \t]*([\"'])([A-Za-z_]\w*)\1[ \t]*\]")
_CONSTANT: Final = re.compile(r"_*[A-Z][A-Z0-9_]*\Z")
_IMPORT: Final = re.compile(r"(?:[\"']|\[=*\[)([^\"'\]\n]{1,200})")
_ARGUMENT: Final = re.compile(r"\w+\s*\(\s*([A-Za-z_]\w*)\s*,")
_TITLE: Final = re.compile(r"^(?:[\"']|\[=*\[)|(?:[\"']|\]=*\])$")
_MODULE_TAG: Final = re.compile(rb"@(?:class)?mod(?:ule)?\b|@script\b")
_NAME: Final = rb"(?P<n>[A-Za-z_\x80-\xff][\w.:\x80-\xff]{0,160})"
_BUILTIN: Final = frozenset(
    (
        *(b"assert", b"collectgarbage", b"dofile", b"error", b"getfenv", b"getmetatable", b"ipairs", b"load"),
        *(
            b"loadfile",
            b"loadstring",
            b"next",
            b"pairs",
            b"pcall",
            b"print",
            b"rawequal",
            b"rawget",
            b"rawlen",
        ),
        *(b"rawset", b"require", b"select", b"setfenv", b"setmetatable", b"tonumber", b"tostring", b"type"),
        *(b"unpack", b"xpcall", b"describe", b"context", b"insulate", b"expose", b"it", b"test", b"spec"),
        b"pending",
    )
)
_MAX_HEAD: Final = 20
"""Words and comments before the parameters of a function that are looked over."""
_PUT: Final = "="
_MAX_EXPORTS: Final = 1000
"""Entries of a returned table that are looked at."""


class LuaTraits(Traits):
    """Lua source files and rockspecs. A class is a table that is made one: by `__index`, `class()`, `@class`."""

    plain_values = frozenset({"number", "true", "false", "nil", "unary_expression"})
    directives: ClassVar[re.Pattern[str]] = re.compile(
        r"@|luacheck|selene|stylua|vim:|luacov|SPDX|Copyright|<|-\*-", re.IGNORECASE
    )
    comment_marks: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s*(?:--+)?(?:\[=*\[)?[\s*=-]*|[\s=-]*(?:\]=*\])?[\s*=-]*$"
    )
    line_patterns = (
        LinePattern(
            re.compile(rb"^[ \t]*(?:local[ \t]+)?function[ \t]+" + _NAME + rb"[ \t]*\(", re.MULTILINE),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(rb"^[ \t]*(?:local[ \t]+)?" + _NAME + rb"[ \t]*=[ \t]*function[ \t]*\(", re.MULTILINE),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """What follows the parameters of a function, what stands in a table, the arguments of what makes a class."""
        if node.type == "function_declaration":
            return _behind_parameters(node)
        held = _value(node)
        if node.type == "function_call":
            arguments = node.child_by_field_name("arguments")
            held = None if arguments is None else _child(arguments, 1)
        if held is None:
            return None
        if held.type == "table_constructor":
            return held if held.named_child_count else None
        if held.type == "function_definition":
            return _behind_parameters(held)
        return held.child_by_field_name("arguments") if held.type == "function_call" else None

    def name(self, found: Found) -> str:
        """A title for tests; of a member of the table that is the module what follows its name; `a:b` is `a.b`."""
        if _is_titled(found):
            title = _TITLE.sub("", found.written[:MAX_NAME].decode("utf-8", "ignore").strip())
            return " ".join(title.split())
        name = _plain(found)
        if found.parent is None:
            name = name.removeprefix(tables_of(found.text).module + ".")
        elif found.parent.is_callable:
            name = name.removeprefix("self.")
        return name if DOTTED.match(name) else ""

    def kind(self, found: Found) -> SymbolKind:
        """A function in a table is a method; in the table that is the module, if it is called by `:`."""
        if found.role != "func":
            return super().kind(found)
        if _is_titled(found):
            return "function"
        if "." in found.name or b":" in found.written or found.written.startswith(b"self."):
            return "method"
        in_group = found.parent is not None and found.parent.native == "group"
        return "function" if in_group else super().kind(found)

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if _is_titled(found) else "."

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`test` for what busted calls, `group` for what holds such; a class is one by convention."""
        if _is_titled(found):
            return "group" if "_g" in found.captures else "test"
        if kind == "constant":
            return kind if _CONSTANT.match(found.name.rpartition(".")[2]) else "field"
        return "class" if kind == "type" else kind

    def is_wanted(self, found: Found) -> bool:
        """Classes; constants in capitals and fields of the module; functions, but not those in passing tables."""
        if found.node is None or _is_titled(found):
            return True
        parent, written = found.parent, _plain(found)
        if found.role == "type":
            return written in tables_of(found.text).classes
        if found.role == "const":
            return self._is_constant(found)
        if found.node.type == "field":
            if parent is not None:
                return not parent.is_callable and parent.native != "group"
            own = found.captured("_own")
            return "_returned" in found.captures or (own != "" and own == tables_of(found.text).module)
        if found.role == "scope":
            tables = tables_of(found.text)
            return written not in (tables.module, *tables.classes) and not self._is_constant(found)
        passing = parent is not None and parent.is_callable and found.node.type == "assignment_statement"
        return not passing or "." not in written or written.startswith("self.")

    def _is_constant(self, found: Found) -> bool:
        """In capitals, or a field of the table that is the module; functions are told apart."""
        value = None if found.node is None else self.value(found.node)
        if found.parent is not None or (value is not None and value.type == "function_definition"):
            return False
        module = tables_of(found.text).module
        if _CONSTANT.match(found.name.rpartition(".")[2]):
            return found.name != module
        is_field = module != "" and found.written.startswith(f"{module}.".encode())
        return is_field and not found.name.startswith("_") and "." not in found.name

    def is_public(self, found: Found) -> bool:
        """Global, or in a table that is: `local` closes, what the file returns opens; so does no underscore."""
        name = found.name.rpartition(".")[2]
        if _is_titled(found) or (name.startswith("_") and not name.startswith("__")):
            return False
        if found.parent is not None:
            return found.parent.is_record or found.parent.public
        if found.node is not None and found.node.type == "field":
            return True
        tables = tables_of(found.text)
        table, _, member = _plain(found).partition(".")
        if member and table == tables.returned:
            return True
        return b"local" not in found.words and table not in tables.local_names

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """Those that the file returns, or puts into what it returns."""
        if definition.public or exports is None or definition.native == "test":
            return definition.public
        parent = definition.parent
        if parent is not None and (parent.is_record or parent.native == "group"):
            return False
        name = definition.qualified.partition(".")[0]
        is_put = any(f"{table}.{_PUT}{name}" in exports for table in exports if "." not in table)
        return (name in exports or is_put) and not definition.name.startswith("_")

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What busted calls; `test…` and `Test…` of luaunit."""
        if definition.native == "test":
            return in_test_file
        return definition.kind != "constant" and super().is_test(definition, in_test_file)

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """What a class is made from."""
        return tables_of(found.text).classes.get(_plain(found), ())

    def value(self, node: Node) -> Node | None:
        """The one value, or the list of several."""
        return _value(node)

    def takes_call(self, owner: Definition, start: int) -> bool:
        """Not `it` of a test itself, but what makes a class."""
        return owner.native != "test" or start >= owner.header_end

    def callee(self, window: bytes) -> str:
        """Without the functions of the language itself, which say nothing; a method may have such a name."""
        return "" if window in _BUILTIN else super().callee(window)

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The one module or file that is named."""
        if (named := _IMPORT.search(text)) is not None:
            yield named[1], ()

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """A name; the names that a table holds; the table that gets a metatable; what is put into a table."""
        if node.type == "identifier":
            yield text
        elif node.type == "assignment_statement":
            table, _, named = text.rpartition("=")
            yield f"{table.partition('.')[0].strip()}.{_PUT}{named.strip()}"
        elif node.type == "function_call" and (argument := _ARGUMENT.match(text)) is not None:
            yield argument[1]
        elif node.type == "table_constructor":
            for entry in node.named_children[:_MAX_EXPORTS]:
                value = entry.child_by_field_name("value") if entry.type == "field" else None
                if value is not None and value.type == "identifier":
                    start = value.start_byte - node.start_byte
                    yield text.encode()[start : start + value.end_byte - value.start_byte].decode()

    def resolve(self, module: str, path: str) -> str:
        """Dotted; `require` takes slashes as well, `dofile` takes a path."""
        return module.removesuffix(".lua").removeprefix("./").replace("/", ".")

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """Where `require` looks from the root, from the folder `src` or `lua`, or from that of the own package."""
        place = self.resolve(module, path).replace(".", "/")
        own = self.module_name(path, None).replace(".", "/")
        root = path.removesuffix(".lua").removesuffix("/init").removesuffix(own)
        roots = (
            (root, "", "src/", "lua/")
            if place.partition("/")[0] == own.partition("/")[0]
            else ("", "src/", "lua/")
        )
        for folder in dict.fromkeys(roots):
            yield from (f"{folder}{place}.lua", f"{folder}{place}/init.lua")

    def module_name(self, path: str, package: str | None) -> str:
        """What `require` takes: the path below the last folder `src` or `lua`, `init` left out."""
        name = dotted_path(path)
        folders = path.split("/")[:-1]
        if "lua" in folders and "src" not in folders:
            at = len(folders) - folders[::-1].index("lua")
            name = dotted_path("/".join(path.split("/")[at:]))
        return name.removesuffix(".init")

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A script, or a file with a function main."""
        return syntax.text.startswith(b"#!") or super().is_entry_point(syntax)

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """What the first comment says, if it is one that documents and not that of a definition."""
        if not syntax.comments:
            return {}
        first = last = syntax.comments[0]
        for comment in syntax.comments[1:200]:
            if comment.first != last.last + 1:
                break
            last = comment
        text = syntax.text[first.start : min(last.end, first.start + 4000)]
        before = syntax.text[: first.start].strip()
        alone = syntax.text[last.end : last.end + 3].lstrip(b"\r")[:2] in (b"\n\n", b"\n\r", b"\n", b"")
        if (before and not before.startswith(b"#!")) or not text.startswith((b"---", b"--[")):
            return {}
        if not alone and _MODULE_TAG.search(text) is None:
            return {}
        for line in text.decode("utf-8", "replace").splitlines():
            if (said := self.comment_marks.sub("", line)) and not self.directives.match(said):
                return {"docstring": said[:200]}
        return {}


def _is_titled(found: Found) -> bool:
    """True for tests and groups of tests."""
    return "_t" in found.captures or "_g" in found.captures


def _plain(found: Found) -> str:
    """The name as written, dotted."""
    written = found.written.strip()
    if found.node is not None and found.node.type == "field":
        written = written.strip(b"\"'")
    return plain_name(_KEY.sub(rb".\2", written).replace(b":", b"."))


def _behind_parameters(function: Node) -> Node | None:
    for index in range(1, min(function.child_count - 1, _MAX_HEAD)):
        if function.field_name_for_child(index) == "parameters":
            return function.child(index + 1)
    return None


def _value(node: Node) -> Node | None:
    """The value of a declaration, an assignment or a field; the list of several."""
    if node.type == "field":
        return node.child_by_field_name("value")
    held = _child(node, 0) if node.type == "variable_declaration" else node
    if held is None or held.type != "assignment_statement":
        return None
    values = _child(held, 1)
    return _child(values, 0) if values is not None and values.named_child_count == 1 else values


def _child(node: Node, index: int) -> Node | None:
    return node.named_child(index) if index < node.named_child_count else None


TRAITS = LuaTraits
