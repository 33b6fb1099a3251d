"""`t2c answers list` and `schema`, from outside: in a folder without a ledger, for people and for programs."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any


def test_kinds_and_schemas_need_no_ledger(t2c: Any) -> None:
    listed = t2c("answers", "list", "--json").document
    assert listed["schema"] == "t2c.answers.kinds/v1"
    assert len(listed["kinds"]) == 15
    told = t2c("answers", "list").out
    for kind in listed["kinds"]:
        assert f"\n{kind['root']}" in f"\n{told}"
        assert kind["what"] in told

    ran = t2c("answers", "schema", "review")
    as_sent = json.dumps(json.loads(ran.out), ensure_ascii=False, separators=(",", ":")).encode()
    digest = next(kind["digest"] for kind in listed["kinds"] if kind["root"] == "review")
    assert sha256(as_sent).hexdigest() == digest

    shown = t2c("answers", "schema", "question", "--tool", "--json").document
    assert (shown["schema"], shown["tool"]) == ("t2c.answers.contract/v1", "ask_person")
    assert shown["contract"]["function"]["parameters"]["required"] == ["question"]
    assert not (t2c.root / ".t2c").exists()


def test_a_name_is_completed_and_a_wrong_one_gets_a_hint(t2c: Any) -> None:
    ran = t2c("answers", "schema", "revue")
    assert (ran.code, ran.out) == (2, "")
    assert "did you mean review?" in ran.err
    asked = {"_T2C_COMPLETE": "complete_bash", "COMP_WORDS": "t2c answers schema re", "COMP_CWORD": "3"}
    assert t2c(env=asked).out.split() == ["reproductions", "review"]
