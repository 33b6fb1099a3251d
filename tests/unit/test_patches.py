"""Patches are taken whole or refused by name; contents change exactly where the hunk says."""

from __future__ import annotations

import pytest

from t2c.ledger.apply.patches import FilePatch, parse_patch, patched, refuse_secrets
from t2c.ledger.errors import Conflict, Refused, Usage
from t2c.ledger.redaction.funnel import Funnel

HUNK = "@@ -1 +1 @@\n-a\n+b\n"
PLAIN = f"--- a/x.py\n+++ b/x.py\n{HUNK}"
GIT = f"diff --git a/x.py b/x.py\nindex 0123456..1234567 100644\n{PLAIN}"
MAIL = f"From 0123 Mon Sep 17\nSubject: [PATCH] a\n\n---\n x.py | 2 +-\n\n{GIT}-- \n2.39.5\n\n"


def one(text: str) -> FilePatch:
    (patch,) = parse_patch(text, "p.diff")
    return patch


@pytest.mark.parametrize(
    "text", [PLAIN, GIT, MAIL, f"diff -u x.py x.py\n{PLAIN}", PLAIN.replace("a/", "").replace("b/", "")]
)
def test_each_usual_form_of_a_patch_is_read(text: str) -> None:
    patch = one(text)
    assert (patch.path, patch.action, patch.added, patch.removed) == ("x.py", "modify", 1, 1)
    assert patched(b"a\n", patch) == b"b\n"
    assert patch.diff.endswith(HUNK)
    assert parse_patch(patch.diff, "again")[0].hunks[0].lines[0].content == b"a\n"


@pytest.mark.parametrize(
    ("names", "path"),
    [
        ("--- a/with blank.md\t\n+++ b/with blank.md\t\n", "with blank.md"),
        ("--- a/x\t2024-01-01 10:00:00 +0000\n+++ b/x\t2024-01-02 10:00:00 +0000\n", "x"),
        ('--- "a/za\\305\\274.md"\n+++ "b/za\\305\\274.md"\n', "zaż.md"),
        ("--- i/src/x\n+++ w/src/x\n", "src/x"),
        ("--- src/x\n+++ src/x\n", "src/x"),
        ("--- a/x\r\n+++ b/x\r\n", "x"),
    ],
)
def test_names_are_read_as_git_writes_them(names: str, path: str) -> None:
    assert one(names + HUNK).path == path


def test_a_diff_git_line_with_blanks_names_a_file_whose_mode_changes() -> None:
    patch = one("diff --git a/a b c b/a b c\nold mode 100644\nnew mode 100755\n")
    assert (patch.path, patch.mode_before, patch.mode_after) == ("a b c", 0o644, 0o755)
    assert patched(b"kept\n", patch) == b"kept\n"


REFUSED = {
    "it is empty": "\n\n",
    "it holds no diff": "hello\n",
    "NUL": PLAIN.replace("+b", "+\0"),
    "not UTF-8": PLAIN.replace("+b", "+\ud800"),
    "binary": "diff --git a/x b/x\nindex 0123456..1234567 100644\nGIT binary patch\nliteral 1\n",
    "a binary file": "diff --git a/x b/x\nindex 0123456..1234567\nBinary files a/x and b/x differ\n",
    "renames or copies": "diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",
    "two files": f"--- a/x\n+++ b/y\n{HUNK}",
    "symbolic link": "diff --git a/x b/x\nnew file mode 120000\n--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+/etc\n",
    "submodule": "diff --git a/x b/x\nindex 0123456..1234567 160000\n--- a/x\n+++ b/x\n" + HUNK,
    "mode 100600": "diff --git a/x b/x\nold mode 100644\nnew mode 100600\n",
    "absolute": f"--- a//etc/passwd\n+++ b//etc/passwd\n{HUNK}",
    "`..`": f"--- a/../x\n+++ b/../x\n{HUNK}",
    "empty part": f"--- a/s//x\n+++ b/s//x\n{HUNK}",
    "C:/x' is absolute": f"--- a/C:/x\n+++ b/C:/x\n{HUNK}",
    "backslash": f"--- a/s\\x\n+++ b/s\\x\n{HUNK}",
    "(.GIT)": f"--- a/.GIT/config\n+++ b/.GIT/config\n{HUNK}",
    "(.t2c)": f"--- a/s/.t2c/x\n+++ b/s/.t2c/x\n{HUNK}",
    "(.dwp)": f"--- a/.dwp/x\n+++ b/.dwp/x\n{HUNK}",
    "not shown": f"--- a/.g\u200dit/x\n+++ b/.g\u200dit/x\n{HUNK}",
    "name is not UTF-8": f'--- "a/\\377"\n+++ "b/\\377"\n{HUNK}',
    "combined": "diff --cc x\nindex 0,1..2\n--- a/x\n+++ b/x\n@@@ -1,1 -1,1 +1,1 @@@\n",
    "changed twice": PLAIN + PLAIN,
    "is a file here": f"--- a/d\n+++ b/d\n{HUNK}--- a/d/x\n+++ b/d/x\n{HUNK}",
    "prefixes": f"{PLAIN}--- src/y\n+++ src/y\n{HUNK}",
    "a folder or a prefix": f"--- a/x\n+++ a/x\n{HUNK}",
    "fewer lines": "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-a\n+b\n",
    "longer": PLAIN + "+c\n",
    "other lines than its head": "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n-b\n+c\n+d\n",
    "middle of a line": PLAIN[:-1],
    "without the lines": HUNK,
    "no `+++` line": "diff --git a/x b/x\n--- a/x\n" + HUNK,
    "does not follow": PLAIN + "\n" + "@@ -5 +5 @@\n-a\n+b\n",
    "no part of a diff": PLAIN + "junk\n",
    "begins before": PLAIN + HUNK,
    "do not fit together": "--- a/x\n+++ b/x\n@@ -1 +2 @@\n-a\n+b\n",
    "changes nothing": "--- a/x\n+++ b/x\n@@ -1 +1 @@\n a\n",
    "nothing in a file": "diff --git a/x b/x\nindex 0123456..1234567 100644\n",
    "end of the file": "--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-a\n+b\n\\ No newline at end of file\n+c\n",
    "not called /dev/null": "--- a/x\t1970-01-01 00:00:00 +0000\n+++ b/x\n@@ -0,0 +1 @@\n+a\n",
    "leaves or needs": "--- a/x\n+++ /dev/null\n@@ -2 +1,0 @@\n-a\n",
    "contradict": "diff --git a/x b/x\nnew file mode 100644\ndeleted file mode 100644\n",
    "new or gone": f"Only in new: y.py\n{PLAIN}",
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_is_no_plain_patch_is_refused_by_name_and_line(why: str) -> None:
    with pytest.raises(Usage) as caught:
        parse_patch(REFUSED[why], "p.diff")
    assert why in caught.value.what
    assert (caught.value.where or "").startswith("p.diff:")
    assert caught.value.safe == "nothing was changed"
    assert caught.value.remedy


CUT = (
    ("a hunk without the lines", f"@@ -1,3 +0,0 @@\tx\n-r\n-s\n-t\n{PLAIN}"),
    ("a hunk is longer than its head says", f"{PLAIN}-- \n@@ -0,0 +1 @@\n"),
    ("the middle of a line", PLAIN + "\\ No newline"),
    ("the middle of a line", PLAIN + "\\ No newline at end of file"),
    ("the middle of a line", PLAIN + "\\ No newlin\n"),
    ("the middle of a line", "diff --git a/x b/x\nold mode 100644\nnew mode 100755"),
    ("the middle of a line", "diff --git a/x b/x\nnew file mode 100644"),
    ("the middle of a line", "diff --git a/x b/x\ndeleted file mode 100644"),
    ("modes contradict", "diff --git a/x.py b/x.py\nold mode 100644\nnew mode 100644\n"),
    (
        "modes contradict",
        f"diff --git a/x.py b/x.py\nold mode 100644\nnew mode 100755\nindex 0123456..1234567 100755\n{PLAIN}",
    ),
)


@pytest.mark.parametrize(("why", "text"), CUT)
def test_a_patch_that_was_cut_or_edited_is_refused_where_git_reads_it_otherwise(why: str, text: str) -> None:
    with pytest.raises(Usage, match=why):
        parse_patch(text, "p.diff")


def test_patches_of_too_many_bytes_or_files_are_refused_with_their_number() -> None:
    with pytest.raises(Usage, match=r"8388609 bytes, more than 8388608"):
        parse_patch("x" * (8 << 20) + "y", "p")
    many = "".join(PLAIN.replace("x.py", f"{number}.py") for number in range(1001))
    with pytest.raises(Usage, match="1001 files, more than 1000"):
        parse_patch(many, "p")


def change(number: int, *, ending: str = "\n") -> FilePatch:
    rows = [f" line {number - 1}", f"-line {number}", "+new", f" line {number + 1}"]
    head = f"--- a/x\n+++ b/x\n@@ -{number - 1},3 +{number - 1},3 @@\n"
    return one(head + "".join(row + ending for row in rows))


def test_a_file_with_crlf_keeps_39_of_40_lines_and_the_new_one_takes_its_style() -> None:
    before = b"".join(b"line %d\r\n" % number for number in range(1, 41))
    after = patched(before, change(20))
    assert after == before.replace(b"line 20\r\n", b"new\r\n")


def test_a_mixed_file_keeps_each_untouched_line() -> None:
    before = b"line 1\nline 2\r\nline 3\nline 4\r\n"
    assert patched(before, change(2)) == b"line 1\nnew\r\nline 3\nline 4\r\n"


def test_a_diff_with_cr_is_held_to_the_byte() -> None:
    crlf = change(2, ending="\r\n")
    before = b"line 1\r\nline 2\r\nline 3\r\n"
    assert patched(before, crlf) == before.replace(b"line 2", b"new")
    with pytest.raises(Conflict, match="only the line ends differ"):
        patched(before.replace(b"\r", b""), crlf)


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ("caf\u00e9\n".encode("latin-1"), "not UTF-8 \\(byte 4"),
        ("a\n".encode("utf-16"), "UTF-16"),
        (b"a\0\n", "NUL"),
    ],
)
def test_a_file_that_is_no_utf_8_text_is_refused_with_that_reason(before: bytes, why: str) -> None:
    with pytest.raises(Refused, match=why):
        patched(before, one(PLAIN))


def test_nothing_is_looked_for_elsewhere_than_where_the_hunk_says() -> None:
    with pytest.raises(Conflict) as caught:
        patched(b"z\nline 1\nline 2\nline 3\n", change(2))
    assert caught.value.where == "x:1"
    assert "hunk 1" in caught.value.what and "'line 1" in caught.value.what and "'z" in caught.value.what


@pytest.mark.parametrize("before", [b"a", b"", None, b"a\nmore\n"])
def test_a_file_that_is_otherwise_does_not_fit(before: bytes | None) -> None:
    with pytest.raises(Conflict):
        patched(before, one(PLAIN))


@pytest.mark.parametrize(("before", "head"), [(b"a\n", "-1,0 +2"), (b"a\n", "-0,0 +1"), (b"", "-5,0 +6")])
def test_a_hunk_without_any_line_of_the_file_fits_an_empty_file_alone(before: bytes, head: str) -> None:
    with pytest.raises(Conflict, match="no line of the file"):
        patched(before, one(f"--- a/x\n+++ b/x\n@@ {head} @@\n+new\n"))
    assert patched(b"", one("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+new\n")) == b"new\n"
    assert patched(None, one("--- a/x\n+++ b/x\n@@ -0,0 +1 @@\n+new\n")) == b"new\n"


@pytest.mark.parametrize("words", ["No newline at end of file", "Brak nowej linii na końcu pliku"])
def test_the_mark_for_a_missing_line_end_is_read_in_any_language(words: str) -> None:
    patch = one(f"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n\\ {words}\n+b\n\\ {words}\n")
    assert patched(b"a", patch) == b"b"


def test_a_bom_stays_and_only_lf_ends_a_line() -> None:
    text = "\ufeffone\u2028two\x0cthree\x85four\rfive\n"
    patch = one(f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n {text}+six\n")
    assert patched(text.encode(), patch) == (text + "six\n").encode()


def test_files_are_made_and_removed_whole_or_not() -> None:
    make = one("--- /dev/null\n+++ b/x\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n")
    assert patched(None, make) == b"a"
    with pytest.raises(Conflict, match="is there already"):
        patched(b"", make)
    remove = one("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n\\ No newline at end of file\n")
    assert patched(b"a", remove) is None
    with pytest.raises(Conflict, match="not there"):
        patched(None, remove)
    with pytest.raises(Conflict):
        patched(b"a\nb\n", one("--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"))
    empty = one("diff --git a/x b/x\nnew file mode 100755\nindex 0000000..e69de29\n")
    assert (patched(None, empty), empty.mode_after) == (b"", 0o755)
    gone = one("diff --git a/x b/x\ndeleted file mode 100644\nindex e69de29..0000000\n")
    assert patched(b"", gone) is None
    with pytest.raises(Conflict, match="leaves 1 of its lines"):
        patched(b"a\n", gone)


def test_a_secret_is_refused_by_its_place_and_never_told() -> None:
    secret = "ghp_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"
    for value in (f"token = '{secret}'", "password: correcthorse"):
        patches = parse_patch(f"--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n a\n+{value}\n", "p.diff")
        with pytest.raises(Refused) as caught:
            refuse_secrets(patches, lambda content: Funnel().mask_bytes(content).findings, "p.diff")
        assert caught.value.where == "p.diff:5"
        assert secret not in str(vars(caught.value)) and "correcthorse" not in str(vars(caught.value))


def test_a_secret_that_is_removed_is_none() -> None:
    patches = parse_patch("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a\n-password: correcthorse\n", "p.diff")
    assert [one.removed for one in patches] == [1]
    refuse_secrets(patches, lambda content: Funnel().mask_bytes(content).findings, "p.diff")
