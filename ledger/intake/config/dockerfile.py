"""Dockerfile and Containerfile: instructions by stage, without the values of variables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from t2c.ledger.events.record import Action
from t2c.ledger.intake.base import Draft, shortened
from t2c.ledger.intake.config.references import image_name
from t2c.ledger.intake.lines import Notes
from t2c.ledger.intake.vocabulary import words

__all__ = ["instructions"]

_INSTRUCTION: Final = re.compile(r"\s*+([A-Za-z]++)(?:\s++(.*))?+\Z", re.DOTALL)
_KNOWN: Final = words(
    "FROM RUN COPY ADD ENV ARG EXPOSE CMD ENTRYPOINT HEALTHCHECK WORKDIR USER LABEL VOLUME SHELL STOPSIGNAL ONBUILD "
    "MAINTAINER"
)
_CALLS: Final = frozenset({"RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"})
_ESCAPE: Final = re.compile(r"#\s*escape\s*=\s*([\\`])\s*\Z", re.IGNORECASE)
_HEREDOC: Final = re.compile(r"<<-?\s*([\"']?)([A-Za-z_]\w*)\1")
_FLAGS: Final = re.compile(r"\s*+(?:--[\w-]++(?:=\S*+)?+\s++)++")
_STAGE: Final = re.compile(r"\s++[Aa][Ss]\s++([\w.-]+)\s*\Z")
_NAMES: Final = re.compile(r"(?:\A|(?<=\s))\"?+([A-Za-z_][\w.-]*+)\"?+=")
_MOST: Final = 120


def instructions(lines: Iterator[str], notes: Notes) -> Iterator[Draft]:
    """One draft an instruction; continuation lines and here-documents belong to theirs."""
    stage = ""
    stages = 0
    for start, end, text, first in _joined(lines, notes):
        match = _INSTRUCTION.match(text)
        name = match[1].upper() if match else ""
        if name not in _KNOWN or match is None:
            notes.add("instruction_unknown", "a line that is no instruction of a Dockerfile", start)
            continue
        rest = _unflagged(match[2] or "")
        if name == "FROM":
            named = _STAGE.search(rest)
            image = rest[: named.start()] if named else rest.partition(" ")[0]
            stages += 1
            stage = named[1] if named else f"stage {stages}"
            yield _from(image.strip(), named[1] if named else None, start, end)
            continue
        detail = _detail(name, rest, first)
        action: Action = "call" if name in _CALLS else "configure"
        yield _draft(name, detail, action, stage, start, end, {"instruction": name})


def _unflagged(text: str) -> str:
    """What follows the flags of an instruction."""
    text = text.strip() + " "
    flags = _FLAGS.match(text)
    return text[flags.end() :].strip() if flags else text.strip()


def _detail(name: str, rest: str, first: str) -> str:
    """What an instruction is about: the names of variables and labels, never their values."""
    if name in ("ENV", "LABEL"):
        names = _NAMES.findall(rest)
        return " ".join(sorted(set(names))) if names else rest.partition(" ")[0]
    if name == "ARG":
        return " ".join(part.partition("=")[0] for part in rest.split())
    if name in ("RUN", "CMD", "ENTRYPOINT", "HEALTHCHECK"):
        return first
    return " ".join(rest.split())


def _from(image: str, stage: str | None, start: int, end: int) -> Draft:
    name, tag = image_name(image)
    extra = {"instruction": "FROM", "image": image[: _MOST * 2], "tag": tag, "stage": stage}
    return _draft("FROM", name, "depend_on", stage or "", start, end, extra, about=name)


def _draft(
    name: str,
    detail: str,
    action: Action,
    stage: str,
    start: int,
    end: int,
    extra: dict[str, Any],
    about: str = "",
) -> Draft:
    detail = shortened(detail, _MOST)
    key = f"{name}:{detail}" if detail else name
    return Draft(
        kind="configuration_declaration",
        text=f"{action} {key}",
        object=about or key,
        action=action,
        cls="fact",
        status="implemented",
        confidence=0.98,
        basis=("deterministic_configuration_structure", "dockerfile_instruction"),
        trail=(stage,) if stage else (),
        lines=(start, end),
        modality="observed",
        metadata={"format": "dockerfile", **extra},
    )


def _joined(lines: Iterator[str], notes: Notes) -> Iterator[tuple[int, int, str, str]]:
    """(first line, last line, instruction, its first line of words) with continuations and here-documents taken in."""
    escape = "\\"
    held: list[str] = []
    start = 0
    heads: list[str] = []
    directives = True
    number = 0
    for number, raw in enumerate(lines, 1):
        if heads:
            if raw.strip() == heads[0]:
                heads.pop(0)
                if not heads:
                    yield _whole(start, number, held)
                    held = []
            elif len(held) == 1 or not _words(held):
                held.append(raw)
            continue
        bare = raw.strip()
        if not bare or bare[0] == "#":
            found = _ESCAPE.match(bare) if directives and bare else None
            escape = found[1] if found else escape
            continue
        directives = False
        start = start if held else number
        joins = bare.endswith(escape)
        held.append(bare[:-1] if joins else bare)
        heads = (
            [tag for _, tag in _HEREDOC.findall(bare)] if bare[:4].upper() in ("RUN ", "COPY", "ADD ") else []
        )
        if not joins and not heads:
            yield _whole(start, number, held)
            held = []
    if held:
        if heads:
            notes.add("heredoc_unclosed", "a here-document that never ends", start)
        yield _whole(start, number, held)


def _whole(start: int, end: int, held: list[str]) -> tuple[int, int, str, str]:
    return start, end, " ".join(held), _words(held)


def _words(held: list[str]) -> str:
    """The first line that says something after the instruction and its flags."""
    parts = held[0].split(None, 1)
    lines = [parts[1] if len(parts) > 1 else "", *held[1:]]
    for line in lines:
        said = _HEREDOC.sub("", _unflagged(line)).strip()
        if said:
            return " ".join(said.split())
    return ""
