"""What variants of the code say of tests: killed, survived, accepted, overconstrained, told apart, blind, or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.checks.freezing import freeze
from t2c.ledger.answers.checks.python_code import uncompilable
from t2c.ledger.answers.history import answer
from t2c.ledger.answers.recording import record
from t2c.ledger.answers.registry import verify
from t2c.ledger.answers.sealed_store import SealedStore
from t2c.ledger.answers.sealing import reveal, seal, sealed_tests
from t2c.ledger.engine import Ledger, create
from t2c.ledger.errors import Conflict
from t2c.ledger.events.draft import draft
from t2c.ledger.events.heldout import HeldoutLeaked
from t2c.ledger.execution.fingerprint import fingerprint
from t2c.ledger.intake.base import no_progress
from t2c.ledger.kernel.actor import Actor

PYTHON = Path(sys.executable).name
CODE = "def double(n):\n    return n + n\n"
VISIBLE = "import code_of\n\nassert code_of.double(2) == 4\n"
HELD = "import code_of\n\nassert code_of.double(21) == 42, 'the secret expectation of 21'\n"


class Yard:
    """A repository with one module and a frozen test of it, and what a check needs."""

    def __init__(self, base: Path) -> None:
        self.tree = base / "repo"
        self.state = base / "state"
        (self.tree / "tests").mkdir(parents=True)
        (self.tree / "code_of.py").write_text(CODE)
        self.git("init", "-q", "-b", "main")
        self.git("add", ".")
        self.git("commit", "-q", "-m", "base")
        create(self.tree / ".t2c")
        self.ledger = Ledger(self.tree / ".t2c")
        self.bench = Bench(
            self.ledger,
            self.tree,
            no_progress,
            timeout=20,
            environ={"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
            state=self.state,
        )

    def git(self, *arguments: str) -> None:
        named = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(self.tree), *named, *arguments], check=True, capture_output=True)

    def freeze(self, *contents: str, argv: tuple[str, ...] = (PYTHON, "tests/test_0.py")) -> None:
        boot = "import sys; sys.path.insert(0, '.')\n"
        files = {f"tests/test_{n}.py": (boot + content).encode() for n, content in enumerate(contents)}
        done = record(
            self.ledger, "acceptance", json.dumps({"files": [], "argv": ["x"], "notes": []}).encode()
        )
        freeze(self.ledger, done.event, None, files, argv, ())

    def claim(self, root: str, *variants: dict[str, Any]) -> Claim:
        content = json.dumps({"variants": variants, "notes": []}).encode()
        return answer(self.ledger, record(self.ledger, root, content).event)

    def verdicts(self, claim: Claim, bench: Bench | None = None) -> list[Found]:
        before = fingerprint(self.tree).digest
        found = [one.found for one in verify(claim, bench or self.bench) if one.found.check != "consistency"]
        assert fingerprint(self.tree).digest == before
        return found

    def outcomes(self) -> list[tuple[str, str]]:
        return [
            (data["outcome"], data["detail"])
            for entry in self.ledger.entries()
            if entry.type == "variant.ran"
            for data in [json.loads(bytes(entry.data))]
        ]

    def types(self) -> list[str]:
        return [entry.type for entry in self.ledger.entries()]

    def seal(self, content: str = HELD) -> None:
        boot = "import sys; sys.path.insert(0, '.')\n"
        file = {
            "path": "tests/held.py",
            "content": boot + content,
            "scenarios": ["US1"],
            "argv": [PYTHON, "tests/held.py"],
            "composition": False,
        }
        store = SealedStore(self.state, str(self.ledger.id()), self.ledger.workspace)
        seal(self.ledger, store, json.dumps({"files": [file], "notes": []}).encode(), tree=self.tree)


@pytest.fixture
def yard(tmp_path: Path) -> Yard:
    return Yard(tmp_path)


def variant(kind: str, content: str, path: str = "code_of.py") -> dict[str, Any]:
    return {"kind": kind, "scenario": "US1", "rationale": "r", "files": [{"path": path, "content": content}]}


def test_each_near_miss_is_what_the_tests_make_of_it(yard: Yard) -> None:
    yard.freeze(VISIBLE)
    cases = [
        ("killed", "supported", variant("wrong", "def double(n):\n    return n\n")),
        ("survived", "refuted", variant("wrong", "def double(n):\n    return n * n\n")),
        ("accepted", "supported", variant("permitted", "def double(n):\n    return 2 * n\n")),
        ("overconstrained", "refuted", variant("permitted", "def double(n):\n    return float(n) + 0.5\n")),
        ("invalid", "inconsistent", variant("wrong", "def twice(n:\n    return n\n")),
        ("invalid", "inconsistent", variant("wrong", "import no_such_module_at_all\n")),
        ("invalid", "inconsistent", variant("permitted", "import no_such_module_at_all\n")),
        ("invalid", "inconsistent", variant("wrong", "double = undefined_name\n")),
        ("killed", "supported", variant("wrong", "def double(n):\n    return undefined_name\n")),
        ("invalid", "inconsistent", variant("wrong", CODE)),
        ("invalid", "inconsistent", variant("wrong", "assert True\n", "tests/test_0.py")),
        ("invalid", "inconsistent", variant("wrong", "x", "../out.py")),
        ("invalid", "inconsistent", variant("wrong", "x", "code_of.py/below.py")),
        ("invalid", "inconsistent", {**variant("wrong", ""), "files": []}),
    ]
    claim = yard.claim("near_miss_variants", *(case for _, _, case in cases))
    base, *found = yard.verdicts(claim)
    assert (base.check, base.result) == ("variant.base", "supported")
    assert [outcome for outcome, _ in yard.outcomes()] == [outcome for outcome, _, _ in cases]
    assert [one.result for one in found] == [result for _, result, _ in cases]
    assert [one.item for one in found] == [f"variants[{n}]" for n in range(len(cases))]
    types = yard.types()
    assert types.count("variant.announced") == types.count("variant.ran") == len(cases)
    first = types.index("variant.announced")
    assert types[first : first + 4] == ["variant.announced", "gate.announced", "gate.ran", "variant.ran"]
    assert not (yard.tree.parent / "out.py").exists()


def test_the_tests_must_pass_on_the_code_itself(yard: Yard) -> None:
    yard.freeze("import code_of\nassert code_of.double(2) == 5\n")
    claim = yard.claim("near_miss_variants", variant("wrong", "x = 1\n"))
    (found,) = yard.verdicts(claim)
    assert found.result == "unresolvable" and "do not pass on the work tree itself" in found.detail
    assert "variant.announced" not in yard.types()


def test_without_tests_nothing_is_measured(yard: Yard) -> None:
    claim = yard.claim("near_miss_variants", variant("wrong", "x = 1\n"))
    (found,) = yard.verdicts(claim)
    assert found.result == "unresolvable" and "--gate" in found.detail
    (none,) = yard.verdicts(yard.claim("near_miss_variants"))
    assert none.result == "unresolvable"


def test_a_variant_that_never_ends_fails(yard: Yard) -> None:
    yard.freeze(VISIBLE)
    claim = yard.claim("near_miss_variants", variant("wrong", "while True: pass\n"))
    yard.verdicts(claim, yard.bench._replace(timeout=1))
    assert [outcome for outcome, _ in yard.outcomes()] == ["killed"]


def test_pytest_tells_a_collection_error_from_a_failing_test(yard: Yard) -> None:
    test = "import code_of\n\ndef test_it():\n    assert code_of.double(2) == 4\n"
    argv = (PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_0.py")
    yard.freeze(test, argv=argv)
    claim = yard.claim(
        "near_miss_variants",
        variant("wrong", "def double(n):\n    return n\n"),
        variant("wrong", "def double(n:\n"),
        variant("wrong", "def twice(n):\n    return 2 * n\n"),
    )
    yard.verdicts(claim)
    assert [outcome for outcome, _ in yard.outcomes()] == ["killed", "invalid", "killed"]


def test_held_out_tests_tell_a_special_case_apart(yard: Yard) -> None:
    yard.freeze(VISIBLE)
    yard.seal()
    claim = yard.claim(
        "special_case_variants",
        variant("special_case", "def double(n):\n    return 4\n"),
        variant("special_case", "def double(n):\n    return {2: 4, 21: 42}[n]\n"),
        variant("special_case", "def double(n):\n    return 5\n"),
    )
    base, *found = yard.verdicts(claim)
    assert base.result == "supported"
    assert [outcome for outcome, _ in yard.outcomes()] == ["told_apart", "blind", "invalid"]
    assert [one.result for one in found] == ["supported", "refuted", "inconsistent"]
    everything = b"".join(path.read_bytes() for path in yard.tree.rglob("*") if path.is_file())
    assert b"secret expectation" not in everything and b"held.py" not in everything


def test_without_a_secret_test_no_special_case_is_told_apart(yard: Yard) -> None:
    yard.freeze(VISIBLE)
    claim = yard.claim("special_case_variants", variant("special_case", "def double(n):\n    return 4\n"))
    (found,) = yard.verdicts(claim)
    assert found.result == "unresolvable" and "nothing is sealed" in found.detail
    yard.seal()
    leaked = HeldoutLeaked(
        sealed=sealed_tests(yard.ledger)[0].event,
        file=0,
        how="line",
        role="implementer",
        request="a" * 64,
        sent=False,
    )
    yard.ledger.append([draft(leaked)])
    (found,) = yard.verdicts(claim)
    assert found.result == "unresolvable" and "all of them leaked" in found.detail
    store = SealedStore(yard.state, str(yard.ledger.id()), yard.ledger.workspace)
    reveal(yard.ledger, store, sealed_tests(yard.ledger)[0], Actor("human", "ada"))
    (found,) = yard.verdicts(claim)
    assert found.result == "unresolvable" and "revealed" in found.detail


def test_code_that_cannot_be_compiled_is_no_killed_variant_however_a_test_finds_out(yard: Yard) -> None:
    run = "import subprocess; out = subprocess.run([sys.executable, 'code_of.py'], capture_output=True)\n"
    yard.freeze(f"{run}assert out.returncode == 0, 'it failed'\n")
    claim = yard.claim(
        "near_miss_variants", variant("wrong", "def double(n:\n"), variant("wrong", "raise SystemExit(3)\n")
    )
    yard.verdicts(claim)
    assert [outcome for outcome, _ in yard.outcomes()] == ["invalid", "killed"]


def test_what_this_python_cannot_read_of_the_project_says_nothing() -> None:
    new, old = {"a.py": b"x = ("}, {"a.py": b"y = ("}
    assert uncompilable(new, {"a.py": b"y = 1\n"}) is not None
    assert uncompilable(new, {"a.py": None}) is not None
    assert uncompilable(new, old) is None
    assert uncompilable({"a.txt": b"x = (", "b.py": b"x = '\\d'\n"}, {}) is None
    assert uncompilable({"a.py": b"(" * 100_000}, {}) is not None


def test_nothing_is_known_of_a_tree_that_changes_while_it_is_tried(yard: Yard) -> None:
    yard.freeze(f"{VISIBLE}open({str(yard.tree / 'stray.txt')!r}, 'w').close()\n")
    claim = yard.claim("near_miss_variants", variant("wrong", "def double(n):\n    return n\n"))
    with pytest.raises(Conflict, match="was changed while a copy of it was tried"):
        list(verify(claim, yard.bench))
