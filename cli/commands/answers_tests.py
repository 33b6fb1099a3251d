"""`t2c answers seal|reveal|leaks|run|frozen`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.present.style import Style, joined
from t2c.ledger.errors import Environment, Findings, Usage

if TYPE_CHECKING:
    from t2c.cli.actions.answers_tests import (
        FrozenList,
        HeldOutResult,
        LeakReport,
        LeakRow,
        RevealResult,
        SealResult,
    )  # fmt: skip

__all__ = ["frozen", "leaks", "reveal", "run", "seal"]

_MOST = 16 << 20

_Sealed = Annotated[
    str, typer.Argument(metavar="SEALED", help="The seq or event that sealed them, or the answer's event.")
]
_About = Annotated[str | None, typer.Option(metavar="SUBJECT", help="What they are about, such as a story.")]


def seal(
    ctx: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="A held_out answer as JSON, - for stdin.")],
    about: _About = None,
    actor: Annotated[
        str | None, typer.Option("--by", metavar="ACTOR", help="Whose answer it is, such as agent:tester.")
    ] = None,
    json: Json = False,
) -> None:
    """Seal tests that the implementer must not see. The ledger gets salted commitments, and nothing of what they are.

    Their bodies are kept in $XDG_STATE_HOME/t2c/sealed (~/.local/state/t2c/sealed), readable by you alone. From here on
    no prompt to whoever need not know them goes out that shows a path, a hash or a longer line of them; `t2c answers
    leaks --help` says what is found and what is not. A test that was revealed, or that leaked, is refused, and so is a
    path where the tree has something that is no test. Keep FILE out of the tree
    that the implementer reads.

    Examples:

        t2c answers seal ~/held-out.json --about US1
        make-tests | t2c answers seal - --about US1 --by agent:tester
    """
    from t2c.cli.actions import answers_tests as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.seal(context, state_dir(invocation.environ), _content(file), about, actor)
    invocation.output.recorded = f"the tests are sealed as seq {found.seq}"
    for copy in found.copies:
        invocation.output.warn(f"test {copy.file} can be read in {copy.path}: whoever works here knows it")
    for number in found.unfindable:
        invocation.output.warn(
            f"test {number} has no line of its own that is long enough to be found in a prompt, nor 5 short ones in a row"
        )
    if not found.composed:
        invocation.output.warn("no test checks the scenarios of the story together")
    invocation.emit(found, lambda style: _sealed(found))


def reveal(
    ctx: typer.Context,
    sealed: _Sealed,
    yes: Annotated[bool, typer.Option("--yes", help="Do it: nothing can seal them again.")] = False,
    json: Json = False,
) -> None:
    """Open sealed tests in the ledger, so that whoever has it can prove what was sealed and that nobody was shown it.

    Only a person can; the event says who asked for it, and a refusal is recorded. From here on they are secret no longer, and a pass of them counts for nothing.

    Examples:

        t2c answers reveal 42 --yes
        t2c answers reveal EVT-0123456789abcdef0123 --yes --json
    """
    from t2c.cli.actions import answers_tests as action
    from t2c.cli.actions.state import state_dir

    if not yes:
        raise Usage(
            "what is revealed is sealed no longer, and later passes count for nothing",
            safe="nothing was revealed",
            remedy="add --yes if the work is done",
        )
    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.reveal(context, state_dir(invocation.environ), sealed)
    invocation.output.recorded = f"the tests are revealed by {found.event}"
    invocation.emit(found, lambda style: joined(_revealed(found)))


def leaks(
    ctx: typer.Context,
    role: Annotated[
        str,
        typer.Option(
            metavar="ROLE", help="Whose requests are looked at; the implementer is whoever need not know."
        ),
    ] = "implementer",
    json: Json = False,
) -> None:
    """Look for every sealed test in every request to the implementer, and say where one was shown, also before it was
    sealed.

    Every role is taken for the implementer's but those that must know the tests: test-writer, test-author,
    held-out-author, test-reviewer; and whoever answers attempt_report, proposal, blocked or question is one in any
    case. Found are the path, however it is spelled, a file name of 12 characters or more, the SHA-256, the Git blob
    and the commitments, lines of 24 characters or more, and 5 shorter ones in a row; as they are, escaped, as Base64,
    hexadecimal or in a URL. Not found are a line that was changed or told in other words, a short line alone, a line
    that stood in the tree when the test was sealed, and what is compressed or encoded in another way.

    Only a person is told the path and scenarios of a test that is not revealed. Tests that were revealed need the ledger alone; others need the state folder of whoever sealed them. Exit code 1 if
    one was shown, lies in the work tree, or cannot be looked for.

    Examples:

        t2c answers leaks
        t2c answers leaks --role reviewer --json
    """
    from t2c.cli.actions import answers_tests as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    try:
        state = state_dir(invocation.environ)
    except Environment:
        state = None
    with invocation.context() as context:
        found = action.leaks(context, state, role)
    invocation.emit(found, lambda style: joined(_leaks(found, style)))
    if not found.ok:
        raise typer.Exit(Findings.code)


def run(
    ctx: typer.Context,
    sealed: _Sealed,
    candidate: Annotated[
        str | None, typer.Option(metavar="REV", help="The commit to try (default: the work tree as it is).")
    ] = None,
    timeout: Annotated[int, typer.Option(metavar="SECONDS", min=1, help="For each test.")] = 600,
    json: Json = False,
) -> None:
    """Run sealed tests, each in a copy of the candidate, and record which passed. The work tree is not touched.

    What they print is kept beside them, sealed. Exit code 1 if one does not pass.

    Examples:

        t2c answers run 42
        t2c answers run 42 --candidate main --json
    """
    from t2c.cli.actions import answers_tests as action
    from t2c.cli.actions.state import state_dir

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        state = state_dir(invocation.environ)
        found = action.run(context, state, invocation.environ, sealed, candidate, timeout)
    invocation.output.recorded = "the runs are recorded"
    invocation.emit(found, lambda style: joined(_ran(found, style)))
    if not found.passed:
        raise typer.Exit(Findings.code)


def frozen(
    ctx: typer.Context,
    about: _About = None,
    refuse: Annotated[
        bool, typer.Option("--refuse", help="Record a refusal of each change; nothing is put back.")
    ] = False,
    json: Json = False,
) -> None:
    """List the tests that only a person may change, and how each stands in the work tree.

    A person's approval of a file's new SHA-256 takes the place of the old one: `t2c answers approve` with --file PATH
    approves what stands in the work tree. Exit code 1 if one was changed or is not there.

    Examples:

        t2c answers frozen
        t2c answers frozen --about US1 --refuse
    """
    from t2c.cli.actions import answers_tests as action

    invocation = Invocation.of(ctx)
    with invocation.context() as context:
        found = action.frozen(context, about, refuse)
    if found.refused:
        invocation.output.recorded = "the refusals are recorded"
    invocation.emit(found, lambda style: joined(_frozen(found, style)))
    if not found.ok:
        raise typer.Exit(Findings.code)


def _content(file: str) -> bytes:
    if file == "-":
        if sys.stdin is None or sys.stdin.isatty():
            raise Usage("no answer was given", remedy="name a file, or pipe JSON in")
        content = sys.stdin.buffer.read(_MOST + 1)
    else:
        try:
            with open(file, "rb") as stream:  # noqa: PTH123 - a path as typed, read only
                content = stream.read(_MOST + 1)
        except (FileNotFoundError, ValueError):
            raise Usage(f"there is no file {file}", remedy="name a file, or - for stdin") from None
        except OSError as error:
            raise Environment(f"{file} cannot be read: {error.strerror}", where=file) from error
    if len(content) > _MOST:
        raise Usage(f"the answer is longer than {_MOST:,} bytes", remedy="seal fewer tests at once")
    return content


def _sealed(found: SealResult) -> str:
    many = "1 test is" if found.files == 1 else f"{found.files} tests are"
    return f"{many} sealed as seq {found.seq}, {found.sealed}\n  of the answer {found.answer}"


def _revealed(found: RevealResult) -> Iterator[str]:
    yield f"revealed by {found.event}: what {found.sealed} sealed"
    for row in found.files:
        yield f"  {row.file}  {row.path}  {', '.join(row.scenarios)}"
        yield f"     SHA-256 {row.content}"


def _leaks(found: LeakReport, style: Style) -> Iterator[str]:
    if not found.tests:
        yield "no tests are sealed"
        return
    many = f"{found.requests:,} request{'' if found.requests == 1 else 's'} to the {found.role}"
    yield f"{len(found.tests):,} sealed beside {many}, up to seq {found.seq}"
    for row in found.tests:
        name = f"{row.sealed}#{row.file}" + ("" if row.path is None else f"  {row.path}")
        yield f"{name}  {style.faint(', '.join(row.scenarios))}"
        yield from (f"  {line}" for line in _leak(row, found, style))
    if found.unread:
        named = ", ".join(map(str, found.unread[:5])) + (" …" if len(found.unread) > 5 else "")
        yield style.doubtful(f"not looked at, since their bytes are not here: seq {named}")


def _leak(row: LeakRow, found: LeakReport, style: Style) -> Iterator[str]:
    yield f"exists since seq {row.since}"
    if row.opened == "ledger":
        yield style.doubtful(
            f"revealed by seq {row.until}: it is open, and its passes count for nothing since"
        )
    if row.opened is None:
        yield style.doubtful(f"nothing is proven: {row.why}")
    for sign in row.leaks:
        what = "shown by" if sign.sent else "kept from being shown, recorded as"
        yield style.bad(f"{what} seq {sign.seq} ({sign.how})")
    if row.lies is not None:
        yield style.bad(f"lies in the work tree: {row.lies}")
    if row.opened is not None and not row.leaks:
        yield style.good(f"shown in no request to the {found.role} up to seq {row.until}")


def _ran(found: HeldOutResult, style: Style) -> Iterator[str]:
    on = "the work tree" if found.commit is None else f"commit {found.commit[:12]}"
    yield f"on {on}, fingerprint {found.candidate[:12]}"
    for scenario, passed in found.scenarios.items():
        yield f"  {style.good('pass') if passed else style.bad('fail')}  {scenario}"
    for row in found.files:
        if row.result == "not_started":
            yield style.bad(f"  test {row.file} could not be started")
        elif not row.scenarios:
            yield f"  {style.good('pass') if row.result == 'passed' else style.bad('fail')}  test {row.file}"
        elif row.unbuilt:
            yield style.doubtful(f"  test {row.file} failed before any test of it ran")
        if row.idle:
            yield style.doubtful(
                f"  test {row.file} ran nothing that is known: name a test runner in its command"
            )
        elif not row.counts:
            yield style.doubtful(f"  test {row.file} leaked or was revealed: it counts for nothing")


def _frozen(found: FrozenList, style: Style) -> Iterator[str]:
    from t2c.ledger.answers.checks.freezing import BROKEN

    if not found.files:
        yield "no test is frozen"
        return
    for row in found.files:
        state = style.good(row.state) if row.state == "as frozen" else style.doubtful(row.state)
        yield f"{row.path}  {style.bad(row.state) if row.state in BROKEN else state}"
        since = "" if row.approved is None else f", approved anew by {row.approved}"
        yield style.faint(f"  SHA-256 {row.digest}, frozen by {row.event}, seq {row.seq}{since}")
        if row.found is not None and row.found != row.digest:
            yield style.faint(f"  SHA-256 {row.found} now")
