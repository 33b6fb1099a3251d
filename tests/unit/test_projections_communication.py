"""Each code is raised when there is reason to, about the right records and to the right people, and else not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jsonschema
import msgspec
import pytest

from t2c.ledger.intake.base import Draft
from t2c.ledger.intake.communication.extractor import CommunicationExtractor
from t2c.projections.base import Inputs, pretty
from t2c.projections.communication import Analysis, analysed, issues_of, raised_of
from t2c.projections.communication.claims import REASONS
from t2c.projections.communication.conflicts import opposed
from t2c.projections.communication.matching import conflicting, matches, meaning, words_of
from t2c.projections.communication.messages import ACTIONS, DETAILS, LANGUAGES, joined, quoted
from t2c.projections.communication.model import (
    CODES,
    SENTINELS,
    Issue,
    communication_model,
    identity,
    respondents,
)
from t2c.projections.communication.people import statements
from t2c.projections.communication.wording import is_decision_claim, is_implementation_claim, is_test_claim
from t2c.projections.diagnostics import findings_of
from t2c.projections.diagnostics.model import COMMUNICATION
from t2c.projections.facts import Facts
from t2c.projections.fold import fold
from t2c.projections.registry import ALL

USER, AI = "project/t-1/user-ada.md", "project/t-1/ai-codex.md"
OTHER_USER, OTHER_AI = "project/t-1/user-bob.md", "project/t-1/ai-grok.md"
DAY = "2026-03-01T10:00:00Z"


class Files:
    """A tree that is a mapping of paths to contents."""

    def __init__(self, held: dict[str, str]) -> None:
        self.held = held

    def __contains__(self, path: str) -> bool:
        return path in self.held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self.held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return self.held[path].encode() if path in self.held else None


def talk(chain: Any, files: dict[str, str], **around: str) -> dict[str, str]:
    """Record what stands in the files; the id of each statement by its text."""
    tree = Files({**files, **around})
    found: dict[str, str] = {}
    for path, text in files.items():
        reading = CommunicationExtractor().read(path, text.encode(), tree)
        ids = chain.observe("agent_log", path, *reading.records)
        found.update({draft.text: identity for draft, identity in zip(reading.records, ids, strict=True)})
    return found


def section(title: str, *lines: str) -> str:
    return f"# Who\n\n## {title}\n\n" + "\n".join(f"- {line}" for line in lines) + "\n"


def inputs(chain: Any) -> Inputs:
    folded = fold(chain.journal, ALL, ["communication", "diagnostics"])
    assert not any(folded.faults.values())
    assert folded.ts is not None
    return Inputs(folded.ts, folded.states, folded.made)


def issues(chain: Any, code: str | None = None) -> Sequence[Issue]:
    found = issues_of(inputs(chain))
    return found if code is None else [one for one in found if one.code == code]


def only(chain: Any, code: str) -> Issue:
    (one,) = issues(chain, code)
    return one


def codes(chain: Any) -> set[str]:
    return {one.code for one in issues(chain)}


def commit(chain: Any, subject: str, *, letter: str = "a", author: str = "codex", **members: Any) -> str:
    paths = members.pop("paths", ("src/login.py",))
    metadata = {
        "author": author, "committer": members.pop("committer", author), "committedAt": DAY, "parents": [],
        "coAuthors": members.pop("co_authors", []), "agents": members.pop("agents", []),
        "changedFiles": [{"status": members.pop("status", "M"), "path": path} for path in paths],
        "docOnly": members.pop("doc_only", False),
    }  # fmt: skip
    draft = Draft(
        kind="commit_intent_claim", text=subject, object=subject, action="add", cls="claim", status="implemented",
        confidence=0.9, basis=("made",), revision=letter * 40, actor=author, observed_at=DAY, metadata=metadata,
        tickets=members.pop("tickets", ()), paths=paths,
    )  # fmt: skip
    assert not members
    return str(chain.observe("git", None, draft)[0])


def outcome(chain: Any, name: str, result: str = "passed", path: str = "tests/test_login.py") -> str:
    draft = Draft(
        kind="test_result", text=f"test {name}", object=name, action="test", cls="fact",
        status={"passed": "verified", "failed": "blocked"}.get(result, "unknown"), confidence=1.0, basis=("made",), lines=(1, 1),
        symbol=name, polarity="negative" if result == "failed" else "positive", paths=(path,),
        metadata={"outcome": result},
    )  # fmt: skip
    return str(chain.observe("test", f"build/{name}.xml", draft)[0])


def asks(chain: Any, *requests: str) -> None:
    """A request that covers the work, so that no other issue is in the way."""
    talk(chain, {USER: section("Request", *requests)})


# --- identity ---------------------------------------------------------------------------------------------


def test_whoever_has_no_role_is_asked_for_under_no_name(chain: Any) -> None:
    ids = talk(chain, {"project/t-1/note.md": "---\nticket: t-1\n---\nAdd a retry.\n"})
    one = only(chain, "PARTICIPANT_IDENTITY_UNRESOLVED")
    assert (one.ticket, one.severity, one.responseRequiredRole) == ("T-1", "review_required", "unknown")
    assert one.responseRequiredFrom == ("unresolved:human",)
    assert one.participantIds == ("unknown:note.md",)
    assert one.recordIds == tuple(ids.values())
    assert codes(chain) == {"PARTICIPANT_IDENTITY_UNRESOLVED"}, (
        "who is not known contradicts and owes nothing"
    )


def test_whom_the_registry_does_not_know_is_one_issue_for_all_that_was_said(chain: Any) -> None:
    registry = (
        '{"schemaVersion":"t2c.participant-registry/v1","participants":[{"id":"human:ada","role":"human",'
        '"displayName":"Ada","gitAuthors":[],"a2aAgentIds":[],"humanAliases":[]}]}'
    )
    text = "---\nparticipant: bob\nrole: human\ntype: request\n---\nAdd a retry.\n\nAdd a cache.\n"
    ids = talk(chain, {"project/t-1/mail.md": text}, **{"project/participants.json": registry})
    one = only(chain, "PARTICIPANT_IDENTITY_UNRESOLVED")
    assert set(one.recordIds) == set(ids.values())
    assert "registry does not know who bob is" in one.detail


def test_a_name_without_a_registry_is_a_name(chain: Any) -> None:
    talk(chain, {USER: section("Request", "Lock the account."), AI: section("Plan", "Lock the account.")})
    assert issues(chain) == []


# --- conflicts --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second", "code", "asked"),
    [
        ((USER, "Request"), (OTHER_USER, "Request"), "HUMAN_COMMUNICATION_CONFLICT", ("ada", "bob")),
        ((AI, "Plan"), (OTHER_AI, "Plan"), "AGENT_COMMUNICATION_CONFLICT", ("unresolved:human",)),
        ((USER, "Request"), (AI, "Plan"), "HUMAN_AGENT_CONFLICT", ("ada",)),
    ],
)
@pytest.mark.parametrize("swapped", [False, True])
def test_what_one_asks_for_and_another_forbids_is_a_conflict_whoever_says_which(
    chain: Any,
    first: tuple[str, str],
    second: tuple[str, str],
    code: str,
    asked: tuple[str, ...],
    swapped: bool,
) -> None:
    said, denied = (second, first) if swapped else (first, second)
    ids = talk(
        chain,
        {
            said[0]: section(said[1], "Store the password in plain text."),
            denied[0]: section(denied[1], "Do not store the password in plain text."),
        },
    )
    one = only(chain, code)
    assert (one.severity, one.ticket, one.responseRequiredRole) == ("blocking", "T-1", "human")
    assert one.responseRequiredFrom == asked
    assert one.recordIds == tuple(sorted(ids.values()))
    assert len(one.participantIds) == 2


def test_agents_in_conflict_are_for_the_people_of_the_ticket(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section("Request", "Store the password in a vault."),
            AI: section("Plan", "Store the password in plain text."),
            OTHER_AI: section("Plan", "Do not store the password in plain text."),
        },
    )
    assert only(chain, "AGENT_COMMUNICATION_CONFLICT").responseRequiredFrom == ("ada",)


@pytest.mark.parametrize(
    ("said", "denied"),
    [
        ((USER, "Request", "Lock the account."), (USER, "Request", "Do not lock the account.")),
        ((USER, "Request", "Lock the account."), ("project/t-2/user-bob.md", "Request", "Do not lock the account.")),
        ((USER, "Request", "Lock the account."), (OTHER_USER, "Request", "Do not print the invoice.")),
        ((USER, "Request", "Lock it in `src/a.py`."), (OTHER_USER, "Request", "Do not lock it in `src/b.py`.")),
        ((USER, "Request", "Lock accounts in `src/a.py`."), (OTHER_USER, "Request", "Do not log names in `src/a.py`.")),
        ((USER, "Request", "Lock the account."), (AI, "Results", "The account is not locked.")),
        ((USER, "Request", "Lock the account."), (OTHER_USER, "Request", "Lock the account.")),
        (("project/t-1/ai-codex.md", "Plan", "Lock the account."),
         ("project/t-1/agent.codex.plan.001.md", "Plan", "Do not lock the account.")),
    ],
)  # fmt: skip
def test_one_person_two_tickets_other_places_and_what_is_not_done_yet_are_no_conflict(
    chain: Any, said: tuple[str, str, str], denied: tuple[str, str, str]
) -> None:
    files: dict[str, str] = {}
    for path, title, text in (said, denied):
        files[path] = files.get(path, "") + section(title, text)
    talk(chain, files)
    assert not [one for one in issues(chain) if one.code.endswith("CONFLICT")]


def test_one_agent_under_two_spellings_contradicts_nobody(chain: Any) -> None:
    text = "---\nparticipant: agent:codex\nrole: agent\ntype: plan\n---\nDo not lock the account.\n"
    talk(
        chain,
        {
            AI: section("Plan", "Lock the account."),
            "project/t-1/mail.md": text,
            OTHER_AI: section("Plan", "Print the invoice."),
        },
    )
    assert not issues(chain, "AGENT_COMMUNICATION_CONFLICT")


def test_who_has_no_role_and_who_speaks_of_another_ticket_is_opposed_to_nobody(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section("Request", "Lock the account."),
            OTHER_USER: section("Request", "Do not lock the account."),
            "project/t-2/user-eve.md": section("Request", "Do not lock the account."),
            "project/t-1/note.md": "---\nparticipant: max\n---\nDo not lock the account.\n",
        },
    )
    said = {one.participant: one for one in statements(Facts.of(inputs(chain)))}
    assert opposed(said["ada"], said["bob"])
    assert opposed(said["bob"], said["ada"])
    assert not opposed(said["ada"], said["eve"])
    assert not opposed(said["ada"], said["max"])


def test_one_symbol_in_two_files_and_few_words_in_common_are_no_conflict(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section(
                "Request", "Lock `app.login` in `src/a.py`.", "Send a mail to the owner of the account."
            ),
            OTHER_USER: section(
                "Request", "Do not lock `app.login` in `src/b.py`.", "Never print the account number."
            ),
        },
    )
    assert not issues(chain, "HUMAN_COMMUNICATION_CONFLICT")
    talk(chain, {"project/t-1/user-eve.md": section("Request", "Do not lock `app.login`.")})
    assert {one.participantIds for one in issues(chain, "HUMAN_COMMUNICATION_CONFLICT")} == {("ada", "eve")}


def test_a_ban_on_a_file_stands_against_any_work_in_it(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section("Request", "Do not touch `src/pay.py`."),
            AI: section("Actual changes", "Added a retry to `src/pay.py`."),
        },
    )
    one = only(chain, "HUMAN_AGENT_CONFLICT")
    assert one.responseRequiredFrom == ("ada",)


def test_a_denial_raises_one_issue_for_each_participant_whom_it_stands_against(chain: Any) -> None:
    files = {USER: section("Request", *(f"Store the password in plain text {n} times." for n in range(2, 9)))}
    for name in ("bob", "eve"):
        files[f"project/t-1/user-{name}.md"] = section("Request", "Do not store the password in plain text.")
    talk(chain, files)
    assert len(issues(chain, "HUMAN_COMMUNICATION_CONFLICT")) == 2


# --- requests ---------------------------------------------------------------------------------------------


def test_a_request_of_which_no_agent_speaks_is_for_the_agents_of_the_ticket(chain: Any) -> None:
    ids = talk(
        chain,
        {
            USER: section("Request", "Lock the account.", "Print the invoice."),
            AI: section("Plan", "Lock the account after five failures."),
        },
    )
    one = only(chain, "REQUEST_WITHOUT_AGENT_RESPONSE")
    assert one.recordIds == (ids["Print the invoice."],)
    assert (one.severity, one.responseRequiredRole, one.responseRequiredFrom) == (
        "warning",
        "agent",
        ("codex",),
    )


def test_a_request_without_any_agent_is_for_the_sentinel(chain: Any) -> None:
    talk(chain, {USER: section("Request", "Lock the account.")})
    assert only(chain, "REQUEST_WITHOUT_AGENT_RESPONSE").responseRequiredFrom == ("unresolved:agent",)


def test_a_commit_answers_a_request(chain: Any) -> None:
    ids = talk(chain, {USER: section("Request", "Lock the account.")})
    chain.link(commit(chain, "Lock it"), ids["Lock the account."], "implements")
    assert issues(chain) == []


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("project/t-1/human.ada.message.001.md", "Thank you all.\n"),
        (USER, section("Request", "Never print a password.")),
        (USER, section("Decision", "Print the invoice.")),
    ],
)
def test_thanks_prohibitions_and_decisions_need_no_answer(chain: Any, path: str, text: str) -> None:
    talk(chain, {path: text, AI: section("Blockers", "The disk is full.")})
    assert not issues(chain, "REQUEST_WITHOUT_AGENT_RESPONSE")


def test_a_request_in_polish_is_answered_in_english(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section("Polecenie", "Należy dodać walidację uprawnień użytkownika."),
            AI: section("Plan", "Add validation of user permissions."),
        },
    )
    assert issues(chain) == []


# --- decisions --------------------------------------------------------------------------------------------

DECIDED = (
    "The owner approved the plan.",
    "The user explicitly approved ticket-018 in chat.",
    "Human owner has accepted the scope.",
    "Approved by the user on 2026-07-31.",
    "The plan was accepted by the human operator.",
    "The founder authorized the release.",
    "Human approval received; work begins.",
    "Recorded the user's `kontynuuj` approval for the plan.",
    "Użytkownik zatwierdził ticket 003.",
    "Właściciel zaakceptował zakres.",
    "Człowiek upoważnił agenta do wydania.",
    "Plan zatwierdzony przez właściciela.",
    "Added to the notes that the owner approved the plan.",
)
UNDECIDED = (
    "The owner has not approved the plan.",
    "Wait until the owner approved it.",
    "The plan must be approved by the owner.",
    "If the user approved it, continue.",
    "Closing needs the owner's approval.",
    "The pull request was approved by the validator app.",
    "Users can now log in and the cache is accepted.",
    "Użytkownik nie zatwierdził planu.",
    "Czeka, aż właściciel zatwierdził plan.",
    "The owner of the file changed. It was approved elsewhere.",
)


@pytest.mark.parametrize("text", DECIDED)
def test_a_decision_of_a_person_that_only_an_agent_reports(chain: Any, text: str) -> None:
    talk(chain, {AI: section("Results", text)})
    one = only(chain, "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED")
    assert (one.severity, one.responseRequiredRole) == ("review_required", "human")
    assert one.responseRequiredFrom == ("unresolved:human",)
    assert codes(chain) == {"AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED"}, (
        "it is no work and no request of its own"
    )


@pytest.mark.parametrize("text", UNDECIDED)
def test_what_is_to_come_denied_or_decided_by_a_program_is_no_decision_of_a_person(
    chain: Any, text: str
) -> None:
    talk(chain, {AI: section("Results", text)})
    assert not issues(chain, "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED")


@pytest.mark.parametrize("own", ["I approve the plan.", "Zatwierdzam plan.", "The plan holds as it is."])
def test_a_person_who_wrote_it_confirms_a_decision(chain: Any, own: str) -> None:
    talk(chain, {USER: section("Decision", own), AI: section("Results", "The owner approved the plan.")})
    assert not issues(chain, "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED")


@pytest.mark.parametrize(
    ("path", "title", "own"),
    [
        (USER, "Decision", "Print the invoice on paper."),
        ("project/t-2/user-ada.md", "Decision", "I approve the plan."),
        (OTHER_AI, "Approval", "The plan is approved."),
        (USER, "Request", "Approve nothing, lock the account."),
    ],
)
def test_another_ticket_matter_or_agent_confirms_nothing(chain: Any, path: str, title: str, own: str) -> None:
    talk(
        chain,
        {path: section(title, own), AI: section("Results", "The owner approved the rewrite of `src/x.py`.")},
    )
    assert issues(chain, "AGENT_HUMAN_DECISION_CLAIM_UNCONFIRMED")


def test_a_person_s_own_report_is_no_claim_of_an_agent(chain: Any) -> None:
    talk(chain, {"project/t-1/human.ada.report.001.md": "The owner approved the plan and added a lock.\n"})
    assert issues(chain) == []


# --- claims -----------------------------------------------------------------------------------------------

CLAIM = "Added a lock to the login."


def claim(chain: Any, text: str = CLAIM, **around: str) -> str:
    """A report of codex on T-1, asked for by Ada."""
    asks(chain, text)
    return talk(chain, {AI: section("Actual changes", text)}, **around)[text]


def unshown(chain: Any) -> bool:
    return bool(issues(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE"))


def test_a_report_that_nothing_recorded_shows_is_for_its_author(chain: Any) -> None:
    identity = claim(chain)
    one = only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE")
    assert (one.severity, one.responseRequiredRole, one.responseRequiredFrom) == (
        "review_required",
        "agent",
        ("codex",),
    )
    assert one.recordIds == (identity,)
    assert "No commit, test or declaration that is recorded shows it." in one.detail


@pytest.mark.parametrize(
    "given",
    [
        {"subject": "work", "tickets": ("T-1",)},
        {"subject": "Add lock to login"},
        {"subject": "work", "tickets": ("T-1",), "author": "Ada Smith", "co_authors": ["Codex"]},
        {
            "subject": "work",
            "tickets": ("T-1",),
            "author": "Ada Smith",
            "agents": [{"name": "Codex CLI", "trailer": "x"}],
        },
        {"subject": "work", "tickets": ("T-1",), "author": "Cleo"},
    ],
)
def test_a_commit_of_its_author_or_of_nobody_else_shows_a_report(chain: Any, given: dict[str, Any]) -> None:
    claim(chain)
    commit(chain, **given)
    assert not unshown(chain)


@pytest.mark.parametrize(
    "given",
    [
        {"subject": "Print the invoice"},
        {"subject": "work", "tickets": ("T-1",), "author": "ada"},
        {"subject": "work", "tickets": ("T-1",), "author": "ada", "committer": "codex"},
        {"subject": "work", "tickets": ("T-1",), "doc_only": True, "paths": ("README.md",)},
        {"subject": "work", "tickets": ("T-2",), "author": "Cleo"},
    ],
)
def test_a_commit_of_another_matter_or_person_or_of_documentation_shows_nothing(
    chain: Any, given: dict[str, Any]
) -> None:
    claim(chain)
    commit(chain, **given)
    assert unshown(chain)


def test_where_the_git_authors_of_an_agent_are_known_no_other_hand_counts(chain: Any) -> None:
    text = f"---\nparticipant: codex\nrole: agent\ntype: report\ngit-authors: bot\n---\n{CLAIM}\n"
    asks(chain, CLAIM)
    talk(chain, {"project/t-1/mail.md": text})
    commit(chain, "work", author="Cleo", tickets=("T-1",))
    assert unshown(chain)
    commit(chain, "work", letter="b", author="Bot", tickets=("T-1",))
    assert not unshown(chain)


def test_a_name_of_two_participants_is_nobody_s(chain: Any) -> None:
    asks(chain, CLAIM)
    head = "---\nparticipant: {}\nrole: agent\ntype: report\ngit-authors: bot\n---\n{}\n"
    talk(
        chain,
        {
            "project/t-1/a.md": head.format("codex", CLAIM),
            "project/t-1/b.md": head.format("grok", "Nothing to say."),
        },
    )
    commit(chain, "work", author="bot", tickets=("T-1",))
    one = only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE")
    assert "commits by bot are nobody's" in one.detail
    rows = {row.participant: row.matchedGitCommits for row in analysed(inputs(chain)).participants}
    assert rows == {"ada": 0, "codex": 0, "grok": 0}


def test_a_reverted_commit_shows_nothing(chain: Any) -> None:
    claim(chain)
    done = commit(chain, "work", tickets=("T-1",))
    assert not unshown(chain)
    chain.link(commit(chain, 'Revert "work"', letter="b", author="x"), done, "supersedes")
    assert unshown(chain)


def test_a_bound_or_cited_commit_shows_a_report(chain: Any) -> None:
    text = "Added a lock in abc1234."
    identity = claim(chain, text)
    assert unshown(chain)
    done = commit(chain, "other", author="ada")
    chain.link(identity, done, "evidenced_by")
    assert not unshown(chain)
    chain.add("relation.unlinked", {"id": chain.link(identity, done, "evidenced_by"), "why": "gone"})
    assert unshown(chain)
    draft = Draft(
        kind="commit_intent_claim", text="x", object="x", action="add", cls="claim", status="implemented",
        confidence=0.9, basis=("made",), revision="abc1234" + "0" * 33, metadata={"author": "ada"},
    )  # fmt: skip
    chain.observe("git", None, draft)
    assert not unshown(chain)


def test_a_file_that_a_commit_changed_shows_that_it_was_added(chain: Any) -> None:
    claim(chain, "Added the index `docs/TICKETS.md`.")
    assert unshown(chain)
    commit(chain, "work", author="Cleo", paths=("docs/TICKETS.md",), doc_only=True)
    assert not unshown(chain)


def test_a_declaration_shows_only_that_something_was_added(chain: Any) -> None:
    for text, shown in (("Added `app.lock` to the login.", True), ("Fixed `app.lock` in the login.", False)):
        identity = claim(chain, text)
        chain.link(identity, chain.symbol("app.lock"), "related_to")
        left = {one for issue in issues(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE") for one in issue.recordIds}
        assert (identity not in left) is shown


@pytest.mark.parametrize(
    "text",
    [
        "Looked at the login.",
        "Blocked the release.",
        "No lock was added.",
        "A lock remains to be added.",
        "The existing Java test remained skipped.",
        "Verified the configuration.",
        "Correct typing produced zero issues.",
        "The guard for generated-files stands.",
    ],
)
def test_what_was_seen_refused_denied_or_is_to_come_claims_no_work(chain: Any, text: str) -> None:
    talk(chain, {AI: section("Results", text)})
    assert not unshown(chain)


@pytest.mark.parametrize(
    "text", ["Dodano blokadę konta.", "Usunąłem nieużywany import.", "Naprawiono błąd logowania."]
)
def test_work_is_claimed_in_polish_too(chain: Any, text: str) -> None:
    claim(chain, text)
    assert unshown(chain)


def test_reports_of_one_ticket_without_evidence_are_one_issue(chain: Any) -> None:
    texts = [f"Added the {thing}." for thing in ("lock", "mail", "invoice", "cache")]
    asks(chain, *texts)
    talk(chain, {AI: section("Actual changes", *texts)})
    one = only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE")
    assert len(one.recordIds) == 4
    assert one.detail.endswith("…."), "three are told and the others counted"
    assert "without evidence: 4" in one.detail


# --- claims of tests (public case 89) -----------------------------------------------------------------------

PASSED = (
    "All tests pass.", "All 12 tests pass, wrote weekly.csv.", "Focused tests passed.", "Tests: 334/335 green.",
    "Passed the complete 342-test suite and all suites.", "The test suite is green.", "Wszystkie testy przechodzą.",
    "Trzy wymagane zestawy regresyjne przeszły przed merge.", "12/12 passed.",
)  # fmt: skip
NOT_PASSED = (
    "Two tests fail.", "No tests were run.", "The tests pass except for one failed case.", "Wrote a test.",
    "Testy nie przechodzą.", "The password passes through the filter.",
)  # fmt: skip


@pytest.mark.parametrize("text", PASSED)
def test_tests_that_passed_without_a_recorded_run_are_a_claim_without_receipt(chain: Any, text: str) -> None:
    claim(chain, text)
    assert "a claim without receipt" in only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE").detail


@pytest.mark.parametrize("text", NOT_PASSED)
def test_what_failed_or_was_not_run_is_no_claim_that_tests_passed(chain: Any, text: str) -> None:
    claim(chain, text)
    assert not any("receipt" in one.detail for one in issues(chain))


def test_a_recorded_run_is_a_receipt_unless_something_failed(chain: Any) -> None:
    claim(chain, "All tests pass.")
    outcome(chain, "test_lock")
    assert not unshown(chain)
    outcome(chain, "test_mail", "failed")
    assert (
        "recorded as failed: 1, for example test_mail" in only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE").detail
    )


def test_tests_that_were_skipped_are_no_receipt(chain: Any) -> None:
    claim(chain, "All tests pass.")
    outcome(chain, "test_lock", "skipped")
    assert "a claim without receipt" in only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE").detail


def test_a_failed_test_and_a_reverted_or_documentation_commit_show_nothing_even_if_bound(chain: Any) -> None:
    identity = claim(chain)
    done = commit(chain, "other", author="ada")
    chain.link(commit(chain, "back", letter="b", author="ada"), done, "supersedes")
    page = commit(chain, "page", letter="c", author="ada", doc_only=True, paths=("README.md",))
    for other in (done, page, outcome(chain, "test_mail", "failed")):
        chain.link(identity, other, "evidenced_by")
        assert unshown(chain)
    chain.link(identity, outcome(chain, "test_lock"), "evidenced_by")
    assert not unshown(chain)


def test_a_file_that_is_nowhere_is_told_with_the_missing_receipt(chain: Any) -> None:
    identity = claim(chain, "All 12 tests pass, wrote weekly.csv.")
    one = only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE")
    assert one.recordIds == (identity,), "one record, one issue, both reasons"
    assert "a claim without receipt" in one.detail
    assert "No record and no commit knows the file: weekly.csv." in one.detail
    commit(chain, "data", author="Cleo", paths=("out/weekly.csv",))
    assert "weekly.csv." not in only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE").detail.split("“")[0]


@pytest.mark.parametrize(
    "text", ["Removed weekly.csv and added a note.", "Read weekly.csv.", "Created `out/*.csv`."]
)
def test_a_file_that_need_not_be_there_is_not_missed(chain: Any, text: str) -> None:
    claim(chain, text)
    assert not any("knows the file" in one.detail for one in issues(chain))


def test_tests_that_the_same_hand_wrote_with_the_code_are_not_independent(chain: Any) -> None:
    claim(chain, "All tests pass.")
    outcome(chain, "test_lock")
    commit(chain, "T-1", paths=("src/login.py", "tests/test_login.py"))
    assert "The evidence is not independent" in only(chain, "AGENT_CLAIM_WITHOUT_EVIDENCE").detail
    commit(chain, "Check", letter="b", author="ada", paths=("tests/test_login.py",))
    assert not unshown(chain)


# --- work outside -----------------------------------------------------------------------------------------


def test_work_that_no_request_covers_is_for_the_people_of_the_ticket(chain: Any) -> None:
    ids = talk(
        chain,
        {
            USER: section("Request", "Lock the account after five failures."),
            AI: section("Plan", "Lock the account."),
            OTHER_AI: section("Plan", "Rewrite the invoice printer.", "Remove the newsletter."),
        },
    )
    one = only(chain, "AGENT_WORK_OUTSIDE_REQUEST")
    assert (one.severity, one.responseRequiredRole, one.responseRequiredFrom) == (
        "warning",
        "human",
        ("ada",),
    )
    assert one.participantIds == ("grok",)
    assert set(one.recordIds) == {ids["Rewrite the invoice printer."], ids["Remove the newsletter."]}


def test_work_on_a_ticket_without_requests_is_for_the_sentinel(chain: Any) -> None:
    talk(chain, {AI: section("Plan", "Remove the newsletter.")})
    one = only(chain, "AGENT_WORK_OUTSIDE_REQUEST")
    assert one.responseRequiredFrom == ("unresolved:human",)
    assert "without a recorded request" in one.detail


def test_a_task_of_the_ticket_or_in_its_folder_is_a_request(chain: Any) -> None:
    talk(chain, {AI: section("Plan", "Remove the newsletter.")})
    draft = Draft(
        kind="todo_item", text="Remove the newsletter", object="newsletter", action="remove", cls="plan",
        status="planned", confidence=0.9, basis=("made",), lines=(1, 1),
    )  # fmt: skip
    chain.observe("todo", "TODO.md", draft)
    assert issues(chain, "AGENT_WORK_OUTSIDE_REQUEST")
    chain.observe("todo", "project/t-1/TODO.md", draft)
    assert issues(chain) == []


def test_a_request_without_a_place_covers_the_whole_file_that_takes_it_up(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section("Request", "Harden the login."),
            AI: section("Plan", "Harden the login.", "Remove the newsletter."),
        },
    )
    assert not issues(chain, "AGENT_WORK_OUTSIDE_REQUEST")


def test_a_request_of_one_place_covers_what_it_names_and_the_reports_and_checks_of_that(chain: Any) -> None:
    ids = talk(
        chain,
        {
            USER: section("Request", "Lock the account in `src/login.py`."),
            AI: section("Plan", "Change `src/login.py`: count failures.", "Drop the newsletter template.")
            + section("Actual changes", "Failures are counted and the change is in.", "Test everything."),
        },
    )
    left = {one for issue in issues(chain, "AGENT_WORK_OUTSIDE_REQUEST") for one in issue.recordIds}
    assert left == {ids["Drop the newsletter template."]}


def test_what_an_agent_only_says_or_denies_is_no_work(chain: Any) -> None:
    talk(chain, {AI: section("Plan", "The disk is full.", "Do not remove the newsletter.")})
    assert issues(chain) == []


# --- the document -----------------------------------------------------------------------------------------


def full(chain: Any) -> None:
    """All eight codes."""
    talk(
        chain,
        {
            USER: section("Request", "Store the password in plain text.", "Print the invoice."),
            OTHER_USER: section("Request", "Do not store the password in plain text."),
            AI: section("Plan", "Store the password in plain text.")
            + section("Results", "The owner approved the plan.", "Fixed the pump.", "All tests pass."),
            OTHER_AI: section("Plan", "Do not store the password in plain text."),
            "project/t-1/note.md": "---\nticket: t-1\n---\nAdd a retry.\n",
            "project/t-2/ai-codex.md": section("Plan", "Remove the newsletter."),
        },
    )


def test_every_code_can_be_raised_and_each_is_a_diagnostic(chain: Any) -> None:
    full(chain)
    made = inputs(chain)
    assert {one.code for one in issues_of(made)} == set(CODES) == set(COMMUNICATION)
    copied = {one.subject: one for one in findings_of(made) if one.code in COMMUNICATION}
    assert set(copied) == {one.id for one in issues_of(made)}
    assert all(copied[one.id].severity == one.severity for one in issues_of(made))
    assert not [one for one in findings_of(made) if one.code == "ALIGNED"]


def test_nothing_is_aligned_while_an_issue_waits_for_review(chain: Any) -> None:
    plan = chain.todo("Lock it", path="TODO.md")
    chain.link(commit(chain, "Lock it", author="Cleo"), plan, "implements")
    assert [one.code for one in findings_of(inputs(chain)) if one.code == "ALIGNED"] == ["ALIGNED"]
    talk(chain, {AI: section("Results", "The owner approved the plan.")})
    assert not [one for one in findings_of(inputs(chain)) if one.code == "ALIGNED"]


def test_the_document_keeps_its_contract(chain: Any) -> None:
    full(chain)
    made = analysed(inputs(chain))
    body = msgspec.json.decode(pretty(msgspec.to_builtins(made)))
    model = communication_model()
    jsonschema.validate(body, model.model_json_schema())
    model.model_validate_json(msgspec.json.encode(body))
    ranks = ["blocking", "review_required", "warning", "info"]
    order = [(ranks.index(one.severity), one.id) for one in made.issues]
    assert order == sorted(order)
    assert sum(made.counts.values()) == len(made.issues)
    assert made.tickets == ("T-1", "T-2")
    rows = {row.participant: row for row in made.participants}
    assert rows["codex"].tickets == ("T-1", "T-2")
    assert (rows["codex"].communicationRecords, rows["codex"].plans, rows["codex"].claims) == (5, 2, 3)
    assert rows["ada"].declarations == 2
    for issue in made.issues:
        assert all((issue.id in rows[name].issueIds) for name in issue.participantIds)
        assert issue.responseRequiredFrom


def test_an_empty_ledger_has_an_empty_analysis(chain: Any) -> None:
    made = analysed(inputs(chain))
    assert (made.tickets, made.participants, made.issues, made.syntheses) == ((), (), (), ())
    assert set(made.counts.values()) == {0}


def test_ids_are_made_of_what_an_issue_is_about(chain: Any) -> None:
    full(chain)
    made = inputs(chain)
    for one in issues_of(made):
        assert one.id == identity(
            one.code,
            one.ticket,
            one.participantIds,
            one.recordIds,
            one.responseRequiredRole,
            one.responseRequiredFrom,
        )
    assert [one.id for one in issues_of(made, "pl")] == [one.id for one in issues_of(made, "en")]
    assert {one.detail for one in issues_of(made, "pl")}.isdisjoint(
        one.detail for one in issues_of(made, "en")
    )
    # sha256 of {"code":"X","participantIds":["a","ł"],"recordIds":["r"],"responseRequiredFrom":["unresolved:human"],
    # "responseRequiredRole":"human","ticket":"T-1"}
    import hashlib

    seed = (
        '{"code":"X","participantIds":["a","ł"],"recordIds":["r"],"responseRequiredFrom":["unresolved:human"],'
        '"responseRequiredRole":"human","ticket":"T-1"}'
    )
    expected = "COMM-" + hashlib.sha256(seed.encode()).hexdigest()[:20]
    assert identity("X", "T-1", ["ł", "a", "a"], ["r"], "human", ["unresolved:human"]) == expected


def test_the_sentinels_are_two_and_nobody_is_never_asked() -> None:
    assert set(SENTINELS.values()) == {"unresolved:human", "unresolved:agent"}
    assert respondents("unknown", ()) == ("unresolved:human",)
    assert respondents("agent", ()) == ("unresolved:agent",)
    assert respondents("human", ["b", "a", "b"]) == ("a", "b")
    assert respondents("human", ["unknown:note.md", "a"]) == ("a",)
    assert respondents("agent", ["unknown:note.md", "unresolved:human"]) == ("unresolved:agent",)


def test_the_languages_say_the_same_of_the_same() -> None:
    import string

    for catalogue in (DETAILS, ACTIONS):
        assert set(catalogue) == set(LANGUAGES)
        assert set(catalogue["en"]) == set(catalogue["pl"])
        for name, text in catalogue["en"].items():
            fields = [
                {field for _, field, _, _ in string.Formatter().parse(one) if field}
                for one in (text, catalogue["pl"][name])
            ]
            assert fields[0] == fields[1], name
    assert {f"claim.{reason}" for reason in REASONS} <= set(DETAILS["en"])


def test_words_of_guilt_are_in_no_sentence() -> None:
    for catalogue in (DETAILS, ACTIONS):
        for texts in catalogue.values():
            for text in texts.values():
                assert not any(
                    word in text.lower() for word in ("lie", "false", "fault", "guilty", "kłam", "wina ")
                )


def test_every_sentence_of_the_catalogue_is_told_in_some_case() -> None:
    told = (
        set(DETAILS["en"])
        - {f"claim.{reason}" for reason in REASONS}
        - {"claim", "claim.ambiguous", "claim.examples"}
    )
    assert told == set(ACTIONS["en"]) - {f"claim.{reason}.action" for reason in REASONS}


def test_quotes_are_short_and_of_one_line() -> None:
    assert quoted("a\n b") == "a b"
    assert len(quoted("x" * 5000)) == 120
    assert joined(["a", "b", "c", "d"]) == "a; b; c; …"
    assert joined(["a"]) == "a"


# --- matching ---------------------------------------------------------------------------------------------


def test_tickets_and_duty_are_no_words_that_two_share() -> None:
    assert words_of("TICKET-12 must not lock #4") == words_of("lock")
    assert not words_of("T-1 must not") & words_of("T-1 should never")


def test_the_matches_are_symmetric(chain: Any) -> None:
    talk(
        chain,
        {
            USER: section(
                "Request", "Lock `src/a.py`.", "Lock the account now.", "Print `app.bill` soon.", "Rest."
            ),
            OTHER_USER: section(
                "Request", "Do not lock `src/a.py`.", "Never lock the account.", "No `app.bill`."
            ),
        },
    )
    said = [meaning(one.fact) for one in statements(Facts.of(inputs(chain)))]
    assert any(matches(one, other) for one in said for other in said if one != other)
    for one in said:
        for other in said:
            assert matches(one, other) is matches(other, one)
            assert conflicting(one, other) is conflicting(other, one)


def test_wording_is_judged_of_reports_alone(chain: Any) -> None:
    talk(chain, {AI: section("Plan", "The owner approved it, all tests passed and the lock was added.")})
    (one,) = statements(Facts.of(inputs(chain)))
    assert not (is_decision_claim(one) or is_test_claim(one) or is_implementation_claim(one))


def test_the_order_of_events_changes_nothing(chain: Any, new_journal: Any, tmp_path: Any) -> None:
    files = {
        USER: section("Request", "Store the password in plain text."),
        OTHER_USER: section("Request", "Do not store the password in plain text."),
        AI: section("Results", "Fixed the pump.", "The owner approved it."),
    }
    other = new_journal(tmp_path / "other" / "journal.ndjson")
    talk(chain, files)
    talk(other, dict(reversed(files.items())))
    first, second = analysed(inputs(chain)), analysed(inputs(other))
    assert isinstance(first, Analysis)
    assert msgspec.structs.replace(first, generatedAt="") == msgspec.structs.replace(second, generatedAt="")
    assert [one.id for one in raised_of(inputs(chain))] == [one.id for one in first.issues]
