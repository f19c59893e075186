"""The words that ask for a noun: by the type of its entity, and by the preposition before it."""

from __future__ import annotations

from typing import Final, NamedTuple

from polyhop.layers.asking.words import word_set
from polyhop.layers.syntax.lexicon import KIN, NUMBERS, PLACES, TIMES
from polyhop.layers.syntax.topic import TITLE
from polyhop.layers.syntax.tree import Tree

_AT: Final = frozenset({"in", "at", "on", "near", "inside", "within", "to", "into", "outside", "around"})
_WHEN: Final = frozenset({"in", "on", "at", "during", "around", "before", "after", "until", "since", "by", "from", ""})
_DROPPED_WHEN: Final = frozenset({"in", "on", "at", "during", "around"})
_PEOPLE: Final = word_set(
    "man woman boy girl person people friend friends teacher coach director actor actress writer author singer "
    "painter king queen president member members neighbour neighbor doctor manager player players student students "
    "guest leader founder owner"
)
_OF_LABEL: Final = {
    "PERSON": "Who",
    "MONEY": "How much",
    "QUANTITY": "How much",
    "PERCENT": "What percentage",
    "CARDINAL": "How many",
    "LANGUAGE": "Which language",
    "NORP": "Which people",
}


class Wh(NamedTuple):
    """The words that ask, and whether the preposition goes: ``Where was Ada born?``."""

    words: str
    drops_preposition: bool = False


def wh_of(tree: Tree, i: int, preposition: str, label: str) -> Wh:
    """What asks for a noun: Who, What, Where, When, How much, Which NOUN; ``label`` where it stands for a name."""
    label = label or tree.label(i)
    if label in TIMES:
        if preposition in _WHEN:
            return Wh("What time" if label == "TIME" and preposition == "at" else "When", preposition in _DROPPED_WHEN)
        return Wh("How long", drops_preposition=True) if preposition == "for" else Wh("What")
    if label in PLACES and preposition:
        return Wh("Where", preposition in _AT)
    if label in PLACES:
        return Wh("Which place")
    if label == "CARDINAL" and tree.kids_of(i, "prep"):
        return Wh("What")  # "one of the first mills"
    if label in _OF_LABEL and tree.deps[i] != "amod":
        return Wh(_OF_LABEL[label])
    if label == TITLE:
        return Wh("What")
    noun = _kind(tree, i) if label and label not in NUMBERS else ""
    if noun:
        return Wh(f"Which {noun}")
    return Wh("Who" if not label and (tree.lower[i] in KIN or tree.lower[i] in _PEOPLE) else "What")


def _kind(tree: Tree, i: int) -> str:
    """The common noun that goes with a name: *film* in ``the film Harbour Lights``, *cafe* in ``the Elm Cafe``."""
    if not tree.label(i) and tree.forms[i][:1].islower():
        return tree.lower[i]
    before = [kid for kid in tree.kids_of(i, "compound", "nmod") if not tree.label(kid) and tree.forms[kid].islower()]
    return tree.lower[before[-1]] if before else ""
