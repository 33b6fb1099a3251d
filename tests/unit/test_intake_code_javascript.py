"""What only JavaScript and TypeScript have: exports of two kinds, functions as values, tests as calls."""

from __future__ import annotations

from typing import Any

import pytest

from t2c.ledger.intake.base import Draft, Reading
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.inventory import FileEntry, Inventory

NO_FILES = Inventory(())


def read(text: str, path: str = "lib/a.js") -> Reading:
    return CodeExtractor().read(path, text.encode(), NO_FILES)


def symbols(text: str, path: str = "lib/a.js") -> dict[str, Draft]:
    return {draft.symbol or "": draft for draft in read(text, path).records if draft.kind == "symbol_fact"}


def imports(text: str, path: str = "lib/a.js") -> dict[str, list[str]]:
    return {
        draft.object: draft.metadata["names"]
        for draft in read(text, path).records
        if draft.kind == "module_dependency_fact"
    }


@pytest.mark.parametrize(
    ("text", "public"),
    [
        ("export function f() {}", True),
        ("export default function f() {}", True),
        ("function f() {}\nexport { f as g };", True),
        ("function f() {}\nexport default f;", True),
        ("const f = () => 1;\nmodule.exports = f;", True),
        ("const f = function () {};\nmodule.exports = { f, other };", True),
        ("const f = function () {};\nmodule.exports = { named: f };", True),
        ("exports.f = () => 1;", True),
        ("module.exports.f = () => 1;", True),
        ("module.exports = function f() {};", True),
        ("module.exports = { f() { return 1; } };", True),
        ("function f() {}", False),
        ("function f() {}\nmodule.exports = { g };", False),
        ("function f() {}\nexport { g };", False),
    ],
)
def test_public_is_what_the_module_exports_in_either_way(text: str, public: bool) -> None:
    assert {name: draft.metadata["public"] for name, draft in symbols(text).items()}["f"] is public


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("A.prototype.b = function () {};", "A.b", "method"),
        ("app.use = function use(fn) {};", "app.use", "method"),
        ("export default class {}", "default", "type"),
        ("module.exports = class {};", "default", "type"),
        ("module.exports = () => 1;", "default", "function"),
        ("const table = { get: () => 1 };", "table.get", "method"),
        ("class A { static b = () => 1; }", "A.b", "method"),
        ("class A { #b() {} }", "A.#b", "method"),
        ("class A { get b() {} set b(x) {} }", "A.b", "method"),
        ("function* f() {}", "f", "function"),
        ("function F() { this.go = () => 1; }", "F.go", "method"),
    ],
)
def test_names_of_functions_that_are_values(text: str, name: str, kind: str) -> None:
    found = symbols(text)
    assert name in found, list(found)
    assert found[name].metadata["symbolKind"] == kind


def test_what_a_function_puts_into_a_passing_object_is_a_part_of_it() -> None:
    found = symbols(
        "function f() { report({ fix(x) { return mend(x); }, why: () => say() }); o.x = () => go(); }"
    )
    assert list(found) == ["f"]
    assert found["f"].metadata["calls"] == ["go", "mend", "report", "say"]


def test_what_stands_in_an_object_is_a_symbol_only_if_the_object_is_held_or_exported() -> None:
    text = """
    reduce(x, (y) => { return { get: () => y, set(z) {} }; });
    call(class { m() {} });
    const slice = make({ add(state) {} });
    describe("x", () => { const o = { m() {} }; });
    module.exports = { rules: { rule(x) {}, q: () => 1 }, start() {}, stop: function () {} };
    """
    found = {name: draft.metadata for name, draft in symbols(text).items()}
    assert {name: (said["symbolKind"], said["public"]) for name, said in found.items()} == {
        "rules.rule": ("method", True),
        "rules.q": ("method", True),
        "start": ("function", True),
        "stop": ("function", True),
    }


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("export default { data() {}, methods: { a() {} }, x: () => 1 };", ["data", "methods.a", "x"]),
        ("export default define({ setup() { return { no() {} }; } });", ["setup"]),
        ("export default { a() {} } satisfies Plugin;", ["a"]),
        ("export default { a: () => 1, b: { c() {} } } as Plugin;", ["a", "b.c"]),
    ],
)
def test_members_of_a_default_export(text: str, names: list[str]) -> None:
    found = symbols(text, "a.ts")
    assert list(found) == names
    assert all(draft.metadata["public"] for draft in found.values())


def test_a_value_put_into_exports_is_a_constant_unless_it_has_a_name_of_its_own() -> None:
    text = "exports.f = f;\nexports.etag = make();\nmodule.exports.KEY = 'secret';\nexports.o = { a() {} };\n"
    text += "exports.a = exports.b = void 0;\nother.x = make();\nfunction f() {}\n"
    found = symbols(text)
    assert {name: (draft.metadata["symbolKind"], draft.excerpt) for name, draft in found.items()} == {
        "etag": ("constant", "exports.etag"),
        "KEY": ("constant", "module.exports.KEY"),
        "o": ("constant", "exports.o"),
        "o.a": ("method", "a()"),
        "f": ("function", "function f()"),
    }


def test_an_arrow_is_one_record_and_an_object_none() -> None:
    assert list(symbols("const f = () => 1;\nconst o = {};\nconst n = 1;\nconst N = 2;")) == ["f", "N"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("import 'x';", {"x": []}),
        ("import a from 'x';", {"x": ["default"]}),
        ("import * as a from 'x';", {"x": ["*"]}),
        ('import a, { b as c, d } from "x";', {"x": ["b", "d", "default"]}),
        ("import {\n  b, // one\n  d,\n} from 'x';", {"x": ["b", "d"]}),
        ("import data from './x.json' with { type: 'json' };", {"lib/x.json": ["default"]}),
        ("export * from './x.mjs';", {"lib/x": ["*"]}),
        ("export { a } from '../x';", {"x": ["a"]}),
        ("const a = require('node:fs');", {"node:fs": []}),
        ("require('../../x')", {"../../x": []}),
        ("const a = await import('./x.js');", {"lib/x": []}),
        ("require(name); require('a' + b); import(`x`);", {}),
    ],
)
def test_forms_of_imports(text: str, expected: dict[str, list[str]]) -> None:
    assert imports(text) == expected


@pytest.mark.parametrize(
    ("written", "files", "found"),
    [
        ("./b", ["lib/b.ts", "lib/b.js"], "lib/b.ts"),
        ("./b.js", ["lib/b.ts", "lib/b.js"], "lib/b.js"),
        ("./b.js", ["lib/b.ts"], "lib/b.ts"),
        ("../x", ["x/index.js", "lib/x.js"], "x/index.js"),
        ("./data.json", ["lib/data.json"], "lib/data.json"),
        ("..", ["index.js"], "index.js"),
        ("../..", ["index.js"], None),
        ("b", ["lib/b.js", "b.js"], None),
        ("./b", ["b.js"], None),
    ],
)
def test_an_import_names_the_file_that_it_means(written: str, files: list[str], found: str | None) -> None:
    inventory = Inventory(tuple(FileEntry(path, 1) for path in sorted(files)))
    reading = CodeExtractor().read("lib/a.ts", f"import '{written}';".encode(), inventory)
    (draft,) = [draft for draft in reading.records if draft.kind == "module_dependency_fact"]
    assert draft.metadata.get("resolvedPath") == found


def test_type_imports_are_imports_too() -> None:
    text = "import type { A } from './a';\nimport { type B, c } from './b.js';\nimport d = require('./d');"
    assert imports(text, "src/x.ts") == {"src/a": ["A"], "src/b": ["B", "c"], "src/d": []}


def test_tests_have_titles_that_name_nothing() -> None:
    text = """
    describe("Parcel", () => {
      const helper = () => 1;
      describe.skip("weight", function () {
        it.only("is 'small'", () => { expect(weigh()); });
        test.each`a`("and %s", async () => {});
      });
    });
    suite(`other`, () => { specify("x", () => {}); });
    """
    found = symbols(text, "tests/parcel.js")
    assert {name: draft.metadata["nativeKind"] for name, draft in found.items()} == {
        "Parcel.helper": "function",
        "Parcel > weight > is 'small'": "test",
        "Parcel > weight > and %s": "test",
        "other > x": "test",
    }
    small = found["Parcel > weight > is 'small'"]
    assert (small.symbols, small.metadata["test"], small.metadata["calls"]) == ((), True, ["expect", "weigh"])
    assert found["Parcel.helper"].metadata["symbolKind"] == "function"


def test_overloads_are_counted_and_the_one_with_a_body_stands() -> None:
    text = "export function f(a: 1): 1;\nexport function f(a: 2): 2;\nexport function f(a: any) {\n  return g(a);\n}\n"
    found = symbols(text, "a.ts")["f"]
    assert (found.lines, found.metadata["declarations"], found.metadata["calls"]) == ((3, 5), 3, ["g"])


def test_a_type_and_a_value_of_one_name_are_one_record() -> None:
    found = symbols("export const Kind = () => 1;\nexport type Kind = 'a' | 'b';\n", "a.ts")
    assert list(found) == ["Kind"]
    kind: dict[str, Any] = dict(found["Kind"].metadata)
    assert (kind["symbolKind"], kind["nativeKinds"]) == ("type", ["function", "type"])


def test_namespaces_and_ambient_modules_qualify() -> None:
    text = "declare namespace axios {\n  interface Config { f(): void }\n}\ndeclare module 'a/b' {\n  function g(): void;\n}\n"
    found = symbols(text, "index.d.ts")
    assert {name: draft.metadata["public"] for name, draft in found.items()} == {
        "axios.Config": True,
        "axios.Config.f": True,
        "a.b.g": True,
    }


def test_components_are_called_and_elements_are_not() -> None:
    found = symbols("export const A = () => <div><B.C x={f()} /><D>{1}</D></div>;", "a.jsx")
    assert found["A"].metadata["calls"] == ["C", "D", "f"]
    assert symbols("export const A = () => <B />;", "a.tsx")["A"].metadata["calls"] == ["B"]
