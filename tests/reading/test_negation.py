"""Whether a sentence denies what a question asks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.reading.negation import denies, negated_relation, spoken_of
from polyhop.reading.rows import word_families


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


def test_small_words_are_of_no_family() -> None:
    """Also those that end in s: stemmed first, "this" would be a word that means something."""
    assert word_families("What is this, and whose was it besides?") == frozenset()
    assert word_families("these lamps") == word_families("a lamp")


def test_a_relation_may_say_that_something_is_not_so_or_since_when_it_is() -> None:
    for relation in ("not was a member of", "never married", "is no longer owned by", "didn't sail to"):
        assert negated_relation(relation), relation
    for relation in ("was a member of", "did not open until", "was not built before", "is not only in"):
        assert not negated_relation(relation), relation
