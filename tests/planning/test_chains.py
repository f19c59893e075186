"""Questions that take several steps one after the other: what the planner that Polyhop brings along asks first."""

from __future__ import annotations

import pytest

from polyhop.planning.trained import TrainedPlanner
from polyhop.plans import Plan, Step


def planned(question: str, *names: str) -> Plan:
    return TrainedPlanner().plan(question, names, None)


def steps(question: str, *names: str) -> list[str]:
    return [step.question for step in planned(question, *names).steps]


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
        "What is the largest city in #1?",
        "In which county is #2 located?",
        "What county borders #3?",
    ],
    "The actor who played Captain Holm in Low Water won which prize?": [
        "Which actor played Captain Holm in Low Water?",
        "#1 won which prize?",
    ],
}


@pytest.mark.parametrize("question", CHAINS)
def test_a_chain_is_asked_from_the_inside_out(question: str) -> None:
    """The innermost description comes first; its answer takes its place in the next step."""
    plan = planned(question)
    assert [step.question for step in plan.steps] == CHAINS[question]
    assert plan.shape == "chain"
    assert plan.final is None


def test_things_that_are_compared_may_be_described() -> None:
    described = [
        "Who is the author of Low Tide?",
        "Who is the author of Red Sails?",
        "When was #1 born?",
        "When was #2 born?",
    ]
    assert steps("Who is older, the author of Low Tide or the author of Red Sails?") == described
    assert steps("Who is older, the author of Low Tide or that of Red Sails?") == described
    plan = planned("Is the birthplace of Ada Lund much bigger than that of Oskar Vale?")
    assert plan.final is not None
    assert (plan.final.comparator, plan.final.operands, plan.final.whether) == ("larger", (2, 3), True)


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
    assert planned(question).shape != "verification"


@pytest.mark.parametrize(
    "question",
    [
        "Who wrote The Glass Tide?",
        "Who is the director of film Low Water?",
        "When was the film Low Water released in Orsa?",
        "What is the capital of the Republic of Orsa?",
        "Where was the Princess of Orsa born?",
        "Which is the smaller of Velm and Orsa?",
        "How does a heron fish?",
        "Explain it.",
        "?",
    ],
)
def test_a_simple_question_is_its_own_step(question: str) -> None:
    """Nothing is invented where there is one hop."""
    assert planned(question).steps == (Step(question=question, target=planned(question).steps[0].target),)
    assert planned(question).shape == "single"


@pytest.mark.parametrize(
    "question",
    [
        "Was the keeper asleep when the lamp went out?",  # when it went out is no hop: "Was #1?"
        "Who pays for the ferry when the lamp is dark?",
        "Has the steward admitted his mistake?",
        "I get 504. When should I try again?",
        "Were both of the people who signed the Treaty of Velm still alive in 1295?",  # "Were both of #1?"
        "Who was the pupil of Ada Lund who built Long Bridge?",  # "Who was #1 who built Long Bridge?"
    ],
)
def test_what_would_leave_nothing_to_ask_is_not_taken_apart(question: str) -> None:
    assert [step.question for step in planned(question).steps] == [question]


def test_the_year_when_something_happened_is_a_hop_and_what_somebody_does_is_asked() -> None:
    plan = planned("Who was mayor of Quillmouth in the year when Ada Brisk was born?")
    assert [step.question for step in plan.steps] == ["When was Ada Brisk born?", "Who was mayor of Quillmouth in #1?"]
    assert planned("What does the brother of Ada Brisk do?").steps[-1].question == "What does #1 do?"


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
    assert [step.question for step in planned(question).steps] == steps


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
        "What is the wife of #1 called?",
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


def test_a_question_with_a_reference_of_its_own_is_left_alone() -> None:
    """Its "#1" must not be taken for the answer to a step."""
    plan = planned("Who is the mother of the singer of the #1 song of Orsa?")
    assert len(plan.steps) == 1
    assert plan.steps[0].refers_to == ()
