"""What a statement wants done, how strongly, and whether it forbids (intent-evidence §1.4), English and Polish.

The action is that of the head verb of the first clause that has one, by position: "Implement and verify X"
adds. Words of paths, of code and of compounds (`docs/guide.md`, `add-on`) are never verbs. A word that may be
a noun ("test", "check") counts as a verb only where a clause begins.

The polarity is that of the main clause: "fix the crash when no file is given" is positive, "must not write"
is negative, and what is "no longer" so is not forbidden.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final, NamedTuple

from t2c.ledger.events.record import Action, Modality, Polarity
from t2c.ledger.intake.inline import blanked
from t2c.ledger.intake.vocabulary import (
    GERUNDS,
    NOT_VERBS,
    NOUNS,
    OPENERS,
    PHRASES,
    PREPOSITIONS,
    STEMS,
    VERBS,
    Word,
    words,
)

__all__ = ["action", "action_and_object", "fold", "modality", "object_of", "polarity"]

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


class _Head(NamedTuple):
    action: Action
    start: int
    end: int
    passive: bool
    verb: bool


def fold(text: str) -> str:
    """Lower case without accents (`ł` as `l`), brackets and signs as single spaces: `[a-z0-9_./#-]` remain."""
    return " ".join(_SIGNS.sub(" ", _bare(text)).split())


_SIGNS: Final = re.compile(r"[^a-z0-9_./#-]+")
_MEANT: Final = str.maketrans("łŁ", "ll")


def _bare(text: str) -> str:
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
    start = _after_marks(text)
    kind = _conventional(text, start)
    done: Action | None = None
    if kind is not None:
        done, start = kind
    head = _head(blanked(text), start) if kind is None else _first(text, start)
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


def _after_marks(text: str) -> int:
    match = _MARKS.match(text)
    return match.end() if match else 0


def _conventional(text: str, start: int) -> tuple[Action, int] | None:
    match = _PREFIX.match(text, start) or _LABEL.match(text, start)
    if match is None:
        return None
    kind = _TYPES.get(match[1].lower())
    return (kind, match.end()) if kind else None


def _is_verb(found: Word, text: str, end: int) -> bool:
    """True if a word that begins a statement and ends at `end` is a verb there, not the subject of another."""
    return found.kind == "verb" or (found.kind == "both" and not _SUBJECT_OF.match(text, end))


def _first(text: str, start: int) -> _Head | None:
    """The head verb that stands right after a commit type, if one does."""
    match = _WORD.match(text, start)
    if match is None:
        return None
    found, stop = _meaning(match[0].lower(), text, match.end())
    return _Head(found.action, start, stop, False, found.kind != "noun") if found else None


def _head(prose: str, start: int) -> _Head | None:
    """The head verb; failing that a plain verb that no preposition governs, a noun of some action, "write"."""
    verb: _Head | None = None
    noun: _Head | None = None
    light: _Head | None = None
    previous = ""
    end = start
    for index, match in enumerate(_WORD.finditer(prose, start)):
        if index >= _FAR:
            break
        word = match[0].lower()
        if word in _ENGLISH or word[:4] in STEMS or not word.isascii():
            found, stop = _meaning(word, prose, match.end())
        else:
            found, stop = None, 0
        if found is not None:
            hit = _Head(found.action, match.start(), stop, previous in _BE, found.kind != "noun")
            begins = index == 0 or previous in OPENERS or previous.endswith("ly")
            if found.kind == "light":
                light = light or hit
            elif hit.verb and (begins or _breaks(prose[end : match.start()], found)):
                return hit
            elif previous in PREPOSITIONS and (found.kind == "verb" or previous not in _ARTICLES):
                pass
            elif found.kind == "verb":
                verb = verb or hit
            else:
                noun = noun or hit._replace(verb=False)
        previous, end = word, match.end()
    return verb or noun or light


def _breaks(gap: str, found: Word) -> bool:
    return any(sign in gap for sign in ":;.!?—)]") or (found.kind == "verb" and "," in gap)


def _meaning(word: str, prose: str, end: int) -> tuple[Word | None, int]:
    """What the word that ends at `end` stands for, and where it ends with its particle ("set up")."""
    found = VERBS.get(word) or NOUNS.get(word)
    if found is not None:
        if found.kind == "both" and _SUBJECT_OF.match(prose, end):
            return found._replace(kind="noun"), end
        return found, end
    phrase = PHRASES.get(word)
    if phrase is not None:
        particle = _PARTICLE.match(prose, end)
        return (phrase[1], particle.end()) if particle and particle[1].lower() == phrase[0] else (None, end)
    bare = _bare(word)
    for stem, meaning in STEMS.get(bare[:4], ()):
        if bare.startswith(stem) and not bare.startswith(NOT_VERBS):
            return meaning._replace(kind="both") if bare.endswith(GERUNDS) else meaning, end
    return None, end


_ENGLISH: Final = VERBS.keys() | NOUNS.keys() | PHRASES.keys()
_PARTICLE: Final = re.compile(r"\s+([A-Za-z]+)\b")
_BE: Final = words("is are was were be been being gets got został została zostało zostały jest są")
_ARTICLES: Final = words("the a an this that these those its our your")


# --- modality and polarity --------------------------------------------------------------------------------

_ASIDE: Final = re.compile(r"\([^()]*+\)|\[[^\[\]]*+\]")
_PROHIBITED: Final = re.compile(
    r"\b(?:must|shall)(?:n['’]t| not| never)\b|\b(?:is|are) (?:not (?:allowed|permitted)|forbidden|prohibited)\b"
    r"|\bnie (?:wolno|moze|moga)\b|\bzabrania(?:ja)?\b|\b(?:zabronion|zakazan)[aeoy]\b|\bzakaz\b"
    r"|^(?:do not|don['’]t|never)\b"
)
_DISCOURAGED: Final = re.compile(
    r"\b(?:should|ought|may)(?:n['’]t| not| never)\b|\bnie powin(?:ien|na|no|ny|ni)\b"
)
_WAIVED: Final = re.compile(
    r"\b(?:(?:is|are) not (?:required|needed|necessary)|not needed|need not|needn['’]t"
    r"|(?:do|does)(?:n['’]t| not) (?:have|need) to|nie (?:musi|musza|trzeba|jest wymagan\w*))\b"
)
_NOT_SO: Final = re.compile(r"\b(?:no longer|not only|not just|not yet|no matter|nie tylko|juz nie)\b")
_REQUIRED: Final = re.compile(
    r"\b(?:must|shall|musi|musza|nalezy|trzeba|wymaga|ha(?:s|ve|d) to|maja? obowiazek|required to"
    r"|(?:is|are) required)\b|\bjest zobowiazan|^required:"
)
_RECOMMENDED: Final = re.compile(
    r"\b(?:should|ought|powinien|powinna|powinno|powinny|zaleca|(?:is|are|was|were|be|being) recommended"
    r"|recommended to|recommend(?:s|ed)? that)\b"
)
_OPTIONAL: Final = re.compile(r"\b(?:may|optional|can|moze|moga)\b|\bopcjonaln")
_NEGATION: Final = re.compile(
    r"\b(?:not|never|cannot|nie)\b(?!-)|n['’]t\b|(?:^|\b(?:is|are|was|were|be|has|have|had)\s)\s*no\b(?!-)"
)
_NEGATIVES: Final = words("no not never cannot nie")
_LATIN: Final = re.compile("[a-z]++(?!-)")
_WITHOUT: Final = re.compile(r"\b(?:without|bez)\b(?:\s+\S+){0,7}")
_BELOW: Final = re.compile(
    r"\b(?:when|whenever|if|unless|that|which|who|because|since|so|where|while|although|though|until|after|before"
    r"|gdy|gdyby|jesli|jezeli|ze|ktor\w+|kiedy|poniewaz|bo|az|chyba|zanim)\b"
)


def modality(text: str) -> Modality:
    """How binding a statement is. A prohibition binds like a requirement; a duty that is waived is optional."""
    prose = _bare(_ASIDE.sub(" ", blanked(text))).strip()
    if _PROHIBITED.search(prose):
        return "required"
    waived = _WAIVED.sub(" ", prose)
    if _REQUIRED.search(waived):
        return "required"
    if _RECOMMENDED.search(waived):
        return "recommended"
    return "optional" if waived != prose or _OPTIONAL.search(waived) else "unknown"


def polarity(text: str) -> Polarity:
    """`negative` if the main clause forbids or denies what it is about.

    Negation after the head verb ("fix what does not work") or a commit type, in a subordinate clause, in
    code, or of a duty or a past state ("no longer needed") does not count.
    """
    if not _may_deny(text.lower()):
        return "positive"
    start = _after_marks(text)
    if _conventional(text, start) is not None:
        return "positive"
    prose = _bare(_ASIDE.sub(" ", blanked(text)[start:])).strip()
    main = _NOT_SO.sub(" ", _WAIVED.sub(" ", _WITHOUT.sub(" ", _main_clause(prose))))
    if _PROHIBITED.search(main.strip()) or _DISCOURAGED.search(main):
        return "negative"
    head = _head(main, 0)
    denied = _NEGATION.search(main)
    if denied is None or (head is not None and head.verb and head.start < denied.start()):
        return "positive"
    return "negative"


def _may_deny(lower: str) -> bool:
    """False if no word of a text can be a negation: the quick answer for most statements."""
    if "n't" in lower or "n’t" in lower or "zabr" in lower or "zakaz" in lower or "forbid" in lower:
        return True
    if "prohib" in lower:
        return True
    signs = "no" in lower or "never" in lower or "nie" in lower
    return signs and not _NEGATIVES.isdisjoint(_LATIN.findall(lower))


def _main_clause(prose: str) -> str:
    below = _BELOW.search(prose)
    if below is None:
        return prose
    if below.start() > 0:
        return prose[: below.start()]
    _, comma, rest = prose.partition(",")
    return rest if comma else prose
