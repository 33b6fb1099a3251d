"""Every setting as data: its name, its default, what it means and which values it takes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple, cast

from t2c.cli.sections import AnchorSettings, ApprovalSettings, LlmSettings, RedactSettings, ScanSettings
from t2c.ledger.errors import Refused, Usage

__all__ = [
    "CONTRACT_NAMES", "DEFAULTS", "KEYS", "PREFIX", "SECTIONS", "Color", "ConfigFile", "Durability", "Key",
    "Secret", "Settings", "Value", "is_agent",
]  # fmt: skip

Durability = Literal["commit", "batch", "none"]
Color = Literal["auto", "always", "never"]
Value = str | int | bool | tuple[str, ...]

PREFIX: Final = "T2C_"
_MODES: Final = ("off", "best-effort", "required")
_STAGES: Final = ("deterministic", "prefer-llm", "require-llm")


class ConfigFile(NamedTuple):
    """A configuration file that exists. `why` says why it was left aside, None if it was used."""

    name: str
    why: str | None


class Secret:
    """A value that no text of it shows."""

    __slots__ = ("value",)

    def __init__(self, value: str) -> None:
        self.value = value

    def __repr__(self) -> str:
        return "<hidden>"


class Settings(NamedTuple):
    """The effective settings. `origins` names the source of each key, `notices` what a user should know.

    `secrets` are values of the environment that may not reach the log, `api_key` is what a provider of models knows
    the user by; they are shown nowhere. `asker` is the setting `actor`, whoever may be that; `in_gate` is true where a
    gate says that it began this process.
    """

    asker: str = "human:local"
    durability: Durability = "commit"
    color: Color = "auto"
    debug: bool = False
    allow_network_filesystem: bool = False
    scan: ScanSettings = ScanSettings()
    anchor: AnchorSettings = AnchorSettings()
    redact: RedactSettings = RedactSettings()
    approval: ApprovalSettings = ApprovalSettings()
    llm: LlmSettings = LlmSettings()
    api_key: Secret | None = None
    secrets: tuple[str, ...] = ()
    origins: Mapping[str, str] = MappingProxyType({})
    files: tuple[ConfigFile, ...] = ()
    notices: tuple[str, ...] = ()
    in_gate: bool = False

    @property
    def actor(self) -> str:
        """Who speaks. Raises Refused for anybody but an agent where a gate began this process.

        That is looked up where somebody is about to speak, and costs nothing where nobody is.
        """
        if is_agent(self.asker):
            return self.asker
        from t2c.ledger.execution.ancestry import inside_gate

        if self.in_gate or inside_gate():
            raise Refused(
                f"what runs inside a gate cannot speak as {self.asker}: a gate is a program and no person",
                safe="nothing was recorded",
                remedy="set T2C_ACTOR=agent:NAME for what a program says; a person decides outside of the gate",
            )
        return self.asker

    def value(self, key: str) -> Value:
        """The effective value of a dotted key. Raises AttributeError for an unknown one."""
        found: Any = self
        for part in ("asker" if key == "actor" else key).split("."):
            found = getattr(found, part)
        return cast(Value, found)


DEFAULTS: Final = Settings()


def is_agent(actor: str) -> bool:
    """True if an actor is a program that claims no more than that."""
    return actor.startswith("agent:")


def _actor(text: str) -> None:
    from t2c.ledger.kernel.actor import Actor

    Actor.parse(text)


def _allowed(text: str) -> None:
    from t2c.ledger.redaction.funnel import check_allowed

    check_allowed(text)


def _numeral(text: str) -> None:
    if text and not re.fullmatch(r"(0|[1-9][0-9]{0,8})(\.[0-9]{1,6})?", text):
        raise Usage(f"{text!r} is no decimal numeral", remedy="write a number such as 0.5")


def _address(text: str) -> None:
    if not re.fullmatch(r"(?i:https?)://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?(/[^\s?#]*)?", text):
        raise Usage(
            f"{text!r} is no address of a provider",
            remedy="write http:// or https://, a host and a path; credentials and a query do not belong there",
        )


class Key(NamedTuple):
    """One setting as data: its dotted name, what it means and which values it takes."""

    name: str
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int | None = None
    check: Callable[[str], None] | None = None
    hidden: bool = False
    """True for what is tried out and shown nowhere (decisions D6)."""

    @property
    def default(self) -> Value:
        return DEFAULTS.value(self.name)

    @property
    def variable(self) -> str:
        """Its name in the environment."""
        return PREFIX + self.name.upper().replace(".", "_")

    @property
    def option(self) -> str:
        """Its name on the command line of commands that have it."""
        return "--" + self.name.rpartition(".")[2].replace("_", "-")

    @property
    def expected(self) -> str:
        """What a value must be, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        match self.default:
            case bool():
                return "true or false"
            case int():
                return f"an integer of at least {self.minimum}"
            case tuple():
                return "a list of strings"
        return "a string"


KEYS: Final[Mapping[str, Key]] = {
    key.name: key
    for key in (
        Key("actor", "who asks, as KIND:ID", check=_actor),
        Key("durability", "when an append is forced to the disk", choices=("commit", "batch", "none")),
        Key("color", "colour in the output", choices=("auto", "always", "never")),
        Key("debug", "show the traceback of an internal error"),
        Key("allow_network_filesystem", "keep a ledger on a network filesystem, where locks may not hold"),
        Key("scan.commits", "how many of the newest commits a scan reads; 0: all", minimum=0),
        Key("scan.max_file_bytes", "the largest file of code or tasks that a scan reads", minimum=1),
        Key("scan.max_changelog_bytes", "how much of a changelog a scan reads, from its top", minimum=1),
        Key("scan.max_report_bytes", "the largest report of tests or of a cycle that is read", minimum=1),
        Key("scan.processes", "how many processes read files at once; 0: one for each processor", minimum=0),
        Key("scan.markers", "words in capitals that mark a task in a comment"),
        Key("scan.communication", "the folder in which people and agents write about tickets"),
        Key("scan.read_generated", "read code that is minified or says that it is generated, too"),
        Key("scan.embeddings", "compare meaning across languages with the extra `embeddings`, too"),
        Key("scan.exclude", "paths that a scan leaves out, as gitignore patterns"),
        Key("redact.detect", "mask what looks like a secret before it is recorded"),
        Key("redact.allow", "what is no secret: values, or expressions that fit them whole", check=_allowed),
        Key(
            "anchor.every",
            "events after which a scan or append ends with a signed checkpoint; 0: never",
            minimum=0,
        ),
        Key("anchor.git", "put each signed checkpoint into a Git note", choices=_MODES),
        Key("anchor.rfc3161", "have each signed checkpoint time-stamped", choices=_MODES),
        Key("anchor.rfc3161_url", "the address of the time-stamp authority"),
        Key("anchor.rfc3161_ca", "the certificates that vouch for the authority: a PEM file below the root"),
        Key("approval.separation", "nobody approves what they proposed themselves"),
        Key("approval.signature", "nothing is applied under an approval that is not signed"),
        Key("approval.days", "how long an approval holds that does not say so; 0: for good", minimum=0),
        Key(
            "llm.mode",
            "off: no model; replay: recorded answers only; record: recorded ones, else ask; live: always ask",
            choices=("off", "replay", "record", "live"),
        ),
        Key("llm.base_url", "the address of a provider that speaks OpenAI chat completions", check=_address),
        Key("llm.model", "the model that is asked"),
        Key("llm.natural_language_model", "the model for natural language; empty: llm.model"),
        Key("llm.markdown_model", "the model for tasks and changelogs; empty: llm.model"),
        Key("llm.communication_model", "the model for communication; empty: llm.model"),
        Key("llm.document_model", "the model for documents; empty: llm.model"),
        Key("llm.summary_model", "the model for summaries; empty: llm.model"),
        Key("llm.task_model", "the model that proposes tasks; empty: llm.model"),
        Key("llm.answer_model", "the model for typed answers; empty: llm.model"),
        Key("llm.natural_language", "how far reading natural language needs a model", choices=_STAGES),
        Key("llm.markdown", "how far reading tasks and changelogs needs a model", choices=_STAGES),
        Key("llm.communication", "how far reading communication needs a model", choices=_STAGES),
        Key("llm.documents", "how far reading documents needs a model", choices=_STAGES),
        Key("llm.summary", "how far a summary needs a model", choices=_STAGES),
        Key("llm.tasks", "how far proposing tasks needs a model", choices=_STAGES),
        Key(
            "llm.schema",
            "how an answer is held to its schema",
            choices=("json_schema", "forced_tool", "json_object"),
        ),
        Key("llm.require_parameters", "only providers that honour every parameter may answer"),
        Key("llm.stream", "have an answer sent piece by piece, so that a long one is no long silence"),
        Key("llm.temperature", "how much a model may vary", check=_numeral),
        Key("llm.max_tokens", "tokens that an answer may have", minimum=1),
        Key("llm.timeout_ms", "how long a small request may take; longer ones get more", minimum=1),
        Key(
            "llm.max_wait_ms",
            "the longest wait that a provider may ask for before another attempt",
            minimum=0,
        ),
        Key("llm.attempts", "attempts at one request while the provider is busy or away", minimum=1),
        Key("llm.concurrency", "requests of one stage that are under way at once", minimum=1),
        Key("llm.document_chunks", "chunks of documents that a model reads in one scan", minimum=1),
        Key("llm.budget_requests", "requests that one command may send; 0: no limit", minimum=0),
        Key("llm.budget_tokens", "tokens that one command may use; 0: no limit", minimum=0),
        Key("llm.budget_seconds", "seconds that one command may ask for; 0: no limit", minimum=0),
        Key("llm.budget_cost", "US dollars that one command may spend; empty: no limit", check=_numeral),
        Key(
            "llm.price_prompt", "US dollars for a million tokens of a prompt; empty: unknown", check=_numeral
        ),
        Key(
            "llm.price_completion",
            "US dollars for a million tokens of an answer; empty: unknown",
            check=_numeral,
        ),
        Key("llm.site_url", "the address that the provider is told, if any"),
        Key("llm.app_name", "the name that the provider is told"),
        Key("llm.recordings", "journals below the root whose recorded answers may be used, too"),
        Key("llm.semantic", "let a model judge candidates across languages", hidden=True),
        Key("llm.semantic_model_revision", "the revision of the model that judges", hidden=True),
    )
}
SECTIONS: Final = frozenset(name.partition(".")[0] for name in KEYS if "." in name)
CONTRACT_NAMES: Final[Mapping[str, str]] = {
    "OPENROUTER_BASE_URL": "llm.base_url",
    "OPENROUTER_MODEL": "llm.model",
    "OPENROUTER_NL_MODEL": "llm.natural_language_model",
    "OPENROUTER_MARKDOWN_MODEL": "llm.markdown_model",
    "OPENROUTER_COMMUNICATION_MODEL": "llm.communication_model",
    "OPENROUTER_DOC_MODEL": "llm.document_model",
    "OPENROUTER_SUMMARY_MODEL": "llm.summary_model",
    "OPENROUTER_TASK_MODEL": "llm.task_model",
    "OPENROUTER_SITE_URL": "llm.site_url",
    "OPENROUTER_APP_NAME": "llm.app_name",
    "OPENROUTER_TIMEOUT_MS": "llm.timeout_ms",
    "OPENROUTER_MAX_TOKENS": "llm.max_tokens",
    "OPENROUTER_TEMPERATURE": "llm.temperature",
    "OPENROUTER_REQUIRE_STRUCTURED_OUTPUT": "llm.require_parameters",
}
"""Names of the contract and the settings that they mean, below every file (decisions D4)."""
