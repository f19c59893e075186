"""Finds the files under the given paths and reads them; whatever cannot be read is named, with the reason."""

from __future__ import annotations

import logging
import os
import re
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from polyhop import registry
from polyhop.documents.loading import EMPTY, Loader, content_hash, one_line
from polyhop.errors import PolyhopError, UsageError
from polyhop.reports import Skipped
from polyhop.types import Document

logger = logging.getLogger(__name__)

READ_ALREADY = "is a link to a folder that has been read already"
_TEXT = ".txt"  # what files for people are read as that have no suffix
_FOR_PEOPLE = re.compile(  # README, NEWS, release-CHANGES, MPL-2.0: not Makefile
    r"(?:.*[-_ ])?[A-Z]{2,}[A-Z0-9]+(?:[-_ ](?:[A-Z0-9]+|\d+(?:\.\d+)+))*"
)
_CALLED = re.compile(  # the same in small letters, as distributions of software call them
    r"(?:.*[-_ ])?(?:changelog|changes|copyright|copying|licen[cs]e|readme|news|authors|todo|history|notice)"
    r"(?:\.debian)?|(?:.*[-_ ])?(?:readme|licen[cs]e|copying)\.[\w+-]{1,20}"
    r"|.+\.(?:readme|changelog|copyright|news|todo)(?:\.debian)?",  # behind the name of what they are about
    re.IGNORECASE,
)
_LONGEST_REASON = 300  # characters of what a loader's own error says


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A file that can be read, before it is read."""

    path: Path
    uri: str
    loader: Loader

    def documents(self) -> Iterator[Document | Skipped]:
        """What is in the file; a file that cannot be read, and an empty one, is handed out as Skipped.

        Whatever a loader raises ends with its file: loaders take apart what anybody may have written, some with
        libraries whose errors nobody can list, and some loaders are not ours.
        """
        found = False
        try:
            for item in self.loader.load(self.path, self.uri):
                found = True
                yield _checked(item)
        except PolyhopError as error:
            yield Skipped(self.uri, f"{str(error).rstrip('.')}. {error.remedy}".rstrip(". "))
        except OSError as error:
            yield unreadable(self.uri, error)
        except Exception as error:
            logger.debug("%s stopped at %s", type(self.loader).__name__, self.uri, exc_info=error)
            said = one_line(f"{type(error).__name__}: {error}")[:_LONGEST_REASON].rstrip(": ")
            yield Skipped(self.uri, f"cannot be read: its loader stopped with {said}")
        else:
            if not found:
                yield Skipped(self.uri, EMPTY)


def unique(items: Iterable[Document | Skipped]) -> Iterator[Document | Skipped]:
    """The items, with a document whose id an earlier one has as Skipped, which names both."""
    first: dict[str, str] = {}
    for item in items:
        if isinstance(item, Document):
            other = first.setdefault(item.id, item.uri)
            if other is not item.uri:
                yield with_taken_id(item, other)
                continue
        yield item


def find(
    paths: Sequence[str | Path], *, loaders: Mapping[str, Loader] | None = None, besides: Path | None = None
) -> Iterator[Source | Skipped]:
    """The files that can be read, each once: as given, and within folders in the order of their names, links last.

    Hidden files and folders within folders are passed over; links are followed, but no folder is entered twice. They
    come last so that what they lead to is read, and cited, where it really is. ``besides``: a folder to pass over,
    however it is reached, such as the index.
    Raises UsageError for a path that does not exist.
    """
    roots = [Path(path) for path in paths]
    for root in roots:
        if is_missing(root):
            raise _nothing_at(str(root))
    return _found(roots, _by_suffix(registered() if loaders is None else loaders), besides)


def given_path(path: str | Path) -> Path:
    """A path as somebody gives it. Raises UsageError for an empty one, which is not meant to be the current folder."""
    if not str(path):
        raise _nothing_at("")
    try:
        return Path(path).expanduser()
    except RuntimeError:  # "~$report.docx" is no folder of somebody called "$report.docx"
        return Path(path)


def registered() -> dict[str, Loader]:
    """The loaders that are installed and can be used, by name."""
    return {name: registry.build("loaders", name) for name in registry.working("loaders")}


def uri_of(path: str | Path) -> str:
    """The URI of a file: its absolute path with forward slashes, as it is ``written``. Links in it stay as they are."""
    absolute = Path(os.path.abspath(path))  # noqa: PTH100 - resolve() would follow links
    return written(absolute.as_posix())


def written(path: str) -> str:
    """A path as text: its bytes that are none are written out, as in ``m\\xfchle.txt``, so that names stay apart."""
    return path.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="backslashreplace")


def path_of(uri: str) -> str:
    """Where a file with that URI lies: its bytes that are no text may be written out in it."""
    if "\\x" not in uri or os.path.lexists(uri):
        return uri
    written_out = re.compile(rb"\\x([89a-f][0-9a-f])")
    return os.fsdecode(written_out.sub(lambda found: bytes.fromhex(found[1].decode()), os.fsencode(uri)))


def files_of(uri: str) -> list[str]:
    """The files that a document may be, or be a row of: ``#`` parts a row from its file, but paths may have it too."""
    return [uri, *(uri[:place] for place, character in enumerate(uri) if character == "#")]


def is_file(path: str) -> bool:
    """Whether there is a file, as far as anybody may look: one in a folder that is closed to us counts as there."""
    try:
        return stat.S_ISREG(os.stat(path_of(path)).st_mode)  # noqa: PTH116 - of Path.is_file versions raise different errors
    except PermissionError:
        return True
    except (OSError, ValueError):  # a row's id may be too long for a name, or hold what no name holds
        return False


def is_missing(path: Path) -> bool:
    """Whether nothing is there; a path in a folder that is closed to us is only unreadable."""
    try:
        path.lstat()
    except OSError as error:
        return not isinstance(error, PermissionError)
    return False


def covers(roots: Iterable[str | Path], uri: str) -> bool:
    """Whether a document's URI lies under one of the paths: it is the file, a row of it, or within the folder."""
    return covering(roots)(uri)


def covering(roots: Iterable[str | Path]) -> Callable[[str], bool]:
    """What ``covers`` says of any URI; each path is looked at once."""
    places = {uri_of(root).rstrip("/"): os.path.isdir(root) for root in roots}  # noqa: PTH112 - Path.is_dir() may raise
    within = tuple(f"{place}/" if is_folder else f"{place}#" for place, is_folder in places.items())
    return lambda uri: uri in places or uri.startswith(within)


def hidden_below(roots: Iterable[str | Path], files: Iterable[str]) -> list[Path]:
    """Of files, by their URIs, those that are there and that ``find`` passes over below these paths, being hidden."""
    places = [f"{uri_of(root).rstrip('/')}/" for root in roots]
    found = []
    for file in files:
        if "/." not in file:  # as hardly any is
            continue
        within = [file.removeprefix(place) for place in places if file.startswith(place)]
        if within and all(inner.startswith(".") or "/." in inner for inner in within):
            path = Path(path_of(file))
            if not is_missing(path) and not os.path.isdir(path):  # noqa: PTH112 - as in covering
                found.append(path)
    return found


def fingerprint_file(path: Path) -> str:
    """What changes whenever a file is written, or another one takes its place: its size and two times. Raises OSError.

    A file that is moved or unpacked brings the time of its last change along, but not that when it came to be there.
    """
    state = path.stat()
    return f"{state.st_size}-{state.st_mtime_ns}-{state.st_ctime_ns}"


def unreadable(uri: str, error: OSError) -> Skipped:
    """A file that the system does not hand out, with the system's reason."""
    return Skipped(uri, f"cannot be read: {error.strerror or error}")


def with_taken_id(document: Document, other: str) -> Skipped:
    """A document whose id another one has, which is where ``other`` says."""
    return Skipped(document.uri, f"has the id {document.id!r}, as {other} does; give each an id of its own")


def _nothing_at(path: str) -> UsageError:
    return UsageError(f"There is no file or folder {path!r}.", remedy="Check the path.")


def _checked(item: Document | Skipped) -> Document | Skipped:
    """An item as a loader hands it out. Raises TypeError and UnicodeError for what cannot be stored."""
    if isinstance(item, Skipped):
        return item
    if not isinstance(item, Document):
        raise TypeError(f"it handed out a {type(item).__name__} for a document")
    for text in (item.id, item.uri, item.title, item.text):
        text.encode()  # half a surrogate pair, say
    if not item.text.strip():
        return Skipped(item.uri, EMPTY)
    return replace(item, sha256=content_hash(item.title, item.text))  # a loader need not know what it is made of


def _by_suffix(loaders: Mapping[str, Loader]) -> dict[str, Loader]:
    return {suffix: loader for loader in loaders.values() for suffix in loader.suffixes}


def _found(roots: Iterable[Path], loaders: Mapping[str, Loader], besides: Path | None) -> Iterator[Source | Skipped]:
    own = besides.stat() if besides is not None and besides.exists() else None
    entered: set[tuple[int, int]] = set()
    met: set[str] = set()
    waiting = list(reversed([*roots]))  # a stack, because folders can be nested more deeply than calls
    named = {os.path.abspath(root) for root in waiting}  # noqa: PTH100 - as in uri_of
    links: deque[Path] = deque()
    while waiting or links:
        path = waiting.pop() if waiting else links.popleft()
        uri, place = uri_of(path), os.path.abspath(path)  # noqa: PTH100 - as in uri_of
        if place in met:
            continue
        met.add(place)
        try:
            state = path.stat()
            if not stat.S_ISDIR(state.st_mode):
                yield _source(path, uri, state.st_mode, loaders, named=place in named)
            elif own is not None and os.path.samestat(state, own):
                continue
            elif (state.st_dev, state.st_ino) in entered:
                yield Skipped(uri, READ_ALREADY)
            else:
                entered.add((state.st_dev, state.st_ino))
                visible = [inner for inner in path.iterdir() if not inner.name.startswith(".")]
                inside = sorted(visible, key=lambda inner: inner.name)
                waiting += [inner for inner in reversed(inside) if not inner.is_symlink()]
                links += [inner for inner in inside if inner.is_symlink()]
        except OSError as error:
            yield unreadable(uri, error)


def loader_of(name: str, loaders: Mapping[str, Loader]) -> Loader | None:
    """The loader that a file's name calls for, by its suffix or as one for people; ``loaders`` are by suffix."""
    suffix = Path(name).suffix.lower()
    for_people = _CALLED.fullmatch(name) or _FOR_PEOPLE.fullmatch(name)
    return loaders.get(suffix) or (loaders.get(_TEXT) if for_people else None)


def _source(path: Path, uri: str, mode: int, loaders: Mapping[str, Loader], *, named: bool) -> Source | Skipped:
    """A file with its loader; one that was named itself and has none is taken for text, as its user sees it."""
    if not stat.S_ISREG(mode):
        return Skipped(uri, "is not a regular file")
    loader = loader_of(path.name, loaders)
    if loader is None and named:
        loader = loaders.get(_TEXT)
    if loader is None:
        kind = f"files ending in {path.suffix}" if path.suffix else "files without a suffix"
        return Skipped(uri, f"{kind} are not read out of folders; where it is text, name the file itself")
    return Source(path=path, uri=uri, loader=loader)
