"""Sums up several texts without a language model: by their own most central sentences."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes import folding
from polyhop.indexes.central import central
from polyhop.indexes.names import words
from polyhop.models.accounting import estimated_tokens
from polyhop.ports import Embed, Floats

NAME = "central sentences 1"  # what made such a summary; another number when the same texts would give another
FEWEST_WORDS = 4  # of a sentence that is more than a heading
_SPARE = 2  # times as many sentences are picked as are wanted where some may not fit


def extractive_summary(texts: Sequence[str], embed: Embed, *, sentences: int = 4, tokens: int | None = None) -> str:
    """The most central sentences of some texts, each as it is written, in their order, as one line.

    ``sentences``: at most so many. ``tokens``: of all together, about, at most; a sentence that no longer fits is left
    out, and where not one fits, the most central is cut at a word. Headings are passed over where there are sentences.
    """
    found = sentences_of(texts)
    if not found or sentences < 1:
        return ""
    if len(found) <= sentences and (tokens is None or estimated_tokens(" ".join(found)) <= tokens):
        return " ".join(found)  # nothing is to be chosen
    picks = central(embed(found), sentences if tokens is None else sentences * _SPARE).tolist()
    chosen: list[int] = []
    for pick in picks:
        together = " ".join(found[place] for place in [*chosen, pick])
        if len(chosen) < sentences and (tokens is None or estimated_tokens(together) <= tokens):
            chosen.append(pick)
    if not chosen and tokens is not None:
        return _cut(found[picks[0]], tokens)
    return " ".join(found[place] for place in sorted(chosen))


def sentences_of(texts: Sequence[str]) -> list[str]:
    """The sentences of some texts in order, once each, each on one line; headings only where there is nothing else."""
    pieces = (" ".join(text[start:end].split()) for text in texts for start, end in sentence_spans(text))
    found = list(dict.fromkeys(pieces))
    return [sentence for sentence in found if len(words(sentence)) >= FEWEST_WORDS] or found


def word_vectors(sentences: Sequence[str]) -> Floats:
    """Unit vectors of sentences by their words, those that few of them have counting most, as in LexRank.

    Float32 of shape (len(sentences), distinct words). Erkan and Radev, 2004: TF-IDF, here within what is summed up.
    """
    terms = [folding.tokens(sentence) for sentence in sentences]
    places = {word: place for place, word in enumerate(sorted({word for line in terms for word in line}))}
    counts = np.zeros((len(sentences), max(len(places), 1)))
    for row, line in enumerate(terms):
        for word in line:
            counts[row, places[word]] += 1
    rarity = np.log((1 + len(sentences)) / np.maximum((counts > 0).sum(axis=0), 1))
    weighted = counts * rarity
    lengths = np.linalg.norm(weighted, axis=1, keepdims=True)
    units: Floats = (weighted / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    return units


def _cut(sentence: str, tokens: int) -> str:
    """The beginning of a sentence that has at most so many tokens, in whole words; empty where not one word fits."""
    kept = ""
    for word in sentence.split():
        longer = f"{kept} {word}".strip()
        if estimated_tokens(longer) > tokens:
            break
        kept = longer
    return kept
