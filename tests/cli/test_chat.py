"""A chat on the command line: lines of standard input, each a question or a command."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.types import Answer
from tests.worlds.commands import Run

QUICK = ("--set", "strategies.paths.depth=4", "--set", "strategies.paths.starts=2")


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What standard input holds."""
    lines = io.StringIO()
    monkeypatch.setattr("sys.stdin", lines)
    return lines


def type_in(typed: io.StringIO, *lines: str) -> None:
    typed.write("".join(f"{line}\n" for line in lines))
    typed.seek(0)


def test_a_question_is_understood_after_those_before_it(run: Run, world_index: Path, typed: io.StringIO) -> None:
    type_in(typed, "Who designed Harrowmere Lighthouse?", "", "And where was she born?", "/sources")
    said = run("chat", "--index", world_index, *QUICK)
    assert said.code == 0
    assert "(Where was Edda Marrish born?)" in said.out
    assert "Pellingrove" in said.out
    assert "hop 1" in said.out


def test_a_mistake_ends_an_answer_and_not_the_chat(run: Run, world_index: Path, typed: io.StringIO) -> None:
    type_in(typed, "/sources", "/sauces", "/strategy nix", "?!", "/strategy bm25", "/new", "Where was she born?")
    said = run("chat", "--index", world_index, *QUICK)
    assert said.code == 0
    assert "Nothing was answered yet." in said.out
    assert "Did you mean '/sources'?" in said.err
    assert "no strategy named 'nix'" in said.err
    assert "The question has no words." in said.err
    assert "Strategy: bm25" in said.out


def test_ctrl_c_stops_an_answer_and_not_the_chat(
    run: Run, world_index: Path, typed: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_of = Polyhop.ask

    def ask(self: Polyhop, question: str, **options: object) -> Answer:
        if question.startswith("Stop"):
            raise KeyboardInterrupt
        return answer_of(self, question, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Polyhop, "ask", ask)
    type_in(typed, "Stop me", "Who designed Harrowmere Lighthouse?")
    said = run("chat", "--index", world_index, *QUICK)
    assert said.code == 0
    assert "Stopped." in said.err
    assert "Edda Marrish" in said.out


def test_a_chat_without_an_index_is_refused_before_anybody_types(run: Run, tmp_path: Path) -> None:
    assert run("chat", "--index", tmp_path / "none.index").code == 4
