"""Constraints without a language model: by rules, with questions for constraints that lack one, and from a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.english.answer_type import AnswerType, answer_type
from polyhop.english.relations import RELATIONS, variants_of, wording_of
from polyhop.english.verbs import past_of
from polyhop.errors import UsageError
from polyhop.planning.by_rules import ByRules
from polyhop.planning.planner import Planner
from polyhop.planning.recorded import RecordedPlans
from polyhop.planning.rules.constraints import constrained
from polyhop.planning.rules.questions import question_of, with_questions
from polyhop.planning.rules.statements import read_step, stated
from polyhop.planning.soundness import faults
from polyhop.planning.trained import TrainedPlanner
from polyhop.plans import Constant, Constraint, End, Placeholder, Plan, asked, with_variants


def planned(question: str, names: Sequence[str] = ()) -> Plan:
    return constrained(TrainedPlanner().plan(question, names, None), question, names)


def lines(question: str, *names: str) -> list[str]:
    """The plan without a language model, a line for each constraint."""
    made = planned(question, names)
    assert made.source == "trained"
    return [constraint.linearised() for constraint in made.constraints]


# --- plans without a language model -----------------------------------------------------------------------------------

CHAINS = {
    "Where was the director of the film Low Tide born?": [
        "Low Tide director ?director", "?director was born in ?place",
    ],
    "Who is the maternal grandfather of Anne of Velm?": ["Anne of Velm mother ?mother", "?mother father ?father"],
    "Who is the paternal grandfather of Anne of Velm?": ["Anne of Velm father ?father1", "?father1 father ?father2"],
    "When did Ada Brook's husband die?": ["Ada Brook husband ?husband", "?husband died in ?date"],
    "In which country is the city where Ada Brook was born?": ["Ada Brook was born in ?city", "?city is in ?country"],
    "Which team did the captain of the Gull play for?": ["Gull captain ?captain", "?captain played for ?team"],
    "Who owns the yard that built the Gull?": ["?yard built Gull", "?person owns ?yard"],
    "Which county shares a border with the county where Velm Castle is located?": [
        "Velm Castle is located in ?county1", "?county2 shares border with ?county1",
    ],
    "How many students attend the school that Ada Brook founded?": [
        "Ada Brook founded ?school", "?number attend ?school",
    ],
}  # fmt: skip


@pytest.mark.parametrize("question", CHAINS)
def test_chains_become_constraints_that_share_placeholders(question: str) -> None:
    assert lines(question, "Gull") == CHAINS[question]


def test_placeholders_have_types_and_numbers_where_several_are_of_one_kind() -> None:
    made = planned("Which film has the director who was born later, Low Tide or High Wind?")
    assert [place.type for place in made.placeholders] == ["director", "director", "date of birth", "date of birth"]
    assert [place.name for place in made.placeholders][:2] == ["?director1", "?director2"]
    assert [constraint.question for constraint in made.constraints] == [
        "Who is the director of film Low Tide?",
        "Who is the director of film High Wind?",
        "When was ?director1 born?",
        "When was ?director2 born?",
    ]


def test_steps_that_only_compare_are_no_constraints() -> None:
    made = planned("Were Ada Brook and Olaf Tern born in the same place?")
    assert [one.linearised() for one in made.constraints] == [
        "Ada Brook was born in ?place1",
        "Olaf Tern was born in ?place2",
    ]


def test_constraints_on_one_thing_share_its_placeholder() -> None:
    """Whether two clauses say it, one participle beside the other, or that two things have it in common."""
    assert lines("Which actor starred in Low Tide and directed High Wind?") == [
        "?actor starred in Low Tide",
        "?actor directed High Wind",
    ]
    both = planned("What language do the Velmish and the Ossbyans have in common?", ["Velmish", "Ossbyans"])
    assert len(both.placeholders) == 1
    assert len(both.constraints) == 2


def test_question_with_two_names_is_a_constraint_for_each() -> None:
    """Not where it asks when or where: there the second name only qualifies."""
    assert lines("Which actress played Nora Vane in Low Tide?", "Nora Vane", "Low Tide") == [
        "?actress played Nora Vane",
        "?actress played in Low Tide",
    ]
    assert lines("When was Low Tide released in Norway?") == ["Low Tide was released in Norway in ?date"]


def test_yes_or_no_about_two_names_is_verified_between_them() -> None:
    (constraint,) = planned("Did Ada Brook direct Low Tide?").constraints
    assert (constraint.head, constraint.relation, constraint.tail) == (
        Constant("Ada Brook"),
        "directed",
        Constant("Low Tide"),
    )
    assert "was directed by" in constraint.variants


def test_description_stands_for_a_name_where_there_is_none() -> None:
    made = planned("Who married the governor who passed the first fishing law?")
    assert made.constraints[0].tail == Constant("first fishing law")
    assert made.constraints[1].linearised() == "?person married ?governor"


def test_what_a_statement_says_of_a_thing_is_a_constraint_on_it() -> None:
    assert lines("Velm High School is a public school in what city?") == ["Velm High School is public school in ?city"]


def test_names_that_the_graph_knows_stay_whole() -> None:
    """Also where only the graph tells that they are names."""
    question = "who directed the man in the high castle"
    assert lines(question, "The Man in the High Castle") == ["?person directed the man in the high castle"]


@pytest.mark.parametrize("question", ["", "   ", "?", "???", "—", "Why?"])
def test_questions_without_any_name_stay_whole(question: str) -> None:
    assert planned(question).source in ("whole question", "trained")


def test_phrasings_are_cut_where_fewer_are_wanted() -> None:
    made = with_variants(planned("Who directed Low Tide?"), 2)
    assert made.constraints[0].variants == ("directed", "was directed by")


FRAGMENTS = [
    *("who", "what", "which", "where", "when", "how", "is", "was", "did", "the", "a", "of", "in", "by", "that", "as"),
    *("film", "director", "born", "Ada", "Brook", "Low", "Tide", "'", "'s", ",", "?", "and", "or", "both", "same"),
    *("directed", "starred", "#1", "#9", "?x", "largest", "city", "mother", "grandfather", '"', "(", ")", "1892", "İ"),
]


@pytest.mark.parametrize("planner", [ByRules(), TrainedPlanner()], ids=["rules", "trained"])
@settings(max_examples=200, deadline=None)
@given(
    question=st.lists(st.sampled_from(FRAGMENTS), max_size=24).map(" ".join),
    names=st.lists(st.sampled_from(FRAGMENTS), max_size=3),
)
def test_constraints_are_sound_whatever_is_asked(planner: Planner, question: str, names: list[str]) -> None:
    """Law: nothing raises, and a plan has no faults unless the question says nothing at all."""
    made = constrained(planner.plan(question, names, None), question, names)
    assert made.source == "whole question" or faults(made) == ()
    assert all(one.variants[0] == one.relation for one in made.constraints)


@settings(max_examples=100, deadline=None)
@given(st.text(max_size=120))
def test_any_text_makes_constraints(question: str) -> None:
    assert planned(question, [question[3:9]]).constraints


# --- steps as statements ----------------------------------------------------------------------------------------------

STATEMENTS = {
    "Which film was directed by Ada Brook?": ("? was directed by Ada Brook", "film"),
    "Which film did Ada Brook direct?": ("Ada Brook directed ?", "film"),
    "In which state was #1 formed?": ("#1 was formed in ?", "state"),
    "Where did #1 die?": ("#1 died in ?", ""),
    "Which team does Ada Brook play for?": ("Ada Brook plays for ?", "team"),
    "Which Danish-born painter taught #2?": ("? taught #2", "painter"),
    "What type of ship is the Gull?": ("the Gull is ?", "ship"),
    "Gull was built by which yard?": ("Gull was built by ?", "yard"),
    "In 1900, what was the population of Velm?": ("the population of Velm was ? in 1900", "population"),
    "Is Velm from Norway?": ("Velm is from Norway", ""),
}


@pytest.mark.parametrize("question", STATEMENTS)
def test_step_is_stated_with_a_gap(question: str) -> None:
    statement = stated(read_step(question, ["Gull"]))
    assert (" ".join(word.text for word in statement.words).lower(), statement.noun) == (
        STATEMENTS[question][0].lower(),
        STATEMENTS[question][1],
    )


def test_past_of_verbs() -> None:
    assert [past_of(verb) for verb in ("direct", "die", "study", "play", "win", "write")] == [
        "directed", "died", "studied", "played", "won", "wrote",
    ]  # fmt: skip


# --- phrasings --------------------------------------------------------------------------------------------------------


def test_known_relations_have_at_least_three_phrasings() -> None:
    assert all(len(set(relation.phrasings)) >= 3 for relation in RELATIONS)
    assert len({relation.name for relation in RELATIONS}) == len(RELATIONS)


@pytest.mark.parametrize(
    ("phrase", "kind", "name"),
    [
        ("was directed by", None, "director"),
        ("director", None, "director"),
        ("has father", None, "father"),
        ("born in", AnswerType.PLACE, "place of birth"),
        ("born in", AnswerType.DATE, "date of birth"),
        ("was founded in", AnswerType.DATE, "founding date"),
        ("was founded by", AnswerType.PERSON, "founder"),
        ("is located in", AnswerType.PLACE, "location"),
        ("played for", AnswerType.ORGANISATION, "team"),
        ("wrote for", AnswerType.ORGANISATION, None),
        ("", None, None),
    ],
)
def test_relation_is_known_by_its_wording_and_the_kind_of_its_value(
    phrase: str, kind: AnswerType | None, name: str | None
) -> None:
    found = wording_of(phrase, kind)
    assert (found.name if found else None) == name


def test_unknown_relations_are_worded_by_the_question() -> None:
    assert variants_of("was refitted by") == ("was refitted by", "refitted by", "refitted")
    assert variants_of("second largest harbour") == ("second largest harbour", "harbour")
    assert variants_of("is in", AnswerType.PLACE, "county")[1] == "is located in"


@given(st.text(max_size=40), st.sampled_from([None, *AnswerType]), st.text(max_size=10))
def test_phrasings_are_distinct_and_begin_with_the_phrase(phrase: str, kind: AnswerType | None, noun: str) -> None:
    """Law: and none is empty."""
    found = variants_of(phrase, kind, noun)
    assert len(set(found)) == len(found)
    assert all(found)
    assert not phrase.split() or found[0] == " ".join(phrase.split()[:8])


# --- questions for constraints ----------------------------------------------------------------------------------------


def end(text: str) -> End:
    """A name, or a placeholder where the text begins with a question mark."""
    return Placeholder.named(text) if text.startswith("?") else Constant(text)


def constraint(head: str, relation: str, tail: str) -> Constraint:
    """A constraint with one phrasing and no question."""
    return Constraint(end(head), relation, (relation,), end(tail))


WORDED = [
    (("Anne", "mother", "?mother"), "Who is the mother of Anne?", AnswerType.PERSON),
    (("Anne", "has father", "?father"), "Who is the father of Anne?", AnswerType.PERSON),
    (("Anne", "child of", "?mother"), "Who is the mother of Anne?", AnswerType.PERSON),
    (("Anne", "married", "?spouse"), "Who is the spouse of Anne?", AnswerType.PERSON),
    (("Anne", "has mother-in-law", "?mother_in_law"), "Who is the mother-in-law of Anne?", AnswerType.PERSON),
    (("?director1", "directed", "Low Tide"), "Who is the director of Low Tide?", AnswerType.PERSON),
    (("Low Tide", "directed by", "?director"), "Who is the director of Low Tide?", AnswerType.PERSON),
    (("Low Tide", "was released in", "?year1"), "When was Low Tide released?", AnswerType.DATE),
    (("Anne", "age", "?age1"), "When was Anne born?", AnswerType.DATE),
    (("Anne", "born in", "?city"), "Where was Anne born?", AnswerType.PLACE),
    (("Anne", "died on", "?date"), "When did Anne die?", AnswerType.DATE),
    (("Velm", "located in", "?country1"), "In which country is Velm located?", AnswerType.PLACE),
    (("Anne", "detained in", "?prison"), "Which prison was Anne detained in?", AnswerType.PLACE),
    (("?uncle", "is the uncle of", "Anne"), "Who is the uncle of Anne?", AnswerType.PERSON),
    (("Anne", "directed", "?film"), "Which film was directed by Anne?", None),
    (("?film", "directed by", "Anne"), "Which film was directed by Anne?", None),
    (("Anne", "directed", "Low Tide"), "Did Anne direct Low Tide?", AnswerType.YES_NO),
    (("Anne", "older than", "Olaf"), "Is Anne older than Olaf?", AnswerType.YES_NO),
    (("Anne", "mother", "Ada"), "Is Ada the mother of Anne?", None),
]


@pytest.mark.parametrize(("triple", "question", "kind"), WORDED)
def test_constraint_is_put_into_a_question_that_asks_for_the_right_kind(
    triple: tuple[str, str, str], question: str, kind: AnswerType | None
) -> None:
    """None: the words of the question leave it open."""
    assert question_of(constraint(*triple)) == question
    assert kind is None or answer_type(question) is kind


@pytest.mark.parametrize(
    ("relation", "of_tail", "of_head", "of_neither"),
    [
        ("from", "Which town is Gull from?", "Who is from Velm?", "Is Gull from Velm?"),
        ("near", "Gull is near which town?", "Who is near Velm?", "Is Gull near Velm?"),
        ("part of", "Gull is part of which town?", "Who is part of Velm?", "Is Gull part of Velm?"),
        ("kept by", "Which town was Gull kept by?", "Who was kept by Velm?", "Is Gull kept by Velm?"),
        (
            *("ground the lens of", "Which town did Gull grind the lens of?"),
            *("Who ground the lens of Velm?", "Did Gull grind the lens of Velm?"),
        ),
    ],
)
def test_a_relation_that_needs_its_other_end_is_no_noun(
    relation: str, of_tail: str, of_head: str, of_neither: str
) -> None:
    """Nobody asks for "the near of" something, or for what "has the part of" it."""
    assert question_of(constraint("Gull", relation, "?town")) == of_tail
    assert question_of(constraint("?person", relation, "Velm")) == of_head
    assert question_of(constraint("Gull", relation, "Velm")) == of_neither


def test_questions_ask_for_what_is_not_found_before() -> None:
    """A placeholder that an earlier constraint finds is given, in whichever place it stands."""
    plan = (constraint("?x", "directed", "Low Tide"), constraint("?film", "directed by", "?x"))
    first, second = with_questions(plan)
    assert first.question == "Who is the director of Low Tide?"
    assert asked(second, {"?x": "Ada Brook"}) == "Which film was directed by Ada Brook?"


@given(st.text(max_size=30), st.sampled_from(["?a", "?person", "?b"]), st.sampled_from(["?a", "?place", "Velm"]))
def test_every_constraint_can_be_put_into_a_question(relation: str, head: str, tail: str) -> None:
    """Law: whatever its relation."""
    assert question_of(constraint(head, relation, tail), {"?b"}).endswith("?")


# --- plans from a file ------------------------------------------------------------------------------------------------


def recorded(path: Path, *rows: object) -> Path:
    """A file of plans: text as it is, anything else as JSON."""
    path.write_text("\n".join(one if isinstance(one, str) else json.dumps(one) for one in rows), encoding="utf-8")
    return path


def triple(head: str, relation: str, tail: str, *variants: str) -> dict[str, object]:
    """A constraint as it is recorded."""
    return {"head": head, "relation": relation, "relation_variants": [relation, *variants], "tail": tail}


def test_replayed_plan_is_found_by_its_question(tmp_path: Path) -> None:
    """Spacing and case aside; the first plan of a question counts, and questions are put into words."""
    question = "Who is the  mother of the director of Low Tide? "
    rows = [triple("?director", "directed", "Low Tide", "was directed by"), triple("?director", "mother", "?mother2")]
    other = {"question": question, "plan": [triple("Low Tide", "mother", "?m")]}
    file = recorded(tmp_path / "plans.jsonl", {"id": 1, "question": question, "plan": rows}, "", other)
    plans = RecordedPlans.read(file)
    found = plans.find("who is the mother of the director of Low Tide?")
    assert found is not None
    assert (len(plans), found.source, faults(found)) == (1, "recorded", ())
    assert found.constraints[0].variants == ("directed", "was directed by")
    assert found.constraints[1].tail == Placeholder("?mother2", "mother")
    assert asked(found.constraints[1], {"?director": "Ada Brook"}) == "Who is the mother of Ada Brook?"
    assert plans.find("Who is the father of the director of Low Tide?") is None


def test_replayed_plans_are_kept_with_their_faults(tmp_path: Path) -> None:
    """A mangled name and a comparison between placeholders stay; what means nothing goes."""
    rows = [triple("L貌w Tide", "from", "?c1"), triple("High Wind", "from", "?c2"), triple("?c1", "same as", "?c2")]
    nothing = {"question": "And this?", "plan": [triple("?x", "", "?x")]}
    plan = {"question": "Same country?", "plan": [*rows, triple("", "near", "?c1")]}
    plans = RecordedPlans.read(recorded(tmp_path / "plans.jsonl", plan, nothing))
    found = plans.find("Same country?")
    assert found is not None
    assert [one.linearised() for one in found.constraints] == [
        "L貌w Tide from ?c1",
        "High Wind from ?c2",
        "?c1 same as ?c2",
    ]
    assert plans.find("And this?") is None


@pytest.mark.parametrize(
    "bad",
    [
        "{",
        "[]",
        '"text"',
        {"question": "Who?"},
        {"question": 7, "plan": []},
        {"question": "Who?", "plan": {}},
        {"question": "Who?", "plan": ["Low Tide"]},
        {"question": "Who?", "plan": [{"head": "Low Tide", "relation": "from"}]},
        {"question": "Who?", "plan": [{"head": "a", "relation": "b", "tail": "c", "relation_variants": "b"}]},
        {"question": "Who?", "plan": [{"head": "a", "relation": "b", "tail": "c", "relation_variants": [1]}]},
        "[" * 100_000,
    ],
)
def test_rows_that_are_no_plans_are_reported_with_their_line(tmp_path: Path, bad: object) -> None:
    good = {"question": "Who?", "plan": [triple("Low Tide", "director", "?director")]}
    with pytest.raises(UsageError, match="line 3"):
        RecordedPlans.read(recorded(tmp_path / "plans.jsonl", good, "", bad))


def test_files_that_cannot_be_read_are_reported(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        RecordedPlans.read(tmp_path / "none.jsonl")
    (tmp_path / "latin.jsonl").write_bytes(b'{"question": "\xff"}')
    with pytest.raises(UsageError, match="line 1: not UTF-8, in byte 15"):
        RecordedPlans.read(tmp_path / "latin.jsonl")
