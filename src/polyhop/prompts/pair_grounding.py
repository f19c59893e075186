"""Where a passage gives the answer of a question that a language model wrote about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Literal

from polyhop.documents.sentences import sentence_spans
from polyhop.english.dates import written_day
from polyhop.english.words import FUNCTION_WORDS, word_set
from polyhop.indexes.folding import pieces, tokens
from polyhop.prompts.blocks import date_line
from polyhop.prompts.grounding import whole_words
from polyhop.prompts.quotes import locate
from polyhop.types import Passage

Grounding = Literal["strict", "near", "off"]

_EMPTY: Final = FUNCTION_WORDS | word_set("yes no not my your our also just very because due")
_ENDINGS: Final = 3  # letters that another form of a long word may differ in, at its end
_ROOT: Final = 4  # letters that it shares at least


def place_of(question: str, answer: str, passage: Passage, grounding: Grounding) -> tuple[int, int] | None:
    """Where an answer stands in the passage's text; else the sentence that gives it, or None where none does.

    ``strict``: such a sentence has, with the title, all words of the answer. ``near``: the passage has its names and
    numbers, and of all its words more than half, in whatever form; of a bare yes or no, half of the question's.
    ``off``: any will do.
    """
    span = locate(answer, passage.text)
    if span is not None and whole_words(passage.text, *span):
        return span
    if grounding == "strict":
        return _worded(question, answer, passage)
    if grounding == "near" and not _nearly_said(question, answer, passage):
        return None
    return _likest(question, answer, passage.text)


def _worded(question: str, answer: str, passage: Passage) -> tuple[int, int] | None:
    """The sentence with all words of the answer and most of the question's; an answer from the title counts, too."""
    wanted, asked, title = set(pieces(answer)), set(pieces(question)), set(pieces(passage.title))
    best: tuple[int, tuple[int, int]] | None = None
    for start, end in sentence_spans(passage.text):
        said = set(pieces(passage.text[start:end]))
        shared = len(said & (wanted | asked))
        if wanted <= said | title and shared and (best is None or shared > best[0]):
            best = shared, (start, end)
    return best[1] if best else None


def _nearly_said(question: str, answer: str, passage: Passage) -> bool:
    said = set(tokens("\n".join((passage.title, *_day_of(passage), passage.text))))
    words = _telling(tokens(answer))
    if not words:
        asked = _telling(tokens(question))
        return bool(asked) and 2 * sum(_has(said, word) for word in asked) >= len(asked)
    firm = _telling(piece for word in answer.split()[1:] if word[:1].isupper() for piece in tokens(word))
    firm |= {word for word in words if any(map(str.isdigit, word))}
    return all(_has(said, word) for word in firm) and 2 * sum(_has(said, word) for word in words) > len(words)


def _day_of(passage: Passage) -> tuple[str, ...]:
    """The day that a passage is shown with, as people write it."""
    day = "" if passage.occasion is None else passage.occasion.day
    return (written_day(day), *date_line(passage)) if day else ()


def _likest(question: str, answer: str, text: str) -> tuple[int, int]:
    """The sentence with most of the answer's words, and of these the one with most of the question's."""
    answering, asking = _telling(tokens(answer)), _telling(tokens(question))

    def shared(span: tuple[int, int]) -> tuple[int, int]:
        said = set(tokens(text[slice(*span)]))
        return sum(_has(said, word) for word in answering), sum(_has(said, word) for word in asking)

    return max(sentence_spans(text), key=shared, default=(0, len(text)))


def _telling(words: Iterable[str]) -> set[str]:
    return {word for word in words if word not in _EMPTY}


def _has(said: set[str], word: str) -> bool:
    """Whether a word is said, or another form of it."""
    root = word[: max(_ROOT, len(word) - _ENDINGS)]
    return word in said or (len(word) > _ROOT and any(other.startswith(root) for other in said))
