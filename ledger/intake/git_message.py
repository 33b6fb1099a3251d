"""What a commit message says in fixed forms: its type, its trailers, what it merges and what it takes back.

The subject alone decides type and scope, and no body rejects a commit: what cannot be read as a form is prose.
Everything here is what somebody wrote, never a guess: an agent is named only where a trailer names one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.intake.base import shortened

__all__ = ["MAX_TRAILERS", "Trailer", "Trailers", "agents", "forms", "trailers", "without_mail"]

MAX_TRAILERS: Final = 50
"""Trailers kept of one commit."""
_MAX_VALUE: Final = 200
_WINDOW: Final = 20_000
"""Characters at the end of a message that are searched for trailers."""
_MAX_NAMED: Final = 20

_TYPED: Final = re.compile(r"([A-Za-z][A-Za-z0-9_-]{0,29})(?:\(([^()\n]{1,100})\))?(!)?:\s+(?=\S)", re.ASCII)
_TYPES: Final = frozenset(
    [
        "feat",
        "feature",
        "fix",
        "bug",
        "bugfix",
        "hotfix",
        "refactor",
        "perf",
        "style",
        "test",
        "tests",
        "docs",
        "doc",
        "build",
        "ci",
        "chore",
        "revert",
        "new",
        "update",
        "breaking",
        "upgrade",
        "release",
        "deps",
        "security",
        "i18n",
        "wip",
        "improvement",
        "merge",
    ]
)
_BREAKING: Final = re.compile(r"^BREAKING[ -]CHANGE: ", re.MULTILINE)

_KEY: Final = re.compile(r"([A-Za-z0-9][A-Za-z0-9-]{0,63})[ \t]{0,8}:(?!//)[ \t]*(.*)\Z", re.DOTALL)
_PICKED: Final = re.compile(r"\(cherry picked from commit ([0-9a-f]{7,64})\)\Z")
_KNOWN: Final = re.compile(
    r"(?:[a-z-]{1,40}-(?:by|to|with)|change-id|cc|fixes|closes|resolves|refs?|references|see-also|link|bug|issue|reverts)\Z"
)
"""Keys in lower case that only a trailer bears; one of them makes a block of other lines one of trailers."""
_LABELS: Final = _TYPES | {
    "note", "notes", "nb", "ps", "example", "examples", "background", "solution", "problem", "summary", "context", "before",
    "after", "usage", "todo", "fixme", "warning", "important", "edit", "change", "changes", "description", "motivation",
    "reason", "result", "source", "bonus", "add", "uwaga", "przykład",
}  # fmt: skip
"""Words before a colon that begin a sentence or a title, never a trailer."""
_MAX_WORDS: Final = 4
"""Words in the value of a key that nobody knows and that is one word: more of them are a sentence."""
_MAIL: Final = re.compile(r"[ \t]?<[^<>\s@]{1,200}@[^<>\s]{1,200}>")
_BARE_MAIL: Final = re.compile(r"[^\s<>@/:]{1,200}@[^\s<>@/:]{1,200}\Z")

_REVERTED: Final = re.compile(
    r"(?:\bthis (?:commit )?reverts commits?|^reverts?(?: commits?)?"
    r"|^(?:wycofuj[eę]|cofa|wycofanie|cofnięcie|odwrócenie)(?: zmian[yę]?)?(?: z)?(?: commit\w{0,3})?)"
    r"[ \t\n:]{1,3}([0-9a-f]{7,64})\b",
    re.IGNORECASE | re.MULTILINE,
)
_REVERT: Final = re.compile(
    r"(?:revert(?:\([^()\n]{1,100}\))?!?: \S|(?:\w{1,30}: )?(?:reverts?|reverted|cofnij|cofnięcie|cofa|wycofaj|wycofanie|wycofuje)"
    r"(?: zmian[yę]?)? [\"„“«'])",
    re.IGNORECASE,
)
_TAKES_BACK: Final = re.compile(r"\b(?:revert|cofn|cofa|wycof|odwr[oó]c)", re.IGNORECASE)
_HEX: Final = re.compile(r"(?=[a-f]*\d)[0-9a-f]{7,64}\Z")
_PULL: Final = re.compile(
    r"Merge pull request #(\d{1,9}) from (\S{1,250})|(?:[Aa]uto|Rollup) merge of #(\d{1,9}) [-:] (\S{1,250}?),? r="
    r"|Merged in (\S{1,250}) \(pull request #(\d{1,9})\)|Merged PR (\d{1,9}): "
)
_MERGES: Final = ("Merge ", "Merged ", "Auto merge ", "auto merge ", "Rollup merge ")
_MERGE_REQUEST: Final = re.compile(r"^See merge request \S{0,200}!(\d{1,9})\s*\Z", re.MULTILINE)
_BRANCH: Final = re.compile(r"Merge (?:remote-tracking )?branch '([^'\n]{1,250})'")


class Trailer(NamedTuple):
    """One `Key: value` as written; `value` still holds mail addresses."""

    key: str
    value: str


class Trailers(NamedTuple):
    """All trailers in order, and how many lines of their block are none."""

    found: tuple[Trailer, ...]
    unparsed: int


_NONE: Final = Trailers((), 0)


def without_mail(text: str) -> str:
    """The text without mail addresses in angle brackets; one that is nothing but an address becomes `<…>`."""
    plain = _MAIL.sub("", text) if "@" in text else text
    return "<…>" if _BARE_MAIL.match(plain) or (not plain.strip() and text.strip()) else plain.strip()


def trailers(message: str) -> Trailers:
    """The trailers of the last block, and of blocks right above it that hold nothing but well-known ones.

    As Git has it: a block counts if all its lines are trailers, or a quarter and one of them is well known. The
    paragraph of the subject is never one.
    """
    if ":" not in message and "(cherry" not in message:
        return _NONE
    paragraphs = _paragraphs(message[-_WINDOW:])
    last = next(paragraphs, None)
    if last is None:
        return _NONE
    found, unparsed = _block(last)
    known = sum(_is_known(item) for item in found)
    if not found or (unparsed and (not known or 3 * len(found) < unparsed)):
        return _NONE
    if not known and not all(item.key[0].isupper() or "-" in item.key for item in found):
        return _NONE  # output that was pasted: `error: …`
    if known < len(found) and message.startswith(_MERGES):
        return _NONE  # the title of what was merged: `Rule: …`
    for above in paragraphs:
        more, other = _block(above)
        if other or not more or not all(_is_known(item) for item in more):
            break
        found = more + found
    return Trailers(tuple(found), unparsed)


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Paragraphs from the last to the second."""
    part: list[str] = []
    for line in reversed(text.split("\n")):
        if line.strip():
            part.append(line)
        elif part:
            yield part[::-1]
            part = []


def _block(lines: Sequence[str]) -> tuple[list[Trailer], int]:
    found: list[Trailer] = []
    unparsed = 0
    for line in lines:
        if line[0] in " \t" and found and not unparsed:
            key, value = found[-1]
            if len(value) <= _MAX_VALUE:
                found[-1] = Trailer(key, f"{value} {line.strip()}".strip())
        elif (match := _KEY.match(line)) and _is_trailer(match[1].lower(), match[2]):
            found.append(Trailer(match[1], match[2].strip()))
        elif picked := _PICKED.match(line):
            found.append(Trailer("cherry picked from commit", picked[1]))
        else:
            unparsed += 1
    return found, unparsed


def _is_trailer(key: str, value: str) -> bool:
    if "-" in key or _KNOWN.match(key):
        return bool(value.strip())
    return key not in _LABELS and 0 < len(value.split(None, _MAX_WORDS)) <= _MAX_WORDS


def _is_known(item: Trailer) -> bool:
    return item.key.startswith("cherry ") or _KNOWN.match(item.key.lower()) is not None


def forms(subject: str, message: str, *, merge: bool) -> dict[str, Any]:
    """Metadata of the fixed forms: `commitType`, `scope`, `breaking`, and where they apply `reverts`,
    `pullRequest`, `mergedFrom`, `mergedTitle`.

    `reverts` is a list of revisions as written, abbreviated ones too; None for a revert that names none.
    """
    said: dict[str, Any] = {"commitType": None, "scope": None, "breaking": False}
    typed = _TYPED.match(subject)
    if typed and (typed[2] or typed[3] or typed[1].lower() in _TYPES):
        said["commitType"], said["scope"] = typed[1].lower(), typed[2]
        said["breaking"] = typed[3] is not None or typed[1].lower() == "breaking"
    if "BREAKING" in message and _BREAKING.search(message):
        said["breaking"] = True
    _reverts(said, subject, message)
    _merged(said, subject, message, merge=merge)
    return said


def _reverts(said: dict[str, Any], subject: str, message: str) -> None:
    lower = message.lower()
    if "revert" not in lower and "cof" not in lower and "odwr" not in lower:
        return
    # In the body of squashed commits it is a step on the way that was taken back, not what this commit does.
    told = message if _TAKES_BACK.search(subject) else "\n\n".join(message.split("\n\n", 2)[:2])
    named = dict.fromkeys(match[1].lower() for match in _REVERTED.finditer(told) if _HEX.match(match[1]))
    if named:
        said["reverts"] = list(named)[:_MAX_NAMED]
    elif _REVERT.match(subject):
        said["reverts"] = None


def _merged(said: dict[str, Any], subject: str, message: str, *, merge: bool) -> None:
    pull = _PULL.match(subject) if "erge" in subject else None
    if pull is not None:
        said["pullRequest"] = int(pull[1] or pull[3] or pull[6] or pull[7])
        if branch := pull[2] or pull[4] or pull[5]:
            said["mergedFrom"] = branch
    elif merge and (request := _MERGE_REQUEST.search(message)):
        said["pullRequest"] = int(request[1])
    if merge and (branch := _BRANCH.match(subject)):
        said["mergedFrom"] = branch[1]
    if "pullRequest" in said and (title := _title(message)):
        said["mergedTitle"] = shortened(without_mail(title), _MAX_VALUE)


def _title(message: str) -> str:
    """The first line of the body, where forges put the title of what was merged."""
    _, _, body = message.partition("\n")
    first = next((line.strip() for line in body.split("\n", 5)[:5] if line.strip()), "")
    return "" if first.startswith("See merge request ") else first


# --- agents -----------------------------------------------------------------------------------------------

_SAYS_AGENT: Final = frozenset(
    [
        "assisted-by",
        "generated-by",
        "generated-with",
        "ai-assisted-by",
        "ai-generated-by",
        "ai-generated-with",
        "co-generated-by",
        "made-with",
        "ai-agent",
        "ai-assistant",
        "ai-model",
        "agent",
    ]
)
_AGENT_KEY: Final = re.compile(
    r"(claude|codex|copilot|cursor|aider|gemini|devin|windsurf|openhands|amp|cline|jules|opencode)-[a-z]",
    re.IGNORECASE,
)
_CO_AUTHOR: Final = "co-authored-by"
_AGENT_MAIL: Final = re.compile(
    r"<(?:noreply@(?:anthropic|openai|opencode|aider)\.\w{2,4}|cursoragent@cursor\.com|agent@cursor\.com|codex@openai\.com"
    r"|[^<>@\s]{0,80}@aider\.chat|openhands@all-hands\.dev|amp@ampcode\.com|copilot@github\.com"
    r"|(?:\d{1,12}\+)?(?:Copilot|copilot-swe-agent\[bot\]|devin-ai-integration\[bot\]|gemini-code-assist\[bot\]"
    r"|google-labs-jules\[bot\]|claude\[bot\]|cursor\[bot\])@users\.noreply\.github\.com)>",
    re.IGNORECASE,
)
_AGENT_NAME: Final = re.compile(
    r"(?:Claude(?: Code)?(?: (?:Opus|Sonnet|Haiku|[0-9])[\w .()-]{0,40})?|(?:GitHub )?Copilot|Cursor(?: Agent)?"
    r"|(?:OpenAI )?Codex(?: CLI)?|Devin AI|aider(?: \([^()\n]{1,80}\))?|Gemini(?: CLI)?|OpenHands|Windsurf|Cline|opencode)\Z",
    re.IGNORECASE,
)
"""Whole names only: `Claude Monet` is a person."""
_GENERATED: Final = re.compile(
    r"^\W{0,6}Generated (?:with|by) \[?((?:Claude Code|GitHub Copilot|Copilot|Codex(?: CLI)?|Cursor|Gemini CLI|Amp|opencode))\b",
    re.MULTILINE,
)


def agents(message: str, found: Sequence[Trailer]) -> list[dict[str, str]]:
    """The agents that trailers name, as `{"name": …, "trailer": …}` in order, each once.

    A co-author counts if the name as a whole, or the address, is that of a known agent. Footers of the form
    `Generated with [Claude Code]` count as trailers.
    """
    named: dict[tuple[str, str], None] = {}
    for key, value in found:
        lower = key.lower()
        name = shortened(without_mail(value), _MAX_VALUE)
        if lower in _SAYS_AGENT:
            if name and name != "<…>":
                named[name, key] = None
        elif lower == _CO_AUTHOR:
            if _AGENT_NAME.match(name) or _AGENT_MAIL.search(value):
                named[name, key] = None
        elif own := _AGENT_KEY.match(key):
            named[own[1], key] = None
    if "Generated " in message:
        for match in _GENERATED.finditer(message[-_WINDOW:]):
            named[match[1], "Generated with"] = None
    return [{"name": name, "trailer": key} for name, key in list(named)[:_MAX_NAMED]]
