"""A gate is announced, run and recorded as it went, and nothing that it began lives on.

Mutations seen to fail: no sweep after the end; SIGTERM only; words given to a shell; all variables handed on; output
not masked; the outcome recorded with the announcement's cause left out; the interruption swallowed.
"""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from t2c.ledger.engine import JOURNAL, Ledger, create
from t2c.ledger.errors import Refused, Usage
from t2c.ledger.execution import gates
from t2c.ledger.execution.copies import scratch_copy
from t2c.ledger.execution.gates import Gate, GateResult, equivalence, find_reusable
from t2c.ledger.execution.process import run_command
from t2c.ledger.redaction.funnel import Funnel

SECRET = "correct-horse-battery-9"
ENVIRON = {
    "PATH": os.environ["PATH"], "HOME": "/home/ada", "LANG": "C.UTF-8", "LC_TIME": "C", "TERM": "xterm",
    "JAVA_HOME": "/opt/java", "PYTHONPATH": "/elsewhere", "GIT_DIR": "/elsewhere", "HTTPS_PROXY": "http://u:p@h",
    "OPENROUTER_API_KEY": SECRET, "USER": SECRET,
}  # fmt: skip
Run = Callable[..., GateResult]


@pytest.fixture
def masking(tmp_path: Path) -> Iterator[Ledger]:
    """A ledger to which one secret is known; the tree is the folder that it lies in."""
    create(tmp_path / ".t2c")
    with Ledger(tmp_path / ".t2c", hold=True, funnel=Funnel((SECRET,))) as opened:
        yield opened


@pytest.fixture
def run(masking: Ledger, tmp_path: Path) -> Run:
    """run(words or text, **members of the gate): its result."""

    def start(*words: str, **more: Any) -> GateResult:
        also = {name: more.pop(name) for name in ("progress", "cause", "keep", "grace") if name in more}
        also.setdefault("grace", 0.1)
        if words:
            more["argv"] = words
        gate = Gate(purpose="test", **more)
        return gates.run_gate(masking, tmp_path, gate, environ=ENVIRON, **also)

    return start


def events(ledger: Ledger) -> list[dict[str, Any]]:
    """What the journal says after its first event."""
    lines = (ledger.workspace / JOURNAL).read_bytes().splitlines()[1:]
    return [orjson.loads(line) for line in lines]


def said(ledger: Ledger, result: GateResult) -> str:
    return ledger.objects.get(result.output).decode()


def alive(pid: int) -> bool:
    """True while a process runs; one that only waits to be laid to rest does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def gone(pid: int) -> bool:
    """True once a process does not run any more; it is given a moment."""
    until = time.monotonic() + 5
    while time.monotonic() < until:
        if not alive(pid):
            return True
        time.sleep(0.01)
    return False


def test_a_gate_is_announced_then_run_then_recorded(run: Run, masking: Ledger, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    first = run("true")
    journal = tmp_path / ".t2c" / "journal.ndjson"
    result = run(
        "sh", "-c", f"pwd; tail -n 1 {journal}; echo err >&2; echo out; exit 3",
        cwd="sub", subject="AC-a", environment={"A": "b"}, criterion="AC-a", task="T-a", cause=(first.ran,),
        fingerprint="0" * 64,
    )  # fmt: skip
    announced, ran = events(masking)[-2:]
    lines = said(masking, result).splitlines()
    assert lines[0] == str(tmp_path / "sub") and lines[2:] == ["err", "out"]
    assert orjson.loads(lines[1]) == announced, "it stands in the journal before the command runs"
    assert announced["type"] == "gate.announced" and announced["cause"] == [first.ran]
    data = announced["data"]
    assert (data["argv"][0], data["command"], data["cwd"], data["environment"]) == (
        "sh",
        None,
        "sub",
        {"A": "b"},
    )
    assert (data["criterion"], data["task"], data["tree"]) == ("AC-a", "T-a", "work_tree")
    assert ran["type"] == "gate.ran" and ran["cause"] == [announced["id"]] == [ran["data"]["announced"]]
    assert {(one["actor"]["kind"], one["trust"]) for one in (announced, ran)} == {("helper", "observed")}
    assert (result.announced, result.ran) == (announced["id"], ran["id"])
    assert (result.outcome, result.exit_code, result.passed) == ("exited", 3, False)
    assert result.output_bytes == result.kept_bytes == len(said(masking, result).encode())
    assert first.passed and first.duration_ms < 5000


def test_words_are_no_shell_and_a_text_is(run: Run, masking: Ledger) -> None:
    plain = run("printf", "%s|", "$HOME", "a b", "*", "; exit 9", "", "`id`")
    assert said(masking, plain) == "$HOME|a b|*|; exit 9||`id`|"
    shell = run(command="echo $HOME && exit 4")
    assert (said(masking, shell), shell.exit_code) == ("/home/ada\n", 4)
    assert run(command="surely-no-command").outcome == "exited"
    assert run(command="surely-no-command").exit_code == 127


def test_what_cannot_be_started_is_recorded(run: Run, masking: Ledger, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("echo no\n")
    (tmp_path / "bare").write_text("echo no\n")
    (tmp_path / "bare").chmod(0o755)
    found = [
        run("surely-no-command"),
        run("./none"),
        run("./plain"),
        run("./bare"),
        run("true", "x" * 200_000),
    ]
    assert [(one.outcome, one.exit_code) for one in found] == [
        ("not_started", 127), ("not_started", 127), ("not_started", 126), ("not_started", 126), ("not_started", 126),
    ]  # fmt: skip
    assert "No such file" in found[0].detail and "Exec format" in found[3].detail
    assert len(events(masking)) == 10


def test_how_a_command_ends_is_told(run: Run) -> None:
    assert [run(command=f"exit {code}").exit_code for code in (0, 1, 124, 255)] == [0, 1, 124, 255]
    killed = run(command="kill -SEGV $$")
    assert (killed.outcome, killed.exit_code, killed.detail) == ("signalled", 139, "SIGSEGV")
    assert run(command="kill -9 $$").exit_code == 137


def test_a_command_reads_nothing_has_no_terminal_and_default_signals(run: Run, masking: Ledger) -> None:
    code = (
        "import os,signal,sys; print(repr(sys.stdin.read()), os.getsid(0) == os.getpid(), "
        "[s.name for s in signal.valid_signals() if isinstance(s, signal.Signals) and signal.getsignal(s) == "
        "signal.SIG_IGN and s not in (signal.SIGPIPE, signal.SIGXFSZ)], sorted(os.listdir('/proc/self/fd')))\n"
        "try: open('/dev/tty')\nexcept OSError: print('none')"
    )
    before = os.dup(1)
    os.set_inheritable(before, True)
    try:
        result = run(sys.executable, "-c", code)
    finally:
        os.close(before)
    assert said(masking, result) == "'' True [] ['0', '1', '2', '3']\nnone\n"


def test_only_what_is_listed_or_declared_is_in_its_environment(run: Run, masking: Ledger) -> None:
    result = run("env", environment={"DECLARED": "yes", "LANG": "pl"})
    found = dict(line.split("=", 1) for line in said(masking, result).splitlines())
    assert found == {
        "PATH": ENVIRON["PATH"], "HOME": "/home/ada", "LANG": "pl", "LC_TIME": "C", "TERM": "dumb",
        "JAVA_HOME": "/opt/java", "DECLARED": "yes", "T2C_ACTOR": "agent:gate", "T2C_GATE": "1",
    }  # fmt: skip
    count = len(events(masking))
    for name in ("T2C_ACTOR", "T2C_GATE"):
        with pytest.raises(Refused, match="sets it itself"):
            run("env", environment={name: "human:boss"})
    with pytest.raises(Refused, match="known secret"):
        run("env", environment={"KEY": f"x{SECRET}"})
    assert len(events(masking)) == count


def test_a_variable_that_is_no_text_is_handed_on_as_it_is(masking: Ledger, tmp_path: Path) -> None:
    gate = Gate(purpose="test", argv=("printenv", "HOME"), fingerprint="0" * 64)
    result = gates.run_gate(masking, tmp_path, gate, environ={"HOME": os.fsdecode(b"/home/\xff")})
    assert masking.objects.get(result.output) == b"/home/\xff\n", "and there is a PATH even if none was given"
    assert events(masking)[0]["data"]["equivalence"] is None


def test_the_watcher_needs_the_standard_library_alone() -> None:
    source = Path(gates.__file__).with_name("warden.py").read_text()
    found = {
        name.partition(".")[0]
        for node in ast.walk(ast.parse(source))
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or "relative"]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert "select" in found and found <= sys.stdlib_module_names


@pytest.mark.parametrize(
    "members",
    [
        {}, {"argv": ()}, {"argv": ("",)}, {"argv": ("true",), "command": "true"}, {"command": " "},
        {"argv": ("true", "\0")}, {"argv": ("true", "\ud800")}, {"argv": ("true",), "timeout_seconds": 0},
        {"argv": ("true",), "cwd": ".."}, {"argv": ("true",), "cwd": "/"}, {"argv": ("true",), "cwd": "out"},
        {"argv": ("true",), "cwd": "none"}, {"argv": ("true",), "cwd": "file"},
        {"argv": ("true",), "environment": {"A=B": "c"}}, {"argv": ("true",), "environment": {"": "c"}},
        {"argv": ("true",), "environment": {"A": "\0"}},
    ],
)  # fmt: skip
def test_what_cannot_be_run_as_written_is_refused_unannounced(
    run: Run, masking: Ledger, tmp_path: Path, members: dict[str, Any]
) -> None:
    (tmp_path / "out").symlink_to("/")
    (tmp_path / "file").touch()
    with pytest.raises(Usage):
        run(**members)
    assert events(masking) == []


def test_output_is_masked_and_what_is_no_text_is_kept(run: Run, masking: Ledger) -> None:
    code = f"import os; os.write(1, bytes(range(256)) + b'\\n{SECRET}\\nAKIAIOSFODNN7EXAMPLB\\n')"
    result = run(sys.executable, "-c", code)
    kept = masking.objects.get(result.output)
    assert kept.startswith(bytes(range(256))) and SECRET.encode() not in kept
    assert b"[redacted:known_secret]" in kept and b"AKIAIOSFODNN7" not in kept
    assert result.masked["known_secret"] == 1 and len(result.masked) == 2
    assert SECRET not in (masking.workspace / JOURNAL).read_text(), "nor in the words that were announced"


def test_a_flood_is_bounded_fast_and_its_length_told(run: Run, masking: Ledger) -> None:
    code = "import os\nb = (b'%063d\\n' * 8192) % tuple(range(8192))\nfor _ in range(100): os.write(1, b)"
    began = time.monotonic()
    result = run(sys.executable, "-c", code, keep=1 << 20)
    assert time.monotonic() - began < 5
    kept = masking.objects.get(result.output)
    assert result.output_bytes == 100 << 19 and result.kept_bytes == 1 << 20
    note = b"\n[%d bytes of %d were left out here]\n" % ((100 << 19) - (1 << 20), 100 << 19)
    assert kept == kept[: 1 << 19] + note + kept[-(1 << 19) :]
    assert kept.startswith(b"%063d\n" % 0) and kept.endswith(b"%063d\n" % 8191)


def test_a_closed_output_is_not_the_end(run: Run, masking: Ledger) -> None:
    result = run(command="echo first; exec >&- 2>&-; sleep 0.1; exit 5")
    assert (said(masking, result), result.exit_code) == ("first\n", 5)
    assert result.duration_ms >= 100


def test_nothing_that_a_command_began_outlives_it(run: Run, masking: Ledger) -> None:
    result = run(command="sleep 60 & echo $!; (trap '' TERM HUP; setsid sleep 60 & echo $!); echo done")
    *pids, last = said(masking, result).splitlines()
    assert result.passed and last == "done" and result.duration_ms < 5000
    assert [gone(int(pid)) for pid in pids] == [True, True]


STUBBORN = """
import os, signal, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
print(os.getpid(), flush=True)
time.sleep(60)
"""


TIDY = "trap 'echo tidied; exit 7' TERM; sleep 60 & wait"


def test_time_over_ends_even_those_who_ignore_it(run: Run, masking: Ledger) -> None:
    result = run(sys.executable, "-c", STUBBORN, timeout_seconds=1)
    assert (result.outcome, result.exit_code, result.passed) == ("timed_out", 124, False)
    assert 1000 <= result.duration_ms < 4000
    pids = [int(line) for line in said(masking, result).splitlines()]
    assert len(pids) == 2 and all(gone(pid) for pid in pids)


def test_time_over_is_told_to_the_command_first(tmp_path: Path) -> None:
    heard: list[bytes] = []
    ended = run_command(("sh", "-c", TIDY), tmp_path, ENVIRON, 0.2, heard.append, grace=30)
    assert (ended.outcome, ended.exit_code) == ("timed_out", 124)
    assert b"".join(heard) == b"tidied\n" and ended.duration_ms < 5000


def test_ctrl_c_ends_the_command_and_is_recorded_and_raised(
    run: Run, masking: Ledger, tmp_path: Path
) -> None:
    def interrupt() -> None:
        until = time.monotonic() + 20
        while not (tmp_path / "begun").exists() and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)
        os.kill(os.getpid(), signal.SIGINT)

    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        threading.Thread(target=interrupt).start()
        with pytest.raises(KeyboardInterrupt):
            run(command=f"(trap '' TERM; setsid sleep 60 & echo $!); echo $$; touch begun; {TIDY}", grace=30)
    finally:
        signal.signal(signal.SIGINT, previous)
    _, ran = events(masking)
    assert (ran["data"]["outcome"], ran["data"]["exit_code"]) == ("interrupted", 130)
    *pids, last = masking.objects.get(ran["data"]["output"]).decode().split()
    assert len(pids) == 2 and all(gone(int(pid)) for pid in pids)
    assert last == "tidied", "it was asked first"


def test_an_error_in_whoever_is_told_ends_the_command_too(run: Run, masking: Ledger) -> None:
    def broken(stage: str, done: int, total: int | None) -> None:
        raise LookupError(stage)

    with pytest.raises(LookupError):
        run(command=f"echo begun; {TIDY}", progress=broken, grace=30)
    data = events(masking)[-1]["data"]
    assert (data["outcome"], data["detail"]) == ("interrupted", "LookupError")
    assert masking.objects.get(data["output"]) == b"begun\ntidied\n"


def test_an_output_that_nobody_can_take_ends_the_command(tmp_path: Path) -> None:
    def broken(block: bytes) -> None:
        raise MemoryError

    words = ("sh", "-c", "echo $$; trap 'echo tidied' TERM; sleep 60 & wait; sleep 60")
    ended = run_command(words, tmp_path, ENVIRON, 30, broken, grace=30)
    assert (ended.outcome, ended.exit_code) == ("interrupted", 130)
    assert isinstance(ended.interruption, MemoryError) and ended.duration_ms < 10_000


def test_a_command_that_ends_its_watcher_ends_itself(run: Run) -> None:
    result = run(command="kill -9 $PPID; exec sleep 60")
    assert (result.outcome, result.exit_code) == ("signalled", 137)
    assert "watched" in result.detail and result.duration_ms < 5000


SPY = """
import os
def read(pid):
    try:
        return "PATH=" in open(f"/proc/{pid}/environ").read()
    except PermissionError:
        return False
process, found = os.getppid(), []
for _ in range(2):
    with open(f"/proc/{process}/stat") as file:
        name, _, rest = file.read().partition("(")[2].rpartition(")")
    found.append((name == "t2c-warden", read(process)))
    process = int(rest.split()[1])
print(read("self"), found)
"""


@pytest.mark.skipif(
    sys.platform != "linux", reason="only there variables of a process can be read by its name"
)
def test_the_variables_of_those_above_a_command_cannot_be_read(masking: Ledger, tmp_path: Path) -> None:
    code = f"""
import os, sys
from pathlib import Path
from t2c.ledger.execution.process import run_command
run = lambda: run_command([{sys.executable!r}, "-c", {SPY!r}], Path("/"), {{"PATH": "/bin"}}, 30, lambda block: os.write(1, block))
run()
dumpable = os.stat("/proc/self/environ").st_uid == os.getuid()
print(dumpable, Path("/proc/self/environ").read_text() != "")
"""
    if os.getuid() == 0 and shutil.which("setpriv") is None:
        pytest.skip("whoever may trace everything reads everything")
    plain = ["setpriv", "--inh-caps=-all", "--bounding-set=-all"] if os.getuid() == 0 else []
    done = subprocess.run([*plain, sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert done.stdout.splitlines() == ["True [(True, False), (False, False)]", "True True"], done.stderr


def test_progress_is_told_while_a_command_runs(run: Run) -> None:
    told: list[tuple[str, int, int | None]] = []
    run("sleep", "0.6", progress=lambda *now: told.append(now))
    assert told and {stage for stage, _, _ in told} == {"test"}


def test_in_a_copy_git_does_not_find_what_is_around_it(run: Run, masking: Ledger, tmp_path: Path) -> None:
    os.system(f"git init -q {tmp_path}")
    (tmp_path / "in").mkdir()
    inside = gates.run_gate(
        masking,
        tmp_path / "in",
        Gate(purpose="test", argv=("git", "rev-parse"), tree="copy"),
        environ=ENVIRON,
    )
    assert (inside.exit_code, run("git", "rev-parse").exit_code) == (128, 0)
    with scratch_copy(tmp_path, {"x.sh": b"#!/bin/sh\npwd\n"}) as copy:
        gate = Gate(purpose="test", argv=("sh", "x.sh"), tree="copy")
        assert gates.run_gate(masking, copy, gate, environ=ENVIRON).passed


def test_equal_commands_on_equal_trees_are_equivalent_and_nothing_else_is() -> None:
    funnel = Funnel((SECRET,))
    gate = {"purpose": "a", "argv": ("pytest", "-q"), "fingerprint": "1" * 64}

    def key(environment: dict[str, str] | None = None, **more: Any) -> str | None:
        return equivalence(Gate(**{**gate, **more}), environment or {"PATH": "/bin"}, funnel)

    first = key()
    assert first is not None and first == key(purpose="b", criterion="AC-b", timeout_seconds=5, revision="x")
    others = [
        key(argv=("pytest -q",)), key(argv=None, command="pytest -q"), key(cwd="sub"), key(fingerprint="2" * 64),
        key(surface={"out": None}), key(surface={"out": "1" * 64}), key({"PATH": "/usr/bin"}), key({"PATH": "/bin", "A": ""}),
    ]  # fmt: skip
    assert len({first, *others}) == 9 and None not in others
    assert key(fingerprint=None) is key(tree="copy") is key(tree="worktree") is None
    assert key(argv=("login", SECRET)) is None


def test_the_latest_run_that_ended_by_itself_may_be_used_again(run: Run, masking: Ledger) -> None:
    about: dict[str, Any] = {"fingerprint": "1" * 64, "task": "T-a", "criterion": "AC-a"}
    failed = run(command="exit $N", environment={"N": "3"}, **about)
    key = events(masking)[0]["data"]["equivalence"]
    again = run(command="exit $N", environment={"N": "3"}, **about)
    run(command="exit $N", environment={"N": "3"}, fingerprint="1" * 64, task="T-a", criterion="AC-b")
    run(command="kill -9 $$", **about)
    stopped = events(masking)[-2]["data"]["equivalence"]

    def found(key: str | None, after: int = 0, criterion: str = "AC-a") -> str | None:
        result = find_reusable(masking.entries(), key, task="T-a", criterion=criterion, after=after)
        return None if result is None else result.ran

    seqs = {event["id"]: event["seq"] for event in events(masking)}
    assert found(key) == again.ran != failed.ran
    reusable = find_reusable(masking.entries(until=seqs[failed.ran]), key, task="T-a", criterion="AC-a")
    assert reusable is not None and (reusable.ran, reusable.exit_code) == (failed.ran, 3)
    assert found(key, after=seqs[again.ran]) is None and found(key, after=seqs[again.announced]) is None
    assert found(key, criterion="AC-c") is None and found("0" * 64) is None and found(None) is None
    assert stopped is not None and found(stopped) is None
