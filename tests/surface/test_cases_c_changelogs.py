"""Cases 19 to 27: releases, their entries, news fragments and commit messages are read as they are written."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest


def git(root: Path, *arguments: str, input: bytes | None = None) -> str:
    identity = ["-c", "user.name=Ada Test", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(root.parent), "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, env=environ, capture_output=True, input=input, check=True
    )
    return done.stdout.decode()


def write(t2c: Any, path: str, text: str) -> None:
    file = t2c.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode())


def extracted(t2c: Any, source: str = "changelog") -> Any:
    ran = t2c("extract", source, "--json")
    assert ran.code == 0, ran.err
    return ran.document


def of_kind(document: Any, kind: str, path: str | None = None) -> list[Any]:
    return [
        item
        for item in document["records"]
        if item["statement"]["kind"] == kind and path in (None, item["source"]["path"])
    ]


YANKED = {
    "a/CHANGELOG.md": "# Changelog\n\n## [1.4.0] - 2026-03-01 [YANKED]\n\n### Added\n\n- Login\n\n## 1.3.0 - 2026-02-01\n\n- Lock\n",
    "b/CHANGELOG.md": "# Changelog\n\n## 1.4.0 - 2026-03-01 [yanked]\n\n- Login\n\n## 1.3.0 - 2026-02-01\n\n- Lock\n",
    "c/CHANGES.rst": "Changes\n=======\n\n1.4.0 (2026-03-01) [Yanked]\n---------------------------\n\n* Login\n\n1.3.0 (2026-02-01)\n------------------\n\n* Lock\n",
    "d/HISTORY.txt": "1.4.0 (2026-03-01) [yanked]\n* Login\n\n1.3.0 (2026-02-01)\n* Lock\n",
    "e/CHANGELOG.md": "# Zmiany\n\n## ~~v1.4.0 - 2026-03-01~~ [YANKED]\n\n- Login\n\n## v1.3.0 - 2026-02-01\n\n- Lock\n",
    "f/CHANGELOG.md": "# Zmiany\n\n## [1.4.0] [YANKED] - 2026-03-01\n\n- Login\n\n## [1.3.0] - 2026-02-01\n\n- Lock\n\n[1.4.0]: https://h.example/1.4.0\n",
    "g/RELEASES.md": "1.4.0 (2026-03-01, wycofane)\n===\n\n- Login\n\n1.3.0 (2026-02-01)\n===\n\n- Lock\n",
}


def test_case_19_a_yanked_release_has_version_date_and_state(t2c: Any) -> None:
    for path, text in YANKED.items():
        write(t2c, path, text)
    document = extracted(t2c)
    for path in YANKED:
        first, second = of_kind(document, "changelog_release", path)
        assert first["metadata"]["version"] == "1.4.0", path
        assert first["metadata"]["releaseDate"] == "2026-03-01", path
        assert (first["metadata"]["yanked"], second["metadata"]["yanked"]) == (True, False), path
        assert (first["lifecycle"]["status"], second["lifecycle"]["status"]) == ("unknown", "released"), path
        login, lock = of_kind(document, "changelog_entry", path)
        assert (login["metadata"]["version"], login["metadata"]["yanked"]) == ("1.4.0", True), path
        assert login["lifecycle"]["status"] == "unknown", "an entry of a yanked release is not delivered"
        assert lock["lifecycle"]["status"] == "released", path


LINKED = """\
# Changelog

## [1.0.0]

### Added

- Login ([#12])
  - with *passkey*
- Zażółć gęślą jaźń, see `app.py`

[1.0.0]: https://h.example/tag/1.0.0
[#12]: https://h.example/issues/12
"""
IN_RST = """\
Changes
=======

1.0.0_ (2026-01-01)
-------------------

* Login (#12)

.. _1.0.0: https://h.example/tag/1.0.0
"""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("CHANGELOG.md", LINKED),
        ("CHANGES.rst", IN_RST),
        ("HISTORY.txt", "1.0.0 (2026-01-01)\n* Login (#12)\n"),
    ],
)
def test_case_21_line_endings_change_no_record(t2c: Any, path: str, text: str) -> None:
    write(t2c, path, text)
    plain = extracted(t2c)
    assert plain["warnings"] == []
    (release,) = of_kind(plain, "changelog_release")
    assert release["statement"]["target"]["versions"] == ["1.0.0"]
    assert of_kind(plain, "changelog_entry")[0]["statement"]["target"]["tickets"] == ["#12"]
    assert t2c("scan").code == 0
    for ends, style in (("\r\n", "CRLF"), ("\r", "CR")):
        write(t2c, path, text.replace("\n", ends))
        other = extracted(t2c)
        assert other["records"] == plain["records"]
        assert [item["id"] for item in other["records"]] == [item["id"] for item in plain["records"]]
        (warning,) = other["warnings"]
        assert (warning["reason"], warning["count"], warning["path"]) == ("line_endings", 1, path)
        assert warning["detail"].startswith(f"{style},")
    scanned = t2c("scan", "--json").document
    assert {name for name in scanned["appended"] if name.startswith("record.")} == set()
    assert scanned["omissions"]["line_endings"] == 1


def test_case_21_the_link_of_a_release_is_no_entry(t2c: Any) -> None:
    write(t2c, "CHANGELOG.md", LINKED.replace("\n", "\r\n"))
    texts = [item["statement"]["text"] for item in of_kind(extracted(t2c), "changelog_entry")]
    assert texts == ["Login ([#12])", "with *passkey*", "Zażółć gęślą jaźń, see `app.py`"]


NESTED = "- login\n  - with passkey\n    * on iOS\n- logowanie hasłem\n"


@pytest.mark.parametrize("signs", ["---", "***", "+++", "-*+", "*+-"])
@pytest.mark.parametrize("step", [2, 4])
def test_case_23_nested_items_have_parents(t2c: Any, signs: str, step: int) -> None:
    """Every sign, and both indents, give the same three statements with the same ids."""
    lines = [
        f"{signs[0]} login",
        f"{' ' * step}{signs[1]} with passkey",
        f"{' ' * 2 * step}{signs[2]} on iOS",
        f"{signs[0]} logowanie hasłem",
    ]
    head = "# Changelog\n\n## 1.0.0 - 2026-01-01\n\n### Added\n\n"
    write(t2c, "CHANGELOG.md", head + "\n".join(lines) + "\n")
    entries = of_kind(extracted(t2c), "changelog_entry")
    assert [(item["statement"]["text"], item["metadata"]["parent"]) for item in entries] == [
        ("login", None),
        ("with passkey", "login"),
        ("on iOS", "with passkey"),
        ("logowanie hasłem", None),
    ]
    write(t2c, "CHANGELOG.md", head + NESTED)
    assert [item["id"] for item in of_kind(extracted(t2c), "changelog_entry")] == [
        item["id"] for item in entries
    ]


def test_case_23_in_restructured_and_plain_text(t2c: Any) -> None:
    write(
        t2c,
        "CHANGES.rst",
        "Changes\n=======\n\n1.0.0 (2026-01-01)\n------------------\n\n* login\n\n  * with passkey\n\n    - on iOS\n",
    )
    write(t2c, "sub/HISTORY.txt", "1.0.0 (2026-01-01)\n* login\n  * with passkey\n    * on iOS\n")
    write(t2c, "sub/CHANGELOG.md", "## 1.0.0 - 2026-01-01\n\n1. login\n   - with passkey\n     1. on iOS\n")
    document = extracted(t2c)
    for path in ("CHANGES.rst", "sub/HISTORY.txt", "sub/CHANGELOG.md"):
        assert [
            (item["statement"]["text"], item["metadata"]["parent"])
            for item in of_kind(document, "changelog_entry", path)
        ] == [("login", None), ("with passkey", "login"), ("on iOS", "with passkey")], path


MESSAGES = {
    "given": "feat(orders): add read model (#14)\n\nMIN(COALESCE(a, b)) read once\n",
    "wrapped": "feat(orders): add read model (#14)\n\nThe query reads MIN(COALESCE(a, b),\nc) once and keeps it (see the note of\nthe team\n",
    "unclosed": "feat(orders): add read model (#14)\n\nfix(: ((( feat!: [x\n}{ BREAKING\n",
    "nested": "feat(orders): add read model (#14)\n\nfix: this is a line of the body\nchore(x): so is this\n",
    "polish": "feat(orders): add read model (#14)\n\nZapytanie MIN(COALESCE(a, b)) czytane raz: ((\n",
    "trailers": "feat(orders): add read model (#14)\n\nRefs: #15)(\n\nCo-authored-by broken trailer\nSigned-off-by: A <a@b>\n",
    "controls": "feat(orders): add read model (#14)\n\n\x01\x1b[2J ```\nunclosed fence\n",
}


@pytest.mark.parametrize("name", MESSAGES)
def test_case_25_the_subject_alone_decides(t2c: Any, name: str) -> None:
    git(t2c.root, "init", "-q", "-b", "main")
    git(
        t2c.root,
        "commit",
        "-q",
        "--allow-empty",
        "--cleanup=verbatim",
        "-F",
        "-",
        input=MESSAGES[name].encode(),
    )
    git(t2c.root, "commit", "-q", "--allow-empty", "-m", "chore: after it")
    document = extracted(t2c, "git")
    last, first = sorted(document["records"], key=lambda item: "read model" in item["statement"]["text"])
    assert last["statement"]["text"] == "chore: after it"
    assert first["statement"]["text"] == "feat(orders): add read model (#14)"
    assert first["statement"]["action"] == "add"
    assert "#14" in first["statement"]["target"]["tickets"]
    about = first["metadata"]
    assert (about["commitType"], about["scope"], about["breaking"]) == ("feat", "orders", False)
    unparsed = [item for item in document["warnings"] if item["reason"] == "unparsed_trailers"]
    assert sum(item["count"] for item in unparsed) == about.get("trailersUnparsed", 0) == (name == "trailers")
    assert [item["path"] for item in unparsed] == [f"commit:{first['source']['revision']}"] * len(unparsed)
    scanned = t2c("scan", "--json")
    assert (scanned.code, scanned.document["records"]["git"]) == (0, 2)


FRAGMENTS = {
    "+12345.feature.rst": ("feature", []),
    "fix-1.2.3.bugfix.md": ("bugfix", []),
    "1234.bugfix.1.rst": ("bugfix", ["#1234"]),
    "+anything.misc": ("misc", []),
    "1234.bugfix": ("bugfix", ["#1234"]),
    "77.doc.2": ("doc", ["#77"]),
    "#78.feature.md": ("feature", ["#78"]),
    "PROJ-9.removal.rst": ("removal", ["PROJ-9"]),
    "+.feature.rst": ("feature", []),
    "+poprawka.bugfix.md": ("bugfix", []),
    "v2.0.feature.md": ("feature", []),
}


@pytest.mark.parametrize("folder", ["newsfragments", "changelog.d", "src/tool/newsfragments"])
def test_case_27_the_name_of_a_fragment_gives_its_type_and_ticket(t2c: Any, folder: str) -> None:
    for name in FRAGMENTS:
        write(t2c, f"{folder}/{name}", f"What is new: {name.partition('.')[0].strip('+#')}.\n")
    document = extracted(t2c)
    found = {
        item["source"]["path"].rpartition("/")[2]: (
            item["metadata"]["type"],
            item["statement"]["target"]["tickets"],
        )
        for item in of_kind(document, "changelog_fragment")
    }
    assert found == FRAGMENTS
    assert document["warnings"] == []


def test_case_27_a_name_that_is_not_understood_is_counted(t2c: Any) -> None:
    write(t2c, "newsfragments/1.feature.md", "Login.\n")
    write(t2c, "newsfragments/12.nonsense.md", "Text.\n")
    document = extracted(t2c)
    assert len(of_kind(document, "changelog_fragment")) == 1
    assert [(item["path"], item["reason"]) for item in document["warnings"]] == [
        ("newsfragments/12.nonsense.md", "fragment_not_understood")
    ]
