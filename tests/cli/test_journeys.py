"""Journeys along the command line: what a user types, sees, and gets as an exit code."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from polyhop import __version__, registry
from polyhop.cli.main import polyhop
from tests.worlds.commands import MODULE, Outcome, Run
from tests.worlds.documents import BRIDGE, HARBOUR, write

QUICK = ("--set", "strategies.paths.depth=4", "--set", "strategies.paths.starts=2")


def beside(*arguments: str | Path, **environment: str) -> Outcome:
    """Runs a command in a process of its own."""
    command = [*MODULE, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, check=False, env={**os.environ, **environment})
    return Outcome(done.returncode, done.stdout.decode(errors="replace"), done.stderr.decode(errors="replace"))


def test_the_journey_of_a_first_day(run: Run, harbour: Path, tmp_path: Path) -> None:
    """Index, look, ask, search, change, index again, remove: each step says what it did."""
    index = tmp_path / "my.index"
    first = run("index", harbour, "--index", index)
    assert first.code == 0
    assert "Documents: 4 added, 0 changed, 0 unchanged, 0 removed, 0 duplicates, 0 skipped." in first.out
    assert "Layer text: 4 passages done, 0 up to date" in first.out
    assert re.search(r"holds 4 documents, 4 passages, \d+ entities", first.out)

    status = run("status", "--index", index)
    assert status.code == 0
    assert "4 documents, 4 passages" in status.out
    assert "layer parsekg: 4 done, 0 missing, 0 stale, 0 failed" in status.out

    found = run("search", "the lighthouse of Quillmouth", "--k", "2", "--strategy", "bm25", "--index", index)
    assert found.code == 0
    assert found.out.lstrip().startswith("1. quillmouth")
    assert "quillmouth.txt [0:" in found.out
    assert "strategy bm25" in found.out

    answer = run("ask", "Where was Ada Brisk born?", "--trace", "--index", index, *QUICK)
    assert answer.code == 0
    assert "Fennick" in answer.out.splitlines()[0]
    assert "ada_brisk.txt [" in answer.out
    assert "strategy auto, reader trained" in answer.out
    assert "Trace" in answer.out

    write(harbour, {"fennick.txt": "Fennick is a ruin."})
    planned = run("index", harbour, "--index", index, "--dry-run")
    assert "1 would be changed, 3 unchanged" in planned.out
    assert "1 passage to do, 3 up to date" in planned.out
    again = run("index", harbour, "--index", index)
    assert "0 added, 1 changed, 3 unchanged" in again.out

    gone = run("remove", "fennick.txt", "nowhere.txt", "--index", index)
    assert gone.code == 0
    assert "Removed 1 document with 1 passage." in gone.out
    assert "not in the index: nowhere.txt" in gone.err
    assert run("remove", "nowhere.txt", "--index", index).code == 1


def test_what_is_one_is_said_as_one(run: Run, tmp_path: Path) -> None:
    """And a duplicate is a duplicate, and is not counted a second time among what was skipped."""
    said = "# Kestowen\n\nKestowen is a town. Its quarries are old."
    docs = write(tmp_path / "docs", {"kestowen.md": said, "copy.md": said, "empty.txt": ""})
    index = tmp_path / "my.index"
    first = run("index", docs, "--index", index)
    assert "Documents: 1 added, 0 changed, 0 unchanged, 0 removed, 1 duplicate, 1 skipped." in first.out
    assert "Layer text: 1 passage done, 0 up to date" in first.out
    assert "holds 1 document, 1 passage, 1 entity (" in first.out
    assert "text: 1 of 1 passage" in first.err
    status = run("status", "--index", index)
    assert "\n1 document, 1 passage, 1 entity\n" in status.out
    assert "1 document, 1 passage at " in run("doctor", "--index", index).out


def test_what_eval_is_asked_to_write_as_json_does_not_make_its_errors_json(run: Run, tmp_path: Path) -> None:
    """Its --json names a file; that of other commands asks for JSON, errors among it."""
    refused = run("eval", tmp_path / "none", "--json", tmp_path / "out.json")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.startswith("Error: ")
    assert run("health", "--json", "--index", tmp_path / "none").json()["error"] == "IndexMissing"


def test_what_is_not_in_the_documents_is_not_answered(run: Run, world_index: Path) -> None:
    outcome = run("ask", "What is the capital of Mars?", "--index", world_index, *QUICK)
    assert outcome.code == 3
    assert outcome.out.startswith("Not found in these documents. What came closest:")
    as_json = run("ask", "What is the capital of Mars?", "--json", "--index", world_index, *QUICK)
    assert as_json.code == 3
    assert (as_json.json()["text"], as_json.json()["status"]) == (None, "not found")


def test_each_thing_that_is_asked_has_a_line(run: Run, world_index: Path) -> None:
    question = "How high is Harrowmere Lighthouse, and what is the capital of Mars?"
    first, second = run("ask", question, "--index", world_index, *QUICK).out.splitlines()[:2]
    assert re.fullmatch(r"How high is Harrowmere Lighthouse\?  46 metres   \d\d% sure", first)
    assert second.startswith("What is the capital of Mars?  not found in these documents")


def test_json_says_all_that_the_library_says(run: Run, world_index: Path, world: Path) -> None:
    answer = run("ask", "Who invented the lissandra?", "--json", "--index", world_index, *QUICK).json()
    assert "Ombry" in answer["text"]
    assert answer["citations"]
    for citation in answer["citations"]:
        assert len(citation["quote"]) == citation["span"]["end"] - citation["span"]["start"]
    assert answer["evidence"]["strategy"] == "auto"
    assert answer["evidence"]["cost"]["tokens"] == 0

    found = run("search", BRIDGE, "--strategy", "bm25", "--k", "3", "--json", "--index", world_index).json()
    assert [passage["score"] for passage in found["passages"]] == sorted(
        (passage["score"] for passage in found["passages"]), reverse=True
    )
    assert len(found["passages"]) == 3
    assert all(Path(passage["uri"]).is_file() for passage in found["passages"])

    status = run("status", "--json", "--index", world_index).json()
    assert status["documents"] > 14
    assert [layer["name"] for layer in status["layers"]] == ["facts", "parsekg", "questions", "text", "tree"]

    forecast = run("index", world, "--dry-run", "--json", "--index", world_index).json()
    assert forecast["dry_run"] is True
    assert forecast["added"] == 0

    listed = run("strategies", "--json").json()
    assert tuple(row["name"] for row in listed) == registry.names("strategies")
    assert all(row["about"] for row in listed)
    assert [row["name"] for row in listed if not row["needs"]] == ["closed-book"]


def test_json_of_index_and_remove(run: Run, harbour: Path, tmp_path: Path) -> None:
    write(harbour, {"bad.jsonl": "nonsense\n"})
    report = run("index", harbour, "--json", "--index", tmp_path / "my.index")
    assert report.err == ""
    assert (report.json()["added"], report.json()["passages"]) == (4, 4)
    assert "line 1 is not JSON" in report.json()["skipped"][0]["reason"]
    removed = run("remove", "fennick.txt", "nowhere.txt", "--json", "--index", tmp_path / "my.index").json()
    assert (removed["passages"], removed["missing"]) == (1, ["nowhere.txt"])


@pytest.mark.parametrize(
    ("arguments", "code", "message", "remedy"),
    [
        (("ask", "Who?", "--index", "{tmp}/no.index"), 4, "There is no index at", "polyhop index"),
        (("search", "Who?", "--index", "{tmp}/no.index"), 4, "There is no index at", "polyhop index"),
        (("status", "--index", "{tmp}/no.index"), 4, "There is no index at", "polyhop index"),
        (("remove", "a.txt", "--index", "{tmp}/no.index"), 4, "There is no index at", "polyhop index"),
        (("ask", "Who?", "--index", "{tmp}/a.txt"), 6, "is not a folder", "--index"),
        (("index", "{tmp}/a.txt", "--index", "{tmp}/a.txt"), 6, "is not a folder", "--index"),
        (("ask", "?!", "--index", "{world}"), 2, "The question has no words", "Ask something"),
        (("ask", "Who?", "--strategy", "path", "--index", "{world}"), 2, "named 'path'", "Did you mean 'paths'?"),
        (("ask", "Who?", "--set", "strategy.dept=1", "--index", "{world}"), 2, "no setting 'dept'", "'depth'"),
        (("ask", "Who?", "--set", "models.embedder=minilm", "--index", "{world}"), 2, "embedded with", "polyhop index"),
        (("ask", "Who?", "--set", "modles.embedder=x", "--index", "{world}"), 2, "no section 'modles'", "'models'"),
        (("ask", "Who?", "--set", "nonsense", "--index", "{world}"), 2, "'nonsense' is not a setting", "section.key"),
        (("ask", "Who?", "--config", "{tmp}/no.toml", "--index", "{world}"), 2, "no settings file", ""),
        (("index", "{tmp}/no", "--index", "{tmp}/new.index"), 2, "There is no file or folder", "Check the path"),
        (("index", "{tmp}", "--layers", "txt", "--index", "{tmp}/new.index"), 2, "no layer named 'txt'", "'text'"),
        (("eval", "{tmp}"), 2, "questions.jsonl does not exist", "one question a line"),
        (("models", "install", "gpt"), 2, "gpt", "smollm2"),
        (
            ("ask", "Who?", "--strategy", "translator", "--set", "models.cache={tmp}/none", "--index", "{world}"),
            *(8, "smollm2", "polyhop models install"),
        ),
    ],
    ids=lambda item: " ".join(item) if isinstance(item, tuple) else "",
)
def test_errors_are_explained_on_standard_error_with_a_remedy_and_a_code(
    run: Run,
    tmp_path: Path,
    world_index: Path,
    arguments: tuple[str, ...],
    code: int,
    message: str,
    remedy: str,
) -> None:
    (tmp_path / "a.txt").write_text("Some text.")
    filled = [argument.format(tmp=tmp_path, world=world_index) for argument in arguments]
    outcome = run(*filled)
    assert outcome.code == code
    assert outcome.out == ""
    assert outcome.err.startswith("Error: ")
    assert message in outcome.err
    assert remedy in outcome.err
    assert not (tmp_path / "new.index").exists()
    if filled[0] in ("ask", "search", "status", "remove", "index"):
        as_json = run(*filled, "--json")
        assert as_json.code == code
        assert message in as_json.json()["message"]
        assert remedy in as_json.json()["remedy"]


def test_a_model_that_is_not_installed_is_named_with_the_command_that_installs_it(
    run: Run, harbour: Path, tmp_path: Path
) -> None:
    index = tmp_path / "my.index"
    without = ("--set", "models.embedder=minilm", "--set", f"models.cache={tmp_path}")
    outcome = run("index", harbour, *without, "--index", index)
    assert outcome.code == 8
    assert "Install it with: polyhop models install minilm" in outcome.err
    assert "4 unchanged" in run("index", harbour, "--index", index).out, "what was read is kept"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ask",), "Missing argument 'QUESTION'"),
        (("index",), "Missing argument 'PATHS...'"),
        (("search", "x", "--k", "0"), "0 is not in the range"),
        (("search", "x", "--k", "many"), "not a valid integer"),
        (("ask", "x", "--passages", "0"), "is not in the range"),
        (("frobnicate",), "No such command 'frobnicate'"),
        (("ask", "x", "--frobnicate"), "No such option"),
    ],
)
def test_wrong_usage_is_said_with_where_to_look(run: Run, arguments: tuple[str, ...], message: str) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert message in outcome.err
    assert "--help" in outcome.err


def commands(group: click.Group, *before: str) -> list[tuple[str, ...]]:
    found = []
    for name, command in group.commands.items():
        found.append((*before, name))
        if isinstance(command, click.Group):
            found += commands(command, *before, name)
    return found


@pytest.mark.parametrize("path", [(), *commands(polyhop)], ids=" ".join)
def test_every_command_has_a_help_that_teaches(run: Run, path: tuple[str, ...]) -> None:
    """An explanation in whole sentences; an example wherever something has to be typed."""
    outcome = run(*path, "--help")
    assert outcome.code == 0
    assert outcome.out.startswith("Usage: ")
    explanation = outcome.out.split("\n\n", 2)[1]
    assert len(explanation.split()) > 5
    asks_for_something = re.search(r"Usage: .*(?:QUESTION|PATHS|URIS|DATASET|COMMAND)", outcome.out)
    if asks_for_something and path != ("models",):
        assert re.search(rf"^\s+polyhop {' '.join(path)}", outcome.out, re.MULTILINE), "an example"
    for line in re.findall(r"^  --?\S.*$", outcome.out, re.MULTILINE):
        assert len(line.split()) > 1
    assert run(*path, "-h").out == outcome.out


def test_the_help_tells_every_command_in_a_whole_sentence(run: Run) -> None:
    """In the order in which commands are met; within 80 columns none is cut off."""
    out = run("--help").out
    listed = out.partition("Commands:\n")[2].splitlines()
    assert [line.split()[0] for line in listed] == list(polyhop.commands)
    assert [line.split()[0] for line in listed[:3]] == ["index", "ask", "chat"]
    assert not [line for line in listed if line.endswith("...")]
    for name, command in polyhop.commands.items():
        if isinstance(command, click.Group):
            assert "...\n" not in run(name, "--help").out.partition("Commands:\n")[2]


def test_an_index_without_documents_says_that_it_has_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    index = tmp_path / "my.index"
    run("index", tmp_path / "docs", "--index", index)
    asked = run("ask", "Who built the lighthouse?", "--index", index)
    assert asked.code == 3
    assert asked.out.startswith("Not found in these documents.\n"), "and nothing came close"
    assert "holds no documents. Add some with: polyhop index" in asked.err
    assert "holds no documents." in run("search", "lighthouse", "--index", index).err


def test_the_version(run: Run) -> None:
    outcome = run("--version")
    assert outcome.code == 0
    assert __version__ in outcome.out


def test_strategies_are_listed_with_what_they_need(run: Run) -> None:
    outcome = run("strategies")
    assert outcome.code == 0
    for name in registry.names("strategies"):
        assert re.search(rf"^{name}\s+\S+", outcome.out, re.MULTILINE)
    assert "needs text, parsekg" in outcome.out
    assert "depth=" in outcome.out


def test_doctor_finds_this_installation_healthy(run: Run, world_index: Path, tmp_path: Path) -> None:
    healthy = run("doctor", "--index", world_index)
    assert healthy.code == 0, healthy.out
    assert "FAIL" not in healthy.out
    assert "passages at" in healthy.out
    checks = {check["check"]: check for check in run("doctor", "--json", "--index", tmp_path / "no.index").json()}
    assert checks["index"]["ok"] is True
    assert "none at" in checks["index"]["finding"]
    assert {"python", "sqlite", "disk", "embedder", "reranker", "span model", "parser"} <= set(checks)


def test_doctor_names_what_is_wrong_and_what_to_do(run: Run, tmp_path: Path, world_index: Path) -> None:
    outcome = run("doctor", "--set", "models.reranker=minilm-l13", "--index", tmp_path / "no.index")
    assert outcome.code == 1
    assert "FAIL reranker" in outcome.out
    assert "Did you mean 'minilm-l12'?" in outcome.out
    gone = run("doctor", "--set", "span_model.folder=gone", "--index", tmp_path / "no.index")
    assert "FAIL span model" in gone.out
    assert "polyhop train reader" in gone.out
    stale = run("doctor", "--set", "models.embedder=minilm", "--index", world_index)
    assert stale.code == 1
    assert "Layers with gaps: text" in stale.out


def test_doctor_counts_documents_whose_files_are_gone(run: Run, tmp_path: Path) -> None:
    """That is no fault: an index answers without them."""
    index = ("--index", tmp_path / "an.index")
    folder = write(tmp_path / "docs", {"ferry.txt": "Piet keeps the ferry.", "rows.jsonl": '{"id": "r1", "text": "A"}'})
    run("index", folder, "--layers", "text", *index)
    assert "without a file" not in run("doctor", *index).out
    folder.rename(tmp_path / "moved")
    examined = run("doctor", *index)
    assert "2 documents without a file any more" in examined.out
    run("index", tmp_path / "moved", "--layers", "text", *index)
    assert "without a file" not in run("doctor", *index).out


def test_models_are_listed_with_size_licence_and_whether_they_are_there(run: Run) -> None:
    outcome = run("models", "list")
    assert outcome.code == 0
    assert re.search(r"^smollm2\s+(installed|missing)\s+\d+ MB\s+\S+", outcome.out, re.MULTILINE)


def test_settings_come_from_a_file_in_the_folder(
    run: Run, harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "polyhop.toml").write_text("[chunking]\ntokens = 16\noverlap = 0\n")
    assert "4 documents, 4 passages" not in run("index", harbour).out
    assert (tmp_path / "polyhop.index").is_dir()
    (tmp_path / "polyhop.toml").write_text("[chunking]\ntoken = 16\n")
    broken = run("status")
    assert broken.code == 2
    assert "Did you mean 'tokens'?" in broken.err
    (tmp_path / "other.toml").write_text("")
    assert run("status", "--config", "other.toml").code == 0


def test_paths_are_shown_relative_to_here(
    run: Run, harbour: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run("index", harbour)
    assert " harbour/quillmouth.txt [0:" in run("search", "lighthouse", "--strategy", "bm25").out


def test_many_skipped_files_are_counted_and_some_named(run: Run, tmp_path: Path) -> None:
    files = {f"{number:02}.jsonl": "nonsense\n" for number in range(25)}
    folder = write(tmp_path / "docs", {**files, **HARBOUR})
    outcome = run("index", folder, "--index", tmp_path / "my.index", "--layers", "text")
    assert outcome.code == 0
    assert "25 skipped." in outcome.out
    assert outcome.out.count("line 1 is not JSON") == 20
    assert "... and 5 more" in outcome.out


def test_eval_compares_strategies_and_writes_what_it_found(run: Run, tmp_path: Path) -> None:
    corpus = "".join(
        json.dumps({"id": name, "title": name.removesuffix(".txt"), "text": text}) + "\n"
        for name, text in HARBOUR.items()
    )
    questions = (
        ("q1", "Where was Ada Brisk born?", "Fennick", "ada_brisk.txt"),
        ("q2", "Who founded the Tarn School?", "Piet Rook", "tarn_school.txt"),
    )
    lines = "".join(
        json.dumps({"id": key, "question": question, "answer": answer, "supporting": [document]}) + "\n"
        for key, question, answer, document in questions
    )
    data = write(tmp_path / "data", {"corpus.jsonl": corpus, "questions.jsonl": lines})
    out, page = tmp_path / "out.json", tmp_path / "out.html"
    outcome = run("eval", data, "--strategy", "bm25,dense", "--json", out, "--report", page, "--retrieval-only")
    assert outcome.code == 0, outcome.err
    assert "bm25" in outcome.out
    assert "dense" in outcome.out
    assert json.loads(out.read_text())
    assert "<html" in page.read_text().lower()
    assert (tmp_path / "data" / "polyhop.index").is_dir()


def test_progress_goes_to_standard_error_and_the_summary_to_standard_output(harbour: Path, tmp_path: Path) -> None:
    outcome = beside("index", harbour, "--index", tmp_path / "my.index")
    assert outcome.code == 0
    assert outcome.out.startswith("Documents: 4 added")
    assert "documents" in outcome.err


@pytest.mark.skipif(os.name != "posix", reason="pipes are POSIX here")
def test_a_reader_that_goes_away_is_no_error(world_index: Path) -> None:
    """As in ``polyhop strategies | head -1``, however much is still to be written."""
    for command in (["strategies"], ["search", "the", "--k", "1000", "--strategy", "bm25", "--json"]):
        if command[0] == "search":
            command += ["--index", str(world_index)]
        reading, writing = os.pipe()
        os.close(reading)
        done = subprocess.run([*MODULE, *command], stdout=writing, stderr=subprocess.PIPE, check=False)
        os.close(writing)
        assert done.stderr == b""
        assert done.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="a Windows console is always Unicode")
@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "utf-8"])
def test_a_terminal_that_cannot_show_every_letter_shows_what_it_can(tmp_path: Path, encoding: str) -> None:
    folder = write(tmp_path / "docs", {"雨.txt": "雨の町には灯台がある — “old”. The lighthouse of Ærø."})
    environment = {"PYTHONIOENCODING": encoding, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    index = tmp_path / "my.index"
    assert beside("index", folder, "--index", index, "--layers", "text", **environment).code == 0
    found = beside("search", "lighthouse", "--strategy", "bm25", "--index", index, **environment)
    assert (found.code, found.err) == (0, "")
    assert "The lighthouse of" in found.out
    as_json = beside("search", "lighthouse", "--strategy", "bm25", "--json", "--index", index, **environment)
    assert "雨の町には灯台がある — “old”." in as_json.json()["passages"][0]["text"], "programs read all of it"


@pytest.mark.skipif(os.name != "posix", reason="arguments on Windows are Unicode")
def test_arguments_that_are_not_utf8_are_survived(world_index: Path) -> None:
    command: list[str | bytes] = [*MODULE, "search", "--strategy", "bm25", "--index", str(world_index)]
    command.append(b"lighthouse caf\xe9")
    done = subprocess.run(command, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    missing = subprocess.run([*MODULE, "status", "--index", b"/caf\xe9"], capture_output=True, check=False)
    assert missing.returncode == 4
    assert b"Traceback" not in missing.stderr
    assert b"There is no index" in missing.stderr


def test_messages_can_be_made_more_talkative(world_index: Path) -> None:
    quiet = beside("status", "--index", world_index)
    loud = beside("-vv", "ask", "?!", "--index", world_index)
    assert quiet.err == ""
    assert loud.code == 2
    assert "Traceback" in loud.err, "who asks for everything gets everything"


def test_help_works_without_a_terminal(monkeypatch: pytest.MonkeyPatch, run: Run) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    assert run().code == 2
    assert "index" in run("--help").out
