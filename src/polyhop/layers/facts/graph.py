"""The fact graph as arrays: entities with all their spellings, and the facts between them with where each is stated.

The arrays are the same whether they are in memory (a graph of a few passages) or mapped from a generation on disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from polyhop.indexes import digests
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import Covered, TokenCoverage
from polyhop.indexes.csr import offsets
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import Names, normal
from polyhop.indexes.segments import Live, alive_among, check_fit, read_arrays
from polyhop.indexes.texts import Texts
from polyhop.layers.facts import merging
from polyhop.layers.facts.entities import SpelledEntities, spelled_entities
from polyhop.layers.facts.graph_parts import ARRAYS, FOLDERS, TEXTS, save_parts, stated_parts
from polyhop.layers.facts.merging import Pair, Similarity
from polyhop.layers.facts.stated import Stated, StatedFacts
from polyhop.ports import Bools, Embed, Floats, Ints
from polyhop.types import Entity, Fact

FORMAT_VERSION = 2  # raise it when the same facts would give other arrays (also when merging changes)
TITLE = "TITLE"  # the label of a passage's title
MOST_TIED = 16  # names whose nearness is asked for where more anchors are equally good than are wanted

_JOINED = re.compile(rb"\n(?!%b(?:\n|\Z))" % merging.BY_NAME.encode())  # before another reason than a name

Nearness = Callable[[Sequence[str]], Floats]  # the cosine of a surface form with each name


@dataclass(frozen=True, kw_only=True, eq=False)
class FactGraph:
    """Entities are positions 0 to n - 1 in the order of their keys, facts positions 0 to m - 1 in passage order."""

    folder: Path | None  # None where the graph is in memory only
    alive: Bools  # False for a row whose passage was deleted since
    numbers: Ints  # passage number of each row, ascending
    heads: Ints  # fact -> entity
    tails: Ints
    relation_ids: Ints  # fact -> relation
    rows: Ints  # fact -> row into numbers, ascending
    spans: Ints  # (m, 2): the evidence, offsets into the passage's text
    confidences: Floats  # fact -> 0 to 1
    spelled: Ints  # (m, 2): which spelling of its entity stands at the head, and at the tail
    labelled: Ints  # (m, 2): which of kinds the head is in this fact, and the tail
    relation_vectors: Floats  # (relations, d), unit
    relations: Texts  # distinct, sorted
    keys: Texts  # entity -> its key
    aliases: Texts  # entity -> its spellings joined by line breaks: its name, then the others, most frequent first
    reasons: Texts  # entity -> why each spelling is there, joined likewise; empty for the name
    labels: Texts  # entity -> its most frequent label
    kinds: Texts  # distinct labels of heads and tails
    names: Names  # every normalised spelling -> entity
    coverage: TokenCoverage  # words of all spellings -> entities
    around: Adjacency  # entity -> the facts that have it as head or tail

    @classmethod
    def of(
        cls,
        facts: Iterable[Stated],
        embed: Embed,
        *,
        apart: Iterable[Pair] = (),
        similarity: Similarity | None = None,
    ) -> FactGraph:
        """The graph of some passages, in memory.

        ``embed`` makes the vectors of relations. ``apart``: keys that are never one entity. ``similarity``: how alike
        names must be to be one entity; None: they join only by name and by alias.
        """
        return graph_of(*spelled_entities(StatedFacts.of(facts), apart, similarity), embed)

    def stated(self, titles: Sequence[str], acronyms: Sequence[str], acronym_rows: Ints) -> StatedFacts:
        """What its passages state, with what of them it does not know: their titles and acronyms."""
        aliases = [spellings.split("\n") for spellings in self.aliases.all()]
        starts = offsets(map(len, aliases))
        places: dict[str, int] = {}
        names = np.array([places.setdefault(one, len(places)) for one in chain.from_iterable(aliases)], np.int64)
        return StatedFacts(
            numbers=self.numbers,
            titles=titles,
            names=list(places),
            relations=self.relations.all(),
            labels=self.kinds.all(),
            rows=self.rows,
            heads=names[starts[self.heads] + self.spelled[:, 0]],
            relation_ids=self.relation_ids,
            tails=names[starts[self.tails] + self.spelled[:, 1]],
            spans=self.spans,
            labelled=self.labelled,
            confidences=self.confidences,
            acronyms=acronyms,
            acronym_rows=acronym_rows,
        )

    def save(self, folder: Path) -> None:
        """Write the graph as a folder. Raises StorageFull."""
        save_parts({name: partial(getattr, self, name) for name in (*FOLDERS, *ARRAYS)}, folder)

    @classmethod
    def open(cls, folder: Path, live: Live) -> FactGraph:
        """A graph that was saved, without passages that are not live any more. Raises IndexCorrupt."""
        arrays: dict[str, Any] = read_arrays(folder / "facts", ARRAYS)
        texts: dict[str, Any] = {name: Texts.open(folder / name) for name in TEXTS}
        graph = cls(
            folder=folder,
            alive=alive_among(arrays["numbers"], live),
            names=Names.open(folder / "names"),
            coverage=TokenCoverage.open(folder / "coverage"),
            around=Adjacency.open(folder / "around"),
            **texts,
            **arrays,
        )
        check_fit(folder, graph._is_coherent(folder))
        return graph

    @staticmethod
    def numbers_in(folder: Path) -> Ints:
        """The passage numbers of a graph that was saved, ascending. Raises IndexCorrupt."""
        return read_arrays(folder / "facts", ("numbers",))["numbers"]

    def _is_coherent(self, folder: Path) -> bool:
        """Whether all parts fit together; that numbers are of something is looked at where somebody wrote to them."""
        bounds: list[tuple[Ints, int]] = []
        if not digests.untouched(folder / "facts"):
            bounds += [(ends, len(self)) for ends in (self.heads, self.tails)]
            bounds += [(self.relation_ids, len(self.relations)), (self.rows, len(self.numbers))]
        return (
            len({len(getattr(self, name)) for name in ("keys", "aliases", "reasons", "labels", "around")}) == 1
            and len({len(getattr(self, name)) for name in ARRAYS[1:-1]}) == 1
            and len(self.relations) == len(self.relation_vectors)
            and all(not len(ids) or 0 <= ids.min() <= ids.max() < bound for ids, bound in bounds)
        )

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def entities(self) -> Ints:
        """The positions of all entities, in the order of their keys."""
        return np.arange(len(self))

    @property
    def facts(self) -> Ints:
        """The positions of all facts, in order."""
        return np.arange(len(self.heads))

    @property
    def settled(self) -> int:
        """How many rows are not alive, of whose facts nothing is left elsewhere."""
        return 0

    @property
    def counts(self) -> dict[str, int]:
        """What summaries show; ``merged``: spellings that are there by an alias or by similarity.

        ``passages``: those that state a fact.
        """
        joined = sum(1 for _ in _JOINED.finditer(self.reasons.blob.tobytes()))
        passages = int(np.count_nonzero(np.diff(self.rows))) + bool(len(self.rows))
        sizes = {"entities": len(self), "relations": len(self.relations), "facts": len(self.heads)}
        return {**sizes, "merged": joined, "passages": passages}

    def entity(self, position: int) -> Entity:
        """An entity with all its spellings, after its name the most frequent first."""
        name, *aliases = self.aliases[position].split("\n")
        return Entity(key=self.keys[position], name=name, aliases=tuple(aliases), label=self.labels[position])

    def named_in(self, text: str, *, careful: bool = True) -> list[int]:
        """The entities whose names occur in a text, in order, once each (see ``Mentions``)."""
        return Mentions(self.names, lambda entity: self.aliases[entity].split("\n")).named_in(text, careful=careful)

    def find(self, name: str) -> int | None:
        """The entity that a name names, if any; brackets count where they tell entities apart."""
        found = self.names.find(merging.spelled_key(name))
        return self.names.find(normal(name)) if found is None else found

    def anchors(self, surface: str, k: int, nearness: Nearness | None = None) -> list[tuple[int, float]]:
        """The k entities whose names cover most words of a surface form, with the share that they cover (Eq. 3).

        Equals come in the order of their positions. Where a tie would be cut, ``nearness`` decides among at most
        MOST_TIED names; it is not called otherwise.
        """
        found = self.coverage.best(surface, k, ties=MOST_TIED, among=self._live_entities)
        if len(found) > k:
            found = self._untied(found, k, nearness)
        return [(place, share) for place, share, _ in found[:k]]

    def _untied(self, found: list[Covered], k: int, nearness: Nearness | None) -> list[Covered]:
        last = found[k - 1]
        sure = [one for one in found if (one.coverage, one.extra) != (last.coverage, last.extra)]
        tied = found[len(sure) : len(sure) + MOST_TIED]
        if nearness is None:
            return found
        cosines = nearness([self.entity(one.value).name for one in tied])
        order = sorted(range(len(tied)), key=lambda i: (-float(cosines[i]), tied[i].value))
        return [*sure, *(tied[i] for i in order), *found[len(sure) + MOST_TIED :]]

    @property
    def live(self) -> int:
        """How many facts passages state that are there."""
        return int(np.count_nonzero(self.alive[self.rows])) if self._died else self.counted["facts"]

    @property
    def counted(self) -> dict[str, int]:
        """How many entities and facts there were when it was gathered."""
        return {"entities": len(self), "facts": len(self.heads)}

    @property
    def _died(self) -> bool:
        """Whether passages went since it was gathered."""
        return int(np.count_nonzero(self.alive)) + self.settled < len(self.alive)

    @cached_property
    def _live_entities(self) -> Bools | None:
        """Which entities a live fact has; None for all."""
        if not self._died:
            return None
        live = np.zeros(len(self), np.bool_)
        facts = self.alive[self.rows]
        live[self.heads[facts]] = live[self.tails[facts]] = True
        return live

    @cached_property
    def rated(self) -> bool:
        """Whether facts differ in their confidence: rules say how sure they are of each, a language model does not."""
        return bool((self.confidences < 1).any())

    def touching(self, entities: Sequence[int]) -> Ints:
        """The live facts that have one of the entities as head or tail (Eq. 4), ascending."""
        facts = self.around.of_many(np.array(entities, np.int64))
        return facts[self.alive[self.rows[facts]]]

    def touching_each(self, entities: Sequence[int]) -> tuple[Ints, Ints]:
        """The live facts of each entity, ascending, entity after entity; and where those of each begin, and all end."""
        facts, starts = self.around.of_each(np.array(entities, np.int64))
        alive = self.alive[self.rows[facts]]
        return facts[alive], offsets(alive)[starts]

    def fact(self, position: int) -> Fact:
        """A fact with its ends as its passage spells them."""
        start, end = self.spans[position].tolist()
        ends = (int(self.heads[position]), int(self.tails[position]))
        head, tail = (
            self.aliases[entity].split("\n")[which]
            for entity, which in zip(ends, self.spelled[position].tolist(), strict=True)
        )
        head_label, tail_label = (self.kinds[kind] for kind in self.labelled[position].tolist())
        return Fact(
            head=head,
            relation=self.relations[int(self.relation_ids[position])],
            tail=tail,
            start=start,
            end=end,
            head_label=head_label,
            tail_label=tail_label,
            confidence=float(self.confidences[position]),
        )

    def place(self, position: int) -> tuple[int, int, int]:
        """Passage number, and start and end (in the passage) of the evidence of a fact."""
        start, end = self.spans[position].tolist()
        return int(self.numbers[self.rows[position]]), start, end

    def facts_of(self, number: int) -> Ints:
        """The facts that a passage states, ascending; none for a passage that is not there any more."""
        row = int(np.searchsorted(self.numbers, number))
        if row == len(self.numbers) or self.numbers[row] != number or not self.alive[row]:
            return np.empty(0, np.int64)
        start, end = np.searchsorted(self.rows, (row, row + 1)).tolist()
        return np.arange(start, end, dtype=np.int64)

    def passages_titled(self, entity: int) -> list[int]:
        """The numbers of the passages that are about an entity: it is their title and leads one of their facts."""
        return self.passages_of(self.led_as_title(entity, self.touching([entity])))

    def led_as_title(self, entity: int, facts: Ints) -> Ints:
        """Of some facts, those that an entity leads as the title of their passage."""
        titled = [position for position in range(len(self.kinds)) if self.kinds[position] == TITLE]
        led: Ints = facts[(self.heads[facts] == entity) & np.isin(self.labelled[facts, 0], titled)]
        return led

    def passages_of(self, facts: Ints) -> list[int]:
        """The numbers of the passages that state the facts, once each, in the order of the facts."""
        rows = self.rows[facts]
        return list(dict.fromkeys(self.numbers[rows[self.alive[rows]]].tolist()))


def graph_of(stated: StatedFacts, entities: SpelledEntities, embed: Embed) -> FactGraph:
    """The graph of facts whose entities are known, in memory."""
    made: dict[str, Any] = {name: make() for name, make in stated_parts(stated, entities, embed).items()}
    return FactGraph(folder=None, alive=np.ones(len(stated.numbers), np.bool_), **made)
