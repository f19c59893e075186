"""What the translator says is in the graph, with the real model and a real index."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from polyhop.engine import Polyhop
from polyhop.evaluation.variants import variants
from polyhop.layers.parsekg.graph import MASK
from polyhop.models.conversion import convert_folder
from polyhop.models.cross_encoder import MiniLML12
from polyhop.models.within import Within
from polyhop.ports import Floats
from polyhop.settings import Settings
from polyhop.strategies.translator.next_queries import AskedQuery, ModelSteps
from polyhop.types import Clue, Document
from tests.worlds.hub_models import HubModel, llama, qwen2
from tests.worlds.prompts import model_saying, passage, prompt_of

QUESTION = "Who was the architect of Harrowmere Lighthouse?"


def clues(index: Path, **switches: object) -> list[Clue]:
    """The clues that are shown for one question, under some switches."""
    sections = {"strategy": {"alpha": 2, "beta": 2, "longest": 8, "hops": 1, **switches}}
    with Polyhop(index, settings=Settings.from_mapping(sections)) as engine:
        evidence = engine.search(QUESTION, strategy="translator")
    return [clue for hop in evidence.hops for clue in hop.clues]


def sentences(clue: Clue, index: Path) -> list[str]:
    with Polyhop(index) as engine:
        return [" ".join(engine.quote(span)[0].split()) for span in clue.sentences]


def test_a_clue_is_said_by_its_sentences(world_index: Path) -> None:
    """Eq. 8: the words of the relation stand in each sentence that the clue is traced to, around its entities."""
    found = clues(world_index)
    assert found
    for clue in found:
        assert clue.tail is None
        pattern = ".+?".join(map(re.escape, clue.relation.split(MASK)))
        assert all(re.search(pattern, sentence) for sentence in sentences(clue, world_index))


def test_a_triple_ends_in_an_entity_of_its_sentences(world_index: Path) -> None:
    """Eq. 12: the third stage names an entity at the other end, and narrows the sentences to those that hold it."""
    found = [clue for clue in clues(world_index, triples=True) if clue.tail]
    assert found
    for clue in found:
        assert clue.tail is not None
        assert all(clue.tail.casefold() in sentence.casefold() for sentence in sentences(clue, world_index))


def test_what_the_question_names_is_certain(world_index: Path) -> None:
    """Whatever the model makes of the name: its clues are not worth less because it was translated, too."""
    named, guessed = (
        {clue.relation: clue.score for clue in clues(world_index, ner_entities=recognised)}
        for recognised in ("names", "off")
    )
    both = named.keys() & guessed.keys()
    assert both
    assert all(named[relation] > guessed[relation] for relation in both)


LISBET = {
    "Oxbarrow": "Oxbarrow lies on the River Sael. Oxbarrow has a corn hall.",
    "Lisbet Orr": "Lisbet Orr designed the corn hall of Oxbarrow. Lisbet Orr came from Fennmark.",
}


@pytest.mark.parametrize(
    ("question", "after", "again"),
    [
        ("Which river does Oxbarrow lie on?", False, False),  # forward translation leads somewhere from all of it
        ("Which river does Oxbarrow, the home of Peter Vance, lie on?", False, True),  # the graph has no Peter Vance
    ],
)
def test_reverse_translation_is_of_all_where_forward_leaves_a_name_without_a_clue(
    tmp_path: Path, question: str, after: bool, again: bool
) -> None:
    """Algorithm 2: entities are what a parser recognises, in the graph or not. Ours leaves out what has clues."""
    with Polyhop(tmp_path) as engine:
        engine.add_documents([Document(id=title, title=title, text=text) for title, text in LISBET.items()])
        reversed_ = [
            any("reverse (Oxbarrow" in line for line in engine.search(question, strategy=f"translator({made})").trail)
            for made in ("hops=1", "hops=1,reverse=again,ner_entities=parser")
        ]
    assert reversed_ == [after, again]


def test_relations_run_across_masked_entities_unless_they_must_not(world_index: Path) -> None:
    """Clues such as ``## was designed by ##``: they begin with an entity, or go on behind one."""
    with Polyhop(world_index, settings=Settings.from_mapping({"strategy": {"hops": 1}})) as engine:
        across = engine.search(QUESTION, strategy="translator").trail
        between = engine.search(QUESTION, strategy="translator(spans=between)").trail
    assert any("##" in line for line in across)
    assert not any("##" in line for line in between)


def test_the_cross_encoder_reads_the_nearest_of_the_passages_that_clues_lead_to(
    world_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many those are: the rest follow as the embedder orders them. Untuned, clues lead to more of them."""
    shown: list[int] = []

    def score(_: object, question: str, texts: list[str]) -> Floats:
        shown.append(len(texts))
        return np.arange(len(texts), dtype=np.float32)  # the last is the best

    monkeypatch.setattr(MiniLML12, "score", score)
    tree = {"models": {"translator": "smollm2"}, "strategy": {"hops": 1}}
    with Polyhop(world_index, settings=Settings.from_mapping(tree)) as engine:
        plain = [one.id for one in engine.search(QUESTION, strategy="translator(directed=false)").passages]
        read = engine.search(QUESTION, strategy="translator(directed=false,ranker=cross-encoder,read=2)")
    assert len(plain) > 2
    assert [one.id for one in read.passages] == [plain[1], plain[0], *plain[2:]]
    assert shown == [2]


def test_a_hop_quotes_the_sentence_that_says_what_it_found(tmp_path: Path) -> None:
    """A clue leads to the passage; what the next query takes from it may stand in another of its sentences."""
    said = {
        "Ivo Tarrant": "Ivo Tarrant (born 1869) was an astronomer. He married the painter Sunniva Aldous in 1898.",
        "Sunniva Aldous": "Sunniva Aldous painted the sea. She was born in Fennmark.",
    }
    with Polyhop(tmp_path) as engine:
        engine.add_documents([Document(id=title, title=title, text=text) for title, text in said.items()])
        evidence = engine.search("Where was the wife of Ivo Tarrant born?", strategy="translator(onward=0)")
        first = evidence.hops[0]
        (span,) = first.sentences
        assert first.found == "Sunniva Aldous"
        assert engine.quote(span)[0] == "He married the painter Sunniva Aldous in 1898."
    assert first.clues
    assert [passage.title for passage in first.passages] == ["Ivo Tarrant"]


def test_the_trace_tells_what_a_model_thought_and_why_the_search_ended(world_index: Path) -> None:
    """Each query that it asks for has its reason, and so has the end."""
    asked = {"reasoning": "Her name is missing.", "next_query": "Who designed Harrowmere Lighthouse?"}
    done = {"reasoning": "She is Edda Marrish.", "next_query": None}
    sections = {"strategy": {"alpha": 1, "beta": 1, "longest": 6}}
    with (
        model_saying(asked, done) as (model, _),
        Polyhop(world_index, settings=Settings.from_mapping(sections), language_model=model) as engine,
    ):
        evidence = engine.search(QUESTION, strategy="translator")
    assert [line for line in evidence.trail if "then: " in line] == [
        "  then: Her name is missing.",
        "  then: She is Edda Marrish. (It asks for nothing more.)",
    ]
    assert len(evidence.hops) == 2, "a model that misses nothing needs no entities of what was found"


@pytest.mark.parametrize(("words", "shown"), [(10, 5), (600, 2)])
def test_a_model_sees_all_short_passages_of_a_query_and_two_long_ones(words: int, shown: int) -> None:
    """Before it says what is missing; the paper's model sees the five paragraphs that a query brought."""
    brought = tuple(passage(number, f"Light {number}", "light " * words) for number in range(1, 6))
    with model_saying({"reasoning": "", "next_query": None}) as (model, server):
        ModelSteps(QUESTION, Within(model, 2), 4, "sage").next([AskedQuery(QUESTION, brought)])
        assert prompt_of(server).count("<<<PASSAGE") == shown


@pytest.mark.parametrize("reply", ["I cannot help with that.", {"reasoning": "", "next_query": QUESTION}])
def test_where_a_model_cannot_say_what_is_missing_what_was_found_leads_on(world_index: Path, reply: object) -> None:
    """Whoever has such a model finds no less than who has none."""
    sections = {"strategy": {"alpha": 1, "beta": 1, "longest": 6}}
    with (
        model_saying(reply) as (model, _),
        Polyhop(world_index, settings=Settings.from_mapping(sections), language_model=model) as engine,
    ):
        evidence = engine.search(QUESTION, strategy="translator")
    assert len(evidence.hops) == 2
    assert evidence.hops[1].note.startswith("once more, with what was found: ")
    assert f"  {evidence.hops[1].note}" in evidence.trail


def test_every_ablation_of_the_paper_is_declared() -> None:
    """Table 2 and Table 14, and the grid of Figures 6 and 7."""
    names = [variant.name for variant in variants(["translator"], ablations=True, settings=Settings())]
    said = [name for name in names if "alpha" not in name]
    assert {"translator(reverse=off)", "translator(reverse=first)", "translator(directed=false)"} <= set(said)
    assert len(names) - len(said) == 8, "a grid of nine, one of which is the default"


@pytest.mark.parametrize(
    "switches",
    [
        {"reverse": "off"},
        {"reverse": "first"},
        {"reverse": "again"},
        {"directed": False},
        {"ner_entities": "off"},
        {"ner_entities": "parser"},
    ],
)
def test_every_variant_of_the_paper_runs(world_index: Path, switches: dict[str, object]) -> None:
    """The switches of Table 2 and of the appendix give evidence, too, and say what they said."""
    with Polyhop(world_index, settings=Settings.from_mapping({"strategy": {"hops": 1, **switches}})) as engine:
        evidence = engine.search(QUESTION, strategy="translator")
    directions = {clue.direction for hop in evidence.hops for clue in hop.clues}
    assert switches.get("reverse") != "off" or "reverse" not in directions
    assert evidence.trail


@pytest.mark.parametrize("made", [llama, qwen2])
def test_a_model_that_was_converted_says_what_is_in_the_graph(
    world_index: Path, tmp_path: Path, made: Callable[[], HubModel]
) -> None:
    """Of Llama's shape and of Qwen2's, with random weights: the grammar decides what it can say."""
    convert_folder(made().written(tmp_path / "source"), tmp_path / "converted")
    sections = {
        "models": {"translator": "converted"},
        "translator": {"folder": str(tmp_path / "converted"), "threads": 1},
        "strategy": {"alpha": 2, "beta": 2, "longest": 12, "hops": 1},
    }
    with Polyhop(world_index, settings=Settings.from_mapping(sections)) as engine:
        evidence = engine.search(QUESTION, strategy="translator")
    found = [clue for hop in evidence.hops for clue in hop.clues]
    assert found
    assert evidence.passages
    for clue in found:
        pattern = ".+?".join(map(re.escape, clue.relation.split(MASK)))
        assert all(re.search(pattern, sentence) for sentence in sentences(clue, world_index))
