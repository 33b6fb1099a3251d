"""The head verb of a statement: which action it names, and what the action is done to (intent-evidence §1.4).

The action is that of the head verb of the first clause that has one, by position: "Implement and verify X"
adds. Words of paths, of code and of compounds (`docs/guide.md`, `add-on`) are never verbs. A word that may be
a noun ("test", "check") counts as a verb only where a clause begins.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, Literal, NamedTuple

from t2c.ledger.events.record import Action
from t2c.ledger.intake.inline import blanked
from t2c.ledger.intake.vocabulary import (
    GERUNDS,
    NOT_VERBS,
    NOUNS,
    OPENERS,
    PHRASES,
    PREPOSITIONS,
    STEMS,
    THINGS,
    VERBS,
    Word,
    words,
)

__all__ = [
    "Head",
    "action",
    "action_and_object",
    "after_marks",
    "bare",
    "conventional",
    "fold",
    "head_of",
    "known",
    "may_deny",
    "object_of",
]

_WORD: Final = re.compile(r"(?<![\w./@#\\-])[^\W\d_]++(?:[-'’][^\W\d_]++)*+(?![\w/\\@]|\.\w)")
_FAR: Final = 60
"""Words after which no head verb is looked for."""
_PREFIX: Final = re.compile(r"\W*+([A-Za-z]+)(?:\([^()]*+\))?+!?:\s", re.ASCII)
_LABEL: Final = re.compile(r"([A-Z]{3,}) #\d+(?:-\d+)?(?:, [A-Z]{3,} #\d+(?:-\d+)?)*+:\s+")
_TYPES: Final[dict[str, Action]] = {
    "feat": "add", "feature": "add", "fix": "fix", "bug": "fix", "bugfix": "fix", "hotfix": "fix", "refactor": "refactor",
    "perf": "refactor", "style": "refactor", "test": "test", "tests": "test", "docs": "document", "doc": "document",
    "build": "configure", "ci": "configure", "chore": "configure", "revert": "remove",
}  # fmt: skip
_MARKS: Final = re.compile(
    r"\s*+(?:[-*+•]\s++)?+(?:\d{1,9}[.)]\s++)?+(?:\[[ xX]?\]\s++)?+"
    r"(?:`?[0-9a-f]{7,40}`?\s++|(?:T\d{3,}|T2C-\d+|TASK-\d+|TODO-\d+|[A-Z][A-Z0-9]+-\d+|#\d+)[:.]?\s++)?+"
    r"(?:\[[A-Z]{1,3}\d*\]\s++)*+"
)
_LEAD: Final = re.compile(r"(?:to|of|for|aby|żeby|zeby)\s+", re.IGNORECASE)
_AND: Final = re.compile(r"\s+(?:and|or|oraz|i|lub)\s+([^\W\d_]++)(?=\s)")
_SUBJECT_OF: Final = re.compile(
    r"\s+(?:is|are|was|were|has|have|must|shall|should|can|cannot|may|will|does|do|don['’]t|doesn['’]t|fails?)\b"
)
_PLAIN_START: Final = re.compile(r"([A-Z][a-z]+) (?=\S)")
_LETTER: Final = re.compile(r"\w")


class Head(NamedTuple):
    action: Action
    start: int
    end: int
    passive: bool
    verb: bool


def fold(text: str) -> str:
    """Lower case without accents (`ł` as `l`), brackets and signs as single spaces: `[a-z0-9_./#-]` remain."""
    return " ".join(_SIGNS.sub(" ", bare(text)).split())


_SIGNS: Final = re.compile(r"[^a-z0-9_./#-]+")
_MEANT: Final = str.maketrans("łŁ", "ll")


def bare(text: str) -> str:
    """Lower case without accents."""
    if text.isascii():
        return text.lower()
    parts = unicodedata.normalize("NFKD", text.translate(_MEANT))
    return "".join(char for char in parts if not "\u0300" <= char <= "\u036f").lower()


# --- action and object ------------------------------------------------------------------------------------


def action(text: str) -> Action:
    """What is to be done or was done: a conventional-commit type, else the head verb, else `unknown`.

    Never `call`, `depend_on`, `declare` or `release`: text alone says none of these.
    """
    return action_and_object(text)[0]


def object_of(text: str, chosen: Action) -> str:
    """What the action is done to: the statement without marks, commit type and head verb of that action.

    `unspecified` if nothing is left.
    """
    return action_and_object(text, chosen)[1]


def action_and_object(text: str, chosen: Action | None = None) -> tuple[Action, str]:
    """`action` and `object_of` in one pass; a `chosen` action stands whatever the text says."""
    begins = _PLAIN_START.match(text)
    found = VERBS.get(begins[1].lower()) if begins else None
    if begins and found and chosen in (None, found.action) and _is_verb(found, text, begins.end(1)):
        return found.action, _object(text, begins.end(1), text[begins.end() :])
    start = after_marks(text)
    kind = conventional(text, start)
    done: Action | None = None
    if kind is not None:
        done, start = kind
    head = _main_head(text, start) if kind is None else _first(text, start)
    done = chosen or done or (head.action if head else "unknown")
    whole = text[start:].strip()
    if head is None or head.action != done or not (head.verb or not text[start : head.start].strip()):
        return done, whole if _LETTER.search(whole) else "unspecified"
    before = text[start : head.start].rstrip()
    if head.passive and (told := _told(before.rpartition(" ")[0])):
        return done, told
    return done, _object(text, head.end, whole)


def _object(text: str, end: int, whole: str) -> str:
    """What follows the head verb that ends at `end`, else the whole."""
    part = _told(_after(text, end)) or _told(whole) or "unspecified"
    lead = _LEAD.match(part)
    return part[lead.end() :] if lead else part


def _after(text: str, end: int) -> str:
    """What follows the head verb and a second one that shares its object ("added or improved …")."""
    second = _AND.match(text, end)
    if second is not None:
        found, _ = _meaning(second[1].lower(), text, second.end())
        if found is not None and found.kind != "noun":
            end = second.end()
    return text[end:].lstrip(" :,")


def _told(part: str) -> str | None:
    part = part.strip(" *")
    return part if _LETTER.search(part) else None


def after_marks(text: str) -> int:
    match = _MARKS.match(text)
    return match.end() if match else 0


def conventional(text: str, start: int) -> tuple[Action, int] | None:
    match = _PREFIX.match(text, start) or _LABEL.match(text, start)
    if match is None:
        return None
    kind = _TYPES.get(match[1].lower())
    return (kind, match.end()) if kind else None


def _is_verb(found: Word, text: str, end: int) -> bool:
    """True if a word that begins a statement and ends at `end` is a verb there, not the subject of another."""
    return found.kind == "verb" or (found.kind == "both" and not _SUBJECT_OF.match(text, end))


def _first(text: str, start: int) -> Head | None:
    """The head verb that stands right after a commit type, if one does."""
    match = _WORD.match(text, start)
    if match is None:
        return None
    found, stop = _meaning(match[0].lower(), text, match.end())
    return Head(found.action, start, stop, False, found.kind != "noun") if found else None


def _main_head(text: str, start: int) -> Head | None:
    """The head verb of the main clause: neither "is forbidden" nor a condition that stands before it."""
    prose = blanked(text)
    if any(sign in prose for sign in _BANNING):
        prose = _BANNED.sub(lambda found: " " * len(found[0]), prose)
    if _CONDITION.match(prose, start):
        comma = prose.find(", ", start)
        start = comma + 1 if comma >= 0 else start
    return head_of(prose, start)


_BANNING: Final = ("allowed", "permitted", "orbidden", "rohibited", "abrani", "abronion", "akazan")
"""What is in every phrase that bans: a quick look."""
_BANNED: Final = re.compile(
    r"\b(?:is|are) (?:not (?:allowed|permitted)|forbidden|prohibited)\b(?: to\b)?+"
    r"|\bzabrania(?:ją|ja)?\b(?: się| sie)?+|\b(?:zabronion|zakazan)[aeoy]\b(?: jest\b)?+",
    re.IGNORECASE,
)
_CONDITION: Final = re.compile(
    r"\W*+(?:when|whenever|if|unless|once|while|although|after|before|because|gdy|gdyby|jeśli|jesli|jeżeli|jezeli"
    r"|kiedy|ponieważ|zanim|po|przed)\b",
    re.IGNORECASE,
)


def head_of(prose: str, start: int) -> Head | None:
    """The head verb; failing that a plain verb that no preposition governs, a noun of some action, "write"."""
    verb: Head | None = None
    noun: Head | None = None
    light: Head | None = None
    previous = ""
    end = start
    aside = False  # in a condition, whose verbs are not the statement's
    for index, match in enumerate(_WORD.finditer(prose, start)):
        if index >= _FAR:
            break
        word = match[0].lower()
        if aside and "," not in prose[end : match.start()]:
            previous, end = word, match.end()
            continue
        if word in _TELLING or word[:4] in STEMS or not word.isascii():
            aside = index > 0 and word in _CONDITIONS
            found, stop = _meaning(word, prose, match.end())
        else:
            aside = False
            found, stop = None, 0
        if found is not None:
            hit = Head(found.action, match.start(), stop, previous in _BE, found.kind != "noun")
            begins = index == 0 or previous in OPENERS or previous.endswith("ly")
            if found.kind == "light":
                light = light or hit
            elif hit.verb and (begins or _breaks(prose[end : match.start()], found)):
                return hit
            elif previous in PREPOSITIONS and (found.kind == "verb" or previous not in _ARTICLES):
                pass
            elif found.kind == "verb":
                verb = verb or hit
            elif word not in THINGS:
                noun = noun or hit._replace(verb=False)
        previous, end = word, match.end()
    return verb or noun or light


def _breaks(gap: str, found: Word) -> bool:
    return any(sign in gap for sign in ":;.!?—)]") or (found.kind == "verb" and "," in gap)


def _meaning(word: str, prose: str, end: int) -> tuple[Word | None, int]:
    """What the word that ends at `end` stands for, and where it ends with its particle ("set up")."""
    found = VERBS.get(word) or NOUNS.get(word if word.isascii() else bare(word))
    if found is not None:
        if found.kind == "both":
            if _SUBJECT_OF.match(prose, end):
                return found._replace(kind="noun"), end
            if word in THINGS and _GOVERNED.match(prose, end):
                return found._replace(kind="verb"), end
        return found, end
    phrase = PHRASES.get(word)
    if phrase is not None:
        particle = _PARTICLE.match(prose, end)
        return (phrase[1], particle.end()) if particle and particle[1].lower() == phrase[0] else (None, end)
    plain = bare(word)
    for stem, meaning in STEMS.get(plain[:4], ()):
        if plain.startswith(stem) and not plain.startswith(NOT_VERBS) and not plain.endswith(_OBLIQUE):
            return meaning._replace(kind="both") if plain.endswith(GERUNDS) else meaning, end
    return None, end


def known(word: str) -> Literal["en", "pl"] | None:
    """The language of a lower-case word that names an action; None if it names none."""
    if word in VERBS:
        return "en"
    plain = bare(word)
    if word in _POLISH_NOUNS or any(plain.startswith(stem) for stem, _ in STEMS.get(plain[:4], ())):
        return "pl"
    return "en" if word in NOUNS else None


_POLISH_NOUNS: Final = words("testy testow zmiana zmiany")
_CONDITIONS: Final = words(
    "when whenever if unless because while although gdy gdyby jeśli jesli jeżeli jezeli kiedy ponieważ poniewaz chyba"
)
_OBLIQUE: Final = ("nych", "tych", "nymi", "tymi", "nego", "tego", "nemu", "temu", "nej", "tej")
"""Endings of Polish participles that stand with a noun: "usuniętych użytkowników" removes nobody."""
_TELLING: Final = VERBS.keys() | NOUNS.keys() | PHRASES.keys() | _CONDITIONS
_GOVERNED: Final = re.compile(r"\s+(?:the|an?|all|every|each|any|this|these|its|their|our|your)\b")
"""What only a verb governs: "the service documents its limits"."""
_PARTICLE: Final = re.compile(r"\s+([A-Za-z]+)\b")
_BE: Final = words("is are was were be been being gets got został została zostało zostały jest są")
_ARTICLES: Final = words("the a an this that these those its our your")


_LATIN: Final = re.compile("[a-z]++(?!-)")
_NEGATIVES: Final = words("no not never cannot nobody neither nor nie brak")


def may_deny(lower: str) -> bool:
    """False if no word of a text can be a negation: the quick answer for most statements."""
    if "n't" in lower or "n’t" in lower or "zabr" in lower or "zakaz" in lower or "forbid" in lower:
        return True
    if "prohib" in lower or "niedo" in lower or "wzbron" in lower:
        return True
    signs = "no" in lower or "never" in lower or "nie" in lower or "brak" in lower
    return signs and not _NEGATIVES.isdisjoint(_LATIN.findall(lower))
