"""What events about tests promise each other: what was sealed is what is revealed, and what was run was run by t2c.

(answers §5, §5.1)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from hashlib import sha256
from typing import Any, Final

from t2c.ledger.audit.origins import names_of
from t2c.ledger.errors import T2cError
from t2c.ledger.kernel.canon import canonical

__all__ = ["HANDLED", "Read", "TrialAudit"]

Event = Mapping[str, Any]
Read = Callable[[str], bytes]
"""Gives an object's bytes; raises T2cError where it is not there or damaged."""

_SEALED: Final = "held_out"
_KINDS: Final[Mapping[str, frozenset[str]]] = {
    "near_miss_variants": frozenset({"wrong", "permitted"}),
    "special_case_variants": frozenset({"special_case"}),
}
_OUTCOMES: Final[Mapping[str, frozenset[str]]] = {
    "wrong": frozenset({"killed", "survived", "invalid"}),
    "permitted": frozenset({"accepted", "overconstrained", "invalid"}),
    "special_case": frozenset({"told_apart", "blind", "invalid"}),
}
_DOMAIN: Final = b"\x05"


class TrialAudit:
    """Follows sealed tests, variants and frozen tests. `fault` is told (seq, kind, detail), `root_of` names the root of
    an answer, None where it is not known; `read` opens objects, None where no disk is at hand."""

    def __init__(
        self,
        fault: Callable[[int, str, str], None],
        root_of: Callable[[str], str | None],
        read: Read | None = None,
    ) -> None:
        self._fault = fault
        self._root_of = root_of
        self._read = read
        self._gates: dict[str, bool] = {}
        self._sealed: dict[str, list[Any]] = {}
        self._open: set[tuple[str, int]] = set()
        self._revealed: set[str] = set()
        self._variants: dict[str, str] = {}
        self._tried: set[str] = set()
        self._frozen: dict[str, tuple[str, set[str]]] = {}
        self._said: dict[str, tuple[str, str]] = {}

    def approved(self, data: Event, event: Event) -> None:
        """Take an `approval.granted` of this ledger: a person's latest word about a file of an answer."""
        answer, mark, path = data["subject"].removeprefix("answer:").partition("#")
        if event["actor"]["kind"] != "human" or not mark:
            return
        self._said[path] = answer, data["digest"]
        if path in self._frozen and answer in self._frozen[path][1]:
            self._frozen[path] = data["digest"], self._frozen[path][1]

    def froze(self, seq: int, data: Event) -> None:
        """Take a `test.frozen` of this ledger: other bytes than are frozen need a person's word for that path."""
        answer = data["answer"]
        for file in data["files"]:
            path, digest = file["path"], file["content"]
            before, answers = self._frozen.get(path, (digest, set()))
            if digest != before and self._said.get(path) != (answer, digest):
                detail = (
                    f"{path} is frozen as {before[:12]}, and no person approved {digest[:12]} of {answer}"
                )
                self._fault(seq, "frozen_superseded", detail)
                continue
            self._frozen[path] = digest, answers | {answer}

    def ran(self, data: Event, event: Event) -> None:
        """Take a `gate.ran`: whether it passed."""
        passed = bool(data["outcome"] == "exited" and data["exit_code"] == 0)
        self._gates.update(dict.fromkeys(names_of(event), passed))

    def visit(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        """Check one event of a type in HANDLED; returns the objects that it rests on."""
        actor, taken_in = event["actor"], event.get("origin") is not None
        if actor["kind"] not in ("helper", "host_adapter") or (event["trust"] != "observed" and not taken_in):
            who = f"{event['trust']} by {actor['kind']}:{actor['id']}"
            self._fault(seq, "trust", f"only t2c's own code says {event['type']}, and not {who}")
        return _CHECKS[event["type"]](self, seq, data, event)

    def _seals(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._is_of(seq, event, data["answer"], frozenset({_SEALED}))
        for name in names_of(event):
            self._sealed[name] = data["files"]
            self._open.update((name, file) for file in range(len(data["files"])))
        return ()

    def _held(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._file(seq, data, event)
        passed = self._gate(seq, event, data["gate"])
        if data["passed"] and passed is False:
            self._fault(seq, "heldout_result", f"it passed by a gate that did not, {data['gate']}")
        if (
            data["counts"]
            and (data["sealed"], data["file"]) not in self._open
            and event.get("origin") is None
        ):
            self._fault(seq, "heldout_result", "it counts though the test had leaked or was revealed")
        return ()

    def _leaked(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._file(seq, data, event)
        self._open.discard((data["sealed"], data["file"]))
        return ()

    def _opened(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        sealed = data["sealed"]
        files = self._sealed.get(sealed)
        if files is None:
            self._missing(seq, event, "sealed_unknown", f"{sealed} sealed nothing in this ledger")
            return tuple(opened["content"] for opened in data["files"])
        self._open.difference_update({(sealed, file) for file in range(len(files))})
        if sealed in self._revealed:
            self._fault(seq, "heldout_reveal", f"{sealed} was revealed already")
        self._revealed.add(sealed)
        if len(files) != len(data["files"]):
            self._fault(
                seq,
                "heldout_reveal",
                f"{len(files)} tests were sealed, and {len(data['files'])} are revealed",
            )
        for number, (part, opened) in enumerate(zip(files, data["files"], strict=False)):
            self._fits(seq, number, part, opened)
        return tuple(opened["content"] for opened in data["files"])

    def _fits(self, seq: int, number: int, part: Event, opened: Event) -> None:
        salt = bytes.fromhex(opened["salt"])
        given: dict[str, bytes] = {
            "path": opened["path"].encode(),
            "argv": canonical(list(opened["argv"])),
        }
        if self._read is not None:
            with suppress(T2cError):  # that an object is not there is said where objects are counted
                given["content"] = self._read(opened["content"])
        for kind, content in given.items():
            if sha256(b"".join((_DOMAIN, salt, kind.encode(), content))).hexdigest() != part[kind]:
                self._fault(seq, "heldout_reveal", f"the {kind} of test {number} is not what was sealed")

    def _announced(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        root = self._is_of(seq, event, data["answer"], frozenset(_KINDS))
        if root is not None and data["kind"] not in _KINDS[root]:
            self._fault(seq, "variant", f"{data['kind']} is no kind of {root}")
        self._variants.update(dict.fromkeys(names_of(event), str(data["kind"])))
        return ()

    def _tried_out(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        kind = self._variants.get(data["announced"])
        passes = [self._gate(seq, event, gate) for gate in data["gates"]]
        if kind is None:
            self._missing(
                seq, event, "variant_unknown", f"{data['announced']} is no variant that was announced"
            )
            return ()
        if data["announced"] in self._tried:
            self._fault(seq, "variant", f"{data['announced']} has an outcome already")
        self._tried.add(data["announced"])
        outcome = data["outcome"]
        if outcome not in _OUTCOMES[kind]:
            self._fault(seq, "variant", f"a variant of the kind {kind} cannot be {outcome}")
        elif outcome != "invalid" and not passes:
            self._fault(seq, "variant", f"it is {outcome} without any run")
        elif outcome in ("survived", "accepted", "blind") and False in passes:
            self._fault(seq, "variant", f"it is {outcome} though a gate failed")
        elif (
            outcome in ("killed", "overconstrained", "told_apart")
            and passes
            and all(passed is True for passed in passes)
        ):
            self._fault(seq, "variant", f"it is {outcome} though every gate passed")
        return ()

    def _froze(self, seq: int, data: Event, event: Event) -> tuple[str, ...]:
        self._is_of(seq, event, data["answer"], frozenset({"acceptance", "review", "reproductions"}))
        return tuple(file["content"] for file in data["files"])

    def _is_of(self, seq: int, event: Event, answer: str, roots: frozenset[str]) -> str | None:
        root = self._root_of(answer)
        if root is None:
            self._missing(seq, event, "answer_unknown", f"{answer} is no answer of this ledger")
            return None
        if root not in roots:
            self._fault(seq, "answer_root", f"{event['type']} cannot be of {answer}, which is {root}")
            return None
        return root

    def _file(self, seq: int, data: Event, event: Event) -> None:
        files = self._sealed.get(data["sealed"])
        if files is None:
            self._missing(seq, event, "sealed_unknown", f"{data['sealed']} sealed nothing in this ledger")
        elif data["file"] >= len(files):
            self._fault(seq, "heldout_file", f"{data['sealed']} sealed no test {data['file']}")

    def _gate(self, seq: int, event: Event, gate: str) -> bool | None:
        if gate not in self._gates:
            self._missing(seq, event, "gate_unknown", f"{gate} is no gate that ran before")
        return self._gates.get(gate)

    def _missing(self, seq: int, event: Event, kind: str, detail: str) -> None:
        if event.get("origin") is None:
            self._fault(seq, kind, detail)


_CHECKS: Final[Mapping[str, Callable[[TrialAudit, int, Event, Event], tuple[str, ...]]]] = {
    "heldout.sealed": TrialAudit._seals,
    "heldout.ran": TrialAudit._held,
    "heldout.leaked": TrialAudit._leaked,
    "heldout.revealed": TrialAudit._opened,
    "variant.announced": TrialAudit._announced,
    "variant.ran": TrialAudit._tried_out,
    "test.frozen": TrialAudit._froze,
}
HANDLED: Final = frozenset(_CHECKS)
"""The types of events that are checked here."""
