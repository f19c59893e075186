"""What competes with the right passages and paths of a question: what our own retrieval finds beside them.

Texts are written as strategies have them judged (``strategies/shared/excerpt.py``), with the lengths of ``paths``.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyhop.documents.sentences import sentence_spans
from polyhop.layers.layer import words_of
from polyhop.strategies.paths.strategy import EXCERPT, SINGLE
from polyhop.strategies.shared.excerpt import excerpt, path_text
from polyhop.training.linked_passages import LinkedPassages, TextLink, as_stored, places_of
from polyhop.training.mixture import MULTI_HOP_SOURCE
from polyhop.training.neighbours import Neighbours
from polyhop.training.rows import MultiHopRow, ReadingRow, TrainingSplit, is_kept_aside
from polyhop.training.slates import GradedText, Slate, SlateKind, SlateMaker

NEAR: Final = 10  # passages near a question that may compete
STARTS: Final = 3  # of them, whose links are followed, beside the right ones
SINGLE_RIVALS: Final = 4  # passages that compete, besides the right ones
PATH_RIVALS: Final = 5  # paths
FROM_RIGHT: Final = 3  # of them, at most, that begin rightly and lead elsewhere
ORDINARY_RIVALS: Final = 3  # contexts, or sentences
ORDINARY_SHARE: Final = 0.5  # slates of questions of one step and of claims, for each of several
READ_FROM: Final = 6_000  # contexts among which the near ones are looked for, at most


Slates = TrainingSplit[Slate]


@dataclass(frozen=True, slots=True)
class _Path:
    """Passages and the links that join them."""

    passages: tuple[int, ...]
    links: tuple[TextLink, ...]

    def longer(self, link: TextLink) -> _Path:
        return _Path((*self.passages, link.target), (*self.links, link))


def slates(
    multi_hop: Sequence[MultiHopRow], ordinary: Sequence[ReadingRow], tokenizer: Path, *, seed: int = 0
) -> Slates:
    """The slates of all rows, in an order of their own; the same rows and seed give the same slates."""
    rng = random.Random(seed)  # noqa: S311
    maker = SlateMaker(tokenizer)
    made = (*_of_multi_hop(multi_hop, maker, rng), *_of_ordinary(ordinary, len(multi_hop), maker, rng))
    return Slates.of(made, rng)


def _of_multi_hop(rows: Sequence[MultiHopRow], maker: SlateMaker, rng: random.Random) -> Iterator[tuple[Slate, bool]]:
    pool = LinkedPassages.of(passage for row in rows for passage in (*row.positives, *row.negatives))
    places = places_of(pool)
    for row in rows:
        right = [places[passage] for passage in row.positives]
        given = [places[passage] for passage in row.negatives]
        kept = is_kept_aside(row.question)
        near = [place for place in pool.near(row.question, NEAR) if place not in right]
        named = [place for place in pool.named_in(row.question) if place not in right]
        source = MULTI_HOP_SOURCE + row.source
        texts: dict[SlateKind, list[GradedText]] = {
            "passages": _singles(row.question, right, [*named[:1], *near], given, pool, rng),
            "paths": _paths(row.question, right, [*named, *near], pool, rng),
        }
        found = [
            maker.slate(row.question, graded, kind=kind, source=source, licence=row.licence)
            for kind, graded in texts.items()
        ]
        yield from ((slate, kept) for slate in found if slate is not None)


def _singles(
    question: str,
    right: Sequence[int],
    near: Sequence[int],
    given: Sequence[int],
    pool: LinkedPassages,
    rng: random.Random,
) -> list[GradedText]:
    """The right passages among those nearest to the question, and one that came with it."""
    rivals = [*list(dict.fromkeys(near))[: SINGLE_RIVALS - 1], *rng.sample(given, min(1, len(given)))]
    length = SINGLE
    return [
        GradedText(text=excerpt(pool.passages[place], question, length), grade=int(place in right))
        for place in dict.fromkeys([*right, *rivals])
    ]


def _paths(
    question: str, right: Sequence[int], near: Sequence[int], pool: LinkedPassages, rng: random.Random
) -> list[GradedText]:
    """Right paths among those that begin rightly and lead elsewhere, and those that begin elsewhere."""
    good = _right_paths(right, pool)
    if not good:
        return []
    begun = [
        path.longer(link)
        for path in [*(_Path((place,), ()) for place in right), *good]
        if len(path.passages) < 3
        for link in pool.links_from(path.passages[-1])
        if link.target not in path.passages
    ]
    astray = [path for path in begun if not set(path.passages) <= set(right)]
    starts = list(dict.fromkeys(near))[:STARTS]
    elsewhere = [_Path((place,), ()).longer(link) for place in starts for link in pool.links_from(place)]
    rivals = _nearest(astray, question, pool, FROM_RIGHT, rng)
    rivals += _nearest(elsewhere, question, pool, PATH_RIVALS - len(rivals), rng)
    chosen = {frozenset(path.passages): path for path in [*rivals, *good]}
    return [
        GradedText(
            text=path_text(
                [pool.passages[place] for place in path.passages],
                question,
                EXCERPT,
                naming=[link.naming for link in path.links],
            ),
            grade=len(path.passages) if set(path.passages) <= set(right) else 0,
        )
        for path in chosen.values()
    ]


def _right_paths(right: Sequence[int], pool: LinkedPassages) -> list[_Path]:
    """The pairs of right passages that a link joins, and what a third right one adds to them."""
    links = [link for one in right for other in right if one != other and (link := pool.link_between(one, other))]
    pairs = [_Path((link.source,), ()).longer(link) for link in links]
    triples = [
        path.longer(link)
        for path in pairs
        for link in links
        if link.source == path.passages[-1] and link.target not in path.passages
    ]
    return [*pairs, *triples]


def _nearest(paths: Sequence[_Path], question: str, pool: LinkedPassages, most: int, rng: random.Random) -> list[_Path]:
    """Of some paths, half of those whose last passages share most words with the question, and half by chance."""
    asked = set(_words(question))

    def shared(path: _Path) -> int:
        return len(asked.intersection(_words(words_of(pool.passages[path.passages[-1]]))))

    ordered = sorted(paths, key=lambda path: (-shared(path), path.passages))
    first, others = ordered[: (most + 1) // 2], ordered[(most + 1) // 2 :]
    return [*first, *rng.sample(others, min(most - len(first), len(others)))]


def _words(text: str) -> list[str]:
    return text.casefold().split()


def _of_ordinary(
    rows: Sequence[ReadingRow], several: int, maker: SlateMaker, rng: random.Random
) -> Iterator[tuple[Slate, bool]]:
    """Questions that one context answers, among contexts like it; claims and the sentences that bear on them."""
    most = max(1, int(several * ORDINARY_SHARE))
    asked = [row for row in rows if row.kind == "span"]
    claims = [row for row in rows if row.kind != "span" and row.rests_on]
    yield from _among_contexts(rng.sample(asked, min(READ_FROM, len(asked))), most, maker)
    for row in rng.sample(claims, min(most, len(claims))):
        sentences = [row.context[start:end] for start, end in sentence_spans(row.context)]
        right = [one for one in sentences if any(text in one or one in text for text, _ in row.rests_on)]
        wrong = [one for one in sentences if one not in right]
        candidates = [GradedText(text=one, grade=1) for one in right[:1]]
        candidates += [GradedText(text=one, grade=0) for one in rng.sample(wrong, min(ORDINARY_RIVALS, len(wrong)))]
        yield from _ordinary(row, candidates, maker)


def _among_contexts(rows: Sequence[ReadingRow], most: int, maker: SlateMaker) -> Iterator[tuple[Slate, bool]]:
    neighbours = Neighbours(rows)
    for row in rows[:most]:
        rivals = [one.context for one in neighbours.near(row, ORDINARY_RIVALS)]
        shown = [_shown(one, row.question) for one in (row.context, *rivals)]
        candidates = [GradedText(text=text, grade=int(place == 0)) for place, text in enumerate(shown)]
        yield from _ordinary(row, candidates, maker)


def _shown(context: str, question: str) -> str:
    return excerpt(as_stored(context), question, SINGLE).strip()


def _ordinary(row: ReadingRow, candidates: Sequence[GradedText], maker: SlateMaker) -> Iterator[tuple[Slate, bool]]:
    slate = maker.slate(row.question, candidates, kind="ordinary", source=row.source, licence=row.licence)
    if slate is not None:
        yield slate, is_kept_aside(row.context)
