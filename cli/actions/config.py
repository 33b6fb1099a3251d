"""What the settings are and where each one comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from t2c.cli.actions.context import Context
from t2c.cli.settings import KEYS, Value

__all__ = ["ConfigFile", "Configuration", "Setting", "show"]


@dataclass(frozen=True, slots=True)
class Setting:
    """One effective setting. `origin` names its source: an option, a variable, a file or `default`."""

    value: Value
    origin: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A configuration file that was met. `why` says why it was left aside, None if it was used."""

    name: str
    why: str | None


@dataclass(frozen=True, slots=True)
class Configuration:
    """The root, every setting in a fixed order, and the configuration files that were met."""

    schema: ClassVar[str] = "t2c.config/v1"
    root: Path
    root_origin: str
    settings: Mapping[str, Setting]
    files: tuple[ConfigFile, ...]


def show(context: Context) -> Configuration:
    """The configuration that an action would run with."""
    settings = context.settings
    found = {
        name: Setting(settings.value(name), settings.origins[name], key.meaning)
        for name, key in KEYS.items()
        if not key.hidden
    }
    files = tuple(ConfigFile(file.name, file.why) for file in settings.files)
    return Configuration(context.root, settings.origins["root"], found, files)
