"""Claims: a sample is a function of its seed, no type takes more than half of it, and verdicts are never lost.

Mutations seen to fail: `<=` for `<` in the cap; an unseeded shuffle; `declares` among the candidates; a file with
verdicts written over.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[1] / "quality" / "sample.py"


@pytest.fixture(scope="module")
def sample() -> ModuleType:
    """tests/quality/sample.py."""
    spec = spec_from_file_location("quality_sample", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    found = module_from_spec(spec)
    sys.modules["quality_sample"] = found
    try:
        spec.loader.exec_module(found)
    finally:
        del sys.modules["quality_sample"]
    return found


def test_no_kind_takes_more_than_its_share(sample: ModuleType) -> None:
    assert sample.capped("aaaabbc", lambda one: one, 6, 2) == ["a", "a", "b", "b", "c"]
    assert sample.capped("aabbb", lambda one: one, 3, 2) == ["a", "a", "b"]


def test_turns_go_round_until_the_count_is_reached(sample: ModuleType) -> None:
    assert sample.round_robin("aaabbc", lambda one: one, 5) == ["a", "b", "c", "a", "b"]
    assert sample.round_robin("", lambda one: one, 5) == []


class Told:
    def __init__(self, n: int, code: str) -> None:
        self.id, self.code = f"DIAG-{n:03}", code


@pytest.mark.parametrize(
    ("planned", "others", "expected"),
    [(40, 40, (16, 9)), (40, 0, (25, 0)), (3, 40, (3, 22)), (22, 4, (21, 4)), (2, 3, (2, 3))],
)
def test_the_accusing_codes_come_first_and_nothing_is_left_empty(
    sample: ModuleType, planned: int, others: int, expected: tuple[int, int]
) -> None:
    found = [Told(n, "PLANNED_NOT_IMPLEMENTED") for n in range(planned)]
    found += [Told(100 + n, "STALE_DOCUMENTATION") for n in range(others)]
    drawn = sample.drawn_findings(found, 5, 25, 16, frozenset())
    firsts = [one.code in sample.FIRST for one in drawn]
    assert (firsts.count(True), firsts.count(False)) == expected
    assert len({one.id for one in drawn}) == len(drawn) == min(25, planned + others)


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with modules that import and tests that call each other."""
    folder = tmp_path_factory.mktemp("quality") / "ada+engine"
    (folder / "src").mkdir(parents=True)
    (folder / "tests").mkdir()
    for n in range(4):
        (folder / "src" / f"part{n}.py").write_text(f"def turn{n}():\n    return {n}\n")
        (folder / "tests" / f"test_part{n}.py").write_text(
            f"from src.part{n} import turn{n}\n\n\ndef test_turn{n}():\n    assert turn{n}() == {n}\n"
        )
    (folder / "TODO.md").write_text("- [ ] Print the tables of tides\n")
    identity = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org")
    for arguments in (("init", "-q"), ("add", "."), (*identity, "commit", "-qm", "Add the engine")):
        subprocess.run(["git", *arguments], cwd=folder, check=True)
    return folder


def test_a_sample_is_drawn_from_a_clone_and_is_kept_once_it_was_read(
    sample: ModuleType, checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def draw(name: str, seed: int) -> Any:
        out = tmp_path / name
        assert sample.main([str(checkout), "--seed", str(seed), "--relations", "4", "--out", str(out)]) == 0
        found = json.loads(out.read_text())
        return {name: said for name, said in found.items() if name not in ("date", "product")}

    one, other = draw("one.json", 3), draw("other.json", 4)
    assert draw("again.json", 3) == one
    assert not (checkout / ".t2c").exists()
    assert one["repository"] == "ada/engine"
    assert [row["id"] for row in one["relations"]] != [row["id"] for row in other["relations"]]
    kinds = Counter(row["type"] for row in one["relations"])
    assert len(one["relations"]) == 4
    assert max(kinds.values()) <= 2
    assert "declares" not in kinds.keys() | one["population"]["relations"].keys()
    assert all(":" in row["to"]["at"] for row in one["relations"])
    assert all(row["verdict"] == row["reason"] == "" for row in (*one["relations"], *one["findings"]))
    one["findings"][0]["verdict"] = "wrong"
    (tmp_path / "one.json").write_text(json.dumps(one))
    assert sample.main([str(checkout), "--seed", "3", "--out", str(tmp_path / "one.json")]) == 2
    assert json.loads((tmp_path / "one.json").read_text()) == one
    assert "holds verdicts" in capsys.readouterr().err
