"""The settings of a section each, with their defaults."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = [
    "AnchorMode", "AnchorSettings", "ApprovalSettings", "LlmMode", "LlmSettings", "RedactSettings", "ScanSettings", "StageMode",
]  # fmt: skip

AnchorMode = Literal["off", "best-effort", "required"]
LlmMode = Literal["off", "replay", "record", "live"]
StageMode = Literal["deterministic", "prefer-llm", "require-llm"]


class ScanSettings(NamedTuple):
    """What a scan reads and where it stops; sizes are in bytes. What it leaves out it names.

    `commits` 0 is the whole history, `processes` 0 as many as there are processors.
    """

    commits: int = 0
    max_file_bytes: int = 1_000_000
    max_changelog_bytes: int = 8_000_000
    max_report_bytes: int = 64_000_000
    exclude: tuple[str, ...] = ()
    processes: int = 0
    markers: tuple[str, ...] = ("TODO", "FIXME", "HACK", "XXX")
    communication: str = "project"
    read_generated: bool = False
    embeddings: bool = False


class AnchorSettings(NamedTuple):
    """When a checkpoint is signed by itself, where it is anchored, and what a failure to do so means."""

    every: int = 0
    git: AnchorMode = "off"
    rfc3161: AnchorMode = "off"
    rfc3161_url: str = ""
    rfc3161_ca: str = ""


class ApprovalSettings(NamedTuple):
    """What an approval must be before anything is applied under it; `days` 0 is for good."""

    separation: bool = True
    signature: bool = False
    days: int = 0


class RedactSettings(NamedTuple):
    """What is masked on its way into the log beside known values, and what is not."""

    detect: bool = True
    allow: tuple[str, ...] = ()


class LlmSettings(NamedTuple):
    """Whether a model is asked, which one and where, how far each stage needs it, and what that may cost.

    A stage's own model is empty where it is `model`. Times are in milliseconds, money and prices are decimal numerals in
    US dollars (prices for a million tokens, empty where unknown); of what a budget limits, 0 or empty is no limit.
    """

    mode: LlmMode = "off"
    base_url: str = "https://openrouter.ai/api/v1"
    model: str = "mistralai/codestral-2508"
    natural_language_model: str = ""
    markdown_model: str = ""
    communication_model: str = ""
    document_model: str = ""
    summary_model: str = ""
    task_model: str = ""
    answer_model: str = ""
    natural_language: StageMode = "prefer-llm"
    markdown: StageMode = "prefer-llm"
    communication: StageMode = "prefer-llm"
    documents: StageMode = "prefer-llm"
    summary: StageMode = "prefer-llm"
    tasks: StageMode = "prefer-llm"
    schema: Literal["json_schema", "forced_tool", "json_object"] = "json_schema"
    require_parameters: bool = True
    stream: bool = False
    temperature: str = "0"
    max_tokens: int = 6000
    timeout_ms: int = 120_000
    max_wait_ms: int = 60_000
    attempts: int = 3
    concurrency: int = 3
    document_chunks: int = 12
    budget_requests: int = 0
    budget_tokens: int = 0
    budget_seconds: int = 0
    budget_cost: str = ""
    price_prompt: str = ""
    price_completion: str = ""
    site_url: str = ""
    app_name: str = "t2c"
    recordings: tuple[str, ...] = ()
    semantic: bool = False
    semantic_model_revision: str = ""
