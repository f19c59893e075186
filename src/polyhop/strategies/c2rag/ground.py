"""Constraint-based retrieval: what the graph offers to satisfy one constraint (C2RAG, section 3.2, Eq. 3 to 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import Final, Literal

import numpy as np

from polyhop.english.answer_type import AnswerType, answer_shape, answer_type, fits
from polyhop.english.relations import wording_of
from polyhop.indexes.names import words
from polyhop.indexes.ranking import best
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.vectors import fact_vectors
from polyhop.layers.view import View
from polyhop.planning.filling import asked_with
from polyhop.planning.rules.questions import question_of
from polyhop.plans import PLACEHOLDER, Constant, Constraint, End, Placeholder
from polyhop.ports import Floats, Ints
from polyhop.reading.negation import negated_relation
from polyhop.strategies.c2rag.pattern import Anchor, Bindings, Pattern
from polyhop.strategies.c2rag.sufficiency import NOTHING, FactCandidate
from polyhop.strategies.shared.phrases import phrase_vectors

_LONGEST_EVIDENCE: Final = 240  # characters of a sentence that a candidate is judged with
_VAGUE: Final = frozenset({"", "CARDINAL", "ORDINAL", "QUANTITY"})  # labels that say too little to contradict a type
_COMPARED: Final = 256  # pairs of names that are compared with a constraint where relations are not to count
_FOUND: Final = Anchor(1.0, 1.0)  # an anchor that an earlier hop has found
_NAMED_KINDS: Final = (AnswerType.PERSON, AnswerType.PLACE, AnswerType.ORGANISATION)  # what has a name of its own


@dataclass(frozen=True, kw_only=True)
class Grounding:
    """The way from a constraint to its candidates: the paper's parameters and ablations.

    ``without`` the constraint facts are retrieved by similarity to it alone, whatever the anchors; without relation
    variants they are chosen and judged by their entities alone; without placeholders constraints and candidates are
    judged without what is open or was found.
    """

    anchors: int = 3  # E: entities that a constant is matched to
    relations: int = 8  # R: facts kept by how well their relation fits
    kept: int = 3  # K_s: facts kept by the cross-encoder
    reranked: bool = True  # off: facts are ordered by their relation alone (Eq. 5)
    filtered: bool = True  # off: no fact is dropped for the kind of its value, a "not", or for what the question names
    in_context: bool = False  # on: bare, for question and constraint (Eq. 6); off: with its sentence, for the latter
    without: tuple[Literal["constraint", "relation_variants", "placeholders"], ...] = ()  # parts left out, to compare

    def __post_init__(self) -> None:
        if min(self.anchors, self.relations, self.kept) < 1:
            raise ValueError("anchors, relations and kept are at least 1")

    def pattern(
        self,
        constraint: Constraint,
        bindings: Bindings,
        over: View,
        excluded: frozenset[int] = frozenset(),
        *,
        narrowing: bool = True,
    ) -> Pattern:
        """A constraint with its anchors (Eq. 3): constants are matched by tokens, bound placeholders are known.

        Where both ends are known and one may still stand for several entities, that one is open, unless ``narrowing``
        is off: what it stands for is narrowed down.
        """
        unbound = [end for end in constraint.placeholders if end.name not in bindings]
        vague = [end for end in constraint.placeholders if end not in unbound and len(bindings[end.name].entities) > 1]
        known = not unbound
        sought = unbound or (vague[:1] if narrowing else [])
        open_end = sought[0] if len(sought) == 1 else None
        anchors: dict[int, Anchor] = {}
        for end in constraint.ends:
            if end != open_end:
                for entity, anchor in self._anchored(end, bindings, over):
                    anchors.setdefault(entity, anchor)
        line, question = self._worded(constraint, bindings, open_end)
        return Pattern(
            constraint=constraint,
            line=line,
            asked=question,
            anchors=anchors,
            open=open_end,
            open_is_head=open_end is not None and constraint.head == open_end,
            known=known and bool(constraint.placeholders),
            among=frozenset(bindings[open_end.name].entities) if known and open_end is not None else frozenset(),
            excluded=excluded,
        )

    def _worded(self, constraint: Constraint, bindings: Bindings, open_end: Placeholder | None) -> tuple[str, str]:
        """The constraint as a line and as a question, with the values found so far."""
        if "placeholders" in self.without:
            bare = constraint.linearised({end.name: "" for end in constraint.placeholders})
            return " ".join(bare.split()), " ".join(bare.split())
        if open_end is not None and _as_if_known(open_end, constraint.question, bindings):
            others = [end.name for end in constraint.placeholders if end != open_end]
            constraint = replace(constraint, question=question_of(constraint, others))
        known = {name: bound for name, bound in bindings.items() if open_end is None or name != open_end.name}
        names = {name: bound.values[0] for name, bound in known.items()}
        return " ".join(constraint.linearised(names).split()), asked_with(constraint, names)

    def candidates(self, question: str, pattern: Pattern, over: View) -> list[FactCandidate]:
        """The best candidates, at most ``kept``, best first (Eq. 4 to 6)."""
        return self.best(question, pattern, self.aligned(pattern, over), over)

    def aligned(self, pattern: Pattern, over: View) -> list[FactCandidate]:
        """The facts about the anchors whose relation is nearest to one of the constraint's, at most R (Eq. 4 and 5)."""
        graph, pool = over.facts, self._pool(pattern, over)
        if not len(pool):
            return []
        if "constraint" in self.without:
            relevance = fact_vectors(over)[pool] @ phrase_vectors([pattern.line], over)[0]
        elif "relation_variants" not in self.without:
            relations, inverse = np.unique(graph.relation_ids[pool], return_inverse=True)
            phrases = phrase_vectors(pattern.constraint.variants, over)
            relevance = (graph.relation_vectors[relations] @ phrases.T).max(axis=1)[inverse]
        else:
            return self._by_entities(pattern, pool, over)
        chosen: dict[tuple[int, int, int], FactCandidate] = {}
        for place in best(relevance, len(pool)):
            fact = int(pool[place])
            triple = (int(graph.heads[fact]), int(graph.relation_ids[fact]), int(graph.tails[fact]))
            if triple in chosen:
                continue
            candidate = self._candidate(fact, pattern, float(relevance[place]), graph)
            if self._may_be(candidate.value, pattern, graph) and not self._denied(fact, pattern, graph):
                chosen[triple] = candidate
            if len(chosen) == self.relations:
                break
        return list(chosen.values())

    def best(self, question: str, pattern: Pattern, found: Sequence[FactCandidate], over: View) -> list[FactCandidate]:
        """Those of the aligned facts that the cross-encoder puts first, at most ``kept`` (Eq. 6)."""
        if self.reranked and found:
            texts = [self._text(candidate, over.facts, over) for candidate in found]
            asked_for = f"{question} {pattern.line}" if self.in_context else pattern.asked
            scores = over.models.reranker.score(asked_for, texts).tolist()
            found = [replace(candidate, score=score) for candidate, score in zip(found, scores, strict=True)]
        return sorted(found, key=lambda candidate: (-candidate.score, candidate.fact))[: self.kept]

    def similar(self, pattern: Pattern, over: View) -> list[FactCandidate]:
        """The facts most similar to the pattern as a whole: retrieval without constraint or check (section 4.3)."""
        vectors = fact_vectors(over)
        scores = vectors @ phrase_vectors([pattern.line], over)[0]
        own = _own(pattern, np.flatnonzero(over.facts.alive[over.facts.rows]), over.facts)
        near = own[best(scores[own], self.kept)].tolist()
        return [self._candidate(fact, pattern, float(scores[fact]), over.facts) for fact in near]

    def _anchored(self, end: End, bindings: Bindings, over: View) -> list[tuple[int, Anchor]]:
        if isinstance(end, Placeholder) and end.name not in bindings:
            return []
        if isinstance(end, Placeholder) and bindings[end.name].entities:
            return [(entity, _FOUND) for entity in bindings[end.name].entities[: self.anchors]]
        surface = end.text if isinstance(end, Constant) else bindings[end.name].values[0]
        known = over.facts.find(surface) is not None  # then ties among lesser matches are not worth embedding
        found = over.facts.anchors(surface, self.anchors, None if known else _nearness(surface, over))
        return [(entity, Anchor(coverage, likeness(surface, entity, over.facts))) for entity, coverage in found]

    def _pool(self, pattern: Pattern, over: View) -> Ints:
        """One hop in both directions (Eq. 4), or all facts where constraints are off."""
        if "constraint" in self.without:
            return _own(pattern, np.flatnonzero(over.facts.alive[over.facts.rows]), over.facts)
        return _own(pattern, over.facts.touching(sorted(pattern.anchors)), over.facts)

    def _by_entities(self, pattern: Pattern, pool: Ints, over: View) -> list[FactCandidate]:
        """The facts of the pool whose ends are nearest to the constraint, whatever their relation, at most R."""
        graph = over.facts
        ends = {int(fact): (int(graph.heads[fact]), int(graph.tails[fact])) for fact in pool.tolist()}
        pairs = {pair: fact for fact, pair in reversed(ends.items())}  # of facts between the same two the first stands
        facts = [self._candidate(fact, pattern, 0.0, graph) for fact in sorted(pairs.values())]
        near = sorted((one for one in facts if self._may_be(one.value, pattern, graph)), key=lambda one: -one.likeness)
        texts = [" ".join(graph.entity(end).name for end in ends[one.fact]) for one in near[:_COMPARED]]
        if not texts:
            return []
        cosines = phrase_vectors([pattern.line, *texts], over)
        return [near[place] for place in best(cosines[1:] @ cosines[0], self.relations).tolist()]

    def _candidate(self, fact: int, pattern: Pattern, relevance: float, graph: FactGraph) -> FactCandidate:
        """A fact as a candidate: the open end is the one that is no anchor, or else the one that the pattern says."""
        head, tail = int(graph.heads[fact]), int(graph.tails[fact])
        ends = [end for end in (head, tail) if end not in pattern.anchors]
        value = ends[0] if len(ends) == 1 else (head if pattern.open_is_head else tail)
        covering = pattern.covering
        touched = [pattern.anchors[end].likeness for end in (head, tail) if end in pattern.anchors]
        return FactCandidate(
            fact=fact,
            value=value if pattern.open is not None else NOTHING,
            score=relevance,
            relevance=relevance,
            likeness=max(touched, default=0.0),
            another=bool(covering) and covering.isdisjoint((head, tail)),
            worded="relation_variants" not in self.without
            and same_relation(graph.relations[int(graph.relation_ids[fact])], pattern.constraint.variants),
            same_way=(value == head) == pattern.open_is_head,
            fitting=_fits(graph.labels[value], self._kind(pattern)),
            stated=float(graph.confidences[fact]),
        )

    def _may_be(self, value: int, pattern: Pattern, graph: FactGraph) -> bool:
        """Whether an entity may be what the open end asks for; only a known label can speak against a type."""
        if pattern.open is None:  # nothing is bound: a fact between what the question names is just what verifies it
            return True
        if pattern.among and value not in pattern.among:
            return False
        if not self.filtered:
            return True
        if value in pattern.excluded:
            return False
        kind = self._kind(pattern)
        if kind is None:
            return True
        label = graph.labels[value]
        if label == "" and kind in _NAMED_KINDS:
            return not graph.aliases[value][:1].islower() and not graph.aliases[value][:1].isdigit()
        return label in _VAGUE or kind is AnswerType.THING or fits(label, kind)

    def _denied(self, fact: int, pattern: Pattern, graph: FactGraph) -> bool:
        """Whether a fact denies what a constraint says, or says what it denies, and so cannot bind what it asks for.

        Where both ends are named in the question, a denial is what verifies it.
        """
        if not self.filtered or "constraint" in self.without or (pattern.open is None and not pattern.known):
            return False
        stated = graph.relations[int(graph.relation_ids[fact])]
        return negated_relation(stated) != negated_relation(pattern.constraint.relation)

    def _kind(self, pattern: Pattern) -> AnswerType | None:
        """What kind of thing the open end is to be; None where its type is not told, or nothing is told of it."""
        told = pattern.open is not None and pattern.open.type and "placeholders" not in self.without
        return kind_of(pattern.open.type) if pattern.open is not None and told else None

    def _text(self, candidate: FactCandidate, graph: FactGraph, over: View) -> str:
        """Lin(c) of Eq. 6, with the sentence that states it where that is judged, too; without relations the names."""
        fact = graph.fact(candidate.fact)
        if "relation_variants" in self.without:
            return f"{fact.head} {fact.tail}"
        if self.in_context:
            return f"{fact.head} {fact.relation} {fact.tail}"
        number, start, end = graph.place(candidate.fact)
        passage = over.passages([number])[0]
        sentence = passage.text[start : min(end, start + _LONGEST_EVIDENCE)]
        return f"{fact.head} {fact.relation} {fact.tail}. {passage.title}: {sentence}"


def _as_if_known(open_end: Placeholder, question: str, bindings: Bindings) -> bool:
    """Whether a constraint is put into words as if what it is to find were known: "Did ?person become President?"."""
    if open_end.name in bindings and (not question or open_end.name in PLACEHOLDER.findall(question)):
        return True
    return answer_shape(question) == "verdict"


def _own(pattern: Pattern, facts: Ints, graph: FactGraph) -> Ints:
    """Of facts those of the passages that count: of a graph of the question's own, as in the paper (appendix B)."""
    if pattern.passages is None:
        return facts
    return facts[np.isin(graph.numbers[graph.rows[facts]], sorted(pattern.passages))]


def _nearness(surface: str, over: View) -> Callable[[Sequence[str]], Floats]:
    def nearness(names: Sequence[str]) -> Floats:
        vectors = phrase_vectors([surface, *names], over)
        found: Floats = vectors[1:] @ vectors[0]
        return found

    return nearness


@cache
def kind_of(type_: str) -> AnswerType:
    """The kind of thing that a placeholder's type names: a "birth place" is a place."""
    return answer_type(f"Which {type_} is it?")


def _fits(label: str, kind: AnswerType | None) -> bool:
    return kind is not None and label != "" and fits(label, kind)


@lru_cache(maxsize=16384)
def same_relation(relation: str, variants: tuple[str, ...]) -> bool:
    """Whether a relation is one of the phrasings, or known to word the same relation as one of them."""
    if relation.casefold() in (variant.casefold() for variant in variants):
        return True
    wording = wording_of(relation)
    return wording is not None and any(wording_of(variant) is wording for variant in variants)


def likeness(surface: str, entity: int, graph: FactGraph) -> float:
    """The share of the words of a surface form and a spelling of an entity that both have, for its best spelling."""
    named = set(words(surface))
    spellings = (set(words(spelling)) for spelling in graph.aliases[entity].split("\n"))
    return max(len(named & spelled) / len(named | spelled) for spelled in spellings) if named else 0.0
