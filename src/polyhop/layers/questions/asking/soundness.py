"""Whether the words that a question keeps make one sentence: no clause without its beginning, no beginning alone."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from itertools import pairwise
from operator import eq
from typing import Final

from polyhop.english.words import word_set
from polyhop.layers.grammar.tree import Tree

LINKS: Final = word_set("when where while why how whenever wherever whereas whether whose which whom who what whatever")
_BEGINS: Final = LINKS | {"that"}
_RELATIVE: Final = frozenset({"relcl", "acl", "csubj", "pcomp", "xcomp"})  # clauses that need no word before them
_CLAUSES: Final = _RELATIVE | {"ROOT", "ccomp", "advcl", "conj", "parataxis", "dep", "appos", "csubjpass"}
_SUBJECTS: Final = ("nsubj", "nsubjpass")
_GOVERNED: Final = frozenset({"nsubj", "nsubjpass", "dobj"})
# What no question ends with: a word that leads on to another.
_LEADS_ON: Final = word_set(
    "when where while because although though if whenever wherever whereas whether than and or but nor that who whom "
    "which whose how why what the a an my your his its our their so since until as per via de la le"
)
_PREPOSITIONS: Final = word_set("of in at for from with by into between during through under near among against")
_NO_VERB: Final = re.compile(r"(?:As for [^,]*, )?(?:What|Who|what|who) (?:the|a|an)\b")
_FINE_TWICE: Final = frozenset({"had", "that", "very", "so"})
_ARTICLES: Final = re.compile(r"\b(?:the|a|an) (the|a|an)\b", re.IGNORECASE)
_MARKS: Final = re.compile(r"[*|`~#_]")
_MARKUP: Final = re.compile(r"[*|`~]|(?<!\w)#|_{2}")


class Joints:
    """Where the clauses of a sentence begin, and which of them nothing introduces."""

    __slots__ = ("_bare", "_links", "any")

    def __init__(self, tree: Tree) -> None:
        self._links: list[tuple[int, int]] = []
        self._bare: list[tuple[int, int]] = []
        for i, (low, dependency) in enumerate(zip(tree.lower, tree.deps, strict=True)):
            if dependency == "mark" or (low in _BEGINS and (low != "that" or dependency in _GOVERNED)):
                self._links.append((i, _clause_above(tree, i)))
            elif dependency in _SUBJECTS and _is_bare(tree, tree.heads[i]):
                self._bare.append((tree.heads[i], i))
        self.any = bool(self._links or self._bare)

    def hold(self, words: Set[int], verb: int) -> bool:
        """Whether some words around a verb are one clause with the clauses below it, each with its beginning."""
        for link, below in self._links:
            if link in words and (below not in words or below < link or below == verb):
                return False
        return not any(bare != verb and bare in words and subject in words for bare, subject in self._bare)


def _clause_above(tree: Tree, i: int) -> int:
    """The verb of the clause that a word begins; itself where there is none."""
    for above in tree.upwards(i):
        if above != i and tree.deps[above] in _CLAUSES and (tree.deps[above] != "conj" or above > i):
            return above
    return i


def _is_bare(tree: Tree, verb: int) -> bool:
    """Whether a clause with a subject of its own stands beside another one without a word between them."""
    dependency, head = tree.deps[verb], tree.heads[verb]
    kids = tree.kids[verb]
    if dependency in _RELATIVE or any(tree.deps[kid] == "mark" for kid in kids):
        return False
    if dependency == "ccomp":
        return head > verb
    if dependency == "conj":
        return not any(head < kid < verb for kid in tree.kids_of(head, "cc"))
    if dependency == "advcl":
        opened = any(tree.lower[i] in LINKS for i in range(tree.leftmost(verb), verb))
        return not opened and not tree.lower[verb].endswith("ing")
    return dependency in _CLAUSES


def tidied(question: str) -> str:
    """A question with one article where two meet, and without a quotation mark that lacks its other."""
    low = question.lower()
    if "the the " in low or "a the " in low or "an the " in low:
        question = _ARTICLES.sub(lambda found: found[1], question)
    return " ".join(question.replace('"', " ").split()).replace(" ?", "?") if question.count('"') % 2 else question


def is_sound(question: str) -> bool:
    """Whether a question is one as far as its words tell: complete, nothing said twice, and no marks of a layout."""
    if has_markup(question) or _NO_VERB.match(question):
        return False
    words = question.rstrip("?").split()
    if not words or words[-1].lower() in _LEADS_ON or not _ends(words):
        return False
    if True not in map(eq, words, words[1:]):
        return True
    return all(one != next_ or not one.islower() or one in _FINE_TWICE for one, next_ in pairwise(words))


def has_markup(text: str) -> bool:
    """Whether a text has marks of a layout in it: emphasis, a link, the bars of a table."""
    if "](" in text or "http" in text:
        return True
    return _MARKS.search(text) is not None and _MARKUP.search(text) is not None


def _ends(words: Sequence[str]) -> bool:
    """Whether a question does not end with two prepositions, or a number of a list."""
    if words[-1].endswith(".") and words[-1][:-1].isdigit():
        return False
    return len(words) < 2 or words[-1] not in _PREPOSITIONS or words[-2] not in _PREPOSITIONS
