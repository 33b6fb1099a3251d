"""A release of a changelog and the tag that it is; every release is read from a real changelog."""

from __future__ import annotations

from hashlib import sha1
from typing import Any

import msgspec
import pytest

from t2c.ledger.events.evidence import RelationLinked
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.intake.changelog import ChangelogExtractor
from t2c.ledger.linking.base import LinkDraft, Links
from t2c.ledger.linking.linker import link
from t2c.ledger.linking.registry import PRIORS
from t2c.ledger.linking.releases import BOOK, same_number


class Nothing:
    """A tree without files."""

    def __contains__(self, path: str) -> bool:
        return False

    def named(self, name: str) -> tuple[str, ...]:
        return ()

    def content(self, path: str) -> bytes | None:
        return None


def changelog(text: str, path: str = "CHANGELOG.md") -> list[bytes]:
    return [found.body for found in materialise(ChangelogExtractor().read(path, text.encode(), Nothing()))]


def tag(
    name: str,
    version: str,
    package: str | None = None,
    *,
    commit: str = "",
    day: str = "2026-01-05",
    tickets: tuple[str, ...] = (),
) -> bytes:
    draft = Draft(
        kind="git_tag_fact",
        text=name,
        object=name,
        action="release",
        cls="fact",
        status="released",
        confidence=1.0,
        basis=("git_tag",),
        symbol=name,
        versions=(version,),
        tickets=tickets,
        observed_at=f"{day}T10:00:00+02:00",
        metadata={"tag": name, "package": package, "commit": sha1((commit or name).encode()).hexdigest()},
    )
    (found,) = materialise(Reading(Scope("git", "refs/tags"), "t2c/made@1", (draft,)))
    return found.body


def drawn(links: Links, bodies: list[bytes]) -> list[tuple[str, str, str]]:
    texts: dict[str, str] = {}
    for body in bodies:
        record: dict[str, Any] = msgspec.json.decode(body)
        texts[record["id"]] = record["statement"]["text"]
    return sorted((texts[draft.source], draft.type, texts[draft.target]) for draft in links.relations)


def between(
    text: str, *tags: bytes, path: str = "CHANGELOG.md"
) -> tuple[list[tuple[str, str]], dict[str, int]]:
    """(release, tag) of every relation, and what was counted; each must be an `evidenced_by` of the rule."""
    bodies = [*changelog(text, path), *tags]
    links = link(bodies)
    assert {draft.rule for draft in links.relations} <= {"release"}
    found = drawn(links, bodies)
    assert {kind for _, kind, _ in found} <= {"evidenced_by"}
    counted = {one.reason: one.count for one in links.warnings if one.reason in BOOK.omitted}
    return [(source, target) for source, _, target in found], counted


def only(text: str, *tags: bytes, path: str = "CHANGELOG.md") -> LinkDraft:
    (draft,) = link([*changelog(text, path), *tags]).relations
    return draft


def test_a_release_is_evidenced_by_the_tag_of_its_version_and_entries_by_none() -> None:
    text = "## [Unreleased]\n- a\n## [1.1.0] - 2026-02-01\n- b\n## [1.0.0] - 2026-01-05\n- c\n## 0.9\n- d\n"
    assert between(text, tag("v1.0.0", "1.0.0"), tag("v1.1.0", "1.1.0"), tag("v3.0", "3.0")) == (
        [("Release 1.0.0", "v1.0.0"), ("Release 1.1.0", "v1.1.0")], {},
    )  # fmt: skip


def test_confidence_and_basis_say_how_exact_the_match_is() -> None:
    plain = only("## 1.0.0 - 2026-01-05\n", tag("v1.0.0", "1.0.0"))
    assert (plain.confidence, plain.basis) == (
        PRIORS["release_version"].confidence,
        ("dates_agree", "release_version"),
    )
    assert plain.signals == (("tag", "v1.0.0"), ("version", "1.0.0"))
    late = only("## 1.0.0 - 2025-01-05\n", tag("v1.0.0", "1.0.0"))
    assert late.basis == ("dates_differ", "release_version")
    assert only("## 1.0.0\n", tag("v1.0.0", "1.0.0")).basis == ("release_version",)
    named = only("## @s/pkg@1.0.0\n", tag("@s/pkg@1.0.0", "1.0.0", "@s/pkg"))
    assert (named.confidence, named.basis) == (PRIORS["release_package"].confidence, ("release_package",))
    half = only("## @s/pkg@1.0.0\n", tag("pkg-v1.0.0", "1.0.0", "pkg"))
    assert (half.confidence, half.basis) == (PRIORS["release_one_sided"].confidence, ("release_one_sided",))
    near = only("## 1.0\n", tag("v1.0.0", "1.0.0"))
    assert (near.confidence, near.basis) == (PRIORS["release_equivalent"].confidence, ("release_equivalent",))


def test_a_version_written_alike_goes_before_the_same_number() -> None:
    assert between("## 1.0\n", tag("v1.0.0", "1.0.0"), tag("v1.0", "1.0")) == ([("Release 1.0", "v1.0")], {})


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("1.0", "1.0.0", True), ("2.0.0-RC.1", "2.0.0rc1", True), ("1.0.0-alpha.2", "1.0a2", True), ("1.0+build", "1.0", True),
        ("01.2", "1.2", True), ("1.0.0-beta1", "1.0b1", True), ("1.10", "1.1", False), ("1.0rc1", "1.0", False),
        ("1.0.1", "1.0", False), ("10", "1.0", False), ("1.0a1", "1.0.0.1", False), ("x", "y", False),
    ],
)  # fmt: skip
def test_which_spellings_are_one_number(one: str, other: str, same: bool) -> None:
    assert (same_number(one) == same_number(other)) is same


def test_tags_of_several_packages_and_no_package_named_make_no_relation() -> None:
    tags = tag("a@1.0.0", "1.0.0", "a", commit="x"), tag("b@1.0.0", "1.0.0", "b", commit="x")
    assert between("## 1.0.0\n## 0.9.0\n", *tags) == ([], {"ambiguous_release": 1})
    assert between("## a@1.0.0\n", *tags) == ([("Release a 1.0.0", "a@1.0.0")], {})
    assert between("## 1.0.0\n", *tags, path="packages/b/CHANGELOG.md") == (
        [("Release 1.0.0", "b@1.0.0")],
        {},
    )
    assert between("## 1.0.0\n", *tags, tag("v1.0.0", "1.0.0")) == ([("Release 1.0.0", "v1.0.0")], {})
    assert between("## 1.0.0\n", tags[0]) == ([("Release 1.0.0", "a@1.0.0")], {})
    assert between("## c@1.0.0\n", *tags) == ([], {})


def test_a_part_of_the_repository_may_count_versions_of_its_own() -> None:
    whole = tag("1.0.0", "1.0.0", day="2026-01-06")
    for heading, path, relations, counted in (
        ("1.0.0 (2020-01-05)", "crates/x/CHANGELOG.md", 0, 1), ("1.0.0", "crates/x/CHANGELOG.md", 0, 1),
        ("1.0.0 (2026-01-05)", "crates/x/CHANGELOG.md", 1, 0), ("1.0.0 (2020-01-05)", "docs/en/CHANGELOG.md", 1, 0),
    ):  # fmt: skip
        found, warnings = between(f"## {heading}\n", whole, path=path)
        assert (len(found), warnings.get("release_of_part", 0)) == (relations, counted)


def test_two_tags_of_one_commit_are_both_it_and_of_two_commits_neither() -> None:
    same = tag("v1.0.0", "1.0.0", commit="x"), tag("1.0.0", "1.0.0", commit="x")
    assert between("## 1.0.0\n", *same) == ([("Release 1.0.0", "1.0.0"), ("Release 1.0.0", "v1.0.0")], {})
    apart = tag("v1.0.0", "1.0.0", commit="x"), tag("1.0.0", "1.0.0", commit="y")
    assert between("## 1.0.0\n", *apart) == ([], {"ambiguous_release": 1})


def test_a_tag_is_no_commit_and_a_release_no_entry() -> None:
    plan = Draft(
        kind="todo_item", text="Ship 1.0.0 (#12)", object="x", action="add", cls="plan", status="planned", confidence=0.9,
        basis=("made",), tickets=("#12",), modality="required",
    )  # fmt: skip
    (todo,) = materialise(Reading(Scope("todo", "TODO.md"), "t2c/made@1", (plan,)))
    bodies = [*changelog("## 1.0.0\n"), tag("hold (#12)", "1.0.0", tickets=("#12",)), todo.body]
    assert [kind for _, kind, _ in drawn(link(bodies), bodies)] == ["evidenced_by"]


def test_what_a_roadmap_plans_is_implemented_and_never_released() -> None:
    commit = Draft(
        kind="commit_intent_claim", text="Add x (#12)", object="x", action="add", cls="claim", status="unknown",
        confidence=0.9, basis=("made",), revision="1" * 40, tickets=("#12",), modality="claimed",
    )  # fmt: skip
    (made,) = materialise(Reading(Scope("git", None), "t2c/made@1", (commit,)))
    for heading, kind in (("Roadmap", "implements"), ("1.0.0", "releases")):
        bodies = [*changelog(f"## {heading}\n- Add x (#12)\n"), made.body]
        assert [found for _, found, _ in drawn(link(bodies), bodies)] == [kind]


def test_relations_fit_the_event_and_do_not_depend_on_order() -> None:
    bodies = [*changelog("## 1.0.0\n## a@2.0.0\n"), tag("v1.0.0", "1.0.0"), tag("a@2.0.0", "2.0.0", "a")]
    links = link(bodies)
    assert link(reversed(bodies)) == links
    for draft in links.relations:
        written = {
            "relation": {
                "id": draft.id, "from": draft.source, "to": draft.target, "type": draft.type,
                "confidence": draft.confidence, "basis": draft.basis,
            },
            "rule": draft.rule,
            "signals": [{"name": name, "value": value} for name, value in draft.signals],
        }  # fmt: skip
        assert RelationLinked.decode(msgspec.json.encode(written)).relation.id == draft.id
