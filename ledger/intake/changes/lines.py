"""One line of release notes: the statement, and what tools write around it.

Read are the lines of conventional-changelog, release-please and semantic-release (`**scope:** text ([#12](…))
([abcdef1](…))`), git-cliff (`*(scope)* [**breaking**] text`), changesets (`[#12](…) [`abcdef1`](…) Thanks @ada! -
text`, `abcdef1: text`), the notes that forges draw up (`Title by @ada in …/pull/12`) and lists of commits (`abcdef1 fix: text`).

Scope, commits and authors stand beside the statement, not in it: a commit's subject knows nothing of them, so
they would only stand between the two.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from t2c.ledger.intake.changes.categories import is_category
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.vocabulary import words

__all__ = ["Told", "told"]

_HEX: Final = r"[0-9a-f]{7,40}"
_LEADING_COMMIT: Final = re.compile(rf"(?:`({_HEX})`:?|\(({_HEX})\):?|({_HEX})(?::|\s-)?)\s+(?=\S)")
_LEADING_NUMBER: Final = re.compile(
    rf"((?:(?:#\d{{1,9}}|`?{_HEX}`?),?\s+){{0,6}}+)"
    r"(?:Thanks ((?:@[\w-]+(?:\[bot\])?[,!\s]*)+(?:and @[\w-]+!?\s*)?)\s*)?-\s+(?=\S)"
)
_COUNTED_COMMIT: Final = re.compile(r"([0-9]{7}):\s+(?=\S)")
_SCOPE: Final = re.compile(
    r"(?:\*\*|__)([\w@$./,&* -]{1,60}?):(?:\*\*|__)\s+(?=\S)"
    r"|(?:\*\*|__)([a-z0-9@][\w@./-]{0,60})(?:\*\*|__):\s+(?=\S)"
    r"|[*_]\(([^()]{1,60})\)[*_]\s+(?=\S)"
)
_BREAKS: Final = re.compile(
    r"(?:\[\**breaking\**\]|\*\*\[?breaking(?: changes?)?\]?(?::\*\*|\*\*:?)|breaking(?: changes?)?:|[💥🚨])\s+(?=\S)",
    re.IGNORECASE,
)
_CONVENTIONAL: Final = re.compile(
    r"(feat(?:ure)?|fix|bug(?:fix)?|hotfix|refactor|perf|style|tests?|docs?|build|ci|chore|revert|deps)"
    r"(?:\(([^()]{1,60})\))?(!)?:\s+(?=\S)",
    re.IGNORECASE,
)
_COMMITS: Final = re.compile(
    rf"\(\[?`?{_HEX}`?\]?(?:,\s*`?{_HEX}`?)*\)\Z|\[`?{_HEX}`?(?:,\s*`?{_HEX}`?)*\]:?\Z"
)
_CREDIT: Final = re.compile(r"\((?:by |thanks,? (?:to )?)?@[\w-]+(?:(?:,|,? and)\s+@[\w-]+){0,20}\)\Z")
_CLOSES: Final = re.compile(
    r",\s+(?:closes|fixes|resolves|refs?)(?:\s+(?:[\w.-]{1,60}(?:/[\w.-]{1,60})?)?#\d{1,9},?)+\Z"
)
_BY: Final = re.compile(
    r" by (@[\w-]+(?:\[bot\])?(?:(?:,| and|, and)\s+@[\w-]+(?:\[bot\])?){0,20})"
    r"(?:\s+in\s+(?:#\d{1,9}|https?://\S{1,300}))?\.?\Z"
)
_NAME: Final = re.compile(
    r"\s+\((?P<name>[^\W\d_][^()#/@]{1,58}(?:\([^()]{1,40}\)[^()#/@]{0,40}|\[bot\])?)\)\Z"
)
_SAYS_BREAKING: Final = re.compile(r"\W{0,4}(?:possibl[ey] |potential(?:ly)? )?breaking\b", re.IGNORECASE)
_LABELS: Final = words(
    "note notes warning important caution attention tip example info see also update new todo breaking deprecated"
)
_HANDLE: Final = re.compile(r"@([\w-]+(?:\[bot\])?)")
_LINKED: Final = re.compile(r"/commit/([0-9a-f]{7,40})\b")
_BARE: Final = re.compile(_HEX)
_WINDOW: Final = 600
"""Characters from the end in which tools write their tail."""
_CITED: Final = 200
"""Characters from the start in which changesets cite."""
_MOST_TAILS: Final = 12


class Told(NamedTuple):
    """A line taken apart. `text` is never empty where the line says something."""

    text: str
    scope: str | None = None
    is_breaking: bool = False
    kind: str | None = None
    commits: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()


def told(line: str, more: str = "", *, by_commit: bool = False) -> Told:
    """Take one entry apart; `more` is text around it whose linked commits are its own too.

    `by_commit`: each entry begins with its commit, so that seven digits and a colon are one.
    """
    text = plain(line)
    commits = _LINKED.findall(f"{line} {more}") if "/commit/" in line or "/commit/" in more else []
    authors: list[str] = []
    start, named = _lead(text, commits, authors)
    if by_commit and not start and (digits := _COUNTED_COMMIT.match(text)) is not None:
        commits.append(digits[1])
        start = digits.end()
    scope: str | None = None
    breaking = False
    for _ in range(2):
        if (match := _BREAKS.match(text, start)) is not None:
            breaking, start = True, match.end()
        match = _SCOPE.match(text, start) if scope is None else None
        if match is not None and _is_scope(given := match[1] or match[2] or match[3]):
            scope, start = given, match.end()
    end = _tail(text, start, commits, authors, named=named)
    kind = None
    if (match := _CONVENTIONAL.match(text, start, end)) is not None:
        kind, scope, breaking = match[1].lower(), match[2] or scope, breaking or match[3] is not None
    bare = text[start:end].strip() if start or end < len(text) else text
    if not bare:
        return Told(text)
    return Told(
        bare,
        scope.strip(" *") or None if scope else None,
        breaking or _SAYS_BREAKING.match(bare) is not None,
        kind,
        tuple(sorted(_distinct(commits))) if commits else (),
        tuple(dict.fromkeys(authors)) if authors else (),
    )


def _lead(text: str, commits: list[str], authors: list[str]) -> tuple[int, bool]:
    """Where the statement begins, and whether the line is one of a list of commits, which ends in a name."""
    first = text[:1]
    if first == "#" or text.startswith(("Thanks ", "`")) or " Thanks @" in text[:_CITED]:
        match = _LEADING_NUMBER.match(text)
        if match is not None and (match[2] or "`" in match[1]):
            commits += [cited.strip("`,") for cited in match[1].split() if cited[0] != "#"]
            authors += _HANDLE.findall(match[2] or "")
            return match.end(), False
    match = _LEADING_COMMIT.match(text) if first and first in "`(0123456789abcdef" else None
    if match is not None and _is_commit(commit := match[1] or match[2] or match[3], commits):
        commits.append(commit)
        return match.end(), True
    return 0, False


def _tail(text: str, start: int, commits: list[str], authors: list[str], *, named: bool) -> int:
    """Where the statement ends: before commits, closed numbers and credits."""
    end = len(text)
    if named and (name := _NAME.search(text, max(start, end - _WINDOW), end)) is not None:
        authors.append(name["name"].strip())
        end = name.start()
    for _ in range(_MOST_TAILS):
        before = _before_tail(text, start, end, commits, authors)
        if before == end:
            break
        end = before
    return end


def _before_tail(text: str, start: int, end: int, commits: list[str], authors: list[str]) -> int:
    """Where the last thing that a tool wrote begins; `end` if it wrote nothing more."""
    last = text[end - 1 : end]
    at = match = None
    if last in (")", "]", ":"):
        at = text.rfind("(" if last == ")" else "[", start, end)
        if at > start and (match := _COMMITS.match(text, at, end)):
            cited = _BARE.findall(match[0])
            if not all(_is_commit(commit, commits) for commit in cited):
                return end
            commits += cited
        elif at > start and (match := _CREDIT.match(text, at, end)):
            authors += _HANDLE.findall(match[0])
    if match is None:
        at = text.rfind(" by @", start, end)
        if at > start and (match := _BY.match(text, at, end)):
            authors += _HANDLE.findall(match[1])
        elif last.isdigit() and (match := _CLOSES.search(text, max(start, end - _WINDOW), end)):
            at = match.start()
    if match is None or at is None or at <= start:
        return end
    bare = text[start:at].rstrip()
    return start + len(bare.rstrip(" -–—"))


def _is_commit(given: str, linked: list[str]) -> bool:
    """True for letters and digits, or for a hash that the line links to: `2020101` and `defaced` are words."""
    mixed = not given.isdigit() and not given.isalpha()
    return mixed or any(commit.startswith(given) for commit in linked)


def _is_scope(given: str) -> bool:
    """False for a bold label (`**Note:**`, `**Added:**`, `**Two Words:**`): a scope names a part of the product."""
    return not given[:1].isupper() or not (
        " " in given or given.lower() in _LABELS or (not given.isupper() and is_category(given))
    )


def _distinct(commits: list[str]) -> list[str]:
    """Without hashes that are the front of another one."""
    found = sorted(set(commits))
    return [one for one, after in zip(found, [*found[1:], ""], strict=True) if not after.startswith(one)]
