"""Damage to the files of an index is told, by opening it or by ``polyhop doctor --deep``, and mended by indexing again.

Nothing that a language model was paid for is asked for again.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from polyhop.cli.main import main
from polyhop.engine import Polyhop
from polyhop.errors import IndexCorrupt
from polyhop.indexes import digests
from polyhop.indexes.segments import array_folders, damage
from polyhop.layers.layer import layer_of
from polyhop.models.choice import Models
from polyhop.settings import Settings
from polyhop.store.record import Record
from tests.worlds.commands import Run
from tests.worlds.documents import BRIDGE
from tests.worlds.settings import LAYERS, QUICK

ARRAYS = (".npy", Path(digests.PACKED).suffix)
Damage = Callable[[Path], None]


def cut(file: Path) -> None:
    """Half of it is gone."""
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    """All of it is gone."""
    file.write_bytes(b"")


def exchanged(file: Path) -> None:
    """Another file of the index stands in its place."""
    others = [other for place in file.parents[1:3] for other in sorted(place.rglob("*")) if other.suffix in ARRAYS]
    content = file.read_bytes()
    file.write_bytes(next(found for other in others if (found := other.read_bytes()) != content))


def flipped(file: Path) -> None:
    """One bit in the middle of it is another one."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def files_of(index: Path, layer: str) -> list[Path]:
    """All files of a layer's generation, but those that tell when the others were read."""
    found = (index / "generations" / layer).rglob("*")
    return sorted(path for path in found if path.is_file() and path.name != digests.SEEN)


def contents(index: Path) -> dict[Path, bytes]:
    """All arrays of an index, with what lies beside them."""
    found = (file for folder in array_folders(index) for file in folder.iterdir() if file.name != digests.SEEN)
    return {file.relative_to(index): file.read_bytes() for file in found}


@pytest.fixture
def opened(fresh_index: Path, models: Models) -> Iterator[Callable[[str], object]]:
    """Opens a layer of the index."""
    with Record.open(fresh_index) as record:
        yield lambda name: layer_of(name, Settings()).open(record, fresh_index / "generations" / name, models)


@pytest.mark.parametrize("spoil", [cut, emptied, exchanged, flipped])
@pytest.mark.parametrize("layer", LAYERS)
def test_damage_to_any_file_of_a_layer_is_told(
    fresh_index: Path, opened: Callable[[str], object], layer: str, spoil: Damage
) -> None:
    """On opening it; where one bit has changed, by who reads every byte."""
    assert files_of(fresh_index, layer)
    for file in files_of(fresh_index, layer):
        before = file.read_bytes()
        spoil(file)
        if spoil is not flipped:
            with pytest.raises(IndexCorrupt, match=file.name if file.name != digests.FILE else None) as caught:
                opened(layer)
            assert "index the same documents again" in caught.value.remedy
        assert any(str(file.parent) in fault for fault in damage(fresh_index))
        file.write_bytes(before)
    opened(layer)


def test_indexing_again_mends_what_is_damaged_and_makes_no_row_again(
    fresh_index: Path, world: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A file of each layer is damaged, and one of the vectors of phrases; afterwards all is as it was."""
    with Polyhop(fresh_index, settings=QUICK) as engine:
        before, best = contents(fresh_index / "generations"), engine.search(BRIDGE, strategy="paths").passages
    kinds: tuple[Damage, ...] = (cut, emptied, exchanged, flipped, Path.unlink)
    for layer, spoil in zip(LAYERS, kinds, strict=True):
        files = files_of(fresh_index, layer)
        spoil(files[len(files) // 2])
    flipped(next(fresh_index.joinpath("phrases").rglob("vectors.npy")))
    with Polyhop(fresh_index, settings=QUICK) as engine:
        assert [done.extracted for done in engine.index(world).layers] == [0] * len(LAYERS)
        assert engine.search(BRIDGE, strategy="paths").passages == best
    assert caplog.text.count("It is written again.") == len(LAYERS)
    assert contents(fresh_index / "generations") == before
    assert list(damage(fresh_index)) == []


def test_an_index_of_an_earlier_version_opens_and_gets_digests_when_it_is_indexed_again(
    fresh_index: Path, world: Path
) -> None:
    before = contents(fresh_index)
    for folder in array_folders(fresh_index / "generations"):
        (folder / digests.FILE).unlink()
    with Polyhop(fresh_index, settings=QUICK) as engine:
        assert engine.search(BRIDGE, strategy="paths").passages
        engine.index(world)
    assert contents(fresh_index) == before


@pytest.mark.parametrize("what", ["generations", "phrases", "record.sqlite"])
def test_doctor_reads_every_byte_where_it_is_asked_to(
    fresh_index: Path, what: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def doctor() -> int:
        with pytest.raises(SystemExit) as left:
            main(["doctor", "--deep", "--index", str(fresh_index)])
        assert isinstance(left.value.code, int)
        return left.value.code

    assert doctor() == 0
    assert "as they were written, in " in capsys.readouterr().out
    if what == "record.sqlite":
        content = bytearray((fresh_index / what).read_bytes())
        content[-8192:-4096] = b"\xff" * 4096
        (fresh_index / what).write_bytes(content)
    else:
        flipped(next((fresh_index / what).rglob("*.npy")))
    assert doctor() == 1
    told = capsys.readouterr().out
    assert "FAIL" in told
    assert "damaged" in told
    if what != "record.sqlite":
        assert "polyhop index PATH..." in told


def test_a_damaged_copy_beside_the_index_is_not_looked_at(fresh_index: Path) -> None:
    """What a killed writer left half done has a name of its own, and is no part of the index."""
    folder = next(array_folders(fresh_index / "generations"))
    half = Path(shutil.copytree(folder, folder.with_name(f".{folder.name}-0")))
    emptied(half / digests.FILE)
    assert list(damage(fresh_index)) == []


@pytest.mark.parametrize("layer", LAYERS)
def test_doctor_misses_what_was_not_copied_and_indexing_makes_it_again(
    fresh_index: Path, world: Path, layer: str, run: Run
) -> None:
    shutil.rmtree(fresh_index / "generations" / layer)
    told = run("doctor", "--deep", "--index", fresh_index)
    assert (told.code, "polyhop index PATH..." in told.out) == (1, True)
    assert f"FAIL arrays           {fresh_index / 'generations' / layer}" in told.out
    with Polyhop(fresh_index, settings=QUICK) as engine:
        engine.index(world)
    assert run("doctor", "--deep", "--index", fresh_index).code == 0
