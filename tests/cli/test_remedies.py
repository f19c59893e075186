"""A command that an error names can be pasted: it is about the same index."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from polyhop.cli.main import polyhop
from polyhop.errors import IndexMissing
from polyhop.store.place import without_password
from tests.worlds.commands import Run


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("status --index my.index", "polyhop index PATH... --index my.index"),
        ("ask Who? --index=other/my.index", "polyhop index PATH... --index other/my.index"),
        ("search bread --index my.index --json", "polyhop index PATH... --index my.index"),
        ("status", "polyhop index PATH..."),
        ("merges --undo --index my.index", 'polyhop merges --index my.index --undo "NAME"'),
        ("keys list --workspaces root", "polyhop keys add --workspaces root LABEL"),
        ("keys revoke Ada --index my.index", "polyhop keys list --index my.index shows them."),
        ("doctor --index my.index --json", "polyhop index PATH... --index my.index"),
        (
            "serve --host 0.0.0.0 --workspaces root --store postgresql://h/d",
            "polyhop keys add --workspaces root LABEL",
        ),
        ("strategies none", "Known: "),
    ],
)
def test_a_remedy_names_the_index_that_was_given(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, remedy: str
) -> None:
    """And of ``--store`` and ``--workspaces`` what the command that it names takes."""
    (tmp_path / "root").mkdir()
    monkeypatch.chdir(tmp_path)
    said = run(*command.split())
    told = said.out + said.err
    assert remedy in told
    assert told.count("--index") == remedy.count("--index")


def test_a_command_that_no_command_line_gave_has_the_remedy_as_it_is() -> None:
    """As tests and programs call commands."""
    result = CliRunner().invoke(polyhop, ["corrupt", "--list", "--index", "nowhere"])
    assert isinstance(result.exception, IndexMissing)
    assert "--index" not in result.exception.remedy


def test_a_password_is_not_said_again() -> None:
    assert without_password("postgresql://ada:secret@host/rows#legal") == "postgresql://ada@host/rows#legal"
