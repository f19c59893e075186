"""Whether a sentence denies what a question asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.sentences import sentence_spans
from polyhop.reading.negation import denies, negated_relation, spoken_of, turned, unsaid
from polyhop.reading.pointing import Pointing, Supporting
from polyhop.reading.reader import Quote
from polyhop.reading.rows import word_families
from polyhop.reading.weighing import Weighed, leaning_signs
from polyhop.types import Passage


@pytest.mark.parametrize(
    ("sentence", "question", "denied"),
    [
        ("You must not moor at the old pier.", "May I moor at the old pier?", True),
        ("Boats may moor at the pier.", "May boats moor at the pier?", False),
        ("Guests may swim, diving is not allowed, as the water is shallow.", "Is diving allowed?", True),
        ("Guests may swim, diving is not allowed, as the water is shallow.", "May guests swim?", False),
        ("Members may vote; guests have no vote.", "Do guests have a vote?", True),
        ("The glass dissolves and need not be taken out.", "Does the glass have to be taken out?", True),
        ("The lamp isn't lit in summer.", "Is the lamp not lit in summer?", False),
        ("Not only keepers may light it.", "May keepers light it?", False),
        ("It may be lit no later than ten.", "May it be lit at ten?", False),
        ("Yes, but never alone.", "May I climb the tower?", False),
        ("No. The tower is shut.", "May I climb the tower?", True),
        ("No - the tower is shut.", "May I climb the tower?", True),
        ("No you can't climb it.", "May I climb the tower?", True),
        ("No dogs are allowed on the beach.", "Are dogs banned from the beach?", False),
        ("No dogs are allowed on the beach.", "Are dogs allowed on the beach?", True),
        ("No. 5 Mill Lane is listed.", "Is 5 Mill Lane listed?", False),
        ("No: 5; Street: Mill Lane; Listed: yes", "Is 5 Mill Lane listed?", False),
        ("Gas: not included; Lamp: Heron", "Is gas included with the Heron?", True),
    ],
)
def test_a_negation_counts_in_the_clause_that_speaks_of_what_is_asked(
    sentence: str, question: str, denied: bool
) -> None:
    assert denies(sentence, question) is denied


def test_what_is_asked_is_spoken_of_as_far_as_a_clause_has_its_words() -> None:
    assert spoken_of("Dogs may swim, cats may not.", "May dogs swim?") == 1.0
    assert spoken_of("Dogs may walk, cats swim.", "May dogs swim?") == 0.5
    assert spoken_of("The lamp is lit.", "May dogs swim?") == 0.0


@given(st.text(max_size=60), st.text(max_size=40))
def test_any_text_is_read(sentence: str, question: str) -> None:
    assert denies(sentence, question) in (True, False)
    assert 0 <= spoken_of(sentence, question) <= 1
    assert all(turned(quote, question) in (True, False, None) for quote in quotes_of(sentence))


def test_small_words_are_of_no_family() -> None:
    """Also those that end in s: stemmed first, "this" would be a word that means something."""
    assert word_families("What is this, and whose was it besides?") == frozenset()
    assert word_families("these lamps") == word_families("a lamp")


def test_a_relation_may_say_that_something_is_not_so_or_since_when_it_is() -> None:
    for relation in ("not was a member of", "never married", "is no longer owned by", "didn't sail to"):
        assert negated_relation(relation), relation
    for relation in ("was a member of", "did not open until", "was not built before", "is not only in"):
        assert not negated_relation(relation), relation


def quotes_of(text: str, *, title: str = "Mill", heading: str = "") -> list[Quote]:
    """Each sentence of a passage below a heading."""
    said = f"{heading}\n\n{text}" if heading else text
    places = ((0, len(heading)),) if heading else ()
    passage = Passage(
        id="p", document_id="d", ordinal=0, start=0, end=len(said), title=title, text=said, headings=places
    )
    return [Quote(passage, *span) for span in sentence_spans(said) if span not in places]


GEESE = "No geese may graze on the green, except lame geese or, in May, those of the miller."
NO_LETTING = "The keeper shall not let the boat, unless the ferry is out of order."
SAILS = "Nobody shall sail by night. This does not apply to the pilot boat."
TOLLS = "Every cart pays a toll. Carts with hay are exempt."


@pytest.mark.parametrize(
    ("text", "question", "verdict"),
    [
        (GEESE, "May lame geese graze on the green?", True),
        (GEESE, "May the geese of the miller graze on the green?", True),
        (GEESE, "Are lame geese forbidden to graze on the green?", False),
        (GEESE, "May geese graze on the green?", None),
        (GEESE, "May young geese graze on the green?", None),
        (GEESE, "May anything except lame geese graze on the green?", None),
        (NO_LETTING, "May the keeper let the boat when the ferry is out of order?", True),
        (NO_LETTING, "May the keeper let the boat to a friend?", None),
        (NO_LETTING, "May the keeper let the boat while the ferry runs?", None),
        (SAILS, "May the pilot boat sail by night?", True),
        (SAILS, "May the barge sail by night?", None),
        (SAILS, "Does the ban apply to the pilot boat?", None),
        (TOLLS, "Does a cart with hay pay a toll?", False),
        (TOLLS, "Does a cart pay a toll?", None),
        ("Except for the pilot, nobody may land.", "May the pilot land?", True),
        ("All rooms have a stove, except room 4.", "Does room 4 have a stove?", False),
        ("All rooms have a stove, except room 4.", "Does room 5 have a stove?", None),
        ("No boat may leave unless the lamp is not lit.", "May a boat leave when the lamp is lit?", None),
    ],
)
def test_an_exception_turns_the_rule_for_what_is_excepted_only(text: str, question: str, verdict: bool | None) -> None:
    """Whether the rule or an exception that stands behind it by itself is what is read."""
    assert {turned(quote, question) for quote in quotes_of(text)} == {verdict}


@pytest.mark.parametrize(
    ("text", "heading", "question", "verdict"),
    [
        ("Colza 2 was switched off in May.", "", "Is colza 2 still supported?", False),
        ("Colza 2 was switched off in May.", "", "Does the mill still take colza 2?", False),
        ("Colza 3 is burnt; colza 2 was phased out.", "", "Is colza 3 still supported?", None),
        ("Colza 2 was switched off in May.", "", "Was colza 2 switched off?", None),
        ("Colza 2 was switched off in May.", "", "Was colza 2 supported?", None),  # before
        ("- Support for colza 2.", "Removed", "Is colza 2 supported by the mill?", False),
        ("- Support for colza 2.", "Removed", "Does the mill still support colza 4?", None),
        ("- Support for colza 2.", "Removed", "Was support for colza 2 removed?", None),
        ("- Support for colza 2.", "Added", "Is colza 2 supported by the mill?", None),
        ("The toll of the ferry was abolished.", "", "Is the ferry free?", None),  # by what ended
        ("The bark must be removed before use.", "", "Is the bark used?", None),
        ("The mill, built by Ada Brisk, was closed down in 1902.", "", "Was the mill built by Ada Brisk?", None),
    ],
)
def test_what_has_ended_is_so_no_longer(text: str, heading: str, question: str, verdict: bool | None) -> None:
    assert {turned(quote, question) for quote in quotes_of(text, heading=heading)} == {verdict}


def test_what_an_exception_turns_counts_more_than_the_model() -> None:
    """That has read the rule."""
    question = "May lame geese graze on the green?"
    told = Pointing(question=question, sentences=(Supporting(0.8, quotes_of(GEESE)[0]),), yes=0.1, no=0.8, none=0.1)
    model, said = leaning_signs(Weighed(each=told, together=told, found=told))
    assert model > 0
    assert said > 0


def test_a_word_is_said_in_whichever_of_its_forms() -> None:
    assert unsaid(word_families("dropped used lamp 3"), word_families("drop use 30")) == {"lamp", "3"}
