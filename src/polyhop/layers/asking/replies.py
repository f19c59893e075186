"""Questions that one speaker asks another, said of the one who is asked."""

from __future__ import annotations

from typing import Final

from polyhop.layers.asking.verbs import third_of
from polyhop.layers.asking.wording import Wording
from polyhop.layers.asking.words import word_set

_FINITE: Final = frozenset({"are", "do", "have", "were", "am", "don't", "'re", "’re", "'ve"})
_ASKS: Final = word_set(
    "what who whom whose which when where why how do does did is are was were have has had can could will would "
    "should any may might am"
)
_FEWEST: Final = 4  # words


def turned_question(wording: Wording) -> str:
    """``What boat are you building?``, asked of Tom, as ``What boat is Tom building?``; nothing if it is none."""
    tree = wording.tree
    first = next((i for i, low in enumerate(tree.lower) if low in _ASKS), None)
    last = len(tree) - 1
    while last >= 0 and not tree.forms[last][:1].isalnum():
        last -= 1
    if first is None or last - first + 1 < _FEWEST:
        return ""
    said = []
    for i in range(first, last + 1):
        low = tree.lower[i]
        subject = next((kid for kid in tree.kids_of(tree.heads[i], "nsubj", "nsubjpass") if kid > i), None)
        if tree.deps[i] == "ROOT":
            subject = next(iter(tree.kids_of(i, "nsubj")), None)
        meant = wording.meant(subject) if subject is not None else None
        turns = meant is not None and meant.turned and low in _FINITE and abs((subject or i) - i) <= 2
        said.append(third_of(low) if turns else None)
    words, run = [], []
    for i, form in zip(range(first, last + 1), said, strict=True):
        if form is None:
            run.append(i)
        else:
            words += [wording.say(run), form]
            run = []
    words.append(wording.say(run))
    question = " ".join(word for word in words if word)
    return f"{question[:1].upper()}{question[1:]}?"
