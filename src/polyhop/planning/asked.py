"""A question as it is taken from whoever asks: with words, on one line, and no longer than is read."""

from __future__ import annotations

from polyhop.english.question import SENTENCE_END
from polyhop.errors import UsageError

LONGEST_QUESTION = 400  # words: about what an encoder reads at once; what is beyond says nothing about what is asked
BRIEF = 3  # words of a sentence with a question mark that says nothing of what is asked, at most


def checked(question: str) -> str:
    """A question as it is asked of strategies. Raises UsageError where it has no words."""
    words = readable(question).split()
    if not any(character.isalnum() for word in words for character in word):
        raise UsageError("The question has no words.", remedy='Ask something, as in: "Who founded ...?"')
    return " ".join(words)


def readable(text: str) -> str:
    """A text that can be stored and sent on: a terminal may send broken bytes, and JSON may have half a character."""
    return text.replace("\0", " ").encode(errors="replace").decode()


def shortened(question: str) -> str:
    """As much of a question as is read: of a long text the last question, which people write below what they paste.

    Where it has none, or one that is as long, its first words.
    """
    words = question.split()
    if len(words) <= LONGEST_QUESTION:
        return " ".join(words)
    last = _last_asked(" ".join(words))
    return last if 0 < len(last.split()) <= LONGEST_QUESTION else " ".join(words[:LONGEST_QUESTION])


def _last_asked(text: str) -> str:
    """The last sentence with a question mark that may be more than "Any ideas?"; empty where there is none."""
    ends = [0, *(end.end() for end in SENTENCE_END.finditer(text)), len(text)]
    sentences = (text[start:end].strip() for start, end in zip(ends[-2::-1], ends[:0:-1], strict=True))
    asking = (sentence for sentence in sentences if sentence.rstrip("\"'”’») ").endswith("?"))
    return next((sentence for sentence in asking if len(sentence.split()) > BRIEF), "")


def part_read(question: str) -> str:
    """Of what a question is longer than is read, in words, what is read; empty where all of it is."""
    words, read = question.split(), shortened(question)
    if len(words) <= LONGEST_QUESTION:
        return ""
    if " ".join(words[:LONGEST_QUESTION]) == read:
        return f"the first {LONGEST_QUESTION} words of the question"
    return f"the last question in its {len(words):,} words"
