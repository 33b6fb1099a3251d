"""A document describes what it names in code, in a heading, by path, by its own name or in an example."""

from collections.abc import Callable
from typing import Any

import pytest

from t2c.ledger.linking.documents import MAX_DESCRIBED

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def page(stated: State) -> State:
    def make(text: str, path: str = "docs/guide.md", origin: str = "reference", **about: Any) -> bytes:
        metadata = {"documentationOrigin": origin} | about.pop("metadata", {})
        return stated("document", "documentation_statement", text, path, metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def code(stated: State) -> dict[str, bytes]:
    def fact(kind: str, path: str, name: str, **metadata: Any) -> bytes:
        return stated(
            "ast", kind, f"{kind} {name}", path, action="declare", cls="fact", symbol=name,
            metadata={"test": False} | metadata,
        )  # fmt: skip

    return {
        "module": fact("module_fact", "src/shop/login.py", "shop.login", imports=["json"]),
        "lock": fact("symbol_fact", "src/shop/login.py", "lock_account"),
        "method": fact("symbol_fact", "src/shop/login.py", "Door.close_door"),
    }


def documented(relations: Any) -> list[tuple[str, str]]:
    return [(source, target) for source, kind, target in relations if kind == "documents"]


@pytest.mark.parametrize(
    ("text", "symbol", "target"),
    [
        ("The account is locked by `lock_account`.", "lock_account", "lock"),
        ("The account is locked by :func:`~shop.login.lock_account`.", "shop.login.lock_account", "lock"),
        ("The account is locked by shop.login.lock_account here.", "shop.login.lock_account", "lock"),
        ("Use `Door#close_door()` in the evening.", "Door.close_door", "method"),
    ],
)
def test_document_names_one_declaration(
    drawn: Draw, page: State, code: dict[str, bytes], text: str, symbol: str, target: str
) -> None:
    relations = drawn(page=page(text, symbols=(symbol,)), **code)
    assert documented(relations) == [("page", target)]


@pytest.mark.parametrize(
    ("text", "symbol"),
    [
        ("The account is locked by lock_account, in words.", "lock_account"),
        ("Read the file with `json.lock_account` of the language.", "json.lock_account"),
        ("Call `other.project.lock_account` of somebody else.", "other.project.lock_account"),
        ("The `unlock_account` is nowhere.", "unlock_account"),
        ("The old `shop.old.login.lock_account` is gone.", "shop.old.login.lock_account"),
    ],
)
def test_document_names_something_else(
    drawn: Draw, page: State, code: dict[str, bytes], text: str, symbol: str
) -> None:
    assert documented(drawn(page=page(text, symbols=(symbol,)), **code)) == []


def test_module_of_the_language_is_not_ours(
    drawn: Draw, page: State, stated: State, code: dict[str, bytes]
) -> None:
    ours = {
        name: stated("ast", kind, name, "src/shop/json.py", action="declare", cls="fact", symbol=name)
        for kind, name in (("module_fact", "shop.json"), ("symbol_fact", "loads"))
    }
    foreign = page("It is read with `json.loads` first.", symbols=("json.loads",))
    assert documented(drawn(page=foreign, module=ours["shop.json"], loads=ours["loads"])) == [
        ("page", "loads")
    ]
    both = {"own": ours["shop.json"], "loads": ours["loads"], **code}
    assert documented(drawn(page=foreign, **both)) == []


@pytest.mark.parametrize(
    ("path", "paths", "found"),
    [
        ("docs/guide.md", (), False),
        ("docs/guide.md", ("tests/test_lock.py",), True),
        ("tests/README.md", (), True),
        ("README.md", (), False),
    ],
)
def test_what_a_test_declares_is_meant_from_beside_it(
    drawn: Draw, page: State, stated: State, path: str, paths: tuple[str, ...], found: bool
) -> None:
    test = stated(
        "ast", "symbol_fact", "test lock_account", "tests/test_lock.py", action="declare", cls="fact",
        symbol="lock_account", metadata={"test": True},
    )  # fmt: skip
    told = page("See `lock_account` in it.", path, symbols=("lock_account",), paths=paths)
    assert documented(drawn(page=told, test=test)) == ([("page", "test")] if found else [])


def test_heading_describes_what_it_names(drawn: Draw, page: State, code: dict[str, bytes]) -> None:
    relations = drawn(page=page("lock_account", origin="heading", symbols=("lock_account",)), **code)
    (relation,) = (one for one in relations.links.relations if one.type == "documents")
    assert "in_heading" in relation.basis


def test_plan_describes_nothing(drawn: Draw, stated: State, code: dict[str, bytes]) -> None:
    asked = stated(
        "document",
        "requirement",
        "`lock_account` must log",
        "docs/s.md",
        cls="plan",
        symbols=("lock_account",),
    )
    assert documented(drawn(asked=asked, **code)) == []


def test_name_of_several_declarations_is_ambiguous(
    drawn: Draw, page: State, stated: State, code: dict[str, bytes]
) -> None:
    other = stated(
        "ast", "symbol_fact", "function lock_account", "src/shop/mail.py", action="declare", cls="fact",
        symbol="lock_account", metadata={"test": False},
    )  # fmt: skip
    relations = drawn(page=page("See `lock_account` here.", symbols=("lock_account",)), other=other, **code)
    assert documented(relations) == []
    assert relations.counted()["documented_ambiguous"] == 1


def test_long_list_describes_nothing(drawn: Draw, page: State, code: dict[str, bytes]) -> None:
    names = ("lock_account", *(f"name_{n}" for n in range(MAX_DESCRIBED)))
    relations = drawn(page=page(", ".join(f"`{name}`" for name in names), symbols=names), **code)
    assert documented(relations) == []
    assert relations.counted()["documented_list"] == 1


@pytest.mark.parametrize(
    ("text", "path", "found"),
    [
        ("The lock is in `src/shop/login.py`.", "README.md", True),
        ("The lock is in [the code](shop/login.py).", "src/README.md", True),
        ("The lock is in `login.py`.", "src/shop/README.md", True),
        ("Write your own `login.py` first.", "README.md", False),
    ],
)
def test_document_names_the_file(
    drawn: Draw, page: State, code: dict[str, bytes], text: str, path: str, found: bool
) -> None:
    relations = drawn(page=page(text, path, paths=("src/shop/login.py",)), **code)
    assert documented(relations) == ([("page", "module")] if found else [])


def test_file_at_the_root_is_as_often_the_readers_own(drawn: Draw, page: State, stated: State) -> None:
    module = stated(
        "ast", "module_fact", "config.py", "config.py", action="declare", cls="fact", symbol="config"
    )
    told = page("Write a `config.py` first, then run it.", "README.md", paths=("config.py",))
    assert documented(drawn(page=told, module=module)) == []


def test_document_names_the_whole_key_of_a_setting(drawn: Draw, page: State, stated: State) -> None:
    def setting(key: str, path: str = "pyproject.toml") -> bytes:
        return stated(
            "system", "configuration_declaration", f"configure {key}", path, cls="fact", metadata={"key": key}
        )

    settings = {"retries": setting("tool.shop.retries"), "shop": setting("shop")}
    text = page("Set `tool.shop.retries` for the `shop`.")
    assert documented(drawn(page=text, **settings)) == [("page", "retries")]
    relations = drawn(page=text, again=setting("tool.shop.retries", "other.toml"), **settings)
    assert documented(relations) == []
    assert relations.counted() == {"documented_ambiguous": 1}


def test_page_that_is_named_like_a_module_is_about_it(drawn: Draw, page: State, stated: State) -> None:
    def module(path: str) -> bytes:
        return stated("ast", "module_fact", path, path, action="declare", cls="fact", symbol=path)

    top = page("How it works", "docs/rules/no-alert.md", "heading", metadata={"level": 1})
    below = page("Options of it", "docs/rules/no-alert.md", "heading", metadata={"level": 2})
    rule, test = module("lib/rules/no-alert.js"), module("tests/lib/rules/no-alert.js")
    assert documented(drawn(top=top, below=below, rule=rule, test=test)) == [("top", "rule")]
    assert documented(drawn(top=top, rule=rule, other=module("lib/other/no-alert.js"))) == []
    plain = page("How it works", "docs/guide/signals.md", "heading", metadata={"level": 1})
    assert documented(drawn(top=plain, rule=module("lib/rules/signals.js"))) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from shop.login import lock_account\n\nlock_account(1)", ["lock"]),
        ("from shop import (\n    lock_account as lock,\n)\n", ["lock"]),
        ("import shop.login\nshop.login.lock_account(1)", ["lock"]),
        ("from shop import close_door", []),
        ("from shop import login", ["module"]),
        ("from shop.mail.deep import lock_account", []),
        ("lock_account(1)", []),
        ("from other import lock_account", []),
    ],
)
def test_example_describes_what_it_imports_and_calls(
    drawn: Draw, stated: State, code: dict[str, bytes], text: str, found: list[str]
) -> None:
    example = stated("document", "documentation_example", "python example", "docs/guide.md", excerpt=text)
    assert documented(drawn(example=example, **code)) == [("example", label) for label in found]


def test_document_tells_of_a_declared_intent(drawn: Draw, page: State, stated: State) -> None:
    intent = stated("nl", "declared_intent", "Lock an account after five failed logins", "ticket.md")
    told = page("Accounts are locked after five failed logins.")
    assert documented(drawn(page=told, intent=intent)) == [("page", "intent")]
    denied = page("Accounts are locked after five failed logins.", polarity="negative")
    assert documented(drawn(page=denied, intent=intent)) == []
    assert documented(drawn(page=page("Accounts are listed on the first page."), intent=intent)) == []
