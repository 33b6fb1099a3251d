"""The brief of plans that a person reads before anything is approved: Markdown whose exact bytes are hashed.

Texts of a repository stand in it as one line each, with nothing that could end their item or hide from the eye.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from t2c.ledger.changes.contract import REVIEW, in_order

__all__ = ["brief", "plan_brief"]

_MARKS: Final = re.compile(r"([\\`*_{}\[\]<>#|~&])")
_TICKS: Final = re.compile(r"`+")


def brief(plans: Iterable[Mapping[str, Any]], graph: str) -> bytes:
    """The Markdown of a review: the same plans give the same bytes."""
    ordered = in_order(plans)
    lines = [
        f"<!-- {REVIEW} -->",
        "# Proposed code changes",
        "",
        "Nothing here is applied by reading or approving it: a plan says what is meant, a patch of it does it.",
        "",
        f"Graph: `{graph}`",
        "",
    ]
    if not ordered:
        lines += ["No plan stands.", ""]
    priority = None
    for plan in ordered:
        if plan["priority"] != priority:
            priority = plan["priority"]
            lines += [f"## {priority}", ""]
        lines += [*_plan(plan), ""]
    lines += [
        "## How it goes on",
        "",
        "1. `t2c change patch PLAN --diff FILE` makes a patch of a plan; `t2c change try PATCH` tries it beside your files.",
        "2. `t2c approve PATCH` by somebody who did not propose it, then `t2c change apply PATCH`.",
        "3. `t2c scan`, then `t2c change evaluate PLAN`: only that says whether the finding is settled.",
        "",
    ]
    return "\n".join(lines).encode("utf-8", "replace")


def plan_brief(plan: Mapping[str, Any]) -> bytes:
    """The Markdown of one plan, as it is shown to whoever approves it alone."""
    return brief([plan], plan["evidence"]["graphFingerprint"])


def _plan(plan: Mapping[str, Any]) -> Iterator[str]:
    evidence, risk = plan["evidence"], plan["risk"]
    yield f"### {_inline(plan['title'])} (`{plan['id']}`)"
    yield ""
    yield f"- Plan hash: `{plan['planHash']}`"
    yield f"- Why: {_inline(plan['description'])}"
    yield f"- Risk: **{risk['level']}**. {' '.join(_inline(one) for one in risk['reasons'])}"
    yield f"- Confidence: {plan['confidence']}"
    yield "- Changes:"
    for change in plan["changes"]:
        symbols = ", ".join(_code(one) for one in change["symbols"])
        yield f"  - {change['action']} {_code(change['path'])}{f' ({symbols})' if symbols else ''}"
        yield f"    - {_inline(change['rationale'])}"
    yield "- Done when:"
    for criterion in plan["acceptanceCriteria"]:
        yield f"  - {_inline(criterion)}"
    yield f"- Taken back by: {_inline(plan['rollback'])}"
    for name, words in (
        ("diagnosticIds", "Findings"),
        ("recordIds", "Records"),
        ("proposalIds", "Proposed tasks"),
        ("conclusionIds", "Conclusions"),
    ):
        if evidence[name]:
            yield f"- {words}: {', '.join(f'`{one}`' for one in evidence[name])}"


def _inline(text: str) -> str:
    """A text as one line of prose: nothing in it is Markdown or HTML, what cannot be seen is named."""
    return _MARKS.sub(r"\\\1", _seen(text))


def _code(text: str) -> str:
    """A text as a span of code that its own backticks cannot end."""
    shown = _seen(text)
    longest = max((len(ticks) for ticks in _TICKS.findall(shown)), default=0)
    fence = "`" * (longest + 1)
    return f"{fence} {shown} {fence}" if longest else f"`{shown}`"


def _seen(text: str) -> str:
    line = " ".join(text.split())
    return "".join(sign if _visible(sign) else f"(U+{ord(sign):04X})" for sign in line)


def _visible(sign: str) -> bool:
    return unicodedata.category(sign) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
