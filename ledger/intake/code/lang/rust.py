"""Rust: `impl` qualifies methods, `pub` makes public, attributes mark tests, paths name modules."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import LinePattern, Traits, dotted_path, plain_name, separated

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_PUBLIC: Final = re.compile(rb"pub(?!\s*\(|\w)")
_MANIFEST: Final = re.compile(
    rb"(?:#![^\n\[][^\n]*\n)?\s*(-{3,})[^\n]*\n(?s:.{0,20000}?)^\1[ \t]*$", re.MULTILINE
)
_NOT_LINE_END: Final = re.compile(rb"[^\r\n]")
_STR_MACRO: Final = re.compile(rb"\bstr!(?=\s*[\[({])")
_TYPE_FRONT: Final = re.compile(r"(?:&|\*(?:const|mut)\b|'\w+|mut\b|dyn\b|impl\b|[\s\[(])+")
_TYPE_PATH: Final = re.compile(r"(?:(?:r#)?\w+\s*::\s*)*((?:r#)?\w+)")
_ATTRIBUTE: Final = re.compile(r"#\s*!?\[\s*((?:\w+\s*::\s*)*\w+)")
_TEST: Final = re.compile(r"(?:[a-z_]+_)?test(?:_[a-z_]+)?\Z|(?:rstest|bench|quickcheck|proptest)\Z")
_TEST_FILE: Final = re.compile(r"(?:^|/)(?:tests|testsuite)/|(?:^|/)(?:[^/]*_)?tests\.rs\Z")
_COMMENT: Final = re.compile(r"//[^\n]*|/\*[^*]{0,1000}\*/")
_USE: Final = re.compile(r"(?:pub\s*(?:\([^()]*\)\s*)?)?(use|mod|extern\s+crate)\s+")
_TOKEN: Final = re.compile(r"[{},]|[^{},]+")
_ALIAS: Final = re.compile(r"\s+as\s")
_ROOT_NAMES: Final = frozenset({"lib", "main", "mod", "build"})
_ROOTS: Final = frozenset({"tests", "benches", "examples", "bin"})
_STANDARD: Final = frozenset({"std", "core", "alloc", "proc_macro", "test"})
_OWN: Final = frozenset({"crate", "self", "super"})
_MAX_COMMENTS: Final = 100
_MAX_GAP: Final = 2000
_MAX_LEAVES: Final = 500
"""Names of one `use` that are read."""


class RustTraits(Traits):
    """Rust source files. A trait's methods are named after the type that the trait is implemented for."""

    plain_values = frozenset({"integer_literal", "float_literal", "boolean_literal", "unary_expression"})
    natives: ClassVar[Mapping[str, str]] = {
        "type_item": "type alias",
        "associated_type": "associated type",
        "macro_definition": "macro",
        "static_item": "static",
    }
    ignored_calls = frozenset(
        (
            *("Some", "Ok", "Err", "assert", "assert_eq", "assert_ne", "cfg", "concat"),
            *(
                "debug_assert",
                "debug_assert_eq",
                "debug_assert_ne",
                "env",
                "eprint",
                "eprintln",
                "format",
                "format_args",
            ),
            *("matches", "panic", "print", "println", "pub", "stringify", "unreachable", "vec"),
            *("write", "writeln"),
        )
    )
    line_patterns = (
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:pub(?:\([^()\n]{0,60}\))?[ \t]+)?(?:(?:default|const|async|unsafe)[ \t]+){0,4}"
                rb"(?:extern[ \t]+(?:\"[^\"\n]{0,20}\"[ \t]+)?)?fn[ \t]+(?P<n>(?:r#)?[A-Za-z_\x80-\xff][\w\x80-\xff]*)",
                re.MULTILINE,
            ),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(
                rb"^[ \t]*(?:pub(?:\([^()\n]{0,60}\))?[ \t]+)?(?:unsafe[ \t]+)?(?P<kind>struct|enum|trait|union)[ \t]+"
                rb"(?P<n>[A-Za-z_\x80-\xff][\w\x80-\xff]*)",
                re.MULTILINE,
            ),
            "type",
        ),
    )

    def body(self, node: Node) -> Node | None:
        """Of a macro its first rule."""
        if node.type == "macro_definition":
            return next(iter(node.named_children[1:2]), None)
        return super().body(node)

    def name_node(self, node: Node) -> Node | None:
        """An `impl` is named by its type."""
        return node.child_by_field_name("type" if node.type == "impl_item" else "name")

    def name(self, found: Found) -> str:
        """Of an `impl` the last name of its type, without references and what stands in angle brackets."""
        if found.role != "scope":
            return plain_name(found.written).replace("r#", "")
        written = found.written[:200].decode("utf-8", "replace")
        front = _TYPE_FRONT.match(written)
        path = _TYPE_PATH.match(written, front.end() if front else 0)
        return "_" if path is None else path[1].removeprefix("r#")

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`macro` and `static` are words too; `impl` of a trait is told from that of a type alone."""
        node = found.node
        if node is not None and found.role == "scope":
            return "impl" if node.child_by_field_name("trait") is None else "trait impl"
        word = None if node is None else self.natives.get(node.type)
        return word or super().native(found, kind)

    def is_wanted(self, found: Found) -> bool:
        """What is `const` or `static`, whatever its case."""
        return found.role != "const" or found.name != "_"

    def for_grammar(self, text: bytes) -> bytes:
        """The macro `str!` under another name, since the grammar only knows the type; no manifest of a script."""
        manifest = _MANIFEST.match(text)
        if manifest is not None:
            text = _NOT_LINE_END.sub(b" ", manifest[0]) + text[manifest.end() :]
        return _STR_MACRO.sub(b"s_r!", text)

    def is_public(self, found: Found) -> bool:
        """`pub` without a restriction in modules that are; of traits all; of macros those that are exported."""
        parent = found.parent
        if parent is not None and not (parent.is_record or parent.public):
            return False
        if found.node is not None and found.node.type == "macro_definition":
            return "macro_export" in found.decorators
        if found.role == "scope" or (parent is not None and parent.kind == "type" and parent.is_record):
            return True
        if parent is not None and parent.role == "scope" and parent.native == "trait impl":
            return True
        start = found.lead if found.node is None else found.start
        return _PUBLIC.match(found.text[start : start + 40].lstrip()) is not None

    def exports(self, text: str, node: Node) -> Iterable[str]:
        """The name of a type that the file keeps to itself."""
        yield text

    def exported(self, definition: Definition, exports: set[str] | None) -> bool:
        """What is implemented for a type that the file keeps to itself is as closed as that."""
        parent = definition.parent
        hidden = parent is not None and parent.role == "scope" and parent.name in (exports or ())
        return definition.public and not hidden

    def is_test_file(self, path: str) -> bool:
        """Integration tests, and files that hold the tests of a module."""
        return _TEST_FILE.search(path) is not None

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What carries `#[test]`, one of its kin (`#[tokio::test]`, `#[rstest]`) or `#[bench]`, wherever it stands."""
        return definition.kind in ("function", "method") and any(
            _TEST.match(name.rpartition("::")[2]) for name in definition.decorators
        )

    def decorator(self, text: str) -> str:
        """The path of an attribute."""
        matched = _ATTRIBUTE.match(text)
        return "" if matched is None else "".join(matched[1].split())

    def bases(self, found: Found, node: Node) -> Iterable[str]:
        """The traits that a trait asks for."""
        bounds = node.child_by_field_name("bounds") if node.type == "trait_item" else None
        if bounds is None:
            return
        text = found.text[bounds.start_byte : bounds.end_byte].decode("utf-8", "replace")
        for base in separated(text.lstrip(":")[:2000].replace("+", ",")):
            if not base.startswith(("'", "?")):
                yield base

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """Each path of a `use`; a last name in lower case is of a module, others are taken from what is before.

        `mod x;` and `extern crate x;` depend on what they name. In a module within the file, `super` is the file.
        """
        text = " ".join(_COMMENT.sub(" ", text).split())
        matched = _USE.match(text)
        if matched is None:
            return
        rest = text[matched.end() :].strip(" \t\r\n;")
        if matched[1] != "use":
            name = _ALIAS.split(rest, maxsplit=1)[0].strip()
            yield ("self::" if matched[1] == "mod" else "") + name.removeprefix("r#"), ()
            return
        for path in _leaves(rest):
            module, _, name = path.removeprefix("::").rpartition("::")
            if "_inside" in captures and (module or name).partition("::")[0] == "super":
                module = module[7:] if module.startswith("super::super") else "self" + module[5:]
            if name == "self" or not module:
                yield module or name, ()
            elif name == "*" or name[:1].isupper():
                yield module, (name,)
            else:
                yield f"{module}::{name}", ()

    def is_relative(self, module: str) -> bool:
        """Paths of the own crate."""
        return module.partition("::")[0] in _OWN

    def resolve(self, module: str, path: str) -> str:
        """The module's name as its own file has it; the file itself not at all."""
        steps = _steps(module, path)
        if steps is None:
            return module.replace("::", ".")
        return "" if steps == _place(path)[1] else ".".join(filter(None, [_crate(path), *steps]))

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """The file of the module or of one that holds it; of other crates the root, where workspaces keep them."""
        steps, first = _steps(module, path), module.partition("::")[0]
        if steps is not None:
            root = _place(path)[0]
            for count in range(len(steps), 0, -1):
                place = root + "/".join(steps[:count])
                yield from (f"{place}.rs", f"{place}/mod.rs")
            yield from (f"{root}lib.rs", f"{root}main.rs")
        elif first not in _STANDARD and first not in _OWN:
            for name in dict.fromkeys((first, first.replace("_", "-"))):
                yield from (f"crates/{name}/src/lib.rs", f"{name}/src/lib.rs")

    def module_name(self, path: str, package: str | None) -> str:
        """The path from the crate's root behind the name of the crate."""
        return ".".join(filter(None, [_crate(path), *_place(path)[1]]))

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """The first line of what `//!` says at the top."""
        end = 0
        for comment in syntax.comments[:_MAX_COMMENTS]:
            gap = syntax.text[end : min(comment.start, end + _MAX_GAP)].strip()
            if gap and not gap.startswith(b"#!"):
                break
            end = comment.end
            text = syntax.text[comment.start : min(end, comment.start + _MAX_GAP)]
            if text.startswith((b"//!", b"/*!")):
                for line in text.decode("utf-8", "replace").splitlines():
                    if (said := self.comment_marks.sub("", line)) and not self.directives.match(said):
                        return {"docstring": said[:200]}
        return {}


def _leaves(tree: str) -> Iterator[str]:
    """Each whole path of a `use`, its braces opened, `as` left out."""
    fronts, written, count = [""], "", 0
    for token in _TOKEN.findall(tree + ","):
        if token == "{":
            fronts.append(fronts[-1] + "".join(written.split()))
        elif token in (",", "}"):
            path = "".join(_ALIAS.split(written, maxsplit=1)[0].split())
            if path:
                yield (fronts[-1] + path).replace("r#", "")
                count += 1
            if token == "}" and len(fronts) > 1:
                fronts.pop()
        if count >= _MAX_LEAVES:
            return
        written = "" if token in "{}," else written + token


def _steps(module: str, path: str) -> list[str] | None:
    """The names from the crate's root to a module of the own crate; None for others and above the root."""
    first, *rest = module.split("::")
    if first not in _OWN:
        return None
    own = _place(path)[1]
    if first != "super":
        return [*(own if first == "self" else ()), *rest]
    up = 1 + next((at for at, name in enumerate(rest) if name != "super"), len(rest))
    return None if up > len(own) else [*own[: len(own) - up], *rest[up - 1 :]]


def _crate(path: str) -> str:
    """The folder that holds `src`; `crate` at the root of the repository, `tests.x` for each of its tests."""
    root, own = _place(path)
    *folders, last = root.rstrip("/").split("/")
    if last == "src":
        return folders[-1].replace("-", "_") if folders else "crate"
    return dotted_path(root + "x")[:-1].rstrip(".") if own else dotted_path(path).removesuffix(".mod")


def _place(path: str) -> tuple[str, list[str]]:
    """The folder of the crate's root, with its slash, and the names from there to the module of this file."""
    *folders, name = path.split("/")
    stem = name.removesuffix(".rs")
    start = len(folders)
    for at in range(len(folders) - 1, -1, -1):
        if folders[at] == "src" or folders[at] in _ROOTS:
            start = at + 1
            break
    below = folders[start:]
    is_root = bool(start) and folders[start - 1] in _ROOTS
    if is_root and below and not (stem == "mod" and len(below) == 1):
        start, below, is_root = start + 1, below[1:], False
    if not (stem == "mod" or (not below and (is_root or stem in _ROOT_NAMES))):
        below = [*below, stem]
    return "".join(f"{folder}/" for folder in folders[:start]), below


TRAITS = RustTraits
