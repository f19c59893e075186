"""Every switch of C2RAG's graph that the paper has, and settings that are refused."""

from __future__ import annotations

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import SettingError
from polyhop.settings import Settings
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.strategies.strategy import ablations_of, strategy_of
from polyhop.types import Evidence
from tests.worlds.c2rag import BUILT, MOTHER, SAILS, Retrieve, assert_exact, stated
from tests.worlds.ferries import CHAINED


def test_without_constraints_facts_need_no_anchor(retrieve: Retrieve) -> None:
    nobody = ("Nobody Known", "was born in", "?place")
    assert retrieve(nobody, check="off").hops[0].facts == ()
    assert retrieve(nobody, check="off", **{"grounding.without": "constraint"}).hops[0].facts


def relations_of(evidence: Evidence) -> set[str]:
    """How near relations are, as the trail says."""
    return {line.split("relation ")[1].split(",")[0] for line in evidence.trail if "   relation " in line}


def test_without_relation_variants_relations_say_nothing(retrieve: Retrieve) -> None:
    without = retrieve(MOTHER, **{"grounding.without": "relation_variants"})
    assert relations_of(retrieve(MOTHER)) != {"0.00"} == relations_of(without)


def test_more_phrasings_of_a_relation_are_nearer_to_it(retrieve: Retrieve) -> None:
    """M of the paper: the phrasings of a plan beyond it are not used."""
    phrased = ("Gull", "shipwright", "?person", "was built by")
    assert "1.00" not in relations_of(retrieve(phrased, variants=1))
    assert "1.00" in relations_of(retrieve(phrased, variants=2))


def lines_of(evidence: Evidence) -> list[str]:
    """What each constraint is judged by, as the trail says."""
    return [line.split(": ", 1)[1] for line in evidence.trail if line.startswith(("resolved: ", "unresolved: "))]


def test_without_placeholders_nothing_is_judged_by_what_is_open_or_was_found(retrieve: Retrieve) -> None:
    """What is found is still where the next constraint looks: its anchors are all that changes with it."""
    evidence = retrieve(*CHAINED, check="off", **{"grounding.without": "placeholders"})
    assert [hop.found for hop in evidence.hops][:2] == ["Ada Brook", "Wilma Fenn"]
    assert lines_of(evidence) == ["Gull was built by", "mother", "was born in"]
    assert [hop.question for hop in evidence.hops] == lines_of(evidence)
    when = retrieve(("Gull", "was built", "?date"), check="off", **{"grounding.without": "placeholders"}).hops[0]
    assert len({fact[2] for fact in stated(when)}) == 3, "no value is left out for its kind"


def test_without_types_a_placeholder_may_stand_for_anything(retrieve: Retrieve) -> None:
    """Velm is no date; but it is all that the graph knows of her birth."""
    born = ("Ada Brook", "was born in", "?date")
    assert retrieve(born, check="off").hops[0].found != "Velm"
    assert retrieve(born, check="off", typed=False).hops[0].found == "Velm"


def test_without_types_no_placeholder_tells_its_type(retrieve: Retrieve) -> None:
    """Neither its name nor the question that a constraint is put as."""
    evidence = retrieve(BUILT, SAILS, ("?ferry", "was painted by", "?painter"), check="off", typed=False)
    assert [hop.placeholder for hop in evidence.hops] == ["?x1", "?x1", "?x2"]
    assert "ferry" not in " ".join([hop.question for hop in evidence.hops] + list(evidence.trail)).casefold()
    assert "ferry" in retrieve(BUILT, SAILS, check="off").hops[0].question


def test_without_reranking_facts_have_the_score_of_their_relation(retrieve: Retrieve) -> None:
    facts = retrieve(MOTHER, check="off", **{"grounding.reranked": False}).hops[0].facts
    assert facts
    assert all(-1 <= fact.score <= 1.001 for fact in facts)
    assert retrieve(MOTHER, check="off").hops[0].facts[0].score > 2


def test_in_context_facts_are_judged_for_the_question_too(retrieve: Retrieve) -> None:
    """Which of them comes first then, the cross-encoder's rounding decides on some processors."""
    alone, both = (
        {
            (fact.head, fact.tail): fact.score
            for fact in retrieve(MOTHER, check="off", **{"grounding.in_context": on}).hops[0].facts
        }
        for on in (False, True)
    )
    assert alone["Ada Brook", "Wilma Fenn"] != both["Ada Brook", "Wilma Fenn"]


def test_the_sizes_bound_what_is_looked_at(retrieve: Retrieve) -> None:
    """E, R and K_s of the paper."""
    for setting, size in (("kept", 1), ("kept", 3), ("relations", 2)):
        [hop] = retrieve(("Ada Brook", "was born in", "?x"), check="off", **{f"grounding.{setting}": size}).hops
        assert len(hop.facts) == size
    anchors = retrieve(("Ada Brook Wilma Fenn", "knew", "?x"), **{"grounding.anchors": 1}).trail[2]
    assert anchors.count("(") == 1


@pytest.mark.parametrize("label", C2RAG.ablations)
def test_every_declared_ablation_gives_evidence(retrieve: Retrieve, ferries: Polyhop, label: str) -> None:
    """Tables 2 and 6 of the paper, on one question."""
    evidence = retrieve(*CHAINED, **ablations_of("c2rag")[label])
    assert len(evidence.hops) == 3
    assert evidence.passages
    assert_exact(evidence, ferries)


@pytest.mark.parametrize(
    ("setting", "message", "remedy"),
    [
        ("gama=1", "no setting 'gama'", "'gamma'"),
        ("check=calibrate", "cannot be 'calibrate'", "'calibrated'"),
        ("reading.by=modell", "cannot be 'modell'", "'model'"),
        ("recovery=closed", "has settings of its own, and cannot be 'closed'", "recovery.paragraphs"),
        ("grounding.anchor=1", "grounding has no setting 'anchor'", "'anchors'"),
        ("gamma.anchors=1", "no setting 'gamma.anchors'", "'grounding.anchors'"),
        ("grounding.without=everything", "cannot be 'everything'", "constraint"),
        ("grounding.anchors=0", "grounding: .*at least 1", ""),
        ("recovery.kept=0", "recovery: .*at least 1", ""),
        ("anchors=3", "no setting 'anchors'", "'grounding.anchors'"),
        ("typed=maybe", "takes a value of type bool", ""),
    ],
)
def test_settings_that_make_no_sense_are_refused(setting: str, message: str, remedy: str) -> None:
    with pytest.raises(SettingError, match=message) as caught:
        strategy_of(f"c2rag({setting})", Settings())
    assert remedy in caught.value.remedy
