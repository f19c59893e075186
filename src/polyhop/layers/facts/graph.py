"""The fact graph as arrays: entities with all their spellings, and the facts between them with where each is stated.

The arrays are the same whether they are in memory (a graph of a few passages) or mapped from a generation on disk.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from polyhop.errors import IndexCorrupt
from polyhop.indexes.adjacency import Adjacency
from polyhop.indexes.coverage import Covered, TokenCoverage
from polyhop.indexes.mentions import Mentions
from polyhop.indexes.names import Names, normal
from polyhop.indexes.segments import REBUILD, Arrays, read_arrays, write_arrays
from polyhop.indexes.texts import Texts
from polyhop.layers.facts import merging
from polyhop.layers.facts.merging import Claim, Keys, Known, Pair, Similarity
from polyhop.ports import Bools, Floats, Ints
from polyhop.types import Entity, Fact, Passage

FORMAT_VERSION = 1  # raise it when the same facts would give other arrays (also when merging changes)
TITLE = "TITLE"  # the label of a passage's title
MOST_TIED = 16  # names whose nearness is asked for where more anchors are equally good than are wanted

Embed = Callable[[Sequence[str]], Floats]  # unit vectors, float32 of shape (len(texts), d)
Nearness = Callable[[Sequence[str]], Floats]  # the cosine of a surface form with each name
Stated = tuple[int, Passage, Sequence[Fact]]  # a passage's number, the passage, and the facts it states

_ARRAYS = (
    *("numbers", "heads", "tails", "relation_ids", "rows", "spans", "confidences", "spelled", "labelled"),
    "relation_vectors",
)
_TEXTS = ("relations", "keys", "aliases", "reasons", "labels", "kinds")


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
        gathered = Gathered.of(facts, frozenset(apart))
        return graph_of(gathered, _spelled_out(gathered, similarity), embed)

    def save(self, folder: Path) -> None:
        """Write the graph as a folder. Raises StorageFull."""
        for name in _TEXTS:
            getattr(self, name).save(folder / name)
        self.names.save(folder / "names")
        self.coverage.save(folder / "coverage")
        self.around.save(folder / "around")
        write_arrays(
            folder / "facts", {name: getattr(self, name) for name in _ARRAYS}
        )  # last: it says that all is there

    @classmethod
    def open(cls, folder: Path, live: Ints) -> FactGraph:
        """A graph that was saved, without passages that are not live any more. Raises IndexCorrupt."""
        arrays: dict[str, Any] = read_arrays(folder / "facts", _ARRAYS)
        texts: dict[str, Any] = {name: Texts.open(folder / name) for name in _TEXTS}
        graph = cls(
            folder=folder,
            alive=np.isin(arrays["numbers"], live),
            names=Names.open(folder / "names"),
            coverage=TokenCoverage.open(folder / "coverage"),
            around=Adjacency.open(folder / "around"),
            **texts,
            **arrays,
        )
        if not graph._is_coherent():
            raise IndexCorrupt(
                f"{folder} is damaged: its parts do not belong together.",
                remedy=REBUILD,
            )
        return graph

    def _is_coherent(self) -> bool:
        ends = np.concatenate([self.heads, self.tails])
        bounds = ((ends, len(self)), (self.relation_ids, len(self.relations)), (self.rows, len(self.numbers)))
        return (
            len({len(getattr(self, name)) for name in ("keys", "aliases", "reasons", "labels", "around")}) == 1
            and len({len(getattr(self, name)) for name in _ARRAYS[1:-1]}) == 1
            and len(self.relations) == len(self.relation_vectors)
            and all(not len(ids) or 0 <= ids.min() <= ids.max() < bound for ids, bound in bounds)
        )

    def __len__(self) -> int:
        return len(self.keys)

    @property
    def counts(self) -> dict[str, int]:
        """What summaries show; ``merged``: spellings that are there by an alias or by similarity.

        ``passages``: those that state a fact.
        """
        reasons = (reason for position in range(len(self)) for reason in self.reasons[position].split("\n"))
        joined = sum(reason not in ("", merging.BY_NAME) for reason in reasons)
        sizes = {"entities": len(self), "relations": len(self.relations), "facts": len(self.heads)}
        return {**sizes, "merged": joined, "passages": len(np.unique(self.rows))}

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

    @cached_property
    def _live_entities(self) -> Bools | None:
        """Which entities a live fact has; None for all."""
        if self.alive.all():
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
        facts = self.touching([entity])
        titled = [position for position in range(len(self.kinds)) if self.kinds[position] == TITLE]
        leads = (self.heads[facts] == entity) & np.isin(self.labelled[facts, 0], titled)
        return self.passages_of(facts[leads])

    def passages_of(self, facts: Ints) -> list[int]:
        """The numbers of the passages that state the facts, once each, in the order of the facts."""
        rows = self.rows[facts]
        return list(dict.fromkeys(self.numbers[rows[self.alive[rows]]].tolist()))


@dataclass(frozen=True)
class Gathered:
    """What one pass over all passages collects."""

    numbers: list[int]
    facts: list[tuple[int, Fact, str, str]]  # row, fact, key of its head, key of its tail
    known: dict[str, Known]
    claims: set[Claim]
    titled: set[str]
    apart: frozenset[Pair]

    @classmethod
    def of(cls, stated: Iterable[Stated], apart: frozenset[Pair]) -> Gathered:
        """What passages state; ``apart``: keys that are never one entity."""
        passages: list[tuple[int, str, Sequence[Fact]]] = []
        short_forms: set[tuple[str, str]] = set()
        for number, passage, facts in stated:
            passages.append((number, passage.title, facts))
            short_forms.update(merging.acronyms(passage.title), merging.acronyms(passage.text))
        passages.sort(key=lambda item: item[0])
        ends = ((end, title) for _, title, facts in passages for fact in facts for end in (fact.head, fact.tail))
        common = {end for end, title in ends if end.islower() and end not in title.lower()}
        keys = Keys.build((title for _, title, _ in passages), apart, common)
        claims = {Claim(keys.key(name, ""), keys.key(short, ""), merging.ACRONYM) for name, short in short_forms}
        titled = {keys.key(title, title) for _, title, _ in passages}
        gathered = cls([number for number, _, _ in passages], [], defaultdict(Known), claims, titled, apart)
        for row, (_, title, facts) in enumerate(passages):
            for fact in facts:
                gathered._add(row, fact, keys.key(fact.head, title), keys.key(fact.tail, title))
        return gathered

    def _add(self, row: int, fact: Fact, head: str, tail: str) -> None:
        if not head or not tail:
            return
        self.facts.append((row, fact, head, tail))
        for key, name, label in ((head, fact.head, fact.head_label), (tail, fact.tail, fact.tail_label)):
            self.known[key].spellings[one_line(name)] += 1
            self.known[key].labels[label] += 1
            self.known[key].rows.add(row)
        reason = merging.alias_relation(fact.relation)
        if reason and merging.states_alias(reason, fact.head, fact.tail, fact.tail_label):
            self.claims.add(Claim(head, tail, reason))


class SpelledEntities(NamedTuple):
    """The entities, in order, with what their arrays hold."""

    keys: list[str]
    entity_of: dict[str, int]  # every key -> entity
    spellings: list[list[str]]
    reasons: list[list[str]]
    labels: list[str]


def _spelled_out(gathered: Gathered, similarity: Similarity | None) -> SpelledEntities:
    """Keys joined to entities."""
    known = gathered.known
    joined = merging.merged(known, gathered.claims, titled=gathered.titled, apart=gathered.apart, similarity=similarity)
    members: dict[str, list[str]] = defaultdict(list)
    for key in sorted(joined, key=lambda key: (key != joined[key][0], key)):  # an entity's own key comes first
        members[joined[key][0]].append(key)
    keys = sorted(members)
    entity_of = {key: place for place, own in enumerate(keys) for key in members[own]}
    spellings, reasons, labels = [], [], []
    for own in keys:
        counts: Counter[str] = Counter()
        why: dict[str, str] = {}
        kinds: Counter[str] = Counter()
        for key in members[own]:
            counts.update(known[key].spellings)
            kinds.update(known[key].labels)
            for spelling in known[key].spellings:
                why.setdefault(spelling, joined[key][1] or merging.BY_NAME)
        name = _name(own, known[own])
        others = sorted(counts.keys() - {name}, key=lambda spelling: (-counts[spelling], spelling))
        spellings.append([name, *others])
        reasons.append(["", *(why[spelling] for spelling in others)])
        labels.append(merging.informative(kinds))
    return SpelledEntities(keys, entity_of, spellings, reasons, labels)


def _name(key: str, known: Known) -> str:
    """The most frequent spelling; with its brackets where they tell it from another entity."""
    exact = {spelling: count for spelling, count in known.spellings.items() if merging.spelled_key(spelling) == key}
    return Known(Counter(exact)).name if "(" in key and exact else known.name


def graph_of(gathered: Gathered, entities: SpelledEntities, embed: Embed) -> FactGraph:
    """The graph of facts whose entities are known, in memory."""
    relations = sorted({one_line(fact.relation) for _, fact, _, _ in gathered.facts})
    kinds = sorted({label for _, fact, _, _ in gathered.facts for label in (fact.head_label, fact.tail_label)})
    arrays = _arrays(gathered, entities, relations, kinds)
    rows = [(spelling, place) for place, spellings in enumerate(entities.spellings) for spelling in spellings]
    named = dict(entities.entity_of)
    for of_spelling in (merging.spelled_key, normal):  # a key's own entity before one that is also so spelled
        for spelling, place in rows:
            named.setdefault(of_spelling(spelling), place)
    facts = np.arange(len(arrays["heads"]), dtype=np.int64)
    pairs = np.concatenate([np.stack([arrays[end], facts], axis=1) for end in ("heads", "tails")])
    return FactGraph(
        folder=None,
        alive=np.ones(len(gathered.numbers), np.bool_),
        relation_vectors=np.asarray(embed(relations), np.float32),
        relations=Texts.build(relations),
        keys=Texts.build(entities.keys),
        aliases=Texts.build(["\n".join(spellings) for spellings in entities.spellings]),
        reasons=Texts.build(["\n".join(reasons) for reasons in entities.reasons]),
        labels=Texts.build(entities.labels),
        kinds=Texts.build(kinds),
        names=Names.build(list(named), np.array(list(named.values()), np.int64)),
        coverage=TokenCoverage.build([row[0] for row in rows], np.array([row[1] for row in rows], np.int64)),
        around=Adjacency.build(pairs, len(entities.keys)),
        **arrays,
    )


def _arrays(gathered: Gathered, entities: SpelledEntities, relations: Sequence[str], kinds: Sequence[str]) -> Arrays:
    """What is kept of each fact."""
    relation_ids = {relation: place for place, relation in enumerate(relations)}
    kind_ids = {kind: place for place, kind in enumerate(kinds)}
    which = [{spelling: place for place, spelling in enumerate(spellings)} for spellings in entities.spellings]
    table = []
    for row, fact, head_key, tail_key in gathered.facts:
        head, tail = entities.entity_of[head_key], entities.entity_of[tail_key]
        spelled = which[head][one_line(fact.head)], which[tail][one_line(fact.tail)]
        labelled = kind_ids[fact.head_label], kind_ids[fact.tail_label]
        table.append(
            (row, head, relation_ids[one_line(fact.relation)], tail, fact.start, fact.end, *spelled, *labelled)
        )
    columns = np.array(table, np.int64).reshape(-1, 10).T.copy()
    return {
        "numbers": np.array(gathered.numbers, np.int64),
        "rows": columns[0],
        "heads": columns[1],
        "relation_ids": columns[2],
        "tails": columns[3],
        "spans": columns[4:6].T.copy(),
        "spelled": columns[6:8].T.copy(),
        "labelled": columns[8:].T.copy(),
        "confidences": np.array([fact.confidence for _, fact, _, _ in gathered.facts], np.float32),
    }


def one_line(text: str) -> str:
    """White space as single spaces: spellings are kept one a line."""
    return " ".join(text.split())
