"""The JSON Schema of a type and the type itself give the same verdict on canonical payloads.

Payloads are made from the schema and then damaged in one place. Where the type refuses and the schema does not,
the reason must be in UNSAID; the other way round is never right.
"""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel, ValidationError

from t2c.cli.actions.contracts import UNSAID, Contract, derive, published
from t2c.ledger.errors import Internal
from t2c.ledger.kernel.canon import MAX_INT
from t2c.ledger.kernel.ids import RECORD_PREFIX

SAID_BY_TYPES_ALONE = {
    "has more than three decimals",
    "lies beyond ±(2^53−1)",
    "lines end before they start",
    "contentHash is not the SHA-256 of rawExcerpt",
    "metadata.generation does not name source.extractor",
    "batch part beyond its size",
}
"""How the messages of the rules in UNSAID begin; nothing else may be refused by a type alone.

The limits of canonical numbers, keys and depth cannot show here: every payload below keeps them.
"""

CONTRACTS = {contract.key: contract for contract in published()}

scalars = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INT, MAX_INT)
    | st.integers(-3, 3)
    | st.integers(-9999, 9999).filter(lambda n: n % 1000).map(lambda n: n / 1000)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=5)
    | st.sampled_from(
        [
            "",
            "a/../b",
            "..",
            "../x",
            "/x",
            "~",
            "a://b",
            "a/..",
            "a/..\n",
            "..\n",
            "\n",
            " ",
            "a..b",
            "\\x",
            "C:\\x",
            "c:/x",
            "$HOME/x",
            "%TEMP%",
            "GET /x",
            "get /x",
            "a\\..\\b",
            "a\0b",
            "api.example.com",
            "10.0.0.1",
            "a.b.io",
            "pandas.io",
        ]
    )
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("abc"), inner, max_size=2),
    max_leaves=4,
)


@cache
def made(key: str) -> tuple[type[BaseModel], dict[str, Any], Draft202012Validator]:
    contract = CONTRACTS[key]
    schema = derive(contract)
    Draft202012Validator.check_schema(schema)
    return contract.model(), schema, Draft202012Validator(schema)


WIDE = 10
"""Members of a document above which a set of such holds one: each has a type of its own, which is drawn by itself."""


def _name(schema: dict[str, Any]) -> str:
    return str(schema.get("$ref", "")).rpartition("/")[2]


def like(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Values that keep to the main keywords of a schema; `allOf`, `if` and `not` are left to chance."""
    if "$ref" in schema:
        return like(whole["$defs"][schema["$ref"].rpartition("/")[2]], whole)
    if "const" in schema:
        return st.just(schema["const"])
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    if "anyOf" in schema:
        return st.one_of([like(part, whole) for part in schema["anyOf"]])
    match schema.get("type"):
        case "object":
            return objects(schema, whole)
        case "array" if "prefixItems" in schema:
            return st.tuples(*(like(part, whole) for part in schema["prefixItems"])).map(list)
        case "array":
            least, most = schema.get("minItems", 0), schema.get("maxItems", 3)
            if len(whole.get("$defs", {}).get(_name(schema["items"]), {}).get("required", ())) > WIDE:
                most = 1
            return st.lists(like(schema["items"], whole), min_size=least, max_size=max(least, min(most, 3)))
        case "string" if "pattern" in schema:
            return st.from_regex(re.compile(schema["pattern"].removesuffix("$") + r"\Z", re.ASCII))
        case "string":
            return st.text(
                st.characters(exclude_categories=["Cs"]), min_size=schema.get("minLength", 0), max_size=12
            )
        case "integer":
            return st.integers(schema.get("minimum", -MAX_INT), schema.get("maximum", MAX_INT))
        case "number":
            return st.sampled_from([0, 1, 0.5, 0.999, 0.001])
        case "boolean":
            return st.booleans()
        case "null":
            return st.none()
    return values


def objects(schema: dict[str, Any], whole: dict[str, Any]) -> st.SearchStrategy[Any]:
    members = {name: like(part, whole) for name, part in schema.get("properties", {}).items()}
    required = {name: members[name] for name in schema.get("required", ())}
    optional = {name: found for name, found in members.items() if name not in required}
    fixed = st.fixed_dictionaries(required, optional=optional)
    extra = schema.get("additionalProperties")
    if not isinstance(extra, dict):
        return fixed
    keys = st.text("abc", min_size=schema.get("propertyNames", {}).get("minLength", 0), max_size=3)
    return st.builds(
        lambda more, own: {**more, **own}, st.dictionaries(keys, like(extra, whole), max_size=2), fixed
    )


GENERATION = {
    "generator": "t2c/todo", "generatorVersion": "1", "runtimeVersion": "0.1.0", "requested": "deterministic",
    "used": "deterministic", "degraded": False, "fallbackReason": None, "provider": None, "model": None,
    "responseId": None,
}  # fmt: skip
BY_MODEL = {**GENERATION, "requested": "llm", "used": "llm", "provider": "p", "model": "m"}
FELL_BACK = {**GENERATION, "requested": "llm", "degraded": True, "fallbackReason": "no key"}


def whole_records(value: Any, generation: dict[str, Any]) -> Any:
    """Give every record in a payload its provenance, without which hardly one would be right."""
    if isinstance(value, dict):
        found = {name: whole_records(item, generation) for name, item in value.items()}
        if "epistemic" in found and isinstance(found.get("metadata"), dict):
            excerpt = found["source"]["rawExcerpt"]
            found["source"] = {**found["source"], "extractor": "t2c/todo@1"}
            if excerpt is not None:
                found["source"]["contentHash"] = sha256(excerpt.encode()).hexdigest()
            found["id"] = f"{RECORD_PREFIX[found['source']['kind']]}-{found['id'][-20:]}"
            found["metadata"] = {**found["metadata"], "generation": dict(generation)}
        return found
    return [whole_records(item, generation) for item in value] if isinstance(value, list) else value


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    children = (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    )
    for key, item in list(children):
        yield value, key
        yield from places(item)


@cache
def right(key: str) -> st.SearchStrategy[Any]:
    schema = made(key)[1]
    return like(schema, schema)


@st.composite
def damaged(draw: st.DrawFn, key: str) -> Any:
    """A payload as the schema has it, with at most two places changed."""
    payload = draw(right(key))
    payload = whole_records(payload, draw(st.sampled_from([GENERATION, BY_MODEL, FELL_BACK])))
    payload = json.loads(json.dumps(payload))
    for _ in range(draw(st.integers(0, 2))):
        found = list(places(payload))
        if not found:
            break
        container, key = found[draw(st.integers(0, len(found) - 1))]
        old = container[key]
        match draw(st.sampled_from(["value", "remove", "add", "line feed", "repeat", "longer", "negate"])):
            case "value":
                container[key] = draw(values)
            case "remove":
                del container[key]
            case "add" if isinstance(container, dict):
                container["".join(draw(st.lists(st.sampled_from("abcxyz"), min_size=1, max_size=3)))] = draw(
                    values
                )
            case "line feed" if isinstance(old, str):
                container[key] = old + "\n"
            case "repeat" if isinstance(container, list):
                container.append(old)
            case "longer" if isinstance(old, str):
                container[key] = old + "a" * draw(st.sampled_from([1, 128, 200, 500]))
            case "negate" if isinstance(old, bool):
                container[key] = not old
    return payload


def refusals(model: type[BaseModel], payload: Any) -> list[str] | None:
    """The messages of a refusal, None if the type accepts."""
    try:
        model.model_validate_json(json.dumps(payload))
    except ValidationError as error:
        return [found["msg"].removeprefix("Value error, ") for found in error.errors()]
    return None


@pytest.mark.parametrize("key", CONTRACTS)
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
@given(data=st.data())
def test_the_schema_and_the_type_agree(key: str, data: st.DataObject) -> None:
    model, _, validator = made(key)
    payload = data.draw(damaged(key))
    refused = refusals(model, payload)
    if refused is None:
        faults = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(payload)]
        assert faults == [], "the type accepts what the schema refuses"
    elif validator.is_valid(payload):
        unsaid = [said for said in refused if any(said.startswith(rule) for rule in SAID_BY_TYPES_ALONE)]
        assert unsaid, f"the schema accepts what the type refuses: {refused}"


class _Enough(Exception):
    """Both verdicts were met: nothing more needs to be drawn."""


@pytest.mark.parametrize("key", CONTRACTS)
def test_both_verdicts_are_met(key: str) -> None:
    """The strategies are worth something: right and wrong payloads both occur for every type."""
    model = made(key)[0]
    met: set[bool] = set()

    # An envelope has many members that depend on one another: few of what is drawn is right.
    @settings(max_examples=400, deadline=None, derandomize=True, database=None, phases=[Phase.generate])
    @given(payload=damaged(key))
    def look(payload: Any) -> None:
        met.add(refusals(model, payload) is None)
        if met == {True, False}:
            raise _Enough

    with contextlib.suppress(_Enough):
        look()
    assert met == {True, False}


def test_examples_of_hand_made_events_are_right_by_both() -> None:
    seen = 0
    for key in CONTRACTS:
        model, _, validator = made(key)
        example = getattr(model, "example", None)
        if example:
            seen += 1
            assert refusals(model, example) is None
            assert validator.is_valid(example)
    assert seen >= 3


ZEROS = "0" * 20
INTENT = {
    "schemaVersion": "t2c.intent/v1",
    "id": f"INT-TODO-{ZEROS}",
    "statement": {
        "kind": "todo_item", "actor": None, "action": "add", "subject": None, "object": "x",
        "target": {"paths": [], "symbols": [], "tickets": [], "versions": []},
        "modality": "required", "polarity": "positive", "text": "x",
    },
    "lifecycle": {"status": "planned"},
    "source": {
        "kind": "todo", "path": "TODO.md", "lines": {"start": 1, "end": 1}, "revision": None, "symbol": None,
        "commitIndex": None, "extractor": "t2c/todo@1", "contentHash": "a" * 64, "rawExcerpt": None,
    },
    "epistemic": {"class": "plan", "confidence": 0.9, "basis": ["box"]},
    "observedAt": None,
    "metadata": {"generation": GENERATION},
}  # fmt: skip
EVENT = {
    "seq": 2, "prev": "a" * 64, "type": "observation.noted", "v": 1, "id": f"EVT-{ZEROS}",
    "ts": "2026-01-05T10:00:00.000Z", "actor": {"kind": "human", "id": "local"}, "trust": "asserted",
    "data": {"statement": "x"},
}  # fmt: skip
WHOLE = {"intent.v1": INTENT, "envelope.v1": EVENT}
PATHS, SYMBOLS, MADE = "statement.target.paths", "statement.target.symbols", "metadata.generation"


@pytest.mark.parametrize(
    ("key", "place", "value", "right"),
    [
        ("intent.v1", "lifecycle.status", "planned", True),
        ("intent.v1", "epistemic.confidence", 1, True),
        ("intent.v1", "epistemic.confidence", 1.001, False),
        ("intent.v1", "epistemic.confidence", -0.001, False),
        ("intent.v1", "epistemic.confidence", True, False),
        ("intent.v1", "epistemic.basis", ["a", "b"], True),
        ("intent.v1", "epistemic.basis", ["a", "a"], False),
        ("intent.v1", "id", f"INT-TODO-{ZEROS}\n", False),
        ("intent.v1", "observedAt", "2026-01-05T10:00:00Z", True),
        ("intent.v1", "observedAt", "2026-01-05T10:00:00Z\n", False),
        ("intent.v1", PATHS, ["a/b", "..a", "a..b", "a/..b", "~a", "a~/", "ab:/b", "a/..\n", "get /x"], True),
        ("intent.v1", PATHS, ["a", "a"], False),
        *(
            ("intent.v1", PATHS, [path], False)
            for path in (
                "",
                "/a",
                "~/a",
                "~",
                "a://b",
                "..",
                "../a",
                "a/..",
                "a/../b",
                "/api/users",
                "GET /x",
                "POST  /x",
                "https://h.example/x",
                "/var/run/x",
                "C:\\x",
                "c:/x",
                "\\\\server\\x",
                "\\x",
                "~\\x",
                "$HOME/x",
                "${HOME}",
                "%APPDATA%\\x",
                "a\\..\\b",
                "a\0b",
            )
        ),
        ("intent.v1", PATHS, ["$lib/x", "%a", "app/$id.tsx", "[id]/(group)/x", "a b/c", "GETx /y"], True),
        (
            "intent.v1",
            SYMBOLS,
            ["app.core.run", "config.name", "pandas.io", "Api.Example.com", "1.2.3"],
            True,
        ),
        *(
            ("intent.v1", SYMBOLS, [host], False)
            for host in ("api.example.com", "example.org", "h.example.io", "10.0.0.1", "logo.example.com")
        ),
        ("intent.v1", "id", f"INT-GIT-{ZEROS}", False),
        ("intent.v1", "id", f"INT-OTHER-{ZEROS}", False),
        ("intent.v1", "source.kind", "document", False),
        ("intent.v1", f"{MADE}.runtimeVersion", "1", False),
        ("intent.v1", f"{MADE}.runtimeVersion", "1.2.3-rc.1+build", True),
        ("intent.v1", f"{MADE}.more", 1, False),
        ("intent.v1", "statement.more", 1, False),
        ("intent.v1", "statement.target.more", [], False),
        ("intent.v1", "lifecycle.more", 1, False),
        ("intent.v1", "source.more", 1, False),
        ("intent.v1", "source.lines.more", 1, False),
        ("intent.v1", "epistemic.more", 1, False),
        ("intent.v1", "more", 1, False),
        ("intent.v1", "metadata", {}, False),
        ("intent.v1", MADE, BY_MODEL, True),
        ("intent.v1", MADE, FELL_BACK, True),
        ("intent.v1", MADE, {**BY_MODEL, "provider": " \t"}, False),
        ("intent.v1", MADE, {**BY_MODEL, "model": None}, False),
        ("intent.v1", MADE, {**GENERATION, "model": "m"}, False),
        ("intent.v1", MADE, {**GENERATION, "responseId": "r"}, False),
        ("intent.v1", MADE, {**GENERATION, "fallbackReason": "r"}, False),
        ("intent.v1", MADE, {**GENERATION, "degraded": True}, False),
        ("intent.v1", MADE, {**FELL_BACK, "fallbackReason": " "}, False),
        ("intent.v1", MADE, {**FELL_BACK, "requested": "deterministic"}, False),
        ("intent.v1", MADE, {**BY_MODEL, "degraded": True, "fallbackReason": "r"}, False),
        ("intent.v1", "epistemic.class", "fact", True),
        ("intent.v1", "epistemic.class", "llm_inference", False),
        ("envelope.v1", "trust", "observed", False),
        ("envelope.v1", "actor.kind", "helper", True),
        ("envelope.v1", "actor", {"kind": "helper", "id": "t2c\n"}, False),
        ("envelope.v1", "data", None, False),
        ("envelope.v1", "data_hash", None, True),
        ("envelope.v1", "data_hash", "a" * 64, False),
        ("envelope.v1", "batch", [1, 2], True),
        ("envelope.v1", "batch", [1, 2, 3], False),
        ("envelope.v1", "key", "", False),
        ("envelope.v1", "seq", 2**53, False),
    ],
)
def test_each_rule_by_a_case_of_its_own(key: str, place: str, value: Any, right: bool) -> None:
    payload = json.loads(json.dumps(WHOLE[key]))
    *path, last = place.split(".")
    container = payload
    for name in path:
        container = container[name]
    container[last] = value
    model, _, validator = made(key)
    assert (refusals(model, payload) is None, validator.is_valid(payload)) == (right, right)


def test_a_model_makes_no_fact_and_observed_is_for_own_code() -> None:
    fact = {
        **INTENT,
        "epistemic": {"class": "fact", "confidence": 1, "basis": []},
        "metadata": {"generation": BY_MODEL},
    }
    observed = {**EVENT, "trust": "observed", "actor": {"kind": "helper", "id": "t2c"}}
    withheld = {**EVENT, "data": None, "data_hash": "a" * 64}
    for key, payload, right in (
        ("intent.v1", fact, False),
        ("envelope.v1", observed, True),
        ("envelope.v1", withheld, True),
        ("envelope.v1", {**observed, "actor": {"kind": "agent", "id": "a"}}, False),
    ):
        model, _, validator = made(key)
        assert (refusals(model, payload) is None, validator.is_valid(payload)) == (right, right)


def test_how_sure_a_model_may_be_and_what_it_may_say() -> None:
    model, _, validator = made("intent.v1")

    def verdict(kind: str, confidence: float, status: str = "proposed", by: Any = BY_MODEL) -> bool:
        payload = {
            **INTENT,
            "id": f"{RECORD_PREFIX[kind]}-{ZEROS}",
            "source": {**INTENT["source"], "kind": kind},
            "lifecycle": {"status": status},
            "epistemic": {"class": "plan", "confidence": confidence, "basis": []},
            "metadata": {"generation": by},
        }
        found = {refusals(model, payload) is None, validator.is_valid(payload)}
        assert len(found) == 1, f"{kind} {confidence}: the type and the schema disagree"
        return found.pop()

    caps = {"nl": 0.9, "todo": 0.94, "changelog": 0.94, "agent_log": 0.85, "document": 0.85}
    for kind in RECORD_PREFIX:
        cap = caps.get(kind, 0.85)
        assert verdict(kind, cap)
        assert not verdict(kind, round(cap + 0.001, 3))
        assert verdict(kind, 1, by=GENERATION)
    assert not verdict("nl", 0.5, "planned")
    assert verdict("nl", 0.5, "planned", GENERATION)
    assert verdict("todo", 0.5, "planned")


def test_a_host_is_a_symbol_only_where_a_parser_says_so() -> None:
    model, _, validator = made("intent.v1")
    statement = json.loads(json.dumps(INTENT["statement"]))
    statement["target"]["symbols"] = ["serial.com"]
    for kind, right in {name: name in ("ast", "test", "system") for name in RECORD_PREFIX}.items():
        payload = {
            **INTENT,
            "id": f"{RECORD_PREFIX[kind]}-{ZEROS}",
            "source": {**INTENT["source"], "kind": kind},
            "statement": statement,
        }
        assert (refusals(model, payload) is None, validator.is_valid(payload)) == (right, right)


def test_a_check_that_nobody_put_into_words_stops_the_derivation(monkeypatch: pytest.MonkeyPatch) -> None:
    intent = CONTRACTS["intent.v1"]
    monkeypatch.setattr(
        "t2c.cli.actions.contracts.UNSAID",
        {name: rule for name, rule in UNSAID.items() if "_metadata" not in name},
    )
    with pytest.raises(Internal, match=r"record:_metadata"):
        derive(intent)


def test_names_files_and_ids_are_unique() -> None:
    contracts = list(CONTRACTS.values())
    assert len(contracts) == len(published()) >= 26
    for part in (Contract.file, Contract.id, Contract.title):
        assert len({part.fget(contract) for contract in contracts}) == len(contracts)  # type: ignore[attr-defined]
