"""Draw relations and findings at random from the scan of a clean clone, for a reader to judge with the source open.

    python tests/quality/sample.py CHECKOUT --seed N --out FILE [--name OWNER/NAME] [--commit REVISION]
        [--relations 25] [--findings 25] [--first 16] [--types TYPE,…] [--codes CODE,…]

What is drawn is a function of the seed, the commit and the product, and is drawn before anybody reads. Relations have an
end in the code and are not `declares`, which is containment by definition; at most half are of one type. Of the findings
at most FIRST are of the two codes that accuse somebody of work not done, as many as there are; the rest goes round the
other codes. FILE is JSON with `verdict` and `reason` empty: the reader fills in `right`, `wrong` or `unsure`, says why,
and puts a name into `reader`. A FILE that holds a verdict is never written over.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeVar

from t2c.cli.actions.graph import told
from t2c.ledger.journal.read import JournalFile
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of, messages
from t2c.projections.facts import Fact, Facts
from t2c.projections.fold import fold
from t2c.projections.graph import Link
from t2c.projections.registry import ALL

ROOT = Path(__file__).resolve().parents[2]
SCHEMA: Final = "t2c.quality-sample/v1"
FIRST: Final = ("PLANNED_NOT_IMPLEMENTED", "CHANGELOG_WITHOUT_IMPLEMENTATION")
CONTAINMENT: Final = "declares"
MOST_TEXT: Final = 400
MOST_RECORDS: Final = 6

T = TypeVar("T")


def capped(items: Sequence[T], kind: Callable[[T], Hashable], count: int, most: int) -> list[T]:
    """The first `count` items of which no kind has more than `most`."""
    taken: list[T] = []
    of: Counter[Hashable] = Counter()
    for item in items:
        if len(taken) == count:
            break
        if of[kind(item)] < most:
            of[kind(item)] += 1
            taken.append(item)
    return taken


def round_robin(items: Sequence[T], kind: Callable[[T], Hashable], count: int) -> list[T]:
    """The first of each kind, then the second of each, up to `count`; kinds in the order in which they come."""
    lanes: dict[Hashable, list[T]] = {}
    for item in items:
        lanes.setdefault(kind(item), []).append(item)
    deepest = max(map(len, lanes.values()), default=0)
    turns = [lane[at] for at in range(deepest) for lane in lanes.values() if at < len(lane)]
    return turns[:count]


def drawn_relations(
    links: Iterable[Link], facts: Facts, seed: int, count: int, types: frozenset[str]
) -> list[Link]:
    """A simple random sample of the relations with an end in the code, at most half of one type."""
    candidates = [link for link in links if _is_candidate(link, facts, types)]
    candidates.sort(key=lambda link: link.relation.id)
    random.Random(f"{seed} relations").shuffle(candidates)
    most = count if len(types) == 1 else count // 2
    return capped(candidates, lambda link: link.relation.type, count, most)


def _is_candidate(link: Link, facts: Facts, types: frozenset[str]) -> bool:
    kind = link.relation.type
    if kind == CONTAINMENT or (types and kind not in types):
        return False
    ends = facts.records[link.relation.source], facts.records[link.relation.to]
    return any(end.source.kind == "ast" for end in ends)


def drawn_findings(
    found: Sequence[Any], seed: int, count: int, first: int, codes: frozenset[str]
) -> list[Any]:
    """Up to `first` of the codes of FIRST in turns, then the other codes in turns, each code in random order."""
    candidates = sorted((one for one in found if not codes or one.code in codes), key=lambda one: one.id)
    random.Random(f"{seed} findings").shuffle(candidates)
    accusing = [one for one in candidates if one.code in FIRST]
    others = [one for one in candidates if one.code not in FIRST]
    ahead = round_robin(accusing, lambda one: one.code, first if others and not codes else count)
    behind = round_robin(others, lambda one: one.code, count - len(ahead))
    missing = count - len(ahead) - len(behind)
    more = round_robin(accusing, lambda one: one.code, len(ahead) + missing)[len(ahead) :]
    return [*ahead, *more, *behind]


def end(fact: Fact) -> dict[str, Any]:
    """Where a record stands and what it says, for a reader."""
    lines = fact.source.lines
    where = fact.where
    if lines is not None and lines.end > lines.start and fact.source.kind != "git":
        where += f"-{lines.end}"
    said = fact.statement.text
    if fact.source.kind == "ast":
        where += ":1" if lines is None else ""
        said = f"{fact.statement.kind} {fact.source.symbol or fact.source.path}"
    return {"at": where, "kind": fact.statement.kind, "text": shown(said)}


def shown(text: str) -> str:
    """One line of bounded length."""
    line = re.sub(r"\s+", " ", text).strip()
    return line if len(line) <= MOST_TEXT else line[:MOST_TEXT] + "…"


def rows_of(workspace: Path, given: argparse.Namespace) -> dict[str, Any]:
    """The sample of a scanned workspace."""
    folded = fold(JournalFile(workspace / "journal.ndjson"), ALL, ["diagnostics", "graph"])
    inputs = Inputs(folded.ts or "", folded.states, folded.made)
    facts = Facts.of(inputs)
    found = findings_of(inputs)
    types = frozenset(given.types.split(",")) if given.types else frozenset()
    codes = frozenset(given.codes.split(",")) if given.codes else frozenset()
    relations = [
        {
            "n": n,
            "id": link.relation.id,
            "type": link.relation.type,
            "from": end(facts.records[link.relation.source]),
            "to": end(facts.records[link.relation.to]),
            "confidence": link.relation.confidence,
            "rule": link.rule,
            "sentence": shown(told(link, facts)),
            "verdict": "",
            "reason": "",
        }
        for n, link in enumerate(
            drawn_relations(facts.relations, facts, given.seed, given.relations, types), 1
        )
    ]
    findings = []
    for n, one in enumerate(drawn_findings(found, given.seed, given.findings, given.first, codes), 1):
        words = messages.told(one)
        records = [facts.records[each] for each in words.recordIds if each in facts.records]
        findings.append(
            {
                "n": n,
                "id": words.id,
                "code": words.code,
                "severity": words.severity,
                "title": shown(words.title),
                "detail": shown(words.detail),
                "records": [end(fact) for fact in records[:MOST_RECORDS]],
                "more_records": max(0, len(words.recordIds) - MOST_RECORDS),
                "verdict": "",
                "reason": "",
            }
        )
    return {
        "population": {
            "relations": dict(
                sorted(
                    Counter(
                        x.relation.type for x in facts.relations if _is_candidate(x, facts, frozenset())
                    ).items()
                )
            ),
            "findings": dict(sorted(Counter(one.code for one in found).items())),
        },
        "relations": relations,
        "findings": findings,
    }


def git(folder: Path, *arguments: str) -> str:
    """What Git answers."""
    done = subprocess.run(["git", "-C", str(folder), *arguments], check=True, capture_output=True, text=True)
    return done.stdout.strip()


def sampled(given: argparse.Namespace) -> dict[str, Any]:
    """Clone, scan and draw; nothing is written into the checkout."""
    name = given.name or given.checkout.resolve().name.replace("+", "/", 1)
    with tempfile.TemporaryDirectory(prefix="t2c-sample-") as scratch:
        clone = Path(scratch) / name.rpartition("/")[2]
        subprocess.run(["git", "clone", "--quiet", "--local", str(given.checkout), str(clone)], check=True)
        if given.commit:
            git(clone, "checkout", "--quiet", "--detach", given.commit)
        for verb in ("init", "scan"):
            done = subprocess.run(
                [sys.executable, "-P", "-m", "t2c.cli", verb],
                cwd=clone,
                capture_output=True,
                text=True,
                check=False,
            )
            if done.returncode:
                raise SystemExit(f"t2c {verb} failed: {done.stdout[-500:]}{done.stderr[-500:]}")
        head = git(clone, "rev-parse", "HEAD")
        drawn = rows_of(clone / ".t2c", given)
    options = "".join(
        f" --{option} {getattr(given, option)}"
        for option in ("relations", "findings", "first", "types", "codes")
        if getattr(given, option) not in (None, "")
    )
    return {
        "schema": SCHEMA,
        "repository": name,
        "commit": head,
        "product": git(ROOT, "rev-parse", "--short=12", "HEAD"),
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "seed": given.seed,
        "command": f"python tests/quality/sample.py {name.replace('/', '+')} --seed {given.seed}{options}",
        "reader": "",
        **drawn,
    }


def has_verdicts(path: Path) -> bool:
    """Whether somebody has written into a sample."""
    if not path.exists():
        return False
    kept = json.loads(path.read_text())
    return any(row["verdict"] or row["reason"] for row in (*kept["relations"], *kept["findings"]))


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    made.add_argument("checkout", type=Path)
    made.add_argument("--seed", type=int, required=True)
    made.add_argument("--out", type=Path, required=True)
    made.add_argument("--name", help="OWNER/NAME; without it taken from the folder OWNER+NAME")
    made.add_argument("--commit", help="what to check out in the clone; without it its HEAD")
    made.add_argument("--relations", type=int, default=25)
    made.add_argument("--findings", type=int, default=25)
    made.add_argument("--first", type=int, default=16, help=f"findings at most of {' and '.join(FIRST)}")
    made.add_argument("--types", "--kinds", default="", help="only these types of relations, with commas")
    made.add_argument("--codes", default="", help="only these codes of findings, with commas")
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Draw, write, and say how many of what; 2 where verdicts would be lost."""
    given = parser().parse_args(arguments)
    if has_verdicts(given.out):
        print(f"{given.out} holds verdicts and is left as it is; give another --out", file=sys.stderr)
        return 2
    found = sampled(given)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    print(f"{found['repository']} {found['commit'][:12]}, seed {given.seed} -> {given.out}")
    for part, key in (("relations", "type"), ("findings", "code")):
        counts = Counter(row[key] for row in found[part])
        told_of = ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
        print(f"  {len(found[part])} {part} of {sum(found['population'][part].values())}: {told_of}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
