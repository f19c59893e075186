"""The draft of an answer on the command line: in a terminal alone, and gone when the answer is there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from polyhop.cli.draft import NOTE, draft_shown
from tests.worlds.commands import MODULE, Run
from tests.worlds.documents import BRIDGE
from tests.worlds.endpoint import serving
from tests.worlds.sage import sage

EVIL = "\x1b]0;owned\x07"  # the window's title


def in_a_terminal(*command: str, **environment: str) -> str:
    """What a command prints in a terminal of its own."""
    import pty

    master, slave = pty.openpty()
    process = subprocess.Popen(
        command,
        stdout=slave,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40", **environment},
    )
    os.close(slave)
    said = bytearray()
    try:
        while piece := os.read(master, 4096):
            said += piece
    except OSError:  # Linux says so that the last one who had the terminal open has gone
        pass
    os.close(master)
    assert process.wait() == 0
    return said.decode()


@pytest.mark.skipif(os.name != "posix", reason="such terminals are POSIX")
def test_a_draft_is_shown_in_a_terminal_and_taken_away(world_index: Path, tmp_path: Path) -> None:
    with serving(sage) as server:
        said = in_a_terminal(
            *MODULE,
            *("ask", BRIDGE, "--index", str(world_index), "--strategy", "bm25"),
            POLYHOP_BASE_URL=server.url,
            POLYHOP_MODEL="sage",
            POLYHOP_CACHE=str(tmp_path),
        )
        assert server.requests[-1]["stream"] is True
    assert NOTE in said
    shown, _, after = said.rpartition("\x1b[2K")  # the last line that is erased
    assert "Pell" in shown
    assert "Pellingrove" in after
    assert NOTE not in after


def test_elsewhere_no_draft_is_shown(world_index: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(sage) as server:
        monkeypatch.setenv("POLYHOP_BASE_URL", server.url)
        monkeypatch.setenv("POLYHOP_MODEL", "sage")
        outcome = run("ask", BRIDGE, "--index", world_index, "--strategy", "bm25")
        assert "Pellingrove" in outcome.out
    assert NOTE not in outcome.out


def test_a_draft_reaches_the_terminal_with_control_characters_visible(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with draft_shown() as listen:
        assert listen is not None
        listen(0, f"Ada{EVIL} Brook")
        listen(3, " Brisk\n" * 100)
    out = capsys.readouterr().out
    assert r"\x1b]0;owned\x07" in out
    assert EVIL not in out
    assert out.count("Brisk") < 60, "only as much as fits"
