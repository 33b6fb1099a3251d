"""Cases 29 to 35: what ties a requirement to files, code and tests, and keeps its id while texts around it change."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest


def write(t2c: Any, path: str, text: str) -> None:
    file = t2c.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def extracted(t2c: Any, source: str, *files: str) -> Any:
    ran = t2c("extract", source, *files, "--json")
    assert ran.code == 0, ran.err
    return ran.document


def scan(t2c: Any, *more: str) -> Any:
    ran = t2c("scan", "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document


def events(t2c: Any, name: str) -> list[Any]:
    return [event["data"] for event in t2c("ledger", "log", "--type", name, "--jsonl").lines]


TAGGED = {
    "settings.xml": (
        "<settings>\n  <!-- [impl->req~login-lock~1] -->\n</settings>\n",
        "impl",
        "req~login-lock~1",
        2,
    ),
    "values.yaml": ("ttl: 5 # [impl->req~ttl~2]\n", "impl", "req~ttl~2", 1),
    "values.toml": ("# [impl -> req~ttl~2]\nttl = 5\n", "impl", "req~ttl~2", 1),
    "app.ini": ("; [impl->dsn~session~1]\n[app]\n", "impl", "dsn~session~1", 1),
    "app.properties": ("# [impl->req~zamek~3]\na=1\n", "impl", "req~zamek~3", 1),
    "main.tf": ('/*\n [impl->req~cloud~1]\n*/\nresource "a" "b" {}\n', "impl", "req~cloud~1", 2),
    "page.html": ("<p>\n<!-- [uman->req~help~1] --></p>\n", "uman", "req~help~1", 2),
    "guide.md": ("# Guide\n\n<!-- [uman->req~help~2] -->\n", "uman", "req~help~2", 3),
    "q.sql": ("-- [impl->req~index~1]\nSELECT 1;\n", "impl", "req~index~1", 1),
    "Dockerfile": ("FROM a\n# [impl->req~image~1]\n", "impl", "req~image~1", 2),
    "app.csproj": ("<Project>\n<!-- [impl->req~net~1] -->\n</Project>\n", "impl", "req~net~1", 2),
    "a.py": ("def f():\n    # [utest->dsn~lock~1]\n    pass\n", "utest", "dsn~lock~1", 2),
    "style.css": ("/* [impl->req~kolor~1] */\na {}\n", "impl", "req~kolor~1", 1),
}


def test_case_29_tags_are_read_in_comments_of_any_text_file(t2c: Any) -> None:
    for path, (text, *_) in TAGGED.items():
        write(t2c, path, text)
    found = {
        item["source"]["path"]: (
            item["metadata"]["artifactType"],
            item["metadata"]["requirementId"],
            item["source"]["lines"]["start"],
        )
        for item in extracted(t2c, "tags")["records"]
    }
    assert found == {path: tuple(rest) for path, (_, *rest) in TAGGED.items()}


def test_case_29_text_that_is_no_comment_is_no_tag_and_a_broken_tag_is_counted(t2c: Any) -> None:
    write(t2c, "a.yaml", 'a: "[impl->req~ttl~2]"\n# [impl->req~ttl]\n# [impl->req~ttl~dwa]\n')
    write(t2c, "a.py", 'x = "# [impl->req~ttl~2]"\n')
    document = extracted(t2c, "tags")
    assert document["records"] == []
    (warning,) = document["warnings"]
    assert (warning["reason"], warning["count"], warning["lines"]) == ("malformed_tag", 2, [2, 3])


def test_case_29_endings_that_nobody_reads_are_listed_with_counts(t2c: Any) -> None:
    for name in ("a.weird", "b.weird", "c.odd", "sub/d.weird"):
        write(t2c, name, "# [impl->req~x~1]\n")
    write(t2c, "picture.png", "\x89PNG")
    (warning,) = extracted(t2c, "comments")["warnings"]
    assert (warning["reason"], warning["count"]) == ("comments_not_read", 4)
    assert warning["detail"].endswith(": .weird 3, .odd 1")
    assert scan(t2c)["omissions"]["comments_not_read"] == 4
    assert t2c("scan", "--strict").code == 1


ONE, TWO = "def test_one():\n    assert 1\n", "def test_two():\n    assert 2\n"


def digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def item(references: str) -> str:
    return f"active: true\nlevel: 1.0\nlinks: []\nnormative: true\n{references}reviewed: null\ntext: |\n  The door shall lock.\n"


REFERRED = {
    "given": "ref: [tests/t1.py, tests/t2.py]\n",
    "list": "ref: ''\nreferences:\n- path: tests/t1.py\n  type: file\n- path: tests/t2.py\n  type: file\n",
    "reviewed": "references:\n"
    f"- path: tests/t1.py\n  sha: {digest(ONE)}\n  type: file\n- path: tests/t2.py\n  sha: {digest(TWO)}\n  type: file\n",
}


def anchors(document: Any) -> dict[str, Any]:
    return {
        path: record
        for record in document["records"]
        if record["statement"]["kind"] == "requirement_anchor"
        for path in record["statement"]["target"]["paths"]
    }


@pytest.mark.parametrize("form", REFERRED)
@pytest.mark.parametrize("path", ["reqs/REQ001.yml", "wymagania/WYM-012.yml"])
def test_case_31_each_file_is_an_anchor_with_its_own_digest(t2c: Any, form: str, path: str) -> None:
    write(t2c, path, item(REFERRED[form]))
    write(t2c, "tests/t1.py", ONE)
    write(t2c, "tests/t2.py", TWO)
    before = anchors(extracted(t2c, "docs"))
    assert {name: record["metadata"]["contentSha256"] for name, record in before.items()} == {
        "tests/t1.py": digest(ONE),
        "tests/t2.py": digest(TWO),
    }
    scan(t2c)
    seen = len(events(t2c, "record.observed"))
    changed = TWO.replace("2\n", "3\n")
    write(t2c, "tests/t2.py", changed)
    after = anchors(extracted(t2c, "docs"))
    assert {name: record["id"] for name, record in after.items()} == {
        name: record["id"] for name, record in before.items()
    }
    assert after["tests/t1.py"] == before["tests/t1.py"]
    assert after["tests/t2.py"]["metadata"]["contentSha256"] == digest(changed)
    expected = (False, True) if form == "reviewed" else (None, None)
    assert tuple(after[name]["metadata"]["suspect"] for name in sorted(after)) == expected
    scan(t2c)
    again = [event["record"]["id"] for event in events(t2c, "record.observed")[seen:]]
    assert after["tests/t2.py"]["id"] in again
    assert after["tests/t1.py"]["id"] not in again
    assert before["tests/t2.py"]["id"] not in {event["id"] for event in events(t2c, "record.retracted")}


@pytest.mark.parametrize(
    ("references", "folder"),
    [
        ("references:\n- path: tests\n  type: folder\n", "tests"),
        ("references:\n- path: tests/unit\n  type: directory\n", "tests/unit"),
        ("ref: [tests/]\n", "tests"),
    ],
)
def test_case_31_a_folder_is_an_allowed_anchor(t2c: Any, references: str, folder: str) -> None:
    write(t2c, "reqs/REQ001.yml", item(references))
    write(t2c, "tests/unit/t1.py", ONE)
    document = extracted(t2c, "docs")
    (anchor,) = anchors(document).values()
    assert anchor["statement"]["target"]["paths"] == [folder]
    assert (anchor["metadata"]["type"], anchor["metadata"]["missing"]) == ("folder", False)
    assert document["warnings"] == []
    requirement = next(item for item in document["records"] if item["statement"]["kind"] == "requirement")
    assert requirement["metadata"]["reviewed"] is None


WORLDS = {
    "python": (
        "src/door.py",
        "def lock_door():\n    return 1\n\n\ndef open_door():\n    return 2\n\n\ndef ring_bell():\n    return 3\n",
        "tests/test_door.py",
        "from src.door import lock_door\n\n\ndef test_lock():\n    assert lock_door() == 1\n",
        ("lock_door", "open_door", "ring_bell"),
    ),
    "go": (
        "door/door.go",
        "package door\n\nfunc LockDoor() int { return 1 }\n\nfunc OpenDoor() int { return 2 }\n\nfunc RingBell() int { return 3 }\n",
        "door/door_test.go",
        'package door\n\nimport "testing"\n\nfunc TestLock(t *testing.T) { LockDoor() }\n',
        ("LockDoor", "OpenDoor", "RingBell"),
    ),
    "typescript": (
        "src/door.ts",
        "export const lockDoor = () => 1;\nexport function openDoor() { return 2; }\nexport function ringBell() { return 3; }\n",
        "src/door.test.ts",
        "import { lockDoor } from './door';\ntest('locks', () => { lockDoor(); });\n",
        ("lockDoor", "openDoor", "ringBell"),
    ),
}


@pytest.mark.parametrize("language", WORLDS)
def test_case_33_what_both_directions_need_is_recorded(t2c: Any, language: str) -> None:
    """Forward and backward lists are made of these: plans with the symbols they name, public functions whether a plan
    names them or not, and which of them a test calls."""
    path, code, test_path, test, (tested, coded, unplanned) = WORLDS[language]
    write(t2c, path, code)
    write(t2c, test_path, test)
    write(t2c, "TODO.md", f"- [ ] Add `{tested}`\n- [ ] Dodać `{coded}()`\n- [ ] Add `closeGate()`\n")
    records = extracted(t2c, "all")["records"]
    plans = {
        tuple(item["statement"]["target"]["symbols"]): item
        for item in records
        if item["epistemic"]["class"] == "plan"
    }
    assert set(plans) == {(tested,), (coded,), ("closeGate",)}
    assert all(item["lifecycle"]["status"] == "planned" for item in plans.values())
    functions = {
        item["source"]["symbol"].rpartition(".")[2]: item["metadata"]
        for item in records
        if item["statement"]["kind"] == "symbol_fact" and item["source"]["path"] == path
    }
    assert {name: about["public"] for name, about in functions.items()} == {
        tested: True,
        coded: True,
        unplanned: True,
    }
    assert not any(about["test"] for about in functions.values())
    called = {
        call
        for item in records
        if item["source"]["path"] == test_path
        and item["source"]["kind"] == "ast"
        and item["metadata"].get("test")
        for call in item["metadata"].get("calls", [])
    }
    assert tested in {call.rpartition(".")[2] for call in called}
    assert not {coded, unplanned} & called


def junit(message: str, *, failed: bool = True, seconds: str = "0.1", more: str = "") -> str:
    inside = f'<failure message="{message}">{message} at 0x7f00 line 12</failure>' if failed else ""
    return (
        f'<testsuite name="s" tests="2" failures="{int(failed)}" time="{seconds}" timestamp="2026-03-01T10:00:00">{more}'
        f'<testcase classname="tests.test_api" name="test_two" time="{seconds}">{inside}</testcase></testsuite>'
    )


def tap(message: str) -> str:
    return f"TAP version 13\n1..2\nok 1 - opens\nnot ok 2 - locks\n  ---\n  message: '{message}'\n  ...\n"


def sarif(message: str, line: int) -> str:
    result = {
        "ruleId": "R1",
        "level": "error",
        "message": {"text": message},
        "locations": [
            {"physicalLocation": {"artifactLocation": {"uri": "src/a.py"}, "region": {"startLine": line}}}
        ],
        "partialFingerprints": {"primaryLocationLineHash": "abc"},
    }
    run = {"tool": {"driver": {"name": "lint", "rules": [{"id": "R1"}]}}, "results": [result]}
    return json.dumps({"version": "2.1.0", "runs": [run]})


def pytest_text(message: str) -> str:
    return (
        "============ test session starts ============\ncollected 2 items\n\n"
        "tests/test_api.py::test_one PASSED  [ 50%]\ntests/test_api.py::test_two FAILED  [100%]\n\n"
        f"=========== short test summary info ===========\nFAILED tests/test_api.py::test_two - AssertionError: {message}\n"
        "======== 1 failed, 1 passed in 0.12s ========\n"
    )


VOLATILE = {
    "junit.xml": (junit("expected 3"), junit("expected 4", seconds="9.7")),
    "passes.xml": (junit("expected 3"), junit("", failed=False)),
    "polish.xml": (junit("oczekiwano 3"), junit("oczekiwano 4", seconds="2")),
    "beside.xml": (
        junit("expected 3"),
        junit("expected 4", more='<testcase classname="tests.test_a" name="first"/>'),
    ),
    "results.tap": (tap("expected 3"), tap("expected 4")),
    "lint.sarif": (sarif("expected 3", 4), sarif("expected 3", 9)),
    "pytest.txt": (pytest_text("expected 3"), pytest_text("expected 4")),
}


@pytest.mark.parametrize("name", VOLATILE)
def test_case_35_volatile_text_is_no_part_of_an_id(t2c: Any, name: str) -> None:
    first, second = VOLATILE[name]
    write(t2c, name, first)
    before = extracted(t2c, "tests", name)["records"]
    assert len(before) >= 2 or (name == "lint.sarif" and before)
    scan(t2c, "--report", name)
    write(t2c, name, second)
    after = extracted(t2c, "tests", name)["records"]
    ids = [{item["id"] for item in records} for records in (before, after)]
    assert ids[0] <= ids[1]
    if name != "beside.xml":
        assert ids[0] == ids[1]
    appended = scan(t2c, "--report", name)["appended"]
    assert appended.get("record.observed" if name != "lint.sarif" else "run.finished", 0) >= 1
    assert "record.retracted" not in appended
    if name in ("junit.xml", "polish.xml", "results.tap"):
        told = [json.dumps(event) for event in events(t2c, "record.observed")]
        assert any("3" in text and "xpected 4" not in text for text in told)
        assert any("expected 4" in text or "oczekiwano 4" in text for text in told), (
            "a later event holds the new text"
        )


def test_case_35_a_run_that_differs_in_nothing_but_time_says_nothing_new_of_its_tests(t2c: Any) -> None:
    write(t2c, "junit.xml", junit("expected 3"))
    scan(t2c, "--report", "junit.xml")
    assert scan(t2c, "--report", "junit.xml")["run"] is None
