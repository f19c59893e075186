"""``polyhop remove`` says what it removed, and what it did not and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.worlds.commands import Run
from tests.worlds.documents import write
from tests.worlds.made_files import MADE


def test_what_is_removed_is_named_and_so_are_files_that_share_a_name(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = "".join(f'{{"id": "r{number}", "text": "Bird {number}."}}\n' for number in range(30))
    write(tmp_path / "d", {"x/notes.md": "A bell.", "y/notes.md": "A lamp.", "rows.jsonl": rows})
    index = ("--index", tmp_path / "my.index")
    run("index", tmp_path / "d", "--layers", "text", *index)
    monkeypatch.chdir(tmp_path)
    unclear = run("remove", "notes.md", *index)
    assert (unclear.code, unclear.out) == (1, "Removed 0 documents with 0 passages.\n")
    assert unclear.err.splitlines() == [
        "several files have this name: notes.md",
        "  d/x/notes.md",
        "  d/y/notes.md",
        "  Name one of them by its path.",
    ]
    monkeypatch.chdir(tmp_path / "d" / "x")
    assert run("remove", "notes.md", *index).out == "Removed 1 document with 1 passage.\n  notes.md\n"
    lines = run("remove", "rows.jsonl", *index).out.splitlines()
    assert lines[1] == f"  {(tmp_path / 'd' / 'rows.jsonl').as_posix()}#r0"
    assert lines[21:] == ["  ... and 10 more (all of them with --json)"]
    monkeypatch.chdir(tmp_path)
    report = run("remove", "notes.md", "--json", *index).json()
    assert (report["uris"], report["missing"], report["ambiguous"]) == (
        [f"{(tmp_path / 'd' / 'y' / 'notes.md').as_posix()}"],
        [],
        {},
    )


def test_a_mail_is_removed_by_its_path_with_what_is_attached_to_it(run: Run, tmp_path: Path) -> None:
    index = ("--index", tmp_path / "my.index")
    letter = MADE["eml"](tmp_path / "letter.eml")
    run("index", letter, "--layers", "text", *index)
    report = run("remove", letter, "--json", *index).json()
    assert [uri.rpartition("/")[2] for uri in report["uris"]] == ["letter.eml", "letter.eml#a.csv#1"]
