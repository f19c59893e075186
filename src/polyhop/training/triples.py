"""Texts with triples as rows whose questions ask for one end of a triple, as the steps of plans do.

Rows of reading comprehension name what a passage is about in passing. A step asks for a relation of something by its
name, and other passages tell the same relation of others: so a row's context has texts of others beside its own.

Or a passage tells other things of the same one. Texts whose triples are complete, which are those that name relations
by codes of Wikidata (``properties.toml``), are asked for what they do not tell, too.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
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
LEAST_TOLD: Final = 2  # relations of something that is asked for what is not told of it
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


@dataclass(frozen=True, slots=True)
class Described:
    """Something that a text tells of, and the names of all relations that it tells of it."""

    source: str
    licence: str
    text: str
    head: str
    told: frozenset[str]


def triple_rows(folder: Path, *, seed: int) -> list[ReadingRow]:
    """The rows of ``triples.jsonl.gz``, none where that file is not there. Raises DatasetError with file and line."""
    path = folder / TRIPLES
    if not path.exists():
        return []
    rng = random.Random(seed)  # noqa: S311
    lines = list(rows(path))
    stated = [one for line in lines for one in _stated(line)]
    counted = Counter(one.relation for one in stated)
    groups: dict[tuple[str, bool], list[Stated]] = defaultdict(list)
    for one in stated:
        if counted[one.relation] >= COMMON:
            groups[one.relation, is_kept_aside(one.text)].append(one)
    asked = [row for group in groups.values() for row in _asked_in(group, rng)]
    return [*asked, *_untold([one for line in lines for one in _described(line)], rng)]


def _stated(line: RowLine) -> Iterator[Stated]:
    """What a text states of something by name, where it says both and no second value."""
    text = written(line.text("text"))
    of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for head, relation, tail in _triples(line):
        of[_name(head), _label(relation)].add(_name(tail))
    for (head, relation), values in of.items():
        value, *others = _fullest(values)
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


def _triples(line: RowLine) -> Iterator[tuple[str, str, str]]:
    for triple in line.listed("triples"):
        match triple:
            case [str(head), str(relation), str(tail)]:
                yield head, relation, tail
            case _:
                raise line.wrong(f"{triple!r} is no [head, relation, tail]")


def _fullest(values: set[str]) -> list[str]:
    """The values without those that stand in others: "1992" beside "16 January 1992"."""
    return sorted(one for one in values if not any(len(one) < len(other) and _found(one, other) for other in values))


def _described(line: RowLine) -> Iterator[Described]:
    """What a text tells of by name, where its triples have codes and so are complete."""
    text, of = written(line.text("text")), defaultdict(set)
    for head, relation, _ in _triples(line):
        if _CODE.fullmatch(relation):
            of[_name(head)].add(_properties().get(relation, ""))
    for head, told in of.items():
        named = _found(head, text)
        if named:
            source, licence = SOURCE + line.text("src"), line.text("licence", "license")
            yield Described(source, licence, text, named[0], frozenset(told - {""}))


def _untold(described: Sequence[Described], rng: random.Random) -> Iterator[ReadingRow]:
    """A question for what a text does not tell of something, though others tell it of things like that one."""
    beside: dict[str, Counter[str]] = defaultdict(Counter)
    for one in described:
        for relation in one.told:
            beside[relation].update(one.told)
    for one in described:
        likely = sum((beside[relation] for relation in sorted(one.told)), Counter[str]())
        choices = sorted(set(likely) - one.told)
        if choices and len(one.told) >= LEAST_TOLD:
            [relation] = rng.choices(choices, [likely[choice] for choice in choices])
            question = asked_for(one.head, relation, rng)
            yield ReadingRow(
                source=one.source, licence=one.licence, question=question, context=one.text, answers=(), kind="none"
            )


@cache
def _properties() -> Mapping[str, str]:
    """The names of Wikidata's properties, by their codes."""
    return tomllib.loads((files(__package__) / "properties.toml").read_text(encoding="utf-8"))


def _name(text: str) -> str:
    return _TOLD_APART.sub("", written(text.replace("_", " ").strip('"')))


def _label(relation: str) -> str:
    """A relation's name in words; nothing for an unknown code, a long one, and a verb, asked for in many ways."""
    if _CODE.fullmatch(relation):
        return _properties().get(relation, "")
    words = _HUMP.sub(" ", relation.split(" / ")[0]).lower().split()
    if not words or len(words) > _LONGEST or is_third(words[0]):
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
