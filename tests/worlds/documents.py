"""The documents of the small worlds: some of the examples, and the harbour of Quillmouth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from polyhop.documents.loading import Loader
from polyhop.documents.reading import find, unique
from polyhop.reports import Skipped
from polyhop.types import Document

EXAMPLES = Path(__file__).parents[2] / "examples" / "corpus"

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

GREBE = "# The Grebe\n\nThe grebe dives in the Oar."


def write(folder: Path, files: Mapping[str, str]) -> Path:
    """Write texts as files below a folder, which is made."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read(paths: Sequence[str | Path], *, loaders: Mapping[str, Loader] | None = None) -> Iterator[Document | Skipped]:
    """All documents under the paths, and what was skipped, as an index reads them."""
    sources = find(paths, loaders=loaders)
    return unique(item for each in sources for item in ([each] if isinstance(each, Skipped) else each.documents()))


ALIASES = {  # of one person, by two names
    "Ada Brisk.txt": "Ada Brisk, known as Ada Patience, was an engineer. Ada Brisk was born in Fennick.",
    "Fennick.txt": "Fennick is a town on the River Oar. Ada Patience built the bridge of Fennick in 1850.",
}
