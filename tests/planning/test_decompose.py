"""Questions are taken apart by rules: which shapes are recognised, and what their steps read like."""

from __future__ import annotations

import pytest

from polyhop.planning.filling import rewrite
from polyhop.planning.rules.decompose import decompose
from polyhop.plans import Step


def steps(question: str, *entities: str) -> list[str]:
    return [step.question for step in decompose(question, entities).steps]


CHAINS = {
    "Who is the mother of the director of film Low Water?": [
        "Who is the director of film Low Water?",
        "Who is the mother of #1?",
    ],
    "Where was the engineer of the Long Bridge born?": [
        "Who is the engineer of the Long Bridge?",
        "Where was #1 born?",
    ],
    "Where was the wife of Emil Fitch born?": ["Who is the wife of Emil Fitch?", "Where was #1 born?"],
    "Where was the sister of Brian born?": ["Who is the sister of Brian?", "Where was #1 born?"],
    "Where was Mira Vale's wife born?": ["Who is the wife of Mira Vale?", "Where was #1 born?"],
    "When did the director of film Harrow of the North die?": [
        "Who is the director of film Harrow of the North?",
        "When did #1 die?",
    ],
    "What nationality is the performer of song Rain?": [
        "Who is the performer of song Rain?",
        "What nationality is #1?",
    ],
    "What is the place of birth of the composer of The Glass Tide?": [
        "Who is the composer of The Glass Tide?",
        "What is the place of birth of #1?",
    ],
    "Which country Oskar Lund's father is from?": ["Who is the father of Oskar Lund?", "Which country #1 is from?"],
    "What year was the university where Mira Vale studied founded?": [
        "In which university did Mira Vale study?",
        "What year was #1 founded?",
    ],
    "Which country is the composer of the song that Mira Vale recorded from?": [
        "Which song did Mira Vale record?",
        "Who is the composer of #1?",
        "Which country is #2 from?",
    ],
    "Who wrote the novel that the film Low Water is based on?": [
        "Which novel is the film Low Water based on?",
        "Who wrote #1?",
    ],
    "When did the team that Oskar Lund played for win the Orsa Cup?": [
        "Which team did Oskar Lund play for?",
        "When did #1 win the Orsa Cup?",
    ],
    "Who was the teacher of the woman who painted The Mill?": ["Who painted The Mill?", "Who was the teacher of #1?"],
    "Who owns the company headquartered in Velm?": ["Which company was headquartered in Velm?", "Who owns #1?"],
    "What county borders the county where the largest city in the state where Lake Orsa is found is located?": [
        "In which state is Lake Orsa found?",
        "What is the largest city of #1?",
        "In which county is #2 located?",
        "What county borders #3?",
    ],
    "Oskar Lund plays for the football club from what city?": [
        "Oskar Lund plays for which football club?",
        "#1 is from what city?",
    ],
    "Low Water is a film starring an actress born in which year?": [
        "Low Water is a film starring which actress?",
        "#1 was born in which year?",
    ],
    "The actor who played Captain Holm in Low Water won which prize?": [
        "Which actor played Captain Holm in Low Water?",
        "#1 won which prize?",
    ],
}


@pytest.mark.parametrize("question", CHAINS)
def test_a_chain_is_asked_from_the_inside_out(question: str) -> None:
    """The innermost description comes first; its answer takes its place in the next step."""
    plan = decompose(question)
    assert [step.question for step in plan.steps] == CHAINS[question]
    assert plan.shape == "chain"
    assert plan.final is None


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
    plan = decompose(pattern.format(word))
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
    plan = decompose(question)
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
    plan = decompose(question)
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
    plan = decompose(question)
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
            ["Who is the author of Low Tide?", "When was #1 born?", "When did #1 die?"],
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
    plan = decompose(question)
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
    plan = decompose(question)
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


def test_things_that_are_compared_may_be_described() -> None:
    described = [
        "Who is the author of Low Tide?",
        "When was #1 born?",
        "Who is the author of Red Sails?",
        "When was #3 born?",
    ]
    assert steps("Who is older, the author of Low Tide or the author of Red Sails?") == described
    assert steps("Who is older, the author of Low Tide or that of Red Sails?") == described
    plan = decompose("Is the birthplace of Ada Lund much bigger than that of Oskar Vale?")
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.operands, plan.final.whether) == ("larger", (1, 3), True)


def test_a_pronoun_of_one_thing_compared_means_the_other() -> None:
    assert steps("Who is older, Ada Lund or her sister?") == [
        "When was Ada Lund born?",
        "Who is the sister of Ada Lund?",
        "When was #2 born?",
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
    assert decompose(question).final is None


def test_a_longer_life_needs_birth_and_death_of_both() -> None:
    """Its operands are births and deaths in turn."""
    plan = decompose("Who lived longer, Ada Lund or Oskar Vale?")
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
    plan = decompose(question)
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
    plan = decompose(question)
    assert plan.shape == "comparison"
    assert plan.steps[0].question == expected
    assert plan.final is not None
    assert plan.final.comparator == "same"


def test_sameness_of_directors_goes_over_the_directors() -> None:
    """Do both films X and Y have directors from the same country?"""
    plan = decompose("Do both films Low Water and Rain have directors from the same country?")
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
    plan = decompose(question)
    assert [step.question for step in plan.steps][: len(expected)] == expected
    assert plan.final is not None
    assert plan.final.comparator == "same"


def test_a_predicate_of_both_is_asked_of_each() -> None:
    """Are both X and Y operas?"""
    plan = decompose("Are both The Glass Tide and Rain operas?")
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
    assert steps("Was the director of Low Water Danish?") == ["Who is the director of Low Water?", "Was #1 Danish?"]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        (
            "Can you tell me where the director of Low Water was born?",
            ["Who is the director of Low Water?", "Where was #1 born?"],
        ),
        (
            "Do you know who directed the film that Ada Lund starred in?",
            ["Which film did Ada Lund star in?", "Who directed #1?"],
        ),
        (
            "I would like to know in which town the author of Rain died.",
            ["Who is the author of Rain?", "In which town #1 died?"],
        ),
        (
            "Tell me the birthplace of the director of Low Water.",
            ["Who is the director of Low Water?", "What is the birthplace of #1?"],
        ),
        (
            "Please name the director of the film that Ada Lund starred in.",
            ["Which film did Ada Lund star in?", "Who is the director of #1?"],
        ),
        ("Could you tell me where the mill stood?", ["Could you tell me where the mill stood?"]),
    ],
)
def test_what_is_asked_politely_is_asked_outright(question: str, asked: list[str]) -> None:
    assert steps(question) == asked
    assert decompose(question).shape != "verification"


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


def test_a_thing_that_ends_like_a_doer_is_nobody() -> None:
    assert steps("Where is the newspaper of Velm printed?")[0] == "What is the newspaper of Velm?"


def test_what_two_things_have_in_common_is_asked_of_each() -> None:
    """What language do X and Y have in common?"""
    plan = decompose("What profession do Ada Lund and Oskar Vale have in common?")
    assert [step.question for step in plan.steps] == ["What profession is Ada Lund?", "What profession is Oskar Vale?"]
    assert steps("Which country are Ada Lund and Oskar Vale from?") == [
        "Which country is Ada Lund from?",
        "Which country is Oskar Vale from?",
    ]


def test_a_yes_no_question_is_a_verification() -> None:
    """Its descriptions are resolved before it is asked."""
    plan = decompose("Is the capital of Orsa known for Velm lace?")
    assert plan.shape == "verification"
    assert [step.question for step in plan.steps] == ["What is the capital of Orsa?", "Is #1 known for Velm lace?"]


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote The Glass Tide?",
        "Who is the director of film Low Water?",
        "When was the film Low Water released in Orsa?",
        "What is the capital of the Republic of Orsa?",
        "Where was the Princess of Orsa born?",
        "Where was the soldier of the Orsa War born?",
        "Which is the smaller of Velm and Orsa?",
        "How does a heron fish?",
        "Explain it.",
        "?",
    ],
)
def test_a_simple_question_is_its_own_step(question: str) -> None:
    """Nothing is invented where there is one hop."""
    assert decompose(question).steps == (Step(question=question, target=decompose(question).steps[0].target),)
    assert decompose(question).shape == "single"


@pytest.mark.parametrize(
    "question",
    [
        "Was the keeper asleep when the lamp went out?",  # when it went out is no hop: "Was #1?"
        "Who pays for the ferry when the lamp is dark?",
        "Who was the mayor of Velm when the Long Bridge opened?",  # not today's mayor
        "What did Ada Brisk's boat really weigh?",
        "Has the steward admitted his mistake?",
        "I get 504. When should I try again?",
        "Were both of the people who signed the Treaty of Velm still alive in 1295?",  # "Were both of #1?"
        "Who was the pupil of Ada Lund who built Long Bridge?",  # "Who was #1 who built Long Bridge?"
    ],
)
def test_what_would_leave_nothing_to_ask_is_not_taken_apart(question: str) -> None:
    assert [step.question for step in decompose(question).steps] == [question]


def test_the_year_when_something_happened_is_a_hop_and_what_somebody_does_is_asked() -> None:
    plan = decompose("Who was mayor of Quillmouth in the year when Ada Brisk was born?")
    assert [step.question for step in plan.steps] == ["When was Ada Brisk born?", "Who was mayor of Quillmouth in #1?"]
    assert decompose("What does the brother of Ada Brisk do?").steps[-1].question == "What does #1 do?"


@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("Where was the planner of the Orsa dam born?", ["Who is the planner of the Orsa dam?", "Where was #1 born?"]),
        (
            "When did the designer of the Orsa canal die?",
            ["Who is the designer of the Orsa canal?", "When did #1 die?"],
        ),
        (
            "Who is the wife of the designer of the Orsa tunnel?",
            ["Who is the designer of the Orsa tunnel?", "Who is the wife of #1?"],
        ),
        ("When did the captain of the Gull sail?", ["Who is the captain of the Gull?", "When did #1 sail?"]),
    ],
)
def test_a_noun_behind_a_name_with_an_article_belongs_to_it(question: str, steps: list[str]) -> None:
    assert [step.question for step in decompose(question).steps] == steps


PARTED = {
    "Where was the woman born who kept the Fennick light?": ["Who kept the Fennick light?", "Where was #1 born?"],
    "In which town was the composer buried who wrote Low Water?": [
        "Which composer wrote Low Water?",
        "In which town was #1 buried?",
    ],
    "Which toy is the boat named after that won the cup?": ["Which boat won the cup?", "Which toy is #1 named after?"],
    "How many members does the board have that selects the pilots?": [
        "Which board selects the pilots?",
        "How many members does #1 have?",
    ],
    "Where did the man die who painted the door of the second hall?": [
        "Who painted the door of the second hall?",
        "Where did #1 die?",
    ],
}


@pytest.mark.parametrize(("question", "expected"), PARTED.items())
def test_a_clause_that_the_verb_parts_from_its_noun_is_asked_first(question: str, expected: list[str]) -> None:
    assert steps(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "How many reports did the board have that spoke of the flood?",
        "In which films did the actor appear that won prizes?",
        "When did the board decide who runs the ferry?",
    ],
)
def test_a_clause_that_may_be_about_something_else_stays(question: str) -> None:
    assert not any(step.startswith(("Which board", "Which actor")) for step in steps(question))


OBJECTS = {
    "Who maintains the package that unzip suggests?": ["Which package does unzip suggest?", "Who maintains #1?"],
    "Who reported the fault that 3.1.1 fixed?": ["Which fault did 3.1.1 fix?", "Who reported #1?"],
}


@pytest.mark.parametrize(("question", "expected"), OBJECTS.items())
def test_a_small_name_or_a_version_behind_that_is_a_subject(question: str, expected: list[str]) -> None:
    assert steps(question) == expected


PARTED = {
    "When was the school founded at which Mira Vale studied?": [
        "At which school did Mira Vale study?",
        "When was #1 founded?",
    ],
    "When was the canal completed that Oskar Lund built?": [
        "Which canal did Oskar Lund build?",
        "When was #1 completed?",
    ],
    "Where was the woman born whose brother painted The Mill?": [
        "Which woman's brother painted The Mill?",
        "Where was #1 born?",
    ],
    "Where was the woman born whose letters the mayor of Orsa sold?": [
        "Who is the mayor of Orsa?",
        "Which woman's letters did #1 sell?",
        "Where was #2 born?",
    ],
    "In which city were the games held in which Mira Vale competed?": [
        "In which games did Mira Vale compete?",
        "In which city were #1 held?",
    ],
}


@pytest.mark.parametrize(("question", "expected"), PARTED.items())
def test_a_clause_behind_the_verb_describes_the_noun_before_it(question: str, expected: list[str]) -> None:
    assert steps(question) == expected


OWNED = {
    "When did Mira Vale's team first win the Orsa Cup?": [
        "What is the team of Mira Vale?",
        "When did #1 first win the Orsa Cup?",
    ],
    "Who did Oskar Lund's team play in the final?": [
        "What is the team of Oskar Lund?",
        "Who did #1 play in the final?",
    ],
    "What is the home town of Lord Harrow's head gardener?": [
        "Who is the head gardener of Lord Harrow?",
        "What is the home town of #1?",
    ],
    "Where was the illustrator of Mira Vale's cover born?": [
        "Who is the illustrator of Mira Vale's cover?",
        "Where was #1 born?",
    ],
    "Who founded the school that the workers' society of Orsa owns?": [
        "Which school does the workers' society of Orsa own?",
        "Who founded #1?",
    ],
    "Where does Mira Vale's dad live?": ["Who is the dad of Mira Vale?", "Where does #1 live?"],
}


@pytest.mark.parametrize(("question", "expected"), OWNED.items())
def test_what_has_a_name_is_asked_of_its_owner(question: str, expected: list[str]) -> None:
    assert steps(question) == expected


@pytest.mark.parametrize(
    "question",
    [
        "Where in Mira Vale's flat is the spare key?",
        "Why does Oskar Lund's family need a car?",
        "What was wrong with Oskar Lund's reply?",
        "Who wrote the screenplay of Low Water?",
        "Who composed the music of Low Water?",
    ],
)
def test_what_has_no_name_is_not_looked_up_first(question: str) -> None:
    assert steps(question) == [question]


@pytest.mark.parametrize(
    "question",
    [
        "Where is the train coming from?",
        "When is the boat going to be collected?",
        "I let a cottage with its own well. Which test must I do each year?",
        "Low Water is a 1934 play by a Danish writer who has been likened to Oskar Lund?",
    ],
)
def test_what_cutting_would_leave_without_a_question_stays_whole(question: str) -> None:
    assert steps(question) == [question]


@pytest.mark.parametrize(
    "question",
    ["Who was present at the board meeting in May 2031?", "Who spoke at the staff training on Friday?"],
)
def test_an_event_on_a_day_is_no_description(question: str) -> None:
    """No board meets, and nobody asks which: the meeting is what was on that day."""
    assert steps(question) == [question]


def test_what_a_thing_is_called_is_no_further_step() -> None:
    assert steps("What is the wife of Mira Vale's teacher called?") == [
        "Who is the teacher of Mira Vale?",
        "Who is the wife of #1?",
    ]


def test_a_noun_that_looks_like_a_verb_describes_nothing() -> None:
    assert steps("What is the population ranking of the state where Lake Orsa is located?") == [
        "In which state is Lake Orsa located?",
        "What is the population ranking of #1?",
    ]
    assert steps("When was the film that has a score composed by Mira Vale released?") == [
        "Which film has a score composed by Mira Vale?",
        "When was #1 released?",
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


def test_recognised_entities_are_atomic() -> None:
    """A name that looks like a description is left whole when somebody knows that it is a name."""
    question = "Who is the wife of the keeper of the last light?"
    assert steps(question, "the keeper of the last light") == [question]
    assert steps("When did the author of the mother of rivers die?", "the mother of rivers") == [
        "Who is the author of the mother of rivers?",
        "When did #1 die?",
    ]


def test_words_of_the_question_are_no_entities() -> None:
    """An index may well hold something called "director"; the question's plain word stays a word."""
    assert steps("Where was the director of Low Water born?", "director", "Where", "Low") == [
        "Who is the director of Low Water?",
        "Where was #1 born?",
    ]


def test_rewrite_puts_answers_in_place_of_references() -> None:
    """Only of references that the step has; names are inserted as they are."""
    step = Step(question="When did #1 meet #2?", refers_to=(0, 1))
    assert rewrite(step, ["Ada #2", "Oskar"]) == "When did Ada #2 meet Oskar?"
    assert rewrite(step, ["Ada"]) == "When did Ada meet #2?"
    assert rewrite(Step(question="What is the #1 song?"), ["Rain"]) == "What is the #1 song?"


def test_a_question_with_a_reference_of_its_own_is_left_alone() -> None:
    """Its "#1" must not be taken for the answer to a step."""
    plan = decompose("Who is the mother of the singer of the #1 song of Orsa?")
    assert len(plan.steps) == 1
    assert plan.steps[0].refers_to == ()
