"""Facts of verbs: subjects with their objects, agents, prepositional phrases and what they are said to be."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from polyhop.layers.grammar.lexicon import (
    BE,
    EMPTY,
    HAVE,
    KEPT_ADVERBS,
    KIN,
    LOOSE,
    NUMBERS,
    PERSONAL,
    PLACES,
    RELATIVE,
    RELEASED,
    THINGS,
    TIMES,
)
from polyhop.layers.grammar.phrases import End, Phrases
from polyhop.layers.grammar.subjects import Subject, Subjects
from polyhop.layers.grammar.topic import TITLE

Add = Callable[[End, str, End, float], None]

_CLAUSE = frozenset({"nsubj", "nsubjpass", "dobj", "agent", "attr", "auxpass", "acomp", "oprd"})
_VERBAL = frozenset({"ROOT", "relcl", "acl", "xcomp", "ccomp", "advcl", "pcomp"})
_INNER = frozenset({"xcomp", "advcl", "pcomp", "ccomp"})
_NOMINAL = frozenset({"det", "amod", "compound", "nummod", "poss", "case"})
_VERB_ONLY = frozenset({"nsubj", "nsubjpass", "aux", "auxpass", "agent"})
_COMPLEMENTS = ("attr", "dobj", "oprd", "dative", "npadvmod", "acomp")
_LIFE = frozenset({"born", "died"})
_DEPTH = 3  # prepositions in a chain
_LONGEST_OBJECT = 4  # words of an object that a relation takes in
_NEAR = 3  # words between two verbs that share an object


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


class Clauses:
    """The facts that the verbs of a sentence state."""

    __slots__ = ("_add", "_bases", "phrases", "subjects", "topic", "tree")

    def __init__(self, phrases: Phrases, subjects: Subjects, add: Add) -> None:
        self.phrases, self.subjects = phrases, subjects
        self.tree, self.topic = phrases.tree, phrases.topic
        self._add = add
        self._bases: dict[int, str] = {}

    def read(self) -> None:
        """Add the facts of all verbs."""
        for verb in self._verbs():
            self._clause(verb)

    def learn(self) -> None:
        """Tell the topic what it is said to be, as ``read`` does, without adding facts."""
        for verb in self._verbs():
            subjects = self.subjects.of_clause(verb)  # also where nothing is told: who is meant depends on the order
            for kid in self.tree.kids_of(verb, "attr") if _speaks_of_title(subjects) else ():
                for word, _, _ in self._described(kid):
                    if self.phrases.common(word):
                        self.topic.learn(self.tree.lower[word])

    def _verbs(self) -> Iterator[int]:
        """The words whose clauses are read, in order."""
        tree = self.tree
        deps = tree.deps
        for i, kids in enumerate(tree.kids):
            if i in tree.bracketed and tree.lower[i] in _LIFE:
                continue  # openings.py reads these
            if kids and (deps[i] in _VERBAL or any(deps[kid] in _CLAUSE for kid in kids) or self._is_second_verb(i)):
                yield i

    def _is_second_verb(self, i: int) -> bool:
        """Whether a word without objects is conjoined to a verb: *died* in ``born in Ost and died in Tarn``."""
        tree = self.tree
        head = tree.heads[i]
        if tree.deps[i] != "conj" or any(tree.deps[kid] in _NOMINAL for kid in tree.kids[i]):
            return False
        return tree.deps[head] in _INNER or any(tree.deps[kid] in _VERB_ONLY for kid in tree.kids[head])

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

    def _clause(self, verb: int) -> None:
        subjects = self.subjects.of_clause(verb)
        if not subjects:
            return
        tree = self.tree
        said = Said(subjects, self._base(verb), 0.8 if tree.deps[verb] in _INNER else 1.0)
        taken = ""
        for kid in self._complements(verb):
            dependency = tree.deps[kid]
            if dependency == "attr":
                self._attribute(said, kid)
            elif dependency == "acomp":
                self._prepositions(said.then(tree.lower[kid]), tree.kids_of(kid, "prep"))
            else:
                taken = self._object(said, kid) or taken
        self._prepositions(said.then(taken), self._own_prepositions(verb))
        self._relative_object(said, verb)

    def _complements(self, verb: int) -> list[int]:
        """What a verb governs, or shares with the verb that is conjoined to it: ``wrote and directed X``."""
        own = self.tree.kids_of(verb, *_COMPLEMENTS)
        if own or self.tree.kids_of(verb, "prep", "agent"):
            return own
        sharing = self._sharing(verb)
        return self.tree.kids_of(sharing, "dobj") if sharing is not None else []

    def _own_prepositions(self, verb: int) -> list[int]:
        """The prepositions of a verb, or those it shares: ``born and died in X``."""
        own = self.tree.kids_of(verb, "prep", "agent", "dative")
        sharing = None if own or self.tree.kids_of(verb, "dobj") else self._sharing(verb)
        return own if sharing is None else self.tree.kids_of(sharing, "prep", "agent")

    def _sharing(self, verb: int) -> int | None:
        """The verb that follows directly after ``and`` and has no subject of its own."""
        tree = self.tree
        for kid in tree.kids_of(verb, "conj"):
            if kid - verb <= _NEAR and not tree.kids_of(kid, "nsubj", "nsubjpass"):
                return kid
        return None

    def _base(self, verb: int) -> str:
        """The relation of a verb: with its auxiliaries, negation and particle, and what governs an infinitive."""
        if verb not in self._bases:
            self._bases[verb] = self._verb_phrase(verb, 0)
        return self._bases[verb]

    def _verb_phrase(self, verb: int, depth: int) -> str:
        tree = self.tree
        head, dependency = tree.heads[verb], tree.deps[verb]
        parts = [
            kid
            for kid in tree.kids[verb]
            if (
                tree.deps[kid] in ("aux", "auxpass", "neg")
                and not (dependency in ("acl", "advcl") and tree.lower[kid] == "to")
            )
            or (tree.deps[kid] == "advmod" and kid < verb and tree.lower[kid] in KEPT_ADVERBS)
        ]
        if dependency == "conj" and any(tree.lower[kid] in ("or", "nor") for kid in tree.kids_of(head, "cc")):
            parts = [*tree.kids_of(head, "neg"), *parts]
        words = [tree.lower[i] for i in parts]
        if tree.lower[verb] == "born":
            words = [word for word in words if word not in BE]
        words.append(tree.lower[verb])
        words += [tree.lower[kid] for kid in tree.kids_of(verb, "prt")]
        if head != verb and depth < _DEPTH:
            if dependency == "xcomp" and not tree.kids_of(head, "dobj"):
                words.insert(0, self._verb_phrase(head, depth + 1))
            elif dependency == "pcomp":
                words.insert(0, f"{self._verb_phrase(tree.heads[head], depth + 1)} {tree.lower[head]}")
        return " ".join(words)

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
        for word, first, beyond in self._described(i):
            prepositions = tree.kids_of(word, "prep")
            end = phrases.end(word)
            if not phrases.common(word):
                if end is not None:
                    self._state(said, Tail(end, word))
                taken = tree.slice(first, beyond) if beyond - first < _LONGEST_OBJECT else ""
                self._prepositions(said.then(taken, 0.7), [kid for kid in prepositions if kid > beyond])
                continue
            if _speaks_of_title(said.subjects):
                self.topic.learn(tree.lower[word])
            related = tree.lower[word] in KIN and (prepositions or tree.kids_of(word, "poss"))
            if not related and end is not None:
                self._state(said, Tail(end, word))
            self._qualities(said, word)
            determiner = next((tree.lower[kid] for kid in tree.kids_of(word, "det")), "")
            article = "a" if determiner == "an" else determiner
            self._prepositions(said.then(f"{article} {phrases.role(word)}".strip()), prepositions)

    def _described(self, i: int) -> Iterator[tuple[int, int, int]]:
        """The words that say what the subject is, each with the first and the last word of its phrase."""
        beyond = -1
        for word in self.tree.conjoined(i):
            if word > beyond and self.tree.lower[word] not in EMPTY:
                first, beyond = self.phrases.span(word)
                yield word, first, beyond

    def _qualities(self, said: Said, noun: int) -> None:
        """Nationality and year that a description contains: ``a 1954 Norwegian film``."""
        tree = self.tree
        made = tree.lower[noun] in RELEASED
        thing = made or self.topic.thing or tree.lower[noun] in THINGS
        for i in range(tree.leftmost(noun), noun):
            label = tree.label(i)
            if label == "NORP" and tree.heads[i] >= i and (end := self.phrases.end(i)) is not None:
                relation = "country of origin" if thing else "nationality"
                self._state(Said(said.subjects, relation, 0.9 * said.certainty), Tail(end, i))
            elif label in PLACES and tree.entity_of[i] != tree.entity_of[i + 1]:
                if (end := self.phrases.end(i)) is not None:
                    self._state(Said(said.subjects, "is from", 0.6 * said.certainty), Tail(end, i))
            elif label == "DATE" and made and tree.forms[i].isdigit():
                year = End(tree.forms[i], "DATE")
                self._state(Said(said.subjects, "released in", 0.9 * said.certainty), Tail(year, i))

    def _prepositions(self, said: Said, prepositions: list[int], depth: int = _DEPTH) -> None:
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
                self._targets(said, word, target, depth)
            for other in inner:  # from 1901 to 1903
                for target in tree.kids_of(other, "pobj"):
                    if tree.entity_of[target] < 0 or tree.entity_of[target] != tree.entity_of[other]:
                        self._targets(said, tree.lower[other], target, depth)

    def _targets(self, said: Said, word: str, target: int, depth: int) -> None:
        """The tails of a preposition, and those that hang below them: places and times belong to the whole."""
        tree, phrases = self.tree, self.phrases
        whole = said.then(word)
        for tail in self.tails(target):
            self._state(whole, tail)
            last = phrases.span(tail.word)[1]
            for beside in tree.kids_of(tail.word, "appos", "npadvmod"):
                if beside > last and tree.label(beside) in PLACES and (place := phrases.end(beside)) is not None:
                    self._state(whole, Tail(place, beside, 0.7))
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

    def _relative_object(self, said: Said, verb: int) -> None:
        """``the song which he wrote``: the noun before a relative clause is its object."""
        tree = self.tree
        if tree.deps[verb] != "relcl" or not tree.kids_of(verb, "nsubj"):
            return
        words = [tree.lower[kid] for kid in tree.kids_of(verb, "nsubj")]
        objects = tree.kids_of(verb, *_COMPLEMENTS, "prep", "ccomp", "xcomp", "advmod")
        if any(word in RELATIVE for word in words) or any(tree.lower[kid] not in RELATIVE for kid in objects):
            return
        for tail in self.tails(tree.heads[verb]):
            self._state(said.then("", 0.7), tail)


def _speaks_of_title(subjects: Sequence[Subject]) -> bool:
    return any(subject.end.label == TITLE and not subject.prefix for subject in subjects)
