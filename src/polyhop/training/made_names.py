"""Names for what is made up, put together from syllables: people, places, firms, models and the like."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Final

_BEGINNINGS: Final = (
    "Bal",
    "Cor",
    "Den",
    "El",
    "Far",
    "Gil",
    "Har",
    "Ist",
    "Jor",
    "Kel",
    "Lom",
    "Mar",
    "Nor",
    "Os",
    "Pel",
)
_MIDDLES: Final = ("a", "e", "i", "o", "and", "er", "in", "ov", "um", "ast", "ill", "or")
_ENDINGS: Final = (
    "bury",
    "dale",
    "den",
    "ford",
    "ham",
    "lin",
    "mere",
    "mont",
    "ney",
    "ric",
    "sen",
    "ton",
    "vik",
    "wick",
)
_FIRST: Final = (
    "Ada",
    "Ben",
    "Carla",
    "Dev",
    "Esme",
    "Finn",
    "Greta",
    "Hugo",
    "Ines",
    "Jarek",
    "Kofi",
    "Lena",
    "Milo",
    "Nia",
)
_ARTICLES: Final = (
    "pump",
    "filter",
    "hose",
    "bracket",
    "lamp",
    "battery",
    "folder",
    "glove",
    "valve",
    "sensor",
    "cable",
    "drum",
)
_OF_ARTICLES: Final = (
    "small",
    "large",
    "spare",
    "steel",
    "outdoor",
    "folding",
    "double",
    "standard",
    "heavy-duty",
    "round",
)
_JOBS: Final = ("cleaning", "repair", "hire", "delivery", "survey", "maintenance", "storage", "printing", "translation")
_COURSES: Final = (
    "first aid",
    "Spanish",
    "welding",
    "choir",
    "swimming",
    "bookkeeping",
    "pottery",
    "yoga",
    "fire drill",
)
_SAMPLES: Final = (
    "well water",
    "tap water",
    "soil",
    "sludge",
    "milk",
    "dust",
    "rain",
    "paint",
    "river water",
    "leachate",
)


def _word(rng: random.Random) -> str:
    return rng.choice(_BEGINNINGS) + rng.choice(("", *_MIDDLES)) + rng.choice(_ENDINGS)


def person(rng: random.Random) -> str:
    """A first and a last name, or an initial and a last name."""
    return rng.choice((f"{rng.choice(_FIRST)} {_word(rng)}", f"{rng.choice(_FIRST)[0]}. {_word(rng)}"))


def firm(rng: random.Random) -> str:
    """A name that firms have."""
    return f"{_word(rng)}{rng.choice(('', ' & Sons', ' Ltd', ' Medical', ' GmbH', ' Tools', ' Brothers'))}"


def code(rng: random.Random) -> str:
    """Letters and a number, as models and parts are called."""
    letters = "".join(rng.choices("ABCDEFGHKLMNPRSTVWX", k=rng.randint(1, 3)))
    return f"{letters}{rng.choice(('-', ' ', ''))}{rng.choice((10, 100, 5, 1)) * rng.randint(1, 90)}"


NAMERS: Final[Mapping[str, Callable[[random.Random], str]]] = {
    "model": lambda rng: rng.choice((code(rng), f"{_word(rng)} {rng.randint(2, 99)}")),
    "article": lambda rng: f"{rng.choice(_OF_ARTICLES)} {rng.choice(_ARTICLES)}",
    "vehicle": lambda rng: f"{rng.choice(('van', 'car', 'truck', 'trailer'))} {rng.randint(1, 12)}",
    "person": person,
    "site": _word,
    "room": lambda rng: rng.choice((f"Room {rng.randint(1, 320)}", f"{_word(rng)} Hall")),
    "sample": lambda rng: rng.choice((rng.choice(_SAMPLES), f"sample {rng.randint(1, 60)}")),
    "service": lambda rng: f"{rng.choice(_JOBS)} {rng.choice(('A', 'B', 'basic', 'plus', 'express'))}",
    "course": lambda rng: f"{rng.choice(_COURSES)} {rng.choice(('I', 'II', 'evening', 'for beginners', 'weekend'))}",
}
