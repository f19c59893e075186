"""Fit what the signs of an answer, and of a sentence that holds it, are worth (``polyhop.reading.weighing``).

    python benchmarks/calibrate_reading.py ROWS [--documents FOLDER] [--about DATA --index INDEX] [--questions 300]

ROWS is the folder that ``polyhop train reader --data`` takes; only questions whose contexts were kept aside in training
are read. FOLDER has documents and collections with questions, as its ``--documents``, that no training has read. Each
question is asked of the contexts of its source most like it, as passages; one in four without its own, so that nothing
answers. Those of several hops are asked of the passages that answer and of others, one in eight without one that
answers. DATA is a
folder of documents with questions and evidence sentences, as ``polyhop eval`` takes it, and INDEX what it made of them:
texts unlike those of training, of which the model is less sure than it should be. Half of the questions are of each
kind. What a yes or no is worth is fitted to questions for one, asked in the same way.

A sentence counts as right where the gold answer stands in it or it covers a sentence of the evidence, an answer where
it shares half of its words with a gold one or holds most of what it tells. Both logistic models are fitted to one half
of the questions and judged on the other, then to all.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from polyhop import Polyhop, Settings
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.evaluation.metrics.content import MOST, covered
from polyhop.evaluation.metrics.f1 import f1
from polyhop.evaluation.metrics.held import holds as held
from polyhop.indexes.lexical import Lexical, build
from polyhop.models.choice import Models
from polyhop.reading.pointing import Pointing, point, point_together
from polyhop.reading.reader import Quote, text_of
from polyhop.reading.weighing import (
    FITTED,
    SENTENCES,
    WORDS,
    ReadingWeights,
    Signs,
    Weighed,
    answer_signs,
    chance_of,
    leaning_of,
    leaning_signs,
    likeliest,
    read_weighed,
    sentence_signs,
    supported,
    verdict_signs,
)
from polyhop.training.across_documents import SOURCE as ACROSS
from polyhop.training.across_documents import across_rows
from polyhop.training.claims import claim_rows
from polyhop.training.documents import SOURCE as DOCUMENTS
from polyhop.training.documents import document_rows
from polyhop.training.rows import MultiHopRow, ReadingRow, is_kept_aside, multi_hop_rows, reading_rows
from polyhop.types import Passage

FACTS = "Fact Retrieval"  # the type of questions about documents that have one answer, where types are told
PASSAGES = 5  # as many as a reader sees
OF_ONE_TEXT = frozenset({"narrativeqa", "fairytaleqa", "molweni", "qamr", "timeqa"})  # "who is the hero?" names no text
WITHOUT = 0.25  # of the questions, that lose the context that answers
FROM_SOURCE = 45  # questions at most
FROM_DOCUMENTS = 150  # the same of each kind of documents that no training has read
FROM_HOPS = 200  # questions of several hops: of data sets, and over collections
HALF = 0.5  # F1 from which an answer is right
RIDGE = 1e-3
BINS = 10

Matrix = NDArray[np.float64]
Examples = Sequence[tuple[Signs, bool]]  # the signs of a sentence or an answer, and whether it is right


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A question with the passages it is asked of, and the answers that they hold, if any."""

    text: str
    passages: Sequence[Passage]
    answers: Sequence[str]
    verdict: str = ""  # yes or no, where the question is for one and the passages tell
    told: Question | None = None  # of a question about documents, whose evidence is told in sentences


def asked_alone(rows: Sequence[ReadingRow], rng: random.Random) -> Iterator[Asked]:
    """Questions with a span for an answer or none, among the contexts of their source most like them."""
    by_source: dict[str, list[ReadingRow]] = {}
    for row in rows:
        of_documents = row.source.startswith(DOCUMENTS)
        by_source.setdefault(row.source if of_documents else row.source.split("/")[0], []).append(row)
    for source, ours in sorted(by_source.items()):
        if source in OF_ONE_TEXT:
            continue
        kept = [row for row in ours if row.kind in ("span", "none") and is_aside(row)]
        most = FROM_DOCUMENTS if source.startswith(DOCUMENTS) else FROM_SOURCE
        chosen = rng.sample(kept, min(most, len(kept)))
        for row, passages, own in among_others(chosen, ours, rng):
            yield Asked(text=row.question, passages=passages, answers=[text for text, _ in row.answers] if own else [])


def asked_for_verdicts(rows: Sequence[ReadingRow], rng: random.Random) -> Iterator[Asked]:
    """Questions for a yes or no among the contexts of their source most like them; one in four without its own."""
    kept = [row for row in rows if row.kind in ("yes", "no") and is_aside(row)]
    for source in sorted({row.source.split("/")[0] for row in kept}):
        ours = [row for row in rows if row.source.split("/")[0] == source]
        asked = [row for row in kept if row.source.split("/")[0] == source]
        chosen = rng.sample(asked, min(2 * FROM_SOURCE, len(asked)))
        for row, passages, own in among_others(chosen, ours, rng):
            yield Asked(text=row.question, passages=passages, answers=(), verdict=row.kind if own else "untold")


def is_aside(row: ReadingRow) -> bool:
    """Whether no training has read a row's context."""
    return row.source.startswith(DOCUMENTS) or is_kept_aside(row.context)


def among_others(
    chosen: Sequence[ReadingRow], ours: Sequence[ReadingRow], rng: random.Random
) -> Iterator[tuple[ReadingRow, Sequence[Passage], bool]]:
    """Rows with the contexts of their source most like their questions, and whether their own is among them."""
    titles = {row.context: row.title for row in ours}
    contexts = list(titles)
    lexical = Lexical.of([build(np.arange(len(contexts)), contexts)], np.arange(len(contexts)))
    for row in chosen:
        found, _ = lexical.search(row.question, PASSAGES + 1)
        others = [contexts[number] for number in found.tolist() if contexts[number] != row.context]
        own = [] if rng.random() < WITHOUT else [row.context]
        texts = [*own, *others][:PASSAGES]
        rng.shuffle(texts)
        yield row, passages_of(texts, [titles[text] for text in texts]), bool(own)


def asked_together(folder: Path, documents: Path | None, rng: random.Random) -> Iterator[Asked]:
    """Questions of several hops, of data sets and over collections, each of the passages that answer it and others."""
    kept = [row for row in multi_hop_rows(folder) if is_kept_aside(row.question)]
    over = [row for row in across_rows(documents) if row.source.startswith(ACROSS)] if documents else []
    for rows in (kept, over):
        spans = [row for row in rows if row.answer not in ("yes", "no")]
        for row in rng.sample(spans, min(FROM_HOPS, len(spans))):
            yield _among_passages(row, rng)


def _among_passages(row: MultiHopRow, rng: random.Random) -> Asked:
    """A question of several hops as it is asked; one in eight without a passage that answers."""
    lost = bool(row.answer) and rng.random() < WITHOUT / 2
    right = [one for one in row.positives if not (lost and row.answer in one.text)]
    chosen = [*right, *(one for one in row.negatives if not lost or row.answer not in one.text)][:PASSAGES]
    rng.shuffle(chosen)
    passages = passages_of([one.text for one in chosen], [one.title for one in chosen])
    return Asked(text=row.question, passages=passages, answers=[row.answer] if row.answer and not lost else [])


def passages_of(texts: Sequence[str], titles: Sequence[str] = ()) -> list[Passage]:
    """Texts as passages of documents of their own."""
    named = titles or [""] * len(texts)
    return [
        Passage(id=str(at), document_id=str(at), ordinal=0, start=0, end=len(text), title=title, text=text)
        for at, (text, title) in enumerate(zip(texts, named, strict=True))
    ]


def asked_of_documents(folder: Path, index: Path, rng: random.Random) -> Iterator[Asked]:
    """Questions about documents, each of the passages that ``hybrid`` finds."""
    questions = [one for one in Dataset.read(folder, "dev").questions if one.evidence and one.type in (None, FACTS)]
    with Polyhop(index) as engine:
        for one in rng.sample(questions, len(questions)):
            passages = engine.search(one.text, k=PASSAGES, strategy="hybrid").passages
            yield Asked(text=one.text, passages=passages, answers=one.references, told=one)


def holds(asked: Asked, quote: Quote) -> bool:
    """Whether an answer stands in a sentence, or it covers the evidence."""
    said = text_of(quote)
    if asked.told is not None:
        return covered([said], asked.told.evidence, asked.text, MOST) > 0
    return any(answer.lower() in said.lower() for answer in asked.answers)


def is_right(asked: Asked, answer: str) -> bool:
    """Whether a pointed answer is a gold one."""
    if asked.told is not None and held(answer, (), asked.told, MOST):
        return True
    return bool(asked.answers) and f1(answer, asked.answers) >= HALF


def answers_of(asked: Asked, read: Pointing, models: Models, weights: ReadingWeights) -> Examples:
    """The signs of a question's answers, when its sentences are weighed so, and whether they are right."""
    each = supported(read, models, weights)
    together = point_together(asked.text, likeliest(each, asked.passages, WORDS), models)
    return [(signs, is_right(asked, one.text)) for one, signs in answer_signs(each, together)]


def leanings_of(asked: Asked, read: Weighed) -> Examples:
    """What speaks for a yes, and whether it is one; nothing where the passages do not tell."""
    return [(leaning_signs(read), asked.verdict == "yes")] if asked.verdict in ("yes", "no") else []


def verdicts_of(asked: Asked, read: Weighed, weights: ReadingWeights) -> Examples:
    """The signs of a question's verdict, when a yes is weighed so, and whether it is right."""
    leaning = leaning_of(leaning_signs(read), weights)
    return [(verdict_signs(read, leaning), ("yes" if leaning > 0 else "no") == asked.verdict)]


def fitted(rows: Examples) -> tuple[Signs, float]:
    """The weights of a logistic model and its bias, by Newton's method."""
    signs: Matrix = np.array([[*one, 1.0] for one, _ in rows])
    right: Matrix = np.array([float(ok) for _, ok in rows])
    weights: Matrix = np.zeros(signs.shape[1])
    for _ in range(50):
        chance = 1 / (1 + np.exp(-signs @ weights))
        slope = signs.T @ (right - chance) - RIDGE * weights
        curve = (signs * (chance * (1 - chance))[:, None]).T @ signs + RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curve, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-9:
            break
    return tuple(float(one) for one in weights[:-1]), float(weights[-1])


def judged(rows: Sequence[Examples], weights: Signs, bias: float) -> str:
    """How often the likeliest of each question is right, and how far its chance is from that, by bins of chances."""
    best = [max((chance_of(signs, weights, bias), ok) for signs, ok in one) for one in rows if one]
    chances: Matrix = np.array([chance for chance, _ in best])
    right: Matrix = np.array([float(ok) for _, ok in best])
    error = sum(
        abs(chances[part].sum() - right[part].sum())
        for part in np.array_split(np.argsort(chances), min(BINS, len(best)))
    ) / len(best)
    order = np.argsort(-chances)
    surest = {share: right[order[: max(1, int(share * len(best)))]].mean() for share in (0.25, 0.5, 0.75, 1.0)}
    told = ", ".join(f"surest {share:.0%}: {value:.1%}" for share, value in surest.items())
    return f"{len(best)} questions; right, {told}; calibration error {error:.1%}"


def show(kind: str, rows: Sequence[Examples], today: tuple[Signs, float]) -> tuple[Signs, float]:
    """Print how good the weights of today are, and those fitted to a half; give those fitted to all."""
    half, other = rows[::2], rows[1::2]
    best = fitted([one for row in rows for one in row])
    print(f"\n{kind}\ntoday:      {judged(rows, *today)}")
    print(f"other half: {judged(other, *fitted([one for row in half for one in row]))}")
    print(f"all:        {judged(rows, *best)}")
    print(f"weights {tuple(round(one, 3) for one in best[0])}, bias {best[1]:.3f}")
    return best


def fit_answers(asked: Sequence[Asked], models: Models) -> None:
    """Print the weights of sentences, and of answers when sentences are weighed so."""
    read = [point(one.text, one.passages, models) for one in asked]
    sentences = [
        [
            (signs, holds(one, quote))
            for quote, signs in sentence_signs(one.text, each.sentences[:SENTENCES], models).items()
        ]
        for one, each in zip(asked, read, strict=True)
    ]
    weights, bias = show("sentences", sentences, (FITTED.sentence, FITTED.sentence_bias))
    refitted = ReadingWeights(sentence=weights, sentence_bias=bias)
    answers = [answers_of(one, each, models, refitted) for one, each in zip(asked, read, strict=True)]
    show("answers", answers, (FITTED.answer, FITTED.answer_bias))


def fit_verdicts(doubts: Sequence[Asked], models: Models) -> None:
    """Print the weights of a yes rather than a no, and of a verdict when a yes is weighed so."""
    weighed = [(one, read_weighed(one.text, one.passages, models)) for one in doubts]
    leanings = [examples for one, each in weighed if (examples := leanings_of(one, each))]
    weights, bias = show("yes rather than no", leanings, (FITTED.leaning, FITTED.leaning_bias))
    refitted = ReadingWeights(leaning=weights, leaning_bias=bias)
    verdicts = [verdicts_of(one, each, refitted) for one, each in weighed]
    show("verdicts", verdicts, (FITTED.verdict, FITTED.verdict_bias))


def main() -> None:
    """Read the rows, fit, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--documents", type=Path)
    parser.add_argument("--about", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--verdicts", type=int, default=300, help="questions for a yes or no")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)  # noqa: S311
    models = Models(Settings())
    reading = [*reading_rows(options.rows), *(document_rows(options.documents) if options.documents else ())]
    if options.questions:
        rows = [*asked_alone(reading, rng), *asked_together(options.rows, options.documents, rng)]
        rng.shuffle(rows)
        asked = rows[: options.questions]
        if options.about:
            about = islice(asked_of_documents(options.about, options.index, rng), options.questions // 2)
            asked = [*rows[: options.questions // 2], *about]
            rng.shuffle(asked)
        fit_answers(asked, models)
    if options.verdicts:
        doubts = list(asked_for_verdicts([*reading, *claim_rows(options.rows, seed=options.seed)], rng))
        rng.shuffle(doubts)
        fit_verdicts(doubts[: options.verdicts], models)


if __name__ == "__main__":
    main()
