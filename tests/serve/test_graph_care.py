"""The graph over HTTP as its owner sees it: merges and their undo, health, and files that are those of the command."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from polyhop.engine import Polyhop
from tests.worlds.commands import Run
from tests.worlds.documents import ALIASES, write
from tests.worlds.serving import Served, serving


@pytest.fixture(scope="module")
def tended(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server of an index with facts and questions, to be changed at will."""
    folder = tmp_path_factory.mktemp("tended")
    with Polyhop(folder / "polyhop.index") as engine:
        engine.index(write(folder / "documents", ALIASES), layers=("text", "parsekg", "facts", "questions"))
    with serving(folder / "polyhop.index") as served:
        yield served


def spellings(client: httpx.Client) -> set[str]:
    """All spellings that count as another name."""
    found = client.get("/v1/graph/merges").json()
    assert found["count"] == len(found["merges"])
    return {spelling["name"] for merge in found["merges"] for spelling in merge["spellings"][1:]}


def test_a_merge_is_undone_and_done_again(tended: Served) -> None:
    client = tended.client
    assert "Ada Patience" in spellings(client)
    reply = client.post("/v1/graph/merges/undo", json={"names": ["Ada Patience"]})
    assert reply.json()["pairs"] == [["ada brisk", "ada patience"]], reply.text
    assert "Ada Patience" not in spellings(client), "the server's own engine sees it"
    assert client.post("/v1/graph/merges/redo", json={"names": ["Ada Patience"]}).json()["pairs"]
    assert "Ada Patience" in spellings(client)
    reason = client.get("/v1/graph/merges", params={"name": "Ada Brisk"}).json()["merges"][0]["spellings"][1]["reason"]
    assert reason.startswith("alias")


@pytest.mark.parametrize(
    ("names", "status"), [([], 422), (["Nobody"], 400), ([""], 422), (["x" * 301], 422), ("Ada Brisk", 422)]
)
def test_what_was_not_merged_cannot_be_undone(tended: Served, names: object, status: int) -> None:
    reply = tended.client.post("/v1/graph/merges/undo", json={"names": names})
    assert reply.status_code == status, reply.text
    assert reply.json()["error"]["message"]


def test_health_is_that_of_the_command(tended: Served) -> None:
    told = tended.client.get("/v1/graph/health", params={"chains": 2}).json()
    assert told["index"]["facts"] > 0
    assert all(symptom["meaning"] for symptom in told["symptoms"])


@pytest.mark.parametrize("format_", ["graphml", "jsonl", "html"])
def test_a_download_is_what_the_command_writes(tended: Served, run: Run, tmp_path: Path, format_: str) -> None:
    reply = tended.client.get("/v1/graph/export", params={"format": format_})
    assert reply.headers["content-disposition"] == f'attachment; filename="graph.{format_}"'
    file = tmp_path / "graph"
    index = tended.app.state.service.engines.places.place().index
    assert run("export", "--format", format_, "--output", str(file), "--index", str(index)).code == 0
    assert reply.content == file.read_bytes()


def test_without_facts_each_says_what_to_make(client: httpx.Client, harbour_engine: Polyhop) -> None:
    with serving(harbour_engine.path) as served:
        for path in ("graph/merges", "graph/health", "questions"):
            reply = served.client.get(f"/v1/{path}")
            assert (reply.status_code, reply.json()["error"]["type"]) == (409, "layer_missing"), reply.text
            assert "--layers" in reply.json()["error"]["remedy"]


def test_what_layers_would_take_is_told_and_nothing_is_done(tended: Served) -> None:
    before = tended.client.get("/v1/status").json()["layers"]
    told = {each["name"]: each for each in tended.client.get("/v1/forecast").json()["layers"]}
    assert (told["tree"]["passages"], told["text"]["passages"]) == (2, 0)
    assert tended.client.get("/v1/forecast", params={"layer": "tree"}).json()["layers"][0]["seconds"] >= 0
    assert tended.client.get("/v1/forecast", params={"layer": "nothing"}).status_code == 404
    assert tended.client.get("/v1/status").json()["layers"] == before


def test_questions_are_made_from_the_documents(tended: Served) -> None:
    made = tended.client.get("/v1/questions", params={"limit": 3}).json()["questions"]
    assert 0 < len(made) <= 3
    text = " ".join(ALIASES.values())
    assert all(one["question"].endswith("?") and one["answer"] in text for one in made), made
    assert tended.client.get("/v1/questions", params={"limit": 3}).json()["questions"] == made
