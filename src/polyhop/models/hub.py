"""Embedders from the Hugging Face hub, or from a local folder with the same layout."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.encoder import Encoder, Pooling
from polyhop.models.json_file import json_of
from polyhop.models.once import once
from polyhop.models.weights import sha256_of
from polyhop.ports import Floats

GRAPHS = ("onnx/model.onnx", "model.onnx")
WEIGHTS = ("*.onnx_data", "*.onnx.data")  # of large models, beside the graph
WIDTHS = ("hidden_size", "dim", "d_model")  # what networks call the length of a vector: most, DistilBERT, T5
NEEDED = ("config.json", "tokenizer.json", "1_Pooling/config.json", *GRAPHS, *WEIGHTS)


@dataclass(frozen=True, kw_only=True)
class HubEmbedder:
    """Embeds texts with a sentence-transformers model that has an ONNX export, from the hub or a local folder."""

    repo: str  # owner/name on the hub, or the path of a folder
    revision: str = "main"  # a commit makes an index reproducible
    pooling: Literal["auto", "cls", "mean"] = "auto"  # auto: what the repository says
    question_prefix: str = ""  # put before each question, where the model was trained so
    passage_prefix: str = ""  # likewise before each passage
    window: int = 512  # tokens; at least 16
    threads: int | None = None  # none: one for each core
    endpoint: str | None = None  # another hub than huggingface.co
    cache: str | None = None  # a folder; none: the hub's own cache

    def __post_init__(self) -> None:
        if self.window < 16:
            raise ValueError("window must be at least 16")

    @property
    def name(self) -> str:
        """Repository, the commit or the weights' sha256, and the settings that change vectors."""
        known = known_as(self._folder, graph_in(self._folder))
        settings = (self._pooling, self.window, self.question_prefix, self.passage_prefix)
        return f"{self.repo}@{known}-" + "-".join(map(str, settings))

    @property
    def dimensions(self) -> int:
        """Length of a vector. Raises ModelMissing, ModelError."""
        file = file_in(self._folder, "config.json")
        config = _json(file)
        found = next((config[name] for name in WIDTHS if isinstance(config.get(name), int)), None)
        if found is None:
            raise ModelError(
                f"The model file {file} does not say how long a vector is: it has none of {', '.join(WIDTHS)}.",
                remedy="Choose an embedder, or add hidden_size to a copy of its folder.",
            )
        return int(found)

    def embed_passages(self, texts: Sequence[str]) -> Floats:
        """Unit vectors, one row a text; a text of several windows is the mean of them."""
        return self._embed([self.passage_prefix + text for text in texts])

    def embed_questions(self, texts: Sequence[str]) -> Floats:
        """Like ``embed_passages``, with the prefix for questions."""
        return self._embed([self.question_prefix + text for text in texts])

    def verify(self) -> None:
        """Load the model. Raises ModelMissing, ModelError."""
        self._embed(["verify"])

    def _embed(self, texts: Sequence[str]) -> Floats:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        return self._encoder.vectors(texts, window=self.window, pooling=self._pooling, threads=self.threads)

    @property
    def _encoder(self) -> Encoder:
        return loaded(graph_in(self._folder), file_in(self._folder, "tokenizer.json"))

    @property
    def _pooling(self) -> Pooling:
        if self.pooling != "auto":
            return self.pooling
        declared = _json(file_in(self._folder, "1_Pooling/config.json"))
        return "cls" if declared.get("pooling_mode_cls_token") else "mean"

    @property
    def _folder(self) -> Path:
        return folder_of(self.repo, self.revision, self.endpoint, self.cache, NEEDED)


def folder_of(repo: str, revision: str, endpoint: str | None, cache: str | None, needed: tuple[str, ...]) -> Path:
    """The folder that a repository is, or else that of its files, downloaded where they are not there yet.

    Raises ModelMissing.
    """
    local = Path(repo).expanduser()
    return local if local.is_dir() else _snapshot(repo, revision, endpoint, cache, needed)


def known_as(folder: Path, graph: Path) -> str:
    """What tells the weights in a folder from others: the commit, or the sha256 of the graph."""
    return (folder.name if folder.parent.name == "snapshots" else _hash(graph))[:12]


def graph_in(folder: Path) -> Path:
    """The ONNX graph of a repository. Raises ModelMissing."""
    found = next((folder / name for name in GRAPHS if (folder / name).is_file()), None)
    return file_in(folder, GRAPHS[0]) if found is None else found


def file_in(folder: Path, name: str) -> Path:
    """A file that a repository needs. Raises ModelMissing."""
    if not (folder / name).is_file():
        remedy = "Choose a repository with an ONNX export and a tokenizer.json, or export one into a folder."
        raise ModelMissing(f"The model in {folder} has no {name}.", remedy=remedy)
    return folder / name


@once
def _snapshot(repo: str, revision: str, endpoint: str | None, cache: str | None, needed: tuple[str, ...]) -> Path:
    try:
        from huggingface_hub import snapshot_download
    except ImportError as error:
        remedy = "Install it with: pip install 'polyhop[hub]'"
        raise ModelMissing("Loading a model from the hub requires extra 'hub'.", remedy=remedy) from error
    folder = None if cache is None else Path(cache).expanduser() / "hub"
    try:
        found = snapshot_download(
            repo, revision=revision, endpoint=endpoint, cache_dir=folder, allow_patterns=list(needed)
        )
    except (OSError, ValueError, RuntimeError) as error:
        remedy = "Check the name and the network, or give the path of a folder with the model's files as its repo."
        raise ModelMissing(f"The model {repo} cannot be fetched from the hub: {error}", remedy=remedy) from error
    return Path(found)


@once
def loaded(graph: Path, tokenizer: Path) -> Encoder:
    """The encoder of two files, read once a process. Raises ModelError."""
    return Encoder(graph, tokenizer)


@once
def _hash(path: Path) -> str:
    return sha256_of(path)


_json = once(json_of)
