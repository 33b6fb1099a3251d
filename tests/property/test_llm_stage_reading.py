"""Whatever a model says of a record within its schema: it is rejected, or the record keeps all that is not its reading."""

from __future__ import annotations

from typing import Any, get_args

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.events.interpretation import with_reading
from t2c.ledger.events.record import MODEL_CAPS, Action, Modality, Record
from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.canon import canonical
from t2c.ledger.llm.ask import Rejected
from t2c.ledger.llm.receipts import nothing_yet
from t2c.ledger.llm.stages.markdown import generator_of
from t2c.ledger.llm.stages.reading import Readable, event_of, said

TEXT = st.text(st.characters(codec="utf-8"), max_size=30) | st.sampled_from(
    [
        "/etc/passwd",
        "../x",
        "https://a.b/c",
        "api.example.com",
        "10.0.0.1",
        "src\\a.py",
        "./src//b.py",
        "~",
        "A::b#c()",
    ]
)
TEXTS = st.lists(TEXT, max_size=3)
ITEM = st.fixed_dictionaries(
    {
        "actor": st.none() | TEXT,
        "action": st.sampled_from(get_args(Action)),
        "object": TEXT,
        "polarity": st.sampled_from(["positive", "negative"]),
        "modality": st.sampled_from(get_args(Modality)),
        "confidence": st.floats(0, 1, allow_nan=False),
        "basis": TEXTS,
        "target": st.fixed_dictionaries(dict.fromkeys(("paths", "symbols", "tickets", "versions"), TEXTS)),
        "acceptanceEvidence": TEXTS,
        "topics": TEXTS,
    }
)
KEPT = ("id", "lifecycle", "observedAt", "schemaVersion")


def readable(kind: str, cls: str, text: str) -> Readable:
    draft = Draft(
        kind="statement",
        text=text,
        object=text,
        action="add",
        cls=cls,
        status="proposed",
        confidence=0.9,
        basis=("made",),
        paths=("src/a.py",),
    )
    (found,) = materialise(Reading(Scope(kind, "a.md"), "t2c/made@1", (draft,)))
    return Readable(found.id, found.digest.hex(), orjson.loads(found.body))


@settings(max_examples=50, deadline=None)
@given(
    item=ITEM,
    kind=st.sampled_from(["nl", "todo", "changelog", "document", "agent_log"]),
    cls=st.sampled_from(["plan", "claim", "declaration", "fact"]),
    named=st.booleans(),
)
def test_a_reading_is_rejected_or_changes_nothing_but_how_the_record_reads(
    item: dict[str, Any], kind: str, cls: str, named: bool
) -> None:
    about = readable(kind, cls, "Add retry")
    try:
        found = said(about, "response.records[0]", item, generator_of(about))
    except Rejected as error:
        assert str(error).startswith("response.records[0]")
        return
    assert cls != "fact"
    served = "m/1" if named else None
    story = type(nothing_yet("m")).model_validate({**nothing_yet("m").model_dump(), "served": served})
    event = event_of(
        about,
        found,
        stage="s",
        prompt="s@1",
        generator=generator_of(about),
        story=story,
        answered="EVT-" + "0" * 20,
    )
    assert (event.id, event.of, event.generation.model) == (about.id, about.of, served or "m")
    assert event.confidence <= MODEL_CAPS[kind]
    merged = with_reading(about.record, orjson.loads(event.encode()))
    record = Record.model_validate_json(canonical(merged))
    assert all(merged[key] == about.record[key] for key in KEPT)
    assert record.epistemic.cls == cls
    assert {**merged["source"], "extractor": ""} == {**about.record["source"], "extractor": ""}
    for key in ("kind", "subject", "text"):
        assert merged["statement"][key] == about.statement[key]
    assert set(about.record["epistemic"]["basis"]) <= set(merged["epistemic"]["basis"])
    assert "src/a.py" in merged["statement"]["target"]["paths"]
    flags = {reason for reason in merged["epistemic"]["basis"] if not reason.startswith("model:")}
    assert flags <= {"made", "openrouter_markdown_enrichment", "served_model_not_named", "provider_not_named"}
    assert ("served_model_not_named" in flags) != named
