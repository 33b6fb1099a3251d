"""Shell: functions, variables in capitals, sourced files; tests of Bats (POSIX sh, Bash, ksh)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from t2c.ledger.intake.code.outline import Definition, Found, SymbolKind, Syntax
from t2c.ledger.intake.code.traits import MAX_NAME, LinePattern, Traits, joined_path, plain_name

if TYPE_CHECKING:
    from tree_sitter import Node

__all__ = ["TRAITS"]

_TEST: Final = re.compile(
    rb"^[ \t]*(@test[ \t]+(\"(?:[^\"\\\n]|\\.){0,500}\"|'[^'\n]{0,500}'|[^\s\"'][^\"'\n{]{0,200}?)[ \t]+)\{",
    re.MULTILINE,
)
"""A test of Bats; its title is group 2."""
_READ_FILE: Final = re.compile(rb"\$\(<(?![<(&])")
_ONE_SIGN: Final = re.compile(rb"(\[\[ [^\n\]]{0,200}? )= (?=\*)")
_SAID_TEST: Final = re.compile(rb"\{[ \t]*#[ \t]*@test\b")
_NOT_IN_A_WORD: Final = re.compile(rb"[^A-Za-z0-9_]")
_TEST_FILE: Final = re.compile(r"\.bats\Z")
_TEST_NAME: Final = re.compile(r"test(?:_|[A-Z]|\Z)")
_BUILTIN: Final = frozenset(
    (
        *(".", ":", "[", "alias", "bg", "bind", "break", "builtin", "caller", "cd", "command", "compgen"),
        *(
            "complete",
            "compopt",
            "continue",
            "declare",
            "dirs",
            "disown",
            "echo",
            "enable",
            "env",
            "eval",
            "exec",
        ),
        *(
            "exit",
            "export",
            "false",
            "fc",
            "fg",
            "getopts",
            "hash",
            "help",
            "history",
            "jobs",
            "kill",
            "let",
            "load",
        ),
        *(
            "local",
            "logout",
            "mapfile",
            "nohup",
            "popd",
            "printf",
            "pushd",
            "pwd",
            "read",
            "readarray",
            "readonly",
        ),
        *(
            "return",
            "run",
            "set",
            "shift",
            "shopt",
            "source",
            "sudo",
            "suspend",
            "test",
            "time",
            "times",
            "trap",
        ),
        *(
            "true",
            "type",
            "typeset",
            "ulimit",
            "umask",
            "unalias",
            "unset",
            "wait",
            "xargs",
            "bats_load_library",
        ),
    )
)
_CALLEE: Final = re.compile(r"[\w.:+@-]*[^\W\d_][\w.:+@-]*\Z|\[\Z")
_PLACE: Final = re.compile(
    r"(?:\$\{(?P<braced>\w+)[^{}/]*(?:/\*)?\}|\$(?P<name>\w+)|\$\((?P<run>[^()]*(?:\([^()]*\)[^()]*)*)\)|`(?P<old>[^`]*)`)/"
)
"""The folder that an expansion in front of a path stands for."""
_OWN_FOLDER: Final = re.compile(
    r"BASH_SOURCE|BATS_TEST_DIRNAME|dirname|(?:\A|_)(?:DIR|HERE|SCRIPT_?DIR|CURRENT_?DIR|DIRNAME)\Z|\A(?:0|PWD)\Z",
    re.IGNORECASE,
)
_ENDINGS: Final = ("", ".bash", ".sh")
_LICENCE: Final = re.compile(r"copyright|licen[cs]e|SPDX|all rights reserved", re.IGNORECASE)
_NAME: Final = rb"(?P<n>[A-Za-z_\x80-\xff][\w.:+@\x80-\xff-]{0,160})"
_MAX_PARTS: Final = 50
"""Assignments of one `declare` that are looked at."""


class BashTraits(Traits):
    """Shell scripts and Bats files."""

    plain_values = frozenset({"number"})
    directives: ClassVar[re.Pattern[str]] = re.compile(
        r"shellcheck|shfmt|bats |vim:|SPDX|Copyright|-\*-|!|@|<", re.IGNORECASE
    )
    line_patterns = (
        LinePattern(
            re.compile(rb"^[ \t]*(?P<n>@test[ \t]+[^\s{][^\n{]{0,300}?)[ \t]+\{", re.MULTILINE),
            "func",
            "test",
        ),
        LinePattern(
            re.compile(rb"^[ \t]*(?:function[ \t]+)?" + _NAME + rb"[ \t]*\([ \t]*\)", re.MULTILINE),
            "func",
            "function",
        ),
        LinePattern(
            re.compile(rb"^[ \t]*function[ \t]+" + _NAME + rb"[ \t]*(?:[{(]|\r?$)", re.MULTILINE),
            "func",
            "function",
        ),
    )

    def for_grammar(self, text: bytes) -> bytes:
        """Without the first line `#!`, which is no comment; with `@test "title" {` as the head of a function.

        `$(< "file")` is shown as a command; `[[ a = *"b c" ]]` fails, and takes the rest of the file with it, where `==` does not.
        """
        if text.startswith(b"#!"):
            end = text.find(b"\n")
            end = len(text) if end < 0 else end
            text = b" " * end + text[end:]
        if b"@test" in text:
            text = _TEST.sub(_as_function, text)
        text = _READ_FILE.sub(b"$(_", text)
        return _ONE_SIGN.sub(rb"\1==", text) if b"[[ " in text else text

    def name(self, found: Found) -> str:
        """The title of a test; else as written."""
        if not found.written.startswith(b"@test"):
            return plain_name(found.written)
        titled = _TEST.match(found.text, found.text.rfind(b"\n", 0, found.start) + 1)
        title = "" if titled is None else titled[2].decode("utf-8", "replace")
        return " ".join((title[1:-1] if title[:1] in ("'", '"') else title).split())[:MAX_NAME]

    def native(self, found: Found, kind: SymbolKind) -> str:
        """`test` for those of Bats; variables that do not say that they stay as they are."""
        if found.written.startswith(b"@test"):
            return "test"
        if found.body is not None and _SAID_TEST.match(found.text, found.body.start_byte):
            return "test"
        return kind

    def is_public(self, found: Found) -> bool:
        """All are global; an underscore in front closes by convention, and nobody calls a test."""
        return not found.name.startswith("_") and not found.written.startswith(b"@test")

    def is_test_file(self, path: str) -> bool:
        """Bats files and what lies where tests do."""
        return path.endswith(".bats") or super().is_test_file(path)

    def is_test(self, definition: Definition, in_test_file: bool) -> bool:
        """What Bats runs; `test…` functions of shunit2 in test files."""
        if definition.native == "test":
            return True
        is_function = definition.kind == "function" and definition.parent is None
        return in_test_file and is_function and _TEST_NAME.match(definition.name) is not None

    def value(self, node: Node) -> Node | None:
        """The one value; of several the first that may be a secret."""
        if node.type == "variable_assignment":
            return node.child_by_field_name("value")
        parts = (part for part in node.named_children[:_MAX_PARTS] if part.type == "variable_assignment")
        values = [value for part in parts if (value := part.child_by_field_name("value")) is not None]
        return next(
            (value for value in values if value.type not in self.plain_values), values[0] if values else None
        )

    def callee(self, window: bytes) -> str:
        """The name of a program or function without its folder; empty if it is built in or worked out."""
        written = window.decode("utf-8", "replace").strip("\"'\\")
        name = written.rpartition("/")[2]
        if written in _BUILTIN or name.startswith("-") or _CALLEE.match(name) is None:
            return ""
        return name.rpartition("::")[2]

    def imports(self, text: str, captures: Mapping[str, list[Node]]) -> Iterable[tuple[str, tuple[str, ...]]]:
        """The one file that is named; a file that is worked out as a whole has no name."""
        (file, *_), (command, *_) = captures["_file"], captures["imp"]
        start = file.start_byte - command.start_byte
        written = text.encode()[start : start + file.end_byte - file.start_byte].decode("utf-8", "replace")
        named = written.replace('"', "").replace("'", "")
        word = text.split(maxsplit=1)[0]
        if file.type == "process_substitution" or named.startswith(("-", "<")) or "\n" in named:
            return
        rest = _PLACE.sub("", named, count=1) if _PLACE.match(named) else named
        if "$" in rest or "`" in rest or not rest.strip("./"):
            return
        yield (
            f"./{named}" if word == "load" and not named.startswith(("/", "$", ".", "~", "`")) else named,
            (),
        )

    def is_relative(self, module: str) -> bool:
        """Beside the file that says it, or in a folder that is worked out."""
        return module.startswith((".", "$", "`"))

    def resolve(self, module: str, path: str) -> str:
        """The path from the root if it starts beside the file; without a folder that only a run would tell."""
        place = _PLACE.match(module)
        if place is None:
            return joined_path(module, path) if module.startswith(("./", "../")) else module
        rest = module[place.end() :]
        return joined_path(rest, path) if _is_own_folder(place) or rest.startswith("../") else rest

    def candidates(self, module: str, path: str) -> Iterable[str]:
        """Beside the file, then from the root; Bats leaves the ending out."""
        if module.startswith(("/", "~")):
            return
        place = _PLACE.match(module)
        rest = module if place is None else module[place.end() :]
        for found in dict.fromkeys(
            (self.resolve(module, path), joined_path(rest, path), rest.removeprefix("./"))
        ):
            yield from (found + ending for ending in _ENDINGS)

    def is_entry_point(self, syntax: Syntax) -> bool:
        """A file that says what runs it."""
        return syntax.text.startswith(b"#!")

    def about_module(self, syntax: Syntax) -> dict[str, Any]:
        """The first line of the comment at the top, if that is neither a definition's nor a licence."""
        if not syntax.comments:
            return {}
        first = last = syntax.comments[0]
        for comment in syntax.comments[1:100]:
            if comment.first != last.last + 1:
                break
            last = comment
        before = syntax.text[: first.start].strip()
        if before and (not before.startswith(b"#!") or b"\n" in before):
            return {}
        if any(item.lines[0] == last.last + 1 for item in syntax.definitions[:1]):
            return {}
        said = syntax.text[first.start : min(last.end, first.start + 4000)].decode("utf-8", "replace")
        lines = [line for line in (self.comment_marks.sub("", part) for part in said.splitlines()) if line]
        if _LICENCE.search(said) or not lines:
            return {}
        told = next((line for line in lines if not self.directives.match(line)), None)
        return {"docstring": told[:200]} if told else {}


def _as_function(found: re.Match[bytes]) -> bytes:
    indent = found[0][: found.start(1) - found.start()]
    return indent + b"f" + _NOT_IN_A_WORD.sub(b"_", found[1][1:-2]) + b"(){"


def _is_own_folder(place: re.Match[str]) -> bool:
    """Whether an expansion is the folder of the file that holds it."""
    told = place["braced"] or place["name"] or place["run"] or place["old"] or ""
    return _OWN_FOLDER.search(told) is not None


TRAITS = BashTraits
