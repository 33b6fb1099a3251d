"""Whether what a test says it checks is in the specification: by exact match of whole words, never by guess (answers §6)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Final

from t2c.ledger.answers.base import Bench, Found
from t2c.ledger.answers.checks.quotes import specification

__all__ = ["CHECK", "Spec", "check_scenarios"]

CHECK: Final = "scenarios"
_STATEMENT: Final = re.compile(r"(?<![\w-])[EU][0-9]{1,4}(?![\w-])")


class Spec:
    """The texts of a specification."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = tuple(texts)

    @classmethod
    def of(cls, bench: Bench) -> Spec:
        """The specification on a bench. Raises Environment for a text that cannot be read."""
        return cls(text.body for text in specification(bench))

    @property
    def given(self) -> bool:
        """True if there is any text."""
        return bool(self._texts)

    @cached_property
    def _whole(self) -> str:
        return "\n".join(" ".join(text.split()) for text in self._texts)

    def has(self, name: str) -> bool:
        """True if a scenario or statement stands in it, with its blanks as one and no letter beside it."""
        plain = " ".join(name.split())
        start = self._whole.find(plain) if plain else -1
        while start >= 0:
            end = start + len(plain)
            before, after = self._whole[max(0, start - 1) : start], self._whole[end : end + 1]
            if not (_joined(before) and _joined(plain[0])) and not (_joined(plain[-1]) and _joined(after)):
                return True
            start = self._whole.find(plain, start + 1)
        return False

    def statements(self) -> list[str]:
        """The statements of a bug that it names: `E1` to be reproduced, `U1` to be guarded; each once, in order."""
        return sorted({match[0] for match in _STATEMENT.finditer(self._whole)}, key=_in_order)


def _joined(char: str) -> bool:
    return char.isalnum() or char in ("_", "-") if char else False


def _in_order(name: str) -> tuple[str, int, str]:
    return name[0], int(name[1:]), name


def check_scenarios(spec: Spec, scenarios: Iterable[str]) -> Iterator[Found]:
    """One finding for each scenario, once: it stands in the specification, or that cannot be seen."""
    for name in dict.fromkeys(scenarios):
        if not spec.given:
            yield Found(CHECK, "unresolvable", f"no specification was given to find {name!r} in", item=name)
        elif spec.has(name):
            yield Found(CHECK, "supported", f"{name!r} stands in the specification", item=name)
        else:
            yield Found(
                CHECK, "unresolvable", f"{name!r} is not in the specification that was given", item=name
            )
