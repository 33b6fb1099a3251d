"""What only Scala has: objects beside their types, givens, extensions, anonymous classes, titles of many styles."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import Inventory

NO_FILES = Inventory(())
MAIN = "core/src/main/scala/a/A.scala"
TESTS = "core/src/test/scala/a/A.scala"


def drafts(text: str, path: str = MAIN, whole: bool = True) -> tuple[Draft, ...]:
    reading = CodeExtractor().read(path, f"{text}\n".encode(), NO_FILES)
    assert reading.complete is whole, reading.warnings
    return reading.records


def symbols(text: str, path: str = MAIN, whole: bool = True) -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in drafts(text, path, whole) if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("class A { def f = 1 }", "A.f", True),
        ("class A { private def f = 1 }", "A.f", False),
        ("class A { protected[a] def f = 1 }", "A.f", False),
        ("class A { private[this] def f = 1 }", "A.f", False),
        ("private[a] class A { def f = 1 }", "A.f", False),
        ('@deprecated("private", "1") class A', "A", True),
        ("class A private (x: Int)", "A", True),
        ("object A { private val X = new B { def f = 1 } }", "A.X.f", False),
        ("class A { private val x = new B { def f = 1 } }", "A.x.f", False),
        ("class A { def f = { def g = 1; g } }", "A.f.g", False),
    ],
)
def test_public_is_what_no_modifier_hides(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


def test_the_language_s_own_words_and_operators_as_names() -> None:
    found = symbols(
        "case class C(a: Int) { def this() = this(1); def +(o: C) = o; def ::(o: C) = o; def unary_- = this\n"
        " def x_=(v: Int): Unit = (); def \\/(o: C) = o; def `a-b` = 1; type H = Int; type Abs }\n"
        "case object O\ntrait T { def f(x: Int): Int }\nenum E { case A, B }\nopaque type P = Int\npackage object util { def u = 1 }\n"
    )
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "C": "class", "C.this": "method", "C.+": "method", "C.::": "method", "C.unary_-": "method", "C.x_=": "method",
        "C.\\/": "method", "C.a-b": "method", "C.H": "type", "C.Abs": "type", "O": "object", "T": "trait",
        "T.f": "method", "E": "enum", "P": "type", "util": "package object", "util.u": "method",
    }  # fmt: skip


def test_a_type_and_its_companion_are_one_record() -> None:
    found = symbols("class A { def f = 1; val Upper = 1 }\nobject A { def g = 1; val Limit = 2 }")
    assert set(found) == {"A", "A.f", "A.g", "A.Limit"}
    assert (found["A"].metadata["nativeKinds"], found["A"].metadata["declarations"]) == (
        ["class", "object"],
        2,
    )


def test_constants_are_of_objects_and_plain_values_are_shown() -> None:
    found = symbols(
        'object O {\n final val a = 1\n val B = "x"\n val no = 1\n var No = 1\n implicit val c: C = make()\n'
        " def f = { val No = 1; No }\n val D: Int = 2\n val E = null\n}\n"
        "trait T {\n val No = 1\n implicit val g: G = new G { def h = 1 }\n}\nclass K { val No = 1 }\nval Top = true\n"
    )
    assert {name: draft.excerpt for name, draft in found.items() if draft.metadata["symbolKind"] == "constant"} == {
        "O.a": "final val a = 1",
        "O.B": "val B",
        "O.c": "implicit val c: C",
        "O.D": "val D: Int = 2",
        "O.E": "val E = null",
        "T.g": "implicit val g: G",
        "Top": "val Top = true",
    }  # fmt: skip
    assert found["T.g.h"].metadata["symbolKind"] == "method"


def test_what_an_anonymous_class_holds_is_of_its_value_or_of_what_makes_it() -> None:
    found = symbols(
        "object O {\n val named = new A { def a = x() }\n def f = new A { def b = y() }\n"
        " val other = make(new A { def c = z() })\n def g = { val l = new A { def d = w() }; l }\n}\n"
    )
    assert set(found) == {"O", "O.named.a", "O.f", "O.g"}
    assert found["O.f"].metadata["calls"] == ["A", "y"]
    assert found["O.g"].metadata["calls"] == ["A", "w"]


def test_givens_and_extensions() -> None:
    found = symbols(
        "given intOrd: Ordering[Int] with { def compare(x: Int, y: Int) = 1 }\n"
        "given Ordering[String] with { def compare(x: String, y: String) = 2 }\n"
        "extension (x: Int) def twice = x * 2\n"
        "extension [T](xs: List[T])(using o: Order[T])\n  def second = xs.tail.head\n  def third: T = get(xs)\n"
        "extension [T](x: T) def same = x\n"
    )
    assert {
        name: (draft.metadata["symbolKind"], draft.metadata["nativeKind"]) for name, draft in found.items()
    } == {
        "intOrd": ("constant", "given"),
        "intOrd.compare": ("method", "method"),
        "given_Ordering_String": ("constant", "given"),
        "given_Ordering_String.compare": ("method", "method"),
        "Int.twice": ("method", "method"),
        "List.second": ("method", "method"),
        "List.third": ("method", "method"),
        "same": ("function", "function"),
    }


def test_the_value_of_a_given_is_not_shown() -> None:
    assert symbols('given key: String = "x"')["key"].excerpt == "given key: String"


def test_imports_are_of_packages_and_names_start_at_the_first_type() -> None:
    found = {
        draft.symbol: draft.metadata["names"]
        for draft in drafts(
            "import a.b.C\nimport a.b.{D, E => F, _}\nimport a.c.*\nimport a.d.G.{h, i as j}\nimport a.e.K._\n"
            "import _root_.a.f.L, a.g.M\nimport N._\nimport a.h.{given, O as P}\n"
        )
        if draft.kind == "module_dependency_fact"
    }
    assert found == {
        "a.b": ["*", "C", "D", "E"], "a.c": ["*"], "a.d": ["G.h", "G.i"], "a.e": ["K.*"], "a.f": ["L"], "a.g": ["M"],
        "N": ["*"], "a.h": ["O", "given"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("package a.b\npackage c\nclass X", "a.b.c"),
        ("package a\n\npackage b\npackage c\nclass X", "a.b.c"),
        ("package a; package b\nclass X", "a.b"),
        ("/* Licensed under */\npackage a.b\nclass X", "a.b"),
    ],
)
def test_packages_that_follow_each_other_are_one(text: str, name: str) -> None:
    module = drafts(text)[0]
    assert (module.symbol, module.metadata["docstring"]) == (name, None)


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("f(1)", ["f"]),
        ("a.b.f(g(1))", ["f", "g"]),
        ("f[Int](1)", ["f"]),
        ("a.f[Map[A, B]](1)", ["f"]),
        ("new F(1)", ["F"]),
        ("new a.F[Int](1)", ["F"]),
        ("f { x => g(x) }", ["f", "g"]),
        ("List(1)", []),
        ("x match { case A(b) => c(b) }", ["c"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    assert symbols(f"object O {{ def caller = {{ {call} }} }}")["O.caller"].metadata.get("calls", []) == names


def test_a_definition_without_braces_ends_before_the_comments_of_the_next() -> None:
    found = symbols(
        "trait A {\n  def f: Int =\n    g(1) // here\n\n  // about h\n\n  /** Doc.\n   */\n  def h: Int\n"
        "  // the end\n\n  def i = 1\n}\n"
    )
    assert {name: draft.lines for name, draft in found.items()} == {
        "A": (1, 13), "A.f": (2, 3), "A.h": (9, 9), "A.i": (12, 12),
    }  # fmt: skip
    assert found["A.h"].metadata["docstring"] == "Doc."
    assert found["A.h"].excerpt == "def h: Int"


def test_titles_of_many_styles() -> None:
    text = (
        'class S1 extends AnyFunSuite { test("adds up") { f(1) } }\n'
        'class S2 extends AnyFlatSpec { "A stack" should "pop" in { g() }; it should "push" in { h() } }\n'
        'class S3 extends AnyWordSpec { "A" when { "b" should { "do c" in { i() }; "be slow" taggedAs Slow in { j() } } } }\n'
        'class S4 extends AnyFunSpec { describe("d") { it("is e") { k() } } }\n'
        'object S5 extends Properties("x") { property("holds") = forAll { l() } }\n'
        "class S6 { @Test def seven(): Unit = m() }\n"
    )
    found = symbols(text, TESTS)
    calls = {name: draft.metadata.get("calls") for name, draft in found.items() if draft.metadata["test"]}
    assert calls == {
        "S1 > adds up": ["f"], "S2 > A stack should pop": ["g"], "S2 > should push": ["h"],
        "S3 > A > b > do c": ["i"], "S3 > A > b > be slow": ["j"], "S4 > d > is e": ["k"],
        "S5 > holds": ["forAll", "l"], "S6.seven": ["m"],
    }  # fmt: skip
    assert {name for name, draft in symbols(text).items() if draft.metadata["test"]} == {"S6.seven"}
    assert all(not draft.symbols for name, draft in found.items() if " " in name)
    assert {found[name].metadata["symbolKind"] for name in calls if " " in name} == {"function"}


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("core/src/test/scala/a/A.scala", True),
        ("core/src/it/scala/a/A.scala", True),
        ("core/src/main/scala/a/ASuite.scala", True),
        ("core/src/main/scala/a/Latest.scala", False),
        ("build.sbt", False),
    ],
)
def test_files_of_tests(path: str, is_test: bool) -> None:
    assert drafts("", path)[0].metadata["test"] is is_test


def test_suites_are_told_by_their_names() -> None:
    found = symbols("class ASuite\nclass ASpec\nobject AProperties\ntrait BaseSuite\nclass Helper", TESTS)
    assert {name for name, draft in found.items() if draft.metadata["test"]} == {
        "ASuite",
        "ASpec",
        "AProperties",
    }


@pytest.mark.parametrize(
    ("text", "started"),
    [
        ("object A extends App", True),
        ("object A extends IOApp.Simple { def run = x }", True),
        ("object A { def main(args: Array[String]): Unit = x }", True),
        ("@main def run() = x", True),
        ("class A { def main(args: Array[String]): Unit = x }", False),
        ("object A { def run = x }", False),
    ],
)
def test_what_can_be_started(text: str, started: bool) -> None:
    assert drafts(text)[0].metadata["entryPoint"] is started


def test_where_the_text_does_not_parse_definitions_are_found_by_line() -> None:
    text = "object A {\n  def f( = ]\n  private def g(x: Int = {\n  case class B(x: Int\n  def +(o: A = (\n}\nsealed trait C {\n  def h(\n"
    found = symbols(text, whole=False)
    assert {name.rpartition(".")[2] for name in found} >= {"A", "f", "g", "B", "+", "C", "h"}
    guessed = {name for name, draft in found.items() if "line_fallback" in draft.basis}
    assert guessed
    assert all(found[name].confidence < 1 for name in guessed)


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        '// TODO: one\n/* TODO: two */\n/** TODO: three */\nobject O {\n val a = "// TODO: no"\n'
        ' val b = """\n// TODO: no\n"""\n val c = s"/* TODO: no */"\n def f = { /* a /* TODO: four */ */ 1 }\n}\n'
    )
    records = MarkerExtractor().read("a.scala", text.encode(), NO_FILES).records
    assert [draft.lines and draft.lines[0] for draft in records] == [1, 2, 3, 10]
