"""Where a name begins and ends in a sentence, beyond what the parser calls an entity."""

from __future__ import annotations

import re

from polyhop.layers.grammar.lexicon import NOBLE, PLACES
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
        and tree.entity_of[first - 1] < 0
    ):
        first -= 1
    return first


def name_ends(tree: ParseTree, i: int, last: int) -> int:
    """The last word of a name: ``Hugh II of Tours``, ``Paris, Texas``, ``Anna, Countess of Ost``."""
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
    if not at or not tree.forms[at][:1].isupper():
        return last
    return words_of_entity(tree, at)[1] if tree.entity_of[at] >= 0 else at


def _place_goes_on(tree: ParseTree, i: int, at: int) -> int | None:
    if tree.label(i) not in PLACES or tree.label(at) not in PLACES:
        return None
    last = words_of_entity(tree, at)[1]
    return last if tree.deps[last] in ("appos", "npadvmod") else None


def _nobility(tree: ParseTree, at: int) -> int | None:
    """A rank behind a comma: ``2nd Duke of York``, ``8th Baron Petre``."""
    if tree.forms[at][:1].isdigit() and at + 1 < len(tree):
        at += 1
    return _of(tree, at) if tree.forms[at] in NOBLE else None
