"""Elixir: modules hold functions of several clauses, attributes document, type and name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_ABOUT_NEXT: Final = re.compile(
    rb"^([ \t]*)@(?:spec|impl|deprecated|doc|typedoc|moduledoc|dialyzer|tag|describetag|moduletag|behaviour|derive"
    rb"|decorate|optional_callbacks|compile|shortdoc)([ \t])[ \t]*(\S[^\n]*\S(?:\r?\n\1[ \t]+\S[^\n]*\S)*)",
    re.MULTILINE,
)
"""An attribute that says something of what follows: its first line, and the next that are indented deeper."""
_TEXT: Final = (b'"', b"~", b"'")
_COMMENT: Final = re.compile(rb"[ \t]+#[^\n]*\Z")
_NOT_A_LINE_END: Final = re.compile(rb"[^\r\n]")
_IMPORT: Final = re.compile(r"\s*\w+[\s(]+([A-Z][\w.]*|__MODULE__[\w.]*)(\s*\.?\{([^{}]*)\})?")
_ONLY: Final = re.compile(r"\bonly:\s*\[([^\[\]]*)\]")
_TAKEN: Final = re.compile(r"([a-z_]\w*[?!]?):\s*\d")
_FOR: Final = re.compile(rb"\bfor:\s*\[?\s*([A-Z][\w.]*)")
_ATTRIBUTE: Final = re.compile(r"@(\w+)")
_STEP: Final = re.compile(r"([A-Z]+)([A-Z][a-z])|([a-z\d])([A-Z])")
_TEST_FILE: Final = re.compile(r"(?:^|/)test/|_test\.exs?\Z")
_DEFINES: Final[Mapping[bytes, str]] = {
    b"defmodule": "module",
    b"defprotocol": "protocol",
    b"defimpl": "implementation",
    b"defmacro": "macro",
    b"defmacrop": "macro",
    b"defguard": "guard",
    b"defguardp": "guard",
    b"@callback": "callback",
    b"@macrocallback": "callback",
    b"@opaque": "opaque type",
}
"""The language's words for what a first word defines; other functions are functions, other types are types."""
_TYPES: Final = frozenset({b"@type", b"@typep", b"@opaque"})
_PRIVATE: Final = frozenset({b"defp", b"defmacrop", b"defguardp", b"defnp", b"@typep"})
_NO_CONSTANTS: Final = frozenset(
    (
        *(
            "after_compile",
            "after_verify",
            "before_compile",
            "behaviour",
            "callback",
            "compile",
            "decorate",
            "deprecated",
        ),
        *(
            "derive",
            "describetag",
            "dialyzer",
            "doc",
            "enforce_keys",
            "external_resource",
            "fallback_to_any",
            "file",
        ),
        *("impl", "macrocallback", "moduledoc", "moduletag", "nifs", "on_definition", "on_load", "opaque"),
        *(
            "optional_callbacks",
            "shortdoc",
            "since",
            "spec",
            "tag",
            "type",
            "typedoc",
            "typep",
            "undefined_impl_description",
        ),
        *("vsn", "recursive", "requirements", "preferred_cli_env"),
    )
)
"""Attributes that the language or its test runner reads."""
_NAME: Final = rb"(?P<n>[a-z_\x80-\xff][\w\x80-\xff]{0,160}[?!]?)"
_FUNCTION: Final = re.compile(rb"^[ \t]*def(?:p|macrop?|guardp?|delegate|np?)?[ \t]+" + _NAME, re.MULTILINE)
_MAX_LOOKED_AT: Final = 60
"""Statements of a module that are looked over for its documentation and behaviours."""


class ElixirTraits(Traits):
    """Elixir modules and scripts."""

    plain_values = frozenset({"integer", "float", "boolean", "nil"})
    calls_in_header = False
    ignored_calls = frozenset(
        (
            *(
                "alias",
                "case",
                "cond",
                "def",
                "defdelegate",
                "defexception",
                "defguard",
                "defguardp",
                "defimpl",
            ),
            *(
                "defmacro",
                "defmacrop",
                "defmodule",
                "defn",
                "defnp",
                "defoverridable",
                "defp",
                "defprotocol",
                "defstruct",
            ),
            *(
                "describe",
                "doctest",
                "for",
                "if",
                "import",
                "property",
                "quote",
                "raise",
                "receive",
                "require",
            ),
            *(
                "reraise",
                "setup",
                "setup_all",
                "super",
                "test",
                "throw",
                "try",
                "unless",
                "unquote",
                "unquote_splicing",
            ),
            *("use", "with"),
        )
    )
    comment_marks: ClassVar[re.Pattern[str]] = re.compile(
        r"^\s*(?:@\w+[ \t(]*(?:~[sS])?(?:\"\"\"|'''|[\"|(\[/])?|#+!?)?[\s#]*|\s*(?:\"\"\"|''')?\s*$"
    )
    directives: ClassVar[re.Pattern[str]] = re.compile(
        r"credo:|dialyzer|sobelow|coveralls|SPDX|Copyright|<", re.IGNORECASE
    )
    line_patterns = (
        LinePattern(
            re.compile(rb"^[ \t]*defmodule[ \t]+(?P<n>[A-Z][\w.]{0,160})", re.MULTILINE), "type", "module"
        ),
        LinePattern(
            re.compile(rb"^[ \t]*defprotocol[ \t]+(?P<n>[A-Z][\w.]{0,160})", re.MULTILINE), "type", "protocol"
        ),
        LinePattern(_FUNCTION, "func", "function"),
    )

    def for_grammar(self, text: bytes) -> bytes:
        """`@spec x` as `@spec*'…'`, a product of two terms: what an attribute says of the next definition looks like calls."""
        return _ABOUT_NEXT.sub(_as_text, text)

    def body(self, node: Node) -> Node | None:
        """The block; or the comma before `do:`."""
        count = node.named_child_count
        last = node.named_child(count - 1) if count else None
        if last is None or last.type != "arguments":
            return last if last is not None and last.type == "do_block" else None
        target = node.child_by_field_name("target")
        if target is None or target.end_byte - target.start_byte == len("defdelegate"):
            return None
        for at in range(last.child_count - 1, max(0, last.child_count - 3), -1):
            if last.child(at).type == "keywords":
                return last.child(at - 1)
        return None

    def name(self, found: Found) -> str:
        """A title for tests; the sign of an operator; `@name` for an attribute; who an implementation is for."""
        if _is_titled(found):
            return " ".join(found.written.strip(b'"')[:MAX_NAME].decode("utf-8", "ignore").split())
        if found.role == "const":
            return "@" + plain_name(found.written)
        name = plain_name(found.written)
        if "_by" in found.captures:
            sign = found.captures["_by"][0].child_by_field_name("operator")
            written = b"" if sign is None else found.text[sign.start_byte : sign.end_byte]
            return name if written == b"when" else plain_name(written) if b"." not in written else ""
        if b"defimpl" in found.words and (meant := _FOR.search(found.header[:400])) is not None:
            return f"{name}.{meant[1].decode()}"
        if found.role == "type" and found.words & _TYPES and name in _functions(found.text):
            return f"{name}()"  # as it is written where it is used; without, it would hide the function
        return name.removeprefix("__MODULE__.")

    def kind(self, found: Found) -> SymbolKind:
        """There are no methods: what a module holds is called by its name."""
        return {"type": "type", "const": "constant"}.get(found.role, "function")  # type: ignore[return-value]

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if _is_titled(found) else "."

    def native(self, found: Found, kind: SymbolKind) -> str:
        """The language's word for what the first word defines."""
        if _is_titled(found):
            return "group" if "_g" in found.captures else "test"
        if kind == "constant":
            return "attribute"
        return next((_DEFINES[word] for word in found.words if word in _DEFINES), kind)

    def is_wanted(self, found: Found) -> bool:
        """Attributes that a module sets for itself; operators that are defined, not those in a default."""
        if found.role == "const":
            return (
                found.name[1:] not in _NO_CONSTANTS
                and found.parent is not None
                and found.parent.kind == "type"
            )
        return True

    def is_public(self, found: Found) -> bool:
        """`defp` and the like close; an attribute is the module's own."""
        if _is_titled(found) or found.role == "const" or found.words & _PRIVATE:
            return False
        return not found.name.startswith("_") or found.name.startswith("__")

    def is_test_file(self, path: str) -> bool:
        """What Mix runs, and what lies beside it."""
        return _TEST_FILE.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What ExUnit runs, and the modules that hold it."""
        if not in_test_file:
            return False
        return definition.native == "test" or (
            definition.native == "module" and definition.name.endswith("Test")
        )

    def is_signature(self, definition: Definition) -> bool:
        """A head without a body, or a callback, declares what clauses carry out."""
        return not definition.has_body and not definition.header.startswith("defdelegate")

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """What `@doc` says, or the comment above; a test has its title."""
        if comment is None or found.role in ("scope", "const"):
            return comment
        said = comment.removesuffix('"') if comment.count('"') % 2 else comment
        return said.strip() or None

    def docstring_node(self, body: Node) -> Node | None:
        """The text of `@moduledoc`."""
        told = next(_attributes(body, b"moduledoc"), None) if body.type == "do_block" else None
        return told if told is not None and told.type in ("string", "sigil") else None

    def decorator(self, text: str) -> str:
        """The name of the attribute."""
        matched = _ATTRIBUTE.match(text)
        return "" if matched is None else matched[1]

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The behaviours of a module; the protocol that is implemented."""
        if b"defimpl" in found.words:
            yield plain_name(found.written)
        elif found.body is not None and found.body.type == "do_block":
            for base in _attributes(found.body, b"behaviour"):
                yield found.text[base.start_byte : base.end_byte].decode("utf-8", "replace")

    def value(self, node: Node) -> Node | None:
        """What an attribute is set to."""
        operand = node.child_by_field_name("operand")
        given = None if operand is None else operand.named_child(operand.named_child_count - 1)
        return given.named_child(0) if given is not None and given.named_child_count else given

    def takes_call(self, owner: Definition, start: int) -> bool:
        """What a definition does, not its own words; the value of an attribute may call."""
        if owner.kind == "constant":
            return start > owner.start + 1
        return super().takes_call(owner, start)

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The module of `alias`, `import`, `require` or `use`, each of several in braces; what `only:` names."""
        matched = _IMPORT.match(text)
        if matched is None:
            return
        module = matched[1].rstrip(".")
        if module.startswith("__MODULE__"):
            if "_module" not in captures:
                return
            module = (captures["_module"][0].text or b"").decode("utf-8", "replace") + module[10:]
        only = _ONLY.search(text)
        names = tuple(_TAKEN.findall(only[1])) if only else ()
        if matched[3] is None:
            yield module, names
        for part in (matched[3] or "").split(","):
            if part.strip():
                yield f"{module}.{part.strip()}", names

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """Where Mix projects keep a module of this name: below the folder `lib` of the project that the file is in."""
        place = "/".join(_STEP.sub(r"\1\3_\2\4", step).lower() for step in module.split("."))
        root = ""
        for folder in ("lib/", "test/"):
            if f"/{folder}" in path:
                root = path[: path.index(f"/{folder}") + 1]
                break
        yield f"{root}lib/{place}.ex"
        yield f"{root}test/support/{place.rpartition('/')[2]}.ex"

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A task of Mix, an application, an escript's `main`."""
        if any(
            item.module in ("Mix.Task", "Application") and item.raw.startswith("use")
            for item in syntax.imports
        ):
            return True
        return any(
            item.name == "main" and item.kind == "function" and item.public for item in syntax.definitions
        )

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """What the first module that says something of itself says."""
        modules = (item for item in syntax.definitions if item.native in ("module", "protocol"))
        told = next((item.docstring for item in modules if item.docstring), None)
        return {} if told is None else {"docstring": told}


@lru_cache(maxsize=1)
def _functions(text: bytes) -> frozenset[str]:
    """The names of all functions of a file."""
    return frozenset(found["n"].decode("utf-8", "replace") for found in _FUNCTION.finditer(text))


def _is_titled(found: Found) -> bool:
    """True for tests and groups of tests."""
    return "_t" in found.captures or "_g" in found.captures


def _attributes(body: Node, name: bytes) -> Iterator[Node]:
    """The value of each attribute of this name, as `for_grammar` words it, at the start of a block."""
    for index in range(min(body.named_child_count, _MAX_LOOKED_AT)):
        statement = body.named_child(index)
        if statement.type == "binary_operator":
            attribute = statement.child_by_field_name("left")
            if attribute is None or attribute.end_byte - attribute.start_byte != len(name) + 1:
                continue
            if attribute.type == "unary_operator" and attribute.text == b"@" + name:
                yield statement.named_child(1)


def _as_text(found: re.Match[bytes]) -> bytes:
    whole, written = found[0], found[3]
    blank, start = found.start(2) - found.start(), found.start(3) - found.start()
    head = whole[:blank] + b"*" + whole[blank + 1 : start]
    if written.startswith(_TEXT):
        return head + written
    comment = _COMMENT.search(written)
    told = written if comment is None else written[: comment.start()]
    if len(told) < 2 or b"#" in told or b'"""' in told:
        return whole
    return head + b"'" + _NOT_A_LINE_END.sub(b"x", told[1:-1]) + b"'" + written[len(told) :]


TRAITS = ElixirTraits
