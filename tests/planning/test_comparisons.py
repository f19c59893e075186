"""Questions that compare two things, or tell when they were, by grammar alone: what is asked of each of them."""

from __future__ import annotations

import pytest

from polyhop.planning.by_rules import ByRules
from polyhop.plans import Plan


def planned(question: str, *names: str) -> Plan:
    return ByRules().plan(question, names, None)


def steps(question: str, *names: str) -> list[str]:
    return [step.question for step in planned(question, *names).steps]


@pytest.mark.parametrize(
    ("word", "hops"),
    [
        ("maternal grandfather", ["mother", "father"]),
        ("paternal grandmother", ["father", "mother"]),
        ("father-in-law", ["spouse", "father"]),
        ("sister-in-law", ["spouse", "sister"]),
        ("uncle", ["parent", "brother"]),
        ("aunt", ["parent", "sister"]),
        ("paternal uncle", ["father", "brother"]),
        ("stepmother", ["father", "wife"]),
        ("grandchild", ["child", "child"]),
    ],
)
@pytest.mark.parametrize("pattern", ["Who is the {} of Ada Lund?", "Who is Ada Lund's {}?"])
def test_a_kinship_word_hides_hops(pattern: str, word: str, hops: list[str]) -> None:
    """Documents say who somebody's father is, hardly ever who their paternal grandmother is."""
    first, second = hops
    plan = planned(pattern.format(word))
    assert [step.question for step in plan.steps] == [f"Who is the {first} of Ada Lund?", f"Who is the {second} of #1?"]
    assert [step.target for step in plan.steps] == hops


@pytest.mark.parametrize(
    ("question", "comparator", "step"),
    [
        ("Who is older, Ada Lund or Oskar Vale?", "earlier", "When was Ada Lund born?"),
        ("Who was born later, Ada Lund or Oskar Vale?", "later", "When was Ada Lund born?"),
        ("Was Ada Lund or Oskar Vale born first?", "earlier", "When was Ada Lund born?"),
        ("Who was born first out of Ada Lund and Oskar Vale?", "earlier", "When was Ada Lund born?"),
        ("Who died first, Ada Lund or Oskar Vale?", "earlier", "When did Ada Lund die?"),
        ("Which film was released more recently, Low Water or Rain?", "later", "When was Low Water released?"),
        ("Which film came out first, Low Water or Rain?", "earlier", "When did Low Water come out?"),
        ("Which tower is taller, Velm Tower or Orsa Spire?", "larger", "How tall is Velm Tower?"),
        ("Which genus has more species, Velmia or Orsaea?", "larger", "How many species does Velmia have?"),
        ("Which is a kind of moss, Velmia or Orsaea?", "either", "Is Velmia a kind of moss?"),
    ],
)
def test_a_choice_measures_both_options(question: str, comparator: str, step: str) -> None:
    """Each option is asked about once, and the comparator says which answer wins."""
    plan = planned(question)
    assert plan.shape == "comparison"
    assert plan.steps[0].question == step
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.operands) == (comparator, (0, 1))


@pytest.mark.parametrize(
    ("question", "comparator", "step"),
    [
        ("Was Velm Tower finished before Orsa Spire?", "earlier", "When was Velm Tower finished?"),
        ("Was Ada Lund born after Oskar Vale was?", "later", "When was Ada Lund born?"),
        ("Did Ada Lund die before Oskar Vale?", "earlier", "When did Ada Lund die?"),
        ("Did Velm Tower open before Orsa Spire did?", "earlier", "When did Velm Tower open?"),
        ("Is Velm Tower taller than the Orsa Spire?", "larger", "How tall is Velm Tower?"),
        ("Is the Basic plan cheaper than the Pro plan?", "smaller", "How expensive is the Basic plan?"),
    ],
)
def test_an_order_that_is_asserted_measures_both(question: str, comparator: str, step: str) -> None:
    """Whether the first one is it is a yes/no question over two measures."""
    plan = planned(question)
    assert plan.steps[0].question == step
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.operands, plan.final.whether) == (comparator, (0, 1), True)


@pytest.mark.parametrize(
    ("question", "comparator", "asked"),
    [
        ("Did Ada Lund leave before the war?", "earlier", ["When did Ada Lund leave?", "When was the war?"]),
        ("Did the ferry leave after the signing?", "later", ["When did the ferry leave?", "When was the signing?"]),
        (
            "Did the milk arrive before the bread?",
            "earlier",
            ["When did the milk arrive?", "When did the bread arrive?"],
        ),
        ("Was Red Hall built after the inn?", "later", ["When was Red Hall built?", "When was the inn built?"]),
        ("Were the mills sold before the inn?", "earlier", ["When were the mills sold?", "When was the inn sold?"]),
        ("Did the miller outlive the reeve?", "later", ["When did the miller die?", "When did the reeve die?"]),
        (
            "Was the curate still alive when his pupil saved the wood?",
            "later",
            ["When did the curate die?", "When did the curate's pupil save the wood?"],
        ),
        (
            "Had the bridge been built when the duke died?",
            "earlier",
            ["When had the bridge been built?", "When did the duke die?"],
        ),
        (
            "Had the fair not yet ended when Ada Lund came?",
            "later",
            ["When had the fair ended?", "When did Ada Lund come?"],
        ),
        (
            "Did Ada Lund pay before she signed the lease?",
            "earlier",
            ["When did Ada Lund pay?", "When did Ada Lund sign the lease?"],
        ),
    ],
)
def test_what_was_before_something_else_asks_when_both_were(question: str, comparator: str, asked: list[str]) -> None:
    plan = planned(question)
    assert [step.question for step in plan.steps] == asked
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.options, plan.final.whether) == (comparator, (), True)


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "How many years after Velm Tower was Orsa Spire finished?",
            ["When was Velm Tower finished?", "When was Orsa Spire finished?"],
        ),
        (
            "How long after the order was signed did the boiler arrive?",
            ["When was the order signed?", "When did the boiler arrive?"],
        ),
        (
            "How many days passed between the founding of the mill and that of the inn?",
            ["When was the founding of the mill?", "When was the founding of the inn?"],
        ),
        (
            "How many years were there between the founding of Velm Tower and Orsa Spire?",
            ["When was the founding of Velm Tower?", "When was the founding of Orsa Spire?"],
        ),
        ("How old was Ada Lund when she left Velm?", ["When was Ada Lund born?", "When did Ada Lund leave Velm?"]),
        (
            "How old was the author of Low Tide when he died?",
            ["When was the author of Low Tide born?", "When did the author of Low Tide die?"],
        ),
        ("How much longer is the Velm Bridge than the Orsa Bridge?", ["How long is the Velm Bridge?"]),
        ("How many metres higher is Velm Tower than Orsa Spire?", ["How high is Velm Tower?"]),
        ("By how many metres is Velm Tower higher than Orsa Spire?", ["How high is Velm Tower?"]),
        ("By how much is Velm Tower higher than Orsa Spire?", ["How high is Velm Tower?"]),
        ("How many more pages does Low Tide have than Red Sails?", ["How many pages does Low Tide have?"]),
        ("How many more prizes did Ada Lund win than Oskar Vale?", ["How many prizes did Ada Lund win?"]),
        ("How much older is Ada Lund than Oskar Vale?", ["How old is Ada Lund?", "How old is Oskar Vale?"]),
    ],
)
def test_how_far_two_things_lie_apart_asks_for_both(question: str, asked: list[str]) -> None:
    """Two dates, or two amounts, which nobody needs to have compared in writing."""
    plan = planned(question)
    assert [step.question for step in plan.steps][: len(asked)] == asked
    assert plan.final is not None
    assert plan.final.comparator == "apart"


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "Was Velm Tower finished before or after Orsa Spire?",
            ["When was Velm Tower finished?", "When was Orsa Spire finished?"],
        ),
        (
            "Did Ada Lund leave before or after she signed the lease?",
            ["When did Ada Lund leave?", "When did Ada Lund sign the lease?"],
        ),
        ("Was the mill built after or before the war?", ["When was the mill built?", "When was the war?"]),
        ("Was the mill built before or after the inn?", ["When was the mill built?", "When was the inn built?"]),
    ],
)
def test_before_or_after_is_told_by_when_both_were(question: str, asked: list[str]) -> None:
    plan = planned(question)
    assert [step.question for step in plan.steps] == asked
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.options) == ("earlier", ("before", "after"))


@pytest.mark.parametrize(
    "question",
    [
        "Should I take it before or after meals?",
        "Do I pay before or after the course?",
        "How long does the test take after the repair?",
        "How old do you have to be when you join?",
        "How many days before departure can I cancel?",
        "How long before the opening must one ask for a loan?",
        "How many years after he joined did Piet leave?",
        "How much more than 50 euros do we pay?",
        "How many people were there when the mill burnt?",
        "How many times larger is Orsa than Velm?",
    ],
)
def test_what_is_no_distance_of_two_things_is_asked_as_it_is(question: str) -> None:
    assert steps(question) == [question]


def test_who_is_the_same_is_asked_of_both_once() -> None:
    asked = ["Who is the teacher of Ada Lund?", "Who is the teacher of Oskar Vale?"]
    assert steps("Did Ada Lund and Oskar Vale have the same teacher?") == asked


def test_a_pronoun_of_one_thing_compared_means_the_other() -> None:
    assert steps("Who is older, Ada Lund or her sister?") == [
        "Who is the sister of Ada Lund?",
        "When was Ada Lund born?",
        "When was #1 born?",
    ]
    assert "What is the tributary of the Orsa?" in steps("Which is longer, the Orsa or its tributary?")
    assert "Who is the founder of the museum?" in steps("Who is older, the head of the museum or its founder?")
    assert "When was Her Own Way released?" in steps("Which film was released earlier, Low Water or Her Own Way?")
    assert "When was her sister Orsa born?" in steps("Who is older, Ada Lund or her sister Orsa?")
    assert "Who is the pilot of Ada Lund's boat?" not in steps("Who is older, Ada Lund or the pilot with her boat?")


@pytest.mark.parametrize(
    "question",
    [
        "Was Ada Lund in Velm before Oskar Vale?",
        "Is it older than Velm Tower?",
        "Is the inn open when the mill is shut?",
        "Do I have to pay before I leave?",
        "Was the ferry late when the storm came?",
        "Was the mill sold before it was mended?",
        "Did Ada Lund leave before the bread?",
        "Did the miller leave before the bread?",
    ],
)
def test_an_order_of_what_is_not_measured_stays_whole(question: str) -> None:
    assert planned(question).final is None


def test_a_longer_life_needs_birth_and_death_of_both() -> None:
    """Its operands are births and deaths in turn."""
    plan = planned("Who lived longer, Ada Lund or Oskar Vale?")
    assert plan.final is not None
    assert plan.final.comparator == "longer"
    assert [plan.steps[operand].target for operand in plan.final.operands] == ["date of birth", "date of death"] * 2


@pytest.mark.parametrize(
    "question",
    [
        "Which film has the director born earlier, Low Water or Rain?",
        "Which film has the director who is older, Low Water or Rain?",
        "Which film whose director was born first, Low Water or Rain?",
    ],
)
def test_a_bridge_comparison_goes_over_the_directors(question: str) -> None:
    """The films are compared by somebody else's dates."""
    plan = planned(question)
    assert [step.question for step in plan.steps] == [
        "Who is the director of film Low Water?",
        "Who is the director of film Rain?",
        "When was #1 born?",
        "When was #2 born?",
    ]
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.operands, plan.final.options) == (
        "earlier",
        (2, 3),
        ("Low Water", "Rain"),
    )


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Are Velm and Orsa both located in the same country?", "In which country is Velm located?"),
        ("Do Ada Lund and Oskar Vale have the same nationality?", "What is the nationality of Ada Lund?"),
        ("Was Ada Lund born in the same city as Oskar Vale?", "In which city was Ada Lund born?"),
    ],
)
def test_sameness_asks_the_same_of_both(question: str, expected: str) -> None:
    """Whether two things share something is a yes/no question over two answers."""
    plan = planned(question)
    assert plan.shape == "comparison"
    assert plan.steps[0].question == expected
    assert plan.final is not None
    assert plan.final.comparator == "same"


def test_sameness_of_directors_goes_over_the_directors() -> None:
    """Do both films X and Y have directors from the same country?"""
    plan = planned("Do both films Low Water and Rain have directors from the same country?")
    assert [step.question for step in plan.steps] == [
        "Who is the director of film Low Water?",
        "Who is the director of film Rain?",
        "Which country is #1 from?",
        "Which country is #2 from?",
    ]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Were the director of Low Water and the composer of Rain born in the same town?",
            ["Who is the director of Low Water?", "Who is the composer of Rain?", "In which town was #1 born?"],
        ),
        (
            "Did the engineer of Long Bridge and the mayor of Velm die in the same year?",
            ["Who is the engineer of Long Bridge?", "Who is the mayor of Velm?", "In which year did #1 die?"],
        ),
        (
            "Are Ada Lund and the mayor of Velm from the same town?",
            ["Who is the mayor of Velm?", "Which town is Ada Lund from?", "Which town is #1 from?"],
        ),
        (
            "Did the same firm build Long Bridge and the Corn Hall?",
            ["Which firm built Long Bridge?", "Which firm built Corn Hall?"],
        ),
        (
            "Did Ada Lund and Oskar Vale study at the same school?",
            ["At which school did Ada Lund study?", "At which school did Oskar Vale study?"],
        ),
    ],
)
def test_sameness_keeps_what_each_of_both_is_and_does(question: str, expected: list[str]) -> None:
    """Each is the holder of its own role, and what they did is asked of both."""
    plan = planned(question)
    assert [step.question for step in plan.steps][: len(expected)] == expected
    assert plan.final is not None
    assert plan.final.comparator == "same"


def test_a_predicate_of_both_is_asked_of_each() -> None:
    """Are both X and Y operas?"""
    plan = planned("Are both The Glass Tide and Rain operas?")
    assert [step.question for step in plan.steps] == ["Is The Glass Tide operas?", "Is Rain operas?"]
    assert plan.final is not None
    assert plan.final.comparator == "both"


@pytest.mark.parametrize(
    "question",
    [
        "Were Ada Lund and Oskar Vale married?",
        "Have Ada Lund and Oskar Vale worked together?",
        "Did Ada Lund and Oskar Vale ever meet?",
        "Do Velm and Orsa share a border?",
        "Do Ada Lund and Oskar Vale know each other?",
    ],
)
def test_what_two_do_to_one_another_is_not_asked_of_each_alone(question: str) -> None:
    assert steps(question) == [question]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Were both Ada Lund and Oskar Vale married?", "Was Ada Lund married?"),
        ("Were Ada Lund and Oskar Vale married to Danes?", "Was Ada Lund married to Danes?"),
        ("Do Ada Lund and Oskar Vale play chess?", "Does Ada Lund play chess?"),
    ],
)
def test_what_each_of_two_does_is_asked_with_its_verb(question: str, first: str) -> None:
    assert steps(question)[0] == first


def test_the_country_that_two_are_from_is_asked_of_each() -> None:
    assert steps("Are Ada Lund and Oskar Vale Danish?") == ["Is Ada Lund Danish?", "Is Oskar Vale Danish?"]


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("Which does Ada Lund prefer, tea or coffee?", "Does Ada Lund prefer tea?"),
        ("Who did Ada Lund marry, Bo Vale or Cy Vale?", "Did Ada Lund marry Bo Vale?"),
        ("What can I use for tar, oil or wax?", "Can I use oil for tar?"),
        ("Which hill did they climb first, the Fell or the Tor?", "Did they climb the Fell first?"),
        ("Who does the guest ask for at night, Ada or Bo?", "Does the guest ask for Ada at night?"),
    ],
)
def test_what_somebody_chooses_is_the_object_of_the_verb(question: str, first: str) -> None:
    assert steps(question)[0] == first


def test_what_two_things_have_in_common_is_asked_of_each() -> None:
    """What language do X and Y have in common?"""
    plan = planned("What profession do Ada Lund and Oskar Vale have in common?")
    assert [step.question for step in plan.steps] == ["What profession is Ada Lund?", "What profession is Oskar Vale?"]
    assert steps("Which country are Ada Lund and Oskar Vale from?") == [
        "Which country is Ada Lund from?",
        "Which country is Oskar Vale from?",
    ]


MEASURED = {
    "Which band was active the longest, The Gulls or Slow Tide?": [
        "How long was The Gulls active?",
        "How long was Slow Tide active?",
    ],
    "Which band has been around longer, The Gulls or Slow Tide?": [
        "How long has The Gulls been around?",
        "How long has Slow Tide been around?",
    ],
    "Who has released more solo albums, Mira Vale or Oskar Lund?": [
        "How many solo albums has Mira Vale released?",
        "How many solo albums has Oskar Lund released?",
    ],
    "Which has the larger population, Orsa or Velm?": [
        "What is the population of Orsa?",
        "What is the population of Velm?",
    ],
    "Which war lasted longer, the Orsa War or the Velm War?": [
        "How long did the Orsa War last?",
        "How long did the Velm War last?",
    ],
}


@pytest.mark.parametrize(("question", "expected"), MEASURED.items())
def test_what_is_compared_is_asked_with_its_verb(question: str, expected: list[str]) -> None:
    assert steps(question) == expected


def test_a_direction_is_no_distance() -> None:
    assert steps("Which is located farther West, Orsa or Velm?") == [
        "Is Orsa located farther West?",
        "Is Velm located farther West?",
    ]
