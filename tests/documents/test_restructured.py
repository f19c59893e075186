"""reStructuredText is read as its page shows it: without directives that show no text, and with terms explained."""

from __future__ import annotations

import time

import pytest

from polyhop.documents.loaders.restructured import as_shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (".. contents:: What is where\n   :depth: 2\n\nOak.", "Oak."),
        ("Oak.\n\n.. toctree::\n   :maxdepth: 2\n\n   wheel\n   race\n\nElm.", "Oak.\n\nElm."),
        (".. image:: mill.png\n   :alt: mill\n\nOak.", "Oak."),
        ("Oak.\n\n.. note::\n\n   Not of\n   elm.\n\nAsh.", "Oak.\n\nNot of\nelm.\n\nAsh."),
        (".. tip::\n   :class: wide\n\n   .. warning::\n      No carts.", "No carts.\n"),
        (".. figure:: mill.png\n   :width: 9\n\n   The wheel.\n\nOak.", "The wheel.\n\nOak."),
        (".. note:: Not of elm.\n.. versionadded:: 2.1", ".. note:: Not of elm.\n.. versionadded:: 2.1"),
        (".. code-block:: sh\n\n   turn wheel", ".. code-block:: sh\n\n   turn wheel"),
        ("So::\n\n    .. note::\n\n    wheel\n        turn", "So::\n\n    .. note::\n\n    wheel\n        turn"),
    ],
)
def test_directives_are_left_out_unless_their_text_is_shown(written: str, shown: str) -> None:
    assert as_shown(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("Mill\n====\n:Keeper: Ada Brisk\n:Built: 1742", "Mill\n====\nKeeper: Ada Brisk\nBuilt: 1742"),
        (":Keepers:\n   - Ada\n   - Otto", "Keepers:\n   - Ada\n   - Otto"),
        (":orphan:\n\nOak.", "\nOak."),
        (":term:`Sluice` of oak:\n: and more", ":term:`Sluice` of oak:\n: and more"),
        ("It is of\n:oak: and elm.", "It is of\n:oak: and elm."),
    ],
)
def test_fields_are_labels(written: str, shown: str) -> None:
    assert as_shown(written) == shown


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "Sluice\n    A gate\n    of oak.\n\n    Shut.\n\nRace\n  Water.",
            "Sluice: A gate of oak.\n\n    Shut.\n\nRace: Water.",
        ),
        ("``depth``\n    Of water.\n``width``\n    Of it.", "``depth``: Of water.\n``width``: Of it."),
        (".. glossary::\n\n   Sluice\n      A gate.", "Sluice: A gate.\n"),
        ("Who opens it?\n   The keeper.", "Who opens it?\n   The keeper."),
        ("Sluice\n   - oak\n   - iron", "Sluice\n   - oak\n   - iron"),
        ("Sluice\n   Gate\n      Of oak.", "Sluice\n   Gate\n      Of oak."),
        ("Sluice\n\n   As Ada says.", "Sluice\n\n   As Ada says."),
        ("- Sluice of\n  oak", "- Sluice of\n  oak"),
        ("1. Sluice of\n   oak", "1. Sluice of\n   oak"),
        ("The keeper of the\nmill\n   of Orla", "The keeper of the\nmill\n   of Orla"),
        ("-q     Be quiet,\n       and say nothing.", "-q     Be quiet,\n       and say nothing."),
        ("======\n Mill\n======\nOak.", "======\n Mill\n======\nOak."),
        ("So::\n   turn wheel", "So::\n   turn wheel"),
    ],
)
def test_a_term_and_what_is_said_of_it_are_one_line(written: str, shown: str) -> None:
    assert as_shown(written) == shown


@pytest.mark.parametrize(
    "hostile", ["a\n b\n", ".. note::\n", ".. note::\n ", "a\n", "\n", " b\n", ":a:\n", ".. |a| image::\n b\n"]
)
def test_hostile_text_takes_no_time(hostile: str) -> None:
    start = time.process_time()
    as_shown(hostile * (100_000 // len(hostile)))
    as_shown(f"a\n{hostile * (100_000 // len(hostile))}")
    assert time.process_time() - start < 5.0
