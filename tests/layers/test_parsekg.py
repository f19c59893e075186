"""The parsekg layer: sentences as hyperrelations between named entities, to the letter of the paper, offsets exact."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.engine import Polyhop
from polyhop.indexes.names import normal
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.layers.parsekg.graph import MASK, NEVER_HEADS, ParseKG
from polyhop.layers.parsekg.layer import (
    ParseKGLayer,
    decode,
    encode,
    is_head,
    masked,
    paragraphs_of,
    parse_of,
    title_mention,
)
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Mention, Passage, Sentence
from tests.worlds.settings import LAYERS

TEXT = "Ada Brisk built the lighthouse of Quillmouth in 1841. She was born in Fennick."
PASSAGE = Passage(id="p", document_id="d", ordinal=0, start=0, end=len(TEXT), title="Ada Brisk", text=TEXT)


def at(name: str, label: str, *, head: bool = False, text: str = TEXT) -> list[object]:
    """The row of an entity where its name first stands."""
    start = text.index(name)
    return [start, start + len(name), label, int(head)]


PAYLOAD = encode(
    [
        [0, 53, [at("Ada Brisk", "PERSON", head=True), at("Quillmouth", "GPE"), at("1841", "DATE")]],
        [54, len(TEXT), [at("Fennick", "GPE")]],
    ]
)


def heads_and_tails(sentence: Sentence) -> tuple[list[str], list[str]]:
    heads = [mention.name for mention in sentence.mentions if mention.head]
    return heads, [mention.name for mention in sentence.mentions if not mention.head]


@pytest.mark.parametrize(
    ("label", "dependency", "head"),
    [
        ("PERSON", "nsubj", True),
        ("ORG", "nsubjpass", True),
        ("GPE", "pobj", False),
        ("PERSON", "dobj", False),
        ("PERSON", "ROOT", False),
        *((label, "nsubj", False) for label in sorted(NEVER_HEADS)),
    ],
)
def test_subjects_are_heads_unless_they_are_dates_quantities_and_the_like(
    label: str, dependency: str, head: bool
) -> None:
    assert is_head(label, dependency) == head


def test_the_types_that_never_lead_are_those_of_the_paper() -> None:
    listed = "DATE, QUANTITY, PERCENT, TIME, LANGUAGE, MONEY, ORDINAL, NORP, CARDINAL"
    assert frozenset(listed.split(", ")) == NEVER_HEADS


def test_a_sentence_is_a_hyperrelation_between_its_entities() -> None:
    first, second = decode(PAYLOAD, PASSAGE, titles=True)
    assert first.hyperrelation == "## built the lighthouse of ## in ##."
    assert heads_and_tails(first) == (["Ada Brisk"], ["Quillmouth", "1841"])
    assert second.hyperrelation == "She was born in ##."


def test_the_title_leads_every_sentence_so_that_a_pronoun_is_no_dead_end() -> None:
    _, second = decode(PAYLOAD, PASSAGE, titles=True)
    assert heads_and_tails(second) == (["Ada Brisk"], ["Fennick"])
    title = second.mentions[0]
    assert (title.label, title.start, title.end) == ("TITLE", 0, 0)


def test_the_stored_parse_is_the_whole_parse(models: Models) -> None:
    """Words and how they hang together are kept, so that what is made of them later needs no second parse."""
    text = f"{TEXT}\n\nIt stands on the Sable Coast;  so do others."
    passage = replace(PASSAGE, text=text, end=len(text))
    (payload,) = ParseKGLayer().extract([passage], models, {})
    assert isinstance(payload, bytes)
    parsed = [
        sentence
        for at, paragraph in paragraphs_of(text)
        for sentence in next(iter(models.parser.parse(["\n" * at + paragraph])))
    ]
    kept = parse_of(payload)
    assert [(s.start, s.end, s.entities) for s in kept] == [(s.start, s.end, s.entities) for s in parsed]
    words = [[text[word.start : word.end] for word in sentence.words] for sentence in kept]
    assert words[0][:3] == ["Ada", "Brisk", "built"]
    assert [kept[0].words[word.head].dependency for word in kept[0].words[:2]] == ["nsubj", "ROOT"]
    assert [word.dependency for word in kept[0].words if word.head == 2][:2] == ["nsubj", "ROOT"]


def test_a_mention_of_the_title_is_the_head_and_is_not_repeated() -> None:
    passage = replace(PASSAGE, title="The Fennick")
    _, second = decode(PAYLOAD, passage, titles=True)
    assert heads_and_tails(second) == (["Fennick"], [])
    assert second.mentions[0].start == TEXT.index("Fennick")


def test_without_the_switch_the_title_leads_only_sentences_that_nothing_leads() -> None:
    passage = replace(PASSAGE, title="Lighthouses")
    first, second = decode(PAYLOAD, passage, titles=False)
    assert heads_and_tails(first) == (["Ada Brisk"], ["Quillmouth", "1841"])
    assert heads_and_tails(second) == (["Lighthouses"], ["Fennick"])


def test_where_there_is_no_title_either_the_entities_lead_themselves() -> None:
    """No passage is unreachable, but dates and the like still lead nothing."""
    passage = replace(PASSAGE, title="")
    payload = encode([[0, len(TEXT), [at("Quillmouth", "GPE"), at("1841", "DATE"), at("Fennick", "GPE")]]])
    for titles in (True, False):
        (sentence,) = decode(payload, passage, titles=titles)
        assert heads_and_tails(sentence) == (["Quillmouth", "Fennick"], ["1841"])


@pytest.mark.parametrize("title", ["", "Lighthouses"])
def test_without_promotion_a_sentence_that_nothing_leads_leads_nowhere(title: str) -> None:
    """The paper's graph: heads are subjects, and nothing else."""
    first, second = decode(PAYLOAD, replace(PASSAGE, title=title), titles=False, promote=False)
    assert heads_and_tails(first) == (["Ada Brisk"], ["Quillmouth", "1841"])
    assert heads_and_tails(second) == ([], ["Fennick"])


def test_titles_lead_whether_or_not_anything_is_promoted() -> None:
    passage = replace(PASSAGE, title="Lighthouses")
    assert decode(PAYLOAD, passage, titles=True, promote=False) == decode(PAYLOAD, passage, titles=True, promote=True)


def test_a_name_without_letters_or_digits_is_masked_but_names_nothing() -> None:
    text = "The sign said *** in Fennick."
    passage = replace(PASSAGE, text=text, end=len(text))
    payload = encode([[0, len(text), [at("***", "ORG", text=text), at("Fennick", "GPE", text=text)]]])
    (sentence,) = decode(payload, passage, titles=False)
    assert sentence.hyperrelation == "The sign said ## in ##."
    assert [mention.name for mention in sentence.mentions if mention.label != "TITLE"] == ["Fennick"]


def test_a_passage_without_words_in_its_title_has_none() -> None:
    assert title_mention(replace(PASSAGE, title="***")) is None
    assert title_mention(replace(PASSAGE, title="")) is None


@pytest.mark.parametrize(
    ("text", "entities", "expected"),
    [
        ("Ada Brisk Fennick said", [(0, 9), (10, 17)], "## ## said"),
        ("It cost U.S.$5 then", [(8, 12), (12, 14)], "It cost ## ## then"),
        ("from Oar–Fennick by rail", [(5, 8), (9, 16)], "from ##–## by rail"),
        ("  the\n Oar \t rises", [(7, 10)], "the ## rises"),
        ("Brisk's lamp", [(0, 5)], "##'s lamp"),
        ("no names", [], "no names"),
    ],
)
def test_masks_stay_apart_and_white_space_is_one_space(
    text: str, entities: list[tuple[int, int]], expected: str
) -> None:
    assert masked(text, 0, len(text), entities) == expected


@st.composite
def marked(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """A text and stretches of it, in order, that do not overlap (but may touch)."""
    text = draw(st.text(st.sampled_from("aB .,–é町\n"), min_size=1, max_size=30))
    cuts = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    return text, list(zip(cuts[::2], cuts[1::2], strict=False))


@given(marked())
def test_a_hyperrelation_with_its_entities_written_in_is_the_sentence(
    case: tuple[str, list[tuple[int, int]]],
) -> None:
    """There is a mask for each entity, in order, and around the masks the words of the sentence (spaces aside)."""
    text, entities = case
    hyperrelation = masked(text, 0, len(text), entities)
    assert hyperrelation.count(MASK) == len(entities)
    assert "####" not in hyperrelation
    between = hyperrelation.split(MASK)
    names = [text[start:end] for start, end in entities]
    rebuilt = "".join(part + name for part, name in zip(between, [*names, ""], strict=True))
    assert "".join(rebuilt.split()) == "".join(text.split())


@given(st.text(st.sampled_from("ab. \n\t"), max_size=40))
def test_paragraphs_hold_all_words_where_they_stand(text: str) -> None:
    paragraphs = paragraphs_of(text)
    assert "".join("".join(paragraph.split()) for _, paragraph in paragraphs) == "".join(text.split())
    for start, paragraph in paragraphs:
        assert text[start : start + len(paragraph)] == paragraph
        assert paragraph.strip()
        assert "\n\n" not in paragraph.strip()


@pytest.fixture(scope="module")
def real(world_index: Path, models: Models) -> list[tuple[Passage, list[Sentence]]]:
    """The passages of the world with their sentences, as the real parser sees them."""
    with Record.open(world_index) as record:
        layer = layer_of("parsekg", Settings())
        numbers = record.done("parsekg", fingerprint(layer, models)).tolist()
        payloads = record.payloads_of("parsekg", numbers)
        pairs = zip(numbers, record.passages(numbers), strict=True)
        return [(passage, decode(payloads[number], passage, titles=True)) for number, passage in pairs]


def stands(mention: Mention) -> bool:
    return mention.label != "TITLE"


def test_real_mentions_and_sentences_stand_where_they_say(real: list[tuple[Passage, list[Sentence]]]) -> None:
    assert len(real) > 20
    for passage, sentences in real:
        assert sentences
        ends = [0]
        for sentence in sentences:
            assert ends[-1] <= sentence.start < sentence.end <= len(passage.text)
            ends.append(sentence.end)
            assert passage.text[sentence.start : sentence.end].strip()
            for mention in filter(stands, sentence.mentions):
                assert sentence.start <= mention.start < mention.end <= sentence.end
                assert passage.text[mention.start : mention.end] == mention.name
                assert normal(mention.name) == mention.key


def test_real_sentences_hold_all_words_of_their_passage(real: list[tuple[Passage, list[Sentence]]]) -> None:
    for passage, sentences in real:
        said = "".join(passage.text[sentence.start : sentence.end] for sentence in sentences)
        assert "".join(said.split()) == "".join(passage.text.split())


def test_real_hyperrelations_give_their_sentences_back(real: list[tuple[Passage, list[Sentence]]]) -> None:
    compared = 0
    for passage, sentences in real:
        for sentence in sentences:
            said = passage.text[sentence.start : sentence.end]
            names = [mention.name for mention in sentence.mentions if stands(mention)]
            if MASK in said or len(names) != sentence.hyperrelation.count(MASK):
                continue  # a Markdown heading, or a name without letters
            parts = iter([*names, ""])
            rebuilt = re.sub(MASK, lambda _: next(parts), sentence.hyperrelation)  # noqa: B023
            assert "".join(rebuilt.split()) == "".join(said.split())
            compared += 1
    assert compared > 100


def graph_of(record: Record) -> ParseKG:
    """The graph that an index serves."""
    current = record.generation("parsekg")
    assert current is not None
    folder = record.folder / "generations" / "parsekg"
    segments = [folder / name for name in current.description["segments"]]
    return ParseKG.open(folder / current.name, segments, record.numbers())


def test_every_real_passage_can_be_reached_from_its_title(engine: Polyhop, world_index: Path) -> None:
    with Record.open(world_index) as record:
        graph = graph_of(record)
        assert graph.counts()["headless"] == 0
        for number, passage in zip(record.numbers().tolist(), record.passages(record.numbers().tolist()), strict=True):
            entity = graph.find(passage.title)
            assert entity is not None
            assert number in graph.passages_titled(entity)
            assert number in graph.passages_led_by(entity)
            assert number in graph.passages_mentioning(entity)
            assert entity in graph.entities_of(number)
            assert entity in graph.named_in(f"Tell me about {passage.title}, please.")


def test_the_title_switch_changes_what_is_gathered_but_extracts_nothing_again(fresh_index: Path, world: Path) -> None:
    with Polyhop(fresh_index) as engine:
        before = engine.status().entities
    without = Settings.from_mapping({"layers": {"parsekg": {"titles": False}}})
    with Polyhop(fresh_index, settings=without) as engine:
        report = engine.index(world)
        assert [layer.extracted for layer in report.layers] == [0] * len(LAYERS)
        with Record.open(fresh_index) as record:
            graph = graph_of(record)
        marrish = graph.find("Edda Marrish")
        assert marrish is not None
        assert 0 < len(graph.out.of(marrish)) < len(list(graph.sentences()))
        assert report.entities <= before
        assert graph.counts()["headless"] == 0


def test_a_question_finds_names_however_they_are_spelled(real: object, world_index: Path) -> None:
    with Record.open(world_index) as record:
        graph = graph_of(record)
    named = [graph.entity(entity).key for entity in graph.named_in("Did EDDA MARRISH see the Long Bridge?")]
    assert named == ["edda marrish", "long bridge"]
    assert graph.find("the Édda Marrish!") == graph.find("Edda Marrish") is not None
    assert graph.find("Nobody Atall") is None


def test_a_layer_is_a_dataclass_of_its_switches() -> None:
    assert ParseKGLayer() == ParseKGLayer(titles=True)
    assert layer_of("parsekg", Settings.from_mapping({"layers": {"parsekg": {"titles": "off"}}})) == ParseKGLayer(
        titles=False
    )


def test_places_lead_to_the_text(real: list[tuple[Passage, list[Sentence]]], world_index: Path) -> None:
    """From an entity to its sentences to their text: what a clue's exact quotation rests on."""
    with Record.open(world_index) as record:
        graph = graph_of(record)
        marrish = graph.find("Edda Marrish")
        assert marrish is not None
        said = []
        for sentence in np.union1d(graph.out.of(marrish), graph.into.of(marrish)).tolist():
            number, start, end = graph.place(sentence)
            (passage,) = record.passages([number])
            document = record.document(passage.document_id)
            quote = document.text[passage.start + start : passage.start + end]
            assert quote == passage.text[start:end]
            said.append(quote)
        assert any("born in Pellingrove" in quote for quote in said)
