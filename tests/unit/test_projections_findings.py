"""Findings: grouped by cause, ranked, suppressed by decision, and told in other systems' shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from t2c.projections.diagnostics.model import Severity
from t2c.projections.facts import SEVERITIES
from t2c.projections.findings.model import Group, Place, Shown, Suppression, grouped, shortened
from t2c.projections.interop import sarif as written
from t2c.projections.interop.sarif import sarif
from t2c.projections.render.findings_github import MOST_OF_A_KIND, workflow_commands
from t2c.projections.render.findings_markdown import PAGE, page, page_of

PLACE = Place("INT-TODO-" + "0" * 20, "docs/a b.md", 3, 4, None, "Paint | the *fence*")


def finding(number: int, **more: Any) -> Shown:
    fields: dict[str, Any] = {
        "id": f"DIAG-{number:020x}",
        "code": "PLANNED_NOT_IMPLEMENTED",
        "severity": "warning",
        "title": f"Plan {number}",
        "detail": "Nothing was done.",
        "action": "Do it.",
        "cause": f"PLANNED_NOT_IMPLEMENTED:{number}",
        "risk": 50,
        "confidence": 900,
        "places": (PLACE,),
        "recordIds": (PLACE.record,),
        "suppressed": None,
        **more,
    }
    return Shown(**fields)


def suppression(**more: Any) -> Suppression:
    fields: dict[str, Any] = {
        "event": "EVT-" + "1" * 20,
        "seq": 7,
        "ts": "2026-01-05T10:00:00.000Z",
        "by": "human:ada",
        "finding": None,
        "cause": None,
        "reason": "kept on purpose",
        "expires": None,
        **more,
    }
    return Suppression(**fields)


def counts(groups: Sequence[Group]) -> dict[str, int]:
    told: dict[str, int] = dict.fromkeys(SEVERITIES, 0)
    for group in groups:
        for one in group.findings:
            told[one.severity] += 1
    return {**told, "groups": len(groups), "suppressed": 0}


def test_findings_of_one_cause_are_one_group_whatever_their_order() -> None:
    one, two, other = finding(1, cause="c"), finding(2, cause="c", risk=80), finding(3)
    groups = grouped([other, one, two])
    assert groups == grouped([two, other, one])
    assert [[member.id for member in group.findings] for group in groups] == [[two.id, one.id], [other.id]]


def test_the_gravest_come_first_then_risk_times_confidence() -> None:
    order: tuple[tuple[Severity, int, int], ...] = (
        ("blocking", 1, 1),
        ("review_required", 10, 100),
        ("warning", 90, 900),
        ("warning", 90, 100),
        ("info", 99, 999),
    )
    made = [finding(n, severity=s, risk=r, confidence=c) for n, (s, r, c) in enumerate(order)]
    assert [group.findings[0].id for group in grouped(reversed(made))] == [one.id for one in made]


@pytest.mark.parametrize(
    ("expires", "now", "holds"),
    [
        (None, "2099-01-01T00:00:00.000Z", True),
        ("2026-02-01T00:00:00.000Z", "2026-01-31T23:59:59.999Z", True),
        ("2026-02-01T00:00:00.000Z", "2026-02-01T00:00:00.000Z", False),
    ],
)
def test_a_suppression_holds_until_its_end(expires: str | None, now: str, holds: bool) -> None:
    assert suppression(expires=expires).holds(now) is holds


def test_a_page_shows_its_groups_and_counts_the_others() -> None:
    groups = grouped(finding(number) for number in range(PAGE + 3))
    first = page(groups, counts(groups))
    assert first.count("\n## ") == PAGE and first.rstrip().endswith("… and 3 more groups.")
    second = page_of(groups, counts(groups), PAGE, PAGE)
    assert second.count("\n## ") == 3 and "more groups" not in second
    assert {line for line in first.splitlines() if line.startswith("## ")}.isdisjoint(second.splitlines())


def test_markup_in_a_finding_is_text() -> None:
    groups = grouped([finding(1, title="`a` | <b> [c](d)")])
    shown = page(groups, counts(groups))
    assert r"## \`a\` \| \<b\> \[c\](d)" in shown and r"Paint \| the \*fence\*" in shown


def test_members_of_a_group_are_named_and_then_counted() -> None:
    groups = grouped(finding(number, cause="c") for number in range(6))
    shown = page(groups, counts(groups))
    assert "\n\nOf the same cause:\n\n- Plan 1 (" in shown and shown.endswith("- … and 3 more\n")
    whole = page_of(groups, counts(groups), 0, PAGE, whole=True)
    assert all(finding(number).id in whole for number in range(6)) and "more" not in whole


def test_a_page_says_why_and_until_when_something_is_suppressed() -> None:
    groups = grouped([finding(1, suppressed=suppression(expires="2026-02-01T00:00:00.000Z"), places=())])
    shown = page(groups, counts(groups))
    assert "*Suppressed* until 2026-02-01T00:00:00.000Z by `human:ada`: kept on purpose" in shown
    assert "\n\n\n" not in shown


def test_a_path_with_a_backtick_stays_code() -> None:
    odd = Place("INT-DOC-" + "0" * 20, "a`b.md", 3, 3, None, "Paint")
    groups = grouped([finding(1, places=(odd,))])
    assert "- `` a`b.md:3 `` Paint" in page(groups, counts(groups))


def test_nothing_found_is_said() -> None:
    assert "Nothing was found; 0 suppressed." in page((), counts(()))


def test_annotations_are_escaped_as_their_reader_unescapes_them() -> None:
    text = "50 %, a:b\r\nc"
    (line,) = workflow_commands(grouped([finding(1, title=text, detail=text)])).splitlines()
    properties, _, data = line.removeprefix("::warning ").partition("::")
    assert properties == "file=docs/a b.md,line=3,endLine=4,title=50 %25%2C a%3Ab%0D%0Ac"
    assert data.startswith("50 %25, a:b%0D%0Ac Next: Do it.")


def test_no_more_annotations_than_are_shown_and_the_rest_is_counted() -> None:
    levels: tuple[Severity, ...] = ("blocking", "warning", "review_required", "info")
    made = [finding(100 * k + n, severity=level) for k, level in enumerate(levels) for n in range(15)]
    lines = workflow_commands(grouped(made)).splitlines()
    kinds = [line[2:].split(" ")[0] for line in lines]
    assert {kind: kinds.count(kind) for kind in kinds} == dict.fromkeys(
        ("error", "warning", "notice"), MOST_OF_A_KIND
    )
    assert lines[-1].startswith("::notice title=t2c::5 more errors, 6 more notices, 20 more warnings")
    exact = workflow_commands(grouped(made[:MOST_OF_A_KIND])).splitlines()
    assert len(exact) == MOST_OF_A_KIND and all(line.startswith("::error ") for line in exact)


def test_sarif_names_rules_places_and_stable_fingerprints() -> None:
    hidden = finding(2, suppressed=suppression())
    log = sarif(grouped([finding(1)]), [hidden], {"PLANNED_NOT_IMPLEMENTED": "Planned"}, "1.2", "abc")
    (run,) = log["runs"]
    assert log["version"] == "2.1.0" and run["properties"] == {"revision": "abc"}
    (rule,) = run["tool"]["driver"]["rules"]
    assert (rule["id"], rule["shortDescription"]["text"]) == ("PLANNED_NOT_IMPLEMENTED", "Planned")
    shown, kept = run["results"]
    assert shown["partialFingerprints"] == {"t2cFinding/v1": finding(1).id} and "suppressions" not in shown
    physical = shown["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"] == {"uri": "docs/a%20b.md", "uriBaseId": "SRCROOT"}
    assert physical["region"] == {"startLine": 3, "endLine": 4}
    assert kept["suppressions"][0]["justification"] == "kept on purpose"
    assert (shown["level"], 0 <= shown["rank"] <= 100) == ("warning", True)


def test_sarif_counts_what_its_readers_would_not_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(written, "MOST_RESULTS", 2)
    (run,) = sarif(grouped(finding(number) for number in range(5)), (), {}, "1")["runs"]
    assert len(run["results"]) == 2
    (note,) = run["invocations"][0]["toolExecutionNotifications"]
    assert note["message"]["text"].startswith("3 findings beyond 2")


def test_a_finding_without_a_file_is_a_notification_of_the_run() -> None:
    """Readers refuse the whole log for one result that stands nowhere."""
    commit = Place("INT-GIT-" + "0" * 20, None, None, None, "a" * 40, "Paint")
    bare = [finding(1, places=()), finding(2, places=(commit,))]
    hidden = finding(3, places=(), suppressed=suppression())
    (run,) = sarif(grouped([*bare, finding(4)]), [hidden], {}, "1")["runs"]
    assert [result["partialFingerprints"]["t2cFinding/v1"] for result in run["results"]] == [finding(4).id]
    (invocation,) = run["invocations"]
    notes = {note["properties"]["finding"]: note for note in invocation["toolExecutionNotifications"]}
    assert notes.keys() == {one.id for one in (*bare, hidden)}
    assert (notes[hidden.id]["level"], notes[bare[0].id]["level"]) == ("none", "warning")
    assert notes[bare[1].id]["associatedRule"] == {"id": "PLANNED_NOT_IMPLEMENTED", "index": 0}
    assert workflow_commands(grouped([finding(1, places=())])).startswith("::warning title=")


def test_what_stands_in_a_whole_file_is_shown_at_its_first_line() -> None:
    whole = Place("INT-DOC-" + "0" * 20, "a.md", None, None, None, "Paint")
    (run,) = sarif(grouped([finding(1, places=(whole, PLACE))]), (), {}, "1")["runs"]
    (result,) = run["results"]
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 1, "endLine": 1}
    (other,) = result["relatedLocations"]
    assert (other["id"], other["physicalLocation"]["region"]) == (1, {"startLine": 3, "endLine": 4})


def test_who_asks_for_suppressed_findings_alone_has_them_once() -> None:
    hidden = finding(1, suppressed=suppression())
    (run,) = sarif(grouped([hidden]), [hidden], {}, "1")["runs"]
    assert len(run["results"]) == 1


@pytest.mark.parametrize(("text", "most", "short"), [("a\n b", 9, "a b"), ("abcdef", 4, "abc…")])
def test_texts_are_one_short_line(text: str, most: int, short: str) -> None:
    assert shortened(text, most) == short


def test_a_place_reads_as_where_it_is() -> None:
    assert str(PLACE) == "docs/a b.md:3"
    assert str(Place("INT-GIT-" + "0" * 20, None, None, None, "0123456789abcdef", "")) == "0123456789ab"
