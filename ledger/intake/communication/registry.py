"""The registry of participants: who an exact participant-id stands for (intent-evidence §2.10).

`participants.v2.json` is preferred to `participants.json`. One that is not valid gives nobody an identity, so nothing
of the folder is read before it is mended.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from json import JSONDecodeError, JSONDecoder
from typing import Final, Literal, NamedTuple

from pydantic import ValidationError

from t2c.ledger.events.participants import (
    KnownParticipant,
    ParticipantRegistryV1,
    ParticipantRegistryV2,
    ParticipantV2,
    unfit,
)
from t2c.ledger.intake.base import Tree
from t2c.ledger.kernel import canon

__all__ = ["InvalidRegistry", "Person", "Registry", "read_registry"]

_FILES: Final = ("participants.v2.json", "participants.json")
_LINE: Final = re.compile(r"\bat line (\d+)")
_BYTE: Final = re.compile(r"\bat byte (\d+)")
_LIST: Final = re.compile(r'"participants"\s*+:\s*+\[')
_SPACE: Final = re.compile(r"[\s,]*+")


class Person(NamedTuple):
    """One participant, whichever registry he stands in."""

    id: str
    role: Literal["human", "agent"]
    display_name: str
    git_authors: tuple[str, ...]
    a2a_agent_ids: tuple[str, ...]
    human_aliases: tuple[str, ...]


class Registry(NamedTuple):
    """The participants of a valid registry by their ids."""

    path: str
    people: Mapping[str, Person]


class InvalidRegistry(NamedTuple):
    """What is wrong with a registry, at which line, and what to do."""

    path: str
    line: int
    what: str

    @property
    def detail(self) -> str:
        """What stands in a warning."""
        return f"{self.what}; nothing of this folder is read before the registry is mended or moved away"


def read_registry(folder: str, tree: Tree) -> Registry | InvalidRegistry | None:
    """The registry of a project folder; None if it has none."""
    for name in _FILES:
        path = f"{folder}/{name}"
        if path in tree:
            content = tree.content(path)
            if content is None:
                return InvalidRegistry(path, 1, "the registry of participants cannot be read")
            return _parsed(path, content)
    return None


@lru_cache(maxsize=8)
def _parsed(path: str, content: bytes) -> Registry | InvalidRegistry:
    """All files of a folder ask for the same content, which is parsed once."""
    content = content.removeprefix(b"\xef\xbb\xbf")
    try:
        value = canon.loads(content)
        canon.check(value)
    except canon.NotCanonical as error:
        return InvalidRegistry(path, _line_of_error(str(error), content), str(error))
    model = ParticipantRegistryV2 if path.endswith(_FILES[0]) else ParticipantRegistryV1
    try:
        registry = model.model_validate_json(canon.canonical(value))
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(step) for step in problem["loc"])
        index = next((step for step in problem["loc"] if isinstance(step, int)), None)
        return InvalidRegistry(
            path, _line(content, index), f"{place}: {problem['msg']}" if place else problem["msg"]
        )
    for index, what in unfit(registry.participants):
        return InvalidRegistry(path, _line(content, index), what)
    return Registry(path, {person.id: person for person in map(_person, registry.participants)})


def _person(one: KnownParticipant | ParticipantV2) -> Person:
    if isinstance(one, KnownParticipant):
        names = (one.gitAuthors, one.a2aAgentIds, one.humanAliases)
        return Person(one.id, one.role, one.displayName, *(tuple(sorted(set(part))) for part in names))
    accounts = [(principal.provider.lower(), principal.subject) for principal in one.principals]
    human = one.kind == "human"
    git = {subject for provider, subject in accounts if provider == "git"}
    a2a = {subject for provider, subject in accounts if provider == "a2a" and not human}
    others = {subject for provider, subject in accounts if provider != "git" and human}
    return Person(
        one.id, one.kind, one.displayName, tuple(sorted(git)), tuple(sorted(a2a)), tuple(sorted(others))
    )


def _line_of_error(message: str, content: bytes) -> int:
    if found := _LINE.search(message):
        return int(found[1])
    if found := _BYTE.search(message):
        return content.count(b"\n", 0, int(found[1])) + 1
    return 1


def _line(content: bytes, index: int | None) -> int:
    """The line on which a participant of the list begins."""
    text = content.decode("utf-8", "replace")
    start = _LIST.search(text)
    if index is None or start is None:
        return 1
    decode, at = JSONDecoder().raw_decode, start.end()
    try:
        for _ in range(index):
            at = decode(text, _after_space(text, at))[1]
    except (JSONDecodeError, RecursionError):
        return 1
    return text.count("\n", 0, _after_space(text, at)) + 1


def _after_space(text: str, at: int) -> int:
    match = _SPACE.match(text, at)
    return match.end() if match else at
