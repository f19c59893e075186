"""Measures how follow-up questions are made to stand alone, and fits the weights by which antecedents are chosen.

A file of rows {"history": [...], "question": ..., "rewrite": ...} is split in halves by conversation; weights are
fitted on one (--fit), and both are reported:

    python benchmarks/follow_ups.py rewrites.jsonl.gz --fit src/polyhop/conversation/antecedents.json
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import json
import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyhop.conversation.antecedents import Antecedent, Spoken, candidates, score
from polyhop.conversation.grammar import by_grammar
from polyhop.conversation.phrases import Phrase
from polyhop.conversation.references import Reference
from polyhop.conversation.thread import Thread
from polyhop.models.spacy_parser import SpacyParser
from polyhop.ports import ParsedSentence

Doubles = NDArray[np.float64]
WORD = re.compile(r"\w+")
EMPTY = {"the", "a", "an", "s"}
UNANSWERED = "I don't know."
ENOUGH = 0.5  # F1 of a phrase with what the rewrite has in its place, to count as that
STEPS, RATE, SHRINK = 400, 0.05, 2e-4


@dataclass(frozen=True)
class Row:
    """A follow-up question with its thread, and how a person made it stand alone."""

    thread: Thread
    question: str
    rewrite: str
    fit: bool  # whether it is in the half that weights are fitted on


@dataclass
class Remembering:
    """A parser that parses each text once: conversations repeat theirs."""

    parser: SpacyParser = field(default_factory=SpacyParser)
    seen: dict[str, tuple[ParsedSentence, ...]] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """That of the parser."""
        return self.parser.name

    def parse(self, texts: Iterable[str]) -> Iterator[tuple[ParsedSentence, ...]]:
        """The sentences of each text, in order."""
        wanted = list(texts)
        new = [text for text in dict.fromkeys(wanted) if text not in self.seen]
        self.seen.update(zip(new, self.parser.parse(new), strict=True))
        return iter([self.seen[text] for text in wanted])


def rows_of(file: Path) -> list[Row]:
    """The rows that have a history; what a CANARD conversation is about stands first in it."""
    found = []
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            history = [text.strip() for text in row["history"]]
            if not history:
                continue
            if row["src"] == "canard":
                said = [None if text == UNANSWERED else text for text in history[1::2]]
                pairs: list[tuple[str, str | None]] = list(zip(history[::2], [*said, None], strict=False))
            else:
                pairs = [(text, None) for text in history]
            half = zlib.crc32(" ".join(history[:2] if row["src"] == "canard" else history[:1]).encode()) % 2
            found.append(Row(Thread.of(pairs), row["question"].strip(), row["rewrite"].strip(), half == 0))
    return found


def tokens(text: str) -> list[str]:
    """The words of a text in lower case."""
    return WORD.findall(text.lower())


def f1(left: Sequence[str], right: Sequence[str]) -> float:
    """Of two bags of words."""
    common = sum((Counter(left) & Counter(right)).values())
    return 2 * common / (len(left) + len(right)) if common else 0.0


def in_place(reference: Reference, question: str, rewrite: str) -> list[str] | None:
    """What a rewrite has in place of a reference, or has added where nothing is replaced; None: nothing."""
    asked, meant = tokens(question), tokens(rewrite)
    first = len(tokens(question[: reference.start]))
    last = first + len(tokens(question[reference.start : reference.end]))
    matcher = difflib.SequenceMatcher(a=asked, b=meant, autojunk=False)
    found: list[str] = []
    for tag, a0, a1, b0, b1 in matcher.get_opcodes():
        if tag != "equal" and (reference.pointer == "of" or (a0 <= last and a1 >= first)):
            found += meant[b0:b1]
    return [word for word in found if word not in EMPTY] or None


def right_ones(options: Sequence[Antecedent], reference: Reference, row: Row) -> list[int]:
    """Which of the options the rewrite confirms; none where that cannot be told."""
    there = in_place(reference, row.question, row.rewrite)
    nothing = [place for place, option in enumerate(options) if option.phrase is None]
    if there is None:
        return nothing
    values = []
    for option in options:
        words = [word for word in tokens(option.phrase.text if option.phrase else "") if word not in EMPTY]
        inside = bool(words) and not Counter(words) - Counter(there)
        values.append(f1(words, there) + inside if inside or f1(words, there) >= ENOUGH else 0.0)
    best = max(values, default=0.0)
    if best <= 0:
        return nothing if reference.pointer == "of" else []
    return [place for place, value in enumerate(values) if value >= best - 1e-9]


@dataclass
class Choosing:
    """Chooses as the weights say, and keeps what there was to choose from for the row at hand."""

    weights: Mapping[str, float]
    row: Row | None = None
    kept: list[tuple[list[Antecedent], list[int]]] = field(default_factory=list)

    def __call__(
        self, reference: Reference, question: str, own: Sequence[Phrase], thread: Sequence[Spoken]
    ) -> Phrase | None:
        """The best by the weights."""
        options = candidates(reference, question, own, thread)
        if self.row is not None and question == self.row.question:
            right = right_ones(options, reference, self.row)
            if right and len(options) > 1:
                self.kept.append((options, right))
        return max(options, key=lambda one: score(one.features, self.weights)).phrase


def fitted(kept: Sequence[tuple[list[Antecedent], list[int]]]) -> dict[str, float]:
    """Weights under which the right options are likely among all: a conditional logit, by Adam."""
    names = sorted({name for options, _ in kept for option in options for name in option.features})
    place = {name: number for number, name in enumerate(names)}
    rows, columns, values, groups, right = list[int](), list[int](), list[float](), list[int](), list[bool]()
    for group, (options, good) in enumerate(kept):
        for number, option in enumerate(options):
            for name, value in option.features.items():
                rows.append(len(groups))
                columns.append(place[name])
                values.append(value)
            groups.append(group)
            right.append(number in good)
    at, to, by = np.array(rows), np.array(columns), np.array(values)
    group_of, good_ones = np.array(groups), np.array(right)
    starts = np.flatnonzero(np.r_[True, group_of[1:] != group_of[:-1]])

    def share(scores: Doubles) -> Doubles:
        raised = np.exp(scores - np.maximum.reduceat(scores, starts)[group_of])
        shares: Doubles = raised / np.add.reduceat(raised, starts)[group_of]
        return shares

    weights, first, second = (np.zeros(len(names)) for _ in range(3))
    for step in range(1, STEPS + 1):
        scores = np.bincount(at, by * weights[to], minlength=len(groups)).astype(np.float64)
        pull = share(scores) - share(np.where(good_ones, scores, -1e9))
        slope = np.bincount(to, by * pull[at], minlength=len(names)) / len(kept) + SHRINK * weights
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True) if abs(weight) >= 0.05}


def report(name: str, rows: Sequence[Row], written: Sequence[str]) -> str:
    """How near the questions come to what people wrote, and what happened to those that stood alone."""
    alone = [tokens(row.question) == tokens(row.rewrite) for row in rows]
    scores = [f1(tokens(text), tokens(row.rewrite)) for row, text in zip(rows, written, strict=True)]
    exact = [tokens(text) == tokens(row.rewrite) for row, text in zip(rows, written, strict=True)]
    kept = [tokens(text) == tokens(row.question) for row, text in zip(rows, written, strict=True)]
    left = [one for one, is_alone in zip(kept, alone, strict=True) if is_alone]
    changed = [one for one, is_alone in zip(kept, alone, strict=True) if not is_alone]
    return (
        f"{name:28} n={len(rows)}  exact {100 * np.mean(exact):5.1f}  F1 {100 * np.mean(scores):5.1f}  "
        f"alone and left {100 * np.mean(left):5.1f} of {len(left)}  follow-ups left {100 * np.mean(changed):5.1f}"
    )


def main() -> None:
    """Fit where that is asked for, and report on both halves."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("file", type=Path)
    options.add_argument("--fit", type=Path, help="where to write the weights")
    options.add_argument("--rounds", type=int, default=2, help="of fitting; threads are as the last left them")
    options.add_argument("--limit", type=int)
    options.add_argument("--show", type=int, default=0)
    asked = options.parse_args()
    rows, parser = rows_of(asked.file)[: asked.limit], Remembering()
    parser.parse([text for row in rows for one in row.thread.exchanges for text in (one.question, one.answer or "")])
    parser.parse([row.question for row in rows])
    from polyhop.conversation import antecedents

    weights = dict(antecedents._weights())
    if asked.fit is not None:
        training = [row for row in rows if row.fit]
        for _ in range(asked.rounds):
            choosing = Choosing(weights)
            for row in training:
                choosing.row = row
                by_grammar(row.question, row.thread, parser, choosing)
            weights = fitted(choosing.kept)
            print(f"{len(choosing.kept)} choices, {len(weights)} weights")
        asked.fit.write_text(json.dumps(weights, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for name, half in (("fitted on", True), ("held out", False)):
        chosen = [row for row in rows if row.fit == half]
        print(report(f"{name}, as asked", chosen, [row.question for row in chosen]))
        written = [by_grammar(row.question, row.thread, parser, Choosing(weights)) for row in chosen]
        print(report(f"{name}, by grammar", chosen, written))
        for row, text in list(zip(chosen, written, strict=True))[: asked.show if half else 0]:
            print(f"  {row.question}\n    {text}\n    {row.rewrite}")


if __name__ == "__main__":
    main()
