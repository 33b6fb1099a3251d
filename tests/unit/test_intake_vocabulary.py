"""The verbs of the vocabulary in all usual forms, and sentences labelled by hand, English and Polish."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from t2c.ledger.intake.text import action, forbids, modality, polarity

DATA = Path(__file__).parent / "data"
SENTENCES = json.loads((DATA / "nl_sentences.json").read_text(encoding="utf-8"))
VERBS = json.loads((DATA / "verbs.json").read_text(encoding="utf-8"))
FRAMES = {
    "en": {
        "base": ("{} the tariff", "We want to {} the tariff", "The clerk must {} the tariff", "Please {} it"),
        "third": ("The service {} the tariff",),
        "gerund": ("{} the tariff",),
        "past": ("{} the tariff", "We {} the tariff"),
        "participle": ("The tariff was {} yesterday", "The tariff must be {}"),
    },
    "pl": {
        "infinitive": ("{} taryfę", "Trzeba {} taryfę", "System musi {} taryfę", "Proszę {} taryfę"),
        "imperative": ("{} taryfę",),
        "third": ("Usługa {} taryfę",),
        "gerund": ("{} taryfy",),
        "past": ("Zespół {} taryfę",),
        "participle": ("Rejestr został {} wczoraj", "Rejestr musi być {}"),
    },
}


@pytest.mark.parametrize("language", ["en", "pl"])
def test_every_form_of_every_verb_names_its_action(language: str) -> None:
    verbs = VERBS[language]
    assert len(verbs) >= 60
    wrong = []
    for verb in verbs:
        for form, frames in FRAMES[language].items():
            for frame in frames if form in verb else ():
                sentence = frame.format(verb[form])
                if action(sentence[0].upper() + sentence[1:]) != verb["action"]:
                    wrong.append(sentence)
    assert wrong == []


@pytest.mark.parametrize("row", SENTENCES, ids=[row["text"][:60] for row in SENTENCES])
def test_a_labelled_sentence_is_read_as_labelled(row: dict[str, str]) -> None:
    text = row["text"]
    assert (action(text), modality(text), polarity(text)) == (row["action"], row["modality"], row["polarity"])
    assert forbids(text) is (row["modality"] == "required" and row["polarity"] == "negative")


def test_the_table_is_large_and_has_both_languages() -> None:
    counts = {language: sum(row["language"] == language for row in SENTENCES) for language in ("en", "pl")}
    assert min(counts.values()) >= 60
