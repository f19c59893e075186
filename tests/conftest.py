"""One small real world for all tests: documents of the examples, in every format, and an index made of them once a run.

Nothing here is a stand-in: files, SQLite, models and arrays are the real ones. Models are loaded once a process, and
what small networks read is kept.
"""

from __future__ import annotations

import os
import shutil
import signal
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import settings

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.models.choice import Models, load_models
from polyhop.settings import Settings
from polyhop.store.place import place_of
from tests.worlds import readings
from tests.worlds.commands import Outcome, Run
from tests.worlds.documents import EXAMPLES, HARBOUR, WORLD, write
from tests.worlds.objects import bucket_of, s3_running
from tests.worlds.postgres import Server, server_running
from tests.worlds.settings import LAYERS, QUICK
from tests.worlds.shared import made_once

TERMINAL = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TTY_COMPATIBLE"}

# No law fails for being slow. Continuous integration tries the same examples each time, and keeps none of them.
settings.register_profile("polyhop", settings.get_profile("ci" if os.environ.get("CI") else "default"), deadline=None)
settings.load_profile("polyhop")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Side by side, files with slow tests come first, then those with many: no worker is left with a long one alone."""
    if hasattr(config, "workerinput"):  # of pytest-xdist
        many = Counter(item.path for item in items)
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: (item.path not in slow, -many[item.path]))


@pytest.fixture(scope="session", autouse=True)
def _nothing_of_this_machine() -> Iterator[None]:
    """No endpoint, terminal or habit of whoever runs the tests counts."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("POLYHOP_", "OPENAI_")) or name in TERMINAL]:
            patch.delenv(name)
        before = signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in what a script starts beside it
        yield
        signal.signal(signal.SIGINT, before)


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_synced() -> Iterator[None]:
    """Nobody cuts the power here, and waiting for the disk takes long; processes that tests start sync all the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("os.fsync", lambda _: None)
        patch.setattr("polyhop.store.write_ahead.SYNCHRONOUS", "OFF")
        yield


@pytest.fixture(scope="session", autouse=True)
def _nothing_is_read_twice() -> Iterator[None]:
    """Except by the tests of the models."""
    with readings.kept():
        yield


@pytest.fixture(scope="session")
def models() -> Models:
    """The default models."""
    return load_models(Settings())


@pytest.fixture(scope="session")
def world(pytestconfig: pytest.Config, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the documents of the world, one for all processes that run tests; not to be changed."""

    def make(folder: Path) -> None:
        folder.mkdir()
        for name in WORLD:
            shutil.copy(EXAMPLES / name, folder / name)

    own = tmp_path_factory.getbasetemp()
    everybodys = own.parent if hasattr(pytestconfig, "workerinput") else own
    return made_once(everybodys / "world" / "documents", make)


@pytest.fixture(scope="session")
def made_index(world: Path) -> Path:
    """The index of the world as indexing left it: not to be changed, nor to be asked, which keeps things beside it."""

    def make(path: Path) -> None:
        with Polyhop(path) as engine:
            engine.index(world, layers=LAYERS)

    return made_once(world.with_name("made.index"), make)


@pytest.fixture(scope="session")
def world_index(made_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The index of the world, to be asked by this process; not to be changed."""
    return Path(shutil.copytree(made_index, tmp_path_factory.mktemp("world") / "polyhop.index"))


@pytest.fixture(scope="session")
def engine(world_index: Path) -> Iterator[Polyhop]:
    """The index of the world, open, with settings that look less deep; not to be changed."""
    with Polyhop(world_index, settings=QUICK) as engine:
        yield engine


@pytest.fixture
def fresh_index(made_index: Path, tmp_path: Path) -> Path:
    """A copy of the index of the world that nobody has asked yet, to be changed at will."""
    return Path(shutil.copytree(made_index, tmp_path / "fresh.index"))


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    """A folder with four short documents, to be changed at will."""
    return write(tmp_path / "harbour", HARBOUR)


@pytest.fixture
def harbour_engine(harbour: Path) -> Iterator[Polyhop]:
    """An index of the harbour, to be changed at will."""
    with Polyhop(harbour.parent / "harbour.index", settings=QUICK) as engine:
        engine.index(harbour)
        yield engine


@pytest.fixture(scope="session")
def index_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Polyhop]]:
    """Makes an index of files given as ``{name: text}``; the same files give the same open index."""
    made: dict[str, Polyhop] = {}

    def make(files: Mapping[str, str]) -> Polyhop:
        key = repr(sorted(files.items()))
        if key not in made:
            folder = tmp_path_factory.mktemp("made")
            made[key] = Polyhop(folder / "polyhop.index", settings=QUICK)
            made[key].index(write(folder / "documents", files), layers=LAYERS)
        return made[key]

    yield make
    for engine in made.values():
        engine.close()


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A server of Postgres."""
    with server_running() as server:
        yield server


@pytest.fixture(scope="session")
def s3() -> Iterator[str]:
    """The address of a server that speaks S3, with a bucket."""
    with s3_running() as endpoint:
        yield endpoint


@pytest.fixture(params=["folder", "s3"])
def objects(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The address of an empty object store."""
    if request.param == "folder":
        return f"file://{tmp_path}/objects"
    return bucket_of(request.getfixturevalue("s3"), monkeypatch)


@pytest.fixture(params=["file", "postgres"])
def home(request: pytest.FixtureRequest, tmp_path: Path) -> Callable[[str], Path]:
    """Folders of indexes by name, of which each has its record in itself, or in a database."""
    server: Server | None = request.getfixturevalue("postgres") if request.param == "postgres" else None

    def folder_of(name: str) -> Path:
        folder = tmp_path / name
        if server is not None and not folder.exists():
            place = place_of(folder, server.address())
            assert place is not None
            place.note()
        return folder

    return folder_of


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command in this process, where the models are loaded already."""

    def command(*arguments: str | Path) -> Outcome:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        assert "Traceback" not in captured.err
        code = left.value.code
        assert isinstance(code, int)
        return Outcome(code, captured.out, captured.err)

    return command
