"""What `.gitattributes` at the root says of files: `linguist-generated` and `linguist-vendored` (case 47)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from t2c.ledger.intake.base import Tree
from t2c.ledger.intake.ignore import Level, as_bytes_text, decide, parse_rules

__all__ = ["said_generated"]

_FILE: Final = ".gitattributes"
_SET: Final = frozenset(
    {"linguist-generated", "linguist-generated=true", "linguist-vendored", "linguist-vendored=true"}
)
_UNSET: Final = frozenset({"-linguist-generated", "linguist-generated=false"})


def said_generated(path: str, tree: Tree) -> bool:
    """True if an attribute says that the file was made by a program, or taken from somewhere else. Last match wins."""
    if _FILE not in tree:
        return False
    content = tree.content(_FILE)
    levels = () if content is None else _levels(content)
    if not levels:
        return False
    text = as_bytes_text(path)
    rule = decide(levels, text[text.rfind("/") + 1 :], text, False)
    return rule is not None


@lru_cache(maxsize=4)
def _levels(content: bytes) -> Sequence[Level]:
    """The patterns as ignore rules: those that set the attribute ignore, those that unset it take back."""
    lines = []
    for line in content.splitlines():
        pattern, *attributes = line.split()[:50] or [b""]
        said = {item.decode("utf-8", "replace") for item in attributes}
        if not pattern or pattern.startswith((b"#", b"[", b'"')):
            continue
        if said & _SET:
            lines.append(pattern.lstrip(b"!"))
        elif said & _UNSET:
            lines.append(b"!" + pattern.lstrip(b"!"))
    rules = parse_rules(b"\n".join(lines), _FILE)
    return (Level(rules, ""),) if rules else ()
