"""What a step may have found: names that its passages give, and where each leads."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.view import View
from polyhop.strategies.shared.leads import Leads
from tests.worlds.settings import QUICK

BORN = "Where was the captain of the Heron born?"


@pytest.fixture
def view(engine: Polyhop) -> Iterator[View]:
    """The world, as strategies see it."""
    with engine.view() as view:
        yield view


def names(view: View, question: str, asked: str, *titles: str, left: str = "") -> list[str]:
    """What a step may have found in the passages about some things, the best first."""
    sources = [number for title in titles for number in view.text.titles.about(title)]
    leads = Leads(question=question, over=view, values=6, links=6)
    found = leads.of(asked, sources, lambda _: (), lambda name: f"When did {name} die?", lambda _: 0.0, left=left)
    return [lead.name for lead in found]


def test_no_step_finds_what_the_question_names_already(view: View) -> None:
    """What has to be found is described: the building that is named is not its architect's teacher."""
    asked = "Who was the teacher of Edda Marrish?"
    found = names(view, "Where was the teacher of Edda Marrish born?", asked, "Edda Marrish")
    named = names(view, "Where was the teacher of the architect of Harrowmere Lighthouse born?", asked, "Edda Marrish")
    assert "Harrowmere Lighthouse" in found
    assert "Harrowmere Lighthouse" not in named
    assert named


def test_a_later_step_is_judged_by_what_is_left_of_the_question(view: View) -> None:
    """The passages that tell who taught the architect, and where he was born, do not speak of her lighthouse."""
    whole = "Where was the teacher of the architect of Harrowmere Lighthouse born?"
    asked = "Who is the teacher of Edda Marrish?"
    by_all = names(view, whole, asked, "Edda Marrish")
    by_what_is_left = names(view, whole, asked, "Edda Marrish", left=f"{asked} Where was the teacher born?")
    assert by_what_is_left[0] == "Corwin Ashgrave"
    assert by_all[0] != "Corwin Ashgrave"


def test_a_step_reads_all_its_passages_and_not_only_the_one_about_what_it_names(tmp_path: Path) -> None:
    """The page of the barge names one who was saved; that she had a captain, and who, stands on his."""
    texts = {
        "Heron": "The Heron was a barge. She struck the mole. Her captain was lost; the boy, Tam Vell, was saved.",
        "Abel Rook": "Abel Rook was born at Dovrany in 1304. He commanded the Heron from 1333 until she sank.",
    }
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        for title, text in texts.items():
            engine.add_text(text, f"{title}.txt")
        with engine.view() as view:
            assert "Abel Rook" in names(view, BORN, "Who was the captain of the Heron?", *texts)
