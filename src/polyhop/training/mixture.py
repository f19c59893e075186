"""How rows become windows: how much of each source, and what stands beside the context that answers.

A reader that has only seen contexts with an answer finds one everywhere. So some questions get another context of the
same source, the nearest in words that does not hold their answer, and are to find nothing; some get a second context
before or behind theirs; and those of several hops lose a passage that answers them. Those kept aside stay as they are.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from polyhop.training.rows import Kind, MultiHopRow, ReadingRow, TrainingPassage, is_kept_aside, occurrences
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
TIMES: Mapping[str, int] = {"documents": 3}  # that rows are read, by what their source begins with
MULTI_HOP_SOURCE = "multihop/"

NOTHING_SHARES: Mapping[Kind, float] = {"span": 0.2, "yes": 0.1, "no": 0.1}  # that get a context without an answer
BESIDE_SHARE = 0.2  # of the short contexts, that get another one beside them
SHORT, SHORT_BESIDE = 900, 700  # characters of the one and of the other
NEIGHBOURS, COMPARED, CANDIDATES = 40, 12, 6  # rows before and behind, and how many of them are looked at
DROPPED_SHARE = 0.35  # of the second windows of multi-hop questions, that lose what answers them
AROUND = 40  # tokens left for the question when passages are shortened
PER_TOKEN = 4.2  # characters


@dataclass(frozen=True, slots=True)
class Windows:
    """What to train on, and what was kept aside for measuring."""

    training: tuple[Window, ...]
    aside: tuple[Window, ...]


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
    training: list[Window] = []
    aside: list[Window] = []
    for window, kept in (*_of_reading(reading, maker, rng), *_of_multi_hop(multi_hop, maker, rng)):
        (aside if kept else training).append(window)
    rng.shuffle(training)
    thinning = random.Random(seed + 1)  # noqa: S311
    thinned = [one for one in training if one.source not in SHARES or thinning.random() < SHARES[one.source]]
    return Windows(tuple(thinned), tuple(aside))


def share_of(rows: Sequence[ReadingRow], share: float, *, seed: int = 0) -> list[ReadingRow]:
    """A share of the rows (0 to 1) to train on, drawn one by one, and all of those that are kept aside."""
    rng = random.Random(seed)  # noqa: S311
    return [row for row in rows if rng.random() < share or is_kept_aside(row.context)]


def _of_reading(rows: Sequence[ReadingRow], maker: WindowMaker, rng: random.Random) -> Iterator[tuple[Window, bool]]:
    by_source: dict[str, list[ReadingRow]] = {}
    for row in rows:
        by_source.setdefault(row.source, []).append(row)
    for source, ours in by_source.items():
        most = MOST_ROWS.get(source, MOST_ROWS.get(source.split("/")[0], len(ours)))
        chosen = set(range(len(ours)) if len(ours) <= most else rng.sample(range(len(ours)), most))
        for number, row in enumerate(ours):
            if number not in chosen:
                continue
            kept = is_kept_aside(row.context)
            for _ in range(1 if kept else TIMES.get(source.split("/")[0], 1)):
                example = _plain(row) if kept else _varied(row, ours, number, rng)
                window = maker.window(row.question, example.parts, example.kind, example.places, source=source, rng=rng)
                if window is not None:
                    yield window, kept


def _plain(row: ReadingRow) -> _Example:
    return _Example(_parts(row), row.kind, _marked(row))


def _parts(row: ReadingRow) -> list[Part]:
    """Its context, behind its title where it has one."""
    return [*([Part(f"{row.title}: ", answers=False)] if row.title else []), Part(row.context)]


def _marked(row: ReadingRow, behind: int = 0) -> list[Place]:
    """The answers, or what a yes or no rests on, behind so many parts of others."""
    part = behind + len(_parts(row)) - 1
    return [Place(part, start, text) for text, start in row.answers or row.rests_on]


def _varied(row: ReadingRow, ours: Sequence[ReadingRow], number: int, rng: random.Random) -> _Example:
    """The row, without its context, with another one beside it, or as it is."""
    plain = _plain(row)
    if rng.random() < NOTHING_SHARES.get(row.kind, 0):
        around = ours[max(0, number - NEIGHBOURS) : number + NEIGHBOURS]
        near = [one for one in around if _is_other(one, row)]
        if near:
            asked = _words(row.question)
            looked_at = rng.sample(near, min(COMPARED, len(near)))
            return _Example(_parts(max(looked_at, key=lambda one: len(asked & _words(one.context)))), "none", [])
    elif len(row.context) < SHORT and rng.random() < BESIDE_SHARE:
        drawn = rng.sample(ours, min(CANDIDATES, len(ours)))
        other = next((one for one in drawn if len(one.context) < SHORT_BESIDE and _is_other(one, row)), None)
        if other is not None and rng.random() < 0.5:
            return _Example([*_parts(row), *_parts(other)], row.kind, plain.places)
        if other is not None:
            before = _parts(other)
            return _Example([*before, *_parts(row)], row.kind, _marked(row, len(before)))
    return plain


def _is_other(one: ReadingRow, row: ReadingRow) -> bool:
    """Whether a row's context is another one, and none of the answers stands in it."""
    return one.context != row.context and not any(text.lower() in one.context.lower() for text, _ in row.answers)


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w{3,}", text.lower()))


def _of_multi_hop(rows: Sequence[MultiHopRow], maker: WindowMaker, rng: random.Random) -> Iterator[tuple[Window, bool]]:
    for row in rows:
        kept = is_kept_aside(row.question)
        for again in (False,) if kept else (False, True):
            example = _among_passages(row, rng, may_lose=again)
            window = example and maker.window(
                row.question,
                example.parts,
                example.kind,
                example.places,
                source=MULTI_HOP_SOURCE + row.source,
                rng=rng,
            )
            if window:
                yield window, kept


def _among_passages(row: MultiHopRow, rng: random.Random, *, may_lose: bool) -> _Example | None:
    """The passages that answer among up to two others, all shortened; None where the answer stands in none of them."""
    positives, negatives = list(row.positives), list(row.negatives)
    rng.shuffle(negatives)
    kind = _kind_of(row.answer)
    if may_lose and rng.random() < DROPPED_SHARE and len(positives) > 1:
        said = row.answer.lower()
        lost = [passage for passage in positives if said in passage.text.lower()] or positives[-1:]
        positives = [passage for passage in positives if passage not in lost]
        negatives = [passage for passage in negatives if said not in passage.text.lower()]
        kind = "none"
    chosen = [(passage, True) for passage in positives]
    chosen += [(passage, False) for passage in negatives[: rng.choice([0, 1, 1, 2])]]
    rng.shuffle(chosen)
    room = (MOST_TOKENS - AROUND) // max(1, len(chosen)) * PER_TOKEN
    parts: list[Part] = []
    places: list[Place] = []
    for passage, answers in chosen:
        text = _shortened(passage, room, row.answer if answers else None)
        parts += [Part(f"{passage.title}: ", answers=False), Part(text)]
        if kind == "span" and answers:
            places += [Place(len(parts) - 1, start, row.answer) for start in occurrences(text, row.answer)]
    return _Example(parts, kind, places) if places or kind != "span" else None


def _kind_of(answer: str) -> Kind:
    said = answer.lower()
    return "yes" if said == "yes" else "no" if said == "no" else "span"


def _shortened(passage: TrainingPassage, room: float, answer: str | None) -> str:
    """As many sentences as there is room for, and the one with the answer, where it is given."""
    text = passage.text
    if len(text) <= room:
        return text
    held = occurrences(text, answer)[:1] if answer else []
    kept = ""
    for start, end in sentences(text):
        if len(kept) + end - start < room or any(start <= place < end for place in held):
            kept += (" " if kept else "") + text[start:end]
    return kept or text[: int(room)]
