"""What clues lead to (KG-Translator, Figure 10 and section I.1): validity, direction, entity linking.

The clues are those that a hop shows: the likeliest that hold its first passage. The paper counts clues that locate a
supporting passage, and calls their entities linked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from polyhop.evaluation.dataset import Question
from polyhop.evaluation.metrics.normalise import normalise
from polyhop.evaluation.outcome import ClueOutcome, Outcome, QuestionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class ClueFigures:
    """Clues, pooled over all hops, and their entities, once a question, of questions that name supporting passages."""

    clues: int
    valid: int  # clues that lead to a supporting passage
    reverse: int  # valid ones from a tail to its head
    named: int  # entities of clues that the query names which these were made of
    named_linked: int  # those of them with a valid clue
    unnamed: int  # entities that it does not name, or names otherwise
    unnamed_linked: int

    @property
    def validity(self) -> float:
        """The share of clues that are valid, 0 to 1."""
        return self.valid / self.clues

    @property
    def reverse_share(self) -> float | None:
        """The share of valid clues that reverse translation gave (section I.1); None where none is valid."""
        return self.reverse / self.valid if self.valid else None

    @property
    def named_share(self) -> float | None:
        """The share of linked entities that the question names: unambiguous linking (Figure 10); None without any."""
        linked = self.named_linked + self.unnamed_linked
        return self.named_linked / linked if linked else None

    @property
    def named_accuracy(self) -> float | None:
        """The share of named entities that are linked; None without any."""
        return self.named_linked / self.named if self.named else None

    @property
    def unnamed_accuracy(self) -> float | None:
        """The share of other entities that are linked; None without any."""
        return self.unnamed_linked / self.unnamed if self.unnamed else None


def clue_figures(records: Iterable[QuestionRecord]) -> ClueFigures | None:
    """What the clues of all hops lead to; None where no hop of a question with supporting passages shows any."""
    clues: list[tuple[ClueOutcome, bool]] = []
    linked: dict[tuple[str, str], bool] = {}
    named: dict[tuple[str, str], bool] = {}
    for record in records:
        for query, clue, valid in _judged(record):
            clues.append((clue, valid))
            entity = (record.question.id, normalise(clue.entity))
            linked[entity] = valid or linked.get(entity, False)
            named[entity] = named.get(entity, False) or names(query, clue.entity)
    if not clues:
        return None
    return ClueFigures(
        clues=len(clues),
        valid=sum(valid for _, valid in clues),
        reverse=sum(valid and clue.direction == "reverse" for clue, valid in clues),
        named=sum(named.values()),
        named_linked=sum(named[entity] and found for entity, found in linked.items()),
        unnamed=len(named) - sum(named.values()),
        unnamed_linked=sum(not named[entity] and found for entity, found in linked.items()),
    )


def located(question: Question, outcome: Outcome) -> Iterator[tuple[str, tuple[ClueOutcome, ...], str]]:
    """Of each hop that found a supporting passage by clues, its query, these, likeliest first, and the passage as text.

    A clue is made of its own query, which may be another than the question: "Where was Edda Marrish born?".
    There are only passages whose texts the outcome has: as long as metrics judge.
    """
    texts = dict(zip(outcome.ranking, outcome.texts, strict=False))
    for hop in outcome.hops:
        found = next((one for one in hop.passages if one in question.supporting and one in texts), None)
        if hop.clues and found is not None:
            yield hop.query or question.text, hop.clues, texts[found]


def names(query: str, entity: str) -> bool:
    """Whether a query has an entity's words, in their order and next to one another, as they are."""
    asked = normalise(query.replace("'s", " ").replace("\u2019s", " "))
    wanted = normalise(entity.replace("'s", " ").replace("\u2019s", " "))
    return bool(wanted) and f" {wanted} " in f" {asked} "


def _judged(record: QuestionRecord) -> Iterator[tuple[str, ClueOutcome, bool]]:
    """The clues of a question, what each was made of, and whether it leads to a supporting passage."""
    supporting = set(record.question.supporting)
    for hop in record.outcome.hops if supporting else ():
        valid = bool(supporting.intersection(hop.passages))
        yield from ((hop.query or record.question.text, clue, valid) for clue in hop.clues)
