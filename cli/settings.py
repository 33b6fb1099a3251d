"""Where every setting comes from: the only reader of the environment and of configuration files.

Order, first wins: option > environment `T2C_*` > `t2c.toml` at the root, or `[tool.t2c]` in pyproject.toml >
user configuration > the contract's `OPENROUTER_*` > default. Names follow by rule: `scan.max_file_bytes` is `--max-file-bytes` on a command
line, `T2C_SCAN_MAX_FILE_BYTES` in the environment and `max_file_bytes` below `[scan]` in a file. Each value
keeps its origin. An empty variable counts as unset (architecture §3).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from t2c.cli.config_text import line_of, parse
from t2c.cli.sections import AnchorSettings, ApprovalSettings, LlmSettings, RedactSettings, ScanSettings
from t2c.cli.setting_table import (
    CONTRACT_NAMES,
    DEFAULTS,
    KEYS,
    PREFIX,
    SECTIONS,
    Color,
    ConfigFile,
    Durability,
    Key,
    Secret,
    Settings,
    Value,
    is_agent,
)
from t2c.ledger.errors import Environment, Refused, Usage

__all__ = [
    "DEFAULTS", "KEYS", "ROOT_VARIABLE", "Color", "ConfigFile", "Durability", "Key",
    "Settings", "Terminal", "Value", "debugging", "environment", "load", "terminal",
]  # fmt: skip

ROOT_VARIABLE: Final = "T2C_ROOT"
PROJECT_FILE: Final = "t2c.toml"
PYPROJECT: Final = "pyproject.toml"
_OF_THE_REPOSITORY: Final = (PROJECT_FILE, PYPROJECT)
_TRUE: Final = frozenset({"1", "true", "yes", "on"})
_FALSE: Final = frozenset({"0", "false", "no", "off"})
_API_KEYS: Final = ("T2C_LLM_API_KEY", "OPENROUTER_API_KEY")
"""Where the key for a provider may stand: in the environment and nowhere else."""
_ASKING: Final = ("record", "live")
_WHAT_IT_COSTS: Final = ("llm.budget_", "llm.price_")
_GATE_VARIABLE: Final = "T2C_GATE"
"""What `ledger.execution.ancestry` sets in a gate."""
_HEALING: Final = "OPENROUTER_RESPONSE_HEALING"


class Terminal(NamedTuple):
    """What the environment says about terminals. `color` is what T2C_COLOR asks for before settings are read."""

    no_color: bool
    force_color: bool
    dumb: bool
    color: str = "auto"


def environment() -> Mapping[str, str]:
    """The variables of this process.

    pydantic is told not to look for plugins, of which there are none here: the search through everything that
    is installed is work that no command here needs.
    """
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    return os.environ


def terminal(environ: Mapping[str, str]) -> Terminal:
    """Read NO_COLOR, FORCE_COLOR, CLICOLOR_FORCE, TERM and T2C_COLOR (no-color.org)."""
    forced = any(environ.get(name, "0") not in ("", "0") for name in ("FORCE_COLOR", "CLICOLOR_FORCE"))
    choice = environ.get("T2C_COLOR", "")
    color = choice if choice in KEYS["color"].choices else "auto"
    return Terminal(bool(environ.get("NO_COLOR")), forced, environ.get("TERM") == "dumb", color)


def debugging(environ: Mapping[str, str]) -> bool:
    """True if the environment asks for tracebacks. Never raises: it is asked when all else failed."""
    return environ.get("T2C_DEBUG", "").lower() in _TRUE


class _Given(NamedTuple):
    """A value as its source has it. `place` is shown in errors, `origin` by `config show --origin`."""

    value: object
    origin: str
    place: str


def load(
    root: Path,
    environ: Mapping[str, str],
    options: Mapping[str, object] | None = None,
    root_origin: str = "option --root",
) -> Settings:
    """The effective settings at a root. `options` holds keys given on the command line; None means absent.

    Raises Usage for an unknown key or a wrong value, naming file and line, Environment for an unreadable file, Refused
    for an option that makes somebody else of an agent.
    """
    from t2c.ledger.redaction.known import secret_values

    asked = {
        name: _Given(value, f"option {KEYS[name].option}", f"option {KEYS[name].option}")
        for name, value in (options or {}).items()
        if value is not None
    }
    given = {name: found for name, found in asked.items() if name != "actor"}
    notices: list[str] = []
    files: list[ConfigFile] = []
    below: dict[str, _Given] = {}
    for name, found in _variables(environ, notices):
        given.setdefault(name, found)
    for values in _files(root, environ, files, notices):
        for name, found in values.items():
            if name in given or not _is_the_users(name, found, notices):
                continue
            if found.origin in _OF_THE_REPOSITORY and name.startswith(_WHAT_IT_COSTS):
                below.setdefault(name, found)  # no repository lifts a limit that its user set
            else:
                given[name] = found
    for name, found in below.items():
        given.setdefault(name, found)
    for name, found in _contract_names(environ, notices):
        given.setdefault(name, found)
    if (actor := asked.get("actor")) is not None:
        if "actor" in given:
            _still_an_agent(given["actor"], actor)
        given["actor"] = actor
    sections: dict[str, dict[str, Any]] = {"": {}, **{name: {} for name in SECTIONS}}
    for name, found in given.items():
        section, _, member = name.rpartition(".")
        sections[section][member] = _converted(KEYS[name], found)
    top, scan, anchor = sections[""], ScanSettings(**sections["scan"]), AnchorSettings(**sections["anchor"])
    top = {"asker" if name == "actor" else name: value for name, value in top.items()}
    origins = {name: given[name].origin if name in given else "default" for name in KEYS}
    return Settings(
        **top,
        scan=scan,
        anchor=anchor,
        redact=RedactSettings(**sections["redact"]),
        approval=ApprovalSettings(**sections["approval"]),
        llm=LlmSettings(**sections["llm"]),
        api_key=_api_key(environ),
        secrets=secret_values(environ),
        origins={"root": root_origin, **origins},
        files=tuple(files),
        notices=tuple(notices),
        in_gate=bool(environ.get(_GATE_VARIABLE)),
    )


def _still_an_agent(own: _Given, asked: _Given) -> None:
    """Raise Refused if who is known to be an agent asks to be somebody else."""
    if isinstance(asked.value, str) and is_agent(str(own.value)) and not is_agent(asked.value):
        _converted(KEYS["actor"], asked)
        raise Refused(
            f"{own.value} cannot speak as {asked.value}: an agent stays one",
            where=asked.place,
            safe="nothing was recorded",
            remedy=f"name an agent; a person sets T2C_ACTOR ({own.place} says who it is now)",
        )


def _nobodys_word(values: dict[str, _Given]) -> dict[str, _Given]:
    """Settings of a file in the repository. Raises Usage if it says who its user is, unless that is an agent."""
    actor = values.get("actor")
    if actor is not None and not is_agent(str(_converted(KEYS["actor"], actor))):
        raise Usage(
            f"a repository does not say who its user is: actor is {actor.value!r}",
            where=actor.place,
            safe="nothing was recorded",
            remedy="remove it there; say it with T2C_ACTOR or in your own configuration",
            key="actor",
        )
    return values


def _is_the_users(name: str, found: _Given, notices: list[str]) -> bool:
    """False for what only a user may say, said by the repository: a clone must not spend its reader's money, nor bring
    along what a model is to have said, nor let whoever wrote a patch approve it."""
    asks = name == "llm.mode" and found.value in _ASKING
    loosens = name == "approval.separation" and found.value is False
    if found.origin not in _OF_THE_REPOSITORY or not (asks or loosens or name == "llm.recordings"):
        return True
    _converted(KEYS[name], found)
    how = "--llm or T2C_LLM_MODE" if asks else KEYS[name].variable
    notices.append(f"{name} of {found.place} is left aside: it is for you to say, with {how}")
    return False


def _variables(environ: Mapping[str, str], notices: list[str]) -> Iterator[tuple[str, _Given]]:
    known = {key.variable: key for key in KEYS.values()}
    apart = (ROOT_VARIABLE, _GATE_VARIABLE, *_API_KEYS)
    for name in sorted(name for name in environ if name.startswith(PREFIX) and name not in apart):
        key, text = known.get(name), environ[name]
        if key is None:
            hint = _near(name, [*known, ROOT_VARIABLE])
            notices.append(f"the environment variable {name} means nothing to t2c{hint}")
        elif text:
            origin = f"environment {name}"
            yield key.name, _Given(_from_text(key, text), origin, origin)


def _contract_names(environ: Mapping[str, str], notices: list[str]) -> Iterator[tuple[str, _Given]]:
    for variable, name in CONTRACT_NAMES.items():
        if text := environ.get(variable, ""):
            origin = f"environment {variable}"
            yield name, _Given(_from_text(KEYS[name], text), origin, origin)
    if environ.get(_HEALING, "").lower() in _TRUE:
        notices.append(f"{_HEALING} is left aside: an answer is never repaired")


def _api_key(environ: Mapping[str, str]) -> Secret | None:
    found = next((environ[name].strip() for name in _API_KEYS if environ.get(name, "").strip()), None)
    return None if found is None else Secret(found)


def _from_text(key: Key, text: str) -> Value:
    """What a variable says, as a file would say it; a list is separated by commas."""
    match key.default:
        case bool():
            return True if text.lower() in _TRUE else False if text.lower() in _FALSE else text
        case int():
            return int(text) if re.fullmatch(r"[0-9]{1,18}", text) else text
        case tuple():
            return tuple(item.strip() for item in text.split(",") if item.strip())
    return text


def _converted(key: Key, given: _Given) -> Value:
    """The value as the type of the setting. Raises Usage if it is of another kind."""
    value = tuple(given.value) if isinstance(given.value, list) else given.value
    match key.default:
        case bool():
            right = isinstance(value, bool)
        case int():
            from t2c.ledger.kernel.canon import MAX_INT

            # What a provider is sent has the numbers that JSON has everywhere; a scan may be told any number of commits.
            most = MAX_INT if key.name.startswith("llm.") else value
            right = type(value) is int and (key.minimum or 0) <= value <= cast(int, most)
        case tuple():
            right = isinstance(value, tuple) and all(isinstance(item, str) for item in value)
        case _:
            wanted = key.choices or (value or key.default,)  # empty only where that is the default
            right = isinstance(value, str) and value in wanted
    remedy = f"set {key.name} to {key.expected}"
    why = None if right else f"{key.name} must be {key.expected}, not {given.value!r}"
    if right and key.check is not None:
        try:
            for item in value if isinstance(value, tuple) else (value,):
                key.check(str(item))
        except Usage as error:
            why, remedy = f"{key.name}: {error.what}", error.remedy or remedy
    if why is not None:
        raise Usage(why, where=given.place, remedy=remedy, key=key.name, expected=key.expected)
    return cast(Value, value)


def _files(
    root: Path, environ: Mapping[str, str], files: list[ConfigFile], notices: list[str]
) -> Iterator[dict[str, _Given]]:
    """The values of each configuration file, in the order of precedence; notes the files that were met."""
    own = _read(root / PROJECT_FILE)
    if own is not None:
        files.append(ConfigFile(PROJECT_FILE, None))
        yield _nobodys_word(_values(parse(own, PROJECT_FILE), own, PROJECT_FILE))
    shared = _read(root / PYPROJECT)
    if shared is not None and b"t2c" in shared:
        tools = parse(shared, PYPROJECT).get("tool")
        table = tools.get("t2c") if isinstance(tools, dict) else None
        why = None if own is None else f"{PROJECT_FILE} stands beside it"
        if table is not None:
            files.append(ConfigFile(f"{PYPROJECT} [tool.t2c]", why))
        if table is not None and why is None:
            yield _nobodys_word(_values(table, shared, PYPROJECT, inside=("tool", "t2c")))
        elif table is not None:
            notices.append(f"[tool.t2c] in {PYPROJECT} is left aside: {why}")
    path = _user_file(environ)
    personal = None if path is None else _read(path)
    if personal is not None:
        files.append(ConfigFile(str(path), None))
        yield _values(parse(personal, str(path)), personal, str(path), origin=f"user configuration {path}")


def _user_file(environ: Mapping[str, str]) -> Path | None:
    """`$XDG_CONFIG_HOME/t2c/config.toml`; an empty or relative value is as if it were not set."""
    base = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not base.is_absolute():
        home = Path(environ.get("HOME", ""))
        if not home.is_absolute():
            return None
        base = home / ".config"
    return base / "t2c" / "config.toml"


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Environment(
            f"the configuration cannot be read: {error.strerror}",
            where=str(path),
            remedy="make it a file that you may read, or remove it",
        ) from error


def _values(
    table: object, content: bytes, shown: str, *, origin: str | None = None, inside: tuple[str, ...] = ()
) -> dict[str, _Given]:
    """Settings of one file by dotted name. Raises Usage for a key that does not exist."""
    found: dict[str, _Given] = {}

    def place(name: str) -> str:
        line = line_of(content, (*inside, *name.split(".")) if name else inside)
        return shown if line is None else f"{shown}:{line}"

    def walk(part: object, prefix: str) -> None:
        if not isinstance(part, dict):
            name = prefix.rstrip(".")
            shown_name = name or ".".join(inside)
            raise Usage(
                f"{shown_name} must be a table", where=place(name), key=shown_name, expected="a table"
            )
        for key, value in part.items():
            name = prefix + key
            if name in KEYS:
                found[name] = _Given(value, origin or shown, place(name))
            elif name in SECTIONS:
                walk(value, name + ".")
            else:
                raise Usage(
                    f"unknown setting {name}{_near(name, [*KEYS, *SECTIONS])}",
                    where=place(name),
                    remedy="correct or remove it; `t2c config show` lists every setting",
                    key=name,
                    file=shown,
                )

    walk(table, "")
    return found


def _near(name: str, known: list[str]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1)
    return f"; did you mean {close[0]}?" if close else ""
