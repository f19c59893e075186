"""Jupyter notebooks: their text as Markdown, their code, and what it printed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Final

from polyhop.documents.encoding import clean, read_text
from polyhop.documents.loaders.markdown import first_heading, headings_in, readable
from polyhop.documents.loading import file_document, headed
from polyhop.errors import DocumentError
from polyhop.types import Document

_LONGEST_OUTPUT: Final = 2000  # characters of what one cell printed: more is data
_FENCE: Final = "```"


@dataclass(frozen=True, kw_only=True)
class NotebookLoader:
    """Reads the cells of a notebook in their order; pictures and pages that code made are left out."""

    suffixes: ClassVar[tuple[str, ...]] = (".ipynb",)
    media_type: ClassVar[str] = "application/x-ipynb+json"
    version: ClassVar[str] = "4"

    def load(self, path: Path, uri: str) -> Iterator[Document]:
        """One document, whose title is its first heading. Raises DocumentError for what is no notebook."""
        try:
            notebook = json.loads(read_text(path))
        except (ValueError, RecursionError) as error:
            raise DocumentError("is no notebook, or a damaged one", remedy="Save it again with Jupyter.") from error
        cells = notebook.get("cells") if isinstance(notebook, dict) else None
        if not isinstance(cells, list):
            raise DocumentError("has no cells", remedy="Save it with a newer Jupyter (nbformat 4).")
        said = (_said(cell) for cell in cells if isinstance(cell, dict))
        text = clean("\n\n".join(filter(None, said)))
        document = file_document(uri, text, self.media_type, title=first_heading(text))
        yield headed(document, headings_in(document.text))


def _said(cell: Mapping[str, Any]) -> str:
    source = _joined(cell.get("source")).strip("\n")
    if cell.get("cell_type") != "code":
        return readable(source).strip("\n")
    outputs = cell.get("outputs")
    printed = [_printed(one) for one in outputs if isinstance(one, dict)] if isinstance(outputs, list) else []
    return "\n\n".join(f"{_FENCE}\n{each}\n{_FENCE}" for each in (source, *printed) if each.strip())


def _printed(output: Mapping[str, Any]) -> str:
    """What an output says in plain text, up to a length."""
    data = output.get("data")
    said = _joined(output.get("text")) or (_joined(data.get("text/plain")) if isinstance(data, dict) else "")
    return said.strip("\n")[:_LONGEST_OUTPUT]


def _joined(lines: object) -> str:
    """A text, which notebooks keep as one or as a list of lines."""
    return "".join(map(str, lines)) if isinstance(lines, list) else lines if isinstance(lines, str) else ""
