"""How likely it is that a pointed answer is right: the span model and the cross-encoder weighed against each other.

The weights of both logistic models were fitted to questions whose contexts were kept aside when the span model was
trained, each among the four contexts of its source most like the question, or among those alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from polyhop.indexes.folding import fold
from polyhop.models.choice import Models
from polyhop.reading.pointing import Pointed, Pointing, Supporting
from polyhop.reading.reader import Quote, text_of

ANSWERS: Final = 8  # likeliest of each kind of reading that are weighed
SENTENCES: Final = 8  # likeliest that are weighed; the others keep their order behind them
SURE: Final = 1e-4  # chances nearer to 0 or 1 tell no more


@dataclass(frozen=True, kw_only=True)
class AnswerWeights:
    """What each logit counts."""

    each: float = 0.175  # of the answer's chance in its passage alone
    together: float = 0.288  # of its chance in the best sentences read together
    sentence: float = 0.131  # the cross-encoder's, for its sentence
    bias: float = 0.754

    support: float = 0.739  # for sentences: of the chance that the answer rests on it
    relevance: float = 0.198  # the cross-encoder's
    support_bias: float = -0.407


def weighed(each: Pointing, together: Pointing, models: Models, weights: AnswerWeights = AnswerWeights()) -> Pointing:
    """Both readings of a question as one, with the chances that answers are right and that sentences hold them."""
    alone, joined = _by_text(each.answers[:ANSWERS]), _by_text(together.answers[:ANSWERS])
    found = {**joined, **alone}
    judged = _judged(
        each.question,
        [*(one.quote for one in found.values() if one.quote), *(one.quote for one in each.sentences[:SENTENCES])],
        models,
    )
    answers = [
        replace(
            one,
            chance=_chance(
                weights.each * _logit(alone[text].chance if text in alone else 0.0)
                + weights.together * _logit(joined[text].chance if text in joined else 0.0)
                + weights.sentence * (judged[one.quote] if one.quote else 0.0)
                + weights.bias
            ),
        )
        for text, one in found.items()
    ]
    sentences = [
        Supporting(
            _chance(
                weights.support * _logit(one.chance) + weights.relevance * judged[one.quote] + weights.support_bias
            ),
            one.quote,
        )
        for one in each.sentences[:SENTENCES]
    ]
    return replace(
        each,
        answers=tuple(sorted(answers, key=lambda one: -one.chance)),
        sentences=tuple(sorted(sentences, key=lambda one: -one.chance)),
    )


def _by_text(answers: Iterable[Pointed]) -> dict[str, Pointed]:
    return {fold(one.text): one for one in answers}


def _judged(question: str, quotes: Iterable[Quote], models: Models) -> dict[Quote, float]:
    """The cross-encoder's logit for each sentence under its title."""
    distinct = list(dict.fromkeys(quotes))
    texts = [f"{one.passage.title}: {text_of(one)}" if one.passage.title else text_of(one) for one in distinct]
    return dict(zip(distinct, models.reranker.score(question, texts).tolist(), strict=True)) if texts else {}


def _logit(chance: float) -> float:
    kept = min(max(chance, SURE), 1 - SURE)
    return math.log(kept / (1 - kept))


def _chance(logit: float) -> float:
    return 1 / (1 + math.exp(-logit))
