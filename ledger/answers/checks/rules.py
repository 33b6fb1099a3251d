"""What an answer must keep beyond its shape: paths, commands, nothing blank, nothing twice (answers §6).

These rules need nothing but the answer, so they are looked at as soon as it is recorded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from pydantic import BaseModel

from t2c.ledger.answers.base import Found
from t2c.ledger.answers.paths import MOST_BYTES, named_paths, path_problem
from t2c.ledger.answers.programs import program_problem

__all__ = ["CHECK", "argv_problem", "consistency", "repeated"]

CHECK: Final = "consistency"
_NEVER_BLANK: Final = (
    "summary", "reason", "question", "evidence", "proposal", "language", "back_translation", "title", "statement",
    "scenario", "source_ref", "description", "task",
)  # fmt: skip
_PROGRAM: Final = re.compile(r"(?:\./)?[A-Za-z0-9_][A-Za-z0-9._+/-]*")


class _Problem(NamedTuple):
    place: str
    what: str


def consistency(value: BaseModel) -> Iterator[Found]:
    """One finding for each place that breaks a rule, else one that says that none does; and what stands twice."""
    problems = [*_paths(value), *_commands(value), *_blanks(value, ""), *_contradictions(value)]
    for problem in problems:
        yield Found(CHECK, "inconsistent", f"{problem.place}: {problem.what}", item=problem.place)
    if not problems:
        yield Found(CHECK, "supported", "it keeps the rules for paths, commands and blank texts")
    for place, first in repeated(value).items():
        yield Found("repeated", "supported", f"{place} says what {first} says, and counts once", item=place)


def argv_problem(argv: tuple[str, ...] | list[str]) -> str | None:
    """Why this is no command that may be run without a shell, None if it is one (answers §6.2)."""
    if not argv:
        return "the command is empty"
    program = argv[0]
    if _PROGRAM.fullmatch(program) is None or ".." in program.split("/"):
        return f"{program[:80]!r} is no program: a name, or a path inside the project"
    if (problem := program_problem(argv)) is not None:
        return problem
    if any("\0" in word for word in argv):
        return "the command has a NUL in it"
    return None


def repeated(value: BaseModel) -> dict[str, str]:
    """Findings that say the same as an earlier one: place → place of the first (answers §6.5)."""
    seen: dict[tuple[str, ...], str] = {}
    found: dict[str, str] = {}
    for index, item in enumerate(getattr(value, "findings", ())):
        ref, kind = getattr(item, "source_ref", ""), getattr(item, "gap_type", getattr(item, "kind", ""))
        place = f"findings[{index}]"
        first = seen.setdefault((ref, str(getattr(kind, "value", kind)), item.evidence), place)
        if first != place:
            found[place] = first
    return found


def _paths(value: BaseModel) -> Iterator[_Problem]:
    seen: dict[tuple[str, str], str] = {}
    for named in named_paths(value):
        if (what := path_problem(named.path)) is not None:
            yield _Problem(named.place, what)
        elif (first := seen.setdefault((named.group, named.path), named.place)) != named.place:
            yield _Problem(named.place, f"{named.path} stands in {first} already")
        if named.content is not None and (size := len(named.content.encode())) > MOST_BYTES:
            yield _Problem(named.place, f"the file has {size:,} bytes; at most {MOST_BYTES:,} are taken")


def _commands(value: BaseModel) -> Iterator[_Problem]:
    holders = [
        ("argv", value),
        *((f"files[{i}].argv", item) for i, item in enumerate(getattr(value, "files", ()))),
    ]
    for place, holder in holders:
        argv = getattr(holder, "argv", None)
        if argv is not None and (what := argv_problem(argv)) is not None:
            yield _Problem(place, what)


def _blanks(value: BaseModel, prefix: str) -> Iterator[_Problem]:
    for name, member in value:
        place = f"{prefix}{name}"
        if isinstance(member, str):
            if name in _NEVER_BLANK and not member.strip():
                yield _Problem(place, "it is blank")
        elif isinstance(member, BaseModel):
            yield from _blanks(member, f"{place}.")
        elif isinstance(member, list | tuple):
            for index, item in enumerate(member):
                if isinstance(item, BaseModel):
                    yield from _blanks(item, f"{place}[{index}].")
                elif isinstance(item, str) and not item.strip():
                    yield _Problem(f"{place}[{index}]", "it is blank")


def _contradictions(value: BaseModel) -> Iterator[_Problem]:
    suspected = getattr(value, "suspected", None)
    if suspected is not None and suspected != bool(value.findings):  # type: ignore[attr-defined]
        many = len(value.findings)  # type: ignore[attr-defined]
        yield _Problem(
            "suspected", f"it says {str(suspected).lower()} with {many} finding{'' if many == 1 else 's'}"
        )
    titles: dict[str, str] = {}
    for index, approach in enumerate(getattr(value, "approaches", ())):
        place = f"approaches[{index}].title"
        if (first := titles.setdefault(approach.title, place)) != place:
            yield _Problem(place, f"it is the title of {first} too")
