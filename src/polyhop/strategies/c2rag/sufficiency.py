"""Whether what was found for a constraint suffices to bind its placeholder (C2RAG, section 3.3, Eq. 7 to 9)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from types import MappingProxyType
from typing import Final, Literal

import numpy as np

Check = Literal["calibrated", "paper", "fixed", "off"]

NOTHING: Final = -1  # the value of a fact that binds nothing: facts that verify do not compete
_VERBATIM: Final = 0.999  # likeness of a relation to one that is worded just so
# Of Eq. 7. The paper does not print it, but its Figure 5 tells: of three candidates the last has a weight of 0.09,
# and of 0.32 where none is right. So epsilon is 0.13 times the distance of first and last score, or ten times: a tenth,
# where scores are chances from 0 to 1. With next to nothing the last weight would be 0.
_EPSILON: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCandidate:
    """A fact that may satisfy a constraint, and the entity that the placeholder would then stand for."""

    fact: int
    value: int  # the entity at the open end
    score: float  # z of Eq. 6: the cross-encoder's logit, or the relevance where candidates are not reranked
    relevance: float  # S_rel of Eq. 5, -1 to 1
    likeness: float = 1.0  # of the anchor that the fact touches to what the constraint names, 0 to 1
    another: bool = False  # it touches no anchor with all words of the name, although there is one: a namesake's fact
    worded: bool = False  # its relation is known to say what the constraint's says
    same_way: bool = True  # the anchor is at the same end of the fact as of the constraint
    fitting: bool = False  # the value is known to be of the kind asked for
    stated: float = 1.0  # the confidence of the fact, 0 to 1


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says of a pool of candidates."""

    resolved: bool
    shares: tuple[float, ...]  # the weight of each candidate, in the order given
    effective: float  # N_eff: with how many equal candidates the weights would be as undecided
    note: str = ""
    gamma: float | None = None  # what the effective number was held against, where it was

    @property
    def told(self) -> str:
        """The effective number, what it was held against, and what else decided, as in the paper's Figure 5."""
        if not self.shares:
            return self.note
        sign = "" if self.gamma is None else f" {'≤' if self.effective <= self.gamma else '>'} γ {self.gamma:g}"
        return f"N_eff {self.effective:.2f}{sign}{f', {self.note}' if self.note else ''}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """How the calibrated check weighs what is known of a candidate, in logits; ``nothing`` is that none is right."""

    score: float
    relevance: float
    another: float
    worded: float
    same_way: float
    fitting: float
    stated: float
    nothing: float


# Conditional logit with "none of them" as an option, fitted on training questions whose steps and answers are known:
# benchmarks/calibrate_check.py makes them again.
RERANKED: Final = Weights(
    score=0.24, relevance=2.34, another=-1.75, worded=0.89, same_way=0.76, fitting=1.74, stated=1.85, nothing=7.09,
)  # fmt: skip
ALIGNED_ONLY: Final = Weights(
    score=0.0, relevance=5.83, another=-2.47, worded=0.11, same_way=1.08, fitting=2.19, stated=2.22, nothing=9.75,
)  # fmt: skip
# The same for facts that a language model has extracted: it words relations as people do, so that their likeness says
# more, and knows no confidence. Fitted on training questions whose passages a model had read (decision 0016).
MODEL_RERANKED: Final = Weights(
    score=0.3, relevance=6.43, another=-1.84, worded=0.05, same_way=0.75, fitting=0.61, stated=0.0, nothing=7.93,
)  # fmt: skip
MODEL_ALIGNED_ONLY: Final = Weights(
    score=0.0, relevance=8.61, another=-3.69, worded=0.15, same_way=1.15, fitting=0.58, stated=0.0, nothing=8.85,
)  # fmt: skip
# Where no gamma is set. The calibrated check counts "none of them" among the candidates, so its N_eff is larger; on the
# questions that it was fitted on, four of five hops that it resolves at 2 are right.
USUAL_GAMMA: Final = MappingProxyType({"paper": 1.5, "calibrated": 2.0})


def judged(
    candidates: Sequence[FactCandidate],
    check: Check,
    *,
    gamma: float | None,
    threshold: float,
    reranked: bool,
    rated: bool = True,
) -> Verdict:
    """The verdict of one of the checks; no candidates never suffice.

    ``gamma``: the largest N_eff that suffices for ``paper`` and ``calibrated``, at least 1, since N_eff is never below
    it (Lemma A.1); None: the usual one. ``threshold``: the least probability of the best candidate that suffices for
    ``fixed``. ``rated``: whether the facts have a confidence, as those by rules have; a model's have none.
    """
    if not candidates:
        return Verdict(resolved=False, shares=(), effective=math.inf, note="no candidates")
    largest = USUAL_GAMMA.get(check, 0.0) if gamma is None else gamma
    if check == "calibrated":
        by_rules, by_model = (RERANKED, MODEL_RERANKED) if reranked else (ALIGNED_ONLY, MODEL_ALIGNED_ONLY)
        if rated:
            return _calibrated(candidates, candidates, largest, by_rules)
        return _calibrated(candidates, _competing(candidates), largest, by_model)
    scores = [_chance(one.score) if reranked else one.score for one in candidates]
    shares = paper_shares(scores)
    effective = effective_number(shares)
    if check == "paper":
        return Verdict(effective <= largest, shares, effective, gamma=largest)
    if check == "off":
        return Verdict(True, shares, effective, note="unchecked")
    best = max(scores)
    enough = best >= threshold
    return Verdict(enough, shares, effective, note=f"best {best:.2f} {'≥' if enough else '<'} {threshold:g}")


def _chance(logit: float) -> float:
    """A logit of the cross-encoder as it hands scores on by default, 0 to 1: what is all unlikely is alike then."""
    return 1 / (1 + math.exp(-logit))


def paper_shares(scores: Sequence[float]) -> tuple[float, ...]:
    """The weights of Eq. 7: scores from 0 to 1 above the lowest of them, smoothed, as parts of their sum."""
    lowest = min(scores)
    above = [score - lowest + _EPSILON for score in scores]
    total = sum(above)
    return tuple(weight / total for weight in above)


def effective_number(shares: Sequence[float]) -> float:
    """N_eff of Eq. 8, 1 to the number of shares; the shares sum to 1."""
    return 1 / sum(share * share for share in shares)


def _competing(candidates: Sequence[FactCandidate]) -> Sequence[FactCandidate]:
    """The candidates in the constraint's own words, where all of these name one value: none in other words competes."""
    same = [one for one in candidates if one.relevance >= _VERBATIM and one.same_way and one.likeness == 1]
    return same if len({one.value for one in same}) == 1 else candidates


def _calibrated(
    candidates: Sequence[FactCandidate], competing: Sequence[FactCandidate], gamma: float, weights: Weights
) -> Verdict:
    """What Eq. 7 forgets by its shift is kept: how good the candidates are, against the chance that none is right.

    Facts that name the same value do not compete. The value with the best fact stands for all of its facts, and N_eff
    counts values and the chance that none of them is right; it is resolved if a value leads.
    """
    logits: dict[int, float] = {}
    for candidate in competing:
        logit = utility(candidate, weights)
        logits[candidate.value] = max(logit, logits.get(candidate.value, -math.inf))
    values = list(logits)
    powers = np.exp(np.array([*logits.values(), weights.nothing]) - max(*logits.values(), weights.nothing))
    chances = (powers / powers.sum()).tolist()
    chance = dict(zip(values, chances[:-1], strict=True))
    effective = effective_number(chances)
    leads = max(chances[:-1]) > chances[-1]
    return Verdict(
        resolved=leads and effective <= gamma,
        shares=tuple(chance.get(candidate.value, 0.0) for candidate in candidates),
        effective=effective,
        note=f"none of them {chances[-1]:.2f}{'' if leads else ' is likelier'}",
        gamma=gamma,
    )


def utility(candidate: FactCandidate, weights: Weights) -> float:
    """How much speaks for a candidate, in logits."""
    known = asdict(weights)
    return float(sum(known[name] * value for name, value in features(candidate).items()))


def features(candidate: FactCandidate) -> dict[str, float]:
    """What the calibrated check knows of a candidate, by the names of the weights."""
    return {
        "score": candidate.score,
        "relevance": candidate.relevance,
        "another": candidate.another,
        "worded": candidate.worded,
        "same_way": candidate.same_way,
        "fitting": candidate.fitting,
        "stated": candidate.stated,
    }
