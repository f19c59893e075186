"""What of a clause is asked for: its objects, places, times and reasons, with the words that ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from polyhop.english.verbs import base_of
from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import BE, EMPTY, HAVE, NUMBERS, PERSONAL, TIMES
from polyhop.layers.questions.asking.kinds import is_person
from polyhop.layers.questions.asking.parts import Clause, Hole
from polyhop.layers.questions.asking.wh_words import Wh, is_duration, wh_of
from polyhop.layers.questions.asking.wording import Wording

SUBJECTS: Final = ("nsubj", "nsubjpass", "csubj", "expl")
_OBJECTS: Final = frozenset({"dobj", "attr", "dative", "oprd"})
_TALKS: Final = word_set("say says said think thinks thought feel feels felt believe believes believed dream wonder")
_SENSES: Final = word_set("look sound feel taste smell seem remain become go turn get be stay")
_CLAUSES: Final = frozenset({"xcomp", "ccomp"})
_WHY: Final = frozenset({"because", "since", "so"})
_LOOSE: Final = ("advcl", "relcl", "acl", "appos")
_SHORTENED: Final = frozenset({"'m", "’m", "'re", "’re", "’s"})  # forms of be
_INSEPARABLE: Final = frozenset({"as", "like", "than", "of"})
_ADVERBIAL: Final = frozenset({"at", "in", "on", "of"})
_BESIDE: Final = ("conj", "cc", "relcl", "acl", "appos", "punct")
_NAMING: Final = frozenset({"become", "call", "name", "remain"})
_CLOSED: Final = frozenset({"relcl", "conj", "appos", "csubj", "parataxis", "dep"})
_OPEN: Final = frozenset({"acl", "advcl"})  # to be asked into where they say what is to be done: "came to buy ..."
_SURE, _LIKELY, _UNSURE = 1.0, 0.8, 0.6


class Holes:
    """The parts of the clauses of one sentence that can be asked for."""

    __slots__ = ("_below", "tree", "wording")

    def __init__(self, wording: Wording) -> None:
        self.wording = wording
        self._below: dict[int, list[int]] = {}  # what was found already
        self.tree = wording.tree

    def words_below(self, i: int, *, without: Sequence[str] = ()) -> list[int]:
        """A word and all that hang below it, in order; not those that hang by some dependencies."""
        kids, deps = self.tree.kids, self.tree.deps
        if not kids[i]:
            return [i]
        if not without and i in self._below:
            return self._below[i].copy()
        found = [i]
        for word in found:
            if kids[word]:
                found += [kid for kid in kids[word] if deps[kid] not in without] if without else kids[word]
        found.sort()
        if not without:
            self._below[i] = found.copy()
        return found

    def is_be(self, i: int) -> bool:
        """Whether a word is a form of be."""
        low = self.tree.lower[i]
        return low in BE or low in _SHORTENED

    def of(self, clause: Clause) -> Iterator[Hole]:
        """What can be asked for, and what a question leaves out for it; never a part of a clause below."""
        for i in (*clause.rest, *clause.fronted, *clause.middle):
            if i in self.tree.bracketed or not self._is_within_reach(clause.verb, i):
                continue
            yield from self._at(clause, i)
        for i in (*clause.subject, *clause.rest):
            if self.tree.deps[i] in ("nummod", "poss") and self._is_within_reach(clause.verb, i):
                yield from self._of_noun(clause, i)

    def _at(self, clause: Clause, i: int) -> Iterator[Hole]:
        tree, verb, dependency = self.tree, clause.verb, self.tree.deps[i]
        if dependency in _OBJECTS:
            if not (dependency == "attr" and self._is_with(clause)):
                yield from self._noun(clause, i, -1, _SURE)
        elif dependency == "pobj":
            yield from self._object_of_preposition(clause, i)
        elif dependency in _CLAUSES and tree.heads[i] == verb:
            yield from self._complement(i)
        elif dependency == "acomp" and tree.heads[i] == verb and self._tells_how(verb, i):
            yield Hole(self.words_below(i), frozenset(self.words_below(i)), "How", _UNSURE)
        elif dependency == "npadvmod" and tree.label(i) in TIMES and tree.heads[i] == verb:
            if not is_duration(self.tree, i):
                yield self._whole(i, "When")
        elif dependency == "pcomp" and i > verb:
            yield self._whole(i, "What")
        elif dependency == "advcl" and tree.heads[i] == verb:
            yield from self._reason(i)

    def _is_within_reach(self, verb: int, i: int) -> bool:
        """Whether English can ask for a word from a verb above it: not out of a clause that says when or which."""
        tree, at = self.tree, self.tree.heads[i]
        if at == verb:
            return True
        while at not in (verb, tree.heads[at]):
            dependency = tree.deps[at]
            shared = dependency == "pcomp" and (tree.deps[i] == "pobj" or tree.kids_of(at, "conj"))
            if dependency in _CLOSED or shared:
                return False  # but "What does Ada look forward to painting?"
            if dependency in _OPEN and not any(tree.lower[kid] == "to" for kid in tree.kids_of(at, "aux")):
                return False
            at = tree.heads[at]
        return True

    def _tells_how(self, verb: int, i: int) -> bool:
        """Whether an adjective says how something is: not *glad to hear it*, nor *makes sure*."""
        clauses = self.tree.kids_of(i, "xcomp", "ccomp", "advcl", "npadvmod")
        return not clauses and (self.is_be(verb) or base_of(self.tree.forms[verb]) in _SENSES)

    def _whole(self, i: int, wh: str, certainty: float = _LIKELY) -> Hole:
        words = self.words_below(i)
        return Hole(words, frozenset(words), wh, certainty)

    def _is_with(self, clause: Clause) -> bool:
        """Whether what something is with stands apart from what it is: ``a port on the Oar with ...``."""
        return any(self.tree.lower[kid] == "with" for kid in self.tree.kids_of(clause.verb, "prep"))

    def _noun(self, clause: Clause, i: int, preposition: int, certainty: float) -> Iterator[Hole]:
        """A noun phrase that an object or a preposition leads to."""
        tree = self.tree
        if tree.lower[i] in EMPTY and not tree.label(i):
            meant = self.wording.meant(i)
            if meant is None or not meant.end:
                return
        if self._has_rival(i) or (preposition >= 0 and self._is_idiom(i, preposition)):
            return
        word = tree.lower[preposition] if preposition >= 0 else ""
        meant = self.wording.meant(i)
        wh: Wh = wh_of(tree, i, word, meant.label if meant else self.wording.label(i))
        words = self.words_below(i)
        if wh.words == "When" and preposition >= 0 and self._is_dated_twice(clause.verb, preposition):
            return
        if wh.words.endswith(" when") and tree.heads[preposition] != clause.verb:
            return  # "a film from 1931"
        asks, without = wh.words, {*words}
        if asks == "Which place" and tree.deps[i] == "attr" and is_person(tree.lower[clause.head]):
            asks = "Who"  # "The architect was ..."
        if asks == "Who" and preposition < 0 and base_of(tree.forms[clause.verb]) in _NAMING:
            asks = "What"  # "What did Ada become?"
        if wh.drops_preposition:
            without.add(preposition)
        elif preposition >= 0 and self._is_within(clause, preposition, words[-1]):
            without.add(preposition)  # "With whom did Ada found the mill in 1901?"
            asks = "what" if asks == "Where" else asks
            asks = f"{tree.forms[preposition].capitalize()} {'whom' if asks == 'Who' else asks[:1].lower() + asks[1:]}"
        if word in ("from", "between") and wh.words.endswith("when") and self._is_until(clause):
            return
        yield Hole(words, frozenset(without), asks, certainty)

    def _is_within(self, clause: Clause, preposition: int, last: int) -> bool:
        """Whether a question would go on behind a preposition that it leaves alone."""
        if preposition not in clause.rest or self.tree.heads[preposition] != clause.verb:
            return False
        alone = len(self.tree.kids[preposition]) == 1 and self.tree.lower[preposition] not in _INSEPARABLE
        return alone and (bool(clause.fronted) or any(word > last for word in clause.rest))

    def _is_until(self, clause: Clause) -> bool:
        """Whether a clause tells how long, too: *from 1302 to 1309*."""
        tree = self.tree
        ends = (i for i in clause.rest if tree.lower[i] in ("to", "until", "and"))
        return any(tree.label(kid) in TIMES for i in ends for kid in tree.kids_of(i, "pobj"))

    def _has_rival(self, i: int) -> bool:
        """Whether a verb seems to have two objects of the same kind: the parse is mistaken about one of them."""
        dependency = self.tree.deps[i]
        return dependency in ("dobj", "attr") and len(self.tree.kids_of(self.tree.heads[i], dependency)) > 1

    def _is_idiom(self, i: int, preposition: int) -> bool:
        """Whether a preposition with its noun is as good as an adverb: *at work*, *in writing*, *on behalf of*."""
        tree = self.tree
        if tree.label(i) or tree.lower[preposition] not in _ADVERBIAL or tree.lower[i].endswith("s"):
            return False
        return all(tree.lower[kid] == "of" for kid in tree.kids[i])

    def _is_dated_twice(self, verb: int, preposition: int) -> bool:
        """Whether a clause tells two times in one way: each belongs to another part of it."""
        tree = self.tree
        others = [kid for kid in tree.kids_of(verb, "prep") if tree.lower[kid] == tree.lower[preposition]]
        return len([kid for kid in others if any(tree.label(i) in TIMES for i in tree.kids_of(kid, "pobj"))]) > 1

    def _object_of_preposition(self, clause: Clause, i: int) -> Iterator[Hole]:
        """What a preposition of the clause leads to; below nouns only what has a name."""
        tree = self.tree
        preposition = tree.heads[i]
        above = tree.heads[preposition]
        within = tree.entity_of[i] >= 0 and tree.entity_of[i] == tree.entity_of[preposition]  # the Hall of Ost
        if preposition == i or preposition not in clause.words or within:
            return
        if preposition and tree.forms[preposition][:1].isupper() and preposition != tree.leftmost(clause.verb):
            return  # in the title of a work
        if above == clause.verb:
            yield from self._noun(clause, i, preposition, _SURE)
        elif tree.label(i):
            for hole in self._noun(clause, i, preposition, _LIKELY):
                if preposition in hole.without:
                    yield hole  # a place or a time, which might as well be the verb's
                elif self._is_near(clause, above):
                    after = {word for word in clause.rest if word > preposition}
                    wh = "Which place" if hole.wh == "Where" else hole.wh
                    yield hole._replace(wh=wh, without=frozenset(after))  # the question ends with the preposition

    def _is_near(self, clause: Clause, noun: int) -> bool:
        """Whether a noun without a name is an object of the verb, or of its preposition."""
        tree = self.tree
        over = tree.heads[noun]
        if tree.deps[noun] == "attr" and any(tree.lower[kid] == "with" for kid in tree.kids_of(noun, "prep")):
            return False  # "a town on the Oar with ..."
        if noun < clause.verb or tree.label(noun) or tree.deps[noun] not in ("dobj", "attr", "pobj"):
            return False
        return over == clause.verb or (tree.deps[over] in ("prep", "agent") and tree.heads[over] == clause.verb)

    def _complement(self, i: int) -> Iterator[Hole]:
        """What is planned or said: ``What does Ada plan to do?``, ``What did Ada say?``."""
        tree = self.tree
        words = self.words_below(i)
        if tree.deps[i] == "ccomp":
            marks = tree.kids_of(i, "mark")
            if i < tree.heads[i]:  # "..., said Ada"
                return
            yield Hole([word for word in words if word not in marks], frozenset(words), "What", _SURE, self._topic(i))
        elif to := [kid for kid in tree.kids_of(i, "aux") if tree.lower[kid] == "to"]:
            past = any(tree.lower[kid] in HAVE for kid in tree.kids_of(i, "aux"))
            if past or tree.lower[i] == "be" or tree.kids_of(i, *SUBJECTS, "auxpass"):
                return
            answer = [word for word in words if word > to[0]]
            yield Hole(answer, frozenset(word for word in words if word >= to[0]), "What", _SURE, "to do")

    def _reason(self, i: int) -> Iterator[Hole]:
        tree = self.tree
        marks = [tree.lower[kid] for kid in tree.kids_of(i, "mark")]
        if any(mark in _WHY for mark in marks) or any(tree.lower[kid] == "to" for kid in tree.kids_of(i, "aux")):
            yield self._whole(i, "Why")

    def _of_noun(self, clause: Clause, i: int) -> Iterator[Hole]:
        """What stands before a noun: ``How many sails does the mill have?``, ``Whose mill did Ada buy?``."""
        tree = self.tree
        noun = tree.heads[i]
        if noun not in clause.rest or tree.deps[noun] not in ("dobj", "attr", "pobj"):
            return
        phrase = self.words_below(noun)
        if tree.deps[i] == "nummod" and tree.label(i) == "CARDINAL" and tree.deps[noun] == "dobj":
            others = [word for word in self.words_below(noun, without=_BESIDE) if word > i]
            wh = f"How many {self.wording.say(others)}"
            yield Hole([i], frozenset(phrase), wh, _LIKELY)
        elif tree.deps[i] == "poss" and tree.label(i) not in NUMBERS and tree.deps[noun] == "dobj":
            meant = self.wording.meant(i)
            if tree.lower[i] in PERSONAL and meant is None:
                return
            owner = self.words_below(i, without=("case",))
            others = [word for word in phrase if word > owner[-1] and tree.deps[word] != "case"]
            yield Hole(owner, frozenset(phrase), f"Whose {self.wording.say(others)}", _UNSURE)

    def _topic(self, verb: int) -> str:
        """``about the sails``, of what someone thinks or says: what the clause below is said of."""
        tree = self.tree
        subjects = tree.kids_of(verb, "nsubj", "nsubjpass")
        if not subjects or tree.lower[tree.heads[verb]] not in _TALKS:
            return ""
        head = subjects[-1]
        if tree.lower[head] in EMPTY or self.wording.meant(head) is not None:
            return ""
        return f"about {self.wording.say(self.words_below(head, without=_LOOSE))}"
