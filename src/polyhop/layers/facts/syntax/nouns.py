"""Facts of nouns: appositions, possessives, roles before a name."""

from __future__ import annotations

from polyhop.layers.facts.syntax.clauses import Add, ClauseFacts
from polyhop.layers.grammar.lexicon import EMPTY, KIN, LOOSE, NUMBERS, PLACES
from polyhop.layers.grammar.phrases import End, NounPhrases
from polyhop.layers.grammar.subjects import Subjects

_LONGEST_ACRONYM = 6  # letters
_NEAR = ("in", "at", "near", "from", "by", "of")


class Nouns:
    """The facts that the noun phrases of a sentence state."""

    __slots__ = ("_add", "clauses", "phrases", "subjects", "tree")

    def __init__(self, phrases: NounPhrases, subjects: Subjects, clauses: ClauseFacts, add: Add) -> None:
        self.phrases, self.subjects, self.clauses = phrases, subjects, clauses
        self.tree = phrases.tree
        self._add = add

    def read(self) -> None:
        """Add the facts of all nouns."""
        tree = self.tree
        for i, dependency in enumerate(tree.deps):
            if dependency == "appos":
                self._apposition(self.tree.heads[i], i)
            elif dependency == "poss":
                self._possessive(i, self.tree.heads[i])
            elif dependency == "compound":
                self._role(i)
            elif tree.lower[i] == "as" and i and tree.label(i - 1) == "PERSON":
                self._part(i)
            elif dependency == "prep":
                self._place(i, tree.heads[i])

    def _apposition(self, noun: int, beside: int) -> None:
        """A name with what it is, either way round; two places, of which the second holds the first."""
        tree, phrases = self.tree, self.phrases
        if noun == beside or tree.label(beside) in NUMBERS or tree.lower[beside] in EMPTY:
            return
        between = tree.text[tree.ends[noun] : tree.starts[beside]]
        if ":" in between or "\n" in between:  # a heading or a speaker's name
            return
        if phrases.common(beside):
            if beside not in tree.bracketed:
                self._describe(beside)
        elif phrases.common(noun):
            if phrases.name(noun) == beside and tree.deps[noun] != "attr":
                self._introduce(noun, beside)
        elif beside in tree.bracketed and noun not in tree.bracketed:
            self._rename(noun, beside)
        elif tree.label(noun) in PLACES and tree.label(beside) in PLACES:
            self._holds(noun, beside)

    def _describe(self, beside: int) -> None:
        """``Anna Bell, a painter and the daughter of Karl``."""
        tree, phrases = self.tree, self.phrases
        subjects = [found for found in self.subjects.of_noun(beside) if not found.prefix]
        for word in tree.conjoined(beside):
            if not phrases.common(word):
                continue
            end = phrases.end(word)
            role = phrases.role(word)
            for subject in subjects:
                if end is not None and tree.lower[word] not in KIN:
                    self._add(subject.end, "is", end, 0.8 * subject.confidence)
                for kid in tree.kids_of(word, "prep"):
                    self._of(subject.end, role, kid, 0.8 * subject.confidence)

    def _introduce(self, noun: int, name: int) -> None:
        """``the painter Anna Bell``, ``the daughter of Karl, Anna``."""
        tree, phrases = self.tree, self.phrases
        role = phrases.role(noun)
        owned = bool(tree.kids_of(noun, "poss"))
        for word in tree.conjoined(name):
            end = phrases.end(word)
            if end is None:
                continue
            description = phrases.end(noun)
            if description is not None and not owned and tree.lower[noun] not in KIN:
                self._add(end, "is", description, 0.7)
            for kid in tree.kids_of(noun, "prep"):
                self._of(end, role, kid, 0.7)

    def _of(self, head: End, role: str, preposition: int, certainty: float) -> None:
        tree = self.tree
        if tree.lower[preposition] in LOOSE:
            return
        for target in tree.kids_of(preposition, "pobj"):
            for tail in self.clauses.tails(target):
                self._add(head, f"{role} {tree.lower[preposition]}", tail.end, certainty * tail.confidence)

    def _holds(self, inner: int, outer: int) -> None:
        tree = self.tree
        first = tree.text[slice(*tree.entities[tree.entity_of[inner]][:2])]
        second = tree.text[slice(*tree.entities[tree.entity_of[outer]][:2])]
        self._add(End(first, tree.label(inner)), "in", End(second, tree.label(outer)), 0.7)

    def _rename(self, noun: int, name: int) -> None:
        """``National Rail Board (NRB)``."""
        head, tail = self.phrases.end(noun), self.phrases.end(name)
        if head is None or tail is None:
            return
        if tail.text.isupper() and len(tail.text) <= _LONGEST_ACRONYM:
            self._add(head, "also known as", tail, 0.8)

    def _possessive(self, owner: int, noun: int) -> None:
        """``his wife, Anna Bell``; ``Karl's son Otto``."""
        tree, phrases = self.tree, self.phrases
        if noun == owner:
            return
        if phrases.common(noun):
            named = phrases.name(noun)
            names, role = ([] if named is None else tree.conjoined(named)), phrases.role(noun)
        else:
            names, role = [noun], self._before_name(noun)
        if not names or not role:
            return
        ends = [end for name in names if (end := phrases.end(name)) is not None]
        for found in self.subjects.possessor(owner):
            for end in ends:
                self._add(found.end, f"{found.prefix} {role}".strip(), end, 0.9 * found.confidence)

    def _before_name(self, noun: int) -> str:
        """The common nouns between a possessive and a name: ``son`` in ``Karl's son Otto``."""
        tree = self.tree
        words = [kid for kid in tree.kids[noun] if kid < noun and tree.deps[kid] in ("compound", "amod", "nmod")]
        roles = [i for i in words if tree.forms[i].islower() and not tree.label(i)]
        return tree.slice(roles[0], roles[-1]) if roles and roles[-1] - roles[0] < 4 else ""

    def _role(self, i: int) -> None:
        """``director Anna Bell``: the common nouns before the name of a person."""
        tree, phrases = self.tree, self.phrases
        name = tree.heads[i]
        if name <= i or tree.label(name) != "PERSON" or tree.label(i) or not tree.forms[i].islower():
            return
        if tree.forms[i + 1].islower():
            return  # the last common noun speaks for all of them
        if tree.lower[i] in KIN or tree.kids_of(name, "poss"):
            return
        end = phrases.end(name)
        first = i
        while first > 0 and tree.heads[first - 1] == name and tree.deps[first - 1] in ("compound", "amod"):
            first -= 1
        if end is not None:
            self._add(end, "is", End(tree.slice(first, i), ""), 0.7)

    def _part(self, i: int) -> None:
        """``starring Anna Bell as Lady Ost``."""
        head = self.phrases.end(i - 1)
        for target in self.tree.kids_of(i, "pobj"):
            if head is not None and self.phrases.proper(target) and (tail := self.phrases.end(target)) is not None:
                self._add(head, "as", tail, 0.7)

    def _place(self, preposition: int, noun: int) -> None:
        """``the Tarn School in Fennick``: two names with a preposition between them."""
        tree, phrases = self.tree, self.phrases
        word = tree.lower[preposition]
        if word not in _NEAR or preposition < noun or not tree.label(noun) or tree.label(noun) in NUMBERS | {"NORP"}:
            return
        if preposition <= phrases.span(noun)[1]:
            return
        head = phrases.end(noun)
        for target in tree.kids_of(preposition, "pobj"):
            if head is not None and phrases.proper(target):
                for tail in self.clauses.tails(target):
                    self._add(head, word, tail.end, 0.5)
