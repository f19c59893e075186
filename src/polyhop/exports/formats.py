"""The graph in three formats: GraphML for programs that draw, JSON lines for programs that read, a page for people."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from typing import Final, Literal
from xml.sax.saxutils import escape, quoteattr

from polyhop.exports.linked import LinkedGraph

PAGE_LINKS: Final = 5_000  # links of a page, unless more are asked for: a browser holds no more with ease
ExportFormat = Literal["graphml", "jsonl", "html"]
_NO_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # XML 1.0, section 2.2
_OBEYED: Final = re.compile("[\r\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_KEYS: Final = (
    ("name", "node"), ("label", "node"), ("aliases", "node"), ("relation", "edge"), ("sentence", "edge"),
    ("document", "edge"), ("source", "edge"), ("passage", "edge"), ("start", "edge"), ("end", "edge"),
)  # fmt: skip


def graphml(graph: LinkedGraph) -> Iterator[str]:
    """GraphML 1.0, a piece at a time; characters that XML cannot hold become question marks."""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">\n'
    for name, of in _KEYS:
        kind = "int" if name in ("start", "end") else "string"
        yield f'<key id="{of}_{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>\n'
    yield '<graph edgedefault="directed">\n'
    for entity in graph.entities():
        about = {"name": entity.name, "label": entity.label, "aliases": "; ".join(entity.aliases)}
        yield f'<node id="n{entity.id}">{_data("node", about)}</node>\n'
    for link in graph.links():
        told = link.to_dict()
        about = {name: str(told[name]) for name, of in _KEYS if of == "edge"}
        yield f'<edge source="n{link.subject}" target="n{link.object}">{_data("edge", about)}</edge>\n'
    yield "</graph>\n</graphml>\n"


def _data(of: str, about: Mapping[str, str]) -> str:
    cells = ((quoteattr(f"{of}_{name}"), _written(text)) for name, text in about.items())
    return "".join(f"<data key={key}>{text}</data>" for key, text in cells)


def _written(text: str) -> str:
    """Text of XML in which letters that a terminal obeys, and prints as others therefore, stand as references."""
    return _OBEYED.sub(lambda found: f"&#{ord(found[0])};", escape(_NO_XML.sub("?", text)))


def json_lines(graph: LinkedGraph) -> Iterator[str]:
    """A line an entity, with ``"kind": "entity"``, then a line a link, with ``"kind": "link"``; ASCII only."""
    for entity in graph.entities():
        yield json.dumps({"kind": "entity", **entity.to_dict()}) + "\n"
    for link in graph.links():
        yield json.dumps({"kind": "link", **link.to_dict()}) + "\n"


def page(graph: LinkedGraph) -> Iterator[str]:
    """One HTML file that needs nothing else, and may load and send nothing.

    Names and sentences are data to its script, which writes them as text: none of them is ever markup. The policy of
    the page lets no other script run.
    """
    script = files("polyhop.exports").joinpath("page.js").read_text(encoding="utf-8")
    style = files("polyhop.exports").joinpath("page.css").read_text(encoding="utf-8")
    policy = f"default-src 'none'; script-src '{_digest(script)}'; style-src '{_digest(style)}'; base-uri 'none'"
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}; form-action \'none\'">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1"><title>Polyhop: graph</title>\n'
    yield f"<style>{style}</style></head><body>\n"
    yield '<header><h1>Graph</h1><label>Entity <input id="find" list="names" autocomplete="off"></label>'
    yield '<datalist id="names"></datalist><p id="sizes"></p></header>\n'
    yield '<main><svg id="drawing" role="group" aria-label="What is said of the entity"></svg>'
    yield '<ol id="said"></ol></main>\n'
    yield '<script type="application/json" id="graph">{"cut": ' + json.dumps(graph.cut()) + ', "entities": [\n'
    yield from _listed(_in_script(entity.to_dict()) for entity in graph.entities())
    yield '], "links": [\n'
    yield from _listed(_in_script(link.to_dict()) for link in graph.links())
    yield f"]}}</script>\n<script>{script}</script></body></html>\n"


def _listed(items: Iterator[str]) -> Iterator[str]:
    for number, item in enumerate(items):
        yield f"{',' if number else ''}{item}\n"


def _in_script(content: Mapping[str, object]) -> str:
    """JSON that cannot end the element that it stands in, nor begin a comment there."""
    text = json.dumps(content)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


WRITERS: Final[Mapping[ExportFormat, Callable[[LinkedGraph], Iterator[str]]]] = {
    "graphml": graphml,
    "jsonl": json_lines,
    "html": page,
}
