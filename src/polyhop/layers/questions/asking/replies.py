"""Questions that one speaker asks another, said of the one who answers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from polyhop.english.verbs import third_of
from polyhop.english.words import word_set
from polyhop.layers.questions.asking.holes import SUBJECTS
from polyhop.layers.questions.asking.soundness import tidied
from polyhop.layers.questions.asking.topics import joined_topics
from polyhop.layers.questions.asking.wording import Wording, settled

_FINITE: Final = frozenset({"are", "do", "have", "were", "am", "don't", "'re", "’re", "'ve"})
_ASKS: Final = word_set(
    "what who whom whose which when where why how do does did is are was were have has had can could will would "
    "should any may might am ever got want need"
)
# What a question leaves out at its beginning: "Any plans?", "Ever tried it?", "Want to come?".
_LEFT_OUT: Final = {
    "any": "does {} have",
    "got": "does {} have",
    "ever": "has {}",
    "want": "does {}",
    "need": "does {}",
}
_WH: Final = word_set("what who whom whose which when where why how")
_OPENING: Final = word_set("so and but or oh hey well also then ok okay yeah yes sure btw")
_OPINION: Final = word_set("think thinking feel feeling like thoughts opinion say love enjoy prefer")
_NEAR: Final = 4  # words between an operator and its subject, at most
_POINTS: Final = word_set("it that this they them those these there one so")
_EMPTY: Final = word_set(
    "what who whom whose which when where why how do does did is are was were have has had can could will would "
    "should may might am be been the a an you your i me my we us our think feel like say sound sounds about of in on "
    "at to for with and or if guys all both everyone any some really thoughts opinion ready take not 's 're n't going "
    "know want mean idea else ever there more here also then now yet up"
)
_FEWEST: Final = 4  # words


def turned_question(wording: Wording, asked: str, around: Sequence[str] = ()) -> str:
    """``What boat are you building?``, asked of Tom, as ``What boat is Tom building?``; nothing if it is none.

    ``asked`` is who answers. A question that names nothing itself says what it is ``around``: *What does Tom think
    about the boat?*
    """
    tree = wording.tree
    first = next((i for i, low in enumerate(tree.lower) if low in _ASKS), None)
    last = len(tree) - 1
    while last >= 0 and _is_mark(tree.forms[last]):
        last -= 1
    if first is None or last - first + 1 < _FEWEST:
        return ""
    opening = _LEFT_OUT.get(tree.lower[first], "")
    if not _begins(wording, first, elliptic=bool(opening)):
        return ""
    about = ""
    if not _says_enough(wording, range(first, last + 1)):
        topics = [topic for topic in around if topic.lower() not in tree.text[tree.starts[first] :][:200].lower()]
        if not topics or _OPINION.isdisjoint(tree.lower[first : last + 1]):
            return ""
        if tree.lower[last] in _POINTS:
            last -= 1
            about = f" {topics[0]}"
        else:
            about = joined_topics(topics, 1)
    if opening:
        start = first + 1 if tree.lower[first] == "got" else first
        rest = wording.say(range(start, last + 1))
        said = f"{opening.format(asked)} {rest[:1].lower()}{rest[1:]}"
    else:
        said = _inverted(wording, range(first, last + 1))
    question = tidied(settled(f"{said}{about}"))
    return f"{question[:1].upper()}{question[1:]}?"


def _begins(wording: Wording, first: int, *, elliptic: bool) -> bool:
    """Whether a question begins with a word: *what people want* and *someone could help* have one inside."""
    tree = wording.tree
    if first and not _is_mark(tree.forms[first - 1]) and tree.lower[first - 1] not in _OPENING:
        return tree.lower[first] in _WH and not elliptic
    if elliptic or tree.lower[first] in _WH:
        return True
    return any(dependency in SUBJECTS for dependency in tree.deps[first + 1 : first + 1 + _NEAR])


def _says_enough(wording: Wording, inside: range) -> bool:
    """Whether the words of a question say what it is about, without what was said before."""
    tree = wording.tree
    low = [tree.lower[i] for i in inside if not _is_mark(tree.forms[i])]
    says = [word for word in low if word not in _EMPTY and word not in _POINTS]
    return len(says) > (1 if not _POINTS.isdisjoint(low) else 0)


def _is_mark(form: str) -> bool:
    return not form[:1].isalnum()


def _inverted(wording: Wording, inside: range) -> str:
    """The words of a question whose operator agrees with the one who is asked; the main verb stays as it is."""
    tree = wording.tree
    words: list[str] = []
    run: list[int] = []
    turned: set[int] = set()  # subjects that an operator agrees with already
    for i in inside:
        low = tree.lower[i]
        subject = next((kid for kid in tree.kids_of(tree.heads[i], "nsubj", "nsubjpass") if kid > i), None)
        if tree.deps[i] == "ROOT":
            subject = next(iter(tree.kids_of(i, "nsubj")), None)
            if any(kid < i for kid in tree.kids_of(i, "aux")):
                subject = None  # "Did you have ...": the operator has gone before
        meant = wording.meant(subject) if subject is not None else None
        agrees = meant is not None and meant.turned and low in _FINITE and abs((subject or i) - i) <= 2
        if agrees and subject not in turned:
            turned.add(subject or i)
            words += [wording.say(run), third_of({"'re": "are", "’re": "are", "'ve": "have"}.get(low, low))]
            run = []
        else:
            run.append(i)
    words.append(wording.say(run))
    return " ".join(word for word in words if word)
