"""One small real world for all tests: some documents of the examples, in every format, and an index made of them once.

Nothing here is a stand-in: files, SQLite, models and arrays are the real ones. Models are loaded once a process.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from polyhop.engine import Polyhop
from polyhop.models.choice import Models, load_models
from polyhop.settings import Settings

EXAMPLES = Path(__file__).parent.parent / "examples" / "corpus"
WORLD = (
    "academy_of_asperlow.pdf",
    "benno_trask.md",
    "edda_marrish.md",
    "gazetteer.jsonl",
    "giselle_ombry.txt",
    "harrowmere_lighthouse.txt",
    "lissandra.html",
    "long_bridge.md",
    "museum_objects.csv",
    "old_patience.html",
    "pellingrove.html",
    "regent_isaude.docx",
    "river_teshel.html",
    "tobren_lisk.txt",
)
BRIDGE = "Where was the architect of Harrowmere Lighthouse born?"  # Edda Marrish, in Pellingrove: two hops

HARBOUR = {  # a smaller world, for tests that change it; each file is one passage
    "quillmouth.txt": "Quillmouth is a harbour on the Sable Coast. Its lighthouse was built by Ada Brisk in 1841.",
    "ada_brisk.txt": "Ada Brisk was an engineer. She was born in Fennick and studied at the Tarn School.",
    "fennick.txt": "Fennick is a town on the River Oar. It is known for its glass and its late trains.",
    "tarn_school.txt": "The Tarn School was founded by Piet Rook in 1790. It teaches engineers and surveyors.",
}
HARBOUR_BRIDGE = "Where was the engineer born who built the lighthouse of Quillmouth?"

LAYERS = ("text", "parsekg", "facts", "questions", "tree")  # all that strategies need

# The same algorithms with less to read: what a contract says does not depend on how deep a strategy looks.
QUICK = Settings.from_mapping(
    {
        "strategies": {
            "c2rag": {"relations": 4, "retrieved": 3},
            "hybrid": {"depth": 6},
            "iterative": {"rounds": 1, "depth": 6, "sentences": 4},
            "paths": {"depth": 4, "starts": 2, "links": 3, "longer": 1},
            "raptor": {"k": 8, "width": 4},
            "stepchain": {"retrieved": 4, "chains": 6, "values": 2, "links": 3},
            "translator": {"alpha": 2, "beta": 2, "longest": 8, "hops": 2},
        }
    }
)


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts as files below a folder, which is made."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


@pytest.fixture(scope="session", autouse=True)
def _no_endpoint() -> Iterator[None]:
    """No test asks an endpoint that happens to be configured on this machine."""
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith(("POLYHOP_", "OPENAI_"))]:
            patch.delenv(name)
        yield


@pytest.fixture(scope="session")
def models() -> Models:
    """The default models."""
    return load_models(Settings())


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the documents of the world; not to be changed."""
    folder = tmp_path_factory.mktemp("world") / "documents"
    folder.mkdir()
    for name in WORLD:
        shutil.copy(EXAMPLES / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def world_index(world: Path) -> Path:
    """The index of the world; not to be changed."""
    path = world.parent / "polyhop.index"
    with Polyhop(path) as engine:
        engine.index(world, layers=LAYERS)
    return path


@pytest.fixture(scope="session")
def engine(world_index: Path) -> Iterator[Polyhop]:
    """The index of the world, open, with settings that look less deep; not to be changed."""
    with Polyhop(world_index, settings=QUICK) as engine:
        yield engine


@pytest.fixture
def fresh_index(world_index: Path, tmp_path: Path) -> Path:
    """A copy of the index of the world, to be changed at will."""
    return Path(shutil.copytree(world_index, tmp_path / "fresh.index"))


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
