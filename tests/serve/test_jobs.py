"""Jobs as a worker does them: files into the index under their names, and out of it again, whatever happens."""

from __future__ import annotations

import json
import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import filelock
import pytest

from polyhop.engine import Polyhop
from polyhop.indexing.run import IndexRun
from polyhop.models.choice import Models, load_models
from polyhop.reports import Skipped
from polyhop.serve.jobs.job import Job, JobState
from polyhop.serve.jobs.worker import LOCK
from polyhop.serve.keys import Allowance, KeyRing
from polyhop.serve.parsing import GuardedParser
from polyhop.settings import Serving, Settings
from polyhop.store.record import Record
from polyhop.types import Document
from tests.worlds.documents import HARBOUR
from tests.worlds.jobs import Workplace
from tests.worlds.machine import posix
from tests.worlds.waiting import until


@pytest.fixture
def workplace(tmp_path: Path) -> Iterator[Workplace]:
    place = Workplace(tmp_path / "root")
    yield place
    place.close()


def uris(workplace: Workplace) -> dict[str, str]:
    """What is in the index: where it came from, and its text."""
    with Record.open(workplace.place.index) as record:
        return {row.uri: record.document(row.id).text for row in record.documents()}


def test_files_are_indexed_under_their_names_and_can_be_asked(workplace: Workplace) -> None:
    job = workplace.done(workplace.upload({f"coast/{name}": text for name, text in HARBOUR.items()}))
    assert (job.state, job.skipped, job.error) == (JobState.DONE, (), None)
    assert uris(workplace) == {f"coast/{name}": text for name, text in HARBOUR.items()}
    assert workplace.stored() == {f"coast/{name}": text.encode() for name, text in HARBOUR.items()}
    assert str(workplace.root) not in str(uris(workplace)), "no path of the server is told"
    with Polyhop(workplace.place.index) as engine:
        found = engine.search("Who was born in Fennick?", strategy="bm25")
    assert found.passages[0].title == "ada brisk"


def test_the_same_name_again_replaces_what_was_there(workplace: Workplace) -> None:
    workplace.upload({"people.csv": "id,text\np1,Ada Brisk builds.\np2,Piet Rook teaches.\n", "mill.txt": "A mill."})
    workplace.upload({"people.csv": "id,text\np2,Piet Rook sails.\np3,Nan Soller writes.\n"})
    workplace.work()
    assert {uri: text.split(": ")[-1] for uri, text in uris(workplace).items()} == {
        "mill.txt": "A mill.",
        "people.csv#p2": "Piet Rook sails.",
        "people.csv#p3": "Nan Soller writes.",
    }
    assert set(workplace.stored()) == {"people.csv", "mill.txt"}
    assert len(workplace.lying()) == 2, "the former file has gone"


def test_a_row_that_is_deleted_goes_though_another_cannot_be_read(workplace: Workplace) -> None:
    workplace.upload({"a.jsonl": '{"id": "r1", "text": "A mill."}\n{"id": "r2", "text": "Some rye."}\nnonsense\n'})
    job = workplace.done(workplace.upload({"a.jsonl": '{"id": "r1", "text": "A mill."}\nnonsense\n'}))
    assert [each.file for each in job.skipped] == ["a.jsonl#2"]
    assert uris(workplace) == {"a.jsonl#r1": "A mill."}


def test_a_row_cannot_take_the_place_of_another_files_row(workplace: Workplace) -> None:
    workplace.upload({"a.jsonl": '{"id": "r1", "text": "The vault is locked."}\n'})
    job = workplace.upload({"b.jsonl": '{"id": "r1", "text": "It is open."}\n{"id": "r2", "text": "So be it."}\n'})
    job = workplace.done(job)
    assert job.state == JobState.DONE
    assert [(each.file, each.reason) for each in job.skipped] == [("b.jsonl#r1", "has the id 'r1' of another document")]
    assert uris(workplace) == {"a.jsonl#r1": "The vault is locked.", "b.jsonl#r2": "So be it."}


def test_what_cannot_be_read_is_named_and_what_was_there_stays(workplace: Workplace) -> None:
    workplace.upload({"mill.pdf": (Path(__file__).parents[2] / "examples/corpus/academy_of_asperlow.pdf").read_bytes()})
    job = workplace.upload(
        {"mill.pdf": b"%PDF-1.7 broken", "rye.txt": "It is rye.", "empty.txt": " \n", "copy/rye.txt": "It is rye."}
    )
    job = workplace.done(job)
    assert job.state == JobState.DONE
    reasons = {each.file: each.reason for each in job.skipped}
    assert set(reasons) == {"mill.pdf", "empty.txt", "rye.txt"}
    assert reasons["mill.pdf"].startswith("is damaged, or not a PDF")
    assert reasons["mill.pdf"].endswith("; what the index has of it stays")
    assert reasons["rye.txt"] == "has the same text as copy/rye.txt"
    assert set(uris(workplace)) == {"mill.pdf", "copy/rye.txt"}
    assert set(workplace.stored()) == {"mill.pdf", "copy/rye.txt"}
    assert workplace.stored()["mill.pdf"].startswith(b"%PDF"), "the file that was read"
    assert b"broken" not in workplace.stored()["mill.pdf"]
    assert len(workplace.lying()) == 2


@pytest.mark.parametrize("nothing", ["", " \n"])
def test_an_empty_upload_leaves_what_was_there(workplace: Workplace, nothing: str) -> None:
    workplace.upload({"mill.txt": "A mill.", "people.csv": "id,text\np1,Ada Brisk builds.\n"})
    job = workplace.done(workplace.upload({"mill.txt": nothing, "people.csv": nothing, "rye.txt": nothing}))
    assert {each.file: each.reason for each in job.skipped} == {
        "mill.txt": "is empty; what the index has of it stays",
        "people.csv": "is empty; what the index has of it stays",
        "rye.txt": "is empty",
    }
    assert set(uris(workplace)) == {"mill.txt", "people.csv#p1"}
    assert set(workplace.stored()) == {"mill.txt", "people.csv"}
    assert workplace.stored()["mill.txt"] == b"A mill."


def test_removing_documents_takes_their_files_with_them(workplace: Workplace) -> None:
    workplace.upload({"people.csv": "id,text\np1,Ada.\np2,Piet.\n", "mill.txt": "A mill.", "rye.txt": "Some rye."})
    workplace.work()
    with Record.open(workplace.place.index) as record:
        ids = {row.uri: row.id for row in record.documents()}
    first = workplace.remove(ids["mill.txt"], ids["people.csv#p1"])
    second = workplace.remove(ids["mill.txt"])
    workplace.work()
    assert workplace.queue.job(first.id).skipped == ()
    told = workplace.queue.job(second.id)
    assert told.state == JobState.DONE, "somebody else was quicker: what was wanted is so"
    assert [each.reason for each in told.skipped] == ["is not in the index any more"]
    assert set(uris(workplace)) == {"people.csv#p2", "rye.txt"}
    assert set(workplace.stored()) == {"people.csv", "rye.txt"}
    workplace.done(workplace.remove(ids["people.csv#p2"]))
    assert set(workplace.stored()) == {"rye.txt"}
    assert len(workplace.lying()) == 1


def test_removing_from_an_index_that_is_not_there_makes_none(workplace: Workplace) -> None:
    job = workplace.done(workplace.remove("mill"))
    assert (job.state, len(job.skipped)) == (JobState.DONE, 1)
    assert not workplace.place.index.exists()


def test_documents_of_the_command_line_stay_what_they_are(workplace: Workplace, harbour: Path) -> None:
    with Polyhop(workplace.place.index) as engine:
        engine.index(harbour, layers=["text"])
    job = workplace.done(
        workplace.upload({"fennick.txt": "Another Fennick.", "copy/fennick.txt": HARBOUR["fennick.txt"]})
    )
    assert [each.reason.startswith("has the same text as ") for each in job.skipped] == [True]
    assert len(uris(workplace)) == 5
    with Polyhop(workplace.place.index) as engine:
        assert engine.index(harbour, layers=["text"]).unchanged == 4
    assert "fennick.txt" in uris(workplace), "indexing a folder does not remove what was uploaded"


def book(number: int) -> str:
    """A file with so many documents."""
    return "".join(f'{{"id": "r{row}", "text": "Entry {row} of the book."}}\n' for row in range(number))


def cancelled(workplace: Workplace, job: Job, at: str) -> Job:
    """The job, cancelled at a stage of its work."""
    process = workplace.started()
    try:
        until(lambda: workplace.queue.job(job.id).progress.stage == at)
        workplace.queue.cancel(job.id)
        process.wait(timeout=60)
    finally:
        process.kill()
        process.communicate()
    return workplace.queue.job(job.id)


def test_a_cancelled_upload_is_taken_out_again_until_it_is_tried_again(workplace: Workplace) -> None:
    workplace.done(workplace.upload({"mill.txt": "A mill."}))
    job = workplace.upload({"book.jsonl": book(600)})
    assert cancelled(workplace, job, "text").state == JobState.CANCELLED
    assert uris(workplace) == {"mill.txt": "A mill."}, "nothing of it is left for the next job to do"
    assert len(workplace.lying()) == 2, "the file is kept for another try"
    workplace.queue.retry(job.id)
    assert workplace.done(job).state == JobState.DONE
    with Record.open(workplace.place.index) as record:
        assert len(dict(record.payloads("text"))) == 601
        assert {row[0] for row in record._rows("SELECT attempts FROM ledger")} == {1}


def test_a_cancelled_upload_is_taken_out_again_though_its_first_worker_was_killed(workplace: Workplace) -> None:
    job = workplace.upload({"book.jsonl": book(600)})
    process = workplace.started()
    until(lambda: workplace.queue.job(job.id).progress.stage == "text")
    process.kill()
    process.communicate()
    assert len(uris(workplace)) == 600
    workplace.queue.cancel(job.id)
    assert workplace.done(job).state == JobState.CANCELLED
    assert uris(workplace) == {}


def test_a_cancelled_upload_leaves_in_the_index_what_took_the_place_of_another(workplace: Workplace) -> None:
    workplace.done(workplace.upload({"book.jsonl": book(2)}))
    job = cancelled(workplace, workplace.upload({"book.jsonl": book(600), "mill.txt": "A mill."}), "text")
    assert job.state == JobState.CANCELLED
    assert set(uris(workplace)) == {f"book.jsonl#r{row}" for row in range(600)}


def test_a_job_that_is_cancelled_while_a_file_is_read_ends_at_once(tmp_path: Path) -> None:
    """Reading is given two minutes, which nobody waits for who has cancelled."""
    workplace = Workplace(tmp_path / "root", serving=Serving(file_seconds=120, file_memory=1024))
    workplace.done(workplace.upload({"mill.txt": "A mill."}))
    job = workplace.upload({"deep.html": "<div>" * 2_000_000})
    began = time.monotonic()
    assert cancelled(workplace, job, "opening").state == JobState.CANCELLED
    assert time.monotonic() - began < 40
    assert set(uris(workplace)) == {"mill.txt"}
    workplace.close()


def test_a_job_that_is_cancelled_in_its_last_moment_of_reading_is_cancelled(workplace: Workplace) -> None:
    job = workplace.upload({"empty.txt": " \n"})
    read = GuardedParser.documents

    def documents(parser: GuardedParser, path: Path, name: str, *rest: Callable[[], None]) -> list[Document | Skipped]:
        workplace.queue.cancel(job.id)
        return read(parser, path, name, *rest)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(GuardedParser, "documents", documents)
        assert workplace.done(job).state == JobState.CANCELLED


def test_an_old_upload_that_is_tried_again_leaves_what_is_newer(workplace: Workplace) -> None:
    old = workplace.upload({"bridge.md": "The bridge is of wood.", "mill.txt": "A mill."})
    older = workplace.upload({"weir.txt": "A weir of old."})
    old_weir = workplace.upload({"weir.txt": "A newer weir."})
    for job in (old, older, old_weir):
        workplace.queue.cancel(job.id)
    assert workplace.done(workplace.upload({"bridge.md": "The bridge is of stone."})).state == JobState.DONE
    for job in (old, older, old_weir):
        workplace.queue.retry(job.id)
        assert workplace.done(job).state == JobState.DONE
    left_out = [(each.file, each.reason) for each in workplace.queue.job(old.id).skipped]
    assert left_out == [("bridge.md", "was uploaded again since, and indexed")]
    assert workplace.queue.job(old_weir.id).skipped == (), "what was tried again is not newer for that"
    assert uris(workplace) == {
        "bridge.md": "The bridge is of stone.",
        "mill.txt": "A mill.",
        "weir.txt": "A newer weir.",
    }
    assert workplace.stored()["bridge.md"] == b"The bridge is of stone."
    assert len(workplace.lying()) == 3


def test_a_writer_beside_the_server_is_waited_for(workplace: Workplace) -> None:
    job = workplace.upload({"mill.txt": "A mill."})
    with Record.create_or_open(workplace.place.index):
        process = workplace.started()
        until(lambda: workplace.queue.job(job.id).progress.stage == "waiting for another writer")
    assert process.wait(timeout=60) == 0
    process.communicate()
    assert workplace.queue.job(job.id).state == JobState.DONE


def test_what_jobs_make_worth_writing_is_written_beside_the_next(
    workplace: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged = []

    def merge(run: IndexRun) -> None:
        until(lambda: not workplace.queue.open_jobs())
        merged.append(run.path)

    monkeypatch.setattr(IndexRun, "merge", merge)
    for name in ("mill.txt", "dam.txt"):
        workplace.upload({name: f"A {name[:-4]}."})
    workplace.work()
    assert merged[0] == workplace.place.index


def test_a_worker_logs_how_each_job_went_as_lines_of_json(
    workplace: Workplace, capfd: pytest.CaptureFixture[str]
) -> None:
    job = workplace.upload({"mill.txt": "A mill."})
    with workplace.started() as process:
        assert process.wait(timeout=60) == 0
    lines = [json.loads(line) for line in capfd.readouterr().err.splitlines()]
    told = [(line["message"], line["workspace"]) for line in lines if line.get("job") == job.id]
    assert told == [("upload running", "default"), ("upload done", "default")]


@pytest.mark.parametrize(("cap", "kept"), [("1000", 1000), ("20000", 10_000)])
def test_a_job_spends_no_more_than_the_server_and_its_key_may(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cap: str, kept: int
) -> None:
    """A cap that ``--set`` hands over is text."""
    asked: list[Settings] = []

    def loaded(own: Settings) -> Models:
        asked.append(own)
        return load_models(own)

    monkeypatch.setattr("polyhop.serve.jobs.worker.load_models", loaded)
    settings = {"index": {"layers": ["text"]}, "language_model": {"token_cap": cap, "money_cap": "0.5"}}
    workplace = Workplace(tmp_path / "root", settings=Settings.from_mapping(settings))
    with KeyRing(workplace.places.keys) as keys:
        _, key = keys.add("Ada", allowance=Allowance(tokens=10_000))
    assert workplace.done(workplace.upload({"mill.txt": "A mill."}, key=key.id)).state == JobState.DONE
    workplace.close()
    assert [own.of("language_model") for own in asked] == [{"token_cap": kept, "money_cap": 0.5}]


def test_a_worker_that_waits_does_not_make_a_folder_that_has_gone(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path)
    workplace.upload({"mill.txt": "A mill."})
    place = workplace.place
    with filelock.FileLock(place.folder / LOCK), workplace.started() as worker:  # behind the worker before it
        time.sleep(4.0)
        assert worker.poll() is None, "it waits"
        workplace.close()
        place.folder.rename(tmp_path / "away")
        assert worker.wait(30) == 0
    assert not place.folder.exists()


def test_a_file_that_would_take_all_memory_is_skipped_and_the_others_are_indexed(tmp_path: Path) -> None:
    workplace = Workplace(tmp_path / "root", serving=Serving(file_seconds=5, file_memory=512, file_text=1))
    job = workplace.done(
        workplace.upload({"deep.html": "<div>" * 2_000_000, "long.txt": "long " * 300_000, "mill.txt": "A mill."})
    )
    reasons = {each.file: each.reason for each in job.skipped}
    assert reasons["deep.html"] == "takes longer than 5 seconds to read"
    assert reasons["long.txt"] == "holds more than 1 MiB of text"
    assert set(uris(workplace)) == {"mill.txt"}
    workplace.close()


@posix
@pytest.mark.slow
def test_killed_again_and_again_jobs_end_as_if_nobody_had_killed_anything(tmp_path: Path) -> None:
    """SIGKILL at moments spread over starting, opening, storing, extracting and gathering; then once to the end."""
    rows = "".join(f'{{"id": "r{number}", "text": "Entry {number} of the book."}}\n' for number in range(300))

    def ask(workplace: Workplace) -> None:
        workplace.upload({"book.jsonl": rows, **HARBOUR})
        workplace.upload({"fennick.txt": "Fennick has moved.", "gone.txt": "Soon it is gone."})
        workplace.remove("r7", "r8")

    undisturbed, killed = Workplace(tmp_path / "undisturbed"), Workplace(tmp_path / "killed")
    ask(undisturbed)
    began = time.monotonic()
    undisturbed.work()
    seconds = time.monotonic() - began
    ask(killed)
    chance = random.Random(7)  # noqa: S311
    for share in (0.15, *(chance.uniform(0.2, 0.9) for _ in range(3))):
        process = killed.started()
        time.sleep(share * seconds)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    killed.work()
    assert [job.state for job in killed.queue.jobs()] == [JobState.DONE] * 3
    assert [job.skipped for job in killed.queue.jobs()] == [job.skipped for job in undisturbed.queue.jobs()]
    assert uris(killed) == uris(undisturbed)
    assert killed.stored() == undisturbed.stored()
    assert killed.lying() == undisturbed.lying()
    rows_of = []
    for workplace in (undisturbed, killed):
        with Record.open(workplace.place.index) as record:
            record.verify()
            numbers = dict(zip(record.numbers().tolist(), record.passages(record.numbers().tolist()), strict=True))
            rows_of.append({numbers[number].id: row for number, row in record.payloads("text")})
            assert {row[0] for row in record._rows("SELECT attempts FROM ledger")} == {1}, "nothing is done twice"
        workplace.close()
    assert rows_of[0] == rows_of[1]
