"""Which members of an event name objects in `objects/`: one table for whoever copies, checks or takes in events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

__all__ = ["CITING", "FROM_THE_START", "OFFERING", "SEALED", "is_digest", "objects_of", "offered_by"]

FROM_THE_START = frozenset({"observation.noted"})
"""The types whose objects a bundle accounts for when its manifest does not say `citing`."""

CITING = {
    "observation.noted": ("objects",),
    "llm.asked": ("request", "schema_digest", "brief_digest", "manifest"),
    "llm.answered": ("content", "raw"),
    "llm.unusable": ("content", "raw"),
    "answer.recorded": ("content",),
    "answer.verified": ("objects",),
    "gate.ran": ("output",),
    "heldout.revealed": ("files",),
    "test.frozen": ("files",),
    "patch.rendered": ("shown",),
}
"""Event type → the members of its `data` that name objects by SHA-256: one, a list, or a list of files with their
`content`. `data_hash` names one for every type."""

OFFERING = {"approval.granted": ("digest", "shown")}
"""The same for objects that may be kept or not: they come along, and nobody misses them."""

SEALED = "sealed"
"""Why an object is missing that never was one: in its place stands a commitment to what is kept outside of the ledger
until it is revealed."""

_SEALED_ROOT = "held_out"
_HEX64 = re.compile(r"[0-9a-f]{64}\Z")


def is_digest(name: Any) -> bool:
    """True for the name of an object."""
    return isinstance(name, str) and _HEX64.match(name) is not None


def objects_of(kind: str, member: Callable[[str], Any]) -> Iterator[str]:
    """The objects that the payload of an event of the type `kind` cites; `member` gives a member of it or None.

    What a sealed answer names is a commitment, and no object. Whether that which a model said is sealed, its question
    alone says.
    """
    names = CITING.get(kind, ())
    if kind == "answer.recorded" and member("root") == _SEALED_ROOT:
        names = ()
    for name in names:
        yield from _named(member(name))


def offered_by(kind: str, member: Callable[[str], Any]) -> Iterator[str]:
    """The objects that come along with such an event where they are kept."""
    for name in OFFERING.get(kind, ()):
        yield from _named(member(name))


def _named(value: Any) -> Iterator[str]:
    for one in value if isinstance(value, list) else (value,):
        name = one.get("content") if isinstance(one, dict) else one
        if is_digest(name):
            yield str(name)
