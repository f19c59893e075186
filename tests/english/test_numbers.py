"""Numbers and what they measure."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from polyhop.english.dates import DATE, length_of, parse_date, time_apart
from polyhop.english.numbers import (
    Amount,
    amount_apart,
    amount_in,
    codes_in,
    names_code,
    names_version,
    number_in,
    of_one_series,
    versions_in,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [("1,204.5 boats", 1204.5), ("twelve", 12.0), ("some forty lamps", 40.0), ("none", None), ("C16", None),
     ("1.2 million", 1.2e6), ("three hundred", 300.0), ("twenty-five", 25.0), ("two hundred and five lamps", 205.0),
     ("two million three hundred thousand", 2.3e6), ("ten thousand", 1e4), ("ten and five", 10.0), ("ſix", 6.0)],
)  # fmt: skip
def test_numbers_stand_in_digits_and_words(text: str, value: float | None) -> None:
    assert number_in(text) == value


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1.2 t of oil", Amount(1200.0, "mass")),
        ("800 kg", Amount(800.0, "mass")),
        ("a year", Amount(31557600.0, "time")),
        ("four to six weeks", Amount(4 * 604800.0, "time")),
        ("a 12-week course", Amount(12 * 604800.0, "time")),
        ("£1,085", Amount(1085.0, "money")),
        ("12 lamps", Amount(12.0, "")),
        ("£1.2m", Amount(1200000.0, "money")),
        ("€ 3 bn", Amount(3e9, "money")),
        ("5 m", Amount(5.0, "length")),
        ("1 to 2 million litres", Amount(1e6, "volume")),
        ("12 kilometres", Amount(12000.0, "length")),
        ("2 yards", Amount(1.8288, "length")),
        ("10 ounces", Amount(0.2835, "mass")),
        ("EUR 7,400", Amount(7400.0, "money")),
        ("CHF 1.2m", Amount(1200000.0, "money")),
        ("7,400 SEK", Amount(7400.0, "money")),
        ("ISO 9001", Amount(9001.0, "")),
        ("a lamp", None),
    ],
)
def test_amounts_of_one_kind_have_one_unit(text: str, amount: Amount | None) -> None:
    assert amount_in(text, 0, len(text)) == amount


def test_the_unit_and_the_sign_for_money_may_stand_around_the_stretch() -> None:
    assert amount_in("it holds 54 l", 9, 11) == Amount(54.0, "volume")
    assert amount_in("for £ 54 a day", 6, 8) == Amount(54.0, "money")


@given(st.text(alphabet="a1 2,.kg£thre e-%", max_size=30), st.integers(0, 30), st.integers(0, 30))
def test_any_stretch_is_read(text: str, first: int, last: int) -> None:
    start, end = sorted((min(first, len(text)), min(last, len(text))))
    amount = amount_in(text, start, end)
    assert amount is None or amount.value >= 0


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("Tide 2.10.0 or v2.9", {"2.10.0", "2.9"}),
        ("release 2.10 of 1.20 groats", {"2.10"}),
        ("Tide 2.10.0rc1 and 3.0.0-beta.2", {"2.10.0rc1", "3.0.0-beta.2"}),
        ("Tide 2.10.0x", set()),
    ],
)
def test_versions_are_told_from_amounts(text: str, versions: set[str]) -> None:
    assert versions_in(text) == versions


@pytest.mark.parametrize(("text", "named"), [("v2.9.1, out", True), ("2.9.10", False), ("12.9.1", False)])
def test_a_version_is_named_whole(text: str, named: bool) -> None:
    assert names_version(text, "2.9.1") is named


@pytest.mark.parametrize(
    ("text", "told"),
    [("2031-02-04", (2031, 2, 4)), ("4 February 2031", (2031, 2, 4)), ("2031-13-04", (2031, 0, 0)), ("in May", None),
     ("15 March 44 BC", (-44, 3, 15)), ("March 44 BC", (-44, 3, 0)), ("AD 79", (79, 0, 0)), ("79 AD", (79, 0, 0)),
     ("4 March 895 BCE", (-895, 3, 4)), ("24 August AD 79", (79, 8, 24)), ("in 44", None)],
)  # fmt: skip
def test_dates_are_read_as_they_are_written(text: str, told: tuple[int, int, int] | None) -> None:
    assert parse_date(text) == told


@pytest.mark.parametrize("date", ["15 March 44 BC", "March 44 BC", "4 March 895 BC", "AD 79", "24 August AD 79"])
def test_dates_are_found_with_their_era(date: str) -> None:
    assert DATE.findall(f"It was lit on {date}, and burnt.") == [date]


@pytest.mark.parametrize(
    ("text", "years"),
    [("EUR 7,400", []), ("1,874 m", []), ("0.250 kg", []), ("in 1874", ["1874"]), ("b.1874", ["1874"]),
     ("4.6.1874", ["1874"]), ("14.06.1874", ["1874"]), ("from 1874, 1875 on", ["1874", "1875"])],
)  # fmt: skip
def test_the_end_of_a_long_number_is_no_year(text: str, years: list[str]) -> None:
    assert DATE.findall(text) == years


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        ("388 metres", "46 metres", "342 metres"),
        ("1.2 km", "800 m", "0.4 km"),
        ("£1,610", "£ 610", "£1,000"),
        ("about 41,000 inhabitants", "1,200", "39,800 inhabitants"),
        ("12 %", "9.5 %", "2.5%"),
        ("EUR 7,400", "EUR 5,900", "EUR 1,500"),
        ("120", "388 metres", "268 metres"),
        ("1.2 million people", "850,000", "350,000 people"),
        ("£1.2m", "£900,000", "£300,000"),
        ("1 km", "800 m", "0.2 km"),
        ("2 hours", "90 minutes", "0.5 hours"),
        ("12 kilometres", "1,250 metres", "10.75 kilometres"),
        ("0.3 m", "30 cm", "0.0 m"),
        ("388 metres", "3 kg", None),
        ("long", "3 kg", None),
    ],
)
def test_amounts_differ_by_an_amount(one: str, other: str, told: str | None) -> None:
    """In the unit of the first, and as exact as they are told."""
    assert amount_apart(one, other) == told


@pytest.mark.parametrize(
    ("one", "other", "unit", "told"),
    [
        ("1263", "1297", "years", "34 years"),
        ("1297", "1263", "", "34 years"),
        ("1263", "1297", "days", None),
        ("144 BC", "114", "years", "257 years"),
        ("3 May 1801", "4 June 1870", "", "69 years"),
        ("3 May 1801", "1 May 1803", "years", "1 year"),
        ("12 March 2031", "2 April 2031", "", "21 days"),
        ("12 March 2031", "2 April 2031", "weeks", "3 weeks"),
        ("March 2031", "May 2032", "", "14 months"),
        ("March 2031", "May 2032", "weeks", None),
        ("30 February 2031", "2 April 2031", "days", None),
    ],
)
def test_dates_lie_so_far_apart(one: str, other: str, unit: str, told: str | None) -> None:
    first, second = parse_date(one), parse_date(other)
    assert first is not None
    assert second is not None
    assert time_apart(first, second, unit) == told


def test_an_age_is_one_of_two_where_only_years_are_known() -> None:
    assert time_apart((1287, 0, 0), (1362, 0, 0), age=True) == "74 or 75"
    assert time_apart((1287, 5, 3), (1362, 4, 0), age=True) == "74"


def test_a_life_is_counted_in_whole_years() -> None:
    shorter = length_of((1900, 12, 1), (1950, 1, 1))  # 49 years and a month
    longer = length_of((1900, 1, 20), (1949, 12, 10))
    assert shorter == (49, 1, 0)
    assert longer == (49, 10, 21)
    assert shorter < longer
    assert length_of((1900, 0, 0), (1950, 3, 4))[0] == 50


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("Lamp-401 failed as TAR-1204 says, see 2031-014.", ["Lamp-401", "TAR-1204", "2031-014"]),
        ("Keepers of grade K3 set gate.max_width and mill_speed.", ["K3", "gate.max_width", "mill_speed"]),
        ("In the mid-1990s the under-19 ferry was long-lived, e.g. in the U.S.", []),
        ("From 2031-03-21 to 21-Mar-2032, 10-12 lamps, 2.5 m, in 2019-2020.", []),
        ("Write to ada-2@mill.example or see https://mill.example/a-17.", []),
    ],
)
def test_codes_of_a_series_stand_in_a_text(text: str, codes: list[str]) -> None:
    assert [code[0] for code in codes_in(text)] == codes


@pytest.mark.parametrize(
    ("code", "other", "alike"),
    [
        ("TAR-1204", "TAR-1304", True),
        ("tar-1204", "TAR-1304", True),
        ("2031-014", "2031-013", True),
        ("K3", "K4", True),
        ("gate.open_per_hour", "gate.open_per_minute", True),
        ("TAR-1204", "TAR-1204", False),
        ("TAR-7", "TAR-007", False),
        ("TAR-1204", "ORL-1304", False),
        ("TAR-1204", "ORL-1204", False),
        ("gate.open_per_min", "gate.open_per_minute", False),
        ("gate.width", "mill.speed", False),
    ],
)
def test_codes_that_differ_in_one_part_are_of_one_series(code: str, other: str, alike: bool) -> None:
    assert of_one_series(code, other) is alike
    assert of_one_series(other, code) is alike


@pytest.mark.parametrize(
    ("text", "code", "named"),
    [
        ("It is TAR-1204.", "TAR-1204", True),
        ("It is TAR 1204.", "TAR-1204", True),
        ("It is tar1204's.", "TAR-1204", True),
        ("It is TAR-12045.", "TAR-1204", False),
        ("It is STAR-1204.", "TAR-1204", False),
        ("[gate]\nmax_width = 4", "gate.max_width", True),
        ("max_width = 4", "gate.max_width", True),
        ("mill.max_width = 4", "gate.max_width", False),
    ],
)
def test_a_code_is_named_however_it_is_joined(text: str, code: str, named: bool) -> None:
    assert names_code(text, code) is named
