"""The settings of a section each, with their defaults."""

from __future__ import annotations

from typing import Literal, NamedTuple

__all__ = ["AnchorMode", "AnchorSettings", "RedactSettings", "ScanSettings"]

AnchorMode = Literal["off", "best-effort", "required"]


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


class RedactSettings(NamedTuple):
    """What is masked on its way into the log beside known values, and what is not."""

    detect: bool = True
    allow: tuple[str, ...] = ()
