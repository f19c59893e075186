"""Asking through the engine: answers that quote exactly, a strategy that is named, and mistakes that are explained."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import (
    IndexCorrupt,
    IndexMissing,
    LayerMissing,
    PolyhopError,
    SettingError,
    UnknownComponent,
    UsageError,
)
from polyhop.settings import Settings
from polyhop.store.record import Record
from polyhop.types import Answer, AnswerKind, AnswerStatus, Budget, Hop, Span
from tests.worlds.documents import BRIDGE, HARBOUR, HARBOUR_BRIDGE
from tests.worlds.prompts import model_saying
from tests.worlds.settings import LAYERS, QUICK

QUESTIONS = (
    "Who invented the lissandra?",
    "In which year was the Long Bridge completed?",
    BRIDGE,
    "Which is taller, Harrowmere Lighthouse or the Long Bridge?",
    "What is the capital of Mars?",
)


@pytest.fixture(scope="module")
def answers(engine: Polyhop) -> list[Answer]:
    """Answers to some questions, answerable and not."""
    return [engine.ask(question) for question in QUESTIONS]


def test_a_question_for_two_things_is_answered_twice(engine: Polyhop) -> None:
    told: dict[int, Hop] = {}
    answer = engine.ask("How high is Harrowmere Lighthouse, and where was its architect born?", told=told.__setitem__)
    assert (answer.kind, answer.text) == (AnswerKind.PARTS, "46 metres; Pellingrove")
    assert all(item.asked and item.citations for item in answer.items)
    assert tuple(told[place] for place in range(len(answer.evidence.hops))) == answer.evidence.hops


def test_a_part_that_nothing_answers_is_said(engine: Polyhop) -> None:
    answer = engine.ask("How high is Harrowmere Lighthouse, and what is the capital of Mars?")
    assert answer.text == "46 metres"
    assert answer.items[1].said == "What is the capital of Mars? not found"


def test_a_question_below_a_long_text_is_answered_and_said_to_be_what_is_read(engine: Polyhop) -> None:
    asked = "How high is Harrowmere Lighthouse?"
    answer = engine.ask(f"{'The ferry is late, as everybody knows. ' * 80}{asked}")
    assert (answer.text, answer.standalone) == ("46 metres", asked)
    assert answer.evidence.left_out == ("all of the question but the last question in its 565 words",)


def test_every_citation_is_an_exact_quotation(answers: list[Answer], engine: Polyhop) -> None:
    """What is quoted stands in the document, at the span, letter for letter, and in a passage that was found."""
    assert any(answer.citations for answer in answers)
    with Record.open(engine.path) as record:
        for answer in answers:
            found = {passage.id: passage for passage in answer.evidence.passages}
            for citation in answer.citations:
                document = record.document(citation.span.document_id)
                assert citation.quote
                assert document.text[citation.span.start : citation.span.end] == citation.quote
                assert (citation.uri, citation.title) == (document.uri, document.title)
                passage = found[citation.passage_id]
                assert passage.start <= citation.span.start < citation.span.end <= passage.end
                assert engine.quote(citation.span) == (citation.quote, citation.uri, citation.page)
            assert len({citation.span for citation in answer.citations}) == len(answer.citations)


def test_every_answer_says_how_it_came_about(answers: list[Answer], engine: Polyhop) -> None:
    for question, answer in zip(QUESTIONS, answers, strict=True):
        assert answer.question == question
        assert answer.evidence.question == question
        assert 0 <= answer.confidence <= 1
        assert answer.reader == "trained"
        assert answer.evidence.strategy == engine.strategy_for(None) == "auto"
        assert answer.evidence.cost.seconds > 0
        assert answer.evidence.cost.llm_calls == 0
        assert answer.manifest["strategy"] == "auto"
        assert answer.manifest["embedder"] == "bge-small"
        assert len(answer.manifest["index"]) == 16
        assert len(answer.evidence.passages) <= 5


def test_an_answer_has_a_text_or_says_that_there_is_none(answers: list[Answer]) -> None:
    for answer in answers:
        assert (answer.status is AnswerStatus.ANSWERED) == (answer.text is not None)
        if answer.text is not None:
            assert answer.text.strip()
            assert answer.citations, "an answer without a source is no answer"
        else:
            assert answer.evidence.passages, "what came closest is shown"


def test_a_plain_question_is_answered_and_nonsense_is_not(answers: list[Answer]) -> None:
    assert answers[0].text is not None
    assert "Ombry" in answers[0].text
    assert answers[-1].text is None


def test_the_trace_ends_with_what_the_reader_made_of_it(world_index: Path) -> None:
    """Why an answer is withheld, too: that nothing was found is not the same as that nothing bears it out."""
    said = {"support": [{"passage": 1, "quote": "never written"}], "found": True, "answer": "Bogtown"}
    with model_saying(said) as (model, _), Polyhop(world_index, language_model=model) as engine:
        answer = engine.ask("What is the capital of Mars?", strategy="bm25")
    assert answer.text is None
    assert answer.evidence.trail[-1].startswith("read by grounded: 'Bogtown' is withheld: 0 quotations are genuine")


MISREAD = {"support": [{"passage": 1, "quote": "never written"}], "found": True, "answer": "Bogtown"}


def test_what_a_language_model_says_without_bearing_it_out_is_read_by_our_own_reader(world_index: Path) -> None:
    """Small ones often do: an endpoint must not leave unanswered what is answered without it."""
    with model_saying(MISREAD) as (model, _), Polyhop(world_index, language_model=model) as engine:
        answer = engine.ask(QUESTIONS[0], strategy="bm25")
    assert (answer.text, answer.reader) == ("Giselle Ombry", "trained")
    assert answer.citations
    assert answer.evidence.cost.llm_calls == 1
    assert answer.evidence.trail[-2].startswith("read by grounded: 'Bogtown' is withheld")


def test_what_a_language_model_does_not_find_is_not_read_again(world_index: Path) -> None:
    """Nor what it was to read alone, by name."""
    nothing = {"support": [], "found": False, "answer": ""}
    alone = Settings.read(None, ["reader.name=grounded"])
    for said, settings in ((nothing, None), (MISREAD, alone)):
        with model_saying(said) as (model, _), Polyhop(world_index, settings=settings, language_model=model) as engine:
            answer = engine.ask(QUESTIONS[0], strategy="bm25")
        assert (answer.text, answer.reader) == (None, "grounded")


def test_the_same_question_gives_the_same_answer(answers: list[Answer], engine: Polyhop) -> None:
    again = engine.ask(QUESTIONS[0])
    assert (again.text, again.citations, again.confidence) == (
        answers[0].text,
        answers[0].citations,
        answers[0].confidence,
    )
    assert again.manifest == answers[0].manifest


def test_the_manifest_names_the_state_of_the_index(harbour_engine: Polyhop) -> None:
    before = harbour_engine.ask(HARBOUR_BRIDGE, strategy="bm25").manifest["index"]
    assert harbour_engine.ask("Fennick?", strategy="bm25").manifest["index"] == before
    harbour_engine.remove("tarn_school.txt")
    assert harbour_engine.ask(HARBOUR_BRIDGE, strategy="bm25").manifest["index"] != before


def test_the_reader_sees_no_more_than_the_budget(engine: Polyhop) -> None:
    answer = engine.ask(BRIDGE, strategy="bm25", budget=Budget(passages=2))
    assert len(answer.evidence.passages) == 2
    tiny = engine.ask(BRIDGE, strategy="bm25", budget=Budget(passages=5, tokens=1))
    assert len({citation.passage_id for citation in tiny.citations}) <= 1, "one passage is read, however small"
    small = Polyhop(engine.path, settings=Settings.read(None, ["budget.passages=1"]))
    with small:
        assert len(small.ask(BRIDGE, strategy="bm25").evidence.passages) == 1


def test_spaces_do_not_change_what_is_asked(engine: Polyhop) -> None:
    plain = engine.search("Who invented the lissandra?", strategy="bm25")
    odd = engine.search("  Who invented\n\tthe\0 lissandra?\r\n", strategy="bm25")
    assert odd.passages == plain.passages
    assert odd.question == plain.question


@pytest.mark.parametrize("strategy", ["bm25", "dense", "hybrid", "paths"])
def test_broken_letters_from_a_terminal_are_survived(index_of: Callable[..., Polyhop], strategy: str) -> None:
    """Arguments that are not UTF-8 reach Python as lone surrogates."""
    assert index_of(HARBOUR).search("lighthouse caf\udce9 \ud83d", strategy=strategy).passages


@pytest.mark.parametrize("question", ["", "?!", "  ", "\0"])
def test_a_question_without_words_is_refused(engine: Polyhop, question: str) -> None:
    with pytest.raises(UsageError, match="no words"):
        engine.ask(question)


def test_what_is_done_for_a_question_is_logged(engine: Polyhop, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="polyhop.answering"):
        engine.ask(BRIDGE, strategy="bm25")
    looked, read = caplog.messages
    assert looked == "strategy bm25 looks for evidence in text"
    assert re.fullmatch(r"reader trained is done after \d+\.\d\d s", read)


def test_less_than_one_passage_is_refused(engine: Polyhop) -> None:
    with pytest.raises(UsageError, match="at least 1"):
        engine.search(BRIDGE, k=0)


def test_an_unknown_strategy_is_refused_and_the_nearest_offered(engine: Polyhop) -> None:
    for call in (engine.ask, engine.search):
        with pytest.raises(UnknownComponent, match="no strategy named 'path'") as caught:
            call(BRIDGE, strategy="path")
        assert "Did you mean 'paths'?" in caught.value.remedy
    with pytest.raises(UnknownComponent):
        engine.strategy_for("path")
    assert engine.strategy_for("dense") == "dense"


def test_a_strategy_whose_layer_is_missing_is_refused_before_it_is_asked(harbour: Path, tmp_path: Path) -> None:
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(harbour, layers=["text"])
        assert engine.strategy_for("dense") == "dense"
        with pytest.raises(LayerMissing, match="no parsekg layer"):
            engine.strategy_for("paths")


def test_an_unknown_model_is_refused_and_the_nearest_offered(world_index: Path) -> None:
    """And not taken for a layer that the index lacks."""
    with Polyhop(world_index, settings=Settings.read(changes=["models.embedder=minlm"])) as engine:
        for call in (engine.ask, engine.search):
            with pytest.raises(UnknownComponent, match="no embedder named 'minlm'") as caught:
                call(BRIDGE)
            assert "Did you mean 'minilm'?" in caught.value.remedy


def test_an_unknown_setting_is_refused_and_the_nearest_offered(world_index: Path) -> None:
    with Polyhop(world_index) as engine, pytest.raises(SettingError, match="no setting 'dept'") as caught:
        engine.search(BRIDGE, strategy="paths(dept=3)")
    assert "Did you mean 'depth'?" in caught.value.remedy


def test_without_an_index_everything_says_so(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "no.index") as engine:
        for call in (
            lambda: engine.ask(BRIDGE),
            lambda: engine.search(BRIDGE),
            engine.status,
            lambda: engine.strategy_for(None),
            lambda: engine.quote(Span("d", 0, 1)),
        ):
            with pytest.raises(IndexMissing) as caught:
                call()
            assert "polyhop index" in caught.value.remedy
    assert not (tmp_path / "no.index").exists(), "asking makes nothing"


def test_what_is_no_index_is_said_to_be_none(tmp_path: Path) -> None:
    (tmp_path / "file.index").write_text("not a folder")
    (tmp_path / "foreign.index").mkdir()
    (tmp_path / "foreign.index" / "record.sqlite").write_bytes(b"something else entirely" * 100)
    for name in ("file.index", "foreign.index"):
        with Polyhop(tmp_path / name) as engine, pytest.raises(IndexCorrupt):
            engine.ask(BRIDGE)


@pytest.mark.parametrize(
    ("layer", "file", "strategy"),
    [
        ("text", "*.arrays", "dense"),
        ("text", "*.arrays", "bm25"),
        ("text", "*.arrays", "stepchain"),
        ("parsekg", "*.arrays", "paths"),
        ("tree", "*.npy", "raptor"),
    ],
)
def test_a_damaged_layer_is_said_to_be_damaged_and_repaired_by_indexing(
    fresh_index: Path, world: Path, layer: str, file: str, strategy: str
) -> None:
    damaged = list((fresh_index / "generations" / layer).rglob(file))
    assert damaged
    for path in damaged:
        path.write_bytes(b"nonsense")
    with Polyhop(fresh_index, settings=QUICK) as engine:
        with pytest.raises(IndexCorrupt) as caught:
            engine.search(BRIDGE, strategy=strategy)
        assert "index the same documents again" in caught.value.remedy
    with Polyhop(fresh_index, settings=QUICK) as engine:
        assert [done.extracted for done in engine.index(world).layers] == [0] * len(LAYERS)
        assert engine.search(BRIDGE, strategy=strategy).passages


def test_a_strategy_whose_layer_is_missing_says_how_to_make_it(tmp_path: Path, harbour: Path) -> None:
    with Polyhop(tmp_path / "text.index", settings=QUICK) as engine:
        engine.index(harbour, layers=["text"])
        assert engine.ask(HARBOUR_BRIDGE).evidence.strategy == "auto"
        with pytest.raises(LayerMissing, match="parsekg") as caught:
            engine.ask(HARBOUR_BRIDGE, strategy="paths")
        assert "--layers text,parsekg" in caught.value.remedy


def test_an_index_that_was_never_gathered_has_nothing_to_search_yet(tmp_path: Path) -> None:
    Record.create_or_open(tmp_path / "new.index").close()
    with Polyhop(tmp_path / "new.index") as engine, pytest.raises(LayerMissing, match="nothing to search") as caught:
        engine.ask(BRIDGE)
    assert "polyhop index" in caught.value.remedy


def test_an_index_that_is_being_made_says_so(tmp_path: Path) -> None:
    writer, reader = Record.create_or_open(tmp_path / "new.index"), Polyhop(tmp_path / "new.index")
    with writer, reader, pytest.raises(LayerMissing, match="it is being made by process") as caught:
        reader.ask(BRIDGE)
    assert "Ask again" in caught.value.remedy


def test_an_index_that_is_being_made_says_so_to_whoever_names_a_strategy_too(tmp_path: Path) -> None:
    writer, reader = Record.create_or_open(tmp_path / "new.index"), Polyhop(tmp_path / "new.index")
    with writer, reader, pytest.raises(LayerMissing, match=r"no text layer, or not yet: .* by process") as caught:
        reader.ask(BRIDGE, strategy="bm25")
    assert "Ask again" in caught.value.remedy


def test_an_index_of_an_empty_folder_answers_that_it_knows_nothing(index_of: Callable[..., Polyhop]) -> None:
    answer = index_of({}).ask(BRIDGE)
    assert answer.text is None
    assert answer.citations == ()
    assert answer.evidence.passages == ()


def test_the_readme_s_way_of_using_the_library(tmp_path: Path, harbour: Path) -> None:
    """What is public is imported from the package itself."""
    import polyhop

    with polyhop.Polyhop(tmp_path / "my.index") as engine:
        report = engine.index(harbour)
        assert isinstance(report, polyhop.IndexReport)
        answer = engine.ask("Where was Ada Brisk born?")
        assert isinstance(answer, polyhop.Answer)
        assert isinstance(engine.search("Ada Brisk"), polyhop.Evidence)
        assert isinstance(engine.status(), polyhop.IndexStatus)
    assert issubclass(PolyhopError, Exception)
    assert polyhop.PolyhopError is PolyhopError
