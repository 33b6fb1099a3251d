"""Inline reStructuredText as the Markdown that every reader of statements understands. Linear in its length.

Literals and code roles become code spans, links `[text](target)`, and roles for numbers `#12`; what only marks up
loses its marks. So a statement reads the same whichever of the two it was written in.
"""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.intake.vocabulary import words

__all__ = ["markdown_of"]

_INLINE: Final = re.compile(
    r"``(?P<literal>(?:[^`]|`(?!`))++)``"
    r"|:(?P<role>[A-Za-z][\w+.:-]{0,40}):`(?P<content>[^`]++)`"
    r"|`(?P<quoted>[^`]++)`(?P<reference>__?(?!\w))?"
    r"|(?<![\w.#])\#?(?P<word>[A-Za-z0-9][\w.+-]{0,60})_(?!\w)"
    r"|\s?\[(?:\d{1,9}|\#\w{0,40}|\*)\]_(?!\w)"
    r"|\\(?P<escaped>.)",
    re.DOTALL,
)
_TARGET: Final = re.compile(r"(?P<text>[^<]*?)\s*<(?P<target>[^<>\s]+)>\s*\Z")
_LABEL: Final = re.compile(r"(?P<text>[^<]*[^<\s])\s*<[^<>]*>\s*\Z")
_DIGITS: Final = re.compile(r"(?<![\w#.-])\d{1,9}(?![\w-])")
_LINKABLE: Final = re.compile(r"[^()\s]+\Z")
_NUMBERS: Final = words("issue issues pr prs pull gh ghpull ghissue gh-issue gh-pr gh-pull ticket bug mr")
_CODE: Final = words(
    "func meth class mod attr data exc obj const property decorator type enum struct member macro file program"
    " command envvar code option opt samp kbd literal var"
)
_CALLED: Final = words("func meth")
_NAMED: Final = {
    "pep": "PEP ",
    "rfc": "RFC ",
    "cve": "CVE-",
    "bpo": "bpo-",
    "user": "@",
    "ghuser": "@",
    "ghsa": "GHSA-",
}


def markdown_of(text: str) -> str:
    """The same words in Markdown's marks; plain text comes back as it is."""
    return _INLINE.sub(_turned, text) if "`" in text or "_" in text or "\\" in text else text


def _turned(found: re.Match[str]) -> str:
    if (literal := found["literal"]) is not None:
        return f"`` {literal} ``" if "`" in literal else f"`{literal}`"
    if (role := found["role"]) is not None:
        return _role(role.rpartition(":")[2].lower(), found["content"])
    if (quoted := found["quoted"]) is not None:
        return _link(quoted) if found["reference"] else f"`{quoted}`"
    if found["word"] is not None:
        return found[0][:-1]
    escaped = found["escaped"]
    return "" if escaped is None or escaped.isspace() else escaped


def _role(role: str, content: str) -> str:
    if role in _NUMBERS:
        return _DIGITS.sub(r"#\g<0>", content)
    if role in _NAMED:
        return content if content.startswith(_NAMED[role]) else _NAMED[role] + content
    label = _LABEL.match(content)
    told = (label["text"] if label else content).lstrip("~!")
    if role in _CODE:
        return f"`{told}()`" if role in _CALLED and not told.endswith(")") else f"`{told}`"
    return told


def _link(quoted: str) -> str:
    match = _TARGET.match(quoted)
    if match is None:
        return quoted
    text, target = match["text"], match["target"]
    if not text:
        return target
    return f"[{text}]({target})" if _LINKABLE.match(target) and not target.endswith("_") else text
