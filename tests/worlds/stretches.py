"""What a model says of the stretches of a question, made up."""

from __future__ import annotations

import numpy as np

from polyhop.english.described import placed_words
from polyhop.ports import Floats


def scores(chances: dict[str, float], question: str) -> Floats:
    """Logits that say so of these stretches, and of no other."""
    words = placed_words(question)
    found = np.full((len(words), len(words)), -9.0, np.float32)
    for text, chance in chances.items():
        start = question.index(text)
        first = next(at for at, word in enumerate(words) if word.start == start)
        last = next(at for at, word in enumerate(words) if word.end == start + len(text))
        found[first, last] = np.log(chance / (1 - chance))
    return found
