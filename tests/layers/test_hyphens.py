"""Hyphenated words: one word each in a sentence's tree, so that no name and no end of a fact is cut at a hyphen."""

from __future__ import annotations

import pytest

from polyhop.layers.facts.syntax.facts import facts_of
from polyhop.layers.grammar.hyphens import main_part
from polyhop.layers.grammar.topic import TITLE
from polyhop.layers.grammar.tree import Named, ParseTree
from polyhop.models.choice import Models
from polyhop.types import Passage


def tree_of(text: str, models: Models, *titles: Named) -> ParseTree:
    """The tree of the only sentence of a text, by the real parser."""
    [[sentence]] = models.parser.parse([text])
    return ParseTree(text, sentence, titles)


def names_in(tree: ParseTree) -> list[str]:
    return [tree.text[name.start : name.end] for name in tree.entities]


@pytest.mark.parametrize(
    ("text", "triple"),
    [
        ("Stratford-upon-Avon was visited by Ada Brisk.", ("Stratford-upon-Avon", "was visited by", "Ada Brisk")),
        ("Jean-Luc Moreau was born in Aix-en-Provence.", ("Jean-Luc Moreau", "born in", "Aix-en-Provence")),
        ("Harbour Co-operative Bank was founded by Cy Oak.", ("Harbour Co-operative Bank", "was founded by", "Cy Oak")),
        ("The Ellerton Re-use Centre was opened by Ben Roe.", ("Ellerton Re-use Centre", "was opened by", "Ben Roe")),
        (
            "The Saltmarsh Cycle Co-operative repaired an e-bike.",
            ("Saltmarsh Cycle Co-operative", "repaired", "e-bike"),
        ),
        ("Rock-a-Doodle was directed by Don Bluth.", ("Rock-a-Doodle", "was directed by", "Don Bluth")),
        (
            "Ben Roe gave a boat to the Burnham-on-Sea Town Council.",
            ("Ben Roe", "gave boat to", "Burnham-on-Sea Town Council"),
        ),
        ("Ada Brisk's mother-in-law, Anna Bell, lives in Ost.", ("Ada Brisk", "mother-in-law", "Anna Bell")),
        ("Major-General Randal Rumley founded the club.", ("Randal Rumley", "founded", "club")),
        ("Anna Bell is a French-born engineer.", ("Anna Bell", "nationality", "French")),
        ("Anna Bell is a German-American engineer.", ("Anna Bell", "nationality", "German-American")),
    ],
)
def test_a_hyphenated_word_is_whole_in_facts(models: Models, text: str, triple: tuple[str, str, str]) -> None:
    passage = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(text), title="", text=text)
    [sentences] = models.parser.parse([text])
    facts = facts_of(passage, sentences)
    assert triple in [(fact.head, fact.relation, fact.tail) for fact in facts]
    ends = {end for fact in facts for end in (fact.head, fact.tail)}
    assert ends.isdisjoint({"Stratford", "Aix", "Bank", "Centre", "Saltmarsh Cycle Co", "operative"})


def test_what_is_only_beside_a_hyphen_stays_apart(models: Models) -> None:
    tree = tree_of("The shop on pages 3-5 was open Monday-Friday in 1990-1995 at a five-star price.", models)
    assert {"pages", "3", "5", "Monday", "Friday", "1990", "1995", "five"} <= set(tree.forms)


def test_a_name_that_begins_a_describing_word_is_no_longer_than_it_was(models: Models) -> None:
    tree = tree_of("Anna Bell sold the London-based company.", models)
    assert "London" in names_in(tree)


def test_a_dash_between_spaces_joins_nothing(models: Models) -> None:
    tree = tree_of("The Coca-Cola Company - a firm - bought the mill.", models)
    assert tree.forms[:7] == ["The", "Coca-Cola", "Company", "-", "a", "firm", "-"]


def test_a_title_is_not_seen_in_a_longer_word(models: Models) -> None:
    text = "Anna Bell lives in Stratford-upon-Avon."
    start = text.index("Stratford")
    tree = tree_of(text, models, Named(start, start + len("Stratford"), TITLE))
    assert TITLE not in [name.label for name in tree.entities]


@pytest.mark.parametrize(
    ("word", "part"),
    [("great-aunt", "aunt"), ("editor-in-chief", "editor"), ("Major-General", "General"), ("sister", "sister")],
)
def test_the_main_part_of_a_word_says_what_it_is(word: str, part: str) -> None:
    assert main_part(word) == part
