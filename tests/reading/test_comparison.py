"""Questions about two things: what a plan's steps found about each is put together as the plan says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.models.choice import Models, load_models
from polyhop.planning.by_rules import ByRules
from polyhop.planning.trained import TrainedPlanner
from polyhop.plans import Plan
from polyhop.reading.compared import by_amount
from polyhop.reading.comparison import Comparison, _operands
from polyhop.reading.hops_found import hops_taken
from polyhop.reading.measured import settled_by_bound
from polyhop.reading.reader import Quote, Reading
from polyhop.reading.steps import Candidate, StepReading, read_steps
from polyhop.reading.subjects import plain
from polyhop.reading.trained import Trained
from polyhop.types import AnswerKind, Evidence, Hop, Passage
from tests.worlds.settings import QUICK


def passage(title: str, text: str) -> Passage:
    """A passage that is its own document."""
    return Passage(id=title, document_id=title, ordinal=0, start=0, end=len(text), title=title, text=text)


WORLD = (
    passage("Orla Venn", "Orla Venn (3 May 1801 – 4 June 1870) was a Danish painter. She was born in Harl."),
    passage("Tam Ostler", "Tam Ostler (born 12 June 1799 in Harl; died 1 March 1850) was a Danish engineer."),
    passage("Ned Ostler", "Ned Ostler (born 12 June 1799 in Harl; died 8 May 1871) was a Danish miller, Tam's twin."),
    passage("Pell Marrow", "Pell Marrow (1 January 1790 – 2 February 1860) was a French film director."),
    passage("Low Tide (film)", "Low Tide is a 1854 film directed by Tam Ostler. It won a prize in 1899."),
    passage("Red Sails, Grey Sails", "Red Sails, Grey Sails is a film directed by Pell Marrow, released in 1849."),
    passage("Ash Bridge", "Ash Bridge crosses the Oar at Harl. It was completed in 1263 and has five arches."),
    passage("Elm Bridge", "Elm Bridge crosses the Tarn. It was built from 1291 to 1297 by Orla's forebears."),
    passage("Gull", "The Gull is a paddle steamer with two funnels. It carries mail."),
)


def planned(question: str, *names: str) -> Plan:
    """What grammar alone compares; our own model where it takes a thing that is compared to be described."""
    planner = TrainedPlanner() if "the director of" in question else ByRules()
    return planner.plan(question, names, None)


def compare(question: str, models: Models, world: tuple[Passage, ...] = WORLD) -> Reading | None:
    """What the plan of a question says of a world."""
    titles = [plain(one.title) for one in world]
    plan = planned(question, *(title for title in titles if title.casefold() in question.casefold()))
    steps = read_steps(plan, world, models, found={})
    return Comparison(passages=world, models=models).read(question, plan, steps)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who was born first, Orla Venn or Tam Ostler?", "Tam Ostler"),
        ("Who is younger, Orla Venn or Tam Ostler?", "Orla Venn"),
        ("Which is older, Elm Bridge or Ash Bridge?", "Ash Bridge"),
        ("Who died later, Orla Venn or Tam Ostler?", "Orla Venn"),
        ("Who lived longer, Orla Venn or Pell Marrow?", "Pell Marrow"),
        ("Which film came out first, Low Tide or Red Sails, Grey Sails?", "Red Sails, Grey Sails"),
        ("Which film has the director who is older, Low Tide or Red Sails, Grey Sails?", "Red Sails, Grey Sails"),
        ("Who was born first out of Orla Venn and Tam Ostler?", "Tam Ostler"),
        ("Was Orla Venn born before or after Tam Ostler?", "after"),
        ("Did Pell Marrow die before or after Orla Venn?", "before"),
        ("How old was Orla Venn when she died?", "69"),
        ("How much older is Tam Ostler than Orla Venn?", "22 months"),
        ("How many years after Ash Bridge was Elm Bridge completed?", "34 years"),
        ("Are Orla Venn and Tam Ostler of the same nationality?", "yes"),
        ("Do Orla Venn and Pell Marrow have the same nationality?", "no"),
        ("Were Orla Venn and Tam Ostler born in the same town?", "yes"),
        ("Are both Orla Venn and Pell Marrow painters?", "no"),
        ("Which one is a paddle steamer, Gull or Low Tide?", "Gull"),
        ("Was Orla Venn born before Tam Ostler?", "no"),
        ("Did Tam Ostler die before Orla Venn?", "yes"),
        ("Was Tam Ostler born before Ned Ostler?", "no"),
        ("Was Ned Ostler born before Tam Ostler?", "no"),
        ("Did Orla Venn outlive Tam Ostler?", "yes"),
        ("Was Orla Venn dead when Ned Ostler died?", "yes"),
        ("Was Tam Ostler still alive when Red Sails, Grey Sails was released?", "yes"),
        ("Was Pell Marrow younger than the director of Low Tide?", "no"),
        ("When were Ash Bridge and Elm Bridge built?", "Ash Bridge: 1263, Elm Bridge: 1291 to 1297"),
        ("Where were Orla Venn and Tam Ostler born?", "Harl"),
        ("Who was born first, Orla Venn, Tam Ostler or Pell Marrow?", "Pell Marrow"),
        ("Who died last, Orla Venn, Pell Marrow or Ned Ostler?", "Ned Ostler"),
        ("Who lived longest: Orla Venn, Tam Ostler or Pell Marrow?", "Pell Marrow"),
        ("Of Orla Venn, Tam Ostler and Pell Marrow, who died first?", "Tam Ostler"),
        ("Did Orla Venn live longer than Tam Ostler?", "yes"),
        ("Did Tam Ostler live to see Ned Ostler die?", "no"),
        ("Was Red Sails, Grey Sails released in Tam Ostler's lifetime?", "yes"),
        ("Which town was the birthplace of both Orla Venn and Tam Ostler?", "Harl"),
    ],
)
def test_compare_answers(question: str, answer: str, models: Models) -> None:
    reading = compare(question, models)
    assert reading is not None
    assert reading.text == answer


def test_compare_quotes_the_sentences_about_both(models: Models) -> None:
    """Of a comparison of directors, also the sentences that name them."""
    reading = compare("Which film has the older director, Low Tide or Red Sails, Grey Sails?", models)
    assert reading is not None
    assert {quote.passage.title for quote in reading.quotes} == {
        "Low Tide (film)",
        "Red Sails, Grey Sails",
        "Tam Ostler",
        "Pell Marrow",
    }


def test_each_thing_compared_has_a_hop_that_shows_what_was_told(models: Models) -> None:
    reading = compare("Who was born first, Orla Venn or Tam Ostler?", models)
    assert reading is not None
    first, second = reading.hops
    assert (first.question, first.found, first.step) == ("When was Orla Venn born?", "3 May 1801", 0)
    assert (second.found, second.passages[0].id, second.sentences[0].document_id) == (
        "12 June 1799",
        "Tam Ostler",
        "Tam Ostler",
    )


def test_who_leads_to_the_things_compared_has_a_hop_too(models: Models) -> None:
    reading = compare("Which film has the director who is older, Low Tide or Red Sails, Grey Sails?", models)
    assert reading is not None
    assert [hop.found for hop in reading.hops][:2] == ["Tam Ostler", "Pell Marrow"]


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [("Gull Records", "Lantern Records", "no"), ("Gull Records", "the Gull", "yes"), ("Gull", "Gull", "yes")],
)
def test_two_have_the_same_where_one_says_no_more_than_the_other(first: str, second: str, verdict: str) -> None:
    """A word that both names have does not make them one."""
    question = "Did Low Tide and Red Sails come out on the same label?"
    plan = planned(question, "Low Tide", "Red Sails")
    found = ((first, WORLD[0]), (second, WORLD[1]))
    steps = [StepReading("?", (Candidate(said, Quote(one, 0, 9), 0.9),)) for said, one in found]
    reading = Comparison(passages=WORLD, models=load_models(QUICK)).read(question, plan, steps)
    assert reading is not None
    assert reading.text == verdict


@pytest.mark.parametrize(
    ("first", "second", "longer"),
    [
        (["2 km"], ["800 m"], "Ash Bridge"),
        (["300"], ["200 m"], "Ash Bridge"),
        (["40 acres", "3 km"], ["2 km"], "Ash Bridge"),
        (["12 kg"], ["2 km"], None),
        (["C16"], ["2 km"], None),
    ],
)
def test_amounts_are_compared_where_they_measure_the_same(first: list[str], second: list[str], longer: str) -> None:
    plan = planned("Which is longer, Ash Bridge or Elm Bridge?", "Ash Bridge", "Elm Bridge")
    steps = [
        StepReading("?", tuple(Candidate(said, Quote(one, 0, 9), 0.9) for said in told))
        for told, one in ((first, WORLD[6]), (second, WORLD[7]))
    ]
    compared = by_amount("larger", list(_operands(plan, steps)))
    assert (compared and compared.reading.text) == longer


def test_hops_that_a_strategy_answered_are_its_own() -> None:
    """What was read of the other steps stands beside them."""
    read = Hop(question="When was Orla Venn born?", status="recovered", found="1801", passages=WORLD[:1], step=1)
    known = Hop(question="Who painted it?", status="resolved", found="Orla Venn", passages=WORLD[:1], step=0)
    reading = Reading(text="it", hops=(Hop(question="Who painted it?", status="unresolved", step=0), read))
    assert hops_taken("?", reading, Evidence(question="?", strategy="x", passages=(), hops=(known,))) == (known, read)


def test_compare_doubts_what_no_passage_is_about(models: Models) -> None:
    sure = compare("Who was born first, Orla Venn or Tam Ostler?", models)
    unsure = compare("Who was born first, Orla Venn or Hal Brook?", models)
    assert sure is not None
    assert unsure is not None
    assert unsure.confidence < sure.confidence / 2


@pytest.mark.parametrize("question", ["Where was Orla Venn born?", "Who painted the Gull?", "", "or", "and?"])
def test_compare_leaves_other_questions_alone(question: str, models: Models) -> None:
    assert compare(question, models) is None


def test_three_options_of_a_question_in_several_steps_are_compared(models: Models) -> None:
    town = passage("Harl", "Harl is the town in which the engineer Tam Ostler was born.")
    question = "Which town was the director of Low Tide born in: Harl, Gull or Elm Bridge?"
    reading = compare(question, models, (*WORLD, town))
    assert reading is not None
    assert (reading.text, reading.kind) == ("Harl", AnswerKind.CHOICE)


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who was born first, Orla Venn or Tam Ostler?", AnswerKind.CHOICE),
        ("Was Orla Venn born before or after Tam Ostler?", AnswerKind.CHOICE),
        ("Which one is a paddle steamer, Gull or Low Tide?", AnswerKind.CHOICE),
        ("Do Orla Venn and Pell Marrow have the same nationality?", AnswerKind.VERDICT),
        ("Are both Orla Venn and Pell Marrow painters?", AnswerKind.VERDICT),
        ("How old was Orla Venn when she died?", AnswerKind.VALUE),
    ],
)
def test_what_is_compared_answers_in_the_kind_that_is_asked_for(
    question: str, kind: AnswerKind, models: Models
) -> None:
    reading = compare(question, models)
    assert reading is not None
    assert reading.kind is kind


@pytest.mark.parametrize(
    ("first", "second", "sure"),
    [("1900", "3 May 1900", False), ("3 May 1900", "1 April 1900", True), ("1899", "3 May 1900", True)],
)
def test_a_bare_year_is_neither_before_nor_after_a_day_of_it(
    first: str, second: str, sure: bool, models: Models
) -> None:
    world = (
        passage("Ada Lund", f"Ada Lund was born on {first} in Harl."),
        passage("Bo Vale", f"Bo Vale was born on {second} in Fenn."),
    )
    reading = compare("Who was born first, Ada Lund or Bo Vale?", models, world)
    assert reading is not None
    assert (reading.confidence > 0.5) is sure


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        ("is married", "yes"),
        ("is not married", "no"),
        ("was never married", "no"),
        ("isn't old, and is married", "yes"),
    ],
)
def test_what_is_denied_of_one_does_not_hold_of_both(said: str, verdict: str) -> None:
    world = (passage("Ada Lund", "Ada Lund is married."), passage("Bo Vale", f"Bo Vale {said}."))
    question = "Are both Ada Lund and Bo Vale married?"
    plan = planned(question, "Ada Lund", "Bo Vale")
    steps = [StepReading(step.question) for step in plan.steps]
    reading = Comparison(passages=world, models=load_models(QUICK)).read(question, plan, steps)
    assert reading is not None
    assert reading.text == verdict


def test_options_are_named_as_in_the_question(models: Models) -> None:
    reading = compare("Which film is older, LOW TIDE or Red sails, grey sails?", models)
    assert reading is not None
    assert reading.text == "Red sails, grey sails"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Was Orla Venn born after 1790?", "yes"),
        ("Was Orla Venn born before 1 April 1801?", "no"),
        ("Was Ash Bridge completed before the year 1200?", "no"),
        ("Does the Gull have more than three funnels?", "no"),
        ("Does the Gull have at least two funnels?", "yes"),
        ("Does Ash Bridge have fewer than six arches?", "yes"),
    ],
)
def test_a_bound_is_compared_with_what_is_told(question: str, answer: str, models: Models) -> None:
    reading = settled_by_bound(question, WORLD, models)
    assert reading is not None
    assert (reading.text, reading.kind) == (answer, AnswerKind.VERDICT)


@pytest.mark.parametrize(
    "question",
    [
        "Was Low Tide released after 1854?",  # it came out in that year
        "Did Orla Venn come over the bridge?",
        "Does the Gull have more than three masts?",
        "Was Orla Venn a painter?",
    ],
)
def test_what_no_bound_settles_is_left_to_the_model(question: str, models: Models) -> None:
    assert settled_by_bound(question, WORLD, models) is None


MEMBERS = (
    passage("History", "Orla Venn was born at Harl in 1801. Tam Ostler was born at Fenn in 1799."),
    passage("Orla Venn", "Name: Orla Venn; Member since: 1829; Town: Harl"),
    passage("Tam Ostler", "Name: Tam Ostler; Member since: 1831; Town: Fenn"),
)


@pytest.mark.parametrize("world", [MEMBERS, MEMBERS[:1]])
def test_dates_are_read_elsewhere_where_the_passages_about_things_do_not_tell(
    world: tuple[Passage, ...], models: Models
) -> None:
    """A year beside a name need not be that of a birth."""
    question = "Who was born first, Orla Venn or Tam Ostler?"
    plan = planned(question, "Orla Venn", "Tam Ostler")
    reading = Comparison(passages=world, models=models).read(question, plan, read_steps(plan, world, models, found={}))
    assert reading is not None
    assert reading.text == "Tam Ostler"
    assert reading.confidence > 0.4


NOTES = """\
## 2.10.0 - 2031-10-17

* The gate opens by itself.

## 2.9.3 - 2031-10-02

* The wheel turns.

## 2.9.2

* The wheel stands.
"""
HEADINGS = tuple(
    (NOTES.index(said), NOTES.index(said) + len(said))
    for said in ("2.10.0 - 2031-10-17", "2.9.3 - 2031-10-02", "2.9.2")
)
CHANGES = replace(passage("tide-changes", NOTES), headings=HEADINGS)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which was released later, Tide 2.10.0 or Tide 2.9.3?", "Tide 2.10.0"),
        ("Which was released first, Tide 2.10.0 or Tide 2.9.3?", "Tide 2.9.3"),
        ("Which was released later, Tide 2.9.3 or Tide 2.9.2?", None),  # of one no date is told
    ],
)
def test_versions_are_compared_by_the_days_in_their_headings(question: str, answer: str | None, models: Models) -> None:
    evidence = Evidence(question=question, strategy="given", passages=(CHANGES,), plan=planned(question))
    reading = Trained().read(question, evidence, models)
    assert reading.text == answer


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("How many years after Ash Bridge was Elm Bridge completed?", True),
        ("How many years before Elm Bridge was Ash Bridge completed?", True),
        ("How many years before Ash Bridge was Elm Bridge completed?", False),
        ("How much older is Tam Ostler than Orla Venn?", True),
        ("How much younger is Tam Ostler than Orla Venn?", False),
        ("How many years lay between the birth of Orla Venn and the birth of Pell Marrow?", True),
    ],
)
def test_a_difference_is_told_only_as_the_question_takes_it(question: str, told: bool, models: Models) -> None:
    """What was not before something else was not years before it."""
    reading = compare(question, models)
    assert reading is not None
    assert (reading.confidence > Trained().threshold) is told


def test_what_follows_from_two_dates_counts_before_what_a_sentence_says(models: Models) -> None:
    """Orla Venn was twenty when she began, which is not what is asked."""
    began = passage("Ash Bridge Inn", "Orla Venn was twenty years old when she painted the sign of Ash Bridge Inn.")
    question = "How old was Orla Venn when Tam Ostler died?"
    evidence = Evidence(question=question, strategy="paths", passages=(*WORLD, began), plan=planned(question))
    assert Trained().read(question, evidence, models).text == "48"


def test_amounts_in_one_sentence_differ_as_well(models: Models) -> None:
    quote = Quote(WORLD[0], 0, 40)
    amounts = [StepReading("How long is it?", (Candidate(text, quote, 0.9),)) for text in ("12 m", "20 m")]
    plan = planned("How much longer is Ash Bridge than Elm Bridge?")
    apart = by_amount("apart", list(_operands(plan, amounts)))
    assert apart is not None
    assert apart.reading.text == "8 m"
    palms = planned("How many more date palms does Ash Bridge have than Elm Bridge?")
    told = Comparison(passages=WORLD, models=models).read("How many more date palms?", palms, amounts)
    assert told is not None
    assert told.text == "8 m", "what is counted may be called like a time"
    same = [amounts[0], amounts[0]]
    assert by_amount("apart", list(_operands(plan, same))) is None


def test_the_largest_of_three_amounts_is_told(models: Models) -> None:
    read = [
        StepReading(f"How long is {at}?", (Candidate(text, Quote(WORLD[at], 0, 40), 0.9),))
        for at, text in enumerate(("12 m", "20 m", "15 m"))
    ]
    plan = planned("Which is the longest: Orla Venn, Tam Ostler or Ned Ostler?")
    told = Comparison(passages=WORLD, models=models).read("Which is the longest?", plan, read)
    assert told is not None
    assert (told.text, len(told.hops)) == ("Tam Ostler", 3)


def test_an_amount_of_one_thing_is_no_difference_of_two(models: Models) -> None:
    """Nor does a date of one tell how long it was after another."""
    question = "How many more arches does Ash Bridge have than Elm Bridge?"
    assert compare(question, models) is None
    plan = planned(question)
    evidence = Evidence(question=question, strategy="paths", passages=WORLD, plan=plan)
    assert Trained().read(question, evidence, models).text is None
