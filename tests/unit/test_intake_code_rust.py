"""What only Rust has: impl blocks, visibility by modules, attributes, paths of crates, trees of tokens."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def records(text: str, path: str, kind: str, *files: str) -> list[Draft]:
    inventory = Inventory(tuple(FileEntry(file, 1) for file in sorted(files)))
    reading = CodeExtractor().read(path, text.encode(), inventory)
    assert reading.complete
    return [draft for draft in reading.records if draft.kind == kind]


def symbols(text: str, path: str = "src/a.rs") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in records(text, path, "symbol_fact")}


def imports(text: str, path: str = "src/a/b.rs") -> dict[str, list[str]]:
    return {draft.object: draft.metadata["names"] for draft in records(text, path, "module_dependency_fact")}


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("impl Foo", "Foo.f"),
        ("impl<'a, T: Into<u8>> Foo<'a, T>", "Foo.f"),
        ("impl<T> fmt::Display for crate::a::Foo<T> where T: X", "Foo.f"),
        ("impl<'a> A for &'a mut Foo", "Foo.f"),
        ("impl dyn Foo + Send", "Foo.f"),
        ("unsafe impl A for *const Foo", "Foo.f"),
        ("impl A for [Foo; 3]", "Foo.f"),
        ("impl A for (Foo, B)", "Foo.f"),
        ("impl A for ()", "_.f"),
        ("impl A for r#type", "type.f"),
    ],
)
def test_methods_are_named_after_the_type(head: str, name: str) -> None:
    found = symbols(head + " { fn f() {} }")
    assert {name: draft.metadata["symbolKind"] for name, draft in found.items()} == {name: "method"}


def test_one_method_of_two_traits_is_one_record_that_counts_both() -> None:
    found = symbols("impl A for Foo { fn f() { a() } }\nimpl B for Foo { fn f() { b() } }")["Foo.f"]
    assert (found.metadata["declarations"], found.metadata["calls"]) == (2, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("pub fn f() {}", "f", True),
        ("pub(crate) fn f() {}", "f", False),
        ("pub (in crate::a) fn f() {}", "f", False),
        ("fn f() {}", "f", False),
        ("mod m { pub fn f() {} }", "m.f", False),
        ("pub mod m { pub fn f() {} }", "m.f", True),
        ("mod o { pub mod m { pub fn f() {} } }", "o.m.f", False),
        ("mod o { pub struct S; impl S { pub fn f() {} } }", "o.S.f", False),
        ("impl S { pub fn f() {} }", "S.f", True),
        ("impl S { fn f() {} }", "S.f", False),
        ("impl T for S { fn f() {} }", "S.f", True),
        ("struct S; impl T for S { fn f() {} }", "S.f", False),
        ("struct S; impl S { pub fn f() {} }", "S.f", False),
        ("pub(super) enum S {} impl S { pub fn f() {} }", "S.f", False),
        ("pub struct S<T>(T); impl<T> S<T> { pub fn f() {} }", "S.f", True),
        ("pub trait T { fn f(); }", "T.f", True),
        ("trait T { fn f(); }", "T.f", False),
        ("fn o() { pub fn f() {} }", "o.f", False),
        ("macro_rules! f { () => {} }", "f", False),
        ("#[macro_export]\nmacro_rules! f { () => {} }", "f", True),
        ('extern "C" { pub fn f(); }', "f", True),
    ],
)
def test_public_is_what_other_crates_may_see_of_this_file(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use std::fs;", {"std.fs": []}),
        ("use ::std::io::{self, Read as R, Write};", {"std.io": ["Read", "Write"]}),
        ("use a::{b::{C, d::*}, e, F};", {"a.b": ["C"], "a.b.d": ["*"], "a.e": [], "a": ["F"]}),
        ("use anyhow;", {"anyhow": []}),
        ("pub(crate) use crate::x::{Y, /* no, */ z}; // n", {"crate.x": ["Y"], "crate.x.z": []}),
        ("use super::Y;", {"crate.a": ["Y"]}),
        ("use super::super::y;", {"crate.y": []}),
        ("use super::super::super::y;", {"super.super.super.y": []}),
        ("use self::y::Z;", {"crate.a.b.y": ["Z"]}),
        ("mod y;", {"crate.a.b.y": []}),
        ("mod t { use super::*; use super::super::Z; use self::q::R; }", {"crate.a": ["Z"], "crate.a.b.q": ["R"]}),
        ("fn f() { use super::Y; }", {"crate.a": ["Y"]}),
        ("extern crate serde as s;", {"serde": []}),
        ("#[macro_use]\nextern crate r#log;", {"log": []}),
    ],
)  # fmt: skip
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    assert imports(text) == expected


@pytest.mark.parametrize(
    ("path", "text", "files", "found"),
    [
        ("src/main.rs", "mod a;", ["src/a.rs", "src/a/mod.rs"], "src/a.rs"),
        ("src/a.rs", "mod b;", ["src/b.rs", "src/a/b.rs"], "src/a/b.rs"),
        ("src/a/mod.rs", "mod b;", ["src/b.rs", "src/a/b/mod.rs"], "src/a/b/mod.rs"),
        ("crates/x/src/a/b.rs", "use crate::c::D;", ["crates/x/src/c.rs", "src/c.rs"], "crates/x/src/c.rs"),
        ("src/a.rs", "use crate::{b::c::D};", ["src/b.rs", "src/lib.rs"], "src/b.rs"),
        ("src/a.rs", "use crate::E;", ["src/lib.rs"], "src/lib.rs"),
        ("src/bin/tool.rs", "mod b;", ["src/b.rs", "src/bin/b.rs"], "src/bin/b.rs"),
        ("tests/it.rs", "mod common;", ["tests/common/mod.rs"], "tests/common/mod.rs"),
        ("tests/suite/one.rs", "use crate::two::T;", ["tests/suite/two.rs"], "tests/suite/two.rs"),
        ("src/a.rs", "use my_dep::T;", ["crates/my-dep/src/lib.rs"], "crates/my-dep/src/lib.rs"),
        ("src/a.rs", "use std::T;", ["std/src/lib.rs"], None),
        ("src/a.rs", "use serde::T;", ["src/serde.rs"], None),
    ],
)
def test_an_import_names_the_file_that_it_means(
    path: str, text: str, files: list[str], found: str | None
) -> None:
    (draft,) = records(text, path, "module_dependency_fact", *files)
    assert draft.metadata.get("resolvedPath") == found


@pytest.mark.parametrize(
    ("attribute", "test"),
    [
        ("#[test]", True),
        ("#[tokio::test(flavor = \"multi_thread\")]", True),
        ("#[test]\n#[should_panic(expected = \"x\")]", True),
        ("#[rstest]", True),
        ("#[test_case(1)]", True),
        ("#[cargo_test]", True),
        ("#[bench]", True),
        ("#[cfg(test)]", False),
        ("#[contest]", False),
        ("// #[test]", False),
    ],
)  # fmt: skip
def test_attributes_make_a_test_wherever_it_stands(attribute: str, test: bool) -> None:
    assert symbols(attribute + "\nfn checks() {}")["checks"].metadata["test"] is test


@pytest.mark.parametrize(
    ("path", "test"),
    [("tests/a.rs", True), ("crates/x/tests/a/b.rs", True), ("src/a/tests.rs", True), ("src/a_tests.rs", True),
     ("src/ops/cargo_test.rs", False), ("src/commands/test.rs", False), ("src/a.rs", False)],
)  # fmt: skip
def test_files_of_tests(path: str, test: bool) -> None:
    (module,) = records("fn a() {}", path, "module_fact")
    assert module.metadata["test"] is test


@pytest.mark.parametrize(
    ("path", "name"),
    [("src/lib.rs", "crate"), ("src/a/mod.rs", "crate.a"), ("crates/x-y/src/a/b.rs", "x_y.a.b"),
     ("x/src/main.rs", "x"), ("tests/a.rs", "tests.a"), ("tests/suite/b.rs", "tests.suite.b"), ("build.rs", "build"), ("a.rs", "a"), ("x/a.rs", "x.a"),
     ("tests/common/mod.rs", "tests.common"), ("src/bin/tool.rs", "bin.tool")],
)  # fmt: skip
def test_modules_are_named_from_the_root_of_their_crate(path: str, name: str) -> None:
    (module,) = records("fn a() {}", path, "module_fact")
    assert module.symbol == name


def test_attributes_of_fields_and_statements_are_nobody_elses() -> None:
    text = (
        "struct S {\n    #[serde(default)]\n    // Says.\n    a: u8,\n}\nfn f() {\n    #[cfg(x)]\n    {\n        // Says.\n"
        "    }\n}\nfn g() {\n    #[inline]\n    fn h() {}\n}\n"
    )
    found = {name: draft.metadata.get("decorators") for name, draft in symbols(text).items()}
    assert found == {"S": None, "f": None, "g": None, "g.h": ["inline"]}


def test_calls_are_seen_behind_type_arguments_and_in_macros() -> None:
    text = "fn f() { a::<T>(1).b::<Vec<u8>>().c(); d!(e(1), &[g(2)], h.i(j)); k![l!(m)]; Some(n) }"
    assert symbols(text)["f"].metadata["calls"] == ["a", "b", "c", "d", "e", "g", "i", "k", "l"]


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        "//! TODO: one\n\n/*! TODO: two */\n\n/// TODO: three\nfn f() {} // TODO: four\n\n"
        "/* TODO: five\n   /* nested */ */\n\n/** TODO: six */\nfn g() {}\n\n"
        'const S: &str = "// TODO: none";\nconst R: &str = r#"/* TODO: none */"#;\n'
    )
    found = MarkerExtractor().read("src/a.rs", text.encode(), NO_FILES).records
    assert [draft.text.split()[0] for draft in found] == ["one", "two", "three", "four", "five", "six"]
    assert all("comment_token" in draft.basis for draft in found)


def test_the_file_is_documented_by_what_is_said_of_it_at_the_top() -> None:
    for text, said in [
        ("// Copyright X\n\n#![no_std]\n//!\n//! # Reads\nfn a() {}", "Reads"),
        ("/*! Reads\n more */\nuse x::Y;", "Reads"),
        ("// Reads\nfn a() {}", None),
        ("mod m {\n    //! Reads\n}", None),
    ]:
        (module,) = records(text, "src/a.rs", "module_fact")
        assert module.metadata["docstring"] == said


def test_where_the_grammar_fails_lines_are_read() -> None:
    text = "impl A {\n" + "    pub async fn left(a: )( {{{ => ;\n" * 3 + "pub struct Right\nfn ok() {}\n"
    reading = CodeExtractor().read("src/a.rs", text.encode(), NO_FILES)
    found = {draft.symbol for draft in reading.records if "line_fallback" in draft.basis}
    assert found & {"left", "A.left"}


def test_each_kind_of_definition_has_the_word_of_the_language() -> None:
    found = symbols(
        "macro_rules! a { (s3cret) => { 1 } }\nstatic b: u8 = 1;\ntype C = u8;\nconst _: () = ();\nunion D { e: u8 }\n"
        "trait F: G + 'static + ?Sized + H<I, J> {}\nfn k() { const L: u8 = 1; }\n"
    )
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "a": "macro", "b": "static", "C": "type alias", "D": "union", "F": "trait", "k": "function",
    }  # fmt: skip
    assert found["a"].excerpt == "macro_rules! a {"
    assert found["F"].metadata["bases"] == ["G", "H<I, J>"]


def test_attributes_are_named_by_their_path_alone() -> None:
    found = symbols('#[doc = "x"]\n#[cfg_attr(a, b)]\n#[serde :: skip]\n#[unsafe(no_mangle)]\nfn f() {}')["f"]
    assert found.metadata["decorators"] == ["doc", "cfg_attr", "serde::skip", "unsafe"]


def test_the_macro_str_is_no_error() -> None:
    found = symbols('fn f() {\n    g(str!["x"]);\n    h(str![[r#"y"#]]);\n    i::<str>("str!");\n}')
    assert found["f"].metadata["calls"] == ["g", "h", "i", "str"]


@pytest.mark.parametrize("head", ["---\n", "#!/usr/bin/env cargo\n---cargo\n", "\n----\n"])
def test_the_manifest_of_a_script_is_no_error(head: str) -> None:
    fence = "----" if "----" in head else "---"
    text = f'{head}[dependencies]\nx = "1" # fn no() {{}}\n{fence}\n\nfn main() {{}}\n'
    assert {name: draft.lines for name, draft in symbols(text).items()} == {
        "main": (text.count("\n"), text.count("\n"))
    }


def test_bytes_of_another_encoding_hide_nothing_and_are_told() -> None:
    text = b'// caf\xe9\npub(in caf\xe9) struct A;\n#[x("\xe9")]\npub fn f() { g!("caf\xe9") }\n'
    reading = CodeExtractor().read("src/a.rs", text, NO_FILES)
    assert "undecodable_bytes" in {warning.reason for warning in reading.warnings}
    assert "f" in {draft.symbol for draft in reading.records}
