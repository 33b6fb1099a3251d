"""Where the links of a document lead: files of the repository, and those that are not there."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple
from urllib.parse import unquote

from t2c.ledger.intake.base import Tree
from t2c.ledger.intake.inline import blanked
from t2c.ledger.intake.vocabulary import EXTENSIONS, words

__all__ = ["Links", "links", "located", "normal_path"]

_INLINE: Final = re.compile(r"\]\(\s*+(?:<([^<>]{1,500})>|([^\s()<>]{1,500}))")
_LABEL: Final = re.compile(r"\[([^\[\]]{1,200})\](?!\()(?:\[([^\[\]]{0,200})\])?")
_ROLE: Final = re.compile(r":(doc|download):`([^`]{1,500})`")
_TARGET: Final = re.compile(r"<([^<>]+)>$")
_HYPERLINK: Final = re.compile(r"`[^`<>]{0,300}<([^`<>\s]{1,500})>`_")
_SCHEME: Final = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_UNFIT: Final = re.compile(r"[{}%\s|\"'\\*?\x00-\x1f]")
_PICTURES: Final = words("png jpg jpeg gif svg webp ico bmp avif mp4 webm mov pdf")
_PAGES: Final = (
    ".md",
    ".mdx",
    ".rst",
    ".markdown",
    "/index.md",
    "/README.md",
    "/index.mdx",
    "/index.rst",
    "/_index.md",
)
_MOST: Final = 100
"""Links looked at in one statement."""


class Links(NamedTuple):
    """The files that a statement links to, and its links to files that are missing, as they are written."""

    paths: tuple[str, ...]
    broken: tuple[str, ...]


_NO_LINKS: Final = Links((), ())


def links(text: str, references: Mapping[str, str], folder: str, tree: Tree) -> Links:
    """Resolve every link of one statement against the tree, from the folder of its document.

    URLs, anchors, routes of a site (`/api/x`), pictures and what leads above the root are neither.
    """
    if "[" not in text and "`" not in text:
        return _NO_LINKS
    paths: set[str] = set()
    broken: set[str] = set()
    for index, (target, page) in enumerate(_targets(text, references)):
        if index >= _MOST:
            break
        path, missing = located(target, folder, tree, page=page)
        if path is not None:
            paths.add(path)
        elif missing:
            broken.add(target)
    return Links(tuple(sorted(paths)), tuple(sorted(broken))) if paths or broken else _NO_LINKS


def _targets(text: str, references: Mapping[str, str]) -> Iterator[tuple[str, bool]]:
    """(target, it is a page named without its ending) of each link."""
    bare = blanked(text) if "`" in text else text
    if "](" in bare:
        for match in _INLINE.finditer(bare):
            yield match[1] or match[2], False
    if references and "[" in bare:
        for match in _LABEL.finditer(bare):
            label = match[2] or match[1]
            href = references.get(" ".join(label.split()).lower().upper())
            if href:
                yield href, False
    if ":`" in text:
        for match in _ROLE.finditer(text):
            inner = _TARGET.search(match[2])
            yield (inner[1] if inner else match[2]), match[1] == "doc"
    if ">`_" in text:
        for match in _HYPERLINK.finditer(text):
            yield match[1], False


def normal_path(target: str, folder: str) -> str | None:
    """A relative target as a path from the root; None if it leads above the root or nowhere."""
    parts = folder.split("/") if folder else []
    for part in target.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts) or None


def located(target: str, folder: str, tree: Tree, *, page: bool = False) -> tuple[str | None, bool]:
    """(the file that a link target names, True if it names a file and the repository has none).

    A target without an ending is a page or a folder: the first of its usual files that exists. With `page` it
    is always a page, as in a `:doc:` role, and one that starts with `/` counts from the root.
    """
    if _SCHEME.match(target) or target.startswith("#"):
        return None, False
    bare = unquote(target.partition("#")[0].partition("?")[0])
    if not bare or _UNFIT.search(bare):
        return None, False
    rooted = bare.startswith("/")
    path = normal_path(bare, "" if rooted else folder)
    if path is None:
        return None, False
    if path in tree:
        ending = path.rpartition(".")[2].lower()
        return (None if ending in _PICTURES else path), False
    stem, dot, ending = path.rpartition(".")
    ending = ending.lower() if dot and "/" not in ending else ""
    if page or not ending or ending in ("html", "htm"):
        base = path if page or not ending else stem
        found = next((base + end for end in _PAGES if base + end in tree), None)
        return found, found is None and page and not rooted
    missing = ending in EXTENSIONS and ending not in _PICTURES and not rooted
    return None, missing
