"""What a statement wants, how strongly, and whether it forbids: the vocabulary, rule by rule."""

from __future__ import annotations

import pytest

from t2c.ledger.intake.text import action, action_and_object, fold, forbids, modality, object_of, polarity


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Analyze the log files", "analyze"),
        ("Analyse the log files", "analyze"),
        ("analysis of the logs", "analyze"),
        ("Analizować logi", "analyze"),
        ("Porównać wyniki", "analyze"),
        ("porównanie wyników", "analyze"),
        ("Inspect, then fix", "analyze"),
    ],
)
def test_stems_of_analysis_match_as_words_do(text: str, expected: str) -> None:
    assert action(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Implement and verify the parser", "add"),
        ("Verify and implement the parser", "validate"),
        ("Refactor the cache to remove the lock", "refactor"),
        ("Fix the tests", "fix"),
        ("Add tests for the parser", "add"),
        ("The system must implement `exportMetrics`", "add"),
        ("When the file is empty, remove it", "remove"),
        ("`t2c scan` validates the lock file", "validate"),
        ("Users can delete rows", "remove"),
        ("The row is deleted", "remove"),
        ("**core:** fixed the merge", "fix"),
        ("T004 write test", "test"),
        ("- [ ] T004 [P] write docs", "document"),
        ("write a parser", "add"),
        ("Set up the build server", "configure"),
        ("Clean up the imports", "refactor"),
        ("Support for Python 3.12", "add"),
        ("Better test coverage", "test"),
        ("BUG #12: paths with spaces", "fix"),
    ],
)
def test_the_head_verb_wins_by_position(text: str, expected: str) -> None:
    assert action(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Validate the README.md and docs/guide.md examples", "validate"),
        ("Overhaul README.md", "unknown"),
        ("Expand docs/test/build.md", "unknown"),
        ("Choose an add-on", "unknown"),
        ("Say what `fix` means", "unknown"),
        ("Stay calm about the added file", "unknown"),
        ("Export of metrics", "unknown"),
        ("", "unknown"),
    ],
)
def test_paths_code_and_compounds_are_no_verbs(text: str, expected: str) -> None:
    assert action(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Usunąć stary moduł", "remove"),
        ("usun stary modul", "remove"),
        ("Naprawić błąd", "fix"),
        ("Przebudować rdzeń", "refactor"),
        ("Przetestować eksport", "test"),
        ("Udokumentować API", "document"),
        ("Ustawić limit", "configure"),
        ("System musi walidować dane", "validate"),
        ("Sprawdź wersję", "validate"),
        ("Zablokować zapis", "block"),
        ("Zatwierdzić plan", "approve"),
        ("Dodać testy", "add"),
        ("Dodaj testy", "add"),
        ("Zaimplementować eksport", "add"),
        ("Zmienić limit", "change"),
        ("Zachować format", "preserve"),
        ("Dodanie testów", "add"),
        ("Naprawdę ważne", "unknown"),
        ("Zmienna środowiskowa", "unknown"),
        ("Dodatkowe pliki", "unknown"),
        ("Zachowanie parsera", "unknown"),
    ],
)
def test_polish_verbs_are_known_by_stem_and_their_cousins_are_not(text: str, expected: str) -> None:
    assert action(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("feat: x", "add"),
        ("feat(ui)!: remove x", "add"),
        ("fix(core): add x", "fix"),
        ("docs: fix x", "document"),
        ("chore: add x", "configure"),
        ("perf: x", "refactor"),
        ("`899dbf1` chore: update action", "configure"),
        ("Note: fix x", "fix"),
    ],
)
def test_a_commit_type_decides_the_action(text: str, expected: str) -> None:
    assert action(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Add retry backoff in `src/metrics.py` for ACME-7", "retry backoff in `src/metrics.py` for ACME-7"),
        ("- [ ] 1. Fix the parser", "the parser"),
        ("* [x] Fix the parser", "the parser"),
        ("3. Fix the parser", "the parser"),
        ("feat(ui): add a button", "a button"),
        ("feat(ui): the button to add", "the button to add"),
        ("System must implement `f`", "`f`"),
        ("The row is deleted from the table", "The row"),
        ("Added or improved file types", "file types"),
        ("Support for Python 3.12", "Python 3.12"),
        ("Export of metrics", "Export of metrics"),
        ("write test", "write test"),
        ("Fix", "Fix"),
        ("...", "unspecified"),
        ("", "unspecified"),
    ],
)
def test_the_object_is_what_the_verb_governs(text: str, expected: str) -> None:
    assert object_of(text, action(text)) == expected


def test_a_chosen_action_stands_and_cuts_only_its_own_verb() -> None:
    assert action_and_object("Drop Python 3.8", "remove") == ("remove", "Python 3.8")
    assert action_and_object("Fix the parser", "change") == ("change", "Fix the parser")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The parser must stop", "required"),
        ("It has to stop", "required"),
        ("Required: a lock", "required"),
        ("A lock is required", "required"),
        ("System musi działać", "required"),
        ("Należy dodać testy", "required"),
        ("The parser must not stop", "required"),
        ("Nie wolno usuwać plików", "required"),
        ("Agent nie może pisać", "required"),
        ("Deleting is not allowed", "required"),
        ("Do not delete", "required"),
        ("It should stop", "recommended"),
        ("A lock is recommended", "recommended"),
        ("Plik powinien istnieć", "recommended"),
        ("It may stop", "optional"),
        ("Pole opcjonalne", "optional"),
        ("Users do not have to log in", "optional"),
        ("Nie trzeba logowania", "optional"),
        ("It stops", "unknown"),
        ("It stops (must it?)", "unknown"),
        ("Call `must`", "unknown"),
        ("A mustard parser", "unknown"),
    ],
)
def test_modality(text: str, expected: str) -> None:
    assert modality(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "The parser must not drop lines",
        "Do not use eval",
        "Don't use eval",
        "Never log secrets",
        "No secrets in logs",
        "Nie wolno usuwać `src/legacy.py`",
        "Zabrania się zapisu",
        "Agent nie może pisać",
        "Deleting is forbidden",
        "The input is not validated",
        "Tests are not run",
        "When the lock is held, do not write",
    ],
)
def test_what_forbids_or_denies_is_negative(text: str) -> None:
    assert polarity(text) == "negative"


@pytest.mark.parametrize(
    "text",
    [
        "No longer needed",
        "Remove what is no longer needed",
        "Fix the crash when no file is given",
        "Fix code that does not compile",
        "Validate the input, not the output",
        "Remove `not` from the grammar",
        "Login without a password, never stored",
        "Users do not have to log in",
        "Make reads a no-op",
        "fix: errors should not stop the run",
        "Note the notion of another node",
        "Nie tylko dla agentów",
        "Add a parser",
    ],
)
def test_negation_elsewhere_is_positive(text: str) -> None:
    assert polarity(text) == "positive"


def test_a_prohibition_is_required_and_negative() -> None:
    assert (modality("Agents must not push"), polarity("Agents must not push")) == ("required", "negative")


def test_fold_keeps_identifiers_and_drops_accents() -> None:
    assert fold("Zażółć `src/A.py` (#12) — ŁÓDŹ!") == "zazolc src/a.py #12 lodz"


@pytest.mark.parametrize(
    "text",
    [
        "Interns may not edit invoices",
        "When the lock is held, do not write",
        "Please do not log names",
        "Nobody may close the ledger",
        "Secrets never leave the vault",
        "Nigdy nie zapisuj haseł",
        "Nie usuwaj plików",
        "Nie usuwać plików",
        "Zabrania się zapisu",
        "Zapis jest niedozwolony",
        "Goście nie mają prawa pisać",
    ],
)
def test_a_prohibition_is_a_constraint(text: str) -> None:
    assert (forbids(text), modality(text), polarity(text)) == (True, "required", "negative")


@pytest.mark.parametrize(
    "text",
    [
        "You must not fail to notify the ward",
        "It is not forbidden to write",
        "Nie jest zabronione pisać",
        "Nie można nie odpowiedzieć",
        "Not only admins must see it",
        "Nie tylko administrator musi to widzieć",
        "The file may not exist",
        "The export never worked",
        "It was never tested",
        "Users cannot log in",
        "Eksport nie działa",
        "We do not support Windows",
        "Remove code that never runs",
        "Login without a password must work",
        "Zapis bez hasła musi działać",
        "Moduł nie jest już potrzebny",
        "Agents should not push",
        "The watcher has no catch, because it must stop",
    ],
)
def test_double_negation_doubt_and_denial_are_no_constraints(text: str) -> None:
    assert forbids(text) is False


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is forbidden to delete rows", "remove"),
        ("Overwriting rows is not allowed", "unknown"),
        ("Zabrania się usuwania wierszy", "remove"),
        ("Zabronione jest nadpisywanie wierszy", "unknown"),
        ("Forbid overwriting rows", "block"),
        ("When the pump is disabled, remove the alarm", "remove"),
        ("Gdy pompa jest wyłączona, usuń alarm", "remove"),
        ("When a row is added, the view flickers", "unknown"),
        ("The service documents its limits", "document"),
        ("Upload documents", "unknown"),
        ("Speed up the import", "refactor"),
        ("Look into the crash", "analyze"),
    ],
)
def test_neither_what_forbids_nor_a_condition_is_the_head(text: str, expected: str) -> None:
    assert action(text) == expected
