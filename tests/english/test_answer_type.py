"""What a question asks for, told from its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.answer_type import (
    AnswerType,
    answer_shape,
    answer_type,
    asked_for,
    fits,
    leaves_number_open,
    sought,
)
from polyhop.english.options import choices
from polyhop.english.question import asking_part

EXPECTED = {
    AnswerType.PERSON: [
        "Who wrote The Glass Tide?",
        "Whom did Ada Lund marry?",
        "What is the name of the founder of Velm?",
        "Which retired Danish footballer coached Orsa United?",
        "Who is Ada Lund's paternal grandmother?",
    ],
    AnswerType.PLACE: [
        "Where was Ada Lund born?",
        "In what city did Oskar Vale die?",
        "What is the place of birth of Ada Lund's mother?",
        "Oskar Lund plays for the club from what city?",
        "Which country is she from?",
    ],
    AnswerType.DATE: [
        "When did Ada Lund die?",
        "What year was Velm founded?",
        "What is the date of birth of Ada Lund?",
        "Low Water stars an actress born in which year?",
        "When is Ada Lund's birthday?",
    ],
    AnswerType.NUMBER: ["How many islands has Orsa?", "What is the population of Velm?", "How tall is Velm Tower?"],
    AnswerType.ORGANISATION: [
        "Which company owns Velm Works?",
        "Where did Ada Lund study?",
        "What is the record label of Rain?",
        "Who is the publisher of The Glass Tide?",
    ],
    AnswerType.WORK: ["What novel did Ada Lund write?", "Which film won the Orsa Prize?"],
    AnswerType.NATIONALITY: ["What nationality is Ada Lund?", "What is the nationality of Oskar Vale?"],
    AnswerType.YES_NO: ["Are Velm and Orsa in the same country?", "Did Ada Lund paint?", "is Velm a city?"],
    AnswerType.CHOICE: ["Who is older, Ada Lund or Oskar Vale?", "Was Ada Lund or Oskar Vale born first?"],
    AnswerType.THING: [
        "Which magazine printed it?",
        "Which server is down?",
        "Which sensor broke?",
        "What type of art is it?",
        "Why did it rain?",
        "How so?",
        "",
    ],
}


@pytest.mark.parametrize(("expected", "question"), [(kind, text) for kind, texts in EXPECTED.items() for text in texts])
def test_answer_type_is_told_from_the_question(expected: AnswerType, question: str) -> None:
    """The wh-word and the noun that goes with it."""
    assert answer_type(question) is expected


@pytest.mark.parametrize(
    ("label", "kind", "expected"),
    [
        ("PERSON", AnswerType.PERSON, True),
        ("GPE", AnswerType.PERSON, False),
        ("GPE", AnswerType.PLACE, True),
        ("DATE", AnswerType.DATE, True),
        ("ORDINAL", AnswerType.DATE, False),
        ("CARDINAL", AnswerType.NUMBER, True),
        ("ORG", AnswerType.ORGANISATION, True),
        ("WORK_OF_ART", AnswerType.WORK, True),
        ("NORP", AnswerType.NATIONALITY, True),
        ("EVENT", AnswerType.THING, True),
        ("CARDINAL", AnswerType.THING, False),
        ("PERSON", AnswerType.YES_NO, False),
        ("TITLE", AnswerType.PERSON, True),
        ("TITLE", AnswerType.DATE, False),
    ],
)
def test_fits_says_which_entities_may_answer(label: str, kind: AnswerType, expected: bool) -> None:
    """A title may be anything that has a name."""
    assert fits(label, kind) is expected


@given(st.text(max_size=200))
def test_any_text_has_an_answer_type(text: str) -> None:
    """Nothing raises."""
    assert answer_type(text) in AnswerType
    assert (choices(text) is not None) == (answer_type(text) is AnswerType.CHOICE)


@given(st.text(max_size=10), st.sampled_from(AnswerType))
def test_unknown_labels_fit_nothing(label: str, kind: AnswerType) -> None:
    """Labels are upper-case words of a closed list."""
    assert not fits(label.lower(), kind)


@pytest.mark.parametrize(
    ("question", "shape"),
    [
        ("Who built the lighthouse?", "value"),
        ("How long is the Long Bridge?", "value"),
        ("Is the lamp lit at night?", "verdict"),
        ("Which is older, the Long Bridge or the Heron Bridge?", "choice"),
        ("Which tools are needed to change the wick?", "list"),
        ("Which moves does the ferry make?", "list"),  # a noun that may be a verb, and is none before another one
        ("Which tide features does the table not show?", "list"),
        ("What moves the wheel?", "open"),
        ("By what means did the grain arrive?", "value"),
        ("List the keepers of the lighthouse.", "list"),
        ("Which people have kept the lighthouse?", "list"),
        ("Who were the keepers of the lighthouse?", "list"),
        ("Who are her teachers?", "list"),
        ("Who were the Romans?", "value"),  # a name
        ("What is the children's fare?", "value"),
        ("Which storm lamps need to be kept dry?", "list"),
        ("Which keepers get oil?", "list"),
        ("Which lamps don't need oil?", "list"),
        ("Which lamps cannot be refilled?", "list"),
        ("Which lamp won't burn?", "value"),
        ("Which class starts first?", "value"),
        ("Why was the ferry late?", "explanation"),
        ("How do I change the wick?", "steps"),
        ("How did Ada Brisk die?", "explanation"),
        ("How was the fire put out?", "explanation"),
        ("steps to change the wick?", "steps"),
        ("How exactly do I trim it?", "steps"),
        ("How best to keep oil?", "steps"),
        ("How Quillmouth keeps its lamp", "steps"),
        ("How?", "steps"),
        ("How thick is the rope?", "value"),
        ("How soon after the storm may boats leave?", "value"),
        ("How near may a boat come?", "value"),
        ("How strong a lamp does the Gull carry?", "value"),
        ("Which lamp counts as a spare?", "value"),
        ("Which light shows at night?", "value"),
        ("Which bottles need gloves?", "list"),
        ("Explain the signal of the red lamp.", "explanation"),
        ("Summarise the minutes of March.", "summary"),
        ("What gas was used?", "value"),
        ("The ferry takes an hour. Am I allowed a cabin?", "verdict"),
        ("We moved in May. Who has to be told?", "value"),
        ("If it rains, is the regatta called off?", "verdict"),
        ("When the lamp is red, may boats leave?", "verdict"),
        ("For the lamp, do we use more oil in summer or in winter?", "choice"),
        ("When was the lamp lit, and by whom?", "value"),
        ("The keeper, who was old, lit what?", "open"),
        ("What did Mr. Will Quade build?", "open"),
        ("What should be brought along?", "open"),
        ("What is the height of the lamp?", "value"),
        ("From where is water drawn since no. 7 stopped?", "value"),
    ],
)
def test_the_shape_of_an_answer_is_told_by_how_it_is_asked(question: str, shape: str) -> None:
    assert answer_shape(question) == shape


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Where was J. K. Marrish born?", AnswerType.PLACE),
        ("Who was Dr. Quade?", AnswerType.PERSON),
        ("When did St. Orsa's tower burn?", AnswerType.DATE),
        ("Was T. Harl a keeper?", AnswerType.YES_NO),
    ],
)
def test_full_stops_of_names_end_no_sentence(question: str, kind: AnswerType) -> None:
    assert asking_part(question) == question
    assert answer_type(question) is kind


@pytest.mark.parametrize(
    ("question", "kind", "shape"),
    [
        ("Can you tell me where Ada Lund was born?", AnswerType.PLACE, "value"),
        ("Do you know who wrote Rain?", AnswerType.PERSON, "value"),
        ("We moved house. Could you tell me when the mill opens?", AnswerType.DATE, "value"),
        ("Please name the author of Rain.", AnswerType.PERSON, "value"),
        ("Find the year in which Ada Lund died.", AnswerType.DATE, "value"),
        ("Tell me which keepers get oil.", AnswerType.THING, "list"),
        ("Could you list the keepers?", AnswerType.THING, "list"),
        ("Name the keepers of the light.", AnswerType.THING, "list"),
        ("Can you find the key?", AnswerType.YES_NO, "verdict"),
    ],
)
def test_what_is_asked_politely_asks_the_same(question: str, kind: AnswerType, shape: str) -> None:
    assert answer_type(question) is kind
    assert answer_shape(question) == shape


@given(st.text(max_size=200))
def test_what_asks_is_the_end_of_the_question(text: str) -> None:
    assert text.endswith(asking_part(text))


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Who built the Gull?", "person"),
        ("Who was the mother of Ada Brook?", "mother"),
        ("In which town is the yard?", "town"),
        ("When did it open?", "date"),
        ("How many ships did Ada Brook own?", "number"),
        ("Why did she leave?", "thing"),
        ("Did she leave?", "thing"),
        ("?", "thing"),
    ],
)
def test_what_is_asked_for_has_a_noun(question: str, noun: str) -> None:
    assert asked_for(question) == noun


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("Who painted the chapel of Norr Hall?", "person"),
        ("Who designed Heron Bridge?", "person"),
        ("Who was the teacher of Ada Brook?", "teacher"),
        ("Whom did Ada Brook teach?", "person"),
        ("In which town was she born?", "town"),
    ],
)
def test_what_is_sought_can_be_spoken_of(question: str, noun: str) -> None:
    """As in "When was the person born?": behind "who" stands what is done, and no noun."""
    assert sought(question) == noun


@pytest.mark.parametrize("question", ["Who came?", "Whom did Ada meet?", "What was sold?", "How much did we pay?"])
def test_who_what_and_how_much_leave_open_how_many_they_ask_for(question: str) -> None:
    assert leaves_number_open(question)


@pytest.mark.parametrize(
    "question", ["Which town burnt?", "Who is the mayor?", "In what town did Ada live?", "How old is it?", "When?", ""]
)
def test_a_noun_of_one_thing_leaves_nothing_open(question: str) -> None:
    assert not leaves_number_open(question)
