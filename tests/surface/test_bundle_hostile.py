"""Bundles that are made to exhaust whoever checks them: a named fault or exit 2, little memory, never a traceback."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.engine import Ledger
from t2c.ledger.transfer.export import export

MEGABYTE = 1 << 20
PEAK = """
import runpy, sys
sys.argv = ["verify.py", *sys.argv[1:]]
try:
    runpy.run_path("verify.py", run_name="__main__")
finally:
    with open("/proc/self/status") as status:
        peak = next(line for line in status if line.startswith("VmHWM:"))
    print("peak", int(peak.split()[1]) // 1024, file=sys.stderr)
"""
"""Runs the verifier and says how many MiB it took at most."""


def verify(folder: Path, *arguments: str | Path) -> tuple[int, dict[str, Any], int]:
    """Exit code, document, MiB of memory at most."""
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", PEAK, "--json", *map(str, arguments)],
        check=False, cwd=folder, env={}, capture_output=True, timeout=120,
    )  # fmt: skip
    assert b"Traceback" not in done.stderr, done.stderr.decode()[-600:]
    return done.returncode, json.loads(done.stdout or b"{}"), int(done.stderr.split()[-1])


@pytest.fixture
def bundle(evidence: Any, tmp_path: Path) -> Path:
    with Ledger(evidence.workspace) as ledger:
        return export(ledger, tmp_path / "bundle").path


def files(bundle: Path) -> dict[str, bytes]:
    return {str(path.relative_to(bundle)): path.read_bytes() for path in bundle.rglob("*") if path.is_file()}


def pack(target: Path, members: Iterable[tuple[str, int, Iterator[bytes]]]) -> Path:
    """An archive of files that need not fit into memory: name, size, pieces."""

    class Pieces(io.RawIOBase):
        def __init__(self, pieces: Iterator[bytes]) -> None:
            self.pieces, self.rest = pieces, b""

        def read(self, size: int = -1) -> bytes:
            while len(self.rest) < size:
                piece = next(self.pieces, b"")
                if not piece:
                    break
                self.rest += piece
            found, self.rest = self.rest[:size], self.rest[size:]
            return found

    with (
        gzip.open(target, "wb", compresslevel=1) as out,
        tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar,
    ):
        for name, size, pieces in sorted(members, key=lambda member: member[0]):
            member = tarfile.TarInfo(name)
            member.size = size
            tar.addfile(member, Pieces(pieces))
    return target


def of(content: dict[str, bytes]) -> list[tuple[str, int, Iterator[bytes]]]:
    return [(name, len(text), iter([text])) for name, text in content.items()]


def zeros(count: int) -> Iterator[bytes]:
    for _ in range(count):
        yield bytes(MEGABYTE)


def test_checkpoints_of_any_size_take_no_memory(bundle: Path, tmp_path: Path) -> None:
    large = [(f"checkpoints/{number:03}.txt", 64 * MEGABYTE, zeros(64)) for number in range(6)]
    hostile = pack(tmp_path / "x.tar.gz", [*of(files(bundle)), *large])
    code, found, peak = verify(bundle, hostile)
    assert (code, peak < 100) == (1, True), peak
    assert {fault["kind"] for fault in found["faults"]} == {"too_large", "file_unlisted"}


@pytest.mark.parametrize(
    ("name", "limit"),
    [("checkpoint.txt", 64 << 10), ("checkpoints/a.txt", 64 << 10), ("keys/a.vkey", 4 << 10), ("proof.json", 1 << 20),
     ("manifest.json", 64 << 20)],
)  # fmt: skip
def test_what_is_larger_than_it_may_be_is_named(bundle: Path, name: str, limit: int) -> None:
    if name == "proof.json":
        manifest = json.loads((bundle / "manifest.json").read_bytes())
        manifest["files"][name] = {"bytes": 1, "sha256": ""}
        (bundle / "manifest.json").write_text(json.dumps(manifest))
    with (bundle / name).open("wb") as sparse:
        sparse.truncate(limit + 1)
    code, found, peak = verify(bundle)
    assert (code, peak < 100) == (1, True), peak
    assert ("too_large", name) in {(fault["kind"], fault["where"]) for fault in found["faults"]}


def test_more_checkpoints_than_there_may_be_are_counted_and_not_read(bundle: Path, tmp_path: Path) -> None:
    note = (bundle / "checkpoint.txt").read_bytes()
    many = [(f"checkpoints/{number:05}.txt", len(note), iter([note])) for number in range(10_050)]
    code, found, peak = verify(bundle, pack(tmp_path / "x.tar.gz", [*of(files(bundle)), *many]))
    assert (code, peak < 100) == (1, True), peak
    assert "too_many" in {fault["kind"] for fault in found["faults"]}
    wide = [
        (f"checkpoints/{number:04}.txt", 60_000, iter([note + b"x" * (60_000 - len(note))]))
        for number in range(400)
    ]
    code, found, peak = verify(bundle, pack(tmp_path / "y.tar.gz", [*of(files(bundle)), *wide]))
    assert (code, peak < 100) == (1, True), peak
    assert "too_many" in {fault["kind"] for fault in found["faults"]}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'{"files":[' + b"[]," * (3 * MEGABYTE) + b"[]]}", "more than 1,000,000 values"),
        (b"[" * MEGABYTE, "more than 1,000,000 values"), (b"[" * 200_000, ""), (b"9" * MEGABYTE, ""),
        ('{"files":"' + "\U0001f600" * (3 * MEGABYTE) + '"}', "not plain ASCII"),
    ],
    ids=["lists", "nested", "deep", "number", "wide"],
)  # fmt: skip
def test_a_manifest_made_to_be_large_in_memory_is_refused(
    bundle: Path, content: bytes | str, words: str
) -> None:
    (bundle / "manifest.json").write_bytes(content.encode() if isinstance(content, str) else content)
    code, found, peak = verify(bundle)
    assert (code, peak < 100) == (1, True), peak
    (fault,) = found["faults"]
    assert fault["kind"] == "manifest"
    assert words in fault["detail"]


def test_more_withheld_lines_and_files_than_the_manifest_names_take_no_memory(
    bundle: Path, tmp_path: Path
) -> None:
    stub = b'{"withheld":"' + b"0" * 64 + b'"}\n{}\n'
    content = files(bundle)
    size = len(stub) * 300_000
    del content["journal.ndjson"]
    many = [(f"x/{number:06}", 0, iter([b""])) for number in range(60_000)]
    journal = ("journal.ndjson", size, (stub * 3000 for _ in range(100)))
    code, found, peak = verify(bundle, pack(tmp_path / "x.tar.gz", [*of(content), journal, *many]))
    assert (code, peak < 100) == (1, True), peak
    assert {"withheld", "not_json", "file_unlisted"} <= {fault["kind"] for fault in found["faults"]}


def test_what_nobody_foresaw_is_no_verdict(bundle: Path) -> None:
    """Out of memory or whatever else: exit code 2, one line, no traceback."""
    path = bundle / "verify.py"
    path.chmod(0o644)
    source = path.read_text()
    for error in (
        "MemoryError()",
        'RuntimeError("what\\nelse \\x1b[2J")',
        "KeyboardInterrupt()",
        "RecursionError()",
    ):
        path.write_text(source.replace("    state = _Bundle(", f"    raise {error}\n    state = _Bundle("))
        done = subprocess.run(
            [sys.executable, "-I", "-S", "verify.py"], check=False, cwd=bundle, env={}, capture_output=True
        )
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr.startswith(b"verify.py: could not be checked: ")
        assert done.stderr.count(b"\n") == 1
        assert b"\x1b" not in done.stderr


def test_a_key_file_of_any_size_and_a_pem_are_refused(bundle: Path, tmp_path: Path) -> None:
    with (tmp_path / "large").open("wb") as sparse:
        sparse.truncate(1 << 30)
    (tmp_path / "pem").write_text("-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA\n-----END PUBLIC KEY-----\n")
    (tmp_path / "empty").write_text("# nothing\n")
    for name in ("large", "pem", "empty"):
        code, _, peak = verify(bundle, "--key", tmp_path / name)
        assert (code, peak < 100) == (2, True), (name, peak)
    assert verify(bundle, "--key", "x" * 5000)[0] == 2
