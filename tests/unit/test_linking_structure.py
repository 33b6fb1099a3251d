"""Structure of code: what holds what, which module needs which, which test exercises what; and nothing else."""

from collections.abc import Iterator, Mapping

import pytest

from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.config.extractor import ConfigExtractor
from t2c.ledger.linking import features
from t2c.ledger.linking.base import LinkDraft
from t2c.ledger.linking.exercising import MAX_EXERCISED
from t2c.ledger.linking.linker import MAX_RELATIONS, link
from t2c.ledger.linking.structure import MAX_USES, called_by


class Files(dict[str, str]):
    """The files of one inventory."""

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return self[path].encode() if path in self else None

    def bodies(self) -> Iterator[bytes]:
        for path, text in self.items():
            for extractor in (CodeExtractor(), ConfigExtractor()):
                if extractor.wants(path):
                    yield from (
                        found.body for found in materialise(extractor.read(path, text.encode(), self))
                    )


class Drawn:
    """The relations between the records of some files; a symbol is `path:name`, a module its path."""

    def __init__(self, files: Mapping[str, str]) -> None:
        bodies = list(Files(files).bodies())
        self.corpus = features.read(bodies)
        self.labels = {}
        for record in self.corpus.records:
            path, name = record.source.path or "", record.source.symbol
            kind = record.statement.kind
            if kind == "dependency_declaration":
                self.labels[record.id] = f"{path}:{record.metadata.name}"
            else:
                self.labels[record.id] = f"{path}:{name}" if kind == "symbol_fact" else path
        self.links = link(bodies)
        assert link(reversed(bodies)) == self.links

    def of(self, kind: str) -> list[tuple[str, str]]:
        return sorted(
            (self.labels[draft.source], self.labels[draft.target])
            for draft in self.links.relations
            if draft.type == kind
        )

    def one(self, source: str, target: str) -> LinkDraft:
        (draft,) = (
            draft
            for draft in self.links.relations
            if (self.labels[draft.source], self.labels[draft.target]) == (source, target)
        )
        return draft

    def counted(self) -> dict[str, int]:
        return {warning.reason: warning.count for warning in self.links.warnings}


PACKAGE = {"shop/__init__.py": "from shop.cart import Cart, total_price\n"}
CART = {
    "shop/cart.py": "class Cart:\n    def add_line(self): ...\n    def clear(self): ...\n\n\ndef total_price(cart): ...\n"
}


# -- declares --------------------------------------------------------------------------------------------------


def test_each_symbol_is_declared_once_by_the_nearest_that_holds_it() -> None:
    drawn = Drawn(CART)
    assert drawn.of("declares") == [
        ("shop/cart.py", "shop/cart.py:Cart"),
        ("shop/cart.py", "shop/cart.py:total_price"),
        ("shop/cart.py:Cart", "shop/cart.py:Cart.add_line"),
        ("shop/cart.py:Cart", "shop/cart.py:Cart.clear"),
    ]
    assert drawn.one("shop/cart.py", "shop/cart.py:Cart").confidence == 1


def test_a_module_declares_more_than_a_rule_may_choose() -> None:
    many = "".join(f"def step_{number}(): ...\n" for number in range(3 * MAX_RELATIONS))
    drawn = Drawn({"steps.py": many})
    assert len(drawn.of("declares")) == 3 * MAX_RELATIONS
    assert "relations_capped" not in drawn.counted()


def test_a_method_in_another_file_of_the_package_is_of_its_type() -> None:
    drawn = Drawn(
        {
            "cart/cart.go": "package cart\ntype Cart struct{}\n",
            "cart/lines.go": "package cart\nfunc (c *Cart) Add() {}\nfunc (o *Other) Drop() {}\n",
            "web/cart.go": "package web\ntype Cart struct{}\n",
        }
    )
    assert ("cart/cart.go:Cart", "cart/lines.go:Cart.Add") in drawn.of("declares")
    assert ("cart/lines.go", "cart/lines.go:Other.Drop") in drawn.of("declares")


# -- depends_on ------------------------------------------------------------------------------------------------


def test_a_pair_of_modules_is_related_once_with_what_is_used() -> None:
    drawn = Drawn({**CART, "shop/__init__.py": "", "shop/web.py": (
        "from shop.cart import Cart, total_price\n\n\ndef show():\n    return total_price(Cart())\n\n\n"
        "def pay():\n    return total_price(None)\n"
    )})  # fmt: skip
    assert drawn.of("depends_on") == [("shop/web.py", "shop/cart.py")]
    draft = drawn.one("shop/web.py", "shop/cart.py")
    assert draft.basis == ("calls", "imports")
    assert draft.confidence == 1
    assert draft.signals == (
        ("called", "3"), ("imported", "1"), ("uses", "Cart"), ("uses", "total_price"),
    )  # fmt: skip


def test_what_a_package_passes_on_is_used_where_it_is_declared() -> None:
    drawn = Drawn(
        {**PACKAGE, **CART, "run.py": "from shop import total_price\n\n\ndef main():\n    total_price(1)\n"}
    )
    assert ("run.py", "shop/__init__.py") in drawn.of("depends_on")
    draft = drawn.one("run.py", "shop/cart.py")
    assert draft.basis == ("calls",)
    assert draft.confidence < 1
    assert ("uses", "total_price") in draft.signals


def test_modules_that_share_a_called_name_and_no_import_are_not_related() -> None:
    drawn = Drawn({**CART, "other.py": "def show(cart):\n    total_price(cart)\n    cart.add_line()\n"})
    assert drawn.of("depends_on") == []


def test_a_called_name_that_a_type_has_as_a_member_is_not_taken_for_the_function() -> None:
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def total_price(cart): ...\n",
            "shop/order.py": "class Order:\n    def total_price(self): ...\n",
            "run.py": "import shop.cart\nimport shop.order\n\n\ndef main(order):\n    order.total_price()\n",
        }
    )
    assert {draft.basis for draft in drawn.links.relations if draft.type == "depends_on"} == {("imports",)}


def test_a_name_that_others_call_who_cannot_see_it_is_anothers_too() -> None:
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "def total_price(cart): ...\n",
        "run.py": "import shop.cart\n\n\ndef main():\n    shop.cart.total_price(1)\n",
    }
    others = {f"o{number}.py": "def show(x):\n    x.total_price()\n" for number in range(3)}
    assert Drawn(files).one("run.py", "shop/cart.py").basis == ("calls", "imports")
    assert Drawn({**files, **others}).one("run.py", "shop/cart.py").basis == ("imports",)


def test_go_files_of_one_package_need_each_other_by_what_they_call() -> None:
    drawn = Drawn(
        {
            "cart/cart.go": "package cart\nfunc newLine() {}\nfunc New() {}\n",
            "cart/web.go": 'package cart\nimport "errors"\nfunc show() { newLine(); errors.New("x") }\n',
            "web/web.go": "package web\nfunc show() { newLine() }\n",
        }
    )
    assert drawn.of("depends_on") == [("cart/web.go", "cart/cart.go")]
    assert drawn.one("cart/web.go", "cart/cart.go").signals == (("called", "1"), ("uses", "newLine"))


def test_a_package_that_is_imported_stands_by_its_face_where_no_name_tells_the_file() -> None:
    files = {
        "go.mod": "module example.org/shop\n",
        "cart/cart.go": "package cart\ntype Cart struct{}\n",
        "cart/line.go": "package cart\ntype Line struct{}\nfunc ParseLine() {}\n",
        "api/a.go": "package api\ntype A struct{}\n",
        "api/b.go": "package api\ntype B struct{}\n",
        "types.go": 'package shop\nimport "example.org/shop/cart"\nvar c cart.Cart\n',
        "calls.go": 'package shop\nimport "example.org/shop/cart"\nfunc f() { cart.ParseLine() }\n',
        "unsure.go": 'package shop\nimport "example.org/shop/api"\nvar a api.A\n',
    }
    drawn = Drawn(files)
    assert drawn.of("depends_on") == [("calls.go", "cart/line.go"), ("types.go", "cart/cart.go")]
    assert ("package", "cart") in drawn.one("types.go", "cart/cart.go").signals
    assert drawn.counted()["import_of_package"] == 1


def test_names_that_few_take_are_told_before_those_that_all_take() -> None:
    names = [f"name_{number:02}" for number in range(MAX_USES + 4)]
    declared = "".join(f"def {name}(): ...\n" for name in names)
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": declared,
            "shop/all.py": f"from shop.cart import {', '.join(names)}\n",
            "shop/some.py": f"from shop.cart import {', '.join(names[:-2])}\n",
        }
    )
    told = [value for name, value in drawn.one("shop/all.py", "shop/cart.py").signals if name == "uses"]
    assert len(told) == MAX_USES
    assert set(names[-2:]) <= set(told)


@pytest.mark.parametrize(
    ("manifest", "declared", "path", "line", "found"),
    [
        ("pyproject.toml", '[project]\nname = "a"\ndependencies = ["google-cloud-storage"]\n',
         "a/run.py", "import google.cloud.storage", "google-cloud-storage"),
        ("package.json", '{"dependencies": {"@scope/pkg": "1"}}', "a/run.js", "import x from '@scope/pkg/sub'",
         "@scope/pkg"),
        ("package.json", '{"dependencies": {"lodash": "1"}}', "a/run.js", "import x from 'lodash-es'", None),
        ("go.mod", "module a\nrequire github.com/x/y v1.0.0\n", "a/run.go",
         'package a\nimport "github.com/x/y/z"', "github.com/x/y"),
        ("Cargo.toml", '[dependencies]\nserde-json = "1"\n', "src/main.rs", "use serde_json::Value;", "serde-json"),
        ("package.json", '{"dependencies": {"requests": "1"}}', "a/run.py", "import requests", None),
    ],
)  # fmt: skip
def test_an_import_from_outside_is_of_the_dependency_of_its_ecosystem(
    manifest: str, declared: str, path: str, line: str, found: str | None
) -> None:
    drawn = Drawn({manifest: declared, path: line + "\n"})
    expected = [] if found is None else [(path, f"{manifest}:{found}")]
    assert drawn.of("depends_on") == expected


def test_the_nearest_manifest_above_declares_the_dependency() -> None:
    declared = '{"dependencies": {"lodash": "1"}}'
    drawn = Drawn(
        {"package.json": declared, "web/package.json": declared, "api/package.json": declared,
         "web/src/a.js": "import x from 'lodash'\n", "b.js": "import x from 'lodash'\n"}
    )  # fmt: skip
    assert drawn.of("depends_on") == [
        ("b.js", "package.json:lodash"),
        ("web/src/a.js", "web/package.json:lodash"),
    ]


# -- tests -----------------------------------------------------------------------------------------------------


def test_a_test_exercises_what_it_calls_and_is_named_after() -> None:
    drawn = Drawn({**PACKAGE, **CART, "tests/test_prices.py": (
        "from shop import Cart, total_price\n\n\n"
        "def test_total_price_of_nothing():\n    assert total_price(Cart()) == 0\n\n\n"
        "def test_lines():\n    Cart().add_line()\n\n\ndef test_nothing():\n    assert True\n"
    )})  # fmt: skip
    assert drawn.of("tests") == [
        ("tests/test_prices.py:test_lines", "shop/cart.py:Cart"),
        ("tests/test_prices.py:test_lines", "shop/cart.py:Cart.add_line"),
        ("tests/test_prices.py:test_total_price_of_nothing", "shop/cart.py:Cart"),
        ("tests/test_prices.py:test_total_price_of_nothing", "shop/cart.py:total_price"),
    ]
    both = drawn.one("tests/test_prices.py:test_total_price_of_nothing", "shop/cart.py:total_price")
    called = drawn.one("tests/test_prices.py:test_total_price_of_nothing", "shop/cart.py:Cart")
    member = drawn.one("tests/test_prices.py:test_lines", "shop/cart.py:Cart.add_line")
    assert (both.basis, called.basis, member.basis) == (
        ("called_and_named",), ("called_taken",), ("called_member",),
    )  # fmt: skip
    assert both.confidence > called.confidence > member.confidence
    assert both.signals == (("call", "total_price"), ("name", "total_price"))


def test_a_member_that_is_called_and_whose_name_the_test_bears_is_surer() -> None:
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "class Cart:\n    def add_line(self): ...\n",
            "tests/test_a.py": "from shop.cart import Cart\n\n\ndef test_add_line_twice():\n    Cart().add_line()\n\n\n"
            "def test_adding():\n    Cart().add_line()\n",
        }
    )
    twice = drawn.one("tests/test_a.py:test_add_line_twice", "shop/cart.py:Cart.add_line")
    adding = drawn.one("tests/test_a.py:test_adding", "shop/cart.py:Cart.add_line")
    assert (twice.basis, adding.basis) == (("called_and_named",), ("called_member",))
    assert twice.confidence > adding.confidence


def test_helpers_of_tests_are_not_exercised() -> None:
    drawn = Drawn(
        {
            "tests/__init__.py": "",
            "tests/making.py": "def make_cart(): ...\n",
            "tests/test_cart.py": "from tests.making import make_cart\n\n\ndef test_make_cart():\n    make_cart()\n",
            "src/cart.rs": "pub fn total_price() {}\n#[cfg(test)]\nmod tests {\n  use super::*;\n"
            "  fn set_up() {}\n  #[test]\n  fn sums() { set_up(); total_price(); }\n}\n",
        }
    )
    assert drawn.of("tests") == [("src/cart.rs:tests.sums", "src/cart.rs:total_price")]


def test_a_name_of_a_members_kind_counts_only_where_one_type_has_it() -> None:
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    def add_line(self): ...\n    def describe(self): ...\n",
        "tests/test_cart.py": (
            "from shop.cart import Cart\nfrom shop.order import Order\n\n\n"
            "def test_a(x):\n    x.add_line()\n    x.describe()\n"
        ),
    }
    one = Drawn({**files, "shop/order.py": "class Order: ...\n"})
    two = Drawn({**files, "shop/order.py": "class Order:\n    def add_line(self): ...\n"})
    assert ("tests/test_cart.py:test_a", "shop/cart.py:Cart.add_line") in one.of("tests")
    assert all(not target.endswith(("add_line", "describe")) for _, target in two.of("tests"))
    assert all(not target.endswith("describe") for _, target in one.of("tests"))


def test_a_member_that_types_elsewhere_have_too_needs_the_name_of_its_type() -> None:
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    def add_line(self): ...\n\n\ndef make(): ...\n",
        "other/order.py": "class Order:\n    def add_line(self): ...\n",
    }
    unnamed = "import shop.cart\n\n\ndef test_a():\n    shop.cart.make().add_line()\n"
    named = "import shop.cart\n\n\ndef test_a():\n    shop.cart.Cart().add_line()\n"
    member = ("tests/test_a.py:test_a", "shop/cart.py:Cart.add_line")
    assert member not in Drawn({**files, "tests/test_a.py": unnamed}).of("tests")
    assert member in Drawn({**files, "tests/test_a.py": named}).of("tests")


def test_a_member_of_a_type_in_the_tests_own_file_is_meant_before_that_of_the_product() -> None:
    files = {
        "shop/__init__.py": "",
        "shop/cart.py": "class Cart:\n    def add_line(self): ...\n",
        "tests/test_a.py": "from shop.cart import Cart\n\n\nclass Fake:\n    def add_line(self): ...\n\n\n"
        "def test_a():\n    Fake().add_line()\n",
    }
    assert all(not target.endswith("add_line") for _, target in Drawn(files).of("tests"))


@pytest.mark.parametrize(
    "path",
    ["src/shop-test-support/lib.js", "Sources/ShopTestHelpers/a.js", "shop/testing/a.js", "benches/a.js"],
)
def test_what_helps_tests_is_told_by_its_folder(path: str) -> None:
    drawn = Drawn(
        {
            path: "export function makeCart() {}\n",
            "test/unit/cart.test.js": f"import {{ makeCart }} from '../../{path}'\nit('sums', () => {{ makeCart() }})\n",
        }
    )
    assert drawn.of("tests") == []
    assert ("test/unit/cart.test.js", path) in drawn.of("depends_on")


@pytest.mark.parametrize(
    ("files", "test", "target"),
    [
        ({"cart.go": "package cart\nfunc ParseLine() {}\n",
          "cart_test.go": 'package cart\nimport "testing"\nfunc TestParseLine(t *testing.T) {}\n'},
         "cart_test.go:TestParseLine", "cart.go:ParseLine"),
        ({"cart.go": "package cart\ntype Cart struct{}\nfunc (c *Cart) Sum() {}\n",
          "cart_test.go": 'package cart\nimport "testing"\nfunc TestCart_Sum(t *testing.T) {}\n'},
         "cart_test.go:TestCart_Sum", "cart.go:Cart.Sum"),
        ({"lib/cart.js": "export function parseLine() {}\n",
          "test/cart.test.js": "import * as cart from '../lib/cart'\nit('parseLine() of nothing', () => {})\n"},
         "test/cart.test.js:parseLine() of nothing", "lib/cart.js:parseLine"),
        ({"src/main/java/a/Cart.java": "package a;\npublic class Cart {}\n",
          "src/test/java/a/CartTest.java": "package a;\nclass CartTest { @Test void sums() {} }\n"},
         "src/test/java/a/CartTest.java:CartTest", "src/main/java/a/Cart.java:Cart"),
    ],
)  # fmt: skip
def test_a_test_exercises_what_it_is_named_after(files: dict[str, str], test: str, target: str) -> None:
    assert (test, target) in Drawn(files).of("tests")
    assert Drawn(files).one(test, target).basis == ("named_after",)


def test_a_word_of_a_sentence_is_no_name() -> None:
    drawn = Drawn(
        {
            "lib/cart.js": "export function remove() {}\nexport function lines() {}\n",
            "test/cart.test.js": "import * as cart from '../lib/cart'\nit('can remove lines', () => {})\n",
        }
    )
    assert [target for _, target in drawn.of("tests")] == ["lib/cart.js"]


def test_a_name_that_goes_on_needs_the_call() -> None:
    files = {
        "cart.go": "package cart\nfunc ParseLine() {}\n",
        "cart_test.go": 'package cart\nimport "testing"\nfunc TestParseLineAgain(t *testing.T) { BODY }\n',
    }
    silent = {path: text.replace("BODY", "") for path, text in files.items()}
    calling = {path: text.replace("BODY", "ParseLine()") for path, text in files.items()}
    assert ("cart_test.go:TestParseLineAgain", "cart.go:ParseLine") not in Drawn(silent).of("tests")
    assert ("cart_test.go:TestParseLineAgain", "cart.go:ParseLine") in Drawn(calling).of("tests")


def test_what_nearly_every_test_sets_up_is_told_only_of_tests_of_nothing_else() -> None:
    tests = "".join(f"def test_{number}():\n    start_shop()\n\n\n" for number in range(40))
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def start_shop(): ...\ndef total_price(): ...\n",
            "tests/test_cart.py": "from shop.cart import start_shop, total_price\n\n\n" + tests
            + "def test_price():\n    start_shop()\n    total_price()\n",
        }
    )  # fmt: skip
    assert [target for test, target in drawn.of("tests") if test.endswith("test_price")] == [
        "shop/cart.py:total_price"
    ]
    assert [target for test, target in drawn.of("tests") if test.endswith("test_7")] == [
        "shop/cart.py:start_shop"
    ]


def test_a_test_of_many_tells_the_strongest_and_counts_the_rest() -> None:
    names = [f"step_{number:02}" for number in range(MAX_EXERCISED + 3)]
    calls = "".join(f"    {name}()\n" for name in names)
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "".join(f"def {name}(): ...\n" for name in names),
            "tests/test_cart.py": f"from shop.cart import {', '.join(names)}\n\n\ndef test_step_10():\n{calls}",
        }
    )
    told = [target for test, target in drawn.of("tests") if ":" in test]
    assert len(told) == MAX_EXERCISED
    assert "shop/cart.py:step_10" in told
    assert drawn.counted()["exercises_capped"] == 3


def test_a_file_of_tests_is_of_the_module_that_it_is_named_after() -> None:
    drawn = Drawn(
        {
            "lib/rules/no-new.js": "module.exports = {}\n",
            "lib/tester.js": "module.exports = {}\n",
            "tests/lib/rules/no-new.js": "const rule = require('../../../lib/rules/no-new')\n"
            "const tester = require('../../../lib/tester')\nnew tester().run('no-new', rule)\n",
        }
    )
    assert drawn.of("tests") == [("tests/lib/rules/no-new.js", "lib/rules/no-new.js")]


def test_a_file_of_tests_that_imports_many_modules_is_of_none() -> None:
    modules = {f"shop/m{number}.py": "X = 1\n" for number in range(4)}
    few = "import shop.m0\nimport shop.m1\n\n\ndef test_all(): ...\n"
    many = few.replace("import shop.m1", "import shop.m1\nimport shop.m2\nimport shop.m3")
    base = {"shop/__init__.py": "", **modules}
    assert [target for _, target in Drawn({**base, "tests/test_all.py": few}).of("tests")] == [
        "shop/m0.py",
        "shop/m1.py",
    ]
    drawn = Drawn({**base, "tests/test_all.py": many})
    assert drawn.of("tests") == []
    assert drawn.counted()["exercises_unsure"] == 1


# -- who uses a symbol -----------------------------------------------------------------------------------------


def test_who_uses_a_symbol_is_told_apart_from_which_tests_exercise_it() -> None:
    drawn = Drawn(
        {
            "shop/__init__.py": "",
            "shop/cart.py": "def used_price(): ...\ndef tested_price(): ...\ndef idle_price(): ...\n"
            "def loop_price():\n    loop_price()\n",
            "shop/web.py": "from shop.cart import used_price\n\n\ndef show():\n    used_price()\n",
            "tests/test_cart.py": "from shop.cart import tested_price\n\n\ndef test_it():\n    tested_price()\n",
        }
    )
    found = {drawn.labels[identity]: told for identity, told in called_by(drawn.corpus).items()}
    assert found["shop/cart.py:used_price"].is_called
    assert not found["shop/cart.py:used_price"].tests
    assert not found["shop/cart.py:tested_price"].is_called
    assert [drawn.labels[test] for test in found["shop/cart.py:tested_price"].tests] == [
        "tests/test_cart.py:test_it"
    ]
    assert "shop/cart.py:idle_price" not in found
    assert "shop/cart.py:loop_price" not in found
