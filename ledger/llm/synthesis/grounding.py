"""Whether conclusions say more than what they cite: one that does is left out, with the word that has no ground.

A citation of what was not shown rejects the whole answer (decisions D1). A word without ground does not: the
citations hold, and nothing is repaired by leaving a conclusion out and saying so.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from t2c.ledger.llm.support import Ground, supported
from t2c.ledger.llm.synthesis.summary import Concluded

__all__ = ["unsupported"]


def unsupported(concluded: Sequence[Concluded], grounds: Mapping[str, Ground]) -> dict[int, str]:
    """Place of each conclusion whose title or detail names something that nothing it cites holds → what."""
    found: dict[int, str] = {}
    for place, one in enumerate(concluded):
        cited = [grounds[identity] for identity in (*one.said.diagnostic_ids, *one.records)]
        for text in (one.said.title, one.said.detail):
            for word, claim in supported(text, cited):
                found.setdefault(place, f"nothing that it cites holds the {claim} “{word}”")
    return found
