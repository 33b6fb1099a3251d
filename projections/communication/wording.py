"""What reports say was done, passed or decided, in English and Polish.

Only what is said to be so already: what is still to come, depends on something or is denied claims nothing.
"""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.intake.heads import bare
from t2c.ledger.intake.vocabulary import VERBS, words
from t2c.projections.communication.people import Statement

__all__ = [
    "cited_commits",
    "consents",
    "is_decision_claim",
    "is_implementation_claim",
    "is_test_claim",
    "of_documents",
    "says_written",
]

_OWNER: Final = (
    r"(?:(?:product |project |repo(?:sitory)? |human |scope )?owner|users?|humans?|person|founder|maintainers?|operator"
    r"|wlasciciel\w*|uzytkowni\w+|czlowiek\w*|zalozyciel\w*|founder\w*|opiekun\w*)"
)
_DECIDED: Final = (
    r"(?:approved|accepted|authori[sz]ed|signed off|confirmed|zatwierdzil\w*|zaakceptowal\w*|upowaznil\w*"
    r"|zatwierdzon\w*|zaakceptowan\w*|upowaznion\w*|wyrazil\w* zgod\w+|potwierdzil\w*)"
)
_BY: Final = r"(?:by|przez)"
_DECISION: Final = re.compile(
    rf"\b{_OWNER}\b[^.;]{{0,60}}?\b{_DECIDED}(?!\w)|\b{_DECIDED}\b[^.;]{{0,40}}?\b{_BY}\b[^.;]{{0,40}}?\b{_OWNER}\b"
    rf"|\b{_OWNER}(?:['’]s)?\s+(?:\S+\s+){{0,3}}?approval\b(?=[^.;]{{0,40}}\b(?:given|granted|received|recorded|on \d{{4}}))"
    rf"|\brecorded\b[^.;]{{0,30}}\b{_OWNER}['’]s\b[^.;]{{0,20}}\bapproval\b"
)
_PENDING: Final = re.compile(
    r"\b(?:until|unless|before|if|when|once|whether|pending|await\w*|wait\w*|needs?|requires?|required|must|should|shall"
    r"|may|will|can|to be|only after|not|never|no|without|nie|bez|zanim|dopoki|dopoty|jesli|jezeli|gdy|kiedy|czeka\w*"
    r"|wymaga\w*|musi|musza|powin\w+|moze|oczekuj\w*|az)\b"
)
"""What makes of a decision one that is still to come."""
_CONSENT: Final = re.compile(
    rf"\b(?:{_DECIDED}|approv\w+|accept\w*|authori[sz]\w+|agreed?|go ahead|proceed|ok(?:ay)?|yes|lgtm|zatwierdz\w+|zgod\w+"
    r"|zgadzam|akcept\w+|tak|kontynuuj\w*|wykonaj)(?!\w)"
)

_POLISH_DONE: Final = re.compile(
    r"\b(?:doda|zbudowa|zmieni|skonfigurowa|utworzy|utworzo|stworzy|stworzo|udokumentowa|naprawi|poprawi|zaimplementowa"
    r"|wdrozy|wdrozo|przetestowa|zwalidowa|zaktualizowa|zastapi|przenies|rozszerzy|rozszerzo|uproszcz)"
    r"(?:n[oaey]|ny|on[oaey]|ony|lem|lam|lismy|l|la|ono|iono)\b"
    r"|\busun(?:iet[aoey]|ieto|ieto|al|ela|alem|elam|elismy)\b"
)
_TO_COME: Final = re.compile(
    r"\b(?:(?:to|will|would|should|shall|must|can|may|could|not|never)(?: \w+)? be|needs? to|remain\w*|still|yet|planned|pending"
    r"|nie|zostanie|zostana|bedzie|beda|maja? byc|nalezy|trzeba)\b"
)
"""What makes of work that is done work that is to come, or none."""
_WORD: Final = re.compile(r"(?<![\w-])[a-z]+(?![\w-])")
"""A word that is no part of a compound: nothing is made by a "generated-analysis guard"."""
_CODE: Final = re.compile(r"`[^`\n]{0,200}`")
_PAST: Final = frozenset(word for word in VERBS if word.endswith("ed")) | words(
    "built rewrote rewritten undid undone"
)
_CHECKS: Final = words("correct verify verified checked check ensure ensured assert asserted resolved")
"""Verbs of checking that leave nothing behind, and what is an adjective or said of a name as well."""
_WORK: Final = words("add configure document fix remove refactor test change validate")

_TESTS: Final = (
    r"(?:(?:unit|integration|focused|smoke|regression|contract|e2e|host|docker|package|full)[ -])*"
    r"(?:tests?|test suites?|suites?|specs?|pytest|unittest|testy|testow|testami|zestaw\w*)"
)
_PASS: Final = (
    r"(?:pass(?:es|ed|ing)?|succeed(?:s|ed)?|(?:is|are|was|were|stay|remain)\s+green"
    r"|przechodz\w+|przeszl\w+|przeszedl|zaliczon\w+|zielon\w+)"
)
_TESTED: Final = re.compile(
    rf"\b{_TESTS}\b[^.;:]{{0,60}}?\b{_PASS}\b|\bpass(?:ed|es|ing)\b[^.;:]{{0,60}}?\b{_TESTS}\b"
    rf"|\b\d{{1,6}}\s*/\s*\d{{1,6}}\b[^.;:]{{0,20}}?\b(?:{_TESTS}|{_PASS}|green)\b"
    rf"|\b{_TESTS}\b[^.;:]{{0,20}}?\b\d{{1,6}}\s*/\s*\d{{1,6}}\b"
)
_ADMITTED: Final = re.compile(
    r"(?<!zero )(?<!no )(?<!none )(?<!without )(?<!\b0 )(?<!not )(?<!bez )\b(?:fail(?:s|ed|ing|ures?)?|nieudan\w+|bled(?:y|ow|em))\b"
)
"""A failure that is told and not denied."""
_MADE: Final = re.compile(
    r"\b(?:wrote|written|saved|produced|generated|exported|created|added|zapisan\w+|wygenerowan\w+|utworzon\w+|dodan\w+"
    r"|stworzon\w+|wyeksportowan\w+)\b"
)
_DOCUMENTS: Final = re.compile(
    r"\b(?:document\w*|docs?|readme|changelog|guide|manual|dokument\w*|instrukcj\w*|podrecznik\w*|[\w-]{1,60}\.(?:md|rst|txt|adoc))\b"
)
_SHA: Final = re.compile(r"\b(?=[0-9a-f]{0,39}[0-9])(?=[0-9a-f]{0,39}[a-f])[0-9a-f]{7,40}\b")


def is_decision_claim(one: Statement) -> bool:
    """Whether a report says that a person approved, accepted or authorised something.

    Not what is still to come, depends on something, or is denied.
    """
    if not one.reports or not one.positive:
        return False
    text = bare(one.fact.statement.text)
    found = _DECISION.search(text)
    if found is None:
        return False
    start = max(text.rfind(mark, 0, found.start()) for mark in (".", ";", "\n")) + 1
    return _PENDING.search(text, start, found.end()) is None


def consents(one: Statement) -> bool:
    """Whether a statement holds words of consent."""
    return _CONSENT.search(bare(one.fact.statement.text)) is not None


def is_test_claim(one: Statement) -> bool:
    """Whether a report says that tests passed, and tells of none that failed."""
    if not one.reports or not one.positive:
        return False
    text = bare(one.fact.statement.text)
    return _TESTED.search(text) is not None and _ADMITTED.search(text) is None


def is_implementation_claim(one: Statement) -> bool:
    """Whether a report says that work was done.

    A verb of work in the past, or one that the report begins with. To have looked at something, checked or refused it
    is no work, and what is still to come is not done.
    """
    said = one.fact.statement
    if not one.reports or not one.positive or said.action in ("analyze", "block"):
        return False
    text = bare(_CODE.sub(" ", said.text))
    if _TO_COME.search(text):
        return False
    return _works(text) or _POLISH_DONE.search(text) is not None


def _works(text: str) -> bool:
    for place, word in enumerate(_WORD.findall(text)):
        known = VERBS.get(word)
        if known is None or known.action not in _WORK or word in _CHECKS:
            continue
        if word in _PAST or (place == 0 and known.kind == "verb"):
            return True
    return False


def says_written(one: Statement) -> bool:
    """Whether a report says that something was written or made."""
    return _MADE.search(bare(one.fact.statement.text)) is not None


def of_documents(one: Statement) -> bool:
    """Whether a statement speaks of documentation."""
    return _DOCUMENTS.search(bare(one.fact.statement.text)) is not None


def cited_commits(one: Statement) -> list[str]:
    """What in a statement is written like the hash of a commit, or the beginning of one."""
    return _SHA.findall(one.fact.statement.text.lower())
