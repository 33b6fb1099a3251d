"""The syntax of one Python file as plain values: definitions, imports, constants and who calls what.

One parse, one combined query, one sweep over the found places in the order of the file with a stack of the
definitions that enclose them. No step walks up or down the tree (code-facts §5).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.code.guards import parse_within

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser, Query

__all__ = ["Constant", "Definition", "Import", "Module", "read_module"]

_MAX_HEADER: Final = 300
_MAX_DOCSTRING: Final = 200
_MAX_NAME: Final = 160
_MAX_COMMENTS: Final = 100
"""Comments before a docstring that are looked over."""

_CONSTANT: Final = re.compile(rb"_*[A-Z][A-Z0-9_]*(?![A-Za-z0-9_\x80-\xff])")
_EXPORTS: Final = re.compile(rb"__all__\b")
_EXPORTED: Final = re.compile(rb"[\"']([A-Za-z_\x80-\xff][\w\x80-\xff]*)[\"']")
_COMMENT: Final = re.compile(r"#[^\n]*")
_IMPORT: Final = re.compile(r"\bimport\b")
_ALIAS: Final = re.compile(r"\sas\s")
_QUOTED: Final = re.compile(r"[rRuU]?(\"\"\"|'''|\"|')(.*)\1$", re.DOTALL)
_PLAIN_VALUES: Final = frozenset({"integer", "float", "true", "false", "none", "unary_operator"})


class Definition(Struct):
    """A function or class. Lines are those of `def` or `class` to the end, decorators left out, as in `ast`."""

    kind: str
    name: str
    qualified: str
    start: int
    lines: tuple[int, int]
    header: str
    is_async: bool
    decorators: tuple[str, ...]
    bases: tuple[str, ...]
    docstring: str | None
    parent: Definition | None
    calls: set[str] = field(default_factory=set)


class Import(NamedTuple):
    """One imported module: its name as written, its leading dots counted, the names taken from it.

    `raw` and `lines` are the source text, cut to 300 characters, and the place of the whole statement, which
    may import more modules than this.
    """

    module: str
    level: int
    names: tuple[str, ...]
    start: int
    lines: tuple[int, int]
    raw: str


class Constant(NamedTuple):
    """An assignment to an UPPER_CASE name outside functions. `header` holds the value only if it is a number,
    a truth value or None: other values may be secrets."""

    qualified: str
    start: int
    lines: tuple[int, int]
    header: str
    value_kind: str | None


class Module(Struct):
    """What one file defines. `exports` are the names in `__all__`, or None without one.

    `error_lines` are the lines where the text is not Python as the grammar knows it.
    """

    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    constants: list[Constant] = field(default_factory=list)
    exports: set[str] | None = None
    docstring: str | None = None
    calls: int = 0
    error_lines: tuple[int, ...] = ()


class _Grammar(NamedTuple):
    language: Language
    parser: Parser
    query: Query
    errors: Query


@cache
def _grammar() -> _Grammar:
    """Compiled at first use, once a process: loading it is too dear for a command that reads no code."""
    import tree_sitter
    import tree_sitter_python

    language = tree_sitter.Language(tree_sitter_python.language())
    text = files("t2c.ledger.intake.code").joinpath("queries/python.scm").read_text("utf-8")
    return _Grammar(
        language,
        tree_sitter.Parser(language),
        tree_sitter.Query(language, text),
        tree_sitter.Query(language, "(ERROR) @error (MISSING) @error"),
    )


def read_module(source: bytes) -> Module | None:
    """Read UTF-8 text that passed the guards. None if parsing took too long."""
    from tree_sitter import QueryCursor

    grammar = _grammar()
    tree = parse_within(grammar.parser, source)
    if tree is None:
        return None
    root = tree.root_node
    found = QueryCursor(grammar.query).captures(root)
    module = Module(docstring=_docstring(source, root))
    _sweep(module, source, found)
    if root.has_error:
        nodes = QueryCursor(grammar.errors).captures(root).get("error", ())
        module.error_lines = tuple(sorted({node.start_point.row + 1 for node in nodes})) or (1,)
    return module


def _sweep(module: Module, source: bytes, found: dict[str, list[Node]]) -> None:
    places = [
        (node.start_byte, -node.end_byte, order, kind, node)
        for order, (kind, node) in enumerate((kind, node) for kind, nodes in found.items() for node in nodes)
    ]
    places.sort(key=lambda place: place[:3])
    stack: list[Definition] = []
    ends: list[int] = []
    decorators: list[str] = []
    for start, negative_end, _, kind, node in places:
        end = -negative_end
        while ends and ends[-1] <= start:
            ends.pop()
            stack.pop()
        scope = stack[-1] if stack else None
        if kind == "call":
            if name := _last_name(source, start, end):
                module.calls += 1
                if scope is not None:
                    scope.calls.add(name)
        elif kind in ("function", "class"):
            definition = _definition(source, node, kind, scope, tuple(decorators))
            decorators.clear()
            if definition is not None:
                module.definitions.append(definition)
                stack.append(definition)
                ends.append(end)
        elif kind == "decorator":
            decorators.append(_text(source, start + 1, end).partition("(")[0].strip())
        elif kind == "import":
            module.imports += _imports(source, node)
        elif scope is None and _EXPORTS.match(source, start):
            names = {_decode(name) for name in _EXPORTED.findall(source, start, end)}
            module.exports = names | (module.exports or set()) or None
        elif kind == "assignment" and (scope is None or scope.kind == "class"):
            _constant(module, source, node, scope)


def _definition(
    source: bytes, node: Node, kind: str, scope: Definition | None, decorators: tuple[str, ...]
) -> Definition | None:
    name_node = node.child_by_field_name("name")
    name = "" if name_node is None else _text(source, name_node.start_byte, name_node.end_byte)
    if not name:
        return None
    start, end = node.start_byte, node.end_byte
    body = node.child_by_field_name("body")
    header_end = body.start_byte if body is not None else source.find(b"\n", start)
    header = _text(source, start, header_end if start < header_end <= end else end).strip()
    return Definition(
        kind=kind,
        name=name,
        qualified=name if scope is None else f"{scope.qualified}.{name}",
        start=start,
        lines=(node.start_point.row + 1, node.end_point.row + 1),
        header=header[:_MAX_HEADER],
        is_async=source.startswith(b"async", start),
        decorators=decorators,
        bases=_bases(source, node) if kind == "class" else (),
        docstring=None if body is None else _docstring(source, body),
        parent=scope,
    )


def _bases(source: bytes, node: Node) -> tuple[str, ...]:
    arguments = node.child_by_field_name("superclasses")
    if arguments is None:
        return ()
    return tuple(
        " ".join(_text(source, base.start_byte, base.end_byte).split())[:_MAX_NAME]
        for base in arguments.named_children
        if base.type not in ("keyword_argument", "comment", "ERROR")
    )


def _docstring(source: bytes, body: Node) -> str | None:
    """The first line of the string that stands first in a body."""
    for index in range(min(body.named_child_count, _MAX_COMMENTS)):
        first = body.named_child(index)
        if first.type != "comment":
            break
    else:
        return None
    if first.type != "expression_statement" or first.named_child_count != 1:
        return None
    value = first.named_child(0)
    if value.type != "string":
        return None
    quoted = _QUOTED.match(_text(source, value.start_byte, value.end_byte))
    lines = quoted.group(2).strip().splitlines() if quoted else []
    return lines[0].strip()[:_MAX_DOCSTRING] if lines else None


def _imports(source: bytes, node: Node) -> Iterable[Import]:
    whole = _text(source, node.start_byte, node.end_byte)
    text = _COMMENT.sub("", whole).replace("\\", " ")
    lines = (node.start_point.row + 1, node.end_point.row + 1)
    raw = whole[:_MAX_HEADER]
    parts = _IMPORT.split(text, maxsplit=1)
    if len(parts) < 2:
        return
    items = (_ALIAS.split(item, maxsplit=1)[0] for item in parts[1].strip(" \t\r\n()").split(","))
    names = [name for item in items if (name := "".join(item.split()))]
    origin = "".join(parts[0].removeprefix("from").split())
    if parts[0].startswith("from"):
        module = origin.lstrip(".")
        yield Import(module, len(origin) - len(module), tuple(names), node.start_byte, lines, raw)
    else:
        for name in names:
            yield Import(name, 0, (), node.start_byte, lines, raw)


def _constant(module: Module, source: bytes, node: Node, scope: Definition | None) -> None:
    start, end = node.start_byte, node.end_byte
    matched = _CONSTANT.match(source, start, end)
    if matched is None:
        return
    name = _decode(matched.group())
    value = node.child_by_field_name("right")
    kind = None if value is None else value.type
    header_end = end if value is None or kind in _PLAIN_VALUES else value.start_byte
    module.constants.append(
        Constant(
            qualified=name if scope is None else f"{scope.qualified}.{name}",
            start=start,
            lines=(node.start_point.row + 1, node.end_point.row + 1),
            header=_text(source, start, header_end).rstrip(" \t\r\n=\\")[:_MAX_HEADER],
            value_kind=kind,
        )
    )


def _last_name(source: bytes, start: int, end: int) -> str:
    """The name that a callee ends in, from a bounded window: a chain of calls may be as long as the file."""
    first = max(start, end - _MAX_NAME)
    _, dot, name = source[first:end].rpartition(b".")
    if not dot and first > start:
        return ""
    text = _decode(name).strip()
    return text if text.isidentifier() else ""


def _text(source: bytes, start: int, end: int) -> str:
    return _decode(source[start:end])


def _decode(raw: bytes) -> str:
    return raw.decode("utf-8", "replace")
