"""Names within references: an image without its tag, an action without its version, a requirement's package."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

__all__ = ["Requirement", "action_name", "image_name", "requirement", "safe_constraint"]

_REQUIREMENT: Final = re.compile(
    r"\s*+([A-Za-z0-9][A-Za-z0-9._-]*+)\s*+(?:\[([^\]\n]*+)\])?+\s*+(@[^;\n]*+|\([^()\n]*+\)|[<>=!~][^;\n]*+)?+\s*+(?:;(.*+))?+\Z"
)
_CREDENTIALS: Final = re.compile(r"(://)[^/@\s]++@")
_QUERY: Final = re.compile(r"\?[^\s#]*+")
_MOST: Final = 200


class Requirement(NamedTuple):
    """What a line of PEP 508 asks for."""

    name: str
    constraint: str | None
    extras: tuple[str, ...]
    marker: str | None


def requirement(text: str) -> Requirement | None:
    """A PEP 508 requirement; None if the text is none."""
    match = _REQUIREMENT.match(text)
    if match is None:
        return None
    extras = tuple(sorted(part.strip() for part in (match[2] or "").split(",") if part.strip()))
    constraint = (match[3] or "").strip().removeprefix("(").removesuffix(")").strip()
    return Requirement(
        match[1], safe_constraint(constraint), extras, (match[4] or "").strip()[:_MOST] or None
    )


def safe_constraint(text: str | None) -> str | None:
    """A version constraint or source reference as it may be recorded: without credentials and queries, bounded."""
    if not text:
        return None
    if "://" in text:
        text = _QUERY.sub("", _CREDENTIALS.sub(r"\1", text))
    return text[:_MOST] or None


def image_name(image: str) -> tuple[str, str | None]:
    """(name, tag or digest) of a container image."""
    name, at, digest = image.partition("@")
    cut = name.rfind(":")
    while cut > 0 and _open(name, cut):
        cut = name.rfind(":", 0, cut)
    if cut > 0 and "/" not in name[cut:]:
        return name[:cut], digest or name[cut + 1 :] or None
    return name, digest if at else None


def _open(text: str, at: int) -> bool:
    """True within `${VARIABLE:-default}`."""
    return text.rfind("${", 0, at) > text.rfind("}", 0, at)


def action_name(uses: str) -> tuple[str, str | None]:
    """(action, version) of `owner/name@version`, `task@1` and the like; local paths have no version."""
    if uses.startswith(("./", "../", "docker://")):
        return uses, None
    name, at, version = uses.partition("@")
    return name, version if at else None
