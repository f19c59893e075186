"""Embedders from the hub: a folder with the same layout loads, and what is wrong is told."""

from __future__ import annotations

import hashlib
import json
import shutil
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from polyhop.errors import ModelError, ModelMissing
from polyhop.models.bge import QUESTION_PREFIX, BgeSmall, bge_folder
from polyhop.models.hub import HubEmbedder

COMMIT = "0123456789abcdef0123456789abcdef01234567"
TEXTS = ("The lighthouse of Varn was built by Ilse Brandt.", "Goats.")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder laid out like a sentence-transformers repository with an ONNX export."""
    (tmp_path / "onnx").mkdir()
    (tmp_path / "1_Pooling").mkdir()
    shutil.copy(bge_folder() / "model.onnx", tmp_path / "onnx")
    shutil.copy(bge_folder() / "tokenizer.json", tmp_path)
    (tmp_path / "config.json").write_text(json.dumps({"hidden_size": 384}), encoding="utf-8")
    pooling = {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(pooling), encoding="utf-8")
    return tmp_path


def test_a_local_folder_loads_like_a_repository(repository: Path) -> None:
    """The weights of the default embedder, loaded by this way, give the same vectors."""
    model, reference = HubEmbedder(repo=str(repository), question_prefix=QUESTION_PREFIX), BgeSmall()
    model.verify()
    assert model.dimensions == 384
    assert np.array_equal(model.embed_passages(TEXTS), reference.embed_passages(TEXTS))
    assert np.array_equal(model.embed_questions(TEXTS), reference.embed_questions(TEXTS))
    assert model.embed_passages([]).shape == (0, 384)


def test_the_name_tells_vector_spaces_apart(repository: Path) -> None:
    repo = str(repository)
    models = [HubEmbedder(repo=repo), HubEmbedder(repo=repo, pooling="mean"), HubEmbedder(repo=repo, window=64)]
    assert len({model.name for model in models}) == 3
    assert HubEmbedder(repo=repo).name == HubEmbedder(repo=repo, pooling="cls").name


@pytest.mark.parametrize("gone", ["onnx/model.onnx", "tokenizer.json", "1_Pooling/config.json"])
def test_a_file_that_is_missing_is_named(repository: Path, gone: str) -> None:
    (repository / gone).unlink()
    with pytest.raises(ModelMissing, match=gone):
        HubEmbedder(repo=str(repository)).verify()


def test_a_file_that_cannot_be_read_is_named(repository: Path) -> None:
    (repository / "config.json").write_text("{", encoding="utf-8")
    with pytest.raises(ModelError, match=r"config\.json"):
        assert HubEmbedder(repo=str(repository)).dimensions


@pytest.mark.parametrize(
    "config", [{"model_type": "distilbert", "dim": 384}, {"model_type": "t5", "d_model": 384, "hidden_size": None}]
)
def test_the_length_of_a_vector_has_several_names(repository: Path, config: dict[str, object]) -> None:
    (repository / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert HubEmbedder(repo=str(repository)).dimensions == 384


def test_a_length_that_is_not_told_is_an_error(repository: Path) -> None:
    (repository / "config.json").write_text('{"model_type": "odd"}', encoding="utf-8")
    with pytest.raises(ModelError, match="how long a vector is"):
        assert HubEmbedder(repo=str(repository)).dimensions


def test_a_window_with_hardly_any_token_is_refused() -> None:
    with pytest.raises(ValueError, match="window must be at least 16"):
        HubEmbedder(repo="owner/model", window=2)


def test_without_the_extra_its_name_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    with pytest.raises(ModelMissing, match="requires extra 'hub'") as error:
        HubEmbedder(repo="owner/without-extra").verify()
    assert error.value.remedy == "Install it with: pip install 'polyhop[hub]'"


def test_a_hub_that_cannot_be_reached_is_told(tmp_path: Path) -> None:
    model = HubEmbedder(repo="owner/unreachable", endpoint="http://127.0.0.1:9", cache=str(tmp_path))
    with pytest.raises(ModelMissing, match="cannot be fetched from the hub") as error:
        model.verify()
    assert "folder" in error.value.remedy


@pytest.fixture
def hub(repository: Path) -> Iterator[str]:
    """A server on this machine that speaks as much of the hub's protocol as a download needs."""
    files = [path.relative_to(repository).as_posix() for path in repository.rglob("*") if path.is_file()]

    def size(file: str) -> int:
        return (repository / file).stat().st_size

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Tell what the repository holds, or send one of its files."""
            _, _, name = self.path.partition(f"/resolve/{COMMIT}/")
            if self.path.startswith("/api/models/toy/embedder/revision/"):
                known = {"id": "toy/embedder", "sha": COMMIT, "siblings": [{"rfilename": file} for file in files]}
                self._send(json.dumps(known).encode(), "application/json")
            elif self.path.startswith(f"/api/models/toy/embedder/tree/{COMMIT}"):
                tree = [{"type": "file", "path": file, "size": size(file), "oid": "0" * 40} for file in files]
                self._send(json.dumps(tree).encode(), "application/json")
            elif name in files:
                self._send((repository / name).read_bytes(), "application/octet-stream")
            else:
                self.send_error(404)

        do_HEAD = do_GET  # noqa: N815

        def _send(self, content: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.send_header("ETag", f'"{hashlib.sha256(content).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if self.command == "GET":
                self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_a_repository_is_fetched_from_a_hub(hub: str, tmp_path: Path) -> None:
    model = HubEmbedder(repo="toy/embedder", endpoint=hub, cache=str(tmp_path / "cache"))
    assert np.array_equal(model.embed_passages(TEXTS), BgeSmall().embed_passages(TEXTS))
    assert model.name.startswith(f"toy/embedder@{COMMIT[:12]}-cls")


def test_a_repository_that_is_not_there_is_told(hub: str, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="cannot be fetched from the hub"):
        HubEmbedder(repo="toy/nothing", endpoint=hub, cache=str(tmp_path / "cache")).verify()


def test_a_name_that_cannot_be_one_is_told(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="cannot be fetched"):
        HubEmbedder(repo="no/such/folder", cache=str(tmp_path)).verify()
