"""What only Go has: receivers, names that are public by their first letter, type arguments in calls."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.inventory import Inventory

NO_FILES = Inventory(())


def drafts(text: str, path: str = "parcel/a.go") -> tuple[Draft, ...]:
    reading = CodeExtractor().read(path, f"package parcel\n{text}\n".encode(), NO_FILES)
    assert reading.complete, reading.warnings
    return reading.records


def symbols(text: str, path: str = "parcel/a.go") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in drafts(text, path) if draft.kind == "symbol_fact"}


@pytest.mark.parametrize(
    ("receiver", "name"),
    [
        ("(t T)", "T.F"),
        ("(t *T)", "T.F"),
        ("(*T)", "T.F"),
        ("(T)", "T.F"),
        ("(t *T[K, V])", "T.F"),
        ("( t * Ząb )", "Ząb.F"),
    ],
)
def test_a_method_is_named_by_the_type_of_its_receiver(receiver: str, name: str) -> None:
    ((found, draft),) = symbols(f"func {receiver} F() {{}}").items()
    assert (found, draft.metadata["symbolKind"]) == (name, "method")


@pytest.mark.parametrize(
    ("text", "name", "public"),
    [
        ("func F() {}", "F", True),
        ("func f() {}", "f", False),
        ("func (t T) F() {}", "T.F", True),
        ("func (t t) F() {}", "t.F", False),
        ("func (t T) f() {}", "T.f", False),
        ("type T interface { F() }", "T.F", True),
        ("type t interface { F() }", "t.F", False),
        ("var Err = New()", "Err", True),
        ("func Ż() {}", "Ż", True),
    ],
)
def test_public_is_upper_case_all_the_way(text: str, name: str, public: bool) -> None:
    assert symbols(text)[name].metadata["public"] is public


@pytest.mark.parametrize(
    ("call", "names"),
    [
        ("f(1)", ["f"]),
        ("a.b.f(g(1))", ["f", "g"]),
        ("f[int](1)", ["f"]),
        ("a.f[string, *T](1, 2)", ["f"]),
        ("a.f[[]byte](1, 2)", ["f"]),
        ("handlers[i](1, 2)", []),
        ('m["a"](1)', []),
        ("func() { g() }()", ["g"]),
        ("len(make([]int, 1))", []),
        ("(*T)(nil).f()", ["f"]),
        ("go run(); defer stop()", ["run", "stop"]),
    ],
)
def test_callees(call: str, names: list[str]) -> None:
    assert symbols(f"func F() {{ {call} }}")["F"].metadata.get("calls", []) == names


def test_kinds_of_types_and_headers_without_their_bodies() -> None:
    found = symbols(
        "type S struct {\n\ta int\n}\ntype I interface {\n\tF(a int) error\n}\ntype A = S\ntype N int\n"
        "type G[T any] struct{}\ntype (\n\tX struct{}\n\tY func()\n)\n"
    )
    assert {name: (draft.metadata["nativeKind"], draft.excerpt) for name, draft in found.items()} == {
        "S": ("struct", "type S struct"),
        "I": ("interface", "type I interface"),
        "I.F": ("method", "F(a int) error"),
        "A": ("alias", "type A = S"),
        "N": ("type", "type N int"),
        "G": ("struct", "type G[T any] struct"),
        "X": ("struct", "X struct"),
        "Y": ("type", "Y func()"),
    }


def test_constants_and_variables_of_the_package_and_their_plain_values() -> None:
    found = symbols(
        'const (\n\tA = iota\n\tB\n\tc = 2\n)\nvar _ I = (*T)(nil)\nvar E, f = New("x"), true\nfunc g() { const Z = 1 }'
    )
    assert {name: (draft.metadata["nativeKind"], draft.excerpt) for name, draft in found.items() if name != "g"} == {
        "A": ("constant", "A"),
        "B": ("constant", "B"),
        "c": ("constant", "c = 2"),
        "E": ("variable", "var E, f"),
        "f": ("variable", "var E, f"),
    }  # fmt: skip


def test_tests_are_those_that_go_runs() -> None:
    text = "func TestA(t *T) {}\nfunc Testify() {}\nfunc BenchmarkA(b *B) {}\nfunc ExampleA() {}\nfunc helper() {}\nfunc (s S) TestB() {}"
    found = symbols(text, "a/b_test.go")
    assert [name for name, draft in found.items() if draft.metadata["test"]] == [
        "TestA",
        "BenchmarkA",
        "ExampleA",
    ]
    assert not any(draft.metadata["test"] for draft in symbols(text, "a/b.go").values())


def test_imports_are_paths_and_the_module_is_the_package() -> None:
    module, *facts = drafts('import (\n\t"fmt"\n\t_ "a/b" // for effect\n\t. `c`\n)\nimport d "e"')
    assert [draft.object for draft in facts] == ["fmt", "a/b", "c", "e"]
    assert (module.symbol, module.metadata["package"], module.metadata["entryPoint"]) == (
        "parcel",
        "parcel",
        False,
    )
    started = CodeExtractor().read("cmd/x/main.go", b"package main\nfunc main() {}\n", NO_FILES)
    assert started.records[0].metadata["entryPoint"] is True
