"""What looks wrong with a fact graph, found without questions: signs of the issues of C2RAG's Figure 1, with examples.

A sign is not a proof. Each fact is held against the sentence that states it; what is counted are sentences that say
something which the fact lacks.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from polyhop.indexes.folding import fold, pieces
from polyhop.indexes.names import normal
from polyhop.layers.facts import merging
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.parsekg.layer import parse_of
from polyhop.layers.view import View
from polyhop.types import Fact, Passage

READ_AT_ONCE: Final = 1000  # passages held in memory
HUB: Final = 100  # facts of an entity from which it is a hub: alignment keeps a few of them
EXAMPLES: Final = 3
_REACH: Final = 100  # characters before the tail in which the words about it stand, where the head is not in sight
_SHOWN: Final = 240  # characters of a sentence

_NEGATION: Final = re.compile(
    r"\b(?:not(?! (?:only|just|least))|never|no longer|neither|nor|without|cannot|failed to|refused to|declined to"
    r"|denied|denies|rejected)\b|n['’]t\b",
    re.IGNORECASE,
)
_HEDGE: Final = re.compile(
    r"\b(?:nominat\w+|nominee|shortlist\w*|candidate|plan(?:s|ned|ning)|propos(?:ed|al)|alleg\w+|reported(?:ly)?"
    r"|rumou?red|claim(?:s|ed)|suppos(?:ed|edly)|attempt\w*|tried|intend\w*|considered|expected|might|possibly|perhaps"
    r"|probably|unsuccessful\w*|would have|said to|believed|thought to|hoped)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r"[,;:]\s")
_TELLING: Final = re.compile(r"\d+|[^\W\d_a-z][^\W_]*")  # words of dates and places that are no common words
_YEAR: Final = re.compile(r"\b(?:1\d{3}|20\d{2})\b")
_QUALIFYING: Final = frozenset({"DATE", "GPE", "LOC", "FAC"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One thing that shows a symptom."""

    what: str  # the fact as an arrow, or a name or title
    sentence: str = ""  # that states it
    passage_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """A sign of an issue: how often it shows, of how many, and some examples."""

    name: str
    issue: str  # which kind of damage it is a sign of
    meaning: str
    unit: str
    of: int  # how many of the unit there are
    count: int
    examples: tuple[Example, ...]


class _Count:
    """A symptom while it is being counted."""

    def __init__(self, name: str, issue: str, unit: str, meaning: str) -> None:
        self._sign = {"name": name, "issue": issue, "unit": unit, "meaning": meaning}
        self.of = 0
        self._count = 0
        self._examples: list[Example] = []

    def add(self, example: Example) -> None:
        """Count one more, and keep it while there are few."""
        self._count += 1
        if len(self._examples) < EXAMPLES:
            self._examples.append(example)

    @property
    def symptom(self) -> Symptom:
        return Symptom(**self._sign, of=self.of, count=self._count, examples=tuple(self._examples))


def symptoms(over: View) -> list[Symptom]:
    """All symptoms of the facts layer of an index; qualifiers are read off its parse where it has one."""
    graph, facts, rest = over.facts, _fact_symptoms(), _passage_symptoms()
    live = over.record.numbers()
    titles: set[str] = set()
    for chunk in np.array_split(live, max(math.ceil(len(live) / READ_AT_ONCE), 1)):
        numbers = chunk.tolist()
        parses = over.record.payloads_of("parsekg", numbers)
        for number, passage in zip(numbers, over.passages(numbers), strict=True):
            stated = [graph.fact(fact) for fact in graph.facts_of(number).tolist()]
            qualifiers = _qualifiers(passage, parses.get(number))
            for fact in stated:
                _look(fact, passage, stated, qualifiers, facts)
            _look_at_passage(passage, stated, graph, titles, rest)
    for count in facts.values():
        count.of = int(graph.alive[graph.rows].sum())
    return [count.symptom for count in (*facts.values(), *rest.values(), _hubs(graph), _merged(graph))]


def _fact_symptoms() -> dict[str, _Count]:
    rows = (
        ("lost negation", "semantic flip", "the sentence denies something, and the relation does not"),
        ("lost hedge", "over-generalised relation", "the sentence tells of a plan, a claim or a nomination only"),
        ("distant ends", "mis-bound relation", "an end is neither in the sentence nor the passage's title"),
        ("lost qualifier", "dropped qualifier", "the sentence has a date or place that no fact of its head has"),
    )
    return {name: _Count(name, issue, "facts", meaning) for name, issue, meaning in rows}


def _passage_symptoms() -> dict[str, _Count]:
    rows = (
        ("empty passages", "passages", "no fact is known from the passage: only text finds it"),
        ("unlinked titles", "titles", "a passage is about something that no fact names"),
    )
    return {name: _Count(name, "missing bridge", unit, meaning) for name, unit, meaning in rows}


def _look(
    fact: Fact,
    passage: Passage,
    siblings: Sequence[Fact],
    qualifiers: Iterable[tuple[int, int]],
    found: dict[str, _Count],
) -> None:
    """Hold one fact against its sentence."""
    sentence = passage.text[fact.start : fact.end]
    example = Example(
        what=f"{fact.head} -({fact.relation})-> {fact.tail}",
        sentence=" ".join(sentence.split())[:_SHOWN],
        passage_id=passage.id,
    )
    around = _about(fact, sentence)
    for name, pattern in (("lost negation", _NEGATION), ("lost hedge", _HEDGE)):
        if pattern.search(around) and not pattern.search(_words(fact)):
            found[name].add(example)
    if not all(_in_sight(end, sentence, passage.title) for end in (fact.head, fact.tail)):
        found["distant ends"].add(example)
    said = {
        piece
        for other in siblings
        if other.start == fact.start and other.head == fact.head
        for piece in pieces(_words(other))
    }
    lost = (passage.text[start:end] for start, end in qualifiers if fact.start <= start and end <= fact.end)
    if any(set(pieces(" ".join(_TELLING.findall(text)))) - said for text in lost):
        found["lost qualifier"].add(example)


def _look_at_passage(
    passage: Passage, stated: Sequence[Fact], graph: FactGraph, titles: set[str], found: dict[str, _Count]
) -> None:
    found["empty passages"].of += 1
    example = Example(what=passage.title or passage.id, passage_id=passage.id)
    if not stated:
        found["empty passages"].add(example)
    key = normal(passage.title)
    if not key or key in titles:
        return
    titles.add(key)
    found["unlinked titles"].of += 1
    entity = graph.find(passage.title)
    if entity is None or not len(graph.touching([entity])):
        found["unlinked titles"].add(example)


def _qualifiers(passage: Passage, parse: bytes | None) -> list[tuple[int, int]]:
    """Where a passage names dates and places; without a parse, years."""
    if parse is None:
        return [match.span() for match in _YEAR.finditer(passage.text)]
    return [
        (entity.start, entity.end)
        for sentence in parse_of(parse)
        for entity in sentence.entities
        if entity.label in _QUALIFYING
    ]


def _about(fact: Fact, sentence: str) -> str:
    """The stretch of a sentence that is about both ends: between them, or what stands before the tail."""
    head, tail = sentence.find(fact.head), sentence.find(fact.tail)
    if tail < 0:
        return sentence
    end = tail + len(fact.tail)
    if head < 0:
        return _CLAUSE.split(sentence[max(0, tail - _REACH) : tail])[-1] + sentence[tail:end]
    return sentence[min(head, tail) : max(head + len(fact.head), end)]


def _in_sight(end: str, sentence: str, title: str) -> bool:
    return fold(" ".join(end.split())) in fold(" ".join(sentence.split())) or normal(end) == normal(title)


def _words(fact: Fact) -> str:
    return f"{fact.head} {fact.relation} {fact.tail}"


def _hubs(graph: FactGraph) -> _Count:
    live = graph.alive[graph.rows]
    heads, tails = graph.heads[live], graph.tails[live]
    degrees = np.bincount(heads, minlength=len(graph)) + np.bincount(tails[tails != heads], minlength=len(graph))
    order = np.argsort(-degrees, kind="stable")
    count = _Count("hubs", "retrieval drift", "names", f"more than {HUB} facts, of which a hop looks at a few")
    count.of = len(graph.entities)
    for entity in order[: int((degrees > HUB).sum())].tolist():
        count.add(Example(what=f"{graph.entity(entity).name} ({degrees[entity]} facts)"))
    return count


def _merged(graph: FactGraph) -> _Count:
    meaning = "counts as another name, because of an alias, an acronym or its likeness"
    count = _Count("merged names", "mis-bound relation", "names", meaning)
    count.of = sum(graph.aliases[entity].count("\n") + 1 for entity in graph.entities.tolist())
    for name, alias, reason in _joined(graph):
        count.add(Example(what=f"{alias} = {name} ({reason})"))
    return count


def _joined(graph: FactGraph) -> Iterator[tuple[str, str, str]]:
    for entity in graph.entities.tolist():
        reasons = graph.reasons[entity].split("\n")
        if len(reasons) > 1:
            name, *others = graph.aliases[entity].split("\n")
            for alias, reason in zip(others, reasons[1:], strict=True):
                if reason not in ("", merging.BY_NAME):
                    yield name, alias, reason
