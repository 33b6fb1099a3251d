"""An import means the module that its language says; what several modules may be meant by means none."""

from collections.abc import Iterator, Mapping

import pytest

from t2c.ledger.intake.base import materialise
from t2c.ledger.intake.code.extractor import CodeExtractor
from t2c.ledger.intake.config.extractor import ConfigExtractor
from t2c.ledger.linking import features
from t2c.ledger.linking.modules import Code
from t2c.ledger.linking.resolution import resolved


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


def code(files: Mapping[str, str]) -> Code:
    return resolved(features.read(Files(files).bodies()))


def imported(found: Code, path: str) -> set[str]:
    """The files that a file imports, those of a package all together."""
    return {target for taken in found.modules[path].taken for target in taken.paths}


CASES = {
    "python, absolute from another folder": (
        {
            "src/shop/__init__.py": "",
            "src/shop/cart.py": "def total(): ...",
            "tests/test_cart.py": "from shop.cart import total",
        },
        "tests/test_cart.py",
        {"src/shop/cart.py"},
    ),
    "python, relative": (
        {
            "shop/__init__.py": "",
            "shop/api/__init__.py": "",
            "shop/api/web.py": "from ..cart import total",
            "shop/cart.py": "",
        },
        "shop/api/web.py",
        {"shop/cart.py"},
    ),
    "python, a module taken from its package": (
        {
            "shop/__init__.py": "VERSION = 1",
            "shop/cart.py": "",
            "shop/web.py": "from . import cart",
            "run.py": "",
        },
        "shop/web.py",
        {"shop/cart.py"},
    ),
    "python, a name of the package that a module bears too": (
        {
            "shop/__init__.py": "def cart(): ...",
            "shop/cart.py": "",
            "shop/web.py": "from . import cart",
        },
        "shop/web.py",
        {"shop/__init__.py"},
    ),
    "python, beside a script": (
        {"tools/load.py": "import steps", "tools/steps.py": "", "src/steps/__init__.py": ""},
        "tools/load.py",
        {"tools/steps.py"},
    ),
    "python, no module inside of a package for a bare name": (
        {"shop/__init__.py": "", "shop/json.py": "", "run.py": "import json"},
        "run.py",
        set(),
    ),
    "python, nor from a neighbour in the package": (
        {"shop/__init__.py": "", "shop/json.py": "", "shop/web.py": "import json"},
        "shop/web.py",
        set(),
    ),
    "python, the source before its stub": (
        {"shop/__init__.py": "", "shop/a.py": "", "shop/a.pyi": "", "t/test_a.py": "import shop.a"},
        "t/test_a.py",
        {"shop/a.py"},
    ),
    "javascript, index of a folder": (
        {"lib/a.js": "import { b } from './b'", "lib/b/index.js": "export function b() {}"},
        "lib/a.js",
        {"lib/b/index.js"},
    ),
    "typescript, ending left out": (
        {"src/a.ts": "import { b } from './b'", "src/b.tsx": "export const b = 1"},
        "src/a.ts",
        {"src/b.tsx"},
    ),
    "go, below the name of the module": (
        {
            "go.mod": "module example.org/shop\n",
            "cmd/main.go": 'package main\nimport "example.org/shop/cart"\n',
            "cart/cart.go": "package cart\n",
            "cart/cart_test.go": "package cart\n",
        },
        "cmd/main.go",
        {"cart/cart.go"},
    ),
    "go, of another module of the same repository": (
        {
            "go.mod": "module example.org/shop\n",
            "tools/go.mod": "module example.org/shop/lint\n",
            "main.go": 'package main\nimport "example.org/shop/lint/rules"\n',
            "tools/rules/rules.go": "package rules\n",
        },
        "main.go",
        {"tools/rules/rules.go"},
    ),
    "go, somebody else's": (
        {
            "go.mod": "module example.org/shop\n",
            "main.go": 'package main\nimport "example.org/shopping/cart"\n',
            "cart/cart.go": "package cart\n",
        },
        "main.go",
        set(),
    ),
    "rust, of the crate": (
        {
            "src/lib.rs": "mod cart;",
            "src/web.rs": "use crate::cart::total;",
            "src/cart.rs": "pub fn total() {}",
        },
        "src/web.rs",
        {"src/cart.rs"},
    ),
    "java, in tests of another root": (
        {
            "core/src/main/java/org/shop/Cart.java": "package org.shop;\npublic class Cart {}",
            "web/src/test/java/org/web/CartTest.java": "package org.web;\nimport org.shop.Cart;\nclass CartTest {}",
        },
        "web/src/test/java/org/web/CartTest.java",
        {"core/src/main/java/org/shop/Cart.java"},
    ),
    "java, a type inside of a type": (
        {
            "a/org/shop/Cart.java": "package org.shop;\npublic class Cart { public static class Line {} }",
            "b/org/web/Web.java": "package org.web;\nimport org.shop.Cart.Line;\nclass Web {}",
        },
        "b/org/web/Web.java",
        {"a/org/shop/Cart.java"},
    ),
    "java, of two files so named none": (
        {
            "a/org/shop/Cart.java": "package org.shop;\npublic class Cart {}",
            "b/org/shop/Cart.java": "package org.shop;\npublic class Cart {}",
            "c/org/web/Web.java": "package org.web;\nimport org.shop.Cart;\nclass Web {}",
        },
        "c/org/web/Web.java",
        set(),
    ),
    "kotlin, names of a package": (
        {
            "src/Carts.kt": "package org.shop\nclass Cart\nfun total() = 1",
            "src/Web.kt": "package org.web\nimport org.shop.Cart\nimport org.shop.total\n",
        },
        "src/Web.kt",
        {"src/Carts.kt"},
    ),
    "scala, a package as a whole": (
        {
            "src/Cart.scala": "package org.shop\nclass Cart",
            "src/Web.scala": "package org.web\nimport org.shop._\nclass Web",
        },
        "src/Web.scala",
        {"src/Cart.scala"},
    ),
    "c#, a namespace": (
        {
            "src/Cart.cs": "namespace Shop.Carts;\npublic class Cart {}",
            "src/Web.cs": "using Shop.Carts;\nnamespace Web;\npublic class Page {}",
        },
        "src/Web.cs",
        {"src/Cart.cs"},
    ),
    "php, a class": (
        {
            "lib/Cart.php": "<?php\nnamespace Shop;\nclass Cart {}",
            "web/page.php": "<?php\nuse Shop\\Cart;\n",
        },
        "web/page.php",
        {"lib/Cart.php"},
    ),
    "c, by the end of a path": (
        {"inc/shop/cart.h": "int total(void);", "src/web.c": "#include <shop/cart.h>\n"},
        "src/web.c",
        {"inc/shop/cart.h"},
    ),
    "c, of the system": (
        {"compat/string.h": "int x(void);", "src/web.c": "#include <string.h>\n"},
        "src/web.c",
        set(),
    ),
    "ruby": (
        {"lib/shop/cart.rb": "class Cart\nend", "test/test_cart.rb": 'require "shop/cart"\n'},
        "test/test_cart.rb",
        {"lib/shop/cart.rb"},
    ),
    "swift, the target that is imported": (
        {
            "Sources/Shop/Cart.swift": "public struct Cart {}",
            "Tests/ShopTests/CartTests.swift": "@testable import Shop\n",
        },
        "Tests/ShopTests/CartTests.swift",
        {"Sources/Shop/Cart.swift"},
    ),
    "elixir, where no project says where": (
        {
            "apps/shop/lib/shop/cart.ex": "defmodule Shop.Cart do\nend\n",
            "apps/web/lib/web.ex": "defmodule Web do\n  alias Shop.Cart\nend\n",
        },
        "apps/web/lib/web.ex",
        {"apps/shop/lib/shop/cart.ex"},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_import_means_what_its_language_says(name: str) -> None:
    files, path, targets = CASES[name]
    assert imported(code(files), path) == targets


def test_what_several_modules_may_be_meant_by_is_told() -> None:
    found = code(CASES["java, of two files so named none"][0])
    assert found.ambiguous == ["org.shop.Cart as a/org/shop/Cart.java, b/org/shop/Cart.java"]


def test_global_using_is_of_every_file_of_its_project() -> None:
    found = code(
        {
            "src/Shop/Cart.cs": "namespace Shop.Carts;\npublic class Cart {}",
            "src/Web/Usings.cs": "global using Shop.Carts;\n",
            "src/Web/Page.cs": "namespace Web;\npublic class Page {}",
            "src/Other/Page.cs": "namespace Other;\npublic class Page {}",
        }
    )
    assert found.modules["src/Web/Page.cs"].packages == {"csharp:Shop.Carts"}
    assert not found.modules["src/Other/Page.cs"].packages


def test_symbol_is_in_the_nearest_that_holds_it_and_a_title_may_hold_dots() -> None:
    found = code(
        {
            "lib/a.test.js": "describe('v1.2', () => { it('parses 1.2.3', () => {}) })",
            "shop.py": "class Cart:\n    class Line:\n        def sum(self): ...\n",
        }
    )
    cart = found.modules["shop.py"].symbols
    assert {name: cart[name].parent for name in cart} == {
        "Cart": None,
        "Cart.Line": "Cart",
        "Cart.Line.sum": "Cart.Line",
    }
    titles = found.modules["lib/a.test.js"].symbols
    assert titles["v1.2 > parses 1.2.3"].leaf == "parses 1.2.3"
    assert titles["v1.2 > parses 1.2.3"].parent is None


def test_order_of_records_does_not_matter() -> None:
    for files, path, _ in CASES.values():
        bodies = list(Files(files).bodies())
        one, other = (resolved(features.read(order)) for order in (bodies, bodies[::-1]))
        assert imported(one, path) == imported(other, path)
        assert list(one.modules) == list(other.modules)
