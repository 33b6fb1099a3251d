"""What only PHP has: namespaces, three kinds of imports, traits, attributes, define(), tests of PHPUnit and Pest."""

from __future__ import annotations

import time

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def records(text: str, path: str, kind: str, *files: str) -> list[Draft]:
    inventory = Inventory(tuple(FileEntry(file, 1) for file in sorted(files)))
    reading = CodeExtractor().read(path, b"<?php\n" + text.encode(), inventory)
    assert reading.complete, reading.warnings
    return [draft for draft in reading.records if draft.kind == kind]


def symbols(text: str, path: str = "src/A.php") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in records(text, path, "symbol_fact")}


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("class A { function f() {} }", "A.f", True),
        ("class A { public static function f() {} }", "A.f", True),
        ("class A { protected function f() {} }", "A.f", False),
        ("class A { abstract private function f(); }", "A.f", False),
        ("class A { private $x; function f() {} }", "A.f", True),
        ("class A { private const X = 1, Y = 2; }", "A.Y", False),
        ("class A { private int $b; const X = 1; }", "A.X", True),
        ("class A { private function g() {} const X = 1; }", "A.X", True),
        ("interface A { function f(); }", "A.f", True),
        ("function f() {}", "f", True),
        ("function f() { function g() {} }", "f.g", False),
        ("return new class { public function f() {} };", "class@anonymous.f", False),
    ],
)
def test_public_is_what_is_neither_private_nor_protected(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


def test_names_stand_below_their_namespace() -> None:
    (module,) = records("namespace A\\B;\nclass C {}", "src/C.php", "module_fact")
    assert (module.symbol, module.metadata["package"]) == ("A.B", "A.B")
    assert list(symbols("namespace A\\B { class C {} }\nnamespace D { class C {} }")) == ["A.B.C", "D.C"]


def test_constants_are_written_in_three_ways() -> None:
    found = symbols(
        "const A = 1, B = 's3cret';\ndefine('C', 's3cret'); \\define(\"D\", 2);\nclass E { const F = -1; }\n"
        "enum G { case h; }\nfunction f() { define('I', 1); }\n"
    )
    constants = {
        name: draft.excerpt for name, draft in found.items() if draft.metadata["symbolKind"] == "constant"
    }
    assert constants == {
        "A": "const A = 1", "B": "B", "C": "define('C',", "E.F": "const F = -1", "G.h": "case h;",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("use A\\B;", {"A.B": []}),
        ("use \\A\\B as C, D;", {"A.B": [], "D": []}),
        ("use A\\{B, C\\D as E};", {"A.B": [], "A.C.D": []}),
        ("use function A\\f;", {"A": ["f"]}),
        ("use const A\\{X, Y};", {"A": ["X", "Y"]}),
        ("use A\\{B, function f, const X};", {"A.B": [], "A": ["X", "f"]}),
        ("use A\\B; // C\nuse /* D */ A\\E;", {"A.B": [], "A.E": []}),
        ("class A { use B; }", {}),
        ("$f = function () use ($x) {};", {}),
        ("require 'a.php';", {"a.php": []}),
        ("include_once(__DIR__ . '/a.php');", {"src/x/a.php": []}),
        ("require_once dirname(__DIR__).'/a.php';", {"src/a.php": []}),
        ("require dirname(__FILE__) . '/a.php';", {"src/x/a.php": []}),
        ("require dirname(dirname(__FILE__)) . '/a.php';", {"src/a.php": []}),
        ("require $file; include __DIR__ . \"/$name.php\";", {}),
    ],
)  # fmt: skip
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    found = records(text, "src/x/A.php", "module_dependency_fact")
    assert {draft.object: draft.metadata["names"] for draft in found} == expected


@pytest.mark.parametrize(
    ("path", "text", "files", "found"),
    [
        ("src/Composer/Json/A.php", "use Composer\\Util\\B;", ["src/Composer/Util/B.php"], "src/Composer/Util/B.php"),
        ("src/Handler/A.php", "use Guzzle\\Psr\\B;", ["src/Psr/B.php"], "src/Psr/B.php"),
        ("src/A.php", "use Guzzle\\B;", ["src/B.php"], "src/B.php"),
        ("packages/x/src/A.php", "use V\\X\\C\\B;", ["packages/x/src/C/B.php", "src/C/B.php"], "packages/x/src/C/B.php"),
        ("app/Http/A.php", "use App\\Models\\B;", ["app/Models/B.php"], "app/Models/B.php"),
        ("tests/A.php", "use V\\X\\Tests\\Unit\\B;", ["tests/Unit/B.php"], "tests/Unit/B.php"),
        ("tests/A.php", "use V\\X\\B;", ["src/X/B.php"], "src/X/B.php"),
        ("tests/V/Test/A.php", "use V\\X\\B;", ["src/V/X/B.php"], "src/V/X/B.php"),
        ("src/A.php", "use Psr\\Log\\B;", ["src/B.php"], None),
        ("bin/a.php", "require __DIR__ . '/../src/b.php';", ["src/b.php"], "src/b.php"),
        ("a/b.php", "require 'c.php';", ["a/c.php", "c.php"], "a/c.php"),
        ("a/b.php", "use function strlen;", ["a/strlen"], None),
    ],
)  # fmt: skip
def test_an_import_names_the_file_that_it_means(
    path: str, text: str, files: list[str], found: str | None
) -> None:
    (draft,) = records(text, path, "module_dependency_fact", *files)
    assert draft.metadata.get("resolvedPath") == found


@pytest.mark.parametrize(
    ("member", "tests"),
    [
        ("public function testF() {} function testing() {} function f() {}", ["ATest", "ATest.testF"]),
        ("#[Test] public function f() {}", ["ATest", "ATest.f"]),
        ("#[\\PHPUnit\\Framework\\Attributes\\Test]\n public function f() {}", ["ATest", "ATest.f"]),
        ("public function test_f() {} const TEST = 1;", ["ATest", "ATest.test_f"]),
    ],
)
def test_tests_of_phpunit_in_test_files(member: str, tests: list[str]) -> None:
    text = f"class ATest {{ {member} }}"
    assert [
        name for name, draft in symbols(text, "tests/ATest.php").items() if draft.metadata["test"]
    ] == tests
    assert not any(draft.metadata["test"] for draft in symbols(text, "src/A.php").values())


def test_tests_of_pest_have_titles_that_name_nothing() -> None:
    text = (
        "test('adds', fn () => expect(add())->toBe(2))->group('x');\n"
        "describe('Parcel', function () {\n  it(\"is 'light'\", function () { weigh(); });\n});\n"
        "it($name, function () {}); test('none');\n"
    )
    found = symbols(text, "tests/a.php")
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "adds": "test",
        "Parcel > is 'light'": "test",
    }
    assert {draft.metadata["symbolKind"] for draft in found.values()} == {"function"}
    adds = found["adds"]
    assert adds.excerpt == "test"
    assert (adds.symbols, adds.metadata["test"], adds.metadata["calls"]) == (
        (),
        True,
        ["add", "expect", "toBe"],
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("/**\n * Says.\n */\n\nnamespace A;\nclass B {}", "Says."),
        ("/**\n * Says.\n */\nuse A;\n", "Says."),
        ("/* Says. */\nnamespace A;\nclass B {}", None),
        ("/** Says.\n * @license MIT\n */\nnamespace A;", None),
        ("/** Of B. */\nfinal class B {}", None),
        ("/** Of B. */\n#[X]\nclass B {}", None),
        ("/**\n * <p>\n * Says.\n */\nnamespace A;", "Says."),
        ("/* (c) me */\n/** @see x\n * Says. */\nnamespace A;", "Says."),
    ],
)
def test_a_file_is_documented_by_a_comment_that_is_of_nothing_else(text: str, said: str | None) -> None:
    (module,) = records(text, "src/A.php", "module_fact")
    assert module.metadata["docstring"] == said


def test_attributes_of_parameters_and_properties_are_nobody_elses() -> None:
    text = "class A {\n  #[B] private $c;\n  // Says.\n  #[D(1), E]\n  function f(#[G] $h) {}\n  function i() {}\n}\n"
    found = {name: draft.metadata.get("decorators") for name, draft in symbols(text).items()}
    assert found == {"A": None, "A.f": ["D", "E"], "A.i": None}


def test_calls_are_named_whatever_they_are_called_on_and_however_long_the_chain() -> None:
    text = "function f() { a(); \\B\\c(); $x->d(); $x?->e(); G::h(); new I(); new \\J\\K; new static(); $l(); $x->$m(); $x->n; empty($x); }"
    assert symbols(text)["f"].metadata["calls"] == ["I", "K", "a", "c", "d", "e", "h"]
    started = time.process_time()
    symbols("function f() { $x" + "->b()" * 900 + "; }")
    assert time.process_time() - started < 10


def test_without_its_tag_a_file_is_text_and_with_html_it_is_both() -> None:
    reading = CodeExtractor().read("src/a.php", b"<p>class A {}</p>", NO_FILES)
    assert [draft.kind for draft in reading.records] == ["module_fact"]
    html = b"<p>function no() {}</p><?php function yes() { ?><b>function nor() {}</b><?php } ?>"
    found = CodeExtractor().read("src/a.phtml", html, NO_FILES).records
    assert [draft.symbol for draft in found if draft.kind == "symbol_fact"] == ["yes"]


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        "<?php\n// TODO: one\n\n# TODO: two\n\n/* TODO: three */\n\n/**\n * TODO: four\n */\nfunction f() {}\n\n"
        "$s = '// TODO: none' . \"# TODO: none\";\n$h = <<<X\n/* TODO: none */\nX;\n?>\n<p>// TODO: none</p>\n"
    )
    found = MarkerExtractor().read("src/a.php", text.encode(), NO_FILES).records
    assert [draft.text.split()[0] for draft in found] == ["one", "two", "three", "four"]
    assert all("comment_token" in draft.basis for draft in found)


def test_where_the_grammar_fails_lines_are_read() -> None:
    text = (
        "<?php class A {\n"
        + "  public static function left(int $a { {{{ (( => ;\n" * 3
        + "  function right(\n"
    )
    reading = CodeExtractor().read("src/A.php", text.encode(), NO_FILES)
    found = {
        (draft.symbol or "").rpartition(".")[2] for draft in reading.records if "line_fallback" in draft.basis
    }
    assert found & {"left", "right", "A"}


def test_each_kind_of_definition_has_the_word_of_the_language() -> None:
    found = symbols(
        "enum A { case B; }\ntrait C {\n  /** {@inheritDoc} */\n  function f() {}\n}\n"
        "function g() { return new class { function h() {} }; }\n"
    )
    assert {name: (draft.metadata["symbolKind"], draft.metadata["nativeKind"]) for name, draft in found.items()} == {
        "A": ("type", "enum"), "A.B": ("constant", "enum case"), "C": ("type", "trait"), "C.f": ("method", "method"),
        "g": ("function", "function"), "g.class@anonymous.h": ("method", "method"),
    }  # fmt: skip
    assert "docstring" not in found["C.f"].metadata


def test_a_script_that_names_its_interpreter_can_be_started() -> None:
    for text, entry in [(b"#!/usr/bin/env php\n<?php f();", True), (b"<?php f();", False)]:
        module, *_ = CodeExtractor().read("bin/a.php", text, NO_FILES).records
        assert module.metadata["entryPoint"] is entry


def test_bytes_of_another_encoding_hide_nothing_and_are_told() -> None:
    text = b"<?php // caf\xe9\ndefine('\xe9', '\xe9'); it('caf\xe9', fn () => 1);\n# \xe9\nfunction f() {}\n"
    reading = CodeExtractor().read("src/a.php", text, NO_FILES)
    assert "undecodable_bytes" in {warning.reason for warning in reading.warnings}
    assert "f" in {draft.symbol for draft in reading.records}
