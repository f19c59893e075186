"""Communities of a fact graph: found once, summarised once, kept, and asked which of them a question is about."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from polyhop.errors import BudgetExceeded, EndpointError
from polyhop.layers.facts import communities as module
from polyhop.layers.facts.communities import Community, clustered, communities_of
from polyhop.layers.facts.community_summaries import CommunitySummaries, Summaries
from polyhop.layers.facts.graph import FactGraph
from polyhop.layers.facts.grown_graph import GrownGraph
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.models.tallied import Counted
from polyhop.ports import Completion, Embed, LanguageModel, Message
from polyhop.store.phrase_store import PhraseStore
from polyhop.types import Cost, Fact, Passage
from tests.worlds.endpoint import refuses, serving

Stated = Sequence[tuple[str, str, str, str]]  # sentence, head, relation, tail

LIGHT: Stated = [
    ("Skerry Light is a lighthouse in Quillmouth.", "Skerry Light", "is a lighthouse in", "Quillmouth"),
    ("Skerry Light was built by Ada Brisk.", "Skerry Light", "was built by", "Ada Brisk"),
    ("Ada Brisk lived in Quillmouth.", "Ada Brisk", "lived in", "Quillmouth"),
    ("Quillmouth lies on the Sable Coast.", "Quillmouth", "lies on", "Sable Coast"),
    ("Ada Brisk charted the Sable Coast.", "Ada Brisk", "charted", "Sable Coast"),
]
GLASS: Stated = [
    ("The Amber Works make glass in Fennick.", "Amber Works", "make glass in", "Fennick"),
    ("The Amber Works were founded by Piet Rook.", "Amber Works", "were founded by", "Piet Rook"),
    ("Piet Rook was born in Fennick.", "Piet Rook", "was born in", "Fennick"),
]
PAIR: Stated = [("Old Tomlin plays the reed horn.", "Old Tomlin", "plays", "reed horn")]
ECHO: Stated = [("Velm is also called Velm.", "Velm", "is also called", "Velm")]
WORLD = (LIGHT, GLASS, PAIR, ECHO)


def passage(number: int, stated: Stated) -> tuple[int, Passage, list[Fact]]:
    """A passage of these sentences, with its facts."""
    text = " ".join(sentence for sentence, *_ in stated)
    starts = [text.index(sentence) for sentence, *_ in stated]
    facts = [
        Fact(head=head, relation=relation, tail=tail, start=start, end=start + len(sentence))
        for start, (sentence, head, relation, tail) in zip(starts, stated, strict=True)
    ]
    passage = Passage(id=f"p{number}", document_id=f"d{number}", ordinal=0, start=0, end=len(text), title="", text=text)
    return number, passage, facts


def graph_of(*worlds: Stated, first: int = 1) -> GrownGraph:
    """The graph of passages that are numbered from the first on."""
    return GrownGraph.of([FactGraph.of([passage(number, each) for number, each in enumerate(worlds, first)], ones)])


def ones(texts: Sequence[str]) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    return np.full((len(texts), 4), 0.5, np.float32)


def read(numbers: Sequence[int]) -> list[Passage]:
    """The passages of the world by number."""
    return [passage(number, WORLD[number - 1])[1] for number in numbers]


def names_in(graph: GrownGraph, community: Community) -> set[str]:
    return {graph.entity(place).name for place in community.entities}


@dataclass
class Sage:
    """A language model that summarises by the names it is told, until its calls are used up."""

    name: str = "sage"
    calls: int = 99
    concurrency: int = 1
    prompts: list[str] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, object] | None = None
    ) -> Completion:
        """One sentence about the subject."""
        with self.lock:
            if len(self.prompts) == self.calls:
                raise BudgetExceeded("no more calls")
            self.prompts.append(messages[-1].content)
        subject = messages[-1].content.split(">>>\n")[1].split("\n")[0]
        cost = Cost(llm_calls=1, prompt_tokens=7, completion_tokens=3)
        return Completion(text=json.dumps({"summary": f"This is {subject}."}), cost=cost)


@pytest.fixture
def phrases(models: Models) -> Embed:
    """Vectors by the real embedder, in memory."""
    return PhraseStore.open(None, models.embedder).vectors


def summed(folder: Path | None, phrases: Embed, model: LanguageModel | None = None, **how: int) -> Summaries:
    """The summaries of the world."""
    graph = graph_of(*WORLD)
    return CommunitySummaries.open(folder, phrases, model).of(graph, clustered(graph), read, **how)


# --- communities ------------------------------------------------------------------------------------------------------


def test_what_facts_join_is_a_community() -> None:
    """With most facts first; a fact belongs to the community that has both its ends."""
    graph = graph_of(*WORLD)
    light, glass, pair, echo = clustered(graph)
    assert names_in(graph, light) == {"Skerry Light", "Quillmouth", "Ada Brisk", "Sable Coast"}
    assert names_in(graph, glass) == {"Amber Works", "Fennick", "Piet Rook"}
    assert names_in(graph, pair) == {"Old Tomlin", "reed horn"}
    assert names_in(graph, echo) == {"Velm"}
    assert [len(each.facts) for each in (light, glass, pair, echo)] == [5, 3, 1, 1]
    assert [each.is_worth_a_summary for each in (light, glass, pair, echo)] == [True, True, False, False]
    assert {graph.place(place)[0] for place in glass.facts} == {2}


def test_a_fact_between_communities_is_in_none() -> None:
    """It joins two that stay apart, as they have more facts within."""
    bridge: Stated = [("Piet Rook met Ada Brisk.", "Piet Rook", "met", "Ada Brisk")]
    found = clustered(graph_of(LIGHT, GLASS, bridge))
    assert sorted(len(each.facts) for each in found) == [3, 5]


def test_the_edges_of_graphs() -> None:
    """Nothing at all, and one entity that is said to be itself."""
    assert clustered(graph_of()) == clustered(GrownGraph.of([])) == ()
    (echo,) = clustered(graph_of(ECHO))
    assert (len(echo.entities), len(echo.facts)) == (1, 1)


def test_a_key_depends_on_what_is_said_only() -> None:
    """Not on the other passages, nor on positions; a passage that is another has another."""
    whole, alone = graph_of(*WORLD), graph_of(GLASS, first=2)
    assert clustered(whole)[1].key == clustered(alone)[0].key
    assert clustered(whole)[1].entities != clustered(alone)[0].entities
    assert clustered(graph_of(GLASS, first=7))[0].key != clustered(alone)[0].key
    assert clustered(graph_of(GLASS[:2], first=2))[0].key != clustered(alone)[0].key


def test_a_community_has_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """A long row of entities is cut into several."""
    row: Stated = [(f"Stone {n} is by Stone {n + 1}.", f"Stone {n}", "is by", f"Stone {n + 1}") for n in range(40)]
    monkeypatch.setattr(module, "LARGEST", 8)
    found = clustered(graph_of(row))
    assert max(len(each.entities) for each in found) <= 8
    assert sum(len(each.entities) for each in found) == 41


def test_deleted_passages_count_for_nothing(tmp_path: Path) -> None:
    """Neither their facts nor the entities that only they name."""
    part = FactGraph.of([passage(number, each) for number, each in enumerate(WORLD, 1)], ones)
    part.save(tmp_path / "graph")
    graph = GrownGraph.of([FactGraph.open(tmp_path / "graph", np.array([2], np.int64))])
    (glass,) = clustered(graph)
    assert names_in(graph, glass) == {"Amber Works", "Fennick", "Piet Rook"}
    assert glass.key == clustered(graph_of(*WORLD))[1].key


def test_a_generation_is_clustered_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was stored is read; another generation, or what is damaged, is clustered; old ones go."""
    graph = graph_of(*WORLD)
    first = communities_of(graph, tmp_path, "one")
    with monkeypatch.context() as patch:
        patch.setattr(module, "leiden", None)
        assert communities_of(graph, tmp_path, "one") == first == clustered_with(graph, patch)
        with pytest.raises(TypeError):
            communities_of(graph, tmp_path, "two")
    (stored,) = (tmp_path / "communities").iterdir()
    np.save(stored / "levels.npy", np.zeros(9, np.int64))
    assert communities_of(graph, tmp_path, "one") == first
    assert communities_of(graph_of(), tmp_path, "nothing") == communities_of(graph_of(), tmp_path, "nothing") == ()
    for number in range(6):
        communities_of(graph, tmp_path, str(number))
    assert len(list((tmp_path / "communities").iterdir())) == 4


def clustered_with(graph: GrownGraph, patch: pytest.MonkeyPatch) -> tuple[Community, ...]:
    patch.undo()
    found = clustered(graph)
    patch.setattr(module, "leiden", None)
    return found


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The communities are found all the same."""
    (tmp_path / "communities").write_text("not a folder", encoding="utf-8")
    with caplog.at_level(logging.WARNING):
        assert len(communities_of(graph_of(*WORLD), tmp_path, "one")) == 4
    assert "kept in memory" in caplog.text


# --- summaries by sentences -------------------------------------------------------------------------------------------


def test_a_summary_is_made_of_what_passages_say(phrases: Embed) -> None:
    """Of communities of three entities or more; its names are those that most facts are about."""
    found = summed(None, phrases)
    light, glass = found.summaries
    assert light.names[0] in ("Ada Brisk", "Quillmouth")
    assert set(light.names) == {"Skerry Light", "Quillmouth", "Ada Brisk", "Sable Coast"}
    assert 1 <= light.text.count(".") <= 4
    assert all(sentence in read([1])[0].text for sentence in light.text.split(". "))
    assert glass.text == read([2])[0].text
    assert glass.line == f"{', '.join(glass.names)}: {glass.text}"
    assert (found.made, found.left, found.why) == (2, 0, "")


def test_sentences_that_spell_names_are_preferred(phrases: Embed) -> None:
    """As long as there are enough of them; each stands once."""
    vague: Stated = [(f"She saw place {n} there.", "Ada Brisk", "saw", f"place {n}") for n in range(6)]
    full: Stated = [(f"Ada Brisk drew plan {n}.", "Ada Brisk", "drew", f"plan {n}") for n in range(5)]
    graph = graph_of([*vague, *full])
    all_told = [passage(1, [*vague, *full])[1]]
    (found,) = CommunitySummaries.open(None, phrases).of(graph, clustered(graph), lambda _: all_told).summaries
    assert found.text.count("Ada Brisk drew") == 4
    alone = graph_of(vague)
    (other,) = (
        CommunitySummaries.open(None, phrases).of(alone, clustered(alone), lambda _: [passage(1, vague)[1]]).summaries
    )
    assert other.text.count("She saw") == 4


def test_a_question_finds_its_community(models: Models, phrases: Embed) -> None:
    """The nearest first, and none that is too far."""
    found = summed(None, phrases)
    question = models.embedder.embed_questions(["Who founded the works that make glass?"])[0]
    (first, high), (second, low) = found.relevant(question, 5)
    assert (first.names[0], second) == (found.summaries[1].names[0], found.summaries[0])
    assert high > low
    assert found.relevant(question, 1) == [(first, high)]
    nothing = CommunitySummaries.open(None, phrases).of(graph_of(), (), read)
    assert nothing.relevant(question, 3) == []


def test_summaries_are_kept(tmp_path: Path, phrases: Embed) -> None:
    """A second run makes none, reads no passage, and says the same; other makers make their own."""
    first = summed(tmp_path, phrases)
    graph = graph_of(*WORLD)
    again = CommunitySummaries.open(tmp_path, phrases).of(graph, clustered(graph), never)
    assert again.summaries == first.summaries
    np.testing.assert_array_equal(again.vectors, first.vectors)
    assert again.made == 0
    assert summed(tmp_path, phrases, Sage()).made == 2
    assert summed(tmp_path, phrases, Sage(name="other")).made == 2


def never(numbers: Sequence[int]) -> list[Passage]:
    raise AssertionError(numbers)


def test_summaries_of_removed_passages_go(tmp_path: Path, phrases: Embed) -> None:
    """When the index is opened again."""
    summed(tmp_path, phrases)
    CommunitySummaries.open(tmp_path, phrases, live=np.array([2, 3, 4], np.int64))
    (file,) = (tmp_path / "communities").glob("*.jsonl")
    assert "Amber Works" in file.read_text("utf-8")
    assert "Skerry" not in file.read_text("utf-8")


# --- summaries by a language model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("concurrency", [1, 3])
def test_a_model_writes_summaries(phrases: Embed, concurrency: int) -> None:
    """It sees the names and the sentences of one community a call."""
    sage = Sage(concurrency=concurrency)
    counted = Counted(sage)
    found = summed(None, phrases, counted)
    assert [one.text for one in found.summaries] == [f"This is {', '.join(one.names)}." for one in found.summaries]
    assert (found.made, found.left, counted.cost.llm_calls, counted.cost.tokens) == (2, 0, 2, 20)
    prompts = sorted(sage.prompts, key=lambda prompt: "Skerry" not in prompt)
    assert all(sentence in prompts[0] for sentence, *_ in LIGHT)
    assert "Amber" not in prompts[0]


@pytest.mark.parametrize("concurrency", [1, 3])
def test_what_is_made_is_kept_when_the_budget_ends(tmp_path: Path, phrases: Embed, concurrency: int) -> None:
    """The next run makes the rest, and pays for nothing twice."""
    first = summed(tmp_path, phrases, Sage(calls=1, concurrency=concurrency))
    assert (first.made, first.left, first.why) == (1, 1, "no more calls")
    assert len(first.summaries) == len(first.vectors) == 1
    rest = Sage(concurrency=concurrency)
    second = summed(tmp_path, phrases, rest)
    assert (second.made, second.left, len(rest.prompts)) == (1, 0, 1)


def test_as_many_are_made_as_are_asked_for(tmp_path: Path, phrases: Embed) -> None:
    """Those of the communities with most facts first."""
    found = summed(tmp_path, phrases, Sage(), most=1)
    assert (found.made, found.left) == (1, 1)
    assert "Skerry Light" in found.summaries[0].names
    assert found.why
    assert summed(tmp_path, phrases, Sage(), most=1).left == 0


def test_a_useless_answer_leaves_its_community(phrases: Embed) -> None:
    """It is not asked for again by this process."""
    sage = Sage()
    graph = graph_of(*WORLD)
    counted = Counted(Invents(sage))
    summariser = CommunitySummaries.open(None, phrases, counted)
    first = summariser.of(graph, clustered(graph), read)
    again = summariser.of(graph, clustered(graph), read)
    assert (first.left, again.left, first.made, len(sage.prompts)) == (2, 2, 0, 2)
    assert counted.cost.llm_calls == 2


@dataclass
class Invents:
    """A model that says what nobody said."""

    sage: Sage
    name: str = "inventor"

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, object] | None = None
    ) -> Completion:
        """A summary with a name that is nowhere else."""
        told = self.sage.complete(messages)
        return Completion(text='{"summary": "It was made in Zarquon."}', cost=told.cost)


def test_an_endpoint_that_refuses_leaves_the_rest(phrases: Embed) -> None:
    """A question does not fail because its communities cannot be summarised."""
    with (
        serving(refuses(401, "who are you?")) as server,
        OpenAICompatible(base_url=server.url, model="sage", attempts=1) as model,
    ):
        graph = graph_of(*WORLD)
        found = CommunitySummaries.open(None, phrases, model).of(graph, clustered(graph), read)
    assert (found.summaries, found.left) == ((), 2)
    assert found.why


def test_a_request_that_is_refused_is_passed_over(phrases: Embed) -> None:
    """As long as others are answered; where each is refused, no more are sent."""
    worlds = [works(number) for number in range(9)]

    def told(numbers: Sequence[int]) -> list[Passage]:
        return [passage(number, worlds[number - 1])[1] for number in numbers]

    graph, refusing = graph_of(*worlds), Refusing()
    found = CommunitySummaries.open(None, phrases, refusing).of(graph, clustered(graph), told)
    assert (found.left, refusing.asked) == (9, 3)


def works(number: int) -> Stated:
    """What a passage says about works like others elsewhere."""
    rook, town = f"Rook {number}", f"Town {number}"
    return [
        (f"{rook} was born in {town}.", rook, "was born in", town),
        (f"{rook} owns Mill {number}.", rook, "owns", f"Mill {number}"),
    ]


@dataclass
class Refusing:
    """A model whose endpoint takes every request for a bad one."""

    name: str = "refusing"
    asked: int = 0

    def complete(
        self, messages: Sequence[Message], *, max_tokens: int = 512, schema: Mapping[str, object] | None = None
    ) -> Completion:
        """Never an answer."""
        self.asked += 1
        raise EndpointError("bad request", status=400)
