"""What it costs to link and to project 100,000 records, and to link them again after one file changed.

    python tests/bench/links.py [--quick] [--rows GLOB]

A made-up repository of packages with tests, tasks, a changelog and tagged releases, below `.bench/`. Linking is measured
in a process of its own that reads every record from the view `records`; projecting is `t2c ledger project --full`, which
folds the journal from its first event and writes all views. The second linking takes up what the first one kept, as a
scan does, with the records of one file changed; writing views is no part of it and stands in a row of its own.
"""

from __future__ import annotations

import gc
import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec
from common import BENCH, Asked, Row, alone, compiled, t2c
from repositories import run

from t2c.ledger.linking.base import Memory
from t2c.ledger.linking.kept import KeptLinks, Library
from t2c.ledger.linking.linker import relate

RECORDS = 100_000
RECORDS_VIEW = ".t2c/projections/records/records.jsonl"
OF_A_PART = 30
"""Records that one part of the made-up repository yields, more or less."""
PER_RELEASE = 20
CORE = '"""Part {0} of package {1}."""\n\nimport json\n\nfrom package{1}.part{2} import load_{2}\n\n\nclass Store{0}:\n    """Keeps part {0}."""\n\n'
METHOD = '    def step_{1}_{0}(self, key: str) -> str:\n        """Do step {1} of part {0}."""\n        return json.loads(key)\n\n'
FUNCTION = (
    '\ndef load_{0}(key: str) -> str:\n    """Load part {0}."""\n    return Store{0}().step_0_{0}(key)\n'
)
TEST = "from package{1}.part{0} import Store{0}, load_{0}\n\n\ndef test_load_{0}():\n    assert load_{0}('1') == 1\n"
TEST_STEP = "\n\ndef test_step_{1}_{0}():\n    assert Store{0}().step_{1}_{0}('1') == 1\n"
README = "# Part {0}\n\nSee `load_{0}` and `Store{0}`.\n\n## Requirements\n\n- The store MUST load part {0} (#{0}).\n"


def of_links(asked: Asked) -> Iterator[Row]:
    """All rows, since each needs what the one before it left."""
    root = made(asked.size(RECORDS) // OF_A_PART)
    scanned = json.loads(run(t2c(root, "scan", "--json")).output)
    records = sum(scanned["records"].values())
    linked = run([sys.executable, __file__, "--link", str(root)])
    found = json.loads(linked.output)
    later = run([sys.executable, __file__, "--again", str(root)])
    found |= json.loads(later.output)
    projected = run(t2c(root, "ledger", "project", "--full"))
    what = f"{records:,} records"
    yield Row(
        "links-first", f"linking and projecting {what}", value=linked.cpu + projected.cpu, unit="s CPU", must="<= 60",
        ours=f"linking {found['link']:.1f} s, {found['relations']:,} relations; views {projected.cpu:.1f} s",
    )  # fmt: skip
    yield Row(
        "links-memory", f"the more of linking and of projecting {what}", value=max(linked.peak, projected.peak),
        unit="MB", must="<= 1000", ours=f"{linked.peak:,.0f} and {projected.peak:,.0f} MB",
    )  # fmt: skip
    yield Row(
        "links-again", f"linking {what} again, one file changed", value=found["again"], unit="s CPU", must="<= 2",
        ours=f"of it loading {found['load']:.2f} s; equal to linking all: {found['equal']}",
    )  # fmt: skip
    with (root / "package0/part0.py").open("a") as file:
        file.write("\n\ndef added(number):\n    return number\n")
    rescan = run(t2c(root, "scan", "--json"))
    views = run(t2c(root, "ledger", "project", "graph", "records", "runs", "summary", "event-log"))
    yield Row(
        "links-scan", f"t2c scan of {what}, one function added", value=rescan.cpu, unit="s CPU",
        ours=f"{rescan.wall:.1f} s; rendering the views of a scan alone {views.cpu:.1f} s CPU",
    )  # fmt: skip
    per = found["relations"] / records
    yield Row("links-per-record", f"relations for each of {what}", value=per, unit="", must="<= 3")
    shutil.rmtree(root, ignore_errors=True)


def link(root: Path) -> None:
    """Link the records of a scanned repository; print what it cost."""
    started = time.process_time()
    library = Library()
    library.take((root / RECORDS_VIEW).read_bytes().splitlines())
    found = relate(library.corpus())
    print(json.dumps({"link": time.process_time() - started, "relations": len(found.relations)}))


def again(root: Path) -> None:
    """Link them, keep what a scan keeps, and link again with the records of one file changed; print what that cost."""
    lines = (root / RECORDS_VIEW).read_bytes().splitlines()
    library, memory = Library(), Memory()
    library.take(lines)
    first = relate(library.corpus(memory=memory))
    kept = msgspec.msgpack.encode(
        KeptLinks(
            records=list(library.records.values()),
            relations=first.relations,
            groups=memory.used_groups,
            rules=memory.used_rules,
        )
    )
    here = b'"path":"package0/part0.py"'
    changed = [_changed(line) for line in lines if here in line and b'"symbol_fact"' in line]
    del first, memory
    started = time.process_time()
    held = msgspec.msgpack.decode(kept, type=KeptLinks)
    loaded = time.process_time() - started
    later = Library(held.records)
    later.take(changed)
    memory = Memory(held.groups, held.rules, frozenset(later.changed), held.relations)
    second = relate(later.corpus(memory=memory))
    took = time.process_time() - started
    library.take(changed)
    equal = bool(changed) and relate(library.corpus()) == second
    print(json.dumps({"again": took, "load": loaded, "changed": len(changed), "equal": equal}))


def _changed(line: bytes) -> bytes:
    """The same record, calling one thing more."""
    return line.replace(
        b'"calls":[', b'"calls":["another_call",' if b'"calls":["' in line else b'"calls":["another_call"', 1
    )


def made(parts: int) -> Path:
    """A repository of so many parts: one commit for each, a changelog entry for each, a tag for each release."""
    root = BENCH / "links"
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    subprocess.run(["git", "-C", str(root), "init", "-q", "-b", "main"], check=True, env=compiled())
    stream = subprocess.Popen(
        ["git", "-C", str(root), "fast-import", "--quiet"], stdin=subprocess.PIPE, env=compiled()
    )
    assert stream.stdin is not None
    for chunk in _history(parts):
        stream.stdin.write(chunk)
    stream.stdin.close()
    if stream.wait():
        raise SystemExit("git fast-import failed")
    subprocess.run(["git", "-C", str(root), "checkout", "-qf", "main"], check=True, env=compiled())
    return root


def _history(parts: int) -> Iterator[bytes]:
    entries: list[str] = []
    releases: list[str] = []
    for number in range(parts):
        package = number // 20
        before = max(number - 1, package * 20)
        core = CORE.format(number, package, before) + "".join(
            METHOD.format(number, step) for step in range(10)
        )
        test = TEST.format(number, package) + "".join(TEST_STEP.format(number, step) for step in range(6))
        files = {
            f"package{package}/part{number}.py": core + FUNCTION.format(number),
            f"tests/test_part{number}.py": test,
            f"docs/part{number}.md": README.format(number),
        }
        entries.append(f"- Load part {number} from its store\n")
        if number % PER_RELEASE == PER_RELEASE - 1 or number == parts - 1:
            version = f"1.{len(releases)}.0"
            releases.insert(0, f"## [{version}] - 2026-01-05\n\n### Added\n\n{''.join(entries)}\n")
            entries = []
            files["CHANGELOG.md"] = "# Changelog\n\n" + "".join(releases)
        yield _commit(f"feat: load part {number}", 1_600_000_000 + number * 600, files)
        if not entries:
            yield b"tag v%b\nfrom refs/heads/main\ntagger a <a@b> %d +0000\ndata 1\nr\n" % (
                version.encode(), 1_600_000_000 + number * 600,
            )  # fmt: skip


def _commit(subject: str, at: int, files: dict[str, str]) -> bytes:
    told = subject.encode()
    head = b"commit refs/heads/main\ncommitter a <a@b> %d +0000\ndata %d\n%b\n" % (at, len(told), told)
    return head + b"".join(
        b"M 100644 inline %b\ndata %d\n%b\n" % (path.encode(), len(text.encode()), text.encode())
        for path, text in files.items()
    )


MEASURES = {"links": of_links}

if __name__ == "__main__":
    if sys.argv[1:2] in (["--link"], ["--again"]):
        gc.disable()  # as a scan does while it links
        {"--link": link, "--again": again}[sys.argv[1]](Path(sys.argv[2]))
    else:
        alone(__doc__, MEASURES)
