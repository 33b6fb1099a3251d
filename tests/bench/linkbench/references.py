"""References between entries and commits: reading them as labels, and stripping them from what a linker sees."""

from __future__ import annotations

import re

__all__ = ["entry_numbers", "message_numbers", "without_references", "without_references_in_message"]

_FORGE = r"https?://(?:www\.)?github\.com/"
_URL = (
    _FORGE + r"[\w.-]+/[\w.-]+/(?:pull|pulls|issues|issue|commit|commits|compare|discussions"
    r"|security/advisories)/[^\s)>\]`]*"
)
_ROLE = r"(?::|\{)(?:issue|issues|pr|pull|pull-?request|gh|ghsa|user|commit|bug|ticket|cve|contributor)(?::|\})`[^`]*`"
_HASH = r"(?<![\w/.-])(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{7,40}(?![\w-])"
_HANDLES = r"@[\w-]+(?:\[bot\])?(?:\s*(?:,|and|&)\s*@[\w-]+)*"
_GONE = [
    (re.compile(pattern), kept)
    for pattern, kept in (
        (r"^\s*\[(?:#\d+|[0-9a-f]{7,40})\]:\s*\S+\s*$", ""),
        (r"\[(?:`)?(?:\w+ )?(?:#|GH-|gh-)?\d+(?:`)?\]\(" + _URL + r"\)", ""),
        (r"\[`?[0-9a-f]{7,40}`?\]\([^)]*\)", ""),
        (r"\[@?[\w-]+(?:\[bot\])?\]\(https?://github\.com/[\w-]+/?(?: \"[^\"]*\")?\)", ""),
        (r"\[([^\]]*)\]\(" + _URL + r"\)", r"\1"),
        (r"`(?:\w+ )?(?:#|GH-|gh-)?\d+\s*<[^>]*>`_*", ""),
        (r"`([^`<]*?)\s*<" + _URL + r">`_*", r"\1"),
        (_ROLE, ""),
        (r"<?" + _URL + r">?`?_*", ""),
        (r"\[(?:[\w-]+/[\w.-]+)?#\d+\](?:\[[^\]]*\])?", ""),
        (r"(?:[\w-]+/[\w.-]+)?#\d+\b", ""),
        (r"\b(?:GH|gh|PR|pr|issue|Issue|bug|Bug|BUG)[- :]?\d{2,6}\b(?!\.\d)", ""),
        (_HASH, ""),
        (r"\(\s*" + _HANDLES + r"\s*\)", ""),
        (
            r"\b(?:[Tt]hanks(?: to)?|[Bb]y|[Cc]ontributed by|[Pp]atch by|[Rr]eported by)\s+(?:"
            + _HANDLES
            + r")",
            "",
        ),
        (r"\s(?:--|–|—)\s*by\s*(?=[.,]?\s*$|\s)", " "),
        (r"\*?Related issues and pull requests on GitHub:\*?", ""),
    )
]
_EMPTY_PARENTHESES = re.compile(
    r"(?<!\S)\(\s*(?:PR|Pull|pull|pr|issue|issues|see|See|fix|fixes|Fixes|close|closes|Closes|refs?|Refs?|via|by|in"
    r"|backport of|and|also|bug|BUG|FEATURE|PERF|,|;|:|&|\.|\s)*\)"
)
_EMPTY_BRACKETS = re.compile(r"\[\s*\]")
_DANGLING = re.compile(
    r"\b(?:[Ss]ee(?: also)?|[Ff]ixes|[Cc]loses|[Rr]efs?|[Rr]esolves|by|in|and|via)\s*(?:,|and|also|\s)*\.?\s*$"
)
_DANGLING_TAIL = re.compile(
    r"(?:,|;|\.)?\s*\b(?:[Ss]ee(?: also)?|[Ff]ixe[sd]|[Cc]loses|[Rr]efs?|[Rr]esolves|by|in|and|via)"
    r"\s*(?:,|and|also|\s)*(?=\.?\s*$)"
)
_TRAILER = re.compile(
    r"^\s*(?:Co-authored-by|Signed-off-by|Reviewed-by|Approved-by|Change-Id|Cc|Acked-by|Tested-by|PR-URL|Reported-by"
    r"|Suggested-by|Assisted-by|\(cherry picked from)\b.*$",
    re.IGNORECASE,
)
_CLOSING = re.compile(
    r"\b(?:clos(?:e|es|ed)|fix(?:es|ed)?|resolv(?:e|es|ed))\b:?\s+(?:issue\s+)?(?:(?:[\w.-]+/([\w.-]+))?#(\d{2,6})"
    r"|https?://github\.com/[\w.-]+/([\w.-]+)/(?:issues|pull)/(\d+))((?:\s*(?:,|and|&)\s*#\d{2,6})*)",
    re.IGNORECASE,
)


def without_references(text: str) -> str:
    """A text without numbers, links to them, handles and hashes; line by line, so that no line moves."""
    return "\n".join(map(_stripped, text.split("\n")))


def _stripped(line: str) -> str:
    for pattern, kept in _GONE:
        line = pattern.sub(kept, line)
    for _ in range(3):
        line = _EMPTY_PARENTHESES.sub("", line)
        line = _EMPTY_BRACKETS.sub("", line)
        if _DANGLING.search(line):
            line = _DANGLING_TAIL.sub("", line)
    line = re.sub(r"(?<=\S)[ \t]{2,}", " ", line)
    line = re.sub(r"\s+([,.;:])(?=\s|$)", r"\1", line)
    return re.sub(r"(?:[,;]\s*)+\.?\s*$", "", line).rstrip()


def without_references_in_message(subject: str, body: str) -> tuple[str, str]:
    """A commit's message without references and trailers; a merge keeps the name of what it merged."""
    subject = re.sub(
        r"^(Merge pull request)\s+#\d+\s+from\s+\S*?[/:](\S+)",
        lambda found: f"{found[1]} from {re.sub(r'[0-9]{2,}', '', found[2])}",
        subject,
    )
    subject = re.sub(r"^(Merge pull request)\s+#\d+", r"\1", subject)
    subject = re.sub(r"^\[PR #\d+/\w+ backport\]", "[PR backport]", subject)
    subject = re.sub(r"^(Auto merge of)\s+#\d+\s+-\s+[^,\s]+,", r"\1", subject)
    kept = [_stripped(line) for line in body.split("\n") if not _TRAILER.match(line)]
    return _stripped(subject).strip(), re.sub(r"\n{3,}", "\n\n", "\n".join(kept)).strip()


def entry_numbers(raw: str, slug: str, also: tuple[str, ...] = ()) -> list[int]:
    """The numbers of this repository that a raw changelog entry cites; a link's address outweighs its label."""
    names = {one.partition("/")[2].lower() for one in (slug, *also)}
    numbers: list[int] = []

    def linked(found: re.Match[str]) -> str:
        if found[1].lower() in names:
            numbers.append(int(found[2]))
        return " "

    address = r"https?://(?:www\.)?github\.com/[\w.-]+/([\w.-]+)/(?:pull|issues)/(\d+)"
    text = re.sub(r"\[[^\]]*\]\(" + address + r"[^)]*\)", linked, raw)
    text = re.sub(r"`[^`<]*<" + address + r"[^>]*>`_*", linked, text)
    text = re.sub(address, linked, text)
    for role in re.finditer(r"(?::|\{)(?:issue|issues|pr|pull|pull-?request|gh|bug)(?::|\})`([^`]*)`", text):
        numbers += map(int, re.findall(r"\d{2,6}", role[1]))
    text = re.sub(r"[\w-]+/([\w.-]+)#(\d+)", linked, re.sub(_ROLE, " ", text))
    numbers += map(int, re.findall(r"(?<![\w/&])#(\d{2,6})\b", text))
    numbers += map(int, re.findall(r"\bGH-(\d{2,6})\b", text, re.IGNORECASE))
    return sorted(set(numbers))


def message_numbers(subject: str, body: str, slug: str) -> set[int]:
    """The numbers that a commit stands for: a squash's suffix, a merged pull request, what it closes."""
    numbers: set[int] = set()
    if merge := re.match(r"(?:Merge pull request|Auto merge of) #(\d+)", subject):
        numbers.add(int(merge[1]))
    if tail := re.search(r"((?:\s*\((?:[\w-]+/[\w.-]+)?#\d+\))+)\s*$", subject):
        numbers.update(map(int, re.findall(r"#(\d+)", tail[1])))
    if backport := re.match(r"\[PR #(\d+)/", subject):
        numbers.add(int(backport[1]))
    for found in _CLOSING.finditer(f"{subject}\n{body}"):
        name = found[1] or found[3]
        if not name or name.lower() == slug.partition("/")[2].lower():
            numbers.add(int(found[2] or found[4]))
            numbers.update(map(int, re.findall(r"#(\d+)", found[5] or "")))
    return numbers
