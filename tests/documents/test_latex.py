"""LaTeX sources are read as they are shown: what they say, and not how it is set."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from polyhop.documents.loaders.latex import LatexLoader
from polyhop.types import Document

SOURCE = r"""\documentclass{article}
\usepackage{graphicx} % for the map
\newcommand{\mill}{\textsc{Orla Mill}}
\newcommand{\depth}[2][m]{#2\,#1}
\newcommand{\flow}{\ensuremath{\alpha_1}}
\title{The wheel of \mill}
\author{Ada Brisk\thanks{Harbour Office} \and Otto Fell}
\date{4 May 2031}
\begin{document}
\maketitle
\begin{abstract}
\mill\ is in Quill\-mouth---a ``small'' town.
\end{abstract}
\section{Its \emph{wheel}}\label{sec:wheel}
The wheel weighs 95\% of a ton and lies \depth{3} deep; the caf\'e does not.
It was drawn by \citet{fell2030} \citep[see][p.~4]{brisk}.\footnote{In \textbf{ink}.} Its flow \flow\ is
$\frac{a+b}{2} \leq 10^{-6}$.
\begin{enumerate}
\item Open the gate.
\item Wait.
\end{enumerate}
\begin{description}
\item[sump] where water gathers
\end{description}
\subsection{Fees}
\begin{tabular}{lr}
\hline
Vessel & Fee \\ \hline
Cutter & 35 \\
Barge & 40 \\
\end{tabular}
\begin{verbatim}
turn(3)  % not a comment
\end{verbatim}
\iffalse Nobody reads this. \fi
\begin{thebibliography}{9}
\bibitem[Fell(2030)]{fell2030} Fell, O. See \url{http://a.example/b%20c}.
\end{thebibliography}
\end{document}
Nor this.
"""
SHOWN = """\
Authors: Ada Brisk, Otto Fell
Date: 4 May 2031

Ada Brisk: Harbour Office

Abstract

Orla Mill is in Quillmouth\u2014a \u201csmall\u201d town.

Its wheel

The wheel weighs 95% of a ton and lies 3 m deep; the caf\u00e9 does not. \
It was drawn by Fell (2030) (see brisk, p. 4). Its flow \u03b1_1 is (a+b)/2 \u2264 10^-6.

In ink.

1. Open the gate.
2. Wait.

sump: where water gathers

Fees

Vessel: Cutter; Fee: 35
Vessel: Barge; Fee: 40

turn(3)  % not a comment

Fell, O. See http://a.example/b%20c."""


def read(folder: Path, source: str) -> Document:
    (folder / "wheel.tex").write_text(source, encoding="utf-8")
    (document,) = LatexLoader().load(folder / "wheel.tex", "wheel.tex")
    return document


def test_a_source_is_read_as_it_is_shown(tmp_path: Path) -> None:
    document = read(tmp_path, SOURCE)
    assert document.title == "The wheel of Orla Mill"
    assert document.text == SHOWN


def test_sections_are_headings_and_know_how_deep_they_are(tmp_path: Path) -> None:
    document = read(tmp_path, SOURCE)
    assert [document.text[start:end] for start, end in document.headings] == ["Abstract", "Its wheel", "Fees"]
    assert document.levels == (3, 3, 4)


def test_a_chapter_of_a_larger_source_is_called_after_its_file(tmp_path: Path) -> None:
    document = read(tmp_path, "\\section{The gate}\nIt is \\textbf{green}.")
    assert (document.title, document.text) == ("wheel", "The gate\n\nIt is green.")


def test_what_a_source_defines_does_not_change_how_headings_and_letters_are_read(tmp_path: Path) -> None:
    document = read(
        tmp_path, "\\renewcommand{\\section}[1]{\\vspace{#1}}\\def\\emph#1{}\\section{Gates} All \\emph{green}"
    )
    assert document.text == "Gates\n\nAll green"


@pytest.mark.parametrize(
    ("first", "shown"),
    [("\\'Eva", "Éva"), ("\\cite{eva}", "(eva)"), ("\\ensuremath{n^2}", "n^2"), ("\\ss", "ß")],
)
def test_a_row_may_begin_with_a_command(tmp_path: Path, first: str, shown: str) -> None:
    rows = f"Name & Town \\\\ \\hline Bo & Lund \\\\ {first} & Oslo \\\\"
    document = read(tmp_path, f"\\begin{{tabular}}{{ll}}{rows}\\end{{tabular}}")
    assert document.text == f"Name: Bo; Town: Lund\nName: {shown}; Town: Oslo"


@pytest.mark.parametrize(
    "hostile",
    [
        "{" * 20_000,
        "[" * 20_000,
        "\\footnote{" * 2_000,
        "\\begin{tabular}{l}" * 2_000,
        r"\def\x{\x\x}\x",
        "$" * 9_999,
        "\\a[" * 9_999,
        "\\a{" * 20_000,
        "\\SI{" * 3_000,
        "$" + "\\qty{" * 3_000,
        "$" + "\\a{" * 3_000,
        "\\DeclareSIUnit\\x{\\x\\x}\\SI{5}{\\x}",
        "\\section{" * 3_000 + "\\cite{a}",
    ],
)
def test_a_source_that_never_ends_what_it_begins_is_read_in_time(tmp_path: Path, hostile: str) -> None:
    began = time.process_time()
    read(tmp_path, f"Kept. {hostile}")
    assert time.process_time() - began < 10


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"\SI{19.8}{\milli\metre}", "19.8 mm"),
        (r"\qty{3.5}{kN}", "3.5 kN"),
        (r"\qty[per-mode = symbol]{9.81}{\metre\per\second\squared}", "9.81 m/s^2"),
        (r"\SI{4}{\cubic\centi\metre}", "4 cm^3"),
        (r"\SI{3}{\joule\per\kilo\gram\per\kelvin}", "3 J/(kg K)"),
        (r"\SI{3}{kg.m/s^2}", "3 kg m/s^2"),
        (r"\SI{2}{\um}", "2 µm"),
        (r"\SIrange{5}{9}{\volt}", "5 V to 9 V"),
        (r"\numrange{5}{9}", "5 to 9"),
        (r"\SIlist{1;2;4}{\hour}", "1 h, 2 h and 4 h"),
        (r"\SI{5}{\percent}", "5%"),
        (r"\SI{20}{\celsius}", "20 °C"),
        (r"\SI{45}{\degree}", "45°"),
        (r"\ang{12;30}", "12°30′"),
        (r"\SI{0.02}{\per\cm}", "0.02/cm"),
        (r"\si{\per\second}", "1/s"),
        (r"\num{1.2e-5}", "1.2×10^-5"),
        (r"\num{12 500}", "12500"),
        (r"\SI{5}{\crates}", "5 crates"),
        (r"\DeclareSIUnit{\florin}{fl.}\SI{5}{\florin}", "5 fl."),
        (r"\newcommand{\load}{3.5}\SI{\load}{\kN}", "3.5 kN"),
        (r"$L = \SI{131.6}{\hecto\pascal}$", "L = 131.6 hPa"),
        (r"$\qty{0.02}{\per\cm}$", "0.02/cm"),
        (r"$\qty(\frac{a}{b}) + \qty[c]$", "(a/b) + [c]"),  # brackets of the package physics
        (r"\unit[5]{m}", "5 m"),  # of the package units
    ],
)
def test_a_number_is_read_with_its_unit(tmp_path: Path, typed: str, shown: str) -> None:
    assert read(tmp_path, typed).text == shown


def test_a_column_of_a_table_is_named_with_its_unit(tmp_path: Path) -> None:
    rows = r"Gate & {Depth (\si{\milli\metre})} \\ \midrule North & 19.8 \\"
    assert read(tmp_path, rf"\begin{{tabular}}{{lS}}{rows}\end{{tabular}}").text == "Gate: North; Depth (mm): 19.8"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"\between{5}{9} ells", "5 9 ells"),
        (r"\mill{} and \mill{}'s", "and 's"),
        (r"\mill{Orla}{}'s", "Orla's"),
        (r"\textbf{b}old", "bold"),
        (r"{\bf b}{old}", "bold"),
        (r"\textbf{Or}\textit{la}", "Orla"),
        (r"\between{5} {9}", "5 9"),
        (r"\outer{\inner{5}{9}}{13}", "5 9 13"),
        (r"$\binom{n}{k}$", "binom(n, k)"),
        (r"$\sin{x}y$", "sin xy"),
    ],
)
def test_arguments_of_a_command_that_is_not_known_are_no_word(tmp_path: Path, typed: str, shown: str) -> None:
    assert read(tmp_path, typed).text == shown


LIST = """@book{fell, author = {Fell, Otto and Lind, {\\AA}sa}, title = {Mills}, year = 2030}
@book{three, author = "Ida Rook and Bo Lund and Eva Dahl", title = {Gates}, date = {2031-02-03}}
@misc{nobody, title = {Weirs}}
"""


def read_at(file: Path, source: str) -> str:
    """A source that lies among the user's files."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(source, encoding="utf-8")
    (document,) = LatexLoader().load(file, file.as_posix())
    return document.text


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"\citet{fell} drew it.", "Fell and Lind (2030) drew it."),
        (r"It turns \citep[see][p.~4]{fell}.", "It turns (see Fell and Lind, 2030, p. 4)."),
        (r"It turns \cite{fell, three}.", "It turns (Fell and Lind, 2030; Rook et al., 2031)."),
        (r"As \citeauthor{fell} (\citeyear{fell}) say.", "As Fell and Lind (2030) say."),
        (r"It turns \cite{nobody,unlisted}.", "It turns (nobody; unlisted)."),
    ],
)
def test_works_are_called_by_their_authors_where_a_list_is_named(tmp_path: Path, typed: str, shown: str) -> None:
    (tmp_path / "works.bib").write_text(LIST, encoding="utf-8")
    assert read_at(tmp_path / "wheel.tex", rf"{typed}\bibliography{{works}}") == shown


def test_a_chapter_calls_works_as_the_list_above_it_does(tmp_path: Path) -> None:
    (tmp_path / "works.bib").write_text(LIST, encoding="utf-8")
    assert read_at(tmp_path / "chapters" / "gates.tex", r"\citet{fell} drew it.") == "Fell and Lind (2030) drew it."


def test_no_list_is_read_from_elsewhere(tmp_path: Path) -> None:
    (tmp_path / "works.bib").write_text(LIST, encoding="utf-8")
    deep = tmp_path / "papers" / "wheel"
    deep.mkdir(parents=True)
    for name in ("../../works", (tmp_path / "works.bib").as_posix()):
        assert read_at(deep / "wheel.tex", rf"\citet{{fell}}\bibliography{{{name}}}") == "fell"


def test_a_source_that_was_sent_here_reads_nothing_beside_it(tmp_path: Path) -> None:
    """An upload, or what was attached to a mail, lies in a folder of ours."""
    (tmp_path / "works.bib").write_text(LIST, encoding="utf-8")
    assert read(tmp_path, r"\citet{fell}\bibliography{works}").text == "fell"


@pytest.mark.parametrize("content", [b"\0\1\2", b"@book{fell, author = {Fell", b"@book", b"@book{fell}"])
def test_a_damaged_list_of_works_leaves_their_keys(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "works.bib").write_bytes(content)
    assert read_at(tmp_path / "wheel.tex", r"\citet{fell}\bibliography{works}") == "fell"


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        (r"See Section~\ref{sec:gate}.", "See Section “The Orla gate”."),
        (r"\Cref{tab:fees} lists the fees.", "tab:fees lists the fees."),
        (r"See Eq.~\eqref{eq:flow} and \cref{a,b}.", "See Eq. eq:flow and a, b."),
    ],
)
def test_parts_of_a_text_are_called_by_their_headings_or_their_keys(tmp_path: Path, typed: str, shown: str) -> None:
    text = read(tmp_path, rf"{typed}\section[Gate]{{The \emph{{Orla}} gate}} \label{{sec:gate}}").text
    assert text == f"{shown}\n\nThe Orla gate"
