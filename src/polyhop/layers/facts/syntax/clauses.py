"""Facts of clauses: subjects with their objects, agents, prepositional phrases and what they are said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from polyhop.layers.grammar.clauses import INNER, Clause
from polyhop.layers.grammar.lexicon import (
    BE,
    EMPTY,
    HAVE,
    KIN,
    LOOSE,
    NUMBERS,
    PERSONAL,
    PLACES,
    RELEASED,
    TIMES,
)
from polyhop.layers.grammar.phrases import End, NounPhrases
from polyhop.layers.grammar.subjects import Subject, Subjects, speaks_of_title

Add = Callable[[End, str, End, float], None]

_LIFE = frozenset({"born", "died"})
_DEPTH = 3  # prepositions in a chain
_LONGEST_OBJECT = 4  # words of an object that a relation takes in


class Tail(NamedTuple):
    """The tail of a fact: the end, its word, and how sure it is."""

    end: End
    word: int
    confidence: float = 1.0


class Said(NamedTuple):
    """The beginning of a fact: its heads and its relation so far."""

    subjects: list[Subject]
    relation: str
    certainty: float

    def then(self, words: str, certainty: float = 1.0) -> Said:
        """With more words in the relation, and less certain."""
        return Said(self.subjects, f"{self.relation} {words}" if words else self.relation, self.certainty * certainty)


class ClauseFacts:
    """The facts that the clauses of a sentence state."""

    __slots__ = ("_add", "phrases", "subjects", "topic", "tree")

    def __init__(self, phrases: NounPhrases, subjects: Subjects, add: Add) -> None:
        self.phrases, self.subjects = phrases, subjects
        self.tree, self.topic = phrases.tree, phrases.topic
        self._add = add

    def read(self) -> None:
        """Add the facts of all clauses; openings.py reads the lives in brackets."""
        for clause in self.phrases.clauses:
            if clause.verb not in self.tree.bracketed or self.tree.lower[clause.verb] not in _LIFE:
                self._clause(clause)

    def tails(self, i: int) -> Iterator[Tail]:
        """The ends that a word and its conjuncts stand for; a common noun with a name stands for the name."""
        beyond = -1  # the last word of the phrase before: what lies within it is no end of its own
        words = self.tree.conjoined(i)
        while words:
            words.sort()
            word = words.pop(0)
            if word <= beyond:
                continue
            beyond = self.phrases.span(word)[1]
            words += [kid for inner in range(word + 1, beyond + 1) for kid in self.tree.kids_of(inner, "conj")]
            named = self.phrases.name(word) if self.phrases.common(word) else None
            if named is not None:
                for name in self.tree.conjoined(named):
                    if (end := self.phrases.end(name)) is not None:
                        yield Tail(end, word, 0.9)
            elif self.tree.lower[word] in PERSONAL:
                yield from (Tail(found.end, word, 0.6) for found in self.subjects.pronoun(word))
            elif (end := self.phrases.end(word)) is not None:
                yield Tail(end, word)

    def _clause(self, clause: Clause) -> None:
        subjects = self.subjects.of_clause(clause.verb)
        if not subjects:
            return
        tree = self.tree
        said = Said(subjects, clause.relation(), 0.8 if clause.dependency in INNER else 1.0)
        taken = ""
        for kid in clause.complements:
            dependency = tree.deps[kid]
            if dependency == "attr":
                self._attribute(said, kid)
            elif dependency == "acomp":
                self._prepositions(said.then(tree.lower[kid]), tree.kids_of(kid, "prep"))
            else:
                taken = self._object(said, kid) or taken
        self._prepositions(said.then(taken), clause.prepositions)

    def _state(self, said: Said, tail: Tail) -> None:
        for subject in said.subjects:
            whole = f"{subject.prefix} {said.relation}" if subject.prefix else said.relation
            self._add(subject.end, whole, tail.end, subject.confidence * tail.confidence * said.certainty)

    def _object(self, said: Said, i: int) -> str:
        """An object; returns it as what a relation takes in."""
        tree, phrases = self.tree, self.phrases
        time = tree.deps[i] == "npadvmod"
        if time and tree.label(i) not in TIMES:
            return ""
        role = phrases.role(i) if phrases.common(i) else ""
        named = bool(role) and phrases.name(i) is not None and tree.lower[tree.heads[i]] in HAVE
        for tail in self.tails(i):
            self._state(said.then(role) if named else said, tail)
        if time:
            return ""
        first, last = phrases.span(i)
        if last - first >= _LONGEST_OBJECT or tree.lower[i] in EMPTY:
            return role
        taken = tree.slice(first, last)
        self._prepositions(said.then(taken, 0.8), [kid for kid in tree.kids_of(i, "prep") if kid > last])
        return taken

    def _attribute(self, said: Said, i: int) -> None:
        """What the subject is said to be: its description, its nationality, its year, and whose or where it is."""
        tree, phrases = self.tree, self.phrases
        for word, first, beyond in phrases.described(i):
            prepositions = tree.kids_of(word, "prep")
            end = phrases.end(word)
            if not phrases.common(word):
                if end is not None:
                    self._state(said, Tail(end, word))
                taken = tree.slice(first, beyond) if beyond - first < _LONGEST_OBJECT else ""
                self._prepositions(said.then(taken, 0.7), [kid for kid in prepositions if kid > beyond])
                continue
            if speaks_of_title(said.subjects):
                self.topic.learn(tree.lower[word])
            related = tree.lower[word] in KIN and (prepositions or tree.kids_of(word, "poss"))
            if not related and end is not None:
                self._state(said, Tail(end, word))
            self._qualities(said, word)
            determiner = next((tree.lower[kid] for kid in tree.kids_of(word, "det")), "")
            article = "a" if determiner == "an" else determiner
            self._prepositions(said.then(f"{article} {phrases.role(word)}".strip()), prepositions)

    def _qualities(self, said: Said, noun: int) -> None:
        """Nationality and year that a description contains: ``a 1954 Norwegian film``."""
        tree = self.tree
        made = tree.lower[noun] in RELEASED
        thing = made or self.topic.thing
        for i in range(tree.leftmost(noun), noun):
            label = tree.label(i)
            if label == "NORP" and tree.heads[i] >= i and (end := self.phrases.end(i)) is not None:
                relation = "country of origin" if thing else "nationality"
                self._state(Said(said.subjects, relation, 0.9 * said.certainty), Tail(end, i))
            elif label == "DATE" and made and tree.forms[i].isdigit():
                year = End(tree.forms[i], "DATE")
                self._state(Said(said.subjects, "released in", 0.9 * said.certainty), Tail(year, i))

    def _prepositions(self, said: Said, prepositions: Sequence[int]) -> None:
        """The objects of prepositions, each with the relation up to its preposition."""
        tree = self.tree
        for preposition in [kid for word in prepositions for kid in tree.conjoined(word)]:
            word = tree.lower[preposition]
            if word in LOOSE or (said.relation in BE and word in ("as", "by")):
                continue
            inner = tree.kids_of(preposition, "prep")
            if inner and inner[0] == preposition + 1:  # out of
                preposition, inner, word = inner[0], inner[1:], f"{word} {tree.lower[inner[0]]}"
            for target in tree.kids_of(preposition, "pobj"):
                self._targets(said, word, target, _DEPTH)
            for other in inner:  # from 1901 to 1903
                for target in tree.kids_of(other, "pobj"):
                    if tree.entity_of[target] < 0 or tree.entity_of[target] != tree.entity_of[other]:
                        self._targets(said, tree.lower[other], target, _DEPTH)

    def _targets(self, said: Said, word: str, target: int, depth: int) -> None:
        """The tails of a preposition, and those that hang below them: places and times belong to the whole."""
        tree, phrases = self.tree, self.phrases
        whole = said.then(word)
        for tail in self.tails(target):
            self._state(whole, tail)
            last = phrases.span(tail.word)[1]
            for below in tree.kids_of(tail.word, "prep"):
                if below > last and tree.lower[below] not in LOOSE and depth > 1:
                    self._below(said, whole, tail.word, below, depth - 1)

    def _below(self, said: Said, whole: Said, noun: int, preposition: int, depth: int) -> None:
        """What hangs below the object of a preposition: ``at the school in Ost``, ``a member of the board of Ost``."""
        tree, phrases = self.tree, self.phrases
        for target in tree.kids_of(preposition, "pobj"):
            label = tree.label(target)
            if label in TIMES or label in PLACES:
                self._targets(said.then("", 0.7), tree.lower[preposition], target, depth)
            elif phrases.common(noun) and label not in NUMBERS:
                self._targets(whole.then(phrases.role(noun), 0.7), tree.lower[preposition], target, depth)
