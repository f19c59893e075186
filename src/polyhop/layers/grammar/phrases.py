"""Noun phrases as the ends of facts: what a word stands for, as written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from copy import copy
from typing import NamedTuple

from polyhop.layers.grammar.clauses import clauses_of
from polyhop.layers.grammar.hyphens import ends_in_name, main_part
from polyhop.layers.grammar.lexicon import ARTICLES, DISTRICTS, EMPTY, NAMED, NUMBERS, RANKS, RELEASED
from polyhop.layers.grammar.names import name_begins, name_ends, words_of_entity
from polyhop.layers.grammar.topic import TITLE, Topic
from polyhop.layers.grammar.tree import ParseTree

LONGEST = 10  # words of an end
_MODIFIERS = frozenset({"compound", "amod", "nummod", "nmod", "quantmod", "advmod", "npadvmod", "punct"})
_QUOTES = "\"'`“”‘’«»„ "
_BRACKET = re.compile(r"\s*[()\[\]].*", re.DOTALL)
_SHORTEST = 3  # letters of a common noun
_PARTS = 2  # words beside a rank that make a full name
_UNNAMED = frozenset({"NORP", "DATE", "PERSON", "ORG", TITLE})


class End(NamedTuple):
    """An end of a fact: as written, and the label of what covers it."""

    text: str
    label: str


class NounPhrases:
    """The clauses and noun phrases of one sentence, read with its passage's topic in mind."""

    __slots__ = ("_ends", "_names", "_spans", "clauses", "first", "topic", "tree")

    def __init__(self, tree: ParseTree, topic: Topic, *, first: bool) -> None:
        self.tree = tree
        self.topic = topic
        self.clauses = clauses_of(tree)
        self.first = first  # whether the sentence introduces the passage
        self._ends: dict[int, End | None] = {}
        self._names: dict[int, int | None] = {}
        self._spans: dict[int, tuple[int, int]] = {}

    def told_of(self, topic: Topic) -> NounPhrases:
        """The same phrases with another topic of the same passage; what was read of them is read once for both."""
        same = copy(self)
        same.topic = topic
        return same

    def title(self) -> End:
        """The passage's title as an end."""
        return End(self.topic.title, TITLE)

    def proper(self, i: int) -> bool:
        """Whether a word belongs to a name."""
        label = self.tree.label(i)
        if label:
            return label not in NUMBERS
        form = self.tree.forms[i]
        told = i > 0 or self.tree.lower[i] in self.topic.names or ends_in_name(form)
        return form[:1].isupper() and told

    def common(self, i: int) -> bool:
        """Whether a word is a common noun, as far as one can tell."""
        return not self.tree.label(i) and self.tree.lower[i] not in EMPTY and not self.proper(i)

    def end(self, i: int) -> End | None:
        """What a word stands for as an end, or nothing where that is no noun phrase: pronouns, bare function words."""
        if i not in self._ends:
            self._ends[i] = self._end(i)
        return self._ends[i]

    def described(self, i: int) -> Iterator[tuple[int, int, int]]:
        """The words that say what a subject is, each with the first and the last word of its phrase."""
        beyond = -1
        for word in self.tree.conjoined(i):
            if word > beyond and self.tree.lower[word] not in EMPTY:
                first, beyond = self.span(word)
                yield word, first, beyond

    def name(self, i: int) -> int | None:
        """The word of the name that a common noun is given: in apposition, after ``named``, as in ``city of Ost``."""
        if i not in self._names:
            self._names[i] = self._name(i)
        return self._names[i]

    def role(self, i: int) -> str:
        """A common noun with the words before it that belong to it: ``eldest son``; without names and numbers."""
        tree, first = self.tree, i
        while first > 0 and tree.deps[first - 1] in ("compound", "amod", "nummod") and tree.heads[first - 1] == i:
            if tree.label(first - 1) in _UNNAMED:
                break
            first -= 1
        return tree.slice(first, i).strip(_QUOTES)

    def span(self, i: int) -> tuple[int, int]:
        """The first and the last word of the phrase that a word governs, without what follows a comma."""
        if i not in self._spans:
            self._spans[i] = self._span(i)
        return self._spans[i]

    def _span(self, i: int) -> tuple[int, int]:
        tree = self.tree
        entity = tree.entity_of[i]
        if entity >= 0 and tree.entities[entity].label in NUMBERS:
            return words_of_entity(tree, i)
        if self.proper(i):
            first, last = words_of_entity(tree, i) if entity >= 0 else (self._begins(i), i)
            return name_begins(tree, i, first), name_ends(tree, i, last)
        first = self._begins(i)
        return first, self._ends_at(i, first)

    def _end(self, i: int) -> End | None:
        tree = self.tree
        lower, label = tree.lower[i], tree.label(i)
        if lower in EMPTY and not (label and tree.forms[i][:1].isupper()):
            return None
        first, last = self.span(i)
        while first < last and (tree.lower[first] in ARTICLES or tree.deps[first] in ("punct", "case")):
            first += 1
        while first < last and (tree.deps[last] in ("punct", "case") or tree.lower[last] in EMPTY):
            last -= 1
        if label in ("PERSON", "") and last - first >= _PARTS and main_part(tree.forms[first]) in RANKS:
            first += 1  # one node for "King Karl of Ost" and "Karl of Ost"
        written = tree.slice(first, last)
        if first != last:
            written = _BRACKET.sub("", written)
        written = written.strip(_QUOTES).removesuffix("'s").removesuffix("’s").rstrip("-–, ").lstrip(".,;:-– ")
        if (written.islower() and len(written) < _SHORTEST) or (len(written) == 1 and written.isascii()):
            return None
        if not label:
            label = tree.label(first) if tree.forms[i][:1].isupper() else ""
        return self.title() if self.topic.is_full(written) else End(written, label)

    def _begins(self, i: int) -> int:
        tree, first = self.tree, i
        for kid in reversed(tree.kids[i]):
            if kid < i:
                if tree.deps[kid] not in _MODIFIERS:
                    break
                first = min(first, tree.leftmost(kid))
        while first < i and tree.deps[first] in ("punct", "advmod", "poss", "case", "det", "predet"):
            first += 1
        return first

    def _ends_at(self, i: int, first: int) -> int:
        """A phrase goes on with numbers and with what follows ``of``."""
        tree, last = self.tree, i
        for kid in tree.kids[i]:
            if kid <= i:
                continue
            dependency = tree.deps[kid]
            if dependency in ("nummod", "compound", "nmod") and kid == last + 1:
                last = kid
            elif dependency == "prep" and tree.lower[kid] == "of" and kid == last + 1:
                objects = tree.kids_of(kid, "pobj")
                if not objects or tree.lower[objects[0]] in EMPTY or not i < objects[0] < first + LONGEST:
                    break
                return self.span(objects[0])[1]
            else:
                break
        return last

    def _name(self, i: int) -> int | None:
        tree = self.tree
        if tree.lower[i] in DISTRICTS and not tree.label(i):
            for place in [
                word for kid in tree.kids_of(i, "prep") if kid == i + 1 for word in tree.kids_of(kid, "pobj")
            ]:
                if tree.lower[i + 1] == "of" and self.proper(place):
                    return place
        for kid in tree.kids[i]:
            dependency = tree.deps[kid]
            if dependency == "appos" and kid > i and self.proper(kid) and kid not in tree.bracketed:
                mistaken = tree.lower[i] in RELEASED and tree.label(kid) == "PERSON"
                return None if mistaken else kid
            if dependency == "acl" and tree.lower[kid] in NAMED:
                found = next((k for k in tree.kids_of(kid, "oprd", "dobj", "attr") if self.proper(k)), None)
                if found is not None:
                    return found
        return None
