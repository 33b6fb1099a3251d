"""From what a query found in one tree to the outline of a file: one pass in the order of the file.

A stack of the open definitions gives each its parent and each call its owner. No step walks up or down the tree,
nothing recurs, and lines are counted from offsets (code-facts §4, §5).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, get_args

from t2c.ledger.intake.code.fallback import approximations
from t2c.ledger.intake.code.outline import Definition, Found, Import, Role, Syntax
from t2c.ledger.intake.code.surroundings import NEAR, Surroundings
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits

if TYPE_CHECKING:
    from tree_sitter import Node, Query

__all__ = ["FALLBACK_SHARE", "sweep", "sweep_lines"]

FALLBACK_SHARE: Final = 0.01
"""Above this share of bytes in errors the lines there are looked through for definitions."""

_MAX_HEADER: Final = 300
_BODY: Final = re.compile(rb"\{|(?<![=!<>])=(?![=>])")
_MAX_QUALIFIED: Final = 500
_MAX_BASES: Final = 20

# At one place: what holds others before what is held, a function before the constant that it is as well.
_ORDER: Final = {
    "d.module": 0, "d.scope": 1, "d.type": 2, "d.func": 3, "d.const": 4, "line": 5, "section": 6, "deco": 7,
    "com": 8, "imp": 9, "exp": 10, "call": 11, "err": 12,
}  # fmt: skip
_ROLES: Final[dict[str, Role]] = {f"d.{role}": role for role in get_args(Role)}

_Item = tuple[int, int, int, int, str, "Node | None", "dict[str, list[Node]]"]


def sweep(traits: Traits, text: bytes, root: Node, query: Query) -> Syntax:
    """The outline of a parsed text."""
    from tree_sitter import QueryCursor

    items: list[_Item] = []
    order = _ORDER
    for _, captures in QueryCursor(query).matches(root):
        for kind in captures:
            if kind in order:
                node = captures[kind][0]
                place = (node.start_byte, -node.end_byte, order[kind], len(items), kind, node, captures)
                items.append(place)
                break
    return _Sweep(traits, text, root).run(items)


def sweep_lines(traits: Traits, text: bytes) -> Syntax:
    """The outline of a text that is not parsed: the definitions that lines show, each of them approximate."""
    whole: _Item = (0, -len(text), _ORDER["err"], 0, "err", None, {})
    syntax = _Sweep(traits, text, None).run([whole])
    syntax.error_lines, syntax.error_bytes = (), 0
    return syntax


class _Sweep:
    def __init__(self, traits: Traits, text: bytes, root: Node | None) -> None:
        self.traits = traits
        self.text = text
        self.syntax = Syntax(traits.language.name, text)
        self.around = Surroundings(traits, self.syntax)
        self.stack: list[Definition] = []
        self.top_section = ""
        self.by_name: dict[str, Definition] = {}
        self.last: tuple[int, int, bytes] = (-1, -1, b"")
        self.patterns: dict[int, tuple[LinePattern, re.Match[bytes]]] = {}
        if root is not None and (node := traits.docstring_node(root)) is not None:
            self.syntax.docstring = self.around.string(node)

    def run(self, items: list[_Item]) -> Syntax:
        items.sort()
        self._errors(items)
        stack = self.stack
        for start, negative_end, _, serial, kind, node, captures in items:
            while stack and stack[-1].end <= start:
                stack.pop()
            if kind == "call":
                self._call(start, -negative_end)
            elif kind == "com":
                self.around.comment(start, -negative_end)
            elif kind == "line":
                self._approximate(start, -negative_end, serial)
            elif node is None:
                continue
            elif kind in _ROLES:
                self._define(_ROLES[kind], start, -negative_end, node, captures)
            elif kind == "imp":
                self._import(start, -negative_end, captures)
            elif kind == "deco":
                self.around.decorator(start, -negative_end, stack[-1] if stack else None)
            elif kind == "section":
                self._section(start, -negative_end)
            elif kind == "exp":
                names = self.traits.exports(self.around.slice(start, -negative_end), node)
                self.syntax.exports = (self.syntax.exports or set()).union(names)
        self._close()
        return self.syntax

    def _errors(self, items: list[_Item]) -> None:
        """Note where the text is not of the language, and look there by lines if that is much of it."""
        errors = [(start, -negative_end) for start, negative_end, _, _, kind, _, _ in items if kind == "err"]
        if not errors:
            return
        ranges: list[tuple[int, int]] = []
        for start, end in errors:
            if not ranges or start >= ranges[-1][1]:
                ranges.append((start, end))
        syntax = self.syntax
        syntax.error_lines = tuple(sorted({self.around.line(start) for start, _ in errors}))
        syntax.error_bytes = sum(end - start for start, end in ranges)
        if syntax.error_share <= FALLBACK_SHARE or not self.traits.line_patterns:
            return
        known = {self.around.line(item[0]) for item in items if item[4] in _ROLES}
        known |= {self.around.line(item[6]["n"][0].start_byte) for item in items if "n" in item[6]}
        for pattern, match, end in approximations(self.text, ranges, self.traits.line_patterns):
            if self.around.line(match.start("n")) not in known:
                serial = -len(self.patterns) - 1
                self.patterns[serial] = (pattern, match)
                items.append((match.start(), -end, _ORDER["line"], serial, "line", None, {}))
        items.sort()

    # definitions

    def _define(self, role: Role, start: int, end: int, node: Node, captures: dict[str, list[Node]]) -> None:
        traits, text = self.traits, self.text
        if role == "const" and self.stack:
            top = self.stack[-1]
            if top.is_callable:
                return  # what is local to a function names nothing for others
            if (top.role, top.start, top.end) == ("const", start, end):
                self.stack.pop()  # `var a, b`: neither holds the other
        names = captures.get("n")
        name_node = names[0] if names else traits.name_node(node)
        written = b"" if name_node is None else text[name_node.start_byte : name_node.end_byte]
        if (start, end, written) == self.last:
            return
        body = None if role == "const" else traits.body(node)
        lead = self.around.lead(start)
        name_start = start if name_node is None else name_node.start_byte
        header_end = end if body is None else body.start_byte
        if not start < header_end <= end:
            header_end = end
        found = Found(
            role=role,
            node=node,
            captures=captures,
            text=text,
            start=start,
            end=end,
            lead=lead,
            name_start=name_start,
            written=written,
            words=frozenset(text[lead : min(name_start, lead + NEAR)].split()),
            parent=self.stack[-1] if self.stack else None,
            section=self.stack[-1].section if self.stack else self.top_section,
            decorators=(),
            body=body,
            header_end=header_end,
        )
        if self._add(found) is not None:
            self.last = (start, end, written)

    def _approximate(self, start: int, end: int, serial: int) -> None:
        pattern, match = self.patterns[serial]
        line_end = self.text.find(b"\n", start, end)
        header_end = end if line_end < 0 else line_end
        body = _BODY.search(self.text, match.end("n"), header_end)  # what follows may be a value, or a secret
        found = Found(
            role=pattern.role,
            node=None,
            captures={},
            text=self.text,
            start=start,
            end=end,
            lead=self.around.lead(start),
            name_start=match.start("n"),
            written=match["n"],
            words=frozenset(self.text[start : match.start("n")].split()),
            parent=self.stack[-1] if self.stack else None,
            section="",
            decorators=(),
            body=None,
            header_end=header_end if body is None else body.start(),
        )
        definition = self._add(found)
        if definition is not None:
            definition.approximate = definition.has_body = True
            if pattern.role == "type":
                word = pattern.native or match["kind"].decode("ascii", "replace")
                definition.native, definition.natives = word, (word,)

    def _add(self, found: Found) -> Definition | None:
        traits, parent = self.traits, found.parent
        found.name = traits.name(found)
        if not found.name or not traits.is_wanted(found):
            return None
        found.decorators = self.around.pending(found.lead)
        own = ".".join(filter(None, (traits.qualifier(found), found.name)))
        outer = "" if parent is None else parent.qualified
        kind = traits.kind(found)
        native = traits.native(found, kind)
        definition = Definition(
            role=found.role,
            kind=kind,
            native=native,
            natives=(native,),
            name=own.rpartition(".")[2] or own,
            qualified=f"{outer}{traits.joint(found)}{own}" if outer and len(outer) < _MAX_QUALIFIED else own,
            start=found.start,
            end=found.end,
            lines=self.around.lines(found.start, found.end),
            header=self._header(found),
            header_end=found.header_end,
            parent=parent,
            has_body=found.body is not None,
            public=traits.is_public(found),
            is_async=kind in ("function", "method") and traits.is_async(found),
            decorators=found.decorators,
        )
        if found.node is not None:
            if found.role == "type":
                bases = (" ".join(base.split())[:MAX_NAME] for base in traits.bases(found, found.node))
                definition.bases = tuple(base for base in bases if base)[:_MAX_BASES]
            elif found.role == "const":
                value = traits.value(found.node)
                definition.value_kind = None if value is None else value.type
        self._document(definition, found)
        if found.role == "module" and found.body is None:
            self.syntax.package = self.syntax.package or definition.qualified
            self.syntax.docstring = self.syntax.docstring or definition.docstring
            return None
        if definition.is_record:
            definition = self._join(definition)
        self.stack.append(definition)
        return definition

    def _join(self, definition: Definition) -> Definition:
        """Keep each qualified name once: what carries it out before what only declares it."""
        first = self.by_name.get(definition.qualified)
        if first is None:
            self.by_name[definition.qualified] = definition
            self.syntax.definitions.append(definition)
            return definition
        is_signature = self.traits.is_signature
        better = definition.role == "type" != first.role or (
            is_signature(first) and not is_signature(definition) and first.role == definition.role
        )
        best, other = (definition, first) if better else (first, definition)
        kept = first
        declarations, calls = first.declarations + 1, first.calls
        decorators = tuple(dict.fromkeys((*first.decorators, *definition.decorators)))
        natives = tuple(dict.fromkeys((*first.natives, *definition.natives)))
        for name in (
            "role",
            "kind",
            "native",
            "start",
            "lines",
            "header",
            "has_body",
            "value_kind",
            "approximate",
        ):
            setattr(kept, name, getattr(best, name))
        kept.docstring = best.docstring or other.docstring
        kept.bases = best.bases or other.bases
        kept.public = first.public or definition.public
        kept.is_async = best.is_async
        kept.declarations, kept.calls, kept.decorators, kept.natives = (
            declarations,
            calls,
            decorators,
            natives,
        )
        # What is held by the second is swept next: it stands open now with the end of the second.
        kept.end, kept.header_end, kept.section = definition.end, definition.header_end, ""
        return kept

    def _document(self, definition: Definition, found: Found) -> None:
        traits = self.traits
        node = None if found.body is None else traits.docstring_node(found.body)
        written = None if node is None else self.around.string(node)
        definition.docstring = written or traits.docstring(found, self.around.comment_above(found))

    def _header(self, found: Found) -> str:
        end = found.header_end
        if found.role == "const" and found.node is not None:
            value = self.traits.value(found.node)
            if value is not None and value.type not in self.traits.plain_values:
                end = value.start_byte
        header = self.around.slice(found.lead, min(end, found.lead + 4 * _MAX_HEADER)).strip()
        return (header.rstrip(" \t\r\n=\\:") if found.role == "const" else header)[:_MAX_HEADER].rstrip()

    def _section(self, start: int, end: int) -> None:
        section = self.traits.section(self.around.slice(start, min(end, start + MAX_NAME)))
        if self.stack:
            self.stack[-1].section = section
        else:
            self.top_section = section

    # calls, imports and the end

    def _call(self, start: int, end: int) -> None:
        stack = self.stack
        if stack and not self.traits.takes_call(stack[-1], start):
            return
        name = self.traits.callee(self.text[max(start, end - MAX_NAME) : end])
        if not name or name in self.traits.ignored_calls:
            return
        self.syntax.call_count += 1
        for owner in reversed(stack):
            if owner.is_record:
                owner.calls.add(name)
                return
        self.syntax.calls.add(name)

    def _import(self, start: int, end: int, captures: dict[str, list[Node]]) -> None:
        text = self.around.slice(start, end)
        lines = self.around.lines(start, end)
        for module, names in self.traits.imports(text, captures):
            if module:
                self.syntax.imports.append(Import(module, names, start, lines, text[:_MAX_HEADER]))

    def _close(self) -> None:
        """Who is open to others, now that all exports are known: nothing inside of what is not."""
        syntax, traits = self.syntax, self.traits
        for item in syntax.definitions:
            parent = item.parent
            while parent is not None and not parent.is_record:
                parent = parent.parent
            item.public = traits.exported(item, syntax.exports) and (
                parent is None or (parent.public and not parent.is_callable)
            )
        syntax.definitions.sort(key=lambda item: (item.start, -item.end))
