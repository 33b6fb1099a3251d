"""What people judge: a wrong relation goes, a right one stays and says so, and its grade is re-fitted."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.ids import RecordId, relation_id
from t2c.ledger.linking.judged import WEIGHT, fitted
from t2c.ledger.linking.kept import Library
from t2c.ledger.linking.linker import link, relate
from t2c.ledger.linking.registry import PRIORS


def bodies(numbers: range) -> list[bytes]:
    """A plan and an entry for each number, which is enough for one relation each."""

    def records(source: str, kind: str, cls: str) -> list[bytes]:
        drafts = tuple(
            Draft(
                kind=kind, text=f"Export number {n} #{n}", object=f"number {n}", action="add", cls=cls,
                status="planned", confidence=0.9, basis=("test",), tickets=(f"#{n}",), lines=(n, n),
            )
            for n in numbers
        )  # fmt: skip
        reading = Reading(Scope(source, f"{source}.md"), f"t2c/{source}@1", drafts, (), complete=True)
        return [found.body for found in materialise(reading)]

    return records("todo", "todo_item", "plan") + records("changelog", "changelog_entry", "claim")


@pytest.fixture
def given() -> list[bytes]:
    return bodies(range(1, 6))


def test_without_judgements_nothing_is_refitted(given: list[bytes]) -> None:
    found = link(given)
    assert len(found.relations) == 5 and found.fits == {}


def test_a_wrong_relation_is_counted_and_gone(given: list[bytes]) -> None:
    before = link(given)
    wrong = before.relations[0].id
    after = link(given, {wrong: "wrong"})
    assert {one.id for one in after.relations} == {one.id for one in before.relations} - {wrong}
    assert set(after.warnings) - set(before.warnings) == {
        one for one in after.warnings if (one.reason, one.count) == ("judged_wrong", 1)
    }
    assert len(after.warnings) == len(before.warnings) + 1


def test_a_right_relation_says_so(given: list[bytes]) -> None:
    right = link(given).relations[0]
    after = {one.id: one for one in link(given, {right.id: "right"}).relations}[right.id]
    assert "judged_right" in after.basis and after.confidence > right.confidence


def test_others_of_the_grade_become_more_or_less_sure(given: list[bytes]) -> None:
    before = link(given).relations
    grade = next(token for token in before[0].basis if token in PRIORS)
    for verdict, moved in (("wrong", -1), ("right", 1), ("unsure", 0)):
        after = link(given, {before[0].id: verdict})
        other = next(one for one in after.relations if one.id == before[1].id)
        assert (other.confidence > before[1].confidence) - (other.confidence < before[1].confidence) == moved
        assert (grade in after.fits) == (verdict != "unsure")


def test_a_verdict_about_no_relation_says_nothing(given: list[bytes]) -> None:
    nothing = relation_id(RecordId("INT-TODO-" + "0" * 20), RecordId("INT-TODO-" + "1" * 20), "plans")
    assert link(given, {nothing: "wrong"}) == link(given)


def test_judgements_weigh_as_told() -> None:
    from t2c.ledger.linking.base import Fit

    assert fitted(0.8, None) == 0.8
    assert fitted(0.8, Fit(right=0, wrong=WEIGHT)) == pytest.approx(0.4)
    assert fitted(0.8, Fit(right=WEIGHT, wrong=0)) == pytest.approx(0.9)


def test_what_is_kept_and_brought_up_to_date_links_like_all_of_it(given: list[bytes]) -> None:
    more = bodies(range(1, 9))
    library = Library()
    library.take(given)
    first = relate(library.corpus())
    kept = Library(library.records.values())
    kept.take([body for body in more if body not in given])
    assert first == link(given)
    assert relate(kept.corpus()) == link(more)
    gone = [identity for identity in kept.records if identity not in library.records]
    kept.take((), gone)
    assert relate(kept.corpus()) == first
