"""Whether a step that was cut out of a question can be asked by itself."""

from __future__ import annotations

import pytest

from polyhop.english.question import Words
from polyhop.planning.rules.statements import read_step
from polyhop.planning.stands_alone import asks_something, describes, stands_alone


def words(question: str) -> Words:
    return read_step(question.rstrip("?"), ["Ada Lund", "Velm", "Orsa"])


@pytest.mark.parametrize(
    "question",
    [
        "Who is the founder of Velm?",
        "Who is the highest paid player of the league?",
        "What is the tower built by Ada Lund?",
        "What was #1 named after?",
        "What is the town that they sail to?",
        "What is the town they sail to in Velm?",
        "Which firm had its seat in Velm?",
        "Did #1 see it float?",
        "Did the twins have the same teacher?",
        "Is Velm in the same county as Orsa?",
        "Which team did the town they were in support?",
    ],
)
def test_a_whole_question_stands_alone(question: str) -> None:
    assert stands_alone(words(question))


@pytest.mark.parametrize(
    "question",
    [
        "Who is the first head of her institute?",
        "Where was its leading lady born?",
        "Which mountain had he climbed?",
        "Who is the same director?",
        "What is Ada Lund won medals in 1948?",
        "What is the captain went to school?",
        "Which #1 was a pupil?",
        'Which singer did "Low Water" was born?',
        "",
    ],
)
def test_what_was_cut_in_a_wrong_place_does_not(question: str) -> None:
    """A pronoun without what it stands for, a clause where a thing was to be named, a noun that an answer replaced."""
    assert not stands_alone(words(question))


def test_a_step_says_more_than_what_it_refers_to() -> None:
    assert asks_something("Who has #1?")
    assert not asks_something("Was #1?")
    assert not asks_something("Who came when #1?")


def test_a_statement_asks_nothing() -> None:
    assert asks_something("Its tower was built in?")
    assert asks_something("Population of #1?")
    assert asks_something("Name the towns that #1 fined?")
    assert not asks_something("Low Water is a play by #1?")


def test_a_clause_about_a_noun_elsewhere_describes_nothing_by_itself() -> None:
    """No thing is called "who paid for the house", in "when was the duchess born who paid for the house"."""
    assert describes(words("the house where Ada Lund was born"))
    assert describes(words("where Ada Lund was born"))
    assert not describes(words("who paid for the house"))
    assert not describes(words("for which Ada Lund paid"))


def test_what_holds_the_question_itself_describes_nothing() -> None:
    assert not describes(words("the song of what film directed by Ada Lund"))
    assert not describes(words("the singer who was born in what year"))


def test_a_clause_behind_a_preposition_describes_its_noun() -> None:
    """In "the town in which #1 died" nothing is asked, and neither is in "the ship on which three people died"."""
    assert describes(words("the town in which #1 died"))
    assert describes(words("the ship on which three people died"))
    assert not describes(words("the team from which town"))
