"""Plain values of the command line without pydantic: loading it for text, numbers and paths would double the
time that a short command takes.

typer asks each parameter for its coercion and builds one from pydantic unless it has one; `make_plain` gives
it one for the simple kinds and leaves all others to typer. If typer forgets this seam, commands stay right and
become slower, which the guard of lazy start notices.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import UnionType
from typing import Any, Final, Literal, Union, get_args, get_origin

import typer

__all__ = ["make_plain"]

_TEXT: Final = frozenset({"TEXT", "WHAT"})
"""The metavariables of words that are recorded or looked up as they are; a path may hold bytes that are no text."""

Convert = Callable[[str], object]


class _Plain:
    """What typer calls a runtime parameter: `coerce` turns the words of one parameter into its value."""

    def __init__(self, convert: Convert) -> None:
        self._convert = convert

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        many = param.multiple or param.nargs == -1
        if value is None:
            return () if many else None
        if param.metavar in _TEXT:
            for item in value if many else (value,):
                if any("\ud800" <= char <= "\udfff" for char in item):
                    raise typer.BadParameter("it is no Unicode text", ctx=ctx, param=param)
        try:
            if many:
                return tuple(self._convert(item) for item in value)
            return self._convert(value)
        except ValueError as error:
            raise typer.BadParameter(str(error), ctx=ctx, param=param) from None


def make_plain(param: Any) -> None:
    """Give a parameter of a simple kind its coercion, once."""
    if getattr(param, "_runtime_param", None) is None and hasattr(param, "type_descriptor"):
        convert = _converter(param.type_descriptor.annotation, param.type_descriptor.parameter_info)
        if convert is not None:
            param._runtime_param = _Plain(convert)


def _converter(annotation: Any, info: Any) -> Convert | None:
    """How to read one word, None for a kind that is left to typer."""
    if get_origin(annotation) in (Union, UnionType):
        (annotation, *others) = [part for part in get_args(annotation) if part is not type(None)]
        if others:
            return None
    if get_origin(annotation) is list:
        (annotation,) = get_args(annotation)
    if get_origin(annotation) is Literal:
        return _choice(get_args(annotation))
    if annotation is int:
        return _integer(info.min, info.max)
    if annotation is Path:
        checked = info.exists or info.resolve_path or info.writable
        return None if checked else Path
    return {str: str, bool: bool}.get(annotation)


def _choice(choices: tuple[str, ...]) -> Convert | None:
    if not all(isinstance(choice, str) for choice in choices):
        return None

    def convert(text: str) -> str:
        if text in choices:
            return text
        raise ValueError(f"{text!r} is not one of {', '.join(choices)}")

    return convert


def _integer(least: int | None, most: int | None) -> Convert:
    def convert(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise ValueError(f"{text!r} is not an integer") from None
        if least is not None and value < least:
            raise ValueError(f"{value} is below {least}")
        if most is not None and value > most:
            raise ValueError(f"{value} is above {most}")
        return value

    return convert
