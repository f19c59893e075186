"""The words of a sentence as a tree that is safe to walk, whatever the parser said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from polyhop.layers.grammar.hyphens import joined
from polyhop.ports import ParsedEntity, ParsedSentence, ParsedWord


class Named(NamedTuple):
    """A named stretch of a text: offsets and the parser's label, or TITLE."""

    start: int
    end: int
    label: str


class ParseTree:
    """A sentence: its words in order, what governs each, and the entity that covers it; without cycles."""

    __slots__ = (
        "bracketed", "deps", "end", "ends", "entities", "entity_of", "forms", "heads",
        "kids", "lower", "start", "starts", "text",
    )  # fmt: skip

    def __init__(self, text: str, sentence: ParsedSentence, titles: Sequence[Named]) -> None:
        words: Sequence[ParsedWord] = sentence.words
        forms = [text[word.start : word.end] for word in words]
        if any(map(str.isspace, forms)):
            words = _without_blanks(words, forms)
        words, entities, compounds = joined(text, words, sentence.entities)
        forms = [text[word.start : word.end] for word in words]
        self.text = text
        self.start, self.end = sentence.start, sentence.end
        self.starts = [word.start for word in words]
        self.ends = [word.end for word in words]
        self.forms = forms
        self.lower = [form.lower() for form in forms]
        self.deps = [word.dependency for word in words]
        self.heads = _acyclic([word.head for word in words])
        self.kids: list[list[int]] = [[] for _ in words]
        for i, head in enumerate(self.heads):
            if head != i:
                self.kids[head].append(i)
        whole = [title for title in titles if not _cuts(title, compounds)]
        self.entities = _named(text, sentence, entities, whole)
        self.entity_of = self._covers()
        for i, form in enumerate(forms):
            if form == "I" and i and self.forms[i - 1][:1].isupper() and "subj" not in self.deps[i]:
                self.lower[i] = "I"  # the numeral of a name, no pronoun
        self.bracketed = self._in_brackets()

    def __len__(self) -> int:
        return len(self.forms)

    def label(self, i: int) -> str:
        """The label of the entity that covers a word, or nothing."""
        entity = self.entity_of[i]
        return self.entities[entity].label if entity >= 0 else ""

    def kids_of(self, i: int, *dependencies: str) -> list[int]:
        """The words that one governs by one of some dependencies, in order."""
        kids, deps = self.kids[i], self.deps
        return [kid for kid in kids if deps[kid] in dependencies] if kids else []

    def conjoined(self, i: int) -> list[int]:
        """A word and those that are conjoined to it, in order."""
        found = [i]
        for word in found:
            found += [kid for kid in self.kids[word] if self.deps[kid] == "conj"]
        return found

    def upwards(self, i: int) -> Iterator[int]:
        """A word and those that govern it, up to the root."""
        yield i
        while self.heads[i] != i:
            i = self.heads[i]
            yield i

    def leftmost(self, i: int) -> int:
        """The first word below a word, or itself."""
        while self.kids[i] and self.kids[i][0] < i:
            i = self.kids[i][0]
        return i

    def slice(self, first: int, last: int) -> str:
        """The text from a word to another, as written."""
        return self.text[self.starts[first] : self.ends[last]]

    def _in_brackets(self) -> frozenset[int]:
        """The words between round brackets."""
        if ")" not in self.forms:
            return frozenset()
        inside: set[int] = set()
        depth, opened = 0, -1  # a bracket that the sentence before opened begins before the first word
        for i, form in enumerate(self.forms):
            if form == ")":
                depth = max(depth - 1, 0)
                if not depth:
                    inside.update(range(opened + 1, i))
                    opened = i
            elif form == "(":
                opened = opened if depth else i
                depth += 1
        return frozenset(inside)

    def _covers(self) -> list[int]:
        """For each word the entity that covers it, -1 for none; words and entities are in order."""
        covers = [-1] * len(self.forms)
        at, entities = 0, self.entities
        if not entities:
            return covers
        for i, start in enumerate(self.starts):
            while at < len(entities) and entities[at].end <= start:
                at += 1
            if at < len(entities) and entities[at].start <= start:
                covers[i] = at
        return covers


def is_sound(sentence: ParsedSentence, length: int) -> bool:
    """Whether all offsets lie within a text of some length, so that every stretch of it is literal."""
    return (
        0 <= sentence.start < sentence.end <= length
        and all(0 <= word.start < word.end <= length for word in sentence.words)
        and all(0 <= entity.start < entity.end <= length for entity in sentence.entities)
    )


def _without_blanks(words: Sequence[ParsedWord], forms: Sequence[str]) -> Sequence[ParsedWord]:
    """The words without those that are white space; what these govern hangs on their own governor."""
    kept = [i for i, form in enumerate(forms) if not form.isspace()]
    places = {i: place for place, i in enumerate(kept)}
    found = []
    for place, i in enumerate(kept):
        word, head = words[i], words[i].head
        if head not in places and 0 <= head < len(words):
            head = words[head].head
        found.append(ParsedWord(word.start, word.end, places.get(head, place), word.dependency))
    return found


def _cuts(title: Named, compounds: Sequence[ParsedWord]) -> bool:
    """Whether a title is only a part of a longer word there: "Stratford" in "Stratford-upon-Avon"."""
    return any(word.start < title.start < word.end or word.start < title.end < word.end for word in compounds)


def _named(text: str, sentence: ParsedSentence, parsed: Sequence[ParsedEntity], titles: Sequence[Named]) -> list[Named]:
    """The entities of a sentence with the title where the text names it: a title gives way to a longer name only."""
    entities = [Named(entity.start, entity.end, entity.label) for entity in parsed]
    for title in titles:
        if title.start < sentence.start or title.end > sentence.end:
            continue
        touched = [entity for entity in entities if entity.start < title.end and entity.end > title.start]
        if all(_within(text, entity, title) for entity in touched):
            entities = [entity for entity in entities if entity not in touched]
            entities.append(title)
    entities.sort()
    return entities


def _within(text: str, entity: Named, title: Named) -> bool:
    """Whether an entity says no more than the title, but for an article or a possessive."""
    before, after = text[entity.start : title.start], text[title.end : entity.end]
    return before.lower() in ("", "the ") and after in ("", "'s", "’s", "'", '"')


def _acyclic(heads: list[int]) -> list[int]:
    """The heads with every cycle cut, and heads that are no word made roots."""
    size = len(heads)
    heads = [head if 0 <= head < size else i for i, head in enumerate(heads)]
    seen = [0] * size  # the walk that came by, from 1
    for walk in range(1, size + 1):
        i, last = walk - 1, walk - 1
        while not seen[i]:
            seen[i] = walk
            i, last = heads[i], i
        if seen[i] == walk and last != i:  # came back to this walk's own path
            heads[last] = last
    return heads
