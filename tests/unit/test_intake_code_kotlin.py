"""What only Kotlin has: receivers, companions, anonymous objects, titled tests, and a grammar that gives up."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.grammar import grammar_of
from t2c.ledger.intake.code.languages import LANGUAGES
from t2c.ledger.intake.code.traits import traits_of
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import Inventory

NO_FILES = Inventory(())
MAIN = "core/src/main/kotlin/a/A.kt"
TESTS = "core/src/commonTest/kotlin/a/A.kt"


def drafts(text: str, path: str = MAIN, whole: bool = True) -> tuple[Draft, ...]:
    reading = CodeExtractor().read(path, f"package a\n{text}\n".encode(), NO_FILES)
    assert reading.complete is whole, reading.warnings
    return reading.records


def symbols(text: str, path: str = MAIN, whole: bool = True) -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in drafts(text, path, whole) if draft.kind == "symbol_fact"}


def natives(text: str, path: str = MAIN, whole: bool = True) -> dict[str, str]:
    return {name: draft.metadata["nativeKind"] for name, draft in symbols(text, path, whole).items()}


@pytest.mark.parametrize(
    ("head", "name", "kind"),
    [
        ("fun f()", "f", "function"),
        ("fun String.f()", "String.f", "method"),
        ("fun String?.f()", "String.f", "method"),
        ("fun a.b.Outer.Inner.f()", "Outer.Inner.f", "method"),
        ("fun Outer.Companion.f()", "Outer.Companion.f", "method"),
        ("fun Map<String, List<Int>>.f()", "Map.f", "method"),
        ("fun <K, V : Any> Map<K, V>.f()", "Map.f", "method"),
        ("fun <T> T.f()", "f", "function"),
        ("inline fun <reified T : Any> T?.f()", "f", "function"),
        ("fun Ząb.f()", "Ząb.f", "method"),
        ("fun ((Int) -> Unit)?.f()", "f", "function"),
        ("fun `in`()", "in", "function"),
    ],
)
def test_an_extension_is_named_by_the_type_that_it_extends(head: str, name: str, kind: str) -> None:
    ((found, draft),) = symbols(f"{head} {{ }}").items()
    assert (found, draft.metadata["symbolKind"], draft.excerpt) == (name, kind, head)


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("fun f() = 1", "f", True),
        ("public fun f() = 1", "f", True),
        ("internal fun f() = 1", "f", False),
        ('@Deprecated("private") fun f() = 1', "f", True),
        ('@Deprecated("x")\nprivate fun f() = 1', "f", False),
        ("class A private constructor(x: Int) {\n fun f() = 1\n}", "A.f", True),
        ("private class A {\n fun f() = 1\n}", "A.f", False),
        ("class A {\n private companion object {\n fun f() = 1\n}\n}", "A.Companion.f", False),
        ("class A {\n protected constructor(x: Int)\n}", "A.constructor", False),
        ("private val o = object : R {\n override fun f() {}\n}", "o.f", False),
        ("fun f() {\n fun g() {}\n}", "f.g", False),
    ],
)
def test_public_is_what_no_modifier_hides(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


def test_the_language_s_own_words() -> None:
    assert natives(
        "interface I\nsealed interface S\nfun interface F {\n fun run()\n}\nenum class E { A, B }\n"
        "annotation class N\ndata class D(val a: Int)\nobject O\ndata object P\ntypealias H<T> = (T) -> Unit\n"
        "class C {\n companion object\n companion object Named\n constructor(a: Int)\n inner class X\n}\n"
    ) == {
        "I": "interface", "S": "interface", "F": "interface", "F.run": "method", "E": "enum", "N": "annotation",
        "D": "class", "O": "object", "P": "object", "H": "type alias", "C": "class",
        "C.Companion": "companion object", "C.Named": "companion object", "C.constructor": "constructor",
        "C.X": "class",
    }  # fmt: skip


def test_constants_and_the_values_that_may_be_shown() -> None:
    found = symbols(
        'const val lower = 1\nval UPPER = true\nval S = "x"\nval MINUS = -1\nval L by lazy { "x" }\n'
        "val G get() = \"x\"\nvar NO = 1\nval no = 1\nfun f() {\n val LOCAL = 1\n}\nobject O {\n const val K = 'c'\n}\n"
    )
    assert {name: draft.excerpt for name, draft in found.items() if draft.metadata["symbolKind"] == "constant"} == {
        "lower": "const val lower = 1",
        "UPPER": "val UPPER = true",
        "S": "val S",
        "MINUS": "val MINUS = -1",
        "L": "val L",
        "G": "val G",
        "O.K": "const val K",
    }  # fmt: skip


def test_an_anonymous_object_is_named_by_its_property_or_is_a_part_of_what_makes_it() -> None:
    found = symbols(
        "val named = object : R {\n override fun a() { x() }\n}\n"
        "val lazily by lazy {\n object : R {\n override fun b() {}\n }\n}\n"
        "fun f() {\n val o = object : R {\n override fun c() { y() }\n }\n g(object : R {\n override fun d() { z() }\n })\n}\n"
        "enum class E {\n A {\n override fun e() = 1\n };\n abstract fun e(): Int\n}\n"
    )
    assert set(found) == {"named.a", "f", "E", "E.A.e", "E.e"}
    assert found["named.a"].metadata["symbolKind"] == "method"
    assert found["f"].metadata["calls"] == ["g", "y", "z"]


def test_calls_that_say_nothing_are_left_out() -> None:
    found = symbols("fun f() {\n println(listOf(g<Int>(1).also { h() }))\n a?.b!!.c { it }\n}")
    assert found["f"].metadata["calls"] == ["c", "g", "h"]


def test_bases_are_types_without_their_arguments() -> None:
    found = symbols(
        "class A(x: Int) : B<C, (D) -> E>(x, y), @F G, h.I by x {\n fun f() = 1\n}\nobject J : K()"
    )
    assert found["A"].metadata["bases"] == ["B<C, (D) -> E>", "G", "h.I"]
    assert found["J"].metadata["bases"] == ["K"]


def test_annotations_belong_to_declarations_and_not_to_their_parameters() -> None:
    found = symbols(
        '@A("x") @b.C\nclass D(@get:E("y") val x: Int) {\n @field:F\n val y = 1\n @G fun h(@I j: Int) {}\n @field:K val LIMIT = 1\n}'
    )
    assert found["D.LIMIT"].metadata["decorators"] == ["K"]
    assert found["D"].metadata["decorators"] == ["A", "b.C"]
    assert found["D.h"].metadata["decorators"] == ["G"]


def test_annotated_classes_that_are_taken_for_infix_calls_are_found() -> None:
    found = symbols(
        '@A\nannotation class One\n\n@A("x") // why\n@B(30)\nopen class Two {\n @T\n @U(X::class)\n fun f() {}\n}\n\n'
        "/** Doc. */\n@A\npublic annotation class Three\n\n/** More. */\n@A\n@B(Y::class)\nclass Four\n\n@A\ndata object Five\n"
    )
    assert {name: draft.metadata["symbolKind"] for name, draft in found.items()} == {
        "One": "type",
        "Two": "type",
        "Two.f": "method",
        "Three": "type",
        "Four": "type",
        "Five": "type",
    }
    assert found["Two.f"].metadata["decorators"] == ["T", "U"]
    assert found["Four"].metadata["decorators"] == ["A", "B"]


def test_imports_are_of_packages_and_names_start_at_the_first_type() -> None:
    found = {
        draft.symbol: draft.metadata["names"]
        for draft in drafts(
            "import a.b.f\nimport a.b.C as D\nimport a.b.C.E.g\nimport a.c.*\nimport `in`.x\nimport Y"
        )
        if draft.kind == "module_dependency_fact"
    }
    assert found == {"a.b": ["C", "C.E.g", "f"], "a.c": ["*"], "in": ["x"], "Y": []}


def test_a_licence_is_not_what_a_file_says_of_itself() -> None:
    def said(text: str) -> object:
        return CodeExtractor().read(MAIN, text.encode(), NO_FILES).records[0].metadata["docstring"]

    assert said("/*\n * Copyright 2020\n * Licensed under the X\n */\npackage a\n") is None
    assert said("/** Parcels and scales. */\npackage a\n") == "Parcels and scales."


def test_tests_are_annotated_or_titled_or_named_so_in_files_of_tests() -> None:
    text = (
        "class AThingTest : FunSpec({\n test(\"adds up\") { f() }\n context(\"of two\") {\n"
        "  test(\"is configured\").config(enabled = true) { g() }\n }\n \"a string\" { h() }\n"
        ' "a word" should {\n  "do it" { i() }\n }\n})\n'
        "class B {\n @kotlin.test.Test fun c() {}\n @ParameterizedTest fun d() {}\n fun testE() {}\n fun f() {}\n}\n"
        "@Test fun `two words`() {}\n"
    )  # fmt: skip
    found = symbols(text, TESTS)
    assert {name for name, draft in found.items() if draft.metadata["test"]} == {
        "AThingTest", "AThingTest > adds up", "AThingTest > of two > is configured", "AThingTest > a string",
        "AThingTest > a word > do it", "B.c", "B.d", "B.testE", "two words",
    }  # fmt: skip
    assert found["AThingTest > of two > is configured"].metadata["calls"] == ["g"]
    assert found["AThingTest"].excerpt == "class AThingTest : FunSpec("
    assert all(not draft.symbols for name, draft in found.items() if " " in name)
    outside = {name for name, draft in symbols(text).items() if draft.metadata["test"]}
    assert outside == {"B.c", "B.d", "two words"}


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("a/src/jvmTest/kotlin/A.kt", True),
        ("a/src/androidInstrumentedTest/kotlin/A.kt", True),
        ("a/src/test/kotlin/A.kt", True),
        ("a/src/testFixtures/kotlin/A.kt", True),
        ("a/src/main/kotlin/ATest.kt", True),
        ("a/src/main/kotlin/Latest.kt", False),
        ("a/src/main/kotlin/contest/A.kt", False),
        ("build.gradle.kts", False),
    ],
)
def test_files_of_tests(path: str, is_test: bool) -> None:
    assert drafts("", path)[0].metadata["test"] is is_test


def test_where_the_text_does_not_parse_definitions_are_found_by_line() -> None:
    text = (
        "class A {\n  fun broken( {\n  fun clear() {\n    x(\n  }\n  fun <T> List<T>.more(): Int {\n    return ]\n  }\n"
        "  companion object {\n    fun of() = A(\n  }\n}\n\ninternal enum class Three {\n  X,\n\n"
        "private data class Two(val a: Int,\n)\nfun interface One {\n  fun run(\n}\n"
    )
    found = symbols(text, whole=False)
    guessed = {name for name, draft in found.items() if "line_fallback" in draft.basis}
    assert guessed >= {"A", "A.clear", "A.List.more", "A.Companion", "Three", "Two", "One"}
    assert all(found[name].confidence < 1 for name in guessed)
    assert {name: found[name].metadata["nativeKind"] for name in ("A.Companion", "Three", "Two", "One")} == {
        "A.Companion": "companion object", "Three": "enum", "Two": "class", "One": "interface",
    }  # fmt: skip
    assert [found[name].metadata["public"] for name in ("A.clear", "Three", "Two", "One")] == [
        True,
        False,
        False,
        True,
    ]


@pytest.mark.parametrize(
    "text",
    [
        "interface I { fun z() }\nfun after() {}",
        "class A { val x = 1 }",
        "object O : Q() { fun m() { n() } }",
        "enum class E { A, B; fun z() = 1 }",
        "fun f() {\n  x = object : Y { override fun z() { } }\n}",
        "fun f() {\n  a()\n  in1.b()\n  else_.c()\n}",
        "fun f() {\n  val open: Boolean\n  a()\n  open = isOpen\n  internal(open)\n}",
        "fun f(suspend: Boolean) = g(suspend = suspend, h = suspend { i() })",
        "fun f() {\n  val bit = 1 shl id\n  set = set or bit\n  set(id, bit)\n}",
        "class A<out T>\n  @B(1)\n  internal constructor(val x: T) {\n  fun y() {}\n}",
        "class A<out T>\n@B internal constructor(val x: T)",
        "var x: Int\n  @A get() = 1\n  @B set(v) { x }",
    ],
)
def test_what_the_grammar_is_known_to_fail_on_it_gets_in_other_words(text: str) -> None:
    """The words are others, the places are the same, since names are read from the text itself."""
    language = LANGUAGES["kotlin"]
    parser = grammar_of(language).parser
    content = text.encode() + b"\n"
    given = traits_of(language).for_grammar(content)
    assert parser.parse(content).root_node.has_error or "enum" in text
    assert len(given) == len(content)
    assert len(drafts(text)) == len(drafts(text.replace("\n", "\r\n")))


@pytest.mark.parametrize(
    "end",
    [
        "@A",
        "@",
        "  @A",
        "@A(1",
        "@A(1)",
        "@A( ",
        '@A(")"',
        "@A(b(c)d(",
        "@A;",
        "@A}",
        "@A.b",
        "@A @B",
        "@A(1) @B(",
        "@A//c",
    ],
)
@pytest.mark.parametrize("before", ["val x = 1", "class X", "val x = 1\n@Z(2)", "fun f() {\nval x = 1"])
def test_no_annotation_at_the_end_of_a_file_is_read_for_ever(before: str, end: str) -> None:
    """The scanner of the grammar would never come back: a test that fails here does not end."""
    given = traits_of(LANGUAGES["kotlin"]).for_grammar(f"{before}\n{end}".encode())
    assert (given[-1:], len(given)) == (b" ", len(before) + 1 + len(end))
    assert CodeExtractor().read(MAIN, f"{before}\n{end}".encode(), NO_FILES).records


@pytest.mark.parametrize(
    "end", ["@A\n", "@A val x = 1", "@A(1) class X", 'const val MAIL = "a @b"', "// by @me"]
)
def test_an_end_that_the_scanner_comes_back_from_stands(end: str) -> None:
    content = f"val x = 1\n{end}".encode()
    assert traits_of(LANGUAGES["kotlin"]).for_grammar(content) == content
    assert CodeExtractor().read(MAIN, content, NO_FILES).complete == (end != "@A\n")


def test_a_body_in_one_line_holds_its_members() -> None:
    found = symbols(
        "interface I { fun z() }\nclass A { companion object { fun of() = A() } }\nfun after() {}"
    )
    assert set(found) == {"I", "I.z", "A", "A.Companion", "A.Companion.of", "after"}
    assert all(draft.confidence == 1 for draft in found.values())


@pytest.mark.parametrize(
    "text",
    [
        "internal class A private constructor(x: Int) { }\n",
        "class A {\n  open fun f() {}\n  var x = 1\n    private set\n  var y: Int\n    get() = 1\n    set(value) { z }\n}\n",
        "val f: suspend (Int) -> Unit = {}\nprivate suspend fun g() {}\n",
        'class A { val s = "${ x }" }\n',
        "class A(val x: Int) {}\n",
        "class A {\n  @Inject\n  constructor(x: Int)\n}\n",
    ],
)
def test_what_the_grammar_knows_it_gets_as_it_stands(text: str) -> None:
    content = text.encode()
    assert traits_of(LANGUAGES["kotlin"]).for_grammar(content) == content


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        '#!/usr/bin/env kotlin\n// TODO: one\n/* TODO: two */\n/** TODO: three */\nfun f() = "// TODO: no"\n'
        'val s = """\n// TODO: no\n/* TODO: no */\n"""\nfun g() { /* outer /* TODO: four */ */ }\n'
    )
    records = MarkerExtractor().read("a/b.kts", text.encode(), NO_FILES).records
    assert [draft.lines and draft.lines[0] for draft in records] == [2, 3, 4, 10]
