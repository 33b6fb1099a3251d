"""How well each change of a release fits each entry, as numbers between 0 and 1 that a model can weigh.

Words are weighed by how few changes around the release have them. Candidates are found by cheap sums over an inverted
index; only the best are measured in full. Nothing here decides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from math import log, sqrt
from typing import Final, NamedTuple

from t2c.ledger.linking.changes import Change, Entry, entry_of, is_chore, merged, page_of
from t2c.ledger.linking.groups import Group, Span

__all__ = ["FEATURES", "Candidate", "Matches", "Window"]

NEAR: Final = 14
"""Changes in the range that are measured in full for one entry."""
FAR: Final = 4
"""Changes of earlier releases that are measured too: what was promised or previewed before."""
RARE: Final = 40
"""A word of more changes than this does not fetch changes of earlier releases."""
COMMON: Final = 600
"""A word of more changes of one release than this does not fetch them: it tells nothing apart."""
MAX_TOKENS: Final = 60
"""Words of one entry, the most telling ones, that fetch changes."""
_TOUCHED: Final = 0.4
"""What a word on changed lines counts against one that was written about the change, in the cheap sum."""
_SAME: Final = 0.97
"""The likeness from which on an added line is the entry itself."""
_NOTED: Final = 0.6
"""The share of an added line that the entry must have for the line to be part of it."""

FEATURES: Final = (
    *("title_cover", "title_cosine", "title_precise", "title_pairs", "title_same"),
    *(
        "body_cover",
        "message_cover",
        "path_cover",
        "name_cover",
        "test_cover",
        "all_cover",
        "diff_only_cover",
    ),
    *("spelled", "unspelled", "note_cover", "note_cosine", "note_same", "note_focus"),
    *("note_alone", "note_first"),
    *(
        "in_range",
        "late",
        "chore",
        "dependency",
        "documentation",
        "test_only",
        "same_action",
        "pull_request",
        "revert",
    ),
    *("wordless", "top_title", "top_message", "top_name", "top_note", "top_spelled"),
    *("lead_title", "lead_message", "lead_note"),
    *("own_title", "own_message", "own_note"),
)


_NOBODY: Final[frozenset[int]] = frozenset()


class Candidate(NamedTuple):
    """A change that may be what an entry tells, with its measures in the order of FEATURES."""

    change: Change
    features: tuple[float, ...]


class Matches(NamedTuple):
    """An entry with its candidates, in the order of the history, and how telling each of its words is."""

    entry: Entry
    candidates: tuple[Candidate, ...]
    weights: dict[str, float]


class Window:
    """The changes up to one release, indexed by their words; it slides from release to release.

    What it answers depends on the spans that it holds, not on how it came to hold them.
    """

    def __init__(self) -> None:
        self._spans: dict[str, list[int]] = {}
        self._changes: dict[int, Change] = {}
        self._said: dict[str, set[int]] = {}
        self._touched: dict[str, set[int]] = {}
        self._spelled: dict[str, set[int]] = {}
        self._next = 0

    def matches(self, group: Group) -> list[Matches]:
        """Each entry of a release with the changes that fit it best."""
        self._move((group.span, *group.earlier))
        near = frozenset(
            serial for serial in self._spans[group.span.key] if not self._changes[serial].keeps_books
        )
        return _compared([self._measured(entry_of(record), near) for record in group.entries])

    def _move(self, spans: Sequence[Span]) -> None:
        wanted = {span.key: span for span in spans}
        for key in [key for key in self._spans if key not in wanted]:
            for serial in self._spans.pop(key):
                change = self._changes.pop(serial)
                for index, tokens in self._indexed(change):
                    for token in tokens:
                        held = index[token]
                        held.discard(serial)
                        if not held:
                            del index[token]
        for key, span in wanted.items():
            if key in self._spans:
                continue
            serials: list[int] = []
            for unit, place in zip(span.units, span.places, strict=True):
                change = merged([page_of(record) for record in unit], place)
                serial = self._next
                self._next += 1
                self._changes[serial] = change
                serials.append(serial)
                for index, tokens in self._indexed(change):
                    for token in tokens:
                        index.setdefault(token, set()).add(serial)
            self._spans[key] = serials

    def _indexed(self, change: Change) -> Iterator[tuple[dict[str, set[int]], frozenset[str]]]:
        yield self._said, change.said
        yield self._touched, change.touched
        yield self._spelled, change.spelled

    def _weights(self, tokens: Iterable[str], index: dict[str, set[int]]) -> dict[str, float]:
        """How telling each token is: the logarithm of one over the share of changes that have it."""
        count = len(self._changes)
        return {token: log(1 + (count + 0.5) / (len(index.get(token, ())) + 0.5)) for token in tokens}

    def _measured(self, entry: Entry, near: frozenset[int]) -> tuple[_Measure, list[_Pair]]:
        said = self._weights(entry.tokens, self._said)
        touched = self._weights(entry.tokens, self._touched)
        spelled = self._weights(entry.spelled, self._spelled)
        close: dict[int, float] = {}
        distant: dict[int, float] = {}
        for weights, index, factor in (
            (said, self._said, 1.0),
            (touched, self._touched, _TOUCHED),
            (spelled, self._spelled, _TOUCHED),
        ):
            for token, weight in sorted(weights.items(), key=lambda item: (-item[1], item[0]))[:MAX_TOKENS]:
                found: set[int] | frozenset[int] = index.get(token, _NOBODY)
                if len(found) > RARE:
                    found = found & near
                    if len(found) > COMMON:
                        continue
                gain = factor * weight
                for serial in found:
                    held = close if serial in near else distant
                    held[serial] = held.get(serial, 0.0) + gain
        measure = _Measure(entry, said, touched, spelled)
        chosen = [*self._best(close, NEAR), *self._best(distant, FAR)]
        chosen.sort(key=lambda serial: self._changes[serial].place)
        places = [self._changes[serial].place for serial in chosen if serial in near]
        first, length = (places[0], max(1, places[-1] - places[0])) if places else (0, 1)
        pairs: list[_Pair] = []
        for serial in chosen:
            change, is_near = self._changes[serial], serial in near
            late = (change.place - first) / length if is_near else 0.0
            pairs.append((change, measure.of(change, is_near, late)))
        return measure, pairs

    def _best(self, scores: dict[int, float], count: int) -> list[int]:
        """The serials of the highest sums of changes that do more than keep books, earlier ones first."""
        order = sorted(scores, key=lambda serial: (-scores[serial], self._changes[serial].place))
        kept = (serial for serial in order if not self._changes[serial].keeps_books)
        return list(islice(kept, count))


class _Measure:
    """One entry's weights, against which changes are measured."""

    def __init__(
        self, entry: Entry, said: dict[str, float], touched: dict[str, float], spelled: dict[str, float]
    ) -> None:
        self.entry, self.said, self.touched, self.spelled = entry, said, touched, spelled
        self.all_said = sum(said.values()) or 1.0
        self.all_touched = sum(touched.values()) or 1.0
        self.all_spelled = sum(spelled.values()) or 1.0
        self.norm = sqrt(sum(weight * weight for weight in said.values())) or 1.0
        self.pairs = frozenset(zip(entry.order, entry.order[1:], strict=False))
        self.mean = self.all_said / max(1, len(said))

    def of(self, change: Change, is_near: bool, late: float) -> list[float]:
        said, touched, tokens = self.said, self.touched, self.entry.tokens
        cover = cosine = precise = pairs = same = 0.0
        for title in change.titles:
            words = frozenset(title)
            common = [said[token] for token in words & tokens]
            shared = sum(common)
            cover = max(cover, shared / self.all_said)
            if not common:
                continue
            # Words that the entry has not are taken to weigh what its own weigh on average.
            rest = len(words) - len(common)
            length = sqrt(sum(weight * weight for weight in common) + rest * self.mean * self.mean)
            cosine = max(cosine, sum(weight * weight for weight in common) / (self.norm * length))
            precise = max(precise, shared / (shared + rest * self.mean))
            same = max(same, float(words == tokens))
            if self.pairs:
                found = self.pairs & frozenset(pairwise(title))
                pairs = max(pairs, len(found) / len(self.pairs))
        message = change.title | change.body
        both = tokens & message
        message_cover = sum(said[token] for token in both) / self.all_said
        name_hits, path_hits, test_hits = tokens & change.names, tokens & change.paths, tokens & change.tests
        in_diff = name_hits | path_hits | test_hits
        note_cover, note_cosine, note_focus = self._noted(change)
        spelled_hits = self.entry.spelled & change.spelled
        return [
            cover,
            cosine,
            precise,
            pairs,
            same,
            sum(said[token] for token in tokens & change.body) / self.all_said,
            message_cover,
            sum(touched[token] for token in path_hits) / self.all_touched,
            sum(touched[token] for token in name_hits) / self.all_touched,
            sum(touched[token] for token in test_hits) / self.all_touched,
            sum(said[token] for token in both | in_diff) / self.all_said,
            sum(said[token] for token in in_diff - both) / self.all_said,
            sum(self.spelled[name] for name in spelled_hits) / self.all_spelled,
            float(bool(self.entry.spelled) and not spelled_hits),
            note_cover,
            note_cosine,
            float(note_cosine > _SAME or note_cover > _SAME),
            note_focus,
            0.0,
            0.0,
            float(is_near),
            late,
            float(all(map(is_chore, change.pages))),
            float(all(page.is_dependency for page in change.pages)),
            float(all(page.is_documentation for page in change.pages)),
            float(all(page.is_test for page in change.pages)),
            float(any(page.record.statement.action == self.entry.action for page in change.pages)),
            float(len(change.pages) > 1 or any(page.is_merge for page in change.pages)),
            float(all(page.is_revert for page in change.pages)),
            float(not change.touched),
        ]

    def _noted(self, change: Change) -> tuple[float, float, float]:
        """The share of the entry that lines added to changelogs make up, how like it the likest line is, and which share
        of these lines is its own: a release writes down many entries, a change one or two.
        """
        if not change.noted & self.entry.tokens:
            return 0.0, 0.0, 0.0
        held: set[str] = set()
        likest, lines = 0.0, 0
        for line in change.notes:
            common = [self.said[token] for token in line & self.entry.tokens]
            if not common:
                continue
            shared, rest = sum(common), len(line) - len(common)
            if shared / (shared + rest * self.mean) >= _NOTED:
                held |= line & self.entry.tokens
                lines += 1
            squares = sum(weight * weight for weight in common)
            likest = max(likest, squares / (self.norm * sqrt(squares + rest * self.mean * self.mean)))
        return sum(self.said[token] for token in held) / self.all_said, likest, lines / len(change.notes)


_AT: Final = {name: place for place, name in enumerate(FEATURES)}
_TOPPED: Final = ("title_cosine", "message_cover", "name_cover", "note_cover", "spelled")
_RIVALLED: Final = ("title_cosine", "message_cover", "note_cover")
_Pair = tuple[Change, list[float]]


def _compared(measured: Sequence[tuple[_Measure, list[_Pair]]]) -> list[Matches]:
    """Add to each pair's measures how it stands among the entry's other candidates and the change's other entries."""
    rivals: dict[int, dict[int, list[float]]] = {_AT[measure]: {} for measure in _RIVALLED}
    for _, row in measured:
        for change, values in row:
            for measure, held in rivals.items():
                held.setdefault(change.place, []).append(values[measure])
    for held in rivals.values():
        for taken in held.values():
            taken.sort(reverse=True)
    found: list[Matches] = []
    for measure_of, row in measured:
        _alone(row)
        tops = {
            measure: sorted((values[measure] for _, values in row), reverse=True)
            for measure in map(_AT.__getitem__, _TOPPED)
        }
        candidates: list[Candidate] = []
        for change, values in row:
            tail = [values[at] / best[0] if best[0] > 0 else 0.0 for at, best in tops.items()]
            tail += [values[at] - _other(tops[at], values[at]) for at in rivals]
            tail += [values[at] - _other(held[change.place], values[at]) for at, held in rivals.items()]
            candidates.append(Candidate(change, (*values, *tail)))
        found.append(Matches(measure_of.entry, tuple(candidates), measure_of.said))
    return found


def _alone(row: list[_Pair]) -> None:
    """Of changes that added the entry's text to a changelog: how few they are, and which was first."""
    noting = [values for _, values in row if values[_AT["note_cover"]] >= 0.5]
    for values in noting:
        values[_AT["note_alone"]] = values[_AT["note_cover"]] / len(noting)
        values[_AT["note_first"]] = float(values is noting[0])


def _other(falling: Sequence[float], own: float) -> float:
    """The best of the other values, where `own` is one of these."""
    if len(falling) < 2:
        return 0.0
    return falling[0] if own < falling[0] else falling[1]
