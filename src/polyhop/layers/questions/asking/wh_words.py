"""The words that ask for a noun: by the type of its entity, and by the preposition before it."""

from __future__ import annotations

from typing import Final, NamedTuple

from polyhop.english.verbs import base_of
from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import NUMBERS, PLACES, TIMES
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import Tree
from polyhop.layers.questions.asking.kinds import is_person

_AT: Final = frozenset({"in", "at", "on", "near", "inside", "within", "to", "into", "outside", "around"})
_INSIDE: Final = frozenset({"in", "at", "near", "inside", "within", "outside"})  # no one is born in a person
_WHEN: Final = frozenset({"in", "on", "at", "during", "around", "before", "after", "until", "since", "by", "from", ""})
_DROPPED_WHEN: Final = frozenset({"in", "on", "at", "during", "around"})
_BEGUN: Final = _WHEN - _DROPPED_WHEN - {""}
_UNITS: Final = word_set("year years month months week weeks day days hour hours minute minutes decade decades")
_REPEATED: Final = frozenset({"every", "each", "the", "this", "that"})
# What only people do, and what they do together as a board or a crew.
_MINDFUL: Final = word_set(
    "say ask note think know believe decide propose marry vote refuse promise agree choose hope wish want learn teach "
    "study write paint compose invent discover design found answer reply insist argue warn complain remember forget "
    "tell speak talk promise advise order invite suggest recommend plan intend dream swear"
)
_LIVELY: Final = word_set(
    "arrive die emigrate graduate land learn live quarrel resign retire settle travel visit walk win apologise "
    "apologize climb cook dance draw earn kneel laugh marry nurse play read resign sing sleep smile swim weep work"
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


def who_acts(verb: str, *, named: bool) -> bool:
    """Whether only people, alone or together, do what a verb says; or, of what is ``named``, nearly always people."""
    base = base_of(verb)
    return base in _MINDFUL or (named and base in _LIVELY)


class Wh(NamedTuple):
    """The words that ask, and whether the preposition goes: ``Where was Ada born?``."""

    words: str
    drops_preposition: bool = False


def wh_of(tree: Tree, i: int, preposition: str, label: str) -> Wh:
    """What asks for a noun: Who, What, Where, When, How much, Which NOUN; ``label`` where it stands for a name."""
    label = label or tree.label(i)
    if label in TIMES:
        return _of_time(tree, i, preposition, label)
    if (label == "PERSON" and preposition in _INSIDE) or (label == "ORG" and preposition == "in"):
        label = "GPE"
    if label in PLACES and preposition:
        return Wh("Where", preposition in _AT)
    if label in PLACES:
        return Wh("Which place")
    if label == "CARDINAL" and (preposition or tree.kids_of(i, "prep")):
        return Wh("What")  # "one of the first mills"
    if label in _OF_LABEL and tree.deps[i] != "amod":
        return Wh(_OF_LABEL[label])
    if label == TITLE:
        return Wh("What")
    noun = _kind(tree, i) if label and label not in NUMBERS else ""
    if noun:
        return Wh(f"Which {noun}")
    return Wh("Who" if not label and is_person(tree.lower[i]) else "What")


def is_duration(tree: Tree, i: int) -> bool:
    """Whether a time is so long: ``two years``."""
    return tree.lower[i] in _UNITS and bool(tree.kids_of(i, "nummod"))


def _of_time(tree: Tree, i: int, preposition: str, label: str) -> Wh:
    if tree.lower[i] == "age" and preposition == "at":
        return Wh("At what age", drops_preposition=True)
    if preposition == "for":
        repeated = any(tree.lower[kid] in _REPEATED for kid in tree.kids_of(i, "det"))
        return Wh("What") if repeated else Wh("How long", drops_preposition=True)
    if preposition not in _WHEN or is_duration(tree, i) or (not preposition and tree.deps[i] == "dobj"):
        return Wh("What")
    if preposition in _BEGUN and not any(map(str.isdigit, tree.forms[i])):
        return Wh("What")
    if preposition in _BEGUN:
        return Wh(f"{preposition.capitalize()} when", drops_preposition=True)  # "Until when did Ada ...?"
    return Wh("What time" if label == "TIME" and preposition == "at" else "When", preposition in _DROPPED_WHEN)


def _kind(tree: Tree, i: int) -> str:
    """The common noun that goes with a name: *film* in ``the film Harbour Lights``, *cafe* in ``the Elm Cafe``."""
    if not tree.label(i) and tree.forms[i][:1].islower():
        return tree.lower[i]
    before = [kid for kid in tree.kids_of(i, "compound", "nmod") if not tree.label(kid) and tree.forms[kid].islower()]
    return tree.lower[before[-1]] if before else ""
