"""Questions of which somebody has told clause by clause what can be cut out: relative clauses that describe a hop.

A clause that hangs on the very thing that is asked for narrows the answer down; on any other noun, noun and clause
together are what has to be asked first. Questions with further descriptions ("the leader of ...") are left out, because
nobody says whether these are hops.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from polyhop.english.verbs import is_finite
from polyhop.english.words import ARTICLES, AUXILIARIES, BE, FUNCTION_WORDS, PREPOSITIONS, WH_WORDS
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.taught_plans import TaughtPlan

SKELETONS: Final = "plans_more.jsonl.gz"
_CLAUSES: Final = ("acl", "acl:relcl")
_NAMING: Final = frozenset({"named", "called", "titled", "entitled"})
_SOURCE: Final = "skeleton/cwq"


def skeleton_plans(folder: Path) -> list[TaughtPlan]:
    """The plans of questions that one described thing is to be found for first. Raises DatasetError with the line."""
    if not (folder / SKELETONS).exists():
        return []
    return [
        plan
        for line in rows(folder / SKELETONS)
        if line.text("src") == _SOURCE
        for plan in _plan(line, line.text("question").split(), line.fields.get("plan"))
    ]


def _plan(line: RowLine, words: Sequence[str], cuts: Any) -> Iterator[TaughtPlan]:
    if not isinstance(cuts, list) or not all(isinstance(cut, dict) for cut in cuts):
        raise line.wrong("plan is no list of objects")
    clauses = list(_clauses(words, cuts))
    hops = sorted({(start, end) for start, end, asked in clauses if not asked})
    covered = {at for start, end, _ in clauses for at in range(start, end)}
    other = [at for at, word in enumerate(words) if word in ("of", "'s", "'") and at not in covered]
    if not hops or other or any(a[1] > b[0] for a, b in pairwise(hops)):
        return
    text, places = _joined(words)
    yield TaughtPlan(
        source=_SOURCE,
        licence=line.text("licence", "license"),
        question=text,
        steps=(text,) * (len(hops) + 1),
        marked=tuple((places[start][0], places[end - 1][1]) for start, end in hops),
    )


def _clauses(words: Sequence[str], cuts: Sequence[dict[str, Any]]) -> Iterator[tuple[int, int, bool]]:
    """Each noun with its clause, and whether the noun is what is asked for."""
    left = list(range(len(words)))
    gone: list[tuple[int, tuple[int, int]]] = []
    for cut in cuts:
        match cut:
            case {"text_span": str(text), "headword_index": int(head), "attachment_relation": str(relation)}:
                pass
            case _:
                return
        span = text.split()
        shown = [words[at] for at in left]
        start = next((at for at in range(len(shown)) if shown[at : at + len(span)] == span), None)
        if start is None or not 0 <= head < start:
            return
        noun, last = left[head], left[start + len(span) - 1]
        for other, (begin, end) in gone:
            if begin == last + 1 and noun < other <= last:
                last = end  # what was cut out of the clause before
        gone.append((noun, (left[start], last)))
        del left[start : start + len(span)]
        first = _phrase_start(words, noun)
        definite = words[first].lower() == "the" and _NAMING.isdisjoint(words[noun : last + 1])
        if relation in _CLAUSES:
            yield first, last + 1, not definite or _is_asked(words, first)


def _phrase_start(words: Sequence[str], noun: int) -> int:
    start = noun
    while start and not (
        (low := words[start - 1].lower()) in FUNCTION_WORDS | WH_WORDS | PREPOSITIONS | AUXILIARIES
        or low in ARTICLES
        or is_finite(low)
        or not low[0].isalnum()
    ):
        start -= 1
    return start - 1 if start and words[start - 1].lower() in ("the", "a", "an") else start


def _is_asked(words: Sequence[str], first: int) -> bool:
    before = [word.lower() for word in words[:first]]
    if not before or before[-1] in WH_WORDS | {"of"}:
        return True
    return before[-1] in BE and any(word in WH_WORDS for word in before[:-1]) and len(before) < 4


def _joined(words: Sequence[str]) -> tuple[str, list[tuple[int, int]]]:
    """The words as people write them, and where each stands."""
    text, places = "", []
    for word in words:
        glued = not text or (not word[0].isalnum() and word not in ("(", '"')) or text[-1] == "("
        text += word if glued else f" {word}"
        places.append((len(text) - len(word), len(text)))
    return text, places
