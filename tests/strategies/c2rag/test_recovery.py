"""What the graph does not know is read in texts (Eq. 11 and 12)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from polyhop.engine import Polyhop
from polyhop.indexes.ranking import Ranked
from polyhop.indexes.vectors import Vectors
from polyhop.layers.looked_up import LookedUp
from polyhop.layers.view import View
from polyhop.planning.planner import Planning
from polyhop.plans import plan_of_constraints
from polyhop.ports import Floats
from polyhop.reading.reader import text_of
from polyhop.strategies.c2rag import read_text
from polyhop.strategies.c2rag.recover import own_passage, read_values
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget
from tests.worlds.c2rag import GROUNDING, KEEPER, RECOVERY, Retrieve, assert_exact, constraint, numbered, titles


def test_text_gives_what_the_graph_does_not_know(retrieve: Retrieve, ferries: Polyhop) -> None:
    """The hop is recovered, never resolved, and shows no fact but the sentence that says the value."""
    evidence = retrieve(KEEPER)
    [hop] = evidence.hops
    assert (hop.status, hop.placeholder, hop.found) == ("recovered", "?keeper", "Mina Stroud")
    assert titles(hop)[0] == "Sable Light"
    assert hop.facts == ()
    [span] = hop.sentences
    assert "Mina Stroud" in ferries.quote(span)[0]
    assert_exact(evidence, ferries)


def test_text_may_not_bind_where_that_is_switched_off(retrieve: Retrieve) -> None:
    plan, question = (KEEPER, ("?keeper", "kept", "?animal")), "What did the keeper of the Sable Light keep?"
    first, second = retrieve(*plan, question=question, **{"reading.by": "nobody"}).hops
    assert (first.status, first.found, titles(first)[0]) == ("unresolved", None, "Sable Light")
    assert (second.status, second.placeholder) == ("unresolved", None)
    handed_on = retrieve(*plan, question=question).hops[1]
    assert "Mina Stroud" in handed_on.question


def test_without_reranking_texts_are_in_the_order_of_their_vectors(retrieve: Retrieve) -> None:
    hop = retrieve(KEEPER, **{"recovery.reranked": False, "reading.told_apart": 0}).hops[0]
    assert hop.score is not None
    assert -1 <= hop.score <= 1.001
    best = retrieve(KEEPER).hops[0].score
    assert best is not None
    assert best > 2


def test_a_passage_about_the_value_that_was_read_is_shown_with_it(retrieve: Retrieve) -> None:
    """Unless passages about something are not wanted: then a block has what was recovered for it, and no more."""
    born = ("Wilma Fenn", "was born in", "?place")
    sizes = {"recovery.kept": 1, "check": "paper", "gamma": 0.5}
    for titled, shown in ((1, ["Wilma Fenn", "Hallow"]), (0, ["Wilma Fenn"])):
        [hop] = retrieve(born, **sizes, **{"recovery.titled": titled}).hops
        assert (hop.status, hop.found, titles(hop)) == ("recovered", "Hallow", shown)


def test_values_are_told_apart_by_the_passages_they_lead_to(retrieve: Retrieve) -> None:
    """Both are towns of the texts; one of them has a mayor who is asked for."""
    question = "Who is the mayor of the town in which Ada Brook was born?"
    plan = (("Ada Brook", "was born in", "?town"), ("?town", "mayor", "?mayor"))
    hops = retrieve(*plan, question=question, gamma=0.5, **{"reading.told_apart": 4}).hops
    assert (hops[0].status, hops[0].found, hops[1].found) == ("recovered", "Velm", "Jory Pell")
    assert [hop.chance is not None and hop.chance > 0.5 for hop in hops] == [True, False], "the last leads no further"


def test_a_value_that_is_not_sure_enough_is_a_guess(retrieve: Retrieve, monkeypatch: pytest.MonkeyPatch) -> None:
    """The constraint after it is asked about it all the same, and says what it rests on."""
    monkeypatch.setattr(read_text, "BORNE_OUT", 99.0)
    question = "What did the keeper of the Sable Light keep?"
    first, second = retrieve(KEEPER, ("?keeper", "kept", "?animal"), question=question).hops
    assert (first.status, first.found, first.note) == (
        "unresolved",
        "Mina Stroud",
        "a guess: the passages do not establish it",
    )
    assert "Mina Stroud" in second.question
    assert (second.status, second.note) == ("unresolved", "rests on a guess: ?keeper = Mina Stroud")


SOUGHT = constraint("Sable Light", "keeper", "?keeper", question="Who was the keeper of Sable Light?")


def test_recovery_keeps_the_best_of_what_is_near(over: View) -> None:
    pattern = GROUNDING.pattern(SOUGHT, {}, over)
    found = RECOVERY.passages("?", pattern, over)
    assert len(found) == 2
    assert over.passages([found[0][0]])[0].title == "Sable Light"
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert replace(RECOVERY, kept=1).passages("?", pattern, over) == found[:1]


def test_what_constraints_of_a_round_say_is_searched_for_in_one_pass(
    over: View, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the question, which is searched for in the end; what is found is the same as without."""
    plan = plan_of_constraints([SOUGHT, constraint("Sable Light", "bees", "?bees", question="Whose bees?")], "nobody")
    passes: list[int] = []
    search_each = Vectors.search_each

    def noted(vectors: Vectors, queries: Floats, k: int, candidates: int | None = None) -> list[Ranked]:
        passes.append(len(queries))
        return search_each(vectors, queries, k, candidates)

    monkeypatch.setattr(Vectors, "search_each", noted)
    monkeypatch.setattr(Planning, "plan", lambda *_, **__: plan)
    alone = C2RAG().retrieve("Who kept bees?", over, Budget())
    assert passes == [1, 1, 1]
    passes.clear()
    assert C2RAG().retrieve("Who kept bees?", replace(over, looked_up=LookedUp()), Budget()) == alone
    assert passes == [3]


def test_recovery_without_the_cross_encoder_ranks_by_vectors(over: View) -> None:
    pattern = GROUNDING.pattern(SOUGHT, {}, over)
    plain = replace(RECOVERY, reranked=False, titled=0).passages("?", pattern, over)
    near, cosines = over.text.vectors.search(over.models.embedder.embed_passages([pattern.line])[0], 2)
    assert [number for number, _ in plain] == near.tolist()
    assert [score for _, score in plain] == pytest.approx(cosines.tolist(), abs=1e-4)


def test_a_passage_about_an_anchor_is_ranked_by_its_vector_too_where_nothing_is_reranked(over: View) -> None:
    """Otherwise what leaves the cross-encoder out would put it first for its title alone."""
    pattern = GROUNDING.pattern(constraint("Hallow", "is known for", "?glass"), {}, over)
    without = replace(RECOVERY, reranked=False, retrieved=1, kept=3)
    found = without.passages("?", pattern, over)
    assert numbered(over, "Hallow") in dict(found)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)
    assert max(score for _, score in found) < 1


def test_passages_about_an_anchor_are_read_though_they_are_not_near(over: View) -> None:
    """And are favoured; without it only the nearest are read, as in the paper."""
    pattern = GROUNDING.pattern(constraint("Hallow", "was born in the rain by", "?rower"), {}, over)
    narrow = replace(RECOVERY, retrieved=1, kept=3)
    assert numbered(over, "Hallow") in dict(narrow.passages("?", pattern, over))
    assert len(replace(narrow, titled=0).passages("?", pattern, over)) == 1
    favoured = dict(narrow.passages("?", pattern, over))[numbered(over, "Hallow")]
    plain = dict(replace(narrow, named_bonus=0.0).passages("?", pattern, over))[numbered(over, "Hallow")]
    assert favoured == pytest.approx(plain + 2.0)


def test_a_value_is_read_with_the_sentence_that_says_it(over: View) -> None:
    found = read_values(GROUNDING.pattern(SOUGHT, {}, over), [numbered(over, "Sable Light")], over)
    name, quote = found[0]
    assert name == "Mina Stroud"
    assert "Mina Stroud" in text_of(quote)
    assert read_values(GROUNDING.pattern(SOUGHT, {}, over), [], over) == []


def test_a_name_has_its_own_passage_where_a_title_is_just_that(over: View) -> None:
    assert own_passage("Ada Brook", over) == numbered(over, "Ada Brook")
    assert own_passage("ada brook", over) == numbered(over, "Ada Brook")
    assert own_passage("Brook", over) is None
    assert own_passage("Otto Reed", over) is None, "he is spoken of, but no passage is about him"
