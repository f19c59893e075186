"""The passages of a step: those that say most about it, those worth a language model's reading, and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

from polyhop.layers.view import View
from polyhop.strategies.shared.excerpt import excerpt
from polyhop.strategies.shared.fuse import fused
from polyhop.strategies.shared.judge import best_first, most_telling
from polyhop.strategies.shared.leads import Leads
from polyhop.strategies.stepchain.asked_step import AskedStep

JUDGED = 400  # characters of a passage that are judged alone
FUSED = 20  # taken from each ranking before they are fused
LATER = 0.5  # of the passages that a first step judges, how many a later one does: where it leads is known
NAMED = 4  # passages that a sub-question names, at most
PER_NAME = 2  # of one name
FRONTIER = 4  # passages that what earlier steps came to brings in, at most
CONDITIONS = 2  # chains of a step whose entities and relations are asked for
READ = 3  # passages that a language model reads before those of earlier answers and of chains


@dataclass(frozen=True, kw_only=True)
class StepPassages:
    """Finds passages for the steps of one question."""

    over: View
    leads: Leads
    retrieved: int  # that a sub-question retrieves
    named_bonus: float  # logits added to a passage that it names; 0: none is looked for by its title
    pruned: bool = True  # whether what is clearly about something else is left out of what is read

    def of(self, question: str, frontier: Sequence[AskedStep] = (), *, later: bool = False) -> list[tuple[int, float]]:
        """The passages that say most about a sub-question, best first: dense and BM25 fused, and judged.

        What the steps before came to, their frontier, is asked for beside it (3.5), and judged with it. Without a
        language model it is already: each name that a step may have found is a lead.
        """
        titles = self.over.text.titles.named_in(question, careful=False) if self.named_bonus else ()
        about = (number for _, numbers in titles for number in self.leads.nearest(numbers, PER_NAME))
        named = list(islice(about, NAMED))
        most = max(1, round(self.retrieved * LATER)) if later else self.retrieved
        near = [number for number, _ in fused(question, self.over, FUSED)[:most]]
        taken = {*named, *near}
        queries = dict.fromkeys(_frontier_query(question, one) for one in frontier)
        further = [
            [number for number, _ in fused(query, self.over, FUSED) if number not in taken][: FRONTIER // len(queries)]
            for query in queries
        ]
        numbers = list(dict.fromkeys([*named, *near, *(number for each in further for number in each)]))
        scores = self.judged(question, numbers).values()
        favoured = [score + self.named_bonus * (place < len(named)) for place, score in enumerate(scores)]
        return best_first(numbers, favoured)

    def worth_reading(self, asked: AskedStep, *, whole: bool) -> list[int]:
        """The passages that a model answers a step from: the first retrieved, then those of earlier answers and chains.

        What is clearly about something else is left out: it costs tokens, and which of such passages come first is
        chance. So is what is far behind a passage that surely tells: where that does not, the others are read next.
        What the answers before it were quoted from stays, for it may have to be quoted again. A question that was not
        taken apart needs passages that by themselves say little of it: those that its chains lead to stay.
        """
        scores = dict(asked.passages)
        first = list(scores)
        behind = [number for chain in asked.chains for number in chain.passages]
        scores |= self.judged(
            asked.question, [number for number in dict.fromkeys([*asked.cited, *behind]) if number not in scores]
        )
        telling = {*most_telling(scores), *asked.cited, *(behind if whole else ())}
        order = dict.fromkeys([*first[:READ], *asked.cited, *behind, *first])
        return [number for number in order if number in telling or not self.pruned]

    def others(self, question: str, shown: Sequence[int]) -> list[int]:
        """Further passages for a question, those that say most about it first, also what is clearly about other things.

        What is likely has been read by now, and a long passage may name the answer in passing.
        """
        numbers = [number for number, _ in fused(question, self.over, 2 * FUSED) if number not in shown]
        scores = self.judged(question, numbers)
        return [number for number, _ in best_first(list(scores), list(scores.values()))]

    def judged(self, question: str, numbers: Sequence[int]) -> dict[int, float]:
        """The cross-encoder's logit for each passage, of its beginning and what the question speaks of."""
        texts = [excerpt(passage, question, JUDGED) for passage in self.over.passages(list(numbers))]
        scores = self.over.models.reranker.score(question, texts).tolist() if texts else []
        return dict(zip(numbers, scores, strict=True))


def _frontier_query(question: str, before: AskedStep) -> str:
    """A question with what the step before it came to: its answer, and the entities and relations that tell it."""
    chains = [chain.chain for chain in before.telling() if chain.tells(before.answer)][:CONDITIONS]
    spoken = [before.answer or "", *(name for chain in chains for name in chain.entities)]
    spoken += [fact.relation for chain in chains for fact in chain.facts]
    return " ".join(dict.fromkeys([question, *filter(None, spoken)]))
