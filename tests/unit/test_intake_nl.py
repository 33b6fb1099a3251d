"""Declared intent: what a task, a ticket or a letter says, sentence by sentence."""

from __future__ import annotations

import codecs
import time

import pytest

from t2c.ledger.events.record import Record
from t2c.ledger.intake.base import Draft, Reading, materialise
from t2c.ledger.intake.frontmatter import front_matter
from t2c.ledger.intake.nl.extractor import NlExtractor
from t2c.ledger.intake.nl.language import language_of, tellable
from t2c.ledger.intake.nl.missing import actor_of, missing_fields
from t2c.ledger.intake.nl.sentences import sentences


class Files:
    """A tree that is a set of paths."""

    def __init__(self, *held: str) -> None:
        self._held = frozenset(held)

    def __contains__(self, path: str) -> bool:
        return path in self._held

    def named(self, name: str) -> tuple[str, ...]:
        return tuple(sorted(path for path in self._held if path.rpartition("/")[2] == name))

    def content(self, path: str) -> bytes | None:
        return None


def read(text: str | bytes, *held: str, path: str = "TASK.md") -> Reading:
    return NlExtractor().read(path, text.encode() if isinstance(text, str) else text, Files(*held))


def drafts(text: str, *held: str) -> list[Draft]:
    return list(read(text, *held).records)


def said(text: str) -> list[str]:
    return [draft.text for draft in drafts(text)]


def ids(text: str | bytes) -> list[str]:
    return [found.id for found in materialise(read(text))]


def noted(reading: Reading) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {warning.reason: (warning.count, warning.lines) for warning in reading.warnings}


def test_no_path_is_ever_taken_for_a_task() -> None:
    assert not any(NlExtractor().wants(path) for path in ("TASK.md", "task.txt", "README.md", "nl"))


def test_the_record_of_a_declared_intent() -> None:
    text = (
        "# Task\n- System must implement `exportMetrics` in `src/metrics.py` for ACME-7.\n"
        "- Nie wolno usuwać `src/legacy.py`.\n- Analyze the log files\n"
    )
    reading = read(text, "src/metrics.py")
    first, ban, last = (Record.model_validate_json(found.body) for found in materialise(reading))
    assert (first.statement.kind, first.statement.actor) == ("declared_intent", "system")
    assert first.statement.text == "System must implement `exportMetrics` in `src/metrics.py` for ACME-7."
    assert first.statement.object == "`exportMetrics` in `src/metrics.py` for ACME-7."
    assert first.statement.target.model_dump() == {
        "paths": ("src/metrics.py",), "symbols": ("exportMetrics",), "tickets": ("ACME-7",), "versions": (),
    }  # fmt: skip
    assert (first.statement.action, first.statement.modality, first.statement.polarity) == (
        "add", "required", "positive",
    )  # fmt: skip
    assert (first.epistemic.cls, first.lifecycle.status, first.epistemic.confidence) == (
        "declaration", "proposed", 0.78,
    )  # fmt: skip
    assert first.epistemic.basis == (
        "heuristic_action_dictionary", "line_segmentation", "modality_dictionary", "target_heuristics",
    )  # fmt: skip
    assert first.source.extractor == "t2c/nl-heuristic@1"
    assert first.metadata["missingFields"] == []
    assert first.metadata["headingPath"] == ["Task"]
    assert (ban.statement.action, ban.statement.modality, ban.statement.polarity) == (
        "remove", "required", "negative",
    )  # fmt: skip
    assert (ban.metadata["constraint"], ban.metadata["language"]) == (True, "pl")
    assert ban.metadata["missingFields"] == ["acceptance_evidence"]
    assert (last.statement.action, last.metadata["constraint"], last.epistemic.confidence) == (
        "analyze", False, 0.72,
    )  # fmt: skip
    assert last.source.lines is not None
    assert (last.source.lines.start, last.source.lines.end) == (4, 4)


# --- sentences --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add x. Fix y! Remove z? Test w; Then stop", ["Add x.", "Fix y!", "Remove z?", "Test w;", "Then stop"]),
        ("Use e.g. Python, i.e. CPython, cf. Knuth.", ["Use e.g. Python, i.e. CPython, cf. Knuth."]),
        ("Dodaj pola, np. Numer, m.in. PESEL, tzn. Dane. Usuń resztę.",
         ["Dodaj pola, np. Numer, m.in. PESEL, tzn. Dane.", "Usuń resztę."]),
        ("Wpis dr. Nowaka i ul. Długa zostają.", ["Wpis dr. Nowaka i ul. Długa zostają."]),
        ("Ask J. R. Tolkien. He knows.", ["Ask J. R. Tolkien.", "He knows."]),
        ("Read a.py. Then b.py.", ["Read a.py.", "Then b.py."]),
        ("Drop Python 3.8. Keep 3.9.", ["Drop Python 3.8.", "Keep 3.9."]),
        ("Add sizes, units, etc. The rest stays.", ["Add sizes, units, etc.", "The rest stays."]),
        ("W 2026 r. Należy zmienić limit.", ["W 2026 r.", "Należy zmienić limit."]),
        ("See no. 5 and fig. 7. No. Stop.", ["See no. 5 and fig. 7.", "No.", "Stop."]),
        ("Call `a. B` here. `x` must go.", ["Call `a. B` here.", "`x` must go."]),
        ('He said "Stop." Then left.', ['He said "Stop."', "Then left."]),
        ("Wait... what now", ["Wait... what now"]),
        ("it ends. then goes on", ["it ends. then goes on"]),
    ],
)  # fmt: skip
def test_a_full_stop_ends_a_sentence_only_where_one_begins(text: str, expected: list[str]) -> None:
    assert [found.text for found in sentences([(1, text)])] == expected


def test_wrapped_prose_is_joined_and_a_sentence_knows_its_lines() -> None:
    text = (
        "The exporter must write the metrics of every ward into one file,\n"
        "which is kept for a year. It must not drop\nlines when the disk is full.\n"
    )
    first, second = drafts(text)
    assert first.text == (
        "The exporter must write the metrics of every ward into one file, which is kept for a year."
    )
    assert (first.lines, second.lines) == ((1, 2), (2, 3))
    assert (second.text, second.polarity) == ("It must not drop lines when the disk is full.", "negative")


def test_a_line_break_that_was_meant_parts_statements() -> None:
    assert said("Add a login page\nFix the crash\nUsuń stary eksport\n") == [
        "Add a login page", "Fix the crash", "Usuń stary eksport",
    ]  # fmt: skip
    assert said("Add a login page for\nAnna and her team\n") == ["Add a login page for Anna and her team"]
    assert said("**Goal**: add login\n**Test**: try it\n") == ["**Goal**: add login", "**Test**: try it"]


def test_rewrapping_prose_changes_no_id() -> None:
    text = "The exporter must write the metrics of every ward into one file and keep it for a year"
    assert ids(text) == ids(text.replace(" every ", " every\n")) == ids(text.replace(" into ", "\ninto "))


# --- structure --------------------------------------------------------------------------------------------


def test_headings_and_the_items_around_are_the_trail() -> None:
    text = "# A\n## B\n- Add login\n  - with passkey\n    1. on iOS\n- Add mail\n"
    assert [(draft.text, draft.trail, draft.metadata["parent"]) for draft in drafts(text)] == [
        ("Add login", ("A", "B"), None),
        ("with passkey", ("A", "B", "Add login"), "Add login"),
        ("on iOS", ("A", "B", "Add login", "with passkey"), "with passkey"),
        ("Add mail", ("A", "B"), None),
    ]


@pytest.mark.parametrize(
    ("lead", "duty", "sign", "constraint"),
    [
        ("The exporter must:", "required", "positive", False),
        ("The exporter must not:", "required", "negative", True),
        ("Nie wolno:", "required", "negative", True),
        ("Powinno się:", "recommended", "positive", False),
        ("The user may:", "optional", "positive", False),
    ],
)
def test_what_leads_a_list_in_lends_its_duty(lead: str, duty: str, sign: str, constraint: bool) -> None:
    draft, other = drafts(f"{lead}\n\n- write to `main`\n- push\n\nWrite to disk\n")[:2]
    assert (draft.text, draft.trail, draft.modality, draft.polarity) == (
        "write to `main`",
        (lead,),
        duty,
        sign,
    )
    assert (other.modality, other.polarity) == (duty, sign)
    assert draft.metadata["constraint"] is constraint
    assert ("list_lead_in" in draft.basis) is (duty != "unknown")
    after = drafts(f"{lead}\n\n- write to `main`\n\nWrite to disk\n")[-1]
    assert (after.trail, after.modality, after.polarity) == ((), "unknown", "positive")


@pytest.mark.parametrize(
    ("heading", "duty", "sign", "constraint"),
    [
        ("## Agent nie może", "required", "negative", True), ("## The agent may", "optional", "positive", False),
        ("**System nie powinien:**", "recommended", "negative", False), ("## Zasady", "unknown", "positive", False),
    ],
)  # fmt: skip
def test_a_heading_that_leads_a_list_in_lends_its_duty(
    heading: str, duty: str, sign: str, constraint: bool
) -> None:
    draft, other = drafts(f"{heading}\n\n- approve plans\n\nWrite to disk\n")
    assert (draft.modality, draft.polarity, draft.metadata["constraint"]) == (duty, sign, constraint)
    assert draft.trail == (heading.strip("#*: "),)
    assert other.modality == "unknown"


def test_a_line_that_only_shows_an_example_lends_nothing() -> None:
    assert drafts("It may look as follows:\n\n- the agent stops\n")[0].modality == "unknown"


def test_an_item_may_lead_in_and_a_list_of_another_kind_is_another_list() -> None:
    nested = drafts("- The parser must:\n  - accept CRLF\n")
    assert [(draft.text, draft.trail, draft.modality) for draft in nested] == [
        ("accept CRLF", ("The parser must:",), "required"),
    ]
    assert drafts("It must:\n\n- add x\n\n1. Add y\n")[1].modality == "unknown"


def test_an_item_of_several_sentences_and_paragraphs() -> None:
    text = "- Add x. It must not log.\n\n  See `a.py` for more. Then stop.\n- [x] Fix y\n"
    found = drafts(text)
    assert [(draft.text, draft.lines) for draft in found] == [
        ("Add x.", (1, 1)), ("It must not log.", (1, 1)), ("See `a.py` for more.", (3, 3)), ("Then stop.", (3, 3)),
        ("Fix y", (4, 4)),
    ]  # fmt: skip
    assert found[2].metadata["parent"] == "Add x. It must not log."
    assert (found[4].metadata["checked"], found[4].excerpt) == (True, "- [x] Fix y")


def test_rows_of_tables_say_what_their_longest_cell_says() -> None:
    text = (
        "| ID | Requirement | P |\n|---|---|---|\n| FR-1 | The door must lock | high |\n| FR-2 | x | low |\n"
    )
    (draft,) = drafts(text)
    assert (draft.text, draft.metadata["explicitId"], draft.lines) == ("The door must lock", "FR-1", (3, 3))
    assert draft.metadata["columns"] == {"id": "FR-1", "p": "high"}
    assert noted(read(text)) == {"table_row_not_read": (1, (4,))}


def test_the_title_of_a_ticket_is_a_statement_and_a_name_is_none() -> None:
    assert said("# Add dark mode\n\nIt hurts the eyes.\n") == ["Add dark mode", "It hurts the eyes."]
    assert said("# Task\n\nAdd x now\n") == ["Add x now"]
    assert said("# The documentation of the parser\n\nAdd x now\n") == ["Add x now"]
    assert said("# Metrics\n\n## Add more tests here\n\nAdd x now\n") == ["Add x now"]


def test_requirement_headings_in_four_spellings() -> None:
    text = (
        "## ADDED Requirements\n###Requirement: Lock the door\n### requirement: Ring the bell\n"
        "### Requirement: Breaker SHALL open\n### Documentation Requirements\n## Add Requirements\n"
        "### Requirement: Shut the gate\n"
    )
    reading = read(text)
    assert [(draft.text, draft.modality) for draft in reading.records] == [
        ("Lock the door", "required"), ("Ring the bell", "required"), ("Breaker SHALL open", "required"),
        ("Shut the gate", "required"),
    ]  # fmt: skip
    assert reading.records[3].trail == ("Add Requirements",)
    assert noted(reading) == {"unknown_section": (1, (6,))}
    assert "'ADDED Requirements'" in reading.warnings[0].detail


def test_what_is_out_of_scope_is_negative() -> None:
    draft = drafts("## Non-goals\n\n- Support Windows\n")[0]
    assert (draft.polarity, draft.metadata["outOfScope"], draft.metadata["constraint"]) == (
        "negative",
        True,
        False,
    )
    assert drafts("## Poza zakresem\n\nObsługa Windows\n")[0].polarity == "negative"


def test_a_bold_line_is_a_heading() -> None:
    (draft,) = drafts("**What should change?**\n\nAdd a button\n")
    assert draft.trail == ("What should change?",)


# --- letters and tickets ----------------------------------------------------------------------------------


def test_the_frame_of_a_letter_is_counted_and_not_read() -> None:
    text = (
        "From: Ada <ada@h.example>\nSubject: Add retry to the exporter\nDate: 2026-01-05\n\nHi all,\n\n"
        "Please add a limit of 50.\n\nOn Monday, Bob wrote:\n> Remove it\n> all\n\nI agree with that.\n\n"
        "Thanks,\nAda\n-- \nAda L., ward 7\n"
    )
    reading = read(text)
    assert [draft.text for draft in reading.records] == [
        "Add retry to the exporter", "Please add a limit of 50.", "I agree with that.",
    ]  # fmt: skip
    assert reading.records[0].metadata["columns"] == {"date": "2026-01-05"}
    assert noted(reading) == {"quoted_text": (3, (9, 10, 11)), "letter_frame": (6, (1, 5, 15, 16, 17, 18))}


def test_a_polish_letter() -> None:
    text = "Temat: Dodać limit\nOd: Ola\n\nDzień dobry,\n\nproszę usunąć stary plik.\n\nPozdrawiam\nOla\n"
    assert said(text) == ["Dodać limit", "proszę usunąć stary plik."]
    assert drafts(text)[1].action == "remove"


def test_front_matter_gives_the_title_and_an_alert_is_the_authors_own() -> None:
    text = '---\ntitle: "Add: dark mode"\nlabels: [ui, "a, b"]\n---\n\n> [!WARNING]\n> Never touch `a.py`\n\n> old\n'
    reading = read(text)
    assert [(draft.text, draft.lines) for draft in reading.records] == [
        ("Add: dark mode", (2, 2)), ("Never touch `a.py`", (7, 7)),
    ]  # fmt: skip
    assert reading.records[0].metadata["columns"] == {"labels": "ui, a, b"}
    assert noted(reading) == {"quoted_text": (1, (9,))}


def test_an_empty_line_of_a_quotation_is_not_counted() -> None:
    assert noted(read("I agree with that.\n\n> one\n>\n> two\n")) == {"quoted_text": (2, (3, 5))}


def test_the_fields_of_front_matter() -> None:
    text = (
        "---\nid: 7 # of the tracker\nTitle: 'It''s a \"title\"'\ntitle: other\nlabels: [a, 'b, c', \"d\"]\nnote: >-\n  two\n  lines\n"
        "owners:\n- '@ada'\n- role: b\n  lane: x\nempty:\n---\nbody\n"
    )
    matter = front_matter(text.split("\n"))
    assert matter is not None
    assert (matter.text("id"), matter.text("none", "title"), matter.text("note")) == (
        "7",
        'It\'s a "title"',
        "two lines",
    )
    assert (matter.items("labels"), matter.items("owners")) == (
        ["a", "b, c", "d"],
        ["@ada", "role: b lane: x"],
    )
    assert (matter.items("title"), matter.items("empty"), matter.items("none")) == (
        ['It\'s a "title"'],
        [],
        [],
    )
    assert (matter.fields["note"].start, matter.fields["note"].end, matter.end) == (6, 8, 14)
    for none in ("", "---", "---\n", "---\nnot a key\n---\n", "---\nid: 1\nnever closed\n", "id: 1\n---\n"):
        assert front_matter(none.split("\n")) is None


def test_code_and_fragments_are_counted() -> None:
    text = "Add a parser\n\n```\nDelete everything\n```\n\nhttps://h.example/x\n\n- a\n"
    reading = read(text)
    assert [draft.text for draft in reading.records] == ["Add a parser"]
    assert noted(reading) == {"code_not_read": (1, (3,)), "fragment": (2, (7, 9))}


def test_what_cannot_be_read_and_what_holds_nothing() -> None:
    binary = read(b"Add\0x\n")
    assert (binary.records, binary.complete, list(noted(binary))) == ((), False, ["binary_file"])
    assert noted(read("# Title\n")) == {"no_statements_found": (1, ())}
    assert noted(read("\n \n")) == {}


# --- languages, actors, missing fields ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The exporter must write a file", "en"), ("Add retry", "en"), ("Analysis", "en"), ("Fixed typos", "en"),
        ("System musi walidować dane", "pl"), ("Usuń plik", "pl"), ("usun plik", "pl"), ("Łódź", "pl"),
        ("Zadanie do wykonania jest w pliku", "pl"), ("testy", "pl"),
        ("Der Server muss die Daten nicht löschen", None), ("Le serveur doit supprimer les fichiers", None),
        ("El servidor debe borrar los archivos", None), ("Сервер должен удалить файлы", None),
        ("サーバーはファイルを削除する", None), ("foo bar", None), ("", None),
    ],
)  # fmt: skip
def test_the_language_of_a_block(text: str, expected: str | None) -> None:
    assert language_of(text) == expected


def test_another_language_is_kept_without_a_guess_and_counted_if_long() -> None:
    text = "Der Server muss die Tests nicht löschen und wird sie alle prüfen.\n\nNur kurz\n"
    reading = read(text)
    first = reading.records[0]
    assert (first.action, first.modality, first.polarity) == ("unknown", "unknown", "positive")
    assert first.metadata["language"] is None
    assert noted(reading) == {"language_not_known": (1, (1,))}
    assert tellable("サーバーはファイルを削除する")
    assert not tellable("Nur kurz")


@pytest.mark.parametrize(
    ("text", "actor"),
    [
        ("Agents must stop", "agent"), ("Dla agenta i systemu", "agent"), ("Stażyści i użytkownicy", "agent"),
        ("An intern may look", "agent"), ("The internal cache", None), ("System i aplikacja", "system"),
        ("w aplikacji", "system"), ("at runtime", "system"), ("The team and users", "team"), ("zespołu", "team"),
        ("Users can log in", "user"), ("dla użytkowników", "user"), ("Add x", None), ("systematic", None),
    ],
)  # fmt: skip
def test_who_acts(text: str, actor: str | None) -> None:
    assert actor_of(text) == actor


@pytest.mark.parametrize(
    ("text", "action", "about", "missing"),
    [
        ("Add x", "add", "x", ["acceptance_evidence", "object"]),
        ("Add parser with a test", "add", "parser with a test", []),
        ("Whatever it is, it has more than forty-five characters", "unknown", "Whatever", ["action"]),
        ("Validate the input of the form in every case that is known", "validate", "the input", ["failure_behavior", "trigger"]),
        ("Validate the input before saving and reject what is wrong", "validate", "the input", []),
        ("Sprawdzaj dane formularza we wszystkich znanych przypadkach", "validate", "dane", ["failure_behavior", "trigger"]),
        ("Sprawdź dane przed zapisem i odrzuć błędne wiersze formularza", "validate", "dane", []),
        ("Add", "add", "unspecified", ["acceptance_evidence", "object"]),
    ],
)  # fmt: skip
def test_what_a_statement_leaves_open(text: str, action: str, about: str, missing: list[str]) -> None:
    assert missing_fields(text, action, about) == missing  # type: ignore[arg-type]


def test_confidence_falls_with_each_missing_field_and_has_a_floor() -> None:
    assert [round(draft.confidence, 3) for draft in drafts("- Add a\n- Add a parser with a test\n- Qux zork\n")] == [
        0.66, 0.78, 0.35,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "explicit"),
    [
        ("FR-001: The door must lock", "FR-001"), ("**T012** Add login", "T012"), ("[REQ-7] Add login", "REQ-7"),
        ("T012 Add login", "T012"), ("ACME-7 Add login", "ACME-7"), ("AC1: it opens", "AC1"),
        ("UTF-8 must work", None), ("SHA-256: use it", None), ("Add login for ACME-7", None), ("V2 of the door", None),
    ],
)  # fmt: skip
def test_the_id_that_a_statement_begins_with(text: str, explicit: str | None) -> None:
    assert drafts(f"- {text}\n")[0].metadata["explicitId"] == explicit


# --- identity ---------------------------------------------------------------------------------------------


def test_blank_lines_reordering_and_a_neighbours_edit_change_no_id() -> None:
    text = "# T\n\nIt must:\n\n- add a parser\n- fix the lock\n\nRemove the cache.\n"
    assert ids(text.replace("\n\n", "\n\n\n")) == ids(text)
    swapped = text.replace("- add a parser\n- fix the lock", "- fix the lock\n- add a parser")
    assert sorted(ids(swapped)) == sorted(ids(text))
    assert ids(text.replace("add a parser", "add a lexer"))[1:] == ids(text)[1:]
    assert len(set(ids("Add x now\n\nAdd x now\n"))) == 2


def test_line_endings_marks_and_encodings_change_no_record() -> None:
    text = "# Ż\n\nTrzeba dodać plik `a.py`\ni test.\n\n- Usuń b\n"
    expected = [(found.id, found.digest, found.lines) for found in materialise(read(text))]
    assert len(expected) == 2
    for content in (
        text.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + text.encode(),
        text.encode("utf-16"),
    ):
        assert [(found.id, found.digest, found.lines) for found in materialise(read(content))] == expected


def test_long_texts_take_time_in_proportion() -> None:
    def cost(count: int) -> float:
        content = (
            b"The exporter must write `a.py`. It must not drop lines,\ne.g. when full. Add x; Fix y.\n\n"
            * count
        )
        started = time.process_time()
        assert len(read(content).records) == 4 * count
        return (time.process_time() - started) / count

    cost(200)
    assert cost(4_000) < min(cost(400), cost(400)) * 3


@pytest.mark.parametrize("piece", ["a. ", "`", "> ", "no. ", "e.g. ", "- - ", "[", "**", "x: y\n", "A. B. "])
def test_repetition_is_no_trap(piece: str) -> None:
    started = time.process_time()
    read(piece * (200_000 // len(piece)))
    assert time.process_time() - started < 5
