"""What the communities of a graph are about, and which of them a question is about (StepChain, Eq. 5 and 10)."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import numpy as np

from polyhop.errors import BudgetExceeded, EndpointError, ModelError, PolyhopError
from polyhop.indexes.central import central
from polyhop.indexes.ranking import best
from polyhop.layers.communities import FOLDER, Community, Joined
from polyhop.layers.facts_index import Embed
from polyhop.layers.summary_store import Kept, SummaryStore
from polyhop.ports import Floats, Ints, LanguageModel
from polyhop.tasks.summarise import PROMPT_VERSION, summarise
from polyhop.types import Cost, Passage

logger = logging.getLogger(__name__)

BY_SENTENCES: Final = "central sentences 1"  # the maker; another number when it would choose others
EVIDENCE: Final = 40  # sentences that a summary is made of, at most
SENTENCES: Final = 4  # of a summary that is made of sentences
NAMED: Final = 6  # entities that stand for a community, at most
MAX_TOKENS: Final = 300  # of a summary that a language model writes
_BATCH: Final = 64  # communities whose evidence is read, and whose summaries by sentences are stored, at once
_ABOUT_REQUEST: Final = (400, 413, 422)  # answers of an endpoint that concern the one request
_REFUSED: Final = 3  # requests in a row: so many are the endpoint's fault, not the communities'
_READ: Final = 2  # times as much evidence is read as is used, so that sentences with names can be preferred

Passages = Callable[[Sequence[int]], Sequence[Passage]]  # passages by number, in the order given


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What a community is about."""

    community: Community
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
    cost: Cost

    def relevant(self, question: Floats, k: int, *, least: float = 0.0) -> list[tuple[Summary, float]]:
        """At most k summaries with their cosines with a question's unit vector, the nearest first.

        ``least``: a cosine that none of them is below.
        """
        cosines = self.vectors @ question
        nearest = best(cosines, k).tolist()
        return [(self.summaries[row], float(cosines[row])) for row in nearest if cosines[row] >= least]


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

    def by_passage(self) -> list[str]:
        """For each passage one text: its title and what it says."""
        said: dict[int, list[str]] = {}
        for one in self.told:
            said.setdefault(one.number, [one.title] if one.title else []).append(one.sentence)
        return ["\n".join(lines) for lines in said.values()]

    def kept(self, text: str) -> Kept:
        """A summary as it is stored."""
        return Kept(self.community.key, text, tuple(dict.fromkeys(one.number for one in self.told)))


class Summariser:
    """Makes the summaries that are not there yet: with a language model or, without one, of the evidence itself."""

    def __init__(self, store: SummaryStore, embed: Embed, model: LanguageModel | None = None) -> None:
        self._store = store
        self._embed = embed
        self._model = model
        self._hopeless: set[str] = set()  # keys that the model gave nothing usable for: not asked again here

    @classmethod
    def open(
        cls, folder: Path | None, embed: Embed, model: LanguageModel | None = None, *, live: Ints | None = None
    ) -> Self:
        """For the index in a folder, which need not be writable; None: nothing is stored.

        ``live``: the numbers of all passages; what was made of others is removed.
        """
        by = BY_SENTENCES if model is None else f"{model.name}:{PROMPT_VERSION}"
        return cls(SummaryStore.open(None if folder is None else folder / FOLDER, by, live), embed, model)

    def of(
        self, graph: Joined, communities: Sequence[Community], passages: Passages, *, most: int | None = None
    ) -> Summaries:
        """The summaries of those communities that are worth one; what lacks is made and stored, in their order.

        ``most``: new ones, at most. Where the language model cannot be asked any more, or its caps are reached, what
        was made by then is kept, and the others are left.
        """
        worth = [one for one in communities if one.is_worth_a_summary]
        self._store.refresh()
        lacking = [one for one in worth if self._store.get(one.key) is None and one.key not in self._hopeless]
        tried = lacking if most is None else lacking[:most]
        why, cost = self._make(graph, tried, passages) if tried else ("", Cost())
        found = [(one, text) for one in worth if (text := self._store.get(one.key)) is not None]
        summaries = tuple(Summary(community=one, names=_names(graph, one), text=text) for one, text in found)
        return Summaries(
            summaries=summaries,
            vectors=self._embed([one.line for one in summaries]),
            made=sum(self._store.get(one.key) is not None for one in tried),
            left=len(worth) - len(found),
            why=why or ("as many as may be made at once are made" if len(tried) < len(lacking) else ""),
            cost=cost,
        )

    def _make(self, graph: Joined, lacking: Sequence[Community], passages: Passages) -> tuple[str, Cost]:
        """Make and store the summaries of communities. Returns why some may lack, and the cost."""
        writing = None if self._model is None else _Writing(self._model, self._store)
        for start in range(0, len(lacking), _BATCH):
            batch = list(_evidence(graph, lacking[start : start + _BATCH], passages))
            if writing is None:
                self._store.put([evidence.kept(evidence.most_central()) for evidence in batch])
            elif not writing.write(batch):
                break
            logger.info("summarised %d of %d communities", min(start + _BATCH, len(lacking)), len(lacking))
        if writing is None:
            return "", Cost()
        self._hopeless |= {key for key in writing.answered if self._store.get(key) is None}
        return writing.why, writing.cost


class _Writing:
    """A language model that writes summaries until it cannot be asked any more; each is stored when it is there."""

    def __init__(self, model: LanguageModel, store: SummaryStore) -> None:
        self._model = model
        self._store = store
        self._lock = threading.Lock()
        self._fault: PolyhopError | None = None
        self._refused = 0  # requests in a row
        self.answered: set[str] = set()  # the keys of communities, whatever became of them
        self.cost = Cost()

    @property
    def why(self) -> str:
        """Why it cannot be asked any more; empty where it can."""
        return "" if self._fault is None else str(self._fault)

    def write(self, batch: Sequence[_Evidence]) -> bool:
        """Summarise each; whether the model can be asked for more.

        Caps count what calls under way may consume at most. So what finds no room beside others is tried again alone.
        """
        at_once = min(int(getattr(self._model, "concurrency", 1)), len(batch))
        if at_once > 1:
            with ThreadPoolExecutor(at_once) as pool:
                list(pool.map(self._attempt, batch))
            if isinstance(self._fault, BudgetExceeded):
                self._fault = None
        for evidence in batch:
            if evidence.community.key not in self.answered:
                self._attempt(evidence)
        return self._fault is None

    def _attempt(self, evidence: _Evidence) -> None:
        if self._fault is not None:
            return
        about = ", ".join(evidence.names)
        text, cost = "", Cost()
        try:
            text, cost = summarise(self._model, evidence.by_passage(), about=about, max_tokens=MAX_TOKENS)
        except EndpointError as error:
            if error.status not in _ABOUT_REQUEST or self._is_refused():
                self._stop(error)
                return
            logger.warning("The community of %s is not summarised: %s", about, error)
        except (BudgetExceeded, ModelError) as error:
            self._stop(error)
            return
        else:
            self._refused = 0
        with self._lock:
            self.cost += cost
            self.answered.add(evidence.community.key)
        if text:
            self._store.put([evidence.kept(text)])

    def _is_refused(self) -> bool:
        """Whether so many requests in a row were refused that others would be, too."""
        with self._lock:
            self._refused += 1
            return self._refused >= _REFUSED

    def _stop(self, error: PolyhopError) -> None:
        with self._lock:
            self._fault = self._fault or error


def _evidence(graph: Joined, communities: Sequence[Community], passages: Passages) -> Iterator[_Evidence]:
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


def _spans(graph: Joined, community: Community) -> dict[tuple[int, int, int], tuple[int, ...]]:
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


def _told(graph: Joined, passage: Passage, span: tuple[int, int, int], facts: tuple[int, ...]) -> _Told:
    number, start, end = span
    sentence = " ".join(passage.text[start:end].split())
    ends = [(fact.head, fact.tail) for fact in map(graph.fact, facts)]
    spelled = any(head in sentence and tail in sentence for head, tail in ends)
    return _Told(number=number, title=passage.title, sentence=sentence, facts=facts, spelled=spelled)


def _vectors(graph: Joined, community: Community, facts: Sequence[tuple[int, ...]]) -> Floats:
    """For each sentence with its facts how often each entity of the community is an end of these, as a unit vector."""
    columns = {entity: column for column, entity in enumerate(community.entities)}
    vectors = np.zeros((len(facts), len(columns)), np.float32)
    for row, own in enumerate(facts):
        for ends in graph.ends(np.array(own, np.int64)):
            for entity in ends.tolist():
                vectors[row, columns[entity]] += 1
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def _names(graph: Joined, community: Community) -> tuple[str, ...]:
    """The names of the entities that most facts of a community are about; equals by their keys."""
    heads, tails = graph.ends(np.array(community.facts, np.int64))
    degrees = Counter([*heads.tolist(), *tails.tolist()])
    least = sorted(degrees.values())[-NAMED:][0]
    busiest = [(-degree, graph.entity(place)) for place, degree in degrees.items() if degree >= least]
    busiest.sort(key=lambda one: (one[0], one[1].key))
    return tuple(entity.name for _, entity in busiest[:NAMED])
