"""Cases 1 to 9: what is a task in a comment, what is none, and that nobody is asked about it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest


def records(t2c: Any, *more: str, source: str = "comments") -> list[dict[str, Any]]:
    ran = t2c("extract", source, "--json", *more)
    assert ran.code == 0, ran.err
    return ran.document["records"]  # type: ignore[no-any-return]


def write(t2c: Any, path: str, text: str) -> None:
    file = t2c.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def told(found: list[dict[str, Any]]) -> list[tuple[str, str, int, int]]:
    return [
        (
            item["source"]["path"],
            item["statement"]["text"],
            item["source"]["lines"]["start"],
            item["source"]["lines"]["end"],
        )
        for item in found
    ]


WORDS = {
    "a.go": "package a\n\n// AutoDown limits the rate\nvar autodown = 1\n",
    "a.py": "# Todorov distance, see paper\n# metodo: carga, mastodon: toots\nx = 1\n",
    "load.py": "todos = load()\nTODO_LIST = todos\ntodo = fixme = hack = 1\n",
    "a.ts": "const todos = load(); // todos: kept by the server\nlet toDo = 1; // toDo: number\n",
    "a.js": "/* hackathon: tomorrow, fixmeup: no, xxxl: a size, PREFIXME: no */\nlet a = 1;\n",
    "a.rs": "// todoist::api is called\n// AUTODOWN: a name\nfn todos() { todo!() }\n",
    "a.yaml": "autodown: 1 # autodown: limits\ntodos: [] # mastodon\n",
    "a.html": "<!-- metodología: los métodos -->\n<p id='todos'>TODO: text of a page</p>\n",
    "a.tf": "# HACKATHON is tomorrow\n# TODOLIST holds it\n// XXXL is a size\n/* FIXMEUP */\n# METODO: x\n",
    "a.sql": "-- metoda: metodologia, hackować: nie\nSELECT todo FROM todos;\n",
    "a.css": "/* todorov: distance */\n.todo { color: red }\n",
}


def test_case_1_a_marker_is_a_word_of_its_own(t2c: Any) -> None:
    for path, text in WORDS.items():
        write(t2c, path, text)
    assert told(records(t2c)) == []


PROSE = {
    "a.dart": "/// final r = get(Todo.type, 'some-todo-id-1');\nint a = 1;\n",
    "a.js": "// see todo-list.md\nlet a = 1;\n",
    "list.js": "/**\n * Shows the todo-list; TODO/FIXME comments are reported.\n */\nfunction show() {}\n",
    "a.py": '"""Parse TODO files: a TODO list is a list.\n\n>>> todo: str = get(Todo.type)\n"""\n',
    "example.py": 'def f():\n    """Say it.\n\n    ```\n    # TODO: an example\n    ```\n    """\n',
    "a.rs": "/// ```\n/// // TODO: an example\n/// let r = get(Todo::Type);\n/// ```\nfn f() {}\n",
    "inner.rs": "//! ```rust\n//! // FIXME: an example\n//! ```\nfn f() {}\n",
    "a.ts": "/**\n * ```ts\n * // TODO: an example\n * ```\n */\nexport const a = 1;\n",
    "a.go": "package a\n\n// See TODO.md, the to-do-list and TODO(s).\n// The TODO items stand in todo-list.md.\nvar A = 1\n",
    "a.yml": "a: 1 # plik TODO.md i lista todo-lista.md\n# zobacz todo-list.md\n",
    "a.md": "Write `<!-- TODO: x -->`.\n\n```html\n<!-- TODO: an example -->\n```\n",
}


def test_case_3_a_mention_is_no_obligation(t2c: Any) -> None:
    for path, text in PROSE.items():
        write(t2c, path, text)
    assert told(records(t2c)) == []


def test_case_3_a_real_marker_beside_a_mention_is_kept(t2c: Any) -> None:
    write(
        t2c,
        "a.rs",
        "/// ```\n/// // TODO: an example\n/// ```\n/// TODO: move the lock\n// see todo-list.md\nfn f() {}\n",
    )
    write(t2c, "a.py", "# see todo-list.md\nx = 1  # TODO: raise it\n")
    assert told(records(t2c)) == [("a.py", "raise it", 2, 2), ("a.rs", "move the lock", 4, 4)]


BODY = "TODO: move the keys\n  to the vault\n"
STARRED = " * TODO: move the keys\n *   to the vault\n"
BLOCKS = {
    "a.html": f"<!--\n{BODY}-->\n",
    "a.xml": f"<!--\n{BODY}-->\n<a/>\n",
    "a.md": f"<!--\n{BODY}-->\n\nText.\n",
    "a.mdx": f"{{/*\n{BODY}*/}}\n\nText.\n",
    "a.js": f"/*\n{BODY}*/\nlet a = 1;\n",
    "a.jsx": f"/*\n{BODY}*/\nconst a = <p/>;\n",
    "a.ts": f"/**\n{STARRED} */\nlet a = 1;\n",
    "a.go": f"/*\n{BODY}*/\npackage a\n",
    "a.rs": f"/*\n{BODY}*/\nfn f() {{}}\n",
    "a.css": f"/*\n{STARRED} */\na {{}}\n",
    "a.scss": f"/*\n{BODY}*/\na {{}}\n",
    "a.sql": f"/*\n{BODY}*/\nSELECT 1;\n",
    "a.proto": f"/*\n{BODY}*/\n",
    "a.tf": f"/*\n{BODY}*/\n",
    "a.j2": f"{{#\n{BODY}#}}\n",
    "a.twig": f"{{#\n{BODY}#}}\n",
    "a.vue": f"<!--\n{BODY}-->\n<template/>\n",
    "b.vue": f"/*\n{BODY}*/\n<style></style>\n",
    "a.jsp": f"<%--\n{BODY}--%>\n",
    "a.erb": f"<%#\n{BODY}%>\n",
    "a.hbs": f"{{{{!--\n{BODY}--}}}}\n",
    "a.cshtml": f"@*\n{BODY}*@\n",
    "a.py": f'"""\n{BODY}"""\n',
    "a.hs": f"{{-\n{BODY}-}}\n",
    "a.ml": f"(*\n{BODY}*)\n",
    "a.el": f"#|\n{BODY}|#\n",
    "a.ps1": f"<#\n{BODY}#>\n",
}


def test_case_5_a_block_is_one_record_with_its_whole_text_and_lines(t2c: Any) -> None:
    for path, text in BLOCKS.items():
        write(t2c, path, text)
    assert told(records(t2c)) == [(path, "move the keys to the vault", 2, 3) for path in sorted(BLOCKS)]


def test_case_5_in_polish_with_windows_lines_and_inside_a_page(t2c: Any) -> None:
    (t2c.root / "a.c.html").write_bytes("<!--\r\nTODO: przenieść klucze\r\n  do sejfu\r\n-->\r\n".encode())
    write(
        t2c,
        "b.vue",
        "<template>\n<!-- TODO: first --></template>\n<script>\nlet a = 1; // TODO: second\n</script>\n"
        "<style>\n/* FIXME: third\n  thing */\n</style>\n<p>src/*.js, http://TODO: no, it // TODO: is prose</p>\n",
    )
    assert told(records(t2c)) == [
        ("a.c.html", "przenieść klucze do sejfu", 2, 3),
        ("b.vue", "first", 2, 2),
        ("b.vue", "second", 4, 4),
        ("b.vue", "third thing", 7, 8),
    ]


def test_case_5_sentences_of_a_block_stay_together_and_what_stands_beside_it_apart(t2c: Any) -> None:
    write(t2c, "a.js", "/*\nTODO: move the keys.\n  Then tell the team.\nThe lock stays.\n*/\nlet a = 1;\n")
    write(t2c, "b.j2", "{#\n  TODO: przenieś klucze.\n    Potem powiedz zespołowi.\n\n  Zamek zostaje.\n#}\n")
    write(t2c, "c.py", '"""What it does.\n\nTODO: move the keys.\n    Then tell the team.\n"""\n')
    assert told(records(t2c)) == [
        ("a.js", "move the keys. Then tell the team.", 2, 3),
        ("b.j2", "przenieś klucze. Potem powiedz zespołowi.", 2, 3),
        ("c.py", "move the keys. Then tell the team.", 3, 4),
    ]


EQUAL = {
    "a.py": (
        "def f():\n    # TODO: handle errors\n    pass\n",
        "def g():\n    # TODO: handle errors\n    pass\n",
    ),
    "a.go": (
        "package a\n\nfunc f() {\n\t// TODO: handle errors\n}\n",
        "\nfunc g() {\n\t// TODO: handle errors\n}\n",
    ),
    "a.ts": (
        "class A {\n  f() {\n    // TODO: handle errors\n  }\n",
        "  g() {\n    /* TODO: handle errors */\n  }\n}\n",
    ),
    "a.rs": ("fn f() {\n    // TODO: obsłuż błędy\n}\n", "fn g() {\n    // TODO: obsłuż błędy\n}\n"),
}


@pytest.mark.parametrize("path", EQUAL)
def test_case_7_equal_markers_are_records_of_their_own(t2c: Any, path: str) -> None:
    """Deleting the first leaves the ids of the other two, in an extraction and in the ledger."""
    first, second = EQUAL[path]
    write(t2c, path, first + second)
    write(t2c, f"other/{path}", second if path != "a.ts" else first + "}\n")
    assert t2c("scan").code == 0
    before = records(t2c)
    assert len({item["id"] for item in before}) == len(before) == 3
    write(t2c, path, "\n".join("" if "TODO" in line else line for line in first.split("\n")) + second)
    after = records(t2c)
    gone = {item["id"] for item in before} - {item["id"] for item in after}
    assert len(after) == 2
    assert gone == {before[0]["id"]}
    assert t2c("scan").code == 0
    log = t2c("ledger", "log", "--type", "record.retracted", "--jsonl").lines
    assert [
        event["data"]["id"] for event in log if event["data"]["id"] in {item["id"] for item in before}
    ] == [before[0]["id"]]


def test_case_7_equal_markers_in_one_place_are_counted_apart(t2c: Any) -> None:
    """Nothing but their order tells them apart there: one goes, and no id is invented for the one that stays."""
    write(t2c, "a.yaml", "# TODO: handle errors\na: 1\n# TODO: handle errors\n")
    write(t2c, "b.yaml", "# TODO: handle errors\n")
    before = {item["id"] for item in records(t2c)}
    assert len(before) == 3
    write(t2c, "a.yaml", "a: 1\n# TODO: handle errors\n")
    after = {item["id"] for item in records(t2c)}
    assert len(after) == 2
    assert after < before


OFFLINE = """\
import os, sys

def refuse(event, arguments):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto", "socket.bind"):
        with open(os.environ["ASKED"], "a") as stream:
            stream.write(f"{event} {arguments}\\n")
        raise OSError(101, "Network is unreachable")

sys.addaudithook(refuse)
"""
CITED = {
    "a.py": "# TODO: fix the case of #1234\n",
    "b.ts": "// FIXME(#77): see https://tracker.example.org/issues/77\n",
    "c.html": "<!-- TODO: napraw GH-12, zobacz https://api.github.com/repos/a/b/issues/12 -->\n",
    "TODO.md": "- [ ] close #1234 and PROJ-9\n",
    "CHANGELOG.md": "# Changelog\n\n## 1.0.0\n\n- Fixed a crash (#1234)\n\n[#1234]: https://h.example/issues/1234\n",
}


def test_case_9_no_tracker_is_asked(t2c: Any, tmp_path: Path) -> None:
    """Whatever cites a ticket is read on a machine whose every attempt at a connection fails."""
    for path, text in CITED.items():
        write(t2c, path, text)
    subprocess.run(["git", "init", "-q", t2c.root], env=t2c.environ, check=True)
    (tmp_path / "sitecustomize.py").write_text(OFFLINE)
    asked = tmp_path / "asked"
    env = {"PYTHONPATH": str(tmp_path), "ASKED": str(asked)}
    probe = subprocess.run(
        [t2c.command[0], "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"],
        env={**t2c.environ, **env},
        capture_output=True,
        check=False,
    )
    assert probe.returncode == 1 and asked.read_text().startswith("socket.")
    asked.unlink()
    scanned = t2c("scan", "--json", env=env)
    assert scanned.code == 0, scanned.err
    assert scanned.document["records"]["todo"] == 4
    # An entry of a release without commits is related to none, and that is counted, too.
    assert set(scanned.document["omissions"]) - {"described_without_range"} == {"no_commits"}
    found = t2c("extract", "all", "--json", env=env)
    assert found.code == 0, found.err
    assert found.document == t2c("extract", "all", "--json").document
    cited = [item for item in found.document["records"] if item["source"]["kind"] == "todo"]
    tickets = {item["source"]["path"]: item["statement"]["target"]["tickets"] for item in cited}
    assert (tickets["a.py"], tickets["b.ts"], tickets["c.html"]) == (["#1234"], ["#77"], ["#12"])
    assert not asked.exists()


@pytest.mark.skipif(shutil.which("unshare") is None, reason="there is no unshare")
def test_case_9_without_any_network(t2c: Any) -> None:
    """What a process started by us (Git) might ask is refused as well: there is no network at all."""
    bare = ["unshare", "--map-root-user", "--net"]
    if subprocess.run([*bare, "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine gives no network of its own")
    for path, text in CITED.items():
        write(t2c, path, text)
    expected = t2c("extract", "all", "--json").document
    t2c.command = (*bare, *t2c.command)
    assert t2c("extract", "all", "--json").document == expected
    assert t2c("scan", "--json").document["records"]["todo"] == 4
