"""Which numbers and tickets a statement cites, in whose repository, and how strongly a commit cites them.

`target.tickets` says what is cited; the words around a citation say how. A number belongs to the repository
that is written with it (`name#12`, or a link to `/owner/name/pull/12`; such numbers count even where they are no
target) and else to this one. A repository is known by its name without its owner, because a move to another
owner and a fork keep the name.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Final, Literal, NamedTuple

__all__ = ["Citation", "Grade", "Mention", "home_of", "mentions", "numbers", "tickets"]

Grade = Literal["of_pull_request", "closed", "in_subject", "in_body"]
"""How a commit cites a key, strongest first; in other statements the grade says nothing."""

STRENGTH: Final[dict[Grade, int]] = {"of_pull_request": 3, "closed": 2, "in_subject": 1, "in_body": 0}
_NAME_CHARS: Final = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-/"
_BEFORE: Final = 100
"""Characters before a citation that are looked at; a repository's name and a closing word fit in."""
_LIST_GAP: Final = 8
"""Characters between two members of one list of citations."""
_MANY: Final = 8
"""A body that cites more numbers than this lists other commits and speaks for none of them."""
_NUMBER: Final = re.compile(r"(?:#|(?<![\w-])[Gg][Hh]-)([0-9]{1,9})(?![0-9A-Za-z_])")
_LINK: Final = re.compile(
    r"://[^/\s()]{1,255}/[^/\s()]{1,100}/([^/\s()]{1,100})/(?:-/)?"
    r"(?:pulls?|issues?|merge_requests)/([0-9]{1,9})(?![0-9])"
)
_LABEL_END: Final = re.compile(r"`?\]\(https?")
_CLOSING: Final = re.compile(
    r"\b(?:clos(?:e[sd]?|ing)|fix(?:e[sd]|ing)?|resolv(?:e[sd]?|ing))[:\s]{1,3}"
    r"(?:(?:issue|bug|ticket)\s)?[\[(]?\Z",
    re.IGNORECASE,
)
_LISTED: Final = re.compile(r"[\])\s]{0,2}(?:,|and|&|, and)?\s{0,2}[\[(]?")
_ASIDE: Final = re.compile(
    r"\b(?:after|before|by|from|in|like|of|per|since|to|until|with|without) (?:pull request |pr |issue )?\Z",
    re.IGNORECASE,
)
_PULL_REQUEST: Final = re.compile(r"(?:\bmerge |\()pull request \Z", re.IGNORECASE)
TYPED: Final = r"(?:\w{1,30}(?:\([^)]{0,50}\))?!?: )?"
_REVERT: Final = re.compile(TYPED + r"revert(?:s|ed|ing)?\b", re.IGNORECASE)
_DEPENDENCY: Final = re.compile(
    TYPED + r"(?:bump \S{1,200} from \S{1,100} to |update dependency )", re.IGNORECASE
)
_PREFIXES: Final = frozenset({"", "bug", "gh", "issue", "mr", "pr"})
"""What is written before `#12` without naming a repository."""
_KEY_GAPS: Final = str.maketrans(" _", "--")


class Mention(NamedTuple):
    """A number as written, with the repository's name, in lower case, where one is written or linked."""

    repository: str | None
    number: str
    grade: Grade
    is_link: bool


class Citation(NamedTuple):
    """A cited number or ticket: `ABC-12`, `#12` of this repository, or `name#12` of another one."""

    key: str
    grade: Grade


def mentions(subject: str, body: str, cited: Collection[str]) -> tuple[Mention, ...]:
    """How each `#12` among the `cited` keys, and each number of a named repository, is written.

    A statement without a subject passes an empty one. A revert cites what it undoes, so only its own pull
    request counts. The body does not count where it quotes others: in a dependency's update, and where more
    than a handful of numbers are cited; and single digits in it are ordinals (`attempt #2`) unless they are
    closed. A number that the text, being cut, does not show counts as mentioned in the body.
    """
    wanted = {key[1:] for key in cited if key.startswith("#")} if cited else frozenset[str]()
    if not wanted and "#" not in subject and "#" not in body and "://" not in body:
        return ()
    found = list(_in_subject(subject))
    if _REVERT.match(subject):
        found = [mention for mention in found if mention.grade == "of_pull_request"]
    elif not _DEPENDENCY.match(subject) and not (subject and len(wanted) > _MANY):
        found += _in_text(body, "in_body")
        shown = {mention.number for mention in found}
        found += [Mention(None, number, "in_body", False) for number in wanted - shown]
    if subject:
        found = [mention for mention in found if mention.grade != "in_body" or len(mention.number) > 1]
    return tuple(mention for mention in found if mention.repository or mention.number in wanted)


def home_of(found: Iterable[Mention]) -> str | None:
    """The repository that more than half of all linked numbers lie in: this one. None if there is none."""
    linked = Counter(mention.repository for mention in found if mention.is_link)
    name, count = max(linked.items(), key=lambda item: item[1], default=(None, 0))
    return name if count * 2 > linked.total() else None


def numbers(found: Iterable[Mention], home: str | None) -> tuple[Citation, ...]:
    """Each cited number once, at its strongest grade, in the order of keys."""
    best: dict[str, Grade] = {}
    for repository, number, grade, _ in found:
        key = f"#{number}" if repository in (None, home) else f"{repository}#{number}"
        if key not in best or STRENGTH[grade] > STRENGTH[best[key]]:
            best[key] = grade
    return tuple(Citation(key, best[key]) for key in sorted(best))


def tickets(subject: str, body: str, cited: Collection[str]) -> tuple[Citation, ...]:
    """Each `ABC-12` among the `cited` keys with its grade, in the order of keys; `ticket 12` is `TICKET-12`.

    A revert cites what it undoes and so cites nothing.
    """
    keys = sorted({key for key in cited if not key.startswith("#")}) if cited else ()
    if not keys or _REVERT.match(subject):
        return ()
    return tuple(Citation(key, _ticket_grade(key, (subject.upper(), body.upper()))) for key in keys)


def _ticket_grade(key: str, texts: tuple[str, str]) -> Grade:
    """The strongest grade of a key in a subject and a body in upper case, as keys are."""
    in_subject = False
    for place, text in enumerate(texts):
        searched = text.translate(_KEY_GAPS)
        start = searched.find(key)
        while start >= 0:
            end = start + len(key)
            if not searched[start - 1 : start].isalnum() and not searched[end : end + 1].isdigit():
                if _CLOSING.search(text, max(0, start - _BEFORE), start):
                    return "closed"
                in_subject |= place == 0
            start = searched.find(key, end)
    return "in_subject" if in_subject else "in_body"


def _in_subject(subject: str) -> Iterator[Mention]:
    """As `_in_text`, knowing what forges write: `(#12)` at the very end, `Merge pull request #12`.

    After a preposition (`fix tests after #12`) a number is an aside, worth no more than in the body.
    """
    for mention, start, end in _occurrences(subject, "in_subject"):
        ends_subject = subject[start - 1 : start] == "(" and subject[end:].rstrip() == ")"
        if ends_subject or _PULL_REQUEST.search(subject, max(0, start - _BEFORE), start):
            yield mention._replace(grade="of_pull_request")
        elif mention.grade == "in_subject" and _ASIDE.search(subject, max(0, start - _BEFORE), start):
            yield mention._replace(grade="in_body")
        else:
            yield mention


def _in_text(text: str, plain: Grade) -> Iterator[Mention]:
    for mention, _, _ in _occurrences(text, plain):
        yield mention
    for link in _LINK.finditer(text):
        yield Mention(link[1].lower(), link[2], plain, True)


def _occurrences(text: str, plain: Grade) -> Iterator[tuple[Mention, int, int]]:
    """Each `#12` with its repository, and where it starts (repository included) and ends."""
    closing_end = -_LIST_GAP
    for match in _NUMBER.finditer(text):
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        written = before[len(before.rstrip(_NAME_CHARS)) :]
        start, end = match.start() - len(written), match.end()
        name = written.rpartition("/")[2].lower()
        repository = None if name in _PREFIXES else name
        if _LABEL_END.match(text, end) and (link := _LINK.match(text, text.find("://", end))):
            repository = link[1].lower()
        closes = _CLOSING.search(text, max(0, start - _BEFORE), start) or (
            start - closing_end <= _LIST_GAP and _LISTED.fullmatch(text, closing_end, start)
        )
        if closes:
            closing_end = end
        yield Mention(repository, match[1], "closed" if closes else plain, False), start, end
