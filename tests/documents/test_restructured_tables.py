"""Tables of reStructuredText that are written as lists or as CSV."""

from __future__ import annotations

import pytest

from polyhop.documents.loaders.restructured import as_shown

LIST = """\
.. list-table:: Berths
   :header-rows: 1
   :widths: 20 30

   * - Boat
     - Berth
   * - Heron
     - 12, beside
       the slip
   * - Tern
     -
"""
CSV = """\
.. csv-table::
   :header: "Boat", "Berth"

   "Heron", "12, beside the slip"
   Tern, 14
"""


def test_rows_of_a_table_that_is_written_as_a_list_have_the_names_of_their_columns() -> None:
    assert as_shown(f"{LIST}\nAll are let.") == (
        "Berths\n\nBoat: Heron; Berth: 12, beside the slip\nBoat: Tern\n\nAll are let."
    )


def test_rows_of_a_table_that_is_written_as_csv_have_the_names_of_their_columns() -> None:
    assert as_shown(CSV).rstrip() == "Boat: Heron; Berth: 12, beside the slip\nBoat: Tern; Berth: 14"


def test_values_may_be_parted_by_another_sign() -> None:
    written = ".. csv-table::\n   :header-rows: 1\n   :delim: ;\n\n   Boat; Berth\n   Heron; 12\n"
    assert as_shown(written).rstrip() == "Boat: Heron; Berth: 12"


@pytest.mark.parametrize(
    "written",
    [
        ".. csv-table:: Berths\n   :file: berths.csv",
        ".. csv-table::\n   :delim: no sign\n\n   Heron, 12",
        ".. list-table::\n\n   Heron",
        ".. list-table::\n\n   * - Heron\n   * - Tern\n   Grebe",
        ".. list-table::",
    ],
)
def test_what_is_no_table_stays_as_it_is_written(written: str) -> None:
    assert as_shown(written) == written
