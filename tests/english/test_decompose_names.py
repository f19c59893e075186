"""Names in a question are found without a model."""

from __future__ import annotations

import pytest

from polyhop.english.question import mentions


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Where was Mira van der Vale born?", ("Mira van der Vale",)),
        ("Who succeeded Ada, Duchess of Orsa?", ("Ada, Duchess of Orsa",)),
        ("When did Oskar Lund, 2nd Baron Velm's father die?", ("Oskar Lund, 2nd Baron Velm",)),
        ("Who directed the film Harrow of the North?", ("Harrow of the North",)),
        ("Who wrote the book Rain and River?", ("Rain and River",)),
        ("Do both films Rain and River end well?", ("Rain", "River")),
        ('Who sang "the last light" in Velm?', ("the last light", "Velm")),
        ("Who composed the song 17 Candles?", ("17 Candles",)),
        ("Which country is Ada Lund from?", ("Ada Lund",)),
        ("Velm's mayor met whom?", ("Velm",)),
        ("Is Lund (Poet) a writer?", ("Lund (Poet)",)),
        ("Are Ada Lund and Bo Vale Danish?", ("Ada Lund", "Bo Vale", "Danish")),
        ("Are Ada Lund and Bo Vale Danish painters?", ("Ada Lund", "Bo Vale", "Danish")),
        ("Was the director of Low Water Danish?", ("Low Water", "Danish")),
        ("Was Ada Lund taught by Bo Welsh?", ("Ada Lund", "Bo Welsh")),
        ("Did Daniel French sculpt it?", ("Daniel French",)),
        ("Where did Martin Fitch live?", ("Martin Fitch",)),
        ("Where was James Dean born?", ("James Dean",)),
        ("What happened on 3 May 1931?", ()),
        ("how does a heron fish?", ()),
        ("", ()),
    ],
)
def test_mentions_finds_names(question: str, names: tuple[str, ...]) -> None:
    """Runs of capitals with the small words inside them, quotations, announced titles; no question words."""
    assert mentions(question) == names


def test_a_mention_is_listed_once() -> None:
    """In the order of first occurrence."""
    assert mentions("Did Ada meet Oskar before Oskar met Ada?") == ("Ada", "Oskar")
