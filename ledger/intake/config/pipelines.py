"""What pipelines and container stacks mean: triggers, jobs, the actions they use, the commands they call, images.

A step within a job is told by what it uses or calls; its other settings are not keys of the project.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from t2c.ledger.intake.base import Draft, shortened
from t2c.ledger.intake.config.entries import EACH, Entry, declaration
from t2c.ledger.intake.config.references import action_name, image_name, safe_constraint

__all__ = ["PIPELINES"]

Dialect = Callable[[Sequence[Entry]], Iterator[Draft]]

_USES: Final = frozenset({"uses", "task", "template", "orb"})
_IMAGES: Final = frozenset({"image", "container"})
_CALLS: Final = frozenset(
    {"run", "script", "bash", "pwsh", "powershell", "command", "before_script", "after_script"}
)
_TRIGGERS: Final = frozenset({"on", "trigger", "pr", "schedules"})
_TOP: Final = 3
"""Steps of a key path that is told whatever it means."""
_PLAIN: Final = frozenset({"name", "if", "steps", "shell", "description", "timeout-minutes", "default"})
"""Keys of jobs and inputs that say nothing of what runs."""
_PORT: Final = re.compile(r"[\w.:/${}-]{1,60}\Z")
_COMMAND: Final = 120
_LISTED: Final = 50


def pipeline(entries: Sequence[Entry]) -> Iterator[Draft]:
    """GitHub Actions, GitLab, Azure and CircleCI: one reading for all four."""
    orbs = {entry.path[1]: entry.value for entry in entries if entry.path[0] == "orbs" and entry.steps == 2}
    for entry in entries:
        draft = _reference(entry)
        if draft is not None:
            yield draft
        elif entry.path[0] == "orbs" and entry.steps == 2 and orbs.get(entry.path[1]):
            yield _used(entry, str(entry.value))
        elif entry.path[0] in _TRIGGERS and _is_word(entry):
            yield _trigger(entry)
        elif (
            EACH not in entry.path
            and entry.steps <= _TOP
            and not (entry.steps == _TOP and entry.path[-1] in _PLAIN)
        ):
            yield declaration(entry, "yaml", "yaml_key")


def _reference(entry: Entry) -> Draft | None:
    """What a key of a step or a job uses, runs in or calls."""
    listed = entry.path[-1] == EACH
    leaf = entry.path[-2] if listed and entry.steps > 1 else entry.path[-1]
    if entry.value is None or not entry.value.strip():
        return None
    if leaf in _USES and not listed and "inputs" not in entry.path[-2:-1]:
        return _used(entry, entry.value.strip())
    if (leaf in _IMAGES and not listed) or (leaf == "image" and listed):
        return _runs_in(entry)
    if leaf == "name" and entry.steps > 1 and entry.path[-2] == "image":
        return _runs_in(entry)
    if leaf == "include" or (leaf in ("local", "remote", "project") and "include" in entry.path):
        return declaration(
            entry, "yaml", "yaml_key", action="depend_on", about=shortened(entry.value, _COMMAND)
        )
    if leaf in _CALLS and entry.shape == "text":
        return _called(entry)
    return None


def _used(entry: Entry, reference: str) -> Draft:
    name, version = action_name(reference)
    extra = {"reference": shortened(version, _COMMAND) if version else None}
    return declaration(
        entry,
        "yaml",
        "ci_action",
        action="depend_on",
        about=shortened(name, _COMMAND) or reference[:20],
        extra=extra,
    )


def _runs_in(entry: Entry) -> Draft:
    image = (entry.value or "").strip()
    name, tag = image_name(image)
    extra = {"image": image[: 2 * _COMMAND], "tag": tag}
    return declaration(
        entry, "yaml", "container_image", action="depend_on", about=name[:_COMMAND] or image, extra=extra
    )


def _called(entry: Entry) -> Draft | None:
    command = next((line.strip() for line in (entry.value or "").splitlines() if _says(line)), None)
    if command is None:
        return None
    command = " ".join(shortened(command, _COMMAND).split())
    return declaration(entry, "yaml", "ci_command", action="call", about=command)


def _says(line: str) -> bool:
    bare = line.strip()
    return bool(bare) and bare[0] != "#" and not bare.startswith("set -")


def _is_word(entry: Entry) -> bool:
    """True for `on: push` and `on: [push]`, which say the same as a mapping with the key `push`."""
    return (
        entry.path[0] == "on"
        and entry.steps <= 2
        and entry.shape == "text"
        and entry.path[-1] in ("on", EACH)
    )


def _trigger(entry: Entry) -> Draft:
    plain = entry._replace(path=("on", (entry.value or "")[:_COMMAND]), shape="null", value=None)
    return declaration(plain, "yaml", "yaml_key")


def compose(entries: Sequence[Entry]) -> Iterator[Draft]:
    """Services with their images, ports and what they wait for; variables by name alone."""
    ports: dict[tuple[str, ...], list[str]] = {}
    for entry in entries:
        if (
            entry.steps == 4
            and entry.path[2:] == ("ports", EACH)
            and entry.value
            and _PORT.match(entry.value)
        ):
            ports.setdefault(entry.path[:3], []).append(entry.value)
    for entry in entries:
        path = entry.path
        service = entry.steps > 2 and path[0] == "services"
        if service and path[2] == "image" and entry.steps == 3 and entry.value:
            yield _runs_in(entry)
        elif service and path[2] == "depends_on" and entry.steps == 4:
            name = (entry.value or "") if path[3] == EACH else path[3]
            if name:
                yield declaration(
                    entry._replace(path=path[:3]),
                    "yaml",
                    "compose_dependency",
                    action="depend_on",
                    about=name[:_COMMAND],
                )
        elif service and path[2] == "environment" and entry.steps == 4:
            name = (entry.value or "").partition("=")[0].strip() if path[3] == EACH else path[3]
            if name:
                yield declaration(
                    Entry((*path[:3], name[:_COMMAND]), entry.start, entry.end, "text"), "yaml", "yaml_key"
                )
        elif service and path[2] == "ports" and entry.steps == 3:
            extra: dict[str, Any] = {"ports": ports.get(path, [])[:_LISTED]}
            yield declaration(entry, "yaml", "yaml_key", extra=extra)
        elif EACH not in path and entry.steps <= _TOP and path[0] != "version":
            yield declaration(entry, "yaml", "yaml_key")


def taskfile(entries: Sequence[Entry]) -> Iterator[Draft]:
    """Tasks and variables by name."""
    for entry in entries:
        if EACH not in entry.path and entry.steps <= 2:
            yield declaration(entry, "yaml", "yaml_key")


def pre_commit(entries: Sequence[Entry]) -> Iterator[Draft]:
    """The repositories that hooks come from, with their revision, and the hooks."""
    revisions = iter([entry.value for entry in entries if entry.path == ("repos", EACH, "rev")])
    repositories = [entry for entry in entries if entry.path == ("repos", EACH, "repo")]
    pinned = {
        entry.start: next(revisions, None) for entry in repositories if entry.value not in ("local", "meta")
    }
    for entry in entries:
        if entry.path == ("repos", EACH, "repo") and entry.start in pinned and entry.value:
            about = safe_constraint(entry.value) or entry.value[:_COMMAND]
            extra = {"reference": pinned[entry.start]}
            yield declaration(entry, "yaml", "yaml_key", action="depend_on", about=about, extra=extra)
        elif entry.path == ("repos", EACH, "hooks", EACH, "id") and entry.value:
            yield declaration(entry, "yaml", "yaml_key", action="call", about=entry.value[:_COMMAND])
        elif EACH not in entry.path and entry.steps <= 2:
            yield declaration(entry, "yaml", "yaml_key")


PIPELINES: Final[dict[str, Dialect]] = {
    "github": pipeline,
    "gitlab": pipeline,
    "azure": pipeline,
    "circleci": pipeline,
    "compose": compose,
    "taskfile": taskfile,
    "pre-commit": pre_commit,
}
