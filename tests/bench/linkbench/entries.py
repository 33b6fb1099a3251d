"""A small reader of changelogs, apart from the product's own, so that the product does not mark its own paper."""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Entry", "read"]

_VERSION = r"(\d+\.\d+(?:\.\d+)*(?:[-.]?(?:a|b|rc|alpha|beta|pre|dev|post)[-.]?\d*)*)"
_OPEN = re.compile(r"^\W*(unreleased|next|main|dev|coming soon)\b", re.IGNORECASE)
_RULE = re.compile(r"^([=\-~^\"'`*+#.])\1{2,}\s*$")
_BULLET = re.compile(r"^(\s*)([-*+])\s+(.*)$")


class Entry(NamedTuple):
    """One bullet with its release and section; lines count from 1."""

    version: str
    section: str | None
    line: int
    end: int
    raw: str


def read(text: str, *, is_rst: bool) -> list[Entry]:
    """The entries of a changelog in their order."""
    lines = text.split("\n")
    version: str | None = None
    section: str | None = None
    found: list[Entry] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        heading, level, used = _heading(lines, at, is_rst=is_rst)
        if heading is not None:
            if told := _version_of(heading):
                version, section = told, None
            elif not (level <= 2 and not is_rst and version is None):
                section = heading.strip(" :#*")
            at += used
        elif not is_rst and re.match(r"^\*\*[^*]+\*\*:?\s*$", line):
            section = line.strip("* :")
            at += 1
        elif version and (bullet := _BULLET.match(line)):
            end = _end_of(lines, at, len(bullet[1]))
            found.append(Entry(version, section, at + 1, end, "\n".join(lines[at:end])))
            at = max(end, at + 1)
        else:
            at += 1
    return found


def _heading(lines: list[str], at: int, *, is_rst: bool) -> tuple[str | None, int, int]:
    """The heading at a line, its level and how many lines it takes."""
    line = lines[at]
    marked = re.match(r"^(#{1,5})\s+(.*)$", line)
    if marked and not is_rst:
        return marked[2], len(marked[1]), 1
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if line.strip() and line[0] not in " \t" and _RULE.match(below) and not re.match(r"^[-*+]\s", line):
        return line, 1, 2
    if re.match(r"^v\d+\.\d+\.\d+\S* - \w+ \d+, \d{4}$", line):
        return line, 1, 1
    return None, 0, 1


def _version_of(heading: str) -> str | None:
    text = re.sub(r"[\[\]#*`_]", " ", re.sub(r"\([^)]*\)", " ", heading)).strip()
    text = re.sub(r"</?small>", " ", text).strip()
    if _OPEN.match(text) and len(text) < 60:
        return "Unreleased"
    found = re.match(r"(?:[Vv]ersion|[Rr]elease|[A-Za-z][\w-]{1,20})?\s*v?" + _VERSION + r"(?![\w])", text)
    return found[1] if found and len(text) < 90 else None


def _end_of(lines: list[str], start: int, indent: int) -> int:
    """The line after the last of a bullet that starts at `start`, trailing blank lines left out."""
    at = start + 1
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            after = at
            while after < len(lines) and not lines[after].strip():
                after += 1
            goes_on = (
                after < len(lines)
                and _indent(lines[after]) > indent
                and not re.match(r"^\s*[-*+]\s", lines[after])
                and after - at <= 2
            )
            if not goes_on:
                break
            at = after
            continue
        if re.match(r"^\s*[-*+]\s", line) or re.match(r"^#{1,5}\s", line):
            break
        if _indent(line) <= indent:
            if not line.startswith(" ") and _indent(line) < indent:
                break
            if indent == 0 and line[0] not in " \t" and _ends_list(lines, at):
                break
        at += 1
    while at > start + 1 and not lines[at - 1].strip():
        at -= 1
    return at


def _ends_list(lines: list[str], at: int) -> bool:
    below = lines[at + 1] if at + 1 < len(lines) else ""
    return bool(re.match(r"^\[[^\]]+\]:", lines[at]) or re.match(r"^([=\-~^\"'])\1{2,}\s*$", below))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
