"""The text of a patch that a person approves: what it is for, what it does to each file, and each diff byte for byte.

Nothing in it depends on a clock. Each diff stands in a fence that it cannot end, and what is not seen in it is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

from t2c.ledger.changes.contract import SOURCE_PATCH
from t2c.ledger.changes.unseen import unseen, unseen_in_lines

__all__ = ["Part", "fenced", "made_on_of", "plural", "quoted", "reverting_text", "source_text"]

_TICKS: Final = re.compile(r"`+")
_MOST_UNSEEN: Final = 50
_MADE: Final = re.compile(
    r"^(?:Made where there is no file|Made on a file with the SHA-256 `([0-9a-f]{64})`)\.$", re.MULTILINE
)
_MARK: Final = f"<!-- {SOURCE_PATCH} -->"
"""By its first line a scan knows the page for t2c's own, and no evidence."""


class Part(NamedTuple):
    """What is done to one file. `diff` is None where there is only the instruction; modes are None where they stay.

    `before` is the SHA-256 of the file that the diff was made on, None where there is none.
    """

    path: str
    action: str
    instruction: str
    diff: str | None
    added: int = 0
    removed: int = 0
    mode_before: int | None = None
    mode_after: int | None = None
    before: str | None = None


def source_text(plan: Mapping[str, Any], patch: Mapping[str, Any], parts: Sequence[Part]) -> str:
    """The brief of a source patch; `plan` and `patch` are the published shapes."""
    return "\n".join(_source(plan, patch, parts)) + "\n"


def reverting_text(title: str, told: Sequence[str], parts: Sequence[Part]) -> str:
    """The brief of what takes a receipt back; `told` are its paragraphs."""
    lines = [_MARK, f"# {quoted(title)}", ""]
    for paragraph in told:
        lines += [paragraph, ""]
    for part in parts:
        lines += _part(part)
    return "\n".join(lines).rstrip("\n") + "\n"


def _source(plan: Mapping[str, Any], patch: Mapping[str, Any], parts: Sequence[Part]) -> Iterator[str]:
    yield _MARK
    yield f"# Patch: {_one_line(plan['title'])}"
    yield ""
    yield f"- patch `{patch['id']}`, hash `{patch['patchHash']}`"
    yield f"- plan `{patch['planId']}`, hash `{patch['planHash']}`"
    yield f"- settles {', '.join(f'`{one}`' for one in patch['diagnosticIds'])}"
    yield f"- rests on {', '.join(f'`{one}`' for one in patch['recordIds'])}"
    yield f"- {plan['priority']}, risk {plan['risk']['level']}"
    yield ""
    yield "## Why"
    yield ""
    yield _one_line(plan["description"])
    yield ""
    yield "## How it is seen to be done"
    yield ""
    for criterion in patch["acceptanceCriteria"]:
        yield f"- {_one_line(criterion)}"
    yield ""
    if any(part.diff is None for part in parts):
        yield "There are only instructions here and no diffs: nothing of this can be applied."
        yield ""
    for part in parts:
        yield from _part(part)


def _part(part: Part) -> Iterator[str]:
    yield f"## {part.action} {quoted(part.path)}"
    yield ""
    yield _one_line(part.instruction)
    yield ""
    hidden = unseen(part.path)
    if hidden:
        yield f"**The path holds what is not seen:** {_told(hidden)}."
        yield ""
    if part.diff is None:
        if part.before is not None:
            yield f"**It is no text, so it is not shown.** It is the file with the SHA-256 `{part.before}`."
            yield ""
        return
    yield (
        "Made where there is no file."
        if part.before is None
        else f"Made on a file with the SHA-256 `{part.before}`."
    )
    yield f"{plural(part.added, 'line')} added, {plural(part.removed, 'line')} removed{_modes(part)}."
    yield ""
    rows = list(unseen_in_lines(part.diff))
    for number, found in rows[:_MOST_UNSEEN]:
        yield f"- **Line {number} of the diff holds what is not seen:** {_told(found)}."
    if len(rows) > _MOST_UNSEEN:
        yield f"- **{len(rows) - _MOST_UNSEEN} more lines hold what is not seen.**"
    ends = part.diff.count("\r\n")
    if ends:
        yield f"- {plural(ends, 'line')} of the diff end{'s' if ends == 1 else ''} in CR LF."
    if rows or ends:
        yield ""
    if part.diff:
        yield fenced(part.diff, "diff")
        yield ""


def made_on_of(text: str, edits: Sequence[Mapping[str, Any]]) -> dict[str, str | None]:
    """The SHA-256 of each file that a patch was made on, None for no file, as the text of the patch says.

    The diffs are passed over whole, so that nothing in one is taken for what is said of the next. What cannot be read is
    left out.
    """
    found: dict[str, str | None] = {}
    at = 0
    for edit in sorted(edits, key=lambda one: (one["path"], one["action"])):
        at = text.find(f"\n## {edit['action']} {quoted(edit['path'])}\n\n", at)
        told = None if at < 0 else _MADE.search(text, at)
        if told is None or edit["unifiedDiff"] is None:
            break
        found[edit["path"]] = told[1]
        fence = fenced(edit["unifiedDiff"], "diff") if edit["unifiedDiff"] else ""
        at = text.find(fence, told.end())
        if at < 0:
            break
        at += len(fence) - 1
    return found


def _modes(part: Part) -> str:
    if part.mode_after is None or part.mode_after == part.mode_before:
        return ""
    after = f"{part.mode_after & 0o777:04o}"
    if part.action == "create":
        return f"; it is made with the permissions {after}"
    before = "" if part.mode_before is None else f" from {part.mode_before & 0o777:04o}"
    return f"; its permissions change{before} to {after}"


def _told(found: Mapping[str, int]) -> str:
    return ", ".join(name if count == 1 else f"{name} ({count} times)" for name, count in found.items())


def fenced(text: str, language: str) -> str:
    """A text in a code block that nothing in it can end."""
    longest = max((len(run) for run in _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text}{'' if text.endswith(chr(10)) else chr(10)}{fence}"


def quoted(path: str) -> str:
    """A path as it can stand in one line; as it is where that can be."""
    return path if path.isprintable() and "`" not in path else ascii(path)


def _one_line(text: str) -> str:
    """Words of others in one line: no heading, list or fence comes from them, and nothing unseen."""
    line = " ".join(text.split())
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in line)


def plural(count: int, noun: str) -> str:
    """`1 line`, `2 lines`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
