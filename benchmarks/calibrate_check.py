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
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from polyhop import Polyhop
from polyhop.english.relations import variants_of
from polyhop.evaluation.bindings import matches
from polyhop.evaluation.dataset import Dataset, Question
from polyhop.layers.view import View
from polyhop.planning.planner import Planning
from polyhop.planning.rules.constraints import constrained
from polyhop.planning.rules.questions import question_of
from polyhop.plans import Constant, Constraint, Placeholder, with_variants
from polyhop.strategies.c2rag.ground import Grounding
from polyhop.strategies.c2rag.sufficiency import FactCandidate, Weights, features

KEPT = 3  # candidates of a pool, as by default
RIDGE = 0.005  # on the weights of standard scores: keeps them finite where the data are few
STEPS = 4000
RATE = 0.02


def steps_of(question: Question) -> Iterator[tuple[str, str]]:
    """Each step of a decomposition with its answer, earlier answers written in."""
    answers: list[str] = []
    for step in question.extra["decomposition"]:
        text = re.sub(r"#(\d+)", lambda match: answers[int(match[1]) - 1], step["question"])
        answers.append(step["answer"])
        yield text, step["answer"]


def constraint_of(step: str, over: View) -> Constraint | None:
    """A step as a constraint: "thing >> relation", or a question that is planned as a single constraint."""
    thing, arrow, relation = step.partition(" >> ")
    if arrow:
        one = Constraint(
            Constant(thing), relation, variants_of(relation)[:3], Placeholder.named(f"?{relation.replace(' ', '_')}")
        )
        return Constraint(one.head, one.relation, one.variants, one.tail, question_of(one, {}))
    names = [over.facts.entity(entity).name for entity in over.facts.named_in(step)]
    constraints = with_variants(constrained(Planning().plan(step, names, None), step, names), 3).constraints
    return constraints[0] if len(constraints) == 1 else None


def pools(data: Dataset, over: View, *, reranked: bool) -> Iterator[tuple[list[FactCandidate], list[bool]]]:
    """The candidates of every step that has any, and which of them are right."""
    grounding = Grounding(anchors=3, relations=8, kept=KEPT, reranked=reranked)
    for question in data.questions:
        for step, answer in steps_of(question):
            constraint = constraint_of(step, over)
            if constraint is None:
                continue
            pattern = grounding.pattern(constraint, {}, over)
            found = grounding.candidates(step, pattern, over)
            if found:
                yield found, [matches(over.facts.entity(one.value).name, [answer]) for one in found]


def fitted(examples: Sequence[tuple[list[FactCandidate], list[bool]]], names: Sequence[str]) -> dict[str, float]:
    """The weight of each feature and the logit of "none of them" (``nothing``), by gradient ascent on standard scores.

    Candidates of one value are one option, as in the check: the one with the best score stands for it.
    """
    options, known, right = arrays(examples, names)
    mean, spread = options[known].mean(axis=0), options[known].std(axis=0) + 1e-9
    standard = (options - mean) / spread
    weights, first, second = (np.zeros(len(names) + 1) for _ in range(3))
    for step in range(1, STEPS + 1):  # Adam (Kingma and Ba 2015)
        logits = np.concatenate([standard @ weights[:-1], np.full((len(options), 1), weights[-1])], axis=1)
        logits[:, :-1][~known] = -1e9
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        chances /= chances.sum(axis=1, keepdims=True)
        wanted = chances * right
        pull = wanted / wanted.sum(axis=1, keepdims=True) - chances
        gradient = np.append(np.einsum("ij,ijk->k", pull[:, :-1], standard), pull[:, -1].sum()) / len(options)
        gradient[:-1] -= RIDGE * weights[:-1]
        first, second = 0.9 * first + 0.1 * gradient, 0.999 * second + 0.001 * gradient**2
        weights = weights + RATE * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    raw = weights[:-1] / spread
    return {**dict(zip(names, raw.tolist(), strict=True)), "nothing": float(weights[-1] + raw @ mean)}


def arrays(
    examples: Sequence[tuple[list[FactCandidate], list[bool]]], names: Sequence[str]
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Features of shape (pools, KEPT, names), which options there are, and which are right (the last: none of them)."""
    options = np.zeros((len(examples), KEPT, len(names)))
    known = np.zeros((len(examples), KEPT), np.bool_)
    right = np.zeros((len(examples), KEPT + 1), np.bool_)
    for pool, (found, rights) in enumerate(examples):
        best: dict[int, tuple[FactCandidate, bool]] = {}
        for candidate, is_right in zip(found, rights, strict=True):
            if candidate.value not in best or candidate.score > best[candidate.value][0].score:
                best[candidate.value] = (candidate, is_right)
        for place, (candidate, is_right) in enumerate(best.values()):
            said = features(candidate)
            options[pool, place] = [said[name] for name in names]
            known[pool, place], right[pool, place] = True, is_right
        right[pool, -1] = not right[pool, :-1].any()
    return options, known, right


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
            names = [
                item.name for item in fields(Weights) if item.name != "nothing" and (reranked or item.name != "score")
            ]
            print(f"reranked={reranked}: {len(examples)} pools; in {answered} of them a value is right")
            print("  " + ", ".join(f"{name}={weight:.2f}" for name, weight in fitted(examples, names).items()))


if __name__ == "__main__":
    main()
