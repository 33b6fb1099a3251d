"""Any patch: what Git would make of it, or a refusal; never another content and never a traceback."""

from __future__ import annotations

import subprocess
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.apply.patches import FilePatch, parse_patch, patched
from t2c.ledger.errors import T2cError

_WORDS = st.sampled_from(
    [
        "a",
        "b",
        "c",
        "",
        "-- x",
        "++ y",
        "@@ -1 +1 @@",
        " z",
        "\\ No",
        "zażółć",
        "u\u2028v",
        "f\x0cg",
        "n\x85l",
        "r\rs",
    ]
)
_LINE = st.tuples(_WORDS, st.sampled_from(["\n", "\n", "\n", "\r\n"])).map("".join)
_TEXT = st.tuples(st.lists(_LINE, max_size=14), st.sampled_from(["", "", "a", "end\r"])).map(
    lambda pair: "".join(pair[0]) + pair[1]
)
_PAIR = st.tuples(_TEXT, _TEXT, st.booleans()).map(
    lambda found: (found[0], found[0] + found[1] if found[2] else found[1])
)


def _git(folder: Path, *words: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["git", "-c", "core.autocrlf=false", "-c", "core.quotePath=true", *words],
        cwd=folder, input=stdin, capture_output=True, check=False,
    )  # fmt: skip


def _diff(folder: Path, context: int) -> str:
    done = _git(folder, "diff", "--no-index", "--no-renames", "--text", f"-U{context}", "old", "new")
    return done.stdout.decode().replace(" a/old/", " a/").replace(" b/new/", " b/")


@settings(max_examples=12)
@given(pairs=st.lists(_PAIR, min_size=1, max_size=25), context=st.integers(1, 3))
def test_what_git_diffs_is_made_byte_for_byte(tmp_path_factory, pairs, context) -> None:  # type: ignore[no-untyped-def]
    folder: Path = tmp_path_factory.mktemp("made")
    contents = {}
    for number, (before, after) in enumerate(pairs):
        contents[f"f{number}.txt"] = before.encode(), after.encode()
        for side, text in (("old", before), ("new", after)):
            (folder / side).mkdir(exist_ok=True)
            (folder / side / f"f{number}.txt").write_bytes(text.encode())
    text = _diff(folder, context)
    for patch in parse_patch(text, "p") if text else ():
        before, after = contents.pop(patch.path)
        assert patched(before, patch) == after
    assert all(before == after for before, after in contents.values())


def _mutations(rows: list[str], at: int, other: int, how: str) -> str:
    rows = list(rows)
    at, other = at % len(rows), other % len(rows)
    if how == "drop":
        del rows[at]
    elif how == "double":
        rows.insert(at, rows[at])
    elif how == "swap":
        rows[at], rows[other] = rows[other], rows[at]
    elif how == "sign":
        rows[at] = "+- \\@"[other % 5] + rows[at][1:]
    elif how == "digit":
        rows[at] = rows[at].translate(str.maketrans("0123", "1230"))
    elif how == "byte":
        place = other % len(rows[at])
        rows[at] = rows[at][:place] + "\u00e9" + rows[at][place + 1 :]
    elif how == "cut":
        rows = [*rows[:at], rows[at][: other % len(rows[at])]]
    return "".join(rows)


_HOW = st.sampled_from(["drop", "double", "swap", "sign", "digit", "byte", "cut"])


def _read(text: str) -> list[FilePatch]:
    try:
        return parse_patch(text, "p")
    except T2cError:
        return []


@settings(max_examples=20)
@given(
    cases=st.lists(
        st.tuples(
            _PAIR, st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50), _HOW), min_size=1, max_size=2)
        ),
        min_size=10,
        max_size=20,
    )
)
def test_a_patch_gone_wrong_is_applied_as_git_does_or_not_at_all(tmp_path_factory, cases) -> None:  # type: ignore[no-untyped-def]
    folder: Path = tmp_path_factory.mktemp("wrong")
    for side in ("old", "new", "tree"):
        (folder / side).mkdir()
    for number, ((before, after), _) in enumerate(cases):
        (folder / "old" / f"f{number}.txt").write_bytes(before.replace("\r\n", "\n").encode())
        (folder / "new" / f"f{number}.txt").write_bytes(after.replace("\r\n", "\n").encode())
    whole = _diff(folder, 3)
    applied: dict[str, tuple[bytes, bytes | None]] = {}
    for patch, (_, steps) in zip(_read(whole), cases, strict=False):
        text = patch.diff
        for at, other, how in steps:
            text = _mutations(text.splitlines(keepends=True) or [text], at, other, how) or "x"
        before = (folder / "old" / patch.path).read_bytes()
        for one in _read(text):
            if one.path != patch.path:
                continue
            try:
                applied[patch.path] = before, patched(before if one.action != "create" else None, one)
            except T2cError:
                continue
            if one.action != "create":
                (folder / "tree" / patch.path).write_bytes(before)
            (folder / f"{patch.path}.diff").write_text(text, newline="")
            done = _git(folder / "tree", "apply", f"../{patch.path}.diff")
            place = folder / "tree" / patch.path
            assert done.returncode == 0, (text, before, done.stderr)
            assert (place.read_bytes() if place.exists() else None) == applied[patch.path][1], text


@settings(max_examples=50)
@given(
    text=st.text(st.sampled_from(list('ab/.-+@ 0123,\n\r\t\\"')) | st.characters(), max_size=200),
    head=st.sampled_from(
        ["", "--- a/x\n+++ b/x\n", "diff --git a/x b/x\n", "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n"]
    ),
)
def test_any_text_is_a_patch_or_a_usage_error(text: str, head: str) -> None:
    for patch in _read(head + text):
        assert not patch.path.startswith("/") and ".." not in patch.path.split("/")
        try:
            patched(b"a\n", patch)
        except T2cError:
            continue


@settings(max_examples=50)
@given(
    parts=st.lists(
        st.sampled_from(["..", ".", "", ".git", ".GIT ", ".t2c", "x", "C:", "\\", "a", "b", "\u202e", "~"]),
        max_size=5,
    ),
    prefixes=st.sampled_from([("a/", "b/"), ("", ""), ("/", "/"), ("b/", "a/")]),
    quoted=st.booleans(),
)
def test_no_path_leads_out_or_into_folders_of_tools(
    parts: list[str], prefixes: tuple[str, str], quoted: bool
) -> None:
    path = "/".join(parts)
    names = [prefix + path for prefix in prefixes]
    if quoted:
        names = ['"' + "".join(f"\\{byte:03o}" for byte in name.encode()) + '"' for name in names]
    for patch in _read(f"--- {names[0]}\n+++ {names[1]}\n@@ -1 +1 @@\n-a\n+b\n"):
        assert patch.path
        assert all(part not in ("", ".", "..", ".git", ".t2c") for part in patch.path.split("/"))
        assert "\\" not in patch.path and "\u202e" not in patch.path and ":" not in patch.path[:2]
