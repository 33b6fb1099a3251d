"""Records of task lists and changelogs, enriched in batches (intent-evidence §6.2, §6.3).

An enrichment may change action, actor, object, polarity, targets, acceptance evidence, confidence and basis; kind,
lifecycle, modality, class, source, version and date stay.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any, Final, NamedTuple

import orjson

from t2c.ledger.events.interpretation import can_be_read
from t2c.ledger.llm.ask import Asking, Rejected
from t2c.ledger.llm.base import Brief, Shown
from t2c.ledger.llm.responses import markdown_enrichment
from t2c.ledger.llm.stages.prompts import MARKDOWN
from t2c.ledger.llm.stages.reading import Generator, Readable, Said, parsed, said

__all__ = ["BATCH", "Enriched", "asking", "generator_of", "wanted"]

BATCH: Final = 32
"""Records of one request."""
_TODO: Final = Generator("t2c/markdown-todo-openrouter", "1", "openrouter_markdown_enrichment")
_CHANGELOG: Final = Generator("t2c/markdown-changelog-openrouter", "1", "openrouter_markdown_enrichment")
_NO_STATEMENTS: Final = frozenset({"comment_marker", "changelog_release"})
"""Kinds of records that are no item of a list: a comment in code, the heading of a release."""
_STRUCTURE: Final = (
    "headingPath", "checked", "state", "explicitId", "category", "version", "releaseDate", "parent",
)  # fmt: skip


class Enriched(NamedTuple):
    """What an answer says of the records of a batch, and which of them it says nothing of."""

    readings: tuple[Said, ...]
    missing: tuple[Readable, ...]


def wanted(record: Mapping[str, Any]) -> bool:
    """True for items of task lists and changelogs."""
    return (
        record["source"]["kind"] in ("todo", "changelog")
        and record["statement"]["kind"] not in _NO_STATEMENTS
        and can_be_read(record)
    )


def generator_of(about: Readable) -> Generator:
    return _TODO if about.kind == "todo" else _CHANGELOG


def asking(batch: Sequence[Readable], model: str, max_tokens: int) -> Asking[Enriched]:
    """The question about a batch of at most BATCH records."""
    lines = [orjson.dumps(_described(one)).decode() for one in batch]
    items = tuple(
        Shown(one.id, sha256(line.encode()).hexdigest()) for one, line in zip(batch, lines, strict=True)
    )
    text = "\n".join(lines)
    known = {one.id: one for one in batch}
    return Asking(
        stage=MARKDOWN.stage,
        role="extractor",
        model=model,
        messages=MARKDOWN.messages(text),
        shape=markdown_enrichment(BATCH).shape,
        brief=Brief("markdown-records", text, items, {}),
        check=lambda content: _checked(content, known),
        max_tokens=max_tokens,
        quote_schema=True,
    )


def _described(about: Readable) -> dict[str, Any]:
    """What is shown of a record: its text, its place in the document's structure, and what was read without a model.

    Lines are left out: what only moved is the same question. So is what was not found, and an object that is the text.
    """
    statement, metadata = about.statement, about.record["metadata"]
    structure = {key: metadata[key] for key in _STRUCTURE if metadata.get(key) not in (None, [], "")}
    shown = {
        "recordId": about.id,
        "kind": statement["kind"],
        "path": about.record["source"]["path"],
        **structure,
        "text": statement["text"],
        "action": statement["action"],
        "actor": statement["actor"],
        "object": None if statement["object"] == statement["text"] else statement["object"],
        "polarity": statement["polarity"],
        "target": {key: names for key, names in statement["target"].items() if names},
    }
    return {key: value for key, value in shown.items() if value not in (None, {})}


def _checked(content: bytes, known: Mapping[str, Readable]) -> Enriched:
    readings: dict[str, Said] = {}
    for number, item in enumerate(parsed(markdown_enrichment(BATCH), content)["enrichments"]):
        place = f"response.enrichments[{number}]"
        identity = item["recordId"]
        about = known.get(identity)
        if about is None:
            raise Rejected(f"{place}.recordId {identity} is not one of the records that were shown")
        if identity in readings:
            raise Rejected(f"{place}.recordId {identity} has an enrichment already")
        readings[identity] = said(about, place, item, generator_of(about))
    missing = tuple(one for identity, one in known.items() if identity not in readings)
    return Enriched(tuple(readings.values()), missing)
