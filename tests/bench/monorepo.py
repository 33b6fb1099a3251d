"""What a scan of a repository of 100,000 files costs: first, where nothing changed, and after a change in one file.

    python tests/bench/monorepo.py [--quick] [--rows GLOB]

A made-up tree of packages in five languages with documents, tests and settings, in one commit, below `.bench/`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from common import BENCH, Asked, Row, alone, compiled, t2c
from repositories import run

FILES = 100_000
PARTS = {
    "core.py": '"""Part {0} of package {1}."""\n\nimport json\n\n\nclass Store{0}:\n    """Keeps part {0}."""\n\n'
    "    def load(self, key: str) -> str:\n        # TODO: handle errors of part {0}\n        return json.loads(key)\n",
    "test_core.py": "from .core import Store{0}\n\n\ndef test_load_{0}():\n    assert Store{0}().load('1') == 1\n",
    "index.ts": "import {{ x }} from './x';\n\nexport class View{0} {{\n  render(): string {{ return x({0}); }}\n}}\n",
    "main.go": 'package p{0}\n\nimport "fmt"\n\n// Run{0} runs part {0}.\nfunc Run{0}() {{ fmt.Println({0}) }}\n',
    "lib.rs": "//! Part {0}.\n\npub fn part_{0}(n: u32) -> u32 {{ n + {0} }}\n",
    "Part.java": "package p{1};\n\npublic class Part{0} {{\n  public int next(int n) {{ return n + {0}; }}\n}}\n",
    "README.md": "# Part {0}\n\nSee `core.py` and [the tests](test_core.py).\n\n## Requirements\n\n- The store MUST load (#{0}).\n",
    "package.json": '{{"name": "part-{0}", "version": "1.0.0", "dependencies": {{"left": "^1.{0}"}}}}\n',
    "settings.yaml": "name: part-{0}\nretries: 3 # TODO: raise\n",
    "data.csv": "a,b\n{0},{1}\n",
}


def of_a_monorepo(asked: Asked) -> Iterator[Row]:
    """All rows, since each needs what the one before it left."""
    root = made(asked.size(FILES))
    first = run(t2c(root, "scan", "--json"))
    found = json.loads(first.output)
    files = next(row["files"] for row in found["table"] if row["name"] == "inventory")
    records = sum(found["records"].values())
    again = run(t2c(root, "scan", "--json"))
    with (root / "group0/package0/part0/core.py").open("a") as file:
        file.write("\n\ndef added(number):\n    return number\n")
    later = run(t2c(root, "scan", "--json"))
    what = f"t2c scan of {files:,} files, {records:,} records"
    yield Row(
        "monorepo-first", what, value=first.cpu, unit="s CPU", must="<= 600", aim="<= 300",
        ours=f"{first.wall:.0f} s, {found['relations']:,} relations",
    )  # fmt: skip
    yield Row("monorepo-memory", what, value=first.peak, unit="MB", must="<= 2000", aim="<= 1000")
    yield Row(
        "monorepo-again", "the same, nothing changed", "the first scan", again.cpu / first.cpu, aim="<= 0.03",
        ours=f"{again.cpu:.2f} s CPU, {again.wall:.2f} s, {again.peak:,.0f} MB", theirs=f"{first.cpu:.1f} s CPU",
    )  # fmt: skip
    yield Row(
        "monorepo-changed", "the same, one function added", "the first scan", later.cpu / first.cpu,
        must="<= 0.1", aim="<= 0.03",
        ours=f"{later.cpu:.2f} s CPU, {later.wall:.2f} s, {later.peak:,.0f} MB", theirs=f"{first.cpu:.1f} s CPU",
    )  # fmt: skip
    shutil.rmtree(root, ignore_errors=True)


def made(files: int) -> Path:
    """A repository of so many files, committed."""
    root = BENCH / "monorepo"
    shutil.rmtree(root, ignore_errors=True)
    number = 0
    while number * len(PARTS) < files:
        folder = root / f"group{number // 400}/package{number // 20}/part{number}"
        folder.mkdir(parents=True)
        for name, text in PARTS.items():
            (folder / name).write_text(text.format(number, number // 20))
        number += 1
    for arguments in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "All"],
    ):
        subprocess.run(["git", "-C", str(root), *arguments], check=True, env=compiled())
    return root


MEASURES = {"monorepo": of_a_monorepo}

if __name__ == "__main__":
    alone(__doc__, MEASURES)
