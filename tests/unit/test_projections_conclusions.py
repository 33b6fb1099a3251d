"""Conclusions: one for every finding, a model's as long as what they cite stands, and a report for people."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.kernel.actor import Actor
from t2c.ledger.llm.synthesis.contract import SUMMARY, Generation, conclusion
from t2c.ledger.llm.synthesis.published import Conclusion
from t2c.projections.base import Inputs
from t2c.projections.conclusions import MOST, report_of, shown
from t2c.projections.fold import fold
from t2c.projections.registry import ALL
from t2c.projections.render.report import lines, report_markdown
from t2c.projections.render.report_words import ACTIONS, WORDS

BY_MODEL = Generation(SUMMARY, "prefer-llm", "a" * 64, model="acme/one", provider="by", response="r1")


def made(chain: Any) -> tuple[list[Any], str]:
    """The conclusions and the page."""
    files = fold(chain.journal, ALL, ["conclusions"]).artifacts("conclusions")
    document, page = files["conclusions.json"], files["team-summary.md"]
    assert isinstance(document, bytes) and isinstance(page, bytes)
    return orjson.loads(document), page.decode()


def inputs(chain: Any) -> Inputs:
    folded = fold(chain.journal, ALL, ["conclusions"])
    return Inputs(folded.ts or "", folded.states)


def report(chain: Any, language: Any = "en") -> Any:
    found = inputs(chain)
    return report_of(found.states["conclusions"], found, language)


def draw(chain: Any, run: str, *documents: dict[str, Any], finished: bool = True, **options: Any) -> None:
    """Record a synthesis as `t2c summarize` does."""
    asked = {
        "synthesis": f"summary-{run}",
        "mode": "prefer-llm",
        "configuration": {},
        "responses": [],
        "abstained": [],
        **options,
    }
    started = {
        "verb": "summarize",
        "requested_by": "human:a",
        "tool": "t2c 0",
        "revision": None,
        "branch": None,
    }
    chain.add("run.started", {**started, "options": asked}, run=run)
    for one in documents:
        body = {"id": one["id"], "synthesis": f"summary-{run}", "conclusion": one, "by": None}
        chain.add("conclusion.drawn", body, run=run, actor=Actor("agent", "acme/one"), trust="asserted")
    if finished:
        stage = {
            "stage": "grounded-summary",
            "status": "succeeded",
            "counts": {"abstained": 2},
            "detail": None,
        }
        chain.add("stage.finished", stage, run=run)


def drawn(finding: Any, **more: Any) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "kind": "risk",
        "title": "Two plans wait",
        "detail": "Nobody began.",
        "severity": "blocking",
        "diagnostics": finding["diagnosticIds"],
        "records": finding["recordIds"],
        "confidence": 0.5,
        "generation": BY_MODEL,
    }
    return conclusion(**{**fields, **more})


def release(chain: Any, name: str, commit: str) -> None:
    """Record a tag that names a release."""
    tag = Draft(
        kind="git_tag_fact", text=name, object=name, action="release", cls="fact", status="released",
        confidence=1.0, basis=("git_tag",), revision=commit, metadata={"tag": name, "commit": commit},
    )  # fmt: skip
    chain.observe("git", f"refs/tags/{name}", tag)


def test_every_finding_with_records_is_concluded_from_in_english(chain: Any) -> None:
    chain.todo("Paint the fence", line=3)
    found, _ = made(chain)
    diagnostics = fold(chain.journal, ALL, ["diagnostics"]).artifacts("diagnostics")["diagnostics.json"]
    assert isinstance(diagnostics, bytes)
    known = {one["id"]: one for one in orjson.loads(diagnostics)["diagnostics"] if one["recordIds"]}
    assert {one["diagnosticIds"][0] for one in found} == known.keys() != set()
    for one in found:
        Conclusion.model_validate_json(orjson.dumps(one))
        diagnostic = known[one["diagnosticIds"][0]]
        assert one["detail"] == f"{diagnostic['detail']} Next: {diagnostic['suggestedAction']}"
        assert one["kind"] == ("risk" if one["severity"] in ("blocking", "review_required") else "finding")
        assert one["confidence"] == 1 and one["generation"]["effectiveMode"] == "deterministic"
    again = inputs(chain)
    assert [one["id"] for one in shown(again.states["conclusions"], again)] == [one["id"] for one in found]


def test_at_most_a_hundred_the_gravest_first(chain: Any) -> None:
    for number in range(MOST + 20):
        chain.todo(f"Plan {number} of many", line=3 + number)
    found, _ = made(chain)
    assert len(found) == MOST
    order = ["blocking", "review_required", "warning", "info"]
    assert found == sorted(found, key=lambda one: (order.index(one["severity"]), one["id"]))


def test_a_models_conclusions_stand_in_place_as_long_as_what_they_cite(chain: Any) -> None:
    todo = chain.todo("Paint the fence", line=3)
    chain.todo("Build a shed", line=4)
    before, _ = made(chain)
    finding = next(one for one in before if todo in one["recordIds"])
    draw(chain, "r1", drawn(finding))
    found, page = made(chain)
    assert [one["title"] for one in found] == ["Two plans wait"]
    assert found[0]["generation"]["generatedAt"] and found[0]["id"] == drawn(finding)["id"]
    assert "in the words of acme/one" in page and "no ground: 2" in page
    chain.add("record.retracted", {"id": todo, "why": "deleted", "superseded_by": None})
    after, page = made(chain)
    assert "Two plans wait" not in page
    assert after and all(one["generation"]["effectiveMode"] == "deterministic" for one in after)


def test_only_the_latest_synthesis_that_was_finished_counts(chain: Any) -> None:
    chain.todo("Paint the fence", line=3)
    finding = made(chain)[0][0]
    draw(chain, "r1", drawn(finding, title="First"))
    draw(chain, "r2", drawn(finding, title="Second"))
    draw(chain, "r3", drawn(finding, title="Third"), finished=False)
    assert [one["title"] for one in made(chain)[0]] == ["Second"]


def test_other_runs_and_what_names_none_change_nothing(chain: Any) -> None:
    chain.todo("Paint the fence", line=3)
    before = made(chain)[0]
    chain.add(
        "conclusion.drawn", {"id": "x", "synthesis": "s", "conclusion": {}, "by": None}, trust="asserted"
    )
    chain.add(
        "stage.finished", {"stage": "grounded-summary", "status": "succeeded", "counts": {}, "detail": None}
    )
    started = {
        "verb": "scan",
        "requested_by": "a",
        "tool": "t",
        "revision": None,
        "branch": None,
        "options": {},
    }
    chain.add("run.started", started, run="r1")
    chain.add(
        "stage.finished", {"stage": "git", "status": "succeeded", "counts": {}, "detail": None}, run="r1"
    )
    strip = [{**one, "generation": None} for one in made(chain)[0]]
    assert strip == [{**one, "generation": None} for one in before]


def test_a_report_says_who_asks_and_what_is_borne_out(chain: Any) -> None:
    chain.todo("Paint the fence", line=3)
    chain.todo("Build a shed", line=4, done=True)
    done = chain.todo("Fix the door", line=5, done=True)
    chain.link(chain.commit("a" * 40, "Fix the door"), done, "implements", rule="trace")
    found = report(chain)
    (place,) = found.asked
    assert (place.by, place.name, place.open, place.done, place.shown) == ("place", "TODO.md", 1, 2, 1)
    assert (found.open, found.done.part, found.done.whole) == (1, 1, 2)
    assert [said.where for said in place.first] == ["TODO.md:3"]


def test_changes_are_those_since_the_release_that_a_tag_names(chain: Any) -> None:
    parent: tuple[str, ...] = ()
    for number in range(8):
        revision = f"{number:040x}"
        chain.commit(revision, f"Fix part {number}", parents=parent, at=f"2026-01-{number + 1:02}T12:00:00Z")
        parent = (revision,)
    assert report(chain).changes.since == "2025-12-11", (
        "without a release the last weeks before the newest commit"
    )
    release(chain, "v1.0", f"{1:040x}")
    changes = report(chain).changes
    assert (changes.since, changes.day, changes.commits, changes.authors) == ("v1.0", "2026-01-02", 6, 1)
    assert [(one.action, one.commits) for one in changes.by_action] == [("fix", 6)]
    assert changes.by_action[0].newest[0].text == "Fix part 7"
    release(chain, "v1.1", f"{6:040x}")
    changes = report(chain).changes
    assert (changes.since, changes.until, changes.commits) == ("v1.0", "v1.1", 6), "one commit is no news"


def test_many_findings_of_one_kind_are_told_once(chain: Any) -> None:
    for number in range(9):
        chain.todo(f"Plan {number}", line=3 + number, path=f"plans/{number % 3}.md")
    found = report(chain)
    codes = [one.lead.code for one in found.differing]
    assert len(codes) == len(set(codes))
    planned = next(one for one in found.differing if one.lead.code == "PLANNED_NOT_IMPLEMENTED")
    assert planned.findings == 9 and 1 <= len(planned.others) <= 2


def test_an_empty_ledger_gives_a_page_without_a_percentage(chain: Any) -> None:
    page = report_markdown(report(chain)).decode()
    assert "Nothing that was read asks for anything" in page and "no data" in page and "%" not in page
    assert made(chain)[0] == []


@pytest.mark.parametrize("language", sorted(WORDS))
def test_what_a_repository_says_acts_on_no_page(chain: Any, language: str) -> None:
    chain.todo("](javascript:x) <script> {open} \x1b[31m\n::error ::x", line=3, path="a|b`.md")
    page = report_markdown(report(chain, language), language).decode()
    assert "<script>" not in page and "\x1b" not in page
    assert re.search(r"(?<!\\)[\[\]`]", page) is None
    assert not any(line.lstrip().startswith("::") for line in page.splitlines())
    assert {line.rank for line in lines(report(chain), language)} >= {"title", "section", "item"}


def test_both_languages_say_the_same_things() -> None:
    from string import Formatter

    assert WORDS["en"].keys() == WORDS["pl"].keys() and ACTIONS["en"].keys() == ACTIONS["pl"].keys()
    for name, english in WORDS["en"].items():
        held = [
            {field for _, field, _, _ in Formatter().parse(text) if field}
            for text in (english, WORDS["pl"][name])
        ]
        assert held[0] == held[1], name
