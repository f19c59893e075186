"""``polyhop merges``: a wrong merge can be seen, undone, and done again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from tests.worlds.documents import write

FILES = {
    "Ada Brisk.txt": "Ada Brisk, known as Ada Patience, was an engineer. Ada Brisk was born in Fennick.",
    "Fennick.txt": "Fennick is a town on the River Oar. Ada Patience built the bridge of Fennick in 1850.",
    "Guild.txt": "The Tarn Society of Surveyors (TSS) was founded by Piet Rook. TSS moved to Fennick in 1860.",
}
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of these files with facts, to be changed at will."""
    folder = tmp_path_factory.mktemp("merges")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", FILES), layers=("parsekg", "facts"))
    return folder / "polyhop.index"


@pytest.fixture
def run(made: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs ``polyhop merges`` on the index; exit code, output, errors."""

    def command(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["merges", *arguments, "--index", str(made)])
        captured = capsys.readouterr()
        assert isinstance(left.value.code, int)
        return left.value.code, captured.out, captured.err

    return command


def listed(run: Run, *names: str) -> dict[str, dict[str, str]]:
    """Each entity that is listed, with the reason of each spelling."""
    code, out, _ = run(*names, "--json")
    assert code == 0
    found: list[dict[str, Any]] = json.loads(out)
    return {merge["name"]: {one["name"]: one["reason"] for one in merge["spellings"]} for merge in found}


def test_merges_are_shown_with_their_reasons_and_where_they_stand(run: Run) -> None:
    code, out, _ = run()
    assert code == 0
    assert "Ada Brisk" in out
    assert "Ada Patience  [alias: known as] in" in out
    assert "Fennick" in out
    assert "have several spellings: " in out
    assert listed(run)["Ada Brisk"]["Ada Patience"] == "alias: known as"
    acronym = listed(run, "TSS")
    assert [set(spellings.values()) for spellings in acronym.values()] == [{"", "alias: acronym"}]


def test_the_list_can_be_kept_short(run: Run) -> None:
    _, out, _ = run("--limit", "1")
    assert "1 is listed; all with: --limit 0" in out
    _, everything, _ = run("--limit", "0")
    assert "listed;" not in everything


def test_a_merge_is_undone_and_done_again(run: Run, made: Path) -> None:
    code, out, _ = run("--undo", "Ada Patience")
    assert code == 0
    assert "Kept apart: ada brisk | ada patience" in out
    assert "Ada Brisk" not in listed(run)
    assert list(listed(run, "Ada Patience")["Ada Patience"]) == ["Ada Patience"]
    with Polyhop(made) as engine:
        engine.index(made.parent / "documents", layers=("parsekg", "facts"))
    assert "Ada Brisk" not in listed(run)  # for good
    code, out, _ = run("--redo", "Ada Patience", "--json")
    assert (code, json.loads(out)) == (0, {"joined_again": [["ada brisk", "ada patience"]]})
    assert listed(run)["Ada Brisk"]["Ada Patience"] == "alias: known as"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["Nobody Atall"], "No entity is spelled 'Nobody Atall'"),
        (["--undo", "Nobody Atall"], "No entity is spelled 'Nobody Atall'"),
        (["--undo", "River Oar"], "merged with nothing"),
        (["--redo", "River Oar"], "not kept apart"),
        (["--undo"], "Which name?"),
        (["--undo", "--redo", "Ada Brisk"], "contradict"),
    ],
)
def test_what_makes_no_sense_is_said(run: Run, arguments: list[str], message: str) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert message in err


def test_an_index_without_facts_says_how_to_make_them(harbour: Path, tmp_path: Path) -> None:
    plain = Polyhop(tmp_path / "plain.index")
    plain.index(harbour)
    for question in (plain.merges, plain.keep_apart):
        with pytest.raises(LayerMissing) as caught:
            question("Ada Brisk")
        assert "polyhop index PATH..." in caught.value.remedy
