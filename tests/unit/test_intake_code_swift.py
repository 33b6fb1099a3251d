"""What only Swift has: extensions, `public` that must be said, constants by `let`, three frameworks of tests."""

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
MAIN = "Sources/Post/A.swift"
TESTS = "Tests/PostTests/A.swift"


def drafts(text: str, path: str = MAIN, whole: bool = True) -> tuple[Draft, ...]:
    reading = CodeExtractor().read(path, f"{text}\n".encode(), NO_FILES)
    assert reading.complete is whole, reading.warnings
    return reading.records


def symbols(text: str, path: str = MAIN, whole: bool = True) -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in drafts(text, path, whole) if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("public func f() {}", "f", True),
        ("open class C {}", "C", True),
        ("func f() {}", "f", False),
        ("package func f() {}", "f", False),
        ('@available(*, deprecated, message: "public")\nfunc f() {}', "f", False),
        ("@inlinable\npublic func f() {}", "f", True),
        ("public struct S {\n public init() {}\n}", "S.init", True),
        ("public struct S {\n init() {}\n}", "S.init", False),
        ("struct S {\n public func f() {}\n}", "S.f", False),
        ("public protocol P {\n func f()\n}", "P.f", True),
        ("protocol P {\n func f()\n}", "P.f", False),
        ("public extension X {\n func f() {}\n}", "X.f", True),
        ("public extension X {\n private func f() {}\n}", "X.f", False),
        ("extension X {\n public func f() {}\n}", "X.f", True),
        ("extension X {\n func f() {}\n}", "X.f", False),
        (
            "public struct S {\n public private(set) static var a = 1\n public static let b = 1\n}",
            "S.b",
            True,
        ),
    ],
)
def test_public_must_be_said(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("extension Outer.Inner", "Outer.Inner.f"),
        ("extension Array where Element == Int", "Array.f"),
        ("extension Array<Int>: P", "Array.f"),
        ("extension [Int]", "Array.f"),
        ("extension [String: Int]", "Dictionary.f"),
        ("extension Optional", "Optional.f"),
    ],
)
def test_an_extension_qualifies_what_it_holds(head: str, name: str) -> None:
    ((found, draft),) = symbols(f"{head} {{\n func f() {{}}\n}}").items()
    assert (found, draft.metadata["symbolKind"]) == (name, "method")


def test_the_language_s_own_words_and_names_of_what_has_none() -> None:
    found = symbols(
        "struct S {\n init?(a: Int) { x() }\n deinit { y() }\n subscript(i: Int) -> Z { z(i) }\n"
        " static func == (a: S, b: S) -> Bool { true }\n enum E { case a }\n typealias T = Int\n}\nactor A {}\n"
        "indirect enum I {}\nprotocol P {\n associatedtype X\n}\nfunc <+> (a: Int, b: Int) -> Int { a }\n"
        'public macro m() = #externalMacro(module: "A", type: "B")\nfinal class C {\n class func f() {}\n}\n'
    )
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "S": "struct", "S.init": "initializer", "S.deinit": "deinitializer", "S.subscript": "subscript",
        "S.==": "method", "S.E": "enum", "S.T": "type alias", "A": "actor", "I": "enum", "P": "protocol",
        "P.X": "associated type", "<+>": "function", "m": "macro", "C": "class", "C.f": "method",
    }  # fmt: skip
    assert [found[f"S.{name}"].metadata["calls"] for name in ("init", "deinit", "subscript")] == [
        ["x"],
        ["y"],
        ["z"],
    ]
    assert found["S.subscript"].excerpt == "subscript(i: Int) -> Z"


def test_constants_are_those_of_files_and_types_and_plain_values_are_shown() -> None:
    found = symbols(
        'let a = 1\nlet b = "x"\nvar no = 1\nstruct S {\n static let c = true\n let no = 1\n static var no2 = 1\n}\n'
        'extension S {\n static let d = nil\n static let e = 1, f = "x"\n}\nfunc g() {\n let no = 1\n}\n'
        "let h: () -> Int = {\n let no = 1\n return no\n}\n"
    )
    assert {name: draft.excerpt for name, draft in found.items() if draft.metadata["symbolKind"] == "constant"} == {
        "a": "let a = 1",
        "b": "let b",
        "S.c": "static let c = true",
        "S.d": "static let d = nil",
        "S.e": "static let e = 1, f",
        "S.f": "static let e = 1, f",
        "h": "let h: () -> Int",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("f(1)", ["f"]),
        ("a.b.f(g(1))", ["f", "g"]),
        ("f { g() }", ["f", "g"]),
        ("items[0]", []),
        ("F<Int>(1)", ["F"]),
        ("F<Map<A, B>>()", ["F"]),
        ("f!(1)", ["f"]),
        ("try? await a?.f()", ["f"]),
        ("self.init(a)", []),
        ("let x: X = .make(1)", ["make"]),
        ("#expect(f() == 1)", ["f"]),
        ("#stringify(1)", ["stringify"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    assert symbols(f"func caller() {{ {call} }}")["caller"].metadata.get("calls", []) == names


def test_attributes_of_declarations_and_not_of_their_parameters() -> None:
    found = symbols(
        "@MainActor @objc(Foo) final class C: Base<Int>, P {\n @State var x = 1\n"
        " @discardableResult func f(@ViewBuilder c: @escaping () -> V) async throws {}\n}"
    )
    assert found["C"].metadata["decorators"] == ["MainActor", "objc"]
    assert found["C"].metadata["bases"] == ["Base<Int>", "P"]
    assert found["C.f"].metadata["decorators"] == ["discardableResult"]
    assert found["C.f"].metadata["async"] is True


def test_imports_name_modules_and_what_is_taken_of_them() -> None:
    found = {
        draft.symbol: draft.metadata["names"]
        for draft in drafts(
            "import A\n@testable import B\nimport struct C.D\nimport func C.e\nimport F.G\n@_exported public import H\n"
            "#if canImport(I)\nimport I\n#endif"
        )
        if draft.kind == "module_dependency_fact"
    }
    assert found == {"A": [], "B": [], "C": ["D", "e"], "F.G": [], "H": [], "I": []}


def test_tests_of_three_frameworks() -> None:
    text = (
        "class ThingTests: XCTestCase {\n func testA() {}\n func helper() {}\n}\n"
        '@Suite("Things") struct Things {\n @Test("adds up", .tags(.x)) func adds() {}\n @Test func `two words`() {}\n}\n'
        'class S: QuickSpec {\n override class func spec() {\n  describe("x") {\n   it("does") { f() }\n  }\n }\n}\n'
    )
    found = symbols(text, TESTS)
    assert {name for name, draft in found.items() if draft.metadata["test"]} == {
        "ThingTests", "ThingTests.testA", "Things", "Things.adds", "Things.two words", "S.spec > x > does",
    }  # fmt: skip
    assert found["Things.adds"].metadata["docstring"] == "adds up"
    assert found["S.spec > x > does"].metadata["calls"] == ["f"]
    assert found["S.spec > x > does"].metadata["symbolKind"] == "function"
    outside = {name for name, draft in symbols(text).items() if draft.metadata["test"]}
    assert outside == {"Things", "Things.adds", "Things.two words"}


@pytest.mark.parametrize(
    ("path", "module", "is_test"),
    [
        ("Sources/Post/Deep/A.swift", "Post", False),
        ("Tests/PostTests/A.swift", "PostTests", True),
        ("App/AppUITests/A.swift", "App.AppUITests.A", True),
        ("App/Views/ParcelSpec.swift", "App.Views.ParcelSpec", True),
        ("App/Latest.swift", "App.Latest", False),
        ("Package.swift", "Package", False),
    ],
)
def test_the_module_is_the_target(path: str, module: str, is_test: bool) -> None:
    record = drafts("", path)[0]
    assert (record.symbol, record.metadata["test"]) == (module, is_test)


def test_marks_of_editors_and_linters_say_nothing_of_what_stands_below() -> None:
    found = symbols("// MARK: - Parcels\n// swiftlint:disable all\n/// Sends.\nfunc f() {}")
    assert found["f"].metadata["docstring"] == "Sends."


@pytest.mark.parametrize(
    "text",
    [
        "struct S {\n  func a() {}\n#warning(\"x (y)\")\n  /* c */\n}",
        "func f() { if x { } ; y() }",
        "func f() { switch x {\n case 1: a[1]   ; fallthrough\n default: b()\n} }",
        "func f() async { for try await line in try x.lines { a() } }",
        "func f() { a.succeed(()) }",
        "func f() {\n  g { return () }\n  return ()\n}",
    ],
)  # fmt: skip
def test_what_the_grammar_is_known_to_fail_on_it_gets_in_other_words(text: str) -> None:
    parser = grammar_of(LANGUAGES["swift"]).parser
    assert parser.parse(text.encode()).root_node.has_error
    given = traits_of(LANGUAGES["swift"]).for_grammar(text.encode())
    assert len(given) == len(text)
    assert len(drafts(text)) == len(drafts(text.replace("\n", "\r\n")))


def test_where_the_text_does_not_parse_definitions_are_found_by_line() -> None:
    text = (
        "public struct A {\n  func broken( {\n  public func f(x: Int) -> ] {\n  }\n  init(x: Int) {\n    ( }\n}\n"
        "extension B {\n  public static func g(\n}\n@MainActor\nfinal class C: D {\n  )\n}\n"
    )
    found = symbols(text, whole=False)
    assert set(found) >= {"A", "A.broken", "A.f", "A.init", "B.g"}
    guessed = {
        name: draft.metadata["nativeKind"] for name, draft in found.items() if "line_fallback" in draft.basis
    }
    assert guessed.items() >= {"A.broken": "method", "B.g": "method"}.items()
    assert "class" in guessed.values()
    assert [found[name].metadata["public"] for name in ("A.broken", "B.g")] == [False, True]


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        '#!/usr/bin/env swift\n// TODO: one\n/* TODO: two */\n/// TODO: three\n/** TODO: four */\nlet a = "// TODO: no"\n'
        'let b = """\n// TODO: no\n"""\nlet c = #"/* TODO: no */"#\nfunc f() { /* a /* TODO: five */ */ }\n'
    )
    records = MarkerExtractor().read("a.swift", text.encode(), NO_FILES).records
    assert [draft.lines and draft.lines[0] for draft in records] == [2, 3, 4, 5, 11]
