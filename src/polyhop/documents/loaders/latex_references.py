"""What the references of a LaTeX source are called: works by their authors and year, sections by their headings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Final

from polyhop.documents.encoding import read_text
from polyhop.documents.loaders.bibtex import called, entries
from polyhop.documents.loaders.latex_commands import SHORT_CITES
from polyhop.errors import DocumentError

_OWN_NAME: Final = " "  # stands behind the key of a work that has a name of its own
_ITEM: Final = re.compile(r"\\bibitem\s{0,9}\[([^\[\]]{1,200})\]\s{0,9}\{([^{}]{1,80})\}")
_ALIAS: Final = re.compile(r"\\defcitealias\{([^{}]{1,80})\}\{([^{}]{1,80})\}")
_HEADING: Final = re.compile(
    r"\\(?:part|chapter|(?:sub){0,2}section)\*?(?:\[[^\[\]\n]{0,200}\])?\{((?:[^{}]|\{[^{}]{0,200}\}){1,200})\}"
    r"\s{0,9}\\label\{([^{}]{1,80})\}"
)
_FILES: Final = re.compile(r"\\(?:bibliography|addbibresource)(?:\[[^\[\]]{0,200}\])?\{([^{}]{1,500})\}")
_CITES: Final = re.compile(r"\\[A-Za-z]{0,9}cite")
_YEAR: Final = re.compile(r"\s*\((\d{4}[a-z]?)\).*", re.DOTALL)
_LARGEST: Final = 16 << 20  # bytes of a list of references


class References:
    """Says what is cited, from the source itself or else from the lists beside it; ``folder``: where it stands."""

    def __init__(self, source: str, folder: Path | None) -> None:
        self._source = source
        self._folder = folder
        self._own = {key: said for said, key in _ITEM.findall(source)}
        self._own |= {key + _OWN_NAME: said for key, said in _ALIAS.findall(source)}
        self._headings = {key: f"``{said}''" for said, key in _HEADING.findall(source)}

    def cited(self, command: str, keys: Sequence[str], options: Sequence[str], said: Callable[[str], str]) -> str:
        """How a text calls works: "Fell (2030)", "(see Fell, 2030, p. 4)"; ``said`` reads LaTeX."""
        works = "; ".join(self._work(key.strip(), command, said) for key in keys)
        before, after = (options if len(options) > 1 else ["", *options, ""])[:2]
        whole = f"{before} {works}{', ' if after else ''}{after}".strip()
        return whole if command in SHORT_CITES else f"({whole})"

    def places(self, keys: str) -> str:
        """What parts of the text are called, as LaTeX: by their headings, else by their keys."""
        return ", ".join(self._headings.get(key.strip(), key.strip()) for key in keys.split(","))

    def _work(self, key: str, command: str, said: Callable[[str], str]) -> str:
        """A work by its authors and the year, where the source or a list beside it says who they are."""
        label = self._own.get(key + _OWN_NAME) if command.endswith("alias") else self._own.get(key)
        label = label or self._listed.get(key)
        if label is None:
            return key
        shown = said(label)
        year = _YEAR.search(shown)
        authors = shown[: year.start()] if year else shown
        if year is None or command == "citeauthor":
            return authors
        if command in ("citeyear", "citeyearpar"):
            return year[1]
        return f"{authors} ({year[1]})" if command in SHORT_CITES else f"{authors}, {year[1]}"

    @cached_property
    def _listed(self) -> dict[str, str]:
        found: dict[str, str] = {}
        for path in self._lists() if _CITES.search(self._source) else ():
            try:
                if path.stat().st_size <= _LARGEST:
                    found = {entry.key: said for entry in entries(read_text(path)) if (said := called(entry))} | found
            except (OSError, DocumentError):
                continue  # what cannot be read is told where it is read itself
        return found

    def _lists(self) -> Iterator[Path]:
        """The lists that the source names, in its folder or the one above; of a chapter, which names none, all there.

        Elsewhere nothing is read, whatever a source says.
        """
        if self._folder is None:
            return
        folder = self._folder.resolve()
        named = [name.strip() for names in _FILES.findall(self._source) for name in names.split(",")]
        for name in filter(None, named):
            path = (folder / (name if name.endswith(".bib") else f"{name}.bib")).resolve()
            if path.is_relative_to(folder.parent) and path.is_file():
                yield path
        if not named:
            yield from sorted(folder.glob("*.bib")) or sorted(folder.parent.glob("*.bib"))
