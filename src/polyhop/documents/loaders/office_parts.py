"""How the parts of an office file (Open Packaging Conventions) name one another, and what title its author gave it."""

from __future__ import annotations

import posixpath
from typing import Final, NamedTuple

from polyhop.documents.loaders.archives import Attributes, PartArchive, PartEvents

_MAIN: Final = "officeDocument"


class PartRelation(NamedTuple):
    """What a part refers to: by which kind, such as ``slide`` or ``styles``, and which part it is."""

    kind: str
    part: str


def relations_of(archive: PartArchive, part: str) -> dict[str, PartRelation]:
    """What a part refers to within the archive, by the ids that it uses; of the archive itself where it is empty."""
    folder, name = posixpath.split(part)
    found: dict[str, PartRelation] = {}
    for _, attributes in archive.elements(posixpath.join(folder, "_rels", f"{name}.rels"), "Relationship"):
        if attributes.get("TargetMode") != "External":
            target = part_named(folder, attributes.get("Target", ""))
            kind = attributes.get("Type", "").rpartition("/")[2]
            found.setdefault(attributes.get("Id", ""), PartRelation(kind, target))
    return found


def part_named(folder: str, reference: str) -> str:
    """The part that a reference from a folder of the archive leads to."""
    return posixpath.normpath(posixpath.join("/", folder, reference)).lstrip("/")


def main_part(archive: PartArchive, usual: str) -> str:
    """The part that all others belong to. Raises KeyError where there is none."""
    named = [relation.part for relation in relations_of(archive, "").values() if relation.kind == _MAIN]
    main = next(iter(named), usual)
    if main not in archive:
        raise KeyError("it has no main part")
    return main


def part_of_kind(relations: dict[str, PartRelation], kind: str) -> str:
    """The first part of a kind; nothing where there is none."""
    return next((relation.part for relation in relations.values() if relation.kind == kind), "")


def own_title(archive: PartArchive) -> str:
    """The title among the file's properties, or nothing."""
    found = _Title()
    archive.parse("docProps/core.xml", found)
    return found.text.strip()


class _Title(PartEvents):
    def __init__(self) -> None:
        self.text = ""
        self._inside = False

    def start(self, name: str, attributes: Attributes) -> None:
        self._inside = name == "title"

    def end(self, name: str) -> None:
        self._inside = False

    def data(self, text: str) -> None:
        self.text += text if self._inside else ""
