"""Fit what the signs of options are worth (``polyhop.english.options``), and write them as its table.

    python benchmarks/fit_options.py weights/options.jsonl [--rows FOLDER] [--unread FILE] [--out TABLE]

Each line of the first file is a question with the options that it offers, none where it offers nothing. FOLDER is the
one that ``polyhop train planner --data`` takes: of its questions those that end ", A or B?" and are answered by A or B
add to the lines. One fifth of all is kept aside, told apart by the question, and what the fitted model finds there is
printed. Then all of it is fitted. FILE has more such lines, which are never fitted to but reported on.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyhop.english.options import (
    Cut,
    Signs,
    Tokens,
    likeliest,
    likeliest_shared,
    options_of,
    shared_counts,
    signs_of_cut,
    signs_of_offering,
    signs_of_shared,
    worth,
)
from polyhop.store import json_lines

SEEN = 3  # signs met in fewer questions are worth nothing
KEPT_FROM = 0.2  # what is worth less is left out: kept, it tells no more questions right
RIDGE = 1.0
ROUNDS = 250
FROM_ROWS = 1500
TABLE = Path(__file__).parents[1] / "src" / "polyhop" / "english" / "data" / "options.toml"

Weights = Mapping[str, float]


@dataclass(frozen=True)
class Labelled:
    """A question with its options, in which what they share is told apart."""

    question: str
    options: tuple[str, ...]
    shared: str

    @property
    def aside(self) -> bool:
        """Whether it is not fitted to at first."""
        return hashlib.sha256(self.question.encode()).digest()[0] % 5 == 0

    def cut(self, tokens: Tokens) -> Cut | None:
        """Which cut has these options; None where the question cannot be cut so."""
        return next((cut for cut in tokens.cuts() if options_of(tokens, cut) == self.options), None)

    def count(self, tokens: Tokens, cut: Cut) -> int:
        """How many words behind the options are shared by them."""
        return next((n for n in shared_counts(tokens, cut) if tokens.text_of(cut.end, cut.end + n) == self.shared), 0)


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("labels", type=Path)
    parser.add_argument("--rows", type=Path)
    parser.add_argument("--unread", type=Path)
    parser.add_argument("--out", type=Path, default=TABLE)
    given = parser.parse_args()
    labelled = list(from_labels(given.labels))
    rows = list(from_rows(given.rows))[:FROM_ROWS] if given.rows else []
    print(f"{len(labelled)} labelled questions, {len(rows)} rows")
    learnt = fit([one for one in (*labelled, *rows) if not one.aside])
    report("labelled, kept aside", [one for one in labelled if one.aside], learnt)
    report("rows, kept aside", [one for one in rows if one.aside], learnt)
    learnt = fit([*labelled, *rows])
    if given.unread:
        report("unread", list(from_labels(given.unread)), learnt)
    given.out.write_text(as_toml(learnt), encoding="utf-8")
    print(f"{given.out} is written.")


def from_labels(path: Path) -> Iterator[Labelled]:
    """The questions of the file."""
    for line in json_lines.rows(path):
        options = tuple(Tokens(one).text for one in line.listed("options"))
        yield Labelled(" ".join(line.text("question").split()), options, line.fields.get("shared", ""))


def from_rows(folder: Path) -> Iterator[Labelled]:
    """Questions that end ", A or B?" and are answered by one of these."""
    with (folder / "decompositions.jsonl").open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            question = " ".join(str(row["question"]).split())
            found = re.fullmatch(r"[^,]*, ((?:(?! or ).)+) or ((?:(?! or ).)+?) ?\?", question)
            if found and str(row.get("answer", "")).lower() in (one.lower() for one in found.groups()):
                yield Labelled(question, found.groups(), "")


def fit(labelled: Sequence[Labelled]) -> dict[str, dict[str, float]]:
    """What the signs of cuts, of what options share, and of offering them are worth."""
    cuts: list[tuple[list[Signs], int]] = []
    shared: list[tuple[list[Signs], int]] = []
    offering: list[tuple[list[Signs], int]] = []
    for one in labelled:
        tokens = Tokens(one.question)
        cut = one.cut(tokens) if one.options else None
        if cut is None:
            continue
        ways = list(tokens.cuts())
        cuts.append(([signs_of_cut(tokens, way) for way in ways], ways.index(cut)))
        counts = [signs_of_shared(tokens, cut, count) for count in shared_counts(tokens, cut)]
        shared.append((counts, one.count(tokens, cut)))
        offering.append(([frozenset(), signs_of_offering(tokens, cut)], 1))
    print(f"{len(cuts)} of {sum(bool(one.options) for one in labelled)} can be cut as they are labelled")
    learnt = {"cuts": softmax(cuts), "shared": softmax(shared)}
    for one in labelled:
        tokens = Tokens(one.question)
        cut = None if one.options else likeliest(tokens, learnt["cuts"])
        if cut is not None:
            offering.append(([frozenset(), signs_of_offering(tokens, cut)], 0))
    return {**learnt, "offering": softmax(offering)}


def softmax(asked: Sequence[tuple[Sequence[Signs], int]]) -> dict[str, float]:
    """What signs are worth such that the right one of the ways has most; by gradients of all questions together."""
    seen = Counter(sign for ways, _ in asked for sign in frozenset().union(*ways))
    names = sorted(sign for sign, count in seen.items() if count >= SEEN)
    number = {name: at for at, name in enumerate(names)}
    flat = [[number[sign] for sign in way if sign in number] for ways, _ in asked for way in ways]
    signs = np.fromiter((sign for way in flat for sign in way), np.int64)
    lengths = np.array([len(way) for way in flat])
    groups = np.array([len(ways) for ways, _ in asked])
    starts = np.concatenate([[0], np.cumsum(groups)[:-1]])
    right = np.zeros(len(flat))
    right[starts + np.array([way for _, way in asked])] = 1.0
    way_of = np.repeat(np.arange(len(flat)), lengths)
    of = np.repeat(np.arange(len(groups)), groups)

    def slope(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        worths = np.bincount(way_of, weights[signs], minlength=len(flat))
        worths = np.exp(worths - np.maximum.reduceat(worths, starts)[of])
        chances = worths / np.add.reduceat(worths, starts)[of]
        return np.bincount(signs, np.repeat(chances - right, lengths), minlength=len(names)) + RIDGE * weights

    weights = descended(slope, len(names))
    return {name: round(float(weights[at]), 2) for name, at in number.items() if abs(weights[at]) >= KEPT_FROM}


def descended(slope: Callable[[NDArray[np.float64]], NDArray[np.float64]], size: int) -> NDArray[np.float64]:
    """Where the slope leads from nothing (Adam, with steps that grow shorter)."""
    weights, mean, square = np.zeros(size), np.zeros(size), np.zeros(size)
    for step in range(1, ROUNDS + 1):
        gradient = slope(weights)
        mean = 0.9 * mean + 0.1 * gradient
        square = 0.99 * square + 0.01 * gradient**2
        rate = 0.15 * (1 - step / (ROUNDS + 1))
        weights -= rate * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
    return weights


def report(name: str, labelled: Sequence[Labelled], learnt: Mapping[str, Weights]) -> None:
    """How often options, what they share and whether there are any are told right."""
    right: Counter[str] = Counter()
    for one in labelled:
        tokens = Tokens(one.question)
        cut = likeliest(tokens, learnt["cuts"])
        offers = cut is not None and worth(signs_of_offering(tokens, cut), learnt["offering"]) > 0
        right["offer something"] += bool(one.options)
        right["told whether"] += offers == bool(one.options)
        if cut is None or not one.options:
            continue
        same = options_of(tokens, cut) == one.options
        right["options"] += same
        end = cut.end + likeliest_shared(tokens, cut, learnt["shared"])
        right["and what they share"] += same and tokens.text_of(cut.end, end) == one.shared
        if not same:
            print("   ", one.question, "|", *one.options, "|", *options_of(tokens, cut))
    print(f"{name}: {len(labelled)}, of which " + ", ".join(f"{count} {what}" for what, count in right.items()))


def as_toml(learnt: Mapping[str, Weights]) -> str:
    """The table, in order."""
    lines = ["# What signs of options are worth, fitted by benchmarks/fit_options.py: do not edit."]
    for part, weights in learnt.items():
        lines += ["", f"[{part}]", *(f"{json.dumps(sign)} = {weights[sign]}" for sign in sorted(weights))]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    main()
