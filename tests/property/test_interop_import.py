"""Whatever stands in a file of another system, it is taken or named; nothing raises."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import orjson
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from t2c.ledger.events.catalogue import CATALOGUE
from t2c.ledger.interop.chain import chain_of, write_chain
from t2c.ledger.interop.run_folder import read_foreign
from t2c.ledger.journal.read import JournalFile
from t2c.ledger.journal.verify import verify_chain
from t2c.ledger.redaction.funnel import Funnel

RUN = Path(__file__).parents[1] / "unit" / "interop_fixtures" / "run"
FILES = {name: (RUN / name).read_bytes() for name in
    ("todo.intent.jsonl", "intent.graph.json", "manifest.json", "logs.dsl.txt")}  # fmt: skip

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def contents(draw: st.DrawFn, name: str) -> bytes:
    """The right bytes with a few changed, or any JSON, or any bytes."""
    content = FILES[name]
    match draw(st.sampled_from(["splice", "json", "bytes", "member"])):
        case "splice":
            at = draw(st.integers(0, len(content)))
            return content[:at] + draw(st.binary(max_size=6)) + content[at + draw(st.integers(0, 9)) :]
        case "json":
            return json.dumps(draw(json_values), ensure_ascii=False).encode("utf-8", "surrogatepass")
        case "bytes":
            return draw(st.binary(max_size=60))
    try:
        first, _, rest = content.partition(b"\n") if name.endswith("l") else (content, b"", b"")
        body = orjson.loads(first)
    except orjson.JSONDecodeError:
        return content
    at = body
    while isinstance(at, (dict, list)) and at:
        key = draw(st.sampled_from(sorted(at))) if isinstance(at, dict) else draw(st.integers(0, len(at) - 1))
        if draw(st.integers(0, 3)) == 0 or not isinstance(at[key], (dict, list)):
            at[key] = draw(
                st.none() | st.integers(-3, 3) | st.text(max_size=3) | st.lists(st.none(), max_size=1)
            )
            break
        at = at[key]
    return orjson.dumps(body) + b"\n" + rest


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(st.fixed_dictionaries({name: contents(name) for name in FILES}))
def test_nothing_raises_and_what_is_taken_can_be_recorded(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            (Path(folder) / name).write_bytes(content)
        found = read_foreign(Path(folder), "run", lambda stage, done, total: None)
        chain = chain_of(found, Funnel())
        again = chain_of(read_foreign(Path(folder), "run", lambda stage, done, total: None), Funnel())
        write_chain(chain, Path(folder) / "chain")
        assert verify_chain(JournalFile(Path(folder) / "chain")).faults == []
    assert chain.drafts == again.drafts
    for draft in chain.drafts:
        assert CATALOGUE.payload(draft.type).decode(draft.data).encode() == draft.data
    assert all(item.reason and item.file in files for item in found.refused)
    assert sum(draft.type == "record.observed" for draft in chain.drafts) == len(found.records)
