"""The fixed part of what each stage asks. It is byte-identical in every request, so that it can be cached and audited.

A change of a text needs a new version: records are then read anew.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from t2c.ledger.llm.base import Message
from t2c.ledger.llm.outgoing import RULES, untrusted

__all__ = ["COMMUNICATION", "DOCUMENTS", "MARKDOWN", "NATURAL_LANGUAGE", "Prompt"]

_WORDS: Final = (
    "action is the verb of the statement, one of the enum; unknown if none fits. "
    "object is what the action is done to, in the words of the statement, without the verb. "
    "polarity is negative only where the statement forbids or denies. "
    "target lists only what the statement itself names: paths of files of the repository (never a route, a URL or an "
    "absolute path), symbols of code, tickets, versions; an empty list where it names none. "
    "confidence says how sure you are of this reading. "
    "basis gives the reasons in a few words each."
)


class Prompt(NamedTuple):
    """What is asked: `stage` and `version` name it in the ledger, `label` names the span of data."""

    stage: str
    version: int
    label: str
    task: str

    @property
    def name(self) -> str:
        """`markdown@1`: what a reading says it was asked by."""
        return f"{self.stage}@{self.version}"

    def messages(self, shown: str) -> tuple[Message, ...]:
        """The conversation: the rules and the task, then the data in a span that it cannot close."""
        return (
            Message("system", f"{RULES}\n\n{self.task}"),
            Message("user", untrusted(self.label, shown)),
        )


MARKDOWN: Final = Prompt(
    "markdown",
    1,
    "records of task lists and changelogs",
    "You read items of task lists and changelogs. The span of data holds one JSON object a line, one for each record; "
    "`text` is what the record says, the other members are what a deterministic extractor made of it. Return exactly "
    "one enrichment for every recordId and none for any other. "
    + _WORDS
    + " actor is who is to act, if the statement says so, else null. acceptanceEvidence lists what, by the statement's "
    "own words, would show that it is done; an empty list if it says nothing of that.",
)

NATURAL_LANGUAGE: Final = Prompt(
    "natural_language",
    1,
    "a task or ticket, its lines numbered",
    "You read a task or ticket written by people. Each line of the span of data begins with its number and a tab. Return "
    "one record for each statement of what is wanted or forbidden, in the order of the text. sourceLines are the "
    "numbers of the lines it stands on, text its exact words. "
    + _WORDS
    + " kind is declared_intent, or constraint for what must not or must always be. actor is who is to act, if the text "
    "says so, else null. modality says how strongly it binds. lifecycle is proposed.",
)

DOCUMENTS: Final = Prompt(
    "documents",
    1,
    "statements of a document, their lines numbered",
    "You read documentation. The span of data holds what an extractor took out of one document; each line begins with "
    "its number and a tab, and a line without a number names the section. Return one record for each statement "
    "that says what the system does, must do, or how it is built, in the order of the text; leave out what says nothing "
    "of the system. sourceLines are the numbers of the lines it stands on, text its exact words. "
    + _WORDS
    + " kind says in a word what sort of statement it is. actor is who acts, if the text says so, else null. modality "
    "says how strongly it binds. lifecycle is what the statement itself claims.",
)

COMMUNICATION: Final = Prompt(
    "communication",
    1,
    "what people and agents said about tickets",
    "You read what people and agents wrote to each other about tickets. The span of data holds one JSON object a line: "
    "lines with `participantKey` and `recordIds` name the groups, lines with `recordId` the statements, each with the "
    "`participantKey` of who made it. Return exactly one enrichment for every recordId, and exactly one synthesis for "
    "every participantKey. "
    + _WORDS
    + " topics names in a word or two what a statement is about. A synthesis tells in summary what this participant "
    "said; commitments lists what the participant said would be done, risks what the participant called a risk or a "
    "blocker; recordIds cites the statements it rests on, of this group only. What a participant claims stays a claim.",
)
