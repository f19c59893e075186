"""Paths: what joins two passages where neither is about what they have in common, and in which order they come."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.strategies.paths.link import Link, links_from, shared_names
from polyhop.strategies.paths.strategy import PassagePath, Paths, _merged
from polyhop.types import Budget
from tests.worlds.documents import write

# There is no passage on Robert Marrish, who bought the ferry and married Ines Harrow.
OWNER = {
    "dun_ferry.txt": "The Dun Ferry is a ferry on the River Oar. It was bought by Robert Marrish in 1902.",
    "ines_harrow.txt": "Ines Harrow was a banker. In 1911 she married Robert Marrish in Fennick.",
    "river_oar.txt": "The River Oar is a river of the north. It freezes in January, and eels are caught in it.",
    "fennick.txt": "Fennick is a town on the coast. It is known for its glass and its late trains.",
}
QUESTION = "Whom did the man who bought the Dun Ferry marry?"


@pytest.fixture(scope="module")
def ferries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """The ferry and its owner, open."""
    folder: Path = tmp_path_factory.mktemp("paths")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", OWNER), layers=("text", "parsekg"))
        with engine.view() as view:
            yield view


def place_of(beginning: str, over: View) -> int:
    """The number of the passage that begins so."""
    numbers: list[int] = over.text.lexical.numbers.tolist()
    return next(number for number in numbers if over.passages([number])[0].text.startswith(beginning))


def shared(over: View, *, question: str = "") -> list[Link]:
    """What is joined to the passage on the ferry."""
    source = place_of("The Dun Ferry", over)
    among = [place_of(beginning, over) for beginning in ("Ines Harrow", "The River Oar", "Fennick")]
    asked = over.kg.named_in(question)
    return list(shared_names(source, over.passages([source])[0], among, over, asked=asked))


def test_passages_that_speak_of_the_same_thing_are_joined_though_none_is_about_it(ferries: View) -> None:
    ferry, banker = place_of("The Dun Ferry", ferries), place_of("Ines Harrow", ferries)
    passage = ferries.passages([ferry])[0]
    assert banker not in [link.target for link in links_from(ferry, passage, ferries, per_entity=2)]
    links = {link.target: ferries.kg.entity(link.entity).name for link in shared(ferries)}
    assert links[banker] == "Robert Marrish"


def test_what_the_question_names_joins_nothing(ferries: View) -> None:
    banker = place_of("Ines Harrow", ferries)
    assert banker in [link.target for link in shared(ferries)]
    assert banker not in [link.target for link in shared(ferries, question="Who was Robert Marrish?")]


def test_both_ends_of_such_a_link_come_first(ferries: View) -> None:
    evidence = Paths(plan=False).retrieve(QUESTION, ferries, Budget(passages=4))
    assert [passage.text[:8] for passage in evidence.passages[:2]] == ["The Dun ", "Ines Har"]
    assert any("-(Robert Marrish)->" in line for line in evidence.trail)
    alone = Paths(plan=False, shared=0).retrieve(QUESTION, ferries, Budget(passages=4))
    assert not any("-(Robert Marrish)->" in line for line in alone.trail)


def test_better_paths_give_their_passages_sooner() -> None:
    """After the leading path, single passages and those of the other paths by turns, the best path first."""
    leading, second, third = (
        PassagePath(passages=passages, links=(), score=score)
        for passages, score in (((1, 2), 5.0), ((1, 3), 4.0), ((1, 4), 3.0))
    )
    ranking = _merged([leading], [(1, 5.0), (7, 1.0), (8, 0.5), (9, 0.2)], [leading, second, third])
    assert ranking == [(1, 5.0), (2, 5.0), (7, 1.0), (8, 0.5), (3, 4.0), (9, 0.2), (4, 3.0)]
