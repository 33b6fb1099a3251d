"""What only shells have: tests of Bats, files that are sourced, commands that run commands."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.traits import traits_of
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())
BATS = """#!/usr/bin/env bats
load test_helper
load 'lib/support/load'
bats_load_library bats-assert

setup() {
  make_parcel
}

# bats test_tags=fast
@test "weighs 'little' {" { # at last
  run weigh "$parcel"
  if true; then
    assert_output "}"
  fi
}

  @test   'one line'   { weigh; }

@test no_quotes {
  run -1 weigh
}

by_hand() { #@test
  weigh
}

@test "żółć" {
  skip
}
"""


def read(text: str, path: str = "bin/a.sh") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "bin/a.sh") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in read(text, path).records if draft.kind == "symbol_fact"}


def test_tests_of_bats_have_titles_that_name_nothing_and_are_tests_anywhere() -> None:
    reading = read(BATS, "parcel.bats")
    assert reading.complete, reading.warnings
    found = symbols(BATS, "parcel.bats")
    assert {name: (draft.metadata["nativeKind"], draft.lines) for name, draft in found.items()} == {
        "setup": ("function", (6, 8)),
        "weighs 'little' {": ("test", (11, 16)),
        "one line": ("test", (18, 18)),
        "no_quotes": ("test", (20, 22)),
        "by_hand": ("test", (24, 26)),
        "żółć": ("test", (28, 30)),
    }
    little = found["weighs 'little' {"]
    assert (little.symbols, little.metadata["test"], little.metadata["public"]) == ((), True, False)
    assert little.metadata["calls"] == ["assert_output", "weigh"]
    assert little.excerpt == "@test \"weighs 'little' {\""
    assert found["setup"].metadata["test"] is False
    assert reading.records[0].metadata["test"] is True
    assert [draft.object for draft in reading.records if draft.kind == "module_dependency_fact"] == [
        "test_helper",
        "lib/support/load",
        "bats-assert",
    ]


@given(st.text("@test \"'{}()$<=*[]a\\\n\r\tż", max_size=80))
def test_what_the_grammar_gets_is_as_long_as_the_text_and_has_the_same_lines(text: str) -> None:
    content = ("@test " + text + " {\n" + text).encode()
    given_text = traits_of(LANGUAGES["bash"]).for_grammar(content)
    assert len(given_text) == len(content)
    assert [at for at, byte in enumerate(given_text) if byte == 10] == [
        at for at, byte in enumerate(content) if byte == 10
    ]


def test_what_the_grammar_fails_on_costs_no_definitions() -> None:
    text = 'f() {\n  [[ "$o" = *"E $R"* ]] || x "$(< "$file")"\n}\n' * 2 + "g() { y; }\n"
    reading = read(text)
    assert reading.complete, reading.warnings
    assert {name: draft.metadata["calls"] for name, draft in symbols(text).items()} == {
        "f": ["x"],
        "g": ["y"],
    }


def test_where_the_grammar_fails_tests_are_found_by_line() -> None:
    found = symbols(BATS + '\n(\n@test "the last" {\n  f\n}\ng() {\n  h\n}\n', "a.bats")
    assert {"the last", "g"} <= set(found)
    assert found["the last"].metadata["nativeKind"] == "test"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("f() { :; }", "f"),
        ("f ()\n{\n  :\n}", "f"),
        ("function f { :; }", "f"),
        ("function f() { :; }", "f"),
        ("f() ( : )", "f"),
        ("f() if true; then :; fi", "f"),
        ("nvm-ls_remote() { :; }", "nvm-ls_remote"),
        ("bats::trap() { :; }", "bats.trap"),
    ],
)
def test_forms_of_functions(text: str, name: str) -> None:
    assert list(symbols(text)) == [name]


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("A=1", {"A": "A=1"}),
        ("A=word", {"A": "A"}),
        ("readonly A='x' B=2", {"A": "readonly A", "B": "readonly A"}),
        ("declare -r A=1 B='x'", {"A": "declare -r A=1 B", "B": "declare -r A=1 B"}),
        ("export A=$(f)", {"A": "export A"}),
        ("export A", {}),
        ("a=1", {}),
        ("A[1]=2", {}),
        ("f() { A=1; }", {"f": "f()"}),
        ("A=1 command", {}),
    ],
)
def test_variables_in_capitals_are_constants_and_their_words_may_be_secrets(
    text: str, headers: dict[str, str]
) -> None:
    assert {name: draft.excerpt for name, draft in symbols(text).items()} == headers


@pytest.mark.parametrize(
    ("command", "calls"),
    [
        ("g a | h && i", ["g", "h", "i"]),
        ("echo $(g `h`)", ["g", "h"]),
        ('$g; "$g" x; ${g}_h', []),
        ("./bin/g.sh; /usr/bin/h; \\i", ["g.sh", "h", "i"]),
        ("sudo g; command h; run i; exec j; sudo -u x k", ["g", "h", "i", "j"]),
        ("run -0 g x; run ! h; run -1 --separate-stderr i", ["g", "h"]),
        ("printf x; cd y; [ a ] || return 1", []),
        ("A=1 g", ["g"]),
        ("a::g", ["g"]),
        ("12; +; -x", []),
        ("while g; do h; done < <(i)", ["g", "h", "i"]),
    ],
)
def test_calls_are_commands_that_are_no_builtins(command: str, calls: list[str]) -> None:
    assert symbols(f"f() {{ {command}; }}")["f"].metadata.get("calls", []) == calls


@pytest.mark.parametrize(
    ("text", "files", "module", "found"),
    [
        ("source ./x.sh", ["bin/x.sh"], "bin/x.sh", "bin/x.sh"),
        ("source ./x.sh", ["x.sh"], "bin/x.sh", "x.sh"),
        (". lib/x.sh", ["lib/x.sh"], "lib/x.sh", "lib/x.sh"),
        ('. "${BASH_SOURCE%/*}/../x.sh"', ["x.sh"], "x.sh", "x.sh"),
        ('source "$(cd "$(dirname "$0")" && pwd)/x.sh"', ["bin/x.sh"], "bin/x.sh", "bin/x.sh"),
        ('source "${BASH_SOURCE[0]%/*}/x.sh"', [], "bin/x.sh", None),
        ("source \"$SCRIPT_DIR\"/x.sh", [], "bin/x.sh", None),
        ("source $ROOT/lib/x.sh", ["lib/x.sh"], "lib/x.sh", "lib/x.sh"),
        ('\\. "$(place)/x.sh"', ["x.sh"], "x.sh", "x.sh"),
        ("load x", ["bin/x.bash"], "bin/x", "bin/x.bash"),
        ("load ../x", ["x.bash"], "x", "x.bash"),
        ("source /etc/x", ["etc/x"], "/etc/x", None),
        ("source ~/.x", [".x"], "~/.x", None),
        ('source "$x"', [], None, None),
        ("source <(f)", [], None, None),
        ('. "$a/$b.sh"', [], None, None),
        ("source", [], None, None),
    ],
)  # fmt: skip
def test_sourced_files(text: str, files: list[str], module: str | None, found: str | None) -> None:
    inventory = Inventory(tuple(FileEntry(path, 1) for path in files))
    imports = CodeExtractor().read("bin/a.sh", text.encode(), inventory).records[1:]
    assert [(draft.object, draft.metadata.get("resolvedPath")) for draft in imports] == (
        [] if module is None else [(module, found)]
    )


def test_markers_are_read_from_comments_and_neither_from_texts_nor_from_the_first_line() -> None:
    text = (
        "#!/bin/sh TODO: a\n# TODO: one\nf() { # TODO: two\n  x '# TODO: b' \"# TODO: c\" a#TODO:d\n}\n"
        "cat <<E\n# TODO: e\nE\n#TODO: three\n"
    )
    records = MarkerExtractor().read("bin/a.sh", text.encode(), NO_FILES).records
    assert [draft.object for draft in records] == ["one", "two", "three"]


def test_scripts_without_an_ending_are_told_by_their_first_line() -> None:
    assert read("#!/bin/sh\nf() { :; }\n", "bin/tool").records[1].symbol == "f"
    assert read("#!/usr/bin/env -S bash -e\nf() { :; }\n", "bin/tool").records[1].symbol == "f"
    assert read("#!/usr/bin/awk\nf() { :; }\n", "bin/tool").records == ()


def test_the_comment_at_the_top_says_what_the_file_does_unless_it_is_a_licence() -> None:
    def documented(text: str) -> object:
        return read(text).records[0].metadata["docstring"]

    assert documented("#!/bin/sh\n#\n# Does it.\n\nset -e\n") == "Does it."
    assert documented("# shellcheck shell=sh\n# Does it.\nset -e\n") == "Does it."
    assert documented("# Of f.\nf() { :; }\n") is None
    assert documented("# Copyright 2020\n# Does it.\n") is None
    assert documented("set -e\n# Later.\n") is None
