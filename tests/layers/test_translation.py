"""The translator's tokens are written a stretch at a time, with each segment, and are there once it is gathered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.errors import ModelMissing
from polyhop.indexes import digests, segments
from polyhop.indexes.joined_tries import Nodes
from polyhop.indexes.substrings import TokenStrings
from polyhop.indexing.build import Builder
from polyhop.layers.layer import layer_of
from polyhop.layers.parsekg import translation
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.layers.parsekg.span_edges import edged
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.models.choice import Models
from polyhop.ports import Beams, Ints
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from tests.worlds.growing_graph import Steps, grown
from tests.worlds.sentences import Said, worlds


class Letters:
    """A tokenizer of letters; nothing is asked of the model."""

    name = tokenizer = "letters"
    vocabulary = 0x110000
    end = 0

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Each letter."""
        return [[ord(letter) for letter in text] for text in texts]

    def encode_spans(self, texts: Sequence[str]) -> list[tuple[list[int], list[tuple[int, int]]]]:
        """The same, with the place of each."""
        return [([ord(letter) for letter in text], [(at, at + 1) for at in range(len(text))]) for text in texts]

    def decode(self, tokens: Sequence[int]) -> str:
        """The letters side by side."""
        return "".join(map(chr, tokens))

    def prompt(self, instruction: str, question: str) -> list[int]:
        """Never asked for."""
        raise NotImplementedError

    def begin(self, prompt: Sequence[int]) -> Beams:
        """Never asked for."""
        raise NotImplementedError

    def extend(self, beams: Beams, parents: Ints, tokens: Ints) -> Beams:
        """Never asked for."""
        raise NotImplementedError

    def branch(self, beams: Beams, parents: Ints, branches: Sequence[Sequence[int]]) -> Beams:
        """Never asked for."""
        raise NotImplementedError


def graph_of(record: Record, models: Models) -> ParseKG:
    layer = layer_of("parsekg", Settings())
    assert isinstance(layer, ParseKGLayer)
    return layer.open(record, record.folder / "generations" / "parsekg", models)


def kept_beside(kg: ParseKG) -> list[Path]:
    return sorted(place for segment in kg.segments for place in segment.folder.glob("tokens-*"))


def test_tokens_written_in_stretches_are_those_of_all_hyperrelations(
    fresh_index: Path, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Record.open(fresh_index) as record:
        kg = graph_of(record, models)
    said = [edged(kg.hyperrelation(place), models.translator) for place in kg.sentences()]
    TokenStrings.build([one.tokens for one in said], [one.flags for one in said]).save(tmp_path / "whole")
    monkeypatch.setattr(translation, "AT_ONCE", 7)
    open_or_build(kg, models.translator)
    (beside,) = kept_beside(kg)
    for file in (tmp_path / "whole").iterdir():
        if file.name != digests.SEEN:
            assert (beside / "strings" / file.name).read_bytes() == file.read_bytes()


def test_who_asks_after_a_change_finds_the_tokens_there(fresh_index: Path, models: Models) -> None:
    """Only where somebody asked the translator before: others have no use for them."""
    with Record.create_or_open(fresh_index) as record:
        kg = gathered_with(record, models, "The Oar rises near Fennick.")
        assert not kept_beside(kg)
        open_or_build(kg, models.translator)
        after = gathered_with(record, models, "The Tarn flows into the Oar.")
        assert len(kept_beside(after)) == len(after.segments) > 1
        assert len(open_or_build(after, models.translator).strings) == after.firsts[-1]


def gathered_with(record: Record, models: Models, text: str) -> ParseKG:
    """The graph with a document more."""
    document = file_document(f"/{len(text)}-{record.highest()}.txt", text, "text/plain")
    record.put(document, cut(document, Chunking()))
    builder = Builder(record=record, folder=record.folder / "generations", settings=Settings(), models=models)
    builder.bring_up_to_date("parsekg")
    return graph_of(record, models)


some = st.sets(st.integers(1, 40), max_size=12)


@settings(deadline=None, max_examples=20)
@given(worlds(most=16), st.lists(st.tuples(some, some), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_however_passages_came_and_went_the_tokens_are_those_of_what_is_there(
    said: Said, steps: Steps, early: bool, small: bool
) -> None:
    """Names of entities that lead, and hyperrelations; over many segments or few, and where tokens were there early."""
    model = Letters()
    with TemporaryDirectory() as place, pytest.MonkeyPatch.context() as patch:
        if small:
            patch.setattr(segments, "SHARE", 1.0)
            patch.setattr(segments, "MOST_DEAD", 1.0)

        def told(graph: ParseKG) -> None:
            if early:
                open_or_build(graph, model)

        graph, _ = grown(said, steps, Path(place), told)
        index = open_or_build(graph, model)
        expected: dict[str, list[str]] = {}
        for entity in graph.entities():
            for name in dict.fromkeys(graph.spellings(entity)) if len(graph.out.of(entity)) else ():
                if len(name) <= translation.LONGEST_NAME:
                    expected.setdefault(model.decode(model.encode([name])[0]), []).append(graph.entity(entity).key)
        assert dict(spoken(index, model)) == expected
        for sentence in graph.sentences():
            assert index.strings.row(sentence).tolist() == edged(graph.hyperrelation(sentence), model).tokens


def spoken(index: TranslationIndex, model: Letters) -> Iterator[tuple[str, list[str]]]:
    """All that the grammar of names lets a model say, and the keys of the entities that it then means."""
    left: list[tuple[tuple[int, ...], Nodes]] = [((), index.names.root())]
    while left:
        tokens, state = left.pop()
        if index.names.complete(state):
            yield model.decode(tokens), [index.kg.entity(entity).key for entity in index.named(state)]
        allowed = index.names.allowed(state).tolist()
        assert allowed == sorted(set(allowed))
        assert allowed or index.names.complete(state) or not tokens, "there is a way on to some name"
        left += [((*tokens, token), index.names.advance(state, token)) for token in allowed]


def test_a_translator_that_is_not_there_keeps_nobody_from_gathering(
    fresh_index: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModelMissing("The translator is not installed.", remedy="Install it.")

    with Record.create_or_open(fresh_index) as record:
        open_or_build(graph_of(record, models), models.translator)
        monkeypatch.setattr(translation, "_write", missing)
        after = gathered_with(record, models, "The Oar rises near Fennick.")
        assert len(kept_beside(after)) < len(after.segments)
