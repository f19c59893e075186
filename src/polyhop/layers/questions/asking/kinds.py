"""What kinds of things the names of a passage are: what its sentences say of each, all taken together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from polyhop.english.words import word_set
from polyhop.layers.grammar.lexicon import KIN, PLACES, THINGS, WORKS
from polyhop.layers.grammar.topic import TITLE, Topic
from polyhop.layers.grammar.tree import Tree
from polyhop.ports import ParsedSentence

_WEIGHED: Final = PLACES | {"PERSON", "ORG", "WORK_OF_ART", "PRODUCT", "NORP", "EVENT"}
_OF_PEOPLE: Final = frozenset({"who", "whom"})
_PEOPLE: Final = word_set(
    "man men woman women boy girl person people friend friends teacher coach director producer actor actress writer "
    "author singer painter king queen president member members neighbour neighbor doctor manager player players "
    "student students pupil pupils guest leader founder owner architect engineer artist poet composer merchant "
    "trader clerk captain sailor miner miners baker farmer farmers soldier officer general colonel bishop priest "
    "monk nun abbot duke duchess count countess earl baron prince princess emperor empress nobleman noblewoman "
    "politician lawyer judge minister mayor governor senator professor scholar philosopher historian novelist "
    "journalist musician guitarist drummer dancer footballer cricketer rower swimmer boxer wrestler athlete "
    "inventor explorer surveyor botanist astronomer physician nurse midwife surgeon printer publisher editor "
    "sculptor carver joiner builder mason smith apprentice servant shepherd fisherman pilot keeper widow songwriter "
    "rapper screenwriter cinematographer filmmaker"
)
_ENDINGS: Final = ("ist", "ician", "woman", "smith", "wright", "keeper", "maker", "mistress", "grapher", "ographer")
_NO_ONE: Final = (WORKS | THINGS | frozenset({"vessel", "boat", "schooner", "brig", "yacht", "bell", "wreck"})) - {
    "order"
}


class Kinds:
    """The label of each name, as most sentences of a passage have it."""

    __slots__ = ("_all", "_labels")

    def __init__(self, text: str, sentences: Sequence[ParsedSentence]) -> None:
        counted: dict[str, Counter[str]] = {}
        for sentence in sentences:
            for entity in sentence.entities:
                if entity.label in _WEIGHED:
                    name = _key(text[entity.start : entity.end])
                    counted.setdefault(name, Counter())[entity.label] += 1
        self._all = counted
        self._labels = {name: labels for name, labels in counted.items() if len(labels) > 1}

    def of_title(self, topic: Topic) -> str:
        """PERSON where a passage speaks of its title as of someone; TITLE otherwise."""
        if not topic.nouns.isdisjoint(_NO_ONE):
            return TITLE
        if any(map(is_person, topic.nouns)):
            return "PERSON"
        labels = self._all.get(_key(topic.main), Counter())
        if topic.person and (labels["PERSON"] or not labels):
            compound = " of the " in topic.main or " from " in topic.main
            return TITLE if compound and not labels else "PERSON"
        return "PERSON" if labels["PERSON"] * 2 > labels.total() and not topic.thing else TITLE

    def label(self, tree: Tree, i: int) -> str:
        """The label of the entity that covers a word; a person where *who* goes on about it."""
        label = tree.label(i)
        if label not in _WEIGHED:
            return label
        if label != "PERSON" and (
            _is_someone(tree, i) or any(is_person(tree.lower[k]) for k in tree.kids_of(i, "compound"))
        ):
            return "PERSON"
        start, end, _ = tree.entities[tree.entity_of[i]]
        labels = self._labels.get(_key(tree.text[start:end])) if self._labels else None
        if labels is None:
            return label
        return max(labels, key=lambda other: (labels[other], other == label, other))


def is_person(noun: str) -> bool:
    """Whether a common noun says that it speaks of people."""
    return noun in _PEOPLE or noun in KIN or noun.endswith(_ENDINGS) or noun.removesuffix("s") in _PEOPLE


def _is_someone(tree: Tree, i: int) -> bool:
    """Whether a sentence takes a name for a person: ``Ost, who ...``, ``the composer Ost``."""
    return any(is_person(tree.lower[kid]) for kid in tree.kids_of(i, "compound")) or any(
        tree.lower[word] in _OF_PEOPLE and tree.deps[word] in ("nsubj", "nsubjpass", "dobj")
        for clause in tree.kids_of(i, "relcl")
        for word in tree.kids[clause]
    )


def _key(name: str) -> str:
    return name.lower().removeprefix("the ").removesuffix("'s").removesuffix("’s")
