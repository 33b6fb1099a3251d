"""`t2c answers`: verify, show."""

from __future__ import annotations

import json as text_json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any

import typer

from t2c.cli.commands.answers_ask import check_lines
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import At, Json
from t2c.cli.present.style import Style, joined, one_line

if TYPE_CHECKING:
    from t2c.cli.actions.answers_show import AnswerDetail, AnswerList
    from t2c.cli.actions.answers_verify import AnswerChecked

__all__ = ["Answer", "show", "verify"]

Answer = Annotated[str, typer.Argument(metavar="SEQ|EVT-…|latest", help="The answer, by seq or event.")]


def verify(
    ctx: typer.Context,
    answer: Answer,
    base: Annotated[
        str | None,
        typer.Option(
            metavar="REV", help="The commit before the work (HEAD; tests that must fail on it need it)."
        ),
    ] = None,
    candidate: Annotated[
        str | None, typer.Option(metavar="REV", help="The commit after it (the work tree as it is).")
    ] = None,
    spec: Annotated[
        list[str] | None, typer.Option(metavar="PATH", help="A text of the specification; may be repeated.")
    ] = None,
    gate: Annotated[
        list[str] | None, typer.Option(metavar="CMD", help="A gate of this very task, run without a shell.")
    ] = None,
    timeout: Annotated[
        int, typer.Option(metavar="S", min=1, max=86_400, help="Seconds for each gate.")
    ] = 600,
    confirm: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Say that suspicion N, from 0, is a shortcut.")
    ] = None,
    clear: Annotated[
        int | None, typer.Option(metavar="N", min=0, help="Say that suspicion N is none.")
    ] = None,
    reason: Annotated[str, typer.Option(metavar="TEXT", help="Why, with --confirm or --clear.")] = "",
    json: Json = False,
) -> None:
    """Check what an answer claims and record what each check showed. Exit code 1 if a claim does not hold.

    The real diff is compared with the files that are named, gates are run by t2c itself, quotations are looked up where
    they are said to stand. What an answer says was run counts for nothing: only recorded runs are evidence. Without a
    receipt a claim is unresolvable. With --confirm or --clear a person decides on a suspected shortcut instead.

    Examples:

        t2c answers verify 41 --base main --gate "pytest -q tests/test_door.py"
        t2c answers verify 57 --spec spec/ --json
        t2c answers verify 60 --confirm 0 --reason "the test asserts nothing any more"
    """
    from t2c.cli.actions import answers_verify as action
    from t2c.cli.actions.state import state_dir
    from t2c.ledger.errors import Usage

    invocation = Invocation.of(ctx)
    if confirm is not None and clear is not None:
        raise Usage("--confirm and --clear exclude each other", remedy="give one of them")
    item = confirm if confirm is not None else clear
    if item is not None:
        if not reason.strip():
            raise Usage("a reason is missing", remedy='add --reason "…"')
        with invocation.context() as context:
            said = action.judged(context, answer, item, "cleared" if confirm is None else "confirmed", reason)
        invocation.output.recorded = f"the verdict is recorded as seq {said.seq}"
        invocation.emit(
            said,
            lambda style: (
                f"suspicion {said.item} of {said.answer} is {said.verdict} by {said.by}, seq {said.seq}"
            ),
        )
        return
    request = action.VerifyRequest(base, candidate, spec or (), gate or (), timeout)
    with invocation.context() as context:
        found = action.verified(context, answer, request, invocation.environ, state_dir(invocation.environ))
    invocation.output.recorded = "what was shown is recorded"
    invocation.emit(found, lambda style: joined(_checked(found, style)))
    if found.state in ("refuted", "inconsistent"):
        raise typer.Exit(1)


def show(
    ctx: typer.Context,
    answer: Annotated[
        str | None,
        typer.Argument(metavar="SEQ|EVT-…|latest", help="One answer, whole; without it all of them."),
    ] = None,
    about: Annotated[str | None, typer.Option(metavar="SUBJECT", help="Only those about this.")] = None,
    only_open: Annotated[
        bool, typer.Option("--open", help="Only what a check or a person has still to decide.")
    ] = False,
    at: At = None,
    json: Json = False,
) -> None:
    """Show answers as claims, with what checking each showed, open questions, approvals and choices.

    claimed: nothing has shown anything yet. supported, refuted, unresolvable, inconsistent: the worst that a check
    showed last. None of them says that work is done.

    Examples:

        t2c answers show
        t2c answers show --open
        t2c answers show 41 --json
    """
    from t2c.cli.actions import answers_show as action
    from t2c.ledger.errors import Usage

    if answer is not None and (about is not None or only_open):
        raise Usage("one answer is named, and a choice of several too", remedy="leave out --about and --open")
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        if answer is None:
            found = action.listed(context, about=about, only_open=only_open, at=at)
            invocation.emit(found, lambda style: joined(_list(found, style)))
        else:
            one = action.detail(context, answer, at)
            invocation.emit(one, lambda style: joined(_detail(one, style)))


def _state(state: str, style: Style, width: int = 0) -> str:
    marks = {
        "supported": style.good,
        "refuted": style.bad,
        "inconsistent": style.bad,
        "unresolvable": style.doubtful,
    }
    return marks.get(state, style.faint)(f"{state:<{width}}")


def _checked(found: AnswerChecked, style: Style) -> Iterator[str]:
    about = "" if found.about is None else f" about {one_line(found.about)}"
    yield f"seq {found.seq}  {found.root}{about}: {_state(found.state, style)}"
    yield from check_lines(tuple(found.checks), style)


def _list(found: AnswerList, style: Style) -> Iterator[str]:
    if not found.answers and not found.questions:
        yield "no answer is recorded" if not found.total else f"none of {found.total:,} answers is so"
        return
    many = f"{len(found.answers):,} of {found.total:,} answer{'' if found.total == 1 else 's'}"
    yield f"{many} as of seq {found.seq:,}"
    for one in found.answers:
        about = "" if one["about"] is None else f"  {one_line(one['about'])}"
        yield f"  {one['seq']:>6}  {_state(one['state'], style, 12)}  {one['root']}{about}  {style.faint(one['by'])}"
        yield from (f"          {line}" for line in _decisions(one))
    waiting = [one for one in found.questions if one["reply"] is None]
    if waiting:
        yield f"{len(waiting):,} open question{'' if len(waiting) == 1 else 's'} for a person (t2c answers reply SEQ)"
        for one in waiting:
            yield f"  {one['seq']:>6}  {one_line(one['question'])[:200]}"


def _decisions(one: Mapping[str, Any]) -> Iterator[str]:
    for judged in one["shortcuts"]:
        yield f"suspicion {judged['item']} is {judged['verdict']} by {judged['by']}: {one_line(judged['reason'])[:160]}"
    choice = one["choice"]
    if choice is not None:
        what = "none of them" if choice["title"] is None else one_line(repr(choice["title"]))
        yield f"{choice['by']} chose {what}"
    for approval in one["approvals"]:
        what = "it" if approval["path"] is None else one_line(approval["path"])
        yield f"{approval['by']} approved {what}, SHA-256 {approval['digest'][:16]}…"


def _detail(found: AnswerDetail, style: Style) -> Iterator[str]:
    one = found.answer
    about = "" if one["about"] is None else f" about {one_line(one['about'])}"
    yield f"seq {one['seq']}  {one['root']}{about}: {_state(one['state'], style)}"
    yield style.faint(f"  {one['event']}, {one['ts']}, claimed by {one['by']}")
    for row in one["checks"]:
        place = "" if row["item"] is None else f" {one_line(row['item'])}"
        yield f"  {_state(row['result'], style, 12)}  {row['check']}{place}: {one_line(row['detail'])}"
    yield from (f"  {line}" for line in _decisions(one))
    for approval in found.approvals:
        if approval["fits"] is False:
            yield style.bad(f"  stale: {one_line(approval['path'])} is not what was approved any more")
    for question in found.questions:
        reply = question["reply"]
        said = "open" if reply is None else "waived" if reply["answer"] is None else one_line(reply["answer"])
        yield f"  asks  seq {question['seq']}: {one_line(question['question'])[:200]}  → {said[:200]}"
    for task in found.proposed_tasks:
        yield f"  proposes for {one_line(task['source_ref'])} ({task['severity']}): {one_line(task['task'])[:200]}"
    if found.claim is None:
        yield "  what it says is kept nowhere in the open"
    else:
        text = text_json.dumps(found.claim, ensure_ascii=False, indent=2)
        yield from (f"  {line}" for line in text.splitlines())
