"""The contract of every strategy, built in or from another package: evidence within the budget, from the index alone.

One that needs no layer looks nothing up: it finds no passage, and all else holds for it too.

Every registered strategy takes these tests; one whose models are not installed is skipped and says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing, ModelMissing, UsageError
from polyhop.indexing.remembered import GrownFacts
from polyhop.layers.facts.growth import Growth
from polyhop.layers.layer import layer_of
from polyhop.layers.view import View
from polyhop.models.choice import load_models
from polyhop.reading.hops_found import along_plan
from polyhop.store.record import Record
from polyhop.strategies.strategy import Strategy, layers_used, strategy_of
from polyhop.types import Budget, Evidence, Hop, Span
from tests.worlds.documents import BRIDGE, HARBOUR, HARBOUR_BRIDGE
from tests.worlds.settings import QUICK

STRATEGIES = registry.names("strategies")
MAKE_INDEX = Callable[..., Polyhop]


@pytest.fixture(scope="module", params=STRATEGIES)
def name(request: pytest.FixtureRequest, engine: Polyhop) -> str:
    """A strategy that can run here."""
    try:
        engine.search("Who?", k=1, strategy=request.param)
    except ModelMissing as error:
        pytest.skip(f"{error} {error.remedy}")
    return str(request.param)


@contextmanager
def view_of(path: Path) -> Iterator[View]:
    """Everything that an index offers."""
    models = load_models(QUICK)
    with Record.open(path) as record:
        layers = {
            layer: layer_of(layer, QUICK).open(record, path / "generations" / layer, models)
            for layer in record.layers()
        }
        with closing(Growth(path, models, GrownFacts(QUICK, models))) as growing:
            yield View(record=record, models=models, layers=layers, growing=growing)


def essence(evidence: Evidence) -> Evidence:
    """Evidence without how long it took."""
    return replace(evidence, cost=replace(evidence.cost, seconds=0.0))


def least(name: str) -> int:
    """How many passages a strategy finds at least: one, unless it reads no layer, and so looks nothing up."""
    return 1 if strategy_of(name, QUICK).needs else 0


def spans_of(hop: Hop) -> list[Span]:
    return [*hop.sentences, *(span for clue in hop.clues for span in clue.sentences)]


def assert_sound(evidence: Evidence, engine: Polyhop, k: int) -> None:
    """What holds for any evidence, whatever was asked."""
    ids = [passage.id for passage in evidence.passages]
    assert len(ids) == len(set(ids)) <= k
    with Record.open(engine.path) as record:
        assert list(evidence.passages) == record.passages_by_id(ids)
        for hop in evidence.hops:
            assert hop.status in ("resolved", "recovered", "unresolved")
            assert hop.question.strip()
            assert record.passages_by_id([passage.id for passage in hop.passages]) == list(hop.passages)
            for span in spans_of(hop):
                document = record.document(span.document_id)
                assert 0 <= span.start < span.end <= len(document.text)
                assert document.text[span.start : span.end].strip()
                passages = [*hop.passages, *evidence.passages]
                assert any(
                    passage.document_id == span.document_id and passage.start <= span.start and span.end <= passage.end
                    for passage in passages
                ), "a hop quotes a passage that is shown"


def test_a_strategy_is_a_documented_dataclass_with_the_layers_it_needs(name: str) -> None:
    strategy = strategy_of(name, QUICK)
    assert isinstance(strategy, Strategy)
    assert (type(strategy).__doc__ or "").strip()
    assert set(strategy.needs) <= set(registry.names("layers"))
    assert strategy_of(name, QUICK) == strategy


@pytest.mark.parametrize("k", [1, 3])
def test_at_most_k_passages_each_once_and_hops_that_quote_real_text(name: str, k: int, engine: Polyhop) -> None:
    evidence = engine.search(BRIDGE, k=k, strategy=name)
    assert evidence.question == BRIDGE
    assert evidence.strategy == name
    assert len(evidence.passages) <= k
    assert bool(evidence.passages) == bool(least(name))
    assert_sound(evidence, engine, k)


def test_the_best_comes_first_whatever_k_is(name: str, engine: Polyhop) -> None:
    """Fewer passages are the first of more."""
    few = [passage.id for passage in engine.search(BRIDGE, k=1, strategy=name).passages]
    more = [passage.id for passage in engine.search(BRIDGE, k=3, strategy=name).passages]
    assert more[: len(few)] == few


def test_a_plain_question_finds_its_passage(name: str, engine: Polyhop) -> None:
    evidence = engine.search("Who invented the lissandra?", k=3, strategy=name)
    assert ("Lissandra" in {passage.title for passage in evidence.passages}) == bool(least(name))


def test_the_same_question_gives_the_same_evidence(name: str, engine: Polyhop, world_index: Path) -> None:
    """Also in another session: nothing depends on what was asked before."""
    first = engine.search(BRIDGE, k=3, strategy=name)
    assert essence(engine.search(BRIDGE, k=3, strategy=name)) == essence(first)
    with Polyhop(world_index, settings=QUICK) as another:
        assert essence(another.search(BRIDGE, k=3, strategy=name)) == essence(first)


def test_hops_say_which_step_of_the_plan_they_answer(name: str, engine: Polyhop) -> None:
    """Hops of a plan name its steps, though some may name none; without a plan none does."""
    evidence = engine.search(BRIDGE, k=3, strategy=name)
    steps = {hop.step for hop in evidence.hops if hop.step is not None}
    assert steps == set(range(len(evidence.plan.steps) if evidence.plan else 0))


def test_time_that_is_over_leaves_evidence_and_says_what_was_left_out(name: str, engine: Polyhop) -> None:
    """A strategy of several steps takes the first, and tells of the others."""
    evidence = engine.ask(BRIDGE, strategy=name, budget=Budget(passages=3, seconds=0.0)).evidence
    one_step = ("bm25", "closed-book", "dense", "hybrid", "d2q", "pagerank", "raptor", "qcg")
    if name not in one_step:
        told = "\n".join([*evidence.trail, *(hop.note for hop in evidence.hops)])
        assert "time" in told
    assert len(evidence.passages) >= least(name) or name == "translator"  # it knows a passage by its clues alone


def test_a_question_of_a_thousand_names_is_cut_before_it_is_asked(engine: Polyhop) -> None:
    """And no more than the first names are looked for in it."""
    question = f"Who knows {' and '.join(['Edda Marrish', 'Pellingrove', 'Harrowmere Lighthouse'] * 400)}?"
    with engine.view() as view:
        assert len(view.names_in(question)) == 3
    evidence = engine.search(question, k=3, strategy="bm25")
    assert len(evidence.question.split()) < 500


def test_no_layer_is_read_that_was_not_declared(name: str, engine: Polyhop, world_index: Path) -> None:
    """With the declared layers alone the answer is the same; without one of them it is refused."""
    strategy = strategy_of(name, QUICK)
    budget = Budget(passages=3)
    with view_of(world_index) as view:
        alone = strategy.retrieve(BRIDGE, view.restricted(layers_used(strategy, view.layers)), budget)
        assert alone.passages == engine.search(BRIDGE, k=3, strategy=name).passages
        read = engine.ask(BRIDGE, strategy=name, budget=budget).evidence
        assert read.plan is not None  # the engine has a question planned where its strategy does not
        way = along_plan(alone.hops)  # the answer rests on these; what no hop found is left to the reader
        hops = tuple(told if own.found is None else own for own, told in zip(way, read.hops, strict=True))
        assert read.trail[:-1] == alone.trail, "what the reader made of it ends the trail"
        planned = replace(alone, plan=alone.plan or read.plan, hops=hops, trail=read.trail)
        assert essence(planned) == essence(read)
        for needed in strategy.needs:
            rest = [layer for layer in view.layers if layer != needed]
            with pytest.raises(LayerMissing, match=needed):
                strategy.retrieve(BRIDGE, view.restricted(rest), budget)


def test_an_empty_index_gives_no_evidence(name: str, index_of: MAKE_INDEX) -> None:
    empty = index_of({})
    evidence = empty.search(HARBOUR_BRIDGE, strategy=name)
    assert evidence.passages == ()
    assert_sound(evidence, empty, 5)


def test_an_index_of_one_passage_gives_that_one_or_none(name: str, index_of: MAKE_INDEX) -> None:
    single = index_of({"quillmouth.txt": HARBOUR["quillmouth.txt"]})
    evidence = single.search(HARBOUR_BRIDGE, strategy=name)
    assert [passage.title for passage in evidence.passages] in ([], ["quillmouth"])
    assert_sound(evidence, single, 5)


def test_k_may_be_larger_than_the_corpus(name: str, index_of: MAKE_INDEX) -> None:
    small = index_of(HARBOUR)
    evidence = small.search(HARBOUR_BRIDGE, k=1000, strategy=name)
    assert least(name) <= len(evidence.passages) <= len(HARBOUR)
    assert_sound(evidence, small, 1000)


@pytest.mark.parametrize("question", ["?!", "", " \n\t", "...", "\0", "—", "🙂"])
def test_a_question_without_words_is_refused(name: str, question: str, engine: Polyhop) -> None:
    with pytest.raises(UsageError, match="no words") as caught:
        engine.search(question, strategy=name)
    assert "Who founded" in caught.value.remedy


@pytest.mark.slow
def test_a_question_of_ten_thousand_words_is_answered_from_its_beginning(name: str, index_of: MAKE_INDEX) -> None:
    small = index_of(HARBOUR)
    evidence = small.search(f"{HARBOUR_BRIDGE} {'Tell me, where was Ada Brisk of Fennick? ' * 1250}", strategy=name)
    assert_sound(evidence, small, 5)
    assert len(evidence.passages) >= least(name)


def hostile_questions() -> dict[str, str]:
    people = ("Edda Marrish", "Giselle Ombry", "Tobren Lisk", "Harrowmere Lighthouse", "Pellingrove")
    return {
        "names": f"Who knew {' and '.join(people * 600)}?",
        "words": f"Where was {'the architect of the lighthouse near the bridge of ' * 222} Pellingrove born?",
        "clauses": f"Who built the bridge {'that was named after the person who founded the school ' * 200}?",
    }


@pytest.mark.parametrize(
    "kind", ["names", pytest.param("words", marks=pytest.mark.slow), pytest.param("clauses", marks=pytest.mark.slow)]
)
def test_a_hostile_question_ends_in_time_and_the_trail_says_what_was_left_out(
    name: str, kind: str, engine: Polyhop
) -> None:
    """Thousands of names, thousands of words: a quarter of a second to judge, and what lies around it in proportion."""
    hurried = replace(engine.settings, budget=replace(engine.settings.budget, seconds=0.25))
    with Polyhop(engine.path, settings=hurried) as hasty:
        hasty.search("Who?", k=1, strategy=name)  # models and layers are loaded
        began = time.process_time()
        evidence = hasty.search(hostile_questions()[kind], strategy=name)
        assert time.process_time() - began < 20
    assert_sound(evidence, engine, 5)
    assert any(line.startswith("read the first 400 words") for line in evidence.trail)


def test_one_word_of_a_hundred_thousand_letters_is_survived(name: str, index_of: MAKE_INDEX) -> None:
    small = index_of(HARBOUR)
    assert_sound(small.search("x" * 100_000, strategy=name), small, 5)


TONGUES = {
    "雨の町.txt": "雨の町には古い灯台がある。灯台は山田花子が建てた。",
    "山田花子.txt": "山田花子は技師である。山田花子は京都で生まれた。",
    "النهر.txt": "يقع الجسر القديم على النهر الكبير. بنى الجسر المهندس سامي حداد.",
    "nothing.txt": "The sea was calm and nothing happened.",
}


@pytest.mark.parametrize(
    ("question", "title"), [("灯台は誰が建てた？", "雨の町"), ("من بنى الجسر القديم على النهر؟", "النهر")]
)
def test_questions_in_other_scripts_are_searched_like_any_other(
    name: str, question: str, title: str, index_of: MAKE_INDEX
) -> None:
    index = index_of(TONGUES)
    evidence = index.search(question, k=4, strategy=name)
    assert_sound(evidence, index, 4)
    if name in ("bm25", "hybrid", "paths"):  # those that read letters; the default models know English best
        assert title in {passage.title for passage in evidence.passages}


def test_the_budget_bounds_what_is_handed_on(name: str, engine: Polyhop) -> None:
    """Asked directly, without an engine that would cut what is too much; one passage is always found."""
    strategy = strategy_of(name, QUICK)
    with view_of(engine.path) as view:
        for most in (1, 2):
            evidence = strategy.retrieve(BRIDGE, view.restricted(strategy.needs), Budget(passages=most, llm_calls=0))
            assert least(name) <= len(evidence.passages) <= most
            assert evidence.cost.llm_calls == 0
            assert evidence.cost.money == 0


def test_a_decision_is_explained_in_lines(name: str, engine: Polyhop) -> None:
    """At least one: a strategy that says nothing cannot be followed with ``--trace``."""
    trail = engine.search(BRIDGE, k=3, strategy=name).trail
    assert trail
    for line in trail:
        assert line.strip()
        assert "\n" not in line
