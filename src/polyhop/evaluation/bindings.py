"""Whether hops bound their placeholders to the right values (C2RAG, appendix E and Table 7).

The paper judges 100 questions a data set by hand. Here a data set's own decomposition is the judge, so that every
question that has one is counted and a run can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import HopOutcome, QuestionRecord

NAMED = 0.5  # share of a head's content words in the question from which the question counts as naming it
# Words by which no value is the same as another: "of" is no "Duke of York".
_FUNCTION_WORDS = (
    "and as at but by for from in into is it its no nor not of off on or over per than to under up via was with yes "
    "da das de del della der des di do dos du el et la las le les los van von y"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Bindings:
    """The correctness of bindings, pooled over the hops that bind a placeholder, of questions with a decomposition."""

    hops: int
    resolved: int  # hops that the graph answered
    recovered: int  # hops that text answered
    right: int  # resolved hops whose value is a gold value

    @property
    def resolved_rate(self) -> float:
        """Res of Table 7: the share of hops that were resolved, 0 to 1."""
        return self.resolved / max(1, self.hops)

    @property
    def precision(self) -> float | None:
        """Prec of Table 7: the share of resolved hops that are right, 0 to 1; None where none was resolved."""
        return self.right / self.resolved if self.resolved else None

    @property
    def confident_wrong(self) -> float:
        """Conf-w of Table 7: the share of all hops that are resolved and wrong, 0 to 1."""
        return (self.resolved - self.right) / max(1, self.hops)


def bindings(records: Sequence[QuestionRecord]) -> Bindings | None:
    """How right the bound values are; None where no hop of a question with a decomposition binds a placeholder."""
    judged = [
        (hop, right)
        for record in records
        if (values := gold_values(record.question))
        for hop, right in zip(record.outcome.hops, rightness(record.outcome.hops, values), strict=True)
        if right is not None
    ]
    if not judged:
        return None
    return Bindings(
        hops=len(judged),
        resolved=sum(hop.status == "resolved" for hop, _ in judged),
        recovered=sum(hop.status == "recovered" for hop, _ in judged),
        right=sum(right and hop.status == "resolved" for hop, right in judged),
    )


def rightness(hops: Sequence[HopOutcome], values: Sequence[str]) -> list[bool | None]:
    """Of each hop, whether what it found is one of the gold values; None for hops that bind nothing."""
    return [None if hop.placeholder is None else hop.found is not None and matches(hop.found, values) for hop in hops]


def gold_values(question: Question) -> tuple[str, ...]:
    """What a binding may be: the values of the gold decomposition, the answer and its aliases; none without the former.

    Two forms of ``decomposition`` are read: steps ``{"question", "answer"}``, whose answers are the values, and triples
    ``[head, relation, tail]``, whose tails are the values, and the heads that the question does not name. Any value
    counts for any hop, because a plan need not cut a question where the data set does.
    """
    values = tuple(value for step in question.decomposition for value in _values_of(step, question.text) if value)
    return tuple(dict.fromkeys((*values, *question.references))) if values else ()


def _values_of(step: object, question: str) -> Iterator[str]:
    if isinstance(step, dict) and isinstance(step.get("answer"), (str, int, float)):
        yield str(step["answer"])
    elif isinstance(step, list) and len(step) == 3:
        head, tail = str(step[0]), str(step[2])
        yield tail
        if not _names(question, head):
            yield head


def _names(question: str, entity: str) -> bool:
    """Whether most of an entity's words are in the question: names are written in more than one way."""
    asked = set(normalise(question.replace("'s", " ").replace("\u2019s", " ")).split())
    words = [word for word in normalise(entity).split() if _has_content(word)]
    return bool(words) and sum(word in asked for word in words) >= NAMED * len(words)


def matches(found: str, values: Sequence[str]) -> bool:
    """Whether a text is one of the values: equal after exact match's normalisation, or one's words among the other's.

    What is contained must hold at least one content word, so that "of" is no "Duke of York" and "no" no "No Cross".
    """
    said = normalise(found)
    return any(_same(said, normalise(value)) for value in values)


def _same(said: str, gold: str) -> bool:
    if not said or not gold:
        return False
    ours, theirs = set(said.split()), set(gold.split())
    fewer = ours if len(ours) <= len(theirs) else theirs
    return said == gold or (ours & theirs == fewer and any(map(_has_content, fewer)))


def _has_content(word: str) -> bool:
    """Whether a word says something by itself: no function word, no initial, no single digit."""
    return word not in FUNCTION_WORDS and (len(word) > 1 or not word.isascii())
