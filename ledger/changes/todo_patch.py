"""The TODO patch: proposed tasks as Markdown that is appended to a task file, and nothing else of it (intent-evidence §7.3).

Pure functions over bytes. What comes from a model is shown on one line each and cannot act as markup or hide.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.changes.contract import TODO_PATCH
from t2c.ledger.changes.unseen import unseen

__all__ = [
    "MARKER",
    "appended",
    "audit_kept",
    "audit_told",
    "inline",
    "is_appended",
    "markdown",
    "suffix_of",
    "unified",
]

MARKER: Final = f"<!-- {TODO_PATCH} -->"

_SPECIAL: Final = re.compile(r"[\\`*\[\]~<>|$]|(?<!\w)_|_(?!\w)|&(?=#?\w)")
_TICKS: Final = re.compile("`+")
_CONTEXT: Final = 3
_QUOTED: Final = re.compile(rb'[\x00-\x1f\x7f-\xff"\\]')


def markdown(proposals: Sequence[Mapping[str, Any]], graph: str, path: str, source: str | None) -> bytes:
    """The Markdown of proposals in this order; `graph` is the fingerprint of the graph that they were drawn from.

    It names the file and the SHA-256 of what that holds (None where there is none), so that an approval is of no other text (case 91).
    """
    return "\n".join(_markdown(proposals, graph, path, source)).encode()


def _markdown(
    proposals: Sequence[Mapping[str, Any]], graph: str, path: str, source: str | None
) -> Iterator[str]:
    yield from (MARKER, "# Proposed tasks", "", f"Graph fingerprint: `{graph}`", "")
    held = "which is not there" if source is None else f"with the SHA-256 `{source}`"
    yield from (f"Written for {_code(path)}, {held}.", "")
    if not proposals:
        yield from ("_There are no new proposals._", "")
        return
    priority = None
    for one in proposals:
        if one["priority"] != priority:
            priority = one["priority"]
            yield from (f"## {priority}", "")
        yield f"- [ ] {inline(one['title'])} (`{one['id']}`)"
        yield f"  - Description: {inline(one['description'])}"
        yield "  - Acceptance criteria:"
        for criterion in one["acceptanceCriteria"]:
            yield f"    - [ ] {inline(criterion)}"
        yield f"  - Targets: {_targets(one['target'])}"
        yield f"  - Dependencies: {_codes(one['dependencies'])}"
        yield f"  - Conclusions: {_codes(one['conclusionIds'])}"
        yield f"  - Diagnostics: {_codes(one['diagnosticIds'])}"
        yield f"  - Evidence records: {_codes(one['recordIds'])}"
        yield ""


def inline(text: str) -> str:
    """Text of any origin as part of one line of Markdown: white space single, nothing of it hidden or acting."""
    return _SPECIAL.sub(r"\\\g<0>", _one_line(text)) or "�"


def _one_line(text: str) -> str:
    plain = " ".join(text.split())
    return "".join("\ufffd" if unseen(char) else char for char in plain) if unseen(plain) else plain


def _targets(target: Mapping[str, Sequence[str]]) -> str:
    groups = [
        f"{name} {_codes(target[name])}"
        for name in ("paths", "symbols", "tickets", "versions")
        if target[name]
    ]
    return "; ".join(groups) or "none"


def _codes(values: Sequence[str]) -> str:
    return ", ".join(map(_code, values)) or "none"


def _code(text: str) -> str:
    """A code span that its text cannot end."""
    plain = _one_line(text)
    fence = "`" * (max((len(run) for run in _TICKS.findall(plain)), default=0) + 1)
    return f"{fence}{plain}{fence}" if len(fence) == 1 else f"{fence} {plain} {fence}"


def suffix_of(before: bytes, patch: bytes) -> bytes:
    """What is appended: the patch behind an empty line, with the line ends that the file has at its end."""
    end = b"\r\n" if _ends_in_crlf(before) else b"\n"
    between = b"" if not before else end if before.endswith(b"\n") else end + end
    return between + patch.replace(b"\n", end)


def _ends_in_crlf(content: bytes) -> bool:
    last = content.rfind(b"\n")
    return last > 0 and content[last - 1 : last] == b"\r"


def appended(before: bytes, patch: bytes) -> bytes:
    """The file with the patch at its end."""
    return before + suffix_of(before, patch)


def is_appended(now: bytes, patch: bytes, source: str) -> bool:
    """True if the file is one with the SHA-256 `source` and the patch at its end."""
    for end in (b"\n", b"\r\n"):
        body = patch.replace(b"\n", end)
        if now.endswith(body):
            for between in (b"", end, end + end):
                whole = between + body
                if now.endswith(whole) and sha256(now[: len(now) - len(whole)]).hexdigest() == source:
                    return True
    return False


def unified(path: str, before: bytes | None, patch: bytes) -> str:
    """The same change as a unified diff, of which `git apply` and `patch` make just what `appended` makes.

    `before` is None where there is no file; it is UTF-8 text.
    """
    held = _lines(before or b"")
    new = _lines(appended(before or b"", patch))
    kept = len(held) - (1 if held and not held[-1].endswith(b"\n") else 0)
    first = max(0, kept - _CONTEXT)
    name_before, name_after = _named("a/", path), _named("b/", path)
    rows = [f"diff --git {_name('a/', path)} {_name('b/', path)}\n".encode()]
    if before is None:
        rows.append(b"new file mode 100644\n")
    rows.append(b"--- /dev/null\n" if before is None else f"--- {name_before}\n".encode())
    rows.append(f"+++ {name_after}\n".encode())
    old, out = _range(first, len(held)), _range(first, len(new))
    rows.append(f"@@ -{old} +{out} @@\n".encode())
    for sign, lines in ((b" ", held[first:kept]), (b"-", held[kept:]), (b"+", new[kept:])):
        for line in lines:
            rows.append(sign + line)
            if not line.endswith(b"\n"):
                rows.append(b"\n\\ No newline at end of file\n")
    return b"".join(rows).decode()


def _lines(content: bytes) -> list[bytes]:
    return re.findall(rb"[^\n]*\n|[^\n]+", content)


def _range(first: int, end: int) -> str:
    count = end - first
    return f"{first + 1 if count else first},{count}"


def _named(prefix: str, path: str) -> str:
    name = _name(prefix, path)
    # A tab ends a name with a blank in it, so that nobody reads a time after it.
    return f"{name}\t" if " " in name and not name.startswith('"') else name


def _name(prefix: str, path: str) -> str:
    name = f"{prefix}{path}".encode()
    if _QUOTED.search(name) is None:
        return name.decode()
    quoted = _QUOTED.sub(lambda found: b"\\" + b"%03o" % found[0][0], name)
    return f'"{quoted.decode()}"'


def audit_kept(audit: Mapping[str, Any]) -> dict[str, Any]:
    """The audit of a synthesis as an event can hold it: what a response cost is a text, since it has six decimals."""
    return _with_costs(audit, lambda cost: f"{cost:.6f}")


def audit_told(audit: Mapping[str, Any]) -> dict[str, Any]:
    """The audit as published again, of one from `audit_kept`."""
    return _with_costs(audit, float)


def _with_costs(audit: Mapping[str, Any], turned: Callable[[Any], object]) -> dict[str, Any]:
    responses = []
    for one in audit.get("responses", ()):
        usage = one["usage"]
        if usage is not None and usage["cost"] is not None:
            one = {**one, "usage": {**usage, "cost": turned(usage["cost"])}}
        responses.append(one)
    return {**audit, "responses": responses}
