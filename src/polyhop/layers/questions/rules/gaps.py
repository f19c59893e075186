"""What of a clause can be asked for: its objects, places, times and reasons, with the words that ask for them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Final, NamedTuple

from polyhop.layers.grammar.clauses import Clause
from polyhop.layers.grammar.lexicon import BE, EMPTY, PLACES, TIMES
from polyhop.layers.grammar.tree import ParseTree
from polyhop.layers.questions.rules.realisation import Realiser
from polyhop.layers.questions.rules.wh_words import wh_of

_OBJECTS: Final = frozenset({"dobj", "attr", "dative", "oprd"})
_BESIDE: Final = ("conj", "cc", "relcl", "acl", "appos", "punct")
_SURE, _LIKELY, _UNSURE = 1.0, 0.8, 0.6


class AnswerGap(NamedTuple):
    """A part that is asked for: its words, those that the question leaves out, and the words that ask for it."""

    answer: Sequence[int]
    without: frozenset[int]
    wh: str
    certainty: float = _LIKELY
    then: str = ""  # what the question says in its place: "What does Ada plan to do?"


def words_below(tree: ParseTree, i: int, without: Collection[str] = ()) -> list[int]:
    """A word and all that hang below it, in order; not those that hang by some dependencies."""
    found = [i]
    for word in found:
        found += [kid for kid in tree.kids[word] if tree.deps[kid] not in without]
    return sorted(found)


def gaps_of(clause: Clause, realiser: Realiser) -> Iterator[AnswerGap]:
    """The parts of a clause that a question may leave open, each a whole phrase."""
    tree, verb = clause.tree, clause.verb
    for i in tree.kids[verb]:
        if i in tree.bracketed:
            continue
        dependency, words = tree.deps[i], words_below(tree, i)
        if dependency in _OBJECTS:
            if len(tree.kids_of(verb, dependency)) == 1:  # of two, the parse is mistaken about one
                yield from _noun(realiser, i, -1, _SURE)
                yield from _before_noun(realiser, i)
                yield from _place_or_time(realiser, i)
        elif dependency in ("prep", "agent"):
            for target in tree.kids_of(i, "pobj")[:1]:
                yield from _noun(realiser, target, i, _SURE)
                yield from _place_or_time(realiser, target)
        elif dependency == "npadvmod" and tree.label(i) in TIMES:
            if wh_of(tree, i, "", tree.label(i)).words == "When":
                yield AnswerGap(words, frozenset(words), "When")
        elif dependency == "acomp" and tree.lower[verb] in BE and not tree.kids_of(i, "xcomp", "ccomp", "advcl"):
            yield AnswerGap(words, frozenset(words), "How", _UNSURE)
        elif dependency in ("ccomp", "xcomp", "advcl"):
            yield from _inner(tree, i, words)


def _noun(realiser: Realiser, i: int, preposition: int, certainty: float) -> Iterator[AnswerGap]:
    """A noun phrase that the verb or a preposition leads to."""
    tree = realiser.tree
    referent = realiser.referents.get(i)
    if tree.lower[i] in EMPTY and not tree.label(i) and (referent is None or not referent.end):
        return
    words = words_below(tree, i)
    if preposition < 0:
        wh = wh_of(tree, i, "", realiser.label(i))
        yield AnswerGap(words, frozenset(words), wh.words, certainty)
        return
    if tree.kids_of(preposition, "prep", "pcomp") or not (realiser.label(i) or tree.kids[i]):
        return  # "from 1302 to 1309"; "at work"
    wh = wh_of(tree, i, tree.lower[preposition], realiser.label(i))
    asks = wh.words
    if not wh.drops_preposition:
        asks = f"{tree.lower[preposition]} {'whom' if asks == 'Who' else asks[:1].lower() + asks[1:]}"
        asks = asks.replace(" where", " what")
    yield AnswerGap(words, frozenset({preposition, *words}), asks, certainty)


def _place_or_time(realiser: Realiser, noun: int) -> Iterator[AnswerGap]:
    """``in Ost`` or ``in 1901`` behind an object: as good as the verb's."""
    tree = realiser.tree
    for preposition in tree.kids_of(noun, "prep"):
        for target in tree.kids_of(preposition, "pobj")[:1]:
            if tree.label(target) in TIMES | PLACES:
                yield from (gap for gap in _noun(realiser, target, preposition, _LIKELY) if gap.wh in ("Where", "When"))


def _before_noun(realiser: Realiser, noun: int) -> Iterator[AnswerGap]:
    """``How many sails does the mill have?``, ``Whose mill did Ada buy?``."""
    tree = realiser.tree
    phrase, short = words_below(tree, noun), words_below(tree, noun, _BESIDE)
    for i in tree.kids_of(noun, "nummod", "poss"):
        if tree.label(i) == "CARDINAL":
            rest = realiser.say(word for word in short if word > i)
            yield AnswerGap([i], frozenset(phrase), f"How many {rest}")
        elif tree.deps[i] == "poss" and (i in realiser.referents or tree.lower[i] not in EMPTY):
            owner = words_below(tree, i, ("case",))
            rest = realiser.say(word for word in short if word > owner[-1] and tree.deps[word] != "case")
            yield AnswerGap(owner, frozenset(phrase), f"Whose {rest}", _UNSURE)


def _inner(tree: ParseTree, i: int, words: Sequence[int]) -> Iterator[AnswerGap]:
    """What is planned, said, or given as a reason."""
    to = [kid for kid in tree.kids_of(i, "aux") if tree.lower[kid] == "to"]
    marks = {tree.lower[kid] for kid in tree.kids_of(i, "mark")}
    if tree.deps[i] == "advcl":
        if to or marks & {"because", "since", "so"}:
            yield AnswerGap(words, frozenset(words), "Why")
    elif i < tree.heads[i] or (tree.kids_of(i, "nsubj") and to):
        return  # "..., said Ada"
    elif tree.deps[i] == "ccomp":
        yield AnswerGap(
            [word for word in words if tree.deps[word] != "mark" or tree.heads[word] != i], frozenset(words), "What"
        )
    elif to:
        yield AnswerGap([word for word in words if word > to[0]], frozenset(words), "What", _SURE, "to do")
