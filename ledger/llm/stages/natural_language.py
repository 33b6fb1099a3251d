"""Statements of tasks and tickets, read by a model: an interpretation of what was found, never a statement more.

(intent-evidence §2.1) The lifecycle stays proposed; what a model finds beside the statements that a deterministic
extractor found is counted and left out: a model is no source of what somebody wants.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from t2c.ledger.events.interpretation import can_be_read
from t2c.ledger.llm.ask import Asking
from t2c.ledger.llm.responses import natural_language_intent
from t2c.ledger.llm.stages.passages import Matched, Passage, brief_of, matched, tokens_of
from t2c.ledger.llm.stages.prompts import NATURAL_LANGUAGE
from t2c.ledger.llm.stages.reading import Generator, parsed

__all__ = ["GENERATOR", "asking", "wanted"]

GENERATOR: Final = Generator("t2c/nl-openrouter", "1", "openrouter_structured_extraction")


def wanted(record: Mapping[str, Any]) -> bool:
    """True for statements of tasks and tickets."""
    return record["source"]["kind"] == "nl" and can_be_read(record)


def asking(passage: Passage, model: str, max_tokens: int) -> Asking[Matched]:
    """The question about a passage of one text."""
    response = natural_language_intent()
    return Asking(
        stage=NATURAL_LANGUAGE.stage,
        role="extractor",
        model=model,
        messages=NATURAL_LANGUAGE.messages(passage.text),
        shape=response.shape,
        brief=brief_of("natural-language", passage, {}),
        check=lambda content: matched(passage, parsed(response, content)["records"], GENERATOR),
        max_tokens=tokens_of(passage, max_tokens),
        quote_schema=True,
    )
