"""A term and what is said of it are one line, as people type them."""

from __future__ import annotations

import time

import pytest

from polyhop.documents.loaders.html import read_page
from polyhop.documents.loaders.markdown import readable


@pytest.mark.parametrize(
    ("page", "text"),
    [
        ("<dl><dt>0-99:</dt><dd><p>Kept for the harbour.</p></dd></dl>", "0-99: Kept for the harbour."),
        ("<dl><dt>sluice<dd>A gate.<dt>race <dd>\n A <i>channel</i>.</dl>", "sluice: A gate.\nrace: A channel."),
        ("<dl><dt>sluice</dt><dd><p>A gate.</p><p>Of iron.</p></dd></dl>", "sluice: A gate.\n\nOf iron."),
        ("<dl><dt>-q<dt>--quiet<dd>Say nothing.</dl>", "-q\n--quiet: Say nothing."),
        ("<dl><dt>sluice<dd>A gate.<dd>A tax.</dl>", "sluice: A gate.\nA tax."),
        ("<dl><dt>sluice<dd><pre>  gate</pre></dl>", "sluice\n\n  gate"),
        ("<dl><dt>sluice<dd><ul><li>gate</ul></dl>", "sluice\n\n- gate"),
        ("<dl><dt>sluice<dd><dl><dt>iron<dd>Heavy.</dl></dl>", "sluice\n\niron: Heavy."),
        ("<dl><dt>Who opens it?<dd>The keeper.</dl>", "Who opens it?\nThe keeper."),
        ("<dl><dt><dd>A gate.</dl>", "A gate."),
        ("<ul><li><dl><dt>sluice<dd>A gate.</dl></ul>", "- sluice: A gate."),
        ("<table><tr><td>Part<td><dl><dt>sluice<dd>A gate.</dl></table>", "Part: sluice: A gate."),
        ("<dl><dt>sluice<dd><table><tr><td>gate<td>iron</table></dl>", "sluice\n\ngate: iron"),
        ("<table><tr><td><dt>sluice</table><dd>A gate.", "sluice\n\nA gate."),
        ("<dt>sluice</dt><p>A gate.", "sluice\n\nA gate."),
    ],
)
def test_a_description_follows_its_term(page: str, text: str) -> None:
    assert read_page(page.encode()).flow().text() == text


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("Sluice\n: A gate.\n\nRace\n\n:   A channel.", "Sluice: A gate.\n\nRace: A channel."),
        ("**Sluice** (iron)\n: A gate\n  of iron.", "Sluice (iron): A gate\n  of iron."),
        ("`-q`\n`--quiet`\n: Say nothing.", "`-q`\n`--quiet`: Say nothing."),
        ("Sluice:\n: A gate.", "Sluice: A gate."),
        ("Who opens it?\n: The keeper.", "Who opens it?\nThe keeper."),
        ("- Sluice\n: A gate.", "- Sluice\n: A gate."),
        ("# Sluice\n: A gate.", "# Sluice\n: A gate."),
        ("Sluice\n======\n: A gate.", "Sluice\n======\n: A gate."),
        ("Sluice\n:A gate.", "Sluice\n:A gate."),
        ("| Part | Of |\n|---|---|\n| gate | iron |\n\n: Parts", "Part: gate; Of: iron\n\n: Parts"),
        ("```\nsluice\n: gate\n```", "```\nsluice\n: gate\n```"),
    ],
)
def test_a_description_of_markdown_follows_its_term(written: str, text: str) -> None:
    """Behind a colon, as Pandoc and the wikis have it."""
    assert readable(written) == text


def test_terms_of_markdown_that_never_end_take_no_time() -> None:
    start = time.process_time()
    for hostile in ("a ", "a\n", "\n: ", "a\n: ", " ", "a" + " " * 5_000):
        readable(hostile * (100_000 // len(hostile)))
    assert time.process_time() - start < 5.0
