"""Scala 2 and 3: objects, givens and extensions, anonymous classes, tests with titles; open unless said otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_WINDOW: Final = 240
"""Bytes before a name in which its modifiers stand."""

_MAX_COMMENTS: Final = 100
"""Comments behind a definition that are looked over, and the bytes of one."""
_MAX_COMMENT: Final = 20_000

_TEXTS: Final = re.compile(rb'"[^"\n]*"|\([^()\n]*\)|//[^\n]*|/\*[^*]*\*/')
_HIDDEN: Final = re.compile(rb"\b(?:private|protected)\b")
_CONSTANT: Final = re.compile(r"[^\W\d_a-z]|_*[A-Z]")
_EXTENDED: Final = re.compile(
    r"extension\s*(?:\[(?P<own>[^\]]*)\]\s*)?(?:\(\s*using\b[^()]*\)\s*)*"
    r"\(\s*[\w`]+\s*:\s*(?:=>\s*)?(?P<type>[^\W\d][\w.]*)"
)
_GIVEN: Final = re.compile(r"[^\W_]+")
_PACKAGE: Final = re.compile(rb"[\s;]*package[ \t]+([\w.`]+)[ \t]*(?:\r?\n|;)")
_TYPE_ARGUMENTS: Final = re.compile(rb"\[[^\[\]]*(?:\[[^\[\]]*\][^\[\]]*){0,8}\]\Z")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*[^*]{0,1000}\*/")
_SELECTOR: Final = re.compile(r"\s*(?:=>|\bas\b)\s*")
_ANNOTATION: Final = re.compile(r"@\s*([\w.]+)")
_LICENCE: Final = re.compile(
    r"licen[cs]ed?\b|copyright|\(c\)|all rights|this file is part|use of this source|permission is",
    re.IGNORECASE,
)
_TEST_FILE: Final = re.compile(
    r"(?:^|/)src/(?:it|multi-jvm|fun|integration)/|(?:^|/)[^/]*(?:Suite|Tests?|Spec)\.scala\Z"
)
_TEST_TYPE: Final = re.compile(r".*(?:Tests?|Suite|Spec|Specification|Properties|Check)\Z")
_APPLICATIONS: Final = frozenset({"App", "IOApp", "IOApp.Simple", "ZIOApp", "ZIOAppDefault"})
_ANONYMOUS: Final = "anonymous class"
_HOLDERS: Final = frozenset(
    {"call_expression", "infix_expression", "instance_expression", "assignment_expression"}
)
_CONSTANT_HOLDERS: Final = frozenset({"object", "package object", "trait"})
_SUBJECTS: Final = frozenset({"it", "they", "behavior", "ignore"})

_MODIFIERS: Final = (
    rb"^[ \t]*(?:(?:@[\w.]{1,80}(?:\([^()\n]{0,120}\))?|abstract|case|final|implicit|infix|inline|lazy|opaque|open"
    rb"|override|private(?:\[\w+\])?|protected(?:\[\w+\])?|sealed|transparent)[ \t]+){0,10}"
)


class ScalaTraits(Traits):
    """Scala source files, scripts and builds."""

    plain_values = frozenset({"integer_literal", "floating_point_literal", "boolean_literal", "null_literal"})
    ignored_calls = frozenset({
        "Array", "Left", "List", "Map", "Right", "Seq", "Set", "Some", "Vector", "assert", "describe", "it", "print",
        "println", "property", "require", "suite", "super", "test", "this",
    })  # fmt: skip
    line_patterns = (
        LinePattern(
            re.compile(
                _MODIFIERS
                + rb"(?P<kind>class|object|trait|enum)[ \t]+(?P<n>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*)",
                re.MULTILINE,
            ),
            "type",
        ),
        LinePattern(
            re.compile(
                _MODIFIERS + rb"def[ \t]+(?P<n>[A-Za-z_$\x80-\xff][\w$\x80-\xff]*(?:_[-+*/=<>!&|^%~:?]{1,8})?"
                rb"|[-+*/=<>!&|^%~:?\\]{1,8}|`[^`\n]{1,160}`)",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """The field, or what stands last in a call that opens something."""
        if node.type in _HOLDERS and node.child_count:
            return node.child(node.child_count - 1)
        return super().body(node)

    def name(self, found: Found) -> str:
        """Titles of tests; operators as they stand; the package with those that follow it; the type that is extended."""
        written = found.written
        if "_t" in found.captures or "_g" in found.captures:
            return self._title(found)
        found.end = _end_of_code(found.text, found.start, found.end)
        found.header_end = min(found.header_end, found.end)
        text = written[: MAX_NAME + 1].decode("utf-8", "replace")
        if found.role == "module" and found.body is None:
            end = found.end
            while (more := _PACKAGE.match(found.text, end)) is not None:
                text = f"{text}.{more[1].decode('utf-8', 'replace')}"
                end = more.end() - 1
            return "".join(text.replace("`", "").split())[:MAX_NAME]
        if not written:
            return self._unnamed(found)
        if text.startswith("`"):
            text = " ".join(text.strip("`").split())
        elif " " in text or "." in text:
            return ""
        return text if len(written) <= MAX_NAME else ""

    def _title(self, found: Found) -> str:
        title = found.written.strip(b'"')[:MAX_NAME].decode("utf-8", "ignore")
        if "_v" in found.captures:
            subject = found.captured("_s").strip('"')
            title = f"{'' if subject in _SUBJECTS else subject} {found.captured('_v')} {title}"
        return " ".join(title.split())

    def _unnamed(self, found: Found) -> str:
        node = found.node
        if node is None:
            return ""
        if node.type == "given_definition":
            made = node.child_by_field_name("return_type")
            words = [] if made is None else _GIVEN.findall(_text(found, made)[:MAX_NAME])
            return "_".join(["given", *words]) if words else ""
        if node.type != "extension_definition":
            return "new"
        extended = _EXTENDED.match(found.text[found.start : found.start + 400].decode("utf-8", "replace"))
        if extended is None or extended["type"] in _GIVEN.findall(extended["own"] or ""):
            return ""
        return extended["type"]

    def joint(self, found: Found) -> str:
        """Titles are set apart from the names of members."""
        return " > " if {"_t", "_g"} & found.captures.keys() else "."

    def kind(self, found: Found) -> SymbolKind:
        """Tests are functions wherever they stand."""
        return "function" if "_t" in found.captures else super().kind(found)

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`object`, `trait`, `type` …; `given` for a named or unnamed one; a name that is a sentence is a test."""
        if "_g" in found.captures:
            return "group"
        if "_t" in found.captures or (found.role == "func" and " " in found.name):
            return "test"
        node_type = "" if found.node is None else found.node.type
        if node_type == "instance_expression":
            outer = found.parent
            is_local = outer is not None and (outer.is_callable or outer.native == _ANONYMOUS)
            return "value" if "n" in found.captures and not is_local else _ANONYMOUS
        if node_type in ("given_definition", "extension_definition"):
            return node_type.partition("_")[0]
        return super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """Values of objects and files if they are final, implicit, or upper-case; nothing of a passing object."""
        parent = found.parent
        node_type = "" if found.node is None else found.node.type
        if node_type == "instance_expression":
            return parent is None or not (
                parent.role in ("scope", "const") and parent.end == found.end and parent.native != _ANONYMOUS
            )
        if parent is not None and parent.native == _ANONYMOUS:
            return False
        if found.role != "const" or node_type == "given_definition":
            return True
        if parent is not None and (parent.role == "const" or _CONSTANT_HOLDERS.isdisjoint(parent.natives)):
            return False
        words = self._before(found).split()
        if parent is not None and parent.native == "trait":
            return b"implicit" in words
        return b"final" in words or b"implicit" in words or _CONSTANT.match(found.name) is not None

    def is_public(self, found: Found) -> bool:
        """What is neither private nor protected, to whatever scope."""
        if "_t" in found.captures:
            return False
        parent = found.parent
        if parent is not None and parent.role == "scope" and not parent.public:
            return False
        return _HIDDEN.search(self._before(found)) is None

    def is_test_file(self, path: str) -> bool:
        """Source sets and names of tests."""
        return _TEST_FILE.search(path) is not None or super().is_test_file(path)

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What JUnit is told to run; in files of tests suites and titled blocks."""
        if any(name.rpartition(".")[2] == "Test" for name in definition.decorators):
            return True
        if not in_test_file:
            return False
        if definition.kind == "type":
            return definition.native in ("class", "object") and _TEST_TYPE.match(definition.name) is not None
        return definition.native == "test"

    def docstring(self, found: Found, comment: str | None) -> str | None:
        """Not the licence that stands above a package."""
        return None if found.role == "module" and comment and _LICENCE.search(comment) else comment

    def decorator(self, text: str) -> str:
        """The name without type arguments."""
        matched = _ANNOTATION.match(text)
        return "" if matched is None else matched[1]

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The types behind `extends` and `with`."""
        clause = node.child_by_field_name("extend")
        for base in () if clause is None else clause.children_by_field_name("type"):
            if base.is_named:
                yield _text(found, base)

    def value(self, node: Node) -> Node | None:
        """What follows `=`; the body of a given."""
        return node.child_by_field_name("value") or node.child_by_field_name("body")

    def callee(self, window: bytes) -> str:
        """The name before type arguments."""
        arguments = _TYPE_ARGUMENTS.search(window) if window.endswith(b"]") else None
        return super().callee(window if arguments is None else window[: arguments.start()])

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Packages, and the names taken from them, which start at the first type: `a.b`, `Outer.inner`."""
        for part in separated(_COMMENT.sub(" ", text).strip().removeprefix("import")):
            path, brace, selectors = part.partition("{")
            steps = ["".join(step.split()) for step in path.replace("`", "").split(".")]
            names = (
                [_SELECTOR.split(item.strip())[0] for item in selectors.rstrip(" }\r\n").split(",")]
                if brace
                else []
            )
            if not brace:
                last = _SELECTOR.split(path.replace("`", "").rpartition(".")[2].strip())[0]
                names, steps[-1] = [last], ""
            steps = [step for step in steps if step and step != "_root_"]
            first = next((at for at, step in enumerate(steps) if step[:1].isupper()), len(steps))
            package, outer = steps[:first] or steps[:1], steps[first or 1 :]
            taken = tuple(".".join([*outer, "*" if name == "_" else name]) for name in names if name)
            if package:
                yield ".".join(package), taken
            else:
                yield from ((name, ()) for name in taken)

    def is_entry_point(self, syntax: Syntax) -> bool:
        """`@main`, a method `main` of an object, or an object that is an application."""
        return any(
            "main" in item.decorators
            or (item.name == "main" and item.parent is not None and item.parent.native == "object")
            or (item.native == "object" and bool(_APPLICATIONS.intersection(item.bases)))
            for item in syntax.definitions
        )

    def _before(self, found: Found) -> bytes:
        """The text before the name, what is in quotes and parentheses left out."""
        start = max(found.lead, found.name_start - _WINDOW)
        if start >= found.name_start:  # the name stands before: that of a value which is an anonymous class
            start = found.text.rfind(b"\n", max(0, found.name_start - _WINDOW), found.name_start) + 1
        return _TEXTS.sub(b" ", found.text[start : found.name_start])


def _end_of_code(text: bytes, start: int, end: int) -> int:
    """Where a definition ends: the grammar lets one without braces run on over the comments of the next."""
    for _ in range(_MAX_COMMENTS):
        code = text[max(start, end - _MAX_COMMENT) : end].rstrip()
        offset = end - len(text[max(start, end - _MAX_COMMENT) : end])
        last = code.rfind(b"\n") + 1
        if code.endswith(b"*/"):
            opened = code.rfind(b"/*")
            if code[code.rfind(b"\n", 0, opened) + 1 : opened].strip() or opened < 0:
                break
            end = offset + opened
        elif last and code[last:].lstrip().startswith(b"//"):
            end = offset + last
        else:
            break
    return end


def _text(found: Found, node: Node) -> str:
    return found.text[node.start_byte : node.end_byte].decode("utf-8", "replace")


TRAITS = ScalaTraits
