"""How much of each hop's evidence is no gold evidence (C2RAG, section 4.3 and Figure 3c): where errors spread."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from polyhop.evaluation.outcome import QuestionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """The evidence passages of all hops at one position, and those that no gold evidence supports."""

    hop: int  # 1, 2, 3, ...
    questions: int  # that have evidence there
    passages: int
    unsupported: int  # passages that are not among the question's supporting ones

    @property
    def share(self) -> float:
        """The unsupported-evidence ratio, 0 to 1."""
        return self.unsupported / self.passages


def unsupported(records: Iterable[QuestionRecord], *, min_hops: int | None = None) -> tuple[Unsupported, ...]:
    """By position of the hop, the ratio pooled over passages of questions that name supporting ones.

    ``min_hops`` leaves out questions that are not known to take as many hops (the paper: 3). Positions without any
    evidence are left out.
    """
    counts: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for record in records:
        question = record.question
        if not question.supporting or (min_hops is not None and not question.takes(min_hops)):
            continue
        for number, hop in enumerate(record.outcome.hops, start=1):
            if hop.passages:
                foreign = sum(passage not in question.supporting for passage in hop.passages)
                counts[number].append((len(hop.passages), foreign))
    return tuple(
        Unsupported(
            hop=number,
            questions=len(found),
            passages=sum(passages for passages, _ in found),
            unsupported=sum(foreign for _, foreign in found),
        )
        for number, found in sorted(counts.items())
    )
