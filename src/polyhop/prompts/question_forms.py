"""In which forms questions are asked: the paper wants a passage asked in many (QCG-RAG, appendix C.1)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from polyhop.english.words import AUXILIARIES, WH_WORDS
from polyhop.indexes.folding import pieces

FORMS: Final = {
    "who": "who, whom or whose",
    "what": "what or which",
    "when": "when",
    "where": "where",
    "why": "why",
    "how": "how, how many or how long",
    "whether": "is, did or can, to be answered by yes or no",
    "request": "a request: list, describe, compare or summarise something",
}
"""Each form, and what it is called in a prompt."""
MOST: Final = 5  # forms that the questions of a passage have to be of
_SAME: Final = {"whom": "who", "whose": "who", "which": "what"}
_BEFORE: Final = 3  # words that may stand before the one that asks, as in "In which year"


def form_of(question: str) -> str:
    """The form of a question; what begins otherwise is a request."""
    words = pieces(question)
    asking = next((word for word in words[: _BEFORE + 1] if word in WH_WORDS), None)
    if words[:1] and words[0] in AUXILIARIES:
        return "whether"
    return "request" if asking is None else _SAME.get(asking, asking)


def lacking(questions: Iterable[str], allowed: Iterable[str] = FORMS) -> tuple[str, ...]:
    """The forms that none of a passage's questions has, where they have too few: half as many as there are questions.

    Where none is asked as English asks, the forms say nothing, and none is lacking.
    """
    asked = [form_of(question) for question in questions]
    used = set(asked)
    if used <= {"request"} or len(used) >= min(MOST, len(asked) // 2):
        return ()
    return tuple(form for form in allowed if form not in used)
