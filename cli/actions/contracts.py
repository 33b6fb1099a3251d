"""The published types as JSON Schemas (draft 2020-12): the schema accepts what the type accepts.

pydantic writes most of it. What it cannot see are the checks written as functions: each of them is either
put into keywords here (EXPRESSED) or named as a rule that JSON Schema has no words for (UNSAID), and an unknown
one stops the derivation, so that none is forgotten. Patterns are closed against a final line feed, which the
`$` of some validators lets pass.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from typing import Any, Final, NamedTuple

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue
from pydantic_core import core_schema

from t2c.ledger.errors import Internal

__all__ = ["EXPRESSED", "UNSAID", "Contract", "derive", "published"]

_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_UNIQUE: Final = {"uniqueItems": True}
_FINAL_LF: Final = {"pattern": "\\n$"}
_SAYS: Final = {"type": "string", "pattern": "\\S"}
_NOTHING: Final = {"const": None}

Keywords = Mapping[str, object]


def _if(
    at: Sequence[str], value: object, then: Keywords, otherwise: Keywords | None = None
) -> dict[str, object]:
    """If the member at a path of names has this value, then these keywords hold, else the others."""
    found: dict[str, object] = {"if": _at(at, {"const": value}), "then": then}
    return found if otherwise is None else {**found, "else": otherwise}


def _at(names: Sequence[str], keywords: Keywords) -> Keywords:
    for name in reversed(names):
        keywords = {"required": [name], "properties": {name: keywords}}
    return keywords


def _consistent(generator: GenerateJsonSchema) -> Keywords:
    llm = {"provider": _SAYS, "model": _SAYS}
    plain = {"provider": _NOTHING, "model": _NOTHING, "responseId": _NOTHING}
    fell = {"requested": {"const": "llm"}, "used": {"const": "deterministic"}, "fallbackReason": _SAYS}
    used = _if(["used"], "llm", {"properties": llm}, {"properties": plain})
    degraded = _if(["degraded"], True, {"properties": fell}, {"properties": {"fallbackReason": _NOTHING}})
    return {"allOf": [used, degraded]}


def _repo_paths(generator: GenerateJsonSchema) -> Keywords:
    from t2c.ledger.events.targets import OUTSIDE

    return {**_UNIQUE, "items": {"not": {"pattern": OUTSIDE}}}


def _provenance(generator: GenerateJsonSchema) -> Keywords:
    from t2c.ledger.events.record import MODEL_CAP, MODEL_CAPS, SPOKEN, Generation
    from t2c.ledger.events.targets import HOST

    generation, kind, known = ("metadata", "generation"), ("source", "kind"), ("epistemic", "class")
    made = _at(generation, generator.generate_inner(Generation.__pydantic_core_schema__))
    by_cap: dict[float, list[str]] = {}
    for name in _BY_FREQUENCY:
        by_cap.setdefault(MODEL_CAPS.get(name, MODEL_CAP), []).append(name)
    capped = [
        {"if": _at(kind, {"enum": sorted(names)}), "then": _at(_CONFIDENCE, {"maximum": cap})}
        for cap, names in sorted(by_cap.items())
    ]
    no_fact = _at(known, {"not": {"const": "fact"}})
    proposed = _if(kind, "nl", _at(("lifecycle", "status"), {"const": "proposed"}))
    by_model = {"allOf": [no_fact, *capped, proposed]}
    by_code = _at(known, {"not": {"const": "llm_inference"}})
    no_host = _at(("statement", "target", "symbols"), {"items": {"not": {"pattern": HOST}}})
    spoken = {"if": _at(kind, {"enum": sorted(SPOKEN)}), "then": no_host}
    return {"allOf": [made, _if((*generation, "used"), "llm", by_model, by_code), _named(kind), spoken]}


_CONFIDENCE: Final = ("epistemic", "confidence")
_BY_FREQUENCY: Final = ("ast", "git", "todo", "changelog", "document", "test", "system", "agent_log", "nl")
"""Kinds of sources, those with many records first: whoever checks a record tries them in this order."""


def _named(kind: Sequence[str]) -> Keywords:
    """The id of a record begins as its `source.kind` says."""
    from t2c.ledger.kernel.ids import RECORD_PREFIX

    *others, last = _BY_FREQUENCY
    chain: Keywords = {
        "allOf": [_at(("id",), {"pattern": f"^{RECORD_PREFIX[last]}-"}), _at(kind, {"const": last})]
    }
    for name in reversed(others):
        begins = _at(("id",), {"pattern": f"^{RECORD_PREFIX[name]}-"})
        chain = {"if": begins, "then": _at(kind, {"const": name}), "else": chain}
    return chain


def _interpreted(generator: GenerateJsonSchema) -> Keywords:
    """A reading is made by a model, which is as sure as it may be of that source; the id says which that is."""
    from t2c.ledger.events.record import MODEL_CAP, MODEL_CAPS
    from t2c.ledger.kernel.ids import RECORD_PREFIX

    capped: Keywords = _at(("confidence",), {"maximum": MODEL_CAP})
    for cap in sorted(set(MODEL_CAPS.values()) - {MODEL_CAP}):
        prefixes = sorted(RECORD_PREFIX[kind] for kind, most in MODEL_CAPS.items() if most == cap)
        named = _at(("id",), {"pattern": f"^(?:{'|'.join(prefixes)})-"})
        capped = {"if": named, "then": _at(("confidence",), {"maximum": cap}), "else": capped}
    return {"allOf": [_at(("generation", "used"), {"const": "llm"}), capped]}


def _envelope(generator: GenerateJsonSchema) -> Keywords:
    own_code = _at(("actor", "kind"), {"enum": ["helper", "host_adapter"]})
    return {
        "allOf": [_if(["trust"], "observed", own_code)],
        "oneOf": [_at(["data"], {"type": "object"}), _at(["data_hash"], {"type": "string"})],
    }


def _about_one(generator: GenerateJsonSchema) -> Keywords:
    """A suppression names either a finding or a cause."""
    return {
        "oneOf": [
            {"properties": {"finding": _NOTHING, "cause": {"type": "string"}}},
            {"properties": {"finding": {"type": "string"}, "cause": _NOTHING}},
        ]
    }


EXPRESSED: Final[Mapping[str, Callable[[GenerateJsonSchema], Keywords]]] = {
    "t2c.ledger.events.record:_unique": lambda generator: _UNIQUE,
    "t2c.ledger.events.record:_repo_paths": _repo_paths,
    "t2c.ledger.events.record:Generation._consistent": _consistent,
    "t2c.ledger.events.record:Record._provenance": _provenance,
    "t2c.ledger.events.evidence:RecordInterpreted._is_within_bounds": _interpreted,
    "t2c.ledger.events.envelope:Envelope._rules": _envelope,
    "t2c.ledger.events.decisions:SuppressionGranted._is_about_one": _about_one,
}
"""Checks written as functions, in the keywords of JSON Schema."""

UNSAID: Final[Mapping[str, str]] = {
    "t2c.ledger.events.base:_three_places": "at most three decimals, within ±(2^53−1)",
    "t2c.ledger.events.base:_walked": "the limits of canonical numbers, keys and depth",
    "t2c.ledger.events.record:_metadata": "the limits of canonical numbers, keys and depth",
    "t2c.ledger.events.record:Record._provenance": "lines end where they start or later, contentHash is the SHA-256 of rawExcerpt, metadata.generation names source.extractor",
    "t2c.ledger.events.envelope:Envelope._rules": "the first number of batch is not above the second",
}
"""Rules that JSON Schema has no words for; t2c checks them when it reads and when it writes."""


class Contract(NamedTuple):
    """One published type: its family, name and version, and where its model is."""

    family: str
    name: str
    version: int
    target: str

    @property
    def key(self) -> str:
        """Its name in the index. A kind of answer has no version: its schema is named by its digest."""
        return self.name if self.family == "answers" else f"{self.name}.v{self.version}"

    @property
    def file(self) -> str:
        """Its file below the folder of schemas."""
        return f"{self.family}/{self.key}.schema.json"

    @property
    def title(self) -> str:
        """As people call it: `record.observed v1`, `t2c.graph/v1`."""
        if self.family == "artifacts":
            return f"t2c.{self.name}/v{self.version}"
        if self.family == "answers":
            return f"answer {self.name}"
        return f"{self.name} v{self.version}"

    @property
    def id(self) -> str:
        """The `$id` of its schema."""
        return f"urn:t2c:schema:{self.family}:{self.name}:{self.version}"

    def model(self) -> type[BaseModel]:
        """The type itself. A target may be a function that makes it."""
        module, _, attribute = self.target.partition(":")
        found: Any = getattr(import_module(module), attribute)
        made: type[BaseModel] = found if isinstance(found, type) else found()
        return made


_OTHERS: Final = (
    Contract("events", "envelope", 1, "t2c.ledger.events.envelope:Envelope"),
    Contract("artifacts", "intent", 1, "t2c.ledger.events.record:Record"),
    Contract("artifacts", "graph", 1, "t2c.projections.graph:graph_model"),
    Contract("artifacts", "run", 1, "t2c.ledger.interop.run_manifest:RunManifest"),
    Contract("artifacts", "diagnostics", 1, "t2c.projections.diagnostics.model:diagnostics_model"),
    Contract(
        "artifacts", "communication-analysis", 1, "t2c.projections.communication.model:communication_model"
    ),
    Contract("artifacts", "reality", 1, "t2c.projections.reality.model:reality_model"),
    Contract("artifacts", "conclusion", 1, "t2c.ledger.llm.synthesis.published:Conclusion"),
    Contract("artifacts", "todo-proposal", 1, "t2c.ledger.llm.synthesis.published:Proposal"),
    Contract("artifacts", "task-synthesis", 1, "t2c.projections.proposals.contract:TaskSynthesis"),
    Contract("artifacts", "code-change-plan", 1, "t2c.ledger.changes.published:Plan"),
    Contract("artifacts", "code-change-plan-set", 1, "t2c.ledger.changes.published:PlanSet"),
    Contract("artifacts", "code-change-review", 1, "t2c.ledger.changes.published:Review"),
    Contract("artifacts", "code-change-source-patch", 1, "t2c.ledger.changes.published:SourcePatch"),
    Contract("artifacts", "code-change-source-patch-set", 1, "t2c.ledger.changes.published:SourcePatchSet"),
    Contract(
        "artifacts", "code-change-source-apply-receipt", 1, "t2c.ledger.changes.published:SourceReceipt"
    ),
    Contract("artifacts", "code-change-acceptance", 1, "t2c.ledger.changes.published:Acceptance"),
    Contract("artifacts", "code-change-close-result", 1, "t2c.ledger.changes.published:CloseResult"),
    Contract("artifacts", "todo-patch", 1, "t2c.ledger.changes.published:TodoPatch"),
    Contract("artifacts", "todo-apply-receipt", 1, "t2c.ledger.changes.published:TodoReceipt"),
    Contract("artifacts", "truth-map", 1, "t2c.projections.truthmap:truth_map_model"),
    Contract("artifacts", "diff", 1, "t2c.projections.diffs.contracts:graph_diff_model"),
    Contract("artifacts", "filediff", 1, "t2c.projections.diffs.contracts:file_diff_model"),
    Contract("artifacts", "workspace-comparison", 1, "t2c.projections.diffs.contracts:comparison_model"),
)


def published() -> tuple[Contract, ...]:
    """Every published type, by file name: the payload of each event, the envelope, the artifacts, the answers."""
    from t2c.ledger.answers.roots import ROOTS
    from t2c.ledger.events.catalogue import CATALOGUE
    from t2c.ledger.events.former import FORMER

    payloads = (
        Contract("events", name, CATALOGUE.payload(name).v, ":".join(CATALOGUE.locations[name]))
        for name in CATALOGUE.types()
    )
    former = (
        Contract("events", kind.type, kind.v, f"{kind.__module__}:{kind.__qualname__}") for kind in FORMER
    )
    answers = (
        Contract("answers", name, 1, f"{kind.__module__}:{kind.__qualname__}") for name, kind in ROOTS.items()
    )
    return tuple(sorted((*payloads, *former, *_OTHERS, *answers), key=lambda contract: contract.file))


def derive(contract: Contract) -> dict[str, Any]:
    """The JSON Schema of a type. Raises Internal if the type holds a check that nobody has put into words."""
    if contract.family == "answers":
        from t2c.ledger.llm.strict import strict_schema

        found = strict_schema(contract.model())
        return {**found, "$schema": _DIALECT, "$id": contract.id, "title": contract.title}
    schema = contract.model().model_json_schema(by_alias=True, schema_generator=_Generator, mode="validation")
    _tidy(schema, named=True)
    return {**schema, "$schema": _DIALECT, "$id": contract.id, "title": contract.title}


class _Generator(GenerateJsonSchema):
    """pydantic's derivation with the checks that are functions, and patterns that end where the text ends."""

    def str_schema(self, schema: core_schema.StringSchema) -> JsonSchemaValue:
        found = super().str_schema(schema)
        if found.get("pattern", "").endswith("$"):
            found["not"] = dict(_FINAL_LF)
        return found

    def function_after_schema(self, schema: core_schema.AfterValidatorFunctionSchema) -> JsonSchemaValue:
        found = super().function_after_schema(schema)
        name = _name(schema["function"]["function"])
        if name is None:
            return found
        if name not in EXPRESSED and name not in UNSAID:
            raise Internal(f"the check {name} is neither expressed in JSON Schema nor listed as unsaid")
        if name in EXPRESSED:
            found = _joined(found, EXPRESSED[name](self))
        if name in UNSAID:
            found = {**found, "$comment": f"t2c also checks: {UNSAID[name]}"}
        return found


def _name(function: Callable[..., object]) -> str | None:
    """`module:qualified name` of a check of ours, None for one that stands for a constraint of pydantic."""
    if isinstance(function, partial):
        function = function.func
    if function.__module__.partition(".")[0] == "pydantic":
        return None
    return f"{function.__module__}:{function.__qualname__}"


def _joined(schema: JsonSchemaValue, more: Keywords) -> JsonSchemaValue:
    """Both at once: keywords stand side by side, and those that both have go into `allOf`."""
    alone = {key: value for key, value in more.items() if key not in schema}
    both = {key: value for key, value in more.items() if key in schema}
    found = {**schema, **alone}
    return {**found, "allOf": [*found.get("allOf", []), both]} if both else found


_RENAMED: Final = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum"}


def _tidy(schema: dict[str, Any], named: bool = False) -> None:
    """Spell bounds as JSON Schema does, and leave out titles that only repeat the name of a field."""
    if not named:
        schema.pop("title", None)
    for old, new in _RENAMED.items():
        if old in schema:
            schema[new] = schema.pop(old)
    for name, part in _parts(schema):
        _tidy(part, named=name == "$defs")


def _parts(schema: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The schemas directly inside a schema, each with the keyword that holds it."""
    for keyword in ("$defs", "properties", "patternProperties"):
        for part in schema.get(keyword, {}).values():
            yield keyword, part
    for keyword in ("items", "additionalProperties", "propertyNames", "not", "if", "then", "else"):
        if isinstance(schema.get(keyword), dict):
            yield keyword, schema[keyword]
    for keyword in ("anyOf", "allOf", "oneOf", "prefixItems"):
        for part in schema.get(keyword, ()):
            yield keyword, part
