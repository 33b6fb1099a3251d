"""docs/quality.md, made of committed figures and verdicts alone, so that a test can make it again.

    python tests/quality/page.py [--check]

What it is made of stands in tests/data/quality: `gold.json` and `linkbench.json` (figures), every file of the schema
t2c.quality-sample/v1 (a sample with the verdicts of its reader) and `extraction.json` (code that was counted by hand).
Only the standard library is used.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = ROOT / "tests" / "data" / "quality"
PAGE: Final = ROOT / "docs" / "quality.md"
SAMPLE: Final = "t2c.quality-sample/v1"
VERDICTS: Final = ("right", "wrong", "unsure")
_Z: Final = 1.959964

Json = Mapping[str, Any]


def wilson(right: int, of: int) -> tuple[float, float]:
    """The interval of a share at 95 % by Wilson's score; (0, 1) of nothing."""
    if not of:
        return 0.0, 1.0
    share, square = right / of, _Z * _Z
    middle = share + square / (2 * of)
    width = _Z * math.sqrt(share * (1 - share) / of + square / (4 * of * of))
    scale = 1 + square / of
    return max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale)


def share(right: int, of: int) -> str:
    """`23 of 25 (92 %, 75–98 %)`."""
    if not of:
        return "0 of 0"
    low, high = wilson(right, of)
    return f"{right} of {of} ({100 * right / of:.0f} %, {100 * low:.0f}–{100 * high:.0f} %)"


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> list[str]:
    """A table of Markdown, cells escaped."""
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return lines + ["| " + " | ".join(cell(each) for each in row) + " |" for row in rows]


def cell(value: object) -> str:
    """One line that no pipe ends and that is no markup but code."""
    text = f"{value:.3f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)
    return " ".join(text.replace("\\|", "|").replace("|", "\\|").split()) or "–"


def made(of: Json) -> str:
    """When, of which commit and how figures were made."""
    return f"Made on {of['date']} of commit {of['commit']}: `{of['command']}`."


def render(data: Path = DATA) -> str:
    """The page."""
    gold = _read(data / "gold.json")
    bench = _read(data / "linkbench.json")
    read = samples(data)
    lines = [
        "# Quality", "",
        "<!-- made by tests/quality/page.py of what tests/data/quality holds; change that, not this page -->", "",
        ("How right relations, findings and the reading of code are, by figures that anybody can make again: "
        "`make quality MIRRORS=DIR`, where DIR holds bare clones as `OWNER+NAME/repo`."), "",
        *_of_readers(read), *_of_gold(gold), *_of_bench(bench), *_of_extraction(_read(data / "extraction.json")),
    ]  # fmt: skip
    return "\n".join(lines).rstrip("\n") + "\n"


def samples(data: Path = DATA) -> list[Json]:
    """The samples that `sample.py` drew and somebody may have read, by name of file."""
    stored = [json.loads(path.read_text()) for path in sorted(data.glob("*.json"))]
    return [one for one in stored if one.get("schema") == SAMPLE]


def _read(path: Path) -> Any:
    return json.loads(path.read_text()) if path.exists() else None


def _of_readers(samples: Sequence[Json]) -> list[str]:
    lines = [
        "## Read by a stranger", "",
        ("Relations with an end in the code, and findings, drawn by `tests/quality/sample.py` with a seed before anybody "
        "read them, and judged one by one with the source open by a reader who did not write the rules. `declares` is "
        "not drawn: it is containment by definition. Shares come with Wilson's interval at 95 %; what a reader was unsure of "
        "counts as not right."), "",
    ]  # fmt: skip
    judged = [one for one in samples if any(row["verdict"] for row in _rows(one))]
    if not judged:
        return [*lines, "No sample has been read yet.", ""]
    lines += table(
        ["repository", "commit", "relations right", "findings true", "reader", "drawn by"],
        [
            [
                one["repository"], one["commit"][:12], _right(one["relations"]), _right(one["findings"]),
                one["reader"], f"`{one['command']}` on {one['date']}, product {one['product']}",
            ]
            for one in judged
        ],
    )  # fmt: skip
    relations = [row for one in judged for row in one["relations"]]
    findings = [row for one in judged for row in one["findings"]]
    lines += ["", f"All relations: {_right(relations)}. All findings: {_right(findings)}.", ""]
    lines += [*table(["type", "right"], _by(relations, "type")), ""]
    lines += [*table(["code", "true"], _by(findings, "code")), ""]
    for one in judged:
        lines += [f"### {one['repository']}, relations", ""]
        lines += table(
            ["n", "from", "type", "to", "sure", "verdict", "reason"],
            [
                [row["n"], _end(row["from"]), row["type"], _end(row["to"]), row["confidence"], row["verdict"],
                 row["reason"]]
                for row in one["relations"]
            ],
        )  # fmt: skip
        lines += ["", f"### {one['repository']}, findings", ""]
        lines += table(
            ["n", "code", "severity", "detail", "records", "verdict", "reason"],
            [
                [row["n"], row["code"], row["severity"], row["detail"], _ends(row), row["verdict"], row["reason"]]
                for row in one["findings"]
            ],
        )  # fmt: skip
        lines += [""]
    return lines


def _rows(one: Json) -> list[Json]:
    return [*one["relations"], *one["findings"]]


def _right(rows: Sequence[Json]) -> str:
    judged = [row for row in rows if row["verdict"]]
    return share(sum(row["verdict"] == "right" for row in judged), len(judged))


def _by(rows: Sequence[Json], key: str) -> list[list[object]]:
    names = Counter(row[key] for row in rows)
    return [[name, _right([row for row in rows if row[key] == name])] for name in sorted(names)]


def _end(end: Json) -> str:
    return f"{end['at']} {end['text'][:80]}"


def _ends(row: Json) -> str:
    more = f" (+{row['more_records']})" if row["more_records"] else ""
    return ", ".join(end["at"] for end in row["records"][:3]) + more


def _of_gold(gold: Json | None) -> list[str]:
    if gold is None:
        return []
    linking, findings = gold["linking"], gold["diagnostics"]
    whole = linking["total_without_declares"]["all"]
    lines = [
        "## Labelled cases", "", made(gold["made"]), "",
        (f"{linking['cases']} cases of relations say which {linking['expected']} relations are right and which "
        f"{linking['forbidden']} pairs must not be related; {findings['cases']} cases of findings hold "
        f"{findings['expected'] + findings['forbidden']} expectations. Records of code are those of the named commits: tests and imports "
        "are labelled from what a scan found of calls, imports and names and chosen by hand, containment from nesting, the last change of a definition from `git log -L`. Prose is "
        "written for a case after a situation in the named project, and its numbers are made up. What a case does "
        "not expect and is drawn counts as wrong. Cases with a known gap are failed with a reason and are scored apart."), "",
        (f"All cases, containment left out: precision {whole['precision']:.3f}, recall {whole['recall']:.3f}, "
        f"{linking['violated'] + linking['violated_in_gaps']} of {linking['forbidden']} forbidden pairs related, "
        f"{linking['decided']:.3f} decided, confidence {linking['calibration_error']:.3f} from the share right in the mean of its "
        f"bins. The {linking['counted']} cases that count are those that the product gets right; a test holds them, and "
        f"{len(linking['gaps'])} known gaps wait."), "",
    ]  # fmt: skip
    lines += table(
        ["type", "right", "wrong", "missed", "precision", "recall", "with gaps: wrong", "missed", "precision", "recall"],
        [
            [name, *_tally(row["counted"]), *_tally(row["all"])[1:]]
            for name, row in (
                *linking["types"].items(),
                *((f"all, {name}", row) for name, row in linking["splits"].items()),
                ("all but declares", linking["total_without_declares"]),
            )
        ],
    )  # fmt: skip
    if gold["without"]:
        lines += ["", "With one rule taken away, of the cases that count:", ""]
        lines += table(
            ["without", "right", "wrong", "missed", "precision", "recall"],
            [[name, *_tally(row)] for name, row in gold["without"].items()],
        )
    lines += ["", "Findings:", ""]
    lines += table(
        [
            "code",
            "found",
            "forbidden and found",
            "missed",
            "with gaps: found",
            "forbidden and found",
            "missed",
        ],
        [
            [code, *_tally(row["counted"])[:3], *_tally(row["all"])[:3]]
            for code, row in findings["codes"].items()
        ],
    )
    lines += ["", "Known gaps:", ""]
    reasons: dict[str, list[Json]] = {}
    for gap in (*linking["gaps"], *findings["gaps"]):
        reasons.setdefault(gap["why"], []).append(gap)
    lines += table(
        ["why", "cases", "of them right by now", "forbidden pairs related", "for example"],
        [
            [
                why, len(gaps), sum(gap["right"] for gap in gaps), sum(gap.get("violated", 0) for gap in gaps),
                gaps[0]["id"],
            ]
            for why, gaps in sorted(reasons.items(), key=lambda item: (-len(item[1]), item[0]))
        ],
    )  # fmt: skip
    return [*lines, ""]


def _tally(row: Json) -> list[object]:
    return [row["right"], row["wrong"], row["missed"], f"{row['precision']:.3f}", f"{row['recall']:.3f}"]


def _of_bench(bench: Json | None) -> list[str]:
    lines = ["## Entries of changelogs and their commits", ""]
    if bench is None:
        return [*lines, "Not measured yet.", ""]
    lines += [
        made(bench["made"]), "",
        ("Public repositories whose changelogs cite pull requests are stripped of all numbers, scanned, and asked for the "
        "commit of each entry. Parameters are fitted on the other repositories alone. Rivals are plain methods of the same "
        "run. `cov@95` is the share of entries that can be decided at 95 % right."), "",
    ]  # fmt: skip
    repositories = bench["repositories"]
    lines += table(
        ["repository", "entries", "recall@1 in range", "best rival", "cov@95", "best rival", "decided", "of them right",
         "calibration error"],
        [
            [
                name, one["left_out"]["entries"], _figure(one["left_out"]["recall1"]), _figure(_rival(one, "recall1")),
                _figure(one["left_out"]["coverage95"]), _figure(_rival(one, "coverage95")),
                _figure(one["left_out"]["accepted"]), _figure(one["left_out"]["accepted_precision"]),
                _figure(one["left_out"]["calibration_error"]),
            ]
            for name, one in sorted(repositories.items())
        ]
        + [
            [
                "mean", sum(one["left_out"]["entries"] for one in repositories.values()),
                *(
                    _figure(fmean(_value(one, key, is_rival) for one in repositories.values()))
                    for key, is_rival in _MEANS
                ),
            ]
        ],
    )  # fmt: skip
    lines += [""]
    lines += table(
        ["what", "reached", "to beat", ""],
        [
            [bar["what"], _figure(bar["reached"]), _figure(bar["to_beat"]), "" if bar["reached"] > bar["to_beat"] else "missed"]
            for bar in bench["bars"]
        ],
    )  # fmt: skip
    if bench.get("without"):
        lines += ["", "recall@1 with one signal taken away:", ""]
        lines += table(
            ["without", "recall@1"], [[name, _figure(one)] for name, one in bench["without"].items()]
        )
    return [*lines, ""]


_MEANS: Final = (
    ("recall1", False), ("recall1", True), ("coverage95", False), ("coverage95", True), ("accepted", False),
    ("accepted_precision", False), ("calibration_error", False),
)  # fmt: skip


def _value(one: Json, key: str, is_rival: bool) -> float:
    return float((_rival(one, key) if is_rival else one["left_out"][key]) or 0)


def _rival(one: Json, key: str) -> float:
    return max(
        (row[key] or 0 for name, row in one["baselines"].items() if name.endswith("/range")), default=0
    )


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def _of_extraction(extraction: Json | None) -> list[str]:
    if extraction is None:
        return []
    return [
        "## Extraction of code",
        "",
        *extraction["words"],
        "",
        *table(extraction["head"], extraction["rows"]),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page; with --check 1 if it is another."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    text = render()
    if parser.parse_args(arguments).check:
        return int(PAGE.read_text() != text)
    PAGE.write_text(text)
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
