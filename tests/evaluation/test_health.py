"""The health of a fact graph: signs of what is wrong, and how chains drawn from it are found again."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from rich.console import Console

from polyhop.cli.main import polyhop
from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing, ModelMissing, UsageError
from polyhop.evaluation.dataset import Dataset
from polyhop.evaluation.robustness.corruption import corrupt
from polyhop.evaluation.robustness.health import QUESTION_SETTINGS, health, question_health
from polyhop.evaluation.robustness.health_tables import html, render, tables
from polyhop.evaluation.robustness.probes import UNCHECKED, ProbeChain, ask_chains, sample_chains
from polyhop.evaluation.robustness.symptoms import HUB, Symptom, symptoms
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.overlay import overlaid
from polyhop.layers.view import View
from polyhop.strategies.c2rag.read_text import ReadValues
from polyhop.strategies.c2rag.strategy import C2RAG
from polyhop.types import Budget, Evidence, Fact, Passage
from tests.worlds.documents import write
from tests.worlds.settings import QUICK

ROWS = {  # an invented town; by title, its text
    "Ada Brisk": "Ada Brisk was an engineer. She was born in Fennick. She was nominated for the Lantern Medal.",
    "Fennick": "Fennick is a town on the River Oar. It was never ruled by Piet Rook. It has trains since 1790.",
    "Quillmouth Light": "The light was built by Ada Brisk in Quillmouth.",
    "River Oar": "The River Oar rises on Mount Hallow.",
    "Silent Page": "Nothing is known.",
}
STATED = {  # by title: what its graph says, each with the words of its sentence
    "Ada Brisk": [
        ("Ada Brisk", "born in", "Fennick", "She was born in Fennick."),
        ("Ada Brisk", "won", "Lantern Medal", "She was nominated for the Lantern Medal."),
    ],
    "Fennick": [
        ("Fennick", "is a town on", "River Oar", "Fennick is a town on the River Oar."),
        ("Fennick", "was ruled by", "Piet Rook", "It was never ruled by Piet Rook."),
        ("Fennick", "has", "trains", "It has trains since 1790."),
    ],
    "Quillmouth Light": [
        ("Quillmouth Light", "was built by", "Ada Brisk", "The light was built by Ada Brisk in Quillmouth."),
        ("Quillmouth Light", "was built by order of", "Piet Rook", "The light was built by Ada Brisk in Quillmouth."),
    ],
    "River Oar": [("River Oar", "rises on", "Mount Hallow", "The River Oar rises on Mount Hallow.")],
}
KINDS = {"Ada Brisk": "PERSON", "Piet Rook": "PERSON", "Fennick": "GPE", "River Oar": "LOC", "Mount Hallow": "LOC"}


def facts_of(passage: Passage) -> list[Fact]:
    """What the hand-made graph states of a passage."""
    return [
        Fact(
            head=head,
            relation=relation,
            tail=tail,
            start=passage.text.index(sentence),
            end=passage.text.index(sentence) + len(sentence),
            head_label=KINDS.get(head, ""),
            tail_label=KINDS.get(tail, ""),
        )
        for head, relation, tail, sentence in STATED.get(passage.title, [])
    ]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set about the town, with the index of its corpus in it; not to be changed."""
    folder = tmp_path_factory.mktemp("town")
    rows = [json.dumps({"id": title, "title": title, "text": text}) for title, text in ROWS.items()]
    question = {"id": "1", "question": "On which river is the town where the builder of Quillmouth Light was born?"}
    question |= {"answer": "River Oar", "supporting": ["Quillmouth Light", "Ada Brisk", "Fennick"], "hops": 3}  # type: ignore[dict-item]
    write(folder, {"corpus.jsonl": "\n".join(rows), "questions.jsonl": json.dumps(question)})
    with Polyhop(folder / "polyhop.index", settings=QUICK) as engine:
        engine.index(folder / "corpus.jsonl", layers=("text", "parsekg", "facts"))
    return folder


@pytest.fixture
def engine(corpus: Path) -> Iterator[Polyhop]:
    """The index of the town."""
    with Polyhop(corpus / "polyhop.index", settings=QUICK) as engine:
        yield engine


@pytest.fixture
def over(engine: Polyhop) -> Iterator[View]:
    """The index with the hand-made graph in the place of its own."""
    with engine.view() as view:
        yield with_graph(view, graph_of(view))


def graph_of(view: View) -> FactGraph:
    numbers = view.record.numbers().tolist()
    passages = view.passages(numbers)
    stated = [(number, passage, facts_of(passage)) for number, passage in zip(numbers, passages, strict=True)]
    return FactGraph.of(stated, view.models.embedder.embed_passages)


def with_graph(view: View, graph: FactGraph) -> View:
    return replace(view, layers={**view.layers, "facts": graph}, kept={})


def by_name(found: list[Symptom]) -> dict[str, Symptom]:
    return {symptom.name: symptom for symptom in found}


# --- symptoms ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "of", "shown"),
    [
        ("lost negation", 8, ["Fennick -(was ruled by)-> Piet Rook"]),
        ("lost hedge", 8, ["Ada Brisk -(won)-> Lantern Medal"]),
        ("distant ends", 8, ["Quillmouth Light -(was built by order of)-> Piet Rook"]),
        ("empty passages", 5, ["Silent Page"]),
        ("unlinked titles", 5, ["Silent Page"]),
        ("hubs", 8, []),
        ("merged names", 8, []),
    ],
)
def test_symptoms_are_counted_with_examples(over: View, name: str, of: int, shown: list[str]) -> None:
    """Each fact is held against its sentence, each passage and title against the graph."""
    found = by_name(symptoms(over))[name]
    assert (found.count, found.of) == (len(shown), of)
    assert [example.what for example in found.examples] == shown


def test_no_more_passages_are_held_in_memory_than_is_said(over: View, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    passages = View.passages

    def noted(self: View, numbers: Sequence[int]) -> list[Passage]:
        read.append(len(numbers))
        return passages(self, numbers)

    monkeypatch.setattr(View, "passages", noted)
    monkeypatch.setattr("polyhop.evaluation.robustness.symptoms.READ_AT_ONCE", 2)
    symptoms(over)
    assert max(read) == 2


def test_an_example_has_its_sentence(over: View) -> None:
    [example] = by_name(symptoms(over))["lost negation"].examples
    assert (example.sentence, example.passage_id) == ("It was never ruled by Piet Rook.", "Fennick")


def test_a_date_that_no_fact_of_the_head_has_is_lost(over: View) -> None:
    """Without a parse years count; a fact beside it that has the date makes it good."""
    assert "Fennick -(has)-> trains" in {e.what for e in by_name(symptoms(over))["lost qualifier"].examples}
    assert all("born in" not in e.what for e in by_name(symptoms(over))["lost qualifier"].examples)


def test_what_is_kept_in_the_relation_is_no_symptom(over: View) -> None:
    """A relation that says "never", "was nominated for" or "since 1790" lost nothing."""
    numbers = over.record.numbers().tolist()
    kept = {"was ruled by": "was never ruled by", "won": "was nominated for", "has": "has since 1790"}
    stated = [
        (
            number,
            passage,
            [replace(fact, relation=kept.get(fact.relation, fact.relation)) for fact in facts_of(passage)],
        )
        for number, passage in zip(numbers, over.passages(numbers), strict=True)
    ]
    better = with_graph(over, FactGraph.of(stated, over.models.embedder.embed_passages))
    found = by_name(symptoms(better))
    assert found["lost negation"].count == found["lost hedge"].count == 0
    assert "Fennick -(has since 1790)-> trains" not in {e.what for e in found["lost qualifier"].examples}


def test_hubs_and_merged_names_are_named(over: View) -> None:
    """A name with very many facts, and two names that an alias joins."""
    [number, *_] = over.record.numbers().tolist()
    [passage] = over.passages([number])
    many = [Fact(head="Fennick", relation="has", tail=f"Mill {i}", start=0, end=9) for i in range(HUB + 1)]
    many.append(Fact(head="Fennick", relation="also known as", tail="Old Fen", start=0, end=9))
    graph = FactGraph.of([(number, passage, many)], over.models.embedder.embed_passages)
    found = by_name(symptoms(with_graph(over, graph)))
    assert [example.what for example in found["hubs"].examples] == [f"Fennick ({HUB + 2} facts)"]
    assert found["merged names"].count == 1
    assert "Old Fen" in found["merged names"].examples[0].what


def test_an_index_without_facts_has_no_health(engine: Polyhop) -> None:
    with engine.view() as view, pytest.raises(LayerMissing):
        symptoms(replace(view, layers={"text": view.text}))


# --- chains -----------------------------------------------------------------------------------------------------------


def test_chains_are_drawn_with_one_right_value_a_hop(over: View) -> None:
    """Over two passages; the same seed draws the same ones, and fewer are the first of them."""
    graph = over.facts
    chains = sample_chains(graph, 10, seed=1)
    assert chains
    assert sample_chains(graph, 10, seed=1) == chains
    assert sample_chains(graph, 1, seed=1) == chains[:1]
    for chain in chains:
        first, second = chain.links
        assert first.passages
        assert second.passages
        assert not first.passages & second.passages
        start, middle = graph.find(chain.start), graph.find(first.names[0])
        assert start is not None
        assert middle is not None
        assert {graph.fact(fact).tail for fact in np.flatnonzero(graph.heads == middle).tolist()} >= set(
            second.names[:1]
        )
    starts = [chain.start for chain in chains]
    assert len(set(starts)) == len(starts)


def test_a_graph_without_chains_gives_none(over: View) -> None:
    assert sample_chains(FactGraph.of([], over.models.embedder.embed_passages), 5) == ()
    assert ask_chains(over, (), C2RAG(), Budget()) == ()


def built_by(chains: tuple[ProbeChain, ...]) -> ProbeChain:
    [chain] = [chain for chain in chains if chain.start == "Quillmouth Light"]
    return chain


def test_checked_hops_find_their_own_facts(over: View) -> None:
    """A sound graph answers its own chain; without a check every hop is sure of itself, right or wrong."""
    chain = built_by(sample_chains(over.facts, 10))
    found = ask_chains(over, [chain], C2RAG(check="paper"), Budget())
    assert [(each.unchecked, each.setting) for each in found] == list(UNCHECKED)
    checked, _, careless = found
    assert [hop.right for hop in checked.hops] == [1.0, 1.0]
    assert [hop.resolved for hop in careless.hops] == [1.0, 1.0]
    for each in found:
        for hop in each.hops:
            assert 0 <= hop.confident_wrong <= 1 - hop.right
            assert hop.unsupported is None or 0 <= hop.unsupported <= 1


def test_a_lost_bridge_is_felt(over: View) -> None:
    """Drawn from the sound graph and asked of the damaged one: the graph can no longer resolve the hop that is gone."""
    chain = built_by(sample_chains(over.facts, 10))
    overlay = corrupt(over.facts, over, kind="missing_bridge", ratio=1.0, around=["Quillmouth Light", "Ada Brisk"])
    damaged = with_graph(over, overlaid(over.facts, overlay, over.models.embedder.embed_passages))
    strategy = C2RAG(check="paper", gamma=2.5, reading=ReadValues(by="nobody"))  # the widest of the paper's grid
    sound = ask_chains(over, [chain], strategy, Budget())[0]
    felt = ask_chains(damaged, [chain], strategy, Budget())[0]
    assert sound.hops[0].right == 1.0
    assert felt.hops[0].right == 0.0


# --- the report -------------------------------------------------------------------------------------------------------


def test_the_report_is_json_and_every_table_has_rows(over: View) -> None:
    report: dict[str, Any] = json.loads(json.dumps(health(over, chains=2)))
    assert report["index"]["facts"] == 8
    assert len(report["chains"]) == 2
    made = tables(report)
    assert list(made) == ["Symptoms", "Two-hop chains"]
    assert all(len(row) == len(rows[0]) for rows in made.values() for row in rows)


def test_a_narrow_terminal_shows_every_word_whole(over: View) -> None:
    shown = io.StringIO()
    Console(width=40, file=shown).print(render(health(over, chains=2)))
    assert "…" not in shown.getvalue()


def test_the_page_escapes_what_documents_say(over: View) -> None:
    """And loads nothing."""
    report = health(over, chains=1)
    report["rejected"] = {"<script>": 3}
    page = html(report)
    assert "<script" not in page
    assert "&lt;script&gt;" in page
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")


def test_questions_show_how_unsupported_evidence_spreads(engine: Polyhop, corpus: Path) -> None:
    """A line a setting, a point a hop, as in Figure 3c."""
    with engine.view() as view:
        found = question_health(engine, view, Dataset.read(corpus))
    assert list(found) == list(QUESTION_SETTINGS)
    for figures in found.values():
        assert figures["questions"] == 1
        assert all(0 <= row["share"] <= 1 for row in figures["unsupported"])


def test_questions_of_another_corpus_are_refused(engine: Polyhop, corpus: Path, tmp_path: Path) -> None:
    shutil.copy(corpus / "corpus.jsonl", tmp_path)
    (tmp_path / "questions.jsonl").write_text('{"id": "1", "question": "Who?", "answer": "x", "supporting": ["y"]}')
    with engine.view() as view, pytest.raises(UsageError, match="none of the supporting passages"):
        question_health(engine, view, Dataset.read(tmp_path))


def test_questions_that_were_interrupted_give_no_report(
    engine: Polyhop, corpus: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def search(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(engine, "search", search)
    with engine.view() as view, pytest.raises(KeyboardInterrupt):
        question_health(engine, view, Dataset.read(corpus))


def test_a_setting_that_was_given_up_says_why(engine: Polyhop, corpus: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    search = engine.search

    def failing(question: str, *, k: int = 5, strategy: str | None = None, **_: object) -> Evidence:
        if strategy == "c2rag(unchecked=1)":
            raise ModelMissing("The reranker is gone.")
        return search(question, k=k, strategy=strategy)

    monkeypatch.setattr(engine, "search", failing)
    with engine.view() as view:
        found = question_health(engine, view, Dataset.read(corpus))
    assert {name: each["stopped"] for name, each in found.items() if "stopped" in each} == {
        "c2rag(unchecked=1)": "The reranker is gone."
    }


# --- the command ------------------------------------------------------------------------------------------------------


def test_the_command_prints_json_and_writes_a_page(corpus: Path, tmp_path: Path) -> None:
    page = tmp_path / "health.html"
    arguments = ["--index", str(corpus / "polyhop.index"), "--chains", "1", "--json", "--report", str(page)]
    result = CliRunner().invoke(polyhop, ["health", *arguments], catch_exceptions=False)
    assert result.exit_code == 0
    assert json.loads(result.stdout)["index"]["overlay"] is None
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_the_command_shows_tables(corpus: Path) -> None:
    arguments = ["--index", str(corpus / "polyhop.index"), "--chains", "0"]
    result = CliRunner().invoke(polyhop, ["health", *arguments], catch_exceptions=False)
    assert "lost negation" in result.stdout
    assert "Two-hop chains" not in result.stdout
