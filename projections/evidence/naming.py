"""The names of symbols that a statement spells out, and whether a commit changed one of them."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Final

from t2c.projections.evidence.code import leaf, strings
from t2c.projections.facts import Fact

__all__ = ["changes", "names_in"]

_QUOTED: Final = re.compile(r"`([^\W\d]\w{0,99}(?:(?:\.|::|#|->)[^\W\d]\w{0,99}){0,9})(?:\(\))?`")
"""A name in backticks, qualified or not."""
_JOINTS: Final = re.compile(r"::|#|->")


def names_in(fact: Fact) -> frozenset[str]:
    """The symbols that a statement names: as its targets, or as names in backticks that are no paths."""
    target = fact.statement.target
    quoted = (name for name in _QUOTED.findall(fact.statement.text) if name not in target.paths)
    return frozenset(_JOINTS.sub(".", name.removesuffix("()")) for name in (*target.symbols, *quoted))


def changes(commit: Fact, names: Collection[str]) -> bool:
    """Whether the diff of a commit holds one of these names; of no names it is not asked."""
    if not names:
        return True
    diff = commit.metadata.diff
    if not isinstance(diff, Mapping):
        return False
    defined = (symbol.rpartition("::")[2] for symbol in strings(diff.get("symbols")))
    held = {leaf(name) for name in (*defined, *strings(diff.get("names")))}
    return not held.isdisjoint(leaf(name) for name in names)
