"""Patches: a unified diff as the changes of files that it is, and those changes made to contents.

Nothing here reads or writes a file. What `git apply` would do is done, byte for byte, or it is refused with a reason
(intent-evidence §7.6); two things go further: a diff without CR fits a file with CRLF, and no line is looked for
elsewhere than where the hunk says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import StringIO
from typing import Final, NamedTuple

from t2c.ledger.apply.diff_parts import Action, Part, split, wrong
from t2c.ledger.apply.hunks import Hunk, apply_hunks, read_hunks
from t2c.ledger.errors import Conflict, Refused

__all__ = ["MOST_BYTES", "MOST_FILES", "FilePatch", "as_text", "parse_patch", "patched", "refuse_secrets"]

MOST_FILES: Final = 1000
MOST_BYTES: Final = 8 << 20

_ASSIGNED: Final = re.compile(
    r"(?:api[_-]?key|secret|password|private[_-]?key)\s{0,20}[:=]{1,3}\s{0,20}['\"]?[^'\"\s]{8}",
    re.IGNORECASE,
)


class FilePatch(NamedTuple):
    """The change of one file.

    `path` is where it is, `diff` its text with all heads as it was given. `mode_before` is what the diff says it was,
    None if it does not; `mode_after` what it is to be, None to keep what it is. `added` and `removed` count lines.
    `line` is where the diff begins in the patch.
    """

    path: str
    action: Action
    diff: str
    mode_before: int | None
    mode_after: int | None
    added: int
    removed: int
    line: int
    hunks: tuple[Hunk, ...]


def parse_patch(text: str, where: str) -> list[FilePatch]:
    """The changes of files in a patch as `git diff`, `git format-patch` or `diff -u` write it, in its order.

    `where` is what the patch is called in errors. Raises Usage for whatever is not a whole, plain patch of plain text
    files inside the repository; the reason names the line.
    """
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        raise wrong("it is not UTF-8", where, text.count("\n", 0, error.start)) from None
    if size > MOST_BYTES:
        raise wrong(
            f"it has {size} bytes, more than {MOST_BYTES}", where, 0, remedy="give it in several patches"
        )
    if (nul := text.find("\0")) >= 0:
        raise wrong("it holds a NUL byte", where, text.count("\n", 0, nul), remedy="leave binary files out")
    # Lines end at LF alone: a form feed or U+2028 is part of a line.
    lines = StringIO(text).readlines()
    parts = list(split(lines, where))
    if len(parts) > MOST_FILES:
        raise wrong(
            f"it changes {len(parts)} files, more than {MOST_FILES}", where, parts[MOST_FILES].start,
            remedy="give it in several patches",
        )  # fmt: skip
    _check_together(parts, where)
    return [_file_patch(part, lines, where) for part in parts]


def _check_together(parts: Sequence[Part], where: str) -> None:
    """Raise Usage if two diffs are of one file, or one needs a folder where the other has a file."""
    seen: dict[str, Part] = {}
    for part in parts:
        if part.path in seen:
            raise wrong(
                f"{part.path} is changed twice", where, part.start,
                remedy="put both changes into one diff (`git diff` of the first state and the last)",
            )  # fmt: skip
        seen[part.path] = part
        if part.prefixed != parts[0].prefixed:
            raise wrong("some names have the prefixes a/ and b/, others have none", where, part.start)
    for part in parts:
        at = part.path.find("/")
        while at >= 0:
            above = seen.get(part.path[:at])
            if above is not None and {above.action, part.action} != {"create", "delete"}:
                raise wrong(f"{above.path} is a file here and a folder in {part.path}", where, part.start)
            at = part.path.find("/", at + 1)


def _file_patch(part: Part, lines: Sequence[str], where: str) -> FilePatch:
    body = "".join(lines[part.hunks : part.end])
    hunks = list(read_hunks(body, where, part.hunks + 1)) if body else []
    signs = [row.sign for hunk in hunks for row in hunk.lines]
    added, removed = signs.count("+"), signs.count("-")
    if part.action != "modify" and hunks:
        # One side is no file: all lines are of the other, from its first on.
        sign = "+" if part.action == "create" else "-"
        if len(hunks) > 1 or hunks[0].old_start or any(one != sign for one in signs):
            raise wrong(
                f"the diff that is to {part.action} {part.path} leaves or needs other lines",
                where,
                part.hunks,
            )
    return FilePatch(
        part.path,
        part.action,
        "".join(lines[part.start : part.end]),
        part.mode_before,
        part.mode_after,
        added,
        removed,
        part.start + 1,
        tuple(hunks),
    )


def patched(before: bytes | None, patch: FilePatch) -> bytes | None:
    """The content after the change, None for no file.

    Raises Conflict if the file is not what the patch is of, Refused if it is not a UTF-8 text.
    """
    path = patch.path
    if patch.action == "create":
        if before is not None:
            raise _conflict(f"{path} is to be created and is there already", path)
        return apply_hunks(b"", patch.hunks, path)
    if before is None:
        # A diff from nothing that does not say whether the file was there makes it, as with Git.
        if patch.action == "modify" and patch.removed == 0 and _from_empty(patch.hunks):
            return apply_hunks(b"", patch.hunks, path)
        raise _conflict(f"{path} is to be {_DONE[patch.action]} and is not there", path)
    as_text(before, path)
    after = apply_hunks(before, patch.hunks, path)
    if patch.action == "modify":
        return after
    if after:
        left = after.count(b"\n") + (not after.endswith(b"\n"))
        raise _conflict(f"{path} is to be deleted and its patch leaves {left} of its lines", path)
    return None


_DONE: Final = {"modify": "changed", "delete": "deleted"}


def _from_empty(hunks: Sequence[Hunk]) -> bool:
    return len(hunks) == 1 and hunks[0].old_start == hunks[0].old_count == 0


def _conflict(what: str, path: str) -> Conflict:
    return Conflict(
        what,
        where=path,
        safe="nothing was changed",
        remedy="make the patch again from the files as they are now",
    )


def as_text(content: bytes, path: str) -> str:
    """The content of a file as text. Raises Refused if it is not UTF-8 or holds NUL bytes."""
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        why = (
            "UTF-16"
            if content[:2] in (b"\xff\xfe", b"\xfe\xff")
            else f"byte {error.start + 1} is no part of it"
        )
        what = f"{path} is not UTF-8 ({why})"
    else:
        if "\0" not in text:
            return text
        what = f"{path} is not UTF-8 text: it holds NUL bytes"
    raise Refused(
        what,
        where=path,
        safe="nothing was changed",
        remedy="convert the file to UTF-8 first, or change it by hand",
    )


def refuse_secrets(
    patches: Sequence[FilePatch], find: Callable[[bytes], Mapping[str, int]], where: str
) -> None:
    """Raise Refused if a line that is added looks like a secret; the refusal tells its kind and place, never itself.

    `find` counts secrets in bytes by kind, as the ledger's funnel does; the rule of intent-evidence §7.6 is held as well.
    """
    for patch in patches:
        rows = [row for hunk in patch.hunks for row in hunk.lines if row.sign == "+"]
        whole = b"".join(row.content for row in rows)
        if not (kinds := _kinds(whole, find)):
            continue
        guilty = next(((row.line, told) for row in rows if (told := _kinds(row.content, find))), None)
        line, kinds = guilty or (rows[0].line, kinds)
        raise Refused(
            f"{patch.path} would get what looks like a secret ({', '.join(kinds)})",
            where=f"{where}:{line}",
            safe="nothing was changed and the secret was not recorded",
            remedy="take the secret out of the patch and change it if it is real; an example that is none can be allowed "
            "in the settings of redaction",
        )


def _kinds(content: bytes, find: Callable[[bytes], Mapping[str, int]]) -> list[str]:
    kinds = set(find(content))
    if any(_ASSIGNED.search(line) for line in _texts(content)):
        kinds.add("assigned_secret")
    return sorted(kinds)


def _texts(content: bytes) -> Iterator[str]:
    yield from StringIO(content.decode())
