"""Where a name begins and ends in a sentence, beyond what the parser calls an entity."""

from __future__ import annotations

import re

from polyhop.layers.grammar.lexicon import ARTICLES, NOBLE, NUMBERS, PLACES
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import ParseTree

_NUMERAL = re.compile(r"[IVX]{1,5}\.?$|[JS]r\.?$")
_PARTS = 2  # of a name behind commas: Paris, Texas, United States


def words_of_entity(tree: ParseTree, i: int) -> tuple[int, int]:
    """The first and the last word of the entity that covers a word."""
    covers, first, last = tree.entity_of, i, i
    while first > 0 and covers[first - 1] == covers[i]:
        first -= 1
    while last + 1 < len(covers) and covers[last + 1] == covers[i]:
        last += 1
    return first, last


def name_begins(tree: ParseTree, i: int, first: int) -> int:
    """The first word of a name: those that the parser cut short begin with the capitalised words before them."""
    while (
        first > 0
        and tree.forms[first - 1][:1].isupper()
        and tree.deps[first - 1] in ("compound", "nmod", "amod")
        and first - 1 < tree.heads[first - 1] <= i
        and tree.entity_of[first - 1] < 0
    ):
        first -= 1
    return first


def name_ends(tree: ParseTree, i: int, last: int) -> int:
    """The last word of a name: ``Hugh II of Tours``, ``Paris, Texas``, ``Anna, Countess of Ost``."""
    if tree.label(i) == TITLE:
        return last
    last = _of(tree, _numeral(tree, last))
    for _ in range(_PARTS):
        if last + 2 >= len(tree) or tree.forms[last + 1] != ",":
            break
        longer = _place_goes_on(tree, i, last + 2) or _nobility(tree, last + 2)
        if longer is None:
            break
        last = longer
    return last


def _numeral(tree: ParseTree, last: int) -> int:
    return last + 1 if last + 1 < len(tree) and _NUMERAL.match(tree.forms[last + 1]) else last


def _of(tree: ParseTree, last: int) -> int:
    """The last word of a name that goes on after ``of``."""
    size = len(tree)
    at = last + 2 if last + 2 < size and tree.lower[last + 1] == "of" else 0
    if at and tree.lower[at] == "the" and at + 1 < size:
        at += 1
    if not at or not tree.forms[at][:1].isupper() or tree.label(at) in NUMBERS:
        return last
    end = at
    while end + 1 < size and _goes_on(tree, end):
        end += 1
    entity = tree.entity_of[end]
    return words_of_entity(tree, end)[1] if entity >= 0 and tree.label(end) != TITLE else end


def _goes_on(tree: ParseTree, end: int) -> bool:
    """Whether the word after one belongs to the same name: ``Saxe - Meiningen``."""
    if tree.forms[end] == "-":
        return True
    following = tree.forms[end + 1]
    return tree.deps[end] == "compound" and (following == "-" or following[:1].isupper())


def _place_goes_on(tree: ParseTree, i: int, at: int) -> int | None:
    if tree.label(i) not in PLACES or tree.label(at) not in PLACES or tree.lower[at] in ARTICLES:
        return None
    last = words_of_entity(tree, at)[1]
    beside = tree.deps[last] in ("appos", "npadvmod") or tree.deps[at] in ("appos", "npadvmod")
    return last if beside and tree.deps[last] != "conj" else None


def _nobility(tree: ParseTree, at: int) -> int | None:
    """A rank behind a comma: ``2nd Duke of York``, ``8th Baron Petre``."""
    if tree.forms[at][:1].isdigit() and at + 1 < len(tree):
        at += 1
    if tree.forms[at] not in NOBLE:
        return None
    last = _of(tree, at)
    if last == at and at + 1 < len(tree) and tree.deps[at] == "compound" and tree.forms[at + 1][:1].isupper():
        last = at + 1
    more = last + 2
    if last > at and more < len(tree) and tree.lower[last + 1] == "and" and tree.deps[more] == "conj":
        place = (
            tree.forms[more][:1].isupper() and tree.deps[tree.heads[more]] == "pobj" and tree.label(more) != "PERSON"
        )
        goes_on = more + 1 < len(tree) and tree.lower[more + 1] == "of"
        last = more if place and tree.heads[more] > at and not goes_on else last
    return last
