"""Texts with triples as rows whose questions ask for one end of a triple, as the steps of plans do.

Rows of reading comprehension name what a passage is about in passing. A step asks for a relation of something by its
name, and other passages tell the same relation of others: so a row's context has texts of others beside its own.
"""

from __future__ import annotations

import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from polyhop.english.relations import wording_of
from polyhop.english.verbs import is_third
from polyhop.english.words import PREPOSITIONS
from polyhop.store.json_lines import RowLine, rows
from polyhop.training.claims import written
from polyhop.training.rows import ReadingRow, is_kept_aside

TRIPLES: Final = "triples.jsonl.gz"
SOURCE: Final = "triples/"
COMMON: Final = 20  # times that a relation is there: what is rarer is a phrase rather than the name of one
MOST: Final = 160  # triples of a relation
MOST_BESIDE: Final = 3  # texts of others
ALONE: Final = 0.25  # of the rows, that have only others' texts: nothing answers them
_LONGEST: Final = 4  # words of a relation's name
_FORMS: Final = ("What is the {relation} of {head}?", "What is {head}'s {relation}?")
_CODE = re.compile(r"P\d+")
_HUMP = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
_TOLD_APART = re.compile(r"\s*\([^()]*\)$")


@dataclass(frozen=True, slots=True)
class Stated:
    """A relation that a text states of something, once."""

    source: str
    licence: str
    text: str
    head: str
    relation: str
    value: str  # as it stands in the text
    start: int


def triple_rows(folder: Path, *, seed: int) -> list[ReadingRow]:
    """The rows of ``triples.jsonl.gz``, none where that file is not there. Raises DatasetError with file and line."""
    path = folder / TRIPLES
    if not path.exists():
        return []
    rng = random.Random(seed)  # noqa: S311
    stated = [one for line in rows(path) for one in _stated(line)]
    counted = Counter(one.relation for one in stated)
    groups: dict[tuple[str, bool], list[Stated]] = defaultdict(list)
    for one in stated:
        if counted[one.relation] >= COMMON:
            groups[one.relation, is_kept_aside(one.text)].append(one)
    return [row for group in groups.values() for row in _asked_in(group, rng)]


def _stated(line: RowLine) -> Iterator[Stated]:
    """What a text states of something by name, where it says both and no second value."""
    text = written(line.text("text"))
    of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for triple in line.listed("triples"):
        match triple:
            case [str(head), str(relation), str(tail)]:
                of[_name(head), _label(relation)].add(_name(tail))
            case _:
                raise line.wrong(f"{triple!r} is no [head, relation, tail]")
    for (head, relation), (value, *others) in of.items():
        place, named = _found(value, text), _found(head, text)
        if (
            relation
            and not others
            and place
            and named
            and not (named.start() < place.end() and place.start() < named.end())
        ):
            source, licence = SOURCE + line.text("src"), line.text("licence", "license")
            yield Stated(source, licence, text, named[0], relation, place[0], place.start())


def _name(text: str) -> str:
    return _TOLD_APART.sub("", written(text.replace("_", " ").strip('"')))


def _label(relation: str) -> str:
    """A relation's name in words; nothing for a code, a long one, and for a verb, which is asked for in many ways."""
    words = _HUMP.sub(" ", relation.split(" / ")[0]).lower().split()
    if not words or len(words) > _LONGEST or is_third(words[0]) or _CODE.fullmatch(relation):
        return ""
    return " ".join(words)


def _found(name: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) if name else None


def _asked_in(group: Sequence[Stated], rng: random.Random) -> Iterator[ReadingRow]:
    """Questions for one relation, each with the texts of some of the others, before and behind its own."""
    for one in rng.sample(group, min(MOST, len(group))):
        known = one.head.lower(), one.value.lower()
        others = [other.text for other in rng.sample(group, min(2 * MOST_BESIDE, len(group)))]
        others = [text for text in dict.fromkeys(others) if not any(name in text.lower() for name in known)]
        texts = others[: rng.randint(0, MOST_BESIDE)]
        place = rng.randint(0, len(texts))
        is_told = not texts or rng.random() >= ALONE
        before = "".join(f"{text}\n" for text in texts[:place])
        yield ReadingRow(
            source=one.source,
            licence=one.licence,
            question=asked_for(one.head, one.relation, rng),
            context="\n".join([*texts[:place], one.text, *texts[place:]] if is_told else texts),
            answers=((one.value, len(before) + one.start),) if is_told else (),
            kind="span" if is_told else "none",
        )


def asked_for(head: str, relation: str, rng: random.Random | None = None) -> str:
    """What a plan would ask for the value of a relation of something or, by chance, a person."""
    known = wording_of(relation)
    if known is not None and known.plain:
        return known.question(head)
    if relation.split()[-1] in PREPOSITIONS:
        return f"What is {head} {relation}?"
    form = _FORMS[0] if rng is None else rng.choice(_FORMS)
    return form.format(relation=relation, head=head)
