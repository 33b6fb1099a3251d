"""Reality says of each topic what is wanted, what is there and what is claimed, and no more than something shows."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import jsonschema
import msgspec
import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.kernel.canon import artifact
from t2c.projections.base import Inputs
from t2c.projections.facts import Facts
from t2c.projections.fold import fold
from t2c.projections.reality import surveyed
from t2c.projections.reality.model import LANES, STATUSES, Grades, Reality, Row, reality_model
from t2c.projections.registry import ALL


class Found(NamedTuple):
    """A diagnostic as reality sees it."""

    code: str
    severity: str
    records: tuple[str, ...]


def both(chain: Any, findings: Sequence[Found] = ()) -> tuple[Reality, Grades]:
    folded = fold(chain.journal, ALL, ["timeline"])
    assert folded.ts is not None
    return surveyed(Inputs(folded.ts, folded.states, folded.made), findings)


def reality(chain: Any, findings: Sequence[Found] = ()) -> Reality:
    return both(chain, findings)[0]


def row(chain: Any, key: str, *findings: Found) -> Row:
    return next(one for one in reality(chain, findings).rows if one.key == key)


def document(chain: Any, text: str, **members: Any) -> str:
    kind = members.pop("kind", "documentation_statement")
    cls = members.pop("cls", "declaration")
    draft = Draft(
        kind=kind, text=text, object=text, action="document", cls=cls, status="proposed", confidence=0.6,
        basis=("markdown_structure",), lines=(3, 3), **members,
    )  # fmt: skip
    return str(chain.observe("document", "README.md", draft)[0])


def module(chain: Any, path: str, *, test: bool = False) -> str:
    draft = Draft(
        kind="module_fact", text=f"module {path}", object=path, action="declare", cls="fact",
        status="implemented", confidence=1.0, basis=("syntax_tree",), paths=(path,), metadata={"test": test},
    )  # fmt: skip
    return str(chain.observe("ast", path, draft)[0])


def setting(chain: Any, path: str = "settings.toml") -> str:
    draft = Draft(
        kind="configuration_declaration", text="configure x", object="x", action="configure", cls="fact",
        status="implemented", confidence=0.98, basis=("deterministic_configuration_structure",), lines=(1, 1),
    )  # fmt: skip
    return str(chain.observe("system", path, draft)[0])


def commit(chain: Any, revision: str, text: str, **members: Any) -> str:
    metadata = {"committedAt": "2026-02-01T12:00:00Z", **members.pop("metadata", {})}
    draft = Draft(
        kind="commit_intent_claim", text=text, object=text, action="fix", cls="claim", status="implemented",
        confidence=0.86, basis=("commit_message",), revision=revision * 40, observed_at="2026-02-01T12:00:00Z",
        metadata=metadata, **members,
    )  # fmt: skip
    return str(chain.observe("git", None, draft)[0])


def ticketed(chain: Any, ticket: str, text: str, **members: Any) -> str:
    draft = Draft(
        kind="todo_item", text=text, object=text, action="add", cls="plan", confidence=0.9,
        basis=("markdown_checkbox",), tickets=(ticket,), lines=(1, 1), **{"status": "planned", **members},
    )  # fmt: skip
    return str(chain.observe("todo", "TODO.md", draft)[0])


def test_the_keys_are_exactly_those_of_the_contract(chain: Any) -> None:
    chain.todo("write it")
    body = msgspec.json.decode(msgspec.json.encode(reality(chain)))
    assert set(body) == {
        "schemaVersion", "generatedAt", "graphFingerprint", "fingerprint", "rows", "totals",
    }  # fmt: skip
    assert set(body["rows"][0]) == {
        "key", "label", "lanes", "status", "severity", "recordIds", "diagnosticCodes", "evidence",
    }  # fmt: skip
    assert set(body["totals"]) == {
        "topics", "aligned", "gaps", "alignedByEvidence", "byStatus", "declaredRecords", "observedRecords",
        "declaredTopics", "observedTopics", "implementationAlignedTopics", "implementationCoverage",
        "plannedCodeCoverage", "documentedCodeCoverage", "documentationMeasured",
    }  # fmt: skip
    assert set(body["rows"][0]["lanes"]) == set(LANES)
    assert set(body["totals"]["byStatus"]) == set(STATUSES)
    jsonschema.validate(body, reality_model().model_json_schema())
    reality_model().model_validate_json(msgspec.json.encode(body))


def test_of_nothing_no_ratio_is_known(chain: Any) -> None:
    made, grades = both(chain)
    assert made.rows == ()
    assert made.totals.implementationCoverage is None
    assert made.totals.plannedCodeCoverage is None
    assert made.totals.documentedCodeCoverage is None
    assert made.totals.aligned == 0
    assert {(one.numerator, one.denominator) for one in grades.ratios.values()} == {(0, 0)}


def test_a_plan_that_a_commit_implements_is_aligned_and_the_commit_takes_part(chain: Any) -> None:
    plan = ticketed(chain, "AB-1", "write it")
    done = commit(chain, "a", "Write it")
    chain.link(done, plan, "implements")
    found = row(chain, "ticket:AB-1")
    assert (found.status, found.severity, found.evidence) == ("aligned", "info", "code")
    assert found.recordIds == tuple(sorted((plan, done)))
    assert (found.lanes["todo"], found.lanes["git"]) == (1, 1)
    assert found.label == "AB-1 write it"


def test_a_plan_without_evidence_is_planned_not_implemented(chain: Any) -> None:
    ticketed(chain, "AB-1", "write it")
    assert row(chain, "ticket:AB-1").status == "planned_not_implemented"


def test_that_a_file_of_that_name_exists_shows_no_plan_done(chain: Any) -> None:
    module(chain, "src/app.py")
    draft = Draft(
        kind="todo_item", text="add retries to `src/app.py`", object="retries", action="add", cls="plan",
        status="planned", confidence=0.9, basis=("markdown_checkbox",), paths=("src/app.py",), lines=(1, 1),
    )  # fmt: skip
    chain.observe("todo", "TODO.md", draft)
    found = row(chain, "path:src/app.py")
    assert (found.declared, found.observed) == (1, 1)
    assert found.status == "planned_not_implemented"


def test_a_ticked_plan_whose_file_merely_exists_is_tied_to_nothing(chain: Any) -> None:
    module(chain, "src/app.py")
    draft = Draft(
        kind="todo_item", text="add retries to `src/app.py`", object="retries", action="add", cls="plan",
        status="completed", confidence=0.9, basis=("markdown_checkbox",), paths=("src/app.py",), lines=(1, 1),
    )  # fmt: skip
    chain.observe("todo", "TODO.md", draft)
    assert row(chain, "path:src/app.py").status == "unlinked"


def test_prose_about_code_that_is_there_is_aligned(chain: Any) -> None:
    module(chain, "src/app.py")
    document(chain, "see `src/app.py`", paths=("src/app.py",))
    assert row(chain, "path:src/app.py").status == "aligned"


def test_prose_that_asks_for_nothing_is_no_plan(chain: Any) -> None:
    document(chain, "see `gone.py`", paths=("gone.py",))
    assert row(chain, "path:gone.py").status == "unlinked"


def test_a_prohibition_is_satisfied_by_absence(chain: Any) -> None:
    ticketed(chain, "AB-2", "must not write it", polarity="negative")
    found = row(chain, "ticket:AB-2")
    assert (found.status, found.evidence) == ("aligned", "none")
    assert reality(chain).totals.implementationAlignedTopics == 0


def test_code_that_nobody_asked_for_is_implemented_not_planned(chain: Any) -> None:
    module(chain, "src/app.py")
    assert row(chain, "path:src/app.py").status == "implemented_not_planned"


def test_what_is_planned_and_there_and_nowhere_written_is_not_documented(chain: Any) -> None:
    plan, done = ticketed(chain, "AB-1", "write it"), commit(chain, "a", "Write it")
    chain.link(done, plan, "implements")
    finding = Found("IMPLEMENTED_NOT_DOCUMENTED", "info", (plan,))
    assert row(chain, "ticket:AB-1", finding).status == "implemented_not_documented"


def test_a_claim_is_empty_where_a_diagnostic_says_so_and_unlinked_where_none_does(chain: Any) -> None:
    entry = chain.entry("Fix it")
    assert row(chain, "source:CHANGELOG.md").status == "unlinked"
    finding = Found("CHANGELOG_WITHOUT_IMPLEMENTATION", "review_required", (entry,))
    found = row(chain, "source:CHANGELOG.md", finding)
    assert (found.status, found.severity) == ("changelog_without_implementation", "review_required")
    assert found.diagnosticCodes == ("CHANGELOG_WITHOUT_IMPLEMENTATION",)


def test_conflicting_intent_comes_before_all(chain: Any) -> None:
    plan = ticketed(chain, "AB-1", "write it")
    findings = [
        Found(code, "blocking", (plan,)) for code in ("CONFLICTING_INTENT", "PLANNED_NOT_IMPLEMENTED")
    ]
    assert row(chain, "ticket:AB-1", *findings).status == "conflicting"


@pytest.mark.parametrize("code", ["PLANNED_NOT_IMPLEMENTED", "FALSE_COMPLETION", "REGRESSION_DETECTED"])
def test_what_a_diagnostic_calls_undone_is_not_aligned(chain: Any, code: str) -> None:
    plan = ticketed(chain, "AB-1", "write it", status="completed")
    chain.link(commit(chain, "a", "Write it"), plan, "implements")
    assert row(chain, "ticket:AB-1").status == "aligned"
    assert row(chain, "ticket:AB-1", Found(code, "warning", (plan,))).status == "planned_not_implemented"


def test_every_status_was_made_above() -> None:
    with open(__file__) as stream:
        text = stream.read()
    assert {name for name in STATUSES if f'"{name}"' not in text} == set()


def test_a_commit_that_changed_documentation_alone_counts_in_no_lane(chain: Any) -> None:
    plan = ticketed(chain, "AB-1", "write it")
    claim = commit(chain, "d", "Write it", metadata={"docOnly": True})
    chain.link(claim, plan, "implements")
    found = row(chain, "ticket:AB-1")
    assert found.observed == 0
    assert claim in found.recordIds
    assert found.status == "planned_not_implemented"


def test_a_commit_that_changed_documentation_alone_shows_what_is_said_about_documentation(chain: Any) -> None:
    def said(action: str, ticket: str) -> str:
        draft = Draft(
            kind="changelog_entry", text=f"{action} it", object="it", action=action, cls="claim",  # type: ignore[arg-type]
            status="released", confidence=0.92, basis=("heading",), tickets=(ticket,), lines=(1, 1),
        )  # fmt: skip
        return str(chain.observe("changelog", "CHANGELOG.md", draft)[0])

    claim = commit(chain, "d", "Write it down", metadata={"docOnly": True})
    for action, ticket in (("document", "#1"), ("fix", "#2")):
        chain.link(said(action, ticket), claim, "releases")
    assert row(chain, "ticket:#1").observed == 1
    assert row(chain, "ticket:#2").observed == 0


def test_a_reverted_commit_counts_in_no_lane(chain: Any) -> None:
    plan, done = ticketed(chain, "AB-1", "write it"), commit(chain, "a", "Write it")
    chain.link(done, plan, "implements")
    chain.link(commit(chain, "b", 'Revert "Write it"'), done, "supersedes")
    assert row(chain, "ticket:AB-1").status == "planned_not_implemented"


def test_commits_that_nothing_relates_to_make_no_topic_and_are_counted(chain: Any) -> None:
    for revision in "abc":
        commit(chain, revision, "Change", tickets=(f"#{revision}",))
    made, grades = both(chain)
    assert made.rows == ()
    assert grades.commitsApart == 3


def test_a_test_result_is_a_lane_of_what_is_there(chain: Any) -> None:
    result = Draft(
        kind="test_result", text="passed tests/test_app.py", object="test", action="test", cls="fact",
        status="verified", confidence=1.0, basis=("junit",), paths=("tests/test_app.py",),
    )  # fmt: skip
    chain.observe("test", "report.xml", result)
    found = row(chain, "path:tests/test_app.py")
    assert (found.lanes["test"], found.observed, found.evidence) == (1, 1, "code")


def test_configuration_alone_is_weaker_evidence_than_code(chain: Any) -> None:
    setting(chain)
    document(chain, "see `settings.toml`", paths=("settings.toml",))
    made = reality(chain)
    assert made.rows[0].evidence == "configuration"
    assert made.totals.alignedByEvidence == {"code": 0, "configuration": 1, "none": 0}


def test_the_fingerprint_is_of_key_status_and_records_in_the_order_of_rows(chain: Any) -> None:
    ticketed(chain, "AB-1", "write it")
    module(chain, "src/app.py")
    made = reality(chain)
    seed = artifact([[one.key, one.status, list(one.recordIds)] for one in made.rows])
    assert made.fingerprint == sha256(seed).hexdigest()


def test_rows_stand_by_severity_then_gaps_then_size_then_key(chain: Any) -> None:
    quiet, loud = ticketed(chain, "AB-1", "write it"), ticketed(chain, "AB-2", "read it")
    chain.link(commit(chain, "a", "Write it"), quiet, "implements")
    module(chain, "src/a.py")
    module(chain, "src/b.py")
    made = reality(chain, [Found("PLANNED_NOT_IMPLEMENTED", "warning", (loud,))])
    assert [one.key for one in made.rows] == ["ticket:AB-2", "path:src/a.py", "path:src/b.py", "ticket:AB-1"]


def test_code_visits_what_describes_it_and_is_visited_by_it(chain: Any) -> None:
    one, two = chain.symbol("app.fix", path="src/a.py"), chain.symbol("app.mend", path="src/b.py")
    words = document(chain, "both repair things")
    for symbol in (one, two):
        chain.link(words, symbol, "documents")
    assert row(chain, "source:README.md").recordIds == tuple(sorted((one, two, words)))
    assert {found.key: found.status for found in reality(chain).rows} == {
        "path:src/a.py": "aligned", "path:src/b.py": "aligned", "source:README.md": "aligned",
    }  # fmt: skip


def test_what_only_locates_brings_nobody_together(chain: Any) -> None:
    symbol = chain.symbol("app.fix")
    words = document(chain, "fixes things")
    chain.link(words, symbol, "related_to")
    # One file alone is touched, so this is where the statement is filed; no other relation is needed.
    assert row(chain, "path:src/app.py").recordIds == tuple(sorted((symbol, words)))


def test_a_topic_key_is_the_smallest_ticket_and_further_anchors_stay_visible(chain: Any) -> None:
    draft = Draft(
        kind="todo_item", text="write it", object="it", action="add", cls="plan", status="planned",
        confidence=0.9, basis=("markdown_checkbox",), tickets=("B-2", "A-1"), paths=("src/x.py",), lines=(1, 1),
    )  # fmt: skip
    chain.observe("todo", "TODO.md", draft)
    made, grades = both(chain)
    assert made.rows[0].key == "ticket:A-1"
    assert (grades.topics[0].ambiguous, grades.topics[0].others) == (1, ("path:src/x.py", "ticket:B-2"))


def test_a_criterion_is_filed_under_the_task_that_its_file_is(chain: Any) -> None:
    module(chain, "src/app.py")
    shared: dict[str, Any] = {
        "kind": "todo_item",
        "action": "add",
        "cls": "plan",
        "status": "planned",
        "confidence": 0.9,
    }
    task = Draft(
        text="Add retries", object="retries", basis=("task_front_matter",), lines=(1, 1),
        metadata={"explicitId": "T-1"}, **shared,
    )  # fmt: skip
    criterion = Draft(
        text="`src/app.py` retries", object="it", basis=("markdown_checkbox",), lines=(9, 9), paths=("src/app.py",),
        **shared,
    )  # fmt: skip
    chain.observe("todo", "tasks/t-1.md", task, criterion)
    found = row(chain, "ticket:T-1")
    assert (found.lanes["todo"], found.label) == (2, "T-1 Add retries")
    assert row(chain, "path:src/app.py").declared == 0


def test_a_tag_in_the_code_shows_a_requirement_by_the_code_that_it_stands_in(chain: Any) -> None:
    code = module(chain, "src/app.py")
    shared: dict[str, Any] = {
        "object": "it",
        "action": "add",
        "confidence": 0.9,
        "basis": ("trace",),
        "lines": (1, 1),
    }
    requirement = chain.observe(
        "document", "doc/spec.md",
        Draft(kind="requirement", text="It retries", cls="plan", status="planned", metadata={"requirementId": "r~1"}, **shared),
    )[0]  # fmt: skip
    tag = chain.observe(
        "document", "src/app.py",
        Draft(kind="trace_tag", text="impl covers r~1", cls="declaration", status="implemented", paths=("src/app.py",), **shared),
    )[0]  # fmt: skip
    chain.link(requirement, tag, "evidenced_by")
    found = row(chain, "ticket:r~1")
    assert (found.status, found.evidence) == ("aligned", "code")
    assert found.recordIds == tuple(sorted((requirement, tag, code)))


def test_an_id_that_several_files_bear_names_nothing(chain: Any) -> None:
    for path in ("specs/a.md", "specs/b.md"):
        task = Draft(
            kind="todo_item", text="Add retries", object="retries", action="add", cls="plan", status="planned",
            confidence=0.9, basis=("task_front_matter",), lines=(1, 1), metadata={"explicitId": "FR-1"},
        )  # fmt: skip
        chain.observe("todo", path, task)
    assert {one.key for one in reality(chain).rows} == {"source:specs/a.md", "source:specs/b.md"}


def test_a_requirement_with_an_id_of_its_own_is_a_topic(chain: Any) -> None:
    requirement = Draft(
        kind="requirement", text="It retries", object="it", action="add", cls="plan", status="planned", confidence=0.9,
        basis=("requirement_id",), lines=(1, 1), metadata={"requirementId": "req~retry~1"},
    )  # fmt: skip
    chain.observe("document", "doc/spec.md", requirement)
    found = row(chain, "ticket:req~retry~1")
    assert (found.label, found.status) == ("req~retry~1 It retries", "planned_not_implemented")


def test_what_stands_in_a_sample_or_an_archive_is_not_waited_for(chain: Any) -> None:
    for path in ("templates/TODO.md", "archive/TODO.md"):
        chain.todo("write it", path=path)
    assert {one.status for one in reality(chain).rows} == {"unlinked"}


def test_an_open_plan_that_only_visits_does_not_decide(chain: Any) -> None:
    whole, part = ticketed(chain, "AB-1", "write it"), ticketed(chain, "AB-2", "write a part of it")
    chain.link(part, whole, "plans")
    chain.link(commit(chain, "a", "Write it"), whole, "implements")
    assert row(chain, "ticket:AB-1").status == "aligned"
    assert row(chain, "ticket:AB-2").status == "planned_not_implemented"


def test_an_unticked_criterion_of_a_task_that_is_done_and_shown_is_no_gap(chain: Any) -> None:
    def observed(status: str) -> str:
        shared: dict[str, Any] = {"kind": "todo_item", "action": "add", "cls": "plan", "confidence": 0.9}
        task = Draft(
            text="Add retries", object="retries", basis=("task_front_matter",), lines=(1, 1), status=status,  # type: ignore[arg-type]
            metadata={"explicitId": "T-1"}, **shared,
        )  # fmt: skip
        criterion = Draft(
            text="it retries",
            object="it",
            basis=("markdown_checkbox",),
            lines=(9, 9),
            status="planned",
            **shared,
        )
        return str(chain.observe("todo", "tasks/t-1.md", task, criterion)[0])

    chain.link(commit(chain, "a", "Add retries"), observed("completed"), "implements")
    assert row(chain, "ticket:T-1").status == "aligned"
    observed("in_progress")
    assert row(chain, "ticket:T-1").status == "planned_not_implemented"


def test_a_written_path_is_filed_under_the_one_file_that_it_ends(chain: Any) -> None:
    module(chain, "src/deep/app.py")
    document(chain, "see `app.py`", paths=("app.py",))
    assert row(chain, "path:src/deep/app.py").declared == 1


def test_a_name_that_one_file_declares_is_filed_there_and_one_of_two_is_not(chain: Any) -> None:
    chain.symbol("solve", path="src/a.py")
    chain.symbol("render", path="src/a.py")
    chain.symbol("render", path="src/b.py")
    document(chain, "`solve` solves", symbols=("solve",))
    document(chain, "`render` renders", symbols=("render",))
    made, grades = both(chain)
    assert {one.key for one in made.rows} == {"path:src/a.py", "path:src/b.py", "symbol:render"}
    beside = next(one for one in grades.topics if one.key == "symbol:render")
    assert (beside.ambiguous, beside.others) == (1, ("path:src/a.py", "path:src/b.py"))


def test_of_several_names_the_file_of_most_is_meant(chain: Any) -> None:
    chain.symbol("solve", path="src/a.py")
    for path in ("src/a.py", "src/b.py"):
        chain.symbol("render", path=path)
    document(chain, "`render` calls `solve`", symbols=("render", "solve"))
    assert row(chain, "path:src/a.py").declared == 1


def test_a_stub_only_repeats_what_another_file_declares(chain: Any) -> None:
    for path in ("src/a.ts", "types/a.d.ts"):
        chain.symbol("solve", path=path)
    document(chain, "`solve` solves", symbols=("solve",))
    assert row(chain, "path:src/a.ts").declared == 1


def test_both_directions_and_intended_exceptions(chain: Any) -> None:
    """Three plans (one tested, one only coded, one nothing) and one function that no plan names."""
    tested, coded, nothing = (ticketed(chain, f"P-{n}", f"plan {n}") for n in (1, 2, 3))
    symbols = [chain.symbol(f"app.part{n}", path=f"src/part{n}.py") for n in (1, 2)]
    chain.symbol("app.surplus", path="src/surplus.py")
    module(chain, "tests/test_app.py", test=True)
    probe = chain.symbol("test_part1", path="tests/test_app.py", metadata={"test": True})
    for plan, symbol, revision in ((tested, symbols[0], "a"), (coded, symbols[1], "b")):
        done = commit(chain, revision, "Do it")
        chain.link(done, plan, "implements")
        chain.link(done, symbol, "modifies")
    chain.link(probe, symbols[0], "tests")
    made, grades = both(chain)
    assert {one.record: one.grade for one in grades.forward} == {
        tested: "tested", coded: "declared", nothing: "none",
    }  # fmt: skip
    assert grades.byGrade.openPlans == {
        "none": 1, "named": 0, "declared": 1, "called": 0, "tested": 1, "green": 0,
    }  # fmt: skip
    wanting = [one.key for one in grades.backward if one.exception is None]
    assert "path:src/surplus.py" in wanting
    assert next(one for one in grades.backward if one.key == "path:tests/test_app.py").exception == "test"
    assert grades.exceptions["test"] == 1
    assert {one.key: one.grade for one in grades.topics} == {
        "ticket:P-1": "tested", "ticket:P-2": "declared", "ticket:P-3": "none",
    }  # fmt: skip
    assert made.totals.implementationCoverage == 0.6667
    assert (
        grades.ratios["implementationCoverage"].numerator,
        grades.ratios["implementationCoverage"].denominator,
    ) == (2, 3)


def test_facts_are_read_once_for_all_views(chain: Any) -> None:
    chain.todo("write it")
    folded = fold(chain.journal, ALL, ["timeline"])
    inputs = Inputs(folded.ts or "", folded.states, folded.made)
    assert Facts.of(inputs) is Facts.of(inputs)
