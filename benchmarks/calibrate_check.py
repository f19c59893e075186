"""Fit the weights of C2RAG's calibrated check on questions whose steps and answers are known.

    python benchmarks/calibrate_check.py DATA --index INDEX [--split train]

DATA is a data set with gold decompositions (steps with questions and answers); INDEX has its corpus with the facts
layer. Every step is grounded like a constraint of a plan, with earlier answers in place, and each candidate counts as
right if its value is the answer. A conditional logit with "none of them" as an option is fitted to that. Fit on
training questions, never on those that are reported on.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from polyhop import Polyhop
from polyhop.evaluation.bindings import matches
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.layers.view import View
from polyhop.reading.relation_variants import variants_of
from polyhop.strategies.moves.ground import Grounding
from polyhop.strategies.moves.plan_by_rules import plan_by_rules
from polyhop.strategies.moves.plan_questions import question_of
from polyhop.strategies.moves.sufficiency import Candidate
from polyhop.tasks.constraints import Constant, Constraint, Placeholder

RIDGE = 0.02  # of the squared weights: keeps them finite where the data are few
STEPS = 4000
RATE = 0.05


def steps_of(question: Question) -> Iterator[tuple[str, str]]:
    """Each step of a decomposition with its answer, earlier answers written in."""
    answers: list[str] = []
    for step in question.extra["decomposition"]:
        text = re.sub(r"#(\d+)", lambda match: answers[int(match[1]) - 1], step["question"])
        answers.append(step["answer"])
        yield text, step["answer"]


def constraint_of(step: str, over: View) -> Constraint | None:
    """A step as a constraint: "thing >> relation", or a question that rules plan as a single constraint."""
    thing, arrow, relation = step.partition(" >> ")
    if arrow:
        one = Constraint(
            Constant(thing), relation, variants_of(relation)[:3], Placeholder.named(f"?{relation.replace(' ', '_')}")
        )
        return Constraint(one.head, one.relation, one.variants, one.tail, question_of(one, {}))
    names = [over.facts.entity(entity).name for entity in over.facts.named_in(step)]
    constraints = plan_by_rules(step, names, variants=3).constraints
    return constraints[0] if len(constraints) == 1 else None


def pools(data: Dataset, over: View, *, reranked: bool) -> Iterator[tuple[list[Candidate], list[bool]]]:
    """The candidates of every step that has any, and which of them are right."""
    grounding = Grounding(anchors=3, aligned=8, kept=3, reranked=reranked)
    for question in data.questions:
        for step, answer in steps_of(question):
            constraint = constraint_of(step, over)
            if constraint is None:
                continue
            pattern = grounding.pattern(constraint, {}, over)
            found = grounding.candidates(step, pattern, over)
            if found:
                yield found, [matches(over.facts.entity(one.value).name, [answer]) for one in found]


def fitted(examples: Sequence[tuple[list[Candidate], list[bool]]], *, reranked: bool) -> np.ndarray:
    """Weights of score, relevance and likeness, and the logit of "none of them", by gradient ascent."""
    rows = [
        np.array([[one.score if reranked else 0.0, one.relevance, one.likeness] for one in found])
        for found, _ in examples
    ]
    rights = [np.array(right, bool) for _, right in examples]
    weights = np.array([0.3 if reranked else 0.0, 4.0, 1.0, 5.0])
    for _ in range(STEPS):
        gradient = -RIDGE * weights
        for features, right in zip(rows, rights, strict=True):
            logits = np.append(features @ weights[:3], weights[3])
            chances = np.exp(logits - logits.max())
            chances /= chances.sum()
            wanted = np.append(right, not right.any()) * chances
            wanted = wanted / wanted.sum()
            pull = wanted - chances
            gradient[:3] += pull[:-1] @ features / len(rows)
            gradient[3] += pull[-1] / len(rows)
        weights = weights + RATE * 10 * gradient
    return weights


def main() -> None:
    """Print the weights with and without the cross-encoder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path, required=True)
    parser.add_argument("--split", default="train")
    arguments = parser.parse_args()
    data = Dataset.read(arguments.data, arguments.split)
    with Polyhop(arguments.index) as engine, engine.view() as view:
        for reranked in (True, False):
            examples = list(pools(data, view, reranked=reranked))
            answered = sum(any(right) for _, right in examples)
            weights = fitted(examples, reranked=reranked)
            print(f"reranked={reranked}: {len(examples)} pools, the right value is among {answered}")
            print("  score={:.3f}, relevance={:.3f}, likeness={:.3f}, nothing={:.3f}".format(*weights))


if __name__ == "__main__":
    main()
