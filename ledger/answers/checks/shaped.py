"""Shaped words: adopted only by a person's approval of the exact text, with every question settled (answers §5)."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.answers.approving import approvals_of
from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks import question
from t2c.ledger.linking.language.detect import language_of, look

__all__ = ["check"]

_NAMES: Final = {
    "english": "en", "polish": "pl", "polski": "pl", "german": "de", "deutsch": "de", "french": "fr", "français": "fr",
    "spanish": "es", "español": "es",
}  # fmt: skip
_SURE: Final = 3
"""Signs of English that a text must have before it is called English."""


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow shaped words."""
    value: Any = claim.value
    yield _language(value.language, value.proposal)
    questions = list(question.check(claim, bench))
    yield from questions
    open_now = sum(found.result != "supported" for found in questions)
    digest = sha256(value.proposal.encode()).hexdigest()
    granted = approvals_of(bench.ledger, claim.event)
    fitting = [entry for entry, given in granted if given == digest]
    if not granted:
        yield Found("approval", "unresolvable", "nobody has approved the text: `t2c answers approve`")
    elif not fitting:
        yield Found(
            "approval",
            "refuted",
            "what was approved is another text than this: the approval is stale",
            evidence=tuple(entry.id for entry, _ in granted),
        )
    elif open_now:
        many = f"{open_now} question{' is' if open_now == 1 else 's are'}"
        yield Found(
            "approval", "unresolvable", f"the text is approved, and {many} open", evidence=(fitting[-1].id,)
        )
    else:
        by = str(fitting[-1].actor)
        yield Found(
            "approval",
            "supported",
            f"{by} approved exactly this text, {digest[:12]}",
            evidence=(fitting[-1].id,),
        )


def _language(said: str, text: str) -> Found:
    """Whether the text is in the language that it is said to be in, where its words tell."""
    wanted = said.strip().lower().partition("-")[0].partition("_")[0]
    wanted = _NAMES.get(wanted, wanted)
    seen = look(text)
    found = language_of(seen) or ("en" if seen.english >= _SURE and not seen.foreign else None)
    if found is None:
        return Found("language", "unresolvable", f"its words do not tell whether it is {said}")
    if found == wanted:
        return Found("language", "supported", f"its words are {found}")
    return Found("language", "inconsistent", f"it is said to be {said}, and its words are {found}")
