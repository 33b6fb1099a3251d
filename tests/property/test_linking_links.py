"""What holds for the links of any records: a set in, a set out, bounded and true to the rules."""

from collections import Counter
from hashlib import sha1
from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from t2c.ledger.intake.base import Draft, Reading, Scope, materialise
from t2c.ledger.kernel.ids import relation_id
from t2c.ledger.linking.base import Links
from t2c.ledger.linking.linker import MAX_RELATIONS, link
from t2c.ledger.linking.rules import MAX_PAIRS

PLAIN: dict[str, Any] = {"status": "unknown", "confidence": 0.9, "basis": ("made",)}
KEYS = ("#1", "#2", "ABC-1", "ABC-2")
NAMES = ("load_all", "Store.load_all", "app.a.load_all", "Store", "run")
FILES = ("app/a.py", "app/b.py", "lib/app/a.py", "a.py")


def made(source: str, path: str | None, draft: Draft) -> bytes:
    return next(iter(materialise(Reading(Scope(source, path), "t2c/made@1", (draft,))))).body


some_keys = st.sets(st.sampled_from(KEYS), max_size=3).map(lambda found: tuple(sorted(found)))
some_names = st.sets(st.sampled_from(NAMES), max_size=3).map(lambda found: tuple(sorted(found)))
some_files = st.sets(st.sampled_from(FILES), max_size=3).map(lambda found: tuple(sorted(found)))
subjects = st.sampled_from(
    [
        "Hold {}",
        "Hold ({})",
        "fix {}",
        "Release 1.2 ({})",
        'Revert "Hold ({})"',
        "after {} (#1)",
        "load_all() {}",
    ]
)


@st.composite
def statements(draw: st.DrawFn) -> bytes:
    source = draw(st.sampled_from(["todo", "changelog", "git"]))
    keys, text = draw(some_keys), draw(subjects)
    text = text.format(" ".join(keys)) + draw(st.sampled_from(["", " x", " y", " z"]))
    day = draw(st.sampled_from(["2024-01-01T00:00:00Z", "2024-06-01T00:00:00Z", None]))
    common: dict[str, Any] = {
        "text": text, "object": text, "action": "add", "tickets": keys, "symbols": draw(some_names),
        "paths": draw(some_files), "observed_at": day, **PLAIN,
    }  # fmt: skip
    if source == "todo":
        common["polarity"] = draw(st.sampled_from(["positive", "negative"]))
        return made("todo", "TODO.md", Draft(kind="todo_item", cls="plan", **common))
    if source == "changelog":
        return made("changelog", "CHANGELOG.md", Draft(kind="changelog_entry", cls="claim", **common))
    common["excerpt"] = text + "\n\n" + draw(st.sampled_from(["", "Closes #1", "Refs: ABC-1", "see #2"]))
    metadata = {"docOnly": draw(st.booleans())}
    revision = sha1(common["excerpt"].encode()).hexdigest()
    commit = Draft(kind="commit_intent_claim", cls="claim", revision=revision, metadata=metadata, **common)
    return made("git", None, commit)


@st.composite
def code(draw: st.DrawFn) -> bytes:
    path = draw(st.sampled_from(FILES))
    if draw(st.booleans()):
        kind, name = "module_fact", path.removesuffix(".py").replace("/", ".")
    else:
        kind, name = (
            "symbol_fact",
            draw(st.sampled_from(["load_all", "Store", "Store.load_all", "run"])),
        )
    return made(
        "ast",
        path,
        Draft(kind=kind, text=name, object=name, cls="fact", action="declare", symbol=name, **PLAIN),
    )


def parts(body: bytes) -> dict[str, Any]:
    found: dict[str, Any] = msgspec.json.decode(body)
    return found


records = st.lists(statements() | code(), max_size=25)
distinct_records = st.lists(statements() | code(), max_size=25, unique_by=lambda body: str(parts(body)["id"]))
orders = st.randoms(use_true_random=False)


@given(records, orders)
def test_order_and_repetition_of_the_records_do_not_matter(bodies: list[bytes], order: Any) -> None:
    shuffled = bodies + bodies[: len(bodies) // 2]
    order.shuffle(shuffled)
    assert link(shuffled) == link(bodies)


@given(records)
def test_unrelated_record_changes_no_relation(bodies: list[bytes]) -> None:
    stranger = made("todo", "OTHER.md", Draft(
        kind="todo_item", text="Water the plants #77", object="plants", action="add", cls="plan",
        tickets=("#77", "XYZ-9"), symbols=("WateringCan",), paths=("garden/can.py",), **PLAIN,
    ))  # fmt: skip
    assert link([*bodies, stranger]) == link(bodies)


@given(distinct_records)
def test_relations_keep_the_rules(bodies: list[bytes]) -> None:
    links = link(bodies)
    known = {parts(body)["id"]: parts(body) for body in bodies}
    drawn: Counter[tuple[str, str]] = Counter()
    for draft in links.relations:
        source, target = known[draft.source], known[draft.target]
        drawn[draft.source, draft.rule] += 1
        assert draft.id == relation_id(draft.source, draft.target, draft.type)
        assert draft.source != draft.target
        if source["source"]["kind"] == target["source"]["kind"] == "ast":
            assert draft.type in ("declares", "depends_on", "tests")
        assert 0 < draft.confidence <= 1
        assert list(draft.basis) == sorted(set(draft.basis)) != []
        assert list(draft.signals) == sorted(set(draft.signals))
        assert draft.signals or draft.type == "declares"
        if draft.type == "implements":
            assert source["source"]["kind"] == "git"
            assert not source["metadata"]["docOnly"]
            assert target["epistemic"]["class"] == "plan"
            assert target["statement"]["polarity"] == "positive"
        if draft.type == "modifies":
            assert source["source"]["kind"] == "git"
            assert target["source"]["path"] in source["statement"]["target"]["paths"]
        if draft.type == "releases":
            assert (source["source"]["kind"], target["source"]["kind"]) == ("changelog", "git")
    assert [draft.id for draft in links.relations] == sorted({draft.id for draft in links.relations})
    assert max(drawn.values(), default=0) <= MAX_RELATIONS
    assert [warning.reason for warning in links.warnings] == sorted({w.reason for w in links.warnings})
    assert all(warning.count > 0 and warning.detail for warning in links.warnings)


@given(st.lists(st.tuples(st.text(), st.text(), st.sampled_from(["#1", "ABC-1"])), max_size=6))
def test_no_text_is_too_strange(texts: list[tuple[str, str, str]]) -> None:
    bodies = [
        made("git", None, Draft(
            kind="commit_intent_claim", text=subject, object="x", action="add", cls="claim", tickets=(key,),
            excerpt=subject + body, revision=sha1(f"{n}".encode()).hexdigest(), symbols=(body or "x",), **PLAIN,
        ))
        for n, (subject, body, key) in enumerate(texts)
    ]  # fmt: skip
    bodies.append(made("changelog", "C.md", Draft(
        kind="changelog_entry", text="#1 ABC-1", object="x", action="add", cls="claim",
        tickets=("#1", "ABC-1"), **PLAIN,
    )))  # fmt: skip
    assert isinstance(link(bodies), Links)


@settings(max_examples=2, deadline=None)
@given(st.sampled_from(["#12", "ABC-1"]), st.integers(200, 400))
def test_one_key_on_all_records_makes_few_relations(key: str, size: int) -> None:
    def statement(source: str, path: str | None, cls: Any, n: int) -> bytes:
        revision = sha1(f"{n}".encode()).hexdigest() if source == "git" else None
        text = f"Part {n} of {key}"
        draft = Draft(
            kind="made",
            text=text,
            object=text,
            action="add",
            cls=cls,
            tickets=(key,),
            revision=revision,
            **PLAIN,
        )
        return made(source, path, draft)

    plans = [statement("todo", "TODO.md", "plan", n) for n in range(size)]
    commits = [statement("git", None, "claim", n) for n in range(size)]
    entries = [statement("changelog", "C.md", "claim", n) for n in range(size)]
    for kinds in (
        (plans, commits),
        (entries, commits),
        (plans, entries),
        (plans, commits[:1]),
        (entries, commits[:5]),
    ):
        links = link(body for kind in kinds for body in kind)
        assert len(links.relations) <= MAX_PAIRS
        assert links.relations or links.warnings
