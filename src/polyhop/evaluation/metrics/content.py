"""How much of what one text says another text holds, counted in content words: for evidence and answers in sentences.

A data set about documents says what answers a question in sentences of its own, so that nothing in the documents equals
them. What can be compared are the words that mean something. As in ``equality``, no rule is shared with the readers
that are judged.

Words are folded, numbers count as figures, and two words count as one where they are forms of one word: equal up to an
ending ("increase", "increasing"; "diagnosis", "diagnostic"; not "lymphoma", "lymphocyte"). Small words do not count;
"no" and "not" do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Final

from polyhop.evaluation.metrics.equality import terms
from polyhop.indexes.folding import tokens

MOST: Final = 0.6
"""The share from which a text holds most of a sentence. Below it a passage of 512 tokens holds sentences by accident;
above it paraphrases are lost: two words that were put otherwise suffice to lose a sentence of five."""
ASKED: Final = 0.25
"""What a word of evidence counts that the question has too: any passage on the matter has it. Where it counts a half,
"the tower has a roof of slate" is covered without slate where the question is what roof the tower has;
where it counts nothing, passages that speak of something else cover what has only a word or two of its own."""

_SMALL: Final = frozenset(
    tokens(
        "a about after also although am an and any are as at be because been before being between both but by can "
        "could did do does during each either etc for from had has have he her hers herself him himself his how i if "
        "in into is it its itself may me might more most must my of on or other our out over s she should so some "
        "such than that the their them themselves then there these they this those through to under until up upon us "
        "use used uses using very via was we were what when where whether which while who whom whose why will with "
        "within would yes you your",
        "s",
    )
)
_STEM: Final = 4  # letters that forms of one word share, at the least, and as many as their endings have together
_ENDING: Final = 3  # letters that may follow them in each form

Words = frozenset[str]


def check_share(share: float) -> None:
    """Raises ValueError for what is no share."""
    if not 0 <= share <= 1:
        raise ValueError("share is from 0 to 1")


def with_share(name: str, least: float) -> str:
    """The name of a figure with the share from which it counts, where that is not the usual one."""
    return name if least == MOST else f"{name}(share={least:g})"


def content(text: str) -> Words:
    """The words of a text that mean something, folded and without plural endings, numbers as figures."""
    return frozenset(word for word in tokens(" ".join(terms(text)), "s") if word not in _SMALL)


def held(wanted: Words, words: Words) -> Words:
    """Those of the wanted words that others have, each in any of its forms."""
    by_stem: defaultdict[str, list[str]] = defaultdict(list)
    for word in words:
        by_stem[word[:_STEM]].append(word)
    return frozenset(word for word in wanted if any(_one_word(word, other) for other in by_stem[word[:_STEM]]))


def share(words: Words, sentence: str, asked: Words) -> float:
    """How much of a sentence of evidence some words hold, 0 to 1; words of the question count ``ASKED``, others 1."""
    wanted = content(sentence)
    known = held(wanted, asked)
    return _share({word: ASKED if word in known else 1.0 for word in wanted}, words)


def share_of_answer(words: Words, answer: str, asked: Words) -> float:
    """How much of a gold answer some words hold, 0 to 1, by what it has beyond the words of the question.

    An answer that has nothing beyond them says the question again, as a sentence; then all its words count.
    """
    wanted = content(answer)
    return _share(dict.fromkeys(wanted - held(wanted, asked) or wanted, 1.0), words)


def covered(texts: Iterable[str], sentences: Sequence[str], question: str, least: float) -> float:
    """The fraction of some sentences of which one of the texts holds at least a share; there is at least one."""
    said, asked = [content(text) for text in texts], content(question)
    found = [any(share(words, sentence, asked) >= least for words in said) for sentence in sentences]
    return sum(found) / len(found)


def _share(worth: Mapping[str, float], words: Words) -> float:
    total = sum(worth.values())
    return sum(worth[word] for word in held(frozenset(worth), words)) / total if total else 0.0


def _one_word(one: str, other: str) -> bool:
    """Whether two words are the same or forms of one word."""
    if one == other or not (one.isalpha() and other.isalpha()):
        return one == other
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    endings = (len(one) - shared, len(other) - shared)
    return shared >= max(_STEM, sum(endings)) and max(endings) <= _ENDING
