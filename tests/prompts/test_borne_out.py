"""When quotations bear an answer out, and when they are merely genuine."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.prompts.borne_out import QuotedText, contains, tells, told, words_of

BORN = QuotedText(text="She was born in Velm in 1871.", title="Ada Brook")
GULL = QuotedText(text="It was built by Ada Brook in 1892.", title="Gull")
HERON = QuotedText(text="It is 120 m long.", title="Heron Bridge")
LONG = QuotedText(text="The Long Bridge has 80 m.", title="Long Bridge")
WHERE = "Where was the builder of the ferry Gull born?"
LONGER = "Which is longer, the Heron Bridge or the Long Bridge?"
DESCRIBED = "Which is longer, the bridge that the teacher of Ada Brook built, or the old bridge of Velm?"
TAUGHT = QuotedText(text="Her teacher was Tom Hale.", title="Ada Brook")
VELM = QuotedText(text="It has 80 m.", title="Velm Old Bridge")
SAID = QuotedText(text="I booked a table for Sunday.", title="Chat", speaker="Tansy", present=("Tansy", "Corin"))


@pytest.mark.parametrize(
    ("answer", "question", "quoted"),
    [
        ("Velm", WHERE, [GULL, BORN]),
        ("Tansy", "Who booked a table?", [SAID]),  # who says it stands before the turn, not in each of its sentences
        ("yes", "Did Tansy tell Corin that she had booked a table?", [SAID]),
        ("in Velm", WHERE, [BORN]),
        ("people", "Who may land?", [QuotedText(text="All people with a boat may land.")]),
        ("people with a boat", "Who may land?", [QuotedText(text="Whoever has a boat may land.")]),
        ("Ada Brook", "Who was born in 1871?", [BORN]),  # the title says who "she" is
        ("Velm and Ossby", "Where did she live?", [BORN, QuotedText(text="She moved to Ossby.")]),
        ("May 3, 1871", "When was she born?", [QuotedText(text="She was born on 3 May 1871.")]),
        ("£1,204", "What did it cost?", [QuotedText(text="Lamp; Price: £1,204; Delivery: 6 weeks")]),
        ("no", "May I take the Gull to Velm?", [QuotedText(text="The Gull does not sail to Velm.")]),
        (
            "lead",
            "What keeps longer, a sample for lead or one for nitrate?",
            [QuotedText(text="Lead: 7 days"), QuotedText(text="Nitrate: 2 days")],
        ),
        ("1204", "How many came?", [QuotedText(text="There came 1,204 people.")]),
        ("3 ferries", "What did she build?", [QuotedText(text="She built three ferries.")]),
        ("Heron Bridge", LONGER, [HERON, LONG]),
        ("the old bridge of Velm", DESCRIBED, [TAUGHT, HERON, VELM]),  # no sentence repeats a description
        (
            "the ferry of oak",
            "Which is older, the ferry of oak or the mill?",
            [QuotedText(text="The oak ferry is of 1892."), QuotedText(text="The mill is of 1890.")],
        ),
        ("both", "Which is a bridge, the Heron Bridge or the Long Bridge?", [HERON, LONG]),
        ("neither of them", "Which is 50 m long, the Heron Bridge or the Long Bridge?", [HERON, LONG]),
        ("shorter", "Is the Heron Bridge longer or shorter than the Long Bridge?", [HERON, LONG]),
        ("before", "Was Ada Brook born before or after the Gull was built?", [BORN, GULL]),
        ("After that", "Was the Gull built before or after the birth of Ada Brook?", [BORN, GULL]),
        ("the 19th century", "In which century was the Gull built?", [GULL]),
        ("no", "Are the Heron Bridge and the Long Bridge equally long?", [HERON, LONG]),
        ("No, the Long Bridge", "Is the Heron Bridge longer than the Long Bridge?", [HERON, LONG]),
        ("21 years", "How old was she when the Gull was built?", [BORN, GULL]),
        ("40 m", "How much longer is the Heron Bridge?", [HERON, LONG]),
        ("three", "How many ferries?", [QuotedText(text="The Gull, the Tern and the Auk are ferries.")]),
        ("France", "In which country did she live?", [QuotedText(text="She was a French shipwright.")]),
        ("French", "Of which nationality was she?", [QuotedText(text="She came from the north of France.")]),
        ("3 February 2031", "When did they meet?", [QuotedText(text="We met yesterday.", day="20310204")]),
        ("10 May 2031", "When did it come?", [QuotedText(text="It came on 10 May."), QuotedText(text="Notes of 2031")]),
        (
            "10/05/2031",
            "When did it come?",
            [QuotedText(text="The new one came on 10/05."), QuotedText(text="Meeting of 14/05/2031")],
        ),
        ("10.05.2031", "When did it come?", [QuotedText(text="It came on 10.05."), QuotedText(text="Notes of 2031")]),
        ("3.5 km", "How long is the road?", [QuotedText(text="The road is 3.5 km long.")]),
        ("10 am", "When does it open?", [QuotedText(text="It opens at 10:00 am.")]),
        ("04.02.2031", "When did it open?", [QuotedText(text="It opened on 04.02.2031, a Tuesday.")]),
        ("24", "How many were there?", [QuotedText(text="There were 12 women and 12 men.")]),
    ],
)
def test_an_answer_is_borne_out_by_what_contains_it_or_what_it_is_computed_from(
    answer: str, question: str, quoted: list[QuotedText]
) -> None:
    assert contains(answer, question, quoted)


@pytest.mark.parametrize(
    ("answer", "question", "quoted"),
    [
        ("Paris", WHERE, [BORN]),
        ("Paris", WHERE, [QuotedText(text="born")]),
        ("people", "Who may land?", [QuotedText(text="Whoever has a boat may land.")]),
        ("Velm", WHERE, []),
        ("Velm", WHERE, [QuotedText(text="Velm")]),  # a name says nothing of itself
        ("", WHERE, [BORN]),
        (
            "Ada Velm",
            WHERE,
            [QuotedText(text="Ada was there."), QuotedText(text="Velm is a town.")],
        ),
        ("the 18th century", "In which century was the Gull built?", [GULL]),
        ("Heron Bridge", LONGER, [HERON]),  # half a comparison
        ("both", "Which is a bridge, the Heron Bridge or the Long Bridge?", [HERON]),
        ("both", "Which bridges did she build?", [HERON, LONG]),  # nothing is offered
        ("shorter", "Is the Heron Bridge longer or shorter than the Long Bridge?", [HERON]),
        ("before or after", "Was Ada Brook born before or after the Gull was built?", [BORN, GULL]),
        ("red", "Was the Gull painted red or blue by Ada Brook?", [GULL]),
        ("the old bridge of Velm", DESCRIBED, [HERON, VELM]),  # nothing about Ada Brook
        ("the new tower of Velm", "Which is older, the old tower of Velm or the new tower of Velm?", [VELM]),
        ("yes", "Are the Heron Bridge and the Long Bridge equally long?", [HERON]),
        ("No, since 1688", "Are the Heron Bridge and the Long Bridge equally long?", [HERON, LONG]),
        ("No Man's Land", "What lies behind the Heron Bridge?", [HERON]),  # a name that begins as a verdict does
        ("22 years", "How old was she when the Gull was built?", [BORN, GULL]),
        ("seven", "How many ferries?", [QuotedText(text="The Gull, the Tern and the Auk are ferries.")]),
        ("France", "In which country did she live?", [QuotedText(text="She was a Spanish shipwright.")]),
        ("Corin", "Who booked a table?", [SAID]),  # he only takes part
        ("yes", "Did Tansy tell Rook that she had booked a table?", [SAID]),
        ("3 February 2040", "When did they meet?", [QuotedText(text="We met yesterday.", day="20310204")]),
        ("10 May 2031", "When did it come?", [QuotedText(text="It came on 11 May."), QuotedText(text="Notes of 2031")]),
        (
            "10 June 2031",
            "When did it come?",
            [QuotedText(text="It came on 10 May."), QuotedText(text="Notes of 2031")],
        ),
        ("10 May 2032", "When did it come?", [QuotedText(text="It came on 10 May."), QuotedText(text="Notes of 2031")]),
        ("5 km", "How long is the road?", [QuotedText(text="The road is 3.5 km long.")]),
        ("3.5 km", "How long is the road?", [QuotedText(text="The road is 5.3 km long.")]),
        ("50", "What did it cost?", [QuotedText(text="The crossing cost £2.50 then.")]),
        ("10:15", "When did the Gull leave?", [QuotedText(text="The Gull left at 15:10.")]),
        ("8", "How many rooms has it?", [QuotedText(text="The road to its rooms is 3.5 km long.")]),
    ],
)
def test_a_genuine_quotation_of_something_else_bears_nothing_out(
    answer: str, question: str, quoted: list[QuotedText]
) -> None:
    assert not contains(answer, question, quoted)


def test_a_sentence_may_tell_in_other_words_what_is_quoted_but_no_other_names_and_numbers() -> None:
    assert told("Ada Brook, who was born in Velm, built the ferry Gull.", WHERE, [GULL, BORN])
    assert told("It was built in 1892.", "When was the Gull built?", [GULL])
    teshel = QuotedText(text="The bed of the Teshel was too soft.", title="Long Bridge")
    assert told(
        "The bed of the River Teshel was soft.", "Why was there doubt?", [teshel], ["It crosses the River Teshel."]
    )
    assert not told(
        "The bed of the River Teshel was soft.", "Why was there doubt?", [teshel], ["It crosses the Teshel."]
    )
    lens = [QuotedText(text="Wipe the lens."), QuotedText(text="Do not oil it.")]
    assert told("Wipe the lens. Do not oil it.", "How is the lens cleaned?", lens)  # "Do" is no name
    assert told("The Gull is one of the ferries that Ada Brook built.", "What is the Gull?", [GULL])
    assert not told("The Gull is one of the 3 ferries that Ada Brook built.", "What is the Gull?", [GULL])
    assert not told("Tom Hale, who was born in Velm, built the ferry Gull.", WHERE, [GULL, BORN])
    assert not told("It was built in 1893.", "When was the Gull built?", [GULL])
    assert not told("Shipping was a dangerous trade then.", WHERE, [GULL, BORN])


def test_a_step_is_told_by_quotations_that_have_all_of_its_words_also_where_the_question_has_them() -> None:
    """What two lists have in common is named in the question by then."""
    common = "Who is named both among Ada Brook and Tom Hale, and among Tom Hale and Ilse Dorn?"
    both = [QuotedText(text="Ada Brook and Tom Hale sang."), QuotedText(text="Tom Hale danced with Ilse Dorn.")]
    assert tells("Tom Hale", common, both[:1])
    assert tells("the river was too soft", "Why was there doubt?", [QuotedText(text="The river's bed was soft.")])
    assert not tells("Tom Hale", WHERE, [GULL, BORN])
    assert not tells("Tom Hale", WHERE, [])


OTHERS = st.lists(st.text("stuvwxyz", min_size=4, max_size=8), min_size=1, max_size=6)
WORDS = st.lists(st.text("abcdefgh", min_size=4, max_size=8), min_size=1, max_size=6)


@given(before=OTHERS, answer=WORDS, after=OTHERS)
def test_law_whoever_quotes_the_answer_bears_it_out(before: list[str], answer: list[str], after: list[str]) -> None:
    """Whatever stands around it."""
    quote = QuotedText(text=" ".join([*before, *answer, *after]))
    assert contains(" ".join(answer), "Which is it?", [quote])


@given(quote=WORDS, answer=WORDS)
def test_law_a_name_that_is_not_quoted_is_never_borne_out(quote: list[str], answer: list[str]) -> None:
    """However genuine the quotation, and however much of the name it has."""
    name, quoted = " ".join(answer), QuotedText(text=" ".join(quote))
    assert contains(name, "Which is it?", [quoted]) == (words_of(name) < quoted.words)


@given(answer=WORDS, quote=WORDS, more=WORDS)
def test_law_one_more_quotation_takes_no_proof_away(answer: list[str], quote: list[str], more: list[str]) -> None:
    """Quoting too much is no fault."""
    name, first, second = " ".join(answer), QuotedText(text=" ".join(quote)), QuotedText(text=" ".join(more))
    if contains(name, "Which is it?", [first]):
        assert contains(name, "Which is it?", [first, second])


@given(answer=WORDS, question=WORDS)
def test_law_without_quotations_nothing_is_borne_out(answer: list[str], question: list[str]) -> None:
    assert not contains(" ".join(answer), " ".join(question), [])
    assert not told(" ".join(answer), " ".join(question), [])
