"""What only Java has: modifiers, annotations, constructors, anonymous classes, classes as modules."""

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
    reading = CodeExtractor().read(path, text.encode(), inventory)
    assert reading.complete
    return [draft for draft in reading.records if draft.kind == kind]


def symbols(text: str, path: str = "src/main/java/a/A.java") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in records(text, path, "symbol_fact")}


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("public class A { public void f() {} }", "A.f", True),
        ('public class A { @X("private") public void f() {} }', "A.f", True),
        ("public class A { @Override\n  public final <T> T f() {} }", "A.f", True),
        ("public class A { protected void f() {} }", "A.f", False),
        ("public class A { void f() {} }", "A.f", False),
        ('public class A { @X("public") void f() {} }', "A.f", False),
        ("class A { public void f() {} }", "A.f", False),
        ("public interface A { void f(); }", "A.f", True),
        ("public interface A { private void f() {} }", "A.f", False),
        ("interface A { void f(); }", "A.f", False),
        ("public @interface A { int f() default 1; }", "A.f", True),
        ("public interface A { class B { void f() {} } }", "A.B", True),
        ("public enum A { X; A() {} }", "A.X", True),
        ("public enum A { X; A() {} }", "A.<init>", False),
        ("public class A { public void f() { class B { public void g() {} } } }", "A.f.B.g", False),
        ("public class A { public B b = new B() { public void f() {} }; }", "A.b.f", False),
    ],
)
def test_public_is_what_other_packages_may_use(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


def test_overloads_and_constructors_are_one_record_each() -> None:
    found = symbols("class A { A() { this(1); } A(int a) { b(); } void f() {} void f(int a) { c(); } }")
    assert {name: draft.metadata["declarations"] for name, draft in found.items() if name != "A"} == {
        "A.<init>": 2,
        "A.f": 2,
    }
    assert (found["A.<init>"].metadata["nativeKind"], found["A.f"].metadata["calls"]) == (
        "constructor",
        ["c"],
    )


def test_constants_are_static_final_in_capitals_or_of_an_interface() -> None:
    found = symbols(
        "class A { static final int A_1 = 1, B = 2; final int C = 3; static int D; static final int e = 4;\n"
        "  void f() { final int G = 5; } @interface H { int I = 6; } interface J { int k = 7; } }\n"
    )
    constants = [name for name, draft in found.items() if draft.metadata["symbolKind"] == "constant"]
    assert constants == ["A.A_1", "A.B", "A.H.I", "A.J.k"]


def test_no_text_of_a_constant_is_shown() -> None:
    found = symbols(
        'class A { static final Object A_1 = 1, B = "s3cret"; static final X C = f("s3cret");\n'
        '  enum E { D("s3cret"), @X F { String s = "s3cret"; } } }\n'
    )
    assert {name: draft.excerpt for name, draft in found.items() if "s3cret" in (draft.excerpt or "")} == {}
    assert found["A.C"].excerpt == "static final X C"


def test_members_of_anonymous_classes_are_qualified_by_what_holds_them() -> None:
    text = (
        "class A {\n  static final B X = new B() { void f() {} };\n  B y = new B() { void f() {} };\n"
        "  void g() { B z = new B(1) { void f() {} }; h(new B() { void i() {} }); }\n}\n"
    )
    assert [name for name in symbols(text) if name.count(".") > 1] == ["A.X.f", "A.y.f", "A.g.z.f", "A.g.i"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import a.b.C;", {"a.b.C": []}),
        ("import a.b.*;", {"a.b": ["*"]}),
        ("import static a.b.C.d;", {"a.b.C": ["d"]}),
        ("import static a.b.C.*;", {"a.b.C": ["*"]}),
        ("import static a.B.c;\nimport static a.B.d;", {"a.B": ["c", "d"]}),
        ("import /* x */ a.b.C; // y", {"a.b.C": []}),
        ("module m { requires transitive a.b; requires static c; exports d; }", {"a.b": [], "c": []}),
    ],
)
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    found = records(text, "src/A.java", "module_dependency_fact")
    assert {draft.object: draft.metadata["names"] for draft in found} == expected


@pytest.mark.parametrize(
    ("path", "written", "files", "found"),
    [
        ("x/src/main/java/org/a/A.java", "org.b.C", ["x/src/main/java/org/b/C.java"], "x/src/main/java/org/b/C.java"),
        ("src/main/java/org/A.java", "org.b.C.D", ["src/main/java/org/b/C.java"], "src/main/java/org/b/C.java"),
        ("src/test/java/org/A.java", "org.b.C", ["src/main/java/org/b/C.java"], "src/main/java/org/b/C.java"),
        ("org/src/org/A.java", "org.C", ["org/src/org/C.java"], "org/src/org/C.java"),
        ("src/main/java/org/A.java", "java.util.List", ["java/util/List.java"], None),
        ("src/main/java/org/A.java", "org.b", ["src/main/java/org/B.java"], None),
    ],
)  # fmt: skip
def test_an_import_names_the_file_that_it_means(
    path: str, written: str, files: list[str], found: str | None
) -> None:
    (draft,) = records(f"import {written};", path, "module_dependency_fact", *files)
    assert draft.metadata.get("resolvedPath") == found


@pytest.mark.parametrize(
    ("path", "member", "tests"),
    [
        ("src/main/java/a/A.java", "@Test void f() {}", ["A.f"]),
        ("src/main/java/a/A.java", "@org.junit.jupiter.api.Test void f() {}", ["A.f"]),
        ("src/main/java/a/A.java", "@ParameterizedTest @ValueSource(ints = 1) void f() {}", ["A.f"]),
        ("src/main/java/a/A.java", "public void testF() {}", []),
        ("src/test/java/a/A.java", "public void testF() {} void f() {} void testing() {}", ["A.testF"]),
        ("src/test/java/a/A.java", "@Before void f() {} static class BTest {} enum CTest { }", ["A.BTest"]),
    ],
)
def test_tests_by_annotation_and_in_test_files_by_name(path: str, member: str, tests: list[str]) -> None:
    found = symbols(f"class A {{ {member} }}", path)
    assert [name for name, draft in found.items() if draft.metadata["test"]] == tests


@pytest.mark.parametrize(
    ("path", "test"),
    [("src/test/java/a/A.java", True), ("x/ATest.java", True), ("x/AIT.java", True), ("x/TestA.java", True),
     ("app/src/androidTest/A.java", True), ("src/main/java/junit/TestCase.java", False), ("x/Testing.java", False),
     ("x/Latest.java", False), ("src/main/java/a/A.java", False)],
)  # fmt: skip
def test_files_of_tests(path: str, test: bool) -> None:
    (module,) = records("class A {}", path, "module_fact")
    assert module.metadata["test"] is test


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("class A { public static void main(String[] args) {} }", True),
        ("class A { public void main(String[] args) {} }", False),
        ("void main() {}", True),
    ],
)
def test_what_can_be_started(text: str, entry: bool) -> None:
    (module,) = records(text, "src/A.java", "module_fact")
    assert module.metadata["entryPoint"] is entry


def test_a_package_is_documented_by_the_file_that_holds_nothing_else() -> None:
    for text, said in [
        ("/** Parcels. */\npackage a;\n", "Parcels."),
        ("/* Mine. */\npackage a;\nclass A {}", None),
    ]:
        (module,) = records(text, "src/a/package-info.java", "module_fact")
        assert (module.metadata["docstring"], module.symbol) == (said, "a")


def test_annotations_of_fields_and_parameters_are_nobody_elses() -> None:
    text = "class A {\n  @Inject int a;\n  // Says.\n  void f(@B int c) {\n    @C int d;\n    // Says.\n  }\n  @E void g() {}\n}\n"
    found = {name: draft.metadata.get("decorators") for name, draft in symbols(text).items()}
    assert found == {"A": None, "A.f": None, "A.g": ["E"]}


def test_calls_are_named_whatever_they_are_called_on_and_however_long_the_chain() -> None:
    text = "class A { void f() { a(); b.c(); this.d(); super.e(); b.<T>g(); new H<T>(1); b.new I(); J.K.l().m(); } }"
    assert symbols(text)["A.f"].metadata["calls"] == ["H", "I", "a", "c", "d", "e", "g", "l", "m"]
    started = time.process_time()
    symbols("class A { void f() { x" + ".b()" * 900 + "; } }")
    assert time.process_time() - started < 10


def test_markers_are_read_from_every_kind_of_comment_and_from_no_text() -> None:
    text = (
        "/* TODO: one */\nclass A { // TODO: two\n\n  /** TODO: three */\n  void f() {}\n\n  /*\n   * TODO: four\n   */\n"
        '  String s = "// TODO: none";\n  String t = """\n    /* TODO: none */\n    """;\n}\n'
    )
    found = MarkerExtractor().read("src/A.java", text.encode(), NO_FILES).records
    assert [draft.text.split()[0] for draft in found] == ["one", "two", "three", "four"]
    assert all("comment_token" in draft.basis for draft in found)


def test_where_the_grammar_fails_lines_are_read() -> None:
    text = (
        "class A {\n"
        + "  public static <T> List<T> left(int a { {{{ (( => ;\n" * 3
        + "  public void right(\n"
    )
    reading = CodeExtractor().read("src/A.java", text.encode(), NO_FILES)
    found = {
        (draft.symbol or "").rpartition(".")[2] for draft in reading.records if "line_fallback" in draft.basis
    }
    assert found & {"left", "right", "A"}


def test_all_functions_are_methods_but_those_of_a_file_without_a_class() -> None:
    found = symbols("class A { void f() { g(new B() { void h() {} }); } }")
    assert found["A.f.h"].metadata["symbolKind"] == "method"
    assert symbols("void f() {}")["f"].metadata["symbolKind"] == "function"


def test_javadoc_that_only_inherits_says_nothing() -> None:
    found = symbols(
        "class A {\n  /** {@inheritDoc} */\n  void f() {}\n  /**\n   * <p>\n   * Says.\n   */\n  void g() {}\n}"
    )
    assert [draft.metadata.get("docstring") for draft in found.values()] == [None, None, "Says."]


def test_bytes_of_another_encoding_hide_nothing_and_are_told() -> None:
    text = b'// caf\xe9\nclass A {\n  @X("\xe9") static final String B = "caf\xe9";\n  void f() { /* \xe9 */ }\n}\n'
    reading = CodeExtractor().read("src/A.java", text, NO_FILES)
    assert "undecodable_bytes" in {warning.reason for warning in reading.warnings}
    assert "A.f" in {draft.symbol for draft in reading.records}
