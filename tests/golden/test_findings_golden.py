"""Findings of the repository of examples as other systems read them, to the byte: any change is one that somebody decided on."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from t2c import __version__
from t2c.projections.base import pretty

ROOT = Path(__file__).parents[2]
GOLDEN = Path(__file__).parent / "findings"
FORMATS = {"findings.sarif": "sarif", "findings.md": "markdown", "github.txt": "github"}
HIDDEN = "TODO.md"
"""The file whose first finding somebody suppressed."""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Each golden file as it is made now, by the command in a repository that was scanned."""
    place = tmp_path_factory.mktemp("findings")
    root, home = place / "shop", place / "home"
    home.mkdir()
    environ = {"PATH": os.environ["PATH"], "HOME": str(home), "LC_ALL": "C.UTF-8"}

    def run(*command: str) -> bytes:
        return subprocess.run(command, cwd=place, env=environ, check=True, capture_output=True).stdout

    def t2c(*arguments: str) -> bytes:
        return run(sys.executable, "-m", "t2c.cli", "--root", str(root), *arguments)

    root.mkdir()
    run(sys.executable, str(ROOT / "docs" / "examples" / "evidence.py"), str(root))
    t2c("scan")
    plan = json.loads(t2c("diagnose", "shop/" + HIDDEN, "--json"))["groups"][0]["findings"][0]["id"]
    t2c("suppress", plan, "--reason", "old clients still read it")
    found = {name: t2c("diagnose", "--all", "--format", format) for name, format in FORMATS.items()}
    log: dict[str, Any] = json.loads(found["findings.sarif"])
    driver = log["runs"][0]["tool"]["driver"]
    assert driver["version"] == __version__
    driver["version"] = "0"  # a release changes no finding
    return {**found, "findings.sarif": pretty(log)}


@pytest.mark.parametrize("file", sorted(FORMATS))
def test_findings_are_told_to_others_as_they_were(made: dict[str, bytes], file: str, tmp_path: Path) -> None:
    actual = tmp_path / file
    actual.write_bytes(made[file])
    assert made[file] == (GOLDEN / file).read_bytes(), (
        f"compare {actual}, and copy it over if the change is meant"
    )


def test_nothing_is_stored_that_is_not_made(made: dict[str, bytes]) -> None:
    assert sorted(made) == sorted(path.name for path in GOLDEN.iterdir())


def test_the_examples_show_one_of_everything(made: dict[str, bytes]) -> None:
    """A result with lines, one that is suppressed and an annotation of a file."""
    (run,) = json.loads(made["findings.sarif"])["runs"]
    results = run["results"]
    assert any(result.get("suppressions") for result in results)
    assert all(
        location["physicalLocation"]["region"]["startLine"] > 0
        for result in results
        for location in result["locations"]
    )
    assert all(
        result["ruleId"] == run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] for result in results
    )
    files = {result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for result in results}
    assert all(f"file={name},".encode() in made["github.txt"] for name in files - {HIDDEN})
