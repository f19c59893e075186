"""Tables: which rows are documents of their own, where the header is, and how fields are parted."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from polyhop.documents.loaders.csv import CsvLoader, sniffed
from polyhop.reports import Skipped
from tests.worlds.loaded import documents, load, only


def test_csv_rows_are_whole_documents(tmp_path: Path) -> None:
    table = (
        'id,Title,Text,year\nm1,Orla mill,"Built by ""old"" Voss,\nin stone.",1742\n,Ferry,It crosses the Orla.,\n\n'
    )
    mill, ferry = documents(load(CsvLoader(), tmp_path / "places.csv", table))
    assert (mill.title, mill.whole) == ("Orla mill", True)
    assert mill.text == 'Built by "old" Voss,\nin stone.'
    assert mill.uri == f"{(tmp_path / 'places.csv').as_posix()}#m1"
    assert mill.metadata == {"year": "1742"}
    assert re.fullmatch(r"places\.[0-9a-f]{8}#m1", mill.id)
    assert re.fullmatch(r"places\.[0-9a-f]{8}#2", ferry.id)
    assert ferry.uri.endswith("places.csv#2")


def test_csv_rows_keep_apart_whatever_ids_they_have(tmp_path: Path) -> None:
    """Tables number their rows as they like: what one says is not lost for the id of another."""
    for ids in (("1", "1", "2"), ("2", ""), ("", "1"), ("1", "1", "1 (2)", "1"), ("1 (2)", "1", "1")):
        table = "id,text\n" + "".join(f"{own},Row {row}.\n" for row, own in enumerate(ids))
        found = documents(load(CsvLoader(), tmp_path / "a.csv", table))
        assert [document.text for document in found] == [f"Row {row}." for row in range(len(ids))]
        assert len({document.id for document in found}) == len({document.uri for document in found}) == len(ids)


@pytest.mark.parametrize("table", ["id,title,text\n", "id\ttitle", "A line.", "a,b\n,\n\n"])
def test_csv_without_rows_is_named_as_such(tmp_path: Path, table: str) -> None:
    assert load(CsvLoader(), tmp_path / "a.csv", table) == [
        Skipped((tmp_path / "a.csv").as_posix(), "has no rows below its header")
    ]


@pytest.mark.parametrize("table", ["", "\n\n", " , \n"])
def test_csv_that_says_nothing_hands_out_nothing(tmp_path: Path, table: str) -> None:
    assert load(CsvLoader(), tmp_path / "a.csv", table) == []


def test_csv_without_a_text_column_is_written_out(tmp_path: Path) -> None:
    loader = CsvLoader(longest_table=0)
    document = documents(load(loader, tmp_path / "towns.csv", "no;town;people\n1;Orlaburg;5,200\n2;Fenn;\n"))
    assert [item.title for item in document] == ["Orlaburg", "Fenn"]
    assert document[0].text == "no: 1; town: Orlaburg; people: 5,200"
    assert document[1].text == "no: 2; town: Fenn"


def test_csv_of_few_rows_without_a_text_is_one_document_called_after_its_file(tmp_path: Path) -> None:
    """As it is on the sheet of a spreadsheet: which cup was won stands in no row, nor who won it most often."""
    table = "Year,Winner\n2031,Eelers\n\n2032,Tern\n"
    cup = only(CsvLoader(), tmp_path / "ferry_cup.csv", table)
    assert (cup.title, cup.text, cup.whole) == (
        "ferry cup",
        "Year: 2031; Winner: Eelers\nYear: 2032; Winner: Tern",
        False,
    )
    assert cup.uri == (tmp_path / "ferry_cup.csv").as_posix()


@pytest.mark.parametrize(
    "table",
    [
        "Year,Winner\n2031,Eelers\n",
        "id,Winner\n1,Eelers\n2,Tern\n",
        f"Year,Note\n2031,Rain.\n2032,{'It rained. ' * 10}\n",
        "Year,Winner\n" + "2031,Eelers\n" * 41,
        "Year,Winner\n" + "2031,Eelers\n" * 100,
    ],
    ids=["one row", "with ids", "with a text", "long", "longer than what is looked ahead"],
)
def test_csv_of_many_rows_or_of_records_is_a_document_a_row(tmp_path: Path, table: str) -> None:
    found = documents(load(CsvLoader(), tmp_path / "a.csv", table))
    assert len(found) == table.count("\n") - 1
    assert all(row.whole and row.uri.rpartition("#")[2] for row in found)


def test_csv_rows_with_an_empty_text_are_written_out(tmp_path: Path) -> None:
    table = "id,title,text,price\nt,Tern,,36\nk,Knot, ,12\ng,Gull,A boat.,9\nl,,,7 m\nx,,,\n"
    written, known, told, untitled, nothing = documents(load(CsvLoader(), tmp_path / "a.csv", table))
    assert (written.text, written.title, written.metadata) == ("title: Tern; price: 36", "Tern", {})
    assert known.text == "title: Knot; price: 12"
    assert (told.text, told.metadata) == ("A boat.", {"price": "9"})
    assert (untitled.text, untitled.title) == ("price: 7 m", "7 m")
    assert nothing.text == ""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_delimiter_is_sniffed(delimiter: str) -> None:
    rows = [["name", "text"], ["Mill", '"one, two; three | four"'], ["Ferry", "a; b"]]
    lines = [delimiter.join(row) + "\n" for row in rows if delimiter != ";" or row[0] != "Ferry"]
    assert sniffed(lines) == delimiter


def test_csv_declared_delimiter_is_believed(tmp_path: Path) -> None:
    assert documents(load(CsvLoader(), tmp_path / "a.csv", "sep=;\ntitle;text\nMill;a, b\n"))[0].text == "a, b"


def test_csv_ragged_rows_and_odd_headers_lose_nothing(tmp_path: Path) -> None:
    table = "town,,town\nFenn,a,b,c\nOrla\n"
    first, second = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert first.text == "town: Fenn; column 2: a; town 3: b; column 4: c"
    assert second.text == "town: Orla"
    assert only(CsvLoader(), tmp_path / "a.csv", table).text == f"{first.text}\n{second.text}"


def test_csv_may_have_spaces_before_quotes_and_blank_lines_above(tmp_path: Path) -> None:
    table = '\n,\nvessel, town\n"Cutter", "Fennick, ""the"" port"\n\tx,  y\n'
    first, second = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert (first.text, first.uri[-2:]) == ('vessel: Cutter; town: Fennick, "the" port', "#1")
    assert second.text == "vessel: x; town: y"


def test_csv_reports_have_their_header_below_what_they_are_called(tmp_path: Path) -> None:
    """As banks and offices export them."""
    table = (
        "Statement;;;\n;;;\nAccount:;QM12;;\n\nDate;For;Sum;Left\n2031-02-01;Rent;-500;1000\n2031-02-02;Wage;;3000\n"
    )
    whole = only(CsvLoader(), tmp_path / "a.csv", table)
    above, rent, wage = documents(load(CsvLoader(longest_table=0), tmp_path / "a.csv", table))
    assert whole.text == f"{above.text}\n\n{rent.text}\n{wage.text}"
    assert (above.text, above.title, above.uri[-6:]) == ("Statement\nAccount: QM12", "Statement", "#above")
    assert (rent.text, rent.uri[-2:]) == ("Date: 2031-02-01; For: Rent; Sum: -500; Left: 1000", "#1")
    assert wage.text == "Date: 2031-02-02; For: Wage; Left: 3000"


@pytest.mark.parametrize("table", ["text\none\ntwo, three, four\nfive\n", "text,\none,two\n", "text,,\na,b\nc,d,e\n"])
def test_csv_headers_of_one_name_are_headers(tmp_path: Path, table: str) -> None:
    assert {document.text for document in documents(load(CsvLoader(), tmp_path / "a.csv", table))} <= {
        *("one", "two", "five", "a", "c")
    }


def test_csv_fields_may_be_long(tmp_path: Path) -> None:
    text = "rye " * 100_000
    assert len(only(CsvLoader(), tmp_path / "a.csv", f'title,text\nMill,"{text}"\n').text) == len(text) - 1


def test_csv_columns_are_known_however_they_are_spelled(tmp_path: Path) -> None:
    document = only(CsvLoader(), tmp_path / "a.csv", "ID,Headline,Full Text,Author\nm1,Orla mill,Built in 1742.,Voss\n")
    assert (document.title, document.text) == ("Orla mill", "Built in 1742.")
    assert document.uri.endswith("a.csv#m1")
    assert document.metadata == {"Author": "Voss"}


def test_csv_with_a_description_beside_other_columns_keeps_them_all(tmp_path: Path) -> None:
    """Short notes are no text column: what stands beside them would not be found."""
    document = only(CsvLoader(), tmp_path / "a.csv", "name,description,price\nLamp,Of brass.,12\n")
    assert document.text == "name: Lamp; description: Of brass.; price: 12"
