"""The graph of an index as a file: every link with its sentence, and hostile names as nothing but text."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

import pytest

from polyhop.engine import Polyhop
from polyhop.errors import LayerMissing
from polyhop.exports.formats import graphml, json_lines, page
from polyhop.exports.linked import LinkedGraph
from polyhop.layers.read_graph import FactsRead, GraphLayer, SentencesRead
from tests.worlds.commands import Run

GRAPHML = "{http://graphml.graphdrawing.org/xmlns}"
HOSTILE = {
    "mal.txt": "Mallory </script><script>alert(1)</script> Vane was born in Fennick & <b>Tarn</b>. "
    "Mallory Vane met Ada Brisk in Fennick.",
    "]]>.txt": 'Ada Brisk \x07 \u2028 built the "Lamp\'" House in Quillmouth. <!-- Piet Rook --> visited Quillmouth.',
}


@pytest.mark.parametrize("layer", ["facts", "parsekg"])
def test_every_link_quotes_its_document(engine: Polyhop, layer: GraphLayer) -> None:
    with engine.view() as view:
        graph = LinkedGraph.of(view, layer)
        names = {entity.id for entity in graph.entities()}
        links = list(graph.links())
        assert links
        assert {end for link in links for end in (link.subject, link.object)} == names
        for link in links:
            assert view.record.document(link.document).text[link.start : link.end] == link.sentence


def test_facts_are_taken_where_there_are_any(engine: Polyhop, index_of: Callable[..., Polyhop]) -> None:
    with engine.view() as view:
        assert isinstance(LinkedGraph.of(view).graph, FactsRead if "facts" in view.layers else SentencesRead)
        with pytest.raises(LayerMissing, match="no layer"):
            LinkedGraph.of(view.restricted(("text",)))


def test_json_lines_have_entities_and_then_links(engine: Polyhop) -> None:
    with engine.view() as view:
        rows = [json.loads(line) for line in "".join(json_lines(LinkedGraph.of(view))).splitlines()]
    kinds = [row["kind"] for row in rows]
    assert kinds == sorted(kinds)
    assert {"entity", "link"} == set(kinds)


def test_graphml_is_xml_whatever_names_there_are(index_of: Callable[..., Polyhop]) -> None:
    with index_of(HOSTILE).view() as view:
        graph = LinkedGraph.of(view, "parsekg")
        read = ElementTree.fromstring("".join(graphml(graph)))  # noqa: S314 - we wrote it
        nodes = read.findall(f".//{GRAPHML}node")
        edges = read.findall(f".//{GRAPHML}edge")
        assert len(nodes) == len(list(graph.entities()))
        assert len(edges) == len(list(graph.links()))
    ids = {node.get("id") for node in nodes}
    assert all({edge.get("source"), edge.get("target")} <= ids for edge in edges)


def test_graphml_that_is_printed_says_what_the_file_says(
    index_of: Callable[..., Polyhop], run: Run, tmp_path: Path
) -> None:
    """Also where a terminal would turn the letters around."""
    text = "Ada Brisk built the \u202aLamp House\u202c in Quillmouth. Ada Brisk met Piet Rook in Fennick."
    command = ("export", "--index", index_of({"lamp.txt": text}).path, "--layer", "parsekg", "--format", "graphml")
    printed, file = run(*command).out, tmp_path / "graph.graphml"
    assert run(*command, "--output", file).code == 0
    assert printed == file.read_text(encoding="utf-8")
    assert any("\u202aLamp" in said for said in ElementTree.fromstring(printed).itertext())  # noqa: S314 - we wrote it


def test_no_name_becomes_markup_in_the_page(index_of: Callable[..., Polyhop]) -> None:
    """The page has the elements that we wrote, its data can be read, and nothing is loaded from anywhere."""
    with index_of(HOSTILE).view() as view:
        graph = LinkedGraph.of(view, "parsekg")
        text = "".join(page(graph))
        links = [link.to_dict() for link in graph.links()]
    assert text.count("<script") == text.count("</script>") == 2
    assert "<b>" not in text
    assert "<!--" not in text
    data = re.search(r'<script type="application/json" id="graph">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert json.loads(data[1])["links"] == links
    assert "default-src 'none'" in text
    assert not re.search(r"(?:src|href)=", text)


def test_the_command_writes_a_whole_file_or_none(run: Run, world_index: Path, tmp_path: Path) -> None:
    target = tmp_path / "graph.html"
    said = run("export", "--index", world_index, "--format", "html", "--limit", "3", "--output", target)
    assert said.code == 0
    assert "the first 3 links" in said.err
    assert target.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert not list(tmp_path.glob("*.part"))
    refused = run("export", "--index", world_index, "--output", tmp_path / "no" / "graph.jsonl")
    assert refused.code == 7
    assert "Choose a file in a folder that is there and can be written." in refused.err
    lines = run("export", "--index", world_index, "--limit", "2").out.splitlines()
    assert sum(json.loads(line)["kind"] == "link" for line in lines) == 2


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_the_command_writes_to_what_is_no_file_and_follows_a_link(run: Run, world_index: Path, tmp_path: Path) -> None:
    pipe, target, link = tmp_path / "pipe", tmp_path / "graph.jsonl", tmp_path / "link.jsonl"
    os.mkfifo(pipe)
    link.symlink_to(target)
    with ThreadPoolExecutor() as beside:
        read = beside.submit(pipe.read_text, encoding="utf-8")
        assert run("export", "--index", world_index, "--output", pipe).code == 0
        assert pipe.is_fifo(), "a device or a pipe keeps its place"
        assert run("export", "--index", world_index, "--output", link).code == 0
        assert link.is_symlink()
        assert target.read_text(encoding="utf-8") == read.result(timeout=30)
