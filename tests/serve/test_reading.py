"""What can be read over HTTP: the index, its documents with their passages and pages, pages of PDFs, and the graph."""

from __future__ import annotations

import shutil
import struct
import subprocess
import sys
import time
import zlib
from pathlib import Path
from urllib.parse import quote

import httpx
import numpy as np
import pytest
from numpy.typing import NDArray

from polyhop import registry
from polyhop.engine import Polyhop
from tests.worlds.documents import WORLD, write
from tests.worlds.serving import serving

DRAWN_AND_READ = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from polyhop.documents.loaders.pdf import PdfLoader
from polyhop.serve.pdf_pages import draw_page

file = Path(sys.argv[1])
(document,) = PdfLoader().load(file, "academy.pdf")
with ThreadPoolExecutor(4) as threads:
    drawn = [threads.submit(draw_page, file, 0, said=document.text, stretch="", at=0) for _ in range(24)]
    read = [threads.submit(lambda: list(PdfLoader().load(file, "academy.pdf"))) for _ in range(24)]
assert len({each.result().png for each in drawn}) == 1
assert all(each.result() == [document] for each in read)
"""


def test_the_status_is_that_of_the_engine(client: httpx.Client, engine: Polyhop) -> None:
    told, expected = client.get("/v1/status").json(), engine.status()
    assert (told["documents"], told["passages"]) == (expected.documents, expected.passages)
    assert told["workspace"] == "default"
    assert {layer["name"] for layer in told["layers"]} == {layer.name for layer in expected.layers}
    assert "path" not in told


def test_strategies_say_whether_the_index_allows_them(client: httpx.Client, harbour_engine: Polyhop) -> None:
    rows = {row["name"]: row for row in client.get("/v1/strategies").json()}
    assert set(rows) == set(registry.names("strategies"))
    assert all(row["ready"] and row["description"] for row in rows.values())
    harbour_engine.close()
    with serving(harbour_engine.path) as served:  # it has no facts
        rows = {row["name"]: row for row in served.client.get("/v1/strategies").json()}
    assert (rows["c2rag"]["ready"], rows["c2rag"]["missing"]) == (False, ["facts"])
    assert rows["paths"]["ready"]


def test_documents_are_listed_page_by_page(client: httpx.Client, engine: Polyhop) -> None:
    seen: list[dict[str, object]] = []
    after: str | None = ""
    while after is not None:
        page = client.get("/v1/documents", params={"after": after, "limit": 7}).json()
        assert len(page["documents"]) == 7 or page["next"] is None
        seen += page["documents"]
        after = page["next"]
    with engine.view() as view:
        rows = list(view.record.documents())
        assert [one["id"] for one in seen] == [row.id for row in rows]
        assert [one["bytes"] for one in seen] == [len(view.record.document(row.id).text.encode()) for row in rows]
    assert sum(str(one["source"]).endswith(WORLD) for one in seen) >= 10
    prefix = str(seen[0]["source"])
    assert [one["source"] for one in client.get("/v1/documents", params={"prefix": prefix}).json()["documents"]] == [
        prefix
    ]
    assert client.get("/v1/documents", params={"prefix": "%"}).json() == {"documents": [], "next": None}


def test_a_document_is_read_whole_or_cut(client: httpx.Client, engine: Polyhop) -> None:
    with engine.view() as view:
        document = max((view.record.document(row.id) for row in view.record.documents()), key=lambda one: len(one.text))
    address = f"/v1/documents/{quote(document.id, safe='')}"
    whole = client.get(address).json()
    assert (whole["text"], whole["start"], whole["end"]) == (document.text, 0, len(document.text))
    assert whole["passages"][0]["start"] == 0
    cut = client.get(address, params={"start": 10, "end": 25}).json()
    assert (cut["text"], cut["length"]) == (document.text[10:25], len(document.text))
    assert all(one["start"] < 25 and one["end"] > 10 for one in cut["passages"])


def test_a_stretch_that_there_is_not_says_why(client: httpx.Client) -> None:
    found = client.get("/v1/documents").json()["documents"][0]["id"]
    length = client.get(f"/v1/documents/{found}").json()["length"]
    for asked, why in (
        ({"start": 10**6}, f"There is no stretch from character 1000000 on: the document has {length} characters."),
        ({"start": 30, "end": 20}, "There is no stretch from character 30 on: it ends before it begins (at 20)."),
    ):
        response = client.get(f"/v1/documents/{found}", params=asked)
        assert (response.status_code, response.json()["error"]["type"]) == (400, "usage_error")
        assert response.json()["error"]["message"] == why


def test_an_id_of_any_letters_can_be_read(harbour_engine: Polyhop) -> None:
    ids = ["notes/May 2.txt", "a?b#c&d=e", "../up", "100%", "ÄÖ ß", "//double", "a/pages/1.png"]
    for number, key in enumerate(ids):
        harbour_engine.add_text(f"Gull {number} sat on the lighthouse.", key, layers=("text",))
    harbour_engine.close()
    with serving(harbour_engine.path) as served:
        for number, key in enumerate(ids[:-1]):
            found = served.client.get(f"/v1/documents/{quote(key, safe='')}").json()
            assert (found["id"], found["text"]) == (key, f"Gull {number} sat on the lighthouse.")


def pixels_of(png: bytes) -> NDArray[np.uint8]:
    """The pixels of a picture as the server writes it: eight bits, three colours, no filters."""
    width, height = struct.unpack(">II", png[16:24])
    content, place = b"", 8
    while place < len(png):
        (length,) = struct.unpack(">I", png[place : place + 4])
        if png[place + 4 : place + 8] == b"IDAT":
            content += png[place + 8 : place + 8 + length]
        place += 12 + length
    lines = np.frombuffer(zlib.decompress(content), np.uint8).reshape(height, 1 + 3 * width)
    assert not lines[:, 0].any()
    return lines[:, 1:].reshape(height, width, 3)


def test_a_page_of_a_pdf_is_drawn_with_a_sentence_marked(client: httpx.Client, engine: Polyhop) -> None:
    with engine.view() as view:
        key = next(row.id for row in view.record.documents() if row.media_type == "application/pdf")
        document = view.record.document(key)
    address = f"/v1/documents/{quote(key, safe='')}/pages/1.png"
    start = document.text.index(". ") + 2
    end = document.text.index(".", start) + 1
    plain = client.get(address)
    marked = client.get(address, params={"highlight": f"{start}-{end}"})
    assert plain.headers["content-type"] == marked.headers["content-type"] == "image/png"
    assert (plain.headers["polyhop-marked"], marked.headers["polyhop-marked"]) == ("no", "yes")
    before, after = pixels_of(plain.content), pixels_of(marked.content)
    changed = (before != after).any(axis=2)
    assert 0.001 < changed.mean() < 0.2, "some lines of the page"
    assert (after[changed][:, 2] <= before[changed][:, 2]).all(), "yellow takes blue away, and nothing is painted over"
    assert client.get(address.replace("1.png", "99.png")).status_code == 404


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere names are text")
def test_a_page_of_a_pdf_whose_name_is_no_text_is_drawn(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    shutil.copy(world / "academy_of_asperlow.pdf", folder / "m\udcfchle.pdf")  # ü as Windows wrote it
    with Polyhop(tmp_path / "pdf.index") as engine:
        engine.index(folder, layers=("text",))
        with engine.view() as view:
            (key,) = [row.id for row in view.record.documents()]
    with serving(tmp_path / "pdf.index") as served:
        assert served.client.get(f"/v1/documents/{key}/pages/1.png").status_code == 200


def test_what_has_no_pages_or_no_file_any_more_says_so(world: Path, tmp_path: Path) -> None:
    folder = tmp_path / "documents"
    folder.mkdir()
    for name in ("academy_of_asperlow.pdf", "benno_trask.md"):
        shutil.copy(world / name, folder)
    with Polyhop(tmp_path / "pdf.index") as engine:
        engine.index(folder, layers=("text",))
        with engine.view() as view:
            ids = {row.media_type: row.id for row in view.record.documents()}
    with serving(tmp_path / "pdf.index") as served:
        text, pdf = ids["text/markdown"], ids["application/pdf"]
        assert served.client.get(f"/v1/documents/{text}/pages/1.png").json()["error"]["type"] == "page_missing"
        assert served.client.get(f"/v1/documents/{pdf}/pages/1.png").status_code == 200
        (folder / "academy_of_asperlow.pdf").write_bytes(b"%PDF-1.4 something else")
        gone = served.client.get(f"/v1/documents/{pdf}/pages/1.png")
        assert (gone.status_code, gone.json()["error"]["type"]) == (409, "original_missing")
        (folder / "academy_of_asperlow.pdf").unlink()
        assert served.client.get(f"/v1/documents/{pdf}/pages/1.png").status_code == 409


def test_a_page_of_an_upload_is_drawn_from_the_file_as_it_came(world: Path, tmp_path: Path) -> None:
    with serving(tmp_path / "new.index") as served:
        with (world / "academy_of_asperlow.pdf").open("rb") as file:
            sent = served.client.post("/v1/documents", files={"files": ("papers/academy.pdf", file)})
        job = sent.json()["job"]
        began = time.monotonic()
        while job["state"] in ("queued", "running"):
            assert time.monotonic() - began < 120
            time.sleep(0.2)
            job = served.client.get(f"/v1/jobs/{job['id']}").json()
        assert job["state"] == "done", job
        (row,) = served.client.get("/v1/documents").json()["documents"]
        drawn = served.client.get(f"/v1/documents/{quote(row['id'], safe='')}/pages/1.png?highlight=0-20")
        assert (drawn.status_code, drawn.headers["polyhop-marked"]) == (200, "yes")


def test_pages_are_drawn_and_read_by_several_threads_at_once(world: Path) -> None:
    """In a process of its own, which they would end."""
    command = [sys.executable, "-c", DRAWN_AND_READ, str(world / "academy_of_asperlow.pdf")]
    assert subprocess.run(command, check=False).returncode == 0


def test_the_neighbourhood_of_an_entity_comes_with_its_sentences(client: httpx.Client, engine: Polyhop) -> None:
    graph = client.get("/v1/graph/entity", params={"name": "Edda Marrish", "limit": 5}).json()
    assert graph["nodes"][0]["name"] == "Edda Marrish"
    assert 0 < len(graph["edges"]) <= 5
    ids = {node["id"] for node in graph["nodes"]}
    for edge in graph["edges"]:
        assert {edge["subject"], edge["object"]} <= ids
        assert graph["nodes"][0]["id"] in (edge["subject"], edge["object"])
        sentence = edge["sentence"]
        with engine.view() as view:
            text = view.record.document(sentence["document"]).text
        assert text[sentence["start"] : sentence["end"]] == sentence["text"]


def test_two_entities_are_joined_by_a_path(client: httpx.Client) -> None:
    graph = client.get("/v1/graph/path", params={"from": "Harrowmere Lighthouse", "to": "Pellingrove"}).json()
    assert [node["name"] for node in graph["nodes"][:2]] == ["Harrowmere Lighthouse", "Pellingrove"]
    assert len(graph["edges"]) >= 1
    here = graph["nodes"][0]["id"]
    for edge in graph["edges"]:
        assert here in (edge["subject"], edge["object"])
        here = edge["object"] if here == edge["subject"] else edge["subject"]
    assert here == graph["nodes"][1]["id"]


def test_an_entity_nobody_knows_is_missed_with_the_nearest_names(client: httpx.Client) -> None:
    response = client.get("/v1/graph/entity", params={"name": "Edda Marish Lighthouse"})
    assert (response.status_code, response.json()["error"]["type"]) == (404, "entity_missing")
    assert "Known: " in response.json()["error"]["remedy"]


def test_without_facts_sentences_are_the_graph(harbour_engine: Polyhop) -> None:
    harbour_engine.close()
    with serving(harbour_engine.path) as served:
        graph = served.client.get("/v1/graph/path", params={"from": "Quillmouth", "to": "Fennick"}).json()
        assert len(graph["edges"]) >= 1
        around = served.client.get("/v1/graph/entity", params={"name": "Ada Brisk", "limit": 3}).json()
        assert 1 <= len(around["edges"]) <= 3


def test_an_index_without_a_graph_says_what_to_make(harbour: Path, tmp_path: Path) -> None:
    with Polyhop(tmp_path / "text.index") as engine:
        engine.index(harbour, layers=("text",))
    with serving(tmp_path / "text.index") as served:
        response = served.client.get("/v1/graph/entity", params={"name": "Ada Brisk"})
    assert (response.status_code, response.json()["error"]["type"]) == (409, "layer_missing")


@pytest.mark.parametrize("layer", ["facts", "parsekg"])
def test_a_heading_is_no_entity(tmp_path: Path, layer: str) -> None:
    text = "# The mill\n\n## Life\n\nOrla Denby built a mill in Skarrow.\n\n## Work\n\nOrla Denby left Fennick.\n"
    with Polyhop(tmp_path / "an.index") as engine:
        engine.index(write(tmp_path / "mills", {"mill.md": text}), layers=("text", layer))
    with serving(tmp_path / "an.index") as served:
        told = served.client.get("/v1/graph/entity", params={"name": "Orla Denby"}).json()
        names = {node["name"] for node in told["nodes"]}
        assert {"Orla Denby", "Skarrow", "Fennick"} <= names
        assert not any("#" in name or name in ("Life", "Work") for name in names)
        lines = served.client.get("/v1/graph/export", params={"layer": layer}).text
        assert "## " not in lines
        assert "Life" not in lines


@pytest.mark.parametrize("path", ["/v1/graph/entity", "/v1/graph/entity?name=", "/v1/graph/path?from=x"])
def test_a_name_that_lacks_is_asked_for(client: httpx.Client, path: str) -> None:
    assert client.get(path).status_code == 422
