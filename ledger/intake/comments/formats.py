"""How comments are marked in files that no grammar reads, and a scanner that knows strings from comments.

One regular expression walks over strings, line comments and openings of blocks; nothing is looked at twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final, NamedTuple

from t2c.ledger.intake.code.languages import may_be_code

__all__ = ["Marks", "is_media", "marks_of", "scanned"]


class Marks(NamedTuple):
    """What opens a comment to the end of the line, and what opens and closes a block. `strings` are told apart
    from comments; `apart` demands white space before a line mark that does not start its line."""

    line: tuple[str, ...] = ()
    blocks: tuple[tuple[str, str], ...] = ()
    strings: bool = True
    apart: bool = True
    fences: bool = False
    """Fenced code is no text of the file: Markdown."""


_HASH: Final = Marks(("#",))
_SLASH: Final = Marks(("//",), (("/*", "*/"),))
_BOTH: Final = Marks(("#", "//"), (("/*", "*/"),))
_CSS: Final = Marks((), (("/*", "*/"),))
_XML: Final = Marks((), (("<!--", "-->"), ("{#", "#}")), strings=False)
_PAGE: Final = Marks(("//",), (("<!--", "-->"), ("{#", "#}"), ("/*", "*/")), strings=False)
"""Pages hold scripts and styles: what is a string in one language of theirs is none in another."""
_JSP: Final = _PAGE._replace(blocks=(("<%--", "--%>"), *_PAGE.blocks))
_ERB: Final = _PAGE._replace(blocks=(("<%#", "%>"), *_PAGE.blocks))
_HANDLEBARS: Final = _PAGE._replace(blocks=(("{{!--", "--}}"), ("{{!", "}}"), *_PAGE.blocks))
_RAZOR: Final = _PAGE._replace(blocks=(("@*", "*@"), *_PAGE.blocks))
_MARKDOWN: Final = Marks((), (("<!--", "-->"),), strings=False, fences=True)
_MDX: Final = _MARKDOWN._replace(blocks=(*_MARKDOWN.blocks, ("{/*", "*/}")))
_SQL: Final = Marks(("--",), (("/*", "*/"),))
_HASKELL: Final = Marks(("--",), (("{-", "-}"),))
_LISP: Final = Marks((";",), (("#|", "|#"),), strings=True, apart=False)
_INI: Final = Marks(("#", ";"), strings=False)
_PERCENT: Final = Marks(("%",), strings=False)
_ML: Final = Marks(("//",), (("(*", "*)"),))
_SHELL: Final = Marks(("#",), (("<#", "#>"),))
_QUOTE: Final = Marks(('"',), strings=False)
_BATCH: Final = Marks(("REM ", "rem ", "::"), strings=False)

_ENDINGS: Final[Mapping[str, Marks]] = {
    **dict.fromkeys(
        ["yaml", "yml", "toml", "conf", "mk", "mak", "cmake", "bzl", "bazel", "r", "pl", "pm", "tcl", "nim", "jl", "graphql", "graphqls", "gql", "nix", "fish", "zsh", "po", "pot", "env", "editorconfig", "gitignore", "gitattributes", "dockerignore", "npmrc", "service", "crystal", "cr", "awk", "sed", "feature", "robot", "coffee", "dockerfile", "properties", "pyx", "pxd", "pxi"],
        _HASH,
    ),
    **dict.fromkeys(
        ["less", "scss", "proto", "gradle", "groovy", "dart", "zig", "jsonc", "json5", "m", "mm", "v", "sv", "d", "hx", "glsl", "frag", "vert", "wgsl", "cu", "cuh", "sol", "prisma", "thrift", "styl"],
        _SLASH,
    ),
    **dict.fromkeys(["tf", "tfvars", "hcl"], _BOTH),
    "css": _CSS, "sass": _SLASH,
    **dict.fromkeys(
        ["xml", "svg", "xaml", "csproj", "vbproj", "fsproj", "props", "targets", "resx", "plist", "xsl", "xslt", "xsd", "wsdl", "pom", "storyboard", "xib", "fxml"],
        _XML,
    ),
    **dict.fromkeys(["html", "htm", "xhtml", "jinja", "j2", "jinja2", "njk", "twig", "liquid", "vue", "svelte", "astro"], _PAGE),
    **dict.fromkeys(["jsp", "jspf", "aspx", "ascx"], _JSP),
    **dict.fromkeys(["erb", "ejs"], _ERB),
    **dict.fromkeys(["hbs", "handlebars", "mustache"], _HANDLEBARS),
    **dict.fromkeys(["cshtml", "razor"], _RAZOR),
    **dict.fromkeys(["md", "markdown"], _MARKDOWN),
    "mdx": _MDX,
    **dict.fromkeys(["sql", "psql", "ada", "adb", "ads", "vhd", "vhdl", "elm"], _SQL),
    **dict.fromkeys(["hs", "lhs", "purs"], _HASKELL),
    **dict.fromkeys(["lisp", "lsp", "cl", "el", "scm", "ss", "rkt", "clj", "cljs", "cljc", "edn", "asm", "s", "fnl"], _LISP),
    **dict.fromkeys(["ini", "cfg", "desktop", "reg"], _INI),
    **dict.fromkeys(["tex", "sty", "cls", "bib", "erl", "hrl"], _PERCENT),
    **dict.fromkeys(["fs", "fsx", "fsi", "ml", "mli"], _ML),
    **dict.fromkeys(["ps1", "psm1", "psd1"], _SHELL),
    "vim": _QUOTE,
    **dict.fromkeys(["adoc", "asciidoc"], Marks(("//",), (("////", "////"),), strings=False)),
    "rst": Marks((".. ",), strings=False),
    **dict.fromkeys(["bat", "cmd"], _BATCH),
}  # fmt: skip
_NAMES: Final[Mapping[str, Marks]] = {
    **dict.fromkeys(
        ["Dockerfile", "Containerfile", "Makefile", "makefile", "GNUmakefile", "Justfile", "justfile", "CMakeLists.txt", "requirements.txt", "Pipfile", "BUILD", "WORKSPACE", "CODEOWNERS", "Procfile", "Brewfile", "Tiltfile", "Jenkinsfile.hash", ".env.example", "Caddyfile"],
        _HASH,
    ),
    "Jenkinsfile": _SLASH,
}  # fmt: skip
_CODE: Final = Marks(("//", "#", "--"), (("/*", "*/"),))
"""For code that could not be parsed."""

_MEDIA: Final = frozenset(
    [
        "png",
        "jpg",
        "jpeg",
        "gif",
        "webp",
        "ico",
        "icns",
        "bmp",
        "tiff",
        "tif",
        "psd",
        "ai",
        "eps",
        "pdf",
        "woff",
        "woff2",
        "ttf",
        "otf",
        "eot",
        "mp3",
        "mp4",
        "wav",
        "ogg",
        "flac",
        "webm",
        "mov",
        "avi",
        "zip",
        "gz",
        "tgz",
        "bz2",
        "xz",
        "zst",
        "7z",
        "rar",
        "jar",
        "war",
        "whl",
        "egg",
        "so",
        "dylib",
        "dll",
        "exe",
        "bin",
        "o",
        "a",
        "lib",
        "obj",
        "class",
        "pyc",
        "wasm",
        "db",
        "sqlite",
        "sqlite3",
        "pack",
        "idx",
        "parquet",
        "npy",
        "npz",
        "onnx",
        "pt",
        "gpg",
        "pgp",
        "der",
        "p12",
        "pfx",
        "jks",
        "keystore",
        "mo",
    ]
)


def is_media(path: str) -> bool:
    """True for files that hold no text: pictures, sounds, fonts, archives, what compilers make."""
    return path.rpartition(".")[2].lower() in _MEDIA


def marks_of(path: str) -> Marks | None:
    """The marks of a file's format; None if none are known, or there are no comments in it."""
    name = path[path.rfind("/") + 1 :]
    if (named := _NAMES.get(name)) is not None:
        return named
    ending = name[name.rfind(".") + 1 :].lower() if "." in name else ""
    if (found := _ENDINGS.get(ending)) is not None:
        return found
    if name.startswith("Dockerfile."):
        return _HASH
    return _CODE if may_be_code(path) else None


_NEAR: Final = 40


def _ends_code(text: str, at: int) -> bool:
    """True if what stands before, on its line, is nothing or the end of something in a script, and no prose."""
    before = text[max(0, at - _NEAR) : at].rstrip(" \t")
    return not before or before[-1] in "\n\r;,{}()"


@cache
def _pattern(marks: Marks) -> re.Pattern[str]:
    parts = []
    if marks.fences:
        parts.append(r"(?P<fence>^[ \t]{0,3}(?P<sign>```+|~~~+)[^\n]*$)")
        parts.append(r"(?P<span>(?<!`)(?:``[^\n]+?``|`[^`\n]++`)(?!`))")
    if marks.strings:
        parts.append(r"(?P<string>\"(?:[^\"\\\n]|\\.)*+\"|(?<!\w)'(?:[^'\\\n]|\\.)*+')")
    if marks.blocks:
        # Outside of code a glob like src/*.js opens nothing.
        before = "" if marks.strings else r"(?<![^\s{};,>()])(?=/\*)|(?!/\*)"
        openings = "|".join(re.escape(opening) for opening, _ in marks.blocks)
        parts.append(f"(?P<block>(?:{before})(?:{openings}))")
    if marks.line:
        before = r"(?<![^\s])" if marks.apart else ""
        parts.append(f"(?P<line>{before}(?:" + "|".join(map(re.escape, marks.line)) + r")[^\n]*)")
    return re.compile("|".join(parts), re.MULTILINE)


def scanned(text: str, marks: Marks) -> Iterator[tuple[int, int]]:
    """Where each comment starts and ends, in the order of the text."""
    pattern, closing = _pattern(marks), dict(marks.blocks)
    at = 0
    while (match := pattern.search(text, at)) is not None:
        at = match.end()
        match match.lastgroup:
            case "line":
                if marks.strings or not match[0].startswith("//") or _ends_code(text, match.start()):
                    yield match.start(), at
            case "block":
                end = text.find(closing[match[0]], at)
                if end < 0 and not marks.strings and match[0] == "/*":
                    continue
                at = len(text) if end < 0 else end + len(closing[match[0]])
                yield match.start(), at
            case "fence" | "sign":
                end = text.find("\n" + match["sign"], at)
                at = len(text) if end < 0 else end + 1 + len(match["sign"])
            case _:
                pass
