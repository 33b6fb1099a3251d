"""Each rule of the linker draws what it should and nothing else; every record is a real canonical body."""

from collections.abc import Iterator
from hashlib import sha1
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from t2c.ledger.events.evidence import RelationLinked
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.linking.base import LinkDraft
from t2c.ledger.linking.linker import MAX_RELATIONS, link
from t2c.ledger.linking.registry import PRIORS
from t2c.ledger.linking.rules import BOOKS, MAX_COMMITS, MAX_ENTRIES, MAX_PAIRS

COUNTED = {"relations_capped", "unreadable_record", *(reason for book in BOOKS for reason in book.omitted)}
PLAIN: dict[str, Any] = {"action": "add", "status": "unknown", "confidence": 0.9, "basis": ("made",)}


def body(source: str, path: str | None, draft: Draft) -> bytes:
    (found,) = materialise(Reading(Scope(source, path), "t2c/made@1", (draft,)))
    return found.body


def todo(text: str, path: str = "TODO.md", **about: Any) -> bytes:
    draft = Draft(kind="todo_item", text=text, object=text, cls="plan", modality="required", **PLAIN)
    return body("todo", path, replace(draft, **about))


def entry(text: str, released: str | None = "2024-05-01", **about: Any) -> bytes:
    draft = Draft(kind="changelog_entry", text=text, object=text, cls="claim", modality="claimed", **PLAIN)
    stamp = None if released is None else f"{released}T00:00:00Z"
    return body(
        "changelog", "CHANGELOG.md", replace(draft, subject="release:1.2.0", observed_at=stamp, **about)
    )


def commit(message: str, written: str = "2024-04-01", doc_only: bool = False, **about: Any) -> bytes:
    subject = message.split("\n")[0]
    draft = Draft(
        kind="commit_intent_claim",
        text=subject,
        object=subject,
        cls="claim",
        modality="claimed",
        excerpt=message,
        revision=sha1(message.encode()).hexdigest(),
        observed_at=f"{written}T12:00:00+00:00",
        metadata={"docOnly": doc_only},
        **PLAIN,
    )
    return body("git", None, replace(draft, **about))


def module(path: str, dotted: str) -> bytes:
    draft = Draft(kind="module_fact", text=f"module {path}", object=path, cls="fact", symbol=dotted, **PLAIN)
    return body("ast", path, replace(draft, action="declare", paths=(path,)))


def declared(path: str, name: str) -> bytes:
    draft = Draft(kind="symbol_fact", text=name, object=name, cls="fact", symbol=name, **PLAIN)
    return body("ast", path, replace(draft, action="declare", paths=(path,), symbols=(name,)))


class Drawn:
    """The links between labelled bodies, with labels for ids."""

    def __init__(self, **bodies: bytes) -> None:
        self.labels = {msgspec.json.decode(content)["id"]: label for label, content in bodies.items()}
        assert len(self.labels) == len(bodies), "two labels for one record"
        self.links = link(bodies.values())

    def __iter__(self) -> Iterator[tuple[str, str, str]]:
        for draft in self.links.relations:
            yield self.labels[draft.source], draft.type, self.labels[draft.target]

    def only(self) -> LinkDraft:
        (draft,) = self.links.relations
        return draft

    def counted(self) -> dict[str, int]:
        return {one.reason: one.count for one in self.links.warnings if one.reason in COUNTED}


# -- numbers -------------------------------------------------------------------------------------------------


def test_entry_releases_the_commit_of_its_pull_request() -> None:
    drawn = Drawn(
        entry=entry("Fix the lock (#12)", tickets=("#12",)),
        own=commit("Hold the lock longer (#12)", tickets=("#12",)),
        follows=commit("Test the lock, see #12", tickets=("#12",)),
        other=commit("Fix the clock (#13)", tickets=("#13",)),
    )
    assert list(drawn) == [("entry", "releases", "own")]
    assert drawn.only().basis == ("number_of_pull_request",)
    assert drawn.only().signals == (("number", "#12"),)
    assert drawn.only().rule == "number"
    assert drawn.only().confidence == PRIORS["number_of_pull_request"].confidence


def test_merge_commit_stands_for_its_pull_request() -> None:
    drawn = Drawn(
        entry=entry("Fix the lock (#12)", tickets=("#12",)),
        merge=commit("Merge pull request #12 from ada/lock\n\nHold the lock", tickets=("#12",)),
        closing=commit("Hold the lock\n\nFixes #12", tickets=("#12",)),
    )
    assert list(drawn) == [("entry", "releases", "merge")]


@pytest.mark.parametrize(
    ("stronger", "weaker"),
    [
        ("Hold the lock\n\nCloses #12", "Hold #12"),
        ("fix: #12", "Hold #12"),
        ("Hold #12", "Hold the lock\n\nAs in #12"),
        ("Hold #12", "Repair the tests after #12"),
    ],
)
def test_only_the_strongest_citation_is_meant(stronger: str, weaker: str) -> None:
    drawn = Drawn(
        entry=entry("Fix the lock (#12)", tickets=("#12",)),
        stronger=commit(stronger, tickets=("#12",)),
        weaker=commit(weaker, tickets=("#12",)),
    )
    assert list(drawn) == [("entry", "releases", "stronger")]


def test_mention_in_the_body_links_with_less_confidence() -> None:
    drawn = Drawn(
        entry=entry("Fix the lock (#12)", tickets=("#12",)),
        mentions=commit("Hold the lock\n\nAs in #12", tickets=("#12",)),
    )
    assert drawn.only().basis == ("number_in_body",)
    assert drawn.only().confidence < PRIORS["number_in_subject"].confidence


def test_mention_in_the_body_needs_a_word_in_common() -> None:
    change = entry("Fix the lock when a file is closed (#22)", tickets=("#22",))
    listing = commit("Sort imports\n\n* Fix this when it is used\n* Merge (#22)", tickets=("#22",))
    drawn = Drawn(entry=change, listing=listing)
    assert list(drawn) == []
    assert drawn.counted() == {"number_without_words": 1}
    named = commit("Sort imports\n\nhold fileLocks, see #22", tickets=("#22",))
    assert list(Drawn(entry=entry("Fix locks (#22)", tickets=("#22",)), named=named)) == [
        ("entry", "releases", "named")
    ]


def test_documentation_is_released_only_where_nothing_else_is() -> None:
    change = entry("Document the lock (#12)", tickets=("#12",))
    documents = commit("Describe the lock (#12)", doc_only=True, tickets=("#12",))
    works = commit("Hold the lock (#12)", tickets=("#12",))
    assert list(Drawn(entry=change, documents=documents)) == [("entry", "releases", "documents")]
    assert list(Drawn(entry=change, documents=documents, works=works)) == [("entry", "releases", "works")]


@pytest.mark.parametrize(
    "subject",
    [
        "Release 1.2.3 (#12)",
        "v1.2.3 (#12)",
        "chore(release): 1.2.3 (#12)",
        "chore: release v1.2.3 (#12)",
        "release: bump version to 1.2.3 (#12)",
        "Bump version to 1.2.3 (#12)",
        "Version 1.2.3 (#12)",
        "Prepare release v1.2.3 (#12)",
        "Prepare for the 1.2.3 release (#12)",
        "Merge pull request #12 from ada/release-1.2.3",
    ],
)
def test_release_commits_do_not_count(subject: str) -> None:
    drawn = Drawn(entry=entry("Fix it (#12)", tickets=("#12",)), books=commit(subject, tickets=("#12",)))
    assert list(drawn) == []


@pytest.mark.parametrize(
    "subject",
    [
        "Fix the release workflow (#12)",
        "Release the lock on failure (#12)",
        "Bump the limit of versions (#12)",
        "Show version in the header (#12)",
        "Preparation of statements (#12)",
        "1.5 times faster parsing (#12)",
    ],
)
def test_commits_about_releasing_do_count(subject: str) -> None:
    drawn = Drawn(entry=entry("Fix it (#12)", tickets=("#12",)), works=commit(subject, tickets=("#12",)))
    assert list(drawn) == [("entry", "releases", "works")]


def test_changelog_upkeep_is_not_what_was_released() -> None:
    text = "Update the changelog for #12"
    kept = Drawn(
        entry=entry("Fix it (#12)", tickets=("#12",)), books=commit(text, doc_only=True, tickets=("#12",))
    )
    assert list(kept) == []
    works = Drawn(entry=entry("Fix it (#12)", tickets=("#12",)), works=commit(text, tickets=("#12",)))
    assert list(works) == [("entry", "releases", "works")]


@pytest.mark.parametrize(
    ("path", "counts"),
    [
        ("CHANGES.rst", False),
        ("docs/changelog.md", False),
        ("HISTORY", False),
        ("changes/12.md", False),
        ("newsfragments/12.bugfix.rst", False),
        ("docs/lock.md", True),
        ("app/changes.d/a.py", True),
        ("exchanges.py", True),
    ],
)
def test_commit_that_writes_only_the_changelog_does_not_count(path: str, counts: bool) -> None:
    change = entry("Fix it (#12)", tickets=("#12",))
    alone = commit("Hold the lock (#12)", tickets=("#12",), paths=(path,))
    beside = commit("Hold the lock (#12)", tickets=("#12",), paths=(path, "app/lock.py"))
    assert bool(list(Drawn(entry=change, commit=alone))) is counts
    assert list(Drawn(entry=change, commit=beside)) == [("entry", "releases", "commit")]


def test_number_on_too_many_commits_links_nothing_and_is_counted() -> None:
    commits = {f"c{i}": commit(f"Part {i} (#12)", tickets=("#12",)) for i in range(MAX_COMMITS + 1)}
    one, two = entry("One (#12)", tickets=("#12",)), entry("Two (#12)", tickets=("#12",))
    drawn = Drawn(one=one, two=two, **commits)
    assert list(drawn) == []
    assert drawn.counted() == {"number_too_common": 2}
    (told,) = (one.detail for one in drawn.links.warnings if one.reason in COUNTED)
    assert "#12 on 2 entries and 6 commits" in told
    commits.popitem()
    assert len(list(Drawn(one=one, two=two, **commits))) == 2 * MAX_COMMITS


def test_mention_in_a_body_does_not_stand_for_a_large_change() -> None:
    entries = {f"e{n}": entry(f"Part {n} of locks (#12)", tickets=("#12",)) for n in range(MAX_ENTRIES + 1)}
    mentions = commit("Hold locks\n\nUnlike #12", tickets=("#12",))
    closes = commit("Hold locks\n\nCloses #12", tickets=("#12",))
    assert list(Drawn(commit=mentions, **entries)) == []
    assert Drawn(commit=mentions, **entries).counted() == {"number_too_common": MAX_ENTRIES + 1}
    assert len(list(Drawn(commit=closes, **entries))) == MAX_ENTRIES + 1
    entries.popitem()
    assert len(list(Drawn(commit=mentions, **entries))) == MAX_ENTRIES


def test_number_on_very_many_entries_links_nothing_and_is_counted() -> None:
    commits = {f"c{n}": commit(f"Part {n} (#12)", tickets=("#12",)) for n in range(MAX_COMMITS)}
    entries = {
        f"e{n}": entry(f"Part {n} (#12)", tickets=("#12",)) for n in range(MAX_PAIRS // MAX_COMMITS + 1)
    }
    drawn = Drawn(**commits, **entries)
    assert list(drawn) == []
    assert drawn.counted() == {"number_too_common": 1}
    entries.popitem()
    assert len(list(Drawn(**commits, **entries))) == MAX_PAIRS


def test_number_of_another_repository_is_another_number() -> None:
    link_to = "https://github.com/ada/{}/pull/{}"
    home = {
        f"home{n}": entry(f"E{n} ([#{n}]({link_to.format('app', n)}))", tickets=(f"#{n}",)) for n in (1, 2, 3)
    }
    drawn = Drawn(
        **home,
        foreign=entry(f"Foreign ([#12]({link_to.format('core', 12)}))", tickets=("#12",)),
        written=entry("Written (ada/core#13)", tickets=("#13",)),
        own12=commit("Our twelfth (#12)", tickets=("#12",)),
        own13=commit("Our thirteenth (#13)", tickets=("#13",)),
        follows=commit("Follow core#12", tickets=("#12",)),
        imported=commit("Import (ada/core#13)", tickets=("#13",)),
        own1=commit("Our first (#1)", tickets=("#1",)),
        named=commit("Our second (ada/app#2)", tickets=("#2",)),
    )
    assert sorted(drawn) == [
        ("home1", "releases", "own1"),
        ("home2", "releases", "named"),
        ("written", "releases", "imported"),
    ]


def test_commit_after_the_release_is_not_what_was_released() -> None:
    change = entry("Fix it (#12)", released="2024-05-01", tickets=("#12",))
    late = Drawn(entry=change, late=commit("Describe #12", written="2024-05-04", tickets=("#12",)))
    assert list(late) == []
    assert late.counted() == {"commit_after_release": 1}
    in_time = commit("Describe #12", written="2024-05-03", tickets=("#12",))
    assert list(Drawn(entry=change, commit=in_time)) == [("entry", "releases", "commit")]
    backport = commit("Fix it (#12)", written="2024-06-01", tickets=("#12",))
    assert list(Drawn(entry=change, commit=backport)) == [("entry", "releases", "commit")]
    unreleased = entry("Fix it (#12)", released=None, tickets=("#12",))
    assert len(list(Drawn(entry=unreleased, commit=commit("#12", "2030-01-01", tickets=("#12",))))) == 1


def test_revert_does_not_carry_what_it_undoes() -> None:
    drawn = Drawn(
        first=entry("Hold the lock (#12)", tickets=("#12",)),
        second=entry("Do not hold the lock (#14)", tickets=("#14",)),
        revert=commit('Revert "Hold the lock (#12)" (#14)\n\nReverts #12', tickets=("#12", "#14")),
    )
    assert list(drawn) == [("second", "releases", "revert")]


def test_lists_of_numbers_and_quoted_release_notes_speak_for_no_commit() -> None:
    numbers = tuple(f"#{n}" for n in range(10, 20))
    change = entry("Fix it (#12)", tickets=("#12",))
    listing = commit("Merge the branch\n\n" + "\n".join(f"* fix {n}" for n in numbers), tickets=numbers)
    quoting = commit("Bump lib from 1.0 to 1.1\n\n- Fixes #12", tickets=("#12",))
    assert list(Drawn(entry=change, listing=listing)) == []
    assert list(Drawn(entry=change, quoting=quoting)) == []


def test_commit_implements_the_plan_whose_number_it_carries() -> None:
    plan = todo("Hold the lock (#12)", tickets=("#12",))
    for message in ("Hold it (#12)", "Hold it\n\nCloses #12", "Hold it for #12"):
        drawn = Drawn(plan=plan, commit=commit(message, tickets=("#12",)))
        assert list(drawn) == [("commit", "implements", "plan")], message


def test_mention_claim_or_prohibition_implements_nothing() -> None:
    plan = todo("Hold the lock (#12)", tickets=("#12",))
    forbidden = todo("The lock must not be held (#12)", polarity="negative", tickets=("#12",))
    works = commit("Hold it (#12)", tickets=("#12",))
    documents = commit("Describe it (#12)", doc_only=True, tickets=("#12",))
    mentions = commit("Hold it\n\nUnlike #12", tickets=("#12",))
    remark = todo("The lock is held (#12)", cls="declaration", tickets=("#12",))
    related = [("commit", "related_to", "plan")]
    assert list(Drawn(plan=remark, commit=works)) == related
    assert list(Drawn(plan=plan, commit=mentions)) == related
    assert list(Drawn(plan=plan, commit=documents)) == [("plan", "claimed_by", "commit")]
    assert list(Drawn(plan=forbidden, commit=documents)) == related
    assert list(Drawn(plan=forbidden, commit=works)) == related
    assert list(Drawn(plan=plan, commit=works)) == [("commit", "implements", "plan")]
    assert "documentation_only" in Drawn(plan=plan, commit=documents).only().basis


def test_reverted_commit_implements_nothing() -> None:
    plan = todo("Hold the lock (#12)", tickets=("#12",))
    works = commit("Hold it (#12)", tickets=("#12",))
    revert = commit('Revert "Hold it (#12)" (#13)', tickets=("#12", "#13"))
    drawn = Drawn(plan=plan, works=works, revert=revert)
    assert sorted(drawn) == [("revert", "supersedes", "works"), ("works", "related_to", "plan")]
    assert ["reverted" in draft.basis for draft in drawn.links.relations if draft.rule == "number"] == [True]
    assert ("works", "implements", "plan") in Drawn(plan=plan, works=works)
    reland = commit("Hold it, safely (#12)", tickets=("#12",))
    assert sorted(Drawn(plan=plan, works=works, revert=revert, reland=reland)) == [
        ("reland", "implements", "plan"),
        ("revert", "supersedes", "works"),
    ]


def test_entry_claims_the_plan_of_its_number() -> None:
    drawn = Drawn(
        plan=todo("Hold the lock (#12)", tickets=("#12",)),
        entry=entry("Keep it (#12)", tickets=("#12",)),
        other=entry("Drop the lock (#13)", tickets=("#13",)),
    )
    assert list(drawn) == [("plan", "claimed_by", "entry")]
    assert drawn.only().basis == ("shared_number",)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        ("Hold the lock after #12", ("#12",)),
        ("Hold the lock, see #12", ("#12",)),
        ("Write the notes: #12, #13, #14", ("#12", "#13", "#14")),
        ("Hold the lock", ("#12",)),
        ("Hold the lock for #123", ("#12",)),
    ],
)
def test_plan_is_only_related_to_what_it_cites_aside(text: str, cited: tuple[str, ...]) -> None:
    plan = todo(text, tickets=cited)
    works, told = commit("Hold it (#12)", tickets=("#12",)), entry("Keep it (#12)", tickets=("#12",))
    assert list(Drawn(plan=plan, commit=works)) == [("commit", "related_to", "plan")]
    assert list(Drawn(plan=plan, entry=told)) == [("entry", "related_to", "plan")]


def test_key_of_the_repositorys_own_numbering_is_not_a_ticket_of_others() -> None:
    own = todo("Hold the lock", path="b/back-12.md", metadata={"explicitId": "BACK-12"})
    other = todo("Test what BACK-12 does", tickets=("BACK-12",))
    example = todo("Open /tasks/task-99 by its link", tickets=("TASK-99",))
    works = commit("BACK-12 - Hold it\n\nAs TASK-99", tickets=("BACK-12", "TASK-99"))
    drawn = Drawn(own=own, other=other, example=example, commit=works)
    assert list(drawn) == [("commit", "implements", "own")]


def test_entry_claims_no_prohibition() -> None:
    forbidden = todo("The lock must not be held (#12)", polarity="negative", tickets=("#12",))
    drawn = Drawn(plan=forbidden, entry=entry("Keep it (#12)", tickets=("#12",)))
    assert list(drawn) == [("entry", "related_to", "plan")]


# -- tickets -------------------------------------------------------------------------------------------------


def test_ticket_binds_plan_entry_and_commits() -> None:
    drawn = Drawn(
        plan=todo("Hold the lock ABC-12", tickets=("ABC-12",)),
        entry=entry("Hold the lock ABC-12", tickets=("ABC-12",)),
        first=commit("ABC-12 Hold the lock", tickets=("ABC-12",)),
        second=commit("Test the lock\n\nRefs: ABC-12", tickets=("ABC-12",)),
        longer=commit("ABC-123 Drop the lock", tickets=("ABC-123",)),
    )
    assert sorted(drawn) == [
        ("entry", "releases", "first"),
        ("entry", "releases", "second"),
        ("first", "implements", "plan"),
        ("plan", "claimed_by", "entry"),
        ("second", "implements", "plan"),
    ]
    confidences = {drawn.labels[draft.source]: draft.confidence for draft in drawn.links.relations}
    assert confidences["first"] > confidences["second"]


def test_revert_carries_no_ticket() -> None:
    undoing = commit('Revert "ABC-12 Hold the lock"', tickets=("ABC-12",))
    assert not list(Drawn(plan=todo("Hold ABC-12", tickets=("ABC-12",)), commit=undoing))


def test_prohibition_is_never_implemented_by_its_ticket() -> None:
    forbidden = todo("Must not lock ABC-12", polarity="negative", tickets=("ABC-12",))
    drawn = Drawn(plan=forbidden, commit=commit("ABC-12 Lock", tickets=("ABC-12",)))
    assert list(drawn) == [("commit", "related_to", "plan")]


def test_ticket_of_very_many_records_links_nothing_and_is_counted() -> None:
    plans = {f"p{n}": todo(f"Part {n} of ABC-1", tickets=("ABC-1",)) for n in range(15)}
    commits = {f"c{n}": commit(f"ABC-1 part {n}", tickets=("ABC-1",)) for n in range(14)}
    drawn = Drawn(**plans, **commits)
    assert list(drawn) == []
    assert drawn.counted() == {"ticket_too_common": 1}
    assert "ABC-1 on 14 commits and 15 plans" in drawn.links.warnings[0].detail


# -- symbols -------------------------------------------------------------------------------------------------


def test_plan_is_related_to_the_one_declaration_that_it_names() -> None:
    drawn = Drawn(
        plan=todo("Retry in `export_metrics`", symbols=("export_metrics",)),
        entry=entry("`Store.close` waits", symbols=("Store.close",)),
        silent=todo("Retry in export metrics"),
        function=declared("app/metrics.py", "export_metrics"),
        method=declared("app/store.py", "Store.close"),
        other=declared("app/store.py", "Store.open"),
    )
    assert sorted(drawn) == [("entry", "related_to", "method"), ("plan", "related_to", "function")]


def test_commit_modifies_what_it_names_in_a_file_that_it_changed() -> None:
    code = {
        "here": declared("app/a.py", "load_all"),
        "there": declared("app/b.py", "load_all"),
        "elsewhere": declared("app/c.py", "save_all"),
    }
    named = commit("Speed up load_all", symbols=("load_all", "save_all"), paths=("app/a.py", "README.md"))
    drawn = Drawn(commit=named, **code)
    assert list(drawn) == [("commit", "modifies", "here")]
    assert drawn.only().basis == ("changed_file", "symbol_narrowed")
    assert drawn.only().signals == (("path", "app/a.py"), ("symbol", "load_all"))
    assert list(Drawn(commit=commit("Speed up", paths=("app/a.py",)), **code)) == []


def test_ambiguous_name_links_nothing_and_is_counted() -> None:
    code = {"a": declared("app/a.py", "load_all"), "b": declared("app/b.py", "load_all")}
    plan = todo("Speed up `load_all`", symbols=("load_all",))
    drawn = Drawn(plan=plan, **code)
    assert list(drawn) == []
    assert drawn.counted() == {"ambiguous_symbol": 1}
    both = commit("Speed up load_all", symbols=("load_all",), paths=("app/a.py", "app/b.py"))
    assert Drawn(commit=both, **code).counted() == {"ambiguous_symbol": 1}
    located = todo("Speed up `load_all` in app/b.py", symbols=("load_all",), paths=("app/b.py",))
    assert list(Drawn(plan=located, **code)) == [("plan", "related_to", "b")]


def test_call_parentheses_make_a_member_and_a_word_telling() -> None:
    code = {"member": declared("app/a.py", "Store.load_all"), "word": declared("app/b.py", "truncate")}
    options = todo("Honour `load_all` and `truncate`", symbols=("load_all", "truncate"))
    calls = todo("Speed up `load_all()` and `truncate()`", symbols=("load_all", "truncate"))
    assert list(Drawn(plan=options, **code)) == []
    assert len(list(Drawn(plan=calls, **code))) == 2


def test_prohibition_is_located_but_not_evidenced() -> None:
    forbidden = todo("`load_all` must not block", polarity="negative", symbols=("load_all",))
    drawn = Drawn(plan=forbidden, code=declared("app/a.py", "load_all"))
    assert list(drawn) == [("plan", "related_to", "code")]


def test_code_facts_are_related_to_one_another_by_structure_alone() -> None:
    drawn = Drawn(
        one=module("app/a.py", "app.a"),
        two=module("lib/app/a.py", "lib.app.a"),
        three=declared("app/a.py", "load_all"),
        four=declared("lib/app/a.py", "load_all"),
    )
    assert sorted(drawn) == [("one", "declares", "three"), ("two", "declares", "four")]


# -- paths ---------------------------------------------------------------------------------------------------


def test_named_file_is_related_to_its_module() -> None:
    code = {"a": module("src/app/a.py", "app.a"), "b": module("src/app/b.py", "app.b")}
    whole = todo("Split src/app/a.py", paths=("src/app/a.py",))
    tail = todo("Split app/a.py", paths=("app/a.py",))
    bare = todo("Split a.py", paths=("a.py",))
    elsewhere = todo("Split lib/app/a.py", paths=("lib/app/a.py",))
    assert list(Drawn(plan=whole, **code)) == [("plan", "related_to", "a")]
    assert list(Drawn(plan=tail, **code)) == [("plan", "related_to", "a")]
    assert list(Drawn(plan=bare, **code)) == []
    assert list(Drawn(plan=elsewhere, **code)) == []
    strengths = [Drawn(plan=plan, **code).only().confidence for plan in (whole, tail)]
    assert strengths[0] > strengths[1]


def test_ambiguous_tail_links_nothing_and_is_counted() -> None:
    drawn = Drawn(
        plan=todo("Split app/a.py", paths=("app/a.py",)),
        one=module("src/app/a.py", "app.a"),
        two=module("old/app/a.py", "old.app.a"),
    )
    assert list(drawn) == []
    assert drawn.counted() == {"ambiguous_path": 1}


def test_changed_files_alone_relate_a_commit_to_nothing() -> None:
    code = {"a": module("app/a.py", "app.a"), "load": declared("app/a.py", "load_all")}
    assert list(Drawn(commit=commit("Speed up", paths=("app/a.py",)), **code)) == [("a", "declares", "load")]


def test_two_module_records_of_one_file_are_told_apart_by_their_ids() -> None:
    bodies = [
        module("app/a.py", "app.a"),
        module("app/a.py", "a"),
        todo("Split app/a.py", paths=("app/a.py",)),
    ]
    assert link(bodies) == link(reversed(bodies))
    assert len(link(bodies).relations) == 1


# -- all together --------------------------------------------------------------------------------------------


def test_findings_of_two_rules_are_one_relation() -> None:
    drawn = Drawn(
        plan=todo("Hold the lock ABC-12 #7", tickets=("ABC-12", "#7")),
        commit=commit("ABC-12 Hold the lock (#7)", tickets=("ABC-12", "#7")),
    )
    assert drawn.only().basis == ("number_of_pull_request", "ticket_in_subject")
    assert drawn.only().signals == (("number", "#7"), ("ticket", "ABC-12"))
    assert drawn.only().rule == "number"
    assert drawn.only().confidence == PRIORS["number_of_pull_request"].confidence


def test_related_to_yields_to_the_specific_type() -> None:
    drawn = Drawn(
        plan=todo("Hold the lock ABC-12 #77", tickets=("ABC-12", "#77")),
        commit=commit("ABC-12 Hold the lock\n\nUnlike #77", tickets=("ABC-12", "#77")),
    )
    assert list(drawn) == [("commit", "implements", "plan")]


def test_one_rule_draws_few_relations_from_one_record() -> None:
    names = tuple(f"load_{n}" for n in range(10))
    code = {name: declared("app/a.py", name) for name in names}
    code["whole"] = declared("app/b.py", "store.save")
    drawn = Drawn(plan=todo("Speed up all", symbols=(*names, "store.save")), **code)
    assert len(list(drawn)) == MAX_RELATIONS
    assert ("plan", "related_to", "whole") in drawn
    assert drawn.counted() == {"relations_capped": 3}


def test_bodies_that_are_no_records_are_counted() -> None:
    links = link([b"{}", b"\xff", b"[]", todo("Hold the lock")])
    assert links.relations == ()
    assert [(warning.reason, warning.count) for warning in links.warnings] == [("unreadable_record", 3)]


def test_drafts_fit_the_event_that_records_them() -> None:
    drawn = Drawn(
        plan=todo("Hold `load_all` in app/a.py ABC-12", tickets=("ABC-12",), symbols=("load_all",)),
        entry=entry("Hold (#7)", tickets=("#7",), paths=("app/a.py",)),
        commit=commit("ABC-12 Hold `load_all` (#7)", tickets=("ABC-12", "#7"), symbols=("load_all",)),
        code=declared("app/a.py", "load_all"),
        module=module("app/a.py", "app.a"),
    )
    assert {draft.rule for draft in drawn.links.relations} == {
        "number",
        "ticket",
        "symbol",
        "path",
        "structure",
    }
    for draft in drawn.links.relations:
        written = {
            "relation": {
                "id": draft.id,
                "from": draft.source,
                "to": draft.target,
                "type": draft.type,
                "confidence": draft.confidence,
                "basis": draft.basis,
            },
            "rule": draft.rule,
            "signals": [{"name": name, "value": value} for name, value in draft.signals],
        }
        assert RelationLinked.decode(msgspec.json.encode(written)).relation.id == draft.id


def test_every_prior_is_a_confidence_with_three_decimals_and_a_reason() -> None:
    for grade, prior in PRIORS.items():
        assert 0 < prior.confidence <= 1, grade
        assert round(prior.confidence, 3) == prior.confidence, grade
        assert prior.why.endswith("."), grade
