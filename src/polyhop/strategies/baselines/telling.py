"""The sentence of some passages that tells most about a question beyond what is known already."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.folding import tokens
from polyhop.models.choice import Models
from polyhop.types import Passage


class Telling(NamedTuple):
    """A sentence as a statement that can stand alone, and where it was read."""

    text: str  # with the passage's title in front, unless the sentence has it
    passage: Passage


def telling_sentence(
    question: str, known: Sequence[str], passages: Sequence[Passage], models: Models, *, most: int
) -> Telling | None:
    """The sentence that the cross-encoder finds most relevant to the question, among those that add words to it.

    ``known`` are the statements made so far: a sentence has to add words to them, too. At most ``most`` sentences are
    read, those that share most words with the question and what is known. None where no sentence adds anything.
    """
    asked = set(tokens(question))
    said = asked.union(*(tokens(text) for text in known))
    glanced = []
    for rank, passage in enumerate(passages):
        for start, end in sentence_spans(passage.text):
            text = standing_alone(passage, start, end)
            words = set(tokens(text))
            if words - said:
                glanced.append((-len(words & said), rank, start, text))
    chosen = sorted(glanced)[:most]
    if not chosen:
        return None
    logits = models.reranker.score(" ".join([question, *known]), [text for *_, text in chosen])
    _, rank, _, text = chosen[int(logits.argmax())]
    return Telling(text, passages[rank])


def standing_alone(passage: Passage, start: int, end: int) -> str:
    """A sentence of a passage, with the title in front unless it contains it: "he" and "it" get their name."""
    sentence = " ".join(passage.text[start:end].split())
    titled = not passage.title or passage.title.casefold() in sentence.casefold()
    return sentence if titled else f"{passage.title}: {sentence}"
