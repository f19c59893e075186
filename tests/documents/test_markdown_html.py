"""Tables and lists that a Markdown file has as HTML."""

from __future__ import annotations

import pytest

from polyhop.documents.loaders.markdown import readable

TABLE = """\
<table>
  <tr><th>Boat</th><th>Berth</th></tr>
  <tr><td><b>Heron</b></td><td>12</td></tr>
  <tr><td><a href="tern.md">Tern</a></td><td>14</td></tr>
</table>"""


def test_rows_of_a_table_in_html_have_the_names_of_their_columns() -> None:
    read = readable(f"# Boats\n\n{TABLE}\nAll berths are let.")
    assert read == "# Boats\n\nBoat: Heron; Berth: 12\nBoat: Tern; Berth: 14\nAll berths are let."


@pytest.mark.parametrize(
    ("html", "read"),
    [
        ("<ul><li>oars</li><li>a <em>lamp</em></li></ul>", "- oars\n- a lamp"),
        ("<ol>\n<li>wind</li>\n<li>turn\n<ul><li>slowly</li></ul></li>\n</ol>", "1. wind\n2. turn\n- slowly"),
        ("<dl><dt>Slip</dt><dd>Where boats go in.</dd></dl>", "Slip: Where boats go in."),
    ],
)
def test_items_of_a_list_in_html_are_lines(html: str, read: str) -> None:
    assert readable(f"It needs {html} at sea.") == f"It needs\n\n{read}\n\n at sea."


@pytest.mark.parametrize(
    "code", [f"```html\n{TABLE}\n```", "Write `<ul><li>oars</li></ul>`.", "Write <ul> and close it."]
)
def test_html_in_code_is_no_table(code: str) -> None:
    assert readable(code) == code.replace("<ul> and", " and")


def test_markdown_within_html_is_read_as_markdown() -> None:
    cell = "<table><tr><td>\n\n```sh\nwind --lamp\nturn\n```\n\n</td></tr></table>"
    assert readable(cell).strip() == "```sh\nwind --lamp\nturn\n```"


def test_what_is_raised_behind_a_digit_is_none() -> None:
    assert readable("10<sup>6</sup> m<sup>2</sup> of <mark>reed</mark>") == "10^6 m2 of reed"
