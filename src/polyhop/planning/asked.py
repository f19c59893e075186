"""A question as it is taken from whoever asks: with words, on one line, and no longer than is read."""

from __future__ import annotations

import logging

from polyhop.errors import UsageError

logger = logging.getLogger(__name__)

LONGEST_QUESTION = 400  # words: about what an encoder reads at once; what is beyond says nothing about what is asked


def checked(question: str) -> str:
    """A question as it is asked of strategies. Raises UsageError where it has no words."""
    words = readable(question).split()
    if not any(character.isalnum() for word in words for character in word):
        raise UsageError("The question has no words.", remedy='Ask something, as in: polyhop ask "Who founded ...?"')
    return " ".join(words)


def readable(text: str) -> str:
    """A text that can be stored and sent on: a terminal may send broken bytes, and JSON may have half a character."""
    return text.replace("\0", " ").encode(errors="replace").decode()


def shortened(question: str) -> str:
    """As much of a question as is read."""
    words = question.split()
    if len(words) > LONGEST_QUESTION:
        logger.warning("The question has %d words; the first %d are read.", len(words), LONGEST_QUESTION)
    return " ".join(words[:LONGEST_QUESTION])
