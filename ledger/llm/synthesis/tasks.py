"""What a model proposes to do: tasks that rest on its conclusions, or none at all (decisions D1)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec

from t2c.ledger.events.targets import is_outside
from t2c.ledger.llm.asking import Rejected
from t2c.ledger.llm.synthesis.contract import Priority, Target
from t2c.ledger.llm.synthesis.order import Cycle, Waiting, ordered
from t2c.ledger.llm.synthesis.summary import (
    LONGEST,
    Citable,
    Concluded,
    Said,
    faults_told,
    length,
    read_conclusions,
)

__all__ = ["Raised", "Task", "Tasks", "read_tasks"]


class _Target(msgspec.Struct, frozen=True):
    paths: tuple[str, ...]
    symbols: tuple[str, ...]
    tickets: tuple[str, ...]
    versions: tuple[str, ...]


class Task(msgspec.Struct, frozen=True, rename="camel"):
    """A proposal as a model writes it; it binds to others by the keys that the answer itself gives."""

    key: str
    title: str
    description: str
    priority: Priority
    target: _Target
    acceptance_criteria: tuple[str, ...]
    dependency_keys: tuple[str, ...]
    conclusion_keys: tuple[str, ...]
    diagnostic_ids: tuple[str, ...]
    record_ids: tuple[str, ...]
    confidence: float


class Raised(NamedTuple):
    """A proposal that breaks no rule, and what it is about in the spelling of records."""

    task: Task
    target: Target


class Tasks(NamedTuple):
    """The answer: conclusions, and the proposals that rest on them."""

    conclusions: tuple[Concluded, ...]
    proposals: tuple[Raised, ...]


class _Answer(msgspec.Struct, frozen=True):
    conclusions: tuple[Said, ...]
    proposals: tuple[Task, ...]


_decode = msgspec.json.Decoder(_Answer).decode


def read_tasks(content: bytes, citable: Citable) -> Tasks:
    """The conclusions and proposals of an answer that is valid by its schema.

    Raises Rejected, with every place: for what `read_summary` raises it for; for a key that is blank, stands twice or
    names nothing; for a proposal without an acceptance criterion, longer than LONGEST, with evidence outside its conclusions, about a path
    outside the repository, or that waits for itself.
    """
    try:
        answer = _decode(content)
    except msgspec.DecodeError as error:
        raise Rejected(f"response: {error}") from None
    faults: list[str] = []
    concluded = tuple(read_conclusions(answer.conclusions, citable, faults))
    faults += _key_faults("conclusions", [one.key for one in answer.conclusions])
    faults += _key_faults("proposals", [one.key for one in answer.proposals])
    by_key = {one.said.key: one for one in concluded}
    keys = {one.key for one in answer.proposals}
    raised: list[Raised] = []
    for place, task in enumerate(answer.proposals):
        at = f"response.proposals[{place}]"
        faults += _faults(at, task, by_key, keys, citable)
        about = task.target
        raised.append(Raised(task, Target.of(about.paths, about.symbols, about.tickets, about.versions)))
    faults += _same(raised)
    if not faults:
        faults += _cycles(answer.proposals)
    faults_told(faults)
    return Tasks(concluded, tuple(raised))


def _key_faults(list_name: str, keys: Sequence[str]) -> Iterator[str]:
    seen: set[str] = set()
    for place, key in enumerate(keys):
        if not key.strip():
            yield f"response.{list_name}[{place}].key is blank"
        elif key in seen:
            yield f"response.{list_name}[{place}].key {key!r} stands twice"
        seen.add(key)


def _faults(
    at: str, task: Task, by_key: Mapping[str, Concluded], keys: set[str], citable: Citable
) -> Iterator[str]:
    for name, text in (("title", task.title), ("description", task.description)):
        if not text.strip():
            yield f"{at}.{name} is blank"
    if length(*_texts(task)) > LONGEST:
        yield f"{at} is longer than {LONGEST:,} bytes"
    criteria = [one.strip() for one in task.acceptance_criteria]
    if not criteria or not all(criteria):
        yield f"{at}.acceptanceCriteria must say how to see that it is done"
    if len(set(criteria)) < len(criteria):
        yield f"{at}.acceptanceCriteria says the same twice"
    for key in task.conclusion_keys:
        if key not in by_key:
            yield f"{at}.conclusionKeys names {key!r}, which is no conclusion of the answer"
    if not task.conclusion_keys:
        yield f"{at}.conclusionKeys names no conclusion"
    for key in task.dependency_keys:
        if key not in keys:
            yield f"{at}.dependencyKeys names {key!r}, which is no proposal of the answer"
        elif key == task.key:
            yield f"{at}.dependencyKeys names the proposal itself"
    cited = [by_key[key].said for key in task.conclusion_keys if key in by_key]
    diagnostics = {identity for one in cited for identity in one.diagnostic_ids}
    records = {identity for one in cited for identity in one.record_ids}
    records.update(record for one in diagnostics for record in citable.diagnostics.get(one, ()))
    for identity in task.diagnostic_ids:
        if identity not in diagnostics:
            yield f"{at}.diagnosticIds cites {identity}, which none of its conclusions cites"
    for identity in task.record_ids:
        if identity not in records:
            yield f"{at}.recordIds cites {identity}, which none of its conclusions rests on"
    for path in task.target.paths:
        if is_outside(path):
            yield f"{at}.target.paths names {path!r}, which is outside the repository"


def _texts(task: Task) -> Iterator[str]:
    """All that a proposal says beside what it cites."""
    about = task.target
    yield from (task.key, task.title, task.description, *task.acceptance_criteria)
    yield from (*about.paths, *about.symbols, *about.tickets, *about.versions)


def _same(raised: Sequence[Raised]) -> Iterator[str]:
    seen: dict[tuple[object, ...], int] = {}
    for place, one in enumerate(raised):
        task = one.task
        criteria = tuple(sorted({text.strip() for text in task.acceptance_criteria}))
        said = (task.title.strip(), task.description.strip(), one.target, criteria)
        if (first := seen.setdefault(said, place)) != place:
            yield f"response.proposals[{place}] says the same as response.proposals[{first}]"


def _cycles(tasks: Sequence[Task]) -> Iterator[str]:
    try:
        ordered([Waiting(task.key, task.priority, task.dependency_keys) for task in tasks])
    except Cycle as cycle:
        yield f"response.proposals wait for one another: {', '.join(cycle.ids)}"
