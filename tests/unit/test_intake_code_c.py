"""What only C has: names under declarators, macros, typedefs, and what is a file's own by `static`."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.comments.markers import MarkerExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "src/a.c") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "src/a.c", broken: bool = False) -> dict[str, Draft]:
    reading = read(text, path)
    assert reading.complete is not broken, reading.warnings
    return {draft.symbol or "": draft for draft in reading.records if draft.kind == "symbol_fact"}


def natives(text: str) -> dict[str, str]:
    return {name: draft.metadata["nativeKind"] for name, draft in symbols(text).items()}


@pytest.mark.parametrize(
    ("text", "name", "native"),
    [
        ("int f(void) { return 0; }", "f", "function"),
        ("static inline char **f(int a) { return 0; }", "f", "function"),
        ("int f(int);", "f", "function"),
        ("char ***f(int);", "f", "function"),
        ("int (*f(int a))(int) { return 0; }", "f", "function"),
        ("void (*f(int a))(int);", "f", "function"),
        ("LUA_API int (f) (lua_State *L);", "f", "function"),
        ("int\nf(a, b)\n  int a;\n  char b;\n{ return 1; }", "f", "function"),
        ("__attribute__((noreturn)) void f(void);", "f", "function"),
        ("int f;", "f", "variable"),
        ("extern struct s *f;", "f", "variable"),
        ("static const char *const f[] = {0};", "f", "constant"),
        ("void (*f)(int) = 0;", "f", "variable"),
        ("clock (*f)(int) = NULL;", "f", "variable"),
        ("clock (*f)(void);", "f", "variable"),
        ("clock * (*f)(clock *c);", "f", "variable"),
        ("void (*f)(const char *s);", "f", "variable"),
        ("int e, *f;", "f", "variable"),
        ("#define f", "f", "macro"),
        ("#define f(x) ((x) + 1)", "f", "macro"),
        ("typedef int (*f)(int, void *);", "f", "typedef"),
        ("typedef int f[10];", "f", "typedef"),
        ("typedef struct { int a; } f;", "f", "struct"),
        ("typedef union { int a; } f;", "f", "union"),
        ("enum f { A, B };", "f", "enum"),
    ],
)
def test_a_name_is_found_under_its_declarators(text: str, name: str, native: str) -> None:
    found = natives(text)
    found.pop("e", None)
    assert found == {name: native}


@pytest.mark.parametrize("written", ["int (*f)", "size_t (*f)", "node * (*f)", "const char ** (*f)"])
def test_an_unknown_word_before_a_pointer_to_a_function_hides_no_name(written: str) -> None:
    found = symbols(f"HOOK {written}(ctx *c) MARK;", broken=True)
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {"f": "variable"}


def test_a_typedef_stands_beside_the_struct_that_it_names() -> None:
    found = symbols(
        "typedef struct node {\n  int a;\n} node_t, *node_p;\ntypedef struct list {\n int b;\n} list;"
    )
    assert {name: (draft.metadata["nativeKind"], draft.lines) for name, draft in found.items()} == {
        "node": ("struct", (1, 3)),
        "node_t": ("typedef", (3, 3)),
        "node_p": ("typedef", (3, 3)),
        "list": ("struct", (4, 6)),
    }


def test_a_variable_does_not_hold_the_struct_written_before_it() -> None:
    found = symbols("static struct opts { int a; } the_opts = { 1 };")
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "opts": "struct",
        "the_opts": "variable",
    }
    assert found["the_opts"].metadata["public"] is False
    several = symbols("int a, *b = 0;\nstatic int c,\n  d;")
    assert {name: (draft.metadata["public"], draft.lines) for name, draft in several.items()} == {
        "a": (True, (1, 1)),
        "b": (True, (1, 1)),
        "c": (False, (2, 2)),
        "d": (False, (3, 3)),
    }


def test_names_of_an_enum_without_one_are_constants_and_others_belong_to_their_type() -> None:
    assert natives("enum { MOST = 8 };\nenum color { RED };\ntypedef enum { BIG } size;") == {
        "MOST": "constant",
        "color": "enum",
        "size": "enum",
    }


def test_a_prototype_and_its_function_are_one_and_the_function_stands() -> None:
    found = symbols("int f(int);\nint f(int a) {\n  return g(a);\n}\n")
    assert (found["f"].lines, found["f"].metadata["declarations"]) == ((2, 4), 2)
    assert found["f"].metadata["calls"] == ["g"]


def test_guards_against_a_second_reading_name_nothing_but_flags_do() -> None:
    assert natives("#ifndef A_H\n#define A_H\n#define WITH_B\n#endif\n") == {"WITH_B": "macro"}


def test_values_of_macros_and_variables_are_shown_only_if_they_are_numbers() -> None:
    found = symbols(
        '#define N (-0x1fUL)\n#define K "secret"\nint n = 3;\nchar *a, *k = "secret";\n#define V secret(1)'
    )
    assert {name: draft.excerpt for name, draft in found.items()} == {
        "N": "#define N (-0x1fUL)",
        "K": "#define K",
        "n": "int n = 3;",
        "a": "char *a",
        "k": "*k",
        "V": "#define V",
    }


def test_what_is_local_to_a_function_names_nothing() -> None:
    assert set(symbols("void f(void) { int a; static int B = 1; int g(int); h(a); }")) == {"f"}


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("g(h(1));", ["g", "h"]),
        ("s->ops.run(1);", ["run"]),
        ("(*p)(1);", []),
        ("table[0](1);", []),
        ("sizeof(int);", []),
        ("MACRO(a, b) { inner(); }", ["MACRO", "inner"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    found = CodeExtractor().read("a.c", f"void f(void) {{ {call} }}".encode(), NO_FILES).records
    (draft,) = (draft for draft in found if draft.symbol == "f")
    assert draft.metadata.get("calls", []) == names


def test_an_include_in_quotes_is_of_the_repository_if_the_file_is_there() -> None:
    tree = Inventory(tuple(FileEntry(path, 1) for path in ("include/p/c.h", "src/b.h", "src/stdio.h")))
    text = b'#include "b.h"\n# include <stdio.h>\n#include "p/c.h"\n#include "../d/e.h"\n#include CONFIG\n'
    reading = CodeExtractor().read("src/a.c", text, tree)
    assert {
        draft.symbol: (draft.metadata["relative"], draft.metadata.get("resolvedPath"))
        for draft in reading.records[1:]
    } == {
        "b.h": (True, "src/b.h"),
        "stdio.h": (False, None),
        "p/c.h": (True, "include/p/c.h"),
        "d/e.h": (True, None),
        "CONFIG": (False, None),
    }


def test_tests_are_named_so_in_files_of_tests() -> None:
    text = (
        "void test_a(void **s) {}\nint b_test(void) {}\nvoid helper(void) {}\nvoid testify(void) {}\n"
        "#define TEST_X(a) a\n"
    )
    found = symbols(text, "tests/check_a.c")
    tests = {name for name, draft in found.items() if draft.metadata["test"]}
    assert tests == {"test_a", "b_test"}
    assert not any(draft.metadata["test"] for draft in symbols(text).values())


@pytest.mark.parametrize(
    ("text", "name", "lines", "excerpt"),
    [
        ("Test(suite, runs) {\n  f();\n}", "suite.runs", (1, 3), "Test(suite, runs)"),
        ("// Says it.\nTEST(runs) {\n  f();\n}", "runs", (2, 4), "TEST(runs)"),
        (
            'TEST_CASE("it runs (x)", "[a]") {\n  f();\n}',
            "it runs (x)",
            (1, 3),
            'TEST_CASE("it runs (x)", "[a]")',
        ),
        ("START_TEST(runs)\n{\n  f();\n}\nEND_TEST", "runs", (1, 4), "START_TEST(runs)"),
    ],
)
def test_what_a_framework_makes_a_test_of_is_one_anywhere(
    text: str, name: str, lines: tuple[int, int], excerpt: str
) -> None:
    (draft,) = (draft for draft in read(text).records if draft.kind == "symbol_fact")
    assert (draft.symbol, draft.lines, draft.excerpt) == (name, lines, excerpt)
    assert (draft.metadata["test"], draft.metadata["nativeKind"], draft.metadata["calls"]) == (
        True,
        "test",
        ["f"],
    )
    assert (draft.symbols, draft.metadata["public"]) == ((), False)


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("tests/a.c", True),
        ("src/test_a.c", True),
        ("src/a_test.c", True),
        ("src/a_unittest.c", True),
        ("src/unit_tests/a.c", True),
        ("t/a.c", True),
        ("src/contest.c", False),
        ("src/latest.c", False),
    ],
)
def test_files_of_testsare_told_by_their_path(path: str, is_test: bool) -> None:
    assert read("int f(void);", path).records[0].metadata["test"] is is_test


def test_where_the_text_does_not_parse_definitions_are_found_by_line() -> None:
    broken = "BEGIN(\nstruct kept {\n  int a;\n};\nstatic int found(int a)\n{\n  return a;\n}\nAPI void * (*hook)(int) ATTR\n))) {{{\n"
    found = {draft.symbol: draft for draft in read(broken).records if draft.kind == "symbol_fact"}
    assert {"kept", "found", "hook"} <= set(found)


def test_markers_are_read_from_comments_of_each_kind_and_from_no_string() -> None:
    text = '// TODO: one\n/* TODO: two */\n/** TODO: three */\nchar *s = "// TODO: none /* TODO: none */";\n/*\n * TODO: four\n */\nint a; //! TODO: five\n'
    reading = MarkerExtractor().read("src/a.c", text.encode(), NO_FILES)
    assert [draft.lines[0] for draft in reading.records if draft.lines] == [1, 2, 3, 6, 8]
