"""What the syntax of one file says, as plain values that outlive the tree: the same shape for every language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct, field

from t2c.ledger.intake.base import Warning

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["Comment", "Definition", "Found", "Import", "Role", "SymbolKind", "Syntax"]

SymbolKind = Literal["type", "function", "method", "constant"]
Role = Literal["type", "func", "const", "module", "scope"]
"""What a query says of a definition: `module` and `scope` only give their name to what is inside them."""


class Comment(NamedTuple):
    """One comment token: bytes `start` to `end` of the text, and its first and last line, from 1."""

    start: int
    end: int
    first: int
    last: int


class Import(NamedTuple):
    """One imported module: its name as written, the names taken from it, and the statement's place.

    `raw` and `lines` are the source text, cut to 300 characters, and the place of the whole statement, which
    may import more modules than this.
    """

    module: str
    names: tuple[str, ...]
    start: int
    lines: tuple[int, int]
    raw: str


class Definition(Struct):
    """A named part of a file.

    `role` `module` or `scope` marks a container that only qualifies what it holds and is no record. `qualified`
    is the dotted name below the module. `lines` leave decorators before the definition out. `header` is the
    source from the first modifier to the body, cut; for a constant it holds the value only if that is a number,
    a truth value or nothing, since other values may be secrets. `approximate` marks a definition that a line
    pattern found where the grammar failed. `declarations` counts those of the same name that were joined.
    """

    role: Role
    kind: SymbolKind
    native: str
    name: str
    qualified: str
    start: int
    end: int
    lines: tuple[int, int]
    header: str
    header_end: int
    parent: Definition | None
    has_body: bool
    public: bool
    is_async: bool = False
    test: bool = False
    decorators: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    docstring: str | None = None
    value_kind: str | None = None
    approximate: bool = False
    declarations: int = 1
    natives: tuple[str, ...] = ()
    calls: set[str] = field(default_factory=set)
    section: str = ""

    @property
    def is_record(self) -> bool:
        """True if it is a statement of its own."""
        return self.role not in ("module", "scope")

    @property
    def is_callable(self) -> bool:
        """True for functions and methods: what is inside is nobody else's."""
        return self.kind in ("function", "method") and self.is_record


class Found(Struct):
    """One definition as the query found it, for a language's traits to look at.

    `node` is None for what a line pattern found. `written` is the source of the name node, `lead` where the first
    modifier on the definition's line starts, `words` are the words from there to the name, `section` the text of
    the last section mark (`private:`) above it in its container, `decorators` those before it. `body` is the
    node of what it holds.
    """

    role: Role
    node: Node | None
    captures: dict[str, list[Node]]
    text: bytes
    start: int
    end: int
    lead: int
    name_start: int
    written: bytes
    words: frozenset[bytes]
    parent: Definition | None
    section: str
    decorators: tuple[str, ...]
    body: Node | None
    header_end: int
    name: str = ""

    @property
    def header(self) -> bytes:
        """The source from the first modifier to the body."""
        return self.text[self.lead : self.header_end]

    def captured(self, name: str) -> str:
        """The source of the first node captured under this name; empty without one."""
        nodes = self.captures.get(name)
        return self.text[nodes[0].start_byte : nodes[0].end_byte].decode("utf-8", "replace") if nodes else ""


class Syntax(Struct):
    """What one file says. All offsets count bytes of `text`, which is UTF-8 with line feeds or CRLF.

    `definitions` are in the order of the file, each qualified name once. `docstrings` are the places of strings
    that document what holds them. `exports` are the names the file says it exports, None if it does not say.
    `package` is the module's name if the file declares one. `calls` are those outside of every definition.
    `error_lines` are the lines where the text is not of the language, `error_bytes` how much of it is not.
    `refused` tells why the file was not parsed; everything else is empty then.
    """

    language: str
    text: bytes
    definitions: list[Definition] = field(default_factory=list)
    imports: list[Import] = field(default_factory=list)
    comments: list[Comment] = field(default_factory=list)
    docstrings: list[Comment] = field(default_factory=list)
    exports: set[str] | None = None
    package: str | None = None
    docstring: str | None = None
    calls: set[str] = field(default_factory=set)
    call_count: int = 0
    error_lines: tuple[int, ...] = ()
    error_bytes: int = 0
    refused: Warning | None = None
    remarks: tuple[Warning, ...] = ()

    @property
    def error_share(self) -> float:
        """The share of the text that lies in errors, 0..1."""
        return self.error_bytes / len(self.text) if self.text else 0.0
