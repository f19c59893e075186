"""Writes the questions that passages answer, with the answers, several passages a call (QCG-RAG, section 3.3)."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from polyhop.documents.sentences import sentence_spans
from polyhop.indexes.folding import pieces
from polyhop.indexes.names import normal
from polyhop.prompts.batches import Batches
from polyhop.prompts.blocks import DATA_RULE
from polyhop.prompts.grounding import whole_words
from polyhop.prompts.quotes import locate
from polyhop.types import GeneratedQuestion, Passage

PAIRS = 20  # of a passage
LONGEST_QUESTION = 400  # characters
LONGEST_ANSWER = 600

SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "pairs": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "passage": {"type": "integer"},
                    "question": {"type": "string"},
                    "answer": {"type": "string"},
                },
                "required": ["passage", "question", "answer"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["pairs"],
    "additionalProperties": False,
}

_SYSTEM = f"""You write down which questions numbered passages answer. Readers will ask questions of their own later, \
and theirs are compared with yours to find the passage. Write %d pairs of a question and its answer for each passage; \
fewer only where a passage says too little for so many that differ.

- "passage": the number of the passage that answers the question.
- "question": what somebody might ask who has not seen the passage and knows only that it may exist. It has to be \
answerable from this one passage and understandable alone: write names, titles and dates where the passage says "she", \
"it", "there" or "last week", and never "the passage" or "the text".
- "answer": copied from the passage, letter for letter, in as few words as answer the question. Only where no stretch \
of the passage would do, change as few words as possible. Never "yes" or "no".

Cover the whole passage: each person, thing, number, date and event, what was done, why and how, what somebody thinks \
or asks for. Ask about small facts as well as about the whole; begin with who, what, which, where, when, why, how and \
how many by turns. No two questions of a passage may ask for the same thing in other words. Write nothing that you \
remember or conclude. A passage that says nothing gets none; the list may be empty.

{DATA_RULE}

Output JSON: {{"pairs": [...]}}. An example with two pairs, for a passage 1 with the title "The Salt Harvest" and the \
text "It was painted by Ilse Dorn in 1871, after a winter in Fennick.": {{"pairs": [\
{{"passage": 1, "question": "Who painted The Salt Harvest?", "answer": "Ilse Dorn"}}, \
{{"passage": 1, "question": "Where had Ilse Dorn spent the winter before she painted The Salt Harvest?", \
"answer": "Fennick"}}]}}"""

PROMPT_VERSION = hashlib.sha256(f"{_SYSTEM}\n{json.dumps(SCHEMA)}".encode()).hexdigest()[:12]
"""Identifies what the model is asked, but for the number of pairs: another prompt or schema gives other questions."""

_SPARE_ANSWER = 100  # tokens that every call may answer, and
_ANSWER_PER_PAIR = 70  # for each pair of each passage: about twice what one takes


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionLimits:
    """How passages are packed into calls, and how much a call may answer."""

    text_tokens: int = 3000  # of the passages of one call, about; a longer passage has a call of its own
    passages: int = 3  # of one call, at most
    max_tokens: int = 6000  # of one answer, at most; calls for few pairs may answer less

    def __post_init__(self) -> None:
        if min(self.text_tokens, self.passages, self.max_tokens) < 1:
            raise ValueError("text_tokens, passages and max_tokens must be at least 1")

    def answer(self, pairs: int) -> int:
        """Tokens that a call for so many pairs may answer."""
        return min(self.max_tokens, _SPARE_ANSWER + _ANSWER_PER_PAIR * pairs)


@dataclass(frozen=True, slots=True)
class WrittenQuestions:
    """The questions of a passage with their answers, in the model's order, and how many were rejected, by reason.

    ``question``: it says nothing or is too long. ``answer``: it says nothing, is too long, or neither stands in the
    passage nor is worded by one of its sentences. ``duplicate``: the question was there before. ``passage``: a number
    that no passage has. ``surplus``: more pairs than were asked for.
    """

    questions: tuple[GeneratedQuestion, ...] = ()
    rejected: Mapping[str, int] = field(default_factory=dict)


def batches(pairs: int = PAIRS, limits: QuestionLimits = QuestionLimits()) -> Batches[WrittenQuestions]:
    """The task: what comes of a passage is at most ``pairs`` questions. Raises ValueError for less than one."""
    if pairs < 1:
        raise ValueError("pairs must be at least 1")
    return Batches(
        system=_SYSTEM % pairs,
        schema=SCHEMA,
        text_tokens=limits.text_tokens,
        passages=limits.passages,
        answer=lambda _, passages: limits.answer(pairs * passages),
        read=lambda answer, batch: _grounded(answer["pairs"], batch, pairs),
        nothing=WrittenQuestions(),
        undone="questions",
    )


def _grounded(items: Sequence[Mapping[str, Any]], batch: Sequence[Passage], most: int) -> Iterator[WrittenQuestions]:
    """What the passages bear out; the rest is counted where the model said that it belongs."""
    pairs: list[dict[str, GeneratedQuestion]] = [{} for _ in batch]
    rejected: list[Counter[str]] = [Counter() for _ in batch]
    for item in items:
        named = 0 if len(batch) == 1 else item["passage"] - 1  # of one passage the number says nothing
        if not 0 <= named < len(batch):
            rejected[0]["passage"] += 1
            continue
        pair = _pair(item, batch[named])
        if isinstance(pair, str):
            rejected[named][pair] += 1
            continue
        key = normal(pair.question)
        fault = "duplicate" if key in pairs[named] else "surplus" if len(pairs[named]) == most else ""
        if fault:
            rejected[named][fault] += 1
        else:
            pairs[named][key] = pair
    return (WrittenQuestions(tuple(found.values()), counts) for found, counts in zip(pairs, rejected, strict=True))


def _pair(item: Mapping[str, Any], passage: Passage) -> GeneratedQuestion | str:
    """A question with its answer and where that stands, or why it is rejected."""
    question, answer = (" ".join(item[key].split()) for key in ("question", "answer"))
    if not normal(question) or len(question) > LONGEST_QUESTION:
        return "question"
    if not normal(answer) or len(answer) > LONGEST_ANSWER:
        return "answer"
    span = _place(question, answer, passage)
    if span is None:
        return "answer"
    return GeneratedQuestion(question=question, answer=answer, start=span[0], end=span[1])


def _place(question: str, answer: str, passage: Passage) -> tuple[int, int] | None:
    """Where an answer stands in the passage's text; else the sentence that gives it nearly in its words.

    Such a sentence has, with the title, all words of the answer, and shares one with the question or the answer. So an
    answer from the title points to the sentence that speaks of what was asked.
    """
    span = locate(answer, passage.text)
    if span is not None and whole_words(passage.text, *span):
        return span
    wanted, asked = set(pieces(answer)), set(pieces(question))
    title = set(pieces(passage.title))
    best: tuple[int, tuple[int, int]] | None = None
    for start, end in sentence_spans(passage.text):
        said = set(pieces(passage.text[start:end]))
        shared = len(said & (wanted | asked))
        if wanted <= said | title and shared and (best is None or shared > best[0]):
            best = shared, (start, end)
    return best[1] if best else None
