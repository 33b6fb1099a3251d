"""The forms in which a sentence of a document plans, apart from the section that it stands in."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from t2c.ledger.events.record import Modality, Polarity
from t2c.ledger.intake.inline import blanked
from t2c.ledger.intake.text import modality, polarity
from t2c.ledger.intake.vocabulary import NOT_KEYS, words

__all__ = [
    "BOX",
    "Form",
    "Named",
    "advises",
    "binding",
    "form_of",
    "identifier_of",
    "keyword_of",
    "named",
    "obliges",
    "specification_item",
    "tells_of_plans",
]

BOX: Final = re.compile(r"\[([ xX])\](?:\s++|$)")
_HEADED: Final = re.compile(
    r"(requirement|wymaganie|scenario(?: outline)?|scenariusz)(?:\s+([\w.-]{1,12}))?\s*:\s*(.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NUMBERED: Final = re.compile(r"(requirement|wymaganie)\s+(\d[\d.]{0,10})$", re.IGNORECASE)
_IDENTIFIED: Final = re.compile(
    r"(?P<open>[*_`\[(]{0,4})"
    r"(?P<id>[A-Z][A-Z0-9]{0,9}(?:[-_][A-Z][A-Z0-9]{0,11}){0,3}[-_]?\d{1,6}(?:\.\d{1,3}){0,3})"
    r"(?P<close>[:.]?[*_`\])]{0,4})(?P<sign>\s*[:.–—]|\s+-)?(?=\s|$)"
)
_PREFIX: Final = re.compile(r"[A-Z]+")
_FOR_REQUIREMENTS: Final = words(
    "REQ REQS SRS FR NFR PRD SWR SWRS SYRS HLR LLR URS BRD FREQ NFREQ UC US AC WYM SSS STKREQ SYSREQ SWREQ"
)
_KEYWORD: Final = re.compile(
    r"\b(MUST|SHALL|REQUIRED|SHOULD|RECOMMENDED|MAY|OPTIONAL)\b(?:(?:\*\*)? (NOT|NEVER)\b)?"
)
_BOILERPLATE: Final = re.compile(r"\bkey ?words\b|RFC ?-?2119|BCP ?14\b", re.IGNORECASE)
_STORY: Final = re.compile(
    r"\W{0,6}(?:user story\W{1,6})?(?:as an?\b.{1,120}?\b(?:i|we)(?:['’]d)?\s+(?:want|would like|like to|need)\b"
    r"|jako\b.{1,120}?\b(?:chc[ęe]|chcemy|potrzebuj[ęe]|chcia[łl]\w{1,4})(?!\w))",
    re.IGNORECASE,
)
_GIVEN: Final = re.compile(r"\W{0,6}(?:given|zakładając)\b", re.IGNORECASE)
_WHEN: Final = re.compile(r"\b(?:when|kiedy|gdy|jeśli|jeżeli)\b", re.IGNORECASE)
_THEN: Final = re.compile(r"\b(?:then|wtedy)\b", re.IGNORECASE)
_WHEN_THEN: Final = re.compile(r"(?:\W{0,4}(?:WHEN|IF|WHILE|GDY|KIEDY)\b|\*\*(?:When|If|Gdy|Kiedy)\*\*)")
_MARKED_THEN: Final = re.compile(r"\bTHEN\b|\bWTEDY\b|\*\*(?:Then|Wtedy)\*\*|\bSHALL\b")
_SPECIFIED: Final = re.compile(
    r"(?:<a\b[^<>]{0,100}>(?:</a>)?\s*)?`?([a-z]{2,12}~[\w.-]{1,100}~\d{1,6})`?\s*$"
)
_READER: Final = re.compile(
    r"\b(?:you|your|yours|you['’]\w+|yourself)\b|^\W*(?:see|read|check (?:out|the)|learn|try|explore|visit|take a look"
    r"|have a look|refer|consult|browse|watch|star|join|jump|head (?:over|to)|continue|go (?:to|through|back)|follow"
    r"|zobacz|przeczytaj|sprawdź dokumentację|patrz|dowiedz się)\b",
    re.IGNORECASE,
)
_ENVIRONMENT: Final = re.compile(
    r"\b(?:installed|available on|up and running|compatible with|supported version|or (?:later|newer|higher|above)"
    r"|at least (?:python|node|go|rust|java|version)|zainstalowan\w{1,4}|lub nowsz\w{1,4})\b|>=|\b\d+\.\d+\+",
    re.IGNORECASE,
)
_OBLIGES: Final = re.compile(r"\b(?:must|shall|musi|muszą|należy|nie wolno)\b", re.IGNORECASE)
_PLANS: Final = re.compile(
    r"\b(?:will|plan(?:s|ned|ning)? (?:to|on|for)|intend(?:s|ed)? to|aims? to|going to|want to|would like to|to be \w+ed"
    r"|planujemy|planowan\w{1,4}|zamierzamy|chcemy|będzie|będą|ma(?:ją)? (?:być|zostać))\b",
    re.IGNORECASE,
)


class Form(NamedTuple):
    """What makes a sentence a plan: `checkbox`, `identified`, `story`, `scenario` or `keyword`."""

    name: str
    identifier: str | None = None
    checked: bool | None = None


class Named(NamedTuple):
    """A heading that names a requirement or a scenario of one: `### Requirement: Lock the door`."""

    scenario: bool
    name: str
    identifier: str | None


def named(heading: str) -> Named | None:
    """What a heading names, in any case; `Documentation Requirements` names nothing."""
    if heading[:1] not in "RrSsWw*`":
        return None
    bare = heading.strip("*`_ ")
    match = _HEADED.match(bare)
    if match:
        name = match[3].strip("*`_ ") or bare
        return Named(match[1][:2].lower() == "sc", name, match[2])
    match = _NUMBERED.match(bare)
    return Named(False, bare, match[2]) if match else None


def identifier_of(text: str, *, specified: bool) -> str | None:
    """The requirement id that a statement begins with: `REQ-12:`, `**FR-001**:`, `[SRS-12]`.

    Outside a specification only prefixes that mean a requirement count: a guide lists rules and error codes.
    """
    match = _IDENTIFIED.match(text)
    if match is None:
        return None
    marked = (
        "[" in match["open"] or "**" in match["open"] or match["sign"] or match["close"][:1] in (":", ".")
    )
    prefix = _PREFIX.match(match["id"])
    if not marked or prefix is None:
        return None
    letters = prefix[0]
    dashed = "-" in match["id"] or "_" in match["id"]
    known = letters in _FOR_REQUIREMENTS
    other = specified and dashed and letters not in NOT_KEYS and letters != "GH" and len(letters) > 1
    return match["id"] if known or other else None


def specification_item(line: str) -> str | None:
    """The id of an OpenFastTrace specification item that stands alone on its line: `req~login-lock~1`."""
    if "~" not in line:
        return None
    match = _SPECIFIED.match(line)
    return match[1] if match else None


def keyword_of(text: str) -> tuple[Modality, bool] | None:
    """Modality and negation of the first RFC 2119 keyword in capitals; None if there is none, or it is only explained."""
    match = _KEYWORD.search(blanked(text) if "`" in text else text)
    if match is None or _BOILERPLATE.search(text):
        return None
    strength: Modality = "required"
    if match[1] in ("SHOULD", "RECOMMENDED"):
        strength = "recommended"
    elif match[1] in ("MAY", "OPTIONAL"):
        strength = "optional"
    return strength, match[2] is not None


def binding(text: str, *, capitals: bool = True) -> tuple[Modality, Polarity]:
    """How strongly a requirement binds, and whether it forbids: its keyword in capitals, else its words."""
    keyword = keyword_of(text) if capitals else None
    if keyword is None:
        return modality(text), polarity(text)
    return keyword[0], "negative" if keyword[1] else polarity(text)


def form_of(text: str, *, specified: bool, planning: bool) -> Form | None:
    """The form of a sentence, if it has one that plans by itself.

    `specified`: it stands in a specification, a plan, a design or a decision. `planning`: its section plans.
    """
    box = BOX.match(text)
    if box:
        rest = text[box.end() :]
        return Form("checkbox", identifier_of(rest, specified=specified), box[1] != " ") if rest else None
    identifier = identifier_of(text, specified=specified)
    if identifier is not None:
        return Form("identified", identifier)
    if _STORY.match(text):
        return Form("story")
    if (specified or planning) and _steps(text):
        return Form("scenario")
    return None


def _steps(text: str) -> bool:
    """True if a sentence is a scenario by itself: given, when, then; or a marked WHEN and THEN."""
    if _GIVEN.match(text):
        when = _WHEN.search(text)
        return when is not None and _THEN.search(text, when.end()) is not None
    return _WHEN_THEN.match(text) is not None and _MARKED_THEN.search(text) is not None


def advises(text: str, *, strictly: bool) -> bool:
    """True if a sentence speaks to the reader of a guide; `strictly` also if it tells what has to be there."""
    return _READER.search(text) is not None or (strictly and _ENVIRONMENT.search(text) is not None)


def obliges(text: str) -> bool:
    """True if a sentence says in so many words that something must be."""
    return _OBLIGES.search(text) is not None


def tells_of_plans(text: str) -> bool:
    """True if a sentence of running text says what will be or is to be."""
    return _PLANS.search(text) is not None or modality(text) in ("required", "recommended")
