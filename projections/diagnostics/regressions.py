"""What was shown before and is not now: REGRESSION_DETECTED. Said of this ledger's own history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from t2c.projections.diagnostics.model import MAX_RECORDS, Finding
from t2c.projections.diagnostics.predicates import folder, is_done, shortened
from t2c.projections.diagnostics.view import View
from t2c.projections.evidence import Grade
from t2c.projections.facts import Fact
from t2c.projections.records.commits import instant

__all__ = ["regressed"]


def regressed(view: View) -> Iterator[Finding]:
    """Tests that passed and fail, symbols whose tests are gone, statements whose evidence is gone."""
    yield from _failing(view)
    yield from _untested(view)
    yield from _unshown(view)


def _failing(view: View) -> Iterator[Finding]:
    for identity in sorted(view.state.passed):
        result = view.facts.records.get(identity)
        if result is None or result.lifecycle.status != "blocked":
            continue
        exercised = sorted(
            other.id for link, other in view.facts.neighbours(identity) if link.relation.type == "tests"
        )
        passed, failed = view.state.passed[identity], view.code.ran_at(result)
        said = {"test": shortened(result.statement.object), "at": result.where}
        before, after = instant(passed.at), instant(failed)
        if before is not None and after is not None:
            if after < before:
                continue  # an older report was read later
            message, said["since"], said["failed"] = "regression.failing", _minute(before), _minute(after)
        else:
            message, said["since"] = "regression.undated", passed.read[:10]
        yield Finding(
            "REGRESSION_DETECTED",
            identity,
            "blocking",
            message,
            said,
            (identity, *exercised[:20]),
            f"failing:{result.source.path}",
            95,
            0.95,
        )


def _minute(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M}"


def _untested(view: View) -> Iterator[Finding]:
    """Symbols of one file that a test exercised once and none does now."""
    found: dict[str, dict[str, str]] = {}
    for lost in view.state.lost.values():
        if lost.type != "tests":
            continue
        symbol = view.facts.records.get(lost.target)
        if symbol is not None and symbol.source.kind == "ast" and not view.code.is_tested(symbol.id):
            when = found.setdefault(symbol.source.path or "", {})
            when[symbol.id] = max(lost.ts, when.get(symbol.id, ""))
    for path in sorted(found):
        names = sorted(view.facts.records[one].source.symbol or path for one in found[path])
        said = {
            "path": path, "count": f"{len(names):,}", "first": ", ".join(f"`{name}`" for name in names[:5]),
            "since": max(found[path].values())[:10],
        }  # fmt: skip
        yield Finding(
            "REGRESSION_DETECTED",
            f"tests:{path}",
            "warning",
            "regression.untested",
            said,
            tuple(sorted(found[path])[:MAX_RECORDS]),
            f"untested:{folder(path)}",
            60,
            0.8,
        )


def _unshown(view: View) -> Iterator[Finding]:
    """Plans and requirements that a commit carried out once and nothing shows now."""
    gone: dict[str, str] = {}
    for lost in view.state.lost.values():
        if lost.type == "implements" and lost.target in view.grades:
            gone[lost.target] = max(lost.ts, gone.get(lost.target, ""))
    for identity in sorted(gone):
        fact = view.facts.records[identity]
        if view.grades[identity].grade is Grade.none and not view.is_dropped(fact):
            yield _about(fact, "regression.unshown", {"since": gone[identity][:10]})
    if not view.code.reverted:
        return
    for identity, graded in sorted(view.grades.items()):
        fact = view.facts.records[identity]
        reverted = [
            item.record for item in graded.items if item.record in view.code.reverted and item.relation
        ]
        if (
            reverted
            and graded.grade is Grade.none
            and identity not in gone
            and not is_done(fact)
            and _wants(fact)
            and not view.is_dropped(fact)
        ):
            commits = ", ".join(view.facts.records[one].where for one in reverted[:3])
            yield _about(fact, "regression.reverted", {"found": commits}, *reverted)


def _wants(fact: Fact) -> bool:
    return fact.epistemic.cls == "plan" or fact.source.kind == "nl"


def _about(fact: Fact, message: str, said: dict[str, str], *more: str) -> Finding:
    told = {"text": shortened(fact.statement.text), "at": fact.where, **said}
    return Finding(
        "REGRESSION_DETECTED",
        fact.id,
        "review_required",
        message,
        told,
        tuple(sorted({fact.id, *more})),
        f"lost:{folder(fact.source.path)}",
        75,
        0.8,
    )
