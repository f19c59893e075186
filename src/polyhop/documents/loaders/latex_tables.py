"""Tables of LaTeX: signs part their cells and end their rows, and nothing says where a row begins."""

from __future__ import annotations

from dataclasses import dataclass

from polyhop.documents.tables import Cell, Tables


@dataclass(slots=True)
class _Rows:
    """A table that is being read: how many rows have begun, and whether the last one has ended."""

    begun: int = 1
    ended: bool = False


class TexTables(Tables):
    """A flow of text and tables, in which a row begins with the first that is said behind the end of the last one."""

    def __init__(self) -> None:
        super().__init__()
        self._rows: list[_Rows] = []

    @property
    def in_table(self) -> bool:
        """Whether a table is open."""
        return bool(self._rows)

    def begin(self) -> None:
        """A table begins."""
        self.begin_table()
        self.begin_row()
        self.begin_cell(Cell())
        self._rows.append(_Rows())

    def end(self) -> None:
        """The open table ends, if one is."""
        if self._rows:
            self._rows.pop()
            self.end_table()

    def go_on(self) -> None:
        """Something is said, with which a row may begin."""
        if self._rows and self._rows[-1].ended:
            self._rows[-1] = _Rows(self._rows[-1].begun + 1)
            self.begin_row()
            self.begin_cell(Cell())

    def next_cell(self) -> None:
        """A cell ends, and the next one begins."""
        self.go_on()
        self.begin_cell(Cell())

    def end_row(self) -> None:
        """The row ends, which may say nothing."""
        self.go_on()
        self._rows[-1].ended = True

    def rule(self) -> None:
        """A rule below the first row of a table tells that it names columns."""
        if self._rows and self._rows[-1].begun == 1 and self._rows[-1].ended:
            self.head()

    def span(self, columns: int) -> None:
        """The cell spans several columns."""
        self.go_on()
        cell = self.cell()
        if cell is not None:
            cell.columns = columns
