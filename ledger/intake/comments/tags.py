"""Tags that trace a requirement, in the comments of any text file: `[impl->req~login-lock~1]` (case 29).

The form is that of requirement tracing by tags: the kind of artefact, an arrow, what it covers with its revision,
and what it needs to be covered by itself. What a tag says is a claim of whoever wrote it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any, Final

from t2c.ledger.events.record import Action, SourceKind
from t2c.ledger.intake.base import Draft, Reading, Scope, Tree, Warning
from t2c.ledger.intake.code.guards import as_text
from t2c.ledger.intake.code.languages import may_be_code
from t2c.ledger.intake.comments.formats import is_media, marks_of
from t2c.ledger.intake.comments.found import Comment, comments_of, has_comments

__all__ = ["TagExtractor", "unread_endings"]

SOURCE: Final[SourceKind] = "document"
_ITEM: Final = r"[A-Za-z]\w{0,30}~[\w.-]{1,120}~\d{1,9}"
_TAG: Final = re.compile(
    rf"\[\s*(?P<kind>[A-Za-z]\w{{0,30}})(?:~(?P<name>[\w.-]{{0,120}})~(?P<revision>\d{{1,9}}))?\s*->\s*"
    rf"(?P<covers>{_ITEM}(?:\s*,\s*{_ITEM})*+)\s*(?:>>\s*(?P<needs>\w+(?:\s*,\s*\w+)*+)\s*)?\]"
)
_ODD: Final = re.compile(r"\[\s*[A-Za-z]\w{0,30}(?:~[\w.-]*~\d*)?\s*->[^\]\n]{0,200}\]")
_ACTIONS: Final[dict[str, Action]] = {
    "impl": "add", "utest": "test", "itest": "test", "stest": "test", "test": "test", "uman": "document",
    "dsn": "document", "doc": "document",
}  # fmt: skip
_TEXT_BUT_NO_COMMENTS: Final = frozenset(
    [
        "json",
        "jsonl",
        "ndjson",
        "csv",
        "tsv",
        "txt",
        "lock",
        "sum",
        "rst",
        "adoc",
        "asciidoc",
        "org",
        "map",
        "log",
        "diff",
        "patch",
    ]
)
_NAMED: Final = 8


class TagExtractor:
    """Reads the comments of any text file for trace tags."""

    name: str = "t2c/trace-tags@1"
    source: SourceKind = SOURCE

    def wants(self, path: str) -> bool:
        """True for every text file whose comments are known."""
        return has_comments(path)

    def read(self, path: str, content: bytes, tree: Tree) -> Reading:
        """One record for each requirement that a tag covers."""
        scope = Scope(SOURCE, path)
        content, _ = as_text(SOURCE, path, content)
        if b"->" not in content or b"~" not in content:
            return Reading(scope, self.name, ())
        records: list[Draft] = []
        odd: list[int] = []
        for comment in comments_of(path, content):
            for line in comment.lines:
                if "->" not in line.text:
                    continue
                for tag in _TAG.finditer(line.text):
                    covered = dict.fromkeys("".join(tag["covers"].split()).split(","))
                    records += [_draft(path, comment, line.number, tag, item) for item in covered]
                rest = _TAG.sub("", line.text)
                odd += [line.number] * ("~" in rest and _ODD.search(rest) is not None)
        warnings: tuple[Warning, ...] = ()
        if odd:
            detail = "looks like a trace tag and is none: [kind->kind~name~revision]"
            warnings = (Warning(SOURCE, path, "malformed_tag", detail, len(odd), tuple(odd[:20])),)
        return Reading(scope, self.name, tuple(records), warnings)


def _draft(path: str, comment: Comment, line: int, tag: re.Match[str], item: str) -> Draft:
    kind = tag["kind"].lower()
    target, name, revision = item.split("~")
    metadata: dict[str, Any] = {
        "artifactType": kind,
        "artifactName": tag["name"] or None,
        "requirementId": item,
        "requirementName": name,
        "requirementType": target,
        "requirementRevision": int(revision),
        "needs": [need.strip() for need in (tag["needs"] or "").split(",") if need.strip()],
        "enclosing": ".".join(comment.scope) or None,
    }
    return Draft(
        kind="trace_tag",
        text=f"{kind} covers {item}",
        object=item,
        action=_ACTIONS.get(kind, "declare"),
        cls="claim",
        status="implemented",
        confidence=0.9,
        basis=("comment_token" if comment.exact else "comment_scan", "trace_tag"),
        trail=comment.scope,
        lines=(line, line),
        subject=item,
        modality="claimed",
        paths=(path,),
        symbols=(".".join(comment.scope),) if comment.scope else (),
        excerpt=tag[0],
        metadata=metadata,
    )


def unread_endings(paths: Iterable[str]) -> list[Warning]:
    """One warning that counts the text files in whose comments nobody looks, by ending; none if there are none."""
    counts: Counter[str] = Counter()
    for path in paths:
        if marks_of(path) is None and not may_be_code(path) and not is_media(path):
            name = path[path.rfind("/") + 1 :]
            ending = name[name.rfind(".") :].lower() if "." in name[1:] else "without an ending"
            if ending[1:] not in _TEXT_BUT_NO_COMMENTS:
                counts[ending] += 1
    if not counts:
        return []
    first = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    named = ", ".join(f"{ending} {count:,}" for ending, count in first[:_NAMED])
    more = f" and {len(first) - _NAMED:,} more" if len(first) > _NAMED else ""
    detail = f"no comments are read in files of these endings: {named}{more}"
    return [Warning("todo", None, "comments_not_read", detail, sum(counts.values()))]
