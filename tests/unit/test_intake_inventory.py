"""One walk, one matcher: what is listed, what is left out, and that nothing is left out in silence."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from t2c.ledger.errors import Usage
from t2c.ledger.intake.inventory import Inventory, repository_name, take_inventory


def put(root: Path, *paths: str, text: str = "x") -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def names(inventory: Inventory) -> list[str]:
    return [entry.path for entry in inventory.files]


def reasons(inventory: Inventory) -> list[tuple[str, str | None, int]]:
    return [(warning.reason, warning.path, warning.count) for warning in inventory.warnings]


def git(folder: Path, *arguments: str) -> str:
    isolated = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=folder, env=isolated, check=True, capture_output=True, text=True
    )
    return done.stdout


def test_files_come_in_byte_order_with_their_sizes(tmp_path: Path) -> None:
    put(tmp_path, "b.py", "a/z.py", "a.py", "ä.py", "Z.py", "a/b/c.py")
    put(tmp_path, "long.txt", text="four")
    inventory = take_inventory(tmp_path)
    assert names(inventory) == ["Z.py", "a.py", "a/b/c.py", "a/z.py", "b.py", "long.txt", "ä.py"]
    assert {entry.path: entry.size for entry in inventory.files}["long.txt"] == 4
    assert inventory.warnings == ()


def test_it_answers_what_a_statement_names(tmp_path: Path) -> None:
    put(tmp_path, "src/cli.py", "tests/cli.py", "README.md")
    inventory = take_inventory(tmp_path)
    assert "src/cli.py" in inventory
    assert "cli.py" not in inventory
    assert inventory.named("cli.py") == ("src/cli.py", "tests/cli.py")
    assert inventory.named("nothing.py") == ()


def test_our_folders_and_git_are_invisible_at_any_depth(tmp_path: Path) -> None:
    put(
        tmp_path, ".git/config", ".t2c/journal.ndjson", ".dwp/plan.json", "a/.t2c/journal.ndjson", "a/kept.py"
    )
    assert names(take_inventory(tmp_path)) == ["a/kept.py"]


def test_rules_nest_as_in_git(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="*.log\nbuild/\n/top.txt\n!keep.log\n")
    put(tmp_path, "sub/.gitignore", text="!own.log\nlocal.txt\n")
    put(tmp_path, "x.log", "keep.log", "top.txt", "sub/top.txt", "build/a.py", "build/keep.log")
    put(tmp_path, "sub/own.log", "sub/local.txt", "local.txt", "sub/deep/local.txt")
    assert names(take_inventory(tmp_path)) == [
        ".gitignore", "keep.log", "local.txt", "sub/.gitignore", "sub/own.log", "sub/top.txt",
    ]  # fmt: skip


def test_a_file_in_an_excluded_folder_cannot_come_back(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="out/\n!out/kept.py\n")
    put(tmp_path, "out/.gitignore", text="!*\n")
    put(tmp_path, "out/kept.py")
    assert names(take_inventory(tmp_path)) == [".gitignore"]


def test_later_kinds_of_ignore_files_win(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="a.py\nb.py\n")
    put(tmp_path, ".dockerignore", text="!a.py\nc.py\n")
    put(tmp_path, ".intentignore", text="!b.py\n!c.py\nd.py\n")
    put(tmp_path, "a.py", "b.py", "c.py", "d.py")
    assert [name for name in names(take_inventory(tmp_path)) if name.endswith(".py")] == [
        "a.py",
        "b.py",
        "c.py",
    ]


def test_what_only_a_dockerignore_hides_is_told(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="both.log\n")
    put(tmp_path, ".dockerignore", text="both.log\ndocs\n*.md\n")
    put(tmp_path, "both.log", "docs/a.md", "TODO.md", "a.py")
    inventory = take_inventory(tmp_path)
    assert names(inventory) == [".dockerignore", ".gitignore", "a.py"]
    assert reasons(inventory) == [("hidden_by_dockerignore", None, 2)]
    assert "TODO.md, docs" in inventory.warnings[0].detail


def test_private_rules_of_the_repository_hold_in_its_worktrees_too(tmp_path: Path) -> None:
    main, linked = tmp_path / "main", tmp_path / "linked"
    main.mkdir()
    git(main, "init", "-q")
    put(main, ".git/info/exclude", text="secret.txt\n")
    put(main, "a.py", "secret.txt")
    git(main, "add", "a.py")
    git(main, "commit", "-qm", "one")
    git(main, "worktree", "add", "-q", str(linked))
    put(linked, "secret.txt", "b.py")
    assert names(take_inventory(main)) == ["a.py"]
    assert names(take_inventory(linked)) == ["a.py", "b.py"]


def test_excluded_patterns_of_the_caller_cannot_be_taken_back(tmp_path: Path) -> None:
    put(tmp_path, "vendor/.gitignore", text="!*\n")
    put(tmp_path, "vendor/a.py", "b.py", "c/vendor/d.py", "c/e.py")
    assert names(take_inventory(tmp_path, exclude=["/vendor/", "c/**/d.py"])) == ["b.py", "c/e.py"]


def test_a_pruned_folder_is_told_unless_a_rule_ignores_it(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="/a/node_modules\n")
    put(tmp_path, "a/node_modules/x.js", "b/node_modules/x.js", "__pycache__/m.pyc", "venv", "b/y.js")
    inventory = take_inventory(tmp_path)
    assert names(inventory) == [".gitignore", "b/y.js", "venv"]
    assert reasons(inventory) == [("pruned_folder", "__pycache__", 1), ("pruned_folder", "b/node_modules", 1)]


def test_links_are_counted_and_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    put(outside, "secret.txt")
    root = tmp_path / "root"
    put(root, "a.py", "sub/b.py")
    (root / "loop").symlink_to(root)
    (root / "sub/out").symlink_to(outside)
    (root / "dangling").symlink_to("nowhere")
    (root / "file").symlink_to("a.py")
    inventory = take_inventory(root)
    assert names(inventory) == ["a.py", "sub/b.py"]
    assert reasons(inventory) == [("symlink_not_followed", None, 4)]
    assert inventory.warnings[0].detail.endswith("dangling, file, loop, sub/out")


def test_a_linked_ignore_file_gives_no_rules(tmp_path: Path) -> None:
    put(tmp_path, "rules", "a.py", text="*.py\n")
    (tmp_path / ".gitignore").symlink_to("rules")
    assert names(take_inventory(tmp_path)) == ["a.py", "rules"]


def test_names_that_are_not_utf8_are_quoted_as_git_quotes_them(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/d\xe9"
    os.mkdir(folder)
    for name in (b"a.py", b'tab\t"\xff.py'):
        with open(folder + b"/" + name, "wb") as file:
            file.write(b"pass")
    git(tmp_path, "init", "-q")
    listed = git(tmp_path, "ls-files", "-o").splitlines()
    inventory = take_inventory(tmp_path)
    assert names(inventory) == sorted(listed) == ['"d\\351/a.py"', '"d\\351/tab\\t\\"\\377.py"']
    assert reasons(inventory) == [("undecodable_name", None, 2)]
    for path in names(inventory):
        assert (tmp_path / inventory.on_disk(path)).read_bytes() == b"pass"


def test_utf8_names_stay_as_they_are() -> None:
    assert repository_name('zażółć \t".py'.encode()) == 'zażółć \t".py'


def test_rules_are_matched_on_bytes(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="ż?.py\n[!a]x.py\n")
    put(tmp_path, "żu.py", "żó.py", "éx.py", "bx.py")  # ó is two bytes, so ? matches only half of it
    git(tmp_path, "init", "-q")
    kept = git(tmp_path, "-c", "core.quotePath=false", "ls-files", "-o", "--exclude-standard").splitlines()
    assert names(take_inventory(tmp_path)) == sorted(kept) == [".gitignore", "éx.py", "żó.py"]


def test_special_files_are_told(tmp_path: Path) -> None:
    put(tmp_path, "a.py")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s"))
        inventory = take_inventory(tmp_path)
    assert names(inventory) == ["a.py"]
    assert reasons(inventory) == [("special_file", "pipe", 1), ("special_file", "s", 1)]


def test_nested_repositories_are_not_entered(tmp_path: Path) -> None:
    put(
        tmp_path,
        "a.py",
        "clone/.git/HEAD",
        "clone/b.py",
        "module/.git",
        "module/c.py",
        "ignored/.git",
        "ignored/d.py",
    )
    put(tmp_path, ".gitignore", text="ignored\n")
    inventory = take_inventory(tmp_path)
    assert names(inventory) == [".gitignore", "a.py"]
    assert reasons(inventory) == [("nested_repository", "clone", 1), ("nested_repository", "module", 1)]


def test_a_folder_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a.py")
    step = "d" * 200
    here = os.open(tmp_path, os.O_RDONLY)
    depth = 0
    while depth * 201 < 4200:  # longer than a path may be: whoever walks it gets an error
        os.mkdir(step, dir_fd=here)
        below = os.open(step, os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
        depth += 1
    os.close(here)
    inventory = take_inventory(tmp_path)
    assert names(inventory) == ["a.py"]
    (warning,) = inventory.warnings
    assert (warning.reason, warning.count) == ("unreadable_folder", 1)
    assert warning.path is not None and warning.path.startswith(step + "/")


def test_a_folder_without_permission_is_told(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "locked/b.py")
    here, user = tmp_path, os.geteuid()
    while user == 0 and here != here.parent:  # whoever root becomes must still reach the folder
        here.chmod(here.stat().st_mode | 0o055)
        here = here.parent
    (tmp_path / "locked").chmod(0)
    try:
        if user == 0:
            os.seteuid(65534)  # permission bits do not bind root
        inventory = take_inventory(tmp_path)
    finally:
        os.seteuid(user)
        (tmp_path / "locked").chmod(0o755)
    assert names(inventory) == ["a.py"]
    assert reasons(inventory) == [("unreadable_folder", "locked", 1)]


def test_an_oversized_ignore_file_is_told(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="a.py\n" + "#" * (4 * 1024 * 1024))
    put(tmp_path, "a.py")
    inventory = take_inventory(tmp_path)
    assert names(inventory) == [".gitignore", "a.py"]
    assert reasons(inventory) == [("oversized_ignore_file", ".gitignore", 1)]


def test_no_rule_from_above_the_root_counts(tmp_path: Path) -> None:
    put(tmp_path, ".gitignore", text="*.py\n")
    put(tmp_path, "root/a.py")
    assert names(take_inventory(tmp_path / "root")) == ["a.py"]


def test_a_root_that_is_no_folder_is_a_usage_error(tmp_path: Path) -> None:
    put(tmp_path, "file")
    for root in (tmp_path / "file", tmp_path / "nothing"):
        with pytest.raises(Usage):
            take_inventory(root)


def test_progress_ends_with_the_number_of_files(tmp_path: Path) -> None:
    put(tmp_path, "a.py", "b.py")
    told: list[tuple[str, int, int | None]] = []
    take_inventory(tmp_path, progress=lambda *step: told.append(step))
    assert told[-1] == ("inventory", 2, 2)
