"""Tables that people type and programs print into plain text are read with the names of their columns."""

from __future__ import annotations

import time
from email.message import EmailMessage
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.documents.loaders.eml import EmlLoader
from polyhop.documents.loaders.markdown import MarkdownLoader
from polyhop.documents.loaders.text import TextLoader
from polyhop.documents.plain_tables import plain_tables
from polyhop.documents.wrapped_lines import flowing
from polyhop.types import Document

FEES = ["Vessel: Skiff; Fee: 5; Period: a night", "Vessel: Cutter; Fee: 35; Period: a night"]

WRITTEN = {
    "bars": "Vessel | Fee | Period\nSkiff | 5 | a night\nCutter | 35 | a night",
    "bars around": "| Vessel | Fee | Period |\n| Skiff | 5 | a night |\n| Cutter | 35 | a night |",
    "tabs": "Vessel\tFee\tPeriod\nSkiff\t5\ta night\nCutter\t35\ta night",
    "semicolons": "Vessel;Fee;Period\nSkiff;5;a night\nCutter;35;a night",
    "several tabs": "Vessel\t\tFee\tPeriod\nSkiff\t\t5\ta night\nCutter\t\t35\ta night",
    "spaces": "Vessel    Fee  Period\nSkiff       5  a night\nCutter     35  a night",
    "uneven spaces": "Vessel  Fee  Period\nSkiff  5    a night\nCutter    35  a night",
    "a query": " Vessel | Fee | Period\n--------+-----+---------\n Skiff  |   5 | a night\n Cutter |  35 | a night",
    "another query": "+--------+-----+---------+\n| Vessel | Fee | Period  |\n+--------+-----+---------+\n"
    "| Skiff  |   5 | a night |\n| Cutter |  35 | a night |\n+--------+-----+---------+",
    "drawn": "┌────────┬─────┬─────────┐\n│ Vessel │ Fee │ Period  │\n├────────┼─────┼─────────┤\n"
    "│ Skiff  │ 5   │ a night │\n│ Cutter │ 35  │ a night │\n└────────┴─────┴─────────┘",
    "reStructuredText": "======  ===  =======\nVessel  Fee  Period\n======  ===  =======\n"
    "Skiff   5    a night\nCutter  35   a night\n======  ===  =======",
    "a grid": "+--------+-----+--------+\n| Vessel | Fee | Period |\n+========+=====+========+\n"
    "| Skiff  | 5   | a      |\n|        |     | night  |\n+--------+-----+--------+\n"
    "| Cutter | 35  | a      |\n|        |     | night  |\n"
    "+--------+-----+--------+",
}


@pytest.mark.parametrize("written", WRITTEN.values(), ids=WRITTEN)
def test_a_row_says_what_it_says_however_its_table_is_written(written: str) -> None:
    assert flowing(f"The fees of 2031:\n{written}\n\nPaid on Monday.") == "\n".join(
        ["The fees of 2031:", *FEES, "", "Paid on Monday."]
    )


@pytest.mark.parametrize(
    ("written", "rows"),
    [
        ("Soup of the day ...... 4.80\nPie . . . . . . . . . 7.20", ["Soup of the day: 4.80", "Pie: 7.20"]),
        ("Small    3.20\nMedium   4.10\nLarge   12.00", ["Small: 3.20", "Medium: 4.10", "Large: 12.00"]),
        ("Size | Price\nSmall | 3.20\nLarge | 12.00", ["Size: Small; Price: 3.20", "Size: Large; Price: 12.00"]),
        ("Berth | 2030 | 2031\nNorth | 12 | 14", ["Berth: North; 2030: 12; 2031: 14"]),
        ("Honey | 250 g | 1 kg\nHeath | 4.10 | 16.50", ["Honey: Heath; 250 g: 4.10; 1 kg: 16.50"]),
        (
            "Vessel   Left   Fee\nSkiff           5\nCutter   noon   35",
            ["Vessel: Skiff; Fee: 5", "Vessel: Cutter; Left: noon; Fee: 35"],
        ),
    ],
)
def test_names_are_told_from_values(written: str, rows: list[str]) -> None:
    (table,) = plain_tables(written.split("\n"))
    assert list(table.rows) == rows


@pytest.mark.parametrize(
    "text",
    [
        "Home | Fees | Harbour",
        "Ada Brisk | harbour master\nThe Quay | Quillmouth\nopen daily | by appointment",
        "Ada Brisk         The Mill\n5 High Street     Quillmouth\nFennick           QM1 4TT",
        "Car | 43p | 26p\nVan | 48p | 30p",
        "Skiff   6 mm   30 s\nCutter  8 mm   60 s\nBarge   9 mm   90 s",
        "count = 0        // of skiffs\ntotal = 12       // of all\nopen = true",
        "name    = The Skiff of Fennick\nbuilt   = 1841,\nsold    = 1902,\nlength  = 12,",
        "Length   : 12 m\nWidth    : 3 m\nDepth    : 1 m",
        "length\t:= 12\nwidth\t:= 3\ndepth\t:= 1",
        "- Skiff   5\n- Cutter  35\n- Barge   60",
        "Ada, the harbour master; Otto; and Piet.\nLena, too; she came by boat; it was late.",
        "Vessel: Skiff; Fee: 5; Period: a night\nVessel: Cutter; Fee: 35; Period: a night",
        "I waited ... and waited.\nNobody came.",
        "The Quay\n--------\nIt is open.",
    ],
)
def test_lines_that_nothing_names_stay_as_they_are(text: str) -> None:
    assert not list(plain_tables(text.split("\n")))


@pytest.mark.parametrize("way", [" | ", "\t", "columns"])
@given(
    names=st.lists(st.from_regex(r"[A-Z][a-z]{2,8}", fullmatch=True), min_size=3, max_size=5, unique=True),
    values=st.lists(st.lists(st.integers(0, 99999), min_size=5, max_size=5), min_size=2, max_size=6),
)
def test_a_printed_table_is_read_as_it_was(way: str, names: list[str], values: list[list[int]]) -> None:
    rows = [names, *([f"{number:,}" for number in row[: len(names)]] for row in values)]
    lines = ["  ".join(cell.rjust(9) for cell in row) if way == "columns" else way.join(row) for row in rows]
    (table,) = plain_tables(lines)
    assert (table.first, table.end) == (0, len(lines))
    assert list(table.rows) == [
        "; ".join(f"{name}: {cell}" for name, cell in zip(names, row, strict=True)) for row in rows[1:]
    ]


@given(st.lists(st.lists(st.from_regex(r"[\w,]{1,9}", fullmatch=True), max_size=12).map(" ".join), max_size=12))
def test_prose_has_no_tables(lines: list[str]) -> None:
    assert not list(plain_tables(lines))


@given(st.text(st.sampled_from("ab1 |+-=;.\t\n\u2502"), max_size=120))
def test_any_text_is_looked_through(text: str) -> None:
    """Tables follow one another, and have rows that say something."""
    lines, end = text.split("\n"), 0
    for table in plain_tables(lines):
        assert end <= table.first < table.end <= len(lines)
        assert all(table.rows)
        end = table.end


def test_long_lines_take_no_time() -> None:
    began = time.process_time()
    list(plain_tables(["ab  " * 60_000, "cd  " * 60_000]))
    assert time.process_time() - began < 5.0


def test_files_and_mail_have_their_tables_read(tmp_path: Path) -> None:
    written = WRITTEN["spaces"]
    (tmp_path / "fees.txt").write_text(f"Fees\n\n{written}\n", encoding="utf-8")
    (tmp_path / "fees.md").write_text(
        f"# Fees\n\n{written}\n\n    {written}\n\n```\n{written}\n```\n", encoding="utf-8"
    )
    mail = EmailMessage()
    mail["Subject"] = "Fees"
    mail.set_content(f"Dear all,\n\n{written}\n\nAda\n")
    (tmp_path / "fees.eml").write_bytes(mail.as_bytes())
    (text,) = TextLoader().load(tmp_path / "fees.txt", "fees.txt")
    (markdown,) = MarkdownLoader().load(tmp_path / "fees.md", "fees.md")
    (message,) = EmlLoader().load(tmp_path / "fees.eml", "fees.eml")
    assert isinstance(message, Document)
    rows = "\n".join(FEES)
    assert rows in text.text
    assert rows in message.text
    assert markdown.text.count(rows) == 1
    assert f"```\n{written}\n```" in markdown.text
