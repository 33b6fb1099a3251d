"""A written name finds exactly one declaration or none."""

import pytest

from t2c.ledger.kernel.ids import RecordId
from t2c.ledger.linking.symbols import MAX_DECLARATIONS, Declaration, Names, Resolution


def declaration(path: str, name: str, module: str = "", ordinal: int = 1) -> Declaration:
    dotted = f"{module}.{name}" if module else name
    return Declaration(RecordId(f"{path}:{name}:{ordinal}"), path, name, dotted, ordinal)


CODE = (
    declaration("src/app/store.py", "Store", "app.store"),
    declaration("src/app/store.py", "Store.load_all", "app.store"),
    declaration("src/app/store.py", "Store.__init__", "app.store"),
    declaration("src/app/store.py", "Store.truncate", "app.store"),
    declaration("src/app/store.py", "dumps", "app.store"),
    declaration("src/app/main.py", "run_all", "app.main"),
    declaration("src/app/old.py", "Cache.load_all", "app.old"),
    declaration("src/app/old.py", "Cache.load_all", "app.old", ordinal=2),
    declaration("tests/test_store.py", "FakeStore", "tests.test_store"),
    declaration("tests/test_store.py", "Store", "tests.test_store"),
)


def resolve(name: str, *paths: str, called: bool = False, within: bool = False) -> Resolution:
    names = Names.of([name], CODE, ["app.store", "app.main", "app.old", "tests.test_store"])
    return names.resolve(name, paths, called=called, within=within)


def found(name: str, *paths: str, called: bool = False, within: bool = False) -> str | None:
    resolution = resolve(name, *paths, called=called, within=within)
    return resolution.declaration and resolution.declaration.id


@pytest.mark.parametrize(
    ("name", "expected", "grade"),
    [
        ("app.store.Store.load_all", "src/app/store.py:Store.load_all:1", "qualified"),
        ("Store.load_all", "src/app/store.py:Store.load_all:1", "qualified"),
        ("Store.__init__", "src/app/store.py:Store.__init__:1", "qualified"),
        ("store.dumps", "src/app/store.py:dumps:1", "tail"),
        ("app.Store.truncate", "src/app/store.py:Store.truncate:1", "tail"),
        ("run_all", "src/app/main.py:run_all:1", "leaf"),
        ("app.run_all", "src/app/main.py:run_all:1", "leaf"),
        ("self.run_all", "src/app/main.py:run_all:1", "leaf"),
        ("Store", "src/app/store.py:Store:1", "leaf"),
        ("tests.test_store.Store", "tests/test_store.py:Store:1", "qualified"),
        ("Cache.load_all", "src/app/old.py:Cache.load_all:2", "qualified"),
    ],
)
def test_name_means_one_declaration(name: str, expected: str, grade: str) -> None:
    assert found(name) == expected
    assert resolve(name).grade == grade


@pytest.mark.parametrize(
    "name",
    [
        "json.dumps",
        "lib.core.Store.load_all",
        "Model.run_all",
        "missing",
        "app.missing",
        "FakeStore",
        "self",
        ".",
    ],
)
def test_foreign_and_throw_away_names_mean_nothing(name: str) -> None:
    assert resolve(name) == Resolution(None, "leaf", 0)


@pytest.mark.parametrize("name", ["dumps", "load_all", "__init__"])
def test_weak_bare_names_mean_nothing(name: str) -> None:
    assert resolve(name).candidates == 0


def test_call_makes_a_bare_name_telling() -> None:
    assert found("dumps", called=True) == "src/app/store.py:dumps:1"
    assert found("__init__", called=True) is None
    assert resolve("load_all", called=True).candidates == 2


def test_common_and_short_names_mean_nothing() -> None:
    code = [declaration("src/app/a.py", name, "app.a") for name in ("get", "Config", "run", "validate")]
    for one in code:
        names = Names.of([one.name], code, ["app.a"])
        assert names.resolve(one.name, [one.path], called=True, within=False).declaration is None
        assert names.resolve(f"app.a.{one.name}", [], called=False, within=False).declaration == one


def test_paths_choose_among_several() -> None:
    assert found("load_all", "src/app/old.py", called=True) == "src/app/old.py:Cache.load_all:2"
    assert resolve("load_all", "src/app/old.py", called=True).grade == "narrowed"
    assert found("load_all", "src/app/old.py", "src/app/store.py", called=True) is None
    assert found("FakeStore", "tests/test_store.py") == "tests/test_store.py:FakeStore:1"


def test_within_its_paths_alone_a_commit_means_something() -> None:
    assert found("run_all", "src/app/store.py") == "src/app/main.py:run_all:1"
    assert found("run_all", "src/app/store.py", within=True) is None
    assert resolve("run_all", "src/app/store.py", within=True).candidates == 0
    assert found("run_all", "src/app/main.py", within=True) == "src/app/main.py:run_all:1"
    assert found("truncate", "src/app/store.py", within=True) is None
    assert found("dumps", "src/app/store.py", within=True) == "src/app/store.py:dumps:1"


def test_name_declared_very_often_is_not_even_narrowed() -> None:
    code = [declaration(f"src/app/m{n}.py", "load_all", f"app.m{n}") for n in range(MAX_DECLARATIONS + 1)]
    names = Names.of(["load_all"], code, ["app"])
    resolution = names.resolve("load_all", ["src/app/m3.py"], called=True, within=True)
    assert resolution == Resolution(None, "leaf", MAX_DECLARATIONS + 1)
    fewer = Names.of(["load_all"], code[:-1], ["app"])
    assert fewer.resolve("load_all", ["src/app/m3.py"], called=True, within=True).declaration == code[3]


OLD = ("main", "fields", "types", "tools", "errors")
VERSIONED = (
    declaration("lib/pkg/main.py", "BaseModel", "pkg.main"),
    declaration("lib/pkg/v1/main.py", "BaseModel", "pkg.v1.main"),
    declaration("lib/pkg/v1/types.py", "ConstrainedFloat", "pkg.v1.types"),
    declaration("lib/pkg/v2beta/types.py", "ConstrainedInt", "pkg.v2beta.types"),
)
MODULES = (
    "pkg",
    *(f"pkg.{name}" for name in OLD),
    "pkg.v1",
    *(f"pkg.v1.{name}" for name in (*OLD, "generics")),
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("BaseModel", "lib/pkg/main.py"),
        ("pkg.BaseModel", "lib/pkg/main.py"),
        ("pkg.main.BaseModel", "lib/pkg/main.py"),
        ("pkg.v1.BaseModel", "lib/pkg/v1/main.py"),
        ("pkg.v1.main.BaseModel", "lib/pkg/v1/main.py"),
        ("pkg.v1.ConstrainedFloat", "lib/pkg/v1/types.py"),
        ("ConstrainedFloat", "lib/pkg/v1/types.py"),
        ("pkg.ConstrainedFloat", None),
        ("pkg.types.ConstrainedFloat", None),
        ("pkg.ConstrainedInt", "lib/pkg/v2beta/types.py"),
    ],
)
def test_a_former_version_of_a_package_is_meant_only_where_it_is_written(
    name: str, expected: str | None
) -> None:
    names = Names.of([name], VERSIONED, MODULES)
    meant = names.resolve(name, (), called=False, within=False).declaration
    assert (meant.path if meant else None) == expected


def test_what_shares_few_modules_with_the_package_around_it_is_no_former_version() -> None:
    modules = ("pkg", "pkg.main", "pkg.v1.main", "pkg.v1.other", "pkg.v1.more")
    names = Names.of(["ConstrainedFloat"], VERSIONED, modules)
    meant = names.resolve("pkg.ConstrainedFloat", (), called=False, within=False).declaration
    assert meant is not None
    assert meant.path == "lib/pkg/v1/types.py"


@pytest.mark.parametrize("twin", ["lib/cart.d.ts", "types/cart.d.mts", "lib/cart.pyi", "vendor/cart.js"])
def test_a_file_that_only_declares_or_is_not_ours_gives_way(twin: str) -> None:
    code = (declaration("lib/cart.js", "CartView"), declaration(twin, "CartView"))
    names = Names.of(["CartView"], code, ())
    assert names.resolve("CartView", (), called=False, within=False) == Resolution(code[0], "leaf", 1)
    assert names.resolve("CartView", [twin], called=False, within=True).declaration in (None, code[1])
    both = names.resolve("CartView", [twin, "lib/cart.js"], called=False, within=True)
    assert both.declaration == code[0]
    third = Names.of(["CartView"], (*code, declaration("lib/other.js", "CartView")), ())
    assert third.resolve("CartView", (), called=False, within=False).declaration is None


@pytest.mark.parametrize(
    ("path", "is_product"),
    [
        ("src/cart.ts", True), ("src/cart.spec.ts", False), ("src/cart.test.tsx", False), ("spec/cart.rb", False),
        ("src/__tests__/cart.js", False), ("e2e/cart.ts", False), ("cart_spec.rb", False), ("cart-test.js", False),
        ("cart_test.go", False), ("test_cart.py", False), ("conftest.py", False), ("src/CartTest.java", False),
        ("src/contest.py", True), ("src/testing_tools.py", True), ("src/latest.ts", True), ("src/spec.ts", True),
        ("src/Contest.java", True), ("src/inspect.rs", True), (".github/cart.js", False), ("third_party/a.c", False),
    ],
)  # fmt: skip
def test_what_is_of_the_product(path: str, *, is_product: bool) -> None:
    assert declaration(path, "cart").is_product is is_product
