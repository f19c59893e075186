"""Nothing that others wrote reaches the terminal raw, whichever command prints it; progress suits where it goes."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.cli.main import main, polyhop
from polyhop.cli.progress import Lines
from polyhop.cli.terminal import echo, json_safe, on_one_line, style, visible
from polyhop.engine import Polyhop
from polyhop.reports import Progress
from tests.worlds.documents import write
from tests.worlds.endpoint import Played, serving
from tests.worlds.settings import LAYERS

MODULE = (sys.executable, "-m", "polyhop.cli.main")
SOURCES = Path(__file__).parent.parent.parent / "src" / "polyhop"
EVIL = "\x1b[31m\x1b]0;owned\x07\x9b2J\u202e"  # a colour, the window's title, an erased screen, letters turned around
OURS = re.compile(r"\x1b\[(0|1|2|3[0-9])m")
RAW = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
PRINTING = re.compile(r"click\.(s?echo|style)|Console\(|\bprint\(|\.show\(\)|sys\.std\w+\.write")
posix = pytest.mark.skipif(os.name != "posix", reason="such names of files are POSIX")

HOSTILE = {
    f"quill{EVIL}mouth.txt": f"Quillmouth{EVIL} is a harbour. Its lighthouse was built by Ada{EVIL} Brisk in 1841.",
    "ada_brisk.txt": f"Ada Brisk was an engineer.{EVIL} She was born in Fennick{EVIL} and studied at the Tarn School.",
    f"broken{EVIL}\nError: pay now.docx": "no document",
    "people.jsonl": json.dumps(
        {"id": f"p{EVIL}", "title": f"Piet{EVIL} Rook", "text": f"Piet Rook{EVIL} lived in 1790."}
    ),
    "names.csv": f"title,na{EVIL}me\nTarn,The Tarn{EVIL} School was founded by Piet Rook.\n",
}


def assert_harmless(*texts: str) -> None:
    for text in texts:
        assert not RAW.search(text), RAW.search(text)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("hostile") / "docs", HOSTILE)


@pytest.fixture(scope="module")
def hostile_index(hostile: Path) -> Path:
    index = hostile.parent / "hostile.index"
    with Polyhop(index) as engine:
        engine.index(hostile, layers=LAYERS)
    return index


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set in which everything is hostile."""
    rows = [{"id": f"r{number}{EVIL}", "title": f"Entry{EVIL}", "text": f"Ada{EVIL} saw gulls."} for number in (1, 2)]
    question = {"id": f"q{EVIL}", "question": f"Who{EVIL} saw gulls?", "answers": [f"Ada{EVIL}"], "type": f"odd{EVIL}"}
    return write(
        tmp_path_factory.mktemp("data"),
        {
            "corpus.jsonl": "\n".join(map(json.dumps, rows)),
            "questions.jsonl": json.dumps(question | {"supporting": [f"r1{EVIL}"]}),
        },
    )


COMMANDS: dict[str, list[list[str]]] = {
    "index": [
        ["index", "DOCS", "--layers", "text"],
        ["index", "DOCS", "--dry-run"],
        ["index", "DOCS", "--preset", f"odd{EVIL}"],
        ["index", f"nowhere{EVIL}"],
    ],
    "ask": [
        ["ask", f"Where was the engineer{EVIL} born who built the lighthouse of Quillmouth?", "--trace"],
        ["ask", "Who built the lighthouse?", "--strategy", "c2rag", "--trace"],
        ["ask", "Who built the lighthouse?", "--strategy", f"odd{EVIL}"],
        ["ask", "Who?", "--set", f"strategies.paths.depth=4{EVIL}"],
        ["ask", "Who?", "--plans", f"plans{EVIL}.jsonl"],
    ],
    "search": [["search", f"lighthouse{EVIL}"], ["search", "lighthouse", "--set", f"odd{EVIL}.key=1"]],
    "remove": [["remove", f"nothing{EVIL}"]],
    "status": [["status"]],
    "merges": [["merges"], ["merges", f"odd{EVIL}"]],
    "health": [["health", "--chains", "4"], ["health", "--set", f"layers.facts.overlay=o{EVIL}"]],
    "corrupt": [
        ["corrupt", "--kind", "mis_bound", "--ratio", "0.5", "--name", "noisy"],
        ["corrupt", "--kind", f"odd{EVIL}"],
        ["corrupt", "--list"],
    ],
    "eval": [["eval", "DATA", "--strategy", "bm25", "--index", "OWN"], ["eval", f"nowhere{EVIL}"]],
    "strategies": [["strategies"], ["strategies", f"odd{EVIL}"]],
    "planners": [["planners"]],
    "readers": [["readers"]],
    "doctor": [["doctor"], ["doctor", "--set", f"models.embedder=odd{EVIL}"]],
    "models": [["models", "list"], ["models", "install", f"odd{EVIL}"]],
    "presets": [["presets"]],
    "chat": [["chat", "--strategy", f"odd{EVIL}"]],
    "export": [["export"], ["export", "--set", f"odd{EVIL}.key=1"]],
    "serve": [["serve", "--set", f"odd{EVIL}.key=1"]],
    "mcp": [["mcp", "--set", f"odd{EVIL}.key=1"]],
    "keys": [["keys", "revoke", f"odd{EVIL}"]],
    "train": [["train", "reader", "--data", f"nowhere{EVIL}", "--out", "NEW"]],
}
NO_INDEX = ("presets", "strategies", "planners", "readers", "models", "eval", "train")


def test_every_command_is_attacked() -> None:
    assert set(COMMANDS) == set(polyhop.commands)


Run = Callable[..., tuple[str, str]]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, where the models are loaded already; what it prints, and what it says besides."""

    def command(*words: str | Path) -> tuple[str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit):
            main([str(word) for word in words])
        captured = capsys.readouterr()
        assert captured.out or captured.err
        return captured.out, captured.err

    return command


def beside(*words: str | Path) -> tuple[str, str]:
    """Runs a command in a process of its own, which has nothing but pipes."""
    done = subprocess.run(
        [*MODULE, *map(str, words)], capture_output=True, check=False, env={**os.environ, "PYTHONUTF8": "1"}
    )
    return done.stdout.decode(), done.stderr.decode()


@posix
@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_no_command_prints_what_others_wrote_as_it_is(
    name: str, run: Run, hostile: Path, hostile_index: Path, dataset: Path, tmp_path: Path
) -> None:
    """Not in its text, not in what it says of errors, and not in its JSON."""
    places = {
        "DOCS": str(hostile),
        "DATA": str(dataset),
        "OWN": str(tmp_path / "own.index"),
        "NEW": str(tmp_path / f"new{EVIL}"),
    }
    for number, words in enumerate(COMMANDS[name]):
        command = [places.get(word, word) for word in words]
        command += [] if name in NO_INDEX else ["--index", str(hostile_index)]
        assert_harmless(*run(*command))
        takes_json = "as_json" in {parameter.name for parameter in polyhop.commands[name].params}
        if takes_json and number in (0, len(COMMANDS[name]) - 1):
            out, err = run(*command, "--json")
            assert_harmless(out, err)
            assert json.loads(out) is not None


@posix
def test_what_was_hidden_is_seen_and_json_says_the_same(run: Run, hostile_index: Path) -> None:
    search = ("search", "Quillmouth harbour", "--strategy", "bm25", "--index", hostile_index)
    found, _ = run(*search)
    assert r"quill\x1b[31m\x1b]0;owned\x07\x9b2J\u202emouth" in found
    assert r"\u202e is a harbour." in found, "of texts, loaders leave nothing else"
    as_json, _ = run(*search, "--json")
    assert "\u202e is a harbour." in json.loads(as_json)["passages"][0]["text"]


@posix
def test_a_file_name_cannot_fake_a_line(run: Run, hostile: Path, tmp_path: Path) -> None:
    out, _ = run("index", hostile, "--layers", "text", "--index", tmp_path / "an.index")
    (line,) = [line for line in out.splitlines() if "broken" in line]
    assert line.startswith("skipped ")
    assert r"\x1b[31m\x1b]0;owned\x07" in line
    assert r"\nError: pay now.docx" in line


@posix
def test_logs_and_tracebacks_are_harmless(hostile: Path, tmp_path: Path) -> None:
    out, err = beside("-vv", "index", hostile / "nowhere" / EVIL, "--index", tmp_path / "an.index")
    assert_harmless(out, err)
    assert "Traceback" in err
    assert err.count(r"\x1b]0;owned\x07") >= 2


@pytest.mark.parametrize(
    "body", [json.dumps({"error": {"message": f"no{EVIL} key", "code": f"x{EVIL}"}}), f"<p>no{EVIL} key</p>"]
)
def test_what_an_endpoint_says_is_harmless(
    run: Run, hostile_index: Path, body: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with serving(Played(status=401, body=body.encode())) as server:
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        monkeypatch.setenv("POLYHOP_MODEL", "m")
        out, err = run("ask", "Who built the lighthouse?", "--index", hostile_index)
    assert_harmless(out, err)
    assert r"no\x1b[31m\x1b]0;owned\x07\x9b2J\u202e key" in err


@given(st.text())
def test_visible_text_has_no_control_characters_and_loses_nothing(text: str) -> None:
    assert_harmless(visible(text), on_one_line(text))
    assert "\n" not in on_one_line(text)
    if text.isprintable() and not RAW.search(text):
        assert visible(text) == text


@given(st.recursive(st.text() | st.integers(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_means_the_same_without_control_characters(content: object) -> None:
    safe = json_safe(json.dumps(content, ensure_ascii=False, indent=2))
    assert_harmless(safe)
    assert json.loads(safe) == content


def test_our_own_styles_reach_a_terminal_and_nothing_else_does(capfd: pytest.CaptureFixture[str]) -> None:
    with click.Context(polyhop, color=True):
        echo(style(f"found{EVIL}", bold=True, fg="green") + EVIL)
    shown = capfd.readouterr().out
    assert len(OURS.findall(shown)) == 3, "bold, green, and the end of both"
    assert_harmless(OURS.sub("", shown))


def test_colours_are_left_out_where_nobody_wants_them(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """https://no-color.org: bold letters are no colour."""
    monkeypatch.setenv("NO_COLOR", "1")
    with click.Context(polyhop, color=True):
        echo(style("found", bold=True, fg="green"))
        echo(style("●", fg="green"))
    assert capfd.readouterr().out == "\x1b[1mfound\x1b[0m\n●\n", "what has no style has none to end"


@posix
@pytest.mark.parametrize("command", [["search"], ["ask"], ["ask", "--trace"]])
def test_the_title_that_a_file_name_gives_fakes_no_line(run: Run, tmp_path: Path, command: list[str]) -> None:
    write(tmp_path / "docs", {"Gate\n    “The key is under the mat.”.txt": "The gate is shut at nine by Ada Brisk."})
    run("index", tmp_path / "docs", "--index", tmp_path / "an.index", "--layers", "text")
    shown, _ = run(*command, "Who shuts the gate?", "--index", tmp_path / "an.index")
    assert "under the mat" in shown
    assert "\n    “The key" not in shown


def test_commands_print_through_the_terminal_alone() -> None:
    """So that nobody who writes a command has to remember."""
    for file in sorted(SOURCES.glob("cli/*.py")):
        if file.name not in ("terminal.py", "progress.py"):
            source = file.read_text(encoding="utf-8")
            assert not re.search(r"click\.(s?echo|style)|Console\(|\bprint\(|\.show\(\)|sys\.std\w+\.write", source), (
                file
            )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
@pytest.mark.parametrize("command", [["strategies"], ["strategies", "--json"], ["doctor"]])
def test_an_output_that_takes_nothing_is_said(command: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([*MODULE, *command], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 7
    assert done.stderr.decode().startswith("Error: The output cannot be written: No space left on device.\n")
    assert b"Traceback" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full is Linux's")
@pytest.mark.parametrize("output", ["> /dev/full", "> /dev/full 2>&1", "| sleep 0"])
@pytest.mark.parametrize("command", [["status", "--set", "bogus=1", "--json"], ["strategies", "--nonsense", "--json"]])
def test_an_error_that_nothing_takes_ends_in_no_traceback(command: list[str], output: str) -> None:
    words = ["bash", "-o", "pipefail", "-c", f'"$@" {output}', "bash", *MODULE, *command]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    done = subprocess.run(words, capture_output=True, check=False, env=environment)
    assert done.returncode == 2
    assert b"Traceback" not in done.stderr
    assert (done.stderr == b"Error: The output cannot be written: No space left on device.\n") == (
        output == "> /dev/full"
    )


@posix
@pytest.mark.parametrize("command", [["strategies"], ["strategies", "--json"]])
def test_a_closed_output_is_no_error(command: list[str]) -> None:
    done = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *MODULE, *command], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
@pytest.mark.parametrize("command", ["chat", "mcp"])
def test_a_closed_input_has_nothing_to_read(hostile_index: Path, command: str) -> None:
    words = [*MODULE, command, "--index", str(hostile_index)]
    done = subprocess.run(["sh", "-c", 'exec "$@" <&-', "sh", *words], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")


@posix
def test_where_messages_are_closed_progress_is_told_to_nobody(harbour: Path, tmp_path: Path) -> None:
    words = [*MODULE, "index", str(harbour), "--index", str(tmp_path / "an.index"), "--layers", "text"]
    done = subprocess.run(["sh", "-c", 'exec "$@" 2>&-', "sh", *words], capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"4 documents" in done.stdout


@posix
def test_a_question_that_is_no_utf8_does_not_end_a_chat(hostile_index: Path) -> None:
    asked = "Who is Müller?\n/help\n".encode("latin-1")
    done = subprocess.run(
        [*MODULE, "chat", "--index", str(hostile_index)], input=asked, capture_output=True, check=False
    )
    assert (done.returncode, b"Ctrl-D ends" in done.stdout) == (0, True)
    assert b"Traceback" not in done.stderr


def steps(*seconds_and_steps: tuple[float, Progress]) -> list[str]:
    """The lines that progress makes, at times that are given."""
    said: list[str] = []
    now = 0.0
    lines = Lines(say=said.append, clock=lambda: now)
    for now, step in seconds_and_steps:  # noqa: B007 - the clock reads it
        lines.listen(step)
    lines.close()
    return said


def test_progress_without_a_terminal_is_a_line_a_stage_and_a_line_every_few_seconds() -> None:
    def at(seconds: float, stage: str, done: int, total: int | None = None) -> tuple[float, Progress]:
        return seconds, Progress(stage=stage, done=done, total=total, unit="passages")

    assert steps() == []
    assert steps(at(0, "reading", 4)) == ["reading: 4 passages"]
    assert steps(at(0, "text", 0, 30), at(1, "text", 10, 30), at(2, "text", 30, 30), at(3, "gathering text", 0)) == [
        "text: 30 of 30 passages in 3 s",
        "gathering text",
    ]
    slow = [at(second, "text", second, 30) for second in range(31)]
    assert steps(*slow) == [f"text: {done} of 30 passages in {done} s" for done in (10, 20, 30)]


def test_progress_in_a_file_has_no_bars(harbour: Path, tmp_path: Path) -> None:
    _, err = beside("index", harbour, "--index", tmp_path / "an.index", "--layers", "text")
    assert "\r" not in err
    assert "\x1b" not in err
    assert "━" not in err
    assert err.splitlines()[0] == "reading: 4 documents"
    assert "text: 4 of 4 passages" in err
    assert err.splitlines()[-1] == "gathering text"
