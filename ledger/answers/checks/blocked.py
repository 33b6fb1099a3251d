"""A report of being blocked, looked up in what it cites (answers §5.2).

That a quotation stands where it is said to stand shows presence and no contradiction: a supported report goes to a
person, and nothing is changed by it. A refuted one goes back to the attempt with the reason.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from t2c.ledger.answers.base import Bench, Claim, Found
from t2c.ledger.answers.changes import squeezed, standing
from t2c.ledger.answers.checks import question
from t2c.ledger.answers.checks.quotes import MOST_EVIDENCE, located, occurs, quotes_in, specification
from t2c.ledger.answers.history import decoded, events

__all__ = ["check"]

_CHECK = "blocked"
_NO_SPEC = "no specification was given to look its quotations up in: add --spec PATH"


def check(claim: Claim, bench: Bench) -> Iterator[Found]:
    """What must follow a report of being blocked. Raises Usage where the candidate names no commit."""
    value: Any = claim.value
    kind = value.kind.value
    if len(value.evidence) > MOST_EVIDENCE and kind != "needs_information":
        yield Found(_CHECK, "unresolvable", "its evidence is too long to be looked up")
    elif kind == "refused":
        yield _refused(claim, value.evidence, bench)
    elif kind == "spec_conflict":
        yield _conflict(value.evidence, bench)
    elif kind == "wrong_test":
        yield _wrong_test(claim, value.evidence, bench)
    else:
        yield Found(_CHECK, "unresolvable", "only a person can say it: it was asked as a question")
        yield from question.check(claim, bench)


def _refused(claim: Claim, evidence: str, bench: Bench) -> Found:
    """A recorded refusal must match the call that is cited, and the call must not have succeeded after all."""
    cited = squeezed(evidence)
    refusals = []
    for entry in events(bench.ledger, "refusal.noted"):
        data = decoded(entry)
        if entry.seq < claim.seq and _matches(data, claim.about, cited):
            refusals.append(entry)
    if not refusals:
        return Found(_CHECK, "refuted", "no recorded refusal matches the call that it cites")
    last = refusals[-1]
    later = _succeeded(bench, cited, last.seq)
    if later is not None:
        return Found(_CHECK, "refuted", "the call succeeded after it was refused", evidence=(last.id, later))
    return Found(
        _CHECK,
        "supported",
        f"the refusal is recorded as seq {last.seq}; a person decides",
        evidence=(last.id,),
    )


def _matches(refusal: dict[str, Any], about: str | None, cited: str) -> bool:
    """True if a refusal is of this subject, or what names it stands in the evidence."""
    names = [refusal["code"], refusal["reference"], refusal["reason"], refusal["subject"]]
    named = any(name and squeezed(name) in cited for name in names)
    return named and (
        about is None or about == refusal["subject"] or refusal["subject"] in cited or _unbound(refusal)
    )


def _unbound(refusal: dict[str, Any]) -> bool:
    """True for a refusal that is of an event or a command, and of no task that could be another attempt's."""
    return bool(refusal["reference"]) and refusal["subject"].startswith(("answer", "EVT-", "approval"))


def _succeeded(bench: Bench, cited: str, after: int) -> str | None:
    announced: dict[str, str] = {}
    for entry in events(bench.ledger, "gate.announced", "gate.ran", after=after):
        data = decoded(entry)
        if entry.type == "gate.announced":
            announced[entry.id] = shlex.join(data["argv"]) if data["argv"] else data["command"] or ""
        elif data["outcome"] == "exited" and data["exit_code"] == 0:
            command = squeezed(announced.get(data["announced"], ""))
            if command and command in cited:
                return entry.id
    return None


def _conflict(evidence: str, bench: Bench) -> Found:
    """Two passages of the specification, or one and a place in the code, word for word."""
    texts = specification(bench)
    quotes = quotes_in(evidence)
    there, absent = located(evidence, standing(bench.tree, bench.candidate))
    places = {(place.path, place.line) for place in there}
    code = [f"{path}:{line}" if line else path for path, line in sorted(places) if path not in _names(texts)]
    passages = [quote for quote in quotes if not _is_place(quote)]
    if not passages:
        return Found(_CHECK, "refuted", "it quotes nothing of the specification")
    if not texts:
        return Found(_CHECK, "unresolvable", _NO_SPEC)
    missing = [quote for quote in passages if occurs(quote, texts) is None]
    if missing:
        return Found(_CHECK, "refuted", f"the specification does not say {missing[0][:200]!r}")
    if absent:
        return Found(_CHECK, "refuted", f"{absent[0].path}{_line(absent[0].line)} is not there")
    if len(passages) + len(code) < 2:
        return Found(_CHECK, "refuted", "it shows one passage and nothing that the passage conflicts with")
    with_code = f", with {', '.join(code[:4])}" if code else ""
    told = f"{len(passages)} passage{'s stand' if len(passages) > 1 else ' stands'} in the specification{with_code}"
    return Found(_CHECK, "supported", f"{told}; whether they conflict a person decides")


def _wrong_test(claim: Claim, evidence: str, bench: Bench) -> Found:
    """A frozen test, and a passage of the specification that it is said to contradict."""
    frozen = _frozen(bench)
    tree = standing(bench.tree, bench.candidate)
    there, absent = located(evidence, tree)
    named = [place.path for place in there if place.path in frozen]
    if not named:
        others = [place.path for place in there if place.path not in _names(specification(bench))]
        if others:
            return Found(_CHECK, "refuted", f"{others[0]} is not frozen: the attempt may put it right itself")
        gone = f"{absent[0].path} is not there" if absent else "it names no test"
        return Found(_CHECK, "refuted", gone)
    passages = [quote for quote in quotes_in(evidence) if not _is_place(quote)]
    texts = specification(bench)
    if not passages:
        return Found(_CHECK, "refuted", "it quotes nothing of the specification")
    if not texts:
        return Found(_CHECK, "unresolvable", _NO_SPEC)
    in_tests = [squeezed(tree.text(path) or "") for path in named]
    found = [quote for quote in passages if occurs(quote, texts)]
    missing = [
        quote
        for quote in passages
        if quote not in found and not any(squeezed(quote) in text for text in in_tests)
    ]
    if missing or not found:
        return Found(_CHECK, "refuted", f"the specification does not say {(missing or passages)[0][:200]!r}")
    return Found(
        _CHECK,
        "supported",
        f"{named[0]} is frozen and the passage stands in the specification; a person decides, the test stays as it is",
        evidence=(frozen[named[0]],),
    )


def _frozen(bench: Bench) -> dict[str, str]:
    """Path of each frozen test → the event that froze it last."""
    return {
        file["path"]: entry.id
        for entry in events(bench.ledger, "test.frozen")
        for file in decoded(entry)["files"]
    }


def _is_place(quote: str) -> bool:
    """True for a quotation that is a path, with or without a line, or the name of a test in it."""
    path, _, rest = quote.partition(":")
    return " " not in quote and "." in path and (not rest or rest.lstrip(":").replace("_", "").isalnum())


def _names(texts: Any) -> frozenset[str]:
    return frozenset(text.name for text in texts)


def _line(line: int) -> str:
    return f":{line}" if line else ""
