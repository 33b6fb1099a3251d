"""What only C++ has: sections, templates, operators, names that qualify themselves, macros that hide names."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.code.lang.macros import without_macros
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "src/a.cpp") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "src/a.cpp") -> dict[str, Draft]:
    reading = read(text, path)
    assert reading.complete, reading.warnings
    return {draft.symbol or "": draft for draft in reading.records if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("void ns::W::f() {}", "ns.W.f", "method"),
        ("W::W(int x) : x_(x) {}", "W.W", "method"),
        ("W::~W() {}", "W.~W", "method"),
        ("template <typename T> int W<T>::f() const { return 1; }", "W.f", "method"),
        ("template <> int W<std::map<A, B>>::f<char>() { return 0; }", "W.f", "method"),
        ("W::operator bool() const { return true; }", "W.operator bool", "method"),
        ("std::ostream& operator<<(std::ostream& os, const W& w) { return os; }", "operator<<", "function"),
        ("W* W::operator->() { return this; }", "W.operator->", "method"),
        ("void* operator new(size_t n);", "operator new", "function"),
        ("bool operator ()(int a) { return a; }", "operator()", "function"),
        ('long double operator""_km(long double x) { return x; }', 'operator""_km', "function"),
        ("const std::string& f();", "f", "function"),
        ("auto f() -> int { return 1; }", "f", "function"),
        ('extern "C" int f(int) { return 1; }', "f", "function"),
        ("int W::count = 0;", "W.count", "constant"),
        ("using f = std::map<int, int>;", "f", "type"),
        ("template <typename T> using f = std::vector<T>;", "f", "type"),
        ("template <typename T> concept f = requires(T a) { a + 1; };", "f", "type"),
        ("template <> struct hash<W<int, 3>> { int a; };", "hash", "type"),
        ("enum class f : int { A };", "f", "type"),
        ("union f { int a; };", "f", "type"),
    ],
)
def test_names_qualify_themselves_and_lose_the_arguments_of_templates(
    text: str, name: str, kind: str
) -> None:
    found = symbols(text)
    assert {name: draft.metadata["symbolKind"] for name, draft in found.items()} == {name: kind}


def test_members_of_a_class_and_who_may_use_them() -> None:
    found = symbols(
        "class W {\n  void a();\n public:\n  W();\n  W& b(int);\n  operator bool() const;\n"
        "  template <typename U> U* c();\n  virtual int d() const = 0;\n  static constexpr int kE = 1;\n  int data;\n"
        "  int (*hook)(int);\n  using V = int;\n  enum Color { RED };\n  enum { most = 1 };\n protected:\n  int f() { return 1; }\n"
        " private:\n  static const char* G;\n};\nstruct S {\n  int a();\n private:\n  int b();\n};\n"
    )
    assert {name: draft.metadata["public"] for name, draft in found.items()} == {
        "W": True,
        "W.a": False,
        "W.W": True,
        "W.b": True,
        "W.operator bool": True,
        "W.c": True,
        "W.d": True,
        "W.kE": True,
        "W.V": True,
        "W.Color": True,
        "W.most": True,
        "W.f": False,
        "W.G": False,
        "S": True,
        "S.a": True,
        "S.b": False,
    }
    kinds = {name: draft.metadata["symbolKind"] for name, draft in found.items()}
    assert (kinds["W.c"], kinds["W.kE"], kinds["W.V"]) == ("method", "constant", "type")


def test_a_namespace_qualifies_and_one_without_a_name_hides() -> None:
    found = symbols(
        "namespace a::b {\ninline namespace v1 { int f(); }\nnamespace {\nint g() { return 1; }\nclass H { public: int i(); };\n"
        "namespace c { int l(); }\n}\n"
        "int j();\n}\nstatic int k() { return 1; }\n"
    )
    assert {name: draft.metadata["public"] for name, draft in found.items()} == {
        "a.b.v1.f": True,
        "a.b.g": False,
        "a.b.H": False,
        "a.b.H.i": False,
        "a.b.c.l": False,
        "a.b.j": True,
        "k": False,
    }


def test_a_template_starts_where_its_parameters_do() -> None:
    found = symbols(
        "// Says it.\ntemplate <typename T>\nclass W : public Base<T, int>, virtual ns::Other {\n};\n"
    )["W"]
    assert (found.lines, found.metadata["docstring"]) == ((2, 4), "Says it.")
    assert found.metadata["bases"] == ["Base<T, int>", "ns::Other"]
    assert (found.excerpt or "").startswith("template <typename T>\nclass W")
    text = "// Says it.\nFOO_EXPORT template <typename T> class W {};\n"
    assert symbols(text)["W"].metadata["docstring"] == "Says it."


def test_a_constructor_calls_what_its_initialisers_call() -> None:
    found = symbols("W::W(int x) : x_(make(x)), y_{scale(x)} { init(); }")["W.W"]
    assert (found.metadata["calls"], found.excerpt) == (["init", "make", "scale"], "W::W(int x)")


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("std::make_unique<Foo<int>>(1);", ["make_unique"]),
        ("x->get<int>();", ["get"]),
        ("x->template get<int>();", ["get"]),
        ("a::b::c(d());", ["c", "d"]),
        ("new ns::Foo<int>(1);", ["Foo"]),
        ("return Foo{1};", ["Foo"]),
        ("static_cast<int>(x);", []),
        ("auto f = [&](int a) { return g(a); };", ["g"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    assert symbols(f"void F() {{ {call} }}")["F"].metadata.get("calls", []) == names


def test_what_is_local_to_a_function_names_nothing() -> None:
    assert set(symbols("void f() { using T = int; typedef int U; Foo x(a); const int K = 1; Bar y(); }")) == {
        "f"
    }


def test_values_of_members_are_shown_only_if_they_are_plain() -> None:
    found = symbols('class W {\n static constexpr int kA = 1;\n inline static const char* kB = "secret";\n};')
    assert (found["W.kA"].excerpt, found["W.kB"].excerpt) == (
        "static constexpr int kA = 1;",
        "inline static const char* kB",
    )


def test_a_macro_before_the_name_of_a_class_hides_neither_it_nor_its_members() -> None:
    text = "class API W {\n public:\n  int f();\n  W() : x(1) {}\n private:\n  int x;\n  void g();\n};\n"
    found = {draft.symbol: draft for draft in read(text).records if draft.kind == "symbol_fact"}
    assert {name: draft.metadata["public"] for name, draft in found.items()} == {
        "W": True,
        "W.f": True,
        "W.W": True,
        "W.g": False,
    }
    assert found["W"].metadata["nativeKind"] == "class"


@pytest.mark.parametrize(
    ("text", "macros"),
    [
        ("class FOO_API Widget final : public A {", ["FOO_API"]),
        ("struct PACKED(1) widget {", ["PACKED(1)"]),
        ("struct REGS registers;", []),
        ("struct REGS f(void);", []),
        ("FOO_BEGIN_NAMESPACE\nclass A;\nFOO_END_NAMESPACE\n", ["FOO_BEGIN_NAMESPACE", "FOO_END_NAMESPACE"]),
        ("enum a {\n  RED\n};", []),
        ("enum a {\n  GREEN,\n  BLUE\n};", []),
        ("int a = FLAG_A |\n  FLAG_B\n  | FLAG_C;", []),
        ("x = 1;\nMACRO_A\n= 2;", []),
        ("FOO_API std::string f();", ["FOO_API"]),
        ("FOO_NODISCARD FOO_INLINE auto f() -> int;", ["FOO_NODISCARD", "FOO_INLINE"]),
        ("HANDLE f();\nFILE *g;", []),
        ("#define FOO_API __declspec(x)\n#ifdef FOO_API\n#define G FOO_INLINE x\n", []),
        ("int count GUARDED_BY(mutex);", ["GUARDED_BY(mutex)"]),
        ("void f() EXCLUSIVE_LOCKS_REQUIRED(mutex_) { g(); }", ["EXCLUSIVE_LOCKS_REQUIRED(mutex_)"]),
        ("if (a) GUARD(b);", []),
        ("operator const T&() const;", ["const"]),
        ("if FOO_CONSTEXPR20 (a) b();", ["FOO_CONSTEXPR20"]),
    ],
)
def test_macros_are_hidden_from_the_grammar_where_it_expects_none(text: str, macros: list[str]) -> None:
    expected = text
    for macro in macros:
        expected = expected.replace(macro, " " * len(macro), 1)
    assert without_macros(text.encode()).decode() == expected


def test_what_a_compiler_is_asked_for_is_a_number_to_the_grammar() -> None:
    text = b"#if __has_include(<version>) && FOO_HAS_CPP_ATTRIBUTE(gsl::owner)"
    assert without_macros(text) == b"#if __has_include(1        ) && FOO_HAS_CPP_ATTRIBUTE(1         )"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("TEST(Suite, runs) { f(); }", "Suite.runs"),
        ("TEST_F(Fixture, runs) { f(); }", "Fixture.runs"),
        ("TYPED_TEST(Suite, runs) { f(); }", "Suite.runs"),
        ("BOOST_AUTO_TEST_CASE(runs) { f(); }", "runs"),
        ('TEST_CASE("it runs", "[fast]") { f(); }', "it runs"),
        ('TEST_CASE_METHOD(Fixture, "it runs") { f(); }', "it runs"),
        ('SCENARIO("it runs") { f(); }', "it runs"),
    ],
)
def test_what_a_framework_makes_a_test_of_is_one_anywhere(text: str, name: str) -> None:
    (draft,) = (draft for draft in read(text).records if draft.kind == "symbol_fact")
    assert (draft.symbol, draft.metadata["test"], draft.metadata["nativeKind"]) == (name, True, "test")
    assert draft.metadata["calls"] == ["f"]


def test_headers_in_c_plus_plus_are_told_by_what_they_hold() -> None:
    assert read("class W {\n public:\n  int f();\n};", "a/w.h").extractor.startswith("t2c/tree-sitter-cpp@")
    assert read("int f(int);\n", "a/w.h").extractor.startswith("t2c/tree-sitter-c@")


def test_markers_are_read_from_comments_of_each_kind_and_from_no_string() -> None:
    text = (
        '// TODO: one\n/* TODO: two */\n/// TODO: three\nauto s = R"x(// TODO: none)x";\nauto t = "/* TODO: none */";\n'
        "//! TODO: four\nint a;  ///< TODO: five\n"
    )
    reading = MarkerExtractor().read("src/a.cpp", text.encode(), NO_FILES)
    assert [draft.lines[0] for draft in reading.records if draft.lines] == [1, 2, 3, 6, 7]
