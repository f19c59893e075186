"""Questions with a passage that answers them, from rows of several kinds (KG-Translator, F.1)."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from polyhop.training.claims import written
from polyhop.training.mixture import MULTI_HOP_SOURCE
from polyhop.training.rows import (
    MULTI_HOP,
    READING,
    MultiHopRow,
    ReadingRow,
    is_kept_aside,
    multi_hop_rows,
    occurrences,
    reading_rows,
)
from polyhop.training.step_rows import step_rows
from polyhop.training.triples import TRIPLES, triple_rows

READ: Final[Mapping[str, int]] = {"squad1": 2_000, "squad2": 400, "squadshifts/new_wiki": 800, "qed": 400}
"""Of reading rows, how many of what begins so are taken: of those about an encyclopaedia's passages."""
MOST_STATED: Final = 1_000  # rows of triples
LONGEST: Final = 1_600  # characters of a passage: in a longer one, a few words rarely say where the answer stands


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedPassage:
    """A question, a passage that answers it or a part of it, and the answer where it stands there."""

    source: str
    licence: str
    question: str
    title: str
    text: str
    answer: str = ""  # nothing: it only has to be found, on the way to an answer
    start: int = 0
    aside: bool = False  # kept for measuring

    @property
    def end(self) -> int:
        """Where the answer ends."""
        return self.start + len(self.answer)


def asked_passages(folder: Path, *, seed: int = 0, whole: bool = True) -> list[AskedPassage]:
    """All that a folder holds, in an order that the seed decides; each question with a passage once.

    Steps of questions of several hops, with the passage that answers each; with ``whole``, these questions with each
    of their passages, too; and questions of one hop. Raises DatasetError with file and line.
    """
    rng = random.Random(f"clues {seed}")  # noqa: S311
    found: list[AskedPassage] = []
    if (folder / MULTI_HOP).exists():
        rows = multi_hop_rows(folder)
        found += _steps(step_rows(folder, rows))
        found += _whole(rows) if whole else []
    if (folder / READING).exists():
        found += _read(folder, rng)
    if (folder / TRIPLES).exists():
        found += _stated(folder, rng)
    once = {(one.question.casefold(), one.text): one for one in found if len(one.text) <= LONGEST}
    ordered = list(once.values())
    rng.shuffle(ordered)
    return ordered


def _whole(rows: Sequence[MultiHopRow]) -> Iterator[AskedPassage]:
    """Questions of several hops, each of their passages being one that has to be found."""
    for row in rows:
        aside = any(is_kept_aside(passage.text) for passage in row.positives)
        for passage in row.positives:
            yield replace(_of(row, passage.title, passage.text), source=MULTI_HOP_SOURCE + row.source, aside=aside)


def _steps(rows: Iterable[MultiHopRow]) -> Iterator[AskedPassage]:
    """The steps of questions, each with the passage that has its answer and most of its words."""
    for row in rows:
        [passage] = row.positives
        yield _of(row, passage.title, passage.text, row.answer, occurrences(passage.text, row.answer)[0])


def _of(row: MultiHopRow | ReadingRow, title: str, text: str, answer: str = "", start: int = 0) -> AskedPassage:
    """The question of a row with one passage."""
    return AskedPassage(
        source=row.source,
        licence=row.licence,
        question=row.question,
        title=title,
        text=text,
        answer=answer,
        start=start,
        aside=is_kept_aside(text),
    )


def _read(folder: Path, rng: random.Random) -> Iterator[AskedPassage]:
    """Questions of one hop about passages that have no title."""
    groups: dict[str, list[AskedPassage]] = defaultdict(list)
    for row in reading_rows(folder):
        group = next((prefix for prefix in READ if row.source.startswith(prefix)), None)
        if group is None or row.kind != "span":
            continue
        groups[group].append(replace(_of(row, row.title, row.context, *row.answers[0]), question=written(row.question)))
    for group, rows in groups.items():
        yield from rng.sample(rows, min(READ[group], len(rows)))


def _stated(folder: Path, rng: random.Random) -> Iterator[AskedPassage]:
    """Questions for one end of a triple, about the text that states it."""
    rows = [row for row in triple_rows(folder, seed=rng.randrange(1 << 30)) if row.kind == "span"]
    for row in rng.sample(rows, min(MOST_STATED, len(rows))):
        answer, start = row.answers[0]
        first = row.context.rfind("\n", 0, start) + 1
        last = row.context.find("\n", start)
        yield _of(row, "", row.context[first : None if last < 0 else last], answer, start - first)
