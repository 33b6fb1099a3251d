"""Tasks left in comments: TODO, FIXME, HACK, XXX and whatever else a project says (cases 1 to 9).

A marker is a word of its own at the head of a comment's line, or in capitals with a colon or an owner behind it
further on. What only mentions such a word (`see todo-list.md`, "the TODO list") is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from t2c.ledger.events.record import Action, Modality, SourceKind
from t2c.ledger.intake.base import MAX_EXCERPT, Draft, Reading, Scope, Tree, Warning, shortened
from t2c.ledger.intake.code.guards import as_text
from t2c.ledger.intake.comments.found import Comment, Line, comments_of, has_comments
from t2c.ledger.intake.inline import plain
from t2c.ledger.intake.markup import MAX_STATEMENT
from t2c.ledger.intake.mentions import mentions, resolved
from t2c.ledger.intake.text import action_and_object, polarity

__all__ = ["MARKERS", "MarkerExtractor"]

MARKERS: Final = ("TODO", "FIXME", "HACK", "XXX")
SOURCE: Final[SourceKind] = "todo"
_MEANT: Final[dict[str, tuple[Action, Modality]]] = {
    "FIXME": ("fix", "required"),
    "BUG": ("fix", "required"),
    "HACK": ("refactor", "recommended"),
    "XXX": ("unknown", "recommended"),
    "OPTIMIZE": ("refactor", "recommended"),
}
_ABOUT_MARKERS: Final = re.compile(
    r"\s*(?:s\b|['’]s\b|lists?\b|files?\b|comments?\b|items?\b|markers?\b|tags?\b|entries\b|\.\w|/|=)",
    re.IGNORECASE,
)
_SENTENCE_END: Final = (".", "!", "?", ":", ";")
_GOES_ON: Final = re.compile(r"[^\W\d_A-Z]|[(\[`\"'0-9]")
_TICKET_OWNER: Final = re.compile(r"(?:gh-|#)?\d+$|[A-Za-z][A-Za-z0-9]+-\d+$|.*://", re.IGNORECASE)
_TAG: Final = re.compile(r"[@\\:]\w+")
_MOST_LINES: Final = 40


def _is_name(word: str) -> bool:
    """True for capitals within a word, as in `toDo`: a name of the code."""
    return word not in (word.upper(), word.lower(), word.capitalize())


class _Marked(NamedTuple):
    """A marker and what is said behind it. `owner` is what stands in parentheses."""

    marker: str
    owner: str | None
    lines: tuple[Line, ...]
    text: str


class MarkerExtractor:
    """Reads the comments of any text file for the words in `markers`."""

    source: SourceKind = SOURCE

    def __init__(self, markers: Sequence[str] = MARKERS) -> None:
        """`markers` are words in capitals; a word that is none of these characters `[A-Z0-9_-]` never matches."""
        self.markers = tuple(dict.fromkeys(markers))
        self.name = "t2c/comment-markers@1"
        self.stamp = " ".join(self.markers)
        words = "|".join(re.escape(word) for word in sorted(self.markers, key=len, reverse=True)) or r"(?!)"
        self._any = re.compile(words.encode(), re.IGNORECASE)
        owner = r"(?:\s?[(\[](?P<owner>[^()\[\]\n]{1,80})[)\]]|\s?@(?P<handle>[\w-]{1,40}))?"
        self._head = re.compile(
            rf"(?:[-*+•]\s+|@|\\|\.\.\s+|!+\s*|\W?\[\W\]\s+)?(?P<word>{words})(?![\w-]){owner}(?P<sign>\s*:+|\s+[-–—]+(?=\s)|!+)?",
            re.IGNORECASE,
        )
        self._within = re.compile(rf"(?<![\w./`'\"#@-])(?P<word>{words}){owner}(?P<sign>:)(?!:)(?=\s|$)")

    def wants(self, path: str) -> bool:
        """True for every text file whose comments are known."""
        return has_comments(path)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """One record for each marker. Complete, since a file without a marker is not even parsed."""
        scope = Scope(SOURCE, path)
        content, _ = as_text(SOURCE, path, content)
        if self._any.search(content) is None:
            return Reading(scope, self.name, ())
        warnings: list[Warning] = []
        records = tuple(
            self._draft(path, comment, marked, tree, warnings)
            for comment in comments_of(path, content)
            for marked in self._marked(comment)
        )
        return Reading(scope, self.name, records, tuple(warnings))

    def _marked(self, comment: Comment) -> Iterator[_Marked]:
        """Each marker of a comment with the lines that it goes on for."""
        lines = comment.lines
        at = 0
        while at < len(lines):
            found = self._begins(lines[at].text)
            if found is None:
                at += 1
                continue
            end = at + 1
            while end < len(lines) and end - at < _MOST_LINES and self._continues(lines, at, end):
                end += 1
            rest = [lines[at].text[found.end() :], *(line.text for line in lines[at + 1 : end])]
            text = " ".join(part.strip() for part in rest).strip(" :-–—")
            owner = found["owner"] or found["handle"]
            yield _Marked(found["word"].upper(), owner, lines[at:end], text)
            at = end

    def _begins(self, text: str) -> re.Match[str] | None:
        found = self._head.match(text)
        if found is not None:
            word, behind = found["word"], text[found.end() :]
            told = found["sign"] or found["owner"] or found["handle"]
            if (told and not _is_name(word)) or (word.isupper() and not _ABOUT_MARKERS.match(behind)):
                return found
        return self._within.search(text)

    def _continues(self, lines: Sequence[Line], first: int, at: int) -> bool:
        line, before = lines[at], lines[at - 1]
        if not line.text or _TAG.match(line.text) or self._begins(line.text) is not None:
            return False
        if line.column > lines[first].column and line.text[:1] not in "-*+•":
            return True
        return not before.text.endswith(_SENTENCE_END) and _GOES_ON.match(line.text) is not None

    def _draft(
        self, path: str, comment: Comment, marked: _Marked, tree: Tree, warnings: list[Warning]
    ) -> Draft:
        said = marked.text or marked.marker
        first = marked.lines[0].number
        if len(said) > MAX_STATEMENT:
            detail = f"longer than {MAX_STATEMENT} characters"
            warnings.append(Warning(SOURCE, path, "statement_truncated", detail, 1, (first,)))
            said = shortened(said, MAX_STATEMENT)
        text = plain(said) or marked.marker
        done, about = action_and_object(text)
        usual, modality = _MEANT.get(marked.marker, ("unknown", "required"))
        owner = marked.owner.strip() if marked.owner else None
        cited = owner if owner and _TICKET_OWNER.match(owner) else None
        found = mentions(f"{said} {cited}" if cited else said)
        return Draft(
            kind="comment_marker",
            text=text,
            object=about if marked.text else "unspecified",
            action=usual if done == "unknown" else done,
            cls="plan",
            status="planned",
            confidence=0.57 if done == "unknown" else 0.80,
            basis=(
                "comment_marker",
                "comment_token" if comment.exact else "comment_scan",
                "heuristic_action_dictionary",
            ),
            trail=comment.scope,
            lines=(first, marked.lines[-1].number),
            actor=None if cited else owner,
            modality=modality,
            polarity=polarity(text),
            paths=resolved(found, tree, path.rpartition("/")[0]),
            symbols=found.symbols,
            tickets=found.tickets,
            versions=found.versions,
            excerpt=shortened("\n".join(line.text for line in marked.lines), MAX_EXCERPT),
            metadata={
                "marker": marked.marker,
                "enclosing": ".".join(comment.scope) or None,
                "missingFields": [] if marked.text else ["object"],
            },
        )
