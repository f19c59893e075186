"""Roles of reStructuredText are read as what they show."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.restructured_roles import without_roles
from polyhop.documents.loaders.text import TextLoader


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("See :ref:`wheel` and :ref:`the race <race>`.", "See wheel and the race."),
        ("A :term:`sluice`, as :pep:`8` and :rfc:`2119` say.", "A sluice, as PEP 8 and RFC 2119 say."),
        (":class:`~mill.wheel.Gate` opens :py:meth:`!Gate.open`.", "Gate opens Gate.open."),
        ("Of :ref:`the long\nrace <race>`.", "Of the long\nrace."),
        (":file:`/etc/mill` (:kbd:`Ctrl+C`)", "/etc/mill (Ctrl+C)"),
        ("- So::\n\n      :ref:`a`\n\n- :ref:`b`", "- So::\n\n      :ref:`a`\n\n- b"),
        (".. code-block:: rst\n\n   :ref:`a`\n\n:ref:`b`", ".. code-block:: rst\n\n   :ref:`a`\n\nb"),
        (".. versionadded:: 2.1\n   The :func:`turn`.", ".. versionadded:: 2.1\n   The turn."),
        ("``:ref:`` at 12:30:`x` and :ref:``", "``:ref:`` at 12:30:`x` and :ref:``"),
        (":ref:`~`, :ref:`<a>`", ", <a>"),
    ],
)
def test_a_role_is_what_it_shows_but_in_code(written: str, shown: str) -> None:
    assert without_roles(written) == shown


def test_a_file_is_read_without_roles(tmp_path: Path) -> None:
    file = tmp_path / "mill.rst"
    file.write_text("Mill\n====\n\n:Keeper: :ref:`Ada Brisk <ada>`\n\nThe :term:`wheel` is of oak.\n", encoding="utf-8")
    (document,) = TextLoader().load(file, "mill.rst")
    assert document.text == "Mill\n====\n\nKeeper: Ada Brisk\n\nThe wheel is of oak."


@pytest.mark.parametrize("sign", [":a", ":a:`", "`", "<", ":ref:`x", "``a", "\n:a:`b\n"])
def test_a_long_line_of_signs_takes_no_longer_than_it_is(sign: str) -> None:
    began = time.monotonic()
    without_roles(sign * 50_000)
    assert time.monotonic() - began < 10
