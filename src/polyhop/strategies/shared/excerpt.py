"""What of a long passage is worth judging: its beginning, what leads on, and what the question speaks of."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.folding import tokens
from polyhop.layers.layer import words_of
from polyhop.types import Passage


def excerpt(passage: Passage, question: str, longest: int, *, naming: Collection[str] = ()) -> str:
    """A passage with its title, cut down to whole sentences of about ``longest`` characters together, in their order.

    The first sentence stays, then those that contain one of the names, then those that share most words with the
    question. A cross-encoder reads a limited number of tokens; what is cut here would push out what matters more.
    """
    text = words_of(passage)
    if len(text) <= longest:
        return text
    sentences = [passage.text[start:end] for start, end in sentence_spans(passage.text)]
    asked = set(tokens(question))

    def worth(position: int) -> tuple[bool, bool, int, int]:
        sentence = sentences[position]
        names = any(name in sentence for name in naming)
        return position == 0, names, len(asked.intersection(tokens(sentence))), -position

    kept: list[int] = []
    left = longest - len(passage.title)
    for position in sorted(range(len(sentences)), key=worth, reverse=True):
        if len(sentences[position]) <= left or not kept:
            kept.append(position)
            left -= len(sentences[position])
    return "\n".join([passage.title, " ".join(sentences[position] for position in sorted(kept))])


def path_text(
    passages: Sequence[Passage], question: str, longest: int, *, naming: Sequence[Collection[str]] = ()
) -> str:
    """The passages of a path as one text, each cut down to ``longest`` characters, from the first to the last.

    ``naming``: for each passage but the last, the names by which it leads to the next.
    """
    names = [*naming, *([()] * (len(passages) - len(naming)))]
    return " ".join(
        excerpt(passage, question, longest, naming=leading) for passage, leading in zip(passages, names, strict=True)
    )
