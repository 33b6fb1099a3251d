"""What the search for secrets costs a record that holds none.

python tests/bench/redaction.py [--quick] [--rounds N] [--rows GLOB]
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from common import Asked, NotHere, Row, alone, cost, record

RECORDS = 2_000


def clean(asked: Asked) -> Iterator[Row]:
    """Texts of 1.2 KB, with and without known secret values to look for."""
    try:
        from t2c.ledger.redaction.funnel import mask
    except ImportError:
        raise NotHere("there is no funnel yet") from None
    texts = [record(number).data.decode() for number in range(asked.size(RECORDS))]
    size = sum(map(len, texts)) / len(texts)
    for name, what, known in (
        ("redaction-clean", "no known secrets", ()),
        (
            "redaction-known",
            "five known secrets",
            tuple(f"correct-horse-battery-{number}" for number in range(5)),
        ),
    ):
        spent = []
        for _ in range(asked.rounds):
            spent.append(cost(lambda known=known: [mask(text, known) for text in texts]).cpu)  # type: ignore[misc]
        assert all(mask(text, known).text == text for text in texts)
        yield Row(
            name,
            f"search of a record of {size:.0f} bytes that holds no secret, {what}",
            value=statistics.median(spent) / len(texts) * 1e6,
            unit="us CPU",
            must="<= 3",
        )


MEASURES = {"redaction-clean": clean}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
