"""The questions layer in rough hands: every mistake and every fault ends in one clear error, and loses nothing."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import UsageError
from polyhop.store.record import Record
from tests.worlds.commands import MODULE, Run
from tests.worlds.documents import write
from tests.worlds.endpoint import EndpointServer, Played, refuses, says, serving

LOGBOOK = {
    "fennick.txt": "Ada Brisk was born in Fennick in 1871. She designed the lighthouse at Tarn Bay.",
    "tarn.txt": "Piet Rook was born in Tarn Bay in 1880. He kept the lighthouse for thirty years.",
}
QUESTION = "Where was Ada Brisk born?"


@pytest.fixture
def logbook(tmp_path: Path) -> Path:
    """Two documents, each a passage."""
    return write(tmp_path / "docs", LOGBOOK)


def answering(request: dict[str, Any]) -> Played:
    """A language model that knows one question of each passage."""
    who = "Ada Brisk" if "Ada Brisk" in request["messages"][1]["content"] else "Piet Rook"
    return says(json.dumps({"pairs": [{"passage": 1, "question": "Who was born there?", "answer": who}]}))


@pytest.fixture
def endpoint() -> Iterator[EndpointServer]:
    """A language model over HTTP that answers as it should."""
    with serving(answering) as server:
        yield server


def by_model(server: EndpointServer, place: Path) -> list[str]:
    """What has the questions written by a server, a passage a call."""
    settings = {
        "models.language_model": "openai",
        "language_model.base_url": server.url,
        "language_model.model": "sage",
        "language_model.cache": place / "cache",
        "language_model.concurrency": 1,
        "layers.questions.generator": "language_model",
        "layers.questions.passages_a_call": 1,
    }
    return [part for name, value in settings.items() for part in ("--set", f"{name}={value}")]


def index(run: Run, logbook: Path, *more: str | Path, layers: str = "text,questions") -> Any:
    return run("index", logbook, "--index", logbook.parent / "an.index", "--layers", layers, *more)


@pytest.mark.parametrize(
    ("setting", "near"),
    [("layers.question.generator=template", "questions"), ("strategies.qcgg.alpha=0.5", "qcg")],
)
def test_a_setting_of_nothing_that_exists_is_refused(
    run: Run, logbook: Path, tmp_path: Path, setting: str, near: str
) -> None:
    """Such a setting would change nothing, and nobody would notice; a settings file is no different."""
    path, _, value = setting.partition("=")
    section, _, key = path.rpartition(".")
    file = tmp_path / "polyhop.toml"
    file.write_text(f'[{section}]\n{key} = "{value}"\n')
    for more in (("--set", setting), ("--config", file)):
        refused = index(run, logbook, *more)
        assert (refused.code, refused.out) == (2, "")
        assert section in refused.err
        assert f"Did you mean '{near}'?" in refused.err
    assert not (tmp_path / "an.index").exists()


def test_waiting_for_no_number_of_seconds_is_refused(run: Run, logbook: Path, tmp_path: Path) -> None:
    refused = index(run, logbook, "--wait", "nan")
    assert (refused.code, refused.out) == (2, "")
    assert "must be a number" in refused.err
    with pytest.raises(UsageError, match="must be a number"):
        Record.create_or_open(tmp_path / "another.index", wait=float("nan"))


def test_a_cap_without_a_language_model_says_how_questions_come_to_ask_one(run: Run, logbook: Path) -> None:
    refused = index(run, logbook, "--max-tokens", "5")
    assert refused.code == 2
    assert "--layers text,parsekg,questions --set layers.questions.generator=language_model" in refused.err


def test_what_a_server_says_and_what_was_stored_are_two_sentences(
    run: Run, logbook: Path, tmp_path: Path, endpoint: EndpointServer
) -> None:
    endpoint.script = lambda _: refuses(402, "quota exceeded")
    refused = index(run, logbook, *by_model(endpoint, tmp_path))
    assert (refused.code, refused.out) == (9, "")
    assert "quota exceeded. Layer questions: 0 of 2 passages were done before and are stored." in refused.err


def test_passages_that_failed_say_how_the_model_is_asked_anew(
    run: Run, logbook: Path, tmp_path: Path, endpoint: EndpointServer
) -> None:
    """Its answers are kept, those that are of no use, too: the same command alone would read them again for ever."""
    asking = by_model(endpoint, tmp_path)
    endpoint.script = lambda _: says("I would rather not.")
    failed = index(run, logbook, *asking)
    assert failed.code == 0
    assert "0 passages done, 0 up to date, 2 failed" in failed.out
    assert "--set language_model.seed=1" in failed.err
    endpoint.script, asked = answering, len(endpoint.requests)
    again = index(run, logbook, *asking)
    assert "2 failed" in again.out
    assert len(endpoint.requests) == asked
    anew = index(run, logbook, *asking, "--set", "language_model.seed=1")
    assert "2 passages done, 0 up to date;" in anew.out
    assert "seed" not in anew.err
    assert len(endpoint.requests) == asked + 2
    assert "0 passages done, 2 up to date;" in index(run, logbook, *asking).out, "a seed makes no layer stale"


@pytest.mark.skipif(os.name != "posix", reason="signals are POSIX")
@pytest.mark.parametrize(("how", "code"), [(signal.SIGKILL, -signal.SIGKILL), (signal.SIGINT, 130)])
def test_a_run_that_is_ended_between_calls_pays_for_no_answer_twice(
    run: Run, tmp_path: Path, endpoint: EndpointServer, how: signal.Signals, code: int
) -> None:
    """Four passages, a call each. Only the call under way when it ended may be made again."""
    towns = {f"{place}.txt": f"Ada Brisk wrote to Piet Rook of {place}." for place in ("Asper", "Bere", "Cole", "Dun")}
    logbook = write(tmp_path / "letters", towns)
    asking = by_model(endpoint, tmp_path)
    undisturbed = index(run, logbook, *asking, "--index", tmp_path / "whole.index", layers="questions")
    assert "4 passages done" in undisturbed.out
    shutil.rmtree(tmp_path / "cache")
    endpoint.requests.clear()
    endpoint.script = lambda request: replace(answering(request), delay=2.0 if len(endpoint.requests) == 3 else 0.0)
    command = [*MODULE, "index", logbook, "--index", tmp_path / "an.index", "--layers", "questions", *asking]
    process = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while process.poll() is None and len(endpoint.requests) < 3:
        time.sleep(0.005)
    process.send_signal(how)
    _, err = process.communicate(timeout=60)
    assert process.returncode == code
    assert b"Traceback" not in err
    rest = index(run, logbook, *asking, layers="questions")
    assert "2 passages done, 2 up to date;" in rest.out
    assert len(endpoint.requests) <= 5
    held = []
    for name in ("whole.index", "an.index"):
        with Record.open(tmp_path / name) as record:
            record.verify()
            held.append((dict(record.payloads("questions")), record.generation("questions")))
    assert held[0] == held[1]


@pytest.mark.parametrize("damage", ["no folder of generations", "a file for the layer", "a file for the generation"])
def test_a_layer_whose_folder_is_gone_is_gathered_again(run: Run, logbook: Path, tmp_path: Path, damage: str) -> None:
    """Nothing is extracted again: what is stored is stored."""
    place = tmp_path / "an.index" / "generations"
    asked = ("ask", QUESTION, "--strategy", "qcg", "--json", "--index", tmp_path / "an.index")
    index(run, logbook)
    before = run(*asked).json()
    (generation,) = (place / "questions").iterdir()
    broken = {"no folder of generations": place, "a file for the layer": place / "questions"}.get(damage, generation)
    shutil.rmtree(broken)
    if damage != "no folder of generations":
        broken.write_text("not a folder")
    refused = run(*asked[:4], *asked[5:])
    assert (refused.code, refused.out) == (6, "")
    assert "index the same documents again" in refused.err
    assert "Layer questions: 0 passages done, 2 up to date;" in index(run, logbook).out
    assert run(*asked).json()["citations"] == before["citations"]


def test_after_everything_was_removed_nothing_is_found(run: Run, logbook: Path, tmp_path: Path) -> None:
    index(run, logbook)
    assert run("remove", *LOGBOOK, "--index", tmp_path / "an.index").code == 0
    for strategy in ("qcg", "d2q", "d2q(alpha=0.8)", "qcg(nodes=sentence)"):
        nothing = run("ask", QUESTION, "--strategy", strategy, "--index", tmp_path / "an.index")
        assert nothing.code == 3
        assert not any(line and not line.strip() for line in nothing.out.splitlines())
    with Polyhop(tmp_path / "an.index") as engine:
        assert engine.status().passages == 0


def test_a_question_of_ten_thousand_letters_is_shown_in_part(run: Run, logbook: Path, tmp_path: Path) -> None:
    index(run, logbook)
    shown = run("ask", "x" * 10_000, "--strategy", "qcg", "--index", tmp_path / "an.index")
    assert shown.code == 3
    assert max(map(len, shown.out.splitlines())) < 500


def test_sentences_that_matched_are_shown_without_a_question(run: Run, logbook: Path, tmp_path: Path) -> None:
    index(run, logbook, layers="text")
    shown = run("ask", QUESTION, "--strategy", "qcg(nodes=sentence)", "--index", tmp_path / "an.index")
    assert "asked there: Ada Brisk was born in Fennick in 1871." in shown.out
