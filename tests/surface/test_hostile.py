"""Claim: whatever stands in a line of the journal, every command ends by name: a clear error, a named fault or a counted
unknown; never a traceback, never in more memory than a line may cost, and a refused append changes nothing.

Mutations seen to fail: a nesting that the decoder cannot follow let through; a line read whole before its length is
known; a newer version dropped without a count.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import t2c

COMMANDS = (
    ("ledger", "verify", "--json"),
    ("ledger", "verify", "--level", "schema", "--json"),
    ("ledger", "verify", "--level", "domain", "--json"),
    ("ledger", "log", "--json"),
    ("ledger", "show", "3"),
    ("ledger", "checkpoint"),
    ("ledger", "project", "--json"),
    ("doctor", "--json"),
    ("scan", "--json"),
    ("ledger", "append", "--json", "--statement", "after"),
    ("ledger", "append", "--json", "--statement", "again", "--key", "k"),
)
MOST_MEMORY = 300 << 10
"""KiB that a command may hold."""

# One process imports the command line once, and forks for each command.
RUNNER = """
import json, os, sys
from pathlib import Path
import filelock, sqlite3, pydantic
import importlib, pkgutil
import t2c.cli.app as app
import t2c.cli.actions, t2c.cli.commands, t2c.ledger.audit, t2c.ledger.intake, t2c.ledger.journal, t2c.projections
for package in (t2c.cli.actions, t2c.cli.commands, t2c.ledger.audit, t2c.ledger.intake, t2c.projections):
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
for line in sys.stdin:
    folder, command = json.loads(line)
    root = Path(folder)
    os.chdir(root)
    journal = root / ".t2c" / "journal.ndjson"
    before = journal.stat()
    out, err = root / "out", root / "err"
    child = os.fork()
    if child == 0:
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.argv = ["t2c", *command]
        code = app.main()
        sys.stdout.flush()
        os._exit(code)
    _, status, used = os.wait4(child, 0)
    after = journal.stat()
    same = (before.st_size, before.st_mtime_ns) == (after.st_size, after.st_mtime_ns)
    with out.open("rb") as said, err.open("rb") as complained:
        shown = [said.read(1 << 20).decode(errors="replace"), complained.read(1 << 20).decode(errors="replace")]
    print(json.dumps([os.waitstatus_to_exitcode(status), used.ru_maxrss, same, *shown]), flush=True)
"""


def deep(depth: int) -> bytes:
    return b'{"statement":' + b"[" * depth + b"]" * depth + b"}"


# Payloads that stand in a chain whose every hash is right, as a writer of another hand would leave them.
PAYLOADS = {
    "nested 10,000 deep": deep(10_000),
    "nested 100 deep": deep(100),
    "duplicate keys": b'{"statement":"refused","statement":"approved"}',
    "a number that is too large": b'{"statement":1e400}',
    "an integer of 5,000 digits": b'{"statement":' + b"9" * 5000 + b"}",
    "not a number": b'{"statement":NaN}',
    "a lone surrogate": rb'{"statement":"\ud800"}',
    "invalid UTF-8": b'{"statement":"\xff\xfe"}',
    "NUL": b'{"statement":"a\x00b"}',
    "an escaped NUL": rb'{"statement":"a\u0000b"}',
    "a key above U+D7FF": '{"\U0001f600":1,"statement":"x"}'.encode(),
    "nothing": b"null",
    "no object": b"[]",
    "an empty object": b"{}",
    "minus zero": b'{"statement":-0}',
}
# Lines that no writer of ours makes, put between sound ones.
LINES = {
    "empty": b"",
    "spaces": b"   ",
    "a BOM": b'\xef\xbb\xbf{"seq":4}',
    "one bracket": b"{",
    "null": b"null",
    "a list": b"[1,2]",
    "10,000 brackets": b"[" * 10_000,
    "a text": b'"' + b"x" * 9000 + b'"',
    "zero bytes": b"\0" * 5000,
    "a conflict marker": b"<<<<<<< HEAD",
    "bytes": bytes(range(128, 256)) * 20,
}
# Members of the envelope, changed in a line that is linked and named rightly.
MEMBERS: dict[str, Callable[[bytes], bytes]] = {
    "seq beyond all numbers": lambda line: line.replace(b'"seq":4', b'"seq":' + b"4" * 400),
    "seq below zero": lambda line: line.replace(b'"seq":4', b'"seq":-4'),
    "seq as a text": lambda line: line.replace(b'"seq":4', b'"seq":"4"'),
    "seq as a decimal": lambda line: line.replace(b'"seq":4', b'"seq":4.0'),
    "two seqs": lambda line: line.replace(b'"seq":4', b'"seq":4,"seq":5'),
    "two types": lambda line: line.replace(b'"type":', b'"type":"a.b","type":'),
    "no actor": lambda line: b"{" + line[line.index(b'"data"') :],
    "an actor that is a list": lambda line: b'{"actor":[]' + line[line.index(b',"data"') :],
    "a time that is none": lambda line: line.replace(b'"ts":"2026', b'"ts":"20x6'),
    "a batch of negative parts": lambda line: line.replace(b',"data"', b',"batch":[-1,0],"data"'),
    "a member nobody knows": lambda line: line.replace(b',"data"', b',"colour":{"a":[1]},"data"'),
    "a cause that is a number": lambda line: line.replace(b',"data"', b',"cause":[4],"data"'),
    "an origin that is a text": lambda line: line.replace(b',"prev"', b',"origin":"there","prev"'),
    "CR LF": lambda line: line + b"\r",
    "trailing spaces": lambda line: line + b"  ",
}


class Hostile:
    """A ledger with something hostile in it, and every command on it."""

    def __init__(
        self, root: Path, runner: Any, new_journal: Callable[[Path], Any], note: Callable[..., Any]
    ) -> None:
        self._root, self._runner, self._note = root, runner, note
        (root / ".git").mkdir(parents=True)
        (root / "TODO.md").write_text("- [ ] write the manual\n")
        self.path = root / ".t2c" / "journal.ndjson"
        self.chain = new_journal(self.path)
        for number in (2, 3):
            self.sound(f"n{number}")

    def sound(self, text: str) -> None:
        self.chain.add("observation.noted", self._note(text).data)

    def raw(self, line: bytes, leaf: str | None = None) -> None:
        """A line as it is; with its leaf hash the chain goes on from it."""
        with self.path.open("ab") as stream:
            stream.write(line + b"\n")
        if leaf is not None:
            self.chain.seq, self.chain.head = self.chain.seq + 1, leaf

    def run(self, *command: str) -> tuple[int, int, bool, str, str]:
        self._runner.stdin.write(json.dumps([str(self._root), command]) + "\n")
        self._runner.stdin.flush()
        answer = self._runner.stdout.readline()
        code, memory, same, out, err = json.loads(answer)
        return code, memory, same, out, err

    def survives(self) -> dict[tuple[str, ...], int]:
        """The exit code of every command, after the claim was checked for each."""
        codes = {}
        for command in COMMANDS:
            code, memory, same, out, err = self.run(*command)
            assert "Traceback" not in out + err, (command, err)
            assert 0 <= code <= 6, (command, code, out[-500:], err[-500:])
            assert memory < MOST_MEMORY, (command, f"{memory >> 10} MiB")
            if code and "--json" in command:
                assert json.loads(out), (command, out)
            if code not in (0, 1) and "append" in command:
                assert same, command
            codes[command] = code
        return codes


@pytest.fixture(scope="module")
def runner() -> Iterator[subprocess.Popen[str]]:
    env = {"PATH": os.environ["PATH"], "PYTHONPATH": str(Path(t2c.__file__).parents[1]), "LC_ALL": "C"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", RUNNER], env=env, stdin=pipe, stdout=pipe, text=True
    ) as child:
        yield child
        assert child.stdin is not None
        child.stdin.close()


@pytest.fixture
def hostile(
    tmp_path: Path, runner: Any, new_journal: Callable[[Path], Any], note: Callable[..., Any]
) -> Hostile:
    return Hostile(tmp_path / "repo", runner, new_journal, note)


VERIFY = COMMANDS[0]
SCHEMA = COMMANDS[1]


# Every other one stands in the middle and the others last; which of them matters little, and time is short.
def placed(cases: Iterable[str]) -> Any:
    return pytest.mark.parametrize(
        ("name", "last"), [(name, bool(number % 2)) for number, name in enumerate(cases)]
    )


@placed(PAYLOADS)
def test_a_payload(name: str, last: bool, hostile: Hostile) -> None:
    hostile.chain.add("observation.noted", PAYLOADS[name])
    if not last:
        hostile.sound("n5")
    codes = hostile.survives()
    assert codes[SCHEMA] == 1


@pytest.mark.parametrize("last", [False, True], ids=["middle", "last"])
@pytest.mark.parametrize("name", LINES)
def test_a_line_that_is_no_event(name: str, last: bool, hostile: Hostile) -> None:
    hostile.raw(LINES[name])
    if not last:
        hostile.sound("n5")
    codes = hostile.survives()
    assert codes[VERIFY] == 1
    assert {codes[command] for command in COMMANDS if "append" in command} == {5} or not last


@placed(MEMBERS)
def test_a_member_of_the_envelope(name: str, last: bool, hostile: Hostile, oracle: Any) -> None:
    before = hostile.path.stat().st_size
    hostile.sound("n4")
    with hostile.path.open("r+b") as stream:
        stream.seek(before)
        line = MEMBERS[name](stream.read()[:-1])
        stream.truncate(before)
    hostile.chain.seq = 3
    hostile.raw(line, oracle.leaf(line))
    if not last:
        hostile.sound("n5")
    assert hostile.survives()[SCHEMA] == 1


@pytest.mark.parametrize("type", ["observation.noted", "weather.changed"])
def test_an_event_of_a_later_version_is_counted_and_kept(type: str, hostile: Hostile) -> None:
    hostile.chain.add(type, {"later": [1, {"x": None}], "statement": "x"}, v=9)
    hostile.sound("n5")
    assert {command for command, code in hostile.survives().items() if code} == set()
    found = json.loads(hostile.run("ledger", "verify", "--level", "domain", "--json")[3])
    assert found["unknown"] == {f"{type} v9": 1}
    shown = json.loads(hostile.run("ledger", "show", "4")[3])
    assert shown["data"]["later"] == [1, {"x": None}]


@pytest.mark.parametrize("end", [b"\n", b""], ids=["complete", "torn"])
@pytest.mark.parametrize("fill", [b"x", b"[", b"\0", b'{"a":'], ids=["text", "brackets", "zeros", "objects"])
def test_a_line_of_100_mb_costs_little_memory(fill: bytes, end: bytes, hostile: Hostile) -> None:
    block = fill * ((1 << 20) // len(fill))
    with hostile.path.open("ab") as stream:
        stream.write(b'{"actor":{"id":"')
        for _ in range(100):
            stream.write(block)
        stream.write(end)
    codes = hostile.survives()
    assert codes[VERIFY] == 1
    assert codes[COMMANDS[-2]] == (5 if end else 0)


@pytest.mark.parametrize(
    "words",
    [
        ("suppress", "--reason"),
        ("withdraw", "1", "--reason"),
        ("approve", "1", "--reason"),
        ("ledger", "log", "--subject"),
    ],
)
def test_words_that_are_no_text_are_a_wrong_value_and_no_fault_of_ours(
    t2c: Any, words: tuple[str, ...]
) -> None:
    ran = t2c(*words, os.fsdecode(b"caf\xe9"))
    assert (ran.code, "no Unicode text" in ran.err) == (2, True), ran.err
