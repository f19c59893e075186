"""What every layer is: extract makes rows of a passage, gather makes all rows searchable."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Protocol, runtime_checkable

from polyhop import registry
from polyhop.errors import LayerMissing
from polyhop.ports import Below, Ints, Rows
from polyhop.types import Passage

if TYPE_CHECKING:
    from polyhop.models.choice import Models
    from polyhop.settings import Settings
    from polyhop.store.record import Record

logger = logging.getLogger(__name__)

USUAL_MEMORY: Final = 1 << 30  # bytes that gathering may take where nobody says
READ_AT_ONCE: Final = 500  # passages held in memory while gathering


@runtime_checkable
class Layer(Protocol):
    """Something derived from passages. A layer is a frozen dataclass; its fields are its settings."""

    name: ClassVar[str]
    runs: ClassVar[Literal["threads", "processes"]]  # how its models use more than one core
    reads: ClassVar[tuple[str, ...]]  # layers whose rows spare it work; it can do without them

    def made_with(self, models: Models) -> str:
        """The models, the settings and the version of the code that determine the rows (not those of gather)."""

    def extract(self, passages: Sequence[Passage], models: Models, below: Below) -> Sequence[Rows]:
        """The rows of each passage, encoded; pure: the same passage and models give the same bytes.

        ``below`` has what the layers in ``reads`` made of the same passages, under their current fingerprints.
        """

    def gather(
        self, record: Record, folder: Path, fingerprint: str, models: Models, memory: int = USUAL_MEMORY
    ) -> None:
        """Make all rows searchable below ``folder`` and name the new generation in the record.

        ``memory``: bytes that it may take meanwhile, about; some layers take what they need.
        """

    def open(self, record: Record, folder: Path, models: Models) -> Any:
        """What strategies search. Raises LayerMissing where nothing has been gathered."""


@runtime_checkable
class Merging(Protocol):
    """A layer whose changes are found before all is written that they make worth writing."""

    def merge(self, record: Record, folder: Path, fingerprint: str, models: Models, begun: Callable[[], None]) -> bool:
        """Write that beside what is there; whether there is something for the next ``gather`` to take over.

        One process at a time does so for a layer, whatever others read and write meanwhile. Killed at any moment, it
        leaves nothing that counts. ``begun`` is called before anything is written.
        """


def layer_of(name: str, settings: Settings) -> Layer:
    """The layer of a name, configured by its section ``[layers.NAME]``."""
    layer: Layer = registry.build("layers", name, settings.of(f"layers.{name}"))
    return layer


@dataclass(frozen=True)
class OpenedLayer:
    """What strategies search of a layer, with what it was opened from."""

    layer: Layer
    state: str  # of the record
    index: Any


def opened_layers(
    names: Iterable[str],
    record: Record,
    settings: Settings,
    folder: Path,
    models: Models,
    before: Mapping[str, OpenedLayer],
) -> dict[str, OpenedLayer]:
    """What strategies search, by layer, but of layers that nobody has installed any more or that were not gathered.

    ``folder``: has a folder of each layer. ``before``: what was open with the same models, and is taken over as far as
    it is the same. Raises UnknownComponent for a model that a layer is searched with.
    """
    opened: dict[str, OpenedLayer] = {}
    for name in names:
        if name not in registry.names("layers"):
            logger.debug("layer %s is not open: it is not installed", name)
            continue
        layer, state, known = layer_of(name, settings), record.state_of(name), before.get(name)
        if known is not None and (known.layer, known.state) == (layer, state):
            opened[name] = known
            continue
        try:
            opened[name] = OpenedLayer(layer, state, layer.open(record, folder / name, models))
        except LayerMissing as error:
            logger.debug("layer %s is not open: %s", name, error)
    return opened


def fingerprint(layer: Layer, models: Models) -> str:
    """Identifies everything that determines a layer's rows."""
    return hashlib.sha256(f"{layer.name}:{layer.made_with(models)}".encode()).hexdigest()[:16]


def with_rows(
    record: Record, layer: str, numbers: Ints, at_once: int = READ_AT_ONCE
) -> Iterator[list[tuple[int, Passage, bytes]]]:
    """Passages with their numbers and their rows of a layer, so many at a time."""
    for start in range(0, len(numbers), at_once):
        chunk = numbers[start : start + at_once].tolist()
        rows = record.payloads_of(layer, chunk)
        yield [(number, passage, rows[number]) for number, passage in zip(chunk, record.passages(chunk), strict=True)]


def words_of(passage: Passage) -> str:
    """A passage as it is embedded, searched and judged: its title, where it has one, and its text."""
    return f"{passage.title}\n{passage.text}" if passage.title else passage.text
