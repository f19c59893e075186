"""The graph after a change, made of the one before: what the change touches is gathered anew, the rest is copied.

The arrays are, byte for byte, those of a graph that is gathered whole. Each is made when it is written, so that few of
them are in memory at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from polyhop.indexes.coverage import TokenCoverage
from polyhop.indexes.names import MISSING, Names, normal
from polyhop.indexes.splicing import Splice, Vocabulary, places_in
from polyhop.indexes.texts import Texts
from polyhop.layers.facts.entities import Ends, SpelledEntities, entities_of
from polyhop.layers.facts.gathered import NAMES, GatheredFacts, KeptNames
from polyhop.layers.facts.graph_parts import Parts, around_facts, entity_parts, in_order, save_parts
from polyhop.layers.facts.merging import Pair, alias_relation
from polyhop.layers.facts.stated import StatedFacts
from polyhop.layers.facts.touched import Before, Touched
from polyhop.ports import Embed, Ints


def write_changed(folder: Path, changed: ChangedGraph, came: GatheredFacts, embed: Embed) -> None:
    """Write the generation of the passages that stay and of those that came. Raises StorageFull.

    Vectors are made by the same ``embed`` as those before.
    """
    before, new = changed.before, changed.new
    parts, beside = changed.parts(embed), came.beside()
    acronyms = before.beside.acronyms_with(changed.passages, beside)
    before.beside.spliced(before.graph.numbers, changed.passages, beside).save(folder)
    before.names.spliced((changed.passages, acronyms, changed.facts), KeptNames.of(new)).save(folder / NAMES)
    save_parts(parts, folder)


def changed_graph(before: Before, came: StatedFacts, apart: Iterable[Pair]) -> ChangedGraph:
    """What passages make of the graph before that went, and those that came.

    It was gathered with the same pairs ``apart``, and with names joined by name and by alias only.
    """
    new = came.naming([normal(name) for name in came.names])
    touched = Touched.of(before, new)
    old = _touched_facts(before, touched)
    return ChangedGraph(before, touched, new, entities_of(_ends(before, touched, new, old), apart), old)


def _touched_facts(before: Before, touched: Touched) -> tuple[Ints, Ints]:
    """The facts that stay whose head, and those whose tail is touched; ascending."""
    graph = before.graph
    facts = graph.touching(np.flatnonzero(touched.entities).tolist())
    heads, tails = (facts[touched.entities[ends[facts]]] for ends in (graph.heads, graph.tails))
    return heads, tails


def _ends(before: Before, touched: Touched, new: StatedFacts, old: tuple[Ints, Ints]) -> Ends:
    """The ends that a change touches: heads and tails of facts that stay, then those of facts that come."""
    graph, beside, rows = before.graph, before.beside, len(before.graph.numbers)
    entities = np.flatnonzero(touched.entities)
    spellings = [graph.aliases[entity].split("\n") for entity in entities.tolist()]
    names: dict[str, int] = {}
    name, new_name = _numbered(names, (one for each in spellings for one in each)), _numbered(names, new.names)
    labels: dict[str, int] = {}
    label, new_label = _numbered(labels, graph.kinds.all()), _numbered(labels, new.labels)
    first = np.zeros(len(graph), np.int64)
    first[entities] = np.cumsum([0, *map(len, spellings)])[:-1]
    sides = list(zip(old, (graph.heads, graph.tails), (0, 1), strict=True))
    return Ends(
        names=list(names),
        bases=[normal(one) for one in names],
        labels=list(labels),
        name=np.concatenate(
            [
                *(name[first[ends[facts]] + graph.spelled[facts, side]] for facts, ends, side in sides),
                *(new_name[ends] for ends in (new.heads, new.tails)),
            ]
        ),
        label=np.concatenate(
            [
                *(label[graph.labelled[facts, side]] for facts, _, side in sides),
                *new_label[new.labelled].T,
            ]
        ),
        row=np.concatenate([*(graph.rows[facts] for facts in old), np.tile(rows + new.rows, 2)]),
        claims=list(_claims(before, touched, new, old)),
        title=lambda row: beside.titles[row] if row < rows else new.titles[row - rows],
        titles={*map(beside.titles.__getitem__, touched.titled.tolist()), *new.titles},
        acronyms={*map(beside.acronyms.__getitem__, touched.acronyms.tolist()), *new.acronyms},
    )


def _claims(
    before: Before, touched: Touched, new: StatedFacts, old: tuple[Ints, Ints]
) -> Iterator[tuple[int, int, str]]:
    """The claims between these ends; both ends of a fact that claims are touched, or none is."""
    graph, (heads, tails) = before.graph, old
    claims = before.names.claims
    claims = claims[graph.alive[graph.rows[claims]] & touched.entities[graph.heads[claims]]]
    ends = (np.searchsorted(heads, claims).tolist(), (len(heads) + np.searchsorted(tails, claims)).tolist())
    for fact, head, tail in zip(claims.tolist(), *ends, strict=True):
        yield head, tail, alias_relation(graph.relations[int(graph.relation_ids[fact])])
    others = len(heads) + len(tails)
    for fact, reason in new.claims:
        yield others + fact, others + len(new.heads) + fact, reason


def _numbered(numbers: dict[str, int], texts: Iterable[str]) -> Ints:
    """The number of each text, which it gets where it has none."""
    return np.array([numbers.setdefault(text, len(numbers)) for text in texts], np.int64)


@dataclass(frozen=True, eq=False)
class _Joined:
    """Sorted texts that facts have after a change, of those that facts had which stay and of those of new ones."""

    splice: Splice
    added: list[str]  # those that come
    old: Ints  # where each of those before is then
    new: Ints  # which of them facts that come have

    @classmethod
    def of(cls, before: Texts, stay: Ints, texts: Sequence[str], more: Ints) -> _Joined:
        used = np.bincount(stay.ravel(), minlength=len(before)) > 0
        ordered, which = in_order(texts, more)
        joined = Vocabulary.of(before, used, ordered)
        added = [ordered[place] for place in np.flatnonzero(joined.new).tolist()]
        places = joined.places[which[more]] if len(more) else more
        return cls(joined.splice, added, joined.splice.placed, places)

    def texts(self, before: Texts) -> Texts:
        return before.spliced(self.splice, Texts.build(self.added))


@dataclass(frozen=True, eq=False)
class ChangedGraph:
    """A graph that is made of the one before and of the entities that touched ends name."""

    before: Before
    touched: Touched
    new: StatedFacts
    ends: SpelledEntities
    old: tuple[Ints, Ints]  # the facts that stay whose head, and those whose tail is touched

    @cached_property
    def passages(self) -> Splice:
        """How passages go and come."""
        graph = self.before.graph
        return Splice(graph.alive, np.searchsorted(graph.numbers, self.new.numbers))

    @cached_property
    def facts(self) -> Splice:
        """How facts go and come."""
        rows = self.before.graph.rows
        return Splice(self.passages.stays[rows], np.searchsorted(rows, self.passages.before[self.new.rows]))

    @cached_property
    def entities(self) -> Splice:
        """How entities go and come: what is touched goes, and comes again if anything still names it."""
        return Splice(~self.touched.entities, places_in(self.before.graph.keys, self.ends.keys))

    def parts(self, embed: Embed) -> Parts:
        """What makes each part of the graph."""
        graph, new, own = self.before.graph, self.new, entity_parts(self.ends)
        passages, facts, came = self.passages, self.facts, self.entities.came
        relations = _Joined.of(graph.relations, graph.relation_ids[facts.stays], new.relations, new.relation_ids)
        kinds = _Joined.of(graph.kinds, graph.labelled[facts.stays], new.labels, new.labelled)
        vectors = np.asarray(embed(relations.added), np.float32)  # before anything is written, as in ``stated_parts``
        staying = np.where(self.entities.stays, self.entities.placed, MISSING)
        count = len(came) + int(np.count_nonzero(self.entities.stays))

        def texts(name: str) -> Callable[[], Texts]:
            return lambda: getattr(graph, name).spliced(self.entities, own[name]())

        def named(name: str) -> Callable[[], Names | TokenCoverage]:
            return lambda: getattr(graph, name).spliced(staying, replace(made := own[name](), values=came[made.values]))

        return {
            **{name: texts(name) for name in ("keys", "aliases", "reasons", "labels")},
            "relations": lambda: relations.texts(graph.relations),
            "kinds": lambda: kinds.texts(graph.kinds),
            **{name: named(name) for name in ("names", "coverage")},
            "around": lambda: around_facts(self._named(0), self._named(1), count),
            "numbers": lambda: passages.rows(graph.numbers, new.numbers),
            "heads": lambda: self._named(0),
            "tails": lambda: self._named(1),
            "relation_ids": lambda: facts.rows(relations.old[graph.relation_ids], relations.new),
            "rows": lambda: facts.rows(passages.placed[graph.rows], passages.came[new.rows]),
            "spans": lambda: facts.rows(graph.spans, new.spans),
            "confidences": lambda: facts.rows(graph.confidences, new.confidences),
            "spelled": self._spelled,
            "labelled": lambda: facts.rows(kinds.old[graph.labelled], kinds.new),
            "relation_vectors": lambda: relations.splice.rows(graph.relation_vectors, vectors),
        }

    def _spelled(self) -> Ints:
        """Which spelling of its entity stands at either side of each fact."""
        spelled = np.array(self.before.graph.spelled)
        sides = [self.at(side, self.ends.spelled) for side in (0, 1)]
        for side, (old, _) in enumerate(sides):
            spelled[self.old[side], side] = old
        return self.facts.rows(spelled, np.stack([new for _, new in sides], axis=1))

    def _named(self, side: int) -> Ints:
        """The entity at one side of each fact, the head's or the tail's."""
        old, new = self.at(side, self.ends.ends)
        entities = self.entities.placed[(self.before.graph.heads, self.before.graph.tails)[side]]
        entities[self.old[side]] = self.entities.came[old]
        return self.facts.rows(entities, self.entities.came[new])

    def at(self, side: int, of_ends: Ints) -> tuple[Ints, Ints]:
        """What is told of each end, for those at one side of facts that stay, and of facts that come."""
        heads, tails = map(len, self.old)
        starts = np.cumsum([0, heads, tails, len(self.new.heads), len(self.new.tails)])
        old, new = of_ends[starts[side] : starts[side + 1]], of_ends[starts[side + 2] : starts[side + 3]]
        return old, new
