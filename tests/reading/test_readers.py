"""The contract of every reader, built in or from another package; and which one reads."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from polyhop import registry
from polyhop.engine import Polyhop
from polyhop.errors import SettingError, UnknownComponent
from polyhop.models.choice import Models
from polyhop.models.endpoint import OpenAICompatible
from polyhop.reading.reader import Reader, Reading
from polyhop.settings import Settings
from polyhop.types import Evidence
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import says, serving


@pytest.fixture(scope="module")
def evidence(engine: Polyhop) -> Evidence:
    """What is found for a question of two hops."""
    return engine.search(BRIDGE, k=5, strategy="paths")


@pytest.fixture(params=registry.names("readers"))
def reader(request: pytest.FixtureRequest) -> Reader:
    """A reader with its defaults."""
    built: Reader = registry.build("readers", request.param)
    return built


def test_a_reading_quotes_what_stands_in_the_passages(reader: Reader, engine: Polyhop, evidence: Evidence) -> None:
    assert isinstance(reader, Reader)
    with (
        serving(says('{"support": [], "found": true, "answer": "Pellingrove"}')) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        reading = reader.read(BRIDGE, evidence, engine.models.with_language_model(model))
    shown = evidence.passages
    assert 0.0 <= reading.confidence <= 1.0
    for quote in reading.quotes:
        assert quote.passage in shown
        assert 0 <= quote.start < quote.end <= len(quote.passage.text)


def test_nothing_is_answered_from_nothing(reader: Reader, engine: Polyhop, evidence: Evidence) -> None:
    with (
        serving(says('{"support": [], "found": true, "answer": "Pellingrove"}')) as server,
        OpenAICompatible(base_url=server.url, model="sage") as model,
    ):
        reading = reader.read("Who?", replace(evidence, passages=()), engine.models.with_language_model(model))
    assert (reading.text, reading.quotes) == (None, ())


# --- which one reads --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class Parrot:
    """A reader from elsewhere: it answers with its own word."""

    word: str = "Polly"

    def read(self, question: str, evidence: Evidence, models: Models) -> Reading:
        """The word."""
        return Reading(text=self.word, confidence=1.0)


def asking(engine: Polyhop, **section: object) -> Polyhop:
    """The same index with such a section for the reader."""
    return Polyhop(engine.path, settings=Settings.from_mapping({**engine.settings.to_mapping(), "reader": section}))


def test_the_reader_that_is_named_reads(engine: Polyhop, monkeypatch: pytest.MonkeyPatch) -> None:
    load = registry.load
    monkeypatch.setattr(registry, "load", lambda kind, name: Parrot if name == "parrot" else load(kind, name))
    with asking(engine, name="parrot", word="Ahoy") as chosen:
        answer = chosen.ask(BRIDGE, strategy="bm25")
    assert (answer.text, answer.reader) == ("Ahoy", "parrot")


def test_without_a_name_settings_are_those_of_the_reader_that_suits(engine: Polyhop) -> None:
    with asking(engine, threshold=1) as chosen:
        answer = chosen.ask(BRIDGE, strategy="bm25")
    assert (answer.text, answer.reader) == (None, "trained")


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ({"name": "trained", "threshold": 7}, "threshold, .* are 0 to 1"),
        ({"name": "trained", "told": -0.1}, "told .* are 0 to 1"),
        ({"name": "trained", "quotes": 0}, "quotes are at least 1"),
        ({"name": "grounded", "threshold": 7}, "threshold is 0 to 1"),
        ({"name": "grounded", "max_tokens": 0}, "max_tokens at least 1"),
    ],
)
def test_a_setting_without_a_meaning_is_refused(engine: Polyhop, setting: dict[str, object], said: str) -> None:
    with asking(engine, **setting) as chosen, pytest.raises(SettingError, match=said):
        chosen.ask(BRIDGE, strategy="bm25")


def test_a_reader_that_nobody_knows_is_refused_with_the_nearest_name(engine: Polyhop) -> None:
    with asking(engine, name="extracive") as chosen, pytest.raises(UnknownComponent) as caught:
        chosen.ask(BRIDGE)
    assert "'trained'" in caught.value.remedy
    with pytest.raises(SettingError, match="treshold"), asking(engine, name="trained", treshold=1) as chosen:
        chosen.ask(BRIDGE)
