"""How questions word relations, what stands around their values, and the descriptions inside questions."""

from __future__ import annotations

import pytest

from polyhop.english.relations import BY_NAME, relation_of, sole_relation
from polyhop.reading.subjects import likeness, names_in


@pytest.mark.parametrize(
    ("name", "before"),
    [
        ("father", "Orla Venn was the second daughter of "),
        ("father", "His father was the ropemaker "),
        ("mother", "She was the daughter of Tam Venn and his wife "),
        ("spouse", "In 1812 he married the Danish painter "),
        ("director", "Low Tide is a 1954 film written and directed by "),
        ("place of birth", "Orla Venn (born 3 May 1801 in "),
        ("place of birth", "Orla Venn ("),
        ("place of death", "Orla Venn (3 May 1801, Harl – 4 June 1870, "),
        ("place of death", "She died of a fever in "),
        ("date of death", "Orla Venn (3 May 1801 – "),
        ("place of burial", "He is buried at the "),
        ("alma mater", "She studied law at the "),
        ("founding date", "The guild was founded by nine masters in "),
    ],
)
def test_cue_stands_before_the_value(name: str, before: str) -> None:
    assert BY_NAME[name].cue(before) > 0.3


def test_cue_is_silent_about_another_relation() -> None:
    """Where she was born is not where she died, and whom she married is not her father."""
    assert BY_NAME["place of death"].cue("She was born in ") == 0.0
    assert BY_NAME["father"].cue("In 1812 she married ") == 0.0


def test_cue_trusts_a_nearer_word_more() -> None:
    died = BY_NAME["place of death"]
    assert died.cue("She died in ") > died.cue("She died in Harl, and was mourned at the old school in ")


def test_reverse_cue_stands_before_the_thing() -> None:
    """In a text about the father, the words before the child tell as much."""
    assert BY_NAME["father"].reversed("Tam Venn was a miller and the father of ")
    assert not BY_NAME["father"].reversed("Tam Venn was a pupil of ")


@pytest.mark.parametrize(
    ("noun", "text"), [("captain", "The captain of the Gull was "), ("builder", "It was built by ")]
)
def test_roles_outside_the_table_are_understood(noun: str, text: str) -> None:
    relation = relation_of(noun)
    assert relation is not None
    assert relation.cue(text) > 0.3


def test_things_are_no_roles() -> None:
    assert relation_of("harbour") is None


@pytest.mark.parametrize(
    ("question", "relation", "thing"),
    [
        ("Where was Orla Venn born?", "place of birth", "Orla Venn"),
        ("In what town was Orla Venn born?", "place of birth", "Orla Venn"),
        ("Who is the director of the film Low Tide?", "director", "Low Tide"),
        ("What is Orla Venn's occupation?", "occupation", "Orla Venn"),
    ],
)
def test_sole_relation_is_all_that_a_plain_question_asks(question: str, relation: str, thing: str) -> None:
    found = sole_relation(question, names_in(question, ()))
    assert found is not None
    assert (found[0].name, found[1]) == (relation, thing)


def test_sole_relation_is_none_where_the_question_says_more() -> None:
    question = "Where was the youngest professor at Orla Venn's academy born?"
    assert sole_relation(question, names_in(question, ())) is None


def test_likeness_overlooks_case_accents_and_what_tells_namesakes_apart() -> None:
    assert likeness("Élan Strand", "elan strand") == 1.0
    assert likeness("Low Tide", "Low Tide (film)") > 0.9
    assert 0.6 < likeness("Orla Venn", "Orla Maria Venn") < 0.9
    assert likeness("Orla Venn", "Tam Ostler") == 0.0


def test_titles_tell_names_that_contain_commas() -> None:
    question = "Is Red Sails, Grey Sails older than Low Tide?"
    names = [question[start:end] for start, end in names_in(question, ["Red Sails, Grey Sails"])]
    assert names == ["Red Sails, Grey Sails", "Low Tide"]
