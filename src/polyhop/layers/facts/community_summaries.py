"""What the communities of a graph are about, and which of them a question is about (StepChain, Eq. 5 and 10)."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from polyhop.indexes.central import central
from polyhop.indexes.ranking import best
from polyhop.layers.facts.communities import FOLDER, Community
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.layers.summaries.central_sentences import NAME
from polyhop.layers.summaries.summariser import Summariser, WantedSummary
from polyhop.ports import Embed, Floats, Ints, LanguageModel
from polyhop.prompts.summarise import PROMPT_VERSION
from polyhop.store.summary_store import Stored, SummaryStore
from polyhop.types import Passage

logger = logging.getLogger(__name__)

EVIDENCE: Final = 40  # sentences that a summary is made of, at most
SENTENCES: Final = 4  # of a summary that is made of sentences
NAMED: Final = 6  # entities that stand for a community, at most
MAX_TOKENS: Final = 300  # of a summary that a language model writes
_BATCH: Final = 64  # communities whose evidence is read, and whose summaries by sentences are stored, at once
_READ: Final = 2  # times as much evidence is read as is used, so that sentences with names can be preferred

Passages = Callable[[Sequence[int]], Sequence[Passage]]  # passages by number, in the order given


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a community is about."""

    names: tuple[str, ...]  # of the entities that most of its facts are about, the first the most
    text: str

    @property
    def line(self) -> str:
        """The summary below its names, as one line."""
        return f"{', '.join(self.names)}: {self.text}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Summaries:
    """The summaries of a graph's communities."""

    summaries: tuple[Summary, ...]  # in the order of the communities
    vectors: Floats  # unit, of shape (summaries, dimensions)
    made: int  # how many of them are new
    left: int  # how many communities worth a summary have none
    why: str  # no more were made; empty where all were tried

    def relevant(self, question: Floats, k: int) -> list[tuple[Summary, float]]:
        """At most k summaries with their cosines with a question's unit vector, the nearest first; none below 0."""
        cosines = self.vectors @ question
        nearest = best(cosines, k).tolist()
        return [(self.summaries[row], float(cosines[row])) for row in nearest if cosines[row] >= 0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Told:
    """A sentence that states facts of a community."""

    number: int  # of its passage
    title: str
    sentence: str  # on one line
    facts: tuple[int, ...]
    spelled: bool  # whether it spells both ends of one of them: "She was born there" says little by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class _Evidence:
    """What a community's summary is made of."""

    community: Community
    names: tuple[str, ...]
    told: tuple[_Told, ...]  # in the order of the passages
    vectors: Floats  # of the sentences, unit: which entities each one joins

    def most_central(self) -> str:
        """The sentences that join what most others join, with names where there are enough of these."""
        rows = [row for row, one in enumerate(self.told) if one.spelled]
        rows = rows if len(rows) >= SENTENCES else list(range(len(self.told)))
        picks = sorted(rows[pick] for pick in central(self.vectors[rows], SENTENCES).tolist())
        return " ".join(dict.fromkeys(self.told[row].sentence for row in picks))

    @property
    def passages(self) -> tuple[int, ...]:
        """The numbers of the passages that say it."""
        return tuple(dict.fromkeys(one.number for one in self.told))

    def wanted(self) -> WantedSummary:
        """What a language model is asked for: for each passage it sees one text, its title and what it says."""
        said: dict[int, list[str]] = {}
        for one in self.told:
            said.setdefault(one.number, [one.title] if one.title else []).append(one.sentence)
        texts = ["\n".join(lines) for lines in said.values()]
        return WantedSummary(key=self.community.key, texts=texts, passages=self.passages, about=", ".join(self.names))


class CommunitySummaries:
    """Makes the summaries that are not there yet: with a language model or, without one, of the evidence itself."""

    def __init__(self, store: SummaryStore, embed: Embed, model: LanguageModel | None = None) -> None:
        self._store = store
        self._embed = embed
        self._model = model

    @classmethod
    def open(
        cls, folder: Path | None, embed: Embed, model: LanguageModel | None = None, *, live: Ints | None = None
    ) -> Self:
        """For the index in a folder, which need not be writable; None: nothing is stored.

        ``live``: the numbers of all passages; what was made of others is removed.
        """
        by = NAME if model is None else f"{model.name}:{PROMPT_VERSION}"
        return cls(SummaryStore.open(None if folder is None else folder / FOLDER, by, live), embed, model)

    def of(
        self, graph: GrownGraph, communities: Sequence[Community], passages: Passages, *, most: int | None = None
    ) -> Summaries:
        """The summaries of those communities that are worth one; what lacks is made and stored, in their order.

        ``most``: new ones, at most. Where the language model cannot be asked any more, or its caps are reached, what
        was made by then is kept, and the others are left.
        """
        worth = [one for one in communities if one.is_worth_a_summary]
        self._store.refresh()
        lacking = [one for one in worth if self._store.get(one.key) is None]
        tried = lacking if most is None else lacking[:most]
        why = self._make(graph, tried, passages) if tried else ""
        found = [(one, text) for one in worth if (text := self._store.get(one.key))]
        summaries = tuple(Summary(names=_names(graph, one), text=text) for one, text in found)
        return Summaries(
            summaries=summaries,
            vectors=self._embed([one.line for one in summaries]),
            made=sum(bool(self._store.get(one.key)) for one in tried),
            left=len(worth) - len(found),
            why=why or ("as many as may be made at once are made" if len(tried) < len(lacking) else ""),
        )

    def _make(self, graph: GrownGraph, lacking: Sequence[Community], passages: Passages) -> str:
        """Make and store the summaries of communities. Returns why some may lack."""
        summariser = Summariser(self._store, self._model, MAX_TOKENS)
        for start in range(0, len(lacking), _BATCH):
            batch = list(_evidence(graph, lacking[start : start + _BATCH], passages))
            if self._model is None:
                self._store.put([Stored(one.community.key, one.most_central(), one.passages) for one in batch])
                continue
            summariser.of([one.wanted() for one in batch])
            if summariser.why:
                break
            logger.info("summarised %d of %d communities", min(start + _BATCH, len(lacking)), len(lacking))
        return summariser.why


def _evidence(graph: GrownGraph, communities: Sequence[Community], passages: Passages) -> Iterator[_Evidence]:
    """The evidence of each community; passages that several have are read once."""
    spans = [_spans(graph, one) for one in communities]
    numbers = sorted({number for chosen in spans for number, _, _ in chosen})
    read = dict(zip(numbers, passages(numbers), strict=True))
    for community, chosen in zip(communities, spans, strict=True):
        told = [_told(graph, read[span[0]], span, facts) for span, facts in chosen.items()]
        best = sorted(range(len(told)), key=lambda place: not told[place].spelled)[:EVIDENCE]
        used = [told[place] for place in sorted(best, key=list(chosen).__getitem__)]
        vectors = _vectors(graph, community, [one.facts for one in used])
        yield _Evidence(community=community, names=_names(graph, community), told=tuple(used), vectors=vectors)


def _spans(graph: GrownGraph, community: Community) -> dict[tuple[int, int, int], tuple[int, ...]]:
    """Where facts of a community are stated, with these facts; what states most about its busiest entities first."""
    heads, tails = (ends.tolist() for ends in graph.ends(np.array(community.facts, np.int64)))
    degrees = Counter([*heads, *tails])
    weights: Counter[tuple[int, int, int]] = Counter()
    facts: dict[tuple[int, int, int], tuple[int, ...]] = {}
    for fact, head, tail in zip(community.facts, heads, tails, strict=True):
        span = graph.place(fact)
        weights[span] += degrees[head] + degrees[tail]
        facts[span] = (*facts.get(span, ()), fact)
    ranked = sorted(weights, key=lambda span: (-weights[span], span))
    return {span: facts[span] for span in ranked[: _READ * EVIDENCE]}


def _told(graph: GrownGraph, passage: Passage, span: tuple[int, int, int], facts: tuple[int, ...]) -> _Told:
    number, start, end = span
    sentence = " ".join(passage.text[start:end].split())
    ends = [(fact.head, fact.tail) for fact in map(graph.fact, facts)]
    spelled = any(head in sentence and tail in sentence for head, tail in ends)
    return _Told(number=number, title=passage.title, sentence=sentence, facts=facts, spelled=spelled)


def _vectors(graph: GrownGraph, community: Community, facts: Sequence[tuple[int, ...]]) -> Floats:
    """For each sentence with its facts how often each entity of the community is an end of these, as a unit vector."""
    columns = {entity: column for column, entity in enumerate(community.entities)}
    vectors = np.zeros((len(facts), len(columns)), np.float32)
    for row, own in enumerate(facts):
        for ends in graph.ends(np.array(own, np.int64)):
            for entity in ends.tolist():
                vectors[row, columns[entity]] += 1
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _names(graph: GrownGraph, community: Community) -> tuple[str, ...]:
    """The names of the entities that most facts of a community are about; equals by their keys."""
    heads, tails = graph.ends(np.array(community.facts, np.int64))
    degrees = Counter([*heads.tolist(), *tails.tolist()])
    least = sorted(degrees.values())[-NAMED:][0]
    busiest = [(-degree, graph.entity(place)) for place, degree in degrees.items() if degree >= least]
    busiest.sort(key=lambda one: (one[0], one[1].key))
    return tuple(entity.name for _, entity in busiest[:NAMED])
