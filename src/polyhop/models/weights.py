"""Where weights lie on the disk, and whether they are the ones we know."""

from __future__ import annotations

import hashlib
import importlib.util
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

from polyhop.errors import ModelError, ModelMissing

MANIFEST = "manifest.json"
SHOWN = 8  # characters of a sha256 in a name
DAMAGED = "Install it again, with polyhop models install, or, if it came as a package, pip install --force-reinstall."


@dataclass(frozen=True, slots=True)
class WeightFile:
    """A file that a model needs, relative to its folder."""

    name: str
    bytes: int
    sha256: str


@cache  # models ask for it whenever they are to read something
def package_folder(package: str, remedy: str = "") -> Path:
    """The folder of an installed package, found without importing it. Raises ModelMissing."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModelMissing(
            f"The package {package} is not installed.",
            remedy=remedy or f"Install it with: pip install {package.replace('_', '-')}",
        )
    return Path(spec.submodule_search_locations[0])


def own_folder(model: str) -> Path:
    """Where the package polyhop-weights keeps one of our own models. Raises ModelMissing."""
    remedy = "It lies in weights/ of a clone of Polyhop; install it there with: pip install ./weights"
    return package_folder("polyhop_weights", remedy) / model


def trained_folder(named: str | None, model: str) -> Path:
    """Where one of our own models lies: in the folder that a setting names, else in the package polyhop-weights.

    Raises ModelMissing.
    """
    if named is None:
        folder = own_folder(model)
        if not folder.is_dir():
            remedy = f"Train one, with polyhop train {model}, and name its folder."
            raise ModelMissing(f"The package polyhop-weights brings no {model}.", remedy=remedy)
        return folder
    folder = Path(named).expanduser()
    if not (folder / MANIFEST).is_file():
        remedy = f"Name the folder that polyhop train {model} wrote, which ends in /{model}."
        raise ModelMissing(f"{folder} holds no {model}: there is no {MANIFEST}.", remedy=remedy)
    return folder


def mark_in(folder: Path, file: str) -> str:
    """The beginning of the sha256 of a model's file, which tells its weights from others. Raises ModelError."""
    return next((one.sha256[:SHOWN] for one in read_manifest(folder) if one.name == file), "none")


def check_sizes(folder: Path, files: Iterable[WeightFile] | None = None, remedy: str = DAMAGED) -> None:
    """Look whether files, or else those of a folder's manifest, are there and whole, without reading them.

    Raises ModelMissing, ModelError.
    """
    for file in read_manifest(folder, remedy) if files is None else files:
        path = folder / file.name
        if not path.is_file():
            raise ModelMissing(f"The model file {path} is missing.", remedy=remedy)
        if path.stat().st_size != file.bytes:
            raise ModelError(f"The model file {path} is damaged: its size is wrong.", remedy=remedy)


def check_hashes(folder: Path, files: Iterable[WeightFile] | None = None, remedy: str = DAMAGED) -> None:
    """Read files, or else those of a folder's manifest, and compare their sha256. Raises ModelMissing, ModelError."""
    files = read_manifest(folder, remedy) if files is None else tuple(files)
    check_sizes(folder, files, remedy)
    for file in files:
        if sha256_of(folder / file.name) != file.sha256:
            raise ModelError(f"The model file {folder / file.name} is damaged: its sha256 is wrong.", remedy=remedy)


def sha256_of(path: Path) -> str:
    """The sha256 of a file, hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_manifest(folder: Path) -> None:
    """List every file of a folder, with its size and sha256, in ``manifest.json``."""
    files = [
        WeightFile(path.relative_to(folder).as_posix(), path.stat().st_size, sha256_of(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]
    text = json.dumps([asdict(file) for file in files], indent=1)
    (folder / MANIFEST).write_text(text, encoding="utf-8")


def read_manifest(folder: Path, remedy: str = DAMAGED) -> tuple[WeightFile, ...]:
    """What ``write_manifest`` listed. Raises ModelError where it cannot be read."""
    try:
        return tuple(WeightFile(**entry) for entry in json.loads((folder / MANIFEST).read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError) as error:
        raise ModelError(f"The model in {folder} is damaged: {error}.", remedy=remedy) from error
