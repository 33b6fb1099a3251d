"""Asking a model for a typed answer: what it is shown, the schema it is held to, and the claim that is recorded.

Everything before the brief is the same bytes for one kind of answer, whoever asks and whatever about (decisions D9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Final, Literal, NamedTuple

from t2c.ledger.answers.history import event_named
from t2c.ledger.answers.recording import Recorded, record
from t2c.ledger.answers.roots import ROOTS
from t2c.ledger.errors import Model
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.ask import Asker
from t2c.ledger.llm.asking import Asking, Rejected, Unanswered
from t2c.ledger.llm.base import Brief, Message, Shown
from t2c.ledger.llm.outgoing import RULES, untrusted
from t2c.ledger.llm.parsing import Malformed, parse_answer
from t2c.ledger.llm.strict import strict_shape

__all__ = ["MOST_TEXT", "ROLES", "Asked", "Part", "answer_brief", "ask", "asking_of", "no_answer"]

MOST_TEXT: Final = 400_000
"""Characters that a brief has at most; what does not fit is left out whole and counted."""

ROLES: Final[Mapping[str, str]] = {
    "attempt_report": "implementer",
    "proposal": "planner",
    "assessment": "assessor",
    "monitoring": "monitor",
    "shaped": "shaper",
    "near_miss_variants": "test-writer",
    "special_case_variants": "test-writer",
    "hosted": "planner",
    "explored": "planner",
    "acceptance": "test-writer",
    "reproductions": "test-writer",
    "held_out": "test-writer",
    "review": "test-writer",
    "blocked": "implementer",
    "question": "implementer",
}
"""Who gives an answer of each kind, where nobody says otherwise."""

_TASKS: Final[Mapping[str, str]] = {
    "attempt_report": "Report what was done in the attempt that the data show. Name every file that the diff changes, "
    "and no other. Name only commands that the data show were run.",
    "proposal": "Say how the task would be done. Nothing of it is executed: it is kept and compared with what happens.",
    "assessment": "Compare the code with the specification. For each gap cite the requirement by its own number, and "
    "the place in the code as path:line. List every requirement that you looked at in `checked`.",
    "monitoring": "Look for shortcuts in the diff. Quote the lines that show each one exactly as they stand in the "
    "diff. `suspected` is true if and only if there are findings.",
    "shaped": "Put the person's words into the language of the specification. Name every assumption with its source "
    "and the question that settles it, and give the text back in the person's own words.",
    "near_miss_variants": "Write variants of the code that measure the tests: wrong ones that the tests must fail, and "
    "permitted ones that they must pass. Give each file whole.",
    "special_case_variants": "Write variants of the code that satisfy only the inputs which the visible tests use. "
    "Give each file whole.",
    "hosted": "Report what the planning skill wrote: every file, and what is left to ask the person.",
    "explored": "Name approaches that differ in kind and not in degree, each with what it gives and costs. The person "
    "chooses.",
    "acceptance": "Write acceptance tests for the scenarios of the specification before there is code. They must fail "
    "on the code as it is. One command runs them all; name the program itself, no shell.",
    "reproductions": "Write one test file for each statement: `E…` reproduces the fault and fails now, `U…` guards what "
    "works and passes now. Name the test and the command that runs it.",
    "held_out": "Write tests that the implementer will never see. At least one checks the scenarios of a story together.",
    "review": "Write the tests that the person reads before there is code. Each scenario is in `expectations` or in "
    "`untestable`, and in one of them only.",
    "blocked": "Say why the work cannot go on. Quote in quotation marks, word for word, what shows it: the passages of "
    "the specification, the frozen test by its path, or the refused call.",
    "question": "Ask the person the one question without whose answer the work cannot go on.",
}


class Part(NamedTuple):
    """Something to be shown: what it is, its id or path, and its text."""

    kind: Literal["text", "spec", "file", "diff"]
    id: str
    text: str


class Asked(NamedTuple):
    """What was asked and the answer as it was recorded. `model` is the one that answered."""

    recorded: Recorded
    answered: str
    model: str
    replayed: bool
    omitted: Mapping[str, int]


def answer_brief(root: str, about: str | None, parts: Sequence[Part], omitted: Mapping[str, int]) -> Brief:
    """What a model is shown, each part in a marked span. `omitted` counts what had been left out already."""
    left = dict(omitted)
    size = 0
    shown: list[Shown] = []
    spans: list[str] = []
    for part in parts:
        if size + len(part.text) > MOST_TEXT:
            left["too_much"] = left.get("too_much", 0) + 1
            continue
        size += len(part.text)
        shown.append(Shown(part.id, sha256(part.text.encode("utf-8", "replace")).hexdigest()))
        spans.append(untrusted(f"{part.kind} {part.id}", part.text))
    subject = "" if about is None else untrusted("subject", about) + "\n\n"
    told = "".join(f"\n(left out, {reason}: {count})" for reason, count in sorted(left.items()))
    return Brief(f"answer.{root}", subject + "\n\n".join(spans) + told, tuple(shown), left)


def asking_of(
    root: str, brief: Brief, *, model: str, role: str | None = None, max_tokens: int = 6000
) -> Asking[bytes]:
    """The question for an answer of a root: fixed rules and task, the brief, the strict schema of the type."""
    kind = ROOTS[root]

    def check(content: bytes) -> bytes:
        try:
            parse_answer(kind, content)
        except Malformed as error:
            raise Rejected(error.detail) from None
        return content

    return Asking(
        stage=f"answer.{root}",
        role=role or ROLES[root],
        model=model,
        messages=(
            Message("system", f"{RULES}\n\n{_TASKS[root]}"),
            Message("user", brief.text or "(nothing is shown)"),
        ),
        shape=strict_shape(root, kind),
        brief=brief,
        check=check,
        max_tokens=max_tokens,
    )


def ask(asker: Asker, asking: Asking[bytes], root: str, about: str | None = None) -> Asked:
    """Ask, and record the answer as a claim of the model that gave it.

    Raises Model if no usable answer was to be had, what the asker raises, and what recording raises.
    """
    try:
        found = asker.ask(asking)
    except Unanswered as error:
        raise no_answer(root, error) from None
    entry = event_named(asker.ledger, found.event, "llm.answered")
    actor = Actor("agent", entry.actor.id)
    recorded = record(asker.ledger, root, found.value, actor=actor, about=about, answered=found.event)
    served = found.story.served or found.story.requested
    return Asked(recorded, found.event, served, found.replayed, asking.brief.omitted)


def no_answer(root: str, error: Unanswered) -> Model:
    """What whoever asked is told where no usable answer was to be had."""
    return Model(
        f"there is no answer {root}: {error.detail}",
        safe="nothing was asked"
        if error.code == "LLM_DISABLED"
        else "what was asked and came back is recorded",
        remedy=_REMEDIES.get(error.code, "`t2c llm log --failed` shows what came back"),
        code=error.code,
        reason=error.reason,
    )


_REMEDIES: Final[Mapping[str, str]] = {
    "LLM_DISABLED": "ask with --llm record, or set llm.mode in t2c.toml; a file is recorded with `t2c answers record`",
    "LLM_NOT_CONFIGURED": "give the key of the provider: OPENROUTER_API_KEY",
    "LLM_INVALID_MODEL": "name a model that the provider has: llm.answer_model in t2c.toml",
}
