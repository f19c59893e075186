"""Archives of XML parts, as office programs and publishers write them, opened with limits.

Whoever made an archive decided what it unpacks to: sizes, their ratio and the number of parts are bounded. Nothing of
it is written to the disk, entities are refused, and nothing that a part names elsewhere is fetched.
"""

from __future__ import annotations

import lzma
import struct
import zipfile
import zlib
from collections.abc import Container, Generator, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Final
from xml.parsers import expat

from polyhop.errors import DocumentError

LARGEST: Final = 1 << 30  # bytes that all parts that are read may unpack to
_MOST_PARTS: Final = 50_000
_RATIO: Final = 200  # of what a part unpacks to and what it is packed as; tables of nothing but zeros have 16
_SMALL: Final = 1 << 20  # bytes: below, the ratio tells nothing
_ENCRYPTED: Final = 1  # of a part's flags
_BLOCK: Final = 1 << 16
_COMPOUND_FILE: Final = b"\xd0\xcf\x11\xe0"  # the container of encrypted and of old office files
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, EOFError, OSError),
    *(RuntimeError, ValueError, LookupError, OverflowError),  # a lookup fails for an encoding that nobody knows, too
)
Attributes = Mapping[str, str]


@dataclass(frozen=True, kw_only=True)
class ArchiveKind:
    """What an archive should be, for what is said of one that is not."""

    name: str  # "Word document"
    locked: str  # what a file in the container of old programs is: "encrypted, or an old .doc file"
    remedy: str


def office_file(name: str, old: str, program: str, suffix: str) -> ArchiveKind:
    """The kind of a file of an office program, which had another format before."""
    remedy = f"Open it in a {program} and save it again as {suffix}."
    return ArchiveKind(name=name, locked=f"encrypted, or an old {old} file", remedy=remedy)


def count_in(attributes: Attributes, name: str, digits: int = 9) -> int:
    """How often something is repeated, or how many places it spans, up to so many digits."""
    written = attributes.get(name, "")
    return max(1, int(written)) if written.isascii() and written.isdigit() and len(written) <= digits else 1


class PartEvents:
    """What happens in a part, names without their namespaces; each kind of part overrides what it cares about."""

    def start(self, name: str, attributes: Attributes) -> None:
        """An element begins."""

    def end(self, name: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text within an element."""


class _Begun(PartEvents):
    def __init__(self, names: Container[str]) -> None:
        self.elements: list[tuple[str, Attributes]] = []
        self._names = names

    def start(self, name: str, attributes: Attributes) -> None:
        if name in self._names:
            self.elements.append((name, attributes))


class PartArchive:
    """The parts of an open archive."""

    def __init__(self, zipped: zipfile.ZipFile, kind: ArchiveKind, largest: int) -> None:
        self.kind = kind
        self._zipped = zipped
        self._largest = largest
        self._left = largest
        if len(zipped.infolist()) > _MOST_PARTS:
            raise DocumentError(f"has more than {_MOST_PARTS:,} parts", remedy=kind.remedy)

    def __contains__(self, part: str) -> bool:
        return part in self._zipped.NameToInfo

    def parse(self, part: str, events: PartEvents) -> None:
        """Feed a part to a handler, if there is one of that name.

        Raises DocumentError, and what ``opened`` turns into it.
        """
        if part not in self:
            return
        with closing(self._blocks(part)) as blocks:
            parse_xml(blocks, events, self.kind)

    def elements(self, part: str, *names: str) -> list[tuple[str, Attributes]]:
        """The elements of these names in a part, in the order in which they begin, with their attributes."""
        begun = _Begun(names)
        self.parse(part, begun)
        return begun.elements

    def read(self, part: str) -> bytes:
        """All of a part. Raises DocumentError, and what ``opened`` turns into it."""
        return b"".join(self._blocks(part))

    def _blocks(self, part: str) -> Generator[bytes, None, None]:
        member = self._zipped.getinfo(part)
        if member.flag_bits & _ENCRYPTED:
            raise DocumentError("is encrypted", remedy="Save a copy without a password.")
        size = 0
        with self._zipped.open(member) as stream:
            while block := stream.read(_BLOCK):
                size += len(block)
                self._left -= len(block)
                if self._left < 0:
                    raise DocumentError(f"unpacks to more than {self._largest:,} bytes", remedy="Split it.")
                if size > _SMALL and size > _RATIO * max(1, member.compress_size):
                    raise DocumentError(f"unpacks to more than {_RATIO} times its size", remedy=self.kind.remedy)
                yield block


def parse_xml(blocks: Iterable[bytes], events: PartEvents, kind: ArchiveKind, encoding: str | None = None) -> None:
    """Feed XML to a handler; it may be in another encoding than it says.

    Raises DocumentError for entities, and ExpatError for what is no XML.
    """
    parser = expat.ParserCreate(encoding, " ")
    parser.buffer_text = True
    local = _LocalNames()

    def refuse(*_declaration: object) -> None:
        raise DocumentError("declares XML entities, as no program that writes such files does", remedy=kind.remedy)

    def begin_doctype(_name: str, _system: str | None, _public: str | None, has_subset: int) -> None:
        if has_subset:
            refuse()

    def name_entity(name: str, is_parameter: int) -> None:
        if not is_parameter:  # that is declared elsewhere: a letter, or what an author calls something
            events.data(unescape(f"&{name};").removeprefix("&").removesuffix(";") or name)

    parser.SkippedEntityHandler = name_entity
    parser.StartElementHandler = lambda name, attributes: events.start(
        local[name], {local[each]: value for each, value in attributes.items()}
    )
    parser.EndElementHandler = lambda name: events.end(local[name])
    parser.CharacterDataHandler = events.data
    parser.StartDoctypeDeclHandler = begin_doctype
    parser.EntityDeclHandler = refuse
    for block in blocks:
        parser.Parse(block)
    parser.Parse(b"", True)


@contextmanager
def opened(path: Path, kind: ArchiveKind, largest: int = LARGEST) -> Iterator[PartArchive]:
    """A file as an archive.

    Raises DocumentError for one that is damaged, encrypted or too large, also while its parts are read.
    """
    with path.open("rb") as stream:
        if stream.read(4) == _COMPOUND_FILE:
            raise DocumentError(f"is {kind.locked}", remedy=kind.remedy)
    with damage_named(kind), zipfile.ZipFile(path) as zipped:
        yield PartArchive(zipped, kind, largest)


@contextmanager
def damage_named(kind: ArchiveKind) -> Iterator[None]:
    """Turns into DocumentError what is raised while a file that is none of its kind is read."""
    try:
        yield
    except DocumentError:
        raise
    except _DAMAGE as error:
        raise DocumentError(f"is damaged, or not {kind.name} ({error})", remedy=kind.remedy) from error
    except expat.ExpatError as error:
        raise DocumentError(f"is damaged: its XML cannot be read ({error})", remedy=kind.remedy) from error


class _LocalNames(dict[str, str]):
    """Names without their namespaces, each taken apart once."""

    def __missing__(self, name: str) -> str:
        self[name] = name.rpartition(" ")[2]
        return self[name]
