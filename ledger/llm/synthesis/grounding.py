"""Whether conclusions and proposals say more than what they cite: one that does is left out, with what has no ground.

A citation of what was not shown rejects the whole answer (decisions D1). A word without ground does not: the
citations hold, and nothing is repaired by leaving a conclusion out and saying so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from t2c.ledger.llm.support import Claim, Ground, Unsupported, named_in, supported, unheld
from t2c.ledger.llm.synthesis.contract import SEVERITIES
from t2c.ledger.llm.synthesis.summary import Citable, Concluded
from t2c.ledger.llm.synthesis.tasks import Raised

__all__ = ["unsupported", "unsupported_tasks"]

_NAMES: Final[frozenset[Claim]] = frozenset(
    {"id", "name", "path", "line", "version", "ticket", "address", "revision"}
)
"""What a proposal may not bring up by itself; figures, quotations and what is to become so are its own."""
_COMMAND: Final = re.compile(
    r"\|\s*(?:ba|z|da)?sh\b|\$\(|&&|(?<![\w-])(?:sudo|curl|wget|chmod|chown|rm -\w+|git (?:push|reset|clean)|eval|ssh|scp)\s+\S+"
)
"""Words of a shell that reach out or cannot be taken back."""


def unsupported(
    concluded: Sequence[Concluded], grounds: Mapping[str, Ground], severities: Mapping[str, str]
) -> dict[int, str]:
    """Place of each conclusion that says more than what it cites → what.

    That is one whose title or detail names, denies or calls done what nothing it cites does, and one that is graver than
    the gravest of its diagnostics; `severities` are theirs by id.
    """
    found: dict[int, str] = {}
    for place, one in enumerate(concluded):
        cited = [grounds[identity] for identity in (*one.said.diagnostic_ids, *one.records)]
        for text in (one.said.title, one.said.detail):
            for claim in supported(text, cited):
                found.setdefault(place, _told(claim))
        gravest = max((severities[identity] for identity in one.said.diagnostic_ids), key=_gravity)
        if _gravity(one.said.severity) > _gravity(gravest):
            found.setdefault(
                place, f"it is {one.said.severity}, and nothing that it cites is more than {gravest}"
            )
    return found


def unsupported_tasks(
    raised: Sequence[Raised], concluded: Sequence[Concluded], citable: Citable, grounds: Mapping[str, Ground]
) -> dict[int, str]:
    """Place of each proposal that names what no diagnostic of its conclusions names, nor a record of one → what.

    A proposal says what is to become so, and is free in that; but paths, symbols, tickets, versions, ids, revisions,
    addresses and commands in its target, title, description and criteria must be named there. A path that is yet to be
    made is no exception: a name that stands nowhere cannot be told from one that was made up, so a new file is to be
    described and not named.
    """
    by_key = {one.said.key: one.said for one in concluded}
    found: dict[int, str] = {}
    for place, one in enumerate(raised):
        diagnostics = {name for key in one.task.conclusion_keys for name in by_key[key].diagnostic_ids}
        records = {name for key in one.task.conclusion_keys for name in by_key[key].record_ids}
        records.update(name for diagnostic in diagnostics for name in citable.diagnostics[diagnostic])
        cited = [grounds[name] for name in sorted(diagnostics | records)]
        for claim in unheld(_claims(one), cited):
            found.setdefault(place, _told(claim))
    return found


def _claims(one: Raised) -> Iterator[Unsupported]:
    """Everything that a proposal names."""
    task, about = one.task, one.target
    yield from (Unsupported(path, "path") for path in about.paths)
    yield from (Unsupported(symbol, "name") for symbol in about.symbols)
    yield from (Unsupported(ticket, "ticket") for ticket in about.tickets)
    yield from (Unsupported(version, "version") for version in about.versions)
    for text in (task.title, task.description, *task.acceptance_criteria):
        yield from (claim for claim in named_in(text) if claim.claim in _NAMES)
        yield from (Unsupported(match[0].strip(), "command") for match in _COMMAND.finditer(text))


def _gravity(severity: str) -> int:
    return SEVERITIES.index(severity)


def _told(claim: Unsupported) -> str:
    return f"nothing that it cites holds the {claim.claim} “{claim.word}”"
