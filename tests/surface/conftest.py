"""The real command in a process of its own, from a folder and with an environment that a test decides."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def document(self) -> Any:
        """The one JSON document on stdout; a strict reader, so a second one or a stray word fails."""

        def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            assert len({key for key, _ in pairs}) == len(pairs), "duplicate key"
            return dict(pairs)

        def refused(name: str) -> Any:
            raise AssertionError(f"{name} is not JSON")

        assert self.stdout.endswith(b"}\n")
        return json.loads(self.out, object_pairs_hook=once, parse_constant=refused)

    @property
    def lines(self) -> list[Any]:
        """One JSON document a line."""
        return [json.loads(line) for line in self.out.splitlines()]


class CommandLine:
    """`t2c` with a bare environment: a home of its own, no variables of the one who runs the tests."""

    def __init__(self, root: Path, home: Path, command: tuple[str, ...]) -> None:
        self.root = root
        self.home = home
        self.command = command
        inherited = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}
        self.environ: dict[str, str] = {**inherited, "HOME": str(home), "LC_ALL": "C", "PYTHONSAFEPATH": "1"}

    def __call__(
        self,
        *arguments: str | Path,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
        input: bytes | None = None,
    ) -> Ran:
        """Run it to its end."""
        done = subprocess.run(
            [*self.command, *map(str, arguments)],
            check=False,
            cwd=cwd or self.root,
            env={**self.environ, **(env or {})},
            input=b"" if input is None else input,
            capture_output=True,
            timeout=120,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str | Path, **options: Any) -> subprocess.Popen[bytes]:
        """Start it and let the test talk to the process."""
        environ = {**self.environ, **options.pop("env", {})}
        return subprocess.Popen(
            [*self.command, *map(str, arguments)], **{"cwd": self.root, **options}, env=environ
        )


@pytest.fixture
def t2c(tmp_path: Path) -> CommandLine:
    """The command in an empty folder that is a root by its `.git`."""
    root, home = tmp_path / "repo", tmp_path / "home"
    (root / ".git").mkdir(parents=True)
    home.mkdir()
    return CommandLine(root, home, (sys.executable, "-m", "t2c.cli"))


class Shell:
    """Blocks of a page as a reader types them: in bash, one after the other, with `t2c` and Git's identity at hand."""

    def __init__(self, t2c: CommandLine, tools: Path) -> None:
        self.root = t2c.root
        tools.mkdir()
        for name, program in (("t2c", f"{sys.executable} -m t2c.cli"), ("python3", sys.executable)):
            (tools / name).write_text(f'#!/bin/sh\nexec {program} "$@"\n')
            (tools / name).chmod(0o755)
        (t2c.home / ".gitconfig").write_text("[user]\nname = Ada\nemail = ada@example.org\n")
        self.environ = {**t2c.environ, "PATH": f"{tools}:{t2c.environ['PATH']}"}
        (t2c.root / ".git").rmdir()

    def __call__(self, block: str) -> subprocess.CompletedProcess[str]:
        """Run a block, which has to end with 0."""
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block],
            check=False,
            cwd=self.root,
            env=self.environ,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        return done


@pytest.fixture
def shell(t2c: CommandLine, tmp_path: Path) -> Shell:
    """A shell in the folder of `t2c`, which is no repository yet."""
    return Shell(t2c, tmp_path / "bin")
