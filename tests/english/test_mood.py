"""What a clause says is done is told from what is only proposed, supposed or denied, by the form of its verb."""

from __future__ import annotations

import pytest

from polyhop.english.events import Mood, is_carried, mood_at


def mood(said: str, verb: str = "moved") -> Mood:
    """The mood of the last such verb in a sentence."""
    return mood_at(said, said.rindex(verb))


@pytest.mark.parametrize(
    "said",
    [
        "The tide was wrong, so the fair is moved to Saturday.",
        "The fair is to be moved to Saturday.",
        "As you asked, the fair is moved to Saturday.",
        "The fair moved to Saturday at the wish of its guests.",
        "Let me know if you can come, as the fair is moved to Saturday.",
        "Resolved, that the fair be moved to Saturday.",
        "It was proposed by Tam and agreed that the fair be moved to Saturday.",
        "It was agreed that the fair should be moved to Saturday.",
        "Tam told us that the fair would be moved to Saturday.",
    ],
)
def test_the_indicative_and_what_was_decided_is_done(said: str) -> None:
    assert mood(said) is Mood.DONE


@pytest.mark.parametrize(
    "said",
    [
        "Ms Brisk proposed that the fair be moved to Saturday.",
        "Ms Brisk proposes that the fair is moved to Saturday.",
        "Guests want the fair to be moved to Saturday.",
        "The fair might be moved to Saturday.",
        "Tam said that the fair should be moved to Saturday.",
        "The fair would then be moved to Saturday.",
        "Motion 4: the fair is moved to Saturday.",
    ],
)
def test_the_subjunctive_and_what_somebody_wishes_is_proposed(said: str) -> None:
    assert mood(said) is Mood.PROPOSED


@pytest.mark.parametrize(
    "said",
    [
        "The fair has not been moved to Saturday.",
        "The fair isn't moved to Saturday.",
        "If it rains, the fair is moved to Saturday.",
        "The fair is moved to Saturday if it rains.",
        "Nobody knows whether the fair is moved to Saturday.",
    ],
)
def test_what_is_denied_or_supposed_is_unreal(said: str) -> None:
    assert mood(said) is Mood.UNREAL


def test_an_infinitive_is_done_unless_it_is_only_wished_for() -> None:
    assert mood("We have to move the fair to Saturday.", "move") is Mood.DONE
    assert mood("They decided to move the fair to Saturday.", "move") is Mood.DONE
    assert mood("The motion to move the fair to Saturday was lost.", "move") is Mood.PROPOSED
    assert mood("They refused to move the fair to Saturday.", "move") is Mood.PROPOSED
    assert mood("They decided not to move the fair to Saturday.", "move") is Mood.UNREAL
    assert mood("Could we move the fair to Saturday, please.", "move") is Mood.PROPOSED


def test_what_is_no_verb_has_the_mood_of_the_one_before_it() -> None:
    for said, told in (("is", Mood.DONE), ("would be", Mood.PROPOSED), ("is not", Mood.UNREAL)):
        sentence = f"The fair {said} on Saturday 21 June instead."
        assert mood_at(sentence, sentence.index("instead"), is_verb=False) is told


@pytest.mark.parametrize(
    ("rest", "carried"),
    [
        (["be moved.", "For: 5.", "Against: 2.", "Carried."], True),
        (["be moved.", "For: 2.", "Against: 5.", "Lost."], False),
        (["be moved.", "Not carried."], False),
        (["be moved.", "Tam moved that the bridge be painted.", "Carried."], False),
        (["move it to Saturday was adopted."], True),
        (["be moved."], False),
    ],
)
def test_the_first_outcome_tells_what_became_of_a_proposal(rest: list[str], carried: bool) -> None:
    assert is_carried(rest) is carried
