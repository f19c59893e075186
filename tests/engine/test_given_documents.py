"""Documents given as objects: kept like files, by the same laws, and never taken for files that have vanished."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polyhop import Document, IndexReport, Polyhop
from polyhop.errors import DocumentError, UsageError
from polyhop.types import Passage
from tests.worlds.documents import HARBOUR, HARBOUR_BRIDGE, write
from tests.worlds.settings import QUICK

NOTES = tuple(Document(id=name.removesuffix(".txt"), text=text) for name, text in HARBOUR.items())
WORDS = ("gull", "tern", "grebe", "heron")


def counts(report: IndexReport) -> dict[str, int]:
    """What happened to the documents, without what did not."""
    names = ("added", "changed", "unchanged", "removed", "duplicates")
    return {name: getattr(report, name) for name in names if getattr(report, name)}


def best(engine: Polyhop, question: str = HARBOUR_BRIDGE, strategy: str = "bm25") -> list[tuple[str, float]]:
    return [(passage.title, passage.score) for passage in engine.search(question, k=20, strategy=strategy).passages]


def birds(texts: Iterable[tuple[str, str]]) -> tuple[Document, ...]:
    return tuple(Document(id=key, text=text) for key, text in texts)


def test_documents_are_answered_from_and_cited_by_their_uri(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "notes.index", settings=QUICK) as engine:
        report = engine.add_documents(NOTES)
        assert counts(report) == {"added": 4}
        assert [layer.extracted for layer in report.layers] == [4, 4]
        answer = engine.ask("Who built the lighthouse of Quillmouth?")
        assert answer.text == "Ada Brisk"
        assert "quillmouth" in {citation.uri for citation in answer.citations}
        assert all(
            engine.quote(citation.span) == (citation.quote, citation.uri, citation.page)
            for citation in answer.citations
        )


def test_documents_are_found_like_the_same_files(tmp_path: Path, harbour_engine: Polyhop, harbour: Path) -> None:
    named = [Document(id=str(number), uri=name, text=text) for number, (name, text) in enumerate(HARBOUR.items())]
    with Polyhop(tmp_path / "notes.index", settings=QUICK) as engine:
        engine.add_documents(named)
        for strategy in ("bm25", "hybrid"):
            assert best(engine, strategy=strategy) == best(harbour_engine, strategy=strategy)


def test_the_same_documents_again_do_nothing(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "notes.index", settings=QUICK) as engine:
        engine.add_documents(NOTES)
        again = engine.add_documents(reversed(NOTES))
        assert counts(again) == {"unchanged": 4}
        assert [layer.extracted for layer in again.layers] == [0, 0]


def test_a_text_replaces_the_one_of_the_same_uri(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "notes.index", settings=QUICK) as engine:
        engine.add_text("The gull dives.", "birds/gull", title="Gull", metadata={"by": "Ada"}, layers=("text",))
        changed = engine.add_text("The gull sleeps.", "birds/gull", title="Gull", layers=("text",))
        assert counts(changed) == {"changed": 1}
        (passage,) = engine.search("gull", strategy="bm25").passages
        assert (passage.title, passage.text) == ("Gull", "The gull sleeps.")


def test_threads_that_add_texts_take_turns_where_they_wait(tmp_path: Path) -> None:
    """Without waiting, whoever comes second hears that the index is being written to."""
    with Polyhop(tmp_path / "notes.index", settings=QUICK) as engine, ThreadPoolExecutor(4) as threads:
        added = [threads.submit(engine.add_text, f"The {bird} is a bird.", f"birds/{bird}", wait=60) for bird in WORDS]
        assert [counts(one.result()) for one in added] == [{"added": 1}] * 4
        assert engine.status().documents == 4


def test_removing_takes_everything_with_it(tmp_path: Path, harbour_engine: Polyhop) -> None:
    before = best(harbour_engine)
    harbour_engine.add_text("Quillmouth has a lighthouse and an engineer.", "notes/other")
    assert best(harbour_engine) != before
    assert harbour_engine.remove("notes/other").passages == 1
    assert best(harbour_engine) == before


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    kept=st.dictionaries(st.sampled_from("abc"), st.sampled_from(WORDS), max_size=3),
    passing=st.dictionaries(st.sampled_from("xyz"), st.sampled_from(WORDS), min_size=1, max_size=3),
)
def test_inserted_then_removed_equals_never_inserted(
    kept: dict[str, str], passing: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    stay = birds((key, f"The {word} lives at {key}.") for key, word in kept.items())
    leave = birds((key, f"A {word} passed {key}.") for key, word in passing.items())

    def made(name: str, *, visited: bool) -> list[list[tuple[str, float]]]:
        with Polyhop(tmp_path_factory.mktemp("law") / name, settings=QUICK) as engine:
            engine.add_documents(stay, layers=("text",))
            if visited:
                engine.add_documents(leave, layers=("text",))
                engine.remove(*passing)
            return [best(engine, word, strategy) for word in WORDS for strategy in ("bm25", "dense")]

    assert made("never", visited=False) == made("once", visited=True)


def test_indexing_a_folder_leaves_given_documents_alone(harbour_engine: Polyhop, harbour: Path) -> None:
    inside = (harbour / "not_a_file.txt").as_posix()
    harbour_engine.add_documents([Document(id="n", uri=inside, text="The gull is no file of this folder.")])
    write(harbour, {"tern.txt": "The tern is a bird."})
    report = harbour_engine.index(harbour)
    assert counts(report) == {"added": 1, "unchanged": 4}
    assert report.documents == 6
    assert "gull" in harbour_engine.search("gull", strategy="bm25").passages[0].text


def test_adding_documents_leaves_files_alone(harbour_engine: Polyhop, harbour: Path) -> None:
    report = harbour_engine.add_documents([Document(id="gull", text="The gull is a bird.")])
    assert (counts(report), report.documents) == ({"added": 1}, 5)
    assert counts(harbour_engine.index(harbour)) == {"unchanged": 4}


def test_what_another_document_says_is_skipped_and_named(harbour_engine: Polyhop, harbour: Path) -> None:
    copy = Document(id="copy", title="fennick", text=HARBOUR["fennick.txt"])
    report = harbour_engine.add_documents([copy, *birds([("a", "The gull."), ("b", "The tern.")])])
    assert counts(report) == {"added": 2, "duplicates": 1}
    assert report.skipped[0].reason == f"has the same text as {(harbour / 'fennick.txt').as_posix()}"

    same = Document(id="b", title="a", text="The gull.")  # its former text goes: no document says it any more
    assert counts(harbour_engine.add_documents([same])) == {"duplicates": 1, "removed": 1}
    assert not harbour_engine.search("tern", strategy="bm25").passages


def test_two_documents_may_swap_their_texts(tmp_path: Path) -> None:
    def pair(first: str, second: str) -> list[Document]:
        return [Document(id="1", title="bird", text=first), Document(id="2", title="bird", text=second)]

    with Polyhop(tmp_path / "swap.index", settings=QUICK) as engine:
        engine.add_documents(pair("The gull.", "The tern."), layers=("text",))
        assert counts(engine.add_documents(pair("The tern.", "The gull."), layers=("text",))) == {"changed": 2}


def test_the_id_of_a_file_is_not_taken_over(harbour_engine: Polyhop, harbour: Path) -> None:
    taken = _first(harbour_engine).document_id
    report = harbour_engine.add_documents([Document(id=taken, text="The gull.")])
    assert counts(report) == {}
    assert report.skipped[0].reason.startswith(f"has the id {taken!r}, as {harbour.as_posix()}/")


def test_nor_is_the_id_of_a_document_by_a_file(tmp_path: Path) -> None:
    rows = write(tmp_path / "rows", {"birds.jsonl": '{"id": "gull", "text": "A row on the tern."}\n'})
    with Polyhop(tmp_path / "rows.index", settings=QUICK) as engine:
        engine.add_text("The gull is a bird.", "gull", layers=("text",))
        (skipped,) = engine.index(rows, layers=("text",)).skipped
        assert skipped.reason == "has the id 'gull', as gull does; give each an id of its own"
        assert "gull" in _first(engine, "gull").text


@pytest.mark.parametrize(
    ("documents", "error", "message"),
    [
        (birds([("a", "The gull."), ("b", " \n ")]), DocumentError, "The document 'b' is empty."),
        (birds([("a", "The gull."), ("b", "A \ud83d dives.")]), DocumentError, "holds a surrogate"),
        (birds([("a", "The gull."), ("a", "The tern.")]), UsageError, "Two documents have the id 'a'."),
        (birds([("", "The gull.")]), UsageError, "A document has no id."),
    ],
)
def test_what_cannot_be_kept_is_refused_before_anything_is_stored(
    tmp_path: Path, documents: tuple[Document, ...], error: type[Exception], message: str
) -> None:
    with Polyhop(tmp_path / "bad.index", settings=QUICK) as engine:
        with pytest.raises(error, match=message):
            engine.add_documents(documents, layers=("text",))
        assert not engine.path.exists()


def test_text_is_kept_as_that_of_files_is(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "clean.index", settings=QUICK) as engine:
        engine.add_text("\nThe gull\r\ndives\0.\n", "birds/the_gull.txt", layers=("text",))
        passage = _first(engine, "gull")
        assert (passage.title, passage.text) == ("the gull", "The gull\ndives.")


def test_a_dry_run_says_what_would_be_done(tmp_path: Path) -> None:
    with Polyhop(tmp_path / "dry.index", settings=QUICK) as engine:
        planned = engine.add_documents(NOTES, dry_run=True)
        assert (counts(planned), planned.documents) == ({"added": 4}, 0)
        assert not engine.path.exists()
        done = engine.add_documents(NOTES)
        assert [layer.extracted for layer in planned.layers] == [layer.extracted for layer in done.layers]
        assert counts(engine.add_documents(NOTES, dry_run=True)) == {"unchanged": 4}


def _first(engine: Polyhop, question: str = "lighthouse") -> Passage:
    return engine.search(question, strategy="bm25").passages[0]
