"""Questions that compare in more ways: three things and more, whether one does more, what somebody lived to see."""

from __future__ import annotations

import pytest

from polyhop.planning.by_rules import ByRules
from polyhop.plans import Plan


def planned(question: str, *names: str) -> Plan:
    return ByRules().plan(question, names, None)


def steps(question: str, *names: str) -> list[str]:
    return [step.question for step in planned(question, *names).steps]


@pytest.mark.parametrize(
    ("question", "comparator", "asked"),
    [
        ("Which is the oldest: Velm Tower, Orsa Spire or Harl Gate?", "earlier", "How old is Orsa Spire?"),
        ("Who died first, Ada Lund, Oskar Vale or Mira Brisk?", "earlier", "When did Mira Brisk die?"),
        ("Which of Velmia, Orsaea and Harlia has the most species?", "larger", "How many species does Harlia have?"),
        ("Of Ada Lund, Oskar Vale and Mira Brisk, who died last?", "later", "When did Oskar Vale die?"),
        ("Who is the eldest of Ada Lund, Oskar Vale and Mira Brisk?", "earlier", "When was Ada Lund born?"),
        (
            "Which of the three ships, Gull, Tern or Lark, carried more guns?",
            "larger",
            "How many guns did Gull carry?",
        ),
    ],
)
def test_three_options_are_each_asked_about(question: str, comparator: str, asked: str) -> None:
    plan = planned(question)
    assert plan.final is not None
    assert (plan.final.comparator, len(plan.final.options), len(plan.final.operands)) == (comparator, 3, 3)
    assert asked in [step.question for step in plan.steps]


@pytest.mark.parametrize(
    "question",
    [
        "Which was cheaper in 2018, Velm Tower or Orsa Spire?",
        "Who has visited the most countries: Ada Lund, Oskar Vale or me?",
        "Which of Velm, Orsa and Harl has the oldest school?",
    ],
)
def test_options_of_which_the_measure_is_not_known_stay_whole(question: str) -> None:
    final = planned(question).final
    assert final is None or "in 2018" not in final.options


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Did Ada Lund win more prizes than Oskar Vale?", ["How many prizes did {} win?", "Ada Lund", "Oskar Vale"]),
        ("Has Velm a larger population than Orsa?", ["What is the population of {}?", "Velm", "Orsa"]),
        ("Did Velm Fair last longer than Orsa Fair?", ["How long did {} last?", "Velm Fair", "Orsa Fair"]),
        ("Does Velmia have fewer species than Orsaea?", ["How many species does {} have?", "Velmia", "Orsaea"]),
        ("Did Ada Lund sing more often than Oskar Vale?", ["How often did {} sing?", "Ada Lund", "Oskar Vale"]),
        (
            "Are there more steps in the east tower than in the west tower?",
            ["How many steps are there in {}?", "the east tower", "the west tower"],
        ),
        (
            "Did more people vote for the mill than for the inn?",
            ["How many people voted for {}?", "the mill", "the inn"],
        ),
        (
            "Did the water in the mill rise faster than that in the lock?",
            ["How fast did {} rise?", "the water in the mill", "the water in the lock"],
        ),
    ],
)
def test_whether_one_does_more_than_another_measures_both(question: str, asked: list[str]) -> None:
    pattern, *things = asked
    plan = planned(question)
    assert [step.question for step in plan.steps] == [pattern.format(thing) for thing in things]
    assert plan.final is not None
    assert plan.final.whether


@pytest.mark.parametrize(
    "question",
    [
        "Did Ada Lund win more prizes than anybody else?",
        "Did Ada Lund win it at an earlier age than Oskar Vale?",
        "Is the relapse rate twice as high in Velm than in Orsa?",
        "Did Ada Lund sell more than she had bought?",
    ],
)
def test_more_than_no_one_other_thing_stays_whole(question: str) -> None:
    assert planned(question).final is None


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Did Ada Lund live to see the Long Bridge open?", "When did the Long Bridge open?"),
        ("Did Ada Lund live to see the mill closed?", "When was the mill closed?"),
        ("Did Ada Lund live to see the fall of Velm?", "When was the fall of Velm?"),
        ("Was Ada Lund still living when the mill burnt?", "When did the mill burn?"),
        ("Was the mill built in Ada Lund's lifetime?", "When was the mill built?"),
    ],
)
def test_what_somebody_lived_to_see_is_compared_with_their_death(question: str, asked: str) -> None:
    plan = planned(question)
    assert {step.question for step in plan.steps} == {"When did Ada Lund die?", asked}
    assert plan.final is not None
    assert plan.final.whether


def test_the_same_is_asked_of_a_bare_name_behind_before() -> None:
    assert steps("Did Ada Lund win the Velm Cup before Oskar Vale did?") == [
        "When did Ada Lund win the Velm Cup?",
        "When did Oskar Vale win the Velm Cup?",
    ]


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("Who starred in both Low Water and Rain?", ["Who starred in Low Water?", "Who starred in Rain?"]),
        ("Which painter taught both Ada Lund and Oskar Vale?", ["Which painter taught Ada Lund?", "... Oskar Vale?"]),
        ("Who both built the mill and led the choir?", ["Who built the mill?", "Who led the choir?"]),
    ],
)
def test_what_holds_of_both_is_asked_of_each(question: str, asked: list[str]) -> None:
    plan = planned(question)
    assert [step.question for step in plan.steps] == [one.replace("...", "Which painter taught") for one in asked]
    assert plan.shape in ("intersection", "comparison")
    assert plan.final is not None
    assert plan.final.comparator == "common"


def test_what_two_share_is_asked_of_each() -> None:
    assert steps("Which profession do Ada Lund and Oskar Vale share?") == [
        "What is the profession of Ada Lund?",
        "What is the profession of Oskar Vale?",
    ]
