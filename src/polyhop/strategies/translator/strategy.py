"""KG-Translator: a small model that may only say what the corpus says translates the question into clues."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, product
from types import MappingProxyType
from typing import ClassVar, Literal

import numpy as np

from polyhop.english.numbers import counted
from polyhop.indexes.by_turns import each_once, round_robin
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.layers.view import View
from polyhop.strategies.shared.in_time import in_time
from polyhop.strategies.shared.judge import best_first, judge
from polyhop.strategies.translator.next_queries import READ, AskedQuery, Steps, steps_for
from polyhop.strategies.translator.onward import LeadsOn
from polyhop.strategies.translator.translate import Direction, RawClue, Translator
from polyhop.types import Budget, Clue, Evidence, Hop, Span

Reverse = Literal["after", "again", "off", "first"]
Recognised = Literal["names", "parser", "off"]  # how entities of a question are recognised
FIGURES_6_7 = tuple(product((1, 3, 5), repeat=2))  # alpha and beta
LEADING = 2  # passages of each query whose entities lead on
ONWARD = 2  # passages that those lead to, behind the best of each query and at least two, before the rest


@dataclass(frozen=True, slots=True)
class Translated:
    """One hop: its clues, and the passages that hold them, best first."""

    query: str
    clues: tuple[RawClue, ...]
    ranking: tuple[tuple[int, float], ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class KGTranslator:
    """Translate the question into clues of ParseKG by constrained decoding, and trace them to their passages."""

    alpha: int = 3  # entities translated
    beta: int = 3  # relations translated for each entity
    longest: int = 16  # tokens of a relation
    hops: int = 4  # queries at most; 1: the question alone
    reverse: Reverse = "after"  # reverse translation: of what has no clue, of all (again), or before forward (first)
    directed: bool = True  # off: a sentence is next to each of its entities
    spans: Literal["between", "across"] = "across"  # whether relations stay between masked entities, or run across them
    triples: bool = False  # clues end in an entity, too (Eq. 12)
    ranker: Literal["embedder", "cross-encoder"] = "embedder"  # what orders the passages of a hop
    read: int = 30  # passages of a hop that the cross-encoder reads: the nearest; the rest follow them
    ner_entities: Recognised = "names"  # join the translated ones: the graph's names, or what the parser recognises
    onward: int = 2  # entities of what was found, each way, with which the question is translated once more; 0: never
    penalty: float = 1.0  # beams compare log-probability over length to this power

    needs: ClassVar[tuple[str, ...]] = ("text", "parsekg")
    ablations: ClassVar[Mapping[str, Mapping[str, object]]] = MappingProxyType(
        {
            "w/o reverse translation": {"reverse": "off"},  # Table 2
            "reverse, then forward": {"reverse": "first"},
            "reverse translation of all": {"reverse": "again"},  # Algorithm 2
            "undirected": {"directed": False},  # Table 14
            "triples": {"triples": True},  # section I.4
            "spans between entities": {"spans": "between"},
            "entities of the question by the parser": {"ner_entities": "parser"},
            "w/o entities of the question": {"ner_entities": "off"},
            "one hop": {"hops": 1},
            "w/o entities of what was found": {"onward": 0},
            "cross-encoder": {"ranker": "cross-encoder"},
            **{f"alpha={alpha}, beta={beta}": {"alpha": alpha, "beta": beta} for alpha, beta in FIGURES_6_7},
        }
    )

    def __post_init__(self) -> None:
        if min(self.alpha, self.beta, self.longest, self.hops, self.read) < 1:
            raise ValueError("alpha, beta, longest, hops and read are at least 1")
        if self.onward < 0:
            raise ValueError("onward is at least 0")

    def retrieve(self, question: str, over: View, budget: Budget) -> Evidence:
        """Clues, hop by hop, and their passages."""
        model = over.models.translator
        index = over.once(f"translation:{model.name}", lambda: open_or_build(over.kg, model))
        steps = steps_for(question, over, budget, self.hops)
        done: list[Translated] = []
        asked: list[AskedQuery] = []
        began = time.monotonic()
        while in_time(began, budget) and (query := steps.next(asked)) is not None:
            if done and over.hops_told.wanted:  # what the next query is made of is settled
                over.hops_told.settle(len(done) - 1, _hop(len(done) - 1, done[-1], steps, over))
            translated = self.translate(query, over, index)
            done.append(translated)
            best = [number for number, _ in translated.ranking[: budget.passages]]
            asked.append(AskedQuery(query, tuple(over.passages(best))))
        late = [] if in_time(began, budget) else ["the time allowed was over: further queries were left"]
        ranking = list(each_once(round_robin(translated.ranking for translated in done)).items())
        hops = [_hop(position, item, steps, over) for position, item in enumerate(done)]
        trail = [*late, *chain.from_iterable(_trail(item, steps.thought(at), over) for at, item in enumerate(done))]
        if self.onward and self.hops > 1 and not late and _may_lack_something(steps):
            onward = self._onward(question, done, over, index)
            ranking = _with_onward(ranking, onward.ranking, max(LEADING, len(done)))
            trail += _trail(onward, None, over)
            if onward.ranking:
                hops.append(replace(_hop(len(hops), onward, steps, over), step=None, note=onward.note))
        numbers, scores = [number for number, _ in ranking], [score for _, score in ranking]
        return Evidence(
            question=question,
            strategy="translator",
            passages=over.ranked(numbers, scores, budget.passages),
            hops=tuple(hops),
            plan=steps.plan,
            trail=(f"next queries by {steps.source}", *trail),
            cost=steps.cost,
        )

    def translate(self, query: str, over: View, index: TranslationIndex) -> Translated:
        """One hop (Algorithms 1 and 2)."""
        translator = Translator(model=over.models.translator, index=index, question=query, settings=self)
        begun = translator.begin()
        named, all_known = self._recognised(query, over)
        likely = dict.fromkeys(named, 0.0)  # they are certain, whatever the model makes of them
        for entity, logprob in translator.entities(begun):
            likely.setdefault(entity, logprob)
        entities = list(likely.items())
        first: Direction = "reverse" if self.reverse == "first" else "forward"
        second: Direction = "forward" if self.reverse == "first" else "reverse"
        clues = translator.relations(begun, entities, first)
        clued = {clue.entity for clue in clues}
        failed = not clues or not all_known or not set(named) <= clued
        if self.reverse != "off" and self.directed and failed:
            # Algorithm 2 translates all of them in the other direction; what has clues has led somewhere already.
            rest = [(entity, logprob) for entity, logprob in entities if self.reverse != "after" or entity not in clued]
            clues += translator.relations(begun, rest, second)
        if self.triples:
            clues = translator.tails(begun, clues)
        return Translated(query, tuple(clues), tuple(self._ranked(query, clues, over)))

    def _recognised(self, query: str, over: View) -> tuple[list[int], bool]:
        """The entities of a query, and whether the graph has all that were recognised.

        Names that are looked up are those of the graph; a parser also recognises what the graph lacks.
        """
        if self.ner_entities == "off":
            return [], True
        if self.ner_entities == "names":
            return over.kg.named_in(query), True
        [parse] = over.models.parser.parse([query])
        entities = (entity for sentence in parse for entity in sentence.entities)
        found = [over.kg.find(query[entity.start : entity.end]) for entity in entities]
        return list(dict.fromkeys(entity for entity in found if entity is not None)), None not in found

    def _onward(self, question: str, done: Sequence[Translated], over: View, index: TranslationIndex) -> Translated:
        """The question once more, with entities that lead on from what was found; what was found stays left out."""
        found = list(dict.fromkeys(number for item in done for number, _ in item.ranking[:LEADING]))
        translated = [clue.entity for item in done for clue in item.clues]
        leading = LeadsOn(question=question, found=found, over=over, width=self.onward)
        ways: Sequence[tuple[Direction, list[int]]] = (
            ("forward", leading.named_by_found(translated)),
            ("reverse", leading.spoken_of() if self.reverse != "off" else []),
        )
        clues: list[RawClue] = []
        if any(entities for _, entities in ways):
            translator = Translator(model=over.models.translator, index=index, question=question, settings=self)
            begun = translator.begin()
            for direction, entities in ways:
                clues += translator.relations(begun, [(entity, 0.0) for entity in entities], direction)
        further = [item for item in self._ranked(question, clues, over) if item[0] not in found]
        names = "; ".join(over.kg.entity(entity).name for _, entities in ways for entity in entities)
        note = f"once more, with what was found: {names or 'nothing that leads on'}"
        return Translated(question, tuple(clues), tuple(further), note)

    def _ranked(self, query: str, clues: Iterable[RawClue], over: View) -> list[tuple[int, float]]:
        """The passages that hold the clues (Eq. 8 and 9), best first (Eq. 10)."""
        numbers = sorted({number for clue in clues for number in over.kg.passages_of(clue.sentences)})
        if not numbers:
            return []
        cosines = over.text.vectors.of(np.array(numbers, np.int64)) @ over.vector(query)
        ranking = best_first(numbers, cosines.tolist())
        if self.ranker == "embedder":
            return ranking
        head = [number for number, _ in ranking[: self.read]]
        return [*best_first(head, judge(query, head, over)), *ranking[self.read :]]


def _with_onward(
    ranking: Sequence[tuple[int, float]], onward: Sequence[tuple[int, float]], leading: int
) -> list[tuple[int, float]]:
    """The first of the ranking, the best of what led on from it, then the rest; each passage once."""
    return list(each_once([*ranking[:leading], *onward[:ONWARD], *ranking[leading:], *onward[ONWARD:]]).items())


def _may_lack_something(steps: Steps) -> bool:
    """Whether queries may not have asked for all: a language model may say so, and a plan that compares has both."""
    return not steps.nothing_missing and (steps.plan is None or steps.plan.final is None)


def _hop(position: int, translated: Translated, steps: Steps, over: View) -> Hop:
    """A hop with its best passage or, where it was read, the one that says what it found, and the clues to that."""
    found = steps.found(position)
    said = None if found is None else found.quote
    best = [number for number, _ in translated.ranking[: 1 if said is None else READ]]
    if said is not None:
        best = [one for one, passage in zip(best, over.passages(best), strict=True) if passage.id == said.passage.id]
    clues = [clue for clue in translated.clues if set(best) & set(over.kg.passages_of(clue.sentences))]
    clues.sort(key=lambda clue: -clue.logprob)
    shown = tuple(_public(clue, best, over) for clue in clues[:3])
    sentences = (shown[0].sentences if shown else ()) if said is None else (said.span,)
    return Hop(
        question=translated.query,
        status="resolved" if best else "unresolved",
        found=None if found is None else found.text,
        step=None if steps.plan is None else position,
        passages=tuple(over.passages(best)),
        sentences=sentences,
        clues=shown,
        score=math.exp(clues[0].logprob) if clues else None,
    )


def _public(clue: RawClue, within: Sequence[int], over: View) -> Clue:
    """A clue with the exact sentences (of the passages given) that say it."""
    spans = []
    for sentence in clue.sentences.tolist():
        number, start, end = over.kg.place(sentence)
        if number in within:
            passage = over.passages([number])[0]
            spans.append(Span(passage.document_id, passage.start + start, passage.start + end))
    return Clue(
        entity=over.kg.entity(clue.entity).name,
        relation=clue.relation,
        direction=clue.direction,
        score=clue.logprob,
        sentences=tuple(spans),
        tail=None if clue.tail is None else over.kg.entity(clue.tail).name,
    )


def _trail(translated: Translated, thought: str | None, over: View) -> list[str]:
    """A query, its clues, and what was thought of what they led to."""
    lines = [f"query: {translated.query}", *([f"  {translated.note}"] if translated.note else [])]
    for clue in sorted(translated.clues, key=lambda clue: -clue.logprob):
        name = over.kg.entity(clue.entity).name
        places = len(over.kg.passages_of(clue.sentences))
        tail = "" if clue.tail is None else f", {over.kg.entity(clue.tail).name}"
        lines.append(
            f"  {clue.logprob:+.2f} {clue.direction} ({name}, {clue.relation!r}{tail}) in {counted(places, 'passages')}"
        )
    return [*lines, f"  then: {thought}"] if thought else lines
