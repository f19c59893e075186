"""What a passage is about: its title, how sentences name it again, and which pronouns stand for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from copy import copy

from polyhop.indexes.folding import pieces
from polyhop.indexes.names import normal
from polyhop.layers.grammar.lexicon import GENERATIONS, HE, HONORIFICS, IT, NUMBERS, PERSONAL, SHE, THEY, THINGS, WORKS
from polyhop.layers.grammar.tree import Named
from polyhop.ports import ParsedSentence
from polyhop.types import Passage

TITLE = "TITLE"
_BRACKETED = re.compile(r"\s*[\(\[][^()\[\]]*[\)\]]\s*$")
_SAID_OF = frozenset({"nsubj", "nsubjpass", "poss"})
_GENDERS = (HE, SHE, IT)
_ARTICLE = 4  # characters of "The "
_LONGEST_PRONOUN = 3
_LONGEST_TITLE = 12  # words: a longer one is a sentence


class Topic:
    """The title of a passage as the thing that its pronouns and short names stand for."""

    def __init__(self, passage: Passage, sentences: Sequence[ParsedSentence]) -> None:
        self.title = passage.title.strip()
        self.main = _BRACKETED.sub("", self.title) or self.title
        self.key = normal(self.title)
        self._keys = (self.key, normal(self.main))
        self.words = pieces(self.main)
        self.exists = bool(self.key) and len(self.words) <= _LONGEST_TITLE
        short = pieces(self.main.split(",")[0].split(" of ")[0])
        self._short = short or self.words
        self.pronouns = _pronouns(passage.text, sentences) if self.exists else frozenset()
        # Common nouns that mean the title ("the film"): of its brackets and its last word, and, once the
        # first sentence has been read, what it says the title is.
        self.nouns = set(pieces(self.title[len(self.main) :])) | set(self.words[-1:])
        self._learned = False
        self.names = _names(passage.text, sentences)  # the words of all names, folded no further than to small letters
        self.places = self._places(passage.text) if self.exists else []

    def untaught(self) -> Topic:
        """The same topic, which learns apart from this one; only for one that has not learnt anything yet."""
        again = copy(self)
        again.nouns = set(self.nouns)
        return again

    @property
    def person(self) -> bool:
        """Whether pronouns speak of a person."""
        return self.pronouns in (HE | THEY, SHE | THEY)

    @property
    def thing(self) -> bool:
        """Whether pronouns speak of a thing."""
        return self.pronouns == IT | THEY

    def learn(self, noun: str) -> None:
        """Take a common noun for the title from now on."""
        self._learned = True
        self.nouns.add(noun)
        if noun in WORKS:
            self.nouns.update(("film", "movie", "picture"))

    def is_meant_by(self, noun: str) -> bool:
        """Whether a common noun with a definite article stands for the title."""
        return self.exists and (noun in self.nouns or (noun in THINGS and not self._learned and not self.person))

    def is_full(self, name: str) -> bool:
        """Whether a name is the title, with or without its brackets."""
        return self.exists and len(name) <= len(self.title) + _ARTICLE and normal(name) in self._keys

    def is_short(self, name: str) -> bool:
        """Whether a name is the beginning or the end of the title's name, or says it at greater length."""
        if not self.exists:
            return False
        words, short, whole = pieces(name), self._short, self.words
        while len(words) > 1 and words[0] in HONORIFICS and words[:1] != whole[:1]:
            del words[0]
        size = len(words)
        if not words:
            return False
        if not GENERATIONS.isdisjoint(words) and GENERATIONS.isdisjoint(whole):
            return False
        if size <= len(short) and (short[:size] == words or short[-size:] == words):
            return True
        return whole[:size] == words or (size > len(whole) > 1 and set(whole) <= set(words))

    def resembles(self, name: str) -> bool:
        """Whether a name shares a word with the title: for the first sentence, which introduces it."""
        return self.exists and not set(self.words).isdisjoint(pieces(name))

    def _places(self, text: str) -> list[Named]:
        """Where the text names the title, without its brackets."""
        found, at, size = [], text.find(self.main), len(self.main)
        while at >= 0:
            before, after = text[at - 1 : at], text[at + size : at + size + 1]
            longer = len(self.words) == 1 and text[at + size : at + size + 2].strip()[:1].isupper()
            if not before.isalnum() and not after.isalnum() and not longer:
                found.append(Named(at, at + size, TITLE))
            at = text.find(self.main, at + size)
        return found


def _names(text: str, sentences: Sequence[ParsedSentence]) -> frozenset[str]:
    entities = (entity for sentence in sentences for entity in sentence.entities if entity.label not in NUMBERS)
    return frozenset(word for entity in entities for word in text[entity.start : entity.end].lower().split())


def _pronouns(text: str, sentences: Sequence[ParsedSentence]) -> frozenset[str]:
    """The personal pronouns that stand for the title: of the gender that its sentences have most often.

    A pronoun counts where no one has been named before it in its sentence, and the more, the earlier it comes; where
    there is none of that kind, every one counts.
    """
    sure, unsure = dict.fromkeys(_GENDERS, 0.0), dict.fromkeys(_GENDERS, 0.0)
    weight = 1.0
    for sentence in sentences:
        named = min((entity.start for entity in sentence.entities if entity.label == "PERSON"), default=sentence.end)
        for word in sentence.words:
            if word.end - word.start > _LONGEST_PRONOUN or word.dependency not in _SAID_OF:
                continue
            form = text[word.start : word.end].lower()
            for gender in _GENDERS:
                if form in gender:
                    votes = sure if word.start < named else unsure
                    votes[gender] += weight if word.dependency != "poss" else weight / 2
                    weight *= 0.8
    votes = sure if any(sure.values()) else unsure
    best = max(votes, key=votes.__getitem__)
    return best | THEY if votes[best] else PERSONAL
