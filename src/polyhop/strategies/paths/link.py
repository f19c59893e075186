"""Links between passages: what one passage names, another is about."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from polyhop.indexes.names import words
from polyhop.layers.view import View
from polyhop.ports import Floats
from polyhop.strategies.shared.fuse import nearest_places
from polyhop.types import Passage

RARE = 10  # passages; what more mention is no address


@dataclass(frozen=True, slots=True)
class Link:
    """A passage names an entity, and another passage is about it, or speaks of it, too."""

    source: int  # passage numbers
    target: int
    entity: int
    shared: bool = False  # whether both only speak of it


def links_from(source: int, passage: Passage, over: View, *, per_entity: int) -> Iterator[Link]:
    """Links from a passage, in the order in which it names things.

    An entity leads to the passages it is the title of; where there are none and it is rare, to those in which it leads
    a sentence, unless it is a mere part of their title, or a forename alone. What the passage itself is about leads
    nowhere: the passages of one document share a title, and are found without a link.
    """
    kg = over.kg
    seen = {source}
    named = dict.fromkeys([*kg.named_in(passage.text, careful=True), *kg.entities_of(source)])
    own = kg.find(passage.title)
    for entity in named:
        if entity == own or not kg.may_lead(entity):  # "American" is no way to a film of that name
            continue
        targets = kg.passages_titled(entity) or _led_by(entity, over)
        for target in [number for number in targets if number not in seen][:per_entity]:
            seen.add(target)
            yield Link(source, target, entity)


def _led_by(entity: int, over: View) -> list[int]:
    kg = over.kg
    name = set(words(kg.entity(entity).name))
    if kg.frequency(entity) > RARE or (len(name) == 1 and kg.entity(entity).label == "PERSON"):
        return []
    numbers = kg.passages_led_by(entity)
    passages = zip(numbers, over.passages(numbers), strict=True)
    return [number for number, passage in passages if not name <= set(words(passage.title))]


def shared_names(
    source: int, passage: Passage, among: Sequence[int], over: View, *, asked: Collection[int]
) -> Iterator[Link]:
    """Links to those of some passages that speak of the same rare thing, in their order, each once.

    Where no passage is about what two have in common, no link leads from the one to the other, though together they
    may answer: one tells who owns the mill, the other what became of its owner. What the question names itself
    (``asked``) says nothing: all that is near to it has that in common. Links within a document are left out, too.
    """
    kg = over.kg
    own = kg.find(passage.title)
    named = dict.fromkeys([*kg.named_in(passage.text, careful=True), *kg.entities_of(source)])
    bridging: dict[int, int] = {}
    for entity in named:
        if entity != own and entity not in asked and kg.may_lead(entity) and kg.frequency(entity) <= RARE:
            for number in kg.passages_mentioning(entity):
                bridging.setdefault(number, entity)
    near = [number for number in among if number != source and number in bridging]
    for target, other in zip(near, over.passages(near), strict=True):
        if other.document_id != passage.document_id:
            yield Link(source, target, bridging[target], shared=True)


def nearest_links(links: list[Link], question: Floats, over: View, limit: int) -> list[Link]:
    """At most ``limit`` links, those whose targets are nearest to the question, in their old order."""
    return [links[place] for place in nearest_places([link.target for link in links], question, over, limit)]
