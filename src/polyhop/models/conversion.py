"""Converts a language model from a folder as model hubs have them into one that the translator decodes with."""

from __future__ import annotations

from pathlib import Path

from polyhop.errors import UsageError
from polyhop.models.byte_tokens import TOKENIZER, opened, plain, read_tokenizer, write_tokenizer
from polyhop.models.chat_template import frame_of
from polyhop.models.decoder_graph import Precision, write_graph
from polyhop.models.hub_backbone import HubBackbone
from polyhop.models.tuned import GRAPH
from polyhop.models.weights import write_manifest
from polyhop.models.whole_folder import whole


def convert_folder(source: Path, target: Path, *, precision: Precision = "8-bit") -> None:
    """Write a graph, a tokenizer, the frame of a prompt and a manifest of their sha256 into a new folder.

    Two conversions of a folder are equal byte for byte. Raises ModelMissing (no weights or tokenizer that can be read,
    no ``convert`` extra), ModelError (a network or tokenizer that this would not be the same as), UsageError (no
    source, or the target is there), StorageFull.
    """
    source = source.expanduser()
    if not source.is_dir():
        raise UsageError(f"There is no folder {source}.", remedy="Name the folder that has the model's files.")
    backbone = HubBackbone(source)
    content = read_tokenizer(source, backbone.shape.vocabulary)
    frame = frame_of(source, opened(content, source / TOKENIZER))
    with whole(target.expanduser().absolute()) as folder:
        write_tokenizer(plain(content), folder / TOKENIZER)
        frame.write(folder)
        write_graph(backbone, folder / GRAPH, precision=precision)
        write_manifest(folder)
