"""How rows become windows: how much of each source, and what stands beside the context that answers.

A reader that has only seen contexts with an answer finds one everywhere. So some questions get another context of the
same source, the nearest in words that does not hold their answer, and are to find nothing; some get a second context
before or behind theirs; and those of several hops lose a passage that answers them. Those kept aside stay as they are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyhop.training.across_documents import SOURCE as ACROSS
from polyhop.training.neighbours import Neighbours
from polyhop.training.rows import (
    Kind,
    MultiHopRow,
    ReadingRow,
    TrainingPassage,
    TrainingSplit,
    is_kept_aside,
    occurrences,
)
from polyhop.training.step_rows import SOURCE as STEPPED
from polyhop.training.together import Told, together
from polyhop.training.windows import MOST_TOKENS, Part, Place, Window, WindowMaker, sentences

# At most so many rows of sources that are weak or would outweigh the others, by the source or by what it begins with.
MOST_ROWS: Mapping[str, int] = {
    "narrativeqa/test": 2500,
    "narrativeqa/dev": 800,
    "qamr": 2500,
    "condaqa": 2000,
    "confiqa_mc": 800,
    "nqswap": 1500,
    "timeqa": 900,
}
SHARES: Mapping[str, float] = {"squadshifts/amazon_reviews": 0.4, "squadshifts/reddit": 0.4}  # of a source's windows
TIMES: Mapping[str, int] = {
    "documents": 3,
    "across": 2,
}  # that rows are read, by what their source begins with
MULTI_HOP_SOURCE = "multihop/"

NOTHING_SHARES: Mapping[Kind, float] = {"span": 0.2, "yes": 0.1, "no": 0.1}  # that get a context without an answer
# Of these, those that keep their own without the sentences that answer, by what sources begin with: hardest to tell.
LOST_SHARES: Mapping[str, float] = {"documents": 0.4}
NOTHING_LIKE = 4  # of the nearest contexts, one of which is taken then
BESIDE_SHARE = 0.2  # of the short contexts, that get another one beside them
SHORT, SHORT_BESIDE = 900, 700  # characters of the one and of the other
TOGETHER_SHARE = (
    0.3  # of the rows that say where their answers stand, of which sentences are read beside those of others
)
MOST_OTHERS = 4  # texts whose sentences are read so
HOPS_TOGETHER_SHARE = 0.5  # the same of questions of several hops and of their steps
DROPPED_SHARE = 0.35  # of the second windows of multi-hop questions, that lose what answers them
AROUND = 40  # tokens left for the question when passages are shortened
PER_TOKEN = 4.2  # characters


Windows = TrainingSplit[Window]


@dataclass(frozen=True, slots=True)
class _Example:
    parts: Sequence[Part]
    kind: Kind
    places: Sequence[Place]


def mixed(
    reading: Sequence[ReadingRow], multi_hop: Sequence[MultiHopRow], tokenizer: Path, *, seed: int = 0
) -> Windows:
    """The windows of all rows, in an order of their own; the same rows and seed give the same windows."""
    rng = random.Random(seed)  # noqa: S311
    maker = WindowMaker(tokenizer)
    split = Windows.of((*_of_reading(reading, maker, rng), *_of_multi_hop(multi_hop, maker, rng)), rng)
    thinning = random.Random(seed + 1)  # noqa: S311
    thinned = [one for one in split.training if one.source not in SHARES or thinning.random() < SHARES[one.source]]
    return replace(split, training=tuple(thinned))


def share_of(rows: Sequence[ReadingRow], share: float, *, seed: int = 0) -> list[ReadingRow]:
    """A share of the rows (0 to 1) to train on, drawn one by one, and all of those that are kept aside."""
    rng = random.Random(seed)  # noqa: S311
    return [row for row in rows if rng.random() < share or is_kept_aside(row.context)]


def _of_reading(rows: Sequence[ReadingRow], maker: WindowMaker, rng: random.Random) -> Iterator[tuple[Window, bool]]:
    neighbours = Neighbours(rows)
    by_source: dict[str, list[ReadingRow]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    for source, ours in by_source.items():
        most = MOST_ROWS.get(source, MOST_ROWS.get(source.split("/")[0], len(ours)))
        for row in ours if len(ours) <= most else rng.sample(ours, most):
            kept = is_kept_aside(row.context)
            for _ in range(1 if kept else TIMES.get(source.split("/")[0], 1)):
                example = _plain(row) if kept else _varied(row, neighbours, rng)
                window = maker.window(row.question, example.parts, example.kind, example.places, source=source, rng=rng)
                if window is not None:
                    yield window, kept


def _plain(row: ReadingRow) -> _Example:
    parts, places = Told.of(row).whole()
    return _Example(parts, row.kind, places)


def _unanswered(told: Told) -> _Example:
    parts, _ = told.whole()
    return _Example(parts, "none", [])


def _varied(row: ReadingRow, neighbours: Neighbours, rng: random.Random) -> _Example:
    """The row: another context instead of its own, its own without what answers, both side by side, or as it is."""
    drawn = rng.random()
    nothing = NOTHING_SHARES.get(row.kind, 0)
    if drawn < nothing:
        return _without_an_answer(row, neighbours, rng)
    if drawn < nothing + TOGETHER_SHARE and (row.answers or row.rests_on):
        return _read_together(row, neighbours, rng)
    if len(row.context) < SHORT and rng.random() < BESIDE_SHARE:
        return _beside(row, neighbours, rng)
    return _plain(row)


def _without_an_answer(row: ReadingRow, neighbours: Neighbours, rng: random.Random) -> _Example:
    """The row with its own context without the sentences that answer, or with one of its neighbours."""
    if (row.answers or row.rests_on) and rng.random() < LOST_SHARES.get(row.source.split("/")[0], 0):
        left = Told.of(row).lost()
        said = left.text.lower()
        if said and not any(text.lower() in said for text, _ in row.answers):
            return _unanswered(left)
    near = neighbours.near(row, NOTHING_LIKE)
    return _unanswered(Told.of(rng.choice(near), answers=False)) if near else _plain(row)


def _beside(row: ReadingRow, neighbours: Neighbours, rng: random.Random) -> _Example:
    """The row's context before or behind a short one that is like its question."""
    other = next((one for one in neighbours.near(row, NOTHING_LIKE) if len(one.context) < SHORT_BESIDE), None)
    if other is None:
        return _plain(row)
    beside, _ = Told.of(other, answers=False).whole()
    first = rng.random() < 0.5
    parts, places = Told.of(row).whole(0 if first else len(beside))
    return _Example([*parts, *beside] if first else [*beside, *parts], row.kind, places)


def _read_together(row: ReadingRow, neighbours: Neighbours, rng: random.Random) -> _Example:
    """Sentences of the row's context among those of some that are like its question."""
    others = neighbours.near(row, rng.randint(1, MOST_OTHERS))
    texts = [*(Told.of(one, answers=False) for one in others), Told.of(row)]
    rng.shuffle(texts)
    parts, places = together(row.question, texts, rng)
    return _Example(parts, row.kind, places) if places else _plain(row)


def _of_multi_hop(rows: Sequence[MultiHopRow], maker: WindowMaker, rng: random.Random) -> Iterator[tuple[Window, bool]]:
    for row in rows:
        kept = is_kept_aside(row.question)
        source = source_of(row)
        for again in (False,) if kept else (False, True) * TIMES.get(source.split("/")[0], 1):
            example = _among_passages(row, rng, may_lose=again)
            window = example and maker.window(
                row.question, example.parts, example.kind, example.places, source=source, rng=rng
            )
            if window:
                yield window, kept


def source_of(row: MultiHopRow) -> str:
    """What its windows are said to be of."""
    return row.source if row.source.startswith((STEPPED, ACROSS)) else MULTI_HOP_SOURCE + row.source


def _among_passages(row: MultiHopRow, rng: random.Random, *, may_lose: bool) -> _Example | None:
    """The passages that answer among some others, whole or in sentences; None where none of them holds the answer."""
    positives, negatives = list(row.positives), list(row.negatives)
    rng.shuffle(negatives)
    kind = _kind_of(row.answer)
    if may_lose and positives and rng.random() < DROPPED_SHARE and len(positives) + len(negatives) > 1:
        told = [passage for passage in positives if _tells(passage, row.answer, kind)]
        lost = told or positives[-1:]  # a yes or a no stands in no passage: then one goes that it rests on
        positives = [passage for passage in positives if passage not in lost]
        negatives = [passage for passage in negatives if not _tells(passage, row.answer, kind)]
        kind = "none"
    held = row.answer if kind == "span" else ""
    sentencewise = rng.random() < HOPS_TOGETHER_SHARE
    beside = rng.randint(1, MOST_OTHERS) if sentencewise or not positives else rng.choice([0, 1, 1, 2])
    chosen = [_told(passage, held) for passage in positives] + [_told(passage) for passage in negatives[:beside]]
    rng.shuffle(chosen)
    parts, places = together(row.question, chosen, rng) if sentencewise else _side_by_side(chosen)
    return _Example(parts, kind, places) if parts and (places or kind != "span") else None


def _tells(passage: TrainingPassage, answer: str, kind: Kind) -> bool:
    """Whether the words of an answer stand in a passage; a yes or a no has none."""
    return kind == "span" and answer.lower() in passage.text.lower()


def _told(passage: TrainingPassage, held: str = "") -> Told:
    """A passage, with where it holds an answer."""
    places = [(held, start) for start in occurrences(passage.text, held)] if held else []
    return Told(title=passage.title, text=passage.text, places=tuple(places))


def _side_by_side(texts: Sequence[Told]) -> tuple[list[Part], list[Place]]:
    """Texts behind one another, all shortened so that they fit, but for the sentences that hold the answer."""
    room = (MOST_TOKENS - AROUND) // max(1, len(texts)) * PER_TOKEN
    parts: list[Part] = []
    places: list[Place] = []
    for told in texts:
        held = told.places[0] if told.places else None
        text = _shortened(told.text, room, held)
        parts += [Part(f"{told.title}: ", answers=False), Part(text)]
        if held is not None:
            places += [Place(len(parts) - 1, start, held[0]) for start in occurrences(text, held[0])]
    return parts, places


def _kind_of(answer: str) -> Kind:
    said = answer.lower()
    if not said:
        return "none"
    return "yes" if said == "yes" else "no" if said == "no" else "span"


def _shortened(text: str, room: float, held: tuple[str, int] | None) -> str:
    """As many sentences as there is room for, and the one that holds an answer, where there is one."""
    if len(text) <= room:
        return text
    kept = ""
    for start, end in sentences(text):
        if len(kept) + end - start < room or (held is not None and start <= held[1] < end):
            kept += (" " if kept else "") + text[start:end]
    return kept or text[: int(room)]
