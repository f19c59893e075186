"""The words that ask for a noun: by the type of its entity, and by the preposition before it."""

from __future__ import annotations

from typing import Final, NamedTuple

from polyhop.english.words import names_person, word_set
from polyhop.layers.grammar.hyphens import main_part
from polyhop.layers.grammar.lexicon import NUMBERS, PLACES, TIMES
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import ParseTree

_WHERE: Final = frozenset({"in", "at", "on", "near", "inside", "within", "to", "into", "outside", "around"})
_INSIDE: Final = frozenset({"in", "at", "near", "inside", "within", "outside"})  # no one is born in a person
_WHEN: Final = frozenset({"in", "on", "at", "during", "around"})
_BEGUN: Final = frozenset({"before", "after", "until", "since", "by", "from"})
_UNITS: Final = word_set("year years month months week weeks day days hour hours minute minutes decade decades")
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


def wh_of(tree: ParseTree, i: int, preposition: str, label: str) -> Wh:
    """What asks for a noun: Who, What, Where, When, How much, Which NOUN; ``label``: the type of what it stands for."""
    if label in TIMES:
        return _of_time(tree, i, preposition, label)
    if (label == "PERSON" and preposition in _INSIDE) or (label == "ORG" and preposition == "in"):
        label = "GPE"
    if label in PLACES:
        return Wh("Where", preposition in _WHERE) if preposition else Wh("Which place")
    if label == TITLE or (label == "CARDINAL" and (preposition or tree.kids_of(i, "prep"))):
        return Wh("What")  # "one of the first mills"
    if label in _OF_LABEL and tree.deps[i] != "amod":
        return Wh(_OF_LABEL[label])
    common = [kid for kid in tree.kids_of(i, "compound", "nmod") if not tree.label(kid) and tree.forms[kid].islower()]
    if label and label not in NUMBERS and common:
        return Wh(f"Which {tree.lower[common[-1]]}")  # "the cafe Elm"
    return Wh("Who" if not label and names_person(main_part(tree.lower[i])) else "What")


def _of_time(tree: ParseTree, i: int, preposition: str, label: str) -> Wh:
    long = tree.lower[i] in _UNITS and bool(tree.kids_of(i, "nummod"))  # "two years"
    if tree.lower[i] == "age" and preposition == "at":
        return Wh("At what age", drops_preposition=True)
    if preposition == "for" and long:
        return Wh("How long", drops_preposition=True)
    if preposition in _BEGUN and any(map(str.isdigit, tree.forms[i])):
        return Wh(f"{preposition.capitalize()} when", drops_preposition=True)  # "Until when did Ada ...?"
    if long or preposition not in _WHEN | {""} or (not preposition and tree.deps[i] in ("dobj", "attr")):
        return Wh("What")
    return Wh("What time" if label == "TIME" and preposition == "at" else "When", drops_preposition=True)
