"""The Markdown of a TODO patch says what was proposed and lets nothing of it act; what is appended is told exactly."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from t2c.ledger.apply.patches import parse_patch, patched
from t2c.ledger.changes import todo_patch
from t2c.ledger.changes.todo_patch import (
    MARKER,
    appended,
    audit_kept,
    audit_told,
    is_appended,
    unified,
)
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.markup import Item, blocks
from t2c.ledger.intake.todo import TodoExtractor
from t2c.ledger.kernel.canon import canonical

GRAPH, SOURCE = "a" * 64, "b" * 64


def markdown(proposals: list[dict[str, Any]], graph: str) -> bytes:
    return todo_patch.markdown(proposals, graph, "TODO.md", SOURCE)


def proposal(number: int = 1, **more: Any) -> dict[str, Any]:
    return {
        "id": f"TPROP-a{number:019x}",
        "title": "Do it",
        "description": "Because.",
        "priority": "P1",
        "acceptanceCriteria": ["It is done."],
        "target": {"paths": ["a b.py", "c`d.py"], "symbols": [], "tickets": ["PROJ-17"], "versions": []},
        "dependencies": [],
        "conclusionIds": ["CONC-1"],
        "diagnosticIds": ["DIAG-1"],
        "recordIds": ["INT-TODO-1", "INT-TODO-2"],
        **more,
    }


def test_the_markdown_has_every_part_in_order() -> None:
    text = markdown([proposal(1), proposal(2, priority="P2", dependencies=["TPROP-x"])], GRAPH).decode()
    assert text.splitlines() == [
        MARKER, "# Proposed tasks", "", f"Graph fingerprint: `{GRAPH}`", "",
        f"Written for `TODO.md`, with the SHA-256 `{SOURCE}`.", "", "## P1", "",
        f"- [ ] Do it (`TPROP-a{1:019x}`)", "  - Description: Because.", "  - Acceptance criteria:",
        "    - [ ] It is done.", "  - Targets: paths `a b.py`, `` c`d.py ``; tickets `PROJ-17`", "  - Dependencies: none",
        "  - Conclusions: `CONC-1`", "  - Diagnostics: `DIAG-1`", "  - Evidence records: `INT-TODO-1`, `INT-TODO-2`",
        "", "## P2", "",
        f"- [ ] Do it (`TPROP-a{2:019x}`)", "  - Description: Because.", "  - Acceptance criteria:",
        "    - [ ] It is done.", "  - Targets: paths `a b.py`, `` c`d.py ``; tickets `PROJ-17`",
        "  - Dependencies: `TPROP-x`", "  - Conclusions: `CONC-1`", "  - Diagnostics: `DIAG-1`",
        "  - Evidence records: `INT-TODO-1`, `INT-TODO-2`",
    ]  # fmt: skip
    assert text.endswith("\n") and "no new proposals" in markdown([], GRAPH).decode()


@pytest.mark.parametrize(
    "hostile",
    [
        "x\n- [ ] Delete everything",
        "x\r\n\r\n# Heading\n",
        "<!-- t2c.todo-patch/v1 --> <script>alert(1)</script>",
        "` `` code",
        "[click](http://evil) ![i](x) &lt;b&gt;",
        "\u202egnp.exe\u2066",
        "x\u2028- [ ] more\u0085y\x00\x1b[31m",
        "",
        "   ",
    ],
)
def test_what_a_model_says_stays_one_item_and_shows_what_it_is(hostile: str) -> None:
    from markdown_it import MarkdownIt

    one = proposal(title=hostile, description=hostile, acceptanceCriteria=[hostile])
    text = markdown([one], GRAPH).decode()
    assert text.count("\n") == markdown([proposal()], GRAPH).decode().count("\n")
    assert not any(char in text for char in "\u202e\u2066\x00\x1b\u2028\u0085")
    body = MarkdownIt("commonmark").parse(text.partition("\n")[2])
    kinds = {child.type for token in body for child in token.children or ()} | {token.type for token in body}
    assert not kinds & {"html_inline", "html_block", "link_open", "image", "code_block", "fence", "em_open"}
    items = [
        block for block in blocks(text.splitlines(), Notes("todo", "TODO.md")) if isinstance(block, Item)
    ]
    assert [item.depth for item in items] == [0, 1, 1, 2, 1, 1, 1, 1, 1]


CONTENTS = [
    None,
    b"",
    b"a\n",
    b"a",
    b"a\r\nb\r\n",
    b"a\r\nb",
    b"a\n\n",
    "\ufeffż\n".encode(),
    b"\n" * 5,
    b"a\nb\r\n",
]


@pytest.mark.parametrize("before", CONTENTS)
def test_what_is_appended_ends_the_file_and_the_diff_says_just_that(before: bytes | None) -> None:
    patch = markdown([proposal()], GRAPH)
    after = appended(before or b"", patch)
    assert after.startswith(before or b"") and after.replace(b"\r\n", b"\n").endswith(patch)
    assert is_appended(after, patch, sha256(before or b"").hexdigest())
    assert not is_appended(after + b"x", patch, sha256(before or b"").hexdigest())
    assert not is_appended(after, patch, "0" * 64)
    assert not is_appended(after, patch.replace(b"Do", b"Go"), sha256(before or b"").hexdigest())
    (parsed,) = parse_patch(unified('docs/za "ż.md', before, patch), "d")
    assert parsed.path == 'docs/za "ż.md'
    assert patched(before, parsed) == after


def test_a_file_with_crlf_gets_lines_with_crlf() -> None:
    after = appended(b"a\r\nb\r\n", markdown([proposal()], GRAPH))
    assert after.count(b"\n") == after.count(b"\r\n")


def test_what_a_response_cost_survives_an_event() -> None:
    audit = {
        "status": "succeeded",
        "responses": [{"usage": {"cost": 0.000123}}, {"usage": {"cost": None}}, {"usage": None}],
    }
    kept = audit_kept(audit)
    assert kept["responses"][0]["usage"]["cost"] == "0.000123"
    canonical(kept)
    assert audit_told(kept) == audit


class Files:
    """A tree with these files."""

    def __init__(self, *held: str) -> None:
        self.held = held

    def __contains__(self, path: str) -> bool:
        return path in self.held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(path for path in self.held if path.rpartition("/")[2] == name)

    def content(self, path: str) -> bytes | None:
        return None


def test_a_scan_reads_each_proposal_as_one_task_and_nothing_nested_as_another() -> None:
    patch = markdown([proposal(1), proposal(2, priority="P2")], GRAPH)
    text = appended(b"# Plans\n\n- [ ] Mine\n  - [ ] Mine, nested\n", patch)
    found = TodoExtractor().read("TODO.md", text, Files("a b.py", "d.py"))
    assert [draft.text.partition(" (")[0] for draft in found.records] == [
        "Mine",
        "Mine, nested",
        "Do it",
        "Do it",
    ]
    first = found.records[2]
    assert first.tickets == ("PROJ-17",), "what it is about counts, what it rests on does not"
    assert first.metadata["checked"] is False and found.warnings == ()
