"""A command that an error names can be pasted: it is about the same index, with the same settings."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from polyhop.cli.main import polyhop
from polyhop.cli.remedies import completed
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


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        ("status --set chunking.tokens=300", "polyhop index PATH... --set chunking.tokens=300"),
        ("ask Who? --set budget.passages=9 --set=budget.tokens=99", "--set budget.passages=9 --set budget.tokens=99"),
        ("search bread --preset c2rag --index my.index", "polyhop index PATH... --preset c2rag --index my.index"),
        ("status --config other.toml", "polyhop index PATH... --config other.toml"),
        ("status --set language_model.api_key=sesame", "polyhop index PATH...\n"),
        ("status --set language_model.base_url=http://me:sesame@h/v1", "polyhop index PATH...\n"),
    ],
)
def test_a_remedy_has_the_settings_that_were_given(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, remedy: str
) -> None:
    """But none that is a secret."""
    (tmp_path / "other.toml").write_text("[chunking]\ntokens = 300\n")
    monkeypatch.chdir(tmp_path)
    said = run(*command.split())
    assert remedy in said.out + said.err
    assert "sesame" not in said.out + said.err


def test_a_setting_that_a_remedy_names_itself_stands_there_once() -> None:
    remedy = "Embed again with: polyhop index PATH... --set models.embedder=minilm"
    with click.Context(polyhop, obj=["ask", "Who?", "--set", "models.embedder=minilm"]):
        assert completed(remedy) == remedy


def test_a_command_that_no_command_line_gave_has_the_remedy_as_it_is() -> None:
    """As tests and programs call commands."""
    result = CliRunner().invoke(polyhop, ["corrupt", "--list", "--index", "nowhere"])
    assert isinstance(result.exception, IndexMissing)
    assert "--index" not in result.exception.remedy


def test_a_password_is_not_said_again() -> None:
    assert without_password("postgresql://ada:secret@host/rows#legal") == "postgresql://ada@host/rows#legal"
