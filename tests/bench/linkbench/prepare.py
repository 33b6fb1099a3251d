"""Building what is not there yet: labels, differences for the baselines, and the number-free copy."""

from __future__ import annotations

import json
from pathlib import Path

from linkbench import diffs, labels, rewrite
from linkbench.labels import Repository

__all__ = ["prepared", "repositories"]

_LISTED = Path(__file__).with_name("repositories.json")


def repositories(names: tuple[str, ...] = ()) -> list[Repository]:
    """The listed repositories, or those of these names."""
    listed = [
        Repository(one["slug"], one["changelog"], one["head"], tuple(one.get("also", ())))
        for one in json.loads(_LISTED.read_text())
    ]
    unknown = set(names) - {one.name for one in listed}
    if unknown:
        raise SystemExit(f"no such repository: {', '.join(sorted(unknown))}")
    return [one for one in listed if not names or one.name in names]


def prepared(of: Repository, mirrors: Path, root: Path) -> Path:
    """The folder of one repository, built if it is not complete."""
    data = root / of.name
    if not (data / "shamap.json").exists():
        labels.build(of, mirrors, data)
        diffs.read(of, mirrors, data)
        rewrite.rewrite(of, mirrors, data)
    return data
