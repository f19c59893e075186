"""The sentences of a passage, each read once, however many rules go over them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import takewhile

from polyhop.documents.heading_lines import heading_lines, is_marked
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
        opening = self._opening()
        for number, sentence in enumerate(self.parsed):
            if not 0 < len(sentence.words) <= longest or number < opening or self._is_heading(sentence):
                continue
            if number not in self._phrases:
                if not is_sound(sentence, len(passage.text)):
                    continue
                tree = ParseTree(passage.text, sentence, topic.places)
                first = number == opening and passage.ordinal == 0
                self._phrases[number] = NounPhrases(tree, topic, first=first)
            yield number, self._phrases[number].told_of(topic)

    def _opening(self) -> int:
        """The first sentence behind the headings that the passage begins with; headings are no sentences."""
        text = self.passage.text
        headings = set(heading_lines(text))
        spans = ((sentence.start, sentence.end) for sentence in self.parsed)
        opening = sum(1 for _ in takewhile(headings.__contains__, spans))
        return opening if opening < len(self.parsed) else 0

    def _is_heading(self, sentence: ParsedSentence) -> bool:
        line = self.passage.text[sentence.start : sentence.end]
        return is_marked(line) and "\n" not in line
