"""Statements of documentation, read by a model, the passages that matter most first (intent-evidence §2.8).

What a model finds beside the statements that are recorded is counted and left out, as in natural language.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.events.interpretation import can_be_read
from t2c.ledger.llm.ask import Asking
from t2c.ledger.llm.responses import document_intent
from t2c.ledger.llm.stages.passages import Matched, Passage, brief_of, matched, tokens_of
from t2c.ledger.llm.stages.prompts import DOCUMENTS
from t2c.ledger.llm.stages.reading import Generator, Readable, parsed

__all__ = ["GENERATOR", "MOST_RECORDS", "Chosen", "asking", "chosen", "hints", "wanted"]

GENERATOR: Final = Generator("t2c/document-openrouter", "1", "openrouter_structured_extraction")
MOST_RECORDS: Final = 120
"""Statements that one answer may hold."""
_HINTS: Final = 200
"""Names of each kind that passages are weighed by."""
_SHORTEST_HINT: Final = 3
_NO_PROSE: Final = frozenset({"trace_tag", "documentation_example", "requirement_anchor"})
"""Kinds of records that no prose was read for."""
_LEADING: Final = re.compile(r"readme|architecture|requirements|protocols|dsl", re.IGNORECASE)


class Chosen(NamedTuple):
    """The passages that are asked about, and how many are left out of each path."""

    passages: tuple[Passage, ...]
    left_out: Mapping[str, int]


def wanted(record: Mapping[str, Any]) -> bool:
    """True for statements of documents that stand on lines; a heading states nothing and is shown above what does."""
    return (
        record["source"]["kind"] == "document"
        and record["source"]["lines"] is not None
        and record["metadata"].get("documentationOrigin") != "heading"
        and record["statement"]["kind"] not in _NO_PROSE
        and can_be_read(record)
    )


def hints(records: Iterable[Readable]) -> frozenset[str]:
    """What other records name: of paths, symbols, tickets and versions the first _HINTS each, in byte order."""
    found: dict[str, set[str]] = {"paths": set(), "symbols": set(), "tickets": set(), "versions": set()}
    for one in records:
        for key, names in found.items():
            names.update(one.statement["target"][key])
    return frozenset(
        name for names in found.values() for name in sorted(names)[:_HINTS] if len(name) >= _SHORTEST_HINT
    )


def chosen(passages: Sequence[Passage], hints: frozenset[str], most: int) -> Chosen:
    """The `most` weightiest passages, in the order in which they came; equal ones in that order, too."""
    ranked = sorted(range(len(passages)), key=lambda place: (-_weight(passages[place], hints), place))
    kept = sorted(ranked[:most])
    left: dict[str, int] = {}
    for place in ranked[most:]:
        path = passages[place].path
        left[path] = left.get(path, 0) + 1
    return Chosen(tuple(passages[place] for place in kept), dict(sorted(left.items())))


def _weight(passage: Passage, hints: frozenset[str]) -> int:
    """Ten for each name that it holds, one for a document that leads into others."""
    return 10 * sum(hint in passage.text for hint in hints) + bool(_LEADING.search(passage.path))


def asking(passage: Passage, model: str, max_tokens: int) -> Asking[Matched]:
    """The question about one passage."""
    response = document_intent(MOST_RECORDS)
    return Asking(
        stage=DOCUMENTS.stage,
        role="extractor",
        model=model,
        messages=DOCUMENTS.messages(passage.text),
        shape=response.shape,
        brief=brief_of("document-passage", passage, {}),
        check=lambda content: matched(passage, parsed(response, content)["records"], GENERATOR),
        max_tokens=tokens_of(passage, max_tokens),
        quote_schema=True,
    )
