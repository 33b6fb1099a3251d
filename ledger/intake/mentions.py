"""What prose names: paths, symbols, tickets, numbers and versions (intent-evidence §1.4).

Every function takes one statement and gives sorted unique values; none looks at the repository, except
`resolved`. Where the published vocabulary takes too much, this one is stricter:

* A ticket key is written in capitals, or is one of the words that mean a ticket; prefixes of encodings,
  hashes, standards, licences and advisories (`NOT_KEYS`) are none. `utf-8` is no ticket.
* `#N` is a number of the project itself; `owner/name#N` is not, nor is anything in code.
* Product names (`GitHub`, `TypeScript`, `Node.js`) are neither symbols nor paths.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from typing import Final, NamedTuple

from t2c.ledger.intake.base import Tree
from t2c.ledger.intake.inline import code_spans
from t2c.ledger.intake.vocabulary import (
    EXTENSIONS,
    LITERALS,
    NOT_KEYS,
    PRODUCT_FILES,
    PRODUCTS,
    RECEIVERS,
    ROOTS,
    TLDS,
    words,
)

__all__ = [
    "NOT_KEYS",
    "Mentions",
    "mentions",
    "numbers",
    "paths",
    "resolved",
    "symbols",
    "tickets",
    "versions",
]

_AFTER_SCHEME: Final = re.compile(r"[^\s<>\"'`)\]]*+")
_SCHEME: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-")
_PATH_SIGN: Final = re.compile(r"[./\\]\w")
_TOKEN: Final = re.compile(r"(?<![\w./\\@:~%$+#&=-])[\w@*{}~$:#+%-]*+[./\\][\w./\\@*{}~$:#+%-]++")
_BOLD: Final = re.compile(r"^\*\*(?!/)|(?<!/)\*\*(?=[.:]?$)")
_PLACE: Final = re.compile(r"(?:#L\d+(?:-L?\d+)?|:\d+(?:[:-]\d+)*+)$")
_UNFIT: Final = re.compile(r"[\s<>=(),;\"'|?:#$%&]")
_HEX: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,40}$")
_CONTRACT: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+/v\d+$")
_HOST: Final = re.compile(rf"(?:[a-z0-9-]+\.)+(?:{'|'.join(sorted(TLDS))})$")
_NAME: Final = re.compile(r"[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+$")
_CALL: Final = re.compile(r"\([^()]*+\)$")
_GENERIC: Final = re.compile(r"<[^<>]*+>")
_WORDS: Final = re.compile(r"(?<![\w.$/@#\\-])[A-Za-z_]\w*+(?:\.[A-Za-z_]\w*+)*+(?![\w/\\@-])")
_CAMEL: Final = re.compile(r"[a-z][A-Z]")
_CREDIT: Final = re.compile(r"\([^()#\d/.]{2,60}\)\Z")
_SURNAME: Final = re.compile(r"(?:Mc|Mac|Van|De|de|Du|La|Le)[A-Z][a-z]+\Z")
_DASHED: Final = re.compile(r"-(\d++)(?!\w|[.-]\d)")
_LAST_WORD: Final = re.compile(r"(?<![\w.-])[A-Za-z][A-Za-z0-9]{1,19}\Z")
_TICKET: Final = re.compile(r"(?<![\w.-])ticket[_ ](\d++)(?!\w|[.-]\d)", re.IGNORECASE)
_TICKET_WORDS: Final = words("ticket task issue bug story epic")
_HASH: Final = re.compile(r"#([1-9]\d{0,8})(?!\w|-\w)")
_BEFORE_HASH: Final = words("PR MR GH pr mr gh issue Issue bug Bug")
_GH: Final = re.compile(r"(?<![\w-])gh-([1-9]\d{0,8})(?!\w|-\w)", re.IGNORECASE)
_LINKED: Final = re.compile(r"/(?:-/)?(?:pulls?|issues|merge_requests)/([1-9]\d{0,8})(?![\w-])")
_BARE_LINK: Final = re.compile(r"(?<![\w/-])(?:pulls?|issues)/([1-9]\d{0,8})(?![\w/-])")
_ROLE: Final = re.compile(r"[{:](?:pr|pull|issue|issues|gh)[}:]`([1-9][\d, ]{0,80})`")
_NUMBER: Final = re.compile(r"[1-9]\d{0,8}")
_DOTTED: Final = re.compile(r"\.\d")
_VERSION: Final = re.compile(
    r"(?<![\w.§/=^~-])[vV]?(\d++\.\d++(?:\.\d++)?+"
    r"(?:(?:-[0-9A-Za-z]+(?:\.[0-9A-Za-z]+)*+)|(?:\.?(?:a|b|rc|alpha|beta|dev|post)\d*+))?+)(?!\w|\.\d|[-/]\w)"
    r"(?!\s?(?:%|x\b|×|[µm]?s\b|[kMGT]i?B\b|sec|min|hour|day|times?\b|px\b|r?em\b))"
)


class Mentions(NamedTuple):
    """All that one statement names. `names` are code spans that only the tree can tell to be paths."""

    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    tickets: tuple[str, ...]
    versions: tuple[str, ...]
    names: tuple[str, ...]


def mentions(text: str, home: str | None = None) -> Mentions:
    """Everything in one pass; `tickets` holds keys and numbers. For `home` see `numbers`."""
    if text[1:].islower() and not _may_name(text):
        return _NO_MENTIONS
    prose, spans = _parted(text) if "`" in text or "://" in text else (text, _NONE)
    places, about, names = _NOTHING
    if spans or (("." in prose or "/" in prose or "\\" in prose) and _PATH_SIGN.search(prose)):
        places, about, names = _located(prose, spans)
    keys = _keys(text) if "-" in text or "icket" in text or "ICKET" in text else _EMPTY
    if not prose[1:].islower() and _CAMEL.search(prose):
        about = (about | _camel(prose)) - keys
    cited = keys | _numbers(text, prose, home) if "#" in text or "/" in text or "-" in text or spans else keys
    return Mentions(
        tuple(sorted(places)) if places else (),
        tuple(sorted(about)) if about else (),
        tuple(sorted(cited)) if cited else (),
        tuple(sorted(_versions(prose, spans))) if "." in text and _DOTTED.search(text) else (),
        tuple(sorted(names)) if names else (),
    )


def _may_name(text: str) -> bool:
    """False if a text has none of the signs that a name has: the quick answer for plain sentences."""
    if "`" in text or "." in text or "#" in text or "-" in text:
        return True
    return "/" in text or "\\" in text or "icket" in text


_NO_MENTIONS: Final = Mentions((), (), (), (), ())
_EMPTY: Final[frozenset[str]] = frozenset()
_NONE: Final[tuple[str, ...]] = ()
_Located = tuple[AbstractSet[str], AbstractSet[str], AbstractSet[str]]
_NOTHING: Final[_Located] = (_EMPTY, _EMPTY, _EMPTY)


def paths(text: str) -> tuple[str, ...]:
    """Repository paths: never absolute, never through `..`, never a URL or a home folder."""
    return mentions(text).paths


def symbols(text: str) -> tuple[str, ...]:
    """Names in code and camelCase words of the prose.

    A name in code is dotted, called, in snake_case or has both cases; calls and generics lose their brackets.
    A single lower-case word (`update`) or one all in capitals (`GET`) is none.
    """
    return mentions(text).symbols


def tickets(text: str) -> tuple[str, ...]:
    """`ABC-123`, `TICKET-7` (for `ticket 7`), and `#12` for every form of number."""
    return mentions(text).tickets


def numbers(text: str, home: str | None = None) -> tuple[str, ...]:
    """Pull-request and issue numbers as `#N`: `#N`, `GH-N`, `pull/N`, `issues/N`, `{pr}` and `:issue:` roles.

    With `home`, the lower-case name of the project's own repository, what is linked to another repository
    is left out.
    """
    return tuple(sorted(_numbers(text, _parted(text)[0], home)))


def versions(text: str) -> tuple[str, ...]:
    """Versions of two or three numbers without their `v`; a quantity (`2.5 MB`, `1.5x`) is none."""
    return mentions(text).versions


def resolved(found: Mentions, tree: Tree, folder: str, headings: Sequence[str] = ()) -> tuple[str, ...]:
    """The paths as the tree knows them (intent-evidence §2.5).

    A path that exists, from the root or from `folder` (that of the file read), is that file. A bare name is
    looked for in the folders that the headings name (used if exactly one holds it), then taken if it is
    unique in the tree; else it stays as it is written. A code span that is exactly a file of the tree counts.
    """
    places = {_place(path, tree, folder, headings) for path in found.paths}
    places.update(name for name in found.names if name in tree)
    return tuple(sorted(places))


def _place(path: str, tree: Tree, folder: str, headings: Sequence[str]) -> str:
    if path in tree:
        return path
    beside = f"{folder}/{path}" if folder else path
    if beside in tree:
        return beside
    if "/" in path:
        return path
    under = {f"{part}/{path}" for heading in headings for part in _folders(heading)}
    held = [candidate for candidate in under if candidate in tree]
    if len(held) == 1:
        return held[0]
    alike = tree.named(path)
    return alike[0] if len(alike) == 1 else path


def _folders(heading: str) -> Iterable[str]:
    for token in heading.replace("`", " ").split():
        part = token.strip("\"'(),:;*").removeprefix("./").rstrip("/")
        if part and ("/" in token or part.isidentifier()) and ".." not in part.split("/"):
            yield part


def _parted(text: str) -> tuple[str, Sequence[str]]:
    """The prose with code and URLs blanked, and the contents of the code spans."""
    found = code_spans(text)
    spans = [text[start + width : end - width].strip() for start, end, width in found]
    if found:
        parts: list[str] = []
        end = 0
        for start, stop, _ in found:
            parts.append(text[end:start])
            end = stop
        parts.append(text[end:])
        text = " ` ".join(parts)
    return (_without_urls(text) if "://" in text else text), spans


def _without_urls(text: str) -> str:
    parts: list[str] = []
    end = 0
    sign = text.find("://")
    while sign >= 0:
        start = sign
        while start > end and text[start - 1] in _SCHEME:
            start -= 1
        parts.append(text[end:start])
        match = _AFTER_SCHEME.match(text, sign + 3)
        end = match.end() if match else sign + 3
        sign = text.find("://", end)
    parts.append(text[end:])
    return " ".join(parts)


def _located(prose: str, spans: Sequence[str]) -> _Located:
    """(paths, symbols in code, code that may be a path)."""
    places: set[str] = set()
    about: set[str] = set()
    names: set[str] = set()
    if _PATH_SIGN.search(prose):
        for token in _TOKEN.findall(prose):
            path = _path(_BOLD.sub("", token).rstrip(".:"), in_code=False)
            if path:
                places.add(path)
    for span in spans:
        if _HEX.match(span):
            continue
        head, _, member = span.partition("::")
        path = _path(head, in_code=True)
        if path:
            places.add(path)
            span = member
        symbol = _symbol(span)
        if symbol:
            about.add(symbol)
        if not path and span and span[0] not in "/~-\\" and not _UNFIT.search(span) and ".." not in span:
            names.add(span.replace("\\", "/").removeprefix("./").rstrip("/") or span)
    return places, about, names


def _path(token: str, *, in_code: bool) -> str | None:
    token = token.strip("\"'")
    if ":" in token or "#" in token:
        token = _PLACE.sub("", token)
    if ("." not in token and "/" not in token and "\\" not in token) or _UNFIT.search(token):
        return None
    dotted = token.startswith("./")
    path = re.sub(r"/{2,}", "/", token.replace("\\", "/")).rstrip("/")
    path = path.removeprefix("./") if dotted else path
    if not path or path[0] in "/~@" or _CONTRACT.match(path):
        return None
    parts = path.split("/")
    if ".." in parts or "." in parts or (len(parts) > 1 and _HOST.match(parts[0])):
        return None
    stem, dot, extension = parts[-1].rpartition(".")
    if dot and extension.lower() in EXTENSIONS:
        if len(parts) > 1:
            return path
        telling = in_code or any(char.isalpha() or char == "_" for char in stem)
        member = stem.lower() in RECEIVERS and extension in (
            "json",
            "log",
            "env",
            "lock",
            "conf",
            "properties",
        )
        unfit = not stem or "@" in stem or member or path.lower() in PRODUCT_FILES
        return path if telling and not unfit else None
    if (
        len(parts) > 1
        and (dotted or parts[0].lower() in ROOTS)
        and not all(part[:1].isupper() for part in parts)
    ):
        return path
    return None


def _symbol(span: str) -> str | None:
    if not span or " " in span.partition("(")[0] or span[0] in "-/#.":
        return None
    bare = _CALL.sub("", span)
    called = bare != span
    if "<" in bare:
        bare = _GENERIC.sub("", bare)
    bare = bare.replace("::", ".").replace("#", ".").lstrip("@$").strip(".")
    if len(bare) < 2 or not _NAME.match(bare) or (_HOST.match(bare) and not called):
        return None
    if called or "." in bare or "_" in bare:
        return bare
    return None if bare.islower() or bare.isupper() or bare.lower() in LITERALS else bare


def _camel(prose: str) -> set[str]:
    credit = _CREDIT.search(prose) if prose.endswith(")") else None
    return {
        word
        for word in _WORDS.findall(prose, 0, credit.start() if credit else len(prose))
        if _CAMEL.search(word)
        and word.lower() not in PRODUCTS
        and not word.lower().endswith(".js")
        and not _SURNAME.match(word)
    }


def _keys(text: str) -> set[str]:
    keys: set[str] = set()
    for match in _DASHED.finditer(text):
        before = _LAST_WORD.search(text, max(0, match.start() - 20), match.start())
        if before is None:
            continue
        word = before[0]
        if (word.isupper() and word not in NOT_KEYS and word != "GH") or word.lower() in _TICKET_WORDS:
            keys.add(f"{word.upper()}-{match[1]}")
    if "icket" in text or "ICKET" in text:
        keys.update(f"TICKET-{number}" for number in _TICKET.findall(text))
    return keys


def _numbers(text: str, prose: str, home: str | None) -> set[str]:
    found: set[str] = set()
    if "#" in prose:
        for match in _HASH.finditer(prose):
            start = match.start()
            if start == 0 or prose[start - 1] in "([ " or _own_hash(prose, start):
                found.add(match[0])
    if "gh-" in prose or "GH-" in prose:
        found.update(f"#{number}" for number in _GH.findall(prose))
    if "}`" in text or ":`" in text:
        found.update(f"#{number}" for cited in _ROLE.findall(text) for number in _NUMBER.findall(cited))
    if "://" in text:
        for match in _LINKED.finditer(text):
            name = text[: match.start()].rpartition("/")[2].lower()
            (found.add if home is None or name == home else found.discard)(f"#{match[1]}")
    if "pull/" in prose or "issues/" in prose:
        found.update(f"#{number}" for number in _BARE_LINK.findall(prose))
    return found


def _own_hash(prose: str, position: int) -> bool:
    """False for `owner/name#12`, `C#7`, `&#39;` and the like; `PR#12` is the project's own."""
    before = prose[position - 1 : position]
    if before.isalnum() or before == "_":
        word = _LAST_WORD.search(prose, max(0, position - 20), position)
        return word is not None and word[0] in _BEFORE_HASH
    return before not in ("&", "#", "/")


def _versions(prose: str, spans: Sequence[str]) -> set[str]:
    found = set(_VERSION.findall(prose))
    for span in spans:
        match = _VERSION.match(span)
        if match and match.end() == len(span):
            found.add(match[1])
    return found
