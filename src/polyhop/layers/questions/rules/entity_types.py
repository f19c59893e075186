"""What kinds of things the names of a passage are: what most of its sentences take each for."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from polyhop.english.words import names_person
from polyhop.layers.grammar.topic import TITLE, Topic
from polyhop.layers.grammar.tree import ParseTree
from polyhop.ports import ParsedSentence


class EntityTypes:
    """The label of each name, as most sentences of a passage have it."""

    __slots__ = ("_counted",)

    def __init__(self, text: str, sentences: Sequence[ParsedSentence]) -> None:
        self._counted: defaultdict[str, Counter[str]] = defaultdict(Counter)
        for sentence in sentences:
            for entity in sentence.entities:
                self._counted[_key(text[entity.start : entity.end])][entity.label] += 1

    def of_title(self, topic: Topic) -> str:
        """PERSON where a passage speaks of its title as of someone; TITLE otherwise."""
        labels = self._counted.get(_key(topic.main), Counter())
        people = any(map(names_person, topic.nouns))
        return (
            "PERSON" if not topic.thing and (people or topic.person or labels["PERSON"] * 2 > labels.total()) else TITLE
        )

    def of_word(self, tree: ParseTree, i: int) -> str:
        """The label of the entity that covers a word, or nothing."""
        label = tree.label(i)
        if not label or label == TITLE:
            return label
        start, end, _ = tree.entities[tree.entity_of[i]]
        labels = self._counted.get(_key(tree.text[start:end]), Counter())
        return max(labels, key=lambda other: (labels[other], other == label, other), default=label)


def _key(name: str) -> str:
    return name.lower().removeprefix("the ").removesuffix("'s").removesuffix("’s")
