"""The frame of the command line: streams, exit codes, errors, signals, colour, help and completion."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from t2c import __version__
from t2c.cli.app import TREE
from t2c.cli.commands.completion import SHELLS
from t2c.cli.commands.table import Branch
from t2c.cli.present.errors import CODES, code_table, row
from t2c.ledger import errors

PROBE = '''
import signal, sys, time
import typer
from t2c.cli import app
from t2c.cli.commands.invocation import Invocation
from t2c.cli.commands.options import Json
from t2c.cli.commands.table import Branch, Entry
from t2c.ledger.errors import Findings, Refused

def boom(ctx: typer.Context, json: Json = False) -> None:
    """Fail as nobody foresaw."""
    {}["a\\nkey"]

def denied(ctx: typer.Context, json: Json = False) -> None:
    """Fail as the system does."""
    open("/nowhere/at/all")

def refuse(ctx: typer.Context, json: Json = False) -> None:
    """Refuse with all there is to say."""
    raise Refused("a rule\\nsays no", where="plan.md:3", safe="all", remedy="ask", rule="R1", paths=["a"])

def wait(ctx: typer.Context, json: Json = False) -> None:
    """Say so, and wait."""
    sys.stderr.write("ready\\n")
    sys.stderr.flush()
    time.sleep(60)

def flood(ctx: typer.Context, json: Json = False) -> None:
    """Print more than a pipe holds."""
    output = Invocation.of(ctx).output
    for number in range(100_000):
        output.text(f"line {number}")

def odd(ctx: typer.Context, json: Json = False) -> None:
    """Print what no terminal should be told."""
    name = "za\\u017c\\u00f3\\u0142\\u0107 \\udcff \\x1b[2J\\r\\x07 \\U0001f9ea"
    Invocation.of(ctx).emit({"schema": "probe/v1", "name": name, "big": 2**70}, lambda style: style.good(name))

def found(ctx: typer.Context, json: Json = False) -> None:
    """Print the answer, then say that there are findings."""
    Invocation.of(ctx).emit({"schema": "probe/v1"}, lambda style: "two faults")
    raise Findings("two faults were found")

def lines(ctx: typer.Context, json: Json = False) -> None:
    """Print JSON lines, then fail."""
    def records():
        yield {"schema": "probe/v1", "b": 1, "a": 2}
        yield b'{"as":"it is"}'
        raise Refused("no more")
    Invocation.of(ctx).output.lines(records())

def talk(ctx: typer.Context, json: Json = False) -> None:
    """Talk and warn."""
    output = Invocation.of(ctx).output
    output.say("half way")
    output.warn("mind the gap")
    with Invocation.of(ctx).context() as context:
        context.progress("stage", 1, 2)
        output.text(str(context.root))

def twice(ctx: typer.Context, json: Json = False) -> None:
    """Print two documents, which is a fault."""
    for _ in range(2):
        Invocation.of(ctx).emit({"schema": "probe/v1"}, lambda style: "")

names = ("boom", "denied", "refuse", "wait", "flood", "odd", "found", "lines", "talk", "twice")
app.TREE = Branch("Probe.", tuple(Entry(name, "__main__:" + name, "One.") for name in names))
sys.exit(app.main())
'''


@pytest.fixture
def probe(t2c: Any, tmp_path: Path) -> Any:
    """The real frame around commands that do what a test needs done."""
    (tmp_path / "probe.py").write_text(PROBE)
    t2c.command = (sys.executable, str(tmp_path / "probe.py"))
    return t2c


def commands(branch: Branch = TREE, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Every command and group of the tree, and whether it is a group."""
    for entry in branch.entries:
        module, _, attribute = entry.target.partition(":")
        found = getattr(import_module(module), attribute)
        yield (*path, entry.name), isinstance(found, Branch)
        if isinstance(found, Branch):
            yield from commands(found, (*path, entry.name))


def quiet(text: str) -> bool:
    return "Traceback" not in text and "Exception ignored" not in text


# help and version


def test_the_version_is_one_line(t2c: Any) -> None:
    ran = t2c("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"t2c {__version__}\n", "")


def test_help_lists_every_command_and_the_table_of_exit_codes(t2c: Any) -> None:
    ran = t2c("--help")
    assert (ran.code, ran.err) == (0, "")
    for entry in TREE.entries:
        assert re.search(rf"^  {entry.name} +{re.escape(entry.summary[:20])}", ran.out, re.MULTILINE)
    for line in code_table().splitlines():
        assert f"    {line}\n" in ran.out + "\n"


@pytest.mark.parametrize(("path", "group"), list(commands()), ids=lambda value: str(value))
def test_every_command_explains_itself_with_examples(t2c: Any, path: tuple[str, ...], group: bool) -> None:
    ran = t2c(*path, "--help")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Usage: t2c {' '.join(path)} ")
    if group:
        assert "Commands:" in ran.out
    else:
        examples = ran.out.partition("  Examples:\n")[2].splitlines()
        assert examples
        assert any(" ".join(("t2c", *path)) in line for line in examples)


def test_without_a_command_help_goes_to_stderr_as_a_usage_error(t2c: Any) -> None:
    ran = t2c()
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("Usage: t2c ")


def test_a_group_without_a_command_is_a_usage_error(t2c: Any) -> None:
    ran = t2c("config")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "error: missing command\n  next: `t2c config --help` shows how it is used\n"


# errors and exit codes


def test_one_table_holds_every_error_with_its_own_code() -> None:
    assert [found.code for found in CODES] == [0, 1, 2, 3, 4, 5, 6, 7, 70, 130]
    ours = {kind for kind in vars(errors).values() if isinstance(kind, type) and kind is not errors.T2cError}
    kinds = [kind for kind in ours if issubclass(kind, errors.T2cError)]
    assert len(kinds) == 8
    for kind in kinds:
        found = row(kind("x"))
        assert (found.error, found.code) == (kind, kind.code)


@pytest.mark.parametrize(
    ("arguments", "what", "near"),
    [
        (["confg"], "no such command: t2c confg", "config"),
        (["config", "shwo"], "no such command: t2c config shwo", "show"),
        (["config", "show", "--orign"], "no such option: --orign", "--origin"),
        (["--colour", "never", "config", "show"], "no such option: --colour", "--color"),
        (["config", "show", "more"], "got unexpected extra argument(s) (more)", ""),
        (["--color", "pink", "config", "show"], "'pink' is not one of auto, always, never", ""),
        (["config", "show", "--root"], "requires an argument", ""),
        (["schemas", "show"], "missing argument 'NAME'", ""),
    ],
)
def test_a_wrong_command_line_is_2_and_says_what_comes_near(
    t2c: Any, arguments: list[str], what: str, near: str
) -> None:
    ran = t2c(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: ")
    assert what in ran.err
    assert not near or re.search(f"did you mean {near}(\\?| or)", ran.err)
    assert "--help` " in ran.err


@pytest.mark.parametrize(
    "arguments", [["confg", "--json"], ["config", "show", "--jsn", "--json"], ["--json"]]
)
def test_with_json_a_wrong_command_line_is_one_document_too(t2c: Any, arguments: list[str]) -> None:
    ran = t2c(*arguments)
    assert ran.code == 2
    assert ran.document["schema"] == "t2c.error/v1"
    error = ran.document["error"]
    assert (error["class"], error["code"]) == ("Usage", 2)
    assert set(error) == {"class", "code", "message", "where", "safe", "remedy", "details"}


def test_json_after_a_double_dash_is_not_the_option(t2c: Any) -> None:
    ran = t2c("schemas", "show", "--", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "no schema is called --json" in ran.err


def test_an_error_says_what_where_safe_and_next(probe: Any) -> None:
    ran = probe("refuse")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err == "error: a rule\n    says no\n  where: plan.md:3\n  safe: all\n  next: ask\n"


def test_an_error_as_json_is_the_only_document_and_one_line_on_stderr(probe: Any) -> None:
    ran = probe("refuse", "--json")
    assert ran.code == 3
    assert ran.document == {
        "schema": "t2c.error/v1",
        "error": {
            "class": "Refused",
            "code": 3,
            "message": "a rule\nsays no",
            "where": "plan.md:3",
            "safe": "all",
            "remedy": "ask",
            "details": {"rule": "R1", "paths": ["a"]},
        },
    }
    assert ran.err == "error: a rule\n"


def test_an_unforeseen_error_is_70_without_a_traceback(probe: Any) -> None:
    ran = probe("boom")
    assert (ran.code, ran.out) == (70, "")
    assert ran.err.startswith("error: unexpected KeyError: ")
    assert "T2C_DEBUG=1" in ran.err
    assert quiet(ran.err)
    assert probe("boom", "--json").document["error"]["code"] == 70


def test_debug_adds_the_traceback(probe: Any) -> None:
    ran = probe("boom", env={"T2C_DEBUG": "1"})
    assert ran.code == 70
    assert "Traceback (most recent call last)" in ran.err
    assert "Traceback" not in probe("refuse", env={"T2C_DEBUG": "1"}).err


def test_an_error_of_the_system_is_6(probe: Any) -> None:
    ran = probe("denied", "--json")
    assert ran.code == 6
    assert ran.document["error"]["class"] == "Environment"
    assert ran.document["error"]["where"] == "/nowhere/at/all"


def test_findings_after_the_answer_leave_one_document(probe: Any) -> None:
    ran = probe("found", "--json")
    assert (ran.code, ran.document) == (1, {"schema": "probe/v1"})
    assert ran.err == "error: two faults were found\n"
    assert probe("found").out == "two faults\n"


def test_a_second_document_is_a_fault_of_ours(probe: Any) -> None:
    ran = probe("twice", "--json")
    assert (ran.code, ran.document) == (70, {"schema": "probe/v1"})


def test_json_lines_are_compact_and_end_with_the_error(probe: Any) -> None:
    ran = probe("lines", "--json")
    assert ran.code == 3
    assert ran.stdout.startswith(b'{"a":2,"b":1,"schema":"probe/v1"}\n{"as":"it is"}\n{"error":{')
    assert ran.lines[-1]["schema"] == "t2c.error/v1"


# streams


def test_output_is_utf8_whatever_the_locale_and_cannot_steer_the_terminal(probe: Any) -> None:
    ran = probe("odd", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert ran.code == 0
    assert ran.out == "zażółć \\udcff \\x1b[2J\\x0d\\x07 🧪\n"


def test_json_shows_what_json_cannot_say(probe: Any) -> None:
    ran = probe("odd", "--json", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert ran.document["name"] == "zażółć \\udcff \x1b[2J\r\x07 🧪"
    assert ran.document["big"] == str(2**70)


def test_quiet_silences_talk_and_nothing_else(probe: Any) -> None:
    ran = probe("talk")
    assert (ran.out, ran.err) == (f"{probe.root}\n", "half way\nwarning: mind the gap\n")
    ran = probe("--quiet", "talk")
    assert (ran.out, ran.err) == (f"{probe.root}\n", "")
    assert "error:" in probe("-q", "refuse").err


def test_a_reader_that_goes_away_ends_the_command_without_a_word(probe: Any) -> None:
    process = probe.start("flood", stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout.readline() == b"line 0\n"
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(60) == 141


@pytest.mark.parametrize("arguments", [["odd"], ["odd", "--json"], ["refuse", "--json"], ["lines"]])
def test_a_reader_that_was_never_there_is_no_fault_either(probe: Any, arguments: list[str]) -> None:
    """What little was printed is still in the buffer when the process ends."""
    reader, writer = os.pipe()
    os.close(reader)
    process = probe.start(*arguments, stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 141
    assert quiet(err.decode())


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_below_stdout_is_told_once(probe: Any) -> None:
    with open("/dev/full", "wb") as full:
        process = probe.start("flood", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 6
    assert err.decode().startswith("error: No space left on device\n")
    assert quiet(err.decode())
    with open("/dev/full", "wb") as full:
        process = probe.start("odd", "--json", stdout=full, stderr=subprocess.PIPE)
        _, err = process.communicate(timeout=60)
    assert (process.returncode, quiet(err.decode())) == (6, True)


@pytest.mark.parametrize(
    "command", ["config show", "config show --json", "graph --json", "timeline --json", "truth --json"]
)
def test_a_closed_stdout_is_told(t2c: Any, command: str) -> None:
    assert t2c("init").code == 0
    script = f'exec "$0" -m t2c.cli {command} >&-'
    done = subprocess.run(
        ["sh", "-c", script, sys.executable],
        check=False,
        cwd=t2c.root,
        env=t2c.environ,
        capture_output=True,
        timeout=60,
    )
    assert done.returncode == 6
    assert done.stderr.startswith(b"error: standard output is closed")


# signals


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated"), (signal.SIGHUP, 129, "hung up")
    ],
)  # fmt: skip
@pytest.mark.parametrize("json", [False, True])
def test_a_signal_ends_the_command_cleanly(probe: Any, number: int, code: int, said: str, json: bool) -> None:
    arguments = ["wait", *(["--json"] if json else [])]
    process = probe.start(*arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr.readline() == b"ready\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert err.decode().startswith(f"error: {said}\n")
    assert quiet(err.decode())
    assert (f'"code": {code}' in out.decode()) is json
    assert json or out == b""


IMPORTED = """
import os, signal
os.kill(os.getpid(), signal.{name})
for _ in range(1000):
    pass
print("imported", flush=True)
"""
IMPORTER = """
from t2c.cli.present.interruption import install
install()
import imported
import time
time.sleep(20)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_waits_for_the_module_that_is_imported(t2c: Any, tmp_path: Path, name: str) -> None:
    (tmp_path / "imported.py").write_text(IMPORTED.format(name=name))
    done = subprocess.run(
        [sys.executable, "-c", IMPORTER],
        check=False,
        env={**t2c.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=15,
    )
    assert done.stdout == "imported\n"
    assert done.returncode in (-signal.SIGINT, 143, 129) and done.returncode != 0


# global options


def test_global_options_stand_before_or_after_the_command(t2c: Any, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for arguments in (
        ("--root", other, "config", "show", "--json"),
        ("config", "--root", other, "show", "--json"),
        ("config", "show", "--json", "--root", other),
        ("--root", "/", "config", "show", "--json", f"--root={other}"),
    ):
        found = t2c(*arguments).document
        assert (found["root"], found["root_origin"]) == (str(other), "option --root")


def test_global_options_are_not_listed_again(t2c: Any) -> None:
    assert "--root" in t2c("--help").out
    assert "--root" not in t2c("config", "show", "--help").out


def test_a_root_that_is_no_folder_is_2(t2c: Any) -> None:
    for arguments, env in ((["--root", "absent"], {}), ([], {"T2C_ROOT": "absent"})):
        ran = t2c(*arguments, "config", "show", env=env)
        assert ran.code == 2
        assert "the root 'absent' is not a folder" in ran.err


@pytest.mark.parametrize(
    ("marks", "expected"),
    [
        ([".git", "a/.git", "a/b/.git"], "a/b"),
        ([".t2c", ".git", "a/.git"], "."),
        ([".git", "a/.t2c", "a/b/.git"], "a"),
        ([".git"], "."),
    ],
)
def test_the_root_is_the_nearest_workspace_else_the_nearest_repository(
    t2c: Any, marks: list[str], expected: str
) -> None:
    for mark in marks:
        (t2c.root / mark).mkdir(parents=True, exist_ok=True)
    here = t2c.root / "a" / "b" / "c"
    here.mkdir(parents=True, exist_ok=True)
    assert t2c("config", "show", "--json", cwd=here).document["root"] == str((t2c.root / expected).resolve())


def test_a_work_tree_of_git_is_a_root_by_its_file(t2c: Any) -> None:
    tree = t2c.root / "tree"
    tree.mkdir()
    (tree / ".git").write_text("gitdir: elsewhere\n")
    assert t2c("config", "show", "--json", cwd=tree).document["root"] == str(tree)


# config show


def test_config_show_says_where_each_value_comes_from(t2c: Any) -> None:
    (t2c.root / "t2c.toml").write_text('actor = "agent:ci"\n[scan]\ncommits = 7\n')
    (t2c.root / "pyproject.toml").write_text("[tool.t2c]\ndebug = true\n")
    ran = t2c("config", "show", "--origin", env={"T2C_SCAN_COMMITS": "9", "T2C_SCAN_COMITS": "8"})
    assert ran.code == 0
    assert re.search(r'^actor = "agent:ci" +# t2c\.toml$', ran.out, re.MULTILINE)
    assert re.search(r"^scan\.commits = 9 +# environment T2C_SCAN_COMMITS$", ran.out, re.MULTILINE)
    assert re.search(r"^debug = false +# default$", ran.out, re.MULTILINE)
    assert "# file: pyproject.toml [tool.t2c] (left aside: t2c.toml stands beside it)\n" in ran.out
    assert "warning: [tool.t2c] in pyproject.toml is left aside" in ran.err
    assert "T2C_SCAN_COMITS means nothing to t2c; did you mean T2C_SCAN_COMMITS?" in ran.err


def test_what_config_show_prints_is_a_configuration(t2c: Any) -> None:
    (t2c.root / "t2c.toml").write_text('actor = "agent:ci"\nscan.exclude = ["*.ż", "b\\"c"]\n')
    first = t2c("config", "show", "--json").document
    assert first["schema"] == "t2c.config/v1"
    (t2c.root / "t2c.toml").write_text(t2c("config", "show").out)
    second = t2c("config", "show", "--json").document
    assert {name: found["value"] for name, found in first["settings"].items()} == {
        name: found["value"] for name, found in second["settings"].items()
    }
    assert second["settings"]["debug"]["origin"] == "t2c.toml"


def test_a_wrong_configuration_is_2_with_file_and_line(t2c: Any) -> None:
    (t2c.root / "t2c.toml").write_text('actor = "human:me"\n[scan]\ncommitz = 1\n')
    ran = t2c("config", "show")
    assert (ran.code, ran.out) == (2, "")
    assert "unknown setting scan.commitz; did you mean scan.commits?\n  where: t2c.toml:3\n" in ran.err


# colour


def on_terminal(t2c: Any, *arguments: str, **env: str) -> str:
    """What the command prints when stdout and stderr are a terminal."""
    ours, theirs = pty.openpty()
    process = t2c.start(*arguments, stdout=theirs, stderr=theirs, env={"TERM": "xterm", **env})
    os.close(theirs)
    said = b""
    try:
        while chunk := os.read(ours, 4096):
            said += chunk
    except OSError:
        pass
    os.close(ours)
    process.wait(60)
    return said.decode()


def test_colour_is_for_terminals(t2c: Any) -> None:
    assert "\x1b[" in on_terminal(t2c, "config", "show", "--origin")
    assert "\x1b[31m" in on_terminal(t2c, "confg")
    assert "\x1b[" not in on_terminal(t2c, "config", "show", "--origin", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(t2c, "config", "show", "--origin", TERM="dumb")
    assert "\x1b[" not in on_terminal(t2c, "--color", "never", "config", "show", "--origin")
    assert "\x1b[" not in t2c("config", "show", "--origin").out


def test_colour_where_it_is_asked_for(t2c: Any) -> None:
    show = ("config", "show", "--origin")
    assert "\x1b[" in t2c("--color", "always", *show, env={"NO_COLOR": "1"}).out
    assert "\x1b[" in t2c(*show, env={"T2C_COLOR": "always"}).out
    assert "\x1b[" in t2c(*show, env={"FORCE_COLOR": "1"}).out
    assert "\x1b[" not in t2c(*show, env={"T2C_COLOR": "always", "NO_COLOR": "1"}).out
    assert "\x1b[" not in t2c(*show, env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).out
    assert "\x1b[31m" in t2c("--color", "always", "confg").err
    assert "\x1b[31m" in t2c("confg", env={"T2C_COLOR": "always"}).err
    assert "\x1b[" not in on_terminal(t2c, "confg", T2C_COLOR="never")


# completion


@pytest.mark.parametrize("shell", SHELLS)
def test_completion_scripts_are_printed(t2c: Any, shell: str) -> None:
    for arguments in ((f"--show-completion={shell}",), ("--show-completion", shell)):
        ran = t2c(*arguments)
        assert (ran.code, ran.err) == (0, "")
        assert "_T2C_COMPLETE" in ran.out


def test_completion_of_an_unknown_shell_is_a_usage_error(t2c: Any) -> None:
    ran = t2c("--show-completion=tcsh")
    assert ran.code == 2
    assert "bash" in ran.err


def test_completion_is_installed_below_the_home(t2c: Any) -> None:
    ran = t2c("--install-completion", "fish")
    assert ran.code == 0
    script = t2c.home / ".config" / "fish" / "completions" / "t2c.fish"
    assert ran.out == f"{script}\n"
    assert "_T2C_COMPLETE" in script.read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("t2c con", ["config"]),
        ("t2c config ", ["show"]),
        ("t2c config show --or", ["--origin"]),
        ("t2c schemas show record.obs", ["record.observed.v1"]),
        ("t2c --root /tmp sch", ["schemas"]),
    ],
)
def test_bash_is_offered_commands_options_and_values(t2c: Any, words: str, expected: list[str]) -> None:
    parts = words.split(" ")
    env = {"_T2C_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(parts) - 1)}
    ran = t2c(env=env)
    assert ran.code == 0
    assert ran.out.split() == expected
