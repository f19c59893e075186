"""Names for what is made up, put together from syllables: people, places, firms, models and the like."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final


@cache
def words() -> Mapping[str, Any]:
    """The words that ``names.toml`` has, by what they are for."""
    return tomllib.loads((files(__package__) / "names.toml").read_text(encoding="utf-8"))


def one_of(group: str, rng: random.Random) -> str:
    """One of the words that are for something."""
    return str(rng.choice(words()[group]))


def _word(rng: random.Random) -> str:
    return f"{one_of('beginnings', rng)}{rng.choice(('', *words()['middles']))}{one_of('endings', rng)}"


def person(rng: random.Random) -> str:
    """A first and a last name, or an initial and a last name."""
    return rng.choice((f"{one_of('first', rng)} {_word(rng)}", f"{one_of('first', rng)[0]}. {_word(rng)}"))


def firm(rng: random.Random) -> str:
    """A name that firms have."""
    return f"{_word(rng)}{rng.choice(('', ' & Sons', ' Ltd', ' Medical', ' GmbH', ' Tools', ' Brothers'))}"


def code(rng: random.Random) -> str:
    """Letters and a number, as models and parts are called."""
    letters = "".join(rng.choices("ABCDEFGHKLMNPRSTVWX", k=rng.randint(1, 3)))
    return f"{letters}{rng.choice(('-', ' ', ''))}{rng.choice((10, 100, 5, 1)) * rng.randint(1, 90)}"


NAMERS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "model": lambda rng: rng.choice((code(rng), f"{_word(rng)} {rng.randint(2, 99)}")),
    "article": lambda rng: f"{one_of('of_articles', rng)} {one_of('articles', rng)}",
    "vehicle": lambda rng: f"{rng.choice(('van', 'car', 'truck', 'trailer'))} {rng.randint(1, 12)}",
    "person": person,
    "site": _word,
    "room": lambda rng: rng.choice((f"Room {rng.randint(1, 320)}", f"{_word(rng)} Hall")),
    "sample": lambda rng: rng.choice((one_of("samples", rng), f"sample {rng.randint(1, 60)}")),
    "service": lambda rng: f"{one_of('jobs', rng)} {rng.choice(('A', 'B', 'basic', 'plus', 'express'))}",
    "course": lambda rng: f"{one_of('courses', rng)} {rng.choice(('I', 'II', 'evening', 'for beginners', 'weekend'))}",
}
