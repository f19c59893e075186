"""What a sub-question or a constraint may have found, told apart by where each leads (StepChain, section 3.5)."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from polyhop.indexes.names import normal, words
from polyhop.layers.view import View
from polyhop.ports import Floats, Ints
from polyhop.reading.steps import glance
from polyhop.strategies.shared.excerpt import excerpt
from polyhop.strategies.shared.fuse import fused_among, fused_each, nearest_places
from polyhop.types import Passage, Span

PAIRED = 300  # characters of each of two passages that are judged together
READ = 6  # candidates that the reader hands over
FEW = 2000  # passages that have all words of a value: so many are compared by themselves
SEARCHED = 8  # nearest passages among which those that name a value are looked for
NAMING = 2  # of them, how many a value may lead to
# In logits of the cross-encoder, which judges where a name leads: fitted on training questions (decision 58).
READING = 1.0  # for each logit of the reader's chance above that of a name that it does not point at
UNREAD = 0.005  # chance of such a name
OWN_TITLE = 2.3  # taken from what a passage is about, where it was not read
ALONE = 7.0  # taken from a name that leads nowhere but to its own passage, judged alone; less, the surer the reader is
BORNE_OUT = 3.0  # score from which three of four names were right
DOUBTED = 8.0  # score below which the whole question is asked besides
CHANCE = (0.22, -0.82)  # slope and intercept of the logistic model of whether a name is right, of its score
CHAINED = 0.5  # for a name that the best chain ends at, less for lesser chains


@dataclass(frozen=True, slots=True, kw_only=True)
class Lead:
    """A name that may answer a sub-question, where it stands, and the passage that it leads to."""

    name: str
    source: int  # passage numbers
    target: int  # the source itself where nothing else is known of the name
    logit: float  # the cross-encoder's, for both passages together
    score: float  # that, and what the reader and chains add
    span: Span | None  # the sentence that the reader found it in

    @property
    def chance(self) -> float:
        """That the name is the answer, 0 to 1."""
        slope, intercept = CHANCE
        return 1 / (1 + math.exp(-(slope * self.score + intercept)))


@dataclass(frozen=True, slots=True)
class _Value:
    """A name, where it stands, and how likely the reader holds it for the answer."""

    name: str
    source: int
    span: Span | None = None  # the sentence that the reader found it in
    chance: float = 0.0
    titled: bool = False  # the passage is about it, and it was not read

    @property
    def worth(self) -> float:
        """What it is worth in logits."""
        return _read_worth(self.chance) - (OWN_TITLE if self.titled else 0.0)

    @property
    def loses(self) -> float:
        """What is taken from it where it leads nowhere: nothing, where the reader is sure of it."""
        return ALONE * (1 - self.chance)


@dataclass(frozen=True, kw_only=True)
class Leads:
    """Finds what a sub-question may have found and judges where it leads, for the question or what is left of it."""

    question: str
    over: View
    values: int  # names that the reader gives, at most
    links: int  # names that passages and facts link to, beside those, at most
    vector: Floats = field(init=False)
    known: frozenset[str] = field(init=False)  # keys of what the question names; what is sought is described

    def __post_init__(self) -> None:
        object.__setattr__(self, "vector", self.over.vector(self.question))
        object.__setattr__(self, "known", self._named(self.question))

    def of(
        self,
        asked: str,
        sources: Sequence[int],
        linked: Callable[[int], Iterable[str]],
        next_question: Callable[[str], str],
        borne: Callable[[str], float],
        *,
        left: str = "",
    ) -> list[Lead]:
        """The leads of a sub-question that was asked of passages, best first.

        ``linked``: the names that facts join to a passage. ``next_question``: what is asked of a name next. ``borne``:
        how well chains bear a name out, 0 to 1. ``left``: what is left of the question, which is the whole of it where
        nothing is given. It judges a name together with where it leads: not only that she had a husband, but that he
        was born somewhere.
        """
        passages = dict(zip(sources, self.over.passages(sources), strict=True))
        named = self._named(asked)
        known = named | self.known
        ways: dict[tuple[int, str], _Value] = {}
        values = list(self._read(asked, passages, named))
        for value, targets in zip(values, self._targets(values, next_question), strict=True):
            for target in targets:
                ways.setdefault((target, value.name), value)
        if self.links and sources:
            first = sources[0]
            reached = {target for target, _ in ways} | {first}
            for name, target in self.linked(first, passages[first], linked(first), known, reached):
                ways.setdefault((target, name), _Value(name, first))
        return self._judged(left or self.question, ways, passages, borne)

    def beyond(self, starts: Sequence[int], linked: Callable[[int], Iterable[str]]) -> list[Lead]:
        """Where passages lead by what they name, best first: for a question that was not taken apart."""
        passages = dict(zip(starts, self.over.passages(starts), strict=True))
        ways = {
            (target, name): _Value(name, start)
            for start, passage in reversed(passages.items())
            for name, target in self.linked(start, passage, linked(start), set(), {start})
        }
        return self._judged(self.question, ways, passages, lambda _: 0.0)

    def _named(self, question: str) -> frozenset[str]:
        """Keys of the titles that a question names."""
        return frozenset(normal(title) for title, _ in self.over.text.titles.named_in(question, careful=False))

    def _read(self, asked: str, passages: dict[int, Passage], named: frozenset[str]) -> Iterator[_Value]:
        """The likeliest names that the passages give, none of them known.

        All of them are read: that he commanded a ship may stand on his page, and on the ship's who built her.
        """
        found = glance(asked, list(passages.values()), self.over.models)
        numbers = {passage.id: number for number, passage in passages.items()}
        known = named | self.known
        seen = set(known)
        for candidate in found[:READ]:
            key = normal(candidate.text)
            if key in seen or len(seen) - len(known) == self.values:
                continue
            seen.add(key)
            quote, passage = candidate.quote, candidate.quote.passage
            yield _Value(candidate.text, numbers[passage.id], quote.span, candidate.chance)
        for number, passage in list(passages.items())[:1]:  # what a passage is about may be what is asked for
            if passage.title and normal(passage.title) not in seen:
                yield _Value(passage.title, number, titled=True)

    def _targets(self, values: Sequence[_Value], next_question: Callable[[str], str]) -> list[Sequence[int]]:
        """Where each value leads: to the passage about it, or else to those that name it, or else nowhere new."""
        own = [self.nearest(self.over.text.titles.about(value.name), 1) for value in values]
        sought = [value for value, about in zip(values, own, strict=True) if not about]
        naming = self._naming(dict(zip(sought, map(self._having, sought), strict=True)), next_question)
        return [about or naming[value] for value, about in zip(values, own, strict=True)]

    def _having(self, value: _Value) -> Ints | None:
        """The passages besides the one that a name was read in that have all its words; None where words may mislead.

        An "s" may be a possessive, which search leaves out, and scripts without spaces it cuts otherwise.
        """
        said = [word for word in normal(value.name).split() if word != "s"]
        if not said or not all(word.isascii() for word in said):
            return None
        having: Ints = self.over.text.lexical.with_all(" ".join(said))
        others: Ints = having[having != value.source]
        return others

    def _naming(
        self, having: Mapping[_Value, Ints | None], next_question: Callable[[str], str]
    ) -> dict[_Value, Sequence[int]]:
        """For each value the passages nearest to what is asked next that name it; failing these, its own.

        Where few have its words, they alone are compared; else those that are nearest of all.
        """
        found: dict[_Value, list[tuple[int, float]]] = {}
        for value, among in having.items():
            if among is not None and len(among) <= FEW:
                found[value] = fused_among(next_question(value.name), self.over, SEARCHED, among) if len(among) else []
        others = [value for value in having if value not in found]
        nearest = fused_each([next_question(value.name) for value in others], self.over, SEARCHED)
        found.update(zip(others, nearest, strict=True))
        return {value: self._named_in(value, near) or [value.source] for value, near in found.items()}

    def _named_in(self, value: _Value, near: Sequence[tuple[int, float]]) -> Sequence[int]:
        """The first of some passages that have a name word by word, besides the one that it was read in."""
        numbers = [number for number, _ in near[:SEARCHED] if number != value.source]
        name = f" {normal(value.name)} "
        naming = [
            number
            for number, passage in zip(numbers, self.over.passages(numbers), strict=True)
            if name in f" {' '.join(words(f'{passage.title} {passage.text}'))} "
        ]
        return naming[:NAMING]

    def linked(
        self, source: int, passage: Passage, names: Iterable[str], without: Collection[str], reached: set[int]
    ) -> list[tuple[str, int]]:
        """The names in a passage, or at the ends of its facts, that a passage is about; those nearest to the question.

        ``without``: keys of names that lead nowhere new; ``reached``: passages that are known already.
        """
        titles = self.over.text.titles
        found: dict[int, str] = {}
        spoken = [*titles.named_in(passage.text), *((name, titles.about(name)) for name in names)]
        for name, numbers in spoken:
            if normal(name) not in without:
                found.update(
                    (number, name) for number in self.nearest(numbers, 1) if number not in reached | found.keys()
                )
        kept = self.nearest([number for number in found if number != source], self.links)
        return [(found[number], number) for number in kept]

    def nearest(self, numbers: Sequence[int], most: int) -> list[int]:
        """Of some passages those nearest to the question, in their old order."""
        numbers = list(dict.fromkeys(numbers))
        return [numbers[place] for place in nearest_places(numbers, self.vector, self.over, most)]

    def _judged(
        self,
        question: str,
        ways: dict[tuple[int, str], _Value],
        sources: dict[int, Passage],
        borne: Callable[[str], float],
    ) -> list[Lead]:
        targets = dict.fromkeys(target for target, _ in ways)
        passages = {**dict(zip(targets, self.over.passages(list(targets)), strict=True)), **sources}
        texts = [
            _together(question, value, passages[value.source], passages[target]) for (target, _), value in ways.items()
        ]
        logits = self.over.models.reranker.score(question, texts).tolist() if texts else []
        leads = [
            Lead(
                name=value.name,
                source=value.source,
                target=target,
                logit=logit,
                score=logit
                + value.worth
                + CHAINED * borne(value.name)
                - (value.loses if target == value.source else 0.0),
                span=value.span,
            )
            for ((target, _), value), logit in zip(ways.items(), logits, strict=True)
        ]
        return sorted(leads, key=lambda lead: (-lead.score, lead.target, lead.name))


def _together(question: str, value: _Value, source: Passage, target: Passage) -> str:
    if source.id == target.id:
        return excerpt(target, question, 2 * PAIRED)
    led = excerpt(source, question, PAIRED, naming=(value.name,))
    return f"{led} {excerpt(target, question, PAIRED)}"


def _read_worth(chance: float) -> float:
    """What a name that the reader points at with such a chance is worth in logits, at least 0."""
    kept = min(max(chance, UNREAD), 1 - UNREAD)
    return READING * (math.log(kept / (1 - kept)) - math.log(UNREAD / (1 - UNREAD)))
