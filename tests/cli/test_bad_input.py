"""Input as it is: broken, huge, foreign, on a full disk. What can be read is indexed; the rest is named, with why."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import StorageFull, UsageError
from polyhop.indexing.ingest import Ingest
from polyhop.reports import IndexReport, Progress
from polyhop.settings import Chunking
from polyhop.store.record import Record
from tests.worlds.commands import Run
from tests.worlds.documents import HARBOUR, write
from tests.worlds.machine import may_mount, small_disk
from tests.worlds.settings import QUICK

MODULE = (sys.executable, "-m", "polyhop.cli.main")
MEGABYTE = 1_000_000


def cli(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own; a traceback is never an answer."""
    done = subprocess.run([*MODULE, *map(str, arguments)], capture_output=True, check=False, encoding="utf-8")
    assert "Traceback" not in done.stderr
    return done


def reasons(report: IndexReport) -> dict[str, str]:
    return {Path(skipped.uri).name: skipped.reason for skipped in report.skipped}


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Polyhop]:
    """An index that does not exist yet."""
    with Polyhop(tmp_path / "an.index", settings=QUICK) as engine:
        yield engine


def found(engine: Polyhop, question: str, strategy: str = "bm25") -> list[str]:
    return [passage.title for passage in engine.search(question, strategy=strategy).passages]


def test_the_package_is_the_command_line_too() -> None:
    done = subprocess.run([sys.executable, "-m", "polyhop", "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.split()[0], done.stderr) == (0, "polyhop", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ask"], "Missing argument"),
        (["search", "x", "--k", "0"], "not in the range"),
        (["asks"], "Did you mean 'ask'?"),
    ],
)
def test_a_command_in_the_wrong_words_is_told_as_json_where_json_is_asked_for(arguments: list[str], said: str) -> None:
    done = cli(*arguments, "--json")
    content = json.loads(done.stdout)
    assert (done.returncode, content["error"]) == (2, "UsageError")
    assert said in content["message"]
    assert content["remedy"].startswith("See: polyhop")


def test_a_run_that_ends_before_its_first_layer_is_told_with_what_to_do(tmp_path: Path) -> None:
    """Such as with Ctrl-C while models are loaded: documents are stored by then, and nothing is derived from them."""

    def interrupt(step: Progress) -> None:
        if step.stage == "text":
            raise KeyboardInterrupt

    folder, index = write(tmp_path / "docs", {"gate.txt": "The gate is shut at nine."}), tmp_path / "an.index"
    with Polyhop(index, settings=QUICK) as engine, suppress(KeyboardInterrupt):
        engine.index(folder, progress=interrupt)
    told = f"Bring it up to date with: polyhop index PATH... --index {index}\n"
    assert cli("status", "--index", index).stdout.endswith(told)
    examined = cli("doctor", "--index", index)
    assert (examined.returncode, "Layers with gaps: text" in examined.stdout) == (1, True)


def test_an_index_in_the_home_folder_is_examined_and_one_that_is_not_there_is_no_damage(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))  # which is what Windows calls it
    run("index", write(tmp_path / "docs", HARBOUR), "--layers", "text", "--index", "~/an.index")
    examined = run("doctor", "--deep", "--json", "--index", "~/an.index").json()
    assert {check["check"]: check["ok"] for check in examined}.items() >= {"record": True, "arrays": True}.items()
    missed = run("doctor", "--deep", "--json", "--index", "~/none.index").json()
    assert (missed[-1]["check"], missed[-1]["ok"]) == ("index", True)


def test_an_empty_folder_makes_an_index_that_knows_nothing(run: Run, tmp_path: Path) -> None:
    folder, index = write(tmp_path / "docs", {}), tmp_path / "an.index"
    indexed = run("index", folder, "--index", index)
    assert indexed.code == 0
    assert "0 added" in indexed.out
    assert "holds 0 documents, 0 passages (" in indexed.out
    asked = run("ask", "Who built the lighthouse?", "--index", index)
    assert asked.code == 3
    assert "Not found in these documents." in asked.out
    assert run("search", "lighthouse", "--index", index).code == 0
    assert "0 documents" in run("status", "--index", index).out
    write(folder, HARBOUR)
    assert "4 added" in run("index", folder, "--index", index).out


@pytest.mark.parametrize(("command", "goes_on"), [("index", True), ("remove", False)])
def test_only_what_goes_on_promises_to_where_nothing_can_be_written(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, goes_on: bool
) -> None:
    def shut(*given: object, **settings: object) -> Record:
        raise StorageFull("The folder cannot be written.")

    index = ("--index", tmp_path / "an.index")
    folder = write(tmp_path / "docs", HARBOUR)
    run("index", folder, "--layers", "text", *index)
    monkeypatch.setattr(Record, "create_or_open", shut)
    refused = run(command, folder, *index)
    assert (refused.code, "and run the same command again" in refused.err) == (7, True)
    assert ("it goes on where it stopped" in refused.err) is goes_on


def test_a_current_folder_that_is_gone_is_an_error(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    said = run("status")
    assert said.code == 2
    assert "The current folder is gone." in said.err
    assert "cd FOLDER" in said.err


@pytest.mark.parametrize(
    ("command", "looks_for"),
    [("keys list", "keys.sqlite"), ("search bread", "polyhop.toml"), ("status", "polyhop.toml")],
)
def test_a_folder_that_is_closed_to_us_is_named(
    run: Run, monkeypatch: pytest.MonkeyPatch, command: str, looks_for: str
) -> None:
    """Also the current folder, in which commands look for their settings before all else."""
    stat = Path.stat

    def closed(path: Path, *, follow_symlinks: bool = True) -> os.stat_result:
        if path.name == looks_for:
            raise PermissionError(13, "Permission denied", str(path))
        return stat(path, follow_symlinks=follow_symlinks)

    monkeypatch.setattr(Path, "stat", closed)
    said = run(*command.split())
    assert said.code == 7
    assert f"{looks_for} cannot be opened (Permission denied)." in said.err
    assert "Have its folder opened to you" in said.err


def test_an_empty_path_is_refused(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(write(tmp_path / "docs", HARBOUR))
    refused = run("index", "", "--index", tmp_path / "an.index")
    assert (refused.code, "There is no file or folder ''." in refused.err) == (2, True)
    assert not (tmp_path / "an.index").exists()


def test_no_path_at_all_only_brings_the_layers_up_to_date(fresh: Polyhop, harbour: Path) -> None:
    fresh.index(harbour, layers=["text"])
    report = fresh.index(layers=["parsekg"])
    assert (report.added, report.unchanged, report.removed) == (0, 0, 0)
    assert {layer.name: layer.extracted for layer in report.layers} == {"text": 0, "parsekg": 4}


@pytest.mark.slow
def test_a_text_of_fifty_megabytes_is_read_cut_and_stored(tmp_path: Path) -> None:
    """All that happens before the models: it takes seconds, and what was stored is the text."""
    folder = write(tmp_path / "docs", {})
    line = "The keeper of pier {} counted {} ships and {} gulls before the fog came in from the Sable Coast.\n"
    with (folder / "log.txt").open("w", encoding="utf-8") as file:
        written = number = 0
        while written < 50 * MEGABYTE:
            written += file.write(line.format(number, number * 7 % 1000, number * 13 % 1000))
            number += 1
    began = time.monotonic()
    with Record.create_or_open(tmp_path / "an.index") as record:
        tally = Ingest(record=record, chunking=Chunking()).run([folder])
        assert (tally.added, tally.skipped) == (1, [])
        passages = record.count_passages()
        assert passages > 10_000
        numbers = record.numbers().tolist()
        (first, last) = record.passages([numbers[0], numbers[-1]])
        assert first.text.startswith("The keeper of pier 0 counted")
        assert last.text.endswith("from the Sable Coast.")
        assert Ingest(record=record, chunking=Chunking()).run([folder]).unchanged == 1
    with Polyhop(tmp_path / "an.index") as engine:
        forecast = engine.index(folder, dry_run=True)
    assert [layer.extracted for layer in forecast.layers] == [passages, passages]
    assert all(layer.seconds > 60 for layer in forecast.layers), "the dry run warns of what is to come"
    assert time.monotonic() - began < 120


def test_files_that_cannot_be_read_are_named_with_the_reason_and_the_others_are_indexed(
    fresh: Polyhop, harbour: Path
) -> None:
    (harbour / "picture.txt").write_bytes(bytes(range(256)) * 64)
    (harbour / "broken.docx").write_bytes(b"PK\x03\x04 and then nothing")
    (harbour / "broken.pdf").write_bytes(b"%PDF-1.7\nnonsense")
    (harbour / "empty.md").write_bytes(b"")
    (harbour / "blank.txt").write_text(" \n\n\t")
    (harbour / "program.exe").write_bytes(b"MZ")
    (harbour / "list.json").write_text("[1, 2")
    report = fresh.index(harbour)
    assert report.added == 4
    named = reasons(report)
    assert set(named) == {
        *("picture.txt", "broken.docx", "broken.pdf", "empty.md", "blank.txt", "program.exe", "list.json"),
    }
    assert named["empty.md"] == named["blank.txt"] == "is empty"
    assert "files ending in .exe are not read" in named["program.exe"]
    assert all(reason.strip() for reason in named.values())
    assert reasons(fresh.index(harbour)) == named, "and again, as long as they are there"
    assert found(fresh, "lighthouse of Quillmouth") == ["quillmouth"]


def test_a_bad_line_is_named_by_its_number_and_the_rest_is_indexed(fresh: Polyhop, tmp_path: Path) -> None:
    lines = [
        '{"id": "a", "title": "Grebe", "text": "The grebe dives."}',
        '{"id": "b", "title": "Gull", "text": "The gull cries',
        "",
        '{"id": "c", "title": "Tern"}',
        "[1, 2]",
        '{"id": "d", "title": "Swan", "text": "The swan sleeps."}',
        '{"id": "a", "title": "Grebe again", "text": "Another with the same id."}',
    ]
    folder = write(tmp_path / "docs", {"birds.jsonl": "\n".join(lines)})
    report = fresh.index(folder)
    assert report.added == 2
    said = [(Path(skipped.uri).name, re.split(r":| text, content", skipped.reason)[0]) for skipped in report.skipped]
    assert said == [
        ("birds.jsonl#2", "line 2 is not JSON"),
        ("birds.jsonl#4", "line 4 has no text in any of the fields"),
        ("birds.jsonl#5", "line 5 is not an object"),
        (
            "birds.jsonl#a",
            "has the id 'a', as {}#a does; give each an id of its own".format((folder / "birds.jsonl").as_posix()),
        ),
    ]
    assert sorted(found(fresh, "grebe swan gull")) == ["Grebe", "Swan"]


def test_a_file_that_breaks_keeps_what_it_said_before(fresh: Polyhop, harbour: Path) -> None:
    """An editor that is still writing is no reason to forget."""
    fresh.index(harbour)
    (harbour / "fennick.txt").write_bytes(bytes(range(256)) * 64)
    report = fresh.index(harbour)
    assert report.removed == 0
    assert list(reasons(report)) == ["fennick.txt"]
    assert found(fresh, "late trains") == ["fennick"]
    write(harbour, {"fennick.txt": "Fennick is a ruin."})
    assert fresh.index(harbour).changed == 1


def test_nul_bytes_do_no_harm(fresh: Polyhop, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {"nul.txt": "The grebe\0 dives in the Oar. " * 20 + "\0"})
    write(folder, {"row.jsonl": json.dumps({"id": "x\0y", "title": "A\0B", "text": "The tern\0 dives too."})})
    report = fresh.index(folder)
    assert report.added == 2
    for bird in ("grebe", "tern"):
        (passage,) = fresh.search(bird, strategy="bm25").passages
        assert "\0" not in passage.text + passage.title + passage.id
    assert fresh.search("grebe\0dives", strategy="bm25").passages


TONGUES = {
    "雨の町.txt": ("雨の町には古い灯台がある。灯台は山田花子が建てた。", "灯台"),
    "老桥.md": ("老桥建于1297年，由石匠李明修建。", "石匠"),
    "옛다리.txt": ("옛 다리는 강 위에 있다. 석공이 다리를 지었다.", "석공이"),
    "הגשר.txt": ("הגשר הישן נבנה בשנת 1297 על ידי דן כהן.", "הגשר"),
    "الجسر.txt": ("بنى الجسر القديم المهندس سامي حداد عام 1297.", "الجسر"),
    "สะพาน.txt": ("สะพานเก่าสร้างโดยช่างหิน", "ช่างหิน"),
    "мост.txt": ("Старый мост построил каменщик Иван Белов.", "каменщик"),
    "emoji.txt": ("The 🌉 was painted by Zoë Ångström — naïvely.", "angstrom"),
}


def test_text_in_any_script_is_found_and_quoted(fresh: Polyhop, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {name: text for name, (text, _) in TONGUES.items()})
    assert fresh.index(folder).added == len(TONGUES)
    for name, (text, word) in TONGUES.items():
        best = fresh.search(word, strategy="bm25").passages[0]
        assert best.title == Path(name).stem
        assert best.text == text
        with Record.open(fresh.path) as record:
            assert record.document(best.document_id).text[best.start : best.end] == text
    for question in ("Who built the old bridge?", "灯台は誰が建てた？", "من بنى الجسر؟"):
        for strategy in ("dense", "hybrid", "paths"):
            assert fresh.search(question, strategy=strategy).passages


def test_other_encodings_are_recognised(fresh: Polyhop, tmp_path: Path) -> None:
    folder = write(tmp_path / "docs", {})
    (folder / "latin.txt").write_bytes("Zoë Ångström baute die Brücke über den Fluß für später. ".encode("cp1252") * 5)
    (folder / "wide.txt").write_text("Мост построил каменщик.", encoding="utf-16")
    assert fresh.index(folder).added == 2
    assert found(fresh, "Brücke") == ["latin"]
    assert found(fresh, "каменщик") == ["wide"]


def test_odd_names_of_files_and_folders(fresh: Polyhop, tmp_path: Path) -> None:
    names = [
        "with space.txt",
        "quote'\".txt",
        "per%20c.txt",
        "ünï — 雨.txt",
        "-rf.txt",
        "#1.txt",
        "a" * 99 + ".txt",
    ]
    names = [name for name in names if os.name == "posix" or not set(name) & set('"')]
    folder = write(tmp_path / "docs", {name: f"Bird number {place}." for place, name in enumerate(names)})
    assert fresh.index(folder).added == len(names)
    assert fresh.index(folder).unchanged == len(names)
    for place, name in enumerate(names):
        report = fresh.remove(name)
        assert len(report.removed) == 1, name
        assert fresh.status().documents == len(names) - place - 1


def test_a_path_that_does_not_exist_is_refused_before_anything_is_made(fresh: Polyhop, harbour: Path) -> None:
    for dry_run in (True, False):
        with pytest.raises(UsageError, match="no file or folder"):
            fresh.index(harbour, harbour / "nowhere", dry_run=dry_run)
    assert not fresh.path.exists()


def test_the_same_folder_twice_or_in_parts_is_read_once(fresh: Polyhop, harbour: Path) -> None:
    report = fresh.index(harbour, harbour, harbour / "fennick.txt", harbour / ".." / harbour.name)
    assert (report.added, report.skipped) == (4, ())


def rows(folder: Path, count: int = 150) -> Path:
    lines = (
        json.dumps({"id": f"r{n}", "title": f"Entry {n}", "text": f"Ada Brisk saw {n} gulls at Tarn Bay."})
        for n in range(count)
    )
    return write(folder, {"log.jsonl": "\n".join(lines)})


@may_mount
@pytest.mark.parametrize("free", [0, 160, 550, 800])
def test_a_full_disk_is_said_and_when_there_is_room_the_same_command_completes(
    run: Run, tmp_path: Path, free: int
) -> None:
    """It fills while reading, while a layer commits, or while it is gathered; whatever was stored is kept."""
    folder = rows(tmp_path / "docs")
    with small_disk(tmp_path / "disk", kibibytes=8192) as disk:
        ballast = disk / "ballast"
        with suppress(OSError):
            ballast.write_bytes(b"\0" * (8192 - free) * 1024)
        index = disk / "an.index"
        full = run("index", folder, "--index", index)
        assert full.code == 7
        assert full.out == ""
        assert "Error: " in full.err
        assert "Free some space" in full.err
        assert "the same command again" in full.err
        ballast.unlink()
        done = run("index", folder, "--index", index, "--json")
        assert done.code == 0
        assert done.json()["passages"] == 150
        status = run("status", "--index", index, "--json").json()
        assert [(layer["done"], layer["missing"]) for layer in status["layers"]] == [(150, 0), (150, 0)]
        assert "Entry 7 " in run("search", "Entry 7", "--strategy", "bm25", "--index", index).out
        with Record.open(index) as record:
            record.verify()


@may_mount
def test_a_read_only_disk_can_be_asked_but_not_written(tmp_path: Path, harbour: Path) -> None:
    with small_disk(tmp_path / "disk", kibibytes=8192) as disk:
        index = disk / "an.index"
        with Polyhop(index, settings=QUICK) as engine:
            engine.index(harbour)
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        write(harbour, {"new.txt": "A gull sat on the lighthouse."})
        for command in (("index", harbour), ("remove", "fennick.txt")):
            refused = cli(*command, "--index", index)
            assert refused.returncode == 7
            assert "cannot be written" in refused.stderr
            assert "make the folder writable" in refused.stderr
        new = cli("index", harbour, "--index", disk / "new.index")
        assert new.returncode == 7
        with Polyhop(index, settings=QUICK) as engine:
            assert engine.index(harbour, dry_run=True).added == 1
            assert engine.status().documents == 4
            for strategy in ("bm25", "dense", "hybrid", "paths", "translator"):
                assert engine.search("Who built the lighthouse of Quillmouth?", strategy=strategy).passages


def test_two_index_at_once_one_is_told_and_one_that_waits_gets_its_turn(tmp_path: Path) -> None:
    folder, index = rows(tmp_path / "docs", 300), tmp_path / "an.index"
    first = subprocess.Popen(
        [*MODULE, "index", str(folder), "--index", str(index)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    while first.poll() is None and not (index / "record.sqlite").exists():
        time.sleep(0.01)
    second = cli("index", folder, "--index", index)
    assert second.returncode == 5
    assert f"is being written to by process {first.pid}" in second.stderr
    assert "Wait until it has finished" in second.stderr
    waiting = cli("index", folder, "--index", index, "--wait", "120", "--json")
    first.communicate()
    assert first.returncode == 0
    assert waiting.returncode == 0
    assert json.loads(waiting.stdout)["unchanged"] == 300


@pytest.mark.skipif(os.name != "posix", reason="links are POSIX here")
def test_links_that_lead_in_circles_end(fresh: Polyhop, harbour: Path) -> None:
    (harbour / "again").symlink_to(harbour, target_is_directory=True)
    (harbour / "self").symlink_to(harbour / "self")
    os.mkfifo(harbour / "pipe.txt")
    report = fresh.index(harbour)
    assert report.added == 4
    assert set(reasons(report)) == {"again", "self", "pipe.txt"}


def test_a_folder_that_vanishes_while_it_is_read_is_survived(fresh: Polyhop, harbour: Path) -> None:
    """Files come and go while a long run reads."""
    many = {f"gull{number:03}.txt": f"Gull number {number}." for number in range(250)}
    write(harbour / "gulls", many)
    gone = False

    def sweep(step: object) -> None:
        nonlocal gone
        if not gone:
            shutil.rmtree(harbour / "gulls")
            gone = True

    report = fresh.index(harbour, layers=["text"], progress=sweep)
    assert report.documents <= 254
    assert fresh.index(harbour).documents == 4
