"""The contracts of answers: what each kind of answer is, and the schema that a model is held to for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from t2c.ledger.errors import Usage

__all__ = ["AnswerContract", "AnswerKind", "AnswerKinds", "kinds", "names", "shown"]


@dataclass(frozen=True, slots=True)
class AnswerKind:
    """One kind of answer: what it is, how a model gives it, how large its schema is, what must follow it."""

    root: str
    tool: str | None
    what: str
    properties: int
    enum_values: int
    depth: int
    digest: str
    follows: str


@dataclass(frozen=True, slots=True)
class AnswerKinds:
    """All kinds, in the order of the contract. `tool` is null for those that close a conversation."""

    schema: ClassVar[str] = "t2c.answers.kinds/v1"
    kinds: Sequence[AnswerKind]


@dataclass(frozen=True, slots=True)
class AnswerContract:
    """What a model is sent for one kind: the schema, or the tool with it; `digest` is that of the schema's exact bytes."""

    schema: ClassVar[str] = "t2c.answers.contract/v1"
    root: str
    digest: str
    tool: str | None
    contract: Mapping[str, Any]


def kinds() -> AnswerKinds:
    """The fifteen kinds of answers."""
    from t2c.ledger.answers.roots import FOLLOWS, ROOTS, TOOLS
    from t2c.ledger.llm.limits import size_of
    from t2c.ledger.llm.strict import schema_digest, strict_schema

    found = []
    for root, kind in ROOTS.items():
        schema = strict_schema(kind)
        size = size_of(schema)
        found.append(
            AnswerKind(
                root,
                TOOLS.get(root),
                schema["description"],
                size.properties,
                size.enum_values,
                size.depth,
                schema_digest(kind),
                FOLLOWS[root],
            )
        )
    return AnswerKinds(found)


def names() -> list[str]:
    """The names of all kinds, from what is shipped, without loading a type."""
    from t2c import schemas

    index: Any = schemas.load("index.json")
    return [name for name, found in index["schemas"].items() if found["file"].startswith("answers/")]


def shown(root: str, *, tool: bool) -> AnswerContract:
    """The schema of one kind, or the tool that a model calls to give it.

    Raises Usage, with what comes near, if there is no such kind.
    """
    from t2c.ledger.answers.roots import ROOTS, TOOLS
    from t2c.ledger.llm.base import FORCED_TOOL
    from t2c.ledger.llm.strict import schema_digest, strict_schema, tool_form

    kind = ROOTS.get(root)
    if kind is None:
        from difflib import get_close_matches

        near = get_close_matches(root, ROOTS, 3)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise Usage(
            f"no answer is called {root!r}", remedy=f"{hint}`t2c answers list` has them all", near=near
        )
    name = TOOLS.get(root, FORCED_TOOL) if tool else None
    contract = strict_schema(kind) if name is None else tool_form(name, kind)
    return AnswerContract(root, schema_digest(kind), name, contract)
