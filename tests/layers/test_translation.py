"""The translator's tokens are written a stretch at a time, and are there again as soon as a graph is gathered anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from polyhop.errors import ModelMissing
from polyhop.indexes.substrings import TokenStrings
from polyhop.layers.layer import fingerprint, layer_of
from polyhop.layers.parsekg import translation
from polyhop.layers.parsekg.graph import ParseKG
from polyhop.layers.parsekg.layer import ParseKGLayer
from polyhop.layers.parsekg.span_edges import edged
from polyhop.layers.parsekg.translation import open_or_build
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record


def graph_of(record: Record, models: Models) -> ParseKG:
    layer = layer_of("parsekg", Settings())
    assert isinstance(layer, ParseKGLayer)
    return layer.open(record, record.folder / "generations" / "parsekg", models)


def gathered_without_a_document(record: Record, models: Models) -> ParseKG:
    """The graph after a document was removed."""
    record.drop([next(record.documents()).id])
    layer = layer_of("parsekg", Settings())
    layer.gather(record, record.folder / "generations" / "parsekg", fingerprint(layer, models), models)
    return graph_of(record, models)


def kept_beside(kg: ParseKG) -> list[Path]:
    return sorted(kg.folder.glob("tokens-*"))


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
        assert (beside / "strings" / file.name).read_bytes() == file.read_bytes()


def test_who_asks_after_a_change_finds_the_tokens_there(fresh_index: Path, models: Models) -> None:
    """Only where somebody asked the translator before: others have no use for them."""
    with Record.create_or_open(fresh_index) as record:
        kg = gathered_without_a_document(record, models)
        assert not kept_beside(kg)
        before = open_or_build(kg, models.translator)
        after = gathered_without_a_document(record, models)
        assert after.folder != kg.folder
        assert [place.name for place in kept_beside(after)] == [kept_name(before)]
        assert len(open_or_build(after, models.translator).strings) == after.firsts[-1]


def kept_name(index: translation.TranslationIndex) -> str:
    """What the folder of its tokens is called: it depends on the model alone."""
    return translation._folder(index.kg.folder, index.model).name


def test_a_translator_that_is_not_there_keeps_nobody_from_gathering(
    fresh_index: Path, models: Models, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(*_: object) -> None:
        raise ModelMissing("The translator is not installed.", remedy="Install it.")

    with Record.create_or_open(fresh_index) as record:
        open_or_build(graph_of(record, models), models.translator)
        monkeypatch.setattr(translation, "_write", missing)
        assert not kept_beside(gathered_without_a_document(record, models))
