"""How well windows are read: from logits, whoever computed them, to figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from polyhop.ports import Floats
from polyhop.training.card import figures_by
from polyhop.training.rows import KINDS
from polyhop.training.windows import Window

LONGEST = 40  # tokens of a span beyond its first
NONE, SPAN = KINDS.index("none"), KINDS.index("span")


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRead:
    """What was made of one window, beside what it holds."""

    source: str
    kind: int  # as it is
    said: int  # as it was read
    f1: float  # of the best span, by tokens; 0 where there is no span to find
    exact: bool
    evidence: bool | None  # whether the token most sure to be evidence is; None where nothing is


def read(window: Window, tokens: Floats, kind: Floats) -> WindowRead:
    """Judge logits of shape (tokens of the window, 3) and (4,)."""
    first, last = best_span(tokens, window.allowed)
    said = window.ids[first : last + 1]
    golds = [window.ids[start : end + 1] for start, end in window.spans] if window.kind == SPAN else []
    sure = int(np.argmax(tokens[window.asked :, 2])) + window.asked
    return WindowRead(
        source=window.source.split("/")[0],
        kind=window.kind,
        said=int(np.argmax(kind)),
        f1=max((_overlap(said, gold) for gold in golds), default=0.0),
        exact=(first, last) in window.spans,
        evidence=window.evidence[sure] if any(window.evidence) else None,
    )


def best_span(tokens: Floats, allowed: Sequence[bool]) -> tuple[int, int]:
    """The first and last token that together are most likely, both of them allowed, not further apart than 40."""
    forbidden = np.where(np.array(allowed), 0.0, -1e4).astype(np.float32)
    together = (tokens[:, 0] + forbidden)[:, None] + (tokens[:, 1] + forbidden)[None, :]
    rows, columns = np.indices(together.shape)
    together[(columns < rows) | (columns > rows + LONGEST)] = -np.inf
    first, last = divmod(int(np.argmax(together)), len(tokens))
    return first, last


def score(readings: Sequence[WindowRead]) -> float:
    """One figure, 0 to 100: a span counts by its F1, all else as right or wrong; a wrong kind counts nothing."""
    points = (one.f1 if one.kind == SPAN else 1.0 for one in readings if one.said == one.kind)
    return 100 * sum(points) / max(1, len(readings))


def figures(readings: Iterable[WindowRead]) -> Mapping[str, Mapping[str, float]]:
    """For each source and for all: exact match, F1, kinds, evidence and the F1 of saying "none", 0 to 100, and rows."""
    return figures_by(lambda one: one.source, readings, _figures)


def _figures(readings: Sequence[WindowRead]) -> dict[str, float]:
    spans = [one for one in readings if one.kind == SPAN]
    marked = [one.evidence for one in readings if one.evidence is not None]
    missed = sum(one.kind == NONE != one.said for one in readings)
    invented = sum(one.said == NONE != one.kind for one in readings)
    right = sum(one.said == one.kind == NONE for one in readings)
    shares: dict[str, Sequence[float]] = {
        "exact match": [one.exact for one in spans],
        "F1": [one.f1 for one in spans],
        "kind": [one.said == one.kind for one in readings],
        "evidence": marked,
    }
    table = {name: 100 * sum(values) / len(values) for name, values in shares.items() if values}
    if right + missed:
        table["none, F1"] = 100 * 2 * right / (2 * right + missed + invented)
    return table | {"score": score(readings), "windows": float(len(readings))}


def _overlap(said: Sequence[int], gold: Sequence[int]) -> float:
    common = (Counter(said) & Counter(gold)).total()
    return 2 * common / (len(said) + len(gold))
