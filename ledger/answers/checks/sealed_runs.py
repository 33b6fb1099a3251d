"""Running sealed tests so that the readable ledger learns how they went and nothing of what they are.

The command that is announced is a script beside the copy, which bears the test's commitment as its argument; path and
real command stand in the script alone, and what the test writes goes to the sealed store.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from t2c.ledger.answers.base import Bench, Claim
from t2c.ledger.answers.checks.trying import Label, Side, nothing_ran, staged, try_in, unbuilt
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import OpenTest, open_sealed, sealed_tests
from t2c.ledger.errors import T2cError
from t2c.ledger.journal.files import read_regular

__all__ = ["SealedRun", "run_sealed", "starts_nothing", "store_of", "to_run"]

_SCRIPT: Final = "sealed.sh"
_OUTPUT: Final = "sealed.output"
_MOST: Final = 1 << 20
_PLAIN: Final = re.compile(r"(?:python|pypy)[0-9.]{0,6}(?:\.exe)?")
_DEFINES: Final = re.compile(
    rb"^[ \t]{0,8}(?:async[ \t]+)?def[ \t]+test\w*[ \t]*\(|^class[ \t]+Test", re.MULTILINE
)
_CALLS: Final = re.compile(
    rb"^(?!async[ \t]|def[ \t]|class[ \t]|import[ \t]|from[ \t]|[@#\x22')\]}]|sys\.path|\w+[ \t]*=[^=])\S.{0,200}|\bmain[ \t]*\(|\bTextTestRunner\b",
    re.MULTILINE,
)
"""A statement of the file itself, outside of what it defines: it may call what it defines."""


class SealedRun(NamedTuple):
    """How a sealed test went; `unbuilt` is true where it failed without any test having run.

    `idle` is true where the command ended well and ran nothing that is known: it defines tests and starts none of them.
    `output` is the commitment to what it wrote, which lies in the sealed store; None where it wrote nothing.
    """

    file: int
    label: Label
    gate: str
    unbuilt: bool
    output: str | None
    idle: bool = False


def store_of(bench: Bench) -> SealedStore | None:
    """The sealed store of the ledger on the bench, None where there is no state folder."""
    if bench.state is None:
        return None
    return SealedStore(bench.state, str(bench.ledger.id()), bench.ledger.workspace)


def to_run(claim: Claim, bench: Bench) -> tuple[list[OpenTest], str]:
    """The sealed tests about the subject of a claim that still count, opened; and why there are none."""
    store = store_of(bench)
    wanted = [one for one in sealed_tests(bench.ledger) if one.about == claim.about]
    if not wanted:
        return [], "nothing is sealed about the same subject"
    if store is None:
        return [], "there is no state folder"
    found: list[OpenTest] = []
    why = "all of them leaked or were revealed"
    for one in wanted:
        if one.revealed is not None:
            continue
        try:
            opened = open_sealed(bench.ledger, store, one)
        except T2cError as error:
            why = error.what
        else:
            found += [test for test in opened if one.counts(test.file)]
    return found, why


def run_sealed(
    bench: Bench,
    where: Side,
    overlay: Mapping[str, bytes | None],
    test: OpenTest,
    *,
    purpose: str,
    subject: str | None,
    cause: tuple[str, ...],
) -> SealedRun:
    """Run a sealed test in a copy of a side with an overlay, which the test itself is laid upon."""
    with staged(bench, where, {**overlay, test.path: test.body}) as tree:
        script, output = tree.parent / _SCRIPT, tree.parent / _OUTPUT
        script.write_text(
            f"exec {shlex.join(test.argv)} >{shlex.quote(str(output))} 2>&1\n", encoding="utf-8"
        )
        tried = try_in(
            bench,
            tree,
            ("sh", f"../{_SCRIPT}", f"{test.sealed}#{test.file}"),
            where,
            purpose=purpose,
            subject=subject,
            cause=cause,
        )
        told = _told(output)
    whole = tried._replace(output=told)
    if tried.label == "FAIL" and tried.exit_code in (126, 127):
        whole = whole._replace(label="not started")
    elif tried.label == "PASS" and nothing_ran(test.argv, whole):
        whole = whole._replace(label="FAIL")
    idle = whole.label == "PASS" and starts_nothing(test)
    if idle:
        whole = whole._replace(label="FAIL")
    broken = not idle and whole.label == "FAIL" and unbuilt(test.argv, whole) is not None
    store = store_of(bench)
    kept = store.put("exchange", told) if store is not None and told else None
    return SealedRun(test.file, whole.label, tried.gate, broken, kept, idle)


def starts_nothing(test: OpenTest) -> bool:
    """True for a file of Python that defines tests as pytest finds them and is run without anything that calls them."""
    name, options = test.argv[0].rpartition("/")[2], test.argv[1:]
    if _PLAIN.fullmatch(name) is None or options[:1] != (test.path,):
        return False
    return _DEFINES.search(test.body) is not None and _CALLS.search(test.body) is None


def _told(output: Path) -> bytes:
    try:
        return read_regular(output, _MOST)
    except OSError:
        return b""
