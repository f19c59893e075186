"""The translator's tokens are made when a segment is gathered, a stretch at a time, and lie beside it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polyhop.documents.chunking import cut
from polyhop.documents.loading import file_document
from polyhop.indexes import digests, segment_plan, segments
from polyhop.indexes.joined_tries import Nodes
from polyhop.indexes.streamed import streamed
from polyhop.indexes.substrings import TokenStrings
from polyhop.indexing.build import Builder
from polyhop.layers.layer import layer_of
from polyhop.layers.parsekg import span_edges, tokenising, translation
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.layers.parsekg.span_edges import edged
from polyhop.layers.parsekg.translation import TranslationIndex, open_or_build
from polyhop.models.choice import Models
from polyhop.ports import Beams, Ints
from polyhop.settings import Chunking, Settings
from polyhop.store.record import Record
from polyhop.types import Passage, Sentence
from tests.worlds.growing_graph import Steps, grown
from tests.worlds.sentences import Said, worlds


class Letters:
    """A tokenizer of letters; nothing is asked of the model."""

    name = tokenizer = "letters"
    vocabulary = 0x110000
    end = 0
    cuts_at_spaces = True

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
    found = (place for segment in kg.segments for place in segment.folder.glob("tokens-*"))
    return sorted(filter(tokenising.is_there, found))


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is gathered counts as much."""
    monkeypatch.setattr(translation, "FEW", 0)


def files_below(folder: Path) -> dict[Path, int]:
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def test_tokens_written_in_stretches_are_those_of_all_hyperrelations(
    fresh_index: Path, models: Models, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each hyperrelation by itself, as a whole."""
    with Record.open(fresh_index) as record:
        kg = graph_of(record, models)
    said = [edged(kg.hyperrelation(place), models.translator) for place in kg.sentences()]
    with streamed(tmp_path / "whole") as writer:
        writer.put(TokenStrings.build([one.tokens for one in said], [one.flags for one in said]).arrays())
    monkeypatch.setattr(tokenising, "AT_ONCE", 7)
    monkeypatch.setattr(span_edges, "KNOWN", 100)
    open_or_build(kg, models.translator)
    (beside,) = kept_beside(kg)
    for file in (tmp_path / "whole").iterdir():
        if file.name != digests.SEEN:
            assert (beside / "strings" / file.name).read_bytes() == file.read_bytes()


@pytest.mark.usefixtures("large")
def test_gathering_makes_the_tokens_of_each_segment_and_a_question_writes_nothing(
    fresh_index: Path, models: Models
) -> None:
    with Record.create_or_open(fresh_index) as record:
        after = gathered_with(record, models, "The Oar rises near Fennick.")
        assert len(kept_beside(after)) == len(after.segments) > 1
        before = files_below(fresh_index / "generations")
        assert len(open_or_build(after, models.translator).strings) == after.firsts[-1]
        assert files_below(fresh_index / "generations") == before


def test_a_small_graph_is_left_to_the_first_question_and_then_like_any_other(fresh_index: Path, models: Models) -> None:
    with Record.create_or_open(fresh_index) as record:
        kg = gathered_with(record, models, "The Oar rises near Fennick.")
        assert not kept_beside(kg)
        open_or_build(kg, models.translator)
        after = gathered_with(record, models, "The Tarn flows into the Oar.")
        assert len(kept_beside(after)) == len(after.segments) > 1


@pytest.mark.usefixtures("large")
def test_who_does_not_want_the_tokens_leaves_them_to_the_first_question(fresh_index: Path, models: Models) -> None:
    """Segments that are there stay as they are: the setting changes nothing in them."""
    with Record.create_or_open(fresh_index) as record:
        before = gathered_with(record, models).segments
        after = gathered_with(record, models, "The Oar rises near Fennick.", tokens=False)
        assert [segment.folder for segment in after.segments[:-1]] == [segment.folder for segment in before]
        assert len(kept_beside(after)) == len(after.segments) - 1
        open_or_build(after, models.translator)
        assert len(kept_beside(after)) == len(after.segments)


@pytest.mark.usefixtures("large")
def test_where_the_translator_is_not_installed_the_first_question_makes_the_tokens(
    fresh_index: Path, models: Models, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "polyhop.layers.parsekg")
    without = Models(Settings(components={"translator": {"cache": str(tmp_path)}}))
    with Record.create_or_open(fresh_index) as record:
        after = gathered_with(record, without, "The Oar rises near Fennick.")
        assert not kept_beside(after)
        assert "left to the first question: The model smollm2 is not installed" in caplog.text
        open_or_build(after, models.translator)
        assert len(kept_beside(after)) == len(after.segments)
        assert "it is made now" in caplog.text


def test_gathering_loads_the_tokenizer_and_no_weights(fresh_index: Path) -> None:
    gather = f"""
import sys
from pathlib import Path
from polyhop.indexing.build import Builder
from polyhop.layers.parsekg import translation
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
translation.FEW = 0
with Record.create_or_open(Path({str(fresh_index)!r})) as record:
    folder = record.folder / "generations"
    builder = Builder(record=record, folder=folder, settings=Settings(), models=Models(Settings()))
    builder.bring_up_to_date("parsekg")
assert "tokenizers" in sys.modules and "onnxruntime" not in sys.modules
"""
    subprocess.run([sys.executable, "-c", gather], check=True)
    with Record.open(fresh_index) as record:
        assert kept_beside(graph_of(record, Models(Settings())))


@pytest.mark.parametrize("rare", ["a", "\uffff", "𐍈"])
def test_tokens_of_a_large_vocabulary_are_kept_whole(rare: str, tmp_path: Path) -> None:
    """Where the first stretch has none of the large ones, too."""
    passage = Passage(id="1", document_id="d", ordinal=0, start=0, end=3, title="", text="any")
    said = [f"## saw {letter}" for letter in (*"bcdef", rare)]
    sentences = [Sentence(start=0, end=1, hyperrelation=one, mentions=()) for one in said]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tokenising, "AT_ONCE", 2)
        graph, _ = grown({1: (passage, sentences)}, [({1}, set())], tmp_path)
        index = open_or_build(graph, Letters())
    (part,) = index.strings.parts
    assert part.text.itemsize == (2 if rare == "a" else 4)
    assert [Letters().decode(index.strings.row(row).tolist()) for row in range(len(said))] == said


class Killed(BaseException):
    """Whoever gathers was killed."""


@pytest.mark.usefixtures("large")
@pytest.mark.parametrize("at", ["streamed", "segments.write_arrays"])
def test_whoever_is_killed_leaves_no_tokens_that_count_and_segments_that_stay(
    at: str, fresh_index: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise Killed

    with Record.create_or_open(fresh_index) as record:
        before = gathered_with(record, models)
        with monkeypatch.context() as patch:
            patch.setattr(f"polyhop.layers.parsekg.tokenising.{at}", killed)
            with pytest.raises(Killed):
                gathered_with(record, models, "The Oar rises near Fennick.")
        assert graph_of(record, models).folder == before.folder
        there = {place.parent for place in (record.folder / "generations" / "parsekg").glob(f"*/{digests.PACKED}")}
        (written,) = there - {segment.folder for segment in before.segments}
        assert not any(tokenising.is_there(place) for place in written.glob("tokens-*"))
        stamp = (written / digests.PACKED).stat().st_mtime_ns
        after = gathered_with(record, models)
        assert after.segments[-1].folder == written
        assert (written / digests.PACKED).stat().st_mtime_ns == stamp
        assert len(kept_beside(after)) == len(after.segments)


@pytest.mark.usefixtures("large")
def test_tokens_of_other_versions_go_and_damage_to_these_is_found(fresh_index: Path, models: Models) -> None:
    with Record.create_or_open(fresh_index) as record:
        (folder,) = kept_beside(gathered_with(record, models))
        old = folder.rename(folder.with_name("tokens-64b2e82e032fcbf0"))
        (there,) = kept_beside(gathered_with(record, models))
        assert there == folder != old
        assert not [*segments.damage(fresh_index / "generations")]
        strings = there / "strings" / digests.PACKED
        content = bytearray(strings.read_bytes())
        content[len(content) // 2] ^= 1
        strings.write_bytes(content)
        (fault,) = segments.damage(fresh_index / "generations")
        assert str(strings) in fault


def gathered_with(record: Record, models: Models, text: str = "", *, tokens: bool = True) -> ParseKG:
    """The graph, with a document more where there is one."""
    if text:
        document = file_document(f"/{len(text)}-{record.highest()}.txt", text, "text/plain")
        record.put(document, cut(document, Chunking()))
    chosen = Settings(components={"layers.parsekg": {"tokens": tokens}})
    builder = Builder(record=record, folder=record.folder / "generations", settings=chosen, models=models)
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
            patch.setattr(segment_plan, "SHARE", 1.0)
            patch.setattr(segment_plan, "MOST_DEAD", 1.0)

        def told(graph: ParseKG) -> None:
            if early:
                open_or_build(graph, model)

        graph, _ = grown(said, steps, Path(place), told)
        index = open_or_build(graph, model)
        expected: dict[str, list[str]] = {}
        for entity in graph.entities():
            for name in dict.fromkeys(graph.spellings(entity)) if len(graph.out.of(entity)) else ():
                if len(name) <= tokenising.LONGEST_NAME:
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
