"""What a statement wants done, how strongly, and whether it forbids (intent-evidence §1.4), English and Polish.

The polarity is that of the main clause: "fix the crash when no file is given" is positive, "must not write"
is negative, and what is "no longer" so is not forbidden. What is forbidden is a constraint: it binds like a
requirement, and is kept by absence. "Cannot" says as often that something is broken, so it only denies.
"""

from __future__ import annotations

import re
from typing import Final

from t2c.ledger.events.record import Modality, Polarity
from t2c.ledger.intake.heads import (
    action,
    action_and_object,
    after_marks,
    bare,
    conventional,
    fold,
    head_of,
    may_deny,
    object_of,
)
from t2c.ledger.intake.inline import blanked

__all__ = ["action", "action_and_object", "fold", "forbids", "modality", "object_of", "polarity"]

_ASIDE: Final = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_PROHIBITED: Final = re.compile(
    r"\b(?:must|shall)(?:n['’]t| not| never)\b"
    r"|\bmay (?:never|not)\b(?! (?:exist|work|need|know|match|always|yet|even|apply|help|fit|matter|have\b"
    r"|be (?:able|available|present|set|needed|necessary|enough|obvious|clear|supported|installed|possible|ready)))"
    r"|\bno(?:body| one| \w+)(?: \w+)? (?:may|must|shall)\b"
    r"|\bneither\b[^.;,]{1,60}\bnor\b[^.;,]{1,60}?\b(?:may|must|shall)\b"
    r"|\b(?:is|are) (?:not (?:allowed|permitted)|forbidden|prohibited)\b"
    r"|\bnie (?:wolno|moze|moga|maja? prawa|(?:jest|sa) dozwolon\w+)\b|\bzabrania(?:ja)?\b"
    r"|\b(?:zabronion|zakazan|niedozwolon|niedopuszczaln|wzbronion)[aeioy]\b|\bzakaz\b"
)
_BANS: Final = re.compile(
    r"(?:^|[,;:.!]\s*|\b(?:please|but|then|and|prosze|ale|lecz|nigdy)\s+)"
    r"(?:do not|don['’]t|never(?! (?:mind|again)\b)|nie\s+(?:\w+(?:[aeiouy]c|sc|zc|jcie)|rob|pisz|zmien|usun"
    r"|wlacz|wylacz|uruchom|zostaw|dopusc|pozwol|wrzuc|pomin|zapomnij|otwieraj|bierz|licz|lacz|tworz|mnoz|rusz"
    r"|wolaj|mieszaj|gub|trac|krusz|cofaj|powtorz|rzuc|kaz|chowaj)\b)"
    r"|\bnie (?!wczoraj|dzisiaj|tutaj|zwyczaj|zazwyczaj|rodzaj|kraj|maj|czyj)\w+[auiy]j\b"
    r"|(?<!has )(?<!have )(?<!had )(?<!was )(?<!were )(?<!is )(?<!are )(?<!would )\bnever (?!\w+ed\b|been\b|got\b|ran\b)[a-z]"
)
"""Prohibitions by their grammar: a negated imperative or infinitive, and "never" before a verb in the present."""
_DOUBLE: Final = re.compile(
    r"\b(?:(?:must|shall|should|do) not|don['’]t|never) (?:fail|forget|neglect|omit) to\b|\b(?:cannot|can not) not\b"
    r"|\bnie (?:mozna|wolno|moze|moga) nie\b|\bnie (?:zapomnij|zapomnijcie|zapominaj|zapominajcie|zapomniec)\b"
)
_HARMLESS: Final = re.compile(
    r"\bnot (?:impossible|forbidden|prohibited|uncommon|unusual|unlikely)\b|\bnie (?:jest|sa) (?:zabronion|zakazan|niemozliw)\w+"
)
_SAYS_NO: Final = re.compile("not|n['’]t|nie|never")
_DISCOURAGED: Final = re.compile(r"\b(?:should|ought)(?:n['’]t| not| never)\b|\bnie powin(?:ien|n)\w*")
_WAIVED: Final = re.compile(
    r"\b(?:(?:is|are) not (?:required|needed|necessary)|not needed|no need (?:to|for)|need not|needn['’]t"
    r"|(?:do|does)(?:n['’]t| not) (?:have|need) to|nie (?:musi|musza|trzeba|ma potrzeby|(?:jest|sa) (?:wymagan|konieczn|potrzebn|niezbedn)\w*))\b"
)
_NOT_SO: Final = re.compile(
    r"\b(?:no longer|not only|not just|not yet|no matter|nie tylko|juz nie|nie \w+ juz)\b"
)
_REQUIRED: Final = re.compile(
    r"\b(?:must|shall|needs? to|mus(?:i|za|imy|icie|isz|ze|ial|iala|ialo|ieli)|nalezy|trzeba|wymaga(?:ja)?|requires|require (?:an?|the|that|at least)|ha(?:s|ve|d) to|maja? obowiazek|required to"
    r"|(?:is|are) required)\b|\bjest zobowiazan|^required:"
)
_RECOMMENDED: Final = re.compile(
    r"\b(?:should(?:n['’]t)?|ought|powin(?:ien|n)\w*|zaleca|(?:is|are|was|were|be|being) recommended"
    r"|recommended to|recommend(?:s|ed)? that)\b"
)
_OPTIONAL: Final = re.compile(r"\b(?:may|optional|can(?!['’]t| not\b)|moze|moga)\b|\bopcjonaln")
_NEGATION: Final = re.compile(
    r"\b(?:not|never|cannot|nie)\b(?!-)|n['’]t\b|(?:^|\b(?:is|are|was|were|be|has|have|had)\s)\s*no\b(?!-)"
    r"|^brak\b"
)
_WITHOUT: Final = re.compile(r"\b(?:without|bez)\b(?:\s+\S+){0,7}")
_BELOW: Final = re.compile(
    r"\b(?:when|whenever|if|unless|that|which|who|because|since|so|where|while|although|though|until|after|before"
    r"|gdy|gdyby|jesli|jezeli|ze|ktor\w+|kiedy|poniewaz|bo|az|chyba|zanim)\b"
)


def modality(text: str) -> Modality:
    """How binding a statement is. A prohibition binds like a requirement; a duty that is waived is optional."""
    return _duty(_prose(text))


def _prose(text: str) -> str:
    return _positive(bare(_ASIDE.sub(" ", blanked(text))).strip())


def _duty(prose: str) -> Modality:
    if _PROHIBITED.search(prose):
        return "required"
    waived = _WAIVED.sub(" ", prose)
    if _REQUIRED.search(waived) or (may_deny(prose) and _bans(_main_clause(prose[after_marks(prose) :]))):
        return "required"
    if _RECOMMENDED.search(waived):
        return "recommended"
    return "optional" if waived != prose or _OPTIONAL.search(waived) else "unknown"


def forbids(text: str) -> bool:
    """True if a statement is a constraint: its main clause says what must not be, and absence keeps it."""
    return polarity(text) == "negative" and _duty(_main_clause(_prose(text))) == "required"


def polarity(text: str) -> Polarity:
    """`negative` if the main clause forbids or denies what it is about.

    Negation after the head verb ("fix what does not work") or a commit type, in a subordinate clause, in
    code, or of a duty or a past state ("no longer needed") does not count.
    """
    if not may_deny(text.lower()):
        return "positive"
    start = after_marks(text)
    if conventional(text, start) is not None:
        return "positive"
    prose = bare(_ASIDE.sub(" ", blanked(text)[start:])).strip()
    main = _NOT_SO.sub(" ", _WAIVED.sub(" ", _WITHOUT.sub(" ", _main_clause(_positive(prose))))).strip()
    if _PROHIBITED.search(main) or _DISCOURAGED.search(main) or _bans(main):
        return "negative"
    head = head_of(main, 0)
    denied = _NEGATION.search(main)
    if denied is None or (head is not None and head.verb and head.start < denied.start()):
        return "positive"
    return "negative"


def _positive(prose: str) -> str:
    """Double negations as what they mean ("must not fail to" binds to do it)."""
    return _HARMLESS.sub(" ", _DOUBLE.sub(" must ", prose)) if _SAYS_NO.search(prose) else prose


def _bans(main: str) -> bool:
    """True if a main clause forbids by its grammar, unless a head verb stands before ("add a check, never skip")."""
    main = main.strip()
    ban = _BANS.search(main)
    if ban is None:
        return False
    head = head_of(main, 0)
    return head is None or not head.verb or head.start >= ban.start()


def _main_clause(prose: str) -> str:
    below = _BELOW.search(prose)
    if below is None:
        return prose
    if below.start() > 0:
        return prose[: below.start()]
    _, comma, rest = prose.partition(",")
    return rest if comma else prose
