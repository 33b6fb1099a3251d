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
