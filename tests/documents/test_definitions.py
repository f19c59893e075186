"""A term and what is said of it are one line, as people type them."""

from __future__ import annotations

import pytest

from polyhop.documents.loaders.html import read_page


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
