"""A question that a passage may keep: with its answer, and how good it is."""

from __future__ import annotations

from typing import NamedTuple

_AROUND = " \t\n,;:-–—\"'“”‘’`()[]*"
_HALF = ("whose ", "which ", "whom ", "who ")
_LONGEST_QUESTION = 300  # characters


class QuestionCandidate(NamedTuple):
    """A question with the stretch of the passage's text that answers it."""

    question: str
    start: int
    end: int
    certainty: float = 1.0  # 0 to 1: how sure the rules are that it is well formed
    part: int = 0  # the sentence or message that it was made from, counted from 0

    @classmethod
    def of(cls, text: str, question: str, start: int, end: int, certainty: float) -> QuestionCandidate | None:
        """With the quotes and white space around the answer left out; nothing where no answer is left."""
        while start < end and text[start] in _AROUND:
            start += 1
        while start < end and text[end - 1] in _AROUND:
            end -= 1
        if start >= end or len(question) > _LONGEST_QUESTION or not any(map(str.isalnum, text[start:end])):
            return None
        if text.startswith(_HALF, start):
            return None  # "whose mill": half an answer
        if text.count('"', start, end) % 2:
            if text[end : end + 1] == '"':
                end += 1
            elif start and text[start - 1] == '"':
                start -= 1
        opened, closed = text.count("(", start, end), text.count(")", start, end)
        if opened > closed and text[end : end + 1] == ")":
            end, closed = end + 1, closed + 1
        if opened != closed:
            return None  # half a bracket: the parse is mistaken
        return cls(question, start, end, certainty)
