"""What is right is a number: labelled cases, samples that were read, and the page of both."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def stamp(command: str) -> dict[str, str]:
    """When, of which commit of this product and by which command figures were made."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short=12", "HEAD"],
        capture_output=True,
        text=True,
        check=True,
    )
    return {"date": f"{datetime.now(UTC):%Y-%m-%d}", "commit": done.stdout.strip(), "command": command}
