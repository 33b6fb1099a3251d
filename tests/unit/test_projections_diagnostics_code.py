"""What is said of changelogs, documents and code, and what keeps it from being said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from t2c.ledger.intake.base import Draft
from t2c.projections.base import Inputs
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.messages import LANGUAGES, told
from t2c.projections.diagnostics.model import Finding
from t2c.projections.diagnostics.predicates import is_claimable, is_sample, telling
from t2c.projections.diagnostics.unheard import SMALL
from t2c.projections.facts import Fact, Facts
from t2c.projections.fold import fold
from t2c.projections.registry import ALL


def found(chain: Any, code: str) -> Sequence[Finding]:
    folded = fold(chain.journal, ALL, ["diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    every = findings_of(Inputs(folded.ts, folded.states, folded.made))
    assert all(told(one, language).detail for one in every for language in LANGUAGES)
    return [one for one in every if one.code == code]


def state(chain: Any, source: str, kind: str, text: str, path: str | None, **members: Any) -> str:
    given = {
        "object": text, "action": "add", "cls": "fact", "status": "implemented", "confidence": 0.9, "basis": ("made",),
        "lines": (3, 3), **members,
    }  # fmt: skip
    return str(chain.observe(source, path, Draft(kind=kind, text=text, **given))[0])


def commit(
    chain: Any,
    number: int,
    subject: str,
    *paths: str,
    diff: Any = None,
    files: Any = (),
    doc: bool = False,
    at: str | None = None,
) -> str:
    """One of a line of commits, each the parent of the next."""
    at = at or f"2026-01-01T10:{number:02d}:00Z"
    metadata = {
        "committedAt": at, "parents": [f"{number - 1:040x}"] if number else [], "docOnly": doc,
        "changedFiles": list(files) or [{"path": path, "status": "M"} for path in paths], "diff": diff or {},
    }  # fmt: skip
    return state(chain, "git", "commit_intent_claim", subject, None, cls="claim", revision=f"{number:040x}",
        observed_at=at, metadata=metadata, lines=None, paths=paths)  # fmt: skip


def link(chain: Any, source: str, kind: str, target: str) -> None:
    chain.link(source, target, kind)


SUBJECTS = (
    "Start the parser", "Teach the tokenizer about ribbons", "Speed up the canvas renderer",
    "Handle empty palettes in the exporter", "Close sockets when streams end", "Warn about unknown brushes",
)  # fmt: skip


def released(
    chain: Any,
    *entries: str,
    version: str = "2.0.0",
    first: str = "1.0.0",
    small: bool = False,
    **members: Any,
) -> list[str]:
    """Two releases with tags on the first and the last of the commits, and the entries of the second; beside them commits
    of which no release tells, unless the history is to be small."""
    for number in range(0 if small else SMALL):
        commit(chain, 1000 + number, "Elsewhere", at="2026-01-01T09:00:00Z")
    for number, subject in enumerate(SUBJECTS):
        commit(chain, number, subject, f"src/{number}.py")
    for name, number in ((first, 0), (version, len(SUBJECTS) - 1)):
        meta = {"version": name, "releaseDate": None, "entries": 1}
        release = state(chain, "changelog", "changelog_release", f"Release {name}", "CHANGELOG.md", cls="claim",
            status="released", versions=(name,), metadata=meta)  # fmt: skip
        tag = state(chain, "git", "git_tag_fact", f"v{name}", "refs/tags", status="released", symbol=f"v{name}",
            versions=(name,), metadata={"commit": f"{number:040x}", "package": None}, lines=None)  # fmt: skip
        link(chain, release, "evidenced_by", tag)
    return [
        state(chain, "changelog", "changelog_entry", text, "CHANGELOG.md", cls="claim", status="released",
            trail=(version,), metadata={"version": version, "releaseDate": None, "parent": None}, **members)
        for text in entries
    ]  # fmt: skip


EXPLAINED = (
    "The tokenizer knows ribbons", "Renderer of the canvas is faster", "Empty palettes no longer break the exporter",
)  # fmt: skip
UNEXPLAINED = "Hyperspace travel between distant galaxies"


def unexplained(chain: Any) -> list[str]:
    return [one.subject for one in found(chain, "CHANGELOG_WITHOUT_IMPLEMENTATION")]


def test_an_entry_that_no_commit_of_its_release_explains_stands_out(chain: Any) -> None:
    *_, odd = released(chain, *EXPLAINED, UNEXPLAINED)
    (one,) = found(chain, "CHANGELOG_WITHOUT_IMPLEMENTATION")
    assert (one.subject, one.severity, one.said["commits"]) == (odd, "review_required", "5")


def test_an_entry_with_a_commit_of_its_own_does_not(chain: Any) -> None:
    *_, odd = released(chain, *EXPLAINED, UNEXPLAINED)
    link(chain, odd, "releases", commit(chain, 9, "Something"))
    assert not unexplained(chain)


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"subject": "Prepare travel between galaxies"}, "two telling words"),
        ({"subject": "Draw galaxies"}, "a rare word"),
        ({"subject": "Work", "diff": {"names": ["hyperspace_jump"]}}, "a name in the diff"),
        (
            {"subject": "Work", "diff": {"notes": [{"path": "CHANGELOG.md", "lines": [UNEXPLAINED]}]}},
            "its own text",
        ),
        ({"subject": "Work", "paths": ("src/galaxies/hyperspace.py",)}, "a path"),
    ],
)
def test_whatever_a_commit_shares_with_an_entry_explains_it(chain: Any, changes: Any, why: str) -> None:
    released(chain, *EXPLAINED, UNEXPLAINED)
    commit(chain, 4, changes["subject"], *changes.get("paths", ()), diff=changes.get("diff"))
    assert not unexplained(chain), why


@pytest.mark.parametrize(
    "text",
    [
        "No notable changes.", "Thanks to all contributors of distant galaxies", "Bump hyperspace travel galaxies to 2.1",
        "See the distant galaxies announcement", "2.0.0 (Hyperspace Travel Galaxies)", "Hyperspace (#991) distant galaxies",
        "Hyperspace travel, see https://example.org/galaxies", "Galaxies",
    ],
)  # fmt: skip
def test_thanks_links_bumps_numbers_and_short_entries_are_not_sought(chain: Any, text: str) -> None:
    released(chain, *EXPLAINED, *EXPLAINED[:1], text)
    assert not unexplained(chain)


def test_a_release_whose_changelog_does_not_follow_its_commits_says_nothing(chain: Any) -> None:
    released(
        chain,
        EXPLAINED[0],
        UNEXPLAINED,
        "Teleporters for wandering merchants",
        "Quantum banjos tuned by moonlight",
    )
    assert not unexplained(chain)


def test_the_first_release_has_no_known_range(chain: Any) -> None:
    released(chain, *EXPLAINED, UNEXPLAINED)
    for text in (*EXPLAINED, UNEXPLAINED):
        state(chain, "changelog", "changelog_entry", text, "CHANGELOG.md", cls="claim", status="released",
            trail=("1.0.0",), metadata={"version": "1.0.0", "parent": None})  # fmt: skip
    for number, subject in enumerate(SUBJECTS[1:4], 20):
        commit(chain, number, subject)
    commit(chain, 0, "\n".join(SUBJECTS))
    assert len(unexplained(chain)) == 1


def test_a_release_with_candidates_of_its_own_has_no_known_range(chain: Any) -> None:
    released(chain, *EXPLAINED, UNEXPLAINED, first="2.0.0rc1")
    assert not unexplained(chain)


def test_a_history_that_was_read_in_part_says_nothing(chain: Any) -> None:
    released(chain, *EXPLAINED, UNEXPLAINED)
    omission: dict[str, Any] = {
        "source": "git",
        "path": None,
        "reason": "shallow_history",
        "count": 1,
        "lines": [],
        "detail": "",
    }
    chain.add("omission.noted", omission)
    assert not unexplained(chain)


def test_the_commit_that_wrote_the_entry_explains_it_if_it_changed_more_than_documents(chain: Any) -> None:
    *_, odd = released(chain, *EXPLAINED, UNEXPLAINED)
    link(chain, commit(chain, 7, "Write", doc=True), "declares", odd)
    assert unexplained(chain) == [odd]
    link(chain, commit(chain, 8, "Work"), "declares", odd)
    assert not unexplained(chain)


SMALL_ENTRIES = (
    "PDF invoices (#9)",
    "Excel import of customers (#31)",
    "New import_customers() in src/customers.py",
)


def test_a_small_history_is_compared_as_a_whole(chain: Any) -> None:
    odd = released(chain, *SMALL_ENTRIES[:2], small=True)
    odd += released(chain, SMALL_ENTRIES[2], small=True, paths=("src/customers.py",))
    every = found(chain, "CHANGELOG_WITHOUT_IMPLEMENTATION")
    assert {(one.subject, one.message, one.said["commits"]) for one in every} == {
        (entry, "changelog.unheard", "6") for entry in odd
    }


def test_the_first_release_of_a_small_history_reaches_back_to_its_beginning(chain: Any) -> None:
    released(chain, EXPLAINED[0], small=True)
    first = state(chain, "changelog", "changelog_entry", SMALL_ENTRIES[0], "CHANGELOG.md", cls="claim",
        status="released", trail=("1.0.0",), metadata={"version": "1.0.0", "parent": None})  # fmt: skip
    assert unexplained(chain) == [first]
    state(chain, "changelog", "changelog_release", "Release 0.9.0", "CHANGELOG.md", cls="claim", status="released",
        versions=("0.9.0",), metadata={"version": "0.9.0", "releaseDate": None, "entries": 1})  # fmt: skip
    assert not unexplained(chain), "what came before the first tag may be what it tells of"


@pytest.mark.parametrize(
    ("changes", "heard"),
    [
        ({"subject": "Print invoices as PDF"}, True),
        ({"subject": "Close #9"}, True),
        ({"subject": "Go on", "paths": ("src/invoices/pdf.py",)}, True),
        ({"subject": "Go on", "diff": {"names": ["invoice_pdf"]}}, True),
        ({"subject": "Go on", "diff": {"partial": True}}, True),
        ({"subject": "Count invoices"}, False),
        ({"subject": "PDF invoices (#9)", "paths": ("CHANGELOG.md",)}, False),
        (
            {
                "subject": "Release",
                "paths": ("CHANGELOG.md", "pyproject.toml"),
                "diff": {"notes": [{"path": "CHANGELOG.md", "lines": [SMALL_ENTRIES[0]]}]},
            },
            False,
        ),
    ],
)
def test_what_a_small_history_has_heard_of(chain: Any, changes: Any, heard: bool) -> None:
    (odd,) = released(chain, SMALL_ENTRIES[0], small=True)
    commit(chain, 3, changes["subject"], *changes.get("paths", ("src/3.py",)), diff=changes.get("diff"))
    assert unexplained(chain) == ([] if heard else [odd])


@pytest.mark.parametrize(
    ("text", "members"),
    [
        ("No change in the galaxies themselves", {}),
        ("There were no breaking changes of galaxies and merchants", {}),
        ("Galaxies", {}),
        ("Hyperspace galaxies, see https://example.org/galaxies", {}),
        ("Describe hyperspace and galaxies", {"action": "document"}),
    ],
)
def test_what_is_no_change_of_code_is_not_sought_in_a_small_history(
    chain: Any, text: str, members: Any
) -> None:
    released(chain, text, small=True, **members)
    assert not unexplained(chain)


def test_code_that_is_there_was_heard_of(chain: Any) -> None:
    released(chain, SMALL_ENTRIES[2], small=True, paths=("src/customers.py",))
    assert unexplained(chain)
    chain.symbol("import_customers", path="src/shop.py", kind="symbol_fact")
    assert not unexplained(chain)


@pytest.mark.parametrize(
    ("paths", "diff", "told"),
    [
        (("CHANGELOG.md", "src/net.py"), {"names": ["draw"]}, False),
        (("CHANGELOG.md", "src/net.py"), {"names": ["__version__"]}, True),
        (("CHANGELOG.md", "setup.cfg"), None, True),
    ],
)
def test_the_commit_that_wrote_an_entry_and_code_is_what_it_tells_of(
    chain: Any, paths: tuple[str, ...], diff: Any, told: bool
) -> None:
    module(chain, "src/net.py")
    (odd,) = released(chain, SMALL_ENTRIES[0], small=True)
    link(chain, commit(chain, 5, "Release", *paths, diff=diff), "declares", odd)
    assert bool(unexplained(chain)) == told


def document(chain: Any, text: str, path: str = "docs/guide.md", **members: Any) -> str:
    return state(
        chain,
        "document",
        "documentation_statement",
        text,
        path,
        cls="declaration",
        status="proposed",
        **members,
    )


def module(chain: Any, path: str) -> str:
    return state(chain, "ast", "module_fact", f"module {path}", path, action="declare", paths=(path,))


def gone(chain: Any, *changed: Any, definition: str | None = None, taken: bool = True) -> None:
    """A document that is older than the commit that made something go."""
    module(chain, "src/net.py")
    name = definition.partition("::")[2] if definition else ""
    diff = {"symbols": [definition], "names": [name] if taken else ["body"]} if definition else None
    commit(chain, 0, "Write the guide", "docs/guide.md", "docs/adr/0001-parser.md", "docs/blog/2020-01-01-news.md",
        "tests/fixtures/guide.md", "work-items/7/evidence.md")  # fmt: skip
    commit(chain, 1, "Let it go", files=changed, diff=diff)


DELETED = {"path": "src/old.py", "status": "D"}


def test_a_document_that_names_a_file_that_is_gone_is_stale(chain: Any) -> None:
    gone(chain, DELETED)
    text = document(chain, "The parser is in src/old.py.", paths=("src/old.py",))
    document(chain, "The network is in src/net.py.", paths=("src/net.py",))
    (one,) = found(chain, "STALE_DOCUMENTATION")
    assert (one.subject, one.message, text in one.records) == ("docs/guide.md:src/old.py", "stale.path", True)


def test_a_file_that_was_renamed_is_told_with_its_new_name(chain: Any) -> None:
    gone(chain, {"path": "src/net.py", "status": "R", "previousPath": "src/old.py"})
    document(chain, "The parser is in src/old.py.", paths=("src/old.py",))
    (one,) = found(chain, "STALE_DOCUMENTATION")
    assert "src/net.py" in told(one).suggestedAction


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("src/old.py was removed in 2.0.", "docs/guide.md"),
        ("Formerly in src/old.py.", "docs/guide.md"),
        ("The parser is in src/old.py.", "docs/adr/0001-parser.md"),
        ("The parser is in src/old.py.", "docs/blog/2020-01-01-news.md"),
        ("The parser is in src/old.py.", "work-items/7/evidence.md"),
        ("The parser is in src/old.py.", "docs/newer.md"),
        ("The parser is in src/old.py.", "tests/fixtures/guide.md"),
    ],
)
def test_a_text_about_the_past_or_written_later_or_of_a_sample_is_not_stale(
    chain: Any, text: str, path: str
) -> None:
    gone(chain, DELETED)
    commit(chain, 2, "Write more", "docs/newer.md")
    document(chain, text, path, paths=("src/old.py",))
    assert not found(chain, "STALE_DOCUMENTATION")


def test_a_file_that_came_back_or_never_was_is_not_gone(chain: Any) -> None:
    gone(chain, DELETED)
    commit(chain, 2, "Bring it back", "src/old.py")
    document(chain, "See src/old.py and src/never.py.", paths=("src/old.py", "src/never.py"))
    assert not found(chain, "STALE_DOCUMENTATION")


def test_a_path_of_a_folder_that_is_gone_or_hidden_may_be_one_of_the_reader(chain: Any) -> None:
    gone(chain, {"path": "conf/app.yml", "status": "D"}, {"path": ".conf/app.yml", "status": "D"})
    document(chain, "Settings are in conf/app.yml.", paths=("conf/app.yml", ".conf/app.yml"))
    document(chain, "They are.", ".conf/guide.md")
    assert not found(chain, "STALE_DOCUMENTATION")


@pytest.mark.parametrize(
    ("target", "changed", "message"),
    [
        ("../src/old.py", DELETED, "stale.link"),
        ("../src/old.py#parse", DELETED, "stale.link"),
        ("/src/old.py", DELETED, "stale.link"),
        (
            "../src/old.py",
            {"path": "src/net.py", "status": "R100", "previousPath": "src/old.py"},
            "stale.link.renamed",
        ),
        ("setup", {"path": "docs/setup.md", "status": "D"}, "stale.link"),
    ],
)
def test_a_link_to_a_file_that_was_here_is_stale(chain: Any, target: str, changed: Any, message: str) -> None:
    """Also in a text about the past, and in one that was written later: a link is there to be followed."""
    gone(chain, changed)
    commit(chain, 2, "Write more", "docs/adr/0002-newer.md")
    document(chain, "What replaced it.", "docs/adr/0002-newer.md")
    assert not found(chain, "STALE_DOCUMENTATION")
    place = "docs/guide.md"
    text = document(chain, "See what was removed.", place, metadata={"brokenLinks": [target, "never.md"]})
    (one,) = found(chain, "STALE_DOCUMENTATION")
    assert (one.message, text in one.records) == (message, True)
    assert "links to" in told(one).title


def test_a_link_to_what_never_was_or_out_of_the_repository_or_in_a_sample_is_not_told(chain: Any) -> None:
    gone(chain, DELETED)
    document(chain, "See these.", metadata={"brokenLinks": ["never.md", "../../src/old.py", "#old"]})
    document(chain, "See this.", "tests/fixtures/guide.md", metadata={"brokenLinks": ["/src/old.py"]})
    assert not found(chain, "STALE_DOCUMENTATION")


def test_a_name_that_code_declared_and_nothing_bears_is_stale(chain: Any) -> None:
    gone(chain, definition="src/net.py::open_channel")
    document(chain, "Call `open_channel` first.", symbols=("open_channel",))
    document(chain, "Call `never_declared` first.", symbols=("never_declared",))
    (one,) = found(chain, "STALE_DOCUMENTATION")
    assert (one.said["name"], one.message) == ("open_channel", "stale.name")
    chain.symbol("Channel.open_channel", path="src/net.py", kind="symbol_fact")
    assert not found(chain, "STALE_DOCUMENTATION")


def test_a_name_below_which_something_changed_is_not_known_to_be_gone(chain: Any) -> None:
    gone(chain, definition="src/net.py::open_channel", taken=False)
    document(chain, "Call `open_channel` first.", symbols=("open_channel",))
    assert not found(chain, "STALE_DOCUMENTATION")


def plan(chain: Any, number: int) -> str:
    return state(chain, "todo", "todo_item", f"Plan {number}", "TODO.md", cls="plan", status="planned",
        observed_at="2026-01-01T09:00:00Z")  # fmt: skip


def test_public_symbols_that_changed_beside_all_plans_are_one_finding_for_a_folder(chain: Any) -> None:
    work = commit(chain, 5, "Work")
    for number in range(5):
        part = chain.symbol(f"part{number}", path=f"src/part{number}.py", kind="symbol_fact")
        link(chain, plan(chain, number), "related_to", part)
    link(chain, commit(chain, 6, "Do it", "TODO.md"), "modifies", part)
    for name, path, public in (
        *((f"free{number}", "src/extra/free.py", True) for number in range(3)), ("hidden", "src/extra/free.py", False),
        ("test_free", "tests/test_free.py", True), *((f"more{number}", "src/part0.py", True) for number in range(3)),
    ):  # fmt: skip
        link(chain, work, "modifies", chain.symbol(name, path=path, kind="symbol_fact", public=public))
    (one,) = found(chain, "IMPLEMENTED_NOT_PLANNED")
    assert (one.subject, len(one.records), one.said["of"]) == ("folder:src/extra", 3, "3")


def test_folders_with_few_symbols_are_told_together_and_only_if_they_are_many(chain: Any) -> None:
    work = commit(chain, 5, "Work")
    for number in range(5):
        part = chain.symbol(f"part{number}", path=f"src/part{number}.py", kind="symbol_fact")
        link(chain, plan(chain, number), "related_to", part)
    link(chain, commit(chain, 6, "Do it", "TODO.md"), "modifies", part)
    for number in range(10):
        assert not found(chain, "IMPLEMENTED_NOT_PLANNED")
        link(chain, work, "modifies", chain.symbol("free", path=f"lib/{number}/a.py", kind="symbol_fact"))
    (one,) = found(chain, "IMPLEMENTED_NOT_PLANNED")
    assert (one.message, one.said["folders"], len(one.records)) == ("unplanned.rest", "10", 10)


def test_what_changed_before_there_were_plans_is_not_unplanned(chain: Any) -> None:
    for number in range(5):
        part = chain.symbol(f"part{number}", path=f"src/part{number}.py", kind="symbol_fact")
        link(chain, plan(chain, number), "related_to", part)
    older = commit(chain, 5, "Work", at="2026-01-01T08:00:00Z")
    for number in range(3):
        link(
            chain,
            older,
            "modifies",
            chain.symbol(f"free{number}", path="src/extra/free.py", kind="symbol_fact"),
        )
    assert not found(chain, "IMPLEMENTED_NOT_PLANNED")


def test_without_plans_that_reach_code_nothing_is_unplanned(chain: Any) -> None:
    link(chain, commit(chain, 5, "Work"), "modifies", chain.symbol("free"))
    plan(chain, 1)
    assert not found(chain, "IMPLEMENTED_NOT_PLANNED")


def named(chain: Any, names: Sequence[str], documented: Sequence[str], path: str = "src/shapes.py") -> None:
    for name in names:
        chain.symbol(name, path=path, kind="symbol_fact", metadata={"public": True, "symbolKind": "function"})
    for name in documented:
        document(chain, f"`{name}` draws.", symbols=(name,))


def test_symbols_without_a_text_stand_out_where_the_others_have_one(chain: Any) -> None:
    documented = [f"draw_shape{number}" for number in range(6)]
    named(chain, [*documented, "paint", "erase", "smear"], documented)
    (one,) = found(chain, "IMPLEMENTED_NOT_DOCUMENTED")
    assert (one.said["place"], one.said["count"], one.said["of"]) == ("src", "3", "9")


def test_where_documents_are_no_custom_nothing_is_undocumented(chain: Any) -> None:
    documented = [f"draw_shape{number}" for number in range(6)]
    named(chain, [*documented, *(f"paint{number}" for number in range(9))], documented)
    named(chain, ["_internals_only", "x1y2"], [], "src/_internal/x.py")
    assert not found(chain, "IMPLEMENTED_NOT_DOCUMENTED")


@pytest.mark.parametrize(
    ("path", "sample"),
    [
        ("tests/data/TODO.md", True), ("src/test/resources/a.md", True), (".github/ISSUE_TEMPLATE/bug.md", True),
        ("docs/templates/task.md", True), ("pkg/testdata/a.md", True), ("task-template.md", True),
        ("src/contest/a.md", False), ("docs/testing.md", False), ("TODO.md", False), ("docs/latest/a.md", False),
    ],
)  # fmt: skip
def test_what_is_there_to_be_copied_or_tried_out_is_a_sample(path: str, sample: bool) -> None:
    assert is_sample(path) is sample


def test_words_are_told_by_their_stems_those_inside_names_included() -> None:
    assert telling("Signalling of parse_headers") == telling("signals parse header")
    assert telling("AppVeyor") & telling("appveyor")
    assert telling("Add the new option for it") == frozenset()
    assert telling("żółwie") != frozenset()


def test_an_entry_of_a_name_alone_claims_a_change(chain: Any) -> None:
    identity = state(
        chain, "changelog", "changelog_entry", "`retry` honours deadlines", "CHANGELOG.md", cls="claim"
    )
    folded = fold(chain.journal, ALL, ["graph"])
    assert folded.ts is not None
    fact: Fact = Facts.of(Inputs(folded.ts, folded.states, folded.made)).records[identity]
    assert is_claimable(fact)
