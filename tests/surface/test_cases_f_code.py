"""Cases 45 and 47: data and generated code cost little, give no symbols and are told."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, NamedTuple

import pytest

MEASURED = """\
import resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
open(sys.argv[1], "w").write(str(most))
sys.exit(code)
"""
MIB = 1 << 20


class Cost(NamedTuple):
    """Seconds of the wall clock, and the most memory that one of its processes held, in bytes."""

    document: Any
    seconds: float
    memory: int


def write(t2c: Any, path: str, text: str | bytes) -> int:
    file = t2c.root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    return file.write_bytes(text if isinstance(text, bytes) else text.encode())


def measured(t2c: Any, tmp_path: Path, *arguments: str) -> Cost:
    plain, place = t2c.command, tmp_path / "memory"
    t2c.command = (sys.executable, "-c", MEASURED, str(place), *plain)
    start = time.monotonic()
    ran = t2c(*arguments)
    t2c.command = plain
    assert ran.code == 0, ran.err
    scale = 1024 if sys.platform != "darwin" else 1
    return Cost(ran.document, time.monotonic() - start, int(place.read_text()) * scale)


def left_out(document: Any, path: str) -> list[tuple[str, str, int]]:
    return [
        (item["source"], item["reason"], item["count"])
        for item in document["warnings"]
        if item["path"] == path
    ]


def symbols(document: Any, path: str) -> list[str]:
    return [
        item["source"]["symbol"]
        for item in document["records"]
        if (item["source"]["kind"], item["source"]["path"]) == ("ast", path)
        and item["statement"]["kind"] != "module_fact"
    ]


def numbers(size: int, *, line: int = 80) -> str:
    text = " ".join(str(number * 7919 % 100_003) for number in range(size // 5))
    return "\n".join(text[at : at + line] for at in range(0, size, line)) + "\n"


DATA = {
    "given/Data.java": numbers(1_200_000),
    "one/line.json": '{"a":[' + ",".join(f'{{"k":{n},"v":"x{n}"}}' for n in range(22_000)) + "]}",
    "small/Data.java": numbers(900_000),
    "numbers.py": "x = [\n"
    + ",\n".join(",".join(str(n * m) for m in range(10)) for n in range(14_000))
    + "\n]\n",
    "table.go": "package a\n\nvar Table = []int{\n" + "1, 2, 3, 4, 5, 6, 7, 8,\n" * 30_000 + "}\n",
    "deep.js": "let a = " + "[" * 20_000 + "]" * 20_000 + ";\n",
    "angles.ts": "const a = b" + "<c" * 30_000 + ";\n",
    "broken.rs": "fn f( { let x = ((( \n" * 8_000,
    "sub/package.json": '{"name":"a","version":"1.0.0","x":['
    + ",".join(f'"{n}"' for n in range(70_000))
    + "]}",
    "config/settings.yaml": "".join(f"key{n}: {n}\n" for n in range(60_000)),
}
VALID = ("numbers.py", "table.go", "config/settings.yaml", "sub/package.json")
KEPT = "def kept():\n    # TODO: obsłuż błędy\n    return 1\n"


@pytest.mark.parametrize("path", DATA)
def test_case_45_a_large_or_invalid_file_is_bounded_and_told(t2c: Any, tmp_path: Path, path: str) -> None:
    """Against the same repository without it: some times its size in memory, and a few seconds.

    A grammar and the tree of a valid file take their share, which no size of a data file can pass.
    """
    write(t2c, "kept.py", KEPT)
    before = measured(t2c, tmp_path, "extract", "all", "--json")
    size = write(t2c, path, DATA[path])
    after = measured(t2c, tmp_path, "extract", "all", "--json")
    assert after.seconds - before.seconds < 30
    assert after.memory - before.memory < 128 * MIB if path in VALID else max(10 * size, 32 * MIB)
    assert "kept" in symbols(after.document, "kept.py")
    assert any(item["statement"]["text"] == "obsłuż błędy" for item in after.document["records"])
    assert len(symbols(after.document, path)) <= 3_000


@pytest.mark.parametrize(
    ("path", "text", "reason"),
    [
        ("Data.java", numbers(1_200_000), "too_large"),
        ("table.go", "package a\n\nvar Table = []int{\n" + "1, 2, 3, 4,\n" * 100_000 + "}\n", "too_large"),
        ("Small.java", numbers(600_000), "syntax_errors"),
        ("Line.java", numbers(600_000, line=600_000), "minified_file"),
        ("dane.py", numbers(500_000, line=120), "syntax_errors"),
        ("zero.ts", b"let a = 1;\0\n" * 100, "binary_file"),
    ],
)
def test_case_45_what_is_not_read_is_a_counted_omission_with_its_name(
    t2c: Any, path: str, text: str | bytes, reason: str
) -> None:
    write(t2c, path, text)
    document = t2c("extract", "code", "--json").document
    assert [item[:2] for item in left_out(document, path)] == [("ast", reason)]
    assert left_out(document, path)[0][2] >= 1
    scanned = t2c("scan", "--json")
    assert scanned.code == 0, scanned.err
    assert scanned.document["omissions"][reason] >= 1
    noted = t2c("ledger", "log", "--type", "omission.noted", "--jsonl").lines
    assert {(event["data"]["path"], event["data"]["reason"]) for event in noted} >= {(path, reason)}
    assert t2c("scan", "--strict").code == 1


DEEP = "(\n" * 4_000 + "1" + ")\n" * 4_000


@pytest.mark.parametrize(
    ("path", "text", "symbol", "reason"),
    [
        ("Deep.java", "public class Deep {\n  int a = " + DEEP + ";\n}\n", "Deep", "nested_too_deeply"),
        ("deep.py", "def found():\n    return " + DEEP + "\n", "found", "nested_too_deeply"),
        ("deep.js", "function found() {}\nlet a = " + DEEP + ";\n", "found", "nested_too_deeply"),
        ("deep.go", "package a\n\nfunc Found() {}\n\nvar a = " + DEEP, "Found", "nested_too_deeply"),
        ("cut.go", "package a\n\nfunc Kept() {\n\tif x {\n\nfunc Found() {}\n", "Found", "syntax_errors"),
    ],
)
def test_case_45_what_cannot_be_parsed_is_read_line_by_line(
    t2c: Any, path: str, text: str, symbol: str, reason: str
) -> None:
    write(t2c, path, text)
    document = t2c("extract", "code", "--json").document
    assert symbol in {name.rpartition(".")[2] for name in symbols(document, path)}
    assert {item[1] for item in left_out(document, path)} == {reason, "approximate_definitions"}


def functions(number: int, *, newline: str = "") -> str:
    return newline.join(f"function f{n}(b){{return b+{n};}}" for n in range(number)) + "\n"


GENERATED = {
    "lib.min.js": (functions(3_000), "minified_file"),
    "assets/lib.min.css.js": (functions(25_000), "minified_file"),
    "dist/bundle.js": (functions(25_000), "minified_file"),
    "static/paczka.js": ("var x=1;" * 110_000, "minified_file"),
    "bundle.ts": ("export const a=1;" * 50_000, "minified_file"),
    "api.pb.go": (
        "// Code generated by protoc-gen-go. DO NOT EDIT.\n\npackage a\n\nfunc F() {}\n",
        "generated_file",
    ),
    "models.py": ("# @generated by tool\ndef f():\n    pass\n", "generated_file"),
    "Api.java": ("// This file was generated. Do not modify it.\nclass Api {}\n", "generated_file"),
}


@pytest.mark.parametrize("path", GENERATED)
def test_case_47_generated_code_is_one_omission_and_no_symbols(t2c: Any, tmp_path: Path, path: str) -> None:
    text, reason = GENERATED[path]
    git = ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    environ = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "GIT_CONFIG_NOSYSTEM": "1"}
    write(t2c, "kept.py", KEPT)
    write(t2c, path, text)
    for arguments in (["init", "-q"], ["add", "-f", "."], ["commit", "-q", "-m", "tracked"]):
        subprocess.run([*git, *arguments], cwd=t2c.root, env=environ, check=True)
    found = measured(t2c, tmp_path, "extract", "all", "--json")
    assert found.seconds < 30
    assert symbols(found.document, path) == []
    assert left_out(found.document, path) == [("ast", reason, 1)]
    assert symbols(found.document, "kept.py") == ["kept"]
    scanned = measured(t2c, tmp_path, "scan", "--json")
    # What the commit that added it changed is told of the history, once: a line as long as a file is not read there.
    of_files = {name: count for name, count in scanned.document["omissions"].items() if name != "long_patch"}
    assert of_files == {reason: 1}


def test_case_47_long_lines_among_short_ones_and_a_word_in_the_text_do_not_hide_code(t2c: Any) -> None:
    write(
        t2c,
        "a.js",
        f"// what is generated here is kept\nfunction a() {{}}\nlet data = '{'x' * 20_000}';\n"
        + "let b;\n" * 500,
    )
    write(t2c, "admin.py", "def min():\n    pass\n")
    document = t2c("extract", "code", "--json").document
    assert "a" in symbols(document, "a.js") and symbols(document, "admin.py") == ["min"]
    assert left_out(document, "a.js") == left_out(document, "admin.py") == []
