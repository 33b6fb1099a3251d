"""The commands whose system calls are failed one by one: what they start from, what they acknowledge, what they leave."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from ground import Acknowledged, note, torn_end

from t2c.ledger.engine import Ledger, create
from t2c.ledger.journal.objects import Objects
from t2c.ledger.journal.read import JournalFile

__all__ = ["SCENARIOS", "Scenario"]


class Run(Protocol):
    """The command line, undisturbed, in a folder."""

    def __call__(
        self, root: Path, *arguments: str, input: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]: ...


def _nothing(stdout: bytes) -> Acknowledged:
    return {}


def _receipts(stdout: bytes) -> Acknowledged:
    """What whole receipts on standard output promise."""
    found: Acknowledged = {}
    for document in _documents(stdout):
        if document.get("schema") == "t2c.receipt/v1":
            found[document["seq"]] = document["id"]
    return found


def _documents(stdout: bytes) -> list[dict[str, Any]]:
    """The JSON documents of an output that may have been cut: one in all, or one a line."""
    text = stdout.decode(errors="replace")
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        try:
            document = json.loads(line)
        except ValueError:
            continue
        if isinstance(document, dict):
            found.append(document)
    return found


def _statements(root: Path, run: Run) -> Any:
    """What people said in the ledger, in order; repairs and the marks of this torture left out."""
    entries = JournalFile(root / ".t2c" / "journal.ndjson").entries()
    said = [json.loads(bytes(entry.data)) for entry in entries if entry.type == "observation.noted"]
    return [data["statement"] for data in said if data["statement"] != "after"]


def _never(root: Path) -> list[str]:
    return []


@dataclass(frozen=True)
class Scenario:
    """`command` is what Python is given; `prepare` makes what it starts from.

    `outcome` is compared with the undisturbed one when the command says that it ended well; with `reads_back` the
    command is instead run again after every fault, and must then come to the same. `never` looks for what no fault may
    leave behind.
    """

    name: str
    command: tuple[str, ...]
    prepare: Callable[[Path, Run], None]
    input: bytes = b""
    acknowledged: Callable[[bytes], Acknowledged] = _receipts
    outcome: Callable[[Path, Run], Any] = _statements
    reads_back: bool = False
    never: Callable[[Path], list[str]] = _never
    code: int = 0


def _cli(*arguments: str) -> tuple[str, ...]:
    return ("-m", "t2c.cli", *arguments)


def _root(root: Path, run: Run) -> None:
    (root / ".git").mkdir()


def _ledger(root: Path, run: Run) -> None:
    _root(root, run)
    create(root / ".t2c")
    with Ledger(root / ".t2c") as ledger:
        ledger.append([note(f"before {number}") for number in range(4)])


def _torn(root: Path, run: Run) -> None:
    _ledger(root, run)
    torn_end(root / ".t2c", b'{"actor":{"id":"t2c","kind":"hel')


def _half_batch(root: Path, run: Run) -> None:
    _ledger(root, run)
    journal = root / ".t2c" / "journal.ndjson"
    with Ledger(root / ".t2c") as ledger:
        start = ledger.head().offset
        ledger.append([note("one"), note("two"), note("three")], atomic=True)
    whole = journal.read_bytes()
    journal.write_bytes(whole[: whole.index(b"\n", whole.index(b"\n", start) + 1) + 1])


def _keyed(root: Path, run: Run) -> None:
    _ledger(root, run)
    run(root, "ledger", "append", input=_KEYED[0])


_KEYED = tuple(b'{"type":"observation.noted","data":{"statement":"keyed"},"key":"k%d"}' % n for n in (1, 2))
_MANY = b"".join(
    b'{"type":"observation.noted","data":{"statement":"line %d"},"key":"m%d"}\n' % (n, n) for n in range(12)
)


def _repository(root: Path, run: Run) -> None:
    def git(*arguments: str) -> None:
        who = ("-c", "user.name=Ada", "-c", "user.email=ada@t2c.example", "-c", "commit.gpgsign=false")
        subprocess.run(("git", *who, *arguments), cwd=root, check=True, capture_output=True)

    git("init", "-q", "-b", "main")
    (root / "TODO.md").write_text("# Todo\n\n- [ ] write the manual\n- [x] add the pump\n")
    (root / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 1.0.0 - 2026-01-04\n\n### Added\n\n- Add the pump\n"
    )
    (root / "pump.py").write_text("def pump() -> int:\n    return 1\n")
    git("add", "-A")
    git("commit", "-qm", "feat: add the pump")


def _scanned(root: Path, run: Run) -> None:
    _repository(root, run)
    assert run(root, "scan").returncode == 0
    (root / "TODO.md").write_text("# Todo\n\nSoon:\n\n- [x] write the manual\n- [ ] paint the pump\n")


def _projectable(root: Path, run: Run) -> None:
    _scanned(root, run)
    assert run(root, "ledger", "append", "--statement", "new").returncode == 0


def _standing(root: Path, run: Run) -> Any:
    """Which records and relations stand, whatever it took to get there."""
    standing: set[tuple[str, str]] = set()
    for entry in JournalFile(root / ".t2c" / "journal.ndjson").entries():
        data = json.loads(bytes(entry.data))
        match entry.type:
            case "record.observed":
                standing.add(("record", data["record"]["id"]))
            case "record.retracted":
                standing.discard(("record", data["id"]))
            case "relation.linked":
                standing.add(("relation", data["relation"]["id"]))
            case "relation.unlinked":
                standing.discard(("relation", data["id"]))
    return sorted(standing)


def _views(root: Path, run: Run) -> Any:
    """Which views there are, and that each is what a fold of the journal gives."""
    found = json.loads(run(root, "ledger", "verify", "--level", "domain", "--json").stdout)
    names = sorted(path.name for path in (root / ".t2c" / "projections").iterdir() if path.is_dir())
    return names, found.get("faults", found), found.get("stale")


_OBJECT = """
import sys
from pathlib import Path
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.objects import Objects
try:
    print(Objects(Path.cwd() / ".t2c" / "objects").put(b"evidence" * 3000), flush=True)
except (T2cError, OSError) as error:
    print("error:", error, file=sys.stderr)
    sys.exit(6)
"""


def _kept(root: Path, run: Run) -> Any:
    return sorted(path.name for path in (root / ".t2c" / "objects").glob("??/*") if path.name[0] != ".")


_SEAL = """
import json, sys
from pathlib import Path
from t2c.ledger.engine import Ledger
from t2c.ledger.errors import T2cError
from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.events.draft import draft
from t2c.ledger.journal.segments import SealRule
Noted = CATALOGUE.payload("observation.noted")
try:
    with Ledger(Path.cwd() / ".t2c", hold=True, rule=SealRule(bytes=1000, events=8)) as ledger:
        for turn in range(3):
            notes = [draft(Noted(statement=f"turn {turn} {n}" + "x" * 90)) for n in range(5)]
            for receipt in ledger.append(notes):
                print(json.dumps({"schema": "t2c.receipt/v1", "seq": receipt.seq, "id": receipt.id}), flush=True)
except (T2cError, OSError) as error:
    print("error:", error, file=sys.stderr)
    sys.exit(6)
"""


def _key(root: Path, run: Run) -> None:
    _ledger(root, run)
    assert run(root, "ledger", "key", "new").returncode == 0
    assert run(root, "ledger", "checkpoint", "--sign").returncode == 0
    assert run(root, "ledger", "append", "--statement", "signed next").returncode == 0


def _signed(root: Path, run: Run) -> Any:
    """Every checkpoint that is kept was signed by an event, and the last one signed is kept in both places."""
    entries = JournalFile(root / ".t2c" / "journal.ndjson").entries()
    notes = [json.loads(bytes(entry.data))["note"] for entry in entries if entry.type == "checkpoint.signed"]
    kept = [path.read_text() for path in (root / ".t2c" / "checkpoints").glob("*.txt")]
    anchors = "".join(path.read_text() for path in (root.parent / "home").rglob("anchors/*.txt"))
    return set(kept) <= set(notes), notes[-1] in kept, notes[-1] in anchors


def _usable(root: Path, run: Run) -> Any:
    """Whether every key that is registered here can sign."""
    listed = json.loads(run(root, "ledger", "key", "list", "--json").stdout)
    return {key["private"] for key in listed["keys"]}


def _forked(root: Path, run: Run) -> None:
    _ledger(root, run)
    shutil.copytree(root, root.parent / "other")
    for folder, name in ((root, "ours"), (root.parent / "other", "theirs")):
        with Ledger(folder / ".t2c") as ledger:
            ledger.append([note(f"{name} {number}", key=f"{name}{number}") for number in range(3)])


def _together(root: Path, run: Run) -> Any:
    return sorted(_statements(root, run))


def _checked(root: Path) -> int | None:
    """How the bundle's own verifier ends; None where there is no bundle."""
    bundle = root.parent / "out"
    if not bundle.exists() or not any(bundle.iterdir()):
        return None
    command = (sys.executable, "-I", str(bundle / "verify.py"))
    return subprocess.run(command, capture_output=True, check=False, cwd=bundle).returncode


def _half(root: Path) -> list[str]:
    return [] if _checked(root) in (None, 0) else ["what stands at the destination is no whole bundle"]


def _redactable(root: Path, run: Run) -> None:
    _ledger(root, run)
    assert run(root, "ledger", "append", "--redactable", "--statement", "of Ada").returncode == 0


def _unsaid(root: Path) -> list[str]:
    """Payloads that are gone without an event that says so."""
    workspace = root / ".t2c"
    entries = list(JournalFile(workspace / "journal.ndjson").entries())
    cited = {entry.data_hash for entry in entries if entry.data_hash is not None}
    redacted = {
        json.loads(bytes(entry.data))["data_hash"] for entry in entries if entry.type == "payload.redacted"
    }
    there = set(Objects(workspace / "objects").digests())
    return [f"a payload is gone and nothing says so: {name}" for name in cited - redacted - there]


def _redacted(root: Path, run: Run) -> Any:
    """Whether the payload is gone and one event says so."""
    entries = list(JournalFile(root / ".t2c" / "journal.ndjson").entries())
    (cited,) = [entry.data_hash for entry in entries if entry.data_hash is not None]
    said = sum(entry.type == "payload.redacted" for entry in entries)
    return said, Objects(root / ".t2c" / "objects").has(cited)


SCENARIOS = (
    Scenario("append", _cli("ledger", "append", "--json", "--statement", "new"), _ledger),
    Scenario("append-first", _cli("ledger", "append", "--json", "--statement", "new"), _root),
    Scenario("repair", _cli("ledger", "append", "--json", "--statement", "new"), _torn),
    Scenario("repair-batch", _cli("ledger", "append", "--json", "--statement", "new"), _half_batch),
    Scenario("keyed", _cli("ledger", "append", "--json"), _keyed, input=_KEYED[1]),
    Scenario("retry", _cli("ledger", "append", "--json"), _keyed, input=_KEYED[0]),
    Scenario("many", _cli("ledger", "append", "--jsonl", "--json", "--per-commit", "4"), _torn, input=_MANY),
    Scenario("atomic", _cli("ledger", "append", "--jsonl", "--json", "--atomic"), _ledger, input=_MANY),
    Scenario("init", _cli("init", "--track", "--json"), _root, acknowledged=_nothing),
    Scenario("seal", ("-c", _SEAL), _ledger),
    Scenario("object", ("-c", _OBJECT), _ledger, acknowledged=_nothing, outcome=_kept),
    Scenario("scan", _cli("scan", "--json"), _repository, acknowledged=_nothing, outcome=_standing, reads_back=True),
    Scenario("rescan", _cli("scan", "--json"), _scanned, acknowledged=_nothing, outcome=_standing, reads_back=True),
    Scenario(
        "redactable",
        _cli("ledger", "append", "--json", "--redactable", "--statement", "of Ada"),
        _ledger,
        outcome=lambda root, run: _unsaid(root),
        never=_unsaid,
    ),
    Scenario(
        "redact",
        _cli("ledger", "redact", "6", "--reason", "asked for", "--json"),
        _redactable,
        acknowledged=_nothing,
        outcome=_redacted,
        reads_back=True,
        never=_unsaid,
    ),
    Scenario(
        "key",
        _cli("ledger", "key", "new", "--json"),
        _ledger,
        acknowledged=_nothing,
        outcome=_usable,
        reads_back=True,
    ),
    Scenario(
        "checkpoint",
        _cli("ledger", "checkpoint", "--sign", "--json"),
        _key,
        acknowledged=_nothing,
        outcome=_signed,
        reads_back=True,
    ),
    Scenario(
        "merge",
        _cli("ledger", "merge", "../other", "--json"),
        _forked,
        acknowledged=_nothing,
        outcome=_together,
        reads_back=True,
    ),
    Scenario(
        "export",
        _cli("ledger", "export", "--dest", "../out", "--json"),
        _ledger,
        acknowledged=_nothing,
        outcome=lambda root, run: _checked(root),
        never=_half,
    ),
    Scenario(
        "project",
        _cli("ledger", "project", "--json"),
        _projectable,
        acknowledged=_nothing,
        outcome=_views,
        reads_back=True,
    ),
)  # fmt: skip
