"""From a repository to a labelled folder: entries, commits, labels, ranges; nothing in it holds a number.

A folder has `entries.jsonl`, `commits.jsonl`, `labels.jsonl`, `diffs.jsonl`, `versions.json`, `tree.json`, `meta.json`.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections import Counter, defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

from linkbench.entries import Entry, read
from linkbench.references import (
    entry_numbers,
    message_numbers,
    without_references,
    without_references_in_message,
)
from linkbench.words import is_source, tokens

__all__ = ["MAX_COMMITS", "Repository", "build", "git", "lines_of", "write_lines"]

MAX_COMMITS = 1500
MAX_LABELS = 250
MAX_NUMBERS = 4
"""An entry or commit of more numbers is a list."""
MAX_LABEL_COMMITS = 6
MAX_CONSTITUENTS = 40
_CHANGELOG = re.compile(r"(^|/)(change(s|log)?|history|news|release-?notes)[^/]*$", re.IGNORECASE)
_PULL_REQUEST = re.compile(r"^(Merge pull request #\d+|Auto merge of #\d+)|\(#\d+\)\s*$")
_NO_CHANGE = re.compile(
    r"contributor|^pull requests$|dependenc|^documentation$|acknowledg|thanks", re.IGNORECASE
)
_STAGE = re.compile(r"[-.]?(a|alpha|b|beta|rc|pre|dev)[-.]?(\d*)$", re.IGNORECASE)
_STAGES = {"dev": 0, "a": 1, "alpha": 1, "b": 2, "beta": 2, "pre": 2, "rc": 3}
_FRAGMENT = re.compile(r"((?:^|/)(?:changelog(?:\.d)?|newsfragments?|news|CHANGES)/)[\w-]*?\d+")


class Repository(NamedTuple):
    """A public repository, its changelog, the commit that is measured, and former names."""

    slug: str
    changelog: str
    head: str
    also: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.slug.partition("/")[2]

    def mirror(self, mirrors: Path) -> Path:
        """The bare repository below a folder of mirrors: `OWNER+NAME/repo`."""
        return mirrors / self.slug.replace("/", "+") / "repo"


class Commit(NamedTuple):
    sha: str
    parents: list[str]
    date: str
    subject: str
    body: str
    files: list[str]


def git(repository: Path, *arguments: str, check: bool = True, given: str | None = None) -> str:
    """What Git prints about a bare repository."""
    command = ["git", f"--git-dir={repository}", "-c", "core.quotepath=off", *arguments]
    done = subprocess.run(
        command, capture_output=True, input=None if given is None else given.encode(), check=False
    )
    if check and done.returncode:
        raise RuntimeError(done.stderr.decode("utf8", "replace")[:400])
    return done.stdout.decode("utf8", "replace")


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows))


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def build(of: Repository, mirrors: Path, target: Path) -> dict[str, Any]:
    """Label one repository; what was counted on the way is kept in `meta.json` and given back."""
    source = of.mirror(mirrors)
    target.mkdir(parents=True, exist_ok=True)
    commits = _commits(source, of.head)
    members, merge_of = _pull_requests(source, commits)
    bearing = _bearing(commits, of.slug)
    text = git(source, "show", f"{of.head}:{of.changelog}").replace("\r\n", "\n")
    told = [
        entry
        for entry in read(text, is_rst=of.changelog.endswith((".rst", ".txt")))
        if not _NO_CHANGE.search(entry.section or "")
    ]
    ranges = _Ranges(source, of, commits, list(dict.fromkeys(entry.version for entry in told)))
    counted: Counter[str] = Counter()
    entries: list[dict[str, Any]] = []
    labels: list[dict[str, Any]] = []
    versions: dict[str, Any] = {}
    place = {sha: at for at, sha in enumerate(commits)}
    for version in ranges.order:
        if (bounds := ranges.of(version, counted)) is None:
            continue
        if len(labels) >= MAX_LABELS:
            break
        versions[version] = bounds
        for entry in told:
            if entry.version == version:
                shown, numbers = _shown(entry, of, counted)
                if shown is None:
                    continue
                entries.append(shown)
                found = _label(numbers, entry, bearing, commits, bounds, counted)
                if found:
                    labels.append(
                        _with_files(shown["id"], numbers, found, members, merge_of, commits, bounds, place)
                    )
    tree = [
        path
        for path in git(source, "ls-tree", "-r", "--name-only", of.head).split("\n")
        if path and is_source(path)
    ]
    for label in labels:
        label["files_head"] = [path for path in label["files"] if path in set(tree)]
    shown_commits = _stripped(commits, {number for label in labels for number in label["numbers"]}, of.slug)
    write_lines(target / "entries.jsonl", entries)
    write_lines(target / "commits.jsonl", shown_commits)
    write_lines(target / "labels.jsonl", labels)
    (target / "versions.json").write_text(json.dumps(versions))
    (target / "tree.json").write_text(json.dumps(sorted(tree)))
    meta = {
        "slug": of.slug, "head": of.head, "changelog": of.changelog, "commits": len(commits),
        "entries": len(entries), "labels": len(labels), "in_range": sum(label["in_range"] for label in labels),
        "counted": dict(counted),
    }  # fmt: skip
    (target / "meta.json").write_text(json.dumps(meta, indent=1))
    return meta


def _commits(source: Path, head: str) -> dict[str, Commit]:
    """The newest commits by revision, newest first; a merge has the files of its first-parent difference."""
    shape = "%x1e%H%x1f%P%x1f%cI%x1f%s%x1f%b%x1d"
    raw = git(
        source, "log", head, f"-n{MAX_COMMITS}", "--date-order", "--diff-merges=first-parent", "--name-only",
        f"--format={shape}",
    )  # fmt: skip
    found: dict[str, Commit] = {}
    for chunk in raw.split("\x1e")[1:]:
        said, _, files = chunk.partition("\x1d")
        sha, parents, date, subject, *body = said.split("\x1f")
        listed = [path for path in files.strip().split("\n") if path]
        found[sha] = Commit(sha, parents.split(), date, subject, "\x1f".join(body), listed)
    return found


def _pull_requests(source: Path, commits: dict[str, Commit]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """The commits of each merged pull request, and of each such commit its merge."""
    members: dict[str, list[str]] = {}
    merge_of: dict[str, str] = {}
    for sha, commit in commits.items():
        if len(commit.parents) == 2 and _PULL_REQUEST.search(commit.subject):
            ours, theirs = commit.parents
            listed = git(source, "rev-list", "--no-merges", f"{ours}..{theirs}", check=False).split()
            inside = [one for one in listed if one in commits]
            if len(inside) <= MAX_CONSTITUENTS:
                members[sha] = inside
                for one in inside:
                    merge_of.setdefault(one, sha)
    return members, merge_of


def _bearing(commits: dict[str, Commit], slug: str) -> dict[int, set[str]]:
    """The commits that stand for each number; changelog-only ones and reverts stand for none."""
    found: dict[int, set[str]] = defaultdict(set)
    for sha, commit in commits.items():
        if re.match(r"Revert\b", commit.subject):
            continue
        numbers = message_numbers(commit.subject, commit.body, slug)
        if len(numbers) > MAX_NUMBERS or (commit.files and all(map(_CHANGELOG.search, commit.files))):
            continue
        for number in numbers:
            found[number].add(sha)
    return found


class _Ranges:
    """The commits between the tags of two versions."""

    def __init__(self, source: Path, of: Repository, commits: dict[str, Commit], order: list[str]) -> None:
        self.source, self.of_, self.commits, self.order = source, of, commits, order
        self.tags: dict[str, str] = {}
        shape = (
            "%(refname:strip=2)%09%(objectname)%09%(*objectname)%09%(creatordate:iso-strict)"
            "%09%(*committerdate:iso-strict)"
        )
        for line in git(source, "for-each-ref", f"--format={shape}", "refs/tags").split("\n"):
            if line:
                name, _, _, made, committed = line.split("\t")
                self.tags[name] = (committed or made)[:10]
        self.tag = {version: self._tag(version) for version in order if version != "Unreleased"}
        self.oldest = min(commit.date for commit in commits.values())[:10]

    def _tag(self, version: str) -> str | None:
        spelled = [version]
        if version.count(".") == 1:
            spelled.append(version + ".0")
        if version.endswith(".0"):
            spelled.append(version[:-2])
        name = self.of_.name
        folder = self.of_.changelog.rpartition("/")[0].rpartition("/")[2] or name
        shapes = (
            "v{}",
            "{}",
            name + "-{}",
            name + "-v{}",
            folder + "-v{}",
            folder + "@{}",
            "rel-{}",
            "release-{}",
        )
        written = (shape.format(one) for one in spelled for shape in (*shapes, "parent-{}"))
        return next((tag for tag in written if tag in self.tags), None)

    def _before(self, version: str) -> str | None:
        """The closest lower version with a tag; a release holds what its own candidates had."""
        tagged = [one for one in self.order if self.tag.get(one)]
        if version != "Unreleased":
            stable = not _STAGE.search(version)
            tagged = [
                one for one in tagged if _order(one) < _order(version) and not (stable and _STAGE.search(one))
            ]
        return max(tagged, key=_order, default=None)

    def of(self, version: str, counted: Counter[str]) -> dict[str, Any] | None:
        """The range of a version, or None where it has none within the commits looked at."""
        tag, before = self.tag.get(version), self._before(version)
        if version != "Unreleased" and not tag:
            counted["version_without_tag"] += 1
            return None
        before_tag = self.tag[before] if before else None
        since = self.tags[before_tag] if before_tag else None
        if since is None or since < self.oldest:
            counted["version_too_old"] += 1
            return None
        day = self.tags[tag] if tag else None
        end = tag or self.of_.head
        listed = git(self.source, "rev-list", f"{before_tag}..{end}", check=False).split()
        inside = [sha for sha in listed if sha in self.commits]
        kind = "tag"
        if not inside:
            kind = "date"
            inside = [sha for sha, one in self.commits.items() if since <= one.date[:10] <= (day or "9999")]
        return {"tag": tag, "prev_tag": before_tag, "date": day, "range_kind": kind, "range": inside}


def _order(version: str) -> tuple[int, ...]:
    stage = _STAGE.search(version)
    numbers = [int(part) for part in re.findall(r"\d+", version[: stage.start()] if stage else version)[:4]]
    numbers += [0] * (4 - len(numbers))
    return (*numbers, _STAGES[stage[1].lower()] if stage else 9, int(stage[2] or 0) if stage else 0)


def _shown(entry: Entry, of: Repository, counted: Counter[str]) -> tuple[dict[str, Any] | None, list[int]]:
    """The entry as a linker may see it, and its numbers; None if too little is left of it."""
    counted["entries"] += 1
    numbers = entry_numbers(entry.raw, of.slug, of.also)
    text = without_references(re.sub(r"^\s*[-*+]\s+", "", entry.raw))
    text = re.sub(r"\s+", " ", text).strip(" -–—:,")
    text = re.sub(r"\(\s*[,;\s]*\)", "", text).strip()
    if len(tokens(text)) < 3:
        counted["entry_too_short"] += 1
        return None, numbers
    for number in numbers:
        text = re.sub(rf"(?<!\d){number}(?!\d)", "", text)
    shown = {
        "id": f"{of.name}:{entry.version}:{entry.line}", "version": entry.version, "section": entry.section,
        "text": text, "path": of.changelog, "line": entry.line, "end": entry.end,
    }  # fmt: skip
    return shown, numbers


def _label(
    numbers: list[int], entry: Entry, bearing: dict[int, set[str]], commits: dict[str, Commit],
    bounds: dict[str, Any], counted: Counter[str],
) -> set[str]:  # fmt: skip
    """The commits that bear the entry's numbers; none where that is no safe label."""
    if not numbers:
        counted["no_number"] += 1
        return set()
    if len(numbers) > MAX_NUMBERS:
        counted["too_many_numbers"] += 1
        return set()
    if re.search(r"\brevert", entry.raw, re.IGNORECASE):
        counted["revert"] += 1
        return set()
    found = set().union(*(bearing.get(number, set()) for number in numbers))
    inside, day = set(bounds["range"]), bounds["date"]
    found = {sha for sha in found if not day or commits[sha].date[:10] <= day or sha in inside}
    if not found:
        counted["no_commit"] += 1
    elif len(found) > MAX_LABEL_COMMITS:
        counted["too_many_commits"] += 1
        return set()
    return found


def _with_files(
    entry: str, numbers: list[int], found: set[str], members: dict[str, list[str]], merge_of: dict[str, str],
    commits: dict[str, Commit], bounds: dict[str, Any], place: dict[str, int],
) -> dict[str, Any]:  # fmt: skip
    """The label: the whole pull request is one answer; files where the change is no sweep."""
    whole = set(found)
    files: set[str] = set()
    is_sweep = False
    for sha in found:
        whole.update(members.get(sha, ()))
        whole.update({merge_of[sha]} if sha in merge_of else ())
        listed = commits[merge_of.get(sha, sha)].files
        sources = [path for path in listed if is_source(path)]
        is_sweep |= len(listed) > 80 or len(sources) > 20
        files.update(sources)
    return {
        "entry_id": entry, "numbers": numbers, "commits": sorted(whole, key=place.__getitem__),
        "files": [] if is_sweep else sorted(files), "in_range": bool(whole & set(bounds["range"])),
    }  # fmt: skip


def _stripped(commits: dict[str, Commit], numbers: set[int], slug: str) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for sha, commit in commits.items():
        subject, body = without_references_in_message(commit.subject, commit.body)
        for number in message_numbers(commit.subject, commit.body, slug) & numbers:
            subject, body = (re.sub(rf"(?<!\d){number}(?!\d)", "", said) for said in (subject, body))
        files = [_FRAGMENT.sub(r"\1N", path) for path in commit.files]
        rows.append({"sha": sha, "subject": subject, "body": body, "date": commit.date, "files": files})
    return rows
