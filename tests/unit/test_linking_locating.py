"""What a requirement, an intent or a message names is where to look for it."""

from collections.abc import Callable
from typing import Any

import pytest

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def code(stated: State) -> dict[str, bytes]:
    def fact(kind: str, path: str, name: str) -> bytes:
        return stated("ast", kind, f"{kind} {name}", path, action="declare", cls="fact", symbol=name)

    return {
        "module": fact("module_fact", "src/shop/login.py", "shop.login"),
        "lock": fact("symbol_fact", "src/shop/login.py", "lock_account"),
    }


def located(relations: Any) -> list[tuple[str, str]]:
    return [(source, target) for source, kind, target in relations if kind == "related_to"]


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("document", "requirement"),
        ("document", "architecture_decision"),
        ("nl", "declared_intent"),
        ("agent_log", "communication_report"),
    ],
)
def test_statement_names_one_declaration(
    drawn: Draw, stated: State, code: dict[str, bytes], source: str, kind: str
) -> None:
    said = stated(source, kind, "`lock_account` must log", "s.md", cls="plan", symbols=("lock_account",))
    assert located(drawn(said=said, **code)) == [("said", "lock")]


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("lock_account must log, in words", {}),
        ("`lock_account` must log", {"metadata": {"sample": True}}),
        ("`unlock_account` must log", {"symbols": ("unlock_account",)}),
    ],
)
def test_statement_names_nothing_of_ours(
    drawn: Draw, stated: State, code: dict[str, bytes], text: str, about: dict[str, Any]
) -> None:
    fields = {"symbols": ("lock_account",)} | about
    said = stated("document", "requirement", text, "s.md", cls="plan", **fields)
    assert located(drawn(said=said, **code)) == []


def test_name_of_several_declarations_is_ambiguous(
    drawn: Draw, stated: State, code: dict[str, bytes]
) -> None:
    other = stated(
        "ast", "symbol_fact", "other", "src/shop/mail.py", action="declare", cls="fact", symbol="lock_account"
    )
    said = stated("nl", "declared_intent", "`lock_account` logs", "s.md", symbols=("lock_account",))
    relations = drawn(said=said, other=other, **code)
    assert located(relations) == []
    assert relations.counted() == {"located_ambiguous": 1}


@pytest.mark.parametrize(
    ("text", "found"), [("Log in `shop/login.py`.", True), ("Log in `login.py`.", False)]
)
def test_statement_names_the_file(
    drawn: Draw, stated: State, code: dict[str, bytes], text: str, found: bool
) -> None:
    said = stated("nl", "declared_intent", text, "ticket.md", paths=("src/shop/login.py",))
    assert located(drawn(said=said, **code)) == ([("said", "module")] if found else [])
