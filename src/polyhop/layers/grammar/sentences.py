"""The sentences of a passage, each read once, however many rules go over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from polyhop.layers.grammar.phrases import NounPhrases
from polyhop.layers.grammar.topic import Topic
from polyhop.layers.grammar.tree import ParseTree, is_sound
from polyhop.ports import ParsedSentence
from polyhop.types import Passage


class Sentences:
    """What facts and questions of a passage are both read from: its topic, and the noun phrases of its sentences."""

    __slots__ = ("_phrases", "_topic", "parsed", "passage")

    def __init__(self, passage: Passage, parsed: Sequence[ParsedSentence]) -> None:
        self.passage = passage
        self.parsed = parsed
        self._topic = Topic(passage, parsed)
        self._phrases: dict[int, NounPhrases] = {}

    def topic(self) -> Topic:
        """The passage's topic as it is before the first sentence: whoever reads them teaches it more."""
        return self._topic.untaught()

    def read(self, topic: Topic, longest: int) -> Iterator[tuple[int, NounPhrases]]:
        """The sentences of at most so many words, by number; those without words, or that are no trees, are left out.

        ``topic``: as this reading knows it.
        """
        passage = self.passage
        for number, sentence in enumerate(self.parsed):
            if not 0 < len(sentence.words) <= longest:
                continue
            if number not in self._phrases:
                if not is_sound(sentence, len(passage.text)):
                    continue
                tree = ParseTree(passage.text, sentence, topic.places)
                first = number == 0 and passage.ordinal == 0
                self._phrases[number] = NounPhrases(tree, topic, first=first)
            yield number, self._phrases[number].told_of(topic)
