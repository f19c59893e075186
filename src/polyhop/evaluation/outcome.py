"""What a strategy made of a question, and how good it was."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from polyhop.evaluation.dataset import Question
from polyhop.plans import Step
from polyhop.types import Cost, Evidence, Hop, HopStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueOutcome:
    """A clue that a hop shows: it leads to the hop's passages."""

    entity: str
    relation: str
    direction: Literal["forward", "reverse"]
    tail: str | None = None  # the entity at the other end, where clues are triples


@dataclass(frozen=True, slots=True, kw_only=True)
class HopOutcome:
    """What came of one hop."""

    status: HopStatus
    placeholder: str | None = None  # what it was to find a value for; None: it binds nothing
    found: str | None = None  # the value that it bound, or what it handed on
    passages: tuple[str, ...] = ()  # ids of its evidence, and of the passages that state its facts, once each
    facts: int = 0  # how many facts it shows
    clues: tuple[ClueOutcome, ...] = ()
    query: str = ""  # what was translated into its clues

    @classmethod
    def of(cls, hop: Hop) -> HopOutcome:
        """What the bench keeps of a hop."""
        passages = (*(passage.id for passage in hop.passages), *(fact.passage_id for fact in hop.facts))
        return cls(
            status=hop.status,
            placeholder=hop.placeholder,
            found=hop.found,
            passages=tuple(dict.fromkeys(passages)),
            facts=len(hop.facts),
            clues=tuple(
                ClueOutcome(entity=clue.entity, relation=clue.relation, direction=clue.direction, tail=clue.tail)
                for clue in hop.clues
            ),
            query=hop.question if hop.clues else "",
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of asking one question."""

    ranking: tuple[str, ...] = ()  # passage ids, best first, without repetition
    context: int = 0  # tokens of these passages, with their titles
    texts: tuple[str, ...] = ()  # title and text of the same passages, as long as metrics judge: not kept
    answer: str | None = None  # None: abstained, not read, or failed
    quotations: tuple[str, ...] = ()  # what is cited, word for word
    confidence: float | None = None  # 0 to 1; None where nothing was read
    read: bool = True  # False: passages were searched and no answer was asked for
    seconds: float = 0.0  # on the wall clock
    cost: Cost = Cost()
    hops: tuple[HopOutcome, ...] = ()
    plan: tuple[tuple[int, ...], ...] = ()  # of each step of the plan that the hops follow, the steps it refers to
    steps: tuple[str, ...] = ()  # the same steps in words, as they were planned
    error: str | None = None  # why there is neither ranking nor answer


def plan_followed(evidence: Evidence) -> tuple[tuple[int, ...], ...]:
    """The references of the plan's steps; none where no hop answers a step, and the plan is the reader's alone."""
    return tuple(step.refers_to for step in _followed(evidence))


def steps_followed(evidence: Evidence) -> tuple[str, ...]:
    """The same steps in words, each with its constraints behind it where it has any: these are what is looked up."""
    return tuple(_in_words(step) for step in _followed(evidence))


def _followed(evidence: Evidence) -> tuple[Step, ...]:
    if evidence.plan is None or all(hop.step is None for hop in evidence.hops):
        return ()
    return evidence.plan.steps


def _in_words(step: Step) -> str:
    patterns = "; ".join(one.linearised() for one in step.constraints)
    return f"{step.question} ({patterns})" if patterns else step.question


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionRecord:
    """An outcome with its metrics; None where a metric does not apply to the question."""

    question: Question
    outcome: Outcome
    metrics: Mapping[str, float | None]
    again: tuple[Outcome, ...] = ()  # what came of it in further runs; the metrics are then means over all of them
    judging: Cost | None = None  # of metrics that ask a language model, apart from the outcome's; None: none does
