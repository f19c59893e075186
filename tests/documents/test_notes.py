"""Notebooks and notes: what is written in them, in its order, under its headings."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.notebook import NotebookLoader
from polyhop.documents.loaders.org import OrgLoader
from polyhop.errors import DocumentError
from polyhop.types import Document

CELLS = [
    {"cell_type": "markdown", "source": ["# The *mill*\n", "See [the gate](gate.md)."]},
    {
        "cell_type": "code",
        "source": "turn(3)",
        "outputs": [
            {"output_type": "stream", "text": ["turned\n", "twice\n"]},
            {"output_type": "display_data", "data": {"image/png": "iVBORw0KGgo="}},
            {"output_type": "execute_result", "data": {"text/plain": "3", "text/html": "<b>3</b>"}},
        ],
    },
    {"cell_type": "code", "source": [], "outputs": []},
    {"cell_type": "markdown", "source": "## Its pond\n\nIt is deep."},
]
NOTEBOOK = """\
# The mill
See the gate.

```
turn(3)
```

```
turned
twice
```

```
3
```

## Its pond

It is deep."""
ORG = """\
#+TITLE: Our mill
#+AUTHOR: Ada Brisk
# nobody reads this

* Wheel                                                   :oak:mill:
:PROPERTIES:
:CUSTOM_ID: wheel
:END:
It is of [[https://oak.example][oak]]; see [[file:gate.org]].
** TODO Mend the rim
   DEADLINE: <2031-02-04 Tue>
* Tolls
| Cart  | Groats |
|-------+--------|
| empty |      1 |
| laden |      2 |
#+BEGIN_SRC sh
turn wheel
#+END_SRC
"""


def test_a_notebook_is_read_cell_by_cell(tmp_path: Path) -> None:
    (tmp_path / "mill.ipynb").write_text(json.dumps({"nbformat": 4, "cells": CELLS}), encoding="utf-8")
    (document,) = NotebookLoader().load(tmp_path / "mill.ipynb", "mill.ipynb")
    assert (document.text, document.title) == (NOTEBOOK, "The mill")
    assert [document.text[start:end] for start, end in document.headings] == ["The mill", "Its pond"]


@pytest.mark.parametrize("content", ["{", "[]", '{"worksheets": []}', "[" * 100_000])
def test_what_is_no_notebook_is_named(tmp_path: Path, content: str) -> None:
    (tmp_path / "mill.ipynb").write_text(content, encoding="utf-8")
    with pytest.raises(DocumentError):
        list(NotebookLoader().load(tmp_path / "mill.ipynb", "mill.ipynb"))


def org(folder: Path, text: str) -> Document:
    """Notes as they are read."""
    (folder / "mill.org").write_text(text, encoding="utf-8")
    (document,) = OrgLoader().load(folder / "mill.org", "mill.org")
    return document


def test_org_files_are_read_without_what_is_for_emacs(tmp_path: Path) -> None:
    document = org(tmp_path, ORG)
    assert [line.strip() for line in document.text.split("\n") if line.strip()] == [
        "* Wheel",
        "It is of oak; see gate.org.",
        "** TODO Mend the rim",
        "DEADLINE: <2031-02-04 Tue>",
        "* Tolls",
        "Cart: empty; Groats: 1",
        "Cart: laden; Groats: 2",
        "turn wheel",
    ]
    assert (document.title, document.metadata) == ("Our mill", {"author": "Ada Brisk"})
    headings = [document.text[start:end] for start, end in document.headings]
    assert (headings, document.levels) == (["Wheel", "TODO Mend the rim", "Tolls"], (1, 2, 1))


def test_code_in_org_files_stays_as_it_is_written(tmp_path: Path) -> None:
    code = "# Open the gate.\n[[ -f gate ]] &&\n  turn wheel\n\n#"
    text = f"# a comment\nThe wheel:\n#+BEGIN_SRC sh\n{code}\n#+END_SRC\n#+begin_example\n# 1\n#+end_example\nIt turns."
    assert org(tmp_path, text).text == f"The wheel:\n{code}\n# 1\nIt turns."


@pytest.mark.parametrize("hostile", ["* ", ":a", "#+", "[[", "|-", ":PROPERTIES:\n", " ", "* :a:", "#+BEGIN_SRC\n"])
def test_hostile_notes_take_no_time(tmp_path: Path, hostile: str) -> None:
    start = time.process_time()
    org(tmp_path, f"* a{hostile * (100_000 // len(hostile))}\nb")
    assert time.process_time() - start < 5.0
