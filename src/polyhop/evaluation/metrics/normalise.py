"""Answer normalisation of SQuAD and HotpotQA."""

from __future__ import annotations

import re
import string

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")
_WITHOUT_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalise(text: str) -> str:
    """The text in lower case without ASCII punctuation and English articles, with single spaces.

    Rajpurkar et al. 2016 (SQuAD), section 6.1; HotpotQA's evaluation does the same, in this order.
    """
    bare = text.lower().translate(_WITHOUT_PUNCTUATION)
    return " ".join(_ARTICLE.sub(" ", bare).split())
