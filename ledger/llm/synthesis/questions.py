"""The two questions of a synthesis: the fixed part of each, the brief, the schema and the rules of its answer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from t2c.ledger.llm.asking import Asking
from t2c.ledger.llm.base import Brief, Message
from t2c.ledger.llm.outgoing import RULES
from t2c.ledger.llm.responses import grounded_summary, grounded_task_synthesis
from t2c.ledger.llm.synthesis.standing import STAGES
from t2c.ledger.llm.synthesis.summary import Citable, Concluded, read_summary
from t2c.ledger.llm.synthesis.tasks import Tasks, read_tasks

__all__ = ["ROLE", "summary_question", "task_question"]

ROLE: Final = "synthesist"

_GROUNDS: Final = (
    "You are shown findings of a deterministic analysis of a repository (diagnostics), the records that they rest on, "
    "and relations between records. Records of source nl, todo, document and agent_log say what is wanted; ast, git, "
    "system and test show what is there; a changelog, a commit message and what an agent reports are claims. "
)
_CONCLUDE: Final = (
    "Conclude what a team must know, the gravest first: what is wanted and not there, what is claimed and not shown, "
    "what contradicts itself, and why several findings may have one cause. Join findings of one cause into one "
    "conclusion instead of repeating each. Every conclusion cites the diagnostics that it follows from and those of "
    "their records that show it. Say nothing that the cited texts do not bear out: no cause, number, name, date or "
    "path that stands in none of them, and call nothing done, approved, verified or released that none of them does. A "
    "conclusion is no graver than the gravest diagnostic that it cites. Where the evidence is thin, say so or leave it out: fewer conclusions that hold "
    "are better than many. An empty list is a right answer where nothing follows. "
)
_PROPOSE: Final = (
    "Then propose the tasks that would settle the conclusions: one outcome each, small enough for one person in a day "
    "or two. The title is an imperative. P0 is for what blocks or misleads others now, P1 for what was promised and is "
    "missing, P2 for what should follow, P3 for what can wait. Name as target only paths, symbols, tickets and versions "
    "that the cited diagnostics and their records name, and name no other in any text: describe a new file without "
    "naming it, and give no commands. Each acceptance criterion is a fact that somebody else can check. A task waits only for "
    "tasks without which it cannot begin. Propose nothing that an item of the TODO list asks for already, and nothing "
    "where no work is needed. A task rests on conclusions of your own answer and cites no evidence beyond theirs. "
)
_LANGUAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "en": "Write every text in English; names, paths and quotations stay as they are.",
        "pl": "Write every text in Polish; names, paths and quotations stay as they are.",
    }
)


def summary_question(
    brief: Brief, citable: Citable, model: str, language: str, max_tokens: int
) -> Asking[tuple[Concluded, ...]]:
    """What follows from the findings."""
    return Asking(
        stage=STAGES["summary"],
        role=ROLE,
        model=model,
        messages=_messages(_GROUNDS + _CONCLUDE, language, brief),
        shape=grounded_summary().shape,
        brief=brief,
        check=lambda content: read_summary(content, citable),
        max_tokens=max_tokens,
    )


def task_question(
    brief: Brief, citable: Citable, model: str, language: str, max_tokens: int
) -> Asking[Tasks]:
    """What follows from the findings, and what is to be done."""
    return Asking(
        stage=STAGES["tasks"],
        role=ROLE,
        model=model,
        messages=_messages(_GROUNDS + _CONCLUDE + _PROPOSE, language, brief),
        shape=grounded_task_synthesis().shape,
        brief=brief,
        check=lambda content: read_tasks(content, citable),
        max_tokens=max_tokens,
    )


def _messages(task: str, language: str, brief: Brief) -> tuple[Message, ...]:
    return (
        Message("system", f"{RULES}\n\n{task}{_LANGUAGES[language]}"),
        Message("user", brief.text),
    )
