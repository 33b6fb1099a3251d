"""Tags, anchors and names of tests lead to the requirement whose id they bear (cases 29, 31 and 33)."""

from collections.abc import Callable
from typing import Any

import pytest

State = Callable[..., bytes]
Draw = Callable[..., Any]


@pytest.fixture(scope="module")
def requirement(stated: State) -> State:
    def make(text: str, identity: str, path: str = "docs/spec.md", **about: Any) -> bytes:
        metadata = {"requirementId": identity} | about.pop("metadata", {})
        return stated("document", "requirement", text, path, cls="plan", metadata=metadata, **about)

    return make


@pytest.fixture(scope="module")
def tag(stated: State) -> State:
    def make(kind: str, item: str, path: str = "config/settings.xml") -> bytes:
        metadata = {"requirementId": item, "artifactType": kind}
        return stated("document", "trace_tag", f"{kind} covers {item}", path, cls="claim", metadata=metadata)

    return make


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("impl", ("tag", "implements", "asked")),
        ("utest", ("asked", "evidenced_by", "tag")),
        ("itest", ("asked", "evidenced_by", "tag")),
        ("uman", ("tag", "documents", "asked")),
        ("arch", ("tag", "related_to", "asked")),
    ],
)
def test_tag_in_any_file_traces_the_requirement(
    drawn: Draw, requirement: State, tag: State, kind: str, expected: tuple[str, str, str]
) -> None:
    relations = drawn(
        tag=tag(kind, "req~lock~1"),
        asked=requirement("Accounts lock", "req~lock~1"),
        other=requirement("Mail goes out", "req~mail~1"),
    )
    assert list(relations) == [expected]


def test_tag_of_another_revision_only_points(drawn: Draw, requirement: State, tag: State) -> None:
    relations = drawn(tag=tag("impl", "req~lock~1"), asked=requirement("Accounts lock", "req~lock~2"))
    assert list(relations) == [("tag", "related_to", "asked")]
    assert "revision_differs" in relations.only().basis


def test_tag_leads_to_where_it_stands(drawn: Draw, requirement: State, stated: State) -> None:
    def tag(name: str, path: str, enclosing: str | None) -> bytes:
        metadata = {"requirementId": "req~lock~1", "artifactType": "impl", "enclosing": enclosing}
        return stated("document", "trace_tag", f"impl covers {name}", path, cls="claim", metadata=metadata)

    def fact(kind: str, path: str, name: str) -> bytes:
        return stated("ast", kind, f"{kind} {name}", path, action="declare", cls="fact", symbol=name)

    relations = drawn(
        asked=requirement("Accounts lock", "req~lock~1"),
        within=tag("a", "src/login.py", "lock"),
        above=tag("b", "src/login.py", None),
        settings=tag("c", "config/settings.xml", None),
        lock=fact("symbol_fact", "src/login.py", "lock"),
        module=fact("module_fact", "src/login.py", "login"),
        file=stated("system", "configuration_file_fact", "configure", "config/settings.xml", cls="fact"),
    )
    assert [pair for pair in relations if pair[1] == "related_to"] == [
        ("above", "related_to", "module"),
        ("settings", "related_to", "file"),
        ("within", "related_to", "lock"),
    ]


def test_tag_of_no_requirement_is_counted(drawn: Draw, requirement: State, tag: State) -> None:
    relations = drawn(tag=tag("impl", "req~door~1"), asked=requirement("Accounts lock", "req~lock~2"))
    assert list(relations) == []
    assert relations.counted() == {"trace_without_requirement": 1}


def test_tag_implements_no_prohibition(drawn: Draw, requirement: State, tag: State) -> None:
    forbidden = requirement(
        "Must not log in", "req~lock~1", polarity="negative", metadata={"constraint": True}
    )
    assert list(drawn(tag=tag("impl", "req~lock~1"), asked=forbidden)) == [("tag", "related_to", "asked")]


def test_each_anchor_evidences_its_requirement_and_only_the_changed_is_suspect(
    drawn: Draw, requirement: State, stated: State
) -> None:
    item = "reqs/LOCK001.yml"

    def anchor(path: str, **metadata: Any) -> bytes:
        fields = {"requirementId": "LOCK001", "type": "file"} | metadata
        return stated(
            "document", "requirement_anchor", f"refers to {path}", item, paths=(path,), metadata=fields
        )

    def module(path: str) -> bytes:
        return stated(
            "ast", "module_fact", f"module {path}", path, action="declare", cls="fact",
            symbol=path, metadata={"test": True},
        )  # fmt: skip

    relations = drawn(
        asked=requirement("Accounts lock", "LOCK001", item),
        same=anchor("tests/t1.py", suspect=False),
        changed=anchor("tests/t2.py", suspect=True),
        folder=anchor("tests", type="folder"),
        t1=module("tests/t1.py"),
        t2=module("tests/t2.py"),
    )
    assert list(relations) == [
        ("asked", "evidenced_by", "changed"),
        ("asked", "evidenced_by", "folder"),
        ("asked", "evidenced_by", "same"),
        ("changed", "evidenced_by", "t2"),
        ("same", "evidenced_by", "t1"),
    ]
    suspect = {
        relations.labels[one.target] for one in relations.links.relations if "anchor_suspect" in one.basis
    }
    assert suspect == {"changed", "t2"}


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("tests.test_login.test_FR_001_lock", True),
        ("tests.test_login.test_lock_fr001", True),
        ("tests.test_login.test_FR_0012_lock", False),
        ("tests.test_login.test_lock", False),
    ],
)
def test_result_of_a_test_that_bears_the_id(
    drawn: Draw, requirement: State, stated: State, name: str, found: bool
) -> None:
    result = stated("test", "test_result", f"test {name}", "junit.xml", cls="fact", symbol=name)
    relations = drawn(asked=requirement("Accounts lock", "FR-001"), result=result)
    assert list(relations) == ([("asked", "evidenced_by", "result")] if found else [])


def test_id_of_two_requirements_is_traced_to_neither(drawn: Draw, requirement: State, tag: State) -> None:
    relations = drawn(
        tag=tag("impl", "FR-001", "src/login.py"),
        one=requirement("Accounts lock", "FR-001", "specs/a/s.md"),
        other=requirement("Mail goes out", "FR-001", "specs/b/s.md"),
    )
    assert list(relations) == []
    assert relations.counted() == {"trace_ambiguous": 1}
