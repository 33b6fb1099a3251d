"""The guide for auditors, run from its own code blocks by somebody who has nothing but what it names."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.export import export

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "guide" / "handover.md"
HIDE = 'mount -t tmpfs none "$0" 2>/dev/null || true; exec /bin/sh -eu -c "$1"'
"""In a mount namespace of its own the checkout disappears."""


def blocks() -> list[str]:
    return re.findall(r"^```sh\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def isolation() -> list[str]:
    """How a command gets namespaces of its own, where the system lets it."""
    for flags in (("-n", "-m"), ("-r", "-n", "-m")):
        prefix = ["unshare", *flags]
        try:
            if subprocess.run([*prefix, "true"], check=False, capture_output=True).returncode == 0:
                return prefix
        except FileNotFoundError:
            break
    print("no namespaces are permitted here: the guide runs with a network and the checkout within reach")
    return []


def run(commands: str, desk: Path, prefix: list[str]) -> subprocess.CompletedProcess[str]:
    home = desk.parent / "auditors-home"
    home.mkdir(exist_ok=True)
    shell = ["/bin/sh", "-c", HIDE, str(ROOT), commands] if prefix else ["/bin/sh", "-eu", "-c", commands]
    path = f"{Path(sys.base_prefix) / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    return subprocess.run(
        [*prefix, *shell],
        check=False,
        cwd=desk,
        env={"PATH": path, "HOME": str(home)},
        capture_output=True,
        text=True,
        timeout=120,
    )


@pytest.fixture
def desk(evidence: Any, tmp_path: Path) -> Path:
    """What the guide says that an auditor has."""
    folder = tmp_path / "desk"
    folder.mkdir()
    (folder / "key.vkey").write_text(evidence.signer.vkey + "\n")
    (folder / "kept-checkpoint.txt").write_text(evidence.anchor)
    with Ledger(evidence.workspace) as ledger:
        export(ledger, folder / "earlier.tar.gz", last=8)
        evidence.note("a later one")
        evidence.sign()
        export(ledger, folder / "handover.tar.gz")
    return folder


def test_the_guide_takes_an_auditor_from_bundle_to_verdict(desk: Path) -> None:
    prefix = isolation()
    names = sorted(path.name for path in desk.iterdir())
    assert names == ["earlier.tar.gz", "handover.tar.gz", "kept-checkpoint.txt", "key.vkey"]
    found = blocks()
    assert len(found) == 5
    done = [run(block, desk, prefix) for block in found]
    assert [one.returncode for one in done] == [0] * 5, [one.stderr for one in done]
    assert [one.stderr for one in done] == [""] * 5
    assert [one.stdout.partition(":")[0] for one in done[1:4]] == ["sound"] * 3
    assert "not proven: who made it" in done[1].stdout
    assert "proven: events 1 to 11 are those that the given key signed" in done[2].stdout
    assert "proven: events 1 to 8 are those that kept-checkpoint.txt vouches for" in done[2].stdout
    assert "proven: 8 events up to seq 8 are the same in earlier.tar.gz" in done[3].stdout
    assert done[4].stdout.startswith("# A bundle of ledger ")
    assert (desk / "handover" / "README.md").is_file()


def test_the_guide_finds_out_a_sender_who_tells_another_history(
    desk: Path, tmp_path: Path, new_evidence: Callable[[Path], Any]
) -> None:
    other = new_evidence(tmp_path / "other" / ".t2c")
    text = other.chain.path.read_bytes()
    events = [json.loads(line) for line in text.splitlines()]
    events[2]["data"]["statement"] = "never checked"
    chain = type(other.chain)(tmp_path / "forged" / ".t2c" / "journal.ndjson")
    for event in events[1:]:
        chain.add(event["type"], event.get("data") or {}, trust=event["trust"])
    (desk / "handover.tar.gz").unlink()
    with Ledger(chain.path.parent) as ledger:
        export(ledger, desk / "handover.tar.gz", last=9, withhold=("checkpoint.signed",))
    _, alone, held, compared, _ = [run(block, desk, []) for block in blocks()]
    assert alone.returncode == 0, "it agrees with itself"
    assert (held.returncode, held.stdout.partition(":")[0]) == (5, "forked")
    assert (compared.returncode, compared.stdout.partition(":")[0]) == (5, "forked")
    assert "seq 3 is the first event that differs" in compared.stdout


def test_the_table_of_exit_codes_is_that_of_the_verifier(desk: Path) -> None:
    rows = re.findall(r"^\| (\d) \|", PAGE.read_text(), re.MULTILINE)
    run(blocks()[0], desk, [])
    said = run("python3 verify.py --help", desk, []).stdout
    assert rows == re.findall(r"(?:^|, |: )(\d) ", " ".join(said.split()).partition("Exit code")[2])
