"""``polyhop index --watch`` in a process of its own: files come, change, break and go, and Ctrl-C ends it."""

from __future__ import annotations

import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from polyhop.cli.watch import keep_watching
from polyhop.engine import Polyhop
from tests.worlds.commands import MODULE, Run
from tests.worlds.documents import write
from tests.worlds.machine import may_mount, small_disk
from tests.worlds.settings import QUICK
from tests.worlds.waiting import WAIT, until

pytest.importorskip("watchfiles", reason="needs the extra 'watch'")


def test_the_index_follows_its_files(harbour: Path) -> None:
    """Also where the index lies in the folder that is watched, and where a file cannot be read."""
    index = harbour / "polyhop.index"
    command = [*MODULE, "index", str(harbour), "--layers", "text", "--index", str(index), "--watch"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, bufsize=1, preexec_fn=hear_ctrl_c
    ) as process:
        said: list[str] = []
        assert process.stdout is not None
        assert process.stderr is not None
        readers = [threading.Thread(target=said.extend, args=(pipe,)) for pipe in (process.stdout, process.stderr)]
        for reader in readers:
            reader.start()
        try:
            until(lambda: any("Watching" in line for line in said))
            time.sleep(1.0)  # the watch begins behind the line
            (harbour / "broken.docx").write_bytes(b"no zip at all")
            write(harbour, {"oar.txt": "The River Oar rises at Tindle Cross."})
            until(lambda: any("1 added" in line and "1 skipped" in line for line in said))
            (harbour / "fennick.txt").unlink()
            until(lambda: any("1 removed" in line for line in said))
        finally:
            process.send_signal(signal.SIGINT)
        for reader in readers:
            reader.join(WAIT)
        assert process.wait(WAIT) == 0
    assert any("What was done is stored." in line for line in said)
    assert sum("changed." in line for line in said) <= 4  # the index's own files do not count
    with Polyhop(index, settings=QUICK) as engine, engine.view() as view:
        names = {Path(row.uri).name for row in view.record.documents()}
    assert "oar.txt" in names
    assert "fennick.txt" not in names


def test_what_goes_is_removed_however_it_was_named_and_told(
    harbour: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (harbour / "boats").mkdir()
    monkeypatch.chdir(harbour / "boats")
    monkeypatch.setattr("polyhop.indexing.watching.changes_of", lambda *_, **__: [frozenset()])
    with Polyhop(harbour.parent / "an.index", settings=QUICK) as engine:
        engine.index(harbour, layers=("text",))
        (harbour / "fennick.txt").unlink()
        keep_watching(engine, [Path("../fennick.txt"), Path("../ada_brisk.txt")], lambda _: None)
        with engine.view() as view:
            names = {Path(row.uri).name for row in view.record.documents()}
    assert (len(names), "fennick.txt" in names) == (3, False)
    assert capsys.readouterr().out == "Removed 1 document: what was named is gone.\n"


@pytest.mark.parametrize("empty", [True, False])
def test_a_folder_that_is_lost_empties_nothing(
    harbour: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], empty: bool
) -> None:
    """A disk that is not mounted leaves its mount point behind, or nothing; a file that was named was on it, too."""
    monkeypatch.setattr("polyhop.indexing.watching.changes_of", lambda *_, **__: [frozenset()])
    with Polyhop(harbour.parent / "an.index", settings=QUICK) as engine:

        def bring_up_to_date(paths: Sequence[Path]) -> None:
            engine.index(*paths, layers=("text",))

        bring_up_to_date([harbour])
        harbour.rename(harbour.parent / "elsewhere")
        if empty:
            harbour.mkdir()
        for path in (harbour, harbour / "fennick.txt"):
            keep_watching(engine, [path], bring_up_to_date)
            assert "harbour is gone or has nothing to read any more" in capsys.readouterr().err
        with engine.view() as view:
            assert len(list(view.record.documents())) == 4


@may_mount
def test_a_disk_below_a_folder_that_is_lost_empties_nothing(
    harbour: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Until its documents are removed, on purpose."""
    monkeypatch.setattr("polyhop.indexing.watching.changes_of", lambda *_, **__: [frozenset()])
    disk = harbour / "disk"
    with Polyhop(harbour.parent / "an.index", settings=QUICK) as engine:

        def bring_up_to_date(paths: Sequence[Path]) -> None:
            engine.index(*paths, layers=("text",))

        def told(paths: Sequence[Path]) -> tuple[int, str]:
            keep_watching(engine, paths, bring_up_to_date)
            with engine.view() as view:
                return view.record.count_documents(), capsys.readouterr().err

        with small_disk(disk, kibibytes=100):
            write(disk, {"boats/oar.txt": "The River Oar rises at Tindle Cross."})
            engine.index(harbour, layers=("text",))
            assert told([harbour])[0] == 5
        documents, said = told([harbour])
        assert documents == 5
        assert "disk is gone or has nothing to read any more" in said
        assert told([harbour / "fennick.txt"])[0] == 5  # which lies elsewhere
        assert "is gone" not in told([harbour / "fennick.txt"])[1]
        engine.remove(str(disk))
        write(harbour, {"mill.txt": "The mill is of oak."})
        assert (told([harbour])[0], disk.exists()) == (5, True)


def hear_ctrl_c() -> None:
    """What a script starts beside itself ignores Ctrl-C, unless it is told not to."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_watching_is_refused_where_it_makes_no_sense(run: Run, harbour: Path, tmp_path: Path) -> None:
    said = run("index", harbour, "--index", tmp_path / "my.index", "--watch", "--dry-run")
    assert said.code == 2
    assert "do not go together" in said.err
