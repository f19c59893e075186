"""Clues to learn from: what decoding can say, next to an entity that leads to the answer."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.layers.parsekg.translation import open_or_build
from polyhop.models.choice import load_models
from polyhop.models.smollm2 import SmolLM2
from polyhop.settings import Settings
from polyhop.strategies.translator.translate import TRIPLES_INSTRUCTION
from polyhop.training.asked_passages import AskedPassage
from polyhop.training.clues import ClueMaker, Spans, TaughtClue
from tests.worlds.machine import needs

LIGHT = (
    "Blackmoor Tower was designed by the architect Emily Carter and built of grey stone in London. "
    "It was lit for the first time on 3 May 1874, in front of the whole village. The oil was never paid for."
)
KEEPER = "Emily Carter (born 12 July 1831 in Bristol) was an English architect who designed Blackmoor Tower in 1871."


def row(question: str, answer: str, text: str = LIGHT, title: str = "Blackmoor Tower") -> AskedPassage:
    return AskedPassage(
        source="lights",
        licence="CC0-1.0",
        question=question,
        title=title,
        text=text,
        answer=answer,
        start=text.index(answer) if answer else 0,
    )


ROWS = (
    row("Who designed Blackmoor Tower?", "Emily Carter"),
    row("When was Blackmoor Tower lit for the first time?", "3 May 1874"),
    row("What is Blackmoor Tower built of?", "grey stone"),
    row("Which tower of stone did the whole village see lit?", ""),
    row("Where was Emily Carter born?", "Bristol", KEEPER, "Emily Carter"),
    row("Who designed Blackmoor Tower?", "Emily Carter", KEEPER, "Emily Carter"),
)


@pytest.fixture(scope="module")
def model() -> SmolLM2:
    needs("smollm2")
    return SmolLM2(threads=1)


def clues(model: SmolLM2, rows: Sequence[AskedPassage], spans: Spans = "grammar") -> list[TaughtClue]:
    return made_by(ClueMaker(models=load_models(Settings()), model=model, spans=spans), rows)


def made_by(maker: ClueMaker, rows: Sequence[AskedPassage]) -> list[TaughtClue]:
    return [clue for _, made in maker.by_chunks(rows) for clue in made]


def test_a_clue_is_the_entity_and_words_around_the_answer_without_it(model: SmolLM2) -> None:
    (clue,) = clues(model, ROWS[:1])
    assert (clue.name, clue.direction) == ("Blackmoor Tower", "forward")
    assert clue.relation.startswith("designed by the architect")
    assert "Carter" not in clue.relation
    assert model.decode(clue.tokens) == f"Blackmoor Tower@@ {clue.relation}"
    assert clue.tokens[-1] == model.end


@pytest.mark.parametrize("spans", ["grammar", "paper"])
def test_an_answer_is_never_in_its_clue(model: SmolLM2, spans: Spans) -> None:
    for clue in clues(model, ROWS, spans):
        if clue.row.answer:
            assert clue.row.answer not in clue.said


def test_a_clue_may_begin_behind_a_bracket(model: SmolLM2) -> None:
    (clue,) = clues(model, ROWS[4:5])
    assert clue.relation.startswith("born ## in")


def test_where_the_answer_leads_the_clue_is_reverse(model: SmolLM2) -> None:
    (clue,) = clues(model, ROWS[5:])
    assert (clue.name, clue.direction) == ("Blackmoor Tower", "reverse")
    assert "architect who" in clue.relation


def test_all_clues_are_what_decoding_can_say_and_lead_to_their_passage(model: SmolLM2, tmp_path: Path) -> None:
    """Token for token through the grammar of the very sentences that the passage has in an index."""
    with Polyhop(tmp_path / "index") as engine:
        for place, one in enumerate(ROWS):
            engine.add_text(one.text, str(place), title=one.title, layers=("text", "parsekg"))
        made = clues(model, ROWS)
        assert {id(clue.row) for clue in made} == {id(one) for one in ROWS}
        with engine.view() as view:
            index = open_or_build(view.kg, model)
            for clue in made:
                name, relation = _cut(clue.tokens, index.separator)
                assert tuple(model.encode([clue.name])[0]) == name
                entity = view.kg.find(clue.name)
                assert entity is not None
                grammar = index.spans(index.neighbours(entity, clue.direction), across=True)
                state = grammar.root()
                for token in relation[:-1]:
                    assert token in grammar.allowed(state)
                    state = grammar.advance(state, token)
                assert grammar.complete(state)
                assert relation[-1] == model.end
                sentences = grammar.rows(state)
                assert clue.row.text in [passage.text for passage in view.passages(view.kg.passages_of(sentences))]


def _cut(tokens: Sequence[int], separator: Sequence[int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    (at,) = (place for place in range(len(tokens)) if tuple(tokens[place : place + len(separator)]) == tuple(separator))
    return tuple(tokens[:at]), tuple(tokens[at + len(separator) :])


def test_paper_spans_have_no_entity_and_no_mask(model: SmolLM2) -> None:
    for clue in clues(model, ROWS, "paper"):
        assert "##" not in clue.relation
        assert not any(name in clue.relation for name in ("Carter", "Bristol", "1874", "1831"))
        assert len(clue.relation.split()) <= 10


def test_a_triple_ends_in_what_answers_where_that_is_an_entity(model: SmolLM2) -> None:
    """Eq. 13: the answer is dropped from the relation and said behind it; grey stone is nothing that decoding says."""
    maker = ClueMaker(models=load_models(Settings()), model=model, triples=True)
    found = {clue.row.question: clue for clue in made_by(maker, ROWS[:4])}
    assert found.keys() == {ROWS[0].question, ROWS[1].question}
    for clue in found.values():
        assert clue.tail == clue.row.answer
        assert clue.tail not in clue.relation
        assert clue.said == f"{clue.name}@@{clue.relation}@@{clue.tail}"
        assert model.decode(clue.tokens).replace("@@ ", "@@") == clue.said
        assert model.decode(clue.prompt(model)) == model.decode(model.prompt(TRIPLES_INSTRUCTION, clue.row.question))


def test_the_window_is_the_one_nearest_to_the_question(model: SmolLM2) -> None:
    (clue,) = clues(model, [row("What happened in front of the whole village?", "")])
    assert "front of the" in clue.relation


def test_a_passage_about_nobody_gives_no_clue(model: SmolLM2) -> None:
    assert not clues(model, [row("Who pays?", "nobody", text="In this place nobody pays for oil.", title="")])
